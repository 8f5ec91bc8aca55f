// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit resid
 * Description: Explicit residency: requirement lists, MakeResident and Evict, and contexts whose
 *   lists only patch: RES-4 to RES-7, RES-9 to RES-15, RES-22; Documentation/residency.rst has the
 *   table. Trims and budgets are tested by vsplit_budget, and what several devices share by
 *   vsplit_sharers.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_resid.h"

IGT_TEST_DESCRIPTION("Explicit residency: requirement lists, MakeResident and Evict, and contexts "
		     "whose lists only patch: RES-4 to RES-7, RES-9 to RES-15, RES-22; "
		     "Documentation/residency.rst has the table.");

/* How long a buffer spins. */
#define SPIN_US 300000

static uint32_t count(const struct vsplit_bo *b)
{
	return residency(b->fd, b->handle).count;
}

static bool is_busy(const struct vsplit_bo *b)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(b, &info);
	return info.flags & VSPLIT_GEM_INFO_BUSY;
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
 * Description: An allocation that is on the list, but named by no buffer, is resident when the
 *   device runs.
 */
static void test_res_4(void)
{
	struct vsplit_bo *a, *b;

	setup_devices();
	a = bo_on(fd, 'A', 2);
	b = bo_on(fd, 'B', 3);
	vsplit_bo_pattern(b, 7);
	make(a);
	make(b);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, b->handle, 0);
	igt_assert(!vsplit_bo_resident(b));
	fills(cs, a, 1);
	run_one(cs, ctx);
	igt_assert(vsplit_bo_resident(b));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: res-5-all-members-come-before-it-starts
 * Description: One of two members leaves because memory is short. A buffer that uses only the other
 *   one begins when both are there, as its record says.
 */
static void test_res_5(void)
{
	const struct drm_vsplit_event *in, *portion;
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *rec;

	setup_devices();
	a = bo_on(fd, 'A', 6);
	b = bo_on(fd, 'B', 6);
	c = bo_on(fd2, 'C', 8);
	vsplit_bo_pattern(a, 2);
	vsplit_bo_pattern(b, 3);
	make(a);
	make(b);
	make(c);
	igt_assert(!vsplit_bo_resident(a) || !vsplit_bo_resident(b));
	/* Let @a be the one that is resident. */
	if (!vsplit_bo_resident(a)) {
		struct vsplit_bo *there = b;

		b = a;
		a = there;
	}
	fills(cs, a, 2);
	run_one(cs, ctx);
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
 * Description: A member that a running buffer does not name leaves only after that buffer.
 */
static void test_res_5_leaves(void)
{
	struct vsplit_bo *a, *b, *c;
	struct drm_vsplit_make_resident args;
	uint32_t busy;

	setup_devices();
	a = bo_on(fd, 'A', 6);
	b = bo_on(fd, 'B', 6);
	c = bo_on(fd2, 'C', 14);
	make(a);
	make(b);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fills(cs, a, 2);
	vsplit_cs_submit(cs, ctx, 0);
	/* Its page-in needs the room of both, and comes after the buffer. */
	igt_assert_eq(__vsplit_make_resident(fd2, &c->handle, 1, 0, &args), 0);
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

	setup_devices();
	a = bo_on(fd, 'A', 2);
	b = bo_on(fd, 'B', 2);
	make(a);
	make(b);
	other = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 1);
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		igt_assert(!vsplit_bo_resident(a) && !vsplit_bo_resident(b));
		vsplit_cs_reset(cs);
		fills(cs, a, i);
		run_one(cs, i ? other : ctx);
		igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	}
}

/**
 * SUBTEST: res-5-closed-on-its-way
 * Description: A buffer brings back a member in an aperture that it does not name. The member is
 *   closed before the buffer runs. The allocation that gets its range next is still mapped there
 *   after the buffer.
 */
static void test_res_5_closed(void)
{
	struct vsplit_bo *x, *y;
	struct vsplit_cs *c;
	uint32_t other;
	int file;

	setup_devices();
	file = vsplit_adapter_open(ad);
	other = vsplit_ctx_mode(file, VSPLIT_CTX_MODE_PATCH, 1);
	c = vsplit_cs(file);
	x = vsplit_bo_in(fd, 'X', 12 * U, 0, in_second);
	make(x);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, x->handle, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_spin(cs, SPIN_US);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_bo_free(x);
	y = vsplit_bo_in(file, 'Y', 12 * U, 0, in_second);
	fills(c, y, 1);
	vsplit_cs_submit(c, other, 0);
	igt_assert_eq(segment_of(y), 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	/* Its range may be used once X is there, while the buffer that brought X in spins. */
	vsplit_cs_wait(c);
	vsplit_cs_wait(cs);
	vsplit_cs_reset(c);
	fills(c, y, 2);
	run_one(c, other);
	vsplit_bo_check(y);
}

/**
 * SUBTEST: res-5-closed-when-it-is-there
 * Description: A buffer that does not name a member brings it back, or finds it where another
 *   device has brought it. Once the member is there it may be closed, and its range is free: another
 *   client does not wait for the buffer, which goes on running.
 */
static void test_res_5_closed_there(void)
{
	for (unsigned int round = 0; round < 2; round++) {
		struct vsplit_bo *x, *y, *theirs = NULL;
		struct vsplit_cs *c;
		int file;

		setup_devices();
		file = vsplit_adapter_open(ad);
		c = vsplit_cs(file);
		x = bo_on(fd, 'X', 12);
		make(x);
		if (round) {
			theirs = vsplit_bo_share(fd2, 'X', x);
			make(theirs);
		}
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, x->handle, 0);
		if (round) {
			y = bo_on(fd2, 'Y', 1);
			make(y);
			fills(cs2, y, 1);
			run_one(cs2, ctx2);
			igt_assert(vsplit_bo_resident(x));
		}
		/* A buffer that makes progress, and does not end. */
		for (unsigned int i = 0; i < 60000; i++)
			vsplit_cs_spin(cs, 10000);
		vsplit_cs_submit(cs, ctx, 0);
		igt_assert(vsplit_soon(!is_busy(x)));
		igt_assert(vsplit_bo_resident(x));
		vsplit_bo_free(x);
		if (theirs)
			vsplit_bo_free(theirs);
		y = bo_on(file, 'Y', 12);
		fills(c, y, 1);
		vsplit_cs_submit(c, vsplit_ctx_mode(file, VSPLIT_CTX_MODE_PATCH, 1), 0);
		igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(file, c->out)),
			     "round %u: the range is not free\n", round);
		igt_assert(vsplit_syncobj_busy(fd, cs->out));
		vsplit_cs_wait(c);
		vsplit_cs_reference(c, 0);
		vsplit_bo_check(y);
		vsplit_cleanup();
	}
}

/* ---- RES-6, 7, 9: the list ---------------------------------------------- */

/**
 * SUBTEST: res-6-all-or-none
 * Description: A call with several allocations adds all of them; if one is unknown, or they do not
 *   fit together, it adds none, and tells how many bytes are too many.
 */
static void test_res_6(void)
{
	struct drm_vsplit_make_resident args;
	struct vsplit_bo *a, *b, *c;
	uint32_t h[3];

	setup_devices();
	a = bo_on(fd, 'A', 6);
	b = bo_on(fd, 'B', 7);
	c = bo_on(fd, 'C', 5);
	h[0] = a->handle;
	h[1] = b->handle;
	h[2] = 12345;
	igt_assert_eq(__vsplit_make_resident(fd, h, 3, 0, &args), -ENOENT);
	h[2] = c->handle;
	igt_assert_eq(__vsplit_make_resident(fd, h, 3, 0, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, 2 * U);
	igt_assert_eq(count(a) + count(b) + count(c), 0);
	igt_assert_eq_u64(usage(fd), 0);
	igt_assert(!vsplit_bo_resident(a) && !vsplit_bo_resident(b) && !vsplit_bo_resident(c));
	igt_assert_eq(__vsplit_make_resident(fd, h, 2, 0, &args), 0);
	igt_assert(args.point);
	wait_point(fd, args.point);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	igt_assert_eq_u64(usage(fd), 13 * U);
	/* The list and the request together. */
	igt_assert_eq(__vsplit_make_resident(fd, &c->handle, 1, 0, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, 2 * U);
	igt_assert_eq(count(c), 0);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	/* All are resident now: there is nothing to wait for. */
	igt_assert_eq(__vsplit_make_resident(fd, h, 2, 0, &args), 0);
	igt_assert_eq_u64(args.point, 0);
	igt_assert_eq(count(a), 2);
}

/**
 * SUBTEST: res-6-packed-anew
 * Description: Allocations that fit together are admitted even if no hole is large enough: the
 *   device's allocations are moved, and no byte of them is lost. Allocations of the same size are
 *   placed in the order of their creation, whatever order the kernel keeps them in, so that each
 *   run is like the next one.
 */
static void test_res_6_packed(void)
{
	struct vsplit_bo *small[8], *large;
	struct drm_vsplit_gem_info info;
	uint64_t last = 0;

	setup_devices();
	for (unsigned int i = 0; i < 8; i++) {
		small[i] = bo_on(fd, 'a' + i, 2);
		vsplit_bo_pattern(small[i], i);
		make(small[i]);
	}
	for (unsigned int i = 0; i < 8; i += 2)
		take(small[i]);
	large = bo_on(fd, 'L', 8);
	make(large);
	for (unsigned int i = 1; i < 8; i += 2) {
		vsplit_info(small[i], &info);
		igt_assert(info.segment == 1 && (i == 1 || info.offset > last));
		last = info.offset;
	}
	igt_assert(vsplit_bo_resident(large));
	fills(cs, large, 5);
	run_one(cs, ctx);
	vsplit_bo_check(large);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_bo_check(small[i]);
}

/**
 * SUBTEST: res-7-evicted-gates-no-more
 * Description: An allocation that was taken off the list may leave, and is not brought back for the
 *   device.
 */
static void test_res_7(void)
{
	struct vsplit_bo *a, *b, *c;

	setup_devices();
	a = bo_on(fd, 'A', 2);
	b = bo_on(fd, 'B', 2);
	c = bo_on(fd, 'C', 2);
	vsplit_bo_pattern(b, 9);
	make(a);
	make(b);
	make(c);
	take(b);
	igt_assert_eq(count(b), 0);
	igt_assert(!vsplit_bo_resident(b));
	/* Lazily: it stays as long as there is room. */
	igt_assert_eq(__vsplit_evict(fd, &c->handle, 1, VSPLIT_EVICT_IF_NECESSARY), 0);
	igt_assert(vsplit_bo_resident(c));
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	fills(cs, a, 4);
	run_one(cs, ctx);
	igt_assert(!vsplit_bo_resident(b) && !vsplit_bo_resident(c));
	vsplit_bo_check(b);
}

/**
 * SUBTEST: res-7-not-written
 * Description: If Evict says that the GPU has not written an allocation, nothing is transferred,
 *   and the bytes are those of the backing store. But an allocation that has a name or was
 *   exported, so that others may have written it, keeps its bytes.
 */
static void test_not_written(void)
{
	struct drm_gem_flink name = {};
	uint32_t old[2 * U / 4], id;
	struct vsplit_bo *a;
	struct vsplit_cs *c;
	int file;

	setup_devices();
	file = vsplit_adapter_open_primary(ad);
	id = vsplit_ctx_mode(file, VSPLIT_CTX_MODE_EXPLICIT, 0);
	c = vsplit_cs(file);
	for (unsigned int kind = 0; kind < 3; kind++) {
		a = bo_on(file, 'A' + kind, 2);
		for (unsigned int i = 0; i < 2; i++) {
			memcpy(old, a->shadow, sizeof(old));
			make(a);
			vsplit_cs_reset(c);
			fills(c, a, 0x11111111 * (i + 1));
			run_one(c, id);
			if (!i)
				take(a);
		}
		name.handle = a->handle;
		if (kind == 1)
			igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_GEM_FLINK, &name), 0);
		if (kind == 2)
			close(vsplit_bo_export(a));
		igt_assert_eq(__vsplit_evict(file, &a->handle, 1, VSPLIT_EVICT_NOT_WRITTEN), 0);
		igt_assert(!vsplit_bo_resident(a));
		if (!kind)
			memcpy(a->shadow, old, sizeof(old));
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: res-9-counted
 * Description: An allocation that was added three times has to be taken off three times. A fourth
 *   time is an error and changes nothing, alone or together with others.
 */
static void test_res_9(void)
{
	struct vsplit_bo *a, *b;
	uint32_t h[4];

	setup_devices();
	a = bo_on(fd, 'A', 2);
	b = bo_on(fd, 'B', 2);
	h[0] = a->handle;
	h[1] = a->handle;
	h[2] = b->handle;
	igt_assert_eq(__vsplit_make_resident(fd, h, 3, 0, NULL), 0);
	make(a);
	igt_assert_eq(count(a), 3);
	igt_assert_eq(count(b), 1);
	igt_assert_eq_u64(usage(fd), 4 * U);
	/* Two of one and one too many of the other: nothing is taken off. */
	h[3] = b->handle;
	igt_assert_eq(__vsplit_evict(fd, h, 4, 0), -EINVAL);
	igt_assert_eq(count(a), 3);
	igt_assert_eq(count(b), 1);
	take(a);
	take(a);
	igt_assert_eq(count(a), 1);
	igt_assert(vsplit_bo_resident(a));
	take(a);
	igt_assert_eq(count(a), 0);
	igt_assert_eq(__vsplit_evict(fd, &a->handle, 1, 0), -EINVAL);
	igt_assert_eq(count(a), 0);
	igt_assert_eq_u64(usage(fd), 2 * U);
	igt_assert_eq(residency(fd, 0).members, 1);
}

/**
 * SUBTEST: list-ends-with-the-handle
 * Description: A closed handle, a lost device and a closed file require nothing. An allocation with
 *   two handles in a file is required until the handle is closed through which it was required.
 */
static void test_ends(void)
{
	struct drm_gem_flink name = {};
	struct drm_gem_open opened;
	struct vsplit_bo *a, *b, *c;
	int file;

	setup_devices();
	a = bo_on(fd, 'A', 8);
	b = bo_on(fd, 'B', 8);
	c = bo_on(fd2, 'C', 16);
	make(a);
	make(b);
	igt_assert_eq(__vsplit_gem_close(fd, b->handle), 0);
	b->handle = 0;
	igt_assert_eq(residency(fd, 0).members, 1);
	igt_assert_eq_u64(usage(fd), 8 * U);
	/* Two handles in one file. */
	file = vsplit_adapter_open_primary(ad);
	b = bo_on(file, 'B', 1);
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
	igt_assert_eq(__vsplit_make_resident(file, &opened.handle, 1, 0, NULL), 0);
	b->handle = 0;
	vsplit_cleanup_file(file);
	/* A lost device takes nothing from others. */
	fills(cs, bo_on(fd, 'D', 1), 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert_eq_u64(usage(fd), 0);
	make(c);
	igt_assert(vsplit_bo_resident(c) && !vsplit_bo_resident(a));
	fills(cs2, c, 6);
	run_one(cs2, ctx2);
	igt_assert(!residency(fd, 0).trims);
}

/* ---- RES-10, 13, 14, 15, 22: contexts ----------------------------------- */

/**
 * SUBTEST: res-10-lists-make-nothing-resident
 * Description: A list that names an allocation that is not required does not page it in.
 */
static void test_res_10(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *a;

	setup_devices();
	a = bo_on(fd, 'A', 2);
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
 * Description: A reference to an allocation that is not on the list, resident by chance or not,
 *   loses the device: all of its contexts, and no other.
 */
static void test_res_14(void)
{
	struct vsplit_bo *a, *b, *c;
	uint32_t other, lost;

	setup_devices();
	a = bo_on(fd, 'A', 2);
	b = bo_on(fd, 'B', 2);
	c = bo_on(fd2, 'C', 2);
	make(a);
	make(b);
	make(c);
	other = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 1);
	igt_assert_eq(__vsplit_evict(fd, &b->handle, 1, VSPLIT_EVICT_IF_NECESSARY), 0);
	igt_assert(vsplit_bo_resident(b));
	fills(cs, b, 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert_eq(device_state(fd), VSPLIT_STATE_LOST_RESIDENCY);
	igt_assert_eq(vsplit_ctx_state(fd, other, &lost), VSPLIT_STATE_LOST_RESIDENCY);
	vsplit_cs_reset(cs);
	fills(cs, a, 1);
	vsplit_cs_refused(cs, ctx, 0, -EIO);
	vsplit_cs_refused(cs, other, 0, -EIO);
	igt_assert_eq(__vsplit_make_resident(fd, &b->handle, 1, 0, NULL), -EIO);
	igt_assert_eq(device_state(fd2), VSPLIT_STATE_ACTIVE);
	fills(cs2, c, 3);
	run_one(cs2, ctx2);
	vsplit_bo_check(c);
}

/**
 * SUBTEST: res-13-lists-patch
 * Description: Both lists are accepted in full, and addresses are those of the present places, even
 *   after allocations have moved.
 */
static void test_res_13(void)
{
	struct vsplit_bo *b[6];

	setup_devices();
	for (unsigned int i = 0; i < 6; i++) {
		b[i] = bo_on(fd, 'A' + i, 2);
		make(b[i]);
	}
	for (unsigned int round = 0; round < 3; round++) {
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < 6; i++) {
			vsplit_cs_bind(cs, i, b[i]);
			vsplit_cs_set(cs, i, 0, b[i]->size, 0x01010101 * (i + 10 * round));
		}
		run_one(cs, ctx);
		vsplit_cs_check(cs);
		/* At another place the next time. */
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		make(bo_on(fd, 'f' + round, 1));
	}
}

/**
 * SUBTEST: res-15-not-by-default
 * Description: An adapter without the option has no such contexts and no lists, and its caps say
 *   so.
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
	a = bo_on(fd, 'A', 1);
	igt_assert_eq(__vsplit_make_resident(fd, &a->handle, 1, 0, NULL), -EINVAL);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_PATCH, 0, &id), 0);
}

/**
 * SUBTEST: res-12-caps
 * Description: Caps tell which modes of contexts an adapter has, and thus which lists these accept.
 *   Exactly the modes in the option can be made.
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
 * Description: A file has the model of its first context, or of its first MakeResident. A context
 *   of the other model, or of a mode that does not exist, is refused.
 */
static void test_res_22(void)
{
	struct drm_vsplit_adapter_info info;
	struct vsplit_bo *a;
	int file;
	uint32_t id;

	setup_devices();
	vsplit_query_adapter(fd, &info);
	igt_assert(info.caps & VSPLIT_CAP_CTX_EXPLICIT);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_PATCH, 0, &id), -EINVAL);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_HW, 0, &id), -EINVAL);
	igt_assert_eq(__context(fd, VSPLIT_CTX_MODE_HW + 1, 0, &id), -EINVAL);
	vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0);

	file = vsplit_adapter_open(ad);
	a = bo_on(file, 'A', 1);
	vsplit_ctx_mode(file, VSPLIT_CTX_MODE_PATCH, 0);
	igt_assert_eq(__context(file, VSPLIT_CTX_MODE_EXPLICIT, 0, &id), -EINVAL);
	igt_assert_eq(__vsplit_make_resident(file, &a->handle, 1, 0, NULL), -EINVAL);
	igt_assert_eq(__vsplit_evict(file, &a->handle, 1, 0), -EINVAL);

	file = vsplit_adapter_open(ad);
	a = bo_on(file, 'B', 1);
	make(a);
	igt_assert_eq(__context(file, VSPLIT_CTX_MODE_PATCH, 0, &id), -EINVAL);
	/* The buffer is one portion: there is nothing to split. */
	fills(cs, a = bo_on(fd, 'C', 1), 1);
	make(a);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EINVAL);
	igt_assert_eq(device_state(fd), VSPLIT_STATE_ACTIVE);
	run_one(cs, ctx);
}

/* ---- errors, and others ------------------------------------------------- */

/**
 * SUBTEST: errors
 * Description: Bad arguments are refused with the documented errors, and change nothing.
 */
static void test_errors(void)
{
	struct drm_vsplit_make_resident args;
	struct vsplit_bo *a;
	uint32_t *many;
	uint32_t h[2];

	setup_devices();
	a = bo_on(fd, 'A', 1);
	make(a);
	h[0] = a->handle;
	h[1] = 0;
	/* An error writes nothing into the arguments. */
	args = (struct drm_vsplit_make_resident) {
		.handles = (uintptr_t)h, .num_handles = 2, .point = 7, .trim_bytes = 8,
	};
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &args), -ENOENT);
	igt_assert_eq_u64(args.point, 7);
	igt_assert_eq_u64(args.trim_bytes, 8);
	igt_assert_eq(__vsplit_make_resident(fd, h, 0, 0, NULL), -EINVAL);
	igt_assert_eq(__vsplit_make_resident(fd, h, 1, 0x80, NULL), -EINVAL);
	igt_assert_eq(__vsplit_make_resident(fd, h, 2, 0, NULL), -ENOENT);
	igt_assert_eq(__vsplit_make_resident(fd, NULL, 1, 0, NULL), -EFAULT);
	igt_assert_eq(__vsplit_make_resident(fd, h, VSPLIT_MAX_RESIDENCY + 1, 0, NULL), -E2BIG);
	igt_assert_eq(__vsplit_evict(fd, h, 0, 0), -EINVAL);
	igt_assert_eq(__vsplit_evict(fd, h, 1, 0x80), -EINVAL);
	igt_assert_eq(__vsplit_evict(fd, h, 2, 0), -ENOENT);
	igt_assert_eq(__vsplit_evict(fd, NULL, 1, 0), -EFAULT);
	igt_assert_eq(__vsplit_evict(fd, h, VSPLIT_MAX_RESIDENCY + 1, 0), -E2BIG);
	igt_assert_eq(count(a), 1);
	/* As many as one call accepts. */
	many = malloc(VSPLIT_MAX_RESIDENCY * sizeof(*many));
	igt_assert(many);
	for (unsigned int i = 0; i < VSPLIT_MAX_RESIDENCY; i++)
		many[i] = a->handle;
	igt_assert_eq(__vsplit_make_resident(fd, many, VSPLIT_MAX_RESIDENCY, 0, NULL), 0);
	igt_assert_eq(count(a), VSPLIT_MAX_RESIDENCY + 1);
	igt_assert_eq(__vsplit_evict(fd, many, VSPLIT_MAX_RESIDENCY, 0), 0);
	igt_assert_eq(count(a), 1);
	free(many);
}

/**
 * SUBTEST: lists-that-exceed-memory
 * Description: Two devices whose lists do not fit together both make progress, and lose no byte.
 */
static void test_exceed(void)
{
	const uint32_t whatever = VSPLIT_RESIDENT_CANT_TRIM_FURTHER;
	struct vsplit_bo *a[4], *b[4];

	setup_devices();
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo_on(fd, 'A' + i, 3);
		b[i] = bo_on(fd2, 'a' + i, 3);
		igt_assert_eq(__vsplit_make_resident(fd, &a[i]->handle, 1, whatever, NULL), 0);
		igt_assert_eq(__vsplit_make_resident(fd2, &b[i]->handle, 1, whatever, NULL), 0);
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
 * SUBTEST: many-missing
 * Description: Another device took all of the memory, so that more allocations are missing than the
 *   driver handles at once. The next submission brings all of them back.
 */
static void test_many(void)
{
	struct vsplit_adapter_opts opts = options();
	const unsigned int units = 1024;
	uint32_t handles[600];
	struct vsplit_bo *bos[ARRAY_SIZE(handles)], *large;

	opts.segs[0].size = units * U;
	setup_adapter(&opts);
	for (unsigned int i = 0; i < ARRAY_SIZE(handles); i++) {
		bos[i] = bo_on(fd, 'm', 1);
		handles[i] = bos[i]->handle;
	}
	igt_assert_eq(__vsplit_make_resident(fd, handles, ARRAY_SIZE(handles), 0, NULL), 0);
	large = bo_on(fd2, 'L', units);
	igt_assert_eq(__vsplit_make_resident(fd2, &large->handle, 1, VSPLIT_RESIDENT_CANT_TRIM_FURTHER, NULL), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(handles); i++)
		igt_assert(!vsplit_bo_resident(bos[i]));
	fills(cs, bos[0], 1);
	run_one(cs, ctx);
	for (unsigned int i = 0; i < ARRAY_SIZE(handles); i++)
		igt_assert_f(vsplit_bo_resident(bos[i]), "%u is not there\n", i);
}

static const struct vsplit_subtest subtests[] = {
	{ "res-4-required-though-not-named", test_res_4,
	  "An allocation that is on the list, but named by no buffer, is resident when the device "
	  "runs" },
	{ "res-5-all-members-come-before-it-starts", test_res_5,
	  "One of two members leaves because memory is short. A buffer that uses only the other "
	  "one begins when both are there, as its record says." },
	{ "res-5-leaves-after-the-work-that-requires-it", test_res_5_leaves,
	  "A member that a running buffer does not name leaves only after that buffer" },
	{ "res-5-any-context-any-engine", test_res_5_engines,
	  "The rule holds for each context of the device, on every engine (RES-11)" },
	{ "res-5-closed-on-its-way", test_res_5_closed,
	  "A member that is closed before its buffer runs does not unmap the allocation that gets "
	  "its range next" },
	{ "res-5-closed-when-it-is-there", test_res_5_closed_there,
	  "A buffer that does not name a member brings it back, or finds it where another "
	  "device has brought it. Once the member is there it may be closed, and its range is "
	  "free: another client does not wait for the buffer, which goes on running." },
	{ "res-6-all-or-none", test_res_6,
	  "A call with several allocations adds all of them; if one is unknown, or they do not fit "
	  "together, it adds none, and tells how many bytes are too many" },
	{ "res-6-packed-anew", test_res_6_packed,
	  "Allocations that fit together are admitted even if no hole is large enough: the "
	  "device's allocations are moved, and no byte of them is lost" },
	{ "res-7-evicted-gates-no-more", test_res_7,
	  "An allocation that was taken off the list may leave, and is not brought back for the "
	  "device" },
	{ "res-7-not-written", test_not_written,
	  "If Evict says that the GPU has not written an allocation, nothing is transferred, "
	  "and the bytes are those of the backing store. But an allocation that has a name or "
	  "was exported, so that others may have written it, keeps its bytes." },
	{ "res-9-counted", test_res_9,
	  "An allocation that was added three times has to be taken off three times. A fourth time "
	  "is an error and changes nothing, alone or together with others." },
	{ "res-10-lists-make-nothing-resident", test_res_10,
	  "A list that names an allocation that is not required does not page it in" },
	{ "res-13-lists-patch", test_res_13,
	  "Both lists are accepted in full, and addresses are those of the present places, even "
	  "after allocations have moved" },
	{ "res-14-lost", test_res_14,
	  "A reference to an allocation that is not on the list, resident by chance or not, loses "
	  "the device: all of its contexts, and no other" },
	{ "res-15-not-by-default", test_res_15,
	  "An adapter without the option has no such contexts and no lists, and its caps say so" },
	{ "res-12-caps", test_res_12,
	  "Caps tell which modes of contexts an adapter has, and thus which lists these accept. "
	  "Exactly the modes in the option can be made." },
	{ "res-22-models", test_res_22,
	  "A file has the model of its first context, or of its first MakeResident. A context of "
	  "the other model, or of a mode that does not exist, is refused." },
	{ "list-ends-with-the-handle", test_ends,
	  "A closed handle, a lost device and a closed file require nothing" },
	{ "errors", test_errors,
	  "Bad arguments are refused with the documented errors, and change nothing" },
	{ "lists-that-exceed-memory", test_exceed,
	  "Two devices whose lists do not fit together both make progress, and lose no byte" },
	{ "many-missing", test_many,
	  "Another device took all of the memory, so that more allocations are missing than the "
	  "driver handles at once" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
