// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit errors
 * Description: Sets that do not fit, faults and hangs: which contexts and devices are lost, which
 *   are not, what was executed and what was not.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: errors
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_split.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Sets that do not fit, faults and hangs: which contexts and devices are lost, "
		     "which are not, what was executed and what was not.");

static void setup_engines(unsigned int timeout_ms, unsigned int engines, bool save_restore)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U } },
		.engines = engines,
		.timeout_ms = timeout_ms,
		.save_restore = save_restore,
	};

	setup_opts(&opts);
}

static void setup_timeout(unsigned int timeout_ms, unsigned int engines)
{
	setup_engines(timeout_ms, engines, false);
}

static void setup(void)
{
	setup_timeout(0, 1);
}

/* Does the adapter still work, for this file or a new one? */
static void check_alive(int on)
{
	struct vsplit_bo *a = vsplit_bo(on, 'a', 4 * U);
	struct vsplit_cs *c = vsplit_cs(on);

	vsplit_cs_bind(c, 0, a);
	vsplit_cs_set(c, 0, 0, a->size, 0x600d600d);
	vsplit_cs_run(c, vsplit_ctx(on, 0), 0);
	vsplit_cs_free(c);
	vsplit_bo_free(a);
}

/* Work that is under way may still hold freed memory. */
static void memory_becomes_free(int on)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];

	igt_assert(vsplit_soon(vsplit_query_segments(on, segs) && !segs[0].resident));
}

/* Two groups that fit, and one that does not. */
static void build_unsolvable(void)
{
	group(0, bo('A', 150), 1);
	group(0, bo('B', 150), 2);
	vsplit_cs_bind(cs, 0, bo('C', 150));
	vsplit_cs_bind(cs, 1, bo('D', 150));
	work(0, 3);
	work(1, 4);
}

/**
 * SUBTEST: unsolvable-is-atomic
 * Description: Default semantics: a buffer with a group that is too large gets -ENOSPC, and nothing
 *   of it is executed. Context and device live on, and the same buffer without that group runs.
 */
static void test_atomic(void)
{
	uint32_t device;

	setup();
	build_unsolvable();
	for (unsigned int i = 0; i < 3; i++)
		vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, &device), VSPLIT_STATE_ACTIVE);
	igt_assert_eq(device, VSPLIT_STATE_ACTIVE);
	check_alive(fd);
	vsplit_cs_reset(cs);
	group(0, bo('A', 150), 1);
	group(0, bo('B', 150), 2);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: wddm-prefix-then-lost
 * Description: WDDM semantics: the portions before the group that is too large run. The fence has
 *   -ENOMEM, and the device is lost: later submissions on any of its contexts are refused with
 *   -EIO, and the query tells the submission that lost it.
 */
static void test_wddm(void)
{
	struct drm_vsplit_ctx_query q;
	struct vsplit_record *rec;
	uint32_t other_ctx, device;
	uint64_t lost;
	int other;

	setup();
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	other_ctx = vsplit_ctx(fd, 0);
	other = vsplit_adapter_open(ad);
	/* First a buffer that succeeds. */
	group(0, bo('Z', 8), 1);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_cs_reset(cs);
	build_unsolvable();
	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, 0);
	lost = cs->submission;
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	igt_assert_eq(vsplit_syncobj_status(fd, cs->out), -ENOMEM);
	rec = vsplit_record(fd, ctx, lost);
	igt_assert_eq(rec->info.error, ENOMEM);
	igt_assert_eq(rec->info.num_portions, 2);
	vsplit_record_check(rec, cs);
	vsplit_cs_reference(cs, cs->patches[2].split_offset);
	vsplit_cs_check(cs);
	igt_assert(!vsplit_bo_resident(cs->bos[2]));

	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_OOM);
	igt_assert_eq(q.device_state, VSPLIT_STATE_LOST_OOM);
	igt_assert_eq_u64(q.submission, lost);
	vsplit_ctx_query(fd, 0, &q);
	igt_assert_eq(q.device_state, VSPLIT_STATE_LOST_OOM);

	vsplit_cs_reset(cs);
	group(0, bo('Y', 8), 1);
	vsplit_cs_refused(cs, ctx, 0, -EIO);
	vsplit_cs_refused(cs, other_ctx, 0, -EIO);
	/* A new context does not bring the device back. */
	{
		struct drm_vsplit_ctx_create args = {};
		int ret = __vsplit_ctx_create(fd, &args);

		if (!ret)
			vsplit_cs_refused(cs, args.ctx, 0, -EIO);
		else
			igt_assert_eq(ret, -EIO);
	}
	/* Memory stays readable, and other devices are not affected. */
	check_alive(other);
	igt_assert_eq(vsplit_ctx_state(other, vsplit_ctx(other, 0), &device), VSPLIT_STATE_ACTIVE);
	igt_assert_eq(device, VSPLIT_STATE_ACTIVE);
	vsplit_cleanup_file(fd);
	check_alive(vsplit_adapter_open(ad));
}

/**
 * SUBTEST: wddm-later-submissions-in-the-queue
 * Description: Work that other contexts of the device had queued before the loss still runs; work
 *   submitted after it does not.
 */
static void test_wddm_queue(void)
{
	struct vsplit_cs *before;
	struct vsplit_bo *a;
	uint32_t wddm;

	setup();
	wddm = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	a = bo('Z', 8);
	before = vsplit_cs(fd);
	vsplit_cs_bind(before, 0, a);
	vsplit_cs_spin(before, 100000);
	vsplit_cs_set(before, 0, 0, a->size, 0x99999999);
	vsplit_cs_submit(before, ctx, 0);
	build_unsolvable();
	vsplit_cs_submit(cs, wddm, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	vsplit_cs_wait(before);
	vsplit_cs_reference(before, 0);
	vsplit_bo_check(a);
	vsplit_cs_refused(before, ctx, 0, -EIO);
}

/**
 * SUBTEST: wddm-record-of-a-prefix
 * Description: The record of a buffer of which only the first portions run keeps memory for the
 *   entries of these portions alone.
 */
static void test_wddm_record(void)
{
	enum { ENTRIES = 20000, EACH = 4 };
	struct vsplit_record *rec;
	uint64_t kib;

	setup();
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	build_unsolvable();
	for (unsigned int i = 0; i < ENTRIES; i++)
		vsplit_cs_bind(cs, 2, cs->bos[0]);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	rec = vsplit_record(fd, ctx, cs->submission);
	igt_assert_eq(rec->info.num_portions, 2);
	igt_assert_eq(rec->info.num_rows, 2);
	kib = vsplit_fdinfo(fd, "vsplit-record-memory:");
	igt_assert_f(kib < ENTRIES * EACH / 1024, "%" PRIu64 " KiB\n", kib);
}

/**
 * SUBTEST: memory-returns-after-failure
 * Description: After failures of both kinds, and after the file is closed, all of video memory is
 *   free again (I10).
 */
static void test_accounting(void)
{
	int watch;

	setup();
	watch = vsplit_adapter_open(ad);
	for (unsigned int i = 0; i < 20; i++) {
		fd = vsplit_adapter_open(ad);
		cs = vsplit_cs(fd);
		build_unsolvable();
		if (i & 1) {
			vsplit_cs_refused(cs, vsplit_ctx(fd, 0), 0, -ENOSPC);
		} else {
			vsplit_cs_submit(cs, vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS), 0);
			if (i & 2)
				igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
		}
		vsplit_cleanup_file(fd);
	}
	memory_becomes_free(watch);
	fd = watch;
	cs = vsplit_cs(fd);
	group(0, bo('A', 256), 1);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
}

/* ---- GPU faults --------------------------------------------------------- */

struct fault_case {
	const char *name;
	uint32_t fault;
	uint32_t slot;
};

/* Emits commands, of which the last faults. Slot 0: A, writable; slot 1: B, read only. */
static void build_fault(unsigned int which)
{
	switch (which) {
	case 0:		/* empty row */
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
		vsplit_cs_fill(cs, 5, 0, 8);
		break;
	case 1:		/* one byte beyond */
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
		vsplit_cs_fill(cs, 0, 8 * U - 7, 8);
		break;
	case 2:		/* an offset that would wrap */
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
		vsplit_cs_fill(cs, 0, ~0ull - 3, 8);
		break;
	case 3:		/* a length that would wrap */
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
		vsplit_cs_fill(cs, 0, 4096, ~0ull - 4095);
		break;
	case 4:		/* read beyond */
		vsplit_cs_copy(cs, 0, 0, 1, 8 * U - 8, 16);
		break;
	case 5:		/* write through a read-only row */
		vsplit_cs_copy(cs, 1, 0, 0, 0, 8);
		break;
	case 6:		/* not aligned */
		vsplit_cs_store(cs, 0, 4, 1);
		break;
	case 7:
		vsplit_cs_add(cs, 0, 1, 1);
		break;
	case 8:
		vsplit_cs_timestamp(cs, 0, 12);
		break;
	case 9:		/* state that was never set */
		vsplit_cs_fill(cs, 0, 0, 8);
		break;
	case 10:
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 64);
		vsplit_cs_copy_2d(cs, 0, 0, 1, 0, 8, 8, 0);
		break;
	case 11:
		vsplit_cs_state(cs, VSPLIT_STATE_LDA, 64);
		vsplit_cs_state(cs, VSPLIT_STATE_LDB, 64);
		vsplit_cs_mma(cs, 0, 0, 0, 1, 0, 1, 4096, 4, 4, 4);
		break;
	case 12:	/* the last row of a rectangle sticks out */
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 4096);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 4096);
		vsplit_cs_copy_2d(cs, 0, 8, 1, 0, 4096, 8 * U / 4096, 0);
		break;
	}
}

static const struct fault_case faults[] = {
	{ "empty-row", VSPLIT_FAULT_EMPTY_ROW, 5 },
	{ "fill-beyond", VSPLIT_FAULT_BOUNDS, 0 },
	{ "offset-wraps", VSPLIT_FAULT_BOUNDS, 0 },
	{ "length-wraps", VSPLIT_FAULT_BOUNDS, 0 },
	{ "read-beyond", VSPLIT_FAULT_BOUNDS, 1 },
	{ "write-read-only", VSPLIT_FAULT_WRITE, 1 },
	{ "store-unaligned", VSPLIT_FAULT_ALIGN, 0 },
	{ "add-unaligned", VSPLIT_FAULT_ALIGN, 0 },
	{ "timestamp-unaligned", VSPLIT_FAULT_ALIGN, 0 },
	{ "fill-state", VSPLIT_FAULT_STATE, ~0u },
	{ "copy-2d-state", VSPLIT_FAULT_STATE, ~0u },
	{ "mma-state", VSPLIT_FAULT_STATE, ~0u },
	{ "rectangle-beyond", VSPLIT_FAULT_BOUNDS, 0 },
};

/**
 * SUBTEST: faults-of-every-kind
 * Description: Each kind of GPU fault loses the context, whose query tells the kind, place and
 *   slot. Commands before the faulting one took effect, later ones did not. Nothing outside the
 *   allocations was written, and the device and other clients go on.
 */
static void test_faults(void)
{
	struct drm_vsplit_statistics s0, s1;
	struct drm_vsplit_ctx_query q;
	struct vsplit_bo *a, *b, *guard[2];

	setup();
	guard[0] = bo('g', 8);
	a = bo('A', 8);
	b = bo('B', 8);
	guard[1] = bo('h', 8);
	/* The allocations are side by side in memory. */
	for (unsigned int i = 0; i < 2; i++)
		vsplit_bo_pattern(guard[i], 90 + i);
	vsplit_bo_pattern(a, 1);
	vsplit_bo_pattern(b, 2);
	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		uint32_t last = 0, at, bad = vsplit_ctx(fd, 0);
		struct vsplit_record *rec;

		vsplit_cs_reset(cs);
		vsplit_cs_alloc(cs, b, 0);
		vsplit_cs_bind(cs, 8, guard[0]);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_bind(cs, 1, b);
		vsplit_cs_bind(cs, 9, guard[1]);
		vsplit_cs_store(cs, 0, 64 + 8 * i, 0x1000 + i);
		build_fault(i);
		for (at = 0; at < cs->bytes; at += ((struct vsplit_packet *)(cs->stream + at))->size)
			last = at;
		vsplit_cs_store(cs, 0, 1024 + 8 * i, 0x2000 + i);
		vsplit_query_statistics(fd, &s0);
		vsplit_cs_submit(cs, bad, 0);
		igt_assert(__vsplit_cs_wait(cs) < 0);
		vsplit_query_statistics(fd, &s1);
		igt_assert_eq_u64(s1.faults, s0.faults + 1);
		vsplit_cs_reference(cs, last);
		vsplit_cs_check(cs);

		vsplit_ctx_query(fd, bad, &q);
		igt_assert_f(q.fault == faults[i].fault, "%s: fault %u, expected %u\n",
			     faults[i].name, q.fault, faults[i].fault);
		igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
		igt_assert_eq(q.device_state, VSPLIT_STATE_ACTIVE);
		igt_assert_eq_u32(q.fault_offset, last);
		igt_assert_eq_u32(q.fault_slot, faults[i].slot);
		igt_assert_eq_u64(q.submission, 1);
		rec = vsplit_record(fd, bad, 1);
		igt_assert_eq(rec->info.fault, faults[i].fault);
		igt_assert(rec->info.error);
		igt_assert(vsplit_portion(rec, rec->info.num_portions - 1)->flags &
			   VSPLIT_EVENT_SKIPPED);
		vsplit_cs_refused(cs, bad, 0, -EIO);
		check_alive(fd);
	}
}

static void fault(void)
{
	vsplit_cs_copy(cs, 3, 0, 0, 0, 8);	/* an empty row */
}

static void hang(void)
{
	vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US);
}

/*
 * Runs a buffer that does not fit at once, and that fails in the middle, at the packet that @fail
 * emits. Checks that commands before that packet took effect when the buffer ends, and no others.
 * Returns the record; @q has the state.
 */
static struct vsplit_record *fails_in_the_middle(void (*fail)(void), struct drm_vsplit_ctx_query *q)
{
	struct vsplit_record *rec;
	uint32_t at = 0;

	for (unsigned int i = 0; i < 5; i++) {
		struct vsplit_bo *a = bo('A' + i, 180);

		vsplit_bo_pattern(a, i);
		group(0, a, i + 1);
		if (i == 2) {
			at = cs->bytes;
			fail();
		}
		work(0, i + 10);
	}
	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(__vsplit_cs_wait(cs) < 0);
	vsplit_cs_reference(cs, at);
	vsplit_cs_check(cs);
	vsplit_ctx_query(fd, ctx, q);
	igt_assert_eq_u32(q->fault_offset, at);
	rec = vsplit_record(fd, ctx, cs->submission);
	vsplit_record_check(rec, cs);
	return rec;
}

/**
 * SUBTEST: fault-in-a-later-portion
 * Description: A fault in the middle of a split buffer: portions before it are complete, and later
 *   ones are skipped. All planned paging still runs, so that no allocation loses a byte.
 */
static void test_fault_later(void)
{
	struct drm_vsplit_ctx_query q;
	struct vsplit_record *rec;
	struct vsplit_cs *next;

	setup();
	rec = fails_in_the_middle(fault, &q);
	igt_assert_eq(q.fault, VSPLIT_FAULT_EMPTY_ROW);
	igt_assert_eq(q.fault_portion, vsplit_exact() ? 2 : q.fault_portion);
	for (uint32_t p = 0; p < rec->info.num_portions; p++)
		igt_assert_eq(!!(vsplit_portion(rec, p)->flags & VSPLIT_EVENT_SKIPPED),
			      p >= q.fault_portion);
	/* The bytes are there for the next buffer that uses them. */
	next = vsplit_cs(fd);
	for (unsigned int i = 0; i < cs->nr_allocs; i++) {
		vsplit_cs_bind(next, 0, cs->bos[i]);
		vsplit_cs_copy(next, 0, 8192, 0, 0, 4096);
	}
	vsplit_cs_run(next, vsplit_ctx(fd, 0), 0);
}

/**
 * SUBTEST: fault-cancels-what-the-context-has-queued
 * Description: Submissions of the lost context that were queued before the fault do not run; their
 *   fences have an error.
 */
static void test_fault_queue(void)
{
	struct vsplit_cs *later[4], *other;
	struct vsplit_bo *a, *b;
	uint32_t ctx2;

	setup();
	ctx2 = vsplit_ctx(fd, 0);
	a = bo('A', 4);
	b = bo('B', 4);
	group(0, a, 1);
	vsplit_cs_spin(cs, 100000);
	vsplit_cs_copy(cs, 3, 0, 0, 0, 8);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, 0);
	for (unsigned int i = 0; i < 4; i++) {
		later[i] = vsplit_cs(fd);
		vsplit_cs_bind(later[i], 0, a);
		vsplit_cs_set(later[i], 0, 0, a->size, 0xbad0bad0);
		vsplit_cs_submit(later[i], ctx, 0);
	}
	other = vsplit_cs(fd);
	vsplit_cs_bind(other, 0, b);
	vsplit_cs_set(other, 0, 0, b->size, 0x600d600d);
	vsplit_cs_submit(other, ctx2, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert(__vsplit_cs_wait(cs) < 0);
	for (unsigned int i = 0; i < 4; i++)
		igt_assert(__vsplit_cs_wait(later[i]) < 0);
	vsplit_cs_wait(other);
	vsplit_cs_reference(other, 0);
	vsplit_bo_check(b);
	vsplit_cs_reference(cs, cs->bytes - sizeof(struct vsplit_packet_copy));
	vsplit_bo_check(a);
}

/* ---- paging that fails --------------------------------------------------- */

/* Lets the Nth thing that can fail in each engine's thread fail; 0: nothing. */
static void arm_engines(unsigned int n)
{
	DIR *proc = opendir("/proc");
	char path[300], name[32], value[32];
	struct dirent *task;

	igt_assert(proc);
	while ((task = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", task->d_name);
		if (!isdigit(task->d_name[0]) || __vsplit_read_file(path, name, sizeof(name)) ||
		    (strncmp(name, "vsplit-render", 13) && strncmp(name, "vsplit-paging", 13)))
			continue;
		snprintf(value, sizeof(value), "%d %u", atoi(task->d_name), n);
		igt_assert_eq(__vsplit_write_file("/sys/kernel/debug/vsplit/fault/nth", value), 0);
	}
	closedir(proc);
}

/**
 * SUBTEST: paging-step-that-fails
 * Description: A paging step that the hardware cannot execute, because of a bug of the driver,
 *   fails: whichever engine pages, no portion behind it runs, and the fence has an error. The
 *   context is not lost.
 */
static void test_paging_fails(void)
{
	vsplit_inject_require(VSPLIT_INJECT_SITE);
	for (unsigned int how = 0; how < 3; how++) {
		const struct vsplit_adapter_opts opts = {
			.segs = { { "vram", .size = 256 * U } },
			.paging_own = how,
			.planned = how == 2,
		};
		struct vsplit_bo *pages_in, *there;

		setup_opts(&opts);
		there = bo('A', 4);
		group(0, there, 1);
		vsplit_cs_run(cs, ctx, 0);
		vsplit_cs_reset(cs);
		pages_in = bo('B', 4);
		vsplit_cs_bind(cs, 0, pages_in);
		vsplit_cs_set(cs, 0, 0, pages_in->size, 0x600d600d);
		group(1, there, 3);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		vsplit_cs_submit(cs, ctx, 0);
		arm_engines(1);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		expect(__vsplit_cs_wait(cs), -EIO);
		arm_engines(0);
		vsplit_bo_check(there);
		vsplit_cs_run(cs, ctx, 0);
		vsplit_cleanup();
	}
}

/* ---- hangs -------------------------------------------------------------- */

/**
 * SUBTEST: hang-is-lost-after-the-timeout
 * Description: A buffer that makes no progress is stopped soon after the adapter's timeout. Its
 *   context is lost, and the query says that it hung.
 */
static void test_hang(void)
{
	struct drm_vsplit_statistics s0, s1;
	struct drm_vsplit_ctx_query q;
	struct vsplit_bo *a;
	uint64_t t0, took;
	uint32_t at;

	setup_timeout(500, 1);
	a = bo('A', 8);
	vsplit_query_statistics(fd, &s0);
	group(0, a, 1);
	at = cs->bytes;
	vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US);
	work(0, 2);
	t0 = vsplit_now_ns();
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(__vsplit_cs_wait(cs) < 0);
	took = (vsplit_now_ns() - t0) / 1000000;
	igt_assert_f(took >= 400 && took < 30000, "stopped after %" PRIu64 " ms\n", took);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.hangs, s0.hangs + 1);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_HANG);
	igt_assert_eq(q.device_state, VSPLIT_STATE_ACTIVE);
	igt_assert_eq_u64(q.submission, 1);
	igt_assert_eq_u32(q.fault_offset, at);
	vsplit_cs_reference(cs, at);
	vsplit_bo_check(a);
	vsplit_cs_refused(cs, ctx, 0, -EIO);
	check_alive(fd);
}

/**
 * SUBTEST: progress-is-no-hang
 * Description: A buffer that takes longer than the timeout, but makes progress, is left alone.
 */
static void test_no_hang(void)
{
	/* Each step is short compared with the timeout, even if the machine is slow just now. */
	setup_timeout(1600, 1);
	vsplit_cs_bind(cs, 0, bo('A', 8));
	for (unsigned int i = 0; i < 24; i++) {
		vsplit_cs_spin(cs, 100000);
		work(0, i);
	}
	vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
}

/* Another client's buffer of @groups groups, each of which takes @us microseconds. */
static struct vsplit_cs *slow_one(int on, char name, unsigned int groups, unsigned int us)
{
	struct vsplit_cs *slow = vsplit_cs(on);

	for (unsigned int i = 0; i < groups; i++) {
		vsplit_cs_bind(slow, 0, vsplit_bo(on, name + i, 4 * U));
		vsplit_cs_spin(slow, us);
		vsplit_cs_set(slow, 0, 64 * i, 64, 0x600d0000 + i);
	}
	return slow;
}

static void check_innocent(struct vsplit_cs *innocent, uint32_t its_ctx)
{
	vsplit_cs_wait(innocent);
	vsplit_cs_reference(innocent, 0);
	for (uint32_t i = 0; i < innocent->nr_allocs; i++)
		vsplit_bo_check(innocent->bos[i]);
	igt_assert_eq(vsplit_ctx_state(innocent->fd, its_ctx, NULL), VSPLIT_STATE_ACTIVE);
}

/**
 * SUBTEST: late-is-no-hang
 * Description: Buffers wait on the engine behind one that hangs, for longer than the timeout. They
 *   are not blamed, because each of them runs for less than the timeout.
 */
static void test_late(void)
{
	struct vsplit_cs *late[3];
	uint32_t late_ctx[3];
	int other;

	setup_timeout(1600, 1);
	other = vsplit_adapter_open(ad);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US);
	vsplit_cs_submit(cs, ctx, 0);
	for (unsigned int i = 0; i < 3; i++) {
		late[i] = slow_one(other, 'A' + 4 * i, 4, 250000);
		late_ctx[i] = vsplit_ctx(other, 0);
		vsplit_cs_submit(late[i], late_ctx[i], 0);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ETIME);
	for (unsigned int i = 0; i < 3; i++)
		check_innocent(late[i], late_ctx[i]);
}

/**
 * SUBTEST: hang-while-others-wait
 * Description: An engine switches between contexts. One context hangs in its turn, while another
 *   one, which came first, waits for its next turn. The hanging context is blamed.
 */
static void test_hang_switch(void)
{
	struct vsplit_cs *first;
	uint32_t first_ctx;
	int other;

	setup_engines(1000, 1, true);
	other = vsplit_adapter_open(ad);
	first_ctx = vsplit_ctx(other, 0);
	first = slow_one(other, 'A', 3, 200000);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, first_ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(first->portions, 3);
	/* In the worst case the spin ends by itself. */
	vsplit_cs_spin(cs, 20000000);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ETIME);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_HANG);
	check_innocent(first, first_ctx);
}

/**
 * SUBTEST: hang-in-a-split-buffer
 * Description: A hang in the middle of a split buffer: earlier portions are complete, later ones
 *   are skipped, and all planned paging runs.
 */
static void test_hang_split(void)
{
	struct drm_vsplit_ctx_query q;

	setup_timeout(400, 1);
	fails_in_the_middle(hang, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_HANG);
	check_alive(fd);
	vsplit_cs_check(cs);
}

/**
 * SUBTEST: hang-leaves-innocents-alone
 * Description: While one client hangs again and again, results of other clients are bit-exact, on
 *   the same engine and on another.
 */
static void test_innocents(void)
{
	struct vsplit_cs *good[2];
	uint32_t good_ctx[2];
	struct vsplit_bo *b[2];
	int other;

	setup_timeout(1000, 2);
	other = vsplit_adapter_open(ad);
	for (unsigned int e = 0; e < 2; e++) {
		good_ctx[e] = vsplit_ctx_on(other, 0, e);
		b[e] = vsplit_bo(other, 'B' + e, 100 * U);
		good[e] = vsplit_cs(other);
	}
	for (unsigned int round = 0; round < 5; round++) {
		ctx = vsplit_ctx(fd, 0);
		vsplit_cs_reset(cs);
		group(0, bo('H', 100), 1);
		vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US);
		vsplit_cs_submit(cs, ctx, 0);
		for (unsigned int e = 0; e < 2; e++) {
			vsplit_cs_reset(good[e]);
			vsplit_cs_bind(good[e], 0, b[e]);
			for (unsigned int i = 0; i < 20; i++) {
				vsplit_cs_set(good[e], 0, 4096 * i, 4096, round * 100 + i);
				vsplit_cs_copy(good[e], 0, 50 * U + 64 * i, 0, 4096 * i + 8 * e, 64);
			}
			vsplit_cs_submit(good[e], good_ctx[e], 0);
		}
		igt_assert(__vsplit_cs_wait(cs) < 0);
		for (unsigned int e = 0; e < 2; e++) {
			vsplit_cs_wait(good[e]);
			vsplit_cs_reference(good[e], 0);
			vsplit_bo_check(b[e]);
			igt_assert_eq(vsplit_ctx_state(other, good_ctx[e], NULL),
				      VSPLIT_STATE_ACTIVE);
		}
		igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_HANG);
	}
}

/* ---- deaths ------------------------------------------------------------- */

/**
 * SUBTEST: close-in-the-middle
 * Description: A file is closed while split buffers are running and queued. Other clients are
 *   unharmed, and the memory becomes free.
 */
static void test_close(void)
{
	struct vsplit_bo *keep;
	struct vsplit_cs *kcs;
	int other;

	setup();
	other = fd;
	keep = vsplit_bo(other, 'K', 60 * U);
	vsplit_bo_pattern(keep, 8);
	kcs = vsplit_cs(other);
	for (unsigned int round = 0; round < 10; round++) {
		fd = vsplit_adapter_open(ad);
		cs = vsplit_cs(fd);
		for (unsigned int i = 0; i < 4; i++) {
			group(0, bo('A' + i, 200), i);
			vsplit_cs_spin(cs, 3000);
		}
		for (unsigned int i = 0; i < 3; i++)
			vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
		usleep(round * 2000);
		vsplit_cleanup_file(fd);
		vsplit_cs_reset(kcs);
		vsplit_cs_bind(kcs, 0, keep);
		vsplit_cs_copy(kcs, 0, 64 * round, 0, 8192, 64);
		vsplit_cs_run(kcs, ctx, 0);
	}
	vsplit_bo_free(keep);
	memory_becomes_free(other);
}

/**
 * SUBTEST: kill-in-the-middle
 * Description: Clients are killed while they submit, split and page. Other clients are unharmed,
 *   and the memory becomes free.
 */
static void test_kill(void)
{
	struct vsplit_rng rng = { 5 };

	setup();
	for (unsigned int round = 0; round < 15; round++) {
		pid_t pid = vsplit_fork();
		int status;

		if (!pid) {
			struct vsplit_cs *mine;
			int f = vsplit_adapter_open(ad);
			uint32_t c = vsplit_ctx(f, 0);

			mine = vsplit_cs(f);
			for (unsigned int i = 0; i < 4; i++) {
				vsplit_cs_bind(mine, 0, vsplit_bo(f, 'A' + i, 150 * U));
				vsplit_cs_set(mine, 0, 0, 4096, i);
			}
			for (;;)
				vsplit_cs_submit_next(mine, c, 0);
		}
		usleep(20000 + vsplit_rng_below(&rng, 60000));
		kill(pid, SIGKILL);
		status = vsplit_reap(pid);
		igt_assert_f(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
			     "the client ended by itself: %#x\n", status);
		check_alive(fd);
	}
	memory_becomes_free(fd);
}

static volatile unsigned int signals;

static void on_signal(int sig)
{
	signals++;
}

/**
 * SUBTEST: signals-don-t-matter
 * Description: Under a storm of signals every submission is executed exactly once.
 */
static void test_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal }, old;
	struct vsplit_bo *count, *a[4];
	pid_t pid, parent = getpid();
	unsigned int round;
	uint64_t seen;

	setup();
	count = bo('Z', 1);
	for (unsigned int i = 0; i < 4; i++)
		a[i] = bo('A' + i, 150);
	signals = 0;
	sigaction(SIGUSR1, &act, &old);
	pid = vsplit_fork();
	if (!pid) {
		for (;;) {
			kill(parent, SIGUSR1);
			usleep(200);
		}
	}
	/* Wait for at least some signals, however late they are. */
	for (round = 0; round < 100 || !signals; round++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 1, count);
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_cs_bind(cs, 0, a[i]);
			vsplit_cs_add(cs, 0, 8 * (round % 64), 1);
			vsplit_cs_add(cs, 1, 0, 1);
		}
		vsplit_cs_submit(cs, ctx, 0);
		vsplit_cs_reference(cs, 0);
		/*
		 * Waits are interrupted as well. They also keep the queue short enough to end in
		 * time.
		 */
		if (round % 16 == 15)
			vsplit_cs_wait(cs);
	}
	vsplit_cs_wait(cs);
	kill(pid, SIGKILL);
	vsplit_reap(pid);
	sigaction(SIGUSR1, &old, NULL);
	igt_info("%u signals\n", signals);
	memcpy(&seen, count->map, 8);
	igt_assert_eq_u64(seen, 4 * round);
	vsplit_cs_check(cs);
}

static const struct vsplit_subtest tests[] = {
	{ "unsolvable-is-atomic", test_atomic,
	  "Default semantics: a buffer with a group that is too large gets -ENOSPC, and nothing of "
	  "it is executed" },
	{ "wddm-prefix-then-lost", test_wddm,
	  "With WDDM's error semantics the portions before a group that is too large run, and then "
	  "the device is lost" },
	{ "wddm-later-submissions-in-the-queue", test_wddm_queue,
	  "Work that other contexts of the device had queued before the loss still runs; work "
	  "submitted after it does not" },
	{ "wddm-record-of-a-prefix", test_wddm_record,
	  "The record of a buffer of which only the first portions run keeps memory for the "
	  "entries of these portions alone" },
	{ "memory-returns-after-failure", test_accounting,
	  "After failures of both kinds, and after the file is closed, all of video memory is free "
	  "again (I10)" },
	{ "faults-of-every-kind", test_faults,
	  "Each kind of GPU fault loses the context, whose query tells the kind, place and slot" },
	{ "fault-in-a-later-portion", test_fault_later,
	  "After a fault in a split buffer the portions before it are complete, later ones are "
	  "skipped, and all paging runs" },
	{ "fault-cancels-what-the-context-has-queued", test_fault_queue,
	  "Submissions of the lost context that were queued before the fault do not run; their "
	  "fences have an error" },
	{ "paging-step-that-fails", test_paging_fails,
	  "A paging step that the hardware cannot execute, because of a bug of the driver, "
	  "fails: whichever engine pages, no portion behind it runs, and the fence has an "
	  "error. The context is not lost." },
	{ "hang-is-lost-after-the-timeout", test_hang,
	  "A buffer that makes no progress is stopped soon after the adapter's timeout. Its "
	  "context is lost, and the query says that it hung." },
	{ "progress-is-no-hang", test_no_hang,
	  "A buffer that takes longer than the timeout, but makes progress, is left alone" },
	{ "late-is-no-hang", test_late,
	  "Buffers wait on the engine behind one that hangs, for longer than the timeout" },
	{ "hang-while-others-wait", test_hang_switch,
	  "If an engine switches between contexts, the context that hangs is blamed, not one that "
	  "waits for its turn" },
	{ "hang-in-a-split-buffer", test_hang_split,
	  "After a hang in a split buffer the portions before it are complete, later ones are "
	  "skipped, and all paging runs" },
	{ "hang-leaves-innocents-alone", test_innocents,
	  "While one client hangs again and again, results of other clients are bit-exact, on the "
	  "same engine and on another" },
	{ "close-in-the-middle", test_close,
	  "A file is closed while split buffers are running and queued. Other clients are "
	  "unharmed, and the memory becomes free." },
	{ "kill-in-the-middle", test_kill,
	  "Clients are killed while they submit, split and page. Other clients are unharmed, and "
	  "the memory becomes free." },
	{ "signals-don-t-matter", test_signals,
	  "Under a storm of signals every submission is executed exactly once" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
