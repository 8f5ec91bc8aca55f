// SPDX-License-Identifier: MIT
/* The executor: runs one statement after the other. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "parse.h"
#include "run.h"

/* Number of unread records that may be left in the kernel, which keeps 64 for a context. */
#define RECORDS_LEFT	48

void say(const struct scenario *s, int line, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = need_memory(NULL);
	va_end(args);
	/* The message may quote any text of the scenario. */
	make_printable(text);
	fprintf(stderr, "%s:%d: %s\n", s->path, line, text);
	free(text);
}

/* ---- the adapter ------------------------------------------------------- */

/* Check that an existing adapter has the segments that the scenario names. */
static int check_names(struct player *p)
{
	const struct scenario *s = p->s;
	uint32_t i, j;

	for (i = 0; i < s->num_allocs; i++) {
		const struct alloc_def *a = &s->allocs[i];

		for (j = 0; j < a->num_segments + a->num_evict_to; j++) {
			const char *name = j < a->num_segments ? a->segments[j] :
							       a->evict_to[j - a->num_segments];

			if (segment_id(p->r, name))
				continue;
			say(s, a->line, "alloc: the adapter has no segment '%s'", name);
			return -EINVAL;
		}
	}
	for (i = 0; i < s->num_stmts; i++) {
		for (j = 0; j < s->stmts[i].num_checks; j++) {
			const char *name = s->stmts[i].checks[j].name;

			if (!name || segment_id(p->r, name))
				continue;
			say(s, s->stmts[i].line, "expect: the adapter has no segment '%s'", name);
			return -EINVAL;
		}
	}
	return 0;
}

/*
 * Read an option of the adapter: from configfs or, for an adapter that the module made, from sysfs.
 */
static void read_option(const struct result *r, const char *name, char *value, size_t size)
{
	const char *adapter = (const char *)r->adapter.name;
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/config/vsplit/%.60s/%s", adapter, name);
	file = fopen(path, "re");
	if (!file) {
		snprintf(path, sizeof(path), "/sys/module/vsplit/parameters/%s", name);
		file = fopen(path, "re");
	}
	if (!file)
		return;
	if (!fgets(value, (int)size, file))
		*value = '\0';
	value[strcspn(value, "\n")] = '\0';
	fclose(file);
}

static void read_policies(struct result *r)
{
	read_option(r, "victims", r->victims, sizeof(r->victims));
	read_option(r, "splits", r->splits, sizeof(r->splits));
}

static int start(struct player *p)
{
	uint32_t count = VSPLIT_MAX_SEGMENTS;
	int ret;

	if (p->options->device && p->s->adapter.described) {
		say(p->s, p->s->adapter.line,
		    "the scenario describes an adapter of its own: --device cannot be used");
		return -EINVAL;
	}
	if (p->s->adapter.own && !p->options->device) {
		ret = make_adapter(p, &p->owns[DEFAULT_DEVICE], "play");
		if (ret)
			return ret;
	}
	ret = open_device(p, DEFAULT_DEVICE);
	if (!ret)
		ret = vsplit_device_statistics(p->devices[DEFAULT_DEVICE], &p->begun);
	if (!ret) {
		p->r->adapter = *vsplit_device_adapter(p->devices[DEFAULT_DEVICE]);
		ret = vsplit_device_segments(p->devices[DEFAULT_DEVICE], p->r->segments, &count);
		p->r->num_segments = count < VSPLIT_MAX_SEGMENTS ? count : VSPLIT_MAX_SEGMENTS;
	}
	if (!ret)
		read_policies(p->r);
	if (ret) {
		complain("cannot open the adapter: %s (%s)", strerror(-ret), errno_name(ret));
		return ret;
	}
	ret = knobs_set(p->options, p->devices[DEFAULT_DEVICE]);
	if (ret)
		return ret;
	return check_names(p);
}

/* ---- submission -------------------------------------------------------- */

/* The client converts between tiles and rows by itself. */
static void build_retile(const struct scenario *s, const struct dma_def *dma, uint32_t i,
			 struct vsplit_stream *stream)
{
	const struct op *op = &dma->ops[i];
	uint32_t pitch = op_pitch(s, dma, i);
	const struct vsplit_surface dst = { .slot = op->slot, .pitch = pitch };
	const struct vsplit_surface src = { .slot = op->src, .pitch = pitch };

	vsplit_stream_state(stream, VSPLIT_STATE_SRC_PITCH, pitch);
	vsplit_stream_state(stream, VSPLIT_STATE_DST_PITCH, pitch);
	vsplit_stream_copy_2d(stream, &dst, &src, pitch, op_rows(s, dma, i),
			      op->type == OP_SWIZZLE ? VSPLIT_COPY_2D_DST_TILED :
						       VSPLIT_COPY_2D_SRC_TILED);
}

static int build(struct player *p, const struct stmt *stmt, const struct dma_def *dma,
		 struct vsplit_stream *stream)
{
	struct vsplit_mfence *fence;
	uint32_t i;
	int ret;

	for (i = 0; i < dma->num_ops; i++) {
		const struct op *op = &dma->ops[i];
		uint64_t length = op->range.length;

		if ((op->type == OP_FILL || op->type == OP_COPY) && !op->range.given)
			length = op_default_length(p->s, dma, i);
		if (op->group)
			vsplit_stream_group_begin(stream);
		switch (op->type) {
		case OP_BIND:
			if (!need_bo(p, stmt, op->alloc))
				return -ENOENT;
			vsplit_stream_bind(stream, op->slot, p->bos[op->alloc], 0,
					   bind_writes(dma, i) ? VSPLIT_ALLOC_WRITE : 0);
			break;
		case OP_UNBIND:
			vsplit_stream_unbind(stream, op->slot);
			break;
		case OP_FILL:
			vsplit_stream_state(stream, VSPLIT_STATE_FILL,
					    (uint32_t)op->value * 0x01010101u);
			vsplit_stream_fill(stream, op->slot, op->range.offset, length,
					   (uint32_t)op->value * 0x01010101u);
			break;
		case OP_COPY:
			vsplit_stream_copy(stream, op->slot, 0, op->src, 0, length);
			break;
		case OP_FILL_AT:
			/* vsplit_stream_fill_va() sets the register itself. */
			vsplit_stream_fill_va(stream, op->range.offset, length,
					      (uint32_t)op->value * 0x01010101u);
			break;
		case OP_COPY_AT:
			vsplit_stream_copy_va(stream, op->range.offset, op->value, length);
			break;
		case OP_PRIMARY:
			if (!need_bo(p, stmt, op->alloc))
				return -ENOENT;
			ret = need_primary(p, op->alloc);
			if (ret)
				return ret;
			vsplit_stream_add_alloc(stream, vsplit_bo_handle(p->bos[op->alloc]),
						VSPLIT_ALLOC_WRITE, NULL);
			break;
		case OP_SIGNAL:
		case OP_WAIT_FENCE:
			ret = need_mfence(p, op->alloc, p->s->contexts[dma->context].device, &fence);
			if (ret)
				return ret;
			if (op->type == OP_SIGNAL)
				vsplit_stream_signal_fence(stream, fence, op->value);
			else
				vsplit_stream_wait_fence(stream, fence, op->value);
			break;
		case OP_SWIZZLE:
		case OP_UNSWIZZLE:
			build_retile(p->s, dma, i, stream);
			break;
		case OP_SPIN:
			vsplit_stream_spin(stream, (uint32_t)op->value);
			break;
		case OP_PAD:
			vsplit_stream_pad_to(stream, (uint32_t)op->value);
			break;
		}
		if (op->last)
			vsplit_stream_group_end(stream);
	}
	return vsplit_stream_error(stream);
}

struct submission *last_submission(struct player *p, uint32_t dma)
{
	return p->last[dma] ? &p->r->submissions[p->last[dma] - 1] : NULL;
}

uint32_t first_unsettled(struct player *p)
{
	const struct submission *sub = p->r->submissions + p->settled;

	for (; p->settled < p->r->num_submissions && (sub->error || sub->record); sub++)
		p->settled++;
	return p->settled;
}

/* Import a syncobj of one device's file into another device's. The caller destroys it. */
static int carry_over(struct vsplit_device *from, uint32_t handle, struct vsplit_device *to,
		      uint32_t *out)
{
	int fd, ret;

	if (drmSyncobjHandleToFD(vsplit_device_fd(from), handle, &fd))
		return -errno;
	ret = drmSyncobjFDToHandle(vsplit_device_fd(to), fd, out) ? -errno : 0;
	close(fd);
	return ret;
}

/* Collect the fences that a submission waits for. @carried: handles to destroy afterwards. */
static int gather_syncs(struct player *p, const struct stmt *stmt, uint32_t device,
			struct drm_vsplit_sync *syncs, uint32_t *num_syncs,
			uint32_t *carried, uint32_t *num_carried)
{
	uint32_t i;
	int ret;

	*num_syncs = 0;
	*num_carried = 0;
	for (i = 0; i < stmt->num_after; i++) {
		const struct submission *sub = last_submission(p, stmt->after[i]);
		uint32_t ctx = p->s->dmas[stmt->after[i]].context;
		uint32_t other = p->s->contexts[ctx].device;
		struct drm_vsplit_sync *sync = &syncs[*num_syncs];

		/* A refused submission never runs, so there is nothing to wait for. */
		if (!sub || sub->error)
			continue;
		/* A hardware queue has no fences, so the player waits. */
		if (p->hwqs[ctx]) {
			ret = collect(p, last_submission(p, stmt->after[i]));
			if (ret)
				return ret;
			continue;
		}
		sync->flags = VSPLIT_SYNC_TIMELINE;
		sync->point = sub->id;
		sync->handle = vsplit_context_timeline(p->contexts[ctx]);
		if (other != device) {
			ret = carry_over(p->devices[other], sync->handle, p->devices[device],
					 &sync->handle);
			if (ret)
				return ret;
			carried[(*num_carried)++] = sync->handle;
		}
		(*num_syncs)++;
	}
	return 0;
}

/* Read the records of a context's older submissions before the kernel drops them. */
static void make_room(struct player *p, uint32_t ctx)
{
	uint32_t first = first_unsettled(p), i, left = 0;

	for (i = p->r->num_submissions; i-- > first;) {
		struct submission *sub = &p->r->submissions[i];

		if (p->s->dmas[sub->dma].context != ctx || sub->error || sub->record)
			continue;
		if (++left >= RECORDS_LEFT)
			collect_if_ends(p, sub);
	}
}

static int submit_stream(struct player *p, const struct stmt *stmt, struct vsplit_stream *stream,
			 struct vsplit_submission *done)
{
	uint32_t ctx = p->s->dmas[stmt->index].context;
	uint32_t device = p->s->contexts[ctx].device;
	uint32_t i, num_syncs, num_carried;
	struct drm_vsplit_sync *syncs;
	uint32_t *carried;
	int ret;

	syncs = need_memory(calloc(stmt->num_after + 1, sizeof(*syncs)));
	carried = need_memory(calloc(stmt->num_after + 1, sizeof(*carried)));
	ret = gather_syncs(p, stmt, device, syncs, &num_syncs, carried, &num_carried);
	if (!ret && p->hwqs[ctx])
		ret = hw_submit(p, stmt, stream, done);
	else if (!ret)
		ret = vsplit_submit(p->contexts[ctx], stream,
				    stmt->force_split ? VSPLIT_SUBMIT_FORCE_SPLIT : 0, syncs,
				    num_syncs, done);
	for (i = 0; i < num_carried; i++)
		drmSyncobjDestroy(vsplit_device_fd(p->devices[device]), carried[i]);
	free(carried);
	free(syncs);
	return ret;
}

static struct submission *add_submission(struct player *p, const struct stmt *stmt)
{
	const struct submission *before = last_submission(p, stmt->index);
	uint32_t nth = before ? before->nth + 1 : 1;
	struct submission *sub = result_add_submission(p->r);

	sub->dma = stmt->index;
	sub->line = stmt->line;
	sub->nth = nth;
	p->last[stmt->index] = p->r->num_submissions;
	return sub;
}

uint64_t play_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int run_submit(struct player *p, const struct stmt *stmt)
{
	const struct dma_def *dma = &p->s->dmas[stmt->index];
	struct vsplit_submission done = { 0 };
	struct vsplit_stream *stream;
	struct submission *sub;
	struct place *before;
	uint32_t num_before;
	uint64_t t0_ns;
	int ret;

	if (!p->contexts[dma->context]) {
		say(p->s, stmt->line, "context %s was not made",
		    p->s->contexts[dma->context].name);
		return -ENOENT;
	}
	used_by_dma(p, dma);
	make_room(p, dma->context);
	ret = vsplit_stream_create(&stream);
	if (ret)
		return ret;
	ret = build(p, stmt, dma, stream);
	if (!ret) {
		before = foreign_places(p, p->s->contexts[dma->context].device, &num_before);
		t0_ns = play_now_ns();
		ret = submit_stream(p, stmt, stream, &done);
		/* A scenario may contain refused submissions; the error is only noted. */
		sub = add_submission(p, stmt);
		sub->t0_ns = t0_ns;
		sub->t1_ns = play_now_ns();
		sub->error = ret;
		sub->id = done.id;
		sub->portions = done.num_portions;
		sub->flips = p->r->num_flips;
		sub->queued = p->queued[dma->context];
		p->queued[dma->context] += !ret;
		if (!ret && done.num_portions)
			note_foreign(p, sub, before, num_before);
		free(before);
		result_log(p->r, LOG_SUBMIT, p->r->num_submissions - 1, 0);
		ret = 0;
	}
	vsplit_stream_destroy(stream);
	return ret;
}

/* Read the record of a submission that is done. */
static int take_record(struct player *p, struct submission *sub)
{
	uint32_t index = p->s->dmas[sub->dma].context;
	struct vsplit_context *ctx = p->contexts[index];
	int ret = vsplit_record_read(ctx, sub->id, &sub->record);

	if (ret)
		return ret;
	sub->done = true;
	/* When a parked submission was accepted, its number of portions was not known. */
	sub->portions = sub->record->head.num_portions;
	sub->fence_error = -(int)sub->record->head.error;
	if (p->s->contexts[index].mode != VSPLIT_CTX_MODE_PATCH)
		note_places(p, sub);
	name_foreign(p, sub);
	/* The context may have been lost by this submission. */
	return sub->fence_error ? vsplit_context_query(ctx, &p->r->contexts[index]) : 0;
}

/* Wait for a submission, for @timeout_ms at most, and read its record. -ETIME: it is not done. */
static int take_when_done(struct player *p, struct submission *sub, int64_t timeout_ms)
{
	uint32_t ctx = p->s->dmas[sub->dma].context;
	int ret;

	if (p->hwqs[ctx])
		return hw_collect(p, sub, timeout_ms);
	ret = vsplit_wait(p->contexts[ctx], sub->id, timeout_ms, NULL);
	return ret ? ret : take_record(p, sub);
}

/* Is the submission settled, or is it done, so that it can be settled now? Does not wait. */
static bool take_if_done(struct player *p, struct submission *sub)
{
	return sub->error || sub->record ||
	       (p->contexts[p->s->dmas[sub->dma].context] && !take_when_done(p, sub, 0));
}

void take_done(struct player *p)
{
	uint32_t i;

	for (i = first_unsettled(p); i < p->r->num_submissions; i++)
		take_if_done(p, &p->r->submissions[i]);
}

/* -ETIME: the submission waits for a value that does not come. */
static int try_collect(struct player *p, struct submission *sub)
{
	uint64_t end = play_now_ns() + FENCE_MS * 1000000ull;
	uint32_t ctx = p->s->dmas[sub->dma].context;
	int ret;

	if (sub->error || sub->record)
		return 0;
	/* A suspended engine goes on with hardware queues. */
	if (!p->hwqs[ctx] && p->suspended >> p->s->contexts[ctx].engine & 1) {
		say(p->s, sub->line, "%s would be waited for without end: its engine is suspended",
		    p->s->dmas[sub->dma].name);
		return -EDEADLK;
	}
	if (!p->s->num_fences)
		return take_when_done(p, sub, -1);
	do {
		ret = take_when_done(p, sub, LOOK_MS);
		if (ret != -ETIME)
			return ret;
		take_done(p);
		if (sub->record)
			return 0;
	} while (may_end(p, sub) && (play_now_ns() < end || (sub->portions && !p->hwqs[ctx])));
	return -ETIME;
}

int collect(struct player *p, struct submission *sub)
{
	int ret = try_collect(p, sub);

	if (ret == -ETIME)
		say(p->s, sub->line, "%s waits for a fence that nothing signals",
		    p->s->dmas[sub->dma].name);
	return ret;
}

int collect_if_ends(struct player *p, struct submission *sub)
{
	int ret = is_parked(p, sub) ? 0 : try_collect(p, sub);

	return ret == -ETIME && is_parked(p, sub) ? 0 : ret;
}

int collect_all(struct player *p)
{
	uint32_t i;
	int ret;

	for (i = first_unsettled(p); i < p->r->num_submissions; i++) {
		ret = collect(p, &p->r->submissions[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int run_wait(struct player *p, const struct stmt *stmt)
{
	struct submission *sub;

	if (stmt->request != NO_INDEX)
		return wait_request(p, stmt->request);
	if (stmt->index == NO_INDEX)
		return collect_all(p);
	sub = last_submission(p, stmt->index);
	return sub ? collect(p, sub) : 0;
}

/* ---- the CPU ----------------------------------------------------------- */

static int run_write(struct player *p, const struct stmt *stmt)
{
	struct vsplit_bo *bo = need_bo(p, stmt, stmt->index);
	void *ptr;
	int ret;

	if (!bo)
		return -ENOENT;
	ret = settle_device(p, p->s->allocs[stmt->index].device);
	if (!ret)
		ret = vsplit_bo_map(bo, &ptr);
	p->r->allocs[stmt->index].error = ret;
	if (ret)
		return p->s->allocs[stmt->index].error_expected ? 0 : ret;
	return cpu_write((char *)ptr + stmt->range.offset, stmt->byte, stmt->range.length);
}

static int run_lock(struct player *p, const struct stmt *stmt)
{
	struct alloc_result *res = &p->r->allocs[stmt->index];
	struct vsplit_bo *bo = need_bo(p, stmt, stmt->index);
	int ret = 0;

	if (!bo)
		return -ENOENT;
	if (!(stmt->lock_flags & VSPLIT_LOCK_DONOT_WAIT))
		ret = settle_device(p, p->s->allocs[stmt->index].device);
	if (ret)
		return ret;
	res->error = vsplit_bo_lock(bo, stmt->lock_flags);
	if (p->s->allocs[stmt->index].error_expected)
		return 0;
	/* The answer that the allocation is busy, or would have to move, is no failure. */
	if (res->error == -EBUSY && (stmt->lock_flags & VSPLIT_LOCK_DONOT_WAIT))
		return 0;
	return res->error == -EADDRNOTAVAIL ? 0 : res->error;
}

static int run_unlock(struct player *p, const struct stmt *stmt)
{
	struct vsplit_bo *bo = need_bo(p, stmt, stmt->index);

	return bo ? vsplit_bo_unlock(bo) : -ENOENT;
}

/* Closing a device destroys all its objects. Mappings keep the file open, so they go as well. */
static int run_close(struct player *p, const struct stmt *stmt)
{
	const struct scenario *s = p->s;
	uint32_t i;

	for (i = first_unsettled(p); i < p->r->num_submissions; i++) {
		struct submission *sub = &p->r->submissions[i];
		uint32_t ctx = s->dmas[sub->dma].context;

		/* Read now what is known: it cannot be read after the close. */
		if (s->contexts[ctx].device != stmt->index || sub->error || sub->record)
			continue;
		/* The ring cannot be read after the close, either. */
		if (p->hwqs[ctx])
			collect_if_ends(p, sub);
		else
			vsplit_record_read(p->contexts[ctx], sub->id, &sub->record);
		if (sub->record && !sub->done)
			fences_promise(p, &s->dmas[sub->dma]);
		/* A submission that still waits for a value never begins. */
		if (!sub->record) {
			sub->record = need_memory(calloc(1, sizeof(*sub->record)));
			sub->record->head.error = ECANCELED;
			sub->fence_error = -ECANCELED;
		}
	}
	heads_settle(p, stmt->index);
	for (i = 0; i < s->num_contexts; i++) {
		if (s->contexts[i].device == stmt->index && p->contexts[i])
			vsplit_context_query(p->contexts[i], &p->r->contexts[i]);
	}
	fences_free(p, stmt->index);
	vsplit_device_close(p->devices[stmt->index]);
	p->devices[stmt->index] = NULL;
	for (i = 0; i < s->num_contexts; i++) {
		if (s->contexts[i].device != stmt->index)
			continue;
		vsplit_hwq_destroy(p->hwqs[i]);
		p->hwqs[i] = NULL;
		vsplit_context_destroy(p->contexts[i]);
		p->contexts[i] = NULL;
	}
	for (i = 0; i < s->num_allocs; i++) {
		if (s->allocs[i].device != stmt->index)
			continue;
		vsplit_bo_destroy(p->bos[i]);
		p->bos[i] = NULL;
	}
	return 0;
}

/* ---- the run ----------------------------------------------------------- */

static int run_suspend(struct player *p, uint32_t engine)
{
	int ret = vsplit_device_escape(p->devices[DEFAULT_DEVICE], VSPLIT_ESCAPE_SUSPEND, NULL,
				       engine);

	if (!ret)
		p->suspended |= 1ull << engine;
	return ret;
}

int resume_engine(const struct player *p, uint32_t engine)
{
	return vsplit_device_escape(p->devices[DEFAULT_DEVICE], VSPLIT_ESCAPE_RESUME, NULL, engine);
}

static int run_resume(struct player *p, uint32_t engine)
{
	int ret = resume_engine(p, engine);

	if (!ret)
		p->suspended &= ~(1ull << engine);
	return ret;
}

int run_statement(struct player *p, const struct stmt *stmt)
{
	switch (stmt->type) {
	case STMT_DEVICE:
		return open_device(p, stmt->index);
	case STMT_CONTEXT:
		return run_context(p, stmt);
	case STMT_ALLOC:
		return run_alloc(p, stmt);
	case STMT_SURFACE:
		return run_surface(p, stmt);
	case STMT_IMPORT:
		return run_import(p, stmt);
	case STMT_DUMB:
		return run_dumb(p, stmt);
	case STMT_PRIORITY:
		return run_priority(p, stmt);
	case STMT_KNOB:
		return knob_set(p->devices[DEFAULT_DEVICE], stmt->knob, stmt->value);
	case STMT_SUSPEND:
		return run_suspend(p, stmt->index);
	case STMT_RESUME:
		return run_resume(p, stmt->index);
	case STMT_SUBMIT:
		return run_submit(p, stmt);
	case STMT_WAIT:
		return run_wait(p, stmt);
	case STMT_WRITE:
		return run_write(p, stmt);
	case STMT_LOCK:
		return run_lock(p, stmt);
	case STMT_UNLOCK:
		return run_unlock(p, stmt);
	case STMT_CLOSE:
		return run_close(p, stmt);
	case STMT_HEAD:
		return run_head(p, stmt);
	case STMT_FLIP:
		return run_flip(p, stmt);
	case STMT_WAIT_HEAD:
		return run_wait_head(p, stmt);
	case STMT_EXPECT:
		return check_expect(p, stmt);
	case STMT_RESIDENT:
	case STMT_EVICT:
		return run_request(p, stmt);
	case STMT_BUDGET:
		return run_budget(p, stmt);
	case STMT_TRIM:
		return run_trim(p, stmt);
	case STMT_VA:
		return run_va(p, stmt);
	case STMT_FENCE:
		return 0;
	case STMT_SIGNAL:
		return run_signal(p, stmt);
	case STMT_WAIT_FENCE:
		return run_wait_fence(p, stmt);
	case STMT_OFFER:
	case STMT_RECLAIM:
		return run_offer(p, stmt);
	}
	return -EINVAL;
}

/*
 * After a statement: log what has happened, as soon as no earlier submission is unfinished. A
 * reader of the output then gets each result at once, not at the next wait.
 */
static void progress(struct player *p)
{
	struct result *r = p->r;
	uint32_t i;

	take_all_events(p);
	note_ready(p);
	heads_go_on(p);
	for (i = first_unsettled(p); i < r->num_submissions; i++) {
		if (!take_if_done(p, &r->submissions[i]))
			break;
	}
	if (i == r->num_submissions && r->shown < i) {
		result_log(r, LOG_EVENTS, r->shown, i);
		r->shown = i;
	}
	if (p->options->progress)
		p->options->progress(r, p->options->data);
}

static void add_failure(struct player *p, const struct stmt *stmt, int error)
{
	struct failure *f = result_add_failure(p->r);

	*f = (struct failure){ stmt->line, statement_word(stmt->type), error };
	result_log(p->r, LOG_FAILURE, p->r->num_failures - 1, 0);
}

static void run_statements(struct player *p)
{
	uint32_t i;

	for (i = 0; i < p->s->num_stmts; i++) {
		const struct stmt *stmt = &p->s->stmts[i];
		int ret = run_limited(p, stmt);

		if (ret)
			add_failure(p, stmt, ret);
		progress(p);
		if (!ret)
			continue;
		say(p->s, stmt->line, "%s failed: %s (%s)", statement_word(stmt->type), strerror(-ret),
		    errno_name(ret));
		p->not_run = true;
		if (!p->options->keep_going)
			break;
	}
}

/* Report errors that no expect statement checks. */
static void tell_unexpected(const struct player *p)
{
	bool *asked = need_memory(calloc(p->s->num_dmas + 1, sizeof(*asked)));
	bool *requests = need_memory(calloc(p->s->num_requests + 1, sizeof(*requests)));
	uint32_t i;

	for (i = 0; i < p->s->num_stmts; i++) {
		const struct stmt *stmt = &p->s->stmts[i];

		if (stmt->type == STMT_EXPECT && stmt->kind == EXPECT_DMA)
			asked[stmt->index] = true;
		if (stmt->type == STMT_EXPECT && stmt->kind == EXPECT_REQUEST)
			requests[stmt->index] = true;
	}
	for (i = 0; i < p->r->num_submissions; i++) {
		const struct submission *sub = &p->r->submissions[i];
		int error = sub->error ? sub->error : sub->fence_error;

		if (error && !asked[sub->dma])
			say(p->s, sub->line, "note: %s %s with %s, and no expect speaks of it",
			    p->s->dmas[sub->dma].name, sub->error ? "was refused" : "ended",
			    errno_name(error));
	}
	/* A request without a name that fails has ended the run. */
	for (i = 0; i < p->s->num_requests; i++) {
		const struct request_def *def = &p->s->requests[i];

		if (def->name && p->r->requests[i].error && !requests[i])
			say(p->s, def->line, "note: %s was refused with %s, and no expect speaks of it",
			    def->name, errno_name(p->r->requests[i].error));
	}
	free(requests);
	free(asked);
}

/*
 * When all else is done, end the submissions whose fences were not raised: they are never executed.
 */
static void settle_parked(struct player *p)
{
	bool parked = true, more = p->s->num_fences;
	uint32_t i;

	while (parked && more) {
		parked = false;
		more = false;
		for (i = first_unsettled(p); i < p->r->num_submissions; i++) {
			struct submission *sub = &p->r->submissions[i];
			struct vsplit_context *ctx = p->contexts[p->s->dmas[sub->dma].context];

			if (sub->error || sub->record || !ctx)
				continue;
			/* Submissions to hardware queues wait in their rings. */
			if (p->hwqs[p->s->dmas[sub->dma].context])
				continue;
			/* Work that ends may release parked submissions, which takes a moment. */
			if (!vsplit_wait(ctx, sub->id, sub->portions ? -1 : 100, NULL))
				more |= !take_record(p, sub);
			else
				parked = true;
		}
	}
	fences_free(p, NO_INDEX);
}

static void finish(struct player *p)
{
	uint32_t i;
	int ret;

	for (i = 0; i < 64; i++) {
		if (p->suspended >> i & 1)
			run_resume(p, i);
	}
	settle_parked(p);
	ret = collect_all(p);
	if (!ret)
		ret = heads_settle(p, NO_INDEX);
	if (ret) {
		complain("cannot read what happened: %s (%s)", strerror(-ret), errno_name(ret));
		p->not_run = true;
	}
	for (i = 0; i < p->s->num_contexts; i++) {
		if (p->contexts[i])
			vsplit_context_query(p->contexts[i], &p->r->contexts[i]);
	}
	note_ready(p);
	p->r->totals = result_totals(p->r);
	/* Paging for requirement lists has no record. */
	if (p->s->num_requests)
		adapter_totals(p, &p->r->totals);
	tell_unexpected(p);
	/* Include submissions that were refused, or have no record. */
	if (p->r->shown < p->r->num_submissions) {
		result_log(p->r, LOG_EVENTS, p->r->shown, p->r->num_submissions);
		p->r->shown = p->r->num_submissions;
	}
	if (p->options->progress)
		p->options->progress(p->r, p->options->data);
}

static void clean_up(struct player *p)
{
	uint32_t i;

	heads_free(p->s, p->heads);
	requests_free(p);
	fences_free(p, NO_INDEX);
	for (i = 0; i < p->s->num_allocs; i++)
		vsplit_bo_destroy(p->bos[i]);
	for (i = 0; i < p->s->num_contexts; i++) {
		vsplit_hwq_destroy(p->hwqs[i]);
		vsplit_context_destroy(p->contexts[i]);
	}
	for (i = 0; i < p->s->num_devices; i++)
		vsplit_device_close(p->devices[i]);
	for (i = 0; i < p->s->num_devices; i++)
		own_adapter_destroy(p->owns[i]);
	free(p->owns);
	free(p->last);
	free(p->queued);
	free(p->fences);
	free(p->promised);
	free(p->bos);
	free(p->context_errors);
	free(p->used);
	free(p->shown);
	free(p->hwqs);
	free(p->contexts);
	free(p->devices);
}

int play_run(const struct scenario *s, const struct play_options *options, struct result *r)
{
	struct player p = {
		.s = s,
		.options = options,
		.r = r,
		.devices = need_memory(calloc(s->num_devices + 1, sizeof(*p.devices))),
		.owns = need_memory(calloc(s->num_devices + 1, sizeof(*p.owns))),
		.last = need_memory(calloc(s->num_dmas + 1, sizeof(*p.last))),
		.queued = need_memory(calloc(s->num_contexts + 1, sizeof(*p.queued))),
		.contexts = need_memory(calloc(s->num_contexts + 1, sizeof(*p.contexts))),
		.hwqs = need_memory(calloc(s->num_contexts + 1, sizeof(*p.hwqs))),
		.bos = need_memory(calloc(s->num_allocs + 1, sizeof(*p.bos))),
		.heads = heads_new(s),
		.fences = need_memory(calloc((size_t)s->num_fences * s->num_devices + 1,
					     sizeof(*p.fences))),
		.promised = need_memory(calloc(s->num_fences + 1, sizeof(*p.promised))),
		.context_errors = need_memory(calloc(s->num_contexts + 1,
						     sizeof(*p.context_errors))),
		.used = need_memory(calloc(s->num_allocs + 1, sizeof(*p.used))),
		.timelines = need_memory(calloc(s->num_devices + 1, sizeof(*p.timelines))),
	};

	memcpy(r->knobs, options->knobs, sizeof(r->knobs));
	r->num_knobs = options->num_knobs;
	if (start(&p)) {
		p.not_run = true;
	} else {
		run_statements(&p);
		finish(&p);
	}
	clean_up(&p);
	r->ended = true;
	r->status = p.not_run ? EXIT_NOT_RUN : r->failed ? EXIT_NOT_HELD : EXIT_HELD;
	return r->status;
}
