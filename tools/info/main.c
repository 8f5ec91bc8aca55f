// SPDX-License-Identifier: MIT
/* vsplit-info: shows adapters, their segments, caps and statistics. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "watch.h"

static const char usage[] =
	"Usage: vsplit-info [OPTION]...\n"
	"Show vsplit's adapters: caps, limits, segments and statistics.\n"
	"\n"
	"      --device WHICH  only this one: its name or the path of a node\n"
	"      --clients       and the clients of each: open files, with what they use\n"
	"      --json          as one JSON object, with the clients\n"
	"      --version       print the version\n"
	"  -h, --help          this text\n"
	"\n"
	"Examples:\n"
	"  vsplit-info --device vsplit0 --clients\n"
	"  vsplit-info --json | python3 -m json.tool\n"
	"\n"
	"Exit status: 0 shown; 1 there is none; 2 bad arguments, or not written.\n";

static void show_bus(const char *path)
{
	char bus[160];

	if (adapter_bus(path, bus))
		printf("  bus         %s\n", bus);
}

static void show_caps(uint32_t caps)
{
	bool any = false;
	uint32_t bit;

	printf("  caps        ");
	for (bit = 1; bit; bit <<= 1) {
		const char *name = caps & bit ? cap_name(bit) : NULL;

		if (!name)
			continue;
		printf("%s%s", any ? ", " : "", name);
		any = true;
		caps &= ~bit;
	}
	if (caps)
		printf("%s0x%x", any ? ", " : "", caps);
	else if (!any)
		printf("none");
	putchar('\n');
}

static void show_limits(const struct drm_vsplit_adapter_info *info)
{
	char size[SIZE_TEXT];

	printf("  engines     %u\n", info->num_engines);
	printf("  slots       %u\n", info->num_slots);
	printf("  DMA buffer  up to %s of commands, %u allocations, %u patch locations, %u syncobjs\n",
	       format_size(size, info->max_stream_bytes), info->max_allocs, info->max_patches,
	       info->max_syncs);
	printf("  unfinished  up to %u DMA buffers of a client, %s of kernel memory\n",
	       info->max_unfinished, format_size(size, info->max_unfinished_bytes));
	printf("  page        %s\n", format_size(size, info->page_size));
	printf("  timeout     %u ms\n", info->timeout_ms);
}

static void show_segments(struct vsplit_device *dev)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	uint32_t count = VSPLIT_MAX_SEGMENTS, i;
	int ret = vsplit_device_segments(dev, info, &count);

	if (ret) {
		printf("  segments    %s\n", strerror(-ret));
		return;
	}
	printf("  %-10s  %2s  %-12s  %-8s %8s  %8s  %8s  %6s  %8s  %-14s  %s\n", "segments", "id",
	       "name", "kind", "size", "commit", "CPU sees", "ranges", "resident", "base",
	       "CPU aperture");
	for (i = 0; i < count && i < VSPLIT_MAX_SEGMENTS; i++) {
		const struct drm_vsplit_segment_info *s = &info[i];
		char size[SIZE_TEXT], commit[SIZE_TEXT], cpu[SIZE_TEXT], resident[SIZE_TEXT];
		char bus[20] = "-";

		if (s->cpu_address)
			snprintf(bus, sizeof(bus), "0x%" PRIx64, (uint64_t)s->cpu_address);
		printf("  %-10s  %2u  %-12.32s  %-8s %8s  %8s  %8s  %6u  %8s  0x%-12" PRIx64 "  %s\n",
		       "", s->id, (const char *)s->name,
		       s->flags & VSPLIT_SEGMENT_APERTURE ? "aperture" : "memory",
		       format_size(size, s->size), format_size(commit, s->commit_limit),
		       !(s->flags & VSPLIT_SEGMENT_CPU_VISIBLE) ? "none" :
		       format_size(cpu, s->cpu_visible_size), s->swizzling_ranges,
		       format_size(resident, s->resident),
		       (uint64_t)s->base_address, bus);
	}
}

static void show_statistics(struct vsplit_device *dev)
{
	struct drm_vsplit_statistics s;
	char one[SIZE_TEXT], two[SIZE_TEXT];
	int ret = vsplit_device_statistics(dev, &s);

	if (ret) {
		printf("  statistics  %s\n", strerror(-ret));
		return;
	}
	printf("  statistics  %" PRIu64 " submissions, %" PRIu64 " portions, %" PRIu64 " splits\n",
	       (uint64_t)s.submissions, (uint64_t)s.portions, (uint64_t)s.splits);
	printf("              paged in %s (%s transferred)\n", format_about(one, s.paged_in_bytes),
	       format_about(two, s.paged_in_copied_bytes));
	printf("              evicted %s (%s transferred)\n", format_about(one, s.evicted_bytes),
	       format_about(two, s.evicted_copied_bytes));
	printf("              moved %s\n", format_about(one, s.moved_bytes));
	printf("              %" PRIu64 " swizzling ranges acquired, %" PRIu64 " released\n",
	       (uint64_t)s.ranges_acquired, (uint64_t)s.ranges_released);
	printf("              %" PRIu64 " faults, %" PRIu64 " stray writes, %" PRIu64 " hangs\n",
	       (uint64_t)s.faults, (uint64_t)s.stray_writes, (uint64_t)s.hangs);
}

static void show_clients(const char *path, const struct clients *clients)
{
	char key[160], size[SIZE_TEXT];
	bool any = false;
	uint32_t i, j;

	adapter_key(path, key);
	for (i = 0; i < clients->count; i++) {
		const struct client *c = &clients->list[i];

		if (strcmp(c->adapter, key))
			continue;
		printf("  %-10s  %" PRIu64 ": %s (%d), engines %.3f s, %" PRIu64 " unfinished\n",
		       any ? "" : "clients", c->id, c->command, c->pid, (double)c->busy_ns * 1e-9,
		       c->unfinished);
		any = true;
		for (j = 0; j < c->num_regions; j++) {
			const struct region *r = &c->regions[j];

			if (!r->total)
				continue;
			printf("  %-10s    %s: %s", "", r->name, format_size(size, r->total));
			printf(", %s shared", format_size(size, r->shared));
			printf(", %s in use\n", format_size(size, r->active));
		}
	}
	if (!any)
		printf("  clients     none that this user may look at\n");
}

static void show(struct vsplit_device *dev, const struct clients *clients)
{
	const struct drm_vsplit_adapter_info *info = vsplit_device_adapter(dev);

	printf("%s  %s\n", (const char *)info->name, vsplit_device_path(dev));
	show_bus(vsplit_device_path(dev));
	show_caps(info->caps);
	show_limits(info);
	show_segments(dev);
	show_statistics(dev);
	if (clients)
		show_clients(vsplit_device_path(dev), clients);
}

/* ---- JSON -------------------------------------------------------------- */

static void put_adapter(struct vsplit_device *dev, const struct clients *clients)
{
	const struct drm_vsplit_adapter_info *info = vsplit_device_adapter(dev);
	struct drm_vsplit_statistics stats = { 0 };
	char text[160];
	bool any = false;
	uint32_t bit, i;

	fputs("{\"name\":", stdout);
	put_json_string(stdout, (const char *)info->name);
	fputs(",\"path\":", stdout);
	put_json_string(stdout, vsplit_device_path(dev));
	fputs(",\"bus\":", stdout);
	put_json_string(stdout, adapter_bus(vsplit_device_path(dev), text) ? text : "");
	fputs(",\"caps\":[", stdout);
	for (bit = 1; bit; bit <<= 1) {
		if (!(info->caps & bit))
			continue;
		snprintf(text, sizeof(text), "0x%x", bit);
		fputs(any ? "," : "", stdout);
		put_json_string(stdout, cap_name(bit) ? cap_name(bit) : text);
		any = true;
	}
	printf("],\"engines\":%u,\"slots\":%u,\"max_stream_bytes\":%u,\"max_allocs\":%u,"
	       "\"max_patches\":%u,\"max_syncs\":%u,\"max_unfinished\":%u,"
	       "\"max_unfinished_bytes\":%" PRIu64 ",\"page_size\":%u,\"timeout_ms\":%u",
	       info->num_engines, info->num_slots, info->max_stream_bytes, info->max_allocs,
	       info->max_patches, info->max_syncs, info->max_unfinished,
	       (uint64_t)info->max_unfinished_bytes, info->page_size, info->timeout_ms);
	put_json_segments(stdout, dev);
	fputs(",\"statistics\":{", stdout);
	vsplit_device_statistics(dev, &stats);
	for (i = 0; i < num_statistics; i++)
		printf("%s\"%s\":%" PRIu64, i ? "," : "", statistics[i].name,
		       statistic_of(&stats, i));
	fputs("},\"clients\":[", stdout);
	adapter_key(vsplit_device_path(dev), text);
	any = false;
	for (i = 0; i < clients->count; i++) {
		if (strcmp(clients->list[i].adapter, text))
			continue;
		fputs(any ? "," : "", stdout);
		put_json_client(stdout, &clients->list[i]);
		any = true;
	}
	fputs("]}", stdout);
}

static void put_json(struct vsplit_device **devs, uint32_t count, const struct clients *clients)
{
	uint32_t i;

	fputs("{\"format\":\"vsplit-info\",\"version\":1,\"adapters\":[", stdout);
	for (i = 0; i < count; i++) {
		fputs(i ? "," : "", stdout);
		put_adapter(devs[i], clients);
	}
	puts("]}");
}

/* ---- all of it --------------------------------------------------------- */

static void show_all(struct vsplit_device **devs, uint32_t count, const struct clients *clients)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		show(devs[i], clients);
	}
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "clients", no_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		LAST_OPTIONS
	};
	struct vsplit_device *devs[MAX_ADAPTERS];
	bool json = false, with_clients = false;
	struct clients clients = { 0 };
	const char *which = NULL;
	uint32_t count, i;
	int c, ret;

	while ((c = next_option(argc, argv, "h", longs, usage)) != -1) {
		switch (c) {
		case 'd':
			which = optarg;
			break;
		case 'c':
			with_clients = true;
			break;
		case 'j':
			json = true;
			break;
		default:
			complain("try --help");
			return EXIT_NOT_RUN;
		}
	}
	if (optind < argc) {
		complain("unexpected argument '%s'; try --help", argv[optind]);
		return EXIT_NOT_RUN;
	}
	count = adapters_open(which, devs);
	if (!count)
		return EXIT_NOT_HELD;
	ret = json || with_clients ? clients_read("/proc", &clients) : 0;
	if (ret)
		complain("/proc: %s", strerror(-ret));
	else if (json)
		put_json(devs, count, &clients);
	else
		show_all(devs, count, with_clients ? &clients : NULL);
	clients_free(&clients);
	for (i = 0; i < count; i++)
		vsplit_device_close(devs[i]);
	return end_output(ret ? EXIT_NOT_RUN : EXIT_HELD);
}
