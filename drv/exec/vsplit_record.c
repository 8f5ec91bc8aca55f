// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: records
 *
 * Every submission leaves a record of what was done for it: evictions of other allocations that
 * made room, then its own steps in execution order, and what each entry of its list bound. A queue
 * keeps the last VSPLIT_RECORDS_KEPT records, or fewer if the records of its file, or of its user,
 * are too large together (vsplit_account.c). The file reads them by DRM_IOCTL_VSPLIT_RECORD.
 *
 * For allocations to which the client has no handle, a record shows only sums of bytes: one event
 * for each kind of paging and segment.
 *
 * A record is complete when it is published, apart from times and results. The engine writes these
 * when a step, or a paging job, is done, so that a reader sees how far a program is. The engine
 * waits for no reader: each time and result is one word, and readers take no lock; the end of a
 * step is written after all else of the step, and @done after everything.
 */
#include <drm/drm_file.h>
#include <drm/drm_vma_manager.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "exec/vsplit_exec_types.h"
#include "debug/vsplit_fault.h"
#include "vsplit_user.h"

/* Make an empty record. Return: a reference to it, or NULL. */
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
	INIT_LIST_HEAD(&record->kept);
	INIT_LIST_HEAD(&record->foreign);
	record->vdev = vdev;
	drm_dev_get(&vdev->drm);
	atomic_inc(&vdev->stats.nr_records);
	return record;
}

struct vsplit_record *vsplit_record_get(struct vsplit_record *record)
{
	kref_get(&record->ref);
	return record;
}

static void vsplit_record_release(struct kref *ref)
{
	struct vsplit_record *record = container_of(ref, struct vsplit_record, ref);
	struct drm_device *drm = &record->vdev->drm;
	struct vsplit_record_chunk *chunk, *next;

	atomic_dec(&record->vdev->stats.nr_records);
	list_for_each_entry_safe(chunk, next, &record->foreign, link)
		kfree(chunk);
	kfree(record->sums);
	kvfree(record->events);
	kfree(record);
	drm_dev_put(drm);
}

/** vsplit_record_put() - Drop a reference; may sleep with the last one; NULL is fine. */
void vsplit_record_put(struct vsplit_record *record)
{
	if (record)
		kref_put(&record->ref, vsplit_record_release);
}

/* ---- events of paging jobs ---- */

/*
 * Make room for one event of a paging job; the calling task prepares the record. Return: 0,
 * -ENOMEM, or -ENOBUFS if the file or its user has too much.
 */
int vsplit_record_reserve_foreign(struct vsplit_record *record)
{
	u32 room = clamp(record->max_foreign, VSPLIT_RECORD_CHUNK_MIN, VSPLIT_RECORD_CHUNK_MAX);
	size_t sums = array_size(VSPLIT_MAX_SEGMENTS, sizeof(*record->sums));
	struct vsplit_record_chunk *chunk;
	size_t bytes = struct_size(chunk, events, room);
	int ret;

	if (record->nr_foreign < record->max_foreign)
		return 0;
	ret = vsplit_account_charge(record->job->account, record->job,
				    record->job->charged + bytes + (record->sums ? 0 : sums));
	if (ret)
		return ret;
	if (!record->sums)
		record->sums = kzalloc(sums, VSPLIT_GFP_ARRAY);
	if (!record->sums)
		return -ENOMEM;
	chunk = vsplit_fault("record.grow") ? NULL : kzalloc(bytes, VSPLIT_GFP_ARRAY);
	if (!chunk)
		return -ENOMEM;
	list_add_tail(&chunk->link, &record->foreign);
	record->max_foreign += room;
	record->foreign_bytes += bytes;
	return 0;
}

/* Return: the next event; there is room. */
static struct drm_vsplit_event *vsplit_record_next_foreign(struct vsplit_record *record)
{
	struct vsplit_record_chunk *chunk = list_last_entry(&record->foreign,
							    struct vsplit_record_chunk, link);

	record->nr_foreign++;
	return &chunk->events[chunk->nr++];
}

/*
 * Add an event for a paging job of @vbo that is about to be committed; the calling task prepares
 * the record, and has called vsplit_record_reserve_foreign(). Return: the event, for
 * vsplit_record_finish_foreign().
 */
struct drm_vsplit_event *vsplit_record_add_foreign(struct vsplit_record *record,
						   struct vsplit_bo *vbo,
						   const struct drm_vsplit_event *event)
{
	struct drm_vsplit_event **sum = &record->sums[event->segment - 1][event->type], *e;
	/* Does the client have a handle to the allocation, so that it may know which one it is? */
	bool known = record->claimed ||
		     (record->file &&
		      drm_vma_node_is_allowed(&vbo->tbo.base.vma_node, record->file));

	if (!known) {
		/* Add it to the sum for its segment and kind of paging. */
		if (!*sum)
			*sum = vsplit_record_next_foreign(record);
		e = *sum;
	} else {
		e = vsplit_record_next_foreign(record);
		e->handle = record->claimed;
		e->id = event->id;
		e->from_segment = event->from_segment;
		e->at = event->at;
		e->from = event->from;
	}
	e->type = event->type;
	e->flags = event->flags | (record->claimed ? 0 : VSPLIT_EVENT_FOREIGN);
	e->segment = event->segment;
	e->bytes += event->bytes;
	e->copied += event->copied;
	return e;
}

/* ---- times and results ---- */

/* Several jobs may share an event: its times are the first begin and the last end so far. */
static void vsplit_record_set_times(struct drm_vsplit_event *e, u64 begin, u64 end)
{
	if (!e->t0_ns || begin < e->t0_ns)
		WRITE_ONCE(e->t0_ns, begin);
	if (end <= e->t1_ns)
		return;
	/* Pairs with vsplit_record_copy_event(). */
	smp_store_release(&e->t1_ns, end);
}

/* Write the times of a step of @job that is done, while other steps go on. */
void vsplit_record_step(struct vsplit_record *record, const struct vsplit_job *job, u32 index)
{
	const struct vsplit_gpu_step *step = &job->program.steps[index];

	if (index >= record->nr_events)
		return;
	if (step->flags & VSPLIT_GPU_STEP_SKIPPED)
		WRITE_ONCE(record->events[index].flags,
			   record->events[index].flags | VSPLIT_EVENT_SKIPPED);
	vsplit_record_set_times(&record->events[index], step->begin_ns, step->end_ns);
}

/*
 * Write the result of a program that is done; all of its steps were told. @error: of its fence.
 * Called by the engine.
 */
void vsplit_record_finish(struct vsplit_record *record, const struct vsplit_job *job, int error)
{
	WRITE_ONCE(record->error, error);
	WRITE_ONCE(record->fault, job->program.fault.fault);
	/* Pairs with vsplit_record_read(). */
	smp_store_release(&record->done, true);
}

/*
 * Write the times of paging outside of a program, in ns of the engine's clock. @event: from
 * vsplit_record_add_foreign().
 */
void vsplit_record_finish_foreign(struct vsplit_record *record, struct drm_vsplit_event *event,
				  u64 begin, u64 end)
{
	guard(spinlock)(&record->lock);
	vsplit_record_set_times(event, begin, end);
}

/* ---- keeping ---- */

/* Keep a record no longer: move it from both lists to @old. */
static void vsplit_record_drop(struct vsplit_account *account, struct vsplit_record *record,
			       struct list_head *old)
{
	lockdep_assert_held(&account->lock);

	list_del_init(&record->kept);
	list_move_tail(&record->link, old);
	record->queue->nr_records--;
	account->record_bytes -= record->bytes;
	vsplit_user_uncharge(account->user, VSPLIT_USER_RECORDS, record->bytes);
}

/*
 * Make a complete record, with its submission id, readable: take a reference of its own. @old: out:
 * dropped records for vsplit_record_put_list(), outside of any lock.
 *
 * If the context has too many records, its oldest one is dropped. If the records of the file, or of
 * its user, take too much memory, the oldest records of the file are dropped. If this is not enough
 * because of the user's other files, the record is not kept.
 */
void vsplit_record_publish(struct vsplit_queue *queue, struct vsplit_record *record,
			   struct list_head *old)
{
	struct vsplit_account *account = queue->account;
	struct vsplit_record *oldest;
	u32 nr = 0;

	kfree(record->sums);
	record->sums = NULL;
	record->file = NULL;
	record->job = NULL;
	record->queue = queue;
	record->bytes = vsplit_record_bytes(record);
	guard(spinlock)(&account->lock);
	if (queue->nr_records == VSPLIT_RECORDS_KEPT) {
		oldest = list_first_entry(&queue->records, struct vsplit_record, link);
		vsplit_record_drop(account, oldest, old);
	}
	while (account->record_bytes + record->bytes > VSPLIT_EXEC_MAX_RECORD_BYTES ||
	       vsplit_user_charge(account->user, VSPLIT_USER_RECORDS, record->bytes)) {
		oldest = list_first_entry_or_null(&account->records, struct vsplit_record, kept);
		if (!oldest)
			return;
		vsplit_record_drop(account, oldest, old);
		/* One large record may displace very many small ones. */
		vsplit_breathe(&account->lock, &nr);
	}
	vsplit_record_get(record);
	list_add_tail(&record->link, &queue->records);
	list_add_tail(&record->kept, &account->records);
	queue->nr_records++;
	account->record_bytes += record->bytes;
}

/** vsplit_record_bytes() - Memory that is charged for a record, also while it is being prepared. */
u64 vsplit_record_bytes(const struct vsplit_record *record)
{
	return sizeof(*record) + array_size(record->nr_binds, sizeof(*record->binds)) +
	       array_size(record->nr_places, sizeof(*record->places)) +
	       array_size(record->nr_events, sizeof(*record->events)) + record->foreign_bytes;
}

/** vsplit_record_put_list() - Drop the records that vsplit_record_publish() took off; may sleep. */
void vsplit_record_put_list(struct list_head *old)
{
	struct vsplit_record *record, *next;

	list_for_each_entry_safe(record, next, old, link) {
		list_del_init(&record->link);
		vsplit_record_put(record);
		cond_resched();
	}
}

/** vsplit_records_drop() - Forget all records of a queue, which is on its way out. */
void vsplit_records_drop(struct vsplit_queue *queue)
{
	struct vsplit_account *account = queue->account;
	struct vsplit_record *record, *next;
	LIST_HEAD(old);

	if (!account)
		return;
	spin_lock(&account->lock);
	list_for_each_entry_safe(record, next, &queue->records, link)
		vsplit_record_drop(account, record, &old);
	spin_unlock(&account->lock);
	vsplit_record_put_list(&old);
}

/* ---- reading ---- */

static struct vsplit_record *vsplit_record_lookup(struct vsplit_queue *queue, u64 submission)
{
	struct vsplit_record *record;

	guard(spinlock)(&queue->account->lock);
	list_for_each_entry(record, &queue->records, link)
		if (record->submission == submission)
			return vsplit_record_get(record);
	return NULL;
}

/* An event is constant apart from its times, and the flag that its step was skipped. */
static void vsplit_record_copy_event(struct drm_vsplit_event *to,
				     const struct drm_vsplit_event *from)
{
	/* Pairs with vsplit_record_set_times(). */
	u64 end = smp_load_acquire(&from->t1_ns);

	*to = *from;
	to->flags = READ_ONCE(from->flags);
	to->t0_ns = READ_ONCE(from->t0_ns);
	to->t1_ns = end;
}

/* Copy events to *@to, while there is room. */
static int vsplit_record_put_events(struct drm_vsplit_event __user **to, u32 *room,
				    const struct drm_vsplit_event *events, u32 nr)
{
	struct drm_vsplit_event event;

	for (; nr && *room; nr--, --*room) {
		vsplit_record_copy_event(&event, events++);
		if (copy_to_user((*to)++, &event, sizeof(event)))
			return -EFAULT;
	}
	return 0;
}

static int vsplit_record_copy_events(const struct vsplit_record *record, u64 pointer, u32 room)
{
	struct drm_vsplit_event __user *to = u64_to_user_ptr(pointer);
	const struct vsplit_record_chunk *chunk;
	int ret;

	list_for_each_entry(chunk, &record->foreign, link) {
		ret = vsplit_record_put_events(&to, &room, chunk->events, chunk->nr);
		if (ret)
			return ret;
	}
	return vsplit_record_put_events(&to, &room, record->events, record->nr_events);
}

/* Copy as many rows as the caller has room for. */
static int vsplit_record_copy_rows(const struct vsplit_record *record, u64 pointer, u32 nr)
{
	struct drm_vsplit_row __user *to = u64_to_user_ptr(pointer);
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct vsplit_record_bind *bind = &record->binds[i];
		const struct vsplit_record_place *place = &record->places[bind->place];
		const struct drm_vsplit_row row = {
			.slot = bind->slot,
			.handle = place->handle,
			.segment = place->segment,
			.driver_id = bind->driver_id,
			.offset = (u64)place->page << PAGE_SHIFT,
		};

		if (copy_to_user(to + i, &row, sizeof(row)))
			return -EFAULT;
	}
	return 0;
}

static int vsplit_record_read(struct vsplit_record *record, struct drm_vsplit_record *args)
{
	struct drm_vsplit_record out = *args;
	int ret;

	/* Read first: a reader that sees "done" also sees all results. Pairs with _finish(). */
	out.done = smp_load_acquire(&record->done);
	out.error = -READ_ONCE(record->error);
	out.fault = READ_ONCE(record->fault);
	out.num_events = record->nr_foreign + record->nr_events;
	out.num_rows = record->nr_binds;
	out.num_portions = record->nr_portions;
	ret = vsplit_record_copy_events(record, args->events, args->num_events);
	if (!ret)
		ret = vsplit_record_copy_rows(record, args->rows,
					      min(args->num_rows, record->nr_binds));
	/* DRM copies arguments back after an error, too. */
	if (!ret)
		*args = out;
	return ret;
}

int vsplit_record_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_queue *queue __free(vsplit_queue) = NULL;
	struct vsplit_record *record __free(vsplit_record) = NULL;
	struct drm_vsplit_record *args = data;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	queue = vsplit_queue_lookup(vsplit_file_exec(file), args->ctx);
	record = queue ? vsplit_record_lookup(queue, args->submission) : NULL;
	return record ? vsplit_record_read(record, args) : -ENOENT;
}
