// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The interpreter: executes a window of a command stream.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: The interpreter
 *
 * A RUN step begins with every state register undefined: a portion cannot rely on state,
 * even if no other step ran since the last portion. Only a hardware queue keeps its registers
 * from turn to turn. The resource table is that of the program's context, as the portion
 * before left it, after the changes that the step names; a program's first portion begins
 * with an empty table. The table is memory of the context, so an engine that switches at
 * split points only has to save the cursor of a program. An engine that switches between
 * packets also exchanges the state registers with the saved ones of the context.
 *
 * Each packet passes vsplit_isa_check(), then its handler resolves the operands:
 *
 * 1. the slot is inside the table (masked against speculation), and its row is not
 *    empty;
 * 2. offset, or address minus row address, plus length is inside the row,
 *    computed so that nothing can wrap;
 * 3. a write needs a row that allows it.
 *
 * All operands of a packet are resolved before the first byte is touched. Then
 * the handler reaches the bytes through vsplit_gpu_span_map() alone, which can still
 * refuse an access: an unmapped GART page is a decode fault.
 *
 * A context with virtual addresses has no rows: its operands are addresses, which are
 * translated page by page as the bytes are touched. An address that cannot be translated is
 * a page fault; the command may have written the bytes before it.
 *
 * Long commands look at the cancel flag every VSPLIT_GPU_POLL_BYTES, row of matrix
 * blocks or row of a triangle. No command's work is unbounded: the rows, or the size of an
 * address space, bound the bytes; the instruction set bounds matrices, triangles and spins.
 *
 * This file is pure: it reaches the machine, with its threads and clocks, through the
 * vsplit_gpu_work functions.
 */

/* Fill the fault registers. Return: @fault. */
static u32 vsplit_gpu_exec_raise(struct vsplit_gpu_exec *exec, u32 fault, u32 slot, u64 address)
{
	exec->fault->fault = fault;
	exec->fault->slot = slot;
	exec->fault->address = address;
	return fault;
}

/* Raise the fault of an address that could not be decoded, or translated. */
static u32 exec_refused(struct vsplit_gpu_exec *exec, u32 slot, u64 address)
{
	const struct vsplit_gpu_tlb *tlb = &exec->tlb;

	if (!tlb->fault)
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_DECODE, slot, address);
	exec->fault->write = tlb->access;
	return vsplit_gpu_exec_raise(exec, tlb->fault, ~0u, tlb->address);
}

/* Turn the result of touching an operand's bytes into a fault. */
static u32 vsplit_gpu_exec_moved(struct vsplit_gpu_exec *exec, enum vsplit_gpu_moved moved,
				 u32 slot, u64 address)
{
	switch (moved) {
	case VSPLIT_GPU_MOVED_ALL:
		return VSPLIT_FAULT_NONE;
	case VSPLIT_GPU_MOVED_STOPPED:
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_CANCELLED, ~0u, 0);
	default:
		return exec_refused(exec, slot, address);
	}
}

/* ---- registers ---------------------------------------------------------- */

static void exec_set_row(struct vsplit_gpu_exec *exec, u32 slot, u64 address, u64 size, u32 flags)
{
	struct vsplit_gpu_table *table = exec->table;
	struct vsplit_gpu_reg_row *row;

	if (slot >= table->nr_slots)
		return;
	row = &table->rows[array_index_nospec(slot, table->nr_slots)];
	row->generation = table->generation;
	row->address = address;
	row->size = size > U64_MAX - address ? 0 : size;
	row->flags = flags;
}

static void exec_clear_rows(struct vsplit_gpu_table *table)
{
	u32 i;

	table->generation++;
	if (table->generation)
		return;
	for (i = 0; i < table->nr_slots; i++)
		table->rows[i].generation = 0;
	table->generation = 1;
}

static void exec_begin(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_step *step)
{
	u32 i;

	if (step->flags & VSPLIT_GPU_STEP_CLEAR)
		exec_clear_rows(exec->table);
	exec->state_defined = 0;
	for (i = 0; i < step->run.nr_rows; i++) {
		const struct vsplit_gpu_row *row = &step->run.rows[i];

		exec_set_row(exec, row->slot, row->address, row->size, row->flags);
	}
}

/* Check that the registers that a packet reads are defined; a lenient engine sets garbage. */
static u32 exec_check_state(struct vsplit_gpu_exec *exec, u32 needed)
{
	u32 i;

	if ((exec->state_defined & needed) == needed)
		return VSPLIT_FAULT_NONE;
	if (!exec->lenient)
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_STATE, ~0u, 0);
	for (i = 0; i < VSPLIT_STATE_COUNT; i++) {
		if (!(exec->state_defined & (1u << i)))
			exec->state[i] = VSPLIT_GPU_STATE_GARBAGE;
	}
	return VSPLIT_FAULT_NONE;
}

/* ---- operands ----------------------------------------------------------- */

/* Resolve an operand with a virtual address; its pages are checked only as they are touched. */
static u32 exec_resolve_virtual(struct vsplit_gpu_exec *exec, const struct vsplit_operand *operand,
				u64 bytes, u32 align, bool write, struct vsplit_gpu_span *span)
{
	u64 address = operand->value;

	exec->fault->write = write;
	if (bytes && (address > VSPLIT_GPU_VM_BYTES || bytes > VSPLIT_GPU_VM_BYTES - address))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_NOT_MAPPED, ~0u,
					     max_t(u64, address, VSPLIT_GPU_VM_BYTES));
	if (!IS_ALIGNED(address, align))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_ALIGN, ~0u, address);
	*span = (struct vsplit_gpu_span) {
		.space = exec->space,
		.vm = exec->work->program->vm,
		.tlb = &exec->tlb,
		.slot = operand->slot,
		.address = address,
		.access = write ? VSPLIT_GPU_ACCESS_WRITE : 0,
	};
	return VSPLIT_FAULT_NONE;
}

/**
 * exec_resolve() - Check an access against its row.
 * @exec: execution unit.
 * @operand: operand of the packet.
 * @bytes: number of bytes that will be touched.
 * @align: power of two that the GPU address must be a multiple of.
 * @write: whether the packet may write the bytes.
 * @span: filled on success.
 *
 * Return: enum drm_vsplit_fault.
 */
static u32 exec_resolve(struct vsplit_gpu_exec *exec, const struct vsplit_operand *operand,
			u64 bytes, u32 align, bool write, struct vsplit_gpu_span *span)
{
	const struct vsplit_gpu_table *table = exec->table;
	const struct vsplit_gpu_reg_row *row;
	u32 slot = operand->slot;
	u64 offset = operand->value;
	u64 address;

	if (exec->work->program->vm)
		return exec_resolve_virtual(exec, operand, bytes, align, write, span);
	if (slot >= table->nr_slots)
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_BAD_PACKET, slot, 0);
	row = &table->rows[array_index_nospec(slot, table->nr_slots)];
	if (row->generation != table->generation || !row->size)
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_EMPTY_ROW, slot, 0);
	if (operand->flags & VSPLIT_OPERAND_ADDRESS) {
		if (operand->value < row->address)
			return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_BOUNDS, slot,
						     operand->value);
		offset = operand->value - row->address;
	}
	address = row->address + offset;
	if (offset > row->size || bytes > row->size - offset)
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_BOUNDS, slot, address);
	if (write && !(row->flags & VSPLIT_GPU_ROW_WRITE))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_WRITE, slot, address);
	if (!IS_ALIGNED(address, align))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_ALIGN, slot, address);
	*span = (struct vsplit_gpu_span) {
		.space = exec->space,
		.slot = slot,
		.address = address,
		.access = write ? VSPLIT_GPU_ACCESS_WRITE : 0,
	};
	return VSPLIT_FAULT_NONE;
}

/* ---- commands ----------------------------------------------------------- */

static u32 exec_charge(struct vsplit_gpu_exec *exec, u64 bytes, u64 macs)
{
	if (vsplit_gpu_work_charge(exec->work, bytes, macs))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_CANCELLED, ~0u, 0);
	return VSPLIT_FAULT_NONE;
}

static u32 exec_state(struct vsplit_gpu_exec *exec, const struct vsplit_packet_state *packet)
{
	u32 reg = array_index_nospec(packet->head.arg, VSPLIT_STATE_COUNT);

	exec->state[reg] = packet->value;
	exec->state_defined |= 1u << reg;
	return exec_charge(exec, 0, 0);
}

static u32 exec_bind(struct vsplit_gpu_exec *exec, const struct vsplit_packet_bind *packet)
{
	bool empty = !packet->address || !packet->size;

	exec_set_row(exec, packet->head.arg, packet->address, empty ? 0 : packet->size,
		     packet->head.flags & VSPLIT_BIND_WRITE ? VSPLIT_GPU_ROW_WRITE : 0);
	return exec_charge(exec, 0, 0);
}

static u32 exec_fill(struct vsplit_gpu_exec *exec, const struct vsplit_packet_fill *packet)
{
	enum vsplit_gpu_moved moved;
	struct vsplit_gpu_span dst;
	u32 fault;

	fault = exec_resolve(exec, &packet->dst, packet->length, 1, true, &dst);
	if (fault)
		return fault;
	moved = vsplit_gpu_span_fill(exec->work, &dst, exec->state[VSPLIT_STATE_FILL],
				     packet->length);
	if (moved)
		return vsplit_gpu_exec_moved(exec, moved, dst.slot, dst.address);
	return exec_charge(exec, packet->length, 0);
}

/* A copy failed: raise the fault of the operand that was refused. */
static u32 exec_copy_moved(struct vsplit_gpu_exec *exec, enum vsplit_gpu_moved moved,
			   const struct vsplit_gpu_span *dst, const struct vsplit_gpu_span *src)
{
	const struct vsplit_gpu_span *span = moved == VSPLIT_GPU_MOVED_DECODE_SRC ? src : dst;

	return vsplit_gpu_exec_moved(exec, moved, span->slot, span->address);
}

static u32 exec_copy(struct vsplit_gpu_exec *exec, const struct vsplit_packet_copy *packet)
{
	struct vsplit_gpu_span dst, src;
	enum vsplit_gpu_moved moved;
	u32 fault;

	fault = exec_resolve(exec, &packet->dst, packet->length, 1, true, &dst);
	if (fault)
		return fault;
	fault = exec_resolve(exec, &packet->src, packet->length, 1, false, &src);
	if (fault)
		return fault;
	moved = vsplit_gpu_span_copy(exec->work, &dst, 0, &src, 0, packet->length);
	if (moved)
		return exec_copy_moved(exec, moved, &dst, &src);
	return exec_charge(exec, packet->length, 0);
}

/* Number of bytes from the first to the last byte of @rows rows. */
static u64 exec_extent(u64 rows, u64 pitch, u64 width)
{
	return rows ? (rows - 1) * pitch + width : 0;
}

static u32 exec_surface(struct vsplit_gpu_exec *exec, const struct vsplit_packet_copy_2d *packet,
			const struct vsplit_operand *operand, bool write,
			struct vsplit_gpu_surface *surface)
{
	surface->pitch = exec->state[write ? VSPLIT_STATE_DST_PITCH : VSPLIT_STATE_SRC_PITCH];
	surface->tiled = packet->head.flags &
			 (write ? VSPLIT_COPY_2D_DST_TILED : VSPLIT_COPY_2D_SRC_TILED);
	if (packet->width > surface->pitch ||
	    (surface->tiled && !vsplit_swizzle_pitch_ok(surface->pitch)))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_ALIGN, operand->slot, 0);
	/* Neither size can wrap: 32 bits times 32 bits. A tiled surface is whole tiles high. */
	surface->bytes = surface->tiled ? (u64)surface->pitch * packet->height :
		exec_extent(packet->height, surface->pitch, packet->width);
	return exec_resolve(exec, operand, surface->bytes, 1, write, &surface->span);
}

/* Copy a row with at least one tiled end, one row of a tile at a time. */
static enum vsplit_gpu_moved
exec_copy_tiled_row(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_surface *dst,
		    const struct vsplit_gpu_surface *src, u32 width, u32 y)
{
	enum vsplit_gpu_moved moved;
	u32 x;

	for (x = 0; x < width; x += VSPLIT_TILE_WIDTH) {
		if (x % VSPLIT_GPU_POLL_BYTES == 0 && vsplit_gpu_work_stop(exec->work))
			return VSPLIT_GPU_MOVED_STOPPED;
		moved = vsplit_gpu_span_copy_piece(&dst->span, vsplit_gpu_surface_at(dst, x, y),
						   &src->span, vsplit_gpu_surface_at(src, x, y),
						   VSPLIT_TILE_WIDTH);
		if (moved)
			return moved;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

static enum vsplit_gpu_moved
exec_copy_row(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_surface *dst,
	      const struct vsplit_gpu_surface *src, u32 width, u32 y)
{
	if (dst->tiled || src->tiled)
		return exec_copy_tiled_row(exec, dst, src, width, y);
	return vsplit_gpu_span_copy(exec->work, &dst->span, vsplit_gpu_surface_at(dst, 0, y),
				    &src->span, vsplit_gpu_surface_at(src, 0, y), width);
}

/* Map @rows rows from @y on, where a band begins. Return: their bytes; NULL if not contiguous. */
static u8 *exec_surface_rows(const struct vsplit_gpu_surface *surface, u32 width, u32 y, u32 rows,
			     struct vsplit_gpu_chunk *chunk)
{
	u64 bytes = exec_extent(rows, surface->pitch, width);

	if (surface->tiled)
		bytes = (u64)width / VSPLIT_TILE_WIDTH * VSPLIT_TILE_BYTES;
	if (!vsplit_gpu_span_map(&surface->span, vsplit_gpu_surface_at(surface, 0, y), bytes,
				 chunk))
		return NULL;
	if (chunk->ptr && chunk->bytes == bytes)
		return chunk->ptr;
	vsplit_gpu_span_unmap(chunk);
	return NULL;
}

/* Distance from one row of a tile to the next, in a row of the surface and to the row below. */
static void exec_surface_steps(const struct vsplit_gpu_surface *surface, u64 *x_step, u64 *y_step)
{
	*x_step = surface->tiled ? VSPLIT_TILE_BYTES : VSPLIT_TILE_WIDTH;
	*y_step = surface->tiled ? VSPLIT_TILE_WIDTH : surface->pitch;
}

/*
 * Copy the rows of one band, if an end is tiled and both are contiguous; otherwise do nothing. Ends
 * early if the program is to stop, which the caller notices. With virtual addresses it does not
 * look whether to stop, where it might sleep: the mapped chunks keep the TLB locked, and paging
 * waits for that lock. Such chunks have at most VSPLIT_GPU_POLL_BYTES.
 */
static bool exec_copy_band(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_surface *dst,
			   const struct vsplit_gpu_surface *src, u32 width, u32 y, u32 rows)
{
	u64 to_x, to_y, from_x, from_y;
	struct vsplit_gpu_chunk to, from;
	u8 *d, *s;
	u32 i, x;

	if (!(dst->tiled || src->tiled) || width > VSPLIT_GPU_POLL_BYTES)
		return false;
	d = exec_surface_rows(dst, width, y, rows, &to);
	if (!d)
		return false;
	s = exec_surface_rows(src, width, y, rows, &from);
	if (s) {
		exec_surface_steps(dst, &to_x, &to_y);
		exec_surface_steps(src, &from_x, &from_y);
		for (i = 0; i < rows && (dst->span.vm || !vsplit_gpu_work_stop(exec->work)); i++) {
			for (x = 0; x < width / VSPLIT_TILE_WIDTH; x++)
				memmove(d + x * to_x, s + x * from_x, VSPLIT_TILE_WIDTH);
			d += to_y;
			s += from_y;
		}
		vsplit_gpu_span_unmap(&from);
	}
	vsplit_gpu_span_unmap(&to);
	return s;
}

static u32 exec_copy_2d(struct vsplit_gpu_exec *exec, const struct vsplit_packet_copy_2d *packet)
{
	struct vsplit_gpu_surface dst, src;
	enum vsplit_gpu_moved moved;
	u32 fault, y, rows, i;

	fault = exec_surface(exec, packet, &packet->dst, true, &dst);
	if (fault)
		return fault;
	fault = exec_surface(exec, packet, &packet->src, false, &src);
	if (fault)
		return fault;
	for (y = 0; packet->width && y < packet->height; y += rows) {
		rows = min_t(u32, packet->height - y, VSPLIT_TILE_HEIGHT);
		if (exec_copy_band(exec, &dst, &src, packet->width, y, rows)) {
			if (vsplit_gpu_work_stop(exec->work))
				return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_CANCELLED,
							     ~0u, 0);
			continue;
		}
		for (i = 0; i < rows; i++) {
			moved = exec_copy_row(exec, &dst, &src, packet->width, y + i);
			if (moved)
				return exec_copy_moved(exec, moved, &dst.span, &src.span);
		}
	}
	return exec_charge(exec, (u64)packet->width * packet->height, 0);
}

static u32 exec_matrix(struct vsplit_gpu_exec *exec, const struct vsplit_operand *operand,
		       u32 pitch, u32 rows, u64 width, bool write,
		       struct vsplit_gpu_surface *matrix)
{
	u32 align = write ? sizeof(u32) : 1;

	matrix->pitch = pitch;
	if (pitch < width || !IS_ALIGNED(pitch, align))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_ALIGN, operand->slot, 0);
	return exec_resolve(exec, operand, exec_extent(rows, pitch, width), align, write,
			    &matrix->span);
}

static u32 exec_mma(struct vsplit_gpu_exec *exec, const struct vsplit_packet_mma *packet)
{
	struct vsplit_gpu_mma mma = {
		.m = packet->m,
		.n = packet->n,
		.k = packet->k,
		.accumulate = packet->head.flags & VSPLIT_MMA_ACCUMULATE,
	};
	enum vsplit_gpu_moved moved;
	u32 fault;

	fault = exec_matrix(exec, &packet->c, exec->state[VSPLIT_STATE_LDC], mma.m,
			    (u64)mma.n * sizeof(u32), true, &mma.c);
	if (!fault)
		fault = exec_matrix(exec, &packet->a, exec->state[VSPLIT_STATE_LDA], mma.m, mma.k,
				    false, &mma.a);
	if (!fault)
		fault = exec_matrix(exec, &packet->b, exec->state[VSPLIT_STATE_LDB], mma.k, mma.n,
				    false, &mma.b);
	if (fault)
		return fault;
	moved = vsplit_gpu_mma(exec->scratch, exec->work, &mma);
	if (moved)
		return vsplit_gpu_exec_moved(exec, moved, exec->fault->slot, exec->fault->address);
	return exec_charge(exec, 0, (u64)mma.m * mma.n * mma.k);
}

static u32 exec_draw_surface(struct vsplit_gpu_exec *exec, const struct vsplit_operand *operand,
			     u32 width, u32 height, u32 pitch, bool tiled, bool write,
			     struct vsplit_gpu_surface *surface)
{
	surface->bytes = tiled ? (u64)pitch * ALIGN(height, VSPLIT_TILE_HEIGHT) :
		exec_extent(height, pitch, width * sizeof(u32));
	surface->pitch = pitch;
	surface->tiled = tiled;
	return exec_resolve(exec, operand, surface->bytes, sizeof(u32), write, &surface->span);
}

static u32 exec_draw_surfaces(struct vsplit_gpu_exec *exec,
			      const struct vsplit_packet_draw *packet,
			      struct vsplit_gpu_draw *draw)
{
	u32 flags = packet->head.flags, fault;

	fault = exec_draw_surface(exec, &packet->target, packet->width, packet->height,
				  packet->target_pitch, flags & VSPLIT_DRAW_TARGET_TILED, true,
				  &draw->target);
	if (!fault && flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		fault = exec_draw_surface(exec, &packet->depth, packet->width, packet->height,
					  packet->depth_pitch, flags & VSPLIT_DRAW_DEPTH_TILED,
					  flags & VSPLIT_DRAW_DEPTH_WRITE, &draw->depth);
	if (!fault && flags & VSPLIT_DRAW_TEXTURE)
		fault = exec_draw_surface(exec, &packet->texture, packet->texture_width,
					  packet->texture_height, packet->texture_pitch,
					  flags & VSPLIT_DRAW_TEXTURE_TILED, false,
					  &draw->texture);
	if (fault)
		return fault;
	draw->vertices.bytes = 3ull * sizeof(struct vsplit_vertex) * packet->head.arg;
	return exec_resolve(exec, &packet->vertices, draw->vertices.bytes, sizeof(u32), false,
			    &draw->vertices.span);
}

static u32 exec_draw(struct vsplit_gpu_exec *exec, const struct vsplit_packet_draw *packet)
{
	struct vsplit_gpu_draw draw = { .packet = packet };
	enum vsplit_gpu_moved moved;
	u32 fault;

	fault = exec_draw_surfaces(exec, packet, &draw);
	if (fault)
		return fault;
	moved = vsplit_gpu_draw(exec->work, &draw);
	if (moved)
		return vsplit_gpu_exec_moved(exec, moved, exec->fault->slot, exec->fault->address);
	return exec_charge(exec, draw.touched * sizeof(u32), 0);
}

/* Write, or @add to, a 64-bit word. It is aligned, so it is in one page. */
static u32 exec_store(struct vsplit_gpu_exec *exec, const struct vsplit_operand *dst, u64 value,
		      bool add)
{
	struct vsplit_gpu_chunk chunk;
	struct vsplit_gpu_span span;
	u32 fault;

	fault = exec_resolve(exec, dst, sizeof(u64), sizeof(u64), true, &span);
	if (fault)
		return fault;
	if (!vsplit_gpu_span_map(&span, 0, sizeof(u64), &chunk))
		return exec_refused(exec, span.slot, span.address);
	if (chunk.ptr && add)
		atomic64_add(value, (atomic64_t *)chunk.ptr);
	else if (chunk.ptr)
		WRITE_ONCE(*(u64 *)chunk.ptr, value);
	vsplit_gpu_span_unmap(&chunk);
	return exec_charge(exec, sizeof(u64), 0);
}

static u32 exec_spin(struct vsplit_gpu_exec *exec, const struct vsplit_packet *head)
{
	if (vsplit_gpu_work_spin(exec->work, head->arg))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_CANCELLED, ~0u, 0);
	return exec_charge(exec, 0, 0);
}

/* Nothing to do for WAIT_FENCE: the packet is executed only after its fence has the value. */
static u32 exec_fence(struct vsplit_gpu_exec *exec, const struct vsplit_packet_fence *packet)
{
	if (packet->head.op == VSPLIT_OP_SIGNAL_FENCE)
		vsplit_gpu_work_signal(exec->work, packet->head.arg, packet->value);
	return exec_charge(exec, 0, 0);
}

static u32 exec_packet(struct vsplit_gpu_exec *exec, const struct vsplit_packet *head)
{
	const struct vsplit_packet_timestamp *timestamp = (const void *)head;
	const struct vsplit_packet_store *store = (const void *)head;
	const void *packet = head;

	switch (head->op) {
	case VSPLIT_OP_NOP:
		return exec_charge(exec, 0, 0);
	case VSPLIT_OP_STATE:
		return exec_state(exec, packet);
	case VSPLIT_OP_BIND:
		return exec_bind(exec, packet);
	case VSPLIT_OP_FILL:
		return exec_fill(exec, packet);
	case VSPLIT_OP_COPY:
		return exec_copy(exec, packet);
	case VSPLIT_OP_COPY_2D:
		return exec_copy_2d(exec, packet);
	case VSPLIT_OP_MMA:
		return exec_mma(exec, packet);
	case VSPLIT_OP_ATOMIC_ADD:
		return exec_store(exec, &store->dst, store->value, true);
	case VSPLIT_OP_STORE:
		return exec_store(exec, &store->dst, store->value, false);
	case VSPLIT_OP_TIMESTAMP:
		return exec_store(exec, &timestamp->dst, vsplit_gpu_work_now(exec->work), false);
	case VSPLIT_OP_SPIN:
		return exec_spin(exec, head);
	case VSPLIT_OP_SIGNAL_FENCE:
	case VSPLIT_OP_WAIT_FENCE:
		return exec_fence(exec, packet);
	case VSPLIT_OP_DRAW:
		return exec_draw(exec, packet);
	default:
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_BAD_PACKET, ~0u, 0);
	}
}

static bool exec_window_ok(const struct vsplit_gpu_program *program,
			   const struct vsplit_gpu_step *step)
{
	return program->stream && program->table && step->run.begin <= step->run.end &&
	       step->run.end <= program->stream_bytes &&
	       IS_ALIGNED(step->run.begin, 8) && IS_ALIGNED(step->run.end, 8);
}

u32 vsplit_gpu_exec_run(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_work *work,
			u32 step_index)
{
	struct vsplit_gpu_program *program = work->program;
	const struct vsplit_gpu_step *step = &program->steps[step_index];
	const struct vsplit_isa_packet *info;
	const struct vsplit_packet *head;
	const char *reason;
	u32 offset, fault;

	exec->work = work;
	exec->fault = &program->fault;
	exec->fault->step = step_index;
	exec->fault->offset = step->run.begin;
	if (!exec_window_ok(program, step))
		return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_BAD_PACKET, ~0u, 0);
	exec->table = program->table;
	offset = program->resume;
	program->resume = 0;
	if (!offset) {
		offset = step->run.begin;
		/* The registers of a hardware queue stay as its last packet left them. */
		if (!program->queue)
			exec_begin(exec, step);
	}
	for (; offset < step->run.end; offset += head->size) {
		exec->fault->offset = offset;
		if (offset > step->run.begin && vsplit_gpu_work_yields(work)) {
			program->resume = offset;
			return VSPLIT_FAULT_NONE;
		}
		exec->tlb.fault = VSPLIT_FAULT_NONE;
		if (vsplit_gpu_work_stop(work))
			return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_CANCELLED, ~0u, 0);
		head = (const void *)((const u8 *)program->stream + offset);
		info = vsplit_isa_check(head, step->run.end - offset,
					exec->table->nr_slots, true, &reason);
		if (!info)
			return vsplit_gpu_exec_raise(exec, VSPLIT_FAULT_BAD_PACKET, ~0u, 0);
		fault = exec_check_state(exec, info->state);
		if (!fault)
			fault = exec_packet(exec, head);
		if (fault)
			return fault;
	}
	return VSPLIT_FAULT_NONE;
}
