// SPDX-License-Identifier: MIT
/* The lower bounds that best.c computes: short lists, with answers counted by hand. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "parse.h"
#include "run.h"

#define MB	(1ull << 20)

/* The bounds of a run in which every buffer is executed once, in @memory bytes. */
static struct best best_of_bytes(const char *text, uint64_t memory, uint32_t flags, int error)
{
	struct parse_error error_text;
	struct scenario *s = scenario_parse("t.vss", text, strlen(text), &error_text);
	struct result *r;
	struct best best;
	uint32_t i;

	if (!s) {
		printf("# %s\n", error_text.text);
		exit(2);
	}
	r = result_new(s);
	r->num_segments = 1;
	r->segments[0].commit_limit = memory;
	r->segments[0].flags = flags;
	for (i = 0; i < s->num_dmas; i++) {
		struct submission *sub = result_add_submission(r);

		sub->dma = i;
		sub->portions = 1;
		sub->error = error;
	}
	result_best(r);
	best = r->best;
	result_free(r);
	scenario_free(s);
	return best;
}

static struct best best_of(const char *text, uint64_t mib, uint32_t flags, int error)
{
	return best_of_bytes(text, mib * MB, flags, error);
}

static void expect(struct best best, uint32_t portions, uint64_t mib)
{
	CHECK_EQ(best.portions, portions);
	CHECK_EQ(best.paged_in, mib * MB);
}

#define START "context K\nalloc A 2M\nalloc B 2M\nalloc C 2M\nalloc P 2M pinned\n"

static void fits(void)
{
	static const char *const text = START "dma a K\n bind 0 A\n fill 0 1\n bind 1 B\n fill 1 1\n";

	expect(best_of(text, 4, 0, 0), 1, 4);
}

/* A stays, and B and C take turns. Counted in pages, half of B could stay. */
static void splits(void)
{
	static const char *const text = START "dma a K\n bind 0 A\n fill 0 1\n bind 1 B\n fill 1 1\n"
		" bind 1 C\n fill 1 1\n bind 1 B\n fill 1 1\n";

	expect(best_of(text, 4, 0, 0), 3, 8);
	expect(best_of(text, 5, 0, 0), 3, 7);
	expect(best_of(text, 6, 0, 0), 1, 6);
}

/* B leaves for C, because A is needed first again. */
static void farthest_leaves(void)
{
	static const char *const text = START "dma a K\n bind 0 A\n fill 0 1\n bind 0 B\n fill 0 1\n"
		" bind 0 C\n fill 0 1\n bind 0 A\n fill 0 1\n bind 0 B\n fill 0 1\n";

	expect(best_of(text, 4, 0, 0), 3, 8);
}

/* The next buffer begins with no row bound, but the allocations are still in memory. */
static void goes_on(void)
{
	static const char *const text = START "dma a K\n bind 0 A\n fill 0 1\n bind 1 B\n fill 1 1\n"
		"dma b K\n bind 0 C\n fill 0 1\n bind 1 A\n fill 1 1\n";

	expect(best_of(text, 4, 0, 0), 2, 6);
}

/* A group is in a single portion. A row that is unbound is no longer needed in any portion. */
static void groups(void)
{
	static const char *const text = START "dma a K\n bind 0 A\n fill 0 1\n unbind 0\n bind 1 B\n"
		" bind 2 C\n fill 1 1\n";

	expect(best_of(text, 4, 0, 0), 2, 6);
}

static void pinned_is_there(void)
{
	static const char *const text = START "dma a K\n bind 0 P\n fill 0 1\n bind 1 B\n fill 1 1\n";

	expect(best_of(text, 4, 0, 0), 1, 2);
}

/* Three rounds over allocations of which half fit: half of them come again in each round. */
static void many(void)
{
	const unsigned int count = 20000;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct best best;
	unsigned int i;

	fputs("context K\n", out);
	for (i = 0; i < count; i++)
		fprintf(out, "alloc A%u 4K\n", i);
	fputs("dma a K\n", out);
	for (i = 0; i < 3 * count; i++)
		fprintf(out, " bind 0 A%u\n fill 0 1\n", i % count);
	fclose(out);
	best = best_of_bytes(text, count / 2 * 4096ull, 0, 0);
	free(text);
	CHECK_EQ(best.portions, 6);
	CHECK_EQ(best.paged_in, 2 * count * 4096ull);
}

static void unknown(void)
{
	static const char *const text = START "dma a K\n bind 0 A\n fill 0 1\n";

	expect(best_of(text, 4, VSPLIT_SEGMENT_APERTURE, 0), 0, 0);
	expect(best_of(text, 4, 0, -28), 0, 0);
	expect(best_of("context K\n", 4, 0, 0), 0, 0);
}

int main(void)
{
	RUN(fits);
	RUN(splits);
	RUN(farthest_leaves);
	RUN(goes_on);
	RUN(groups);
	RUN(pinned_is_there);
	RUN(many);
	RUN(unknown);
	return check_total_failures != 0;
}
