// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit bounded
 * Description: What a client's placements may cost other clients: neither their places, nor a
 *   usable part of the memory. Their time: vsplit_overtaken.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_clients.h"
#include "igt_vsplit_debug.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("What a client's placements may cost other clients: neither their places, nor "
		     "a usable part of the memory.");

#define NOBODY 65534

/* ---- places of others --------------------------------------------------- */

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

	setup_clients();
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

	setup_clients();
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

	setup_clients();
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

	setup_clients();
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

	setup_clients();
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

	setup_clients();
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

	setup_clients();
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

		setup_clients();
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

	setup_clients();
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
