/* SPDX-License-Identifier: MIT */
/*
 * vsplit: the instruction set of the software GPU.
 *
 * A DMA buffer is a sequence of packets. A packet starts with a
 * struct vsplit_packet, its size is a multiple of 8 bytes, and packets follow
 * each other without a gap from offset 0 to the end of the buffer. All fields
 * are little endian. Fields called reserved must be 0.
 *
 * An operand names memory by a slot of the resource table and an offset into the range of that
 * row, or by a slot and a 64-bit address. The client writes 0 for the address, and exactly one
 * entry of the patch-location list, with the same slot, has the operand's offset as its
 * PatchOffset. The driver then writes the address (EXT-1, EXT-5). The engine checks every access,
 * address and length, against the row of the slot at that point of the stream.
 *
 * Contexts of VSPLIT_CTX_MODE_VA and _HW have no slots: each operand is a GPU virtual address
 * (VSPLIT_OPERAND_VIRTUAL), which the client writes. The engine translates it page by page while
 * it executes the packet. An access to an address at which nothing is mapped or resident, or a
 * write to an address that is mapped for reading only, is a page fault; what the packet has done
 * before stays done. A range that leaves the address space is a page fault at the end of the
 * address space, before the packet has done anything. VSPLIT_OP_BIND is refused; all other
 * packets take virtual addresses. All mappings of an allocation show the same bytes. The result
 * of a copy between overlapping bytes of an allocation by two different mappings is undefined.
 *
 * A taken split keeps rows of the resource table, and loses all other state: the registers that
 * VSPLIT_OP_STATE sets (SPLIT-9).
 */
#ifndef _VSPLIT_ISA_H_
#define _VSPLIT_ISA_H_

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** enum vsplit_opcode - What a packet does. */
enum vsplit_opcode {
	/** @VSPLIT_OP_NOP: no effect; any size >= 8, bytes after the head are ignored. */
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
	/** @VSPLIT_OP_COUNT: number of opcodes; it is no opcode. */
	VSPLIT_OP_COUNT
};

/**
 * VSPLIT_OP_HISTORY - Write the engine's clock to an element of drm_vsplit_hwq_control.history.
 * Only hardware queues take it. The packet is a head alone, whose arg is the index of the element.
 * It takes the time of a command, and accesses no memory that would have to be resident.
 */
#define VSPLIT_OP_HISTORY	0x40

/**
 * enum vsplit_state_reg - State registers, 32 bits each.
 *
 * Registers are undefined at the start of a DMA buffer and after a taken split. In strict mode,
 * the default, a command that reads an undefined register faults; with VSPLIT_CAP_LENIENT it
 * reads garbage. Packets of a hardware queue keep the registers from one to the next.
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
	/** @VSPLIT_STATE_COUNT: number of registers; it is no register. */
	VSPLIT_STATE_COUNT
};

/** VSPLIT_OPERAND_ADDRESS - The operand's value is a patched 64-bit address. */
#define VSPLIT_OPERAND_ADDRESS	(1u << 0)
/** VSPLIT_OPERAND_VIRTUAL - The operand's value is a virtual address; its slot is 0. */
#define VSPLIT_OPERAND_VIRTUAL	(1u << 1)
/** VSPLIT_OPERAND_FLAGS - All valid flags of an operand; an operand has at most one. */
#define VSPLIT_OPERAND_FLAGS	(VSPLIT_OPERAND_ADDRESS | VSPLIT_OPERAND_VIRTUAL)

/** VSPLIT_BIND_WRITE - Commands may write memory by this row; only the driver sets the flag. */
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
/** VSPLIT_DRAW_TEXTURE - DRAW multiplies the color with that of a texture. */
#define VSPLIT_DRAW_TEXTURE	(1u << 2)
/** VSPLIT_DRAW_BILINEAR - DRAW weighs four texels, instead of taking the one at the sample. */
#define VSPLIT_DRAW_BILINEAR	(1u << 3)
/** VSPLIT_DRAW_CLAMP - The edge texels continue beyond the texture, which else repeats. */
#define VSPLIT_DRAW_CLAMP	(1u << 4)
/** VSPLIT_DRAW_TARGET_TILED - The target has the tiled layout. */
#define VSPLIT_DRAW_TARGET_TILED	(1u << 5)
/** VSPLIT_DRAW_DEPTH_TILED - The depths have the tiled layout. */
#define VSPLIT_DRAW_DEPTH_TILED	(1u << 6)
/** VSPLIT_DRAW_TEXTURE_TILED - The texture has the tiled layout. */
#define VSPLIT_DRAW_TEXTURE_TILED	(1u << 7)

/** enum vsplit_blend - How DRAW combines the color of a triangle with that of the target. */
enum vsplit_blend {
	/** @VSPLIT_BLEND_NONE: the triangle's color replaces the target's. */
	VSPLIT_BLEND_NONE = 0,
	/** @VSPLIT_BLEND_OVER: the triangle's color covers the target's, by its alpha. */
	VSPLIT_BLEND_OVER = 1,
	/** @VSPLIT_BLEND_ADD: the triangle's color times its alpha is added to the target's. */
	VSPLIT_BLEND_ADD = 2,
	/** @VSPLIT_BLEND_COUNT: number of modes; it is no mode. */
	VSPLIT_BLEND_COUNT
};

/*
 * The tiled layout: tiles of 64 bytes by 64 rows (4 KiB), row-major inside the
 * tile, tiles row-major across the surface; the pitch is a multiple of 64.
 */
#define VSPLIT_TILE_WIDTH	64u
#define VSPLIT_TILE_HEIGHT	64u
#define VSPLIT_TILE_BYTES	4096u

/* Limits of single packets. */
#define VSPLIT_PACKET_MAX_BYTES	65528u	/* of a NOP; other packets have a fixed size */
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
 * @flags: flags of the opcode; reserved if the opcode has none.
 * @size: size of the whole packet, bytes, a multiple of 8.
 * @arg: argument of the opcode; reserved if the opcode has none.
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
 * @value: without a flag: byte offset into the row's range. VSPLIT_OPERAND_ADDRESS: 0 in the
 *	client's stream, where the driver writes the address. VSPLIT_OPERAND_VIRTUAL: the
 *	virtual address.
 */
struct vsplit_operand {
	__u32 slot;
	__u32 flags;
	__u64 value;
};

/**
 * struct vsplit_packet_state - VSPLIT_OP_STATE.
 * @head: arg is the enum vsplit_state_reg.
 * @value: new value of the register; the upper 32 bits are reserved.
 */
struct vsplit_packet_state {
	struct vsplit_packet head;
	__u64 value;
};

/**
 * struct vsplit_packet_bind - VSPLIT_OP_BIND.
 * @head: arg is the slot; flags are 0 in the client's stream.
 * @address: 0 in the client's stream. Exactly one patch entry, with the same slot, has the offset
 *	of this field as its PatchOffset; the driver writes the address of that entry's
 *	allocation. An entry without allocation (SPLIT-31) makes the row empty.
 * @size: 0 in the client's stream; the driver writes the number of bytes from @address
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
 * @dst: first byte to fill.
 * @length: number of bytes, any; the lowest byte of the pattern is at @dst.
 */
struct vsplit_packet_fill {
	struct vsplit_packet head;
	struct vsplit_operand dst;
	__u64 length;
};

/**
 * struct vsplit_packet_copy - VSPLIT_OP_COPY.
 * @head: arg reserved.
 * @dst: first byte of the destination.
 * @src: first byte of the source.
 * @length: number of bytes.
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
 * @dst: upper left byte of the destination; if that is tiled, of its surface.
 * @src: upper left byte of the source; if that is tiled, of its surface.
 * @width: bytes of a row, at most either pitch; a multiple of 64 if one of them is tiled.
 * @height: number of rows; a multiple of 64 if one of them is tiled.
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
 * @c: int32 matrix, @m rows of @n, 4-byte aligned; sums wrap modulo 2^32.
 * @a: int8 matrix, @m rows of @k.
 * @b: int8 matrix, @k rows of @n.
 * @m: rows of C, 1 to VSPLIT_MMA_MAX_DIM.
 * @n: columns of C, 1 to VSPLIT_MMA_MAX_DIM.
 * @k: length of the sums, 1 to VSPLIT_MMA_MAX_DIM.
 * @reserved: 0.
 *
 * A pitch that is smaller than its matrix's row, or an LDC that is no multiple of 4, is an
 * alignment fault. If C overlaps A or B, the content of C is undefined.
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
 * @dst: the 64-bit word; 8-byte aligned.
 * @value: the value to store, or to add modulo 2^64.
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
 * @value: SIGNAL_FENCE: value that the fence has at least afterwards. WAIT_FENCE: value that the
 *	fence has at least before the next packet is executed.
 *
 * In the ring of a hardware queue a WAIT_FENCE may be anywhere. While the queue waits, other work
 * runs on its engine. If the fence does not exist, or its handle is destroyed, it is a bad packet.
 *
 * In a DMA buffer all WAIT_FENCE packets come first: one behind another packet is refused
 * (-EINVAL), because a buffer that has begun must be able to end whatever userspace does. Nothing
 * of the buffer is executed before all of its waits are over, see struct drm_vsplit_submit.
 *
 * A reader that sees the value of a SIGNAL_FENCE also sees what earlier packets have written.
 */
struct vsplit_packet_fence {
	struct vsplit_packet head;
	__u64 value;
};

/**
 * struct vsplit_vertex - A corner of a triangle of VSPLIT_OP_DRAW.
 * @x: distance to the right from the upper left corner of the target, in 1/16 of a pixel.
 * @y: distance downwards, likewise.
 * @z: depth, up to VSPLIT_DRAW_MAX_Z; near vertices have small depths.
 * @q: 1 to VSPLIT_DRAW_MAX_Q, proportional to 1 / distance from the eye: color and texture are
 *	then in perspective. The same value in all three corners means no perspective.
 * @u: position in the texture, to the right, in 1/65536 of a texel.
 * @v: position in the texture, downwards, likewise.
 * @color: 0xaarrggbb.
 * @reserved: write 0; the engine does not read it.
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
 * @depth: upper left of the depths, 32 bits each, @width by @height; 4-byte aligned. DRAW accesses
 *	depths only with VSPLIT_DRAW_DEPTH_TEST or _WRITE, and texels only with _TEXTURE.
 * @texture: upper left of the texels, which have the format of @target.
 * @vertices: three struct vsplit_vertex for each triangle; 4-byte aligned.
 * @target_pitch: bytes from row to row: at least the bytes of a row; a multiple of 4, or of 64 if
 *	tiled.
 * @depth_pitch: likewise; 0 without depths.
 * @texture_pitch: likewise; 0 without a texture.
 * @blend: enum vsplit_blend.
 * @width: width of the target, pixels, 1 to VSPLIT_DRAW_MAX_SIDE.
 * @height: height of the target, likewise.
 * @texture_width: width of the texture, texels, 1 to VSPLIT_DRAW_MAX_SIDE; 0 without a texture.
 * @texture_height: height of the texture, likewise.
 * @left: first column of the scissor, the rectangle of pixels that may change.
 * @top: first row of the scissor.
 * @right: column after the last one of the scissor; @left to @width.
 * @bottom: row after the last one of the scissor; @top to @height.
 *
 * All arithmetic is exact, on integers: each implementation draws the same bytes. Below, a / b is
 * the quotient rounded down to an integer.
 *
 * Triangles are drawn one after the other, each pixel of the scissor that is in the triangle once.
 * A triangle with a coordinate, depth or q out of its range, or without area, has no pixels. The
 * orientation of the corners does not matter. Let A, B, C be the corners in their order, but with
 * B and C exchanged if the area would be negative:
 *
 *	area = (B.x - A.x) * (C.y - A.y) - (B.y - A.y) * (C.x - A.x) > 0
 *
 * Let P = (16 x + 8, 16 y + 8) be the center of a pixel. The pixel has a weight for each corner,
 * ea, eb and ec, which belong to the opposite edges BC, CA and AB:
 *
 *	ea = (C.x - B.x) * (P.y - B.y) - (C.y - B.y) * (P.x - B.x), and eb and ec cyclically.
 *
 * The pixel is in the triangle if no weight is negative, and each weight that is 0 belongs to a top
 * edge (horizontal, its end to the right of its start) or a left edge (its end above its start). So
 * a pixel on an edge that two triangles share is in exactly one of them.
 *
 * Its depth is z = (ea A.z + eb B.z + ec C.z) / area. With VSPLIT_DRAW_DEPTH_TEST the pixel does
 * not change if z is not less than the stored depth, all of whose 32 bits count.
 *
 * In perspective the weights are wa = ea A.q, wb, wc, w = wa + wb + wc. All four are divided by the
 * least power of two 2^s for which w / 2^s < 2^40, and then:
 *
 *	fb = 2^24 wb / w, fc = 2^24 wc / w, fa = 2^24 - fb - fc.
 *
 * u, v and each of the four components of the color are (fa A.u + fb B.u + fc C.u) / 2^24.
 *
 * The texel t is that of column u / 65536 and row v / 65536. With VSPLIT_DRAW_BILINEAR let
 * u' = u - 32768, x = u' / 65536 and f = u' / 256 mod 256, and y and g in the same way of v. Each
 * component of t then is, from the texels of columns x and x + 1 and rows y and y + 1,
 *
 *	((256 - f)(256 - g) t(x, y) + f (256 - g) t(x + 1, y) + (256 - f) g t(x, y + 1)
 *	 + f g t(x + 1, y + 1) + 32768) / 65536.
 *
 * Columns are taken modulo the width, or with VSPLIT_DRAW_CLAMP the nearest column is taken; rows
 * likewise. With m(a, b) = (a b + 127) / 255, the product of two components, each component c of
 * the color becomes m(c, t). Let a be its alpha, and d and e the color and alpha of the target.
 * The new color and alpha of the target are
 *
 *	VSPLIT_BLEND_NONE	c and a
 *	VSPLIT_BLEND_OVER	(c a + d (255 - a) + 127) / 255 and a + m(e, 255 - a)
 *	VSPLIT_BLEND_ADD	d + m(c, a) and e + a, at most 255
 *
 * With VSPLIT_DRAW_DEPTH_WRITE, z is stored. DRAW accesses the vertices, the target and depths of
 * the pixels in a triangle, and the texels of those pixels that pass the depth test. If memory that
 * it writes overlaps other memory that it accesses, the content of the written memory is undefined.
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

/** enum drm_vsplit_fault - Why a GPU fault happened. */
enum drm_vsplit_fault {
	VSPLIT_FAULT_NONE = 0,
	/** @VSPLIT_FAULT_BAD_PACKET: malformed or unknown packet. */
	VSPLIT_FAULT_BAD_PACKET = 1,
	/** @VSPLIT_FAULT_EMPTY_ROW: an operand names an empty row of the resource table. */
	VSPLIT_FAULT_EMPTY_ROW = 2,
	/** @VSPLIT_FAULT_BOUNDS: access beyond the range of the row. */
	VSPLIT_FAULT_BOUNDS = 3,
	/** @VSPLIT_FAULT_WRITE: write through a row that is for reading only. */
	VSPLIT_FAULT_WRITE = 4,
	/** @VSPLIT_FAULT_ALIGN: alignment fault: an operand or a pitch that the packet excludes. */
	VSPLIT_FAULT_ALIGN = 5,
	/** @VSPLIT_FAULT_STATE: strict mode: a command used an undefined state register. */
	VSPLIT_FAULT_STATE = 6,
	/** @VSPLIT_FAULT_DECODE: no memory is at the GPU address. */
	VSPLIT_FAULT_DECODE = 7,
	/** @VSPLIT_FAULT_CANCELLED: the driver cancelled the work. */
	VSPLIT_FAULT_CANCELLED = 8,
	/** @VSPLIT_FAULT_NOT_MAPPED: page fault: nothing is mapped at the address. */
	VSPLIT_FAULT_NOT_MAPPED = 9,
	/** @VSPLIT_FAULT_NOT_RESIDENT: page fault: the mapped allocation is not resident. */
	VSPLIT_FAULT_NOT_RESIDENT = 10,
	/** @VSPLIT_FAULT_READ_ONLY: page fault: write to an address that is mapped READ_ONLY. */
	VSPLIT_FAULT_READ_ONLY = 11,
};

#if defined(__cplusplus)
}
#endif

#endif /* _VSPLIT_ISA_H_ */
