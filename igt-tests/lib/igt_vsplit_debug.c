// SPDX-License-Identifier: MIT
/*
 * Fault injection, interruptions, synchronisation points, counters of live
 * objects, and figures.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/syscall.h>

#define FAULT "/sys/kernel/debug/vsplit/fault/"

static const char *const inject_files[] = {
	[VSPLIT_INJECT_SITE] = FAULT "nth",
	[VSPLIT_INJECT_WAIT] = FAULT "interrupt",
	[VSPLIT_INJECT_KERNEL] = "/proc/thread-self/fail-nth",
};

bool vsplit_inject_there(enum vsplit_inject kind)
{
	return access(inject_files[kind], R_OK | W_OK) == 0 &&
	       (kind != VSPLIT_INJECT_KERNEL ||
		access("/sys/kernel/debug/failslab/require-start", W_OK) == 0);
}

static void set(const char *directory, const char *file, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", directory, file);
	igt_assert_f(!__vsplit_write_file(path, value), "%s: no %s\n", path, value);
}

static void set_address(const char *directory, const char *file, unsigned long address)
{
	char value[32];

	snprintf(value, sizeof(value), "%#lx", address);
	set(directory, file, value);
}

/* The address of the driver's text, and the length of the module. */
static void module_range(unsigned long *start, unsigned long *end)
{
	unsigned long size = 0;
	char line[256], text[64];
	FILE *f = fopen("/proc/modules", "r");

	igt_assert(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "vsplit %lu", &size) == 1)
			break;
	fclose(f);
	igt_assert(size);
	igt_assert(!__vsplit_read_file("/sys/module/vsplit/sections/.text", text, sizeof(text)));
	*start = strtoul(text, NULL, 0);
	*end = *start + size;
}

/* The address of a function, and of the next symbol. */
static void symbol_range(const char *name, unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], symbol[256];
	unsigned long at;

	*start = 0;
	*end = 0;
	igt_assert(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %*c %255s", &at, symbol) != 2)
			continue;
		if (!strcmp(symbol, name))
			*start = at;
	}
	rewind(f);
	while (*start && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %*c %255s", &at, symbol) != 2)
			continue;
		if (at > *start && (!*end || at < *end))
			*end = at;
	}
	fclose(f);
}

static void kernel_setup(void)
{
	static const char *const attrs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	unsigned long start, end, skip_start, skip_end;
	static bool done;

	if (done)
		return;
	module_range(&start, &end);
	/* DRM's own error path crashes there if it has no memory for the minor. */
	symbol_range("drm_minor_alloc", &skip_start, &skip_end);
	for (unsigned int i = 0; i < ARRAY_SIZE(attrs); i++) {
		set(attrs[i], "verbose", "0");
		set(attrs[i], "stacktrace-depth", "32");
		set_address(attrs[i], "require-start", start);
		set_address(attrs[i], "require-end", end);
		set_address(attrs[i], "reject-start", skip_start);
		set_address(attrs[i], "reject-end", skip_end);
	}
	set("failslab", "ignore-gfp-wait", "N");
	set("fail_page_alloc", "ignore-gfp-wait", "N");
	set("fail_page_alloc", "ignore-gfp-highmem", "N");
	set("fail_page_alloc", "min-order", "0");
	done = true;
}

void vsplit_inject_require(enum vsplit_inject kind)
{
	igt_require_f(vsplit_inject_there(kind), "no %s\n", inject_files[kind]);
	if (kind == VSPLIT_INJECT_KERNEL)
		kernel_setup();
}

void vsplit_inject_arm(enum vsplit_inject kind, unsigned int n)
{
	char value[16];

	snprintf(value, sizeof(value), "%u", n);
	igt_assert_eq(__vsplit_write_file(inject_files[kind], value), 0);
}

/* Parse the driver's table: one line for each armed task: pid, passes left, site. */
static bool site_result(enum vsplit_inject kind, char *site)
{
	pid_t self = syscall(SYS_gettid);
	char text[4096], *line, *save;

	igt_assert_eq(__vsplit_read_file(inject_files[kind], text, sizeof(text)), 0);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned int left;
		char name[64];
		int pid;

		if (sscanf(line, "%d %u %63s", &pid, &left, name) != 3 || pid != self)
			continue;
		if (site)
			strcpy(site, name);
		return strcmp(name, "-") != 0;
	}
	igt_assert_f(false, "this task is not in %s\n", inject_files[kind]);
	return false;
}

static bool kernel_result(char *site)
{
	char text[32];

	/* Reading the file passes no site of the driver. */
	igt_assert_eq(__vsplit_read_file(inject_files[VSPLIT_INJECT_KERNEL], text, sizeof(text)), 0);
	if (site)
		strcpy(site, "kernel");
	return strtoul(text, NULL, 0) == 0;
}

bool vsplit_inject_disarm(enum vsplit_inject kind, char *site)
{
	bool fired = kind == VSPLIT_INJECT_KERNEL ? kernel_result(site) : site_result(kind, site);

	igt_assert_eq(__vsplit_write_file(inject_files[kind], "0"), 0);
	return fired;
}

/* ---- synchronisation points --------------------------------------------- */

void vsplit_require_sync_points(void)
{
	igt_require_f(access(FAULT "sync", R_OK | W_OK) == 0, "the module is no test build\n");
}

static void sync_write(const char *verb, const char *point)
{
	char text[96];

	snprintf(text, sizeof(text), "%s %s", verb, point);
	igt_assert_eq(__vsplit_write_file(FAULT "sync", text), 0);
}

void vsplit_hold(const char *point)
{
	sync_write("hold", point);
}

void vsplit_catch(const char *point)
{
	sync_write("catch", point);
}

void vsplit_release(const char *point)
{
	sync_write("release", point);
}

uint64_t vsplit_site_passes(const char *site)
{
	static char text[65536];
	uint64_t passes = 0;
	char *line, *save;

	igt_assert_eq(__vsplit_read_file(FAULT "sites", text, sizeof(text)), 0);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		long long hits, failures;
		char name[64];

		if (sscanf(line, "%lld %lld %63s", &hits, &failures, name) == 3 &&
		    !strcmp(name, site))
			passes += hits;
	}
	return passes;
}

/* Is a task held there now? @passes: how often the point was passed. */
static bool point_state(const char *point, uint64_t *passes)
{
	char text[4096], *line, *save;
	bool is_held = false;

	*passes = 0;
	igt_assert_eq(__vsplit_read_file(FAULT "sync", text, sizeof(text)), 0);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char held[8], name[64];
		long long hits;
		int waiting;

		if (sscanf(line, "%lld %d %7s %63s", &hits, &waiting, held, name) != 4 ||
		    strcmp(name, point))
			continue;
		*passes += hits;
		is_held |= waiting > 0;
	}
	return is_held;
}

uint64_t vsplit_point_passes(const char *point)
{
	uint64_t passes;

	point_state(point, &passes);
	return passes;
}

bool vsplit_held(const char *point)
{
	uint64_t passes;

	return point_state(point, &passes);
}

bool vsplit_wait_held(const char *point)
{
	return vsplit_soon(vsplit_held(point));
}

/* ---- counters ----------------------------------------------------------- */

bool vsplit_counters(const struct vsplit_adapter *ad, struct vsplit_counters *counters)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/counters", ad->primary);
	if (__vsplit_read_file(path, text, sizeof(text)))
		return false;
	igt_assert_eq(sscanf(text, "files %d bos %d queues %d jobs %d records %d",
			     &counters->files, &counters->bos, &counters->queues, &counters->jobs,
			     &counters->records), 5);
	return true;
}

static bool counters_are(const struct vsplit_adapter *ad, const struct vsplit_counters *want,
			 bool records, struct vsplit_counters *now)
{
	if (!vsplit_counters(ad, now))
		return true;
	if (!records)
		now->records = want->records;
	return !memcmp(now, want, sizeof(*now));
}

static void counters_wait(const struct vsplit_adapter *ad, const struct vsplit_counters *want,
			  bool records)
{
	struct vsplit_counters now = {};

	igt_assert_f(vsplit_soon(counters_are(ad, want, records, &now)),
		     "files %d, should be %d; bos %d, %d; queues %d, %d; jobs %d, %d; records %d, %d\n",
		     now.files, want->files, now.bos, want->bos, now.queues, want->queues,
		     now.jobs, want->jobs, now.records, want->records);
}

void vsplit_counters_become(const struct vsplit_adapter *ad, const struct vsplit_counters *want)
{
	counters_wait(ad, want, true);
}

void vsplit_counters_idle(const struct vsplit_adapter *ad, const struct vsplit_counters *before)
{
	struct vsplit_counters want = *before;

	want.jobs = 0;
	counters_wait(ad, &want, false);
}

/* ---- figures ------------------------------------------------------------ */

int vsplit_module_references(void)
{
	char text[32];

	igt_assert_eq(__vsplit_read_file("/sys/module/vsplit/refcnt", text, sizeof(text)), 0);
	return atoi(text);
}

int vsplit_module_load(const char *params)
{
	int ret, file = open(getenv("VSPLIT_KO"), O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return -errno;
	ret = syscall(SYS_finit_module, file, params, 0) ? -errno : 0;
	close(file);
	return ret;
}

int vsplit_module_unload(void)
{
	return syscall(SYS_delete_module, "vsplit", O_NONBLOCK) ? -errno : 0;
}

int vsplit_module_unload_soon(void)
{
	int ret = 0;

	vsplit_soon((ret = vsplit_module_unload()) != -EAGAIN && ret != -EBUSY);
	return ret;
}

uint64_t vsplit_adapter_stat(const struct vsplit_adapter *ad, const char *name)
{
	char path[64], text[2048], key[32];
	uint64_t value = 0;
	char *line;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/stats", ad->primary);
	igt_assert_eq(__vsplit_read_file(path, text, sizeof(text)), 0);
	snprintf(key, sizeof(key), "\n%s ", name);
	line = strstr(text, key);
	igt_assert(line && sscanf(line + strlen(key), "%" SCNu64, &value) == 1);
	return value;
}

bool vsplit_nightly(void)
{
	return getenv("VSPLIT_NIGHTLY") != NULL;
}

unsigned int vsplit_rounds(unsigned int few, unsigned int many)
{
	const char *part = getenv("VSPLIT_NIGHTLY");
	unsigned int n;

	if (!part)
		return few;
	n = atoi(part) > 1 ? many / atoi(part) : many;
	return n > few ? n : few;
}

void vsplit_figure(const char *row, const char *name, uint64_t value)
{
	const char *path = getenv("VSPLIT_LEDGER");
	FILE *f;

	igt_info("%s: %" PRIu64 " %s\n", row, value, name);
	if (!path)
		return;
	f = fopen(path, "a");
	igt_assert_f(f, "%s\n", path);
	fprintf(f, "%s\t%s\t%" PRIu64 "\n", row, name, value);
	fclose(f);
}
