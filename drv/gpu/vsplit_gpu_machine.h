/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The machine around the pure parts: the GPU, its engines and its clock.
 */
#ifndef _VSPLIT_GPU_MACHINE_H_
#define _VSPLIT_GPU_MACHINE_H_

#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "vsplit_gpu_internal.h"

/**
 * define VSPLIT_GPU_SLICE_NS - Length of a turn where an engine switches between packets, of a turn
 * of a hardware queue, and of a turn of paging.
 */
#define VSPLIT_GPU_SLICE_NS	(5 * NSEC_PER_MSEC)

/**
 * struct vsplit_gpu_engine - An engine: a thread with a ring.
 * @gpu: constant.
 * @index: constant.
 * @flags: VSPLIT_GPU_ENGINE_*; constant.
 * @paging: the engine that executes the paging steps of this engine's programs; may be this engine;
 *	constant.
 * @task: the thread; constant, valid until the GPU is destroyed.
 * @lock: protects the members that are called "under @lock"; taken with interrupts off, innermost.
 * @turns: for each priority, and for paging: the clients that have work, the next client first;
 *	under @lock.
 * @used: for each of @turns: what the client whose turn it is had used when its turn began; under
 *	@lock.
 * @held_back: programs that only page wait; under @lock.
 * @awake: the thread works, or is about to; under @lock.
 * @lent: the engine is lent to another engine's thread, which executes steps on it; under @lock.
 * @waits: the program whose steps @paging executes before this engine goes on, or NULL. Meanwhile
 *	the time of this engine is that of @paging. Under the lock of @paging.
 * @waits_end: this engine waits for the steps before this step; under the lock of @paging.
 * @held: number of programs that were rung and are not given back; under @lock.
 * @current_program: the program that the thread executes; under @lock.
 * @released: context of the program that is being given back, or NULL; under @lock.
 * @next_ahead: next program of that context, whose paging steps are given to @paging afterwards, or
 *	NULL; under @lock.
 * @coverage: the task that gave the thread its latest work, see vsplit_kcov_begin(); WRITE_ONCE
 *	under @lock, READ_ONCE.
 * @timeline: model clock: the time until which the engine was busy, ns; written by the thread, or
 *	by the thread that the engine is lent to.
 * @slice_end: time at which the turn of the context ends, ns; of the thread.
 * @beat_ns: CLOCK_MONOTONIC when the thread was last seen to work; of the thread, or of the thread
 *	that the engine is lent to.
 * @exec: execution unit; of the thread. Unused by a paging engine.
 */
struct vsplit_gpu_engine {
	struct vsplit_gpu *gpu;
	u32 index;
	u32 flags;
	struct vsplit_gpu_engine *paging;
	struct task_struct *task;
	spinlock_t lock;	/* members "under @lock" */
	struct rb_root_cached turns[VSPLIT_GPU_PRIORITIES + 1];
	u64 used[VSPLIT_GPU_PRIORITIES + 1];
	bool held_back;
	bool awake;
	bool lent;
	const struct vsplit_gpu_program *waits;
	u32 waits_end;
	u32 held;
	const struct vsplit_gpu_program *current_program;
	const struct vsplit_gpu_context *released;
	struct vsplit_gpu_program *next_ahead;
	u64 coverage;
	u64 timeline;
	u64 slice_end;
	u64 beat_ns;
	struct vsplit_gpu_exec exec;
};

/**
 * struct vsplit_gpu_present - The present, see vsplit_gpu_now().
 * @lock: protects the other members; written with interrupts off, innermost.
 * @lag: ns by which the present is behind CLOCK_MONOTONIC, while no limit stops it.
 * @limit: the time that the present does not pass: the least of @limits.
 * @limits: by their index; U64_MAX: none.
 */
struct vsplit_gpu_present {
	seqlock_t lock; /* the other members */
	u64 lag;
	u64 limit;
	u64 limits[VSPLIT_GPU_MAX_LIMITS];
};

/**
 * struct vsplit_gpu - The GPU.
 * @space: its address space.
 * @clock: enum vsplit_gpu_clock; constant.
 * @model: of the model clock; constant.
 * @present: has a lock of its own.
 * @irq: callbacks; constant.
 * @priv: first argument of the callbacks; constant.
 * @nr_engines: constant.
 * @engines: @nr_engines engines.
 * @dead: the GPU is gone; goes from false to true. READ_ONCE and WRITE_ONCE.
 * @parked: engines stand still, or are about to; READ_ONCE and WRITE_ONCE.
 * @awake: number of engines that work: they may touch memory.
 * @unparked: woken when parked engines may go on.
 * @asleep: woken when no engine is awake.
 * @paging_delay_us: fault knob, see vsplit_gpu_paging_delay(); READ_ONCE and WRITE_ONCE.
 * @released: woken when an engine has given back a program.
 */
struct vsplit_gpu {
	struct vsplit_gpu_space space;
	enum vsplit_gpu_clock clock;
	struct vsplit_gpu_model model;
	struct vsplit_gpu_present present;
	const struct vsplit_gpu_irq_ops *irq;
	void *priv;
	u32 nr_engines;
	struct vsplit_gpu_engine *engines;
	bool dead;
	bool parked;
	atomic_t awake;
	wait_queue_head_t unparked;
	wait_queue_head_t asleep;
	u32 paging_delay_us;
	wait_queue_head_t released;
};

static inline bool vsplit_gpu_is_dead(const struct vsplit_gpu *gpu)
{
	return READ_ONCE(gpu->dead);
}

/* A paging engine may count at the same time: then a beat is lost, and others follow. */
static inline void vsplit_gpu_heartbeat(struct vsplit_gpu_program *program)
{
	WRITE_ONCE(program->progress, READ_ONCE(program->progress) + 1);
}

/* Time of steps, with the step being executed. @now: the time by the clock of its engine. */
static inline u64 vsplit_gpu_busy_at(const struct vsplit_gpu_busy *busy, u64 now)
{
	u64 ns = READ_ONCE(busy->ns), begun = ns & ~VSPLIT_GPU_BUSY_NOW;

	if (ns == begun)
		return ns;
	return now > begun ? now - begun : 0;
}

/* Whether @work is to stop. As vsplit_gpu_work_stop(), but without side effects. */
static inline bool vsplit_gpu_work_unwanted(const struct vsplit_gpu_work *work)
{
	return (!work->paging && READ_ONCE(work->program->cancel)) ||
	       vsplit_gpu_is_dead(work->engine->gpu);
}

/* ---- turns --------------------------------------------------------------- */

/* The caller of all vsplit_gpu_turns functions holds the engine's lock. */

/** vsplit_gpu_turns_add() - Add a program to the queue of its context. */
void vsplit_gpu_turns_add(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_remove() - Remove a program; this ends its turn. */
void vsplit_gpu_turns_remove(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_next() - The program with RUN steps whose turn it is, or NULL. */
struct vsplit_gpu_program *vsplit_gpu_turns_next(struct vsplit_gpu_engine *engine);

/**
 * vsplit_gpu_turns_next_paging() - The next paging work, of the client whose turn of paging it is.
 * @engine: the engine.
 * @held: programs that only page wait; look for @apart alone.
 * @apart: out: the client's next program whose paging steps this engine executes for another
 *	engine, or NULL.
 *
 * Return: the client's next program that only pages, or NULL if it may not go before all others.
 */
struct vsplit_gpu_program *vsplit_gpu_turns_next_paging(struct vsplit_gpu_engine *engine, bool held,
							struct vsplit_gpu_program **apart);

/**
 * vsplit_gpu_turns_end() - End a program's turn.
 * @engine: the engine.
 * @program: in the ring.
 *
 * Return: true if another context's turn begins, and always for a program that only pages.
 */
bool vsplit_gpu_turns_end(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_add_apart() - Add another engine's program; its next paging step may begin. */
void vsplit_gpu_turns_add_apart(struct vsplit_gpu_engine *engine,
				struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_end_apart() - End @client's turn, whose steps for another engine took @ns. */
void vsplit_gpu_turns_end_apart(struct vsplit_gpu_engine *engine, struct vsplit_gpu_client *client,
				u64 ns);

/** vsplit_gpu_exec_swap() - Exchange the state registers of the unit with those of a context. */
void vsplit_gpu_exec_swap(struct vsplit_gpu_exec *exec, struct vsplit_gpu_context *context);

/* ---- parking ------------------------------------------------------------- */

/** vsplit_gpu_enter() - Before an engine works: sleep while the GPU is parked. */
void vsplit_gpu_enter(struct vsplit_gpu *gpu);

/** vsplit_gpu_leave() - An engine stops working, or is about to wait for another engine. */
void vsplit_gpu_leave(struct vsplit_gpu *gpu);

/** vsplit_gpu_pause() - In the middle of an engine's work: stand still while the GPU is parked. */
static inline void vsplit_gpu_pause(struct vsplit_gpu *gpu)
{
	if (vsplit_gpu_is_parked(gpu)) {
		vsplit_gpu_leave(gpu);
		vsplit_gpu_enter(gpu);
	}
}

/* ---- engine ------------------------------------------------------------- */

/** vsplit_gpu_engine_thread() - The thread of an engine. */
int vsplit_gpu_engine_thread(void *data);

/** vsplit_gpu_engine_is_behind() - Whether a held program may still do something up to a time. */
bool vsplit_gpu_engine_is_behind(struct vsplit_gpu_engine *engine, u64 at);

/* ---- clock; only from the thread that executes the engine's work --------- */

/** vsplit_gpu_clock_beat() - Note that the engine's thread works for a program, or begins to. */
void vsplit_gpu_clock_beat(const struct vsplit_gpu_work *work, bool begin);

/**
 * vsplit_gpu_clock_last() - The engine's time when its thread was last seen to work.
 * @engine: the engine.
 *
 * It saves a look at the real clock, with which a short packet would take a sixth longer.
 */
u64 vsplit_gpu_clock_last(const struct vsplit_gpu_engine *engine);

/** vsplit_gpu_clock_paging() - Spend the time of an executed paging step, and that of the knob. */
void vsplit_gpu_clock_paging(const struct vsplit_gpu_work *work,
			     const struct vsplit_gpu_step *step);

/** vsplit_gpu_clock_settle() - Sleep until the present has reached the engine's time. */
void vsplit_gpu_clock_settle(const struct vsplit_gpu_work *work);

#endif /* _VSPLIT_GPU_MACHINE_H_ */
