// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: records
 *
 * Every submission leaves a bounded record of what was done for it: evictions
 * of other allocations that made room, then its own steps in execution order,
 * and what each entry of its list bound. A queue keeps the last
 * VSPLIT_RECORDS_KEPT, or fewer if those of its file together are too large
 * (vsplit_account.c); the owner of the context reads them by
 * DRM_IOCTL_VSPLIT_RECORD. The times of a step are written when it, or the
 * paging job of a foreign eviction, is done: so that a reader sees how far a
 * program is.
 */
#include <drm/drm_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "exec/vsplit_exec_types.h"
#include "debug/vsplit_fault.h"

/**
 * vsplit_record_create() - An empty record.
 * @vdev: the adapter.
 *
 * Return: the record with one reference, or NULL.
 */
struct vsplit_record *vsplit_record_create(struct vsplit_device *vdev)
{
	struct vsplit_record *record;

	record = vsplit_fault("record.create") ? NULL :
		 kzalloc(sizeof(*record), GFP_KERNEL_ACCOUNT);
	if (!record)
		return NULL;
	kref_init(&record->ref);
	spin_lock_init(&record->lock);
	INIT_LIST_HEAD(&record->link);
	record->vdev = vdev;
	drm_dev_get(&vdev->drm);
	atomic_inc(&vdev->stats.nr_records);
	return record;
}

/**
 * vsplit_record_get() - Take a reference.
 * @record: the record.
 *
 * Return: @record.
 */
struct vsplit_record *vsplit_record_get(struct vsplit_record *record)
{
	kref_get(&record->ref);
	return record;
}

static void vsplit_record_release(struct kref *ref)
{
	struct vsplit_record *record = container_of(ref, struct vsplit_record, ref);
	struct drm_device *drm = &record->vdev->drm;

	atomic_dec(&record->vdev->stats.nr_records);
	kvfree(record->foreign);
	kvfree(record->events);
	kvfree(record->binds);
	kfree(record);
	drm_dev_put(drm);
}

/**
 * vsplit_record_put() - Drop a reference; may sleep with the last one.
 * @record: NULL is fine.
 */
void vsplit_record_put(struct vsplit_record *record)
{
	if (record)
		kref_put(&record->ref, vsplit_record_release);
}

static int vsplit_record_grow(struct vsplit_record *record)
{
	struct drm_vsplit_event *bigger, *old;
	u32 max;

	/* Only the submitter grows it; engines only write into elements. */
	max = record->max_foreign ? record->max_foreign * 2 : 8;
	bigger = vsplit_fault("record.grow") ? NULL :
		 kvcalloc(max, sizeof(*bigger), VSPLIT_GFP_ARRAY);
	if (!bigger)
		return -ENOMEM;

	spin_lock(&record->lock);
	old = record->foreign;
	if (record->nr_foreign)
		memcpy(bigger, old, array_size(record->nr_foreign, sizeof(*old)));
	record->foreign = bigger;
	record->max_foreign = max;
	spin_unlock(&record->lock);
	kvfree(old);
	return 0;
}

/**
 * vsplit_record_reserve_foreign() - Room for one eviction of somebody else.
 * @record: being prepared by the calling task.
 * @index: out: of the event.
 *
 * Return: 0 or -ENOMEM.
 */
int vsplit_record_reserve_foreign(struct vsplit_record *record, u32 *index)
{
	int ret;

	if (record->nr_foreign == record->max_foreign) {
		ret = vsplit_record_grow(record);
		if (ret)
			return ret;
	}
	*index = record->nr_foreign;
	return 0;
}

/**
 * vsplit_record_set_foreign() - Fill in the reserved event.
 * @record: being prepared by the calling task.
 * @index: from vsplit_record_reserve_foreign(), the last one.
 * @event: what will be done.
 */
void vsplit_record_set_foreign(struct vsplit_record *record, u32 index,
			       const struct vsplit_paging_event *event)
{
	struct drm_vsplit_event *e;

	spin_lock(&record->lock);
	e = &record->foreign[index];
	memset(e, 0, sizeof(*e));
	e->type = event->type;
	e->flags = VSPLIT_EVENT_FOREIGN | (event->filled ? VSPLIT_EVENT_FILLED : 0);
	e->id = event->vbo->id;
	e->segment = event->segment + 1;
	e->from_segment = event->type == VSPLIT_EVENT_MOVE ? event->from_segment + 1 : 0;
	e->at = event->at;
	e->from = event->from;
	e->bytes = event->vbo->tbo.base.size;
	e->copied = event->copied;
	record->nr_foreign = index + 1;
	spin_unlock(&record->lock);
}

/**
 * vsplit_record_claim() - Some paging jobs were about an allocation of the list.
 * @record: being prepared by the calling task.
 * @first: the first of their events; all later ones are theirs too.
 * @handle: of the allocation.
 */
void vsplit_record_claim(struct vsplit_record *record, u32 first, u32 handle)
{
	u32 i;

	spin_lock(&record->lock);
	for (i = first; i < record->nr_foreign; i++) {
		record->foreign[i].flags &= ~VSPLIT_EVENT_FOREIGN;
		record->foreign[i].handle = handle;
	}
	spin_unlock(&record->lock);
}

/**
 * vsplit_record_step() - Write the times of one step, while others go on.
 * @record: of @job.
 * @job: the program that is running.
 * @index: the step that is done.
 */
void vsplit_record_step(struct vsplit_record *record, const struct vsplit_job *job, u32 index)
{
	const struct vsplit_gpu_step *step = &job->program.steps[index];

	spin_lock(&record->lock);
	if (index < record->nr_events) {
		record->events[index].t0_ns = step->begin_ns;
		record->events[index].t1_ns = step->end_ns;
	}
	spin_unlock(&record->lock);
}

/**
 * vsplit_record_finish() - Write times and result; by the engine.
 * @record: of @job.
 * @job: the program that is done.
 * @error: of its fence.
 */
void vsplit_record_finish(struct vsplit_record *record, const struct vsplit_job *job, int error)
{
	u32 i;

	spin_lock(&record->lock);
	for (i = 0; i < record->nr_events && i < job->program.nr_steps; i++) {
		const struct vsplit_gpu_step *step = &job->program.steps[i];

		record->events[i].t0_ns = step->begin_ns;
		record->events[i].t1_ns = step->end_ns;
		if (step->flags & VSPLIT_GPU_STEP_SKIPPED)
			record->events[i].flags |= VSPLIT_EVENT_SKIPPED;
	}
	record->error = error;
	record->fault = job->program.fault.fault;
	record->done = true;
	spin_unlock(&record->lock);
}

/**
 * vsplit_record_finish_foreign() - Write the times of a foreign eviction.
 * @record: of the submission that it was done for.
 * @job: the paging job.
 */
void vsplit_record_finish_foreign(struct vsplit_record *record, const struct vsplit_job *job)
{
	const struct vsplit_gpu_step *step = &job->program.steps[0];

	spin_lock(&record->lock);
	if (job->foreign_event < record->nr_foreign) {
		record->foreign[job->foreign_event].t0_ns = step->begin_ns;
		record->foreign[job->foreign_event].t1_ns = step->end_ns;
	}
	spin_unlock(&record->lock);
}

static void vsplit_record_unlink(struct vsplit_queue *queue, struct vsplit_record *record,
				 struct list_head *old)
{
	list_move_tail(&record->link, old);
	queue->nr_records--;
}

/**
 * vsplit_record_publish() - Make it readable; the oldest beyond the limits go.
 * @queue: its context.
 * @record: submission id set, complete; takes its own reference.
 * @old: out: for vsplit_record_put_list(), outside of any lock.
 */
void vsplit_record_publish(struct vsplit_queue *queue, struct vsplit_record *record,
			   struct list_head *old)
{
	struct vsplit_record *oldest;
	bool more;

	vsplit_record_get(record);
	record->bytes = sizeof(*record) +
			array_size(record->nr_binds, sizeof(*record->binds)) +
			array_size(record->nr_events, sizeof(*record->events)) +
			array_size(record->max_foreign, sizeof(*record->foreign));
	more = vsplit_account_record(queue->account, record->bytes);
	spin_lock(&queue->lock);
	list_add_tail(&record->link, &queue->records);
	queue->nr_records++;
	while (queue->nr_records > 1 && (more || queue->nr_records > VSPLIT_RECORDS_KEPT)) {
		oldest = list_first_entry(&queue->records, struct vsplit_record, link);
		vsplit_record_unlink(queue, oldest, old);
		more = vsplit_account_record(queue->account, -(s64)oldest->bytes);
	}
	spin_unlock(&queue->lock);
}

/**
 * vsplit_record_put_list() - Drop what vsplit_record_publish() took off.
 * @old: list of records; may sleep.
 */
void vsplit_record_put_list(struct list_head *old)
{
	struct vsplit_record *record, *next;

	list_for_each_entry_safe(record, next, old, link) {
		list_del_init(&record->link);
		vsplit_record_put(record);
	}
}

/**
 * vsplit_records_drop() - Forget all records of a queue.
 * @queue: nobody else uses it.
 */
void vsplit_records_drop(struct vsplit_queue *queue)
{
	struct vsplit_record *record;

	list_for_each_entry(record, &queue->records, link)
		vsplit_account_record(queue->account, -(s64)record->bytes);
	vsplit_record_put_list(&queue->records);
	queue->nr_records = 0;
}

static struct vsplit_record *vsplit_record_lookup(struct vsplit_queue *queue, u64 submission)
{
	struct vsplit_record *record;

	spin_lock(&queue->lock);
	list_for_each_entry(record, &queue->records, link) {
		if (record->submission == submission) {
			vsplit_record_get(record);
			spin_unlock(&queue->lock);
			return record;
		}
	}
	spin_unlock(&queue->lock);
	return NULL;
}

/* Copy what the caller has room for, without user access under the lock. */
static struct drm_vsplit_event *vsplit_record_snapshot(struct vsplit_record *record,
						       struct drm_vsplit_record *args, u32 room,
						       u32 *nr)
{
	struct drm_vsplit_event *events = NULL;
	u32 foreign, own;

	/* Neither count changes any more: the record is published. */
	*nr = min(room, record->nr_foreign + record->nr_events);
	if (*nr) {
		events = vsplit_fault("record.read") ? NULL :
			 kvcalloc(*nr, sizeof(*events), VSPLIT_GFP_ARRAY);
		if (!events)
			return ERR_PTR(-ENOMEM);
	}
	spin_lock(&record->lock);
	foreign = min(*nr, record->nr_foreign);
	own = *nr - foreign;
	if (foreign)
		memcpy(events, record->foreign, array_size(foreign, sizeof(*events)));
	if (own)
		memcpy(events + foreign, record->events, array_size(own, sizeof(*events)));
	args->num_events = record->nr_foreign + record->nr_events;
	args->num_rows = record->nr_binds;
	args->num_portions = record->nr_portions;
	args->error = -record->error;
	args->done = record->done;
	args->fault = record->fault;
	spin_unlock(&record->lock);
	return events;
}

/* Copy what the caller has room for, a few at a time. */
static int vsplit_record_copy_rows(const struct vsplit_record *record, u64 pointer, u32 nr)
{
	struct drm_vsplit_row __user *to = u64_to_user_ptr(pointer);
	struct drm_vsplit_row rows[16];
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct vsplit_record_bind *bind = &record->binds[i];
		u32 part = i % ARRAY_SIZE(rows);

		rows[part] = (struct drm_vsplit_row) {
			.slot = bind->slot,
			.handle = bind->handle,
			.segment = bind->segment,
			.driver_id = bind->driver_id,
			.offset = (u64)bind->page << PAGE_SHIFT,
		};
		if (part + 1 < ARRAY_SIZE(rows) && i + 1 < nr)
			continue;
		if (copy_to_user(to + i - part, rows, array_size(part + 1, sizeof(rows[0]))))
			return -EFAULT;
	}
	return 0;
}

static int vsplit_record_read(struct vsplit_record *record, struct drm_vsplit_record *args)
{
	u32 room_rows = min(args->num_rows, record->nr_binds);
	struct drm_vsplit_event *events;
	int ret = 0;
	u32 nr;

	events = vsplit_record_snapshot(record, args, args->num_events, &nr);
	if (IS_ERR(events))
		return PTR_ERR(events);
	if (nr && copy_to_user(u64_to_user_ptr(args->events), events,
			       array_size(nr, sizeof(*events))))
		ret = -EFAULT;
	if (!ret)
		ret = vsplit_record_copy_rows(record, args->rows, room_rows);
	kvfree(events);
	return ret;
}

/**
 * vsplit_record_ioctl() - DRM_IOCTL_VSPLIT_RECORD.
 * @drm: the adapter.
 * @data: struct drm_vsplit_record.
 * @file: the caller.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM, -EFAULT.
 */
int vsplit_record_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_record *args = data;
	struct vsplit_record *record;
	struct vsplit_queue *queue;
	int ret;

	if (vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	queue = vsplit_queue_lookup(vsplit_file_exec(file), args->ctx);
	if (!queue)
		return -ENOENT;

	record = vsplit_record_lookup(queue, args->submission);
	if (record) {
		ret = vsplit_record_read(record, args);
		vsplit_record_put(record);
	} else {
		ret = -ENOENT;
	}
	vsplit_queue_put(queue);
	return ret;
}
