/* SPDX-License-Identifier: MIT */
/*
 * vsplit: the instruction set of the software GPU.
 *
 * A DMA buffer is a sequence of packets. A packet starts with a
 * struct vsplit_packet, its size is a multiple of 8 bytes, and packets follow
 * each other without a gap from offset 0 to the end of the buffer. All fields
 * are little endian. Everything that is called reserved must be 0.
 *
 * Memory is named by an operand: a slot of the resource table and an offset
 * into the row's range, or a slot and a 64-bit address. An address is never
 * written by the client: it is 0 in the client's stream and covered by exactly
 * one entry of the patch-location list with the same slot, through which the
 * driver writes it (EXT-1, EXT-5). Every access is checked, address and
 * length, against the row that the slot holds at that point of the stream.
 *
 * In a context of VSPLIT_CTX_MODE_VA or _HW there are no slots: each operand is a GPU
 * virtual address (VSPLIT_OPERAND_VIRTUAL), which the client writes. It is
 * translated page by page while the packet is executed. The first access to what
 * is not mapped, not resident, or mapped for reading only and written, is a page
 * fault; what the packet did before it stays done. A range that leaves the address space
 * is a page fault at its end, before anything is done. VSPLIT_OP_BIND is refused there,
 * all other packets take addresses. Each mapping of an allocation shows the same
 * bytes; a copy between two overlapping ranges by different mappings is undefined.
 *
 * Execution state other than the rows of the resource table (the registers
 * that VSPLIT_OP_STATE sets) is lost at a taken split (SPLIT-9).
 */
#ifndef _VSPLIT_ISA_H_
#define _VSPLIT_ISA_H_

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** enum vsplit_opcode - What a packet does. */
enum vsplit_opcode {
	/** @VSPLIT_OP_NOP: nothing; any size from 8 bytes on, what follows the head is ignored. */
	VSPLIT_OP_NOP = 0,
	/** @VSPLIT_OP_STATE: set one state register, struct vsplit_packet_state. */
	VSPLIT_OP_STATE = 1,
	/** @VSPLIT_OP_BIND: program a row of the resource table, struct vsplit_packet_bind. */
	VSPLIT_OP_BIND = 2,
	/** @VSPLIT_OP_FILL: repeat a byte pattern, struct vsplit_packet_fill. */
	VSPLIT_OP_FILL = 3,
	/** @VSPLIT_OP_COPY: copy bytes (ranges may overlap), struct vsplit_packet_copy. */
	VSPLIT_OP_COPY = 4,
	/** @VSPLIT_OP_COPY_2D: copy a rectangle, struct vsplit_packet_copy_2d. */
	VSPLIT_OP_COPY_2D = 5,
	/** @VSPLIT_OP_MMA: integer matrix multiply-accumulate, struct vsplit_packet_mma. */
	VSPLIT_OP_MMA = 6,
	/** @VSPLIT_OP_ATOMIC_ADD: 64-bit add, struct vsplit_packet_store. */
	VSPLIT_OP_ATOMIC_ADD = 7,
	/** @VSPLIT_OP_STORE: 64-bit store, struct vsplit_packet_store. */
	VSPLIT_OP_STORE = 8,
	/** @VSPLIT_OP_TIMESTAMP: store the engine's clock, ns, struct vsplit_packet_timestamp. */
	VSPLIT_OP_TIMESTAMP = 9,
	/** @VSPLIT_OP_SPIN: keep the engine busy, struct vsplit_packet_spin. */
	VSPLIT_OP_SPIN = 10,
	/** @VSPLIT_OP_SIGNAL_FENCE: raise a monitored fence, struct vsplit_packet_fence. */
	VSPLIT_OP_SIGNAL_FENCE = 11,
	/** @VSPLIT_OP_WAIT_FENCE: wait for a monitored fence, struct vsplit_packet_fence. */
	VSPLIT_OP_WAIT_FENCE = 12,
	/** @VSPLIT_OP_DRAW: draw triangles, struct vsplit_packet_draw. */
	VSPLIT_OP_DRAW = 13,
	/** @VSPLIT_OP_COUNT: number of opcodes, not itself one. */
	VSPLIT_OP_COUNT
};

/**
 * VSPLIT_OP_HISTORY - Only in the ring of a hardware queue: a head alone, whose arg is the element
 * of drm_vsplit_hwq_control.history that gets the engine's clock. It takes the time of a command,
 * and touches no memory, so it needs none to be resident.
 */
#define VSPLIT_OP_HISTORY	0x40

/**
 * enum vsplit_state_reg - State registers, 32 bits each.
 *
 * Undefined at the start of a DMA buffer and after a taken split. In strict
 * mode, the default, a command that reads an undefined register faults.
 */
enum vsplit_state_reg {
	/** @VSPLIT_STATE_FILL: the 32-bit pattern of VSPLIT_OP_FILL. */
	VSPLIT_STATE_FILL = 0,
	/** @VSPLIT_STATE_SRC_PITCH: bytes from row to row of COPY_2D's source. */
	VSPLIT_STATE_SRC_PITCH = 1,
	/** @VSPLIT_STATE_DST_PITCH: bytes from row to row of COPY_2D's destination. */
	VSPLIT_STATE_DST_PITCH = 2,
	/** @VSPLIT_STATE_LDA: bytes from row to row of MMA's A. */
	VSPLIT_STATE_LDA = 3,
	/** @VSPLIT_STATE_LDB: bytes from row to row of MMA's B. */
	VSPLIT_STATE_LDB = 4,
	/** @VSPLIT_STATE_LDC: bytes from row to row of MMA's C, a multiple of 4. */
	VSPLIT_STATE_LDC = 5,
	/** @VSPLIT_STATE_COUNT: number of registers, not itself one. */
	VSPLIT_STATE_COUNT
};

/** VSPLIT_OPERAND_ADDRESS - The operand's value is a patched 64-bit address. */
#define VSPLIT_OPERAND_ADDRESS	(1u << 0)
/** VSPLIT_OPERAND_VIRTUAL - The operand's value is a virtual address; its slot is 0. */
#define VSPLIT_OPERAND_VIRTUAL	(1u << 1)
/** VSPLIT_OPERAND_FLAGS - All valid flags of an operand, of which it has one at most. */
#define VSPLIT_OPERAND_FLAGS	(VSPLIT_OPERAND_ADDRESS | VSPLIT_OPERAND_VIRTUAL)

/** VSPLIT_BIND_WRITE - Written by the driver: the row may be written through. */
#define VSPLIT_BIND_WRITE	(1u << 0)

/** VSPLIT_COPY_2D_SRC_TILED - COPY_2D reads its source in the tiled layout. */
#define VSPLIT_COPY_2D_SRC_TILED	(1u << 0)
/** VSPLIT_COPY_2D_DST_TILED - COPY_2D writes its destination in the tiled layout. */
#define VSPLIT_COPY_2D_DST_TILED	(1u << 1)

/** VSPLIT_MMA_ACCUMULATE - MMA adds to C instead of overwriting it. */
#define VSPLIT_MMA_ACCUMULATE	(1u << 0)

/** VSPLIT_DRAW_DEPTH_TEST - DRAW changes only pixels whose depth is less than the stored one. */
#define VSPLIT_DRAW_DEPTH_TEST	(1u << 0)
/** VSPLIT_DRAW_DEPTH_WRITE - DRAW stores the depth of the pixels that it changes. */
#define VSPLIT_DRAW_DEPTH_WRITE	(1u << 1)
/** VSPLIT_DRAW_TEXTURE - DRAW multiplies the color with a texture's. */
#define VSPLIT_DRAW_TEXTURE	(1u << 2)
/** VSPLIT_DRAW_BILINEAR - of four texels, instead of the one that the sample is in. */
#define VSPLIT_DRAW_BILINEAR	(1u << 3)
/** VSPLIT_DRAW_CLAMP - Beyond the texture are the texels of its edge, instead of its repetition. */
#define VSPLIT_DRAW_CLAMP	(1u << 4)
/** VSPLIT_DRAW_TARGET_TILED - The target has the tiled layout. */
#define VSPLIT_DRAW_TARGET_TILED	(1u << 5)
/** VSPLIT_DRAW_DEPTH_TILED - The depths have the tiled layout. */
#define VSPLIT_DRAW_DEPTH_TILED	(1u << 6)
/** VSPLIT_DRAW_TEXTURE_TILED - The texture has the tiled layout. */
#define VSPLIT_DRAW_TEXTURE_TILED	(1u << 7)

/** enum vsplit_blend - What DRAW makes of its color and the target's. */
enum vsplit_blend {
	/** @VSPLIT_BLEND_NONE: replaces it. */
	VSPLIT_BLEND_NONE = 0,
	/** @VSPLIT_BLEND_OVER: lies over it, alpha being how much it hides. */
	VSPLIT_BLEND_OVER = 1,
	/** @VSPLIT_BLEND_ADD: is added to it, as much as alpha says. */
	VSPLIT_BLEND_ADD = 2,
	/** @VSPLIT_BLEND_COUNT: number of ways, not itself one. */
	VSPLIT_BLEND_COUNT
};

/*
 * The tiled layout: tiles of 64 bytes by 64 rows (4 KiB), row-major inside the
 * tile, tiles row-major across the surface; the pitch is a multiple of 64.
 */
#define VSPLIT_TILE_WIDTH	64u
#define VSPLIT_TILE_HEIGHT	64u
#define VSPLIT_TILE_BYTES	4096u

/* Hard limits of single packets. */
#define VSPLIT_PACKET_MAX_BYTES	65528u	/* a NOP; other packets have one size */
#define VSPLIT_SPIN_MAX_US	60000000u
#define VSPLIT_MMA_MAX_DIM	65536u
#define VSPLIT_DRAW_MAX_TRIANGLES	4096u
#define VSPLIT_DRAW_MAX_SIDE	4096u	/* of targets and textures */
#define VSPLIT_DRAW_MAX_XY	(1 << 17)	/* magnitude of a vertex's x and y: 8192 pixels */
#define VSPLIT_DRAW_MAX_Z	0xffffffu
#define VSPLIT_DRAW_MAX_Q	(1u << 20)

/**
 * struct vsplit_packet - Head of every packet.
 * @op: enum vsplit_opcode.
 * @flags: of the opcode; reserved where it has none.
 * @size: of the whole packet, bytes, multiple of 8.
 * @arg: of the opcode; reserved where it has none.
 */
struct vsplit_packet {
	__u8 op;
	__u8 flags;
	__u16 size;
	__u32 arg;
};

/**
 * struct vsplit_operand - One memory reference.
 * @slot: row of the resource table; 0 with VSPLIT_OPERAND_VIRTUAL.
 * @flags: VSPLIT_OPERAND_ADDRESS, VSPLIT_OPERAND_VIRTUAL or 0.
 * @value: byte offset into the row's range, or the patched address (0 in the
 *	client's stream), or the virtual address.
 */
struct vsplit_operand {
	__u32 slot;
	__u32 flags;
	__u64 value;
};

/**
 * struct vsplit_packet_state - VSPLIT_OP_STATE.
 * @head: arg is the enum vsplit_state_reg.
 * @value: for the register; the upper 32 bits are reserved.
 */
struct vsplit_packet_state {
	struct vsplit_packet head;
	__u64 value;
};

/**
 * struct vsplit_packet_bind - VSPLIT_OP_BIND.
 * @head: arg is the slot; flags are 0 in the client's stream.
 * @address: operand that one patch entry with the same slot covers; an entry
 *	without allocation (SPLIT-31) makes the row empty.
 * @size: 0 in the client's stream; the driver writes the bytes from @address
 *	to the end of the allocation.
 */
struct vsplit_packet_bind {
	struct vsplit_packet head;
	__u64 address;
	__u64 size;
};

/**
 * struct vsplit_packet_fill - VSPLIT_OP_FILL with register FILL.
 * @head: arg reserved.
 * @dst: where.
 * @length: bytes, any; the pattern starts with its lowest byte at @dst.
 */
struct vsplit_packet_fill {
	struct vsplit_packet head;
	struct vsplit_operand dst;
	__u64 length;
};

/**
 * struct vsplit_packet_copy - VSPLIT_OP_COPY.
 * @head: arg reserved.
 * @dst: where to.
 * @src: where from.
 * @length: bytes.
 */
struct vsplit_packet_copy {
	struct vsplit_packet head;
	struct vsplit_operand dst;
	struct vsplit_operand src;
	__u64 length;
};

/**
 * struct vsplit_packet_copy_2d - VSPLIT_OP_COPY_2D with SRC_PITCH, DST_PITCH.
 * @head: flags VSPLIT_COPY_2D_*; arg reserved.
 * @dst: upper left of the destination (of the surface, where it is tiled).
 * @src: upper left of the source (of the surface, where it is tiled).
 * @width: bytes of a row; at most either pitch; a multiple of 64 if tiled.
 * @height: rows; a multiple of 64 if tiled.
 *
 * A width that exceeds a pitch, or a tiled surface's pitch that is not a
 * multiple of 64, is an alignment fault. If the rectangles overlap, the content
 * of the destination is undefined.
 */
struct vsplit_packet_copy_2d {
	struct vsplit_packet head;
	struct vsplit_operand dst;
	struct vsplit_operand src;
	__u32 width;
	__u32 height;
};

/**
 * struct vsplit_packet_mma - VSPLIT_OP_MMA with LDA, LDB, LDC.
 * @head: flags VSPLIT_MMA_*; arg reserved.
 * @c: int32 matrix, @m rows of @n, 4-byte aligned; wraps modulo 2^32.
 * @a: int8 matrix, @m rows of @k.
 * @b: int8 matrix, @k rows of @n.
 * @m: rows of C, 1 to VSPLIT_MMA_MAX_DIM.
 * @n: columns of C, 1 to VSPLIT_MMA_MAX_DIM.
 * @k: length of the sums, 1 to VSPLIT_MMA_MAX_DIM.
 * @reserved: 0.
 *
 * A pitch that is smaller than its matrix's row is an alignment fault. If C
 * overlaps A or B, the content of C is undefined.
 */
struct vsplit_packet_mma {
	struct vsplit_packet head;
	struct vsplit_operand c;
	struct vsplit_operand a;
	struct vsplit_operand b;
	__u32 m;
	__u32 n;
	__u32 k;
	__u32 reserved;
};

/**
 * struct vsplit_packet_store - VSPLIT_OP_STORE and VSPLIT_OP_ATOMIC_ADD.
 * @head: arg reserved.
 * @dst: 8-byte aligned.
 * @value: to store, or to add modulo 2^64.
 */
struct vsplit_packet_store {
	struct vsplit_packet head;
	struct vsplit_operand dst;
	__u64 value;
};

/**
 * struct vsplit_packet_timestamp - VSPLIT_OP_TIMESTAMP.
 * @head: arg reserved.
 * @dst: 8-byte aligned; receives 64 bits: ns of CLOCK_MONOTONIC, or of the model clock.
 */
struct vsplit_packet_timestamp {
	struct vsplit_packet head;
	struct vsplit_operand dst;
};

/**
 * struct vsplit_packet_spin - VSPLIT_OP_SPIN.
 * @head: arg is the time, us, up to VSPLIT_SPIN_MAX_US.
 */
struct vsplit_packet_spin {
	struct vsplit_packet head;
};

/**
 * struct vsplit_packet_fence - VSPLIT_OP_SIGNAL_FENCE and VSPLIT_OP_WAIT_FENCE.
 * @head: arg is the handle of a monitored fence of the file (struct drm_vsplit_fence_create).
 * @value: that it has at least afterwards, or before anything that follows is executed.
 *
 * A hardware queue waits wherever the packet stands in its ring, and leaves its engine to others
 * meanwhile; a fence that does not exist, or is destroyed, makes it a bad packet.
 *
 * In a DMA buffer waits come first: one behind another packet is refused (-EINVAL), because
 * a buffer that has begun must end without anything that userspace does. Nothing of the buffer
 * is executed before all of its waits are over, see struct drm_vsplit_submit.
 *
 * What packets before a SIGNAL_FENCE have written is there for whatever sees the value.
 */
struct vsplit_packet_fence {
	struct vsplit_packet head;
	__u64 value;
};

/**
 * struct vsplit_vertex - A corner of a triangle of VSPLIT_OP_DRAW.
 * @x: to the right from the upper left corner of the target, in 1/16 of a pixel.
 * @y: downwards, likewise.
 * @z: depth, up to VSPLIT_DRAW_MAX_Z; what is near is less.
 * @q: 1 to VSPLIT_DRAW_MAX_Q, proportional to 1 / distance, so that color and texture are in
 *	perspective; the same in all three corners: they are not.
 * @u: in the texture, to the right, in 1/65536 of a texel.
 * @v: downwards, likewise.
 * @color: 0xaarrggbb.
 * @reserved: not looked at; write 0.
 */
struct vsplit_vertex {
	__s32 x;
	__s32 y;
	__u32 z;
	__u32 q;
	__s32 u;
	__s32 v;
	__u32 color;
	__u32 reserved;
};

/**
 * struct vsplit_packet_draw - VSPLIT_OP_DRAW.
 * @head: flags VSPLIT_DRAW_*; arg is the number of triangles, 1 to VSPLIT_DRAW_MAX_TRIANGLES.
 * @target: upper left of the pixels, 0xaarrggbb, 32 bits each; 4-byte aligned.
 * @depth: upper left of the depths, 32 bits each, @width by @height; 4-byte aligned. Neither it
 *	nor @texture is accessed without a flag that says so.
 * @texture: upper left of the texels, as @target.
 * @vertices: three struct vsplit_vertex for each triangle; 4-byte aligned.
 * @target_pitch: bytes from row to row: not less than a row, a multiple of 4, or of 64 if tiled.
 * @depth_pitch: likewise; 0 without depths.
 * @texture_pitch: likewise; 0 without a texture.
 * @blend: enum vsplit_blend.
 * @width: of the target, pixels, 1 to VSPLIT_DRAW_MAX_SIDE.
 * @height: of the target, likewise.
 * @texture_width: texels, 1 to VSPLIT_DRAW_MAX_SIDE; 0 without a texture.
 * @texture_height: likewise.
 * @left: of the scissor, the pixels that may change: from this column on.
 * @top: from this row on.
 * @right: up to this column, which is not in it; @left to @width.
 * @bottom: up to this row, which is not in it; @top to @height.
 *
 * All is integer arithmetic and exact: each implementation draws the same bytes. Below, a / b is
 * the greatest integer that is not above the quotient.
 *
 * Triangles are drawn one after the other, each pixel of the scissor that is in the triangle once.
 * A triangle with a coordinate, depth or q out of its range, or without area, has no pixels; which
 * way round its corners go does not matter. Let them be A, B, C so that
 *
 *	area = (B.x - A.x) * (C.y - A.y) - (B.y - A.y) * (C.x - A.x) > 0
 *
 * (B and C, the second and third, are exchanged if it is negative), and P = (16 x + 8, 16 y + 8)
 * the center of a pixel. Its weights are ea, eb, ec, those of the corners opposite to the edges BC,
 * CA, AB:
 *
 *	ea = (C.x - B.x) * (P.y - B.y) - (C.y - B.y) * (P.x - B.x), and so on around.
 *
 * The pixel is in the triangle if none is negative, and a weight that is 0 belongs to a top edge
 * (horizontal, its end to the right of its start) or a left edge (its end above its start). So of
 * two triangles that share an edge exactly one has each pixel on it.
 *
 * Its depth is z = (ea A.z + eb B.z + ec C.z) / area. With VSPLIT_DRAW_DEPTH_TEST that ends here
 * if z is not less than the stored depth, all 32 bits of it.
 *
 * In perspective the weights are wa = ea A.q, wb, wc, w = wa + wb + wc; all four are divided by the
 * least power of two 2^s for which w / 2^s < 2^40, and then:
 *
 *	fb = 2^24 wb / w, fc = 2^24 wc / w, fa = 2^24 - fb - fc.
 *
 * u, v and each of the four components of the color are (fa A.u + fb B.u + fc C.u) / 2^24.
 *
 * A texel is that of column u / 65536 and row v / 65536; with VSPLIT_DRAW_BILINEAR, with
 * u' = u - 32768, x = u' / 65536, f = u' / 256 mod 256, and y and g likewise of v, each component
 * is, of the texels of columns x and x + 1 and rows y and y + 1,
 *
 *	((256 - f)(256 - g) t(x, y) + f (256 - g) t(x + 1, y) + (256 - f) g t(x, y + 1)
 *	 + f g t(x + 1, y + 1) + 32768) / 65536.
 *
 * Columns are modulo the width, or with VSPLIT_DRAW_CLAMP the nearest that there is; rows likewise.
 * With m(a, b) = (a b + 127) / 255, the product of two components, the color c becomes m(c, t), and
 * with alpha a and the target's color d and alpha e, the target's new ones are
 *
 *	VSPLIT_BLEND_NONE	c and a
 *	VSPLIT_BLEND_OVER	(c a + d (255 - a) + 127) / 255 and a + m(e, 255 - a)
 *	VSPLIT_BLEND_ADD	d + m(c, a) and e + a, at most 255
 *
 * With VSPLIT_DRAW_DEPTH_WRITE, z is stored. What is accessed: the vertices, the target and the
 * depths of pixels in a triangle, and texels of those that the depth test lets pass. If what is
 * written overlaps anything else, the content of what is written is undefined.
 */
struct vsplit_packet_draw {
	struct vsplit_packet head;
	struct vsplit_operand target;
	struct vsplit_operand depth;
	struct vsplit_operand texture;
	struct vsplit_operand vertices;
	__u32 target_pitch;
	__u32 depth_pitch;
	__u32 texture_pitch;
	__u32 blend;
	__u16 width;
	__u16 height;
	__u16 texture_width;
	__u16 texture_height;
	__u16 left;
	__u16 top;
	__u16 right;
	__u16 bottom;
};

#if defined(__cplusplus)
}
#endif

#endif /* _VSPLIT_ISA_H_ */
