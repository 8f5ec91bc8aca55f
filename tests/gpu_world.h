/* SPDX-License-Identifier: MIT */
/*
 * A GPU without threads and clocks, for tests of the pure parts: an address
 * space with memory and a GART, an execution unit, and a machine that counts.
 */
#ifndef _GPU_WORLD_H_
#define _GPU_WORLD_H_

#include "../drv/gpu/vsplit_gpu_internal.h"

#define W_MEM		0x100000000ull	/* memory: two regions, one after the other */
#define W_MEM_BYTES	(512u << 10)
#define W_GART		0x7000000000ull
#define W_GART_PAGES	64u
#define W_GART_BYTES	(W_GART_PAGES * 4096u)
#define W_SLOTS		8u
#define W_STREAM	65536u

/* The tests' engine: what it was asked, and when it is to stop. */
struct vsplit_gpu_engine {
	u64 polls;		/* calls of vsplit_gpu_work_stop() */
	const struct vsplit_gpu_tlb *tlb; /* its own */
	u64 polls_held;		/* calls while that was locked: paging would wait for them */
	u64 stop_at;		/* stop at that poll; 0: never */
	bool stop_paging;	/* stop paging too: a dead GPU */
	u64 commands, bytes, macs, spun_us;
	u64 clock;
	u32 fence;		/* of the last signal */
	u64 fence_value;
};

struct world {
	struct vsplit_gpu_engine engine;
	struct vsplit_gpu_space space;
	struct vsplit_gpu_exec exec;
	struct vsplit_gpu_table *rows;
	struct vsplit_gpu_vm *vm;	/* operands are addresses in it; NULL: there are rows */
	u8 *memory;
	struct page *pages;		/* of the GART, in the order of its entries */
	struct page *entries[W_GART_PAGES];
	struct page dummy;
	struct vsplit_gpu_program program;
	struct vsplit_gpu_step step;
	struct vsplit_gpu_row table[W_SLOTS];	/* rows of the next run */
	u32 nr_rows;
	bool keep_rows;			/* the next run begins with what the last one left */
	u64 stream[W_STREAM / 8];
	u32 bytes;
};

/* All of the GART is mapped, except every @unmapped-th page (0: all). */
struct world *world_new(u32 unmapped);
/*
 * All of the GART but its last page is mapped, and there are rows. Slot 0: memory, 1: the GART, as
 * far as it is mapped, 2: read only memory, 3: a small piece of memory, 4: empty.
 */
struct world *world_standard(void);
void world_free(struct world *w);
/* What is in the memory and the pages of @from, in @to as well. */
void world_same_memory(struct world *to, const struct world *from);

/* The stream begins anew; rows stay. */
void world_clear(struct world *w);
void world_row(struct world *w, u32 slot, u64 address, u64 size, u32 flags);

/* Append a packet of zeros. */
void *world_add(struct world *w, u32 op, u32 size);
void world_state(struct world *w, u32 reg, u32 value);
struct vsplit_packet_fill *world_fill(struct world *w, u32 slot, u64 offset, u64 bytes);
struct vsplit_packet_copy *world_copy(struct world *w, u32 dst, u64 to, u32 src, u64 from,
				      u64 bytes);

/* Execute the stream, all of it; return the fault. */
u32 world_run(struct world *w);
u32 world_run_window(struct world *w, u32 begin, u32 end);
enum vsplit_gpu_moved world_page(struct world *w, const struct vsplit_gpu_step *step);

/* The byte at a GPU address, or NULL. Knows nothing of the implementation. */
u8 *world_byte(struct world *w, u64 address);
u32 world_get32(struct world *w, u64 address);
u64 world_get64(struct world *w, u64 address);
/* Where byte (x, y) of a surface is, from the definition of the layouts. */
u64 world_rect_at(u32 pitch, u32 x, u32 y, bool tiled);

u64 rng(void);
u32 below(u32 n);
extern u64 rng_state;

#endif /* _GPU_WORLD_H_ */
