/* SPDX-License-Identifier: MIT */
/*
 * A GPU without threads and clocks, for tests of the pure parts: an address
 * space with memory and a GART, an execution unit, and a machine that counts.
 */
#ifndef _GPU_WORLD_H_
#define _GPU_WORLD_H_

#include "../drv/gpu/vsplit_gpu_internal.h"

#define W_MEM		0x100000000ull	/* two regions of memory, one after the other */
#define W_MEM_BYTES	(512u << 10)
#define W_GART		0x7000000000ull
#define W_GART_PAGES	64u
#define W_GART_BYTES	(W_GART_PAGES * 4096u)
#define W_SLOTS		8u
#define W_STREAM	65536u

/* The tests' engine: counts calls, and says when to stop. */
struct vsplit_gpu_engine {
	u64 polls;		/* calls of vsplit_gpu_work_stop() */
	const struct vsplit_gpu_tlb *tlb; /* the engine's own TLB */
	u64 polls_held;		/* polls while that TLB was locked: paging would wait for them */
	u64 stop_at;		/* stop at this poll; 0: never */
	bool stop_paging;	/* stop paging too: a dead GPU */
	u64 commands, bytes, macs, spun_us;
	u64 clock;
	u32 fence;		/* handle of the last signalled fence */
	u64 fence_value;
};

struct world {
	struct vsplit_gpu_engine engine;
	struct vsplit_gpu_space space;
	struct vsplit_gpu_exec exec;
	struct vsplit_gpu_table *rows;
	struct vsplit_gpu_vm *vm;	/* operands are addresses in it; NULL: operands use rows */
	u8 *memory;
	struct page *pages;		/* of the GART, in the order of its entries */
	struct page *entries[W_GART_PAGES];
	struct page dummy;
	struct vsplit_gpu_program program;
	struct vsplit_gpu_step step;
	struct vsplit_gpu_row table[W_SLOTS];	/* rows of the next run */
	u32 nr_rows;
	bool keep_rows;			/* the next run keeps the rows of the last */
	u64 stream[W_STREAM / 8];
	u32 bytes;
};

/* Map all of the GART, except every @unmapped-th page (0: map all). */
struct world *world_new(u32 unmapped);
/*
 * Map all of the GART except its last page, and set up rows. Slot 0: memory, 1: the mapped part of
 * the GART, 2: read-only memory, 3: a small piece of memory, 4: empty.
 */
struct world *world_standard(void);
void world_free(struct world *w);
/* Copy the contents of memory and pages of @from to @to. */
void world_same_memory(struct world *to, const struct world *from);

/* Begin a new stream; rows stay. */
void world_clear(struct world *w);
void world_row(struct world *w, u32 slot, u64 address, u64 size, u32 flags);

/* Append a packet of zeros. */
void *world_add(struct world *w, u32 op, u32 size);
void world_state(struct world *w, u32 reg, u32 value);
struct vsplit_packet_fill *world_fill(struct world *w, u32 slot, u64 offset, u64 bytes);
struct vsplit_packet_copy *world_copy(struct world *w, u32 dst, u64 to, u32 src, u64 from,
				      u64 bytes);

/* Execute the whole stream. Returns the fault. */
u32 world_run(struct world *w);
u32 world_run_window(struct world *w, u32 begin, u32 end);
enum vsplit_gpu_moved world_page(struct world *w, const struct vsplit_gpu_step *step);

/* The byte at a GPU address, or NULL. Independent of the implementation. */
u8 *world_byte(struct world *w, u64 address);
u32 world_get32(struct world *w, u64 address);
u64 world_get64(struct world *w, u64 address);
/* Offset of byte (x, y) of a surface, from the definition of the layouts. */
u64 world_rect_at(u32 pitch, u32 x, u32 y, bool tiled);

u64 rng(void);
u32 below(u32 n);
extern u64 rng_state;

#endif /* _GPU_WORLD_H_ */
