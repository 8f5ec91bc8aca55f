// SPDX-License-Identifier: MIT
/* Records of submissions. */
#include <errno.h>
#include <stdlib.h>

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
	/* A record may still grow while it is read: until it fits. */
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
	/* The addresses were for the kernel. */
	record->head.events = 0;
	record->head.rows = 0;
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
