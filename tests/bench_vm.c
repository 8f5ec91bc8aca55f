// SPDX-License-Identifier: MIT
/*
 * What calls of the driver cost, in instructions. This is /init of a VM whose clock counts
 * instructions (scripts/bench --vm). The VM has one processor, no device that acts by itself, and
 * everything in the initramfs, so two boots print the same. Prints lines "NAME VALUE".
 *
 * The same boot also measures floors and peers: an ioctl that does nothing, looking up and locking
 * one allocation, two threads that wake each other, copying a page, an empty job of drm_sched,
 * entries that are only checked and written (bench_sched), and bochs, a driver on TTM whose
 * framebuffers take turns in video memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include <drm.h>
#include <drm_mode.h>
#include <drm/vsplit_drm.h>
#include <drm/vsplit_isa.h>

#define PAGE		4096u
#define MAX_ENTRIES	20000u
#define MAX_LIST	4000u
#define RESULTS		256

static struct { char name[64]; uint64_t value; } results[RESULTS];
static unsigned int nr_results;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("bench: ");
	vprintf(fmt, ap);
	printf(" (%s)\n", strerror(errno));
	fflush(stdout);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

__attribute__((format(printf, 2, 3))) static void row(uint64_t value, const char *fmt, ...)
{
	va_list ap;

	if (nr_results == RESULTS)
		die("too many results");
	va_start(ap, fmt);
	vsnprintf(results[nr_results].name, sizeof(results->name), fmt, ap);
	results[nr_results++].value = value;
}

/* ---- modules and devices ---- */

static void load(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST))
		die("%s", path);
	close(fd);
}

static int drm_fd = -1;

static void must(unsigned long request, void *arg, const char *what)
{
	while (ioctl(drm_fd, request, arg)) {
		if (errno != EINTR && errno != EAGAIN)
			die("%s", what);
	}
}

/* Load an adapter with these parameters; the previous one is unloaded. */
static void adapter(const char *params)
{
	char all[256];

	if (drm_fd >= 0) {
		close(drm_fd);
		while (syscall(SYS_delete_module, "vsplit", 0)) {
			if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EBUSY)
				die("unloading vsplit");
			usleep(1000);
		}
	}
	snprintf(all, sizeof(all), "aperture=0 timeout_ms=3600000 %s", params);
	load("/vsplit.ko", all);
	drm_fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	if (drm_fd < 0)
		die("no adapter with %s", params);
}

static uint32_t create(uint64_t bytes)
{
	struct drm_vsplit_gem_create args = { .size = bytes };

	must(DRM_IOCTL_VSPLIT_GEM_CREATE, &args, "creating an allocation");
	return args.handle;
}

static void destroy(uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	must(DRM_IOCTL_GEM_CLOSE, &args, "closing an allocation");
}

static uint32_t context(void)
{
	struct drm_vsplit_ctx_create args = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };

	must(DRM_IOCTL_VSPLIT_CTX_CREATE, &args, "creating a context");
	return args.ctx;
}

/* ---- submissions ---- */

static struct vsplit_packet_bind stream[MAX_ENTRIES + 1];
static struct drm_vsplit_patch patches[MAX_ENTRIES];
static struct drm_vsplit_alloc list[MAX_LIST];
static struct drm_vsplit_sync done = { .flags = VSPLIT_SYNC_SIGNAL };
static struct drm_vsplit_submit args;

/* Make a DMA buffer that binds allocations in turn. It may list more than it binds. */
static void make(uint32_t ctx, const uint32_t *handles, uint32_t nr, uint32_t entries,
		 uint32_t flags)
{
	struct drm_syncobj_create sync = {};
	uint32_t i;

	for (i = 0; i < nr; i++)
		list[i] = (struct drm_vsplit_alloc) { .handle = handles[i], .flags = flags };
	for (i = 0; i < entries; i++) {
		uint32_t at = i * sizeof(*stream);

		stream[i] = (struct vsplit_packet_bind) {
			.head = { .op = VSPLIT_OP_BIND, .size = sizeof(*stream), .arg = i % 64 },
		};
		patches[i] = (struct drm_vsplit_patch) {
			.alloc = i % nr, .slot = i % 64, .split_offset = at,
			.patch_offset = at + offsetof(struct vsplit_packet_bind, address),
		};
	}
	stream[entries] = (struct vsplit_packet_bind) {
		.head = { .op = VSPLIT_OP_NOP, .size = sizeof(*stream) },
	};
	must(DRM_IOCTL_SYNCOBJ_CREATE, &sync, "creating a syncobj");
	done.handle = sync.handle;
	args = (struct drm_vsplit_submit) {
		.ctx = ctx, .stream = (uintptr_t)stream, .allocs = (uintptr_t)list,
		.patches = (uintptr_t)patches, .syncs = (uintptr_t)&done,
		.stream_bytes = (entries + 1) * sizeof(*stream), .num_allocs = nr,
		.num_patches = entries, .num_syncs = 1,
	};
}

static void wait_done(void)
{
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&done.handle, .count_handles = 1, .timeout_nsec = INT64_MAX,
	};

	must(DRM_IOCTL_SYNCOBJ_WAIT, &wait, "waiting");
}

/* Instructions of the call alone: the engine begins only when this thread waits. */
static uint64_t submit(void)
{
	uint64_t begin = __rdtsc();

	must(DRM_IOCTL_VSPLIT_SUBMIT, &args, "submitting");
	return __rdtsc() - begin;
}

/* The same for an engine that is idle before and after. */
static uint64_t submit_idle(void)
{
	uint64_t cost = submit();

	wait_done();
	return cost;
}

static uint64_t submit_and_wait(void)
{
	uint64_t begin = __rdtsc();

	submit();
	wait_done();
	return __rdtsc() - begin;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * The lower quartile: some calls take longer because of timers, or because threads take turns in
 * another order. Sorts the array.
 */
static uint64_t usual(uint64_t *all, uint32_t times)
{
	qsort(all, times, sizeof(*all), by_value);
	return all[times / 4];
}

static uint64_t typical(uint64_t (*once)(void), uint32_t times)
{
	uint64_t all[64];
	uint32_t i;

	for (i = 0; i < 4; i++)
		once();
	for (i = 0; i < times; i++)
		all[i] = once();
	return usual(all, times);
}

/* ---- floors ---- */

static uint32_t floor_handle;

static uint64_t null_ioctl(void)
{
	struct drm_get_cap cap = { .capability = DRM_CAP_PRIME };
	uint64_t begin = __rdtsc();

	must(DRM_IOCTL_GET_CAP, &cap, "asking for a capability");
	return __rdtsc() - begin;
}

static uint64_t lookup_and_lock(void)
{
	struct drm_vsplit_gem_info info = { .handle = floor_handle };
	uint64_t begin = __rdtsc();

	must(DRM_IOCTL_VSPLIT_GEM_INFO, &info, "asking where an allocation is");
	return __rdtsc() - begin;
}

static uint64_t copy_page(void)
{
	static char from[PAGE] __attribute__((aligned(4096))), to[PAGE] __attribute__((aligned(4096)));
	uint64_t begin = __rdtsc();
	void *d = to, *s = from;
	long n = PAGE / 8;

	asm volatile("rep movsq" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
	return __rdtsc() - begin;
}

static uint32_t turn;

static void wait_turn(uint32_t whose)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != whose)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !whose, NULL);
}

static void give_turn(uint32_t whose)
{
	__atomic_store_n(&turn, whose, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1);
}

static void *other_thread(void *unused)
{
	for (;;) {
		wait_turn(1);
		give_turn(0);
	}
	return unused;
}

static uint64_t ping_pong(void)
{
	uint64_t begin = __rdtsc();

	give_turn(1);
	wait_turn(0);
	return __rdtsc() - begin;
}

static void floors(void)
{
	struct sched_param fifo = { .sched_priority = 1 };
	pthread_t thread;

	floor_handle = create(PAGE);
	row(typical(null_ioctl, 64), "floor.null-ioctl");
	row(typical(lookup_and_lock, 64) - typical(null_ioctl, 64), "floor.lookup-and-lock");
	row(typical(copy_page, 16), "floor.copy-page");
	if (pthread_create(&thread, NULL, other_thread, NULL))
		die("a thread");
	row(typical(ping_pong, 64), "floor.ping-pong");
	/* From now on only the threads that a measured call waits for run beside it. */
	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		die("sched_setscheduler");
}

/* ---- rows ---- */

static void some(uint32_t *handles, uint32_t nr, uint64_t bytes)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		handles[i] = create(bytes);
}

static void none(uint32_t *handles, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		destroy(handles[i]);
}

/* D5: instructions for each entry when everything is resident. */
static void entries(void)
{
	static const uint32_t counts[] = { 1000, 4000, 20000 };
	uint64_t cost[3];
	uint32_t handles[64], ctx = context(), i;

	some(handles, 64, PAGE);
	for (i = 0; i < 3; i++) {
		make(ctx, handles, 64, counts[i], 0);
		cost[i] = typical(submit_idle, 16);
		row(cost[i], "d5.submit-%u-entries", counts[i]);
	}
	row((cost[1] - cost[0]) / (counts[1] - counts[0]), "d5.entry");
	row((cost[2] - cost[1]) / (counts[2] - counts[1]), "d5.entry-of-many");
	none(handles, 64);
}

/*
 * D6: instructions for each allocation when everything is resident: the first submission of a
 * context, the same submission again, and the submission with one of a hundred allocations
 * replaced.
 */
static void resident(const char *what, bool bound)
{
	static uint32_t handles[1010];
	uint64_t all[3][8], cost[2][3];
	uint32_t n[2] = { 100, 1000 }, ctx, i, j, k;

	some(handles, 1010, PAGE);
	for (i = 0; i < 2; i++) {
		ctx = context();
		make(ctx, handles, 1010, 1010, 0);
		submit_and_wait();
		for (k = 0; k < 8; k++) {
			make(context(), handles, n[i], bound ? n[i] : 0, 0);
			all[0][k] = submit_idle();
			submit_and_wait();
			all[1][k] = submit_idle();
			for (j = 0; j < n[i] / 100; j++)
				list[j * 100].handle = handles[1000 + j];
			all[2][k] = submit_idle();
		}
		for (j = 0; j < 3; j++)
			cost[i][j] = usual(all[j], 8);
	}
	for (j = 0; j < 3; j++)
		row((cost[1][j] - cost[0][j]) / 900, "d6.%s-%s", what,
		    j == 0 ? "first" : j == 1 ? "again" : "changed");
	none(handles, 1010);
}

/*
 * D6: the same with explicit residency: the list of a submission has one allocation, and the device
 * requires as many allocations as are resident.
 */
static void required(void)
{
	static const uint32_t counts[] = { 100, 1000 };
	static uint32_t handles[1000];
	uint32_t i, there = 0;

	some(handles, 1000, PAGE);
	for (i = 0; i < 2; i++) {
		struct drm_vsplit_ctx_create ctx = {
			.priority = VSPLIT_CTX_PRIORITY_NORMAL, .mode = VSPLIT_CTX_MODE_EXPLICIT,
		};
		struct drm_vsplit_make_resident more = {
			.handles = (uintptr_t)(handles + there), .num_handles = counts[i] - there,
		};

		must(DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &more, "making allocations resident");
		there = counts[i];
		must(DRM_IOCTL_VSPLIT_CTX_CREATE, &ctx, "creating a context");
		make(ctx.ctx, handles, 1, 1, 0);
		submit_and_wait();
		row(typical(submit_and_wait, 32), "d6.submit-with-%u-required", counts[i]);
	}
	none(handles, 1000);
}

/* D7: submit work that does nothing, and wait for it. */
static void round_trip(const char *name)
{
	uint32_t handle = create(PAGE);

	make(context(), &handle, 1, 1, 0);
	submit_and_wait();
	row(typical(submit_and_wait, 32), "d7.%s", name);
	row(typical(submit, 32), "d7.%s-ioctl", name);
	wait_done();
}

/* Two allocations take turns in memory that has room for one. */
static uint32_t pair[2];
static uint32_t pair_flags;

static uint64_t take_turn(void)
{
	static uint32_t at;
	uint64_t cost;

	list[0].handle = pair[at++ % 2];
	list[0].flags = pair_flags;
	cost = submit_and_wait();
	return cost;
}

/*
 * D8: cost of a page, and of moving at all; written bytes are copied out, other bytes are dropped.
 * Each row also has the cost of the same call when nothing moves, which scripts/bench subtracts. It
 * compares the whole cost with earlier figures, because a thread that runs a moment sooner changes
 * a difference a lot.
 */
static void moves(void)
{
	static const uint32_t pages[] = { 1, 16, 64, 256 };
	uint64_t cost[4][2], floor;
	char params[64];
	uint32_t i;

	for (i = 0; i < 4; i++) {
		snprintf(params, sizeof(params), "vram=%uK", pages[i] * 4);
		adapter(params);
		some(pair, 2, (uint64_t)pages[i] * PAGE);
		make(context(), pair, 1, 1, VSPLIT_ALLOC_WRITE);
		pair_flags = VSPLIT_ALLOC_WRITE;
		cost[i][0] = typical(take_turn, 16);
		pair_flags = 0;
		take_turn();
		take_turn();
		cost[i][1] = typical(take_turn, 16);
		list[0].handle = pair[0];
		submit_and_wait();
		floor = typical(submit_and_wait, 16);
		row(cost[i][0], "d8.evict-and-load-%uK", pages[i] * 4);
		row(cost[i][1], "d8.drop-and-load-%uK", pages[i] * 4);
		row(floor, "d8.resident-%uK", pages[i] * 4);
		cost[i][0] -= floor;
		cost[i][1] -= floor;
	}
	row((cost[3][0] - cost[1][0]) / (2 * (pages[3] - pages[1])), "d8.page");
	row((cost[3][1] - cost[1][1]) / (pages[3] - pages[1]), "d8.page-in");
}

static uint64_t paged_in(void)
{
	struct drm_vsplit_statistics stats = {};
	struct drm_vsplit_query query = {
		.type = VSPLIT_QUERY_STATISTICS, .size = sizeof(stats), .pointer = (uintptr_t)&stats,
	};

	must(DRM_IOCTL_VSPLIT_QUERY, &query, "asking for statistics");
	return stats.paged_in_bytes;
}

/* D2: a loop over 24 MiB in 16 MiB, one submission for each allocation; KiB for each round. */
static void loop(const char *splits, const char *name)
{
	uint32_t handles[24], i, j;
	uint64_t before = 0;

	char params[64];

	snprintf(params, sizeof(params), "vram=16M splits=%s", splits);
	adapter(params);
	some(handles, 24, 1 << 20);
	make(context(), handles, 1, 1, 0);
	for (i = 0; i < 5; i++) {
		before = i == 1 ? paged_in() : before;
		for (j = 0; j < 24; j++) {
			list[0].handle = handles[j];
			submit_and_wait();
		}
	}
	row((paged_in() - before) / 1024 / 4, "%s", name);
}

static uint32_t *next;

static uint64_t one_more(void)
{
	list[0].handle = *next++;
	return submit_and_wait();
}

/* D11: what an operation costs when there is much that it does not concern. */
static void growth(void)
{
	static uint32_t handles[MAX_LIST];
	static const uint32_t many[] = { 100, 3000 }, contexts[] = { 1, 400 };
	static const uint32_t locked[] = { 1, 1000 };
	uint64_t replaced[16], same[16];
	uint32_t ctx, i, j;

	/* Many resident allocations: one more comes, and another one leaves for it. */
	for (i = 0; i < 2; i++) {
		char params[64];

		snprintf(params, sizeof(params), "vram=%uK", many[i] * 4);
		adapter(params);
		some(handles, many[i] + 32, PAGE);
		ctx = context();
		make(ctx, handles, 1, 1, 0);
		for (j = 0; j < many[i]; j++) {
			list[0].handle = handles[j];
			submit_and_wait();
		}
		next = handles + many[i];
		row(typical(one_more, 28), "d11.replace-one-of-%u", many[i]);
	}
	/* Many contexts that have worked and are idle. */
	for (i = 0; i < 2; i++) {
		adapter("vram=64M");
		handles[0] = create(PAGE);
		for (j = 0; j < contexts[i]; j++) {
			ctx = context();
			make(ctx, handles, 1, 1, 0);
			submit_and_wait();
		}
		row(typical(submit_and_wait, 32), "d11.submit-beside-%u-contexts", contexts[i]);
	}
	/* Many allocations of the list that stay, while one comes and one leaves. */
	for (i = 0; i < 2; i++) {
		uint32_t n = locked[i];
		char params[64];

		snprintf(params, sizeof(params), "vram=%uK", (n + 1) * 4);
		adapter(params);
		some(handles, n + 2, PAGE);
		ctx = context();
		make(ctx, handles, n, n, 0);
		submit_and_wait();
		make(ctx, handles, n + 1, n + 1, 0);
		for (j = 0; j < 16; j++) {
			list[n].handle = handles[n + j % 2];
			replaced[j] = submit_and_wait();
			same[j] = submit_and_wait();
		}
		row(usual(replaced, 16), "d11.replace-beside-%u-locked", n);
		row(usual(same, 16), "d11.same-beside-%u-locked", n);
	}
}

/* ---- peers ---- */

static int sched_fd;
/* Like struct bench_what of bench_sched. */
static struct {
	uint32_t entity, objects, entries, slots;
	uint64_t packets, elements;
} sched_what;

static uint64_t bare(void)
{
	uint64_t begin = __rdtsc();

	if (write(sched_fd, &sched_what, sizeof(sched_what)) != sizeof(sched_what))
		die("writing to bench_sched");
	return __rdtsc() - begin;
}

/* drm_exec and dma_resv alone, for D6: lock an object and add a fence. */
static void bare_objects(void)
{
	static const uint32_t counts[] = { 100, 1000 };
	uint64_t cost[2];
	uint32_t i;

	for (i = 0; i < 2; i++) {
		sched_what.objects = counts[i];
		cost[i] = typical(bare, 16);
	}
	sched_what.objects = 0;
	row((cost[1] - cost[0]) / (counts[1] - counts[0]), "peer.exec-object");
}

/* For D5: packets and elements that are only copied, checked and written. */
static void bare_entries(void)
{
	static const uint32_t counts[] = { 4000, 20000 };
	uint32_t handle = 0, i;
	uint64_t cost[2];

	make(0, &handle, 1, counts[1], 0);
	sched_what.slots = 64;
	sched_what.packets = (uintptr_t)stream;
	sched_what.elements = (uintptr_t)patches;
	for (i = 0; i < 2; i++) {
		sched_what.entries = counts[i];
		cost[i] = typical(bare, 16);
	}
	sched_what.entries = 0;
	row((cost[1] - cost[0]) / (counts[1] - counts[0]), "peer.entry");
}

/* drm_sched alone: an empty job, then an empty job beside 400 entities that have had one. */
static void empty_jobs(void)
{
	load("/bench_sched.ko", "");
	sched_fd = open("/dev/bench_sched", O_WRONLY | O_CLOEXEC);
	if (sched_fd < 0)
		die("/dev/bench_sched");
	bare_objects();
	bare_entries();
	row(typical(bare, 32), "peer.sched-beside-1-entities");
	for (sched_what.entity = 1; sched_what.entity < 400; sched_what.entity++)
		bare();
	sched_what.entity = 0;
	row(typical(bare, 32), "peer.sched-beside-400-entities");
	close(sched_fd);
}

/* bochs: sixteen framebuffers of 3 MiB take turns in 16 MiB of video memory. */
static void bochs(void)
{
	uint32_t connectors[4], crtcs[4], fbs[16], nr = 16, i, round;
	struct drm_mode_card_res res = {
		.connector_id_ptr = (uintptr_t)connectors, .count_connectors = 4,
		.crtc_id_ptr = (uintptr_t)crtcs, .count_crtcs = 4,
	};
	/* 1024x768 at 60 Hz. */
	struct drm_mode_modeinfo mode = {
		.clock = 65000, .hdisplay = 1024, .hsync_start = 1048, .hsync_end = 1184,
		.htotal = 1344, .vdisplay = 768, .vsync_start = 771, .vsync_end = 777, .vtotal = 806,
		.vrefresh = 60, .flags = 0xa, .name = "1024x768",
	};
	uint64_t moves[2] = {}, begin;

	close(drm_fd);
	drm_fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	if (drm_fd < 0)
		die("no bochs");
	must(DRM_IOCTL_MODE_GETRESOURCES, &res, "asking for heads");
	for (i = 0; i < nr; i++) {
		struct drm_mode_create_dumb dumb = { .width = 1024, .height = 768, .bpp = 32 };
		struct drm_mode_fb_cmd2 fb = { .width = 1024, .height = 768 };

		must(DRM_IOCTL_MODE_CREATE_DUMB, &dumb, "creating a dumb buffer");
		fb.pixel_format = 0x34325258;	/* XR24 */
		fb.handles[0] = dumb.handle;
		fb.pitches[0] = dumb.pitch;
		must(DRM_IOCTL_MODE_ADDFB2, &fb, "adding a framebuffer");
		fbs[i] = fb.fb_id;
	}
	/*
	 * The first two rounds populate all framebuffers; in the last one two take turns, and none
	 * moves.
	 */
	for (round = 0; round < 4; round++) {
		for (i = 0; i < nr; i++) {
			struct drm_mode_crtc crtc = {
				.set_connectors_ptr = (uintptr_t)connectors, .count_connectors = 1,
				.crtc_id = crtcs[0], .fb_id = fbs[round == 3 ? i % 2 : i],
				.mode_valid = 1, .mode = mode,
			};

			begin = __rdtsc();
			must(DRM_IOCTL_MODE_SETCRTC, &crtc, "showing a framebuffer");
			if (round >= 2 && i >= 2)
				moves[round - 2] += __rdtsc() - begin;
		}
	}
	row((moves[0] - moves[1]) / (nr - 2) / (2 * 768), "peer.bochs-page");
}

int main(void)
{
	unsigned int i;
	char path[32];

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("configfs", "/sys/kernel/config", "configfs", 0, NULL);
	for (i = 0;; i++) {
		snprintf(path, sizeof(path), "/modules/%02u.ko", i);
		if (access(path, F_OK))
			break;
		load(path, "");
	}
	adapter("vram=64M");
	floors();
	entries();
	resident("bound", true);
	resident("listed", false);
	round_trip("submit-and-wait");
	adapter("vram=64M contexts=patch,explicit");
	required();
	adapter("vram=64M slots=4096");
	round_trip("submit-and-wait-4096-slots");
	moves();
	loop("wddm", "d2.loop-kib");
	loop("planned", "d2.loop-planned-kib");
	/* Belady: in the long run, 8 of 23 allocations have to come again. */
	row(24 * 1024 * 8 / 23, "d2.loop-kib-bound");
	growth();
	empty_jobs();
	bochs();
	for (i = 0; i < nr_results; i++)
		printf("vm.%s %llu\n", results[i].name, (unsigned long long)results[i].value);
	printf("bench: done\n");
	fflush(stdout);
	reboot(RB_AUTOBOOT);
	return 1;
}
