/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Inside of the GPU: what its files see of each other.
 *
 * The pure files (isa, swizzle, decode, runs, ranges, mmu, paging, exec, mma, draw) include
 * this and nothing of the kernel beyond vsplit_gpu_compat.h. The machine (vsplit_gpu.c,
 * engine, turns, clock) is kernel only; it provides the vsplit_gpu_work functions,
 * for which the tests have a replacement.
 */
#ifndef _VSPLIT_GPU_INTERNAL_H_
#define _VSPLIT_GPU_INTERNAL_H_

#include "vsplit_gpu.h"
#include "vsplit_gpu_isa.h"
#include "vsplit_swizzle.h"

/* Bytes that are worked on between two looks at the cancel flag. */
#define VSPLIT_GPU_POLL_BYTES	(64u << 10)

/* What a lenient engine reads from an undefined register. */
#define VSPLIT_GPU_STATE_GARBAGE	0xdbdbdbdbu

/* ---- address decode ----------------------------------------------------- */

/**
 * struct vsplit_gpu_region - What answers at a range of addresses.
 * @base: first address.
 * @size: bytes.
 * @memory: of linear memory: kernel mapping.
 * @entries: of a GART, else NULL: one page per entry, NULL: unmapped. Single words,
 *	read and written with READ_ONCE and WRITE_ONCE by any engine; that no engine uses
 *	an entry while another changes it is the driver's business.
 * @ranges: of linear memory: one byte per page: the swizzling range that covers it plus
 *	one, or 0; accessed as @entries are. NULL: a bank without ranges.
 *
 * Constant from the moment that struct vsplit_gpu_space.nr_regions counts it,
 * except for the content of @entries and @ranges.
 */
struct vsplit_gpu_region {
	u64 base;
	u64 size;
	u8 *memory;
	struct page **entries;
	u8 *ranges;
};

/**
 * struct vsplit_gpu_range - The registers of a swizzling range.
 * @address: GPU address of the surface, page-aligned.
 * @bytes: of the surface; 0: unused.
 * @pitch: bytes per row of the surface.
 *
 * Written while no engine uses the pages that name it.
 */
struct vsplit_gpu_range {
	u64 address;
	u64 bytes;
	u32 pitch;
};

/**
 * struct vsplit_gpu_space - The address space.
 * @regions: @nr_regions of them, not overlapping.
 * @nr_regions: grows only; written with release, read with acquire semantics.
 * @dummy: a page of zeros, which reads of unmapped entries see; never written.
 * @stray_writes: writes that went to unmapped entries.
 * @lose_maps: fault knob: MAP steps change nothing. READ_ONCE.
 * @ranges: swizzling ranges.
 * @tlbs: of the engines, @nr_tlbs of them; constant before the first program runs.
 * @nr_tlbs: how many.
 */
struct vsplit_gpu_space {
	struct vsplit_gpu_region regions[VSPLIT_GPU_MAX_REGIONS];
	u32 nr_regions;
	struct page *dummy;
	atomic64_t stray_writes;
	u32 lose_maps;
	struct vsplit_gpu_range ranges[VSPLIT_GPU_MAX_RANGES];
	struct vsplit_gpu_tlb *tlbs[VSPLIT_GPU_MAX_ENGINES];
	u32 nr_tlbs;
};

/**
 * struct vsplit_gpu_chunk - Bytes of GPU or system memory under the processor's hand.
 * @ptr: where; NULL: a write to nowhere, to be dropped.
 * @bytes: how many, at least 1.
 * @kmap: address to hand to kunmap_local(), or NULL.
 * @tlb: by which it was translated, and which is locked meanwhile; or NULL.
 *
 * Chunks are unmapped in the reverse order of their mapping.
 */
struct vsplit_gpu_chunk {
	u8 *ptr;
	u64 bytes;
	void *kmap;
	struct vsplit_gpu_tlb *tlb;
};

/* Access bits. */
#define VSPLIT_GPU_ACCESS_WRITE		BIT(0)
#define VSPLIT_GPU_ACCESS_PAGING	BIT(1)	/* unmapped: read zeros, drop writes */

/**
 * struct vsplit_gpu_span - A range of bytes, at a GPU address or in system pages.
 * @space: the address space.
 * @vm: the virtual address space that @address is of; NULL: it is none.
 * @tlb: of the engine, where @vm is not NULL.
 * @pages: system pages, or NULL.
 * @runs: where the bytes are in a segment, or NULL.
 * @address: GPU address of byte 0, where @pages and @runs are NULL.
 * @access: VSPLIT_GPU_ACCESS_*.
 * @slot: of a packet's operand, for faults.
 */
struct vsplit_gpu_span {
	struct vsplit_gpu_space *space;
	struct vsplit_gpu_vm *vm;
	struct vsplit_gpu_tlb *tlb;
	struct page **pages;
	const struct vsplit_gpu_runs *runs;
	u64 address;
	u32 access;
	u32 slot;
};

const struct vsplit_gpu_region *
vsplit_gpu_find_region(struct vsplit_gpu_space *space, u64 address, u64 bytes);

/**
 * vsplit_gpu_span_map() - Get at the first bytes of a range.
 * @span: the range.
 * @offset: where in it.
 * @bytes: wanted; > 0.
 * @chunk: filled with 1 to @bytes bytes.
 *
 * Return: false if the address belongs to nothing; nothing is mapped then.
 */
bool vsplit_gpu_span_map(const struct vsplit_gpu_span *span, u64 offset, u64 bytes,
			 struct vsplit_gpu_chunk *chunk);
void vsplit_gpu_span_unmap(const struct vsplit_gpu_chunk *chunk);

/* ---- virtual addresses -------------------------------------------------- */

#define VSPLIT_GPU_TLB_ENTRIES	64	/* of each size of page */
#define VSPLIT_GPU_TLB_SIZES	3	/* 4 KiB, 64 KiB, 2 MiB */

/**
 * struct vsplit_gpu_tlb_entry - A translation that is remembered.
 * @asid: of the address space; 0: none.
 * @page: first virtual address of the page.
 * @pte: its entry of the page table.
 */
struct vsplit_gpu_tlb_entry {
	u64 asid;
	u64 page;
	u64 pte;
};

/**
 * struct vsplit_gpu_tlb - Translations that an engine remembers.
 * @lock: protects @entries; the engine holds it as well while it touches bytes that were
 *	translated, a chunk at a time, and never while it sleeps. So when it was taken, the
 *	engine has left what it began before. A leaf.
 * @depth: chunks that are being touched; of the engine's thread.
 * @entries: by size of page; under @lock.
 * @fault: enum vsplit_gpu_fault, why the last translation failed; of the engine's thread,
 *	as what follows.
 * @address: that could not be translated.
 * @access: VSPLIT_GPU_ACCESS_WRITE or 0.
 */
struct vsplit_gpu_tlb {
	struct mutex lock; /* entries */
	u32 depth;
	struct vsplit_gpu_tlb_entry entries[VSPLIT_GPU_TLB_SIZES][VSPLIT_GPU_TLB_ENTRIES];
	u32 fault;
	u64 address;
	u32 access;
};

/** vsplit_gpu_tlb_init() - An empty one, of an engine of @space. Not once programs run. */
void vsplit_gpu_tlb_init(struct vsplit_gpu_tlb *tlb, struct vsplit_gpu_space *space);

/**
 * struct vsplit_gpu_translation - Where bytes at a virtual address are.
 * @address: GPU address; not of what is sparse.
 * @bytes: from there on, to the end of the page.
 * @sparse: nowhere: they read as zeros, and writes are dropped.
 */
struct vsplit_gpu_translation {
	u64 address;
	u64 bytes;
	bool sparse;
};

/**
 * vsplit_gpu_tlb_enter() - Translate an address, and keep the translation valid.
 * @tlb: of the engine that asks.
 * @vm: the virtual address space.
 * @address: in it.
 * @access: VSPLIT_GPU_ACCESS_WRITE or 0.
 * @to: filled on success.
 *
 * Return: true, then vsplit_gpu_tlb_leave() follows when the bytes were touched; false:
 * it is a page fault, which @tlb describes.
 */
bool vsplit_gpu_tlb_enter(struct vsplit_gpu_tlb *tlb, struct vsplit_gpu_vm *vm, u64 address,
			  u32 access, struct vsplit_gpu_translation *to);
void vsplit_gpu_tlb_leave(struct vsplit_gpu_tlb *tlb);

/* ---- work --------------------------------------------------------------- */

/**
 * struct vsplit_gpu_work - On whose behalf bytes are touched.
 * @engine: that does it; the tests have their own type.
 * @program: the program.
 * @paging: a paging step: cancelling the program does not stop it.
 */
struct vsplit_gpu_work {
	struct vsplit_gpu_engine *engine;
	struct vsplit_gpu_program *program;
	bool paging;
};

/**
 * vsplit_gpu_work_stop() - Called at least every VSPLIT_GPU_POLL_BYTES.
 * @work: the work.
 *
 * The heartbeat; also a place to reschedule.
 *
 * Return: true if the work is to stop at once.
 */
bool vsplit_gpu_work_stop(const struct vsplit_gpu_work *work);

/** vsplit_gpu_work_yields() - Between two packets: shall another program go on here? */
bool vsplit_gpu_work_yields(const struct vsplit_gpu_work *work);

/**
 * vsplit_gpu_work_charge() - A command was executed: take its declared time.
 * @work: the work.
 * @bytes: that it touched.
 * @macs: multiply-accumulates.
 *
 * Return: true if the work was stopped meanwhile.
 */
bool vsplit_gpu_work_charge(const struct vsplit_gpu_work *work, u64 bytes, u64 macs);

/** vsplit_gpu_work_spin() - Do nothing for a while. Return: true if stopped meanwhile. */
bool vsplit_gpu_work_spin(const struct vsplit_gpu_work *work, u32 us);

/** vsplit_gpu_work_signal() - What was executed so far is done: raise a monitored fence. */
void vsplit_gpu_work_signal(const struct vsplit_gpu_work *work, u32 fence, u64 value);

/** vsplit_gpu_work_now() - The engine's clock, ns. */
u64 vsplit_gpu_work_now(const struct vsplit_gpu_work *work);

/**
 * enum vsplit_gpu_moved - How touching a range ended.
 * @VSPLIT_GPU_MOVED_ALL: done.
 * @VSPLIT_GPU_MOVED_STOPPED: vsplit_gpu_work_stop() said so.
 * @VSPLIT_GPU_MOVED_DECODE: an address belongs to nothing: of the destination, if there are
 *	two ends.
 * @VSPLIT_GPU_MOVED_DECODE_SRC: an address of the source belongs to nothing.
 */
enum vsplit_gpu_moved {
	VSPLIT_GPU_MOVED_ALL,
	VSPLIT_GPU_MOVED_STOPPED,
	VSPLIT_GPU_MOVED_DECODE,
	VSPLIT_GPU_MOVED_DECODE_SRC,
};

/** vsplit_gpu_span_copy() - Copy @bytes bytes; the ranges may overlap. */
enum vsplit_gpu_moved
vsplit_gpu_span_copy(const struct vsplit_gpu_work *work,
		     const struct vsplit_gpu_span *dst, u64 dst_offset,
		     const struct vsplit_gpu_span *src, u64 src_offset, u64 bytes);

/* The same for at most VSPLIT_GPU_POLL_BYTES; does not look whether to stop. */
enum vsplit_gpu_moved
vsplit_gpu_span_copy_piece(const struct vsplit_gpu_span *dst, u64 dst_offset,
			   const struct vsplit_gpu_span *src, u64 src_offset, u32 bytes);

/** vsplit_gpu_span_fill() - Repeat @pattern, lowest byte first, over @bytes bytes. */
enum vsplit_gpu_moved
vsplit_gpu_span_fill(const struct vsplit_gpu_work *work,
		     const struct vsplit_gpu_span *dst, u32 pattern, u64 bytes);

/* ---- paging ------------------------------------------------------------- */

static inline bool vsplit_gpu_step_is_paging(const struct vsplit_gpu_step *step)
{
	return step->type != VSPLIT_GPU_STEP_RUN;
}

/**
 * vsplit_gpu_paging_step() - Execute a paging step.
 * @space: the address space.
 * @work: with @paging set.
 * @step: the step.
 *
 * Return: MOVED_DECODE means that the driver made a mistake.
 */
enum vsplit_gpu_moved vsplit_gpu_paging_step(struct vsplit_gpu_space *space,
					     const struct vsplit_gpu_work *work,
					     const struct vsplit_gpu_step *step);

/* The step BIND. */
enum vsplit_gpu_moved vsplit_gpu_mmu_bind(struct vsplit_gpu_space *space,
					  const struct vsplit_gpu_work *work,
					  const struct vsplit_gpu_step *step);

/**
 * vsplit_gpu_mmu_leave() - Before a paging step: what is mapped is not resident any more.
 * @space: the address space.
 * @work: with @paging set.
 * @maps: where it is mapped.
 *
 * When this returns no engine has an access under way that began before.
 */
void vsplit_gpu_mmu_leave(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
			  const struct vsplit_gpu_maps *maps);

/** vsplit_gpu_mmu_arrive() - After a paging step: what is mapped is at @at now. */
void vsplit_gpu_mmu_arrive(const struct vsplit_gpu_work *work, const struct vsplit_gpu_maps *maps,
			   const struct vsplit_gpu_loc *at);

/* ---- swizzling ranges --------------------------------------------------- */

/**
 * vsplit_gpu_range_set() - Set a range; the bytes are linear already.
 * @space: the address space.
 * @index: of the range.
 * @address: of the surface.
 * @bytes: of the surface.
 * @pitch: bytes per row of the surface.
 *
 * Return: false if there is no such range, bank or surface.
 */
bool vsplit_gpu_range_set(struct vsplit_gpu_space *space, u32 index, u64 address, u64 bytes,
			  u32 pitch);

/**
 * vsplit_gpu_range_chunk() - Where the bytes of a covered surface really are.
 * @space: the address space.
 * @region: memory bank.
 * @index: of the range that covers the page.
 * @offset: in the bank, as the GPU addresses it: tiled.
 * @bytes: wanted; > 0.
 * @chunk: filled with as many as stay together in both layouts.
 */
void vsplit_gpu_range_chunk(const struct vsplit_gpu_space *space,
			    const struct vsplit_gpu_region *region, u32 index, u64 offset,
			    u64 bytes, struct vsplit_gpu_chunk *chunk);

/* ---- interpreter -------------------------------------------------------- */

struct vsplit_gpu_mma_scratch;

/**
 * struct vsplit_gpu_exec - The execution unit of an engine.
 * @space: what it is connected to.
 * @table: the resource table of the program that is being executed.
 * @lenient: undefined state is garbage instead of a fault.
 * @state: state registers.
 * @state_defined: mask of those that were set.
 * @scratch: for MMA.
 * @tlb: translations of virtual addresses.
 * @work: the RUN step that is being executed.
 * @fault: fault registers of its program.
 *
 * Only the engine's own thread touches it.
 */
struct vsplit_gpu_exec {
	struct vsplit_gpu_space *space;
	struct vsplit_gpu_table *table;
	bool lenient;
	u32 state[VSPLIT_STATE_COUNT];
	u32 state_defined;
	struct vsplit_gpu_mma_scratch *scratch;
	struct vsplit_gpu_tlb tlb;
	const struct vsplit_gpu_work *work;
	struct vsplit_gpu_fault_info *fault;
};

/**
 * vsplit_gpu_exec_run() - Execute a window of a command stream.
 * @exec: execution unit. If the program's resume is not 0, with the registers that it
 *	had when it gave way.
 * @work: for whom.
 * @step: index of the RUN step in @work->program.
 *
 * On anything but success the program's fault registers say why. Where it gives way,
 * between two packets, the program's resume says where it goes on; else that is 0.
 *
 * Return: enum vsplit_gpu_fault.
 */
u32 vsplit_gpu_exec_run(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_work *work,
			u32 step);

/* ---- surfaces ----------------------------------------------------------- */

/**
 * struct vsplit_gpu_surface - One end of COPY_2D; pixels, depths or texels of DRAW, or its
 * vertices; a matrix of MMA, without @bytes and @tiled; checked.
 * @span: where it is.
 * @bytes: from its first to behind its last.
 * @pitch: bytes from row to row.
 * @tiled: layout.
 */
struct vsplit_gpu_surface {
	struct vsplit_gpu_span span;
	u64 bytes;
	u32 pitch;
	bool tiled;
};

/** vsplit_gpu_surface_at() - Where byte @x of row @y is in it. */
static inline u64 vsplit_gpu_surface_at(const struct vsplit_gpu_surface *surface, u32 x, u32 y)
{
	return surface->tiled ? vsplit_swizzle_xy(surface->pitch, x, y) :
		(u64)y * surface->pitch + x;
}

/** vsplit_gpu_surface_map() - vsplit_gpu_span_map(); if it fails, fault registers say where. */
bool vsplit_gpu_surface_map(const struct vsplit_gpu_work *work,
			    const struct vsplit_gpu_surface *surface, u64 offset, u64 bytes,
			    struct vsplit_gpu_chunk *chunk);

/* ---- matrices ----------------------------------------------------------- */

/**
 * struct vsplit_gpu_mma - One multiplication.
 * @c: int32, @m rows of @n.
 * @a: int8, @m rows of @k.
 * @b: int8, @k rows of @n.
 * @m: rows of C.
 * @n: columns of C.
 * @k: length of the sums.
 * @accumulate: add to C instead of overwriting it.
 */
struct vsplit_gpu_mma {
	struct vsplit_gpu_surface c;
	struct vsplit_gpu_surface a;
	struct vsplit_gpu_surface b;
	u32 m;
	u32 n;
	u32 k;
	bool accumulate;
};

struct vsplit_gpu_mma_unit;

size_t vsplit_gpu_mma_scratch_bytes(void);

/**
 * vsplit_gpu_mma_unit() - A way to multiply that this processor has.
 * @n: 0 for the fastest.
 *
 * Return: the unit, or NULL behind the last one, which is scalar.
 */
const struct vsplit_gpu_mma_unit *vsplit_gpu_mma_unit(u32 n);

/**
 * vsplit_gpu_mma_scratch_init() - Make memory ready for vsplit_gpu_mma().
 * @scratch: vsplit_gpu_mma_scratch_bytes() bytes, 8-byte aligned, any content.
 * @unit: that multiplies.
 */
void vsplit_gpu_mma_scratch_init(struct vsplit_gpu_mma_scratch *scratch,
				 const struct vsplit_gpu_mma_unit *unit);

/**
 * vsplit_gpu_mma() - Multiply.
 * @scratch: initialised; used by one thread at a time.
 * @work: for whom.
 * @mma: what.
 */
enum vsplit_gpu_moved vsplit_gpu_mma(struct vsplit_gpu_mma_scratch *scratch,
				     const struct vsplit_gpu_work *work,
				     const struct vsplit_gpu_mma *mma);

/* ---- triangles ----------------------------------------------------------- */

/**
 * struct vsplit_gpu_draw - What DRAW draws.
 * @packet: checked by vsplit_isa_check().
 * @target: the pixels.
 * @depth: the depths, where the packet's flags say so.
 * @texture: the texels, likewise.
 * @vertices: @pitch and @tiled unused.
 * @touched: out: pixels and texels that were.
 */
struct vsplit_gpu_draw {
	const struct vsplit_packet_draw *packet;
	struct vsplit_gpu_surface target;
	struct vsplit_gpu_surface depth;
	struct vsplit_gpu_surface texture;
	struct vsplit_gpu_surface vertices;
	u64 touched;
};

/** vsplit_gpu_draw() - Draw triangles; @draw is the packet's own. */
enum vsplit_gpu_moved vsplit_gpu_draw(const struct vsplit_gpu_work *work,
				      struct vsplit_gpu_draw *draw);

#endif /* _VSPLIT_GPU_INTERNAL_H_ */
