// SPDX-License-Identifier: MIT
/*
 * What the tests of hardware queues share: see the header.
 */
#include "igt.h"
#include "igt_vsplit_hwq.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE	4096ull

struct queue a, b;

void context_open(struct queue *q, int file, uint32_t mode, uint32_t priority)
{
	struct drm_vsplit_ctx_create args = { .mode = mode, .priority = priority };

	q->fd = file;
	expect(__vsplit_ctx_create(q->fd, &args), 0);
	q->ctx = args.ctx;
}

int __queue_create(struct queue *q, uint32_t ring_bytes)
{
	struct drm_vsplit_hwq_create args = { .ctx = q->ctx, .ring_bytes = ring_bytes };
	int ret;

	do
		ret = __vsplit_ioctl(q->fd, DRM_IOCTL_VSPLIT_HWQ_CREATE, &args);
	while (vsplit_injected(ret));
	if (ret)
		return ret;
	q->ring_bytes = ring_bytes;
	q->offset = args.offset;
	q->bytes = args.bytes;
	q->tail = 0;
	queue_map(q);
	return 0;
}

void queue_map(struct queue *q)
{
	q->pages = mmap(NULL, q->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, q->fd, q->offset);
	igt_assert(q->pages != MAP_FAILED);
	q->doorbell = (void *)(q->pages + VSPLIT_HWQ_DOORBELL * PAGE);
	q->control = (void *)(q->pages + VSPLIT_HWQ_CONTROL * PAGE);
	q->ring = q->pages + VSPLIT_HWQ_RING * PAGE;
}

void queue_open_as(struct queue *q, uint32_t ring_bytes, uint32_t priority)
{
	context_open(q, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_HW, priority);
	expect(__queue_create(q, ring_bytes), 0);
}

void queue_beside(struct queue *q, int file, uint32_t ring_bytes)
{
	context_open(q, file, VSPLIT_CTX_MODE_HW, VSPLIT_CTX_PRIORITY_NORMAL);
	expect(__queue_create(q, ring_bytes), 0);
}

void queue_open(struct queue *q, uint32_t ring_bytes)
{
	queue_open_as(q, ring_bytes, VSPLIT_CTX_PRIORITY_NORMAL);
}

void queue_unmap(struct queue *q)
{
	if (q->pages)
		munmap(q->pages, q->bytes);
	q->pages = NULL;
}

uint64_t done(struct queue *q)
{
	return __atomic_load_n(&q->control->done, __ATOMIC_ACQUIRE);
}

void ring(struct queue *q)
{
	__atomic_store_n(&q->control->tail, q->tail, __ATOMIC_SEQ_CST);
	atomic_store(q->doorbell, 1);
}

void put_bytes(struct queue *q, const void *bytes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		q->ring[(q->tail + i) % q->ring_bytes] = ((const uint8_t *)bytes)[i];
	q->tail += nr;
}

int __wait_ms(struct queue *q, uint64_t until, uint64_t ms)
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

int __finish(struct queue *q)
{
	return __wait_ms(q, q->tail, VSPLIT_SOON_MS);
}

void finish(struct queue *q)
{
	expect(__finish(q), 0);
	igt_assert_eq_u64(done(q), q->tail);
}

void put(struct queue *q, const void *packet, uint32_t size)
{
	if (q->tail + size - done(q) > q->ring_bytes) {
		ring(q);
		expect(__wait_ms(q, q->tail + size - q->ring_bytes, VSPLIT_SOON_MS), 0);
	}
	put_bytes(q, packet, size);
}

void put_nop(struct queue *q, uint32_t size)
{
	const struct vsplit_packet head = { .op = VSPLIT_OP_NOP, .size = size };
	uint8_t packet[size];

	memset(packet, 0xee, size);
	memcpy(packet, &head, sizeof(head));
	put(q, packet, size);
}

void put_state(struct queue *q, uint32_t reg, uint32_t value)
{
	put_packet(q, state, reg, value);
}

void put_fill(struct queue *q, uint64_t dst, uint64_t length)
{
	put_packet(q, fill, vsplit__virtual(dst), length);
}

void put_set(struct queue *q, uint64_t dst, uint64_t length, uint8_t byte)
{
	put_state(q, VSPLIT_STATE_FILL, byte * 0x01010101u);
	put_fill(q, dst, length);
}

void put_add(struct queue *q, uint64_t dst, uint64_t value)
{
	put_packet(q, word, VSPLIT_OP_ATOMIC_ADD, vsplit__virtual(dst), value);
}

void put_spin(struct queue *q, uint32_t us)
{
	put_packet(q, head, VSPLIT_OP_SPIN, us);
}

void put_history(struct queue *q, uint8_t flags, uint32_t index)
{
	const struct vsplit_packet packet = {
		.op = VSPLIT_OP_HISTORY, .flags = flags, .size = sizeof(packet), .arg = index,
	};

	put(q, &packet, sizeof(packet));
}

void map(struct queue *q, const struct vsplit_bo *bo, uint64_t address)
{
	vsplit_va_map(q->fd, bo, address);
}

int __require(struct queue *q, const struct vsplit_bo *bo)
{
	return __vsplit_make_resident(q->fd, &bo->handle, 1, VSPLIT_RESIDENT_CANT_TRIM_FURTHER, NULL);
}

struct vsplit_bo *alloc(struct queue *q, char name, uint64_t size, uint64_t address)
{
	struct vsplit_bo *bo = vsplit_bo(q->fd, name, size);

	expect(__require(q, bo), 0);
	map(q, bo, address);
	return bo;
}

void submit_nop(struct queue *q, struct vsplit_cs *cs)
{
	vsplit_cs_reset(cs);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_submit_and_wait(cs, q->ctx, 0);
}

void take_most(struct queue *q, uint32_t priority)
{
	context_open(q, vsplit_adapter_open(ad), VSPLIT_CTX_MODE_VA, priority);
	alloc(q, 'C', 5 * MIB, 16 * MIB);
	submit_nop(q, vsplit_cs(q->fd));
}

void setup_queues_on(uint64_t vram, unsigned int timeout_ms, bool model_clock)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = vram } },
		.slots = 16, .engines = 1, .test = true, .timeout_ms = timeout_ms,
		.contexts = "patch,explicit,va,hw", .model_clock = model_clock,
	};

	ad = vsplit_adapter_create(&opts);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
}

void setup_queues(uint64_t vram, unsigned int timeout_ms)
{
	setup_queues_on(vram, timeout_ms, false);
}

void query(struct queue *q, struct drm_vsplit_ctx_query *args)
{
	memset(args, 0, sizeof(*args));
	vsplit_ctx_query(q->fd, q->ctx, args);
}

uint32_t state(struct queue *q)
{
	struct drm_vsplit_ctx_query args;

	query(q, &args);
	return args.state;
}

void *feed(void *data)
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

void feeder_start(struct feeder *f)
{
	atomic_store(&f->stop, false);
	igt_assert_eq(pthread_create(&f->thread, NULL, feed, f), 0);
}

void feeder_stop(struct feeder *f)
{
	atomic_store(&f->stop, true);
	pthread_join(f->thread, NULL);
}
