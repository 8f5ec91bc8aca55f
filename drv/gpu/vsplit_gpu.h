/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The software GPU: what the driver sees of the hardware.
 *
 * A GPU has an address space made of regions (memory banks and GARTs) and up to
 * VSPLIT_GPU_MAX_ENGINES engines. An engine takes *programs* from its ring and
 * executes them in order, each to its end. A program is a list of steps: paging
 * steps (transfer, fill, map, unmap) and RUN steps, each a window on one
 * command stream (vsplit_isa.h). Clients take turns, and so do the contexts of each.
 * As the engine is made a turn ends with a program, so that portions are back to
 * back (SPLIT-5), after any RUN step (save/restore), or between two packets. A
 * program that only pages runs before the others, and between two portions of
 * another one, too (SPLIT-6), unless its client has had more of the engine.
 *
 * Rules of the hardware:
 * - It never allocates memory, takes no lock of the driver, and waits for
 *   nothing but its own paging engine: a program that was rung always ends.
 * - Paging steps of a program are always executed, whatever happens to its RUN
 *   steps (cancelled, faulted): bytes are never lost. Only a dead GPU drops them.
 * - A hardware queue (struct vsplit_gpu_queue) is a program that has a ring instead of a
 *   stream: the engine takes packets out of it until there is none, it is to stop, or
 *   another client's turn comes, whatever else the engine switches at.
 * - It calls the driver back only through struct vsplit_gpu_irq_ops, from the
 *   engine's thread, without holding a lock.
 * - Every access of a RUN step is checked, address and length, against the row
 *   of the resource table that the operand names, as it stands at that point of
 *   the stream; a violation is a fault: nothing outside was read or written.
 */
#ifndef _VSPLIT_GPU_H_
#define _VSPLIT_GPU_H_

#include "vsplit_gpu_compat.h"
#include "drm/vsplit_isa.h"

struct page;
struct vsplit_gpu;
struct vsplit_gpu_engine;
struct vsplit_gpu_program;
struct vsplit_gpu_space;
struct vsplit_gpu_vm;

#define VSPLIT_GPU_MAX_REGIONS	6
#define VSPLIT_GPU_MAX_ENGINES	8
#define VSPLIT_GPU_MAX_RANGES	96	/* swizzling ranges, of all regions */
#define VSPLIT_GPU_MAX_LIMITS	16	/* see vsplit_gpu_limit() */

/**
 * enum vsplit_gpu_clock - How long work takes.
 * @VSPLIT_GPU_CLOCK_REAL: as long as the host takes.
 * @VSPLIT_GPU_CLOCK_MODEL: every command and paging byte is done at once and
 *	charged the declared time of struct vsplit_gpu_model; the engine sleeps
 *	(hrtimer) until the present has caught up with its own timeline.
 */
enum vsplit_gpu_clock {
	VSPLIT_GPU_CLOCK_REAL,
	VSPLIT_GPU_CLOCK_MODEL,
};

/**
 * struct vsplit_gpu_model - Declared times of the model clock.
 * @command_ns: every command.
 * @bytes_per_us: bytes that a command touches (fill, copy), or a paging step that moves them inside
 *	memory, per microsecond; what moves is read and written.
 * @macs_per_us: multiply-accumulates per microsecond.
 * @paging_bytes_per_us: bytes of other paging steps per microsecond.
 * @paging_op_ns: every paging step.
 */
struct vsplit_gpu_model {
	u32 command_ns;
	u32 bytes_per_us;
	u32 macs_per_us;
	u32 paging_bytes_per_us;
	u32 paging_op_ns;
};

/* struct vsplit_gpu_engine_config.flags */
#define VSPLIT_GPU_ENGINE_SAVE_RESTORE	BIT(0)	/* switches contexts after a RUN step */
#define VSPLIT_GPU_ENGINE_LENIENT	BIT(1)	/* undefined state is garbage, no fault */
#define VSPLIT_GPU_ENGINE_PAGING	BIT(2)	/* executes paging steps only */
#define VSPLIT_GPU_ENGINE_PACKETS	BIT(3)	/* switches between packets, by time slice */

/**
 * struct vsplit_gpu_engine_config - One engine.
 * @name: of its thread; copied.
 * @flags: VSPLIT_GPU_ENGINE_*.
 * @paging: index of the engine that executes the paging steps of this engine's
 *	programs, and of its own, which is why it never waits; or its own index.
 */
struct vsplit_gpu_engine_config {
	const char *name;
	u32 flags;
	u32 paging;
};

/**
 * struct vsplit_gpu_config - The whole GPU.
 * @nr_engines: engines in @engines.
 * @engines: one each.
 * @clock: enum vsplit_gpu_clock.
 * @model: for the model clock.
 * @irq: callbacks, all of them; must outlive the GPU.
 * @priv: handed to the callbacks.
 */
struct vsplit_gpu_config {
	u32 nr_engines;
	const struct vsplit_gpu_engine_config *engines;
	enum vsplit_gpu_clock clock;
	struct vsplit_gpu_model model;
	const struct vsplit_gpu_irq_ops *irq;
	void *priv;
};

/**
 * struct vsplit_gpu_run - Bytes that are together in a segment.
 * @offset: of the first one in what the runs are of.
 * @address: GPU address of it; page-aligned, as the others.
 * @bytes: how many.
 */
struct vsplit_gpu_run {
	u64 offset;
	u64 address;
	u64 bytes;
};

/**
 * struct vsplit_gpu_runs - Where what is in several runs lies in its segment; constant.
 * @ref: of the driver, and of each step that names it.
 * @nr: elements of @run, > 0.
 * @run: in the order of their offsets, from 0 on without a gap.
 */
struct vsplit_gpu_runs {
	struct kref ref;
	u32 nr;
	struct vsplit_gpu_run run[];
};

/**
 * struct vsplit_gpu_loc - One end of a paging step.
 * @address: GPU address, where @pages and @runs are NULL.
 * @pages: system pages (WDDM's MDL), page-aligned start; or NULL.
 * @runs: of TRANSFER and FILL: a reference to where it is in a segment; or NULL.
 */
struct vsplit_gpu_loc {
	u64 address;
	struct page **pages;
	struct vsplit_gpu_runs *runs;
};

/* struct vsplit_gpu_row.flags */
#define VSPLIT_GPU_ROW_WRITE	BIT(0)

/**
 * struct vsplit_gpu_row - A change of the resource table by the driver.
 * @slot: which row.
 * @flags: VSPLIT_GPU_ROW_*.
 * @address: GPU address of the range.
 * @size: bytes; 0: the row becomes empty.
 */
struct vsplit_gpu_row {
	u32 slot;
	u32 flags;
	u64 address;
	u64 size;
};

/**
 * struct vsplit_gpu_reg_row - A row of the resource table in the engine.
 * @address: GPU address of the range.
 * @size: bytes; 0: empty.
 * @flags: VSPLIT_GPU_ROW_*.
 * @generation: the row is empty unless this equals the table's.
 */
struct vsplit_gpu_reg_row {
	u64 address;
	u64 size;
	u32 flags;
	u32 generation;
};

/**
 * struct vsplit_gpu_table - The resource table of a context. Allocated as zeros by the
 * driver, for one context; the engine that executes a program of it writes it, and
 * goes from table to table where it goes from context to context.
 * @generation: which rows are valid; changes when all become empty.
 * @nr_slots: rows.
 * @rows: @nr_slots of them.
 */
struct vsplit_gpu_table {
	u32 generation;
	u32 nr_slots;
	struct vsplit_gpu_reg_row rows[];
};

/* ---- virtual addresses ---- */

#define VSPLIT_GPU_VM_BYTES	0x1000000000000ull	/* of an address space, from 0 on */

/* struct vsplit_gpu_map.flags, struct vsplit_gpu_bind.flags */
#define VSPLIT_GPU_MAP_WRITE	BIT(0)	/* may be written */
#define VSPLIT_GPU_MAP_SPARSE	BIT(1)	/* bind: nothing is there: zeros, writes are dropped */
#define VSPLIT_GPU_MAP_ABSENT	BIT(2)	/* bind: mapped, and not resident */
#define VSPLIT_GPU_MAP_RESIDENT	BIT(3)	/* bind: mapped, and at @address */

/**
 * struct vsplit_gpu_map - A virtual range that shows a part of an allocation.
 * @va: first virtual address; page-aligned, as what follows.
 * @bytes: of it.
 * @offset: of the part in the allocation.
 * @flags: VSPLIT_GPU_MAP_WRITE or 0.
 */
struct vsplit_gpu_map {
	u64 va;
	u64 bytes;
	u64 offset;
	u32 flags;
};

/**
 * struct vsplit_gpu_vm_maps - All ranges of an address space that show an allocation; constant.
 * @ref: of each struct vsplit_gpu_maps that names it.
 * @freed: called when the last reference is gone, with the bytes that were held; or NULL.
 * @owner: its argument.
 * @vm: reference to the address space.
 * @ended: the driver's, not constant: the address space has ended.
 * @written: one of them may be written.
 * @bytes: of all ranges.
 * @nr: elements of @map.
 * @map: the ranges.
 */
struct vsplit_gpu_vm_maps {
	struct kref ref;
	void (*freed)(void *owner, u64 bytes);
	void *owner;
	struct vsplit_gpu_vm *vm;
	bool ended;
	bool written;
	u64 bytes;
	u32 nr;
	struct vsplit_gpu_map map[];
};

/**
 * struct vsplit_gpu_maps - All virtual ranges that show an allocation; constant.
 * @ref: of the driver, and of each step that names it.
 * @freed: called when the last reference is gone, with the bytes that were held; or NULL.
 * @owner: its argument.
 * @written: one of them may be written.
 * @nr: elements of @vms.
 * @vms: the ranges of each address space; references.
 */
struct vsplit_gpu_maps {
	struct kref ref;
	void (*freed)(void *owner, u64 bytes);
	void *owner;
	bool written;
	u32 nr;
	struct vsplit_gpu_vm_maps *vms[];
};

/**
 * struct vsplit_gpu_bind - A change of an address space.
 * @va: first virtual address; page-aligned, as what follows.
 * @bytes: of the range; its page tables are reserved.
 * @address: GPU address of what it shows, with RESIDENT; where there are @runs, offset in these.
 * @runs: a reference to where what it shows is, or NULL: in one piece.
 * @flags: one of RESIDENT, ABSENT and SPARSE; or 0: nothing is there. WRITE beside the first.
 */
struct vsplit_gpu_bind {
	u64 va;
	u64 bytes;
	u64 address;
	struct vsplit_gpu_runs *runs;
	u32 flags;
};

/**
 * enum vsplit_gpu_step_type - Steps of a program.
 * @VSPLIT_GPU_STEP_TRANSFER: copy bytes between locations; may overlap.
 * @VSPLIT_GPU_STEP_FILL: repeat a 32-bit pattern.
 * @VSPLIT_GPU_STEP_MAP: let GART entries point to system pages.
 * @VSPLIT_GPU_STEP_UNMAP: let GART entries point to the dummy page.
 * @VSPLIT_GPU_STEP_RUN: execute a window of the command stream.
 * @VSPLIT_GPU_STEP_MARK: nothing; for its notification (a clean eviction).
 * @VSPLIT_GPU_STEP_ACQUIRE_RANGE: set a swizzling range on a tiled surface.
 * @VSPLIT_GPU_STEP_RELEASE_RANGE: drop one, and tile its surface again.
 * @VSPLIT_GPU_STEP_BIND: change what virtual addresses show.
 */
enum vsplit_gpu_step_type {
	VSPLIT_GPU_STEP_TRANSFER,
	VSPLIT_GPU_STEP_FILL,
	VSPLIT_GPU_STEP_MAP,
	VSPLIT_GPU_STEP_UNMAP,
	VSPLIT_GPU_STEP_RUN,
	VSPLIT_GPU_STEP_MARK,
	VSPLIT_GPU_STEP_ACQUIRE_RANGE,
	VSPLIT_GPU_STEP_RELEASE_RANGE,
	VSPLIT_GPU_STEP_BIND,
};

/* struct vsplit_gpu_step.flags */
#define VSPLIT_GPU_STEP_NOTIFY	BIT(0)	/* raise step_done after it */
#define VSPLIT_GPU_STEP_SKIPPED	BIT(1)	/* out: it did not (all) run */
#define VSPLIT_GPU_STEP_SWIZZLE	BIT(2)	/* transfer from linear to tiled */
#define VSPLIT_GPU_STEP_UNSWIZZLE BIT(3)	/* transfer from tiled to linear */
#define VSPLIT_GPU_STEP_DROP_RANGE BIT(4)	/* TRANSFER, FILL, MARK: drop @range afterwards */
#define VSPLIT_GPU_STEP_MOVE_RANGE BIT(5)	/* TRANSFER, FILL: @range goes with the bytes */
#define VSPLIT_GPU_STEP_SAVE	BIT(6)	/* RELEASE_RANGE: the pages are older than memory */
#define VSPLIT_GPU_STEP_CLEAR	BIT(7)	/* RUN: the table is empty before @run.rows */
#define VSPLIT_GPU_STEP_ARRIVES	BIT(8)	/* @maps show @dst afterwards; else nothing */

/**
 * struct vsplit_gpu_step - One step. Written by the driver before the doorbell;
 * owned by the hardware from then until program_done.
 * @type: enum vsplit_gpu_step_type.
 * @flags: VSPLIT_GPU_STEP_*.
 * @dst: destination of TRANSFER, FILL, MAP, UNMAP (@dst.address of the range);
 *	the surface of ACQUIRE_RANGE and RELEASE_RANGE.
 * @src: source of TRANSFER; @src.pages of MAP. ACQUIRE_RANGE and RELEASE_RANGE:
 *	@src.pages has the surface's bytes in linear order, or gets them first
 *	(UNSWIZZLE, SAVE); NULL: the surface is all zeros, nothing is copied.
 * @bytes: of all but RUN and MARK; multiple of the page size.
 * @after: of a paging step, where the program has @ahead: one past the index of the RUN step that
 *	must be over before it begins, or 0: it waits for the paging steps before it alone.
 * @pattern: of FILL.
 * @pitch: of SWIZZLE, UNSWIZZLE and ACQUIRE_RANGE: bytes per row of the surface;
 *	of RELEASE_RANGE, too.
 * @range: index of a swizzling range, below VSPLIT_GPU_MAX_RANGES.
 * @maps: of a step that moves an allocation: a reference to where it is mapped, or NULL.
 *	Before the step touches a byte they show nothing, and no engine uses them.
 * @vm: of BIND: the address space.
 * @binds: of BIND: @nr_binds changes, which take effect in their order.
 * @nr_binds: how many.
 * @run: of RUN.
 * @run.begin: first byte of the window in the program's stream.
 * @run.end: one past its last byte.
 * @run.rows: changes of the resource table at its start: rows not named stay as the
 *	step before left them, or, with CLEAR, are empty.
 * @run.nr_rows: how many.
 * @begin_ns: out: CLOCK_MONOTONIC (or the model's timeline) at its start.
 * @end_ns: out: at its end.
 */
struct vsplit_gpu_step {
	u32 type;
	u32 flags;
	struct vsplit_gpu_loc dst;
	struct vsplit_gpu_loc src;
	u64 bytes;
	u32 after;
	u32 pattern;
	u32 pitch;
	u32 range;
	struct vsplit_gpu_maps *maps;
	struct vsplit_gpu_vm *vm;
	const struct vsplit_gpu_bind *binds;
	u32 nr_binds;
	struct {
		u32 begin;
		u32 end;
		const struct vsplit_gpu_row *rows;
		u32 nr_rows;
	} run;
	u64 begin_ns;
	u64 end_ns;
};

/**
 * enum vsplit_gpu_fault - Why a RUN step stopped.
 * @VSPLIT_GPU_FAULT_NONE: it did not.
 * @VSPLIT_GPU_FAULT_BAD_PACKET: malformed or unknown packet.
 * @VSPLIT_GPU_FAULT_EMPTY_ROW: operand names an empty row.
 * @VSPLIT_GPU_FAULT_BOUNDS: access not inside the row's range.
 * @VSPLIT_GPU_FAULT_WRITE: write through a row that may only be read.
 * @VSPLIT_GPU_FAULT_ALIGN: operand not aligned as the packet requires.
 * @VSPLIT_GPU_FAULT_STATE: strict mode: undefined state register used.
 * @VSPLIT_GPU_FAULT_DECODE: the address belongs to no region, or to an unmapped
 *	GART page.
 * @VSPLIT_GPU_FAULT_CANCELLED: the driver cancelled the program.
 * @VSPLIT_GPU_FAULT_NOT_MAPPED: page fault: nothing is mapped at the virtual address.
 * @VSPLIT_GPU_FAULT_NOT_RESIDENT: page fault: what is mapped there is not resident.
 * @VSPLIT_GPU_FAULT_READ_ONLY: page fault: write to what is mapped for reading only.
 */
enum vsplit_gpu_fault {
	VSPLIT_GPU_FAULT_NONE,
	VSPLIT_GPU_FAULT_BAD_PACKET,
	VSPLIT_GPU_FAULT_EMPTY_ROW,
	VSPLIT_GPU_FAULT_BOUNDS,
	VSPLIT_GPU_FAULT_WRITE,
	VSPLIT_GPU_FAULT_ALIGN,
	VSPLIT_GPU_FAULT_STATE,
	VSPLIT_GPU_FAULT_DECODE,
	VSPLIT_GPU_FAULT_CANCELLED,
	VSPLIT_GPU_FAULT_NOT_MAPPED,
	VSPLIT_GPU_FAULT_NOT_RESIDENT,
	VSPLIT_GPU_FAULT_READ_ONLY,
};

static inline bool vsplit_gpu_fault_is_page(u32 fault)
{
	return fault >= VSPLIT_GPU_FAULT_NOT_MAPPED && fault <= VSPLIT_GPU_FAULT_READ_ONLY;
}

/**
 * struct vsplit_gpu_fault_info - Fault registers of a program.
 * @fault: enum vsplit_gpu_fault; the first one.
 * @step: index of the RUN step.
 * @offset: of the packet in the stream.
 * @slot: of the operand, or ~0.
 * @write: of a page fault: it was a write.
 * @address: GPU address that was refused, or 0; of a page fault the first virtual one.
 */
struct vsplit_gpu_fault_info {
	u32 fault;
	u32 step;
	u32 offset;
	u32 slot;
	bool write;
	u64 address;
};

/** define VSPLIT_GPU_STALL_NS - Time between two stalls of a program, at least. */
#define VSPLIT_GPU_STALL_NS	(10 * NSEC_PER_MSEC)

/** define VSPLIT_GPU_PRIORITIES - Levels of contexts; the lowest number goes first. */
#define VSPLIT_GPU_PRIORITIES	3

/** define VSPLIT_GPU_PAGING - Instead of a priority: of contexts whose programs only page. */
#define VSPLIT_GPU_PAGING	VSPLIT_GPU_PRIORITIES

/**
 * define VSPLIT_GPU_SLICE_NS - Turn of a context where an engine switches between packets, and
 * of what only pages.
 */
#define VSPLIT_GPU_SLICE_NS	(5 * NSEC_PER_MSEC)

/**
 * struct vsplit_gpu_turn - A client at one priority, or with its paging; the hardware's.
 * @node: in the engine's tree while there is something to do; under the engine's lock.
 * @contexts: that have programs, the next one first; under the engine's lock.
 * @used: time that it took the engine, ns, as vsplit_gpu_turns.c counts it; likewise.
 */
struct vsplit_gpu_turn {
	struct rb_node node;
	struct list_head contexts;
	u64 used;
};

/**
 * struct vsplit_gpu_client - Whose turn it may be, for one engine; embedded by the driver.
 * Initialised by vsplit_gpu_client_init(), else the hardware's.
 * @paging: the same client on the engine that executes this one's paging steps; constant.
 * @turns: of each priority, and of paging.
 * @apart: programs of other engines whose next paging step may begin, the next one first; under
 *	the engine's lock.
 */
struct vsplit_gpu_client {
	struct vsplit_gpu_client *paging;
	struct vsplit_gpu_turn turns[VSPLIT_GPU_PRIORITIES + 1];
	struct list_head apart;
};

/**
 * struct vsplit_gpu_context - What submits programs to one engine; embedded by the driver.
 * Initialised by vsplit_gpu_context_init().
 * @client: that it belongs to; constant.
 * @priority: below VSPLIT_GPU_PRIORITIES, or VSPLIT_GPU_PAGING; constant.
 * @link: in the client's list while there are @programs; under the engine's lock.
 * @programs: FIFO; under the engine's lock.
 * @state: for an engine that switches between packets: the state registers when this
 *	context gave way; the engine's thread's.
 * @state_defined: those that were set.
 */
struct vsplit_gpu_context {
	struct vsplit_gpu_client *client;
	u32 priority;
	struct list_head link;
	struct list_head programs;
	u32 state[VSPLIT_STATE_COUNT];
	u32 state_defined;
};

#define VSPLIT_GPU_QUEUE_PACKET	128	/* bytes that can matter of a packet, and more */

/**
 * struct vsplit_gpu_queue - A ring of packets, which a client writes as well; embedded by the
 * driver, which initialises what is said to be constant.
 * @ring: packets; constant, of which nothing is believed before it was copied.
 * @ring_bytes: power of two; constant.
 * @tail: bytes that the client has ever put into the ring, as it says; likewise.
 * @shown: for the client: @done. Never read.
 * @history: for the client: @nr_history times; constant. Never read.
 * @nr_history: how many; constant.
 * @done: bytes of packets that were executed; the engine's, READ_ONCE.
 * @stop: it is to end between two packets; under the engine's lock, READ_ONCE.
 * @packet: the one that is executed, as it was when it was copied; the engine's.
 */
struct vsplit_gpu_queue {
	const u8 *ring;
	u32 ring_bytes;
	u64 *tail;
	u64 *shown;
	u64 *history;
	u32 nr_history;
	u64 done;
	bool stop;
	u64 packet[VSPLIT_GPU_QUEUE_PACKET / sizeof(u64)];
};

/** define VSPLIT_GPU_BUSY_NOW - In struct vsplit_gpu_busy.ns: one of the steps is executed. */
#define VSPLIT_GPU_BUSY_NOW	BIT_ULL(63)

/**
 * struct vsplit_gpu_busy - Time that steps took an engine; written by its thread, READ_ONCE.
 * @ns: of those that are over. With VSPLIT_GPU_BUSY_NOW: when the one that is executed would have
 *	begun if it had taken all of that time, too. One word: whatever looks counts it once.
 */
struct vsplit_gpu_busy {
	u64 ns;
};

/**
 * struct vsplit_gpu_program - Unit of work of an engine; embedded by the driver.
 * @steps: @nr_steps of them.
 * @nr_steps: at least 1.
 * @stream: the command stream, patched; 8-byte aligned; NULL: there is no RUN step,
 *	the program only pages.
 * @stream_bytes: its size, bytes.
 * @queue: it has this instead of a stream, and one RUN step: @stream is its packet; or NULL.
 * @context: whose it is: programs of one context never overtake each other.
 * @table: the resource table of @context; NULL without RUN steps. All programs of a
 *	context have the same.
 * @vm: the virtual address space of @context; NULL: it has none. Likewise.
 * @coverage: for whom test builds collect coverage while it runs, or 0.
 * @cancel: a negative error once the driver has cancelled it; else 0. Polled
 *	at every command and inside long ones. Atomic access (READ_ONCE).
 * @progress: goes up with every command and step: the driver's heartbeat.
 * @stalls: goes up while an engine is awake for it and sees no progress, that is in
 *	a spin: once in VSPLIT_GPU_STALL_NS at most, less often on a host that is late.
 * @run_ns: real time that an engine was seen to execute its RUN steps; goes up. An
 *	engine that gets no processor is not seen.
 * @busy: time that steps took which its engine executed.
 * @busy_apart: time that steps took which a paging engine executed.
 * @still: time that its engine stood still for those.
 * @charged: the hardware's: what its client has used of @busy and @still; under the engine's lock.
 * @turns: how often it came to where it gives way, if it is another context's turn.
 * @resume: the hardware's: offset of the packet that it gave way before, or 0.
 * @fault: fault registers, stable once program_done was raised.
 * @link: the hardware's, in the ring; under the engine's lock.
 * @cursor: the hardware's: next step.
 * @ahead: its paging steps are executed as soon as they may be, beside its RUN steps; only with
 *	@stream. Where an engine pages itself, this changes nothing.
 * @apart: the hardware's, in the client's list; under the paging engine's lock.
 * @engine: the hardware's: where it was rung.
 * @ran: the hardware's: one past the last RUN step that is over; under the paging engine's lock.
 * @page: the hardware's: next paging step; the paging engine's thread.
 * @until: the hardware's: paging steps before this one may begin; under the paging engine's lock.
 * @paged: the hardware's: paging steps before this one are over. Release and acquire.
 * @rung_ns: the hardware's: when it was rung.
 * @given_ns: the hardware's: since when steps before @until may begin.
 */
struct vsplit_gpu_program {
	struct vsplit_gpu_step *steps;
	u32 nr_steps;
	void *stream;
	u32 stream_bytes;
	struct vsplit_gpu_queue *queue;
	struct vsplit_gpu_context *context;
	struct vsplit_gpu_table *table;
	struct vsplit_gpu_vm *vm;
	u64 coverage;
	int cancel;
	unsigned long progress;
	unsigned long stalls;
	u64 run_ns;
	struct vsplit_gpu_busy busy;
	struct vsplit_gpu_busy busy_apart;
	struct vsplit_gpu_busy still;
	u64 charged;
	u32 turns;
	u32 resume;
	struct vsplit_gpu_fault_info fault;
	struct list_head link;
	u32 cursor;
	bool ahead;
	struct list_head apart;
	struct vsplit_gpu_engine *engine;
	u32 ran;
	u32 page;
	u32 until;
	u32 paged;
	u64 rung_ns;
	u64 given_ns;
};

/**
 * struct vsplit_gpu_irq_ops - The interrupts. Called from an engine's thread in
 * process context inside a dma-fence signalling section: no sleeping lock that
 * is held across an allocation, no allocation that waits.
 * @step_begin: a step is about to start (for tracing).
 * @step_done: a step with VSPLIT_GPU_STEP_NOTIFY is complete (or skipped, see
 *	VSPLIT_GPU_STEP_SKIPPED); its times are written. In order, but for steps that are
 *	executed ahead. Raised for each of them before program_done, on every path.
 * @fault: a RUN step faulted; the rest of the RUN steps is skipped.
 * @signal_fence: VSPLIT_OP_SIGNAL_FENCE: raise a monitored fence of the program's client.
 * @wait_fence: VSPLIT_OP_WAIT_FENCE of a hardware queue. 0: the value is reached.
 *	-EINPROGRESS: it is not; the engine gives the queue back, which is rung again when it is.
 *	Another error: it never will be.
 * @queue_progress: a packet of a hardware queue was executed: its done has grown.
 * @program_done: the hardware has let go of the program. Exactly once per doorbell. @error is 0,
 *	the cancel error, -EFAULT after a fault, or -ENODEV when the GPU died first. A cancel that
 *	came too late to keep any RUN step from completing changes nothing: @error is 0.
 *
 * @engine is the one that the program was rung on, or that executes a step ahead. Paging steps may
 * be executed, and so notified, by another engine's thread, but never two callbacks of a program
 * at a time; only where they are executed ahead, those of RUN steps may come at the same time.
 */
struct vsplit_gpu_irq_ops {
	void (*step_begin)(void *priv, struct vsplit_gpu_engine *engine,
			   struct vsplit_gpu_program *program, u32 step);
	void (*step_done)(void *priv, struct vsplit_gpu_engine *engine,
			  struct vsplit_gpu_program *program, u32 step);
	void (*fault)(void *priv, struct vsplit_gpu_engine *engine,
		      struct vsplit_gpu_program *program);
	void (*signal_fence)(void *priv, struct vsplit_gpu_engine *engine,
			     struct vsplit_gpu_program *program, u32 fence, u64 value);
	int (*wait_fence)(void *priv, struct vsplit_gpu_program *program, u32 fence, u64 value);
	void (*queue_progress)(void *priv, struct vsplit_gpu_program *program);
	void (*program_done)(void *priv, struct vsplit_gpu_engine *engine,
			     struct vsplit_gpu_program *program, int error);
};

/**
 * vsplit_gpu_create() - Power up a GPU without memory.
 * @config: what it consists of.
 *
 * Return: the GPU, or ERR_PTR(-ENOMEM).
 */
struct vsplit_gpu *vsplit_gpu_create(const struct vsplit_gpu_config *config);

/**
 * vsplit_gpu_destroy() - Stop the threads and free everything.
 * @gpu: idle or dead (vsplit_gpu_die()); may be NULL.
 */
void vsplit_gpu_destroy(struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_add_memory() - Put linear memory at a GPU address.
 * @gpu: the GPU.
 * @base: page-aligned GPU address; not overlapping another region.
 * @size: bytes, page-aligned.
 * @memory: kernel mapping of all of it; stays the caller's.
 *
 * VSPLIT_GPU_MAX_REGIONS at most. Return: 0 or -ENOMEM.
 */
int vsplit_gpu_add_memory(struct vsplit_gpu *gpu, u64 base, u64 size, void *memory);

/**
 * vsplit_gpu_add_gart() - Put a GART at a GPU address, all entries unmapped.
 * @gpu: the GPU.
 * @base: likewise.
 * @size: bytes, page-aligned.
 *
 * One of as many regions. Return: 0 or -ENOMEM.
 */
int vsplit_gpu_add_gart(struct vsplit_gpu *gpu, u64 base, u64 size);

/** vsplit_gpu_engine() - Engine number @index. */
struct vsplit_gpu_engine *vsplit_gpu_engine(struct vsplit_gpu *gpu, u32 index);

/** vsplit_gpu_engine_index() - Number of an engine. */
u32 vsplit_gpu_engine_index(const struct vsplit_gpu_engine *engine);

/** vsplit_gpu_clock_read() - What time it is for an engine, ns, by its clock. */
u64 vsplit_gpu_clock_read(const struct vsplit_gpu_engine *engine);

/**
 * vsplit_gpu_now() - The present: what time it is outside of the engines.
 * @gpu: the GPU; any context.
 *
 * Return: ns; CLOCK_MONOTONIC, less the time that was stopped by vsplit_gpu_limit(). Never less
 * than before.
 */
u64 vsplit_gpu_now(const struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_memory_speed() - How much faster bytes move inside memory than they come in or leave.
 * @gpu: the hardware.
 *
 * Return: 1 with the real clock; with the model's what it declares, 1 or more.
 */
u32 vsplit_gpu_memory_speed(const struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_limit() - Model clock: let the present not pass a time, or not any more.
 * @gpu: the GPU; any context. With the real clock nothing happens.
 * @index: below VSPLIT_GPU_MAX_LIMITS: of what asks for it, which replaces what it asked for
 *	before.
 * @at: not before the present; U64_MAX: never mind.
 *
 * A present that stood still goes on from there, so whatever asks for it decides how long that is.
 */
void vsplit_gpu_limit(struct vsplit_gpu *gpu, u32 index, u64 at);

/**
 * vsplit_gpu_real() - When to look whether the present is there.
 * @gpu: the GPU; any context.
 * @at: the time.
 *
 * Return: ns of CLOCK_MONOTONIC, in the future: when @at comes if nothing stops the present.
 */
u64 vsplit_gpu_real(const struct vsplit_gpu *gpu, u64 at);

/**
 * vsplit_gpu_is_behind() - Model clock: may what was rung still do something up to a time?
 * @gpu: the GPU; any context. Never, where it is parked or dead, or its clock is real.
 * @at: the present, or earlier.
 *
 * What is so gets on without the present: it needs nothing but the host's time.
 */
bool vsplit_gpu_is_behind(struct vsplit_gpu *gpu, u64 at);

/**
 * vsplit_gpu_park() - Engines stand still, wherever they are in a program.
 * @gpu: the GPU.
 *
 * Programs are neither ended nor given back; what is rung meanwhile waits. Sleeps until
 * no engine touches memory: for as long as one row or tile of a copy takes, or a beat of a wait.
 */
void vsplit_gpu_park(struct vsplit_gpu *gpu);

/** vsplit_gpu_unpark() - Engines go on where they were. */
void vsplit_gpu_unpark(struct vsplit_gpu *gpu);

/** vsplit_gpu_is_parked() - Whether they stand still, or are about to. */
bool vsplit_gpu_is_parked(const struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_client_init() - A client that has no context.
 * @client: the client.
 * @paging: the same on the engine that pages for this one's; perhaps @client.
 */
void vsplit_gpu_client_init(struct vsplit_gpu_client *client, struct vsplit_gpu_client *paging);

/**
 * vsplit_gpu_context_init() - A context that has no program.
 * @context: zeroed.
 * @client: of the same engine; must outlive it.
 * @priority: below VSPLIT_GPU_PRIORITIES, or VSPLIT_GPU_PAGING.
 */
void vsplit_gpu_context_init(struct vsplit_gpu_context *context, struct vsplit_gpu_client *client,
			     u32 priority);

/**
 * vsplit_gpu_executes() - Is it what an engine executes, and not paging for it on another one?
 * @engine: the engine; any context.
 * @program: a program; need not exist any more.
 */
bool vsplit_gpu_executes(struct vsplit_gpu_engine *engine,
			 const struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_program_busy() - Time that a program took so far, of what runs, too.
 * @engine: that it was rung on.
 * @program: not given back.
 *
 * Return: ns; what is over in the end is not less.
 */
u64 vsplit_gpu_program_busy(const struct vsplit_gpu_engine *engine,
			    const struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_ring() - Doorbell: queue a program on an engine.
 * @engine: the engine.
 * @program: complete; the hardware's until program_done.
 *
 * Any context, cannot fail. On a dead GPU program_done comes with -ENODEV. Sets
 * @link, @cursor and @fault of the program; the rest is the driver's.
 */
void vsplit_gpu_ring(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_withdraw() - Get the program of a hardware queue back, at the next packet.
 * @engine: that it was rung on.
 * @program: rung.
 *
 * Any context, cannot fail. It can be rung again, and goes on where it was.
 *
 * Return: true: it waited for its turn and was taken out of the ring, program_done does not
 * come. false: program_done comes when the packet is done that is being executed.
 */
bool vsplit_gpu_withdraw(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_hold_paging() - Let programs that only page wait in the ring, or go on.
 * @engine: the engine.
 * @hold: whether they wait. Ignored on a dead GPU. Paging steps of other programs
 *	do not wait.
 */
void vsplit_gpu_hold_paging(struct vsplit_gpu_engine *engine, bool hold);

/**
 * vsplit_gpu_cancel() - Stop the RUN steps of a program as soon as possible.
 * @program: the program, rung or not; must not have been given back.
 * @error: negative error for program_done.
 *
 * Prompt at every command, and within 50 ms where the engine sleeps in one; its
 * paging steps still run. Any context, cannot fail.
 */
void vsplit_gpu_cancel(struct vsplit_gpu_program *program, int error);

/**
 * vsplit_gpu_die() - The GPU is gone (unplugged): give back every program.
 * @gpu: the GPU.
 *
 * Cancels what runs, drops the rest, paging included, with -ENODEV. May sleep;
 * returns when no program is held any more.
 */
void vsplit_gpu_die(struct vsplit_gpu *gpu);

/** vsplit_gpu_space() - The address space of a GPU, for what follows and vsplit_gpu_vm_prune(). */
struct vsplit_gpu_space *vsplit_gpu_space(struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_range_drop() - Write the registers of a swizzling range: unused. No byte changes.
 * @space: the address space.
 * @index: of the range.
 *
 * The driver: no engine uses, or will use, the surface that it covers (EXT-29: by MMIO).
 */
void vsplit_gpu_range_drop(struct vsplit_gpu_space *space, u32 index);

/**
 * vsplit_gpu_space_unmap() - Write GART entries: the dummy page.
 * @space: the address space.
 * @address: GPU address of what was mapped.
 * @bytes: its size, a multiple of the page size.
 *
 * No engine uses, or will use, what is mapped there; its pages may be freed then.
 */
void vsplit_gpu_space_unmap(struct vsplit_gpu_space *space, u64 address, u64 bytes);

/** vsplit_gpu_lose_maps() - Fault knob: while it is not 0 MAP steps leave the dummy page. */
u32 *vsplit_gpu_lose_maps(struct vsplit_gpu *gpu);

/** vsplit_gpu_stray_writes() - Writes through GART entries that map nothing: they go nowhere. */
u64 vsplit_gpu_stray_writes(struct vsplit_gpu *gpu);

/** vsplit_gpu_paging_delay() - Fault knob: microseconds that every paging step takes longer. */
u32 *vsplit_gpu_paging_delay(struct vsplit_gpu *gpu);

/* ---- virtual addresses: what the driver does, where it may sleep ---- */

/**
 * vsplit_gpu_vm_create() - A virtual address space of 2^48 bytes, nothing is mapped.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_vm *vsplit_gpu_vm_create(void);

/**
 * vsplit_gpu_vm_own() - Something is told when an address space is gone.
 * @vm: just created.
 * @freed: called with @owner when the last reference is gone, with the bytes of page tables that
 *	there were.
 * @owner: its argument.
 */
void vsplit_gpu_vm_own(struct vsplit_gpu_vm *vm, void (*freed)(void *owner, u64 bytes),
		       void *owner);
struct vsplit_gpu_vm *vsplit_gpu_vm_get(struct vsplit_gpu_vm *vm);

/** vsplit_gpu_vm_put() - Drop a reference, the last one behind all programs of it; NULL is fine. */
void vsplit_gpu_vm_put(struct vsplit_gpu_vm *vm);

/** vsplit_gpu_vm_bytes() - Memory of its page tables; as vsplit_gpu_vm_reserve(). */
u64 vsplit_gpu_vm_bytes(const struct vsplit_gpu_vm *vm);

/**
 * vsplit_gpu_vm_tables() - The most page tables that reserving a range takes, in bytes.
 * @va: page-aligned, as @bytes.
 * @bytes: > 0.
 * @sparse: see vsplit_gpu_vm_reserve().
 */
u64 vsplit_gpu_vm_tables(u64 va, u64 bytes, bool sparse);

/**
 * vsplit_gpu_vm_reserve() - Page tables for a range, before it can be bound.
 * @vm: one call at a time that reserves, unreserves, or prunes.
 * @va: page-aligned, as @bytes.
 * @bytes: > 0; inside the address space.
 * @sparse: only SPARSE and nothing will be there; whole pages of 2 MiB need less then.
 *
 * Counted. Return: 0 or -ENOMEM.
 */
int vsplit_gpu_vm_reserve(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, bool sparse);

/**
 * vsplit_gpu_vm_unreserve() - Undo vsplit_gpu_vm_reserve() of the same range.
 * @vm: likewise.
 * @va: likewise.
 * @bytes: likewise.
 * @sparse: likewise.
 * @time: any number that does not fall from call to call. Tables that are unused by then
 *	stay until they are pruned.
 */
void vsplit_gpu_vm_unreserve(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, bool sparse, u64 time);

/**
 * vsplit_gpu_vm_prune() - Free page tables that are not reserved any more.
 * @space: of the GPU whose engines use @vm.
 * @vm: likewise.
 * @time: of those up to which no step binds anything.
 *
 * Waits until engines have left accesses that are under way, which is not long.
 */
void vsplit_gpu_vm_prune(struct vsplit_gpu_space *space, struct vsplit_gpu_vm *vm, u64 time);

/**
 * vsplit_gpu_runs_create() - Memory for runs, to be filled in.
 * @nr: how many, > 0.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_runs *vsplit_gpu_runs_create(u32 nr);

/** vsplit_gpu_runs_get() - Take a reference; NULL is fine. */
struct vsplit_gpu_runs *vsplit_gpu_runs_get(struct vsplit_gpu_runs *runs);

/** vsplit_gpu_runs_put() - Drop a reference; NULL is fine. */
void vsplit_gpu_runs_put(struct vsplit_gpu_runs *runs);

/**
 * vsplit_gpu_runs_find() - Where a byte is.
 * @runs: the runs.
 * @offset: of the byte; in the runs.
 * @address: out: its GPU address.
 *
 * Return: how many bytes are together there, from that one on. Logarithmic in the runs.
 */
u64 vsplit_gpu_runs_find(const struct vsplit_gpu_runs *runs, u64 offset, u64 *address);

/** vsplit_gpu_vm_maps_bytes() - Memory that vsplit_gpu_vm_maps_create() takes for @nr ranges. */
static inline u64 vsplit_gpu_vm_maps_bytes(u32 nr)
{
	return struct_size((struct vsplit_gpu_vm_maps *)NULL, map, nr);
}

/**
 * vsplit_gpu_vm_maps_create() - Memory for ranges of an address space, to be filled in.
 * @vm: the address space.
 * @nr: how many.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_vm_maps *vsplit_gpu_vm_maps_create(struct vsplit_gpu_vm *vm, u32 nr);

/** vsplit_gpu_vm_maps_put() - Drop a reference; NULL is fine. */
void vsplit_gpu_vm_maps_put(struct vsplit_gpu_vm_maps *maps);

/** vsplit_gpu_maps_bytes() - Memory that vsplit_gpu_maps_create() takes for @nr address spaces. */
static inline u64 vsplit_gpu_maps_bytes(u32 nr)
{
	return struct_size((struct vsplit_gpu_maps *)NULL, vms, nr);
}

/**
 * vsplit_gpu_maps_create() - Memory for the ranges of address spaces.
 * @nr: of how many, at most; there are none yet.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_maps *vsplit_gpu_maps_create(u32 nr);

/** vsplit_gpu_maps_add() - Fill in those of an address space; a reference, taken over. */
void vsplit_gpu_maps_add(struct vsplit_gpu_maps *maps, struct vsplit_gpu_vm_maps *of);

/** vsplit_gpu_maps_put() - Drop a reference; NULL is fine. */
void vsplit_gpu_maps_put(struct vsplit_gpu_maps *maps);

#endif /* _VSPLIT_GPU_H_ */
