// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit charge
 * Description: What a client makes the kernel keep is charged before it is allocated, to its
 *   file, its user and its memory cgroup, the first, only and last one too; and it grows
 *   with the elements of a list, not with their product.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

IGT_TEST_DESCRIPTION("Memory is charged before it is allocated.");

#define U 4096ull
#define SLOTS 256

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 2 * SLOTS * U }, { "gart", true, .size = 64 * U } },
	.slots = SLOTS,
	.timeout_ms = 60000,
	.test = true,
};

static struct vsplit_adapter *ad;
static struct drm_vsplit_adapter_info info;
static struct vsplit_bo *bos[SLOTS];
static int fd;

static void setup(void)
{
	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
	vsplit_query_adapter(fd, &info);
	for (unsigned int i = 0; i < SLOTS; i++)
		bos[i] = NULL;
}

/* A number of fdinfo. */
static uint64_t fdinfo(int f, const char *key)
{
	char path[64], text[4096], *line;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", f);
	igt_assert_eq(__vsplit_read_file(path, text, sizeof(text)), 0);
	line = strstr(text, key);
	igt_assert_f(line, "fdinfo has no %s:\n%s\n", key, text);
	return strtoull(line + strlen(key), NULL, 10);
}

/* @slots rows that are kept, and a split point for each of @groups entries. */
static struct vsplit_cs *make_split(unsigned int slots, unsigned int groups)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 0; i < slots; i++) {
		if (!bos[i])
			bos[i] = vsplit_bo(fd, 'A' + i % 26, U);
		vsplit_cs_bind(cs, i, bos[i]);
	}
	for (unsigned int i = 0; i < groups; i++) {
		vsplit_cs_nop(cs, 8);
		vsplit_cs_bind(cs, i % slots, bos[i % slots]);
	}
	return cs;
}

/* Bytes that a submission of it holds before it runs. */
static uint64_t held_by(struct vsplit_cs *cs, uint32_t ctx)
{
	uint64_t held;

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	held = fdinfo(fd, "vsplit-unfinished-memory:") << 10;
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert(vsplit_soon(!fdinfo(fd, "vsplit-unfinished-memory:")));
	return held;
}

/**
 * SUBTEST: kept-rows-cost-nothing
 * Description: A buffer that is cut at each of its split points holds memory for each entry,
 *   however many rows are kept from portion to portion.
 */
static void test_kept_rows(void)
{
	enum { GROUPS = 1000 };
	uint64_t few, many, twice;
	uint32_t ctx;

	setup();
	ctx = vsplit_ctx(fd, 0);
	few = held_by(make_split(4, GROUPS), ctx);
	many = held_by(make_split(SLOTS, GROUPS), ctx);
	twice = held_by(make_split(SLOTS, 2 * GROUPS), ctx);
	igt_assert_f(many < few + SLOTS * 1024,
		     "%" PRIu64 " bytes with 4 rows, %" PRIu64 " with %u\n", few, many, SLOTS);
	igt_assert_f(twice < 2 * many + U,
		     "%" PRIu64 " bytes for %u groups, %" PRIu64 " for twice as many\n", many, GROUPS,
		     twice);
	vsplit_figure("R16", "bytes that a submission holds for each entry that is a split point",
		      (twice - many) / GROUPS);
}

static const struct vsplit_subtest tests[] = {
	{ "kept-rows-cost-nothing", test_kept_rows, "Linear in the entries" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
