// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit va bind
 * Description: Binds of GPU virtual addresses: their order with submissions and moves, refused
 *   binds, the memory that mappings are charged for, and closing and unplugging while mappings
 *   exist (RES-3, EXT-49); Documentation/virtual-addresses.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: virtual addresses
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_va.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Binds of GPU virtual addresses: their order with submissions and moves, "
		     "refused binds, the memory that mappings are charged for, and closing and "
		     "unplugging while mappings exist (RES-3, EXT-49); "
		     "Documentation/virtual-addresses.rst has the table.");

static struct device dev;

/**
 * SUBTEST: binds-in-order
 * Description: Submissions before a bind see the old addresses, and submissions after it see the
 *   new ones, whatever is still running. Unmapping memory that a job uses takes nothing from the
 *   job.
 */
static void test_order(void)
{
	struct vsplit_bo *a, *b;

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', PAGE);
	b = alloc(&dev, 'B', PAGE);
	map(&dev, a, GOOD);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fill_at(&dev, GOOD, PAGE, 1);
	submit(&dev);
	vsplit_cs_reset(dev.cs);
	map(&dev, b, GOOD);
	fill_at(&dev, GOOD, PAGE, 2);
	submit(&dev);
	vsplit_cs_reset(dev.cs);
	unmap(&dev, GOOD, PAGE);
	map(&dev, a, GOOD);
	fill_at(&dev, GOOD + 8, 8, 3);
	submit(&dev);
	unmap(&dev, GOOD, PAGE);
	igt_assert(vsplit_syncobj_busy(dev.fd, dev.cs->out));
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(dev.cs);
	vsplit_cs_reset(dev.cs);
	check_bytes(a, 0, 8, 1);
	check_bytes(a, 8, 8, 3);
	check_bytes(a, 16, PAGE - 16, 1);
	check_bytes(b, 0, PAGE, 2);
	check_not_mapped(&dev, GOOD);
}

/**
 * SUBTEST: bind-syncobjs
 * Description: A bind waits for syncobjs and signals them; submissions behind the bind wait for it.
 */
static void test_syncobjs(void)
{
	struct drm_vsplit_sync syncs[2];
	struct drm_vsplit_va_op op;
	struct vsplit_bo *a;
	uint32_t out;

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', PAGE);
	op = op_map(a, GOOD, 0, PAGE, 0);
	out = vsplit_syncobj(dev.fd);
	/* Work that has not begun: the bind waits for its fence. */
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_nop(dev.cs, 8);
	submit(&dev);
	syncs[0] = (struct drm_vsplit_sync) { .handle = dev.cs->out };
	syncs[1] = (struct drm_vsplit_sync) { .handle = out, .flags = VSPLIT_SYNC_SIGNAL };
	expect(__vsplit_va_bind(dev.fd, &op, 1, syncs, 2), 0);
	igt_assert(vsplit_syncobj_busy(dev.fd, out));
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(__vsplit_syncobj_wait(dev.fd, out, 0, VSPLIT_SOON_MS), 0);
	vsplit_cs_wait(dev.cs);
	vsplit_cs_reset(dev.cs);
	fill_at(&dev, GOOD, PAGE, 9);
	run(&dev);
	check_bytes(a, 0, PAGE, 9);
}

/**
 * SUBTEST: bind-errors-change-nothing
 * Description: Wrong binds are refused with the documented errors, and as a whole: the operations
 *   before the bad one have no effect, either.
 */
static void test_errors(void)
{
	struct drm_vsplit_va_bind args;
	struct vsplit_bo *a, *b;
	struct device none = {};

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', 4 * PAGE);
	b = alloc(&dev, 'B', 4 * PAGE);
	map(&dev, a, GOOD);
	{
		const struct {
			struct drm_vsplit_va_op op;
			int error;
		} bad[] = {
			{ { .type = 3, .address = GOOD, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .address = GOOD }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .address = GOOD + 1, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .address = GOOD, .bytes = 100 }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .address = VSPLIT_VA_BYTES, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .address = PAGE, .bytes = VSPLIT_VA_BYTES }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .address = PAGE, .bytes = -PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_UNMAP, .flags = 1, .address = PAGE, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_SPARSE, .handle = a->handle, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_SPARSE, .offset = PAGE, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_SPARSE, .pad = 1, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_SPARSE, .bytes = VSPLIT_MAX_VA_OPS_BYTES }, -E2BIG },
			{ { .type = VSPLIT_VA_MAP, .handle = a->handle, .bytes = 5 * PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_MAP, .handle = a->handle, .offset = 4 * PAGE, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_MAP, .handle = a->handle, .offset = -PAGE, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_MAP, .handle = a->handle, .flags = 2, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_MAP, .bytes = PAGE }, -EINVAL },
			{ { .type = VSPLIT_VA_MAP, .handle = 0x7fffffff, .bytes = PAGE }, -ENOENT },
		};

		for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
			const struct drm_vsplit_va_op ops[] = {
				op_map(b, GOOD, 0, 4 * PAGE, 0), op_of(VSPLIT_VA_SPARSE, BAD, LARGE),
				bad[i].op,
			};

			igt_assert_f(__bind(&dev, ops, 3) == bad[i].error, "operation %u\n", i);
		}
	}
	args = (struct drm_vsplit_va_bind) {};
	expect(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_VA_BIND, &args), -EINVAL);
	args = (struct drm_vsplit_va_bind) { .num_ops = VSPLIT_MAX_VA_OPS + 1 };
	expect(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_VA_BIND, &args), -E2BIG);
	args = (struct drm_vsplit_va_bind) { .num_ops = 1, .ops = 8 };
	expect(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_VA_BIND, &args), -EFAULT);
	args = (struct drm_vsplit_va_bind) { .num_ops = 1, .flags = 1 };
	expect(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_VA_BIND, &args), -EINVAL);
	/* A file without an address space; refused calls do not make one. */
	none.fd = vsplit_adapter_open(ad);
	expect(__bind_one(&none, op_of(VSPLIT_VA_SPARSE, 0, PAGE)), -EINVAL);
	vsplit_ctx(none.fd, 0);
	expect(__vsplit_ctx_create(none.fd, &(struct drm_vsplit_ctx_create) {
		.priority = VSPLIT_CTX_PRIORITY_NORMAL, .mode = VSPLIT_CTX_MODE_VA,
	}), -EINVAL);
	expect(__bind_one(&none, op_of(VSPLIT_VA_SPARSE, 0, PAGE)), -EINVAL);
	/* With length 0, nothing is accessed at any address. */
	copy_at(&dev, BAD, GOOD, 0);
	copy_at(&dev, GOOD, 1ull << 60, 0);
	fill_at(&dev, UINT64_MAX, 0, 1);
	fill_at(&dev, GOOD, 4 * PAGE, 6);
	run(&dev);
	check_bytes(a, 0, 4 * PAGE, 6);
	check_bytes(b, 0, 4 * PAGE, 0);
	check_not_mapped(&dev, BAD);
}

/**
 * SUBTEST: closed-while-mapped
 * Description: An allocation whose handle is closed exists as long as it is mapped at an address.
 *   Its memory goes to another allocation only after no job can reach it.
 */
static void test_closed(void)
{
	struct vsplit_bo *a, *b, *keep;

	setup_device(&dev, MIB);
	keep = alloc(&dev, 'K', 64 * PAGE);
	map(&dev, keep, LARGE);
	a = vsplit_bo(dev.fd, 'A', 64 * PAGE);
	map(&dev, a, 2 * LARGE);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
	fill_at(&dev, 2 * LARGE, 64 * PAGE, 0x61);
	run(&dev);
	vsplit_bo_free(a);
	copy_at(&dev, LARGE, 2 * LARGE, 64 * PAGE);
	run(&dev);
	check_bytes(keep, 0, 64 * PAGE, 0x61);
	/*
	 * A job that uses it, the end of its last mapping, and an allocation that takes its place.
	 */
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fill_at(&dev, 2 * LARGE, 64 * PAGE, 0x62);
	copy_at(&dev, LARGE, 2 * LARGE, 64 * PAGE);
	submit(&dev);
	unmap(&dev, 2 * LARGE, LARGE);
	b = vsplit_bo(dev.fd, 'B', 128 * PAGE);
	vsplit_bo_set(b, 0x63);
	require(&dev, b);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(dev.cs);
	check_bytes(keep, 0, 64 * PAGE, 0x62);
	check_bytes(b, 0, 128 * PAGE, 0x63);
}

/**
 * SUBTEST: file-closed-while-running
 * Description: Accepted work runs to its end after its file is closed, with the addresses that it
 *   was submitted with.
 */
static void test_file_closed(void)
{
	struct device other;
	struct vsplit_bo *a, *copy;

	setup_device(&dev, 4 * MIB);
	device_open(&other, 0);
	a = alloc(&other, 'A', 4 * PAGE);
	map(&other, a, GOOD);
	copy = vsplit_bo_share(dev.fd, 'A', a);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fill_at(&other, GOOD, 4 * PAGE, 0x71);
	submit(&other);
	vsplit_cleanup_file(other.fd);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert(vsplit_soon(copy->map[4 * PAGE - 1] == 0x71));
	check_bytes(copy, 0, 4 * PAGE, 0x71);
}

static void *disable(void *arg)
{
	vsplit_adapter_disable(ad);
	return NULL;
}

/**
 * SUBTEST: unplugged-in-the-middle
 * Description: The adapter is removed while page tables are being written. The bind is not done,
 *   and its fence has an error.
 */
static void test_unplugged(void)
{
	const struct drm_vsplit_va_op op = op_of(VSPLIT_VA_SPARSE, GOOD, PAGE);
	struct drm_vsplit_sync sync = { .flags = VSPLIT_SYNC_SIGNAL };
	pthread_t thread;
	bool held;
	int fence;

	setup_device(&dev, 4 * MIB);
	vsplit_require_sync_points();
	sync.handle = vsplit_syncobj(dev.fd);
	vsplit_hold("gpu.page");
	expect(__vsplit_va_bind(dev.fd, &op, 1, &sync, 1), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(dev.fd, sync.handle, &fence), 0);
	held = vsplit_wait_held("gpu.page");
	vsplit_hold("gpu.dead");
	igt_assert_eq(pthread_create(&thread, NULL, disable, NULL), 0);
	held &= vsplit_wait_held("gpu.dead");
	vsplit_release("gpu.page");
	vsplit_release("gpu.dead");
	igt_assert_eq(pthread_join(thread, NULL), 0);
	igt_assert(held);
	igt_assert_eq(vsplit_fence_status(fence), -ENODEV);
	close(fence);
}

/* ---- what is charged ----------------------------------------------------- */

/* KiB that are charged to the user. */
static uint64_t charged(void)
{
	return vsplit_fdinfo(dev.fd, "vsplit-user-allocations:");
}

/**
 * SUBTEST: many-mappings
 * Description: One call makes a hundred thousand mappings of a page each, and another call removes
 *   all of them. Page tables that are no longer used are freed. The memory that describes the
 *   mappings is charged.
 */
static void test_many(void)
{
	const uint32_t nr = 100000;
	struct drm_vsplit_va_op *ops = calloc(nr, sizeof(*ops));
	struct vsplit_bo *all[4], *a;
	uint64_t before, after;

	igt_assert(ops);
	setup_device(&dev, 4 * MIB);
	for (uint32_t i = 0; i < 4; i++)
		all[i] = alloc(&dev, 'A' + i, 16 * PAGE);
	a = all[0];
	map(&dev, a, 0);
	before = charged();
	/* Of each allocation nearly as many as allowed. */
	for (uint32_t i = 0; i < nr; i++)
		ops[i] = op_map(all[i / 25000], LARGE + 2 * i * PAGE, i % 16 * PAGE, PAGE, 0);
	expect(__bind(&dev, ops, nr), 0);
	/* Page tables of 8 bytes a page, a mapping of DRM, and an entry of 32 bytes. */
	after = charged();
	igt_assert_f(after - before >= nr / 1024 * (2 * 8 + 128 + 32), "%llu KiB for all\n",
		     (unsigned long long)(after - before));
	fill_at(&dev, LARGE + 2 * 99999 * PAGE, PAGE, 0x19);
	fill_at(&dev, LARGE + 2 * 50000 * PAGE, PAGE, 0x20);
	run(&dev);
	check_bytes(all[3], 99999 % 16 * PAGE, PAGE, 0x19);
	check_bytes(all[2], 50000 % 16 * PAGE, PAGE, 0x20);
	release(&dev, all[2]);
	require(&dev, all[2]);
	fill_at(&dev, LARGE + 2 * 70000 * PAGE, PAGE, 0x21);
	run(&dev);
	check_bytes(all[2], 70000 % 16 * PAGE, PAGE, 0x21);
	unmap(&dev, LARGE, VSPLIT_VA_BYTES - LARGE);
	fill_at(&dev, 0, PAGE, 0x22);
	run(&dev);
	check_bytes(a, 0, PAGE, 0x22);
	/* Now and then a bind frees unused page tables: 32 MiB in all, a page for each. */
	for (uint32_t round = 0; round < 8; round++) {
		for (uint32_t i = 0; i < 1000; i++)
			ops[i] = op_map(a, (1 + 1000ull * round + i) * LARGE, 0, PAGE, 0);
		expect(__bind(&dev, ops, 1000), 0);
		unmap(&dev, LARGE, VSPLIT_VA_BYTES - LARGE);
		fill_at(&dev, 0, PAGE, 0x23);
		run(&dev);
	}
	after = charged();
	igt_assert_f(after < before + 16384, "%llu KiB more than before\n",
		     (unsigned long long)(after - before));
	free(ops);
}

/**
 * SUBTEST: mapped-too-often
 * Description: The mappings of one allocation, in all files together, are bounded in number and in
 *   bytes, because a client that needs its place writes all of them. Unmapping is never refused,
 *   even if it makes two ranges of one.
 */
static void test_too_often(void)
{
	const uint32_t nr = VSPLIT_MAX_MAPPINGS, times = VSPLIT_MAX_MAPPED_BYTES / LARGE;
	struct drm_vsplit_va_op *ops = calloc(nr, sizeof(*ops));
	struct drm_vsplit_va_op more[2];
	struct vsplit_bo *a, *b, *copy;
	struct device other;

	igt_assert(ops);
	setup_device(&dev, 8 * MIB);
	device_open(&other, 0);
	a = alloc(&dev, 'A', 4 * PAGE);
	b = alloc(&dev, 'B', LARGE);
	map(&dev, a, 0);
	for (uint32_t i = 0; i < nr; i++)
		ops[i] = op_map(a, LARGE + 2 * i * PAGE, 0, PAGE, 0);
	expect(__bind(&dev, ops, nr), -E2BIG);
	expect(__bind(&dev, ops, nr - 1), 0);
	more[0] = op_map(b, 999 * LARGE, 0, PAGE, 0);
	more[1] = ops[nr - 1];
	expect(__bind(&dev, more, 2), -E2BIG);
	unmap(&dev, PAGE, PAGE);
	expect(__bind(&dev, ops + nr - 1, 1), -E2BIG);
	unmap(&dev, 0, LARGE + 4 * PAGE);
	expect(__bind(&dev, ops + nr - 1, 1), 0);

	for (uint32_t i = 0; i < times; i++)
		ops[i] = op_map(b, (i + 1000) * LARGE, 0, LARGE, 0);
	expect(__bind(&dev, ops, times), 0);
	copy = vsplit_bo_share(other.fd, 'B', b);
	require(&other, copy);
	expect(__bind_one(&other, op_map(copy, LARGE, 0, PAGE, 0)), -E2BIG);
	unmap(&dev, 1000 * LARGE + 4 * PAGE, PAGE);
	map_part(&other, copy, LARGE, 0, PAGE, 0);
	fill_at(&other, LARGE, PAGE, 2);
	run(&other);
	check_bytes(b, 0, PAGE, 2);
	check_not_mapped(&dev, 999 * LARGE);
	free(ops);
}

/**
 * SUBTEST: too-much-at-once
 * Description: What a call is about leaves for others only when its page tables are written. So
 *   the bytes that one call unmaps are bounded like those that it maps, and so is the number of
 *   large pages that it cuts. In several calls everything can be unmapped.
 */
static void test_too_much(void)
{
	const uint64_t large = VSPLIT_MAX_VA_OPS_BYTES, first = large;
	struct drm_vsplit_va_op ops[1024];

	setup_device(&dev, 4 * MIB);
	for (uint32_t i = 0; i < 2; i++)
		expect(__bind_one(&dev, op_of(VSPLIT_VA_SPARSE, first + i * large, large)), 0);
	expect(__bind_one(&dev, op_of(VSPLIT_VA_UNMAP, 0, VSPLIT_VA_BYTES)), -E2BIG);
	expect(__bind_one(&dev, op_of(VSPLIT_VA_UNMAP, first + large, large)), 0);
	expect(__bind_one(&dev, op_of(VSPLIT_VA_UNMAP, 0, 2 * large)), 0);
	expect(__bind_one(&dev, op_of(VSPLIT_VA_UNMAP, 0, VSPLIT_VA_BYTES)), 0);

	expect(__bind_one(&dev, op_of(VSPLIT_VA_SPARSE, first, large)), 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = op_of(i % 2 ? VSPLIT_VA_SPARSE : VSPLIT_VA_UNMAP, first + (2 * i + 1) * PAGE, PAGE);
	expect(__bind(&dev, ops, ARRAY_SIZE(ops)), -E2BIG);
	expect(__bind(&dev, ops, 8), 0);
	expect(__bind(&dev, ops + 8, 8), 0);
	fill_at(&dev, first, PAGE, 1);
	run(&dev);
	check_not_mapped(&dev, 2 * first);
}

/* How many steps the hardware carries out the binds since vsplit_trace_begin() in. */
static unsigned int bind_steps(void)
{
	const char *trace = vsplit_trace_end(), *at = trace;
	unsigned int nr = 0;

	while (at && (at = vsplit_trace_find(trace, at, "step_begin", "type=bind"))) {
		at = strchr(at, '\n');
		nr++;
	}
	return nr;
}

/**
 * SUBTEST: steps
 * Description: The page tables of one call are written in steps, between which the engine may do
 *   other work. No step has many bytes or ranges, and what is larger than a step is shown right.
 */
static void test_steps(void)
{
	const uint64_t step = 64 * MIB, large = 8192 * MIB, at = 2 * step - PAGE;
	const uint32_t nr = 10000;
	struct drm_vsplit_va_op *ops = calloc(nr, sizeof(*ops));
	struct vsplit_bo *a;

	igt_assert(ops);
	setup_device(&dev, step + 4 * MIB);
	a = alloc(&dev, 'A', step + 3 * PAGE);
	vsplit_trace_begin();
	map(&dev, a, at);
	for (uint32_t i = 0; i < 4; i++)
		fill_at(&dev, at + (i % 2 ? PAGE : 0) + (i / 2 ? step : 0), PAGE, i + 1);
	run(&dev);
	igt_assert_lt(1, bind_steps());
	for (uint32_t i = 0; i < 4; i++)
		check_bytes(a, (i % 2 ? PAGE : 0) + (i / 2 ? step : 0), PAGE, i + 1);

	vsplit_trace_begin();
	expect(__bind_one(&dev, op_of(VSPLIT_VA_SPARSE, large + PAGE, large)), 0);
	for (uint64_t page = large + PAGE; page <= 2 * large; page += step - PAGE)
		fill_at(&dev, page, PAGE, 5);
	fill_at(&dev, 2 * large, PAGE, 5);
	run(&dev);
	igt_assert_lte(large / step, bind_steps());
	check_not_mapped(&dev, 2 * large + PAGE);

	setup_device(&dev, step);
	a = alloc(&dev, 'A', PAGE);
	for (uint32_t i = 0; i < nr; i++)
		ops[i] = op_map(a, large + 2 * i * PAGE, 0, PAGE, 0);
	vsplit_trace_begin();
	expect(__bind(&dev, ops, nr), 0);
	fill_at(&dev, large + 2 * (nr - 1) * PAGE, PAGE, 6);
	run(&dev);
	igt_assert_lt(2, bind_steps());
	check_bytes(a, 0, PAGE, 6);
	free(ops);
}

/* Number of mappings of an allocation that is mapped very often. */
#define MANY 20000u

/* Sixteen pages that are mapped at MANY consecutive addresses from LARGE on. */
static struct vsplit_bo *alloc_mapped_often(void)
{
	struct drm_vsplit_va_op *ops = calloc(MANY, sizeof(*ops));
	struct vsplit_bo *a = alloc(&dev, 'A', 16 * PAGE);

	igt_assert(ops);
	for (uint32_t i = 0; i < MANY; i++)
		ops[i] = op_map(a, LARGE + i * PAGE, i % 16 * PAGE, PAGE, 0);
	expect(__bind(&dev, ops, MANY), 0);
	free(ops);
	return a;
}

/*
 * Evicts and pages in @moved four times, and maps @shown at one more address, from @at on, behind
 * each of these moves.
 */
static void move_and_bind(struct device *d, const struct vsplit_bo *shown, const struct vsplit_bo *moved, uint64_t at)
{
	for (uint32_t i = 0; i < 4; i++) {
		vsplit_escape(dev.fd, VSPLIT_ESCAPE_EVICT, moved->handle, 0);
		map_part(d, shown, at + 2 * i * PAGE, 0, PAGE, 0);
		vsplit_escape(dev.fd, VSPLIT_ESCAPE_PAGE_IN, moved->handle, 0);
		map_part(d, shown, at + (2 * i + 1) * PAGE, 0, PAGE, 0);
	}
}

/**
 * SUBTEST: moves-between-binds
 * Description: An allocation with 20,000 mappings moves, gets another mapping, and moves again,
 *   while a job that uses it does not end. The memory that each of these moves needs is charged
 *   until the move is done.
 */
static void test_moves_between_binds(void)
{
	const uint64_t array = MANY * 32 / KIB;
	uint64_t before, after;
	struct vsplit_bo *a;

	setup_device(&dev, 4 * MIB);
	a = alloc_mapped_often();
	fill_at(&dev, LARGE, PAGE, 1);
	run(&dev);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fill_at(&dev, LARGE, PAGE, 2);
	submit(&dev);
	before = charged();
	move_and_bind(&dev, a, a, 99 * LARGE);
	after = charged();
	igt_assert_f(after - before >= 8 * array, "%llu KiB for 8 arrays of %llu\n",
		     (unsigned long long)(after - before), (unsigned long long)array);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(dev.cs);
	vsplit_cs_reset(dev.cs);
	igt_assert(vsplit_soon(charged() < before + array));
	fill_at(&dev, 99 * LARGE + 7 * PAGE, PAGE, 3);
	run(&dev);
	check_bytes(a, 0, PAGE, 3);
}

/**
 * SUBTEST: mappings-of-others
 * Description: One of two files maps a shared allocation 20,000 times. The other file maps it once,
 *   and then again and again while unfinished moves need all mappings. These binds are charged only
 *   for what their own file maps.
 */
static void test_mappings_of_others(void)
{
	const uint64_t array = MANY * 32 / KIB;
	struct vsplit_bo *a, *copy;
	struct device other;
	uint64_t before;

	setup_device(&dev, 4 * MIB);
	a = alloc_mapped_often();
	device_open(&other, 0);
	copy = vsplit_bo_share(other.fd, 'A', a);
	require(&other, copy);
	map(&other, copy, LARGE);
	fill_at(&other, LARGE, PAGE, 1);
	run(&other);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fill_at(&other, LARGE, PAGE, 2);
	submit(&other);
	before = charged();
	move_and_bind(&other, copy, a, LARGE + 32 * PAGE);
	igt_assert_f(charged() - before < array, "%llu KiB for 9 mappings\n",
		     (unsigned long long)(charged() - before));
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(other.cs);
	vsplit_cs_reset(other.cs);
	/* All addresses show it in its place. */
	for (uint32_t i = 0; i < 2; i++) {
		fill_at(&dev, LARGE + (MANY - 1) * PAGE, PAGE, 3 + i);
		run(&dev);
		check_bytes(a, (MANY - 1) % 16 * PAGE, PAGE, 3 + i);
		fill_at(&other, LARGE + 39 * PAGE, PAGE, 5 + i);
		run(&other);
		check_bytes(a, 0, PAGE, 5 + i);
		vsplit_escape(dev.fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	}
}

/*
 * A file maps an allocation of another file 512 times, each with a page table of its own. It is
 * closed while a move of that allocation has to write these page tables.
 */
static void close_while_moving(bool full)
{
	const uint64_t tables = 512 * 4, mappings = 512 * 128 / KIB;
	struct drm_vsplit_va_op *ops = calloc(512, sizeof(*ops));
	uint64_t none, before;
	struct device other;
	struct vsplit_counters counters;
	struct vsplit_bo *a, *copy;

	igt_assert(ops);
	setup_device(&dev, 4 * MIB);
	/* Address spaces of earlier tests are gone. */
	igt_assert(vsplit_soon(charged() < mappings));
	a = alloc(&dev, 'A', 16 * PAGE);
	map(&dev, a, GOOD);
	fill_at(&dev, GOOD, PAGE, 1);
	run(&dev);
	none = charged();
	device_open(&other, 0);
	copy = vsplit_bo_share(other.fd, 'A', a);
	for (uint32_t i = 0; i < 512; i++)
		ops[i] = op_map(copy, LARGE + i * LARGE, 0, PAGE, 0);
	expect(__bind(&other, ops, 512), 0);
	free(ops);
	fill_at(&other, LARGE, PAGE, 2);
	run(&other);
	/*
	 * A finished job that is not freed yet keeps the address space, and none is freed while
	 * engines are parked: wait for them first.
	 */
	igt_assert(vsplit_soon(!vsplit_counters(ad, &counters) || !counters.jobs));
	before = charged();
	igt_assert_f(before >= none + tables + mappings, "%llu KiB, then %llu KiB\n",
		     (unsigned long long)none, (unsigned long long)before);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	fill_at(&dev, GOOD, PAGE, 3);
	submit(&dev);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	vsplit_ttm_limit(full ? 1 : 0);
	vsplit_cleanup_file(other.fd);
	vsplit_soon(charged() <= before - mappings);
	/* And everything else that goes with it. */
	usleep(100000);
	vsplit_ttm_limit(0);
	igt_assert(charged() <= before - mappings);
	igt_assert_f(charged() >= none + tables, "%llu KiB less\n",
		     (unsigned long long)(before - charged()));
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(dev.cs);
	vsplit_cs_reset(dev.cs);
	/* The array could not be made anew. */
	if (full) {
		vsplit_escape(dev.fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
		igt_assert(charged() >= none + tables);
		map_part(&dev, a, GOOD + 64 * PAGE, 0, PAGE, 0);
	}
	igt_assert(vsplit_soon(charged() < none + tables / 4));
	require(&dev, a);
	vsplit_escape(dev.fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
	fill_at(&dev, GOOD, PAGE, 4);
	run(&dev);
	check_bytes(a, 0, PAGE, 4);
}

/**
 * SUBTEST: closed-while-it-moves
 * Description: Page tables of a closed file that a move has to write exist, and are charged, until
 *   the move is done.
 */
static void test_closed_moving(void)
{
	close_while_moving(false);
}

/**
 * SUBTEST: closed-while-it-moves-full
 * Description: The same when the user has no memory left for the new description of the
 *   allocation's mappings.
 */
static void test_closed_moving_full(void)
{
	close_while_moving(true);
}

/**
 * SUBTEST: unmap-without-room
 * Description: A client that has reached its memory limit can remove one of several mappings of an
 *   allocation. It cannot make a new one.
 */
static void test_unmap_full(void)
{
	struct vsplit_counters counters;
	struct drm_vsplit_va_op more;
	struct vsplit_bo *a;

	setup_device(&dev, 4 * MIB);
	a = alloc(&dev, 'A', 16 * PAGE);
	for (uint32_t i = 0; i < 4; i++)
		map(&dev, a, (i + 1) * LARGE);
	more = op_map(a, 9 * LARGE, 0, PAGE, 0);
	fill_at(&dev, 4 * LARGE, PAGE, 1);
	run(&dev);
	/* A finished job that is not freed yet may hold the array. */
	igt_assert(vsplit_soon(!vsplit_counters(ad, &counters) || !counters.jobs));
	vsplit_ttm_limit(1);
	unmap(&dev, 2 * LARGE, a->size);
	expect(__bind_one(&dev, more), -ENOMEM);
	vsplit_ttm_limit(0);
	fill_at(&dev, LARGE, PAGE, 2);
	fill_at(&dev, 4 * LARGE + PAGE, PAGE, 3);
	run(&dev);
	check_bytes(a, 0, PAGE, 2);
	check_bytes(a, PAGE, PAGE, 3);
	expect(__bind_one(&dev, more), 0);
	fill_at(&dev, 9 * LARGE, PAGE, 4);
	run(&dev);
	check_bytes(a, 0, PAGE, 4);
	check_not_mapped(&dev, 2 * LARGE);
}

/* ---- against a reference ------------------------------------------------ */

#define FUZZ_PAGES	1536u	/* three large pages */
#define FUZZ_AT		(5 * LARGE)
#define FUZZ_BOS	5u
#define FUZZ_BO_PAGES	700u
#define FUZZ_OUT	(64 * LARGE)

/* What is mapped at a page of the window. */
struct shown {
	int bo;		/* index; -1: nothing, -2: sparse */
	uint32_t page;
	bool read_only;
};

struct fuzz {
	struct vsplit_rng rng;
	struct vsplit_bo *bos[FUZZ_BOS];
	bool required[FUZZ_BOS];
	struct vsplit_bo *out;
	struct shown shown[FUZZ_PAGES];
};

static uint32_t fuzz_below(struct fuzz *f, uint32_t n)
{
	return vsplit_rng_below(&f->rng, n);
}

/* The number of pages from @first on that are mapped, or not mapped, in one piece. */
static uint32_t fuzz_rest(const struct fuzz *f, uint32_t first)
{
	const struct shown *shown = &f->shown[first];
	uint32_t pages = 1;

	while (first + pages < FUZZ_PAGES && shown[pages].bo == shown->bo &&
	       (shown->bo < 0 || shown[pages].page == shown->page + pages))
		pages++;
	return pages;
}

/*
 * Makes one operation, for the page tables and for the map. Often it ends at the end of a mapping.
 */
static void fuzz_op(struct fuzz *f, struct drm_vsplit_va_op *op)
{
	uint32_t first = fuzz_below(f, 3) ? fuzz_below(f, FUZZ_PAGES) : fuzz_below(f, 3) * 512;
	uint32_t pages = fuzz_below(f, 4) ? 1 + fuzz_below(f, FUZZ_PAGES - first) : fuzz_rest(f, first);
	uint32_t kind = fuzz_below(f, 8), bo = fuzz_below(f, FUZZ_BOS), offset = 0;
	bool read_only = kind < 2;

	if (kind < 6) {
		pages = pages < FUZZ_BO_PAGES ? pages : FUZZ_BO_PAGES;
		offset = fuzz_below(f, FUZZ_BO_PAGES - pages + 1);
		*op = op_map(f->bos[bo], FUZZ_AT + first * PAGE, offset * PAGE, pages * PAGE,
			     read_only ? VSPLIT_VA_OP_READ_ONLY : 0);
	} else {
		*op = op_of(kind == 6 ? VSPLIT_VA_UNMAP : VSPLIT_VA_SPARSE,
			    FUZZ_AT + first * PAGE, pages * PAGE);
	}
	for (uint32_t i = 0; i < pages; i++)
		f->shown[first + i] = (struct shown) {
			.bo = kind < 6 ? (int)bo : kind == 6 ? -1 : -2, .page = offset + i,
			.read_only = read_only,
		};
}

static bool fuzz_good(const struct fuzz *f, const struct shown *shown, bool write)
{
	return shown->bo == -2 || (shown->bo >= 0 && f->required[shown->bo] &&
				   !(write && shown->read_only));
}

/* A random run of pages that may be read (or written), of at most @max; 0: none. */
static uint32_t fuzz_range(struct fuzz *f, bool write, uint32_t max, uint32_t *first)
{
	uint32_t pages = 0;

	*first = fuzz_below(f, FUZZ_PAGES);
	while (pages < max && *first + pages < FUZZ_PAGES &&
	       fuzz_good(f, &f->shown[*first + pages], write))
		pages++;
	return pages;
}

/* Fills some pages, on the GPU and in the shadows. */
static void fuzz_fill(struct fuzz *f, uint8_t byte)
{
	uint32_t first, pages = fuzz_range(f, true, 1 + fuzz_below(f, 600), &first);

	if (!pages)
		return;
	fill_at(&dev, FUZZ_AT + first * PAGE, pages * PAGE, byte);
	for (uint32_t i = 0; i < pages; i++) {
		const struct shown *shown = &f->shown[first + i];

		if (shown->bo >= 0)
			memset(f->bos[shown->bo]->shadow + shown->page * PAGE, byte, PAGE);
	}
}

/* Copies some pages to an allocation that the CPU checks. */
static void fuzz_read(struct fuzz *f)
{
	uint32_t first, pages = fuzz_range(f, false, 64, &first);

	if (!pages)
		return;
	copy_at(&dev, FUZZ_OUT, FUZZ_AT + first * PAGE, pages * PAGE);
	for (uint32_t i = 0; i < pages; i++) {
		const struct shown *shown = &f->shown[first + i];

		if (shown->bo >= 0)
			memcpy(f->out->shadow + i * PAGE,
			       f->bos[shown->bo]->shadow + shown->page * PAGE, PAGE);
		else
			memset(f->out->shadow + i * PAGE, 0, PAGE);
	}
}

/* An allocation leaves, or comes back, perhaps to another place. */
static void fuzz_move(struct fuzz *f)
{
	uint32_t i = fuzz_below(f, FUZZ_BOS);

	if (f->required[i])
		release(&dev, f->bos[i]);
	else
		require(&dev, f->bos[i]);
	f->required[i] = !f->required[i];
}

/**
 * SUBTEST: fuzz-against-a-map
 * Description: Random binds of several operations, with evictions, page-ins and running work
 *   between them, compared with a map of pages. Every byte that is read or written through an
 *   address belongs to the allocation that the map names.
 */
static void test_fuzz(void)
{
	struct fuzz *f = calloc(1, sizeof(*f));
	struct drm_vsplit_va_op ops[6];

	igt_assert(f);
	f->rng.state = 20261122;
	setup_device(&dev, 24 * MIB);
	for (uint32_t i = 0; i < FUZZ_PAGES; i++)
		f->shown[i].bo = -1;
	for (uint32_t i = 0; i < FUZZ_BOS; i++) {
		f->bos[i] = vsplit_bo_in(dev.fd, 'A' + i, FUZZ_BO_PAGES * PAGE,
					 i % 2 ? VSPLIT_GEM_RUNS : 0, (const uint8_t[]) { 1, 0 });
		vsplit_bo_pattern(f->bos[i], i + 1);
	}
	f->out = alloc(&dev, 'X', 64 * PAGE);
	map(&dev, f->out, FUZZ_OUT);
	for (uint32_t round = 0; round < 250; round++) {
		uint32_t nr = 1 + fuzz_below(f, ARRAY_SIZE(ops));

		for (uint32_t i = 0; i < nr; i++)
			fuzz_op(f, &ops[i]);
		expect(__bind(&dev, ops, nr), 0);
		for (uint32_t i = fuzz_below(f, 3); i; i--)
			fuzz_move(f);
		vsplit_cs_nop(dev.cs, 8);
		for (uint32_t i = fuzz_below(f, 4); i; i--)
			fuzz_fill(f, fuzz_below(f, 256));
		fuzz_read(f);
		submit(&dev);
		vsplit_cs_reset(dev.cs);
		/* Often the next binds and moves come while this buffer runs. */
		if (round % 8 == 7) {
			igt_assert_eq(__vsplit_syncobj_wait(dev.fd, dev.cs->out, 0,
							    VSPLIT_SOON_MS), 0);
			igt_assert_eq(vsplit_syncobj_status(dev.fd, dev.cs->out), 1);
			vsplit_bo_check(f->out);
		}
	}
	for (uint32_t i = 0; i < FUZZ_BOS; i++)
		vsplit_bo_check(f->bos[i]);
	igt_assert_eq(vsplit_ctx_state(dev.fd, dev.ctx, NULL), VSPLIT_STATE_ACTIVE);
	free(f);
}

static const struct vsplit_subtest subtests[] = {
	{ "binds-in-order", test_order,
	  "Submissions before a bind see the old addresses, and submissions after it see the new "
	  "ones, whatever is still running" },
	{ "bind-syncobjs", test_syncobjs,
	  "A bind waits for syncobjs and signals them; submissions behind the bind wait for it" },
	{ "bind-errors-change-nothing", test_errors,
	  "Wrong binds are refused with the documented errors, and as a whole: the operations "
	  "before the bad one have no effect, either" },
	{ "closed-while-mapped", test_closed,
	  "An allocation whose handle is closed exists as long as it is mapped at an address" },
	{ "file-closed-while-running", test_file_closed,
	  "Accepted work runs to its end after its file is closed, with the addresses that it was "
	  "submitted with" },
	{ "unplugged-in-the-middle", test_unplugged,
	  "The adapter is removed while page tables are being written. The bind is not done, and "
	  "its fence has an error." },
	{ "many-mappings", test_many,
	  "One call makes a hundred thousand mappings of a page each, and another call removes all "
	  "of them" },
	{ "mapped-too-often", test_too_often,
	  "The mappings of one allocation, in all files together, are bounded in number and in "
	  "bytes, because a client that needs its place writes all of them" },
	{ "too-much-at-once", test_too_much,
	  "The bytes and the large pages that one call unmaps are bounded, and several calls can "
	  "unmap everything" },
	{ "steps", test_steps,
	  "The page tables of one call are written in steps, between which the engine may do "
	  "other work. No step has many bytes or ranges, and what is larger than a step is "
	  "shown right." },
	{ "moves-between-binds", test_moves_between_binds,
	  "The memory that moves of an allocation with 20,000 mappings need is charged until each "
	  "move is done" },
	{ "mappings-of-others", test_mappings_of_others,
	  "A bind is charged only for what its own file maps, however often another file maps the "
	  "allocation" },
	{ "closed-while-it-moves", test_closed_moving,
	  "Page tables of a closed file that a move has to write exist, and are charged, until the "
	  "move is done" },
	{ "closed-while-it-moves-full", test_closed_moving_full,
	  "Page tables of a closed file that a move writes are charged until it is done, also when "
	  "memory is used up" },
	{ "unmap-without-room", test_unmap_full,
	  "A client that has reached its memory limit can remove one of several mappings of an "
	  "allocation. It cannot make a new one." },
	{ "fuzz-against-a-map", test_fuzz,
	  "Random binds, with evictions, page-ins and running work between them, give what a map "
	  "of pages says" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
