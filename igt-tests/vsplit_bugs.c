// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit bugs
 * Description: Small things that were wrong once.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: regression
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

IGT_TEST_DESCRIPTION("Small things that were wrong once.");

#define U 4096ull

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 16 * U }, { "gart", true, .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 60000,
	.test = true,
};

static struct vsplit_adapter *ad;
static uint32_t ctx;
static int fd;

static void setup(void)
{
	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
}

/* ---- records ------------------------------------------------------------ */

/**
 * SUBTEST: driver-id-is-returned
 * Description: The record has the DriverId of each element of the patch-location list, with
 *   what it bound, in list order; of the NULL element, too.
 */
static void test_driver_id(void)
{
	struct drm_vsplit_event events[16];
	struct drm_vsplit_row rows[16];
	struct drm_vsplit_record record = {
		.events = (uintptr_t)events, .num_events = 16,
		.rows = (uintptr_t)rows, .num_rows = 16,
	};
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 3, a);
	vsplit_cs_bind(cs, 5, b);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_bind(cs, 3, b);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_unbind(cs, 5);
	vsplit_cs_nop(cs, 8);
	for (uint32_t i = 0; i < cs->nr_patches; i++)
		cs->patches[i].driver_id = 0xabcd0000 + 17 * i;
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	vsplit_cs_wait(cs);

	record.ctx = ctx;
	record.submission = cs->submission;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, &record), 0);
	igt_assert_eq(record.num_rows, cs->nr_patches);
	for (uint32_t i = 0; i < record.num_rows; i++) {
		const struct drm_vsplit_patch *patch = &cs->patches[i];
		const struct vsplit_bo *bo = cs->bos[patch->alloc];

		igt_assert_eq(rows[i].slot, patch->slot);
		igt_assert_eq(rows[i].driver_id, patch->driver_id);
		igt_assert_eq(rows[i].handle, bo ? bo->handle : 0);
		igt_assert_eq(!!rows[i].segment, !!bo);
	}
}

/* ---- rows --------------------------------------------------------------- */

static uint32_t add_bind(struct vsplit_cs *cs, uint32_t slot)
{
	struct vsplit_packet_bind p = {
		.head = { .op = VSPLIT_OP_BIND, .size = sizeof(p), .arg = slot },
	};

	return vsplit_cs_packet(cs, &p, sizeof(p)) + offsetof(struct vsplit_packet_bind, address);
}

/**
 * SUBTEST: bind-that-comes-late
 * Description: The stream has two BINDs of a row in the other order than the list has their
 *   entries, and a cut between them: the row holds what the list says, and the BIND whose
 *   entry was replaced changes nothing.
 */
static void test_late_bind(void)
{
	uint32_t early, late, split, at_a, at_b;
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	for (unsigned int forced = 0; forced < 2; forced++) {
		vsplit_bo_set(a, 1);
		vsplit_bo_set(b, 2);
		cs = vsplit_cs(fd);
		early = vsplit_cs_alloc(cs, a, VSPLIT_ALLOC_WRITE);
		late = vsplit_cs_alloc(cs, b, VSPLIT_ALLOC_WRITE);
		vsplit_cs_nop(cs, 8);
		split = cs->bytes;
		at_b = add_bind(cs, 2);
		vsplit_cs_set(cs, 2, 0, 64, 0x33333333);
		if (forced)
			at_a = add_bind(cs, 2);
		else
			at_a = 0;
		vsplit_cs_set(cs, 2, 64, 64, 0x44444444);
		if (forced)
			vsplit_cs_patch(cs, early, 2, 0, at_a, 0);
		vsplit_cs_patch(cs, late, 2, 0, at_b, split);
		vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
		vsplit_cs_wait(cs);
		igt_assert_eq(b->map[0], 0x33);
		igt_assert_eq(b->map[64], 0x44);
		igt_assert_eq(a->map[0], 1);
		igt_assert_eq(a->map[64], 1);
	}
}

static const struct vsplit_subtest tests[] = {
	{ "driver-id-is-returned", test_driver_id, "DriverId in records" },
	{ "bind-that-comes-late", test_late_bind, "A BIND behind the next split point" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
