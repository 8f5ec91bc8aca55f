// SPDX-License-Identifier: MIT
/* One JSON object a line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

/* Names are letters, digits and '_'; reasons are ours. Still: */
static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void put_key(FILE *out, const char *key, const char *value)
{
	fprintf(out, ",\"%s\":", key);
	put_string(out, value);
}

static void put_times(FILE *out, const struct drm_vsplit_event *e)
{
	fprintf(out, ",\"t0_ns\":%" PRIu64 ",\"t1_ns\":%" PRIu64, (uint64_t)e->t0_ns,
		(uint64_t)e->t1_ns);
}

static void put_slots(FILE *out, const struct result *r, const struct event *event)
{
	const struct dma_def *dma = &r->s->dmas[event->submission->dma];
	const struct vsplit_record *record = event->submission->record;
	uint32_t device = r->s->contexts[dma->context].device, i;
	char text[LABEL_TEXT];

	fputs(",\"slots\":{", out);
	for (i = 0; i < event->step->row_count; i++) {
		uint32_t index = event->step->row_first + i;
		const struct drm_vsplit_row *row;

		if (index >= record->head.num_rows)
			break;
		row = &record->rows[index];
		fprintf(out, "%s\"%u\":", i ? "," : "", row->slot);
		put_string(out, alloc_label(r, device, row->handle, 0, text));
	}
	putc('}', out);
}

static void put_portion(FILE *out, const struct result *r, const struct event *event)
{
	const struct dma_def *dma = &r->s->dmas[event->submission->dma];
	const struct drm_vsplit_event *e = event->step;

	fputs("{\"event\":\"portion\"", out);
	put_key(out, "dma", dma->name);
	put_key(out, "context", r->s->contexts[dma->context].name);
	fprintf(out, ",\"index\":%u,\"begin\":%u,\"end\":%u,\"patch_first\":%u,\"patch_count\":%u",
		e->portion, e->begin, e->end, e->patch_first, e->patch_count);
	put_slots(out, r, event);
	if (e->flags & VSPLIT_EVENT_SKIPPED)
		fputs(",\"skipped\":true", out);
	put_times(out, e);
	fputs("}\n", out);
}

static void put_paging(FILE *out, const struct result *r, const struct event *event)
{
	static const char *const names[] = {
		[VSPLIT_EVENT_PAGE_IN] = "page-in", [VSPLIT_EVENT_EVICT] = "evict",
		[VSPLIT_EVENT_MOVE] = "move", [VSPLIT_EVENT_MAP] = "map",
		[VSPLIT_EVENT_UNMAP] = "unmap",
	};
	const struct dma_def *dma = &r->s->dmas[event->submission->dma];
	uint32_t device = r->s->contexts[dma->context].device;
	const struct drm_vsplit_event *e = event->step;
	bool mapping = e->type == VSPLIT_EVENT_MAP || e->type == VSPLIT_EVENT_UNMAP;
	char text[LABEL_TEXT];

	fprintf(out, "{\"event\":\"%s\"", e->type < ARRAY_SIZE(names) ? names[e->type] : "?");
	put_key(out, "alloc", alloc_label(r, device, e->handle, e->id, text));
	put_key(out, "segment", segment_name(r, e->segment));
	if (e->type == VSPLIT_EVENT_MOVE) {
		if (e->from_segment != e->segment)
			put_key(out, "from_segment", segment_name(r, e->from_segment));
		fprintf(out, ",\"from\":%" PRIu64, (uint64_t)e->from);
	}
	/* An aperture takes no bytes, only pages: their number of bytes is the size. */
	fprintf(out, ",\"at\":%" PRIu64 ",\"bytes\":%" PRIu64, (uint64_t)e->at,
		mapping ? 0 : (uint64_t)e->bytes);
	if (mapping)
		fprintf(out, ",\"size\":%" PRIu64, (uint64_t)e->bytes);
	if (e->type == VSPLIT_EVENT_EVICT)
		fprintf(out, ",\"copied\":%" PRIu64, (uint64_t)e->copied);
	put_key(out, "dma", dma->name);
	fprintf(out, ",\"before\":%u", e->portion);
	put_times(out, e);
	fputs("}\n", out);
}

static void put_fault(FILE *out, const struct result *r, const struct event *event)
{
	const struct dma_def *dma = &r->s->dmas[event->submission->dma];
	char text[80];

	fputs("{\"event\":\"fault\"", out);
	put_key(out, "context", r->s->contexts[dma->context].name);
	put_key(out, "dma", dma->name);
	fprintf(out, ",\"index\":%u", event->portion);
	put_key(out, "reason", fault_reason(event->fault, text));
	fputs("}\n", out);
}

static void put_error(FILE *out, const struct result *r, const struct event *event)
{
	fputs("{\"event\":\"error\"", out);
	put_key(out, "dma", r->s->dmas[event->submission->dma].name);
	put_key(out, "errno", errno_name(event->error));
	fputs("}\n", out);
}

void show_json(FILE *out, const struct result *r, const struct events *events)
{
	uint32_t i;

	for (i = 0; i < events->count; i++) {
		const struct event *event = &events->list[i];

		if (event->kind == SHOW_FAULT)
			put_fault(out, r, event);
		else if (event->kind == SHOW_ERROR)
			put_error(out, r, event);
		else if (event->step->type == VSPLIT_EVENT_PORTION)
			put_portion(out, r, event);
		else
			put_paging(out, r, event);
	}
}
