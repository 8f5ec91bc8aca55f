/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The software GPU: what the driver sees of the hardware.
 *
 * A GPU has an address space made of regions (memory banks and GARTs) and up to
 * VSPLIT_GPU_MAX_ENGINES engines. An engine takes *programs* from its ring and
 * executes each to its end, those of one context in order. A program is a list of steps:
 * paging steps (transfer, fill, map, unmap) and RUN steps, each a window on one command
 * stream (vsplit_isa.h). Clients take turns on an engine, and so do the contexts of a
 * client. Depending on its kind an engine ends a turn at the end of a program, so
 * that portions are back to back (SPLIT-5), after any RUN step (save/restore), or between
 * two packets. A program that only pages runs before the other programs, and between two
 * portions of another program (SPLIT-6), unless its client has had more of the engine than
 * the client of that program.
 *
 * Rules of the hardware:
 * - An engine never allocates memory, takes no lock of the driver, and waits for nothing
 *   but its paging engine. So a program that was rung always ends.
 * - The engines always execute all paging steps of a program, even if its RUN steps are
 *   cancelled or fault: bytes are never lost. Only a dead GPU drops paging steps.
 * - A hardware queue (struct vsplit_gpu_queue) is a program that has a ring instead of a
 *   stream. An engine of any kind takes packets out of the ring until the ring is empty, a
 *   packet has to wait for a monitored fence, the queue is to stop, or its turn ends.
 * - An engine calls the driver back only through struct vsplit_gpu_irq_ops, from an engine's
 *   thread, without holding a lock.
 * - The engine checks address and length of every access of a RUN step against the row
 *   of the resource table that the operand names, as the row stands at that point of
 *   the stream. A violation is a fault: nothing outside the row was read or written.
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
 * @VSPLIT_GPU_CLOCK_MODEL: the engine does every command and paging step at once, and
 *	charges the declared time of struct vsplit_gpu_model to its own timeline. Then the
 *	engine sleeps (hrtimer) until the present has caught up with the timeline.
 */
enum vsplit_gpu_clock {
	VSPLIT_GPU_CLOCK_REAL,
	VSPLIT_GPU_CLOCK_MODEL,
};

/**
 * struct vsplit_gpu_model - Declared times of the model clock.
 * @command_ns: time of every command, in addition to that of its bytes and multiplications.
 * @bytes_per_us: bytes per microsecond that a command touches (fill, copy), or that a paging step
 *	moves inside memory. A paging step's byte counts twice: it is read and written.
 * @macs_per_us: multiply-accumulates per microsecond.
 * @paging_bytes_per_us: bytes per microsecond of transfers that reach system pages, of fills, and
 *	of steps that set or release a swizzling range. Other paging steps take no time for bytes.
 * @paging_op_ns: time of every paging step but MARK, in addition to that of its bytes.
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
#define VSPLIT_GPU_ENGINE_LENIENT	BIT(1)	/* undefined registers read as garbage: no fault */
#define VSPLIT_GPU_ENGINE_PAGING	BIT(2)	/* executes paging steps only */
#define VSPLIT_GPU_ENGINE_PACKETS	BIT(3)	/* switches between packets, by time slice */

/**
 * struct vsplit_gpu_engine_config - One engine.
 * @name: name of the engine's thread; copied.
 * @flags: VSPLIT_GPU_ENGINE_*.
 * @paging: index of the engine that executes the paging steps of this engine's programs; may
 *	be this engine's own index. A paging engine names itself, so it never waits for another.
 */
struct vsplit_gpu_engine_config {
	const char *name;
	u32 flags;
	u32 paging;
};

/**
 * struct vsplit_gpu_config - The whole GPU.
 * @nr_engines: engines in @engines.
 * @engines: @nr_engines descriptions.
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
 * struct vsplit_gpu_run - Bytes of an allocation that are together in a segment.
 * @offset: offset of the first byte in the allocation; page-aligned, as the others.
 * @address: GPU address of the first byte.
 * @bytes: number of bytes.
 */
struct vsplit_gpu_run {
	u64 offset;
	u64 address;
	u64 bytes;
};

/**
 * struct vsplit_gpu_runs - Where an allocation of several runs lies in its segment; constant.
 * @ref: references: the driver's, and one for each step that names the runs.
 * @nr: elements of @run, > 0.
 * @run: the runs in the order of their offsets, from 0 on without a gap.
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
 * @runs: of TRANSFER and FILL: a reference to the runs of this end in a segment; or NULL.
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
 * @size: bytes of the range; 0: the row becomes empty.
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
 * @size: bytes of the range; 0: the row is empty.
 * @flags: VSPLIT_GPU_ROW_*.
 * @generation: the row is empty unless this equals the generation of the table.
 */
struct vsplit_gpu_reg_row {
	u64 address;
	u64 size;
	u32 flags;
	u32 generation;
};

/**
 * struct vsplit_gpu_table - The resource table of a context. The driver allocates it for one
 * context, filled with zeros. The engine that executes a program of the context writes it. An
 * engine that switches to another context uses the table of that context.
 * @generation: rows of this generation are valid; changes when all rows become empty.
 * @nr_slots: number of rows.
 * @rows: @nr_slots rows.
 */
struct vsplit_gpu_table {
	u32 generation;
	u32 nr_slots;
	struct vsplit_gpu_reg_row rows[];
};

/* ---- virtual addresses ---- */

#define VSPLIT_GPU_VM_BYTES	0x1000000000000ull	/* size of an address space, from 0 on */

/* struct vsplit_gpu_map.flags, struct vsplit_gpu_bind.flags, entries of page tables */
#define VSPLIT_GPU_MAP_WRITE	BIT(0)	/* may be written */
#define VSPLIT_GPU_MAP_SPARSE	BIT(1)	/* bind: reads give zeros, writes are dropped */
#define VSPLIT_GPU_MAP_ABSENT	BIT(2)	/* bind: mapped, and not resident */
#define VSPLIT_GPU_MAP_RESIDENT	BIT(3)	/* bind: mapped, and at @address */

/**
 * struct vsplit_gpu_map - A virtual range that shows a part of an allocation.
 * @va: first virtual address; page-aligned, as @bytes and @offset.
 * @bytes: size of the range.
 * @offset: offset of the part in the allocation.
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
 * @ref: references: one for each struct vsplit_gpu_maps that names this.
 * @freed: called when the last reference is gone, with the bytes that were held; or NULL.
 * @owner: argument of @freed.
 * @vm: reference to the address space.
 * @ended: the driver's, not constant: the address space has ended.
 * @written: at least one of the ranges may be written.
 * @bytes: size of all ranges together.
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
 * @ref: references: the driver's, and one for each step that names this.
 * @freed: called when the last reference is gone, with the bytes that were held; or NULL.
 * @owner: argument of @freed.
 * @written: at least one of the ranges may be written.
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
 * @va: first virtual address; page-aligned, as @bytes and @address.
 * @bytes: size of the range. Its page tables are reserved.
 * @address: with RESIDENT: GPU address of the bytes that the range shows; with @runs, their offset
 *	in the runs.
 * @runs: a reference to the runs of the allocation; NULL: the allocation is in one piece.
 * @flags: RESIDENT, perhaps with WRITE, or ABSENT, or SPARSE; 0: nothing is mapped.
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
 * @VSPLIT_GPU_STEP_MARK: move no byte; the step is there for its notification (a clean eviction).
 * @VSPLIT_GPU_STEP_ACQUIRE_RANGE: set a swizzling range on a tiled surface.
 * @VSPLIT_GPU_STEP_RELEASE_RANGE: drop a swizzling range, and tile its surface again.
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
#define VSPLIT_GPU_STEP_NOTIFY	BIT(0)	/* raise step_done after the step */
#define VSPLIT_GPU_STEP_SKIPPED	BIT(1)	/* out: the step did not run, or not to its end */
#define VSPLIT_GPU_STEP_SWIZZLE	BIT(2)	/* transfer from linear to tiled */
#define VSPLIT_GPU_STEP_UNSWIZZLE BIT(3)	/* transfer from tiled to linear */
#define VSPLIT_GPU_STEP_DROP_RANGE BIT(4)	/* TRANSFER, FILL, MARK: drop @range afterwards */
#define VSPLIT_GPU_STEP_MOVE_RANGE BIT(5)	/* TRANSFER, FILL: set @range at @dst afterwards */
#define VSPLIT_GPU_STEP_SAVE	BIT(6)	/* RELEASE_RANGE: the pages are older than memory */
#define VSPLIT_GPU_STEP_CLEAR	BIT(7)	/* RUN: the table is empty before @run.rows */
#define VSPLIT_GPU_STEP_ARRIVES	BIT(8)	/* @maps show @dst afterwards; without it, nothing */

/**
 * struct vsplit_gpu_step - One step. The driver writes it before the doorbell; the hardware owns
 * it from then until program_done.
 * @type: enum vsplit_gpu_step_type.
 * @flags: VSPLIT_GPU_STEP_*.
 * @dst: destination of TRANSFER and FILL; @dst.address of MAP and UNMAP;
 *	the surface of ACQUIRE_RANGE and RELEASE_RANGE.
 * @src: source of TRANSFER; @src.pages of MAP. ACQUIRE_RANGE and RELEASE_RANGE:
 *	@src.pages has the surface's bytes in linear order, or gets them first
 *	(UNSWIZZLE, SAVE). NULL: the surface is all zeros, nothing is copied.
 * @bytes: size of what the step works on, a multiple of the page size; not of RUN, MARK, BIND.
 * @after: of a paging step of a program with @ahead: one past the index of the RUN step that must
 *	be over before the paging step begins. 0: it waits only for the paging steps before it.
 * @pattern: of FILL.
 * @pitch: bytes per row of the surface, where the step has SWIZZLE, UNSWIZZLE or MOVE_RANGE, or
 *	is ACQUIRE_RANGE or RELEASE_RANGE.
 * @range: index of a swizzling range, below VSPLIT_GPU_MAX_RANGES.
 * @maps: of a step that moves an allocation: a reference to all virtual ranges that show it, or
 *	NULL. Before the step touches a byte the ranges show nothing, and no engine uses them.
 * @vm: of BIND: the address space.
 * @binds: of BIND: @nr_binds changes, which take effect in their order.
 * @nr_binds: number of @binds.
 * @run: of RUN.
 * @run.begin: first byte of the window in the program's stream.
 * @run.end: one past the last byte of the window.
 * @run.rows: changes of the resource table at the start of the portion. Other rows stay as the
 *	step before left them, or, with CLEAR, are empty.
 * @run.nr_rows: number of @run.rows.
 * @begin_ns: out: CLOCK_MONOTONIC (or the model's timeline) at the start of the step.
 * @end_ns: out: the same at the end of the step.
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

static inline bool vsplit_gpu_fault_is_page(u32 fault)
{
	return fault >= VSPLIT_FAULT_NOT_MAPPED && fault <= VSPLIT_FAULT_READ_ONLY;
}

/**
 * struct vsplit_gpu_fault_info - Fault registers of a program.
 * @fault: enum drm_vsplit_fault; the first fault of the program.
 * @step: index of the RUN step; if the program was cancelled before a step, index of that step.
 * @offset: offset of the packet in the stream, or where the window of @step begins.
 * @slot: slot of the operand, or ~0.
 * @write: of a page fault: the access was a write.
 * @address: GPU address that was refused, or 0. Of a page fault: the first virtual address that
 *	was refused.
 */
struct vsplit_gpu_fault_info {
	u32 fault;
	u32 step;
	u32 offset;
	u32 slot;
	bool write;
	u64 address;
};

/** define VSPLIT_GPU_STALL_NS - Shortest time between two counted stalls of a program. */
#define VSPLIT_GPU_STALL_NS	(10 * NSEC_PER_MSEC)

/** define VSPLIT_GPU_PRIORITIES - Levels of contexts; the lowest number goes first. */
#define VSPLIT_GPU_PRIORITIES	3

/** define VSPLIT_GPU_NORMAL - The level in the middle. */
#define VSPLIT_GPU_NORMAL	1u

/** define VSPLIT_GPU_PAGING - Instead of a priority, for contexts whose programs only page. */
#define VSPLIT_GPU_PAGING	VSPLIT_GPU_PRIORITIES

/**
 * struct vsplit_gpu_turn - A client at one priority, or a client's paging; the hardware's.
 * @node: in the engine's tree while the client has work here; under the engine's lock.
 * @contexts: contexts that have programs, the next one first; under the engine's lock.
 * @used: time of the engine that the client has used, ns, as vsplit_gpu_turns.c counts it; under
 *	the engine's lock.
 */
struct vsplit_gpu_turn {
	struct rb_node node;
	struct list_head contexts;
	u64 used;
};

/**
 * struct vsplit_gpu_client - A client on one engine, where it takes turns; embedded by the driver.
 * vsplit_gpu_client_init() initialises it; apart from that it is the hardware's.
 * @paging: the same client on the engine that executes this engine's paging steps; constant.
 * @turns: one for each priority, and one for paging.
 * @apart: programs of other engines whose next paging step may begin, the next program first;
 *	under the engine's lock.
 */
struct vsplit_gpu_client {
	struct vsplit_gpu_client *paging;
	struct vsplit_gpu_turn turns[VSPLIT_GPU_PRIORITIES + 1];
	struct list_head apart;
};

/**
 * struct vsplit_gpu_context - A source of programs for one engine; embedded by the driver.
 * vsplit_gpu_context_init() initialises it.
 * @client: client that the context belongs to; constant.
 * @level: below VSPLIT_GPU_PRIORITIES, or VSPLIT_GPU_PAGING; constant.
 * @priority: @level, or above it while the context is preferred; under the engine's lock.
 * @preferred: something waits for a program (vsplit_gpu_prefer()); under the engine's lock.
 * @link: in the client's list while there are @programs; under the engine's lock.
 * @programs: FIFO; under the engine's lock.
 * @state: saved state registers, after the context gave way between two packets; only the
 *	engine's thread uses them.
 * @state_defined: mask of the saved registers that were set.
 */
struct vsplit_gpu_context {
	struct vsplit_gpu_client *client;
	u32 level;
	u32 priority;
	bool preferred;
	struct list_head link;
	struct list_head programs;
	u32 state[VSPLIT_STATE_COUNT];
	u32 state_defined;
};

#define VSPLIT_GPU_QUEUE_PACKET	128	/* holds any packet; the rest of a NOP is ignored */

/**
 * struct vsplit_gpu_queue - A ring of packets that a client writes; embedded by the driver, which
 * initialises the members that are called constant.
 * @ring: packets. The pointer is constant; the engine copies a packet before it checks it, because
 *	the client may change it at any time.
 * @ring_bytes: power of two; constant.
 * @tail: bytes that the client says it has ever put into the ring. The pointer is constant; the
 *	engine checks the value each time.
 * @shown: where the client reads @done; constant. The engine never reads it.
 * @history: where the client reads @nr_history times; constant. The engine never reads it.
 * @nr_history: elements of @history; constant.
 * @done: bytes of packets that were executed; written by the engine, with release and after @shown.
 * @stop: the engine is to let the queue go between two packets; under the engine's lock, READ_ONCE.
 * @packet: copy of the packet that is being executed; the engine's.
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

/** define VSPLIT_GPU_BUSY_NOW - In struct vsplit_gpu_busy.ns: a step is being executed. */
#define VSPLIT_GPU_BUSY_NOW	BIT_ULL(63)

/**
 * struct vsplit_gpu_busy - Time that steps took an engine; written by its thread, READ_ONCE.
 * @ns: total time of the steps that are over. With VSPLIT_GPU_BUSY_NOW: the start of the step
 *	being executed, minus that total. A single word, so that a reader counts each step once.
 */
struct vsplit_gpu_busy {
	u64 ns;
};

/**
 * struct vsplit_gpu_program - Unit of work of an engine; embedded by the driver.
 * @steps: @nr_steps steps.
 * @nr_steps: at least 1.
 * @stream: the command stream, patched; 8-byte aligned; NULL: there is no RUN step,
 *	the program only pages.
 * @stream_bytes: size of @stream, bytes.
 * @queue: the hardware queue that takes the place of a stream, or NULL. Such a program has a single
 *	RUN step, and @stream is the queue's copy of a packet.
 * @context: context of the program. Programs of one context never overtake each other.
 * @table: the resource table of @context; NULL without RUN steps. All programs of a
 *	context have the same table.
 * @vm: the virtual address space of @context; NULL: it has none. All programs of a context have
 *	the same.
 * @coverage: task for which test builds collect coverage while the program runs, or 0.
 * @cancel: a negative error once the driver has cancelled the program; else 0. The engine looks
 *	at it at every command and inside long commands. Atomic access (READ_ONCE).
 * @progress: goes up with every command and step: the heartbeat that the driver looks at.
 * @stalls: goes up each time that the engine's thread looks up in a spin, which is no progress: at
 *	most once in VSPLIT_GPU_STALL_NS, less often if the host wakes the thread late.
 * @run_ns: real time for which the engine was seen to execute RUN steps; goes up. Time in which
 *	the engine's thread got no processor does not count.
 * @busy: time of the steps that the program's own engine executed.
 * @busy_apart: time of the steps that a paging engine executed.
 * @still: time for which the program's engine stood still while a paging engine executed steps.
 * @charged: the hardware's: how much of @busy and @still the client was charged with; under the
 *	engine's lock.
 * @turns: turns of a program with RUN steps that ended before the program did, whether or not
 *	another context went on. The driver adds one each time that a hardware queue is given back.
 * @resume: the hardware's: offset of the packet before which the program gave way, or 0.
 * @fault: fault registers, stable once program_done was raised.
 * @link: the hardware's, in the ring; under the engine's lock.
 * @cursor: the hardware's: next step.
 * @ahead: the paging engine executes the paging steps as early as it may, while RUN steps run; only
 *	with @stream. Without effect on an engine that pages itself.
 * @apart: the hardware's, in the client's list; under the paging engine's lock.
 * @engine: the hardware's: engine that the program was rung on.
 * @ran: the hardware's: one past the last RUN step that is over; under the paging engine's lock.
 * @page: the hardware's: next paging step; written by the thread that executes it, under the paging
 *	engine's lock.
 * @until: the hardware's: paging steps before this step may begin; under the paging engine's lock.
 * @paged: the hardware's: paging steps before this step are over. Release and acquire.
 * @rung_ns: the hardware's: when the program was rung.
 * @given_ns: the hardware's: when the paging steps before @until were given to the paging engine.
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
 * struct vsplit_gpu_irq_ops - The interrupts. An engine's thread calls them in process context
 * inside a dma-fence signalling section: they take no sleeping lock that is held across an
 * allocation, and make no allocation that waits.
 * @step_begin: a step is about to start, or to go on after its program gave way (for tracing).
 * @step_done: a step with VSPLIT_GPU_STEP_NOTIFY is complete (or skipped, see
 *	VSPLIT_GPU_STEP_SKIPPED); its times are written. The calls come in the order of the
 *	steps, but for steps that are executed ahead. On every path the call comes for each such
 *	step before program_done.
 * @fault: a RUN step faulted; the rest of the RUN steps is skipped.
 * @signal_fence: VSPLIT_OP_SIGNAL_FENCE: raise a monitored fence of the program's client.
 * @wait_fence: VSPLIT_OP_WAIT_FENCE of a hardware queue. Returns 0 if the fence has the value.
 *	-EINPROGRESS: not yet; the engine gives the queue back, and the driver rings it again when
 *	the fence has the value. Another error: the fence will never have the value.
 * @queue_progress: a packet of a hardware queue was executed, and the queue's done has grown.
 * @program_done: the hardware has let go of the program. Exactly once per doorbell, unless
 *	vsplit_gpu_withdraw() took the program out of the ring. @error is 0, the cancel error,
 *	-EFAULT after a fault, -EIO after a paging step whose addresses did not decode, or -ENODEV
 *	when the GPU died first. It is 0 also if the driver cancelled the program only after all its
 *	RUN steps had completed.
 *
 * @engine is the engine that the program was rung on; for a step executed ahead it is the engine
 * that executes the step. Another engine's thread may execute paging steps, and then makes their
 * callbacks. Two callbacks of a program never run at a time, with one exception: those of steps
 * executed ahead may run at the same time as those of RUN steps.
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
 * @config: description of the GPU.
 *
 * Return: the GPU, or ERR_PTR(): -ENOMEM, or -EINTR if the calling process is being killed.
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
 * @memory: kernel mapping of all of the memory; stays the caller's.
 *
 * A GPU has at most VSPLIT_GPU_MAX_REGIONS regions. Return: 0 or -ENOMEM.
 */
int vsplit_gpu_add_memory(struct vsplit_gpu *gpu, u64 base, u64 size, void *memory);

/**
 * vsplit_gpu_add_gart() - Put a GART at a GPU address, all entries unmapped.
 * @gpu: the GPU.
 * @base: page-aligned GPU address; not overlapping another region.
 * @size: bytes, page-aligned.
 *
 * A GPU has at most VSPLIT_GPU_MAX_REGIONS regions. Return: 0 or -ENOMEM.
 */
int vsplit_gpu_add_gart(struct vsplit_gpu *gpu, u64 base, u64 size);

/** vsplit_gpu_engine() - Engine number @index. */
struct vsplit_gpu_engine *vsplit_gpu_engine(struct vsplit_gpu *gpu, u32 index);

/** vsplit_gpu_engine_index() - Number of an engine. */
u32 vsplit_gpu_engine_index(const struct vsplit_gpu_engine *engine);

/** vsplit_gpu_clock_read() - The time of an engine, ns, by its own clock. */
u64 vsplit_gpu_clock_read(const struct vsplit_gpu_engine *engine);

/**
 * vsplit_gpu_now() - The present: the time outside of the engines.
 * @gpu: the GPU; any context.
 *
 * Return: ns; CLOCK_MONOTONIC, minus the time for which vsplit_gpu_limit() has stopped the present.
 * Never decreases.
 */
u64 vsplit_gpu_now(const struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_memory_speed() - How much faster bytes move inside memory than they come in or leave.
 * @gpu: the hardware.
 *
 * Return: 1 with the real clock; with the model clock the factor that the model declares, but at
 * least 1.
 */
u32 vsplit_gpu_memory_speed(const struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_limit() - Model clock: set or lift a limit that the present does not pass.
 * @gpu: the GPU; any context. With the real clock nothing happens.
 * @index: number of the limit, below VSPLIT_GPU_MAX_LIMITS. Each caller has a limit of its own; a
 *	call replaces the one before.
 * @at: the limit, not before the present; U64_MAX: none.
 *
 * A present that stands still at a limit goes on from there when the limit is raised. So its caller
 * decides for how long the present stands still.
 */
void vsplit_gpu_limit(struct vsplit_gpu *gpu, u32 index, u64 at);

/**
 * vsplit_gpu_real() - The real time at which to look whether the present has reached a time.
 * @gpu: the GPU; any context.
 * @at: the time.
 *
 * Return: ns of CLOCK_MONOTONIC, in the future: when the present reaches @at if no limit stops it.
 */
u64 vsplit_gpu_real(const struct vsplit_gpu *gpu, u64 at);

/**
 * vsplit_gpu_is_behind() - Model clock: whether a rung program may still do something up to a time.
 * @gpu: the GPU; any context.
 * @at: the present, or earlier.
 *
 * An engine that is behind catches up while the present stands still: only real time has to pass.
 * Return: false for a parked or dead GPU, and with the real clock.
 */
bool vsplit_gpu_is_behind(struct vsplit_gpu *gpu, u64 at);

/**
 * vsplit_gpu_park() - Let the engines stand still, wherever they are in a program.
 * @gpu: the GPU.
 *
 * No program ends or is given back; programs that are rung meanwhile wait. Sleeps until no engine
 * touches memory: for as long as one row or tile of a copy takes, or one beat of an engine's sleep.
 */
void vsplit_gpu_park(struct vsplit_gpu *gpu);

/** vsplit_gpu_unpark() - Let the engines go on where they were. */
void vsplit_gpu_unpark(struct vsplit_gpu *gpu);

/** vsplit_gpu_is_parked() - Whether the engines stand still, or are about to. */
bool vsplit_gpu_is_parked(const struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_client_init() - Initialise a client without contexts.
 * @client: the client.
 * @paging: the same client on the engine that pages for this engine; may be @client.
 */
void vsplit_gpu_client_init(struct vsplit_gpu_client *client, struct vsplit_gpu_client *paging);

/**
 * vsplit_gpu_context_init() - Initialise a context without programs.
 * @context: zeroed.
 * @client: the client on the same engine; must outlive the context.
 * @priority: below VSPLIT_GPU_PRIORITIES, or VSPLIT_GPU_PAGING.
 */
void vsplit_gpu_context_init(struct vsplit_gpu_context *context, struct vsplit_gpu_client *client,
			     u32 priority);

/**
 * vsplit_gpu_executes() - Whether an engine executes a program, rather than waits for its paging.
 * @engine: the engine; any context.
 * @program: a program; need not exist any more.
 */
bool vsplit_gpu_executes(struct vsplit_gpu_engine *engine,
			 const struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_program_busy() - Time that a program has taken so far, with the step being executed.
 * @engine: engine that the program was rung on.
 * @program: not given back.
 *
 * Return: ns; never more than the program has taken at its end.
 */
u64 vsplit_gpu_program_busy(const struct vsplit_gpu_engine *engine,
			    const struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_ring() - Doorbell: queue a program on an engine.
 * @engine: the engine.
 * @program: complete; the hardware's until program_done.
 *
 * Any context, cannot fail. On a dead GPU program_done comes with -ENODEV. Sets @fault of the
 * program, and the members that are called the hardware's; the rest is the driver's.
 */
void vsplit_gpu_ring(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_withdraw() - Take the program of a hardware queue back between two packets.
 * @engine: engine that the program was rung on.
 * @program: rung.
 *
 * Any context, cannot fail. The program can be rung again, and goes on where it was.
 *
 * Return: true: the program waited for its turn and was taken out of the ring; program_done does
 * not come. false: program_done comes when the packet that is being executed is done.
 */
bool vsplit_gpu_withdraw(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_prefer() - Something waits for a program: let it end soon.
 * @engine: the engine of its context.
 * @program: a program with RUN steps, not freed.
 *
 * Until the next program of the context ends, no other context of its client goes on before it when
 * it is its turn, and no priority above the normal one goes before it. Any context.
 */
void vsplit_gpu_prefer(struct vsplit_gpu_engine *engine, const struct vsplit_gpu_program *program);

/**
 * vsplit_gpu_hold_paging() - Let programs that only page wait in the ring, or go on.
 * @engine: the engine.
 * @hold: true: such programs wait. Ignored on a dead GPU. Paging steps of other programs
 *	do not wait.
 */
void vsplit_gpu_hold_paging(struct vsplit_gpu_engine *engine, bool hold);

/**
 * vsplit_gpu_cancel() - Stop the RUN steps of a program as soon as possible.
 * @program: the program, rung or not; must not have been given back.
 * @error: negative error for program_done.
 *
 * Takes effect when the engine next looks: before a command, inside a long command, or within 50 ms
 * where it sleeps. The paging steps of the program still run. Any context, cannot fail.
 */
void vsplit_gpu_cancel(struct vsplit_gpu_program *program, int error);

/**
 * vsplit_gpu_die() - The GPU is gone (unplugged): give back every program.
 * @gpu: the GPU.
 *
 * Cancels the steps being executed, and drops all others, paging included, with -ENODEV. May
 * sleep; returns when no engine holds a program any more.
 */
void vsplit_gpu_die(struct vsplit_gpu *gpu);

/** vsplit_gpu_space() - The address space of a GPU, an argument of some of the calls below. */
struct vsplit_gpu_space *vsplit_gpu_space(struct vsplit_gpu *gpu);

/**
 * vsplit_gpu_range_drop() - Mark a swizzling range as unused. No byte changes.
 * @space: the address space.
 * @index: index of the range.
 *
 * The driver calls this, as if by MMIO (EXT-29), when no engine uses, or will use, the surface that
 * the range covers.
 */
void vsplit_gpu_range_drop(struct vsplit_gpu_space *space, u32 index);

/**
 * vsplit_gpu_space_unmap() - Let GART entries point to the dummy page.
 * @space: the address space.
 * @address: first GPU address of the mapped pages.
 * @bytes: their size, a multiple of the page size.
 *
 * The driver calls this when no engine uses, or will use, the pages. It may free them afterwards.
 */
void vsplit_gpu_space_unmap(struct vsplit_gpu_space *space, u64 address, u64 bytes);

/** vsplit_gpu_lose_maps() - Fault knob: while it is not 0, MAP steps leave entries unchanged. */
u32 *vsplit_gpu_lose_maps(struct vsplit_gpu *gpu);

/** vsplit_gpu_stray_writes() - Number of dropped writes through GART entries that map nothing. */
u64 vsplit_gpu_stray_writes(struct vsplit_gpu *gpu);

/** vsplit_gpu_paging_delay() - Fault knob: microseconds added to every paging step but MARK. */
u32 *vsplit_gpu_paging_delay(struct vsplit_gpu *gpu);

/* ---- virtual addresses: what the driver does, where it may sleep ---- */

/**
 * vsplit_gpu_vm_create() - Make a virtual address space of 2^48 bytes in which nothing is mapped.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_vm *vsplit_gpu_vm_create(void);

/**
 * vsplit_gpu_vm_own() - Set a callback for the end of an address space.
 * @vm: just created.
 * @freed: called with @owner, and the bytes of the page tables, when the last reference is gone.
 * @owner: argument of @freed.
 */
void vsplit_gpu_vm_own(struct vsplit_gpu_vm *vm, void (*freed)(void *owner, u64 bytes),
		       void *owner);

/** vsplit_gpu_vm_get() - Take a reference. */
struct vsplit_gpu_vm *vsplit_gpu_vm_get(struct vsplit_gpu_vm *vm);

/** vsplit_gpu_vm_put() - Drop a reference, the last one after all programs; NULL is fine. */
void vsplit_gpu_vm_put(struct vsplit_gpu_vm *vm);

/** vsplit_gpu_vm_bytes() - Memory of the page tables; locked as vsplit_gpu_vm_reserve(). */
u64 vsplit_gpu_vm_bytes(const struct vsplit_gpu_vm *vm);

/**
 * vsplit_gpu_vm_tables() - Upper bound of the page tables that reserving a range makes, in bytes.
 * @va: page-aligned, as @bytes.
 * @bytes: > 0.
 * @sparse: see vsplit_gpu_vm_reserve().
 */
u64 vsplit_gpu_vm_tables(u64 va, u64 bytes, bool sparse);

/**
 * vsplit_gpu_vm_reserve() - Make page tables for a range, before it can be bound.
 * @vm: the address space. The caller makes one call at a time that reserves, unreserves, or prunes.
 * @va: page-aligned, as @bytes.
 * @bytes: > 0; inside the address space.
 * @sparse: the range will be SPARSE or unmapped only. Whole pages of 2 MiB need fewer tables then.
 *
 * Reservations are counted: each needs its vsplit_gpu_vm_unreserve(). Return: 0 or -ENOMEM.
 */
int vsplit_gpu_vm_reserve(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, bool sparse);

/**
 * vsplit_gpu_vm_unreserve() - Undo vsplit_gpu_vm_reserve() of the same range.
 * @vm: as for vsplit_gpu_vm_reserve().
 * @va: as it was reserved.
 * @bytes: as it was reserved.
 * @sparse: as it was reserved.
 * @time: any number that does not fall from call to call. The call notes it in tables that become
 *	unused; they stay until vsplit_gpu_vm_prune().
 */
void vsplit_gpu_vm_unreserve(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, bool sparse, u64 time);

/**
 * vsplit_gpu_vm_prune() - Free page tables that are not reserved any more.
 * @space: address space of the GPU whose engines use @vm.
 * @vm: as for vsplit_gpu_vm_reserve().
 * @time: free tables that became unused at this time or before: no step writes them any more.
 *
 * Waits until the engines have finished the accesses that are under way, which does not take long.
 */
void vsplit_gpu_vm_prune(struct vsplit_gpu_space *space, struct vsplit_gpu_vm *vm, u64 time);

/**
 * vsplit_gpu_runs_create() - Allocate runs, which the caller fills in.
 * @nr: number of runs, > 0.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_runs *vsplit_gpu_runs_create(u32 nr);

/** vsplit_gpu_runs_get() - Take a reference; NULL is fine. */
struct vsplit_gpu_runs *vsplit_gpu_runs_get(struct vsplit_gpu_runs *runs);

/** vsplit_gpu_runs_put() - Drop a reference; NULL is fine. */
void vsplit_gpu_runs_put(struct vsplit_gpu_runs *runs);

/**
 * vsplit_gpu_runs_find() - Find the GPU address of a byte.
 * @runs: the runs.
 * @offset: offset of the byte; inside the runs.
 * @address: out: GPU address of the byte.
 *
 * Takes logarithmic time. Return: bytes of the run from this byte on.
 */
u64 vsplit_gpu_runs_find(const struct vsplit_gpu_runs *runs, u64 offset, u64 *address);

/** vsplit_gpu_vm_maps_bytes() - Memory that vsplit_gpu_vm_maps_create() needs for @nr ranges. */
static inline u64 vsplit_gpu_vm_maps_bytes(u32 nr)
{
	return struct_size((struct vsplit_gpu_vm_maps *)NULL, map, nr);
}

/**
 * vsplit_gpu_vm_maps_create() - Allocate ranges of an address space, which the caller fills in.
 * @vm: the address space.
 * @nr: number of ranges.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_vm_maps *vsplit_gpu_vm_maps_create(struct vsplit_gpu_vm *vm, u32 nr);

/** vsplit_gpu_vm_maps_put() - Drop a reference; NULL is fine. */
void vsplit_gpu_vm_maps_put(struct vsplit_gpu_vm_maps *maps);

/** vsplit_gpu_maps_bytes() - Memory that vsplit_gpu_maps_create() needs for @nr address spaces. */
static inline u64 vsplit_gpu_maps_bytes(u32 nr)
{
	return struct_size((struct vsplit_gpu_maps *)NULL, vms, nr);
}

/**
 * vsplit_gpu_maps_create() - Allocate the ranges of address spaces; there are none at first.
 * @nr: how many address spaces vsplit_gpu_maps_add() may add.
 *
 * Return: a reference, or NULL.
 */
struct vsplit_gpu_maps *vsplit_gpu_maps_create(u32 nr);

/** vsplit_gpu_maps_add() - Add the ranges of an address space; takes over the reference @of. */
void vsplit_gpu_maps_add(struct vsplit_gpu_maps *maps, struct vsplit_gpu_vm_maps *of);

/** vsplit_gpu_maps_put() - Drop a reference; NULL is fine. */
void vsplit_gpu_maps_put(struct vsplit_gpu_maps *maps);

#endif /* _VSPLIT_GPU_H_ */
