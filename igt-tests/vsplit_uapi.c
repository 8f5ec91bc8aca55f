// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit uapi
 * Description: Every argument of every ioctl gets each kind of wrong value: the call gives the
 *   exact errno, and nothing happens.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: uapi
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_setup.h"

#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Every argument of every ioctl gets each kind of wrong value: the call gives "
		     "the exact errno, and nothing happens.");

#define U 4096ull
#define BAD_POINTER 0xdead000ull

/**
 * SUBTEST: query-arguments
 * Description: Unknown query types and bad pointers are refused.
 */
static void test_query(void)
{
	struct drm_vsplit_adapter_info info;
	struct drm_vsplit_query q = {};

	setup_plain();
	for (uint32_t type = 3; type < 64; type++) {
		uint32_t size = 0;

		expect(__vsplit_query(fd, type, NULL, &size), -EINVAL);
	}
	q.type = 0xffffffff;
	expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_QUERY, &q), -EINVAL);
	for (uint32_t type = 0; type < 3; type++) {
		q = (struct drm_vsplit_query) {
			.type = type, .size = sizeof(info), .pointer = BAD_POINTER,
		};
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_QUERY, &q), -EFAULT);
		q.pointer = 0;
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_QUERY, &q), -EFAULT);
	}
}

/**
 * SUBTEST: create-arguments
 * Description: Undefined flags, and bad segment lists, eviction sets and alignments are refused.
 */
static void test_create(void)
{
	struct drm_vsplit_gem_create args;

	setup_plain();
	for (unsigned int bit = 0; bit < 32; bit++) {
		if (VSPLIT_GEM_FLAGS & 1u << bit)
			continue;
		args = (struct drm_vsplit_gem_create) { .size = U, .flags = 1u << bit };
		expect(__vsplit_create(fd, &args), -EINVAL);
	}
	for (uint32_t n = 9; n < 40; n++) {
		args = (struct drm_vsplit_gem_create) { .size = U, .num_segments = n };
		expect(__vsplit_create(fd, &args), -EINVAL);
	}
	args = (struct drm_vsplit_gem_create) { .size = U, .num_segments = ~0u };
	expect(__vsplit_create(fd, &args), -EINVAL);
	for (unsigned int i = 0; i < 256; i++) {
		unsigned int id = i & ~VSPLIT_GEM_SEGMENT_TOPDOWN;

		args = (struct drm_vsplit_gem_create) {
			.size = U, .num_segments = 1, .segments = { i },
		};
		expect(__vsplit_create(fd, &args), id == 1 || id == 2 ? 0 : -EINVAL);
		if (args.handle)
			__vsplit_gem_close(fd, args.handle);
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		/* The second of the two segments is an aperture. */
		args = (struct drm_vsplit_gem_create) { .size = U, .eviction_set = 1u << bit };
		expect(__vsplit_create(fd, &args), bit == 1 ? 0 : -EINVAL);
		args = (struct drm_vsplit_gem_create) { .size = U, .eviction_set = 2 | 1u << bit };
		expect(__vsplit_create(fd, &args), bit == 1 ? 0 : -EINVAL);
	}
	for (unsigned int i = 0; i < 64; i++) {
		int error = 0;

		args = (struct drm_vsplit_gem_create) { .size = U, .alignment = 1ull << i };
		if (i >= 20)	/* beyond every segment: nothing can be there */
			error = 1;
		if (error)
			igt_assert(__vsplit_create(fd, &args) <= 0);
		else
			expect(__vsplit_create(fd, &args), 0);
		args = (struct drm_vsplit_gem_create) { .size = U, .alignment = 3ull << i };
		if (i < 62)
			expect(__vsplit_create(fd, &args), -EINVAL);
	}
}

/**
 * SUBTEST: sizes-that-wrap
 * Description: Sizes that wrap when they are rounded up to pages, or that exceed 32 bits when rows
 *   are padded, are too large, and do not become small.
 */
static void test_sizes(void)
{
	static const uint64_t sizes[] = {
		~0ull, ~0ull - 4094, ~0ull - 4095, ~0ull - 4096, 1ull << 63, (1ull << 52) + 1,
		(1ull << 44) + 1, (1ull << 32) + 1, 1ull << 32,
	};
	/* Rows of one byte are padded to 64 bytes, which makes these too large. */
	static const uint32_t heights[] = { 0x04000000, 0x04000001, 0x08000000, 0x0c000010 };
	struct drm_vsplit_gem_create args;
	int primary;

	setup_plain();
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		args = (struct drm_vsplit_gem_create) { .size = sizes[i] };
		expect(__vsplit_create(fd, &args), -E2BIG);
	}
	primary = vsplit_adapter_open_primary(ad);
	for (unsigned int i = 0; i < ARRAY_SIZE(heights); i++) {
		struct drm_mode_create_dumb dumb = { .width = 1, .height = heights[i], .bpp = 8 };

		expect(__vsplit_ioctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), -E2BIG);
	}
}

/**
 * SUBTEST: create-priority
 * Description: Priorities from WDDM's lowest to its highest are valid, 0 is normal.
 */
static void test_create_priority(void)
{
	static const struct {
		uint32_t priority;
		int error;
	} cases[] = {
		{ 0, 0 },
		{ VSPLIT_PRIORITY_MIN, 0 },
		{ VSPLIT_PRIORITY_LOW, 0 },
		{ VSPLIT_PRIORITY_NORMAL + 12345, 0 },
		{ VSPLIT_PRIORITY_HIGH, 0 },
		{ VSPLIT_PRIORITY_MAX, 0 },
	};

	setup_plain();
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_vsplit_gem_create args = { .size = U, .priority = cases[i].priority };

		expect(__vsplit_create(fd, &args), cases[i].error);
	}
}

/**
 * SUBTEST: handles
 * Description: Unknown handles, closed ones, and those of other files give -ENOENT everywhere.
 */
static void test_handles(void)
{
	struct vsplit_bo *a, *mine;
	uint32_t bad[6];
	int other;

	setup_plain();
	other = vsplit_adapter_open(ad);
	mine = build_good();
	a = vsplit_bo(fd, 'X', U);
	/* Handles of another file that this file does not have. */
	for (unsigned int i = 0; i < 8; i++)
		bad[0] = vsplit_bo(other, 'O', U)->handle;
	bad[1] = a->handle;
	vsplit_bo_free(a);
	bad[2] = 0x7fffffff;
	bad[3] = 0xffffffff;
	bad[4] = 12345;
	bad[5] = 0x10000000;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drm_vsplit_gem_mmap_offset map = { .handle = bad[i] };
		struct drm_vsplit_gem_priority priority = { .handle = bad[i] };
		struct drm_vsplit_gem_lock lock = { .handle = bad[i] };
		struct drm_vsplit_gem_info info;

		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &map), -ENOENT);
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &priority), -ENOENT);
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -ENOENT);
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), -ENOENT);
		expect(__vsplit_info(fd, bad[i], &info), -ENOENT);
		expect(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bad[i], 0), -ENOENT);
		expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, bad[i], 0), -ENOENT);
		cs->allocs[0].handle = bad[i];
		vsplit_cs_refused(cs, ctx, 0, -ENOENT);
	}
	cs->allocs[0].handle = mine->handle;
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: pads
 * Description: Each bit of each pad must be zero.
 */
static void test_pads(void)
{
	struct vsplit_bo *a;

	setup_plain();
	a = build_good();
	vsplit_cs_run(cs, ctx, 0);
	for (unsigned int bit = 0; bit < 32; bit++) {
		struct drm_vsplit_gem_mmap_offset map = { a->handle, 1u << bit, 0 };
		struct drm_vsplit_ctx_destroy destroy = { ctx, 1u << bit };
		struct drm_vsplit_ctx_query query = { .ctx = ctx, .pad = 1u << bit };
		struct drm_vsplit_record record = { .ctx = ctx, .pad = 1u << bit, .submission = 1 };
		struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
		struct drm_vsplit_submit submit;

		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &map), -EINVAL);
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_DESTROY, &destroy), -EINVAL);
		expect(__vsplit_ctx_query(fd, &query), -EINVAL);
		expect(__vsplit_record(fd, &record), -EINVAL);
		vsplit_cs_args(cs, ctx, 0, &submit, syncs);
		submit.pad = 1u << bit;
		expect(__vsplit_submit(fd, &submit), -EINVAL);
	}
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
}

/**
 * SUBTEST: flags
 * Description: Each undefined flag bit of each structure is refused.
 */
static void test_flags(void)
{
	struct vsplit_bo *a;

	setup_plain();
	a = build_good();
	vsplit_cs_null(cs);
	for (unsigned int i = 0; i < 32; i++) {
		uint32_t bit = 1u << i;
		struct drm_vsplit_gem_lock lock = { a->handle, bit };
		struct drm_vsplit_ctx_create create = { .flags = bit };

		if (!(bit & VSPLIT_LOCK_FLAGS))
			expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -EINVAL);
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), -EINVAL);
		if (!(bit & VSPLIT_CTX_FLAGS))
			expect(__vsplit_ctx_create(fd, &create), -EINVAL);
		if (!(bit & VSPLIT_SUBMIT_FLAGS))
			vsplit_cs_refused(cs, ctx, bit, -EINVAL);
		if (!(bit & VSPLIT_ALLOC_FLAGS)) {
			cs->allocs[0].flags |= bit;
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
			cs->allocs[0].flags &= ~bit;
		}
		cs->allocs[1].flags = bit;	/* the NULL element has none */
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		cs->allocs[1].flags = 0;
		if (!(bit & VSPLIT_SYNC_FLAGS)) {
			vsplit_cs_signal(cs, cs->out, 0);
			cs->syncs[0].flags |= bit;
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
			cs->nr_syncs = 0;
		}
	}
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: lock-flags
 * Description: Each combination of lock flags: contradicting flags are refused, the others are
 *   accepted.
 */
static bool lock_flags_contradict(uint32_t flags)
{
	static const uint32_t pairs[] = {
		VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_WRITE_ONLY,
		VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_DISCARD,
		VSPLIT_LOCK_IGNORE_SYNC | VSPLIT_LOCK_IGNORE_READ_SYNC,
		VSPLIT_LOCK_IGNORE_SYNC | VSPLIT_LOCK_ACQUIRE_APERTURE,
		VSPLIT_LOCK_IGNORE_SYNC | VSPLIT_LOCK_DISCARD,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(pairs); i++)
		if ((flags & pairs[i]) == pairs[i])
			return true;
	return false;
}

static void test_lock_flags(void)
{
	struct drm_vsplit_gem_lock lock = {};
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;

	setup_plain();
	a = vsplit_bo(fd, 'A', U);
	for (uint32_t flags = 0; flags <= VSPLIT_LOCK_FLAGS; flags++) {
		bool both = lock_flags_contradict(flags);

		lock.handle = a->handle;
		lock.flags = flags;
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), both ? -EINVAL : 0);
		vsplit_info(a, &info);
		igt_assert_eq(info.locks, !both);
		if (both)
			continue;
		lock.flags = 0;
		expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), 0);
	}
}

/**
 * SUBTEST: contexts
 * Description: Bad engines, priorities and ids are refused, and so are too many contexts.
 */
static void test_contexts(void)
{
	static const uint32_t bad[] = { 0, 77777, 0x80000000, 0xffffffff };
	struct drm_vsplit_ctx_create args;
	unsigned int n = 0;
	int ret, other;

	setup_plain();
	build_good();
	for (uint32_t engine = 0; engine < 10; engine++) {
		args = (struct drm_vsplit_ctx_create) { .engine = engine };
		expect(__vsplit_ctx_create(fd, &args), engine < 2 ? 0 : -EINVAL);
	}
	for (uint32_t priority = 0; priority < 10; priority++) {
		args = (struct drm_vsplit_ctx_create) { .priority = priority };
		expect(__vsplit_ctx_create(fd, &args), priority < 3 ? 0 : -EINVAL);
	}
	args = (struct drm_vsplit_ctx_create) { .priority = 0xffffffff };
	expect(__vsplit_ctx_create(fd, &args), -EINVAL);
	args = (struct drm_vsplit_ctx_create) { .engine = 0xffffffff };
	expect(__vsplit_ctx_create(fd, &args), -EINVAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drm_vsplit_ctx_query query = { .ctx = bad[i] };
		struct drm_vsplit_record record = { .ctx = bad[i], .submission = 1 };

		expect(__vsplit_ctx_destroy(fd, bad[i]), -ENOENT);
		/* 0 asks for the device. */
		expect(__vsplit_ctx_query(fd, &query), bad[i] ? -ENOENT : 0);
		expect(__vsplit_record(fd, &record), -ENOENT);
		vsplit_cs_refused(cs, bad[i], 0, -ENOENT);
	}
	/* Contexts belong to their file. */
	other = vsplit_adapter_open(ad);
	expect(__vsplit_ctx_destroy(other, ctx), -ENOENT);
	do {
		args = (struct drm_vsplit_ctx_create) {};
		ret = __vsplit_ctx_create(other, &args);
	} while (!ret && ++n < 100000);
	igt_assert_eq(ret, -ENOSPC);
	igt_assert(n >= 64);
	expect(__vsplit_ctx_destroy(other, 1), 0);
	args = (struct drm_vsplit_ctx_create) {};
	expect(__vsplit_ctx_create(other, &args), 0);
}

/**
 * SUBTEST: pointers
 * Description: Unreadable and unwritable pointers give -EFAULT, and nothing runs.
 */
static void test_pointers(void)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	struct drm_vsplit_record record, before;
	struct vsplit_bo *a;
	uint8_t *edge;

	setup_plain();
	a = build_good();
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_args(cs, ctx, 0, &args, syncs);
		switch (i % 4) {
		case 0:
			args.stream = i < 4 ? BAD_POINTER : 0;
			break;
		case 1:
			args.allocs = i < 4 ? BAD_POINTER : ~0ull - 7;
			break;
		case 2:
			args.patches = i < 4 ? BAD_POINTER : 0;
			break;
		case 3:
			args.syncs = i < 4 ? BAD_POINTER : 1ull << 63;
			break;
		}
		expect(__vsplit_submit(fd, &args), -EFAULT);
	}
	/* The end of the list is in a page that is not mapped. */
	edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(edge != MAP_FAILED);
	munmap(edge + 4096, 4096);
	vsplit_cs_args(cs, ctx, 0, &args, syncs);
	args.stream = (uintptr_t)edge + 4096 - cs->bytes + 8;
	expect(__vsplit_submit(fd, &args), -EFAULT);
	memcpy(edge + 4096 - cs->bytes, cs->stream, cs->bytes);
	args.stream = (uintptr_t)edge + 4096 - cs->bytes;
	expect(__vsplit_submit(fd, &args), 0);
	igt_assert_eq(__vsplit_syncobj_wait(fd, cs->out, 0, VSPLIT_SOON_MS), 0);
	vsplit_cs_reference(cs, 0);
	vsplit_bo_check(a);
	munmap(edge, 4096);

	record = (struct drm_vsplit_record) {
		.ctx = ctx, .submission = 1, .events = BAD_POINTER, .num_events = 10,
	};
	expect(__vsplit_record(fd, &record), -EFAULT);
	record = (struct drm_vsplit_record) {
		.ctx = ctx, .submission = 1, .rows = BAD_POINTER, .num_rows = 10,
	};
	before = record;
	expect(__vsplit_record(fd, &record), -EFAULT);
	igt_assert(!memcmp(&record, &before, sizeof(record)));
	record = (struct drm_vsplit_record) { .ctx = ctx, .submission = 1 };
	expect(__vsplit_record(fd, &record), 0);
}

/**
 * SUBTEST: mmap
 * Description: Mappings at offsets of other files' allocations, at bad offsets, and beyond the end
 *   of the allocation are refused. A part of an allocation can be mapped.
 */
static void test_mmap(void)
{
	struct drm_vsplit_gem_mmap_offset args = {};
	struct vsplit_bo *a;
	int other;
	void *p;

	setup_plain();
	a = vsplit_bo(fd, 'A', 4 * U);
	args.handle = a->handle;
	expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &args), 0);
	p = mmap(NULL, 5 * U, PROT_READ, MAP_SHARED, fd, args.offset);
	igt_assert(p == MAP_FAILED);
	p = mmap(NULL, 4 * U, PROT_READ, MAP_SHARED, fd, args.offset + (1ull << 40));
	igt_assert(p == MAP_FAILED);
	p = mmap(NULL, 4 * U, PROT_READ, MAP_SHARED, fd, 0);
	igt_assert(p == MAP_FAILED);
	other = vsplit_adapter_open(ad);
	p = mmap(NULL, 4 * U, PROT_READ, MAP_SHARED, other, args.offset);
	igt_assert(p == MAP_FAILED && errno == EACCES);
	/* A part of it can be mapped. */
	p = mmap(NULL, 2 * U, PROT_READ, MAP_SHARED, fd, args.offset);
	igt_assert(p != MAP_FAILED);
	munmap(p, 2 * U);
	/* The offset does not change; a field that is only an output is 0 on input. */
	args.offset = 0;
	expect(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &args), 0);
	p = mmap(NULL, 4 * U, PROT_READ, MAP_SHARED, fd, args.offset);
	igt_assert(p != MAP_FAILED);
	munmap(p, 4 * U);
}

/* Runs @fn in a process without privileges; returns its -errno. */
static int unprivileged(int (*fn)(void))
{
	int status;
	pid_t pid = vsplit_fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		_exit(-fn());
	}
	status = vsplit_reap(pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) != 255);
	return -WEXITSTATUS(status);
}

static int try_escape(void)
{
	return __vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
}

static int try_high(void)
{
	struct drm_vsplit_ctx_create args = { .priority = VSPLIT_CTX_PRIORITY_HIGH };

	return __vsplit_ctx_create(fd, &args);
}

static int try_normal(void)
{
	struct drm_vsplit_ctx_create args = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };

	return __vsplit_ctx_create(fd, &args);
}

/**
 * SUBTEST: privileges
 * Description: Escapes need root, high priority needs CAP_SYS_NICE, and the rest needs no
 *   privilege.
 */
static void test_privileges(void)
{
	setup_plain();
	igt_require(getuid() == 0);
	expect(unprivileged(try_escape), -EPERM);
	expect(unprivileged(try_high), -EACCES);
	expect(unprivileged(try_normal), 0);
	expect(try_escape(), 0);
	expect(try_high(), 0);
}

/**
 * SUBTEST: escape-arguments
 * Description: Escapes outside of test mode, unknown escapes and bad values are refused.
 */
static void test_escape(void)
{
	const struct vsplit_adapter_opts plain = { .segs = { { "vram", .size = 64 * U } } };
	struct vsplit_bo *a;

	setup_plain();
	a = vsplit_bo_in(fd, 'A', 4 * U, 0, (uint8_t []) { 1, 0 });
	for (uint32_t op = VSPLIT_ESCAPE_PERIOD + 1; op < 40; op++)
		expect(__vsplit_escape(fd, op, 0, 0), -EINVAL);
	expect(__vsplit_escape(fd, 0xffffffff, 0, 0), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 3), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 2), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, ~0ull), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 1ull << 32), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 1), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, a->handle, 0), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 1), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 2), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, a->handle, 0), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1ull << 32), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 0), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, a->handle, 1), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_NUM_GROUPS, 1), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PERIOD, a->handle, 0), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PERIOD, 0, 1), -EINVAL);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 1), 0);
	igt_assert(vsplit_bo_resident(a));
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0), 0);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0), 0);
	igt_assert(vsplit_bo_resident(a));

	if (getenv("VSPLIT_KNOBS")) {
		igt_info("knobs need test mode: escapes are not refused\n");
		return;
	}
	fd = vsplit_adapter_open(vsplit_adapter_create(&plain));
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0), -EOPNOTSUPP);
	expect(__vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0), -EOPNOTSUPP);
}

/**
 * SUBTEST: suspend-ends-with-the-file
 * Description: When a file that suspended an engine is closed, the engine goes on.
 */
static void test_suspend_close(void)
{
	int other;

	setup_plain();
	build_good();
	other = vsplit_adapter_open(ad);
	expect(__vsplit_escape(other, VSPLIT_ESCAPE_SUSPEND, 0, 0), 0);
	vsplit_cs_submit(cs, ctx, 0);
	usleep(50000);
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	vsplit_close(other);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: unknown-ioctls
 * Description: Unused ioctl numbers give -EINVAL or -ENOTTY.
 */
static void test_unknown(void)
{
	uint64_t args[32] = {};

	setup_plain();
	for (unsigned int nr = DRM_VSPLIT_NUM_IOCTLS; nr < 0x60; nr++) {
		int ret = __vsplit_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + nr, args), args);

		igt_assert(ret == -EINVAL || ret == -ENOTTY);
	}
}

/**
 * SUBTEST: outputs-leak-nothing
 * Description: Output structures are written whole, or not at all: they contain no byte of the
 *   kernel's memory.
 */
static void test_outputs(void)
{
	struct drm_vsplit_ctx_query query;
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	struct drm_vsplit_adapter_info info;
	struct vsplit_record *rec;

	setup_plain();
	build_good();
	rec = vsplit_cs_run(cs, ctx, 0);
	for (uint32_t i = 0; i < rec->info.num_rows; i++)
		igt_assert(rec->rows[i].driver_id);
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (e->type == VSPLIT_EVENT_PORTION) {
			igt_assert(!e->handle && !e->id && !e->segment && !e->from_segment);
			igt_assert(!e->at && !e->from && !e->bytes && !e->copied);
		} else {
			igt_assert(!e->begin && !e->end && !e->patch_first && !e->patch_count);
			igt_assert(!e->row_first && !e->row_count);
			igt_assert(e->type == VSPLIT_EVENT_MOVE || (!e->from && !e->from_segment));
		}
	}
	vsplit_ctx_query(fd, ctx, &query);
	igt_assert_eq(query.pad, 0);
	igt_assert_eq(query.fault, VSPLIT_FAULT_NONE);
	igt_assert_eq_u64(query.submission, 0);
	igt_assert_eq_u64(query.last_submission, 1);
	vsplit_query_adapter(fd, &info);
	for (size_t i = strlen((char *)info.name); i < sizeof(info.name); i++)
		igt_assert_eq(info.name[i], 0);
	for (unsigned int s = 0; s < vsplit_query_segments(fd, segs); s++)
		for (size_t i = strlen((char *)segs[s].name); i < sizeof(segs[s].name); i++)
			igt_assert_eq(segs[s].name[i], 0);
}

static const struct vsplit_subtest tests[] = {
	{ "query-arguments", test_query, "Unknown query types and bad pointers are refused" },
	{ "create-arguments", test_create,
	  "Undefined flags, and bad segment lists, eviction sets and alignments are refused" },
	{ "sizes-that-wrap", test_sizes,
	  "Sizes that wrap when they are rounded up to pages, or that exceed 32 bits when rows are "
	  "padded, are too large, and do not become small" },
	{ "create-priority", test_create_priority,
	  "Priorities from WDDM's lowest to its highest are valid, 0 is normal" },
	{ "handles", test_handles,
	  "Unknown handles, closed ones, and those of other files give -ENOENT everywhere" },
	{ "pads", test_pads, "Each bit of each pad must be zero" },
	{ "flags", test_flags, "Each undefined flag bit of each structure is refused" },
	{ "lock-flags", test_lock_flags,
	  "Lock flags that contradict each other are refused, and all other combinations are "
	  "accepted" },
	{ "contexts", test_contexts,
	  "Bad engines, priorities and ids are refused, and so are too many contexts" },
	{ "pointers", test_pointers,
	  "Unreadable and unwritable pointers give -EFAULT, and nothing runs" },
	{ "mmap", test_mmap,
	  "Mappings at offsets of other files' allocations, at bad offsets, and beyond the end of "
	  "the allocation are refused" },
	{ "privileges", test_privileges,
	  "Escapes need root, high priority needs CAP_SYS_NICE, and the rest needs no privilege" },
	{ "escape-arguments", test_escape,
	  "Escapes outside of test mode, unknown escapes and bad values are refused" },
	{ "suspend-ends-with-the-file", test_suspend_close,
	  "When a file that suspended an engine is closed, the engine goes on" },
	{ "unknown-ioctls", test_unknown, "Unused ioctl numbers give -EINVAL or -ENOTTY" },
	{ "outputs-leak-nothing", test_outputs,
	  "Output structures are written whole, or not at all: they contain no byte of the "
	  "kernel's memory" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
