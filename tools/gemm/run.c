// SPDX-License-Identifier: MIT
/* Runs a plan: the tiles as allocations, the DMA buffers of steps, and their records. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gemm.h"

#define RECORDS_KEPT	32	/* fewer than the kernel keeps for a context */
#define POLL_MS		100
#define ATTEMPTS	6

/* The tiles of one matrix, row by row. */
struct tiles {
	struct vsplit_bo **bo;
	uint64_t count;
	uint64_t cols;
};

/*
 * A DMA buffer that was submitted.
 * @id: id of its submission.
 * @marks: for each step, the offset in the stream and the multiply-adds done at its end.
 */
struct buffer {
	uint64_t id;
	struct mark {
		uint32_t offset;
		uint64_t macs;
	} *marks;
	size_t count;
};

struct run {
	struct vsplit_device *dev;
	struct vsplit_context *ctx;
	struct vsplit_stream *stream;
	const char *const *names;
	const struct npy *a, *b;
	struct npy_writer *c;
	uint8_t segment;
	struct gemm_limits limits;
	struct gemm_plan plan;
	struct tiles ta, tb, tc;
	struct buffer *buffers;
	uint64_t num_buffers;
	uint64_t waited;	/* buffers that are done */
	uint64_t macs_done;	/* multiply-adds of these buffers */
	struct progress *progress;
	struct gemm_report *report;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int not_run(const char *what, int error)
{
	complain("%s: %s (%s)", what, strerror(-error), errno_name(error));
	return EXIT_NOT_RUN;
}

/* Report an error that came while the GPU was working. */
static int gpu_failed(const char *what, int error)
{
	not_run(what, error);
	return EXIT_NOT_HELD;
}

static int bad_file(const char *name, const struct npy_error *error)
{
	complain("%s: %s", name, error->text);
	return EXIT_NOT_RUN;
}

/* ---- tiles ------------------------------------------------------------- */

static void tiles_free(struct tiles *t)
{
	uint64_t i;

	for (i = 0; t->bo && i < t->count; i++)
		vsplit_bo_destroy(t->bo[i]);
	free(t->bo);
	*t = (struct tiles){ 0 };
}

static int tiles_make(struct tiles *t, uint64_t rows, uint64_t cols)
{
	if (__builtin_mul_overflow(rows, cols, &t->count))
		return -E2BIG;
	t->cols = cols;
	t->bo = calloc(t->count, sizeof(*t->bo));
	return t->bo ? 0 : -ENOMEM;
}

static int tile_create(struct run *run, struct tiles *t, uint64_t row, uint64_t col,
		       uint64_t bytes)
{
	struct drm_vsplit_gem_create params = {
		.size = bytes,
		.flags = VSPLIT_GEM_CPU_ACCESS,
		.num_segments = 1,
		.segments = { run->segment },
	};
	struct vsplit_bo **bo = &t->bo[row * t->cols + col];
	int ret = vsplit_bo_create_from(run->dev, &params, bo);

	if (!ret)
		run->report->tiles += vsplit_bo_size(*bo);
	return ret;
}

/*
 * Create the tiles of an input matrix, and read them from its file.
 * @rows: rows of a tile.
 * @cols: columns of a tile.
 */
static int load(struct run *run, struct tiles *t, const struct npy *npy, const char *name,
		uint64_t rows, uint64_t cols, uint64_t *loaded)
{
	uint64_t row, col, height, width;
	struct npy_error error;
	void *ptr;
	int ret;

	for (row = 0; row < npy->header.rows; row += rows) {
		for (col = 0; col < npy->header.cols; col += cols) {
			height = npy->header.rows - row < rows ? npy->header.rows - row : rows;
			width = npy->header.cols - col < cols ? npy->header.cols - col : cols;
			ret = tile_create(run, t, row / rows, col / cols, height * width);
			if (ret)
				return not_run("cannot create an allocation", ret);
			ret = vsplit_bo_map(t->bo[row / rows * t->cols + col / cols], &ptr);
			if (ret)
				return not_run("cannot map an allocation", ret);
			if (!npy_read(npy, row, col, height, width, ptr, width, &error))
				return bad_file(name, &error);
			*loaded += height * width;
			progress_set(run->progress, *loaded, NULL);
		}
	}
	return EXIT_HELD;
}

static int load_all(struct run *run)
{
	const struct gemm_plan *p = &run->plan;
	uint64_t loaded = 0, i, j;
	int ret;

	if (tiles_make(&run->ta, p->cm, p->ck) || tiles_make(&run->tb, p->ck, p->cn) ||
	    tiles_make(&run->tc, p->cm, p->cn))
		return not_run("too many tiles", -ENOMEM);
	progress_phase(run->progress, "loading", p->m * p->k + p->k * p->n);
	ret = load(run, &run->ta, run->a, run->names[0], p->tm, p->tk, &loaded);
	if (!ret)
		ret = load(run, &run->tb, run->b, run->names[1], p->tk, p->tn, &loaded);
	if (ret)
		return ret;
	for (i = 0; i < p->cm; i++) {
		for (j = 0; j < p->cn; j++) {
			struct gemm_step step = { .i = i, .j = j };
			struct gemm_extent e = gemm_extent(p, &step);

			ret = tile_create(run, &run->tc, i, j, 4ull * e.m * e.n);
			if (ret)
				return not_run("cannot create an allocation", ret);
		}
	}
	return EXIT_HELD;
}

static int save(struct run *run)
{
	const struct gemm_plan *p = &run->plan;
	struct npy_error error;
	uint64_t i, j;
	void *ptr;
	int ret;

	progress_phase(run->progress, "saving", p->cm * p->cn);
	for (i = 0; i < p->cm; i++) {
		for (j = 0; j < p->cn; j++) {
			struct vsplit_bo *bo = run->tc.bo[i * run->tc.cols + j];
			struct gemm_step step = { .i = i, .j = j };
			struct gemm_extent e = gemm_extent(p, &step);

			ret = vsplit_bo_lock(bo, VSPLIT_LOCK_READ_ONLY);
			if (!ret)
				ret = vsplit_bo_map(bo, &ptr);
			if (ret)
				return not_run("cannot read the result", ret);
			if (!npy_write(run->c, i * p->tm, j * p->tn, e.m, e.n, ptr,
				       4ull * e.n, &error))
				return bad_file(run->names[2], &error);
			/* If the adapter is gone, the mapping has shown zeros. */
			ret = vsplit_bo_unlock(bo);
			if (ret)
				return not_run("cannot read the result", ret);
			progress_set(run->progress, i * p->cn + j + 1, NULL);
		}
	}
	return EXIT_HELD;
}

/* ---- DMA buffers ------------------------------------------------------- */

/* Each step binds all slots again, so no row is kept at a split, and all tiles may move. */
static int emit_step(struct run *run, const struct gemm_step *step)
{
	struct vsplit_stream *s = run->stream;

	vsplit_stream_group_begin(s);
	vsplit_stream_bind(s, GEMM_SLOT_A, run->ta.bo[step->i * run->ta.cols + step->k], 0, 0);
	vsplit_stream_bind(s, GEMM_SLOT_B, run->tb.bo[step->k * run->tb.cols + step->j], 0, 0);
	vsplit_stream_bind(s, GEMM_SLOT_C, run->tc.bo[step->i * run->tc.cols + step->j], 0,
			   VSPLIT_ALLOC_WRITE);
	vsplit_stream_group_end(s);
	return gemm_emit(s, &run->plan, step);
}

static bool has_room(struct run *run, const struct gemm_step *step)
{
	uint64_t bytes = GEMM_SLOTS * sizeof(struct vsplit_packet_bind) +
			 gemm_emit_bytes(&run->plan, step);
	uint32_t allocs, patches;

	vsplit_stream_allocs(run->stream, &allocs);
	vsplit_stream_patches(run->stream, &patches);
	return vsplit_stream_offset(run->stream) + bytes <= run->limits.stream_bytes &&
	       allocs + GEMM_SLOTS <= run->limits.allocs &&
	       patches + GEMM_SLOTS <= run->limits.patches;
}

/* Fill a buffer with steps from *@index on. */
static int build(struct run *run, struct buffer *buffer, uint64_t *index)
{
	uint64_t steps = gemm_steps(&run->plan), macs = 0;
	size_t room = 0;
	int ret;

	vsplit_stream_reset(run->stream);
	for (; *index < steps; (*index)++) {
		struct gemm_step step = gemm_step(&run->plan, *index);
		struct gemm_extent e = gemm_extent(&run->plan, &step);

		if (!has_room(run, &step))
			break;
		ret = emit_step(run, &step);
		if (ret)
			return ret;
		macs += (uint64_t)e.m * e.k * e.n;
		if (buffer->count == room) {
			struct mark *more;

			room = room ? room * 2 : 64;
			more = reallocarray(buffer->marks, room, sizeof(*more));
			if (!more)
				return -ENOMEM;
			buffer->marks = more;
		}
		buffer->marks[buffer->count++] = (struct mark){
			.offset = vsplit_stream_offset(run->stream),
			.macs = macs,
		};
	}
	return buffer->count ? 0 : -E2BIG;
}

/* The multiply-adds that are done after the stream was executed up to @offset. */
static uint64_t macs_at(const struct buffer *buffer, uint32_t offset)
{
	size_t low = 0, high = buffer->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (buffer->marks[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? buffer->marks[low - 1].macs : 0;
}

static void show_record(struct run *run, const struct buffer *buffer,
			const struct vsplit_record *record)
{
	uint32_t i, portions = 0, done = 0;
	uint64_t in = 0;
	char note[80], size[SIZE_TEXT];

	for (i = 0; i < record->head.num_events; i++) {
		const struct drm_vsplit_event *e = &record->events[i];

		if (!e->t1_ns)
			continue;
		if (e->type == VSPLIT_EVENT_PORTION) {
			portions++;
			done = e->end;
		} else if (e->type == VSPLIT_EVENT_PAGE_IN) {
			in += e->bytes;
		}
	}
	snprintf(note, sizeof(note), "portion %u/%u, paged in %s", portions,
		 record->head.num_portions, format_about(size, in));
	progress_set(run->progress, run->macs_done + macs_at(buffer, done), note);
}

static void sum_up(struct run *run, const struct vsplit_record *record)
{
	struct gemm_report *r = run->report;
	uint32_t i;

	r->portions += record->head.num_portions;
	for (i = 0; i < record->head.num_events; i++) {
		const struct drm_vsplit_event *e = &record->events[i];

		if (e->type == VSPLIT_EVENT_PAGE_IN) {
			r->paged_in += e->bytes;
			r->paged_in_copied += e->copied;
		} else if (e->type == VSPLIT_EVENT_EVICT) {
			r->evicted += e->bytes;
			r->evicted_copied += e->copied;
		} else if (e->type == VSPLIT_EVENT_MOVE) {
			r->moved += e->bytes;
		}
	}
}

/* The submission has failed: report why. */
static int lost(struct run *run, int error)
{
	static const char *const states[] = { "goes on", "ran out of memory", "hung", "faulted" };
	struct drm_vsplit_ctx_query q;

	if (!vsplit_context_query(run->ctx, &q) && q.state && q.state < ARRAY_SIZE(states)) {
		complain("the context is lost: it %s in portion %u, at offset %u",
			 states[q.state], q.fault_portion, q.fault_offset);
		return EXIT_NOT_HELD;
	}
	complain("the GPU failed: %s (%s)", strerror(-error), errno_name(error));
	return EXIT_NOT_HELD;
}

/* Wait for the oldest buffer that is not done. */
static int wait_one(struct run *run)
{
	struct buffer *buffer = &run->buffers[run->waited];
	struct vsplit_record *record;
	int ret, error;

	for (;;) {
		ret = vsplit_wait(run->ctx, buffer->id, run->progress ? POLL_MS : -1, NULL);
		if (ret && ret != -ETIME)
			return gpu_failed("cannot wait for the GPU", ret);
		error = vsplit_record_read(run->ctx, buffer->id, &record);
		if (error)
			return gpu_failed("cannot read the record", error);
		show_record(run, buffer, record);
		if (!ret)
			break;
		vsplit_record_free(record);
	}
	sum_up(run, record);
	error = -(int)record->head.error;
	vsplit_record_free(record);
	if (error)
		return lost(run, error);
	run->macs_done += buffer->marks[buffer->count - 1].macs;
	run->waited++;
	return EXIT_HELD;
}

/*
 * Build and submit all buffers. Returns an exit status, or -ENOSPC if a step does not fit; all
 * buffers submitted before are done then.
 */
static int multiply(struct run *run)
{
	uint64_t index = 0, steps = gemm_steps(&run->plan);
	int ret;

	progress_phase(run->progress, "multiplying", run->plan.m * run->plan.k * run->plan.n);
	while (index < steps) {
		struct vsplit_submission submission;
		struct buffer *buffer, *more;

		more = reallocarray(run->buffers, run->num_buffers + 1, sizeof(*more));
		if (!more)
			return not_run("cannot build a DMA buffer", -ENOMEM);
		run->buffers = more;
		buffer = &run->buffers[run->num_buffers];
		*buffer = (struct buffer){ 0 };
		run->num_buffers++;
		ret = build(run, buffer, &index);
		if (ret)
			return not_run("cannot build a DMA buffer", ret);
		ret = vsplit_submit(run->ctx, run->stream, 0, NULL, 0, &submission);
		if (ret) {
			run->num_buffers--;
			free(buffer->marks);
			while (run->waited < run->num_buffers) {
				int status = wait_one(run);

				if (status)
					return status;
			}
			return ret == -ENOSPC ? ret : not_run("cannot submit", ret);
		}
		buffer->id = submission.id;
		if (run->num_buffers - run->waited >= RECORDS_KEPT) {
			ret = wait_one(run);
			if (ret)
				return ret;
		}
	}
	while (run->waited < run->num_buffers) {
		ret = wait_one(run);
		if (ret)
			return ret;
	}
	run->report->buffers = run->num_buffers;
	return EXIT_HELD;
}

/* ---- one attempt ------------------------------------------------------- */

static void run_clear(struct run *run)
{
	uint64_t i;

	for (i = 0; i < run->num_buffers; i++)
		free(run->buffers[i].marks);
	free(run->buffers);
	run->buffers = NULL;
	run->num_buffers = 0;
	run->waited = 0;
	run->macs_done = 0;
	tiles_free(&run->ta);
	tiles_free(&run->tb);
	tiles_free(&run->tc);
}

/* Find the largest memory segment, in which the tiles are placed. */
static int find_segment(struct run *run)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	uint32_t count = VSPLIT_MAX_SEGMENTS, i;
	int ret = vsplit_device_segments(run->dev, info, &count);

	if (ret)
		return not_run("cannot query the segments", ret);
	for (i = 0; i < count; i++) {
		if ((info[i].flags & VSPLIT_SEGMENT_APERTURE) ||
		    info[i].commit_limit <= run->report->memory)
			continue;
		run->report->memory = info[i].commit_limit;
		run->segment = (uint8_t)info[i].id;
	}
	if (!run->report->memory) {
		complain("the adapter has no memory segment");
		return EXIT_NOT_RUN;
	}
	return EXIT_HELD;
}

static int attempt(struct run *run, uint64_t tile)
{
	double begin;
	int ret;

	/* Reset the totals, because an attempt that did not fit does not count. */
	*run->report = (struct gemm_report){ .memory = run->report->memory };
	if (!gemm_plan_make(&run->plan, run->a->header.rows, run->a->header.cols,
			    run->b->header.cols, tile, &run->limits)) {
		char size[SIZE_TEXT];

		if (tile)
			complain("three tiles of side %" PRIu64 " do not fit into %s of video memory",
				 tile, format_size(size, run->limits.memory));
		else
			complain("%s of video memory is too little for any tiles",
				 format_size(size, run->report->memory));
		return EXIT_NOT_RUN;
	}
	ret = load_all(run);
	if (ret)
		return ret;
	begin = now();
	ret = multiply(run);
	run->report->seconds = now() - begin;
	return ret ? ret : save(run);
}

/*
 * Plan with half of the memory, so that the tiles of the next step can be paged in meanwhile; or
 * with all of it, if a step does not fit into half.
 */
static void choose_memory(struct run *run, uint64_t tile)
{
	struct gemm_plan plan;

	run->limits.memory = run->report->memory / 2;
	if (!gemm_plan_make(&plan, run->a->header.rows, run->a->header.cols,
			    run->b->header.cols, tile, &run->limits))
		run->limits.memory = run->report->memory;
}

static int attempts(struct run *run, uint64_t tile)
{
	unsigned int i;
	int ret = -ENOSPC;

	choose_memory(run, tile);
	for (i = 0; i < ATTEMPTS; i++) {
		ret = attempt(run, tile);
		run_clear(run);
		if (ret != -ENOSPC || tile)
			break;
		/* Another client holds a part of the memory. */
		run->limits.memory /= 2;
	}
	return ret == -ENOSPC ? not_run("cannot submit", ret) : ret;
}

int gemm_run(struct vsplit_device *dev, const char *const names[3], const struct npy *a,
	     const struct npy *b, struct npy_writer *c, uint64_t tile,
	     struct progress *progress, struct gemm_report *report)
{
	const struct drm_vsplit_adapter_info *info = vsplit_device_adapter(dev);
	struct run run = {
		.dev = dev, .names = names, .a = a, .b = b, .c = c,
		.progress = progress, .report = report,
		.limits = {
			.page = info->page_size,
			.stream_bytes = info->max_stream_bytes,
			.allocs = info->max_allocs,
			.patches = info->max_patches,
		},
	};
	int ret;

	if (info->num_slots < GEMM_SLOTS) {
		complain("the adapter has %u slots; %u are needed", info->num_slots, GEMM_SLOTS);
		return EXIT_NOT_RUN;
	}
	ret = find_segment(&run);
	if (ret)
		return ret;
	ret = vsplit_context_create(dev, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &run.ctx);
	if (ret)
		return not_run("cannot create a context", ret);
	ret = vsplit_stream_create(&run.stream);
	if (ret)
		ret = not_run("cannot build a DMA buffer", ret);
	else
		ret = attempts(&run, tile);
	vsplit_stream_destroy(run.stream);
	vsplit_context_destroy(run.ctx);
	return ret;
}
