// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the watchdog
 *
 * The watchdog comes twice in a timeout while there are jobs. A program that makes no progress
 * hangs, whether others wait for it or not. It does not hang if the engine itself stood still, as
 * the thread of a software engine does on a host that is short of processors: the watchdog counts
 * the time for which the engine was awake and saw no progress. Only after many such visits it
 * blames the program anyway. A program that hangs is cancelled: the hardware skips the rest of its
 * RUN steps, does its paging, and completes it. A software engine can always be stopped, so no
 * other client is harmed and no job is ever resubmitted.
 *
 * A program that makes progress has the adapter's timeout of RUN time while another client waits
 * for it (Documentation/architecture.rst, *Engines are shared*). Four ways of waiting count:
 *
 * - for the engine: a job is ready, and the engine executes another client's program. The time
 *   begins anew when the program gives way; on an engine that switches between packets a program
 *   gives way in time by itself.
 * - for the program's end: a job depends on it, because both use an allocation, or because the job
 *   gets room in a segment that the program still uses; or the program is a hardware queue that is
 *   to stop, and its packet does not end. A submission's context is preferred from then on, so
 *   that neither its client's other contexts nor work of higher priority keep the program from its
 *   RUN time (vsplit_gpu_turns.c).
 * - for a head: a commit waits for the program's end, and another commit, of another process, waits
 *   for that commit (Documentation/display.rst, *Behind a pending flip*). Then it does not matter
 *   whose job it is.
 * - by the CPU: a lock, an access of an allocation, or another driver's importer waits for the
 *   program of another client itself, or for paging behind it (vsplit_fence_hurry()). This counts
 *   until the program ends, even if the task does not wait any more.
 *
 * A job that waits for something else, such as its own client's program or another driver's fence,
 * does not wait for the engine. So the end of the chain of dependencies counts: from a job the
 * watchdog goes to the first dependency that has not signalled, as recorded at the commit, or else
 * to the job before it in its context, and on from there, until it finds a job that is ready or
 * runs. It does so once for each job and visit.
 * If the chain ends at a fence that belongs to no job of the adapter, the watchdog tells the fence
 * that its waiter stands still: a pending flip tells the fences that it waits for (vsplit_flip.c).
 *
 * A client whose programs hang one after another, those without progress as well, loses all of its
 * programs with the third one. Otherwise a client that waits for a thousand of them would wait for
 * as many timeouts. The count begins anew when a visit finds no unfinished program of the client.
 *
 * Paging that is done for a client waits on behalf of the client. Paging never counts against a
 * client: neither the paging steps of a program, nor the time that an engine waits for them.
 * Submissions do not wait for the evictions of Evict, and no client waits for paging that is done
 * for no client. While the engines are parked nothing counts.
 */
#include <linux/workqueue.h>

#include "exec/vsplit_hwq.h"
#include "kms/vsplit_kms.h"
#include "debug/vsplit_fault.h"

/* Jobs that are looked at before the lock is given to others: there may be very many jobs. */
#define VSPLIT_WATCH_AT_ONCE	512

/* A client with so many programs that hung, one after another, loses all of its programs. */
#define VSPLIT_WATCH_HANGS	3

/* After so many visits a program is blamed even if its engine was not awake. */
#define VSPLIT_WATCH_PATIENCE	20

/* Fences that are told at a time. */
#define VSPLIT_WATCH_TOLD	16

/* Look only at the flag: dma_fence_is_signaled() may signal a fence, which runs callbacks. */
static bool vsplit_fence_done(const struct dma_fence *fence)
{
	return test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags);
}

static bool vsplit_watch_done(const struct vsplit_job *job)
{
	/* A hardware queue counts as done whenever no engine has it. */
	return job->hwq ? !READ_ONCE(job->hwq->rung) : vsplit_fence_done(&job->fence->base);
}

/* Whether the job is a client's program; paging is never blamed, whatever it is for. */
static bool vsplit_watch_counts(const struct vsplit_job *job)
{
	return job->account && !vsplit_queue_is_paging(job->queue);
}

/*
 * Return: the job that @job waits for first; @job itself if it is ready or runs; NULL if it waits
 * for something that is no job of this adapter.
 */
static struct vsplit_job *vsplit_watch_blocker(struct vsplit_exec *exec, struct vsplit_job *job)
{
	struct vsplit_watch *watch = &job->watch;
	struct vsplit_job *before;

	while (watch->open < job->nr_dependencies &&
	       vsplit_fence_done(job->dependencies[watch->open].fence))
		watch->open++;
	if (watch->open < job->nr_dependencies)
		return vsplit_fence_job(job->dependencies[watch->open].fence, exec);
	if (vsplit_queue_is_paging(job->queue) ||
	    list_is_first(&watch->queued, &job->queue->jobs))
		return job;
	/* Jobs of a context end in order. */
	before = list_prev_entry(job, watch.queued);
	return vsplit_fence_done(&before->fence->base) ? job : before;
}

/* Find the leaf of @job and of all jobs on the way to the leaf. */
static void vsplit_watch_follow(struct vsplit_exec *exec, struct vsplit_job *job)
{
	struct vsplit_job *leaf, *at, *next;

	for (at = job; at->watch.pass != exec->pass; at = next) {
		at->watch.pass = exec->pass;
		at->watch.blocker = vsplit_watch_blocker(exec, at);
		next = at->watch.blocker ?: at;
		at->watch.leaf = next == at ? at : NULL;
		at->watch.client = vsplit_job_waiter(at);
	}
	leaf = at->watch.leaf;
	for (at = job; !at->watch.leaf; at = at->watch.blocker) {
		if (!leaf)
			return;
		at->watch.leaf = leaf;
	}
}

/*
 * A chain ends at a fence that @job waits for: list @job, so that vsplit_watch_tell() tells the
 * fence that its waiter stands still; once.
 */
static void vsplit_watch_stuck(struct vsplit_exec *exec, struct vsplit_job *job)
{
	struct vsplit_watch *watch = &job->watch;

	if (watch->told > watch->open)
		return;
	watch->told = watch->open + 1;
	list_move_tail(&watch->stuck, &exec->stuck);
}

/* @job waits: mark the job that it waits for. */
static void vsplit_watch_note(struct vsplit_exec *exec, struct vsplit_job *job)
{
	/* A hardware queue has no fence. */
	bool overdue = !job->hwq && READ_ONCE(job->fence->overdue);
	struct vsplit_account *client = vsplit_job_waiter(job);
	struct vsplit_job *leaf = job->watch.leaf, *running;
	struct vsplit_engine *engine;

	if (!leaf || (!client && !overdue))
		return;
	if (!leaf->watch.blocker) {
		leaf->watch.client = leaf->watch.client ?: client;
		if (overdue || leaf->watch.client != client)
			vsplit_watch_stuck(exec, leaf);
		return;
	}
	engine = leaf->queue->engine;
	if (vsplit_watch_counts(leaf) && !leaf->watch.needed_now &&
	    (overdue || (leaf != job && leaf->account != client))) {
		leaf->watch.needed_now = true;
		vsplit_gpu_prefer(engine->hw, &leaf->program);
	}
	guard(spinlock)(&engine->lock);
	running = engine->running;
	if (running && running != leaf && running->account &&
	    (overdue || running->account != client))
		running->watch.wanted_now = true;
}

/* A program hangs: cancel it. */
static void vsplit_watch_hang(struct vsplit_job *job)
{
	vsplit_gpu_cancel(&job->program, -ETIME);
	atomic64_inc(&job->queue->vdev->stats.hangs);
	if (vsplit_watch_counts(job))
		job->account->hangs++;
}

/* Too many programs of a client hung: the others hang, too, so that none waits for them in turn. */
static void vsplit_watch_lose(struct vsplit_account *account)
{
	struct vsplit_job *job;

	list_for_each_entry(job, &account->work, mine)
		if (vsplit_watch_counts(job) && !vsplit_watch_done(job) &&
		    !READ_ONCE(job->program.cancel))
			vsplit_watch_hang(job);
	account->hangs = 0;
}

/* A client has a job. If it had none at the last visit, its hangs are counted anew. */
static void vsplit_watch_client(struct vsplit_exec *exec, struct vsplit_account *account)
{
	if (account->watched + 1 < exec->pass)
		account->hangs = 0;
	account->watched = exec->pass;
}

/*
 * Does the program run without progress, although the engine was awake for at least half of the
 * time between two visits? Too many visits since the last progress count as well.
 */
static bool vsplit_watch_stalled(struct vsplit_job *job)
{
	u64 timeout = (u64)job->queue->vdev->config.timeout_ms * NSEC_PER_MSEC, awake;
	unsigned long progress = READ_ONCE(job->program.progress);
	struct vsplit_engine *engine = job->queue->engine;
	struct vsplit_watch *watch = &job->watch;
	bool runs;

	scoped_guard(spinlock, &engine->lock)
		runs = engine->running == job;
	/* It may have given way to paging, or wait for its own paging behind that of others. */
	if (!runs || !vsplit_gpu_executes(engine->hw, &job->program)) {
		watch->checks = 0;
		return false;
	}
	if (!watch->checks || watch->progress != progress) {
		watch->progress = progress;
		watch->stalls = READ_ONCE(job->program.stalls);
		watch->checks = 1;
		return false;
	}
	awake = (u64)(READ_ONCE(job->program.stalls) - watch->stalls) * VSPLIT_GPU_STALL_NS;
	return (awake && awake >= timeout / 4) || watch->checks++ >= VSPLIT_WATCH_PATIENCE;
}

/* The job's time since the last visit counts if another client waited then as well as now. */
static void vsplit_watch_count(struct vsplit_job *job)
{
	u64 limit = (u64)job->queue->vdev->config.timeout_ms * NSEC_PER_MSEC;
	struct vsplit_watch *watch = &job->watch;
	u64 now = READ_ONCE(job->program.run_ns);
	u32 turns = READ_ONCE(job->program.turns);

	if (turns != watch->turns)
		watch->held_ns = 0;
	else if (watch->wanted_now && watch->wanted)
		watch->held_ns += now - watch->run_ns;
	if (watch->needed_now && watch->needed)
		watch->needed_ns += now - watch->run_ns;
	watch->wanted = watch->wanted_now;
	watch->needed = watch->needed_now;
	watch->wanted_now = false;
	watch->needed_now = false;
	watch->turns = turns;
	watch->run_ns = now;
	if (!READ_ONCE(job->program.cancel) &&
	    (watch->held_ns >= limit || watch->needed_ns >= limit || vsplit_watch_stalled(job)))
		vsplit_watch_hang(job);
}

/* Give the lock to others for a moment. No job leaves the list meanwhile: pointers stay valid. */
static void vsplit_watch_breathe(struct vsplit_exec *exec, u32 *nr)
	__must_hold(&exec->jobs_lock)
{
	if (++*nr % VSPLIT_WATCH_AT_ONCE)
		return;
	spin_unlock(&exec->jobs_lock);
	vsplit_sync_point("exec.watch");
	cond_resched();
	spin_lock(&exec->jobs_lock);
}

/* Blame programs for which others wait too long. Return: true if there are jobs to watch. */
static bool vsplit_watch_jobs(struct vsplit_exec *exec)
{
	struct vsplit_job *job;
	bool more = false;
	u32 nr = 0;

	guard(rwsem_write)(&exec->watch_lock);
	guard(spinlock)(&exec->jobs_lock);
	exec->pass++;
	list_for_each_entry(job, &exec->jobs, link) {
		vsplit_watch_breathe(exec, &nr);
		if (vsplit_watch_done(job))
			continue;
		more = true;
		vsplit_watch_follow(exec, job);
		vsplit_watch_note(exec, job);
	}
	list_for_each_entry(job, &exec->jobs, link) {
		vsplit_watch_breathe(exec, &nr);
		if (!job->account || vsplit_watch_done(job))
			continue;
		if (job->hwq && READ_ONCE(job->hwq->gpu.stop))
			job->watch.needed_now = true;
		vsplit_watch_client(exec, job->account);
		vsplit_watch_count(job);
		if (job->account->hangs >= VSPLIT_WATCH_HANGS)
			vsplit_watch_lose(job->account);
	}
	return more;
}

/*
 * Take references to fences at which chains end, and which hold up more than the client that waits
 * for them. Return: how many; if it is VSPLIT_WATCH_TOLD, there may be more.
 */
static u32 vsplit_watch_take(struct vsplit_exec *exec, struct dma_fence *stuck[VSPLIT_WATCH_TOLD])
{
	struct vsplit_job *job;
	u32 nr = 0;

	lockdep_assert_held(&exec->jobs_lock);

	while (nr < VSPLIT_WATCH_TOLD &&
	       (job = list_first_entry_or_null(&exec->stuck, struct vsplit_job, watch.stuck))) {
		list_del_init(&job->watch.stuck);
		stuck[nr++] = dma_fence_get(job->dependencies[job->watch.open].fence);
	}
	return nr;
}

/*
 * Tell fences without the lock, because this may signal them. Tell all fences at this visit, so
 * that the fences of one client cannot delay those of another.
 */
static void vsplit_watch_tell(struct vsplit_exec *exec)
{
	struct dma_fence *stuck[VSPLIT_WATCH_TOLD];
	u32 nr, i;

	do {
		scoped_guard(spinlock, &exec->jobs_lock)
			nr = vsplit_watch_take(exec, stuck);
		for (i = 0; i < nr; i++) {
			vsplit_kms_set_overdue(stuck[i]);
			dma_fence_put(stuck[i]);
		}
		cond_resched();
	} while (nr == VSPLIT_WATCH_TOLD);
}

static void vsplit_watchdog(struct work_struct *work)
{
	struct vsplit_exec *exec = container_of(work, struct vsplit_exec, watchdog.work);
	bool more;

	vsplit_sync_point("exec.timeout");
	if (vsplit_gpu_is_parked(exec->vdev->gpu)) {
		vsplit_watchdog_kick(exec);
		return;
	}
	more = vsplit_watch_jobs(exec);
	vsplit_watch_tell(exec);
	if (more)
		vsplit_watchdog_kick(exec);
}

/** vsplit_watchdog_kick() - There is a job: let the watchdog come. Any context. */
void vsplit_watchdog_kick(struct vsplit_exec *exec)
{
	queue_delayed_work(exec->timeout_wq, &exec->watchdog,
			   max(msecs_to_jiffies(exec->vdev->config.timeout_ms) / 2, 1ul));
}

void vsplit_watchdog_init(struct vsplit_exec *exec)
{
	INIT_LIST_HEAD(&exec->stuck);
	INIT_DELAYED_WORK(&exec->watchdog, vsplit_watchdog);
}
