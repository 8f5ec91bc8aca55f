// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: programs
 *
 * This file turns decisions into what the hardware executes: a list of steps, the addresses to
 * patch, the changes of the resource table at the start of each portion, and the record of all
 * this. Events of the record and steps of the program stand side by side: event i tells about step
 * i.
 *
 * The table is memory of the context, and the hardware keeps it from portion to portion. A portion
 * starts with the *kept* rows only: the rows that no entry of the group at the cut names. A row
 * that is about to be reprogrammed becomes empty at the cut, and stays empty until its BIND is
 * executed, so that a stale address in it can never reach memory that meanwhile belongs to another
 * allocation. Of the other rows, only those change that differ in the hardware from the list at the
 * end of the portion before. So the steps have at most two rows for each entry, and the record one.
 *
 * If paging is executed ahead (vsplit_exec_pages_ahead()), a paging step names the RUN step that
 * has to be over before it, as the plan says; otherwise all RUN steps before it have to be over.
 *
 * If the entry of a BIND took effect in an earlier portion, the BIND becomes a NOP: its row was
 * written at the start of the next portion, unless a later entry has taken the row.
 */
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "exec/vsplit_plan.h"
#include "drm/vsplit_isa.h"

/* ---- patching ---- */

/*
 * Does the operand belong to a BIND packet? If so, the packet's head precedes it; otherwise the
 * slot and flags of a struct vsplit_operand do. The head's size is where the upper half of the slot
 * would be, which is always 0.
 */
static bool vsplit_program_is_bind(const void *stream, u32 patch_offset)
{
	const struct vsplit_packet *head = stream + patch_offset - sizeof(*head);

	return head->size == sizeof(struct vsplit_packet_bind);
}

static u64 vsplit_program_address(struct vsplit_submit *s, const struct vsplit_split_bind *bind)
{
	if (bind->seg == VSPLIT_SEG_SYSTEM)
		return 0;
	return vsplit_segment_address(&s->vdev->mm, bind->seg, bind->offset);
}

/* Where addresses are written while the job is prepared: a copy of the stream, if there is one. */
static void *vsplit_program_stream(struct vsplit_submit *s)
{
	return s->job->patched ?: s->job->program.stream;
}

/*
 * Write an entry's operand, and all of its BIND: an earlier plan may have written it before.
 * @address: address of its allocation; @late: its portion ends before its operand.
 */
static inline void vsplit_program_patch(struct vsplit_job *job, void *stream,
					const struct drm_vsplit_patch *patch,
					const struct vsplit_list_alloc *item, u64 address,
					bool late)
{
	void *operand = stream + patch->patch_offset;
	struct vsplit_packet_bind *bind = NULL;
	u64 size = 0;
	u8 flags = 0;

	/* An unbind at the very end has no operand (A12). */
	if (patch->patch_offset == job->program.stream_bytes)
		return;
	if (vsplit_program_is_bind(stream, patch->patch_offset))
		bind = container_of(operand, struct vsplit_packet_bind, address);
	if (item->vbo && !(bind && late)) {
		address += patch->alloc_offset;
		size = item->vbo->tbo.base.size - patch->alloc_offset;
		flags = item->flags & VSPLIT_ALLOC_WRITE ? VSPLIT_BIND_WRITE : 0;
	} else {
		address = 0;	/* so that no stale address can leak (A14) */
	}
	put_unaligned_le64(address, operand);
	job->nr_patches++;
	if (!bind)
		return;
	bind->head.op = late ? VSPLIT_OP_NOP : VSPLIT_OP_BIND;
	bind->head.flags = flags;
	bind->head.arg = late ? 0 : patch->slot;
	bind->size = size;
}

/* ---- steps and events ---- */

static void vsplit_program_add_move(struct vsplit_submit *s, u32 *nr, u32 portion,
				    struct vsplit_list_alloc *item, const struct vsplit_move *move)
{
	struct drm_vsplit_event *event = &s->record->events[*nr];
	struct vsplit_gpu_step *step = &s->job->program.steps[*nr];

	++*nr;
	step->flags = VSPLIT_GPU_STEP_NOTIFY;
	event->portion = portion;
	event->handle = item->handle;
	vsplit_move_describe(move, &item->range, step, event);
}

/** vsplit_program_drop() - Drop what a failed attempt has left of a program and its record. */
void vsplit_program_drop(struct vsplit_submit *s)
{
	struct vsplit_record *record = s->record;
	struct vsplit_job *job = s->job;

	kvfree(record->events);
	kvfree(job->patched);
	kvfree(job->rows);
	record->events = NULL;
	record->nr_events = 0;
	record->binds = NULL;
	record->nr_binds = 0;
	record->places = NULL;
	record->nr_places = 0;
	job->patched = NULL;
	job->nr_patches = 0;
	job->rows = NULL;
	job->nr_rows = 0;
}

/* Fault knobs: the program's start patches the stream, and addresses are in a copy until then. */
static int vsplit_program_copy_stream(struct vsplit_submit *s)
{
	const struct vsplit_gpu_program *program = &s->job->program;

	s->job->patched = kvmalloc(program->stream_bytes, VSPLIT_GFP_ARRAY);
	if (!s->job->patched)
		return -ENOMEM;
	memcpy(s->job->patched, program->stream, program->stream_bytes);
	return 0;
}

/*
 * Make room for @steps steps with their events, @more steps without events, @rows changing rows,
 * @binds entries that take effect, and @places places of allocations.
 */
static int vsplit_program_alloc(struct vsplit_submit *s, u32 steps, u32 more, u32 rows, u32 binds,
				u32 places)
{
	struct vsplit_record *record = s->record;
	struct vsplit_job *job = s->job;
	size_t told = size_add(array_size(binds, sizeof(*record->binds)),
			       array_size(places, sizeof(*record->places)));
	bool late = s->knobs.never_prepatch || s->knobs.always_repatch;
	int ret;

	vsplit_program_drop(s);
	ret = vsplit_submit_hold(s, &s->program_bytes, told +
				 (late ? job->program.stream_bytes : 0) +
				 array_size(steps, sizeof(*record->events)) +
				 array_size(steps + more, sizeof(*job->program.steps)) +
				 array_size(rows, sizeof(*job->rows)));
	if (ret)
		return ret;
	ret = vsplit_job_set_steps(job, steps + more);
	if (ret)
		return ret;
	record->events = kvzalloc(size_add(array_size(steps, sizeof(*record->events)), told),
				  VSPLIT_GFP_ARRAY);
	job->rows = kvcalloc(rows, sizeof(*job->rows), VSPLIT_GFP_ARRAY);
	if (!record->events || !job->rows)
		return -ENOMEM;
	record->binds = (void *)(record->events + steps);
	record->places = (void *)(record->binds + binds);
	record->nr_events = steps;
	record->nr_places = places;
	return late ? vsplit_program_copy_stream(s) : 0;
}

/* ---- rows ---- */

/**
 * struct vsplit_program_row - A row of the table while the list is folded.
 * @item: allocation that the row holds by the list, or NULL.
 * @segment: segment of @item.
 * @offset: offset of @item in @segment.
 * @alloc_offset: AllocationOffset of the entry.
 * @named: portion in whose first group an entry names the row, plus one.
 * @portion: last portion in which a BIND of the row was executed, plus one.
 * @bound_at: offset of the last BIND of that portion in the stream.
 * @live: in the hardware the row may hold something.
 * @stale: in the hardware the row may differ from the list.
 */
struct vsplit_program_row {
	const struct vsplit_list_alloc *item;
	u32 segment;
	u64 offset;
	u32 alloc_offset;
	u32 named;
	u32 portion;
	u32 bound_at;
	bool live;
	bool stale;
};

/* The resource table while the list is folded. */
struct vsplit_program_table {
	/* One for each slot. NULL: there is only one portion, and no row has to be changed. */
	struct vsplit_program_row *rows;
	u32 nr_slots;
	u32 first; /* first entry of the previous portion */
	/* The job's changes at the start of all portions. NULL: they are only counted. */
	struct vsplit_gpu_row *hw;
	u32 nr_hw; /* changes */
};

/* The row that an entry names. */
static struct vsplit_program_row *vsplit_table_row(const struct vsplit_program_table *t,
						   const struct drm_vsplit_patch *patch)
{
	return &t->rows[array_index_nospec(patch->slot, t->nr_slots)];
}

/* Change the hardware's row to what the list says, or make it empty. */
static void vsplit_table_set(struct vsplit_submit *s, struct vsplit_program_table *t,
			     const struct drm_vsplit_patch *patch, bool empty)
{
	struct vsplit_program_row *row = vsplit_table_row(t, patch);
	struct vsplit_gpu_row *hw = t->hw ? &t->hw[t->nr_hw] : NULL;

	row->live = row->item && !empty;
	row->stale = row->item && empty;
	t->nr_hw++;
	if (!hw)
		return;
	hw->slot = patch->slot;
	if (!row->live)
		return;
	hw->flags = row->item->flags & VSPLIT_ALLOC_WRITE ? VSPLIT_GPU_ROW_WRITE : 0;
	hw->address = vsplit_segment_address(&s->vdev->mm, row->segment, row->offset) +
		      row->alloc_offset;
	hw->size = row->item->vbo->tbo.base.size - row->alloc_offset;
}

/* Make the changes of the table at the start of a portion. */
static void vsplit_table_start(struct vsplit_submit *s, struct vsplit_program_table *t,
			       const struct vsplit_split_portion *portion, u32 index)
{
	u32 first = portion->first_entry;
	u32 i;

	if (!t->rows)
		return;
	for (i = first; i < first + portion->nr_entries; i++) {
		const struct drm_vsplit_patch *patch = &s->patches[i];
		struct vsplit_program_row *row = vsplit_table_row(t, patch);

		if (patch->split_offset != portion->begin)
			break;
		row->named = index + 1;
		if (row->live)
			vsplit_table_set(s, t, patch, true);
	}
	for (i = t->first; i < first; i++) {
		const struct vsplit_program_row *row = vsplit_table_row(t, &s->patches[i]);

		if (row->stale && row->named != index + 1)
			vsplit_table_set(s, t, &s->patches[i], false);
	}
	t->first = first;
}

/* Is the entry's operand behind the end of the portion? */
static bool vsplit_table_late(const struct drm_vsplit_patch *patch,
			      const struct vsplit_split_portion *portion)
{
	return patch->patch_offset >= portion->end;
}

/* Fold one entry: by the list it sets its row; in the hardware its BIND does, if it is executed. */
static void vsplit_table_bind(struct vsplit_submit *s, struct vsplit_program_table *t, u32 i,
			      const struct vsplit_split_bind *bind,
			      const struct vsplit_split_portion *portion, u32 index)
{
	const struct drm_vsplit_patch *patch = &s->patches[i];
	const struct vsplit_list_alloc *item = vsplit_submit_item(s, patch);
	struct vsplit_program_row *row = vsplit_table_row(t, patch);
	bool binds = patch->patch_offset < s->args->stream_bytes &&
		     vsplit_program_is_bind(s->job->program.stream, patch->patch_offset);

	/* Other operands name the slot of a binding, but do not program it. */
	if (item->vbo && row->item == item && !binds)
		return;
	row->item = item->vbo ? item : NULL;
	row->segment = bind->seg;
	row->offset = bind->offset;
	row->alloc_offset = patch->alloc_offset;
	row->stale = true;
	if (!binds || vsplit_table_late(patch, portion))
		return;
	row->live = true;
	/* In the hardware the last BIND of the stream counts, whatever the order of the list. */
	if (row->portion == index + 1 && patch->patch_offset < row->bound_at)
		return;
	row->portion = index + 1;
	row->bound_at = patch->patch_offset;
	row->stale = false;
}

/* Fold the list for one portion. */
static int vsplit_table_fold(struct vsplit_submit *s, struct vsplit_program_table *t,
			     const struct vsplit_split_portion *portion, u32 index,
			     const struct vsplit_split_bind *binds)
{
	u32 end = portion->first_entry + portion->nr_entries, i;
	int ret = 0;

	vsplit_table_start(s, t, portion, index);
	for (i = portion->first_entry; !ret && i < end; i++) {
		/* There may be a million entries, and others wait for the locks. */
		if (i % VSPLIT_AT_ONCE == 0)
			ret = vsplit_exec_relax();
		vsplit_table_bind(s, t, i, &binds[i], portion, index);
	}
	return ret;
}

/* Make an empty table, and count how often rows change at the start of portions. */
static int vsplit_table_init(struct vsplit_submit *s, struct vsplit_program_table *t,
			     const struct vsplit_split_portion *portions, u32 nr,
			     const struct vsplit_split_bind *binds, u32 *nr_rows)
{
	int ret = 0;
	u32 p;

	memset(t, 0, sizeof(*t));
	*nr_rows = 0;
	/* No row is kept: the only portion begins with an empty table, and BINDs fill it. */
	if (nr <= 1)
		return 0;
	t->nr_slots = s->vdev->config.slots;
	t->rows = kvcalloc(t->nr_slots, sizeof(*t->rows), VSPLIT_GFP_ARRAY);
	if (!t->rows)
		return -ENOMEM;
	for (p = 0; !ret && p < nr; p++)
		ret = vsplit_table_fold(s, t, &portions[p], p, binds);
	*nr_rows = t->nr_hw;
	memset(t->rows, 0, array_size(t->nr_slots, sizeof(*t->rows)));
	t->first = 0;
	t->nr_hw = 0;
	return ret;
}

/* ---- portions ---- */

static void vsplit_program_set_run(struct vsplit_gpu_step *step, struct drm_vsplit_event *event,
				   u32 index, const struct vsplit_split_portion *portion)
{
	step->type = VSPLIT_GPU_STEP_RUN;
	step->flags = VSPLIT_GPU_STEP_NOTIFY | (index ? 0 : VSPLIT_GPU_STEP_CLEAR);
	step->run.begin = portion->begin;
	step->run.end = portion->end;
	event->type = VSPLIT_EVENT_PORTION;
	event->portion = index;
	event->begin = portion->begin;
	event->end = portion->end;
	event->patch_first = portion->first_entry;
	event->patch_count = portion->nr_entries;
	event->row_first = portion->first_entry;
	event->row_count = portion->nr_entries;
}

/* @place: index of the place in the record. */
static void vsplit_program_tell_place(struct vsplit_submit *s, u32 place,
				      const struct vsplit_list_alloc *item,
				      const struct vsplit_split_bind *bind)
{
	struct vsplit_record_place *told = &s->record->places[place];

	if (!item->vbo)
		return;
	told->handle = item->handle;
	told->segment = bind->seg + 1;
	told->page = bind->offset >> PAGE_SHIFT;
}

/* @place: index of the allocation's place in the record. */
static struct vsplit_record_bind vsplit_program_told(const struct drm_vsplit_patch *patch,
						     u32 place)
{
	return (struct vsplit_record_bind) {
		.place = place,
		.slot = patch->slot,
		.driver_id = patch->driver_id,
	};
}

/* @binds: places of the entries' allocations. */
static int vsplit_program_add_portion(struct vsplit_submit *s, struct vsplit_program_table *t,
				      const struct vsplit_split_portion *portion, u32 index,
				      const struct vsplit_split_bind *binds, u32 *nr)
{
	u32 end = portion->first_entry + portion->nr_entries, first = t->nr_hw, i;
	struct vsplit_gpu_step *step = &s->job->program.steps[*nr];
	void *stream = vsplit_program_stream(s);
	int ret = 0;

	t->hw = s->job->rows;
	vsplit_program_set_run(step, &s->record->events[*nr], index, portion);
	++*nr;
	vsplit_table_start(s, t, portion, index);
	step->run.rows = t->hw + first;
	step->run.nr_rows = t->nr_hw - first;
	for (i = portion->first_entry; !ret && i < end; i++) {
		const struct drm_vsplit_patch *patch = &s->patches[i];
		const struct vsplit_list_alloc *item = vsplit_submit_item(s, patch);

		if (i % VSPLIT_AT_ONCE == 0)
			ret = vsplit_exec_relax();
		if (t->rows)
			vsplit_table_bind(s, t, i, &binds[i], portion, index);
		vsplit_program_patch(s->job, stream, patch, item,
				     vsplit_program_address(s, &binds[i]),
				     vsplit_table_late(patch, portion));
		vsplit_program_tell_place(s, i, item, &binds[i]);
		s->record->binds[i] = vsplit_program_told(patch, i);
	}
	s->record->nr_binds += portion->nr_entries;
	s->job->nr_rows = t->nr_hw;
	return ret;
}

/* ---- everything fits: one portion ---- */

static int vsplit_program_add_all(struct vsplit_submit *s, u32 *nr)
{
	const struct vsplit_split_portion portion = {
		.end = s->args->stream_bytes,
		.nr_entries = s->args->num_patches,
	};
	const struct drm_vsplit_patch *patch = s->patches, *end = patch + portion.nr_entries;
	const struct drm_vsplit_patch *some;
	struct vsplit_record_bind *told = s->record->binds;
	void *stream = vsplit_program_stream(s);
	int ret = 0;

	vsplit_program_set_run(&s->job->program.steps[*nr], &s->record->events[*nr], 0, &portion);
	++*nr;
	while (!ret && patch < end) {
		for (some = min(patch + VSPLIT_AT_ONCE, end); patch < some; patch++) {
			const struct vsplit_list_alloc *item = vsplit_submit_item(s, patch);

			*told++ = vsplit_program_told(patch, patch->alloc);
			vsplit_program_patch(s->job, stream, patch, item, item->address, false);
		}
		/* There may be a million entries, and others wait for the locks. */
		ret = vsplit_exec_relax();
	}
	s->record->nr_binds = portion.nr_entries;
	return ret;
}

static void vsplit_program_state(struct vsplit_submit *s, const struct vsplit_list_alloc *item,
				 u32 segment, bool discarded)
{
	struct vsplit_reloc *reloc = &s->relocs[item->plan];
	bool write = item->flags & VSPLIT_ALLOC_WRITE;

	reloc->dirty = item->vbo->dirty || write || discarded;
	if (vsplit_mm_is_aperture(&s->vdev->mm, segment))
		reloc->dirty = false;
	reloc->clear = item->vbo->clear && !write;
}

static void vsplit_program_page_in(struct vsplit_submit *s, struct vsplit_list_alloc *item,
				   u32 *nr)
{
	struct vsplit_reloc *reloc = &s->relocs[item->plan];
	struct vsplit_move move = {
		.vbo = item->vbo,
		.from_seg = VSPLIT_SEG_SYSTEM,
		.to_seg = vsplit_resource_segment(reloc->res),
		.to = vsplit_resource_offset(reloc->res),
		.to_runs = vsplit_resource_runs(reloc->res),
	};
	bool discard = item->flags & VSPLIT_ALLOC_DISCARD;

	item->range = item->vbo->range;
	if (!vsplit_mm_is_aperture(&s->vdev->mm, move.to_seg)) {
		move.fill = item->vbo->clear || discard;
		move.transfer = !move.fill;
	}
	reloc->moved = true;
	item->early = true;
	vsplit_program_add_move(s, nr, 0, item, &move);
	vsplit_program_state(s, item, move.to_seg, move.fill && !item->vbo->clear);
}

static u32 vsplit_program_count_page_ins(const struct vsplit_submit *s)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < s->nr_bos; i++)
		nr += !!s->relocs[i].res;
	return nr;
}

/*
 * Make the program of a submission that fits: every allocation has a place. Return: 0, -ENOMEM,
 * -ENOBUFS, -E2BIG, -EINTR.
 */
int vsplit_program_resident(struct vsplit_submit *s)
{
	u32 places = s->args->num_patches ? s->args->num_allocs : 0;
	/* A submission of MAKE_RESIDENT has no stream to run. */
	bool runs = s->args->stream_bytes;
	u32 nr = 0;
	int ret;
	u32 i;

	ret = vsplit_program_alloc(s, vsplit_program_count_page_ins(s) + runs, !runs, 0,
				   s->args->num_patches, places);
	if (ret)
		return ret;

	s->job->program.ahead = runs && vsplit_exec_pages_ahead(s->vdev);
	for (i = 0; i < s->nr_order; i++) {
		struct vsplit_list_alloc *item = s->order[i];
		const struct ttm_resource *res = s->relocs[item->plan].res;
		struct vsplit_split_bind bind;

		s->relocs[item->plan].vbo = item->vbo;
		if (!res)
			res = item->vbo->tbo.resource;
		bind.seg = vsplit_resource_segment(res);
		bind.offset = vsplit_resource_offset(res);
		item->address = vsplit_program_address(s, &bind);
		/* Elements behind the allocation list are only required by the device. */
		if (item < s->list + places)
			vsplit_program_tell_place(s, item - s->list, item, &bind);
		if (res != item->vbo->tbo.resource)
			vsplit_program_page_in(s, item, &nr);
		else
			vsplit_program_state(s, item, bind.seg, false);
	}
	if (runs)
		ret = vsplit_program_add_all(s, &nr);
	else
		s->job->program.steps[nr].type = VSPLIT_GPU_STEP_MARK;
	s->record->nr_portions = runs;
	return ret;
}

/* ---- it does not fit: what the walk decided ---- */

static void vsplit_program_add_op(struct vsplit_submit *s, const struct vsplit_split_op *op,
				  u32 *nr)
{
	const struct vsplit_plan_run *run = vsplit_plan_run_of(s->plan, op->alloc);
	struct vsplit_list_alloc *item = s->by_plan[op->alloc];
	const struct vsplit_move move = {
		.vbo = item->vbo,
		.from_seg = op->from_seg,
		.from = op->from,
		.to_seg = op->to_seg,
		.to = op->to,
		.from_runs = run && op->from_seg != VSPLIT_SEG_SYSTEM ? run->from : NULL,
		.to_runs = run && op->to_seg != VSPLIT_SEG_SYSTEM ? run->to : NULL,
		.transfer = op->flags & VSPLIT_SPLIT_OP_TRANSFER,
		.fill = op->flags & VSPLIT_SPLIT_OP_FILL,
	};

	/* The portion's RUN step comes after its operations and after earlier RUN steps. */
	if (op->after) {
		const struct vsplit_split_portion *before = &s->plan->out.portions[op->after - 1];

		s->job->program.steps[*nr].after = before->first_op + before->nr_ops + op->after;
	}
	vsplit_program_add_move(s, nr, op->portion, item, &move);
}

/* Operations before the end of the last portion; the others come after the program has run. */
static u32 vsplit_program_count_ops(const struct vsplit_split_output *out, u32 nr_portions)
{
	const struct vsplit_split_portion *last;

	if (!nr_portions)
		return 0;
	last = &out->portions[nr_portions - 1];
	return last->first_op + last->nr_ops;
}

static int vsplit_program_add_planned(struct vsplit_submit *s,
				      struct vsplit_program_table *table, u32 nr_portions, u32 *nr)
{
	const struct vsplit_split_output *out = &s->plan->out;
	int ret = 0;
	u32 p, i;

	for (p = 0; !ret && p < nr_portions; p++) {
		const struct vsplit_split_portion *portion = &out->portions[p];

		for (i = 0; i < portion->nr_ops; i++)
			vsplit_program_add_op(s, &out->ops[portion->first_op + i], nr);
		ret = vsplit_program_add_portion(s, table, portion, p, out->binds, nr);
	}
	/* These operations map evicted allocations into their eviction segment sets. */
	for (i = vsplit_program_count_ops(out, nr_portions); !ret && i < out->nr_ops; i++)
		vsplit_program_add_op(s, &out->ops[i], nr);
	return ret;
}

/*
 * Make the program of a submission that was planned; its allocations are locked. @nr_portions:
 * portions to execute: all, or fewer after a failure with WDDM error semantics, down to none.
 * Return: 0, -ENOMEM, -ENOBUFS, -E2BIG, -EINTR.
 */
int vsplit_program_planned(struct vsplit_submit *s, u32 nr_portions)
{
	const struct vsplit_split_output *out = &s->plan->out;
	const struct vsplit_split_portion *last = nr_portions ? &out->portions[nr_portions - 1] :
								NULL;
	/* After a failure the record keeps only the entries that take effect. */
	u32 entries = last ? last->first_entry + last->nr_entries : 0;
	struct vsplit_program_table table;
	struct vsplit_list_alloc *item = NULL;
	u32 nr = 0, rows;
	int ret;

	ret = vsplit_table_init(s, &table, out->portions, nr_portions, out->binds, &rows);
	if (ret)
		goto out;
	ret = vsplit_program_alloc(s, out->nr_ops + nr_portions, nr_portions ? 0 : 1, rows,
				   entries, entries);
	if (ret)
		goto out;
	while ((item = vsplit_submit_next(s, item))) {
		s->by_plan[item->plan] = item;
		item->range = item->vbo->range;
	}

	s->job->program.ahead = vsplit_exec_pages_ahead(s->vdev);
	ret = vsplit_program_add_planned(s, &table, nr_portions, &nr);
	if (!nr_portions)
		s->job->program.steps[nr].type = VSPLIT_GPU_STEP_MARK;
	s->record->nr_portions = nr_portions;
out:
	kvfree(table.rows);
	return ret;
}
