// SPDX-License-Identifier: MIT
/*
 * What root does, from a seed: files of debugfs and of the hooks, tracing, adapters in configfs,
 * the bus.
 */
#include "igt.h"
#include "igt_vsplit_fuzz_play.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <linux/perf_event.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define DEBUGFS "/sys/kernel/debug"
#define CONFIGFS "/sys/kernel/config/vsplit"
#define HOOKS DEBUGFS "/vsplit/fault/"
#define TRACING "/sys/kernel/tracing/"

#define PERF_CPUS 4

static uint64_t trace_ids[32];
static unsigned int nr_trace_ids;

/* ---- root's files ------------------------------------------------------- */

static const char *const knobs[] = {
	"take_split_point", "evict_between", "random_placement", "always_repatch",
	"never_prepatch", "delay_paging", "expect_preparation_failure",
	"fail_acquire_swizzling_range", "lose_aperture_maps",
};

int vsplit_fuzz_set_knob(const char *name, const char *value)
{
	__atomic_store_n(&vsplit_fuzz_env.dirty, true, __ATOMIC_RELAXED);
	return __vsplit_adapter_knob(vsplit_fuzz_ad, name, value);
}

int vsplit_fuzz_knob(struct vsplit_rng *rng)
{
	static const char *const values[] = { "0", "1", "2", "50", "1000001", "-1", "x" };

	return vsplit_fuzz_set_knob(knobs[below(rng, ARRAY_SIZE(knobs))],
				    values[below(rng, dice(rng, 4) ? ARRAY_SIZE(values) : 3)]);
}

void vsplit_fuzz_hold(void)
{
	__atomic_store_n(&vsplit_fuzz_env.dirty, true, __ATOMIC_RELAXED);
	__vsplit_write_file(HOOKS "sync", "hold job.release");
}

void vsplit_fuzz_release(void)
{
	__vsplit_write_file(HOOKS "sync", "release job.release");
}

int vsplit_fuzz_read_segments(void)
{
	char path[96];

	snprintf(path, sizeof(path), DEBUGFS "/dri/%d/segments", vsplit_fuzz_ad->primary);
	return vsplit_fuzz_read_all(path);
}

int vsplit_fuzz_debugfs(struct vsplit_rng *rng)
{
	static const char *const names[] = {
		"segments", "queues", "config", "stats", "counters", "gem_names", "clients", "name",
		"delay_paging", "lose_aperture_maps", "take_split_point", "random_placement",
	};
	char path[96];

	if (dice(rng, 8)) {
		static const char *const params[] = {
			"adapters", "vram", "aperture", "segments", "slots", "clock", "paging",
			"victims", "test", "timeout_ms",
		};

		snprintf(path, sizeof(path), "/sys/module/vsplit/parameters/%s",
			 params[below(rng, ARRAY_SIZE(params))]);
	} else {
		snprintf(path, sizeof(path), DEBUGFS "/dri/%d/%s", vsplit_fuzz_ad->primary,
			 names[below(rng, ARRAY_SIZE(names))]);
	}
	return vsplit_fuzz_read_all(path);
}

/* For test builds: write to the hooks, and read them. */
/* The hooks' tables are full for a moment, so no client runs beside this. */
static int all_hooks(void)
{
	char text[80];

	/* Arm a task that is gone when the next one is armed, and a task that does not exist. */
	for (unsigned int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			pause();
			_exit(0);
		}
		snprintf(text, sizeof(text), "%d 100000", pid);
		__vsplit_write_file(HOOKS "nth", text);
		vsplit_fuzz_read_all(HOOKS "nth");
		if (pid < 0)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	__vsplit_write_file(HOOKS "nth", "2147483647 3");
	snprintf(text, sizeof(text), "%d 0", getpid());
	__vsplit_write_file(HOOKS "nth", text);
	__vsplit_write_file(HOOKS "nth", "0");
	for (unsigned int i = 0; i < 17; i++) {
		snprintf(text, sizeof(text), "%s nowhere-%u", i % 2 ? "catch" : "hold", i);
		__vsplit_write_file(HOOKS "sync", text);
	}
	vsplit_fuzz_read_all(HOOKS "sync");
	__vsplit_write_file(HOOKS "sync", "catch a-name-that-is-longer-than-any-name-of-a-point-is");
	__vsplit_write_file(HOOKS "sync", "catch drv.ioctl");
	for (unsigned int i = 0; i < 17; i++) {
		snprintf(text, sizeof(text), "release nowhere-%u", i);
		__vsplit_write_file(HOOKS "sync", text);
	}
	return __vsplit_write_file(HOOKS "sync", "release drv.ioctl");
}

int vsplit_fuzz_hooks(struct vsplit_rng *rng)
{
	static const char *const names[] = { "nth", "interrupt", "sites", "sync" };
	static const char *const texts[] = {
		"0", "3", "-1", "99999999999", "3 x", "hold", "hold nowhere", "release nowhere",
		"hold exec.unplug", "release exec.unplug", "keep x", "",
	};
	char path[64];
	int ret;

	if (dice(rng, 4))
		return all_hooks();
	snprintf(path, sizeof(path), HOOKS "%s", names[below(rng, ARRAY_SIZE(names))]);
	if (dice(rng, 2))
		return vsplit_fuzz_read_all(path);
	ret = __vsplit_write_file(path, texts[below(rng, ARRAY_SIZE(texts))]);
	__vsplit_write_file(HOOKS "nth", "0");
	__vsplit_write_file(HOOKS "interrupt", "0");
	__vsplit_write_file(HOOKS "sync", "release exec.unplug");
	__vsplit_write_file(HOOKS "sync", "release nowhere");
	return ret;
}

/*
 * Switching events patches the kernel's code while other processors may run it, which emulators do
 * not handle well. So it is repeated only on a machine with a single processor.
 */
static bool may_switch(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) == 1;
}

int vsplit_fuzz_trace(struct vsplit_rng *rng)
{
	char text[8192];
	int ret;

	/* Mostly events are switched on, and stay on for the programs that follow. */
	switch (below(rng, 32)) {
	case 0 ... 7:
		return __vsplit_write_file(TRACING "events/vsplit/enable", "1");
	case 8:
		return may_switch() ? __vsplit_write_file(TRACING "events/vsplit/enable", "0") : 0;
	default:
		if (vsplit_fuzz_env.trace_pipe < 0)
			return -ENOENT;
		ret = read(vsplit_fuzz_env.trace_pipe, text, sizeof(text));
		return ret < 0 ? -errno : 0;
	}
}

/*
 * The driver's events through perf, of all that happens on a processor. They stay open, for the
 * reason at may_switch().
 */
static int perf_open(unsigned int at, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.config = trace_ids[at],
	};
	static bool open[ARRAY_SIZE(trace_ids)][PERF_CPUS];

	if (__atomic_exchange_n(&open[at][cpu], true, __ATOMIC_RELAXED))
		return 0;
	if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC) >= 0)
		return 0;
	__atomic_store_n(&open[at][cpu], false, __ATOMIC_RELAXED);
	return -errno;
}

int vsplit_fuzz_perf(struct vsplit_rng *rng)
{
	unsigned int cpus = MIN(sysconf(_SC_NPROCESSORS_ONLN), PERF_CPUS);
	int err, ret = 0;

	if (!nr_trace_ids)
		return -ENOENT;
	if (!dice(rng, 4))
		return perf_open(below(rng, nr_trace_ids), below(rng, cpus));
	for (unsigned int at = 0; at < nr_trace_ids; at++) {
		for (unsigned int cpu = 0; cpu < cpus; cpu++) {
			err = perf_open(at, cpu);
			ret = ret ?: err;
		}
	}
	return ret;
}

static bool filtered;

static const char *const events[] = {
	"vsplit_submit", "vsplit_split", "vsplit_plan_op", "vsplit_paging", "vsplit_bo_move",
	"vsplit_cpu_fault", "vsplit_acquire_range", "vsplit_release_range",
	"vsplit_program_queue", "vsplit_step_begin", "vsplit_step_end", "vsplit_fence",
	"vsplit_fault", "vsplit_ctx_lost", "vsplit_make_resident", "vsplit_evict",
	"vsplit_offer", "vsplit_reclaim", "vsplit_trim",
};

static int event_write(const char *event, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/vsplit/%s/%s", event, file);
	return __vsplit_write_file(path, text);
}

static void unfilter(void)
{
	if (!__atomic_exchange_n(&filtered, false, __ATOMIC_RELAXED))
		return;
	__vsplit_write_file(TRACING "tracing_on", "1");
	if (may_switch())
		__vsplit_write_file(TRACING "set_event_pid", "");
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		event_write(events[i], "trigger", "!traceon");
		event_write(events[i], "trigger", "!traceoff:1 if common_pid==1");
		event_write(events[i], "filter", "0");
	}
}

/* Events with filters on the task and on fields, and with triggers, until the program ends. */
int vsplit_fuzz_filter(struct vsplit_rng *rng)
{
	unsigned int kind = below(rng, 6);
	/* Otherwise events only serve the triggers. */
	bool on = kind < 5 || !may_switch();
	int ret = __vsplit_write_file(TRACING "events/vsplit/enable", on ? "1" : "0");

	__atomic_store_n(&filtered, true, __ATOMIC_RELAXED);
	__atomic_store_n(&vsplit_fuzz_env.dirty, true, __ATOMIC_RELAXED);
	if (kind == 0)
		return may_switch() ? __vsplit_write_file(TRACING "set_event_pid", "1") : 0;
	/* The trace records nothing. */
	if (kind == 4)
		return __vsplit_write_file(TRACING "tracing_on", "0");
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		if (kind == 1)
			ret = event_write(events[i], "trigger", "traceoff:1 if common_pid==1");
		else if (kind != 3)
			ret = event_write(events[i], "trigger", "traceon");
		else
			ret = event_write(events[i], "filter", "common_pid==1");
	}
	return ret;
}

/* ---- other users -------------------------------------------------------- */

/*
 * A client of a user that the driver may not know yet, and that it forgets when the client is gone.
 */
int vsplit_fuzz_user(struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client c = {};
	/* Changes the user of this thread only; files are still opened as root. */
	int ret = syscall(SYS_setresuid, 1000 + below(rng, 3), 0, 0) ? -errno : 0;

	vsplit_fuzz_open(&c);
	for (unsigned int n = below(rng, 3); n; n--)
		ret = vsplit_fuzz_buffer(&c, rng);
	vsplit_fuzz_close(&c);
	/* An injected failure may hit this call. */
	while (syscall(SYS_setresuid, 0, 0, 0))
		;
	return ret;
}

/* ---- adapters ----------------------------------------------------------- */

/* Writes a value, valid or not, to an attribute of a directory. */
static int configfs_write(struct vsplit_adapter *ad, const char *segment, struct vsplit_rng *rng)
{
	static const struct {
		const char *name, *good[3];
	} options[] = {
		{ "aperture_limit", { "0", "64K", "4096" } },
		{ "slots", { "8", "1", "64" } },
		{ "engines", { "1", "2", "4" } },
		{ "timeout_ms", { "200", "10", "5000" } },
		{ "trim_period_ms", { "0", "1", "500" } },
		{ "clock", { "real", "model", "real" } },
		{ "model_command_ns", { "0", "500", "1000" } },
		{ "model_bytes_per_us", { "1", "500", "100000" } },
		{ "model_macs_per_us", { "1", "500", "100000" } },
		{ "model_paging_bytes_per_us", { "1", "500", "100000" } },
		{ "model_paging_op_ns", { "0", "500", "100000" } },
		{ "save_restore", { "0", "1", "y" } },
		{ "paging", { "own", "same", "own" } },
		{ "victims", { "lru", "next-use", "lru" } },
		{ "lenient", { "0", "1", "n" } },
		{ "heads", { "0", "1", "16" } },
		{ "leak_detection", { "0", "1", "y" } },
		{ "test", { "0", "1", "1" } },
		{ "enable", { "0", "1", "1" } },
	}, of_segments[] = {
		{ "type", { "memory", "aperture", "memory" } },
		{ "size", { "64K", "16384", "1M" } },
		{ "commit", { "0", "8192", "64K" } },
		{ "cpu", { "all", "none", "8K" } },
		{ "ranges", { "0", "2", "1" } },
	};
	static const char *const bad[] = {
		"", " ", "x", "-1", "0", "4097", "1T", "17", "99999999999999999999", "own same",
		"all none", "3E", "0x10", "1K ",
	};
	unsigned int at = below(rng, segment ? ARRAY_SIZE(of_segments) : ARRAY_SIZE(options));
	const char *name = segment ? of_segments[at].name : options[at].name;
	const char *value = segment ? of_segments[at].good[below(rng, 3)] :
			    options[at].good[below(rng, 3)];
	char path[96], text[64];

	if (!vsplit_fuzz_clean && dice(rng, 3))
		value = bad[below(rng, ARRAY_SIZE(bad))];
	snprintf(path, sizeof(path), segment ? "segments/%s/%s" : "%s%s", segment ?: "", name);
	__vsplit_adapter_read(ad, path, text, sizeof(text));
	return __vsplit_adapter_write(ad, path, value);
}

/* Makes a directory, writes to it in any order, and removes it in any state. */
int vsplit_fuzz_configfs(struct vsplit_rng *rng)
{
	static const char *const segments[] = { "a", "b", "c", "vram", "d", "e", "f", "much-too-"
		"long-a-name-for-a-segment-of-an-adapter", "a,b", "system" };
	static unsigned int serial;
	struct vsplit_adapter ad = { .used = true };
	unsigned int nr = 1 + below(rng, vsplit_fuzz_clean ? 3 : ARRAY_SIZE(segments));
	char path[96], text[64];
	int ret;

	snprintf(ad.name, sizeof(ad.name), dice(rng, 16) ? "fuzz %d,%u" : "fuzz-%d-%u", getpid(),
		 __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
	ret = __vsplit_adapter_mkdir(&ad, "");
	if (ret)
		return ret;
	for (unsigned int i = 0; i < nr; i++) {
		const char *name = segments[vsplit_fuzz_clean ? i : below(rng, ARRAY_SIZE(segments))];

		snprintf(path, sizeof(path), "segments/%s", name);
		if (__vsplit_adapter_mkdir(&ad, path))
			continue;
		snprintf(path, sizeof(path), "segments/%s/size", name);
		if (vsplit_fuzz_clean)
			__vsplit_adapter_write(&ad, path, "1M");
		for (unsigned int n = below(rng, 6); n; n--)
			configfs_write(&ad, name, rng);
	}
	for (unsigned int n = below(rng, 8); n; n--)
		configfs_write(&ad, NULL, rng);
	ret = __vsplit_adapter_write(&ad, "enable", "1");
	__vsplit_adapter_read(&ad, "device", text, sizeof(text));
	__vsplit_adapter_read(&ad, "primary", text, sizeof(text));
	if (!ret && !__vsplit_adapter_read(&ad, "render", text, sizeof(text))) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", atoi(text));
		vsplit_fuzz_add_file(&vsplit_fuzz_clients[0], open(path, O_RDWR | O_CLOEXEC));
		/* These can no longer be changed. */
		configfs_write(&ad, NULL, rng);
		configfs_write(&ad, "a", rng);
		__vsplit_adapter_mkdir(&ad, "segments/late");
	}
	if (dice(rng, 2))
		__vsplit_adapter_write(&ad, "enable", "0");
	for (unsigned int i = 0; i < ARRAY_SIZE(segments); i++) {
		snprintf(path, sizeof(path), "segments/%s", segments[i]);
		__vsplit_adapter_rmdir(&ad, path);
	}
	__vsplit_adapter_rmdir(&ad, "segments/late");
	__vsplit_adapter_rmdir(&ad, "");
	return ret;
}

/* Writes the words "name=value name=value" to the files of a directory. */
static void configfs_words(struct vsplit_adapter *ad, const char *directory, const char *words)
{
	char text[128], path[96], *save, *word;

	snprintf(text, sizeof(text), "%s", words);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		*value++ = 0;
		snprintf(path, sizeof(path), "%s%s", directory, word);
		__vsplit_adapter_write(ad, path, value);
	}
}

/* Tries to bind devices of the bus that are no devices of the driver, which refuses them. */
static void refuse_others(void)
{
	char path[300];
	struct dirent *e;
	DIR *d = opendir("/sys/bus/pci/devices");

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", e->d_name);
		if (e->d_name[0] == '.' || !access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override", e->d_name);
		__vsplit_write_file(path, "vsplit");
		__vsplit_write_file("/sys/bus/pci/drivers/vsplit/bind", e->d_name);
		__vsplit_write_file(path, "\n");
	}
	if (d)
		closedir(d);
}

/* What an adapter's directory refuses: invalid numbers, and any change once it is enabled. */
static void configfs_refused(struct vsplit_adapter *ad, bool enabled)
{
	static const char *const names[] = {
		"aperture_limit", "slots", "engines", "timeout_ms", "trim_period_ms", "clock", "model_command_ns",
		"model_bytes_per_us", "model_macs_per_us", "model_paging_bytes_per_us",
		"model_paging_op_ns", "save_restore", "paging", "victims", "splits", "lenient",
		"leak_detection", "look_ahead", "test", "segments/a/type", "segments/a/size", "segments/a/commit",
		"segments/a/cpu", "segments/a/ranges",
	};
	char path[64], text[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		__vsplit_adapter_write(ad, names[i], enabled ? "1" : "?");
		__vsplit_adapter_read(ad, names[i], text, sizeof(text));
	}
	/* One segment more than allowed, and one with a name that is too long. */
	for (unsigned int i = 0; i < VSPLIT_MAX_SEGMENTS; i++) {
		snprintf(path, sizeof(path), "segments/more-%u", i);
		__vsplit_adapter_mkdir(ad, path);
	}
	__vsplit_adapter_mkdir(ad, "segments/a-name-of-a-segment-that-is-too-long-for-one");
	for (unsigned int i = 0; i < VSPLIT_MAX_SEGMENTS; i++) {
		snprintf(path, sizeof(path), "segments/more-%u", i);
		__vsplit_adapter_rmdir(ad, path);
	}
}

/* Makes a valid adapter, uses it a little, and removes it: every site on the way may fail. */
int vsplit_fuzz_adapter(struct vsplit_rng *rng)
{
	static const char *const segments[][2] = {
		{ "type=memory size=64K ranges=2", "type=aperture size=32K" },
		{ "type=memory size=32K cpu=8K commit=16K", "type=memory size=16K cpu=none" },
		{ "type=aperture size=64K commit=32K", "type=memory size=64K ranges=16" },
	};
	static const char *const options[] = {
		"slots=8 engines=1 test=1", "engines=4 paging=own save_restore=1 victims=next-use",
		"engines=2 clock=model lenient=1 aperture_limit=32K", "leak_detection=1 timeout_ms=50 trim_period_ms=1",
	};
	static unsigned int serial;
	struct vsplit_adapter ad = { .used = true };
	char path[96], text[64];
	int file, ret;

	snprintf(ad.name, sizeof(ad.name), "play-%d-%u", getpid(),
		 __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
	ret = __vsplit_adapter_mkdir(&ad, "");
	if (ret)
		return ret;
	configfs_words(&ad, "", options[below(rng, ARRAY_SIZE(options))]);
	for (unsigned int i = 0, kind = below(rng, 3); i < 2; i++) {
		snprintf(path, sizeof(path), "segments/%c", 'a' + i);
		__vsplit_adapter_mkdir(&ad, path);
		strcat(path, "/");
		configfs_words(&ad, path, segments[kind][i]);
	}
	if (dice(rng, 3))
		configfs_refused(&ad, false);
	ret = __vsplit_adapter_write(&ad, "enable", "1");
	if (!ret && dice(rng, 3))
		configfs_refused(&ad, true);
	if (!ret && !__vsplit_adapter_read(&ad, "render", text, sizeof(text))) {
		struct drm_vsplit_gem_create create = { .size = 8192 };

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", atoi(text));
		file = open(path, O_RDWR | O_CLOEXEC);
		ioctl(file, DRM_IOCTL_VSPLIT_GEM_CREATE, &create);
		/* A file that stays open holds the adapter for longer. */
		if (dice(rng, 2))
			vsplit_fuzz_add_file(&vsplit_fuzz_clients[0], file);
		else if (file >= 0)
			close(file);
	}
	if (dice(rng, 4))
		refuse_others();
	__vsplit_adapter_write(&ad, "enable", "0");
	__vsplit_adapter_rmdir(&ad, "segments/a");
	__vsplit_adapter_rmdir(&ad, "segments/b");
	__vsplit_adapter_rmdir(&ad, "");
	return ret;
}

static void find_minors(struct vsplit_adapter *ad)
{
	char path[96], value[16];
	struct dirent *e;
	DIR *d;

	if (!vsplit_fuzz_pci) {
		if (!__vsplit_adapter_read(ad, "render", value, sizeof(value)))
			ad->render = atoi(value);
		if (!__vsplit_adapter_read(ad, "primary", value, sizeof(value)))
			ad->primary = atoi(value);
		return;
	}
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/drm", vsplit_fuzz_pci);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		sscanf(e->d_name, "renderD%d", &ad->render);
		sscanf(e->d_name, "card%d", &ad->primary);
	}
	if (d)
		closedir(d);
}

void vsplit_fuzz_rebind(void)
{
	const char *bus = vsplit_fuzz_pci ? "pci" : "platform";
	const char *name = vsplit_fuzz_pci ?: vsplit_fuzz_ad->device;
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/vsplit/unbind", bus);
	__vsplit_write_file(path, name);
	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/vsplit/bind", bus);
	__vsplit_write_file(path, name);
	find_minors(vsplit_fuzz_ad);
}

/*
 * A reset of a PCI function that ran out of memory has unplugged the adapter: bind the device
 * again.
 */
void vsplit_fuzz_revive(void)
{
	char path[96];

	if (!vsplit_fuzz_pci)
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/drm/card%d", vsplit_fuzz_pci,
		 vsplit_fuzz_ad->primary);
	if (access(path, F_OK))
		vsplit_fuzz_rebind();
}

/* What a bus does to a device: here, reset a PCI function. */
int vsplit_fuzz_bus(struct vsplit_rng *rng)
{
	char path[96];

	if (!vsplit_fuzz_pci)
		return vsplit_fuzz_debugfs(rng);
	/* Without these allocations, the first site or allocation that fails is the reset's own. */
	if (!dice(rng, 3))
		play_before_reset(&vsplit_fuzz_clients[0], rng);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", vsplit_fuzz_pci);
	return __vsplit_write_file(path, "1");
}

void vsplit_fuzz_find_trace_ids(void)
{
	char path[128], value[32];
	struct dirent *e;
	DIR *d = nr_trace_ids ? NULL : opendir(TRACING "events/vsplit");

	while (d && (e = readdir(d)) && nr_trace_ids < ARRAY_SIZE(trace_ids)) {
		snprintf(path, sizeof(path), TRACING "events/vsplit/%.60s/id", e->d_name);
		if (e->d_name[0] != '.' && !__vsplit_read_file(path, value, sizeof(value)))
			trace_ids[nr_trace_ids++] = strtoull(value, NULL, 0);
	}
	if (d)
		closedir(d);
}

static void remove_all_in(const char *directory)
{
	char path[600];
	struct dirent *e;
	DIR *d = opendir(directory);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		if (e->d_name[0] != '.')
			rmdir(path);
	}
	if (d)
		closedir(d);
}

/* Removes the adapters of a process that was killed. */
static void remove_orphans(void)
{
	struct vsplit_adapter ad = { .used = true };
	struct dirent *e;
	DIR *d = opendir(CONFIGFS);
	char path[300];
	int pid;

	while (d && (e = readdir(d))) {
		if (sscanf(e->d_name, "%*[a-z]-%d-", &pid) != 1 || pid == getpid() ||
		    strlen(e->d_name) >= sizeof(ad.name))
			continue;
		strcpy(ad.name, e->d_name);
		__vsplit_adapter_write(&ad, "enable", "0");
		snprintf(path, sizeof(path), CONFIGFS "/%s/segments", e->d_name);
		remove_all_in(path);
		__vsplit_adapter_rmdir(&ad, "");
	}
	if (d)
		closedir(d);
}

void vsplit_fuzz_root_end(void)
{
	if (!__atomic_exchange_n(&vsplit_fuzz_env.dirty, false, __ATOMIC_RELAXED))
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(knobs); i++)
		__vsplit_adapter_knob(vsplit_fuzz_ad, knobs[i], "0");
	vsplit_fuzz_release();
	unfilter();
	remove_orphans();
}

void vsplit_fuzz_root_stop(void)
{
	__vsplit_write_file(TRACING "events/vsplit/enable", "0");
}
