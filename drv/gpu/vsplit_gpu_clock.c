// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The clock of an engine, and the heartbeat of its work.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "vsplit_gpu_machine.h"

/**
 * DOC: Two clocks
 *
 * With the real clock work takes as long as it takes, and an engine's time is
 * CLOCK_MONOTONIC.
 *
 * With the model clock an engine does its work at once, and its *timeline* advances by
 * the time that the model declares. Then the engine sleeps, off the CPU, until the present
 * has reached the timeline. So engines overlap on a single CPU. As long as the host is
 * faster than the model, times and their order do not depend on the host. An idle engine
 * begins a program at the time at which it was rung. An engine with programs queued begins
 * the next one at the end of its last work, and a paging engine begins handed-over paging at
 * the time that the program had reached. So lateness of timers and threads does not add up.
 *
 * Without heads, the present is CLOCK_MONOTONIC. A head shows the time: which frame a vblank shows
 * must not depend on how fast the host draws the frame. So the present does not pass the next
 * vblank of any head (vsplit_gpu_limit()), and that vblank comes when no engine is behind it.
 * Real time in which the present stands still does not exist for the model: the present goes on
 * where it stood, and stays behind CLOCK_MONOTONIC by that time from then on.
 *
 * Sleeping after each command would cost more than most commands. An engine therefore
 * runs ahead by up to CLOCK_SLACK_NS, and settles exactly at the end of each step,
 * where others can see the time.
 *
 * An engine sleeps by hrtimer in TASK_IDLE. It looks every CLOCK_BEAT_NS or earlier whether
 * the work is still wanted, and vsplit_gpu_die() wakes it at once. Sleeping for declared
 * time counts as progress, but sleeping for a spin does not, because a hang looks like
 * a spin. A spin counts stalls instead, only while the engine's thread gets to run. So a
 * driver can tell a program that hangs from an engine that got no processor.
 */

#define CLOCK_SLACK_NS	(50 * NSEC_PER_USEC)

/* Time between two heartbeats of a sleeping engine. */
#define CLOCK_BEAT_NS	(50 * NSEC_PER_MSEC)

/* Time between two looks at a present that stands still. */
#define CLOCK_LOOK_NS	(200 * NSEC_PER_USEC)

static bool clock_is_model(const struct vsplit_gpu_engine *engine)
{
	return engine->gpu->clock == VSPLIT_GPU_CLOCK_MODEL;
}

u64 vsplit_gpu_clock_read(const struct vsplit_gpu_engine *engine)
{
	return clock_is_model(engine) ? READ_ONCE(engine->timeline) : ktime_get_ns();
}

u64 vsplit_gpu_clock_last(const struct vsplit_gpu_engine *engine)
{
	return clock_is_model(engine) ? engine->timeline : engine->beat_ns;
}

/* ---- the present --------------------------------------------------------- */

static u64 present_at(const struct vsplit_gpu_present *present, u64 real)
{
	return min(real - present->lag, present->limit);
}

u64 vsplit_gpu_now(const struct vsplit_gpu *gpu)
{
	const struct vsplit_gpu_present *present = &gpu->present;
	unsigned int seq;
	u64 real, now;

	do {
		seq = read_seqbegin(&present->lock);
		real = ktime_get_ns();
		/* The clock has a seqcount of its own; where that ends, KCSAN ends this one. */
		now = data_race(present_at(present, real));
	} while (read_seqretry(&present->lock, seq));
	return now;
}

void vsplit_gpu_limit(struct vsplit_gpu *gpu, u32 index, u64 at)
{
	struct vsplit_gpu_present *present = &gpu->present;
	unsigned long irq_flags;
	u64 real, now;
	u32 i;

	if (gpu->clock != VSPLIT_GPU_CLOCK_MODEL)
		return;
	write_seqlock_irqsave(&present->lock, irq_flags);
	real = ktime_get_ns();
	now = present_at(present, real);
	present->limits[index] = at;
	present->limit = U64_MAX;
	for (i = 0; i < ARRAY_SIZE(present->limits); i++)
		present->limit = min(present->limit, present->limits[i]);
	present->lag = real - now;
	write_sequnlock_irqrestore(&present->lock, irq_flags);
}

u64 vsplit_gpu_real(const struct vsplit_gpu *gpu, u64 at)
{
	const struct vsplit_gpu_present *present = &gpu->present;
	u64 real = ktime_get_ns(), then;
	unsigned int seq;

	do {
		seq = read_seqbegin(&present->lock);
		then = at + present->lag;
	} while (read_seqretry(&present->lock, seq));
	return then > real ? then : real + CLOCK_LOOK_NS;
}

bool vsplit_gpu_is_behind(struct vsplit_gpu *gpu, u64 at)
{
	u32 i;

	if (gpu->clock != VSPLIT_GPU_CLOCK_MODEL || READ_ONCE(gpu->parked) ||
	    vsplit_gpu_is_dead(gpu))
		return false;
	for (i = 0; i < gpu->nr_engines; i++) {
		if (vsplit_gpu_engine_is_behind(&gpu->engines[i], at))
			return true;
	}
	return false;
}

/* ---- sleeping ------------------------------------------------------------ */

void vsplit_gpu_clock_beat(const struct vsplit_gpu_work *work, bool begin)
{
	struct vsplit_gpu_engine *engine = work->engine;
	struct vsplit_gpu_program *program = work->program;
	u64 now = ktime_get_ns();

	/* Time beyond a beat does not count: the thread got no processor then. */
	if (!begin && !work->paging)
		WRITE_ONCE(program->run_ns, program->run_ns +
			   min_t(u64, now - engine->beat_ns, CLOCK_BEAT_NS));
	engine->beat_ns = now;
}

/*
 * Sleep until the present has reached @until, or has stood still during a sleep, which does not
 * count as run time. Return: true if the work is unwanted; the rest of its time is dropped then.
 */
static bool clock_sleep(const struct vsplit_gpu_work *work, u64 until)
{
	struct vsplit_gpu_engine *engine = work->engine;
	struct vsplit_gpu *gpu = engine->gpu;
	u64 now = vsplit_gpu_now(gpu), before;
	ktime_t expires;
	bool unwanted;

	do {
		before = now;
		set_current_state(TASK_IDLE);
		unwanted = vsplit_gpu_work_unwanted(work);
		now = vsplit_gpu_now(gpu);
		if (unwanted || now >= until)
			break;
		expires = ns_to_ktime(vsplit_gpu_real(gpu, until));
		schedule_hrtimeout(&expires, HRTIMER_MODE_ABS);
		now = vsplit_gpu_now(gpu);
	} while (now < until && now > before);
	__set_current_state(TASK_RUNNING);
	if (now == before)
		engine->beat_ns = ktime_get_ns();
	if (unwanted)
		engine->timeline = min(engine->timeline, now);
	return unwanted;
}

/* Sleep with heartbeats. With @stalls: count stalls instead, while the present goes on. */
static bool clock_sleep_alive(const struct vsplit_gpu_work *work, u64 until, bool stalls)
{
	u64 beat = stalls ? VSPLIT_GPU_STALL_NS : CLOCK_BEAT_NS;
	struct vsplit_gpu_program *program = work->program;
	struct vsplit_gpu *gpu = work->engine->gpu;
	u64 now;

	for (now = vsplit_gpu_now(gpu); now < until; now = vsplit_gpu_now(gpu)) {
		if (clock_sleep(work, min(until, now + beat)))
			return true;
		if (!stalls)
			vsplit_gpu_heartbeat(program);
		else if (vsplit_gpu_now(gpu) > now)
			WRITE_ONCE(program->stalls, program->stalls + 1);
		vsplit_gpu_clock_beat(work, false);
		vsplit_gpu_pause(gpu);
	}
	return false;
}

/* Nanoseconds that @amount takes at @per_us per microsecond; 0: infinitely fast. */
static u64 clock_time(u64 amount, u32 per_us)
{
	return per_us ? mul_u64_u32_div(amount, NSEC_PER_USEC, per_us) : 0;
}

void vsplit_gpu_clock_settle(const struct vsplit_gpu_work *work)
{
	if (clock_is_model(work->engine))
		clock_sleep_alive(work, work->engine->timeline, false);
}

void vsplit_gpu_clock_paging(const struct vsplit_gpu_work *work,
			     const struct vsplit_gpu_step *step)
{
	u64 delay = (u64)READ_ONCE(work->engine->gpu->paging_delay_us) * NSEC_PER_USEC;
	const struct vsplit_gpu_model *model = &work->engine->gpu->model;
	bool transfers = step->type == VSPLIT_GPU_STEP_TRANSFER;
	u64 inside = 0, across = 0;

	if (transfers && !step->src.pages && !step->dst.pages)
		inside = 2 * step->bytes;	/* read and written */
	else if (transfers || step->type == VSPLIT_GPU_STEP_FILL ||
		 step->type == VSPLIT_GPU_STEP_ACQUIRE_RANGE ||
		 step->type == VSPLIT_GPU_STEP_RELEASE_RANGE)
		across = step->bytes;
	if (step->type == VSPLIT_GPU_STEP_MARK)
		return;
	if (!clock_is_model(work->engine)) {
		if (delay)
			clock_sleep_alive(work, vsplit_gpu_now(work->engine->gpu) + delay, false);
		return;
	}
	work->engine->timeline += delay + model->paging_op_ns +
		clock_time(inside, model->bytes_per_us) +
		clock_time(across, model->paging_bytes_per_us);
}

u32 vsplit_gpu_memory_speed(const struct vsplit_gpu *gpu)
{
	if (gpu->clock != VSPLIT_GPU_CLOCK_MODEL)
		return 1;
	return max(gpu->model.bytes_per_us / 2 / gpu->model.paging_bytes_per_us, 1u);
}

/* ---- what the pure parts ask the machine for ---------------------------- */

u64 vsplit_gpu_work_now(const struct vsplit_gpu_work *work)
{
	return vsplit_gpu_clock_read(work->engine);
}

bool vsplit_gpu_work_stop(const struct vsplit_gpu_work *work)
{
	vsplit_gpu_heartbeat(work->program);
	vsplit_gpu_clock_beat(work, false);
	vsplit_gpu_pause(work->engine->gpu);
	cond_resched();
	return vsplit_gpu_work_unwanted(work);
}

bool vsplit_gpu_work_charge(const struct vsplit_gpu_work *work, u64 bytes, u64 macs)
{
	const struct vsplit_gpu_model *model = &work->engine->gpu->model;
	struct vsplit_gpu_engine *engine = work->engine;

	if (!clock_is_model(engine))
		return false;
	engine->timeline += model->command_ns + clock_time(bytes, model->bytes_per_us) +
			    clock_time(macs, model->macs_per_us);
	if (engine->timeline < vsplit_gpu_now(engine->gpu) + CLOCK_SLACK_NS)
		return false;
	return clock_sleep_alive(work, engine->timeline, false);
}

bool vsplit_gpu_work_spin(const struct vsplit_gpu_work *work, u32 us)
{
	u64 ns = (u64)us * NSEC_PER_USEC;

	if (clock_is_model(work->engine))
		work->engine->timeline += ns;
	return clock_sleep_alive(work, clock_is_model(work->engine) ? work->engine->timeline :
				 vsplit_gpu_now(work->engine->gpu) + ns, true);
}

void vsplit_gpu_work_signal(const struct vsplit_gpu_work *work, u32 fence, u64 value)
{
	struct vsplit_gpu *gpu = work->engine->gpu;

	vsplit_gpu_clock_settle(work);
	gpu->irq->signal_fence(gpu->priv, work->engine, work->program, fence, value);
}
