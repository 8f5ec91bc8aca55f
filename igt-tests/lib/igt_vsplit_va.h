/* SPDX-License-Identifier: MIT */
/* What the tests of GPU virtual addresses build on: a device whose context has them. */
#ifndef IGT_VSPLIT_VA_H
#define IGT_VSPLIT_VA_H

#include "igt.h"
#include "igt_vsplit_setup.h"

#include <stdint.h>

#define PAGE	4096ull
#define KIB	1024ull
#define MIB	(1ull << 20)
#define LARGE	(2 * MIB)	/* a large page */

/* An address for mappings, and an address where nothing is mapped. */
#define GOOD	(4 * PAGE)
#define BAD	(16 * LARGE)

/* A file with a context of virtual addresses, and a buffer for that context. */
struct device {
	int fd;
	uint32_t ctx;
	struct vsplit_cs *cs;
};

static inline void device_open(struct device *d, uint32_t engine)
{
	d->fd = vsplit_adapter_open(ad);
	d->ctx = vsplit_ctx_mode(d->fd, VSPLIT_CTX_MODE_VA, engine);
	d->cs = vsplit_cs(d->fd);
}

/* Makes an adapter with @vram bytes of memory, and @d on it. */
static inline void setup_device(struct device *d, uint64_t vram)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = vram } },
		.slots = 16, .engines = 2, .test = true,
		.contexts = "patch,va",
	};

	ad = vsplit_adapter_create(&opts);
	device_open(d, 0);
}

/* ---- binds -------------------------------------------------------------- */

static inline int __bind(struct device *d, const struct drm_vsplit_va_op *ops, uint32_t nr)
{
	return __vsplit_va_bind(d->fd, ops, nr, NULL, 0);
}

static inline struct drm_vsplit_va_op op_map(const struct vsplit_bo *bo, uint64_t at,
					     uint64_t offset,
					     uint64_t bytes, uint32_t flags)
{
	return (struct drm_vsplit_va_op) {
		.type = VSPLIT_VA_MAP, .flags = flags, .handle = bo->handle,
		.address = at, .bytes = bytes, .offset = offset,
	};
}

static inline struct drm_vsplit_va_op op_of(uint32_t type, uint64_t at, uint64_t bytes)
{
	return (struct drm_vsplit_va_op) { .type = type, .address = at, .bytes = bytes };
}

static inline int __bind_one(struct device *d, struct drm_vsplit_va_op op)
{
	return __bind(d, &op, 1);
}

static inline void map_part(struct device *d, const struct vsplit_bo *bo, uint64_t at,
			    uint64_t offset,
			    uint64_t bytes, uint32_t flags)
{
	expect(__bind_one(d, op_map(bo, at, offset, bytes, flags)), 0);
}

static inline void map(struct device *d, const struct vsplit_bo *bo, uint64_t at)
{
	map_part(d, bo, at, 0, bo->size, 0);
}

static inline void unmap(struct device *d, uint64_t at, uint64_t bytes)
{
	expect(__bind_one(d, op_of(VSPLIT_VA_UNMAP, at, bytes)), 0);
}

static inline void sparse(struct device *d, uint64_t at, uint64_t bytes)
{
	expect(__bind_one(d, op_of(VSPLIT_VA_SPARSE, at, bytes)), 0);
}

/* ---- packets ------------------------------------------------------------ */

static inline void fill_at(struct device *d, uint64_t dst, uint64_t length, uint8_t byte)
{
	vsplit_cs_state(d->cs, VSPLIT_STATE_FILL, byte * 0x01010101u);
	vsplit_cs_fill_va(d->cs, dst, length);
}

static inline void copy_at(struct device *d, uint64_t dst, uint64_t src, uint64_t length)
{
	vsplit_cs_copy_va(d->cs, dst, src, length);
}

static inline void submit(struct device *d)
{
	vsplit_cs_submit(d->cs, d->ctx, 0);
}

/* Submits what was built, waits, and empties the buffer. */
static inline int __run(struct device *d)
{
	int ret;

	submit(d);
	ret = __vsplit_cs_wait(d->cs);
	vsplit_cs_reset(d->cs);
	return ret;
}

static inline void run(struct device *d)
{
	expect(__run(d), 0);
}

/* ---- residency ---------------------------------------------------------- */

static inline int __require(struct device *d, const struct vsplit_bo *bo)
{
	return __vsplit_make_resident(d->fd, &bo->handle, 1, 0, NULL);
}

static inline void require(struct device *d, const struct vsplit_bo *bo)
{
	expect(__require(d, bo), 0);
}

/* Evicts the requirement of @bo, and then @bo itself from its segment. */
static inline void release(struct device *d, const struct vsplit_bo *bo)
{
	expect(__vsplit_evict(d->fd, &bo->handle, 1, 0), 0);
	vsplit_escape(d->fd, VSPLIT_ESCAPE_EVICT, bo->handle, 0);
}

static inline struct vsplit_bo *alloc(struct device *d, char name, uint64_t size)
{
	struct vsplit_bo *bo = vsplit_bo(d->fd, name, size);

	require(d, bo);
	return bo;
}

/* Asserts that all bytes of a part are @byte. */
static inline void check_bytes(const struct vsplit_bo *bo, uint64_t offset, uint64_t bytes,
			       uint8_t byte)
{
	for (uint64_t i = 0; i < bytes; i++)
		igt_assert_f(bo->map[offset + i] == byte, "%c[%llu] is 0x%02x, not 0x%02x\n",
			     bo->name, (unsigned long long)(offset + i), bo->map[offset + i], byte);
}

/* ---- faults ------------------------------------------------------------- */

/*
 * Asserts that the built buffer faults at @address, and that its device is lost and tells the
 * fault.
 */
static inline void check_fault(struct device *d, uint64_t address, uint32_t fault,
			       uint32_t access, uint32_t engine, uint32_t offset)
{
	struct drm_vsplit_ctx_query q = {};

	submit(d);
	expect(__vsplit_cs_wait(d->cs), -EFAULT);
	vsplit_ctx_query(d->fd, d->ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_PAGE_FAULT);
	igt_assert_eq(q.device_state, VSPLIT_STATE_LOST_PAGE_FAULT);
	igt_assert_eq(q.fault, fault);
	igt_assert_eq_u64(q.fault_address, address);
	igt_assert_eq(q.fault_access, access);
	igt_assert_eq(q.fault_engine, engine);
	igt_assert_eq(q.fault_offset, offset);
	igt_assert_eq_u64(q.submission, d->cs->submission);
	vsplit_cs_refused(d->cs, d->ctx, 0, -EIO);
}

/* Asserts that nothing is mapped at @address: a write of the next program is a page fault. */
static inline void check_not_mapped(struct device *d, uint64_t address)
{
	vsplit_cs_word_va(d->cs, VSPLIT_OP_STORE, address, 7);
	check_fault(d, address, VSPLIT_FAULT_NOT_MAPPED, VSPLIT_ACCESS_WRITE, 0, 0);
}

#endif /* IGT_VSPLIT_VA_H */
