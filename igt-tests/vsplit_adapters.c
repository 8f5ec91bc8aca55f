// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit adapters
 * Description: Adapters are made and removed, through configfs and by unbinding their driver, with
 *   and without files open on them.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: adapters
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_setup.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Adapters are made and removed, through configfs and by unbinding their "
		     "driver, with and without files open on them.");

#define U 16384ull
#define DRIVER "/sys/bus/platform/drivers/vsplit"

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 256 * U } },
	.slots = 16,
	.test = true,
};


static void setup(void)
{
	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
}

static void check_works(int on)
{
	struct vsplit_bo *a = vsplit_bo(on, 'A', 8 * U);
	struct vsplit_cs *cs = vsplit_cs(on);

	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 0x12345678);
	vsplit_cs_run(cs, vsplit_ctx(on, 0), 0);
}

/**
 * SUBTEST: enable-disable
 * Description: Enabling makes the device and its nodes, disabling removes them; both
 *   can be repeated.
 */
static void test_enable(void)
{
	char value[64], path[128];
	struct stat st;

	setup();
	for (unsigned int i = 0; i < 5; i++) {
		int render = ad->render, primary = ad->primary;

		igt_assert(render >= 128 && primary >= 0 && ad->device[0]);
		snprintf(path, sizeof(path), DRIVER "/%s", ad->device);
		igt_assert_eq(stat(path, &st), 0);
		expect(__vsplit_adapter_read(ad, "enable", value, sizeof(value)), 0);
		igt_assert(!strcmp(value, "1"));
		/* Enabling again changes nothing. */
		expect(__vsplit_adapter_write(ad, "enable", "1"), 0);
		check_works(fd);
		vsplit_cleanup_file(fd);
		vsplit_adapter_disable(ad);
		expect(__vsplit_adapter_write(ad, "enable", "0"), 0);
		expect(__vsplit_adapter_read(ad, "enable", value, sizeof(value)), 0);
		igt_assert(!strcmp(value, "0"));
		expect(__vsplit_adapter_read(ad, "device", value, sizeof(value)), -ENODEV);
		expect(__vsplit_adapter_read(ad, "render", value, sizeof(value)), -ENODEV);
		expect(__vsplit_adapter_read(ad, "primary", value, sizeof(value)), -ENODEV);
		igt_assert(stat(path, &st) != 0);
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", render);
		igt_assert(stat(path, &st) != 0);
		snprintf(path, sizeof(path), "/dev/dri/card%d", primary);
		igt_assert(stat(path, &st) != 0);
		vsplit_adapter_enable(ad);
		fd = vsplit_adapter_open(ad);
	}
}

/**
 * SUBTEST: written-only-while-disabled
 * Description: Options and segments of an enabled adapter cannot be written: -EBUSY.
 */
static void test_busy(void)
{
	static const char *const files[][2] = {
		{ "slots", "8" }, { "engines", "2" }, { "heads", "2" }, { "fbdev", "1" }, { "save_restore", "1" },
		{ "paging", "own" },
		{ "clock", "model" }, { "lenient", "1" }, { "leak_detection", "1" },
		{ "victims", "next-use" }, { "splits", "planned" }, { "look_ahead", "1" },
		{ "timeout_ms", "100" }, { "trim_period_ms", "100" }, { "test", "0" },
		{ "aperture_limit", "65536" },
		{ "segments/vram/type", "aperture" }, { "segments/vram/size", "65536" },
		{ "segments/vram/commit", "65536" }, { "segments/vram/cpu", "none" },
	};
	char value[64];

	setup();
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		expect(__vsplit_adapter_write(ad, files[i][0], files[i][1]), -EBUSY);
	igt_assert(__vsplit_adapter_mkdir(ad, "segments/more") < 0);
	expect(__vsplit_adapter_read(ad, "slots", value, sizeof(value)), 0);
	igt_assert(!strcmp(value, "16"));
	vsplit_adapter_disable(ad);
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		expect(__vsplit_adapter_write(ad, files[i][0], files[i][1]), 0);
}

/**
 * SUBTEST: debugfs-has-each-option
 * Description: The adapter's options file in debugfs lists all options of configfs, with the same
 *   values.
 */
static void test_config(void)
{
	static const char *const no_option = " enable device render primary ";
	char path[128], text[4096], value[128], line[512];
	unsigned int options = 0;
	struct dirent *entry;
	DIR *dir;

	setup();
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/config", ad->primary);
	text[0] = '\n';
	igt_require(!__vsplit_read_file(path, text + 1, sizeof(text) - 2));
	strcat(text, "\n");
	snprintf(path, sizeof(path), "/sys/kernel/config/vsplit/%s", ad->name);
	dir = opendir(path);
	igt_assert(dir);
	while ((entry = readdir(dir))) {
		snprintf(line, sizeof(line), " %s ", entry->d_name);
		if (entry->d_type == DT_DIR || strstr(no_option, line))
			continue;
		expect(__vsplit_adapter_read(ad, entry->d_name, value, sizeof(value)), 0);
		snprintf(line, sizeof(line), "\n%s %s\n", entry->d_name, value);
		igt_assert_f(strstr(text, line), "no line \"%s %s\" in%s", entry->d_name, value, text);
		options++;
	}
	closedir(dir);
	igt_info("%u options\n", options);
	igt_assert_lt(20, options);
}

/**
 * SUBTEST: bad-values
 * Description: Each invalid value is refused when it is written, and changes nothing.
 */
static void test_bad_values(void)
{
	static const char *const bad[][2] = {
		{ "slots", "0" }, { "slots", "4097" }, { "slots", "x" }, { "slots", "-1" },
		{ "slots", "\n" }, { "engines", "0" }, { "engines", "5" }, { "engines", "1000000000000" },
		{ "heads", "17" }, { "heads", "-1" },
		{ "save_restore", "2" }, { "save_restore", "maybe" }, { "paging", "none" },
		{ "paging", "\n" }, { "clock", "fast" }, { "lenient", "7" }, { "leak_detection", "?" },
		{ "victims", "mru" },
		{ "timeout_ms", "0" }, { "trim_period_ms", "3600001" }, { "test", "perhaps" }, { "aperture_limit", "1000" },
		{ "enable", "2" }, { "enable", "\n" }, { "enable", "1x" }, { "enable", "yes please" },
		{ "lenient", "1x" }, { "test", "0 or 1" }, { "fbdev", "only" }, { "save_restore", "1\n1" },
		{ "look_ahead", "nothing" }, { "segments/vram/type", "disk" },
		{ "segments/vram/size", "-4096" }, { "segments/vram/size", "lots" },
		{ "segments/vram/commit", "many" }, { "segments/vram/cpu", "some" },
		{ "segments/vram/size", "99999999999G" }, { "segments/vram/commit", "99999999999G" },
		{ "segments/vram/cpu", "18446744073709551615" },
	};
	char before[64], after[64];

	ad = vsplit_adapter_prepare(&plain);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		int ret;

		expect(__vsplit_adapter_read(ad, bad[i][0], before, sizeof(before)), 0);
		ret = __vsplit_adapter_write(ad, bad[i][0], bad[i][1]);
		igt_assert_f(ret == -EINVAL || ret == -ERANGE, "%s=%s: %d\n", bad[i][0], bad[i][1],
			     ret);
		expect(__vsplit_adapter_read(ad, bad[i][0], after, sizeof(after)), 0);
		igt_assert_f(!strcmp(before, after), "%s=%s: it was %s, is %s\n", bad[i][0], bad[i][1],
			     before, after);
	}
	vsplit_adapter_enable(ad);
}

/**
 * SUBTEST: bad-combinations
 * Description: Options that contradict each other are refused when the adapter is enabled. After
 *   they are corrected, it can be enabled.
 */
static void test_bad_combinations(void)
{
	static const struct vsplit_seg_opts bad[] = {
		{ "vram", .size = 4097 },
		{ "vram", .size = 1 },
		{ "vram", .size = 1ull << 60 },
		{ "vram", .size = 65536, .commit = 131072 },
		{ "vram", .size = 65536, .commit = 100 },
		{ "vram", .size = 65536, .cpu = "131072" },
		{ "vram", .size = 65536, .cpu = "5" },
	};
	struct vsplit_adapter_opts opts = plain;

	memset(opts.segs, 0, sizeof(opts.segs));
	ad = vsplit_adapter_prepare(&opts);
	igt_assert_f(__vsplit_adapter_enable(ad) < 0, "an adapter without segments\n");
	expect(__vsplit_adapter_mkdir(ad, "segments/vram"), 0);
	igt_assert_f(__vsplit_adapter_enable(ad) < 0, "a segment without a size\n");
	vsplit_adapter_destroy(ad);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		char size[32];
		int ret;

		opts.segs[0] = (struct vsplit_seg_opts) { "vram", .size = 65536 };
		ad = vsplit_adapter_prepare(&opts);
		snprintf(size, sizeof(size), "%" PRIu64, bad[i].size);
		ret = __vsplit_adapter_write(ad, "segments/vram/size", size);
		if (!ret && bad[i].commit) {
			snprintf(size, sizeof(size), "%" PRIu64, bad[i].commit);
			ret = __vsplit_adapter_write(ad, "segments/vram/commit", size);
		}
		if (!ret && bad[i].cpu)
			ret = __vsplit_adapter_write(ad, "segments/vram/cpu", bad[i].cpu);
		if (!ret)
			ret = __vsplit_adapter_enable(ad);
		igt_assert_f(ret < 0, "case %u was accepted\n", i);
		/* After the correction it can be enabled. */
		expect(__vsplit_adapter_write(ad, "segments/vram/size", "65536"), 0);
		expect(__vsplit_adapter_write(ad, "segments/vram/commit", "65536"), 0);
		expect(__vsplit_adapter_write(ad, "segments/vram/cpu", "all"), 0);
		vsplit_adapter_enable(ad);
		vsplit_adapter_destroy(ad);
	}
}

/**
 * SUBTEST: segments
 * Description: Up to six segments, in order of their creation; names are checked.
 */
static void test_segments(void)
{
	static const char *const bad[] = { "segments/1st", "segments/a-b", "segments/system",
		"segments/vram_vram_vram_vram_vram_vram_vram" };
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	struct vsplit_adapter_opts opts = {
		.segs = {
			{ "zulu", .size = 65536 }, { "alpha", true, .size = 131072 },
			{ "mike", .size = 4096 }, { "_x", .size = 8192 },
			{ "Y9", true, .size = 12288 }, { "bravo", .size = 1 << 20 },
		},
	};

	ad = vsplit_adapter_prepare(&opts);
	igt_assert(__vsplit_adapter_mkdir(ad, "segments/seventh") < 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert(__vsplit_adapter_mkdir(ad, bad[i]) < 0);
	igt_assert(__vsplit_adapter_mkdir(ad, "segments/mike") < 0);
	vsplit_adapter_enable(ad);
	fd = vsplit_adapter_open(ad);
	igt_assert_eq(vsplit_query_segments(fd, segs), 6);
	for (unsigned int i = 0; i < 6; i++) {
		igt_assert(!strcmp((char *)segs[i].name, opts.segs[i].name));
		igt_assert_eq_u64(segs[i].size, opts.segs[i].size);
	}
	/* A segment that is removed and made again becomes the last. */
	vsplit_adapter_disable(ad);
	expect(__vsplit_adapter_rmdir(ad, "segments/alpha"), 0);
	expect(__vsplit_adapter_mkdir(ad, "segments/alpha"), 0);
	expect(__vsplit_adapter_write(ad, "segments/alpha/size", "16384"), 0);
	vsplit_adapter_enable(ad);
	fd = vsplit_adapter_open(ad);
	vsplit_query_segments(fd, segs);
	igt_assert(!strcmp((char *)segs[5].name, "alpha"));
	igt_assert(!strcmp((char *)segs[1].name, "mike"));
}

/**
 * SUBTEST: many-adapters
 * Description: Adapters are independent: each has its own memory, ids and statistics.
 */
static void test_many(void)
{
	enum { N = 8 };
	struct vsplit_adapter *ads[N];
	struct drm_vsplit_statistics stats;
	int fds[N];

	for (unsigned int i = 0; i < N; i++) {
		struct vsplit_adapter_opts opts = plain;

		opts.segs[0].size = (64 + 64 * i) * U;
		ads[i] = vsplit_adapter_create(&opts);
		fds[i] = vsplit_adapter_open(ads[i]);
	}
	for (unsigned int i = 0; i < N; i++)
		check_works(fds[i]);
	for (unsigned int i = 0; i < N; i++) {
		vsplit_query_statistics(fds[i], &stats);
		igt_assert_eq_u64(stats.submissions, 1);
	}
	for (unsigned int i = 0; i < N; i += 2)
		vsplit_adapter_destroy(ads[i]);
	for (unsigned int i = 1; i < N; i += 2)
		check_works(fds[i]);
}

/**
 * SUBTEST: removed-directory-removes-the-device
 * Description: rmdir of an enabled adapter removes its device.
 */
static void test_rmdir(void)
{
	struct drm_vsplit_adapter_info info;
	uint32_t size = sizeof(info);

	setup();
	expect(__vsplit_adapter_rmdir(ad, "segments/vram"), 0);
	check_works(fd);
	expect(__vsplit_adapter_rmdir(ad, ""), 0);
	ad->used = false;
	expect(__vsplit_query(fd, VSPLIT_QUERY_ADAPTER, &info, &size), -ENODEV);
}

/* All calls on a file whose device is gone. */
static void check_gone(int on, struct vsplit_bo *a, uint32_t ctx, struct vsplit_cs *cs)
{
	struct drm_vsplit_adapter_info info;
	struct drm_vsplit_gem_create create = { .size = U };
	struct drm_vsplit_gem_mmap_offset map = { .handle = a->handle };
	struct drm_vsplit_gem_info ginfo;
	struct drm_vsplit_gem_lock lock = { .handle = a->handle };
	struct drm_vsplit_ctx_create cc = {};
	struct drm_vsplit_ctx_query query = { .ctx = ctx };
	struct drm_vsplit_record record = { .ctx = ctx, .submission = 1 };
	uint32_t size = sizeof(info);

	expect(__vsplit_query(on, VSPLIT_QUERY_ADAPTER, &info, &size), -ENODEV);
	expect(__vsplit_create(on, &create), -ENODEV);
	expect(__vsplit_ioctl(on, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &map), -ENODEV);
	expect(__vsplit_info(on, a->handle, &ginfo), -ENODEV);
	expect(__vsplit_ioctl(on, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -ENODEV);
	expect(__vsplit_ioctl(on, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), -ENODEV);
	expect(__vsplit_ctx_create(on, &cc), -ENODEV);
	expect(__vsplit_ctx_query(on, &query), -ENODEV);
	expect(__vsplit_record(on, &record), -ENODEV);
	expect(__vsplit_ctx_destroy(on, ctx), -ENODEV);
	expect(__vsplit_escape(on, VSPLIT_ESCAPE_EVICT_ALL, 0, 0), -ENODEV);
	expect(__vsplit_cs_submit(cs, ctx, 0), -ENODEV);
}

static void unbind(void)
{
	expect(__vsplit_write_file(DRIVER "/unbind", ad->device), 0);
}

static void rebind(void)
{
	expect(__vsplit_write_file(DRIVER "/bind", ad->device), 0);
}

/**
 * SUBTEST: unbind-idle-with-files-open
 * Description: After an unbind every ioctl gives -ENODEV, mappings can be touched without a signal,
 *   and closing works. After a bind the adapter is there again.
 */
static void test_unbind(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;
	uint32_t ctx;
	char value[16];

	setup();
	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	ctx = vsplit_ctx(fd, 0);
	a = vsplit_bo(fd, 'A', 8 * U);
	b = vsplit_bo(fd, 'B', 8 * U);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 0x12345678);
	vsplit_cs_run(cs, ctx, 0);
	unbind();
	check_gone(fd, a, ctx, cs);
	/*
	 * Pages of segments and of system memory read as zeros and can be written, without SIGBUS.
	 */
	for (uint64_t i = 0; i < a->size; i += 4096)
		igt_assert_eq(a->map[i], 0);
	for (uint64_t i = 0; i < a->size; i += 4096)
		a->map[i]++;
	/* What is written is not visible through another allocation. */
	for (uint64_t i = 0; i < a->size; i += 4096)
		igt_assert_eq(b->map[i], 0);
	for (uint64_t i = 0; i < a->size; i += 4096)
		b->map[i]++;
	vsplit_cleanup_file(fd);
	rebind();
	igt_assert(vsplit_soon(!__vsplit_adapter_read(ad, "render", value, sizeof(value))));
	ad->render = atoi(value);
	check_works(vsplit_adapter_open(ad));
}

/**
 * SUBTEST: unbind-while-busy
 * Description: The driver is unbound while split buffers are running and queued. Their fences
 *   signal with an error at once, and nothing hangs.
 */
static void test_unbind_busy(void)
{
	struct vsplit_cs *cs[6];
	struct pollfd pfd[6];
	struct vsplit_bo *a[4];
	uint32_t ctx;

	setup();
	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < 4; i++)
		a[i] = vsplit_bo(fd, 'A' + i, 180 * U);
	for (unsigned int n = 0; n < 6; n++) {
		cs[n] = vsplit_cs(fd);
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_cs_bind(cs[n], 0, a[i]);
			vsplit_cs_spin(cs[n], 2000000);
			vsplit_cs_set(cs[n], 0, 0, 4096, i);
		}
		vsplit_cs_submit(cs[n], n & 1 ? ctx : vsplit_ctx(fd, 0), 0);
		pfd[n].events = POLLIN;
		igt_assert_eq(drmSyncobjExportSyncFile(fd, cs[n]->out, &pfd[n].fd), 0);
	}
	usleep(50000);
	unbind();
	for (unsigned int n = 0; n < 6; n++) {
		igt_assert_eq(poll(&pfd[n], 1, VSPLIT_SOON_MS), 1);
		igt_assert_eq(vsplit_fence_status(pfd[n].fd), -ENODEV);
		close(pfd[n].fd);
	}
	check_gone(fd, a[0], ctx, cs[0]);
	for (unsigned int i = 0; i < 4; i++)
		a[i]->map[0] = 1;
	vsplit_cleanup_file(fd);
	rebind();
}

/**
 * SUBTEST: unbind-beside-long-work
 * Description: A long program, a program that waits behind it, and paging for a third program do
 *   not hold up an unbind, whether their file is open or closed. The unbinding task is never
 *   blocked, and another adapter can be bound meanwhile.
 */
static void test_unbind_long(void)
{
	static const char *const preemption[] = { "none", "split-point", "packet" };

	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(preemption); i++) {
		struct vsplit_adapter_opts opts = plain;
		struct vsplit_cs *cs[3];
		struct pollfd pfd[3];
		pid_t pid;

		opts.preemption = preemption[i / 2];
		ad = vsplit_adapter_create(&opts);
		fd = vsplit_adapter_open(ad);
		for (unsigned int n = 0; n < 3; n++) {
			cs[n] = vsplit_cs(fd);
			vsplit_cs_bind(cs[n], 0, vsplit_bo(fd, 'A' + n, 180 * U));
			/*
			 * Half a minute, so that even a driver that waits for the program finishes.
			 */
			for (unsigned int k = 0; k < 3000; k++)
				vsplit_cs_spin(cs[n], 10000);
			vsplit_cs_submit(cs[n], vsplit_ctx(fd, 0), 0);
			pfd[n].events = POLLIN;
			expect(drmSyncobjExportSyncFile(fd, cs[n]->out, &pfd[n].fd), 0);
		}
		igt_assert_eq(poll(pfd, 3, 50), 0);
		if (i & 1)
			vsplit_cleanup_file(fd);
		pid = vsplit_fork();
		if (!pid)
			_exit(__vsplit_write_file(DRIVER "/unbind", ad->device) ? 1 : 0);
		igt_assert_eq(vsplit_ends_unblocked(pid), 0);
		for (unsigned int n = 0; n < 3; n++) {
			igt_assert_eq(poll(&pfd[n], 1, VSPLIT_SOON_MS), 1);
			igt_assert_neq(vsplit_fence_status(pfd[n].fd), 1);
			close(pfd[n].fd);
		}
		if (!(i & 1))
			vsplit_cleanup_file(fd);
		rebind();
		vsplit_cleanup();
	}
}

/* Touches the mapping in a child. Returns whether the child ends soon. */
static bool can_touch(volatile uint8_t *map, uint64_t size)
{
	pid_t pid = vsplit_fork();
	siginfo_t done = {};
	bool over;

	if (!pid) {
		for (uint64_t i = 0; i < size; i += 4096)
			map[i]++;
		_exit(0);
	}
	over = vsplit_soon(!waitid(P_PID, pid, &done, WEXITED | WNOHANG | WNOWAIT) && done.si_pid);
	if (!over)
		kill(pid, SIGKILL);
	return !vsplit_reap(pid) && over;
}

/**
 * SUBTEST: unbind-with-queued
 * Description: The driver is unbound while a buffer and paging wait for a slow adapter. Their
 *   fences signal -ENODEV at once, and their memory can be touched. When the other adapter is done,
 *   the jobs end without a message.
 */
static void test_unbind_queued(void)
{
	struct vsplit_cs *before, *queued[2];
	struct vsplit_adapter *other_ad;
	struct vsplit_bo *a;
	struct pollfd pfd[2];
	int other, file, references;
	uint32_t in;

	setup();
	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	other_ad = vsplit_adapter_create(&plain);
	other = vsplit_adapter_open(other_ad);
	references = vsplit_module_references();
	vsplit_escape(other, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	before = vsplit_cs(other);
	vsplit_cs_nop(before, 8);
	vsplit_cs_submit(before, vsplit_ctx(other, 0), 0);
	expect(drmSyncobjExportSyncFile(other, before->out, &file), 0);
	in = vsplit_syncobj(fd);
	expect(drmSyncobjImportSyncFile(fd, in, file), 0);
	close(file);

	a = vsplit_bo(fd, 'A', 8 * U);
	for (unsigned int n = 0; n < 2; n++) {
		queued[n] = vsplit_cs(fd);
		if (!n)
			vsplit_cs_wait_for(queued[n], in, 0);
		vsplit_cs_bind(queued[n], 0, a);
		vsplit_cs_add(queued[n], 0, 0, 1);
		vsplit_cs_submit(queued[n], vsplit_ctx(fd, 0), n ? 0 : VSPLIT_SUBMIT_FORCE_SPLIT);
		pfd[n].events = POLLIN;
		expect(drmSyncobjExportSyncFile(fd, queued[n]->out, &pfd[n].fd), 0);
	}
	igt_assert_eq(poll(pfd, 2, 50), 0);
	unbind();
	for (unsigned int n = 0; n < 2; n++) {
		igt_assert_eq(poll(&pfd[n], 1, VSPLIT_SOON_MS), 1);
		igt_assert_eq(vsplit_fence_status(pfd[n].fd), -ENODEV);
		close(pfd[n].fd);
	}
	igt_assert_f(can_touch(a->map, a->size), "a touch waits for who never comes\n");

	/* Now the jobs come to an engine that no longer exists. */
	vsplit_escape(other, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(before);
	vsplit_cleanup_file(fd);
	igt_assert(vsplit_soon(vsplit_module_references() <= references));
	rebind();
}

/* The time in ns of an unbind while 1000 submissions of each file wait for @other. */
static uint64_t unbind_ns(int other, uint32_t ctx, struct vsplit_cs *before, unsigned int files)
{
	uint64_t begin;
	int file;

	ad = vsplit_adapter_create(&plain);
	vsplit_escape(other, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(before, ctx, 0);
	expect(drmSyncobjExportSyncFile(other, before->out, &file), 0);
	for (unsigned int i = 0; i < files; i++) {
		int f = vsplit_adapter_open(ad);
		uint32_t in = vsplit_syncobj(f), queue = vsplit_ctx(f, 0);
		struct vsplit_cs *cs = vsplit_cs(f);

		expect(drmSyncobjImportSyncFile(f, in, file), 0);
		vsplit_cs_nop(cs, 8);
		vsplit_cs_wait_for(cs, in, 0);
		for (unsigned int n = 0; n < 1000; n++)
			expect(__vsplit_cs_submit(cs, queue, 0), 0);
	}
	close(file);
	begin = vsplit_now_ns();
	unbind();
	begin = vsplit_now_ns() - begin;
	vsplit_escape(other, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(before);
	rebind();
	return begin;
}

/**
 * SUBTEST: unbind-with-very-many-queued
 * Description: The time of an unbind grows linearly with the number of submissions that have not
 *   begun, not with its square.
 */
static void test_unbind_many(void)
{
	enum { FEW = 3, MANY = 20 };
	struct vsplit_adapter *other_ad;
	struct vsplit_cs *before;
	uint64_t few, many;
	uint32_t ctx;
	int other;

	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	other_ad = vsplit_adapter_create(&plain);
	other = vsplit_adapter_open(other_ad);
	ctx = vsplit_ctx(other, 0);
	before = vsplit_cs(other);
	vsplit_cs_nop(before, 8);
	/* Other work of the machine may make one measurement longer, hardly all of them. */
	for (unsigned int try = 0; try < 3; try++) {
		few = unbind_ns(other, ctx, before, FEW);
		many = unbind_ns(other, ctx, before, MANY);
		if (many < MANY * few / FEW + 100000000)
			break;
	}
	igt_assert_f(many < MANY * few / FEW + 100000000, "%" PRIu64 " us for %u, %" PRIu64
		     " for %u\n", few / 1000, FEW * 1000, many / 1000, MANY * 1000);
	vsplit_figure("R21", "us that an unbind with 20,000 submissions takes", many / 1000);
}

/**
 * SUBTEST: touched-after-unbind
 * Description: Processes touch the mappings of a removed adapter, one process after the other. All
 *   touches together take no more memory than one page.
 */
static void test_touched(void)
{
	enum { CHILDREN = 32 };
	uint64_t before, after;
	struct vsplit_bo *a;

	setup();
	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	a = vsplit_bo(fd, 'A', 128 * U);
	unbind();
	igt_assert(can_touch(a->map, a->size));
	before = vsplit_available_kib();
	for (unsigned int i = 0; i < CHILDREN; i++)
		igt_assert(can_touch(a->map, a->size));
	after = vsplit_available_kib();
	/* A page for each fault would take all of this. */
	igt_assert_f(after + CHILDREN * (a->size >> 10) / 4 > before,
		     "%" PRIu64 " KiB were there, and %" PRIu64 " KiB are left\n", before, after);
	vsplit_cleanup_file(fd);
	rebind();
}

static void *poller(void *arg)
{
	struct pollfd *p = arg;

	poll(p, 1, -1);
	return NULL;
}

/**
 * SUBTEST: unbind-ends-poll
 * Description: A poll() of a DRM file without a timeout ends when the adapter goes away. Each later
 *   poll() ends at once, whatever events it asks for. A poll() of the eventfd for trims ends, too.
 */
static void test_unbind_poll(void)
{
	const struct timespec soon = { time(NULL) + VSPLIT_SOON_MS / 1000, 0 };
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_EVENTFD };
	struct pollfd p[3];
	pthread_t threads[3];

	setup();
	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	args.fd = eventfd(0, 0);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &args), 0);
	for (unsigned int i = 0; i < 3; i++) {
		p[i] = (struct pollfd){ .fd = i < 2 ? fd : args.fd, .events = i ? POLLIN : 0 };
		igt_assert_eq(poll(&p[i], 1, 0), 0);
		igt_assert_eq(pthread_create(&threads[i], NULL, poller, &p[i]), 0);
	}
	usleep(100000);
	unbind();
	for (unsigned int i = 0; i < 3; i++) {
		igt_assert_eq(pthread_timedjoin_np(threads[i], NULL, &soon), 0);
		igt_assert_eq(p[i].revents, i < 2 ? POLLHUP | POLLERR : POLLIN);
		igt_assert_eq(poll(&p[i], 1, -1), 1);
	}
	close(args.fd);
	vsplit_cleanup_file(fd);
	rebind();
}

/* Reads from @fd. @arg: where the thread writes its id before it reads. */
static void *reader(void *arg)
{
	char event[64];
	ssize_t ret;

	__atomic_store_n((pid_t *)arg, gettid(), __ATOMIC_RELEASE);
	ret = read(fd, event, sizeof(event));
	return (void *)(intptr_t)(ret < 0 ? -errno : ret);
}

/* Wait until the thread sleeps in several checks in a row. */
static void wait_asleep(const pid_t *tid)
{
	unsigned int looks = 0;

	igt_assert(vsplit_soon(__atomic_load_n(tid, __ATOMIC_ACQUIRE)));
	igt_assert(vsplit_soon((looks = vsplit_task_state(*tid) == 'S' ? looks + 1 : 0) == 5));
}

/**
 * SUBTEST: unbind-ends-read
 * Description: Threads that wait in read() for an event of a DRM file get -ENODEV when the adapter
 *   goes away. So does each later read(), except that an event that came before is still delivered.
 *   A nonblocking read() does not wait for these threads.
 */
static void test_unbind_read(void)
{
	const struct timespec soon = { time(NULL) + VSPLIT_SOON_MS / 1000, 0 };
	struct drm_vsplit_trim_event event;
	pthread_t threads[2], other;
	pid_t tids[3] = { 0 };
	void *ret;
	int told;

	setup();
	igt_require(access(DRIVER "/unbind", W_OK) == 0);
	igt_assert_eq(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK), 0);
	told = vsplit_adapter_open(ad);
	vsplit_escape(told, VSPLIT_ESCAPE_TRIM, 0, 4096);
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(pthread_create(&threads[i], NULL, reader, &tids[i]), 0);
	for (unsigned int i = 0; i < 2; i++)
		wait_asleep(&tids[i]);
	igt_assert_eq(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
	igt_assert_eq(pthread_create(&other, NULL, reader, &tids[2]), 0);
	igt_assert_eq(pthread_timedjoin_np(other, &ret, &soon), 0);
	igt_assert_eq((int)(intptr_t)ret, -EAGAIN);
	unbind();
	for (unsigned int i = 0; i < 2; i++) {
		igt_assert_eq(pthread_timedjoin_np(threads[i], &ret, &soon), 0);
		igt_assert_eq((int)(intptr_t)ret, -ENODEV);
	}
	igt_assert_eq(read(told, &event, sizeof(event)), sizeof(event));
	igt_assert_eq_u64(event.bytes, 4096);
	igt_assert_eq(read(told, &event, sizeof(event)), -1);
	igt_assert_eq(errno, ENODEV);
	vsplit_close(told);
	vsplit_cleanup_file(fd);
	rebind();
}

/**
 * SUBTEST: disable-while-busy
 * Description: The same through configfs: writing 0 to "enable" does not wait for clients.
 */
static void test_disable_busy(void)
{
	struct vsplit_adapter_opts opts = plain;
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	uint32_t ctx;
	uint64_t t0;

	/* No timeout ends the work first. */
	opts.timeout_ms = 120000;
	ad = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	a = vsplit_bo(fd, 'A', 180 * U);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US);
	vsplit_cs_submit(cs, ctx, 0);
	t0 = vsplit_now_ns();
	vsplit_adapter_disable(ad);
	igt_assert_f(vsplit_now_ns() - t0 < 30000000000ull, "disabling waited for the client\n");
	check_gone(fd, a, ctx, cs);
	a->map[4096] = 7;
	vsplit_adapter_enable(ad);
	check_works(vsplit_adapter_open(ad));
}

static volatile bool stop;

static void *toucher(void *arg)
{
	struct vsplit_bo *a = arg;
	volatile uint8_t *map = a->map;

	for (uint64_t i = 0; !stop; i += 4096)
		map[i % a->size]++;
	return NULL;
}

/**
 * SUBTEST: unbind-with-threads
 * Description: The driver is unbound while threads submit and touch mappings. No signal comes, and
 *   nothing hangs.
 */
static void test_unbind_threads(void)
{
	igt_require(access("/sys/bus/platform", F_OK) == 0);
	for (unsigned int round = 0; round < 5; round++) {
		struct vsplit_cs *cs;
		struct vsplit_bo *a, *b;
		pthread_t thread;
		uint32_t ctx;
		pid_t pid;
		int ret, status;

		setup();
		ctx = vsplit_ctx(fd, 0);
		a = vsplit_bo(fd, 'A', 180 * U);
		b = vsplit_bo(fd, 'B', 180 * U);
		cs = vsplit_cs(fd);
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_cs_bind(cs, 0, i & 1 ? a : b);
			vsplit_cs_add(cs, 0, 0, 1);
		}
		stop = false;
		igt_assert_eq(pthread_create(&thread, NULL, toucher, a), 0);
		pid = vsplit_fork();
		if (!pid) {
			usleep(30000 + 20000 * round);
			_exit(__vsplit_write_file(DRIVER "/unbind", ad->device) != 0);
		}
		do {
			ret = __vsplit_cs_submit_next(cs, ctx, 0);
		} while (!ret);
		status = vsplit_reap(pid);
		usleep(20000);
		stop = true;
		pthread_join(thread, NULL);
		igt_assert_eq(ret, -ENODEV);
		igt_assert_eq(status, 0);
		vsplit_cleanup();
	}
}

/* The value of a line in the adapter's debugfs file of live objects. */
static int counter(const char *name)
{
	char path[64], text[1024], *line;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/counters", ad->primary);
	igt_require(!__vsplit_read_file(path, text, sizeof(text)));
	line = strstr(text, name);
	igt_assert_f(line, "no %s in %s\n", name, path);
	return atoi(line + strlen(name));
}

/**
 * SUBTEST: objects-return-to-zero
 * Description: After all files are closed, none of their objects is left.
 */
static void test_counters(void)
{
	static const char *const names[] = { "files ", "bos ", "queues ", "jobs ", "records " };

	setup();
	for (unsigned int i = 0; i < 5; i++) {
		struct vsplit_cs *cs;
		uint32_t ctx;

		if (i)
			fd = vsplit_adapter_open(ad);
		ctx = vsplit_ctx(fd, 0);
		cs = vsplit_cs(fd);
		for (unsigned int j = 0; j < 4; j++) {
			vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'A' + j, 150 * U));
			vsplit_cs_add(cs, 0, 0, j);
		}
		for (unsigned int j = 0; j < 70; j++)
			vsplit_cs_submit(cs, ctx, 0);
		igt_assert(counter("bos ") >= 4);
		igt_assert(counter("files ") >= 1);
		vsplit_cleanup_file(fd);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		int was, n = counter(names[i]);

		/* Freeing may take long; wait as long as the count gets smaller. */
		do
			was = n;
		while (n && vsplit_soon((n = counter(names[i])) < was));
		igt_assert_f(!n, "%s%d\n", names[i], n);
	}
}

/**
 * SUBTEST: churn
 * Description: Adapters are made and removed a hundred times with a client on each.
 */
static void test_churn(void)
{
	for (unsigned int i = 0; i < 100; i++) {
		struct vsplit_cs *cs;

		setup();
		cs = vsplit_cs(fd);
		for (unsigned int j = 0; j < 2; j++) {
			vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'A', 150 * U));
			vsplit_cs_add(cs, 0, 0, j);
		}
		vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
		if (i & 1)
			vsplit_adapter_disable(ad);
		vsplit_cleanup();
	}
}

static const struct vsplit_subtest tests[] = {
	{ "enable-disable", test_enable,
	  "Enabling makes the device and its nodes, disabling removes them; both can be repeated" },
	{ "written-only-while-disabled", test_busy,
	  "Options and segments of an enabled adapter cannot be written: -EBUSY" },
	{ "debugfs-has-each-option", test_config,
	  "The adapter's options file in debugfs lists all options of configfs, with the same "
	  "values" },
	{ "bad-values", test_bad_values,
	  "Each invalid value is refused when it is written, and changes nothing" },
	{ "bad-combinations", test_bad_combinations,
	  "Options that contradict each other are refused when the adapter is enabled. After they "
	  "are corrected, it can be enabled." },
	{ "segments", test_segments,
	  "An adapter has up to six segments, in order of their creation, and their names are "
	  "checked" },
	{ "many-adapters", test_many,
	  "Adapters are independent: each has its own memory, ids and statistics" },
	{ "removed-directory-removes-the-device", test_rmdir,
	  "rmdir of an enabled adapter removes its device" },
	{ "unbind-idle-with-files-open", test_unbind,
	  "After an unbind calls give -ENODEV and mappings raise no signal; after a bind the "
	  "adapter is there again" },
	{ "unbind-ends-poll", test_unbind_poll,
	  "The removal of an adapter ends each poll() of its files, and of eventfds for trims" },
	{ "unbind-ends-read", test_unbind_read,
	  "The removal of an adapter ends each read() of its files with -ENODEV, after events that "
	  "came before" },
	{ "unbind-beside-long-work", test_unbind_long,
	  "An unbind does not wait for programs that run or are queued, nor for paging, and does "
	  "not block another adapter" },
	{ "unbind-while-busy", test_unbind_busy,
	  "The driver is unbound while split buffers are running and queued. Their fences signal "
	  "with an error at once, and nothing hangs." },
	{ "unbind-with-queued", test_unbind_queued,
	  "An unbind ends the fences of work that waits for another adapter with -ENODEV at once" },
	{ "unbind-with-very-many-queued", test_unbind_many,
	  "The time of an unbind grows linearly with the number of submissions that have not "
	  "begun, not with its square" },
	{ "touched-after-unbind", test_touched,
	  "Processes touch the mappings of a removed adapter, one process after the other. All "
	  "touches together take no more memory than one page." },
	{ "disable-while-busy", test_disable_busy,
	  "Writing 0 to the file enable removes an adapter without waiting for its clients" },
	{ "unbind-with-threads", test_unbind_threads,
	  "The driver is unbound while threads submit and touch mappings. No signal comes, and "
	  "nothing hangs." },
	{ "objects-return-to-zero", test_counters,
	  "After all files are closed, none of their objects is left" },
	{ "churn", test_churn,
	  "Adapters are made and removed a hundred times with a client on each" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
