// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit hwq
 * Description: Hardware queues: work by a ring and a doorbell alone (RES-22, RES-23), which
 *   stops before what it uses leaves (EXT-54); Documentation/hardware-queues.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: hardware queues
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_setup.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Hardware queues.");

#define PAGE	4096ull
#define KIB	1024ull
#define MIB	(1ull << 20)

/* A file with a hardware queue; or with a context of virtual addresses, which has none. */
struct queue {
	int fd;
	uint32_t ctx;
	uint32_t ring_bytes;
	uint64_t bytes;
	uint64_t tail;
	uint8_t *pages;
	_Atomic uint32_t *doorbell;
	struct drm_vsplit_hwq_control *control;
	uint8_t *ring;
};

static struct queue a, b;

/* ---- queues ------------------------------------------------------------- */

static void context_open(struct queue *q, uint32_t mode, uint32_t priority)
{
	struct drm_vsplit_ctx_create args = { .mode = mode, .priority = priority };

	expect(__vsplit_ctx_create(q->fd, &args), 0);
	q->ctx = args.ctx;
}

static int __queue_create(struct queue *q, uint32_t ring_bytes)
{
	struct drm_vsplit_hwq_create args = { .ctx = q->ctx, .ring_bytes = ring_bytes };
	int ret;

	do
		ret = __vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_HWQ_CREATE, &args);
	while (vsplit_injected(ret));
	if (ret)
		return ret;
	q->ring_bytes = ring_bytes;
	q->bytes = args.bytes;
	q->tail = 0;
	q->pages = mmap(NULL, q->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, q->fd, args.offset);
	igt_assert(q->pages != MAP_FAILED);
	q->doorbell = (void *)(q->pages + VSPLIT_HWQ_DOORBELL * PAGE);
	q->control = (void *)(q->pages + VSPLIT_HWQ_CONTROL * PAGE);
	q->ring = q->pages + VSPLIT_HWQ_RING * PAGE;
	return 0;
}

static void queue_open_as(struct queue *q, uint32_t ring_bytes, uint32_t priority)
{
	q->fd = vsplit_adapter_open(ad);
	context_open(q, VSPLIT_CTX_MODE_HW, priority);
	expect(__queue_create(q, ring_bytes), 0);
}

static void queue_open(struct queue *q, uint32_t ring_bytes)
{
	queue_open_as(q, ring_bytes, VSPLIT_CTX_PRIORITY_NORMAL);
}

static void queue_unmap(struct queue *q)
{
	if (q->pages)
		munmap(q->pages, q->bytes);
	q->pages = NULL;
}

static uint64_t done(struct queue *q)
{
	return __atomic_load_n(&q->control->done, __ATOMIC_ACQUIRE);
}

/* Shows the engine what was put in, and rings. */
static void ring(struct queue *q)
{
	__atomic_store_n(&q->control->tail, q->tail, __ATOMIC_SEQ_CST);
	atomic_store(q->doorbell, 1);
}

static void put_bytes(struct queue *q, const void *bytes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		q->ring[(q->tail + i) % q->ring_bytes] = ((const uint8_t *)bytes)[i];
	q->tail += nr;
}

static int __wait_ms(struct queue *q, uint64_t until, uint64_t ms)
{
	struct drm_vsplit_hwq_wait args = {
		.ctx = q->ctx, .done = until,
		.timeout_ns = ms ? vsplit_now_ns() + ms * 1000000 : 0,
	};
	int ret;

	do
		ret = __vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_HWQ_WAIT, &args);
	while (vsplit_injected(ret));
	return ret;
}

static int __finish(struct queue *q)
{
	return __wait_ms(q, q->tail, VSPLIT_SOON_MS);
}

static void finish(struct queue *q)
{
	expect(__finish(q), 0);
	igt_assert_eq_u64(done(q), q->tail);
}

/* A packet, when there is room for it. */
static void put(struct queue *q, const void *packet, uint32_t size)
{
	if (q->tail + size - done(q) > q->ring_bytes) {
		ring(q);
		expect(__wait_ms(q, q->tail + size - q->ring_bytes, VSPLIT_SOON_MS), 0);
	}
	put_bytes(q, packet, size);
}

/* ---- packets ------------------------------------------------------------ */

/* By its function of packets.h. */
#define put_packet(q, what, ...) do { \
	struct vsplit_packets p_ = {}; \
	expect(vsplit__put_ ## what(&p_, __VA_ARGS__), 0); \
	put(q, p_.stream, p_.bytes); \
	vsplit__packets_free(&p_); \
} while (0)

static void put_nop(struct queue *q, uint32_t size)
{
	const struct vsplit_packet head = { .op = VSPLIT_OP_NOP, .size = size };
	uint8_t packet[size];

	memset(packet, 0xee, size);
	memcpy(packet, &head, sizeof(head));
	put(q, packet, size);
}

static void put_state(struct queue *q, uint32_t reg, uint32_t value)
{
	put_packet(q, state, reg, value);
}

/* With the pattern that was set last. */
static void put_fill(struct queue *q, uint64_t dst, uint64_t length)
{
	put_packet(q, fill, vsplit__virtual(dst), length);
}

static void put_set(struct queue *q, uint64_t dst, uint64_t length, uint8_t byte)
{
	put_state(q, VSPLIT_STATE_FILL, byte * 0x01010101u);
	put_fill(q, dst, length);
}

static void put_add(struct queue *q, uint64_t dst, uint64_t value)
{
	put_packet(q, word, VSPLIT_OP_ATOMIC_ADD, vsplit__virtual(dst), value);
}

static void put_spin(struct queue *q, uint32_t us)
{
	put_packet(q, head, VSPLIT_OP_SPIN, us);
}

static void put_history(struct queue *q, uint8_t flags, uint32_t index)
{
	const struct vsplit_packet packet = {
		.op = VSPLIT_OP_HISTORY, .flags = flags, .size = sizeof(packet), .arg = index,
	};

	put(q, &packet, sizeof(packet));
}

/* ---- memory ------------------------------------------------------------- */

static void map(struct queue *q, const struct vsplit_bo *bo, uint64_t address)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_MAP, .handle = bo->handle, .address = address, .bytes = bo->size,
	};
	struct drm_vsplit_sync sync = {
		.handle = vsplit_syncobj(q->fd), .flags = VSPLIT_SYNC_SIGNAL,
	};
	struct drm_vsplit_va_bind args = {
		.ops = (uintptr_t)&op, .num_ops = 1, .syncs = (uintptr_t)&sync, .num_syncs = 1,
	};
	int ret;

	do
		ret = __vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_VA_BIND, &args);
	while (vsplit_injected(ret));
	expect(ret, 0);
	/* What is put into a ring is not ordered with it. */
	expect(__vsplit_syncobj_wait(q->fd, sync.handle, 0, VSPLIT_SOON_MS), 0);
}

static int __require(struct queue *q, const struct vsplit_bo *bo)
{
	struct drm_vsplit_make_resident args = {
		.handles = (uintptr_t)&bo->handle, .num_handles = 1,
		.flags = VSPLIT_RESIDENT_CANT_TRIM_FURTHER,
	};
	int ret;

	do
		ret = __vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &args);
	while (vsplit_injected(ret));
	return ret;
}

static void unrequire(struct queue *q, const struct vsplit_bo *bo)
{
	struct drm_vsplit_evict args = { .handles = (uintptr_t)&bo->handle, .num_handles = 1 };

	expect(__vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_EVICT, &args), 0);
}

/* Required, and mapped at @address. */
static struct vsplit_bo *alloc(struct queue *q, char name, uint64_t size, uint64_t address)
{
	struct vsplit_bo *bo = vsplit_bo(q->fd, name, size);

	expect(__require(q, bo), 0);
	map(q, bo, address);
	return bo;
}

/* Something for a queue that is no hardware queue, which needs all that its device requires. */
static void submit_nop(struct queue *q, struct vsplit_cs *cs)
{
	vsplit_cs_reset(cs);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_submit(cs, q->ctx, 0);
	vsplit_cs_wait(cs);
}

static void check_bytes(const struct vsplit_bo *bo, uint64_t offset, uint64_t bytes, uint8_t byte)
{
	for (uint64_t i = 0; i < bytes; i++)
		igt_assert_f(bo->map[offset + i] == byte, "%c[%llu] is 0x%02x, not 0x%02x\n",
			     bo->name, (unsigned long long)(offset + i), bo->map[offset + i], byte);
}

static void setup(uint64_t vram, unsigned int timeout_ms)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = vram } },
		.slots = 16, .engines = 1, .test = true, .timeout_ms = timeout_ms,
		.contexts = "patch,explicit,va,hw",
	};

	ad = vsplit_adapter_create(&opts);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
}

static void query(struct queue *q, struct drm_vsplit_ctx_query *args)
{
	memset(args, 0, sizeof(*args));
	vsplit_ctx_query(q->fd, q->ctx, args);
}

static uint32_t state(struct queue *q)
{
	struct drm_vsplit_ctx_query args;

	query(q, &args);
	return args.state;
}

/* ---- subtests ----------------------------------------------------------- */

/**
 * SUBTEST: res-23-no-call
 * Description: Once a queue is there its work needs no system call: a process that may only
 *   read, write and exit fills an allocation. The driver sees no submission.
 */
static void test_no_call(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *bo;
	pid_t pid;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', MIB, MIB);
	vsplit_query_statistics(a.fd, &before);
	pid = vsplit_fork();
	if (!pid) {
		/* Small kernels have no such thing. */
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
 * Description: A context with a hardware queue takes no submission, with or without lists; a
 *   queue is for such a context alone, and there is one of each.
 */
static void test_no_lists(void)
{
	static const uint32_t bad[] = { 0, 1, 2048, 4097, 12288, 2u << 20, 1u << 31, ~0u };
	struct queue va = {};
	struct vsplit_cs *cs;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	cs = vsplit_cs(a.fd);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_refused(cs, a.ctx, 0, -EINVAL);
	vsplit_cs_alloc(cs, vsplit_bo(a.fd, 'A', MIB), 0);
	vsplit_cs_refused(cs, a.ctx, 0, -EINVAL);
	igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);

	va.fd = a.fd;
	context_open(&va, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__queue_create(&va, 4096), -EINVAL);
	expect(__wait_ms(&va, 0, 0), -EINVAL);
	va.ctx = 77;
	expect(__queue_create(&va, 4096), -ENOENT);
	expect(__wait_ms(&va, 0, 0), -ENOENT);
	context_open(&va, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
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
 * Description: A packet of the ring notes the engine's clock in the control page, in the element
 *   that it names and in no other. One that names none loses the context, and a submission
 *   takes no such packet.
 */
static void test_history(void)
{
	struct drm_vsplit_ctx_create args = { .mode = VSPLIT_CTX_MODE_VA,
					      .priority = VSPLIT_CTX_PRIORITY_NORMAL };
	const struct vsplit_packet packet = { .op = VSPLIT_OP_HISTORY, .size = sizeof(packet) };
	static const struct {
		uint8_t flags;
		uint32_t index;
	} bad[] = { { 0, VSPLIT_HWQ_HISTORY }, { 1, 0 } };
	uint64_t before = vsplit_now_ns();
	struct vsplit_cs *cs;

	setup(8 * MIB, 0);
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
	expect(__vsplit_ctx_create(a.fd, &args), 0);
	cs = vsplit_cs(a.fd);
	vsplit_cs_packet(cs, &packet, sizeof(packet));
	vsplit_cs_refused(cs, args.ctx, 0, -EINVAL);
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
 * SUBTEST: ring-wraps
 * Description: Packets of all sizes go round a small ring many times; state stays from one to
 *   the next, and none is executed twice or left out.
 */
static void test_ring_wraps(void)
{
	struct vsplit_rng rng = { .state = 7 };
	struct vsplit_bo *bo;
	uint64_t sum = 0;

	setup(8 * MIB, 0);
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

/* Feeds a queue until it is told to stop, so that the queue never ends. */
struct feeder {
	struct queue *q;
	pthread_t thread;
	atomic_bool stop;
	uint64_t dst;
	uint32_t us;
	uint64_t added;
};

static void *feed(void *data)
{
	struct feeder *f = data;
	struct queue *q = f->q;

	while (!atomic_load(&f->stop)) {
		if (q->tail + 256 - done(q) > q->ring_bytes)
			continue;
		put_spin(q, f->us);
		if (f->dst) {
			put_add(q, f->dst, 1);
			f->added++;
		}
		ring(q);
	}
	return NULL;
}

static void feeder_start(struct feeder *f)
{
	atomic_store(&f->stop, false);
	igt_assert_eq(pthread_create(&f->thread, NULL, feed, f), 0);
}

static void feeder_stop(struct feeder *f)
{
	atomic_store(&f->stop, true);
	pthread_join(f->thread, NULL);
}

static uint64_t evicted(struct queue *q)
{
	struct drm_vsplit_statistics stats;

	vsplit_query_statistics(q->fd, &stats);
	return stats.evicted_bytes;
}

/**
 * SUBTEST: ext-54-stopped-first
 * Description: Two queues that never end, on devices that do not fit together: each is
 *   stopped before what it uses leaves, and goes on when it is back. Neither meets a page
 *   fault, and every addition is there in the end, at once after it was done.
 */
static void test_stopped_first(void)
{
	struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 20 };
	struct feeder fb = { .q = &b, .dst = 16 * MIB, .us = 20 };
	struct drm_vsplit_statistics stats;
	struct vsplit_bo *bo_a, *bo_b;

	setup(8 * MIB, 0);
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
 * Description: An idle queue does not gate the eviction of what it used, and is not brought
 *   back for: only when it is rung again.
 */
static void test_idle(void)
{
	struct vsplit_bo *bo_a, *bo_b;
	struct vsplit_cs *cs;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	bo_a = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	put_set(&a, 16 * MIB, 5 * MIB, 0x11);
	ring(&a);
	finish(&a);

	b.fd = vsplit_adapter_open(ad);
	context_open(&b, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
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
 * Description: A queue runs while something that its device requires is offered: whether it left
 *   before it was offered, or after, or not at all.
 */
static void test_offered(void)
{
	struct drm_vsplit_offer args = { .num_handles = 1, .priority = VSPLIT_OFFER_LOW };
	struct drm_vsplit_reclaim reclaim = { .num_handles = 1 };
	uint32_t discarded;
	struct vsplit_bo *bo;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	args.handles = (uintptr_t)&bo->handle;
	reclaim.handles = (uintptr_t)&bo->handle;
	reclaim.discarded = (uintptr_t)&discarded;
	b.fd = vsplit_adapter_open(ad);
	context_open(&b, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	alloc(&b, 'B', 5 * MIB, 16 * MIB);
	for (unsigned int i = 0; i < 3; i++) {
		put_set(&a, 16 * MIB, 5 * MIB, 0x11 + i);
		ring(&a);
		finish(&a);
		if (i == 2)
			igt_assert_eq(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_OFFER, &args), 0);
		if (i) {
			submit_nop(&b, vsplit_cs(b.fd));
			igt_assert_eq(segment_of(bo), 0);
		}
		if (i < 2)
			igt_assert_eq(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_OFFER, &args), 0);
		put_nop(&a, 8);
		ring(&a);
		finish(&a);
		igt_assert_eq(segment_of(bo), i ? 0 : 1);
		igt_assert_eq(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_RECLAIM, &reclaim), 0);
		igt_assert_eq(discarded, i == 2);
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
 * Description: What a device with a queue has made resident is there before the next packet
 *   begins, however long it takes to come: of a queue that is idle, and of one that runs.
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
		struct drm_vsplit_make_resident args = {
			.handles = (uintptr_t)handles, .num_handles = 2,
		};

		if (i) {
			put_spin(&a, 100000);
			ring(&a);
		}
		/* The first one comes, then nothing happens for a while, then the second. */
		expect(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &args), 0);
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
 * Description: A client makes something resident, and puts in what uses it, while the engine
 *   is about to look whether the ring is empty.
 */
static void test_looks(void)
{
	struct vsplit_bo *bo;
	bool held = false;
	uint64_t before;

	vsplit_require_sync_points();
	setup(8 * MIB, 0);
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
		/* Not if the preempt fence was waited for meanwhile: then the ring is not looked at. */
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
 * Description: When a wait for a queue ends, the page that the client maps says the same.
 */
static void test_shown(void)
{
	int ret;

	vsplit_require_sync_points();
	setup(8 * MIB, 0);
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
 * Description: What a running queue requires no more leaves after the queue was stopped; an
 *   access after that is a page fault of this device.
 */
static void test_evict(void)
{
	struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 20 };
	struct vsplit_bo *bo, *other;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	bo = alloc(&a, 'A', MIB, 16 * MIB);
	other = alloc(&a, 'B', MIB, 32 * MIB);
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&a) > 20000));
	unrequire(&a, other);
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
 * Description: A queue that rings while its doorbell is about to be unmapped, or was right
 *   now, or is being mapped, is not forgotten.
 */
static void test_doorbell_unmapped(void)
{
	static const char * const points[] = { "hwq.idle", "hwq.unmapped" };

	vsplit_require_sync_points();
	setup(8 * MIB, 0);
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
		/* Sometimes wait until it is idle, sometimes until it is about to be. */
		r->lost = __finish(&r->q) != 0;
		if (i % 7 == 0)
			usleep(i % 100);
	}
	return NULL;
}

/**
 * SUBTEST: doorbell-race
 * Description: Several queues become idle and ring again, thousands of times: no ring is lost.
 */
static void test_doorbell_race(void)
{
	struct ringer r[4] = {};

	setup(8 * MIB, 0);
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
 * SUBTEST: gives-way
 * Description: A queue that never ends gives way to another client's submissions, though the
 *   engine only switches between programs.
 */
static void test_gives_way(void)
{
	struct feeder fa = { .q = &a, .us = 200 };
	struct vsplit_cs *cs;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	b.fd = vsplit_adapter_open(ad);
	context_open(&b, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
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

static uint32_t make_fence(struct queue *q)
{
	struct drm_vsplit_fence_create args = {};

	expect(__vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_FENCE_CREATE, &args), 0);
	return args.handle;
}

/**
 * SUBTEST: fence-waits
 * Description: A queue waits for a monitored fence in the middle of its ring: its engine
 *   executes others' work, its memory can be taken, and it goes on when the fence is raised, by
 *   a call or by another queue. Where the fence is destroyed it is lost.
 */
static void test_fence_waits(void)
{
	struct drm_vsplit_fence_signal raise = { .value = 1 };
	struct drm_vsplit_fence_destroy end = {};
	struct queue sibling = {}, c = {};
	struct vsplit_bo *bo;
	uint64_t before;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	sibling.fd = a.fd;
	context_open(&sibling, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__queue_create(&sibling, 4096), 0);
	bo = alloc(&a, 'A', 5 * MIB, 16 * MIB);
	raise.handle = make_fence(&a);
	put_add(&a, 16 * MIB, 1);
	before = a.tail;
	put_fence(&a, VSPLIT_OP_WAIT_FENCE, raise.handle, 1);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	expect(__wait_ms(&a, before, VSPLIT_SOON_MS), 0);
	expect(__wait_ms(&a, a.tail, 50), -ETIME);
	igt_assert_eq_u64(done(&a), before);

	c.fd = vsplit_adapter_open(ad);
	context_open(&c, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	alloc(&c, 'C', 5 * MIB, 16 * MIB);
	submit_nop(&c, vsplit_cs(c.fd));
	igt_assert_eq(segment_of(bo), 0);
	/* Its doorbell makes no difference. */
	for (unsigned int i = 0; i < 100; i++)
		ring(&a);
	igt_assert_eq_u64(done(&a), before);
	expect(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &raise), 0);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, 2);

	put_fence(&a, VSPLIT_OP_WAIT_FENCE, raise.handle, 2);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	put_fence(&sibling, VSPLIT_OP_SIGNAL_FENCE, raise.handle, 2);
	ring(&sibling);
	finish(&a);
	igt_assert_eq_u64(*(uint64_t *)bo->map, 3);

	put_fence(&a, VSPLIT_OP_WAIT_FENCE, raise.handle, 3);
	ring(&a);
	expect(__wait_ms(&a, a.tail, 20), -ETIME);
	end.handle = raise.handle;
	expect(__vsplit_ioctl(a.fd, DRM_IOCTL_VSPLIT_FENCE_DESTROY, &end), 0);
	expect(__finish(&a), -EIO);
	igt_assert_eq(state(&a), VSPLIT_STATE_LOST_FAULT);
	/* Another one waits when its context ends. */
	put_fence(&sibling, VSPLIT_OP_WAIT_FENCE, make_fence(&a), 3);
	ring(&sibling);
	expect(__wait_ms(&sibling, sibling.tail, 20), -ETIME);
	queue_unmap(&a);
	queue_unmap(&sibling);
}

/**
 * SUBTEST: starved-and-wanted
 * Description: A queue that waits behind one of higher priority, which never ends, counts as
 *   stopped: what it requires can be taken.
 */
static void test_starved(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	struct queue high = {}, c = {};

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	alloc(&a, 'A', 5 * MIB, 16 * MIB);
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	finish(&a);
	queue_open_as(&high, 4096, VSPLIT_CTX_PRIORITY_HIGH);
	fa.q = &high;
	feeder_start(&fa);
	igt_assert(vsplit_soon(done(&high) > 4096));
	/* It has work, and no turn. */
	put_add(&a, 16 * MIB, 1);
	ring(&a);
	c.fd = vsplit_adapter_open(ad);
	context_open(&c, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_HIGH);
	alloc(&c, 'C', 5 * MIB, 16 * MIB);
	submit_nop(&c, vsplit_cs(c.fd));
	feeder_stop(&fa);
	finish(&a);
	igt_assert_eq(state(&a), VSPLIT_STATE_ACTIVE);
	queue_unmap(&a);
	queue_unmap(&high);
}

/**
 * SUBTEST: packet-without-end
 * Description: A packet that does not end loses its queue, whether its memory is demanded or
 *   not, and nothing else; the other device gets the memory.
 */
static void test_without_end(void)
{
	struct drm_vsplit_ctx_query q;

	setup(8 * MIB, 300);
	queue_open(&a, 4096);
	alloc(&a, 'A', 5 * MIB, 16 * MIB);
	put_add(&a, 16 * MIB, 1);
	put_spin(&a, VSPLIT_SPIN_MAX_US);
	ring(&a);
	igt_assert(vsplit_soon(done(&a) == sizeof(struct vsplit_packet_store)));
	b.fd = vsplit_adapter_open(ad);
	context_open(&b, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
	alloc(&b, 'B', 5 * MIB, 16 * MIB);
	submit_nop(&b, vsplit_cs(b.fd));
	expect(__finish(&a), -EIO);
	query(&a, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_HANG);
	igt_assert_eq(q.device_state, VSPLIT_STATE_ACTIVE);
	igt_assert_eq(q.fault_offset, sizeof(struct vsplit_packet_store));
	igt_assert_eq(state(&b), VSPLIT_STATE_ACTIVE);
	queue_unmap(&a);
}

/**
 * SUBTEST: page-fault
 * Description: An access to what is not mapped loses the device of the queue, tells where and
 *   by which packet, and nothing behind it is executed. Another device does not notice.
 */
static void test_page_fault(void)
{
	struct drm_vsplit_ctx_query q;
	struct queue va = {};
	struct vsplit_bo *bo;
	struct vsplit_cs *cs;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	queue_open(&b, 4096);
	bo = alloc(&a, 'A', MIB, 16 * MIB);
	va.fd = a.fd;
	context_open(&va, VSPLIT_CTX_MODE_VA, VSPLIT_CTX_PRIORITY_NORMAL);
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
	/* It may ring for as long as it likes. */
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
 * Description: A page fault of one context ends the queues of the same device, running or
 *   idle, and those who wait for them.
 */
static void test_sibling_faults(void)
{
	struct feeder fa = { .q = &a, .us = 100 };
	struct queue idle = {}, bad = {};

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	idle.fd = a.fd;
	bad.fd = a.fd;
	context_open(&idle, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__queue_create(&idle, 4096), 0);
	context_open(&bad, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__queue_create(&bad, 4096), 0);
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

/* The context is lost as this, and says where. */
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
 * Description: A tail beyond the ring, before what is done, in the middle of a packet or of a
 *   word loses the context, and no byte outside of the ring is read. What the client stores
 *   where the engine tells of its progress changes nothing.
 */
static void test_bad_tails(void)
{
	static const uint64_t tails[] = {
		4096 + 8, ~0ull, 1ull << 63, 1, 4, 8 + 4, 72, 4095, 1ull << 32,
	};
	struct queue q;

	setup(8 * MIB, 0);
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
	/* What is done lies behind. */
	q.tail -= 8;
	ring(&q);
	check_bad(&q, 8000 % 4096);
}

/**
 * SUBTEST: garbage
 * Description: Random bytes in the ring: the queue is lost with a clear error, or goes on;
 *   another device does not notice.
 */
static void test_garbage(void)
{
	struct vsplit_rng rng = { .state = 42 };
	unsigned int lost = 0;

	setup(8 * MIB, 0);
	queue_open(&b, 4096);
	for (unsigned int i = 0; i < vsplit_rounds(100, 5000); i++) {
		struct queue q = {};
		int ret;

		queue_open(&q, 4096);
		alloc(&q, 'A', 64 * KIB, 0);
		for (unsigned int n = 0; n < 512; n++) {
			uint64_t word = vsplit_rng_next(&rng);

			/* Heads that are nearly right come further. */
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
 * Description: A client that changes its packets while they are executed gains nothing: the
 *   engine looks at a copy.
 */
static void test_changed(void)
{
	struct queue q;
	uint64_t head;

	setup(8 * MIB, 0);
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

/**
 * SUBTEST: lock-does-not-wait
 * Description: The CPU locks an allocation that a queue which never ends requires: the lock
 *   does not wait for the queue, and the queue goes on.
 */
static void test_lock(void)
{
	struct feeder fa = { .q = &a, .dst = 16 * MIB, .us = 100 };
	struct vsplit_bo *bo;

	setup(8 * MIB, 0);
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

/* A thread that waits for more than there will ever be. */
static void *wait_for_ever(void *data)
{
	struct queue *q = data;

	return (void *)(intptr_t)__wait_ms(q, 1ull << 40, 1ull << 30);
}

/**
 * SUBTEST: destroyed
 * Description: A context is destroyed while its queue runs, is idle, and is waited for: it
 *   stops, who waits is told, and its mapping can be used without effect.
 */
static void test_destroyed(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	pthread_t waiter;
	void *ret;

	setup(8 * MIB, 0);
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
 * SUBTEST: killed
 * Description: A process is killed while its queues run: nothing of it stays.
 */
static void test_killed(void)
{
	struct vsplit_counters before;
	pid_t pid;

	setup(8 * MIB, 0);
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
 * Description: The adapter goes while queues run, are idle and are waited for: waiting ends
 *   with -ENODEV, and the mapping can be used without effect.
 */
static void test_unplugged(void)
{
	struct feeder fa = { .q = &a, .us = 1000 };
	pthread_t waiter;
	void *ret;

	setup(8 * MIB, 0);
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

/**
 * SUBTEST: charged
 * Description: The pages of a queue are its user's memory, until nothing maps them any more.
 */
static void test_charged(void)
{
	uint64_t before, with;

	setup(8 * MIB, 0);
	a.fd = vsplit_adapter_open(ad);
	context_open(&a, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	before = vsplit_fdinfo(a.fd, "vsplit-user-allocations:");
	expect(__queue_create(&a, 1u << 20), 0);
	with = vsplit_fdinfo(a.fd, "vsplit-user-allocations:");
	igt_assert(with - before >= 1024 + 8);
	expect(__vsplit_ctx_destroy(a.fd, a.ctx), 0);
	igt_assert_eq_u64(vsplit_fdinfo(a.fd, "vsplit-user-allocations:"), with);
	queue_unmap(&a);
	igt_assert_eq_u64(vsplit_fdinfo(a.fd, "vsplit-user-allocations:"), before);
}

/**
 * SUBTEST: explicit-loses
 * Description: A list that names what is not required loses the device, and ends its queues.
 */
static void test_explicit_loses(void)
{
	struct feeder fa = { .q = &a, .us = 100 };
	struct queue x = {};
	struct vsplit_cs *cs;

	setup(8 * MIB, 0);
	queue_open(&a, 4096);
	x.fd = a.fd;
	context_open(&x, VSPLIT_CTX_MODE_EXPLICIT, VSPLIT_CTX_PRIORITY_NORMAL);
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
	{ "res-23-no-call", test_no_call, "Work needs no system call" },
	{ "res-22-no-lists", test_no_lists, "No submission, and one queue" },
	{ "history", test_history, "Times in the control page" },
	{ "ring-wraps", test_ring_wraps, "Packets go round a small ring" },
	{ "ext-54-stopped-first", test_stopped_first, "Queues stop before memory leaves" },
	{ "ext-54-idle", test_idle, "Idle queues gate nothing" },
	{ "offered-holds-nothing-up", test_offered, "What is offered may be away" },
	{ "res-5-arrives-first", test_arrives, "What is made resident comes first" },
	{ "res-5-asked-while-it-looks", test_looks, "What is asked for at the worst moment" },
	{ "wait-ends-when-shown", test_shown, "A wait does not end too early" },
	{ "evict-stops-first", test_evict, "What is not required leaves after a stop" },
	{ "doorbell-while-unmapped", test_doorbell_unmapped, "Rings at the worst moments" },
	{ "doorbell-race", test_doorbell_race, "Many rings, none lost" },
	{ "gives-way", test_gives_way, "A queue without end gives way" },
	{ "fence-waits", test_fence_waits, "A packet waits for a monitored fence" },
	{ "starved-and-wanted", test_starved, "A queue without a turn has stopped" },
	{ "packet-without-end", test_without_end, "A packet that does not end" },
	{ "page-fault", test_page_fault, "A page fault loses its device" },
	{ "sibling-faults", test_sibling_faults, "A fault ends all queues of a device" },
	{ "bad-tails", test_bad_tails, "Tails that cannot be" },
	{ "garbage", test_garbage, "Random bytes in the ring" },
	{ "changed-while-checked", test_changed, "Packets that change" },
	{ "lock-does-not-wait", test_lock, "Locks do not wait for a queue" },
	{ "destroyed", test_destroyed, "Contexts are destroyed" },
	{ "killed", test_killed, "Processes are killed" },
	{ "unplugged", test_unplugged, "The adapter goes" },
	{ "charged", test_charged, "Pages are charged" },
	{ "explicit-loses", test_explicit_loses, "Another context loses the device" },
};

int igt_main()
{
	igt_fixture()
		vsplit_require_configfs();

	vsplit_run_subtests(subtests);
}
