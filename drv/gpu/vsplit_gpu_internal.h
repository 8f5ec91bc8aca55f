/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Inside of the GPU: what its files see of each other.
 *
 * The pure files (isa, swizzle, decode, ranges, mmu, paging, exec, mma, draw) include
 * this header, and nothing of the kernel beyond vsplit_gpu_compat.h. The machine (vsplit_gpu.c,
 * engine, turns, clock) is kernel only; it implements the vsplit_gpu_work functions,
 * for which the tests have a replacement.
 */
#ifndef _VSPLIT_GPU_INTERNAL_H_
#define _VSPLIT_GPU_INTERNAL_H_

#include "vsplit_gpu.h"
#include "vsplit_gpu_isa.h"
#include "vsplit_swizzle.h"

/* At most so many bytes are worked on between two looks at the cancel flag. */
#define VSPLIT_GPU_POLL_BYTES	(64u << 10)

/* The value that a lenient engine reads from an undefined register. */
#define VSPLIT_GPU_STATE_GARBAGE	0xdbdbdbdbu

/* ---- address decode ----------------------------------------------------- */

/**
 * struct vsplit_gpu_region - A memory bank or a GART at a range of addresses.
 * @base: first address.
 * @size: bytes.
 * @memory: of linear memory: kernel mapping.
 * @entries: of a GART, else NULL: one page per entry; NULL: unmapped. Single words, which any
 *	engine reads and writes with READ_ONCE and WRITE_ONCE. The driver sees to it that no
 *	engine uses an entry while another engine changes it.
 * @ranges: of linear memory: one byte per page: the number of the swizzling range that covers the
 *	page plus one, or 0; accessed as @entries. NULL: a bank without swizzling ranges.
 *
 * A region is constant from the moment that struct vsplit_gpu_space.nr_regions counts it,
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
 * @bytes: size of the surface; 0: unused.
 * @pitch: bytes per row of the surface.
 *
 * The registers are written while no engine uses the pages that name the range.
 */
struct vsplit_gpu_range {
	u64 address;
	u64 bytes;
	u32 pitch;
};

/**
 * struct vsplit_gpu_space - The address space.
 * @regions: @nr_regions regions, not overlapping.
 * @nr_regions: grows only; written with release, read with acquire semantics.
 * @dummy: a page of zeros, which reads of unmapped entries and of sparse pages see; never written.
 * @stray_writes: number of writes to unmapped entries.
 * @lose_maps: fault knob: MAP steps change nothing. READ_ONCE.
 * @ranges: swizzling ranges.
 * @tlbs: @nr_tlbs TLBs of the engines; constant from before the first program runs.
 * @nr_tlbs: elements of @tlbs.
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
 * struct vsplit_gpu_chunk - Contiguous bytes of GPU or system memory, mapped for the processor.
 * @ptr: first byte; NULL: the caller has to drop its write, because nothing is there.
 * @bytes: number of bytes, at least 1.
 * @kmap: address to hand to kunmap_local(), or NULL.
 * @tlb: TLB that translated the address, and stays locked until the chunk is unmapped; or NULL.
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
 * @vm: the virtual address space of @address; NULL: @address is no virtual address.
 * @tlb: TLB of the engine, where @vm is not NULL.
 * @pages: system pages, or NULL.
 * @runs: runs of the bytes in a segment, or NULL.
 * @address: address of byte 0, virtual with @vm; unused where @pages or @runs is not NULL.
 * @access: VSPLIT_GPU_ACCESS_*.
 * @slot: slot of a packet's operand, for faults.
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
 * vsplit_gpu_span_map() - Map bytes of a range for the processor.
 * @span: the range.
 * @offset: offset of the first byte in the range.
 * @bytes: how many bytes the caller wants; > 0.
 * @chunk: filled with 1 to @bytes bytes.
 *
 * Return: false if the address is refused; nothing is mapped then.
 */
bool vsplit_gpu_span_map(const struct vsplit_gpu_span *span, u64 offset, u64 bytes,
			 struct vsplit_gpu_chunk *chunk);
void vsplit_gpu_span_unmap(const struct vsplit_gpu_chunk *chunk);

/* ---- virtual addresses -------------------------------------------------- */

#define VSPLIT_GPU_TLB_ENTRIES	64	/* for each size of page */
#define VSPLIT_GPU_TLB_SIZES	3	/* 4 KiB, 64 KiB, 2 MiB */

/**
 * struct vsplit_gpu_tlb_entry - A translation that is remembered.
 * @asid: number of the address space; 0: the entry is empty.
 * @page: first virtual address of the page.
 * @pte: page table entry of the page.
 */
struct vsplit_gpu_tlb_entry {
	u64 asid;
	u64 page;
	u64 pte;
};

/**
 * struct vsplit_gpu_tlb - Translations that an engine remembers.
 * @lock: protects @entries. The engine also holds it while it touches translated bytes, a chunk at
 *	a time, and never while it sleeps. So after another thread has taken @lock, all accesses
 *	that the engine began before are over. No other lock is taken under @lock.
 * @depth: chunks that are being touched; of the engine's thread.
 * @entries: entries for each size of page; under @lock.
 * @fault: enum drm_vsplit_fault, why the last translation failed; of the engine's thread, as
 *	@address and @access.
 * @address: the address that could not be translated.
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

/** vsplit_gpu_tlb_init() - Initialise the TLB of an engine of @space, before programs run. */
void vsplit_gpu_tlb_init(struct vsplit_gpu_tlb *tlb, struct vsplit_gpu_space *space);

/**
 * struct vsplit_gpu_translation - Where the bytes at a virtual address are.
 * @address: their GPU address; unused with @sparse.
 * @bytes: number of bytes from the address to the end of the page.
 * @sparse: no memory is there: the bytes read as zeros, and writes are dropped.
 */
struct vsplit_gpu_translation {
	u64 address;
	u64 bytes;
	bool sparse;
};

/**
 * vsplit_gpu_tlb_enter() - Translate an address, and keep the translation valid.
 * @tlb: TLB of the calling engine.
 * @vm: the virtual address space.
 * @address: the virtual address.
 * @access: VSPLIT_GPU_ACCESS_WRITE or 0.
 * @to: filled on success.
 *
 * Return: true: the caller has to call vsplit_gpu_tlb_leave() after it has touched the bytes.
 * false: a page fault, which @tlb describes.
 */
bool vsplit_gpu_tlb_enter(struct vsplit_gpu_tlb *tlb, struct vsplit_gpu_vm *vm, u64 address,
			  u32 access, struct vsplit_gpu_translation *to);
void vsplit_gpu_tlb_leave(struct vsplit_gpu_tlb *tlb);

/* ---- work --------------------------------------------------------------- */

/**
 * struct vsplit_gpu_work - The program for which an engine touches bytes.
 * @engine: the engine; the tests have their own type.
 * @program: the program.
 * @paging: the work is a paging step: cancelling the program does not stop it.
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
 * Counts progress (the heartbeat), and reschedules if necessary.
 *
 * Return: true if the work is to stop at once.
 */
bool vsplit_gpu_work_stop(const struct vsplit_gpu_work *work);

/**
 * vsplit_gpu_work_yields() - Between two packets: end the turn if it is over.
 * @work: the work.
 *
 * Return: true if another context's program goes on.
 */
bool vsplit_gpu_work_yields(const struct vsplit_gpu_work *work);

/**
 * vsplit_gpu_work_charge() - Spend the declared time of a command that was executed.
 * @work: the work.
 * @bytes: number of bytes that the command touched.
 * @macs: number of its multiply-accumulates.
 *
 * Return: true if the work was stopped meanwhile.
 */
bool vsplit_gpu_work_charge(const struct vsplit_gpu_work *work, u64 bytes, u64 macs);

/** vsplit_gpu_work_spin() - Do nothing for @us. Return: true if the work was stopped meanwhile. */
bool vsplit_gpu_work_spin(const struct vsplit_gpu_work *work, u32 us);

/** vsplit_gpu_work_signal() - Raise a monitored fence, after the time of all commands so far. */
void vsplit_gpu_work_signal(const struct vsplit_gpu_work *work, u32 fence, u64 value);

/** vsplit_gpu_work_now() - The engine's clock, ns. */
u64 vsplit_gpu_work_now(const struct vsplit_gpu_work *work);

/**
 * enum vsplit_gpu_moved - How touching a range ended.
 * @VSPLIT_GPU_MOVED_ALL: all bytes were touched.
 * @VSPLIT_GPU_MOVED_STOPPED: vsplit_gpu_work_stop() said that the work is to stop.
 * @VSPLIT_GPU_MOVED_DECODE: an address was refused; of a copy, an address of the destination.
 * @VSPLIT_GPU_MOVED_DECODE_SRC: of a copy: an address of the source was refused.
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

/* As vsplit_gpu_span_copy(), of at most VSPLIT_GPU_POLL_BYTES; does not ask whether to stop. */
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
 * Return: enum vsplit_gpu_moved; MOVED_DECODE and MOVED_DECODE_SRC mean a bug of the driver.
 */
enum vsplit_gpu_moved vsplit_gpu_paging_step(struct vsplit_gpu_space *space,
					     const struct vsplit_gpu_work *work,
					     const struct vsplit_gpu_step *step);

/* Execute a BIND step. */
enum vsplit_gpu_moved vsplit_gpu_mmu_bind(struct vsplit_gpu_space *space,
					  const struct vsplit_gpu_work *work,
					  const struct vsplit_gpu_step *step);

/**
 * vsplit_gpu_mmu_leave() - Before a paging step moves an allocation: mark its ranges as absent.
 * @space: the address space.
 * @work: with @paging set.
 * @maps: all virtual ranges that show the allocation.
 *
 * When this returns, all accesses through these ranges are over.
 */
void vsplit_gpu_mmu_leave(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
			  const struct vsplit_gpu_maps *maps);

/** vsplit_gpu_mmu_arrive() - After a paging step: let the ranges show the allocation at @at. */
void vsplit_gpu_mmu_arrive(const struct vsplit_gpu_work *work, const struct vsplit_gpu_maps *maps,
			   const struct vsplit_gpu_loc *at);

/* ---- swizzling ranges --------------------------------------------------- */

/**
 * vsplit_gpu_range_set() - Set a swizzling range on a surface whose bytes are linear already.
 * @space: the address space.
 * @index: index of the range.
 * @address: GPU address of the surface.
 * @bytes: size of the surface.
 * @pitch: bytes per row of the surface.
 *
 * Return: false if there is no such range or bank, or the surface cannot be tiled.
 */
bool vsplit_gpu_range_set(struct vsplit_gpu_space *space, u32 index, u64 address, u64 bytes,
			  u32 pitch);

/**
 * vsplit_gpu_range_chunk() - Where the bytes of a covered surface really are.
 * @space: the address space.
 * @region: memory bank.
 * @index: index of the range that covers the page.
 * @offset: offset in the bank, as the GPU addresses it: tiled.
 * @bytes: how many bytes the caller wants; > 0.
 * @chunk: filled with the bytes that are together in both layouts.
 */
void vsplit_gpu_range_chunk(const struct vsplit_gpu_space *space,
			    const struct vsplit_gpu_region *region, u32 index, u64 offset,
			    u64 bytes, struct vsplit_gpu_chunk *chunk);

/* ---- interpreter -------------------------------------------------------- */

struct vsplit_gpu_mma_scratch;

/**
 * struct vsplit_gpu_exec - The execution unit of an engine.
 * @space: the address space of the GPU.
 * @table: the resource table of the program that is being executed.
 * @lenient: undefined registers read as garbage instead of a fault.
 * @state: state registers.
 * @state_defined: mask of the registers that were set.
 * @scratch: for MMA.
 * @tlb: translations of virtual addresses.
 * @work: the work of the RUN step that is being executed.
 * @fault: fault registers of the program that is being executed.
 *
 * Only the engine's own thread touches the unit, but for @tlb, which has a lock.
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
 * @exec: execution unit. If the program's resume is not 0, the unit has the registers of the
 *	moment when the program gave way.
 * @work: the work.
 * @step: index of the RUN step in @work->program.
 *
 * If the step does not succeed, the program's fault registers say why. If the program gives way
 * between two packets, its resume says where it goes on; otherwise its resume is 0.
 *
 * Return: enum drm_vsplit_fault.
 */
u32 vsplit_gpu_exec_run(struct vsplit_gpu_exec *exec, const struct vsplit_gpu_work *work,
			u32 step);

/* ---- surfaces ----------------------------------------------------------- */

/**
 * struct vsplit_gpu_surface - A checked operand: one end of COPY_2D; pixels, depths, texels or
 * vertices of DRAW; or a matrix of MMA, without @bytes and @tiled.
 * @span: the range of its bytes.
 * @bytes: number of bytes from the first to the last.
 * @pitch: bytes from row to row.
 * @tiled: the layout is tiled.
 */
struct vsplit_gpu_surface {
	struct vsplit_gpu_span span;
	u64 bytes;
	u32 pitch;
	bool tiled;
};

/** vsplit_gpu_surface_at() - Offset of byte @x of row @y in a surface. */
static inline u64 vsplit_gpu_surface_at(const struct vsplit_gpu_surface *surface, u32 x, u32 y)
{
	return surface->tiled ? vsplit_swizzle_xy(surface->pitch, x, y) :
		(u64)y * surface->pitch + x;
}

/** vsplit_gpu_surface_map() - vsplit_gpu_span_map() that fills the fault registers if it fails. */
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
 * vsplit_gpu_mma_unit() - Find a unit that this processor can execute.
 * @n: number of the unit; 0: the fastest. The last unit is the scalar one.
 *
 * Return: the unit, or NULL if there are not that many.
 */
const struct vsplit_gpu_mma_unit *vsplit_gpu_mma_unit(u32 n);

/**
 * vsplit_gpu_mma_scratch_init() - Make memory ready for vsplit_gpu_mma().
 * @scratch: vsplit_gpu_mma_scratch_bytes() bytes, 8-byte aligned, any content.
 * @unit: the unit that multiplies.
 */
void vsplit_gpu_mma_scratch_init(struct vsplit_gpu_mma_scratch *scratch,
				 const struct vsplit_gpu_mma_unit *unit);

/**
 * vsplit_gpu_mma() - Multiply.
 * @scratch: initialised; used by one thread at a time.
 * @work: the work.
 * @mma: the multiplication.
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
 * @texture: the texels, where the packet's flags say so.
 * @vertices: the vertices; pitch and tiled are unused.
 * @touched: out: number of pixels, depths and texels that were touched.
 */
struct vsplit_gpu_draw {
	const struct vsplit_packet_draw *packet;
	struct vsplit_gpu_surface target;
	struct vsplit_gpu_surface depth;
	struct vsplit_gpu_surface texture;
	struct vsplit_gpu_surface vertices;
	u64 touched;
};

/** vsplit_gpu_draw() - Draw the triangles of a packet; @draw is written. */
enum vsplit_gpu_moved vsplit_gpu_draw(const struct vsplit_gpu_work *work,
				      struct vsplit_gpu_draw *draw);

#endif /* _VSPLIT_GPU_INTERNAL_H_ */
