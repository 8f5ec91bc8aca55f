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
 * An engine is a kernel thread with a ring of programs. It takes the program whose turn it is, and
 * executes all its steps in order; no portion of another program runs between them on this engine
 * (SPLIT-5). A program that only pages has no portion: it runs before the next program, or at the
 * next split point of the running program (SPLIT-6), unless its client has had more of the engine
 * than the client of that program. After a slice of time it gives way to other programs that only
 * page. An engine with save/restore instead ends a context's turn (vsplit_gpu_turns.c) after each
 * RUN step, and the next context goes on. It only has to save the program's cursor, because the
 * resource table is memory of the context, and a portion begins with undefined state. An engine
 * that switches between packets ends a turn after a slice of time, and saves the state registers
 * in the context.
 *
 * An engine executes paging steps itself or, if it was configured so, lets a paging engine execute
 * them *apart*. When the engine comes to the paging steps between two RUN steps, it gives them to
 * the paging engine, and waits until they are over. If the paging engine has nothing else to do,
 * the waiting engine's thread acts as the paging engine's thread meanwhile. This cannot deadlock:
 * the paging engine waits for no other engine, and its steps end.
 *
 * A program may ask for its paging steps to be executed *ahead*. Then the paging engine gets them
 * as soon as the program is the first of its context, because programs of one context rely on their
 * order, and executes them in order while other steps run. If a paging step needs a RUN step to be
 * over, the paging engine does not wait, but puts the program aside until the engine says so. An
 * engine waits before a RUN step until all paging steps before it are over. A step only ever waits
 * for earlier steps of the same program, so the first step that is not over can always be executed.
 *
 * On a paging engine clients take turns of a slice of time each. The programs of a client take
 * turns as well, with the steps of one portion each.
 *
 * A RUN step is skipped once its program was cancelled or has faulted, or a paging step of it has
 * failed. Paging steps are skipped only if the GPU is dead; then every step is skipped. The engine
 * notifies each step that asks for it, in order, skipped or not, and then gives the program back;
 * all paths end this way.
 *
 * A hardware queue is a program without an end: its client puts packets into a ring, and the engine
 * copies and executes them one by one. The queue leaves the engine when the ring is empty, when a
 * packet has to wait for a monitored fence, or when the driver stops it. It gives way after its
 * slice of time on any kind of engine. Its registers are saved in its context. Programs that only
 * page run between its packets.
 *
 * The thread allocates nothing, and takes no lock but the engines' spinlocks and the TLBs' locks.
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

/* Skip a step. @clock is the engine that would have executed it. */
static void engine_step_skip(struct vsplit_gpu_engine *engine, struct vsplit_gpu_engine *clock,
			     struct vsplit_gpu_program *program, u32 index)
{
	struct vsplit_gpu_step *step = &program->steps[index];

	step->flags |= VSPLIT_GPU_STEP_SKIPPED;
	step->begin_ns = vsplit_gpu_clock_read(clock);
	step->end_ns = step->begin_ns;
	engine_step_done(engine, program, index);
}

/* Note that steps from @index on are not executed, unless a command has faulted before. */
static void engine_cancel_step(struct vsplit_gpu_program *program, u32 index)
{
	if (program->fault.fault)
		return;
	program->fault.fault = VSPLIT_FAULT_CANCELLED;
	program->fault.step = index;
	program->fault.offset = program->steps[index].run.begin;
}

/* Begin to count the time of a program; engine_end() ends it. */
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

/* Execute a paging step. @engine belongs to this thread, or is lent to it. */
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
		/* Of a step apart, the program's own engine notes this: engine_pass_apart(). */
		if (!apart)
			engine_cancel_step(program, index);
		engine_step_skip(told, engine, program, index);
		return;
	}
	engine_step_begin(told, program, index);
	engine_begin(engine, busy);
	vsplit_sync_point("gpu.page");
	step->begin_ns = vsplit_gpu_clock_read(engine);
	moved = vsplit_fault("gpu.page") ? VSPLIT_GPU_MOVED_STOPPED :
		vsplit_gpu_paging_step(&engine->gpu->space, &work, step);
	/* A driver's mistake: no client chooses the addresses of paging steps. */
	WARN_ON_ONCE(moved != VSPLIT_GPU_MOVED_ALL && moved != VSPLIT_GPU_MOVED_STOPPED);
	/* If the GPU died during the step, page tables may have been written only in part. */
	if (moved || vsplit_gpu_is_dead(engine->gpu)) {
		step->flags |= VSPLIT_GPU_STEP_SKIPPED;
		/* The program's RUN steps must not use what is not there. */
		vsplit_gpu_cancel(program, -EIO);
		if (!apart)
			engine_cancel_step(program, index);
	}
	vsplit_gpu_clock_paging(&work, step);
	vsplit_gpu_clock_settle(&work);
	step->end_ns = vsplit_gpu_clock_read(engine);
	engine_end(engine, busy);
	engine_step_done(told, program, index);
}

/* The next program that only pages and may run. @apart: the program to page for another engine. */
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

/* Prepare the paging of a program that is about to be rung: no step is over. */
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
 * The first program of a context, if it has paging steps to be executed ahead; otherwise NULL. None
 * of the steps begins before engine_give(), so the program cannot end before that.
 */
static struct vsplit_gpu_program *engine_first_ahead(const struct vsplit_gpu_engine *engine,
						     struct vsplit_gpu_context *context)
{
	struct vsplit_gpu_program *program =
		list_first_entry_or_null(&context->programs, struct vsplit_gpu_program, link);

	lockdep_assert_held(&engine->lock);
	return program && program->ahead && program->page < program->nr_steps ? program : NULL;
}

/* Whether the next paging step may begin: the RUN step that it waits for has to be over. */
static bool engine_may_page(const struct vsplit_gpu_program *program)
{
	return program->page < program->until &&
	       program->steps[program->page].after <= program->ran;
}

/* List the program if its next paging step may begin. During a step it is in the list already. */
static void engine_list_apart(struct vsplit_gpu_engine *paging, struct vsplit_gpu_program *program)
{
	lockdep_assert_held(&paging->lock);
	WRITE_ONCE(paging->coverage, program->coverage);
	if (list_empty(&program->apart) && engine_may_page(program))
		vsplit_gpu_turns_add_apart(paging, program);
}

/* The program is the first of its context now: its paging steps may begin. */
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

/* The RUN step @index is over: paging steps that waited for it may begin. */
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
 * Execute the next paging step of the first program in its client's list, and the steps behind it
 * that belong to the same portion and may begin, for a slice of time. The program stays in the list
 * meanwhile. After a portion's steps it becomes the last of the list, or leaves it if its next step
 * may not begin yet.
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
		 * If all steps are over, the program may be gone after this store: do not touch it
		 * any more. Its engine takes the lock before it goes on: do not touch the engine
		 * after the unlock.
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
 * Let the paging steps from the cursor to @end begin. Return: true if the paging engine has nothing
 * else to do. Then it is lent to this thread, which saves two threads from waking each other.
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

/* Act as the paging engine's thread for @program, as long as that engine has no other work. */
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
	/* The paging engine's own thread did not begin this work while the engine was lent. */
	if (work)
		wake_up_process(paging->task);
}

/* Wait until the paging steps from the cursor to @end are over, and set the cursor behind them. */
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
		/* Pairs with engine_page_apart(): the effects of the steps are visible. */
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
	for (; program->cursor < end; program->cursor++)
		if (program->steps[program->cursor].flags & VSPLIT_GPU_STEP_SKIPPED)
			engine_cancel_step(program, program->cursor);
	engine->timeline = max(engine->timeline, program->steps[end - 1].end_ns);
	engine_end(engine, &program->still);
}

/* ---- paging in turn ------------------------------------------------------- */

/* Execute all paging steps from the cursor to the next RUN step. */
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

/* The error of a program that was not executed completely, or 0. */
static int engine_program_error(const struct vsplit_gpu_engine *engine,
				const struct vsplit_gpu_program *program)
{
	if (program->fault.fault == VSPLIT_FAULT_NONE)
		return 0;
	if (program->fault.fault != VSPLIT_FAULT_CANCELLED)
		return -EFAULT;
	return vsplit_gpu_is_dead(engine->gpu) ? -ENODEV : READ_ONCE(program->cancel);
}

/* Execute a RUN step, or go on with it. Return: false if the program gave way in the step. */
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
	if (fault && fault != VSPLIT_FAULT_CANCELLED)
		engine->gpu->irq->fault(engine->gpu->priv, engine, program);
	engine_step_done(engine, program, index);
	return true;
}

/* ---- the ring ----------------------------------------------------------- */

/* End the program's turn. Return: true if it is another context's turn. */
static bool engine_end_turn(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	bool others;

	scoped_guard(spinlock_irq, &engine->lock)
		others = vsplit_gpu_turns_end(engine, program);
	WRITE_ONCE(program->turns, program->turns + 1);
	return others;
}

/* Between two portions or packets: end the turn if it is over. Return: another context goes on. */
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
	/* Not earlier: the fences of the next program must signal after those of this program. */
	if (next)
		engine_give(engine, next);
	wake_up_all(&gpu->released);
}

/* Execute steps of a program that only pages, for a slice of time or to the program's end. */
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

/* At a split point: execute programs that only page, as long as one may go first. */
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
 * Copy the next packet out of the ring, because the client may change the ring at any time.
 * Return: size of the packet; 0: the ring is empty; ~0: the bytes in the ring are no packet.
 */
static u32 queue_fetch(struct vsplit_gpu_queue *queue)
{
	/* Pairs with the client, which writes packets before it writes the tail. */
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
	/* Only a NOP may be longer than the copy, and its content does not matter. */
	bytes = min_t(u32, head->size, sizeof(queue->packet)) - sizeof(*head);
	at = (at + sizeof(*head)) & (queue->ring_bytes - 1);
	part = min(bytes, queue->ring_bytes - at);
	memcpy(head + 1, queue->ring + at, part);
	memcpy((u8 *)(head + 1) + part, queue->ring, bytes - part);
	return head->size;
}

/* Check the fence of a WAIT_FENCE packet. Return: as wait_fence(); 0 for other packets. */
static int queue_wait(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	const struct vsplit_packet_fence *packet = (void *)program->queue->packet;

	if (packet->head.op != VSPLIT_OP_WAIT_FENCE || packet->head.size != sizeof(*packet))
		return 0;
	return engine->gpu->irq->wait_fence(engine->gpu->priv, program, packet->head.arg,
					    packet->value);
}

/*
 * Store the time for a HISTORY packet, and make the packet a NOP, as the interpreter knows no
 * HISTORY. As a NOP it takes time, and can be stopped, like any packet. The interpreter refuses a
 * malformed HISTORY packet, which stays as it is.
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
 * Execute the next packet. Return: enum drm_vsplit_fault. @over: nothing was executed, because the
 * ring is empty, the packet has to wait, or the queue is to stop.
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
	 * Read @stop after the tail. If the client puts a packet in after it has asked for more
	 * allocations to be resident, the packet must not begin before they are resident.
	 */
	*over = !size || READ_ONCE(queue->stop);
	if (*over)
		return VSPLIT_FAULT_NONE;
	wait = queue_wait(engine, program);
	*over = wait == -EINPROGRESS;
	if (*over)
		return VSPLIT_FAULT_NONE;
	if (wait)
		size = ~0u;
	program->steps->run.end = size;
	program->stream_bytes = size;
	queue_history(engine, queue);
	/* If @size is ~0, the window is misaligned, and the interpreter refuses it. */
	fault = vsplit_gpu_exec_run(&engine->exec, work, 0);
	if (fault) {
		program->fault.offset = queue->done & (queue->ring_bytes - 1);
		return fault;
	}
	/* Before a reader can see that all packets are done, their declared time has passed. */
	if (READ_ONCE(*queue->tail) == queue->done + size)
		vsplit_gpu_clock_settle(work);
	/* A client that sees the new @shown also sees the bytes that the packets wrote. */
	smp_store_release(queue->shown, queue->done + size);
	vsplit_sync_point("gpu.shown");
	/* A waiter that sees the new @done also sees the new @shown. */
	smp_store_release(&queue->done, queue->done + size);
	engine->gpu->irq->queue_progress(engine->gpu->priv, program);
	return VSPLIT_FAULT_NONE;
}

/*
 * Between two packets: end the queue's turn if a program that only pages goes first. Such a program
 * may take long. As the queue is not executed meanwhile, vsplit_gpu_withdraw() can take it out of
 * the ring at once.
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

/* Execute packets of a hardware queue. Return: false if the queue gave way. */
static bool engine_queue(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_work work = { .engine = engine, .program = program };
	u32 fault = VSPLIT_FAULT_NONE;
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
	if (fault && fault != VSPLIT_FAULT_CANCELLED)
		engine->gpu->irq->fault(engine->gpu->priv, engine, program);
	return true;
}

/* ---- programs ----------------------------------------------------------- */

/*
 * Execute or skip the RUN step at the cursor. Return: false if the program gave way in the step.
 * If it is cancelled then, engine_execute() ends the step, because a part of it has been executed.
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

/* A program gave way. Return: true if its queue is to stop now: its next turn may never come. */
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

/* Sleep until there is work. Return: false if the thread is to end. @idle: set if it slept. */
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
 * Execute a portion's steps for another engine, if there are any. Then execute a program that only
 * pages, if one may go first, or else the program whose turn it is.
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
		/* Not all steps that are executed for another engine reschedule by themselves. */
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
