// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit hwq errors
 * Description: Errors of hardware queues, and their end: faults, packets without an end, invalid
 *   tails and packets; contexts, processes and adapters that go away, and what is left of them;
 *   Documentation/hardware-queues.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: hardware queues
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_hwq.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Errors of hardware queues, and their end: faults, packets without an end, "
		     "invalid tails and packets; contexts, processes and adapters that go away, "
		     "and what is left of them; Documentation/hardware-queues.rst has the table.");

/* ---- faults ------------------------------------------------------------- */

/**
 * SUBTEST: packet-without-end
 * Description: A packet that does not end loses its queue and nothing else, whether or not the
 *   queue's memory is demanded. The other device gets the memory.
 */
static void test_without_end(void)
{
	struct drm_vsplit_ctx_query q;

	setup_queues(8 * MIB, 300);
	queue_open(&a, 4096);
	alloc(&a, 'A', 5 * MIB, 16 * MIB);
	put_add(&a, 16 * MIB, 1);
	put_spin(&a, VSPLIT_SPIN_MAX_US);
	ring(&a);
	igt_assert(vsplit_soon(done(&a) == sizeof(struct vsplit_packet_store)));
	take_most(&b, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__finish(&a), -EIO);
	query(&a, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_HANG);
	igt_assert_eq(q.device_state, VSPLIT_STATE_ACTIVE);
	igt_assert_eq(q.fault_offset, sizeof(struct vsplit_packet_store));
	igt_assert_eq(state(&b), VSPLIT_STATE_ACTIVE);
	queue_unmap(&a);
}

static void put_spins(struct queue *q)
{
	for (unsigned int i = 0; i < 4000; i++)
		put_spin(q, 20000);
	ring(q);
}

/**
 * SUBTEST: third-hang
 * Description: Two programs of a client hang, and its hardware queues go on. When a third one
 *   hangs, all queues that an engine has are lost, the running one and one that is not at its turn.
 *   An idle queue is not.
 */
static void test_third_hang(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 8 * MIB } },
		.slots = 16, .engines = 2, .test = true, .timeout_ms = 300,
		.contexts = "patch,explicit,va,hw",
	};
	struct queue behind = {}, idle = {};
	uint64_t was;

	ad = vsplit_adapter_create(&opts);
	queue_open(&a, 64 * KIB);
	queue_beside(&behind, a.fd, 64 * KIB);
	queue_beside(&idle, a.fd, 4096);
	put_spins(&a);
	igt_assert(vsplit_soon(done(&a)));
	put_spins(&behind);
	for (unsigned int i = 1; i <= 3; i++) {
		struct vsplit_cs *hang = vsplit_cs(a.fd);

		was = done(&a) + done(&behind);
		vsplit_cs_spin(hang, VSPLIT_SPIN_MAX_US);
		vsplit_cs_submit(hang, vsplit_ctx_mode(a.fd, VSPLIT_CTX_MODE_VA, 1), 0);
		igt_assert_eq(__vsplit_cs_wait(hang), -ETIME);
		if (i == 3)
			break;
		igt_assert(vsplit_soon(done(&a) + done(&behind) > was));
		igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);
		igt_assert_eq(state(&behind), VSPLIT_STATE_ACTIVE);
	}
	expect(__finish(&a), -EIO);
	expect(__finish(&behind), -EIO);
	igt_assert_eq(state(&a), VSPLIT_STATE_LOST_HANG);
	igt_assert_eq(state(&behind), VSPLIT_STATE_LOST_HANG);
	put_nop(&idle, 64);
	ring(&idle);
	finish(&idle);
	queue_unmap(&a);
	queue_unmap(&behind);
	queue_unmap(&idle);
}

/**
 * SUBTEST: page-fault
 * Description: An access to an address that is not mapped loses the queue's device. The query tells
 *   the address and the packet, and no packet behind it is executed. Another device is not
 *   affected.
 */
static void test_page_fault(void)
{
	struct drm_vsplit_ctx_query q;
	struct queue va = {};
	struct vsplit_bo *bo;
	struct vsplit_cs *cs;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_open(&b, 4096);
	bo = alloc(&a, 'A', MIB, 16 * MIB);
	context_open(&va, a.fd, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	put_nop(&a, 64);
	put_add(&a, 16 * MIB, 1);
	put_add(&a, 18 * MIB + 8, 1);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	expect(__finish(&a), -EIO);
	query(&a, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_PAGE_FAULT);
	igt_assert_eq(q.device_state, VSPLIT_STATE_LOST_PAGE_FAULT);
	igt_assert_eq(q.fault, VSPLIT_FAULT_NOT_MAPPED);
	igt_assert_eq_u64(q.fault_address, 18 * MIB + 8);
	igt_assert_eq(q.fault_access, VSPLIT_ACCESS_WRITE);
	igt_assert_eq(q.fault_engine, 0);
	igt_assert_eq(q.fault_offset, 64 + sizeof(struct vsplit_packet_store));
	igt_assert_eq_u64(done(&a), 64 + sizeof(struct vsplit_packet_store));
	igt_assert_eq_u64(*(uint64_t *)bo->map, 1);
	cs = vsplit_cs(a.fd);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_refused(cs, va.ctx, 0, -EIO);
	/* Ringing the lost queue has no effect. */
	for (unsigned int i = 0; i < 100; i++)
		ring(&a);
	put_nop(&b, 64);
	ring(&b);
	finish(&b);
	queue_unmap(&a);
	queue_unmap(&b);
}

/**
 * SUBTEST: sibling-faults
 * Description: A page fault of one context ends the queues of the same device, running or idle, and
 *   all waits for them.
 */
static void test_sibling_faults(void)
{
	struct feeder fa = { .q = &a, .us = 100 };
	struct queue idle = {}, bad = {};

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_beside(&idle, a.fd, 4096);
	queue_beside(&bad, a.fd, 4096);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 4096));
	put_add(&bad, 16 * MIB, 1);
	ring(&bad);
	expect(__wait_ms(&idle, 8, VSPLIT_SOON_MS), -EIO);
	expect(__finish(&bad), -EIO);
	feeder_stop(&fa);
	expect(__finish(&a), -EIO);
	queue_unmap(&a);
	queue_unmap(&idle);
	queue_unmap(&bad);
}

static void *wait_thread(void *arg)
{
	return (void *)(intptr_t)__wait_ms(arg, 4096, VSPLIT_SOON_MS);
}

/**
 * SUBTEST: waiters-beside-others
 * Description: The client of a queue decides how many tasks wait for it. While an engine wakes the
 *   tasks of a lost queue, it executes other clients' queues, and a queue can be destroyed.
 */
static void test_waiters(void)
{
	struct queue idle = {};
	pthread_t thread;
	void *ret;

	vsplit_require_sync_points();
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_open(&b, 4096);
	queue_open(&idle, 4096);
	vsplit_catch("hwq.wake");
	igt_assert_eq(pthread_create(&thread, NULL, wait_thread, &a), 0);
	a.tail = 4;
	ring(&a);
	igt_assert(vsplit_wait_held("hwq.wake"));
	put_nop(&b, 64);
	ring(&b);
	finish(&b);
	queue_unmap(&idle);
	expect(__vsplit_ctx_destroy(idle.fd, idle.ctx), 0);
	igt_assert(vsplit_held("hwq.wake"));
	vsplit_release("hwq.wake");
	pthread_join(thread, &ret);
	igt_assert_eq((intptr_t)ret, -EIO);
	queue_unmap(&a);
	queue_unmap(&b);
}

/* ---- what cannot be ----------------------------------------------------- */

/* Checks that the context is lost because of a bad packet at @offset. */
static void check_bad(struct queue *q, uint32_t offset)
{
	struct drm_vsplit_ctx_query args;

	expect(__wait_ms(q, q->tail + 16, VSPLIT_SOON_MS), -EIO);
	query(q, &args);
	igt_assert_eq(args.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(args.device_state, VSPLIT_STATE_ACTIVE);
	igt_assert_eq(args.fault, VSPLIT_FAULT_BAD_PACKET);
	igt_assert_eq(args.fault_offset, offset);
	queue_unmap(q);
}

/**
 * SUBTEST: bad-tails
 * Description: A tail beyond the ring, before the finished packets, or in the middle of a packet or
 *   of a word loses the context, and no byte outside of the ring is read. Values that the client
 *   stores where the engine shows its progress change nothing.
 */
static void test_bad_tails(void)
{
	static const uint64_t tails[] = {
		4096 + 8, ~0ull, 1ull << 63, 1, 4, 8 + 4, 72, 4095, 1ull << 32,
	};
	struct queue q;

	setup_queues(8 * MIB, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(tails); i++) {
		queue_open(&q, 4096);
		put_nop(&q, 128);
		q.tail = tails[i];
		ring(&q);
		q.tail = 0;
		check_bad(&q, 0);
	}
	queue_open(&q, 4096);
	for (unsigned int i = 0; i < 1000; i++) {
		put_bytes(&q, &(struct vsplit_packet){ .op = VSPLIT_OP_NOP, .size = 8 }, 8);
		__atomic_store_n(&q.control->done, i * 0x123456789ull, __ATOMIC_SEQ_CST);
		ring(&q);
		finish(&q);
	}
	/* The tail is before the finished packets. */
	q.tail -= 8;
	ring(&q);
	check_bad(&q, 8000 % 4096);
	/* Whatever the last packet was. */
	queue_open(&q, 4096);
	put_history(&q, 0, 0);
	ring(&q);
	finish(&q);
	q.tail = 8 + 4096 + 8;
	ring(&q);
	q.tail = 8;
	check_bad(&q, 8);
}

/**
 * SUBTEST: garbage
 * Description: The ring has random bytes. The queue is lost with a clear error, or goes on. Another
 *   device is not affected.
 */
static void test_garbage(void)
{
	struct vsplit_rng rng = { .state = 42 };
	unsigned int lost = 0;

	setup_queues(8 * MIB, 0);
	queue_open(&b, 4096);
	for (unsigned int i = 0; i < vsplit_rounds(100, 5000); i++) {
		struct queue q = {};
		int ret;

		queue_open(&q, 4096);
		alloc(&q, 'A', 64 * KIB, 0);
		for (unsigned int n = 0; n < 512; n++) {
			uint64_t word = vsplit_rng_next(&rng);

			/* Heads that are nearly valid get further. */
			if (vsplit_rng_below(&rng, 2))
				word = (word & ~0xffff00ffull) | vsplit_rng_below(&rng, 13) |
				       8ull * (1 + vsplit_rng_below(&rng, 9)) << 16;
			if (vsplit_rng_below(&rng, 8) == 0)
				word = (uint64_t)VSPLIT_OPERAND_VIRTUAL << 32;
			put_bytes(&q, &word, 8);
		}
		ring(&q);
		ret = __finish(&q);
		igt_assert(ret == 0 || ret == -EIO);
		lost += ret != 0;
		queue_unmap(&q);
		vsplit_cleanup_file(q.fd);
		put_nop(&b, 64);
		ring(&b);
		finish(&b);
	}
	igt_assert(lost);
	igt_assert_eq(state(&b), VSPLIT_STATE_ACTIVE);
	queue_unmap(&b);
}

/**
 * SUBTEST: changed-while-checked
 * Description: A client that changes its packets while they are executed gains nothing: the engine
 *   uses a copy.
 */
static void test_changed(void)
{
	struct queue q;
	uint64_t head;

	setup_queues(8 * MIB, 0);
	for (unsigned int i = 0; i < 20; i++) {
		volatile uint16_t *size;

		queue_open(&q, 4096);
		for (unsigned int n = 0; n < 256; n++)
			put_nop(&q, 16);
		ring(&q);
		size = (volatile uint16_t *)(q.ring + 2);
		for (unsigned int n = 0; n < 20000; n++) {
			head = n % 256 * 16;
			size[head / 2] = n & 1 ? 16 : 0xfff8;
		}
		__finish(&q);
		queue_unmap(&q);
		vsplit_cleanup_file(q.fd);
	}
}

#define PAGE	4096ull

/* A call that creates a queue, in a thread of its own. */
struct maker {
	struct drm_vsplit_hwq_create args;
	pthread_t thread;
	int ret;
};

static void *make_queue(void *data)
{
	struct maker *m = data;

	m->ret = __vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_HWQ_CREATE, &m->args);
	return NULL;
}

/* Whether something can be mapped near @offset, except at @offset itself. */
static bool maps_nearby(uint64_t offset)
{
	enum { NEARBY = 256 };

	for (uint64_t page = 0; page < 2 * NEARBY; page++) {
		uint64_t at = offset + (page - NEARBY) * PAGE;
		void *p;

		if (at == offset)
			continue;
		p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, a.fd, at);
		if (p != MAP_FAILED) {
			munmap(p, PAGE);
			return true;
		}
	}
	return false;
}

/**
 * SUBTEST: guessed-while-it-is-made
 * Description: A client guesses the offset of a queue that is being created, before its context has
 *   it, and before it is known whether the context has another one. It cannot be mapped yet: a
 *   mapped doorbell would let an engine run a queue that may never exist.
 */
static void test_guessed(void)
{
	struct maker m = { .args.ring_bytes = 4096 };

	vsplit_require_sync_points();
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	/* First the refused queue: afterwards a valid one is mapped nearby. */
	for (int other = 1; other >= 0; other--) {
		struct queue second = a;
		bool found;

		if (!other)
			context_open(&second, second.fd, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
		m.args.ctx = second.ctx;
		vsplit_catch("hwq.publish");
		igt_assert_eq(pthread_create(&m.thread, NULL, make_queue, &m), 0);
		igt_assert(vsplit_wait_held("hwq.publish"));
		found = maps_nearby(a.offset);
		vsplit_release("hwq.publish");
		pthread_join(m.thread, NULL);
		expect(m.ret, other ? -EBUSY : 0);
		igt_assert_f(!found, "%s is mapped before it is there\n",
			     other ? "what is refused" : "a queue");
		/* Now the queue exists, which shows that the test searched in the right place. */
		igt_assert(other || maps_nearby(a.offset));
	}
	put_nop(&a, 8);
	ring(&a);
	finish(&a);
	queue_unmap(&a);
}

/* ---- ends --------------------------------------------------------------- */

/* A thread that waits for more than the queue will ever do. */
static void *wait_for_ever(void *data)
{
	struct queue *q = data;

	return (void *)(intptr_t)__wait_ms(q, 1ull << 40, 1ull << 30);
}

/**
 * SUBTEST: destroyed
 * Description: A context is destroyed while its queue runs, is idle, or is waited for. The queue
 *   stops, waits end with an error, and its mapping can be used without effect.
 */
static void test_destroyed(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	pthread_t waiter;
	void *ret;

	setup_queues(8 * MIB, 0);
	for (unsigned int busy = 0; busy < 2; busy++) {
		queue_open(&a, 4096);
		if (busy) {
			feeder_start(&fa);
			igt_assert(vsplit_soon(done(&a) > 1000));
		}
		igt_assert_eq(pthread_create(&waiter, NULL, wait_for_ever, &a), 0);
		usleep(20000);
		expect(__vsplit_ctx_destroy(a.fd, a.ctx), 0);
		pthread_join(waiter, &ret);
		igt_assert_eq((int)(intptr_t)ret, -ENOENT);
		if (busy)
			feeder_stop(&fa);
		for (unsigned int i = 0; i < 100; i++)
			ring(&a);
		queue_unmap(&a);
		vsplit_cleanup_file(a.fd);
	}
}

/**
 * SUBTEST: destroyed-while-others-page
 * Description: The engine of a queue pages for another client, which takes a while. Destroying the
 *   queue's context does not wait for that.
 */
static void test_destroyed_paging(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	struct vsplit_bo *bo;
	uint64_t begin, ms;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	context_open(&b, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	bo = alloc(&b, 'B', MIB, 16 * MIB);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 1000));
	vsplit_adapter_knob(ad, "delay_paging", "1000000");
	expect(__vsplit_evict(b.fd, &bo->handle, 1, 0), 0);
	usleep(100000);
	begin = vsplit_now_ns();
	expect(__vsplit_ctx_destroy(a.fd, a.ctx), 0);
	ms = (vsplit_now_ns() - begin) / 1000000;
	vsplit_adapter_knob(ad, "delay_paging", "0");
	igt_assert_f(ms < 500, "%" PRIu64 " ms\n", ms);
	feeder_stop(&fa);
	queue_unmap(&a);
}

/**
 * SUBTEST: killed
 * Description: A process is killed while its queues run: nothing of it is left.
 */
static void test_killed(void)
{
	struct vsplit_counters before;
	pid_t pid;

	setup_queues(8 * MIB, 0);
	if (!vsplit_counters(ad, &before))
		igt_skip("needs debugfs\n");
	for (unsigned int i = 0; i < 5; i++) {
		pid = vsplit_fork();
		if (!pid) {
			struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 1000 };

			queue_open(&a, 4096);
			alloc(&a, 'A', 5 * MIB, 16 * MIB);
			feed(&fa);
		}
		usleep(30000 + 20000 * i);
		kill(pid, SIGKILL);
		vsplit_reap(pid);
		vsplit_counters_become(ad, &before);
	}
}

/**
 * SUBTEST: unplugged
 * Description: The adapter is removed while queues run, are idle, and are waited for. Waits end
 *   with -ENODEV, and the mapping can be used without effect.
 */
static void test_unplugged(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	pthread_t waiter;
	void *ret;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_open(&b, 4096);
	alloc(&a, 'A', MIB, 16 * MIB);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 1000));
	igt_assert_eq(pthread_create(&waiter, NULL, wait_for_ever, &b), 0);
	usleep(20000);
	vsplit_adapter_disable(ad);
	pthread_join(waiter, &ret);
	igt_assert_eq((int)(intptr_t)ret, -ENODEV);
	expect(__wait_ms(&a, 1ull << 40, VSPLIT_SOON_MS), -ENODEV);
	feeder_stop(&fa);
	ring(&a);
	ring(&b);
	queue_unmap(&a);
	queue_unmap(&b);
}

/* Keeps a ring full whose packets are all the same. */
static void *keep_full(void *data)
{
	struct feeder *f = data;

	while (!atomic_load(&f->stop)) {
		f->q->tail = done(f->q) + f->q->ring_bytes;
		ring(f->q);
	}
	return NULL;
}

/**
 * SUBTEST: nothing-but-times
 * Description: A ring that is always full of HISTORY packets behaves like any other ring: it gives
 *   way to another client, and ends with its context, and with its adapter.
 */
static void test_times(void)
{
	struct feeder fa = { .q = &a };

	setup_queues_on(8 * MIB, 0, true);
	for (unsigned int end = 0; end < 2; end++) {
		queue_open(&a, 64 * KIB);
		for (unsigned int i = 0; i < a.ring_bytes / sizeof(struct vsplit_packet); i++)
			put_history(&a, 0, 0);
		atomic_store(&fa.stop, false);
		igt_assert_eq(pthread_create(&fa.thread, NULL, keep_full, &fa), 0);
		igt_assert(vsplit_soon(done(&a) > 2 * a.ring_bytes));
		context_open(&b, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
		for (unsigned int i = 0; i < 20; i++)
			submit_nop(&b, vsplit_cs(b.fd));
		if (end)
			vsplit_adapter_disable(ad);
		else
			expect(__vsplit_ctx_destroy(a.fd, a.ctx), 0);
		expect(__wait_ms(&a, 1ull << 40, VSPLIT_SOON_MS), end ? -ENODEV : -ENOENT);
		feeder_stop(&fa);
		queue_unmap(&a);
		vsplit_cleanup_file(a.fd);
		vsplit_cleanup_file(b.fd);
	}
}

/**
 * SUBTEST: charged
 * Description: The pages of a queue are charged to its user until they are no longer mapped.
 */
static void test_charged(void)
{
	uint64_t before, with;

	setup_queues(8 * MIB, 0);
	a.fd = vsplit_adapter_open(ad);
	/* The first such context also makes the address space of the file. */
	context_open(&a, a.fd, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	before = vsplit_fdinfo(a.fd, "vsplit-user-allocations:");
	context_open(&a, a.fd, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	with = vsplit_fdinfo(a.fd, "vsplit-user-allocations:");
	expect(__queue_create(&a, 1u << 20), 0);
	with = vsplit_fdinfo(a.fd, "vsplit-user-allocations:") - with;
	igt_assert(with >= 1024 + 8);
	expect(__vsplit_ctx_destroy(a.fd, a.ctx), 0);
	/* fdinfo tells whole KiB. */
	igt_assert(vsplit_fdinfo(a.fd, "vsplit-user-allocations:") + 1 >= before + with);
	queue_unmap(&a);
	igt_assert_eq_u64(vsplit_fdinfo(a.fd, "vsplit-user-allocations:"), before);
}

/**
 * SUBTEST: fails-again-and-again
 * Description: Memory that a queue needs cannot be brought in, because its file may have no more
 *   unfinished work. The driver tries less and less often, and the queue runs soon after it is
 *   allowed again.
 */
static void test_again(void)
{
	struct drm_vsplit_fence_create fence = {};
	struct queue x = {};
	struct vsplit_bo *bo;
	struct vsplit_cs *cs;
	uint64_t tries;
	int ret;

	vsplit_inject_require(VSPLIT_INJECT_SITE);
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	take_most(&b, VSPLIT_CTX_PRIORITY_NORMAL);
	igt_assert_eq(segment_of(bo), 0);
	context_open(&x, a.fd, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__vsplit_ioctl(x.fd, DRM_IOCTL_VSPLIT_FENCE_CREATE, &fence), 0);
	cs = vsplit_cs(x.fd);
	vsplit_cs_wait_fence(cs, fence.handle, 1);
	while (!(ret = __vsplit_cs_submit(cs, x.ctx, 0)))
		;
	igt_assert_eq(ret, -ENOBUFS);
	put_nop(&a, 8);
	ring(&a);
	usleep(500000);
	tries = vsplit_site_passes("job.create");
	usleep(2000000);
	tries = vsplit_site_passes("job.create") - tries;
	igt_assert_f(tries && tries < 20, "%" PRIu64 " tries in two seconds\n", tries);
	igt_assert_eq_u64(done(&a), 0);
	expect(__vsplit_fence_signal(x.fd, fence.handle, 1), 0);
	finish(&a);
	queue_unmap(&a);
}

/**
 * SUBTEST: fails-while-it-is-locked
 * Description: The same while the CPU has locked an allocation that a queue needs, however often
 *   the queue is rung.
 */
static void test_locked(void)
{
	struct vsplit_bo *bo;
	uint64_t tries;

	vsplit_inject_require(VSPLIT_INJECT_WAIT);
	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	context_open(&b, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	alloc(&b, 'B', 5 * MIB, 16 * MIB);
	submit_nop(&b, vsplit_cs(b.fd));
	igt_assert_eq(segment_of(bo), 0);
	vsplit_lock(bo, 0);
	put_nop(&a, 8);
	ring(&a);
	usleep(300000);
	tries = vsplit_site_passes("resident.lock");
	for (uint64_t end = vsplit_now_ns() + 1000000000; vsplit_now_ns() < end; usleep(1000)) {
		/*
		 * A new mapping touches the doorbell page for the first time, with an empty ring
		 * and with a full one.
		 */
		queue_unmap(&a);
		queue_map(&a);
		__atomic_store_n(&a.control->tail, done(&a), __ATOMIC_SEQ_CST);
		atomic_store(a.doorbell, 1);
		usleep(1000);
		ring(&a);
	}
	tries = vsplit_site_passes("resident.lock") - tries;
	igt_assert_f(tries && tries < 12, "%" PRIu64 " tries in a second\n", tries);
	igt_assert_eq_u64(done(&a), 0);
	vsplit_unlock(bo);
	finish(&a);
	queue_unmap(&a);
}

/**
 * SUBTEST: explicit-loses
 * Description: A list that names an allocation that is not required loses the device, and ends its
 *   queues.
 */
static void test_explicit_loses(void)
{
	struct feeder fa = { .q = &a, .us = 100 };
	struct queue x = {};
	struct vsplit_cs *cs;

	setup_queues(8 * MIB, 0);
	queue_open(&a, 4096);
	context_open(&x, a.fd, VSPLIT_CTX_MODE_EXPLICIT, VSPLIT_CTX_PRIORITY_NORMAL);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 1000));
	cs = vsplit_cs(x.fd);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_alloc(cs, vsplit_bo(x.fd, 'A', MIB), 0);
	expect(__vsplit_cs_submit(cs, x.ctx, 0), -EINVAL);
	expect(__wait_ms(&a, 1ull << 40, VSPLIT_SOON_MS), -EIO);
	feeder_stop(&fa);
	igt_assert_eq(state(&a), VSPLIT_STATE_LOST_RESIDENCY);
	queue_unmap(&a);
}

static const struct vsplit_subtest subtests[] = {
	{ "packet-without-end", test_without_end,
	  "A packet that does not end loses its queue and nothing else, whether or not the queue's "
	  "memory is demanded. The other device gets the memory." },
	{ "third-hang", test_third_hang,
	  "When a third program of a client hangs, all of its hardware queues that an engine has "
	  "are lost" },
	{ "page-fault", test_page_fault,
	  "An access to an address that is not mapped loses the queue's device" },
	{ "waiters-beside-others", test_waiters,
	  "An engine that wakes the tasks that wait for a lost queue executes other clients' "
	  "queues meanwhile" },
	{ "sibling-faults", test_sibling_faults,
	  "A page fault of one context ends the queues of the same device, running or idle, and "
	  "all waits for them" },
	{ "bad-tails", test_bad_tails,
	  "A tail beyond the ring, before the finished packets, or in the middle of a packet or of "
	  "a word loses the context, and no byte outside of the ring is read" },
	{ "garbage", test_garbage,
	  "Random bytes in a ring lose the queue with a clear error, or do nothing, and affect no "
	  "other device" },
	{ "changed-while-checked", test_changed,
	  "A client that changes its packets while they are executed gains nothing: the engine "
	  "uses a copy" },
	{ "guessed-while-it-is-made", test_guessed,
	  "A queue that is being created cannot be mapped by a guessed offset" },
	{ "destroyed", test_destroyed,
	  "A context is destroyed while its queue runs, is idle, or is waited for" },
	{ "destroyed-while-others-page", test_destroyed_paging,
	  "The engine of a queue pages for another client, which takes a while. Destroying the "
	  "queue's context does not wait for that." },
	{ "killed", test_killed,
	  "A process is killed while its queues run: nothing of it is left" },
	{ "unplugged", test_unplugged,
	  "The adapter is removed while queues run, are idle, and are waited for. Waits end with "
	  "-ENODEV, and the mapping can be used without effect." },
	{ "nothing-but-times", test_times,
	  "A ring that is always full of HISTORY packets behaves like any other ring: it gives way "
	  "to another client, and ends with its context, and with its adapter" },
	{ "charged", test_charged,
	  "The pages of a queue are charged to its user until they are no longer mapped" },
	{ "fails-again-and-again", test_again,
	  "The driver tries less and less often to bring in memory that a queue cannot have, and "
	  "the queue runs when it can" },
	{ "fails-while-it-is-locked", test_locked,
	  "While the CPU has locked what a queue needs, the driver tries less and less often, "
	  "however often the queue rings" },
	{ "explicit-loses", test_explicit_loses,
	  "A list that names an allocation that is not required loses the device, and ends its "
	  "queues" },
};

int igt_main()
{
	igt_fixture()
		vsplit_require_configfs();

	vsplit_run_subtests(subtests);
}
