// SPDX-License-Identifier: MIT
/*
 * A program that uses twice as much memory as there is video memory, with virtual addresses. A
 * residency manager makes resident what a submission needs; only the lines with "manager" are
 * needed for that.
 *
 *	cc -o manager manager.c $(pkg-config --cflags --libs libdrm_vsplit)
 *
 * The argument is the name of an adapter with "contexts=va". Without an argument, the program makes
 * an adapter of its own with 16 MiB of video memory, which needs root.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vsplit.h"

#define COUNT	16
#define ROUNDS	64
#define BASE	(1ull << 32)

static void check(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "manager: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

static struct vsplit_adapter *own_adapter(void)
{
	const struct vsplit_adapter_options options = {
		.heads = VSPLIT_ADAPTER_NO_HEADS,
		.clock = VSPLIT_ADAPTER_CLOCK_MODEL,
		.paging = VSPLIT_ADAPTER_PAGING_OWN,
		.contexts = 1u << VSPLIT_CTX_MODE_PATCH | 1u << VSPLIT_CTX_MODE_VA,
	};
	const struct vsplit_adapter_segment vram = {
		.name = "vram", .size = 16 << 20, .cpu_visible = VSPLIT_ADAPTER_CPU_ALL,
	};
	struct vsplit_adapter *adapter;

	check(vsplit_adapter_create("manager-example", &adapter), "adapter");
	check(vsplit_adapter_set_options(adapter, &options, sizeof(options)), "options");
	check(vsplit_adapter_add_segment(adapter, &vram), "segment");
	check(vsplit_adapter_enable(adapter), "enabling the adapter");
	return adapter;
}

int main(int argc, char **argv)
{
	struct vsplit_adapter *own = argc > 1 ? NULL : own_adapter();
	struct drm_vsplit_segment_info segments[VSPLIT_MAX_SEGMENTS];
	struct drm_vsplit_gem_create params = { .num_segments = 1 };
	uint32_t count = VSPLIT_MAX_SEGMENTS, i;
	struct vsplit_manager_info info;
	struct vsplit_submission last;
	struct vsplit_manager *manager;
	struct vsplit_context *ctx;
	struct vsplit_stream *stream;
	struct vsplit_device *dev;
	struct vsplit_bo *bo[COUNT];
	const uint8_t *bytes;
	void *map;
	int error, wrong = 0;

	check(own ? vsplit_adapter_open(own, &dev) : vsplit_device_open(argv[1], &dev), "open");
	check(vsplit_device_segments(dev, segments, &count), "segments");
	check(vsplit_context_create_mode(dev, VSPLIT_CTX_MODE_VA, 0, VSPLIT_CTX_PRIORITY_NORMAL,
					 0, &ctx), "context of virtual addresses");
	check(vsplit_stream_create(&stream), "stream");
	check(vsplit_manager_create(dev, &manager), "manager");

	/* Half of the allocations fill the memory. */
	params.size = segments[0].size / (COUNT / 2);
	params.segments[0] = segments[0].id;
	for (i = 0; i < COUNT; i++) {
		check(vsplit_bo_create_from(dev, &params, &bo[i]), "allocation");
		check(vsplit_va_map(dev, bo[i], BASE * (i + 1), params.size, 0, 0), "map");
	}
	for (i = 0; i < ROUNDS; i++) {
		struct vsplit_bo *used[] = { bo[i % COUNT], bo[i * 5 % COUNT] };

		vsplit_stream_reset(stream);
		vsplit_stream_fill_va(stream, BASE * (i % COUNT + 1), params.size,
				      0x01010101 * (i + 1));
		vsplit_stream_copy_va(stream, BASE * (i * 5 % COUNT + 1), BASE * (i % COUNT + 1),
				      params.size);
		check(vsplit_manager_submit(manager, ctx, stream, used, 2, &last), "submit");
	}
	check(vsplit_wait(ctx, last.id, -1, &error), "wait");
	check(error, "execution");

	/* Check the allocation that the last round filled, and the one to which it copied. */
	for (i = 0; i < 2; i++) {
		struct vsplit_bo *b = bo[(ROUNDS - 1) * (i ? 5 : 1) % COUNT];

		check(vsplit_bo_map(b, &map), "map");
		bytes = map;
		if (bytes[0] != ROUNDS || bytes[params.size - 1] != ROUNDS) {
			printf("allocation %u is wrong!\n", vsplit_bo_handle(b));
			wrong = 1;
		}
	}
	vsplit_manager_query(manager, &info);
	printf("%u submissions; %u allocations are resident, %" PRIu64 " KiB were given back\n",
	       ROUNDS, info.members, info.evicted >> 10);
	for (i = 0; i < COUNT; i++)
		vsplit_bo_destroy(bo[i]);
	vsplit_manager_destroy(manager);
	vsplit_stream_destroy(stream);
	vsplit_context_destroy(ctx);
	vsplit_device_close(dev);
	vsplit_adapter_destroy(own);
	return wrong;
}
