// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit property
 * Description: Random DMA buffers run on the driver and on a reference with infinite memory. The
 *   bytes are the same, and the records obey the invariants.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: stress test
 *
 * A world (igt_vsplit_world.h) that fails is shrunk: buffers, groups and commands are left out as
 * long as it still fails. Then it is written as a scenario.
 *
 * In the environment: VSPLIT_SEED (default 1, or "random"), VSPLIT_BUFFERS (number of buffers that
 * a subtest runs), VSPLIT_WORLD (only this world of the seed), VSPLIT_CASES (directory for
 * scenarios of failures, default ".").
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_world.h"

#include <time.h>

IGT_TEST_DESCRIPTION("Random DMA buffers run on the driver and on a reference with infinite "
		     "memory. The bytes are the same, and the records obey the invariants.");

static unsigned int total_buffers, total_split, total_portions, total_refused;

/* ---- running ------------------------------------------------------------ */

static char why[1024];

#define wrong(...) (snprintf(why, sizeof(why), __VA_ARGS__), why)

struct run {
	struct world *w;
	int fd[2];
	int watch;
	uint32_t ctx[2][2];
	struct vsplit_bo *bos[MAX_ALLOCS];
	struct vsplit_cs *cs[MAX_STEPS];
	uint64_t last[2][2];
	unsigned int ran;	/* steps, at the end */
	bool count;
};

static void build_step(struct run *r, const struct step *step, struct vsplit_cs *cs)
{
	uint32_t table[MAX_SLOTS] = {};
	struct op op;

	for (unsigned int i = 0; i < r->w->nr_allocs; i++)
		if (r->w->allocs[i].client == step->client && r->w->allocs[i].read_only)
			vsplit_cs_alloc(cs, r->bos[i], 0);
	for (unsigned int i = 0; i < step->nr_ops; i++) {
		if (!resolve_op(r->w, &step->ops[i], table, &op))
			continue;
		switch (op.type) {
		case OP_BIND:
			vsplit_cs_bind(cs, op.slot, r->bos[op.other]);
			break;
		case OP_UNBIND:
			vsplit_cs_unbind(cs, op.slot);
			break;
		case OP_GROUP:
			vsplit_cs_nop(cs, 8);
			break;
		case OP_FILL:
			vsplit_cs_set(cs, op.slot, op.offset, op.length, op.other * 0x01010101u);
			break;
		case OP_COPY:
			vsplit_cs_copy(cs, op.slot, 0, op.other, 0, op.length);
			break;
		}
	}
	if (!cs->bytes)
		vsplit_cs_nop(cs, 8);
}

static const char *check_done(struct run *r, unsigned int i)
{
	struct vsplit_cs *cs = r->cs[i];
	struct vsplit_record *rec;
	const char *ret;
	int err;

	if (!cs)
		return NULL;
	r->cs[i] = NULL;
	err = __vsplit_cs_wait(cs);
	if (err)
		return wrong("buffer %u ended with %s", i, strerror(-err));
	rec = vsplit_record(cs->fd, cs->ctx, cs->submission);
	ret = __vsplit_record_check(rec, cs);
	if (ret)
		return wrong("buffer %u: %s", i, ret);
	if (r->count) {
		total_portions += rec->info.num_portions;
		total_split += rec->info.num_portions > 1;
	}
	vsplit_record_free(rec);
	vsplit_cs_free(cs);
	return NULL;
}

static const char *check_bytes(struct run *r, unsigned int i)
{
	for (unsigned int a = 0; a < r->w->nr_allocs; a++) {
		const struct vsplit_bo *bo = r->bos[a];
		uint64_t at = 0;

		if (vsplit_bo_good(bo))
			continue;
		while (at < bo->size - 1 && bo->map[at] == bo->shadow[at])
			at++;
		return wrong("after step %u: allocation %u, byte %#" PRIx64 " is %#x, not %#x", i, a,
			     at, bo->map[at], bo->shadow[at]);
	}
	return NULL;
}

static const char *wait_all(struct run *r, unsigned int upto)
{
	const char *ret = NULL;

	for (unsigned int i = 0; i < upto && !ret; i++)
		ret = check_done(r, i);
	return ret;
}

static const char *run_step(struct run *r, unsigned int i)
{
	struct step *step = &r->w->steps[i];
	struct vsplit_cs *cs;
	const char *ret;
	int err;

	if (!step->nr_ops) {
		struct vsplit_bo *bo = r->bos[step->alloc];

		ret = wait_all(r, i);
		if (ret)
			return ret;
		memset(bo->map + step->offset, step->byte, step->length);
		memset(bo->shadow + step->offset, step->byte, step->length);
		return NULL;
	}
	cs = vsplit_cs(r->fd[step->client]);
	build_step(r, step, cs);
	vsplit_place_before(cs);
	err = __vsplit_cs_submit(cs, r->ctx[step->client][step->ctx], 0);
	if (r->count)
		total_buffers++;
	step->refused = err;
	if (err) {
		if (err != -ENOSPC)
			return wrong("buffer %u refused: %s", i, strerror(-err));
		if (step->must_fit || step->must_not_split)
			return wrong("buffer %u has a solution and is refused", i);
		if (r->count)
			total_refused++;
		vsplit_cs_free(cs);
		return NULL;
	}
	if (cs->submission <= r->last[step->client][step->ctx])
		return wrong("submission ids go backwards");
	r->last[step->client][step->ctx] = cs->submission;
	if (step->must_not_split && cs->portions != 1 && vsplit_exact())
		return wrong("buffer %u fits whole and has %u portions", i, cs->portions);
	r->cs[i] = cs;
	vsplit_cs_reference(cs, 0);
	if (!step->wait)
		return NULL;
	ret = wait_all(r, i + 1);
	return ret ?: check_bytes(r, i);
}

/* ---- a world ------------------------------------------------------------ */

static uint64_t resident(int on)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	uint64_t sum = 0;

	for (unsigned int n = vsplit_query_segments(on, segs), i = 0; i < n; i++)
		sum += segs[i].resident;
	return sum;
}

/*
 * Runs a world on a new adapter, and writes it to @scenario if that is not NULL. Returns NULL, or
 * what went wrong.
 */
static const char *run_world(struct world *w, bool count, FILE *scenario)
{
	struct run *r = calloc(1, sizeof(*r));
	struct vsplit_adapter *ad;
	const char *ret = NULL;
	uint64_t left;
	unsigned int i;

	igt_assert(r);
	r->w = w;
	r->count = count;
	ad = vsplit_adapter_create(&w->opts);
	r->watch = vsplit_adapter_open(ad);
	for (unsigned int c = 0; c < 2; c++) {
		r->fd[c] = vsplit_adapter_open(ad);
		for (unsigned int k = 0; k < 2; k++)
			r->ctx[c][k] = vsplit_ctx_on(r->fd[c], 0, k % w->opts.engines);
	}
	for (i = 0; i < w->nr_allocs && !ret; i++) {
		struct alloc *a = &w->allocs[i];
		struct drm_vsplit_gem_create args = {
			.size = (uint64_t)a->pages * PAGE,
			.flags = a->pinned ? VSPLIT_GEM_PINNED : 0,
		};

		while (a->segs[args.num_segments]) {
			args.segments[args.num_segments] = a->segs[args.num_segments];
			args.num_segments++;
		}
		r->bos[i] = vsplit_bo_args(r->fd[a->client], i < 26 ? 'A' + i : 'a' + i % 26, &args);
	}
	for (i = 0; i < w->nr_steps && !ret; i++)
		if (!w->steps[i].gone)
			ret = run_step(r, i);
	r->ran = i;
	if (!ret)
		ret = wait_all(r, w->nr_steps);
	if (!ret)
		ret = check_bytes(r, w->nr_steps);
	if (scenario)
		write_scenario(scenario, w, r->bos, r->ran, ret ?: "A world without failure.");
	/* After the clients are gone no memory is in use. */
	for (unsigned int c = 0; c < 2; c++)
		vsplit_cleanup_file(r->fd[c]);
	if (!ret && !vsplit_soon(!(left = resident(r->watch))))
		ret = wrong("%" PRIu64 " bytes are resident when all is freed", left);
	vsplit_cleanup();
	free(r);
	return ret;
}

/* ---- shrinking ---------------------------------------------------------- */

static unsigned int tries_left;

/* In the test of shrinking: decides whether a world counts as failed. */
static bool (*pretend_fails)(const struct world *w);

static bool still_fails(struct world *w)
{
	if (!tries_left)
		return false;
	tries_left--;
	if (pretend_fails)
		return pretend_fails(w);
	return run_world(w, false, NULL) != NULL;
}

/*
 * Without its unbinds a list may have no solution any more. If the failure is that a list with a
 * solution is refused, do not shrink it.
 */
static void shrink_ops(struct world *w, struct step *step)
{
	bool must_fit = step->must_fit;

	step->must_fit = false;
	if (must_fit && !still_fails(w)) {
		step->must_fit = true;
		return;
	}
	for (unsigned int chunk = step->nr_ops; chunk; chunk /= 2) {
		for (unsigned int at = 0; at < step->nr_ops; at += chunk) {
			unsigned int end = min(at + chunk, step->nr_ops), changed = 0;
			bool was[MAX_OPS];

			for (unsigned int i = at; i < end; i++) {
				was[i] = step->ops[i].gone;
				changed += !was[i];
				step->ops[i].gone = true;
			}
			if (changed && still_fails(w))
				continue;
			for (unsigned int i = at; i < end; i++)
				step->ops[i].gone = was[i];
		}
	}
}

static void shrink(struct world *w)
{
	tries_left = 400;
	for (unsigned int i = w->nr_steps; i--;) {
		w->steps[i].gone = true;
		if (!still_fails(w))
			w->steps[i].gone = false;
	}
	for (unsigned int i = 0; i < w->nr_steps; i++)
		if (!w->steps[i].gone && w->steps[i].nr_ops)
			shrink_ops(w, &w->steps[i]);
}

static void report(struct world *w, unsigned int index, const char *level)
{
	const char *dir = getenv("VSPLIT_CASES") ?: ".";
	char path[256], first[sizeof(why)], *text;
	size_t size;
	FILE *f;

	snprintf(first, sizeof(first), "%s", why);
	igt_warn("%s, world %u (seed %" PRIu64 "): %s\n", level, index, w->seed, first);
	shrink(w);
	snprintf(path, sizeof(path), "%s/vsplit_property-%" PRIu64 ".vss", dir, w->seed);
	f = open_memstream(&text, &size);
	igt_assert(f);
	run_world(w, false, f);
	igt_assert_eq(fclose(f), 0);
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
		igt_warn("shrunk to %s\n", path);
	}
	fputs(text, stdout);
	fflush(stdout);
	free(text);
}

/* ---- subtests ----------------------------------------------------------- */

static void run_level(const struct level *level)
{
	const char *env = getenv("VSPLIT_SEED"), *only = getenv("VSPLIT_WORLD");
	const char *buffers = getenv("VSPLIT_BUFFERS");
	unsigned int want = buffers ? strtoul(buffers, NULL, 0) : vsplit_rounds(140, 1400);
	uint64_t seed = !env ? 1 : strcmp(env, "random") ? strtoull(env, NULL, 0) :
			(uint64_t)time(NULL);
	static struct world w;

	igt_info("%s: VSPLIT_SEED=%" PRIu64 "\n", level->name, seed);
	total_buffers = 0;
	total_split = 0;
	total_portions = 0;
	total_refused = 0;
	for (unsigned int index = 0; total_buffers < want; index++) {
		const char *ret;

		if (only)
			index = atoi(only);
		make_world(&w, seed * 1000003 + level->percent * 7919 + index, level);
		ret = run_world(&w, true, NULL);
		if (ret)
			report(&w, index, level->name);
		free_world(&w);
		igt_assert_f(!ret, "replay with VSPLIT_SEED=%" PRIu64 " VSPLIT_WORLD=%u\n", seed, index);
		if (only)
			break;
	}
	igt_info("%u buffers, %u of them split, %u portions, %u without a solution\n",
		 total_buffers, total_split, total_portions, total_refused);
	if (!only && level->percent > 150)
		igt_assert_f(total_split * 4 > total_buffers, "too few were split\n");
	if (!only)
		igt_assert_f(total_refused * 3 < total_buffers, "too many have no solution\n");
}

static const struct level levels[] = {
	{ "random-1-1x", .percent = 110 },
	{ "random-2x", .percent = 200 },
	{ "random-4x", .percent = 400 },
	{ "random-8x", .percent = 800 },
	{ "random-16x", .percent = 1600 },
	{ "random-fits", .percent = 95 },
	{ "random-pins-and-others", .percent = 300, .two = true, .pins = true },
	{ "random-segments", .percent = 301, .segments = true },
	{ "random-everything", .percent = 500, .segments = true, .two = true, .pins = true,
	  .engines = true },
};

/**
 * SUBTEST: replays-as-a-scenario
 * Description: A world is written as a scenario and run by vsplit-play, which gets the bytes and
 *   the portions that the reference expects.
 */
static void test_replay(void)
{
	static struct world w;
	char path[] = "/tmp/vsplit-property-XXXXXX", command[sizeof(path) + 40];
	int fd;

	vsplit_not_under("take_split_point,evict_between,random_placement",
			 "the player's adapter has no knobs, and makes other plans");
	igt_require_f(!system("vsplit-play --help >/dev/null 2>&1"), "needs vsplit-play\n");
	fd = mkstemp(path);
	igt_assert(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "vsplit-play %s >/dev/null", path);
	for (unsigned int i = 0; i < ARRAY_SIZE(levels); i++) {
		const char *ret;
		int status;
		FILE *f;

		/*
		 * With several engines, places depend on time, and so does which list is refused.
		 */
		if (levels[i].engines)
			continue;
		f = fopen(path, "w");
		igt_assert(f);
		make_world(&w, 4242 + i, &levels[i]);
		ret = run_world(&w, false, f);
		igt_assert_eq(fclose(f), 0);
		free_world(&w);
		igt_assert_f(!ret, "%s: %s\n", levels[i].name, ret);
		status = system(command);
		igt_assert_f(!status, "%s: vsplit-play ends with %#x\n", levels[i].name, status);
	}
	unlink(path);
}

static unsigned int binds_left(const struct world *w)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->nr_steps; i++) {
		const struct step *step = &w->steps[i];

		for (unsigned int j = 0; !step->gone && j < step->nr_ops; j++)
			n += !step->ops[j].gone && step->ops[j].type == OP_BIND;
	}
	return n;
}

static unsigned int all_binds;

static bool has_all_binds(const struct world *w)
{
	return binds_left(w) == all_binds;
}

/*
 * Shrinks a world with has_all_binds(), and runs it. Returns whether a list is refused that had a
 * solution before.
 */
static bool shrink_and_run(uint64_t seed)
{
	bool had_solution[MAX_STEPS] = {}, found = false;
	static struct world w;
	const char *ret;

	make_world(&w, seed, &levels[2]);
	for (unsigned int i = 0; i < w.nr_steps; i++)
		had_solution[i] = w.steps[i].must_fit;
	all_binds = binds_left(&w);
	pretend_fails = has_all_binds;
	shrink(&w);
	pretend_fails = NULL;

	ret = run_world(&w, false, NULL);
	igt_assert_f(!ret, "seed %" PRIu64 ": %s\n", seed, ret);
	for (unsigned int i = 0; i < w.nr_steps; i++)
		found |= !w.steps[i].gone && w.steps[i].refused && had_solution[i];
	free_world(&w);
	return found;
}

/**
 * SUBTEST: shrinks-to-what-a-right-driver-passes
 * Description: A pretended failure, which lasts as long as all binds are there, is shrunk. Without
 *   the unbinds some lists have no solution any more. This driver has no such failure, so the
 *   shrunk world passes.
 */
static void test_shrink(void)
{
	uint64_t seed = 1;

	while (!shrink_and_run(seed))
		igt_assert_f(++seed < 50, "no list lost its solution\n");
}

/**
 * SUBTEST: random-%s
 * Description: Buffers with a footprint of %arg[1] the memory there is.
 *
 * arg[1]:
 *
 * @1-1x:	1.1 times
 * @2x:		twice
 * @4x:		four times
 * @8x:		eight times
 * @16x:	sixteen times
 * @fits:	less than
 * @pins-and-others:	three times, with pinned allocations and another client,
 * @segments:	three times, in several segments,
 * @everything:	five times, with all of it at random,
 */
int igt_main()
{
	for (unsigned int i = 0; i < ARRAY_SIZE(levels); i++) {
		igt_describe_f("Random buffers with a footprint of %u %% of the memory run as the reference says", levels[i].percent);
		igt_subtest(levels[i].name) {
			vsplit_cleanup();
			run_level(&levels[i]);
			vsplit_cleanup();
		}
	}
	igt_describe("A pretended failure is shrunk to a world that this driver passes");
	igt_subtest("shrinks-to-what-a-right-driver-passes") {
		vsplit_cleanup();
		test_shrink();
		vsplit_cleanup();
	}
	igt_describe("vsplit-play gets the bytes and portions of the world that a scenario was written from");
	igt_subtest("replays-as-a-scenario") {
		vsplit_cleanup();
		test_replay();
	}
	igt_fixture()
		vsplit_cleanup();
}
