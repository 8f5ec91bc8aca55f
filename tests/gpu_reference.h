/* SPDX-License-Identifier: MIT */
/*
 * The instruction set a second time, from what its header says: byte by byte, and slow. It shares
 * only vsplit_isa_check() with the driver, which has tests of its own.
 */
#ifndef _GPU_REFERENCE_H_
#define _GPU_REFERENCE_H_

#include "gpu_world.h"

/**
 * struct ref_result - How the reference ended.
 * @fault: enum drm_vsplit_fault.
 * @offset: of the packet.
 * @slot: of the operand.
 * @vague: bytes of [@from, @to) are not determined: overlapping operands, or a
 *	command that met an unmapped page on its way.
 * @from: first address of them.
 * @to: one past the last.
 */
struct ref_result {
	u32 fault;
	u32 offset;
	u32 slot;
	bool vague;
	u64 from;
	u64 to;
};

/* Execute the stream of @w on @w. */
struct ref_result reference_run(struct world *w, bool lenient);

/* Do both worlds hold the same bytes, except those that @result leaves undetermined? */
bool reference_equal(struct world *a, struct world *b, const struct ref_result *result);

#endif /* _GPU_REFERENCE_H_ */
