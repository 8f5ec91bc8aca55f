// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit charge
 * Description: The memory that a client makes the kernel keep is charged before it is allocated: to
 *   its file, its user and its memory cgroup, even for a client's only submission. It grows with
 *   the number of list elements, not with their product.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

IGT_TEST_DESCRIPTION("The memory that a client makes the kernel keep is charged before it is "
		     "allocated: to its file, its user and its memory cgroup, even for a client's "
		     "only submission.");

#define U 4096ull
#define SLOTS 256

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 2 * SLOTS * U }, { "gart", true, .size = 64 * U } },
	.slots = SLOTS,
	.timeout_ms = 60000,
	.test = true,
};

/* All rows together take all memory. */
static const struct vsplit_adapter_opts tight = {
	.segs = { { "vram", .size = SLOTS * U } },
	.slots = SLOTS,
	.timeout_ms = 60000,
	.test = true,
};

static struct vsplit_adapter *ad;
static struct drm_vsplit_adapter_info info;
static struct vsplit_bo *bos[SLOTS];
static int fd;

static void setup_on(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
	vsplit_query_adapter(fd, &info);
	for (unsigned int i = 0; i < SLOTS; i++)
		bos[i] = NULL;
}

static void setup(void)
{
	setup_on(&plain);
}

/* A buffer with @slots kept rows, and a split point for each of @groups entries. */
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

/* The bytes that a submission of @cs holds before it runs. */
static uint64_t held_by(struct vsplit_cs *cs, uint32_t ctx)
{
	uint64_t held;

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	held = vsplit_fdinfo(fd, "vsplit-unfinished-memory:") << 10;
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-unfinished-memory:")));
	return held;
}

/**
 * SUBTEST: kept-rows-cost-nothing
 * Description: A buffer that is cut at each of its split points holds memory in proportion to its
 *   entries, however many rows are kept between portions.
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

/* A buffer with as many entries as there can be. */
static struct vsplit_cs *make_longest(int file)
{
	struct vsplit_bo *a = vsplit_bo(file, 'A', U);
	struct vsplit_cs *cs = vsplit_cs(file);

	while (cs->bytes + sizeof(struct vsplit_packet_bind) <= info.max_stream_bytes &&
	       cs->nr_patches < info.max_patches)
		vsplit_cs_bind(cs, 0, a);
	return cs;
}

/* Leaves only the first @nr entries. */
static void shorten(struct vsplit_cs *cs, unsigned int nr)
{
	cs->bytes = nr * sizeof(struct vsplit_packet_bind);
	cs->nr_patches = nr;
}

/**
 * SUBTEST: too-large-alone
 * Description: A submission that would hold more than a file may is refused even if the file has no
 *   other, with an error that says that waiting does not help. It leaves nothing behind.
 */
static void test_too_large(void)
{
	struct vsplit_cs *cs;
	uint32_t ctx;

	setup();
	ctx = vsplit_ctx(fd, 0);
	cs = make_longest(fd);
	/* A planned submission takes more memory. */
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT), -E2BIG);
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-unfinished-memory:")));
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-unfinished:"), 0);
	/* Half of it is not too large. */
	shorten(cs, cs->nr_patches / 2);
	vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
}

/* Is a buffer with the first @nr entries of @cs accepted, planned? */
static bool accepted(struct vsplit_cs *cs, uint32_t ctx, unsigned int nr)
{
	int ret;

	shorten(cs, nr);
	ret = __vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	if (ret)
		igt_assert_eq(ret, -E2BIG);
	else
		vsplit_cs_wait(cs);
	return !ret;
}

enum { CROWD = 8192 };

/*
 * An adapter with room for a crowd, on which a plan needs the most memory. Finds out how many
 * entries of @cs are accepted; @too_many are not.
 */
static unsigned int setup_wide(struct vsplit_cs **cs, uint32_t *ctx, unsigned int *too_many)
{
	const struct vsplit_adapter_opts wide = {
		.segs = { { "vram", .size = 4 * CROWD * U } },
		.slots = SLOTS,
		.timeout_ms = 60000,
		.test = true,
	};
	unsigned int fits = 0, most, step;

	ad = vsplit_adapter_prepare(&wide);
	igt_assert_eq(__vsplit_adapter_write(ad, "look_ahead", "1"), 0);
	vsplit_adapter_enable(ad);
	fd = vsplit_adapter_open(ad);
	vsplit_query_adapter(fd, &info);
	*ctx = vsplit_ctx(fd, 0);
	*cs = make_longest(fd);
	most = (*cs)->nr_patches;
	step = most / 256;
	while (most - fits > step) {
		unsigned int middle = fits + (most - fits) / 2;

		if (accepted(*cs, *ctx, middle))
			fits = middle;
		else
			most = middle;
	}
	igt_assert(fits);
	*too_many = most;
	return fits;
}

/* The ranges of a crowd take four times as much as the last step of the search. */
static void make_crowd(int file, bool pinned)
{
	for (unsigned int i = 0; i < CROWD; i++) {
		struct drm_vsplit_gem_create args = {
			.size = U, .flags = pinned ? VSPLIT_GEM_PINNED : 0,
			.segments = { 1 }, .num_segments = 1,
		};

		igt_assert_eq(__vsplit_create(file, &args), 0);
		if (!pinned)
			vsplit_escape(file, VSPLIT_ESCAPE_PAGE_IN, args.handle, 1);
	}
}

/**
 * SUBTEST: beside-a-crowd
 * Description: A submission whose plan takes almost all memory that a file may have is accepted
 *   however many allocations other clients have in the segment, pinned or not.
 */
static void test_crowd(void)
{
	unsigned int fits, most;
	struct vsplit_cs *cs;
	uint32_t ctx;
	int other;

	fits = setup_wide(&cs, &ctx, &most);
	other = vsplit_adapter_open(ad);
	for (unsigned int pinned = 0; pinned < 2; pinned++) {
		make_crowd(other, pinned);
		igt_assert(accepted(cs, ctx, fits));
	}
	/* What is too large by itself is refused all the same. */
	igt_assert(!accepted(cs, ctx, most));
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-unfinished-memory:")));
}

/**
 * SUBTEST: crowded-one-at-a-time
 * Description: Two clients submit beside a crowd at the same time, and each needs almost all memory
 *   that a file may have. While one of them is planned beyond the limits, the other one waits.
 */
static void test_one_at_a_time(void)
{
	unsigned int fits, most, blocked = 0;
	struct vsplit_cs *cs[2];
	uint32_t ctxs[2];
	uint64_t passes;
	pid_t pids[2];

	vsplit_require_sync_points();
	fits = setup_wide(&cs[0], &ctxs[0], &most);
	cs[1] = make_longest(vsplit_adapter_open(ad));
	ctxs[1] = vsplit_ctx(cs[1]->fd, 0);
	make_crowd(vsplit_adapter_open(ad), true);
	passes = vsplit_site_passes("place.crowd");
	vsplit_catch("place.crowded");
	for (unsigned int i = 0; i < 2; i++) {
		shorten(cs[i], fits);
		pids[i] = vsplit_fork();
		if (!pids[i])
			_exit(!!__vsplit_cs_submit(cs[i], ctxs[i], VSPLIT_SUBMIT_FORCE_SPLIT));
	}
	igt_assert(vsplit_wait_held("place.crowded"));
	igt_assert(vsplit_soon(vsplit_site_passes("place.crowd") == passes + 2));
	while (blocked < 20) {
		char one = vsplit_task_state(pids[0]), two = vsplit_task_state(pids[1]);

		igt_assert_f(one != 'Z' && two != 'Z', "the plans are made at the same time\n");
		blocked = one == 'D' && two == 'D' ? blocked + 1 : 0;
		usleep(10000);
	}
	vsplit_release("place.crowded");
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(vsplit_reap(pids[i]), 0);
}

/**
 * SUBTEST: refused-before-it-is-made
 * Description: A submission for which a file has no room any more is refused before it is copied:
 *   the address of its stream is never read.
 */
static void test_refused_first(void)
{
	struct drm_vsplit_submit args;
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct vsplit_cs *cs;
	uint32_t ctx;
	int ret;

	setup();
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'A', U));
	for (unsigned int i = 0; i < 64; i++)
		vsplit_cs_nop(cs, VSPLIT_PACKET_MAX_BYTES);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	while (!(ret = __vsplit_cs_submit(cs, ctx, 0)))
		;
	igt_assert_eq(ret, -ENOBUFS);
	vsplit_cs_args(cs, ctx, 0, &args, syncs);
	args.stream = 8;
	igt_assert_eq(__vsplit_submit(fd, &args), -ENOBUFS);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert_eq(__vsplit_submit(fd, &args), -EFAULT);
}

/**
 * SUBTEST: records-of-many-contexts
 * Description: The last records of many contexts together stay below the limit of their file. The
 *   oldest records are dropped, whichever context they belong to; the newest is kept.
 */
static void test_contexts(void)
{
	enum { CONTEXTS = 72, GROUPS = 4000 };
	struct drm_vsplit_record record = {};
	uint64_t limit, kib, most = 0;
	uint32_t first = 0, ctx = 0;
	struct vsplit_cs *cs;

	setup();
	limit = info.max_unfinished_bytes / 2 >> 10;
	cs = make_split(4, GROUPS);
	for (unsigned int i = 0; i < CONTEXTS; i++) {
		ctx = vsplit_ctx(fd, 0);
		if (!i)
			first = ctx;
		vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
		kib = vsplit_fdinfo(fd, "vsplit-record-memory:");
		most = max(most, kib);
		igt_assert_f(kib <= limit, "%u contexts keep %" PRIu64 " KiB\n", i + 1, kib);
	}
	igt_assert_f(most > limit / 2, "%" PRIu64 " KiB: the limit was never near\n", most);
	record.ctx = first;
	record.submission = 1;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, &record), -ENOENT);
	record.ctx = ctx;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, &record), 0);
	igt_assert_eq(record.num_portions, GROUPS + 1);
	vsplit_figure("R16", "KiB of records that a client with many contexts has at most", most);
}

/**
 * SUBTEST: tiny-allocations
 * Description: An allocation of one page is charged more than a page.
 */
static void test_tiny(void)
{
	enum { NR = 256 };
	uint64_t before, after;

	setup();
	before = vsplit_fdinfo(fd, "vsplit-user-allocations:") << 10;
	for (unsigned int i = 0; i < NR; i++) {
		struct drm_vsplit_gem_create args = { .size = U };

		igt_assert_eq(__vsplit_create(fd, &args), 0);
	}
	after = vsplit_fdinfo(fd, "vsplit-user-allocations:") << 10;
	igt_assert_f(after >= before + NR * (U + 512), "%" PRIu64 " bytes, then %" PRIu64 "\n",
		     before, after);
	vsplit_figure("R16", "bytes that an allocation of a page counts for", (after - before) / NR);
}

/**
 * SUBTEST: contexts
 * Description: A context with the rows of its table is charged to its user, until it is destroyed.
 */
static void test_contexts_count(void)
{
	enum { NR = 64 };
	uint64_t before, after;
	uint32_t ctx[NR];

	setup();
	before = vsplit_fdinfo(fd, "vsplit-user-allocations:");
	for (unsigned int i = 0; i < NR; i++)
		ctx[i] = vsplit_ctx(fd, 0);
	after = vsplit_fdinfo(fd, "vsplit-user-allocations:");
	for (unsigned int i = 0; i < NR; i++)
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx[i]), 0);
	igt_assert_f(after - before >= NR * SLOTS * 16 >> 10, "%" PRIu64 " KiB for %u contexts\n",
		     after - before, NR);
	igt_assert(vsplit_soon(vsplit_fdinfo(fd, "vsplit-user-allocations:") == before));
	vsplit_figure("R16", "bytes that a context with 256 rows counts for",
		      ((after - before) << 10) / NR);
}

/**
 * SUBTEST: fences-of-many-contexts
 * Description: A submission waits for the fences of many contexts, through one allocation or one
 *   timeline point. It holds memory for each fence, which is charged as its other memory.
 */
static void test_fences(void)
{
	enum { CONTEXTS = 600, EACH = 32 };
	struct vsplit_cs *read, *write, *alone;
	uint64_t held, with, without;
	uint32_t ctx;

	setup();
	read = vsplit_cs(fd);
	write = vsplit_cs(fd);
	alone = vsplit_cs(fd);
	bos[0] = vsplit_bo(fd, 'A', U);
	bos[1] = vsplit_bo(fd, 'B', U);
	read->access = 0;
	vsplit_cs_bind(read, 0, bos[0]);
	vsplit_cs_bind(write, 0, bos[0]);
	vsplit_cs_bind(alone, 0, bos[1]);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < CONTEXTS; i++)
		igt_assert_eq(__vsplit_cs_submit(read, vsplit_ctx(fd, 0), 0), 0);
	ctx = vsplit_ctx(fd, 0);
	held = vsplit_fdinfo(fd, "vsplit-unfinished-memory:") << 10;
	igt_assert_eq(__vsplit_cs_submit(alone, ctx, 0), 0);
	without = (vsplit_fdinfo(fd, "vsplit-unfinished-memory:") << 10) - held;
	igt_assert_eq(__vsplit_cs_submit(write, ctx, 0), 0);
	with = (vsplit_fdinfo(fd, "vsplit-unfinished-memory:") << 10) - held - without;
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(write);
	igt_assert_f(with >= without + CONTEXTS * EACH, "%" PRIu64 " bytes, and %" PRIu64
		     " that wait for %u\n", without, with, CONTEXTS);
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-unfinished-memory:")));
	vsplit_figure("R16", "bytes that a submission holds for each fence that it waits for",
		      (with - without) / CONTEXTS);
}

/* A buffer that writes as many allocations as there is room for. */
static struct vsplit_cs *make_full(unsigned int seed)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 0; i < SLOTS; i++) {
		struct vsplit_bo *bo = vsplit_bo(fd, 'A' + i % 26, U);

		vsplit_bo_pattern(bo, seed + i);
		vsplit_cs_bind(cs, i, bo);
		vsplit_cs_store(cs, i, 8, seed);
	}
	return cs;
}

static uint64_t held(void)
{
	return vsplit_fdinfo(fd, "vsplit-unfinished-memory:") << 10;
}

/**
 * SUBTEST: evictions
 * Description: Allocations leave for a submission through eviction jobs. These count as memory of
 *   the submission, not as submissions.
 */
static void test_evictions(void)
{
	enum { EACH = 1024 };
	struct vsplit_cs *cs[2];
	uint64_t without, with;
	uint32_t ctx;

	setup_on(&tight);
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < 2; i++)
		cs[i] = make_full(1000 * i);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs[0], ctx, 0);
	without = held();
	vsplit_cs_submit(cs[1], ctx, 0);
	with = held() - without;
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-unfinished:"), 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	for (unsigned int i = 0; i < 2; i++)
		vsplit_cs_ends_well(cs[i]);
	igt_assert_f(with >= without + SLOTS * EACH, "%" PRIu64 " bytes, and %" PRIu64
		     " with %u that leave\n", without, with, SLOTS);
	igt_assert(vsplit_soon(!held()));
	vsplit_figure("R16", "bytes that a submission holds for each allocation that leaves for it",
		      (with - without) / SLOTS);
}

/**
 * SUBTEST: evictions-refused
 * Description: If the evictions for a submission would take more memory than its file may hold, the
 *   submission is refused, and changes no bytes. A submission that needs no evictions is accepted,
 *   and so is the refused one after earlier ones are done.
 */
static void test_evictions_refused(void)
{
	struct vsplit_cs *cs[2], *filler, *small;
	uint32_t ctx;

	setup_on(&tight);
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < 2; i++)
		cs[i] = make_full(1000 * i);
	filler = vsplit_cs(fd);
	while (filler->bytes < 256 * 1024)
		vsplit_cs_nop(filler, VSPLIT_PACKET_MAX_BYTES);
	small = vsplit_cs(fd);
	vsplit_cs_nop(small, 8);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs[0], ctx, 0);
	while (held() + 600 * 1024 < info.max_unfinished_bytes)
		vsplit_cs_submit(filler, ctx, 0);
	igt_assert_eq(__vsplit_cs_submit(cs[1], ctx, 0), -ENOBUFS);
	igt_assert(held() <= info.max_unfinished_bytes);
	vsplit_cs_submit(small, ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(small);
	vsplit_cs_submit(cs[1], ctx, 0);
	for (unsigned int i = 0; i < 2; i++)
		vsplit_cs_ends_well(cs[i]);
	igt_assert(vsplit_soon(!held()));
}

/**
 * SUBTEST: merged-fences
 * Description: A place where many allocations were has one fence that merges all of theirs. Its
 *   memory is charged until it is done, even for a submission that fails in the end.
 */
static void test_merged(void)
{
	enum { TRIES = 8, EACH = 32 };
	struct vsplit_cs *many, *one;
	uint64_t before, after;
	uint32_t ctx;

	setup_on(&tight);
	ctx = vsplit_ctx(fd, 0);
	many = make_full(0);
	one = vsplit_cs(fd);
	vsplit_cs_bind(one, 0, vsplit_bo(fd, 'A', SLOTS * U));
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(many, ctx, 0);
	vsplit_adapter_knob(ad, "expect_preparation_failure", "1");
	igt_assert_eq(__vsplit_cs_submit(one, ctx, 0), -ENOMEM);
	/* All other allocations have left. */
	before = held();
	for (unsigned int i = 0; i < TRIES; i++)
		igt_assert_eq(__vsplit_cs_submit(one, ctx, 0), -ENOMEM);
	after = held();
	vsplit_adapter_knob(ad, "expect_preparation_failure", "0");
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_ends_well(many);
	vsplit_cs_submit(one, ctx, 0);
	vsplit_cs_ends_well(one);
	igt_assert_f(after >= before + TRIES * SLOTS * EACH, "%" PRIu64 " bytes, then %" PRIu64
		     "\n", before, after);
	igt_assert(vsplit_soon(!held()));
}

static const struct vsplit_subtest tests[] = {
	{ "kept-rows-cost-nothing", test_kept_rows,
	  "A buffer that is cut at each of its split points holds memory in proportion to its "
	  "entries, however many rows are kept between portions" },
	{ "too-large-alone", test_too_large,
	  "A submission that would hold more than a file may is refused even if the file has no "
	  "other, with an error that says that waiting does not help" },
	{ "beside-a-crowd", test_crowd,
	  "A submission whose plan takes almost all memory that a file may have is accepted "
	  "however many allocations other clients have in the segment, pinned or not" },
	{ "crowded-one-at-a-time", test_one_at_a_time,
	  "A submission that is planned beyond the limits beside a crowd waits while another one "
	  "is" },
	{ "refused-before-it-is-made", test_refused_first,
	  "A submission for which a file has no room any more is refused before it is copied: the "
	  "address of its stream is never read" },
	{ "records-of-many-contexts", test_contexts,
	  "The last records of many contexts together stay below the limit of their file" },
	{ "contexts", test_contexts_count,
	  "A context with the rows of its table is charged to its user, until it is destroyed" },
	{ "evictions", test_evictions,
	  "Allocations leave for a submission through eviction jobs. These count as memory of the "
	  "submission, not as submissions." },
	{ "evictions-refused", test_evictions_refused,
	  "If the evictions for a submission would take more memory than its file may hold, the "
	  "submission is refused, and changes no bytes" },
	{ "merged-fences", test_merged,
	  "A place where many allocations were has one fence that merges all of theirs" },
	{ "fences-of-many-contexts", test_fences,
	  "A submission waits for the fences of many contexts, through one allocation or one "
	  "timeline point" },
	{ "tiny-allocations", test_tiny, "An allocation of one page is charged more than a page" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
