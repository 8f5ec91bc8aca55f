// SPDX-License-Identifier: MIT
/* vsplit-top: shows adapters and their clients repeatedly. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

#define BAR	30
#define MAX_INTERVAL_MS	3600000

static const char usage[] =
	"Usage: vsplit-top [OPTION]...\n"
	"Show what vsplit's adapters and their clients do: engines, paging, splits, memory.\n"
	"\n"
	"      --device WHICH  only this adapter: its name or the path of a node\n"
	"      --interval MS   time between two looks (1000); rates are over this time\n"
	"      --once          two looks, and the end\n"
	"      --json          one JSON object a look, on a line\n"
	"      --version       print the version\n"
	"  -h, --help          this text\n"
	"\n"
	"Examples:\n"
	"  vsplit-top\n"
	"  vsplit-top --once --json | python3 -m json.tool\n"
	"\n"
	"Exit status: 0 shown; 1 there is no adapter; 2 bad arguments, or not written.\n";

struct options {
	const char *device;
	uint64_t interval_ms;
	bool once;
	bool json;
};

/* The state of all adapters at one time. */
struct look {
	uint64_t ns;
	struct clients clients;
	struct drm_vsplit_statistics statistics[MAX_ADAPTERS];
	bool gone[MAX_ADAPTERS];
};

struct top {
	const struct options *options;
	struct vsplit_device *devs[MAX_ADAPTERS];
	char keys[MAX_ADAPTERS][160];
	uint32_t count;
	struct look before;
	struct look now;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int look(struct top *t)
{
	uint32_t i;
	int ret;

	clients_free(&t->before.clients);
	t->before = t->now;
	ret = clients_read("/proc", &t->now.clients);
	if (ret) {
		complain("/proc: %s", strerror(-ret));
		return ret;
	}
	for (i = 0; i < t->count; i++)
		t->now.gone[i] = vsplit_device_statistics(t->devs[i], &t->now.statistics[i]) != 0;
	t->now.ns = now_ns();
	return 0;
}

static double seconds(const struct top *t)
{
	return (double)(t->now.ns - t->before.ns) * 1e-9;
}

/* Engine time that @c used since the previous look; 0 if the client is new. */
static uint64_t busy_ns(const struct top *t, const struct client *c)
{
	const struct client *b = client_find(&t->before.clients, c);

	return b && c->busy_ns > b->busy_ns ? c->busy_ns - b->busy_ns : 0;
}

static bool is_of(const struct top *t, const struct client *c, uint32_t adapter)
{
	return !strcmp(c->adapter, t->keys[adapter]);
}

static uint64_t since(const struct top *t, uint32_t adapter, uint32_t statistic)
{
	uint64_t now = statistic_of(&t->now.statistics[adapter], statistic);
	uint64_t before = statistic_of(&t->before.statistics[adapter], statistic);

	return now > before ? now - before : 0;
}

/* ---- for a person ------------------------------------------------------ */

static double rate(const struct top *t, uint32_t adapter, const char *name)
{
	uint32_t i;

	for (i = 0; i < num_statistics; i++) {
		if (!strcmp(statistics[i].name, name))
			return (double)since(t, adapter, i) / seconds(t);
	}
	return 0;
}

static void put_segments(const struct top *t, uint32_t adapter)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	uint32_t count = VSPLIT_MAX_SEGMENTS, i, j;
	char size[SIZE_TEXT], resident[SIZE_TEXT];

	if (vsplit_device_segments(t->devs[adapter], info, &count))
		return;
	for (i = 0; i < count && i < VSPLIT_MAX_SEGMENTS; i++) {
		uint32_t full = info[i].size ? (uint32_t)((double)info[i].resident * BAR /
							  (double)info[i].size + .5) : 0;

		printf("  %-12.32s [", (const char *)info[i].name);
		for (j = 0; j < BAR; j++)
			putchar(j < full ? '#' : '.');
		printf("] %s of %s\n", format_about(resident, info[i].resident),
		       format_size(size, info[i].size));
	}
}

static void put_clients(const struct top *t, uint32_t adapter)
{
	bool any = false;
	uint32_t i, j;

	for (i = 0; i < t->now.clients.count; i++) {
		const struct client *c = &t->now.clients.list[i];
		char size[SIZE_TEXT];

		if (!is_of(t, c, adapter))
			continue;
		if (!any)
			printf("  %6s  %-16s %6s %6s %10s  memory\n", "pid", "command", "client",
			       "busy", "unfinished");
		any = true;
		printf("  %6d  %-16s %6" PRIu64 " %5.1f%% %10" PRIu64 " ", c->pid, c->command, c->id,
		       (double)busy_ns(t, c) * 1e-7 / seconds(t), c->unfinished);
		for (j = 0; j < c->num_regions; j++) {
			if (c->regions[j].resident)
				printf(" %s %s", c->regions[j].name,
				       format_about(size, c->regions[j].resident));
		}
		putchar('\n');
	}
	if (!any)
		printf("  no clients\n");
}

static void put_adapter(const struct top *t, uint32_t adapter)
{
	const struct drm_vsplit_adapter_info *info = vsplit_device_adapter(t->devs[adapter]);
	char in[SIZE_TEXT], out[SIZE_TEXT], moved[SIZE_TEXT];
	uint64_t busy = 0;
	uint32_t i;

	printf("%s  %s\n", (const char *)info->name, vsplit_device_path(t->devs[adapter]));
	if (t->now.gone[adapter]) {
		printf("  the adapter is gone\n");
		return;
	}
	for (i = 0; i < t->now.clients.count; i++)
		busy += is_of(t, &t->now.clients.list[i], adapter) ?
			busy_ns(t, &t->now.clients.list[i]) : 0;
	printf("  engines      %.1f%% of %u busy; %.1f submissions/s, %.1f portions/s, %.1f splits/s\n",
	       (double)busy * 1e-7 / seconds(t) / (info->num_engines ? info->num_engines : 1),
	       info->num_engines, rate(t, adapter, "submissions"), rate(t, adapter, "portions"),
	       rate(t, adapter, "splits"));
	printf("  paging       in %s/s, out %s/s, moved %s/s; faults %" PRIu64 ", hangs %" PRIu64 "\n",
	       format_about(in, (uint64_t)rate(t, adapter, "paged_in_bytes")),
	       format_about(out, (uint64_t)rate(t, adapter, "evicted_bytes")),
	       format_about(moved, (uint64_t)rate(t, adapter, "moved_bytes")),
	       (uint64_t)t->now.statistics[adapter].faults,
	       (uint64_t)t->now.statistics[adapter].hangs);
	put_segments(t, adapter);
	put_clients(t, adapter);
}

static void put_text(const struct top *t)
{
	uint32_t i;

	if (isatty(STDOUT_FILENO) && !t->options->once)
		fputs("\033[H\033[J", stdout);
	for (i = 0; i < t->count; i++) {
		if (i)
			putchar('\n');
		put_adapter(t, i);
	}
}

/* ---- JSON -------------------------------------------------------------- */

static void put_json(const struct top *t)
{
	uint32_t i, j;

	printf("{\"format\":\"vsplit-top\",\"version\":1,\"time_ns\":%" PRIu64 ",\"interval_ns\":%"
	       PRIu64 ",\"adapters\":[", t->now.ns, t->now.ns - t->before.ns);
	for (i = 0; i < t->count; i++) {
		const struct drm_vsplit_adapter_info *info = vsplit_device_adapter(t->devs[i]);
		bool any = false;

		printf("%s{\"name\":", i ? "," : "");
		put_json_string(stdout, (const char *)info->name);
		fputs(",\"path\":", stdout);
		put_json_string(stdout, vsplit_device_path(t->devs[i]));
		printf(",\"gone\":%s,\"engines\":%u", t->now.gone[i] ? "true" : "false",
		       info->num_engines);
		put_json_segments(stdout, t->devs[i]);
		fputs(",\"statistics\":{", stdout);
		for (j = 0; j < num_statistics; j++)
			printf("%s\"%s\":%" PRIu64, j ? "," : "", statistics[j].name,
			       statistic_of(&t->now.statistics[i], j));
		fputs("},\"since\":{", stdout);
		for (j = 0; j < num_statistics; j++)
			printf("%s\"%s\":%" PRIu64, j ? "," : "", statistics[j].name,
			       since(t, i, j));
		fputs("},\"clients\":[", stdout);
		for (j = 0; j < t->now.clients.count; j++) {
			if (!is_of(t, &t->now.clients.list[j], i))
				continue;
			if (any)
				putchar(',');
			put_json_client(stdout, &t->now.clients.list[j]);
			any = true;
		}
		fputs("]}", stdout);
	}
	puts("]}");
}

/* ---- all of it --------------------------------------------------------- */

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "interval", required_argument, NULL, 'i' },
		{ "once", no_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		LAST_OPTIONS
	};
	int c;

	while ((c = next_option(argc, argv, "h", longs, usage)) != -1) {
		switch (c) {
		case 'd':
			o->device = optarg;
			break;
		case 'i':
			if (parse_number(optarg, &o->interval_ms) && o->interval_ms &&
			    o->interval_ms <= MAX_INTERVAL_MS)
				break;
			complain("--interval: '%s' is no number from 1 to %d", optarg,
				 MAX_INTERVAL_MS);
			return false;
		case 'o':
			o->once = true;
			break;
		case 'j':
			o->json = true;
			break;
		default:
			return false;
		}
	}
	if (optind == argc)
		return true;
	complain("unexpected argument '%s'", argv[optind]);
	return false;
}

static int run(struct top *t)
{
	const struct timespec pause = {
		.tv_sec = (time_t)(t->options->interval_ms / 1000),
		.tv_nsec = (long)(t->options->interval_ms % 1000) * 1000000,
	};

	if (look(t))
		return EXIT_NOT_RUN;
	do {
		nanosleep(&pause, NULL);
		if (look(t))
			return EXIT_NOT_RUN;
		if (t->options->json)
			put_json(t);
		else
			put_text(t);
	} while (!fflush(stdout) && !t->options->once);
	return EXIT_HELD;
}

int main(int argc, char **argv)
{
	struct options options = { .interval_ms = 1000 };
	static struct top top;
	uint32_t i;
	int ret;

	if (!parse_options(argc, argv, &options)) {
		complain("try --help");
		return EXIT_NOT_RUN;
	}
	top.options = &options;
	top.count = adapters_open(options.device, top.devs);
	if (!top.count)
		return EXIT_NOT_HELD;
	for (i = 0; i < top.count; i++)
		adapter_key(vsplit_device_path(top.devs[i]), top.keys[i]);
	ret = run(&top);
	clients_free(&top.before.clients);
	clients_free(&top.now.clients);
	for (i = 0; i < top.count; i++)
		vsplit_device_close(top.devs[i]);
	return end_output(ret);
}
