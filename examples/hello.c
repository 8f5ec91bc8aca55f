// SPDX-License-Identifier: MIT
/*
 * The smallest program worth reading. One DMA buffer fills four allocations, each as large as half
 * of the video memory. Then the record shows what the driver made of the buffer.
 *
 *	cc -o hello hello.c $(pkg-config --cflags --libs libdrm_vsplit)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vsplit.h"

#define COUNT	4

static void check(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "hello: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

static void print_record(const struct vsplit_record *record)
{
	uint32_t i;

	for (i = 0; i < record->head.num_events; i++) {
		const struct drm_vsplit_event *e = &record->events[i];

		printf("portion %u  %-8s", e->portion, vsplit_event_name(e->type));
		if (e->type == VSPLIT_EVENT_PORTION)
			printf("bytes %u to %u of the stream\n", e->begin, e->end);
		else
			printf("allocation %u, %" PRIu64 " KiB at %" PRIu64 " KiB\n", e->handle,
			       (uint64_t)e->bytes >> 10, (uint64_t)e->at >> 10);
	}
}

int main(int argc, char **argv)
{
	struct drm_vsplit_segment_info segments[VSPLIT_MAX_SEGMENTS];
	uint32_t count = VSPLIT_MAX_SEGMENTS, i;
	struct drm_vsplit_gem_create params = { .num_segments = 1 };
	struct vsplit_submission submission;
	struct vsplit_record *record;
	struct vsplit_context *ctx;
	struct vsplit_stream *stream;
	struct vsplit_device *dev;
	struct vsplit_bo *bo[COUNT];
	const uint8_t *bytes;
	void *ptr;
	int error, wrong = 0;

	check(vsplit_device_open(argc > 1 ? argv[1] : NULL, &dev), "open");
	check(vsplit_device_segments(dev, segments, &count), "segments");
	check(vsplit_context_create(dev, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &ctx), "context");
	check(vsplit_stream_create(&stream), "stream");

	params.size = segments[0].size / 2;
	params.segments[0] = segments[0].id;	/* in no other segment */
	for (i = 0; i < COUNT; i++) {
		check(vsplit_bo_create_from(dev, &params, &bo[i]), "allocation");
		/* A split point. All use one slot, so the previous allocation may leave here. */
		vsplit_stream_bind(stream, 0, bo[i], 0, VSPLIT_ALLOC_WRITE);
		vsplit_stream_fill(stream, 0, 0, params.size, 0x01010101 * (i + 1));
	}
	check(vsplit_submit(ctx, stream, 0, NULL, 0, &submission), "submit");
	check(vsplit_wait(ctx, submission.id, -1, &error), "wait");
	check(error, "execution");

	printf("%u portions\n", submission.num_portions);
	check(vsplit_record_read(ctx, submission.id, &record), "record");
	print_record(record);

	for (i = 0; i < COUNT; i++) {
		check(vsplit_bo_map(bo[i], &ptr), "map");
		bytes = ptr;
		if (bytes[0] != i + 1 || bytes[params.size - 1] != i + 1) {
			printf("allocation %u is wrong!\n", vsplit_bo_handle(bo[i]));
			wrong = 1;
		}
		vsplit_bo_destroy(bo[i]);
	}
	vsplit_record_free(record);
	vsplit_stream_destroy(stream);
	vsplit_context_destroy(ctx);
	vsplit_device_close(dev);
	return wrong;
}
