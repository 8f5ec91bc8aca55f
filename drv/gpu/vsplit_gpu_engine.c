// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Engines: rings and the threads that work them off.
 */
#include <linux/kthread.h>

#include "vsplit_gpu_machine.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_kcov.h"

/**
 * DOC: Engines
 *
 * An engine is a kernel thread with a ring of programs. It takes the one whose turn it is and
 * executes its steps in order to the end; no portion of another program runs between them on
 * this engine (SPLIT-5). A program that only pages is no portion: it runs before the next
 * program, or at the next split point of the one that runs (SPLIT-6), unless its client has had
 * more of the engine than that one's; and gives way to others that page after a slice of time.
 * An engine with save/restore instead ends a context's turn (vsplit_gpu_turns.c) after each RUN
 * step, and the next context goes on. It has nothing to save but the program's cursor, because
 * the resource table is the context's own memory, and a portion begins with undefined state. An
 * engine that switches between packets ends the turn with its slice of time, and saves the state
 * registers in the context.
 *
 * Paging steps are executed by the engine itself or, if it was configured so, *apart*: by
 * a paging engine. That has those between two RUN steps when the engine comes to them. The engine
 * waits until they are over; where the paging engine has nothing to do, the engine's thread is its
 * thread meanwhile. Waiting cannot deadlock: the paging engine waits for no other, and its steps
 * end.
 *
 * A program may ask for its paging steps to be executed *ahead*: then the paging engine has them
 * as soon as the program is the first of its context, as programs of one context rely on their
 * order, and executes them in order while other steps run. It does not wait for a RUN step that
 * one of them needs to be over, but puts the program aside until the engine says so. An engine
 * waits before a RUN step until all paging steps before it are over. What they wait for is always
 * an earlier step of the same program, so the first step that is not over can always be executed.
 *
 * A paging engine takes turns between clients, a slice of time each, and between the programs of
 * one, a portion's steps at a time.
 *
 * A RUN step is skipped once its program was cancelled or has faulted. Paging
 * steps never are, unless the GPU is dead; then every step is skipped. Each step
 * that asks for it is notified in order, skipped or not, and then the program is
 * given back, on every path the same one.
 *
 * A hardware queue is a program without an end: packets that its client puts into a ring, which
 * the engine copies and executes one by one. It leaves the engine when the ring is empty, it has
 * to wait for a monitored fence, or the driver wants it to, and gives way after its slice of time
 * on any kind of engine. Its registers are its context's. What only pages runs between its
 * packets.
 *
 * The thread allocates nothing and takes no lock but the engines' own spinlocks.
 * It is not freezable: work that was rung completes whatever the system does.
 */

/* ---- notification ------------------------------------------------------- */

static void engine_step_begin(struct vsplit_gpu_engine *engine,
			      struct vsplit_gpu_program *program, u32 index)
{
	engine->gpu->irq->step_begin(engine->gpu->priv, engine, program, index);
}

static void engine_step_done(struct vsplit_gpu_engine *engine,
			     struct vsplit_gpu_program *program, u32 index)
{
	const struct vsplit_gpu_irq_ops *irq = engine->gpu->irq;

	vsplit_gpu_heartbeat(program);
	if (program->steps[index].flags & VSPLIT_GPU_STEP_NOTIFY)
		irq->step_done(engine->gpu->priv, engine, program, index);
}

/* A step that does not run; @clock is the engine whose time it would have taken. */
static void engine_step_skip(struct vsplit_gpu_engine *engine, struct vsplit_gpu_engine *clock,
			     struct vsplit_gpu_program *program, u32 index)
{
	struct vsplit_gpu_step *step = &program->steps[index];

	step->flags |= VSPLIT_GPU_STEP_SKIPPED;
	step->begin_ns = vsplit_gpu_clock_read(clock);
	step->end_ns = step->begin_ns;
	engine_step_done(engine, program, index);
}

/* Steps are not executed any more from @index on, and no command did it. */
static void engine_cancel_step(struct vsplit_gpu_program *program, u32 index)
{
	if (program->fault.fault)
		return;
	program->fault.fault = VSPLIT_GPU_FAULT_CANCELLED;
	program->fault.step = index;
	program->fault.offset = program->steps[index].run.begin;
}

/* What a program takes is counted from here, until engine_end(). */
static void engine_begin(struct vsplit_gpu_engine *engine, struct vsplit_gpu_busy *busy)
{
	WRITE_ONCE(busy->ns, (vsplit_gpu_clock_read(engine) - busy->ns) | VSPLIT_GPU_BUSY_NOW);
}

static void engine_end(struct vsplit_gpu_engine *engine, struct vsplit_gpu_busy *busy)
{
	WRITE_ONCE(busy->ns, vsplit_gpu_busy_at(busy, vsplit_gpu_clock_read(engine)));
	vsplit_sync_point("gpu.counted");
}

/* ---- paging ------------------------------------------------------------- */

/* Execute a paging step; @engine is this thread's, or lent to it. */
static void engine_page(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program,
			u32 index)
{
	struct vsplit_gpu_work work = { .engine = engine, .program = program, .paging = true };
	bool apart = program->engine != engine;
	struct vsplit_gpu_engine *told = program->ahead ? engine : program->engine;
	struct vsplit_gpu_busy *busy = apart ? &program->busy_apart : &program->busy;
	struct vsplit_gpu_step *step = &program->steps[index];
	enum vsplit_gpu_moved moved;

	vsplit_gpu_pause(engine->gpu);
	if (vsplit_gpu_is_dead(engine->gpu)) {
		/* The fault registers are for the thread that runs it, see engine_pass_apart(). */
		if (!apart)
			engine_cancel_step(program, index);
		engine_step_skip(told, engine, program, index);
		return;
	}
	engine_step_begin(told, program, index);
	engine_begin(engine, busy);
	vsplit_sync_point("gpu.page");
	step->begin_ns = vsplit_gpu_clock_read(engine);
	moved = vsplit_gpu_paging_step(&engine->gpu->space, &work, step);
	/* A driver's mistake: no client chooses the addresses of paging steps. */
	WARN_ON_ONCE(moved != VSPLIT_GPU_MOVED_ALL && moved != VSPLIT_GPU_MOVED_STOPPED);
	/* Meanwhile: page tables may be written in part. */
	if (moved || vsplit_gpu_is_dead(engine->gpu)) {
		step->flags |= VSPLIT_GPU_STEP_SKIPPED;
		if (!apart)
			engine_cancel_step(program, index);
	}
	vsplit_gpu_clock_paging(&work, step);
	vsplit_gpu_clock_settle(&work);
	step->end_ns = vsplit_gpu_clock_read(engine);
	engine_end(engine, busy);
	engine_step_done(told, program, index);
}

/* The next program that only pages and may run, and @apart, whose next portion may be paged. */
static struct vsplit_gpu_program *engine_next_paging(struct vsplit_gpu_engine *engine,
						     struct vsplit_gpu_program **apart)
{
	bool held = engine->held_back && !vsplit_gpu_is_dead(engine->gpu);

	return vsplit_gpu_turns_next_paging(engine, held, apart);
}

static bool engine_has_work(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_program *apart;

	lockdep_assert_held(&engine->lock);

	return vsplit_gpu_turns_next(engine) || engine_next_paging(engine, &apart) || apart;
}

/* ---- paging apart --------------------------------------------------------- */

/* The first paging step from @i on, or the number of steps. */
static u32 engine_next_page(const struct vsplit_gpu_program *program, u32 i)
{
	while (i < program->nr_steps && !vsplit_gpu_step_is_paging(&program->steps[i]))
		i++;
	return i;
}

/* It is about to be rung: nothing of it is over. */
static void engine_begin_apart(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	program->ahead &= engine->paging != engine;
	INIT_LIST_HEAD(&program->apart);
	program->engine = engine;
	program->ran = 0;
	program->page = engine_next_page(program, 0);
	program->until = 0;
	program->paged = program->page;
}

/*
 * The program of a context that is first, if it has paging steps that are executed ahead. None of
 * them begins, and so it is not over, before engine_give().
 */
static struct vsplit_gpu_program *engine_first_ahead(const struct vsplit_gpu_engine *engine,
						     struct vsplit_gpu_context *context)
{
	struct vsplit_gpu_program *program =
		list_first_entry_or_null(&context->programs, struct vsplit_gpu_program, link);

	lockdep_assert_held(&engine->lock);
	return program && program->ahead && program->page < program->nr_steps ? program : NULL;
}

/* Whether the next paging step may begin: not before the RUN steps that it waits for are over. */
static bool engine_may_page(const struct vsplit_gpu_program *program)
{
	return program->page < program->until &&
	       program->steps[program->page].after <= program->ran;
}

/* While steps of it are executed, it is in the list as well. */
static void engine_list_apart(struct vsplit_gpu_engine *paging, struct vsplit_gpu_program *program)
{
	lockdep_assert_held(&paging->lock);
	WRITE_ONCE(paging->coverage, program->coverage);
	if (list_empty(&program->apart) && engine_may_page(program))
		vsplit_gpu_turns_add_apart(paging, program);
}

/* No earlier program of its context is left: paging steps may begin. */
static void engine_give(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_engine *paging = engine->paging;
	unsigned long irq_flags;

	program->given_ns = vsplit_gpu_now(engine->gpu);
	spin_lock_irqsave(&paging->lock, irq_flags);
	program->until = program->nr_steps;
	engine_list_apart(paging, program);
	spin_unlock_irqrestore(&paging->lock, irq_flags);
	wake_up_process(paging->task);
}

/* The RUN step @index is over: what waited for it may begin. */
static void engine_ran(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program,
		       u32 index)
{
	struct vsplit_gpu_engine *paging = engine->paging;

	if (!program->ahead)
		return;
	spin_lock_irq(&paging->lock);
	program->ran = index + 1;
	engine_list_apart(paging, program);
	spin_unlock_irq(&paging->lock);
	wake_up_process(paging->task);
}

/*
 * Execute a step of the program, which is its client's first, and those behind it that belong to
 * the same portion, as far as they may begin, for a slice of time. It stays in the list meanwhile,
 * and behind a portion is the last one, or leaves.
 */
static void engine_page_apart(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_client *client = program->context->client->paging;
	struct vsplit_gpu_engine *by = program->engine;
	u64 begun = program->busy_apart.ns;
	u32 index, next;
	bool more, over;

	do {
		const struct vsplit_gpu_step *step = &program->steps[program->page];

		index = program->page;
		engine->timeline = max3(engine->timeline, program->given_ns, step->after ?
					program->steps[step->after - 1].end_ns : 0);
		engine_page(engine, program, index);
		next = engine_next_page(program, index + 1);
		spin_lock_irq(&engine->lock);
		program->page = next;
		more = engine_may_page(program);
		over = !more || next > index + 1 ||
		       program->busy_apart.ns - begun >= VSPLIT_GPU_SLICE_NS;
		if (!more)
			list_del_init(&program->apart);
		else if (next > index + 1)
			list_move_tail(&program->apart, &client->apart);
		if (over)
			vsplit_gpu_turns_end_apart(engine, client, program->busy_apart.ns - begun);
		/*
		 * Of a program all of whose steps are over nothing may be touched behind this, and
		 * of its engine nothing behind the lock, which that one takes before it goes on.
		 */
		smp_store_release(&program->paged, next);
		if (by->waits == program && next >= by->waits_end) {
			by->waits = NULL;
			wake_up_process(by->task);
		}
		spin_unlock_irq(&engine->lock);
	} while (!over);
}

/*
 * The paging steps from the cursor to @end may begin. Return: the paging engine has nothing else
 * to do and is lent to this thread, as two threads need not wake each other for a step.
 */
static bool engine_give_portion(struct vsplit_gpu_engine *engine,
				struct vsplit_gpu_program *program, u32 end)
{
	struct vsplit_gpu_engine *paging = engine->paging;
	bool idle;

	program->given_ns = engine->timeline;
	spin_lock_irq(&paging->lock);
	idle = !paging->awake && !paging->lent && !engine_has_work(paging);
	if (idle)
		paging->lent = true;
	program->ran = program->cursor;
	program->until = end;
	engine->waits = program;
	engine->waits_end = end;
	engine_list_apart(paging, program);
	spin_unlock_irq(&paging->lock);
	if (!idle)
		wake_up_process(paging->task);
	return idle;
}

/* Be the thread of the paging engine as long as it has nothing else to do. */
static void engine_borrow(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_engine *paging = engine->paging;
	struct vsplit_gpu_program *apart;
	bool alone, work;

	do {
		engine_page_apart(paging, program);
		spin_lock_irq(&paging->lock);
		alone = !engine_next_paging(paging, &apart) && apart == program;
		paging->lent = alone;
		work = !alone && engine_has_work(paging);
		spin_unlock_irq(&paging->lock);
	} while (alone);
	/* When it came, the thread was not to begin. */
	if (work)
		wake_up_process(paging->task);
}

/* Wait until the paging steps from the cursor to @end are over, and pass by them. */
static void engine_pass_apart(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program,
			      u32 end)
{
	struct vsplit_gpu_engine *paging = engine->paging;
	bool waits;

	engine_begin(engine, &program->still);
	if (!program->ahead && engine_give_portion(engine, program, end))
		engine_borrow(engine, program);
	vsplit_gpu_leave(engine->gpu);
	for (;;) {
		set_current_state(TASK_IDLE);
		spin_lock_irq(&paging->lock);
		/* Pairs with engine_page_apart(): what the steps did is there. */
		waits = smp_load_acquire(&program->paged) < end;
		engine->waits = waits ? program : NULL;
		engine->waits_end = end;
		spin_unlock_irq(&paging->lock);
		if (!waits)
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	vsplit_gpu_enter(engine->gpu);
	if (vsplit_gpu_is_dead(engine->gpu))
		engine_cancel_step(program, program->cursor);
	engine->timeline = max(engine->timeline, program->steps[end - 1].end_ns);
	engine_end(engine, &program->still);
	program->cursor = end;
}

/* ---- paging in turn ------------------------------------------------------- */

/* Execute the paging steps at the cursor, all up to the next RUN step. */
static void engine_page_all(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	u32 end = program->cursor;

	while (end < program->nr_steps && vsplit_gpu_step_is_paging(&program->steps[end]))
		end++;
	if (engine->paging != engine) {
		engine_pass_apart(engine, program, end);
		return;
	}
	while (program->cursor < end)
		engine_page(engine, program, program->cursor++);
}

/* ---- commands ----------------------------------------------------------- */

/* Why not all of the program was executed, or 0. */
static int engine_program_error(const struct vsplit_gpu_engine *engine,
				const struct vsplit_gpu_program *program)
{
	if (program->fault.fault == VSPLIT_GPU_FAULT_NONE)
		return 0;
	if (program->fault.fault != VSPLIT_GPU_FAULT_CANCELLED)
		return -EFAULT;
	return vsplit_gpu_is_dead(engine->gpu) ? -ENODEV : READ_ONCE(program->cancel);
}

/* Return: whether the step is over. */
static bool engine_execute(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program,
			   u32 index)
{
	struct vsplit_gpu_work work = { .engine = engine, .program = program };
	struct vsplit_gpu_step *step = &program->steps[index];
	bool resumed = program->resume;
	u32 fault;

	engine_step_begin(engine, program, index);
	engine_begin(engine, &program->busy);
	if (resumed)
		vsplit_gpu_exec_swap(&engine->exec, program->context);
	else
		step->begin_ns = vsplit_gpu_clock_read(engine);
	vsplit_gpu_clock_beat(&work, true);
	fault = vsplit_gpu_exec_run(&engine->exec, &work, index);
	if (!fault)
		vsplit_gpu_clock_settle(&work);
	step->end_ns = vsplit_gpu_clock_read(engine);
	engine_end(engine, &program->busy);
	if (program->resume) {
		vsplit_gpu_exec_swap(&engine->exec, program->context);
		return false;
	}
	program->cursor++;
	if (fault)
		step->flags |= VSPLIT_GPU_STEP_SKIPPED;
	if (fault && fault != VSPLIT_GPU_FAULT_CANCELLED)
		engine->gpu->irq->fault(engine->gpu->priv, engine, program);
	engine_step_done(engine, program, index);
	return true;
}

/* ---- the ring ----------------------------------------------------------- */

/* A turn is over. Return: it is another context's. */
static bool engine_end_turn(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	bool others;

	scoped_guard(spinlock_irq, &engine->lock)
		others = vsplit_gpu_turns_end(engine, program);
	WRITE_ONCE(program->turns, program->turns + 1);
	return others;
}

/* Between two portions, or packets: whether another context goes on here. */
static bool engine_switch(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	bool slices = program->queue || (engine->flags & VSPLIT_GPU_ENGINE_PACKETS);
	bool others;

	if (!slices && !(engine->flags & VSPLIT_GPU_ENGINE_SAVE_RESTORE))
		return false;
	if (slices && vsplit_gpu_clock_last(engine) < engine->slice_end)
		return false;
	others = engine_end_turn(engine, program);
	if (!others)
		engine->slice_end = vsplit_gpu_clock_read(engine) + VSPLIT_GPU_SLICE_NS;
	return others;
}

bool vsplit_gpu_work_yields(const struct vsplit_gpu_work *work)
{
	return (work->engine->flags & VSPLIT_GPU_ENGINE_PACKETS) &&
	       engine_switch(work->engine, work->program);
}

/* Give the program back; it may be gone when the callback returns. */
static void engine_release(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	int error = engine_program_error(engine, program);
	struct vsplit_gpu_program *next;
	struct vsplit_gpu *gpu = engine->gpu;

	spin_lock_irq(&engine->lock);
	vsplit_gpu_turns_remove(engine, program);
	engine->released = program->context;
	engine->next_ahead = engine_first_ahead(engine, program->context);
	if (engine->current_program == program)
		engine->current_program = NULL;
	spin_unlock_irq(&engine->lock);
	gpu->irq->program_done(gpu->priv, engine, program, error);
	spin_lock_irq(&engine->lock);
	engine->held--;
	next = engine->next_ahead;
	engine->released = NULL;
	engine->next_ahead = NULL;
	spin_unlock_irq(&engine->lock);
	/* Only now: its fences are signalled behind those of the one before. */
	if (next)
		engine_give(engine, next);
	wake_up_all(&gpu->released);
}

/* Execute steps of a program that only pages, to its end, or for a slice of time. */
static void engine_page_slice(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	u64 end = vsplit_gpu_clock_read(engine) + VSPLIT_GPU_SLICE_NS;

	do {
		engine_page(engine, program, program->cursor++);
		if (program->cursor == program->nr_steps) {
			engine_release(engine, program);
			return;
		}
	} while (vsplit_gpu_clock_read(engine) < end);
	spin_lock_irq(&engine->lock);
	vsplit_gpu_turns_end(engine, program);
	if (engine->current_program == program)
		engine->current_program = NULL;
	spin_unlock_irq(&engine->lock);
}

/* At a split point: programs that only page, until none may. */
static void engine_page_others(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_program *program, *apart;

	for (;;) {
		scoped_guard(spinlock_irq, &engine->lock)
			program = engine_next_paging(engine, &apart);
		if (!program)
			return;
		engine_page_slice(engine, program);
	}
}

/* ---- hardware queues ---------------------------------------------------- */

/*
 * Copy the next packet out of the ring: what the client changes now does not matter any more.
 * Return: its size; 0: there is none; ~0: what is there is no packet.
 */
static u32 queue_fetch(struct vsplit_gpu_queue *queue)
{
	/* Pairs with the client, which writes packets first. */
	u64 there = smp_load_acquire(queue->tail) - queue->done;
	u32 at = queue->done & (queue->ring_bytes - 1), bytes, part;
	struct vsplit_packet *head = (void *)queue->packet;

	if (!there)
		return 0;
	if (there > queue->ring_bytes || there % sizeof(u64))
		return ~0u;
	memcpy(head, queue->ring + at, sizeof(*head));
	if (head->size < sizeof(*head) || head->size % sizeof(u64) || head->size > there)
		return ~0u;
	/* The rest of a long one is nothing. */
	bytes = min_t(u32, head->size, sizeof(queue->packet)) - sizeof(*head);
	at = (at + sizeof(*head)) & (queue->ring_bytes - 1);
	part = min(bytes, queue->ring_bytes - at);
	memcpy(head + 1, queue->ring + at, part);
	memcpy((u8 *)(head + 1) + part, queue->ring, bytes - part);
	return head->size;
}

/* Return: as wait_fence(). Of any other packet, 0. */
static int queue_wait(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	const struct vsplit_packet_fence *packet = (void *)program->queue->packet;

	if (packet->head.op != VSPLIT_OP_WAIT_FENCE || packet->head.size != sizeof(*packet))
		return 0;
	return engine->gpu->irq->wait_fence(engine->gpu->priv, program, packet->head.arg,
					    packet->value);
}

/*
 * The engine knows no such packet: what is left for it to execute is a NOP, so that a ring of
 * these is paced, and stopped, like any other. A bad one stays what it is, and is refused.
 */
static void queue_history(struct vsplit_gpu_engine *engine, struct vsplit_gpu_queue *queue)
{
	struct vsplit_packet *packet = (void *)queue->packet;

	if (packet->op != VSPLIT_OP_HISTORY || packet->size != sizeof(*packet) ||
	    packet->flags || packet->arg >= queue->nr_history)
		return;
	WRITE_ONCE(queue->history[array_index_nospec(packet->arg, queue->nr_history)],
		   vsplit_gpu_clock_read(engine));
	packet->op = VSPLIT_OP_NOP;
	packet->arg = 0;
}

/*
 * Execute the next packet. Return: enum vsplit_gpu_fault; @over: there is none, or it waits, or
 * the queue is to stop.
 */
static u32 queue_packet(struct vsplit_gpu_engine *engine, const struct vsplit_gpu_work *work,
			bool *over)
{
	struct vsplit_gpu_program *program = work->program;
	struct vsplit_gpu_queue *queue = program->queue;
	u32 size, fault;
	int wait;

	vsplit_sync_point("gpu.packet");
	size = queue_fetch(queue);
	/*
	 * Behind the look at the tail: what the client puts in when it has asked for more to be
	 * resident does not begin before that is there.
	 */
	*over = !size || READ_ONCE(queue->stop);
	if (*over)
		return VSPLIT_GPU_FAULT_NONE;
	wait = queue_wait(engine, program);
	*over = wait == -EINPROGRESS;
	if (*over)
		return VSPLIT_GPU_FAULT_NONE;
	if (wait)
		size = ~0u;
	program->steps->run.end = size;
	program->stream_bytes = size;
	queue_history(engine, queue);
	/* A window of any other size than a packet's is a bad one. */
	fault = vsplit_gpu_exec_run(&engine->exec, work, 0);
	if (fault) {
		program->fault.offset = queue->done & (queue->ring_bytes - 1);
		return fault;
	}
	/* A reader that sees that all is done sees the time, too. */
	if (READ_ONCE(*queue->tail) == queue->done + size)
		vsplit_gpu_clock_settle(work);
	/* What the packets wrote is there when this is seen, */
	smp_store_release(queue->shown, queue->done + size);
	vsplit_sync_point("gpu.shown");
	/* and what is waited for is seen when the wait ends. */
	smp_store_release(&queue->done, queue->done + size);
	engine->gpu->irq->queue_progress(engine->gpu->priv, program);
	return VSPLIT_GPU_FAULT_NONE;
}

/*
 * Between two packets: the turn ends where something that only pages goes first. That takes as long
 * as it takes, and a queue that is not executed meanwhile is taken out at once if it is to stop.
 */
static bool queue_page_first(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_program *apart;
	bool first;

	scoped_guard(spinlock_irq, &engine->lock)
		first = engine_next_paging(engine, &apart);
	if (first)
		engine_end_turn(engine, program);
	return first;
}

/* Execute packets of a hardware queue. Return: false if it gave way. */
static bool engine_queue(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_work work = { .engine = engine, .program = program };
	u32 fault = VSPLIT_GPU_FAULT_NONE;
	bool over = false;

	engine_step_begin(engine, program, 0);
	engine_begin(engine, &program->busy);
	vsplit_gpu_clock_beat(&work, true);
	vsplit_gpu_exec_swap(&engine->exec, program->context);
	while (!queue_page_first(engine, program)) {
		fault = queue_packet(engine, &work, &over);
		if (over || fault || engine_switch(engine, program))
			break;
	}
	vsplit_gpu_exec_swap(&engine->exec, program->context);
	engine_end(engine, &program->busy);
	if (!over && !fault)
		return false;
	program->cursor++;
	if (fault && fault != VSPLIT_GPU_FAULT_CANCELLED)
		engine->gpu->irq->fault(engine->gpu->priv, engine, program);
	return true;
}

/* ---- programs ----------------------------------------------------------- */

/*
 * Execute or skip the RUN step at the cursor. Return: false if it gave way in the middle;
 * what is cancelled then is not executed, but is not skipped as a whole either.
 */
static bool engine_run(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_work work = { .engine = engine, .program = program };
	u32 index = program->cursor;

	if (program->resume)
		return engine_execute(engine, program, index);
	if (vsplit_gpu_work_unwanted(&work))
		engine_cancel_step(program, index);
	if (!program->fault.fault)
		return program->queue ? engine_queue(engine, program) :
					engine_execute(engine, program, index);
	program->cursor++;
	engine_step_skip(engine, engine, program, index);
	return true;
}

/* A program gave way. Return: its queue is to stop after all, though its turn may never come. */
static bool engine_leave(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	bool stop;

	spin_lock_irq(&engine->lock);
	stop = program->queue && program->queue->stop;
	if (!stop)
		engine->current_program = NULL;
	spin_unlock_irq(&engine->lock);
	return stop;
}

/* Execute a program to its end, or to a point where another context goes on. */
static void engine_program(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	u32 run;

	engine->slice_end = vsplit_gpu_clock_read(engine) + VSPLIT_GPU_SLICE_NS;
	while (program->cursor < program->nr_steps) {
		if (vsplit_gpu_step_is_paging(&program->steps[program->cursor])) {
			engine_page_all(engine, program);
			continue;
		}
		run = program->cursor;
		if (!engine_run(engine, program)) {
			if (engine_leave(engine, program))
				break;
			return;
		}
		engine_ran(engine, program, run);
		vsplit_sync_point("gpu.portion");
		if (program->cursor == program->nr_steps)
			break;
		engine_page_others(engine);
		if (engine_switch(engine, program)) {
			engine_leave(engine, program);
			return;
		}
	}
	engine_release(engine, program);
}

/* Sleep until there is work. Return: false if the thread is to end; @idle: it slept. */
static bool engine_wait(struct vsplit_gpu_engine *engine, bool *idle)
{
	bool work;

	for (;;) {
		set_current_state(TASK_IDLE);
		spin_lock_irq(&engine->lock);
		work = !engine->lent && engine_has_work(engine);
		engine->awake = work;
		spin_unlock_irq(&engine->lock);
		if (work || kthread_should_stop())
			break;
		*idle = true;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return work;
}

/*
 * What the client has that pages next: a portion's steps for another engine, and a program that
 * only pages; or the program whose turn it is.
 */
static void engine_turn(struct vsplit_gpu_engine *engine, bool *idle)
{
	struct vsplit_gpu_program *program, *apart;

	spin_lock_irq(&engine->lock);
	program = engine_next_paging(engine, &apart) ?: vsplit_gpu_turns_next(engine);
	engine->current_program = program;
	spin_unlock_irq(&engine->lock);
	if (apart)
		engine_page_apart(engine, apart);
	if (!program)
		return;
	if (*idle)
		engine->timeline = max(engine->timeline, program->rung_ns);
	*idle = false;
	if (program->stream)
		engine_program(engine, program);
	else
		engine_page_slice(engine, program);
}

int vsplit_gpu_engine_thread(void *data)
{
	struct vsplit_gpu_engine *engine = data;
	bool idle = true, covered;

	while (engine_wait(engine, &idle)) {
		covered = vsplit_kcov_begin(READ_ONCE(engine->coverage));
		vsplit_gpu_enter(engine->gpu);
		engine_turn(engine, &idle);
		vsplit_gpu_leave(engine->gpu);
		vsplit_kcov_end(covered);
		/* Behind steps for another engine, too: not all of them look up by themselves. */
		cond_resched();
	}
	return 0;
}

bool vsplit_gpu_executes(struct vsplit_gpu_engine *engine, const struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_engine *paging = engine->paging;
	bool executes;

	scoped_guard(spinlock_irqsave, &engine->lock)
		executes = engine->current_program == program;
	scoped_guard(spinlock_irqsave, &paging->lock)
		executes &= engine->waits != program;
	return executes;
}

static u64 engine_busy(const struct vsplit_gpu_engine *engine, const struct vsplit_gpu_busy *busy)
{
	return vsplit_gpu_busy_at(busy, min(vsplit_gpu_now(engine->gpu),
					    vsplit_gpu_clock_read(engine)));
}

u64 vsplit_gpu_program_busy(const struct vsplit_gpu_engine *engine,
			    const struct vsplit_gpu_program *program)
{
	return engine_busy(engine, &program->busy) +
	       engine_busy(engine->paging, &program->busy_apart);
}

bool vsplit_gpu_engine_is_behind(struct vsplit_gpu_engine *engine, u64 at)
{
	struct vsplit_gpu_engine *paging = engine->paging;
	bool busy, behind;

	scoped_guard(spinlock_irqsave, &engine->lock)
		busy = engine->held || engine->awake || engine->lent || engine_has_work(engine);
	if (!busy)
		return false;
	scoped_guard(spinlock_irqsave, &paging->lock)
		behind = READ_ONCE((engine->waits ? paging : engine)->timeline) <= at;
	return behind;
}

void vsplit_gpu_ring(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_program *first = NULL;
	unsigned long irq_flags;

	program->rung_ns = vsplit_gpu_now(engine->gpu);
	program->cursor = 0;
	program->resume = 0;
	program->fault = (struct vsplit_gpu_fault_info) { .slot = ~0u };
	engine_begin_apart(engine, program);
	spin_lock_irqsave(&engine->lock, irq_flags);
	if (program->queue)
		program->queue->stop = false;
	vsplit_gpu_turns_add(engine, program);
	if (engine_first_ahead(engine, program->context) == program)
		first = program;
	if (first && engine->released == program->context) {
		engine->next_ahead = first;
		first = NULL;
	}
	engine->held++;
	WRITE_ONCE(engine->coverage, program->coverage);
	spin_unlock_irqrestore(&engine->lock, irq_flags);
	if (first)
		engine_give(engine, first);
	wake_up_process(engine->task);
}

bool vsplit_gpu_withdraw(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	unsigned long irq_flags;
	bool waits;

	spin_lock_irqsave(&engine->lock, irq_flags);
	waits = !list_empty(&program->link) && engine->current_program != program;
	if (waits) {
		vsplit_gpu_turns_remove(engine, program);
		engine->held--;
	}
	WRITE_ONCE(program->queue->stop, !waits);
	spin_unlock_irqrestore(&engine->lock, irq_flags);
	if (waits)
		wake_up_all(&engine->gpu->released);
	return waits;
}

void vsplit_gpu_hold_paging(struct vsplit_gpu_engine *engine, bool hold)
{
	scoped_guard(spinlock_irqsave, &engine->lock)
		engine->held_back = hold;
	wake_up_process(engine->task);
}

void vsplit_gpu_cancel(struct vsplit_gpu_program *program, int error)
{
	cmpxchg(&program->cancel, 0, error);
}
