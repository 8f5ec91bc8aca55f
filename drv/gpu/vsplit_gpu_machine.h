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
 * struct vsplit_gpu_engine - An engine: a thread with a ring.
 * @gpu: constant.
 * @index: constant.
 * @flags: VSPLIT_GPU_ENGINE_*; constant.
 * @paging: executes the paging steps of this engine's programs, perhaps itself;
 *	constant.
 * @task: the thread; constant, valid until the GPU is destroyed.
 * @lock: protects what is said to be; taken with interrupts off, innermost.
 * @turns: of each priority, and of paging, the clients that have something to do, the next one
 *	first; under @lock.
 * @used: of each: what the client whose turn it is had used when that began; under @lock.
 * @held_back: programs that only page wait; under @lock.
 * @awake: the thread works, or is about to; under @lock.
 * @lent: another engine's thread executes steps for it meanwhile; under @lock.
 * @waits: whose steps @paging executes before this engine goes on, so that until then it is as
 *	late as @paging is; or NULL; under the lock of @paging.
 * @waits_end: those before this one; likewise.
 * @held: programs that were rung and are not given back; under @lock.
 * @current_program: that the thread executes; under @lock.
 * @released: context whose program is being given back, or NULL; under @lock.
 * @next_ahead: the next one of it, whose paging steps are given to @paging then, or NULL; under
 *	@lock.
 * @coverage: what the thread works for, see vsplit_kcov_begin(): the task that gave it something
 *	last; WRITE_ONCE under @lock, READ_ONCE.
 * @timeline: model clock: until when the engine was busy, ns; written by the thread, or the one
 *	that it is lent to.
 * @slice_end: when the turn of the context ends, ns; of the thread.
 * @beat_ns: CLOCK_MONOTONIC when the thread was last seen to work; of the thread, or likewise.
 * @exec: execution unit; of the thread. No rows on a paging engine.
 */
struct vsplit_gpu_engine {
	struct vsplit_gpu *gpu;
	u32 index;
	u32 flags;
	struct vsplit_gpu_engine *paging;
	struct task_struct *task;
	spinlock_t lock;	/* what is said to be */
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
 * struct vsplit_gpu_present - What time it is, see vsplit_gpu_now().
 * @lock: protects the rest; written with interrupts off, innermost.
 * @lag: ns that it is behind CLOCK_MONOTONIC.
 * @limit: it does not pass this: the least of @limits.
 * @limits: by their index; U64_MAX: none.
 */
struct vsplit_gpu_present {
	seqlock_t lock; /* the rest */
	u64 lag;
	u64 limit;
	u64 limits[VSPLIT_GPU_MAX_LIMITS];
};

/**
 * struct vsplit_gpu - The GPU.
 * @space: its address space.
 * @clock: enum vsplit_gpu_clock; constant.
 * @model: of the model clock; constant.
 * @present: own locking.
 * @irq: callbacks; constant.
 * @priv: their first argument; constant.
 * @nr_engines: constant.
 * @engines: @nr_engines of them.
 * @dead: the GPU is gone; goes from false to true. READ_ONCE and WRITE_ONCE.
 * @parked: engines stand still; READ_ONCE and WRITE_ONCE.
 * @awake: engines that do not: they may touch memory.
 * @unparked: woken when they may go on.
 * @asleep: woken when none is awake.
 * @paging_delay_us: knob; READ_ONCE and WRITE_ONCE.
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

static inline void vsplit_gpu_heartbeat(struct vsplit_gpu_program *program)
{
	WRITE_ONCE(program->progress, program->progress + 1);
}

/* The time of steps with that of the one that is executed. @now: by the clock of its engine. */
static inline u64 vsplit_gpu_busy_at(const struct vsplit_gpu_busy *busy, u64 now)
{
	u64 ns = READ_ONCE(busy->ns), begun = ns & ~VSPLIT_GPU_BUSY_NOW;

	if (ns == begun)
		return ns;
	return now > begun ? now - begun : 0;
}

/* Whether @work is to end now. Has no side effect. */
static inline bool vsplit_gpu_work_unwanted(const struct vsplit_gpu_work *work)
{
	return (!work->paging && READ_ONCE(work->program->cancel)) ||
	       vsplit_gpu_is_dead(work->engine->gpu);
}

/* ---- turns --------------------------------------------------------------- */

/* Those of the turns: the engine's lock is held. */

/** vsplit_gpu_turns_add() - A program joins those of its context. */
void vsplit_gpu_turns_add(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_remove() - A program ends, and with it a turn. */
void vsplit_gpu_turns_remove(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_next() - Whose turn it is, of programs with RUN steps, or NULL. */
struct vsplit_gpu_program *vsplit_gpu_turns_next(struct vsplit_gpu_engine *engine);

/**
 * vsplit_gpu_turns_next_paging() - The client that pages next.
 * @engine: the engine.
 * @held: without programs that only page.
 * @apart: out: its next program whose paging steps this engine executes for another, or NULL.
 *
 * Return: its next program that only pages, if that may go before all others, or NULL.
 */
struct vsplit_gpu_program *vsplit_gpu_turns_next_paging(struct vsplit_gpu_engine *engine, bool held,
							struct vsplit_gpu_program **apart);

/** vsplit_gpu_turns_end() - This program's turn ends. Return: another context's begins. */
bool vsplit_gpu_turns_end(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_add_apart() - The next paging step of another engine's program may begin. */
void vsplit_gpu_turns_add_apart(struct vsplit_gpu_engine *engine,
				struct vsplit_gpu_program *program);

/** vsplit_gpu_turns_end_apart() - Such steps took @ns, and their client's turn ends. */
void vsplit_gpu_turns_end_apart(struct vsplit_gpu_engine *engine, struct vsplit_gpu_client *client,
				u64 ns);

/** vsplit_gpu_exec_swap() - Exchange the state registers of the unit with those of a context. */
void vsplit_gpu_exec_swap(struct vsplit_gpu_exec *exec, struct vsplit_gpu_context *context);

/* ---- parking ------------------------------------------------------------- */

/** vsplit_gpu_enter() - An engine is about to work: not while the GPU is parked. Sleeps. */
void vsplit_gpu_enter(struct vsplit_gpu *gpu);

/** vsplit_gpu_leave() - It stops, or waits for another engine. */
void vsplit_gpu_leave(struct vsplit_gpu *gpu);

/** vsplit_gpu_pause() - In the middle of its work: stand still while the GPU is parked. */
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

/** vsplit_gpu_engine_is_behind() - May what it holds still do something up to a time? */
bool vsplit_gpu_engine_is_behind(struct vsplit_gpu_engine *engine, u64 at);

/* ---- clock; all of it only from the engine's thread --------------------- */

/** vsplit_gpu_clock_beat() - The engine's thread works for a program, or begins to. */
void vsplit_gpu_clock_beat(const struct vsplit_gpu_work *work, bool begin);

/**
 * vsplit_gpu_clock_last() - What vsplit_gpu_clock_read() said when the work was last seen.
 * @engine: the engine.
 *
 * To ask the real clock itself, too, a short packet would take a sixth longer.
 */
u64 vsplit_gpu_clock_last(const struct vsplit_gpu_engine *engine);

/** vsplit_gpu_clock_paging() - A paging step was executed: take its time, and the knob's. */
void vsplit_gpu_clock_paging(const struct vsplit_gpu_work *work,
			     const struct vsplit_gpu_step *step);

/** vsplit_gpu_clock_settle() - Sleep until the present has reached the engine's time. */
void vsplit_gpu_clock_settle(const struct vsplit_gpu_work *work);

#endif /* _VSPLIT_GPU_MACHINE_H_ */
