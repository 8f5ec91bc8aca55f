// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit primary
 * Description: Primaries of a head: buffers that write them are ordered with pending flips, in each
 *   mode of context with lists; virtual addresses and the requirement list; Present (RES-18 to
 *   RES-21). Documentation/residency.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Primaries of a head: buffers that write them are ordered with pending flips, "
		     "in each mode of context with lists; virtual addresses and the requirement "
		     "list; Present (RES-18 to RES-21).");

#define U 16384ull

static struct head head;
static struct fb fbs[2];
static uint32_t mode;

/* The file of the head is the device; engine 1 serves to hold up flips. */
static void setup(uint32_t kind)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 32 * U }, { "aper", true, .size = 32 * U } }, .slots = 16, .engines = 2, .heads = 1,
		.contexts = "patch,explicit,va", .test = true,
	};

	mode = kind;
	setup_opts(&opts);
	head_open(&head, 0);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	head_on(&head, &fbs[0]);
}

static uint32_t context(uint32_t engine)
{
	return vsplit_ctx_mode(head.fd, mode, engine);
}

static uint64_t address(const struct vsplit_bo *b)
{
	return (uint64_t)b->handle << 24;
}

/* Prepares @b as the mode of the context demands: requires it, and maps it. */
static void announce(struct vsplit_bo *b)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_MAP, .handle = b->handle, .address = address(b),
		.bytes = (b->size + 4095) / 4096 * 4096,
	};

	if (mode != VSPLIT_CTX_MODE_PATCH)
		vsplit_require(b);
	if (mode == VSPLIT_CTX_MODE_VA)
		expect(__vsplit_va_bind(head.fd, &op, 1, NULL, 0), 0);
}

static struct drm_vsplit_gem_info info_of(const struct vsplit_bo *b)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(b, &info);
	return info;
}

static void writes(struct vsplit_cs *c, struct vsplit_bo *b)
{
	if (mode == VSPLIT_CTX_MODE_VA) {
		vsplit_cs_alloc(c, b, VSPLIT_ALLOC_WRITE);
		vsplit_cs_state(c, VSPLIT_STATE_FILL, 0x00123456);
		vsplit_cs_fill_va(c, address(b), b->size);
		return;
	}
	vsplit_cs_bind(c, 0, b);
	vsplit_cs_set(c, 0, 0, b->size, 0x00123456);
}

/* Builds a copy of @from, which it only reads, to @to. */
static void reads(struct vsplit_cs *c, struct vsplit_bo *from, struct vsplit_bo *to)
{
	if (mode == VSPLIT_CTX_MODE_VA) {
		vsplit_cs_alloc(c, from, 0);
		vsplit_cs_copy_va(c, address(to), address(from), from->size);
		return;
	}
	c->access = 0;
	vsplit_cs_bind(c, 0, from);
	c->access = VSPLIT_ALLOC_WRITE;
	vsplit_cs_bind(c, 1, to);
	vsplit_cs_copy(c, 1, 0, 0, 0, from->size);
}

/* ---- RES-18 --------------------------------------------------------------- */

/* A fence that is not signalled until engine 1 is resumed. */
static int held_fence(void)
{
	struct vsplit_cs *c = vsplit_cs(head.fd);
	int fence;

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
	vsplit_cs_nop(c, 8);
	vsplit_cs_submit(c, context(1), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(head.fd, c->out, &fence), 0);
	return fence;
}

/* Commits @req, which shows @fb as soon as engine 1 is resumed. */
static void flip_held(drmModeAtomicReqPtr req, const struct fb *fb)
{
	int fence = held_fence();

	prop_set(req, head.fd, head.primary, "FB_ID", fb->id);
	prop_set(req, head.fd, head.primary, "IN_FENCE_FD", fence);
	expect(commit(&head, req, FLIP, NULL), 0);
	close(fence);
}

/*
 * Does the submission end? The callers assert only after they have resumed the engine, because a
 * head whose flip waits without end cannot be closed.
 */
static bool ends(struct vsplit_cs *c)
{
	return !__vsplit_syncobj_wait(head.fd, c->out, 0, VSPLIT_SOON_MS / 3);
}

static bool is_held(struct vsplit_cs *c)
{
	return __vsplit_syncobj_wait(head.fd, c->out, 0, 200) == -ETIME;
}

static uint64_t began_ns(struct vsplit_cs *c)
{
	struct vsplit_record *rec = vsplit_record(head.fd, c->ctx, c->submission);

	return vsplit_portion(rec, 0)->t0_ns;
}

static void held_until_the_flip(uint32_t kind)
{
	struct vsplit_cs *away, *to, *reader, *other;
	struct drm_event_vblank event;
	struct vsplit_bo *copy;
	bool reads_on, writes_on, held;
	uint64_t flip_ns;

	setup(kind);
	/* The first context makes the address space. */
	context(0);
	copy = vsplit_bo_in(head.fd, 'C', fbs[0].bo->size, 0, in_first);
	announce(fbs[0].bo);
	announce(fbs[1].bo);
	announce(copy);
	away = vsplit_cs(head.fd);
	to = vsplit_cs(head.fd);
	reader = vsplit_cs(head.fd);
	other = vsplit_cs(head.fd);
	writes(away, fbs[0].bo);
	writes(to, fbs[1].bo);
	reads(reader, fbs[0].bo, copy);
	writes(other, copy);
	flip_held(drmModeAtomicAlloc(), &fbs[1]);
	vsplit_cs_submit(reader, context(0), 0);
	reads_on = ends(reader);
	vsplit_cs_submit(away, context(0), 0);
	vsplit_cs_submit(to, context(0), 0);
	vsplit_cs_submit(other, context(0), 0);
	writes_on = ends(other);
	held = is_held(away) && is_held(to);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	igt_assert(reads_on);
	igt_assert(writes_on);
	igt_assert(held);
	event = next_event(&head);
	flip_ns = event.tv_sec * 1000000000ull + event.tv_usec * 1000ull;
	vsplit_cs_wait(away);
	vsplit_cs_wait(to);
	igt_assert(began_ns(away) >= flip_ns);
	igt_assert(began_ns(to) >= flip_ns);
	/* It is shown and no flip is pending: writing is allowed. */
	vsplit_cs_submit_and_wait(to, context(0), 0);
	head_off(&head);
}

/**
 * SUBTEST: res-18-held-until-the-flip
 * Description: While a flip is pending, work that writes the primary that is flipped away or to is
 *   held until the flip is done. Work that reads it, or writes another allocation, is not held.
 */
static void test_held(void)
{
	held_until_the_flip(VSPLIT_CTX_MODE_PATCH);
}

/**
 * SUBTEST: res-18-explicit
 * Description: The same in a context with explicit residency.
 */
static void test_held_explicit(void)
{
	held_until_the_flip(VSPLIT_CTX_MODE_EXPLICIT);
}

/**
 * SUBTEST: res-18-va
 * Description: The same in a context with virtual addresses, whose allocation list records only
 *   writes of primaries.
 */
static void test_held_va(void)
{
	held_until_the_flip(VSPLIT_CTX_MODE_VA);
}

/**
 * SUBTEST: writeback-waits-for-what-came-before
 * Description: A commit with a writeback waits for work that used the target before. It does not
 *   wait for a buffer that was submitted later, and that waits for the commit itself.
 */
static void test_writeback(void)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	struct vsplit_cs *c;
	struct fb target;
	int fence = -1;
	bool held;

	setup(VSPLIT_CTX_MODE_PATCH);
	fb_new(&head, &target, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", target.id);
	prop_set(req, head.fd, head.writeback, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)&fence);
	flip_held(req, &fbs[1]);
	c = vsplit_cs(head.fd);
	writes(c, fbs[0].bo);
	vsplit_cs_bind(c, 1, target.bo);
	vsplit_cs_set(c, 1, 0, 64, 7);
	vsplit_cs_submit(c, context(0), 0);
	held = is_held(c);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	igt_assert(held);
	next_event(&head);
	vsplit_cs_wait(c);
	igt_assert_eq(poll(&(struct pollfd){ .fd = fence, .events = POLLIN }, 1, VSPLIT_SOON_MS), 1);
	close(fence);
	head_off(&head);
}

/* ---- RES-19 --------------------------------------------------------------- */

/**
 * SUBTEST: res-19-primary-is-required
 * Description: In a context with virtual addresses, a buffer that writes a primary that is not
 *   required is refused, and the device lives on. A buffer that reads the primary, or writes an
 *   allocation that is no primary, is not refused.
 */
static void test_res_19(void)
{
	struct vsplit_bo *plain;
	struct vsplit_cs *c;
	uint32_t id, state;

	setup(VSPLIT_CTX_MODE_VA);
	id = context(0);
	plain = vsplit_bo_in(head.fd, 'P', U, 0, in_first);
	c = vsplit_cs(head.fd);
	vsplit_cs_nop(c, 8);
	vsplit_cs_alloc(c, fbs[1].bo, VSPLIT_ALLOC_WRITE);
	vsplit_cs_refused(c, id, 0, -EINVAL);
	expect(vsplit_ctx_state(head.fd, id, &state), VSPLIT_STATE_ACTIVE);
	igt_assert_eq_u32(state, VSPLIT_STATE_ACTIVE);
	/* It is shown, and thus resident, but not required. */
	c->allocs[0].handle = fbs[0].bo->handle;
	c->bos[0] = fbs[0].bo;
	vsplit_cs_refused(c, id, 0, -EINVAL);
	c->allocs[0].flags = 0;
	vsplit_cs_alloc(c, plain, VSPLIT_ALLOC_WRITE);
	vsplit_cs_submit_and_wait(c, id, 0);
	igt_assert_eq(segment_of(plain), 0);
	c->allocs[0].flags = VSPLIT_ALLOC_WRITE;
	announce(fbs[0].bo);
	vsplit_cs_submit_and_wait(c, id, 0);
	head_off(&head);
}

/* ---- RES-20, 21 ----------------------------------------------------------- */

static void move_elsewhere(struct vsplit_bo *b)
{
	struct vsplit_bo *instead = vsplit_bo_in(head.fd, 'I', b->size, 0, in_first);
	struct drm_vsplit_gem_info before = info_of(b), taken;

	vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, b->handle, 0);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, instead->handle, 1);
	taken = info_of(instead);
	igt_assert(!vsplit_exact() || taken.offset == before.offset);
}

static void present_after_a_move(uint32_t kind)
{
	struct drm_vsplit_fence_create fence = {};
	struct drm_vsplit_fence_signal signal = { .value = 1 };
	struct drm_vsplit_gem_info before, after;
	const struct drm_vsplit_row *row;
	struct vsplit_record *rec;
	struct vsplit_bo *from;
	struct vsplit_cs *c;
	uint32_t id;

	setup(kind);
	id = context(0);
	from = vsplit_bo_in(head.fd, 'S', fbs[1].bo->size, VSPLIT_GEM_CPU_ACCESS, in_first);
	vsplit_bo_pattern(from, 5);
	announce(from);
	announce(fbs[1].bo);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, fbs[1].bo->handle, 1);
	before = info_of(fbs[1].bo);
	igt_assert_eq_u32(before.segment, 1);
	expect(__vsplit_ioctl(head.fd, DRM_IOCTL_VSPLIT_FENCE_CREATE, &fence), 0);
	signal.handle = fence.handle;
	c = vsplit_cs(head.fd);
	vsplit_cs_wait_fence(c, fence.handle, 1);
	reads(c, from, fbs[1].bo);
	vsplit_cs_submit(c, id, 0);
	move_elsewhere(fbs[1].bo);
	expect(__vsplit_ioctl(head.fd, DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &signal), 0);
	/* The submission has no fence before it is published. */
	igt_assert_eq(drmSyncobjWait(head.fd, &c->out, 1,
				     vsplit_now_ns() + VSPLIT_SOON_MS * 1000000ll,
				     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL), 0);
	vsplit_cs_wait(c);
	after = info_of(fbs[1].bo);
	igt_assert_eq_u32(after.segment, 1);
	igt_assert(!vsplit_exact() || after.offset != before.offset);
	rec = vsplit_record(head.fd, id, c->submission);
	row = vsplit_row(rec, rec->info.num_portions - 1, 1);
	igt_assert(row);
	igt_assert_eq_u32(row->handle, fbs[1].bo->handle);
	igt_assert_eq_u64(row->offset, after.offset);
	igt_assert(!memcmp(fbs[1].bo->map, from->map, from->size));
	/* The head now shows the result. */
	expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	next_event(&head);
	igt_assert_eq_u64(info_of(fbs[1].bo).offset, after.offset);
	head_off(&head);
}

/**
 * SUBTEST: res-21-patched-again
 * Description: The destination of a queued Present moves. What is executed uses the new place.
 */
static void test_res_21(void)
{
	present_after_a_move(VSPLIT_CTX_MODE_PATCH);
}

/**
 * SUBTEST: res-21-explicit
 * Description: The same in a context with explicit residency.
 */
static void test_res_21_explicit(void)
{
	present_after_a_move(VSPLIT_CTX_MODE_EXPLICIT);
}

/**
 * SUBTEST: res-20-present-names-what-it-copies
 * Description: The list of a Present under explicit residency names source and destination, and
 *   makes nothing resident. A source that is not required is refused, and stays where it is.
 */
static void test_res_20(void)
{
	struct vsplit_bo *from, *unknown;
	struct vsplit_record *rec;
	struct vsplit_cs *c;
	uint32_t id, state;

	setup(VSPLIT_CTX_MODE_EXPLICIT);
	id = context(0);
	from = vsplit_bo_in(head.fd, 'S', fbs[0].bo->size, VSPLIT_GEM_CPU_ACCESS, in_first);
	unknown = vsplit_bo_in(head.fd, 'X', fbs[0].bo->size, 0, in_first);
	vsplit_bo_pattern(from, 9);
	announce(from);
	announce(fbs[0].bo);
	c = vsplit_cs(head.fd);
	vsplit_cs_nop(c, 8);
	vsplit_cs_submit_and_wait(c, id, 0);
	vsplit_cs_reset(c);
	reads(c, from, fbs[0].bo);
	vsplit_cs_submit_and_wait(c, id, 0);
	rec = vsplit_record(head.fd, id, c->submission);
	igt_assert(!vsplit_exact() || !vsplit_count(rec, VSPLIT_EVENT_PAGE_IN));
	igt_assert_eq_u64(vsplit_row(rec, 0, 0)->offset, info_of(from).offset);
	igt_assert_eq_u64(vsplit_row(rec, 0, 1)->offset, info_of(fbs[0].bo).offset);
	igt_assert(!memcmp(fbs[0].bo->map, from->map, from->size));
	vsplit_cs_reset(c);
	reads(c, unknown, fbs[0].bo);
	expect(__vsplit_cs_submit(c, id, 0), -EINVAL);
	igt_assert_eq(segment_of(unknown), 0);
	vsplit_ctx_state(head.fd, id, &state);
	igt_assert_eq_u32(state, VSPLIT_STATE_LOST_RESIDENCY);
	head_off(&head);
}

/* ---- RES-6 ---------------------------------------------------------------- */

/**
 * SUBTEST: res-6-flips-leave-room
 * Description: A picture is pinned in a segment where it takes no room from a device's requirement
 *   list, if there is one, even if it is in another segment. If there is none, it is pinned all the
 *   same: a client without privilege must not hold up a head.
 */
static void test_res_6(void)
{
	static const uint8_t anywhere[] = { 1, 2, 0 };
	struct vsplit_bo *large;
	struct fb other;

	setup(VSPLIT_CTX_MODE_EXPLICIT);
	large = vsplit_bo_in(head.fd, 'L', 32 * U - fbs[0].bo->size, 0, in_first);
	announce(large);
	fb_new(&head, &other, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, anywhere);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, other.bo->handle, 1);
	igt_assert_eq(segment_of(other.bo), 1);
	expect(__head_flip(&head, &other, DRM_MODE_PAGE_FLIP_EVENT, NULL), 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	igt_assert_eq(segment_of(other.bo), 2);
	/* The pictures shown before have given their room back, and may come again. */
	for (unsigned int i = 0; i < 2; i++) {
		expect(__head_flip(&head, &fbs[i], DRM_MODE_PAGE_FLIP_EVENT, NULL), 0);
		igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
		igt_assert_eq(segment_of(fbs[i].bo), 1);
	}
	head_off(&head);
}

/**
 * SUBTEST: res-6-lists-hold-no-flip-up
 * Description: The segment where a picture would take no room from a device's requirement list has
 *   no room. The picture is pinned in the other segment all the same.
 */
static void test_res_6_full(void)
{
	static const uint8_t anywhere[] = { 1, 2, 0 };
	struct fb other;

	setup(VSPLIT_CTX_MODE_EXPLICIT);
	vsplit_bo_in(head.fd, 'P', 32 * U, VSPLIT_GEM_PINNED, in_second);
	announce(vsplit_bo_in(head.fd, 'L', 32 * U - fbs[0].bo->size, 0, in_first));
	fb_new(&head, &other, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, anywhere);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	expect(__head_flip(&head, &other, DRM_MODE_PAGE_FLIP_EVENT, NULL), 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	igt_assert_eq(segment_of(other.bo), 1);
	head_off(&head);
}

static const struct vsplit_subtest tests[] = {
	{ "res-6-flips-leave-room", test_res_6,
	  "A picture is pinned in a segment where it takes no room from a device's requirement "
	  "list, if there is one, even if it is in another segment" },
	{ "res-6-lists-hold-no-flip-up", test_res_6_full,
	  "The segment where a picture would take no room from a device's requirement list has no "
	  "room. The picture is pinned in the other segment all the same." },
	{ "res-18-held-until-the-flip", test_held,
	  "While a flip is pending, work that writes the primary that is flipped away or to is "
	  "held until the flip is done" },
	{ "res-18-explicit", test_held_explicit,
	  "While a flip is pending, work of a context with explicit residency that writes the "
	  "primary is held" },
	{ "res-18-va", test_held_va,
	  "While a flip is pending, work of a context with virtual addresses that lists the "
	  "primary as written is held" },
	{ "writeback-waits-for-what-came-before", test_writeback,
	  "A commit with a writeback waits for work that used the target before" },
	{ "res-19-primary-is-required", test_res_19,
	  "In a context with virtual addresses, a buffer that writes a primary that is not "
	  "required is refused, and the device lives on" },
	{ "res-20-present-names-what-it-copies", test_res_20,
	  "The list of a Present under explicit residency names source and destination, and makes "
	  "nothing resident" },
	{ "res-21-patched-again", test_res_21,
	  "The destination of a queued Present moves. What is executed uses the new place." },
	{ "res-21-explicit", test_res_21_explicit,
	  "A queued Present of a context with explicit residency uses the new place of its "
	  "destination" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
