/* SPDX-License-Identifier: MIT */
/*
 * VSPLIT_OP_DRAW a second time, from the text of vsplit_isa.h: each pixel of the scissor is tested
 * against the triangle, with numbers of 128 bits.
 */
#ifndef _DRAW_REFERENCE_H_
#define _DRAW_REFERENCE_H_

#include <stdbool.h>
#include <stdint.h>

#include <drm/vsplit_isa.h>

enum draw_memory_part { DRAW_TARGET, DRAW_DEPTH, DRAW_TEXTURE, DRAW_VERTICES };

/*
 * Access the memory behind the operands. False: there is none, and drawing ends.
 * @word: the 32 bits at @offset from the operand.
 */
struct draw_memory {
	void *priv;
	bool (*get)(void *priv, enum draw_memory_part part, uint64_t offset, uint32_t *word);
	bool (*put)(void *priv, enum draw_memory_part part, uint64_t offset, uint32_t word);
};

/* Draw @p, which is well-formed. Returns false if memory was missing. */
bool draw_reference(const struct vsplit_packet_draw *p, const struct draw_memory *memory);

/* The same, with plain memory behind the operands. */
void draw_reference_plain(const struct vsplit_packet_draw *p, void *target, void *depth,
			  const void *texture, const void *vertices);

#endif /* _DRAW_REFERENCE_H_ */
