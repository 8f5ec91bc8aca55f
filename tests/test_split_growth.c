// SPDX-License-Identifier: MIT
/*
 * How the cost of planning an entry grows when lists get ten times as long. Counted in instructions
 * (by valgrind, if there is one); test_split_steps counts steps. Time in seconds would say more
 * about the machine than about the code.
 *
 * test_split_growth                   all tests
 * test_split_growth WORKLOAD ENTRIES  one plan, as valgrind runs it
 */
#include <errno.h>
#include <unistd.h>

#include "../drv/split/vsplit_split.h"
#include "harness.h"

bool vsplit_split_relax(void)
{
	return false;
}

static u64 state;

static u32 below(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % n;
}

enum {
	RESIDENT,	/* everything is resident: only the walk */
	CUTS,		/* each entry is cut, with 1024 rows bound */
	PAGING,		/* half of 200 allocations fit, four slots */
	PLANNED,	/* the same, with cuts that save bytes */
	AHEAD,		/* the same, with paging that overlaps portions */
	DISTINCT,	/* as many allocations as entries, all fit */
	GROUP,		/* the same in one group */
	WORKLOADS
};

static const struct {
	const char *name;
	u32 few;		/* allocations; 0: as many as entries */
	u32 slots;
	double most;		/* limit for the growth of the cost of an entry */
} workloads[WORKLOADS] = {
	[RESIDENT] = { "resident", 200, 4, 1.05 },
	[CUTS] = { "cuts", 1024, 1024, 1.1 },
	[PAGING] = { "paging", 200, 4, 1.15 },
	[PLANNED] = { "planned", 200, 4, 1.15 },
	[AHEAD] = { "ahead", 200, 4, 1.15 },
	/* Finding a hole takes logarithmic time. */
	[DISTINCT] = { "distinct", 0, 4096, 1.4 },
	[GROUP] = { "one-group", 0, 4096, 1.4 },
};

static void *get(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		exit(3);
	return p;
}

/* Make a list and plan it. */
static int plan(u32 w, u32 n)
{
	u32 nr = workloads[w].few ? workloads[w].few : n;
	struct vsplit_split_alloc *allocs = get(nr, sizeof(*allocs));
	struct vsplit_split_entry *entries = get(n, sizeof(*entries));
	struct vsplit_split_segment seg = {};
	struct vsplit_split_input in = {
		.segments = &seg, .nr_segments = 1, .allocs = allocs, .nr_allocs = nr,
		.entries = entries, .nr_entries = n, .nr_slots = workloads[w].slots,
		.length = 4 * n + 4, .page = 4096,
	};
	struct vsplit_split_output out = {
		.max_ops = 4 * n + 2 * nr, .max_portions = n + 1,
	};
	size_t bytes;
	u64 total = 0;
	void *ws;
	int ret;
	u32 i;

	state = 88172645463325252ull;
	for (i = 0; i < nr; i++) {
		allocs[i].size = 4096ull * (1 + below(64));
		allocs[i].align = 4096;
		allocs[i].nr_segs = 1;
		allocs[i].seg = w == RESIDENT ? 0 : VSPLIT_SPLIT_SYSTEM;
		allocs[i].offset = total;
		total += allocs[i].size;
	}
	for (i = 0; i < n; i++) {
		entries[i].alloc = workloads[w].few ? below(nr) : i;
		entries[i].slot = w == CUTS || w == GROUP ? i % in.nr_slots : below(in.nr_slots);
		entries[i].split = w == GROUP ? 0 : 4 * i;
	}
	if (w == CUTS)
		in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	if (w == PLANNED || w == AHEAD)
		in.flags = VSPLIT_SPLIT_PLANNED;
	if (w == AHEAD)
		in.flags |= VSPLIT_SPLIT_AHEAD;
	seg.size = w == PAGING || w == PLANNED || w == AHEAD ? total / 2 & ~4095ull : total;
	seg.commit_limit = seg.size;
	out.ops = get(out.max_ops, sizeof(*out.ops));
	out.portions = get(out.max_portions, sizeof(*out.portions));
	out.binds = get(n, sizeof(*out.binds));
	out.final = get(nr, sizeof(*out.final));
	bytes = vsplit_split_workspace(&in);
	ws = get(1, bytes);
	ret = vsplit_split_plan(&in, &out, ws, bytes);
	free(out.ops);
	free(out.portions);
	free(out.binds);
	free(out.final);
	free(allocs);
	free(entries);
	free(ws);
	return ret;
}

/* The planner's instructions per entry; 0 if they cannot be counted. */
static double per_entry(const char *self, u32 w, u32 n)
{
	unsigned long long count = 0;
	char line[1024];
	FILE *f;

	snprintf(line, sizeof(line),
		 "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=vsplit_split_plan '%s' %s %u 2>&1",
		 self, workloads[w].name, n);
	f = popen(line, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "Collected : ");

		if (at)
			count = strtoull(at + 12, NULL, 10);
	}
	return pclose(f) ? 0 : (double)count / n;
}

static void growth(const char *self, u32 w)
{
	char name[64], note[200];
	double few, many;

	snprintf(name, sizeof(name), "split-growth-%s", workloads[w].name);
	few = per_entry(self, w, 10000);
	many = few ? per_entry(self, w, 100000) : 0;
	if (!many) {
		t_skip(name, "no valgrind to count instructions with");
		return;
	}
	t_begin();
	snprintf(note, sizeof(note),
		 "%.0f instructions per entry at 10,000 entries, %.0f at 100,000: %.2f times",
		 few, many, many / few);
	if (many > few * workloads[w].most)
		t_fail("%s", note);
	t_end(name, note);
}

int main(int argc, char **argv)
{
	u32 w;

	if (argc == 3) {
		for (w = 0; w < WORKLOADS; w++)
			if (!strcmp(argv[1], workloads[w].name))
				return plan(w, strtoul(argv[2], NULL, 0)) ? 1 : 0;
		return 2;
	}
	for (w = 0; w < WORKLOADS; w++)
		growth(argv[0], w);
	return t_status;
}
