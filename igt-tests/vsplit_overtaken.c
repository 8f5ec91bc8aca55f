// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit overtaken
 * Description: Placements that take time: they hold no other client up, and come to an end however
 *   often others overtake them.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_clients.h"
#include "igt_vsplit_debug.h"

#include <sys/wait.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Placements that take time: they hold no other client up, and come to an end "
		     "however often others overtake them.");

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
	setup_clients();
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
	runner_start(&planner);
	igt_assert(vsplit_wait_held("place.solve"));
	vsplit_cs_run(resident, other_ctx, 0);
	vsplit_cs_run(fresh, other_ctx, 0);
	vsplit_cs_run(split, other_ctx, 0);
	vsplit_lock(small, 0);
	vsplit_unlock(small);
	vsplit_bo_free(vsplit_bo_in(other, 'p', U, VSPLIT_GEM_PINNED, in_first));
	igt_assert(!runner_done(&planner));
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
	setup_clients();
	rival = vsplit_bo_in(other, 'r', 50 * U, 0, in_first);
	cs = vsplit_cs_of(other, &rival, 1, true);
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, bos[0]->handle, 1);
	planner.cs = vsplit_cs_of(fd, bos, 2, false);
	planner.ctx = ctx;

	vsplit_catch("place.solve");
	runner_start(&planner);
	igt_assert(vsplit_wait_held("place.solve"));
	/* This evicts the first of the two allocations, and then is in the way. */
	vsplit_cs_run(cs, other_ctx, 0);
	igt_assert(!vsplit_bo_resident(bos[0]));
	vsplit_bo_in(other, 'p', U, VSPLIT_GEM_PINNED, in_first);
	igt_assert(!runner_done(&planner));
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
	setup_clients();
	fill_by_others(6);
	cs = vsplit_cs_of(other, others, OTHERS, true);
	for (unsigned int i = 0; i < OTHERS; i++)
		handles[i] = others[i]->handle;
	igt_assert_eq(__vsplit_offer(other, handles, OTHERS, VSPLIT_OFFER_NORMAL), 0);
	bo = vsplit_bo_in(fd, 'A', 60 * U, 0, in_first);
	planner.cs = vsplit_cs_of(fd, &bo, 1, true);
	planner.ctx = ctx;
	vsplit_hold("mm.offer");
	runner_start(&planner);
	for (unsigned int i = 0; !held_off && i < 400; i++) {
		struct runner rival = { .cs = cs, .ctx = other_ctx };

		igt_assert(vsplit_wait_held("mm.offer"));
		vsplit_hold("place.offers");
		vsplit_release("mm.offer");
		igt_assert(vsplit_wait_held("place.offers"));
		for (unsigned int k = 0; k < OTHERS; k++)
			vsplit_reclaim(other, others[k]);
		runner_start(&rival);
		for (unsigned int k = 0; k < 200 && !runner_done(&rival); k++)
			usleep(10000);
		held_off = !runner_done(&rival);
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
	struct vsplit_adapter_opts opts = two_clients;
	uint32_t handles[OTHERS];
	struct vsplit_cs *cs;
	int status;
	pid_t pid;

	vsplit_require_sync_points();
	opts.contexts = "patch,explicit";
	setup_clients_on(&opts);
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

	setup_clients();
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
	runner_start(&planner);
	accepted = vsplit_soon(runner_done(&planner));
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
	runner_start(&first);
	igt_assert(vsplit_wait_held("submit.placed"));
	runner_start(&second);
	usleep(500000);
	early = runner_done(&second);
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
	runner_start(&planner);
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

		setup_clients();
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
		runner_start(&planner);
		accepted = vsplit_soon(runner_done(&planner));
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
	setup_clients();
	busy = vsplit_bo_in(other, 'b', 48 * U, 0, in_first);
	bo = vsplit_bo_in(fd, 'A', 40 * U, 0, in_first);
	first = vsplit_cs_of(other, &busy, 1, true);
	mine = vsplit_cs_of(fd, &bo, 1, true);
	vsplit_cs_run(first, other_ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, other_ctx, 0);
	do {
		planner = (struct runner) { .cs = mine, .ctx = ctx, .fails_at = ++n };
		runner_start(&planner);
		accepted = vsplit_soon(runner_done(&planner));
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

static const struct vsplit_subtest subtests[] = {
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
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
