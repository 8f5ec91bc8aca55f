// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit hwq
 * Description: Hardware queues: work submitted only through a ring and a doorbell (RES-22, RES-23),
 *   which stops before memory that it uses leaves (EXT-54); Documentation/hardware-queues.rst has
 *   the table. Errors and the end of queues are tested by vsplit_hwq_errors.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: hardware queues
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_hwq.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Hardware queues: work submitted only through a ring and a doorbell (RES-22, "
		     "RES-23), which stops before memory that it uses leaves (EXT-54); "
		     "Documentation/hardware-queues.rst has the table.");

/* The time of a command by the model clock. */
#define COMMAND_NS	500

static void check_bytes(const struct vsplit_bo *bo, uint64_t offset, uint64_t bytes, uint8_t byte)
{
	for (uint64_t i = 0; i < bytes; i++)
		igt_assert_f(bo->map[offset + i] == byte, "%c[%llu] is 0x%02x, not 0x%02x\n",
			     bo->name, (unsigned long long)(offset + i), bo->map[offset + i], byte);
}

/* ---- subtests ----------------------------------------------------------- */

/**
 * SUBTEST: res-23-no-call
 * Description: Once a queue exists, its work needs no system call: a process that may only read,
 *   write and exit fills an allocation. The driver sees no submission.
 */
static void test_no_call(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *bo;
	pid_t pid;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', MIB, MIB);
	vsplit_query_statistics(a.fd, &before);
	pid = vsplit_fork();
	if (!pid) {
		/* Small kernels have no seccomp. */
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) && errno != EINVAL)
			_exit(2);
		put_set(&a, MIB, MIB, 0x5a);
		ring(&a);
		while (done(&a) != a.tail)
			;
		put_set(&a, MIB, 64 * KIB, 0xa5);
		ring(&a);
		while (done(&a) != a.tail)
			;
		for (;;)
			syscall(SYS_exit, 0);
	}
	igt_assert_eq(vsplit_reap(pid), 0);
	vsplit_query_statistics(a.fd, &after);
	igt_assert_eq_u64(after.submissions, before.submissions);
	check_bytes(bo, 0, 64 * KIB, 0xa5);
	check_bytes(bo, 64 * KIB, MIB - 64 * KIB, 0x5a);
	queue_unmap(&a);
}

/**
 * SUBTEST: res-22-no-lists
 * Description: A context with a hardware queue accepts no submission, with or without lists. Only
 *   such a context can have a queue, and only one.
 */
static void test_no_lists(void)
{
	static const uint32_t bad[] = { 0, 1, 2048, 4097, 12288, 2u << 20, 1u << 31, ~0u };
	struct queue va = {};
	struct vsplit_cs *cs;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	cs = vsplit_cs(a.fd);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_refused(cs, a.ctx, 0, -EINVAL);
	vsplit_cs_alloc(cs, vsplit_bo(a.fd, 'A', MIB), 0);
	vsplit_cs_refused(cs, a.ctx, 0, -EINVAL);
	igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);

	context_open(&va, a.fd, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__queue_create(&va, 4096), -EINVAL);
	expect(__wait_ms(&va, 0, 0), -EINVAL);
	va.ctx = 77;
	expect(__queue_create(&va, 4096), -ENOENT);
	expect(__wait_ms(&va, 0, 0), -ENOENT);
	context_open(&va, va.fd, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__wait_ms(&va, 0, 0), -EINVAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		expect(__queue_create(&va, bad[i]), -EINVAL);
	expect(__queue_create(&va, 1u << 20), 0);
	queue_unmap(&va);
	expect(__queue_create(&va, 4096), -EBUSY);
	queue_unmap(&a);
}

/**
 * SUBTEST: history
 * Description: A HISTORY packet in the ring stores the engine's clock in the element of the control
 *   page that it names, and in no other. A packet with a wrong index loses the context, and a
 *   submission accepts no such packet.
 */
static void test_history(void)
{
	const struct vsplit_packet packet = { .op = VSPLIT_OP_HISTORY, .size = sizeof(packet) };
	static const struct {
		uint8_t flags;
		uint32_t index;
	} bad[] = { { 0, VSPLIT_HWQ_HISTORY }, { 1, 0 } };
	uint64_t before = vsplit_now_ns();
	struct vsplit_cs *cs;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	put_history(&a, 0, 3);
	put_spin(&a, 2000);
	put_history(&a, 0, VSPLIT_HWQ_HISTORY - 1);
	ring(&a);
	finish(&a);
	for (unsigned int i = 0; i < VSPLIT_HWQ_HISTORY - 1; i++)
		igt_assert(i == 3 || !a.control->history[i]);
	igt_assert(before < a.control->history[3]);
	igt_assert(a.control->history[3] + 2000000 <= a.control->history[VSPLIT_HWQ_HISTORY - 1]);
	igt_assert(a.control->history[VSPLIT_HWQ_HISTORY - 1] < vsplit_now_ns());
	cs = vsplit_cs(a.fd);
	vsplit_cs_packet(cs, &packet, sizeof(packet));
	vsplit_cs_refused(cs, vsplit_ctx_mode(a.fd, VSPLIT_CTX_MODE_VA, 0), 0, -EINVAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		queue_open(&b, 4096);
		put_history(&b, bad[i].flags, bad[i].index);
		ring(&b);
		igt_assert(vsplit_soon(state(&b) == VSPLIT_STATE_LOST_FAULT));
		igt_assert_eq_u64(b.control->history[0], 0);
		vsplit_cleanup_file(b.fd);
	}
}

/**
 * SUBTEST: history-takes-time
 * Description: A HISTORY packet is a command, and takes as long as any other command.
 */
static void test_history_time(void)
{
	setup_queues_on(8 * MIB, 0, true);
	queue_open(&a, 4096);
	for (unsigned int i = 0; i < 10; i++)
		put_history(&a, 0, i);
	ring(&a);
	finish(&a);
	for (unsigned int i = 0; i < 9; i++)
		igt_assert_eq_u64(a.control->history[i + 1], a.control->history[i] + COMMAND_NS);
	queue_unmap(&a);
}

/**
 * SUBTEST: ring-wraps
 * Description: Packets of all sizes go round a small ring many times. State is kept from one packet
 *   to the next, and no packet is executed twice or left out.
 */
static void test_ring_wraps(void)
{
	struct vsplit_rng rng = { .state = 7 };
	struct vsplit_bo *bo;
	uint64_t sum = 0;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', 64 * KIB, MIB);
	put_state(&a, VSPLIT_STATE_FILL, 0x33333333);
	for (unsigned int i = 0; i < 2000; i++) {
		uint64_t value = vsplit_rng_below(&rng, 1000);

		put_nop(&a, 8 + 8 * vsplit_rng_below(&rng, 60));
		put_add(&a, MIB, value);
		sum += value;
	}
	put_fill(&a, MIB + 4096, 4096);
	ring(&a);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, sum);
	check_bytes(bo, 4096, 4096, 0x33);
	queue_unmap(&a);
}

static uint64_t evicted(struct queue *q)
{
	struct drm_vsplit_statistics stats;

	vsplit_query_statistics(q->fd, &stats);
	return stats.evicted_bytes;
}

/**
 * SUBTEST: ext-54-stopped-first
 * Description: Two queues that never end are on devices that do not fit together. Each queue is
 *   stopped before memory that it uses leaves, and goes on when it is back. Neither has a page
 *   fault. In the end no addition is missing, and each is visible as soon as it is done.
 */
static void test_stopped_first(void)
{
	struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 20 };
	struct feeder fb = { .q = &b, .dst = 16 * MIB, .us = 20 };
	struct drm_vsplit_statistics stats;
	struct vsplit_bo *bo_a, *bo_b;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_open(&b, 4096);
	bo_a = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	bo_b = alloc(&b, 'B', 5 * MIB, 16 * MIB);
	feeder_start(&fa);
	feeder_start(&fb);
	for (unsigned int i = 1; i <= 40; i++)
		igt_assert(vsplit_soon(evicted(&a) > i * 5 * MIB));
	igt_assert(vsplit_soon(done(&a) > 4096 && done(&b) > 4096));
	feeder_stop(&fa);
	feeder_stop(&fb);
	finish(&a);
	finish(&b);
	igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);
	igt_assert_eq(state(&b), VSPLIT_STATE_ACTIVE);
	igt_assert_eq_u64(*(uint64_t *)bo_a->map, fa.added);
	igt_assert_eq_u64(*(uint64_t *)bo_b->map, fb.added);
	vsplit_query_statistics(a.fd, &stats);
	igt_assert_eq_u64(stats.faults, 0);
	queue_unmap(&a);
	queue_unmap(&b);
}

/**
 * SUBTEST: ext-54-idle
 * Description: An idle queue does not hold up the eviction of memory that it used. The memory is
 *   not brought back for it until it is rung again.
 */
static void test_idle(void)
{
	struct vsplit_bo *bo_a, *bo_b;
	struct vsplit_cs *cs;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo_a = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	put_set(&a, 16 * MIB, 5 * MIB, 0x11);
	ring(&a);
	finish(&a);

	context_open(&b, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	bo_b = alloc(&b, 'B', 5 * MIB, 16 * MIB);
	cs = vsplit_cs(b.fd);
	for (unsigned int i = 0; i < 3; i++) {
		submit_nop(&b, cs);
		igt_assert_eq(segment_of(bo_a), 0);
		igt_assert_eq(segment_of(bo_b), 1);
		usleep(50000);
	}
	put_set(&a, 17 * MIB, MIB, 0x22);
	ring(&a);
	finish(&a);
	igt_assert_eq(segment_of(bo_a), 1);
	check_bytes(bo_a, 0, MIB, 0x11);
	check_bytes(bo_a, MIB, MIB, 0x22);
	check_bytes(bo_a, 2 * MIB, 3 * MIB, 0x11);
	queue_unmap(&a);
}

/**
 * SUBTEST: offered-holds-nothing-up
 * Description: A queue runs while an allocation that its device requires is offered, whether this
 *   left before or after it was offered, or not at all.
 */
static void test_offered(void)
{
	struct vsplit_bo *bo;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	context_open(&b, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	alloc(&b, 'B', 5 * MIB, 16 * MIB);
	for (unsigned int i = 0; i < 3; i++) {
		put_set(&a, 16 * MIB, 5 * MIB, 0x11 + i);
		ring(&a);
		finish(&a);
		if (i == 2)
			expect(__vsplit_offer(a.fd, &bo->handle, 1, VSPLIT_OFFER_LOW), 0);
		if (i) {
			submit_nop(&b, vsplit_cs(b.fd));
			igt_assert_eq(segment_of(bo), 0);
		}
		if (i < 2)
			expect(__vsplit_offer(a.fd, &bo->handle, 1, VSPLIT_OFFER_LOW), 0);
		put_nop(&a, 8);
		ring(&a);
		finish(&a);
		igt_assert_eq(segment_of(bo), i ? 0 : 1);
		igt_assert_eq(vsplit_reclaim(a.fd, bo), i == 2);
		put_nop(&a, 8);
		ring(&a);
		finish(&a);
		igt_assert_eq(segment_of(bo), 1);
		check_bytes(bo, 0, i < 2 ? 5 * MIB : 0, 0x11 + i);
	}
	queue_unmap(&a);
}

/**
 * SUBTEST: res-5-arrives-first
 * Description: Allocations that a device with a queue has made resident are there before the next
 *   packet begins, however long they take to come, for an idle queue and for a running one.
 */
static void test_arrives(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 8 * MIB } },
		.slots = 16, .engines = 1, .test = true, .paging_own = true,
		.contexts = "patch,explicit,va,hw",
	};
	struct vsplit_bo *bos[4];

	ad = vsplit_adapter_create(&opts);
	memset(&a, 0, sizeof(a));
	queue_open(&a, 4096);
	for (unsigned int i = 0; i < 4; i++) {
		bos[i] = vsplit_bo(a.fd, 'A' + i, MIB);
		vsplit_bo_pattern(bos[i], i);
		map(&a, bos[i], (16 + i) * MIB);
	}
	put_nop(&a, 8);
	ring(&a);
	finish(&a);
	vsplit_adapter_knob(ad, "delay_paging", "200000");
	for (unsigned int i = 0; i < 4; i += 2) {
		const uint32_t handles[] = { bos[i]->handle, bos[i + 1]->handle };

		if (i) {
			put_spin(&a, 100000);
			ring(&a);
		}
		/* The first one comes, then nothing happens for a while, then the second comes. */
		expect(__vsplit_make_resident(a.fd, handles, 2, 0, NULL), 0);
		put_set(&a, (17 + i) * MIB, MIB, 0x31 + i);
		ring(&a);
		finish(&a);
		check_bytes(bos[i + 1], 0, MIB, 0x31 + i);
	}
	vsplit_adapter_knob(ad, "delay_paging", "0");
	queue_unmap(&a);
}

/**
 * SUBTEST: res-5-asked-while-it-looks
 * Description: A client makes an allocation resident, and puts in a packet that uses it, while the
 *   engine is about to check whether the ring is empty.
 */
static void test_looks(void)
{
	struct vsplit_bo *bo;
	bool held = false;
	uint64_t before;

	vsplit_require_sync_points();
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = vsplit_bo(a.fd, 'A', MIB);
	vsplit_bo_pattern(bo, 1);
	before = *(uint64_t *)bo->map;
	map(&a, bo, 16 * MIB);
	for (unsigned int i = 0; i < 20 && !held; i++) {
		/* An idle queue whose doorbell is not mapped. */
		vsplit_catch("hwq.unmapped");
		put_nop(&a, 8);
		ring(&a);
		finish(&a);
		igt_assert(vsplit_wait_held("hwq.unmapped"));
		vsplit_release("hwq.unmapped");
		vsplit_catch("gpu.packet");
		ring(&a);
		/*
		 * If the preempt fence was waited for meanwhile, the engine does not look at the
		 * ring.
		 */
		for (unsigned int tries = 0; tries < 300 && !held; tries++) {
			usleep(10000);
			held = vsplit_held("gpu.packet");
		}
		if (!held)
			vsplit_release("gpu.packet");
	}
	igt_assert(held);
	expect(__require(&a, bo), 0);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	vsplit_release("gpu.packet");
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, before + 1);
	queue_unmap(&a);
}

/**
 * SUBTEST: wait-ends-when-shown
 * Description: When a wait for a queue ends, the page that the client maps shows the same progress.
 */
static void test_shown(void)
{
	int ret;

	vsplit_require_sync_points();
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	put_nop(&a, 8);
	vsplit_catch("gpu.shown");
	ring(&a);
	igt_assert(vsplit_wait_held("gpu.shown"));
	ret = __wait_ms(&a, a.tail, 0);
	igt_assert_f(ret || done(&a) == a.tail, "the wait is over, and it shows %" PRIu64 "\n",
		     done(&a));
	vsplit_release("gpu.shown");
	finish(&a);
	queue_unmap(&a);
}

/**
 * SUBTEST: evict-stops-first
 * Description: When a running queue no longer requires an allocation, the queue is stopped before
 *   the allocation leaves. A later access is a page fault of this device.
 */
static void test_evict(void)
{
	struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 20 };
	struct vsplit_bo *bo, *other;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', MIB, 16 * MIB);
	other = alloc(&a, 'B', MIB, 32 * MIB);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 20000));
	expect(__vsplit_evict(a.fd, &other->handle, 1, 0), 0);
	igt_assert(vsplit_soon(segment_of(other) == 0));
	igt_assert(vsplit_soon(done(&a) > 40000));
	feeder_stop(&fa);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, fa.added);
	put_add(&a, 32 * MIB, 1);
	ring(&a);
	expect(__finish(&a), -EIO);
	igt_assert_eq(state(&a), VSPLIT_STATE_LOST_PAGE_FAULT);
	queue_unmap(&a);
}

/**
 * SUBTEST: doorbell-while-unmapped
 * Description: A queue that rings while its doorbell is about to be unmapped, was just unmapped, or
 *   is being mapped is not forgotten.
 */
static void test_doorbell_unmapped(void)
{
	static const char * const points[] = { "hwq.idle", "hwq.unmapped" };

	vsplit_require_sync_points();
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	for (unsigned int i = 0; i < 2; i++) {
		put_nop(&a, 8);
		vsplit_catch(points[i]);
		ring(&a);
		finish(&a);
		igt_assert_f(vsplit_wait_held(points[i]), "%s\n", points[i]);
		put_nop(&a, 8);
		ring(&a);
		vsplit_release(points[i]);
		finish(&a);
	}
	queue_unmap(&a);
}

struct ringer {
	struct queue q;
	pthread_t thread;
	unsigned int rounds;
	unsigned int lost;
};

static void *ring_often(void *data)
{
	struct ringer *r = data;

	for (unsigned int i = 0; i < r->rounds && !r->lost; i++) {
		put_nop(&r->q, 8);
		ring(&r->q);
		/* Sometimes it waits until the queue is idle, sometimes until it is about to be. */
		r->lost = __finish(&r->q) != 0;
		if (i % 7 == 0)
			usleep(i % 100);
	}
	return NULL;
}

/**
 * SUBTEST: doorbell-race
 * Description: Several queues become idle and are rung again, thousands of times: no ring is lost.
 */
static void test_doorbell_race(void)
{
	struct ringer r[4] = {};

	setup_queues(8 * MIB, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(r); i++) {
		r[i].rounds = vsplit_rounds(2000, 250000);
		queue_open(&r[i].q, 4096);
		igt_assert_eq(pthread_create(&r[i].thread, NULL, ring_often, &r[i]), 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(r); i++) {
		pthread_join(r[i].thread, NULL);
		igt_assert_f(!r[i].lost, "queue %u: a ring was lost\n", i);
		queue_unmap(&r[i].q);
	}
}

/**
 * SUBTEST: one-of-many
 * Description: Many idle queues of a device cost a queue that is rung nothing: the driver does not
 *   look at them.
 */
static void test_one_of_many(void)
{
	enum { QUEUES = 1000 };
	uint64_t looks;

	vsplit_require_sync_points();
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	for (unsigned int i = 0; i < QUEUES; i++) {
		struct drm_vsplit_hwq_create args = { .ring_bytes = 4096 };
		struct queue idle = { .fd = a.fd };

		context_open(&idle, a.fd, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
		args.ctx = idle.ctx;
		expect(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_HWQ_CREATE, &args), 0);
	}
	looks = vsplit_point_passes("hwq.look");
	for (unsigned int i = 0; i < 10; i++) {
		uint64_t idle = vsplit_point_passes("hwq.unmapped");

		put_nop(&a, 8);
		ring(&a);
		finish(&a);
		/* The next ring starts a pass. */
		igt_assert(vsplit_soon(vsplit_point_passes("hwq.unmapped") > idle));
	}
	igt_assert_lt(vsplit_point_passes("hwq.look") - looks, QUEUES);
	queue_unmap(&a);
}

/**
 * SUBTEST: gives-way
 * Description: A queue that never ends gives way to another client's submissions, although the
 *   engine switches only between programs.
 */
static void test_gives_way(void)
{
	struct feeder fa = { .q = &a, .us = 200 };
	struct vsplit_cs *cs;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	context_open(&b, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 4096));
	cs = vsplit_cs(b.fd);
	for (unsigned int i = 0; i < 20; i++) {
		submit_nop(&b, cs);
	}
	feeder_stop(&fa);
	finish(&a);
	igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);
	queue_unmap(&a);
}

static void put_fence(struct queue *q, uint8_t op, uint32_t fence, uint64_t value)
{
	put_packet(q, fence, op, fence, value);
}

/**
 * SUBTEST: fence-waits
 * Description: A queue waits for a monitored fence in the middle of its ring. Meanwhile its engine
 *   executes other work, and its memory can be taken. It goes on when a call or another queue
 *   raises the fence. If the fence is destroyed, the queue is lost.
 */
static void test_fence_waits(void)
{
	struct queue sibling = {}, c = {};
	struct vsplit_bo *bo;
	uint64_t before;
	uint32_t fence;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_beside(&sibling, a.fd, 4096);
	bo = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	fence = vsplit_fence(a.fd, 0);
	put_add(&a, 16 * MIB, 1);
	before = a.tail;
	put_fence(&a, VSPLIT_OP_WAIT_FENCE, fence, 1);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	expect(__wait_ms(&a, before, VSPLIT_SOON_MS), 0);
	expect(__wait_ms(&a, a.tail, 50), -ETIME);
	igt_assert_eq_u64(done(&a), before);

	take_most(&c, VSPLIT_CTX_PRIORITY_NORMAL);
	igt_assert_eq(segment_of(bo), 0);
	/* Its doorbell makes no difference. */
	for (unsigned int i = 0; i < 100; i++)
		ring(&a);
	igt_assert_eq_u64(done(&a), before);
	expect(__vsplit_fence_signal(a.fd, fence, 1), 0);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, 2);

	put_fence(&a, VSPLIT_OP_WAIT_FENCE, fence, 2);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	put_fence(&sibling, VSPLIT_OP_SIGNAL_FENCE, fence, 2);
	ring(&sibling);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, 3);

	put_fence(&a, VSPLIT_OP_WAIT_FENCE, fence, 3);
	ring(&a);
	expect(__wait_ms(&a, a.tail, 20), -ETIME);
	expect(__vsplit_fence_destroy(a.fd, fence), 0);
	expect(__finish(&a), -EIO);
	igt_assert_eq(state(&a), VSPLIT_STATE_LOST_FAULT);
	/* Another queue is waiting when its context ends. */
	put_fence(&sibling, VSPLIT_OP_WAIT_FENCE, vsplit_fence(a.fd, 0), 3);
	ring(&sibling);
	expect(__wait_ms(&sibling, sibling.tail, 20), -ETIME);
	queue_unmap(&a);
	queue_unmap(&sibling);
}

/**
 * SUBTEST: starved-and-wanted
 * Description: A queue that waits behind one of higher priority, which never ends, counts as
 *   stopped: memory that it requires can be taken.
 */
static void test_starved(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	struct queue high = {}, c = {};

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	alloc(&a, 'A', 5 * MIB, 16 * MIB);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	finish(&a);
	queue_open_as(&high, 4096, VSPLIT_CTX_PRIORITY_HIGH);
	fa.q = &high;
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&high) > 4096));
	/* It has work, but no turn. */
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	take_most(&c, VSPLIT_CTX_PRIORITY_HIGH);
	feeder_stop(&fa);
	finish(&a);
	igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);
	queue_unmap(&a);
	queue_unmap(&high);
}

/**
 * SUBTEST: lock-does-not-wait
 * Description: The CPU locks an allocation that is required by a queue that never ends. The lock
 *   does not wait for the queue, and the queue goes on.
 */
static void test_lock(void)
{
	struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 100 };
	struct vsplit_bo *bo;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', MIB, 16 * MIB);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 4096));
	expect(__vsplit_lock(bo, VSPLIT_LOCK_DONOT_WAIT), 0);
	vsplit_unlock(bo);
	feeder_stop(&fa);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, fa.added);
	queue_unmap(&a);
}

static const struct vsplit_subtest subtests[] = {
	{ "res-23-no-call", test_no_call,
	  "Once a queue exists, its work needs no system call: a process that may only read, write "
	  "and exit fills an allocation. The driver sees no submission." },
	{ "res-22-no-lists", test_no_lists,
	  "A context with a hardware queue accepts no submission, with or without lists. Only such "
	  "a context can have a queue, and only one." },
	{ "history", test_history,
	  "A HISTORY packet in the ring stores the engine's clock in the element of the control "
	  "page that it names, and in no other" },
	{ "history-takes-time", test_history_time,
	  "A HISTORY packet is a command, and takes as long as any other command" },
	{ "ring-wraps", test_ring_wraps,
	  "Packets of all sizes go round a small ring many times. State is kept from one packet to "
	  "the next, and no packet is executed twice or left out." },
	{ "ext-54-stopped-first", test_stopped_first,
	  "Queues that never end on devices that do not fit together are stopped before memory "
	  "leaves, and lose no write" },
	{ "ext-54-idle", test_idle,
	  "An idle queue does not hold up the eviction of memory that it used. The memory is not "
	  "brought back for it until it is rung again." },
	{ "offered-holds-nothing-up", test_offered,
	  "A queue runs while an allocation that its device requires is offered, whether this left "
	  "before or after it was offered, or not at all" },
	{ "res-5-arrives-first", test_arrives,
	  "Allocations that a device with a queue has made resident are there before the next "
	  "packet begins, however long they take to come, for an idle queue and for a running "
	  "one" },
	{ "res-5-asked-while-it-looks", test_looks,
	  "A packet that uses an allocation that was just made resident runs, even while the "
	  "engine looks at an empty ring" },
	{ "wait-ends-when-shown", test_shown,
	  "When a wait for a queue ends, the page that the client maps shows the same progress" },
	{ "evict-stops-first", test_evict,
	  "When a running queue no longer requires an allocation, the queue is stopped before the "
	  "allocation leaves" },
	{ "doorbell-while-unmapped", test_doorbell_unmapped,
	  "A queue that rings while its doorbell is about to be unmapped, was just unmapped, or is "
	  "being mapped is not forgotten" },
	{ "doorbell-race", test_doorbell_race,
	  "Several queues become idle and are rung again, thousands of times: no ring is lost" },
	{ "one-of-many", test_one_of_many,
	  "Many idle queues of a device cost a queue that is rung nothing: the driver does not look "
	  "at them" },
	{ "gives-way", test_gives_way,
	  "A queue that never ends gives way to another client's submissions, although the engine "
	  "switches only between programs" },
	{ "fence-waits", test_fence_waits,
	  "A queue that waits for a fence in its ring lets other work run, and is lost if the "
	  "fence is destroyed" },
	{ "starved-and-wanted", test_starved,
	  "A queue that waits behind one of higher priority, which never ends, counts as stopped: "
	  "memory that it requires can be taken" },
	{ "lock-does-not-wait", test_lock,
	  "A lock of an allocation that a queue without end requires does not wait for the queue" },
};

int igt_main()
{
	igt_fixture()
		vsplit_require_configfs();

	vsplit_run_subtests(subtests);
}
