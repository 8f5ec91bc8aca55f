// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit va
 * Description: Contexts that name memory by GPU virtual addresses: addresses that stay, lists in
 *   such contexts, page faults, read-only and sparse mappings (RES-3, RES-16, RES-17, EXT-44,
 *   EXT-49); Documentation/virtual-addresses.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: virtual addresses
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_va.h"

#include <errno.h>
#include <string.h>

IGT_TEST_DESCRIPTION("Contexts that name memory by GPU virtual addresses: addresses that stay, "
		     "lists in such contexts, page faults, read-only and sparse mappings (RES-3, "
		     "RES-16, RES-17, EXT-44, EXT-49); Documentation/virtual-addresses.rst has the "
		     "table.");

static struct device dev;

/**
 * SUBTEST: res-3-addresses-stay
 * Description: An allocation is evicted, and comes back to another place. Its address shows it as
 *   before, for reading and writing, through small and large pages.
 */
static void test_addresses_stay(void)
{
	struct drm_vsplit_gem_info before, after;
	struct vsplit_bo *a, *b, *in_the_way;

	setup_device(&dev, 16 * MIB);
	a = alloc(&dev, 'A', 3 * MIB);
	b = alloc(&dev, 'B', 3 * MIB);
	map(&dev, a, 64 * MIB);
	map(&dev, b, 3 * PAGE);
	fill_at(&dev, 64 * MIB, 3 * MIB, 0x11);
	run(&dev);
	vsplit_info(a, &before);
	release(&dev, a);
	vsplit_info(a, &after);
	igt_assert_eq(after.segment, 0);
	in_the_way = vsplit_bo(dev.fd, 'W', 3 * MIB);
	require(&dev, in_the_way);
	require(&dev, a);
	vsplit_info(a, &after);
	igt_assert_eq(after.segment, 1);
	igt_assert(after.offset != before.offset || !vsplit_exact());
	copy_at(&dev, 3 * PAGE, 64 * MIB, 3 * MIB);
	fill_at(&dev, 64 * MIB + MIB, MIB, 0x22);
	run(&dev);
	check_bytes(b, 0, 3 * MIB, 0x11);
	check_bytes(a, 0, MIB, 0x11);
	check_bytes(a, MIB, MIB, 0x22);
	check_bytes(a, 2 * MIB, MIB, 0x11);
	/* The allocation in the old place has none of these bytes. */
	check_bytes(in_the_way, 0, 3 * MIB, 0);
}

/**
 * SUBTEST: res-3-moved-between-submissions
 * Description: An allocation is evicted and paged in between many submissions, which all use the
 *   same address. None of them reads a byte of another place.
 */
static void test_moved_between(void)
{
	struct vsplit_bo *a, *log, *others[3];

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', 256 * KIB);
	log = alloc(&dev, 'L', 64 * PAGE);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = vsplit_bo(dev.fd, 'O', (i + 1) * 256 * KIB);
		vsplit_bo_set(others[i], 0xee);
	}
	map(&dev, a, LARGE);
	map(&dev, log, 2 * LARGE);
	for (unsigned int i = 0; i < 64; i++) {
		copy_at(&dev, 2 * LARGE + i * PAGE, LARGE + i % 60 * PAGE, PAGE);
		fill_at(&dev, LARGE, 256 * KIB, i + 1);
		submit(&dev);
		vsplit_cs_reset(dev.cs);
		release(&dev, a);
		if (i % 2)
			release(&dev, others[i / 2 % 3]);
		else
			require(&dev, others[i / 2 % 3]);
		require(&dev, a);
	}
	igt_assert_eq(__vsplit_syncobj_wait(dev.fd, dev.cs->out, 0, VSPLIT_SOON_MS), 0);
	for (unsigned int i = 0; i < 64; i++)
		check_bytes(log, i * PAGE, PAGE, i);
}

/**
 * SUBTEST: arrives-for-others
 * Description: Two devices require the same evicted allocation. One device brings it back, which
 *   takes a while. The other device's work, in both of its contexts, waits for that as well.
 */
static void test_arrives_for_others(void)
{
	struct device other, sibling;
	struct vsplit_bo *x, *y, *first;

	setup_device(&dev, 16 * MIB);
	device_open(&other, 1);
	sibling = other;
	sibling.ctx = vsplit_ctx_mode(other.fd, VSPLIT_CTX_MODE_VA, 0);
	sibling.cs = vsplit_cs(other.fd);
	first = alloc(&dev, 'F', MIB);
	x = alloc(&dev, 'X', MIB);
	y = vsplit_bo_share(other.fd, 'Y', x);
	require(&other, y);
	map(&dev, x, LARGE);
	map(&other, y, LARGE);
	fill_at(&dev, LARGE, MIB, 0x11);
	run(&dev);
	/* @first comes back first, and then nothing happens for a while. */
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_EVICT, first->handle, 0);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_EVICT, x->handle, 0);
	vsplit_adapter_knob(ad, "delay_paging", "500000");
	vsplit_cs_nop(dev.cs, 64);
	submit(&dev);
	fill_at(&other, LARGE, 64 * KIB, 0x22);
	submit(&other);
	fill_at(&sibling, LARGE + MIB / 2, 64 * KIB, 0x33);
	submit(&sibling);
	expect(__vsplit_cs_wait(other.cs), 0);
	expect(__vsplit_cs_wait(sibling.cs), 0);
	expect(__vsplit_cs_wait(dev.cs), 0);
	vsplit_adapter_knob(ad, "delay_paging", "0");
	check_bytes(x, 0, 64 * KIB, 0x22);
	check_bytes(x, 64 * KIB, MIB / 2 - 64 * KIB, 0x11);
	check_bytes(x, MIB / 2, 64 * KIB, 0x33);
}

/**
 * SUBTEST: listed-comes-back
 * Description: A required allocation comes back before the device's work, even if the buffer's
 *   short list names it as well, which would not make it resident.
 */
static void test_listed(void)
{
	struct vsplit_bo *x;

	setup_device(&dev, 16 * MIB);
	x = alloc(&dev, 'X', MIB);
	map(&dev, x, LARGE);
	fill_at(&dev, LARGE, MIB, 0x11);
	run(&dev);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_EVICT, x->handle, 0);
	fill_at(&dev, LARGE, 64 * KIB, 0x22);
	vsplit_cs_alloc(dev.cs, x, VSPLIT_ALLOC_WRITE);
	run(&dev);
	check_bytes(x, 0, 64 * KIB, 0x22);
	check_bytes(x, 64 * KIB, MIB - 64 * KIB, 0x11);
}

/**
 * SUBTEST: res-16-no-patch-list
 * Description: A context with virtual addresses accepts no patch-location list, and no packet that
 *   names a slot. A context without virtual addresses accepts none of them.
 */
static void test_no_patch_list(void)
{
	struct device patch = {};
	struct vsplit_bo *a;

	setup_device(&dev, MIB);
	a = alloc(&dev, 'A', PAGE);
	map(&dev, a, PAGE);
	vsplit_cs_bind(dev.cs, 0, a);
	vsplit_cs_refused(dev.cs, dev.ctx, 0, -EINVAL);
	vsplit_cs_reset(dev.cs);
	vsplit_cs_set(dev.cs, 0, 0, 64, 1);
	vsplit_cs_refused(dev.cs, dev.ctx, 0, -EINVAL);
	vsplit_cs_reset(dev.cs);
	/* A slot beside the address. */
	fill_at(&dev, PAGE, 64, 1);
	((struct vsplit_packet_fill *)(dev.cs->stream + 16))->dst.slot = 1;
	vsplit_cs_refused(dev.cs, dev.ctx, 0, -EINVAL);
	vsplit_cs_reset(dev.cs);
	/* Both kinds of operands in one buffer. */
	fill_at(&dev, PAGE, 64, 1);
	vsplit_cs_set(dev.cs, 0, 0, 64, 1);
	vsplit_cs_refused(dev.cs, dev.ctx, 0, -EINVAL);
	vsplit_cs_reset(dev.cs);
	/* A list that would change nothing: a slot becomes empty at the end of the stream. */
	fill_at(&dev, PAGE, 64, 1);
	vsplit_cs_patch(dev.cs, vsplit_cs_null(dev.cs), 0, 0, dev.cs->bytes, dev.cs->bytes);
	vsplit_cs_refused(dev.cs, dev.ctx, 0, -EINVAL);
	vsplit_cs_reset(dev.cs);

	patch.fd = vsplit_adapter_open(ad);
	patch.ctx = vsplit_ctx(patch.fd, 0);
	patch.cs = vsplit_cs(patch.fd);
	fill_at(&patch, PAGE, 64, 1);
	vsplit_cs_refused(patch.cs, patch.ctx, 0, -EINVAL);
	/* None of this lost the device. */
	fill_at(&dev, PAGE, PAGE, 0x42);
	run(&dev);
	check_bytes(a, 0, PAGE, 0x42);
}

/**
 * SUBTEST: res-17-sixteen-allocations
 * Description: A list of 16 allocations is accepted, and one of 17 gives -E2BIG. The list makes
 *   nothing resident.
 */
static void test_sixteen(void)
{
	struct vsplit_bo *bos[17];

	setup_device(&dev, MIB);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		bos[i] = vsplit_bo(dev.fd, 'A' + i, PAGE);
	for (unsigned int i = 0; i < 16; i++)
		vsplit_cs_alloc(dev.cs, bos[i], VSPLIT_ALLOC_WRITE);
	vsplit_cs_nop(dev.cs, 8);
	submit(&dev);
	vsplit_cs_wait(dev.cs);
	for (unsigned int i = 0; i < 16; i++)
		igt_assert_eq(segment_of(bos[i]), 0);
	vsplit_cs_alloc(dev.cs, bos[16], VSPLIT_ALLOC_WRITE);
	vsplit_cs_refused(dev.cs, dev.ctx, 0, -E2BIG);
}

/* These emit packets, each with one page that faults. */
static void add_store(struct device *d, uint32_t op, uint64_t address)
{
	vsplit_cs_word_va(d->cs, op, address, 7);
}

static void add_copy_2d(struct device *d, uint64_t dst, uint64_t src)
{
	vsplit__put_copy_2d(&d->cs->p, vsplit__virtual(dst), vsplit__virtual(src), 64, 16, 0);
}

static void add_mma(struct device *d, uint64_t c, uint64_t a, uint64_t b)
{
	vsplit__put_mma(&d->cs->p, vsplit__virtual(c), vsplit__virtual(a), vsplit__virtual(b),
			8, 8, 8, 0);
}

#define CORNERS	(GOOD + 3 * PAGE)

/* A triangle that uses each operand. */
static void add_draw(struct device *d, uint64_t target, uint64_t depth, uint64_t texture,
		     uint64_t vertices)
{
	const struct vsplit_packet_draw packet = {
		.head = { .op = VSPLIT_OP_DRAW, .size = sizeof(packet), .arg = 1,
			  .flags = VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_DEPTH_WRITE },
		.target = vsplit__virtual(target), .depth = vsplit__virtual(depth),
		.texture = vsplit__virtual(texture), .vertices = vsplit__virtual(vertices),
		.target_pitch = 64, .depth_pitch = 64,
		.texture_pitch = 64, .width = 8, .height = 8, .texture_width = 8,
		.texture_height = 8, .right = 8, .bottom = 8,
	};

	vsplit_cs_packet(d->cs, &packet, sizeof(packet));
}

static void add_bad(struct device *d, unsigned int i)
{
	switch (i) {
	case 0:
		vsplit_cs_fill_va(d->cs, BAD, 8);
		break;
	case 1:
		copy_at(d, BAD, GOOD, 64);
		break;
	case 2:
		copy_at(d, GOOD, BAD, 64);
		break;
	case 3:
		add_copy_2d(d, BAD, GOOD);
		break;
	case 4:
		add_copy_2d(d, GOOD, BAD);
		break;
	case 5:
		add_mma(d, BAD, GOOD, GOOD);
		break;
	case 6:
		add_mma(d, GOOD, BAD, GOOD);
		break;
	case 7:
		add_mma(d, GOOD, GOOD, BAD);
		break;
	case 8:
		add_store(d, VSPLIT_OP_STORE, BAD);
		break;
	case 9:
		add_store(d, VSPLIT_OP_ATOMIC_ADD, BAD);
		break;
	case 10:
		add_store(d, VSPLIT_OP_TIMESTAMP, BAD);
		break;
	case 11:
		add_draw(d, BAD, GOOD, GOOD, CORNERS);
		break;
	case 12:
		add_draw(d, GOOD, BAD, GOOD, CORNERS);
		break;
	case 13:
		add_draw(d, GOOD, GOOD, BAD, CORNERS);
		break;
	case 14:
		add_draw(d, GOOD, GOOD, GOOD, BAD);
		break;
	}
}

static bool bad_is_read(unsigned int i)
{
	return i == 2 || i == 4 || i == 6 || i == 7 || i >= 13;
}

/**
 * SUBTEST: page-fault-each-packet
 * Description: Each packet that touches memory, on either engine, faults at an address that is not
 *   mapped. The fence gives -EFAULT, the device is lost, and the query tells address, access,
 *   engine and packet. The packet before it was executed, and another device goes on.
 */
static void test_fault_packets(void)
{
	static const struct vsplit_vertex corners[3] = {
		{ .q = 1 }, { .x = 512, .q = 1 }, { .y = 512, .q = 1 },
	};
	struct vsplit_bo *mine, *other;
	uint32_t offset;

	setup_device(&dev, 4 * MIB);
	other = alloc(&dev, 'O', PAGE);
	map(&dev, other, GOOD);
	for (unsigned int i = 0; i <= 14; i++) {
		struct device d;

		device_open(&d, i % 2);
		mine = alloc(&d, 'A', 4 * PAGE);
		map(&d, mine, GOOD);
		vsplit_bo_write(mine, 3 * PAGE, corners, sizeof(corners));
		for (unsigned int reg = 0; reg < VSPLIT_STATE_COUNT; reg++)
			vsplit_cs_state(d.cs, reg, 64);
		fill_at(&d, GOOD + PAGE, PAGE, 0x77);
		offset = d.cs->bytes;
		add_bad(&d, i);
		fill_at(&d, GOOD + 2 * PAGE, PAGE, 0x88);
		check_fault(&d, BAD, VSPLIT_FAULT_NOT_MAPPED,
			    bad_is_read(i) ? VSPLIT_ACCESS_READ : VSPLIT_ACCESS_WRITE, i % 2,
			    offset);
		check_bytes(mine, PAGE, PAGE, 0x77);
		check_bytes(mine, 2 * PAGE, PAGE, 0);
		fill_at(&dev, GOOD, PAGE, i + 1);
		run(&dev);
		check_bytes(other, 0, PAGE, i + 1);
		vsplit_cleanup_file(d.fd);
	}
}

/**
 * SUBTEST: page-fault-not-resident
 * Description: An allocation that is mapped but not resident faults, at the first address that the
 *   packet touches.
 */
static void test_fault_not_resident(void)
{
	struct vsplit_bo *a;
	uint32_t offset;

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', 4 * PAGE);
	map(&dev, a, GOOD);
	fill_at(&dev, GOOD, 4 * PAGE, 1);
	run(&dev);
	release(&dev, a);
	vsplit_cs_state(dev.cs, VSPLIT_STATE_FILL, 0);
	offset = dev.cs->bytes + 16;
	fill_at(&dev, GOOD + PAGE + 100, 16, 2);
	check_fault(&dev, GOOD + PAGE + 100, VSPLIT_FAULT_NOT_RESIDENT, VSPLIT_ACCESS_WRITE, 0,
		    offset);
	check_bytes(a, 0, 4 * PAGE, 1);
}

/**
 * SUBTEST: page-fault-loses-the-device
 * Description: A page fault ends the work of all contexts of its device, even work queued on
 *   another engine, but no work of other devices.
 */
static void test_fault_loses_all(void)
{
	struct vsplit_cs *queued;
	uint32_t queued_ctx;
	struct vsplit_bo *a;
	struct device d;

	setup_device(&dev, 4 * MIB);
	device_open(&d, 1);
	a = alloc(&dev, 'A', PAGE);
	map(&dev, a, GOOD);
	queued = vsplit_cs(dev.fd);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
	vsplit_cs_nop(queued, 8);
	queued_ctx = vsplit_ctx_mode(dev.fd, VSPLIT_CTX_MODE_VA, 1);
	vsplit_cs_submit(queued, queued_ctx, 0);
	vsplit_cs_nop(d.cs, 8);
	submit(&d);
	check_not_mapped(&dev, BAD);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	expect(__vsplit_cs_wait(queued), -ECANCELED);
	vsplit_cs_refused(queued, queued_ctx, 0, -EIO);
	vsplit_cs_wait(d.cs);
	igt_assert_eq(vsplit_ctx_state(d.fd, d.ctx, NULL), VSPLIT_STATE_ACTIVE);
	/* Its addresses can no longer be changed. */
	expect(__bind_one(&dev, op_of(VSPLIT_VA_UNMAP, GOOD, PAGE)), -EIO);
}

/**
 * SUBTEST: read-only-and-writable
 * Description: An allocation is mapped at two addresses, one of them read-only. Each shows what is
 *   written through the other one. A write through the read-only address is a page fault.
 */
static void test_read_only(void)
{
	struct vsplit_bo *a, *b;

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', 4 * PAGE);
	b = alloc(&dev, 'B', 4 * PAGE);
	map(&dev, a, GOOD);
	map_part(&dev, a, BAD, PAGE, 2 * PAGE, VSPLIT_VA_OP_READ_ONLY);
	map(&dev, b, LARGE);
	fill_at(&dev, GOOD + PAGE, 2 * PAGE, 0x31);
	copy_at(&dev, LARGE, BAD, 2 * PAGE);
	run(&dev);
	check_bytes(b, 0, 2 * PAGE, 0x31);
	/* The same for the rest of the mapping, after the allocation left and came back. */
	unmap(&dev, BAD, PAGE);
	release(&dev, a);
	require(&dev, a);
	copy_at(&dev, LARGE + 2 * PAGE, BAD + PAGE, PAGE);
	run(&dev);
	check_bytes(b, 2 * PAGE, PAGE, 0x31);
	add_store(&dev, VSPLIT_OP_STORE, BAD + PAGE);
	check_fault(&dev, BAD + PAGE, VSPLIT_FAULT_READ_ONLY, VSPLIT_ACCESS_WRITE, 0, 0);
	check_bytes(a, PAGE, 2 * PAGE, 0x31);
}

/**
 * SUBTEST: sparse
 * Description: A sparse range of any size reads as zeros, and writes to it go nowhere. Parts of it
 *   can be mapped to an allocation, and become sparse again.
 */
static void test_sparse(void)
{
	struct vsplit_bo *a, *b;

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', 4 * PAGE);
	b = alloc(&dev, 'B', 64 * PAGE);
	map(&dev, b, 1024 * LARGE);
	sparse(&dev, 5 * PAGE, 64 * LARGE);
	/* In the middle of a large page. */
	map(&dev, a, 7 * LARGE + 10 * PAGE);
	fill_at(&dev, 1024 * LARGE, 64 * PAGE, 0xff);
	fill_at(&dev, 7 * LARGE + 8 * PAGE, 8 * PAGE, 0x5a);
	copy_at(&dev, 1024 * LARGE, 7 * LARGE, 32 * PAGE);
	run(&dev);
	check_bytes(a, 0, 4 * PAGE, 0x5a);
	check_bytes(b, 0, 10 * PAGE, 0);
	check_bytes(b, 10 * PAGE, 4 * PAGE, 0x5a);
	check_bytes(b, 14 * PAGE, 18 * PAGE, 0);
	check_bytes(b, 32 * PAGE, 32 * PAGE, 0xff);
	sparse(&dev, 7 * LARGE + 10 * PAGE, 2 * PAGE);
	copy_at(&dev, 1024 * LARGE, 7 * LARGE, 32 * PAGE);
	run(&dev);
	check_bytes(b, 0, 12 * PAGE, 0);
	check_bytes(b, 12 * PAGE, 2 * PAGE, 0x5a);
	unmap(&dev, 5 * PAGE, 64 * LARGE);
	check_not_mapped(&dev, 8 * LARGE);
}

#define SURFACE	(8 * MIB)
#define PITCH	1024u

static struct vsplit_bo *surface(int fd, char name)
{
	struct drm_vsplit_gem_create args = {
		.size = SURFACE, .pitch = PITCH,
		.flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS,
	};

	return vsplit_bo_args(fd, name, &args);
}

/**
 * SUBTEST: range-taken-while-it-is-written
 * Description: While a surface is written through virtual addresses, another client's CPU access
 *   takes its swizzling range, or an own access wants one. No byte is lost.
 */
static void test_range(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 * MIB, .ranges = 1 } },
		.slots = 16, .engines = 1, .test = true, .paging_own = true,
		.contexts = "patch,va",
	};
	struct vsplit_bo *a, *b;
	int fd;

	ad = vsplit_adapter_create(&opts);
	device_open(&dev, 0);
	a = surface(dev.fd, 'A');
	require(&dev, a);
	/* It gets its range before it is mapped. */
	vsplit_bo_set(a, 0xee);
	map(&dev, a, GOOD);
	fd = vsplit_adapter_open(ad);
	b = surface(fd, 'B');
	for (unsigned int round = 0; round < 3; round++) {
		/* At first @a has the range; later it has none. */
		struct vsplit_bo *touched = round == 1 ? a : b;

		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, b->handle, 1);
		vsplit_cs_reset(dev.cs);
		for (uint64_t at = 0; at < SURFACE; at += 64 * KIB) {
			fill_at(&dev, GOOD + at, 64 * KIB, round);
			vsplit_cs_spin(dev.cs, 200);
		}
		submit(&dev);
		usleep(10000);
		((volatile uint8_t *)touched->map)[0];
		vsplit_cs_wait(dev.cs);
		check_bytes(a, 0, SURFACE, round);
	}
	vsplit_cs_reset(dev.cs);
}

static const struct vsplit_subtest subtests[] = {
	{ "res-3-addresses-stay", test_addresses_stay,
	  "An allocation that comes back to another place has the same address, through small and "
	  "large pages" },
	{ "res-3-moved-between-submissions", test_moved_between,
	  "An allocation is evicted and paged in between many submissions, which all use the same "
	  "address. None of them reads a byte of another place." },
	{ "arrives-for-others", test_arrives_for_others,
	  "A device's work waits for an evicted allocation that it requires, even if another "
	  "device brings it back" },
	{ "listed-comes-back", test_listed,
	  "A required allocation comes back before the device's work, even if the buffer's short "
	  "list names it as well, which would not make it resident" },
	{ "res-16-no-patch-list", test_no_patch_list,
	  "A context with virtual addresses accepts no patch-location list, and no packet that "
	  "names a slot" },
	{ "res-17-sixteen-allocations", test_sixteen,
	  "A list of 16 allocations is accepted, and one of 17 gives -E2BIG. The list makes "
	  "nothing resident." },
	{ "page-fault-each-packet", test_fault_packets,
	  "Each packet that touches memory, on either engine, faults at an address that is not "
	  "mapped" },
	{ "page-fault-not-resident", test_fault_not_resident,
	  "An allocation that is mapped but not resident faults, at the first address that the "
	  "packet touches" },
	{ "page-fault-loses-the-device", test_fault_loses_all,
	  "A page fault ends the work of all contexts of its device, even work queued on another "
	  "engine, but no work of other devices" },
	{ "read-only-and-writable", test_read_only,
	  "An allocation is mapped at two addresses, one of them read-only" },
	{ "sparse", test_sparse,
	  "A sparse range of any size reads as zeros, and writes to it go nowhere. Parts of it can "
	  "be mapped to an allocation, and become sparse again." },
	{ "range-taken-while-it-is-written", test_range,
	  "While a surface is written through virtual addresses, another client's CPU access takes "
	  "its swizzling range, or an own access wants one" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
