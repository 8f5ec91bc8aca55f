// SPDX-License-Identifier: MIT
/* Records of submissions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int read_into(struct vsplit_context *ctx, uint64_t id, struct vsplit_record *record,
		     uint32_t events, uint32_t rows)
{
	record->head = (struct drm_vsplit_record){
		.ctx = ctx->id,
		.submission = id,
		.events = (uintptr_t)record->events,
		.rows = (uintptr_t)record->rows,
		.num_events = events,
		.num_rows = rows,
	};
	return vsplit__ioctl(ctx->dev, DRM_IOCTL_VSPLIT_RECORD, &record->head);
}

/*
 * Compute the resource table at the end of each portion. Return the number of rows that are bound
 * in all these tables together. If @rows is not NULL, store the rows, and let the events refer to
 * them.
 */
static uint64_t fold(struct vsplit_record *record, uint32_t *table, uint32_t slots,
		     struct drm_vsplit_row *rows)
{
	uint64_t nr = 0;
	uint32_t i, j;

	memset(table, 0, slots * sizeof(*table));
	for (i = 0; i < record->head.num_events; i++) {
		struct drm_vsplit_event *e = &record->events[i];
		uint64_t first = nr;

		if (e->type != VSPLIT_EVENT_PORTION)
			continue;
		for (j = 0; j < e->row_count && e->row_first + j < record->head.num_rows; j++) {
			const struct drm_vsplit_row *row = &record->rows[e->row_first + j];

			table[row->slot] = row->handle ? e->row_first + j + 1 : 0;
		}
		for (j = 0; j < slots; j++) {
			if (!table[j])
				continue;
			if (rows)
				rows[nr] = record->rows[table[j] - 1];
			nr++;
		}
		if (rows) {
			e->row_first = first;
			e->row_count = nr - first;
		}
	}
	return nr;
}

/* Replace the rows that took effect in each portion by the table at the end of the portion. */
static int make_tables(struct vsplit_record *record)
{
	uint32_t slots = 0, *table, i;
	struct drm_vsplit_row *rows;
	uint64_t nr;

	for (i = 0; i < record->head.num_rows; i++)
		if (record->rows[i].slot >= slots)
			slots = record->rows[i].slot + 1;
	table = calloc(slots ? slots : 1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	nr = fold(record, table, slots, NULL);
	rows = nr > UINT32_MAX ? NULL : calloc(nr ? nr : 1, sizeof(*rows));
	if (rows) {
		fold(record, table, slots, rows);
		free(record->rows);
		record->rows = rows;
		record->head.num_rows = nr;
	}
	free(table);
	return rows ? 0 : -ENOMEM;
}

int vsplit_record_read(struct vsplit_context *ctx, uint64_t id, struct vsplit_record **out)
{
	uint32_t events = 0, rows = 0;
	struct vsplit_record *record;
	int ret;

	if (!out)
		return -EINVAL;
	record = calloc(1, sizeof(*record));
	if (!record)
		return -ENOMEM;
	/* A record may grow while it is read, so read again until it fits. */
	for (;;) {
		ret = read_into(ctx, id, record, events, rows);
		if (ret)
			goto err_free;
		if (record->head.num_events <= events && record->head.num_rows <= rows)
			break;
		events = record->head.num_events;
		rows = record->head.num_rows;
		free(record->events);
		free(record->rows);
		record->events = calloc(events ? events : 1, sizeof(*record->events));
		record->rows = calloc(rows ? rows : 1, sizeof(*record->rows));
		ret = -ENOMEM;
		if (!record->events || !record->rows)
			goto err_free;
	}
	/* Clear the addresses, which were for the kernel only. */
	record->head.events = 0;
	record->head.rows = 0;
	ret = make_tables(record);
	if (ret)
		goto err_free;
	*out = record;
	return 0;

err_free:
	vsplit_record_free(record);
	return ret;
}

void vsplit_record_free(struct vsplit_record *record)
{
	if (!record)
		return;
	free(record->events);
	free(record->rows);
	free(record);
}
