// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit list
 * Description: The allocation list, the patch-location list and the table of slots that it programs:
 *   SPLIT-10 to SPLIT-15, SPLIT-18, SPLIT-20 to SPLIT-23, SPLIT-30, EXT-1;
 *   Documentation/splitting.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_split.h"

IGT_TEST_DESCRIPTION("The allocation list, the patch-location list and the table of slots that it "
		     "programs: SPLIT-10 to SPLIT-15, SPLIT-18, SPLIT-20 to SPLIT-23, SPLIT-30, "
		     "EXT-1; Documentation/splitting.rst has the table.");

/* ---- SPLIT-10 … 15, 18: the table of slots ----------------------------- */

/**
 * SUBTEST: split-10-index-outside-the-list
 * Description: An AllocationIndex beyond the allocation list gives -EINVAL, and nothing runs.
 */
static void test_split_10(void)
{
	static const uint32_t bad[] = { 2, 3, 100, 0x7fffffff, 0xffffffff };

	setup_vram();
	group(0, bo('A', 8), 1);
	group(1, bo('B', 8), 2);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		cs->patches[1].alloc = bad[i];
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[1].alloc = 1;
	run();
	/* The index names the allocation, not the position: entries are not in list order. */
	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_alloc(cs, bo('C' + i, 4), VSPLIT_ALLOC_WRITE);
	for (unsigned int i = 0; i < 4; i++)
		group(i, cs->bos[(i * 3 + 1) % 4], i + 3);
	run();
}

/**
 * SUBTEST: split-11-table-size-from-the-cap
 * Description: SlotIds below the published count are valid. Larger ones give -EINVAL, and so do
 *   reserved bits (A3).
 */
static void test_split_11(void)
{
	static const unsigned int caps[] = { 1, 2, 16, 255, VSPLIT_MAX_SLOTS };
	struct drm_vsplit_adapter_info info;

	for (unsigned int i = 0; i < ARRAY_SIZE(caps); i++) {
		const struct vsplit_adapter_opts opts = {
			.segs = { { "vram", .size = 256 * U } },
			.slots = caps[i],
		};
		const uint32_t bad[] = { caps[i], caps[i] + 1, 0xffffff, 0x1000000, 0x80000000u };

		setup_opts(&opts);
		vsplit_query_adapter(fd, &info);
		igt_assert_eq(info.num_slots, caps[i]);
		vsplit_cs_bind(cs, caps[i] - 1, bo('A', 8));
		work(caps[i] - 1, 1);
		run();
		for (unsigned int j = 0; j < ARRAY_SIZE(bad); j++) {
			/* Change the entry and the packet, so that they agree. */
			cs->patches[0].slot = bad[j];
			((struct vsplit_packet *)cs->stream)->arg = bad[j];
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		}
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: split-12-table-is-per-buffer
 * Description: A row that an earlier buffer bound is not bound in the next buffer: it is neither
 *   kept nor usable.
 */
static void test_split_12(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a;
	uint32_t at;

	setup_vram();
	a = bo('A', 200);
	group(0, a, 1);
	run();
	/* A's memory is needed, and nothing keeps A. */
	vsplit_cs_reset(cs);
	group(1, bo('B', 200), 2);
	group(2, bo('C', 50), 3);
	rec = run();
	check_portions(rec, 1);
	igt_assert(!vsplit_bo_resident(a));
	igt_assert(!vsplit_row(rec, rec->info.num_portions - 1, 0));
	vsplit_bo_check(a);
	/* Slot 0 is empty as well. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 1, bo('D', 8));
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	at = cs->bytes;
	vsplit_cs_fill(cs, 0, 0, 64);
	check_fault(VSPLIT_FAULT_EMPTY_ROW, at, 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: split-13-table-starts-empty
 * Description: Before the first entry the table is empty. A buffer without entries is one portion
 *   that needs no memory.
 */
static void test_split_13(void)
{
	const struct drm_vsplit_event *p;
	struct vsplit_record *rec;

	setup_vram();
	vsplit_cs_nop(cs, 256);
	rec = run();
	igt_assert_eq(rec->info.num_portions, 1);
	igt_assert_eq(rec->info.num_events, 1);
	igt_assert_eq(rec->info.num_rows, 0);
	/* With a cut at the first bind, the portion before it has no rows. */
	group(5, bo('A', 8), 1);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 2);
	p = vsplit_portion(rec, 0);
	igt_assert_eq(p->end, 256);
	igt_assert_eq(p->row_count, 0);
	igt_assert_eq(p->patch_count, 0);
	igt_assert_eq(vsplit_portion(rec, 1)->row_count, 1);
	igt_assert(vsplit_row(rec, 1, 5));
	/* An allocation that is in the allocation list, but in no entry, is not bound. */
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, bo('B', 8), VSPLIT_ALLOC_WRITE);
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	vsplit_cs_fill(cs, 0, 0, 64);
	check_fault(VSPLIT_FAULT_EMPTY_ROW, sizeof(struct vsplit_packet_state), 0);
}

/**
 * SUBTEST: split-14-table-is-the-fold
 * Description: At each boundary the table is the fold of the entries before it.
 */
static void test_split_14(void)
{
	struct vsplit_bo *a[12];

	setup_vram();
	for (unsigned int i = 0; i < 12; i++)
		a[i] = bo('A' + i, 16);
	/* With lists made by hand. */
	vsplit_cs_bind(cs, 0, a[0]);
	vsplit_cs_bind(cs, 7, a[1]);
	vsplit_cs_nop(cs, 16);
	vsplit_cs_bind(cs, 7, a[2]);
	vsplit_cs_bind(cs, 3, a[0]);
	vsplit_cs_nop(cs, 16);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_nop(cs, 16);
	vsplit_cs_bind(cs, 0, a[3]);
	vsplit_cs_nop(cs, 16);
	check_text(vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT),
		   "in A@0; in B@16; [0,40) p[0:2] {0:A@0 7:B@16}; "
		   "in C@32; [40,80) p[2:4] {0:A@0 3:A@0 7:C@32}; "
		   "[80,a8) p[4:5] {3:A@0 7:C@32}; "
		   "in D@48; [a8,d0) p[5:6] {0:D@48 3:A@0 7:C@32}");
	/* With random lists, against the fold that the record's check computes. */
	for (unsigned int round = 0; round < 30; round++) {
		struct vsplit_rng rng = { 1000 + round };

		vsplit_cs_reset(cs);
		build_random(&rng, a, 12, 16, 20);
		vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	}
}

/**
 * SUBTEST: split-15-slot-chooses-the-row
 * Description: Binding to one slot leaves all other rows as they are.
 */
static void test_split_15(void)
{
	struct vsplit_record *rec;

	setup_vram();
	for (unsigned int i = 0; i < 5; i++)
		vsplit_cs_bind(cs, i == 3 ? 9 : i, bo('A' + i, 8));
	for (unsigned int i = 0; i < 5; i++)
		work(i == 3 ? 9 : i, 1 + i);
	vsplit_cs_bind(cs, 3, bo('X', 8));
	for (unsigned int i = 0; i < 5; i++)
		work(i, 10 + i);
	work(9, 20);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 2);
	for (uint32_t slot = 0; slot < 16; slot++) {
		const struct drm_vsplit_row *r0 = vsplit_row(rec, 0, slot);
		const struct drm_vsplit_row *r1 = vsplit_row(rec, 1, slot);

		if (slot == 3) {
			igt_assert(!r0 && r1);
			continue;
		}
		igt_assert_eq(!r0, !r1);
		if (r0)
			igt_assert(!memcmp(r0, r1, sizeof(*r0)));
	}
}

/**
 * SUBTEST: split-18-later-entry-replaces
 * Description: A later entry with the same slot takes the row.
 */
static void test_split_18(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *b;

	setup_vram();
	group(0, bo('A', 8), 1);
	b = bo('B', 8);
	group(0, b, 2);
	rec = run();
	check_portions(rec, 1);
	igt_assert_eq(vsplit_row(rec, rec->info.num_portions - 1, 0)->handle, b->handle);
}

/**
 * SUBTEST: split-18-a4-same-slot-twice-in-a-group
 * Description: The last entry of a group wins the slot, and every allocation that
 *   the group names is resident (A4).
 */
static void test_split_18_a4(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a, *b, *c;

	setup_vram();
	a = bo('A', 100);
	b = bo('B', 100);
	c = bo('C', 100);
	vsplit_cs_bind(cs, 0, a);
	group(0, b, 1);
	vsplit_cs_pad(cs, 0x200);
	/* A and B are both in the working set, so the buffer is cut here. */
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 0, a);
	group(0, c, 2);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x200);
	if (!vsplit_exact())
		return;
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0));
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, b, 0));
	igt_assert_eq(vsplit_row(rec, 0, 0)->handle, b->handle);
	igt_assert_eq(vsplit_row(rec, 1, 0)->handle, c->handle);
	igt_assert(vsplit_bo_resident(a));
	/* A group fails if its replaced member does not fit beside the others. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 0, b);
	group(0, c, 3);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
}

/* ---- SPLIT-20 … 23, 30: the order of entries, their offsets ------------ */

/* The page-ins of one portion, as a string of names. */
static void page_ins(const struct vsplit_record *rec, uint32_t portion, char *names)
{
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if ((e->type != VSPLIT_EVENT_PAGE_IN && e->type != VSPLIT_EVENT_MAP) ||
		    e->portion != portion)
			continue;
		for (uint32_t j = 0; j < cs->nr_allocs; j++)
			if (cs->bos[j] && cs->bos[j]->id == e->id)
				*names++ = cs->bos[j]->name;
	}
	*names = 0;
}

/**
 * SUBTEST: split-20-entries-first-to-last
 * Description: Entries are processed in the order of the patch-location list, not of the allocation
 *   list, whether or not the buffer is split.
 */
static void test_split_20(void)
{
	struct vsplit_bo *a[6];
	struct vsplit_record *rec;
	char names[16];

	setup_vram();
	for (unsigned int i = 0; i < 6; i++)
		a[i] = bo('A' + i, 40);
	for (unsigned int i = 6; i--;)
		vsplit_cs_alloc(cs, a[i], VSPLIT_ALLOC_WRITE);
	vsplit_cs_bind(cs, 0, a[2]);
	vsplit_cs_bind(cs, 1, a[0]);
	work(0, 1);
	group(2, a[5], 1);
	vsplit_cs_bind(cs, 3, a[1]);
	vsplit_cs_bind(cs, 4, a[3]);
	work(3, 1);
	work(4, 1);
	rec = run();
	check_portions(rec, 1);
	if (vsplit_exact()) {
		page_ins(rec, 0, names);
		igt_assert_f(!strcmp(names, "CAFBD"), "paged in as %s, the list says CAFBD\n", names);
	}

	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	vsplit_cs_pad(cs, 0x400);
	for (unsigned int i = 0; i < 5; i++)
		vsplit_cs_unbind(cs, i);
	vsplit_cs_bind(cs, 6, a[4]);
	vsplit_cs_bind(cs, 7, a[0]);
	vsplit_cs_bind(cs, 8, bo('G', 100));
	work(6, 2);
	work(7, 2);
	work(8, 2);
	rec = run();
	check_portions(rec, 2);
	if (!vsplit_exact())
		return;
	/* E found room before the cut; A may have stayed. */
	page_ins(rec, 0, names);
	page_ins(rec, 1, names + strlen(names));
	igt_assert_f(!strcmp(names, "CAFBDEG") || !strcmp(names, "CAFBDEAG"),
		     "paged in as %s, the list says CAFBDE(A)G\n", names);
}

/**
 * SUBTEST: split-21-offset-must-be-a-command-boundary
 * Description: A SplitOffset outside the buffer, or inside a packet, gives -EINVAL.
 */
static void test_split_21(void)
{
	uint32_t at, good;

	setup_vram();
	vsplit_cs_nop(cs, 64);
	vsplit_cs_nop(cs, 64);
	group(0, bo('A', 8), 1);
	good = cs->patches[0].split_offset;
	for (at = 0; at <= good; at++) {
		cs->patches[0].split_offset = at;
		if (at == 0 || at == 64 || at == 128)
			run();
		else
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	for (at = good + 1; at <= cs->bytes + 16; at++) {
		cs->patches[0].split_offset = at;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[0].split_offset = 0xffffffff;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].split_offset = 0xfffffff8;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
}

/**
 * SUBTEST: split-21-a13-patch-before-its-split-point
 * Description: A PatchOffset before its SplitOffset, outside the buffer, or not at an address
 *   operand, gives -EINVAL (A13).
 */
static void test_split_21_a13(void)
{
	uint32_t good;

	setup_vram();
	group(0, bo('A', 8), 1);
	vsplit_cs_nop(cs, 64);
	good = cs->patches[0].patch_offset;
	for (uint32_t at = 0; at <= cs->bytes + 8; at++) {
		if (at == good)
			continue;
		cs->patches[0].patch_offset = at;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[0].patch_offset = 0xfffffff8;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].patch_offset = good;
	run();
	/* Here the operand is before the split point of its entry. */
	vsplit_cs_reset(cs);
	group(0, bo('B', 8), 1);
	cs->patches[0].split_offset = sizeof(struct vsplit_packet_bind);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].split_offset = 0;
	run();
}

/**
 * SUBTEST: split-21-a12-offset-at-the-end
 * Description: A SplitOffset equal to the length of the buffer is allowed for an unbind, but not
 *   for a bind (A12).
 */
static void test_split_21_a12(void)
{
	const struct drm_vsplit_event *p;
	struct vsplit_record *rec;

	setup_vram();
	group(0, bo('A', 8), 1);
	vsplit_cs_patch(cs, vsplit_cs_null(cs), 0, 0, cs->bytes, cs->bytes);
	rec = run();
	check_portions(rec, 1);
	p = vsplit_portion(rec, rec->info.num_portions - 1);
	igt_assert_eq(p->end, cs->bytes);
	igt_assert_eq(p->row_count, 0);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 1);
	cs->patches[1].alloc = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EINVAL);
}

/**
 * SUBTEST: split-22-decreasing-offsets-are-refused
 * Description: SplitOffsets must not decrease; a list with a decreasing one is refused as a whole
 *   (A1).
 */
static void test_split_22(void)
{
	struct drm_vsplit_patch p;

	setup_vram();
	for (unsigned int i = 0; i < 4; i++)
		group(i, bo('A' + i, 8), i);
	run();
	for (unsigned int i = 0; i < 3; i++) {
		p = cs->patches[i];
		cs->patches[i] = cs->patches[i + 1];
		cs->patches[i + 1] = p;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		p = cs->patches[i];
		cs->patches[i] = cs->patches[i + 1];
		cs->patches[i + 1] = p;
	}
	run();
}

/**
 * SUBTEST: split-22-equal-offsets-are-one-group
 * Description: Entries with equal SplitOffsets are accepted, and are cut together (A1).
 */
static void test_split_22_equal(void)
{
	struct vsplit_record *rec;

	setup_vram();
	vsplit_cs_nop(cs, 8);
	for (unsigned int i = 0; i < 10; i++)
		vsplit_cs_bind(cs, i, bo('A' + i, 8));
	for (unsigned int i = 0; i < 10; i++)
		work(i, i);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 2);
	igt_assert_eq(vsplit_portion(rec, 1)->begin, 8);
	igt_assert_eq(vsplit_portion(rec, 1)->patch_count, 10);
}

/**
 * SUBTEST: split-23-page-ins-in-list-order
 * Description: Page-ins follow the order of the list: resident allocations cause none, and the
 *   others are paged in in list order.
 */
static void test_split_23(void)
{
	struct vsplit_bo *a[8];
	struct vsplit_record *rec;
	char names[16];

	setup_vram();
	for (unsigned int i = 0; i < 8; i++)
		a[i] = bo('A' + i, 30);
	vsplit_cs_bind(cs, 0, a[5]);
	vsplit_cs_bind(cs, 1, a[1]);
	work(0, 1);
	run();
	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < 8; i++)
		group(i, a[(i * 5 + 2) % 8], 2);
	rec = run();
	check_portions(rec, 1);
	if (!vsplit_exact())
		return;
	/* C H E B G D A F without B and F */
	page_ins(rec, 0, names);
	igt_assert_f(!strcmp(names, "CHEGDA"), "paged in as %s, expected CHEGDA\n", names);
	rec = run();
	page_ins(rec, 0, names);
	igt_assert_f(!*names, "%s paged in though resident\n", names);
}

/**
 * SUBTEST: split-30-a-split-point-at-every-bind
 * Description: A list with a group for each bind and unbind is accepted, even with tens of
 *   thousands of groups.
 */
static void test_split_30(void)
{
	enum { N = 40000 };
	struct vsplit_bo *a[5];

	setup_vram();
	vsplit_not_under("take_split_point", "forty thousand portions take too long");
	for (unsigned int i = 0; i < 5; i++)
		a[i] = bo('A' + i, 64);
	for (unsigned int i = 0; i < N; i++) {
		vsplit_cs_group(cs);
		if (i % 3 == 2)
			vsplit_cs_unbind(cs, (i - 1) % 64);
		else
			vsplit_cs_bind(cs, i % 64, a[i * 4 / N]);
	}
	work((N - 1) % 64, 9);
	igt_assert_eq(cs->nr_patches, N);
	run();
}

/* ---- EXT-1 ------------------------------------------------------------- */

/**
 * SUBTEST: ext-1-address-operands
 * Description: AllocationOffset is added to the address, for binds and for address operands inside
 *   commands. DriverId is opaque.
 */
static void test_address_operands(void)
{
	struct vsplit_bo *a, *b;

	setup_vram();
	a = bo('A', 8);
	b = bo('B', 8);
	vsplit_bo_pattern(a, 1);
	vsplit_cs_bind_at(cs, 0, a, 4096);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_copy(cs, 1, 0, 0, 0, 4096);
	/* The same by an address, two pages further. */
	vsplit_cs_copy(cs, 1, 8192, 0, 0, 4096);
	((struct vsplit_packet_copy *)(cs->stream + cs->bytes -
		sizeof(struct vsplit_packet_copy)))->src.flags = VSPLIT_OPERAND_ADDRESS;
	vsplit_cs_patch(cs, 0, 0, 3 * 4096, cs->bytes - sizeof(struct vsplit_packet_copy) +
			offsetof(struct vsplit_packet_copy, src.value),
			cs->patches[0].split_offset);
	cs->patches[2].driver_id = 0xdeadbeef;
	run();
	igt_assert(!memcmp(b->map, a->map + 4096, 4096));
	igt_assert(!memcmp(b->map + 8192, a->map + 3 * 4096, 4096));
	/* Beyond the allocation. */
	cs->patches[2].alloc_offset = a->size;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
}

static const struct vsplit_subtest tests[] = {
	{ "split-10-index-outside-the-list", test_split_10,
	  "An AllocationIndex beyond the allocation list gives -EINVAL, and nothing runs" },
	{ "split-11-table-size-from-the-cap", test_split_11,
	  "SlotIds below the published count are valid. Larger ones give -EINVAL, and so do "
	  "reserved bits (A3)." },
	{ "split-12-table-is-per-buffer", test_split_12,
	  "A row that an earlier buffer bound is not bound in the next buffer: it is neither kept "
	  "nor usable" },
	{ "split-13-table-starts-empty", test_split_13,
	  "Before the first entry the table is empty. A buffer without entries is one portion that "
	  "needs no memory." },
	{ "split-14-table-is-the-fold", test_split_14,
	  "At each boundary the table is the fold of the entries before it" },
	{ "split-15-slot-chooses-the-row", test_split_15,
	  "Binding to one slot leaves all other rows as they are" },
	{ "split-18-later-entry-replaces", test_split_18,
	  "A later entry with the same slot takes the row" },
	{ "split-18-a4-same-slot-twice-in-a-group", test_split_18_a4,
	  "The last entry of a group wins the slot, and every allocation that the group names is "
	  "resident (A4)" },
	{ "split-20-entries-first-to-last", test_split_20,
	  "Entries are processed in the order of the patch-location list, not of the allocation "
	  "list, whether or not the buffer is split" },
	{ "split-21-offset-must-be-a-command-boundary", test_split_21,
	  "A SplitOffset outside the buffer, or inside a packet, gives -EINVAL" },
	{ "split-21-a13-patch-before-its-split-point", test_split_21_a13,
	  "A PatchOffset before its SplitOffset, outside the buffer, or not at an address operand, "
	  "gives -EINVAL (A13)" },
	{ "split-21-a12-offset-at-the-end", test_split_21_a12,
	  "A SplitOffset equal to the length of the buffer is allowed for an unbind, but not for a "
	  "bind (A12)" },
	{ "split-22-decreasing-offsets-are-refused", test_split_22,
	  "SplitOffsets must not decrease; a list with a decreasing one is refused as a whole "
	  "(A1)" },
	{ "split-22-equal-offsets-are-one-group", test_split_22_equal,
	  "Entries with equal SplitOffsets are accepted, and are cut together (A1)" },
	{ "split-23-page-ins-in-list-order", test_split_23,
	  "Page-ins follow the order of the list: resident allocations cause none, and the others "
	  "are paged in in list order" },
	{ "split-30-a-split-point-at-every-bind", test_split_30,
	  "A list with a group for each bind and unbind is accepted, even with tens of thousands "
	  "of groups" },
	{ "ext-1-address-operands", test_address_operands,
	  "AllocationOffset is added to the address, for binds and for address operands inside "
	  "commands. DriverId is opaque." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
