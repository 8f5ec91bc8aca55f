// SPDX-License-Identifier: MIT
/* Names for numbers that the driver reports, and records as text. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const char *vsplit_event_name(uint32_t type)
{
	static const char *const names[] = {
		[VSPLIT_EVENT_PORTION] = "portion",
		[VSPLIT_EVENT_PAGE_IN] = "page-in",
		[VSPLIT_EVENT_EVICT] = "evict",
		[VSPLIT_EVENT_MOVE] = "move",
		[VSPLIT_EVENT_MAP] = "map",
		[VSPLIT_EVENT_UNMAP] = "unmap",
		[VSPLIT_EVENT_ACQUIRE_RANGE] = "acquire-range",
		[VSPLIT_EVENT_RELEASE_RANGE] = "release-range",
	};

	return type < COUNT(names) ? names[type] : "unknown";
}

const char *vsplit_state_name(uint32_t state)
{
	static const char *const names[] = {
		[VSPLIT_STATE_ACTIVE] = "active",
		[VSPLIT_STATE_LOST_OOM] = "lost-oom",
		[VSPLIT_STATE_LOST_HANG] = "lost-hang",
		[VSPLIT_STATE_LOST_FAULT] = "lost-fault",
		[VSPLIT_STATE_LOST_RESIDENCY] = "lost-residency",
		[VSPLIT_STATE_LOST_PAGE_FAULT] = "lost-page-fault",
	};

	return state < COUNT(names) ? names[state] : "unknown";
}

const char *vsplit_fault_name(uint32_t fault)
{
	static const char *const names[] = {
		[VSPLIT_FAULT_NONE] = "none",
		[VSPLIT_FAULT_BAD_PACKET] = "bad packet",
		[VSPLIT_FAULT_EMPTY_ROW] = "empty row",
		[VSPLIT_FAULT_BOUNDS] = "out of bounds",
		[VSPLIT_FAULT_WRITE] = "write through a read-only row",
		[VSPLIT_FAULT_ALIGN] = "misaligned",
		[VSPLIT_FAULT_STATE] = "undefined state",
		[VSPLIT_FAULT_DECODE] = "no memory at the address",
		[VSPLIT_FAULT_CANCELLED] = "cancelled",
		[VSPLIT_FAULT_NOT_MAPPED] = "page fault, not mapped",
		[VSPLIT_FAULT_NOT_RESIDENT] = "page fault, not resident",
		[VSPLIT_FAULT_READ_ONLY] = "page fault, read-only",
	};

	return fault < COUNT(names) ? names[fault] : "unknown";
}

static void put_event(FILE *out, const struct vsplit_record *record,
		      const struct drm_vsplit_event *e)
{
	uint32_t i;

	if (e->type == VSPLIT_EVENT_PORTION) {
		fprintf(out, "  portion %u: [0x%x, 0x%x)", e->portion, e->begin, e->end);
		for (i = 0; i < e->row_count && e->row_first + i < record->head.num_rows; i++) {
			const struct drm_vsplit_row *row = &record->rows[e->row_first + i];

			fprintf(out, ", slot %u: handle %u in %u @ 0x%" PRIx64, row->slot,
				row->handle, row->segment, (uint64_t)row->offset);
		}
		if (e->flags & VSPLIT_EVENT_SKIPPED)
			fputs(", did not all run", out);
	} else {
		fprintf(out, "  %s before portion %u: id %" PRIu64 ", %" PRIu64 " bytes",
			vsplit_event_name(e->type), e->portion, (uint64_t)e->id,
			(uint64_t)e->bytes);
		if (e->type == VSPLIT_EVENT_MOVE)
			fprintf(out, ", from %u @ 0x%" PRIx64, e->from_segment,
				(uint64_t)e->from);
		fprintf(out, ", %u @ 0x%" PRIx64 ", %" PRIu64 " copied", e->segment,
			(uint64_t)e->at, (uint64_t)e->copied);
		if (e->flags & VSPLIT_EVENT_FOREIGN)
			fputs(", foreign", out);
		if (e->flags & VSPLIT_EVENT_FILLED)
			fputs(", filled", out);
	}
	if (e->t1_ns > e->t0_ns)
		fprintf(out, ", %" PRIu64 " ns", (uint64_t)(e->t1_ns - e->t0_ns));
	putc('\n', out);
}

int vsplit_record_text(const struct vsplit_record *record, char **text)
{
	char *made = NULL;
	bool failed;
	size_t size;
	uint32_t i;
	FILE *out;

	if (!record || !text)
		return -EINVAL;
	out = open_memstream(&made, &size);
	if (!out)
		return -ENOMEM;
	fprintf(out, "submission %" PRIu64 ": %u portions, %s", (uint64_t)record->head.submission,
		record->head.num_portions, record->head.done ? "done" : "not done");
	if (record->head.error)
		fprintf(out, ", error %u", record->head.error);
	if (record->head.fault)
		fprintf(out, ", fault: %s", vsplit_fault_name(record->head.fault));
	putc('\n', out);
	for (i = 0; i < record->head.num_events; i++)
		put_event(out, record, &record->events[i]);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(made);
		return -ENOMEM;
	}
	*text = made;
	return 0;
}
