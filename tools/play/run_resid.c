// SPDX-License-Identifier: MIT
/* Explicit residency: the calls, and the player's answers to trims. */
#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <unistd.h>
#include <xf86drm.h>

#include "parse.h"
#include "run.h"

/*
 * The allocations of a request; the caller frees the array alone. Returns NULL, and complains, if
 * one does not exist.
 */
static struct vsplit_bo **request_bos(struct player *p, const struct stmt *stmt,
				      const struct request_def *def)
{
	struct vsplit_bo **bos = calloc(def->num_allocs, sizeof(*bos));
	uint32_t i;

	for (i = 0; bos && i < def->num_allocs; i++) {
		bos[i] = need_bo(p, stmt, def->allocs[i]);
		if (bos[i])
			continue;
		free(bos);
		return NULL;
	}
	return bos;
}

/* Get the paging timeline of a device. It is queried early, because the query also arms trims. */
static void need_timeline(struct player *p, uint32_t device)
{
	struct drm_vsplit_residency residency;

	if (!p->timelines[device] && p->devices[device] &&
	    !vsplit_resident_query(p->devices[device], NULL, &residency))
		p->timelines[device] = residency.syncobj;
}

/* Make a sync file, which later tells when the point was reached. */
static int file_of_point(struct player *p, uint32_t device, uint64_t point)
{
	int fd = vsplit_device_fd(p->devices[device]), file = -1;
	uint32_t handle;

	if (!p->timelines[device] || drmSyncobjCreate(fd, 0, &handle))
		return -1;
	if (!drmSyncobjTransfer(fd, handle, 0, p->timelines[device], point, 0) &&
	    drmSyncobjExportSyncFile(fd, handle, &file))
		file = -1;
	drmSyncobjDestroy(fd, handle);
	return file;
}

/* When the last fence of a sync file was signalled; 0: not all are. */
static uint64_t signalled_ns(int file)
{
	struct sync_fence_info fences[16] = { 0 };
	struct sync_file_info info = {
		.num_fences = ARRAY_SIZE(fences), .sync_fence_info = (uintptr_t)fences,
	};
	uint64_t last = 0;
	uint32_t i;

	if (drmIoctl(file, SYNC_IOC_FILE_INFO, &info) || !info.status)
		return 0;
	for (i = 0; i < info.num_fences && i < ARRAY_SIZE(fences); i++) {
		if (fences[i].timestamp_ns > last)
			last = fences[i].timestamp_ns;
	}
	return last;
}

void note_ready(struct player *p)
{
	uint32_t i, left = 0;

	for (i = 0; i < p->num_pending; i++) {
		struct pending pending = p->pending[i];
		uint64_t ready_ns = signalled_ns(pending.file);

		if (!ready_ns) {
			p->pending[left++] = pending;
			continue;
		}
		close(pending.file);
		p->r->requests[pending.request].ready_ns = ready_ns;
		result_log(p->r, LOG_READY, pending.request, 0);
	}
	p->num_pending = left;
}

void requests_free(struct player *p)
{
	uint32_t i;

	for (i = 0; i < p->num_pending; i++)
		close(p->pending[i].file);
	free(p->pending);
	free(p->timelines);
}

int run_request(struct player *p, const struct stmt *stmt)
{
	const struct request_def *def = &p->s->requests[stmt->index];
	struct request_result *res = &p->r->requests[stmt->index];
	struct vsplit_device *dev = p->devices[def->device];
	struct vsplit_bo **bos = request_bos(p, stmt, def);
	bool evict = def->kind == REQUEST_EVICT;
	uint32_t i;
	int file, ret = 0;

	if (!bos)
		return -ENOENT;
	if (evict)
		ret = settle_device(p, def->device);
	else
		need_timeline(p, def->device);
	if (ret) {
		free(bos);
		return ret;
	}
	res->t0_ns = play_now_ns();
	res->error = evict ?
		     vsplit_resident_evict(dev, bos, def->num_allocs, def->flags, &res->trim) :
		     vsplit_resident_make(dev, bos, def->num_allocs, def->flags, &res->point,
					  &res->trim);
	res->t1_ns = play_now_ns();
	free(bos);
	res->done = true;
	file = !res->error && res->point ? file_of_point(p, def->device, res->point) : -1;
	if (file >= 0) {
		p->pending = append(p->pending, &p->num_pending, sizeof(*p->pending));
		p->pending[p->num_pending - 1] = (struct pending){ stmt->index, file };
	}
	for (i = 0; !res->error && !evict && i < def->num_allocs; i++)
		p->used[def->allocs[i]] = ++p->clock;
	result_log(p->r, LOG_REQUEST, stmt->index, 0);
	/* A request with a name may fail: an expect can check its error. */
	return def->name ? 0 : res->error;
}

int run_offer(struct player *p, const struct stmt *stmt)
{
	const struct request_def *def = &p->s->requests[stmt->index];
	struct request_result *res = &p->r->requests[stmt->index];
	struct vsplit_device *dev = p->devices[def->device];
	struct vsplit_bo **bos = request_bos(p, stmt, def);
	uint32_t i;

	if (!bos)
		return -ENOENT;
	res->discarded = need_memory(calloc(def->num_allocs, sizeof(*res->discarded)));
	res->t0_ns = play_now_ns();
	res->error = def->kind == REQUEST_OFFER ?
		     vsplit_bo_offer(dev, bos, def->num_allocs, def->flags) :
		     vsplit_bo_reclaim(dev, bos, def->num_allocs, res->discarded);
	res->t1_ns = play_now_ns();
	res->done = true;
	for (i = 0; !res->error && def->kind == REQUEST_RECLAIM && i < def->num_allocs; i++)
		p->r->allocs[def->allocs[i]].discarded = res->discarded[i];
	result_log(p->r, LOG_OFFER, stmt->index, 0);
	free(bos);
	return res->error;
}

int wait_request(struct player *p, uint32_t index)
{
	const struct request_def *def = &p->s->requests[index];
	const struct request_result *res = &p->r->requests[index];

	if (res->error || !p->devices[def->device])
		return 0;
	return vsplit_resident_wait(p->devices[def->device], res->point, -1);
}

/*
 * Get the runs of an allocation that may have several. If it moved in the meantime, these are its
 * new runs; if it left, there are none.
 */
static int note_runs(struct vsplit_bo *bo, struct place *place)
{
	uint32_t room;
	int ret;

	do {
		room = place->num_runs + 1;
		place->runs = need_memory(reallocarray(place->runs, room, sizeof(*place->runs)));
		place->num_runs = room;
		ret = vsplit_bo_runs(bo, place->runs, &place->num_runs, &place->segment);
	} while (!ret && place->num_runs > room);
	if (ret || !place->num_runs) {
		free(place->runs);
		return ret ? ret : -ENOENT;
	}
	place->at = place->runs[0].offset;
	return 0;
}

void note_places(struct player *p, struct submission *sub)
{
	struct drm_vsplit_gem_info info;
	struct place place;
	uint32_t i;

	for (i = 0; i < p->s->num_allocs; i++) {
		if (p->s->devices[p->s->allocs[i].device].own || !p->bos[i] ||
		    vsplit_bo_info(p->bos[i], &info) || !info.segment)
			continue;
		place = (struct place){ i, info.segment, info.offset, NULL, 0 };
		if (p->s->allocs[i].flags & VSPLIT_GEM_RUNS && note_runs(p->bos[i], &place))
			continue;
		sub->places = append(sub->places, &sub->num_places, sizeof(*sub->places));
		sub->places[sub->num_places - 1] = place;
	}
}

int run_budget(struct player *p, const struct stmt *stmt)
{
	return vsplit_resident_set_budget(p->devices[stmt->index], stmt->group, stmt->value);
}

int run_trim(struct player *p, const struct stmt *stmt)
{
	return vsplit_device_escape(p->devices[stmt->index], VSPLIT_ESCAPE_TRIM, NULL, stmt->value);
}

void shown_at(struct player *p, uint32_t device, const struct va_def *va)
{
	if (!p->s->devices[device].trim_lru)
		return;
	p->shown = append(p->shown, &p->num_shown, sizeof(*p->shown));
	p->shown[p->num_shown - 1] = (struct shown_at){
		.device = device,
		.alloc = va->type == VSPLIT_VA_MAP ? va->alloc : NO_INDEX,
		.address = va->address,
		.end = va->address + va->bytes,
	};
}

/* A newer mapping hides an older one. */
static void used_at(struct player *p, uint32_t device, uint64_t address, uint64_t bytes)
{
	uint64_t end = address + bytes;
	uint32_t i;

	for (i = p->num_shown; i-- > 0 && address < end;) {
		const struct shown_at *shown = &p->shown[i];

		if (shown->device != device || shown->address >= end || shown->end <= address)
			continue;
		if (shown->alloc != NO_INDEX)
			p->used[shown->alloc] = p->clock;
		if (shown->address <= address && shown->end >= end)
			return;
	}
}

void used_by_dma(struct player *p, const struct dma_def *dma)
{
	uint32_t device = p->s->contexts[dma->context].device, i;

	if (!p->s->devices[device].trim_lru)
		return;
	for (i = 0; i < dma->num_ops; i++) {
		const struct op *op = &dma->ops[i];

		p->clock++;
		switch (op->type) {
		case OP_BIND:
		case OP_PRIMARY:
			p->used[op->alloc] = p->clock;
			break;
		case OP_COPY_AT:
			used_at(p, device, op->value, op->range.length);
			used_at(p, device, op->range.offset, op->range.length);
			break;
		case OP_FILL_AT:
			used_at(p, device, op->range.offset, op->range.length);
			break;
		default:
			break;
		}
	}
}

struct candidate {
	uint64_t used;
	uint32_t alloc;
};

static int by_use(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return x->alloc < y->alloc ? -1 : 1;
}

/* The allocations of a device, the least recently used first. */
static struct candidate *candidates_of(const struct player *p, uint32_t device, uint32_t *count)
{
	struct candidate *list = NULL;
	uint32_t i;

	*count = 0;
	for (i = 0; i < p->s->num_allocs; i++) {
		if (p->s->allocs[i].device != device || !p->bos[i])
			continue;
		list = append(list, count, sizeof(*list));
		list[*count - 1] = (struct candidate){ p->used[i], i };
	}
	if (list)
		qsort(list, *count, sizeof(*list), by_use);
	return list;
}

/* Give back as much as was asked for, the least recently used first. */
static void answer_trim(struct player *p, uint32_t device, uint64_t bytes,
			struct trim_result *trim)
{
	struct drm_vsplit_residency residency;
	struct candidate *list;
	uint32_t count, i;

	/* Wait for hardware queues, as the evict statement does. */
	if (hw_settle(p, device))
		return;
	list = candidates_of(p, device, &count);
	for (i = 0; bytes && i < count; i++) {
		uint32_t index = list[i].alloc;
		uint64_t size = vsplit_bo_size(p->bos[index]);

		if (vsplit_resident_query(p->devices[device], p->bos[index], &residency) ||
		    !residency.count)
			continue;
		while (residency.count && !vsplit_resident_evict(p->devices[device], &p->bos[index], 1,
								 0, NULL))
			residency.count--;
		if (residency.count)
			break;
		trim->evicted = append(trim->evicted, &trim->num_evicted, sizeof(*trim->evicted));
		trim->evicted[trim->num_evicted - 1] = index;
		bytes -= size < bytes ? size : bytes;
	}
	free(list);
}

void trim_arrived(struct player *p, uint32_t device, const struct drm_vsplit_trim_event *event)
{
	struct device_result *res = &p->r->devices[device];
	struct drm_vsplit_residency residency;

	*result_add_trim(p->r) = (struct trim_result){
		.device = device, .event = *event, .t0_ns = play_now_ns(),
	};
	res->trims++;
	res->trim_bytes = event->bytes;
	result_log(p->r, LOG_TRIM, p->r->num_trims - 1, 0);
	/* The driver sends the next trim event only after this query. */
	vsplit_resident_query(p->devices[device], NULL, &residency);
	if (p->s->devices[device].trim_lru)
		answer_trim(p, device, event->bytes, &p->r->trims[p->r->num_trims - 1]);
	p->r->trims[p->r->num_trims - 1].t1_ns = play_now_ns();
}
