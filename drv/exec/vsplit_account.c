// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: accounts of unfinished work
 *
 * A client that submits and never waits would fill the host's memory with jobs. So each file has an
 * account of its unfinished submissions, and of the kernel memory that they hold. Memory is charged
 * before it is allocated. A submission that would exceed a limit is refused before it is committed.
 * It is not delayed, because it may depend on fences that only the caller can signal, and a caller
 * that waits in the ioctl signals none. The limits, and why and for how long a file is *paced*, are
 * in Documentation/reliability.rst.
 *
 * Submissions that wait for userspace (vsplit_park.c) do not count for pacing. Nothing is delayed
 * while the file has unfinished work that waits, or waited, for another driver's fence, because the
 * client may have to signal that fence.
 *
 * A job leaves the account right before its fence is signalled, so a client that waited for the
 * fence finds the room. A workqueue frees the job's memory a little later. If the workqueue is
 * behind by as much as the limits, submitting waits for it; it waits for no client.
 *
 * Records stay when their submission is done. A context keeps the last ones. When the records of a
 * file would take too much, submitting drops the oldest records of the file. The limit is half the
 * limit of unfinished work, and a record is less than half of what its submission holds, so the
 * limit of the file always allows the last record.
 *
 * Paging jobs evict allocations for a submission, for Evict or for a lock. These jobs are no
 * submissions, but the memory that they hold counts like a submission's, until each is done.
 *
 * A file, its contexts and its jobs hold the account. Paging jobs that the kernel runs for no
 * client have no account: each allocation has at most one of them.
 */
#include <linux/slab.h>

#include "exec/vsplit_exec_types.h"
#include "debug/vsplit_fault.h"
#include "vsplit_user.h"

static void vsplit_account_wake(struct work_struct *work)
{
	struct vsplit_account *account = container_of(work, struct vsplit_account, wake);

	vsplit_sync_point("exec.wake");
	wake_up_all(&account->freed);
	vsplit_account_put(account);
}

/*
 * Wake the tasks that wait for room. The client chooses how many these are, so an engine, which has
 * other clients, does not wake them itself.
 */
static void vsplit_account_wake_later(struct vsplit_account *account)
{
	vsplit_account_get(account);
	if (!vsplit_exec_later(&account->wake))
		vsplit_account_put(account);
}

/**
 * vsplit_account_create() - Make the account of a file that the calling task opens.
 * @engines: render engines of the adapter.
 * @paging_own: the adapter has a paging engine of its own behind them.
 *
 * Return: the account with one reference, or NULL.
 */
struct vsplit_account *vsplit_account_create(u32 engines, bool paging_own)
{
	struct vsplit_account *account __free(kfree) = NULL;
	u32 paging = paging_own ? engines : 0, i;

	account = vsplit_fault("account.create") ? NULL :
		  kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);
	if (!account)
		return NULL;
	kref_init(&account->ref);
	spin_lock_init(&account->lock);
	init_waitqueue_head(&account->freed);
	INIT_WORK(&account->wake, vsplit_account_wake);
	INIT_LIST_HEAD(&account->records);
	INIT_LIST_HEAD(&account->work);
	account->opener = task_tgid_nr(current);
	account->engines = engines;
	account->more = VSPLIT_EXEC_MAX_UNFINISHED;
	for (i = 0; i < engines + paging_own; i++)
		vsplit_gpu_client_init(&account->clients[i],
				       &account->clients[paging_own ? paging : i]);
	vsplit_gpu_context_init(&account->paging, &account->clients[paging], VSPLIT_GPU_PAGING);
	account->user = vsplit_user_get_current();
	return account->user ? no_free_ptr(account) : NULL;
}

struct vsplit_account *vsplit_account_get(struct vsplit_account *account)
{
	kref_get(&account->ref);
	return account;
}

/**
 * vsplit_account_of_task() - The client that a task without a file of the adapter waits as.
 * @account: account of the file that made what the task waits for; NULL is fine.
 *
 * Return: @account if the task's process opened the file, so that its own programs run for as long
 * as they like (vsplit_fence_hurry()); else NULL.
 */
const struct vsplit_account *vsplit_account_of_task(const struct vsplit_account *account)
{
	return account && account->opener == task_tgid_nr(current) ? account : NULL;
}

static void vsplit_account_release(struct kref *ref)
{
	struct vsplit_account *account = container_of(ref, struct vsplit_account, ref);

	vsplit_user_put(account->user);
	kfree(account);
}

/** vsplit_account_put() - Drop a reference; NULL is fine. */
void vsplit_account_put(struct vsplit_account *account)
{
	if (account)
		kref_put(&account->ref, vsplit_account_release);
}

static bool vsplit_account_behind(struct vsplit_account *account)
{
	guard(spinlock)(&account->lock);
	return account->done_jobs >= VSPLIT_EXEC_MAX_UNFINISHED ||
	       account->done_bytes >= VSPLIT_EXEC_MAX_UNFINISHED_BYTES;
}

/**
 * vsplit_account_wait() - Wait while freeing of done jobs is far behind.
 * @account: account of the caller's file.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_account_wait(struct vsplit_account *account)
{
	if (!vsplit_account_behind(account))
		return 0;
	if (vsplit_interrupted("account.wait"))
		return -ERESTARTSYS;
	return wait_event_interruptible(account->freed, !vsplit_account_behind(account));
}

static bool vsplit_account_is_full(const struct vsplit_account *account)
{
	lockdep_assert_held(&account->lock);

	return !account->foreign &&
	       account->jobs >= account->engines + account->more + atomic_read(&account->parked);
}

static void vsplit_account_still_paced(struct vsplit_account *account)
{
	lockdep_assert_held(&account->lock);

	account->paced &= account->jobs || account->waiting;
}

/**
 * vsplit_account_pace() - Pace a file: another client's job waits for memory that its jobs use.
 * @account: account of the file. Signalling side too.
 */
void vsplit_account_pace(struct vsplit_account *account)
{
	guard(spinlock)(&account->lock);
	if (account->jobs) {
		account->paced = true;
		account->more = 0;
	}
}

/**
 * vsplit_account_foreign() - Note that a job waits for a fence of another driver.
 * @job: the job, being prepared; if it has no account of its own, nothing happens.
 */
void vsplit_account_foreign(struct vsplit_job *job)
{
	struct vsplit_account *account = job->account;

	if (!account || job->foreign)
		return;
	job->foreign = true;
	scoped_guard(spinlock, &account->lock)
		account->foreign++;
	wake_up_all(&account->freed);
}

static int vsplit_account_add(struct vsplit_account *account, struct vsplit_job *job, u64 bytes,
			      bool may_wait)
{
	struct vsplit_device *vdev = job->queue->vdev;
	bool first = !vsplit_job_client(job);
	int ret;

	if (vsplit_refuse(vdev, bytes > VSPLIT_EXEC_MAX_UNFINISHED_BYTES))
		return -E2BIG;
	guard(spinlock)(&account->lock);
	if (may_wait && vsplit_account_is_full(account))
		return -EAGAIN;
	if (vsplit_refuse(vdev, first && account->jobs >= VSPLIT_EXEC_MAX_UNFINISHED) ||
	    vsplit_refuse(vdev, account->bytes - job->charged + bytes >
				VSPLIT_EXEC_MAX_UNFINISHED_BYTES))
		return -ENOBUFS;
	ret = vsplit_user_charge_work(account->user, bytes - job->charged,
				      account->jobs == (first ? 0 : 1));
	if (vsplit_refuse(vdev, ret))
		return ret;
	account->jobs += first;
	account->bytes += bytes - job->charged;
	job->charged = bytes;
	if (first)
		job->account = vsplit_account_get(account);
	return 0;
}

/**
 * vsplit_account_enter() - Charge the job of a submission, bind or MakeResident for the first time;
 * wait while the file is paced, or may not have another one yet.
 * @account: account of the caller's file.
 * @job: the job; nothing is charged for it yet.
 * @bytes: all bytes that the job holds then.
 *
 * Return: as vsplit_account_charge(), or -ERESTARTSYS.
 */
int vsplit_account_enter(struct vsplit_account *account, struct vsplit_job *job, u64 bytes)
{
	int ret = vsplit_account_add(account, job, bytes, true), interrupted;

	if (ret != -EAGAIN)
		return ret;
	scoped_guard(spinlock, &account->lock)
		account->waiting++;
	interrupted = vsplit_interrupted("account.enter") ? -ERESTARTSYS :
		      wait_event_interruptible(account->freed,
					       (ret = vsplit_account_add(account, job, bytes,
									 true)) != -EAGAIN);
	spin_lock(&account->lock);
	account->waiting--;
	vsplit_account_still_paced(account);
	spin_unlock(&account->lock);
	return interrupted ?: ret;
}

/**
 * vsplit_account_charge() - Change the charge of a job that is being prepared.
 * @account: account of the caller's file.
 * @job: the job, not armed; of a submission, or one that serves a client.
 * @bytes: all bytes that the job holds then.
 *
 * Return: 0; -ENOBUFS if @bytes are too much beside the other jobs of the file, or of its user;
 * -E2BIG if they are always too much.
 */
int vsplit_account_charge(struct vsplit_account *account, struct vsplit_job *job, u64 bytes)
{
	return vsplit_account_add(account, job, bytes, false);
}

/**
 * vsplit_account_done() - Take a job off the unfinished ones: it is done, or is given up.
 * @job: the job, about to signal; may be called any number of times. Signalling side too.
 */
void vsplit_account_done(struct vsplit_job *job)
{
	struct vsplit_account *account = vsplit_job_client(job);
	bool limited;

	if (!account)
		return;
	spin_lock(&account->lock);
	limited = account->more < VSPLIT_EXEC_MAX_UNFINISHED;
	if (!job->accounted) {
		job->accounted = true;
		/* A submission that was refused, at no cost, does not count as finished. */
		account->more += limited && !account->paced && !job->served &&
				 atomic_read(&job->state) != VSPLIT_JOB_NEW;
		account->jobs -= !job->served;
		account->foreign -= job->foreign;
		vsplit_account_still_paced(account);
		account->bytes -= job->charged;
		vsplit_user_uncharge(account->user, VSPLIT_USER_WORK, job->charged);
		account->done_jobs += !job->served;
		account->done_bytes += job->charged;
	}
	spin_unlock(&account->lock);
	if (limited)
		vsplit_account_wake_later(account);
}

/** vsplit_account_freed() - The memory of a job is about to be freed; nothing else uses it. */
void vsplit_account_freed(struct vsplit_job *job)
{
	struct vsplit_account *account = vsplit_job_client(job);

	if (!account)
		return;
	vsplit_account_done(job);
	spin_lock(&account->lock);
	account->done_jobs -= !job->served;
	account->done_bytes -= job->charged;
	spin_unlock(&account->lock);
	wake_up_all(&account->freed);
	job->account = NULL;
	job->served = NULL;
	vsplit_account_put(account);
}

/**
 * vsplit_account_busy() - Add the engine time of a program of the file.
 * @account: account of the file.
 * @ns: engine time that it took.
 * @paging: the program was paging outside submissions, for the file.
 *
 * The time is counted here and not in the context, so that fdinfo's figure never steps back, and
 * includes work that a destroyed context left running.
 */
void vsplit_account_busy(struct vsplit_account *account, u64 ns, bool paging)
{
	guard(spinlock)(&account->lock);
	if (paging)
		account->paging_ns += ns;
	else
		account->busy_ns += ns;
}

/** vsplit_account_show_fdinfo() - Show engine time with running programs, and unfinished work. */
void vsplit_account_show_fdinfo(struct vsplit_exec *exec, struct vsplit_account *account,
				struct drm_printer *p)
{
	u64 bytes, record_bytes, busy = 0, paging = 0, ns;
	const struct vsplit_job *job;
	bool paced;
	u32 jobs;

	/* The lock keeps a job that ends meanwhile from being counted twice. */
	spin_lock(&exec->jobs_lock);
	list_for_each_entry(job, &account->work, mine) {
		if (job->counted)
			continue;
		ns = vsplit_gpu_program_busy(job->queue->engine->hw, &job->program);
		if (vsplit_queue_is_paging(job->queue))
			paging += ns;
		else
			busy += ns;
	}
	spin_lock(&account->lock);
	account->shown_ns = max(account->shown_ns, account->busy_ns + busy);
	account->shown_paging_ns = max(account->shown_paging_ns, account->paging_ns + paging);
	busy = account->shown_ns;
	paging = account->shown_paging_ns;
	jobs = account->jobs;
	paced = account->paced;
	bytes = account->bytes + account->done_bytes;
	record_bytes = account->record_bytes;
	spin_unlock(&account->lock);
	spin_unlock(&exec->jobs_lock);
	drm_printf(p, "drm-engine-render:\t%llu ns\n", busy);
	drm_printf(p, "drm-engine-capacity-render:\t%u\n", exec->nr_engines);
	drm_printf(p, "drm-engine-paging:\t%llu ns\n", paging);
	drm_printf(p, "vsplit-unfinished:\t%u\n", jobs);
	drm_printf(p, "vsplit-parked:\t%d\n", atomic_read(&account->parked));
	drm_printf(p, "vsplit-paced:\t%d\n", paced);
	drm_printf(p, "vsplit-unfinished-memory:\t%llu KiB\n", bytes >> 10);
	drm_printf(p, "vsplit-record-memory:\t%llu KiB\n", record_bytes >> 10);
	vsplit_user_show_fdinfo(account->user, p);
}
