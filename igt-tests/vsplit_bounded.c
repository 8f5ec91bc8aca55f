// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit bounded
 * Description: What a client's placements may cost other clients: neither their places, nor their
 *   time, nor a usable part of the memory.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("What a client's placements may cost other clients: neither their places, nor "
		     "their time, nor a usable part of the memory.");

#define U 4096ull
#define NOBODY 65534

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 60000,
	.test = true,
};

static struct vsplit_adapter *ad;
static int fd, other;
static uint32_t ctx, other_ctx;

static void setup_on(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
	other = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	other_ctx = vsplit_ctx(other, 0);
}

static void setup(void)
{
	setup_on(&plain);
}

/* ---- places of others --------------------------------------------------- */

#define OTHERS 8

static struct vsplit_bo *others[OTHERS];

static void fill_by_others(unsigned int pages)
{
	for (unsigned int i = 0; i < OTHERS; i++)
		others[i] = vsplit_bo_in(other, 'a' + i, pages * U, 0, in_first);
	vsplit_cs_run(vsplit_cs_of(other, others, OTHERS, true), other_ctx, 0);
}

static void others_are(struct drm_vsplit_gem_info *places)
{
	for (unsigned int i = 0; i < OTHERS; i++)
		vsplit_info(others[i], &places[i]);
}

static unsigned int others_left(const struct drm_vsplit_gem_info *before)
{
	struct drm_vsplit_gem_info now;
	unsigned int left = 0;

	for (unsigned int i = 0; i < OTHERS; i++) {
		vsplit_info(others[i], &now);
		left += now.segment != before[i].segment || now.offset != before[i].offset;
	}
	return left;
}

/**
 * SUBTEST: refused-costs-no-place
 * Description: A list that does not fit even alone is refused, and no allocation of any client
 *   changes its place. This holds even if the list's first group fits, if it has to be split, or if
 *   pinned allocations are in the way.
 */
static void test_refused(void)
{
	struct drm_vsplit_gem_info before[OTHERS];
	struct vsplit_bo *bos[4];
	struct vsplit_cs *cs;

	setup();
	vsplit_not_under("expect_preparation_failure", "it fails for another reason");
	fill_by_others(7);
	others_are(before);

	/* Two that fit, and two that do not fit together. */
	for (unsigned int i = 0; i < 4; i++)
		bos[i] = vsplit_bo_in(fd, 'A' + i, (i < 2 ? 20 : 40) * U, 0, in_first);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, bos[0]);
	vsplit_cs_add(cs, 0, 0, 1);
	vsplit_cs_bind(cs, 1, bos[1]);
	vsplit_cs_add(cs, 1, 0, 1);
	vsplit_cs_bind(cs, 2, bos[2]);
	vsplit_cs_bind(cs, 3, bos[3]);
	vsplit_cs_add(cs, 2, 0, 1);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(others_left(before), 0);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -ENOSPC);
	igt_assert_eq(others_left(before), 0);
	for (unsigned int i = 0; i < 4; i++)
		igt_assert(!vsplit_bo_resident(bos[i]));

	/* Too large together with the pinned allocation. */
	vsplit_bo_in(fd, 'P', 4 * U, VSPLIT_GEM_PINNED, in_first);
	others_are(before);
	cs = vsplit_cs_of(fd,
			  (struct vsplit_bo *[]) { vsplit_bo_in(fd, 'E', 62 * U, 0, in_first) },
			  1, true);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(others_left(before), 0);
}

/**
 * SUBTEST: few-jobs-are-told
 * Description: A client has 300 unfinished submissions. The queues file in debugfs lists 256 of
 *   them, and says that there are more, because reading it holds a lock that all submissions need.
 */
static void test_few_jobs(void)
{
	char path[64], text[1 << 16], *at;
	struct vsplit_cs *cs;
	unsigned int told = 0;

	setup();
	cs = vsplit_cs_of(other,
			  (struct vsplit_bo *[]) { vsplit_bo_in(other, 'A', U, 0, in_first) },
			  1, true);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < 300; i++)
		vsplit_cs_submit(cs, other_ctx, 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/queues", ad->primary);
	igt_require(!__vsplit_read_file(path, text, sizeof(text)));
	for (at = text; (at = strstr(at, "\njob: ")); at++)
		told++;
	igt_assert_eq(told, 256);
	at = strstr(text, "\nmore: of ");
	igt_assert_f(at && atoi(at + strlen("\nmore: of ")) >= 300, "%s\n", at ?: "no more");
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	for (unsigned int i = 0; i < 300; i++)
		vsplit_cs_reference(cs, 0);
	vsplit_cs_check(cs);
}

/* Pins one page in the middle of memory, and all before it. Returns the latter. */
static struct vsplit_bo *pin_the_middle(void)
{
	struct vsplit_bo *first = vsplit_bo_in(fd, 'A', 32 * U, VSPLIT_GEM_PINNED, in_first);

	vsplit_bo_in(fd, 'P', U, VSPLIT_GEM_PINNED, in_first);
	return first;
}

/**
 * SUBTEST: refused-between-pins
 * Description: The free memory beside pinned allocations is large enough for an allocation, but not
 *   in one piece. The allocation is refused, and no other has left.
 */
static void test_between(void)
{
	struct drm_vsplit_gem_info before[OTHERS];
	struct vsplit_cs *cs;

	setup();
	vsplit_not_under("expect_preparation_failure", "it fails for another reason");
	vsplit_bo_free(pin_the_middle());
	fill_by_others(7);
	others_are(before);
	cs = vsplit_cs_of(fd,
			  (struct vsplit_bo *[]) { vsplit_bo_in(fd, 'E', 40 * U, 0, in_first) },
			  1, true);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(others_left(before), 0);
}

static void not_where_all_is_planned(void)
{
	vsplit_not_under("take_split_point", "all is planned");
	vsplit_not_under("evict_between", "all is planned");
	vsplit_not_under("random_placement", "all is planned");
}

/**
 * SUBTEST: what-fits-is-not-planned
 * Description: Nothing is pinned, so a list that fits by size alone needs no plan, even if other
 *   allocations have to leave: its cost does not grow with the number of allocations in memory. A
 *   list that does not fit as a whole gets a plan.
 */
static void test_unplanned(void)
{
	struct drm_vsplit_gem_info before[OTHERS];
	struct vsplit_bo *bos[2];
	struct vsplit_cs *cs;
	uint64_t steps;

	setup();
	not_where_all_is_planned();
	fill_by_others(7);
	others_are(before);
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
	steps = vsplit_adapter_stat(ad, "plan_steps");
	for (unsigned int i = 0; i < 2; i++) {
		cs = vsplit_cs_of(fd, &bos[i], 1, true);
		igt_assert_eq(vsplit_cs_run(cs, ctx, 0)->info.num_portions, 1);
	}
	igt_assert_lt(0, others_left(before));
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "plan_steps"), steps);
	cs = vsplit_cs_of(fd, bos, 2, false);
	igt_assert_eq(vsplit_cs_run(cs, ctx, 0)->info.num_portions, 2);
	igt_assert(vsplit_adapter_stat(ad, "plan_steps") > steps);
}

/**
 * SUBTEST: closed-offers-are-no-offers
 * Description: An allocation is offered and closed while work uses it. From then on it is no offer,
 *   for which other clients' submissions would be planned.
 */
static void test_closed_offers(void)
{
	struct vsplit_bo *offered, *bo;
	struct vsplit_cs *cs;
	uint64_t steps;

	setup();
	not_where_all_is_planned();
	fill_by_others(7);
	offered = vsplit_bo_in(other, 'O', 4 * U, 0, in_first);
	bo = vsplit_bo_in(fd, 'A', 40 * U, 0, in_first);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(vsplit_cs_of(other, &offered, 1, true), other_ctx, 0);
	igt_assert_eq(__vsplit_offer(other, &offered->handle, 1, VSPLIT_OFFER_LOW), 0);
	vsplit_bo_free(offered);
	steps = vsplit_adapter_stat(ad, "plan_steps");
	cs = vsplit_cs_of(fd, &bo, 1, true);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "plan_steps"), steps);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_ends_well(cs);
}

/**
 * SUBTEST: what-fits-beside-pins-is-not-planned
 * Description: A list that fits between two pinned allocations, wherever all others are, needs no
 *   plan. A list that needs more than one such gap gets a plan, and is not split. After one more
 *   allocation is pinned, a list that would have fitted is refused, and no allocation has left.
 */
static void test_beside_pins(void)
{
	struct drm_vsplit_gem_info before[OTHERS];
	struct vsplit_bo *bos[2], *first;
	struct vsplit_cs *cs;
	uint64_t steps;

	setup();
	not_where_all_is_planned();
	vsplit_not_under("expect_preparation_failure", "it fails for another reason");
	vsplit_bo_free(pin_the_middle());
	fill_by_others(7);
	others_are(before);
	bos[0] = vsplit_bo_in(fd, 'A', 20 * U, 0, in_first);
	bos[1] = vsplit_bo_in(fd, 'B', 12 * U, 0, in_first);
	steps = vsplit_adapter_stat(ad, "plan_steps");
	cs = vsplit_cs_of(fd, bos, 2, true);
	igt_assert_eq(vsplit_cs_run(cs, ctx, 0)->info.num_portions, 1);
	igt_assert_lt(0, others_left(before));
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "plan_steps"), steps);

	/* 20 units in one gap, 21 in the other. */
	bos[1] = vsplit_bo_in(fd, 'C', 21 * U, 0, in_first);
	cs = vsplit_cs_of(fd, bos, 2, true);
	igt_assert_eq(vsplit_cs_run(cs, ctx, 0)->info.num_portions, 1);
	igt_assert(vsplit_adapter_stat(ad, "plan_steps") > steps);

	/* This makes two gaps of 15 and 16 units below the middle. */
	first = vsplit_bo_in(fd, 'D', 15 * U, VSPLIT_GEM_PINNED, in_first);
	vsplit_bo_in(fd, 'E', U, VSPLIT_GEM_PINNED, in_first);
	vsplit_bo_free(first);
	others_are(before);
	cs = vsplit_cs_of(fd,
			  (struct vsplit_bo *[]) { vsplit_bo_in(fd, 'F', 32 * U, 0, in_first) },
			  1, true);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(others_left(before), 0);
}

/**
 * SUBTEST: refused-pin-costs-no-place
 * Description: An allocation that is to be pinned is refused if pinned allocations leave no place
 *   for it, and no other allocation has left. If there is a place, it gets the place, and only the
 *   allocations that were there have left.
 */
static void test_refused_pin(void)
{
	struct drm_vsplit_gem_create args = {
		.size = 40 * U, .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 },
	};
	struct drm_vsplit_gem_info before[OTHERS];

	setup();
	pin_the_middle();
	fill_by_others(3);
	others_are(before);
	igt_assert_eq(__vsplit_create(fd, &args), -ENOSPC);
	igt_assert_eq(others_left(before), 0);
	args.size = 10 * U;
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	igt_assert_lt(others_left(before), 5);
}

/**
 * SUBTEST: needed-victims-leave
 * Description: Video memory is full of other clients' allocations when a buffer is split, because it
 *   is too large or because the client asks for it. Only those allocations leave whose places the
 *   buffer needs.
 */
static void test_needed(void)
{
	for (unsigned int round = 0; round < 2; round++) {
		struct drm_vsplit_gem_info before[OTHERS];
		struct vsplit_bo *pinned, *bos[2];
		struct vsplit_record *rec;
		struct vsplit_cs *cs;

		setup();
		/* All but 28 pages of 64. */
		pinned = vsplit_bo_in(fd, 'P', 20 * U, VSPLIT_GEM_PINNED, in_first);
		fill_by_others(5);
		others_are(before);
		/* At most 24 are needed at once. */
		for (unsigned int i = 0; i < 2; i++)
			bos[i] = vsplit_bo_in(fd, 'A' + i, 24 * U, 0, in_first);
		cs = vsplit_cs_of(fd, bos, 2, false);
		rec = vsplit_cs_run(cs, ctx, round ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		igt_assert_eq(rec->info.num_portions, 2);
		igt_assert(vsplit_bo_resident(pinned));
		if (vsplit_exact())
			igt_assert_f(others_left(before) && others_left(before) < OTHERS,
				     "%u of %u have left\n", others_left(before), OTHERS);
		vsplit_cleanup();
	}
}

/* ---- time of others ----------------------------------------------------- */

struct runner {
	pthread_t thread;
	struct vsplit_cs *cs;
	uint32_t ctx, flags;
	/* 0: nothing is made to fail; @failed: it did fail. */
	unsigned int fails_at;
	int ret;
	bool failed, done;
};

/* Runs in a thread: it must not assert or allocate. */
static void *run(void *arg)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	struct runner *r = arg;

	vsplit_cs_args(r->cs, r->ctx, r->flags, &args, syncs);
	if (r->fails_at)
		vsplit_inject_arm(VSPLIT_INJECT_SITE, r->fails_at);
	r->ret = __vsplit_ioctl(r->cs->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args);
	if (r->fails_at)
		r->failed = vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL);
	if (!r->ret) {
		r->cs->ctx = r->ctx;
		r->cs->submission = args.submission;
		r->cs->portions = args.num_portions;
	}
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start(struct runner *r)
{
	igt_assert_eq(pthread_create(&r->thread, NULL, run, r), 0);
}

static bool is_done(struct runner *r)
{
	return __atomic_load_n(&r->done, __ATOMIC_ACQUIRE);
}

/**
 * SUBTEST: planning-holds-nothing-up
 * Description: While one client's submission is being planned, other clients submit, with and
 *   without page-ins and splits, and create, pin, lock and close allocations. All these calls are
 *   done before the plan is. The plan is still carried out.
 */
static void test_planning(void)
{
	struct vsplit_bo *bos[2], *small, *more[2];
	struct vsplit_cs *resident, *fresh, *split;
	struct runner planner = {};

	vsplit_require_sync_points();
	setup();
	small = vsplit_bo_in(other, 's', U, 0, in_first);
	resident = vsplit_cs_of(other, &small, 1, true);
	vsplit_cs_run(resident, other_ctx, 0);
	for (unsigned int i = 0; i < 2; i++) {
		bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
		more[i] = vsplit_bo_in(other, 'a' + i, 40 * U, 0, in_first);
	}
	planner.cs = vsplit_cs_of(fd, bos, 2, false);
	planner.ctx = ctx;
	split = vsplit_cs_of(other, more, 2, false);
	fresh = vsplit_cs_of(other,
			     (struct vsplit_bo *[]) { vsplit_bo_in(other, 'f', U, 0, in_first) },
			     1, true);

	vsplit_catch("place.solve");
	start(&planner);
	igt_assert(vsplit_wait_held("place.solve"));
	vsplit_cs_run(resident, other_ctx, 0);
	vsplit_cs_run(fresh, other_ctx, 0);
	vsplit_cs_run(split, other_ctx, 0);
	vsplit_lock(small, 0);
	vsplit_unlock(small);
	vsplit_bo_free(vsplit_bo_in(other, 'p', U, VSPLIT_GEM_PINNED, in_first));
	igt_assert(!is_done(&planner));
	vsplit_release("place.solve");
	pthread_join(planner.thread, NULL);
	igt_assert_eq(planner.ret, 0);
	vsplit_cs_ends_well(planner.cs);
	igt_assert_eq(planner.cs->portions, 2);
}

/**
 * SUBTEST: overtaken-plan
 * Description: While a submission is being planned, its allocations and the memory change again and
 *   again. In the end it is carried out with the state of that time.
 */
static void test_overtaken(void)
{
	struct vsplit_bo *bos[2], *rival;
	struct runner planner = {};
	struct vsplit_cs *cs;

	vsplit_require_sync_points();
	setup();
	rival = vsplit_bo_in(other, 'r', 50 * U, 0, in_first);
	cs = vsplit_cs_of(other, &rival, 1, true);
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, bos[0]->handle, 1);
	planner.cs = vsplit_cs_of(fd, bos, 2, false);
	planner.ctx = ctx;

	vsplit_catch("place.solve");
	start(&planner);
	igt_assert(vsplit_wait_held("place.solve"));
	/* This evicts the first of the two allocations, and then is in the way. */
	vsplit_cs_run(cs, other_ctx, 0);
	igt_assert(!vsplit_bo_resident(bos[0]));
	vsplit_bo_in(other, 'p', U, VSPLIT_GEM_PINNED, in_first);
	igt_assert(!is_done(&planner));
	vsplit_release("place.solve");
	pthread_join(planner.thread, NULL);
	igt_assert_eq(planner.ret, 0);
	vsplit_cs_ends_well(planner.cs);
	vsplit_bo_check(rival);
}

/**
 * SUBTEST: offers-without-end
 * Description: Each time that a submission has taken the places of offered allocations, another
 *   client is faster, fills the room again, and offers it again. After some time it has to wait for
 *   the submission.
 */
static void test_offers(void)
{
	uint32_t handles[OTHERS];
	struct runner planner = {};
	bool held_off = false;
	struct vsplit_cs *cs;
	struct vsplit_bo *bo;

	vsplit_require_sync_points();
	setup();
	fill_by_others(6);
	cs = vsplit_cs_of(other, others, OTHERS, true);
	for (unsigned int i = 0; i < OTHERS; i++)
		handles[i] = others[i]->handle;
	igt_assert_eq(__vsplit_offer(other, handles, OTHERS, VSPLIT_OFFER_NORMAL), 0);
	bo = vsplit_bo_in(fd, 'A', 60 * U, 0, in_first);
	planner.cs = vsplit_cs_of(fd, &bo, 1, true);
	planner.ctx = ctx;
	vsplit_hold("mm.offer");
	start(&planner);
	for (unsigned int i = 0; !held_off && i < 400; i++) {
		struct runner rival = { .cs = cs, .ctx = other_ctx };

		igt_assert(vsplit_wait_held("mm.offer"));
		vsplit_hold("place.offers");
		vsplit_release("mm.offer");
		igt_assert(vsplit_wait_held("place.offers"));
		for (unsigned int k = 0; k < OTHERS; k++)
			vsplit_reclaim(other, others[k]);
		start(&rival);
		for (unsigned int k = 0; k < 200 && !is_done(&rival); k++)
			usleep(10000);
		held_off = !is_done(&rival);
		if (held_off) {
			vsplit_release("place.offers");
			pthread_join(planner.thread, NULL);
		}
		pthread_join(rival.thread, NULL);
		igt_assert_eq(rival.ret, 0);
		vsplit_cs_wait(cs);
		if (held_off)
			break;
		igt_assert_eq(__vsplit_offer(other, handles, OTHERS, VSPLIT_OFFER_NORMAL), 0);
		vsplit_hold("mm.offer");
		vsplit_release("place.offers");
	}
	vsplit_release("mm.offer");
	if (!held_off)
		pthread_join(planner.thread, NULL);
	igt_assert_f(held_off, "a client overtakes another for as long as it likes\n");
	igt_assert_eq(planner.ret, 0);
	vsplit_cs_ends_well(planner.cs);
}

/**
 * SUBTEST: offers-and-a-killed-task
 * Description: A task of a WDDM 2 device is killed while it makes room from offered allocations. It
 *   ends without taking more of them, even if others have taken the room, and offered it again.
 */
static void test_offers_killed(void)
{
	struct vsplit_adapter_opts opts = plain;
	uint32_t handles[OTHERS];
	struct vsplit_cs *cs;
	int status;
	pid_t pid;

	vsplit_require_sync_points();
	opts.contexts = "patch,explicit";
	setup_on(&opts);
	fill_by_others(6);
	cs = vsplit_cs_of(other, others, OTHERS, true);
	for (unsigned int i = 0; i < OTHERS; i++)
		handles[i] = others[i]->handle;
	igt_assert_eq(__vsplit_offer(other, handles, OTHERS, VSPLIT_OFFER_NORMAL), 0);
	vsplit_hold("place.offers");
	pid = vsplit_fork();
	if (!pid) {
		struct vsplit_bo *bo;

		fd = vsplit_adapter_open(ad);
		bo = vsplit_bo_in(fd, 'A', 60 * U, 0, in_first);
		__vsplit_make_resident(fd, &bo->handle, 1, 0, NULL);
		_exit(IGT_EXIT_SUCCESS);
	}
	igt_assert(vsplit_wait_held("place.offers"));
	for (unsigned int i = 0; i < OTHERS; i++)
		vsplit_reclaim(other, others[i]);
	vsplit_cs_submit_and_wait(cs, other_ctx, 0);
	igt_assert_eq(__vsplit_offer(other, handles, OTHERS, VSPLIT_OFFER_NORMAL), 0);
	igt_assert_eq(kill(pid, SIGKILL), 0);
	vsplit_release("place.offers");
	status = vsplit_reap(pid);
	igt_assert(WIFSIGNALED(status));
	for (unsigned int i = 0; i < OTHERS; i++)
		igt_assert(vsplit_bo_resident(others[i]));
}

/**
 * SUBTEST: closed-busy-allocation
 * Description: The GPU is stopped with work on an allocation that its client closes. A buffer that
 *   has to be split because of that allocation is accepted all the same, and so is one that finds
 *   no room beside it. It runs when the GPU goes on.
 */
static void test_closed(void)
{
	struct vsplit_bo *busy, *bos[2];
	struct vsplit_cs *first, *split;
	struct runner planner = {};
	bool accepted;

	setup();
	busy = vsplit_bo_in(other, 'b', 48 * U, 0, in_first);
	first = vsplit_cs_of(other, &busy, 1, true);
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
	split = vsplit_cs_of(fd, bos, 2, false);

	vsplit_cs_run(first, other_ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, other_ctx, 0);
	vsplit_bo_free(busy);
	planner.cs = split;
	planner.ctx = ctx;
	start(&planner);
	accepted = vsplit_soon(is_done(&planner));
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	pthread_join(planner.thread, NULL);
	igt_assert(accepted);
	igt_assert_eq(planner.ret, 0);
	vsplit_cs_ends_well(split);
	igt_assert_eq(split->portions, 2);
}

/**
 * SUBTEST: leaves-at-the-commit
 * Description: A submission for which one of its own allocations will leave is about to be
 *   committed. Another client gets the room only after the commit, so that the commit limit is
 *   never exceeded.
 */
static void test_leaves(void)
{
	static const struct vsplit_adapter_opts limited = {
		.slots = 16, .test = true,
		.segs = { { "vram", .size = 64 * U, .commit = 24 * U } },
	};
	struct runner first = {}, second = {};
	struct vsplit_bo *leaves, *comes, *theirs;
	bool early;

	vsplit_require_sync_points();
	ad = vsplit_adapter_create(&limited);
	fd = vsplit_adapter_open(ad);
	other = vsplit_adapter_open(ad);
	leaves = vsplit_bo_in(fd, 'A', 24 * U, 0, in_first);
	comes = vsplit_bo_in(fd, 'B', 20 * U, 0, in_first);
	theirs = vsplit_bo_in(other, 't', 4 * U, 0, in_first);
	first.ctx = vsplit_ctx(fd, 0);
	second.ctx = vsplit_ctx(other, 0);
	vsplit_cs_run(vsplit_cs_of(fd, &leaves, 1, false), first.ctx, 0);
	first.cs = vsplit_cs_of(fd, &comes, 1, false);
	vsplit_cs_alloc(first.cs, leaves, 0);
	second.cs = vsplit_cs_of(other, &theirs, 1, false);

	vsplit_catch("submit.placed");
	start(&first);
	igt_assert(vsplit_wait_held("submit.placed"));
	start(&second);
	usleep(500000);
	early = is_done(&second);
	vsplit_release("submit.placed");
	pthread_join(first.thread, NULL);
	pthread_join(second.thread, NULL);
	igt_assert_eq(first.ret, 0);
	igt_assert_eq(second.ret, 0);
	vsplit_cs_ends_well(first.cs);
	vsplit_cs_ends_well(second.cs);
	igt_assert(!vsplit_bo_resident(leaves));
	igt_assert(vsplit_bo_resident(theirs));
	igt_assert_f(!early, "more than the commit limit is there\n");
}

/**
 * SUBTEST: limit-beside-what-was-evicted
 * Description: A plan is about to let an allocation leave because of the commit limit. The
 *   allocation leaves before, and another one takes its bytes. Then that one leaves, too: the
 *   commit limit is never exceeded.
 */
static void test_was_evicted(void)
{
	static const struct vsplit_adapter_opts limited = {
		.slots = 16, .test = true,
		.segs = { { "vram", .size = 64 * U, .commit = 24 * U } },
	};
	/* They lie where no plan needs their places, but only their bytes. */
	static const uint8_t top[] = { 1 | VSPLIT_GEM_SEGMENT_TOPDOWN, 0 };
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *theirs[2], *bos[2];
	struct runner planner = {};

	vsplit_require_sync_points();
	ad = vsplit_adapter_create(&limited);
	fd = vsplit_adapter_open(ad);
	other = vsplit_adapter_open(ad);
	other_ctx = vsplit_ctx(other, 0);
	for (unsigned int i = 0; i < 2; i++) {
		theirs[i] = vsplit_bo_in(other, 'a' + i, 12 * U, 0, top);
		bos[i] = vsplit_bo_in(fd, 'A' + i, 20 * U, 0, in_first);
	}
	vsplit_cs_run(vsplit_cs_of(other, &theirs[0], 1, false), other_ctx, 0);
	/* Both are more than the limit, so this is planned, and split. */
	planner.cs = vsplit_cs_of(fd, bos, 2, false);
	planner.ctx = vsplit_ctx(fd, 0);
	vsplit_catch("mm.victims");
	start(&planner);
	igt_assert(vsplit_wait_held("mm.victims"));
	vsplit_escape(other, VSPLIT_ESCAPE_EVICT, theirs[0]->handle, 0);
	vsplit_cs_run(vsplit_cs_of(other, &theirs[1], 1, false), other_ctx, 0);
	vsplit_release("mm.victims");
	pthread_join(planner.thread, NULL);
	igt_assert_eq(planner.ret, 0);
	vsplit_query_segments(fd, segs);
	igt_assert_lte(segs[0].resident, 24 * U);
	igt_assert(!vsplit_bo_resident(theirs[1]));
	vsplit_cs_ends_well(planner.cs);
	igt_assert_eq(planner.cs->portions, 2);
}

/* ---- bytes that are under way -------------------------------------------- */

/**
 * SUBTEST: reader-of-what-arrives
 * Description: A client waits to read an allocation whose bytes arrive only when stopped work goes
 *   on. Another client's submission that needs the room is accepted all the same, whole or split.
 */
static void test_reader(void)
{
	for (unsigned int split = 0; split < 2; split++) {
		struct vsplit_bo *theirs, *bos[2];
		struct vsplit_cs *first, *mine;
		struct runner planner = {};
		bool accepted;
		pid_t reader;

		setup();
		theirs = vsplit_bo_in(other, 't', 48 * U, 0, in_first);
		first = vsplit_cs_of(other, &theirs, 1, true);
		vsplit_cs_run(first, other_ctx, 0);
		vsplit_escape(other, VSPLIT_ESCAPE_EVICT, theirs->handle, 0);
		for (unsigned int i = 0; i < 2; i++)
			bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
		mine = vsplit_cs_of(fd, bos, 1 + split, false);

		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		vsplit_cs_submit(first, other_ctx, 0);
		reader = vsplit_read_as_debugger(theirs);
		for (unsigned int i = 0; i < 20; i++) {
			igt_assert(vsplit_soon(vsplit_task_state(reader) == 'S'));
			usleep(1000);
		}
		planner.cs = mine;
		planner.ctx = ctx;
		start(&planner);
		accepted = vsplit_soon(is_done(&planner));
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		pthread_join(planner.thread, NULL);
		igt_assert_f(accepted, "a submission waits for what another client reads\n");
		igt_assert_eq(planner.ret, 0);
		igt_assert_eq(vsplit_reap(reader), 0);
		vsplit_cs_ends_well(mine);
		igt_assert_eq(mine->portions, 1 + split);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: failed-eviction-waits-for-nothing
 * Description: Host memory runs short, at each possible site, when a submission evicts another
 *   client's allocation that stopped work uses. The submission is refused at once. The allocation
 *   stays where it was, and keeps the pages that it will need to leave.
 */
static void test_failed_eviction(void)
{
	struct vsplit_bo *busy, *bo;
	struct vsplit_cs *first, *mine;
	struct runner planner = {};
	unsigned int n = 0;
	bool accepted;

	vsplit_inject_require(VSPLIT_INJECT_SITE);
	setup();
	busy = vsplit_bo_in(other, 'b', 48 * U, 0, in_first);
	bo = vsplit_bo_in(fd, 'A', 40 * U, 0, in_first);
	first = vsplit_cs_of(other, &busy, 1, true);
	mine = vsplit_cs_of(fd, &bo, 1, true);
	vsplit_cs_run(first, other_ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, other_ctx, 0);
	do {
		planner = (struct runner) { .cs = mine, .ctx = ctx, .fails_at = ++n };
		start(&planner);
		accepted = vsplit_soon(is_done(&planner));
		if (!accepted)
			vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		pthread_join(planner.thread, NULL);
		igt_assert_f(accepted, "a submission that fails waits for another client's work\n");
		igt_assert(planner.failed || !planner.ret);
	} while (planner.failed);
	igt_assert_lt(10, n);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_ends_well(first);
	vsplit_cs_ends_well(mine);
}

/**
 * SUBTEST: return-that-cannot-be-had
 * Description: An allocation went to a less preferred segment, and could now return to the
 *   preferred one, through system memory or directly. Host memory runs short at that moment: the
 *   submission goes on without the return.
 */
static void test_no_return(void)
{
	static const uint8_t both[] = { 1, 2, 0 };
	unsigned int found[2] = {}, n;
	bool failed;

	vsplit_inject_require(VSPLIT_INJECT_SITE);
	for (unsigned int aperture = 0; aperture < 2; aperture++) {
		const struct vsplit_adapter_opts opts = {
			.segs = { { "vram", .size = 64 * U },
				  { "second", aperture, .size = 64 * U } },
			.slots = 16, .test = true,
		};

		for (n = 1, failed = true; failed; n++) {
			struct vsplit_bo *full, *bo;
			struct vsplit_cs *mine;
			char site[64];
			int ret;

			ad = vsplit_adapter_create(&opts);
			fd = vsplit_adapter_open(ad);
			ctx = vsplit_ctx(fd, 0);
			full = vsplit_bo_in(fd, 'F', 64 * U, 0, in_first);
			bo = vsplit_bo_in(fd, 'B', 8 * U, 0, both);
			vsplit_cs_run(vsplit_cs_of(fd, &full, 1, true), ctx, 0);
			mine = vsplit_cs_of(fd, &bo, 1, true);
			vsplit_cs_run(mine, ctx, 0);
			vsplit_bo_free(full);
			vsplit_inject_arm(VSPLIT_INJECT_SITE, n);
			ret = __vsplit_cs_submit(mine, ctx, 0);
			failed = vsplit_inject_disarm(VSPLIT_INJECT_SITE, site);
			if (failed && !strcmp(site, "mm.page")) {
				found[aperture]++;
				igt_assert_eq(ret, 0);
			}
			if (ret)
				vsplit_cs_submit(mine, ctx, 0);
			vsplit_cs_ends_well(mine);
			vsplit_cleanup();
		}
	}
	igt_assert_eq(found[0], 1);
	/* Once in each half of the way. */
	igt_assert_eq(found[1], 2);
}

/* ---- what does not depend on time --------------------------------------- */

#define STEPS 12

/* Runs buffers of one client one after the other; returns their records as text. */
static char *play(const char *delay, bool wait)
{
	static const unsigned int sizes[] = { 9, 17, 24, 30, 12, 5, 21, 33 };
	struct vsplit_bo *bos[ARRAY_SIZE(sizes)];
	struct vsplit_cs *css[STEPS];
	size_t length = 0;
	char *text = NULL;

	setup();
	if (delay)
		vsplit_adapter_knob(ad, "delay_paging", delay);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		bos[i] = vsplit_bo_in(fd, 'A' + i, sizes[i] * U, 0, in_first);
	for (unsigned int n = 0; n < STEPS; n++) {
		struct vsplit_bo *some[3];

		for (unsigned int i = 0; i < 3; i++)
			some[i] = bos[(n * 3 + i * 2 + n / 4) % ARRAY_SIZE(sizes)];
		css[n] = vsplit_cs_of(fd, some, 3, false);
		/* The engines lag behind: nothing that was evicted or closed is idle. */
		vsplit_cs_submit(css[n], ctx, n % 3 == 2 ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		if (wait)
			vsplit_cs_wait(css[n]);
	}
	for (unsigned int n = 0; n < STEPS; n++) {
		struct vsplit_record *rec;
		const char *line;
		char *longer;

		vsplit_cs_wait(css[n]);
		vsplit_cs_reference(css[n], 0);
		rec = vsplit_record(fd, ctx, css[n]->submission);
		line = vsplit_record_text(rec, css[n], U);
		longer = realloc(text, length + strlen(line) + 2);
		igt_assert(longer);
		text = longer;
		length += sprintf(text + length, "%s\n", line);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		vsplit_bo_check(bos[i]);
	vsplit_cleanup();
	return text;
}

/**
 * SUBTEST: delays-change-no-place
 * Description: The same buffers of one client run with slower and slower paging, submitted at once
 *   or each after the one before. Portions and addresses are the same each time.
 */
static void test_delays(void)
{
	static const char *const delays[] = { "0", "50", "700", "3000" };
	char *first = play(NULL, true), *again;

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(delays); i++) {
		again = play(delays[i / 2], i % 2);
		igt_assert_f(!strcmp(first, again), "delayed by %s us, %s:\n%s\nbefore:\n%s\n",
			     delays[i / 2], i % 2 ? "waiting" : "at once", again, first);
		free(again);
	}
	free(first);
}

/* ---- what is left for others -------------------------------------------- */

static const struct vsplit_adapter_opts shared = {
	.segs = { { "vram", .size = 64 * U }, { "gart", true, .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 60000,
	.test = true,
};

/* Pins as much as possible, in all sizes and kinds; returns bytes in both segments. */
static uint64_t pin_all(int file)
{
	uint64_t bytes = 0;

	for (unsigned int seg = 1; seg <= 2; seg++) {
		for (uint64_t size = 64; size; size /= 2) {
			struct drm_vsplit_gem_create args = {
				.size = size * U, .flags = VSPLIT_GEM_PINNED |
					(size & 10 ? VSPLIT_GEM_TOPDOWN : 0),
				.num_segments = 1, .segments = { seg },
			};
			int ret;

			while (!(ret = __vsplit_create(file, &args)))
				bytes += args.size;
			igt_assert_f(ret == -EDQUOT || ret == -ENOSPC, "%s\n", strerror(-ret));
		}
	}
	return bytes;
}

/**
 * SUBTEST: pinned-leaves-room
 * Description: A client without privilege pins all that it can, in every segment. Half of each
 *   segment remains in one piece for other clients, which submit as before. What the client has
 *   closed may be pinned again. Root has no such limit.
 */
static void test_pinned(void)
{
	struct vsplit_bo *half[2];
	uint8_t segs[2] = { 0, 0 };
	char path[32];
	int go[2], status;
	char byte;
	pid_t pid;

	ad = vsplit_adapter_create(&shared);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
	igt_assert_eq(chmod(path, 0666), 0);
	igt_assert_eq(pipe(go), 0);
	pid = vsplit_fork();
	if (!pid) {
		igt_assert_eq(setuid(NOBODY), 0);
		igt_assert_eq_u64(pin_all(vsplit_adapter_open(ad)), 64 * U);
		igt_assert_eq(write(go[1], "x", 1), 1);
		pause();
	}
	close(go[1]);
	igt_assert_eq(read(go[0], &byte, 1), 1);
	for (unsigned int i = 0; i < 2; i++) {
		segs[0] = i + 1;
		half[i] = vsplit_bo_in(fd, 'A' + i, 32 * U, 0, segs);
	}
	vsplit_cs_run(vsplit_cs_of(fd, half, 2, true), ctx, 0);
	igt_assert_eq(kill(pid, SIGKILL), 0);
	status = vsplit_reap(pid);
	igt_assert(WIFSIGNALED(status));

	pid = vsplit_fork();
	if (!pid) {
		igt_assert_eq(setuid(NOBODY), 0);
		igt_assert(vsplit_soon(pin_all(vsplit_adapter_open(ad)) > 0));
		_exit(IGT_EXIT_SUCCESS);
	}
	status = vsplit_reap(pid);
	igt_assert_f(WIFEXITED(status) && !WEXITSTATUS(status), "status %#x\n", status);
	/* As root. */
	segs[0] = 1;
	vsplit_bo_in(fd, 'R', 60 * U, VSPLIT_GEM_PINNED, segs);
	close(go[0]);
}

/* A client without privilege pins allocations of so many units, one after the other. */
static pid_t pin_as_nobody(uint8_t segment, const unsigned int *units, int last)
{
	pid_t pid = vsplit_fork();

	if (pid)
		return pid;
	igt_assert_eq(setuid(NOBODY), 0);
	fd = vsplit_adapter_open(ad);
	for (; *units; units++) {
		struct drm_vsplit_gem_create args = {
			.size = *units * U, .flags = VSPLIT_GEM_PINNED,
			.num_segments = 1, .segments = { segment },
		};

		igt_assert_eq(__vsplit_create(fd, &args), units[1] ? 0 : last);
	}
	_exit(IGT_EXIT_SUCCESS);
}

/**
 * SUBTEST: refused-pin-beside-others
 * Description: While a client is refused a pin that would exceed the share of all aperture segments
 *   together, another client pins what still fits there.
 */
static void test_refused_beside(void)
{
	static const unsigned int much[] = { 12, 12, 0 }, little[] = { 4, 0 };
	const struct vsplit_adapter_opts apertures = {
		.segs = {
			{ "vram", .size = 64 * U },
			{ "gart", true, .size = 64 * U }, { "more", true, .size = 64 * U },
		},
		.aperture_limit = 40 * U,
		.slots = 16,
	};
	char path[32];
	pid_t refused;

	vsplit_require_sync_points();
	ad = vsplit_adapter_create(&apertures);
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
	igt_assert_eq(chmod(path, 0666), 0);
	vsplit_catch("mm.above_limit");
	refused = pin_as_nobody(2, much, -EDQUOT);
	igt_assert(vsplit_wait_held("mm.above_limit"));
	igt_assert_eq(vsplit_reap(pin_as_nobody(3, little, 0)), 0);
	vsplit_release("mm.above_limit");
	igt_assert_eq(vsplit_reap(refused), 0);
}

static const struct vsplit_subtest subtests[] = {
	{ "refused-costs-no-place", test_refused,
	  "A list that does not fit even alone is refused, and no allocation of any client changes "
	  "its place" },
	{ "refused-between-pins", test_between,
	  "The free memory beside pinned allocations is large enough for an allocation, but not in "
	  "one piece. The allocation is refused, and no other has left." },
	{ "what-fits-is-not-planned", test_unplanned,
	  "Nothing is pinned, so a list that fits by size alone needs no plan, even if other "
	  "allocations have to leave: its cost does not grow with the number of allocations in "
	  "memory" },
	{ "closed-offers-are-no-offers", test_closed_offers,
	  "An allocation is offered and closed while work uses it. From then on it is no offer, for "
	  "which other clients' submissions would be planned." },
	{ "what-fits-beside-pins-is-not-planned", test_beside_pins,
	  "A list that fits between two pinned allocations, wherever all others are, needs no "
	  "plan" },
	{ "refused-pin-costs-no-place", test_refused_pin,
	  "An allocation that is to be pinned is refused if pinned allocations leave no place for "
	  "it, and no other allocation has left" },
	{ "needed-victims-leave", test_needed,
	  "Video memory is full of other clients' allocations when a buffer is split. Only those "
	  "allocations leave whose places the buffer needs." },
	{ "planning-holds-nothing-up", test_planning,
	  "While one client's submission is being planned, other clients submit, with and without "
	  "page-ins and splits, and create, pin, lock and close allocations" },
	{ "offers-and-a-killed-task", test_offers_killed,
	  "A task of a WDDM 2 device is killed while it makes room from offered allocations. It ends "
	  "without taking more of them, even if others have taken the room, and offered it again." },
	{ "offers-without-end", test_offers,
	  "Each time that a submission has taken the places of offered allocations, another "
	  "client is faster, fills the room again, and offers it again. After some time it has "
	  "to wait for the submission." },
	{ "overtaken-plan", test_overtaken,
	  "While a submission is being planned, its allocations and the memory change again and "
	  "again. In the end it is carried out with the state of that time." },
	{ "closed-busy-allocation", test_closed,
	  "A buffer that needs the place of a busy, closed allocation is accepted, whole or split, "
	  "and runs after that work" },
	{ "limit-beside-what-was-evicted", test_was_evicted,
	  "A plan is about to let an allocation leave because of the commit limit. The "
	  "allocation leaves before, and another one takes its bytes. Then that one leaves, "
	  "too: the commit limit is never exceeded." },
	{ "leaves-at-the-commit", test_leaves,
	  "The room of an allocation that leaves for a submission is free for others only after "
	  "the submission's commit" },
	{ "reader-of-what-arrives", test_reader,
	  "A submission that needs the room of an allocation for whose bytes a client waits is "
	  "accepted, whole or split" },
	{ "failed-eviction-waits-for-nothing", test_failed_eviction,
	  "A submission whose eviction of a busy allocation fails is refused at once, and the "
	  "allocation stays where it was" },
	{ "return-that-cannot-be-had", test_no_return,
	  "If host memory runs short, a submission goes on without an allocation's return to its "
	  "preferred segment" },
	{ "delays-change-no-place", test_delays,
	  "Portions and addresses are the same however slow paging is, and however many "
	  "submissions are queued" },
	{ "few-jobs-are-told", test_few_jobs,
	  "The queues file in debugfs lists at most 256 submissions of a client, and says that "
	  "there are more" },
	{ "pinned-leaves-room", test_pinned,
	  "A client without privilege pins all that it can, in every segment" },
	{ "refused-pin-beside-others", test_refused_beside,
	  "While a client is refused a pin that would exceed the share of all aperture segments "
	  "together, another client pins what still fits there" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
