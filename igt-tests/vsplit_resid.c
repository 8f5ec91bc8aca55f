// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit resid
 * Description: Explicit residency: requirement lists, MakeResident and Evict, trims and
 *   budgets, and contexts whose lists patch alone: RES-4 to RES-11, RES-13 to RES-15, RES-22,
 *   EXT-42, EXT-43;
 *   Documentation/residency.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("What a device requires is there when it runs, and nothing else decides it.");

#define U 16384ull
#define MAX_HANDLES 64

/* Sixteen units of memory, and an aperture of as many. */
static struct vsplit_adapter *ad;
/* Two devices, each with a context, and buffers for them. */
static int fd, fd2;
static uint32_t ctx, ctx2;
static struct vsplit_cs *cs, *cs2;

static struct vsplit_adapter_opts options(void)
{
	return (struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 16 * U }, { "aper", true, .size = 16 * U } },
		.slots = 16,
		.engines = 2,
		.paging_own = true,
		.contexts = "patch,explicit",
		.test = true,
	};
}

static int __context(int file, uint32_t mode, uint32_t engine, uint32_t *id)
{
	struct drm_vsplit_ctx_create args = {
		.priority = VSPLIT_CTX_PRIORITY_NORMAL, .engine = engine, .mode = mode,
	};
	int ret = __vsplit_ctx_create(file, &args);

	*id = args.ctx;
	return ret;
}

static uint32_t context_on(int file, uint32_t mode, uint32_t engine)
{
	uint32_t id;

	igt_assert_eq(__context(file, mode, engine, &id), 0);
	return id;
}

static void setup_adapter(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
	fd2 = vsplit_adapter_open(ad);
	ctx = context_on(fd, VSPLIT_CTX_MODE_EXPLICIT, 0);
	ctx2 = context_on(fd2, VSPLIT_CTX_MODE_EXPLICIT, 0);
	cs = vsplit_cs(fd);
	cs2 = vsplit_cs(fd2);
}

static void setup(void)
{
	const struct vsplit_adapter_opts opts = options();

	setup_adapter(&opts);
}

/* In vram alone. */
static struct vsplit_bo *bo(int file, char name, unsigned int units)
{
	static const uint8_t vram[] = { 1, 0 };

	return vsplit_bo_in(file, name, units * U, 0, vram);
}

/* ---- the calls ---------------------------------------------------------- */

static int __make(int file, const uint32_t *handles, uint32_t nr, uint32_t flags,
		  struct drm_vsplit_make_resident *args)
{
	struct drm_vsplit_make_resident none;

	if (!args)
		args = &none;
	*args = (struct drm_vsplit_make_resident) {
		.handles = (uintptr_t)handles, .num_handles = nr, .flags = flags,
	};
	return __vsplit_ioctl(file, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, args);
}

static int __take(int file, const uint32_t *handles, uint32_t nr, uint32_t flags)
{
	struct drm_vsplit_evict args = {
		.handles = (uintptr_t)handles, .num_handles = nr, .flags = flags,
	};

	return __vsplit_ioctl(file, DRM_IOCTL_VSPLIT_EVICT, &args);
}

static struct drm_vsplit_residency residency(int file, uint32_t handle)
{
	struct drm_vsplit_residency args = { .handle = handle };

	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESIDENCY, &args), 0);
	return args;
}

static uint32_t count(const struct vsplit_bo *b)
{
	return residency(b->fd, b->handle).count;
}

static void wait_point(int file, uint64_t point)
{
	if (point)
		igt_assert_eq(__vsplit_syncobj_wait(file, residency(file, 0).syncobj, point,
						    VSPLIT_SOON_MS), 0);
}

static uint64_t usage(int file)
{
	return residency(file, 0).groups[VSPLIT_GROUP_LOCAL].usage;
}

/* Makes one resident, and waits for it. */
static void make(struct vsplit_bo *b)
{
	struct drm_vsplit_make_resident args;

	igt_assert_eq(__make(b->fd, &b->handle, 1, 0, &args), 0);
	wait_point(b->fd, args.point);
}

static void take(struct vsplit_bo *b)
{
	igt_assert_eq(__take(b->fd, &b->handle, 1, 0), 0);
}

/* The next trim event; 0: there is none now. */
static int trim_event(int file, struct drm_vsplit_trim_event *event)
{
	struct pollfd p = { .fd = file, .events = POLLIN };

	if (poll(&p, 1, 0) != 1)
		return 0;
	igt_assert_eq(read(file, event, sizeof(*event)), sizeof(*event));
	igt_assert_eq_u32(event->base.type, DRM_VSPLIT_EVENT_TRIM);
	igt_assert_eq_u32(event->base.length, sizeof(*event));
	return 1;
}

/* A buffer that fills all of @b. */
static void fills(struct vsplit_cs *c, struct vsplit_bo *b, uint32_t pattern)
{
	vsplit_cs_bind(c, 0, b);
	vsplit_cs_set(c, 0, 0, b->size, pattern);
}

static void run(struct vsplit_cs *c, uint32_t id)
{
	vsplit_cs_submit(c, id, 0);
	vsplit_cs_wait(c);
	vsplit_cs_reference(c, 0);
	igt_assert_eq(c->portions, 1);
}

static uint32_t device_state(int file)
{
	struct drm_vsplit_ctx_query query;

	vsplit_ctx_query(file, 0, &query);
	return query.device_state;
}

/* ---- RES-4, 5: before it runs ------------------------------------------- */

/**
 * SUBTEST: res-4-required-though-not-named
 * Description: What is on the list and what no buffer names is resident when the device runs.
 */
static void test_res_4(void)
{
	struct vsplit_bo *a, *b;

	setup();
	a = bo(fd, 'A', 2);
	b = bo(fd, 'B', 3);
	vsplit_bo_pattern(b, 7);
	make(a);
	make(b);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, b->handle, 0);
	igt_assert(!vsplit_bo_resident(b));
	fills(cs, a, 1);
	run(cs, ctx);
	igt_assert(vsplit_bo_resident(b));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: res-5-all-members-come-before-it-starts
 * Description: One of two members leaves under pressure; a buffer that uses the other one
 *   alone begins when both are there, as its record says.
 */
static void test_res_5(void)
{
	const struct drm_vsplit_event *in, *portion;
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *rec;

	setup();
	a = bo(fd, 'A', 6);
	b = bo(fd, 'B', 6);
	c = bo(fd2, 'C', 8);
	vsplit_bo_pattern(a, 2);
	vsplit_bo_pattern(b, 3);
	make(a);
	make(b);
	make(c);
	igt_assert(!vsplit_bo_resident(a) || !vsplit_bo_resident(b));
	/* the one that is there */
	if (!vsplit_bo_resident(a)) {
		struct vsplit_bo *there = b;

		b = a;
		a = there;
	}
	fills(cs, a, 2);
	run(cs, ctx);
	rec = vsplit_record(fd, ctx, cs->submission);
	in = vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, b, 0);
	portion = vsplit_portion(rec, 0);
	igt_assert(in && portion);
	igt_assert(in->t1_ns <= portion->t0_ns);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: res-5-leaves-after-the-work-that-requires-it
 * Description: A member that a running buffer does not name leaves after that buffer.
 */
static void test_res_5_leaves(void)
{
	struct vsplit_bo *a, *b, *c;
	struct drm_vsplit_make_resident args;
	uint32_t busy;

	setup();
	a = bo(fd, 'A', 6);
	b = bo(fd, 'B', 6);
	c = bo(fd2, 'C', 14);
	make(a);
	make(b);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fills(cs, a, 2);
	vsplit_cs_submit(cs, ctx, 0);
	/* What it brings in needs the room of both, and comes after the buffer. */
	igt_assert_eq(__make(fd2, &c->handle, 1, 0, &args), 0);
	igt_assert(args.point);
	busy = residency(fd2, 0).syncobj;
	igt_assert_eq(__vsplit_syncobj_wait(fd2, busy, args.point, 200), -ETIME);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	wait_point(fd2, args.point);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: res-5-any-context-any-engine
 * Description: The rule holds for each context of the device, on every engine (RES-11).
 */
static void test_res_5_engines(void)
{
	uint32_t other;
	struct vsplit_bo *a, *b;

	setup();
	a = bo(fd, 'A', 2);
	b = bo(fd, 'B', 2);
	make(a);
	make(b);
	other = context_on(fd, VSPLIT_CTX_MODE_EXPLICIT, 1);
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		igt_assert(!vsplit_bo_resident(a) && !vsplit_bo_resident(b));
		vsplit_cs_reset(cs);
		fills(cs, a, i);
		run(cs, i ? other : ctx);
		igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	}
}

/* ---- RES-6, 7, 9: the list ---------------------------------------------- */

/**
 * SUBTEST: res-6-all-or-none
 * Description: A call with several allocations adds all of them, or, if one is unknown or they
 *   do not fit together, none; it says how much is too much.
 */
static void test_res_6(void)
{
	struct drm_vsplit_make_resident args;
	struct vsplit_bo *a, *b, *c;
	uint32_t h[3];

	setup();
	a = bo(fd, 'A', 6);
	b = bo(fd, 'B', 7);
	c = bo(fd, 'C', 5);
	h[0] = a->handle;
	h[1] = b->handle;
	h[2] = 12345;
	igt_assert_eq(__make(fd, h, 3, 0, &args), -ENOENT);
	h[2] = c->handle;
	igt_assert_eq(__make(fd, h, 3, 0, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, 2 * U);
	igt_assert_eq(count(a) + count(b) + count(c), 0);
	igt_assert_eq_u64(usage(fd), 0);
	igt_assert(!vsplit_bo_resident(a) && !vsplit_bo_resident(b) && !vsplit_bo_resident(c));
	igt_assert_eq(__make(fd, h, 2, 0, &args), 0);
	igt_assert(args.point);
	wait_point(fd, args.point);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	igt_assert_eq_u64(usage(fd), 13 * U);
	/* the list and the request together */
	igt_assert_eq(__make(fd, &c->handle, 1, 0, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, 2 * U);
	igt_assert_eq(count(c), 0);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	/* resident now: there is nothing to wait for */
	igt_assert_eq(__make(fd, h, 2, 0, &args), 0);
	igt_assert_eq_u64(args.point, 0);
	igt_assert_eq(count(a), 2);
}

/**
 * SUBTEST: res-6-packed-anew
 * Description: What fits together is admitted though no hole is large enough: what the device
 *   has is moved, and no byte of it is lost. Those of a size are in the order in which they were
 *   created, whatever else the kernel keeps them by: a run is like the next one.
 */
static void test_res_6_packed(void)
{
	struct vsplit_bo *small[8], *large;
	struct drm_vsplit_gem_info info;
	uint64_t last = 0;

	setup();
	for (unsigned int i = 0; i < 8; i++) {
		small[i] = bo(fd, 'a' + i, 2);
		vsplit_bo_pattern(small[i], i);
		make(small[i]);
	}
	for (unsigned int i = 0; i < 8; i += 2)
		take(small[i]);
	large = bo(fd, 'L', 8);
	make(large);
	for (unsigned int i = 1; i < 8; i += 2) {
		vsplit_info(small[i], &info);
		igt_assert(info.segment == 1 && (i == 1 || info.offset > last));
		last = info.offset;
	}
	igt_assert(vsplit_bo_resident(large));
	fills(cs, large, 5);
	run(cs, ctx);
	vsplit_bo_check(large);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_bo_check(small[i]);
}

/* Pins so many units of vram. */
static int __pin(int file, unsigned int units, uint32_t *handle)
{
	struct drm_vsplit_gem_create args = {
		.size = units * U, .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 },
	};
	int ret = __vsplit_create(file, &args);

	*handle = args.handle;
	return ret;
}

/**
 * SUBTEST: res-6-pins-leave-room
 * Description: A pin that would take the room of what was admitted is refused, and nothing has
 *   left for it. What is on no list, may be elsewhere, is offered or is pinned itself needs no
 *   room. What is pinned is none for a list.
 */
static void test_res_6_pins(void)
{
	static const uint32_t last = VSPLIT_RESIDENT_CANT_TRIM_FURTHER;
	static const uint8_t anywhere[] = { 2, 1, 0 };
	struct drm_vsplit_offer offer = { .num_handles = 1, .priority = VSPLIT_OFFER_LOW };
	struct drm_vsplit_reclaim reclaim = { .num_handles = 1 };
	struct drm_vsplit_make_resident args;
	struct vsplit_bo *a, *b, *c;
	uint32_t pins[3];

	setup();
	a = bo(fd, 'A', 6);
	b = bo(fd, 'B', 7);
	make(a);
	make(b);
	make(vsplit_bo_in(fd, 'E', 8 * U, 0, anywhere));
	make(bo(fd2, 'D', 3));
	igt_assert_eq(__pin(fd2, 4, &pins[0]), -ENOSPC);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	igt_assert_eq(__pin(fd2, 3, &pins[0]), 0);
	fills(cs, a, 3);
	run(cs, ctx);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	c = bo(fd, 'C', 1);
	igt_assert_eq(__make(fd, &c->handle, 1, last, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, U);
	/* its own pins count once */
	take(b);
	igt_assert_eq(__pin(fd, 7, &pins[1]), 0);
	igt_assert_eq(__make(fd, &pins[1], 1, last, NULL), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), -ENOSPC);
	/* what is offered, and is reclaimed */
	offer.handles = reclaim.handles = (uintptr_t)&a->handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_OFFER, &offer), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), 0);
	igt_assert_eq(__vsplit_gem_close(fd, pins[2]), 0);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECLAIM, &reclaim), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), -ENOSPC);
	/* what has ended gives its room back */
	igt_assert_eq(__vsplit_gem_close(fd, pins[1]), 0);
	igt_assert_eq(__make(fd, &b->handle, 1, last, NULL), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), -ENOSPC);
	vsplit_cleanup_file(fd);
	igt_assert_eq(__pin(fd2, 10, &pins[2]), 0);
}

/**
 * SUBTEST: res-7-evicted-gates-no-more
 * Description: What was taken off the list may leave, and is not brought back for the device.
 */
static void test_res_7(void)
{
	struct vsplit_bo *a, *b, *c;

	setup();
	a = bo(fd, 'A', 2);
	b = bo(fd, 'B', 2);
	c = bo(fd, 'C', 2);
	vsplit_bo_pattern(b, 9);
	make(a);
	make(b);
	make(c);
	take(b);
	igt_assert_eq(count(b), 0);
	igt_assert(!vsplit_bo_resident(b));
	/* lazily: it stays as long as there is room */
	igt_assert_eq(__take(fd, &c->handle, 1, VSPLIT_EVICT_IF_NECESSARY), 0);
	igt_assert(vsplit_bo_resident(c));
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	fills(cs, a, 4);
	run(cs, ctx);
	igt_assert(!vsplit_bo_resident(b) && !vsplit_bo_resident(c));
	vsplit_bo_check(b);
}

/**
 * SUBTEST: res-9-counted
 * Description: Three times added is three times taken off; a fourth time is an error and
 *   changes nothing, alone or beside others.
 */
static void test_res_9(void)
{
	struct vsplit_bo *a, *b;
	uint32_t h[4];

	setup();
	a = bo(fd, 'A', 2);
	b = bo(fd, 'B', 2);
	h[0] = a->handle;
	h[1] = a->handle;
	h[2] = b->handle;
	igt_assert_eq(__make(fd, h, 3, 0, NULL), 0);
	make(a);
	igt_assert_eq(count(a), 3);
	igt_assert_eq(count(b), 1);
	igt_assert_eq_u64(usage(fd), 4 * U);
	/* two of them, and one too many of the other: nothing */
	h[3] = b->handle;
	igt_assert_eq(__take(fd, h, 4, 0), -EINVAL);
	igt_assert_eq(count(a), 3);
	igt_assert_eq(count(b), 1);
	take(a);
	take(a);
	igt_assert_eq(count(a), 1);
	igt_assert(vsplit_bo_resident(a));
	take(a);
	igt_assert_eq(count(a), 0);
	igt_assert_eq(__take(fd, &a->handle, 1, 0), -EINVAL);
	igt_assert_eq(count(a), 0);
	igt_assert_eq_u64(usage(fd), 2 * U);
	igt_assert_eq(residency(fd, 0).members, 1);
}

/**
 * SUBTEST: list-ends-with-the-handle
 * Description: A closed handle, a lost device and a closed file require nothing; what has another
 *   handle in the file is required until that is closed by which it was required.
 */
static void test_ends(void)
{
	struct drm_gem_flink name = {};
	struct drm_gem_open opened;
	struct vsplit_bo *a, *b, *c;
	int file;

	setup();
	a = bo(fd, 'A', 8);
	b = bo(fd, 'B', 8);
	c = bo(fd2, 'C', 16);
	make(a);
	make(b);
	igt_assert_eq(__vsplit_gem_close(fd, b->handle), 0);
	b->handle = 0;
	igt_assert_eq(residency(fd, 0).members, 1);
	igt_assert_eq_u64(usage(fd), 8 * U);
	/* two handles in one file */
	file = vsplit_adapter_open_primary(ad);
	b = bo(file, 'B', 1);
	make(b);
	name.handle = b->handle;
	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_GEM_FLINK, &name), 0);
	opened = (struct drm_gem_open) { .name = name.name };
	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_GEM_OPEN, &opened), 0);
	igt_assert_neq(opened.handle, b->handle);
	igt_assert_eq(__vsplit_gem_close(file, opened.handle), 0);
	igt_assert_eq(count(b), 1);
	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_GEM_OPEN, &opened), 0);
	igt_assert_eq(__vsplit_gem_close(file, b->handle), 0);
	igt_assert_eq(residency(file, opened.handle).count, 0);
	igt_assert_eq(__make(file, &opened.handle, 1, 0, NULL), 0);
	b->handle = 0;
	vsplit_cleanup_file(file);
	/* lost: it asks nothing of the others */
	fills(cs, bo(fd, 'D', 1), 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert_eq_u64(usage(fd), 0);
	make(c);
	igt_assert(vsplit_bo_resident(c) && !vsplit_bo_resident(a));
	fills(cs2, c, 6);
	run(cs2, ctx2);
	igt_assert(!residency(fd, 0).trims);
}

/* ---- RES-8: trims ------------------------------------------------------- */

/**
 * SUBTEST: res-8-trim
 * Description: A device whose members leave for another one is asked to give as much back, by
 *   an event. One that does not is refused more, unless it says that it cannot; one that does
 *   gets it.
 */
static void test_res_8(void)
{
	struct drm_vsplit_make_resident args;
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *b, *c, *d;

	setup();
	a = bo(fd, 'A', 8);
	b = bo(fd, 'B', 6);
	c = bo(fd2, 'C', 8);
	d = bo(fd, 'D', 1);
	make(a);
	make(b);
	igt_assert(!trim_event(fd, &event));
	make(c);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_DEMAND);
	igt_assert_eq_u32(event.group, VSPLIT_GROUP_LOCAL);
	igt_assert(event.bytes == 8 * U || event.bytes == 6 * U);
	igt_assert(!trim_event(fd, &event));
	igt_assert(!trim_event(fd2, &event));
	/* ignored: no more for it */
	igt_assert_eq(__make(fd, &d->handle, 1, 0, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, event.bytes + U);
	igt_assert_eq(__make(fd, &d->handle, 1, VSPLIT_RESIDENT_CANT_TRIM_FURTHER, &args), 0);
	igt_assert_eq(__take(fd, &d->handle, 1, 0), 0);
	/* answered */
	take(a);
	igt_assert_eq(__make(fd, &d->handle, 1, 0, &args), 0);
}

/**
 * SUBTEST: res-8-one-event-at-a-time
 * Description: A file that does not read has one event waiting; asking for the residency
 *   tells the newest figures and arms the next one.
 */
static void test_res_8_armed(void)
{
	struct drm_vsplit_trim_event event;
	struct drm_vsplit_residency r;
	struct vsplit_bo *a;

	setup();
	a = bo(fd, 'A', 8);
	make(a);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 3 * U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, U);
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert(!trim_event(fd, &event));
	r = residency(fd, 0);
	igt_assert_eq_u64(r.trims, 2);
	igt_assert_eq_u64(r.trim_bytes, 3 * U);
	igt_assert(!trim_event(fd, &event));
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 2 * U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 2 * U);
	igt_assert_eq_u64(event.trims, 3);
}

/**
 * SUBTEST: res-8-unread
 * Description: A file that asks again and again and reads nothing has a queue that ends, and is
 *   answered all the same; once it has read, it is told again.
 */
static void test_unread(void)
{
	struct drm_vsplit_trim_event event;
	unsigned int told = 0;

	setup();
	make(bo(fd, 'A', 8));
	for (unsigned int i = 0; i < 300; i++) {
		vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
		igt_assert_eq_u64(residency(fd, 0).trims, i + 1);
	}
	while (trim_event(fd, &event))
		told++;
	igt_assert(told && told <= 4096 / sizeof(event));
	residency(fd, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 2 * U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 2 * U);
}

static int __eventfd_of(int file, int eventfd)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_EVENTFD, .fd = eventfd };

	return __vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESIDENCY, &args);
}

/* How often it was signalled since this was asked last. */
static uint64_t signals(int eventfd)
{
	uint64_t nr = 0;

	return read(eventfd, &nr, sizeof(nr)) < 0 ? 0 : nr;
}

/**
 * SUBTEST: res-8-eventfd
 * Description: Each trim signals the eventfd that the file has named last, also while its last event
 *   is unread, and no other file's; a wrong one changes nothing; after -1, and after the file
 *   is closed, none is signalled.
 */
static void test_eventfd(void)
{
	struct drm_vsplit_trim_event event;
	struct drm_vsplit_residency bad = { .fd = 1 };
	int first, e, other, closed, file;
	struct vsplit_bo *a;

	setup();
	a = bo(fd, 'A', 16);
	first = eventfd(0, EFD_NONBLOCK);
	e = eventfd(0, EFD_NONBLOCK);
	other = eventfd(0, EFD_NONBLOCK);
	closed = dup(e);
	close(closed);
	igt_assert(first >= 0 && e >= 0 && other >= 0);
	igt_assert_eq(__eventfd_of(fd, first), 0);
	igt_assert_eq(__eventfd_of(fd, e), 0);
	igt_assert_eq(__eventfd_of(fd2, other), 0);
	igt_assert_eq(__eventfd_of(fd, closed), -EBADF);
	igt_assert_eq(__eventfd_of(fd, -2), -EBADF);
	igt_assert_eq(__eventfd_of(fd, fd2), -EINVAL);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &bad), -EINVAL);
	make(a);
	igt_assert_eq_u64(signals(e), 0);
	/* demand, as an event and as the eventfd */
	make(bo(fd2, 'C', 8));
	igt_assert_eq_u64(signals(e), 1);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_DEMAND);
	/* no event for these: it has not asked since */
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, U);
	igt_assert(!trim_event(fd, &event));
	igt_assert_eq_u64(signals(e), 2);
	/* the driver has its own reference to it */
	closed = dup(e);
	close(e);
	e = closed;
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 1);
	igt_assert_eq(__eventfd_of(fd, -1), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 0);
	igt_assert_eq_u64(signals(first), 0);
	igt_assert_eq_u64(signals(other), 0);
	/* a file that is closed */
	file = vsplit_adapter_open(ad);
	make(bo(file, 'D', 1));
	igt_assert_eq(__eventfd_of(file, e), 0);
	vsplit_escape(file, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 1);
	vsplit_cleanup_file(file);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 0);
	close(e);
	close(first);
	close(other);
}

/* Periods that end when the test says so: an hour is no time that it takes. */
static void setup_periods(const char *contexts)
{
	struct vsplit_adapter_opts opts = options();

	opts.contexts = contexts;
	opts.trim_period_ms = 3600000;
	setup_adapter(&opts);
}

static void end_period(void)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_PERIOD, 0, 0);
}

/* Ends a period for which @file is asked for @bytes of @group. */
static void period_asks(int file, uint64_t bytes, uint32_t group)
{
	struct drm_vsplit_residency r = residency(file, 0);
	struct drm_vsplit_trim_event event;

	end_period();
	igt_assert(trim_event(file, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert_eq_u32(event.group, group);
	igt_assert_eq_u64(event.bytes, bytes);
	igt_assert_eq_u64(event.trims, r.trims + 1);
}

static void period_asks_nothing(int file)
{
	uint64_t trims = residency(file, 0).trims;
	struct drm_vsplit_trim_event event;

	end_period();
	igt_assert(!trim_event(file, &event));
	igt_assert_eq_u64(residency(file, 0).trims, trims);
}

static void uses(struct vsplit_bo *b, uint32_t pattern)
{
	vsplit_cs_reset(cs);
	fills(cs, b, pattern);
	run(cs, ctx);
}

/**
 * SUBTEST: ext-42-periodic
 * Description: When a period ends, a device is asked for what no submission has named in it, and
 *   what was not added in it; of the group in which that is more. It is told once until it asks,
 *   and need not answer while there is enough for all.
 */
static void test_periodic(void)
{
	static const uint8_t aper[] = { 2, 0 };
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *b, *d, *x;

	setup_periods("patch,explicit");
	a = bo(fd, 'A', 4);
	b = bo(fd, 'B', 2);
	d = bo(fd, 'D', 1);
	x = vsplit_bo_in(fd, 'X', 5 * U, 0, aper);
	make(a);
	make(b);
	period_asks_nothing(fd);
	uses(a, 1);
	/* twice is once */
	uses(a, 2);
	period_asks(fd, 2 * U, VSPLIT_GROUP_LOCAL);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 2 * U);
	/* there is enough for all */
	make(d);
	take(d);
	uses(a, 3);
	uses(b, 4);
	period_asks_nothing(fd);
	period_asks(fd, 6 * U, VSPLIT_GROUP_LOCAL);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 6 * U);
	/* what was asked for was used */
	uses(a, 5);
	uses(b, 6);
	period_asks_nothing(fd);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 0);
	/* what is used and then taken off is not missing from the rest */
	uses(b, 7);
	take(b);
	period_asks(fd, 4 * U, VSPLIT_GROUP_LOCAL);
	/* added anew it is used once, however often it is added */
	make(b);
	make(b);
	make(x);
	period_asks(fd, 4 * U, VSPLIT_GROUP_LOCAL);
	uses(a, 8);
	period_asks(fd, 5 * U, VSPLIT_GROUP_NONLOCAL);
	/* one event until it asks */
	end_period();
	igt_assert(!trim_event(fd, &event));
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 6 * U);
	/* a lost device has nothing */
	vsplit_cs_reset(cs);
	fills(cs, d, 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	period_asks_nothing(fd);
	/* one that requires nothing */
	igt_assert(!trim_event(fd2, &event));
	igt_assert_eq_u64(residency(fd2, 0).trims, 0);
}

/**
 * SUBTEST: ext-42-not-before-others
 * Description: What is asked for because others need it is asked for still when a period ends;
 *   once it is answered the period asks for its own.
 */
static void test_periodic_behind(void)
{
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *b, *c;

	setup_periods("patch,explicit");
	a = bo(fd, 'A', 8);
	b = bo(fd, 'B', 6);
	c = bo(fd2, 'C', 8);
	make(a);
	make(b);
	make(c);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_DEMAND);
	period_asks_nothing(fd);
	period_asks_nothing(fd);
	igt_assert_eq_u32(residency(fd, 0).trim_reason, VSPLIT_TRIM_DEMAND);
	/* the other one, by the second of them */
	igt_assert(trim_event(fd2, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert_eq_u64(event.bytes, 8 * U);
	igt_assert_eq_u64(event.trims, 1);
	take(a);
	period_asks(fd, 6 * U, VSPLIT_GROUP_LOCAL);
}

/**
 * SUBTEST: ext-42-addresses
 * Description: A submission of a context with virtual addresses uses all that the device
 *   requires; a device that has made a hardware queue is not asked.
 */
static void test_periodic_addresses(void)
{
	struct drm_vsplit_hwq_create hwq = { .ring_bytes = VSPLIT_HWQ_MIN_RING };
	struct drm_vsplit_trim_event event;
	uint32_t va, hw;
	int file;

	setup_periods("patch,explicit,va,hw");
	file = vsplit_adapter_open(ad);
	va = context_on(file, VSPLIT_CTX_MODE_VA, 0);
	hw = context_on(file, VSPLIT_CTX_MODE_HW, 0);
	make(bo(file, 'A', 3));
	make(bo(file, 'B', 2));
	period_asks_nothing(file);
	period_asks(file, 5 * U, VSPLIT_GROUP_LOCAL);
	cs = vsplit_cs(file);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_submit(cs, va, 0);
	vsplit_cs_wait(cs);
	period_asks_nothing(file);
	period_asks(file, 5 * U, VSPLIT_GROUP_LOCAL);
	hwq.ctx = hw;
	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_VSPLIT_HWQ_CREATE, &hwq), 0);
	period_asks_nothing(file);
	period_asks_nothing(file);
	igt_assert(!trim_event(fd, &event));
}

/**
 * SUBTEST: ext-42-by-itself
 * Description: Periods end by themselves, for each of many files, also while the adapter goes
 *   away; without the option none does, whatever is not used.
 */
static void test_periodic_timer(void)
{
	struct vsplit_adapter_opts opts = options();
	struct drm_vsplit_trim_event event;
	int files[300], file;

	setup();
	make(bo(fd, 'A', 2));
	for (unsigned int i = 0; i < 3; i++)
		period_asks_nothing(fd);
	opts.trim_period_ms = 20;
	ad = vsplit_adapter_create(&opts);
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		files[i] = vsplit_adapter_open(ad);
	file = files[ARRAY_SIZE(files) - 1];
	make(bo(file, 'A', 2));
	make(bo(files[0], 'B', 1));
	igt_assert(vsplit_soon(trim_event(file, &event)));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert_eq_u64(event.bytes, 2 * U);
	igt_assert(vsplit_soon(trim_event(files[0], &event)));
	igt_assert_eq_u64(event.bytes, U);
	/* and again, once it has asked */
	residency(file, 0);
	igt_assert(vsplit_soon(trim_event(file, &event)));
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		vsplit_cleanup_file(files[i]);
	vsplit_adapter_disable(ad);
}

/**
 * SUBTEST: budget
 * Description: A device with more than its budget is asked for the rest; the query tells budget
 *   and usage, of memory and aperture segments each.
 */
static void test_budget(void)
{
	static const uint8_t aper[] = { 2, 0 };
	struct drm_vsplit_trim_event event;
	struct drm_vsplit_residency r;
	struct vsplit_bo *a, *b, *x;

	setup();
	a = bo(fd, 'A', 6);
	b = bo(fd, 'B', 2);
	x = vsplit_bo_in(fd, 'X', 3 * U, 0, aper);
	r = residency(fd, 0);
	igt_assert_eq_u64(r.groups[VSPLIT_GROUP_LOCAL].budget, 16 * U);
	make(a);
	make(x);
	r = residency(fd, 0);
	igt_assert_eq_u64(r.groups[VSPLIT_GROUP_LOCAL].usage, 6 * U);
	igt_assert_eq_u64(r.groups[VSPLIT_GROUP_NONLOCAL].usage, 3 * U);
	igt_assert_eq_u64(residency(fd2, 0).groups[VSPLIT_GROUP_LOCAL].budget, 8 * U);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-required-local:"), 6 * U >> 10);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, 7 * U);
	igt_assert(!trim_event(fd, &event));
	make(b);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_BUDGET);
	igt_assert_eq_u64(event.bytes, U);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, U);
	take(b);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 0);
}

static int __reserve(int file, uint32_t group, uint64_t bytes, uint64_t *available)
{
	struct drm_vsplit_reserve args = { .group = group, .bytes = bytes };
	int ret = __vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESERVE, &args);

	if (available)
		*available = args.available;
	return ret;
}

static struct drm_vsplit_group_info local(int file)
{
	return residency(file, 0).groups[VSPLIT_GROUP_LOCAL];
}

/**
 * SUBTEST: reservation
 * Description: A device reserves its part of half of the memory at most; when others reserve, the
 *   part gets smaller, and grows again when they are gone. It does not change the budget.
 */
static void test_reservation(void)
{
	uint64_t available;
	int file;

	setup();
	igt_assert_eq_u64(local(fd).reservation, 0);
	igt_assert_eq_u64(local(fd).available, 8 * U);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 8 * U + 1, &available), -ENOSPC);
	igt_assert_eq_u64(available, 8 * U);
	igt_assert_eq_u64(local(fd).reservation, 0);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 8 * U, &available), 0);
	igt_assert_eq_u64(local(fd).reservation, 8 * U);
	igt_assert_eq_u64(local(fd).budget, 16 * U);
	igt_assert_eq_u64(residency(fd, 0).groups[VSPLIT_GROUP_NONLOCAL].reservation, 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-reserved-local:"), 8 * U >> 10);
	/* no file keeps others from it */
	igt_assert_eq_u64(local(fd2).available, 4 * U);
	igt_assert_eq(__reserve(fd2, VSPLIT_GROUP_LOCAL, 4 * U + 1, NULL), -ENOSPC);
	igt_assert_eq(__reserve(fd2, VSPLIT_GROUP_LOCAL, 3 * U, NULL), 0);
	igt_assert_eq_u64(local(fd).reservation, 4 * U);
	igt_assert_eq_u64(local(fd).available, 4 * U);
	igt_assert_eq_u64(local(fd2).reservation, 3 * U);
	igt_assert_eq(__reserve(fd2, VSPLIT_GROUP_LOCAL, 0, NULL), 0);
	igt_assert_eq_u64(local(fd).reservation, 8 * U);
	/* a closed file reserves nothing, and a lost device */
	file = vsplit_adapter_open(ad);
	igt_assert_eq(__reserve(file, VSPLIT_GROUP_LOCAL, U, NULL), 0);
	igt_assert_eq_u64(local(fd).reservation, 4 * U);
	vsplit_close(file);
	igt_assert_eq_u64(local(fd).reservation, 8 * U);
	fills(cs, bo(fd, 'A', 1), 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert_eq_u64(local(fd2).available, 8 * U);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, U, NULL), -EIO);
	igt_assert_eq(__reserve(fd2, VSPLIT_NUM_GROUPS, U, NULL), -EINVAL);
	file = vsplit_adapter_open(ad);
	context_on(file, VSPLIT_CTX_MODE_PATCH, 0);
	igt_assert_eq(__reserve(file, VSPLIT_GROUP_LOCAL, U, NULL), -EINVAL);
}

/**
 * SUBTEST: reserved-is-not-asked-for
 * Description: What leaves for another device is asked for but for what is reserved; it leaves
 *   all the same.
 */
static void test_reserved(void)
{
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *c, *d;

	setup();
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 6 * U, NULL), 0);
	a = bo(fd, 'A', 10);
	c = bo(fd2, 'C', 8);
	d = bo(fd2, 'D', 8);
	make(a);
	make(c);
	igt_assert(!vsplit_bo_resident(a));
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 4 * U);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 4 * U);
	/* nothing beyond the reservation is left: it is not asked */
	take(a);
	a = bo(fd, 'B', 6);
	make(a);
	make(d);
	igt_assert(!vsplit_bo_resident(a));
	igt_assert(!trim_event(fd, &event));
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 0);
	/* a budget that was set is asked for in full */
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 5 * U);
}

static struct drm_vsplit_residency watch(int file)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_WATCH_BUDGET };

	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESIDENCY, &args), 0);
	return args;
}

static bool readable(int file)
{
	struct pollfd p = { .fd = file, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static struct drm_vsplit_budget_event budget_event(int file)
{
	struct drm_vsplit_budget_event event;

	igt_assert(vsplit_soon(readable(file)));
	igt_assert_eq(read(file, &event, sizeof(event)), sizeof(event));
	igt_assert_eq_u32(event.base.type, DRM_VSPLIT_EVENT_BUDGET);
	igt_assert_eq_u32(event.base.length, sizeof(event));
	return event;
}

/**
 * SUBTEST: budget-events
 * Description: A device that watches its budgets is told when they change, once, and again after
 *   it has asked; one that does not watch is told nothing.
 */
static void test_budget_events(void)
{
	struct drm_vsplit_budget_event event;
	struct vsplit_bo *c, *pinned;
	int file;

	setup();
	igt_assert_eq_u64(watch(fd).groups[VSPLIT_GROUP_LOCAL].budget, 16 * U);
	make(bo(fd, 'A', 1));
	c = bo(fd2, 'C', 1);
	make(c);
	event = budget_event(fd);
	igt_assert_eq_u64(event.budget[VSPLIT_GROUP_LOCAL], 8 * U);
	igt_assert_eq_u64(event.budget[VSPLIT_GROUP_NONLOCAL], 16 * U);
	igt_assert_eq_u64(event.reservation[VSPLIT_GROUP_LOCAL], 0);
	igt_assert_eq_u64(local(fd).budget, 8 * U);
	/* one at a time; asking tells the newest, and arms */
	take(c);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 16 * U);
	make(c);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, U, NULL), 0);
	igt_assert_eq_u64(local(fd).budget, 8 * U);
	/* what is pinned, and what is reserved */
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 2 * U, NULL), 0);
	event = budget_event(fd);
	igt_assert_eq_u64(event.reservation[VSPLIT_GROUP_LOCAL], 2 * U);
	igt_assert_eq_u64(event.budget[VSPLIT_GROUP_LOCAL], 8 * U);
	local(fd);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, 5 * U);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 5 * U);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, UINT64_MAX);
	local(fd);
	pinned = vsplit_bo_args(fd2, 'P', &(struct drm_vsplit_gem_create) {
		.size = 4 * U, .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 },
	});
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 6 * U);
	igt_assert_eq_u64(local(fd).available, 6 * U);
	vsplit_bo_free(pinned);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 8 * U);
	/* another file, which ends; the one that does not watch was told nothing */
	file = vsplit_adapter_open(ad);
	make(bo(file, 'D', 1));
	igt_assert_eq_u64(watch(fd).groups[VSPLIT_GROUP_LOCAL].budget, 16 * U / 3);
	vsplit_cleanup_file(file);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 8 * U);
	igt_assert(!readable(fd));
	igt_assert(!readable(fd2));
}

/* ---- RES-10, 13, 14, 15, 22: contexts ----------------------------------- */

/**
 * SUBTEST: res-10-lists-make-nothing-resident
 * Description: A list that names what is not required does not page it in.
 */
static void test_res_10(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *a;

	setup();
	a = bo(fd, 'A', 2);
	vsplit_query_statistics(fd, &before);
	fills(cs, a, 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert(!vsplit_bo_resident(a));
	vsplit_query_statistics(fd, &after);
	igt_assert_eq_u64(before.paged_in_bytes, after.paged_in_bytes);
	igt_assert_eq(count(a), 0);
}

/**
 * SUBTEST: res-14-lost
 * Description: A reference to what is not on the list, resident by chance or not, loses the
 *   device: all of its contexts, and no other.
 */
static void test_res_14(void)
{
	struct vsplit_bo *a, *b, *c;
	uint32_t other, lost;

	setup();
	a = bo(fd, 'A', 2);
	b = bo(fd, 'B', 2);
	c = bo(fd2, 'C', 2);
	make(a);
	make(b);
	make(c);
	other = context_on(fd, VSPLIT_CTX_MODE_EXPLICIT, 1);
	igt_assert_eq(__take(fd, &b->handle, 1, VSPLIT_EVICT_IF_NECESSARY), 0);
	igt_assert(vsplit_bo_resident(b));
	fills(cs, b, 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert_eq(device_state(fd), VSPLIT_STATE_LOST_RESIDENCY);
	igt_assert_eq(vsplit_ctx_state(fd, other, &lost), VSPLIT_STATE_LOST_RESIDENCY);
	vsplit_cs_reset(cs);
	fills(cs, a, 1);
	vsplit_cs_refused(cs, ctx, 0, -EIO);
	vsplit_cs_refused(cs, other, 0, -EIO);
	igt_assert_eq(__make(fd, &b->handle, 1, 0, NULL), -EIO);
	igt_assert_eq(device_state(fd2), VSPLIT_STATE_ACTIVE);
	fills(cs2, c, 3);
	run(cs2, ctx2);
	vsplit_bo_check(c);
}

/**
 * SUBTEST: res-13-lists-patch
 * Description: Both lists are taken in full and the addresses are those of where things are,
 *   after they have moved as well.
 */
static void test_res_13(void)
{
	struct vsplit_bo *b[6];

	setup();
	for (unsigned int i = 0; i < 6; i++) {
		b[i] = bo(fd, 'A' + i, 2);
		make(b[i]);
	}
	for (unsigned int round = 0; round < 3; round++) {
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < 6; i++) {
			vsplit_cs_bind(cs, i, b[i]);
			vsplit_cs_set(cs, i, 0, b[i]->size, 0x01010101 * (i + 10 * round));
		}
		run(cs, ctx);
		vsplit_cs_check(cs);
		/* somewhere else the next time */
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		make(bo(fd, 'f' + round, 1));
	}
}

/**
 * SUBTEST: res-15-not-by-default
 * Description: An adapter that was not told to has no such contexts and no lists; caps say it.
 */
static void test_res_15(void)
{
	struct vsplit_adapter_opts opts = options();
	struct drm_vsplit_adapter_info info;
	struct vsplit_bo *a;
	char contexts[64];
	uint32_t id;

	opts.contexts = NULL;
	ad = vsplit_adapter_create(&opts);
	igt_assert_eq(__vsplit_adapter_read(ad, "contexts", contexts, sizeof(contexts)), 0);
	igt_assert(!strcmp(contexts, "patch"));
	fd = vsplit_adapter_open(ad);
	vsplit_query_adapter(fd, &info);
	igt_assert(!(info.caps & (VSPLIT_CAP_CTX_EXPLICIT | VSPLIT_CAP_CTX_VA |
				  VSPLIT_CAP_CTX_HW)));
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_EXPLICIT, 0, &id), -EINVAL);
	a = bo(fd, 'A', 1);
	igt_assert_eq(__make(fd, &a->handle, 1, 0, NULL), -EINVAL);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_PATCH, 0, &id), 0);
}

/**
 * SUBTEST: res-12-caps
 * Description: Caps tell which kinds of contexts an adapter has, and so which lists these take:
 *   exactly those of the option can be made.
 */
static void test_res_12(void)
{
	static const uint32_t caps[] = {
		[VSPLIT_CTX_MODE_EXPLICIT] = VSPLIT_CAP_CTX_EXPLICIT,
		[VSPLIT_CTX_MODE_VA] = VSPLIT_CAP_CTX_VA,
		[VSPLIT_CTX_MODE_HW] = VSPLIT_CAP_CTX_HW,
	};
	static const struct {
		const char *option;
		uint32_t modes;
	} cases[] = {
		{ "patch", 0 },
		{ "patch,explicit", 1 << VSPLIT_CTX_MODE_EXPLICIT },
		{ "patch,va", 1 << VSPLIT_CTX_MODE_VA },
		{ "patch,va,hw", 1 << VSPLIT_CTX_MODE_VA | 1 << VSPLIT_CTX_MODE_HW },
		{ "patch,explicit,va,hw", 1 << VSPLIT_CTX_MODE_EXPLICIT | 1 << VSPLIT_CTX_MODE_VA |
					  1 << VSPLIT_CTX_MODE_HW },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vsplit_adapter_opts opts = options();
		struct drm_vsplit_adapter_info info;
		struct vsplit_adapter *adapter;
		uint32_t id;

		opts.contexts = cases[i].option;
		adapter = vsplit_adapter_create(&opts);
		for (uint32_t mode = VSPLIT_CTX_MODE_EXPLICIT; mode <= VSPLIT_CTX_MODE_HW; mode++) {
			bool there = cases[i].modes & 1u << mode;
			int file = vsplit_adapter_open(adapter);

			vsplit_query_adapter(file, &info);
			igt_assert_f(!!(info.caps & caps[mode]) == there, "%s, kind %u\n",
				     cases[i].option, mode);
			igt_assert_eq(__context(file, mode, 0, &id), there ? 0 : -EINVAL);
			vsplit_close(file);
		}
		vsplit_adapter_destroy(adapter);
	}
}

/**
 * SUBTEST: res-22-models
 * Description: A file has the model of its first context, or of its first MakeResident; a
 *   context of the other one, or of a kind that there is not, is refused.
 */
static void test_res_22(void)
{
	struct drm_vsplit_adapter_info info;
	struct vsplit_bo *a;
	int file;
	uint32_t id;

	setup();
	vsplit_query_adapter(fd, &info);
	igt_assert(info.caps & VSPLIT_CAP_CTX_EXPLICIT);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_PATCH, 0, &id), -EINVAL);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_HW, 0, &id), -EINVAL);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_HW + 1, 0, &id), -EINVAL);
	context_on(fd, VSPLIT_CTX_MODE_EXPLICIT, 0);

	file = vsplit_adapter_open(ad);
	a = bo(file, 'A', 1);
	context_on(file, VSPLIT_CTX_MODE_PATCH, 0);
	igt_assert_eq(__context(file, VSPLIT_CTX_MODE_EXPLICIT, 0, &id), -EINVAL);
	igt_assert_eq(__make(file, &a->handle, 1, 0, NULL), -EINVAL);
	igt_assert_eq(__take(file, &a->handle, 1, 0), -EINVAL);

	file = vsplit_adapter_open(ad);
	a = bo(file, 'B', 1);
	make(a);
	igt_assert_eq(__context(file, VSPLIT_CTX_MODE_PATCH, 0, &id), -EINVAL);
	/* one portion: there is nothing to split */
	fills(cs, a = bo(fd, 'C', 1), 1);
	make(a);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EINVAL);
	igt_assert_eq(device_state(fd), VSPLIT_STATE_ACTIVE);
	run(cs, ctx);
}

/* ---- errors, and others ------------------------------------------------- */

/**
 * SUBTEST: errors
 * Description: Bad arguments are refused as documented and change nothing.
 */
static void test_errors(void)
{
	struct drm_vsplit_make_resident args;
	struct vsplit_bo *a;
	uint32_t *many;
	uint32_t h[2];

	setup();
	a = bo(fd, 'A', 1);
	make(a);
	h[0] = a->handle;
	h[1] = 0;
	/* an error writes nothing into the arguments */
	args = (struct drm_vsplit_make_resident) {
		.handles = (uintptr_t)h, .num_handles = 2, .point = 7, .trim_bytes = 8,
	};
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &args), -ENOENT);
	igt_assert_eq_u64(args.point, 7);
	igt_assert_eq_u64(args.trim_bytes, 8);
	igt_assert_eq(__make(fd, h, 0, 0, NULL), -EINVAL);
	igt_assert_eq(__make(fd, h, 1, 0x80, NULL), -EINVAL);
	igt_assert_eq(__make(fd, h, 2, 0, NULL), -ENOENT);
	igt_assert_eq(__make(fd, NULL, 1, 0, NULL), -EFAULT);
	igt_assert_eq(__make(fd, h, VSPLIT_MAX_RESIDENCY + 1, 0, NULL), -E2BIG);
	igt_assert_eq(__take(fd, h, 0, 0), -EINVAL);
	igt_assert_eq(__take(fd, h, 1, 0x80), -EINVAL);
	igt_assert_eq(__take(fd, h, 2, 0), -ENOENT);
	igt_assert_eq(__take(fd, NULL, 1, 0), -EFAULT);
	igt_assert_eq(__take(fd, h, VSPLIT_MAX_RESIDENCY + 1, 0), -E2BIG);
	igt_assert_eq(count(a), 1);
	/* as many as one call takes */
	many = malloc(VSPLIT_MAX_RESIDENCY * sizeof(*many));
	igt_assert(many);
	for (unsigned int i = 0; i < VSPLIT_MAX_RESIDENCY; i++)
		many[i] = a->handle;
	igt_assert_eq(__make(fd, many, VSPLIT_MAX_RESIDENCY, 0, NULL), 0);
	igt_assert_eq(count(a), VSPLIT_MAX_RESIDENCY + 1);
	igt_assert_eq(__take(fd, many, VSPLIT_MAX_RESIDENCY, 0), 0);
	igt_assert_eq(count(a), 1);
	free(many);
}

/**
 * SUBTEST: lists-that-exceed-memory
 * Description: Two devices whose lists do not fit together both get on, and lose no byte.
 */
static void test_exceed(void)
{
	const uint32_t whatever = VSPLIT_RESIDENT_CANT_TRIM_FURTHER;
	struct vsplit_bo *a[4], *b[4];

	setup();
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo(fd, 'A' + i, 3);
		b[i] = bo(fd2, 'a' + i, 3);
		igt_assert_eq(__make(fd, &a[i]->handle, 1, whatever, NULL), 0);
		igt_assert_eq(__make(fd2, &b[i]->handle, 1, whatever, NULL), 0);
	}
	for (unsigned int round = 0; round < 8; round++) {
		vsplit_cs_reset(cs);
		vsplit_cs_reset(cs2);
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_cs_bind(cs, i, a[i]);
			vsplit_cs_set(cs, i, 4096 * round, 4096, 0x11111111 * i + round);
			vsplit_cs_bind(cs2, i, b[i]);
			vsplit_cs_set(cs2, i, 4096 * round, 4096, 0x22222222 * i + round);
		}
		vsplit_cs_submit(cs, ctx, 0);
		vsplit_cs_submit(cs2, ctx2, 0);
		vsplit_cs_wait(cs);
		vsplit_cs_wait(cs2);
		vsplit_cs_reference(cs, 0);
		vsplit_cs_reference(cs2, 0);
	}
	for (unsigned int i = 0; i < 4; i++) {
		vsplit_bo_check(a[i]);
		vsplit_bo_check(b[i]);
	}
	igt_assert(residency(fd, 0).trims && residency(fd2, 0).trims);
}

/**
 * SUBTEST: beside-wddm-1
 * Description: A device with a list and one that splits share memory; each gets what it needs,
 *   and the one that splits may take what the other requires while that does not run.
 */
static void test_beside(void)
{
	struct vsplit_bo *a, *b[3];
	struct vsplit_cs *c;
	uint32_t patch;
	int file;

	setup();
	file = vsplit_adapter_open(ad);
	patch = context_on(file, VSPLIT_CTX_MODE_PATCH, 0);
	c = vsplit_cs(file);
	a = bo(fd, 'A', 12);
	vsplit_bo_pattern(a, 1);
	make(a);
	for (unsigned int i = 0; i < 3; i++)
		b[i] = bo(file, 'x' + i, 8);
	for (unsigned int round = 0; round < 3; round++) {
		vsplit_cs_reset(c);
		for (unsigned int i = 0; i < 3; i++) {
			vsplit_cs_bind(c, 0, b[i]);
			vsplit_cs_set(c, 0, 0, 8192, i + 3 * round);
		}
		vsplit_cs_submit(c, patch, 0);
		vsplit_cs_wait(c);
		vsplit_cs_reference(c, 0);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_set(cs, 0, 4096 * round, 4096, round);
		run(cs, ctx);
	}
	vsplit_bo_check(a);
	for (unsigned int i = 0; i < 3; i++)
		vsplit_bo_check(b[i]);
}

static const struct vsplit_subtest subtests[] = {
	{ "res-4-required-though-not-named", test_res_4, "what no buffer names is resident" },
	{ "res-5-all-members-come-before-it-starts", test_res_5, "all members come first" },
	{ "res-5-leaves-after-the-work-that-requires-it", test_res_5_leaves,
	  "what is required leaves after the work" },
	{ "res-5-any-context-any-engine", test_res_5_engines, "on every engine" },
	{ "res-6-all-or-none", test_res_6, "MakeResident is all or nothing" },
	{ "res-6-packed-anew", test_res_6_packed, "members are packed anew" },
	{ "res-6-pins-leave-room", test_res_6_pins, "pins leave room for lists" },
	{ "res-7-evicted-gates-no-more", test_res_7, "Evict" },
	{ "res-8-trim", test_res_8, "a trim, ignored and answered" },
	{ "res-8-one-event-at-a-time", test_res_8_armed, "one event until the query" },
	{ "res-8-unread", test_unread, "events that are not read" },
	{ "res-8-eventfd", test_eventfd, "trims by an eventfd" },
	{ "res-9-counted", test_res_9, "counts" },
	{ "res-10-lists-make-nothing-resident", test_res_10, "lists make nothing resident" },
	{ "res-13-lists-patch", test_res_13, "lists patch" },
	{ "res-14-lost", test_res_14, "a reference to what is not required" },
	{ "res-15-not-by-default", test_res_15, "not by default" },
	{ "res-12-caps", test_res_12, "caps tell the kinds" },
	{ "res-22-models", test_res_22, "a file has one model" },
	{ "list-ends-with-the-handle", test_ends, "what ends a requirement" },
	{ "ext-42-periodic", test_periodic, "what was not used in a period" },
	{ "ext-42-not-before-others", test_periodic_behind, "what others need comes first" },
	{ "ext-42-addresses", test_periodic_addresses, "what is used by addresses" },
	{ "ext-42-by-itself", test_periodic_timer, "periods end by themselves" },
	{ "budget", test_budget, "budgets and usage" },
	{ "reservation", test_reservation, "reservations" },
	{ "reserved-is-not-asked-for", test_reserved, "trims leave what is reserved" },
	{ "budget-events", test_budget_events, "changed budgets are told" },
	{ "errors", test_errors, "bad arguments" },
	{ "lists-that-exceed-memory", test_exceed, "two lists that do not fit" },
	{ "beside-wddm-1", test_beside, "beside a device that splits" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
