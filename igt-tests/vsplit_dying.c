// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit dying
 * Description: Allocations are closed while work uses them. Their ranges are free at once, the next
 *   owner's work runs after that work, and neither other clients nor kernel threads wait for it.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: lifetime of allocations
 * Test category: functionality test
 *
 * A suspended engine stands for work that lasts as long as its client likes.
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_share.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Allocations are closed while work uses them.");

#define PAGE 4096u

/* More allocations than the kernel has threads that could wait for them. */
#define MANY 40u

/* The only segment of the adapter, unless a test has others. */
static void memory_only(void)
{
	static const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 32 * U, .ranges = 1 },
	};

	side_on(&one, segs, 1);
}

static uint64_t resident(const struct side *side, uint32_t segment)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];

	igt_assert_lt(segment - 1, vsplit_query_segments(side->fd, segs));
	return segs[segment - 1].resident;
}

static void suspend(const struct side *side, uint32_t engine)
{
	vsplit_escape(side->fd, VSPLIT_ESCAPE_SUSPEND, 0, engine);
}

static void resume(const struct side *side, uint32_t engine)
{
	vsplit_escape(side->fd, VSPLIT_ESCAPE_RESUME, 0, engine);
}

/* Submits work on the allocation, and closes it; its shadow is not checked any more. */
static struct vsplit_cs *busy_and_closed(struct side *side, struct vsplit_bo *bo)
{
	struct vsplit_cs *cs = build_set(side, bo, 0xdeadbeef);

	vsplit_cs_submit(cs, side->ctx, 0);
	vsplit_bo_free(bo);
	return cs;
}

static struct vsplit_counters counters(const struct side *side)
{
	struct vsplit_counters now;

	igt_require_f(vsplit_counters(side->ad, &now), "no debugfs\n");
	return now;
}

static bool bos_become(const struct side *side, int bos)
{
	return vsplit_soon(counters(side).bos == bos);
}

/* ---- ranges ------------------------------------------------------------- */

/*
 * Another client: submits work that needs all of the memory, says so on @said, and checks the
 * bytes.
 */
static void __attribute__((noreturn)) client(const struct vsplit_adapter *ad, int said)
{
	struct side side = { .ad = (struct vsplit_adapter *)ad };
	struct vsplit_bo *bo[2];
	struct vsplit_cs *cs;

	side.fd = vsplit_adapter_open(side.ad);
	side.ctx = vsplit_ctx_on(side.fd, 0, 1);
	cs = vsplit_cs(side.fd);
	for (unsigned int i = 0; i < 2; i++) {
		bo[i] = vsplit_bo(side.fd, 'A' + i, 20 * U);
		vsplit_cs_bind(cs, 0, bo[i]);
		vsplit_cs_set(cs, 0, 0, bo[i]->size, 0x1000 + i);
	}
	vsplit_cs_submit(cs, side.ctx, 0);
	igt_assert_eq(write(said, "s", 1), 1);
	vsplit_cs_ends_well(cs);
	_exit(0);
}

/* Starts the other client. Its submission is accepted, whatever engine 0 does. */
static pid_t client_submits(const struct side *side)
{
	struct pollfd p = { .events = POLLIN };
	int pipes[2];
	pid_t pid;

	igt_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
	pid = vsplit_fork();
	if (!pid)
		client(side->ad, pipes[1]);
	close(pipes[1]);
	p.fd = pipes[0];
	igt_assert_f(poll(&p, 1, VSPLIT_SOON_MS) == 1 && (p.revents & POLLIN),
		     "another client's submission waits for work of a closed allocation\n");
	close(pipes[0]);
	return pid;
}

/**
 * SUBTEST: range-is-free-at-once
 * Description: The range of a busy allocation is free when its handle is closed. The next owner's
 *   work runs after the work that used it, and its bytes are right.
 */
static void test_free_at_once(void)
{
	struct vsplit_cs *before, *after;
	struct vsplit_bo *b;

	memory_only();
	suspend(&one, 0);
	before = busy_and_closed(&one, vsplit_bo(one.fd, 'A', 24 * U));
	igt_assert_eq_u64(resident(&one, 1), 0);

	b = vsplit_bo(one.fd, 'B', 24 * U);
	after = build_set(&one, b, 0x600d600d);
	vsplit_cs_submit(after, vsplit_ctx_on(one.fd, 0, 1), 0);
	igt_assert_eq_u64(resident(&one, 1), 24 * U);
	igt_assert(vsplit_syncobj_busy(one.fd, before->out));
	igt_assert(vsplit_syncobj_busy(one.fd, after->out));
	resume(&one, 0);
	vsplit_cs_wait(after);
	igt_assert(!vsplit_syncobj_busy(one.fd, before->out));
	vsplit_cs_reference(after, 0);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: split-does-not-wait
 * Description: Closed allocations are busy. Another client's submission that needs a split, and
 *   thus all of the memory, is accepted all the same.
 */
static void test_split(void)
{
	struct vsplit_cs *before;
	pid_t pid;

	memory_only();
	suspend(&one, 0);
	for (unsigned int i = 0; i < 3; i++)
		before = busy_and_closed(&one, vsplit_bo(one.fd, 'A' + i, 10 * U));
	pid = client_submits(&one);
	igt_assert(vsplit_syncobj_busy(one.fd, before->out));
	resume(&one, 0);
	igt_assert_eq(vsplit_reap(pid), 0);
}

/**
 * SUBTEST: all-contexts-come-first
 * Description: The next owner of a range waits for all contexts whose work used it, on all engines.
 */
static void test_contexts(void)
{
	struct vsplit_cs *cs, *after;
	struct vsplit_bo *a, *b;
	uint32_t other;

	memory_only();
	other = vsplit_ctx_on(one.fd, 0, 1);
	a = vsplit_bo(one.fd, 'A', 24 * U);
	gpu_set(&one, a, 0);
	suspend(&one, 0);
	suspend(&one, 1);
	for (unsigned int i = 0; i < 20; i++) {
		cs = build_set(&one, a, i);
		vsplit_cs_submit(cs, vsplit_ctx_on(one.fd, 0, i % 2), VSPLIT_SUBMIT_NO_IMPLICIT);
	}
	vsplit_bo_free(a);
	igt_assert_eq_u64(resident(&one, 1), 0);

	b = vsplit_bo(one.fd, 'B', 24 * U);
	after = build_set(&one, b, 0x600d600d);
	vsplit_cs_submit(after, other, 0);
	/* Work without allocations passes engine 1, behind the ten submissions there. */
	resume(&one, 1);
	cs = vsplit_cs(one.fd);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_submit_and_wait(cs, vsplit_ctx_on(one.fd, 0, 1), 0);
	igt_assert(vsplit_syncobj_busy(one.fd, after->out));
	resume(&one, 0);
	vsplit_cs_wait(after);
	vsplit_cs_reference(after, 0);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: aperture-range-is-unmapped-first
 * Description: An allocation that was mapped into an aperture and closed while busy is unmapped
 *   after its work, and before the next owner is mapped there. No write goes astray, and the next
 *   owner's bytes are right.
 */
static void test_aperture(void)
{
	static const struct vsplit_seg_opts segs[] = {
		{ "aper", true, .size = 32 * U },
	};
	struct drm_vsplit_statistics stats;
	struct vsplit_cs *after;
	struct vsplit_bo *b;

	side_on(&one, segs, 1);
	for (unsigned int round = 0; round < 8; round++) {
		suspend(&one, 0);
		busy_and_closed(&one, vsplit_bo(one.fd, 'A', 24 * U));
		igt_assert_eq_u64(resident(&one, 1), 0);
		b = vsplit_bo(one.fd, 'B', 24 * U);
		after = build_set(&one, b, 0x600d0000 + round);
		vsplit_cs_submit(after, vsplit_ctx_on(one.fd, 0, 1), 0);
		resume(&one, 0);
		vsplit_cs_wait(after);
		vsplit_cs_reference(after, 0);
		vsplit_bo_check(b);
		vsplit_bo_free(b);
	}
	vsplit_query_statistics(one.fd, &stats);
	igt_assert_eq_u64(stats.stray_writes, 0);
	igt_assert_eq_u64(stats.faults, 0);
}

/**
 * SUBTEST: swizzling-range-is-free-at-once
 * Description: A swizzled allocation that is closed while busy gives its swizzling range back at
 *   once. The next allocation gets the range, and after the work is done the CPU sees that
 *   allocation in linear order.
 */
static void test_swizzled(void)
{
	struct drm_vsplit_gem_create args = {
		.size = 8 * U, .flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS, .pitch = 1024,
	};
	struct drm_vsplit_gem_create again = args;
	struct drm_vsplit_statistics before, after;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a, *b;

	memory_only();
	a = vsplit_bo_args(one.fd, 'A', &args);
	gpu_set(&one, a, 1);
	vsplit_bo_check(a);
	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_RANGE);
	b = vsplit_bo_args(one.fd, 'B', &again);
	gpu_set(&one, b, 0x77777777);
	/* The check of B took the range of A, and this check takes it back. */
	vsplit_bo_check(a);
	vsplit_query_statistics(one.fd, &before);
	suspend(&one, 1);
	one.ctx = vsplit_ctx_on(one.fd, 0, 1);
	busy_and_closed(&one, a);
	vsplit_query_statistics(one.fd, &after);
	igt_assert_eq_u64(after.ranges_released, before.ranges_released + 1);
	resume(&one, 1);
	vsplit_bo_check(b);
	vsplit_info(b, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_RANGE);
}

/**
 * SUBTEST: mapping-keeps-it
 * Description: A CPU mapping keeps an allocation, its place and its bytes when its handle is
 *   closed. When the mapping is gone the range is free, even if the allocation is busy.
 */
static void test_mapping(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	uint8_t *map;

	memory_only();
	a = vsplit_bo(one.fd, 'A', 24 * U);
	gpu_set(&one, a, 0x31313131);
	cs = build_set(&one, a, 0x32323232);
	igt_assert_eq(__vsplit_mmap(one.fd, a->handle, a->size, (void **)&map), 0);
	suspend(&one, 0);
	vsplit_cs_submit(cs, one.ctx, 0);
	vsplit_bo_free(a);
	igt_assert_eq_u64(resident(&one, 1), 24 * U);
	igt_assert_eq(map[5 * PAGE], 0x31);
	resume(&one, 0);
	vsplit_cs_wait(cs);
	igt_assert_eq(map[5 * PAGE], 0x32);
	igt_assert_eq_u64(resident(&one, 1), 24 * U);
	munmap(map, 24 * U);
	igt_assert_eq_u64(resident(&one, 1), 0);

	a = vsplit_bo(one.fd, 'A', 24 * U);
	igt_assert_eq(__vsplit_mmap(one.fd, a->handle, a->size, (void **)&map), 0);
	suspend(&one, 0);
	busy_and_closed(&one, a);
	igt_assert_eq_u64(resident(&one, 1), 24 * U);
	munmap(map, 24 * U);
	igt_assert_eq_u64(resident(&one, 1), 0);
	resume(&one, 0);
}

/* ---- memory ------------------------------------------------------------- */

/**
 * SUBTEST: others-are-freed
 * Description: Many closed allocations wait for stopped work. Allocations of other clients whose
 *   work is done are freed all the same, and all are freed when the work is done.
 */
static void test_others(void)
{
	struct vsplit_cs *mine, *cs;
	struct vsplit_bo *bo[MANY], *theirs[4];
	struct side victim;
	int base;

	memory_only();
	victim = one;
	victim.fd = vsplit_adapter_open(one.ad);
	victim.ctx = vsplit_ctx_on(victim.fd, 0, 1);
	base = counters(&one).bos;
	/*
	 * They have places of their own: in the places of closed allocations they would wait for
	 * those.
	 */
	for (unsigned int i = 0; i < ARRAY_SIZE(theirs); i++) {
		theirs[i] = vsplit_bo(victim.fd, 'V', U);
		gpu_set(&victim, theirs[i], i);
	}

	suspend(&one, 0);
	mine = vsplit_cs(one.fd);
	for (unsigned int i = 0; i < MANY; i++) {
		bo[i] = vsplit_bo(one.fd, 'A', PAGE);
		vsplit_cs_bind(mine, i % 16, bo[i]);
		vsplit_cs_add(mine, i % 16, 0, 1);
	}
	vsplit_cs_submit(mine, one.ctx, 0);
	for (unsigned int i = 0; i < MANY; i++)
		vsplit_bo_free(bo[i]);
	suspend(&victim, 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(theirs); i++)
		cs = busy_and_closed(&victim, theirs[i]);
	igt_assert_eq(counters(&one).bos, base + (int)MANY + 4);
	resume(&victim, 1);
	vsplit_cs_wait(cs);
	igt_assert_f(bos_become(&one, base + MANY),
		     "idle allocations wait for others' work: %d are left\n", counters(&one).bos);
	igt_assert(vsplit_syncobj_busy(one.fd, mine->out));
	resume(&one, 0);
	vsplit_cs_wait(mine);
	igt_assert(bos_become(&one, base));
}

/**
 * SUBTEST: imports-of-a-busy-buffer
 * Description: Imports of another adapter's buffer are gone when they are closed, although that
 *   adapter is busy with the buffer. Other closed allocations are freed, too.
 */
static void test_imports(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	uint32_t handle, kept;
	int dmabuf, f, base;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 4 * U);
	dmabuf = vsplit_bo_export(a);
	/*
	 * An attached buffer is in its pages, so that another attachment has nothing to wait for.
	 */
	igt_assert_eq(__vsplit_import(two.fd, dmabuf, &kept), 0);
	gpu_set(&one, a, 0x11111111);
	igt_assert_eq(segment_of(a), 2);
	suspend(&one, 0);
	cs = build_set(&one, a, 0x55aa55aa);
	vsplit_cs_submit(cs, one.ctx, 0);
	base = counters(&two).bos;
	for (unsigned int i = 0; i < MANY; i++) {
		f = vsplit_adapter_open(two.ad);
		igt_assert_eq(__vsplit_import(f, dmabuf, &handle), 0);
		vsplit_close(f);
	}
	igt_assert_f(bos_become(&two, base), "%d imports wait for the exporter's work\n",
		     counters(&two).bos - base);
	igt_assert(vsplit_syncobj_busy(one.fd, cs->out));
	resume(&one, 0);
	vsplit_cs_wait(cs);
	close(dmabuf);
	igt_assert_eq(__vsplit_gem_close(two.fd, kept), 0);
	igt_assert(becomes_unshared(a));
}

/**
 * SUBTEST: busy-import
 * Description: An import that is closed while this adapter's work uses it gives its range back at
 *   once, and its pages when the work is done. A second import of the same pages in the same range
 *   stays mapped.
 */
static void test_busy_import(void)
{
	struct vsplit_bo *a, *b, *c;
	struct vsplit_cs *after;
	int dmabuf, other, base;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 24 * U);
	gpu_set(&one, a, 0x11111111);
	dmabuf = vsplit_bo_export(a);
	base = counters(&two).bos;
	for (unsigned int round = 0; round < 4; round++) {
		b = vsplit_bo_import(two.fd, 'B', dmabuf);
		other = vsplit_adapter_open(two.ad);
		c = vsplit_bo_import(other, 'C', dmabuf);
		suspend(&two, 0);
		busy_and_closed(&two, b);
		igt_assert_eq_u64(resident(&two, 2), 0);
		after = vsplit_cs(other);
		vsplit_cs_bind(after, 0, c);
		vsplit_cs_set(after, 0, 0, c->size, 0x42420000 + round);
		vsplit_cs_submit(after, vsplit_ctx_on(other, 0, 1), 0);
		igt_assert_eq_u64(resident(&two, 2), 24 * U);
		resume(&two, 0);
		vsplit_cs_wait(after);
		vsplit_cs_reference(after, 0);
		vsplit_bo_check(c);
		vsplit_close(other);
		igt_assert(bos_become(&two, base));
	}
	close(dmabuf);
	igt_assert(becomes_unshared(a));
}

static const struct vsplit_subtest tests[] = {
	{ "range-is-free-at-once", test_free_at_once,
	  "The range of a busy allocation is free when its handle is closed. The next owner's work "
	  "runs after the work that used it, and its bytes are right." },
	{ "split-does-not-wait", test_split,
	  "A submission that needs a split, and thus all of the memory, is accepted while closed "
	  "allocations are busy" },
	{ "all-contexts-come-first", test_contexts,
	  "The next owner of a range waits for all contexts whose work used it, on all engines" },
	{ "aperture-range-is-unmapped-first", test_aperture,
	  "An allocation that was mapped into an aperture and closed while busy is unmapped after "
	  "its work, and before the next owner is mapped there" },
	{ "swizzling-range-is-free-at-once", test_swizzled,
	  "A swizzled allocation that is closed while busy gives its swizzling range back at "
	  "once" },
	{ "mapping-keeps-it", test_mapping,
	  "A CPU mapping keeps an allocation, its place and its bytes when its handle is closed" },
	{ "others-are-freed", test_others,
	  "Closed allocations whose work is done are freed while others wait for stopped work" },
	{ "imports-of-a-busy-buffer", test_imports,
	  "Imports of another adapter's buffer are gone when they are closed, although that "
	  "adapter is busy with the buffer" },
	{ "busy-import", test_busy_import,
	  "An import that is closed while this adapter's work uses it gives its range back at "
	  "once, and its pages when the work is done" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
