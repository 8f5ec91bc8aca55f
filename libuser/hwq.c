// SPDX-License-Identifier: MIT
/* Hardware queues: packets go into a mapped ring, and a store rings the doorbell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

/*
 * @lock: protects @tail and the free part of the ring.
 * @pages: the mapping, of size @bytes.
 * @tail: number of bytes that were put into the ring since the beginning.
 */
struct vsplit_hwq {
	struct vsplit_context *ctx;
	pthread_mutex_t lock;
	uint8_t *pages;
	size_t bytes;
	uint32_t ring_bytes;
	uint64_t tail;
};

static uint8_t *hwq_page(const struct vsplit_hwq *hwq, uint32_t page)
{
	return hwq->pages + (size_t)page * hwq->ctx->dev->info.page_size;
}

static struct drm_vsplit_hwq_control *hwq_control(const struct vsplit_hwq *hwq)
{
	return (void *)hwq_page(hwq, VSPLIT_HWQ_CONTROL);
}

int vsplit_hwq_create(struct vsplit_context *ctx, uint32_t ring_bytes, struct vsplit_hwq **out)
{
	struct drm_vsplit_hwq_create args = { .ring_bytes = ring_bytes };
	struct vsplit_hwq *hwq;
	int ret;

	if (!ctx || !out)
		return -EINVAL;
	hwq = calloc(1, sizeof(*hwq));
	if (!hwq)
		return -ENOMEM;
	args.ctx = ctx->id;
	ret = vsplit__ioctl(ctx->dev, DRM_IOCTL_VSPLIT_HWQ_CREATE, &args);
	if (!ret) {
		hwq->bytes = args.bytes;
		hwq->pages = mmap(NULL, hwq->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				  vsplit_device_fd(ctx->dev), (off_t)args.offset);
		if (hwq->pages == MAP_FAILED)
			ret = -errno;
	}
	if (ret) {
		free(hwq);
		return ret;
	}
	hwq->ring_bytes = ring_bytes;
	hwq->ctx = vsplit_context_ref(ctx);
	pthread_mutex_init(&hwq->lock, NULL);
	*out = hwq;
	return 0;
}

void vsplit_hwq_destroy(struct vsplit_hwq *hwq)
{
	if (!hwq)
		return;
	munmap(hwq->pages, hwq->bytes);
	vsplit_context_destroy(hwq->ctx);
	pthread_mutex_destroy(&hwq->lock);
	free(hwq);
}

/* A wrong progress value can harm this process alone: the kernel shows the progress to it alone. */
static uint32_t hwq_room(const struct vsplit_hwq *hwq)
{
	uint64_t used = hwq->tail - vsplit_hwq_progress(hwq);

	return used > hwq->ring_bytes ? 0 : hwq->ring_bytes - (uint32_t)used;
}

static void hwq_put(struct vsplit_hwq *hwq, const uint8_t *packets, uint32_t bytes)
{
	uint8_t *ring = hwq_page(hwq, VSPLIT_HWQ_RING);
	uint32_t at = (uint32_t)(hwq->tail & (hwq->ring_bytes - 1));
	uint32_t part = hwq->ring_bytes - at < bytes ? hwq->ring_bytes - at : bytes;

	memcpy(ring + at, packets, part);
	memcpy(ring, packets + part, bytes - part);
	hwq->tail += bytes;
}

static void hwq_ring(struct vsplit_hwq *hwq)
{
	__atomic_store_n(&hwq_control(hwq)->tail, hwq->tail, __ATOMIC_RELEASE);
	/* The doorbell must not become visible before the tail. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((uint32_t *)hwq_page(hwq, VSPLIT_HWQ_DOORBELL), 1, __ATOMIC_RELEASE);
}

int vsplit_hwq_submit(struct vsplit_hwq *hwq, const void *packets, uint32_t bytes,
		      uint64_t *progress)
{
	int ret = 0;

	if (!hwq || (!packets && bytes) || bytes % 8)
		return -EINVAL;
	if (bytes > hwq->ring_bytes)
		return -E2BIG;
	pthread_mutex_lock(&hwq->lock);
	if (bytes > hwq_room(hwq)) {
		ret = -EBUSY;
	} else {
		hwq_put(hwq, packets, bytes);
		hwq_ring(hwq);
		if (progress)
			*progress = hwq->tail;
	}
	pthread_mutex_unlock(&hwq->lock);
	return ret;
}

uint64_t vsplit_hwq_progress(const struct vsplit_hwq *hwq)
{
	return __atomic_load_n(&hwq_control(hwq)->done, __ATOMIC_ACQUIRE);
}

uint64_t vsplit_hwq_history(const struct vsplit_hwq *hwq, uint32_t index)
{
	if (index >= VSPLIT_HWQ_HISTORY)
		return 0;
	return __atomic_load_n(&hwq_control(hwq)->history[index], __ATOMIC_RELAXED);
}

int vsplit_hwq_wait(struct vsplit_hwq *hwq, uint64_t progress, int64_t timeout_ms)
{
	struct drm_vsplit_hwq_wait args = { .done = progress };

	if (!hwq)
		return -EINVAL;
	args.ctx = hwq->ctx->id;
	args.timeout_ns = vsplit__deadline(timeout_ms);
	return vsplit__ioctl(hwq->ctx->dev, DRM_IOCTL_VSPLIT_HWQ_WAIT, &args);
}
