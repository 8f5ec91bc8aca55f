/* SPDX-License-Identifier: MIT */
/*
 * A DMA buffer while it is built: packets, allocation list, patch-location list. A struct
 * vsplit_stream has one, and checks what it puts there. Tests of the driver use this
 * interface alone, because they also need wrong buffers. So nothing is checked here, and no
 * packet is added that was not asked for.
 *
 * The first error is kept: later calls that put something change nothing and return the error,
 * or NULL. -ENOMEM; -E2BIG: more than 4 GiB - 1 of stream, or as many elements of a list.
 */
#ifndef _LIBDRM_VSPLIT_PACKETS_H_
#define _LIBDRM_VSPLIT_PACKETS_H_

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

#include "vsplit_drm.h"
#include "vsplit_isa.h"

/**
 * struct vsplit_packets - A DMA buffer; empty if it is all zeros.
 * @stream: the packets, @bytes bytes. Callers may change them, and the lists. The pointers are
 *	valid until the next call that puts something.
 * @allocs: the allocation list, @nr_allocs elements.
 * @patches: the patch-location list, @nr_patches elements.
 * @stream_room: size of the memory of @stream; @alloc_room and @patch_room: of the lists, elements.
 * @error: the first error, or 0.
 */
struct vsplit_packets {
	uint8_t *stream;
	struct drm_vsplit_alloc *allocs;
	struct drm_vsplit_patch *patches;
	uint32_t bytes, stream_room;
	uint32_t nr_allocs, alloc_room;
	uint32_t nr_patches, patch_room;
	int error;
};

/* Operands: an offset into the range of a slot's row, or a virtual address. */
static inline struct vsplit_operand vsplit__slot(uint32_t slot, uint64_t offset)
{
	return (struct vsplit_operand){ .slot = htole32(slot), .value = htole64(offset) };
}

static inline struct vsplit_operand vsplit__virtual(uint64_t address)
{
	return (struct vsplit_operand){
		.flags = htole32(VSPLIT_OPERAND_VIRTUAL),
		.value = htole64(address),
	};
}

/* Both make it empty; reset keeps its memory. */
void vsplit__packets_reset(struct vsplit_packets *p);
void vsplit__packets_free(struct vsplit_packets *p);
/* Notes an error that the caller has found; returns the first error. */
static inline int vsplit__packets_fail(struct vsplit_packets *p, int error)
{
	if (!p->error)
		p->error = error;
	return p->error;
}

/* Appends @size bytes as they are, or zeros if @bytes is NULL. */
int vsplit__put_bytes(struct vsplit_packets *p, const void *bytes, size_t size);
/* Appends a head, and zeros up to @size bytes. Returns the packet, or NULL. */
void *vsplit__put(struct vsplit_packets *p, uint8_t op, size_t size, uint32_t arg);
/* Append an element to its list. */
int vsplit__put_alloc(struct vsplit_packets *p, uint32_t handle, uint32_t flags);
int vsplit__put_patch(struct vsplit_packets *p, const struct drm_vsplit_patch *patch);

/* Appends NOPs up to an offset. -EINVAL: the stream is longer, or it is no multiple of 8. */
int vsplit__put_pad(struct vsplit_packets *p, uint32_t to);
/* Appends BIND and its patch element: @alloc is an index in the list, @split the SplitOffset. */
int vsplit__put_bind(struct vsplit_packets *p, uint32_t slot, uint32_t alloc, uint32_t offset,
		     uint32_t split);
int vsplit__put_state(struct vsplit_packets *p, uint32_t reg, uint64_t value);
int vsplit__put_fill(struct vsplit_packets *p, struct vsplit_operand dst, uint64_t length);
int vsplit__put_copy(struct vsplit_packets *p, struct vsplit_operand dst,
		     struct vsplit_operand src, uint64_t length);
int vsplit__put_copy_2d(struct vsplit_packets *p, struct vsplit_operand dst,
			struct vsplit_operand src, uint32_t width, uint32_t height, uint8_t flags);
int vsplit__put_mma(struct vsplit_packets *p, struct vsplit_operand c, struct vsplit_operand a,
		    struct vsplit_operand b, uint32_t m, uint32_t n, uint32_t k, uint8_t flags);
/* Appends STORE, ATOMIC_ADD or, without @value, TIMESTAMP. */
int vsplit__put_word(struct vsplit_packets *p, uint8_t op, struct vsplit_operand dst,
		     uint64_t value);
/* Appends SIGNAL_FENCE or WAIT_FENCE. */
int vsplit__put_fence(struct vsplit_packets *p, uint8_t op, uint32_t handle, uint64_t value);
/* Appends SPIN or HISTORY. */
static inline int vsplit__put_head(struct vsplit_packets *p, uint8_t op, uint32_t arg)
{
	vsplit__put(p, op, sizeof(struct vsplit_packet), arg);
	return p->error;
}

#endif /* _LIBDRM_VSPLIT_PACKETS_H_ */
