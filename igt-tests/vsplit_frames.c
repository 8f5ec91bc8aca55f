// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit frames
 * Description: The times of frames. On heads of an adapter with the model clock, the vblank that
 *   shows what the GPU draws depends on declared times, not on the speed of the host. Also: a
 *   reader never gets a checksum that another reader wanted, however late a composer is. See *When*
 *   in Documentation/display.rst.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: vblank
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("The times of frames.");

#define U 16384ull
#define NS ((uint64_t)1000000000)
#define MS ((uint64_t)1000000)
/* The period of the mode of struct head: 60 in a second, to the nanosecond as DRM computes it. */
#define PERIOD (NS / 60)
/* The longest time for which a vblank is held; display.rst. */
#define HELD NS

static struct head head;
static struct fb fbs[2];

/* Memory for eight units, of which the framebuffers take two. Paging one unit takes 4 ms. */
static void setup(bool paging_own)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 8 * U }, { "aper", true, .size = 32 * U } },
		.slots = 16,
		.engines = 2,
		.heads = 1,
		.paging_own = paging_own,
		.model_clock = true,
		.test = true,
	};

	vsplit_cleanup();
	ad = vsplit_adapter_prepare(&opts);
	expect(__vsplit_adapter_write(ad, "model_paging_bytes_per_us", "4"), 0);
	vsplit_adapter_enable(ad);
	fd = vsplit_adapter_open(ad);
	head_open(&head, 0);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	head_on(&head, &fbs[0]);
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

/* The last vblank: its count, and its time in the model. */
static uint64_t vblank(uint64_t *time)
{
	uint64_t count;

	expect(drmCrtcGetSequence(head.fd, head.crtc, &count, time), 0);
	return count;
}

/* A counter of the head in debugfs. */
static uint64_t figure(const char *name)
{
	char path[64], text[512], *at;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/heads", ad->primary);
	igt_require_f(!access(path, R_OK), "no %s: needs debugfs\n", path);
	expect(__vsplit_read_file(path, text, sizeof(text)), 0);
	at = strstr(text, name);
	igt_assert(at);
	return strtoull(at + strlen(name), NULL, 10);
}

/*
 * Checks that vblanks go on after @begin, when they are no longer held: model time continues from
 * vblank @count at @time, as fast as CLOCK_MONOTONIC, and the next vblanks come whole periods
 * later.
 */
static void goes_on(uint64_t count, uint64_t time, uint64_t begin)
{
	uint64_t then, after;

	do {
		usleep(1000);
		after = vblank(&then);
		igt_assert(after - count <= 2 + (clock_ns() - begin) / PERIOD);
	} while (after < count + 3);
	igt_assert(then - time <= (after - count) * (PERIOD + 1));
	igt_assert((after - count) * (PERIOD - 1) <= then - time);
}

/*
 * Checks that no vblank comes during the host's time for twenty of them, except for those that may
 * be missed.
 */
static void stands_still(uint64_t count)
{
	uint64_t begin = clock_ns(), time, end;

	do
		usleep(10000);
	while (clock_ns() < begin + 20 * PERIOD);
	end = vblank(&time);
	igt_assert(end - count <= 1 + (clock_ns() - begin) / HELD);
}

/**
 * SUBTEST: engines-hold-vblanks
 * Description: The thread of an engine is stopped in the middle of a program. No vblank comes while
 *   twenty of them would have passed. When the engine goes on, vblanks go on from where they were.
 */
static void test_engines(void)
{
	uint64_t count, time, held, begin;
	struct vsplit_bo *bo;

	vsplit_require_sync_points();
	setup(false);
	bo = vsplit_bo(fd, 'A', U);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, U, 1);
	held = figure(" held ");
	vsplit_hold("gpu.portion");
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	igt_assert(vsplit_wait_held("gpu.portion"));
	/* Let the vblanks pass that were due before. */
	usleep(2 * PERIOD / 1000);
	count = vblank(&time);
	stands_still(count);
	igt_assert(held < figure(" held "));
	count = vblank(&time);
	begin = clock_ns();
	vsplit_release("gpu.portion");
	goes_on(count, time, begin);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: commits-hold-vblanks
 * Description: The thread of a commit whose picture is finished is stopped. The next vblank waits
 *   for the commit, and then shows the picture.
 */
static void test_commits(void)
{
	struct drm_event_vblank event;
	uint64_t count, time, begin;

	vsplit_require_sync_points();
	setup(false);
	vsplit_hold("kms.commit");
	expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	igt_assert(vsplit_wait_held("kms.commit"));
	usleep(2 * PERIOD / 1000);
	count = vblank(&time);
	stands_still(count);
	count = vblank(&time);
	begin = clock_ns();
	vsplit_release("kms.commit");
	goes_on(count, time, begin);
	event = next_event(&head);
	igt_assert(event.sequence <= (uint32_t)count + 1);
}

/**
 * SUBTEST: not-for-long
 * Description: The thread of an engine is stopped for good. Vblanks come all the same, and are
 *   counted as missed. They also come while a flip waits for the engine.
 */
static void test_not_for_long(void)
{
	uint64_t count, time;

	vsplit_require_sync_points();
	setup(false);
	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, fbs[1].bo);
	vsplit_cs_set(cs, 0, 0, fbs[1].bo->size, 1);
	vsplit_hold("gpu.portion");
	vsplit_cs_submit(cs, vsplit_ctx(head.fd, 0), 0);
	igt_assert(vsplit_wait_held("gpu.portion"));
	expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	count = vblank(&time);
	while (vblank(&time) < count + 3)
		usleep(10000);
	igt_assert(vsplit_held("gpu.portion"));
	igt_assert(1 <= figure(" missed "));
	vsplit_release("gpu.portion");
	next_event(&head);
}

static uint64_t last_ns(const struct vsplit_record *rec)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++)
		last = max(last, (uint64_t)rec->events[i].t1_ns);
	return last;
}

/*
 * If something that needs model time to go on held a vblank, most vblanks would be missed. A few
 * may be missed, because a host may stop a thread for a second now and then.
 */
static void few_missed(void)
{
	igt_assert(figure(" missed ") < 5);
}

/**
 * SUBTEST: behind-another
 * Description: Blocking commits come each behind a flip that no vblank has shown yet. They wait for
 *   that vblank, and hold none.
 */
static void test_behind(void)
{
	setup(false);
	for (unsigned int i = 0; i < 20; i++) {
		expect(__head_flip(&head, &fbs[i % 2], FLIP, NULL), 0);
		/* By then the head usually has the flip. */
		usleep(3000);
		expect(__head_flip(&head, &fbs[(i + 1) % 2], 0, NULL), 0);
		next_event(&head);
		few_missed();
	}
}

/*
 * A program that pages, is split, and takes about @us by the model; it writes the framebuffer at
 * its end.
 */
static struct vsplit_cs *drawing(struct vsplit_bo *const *textures, unsigned int n,
				 const struct fb *fb, unsigned int us)
{
	struct vsplit_cs *draw = vsplit_cs(head.fd);

	for (unsigned int i = 0; i < n; i++) {
		vsplit_cs_bind(draw, 0, textures[i]);
		vsplit_cs_add(draw, 0, 8 * i, i + 1);
		vsplit_cs_spin(draw, us / n);
	}
	vsplit_cs_bind(draw, 1, fb->bo);
	vsplit_cs_set(draw, 1, 0, fb->bo->size, us);
	return draw;
}

/*
 * Draws a picture, and flips to it. With @stop the engine is stopped in the middle until the flip
 * is queued, and for three more periods. Returns false if the flip came too late to wait for the
 * picture.
 */
static bool show(struct vsplit_cs *draw, uint32_t context, const struct fb *fb, bool stop,
		 uint64_t *shown_ns)
{
	struct drm_event_vblank event;
	bool waits;

	if (stop)
		vsplit_catch("gpu.portion");
	vsplit_cs_submit(draw, context, 0);
	if (stop)
		igt_assert(vsplit_wait_held("gpu.portion"));
	expect(__head_flip(&head, fb, FLIP, NULL), 0);
	waits = __vsplit_syncobj_wait(head.fd, draw->out, 0, 0) == -ETIME;
	if (stop) {
		usleep(3 * PERIOD / 1000);
		vsplit_release("gpu.portion");
	}
	event = next_event(&head);
	*shown_ns = event.tv_sec * NS + event.tv_usec * 1000ull;
	vsplit_cs_wait(draw);
	return waits;
}

/**
 * SUBTEST: shown-when-declared
 * Description: A program that is split and pages draws each of twenty frames. If the module is a
 *   test build, each engine is stopped in the middle of every other frame. Each frame is shown by
 *   the first vblank that is not before the end of its program, by the times in its record.
 */
/**
 * SUBTEST: shown-when-declared-own-paging-engine
 * Description: The same with a paging engine of its own, which the other engine waits for.
 */
static void show_frames(bool paging_own)
{
	bool can_stop = vsplit_inject_there(VSPLIT_INJECT_SITE);
	unsigned int frames = 0, lead = 5000;
	struct vsplit_bo *textures[6];
	uint32_t context;

	setup(paging_own);
	context = vsplit_ctx(head.fd, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(textures); i++)
		textures[i] = vsplit_bo_in(head.fd, 'A' + i, 2 * U, 0, in_first);
	for (unsigned int i = 1; frames < 20; i++) {
		struct fb *fb = &fbs[i % 2];
		struct vsplit_cs *draw = drawing(textures, ARRAY_SIZE(textures), fb,
						 lead + 1000 * (i * 7 % 30));
		struct vsplit_record *rec;
		uint64_t shown, end;

		if (show(draw, context, fb, can_stop && i % 2, &shown)) {
			rec = vsplit_record(head.fd, context, draw->submission);
			end = last_ns(rec);
			igt_debug("frame %u: portions %u, vblank %lld ns behind its end\n", i,
				  rec->info.num_portions, (long long)(shown - end));
			igt_assert(rec->info.num_portions > 1);
			/* Event times are in microseconds. */
			igt_assert(end <= shown + 999);
			igt_assert(shown < end + PERIOD);
			vsplit_record_free(rec);
			frames++;
		} else {
			lead *= 2;
		}
		vsplit_cs_free(draw);
		few_missed();
	}
}

static void test_frames(void)
{
	show_frames(false);
}

static void test_frames_own(void)
{
	show_frames(true);
}

/**
 * SUBTEST: checksums-of-another-reader
 * Description: A composer is stopped when it has the checksum of a frame that a reader wanted. That
 *   reader goes away, and another frame is shown. The next reader gets the checksum of this frame,
 *   and of none before.
 */
static void test_checksums(void)
{
	uint64_t first, before, time;
	int crc, reader[2];
	char byte = 0;
	pid_t child;

	vsplit_require_sync_points();
	setup_head(&head);
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
		fb_noise(&fbs[i], i + 1);
	}
	head_on(&head, &fbs[0]);
	igt_assert_eq(pipe(reader), 0);
	child = vsplit_fork();
	if (!child) {
		struct pollfd there = { .fd = reader[0], .events = POLLIN };

		igt_assert_eq(read(reader[0], &byte, 1), 1);
		/* The next reader has come, or waits until the first one is finished. */
		poll(&there, 1, 2000);
		vsplit_release("kms.composed");
		_exit(0);
	}
	vsplit_catch("kms.composed");
	crc = crc_open(&head);
	igt_assert(vsplit_wait_held("kms.composed"));
	igt_assert_eq(write(reader[1], &byte, 1), 1);
	close(crc);
	expect(__head_flip(&head, &fbs[1], 0, NULL), 0);
	before = vblank(&time);
	crc = crc_open(&head);
	igt_assert_eq(write(reader[1], &byte, 1), 1);
	crc_next(crc, &first);
	close(crc);
	igt_assert(first >= before);
	igt_assert_eq(vsplit_reap(child), 0);
}

static const struct vsplit_subtest tests[] = {
	{ "engines-hold-vblanks", test_engines,
	  "While an engine is stopped in the middle of a program no vblank comes; then vblanks go "
	  "on from where they were" },
	{ "commits-hold-vblanks", test_commits,
	  "The next vblank waits for a commit whose picture is finished, and then shows the "
	  "picture" },
	{ "not-for-long", test_not_for_long,
	  "If an engine stands still for good, vblanks come all the same, and are counted as "
	  "missed" },
	{ "behind-another", test_behind,
	  "Blocking commits behind a flip wait for its vblank, and hold none" },
	{ "shown-when-declared", test_frames,
	  "Each frame is shown by the first vblank that is not before the end of its program, by "
	  "the times of its record" },
	{ "shown-when-declared-own-paging-engine", test_frames_own,
	  "With a paging engine of its own, too, a frame is shown by the first vblank after the "
	  "end of its program" },
	{ "checksums-of-another-reader", test_checksums,
	  "A reader of checksums gets none of a frame before its own, even if the composer was "
	  "stopped for another reader" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
