/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Validation of one submission: the command stream and the patch-location list
 * against each other, before anything is locked or changed. Pure C: the same
 * file is compiled into the module and into a user process, where it is fuzzed.
 */
#ifndef _VSPLIT_PARSE_H_
#define _VSPLIT_PARSE_H_

#include <linux/types.h>
#ifdef __KERNEL__
#include "debug/vsplit_fault.h"
#else
#include <stdbool.h>
#include <stddef.h>
#endif
#include "drm/vsplit_drm.h"
#include "../split/vsplit_split.h"

/* A long loop lets others run after this many packets, or elements of a list. */
#define VSPLIT_AT_ONCE	4096

#ifdef __KERNEL__
/* Let others run. Return: 0; -EINTR: the process is being killed, so its submission may end. */
static inline int vsplit_exec_relax(void)
{
	return vsplit_split_relax() || vsplit_interrupted("exec.relax") ? -EINTR : 0;
}
#else
/* The program that validates decides when it is "killed". */
int vsplit_exec_relax(void);
#endif

/**
 * struct vsplit_parse_alloc - Element of the allocation list.
 * @size: bytes; 0 is the NULL element.
 * @rank: filled, must be 0 before: position among the allocations that the patch-location list
 *	names, in the order of their first elements, from 1 on; 0: the list does not name the
 *	allocation, or this is the NULL element.
 */
struct vsplit_parse_alloc {
	u64 size;
	u32 rank;
};

/**
 * struct vsplit_parse_input - What is validated.
 * @stream: kernel copy of the command stream.
 * @stream_bytes: size of the stream; multiple of 8, > 0.
 * @patches: kernel copy of the patch-location list.
 * @nr_patches: length of @patches.
 * @allocs: the allocation list.
 * @nr_allocs: length of @allocs.
 * @nr_slots: rows of the resource table.
 * @has_fence: does a monitored fence of this handle exist?
 * @priv: first argument of @has_fence.
 */
struct vsplit_parse_input {
	const void *stream;
	u32 stream_bytes;
	const struct drm_vsplit_patch *patches;
	u32 nr_patches;
	struct vsplit_parse_alloc *allocs;
	u32 nr_allocs;
	u32 nr_slots;
	bool (*has_fence)(void *priv, u32 handle);
	void *priv;
};

/* Why a submission was refused. */
struct vsplit_parse_error {
	const char *reason; /* static text, or NULL */
	u32 offset; /* in the stream, or ~0 */
	u32 patch; /* index of the patch-location element, or ~0 */
};

/* Size of the scratch memory of vsplit_parse_check(). */
size_t vsplit_parse_map_bytes(u32 stream_bytes);

/*
 * Validate a submission. @scratch: vsplit_parse_map_bytes() bytes; any content. @err: filled on
 * failure. A submission is accepted if all of this holds:
 *
 * - Packets tile the stream. Each has a known opcode, the size of this opcode, reserved fields of
 *   zero and known flags. Slots are below @in->nr_slots.
 * - Packets that wait for a monitored fence come before all others. Monitored fences exist.
 * - Every address operand is zero, and exactly one element with the same slot covers it.
 * - Every element covers one address operand, with one exception: an element with SplitOffset ==
 *   stream_bytes has PatchOffset == stream_bytes.
 * - AllocationIndex is inside the allocation list. The NULL allocation covers only BIND operands.
 * - SplitOffset is on a packet boundary, does not decrease, and is <= PatchOffset. It is
 *   stream_bytes only for the NULL allocation.
 * - AllocationOffset is inside the allocation, and 0 for the NULL allocation.
 *
 * Return: 0; -EINVAL; -ENOENT: a fence does not exist; -EINTR: @err is not filled.
 */
int vsplit_parse_check(const struct vsplit_parse_input *in, void *scratch,
		       struct vsplit_parse_error *err);

#endif /* _VSPLIT_PARSE_H_ */
