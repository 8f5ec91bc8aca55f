// SPDX-License-Identifier: MIT
/*
 * A GPU without threads and clocks, see gpu_world.h.
 */
#include <stdlib.h>

#include "gpu_world.h"

u64 rng_state = 1;

u64 rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state * 0x2545f4914f6cdd1dull;
}

u32 below(u32 n)
{
	return (rng() >> 32) % n;
}

/* ---- the machine -------------------------------------------------------- */

bool vsplit_gpu_work_stop(const struct vsplit_gpu_work *work)
{
	struct vsplit_gpu_engine *engine = work->engine;

	engine->polls++;
	engine->polls_held += engine->tlb && engine->tlb->lock.held;
	if (work->paging && !engine->stop_paging)
		return false;
	return engine->stop_at && engine->polls >= engine->stop_at;
}

bool vsplit_gpu_work_yields(const struct vsplit_gpu_work *work)
{
	return false;
}

bool vsplit_gpu_work_charge(const struct vsplit_gpu_work *work, u64 bytes, u64 macs)
{
	work->engine->commands++;
	work->engine->bytes += bytes;
	work->engine->macs += macs;
	return false;
}

bool vsplit_gpu_work_spin(const struct vsplit_gpu_work *work, u32 us)
{
	work->engine->spun_us += us;
	return vsplit_gpu_work_stop(work);
}

void vsplit_gpu_work_signal(const struct vsplit_gpu_work *work, u32 fence, u64 value)
{
	work->engine->fence = fence;
	work->engine->fence_value = value;
}

u64 vsplit_gpu_work_now(const struct vsplit_gpu_work *work)
{
	return ++work->engine->clock;
}

/* ---- the world ---------------------------------------------------------- */

/* Content that differs from place to place; made once. */
static void world_bytes(void *to, u64 bytes, u64 seed)
{
	static u8 content[W_MEM_BYTES + W_GART_BYTES];
	u64 i;

	for (i = 0; !content[0] && i < sizeof(content); i++)
		content[i] = (i + 3) * 2654435761u >> 11;
	memcpy(to, content + seed, bytes);
}

struct world *world_new(u32 unmapped)
{
	struct world *w = aligned_alloc(4096, (sizeof(*w) + 4095) & ~4095ul);
	u32 i;

	memset(w, 0, sizeof(*w));
	w->memory = malloc(W_MEM_BYTES);
	w->pages = malloc(sizeof(*w->pages) * W_GART_PAGES);
	world_bytes(w->memory, W_MEM_BYTES, 0);
	world_bytes(w->pages, W_GART_BYTES, W_MEM_BYTES);
	/* 29 and 64 have no common divisor, so neighbours are never adjacent. */
	for (i = 0; i < W_GART_PAGES; i++) {
		if (unmapped && i % unmapped != unmapped - 1)
			w->entries[i] = &w->pages[i * 29 % W_GART_PAGES];
	}
	/* Two regions without a gap. */
	for (i = 0; i < 2; i++) {
		w->space.regions[i] = (struct vsplit_gpu_region) {
			.base = W_MEM + i * (W_MEM_BYTES / 2), .size = W_MEM_BYTES / 2,
			.memory = w->memory + i * (W_MEM_BYTES / 2),
		};
	}
	w->space.regions[2] = (struct vsplit_gpu_region) {
		.base = W_GART, .size = W_GART_BYTES,
		.entries = w->entries,
	};
	w->space.nr_regions = 3;
	w->space.dummy = &w->dummy;
	w->exec = (struct vsplit_gpu_exec) {
		.space = &w->space,
		.scratch = malloc(vsplit_gpu_mma_scratch_bytes()),
	};
	vsplit_gpu_mma_scratch_init(w->exec.scratch, vsplit_gpu_mma_unit(0));
	vsplit_gpu_tlb_init(&w->exec.tlb, &w->space);
	w->engine.tlb = &w->exec.tlb;
	w->rows = calloc(1, sizeof(*w->rows) + W_SLOTS * sizeof(w->rows->rows[0]));
	if (!w->rows)
		abort();
	w->rows->nr_slots = W_SLOTS;
	return w;
}

struct world *world_standard(void)
{
	struct world *w = world_new(W_GART_PAGES);

	world_row(w, 0, W_MEM, W_MEM_BYTES, VSPLIT_GPU_ROW_WRITE);
	world_row(w, 1, W_GART, W_GART_BYTES - 4096, VSPLIT_GPU_ROW_WRITE);
	world_row(w, 2, W_MEM + 4096, 8192, 0);
	world_row(w, 3, W_MEM + 0x10004, 1000, VSPLIT_GPU_ROW_WRITE);
	return w;
}

void world_free(struct world *w)
{
	free(w->exec.scratch);
	free(w->rows);
	free(w->memory);
	free(w->pages);
	free(w);
}

void world_same_memory(struct world *to, const struct world *from)
{
	memcpy(to->memory, from->memory, W_MEM_BYTES);
	memcpy(to->pages, from->pages, W_GART_BYTES);
}

void world_clear(struct world *w)
{
	w->bytes = 0;
}

void world_row(struct world *w, u32 slot, u64 address, u64 size, u32 flags)
{
	w->table[w->nr_rows++] = (struct vsplit_gpu_row) {
		.slot = slot, .flags = flags, .address = address, .size = size,
	};
}

void *world_add(struct world *w, u32 op, u32 size)
{
	struct vsplit_packet *head = (void *)((u8 *)w->stream + w->bytes);

	if (w->bytes + size > W_STREAM)
		abort();
	memset(head, 0, size);
	head->op = op;
	head->size = size;
	w->bytes += size;
	return head;
}

void world_state(struct world *w, u32 reg, u32 value)
{
	struct vsplit_packet_state *packet = world_add(w, VSPLIT_OP_STATE, sizeof(*packet));

	packet->head.arg = reg;
	packet->value = value;
}

struct vsplit_packet_fill *world_fill(struct world *w, u32 slot, u64 offset, u64 bytes)
{
	struct vsplit_packet_fill *packet = world_add(w, VSPLIT_OP_FILL, sizeof(*packet));

	packet->dst.slot = slot;
	packet->dst.value = offset;
	packet->length = bytes;
	return packet;
}

struct vsplit_packet_copy *world_copy(struct world *w, u32 dst, u64 to, u32 src, u64 from,
				      u64 bytes)
{
	struct vsplit_packet_copy *packet = world_add(w, VSPLIT_OP_COPY, sizeof(*packet));

	packet->dst.slot = dst;
	packet->dst.value = to;
	packet->src.slot = src;
	packet->src.value = from;
	packet->length = bytes;
	return packet;
}

u32 world_run_window(struct world *w, u32 begin, u32 end)
{
	struct vsplit_gpu_work work = { .engine = &w->engine, .program = &w->program };
	/* The copy has exactly the right size, so a sanitizer finds reads behind a packet. */
	void *stream = malloc(w->bytes ? w->bytes : 1);
	u32 fault;

	memcpy(stream, w->stream, w->bytes);
	w->step = (struct vsplit_gpu_step) {
		.type = VSPLIT_GPU_STEP_RUN,
		.flags = w->keep_rows ? 0 : VSPLIT_GPU_STEP_CLEAR,
		.run = { .begin = begin, .end = end, .rows = w->table, .nr_rows = w->nr_rows },
	};
	w->program = (struct vsplit_gpu_program) {
		.steps = &w->step, .nr_steps = 1, .stream = stream, .stream_bytes = w->bytes,
		.table = w->rows, .vm = w->vm,
	};
	fault = vsplit_gpu_exec_run(&w->exec, &work, 0);
	free(stream);
	return fault;
}

u32 world_run(struct world *w)
{
	return world_run_window(w, 0, w->bytes);
}

enum vsplit_gpu_moved world_page(struct world *w, const struct vsplit_gpu_step *step)
{
	struct vsplit_gpu_work work = {
		.engine = &w->engine, .program = &w->program, .paging = true,
	};

	return vsplit_gpu_paging_step(&w->space, &work, step);
}

u8 *world_byte(struct world *w, u64 address)
{
	struct page *page;

	if (address >= W_MEM && address < W_MEM + W_MEM_BYTES)
		return w->memory + (address - W_MEM);
	if (address < W_GART || address >= W_GART + W_GART_BYTES)
		return NULL;
	page = w->entries[(address - W_GART) / 4096];
	return page ? page->bytes + address % 4096 : NULL;
}

u32 world_get32(struct world *w, u64 address)
{
	u32 i, value = 0;

	for (i = 0; i < 4; i++)
		value |= (u32)*world_byte(w, address + i) << 8 * i;
	return value;
}

u64 world_get64(struct world *w, u64 address)
{
	return world_get32(w, address) | (u64)world_get32(w, address + 4) << 32;
}

u64 world_rect_at(u32 pitch, u32 x, u32 y, bool tiled)
{
	if (!tiled)
		return (u64)y * pitch + x;
	return ((u64)(y / 64) * (pitch / 64) + x / 64) * 4096 + y % 64 * 64 + x % 64;
}
