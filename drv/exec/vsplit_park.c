// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: parked submissions
 *
 * A submission that waits for userspace (a monitored fence, EXT-48) is *parked*: it is copied,
 * validated and charged, but nothing except its id can be seen (Documentation/residency.rst,
 * *Monitored fences*). It has no place yet, its fence is not initialised, and its syncobjs are
 * unchanged. Later submissions of the context are parked behind it.
 *
 * Each fence that is below the largest value that the submission's packets wait for holds the
 * submission (@holds). A fence that reaches the value gives its hold back, in any context. Then a
 * worker publishes the submission, in the order of the context, exactly as the ioctl publishes one
 * that does not wait. A submission that cannot be executed is *failed*: its fence signals with the
 * error that the ioctl would have returned. If a monitored fence has ended, or the context or the
 * file was closed, the error is -ECANCELED; if the adapter is gone, -ENODEV. Only a worker
 * publishes, because no signal interrupts a worker: an accepted submission must not need another
 * try.
 */
#include <drm/drm_drv.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "exec/vsplit_submit.h"
#include "debug/vsplit_fault.h"
#include "vsplit_compat.h"

/* A monitored fence that a submission waits for. */
struct vsplit_park_wait {
	struct vsplit_mfence_waiter waiter; /* waits while @fence is set */
	struct vsplit_mfence *fence; /* reference */
	struct vsplit_parked *parked; /* the submission */
};

/**
 * struct vsplit_parked - A submission that is not published.
 * @link: in the queue's parked; under its submit_lock.
 * @account: of its file; constant.
 * @memcg: of the task that submitted it: charged for memory that publishing takes; reference or
 *	NULL.
 * @s: the submission, parsed; its job is not armed.
 * @args: of @s.
 * @holds: number of conditions that are not met.
 * @error: why the submission will not be executed, or 0; READ_ONCE and WRITE_ONCE.
 * @nr_waits: elements of @waits.
 * @waits: fences that its packets wait for, each once.
 */
struct vsplit_parked {
	struct list_head link;
	struct vsplit_account *account;
	struct mem_cgroup *memcg;
	struct vsplit_submit s;
	struct drm_vsplit_submit args;
	atomic_t holds;
	int error;
	u32 nr_waits;
	struct vsplit_park_wait waits[] __counted_by(nr_waits);
};

/** vsplit_park_kick() - Let the worker look at a file's parked submissions. Does not sleep. */
void vsplit_park_kick(struct vsplit_account *account)
{
	guard(spinlock)(&account->lock);
	if (account->efile)
		queue_work(system_dfl_wq, &account->unpark);
}

/* Called under the fence's lock, so the submission exists until vsplit_mfence_unwait(). */
static void vsplit_park_reached(struct vsplit_mfence_waiter *waiter, int error)
{
	struct vsplit_park_wait *wait = container_of(waiter, struct vsplit_park_wait, waiter);
	struct vsplit_parked *p = wait->parked;

	if (error)
		WRITE_ONCE(p->error, error);
	if (atomic_dec_and_test(&p->holds) || error)
		vsplit_park_kick(p->account);
}

/* Sort by fence; the largest value of a fence comes first. */
static int vsplit_park_cmp(const void *a, const void *b)
{
	const struct vsplit_packet_fence *x = a, *y = b;

	return cmp_int(x->head.arg, y->head.arg) ?: cmp_int(y->value, x->value);
}

/* Number of packets at the beginning of the submission that wait. */
static u32 vsplit_park_count(const struct vsplit_submit *s)
{
	const struct vsplit_packet_fence *packet = s->job->program.stream;
	u32 nr = 0;

	while ((nr + 1) * sizeof(*packet) <= s->args->stream_bytes &&
	       packet[nr].head.op == VSPLIT_OP_WAIT_FENCE)
		nr++;
	return nr;
}

/*
 * Copy the first @nr packets, those with the largest value for each fence. Raising a fence, which
 * even engines do, tells everything that waits for it, and this must not become one waiter for each
 * packet. Return: number of fences, or -ENOMEM.
 */
static int vsplit_park_collect(const struct vsplit_submit *s, u32 nr,
			       struct vsplit_packet_fence **untils)
{
	struct vsplit_packet_fence *until;
	u32 i, kept = 0;

	if (!nr)
		return 0;
	until = vsplit_fault("park.untils") ? NULL :
		kvmemdup(s->job->program.stream, array_size(nr, sizeof(*until)), VSPLIT_GFP_ARRAY);
	*untils = until;
	if (!until)
		return -ENOMEM;
	vsplit_sort(until, nr, sizeof(*until), vsplit_park_cmp);
	for (i = 0; i < nr; i++)
		if (!kept || until[i].head.arg != until[kept - 1].head.arg)
			until[kept++] = until[i];
	return kept;
}

static void vsplit_park_free(struct vsplit_parked *p)
{
	u32 i;

	for (i = 0; i < p->nr_waits && p->waits[i].fence; i++) {
		vsplit_mfence_unwait(p->waits[i].fence, &p->waits[i].waiter);
		vsplit_mfence_put(p->waits[i].fence);
		if (i % VSPLIT_AT_ONCE == 0)
			cond_resched();
	}
	mem_cgroup_put(p->memcg);
	kvfree(p);
}

/* Add a wait for each fence; each wait that is not over holds the submission. */
static int vsplit_park_wait_all(struct vsplit_parked *p, struct vsplit_mfences *fences,
				const struct vsplit_packet_fence *untils)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < p->nr_waits; i++) {
		struct vsplit_park_wait *wait = &p->waits[i];

		wait->fence = vsplit_mfence_lookup(fences, untils[i].head.arg);
		if (!wait->fence)
			return -ENOENT;
		wait->parked = p;
		wait->waiter.value = untils[i].value;
		wait->waiter.func = vsplit_park_reached;
		atomic_inc(&p->holds);
		ret = vsplit_mfence_wait(wait->fence, &wait->waiter);
		if (ret != -EINPROGRESS)
			atomic_dec(&p->holds);
		if (ret && ret != -EINPROGRESS)
			return ret == -ECANCELED ? -ENOENT : ret;
		ret = (i + 1) % VSPLIT_AT_ONCE ? 0 : vsplit_exec_relax();
	}
	return ret;
}

/* Locking would find an allocation that is listed twice, but the list is not locked soon. */
static int vsplit_park_check_list(struct vsplit_submit *s)
{
	u32 i;

	vsplit_sort(s->sorted, s->nr_bos, sizeof(*s->sorted), vsplit_cmp_ptr);
	for (i = 1; i < s->nr_bos; i++)
		if (vsplit_refuse(s->vdev, s->sorted[i] == s->sorted[i - 1]))
			return -EINVAL;
	return 0;
}

/*
 * Park a submission that is parsed, if it has to be; submit_lock is held. It is empty afterwards if
 * it was parked. Return: true: it is parked; false: the caller goes on; or a negative error.
 */
int vsplit_park(struct vsplit_submit *s)
{
	bool behind = !list_empty(&s->queue->parked);
	struct vsplit_queue *queue = s->queue;
	struct vsplit_packet_fence *untils __free(kvfree) = NULL;
	u32 packets = vsplit_park_count(s);
	struct vsplit_parked *p;
	u64 none = 0;
	int ret, nr;

	if (!packets && !behind)
		return false;
	if (queue->closed)
		return -ENOENT;
	ret = vsplit_submit_check_now(s);
	if (!ret)
		ret = vsplit_park_check_list(s);
	if (ret)
		return ret;
	nr = vsplit_park_collect(s, packets, &untils);
	if (nr < 0)
		return nr;
	ret = vsplit_submit_hold(s, &none, struct_size(p, waits, nr));
	if (ret)
		return ret;
	p = vsplit_fault("park") ? NULL : kvzalloc(struct_size(p, waits, nr), VSPLIT_GFP_ARRAY);
	if (!p)
		return -ENOMEM;
	p->nr_waits = nr;
	atomic_set(&p->holds, 1);
	p->account = queue->account;
	p->memcg = get_mem_cgroup_from_mm(current->mm);
	ret = vsplit_park_wait_all(p, queue->fences, untils);
	vsplit_sync_point("park.waits");
	/*
	 * If a fence has ended, all holds may be gone: park anyway, and end with the fence's error.
	 */
	if (ret || (!behind && atomic_read_acquire(&p->holds) == 1 && !READ_ONCE(p->error))) {
		vsplit_park_free(p);
		return ret;
	}
	vsplit_submit_take_id(s);
	p->s = *s;
	p->args = *s->args;
	p->s.args = &p->args;
	s->args->submission = s->job->submission;
	s->args->num_portions = 0;
	memset(s, 0, sizeof(*s));
	list_add_tail(&p->link, &queue->parked);
	atomic_inc(&queue->account->parked);
	/* A parked submission does not count for pacing: wake up tasks of the file that wait. */
	wake_up_all(&queue->account->freed);
	if (atomic_dec_and_test(&p->holds))
		vsplit_park_kick(queue->account);
	return true;
}

/* End a submission that will not be executed. Its record and its fence get the error. */
static void vsplit_park_fail(struct vsplit_submit *s, int error)
{
	struct vsplit_syncs syncs = s->syncs;
	struct vsplit_job *job = s->job;
	struct dma_fence *fence;
	LIST_HEAD(old);

	/* The record is kept: it must not hold the memory of a program that never runs. */
	vsplit_program_drop(s);
	s->record->nr_portions = 0;
	s->record->submission = job->submission;
	vsplit_record_publish(s->queue, s->record, &old);
	vsplit_record_finish(s->record, job, error);
	/* In the queue's own fence context it would hide the fences before it. */
	vsplit_fence_init(job->fence, s->queue->timeline, dma_fence_context_alloc(1), 1);
	vsplit_record_put_list(&old);
	/*
	 * Free the submission before its fence signals, so that a waiter finds the room that it
	 * held.
	 */
	fence = dma_fence_get(&job->fence->base);
	s->syncs = (struct vsplit_syncs) {};
	vsplit_submit_cleanup(s);
	dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	vsplit_sync_commit(&syncs, fence);
	vsplit_sync_cleanup(&syncs);
	dma_fence_put(fence);
	vsplit_sync_point("park.failed");
}

/* Publish on behalf of the client, as the ioctl would. */
static int vsplit_park_publish(struct vsplit_parked *p)
{
	struct mem_cgroup *memcg;
	int ret, idx;

	if (!drm_dev_enter(&p->s.vdev->drm, &idx))
		return -ENODEV;
	memcg = set_active_memcg(p->memcg);
	ret = vsplit_submit_locked(&p->s);
	set_active_memcg(memcg);
	drm_dev_exit(idx);
	return ret;
}

/* Look at the first submission of a context. Return: true if the next one is to be looked at. */
static bool vsplit_park_first(struct vsplit_queue *queue, int cancel)
{
	struct vsplit_parked *p = list_first_entry_or_null(&queue->parked, struct vsplit_parked,
							   link);
	int ret = cancel;
	bool met;

	lockdep_assert_held(&queue->submit_lock);
	if (!p)
		return false;
	/*
	 * Read @holds before @error: a fence that ends sets @error first, and gives back its hold
	 * then.
	 */
	met = !atomic_read_acquire(&p->holds);
	vsplit_sync_point("park.met");
	if (!ret)
		ret = READ_ONCE(p->error) ?: vsplit_submit_check_state(&p->s);
	if (drm_dev_is_unplugged(&queue->vdev->drm))
		ret = -ENODEV;
	if (!ret && !met)
		return false;
	if (!ret)
		ret = vsplit_park_publish(p);
	list_del(&p->link);
	atomic_dec(&queue->account->parked);
	if (ret)
		vsplit_park_fail(&p->s, ret);
	else
		vsplit_submit_cleanup(&p->s);
	vsplit_park_free(p);
	return true;
}

static void vsplit_park_flush(struct vsplit_queue *queue, int cancel)
{
	bool more;

	do {
		mutex_lock(&queue->submit_lock);
		queue->closed |= cancel;
		more = vsplit_park_first(queue, cancel);
		mutex_unlock(&queue->submit_lock);
	} while (more);
}

/* Publishes submissions of an ending context that wait for nothing. */
struct vsplit_park_last {
	struct work_struct work;
	struct vsplit_queue *queue;
};

static void vsplit_park_publish_last(struct work_struct *work)
{
	vsplit_park_flush(container_of(work, struct vsplit_park_last, work)->queue, 0);
}

/*
 * End parking for a context that is destroyed, or whose file is closed; a reference is held.
 *
 * Submissions that wait for nothing are published, unless the file's task was @killed; the others
 * are not executed. No signal interrupts this, and none needs to: it is the file's own work, and
 * publishing only decides places, without waiting for the GPU. All parked submissions together are
 * within what a file may have unfinished, and the cost of a plan is bounded by its elements
 * (Documentation/splitting.rst, *What a plan costs*).
 */
void vsplit_park_end(struct vsplit_queue *queue, bool killed)
{
	struct vsplit_park_last last = { .queue = queue };

	/* A submission that is parked concurrently may come before or after this check. */
	if (!killed && !list_empty(&queue->parked)) {
		INIT_WORK_ONSTACK(&last.work, vsplit_park_publish_last);
		queue_work(system_dfl_wq, &last.work);
		flush_work(&last.work);
		destroy_work_on_stack(&last.work);
	}
	vsplit_park_flush(queue, -ECANCELED);
}

static void vsplit_park_work(struct work_struct *work)
{
	struct vsplit_account *account = container_of(work, struct vsplit_account, unpark);
	struct vsplit_exec_file *efile;
	struct vsplit_queue *queue;
	unsigned long id;

	scoped_guard(spinlock, &account->lock)
		efile = account->efile;
	if (!efile)
		return;
	vsplit_sync_point("park.work");
	xa_for_each(&efile->queues, id, queue) {
		queue = vsplit_queue_lookup(efile, id);
		if (!queue)
			continue;
		vsplit_park_flush(queue, 0);
		vsplit_queue_put(queue);
	}
}

/** vsplit_park_open() - Let a file park submissions; its account exists. */
void vsplit_park_open(struct vsplit_exec_file *efile)
{
	INIT_WORK(&efile->account->unpark, vsplit_park_work);
	efile->account->efile = efile;
}

/** vsplit_park_close() - End the worker of a file. vsplit_park_end() for each context follows. */
void vsplit_park_close(struct vsplit_exec_file *efile)
{
	scoped_guard(spinlock, &efile->account->lock)
		efile->account->efile = NULL;
	cancel_work_sync(&efile->account->unpark);
}
