// SPDX-License-Identifier: MIT
/* vsplit-info: adapters, their segments, caps and statistics. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common.h"

#define FIRST_MINOR	128
#define LAST_MINOR	191

static const char usage[] =
	"Usage: vsplit-info [--device WHICH]\n"
	"Show vsplit's adapters: caps, limits, segments and statistics.\n"
	"\n"
	"      --device WHICH  only this one: its name or the path of a node\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: 0 shown; 1 there is none; 2 bad arguments, or not written.\n";

/* The last part of what a link of the node's device in sysfs points to. */
static const char *device_link(char *target, size_t size, const struct stat *node,
			       const char *link)
{
	char path[80];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device%s", major(node->st_rdev),
		 minor(node->st_rdev), link);
	n = readlink(path, target, size - 1);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	return strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
}

static void show_bus(const char *path)
{
	char bus[128], name[128];
	const char *b, *n;
	struct stat node;

	if (stat(path, &node))
		return;
	b = device_link(bus, sizeof(bus), &node, "/subsystem");
	n = device_link(name, sizeof(name), &node, "");
	if (b && n)
		printf("  bus         %s, %s\n", b, n);
}

static void show_caps(uint32_t caps)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ VSPLIT_CAP_SAVE_RESTORE, "save/restore" },
		{ VSPLIT_CAP_PAGING_ENGINE, "paging engine" },
		{ VSPLIT_CAP_LENIENT, "lenient" },
		{ VSPLIT_CAP_MODEL_CLOCK, "model clock" },
		{ VSPLIT_CAP_TEST, "test mode" },
		{ VSPLIT_CAP_LEAK_DETECTION, "leak detection" },
	};
	bool any = false;
	size_t i;

	printf("  caps        ");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(caps & names[i].bit))
			continue;
		printf("%s%s", any ? ", " : "", names[i].name);
		any = true;
		caps &= ~names[i].bit;
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

static void show(struct vsplit_device *dev)
{
	const struct drm_vsplit_adapter_info *info = vsplit_device_adapter(dev);

	printf("%s  %s\n", (const char *)info->name, vsplit_device_path(dev));
	show_bus(vsplit_device_path(dev));
	show_caps(info->caps);
	show_limits(info);
	show_segments(dev);
	show_statistics(dev);
}

static int show_all(void)
{
	unsigned int minor, shown = 0;
	bool denied = false;

	for (minor = FIRST_MINOR; minor <= LAST_MINOR; minor++) {
		struct vsplit_device *dev;
		char path[40];
		int ret;

		snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
		ret = vsplit_device_open_path(path, &dev);
		if (ret == -EACCES || ret == -EPERM)
			denied = true;
		if (ret)
			continue;
		if (shown++)
			putchar('\n');
		show(dev);
		vsplit_device_close(dev);
	}
	if (shown)
		return EXIT_HELD;
	complain(denied ? "there are render nodes that this user cannot open, but no vsplit adapter" :
		 "there is no vsplit adapter: is the module loaded?");
	return EXIT_NOT_HELD;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct vsplit_device *dev;
	const char *which = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			which = optarg;
			break;
		case 'h':
			return print_help(usage);
		default:
			complain("try --help");
			return EXIT_NOT_RUN;
		}
	}
	if (optind < argc) {
		complain("unexpected argument '%s'; try --help", argv[optind]);
		return EXIT_NOT_RUN;
	}
	if (!which)
		return end_output(show_all());
	if (open_adapter(which, &dev))
		return EXIT_NOT_HELD;
	show(dev);
	vsplit_device_close(dev);
	return end_output(EXIT_HELD);
}
