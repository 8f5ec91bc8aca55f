// SPDX-License-Identifier: MIT
/*
 * What a process does to the driver besides its ioctls, from a seed: mappings, dma-bufs in
 * both directions, fences, the files of debugfs, tracing, configfs and the bus.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/perf_event.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <xf86drm.h>

#define U 4096ull
#define DEBUGFS "/sys/kernel/debug"
#define HOOKS DEBUGFS "/vsplit/fault/"
#define TRACING "/sys/kernel/tracing/"

struct vsplit_adapter *vsplit_fuzz_ad, *vsplit_fuzz_ad2;
const char *vsplit_fuzz_pci;
struct vsplit_fuzz_client vsplit_fuzz_clients[2];

/* What there is on this kernel; constant after vsplit_fuzz_other_start(). */
static int vgem = -1, udmabuf = -1, memory = -1, trace_pipe = -1;
static uint64_t trace_ids[32];
static unsigned int nr_trace_ids;

static unsigned int below(struct vsplit_rng *rng, unsigned int n)
{
	return vsplit_rng_below(rng, n);
}

static bool dice(struct vsplit_rng *rng, unsigned int one_in)
{
	return vsplit_fuzz_dice(rng, one_in);
}

/* A file is read to its end; what is in it does not matter. */
static int read_all(const char *path)
{
	char text[4096];
	int file = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (file < 0)
		return -errno;
	do {
		ret = read(file, text, sizeof(text));
	} while (ret > 0);
	ret = ret < 0 ? -errno : 0;
	close(file);
	return ret;
}

/* ---- clients ------------------------------------------------------------ */

void vsplit_fuzz_open(struct vsplit_fuzz_client *c)
{
	char path[32];

	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad->render);
	c->fd = open(path, O_RDWR | O_CLOEXEC);
}

void vsplit_fuzz_close(struct vsplit_fuzz_client *c)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++)
		if (c->maps[i])
			munmap(c->maps[i], c->map_size[i]);
	if (c->fd >= 0)
		close(c->fd);
	for (unsigned int i = 0; i < c->nr_files; i++)
		close(c->files[i]);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

/* ---- mappings ----------------------------------------------------------- */

/* A mapping of a client's, with at least a page; NULL: it has none there. */
static uint8_t *one_map(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint64_t *size)
{
	unsigned int at = below(rng, ARRAY_SIZE(c->maps));

	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++, at = (at + 1) % ARRAY_SIZE(c->maps)) {
		*size = c->map_size[at];
		if (c->maps[at])
			return c->maps[at];
	}
	return NULL;
}

static int keep_map(struct vsplit_fuzz_client *c, void *map, uint64_t size)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++) {
		void *none = NULL;

		if (__atomic_load_n(&c->maps[i], __ATOMIC_ACQUIRE) || c->map_size[i])
			continue;
		c->map_size[i] = size;
		if (__atomic_compare_exchange_n(&c->maps[i], &none, map, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return 0;
	}
	munmap(map, size);
	return -EMFILE;
}

static int map_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint64_t size;
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, &size);
	void *map;
	int ret;

	size = (size + U - 1) & ~(U - 1);
	if (!size || size > 64 * U || vsplit_fuzz_odd(rng))
		size = (1 + below(rng, 4)) * U;
	ret = __vsplit_mmap(c->fd, handle, size, &map);
	return ret ?: keep_map(c, map, size);
}

/* By a pipe: a fault that fails is an error then. */
static int touch(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	int pipes[2], ret = 0;
	uint64_t size;
	uint8_t *map = one_map(c, rng, &size);

	if (!map)
		return map_bo(c, rng);
	if (pipe(pipes))
		return -errno;
	for (unsigned int n = 1 + below(rng, 6); n && !ret; n--) {
		uint8_t *byte = map + below(rng, size - 8);

		if ((dice(rng, 2) && (write(pipes[1], "12345678", 8) != 8 ||
				      read(pipes[0], byte, 8) != 8)) ||
		    write(pipes[1], byte, 8) != 8 || read(pipes[0], &(uint64_t){ 0 }, 8) != 8)
			ret = -errno;
	}
	close(pipes[0]);
	close(pipes[1]);
	return ret;
}

static void unmap(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	unsigned int at = below(rng, ARRAY_SIZE(c->maps));

	if (c->maps[at])
		munmap(c->maps[at], c->map_size[at]);
	c->maps[at] = NULL;
	c->map_size[at] = 0;
}

/* What a program does to a mapping that is not the driver's business. */
static int remap(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint64_t size;
	uint8_t *map = one_map(c, rng, &size);
	void *other;
	pid_t pid;

	if (!map)
		return map_bo(c, rng);
	switch (below(rng, 6)) {
	case 0:
		return mprotect(map, size, dice(rng, 2) ? PROT_READ : PROT_READ | PROT_WRITE) ?
		       -errno : 0;
	case 1:
		return madvise(map, size, dice(rng, 2) ? MADV_DONTNEED : MADV_DONTFORK) ? -errno : 0;
	case 2:		/* another view of the same, for a moment */
		other = mremap(map, 0, size, MREMAP_MAYMOVE);
		if (other == MAP_FAILED)
			return -errno;
		return munmap(other, size) ? -errno : 0;
	case 3:		/* what cannot be mapped */
		other = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     dice(rng, 2) ? MAP_PRIVATE : MAP_SHARED, c->fd,
			     vsplit_fuzz_wild(rng) & ~(U - 1));
		if (other == MAP_FAILED)
			return -errno;
		return munmap(other, size) ? -errno : 0;
	case 4:
		return mlock(map, size) ? -errno : munlock(map, size) ? -errno : 0;
	default:	/* a child has it, too */
		pid = fork();
		if (!pid) {
			touch(c, rng);
			_exit(0);
		}
		return pid < 0 ? -errno : waitpid(pid, NULL, 0) == pid ? 0 : -errno;
	}
}

/* As a debugger would: /proc/self/mem goes through the mapping's access(). */
static int poke(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint8_t bytes[600] = {};
	uint64_t size;
	uint8_t *map = one_map(c, rng, &size);
	unsigned int n = 1 + below(rng, sizeof(bytes));
	off_t at;
	int ret;

	if (memory < 0 || !map)
		return map_bo(c, rng);
	/* over the end of a page, and of the mapping */
	at = (uintptr_t)map + below(rng, size);
	ret = dice(rng, 2) ? pwrite(memory, bytes, n, at) : pread(memory, bytes, n, at);
	return ret < 0 ? -errno : 0;
}

/* Lock, touch, unlock; now and then something is missing. */
static int locked(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	static const uint32_t flags[] = {
		0, 0, VSPLIT_LOCK_READ_ONLY, VSPLIT_LOCK_WRITE_ONLY, VSPLIT_LOCK_DONOT_WAIT,
		VSPLIT_LOCK_IGNORE_SYNC, VSPLIT_LOCK_IGNORE_READ_SYNC, VSPLIT_LOCK_DONOT_EVICT,
		VSPLIT_LOCK_ACQUIRE_APERTURE, VSPLIT_LOCK_DISCARD,
		VSPLIT_LOCK_WRITE_ONLY | VSPLIT_LOCK_DISCARD,
		VSPLIT_LOCK_ACQUIRE_APERTURE | VSPLIT_LOCK_DONOT_WAIT,
		VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_DONOT_EVICT,
	};
	uint64_t size;
	struct drm_vsplit_gem_lock args = {
		.handle = vsplit_fuzz_one(&c->bos, rng, &size),
		.flags = flags[below(rng, ARRAY_SIZE(flags))],
	};
	void *map;
	int ret;

	ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &args) ? -errno : 0;
	if (ret)
		return ret;
	if (!__vsplit_mmap(c->fd, args.handle, U, &map)) {
		if (pwrite(memory, "x", 1, (uintptr_t)map) < 0)
			ret = -errno;
		munmap(map, U);
	}
	args.flags = 0;
	if (!dice(rng, 4) && ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &args))
		ret = -errno;
	return ret;
}

/* ---- sharing ------------------------------------------------------------ */

/* An import on any client; a size is not known for it. */
static int import(struct vsplit_fuzz_client *to, int file, struct vsplit_rng *rng)
{
	struct drm_vsplit_gem_info info = {};
	int ret = drmPrimeFDToHandle(to->fd, file, &info.handle) ? -errno : 0;

	if (ret)
		return ret;
	if (!ioctl(to->fd, DRM_IOCTL_VSPLIT_GEM_INFO, &info))
		vsplit_fuzz_add(&to->bos, info.handle, info.size, rng);
	return 0;
}

static int export(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, NULL), foreign;
	int file, ret;

	if (drmPrimeHandleToFD(c->fd, handle, DRM_CLOEXEC | DRM_RDWR, &file))
		return -errno;
	switch (below(rng, 4)) {
	case 0:		/* vgem has its pages until the handle is closed */
		ret = vgem < 0 || drmPrimeFDToHandle(vgem, file, &foreign) ? -errno : 0;
		if (vgem >= 0 && !ret)
			drmCloseBufferHandle(vgem, foreign);
		break;
	case 1: {	/* another adapter */
		char path[32];
		int other;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad2->render);
		other = open(path, O_RDWR | O_CLOEXEC);
		ret = drmPrimeFDToHandle(other, file, &foreign) ? -errno : 0;
		vsplit_fuzz_add_file(c, other);
		break;
	}
	default:
		ret = import(&vsplit_fuzz_clients[below(rng, 2)], file, rng);
		break;
	}
	if (dice(rng, 2))
		vsplit_fuzz_add_file(c, file);
	else
		close(file);
	return ret;
}

static int import_vgem(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .height = 1 + below(rng, 6), .bpp = 32 };
	int file, ret;

	if (vgem < 0)
		return -ENODEV;
	if (drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -errno;
	ret = drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &file) ? -errno : 0;
	drmCloseBufferHandle(vgem, dumb.handle);
	if (ret)
		return ret;
	ret = import(c, file, rng);
	close(file);
	return ret;
}

static int import_udmabuf(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct udmabuf_create create = { .size = (1 + below(rng, 4)) * U };
	int file = -1, ret, pages;

	pages = memfd_create("fuzz", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (udmabuf < 0 || pages < 0) {
		close(pages);
		return -ENODEV;
	}
	create.memfd = pages;
	if (!ftruncate(pages, 8 * U) && !fcntl(pages, F_ADD_SEALS, F_SEAL_SHRINK))
		file = ioctl(udmabuf, UDMABUF_CREATE, &create);
	close(pages);
	if (file < 0)
		return -errno;
	ret = import(c, file, rng);
	close(file);
	return ret;
}

/* From another adapter of the driver, which keeps the file open. */
static int import_other(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_vsplit_gem_create create = { .size = (1 + below(rng, 6)) * U };
	char path[32];
	int other, file, ret;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad2->render);
	other = open(path, O_RDWR | O_CLOEXEC);
	if (other < 0)
		return -errno;
	ret = ioctl(other, DRM_IOCTL_VSPLIT_GEM_CREATE, &create) ? -errno : 0;
	if (!ret)
		ret = drmPrimeHandleToFD(other, create.handle, DRM_CLOEXEC | DRM_RDWR, &file) ?
		      -errno : 0;
	if (!ret) {
		ret = import(c, file, rng);
		close(file);
	}
	vsplit_fuzz_add_file(c, other);
	return ret;
}

/* The CPU looks at a dma-buf by itself. */
static int dmabuf(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint64_t size;
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, &size);
	struct dma_buf_sync sync = { .flags = 1 + below(rng, 3) };
	struct dma_buf_export_sync_file fences = { .flags = 1 + below(rng, 3), .fd = -1 };
	int file, ret = 0;
	void *map;

	if (drmPrimeHandleToFD(c->fd, handle, DRM_CLOEXEC | DRM_RDWR, &file))
		return -errno;
	map = mmap(NULL, U, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (map == MAP_FAILED)
		ret = -errno;
	else if (ioctl(file, DMA_BUF_IOCTL_SYNC, &sync))
		ret = -errno;
	if (!ret) {
		if (memory >= 0 && pwrite(memory, "dmabuf", 6, (uintptr_t)map) < 0)
			ret = -errno;
		sync.flags |= DMA_BUF_SYNC_END;
		ioctl(file, DMA_BUF_IOCTL_SYNC, &sync);
	}
	if (map != MAP_FAILED)
		munmap(map, U);
	if (!ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &fences))
		vsplit_fuzz_add_file(c, fences.fd);
	close(file);
	return ret;
}

/* What a fence says of itself, also when everything that it came from is gone. */
static int fence(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct sync_fence_info infos[8] = {};
	struct sync_file_info info = { .sync_fence_info = (uintptr_t)infos, .num_fences = 8 };
	struct sync_merge_data merge = { .fence = -1 };
	int file;

	if (drmSyncobjExportSyncFile(c->fd, vsplit_fuzz_one(&c->syncobjs, rng, NULL), &file))
		return -errno;
	ioctl(file, SYNC_IOC_FILE_INFO, &info);
	for (unsigned int i = 0; i < c->nr_files && merge.fence < 0; i++) {
		merge.fd2 = c->files[i];
		if (!ioctl(file, SYNC_IOC_MERGE, &merge))
			vsplit_fuzz_add_file(c, merge.fence);
	}
	vsplit_fuzz_add_file(c, file);
	return 0;
}

/* ---- root's files ------------------------------------------------------- */

static const char *const knobs[] = {
	"take_split_point", "evict_between", "random_placement", "always_repatch",
	"never_prepatch", "delay_paging", "expect_preparation_failure",
	"fail_acquire_swizzling_range", "lose_aperture_maps",
};
static bool knobs_set;

static int knob(struct vsplit_rng *rng)
{
	static const char *const values[] = { "0", "1", "2", "50", "1000001", "-1", "x" };

	__atomic_store_n(&knobs_set, true, __ATOMIC_RELAXED);
	return __vsplit_adapter_knob(vsplit_fuzz_ad, knobs[below(rng, ARRAY_SIZE(knobs))],
				     values[below(rng, dice(rng, 4) ? ARRAY_SIZE(values) : 3)]);
}

static int debugfs(struct vsplit_rng *rng)
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
	return read_all(path);
}

/* Test builds: what is written to the hooks, and what they tell. */
static int hooks(struct vsplit_rng *rng)
{
	static const char *const names[] = { "nth", "interrupt", "sites", "sync" };
	static const char *const texts[] = {
		"0", "3", "-1", "99999999999", "3 x", "hold", "hold nowhere", "release nowhere",
		"hold exec.unplug", "release exec.unplug", "keep x", "",
	};
	char path[64];
	int ret;

	snprintf(path, sizeof(path), HOOKS "%s", names[below(rng, ARRAY_SIZE(names))]);
	if (dice(rng, 2))
		return read_all(path);
	ret = __vsplit_write_file(path, texts[below(rng, ARRAY_SIZE(texts))]);
	__vsplit_write_file(HOOKS "nth", "0");
	__vsplit_write_file(HOOKS "interrupt", "0");
	__vsplit_write_file(HOOKS "sync", "release exec.unplug");
	__vsplit_write_file(HOOKS "sync", "release nowhere");
	return ret;
}

static int trace(struct vsplit_rng *rng)
{
	char text[8192];
	int ret;

	/* mostly it is on, also for the programs that follow */
	switch (below(rng, 32)) {
	case 0 ... 7:
		return __vsplit_write_file(TRACING "events/vsplit/enable", "1");
	case 8:
		return __vsplit_write_file(TRACING "events/vsplit/enable", "0");
	default:
		if (trace_pipe < 0)
			return -ENOENT;
		ret = read(trace_pipe, text, sizeof(text));
		return ret < 0 ? -errno : 0;
	}
}

/*
 * The driver's events as perf has them, of all that happens on a processor. They stay
 * open: switching them patches the kernel's code, which emulators are not good at.
 */
static int perf(struct vsplit_rng *rng)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	static bool open[ARRAY_SIZE(trace_ids)];
	unsigned int at;
	int file;

	if (!nr_trace_ids)
		return -ENOENT;
	at = below(rng, nr_trace_ids);
	attr.config = trace_ids[at];
	if (__atomic_exchange_n(&open[at], true, __ATOMIC_RELAXED))
		return 0;
	file = syscall(SYS_perf_event_open, &attr, -1, below(rng, 2), -1, PERF_FLAG_FD_CLOEXEC);
	return file < 0 ? -errno : 0;
}

/* ---- adapters ----------------------------------------------------------- */

/* An attribute of a directory gets some value: a good one, or not. */
static int configfs_write(struct vsplit_adapter *ad, const char *segment, struct vsplit_rng *rng)
{
	static const struct {
		const char *name, *good[3];
	} options[] = {
		{ "aperture_limit", { "0", "64K", "4096" } },
		{ "slots", { "8", "1", "64" } },
		{ "engines", { "1", "2", "4" } },
		{ "timeout_ms", { "200", "10", "5000" } },
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

/* Makes a directory, writes to it in any order, and takes it away in any state. */
static int configfs(struct vsplit_rng *rng)
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
		/* what cannot be changed any more */
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

/* What a bus does to a device: here the reset of a PCI function. */
static int bus(struct vsplit_rng *rng)
{
	char path[96];

	if (!vsplit_fuzz_pci)
		return debugfs(rng);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", vsplit_fuzz_pci);
	return __vsplit_write_file(path, "1");
}

/* ---- all ---------------------------------------------------------------- */

/* A context, allocations for more than the memory, syncobjs. */
static int populate_client(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_vsplit_ctx_create ctx = {
		.flags = dice(rng, 8) ? VSPLIT_CTX_WDDM_ERRORS : 0,
		.priority = below(rng, 3),
	};
	struct drm_vsplit_gem_create create;
	uint32_t handle;

	if (!ioctl(c->fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &ctx))
		vsplit_fuzz_add(&c->ctxs, ctx.ctx, 0, rng);
	for (unsigned int i = 3 + below(rng, 8); i; i--) {
		vsplit_fuzz_create_args(&create, rng);
		if (!ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &create))
			vsplit_fuzz_add(&c->bos, create.handle, create.size, rng);
	}
	for (unsigned int i = 0; i < 2; i++)
		if (!drmSyncobjCreate(c->fd, i, &handle))
			vsplit_fuzz_add(&c->syncobjs, handle, 0, rng);
	return map_bo(c, rng);
}

/* The other client, too, if it has nothing yet. */
static int populate(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	int ret = populate_client(c, rng);

	return other->ctxs.nr || ret ? ret : populate_client(other, rng);
}

/* A buffer, its end, and its record; in a new context if the one that it was for is lost. */
static int buffer(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_arrays *a = malloc(sizeof(*a));
	struct drm_vsplit_sync sync = { .flags = VSPLIT_SYNC_SIGNAL };
	struct drm_vsplit_ctx_create ctx = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };
	struct drm_vsplit_submit submit;
	struct drm_vsplit_record record;
	int ret;

	igt_assert(a);
	memset(a, 0, offsetof(struct vsplit_fuzz_arrays, out));
	vsplit_fuzz_stream(c, a, rng);
	if (drmSyncobjCreate(c->fd, 0, &sync.handle)) {
		free(a);
		return -errno;
	}
	submit = (struct drm_vsplit_submit) {
		.ctx = vsplit_fuzz_one(&c->ctxs, rng, NULL),
		.flags = dice(rng, 3) ? below(rng, 4) : 0,
		.stream = (uintptr_t)a->stream,
		.stream_bytes = a->bytes,
		.allocs = (uintptr_t)a->allocs,
		.num_allocs = a->nr_allocs,
		.patches = (uintptr_t)a->patches,
		.num_patches = a->nr_patches,
		.syncs = (uintptr_t)&sync,
		.num_syncs = 1,
	};
	ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_SUBMIT, &submit) ? -errno : 0;
	if (ret == -EIO && !ioctl(c->fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &ctx)) {
		vsplit_fuzz_add(&c->ctxs, ctx.ctx, 0, rng);
		submit.ctx = ctx.ctx;
		ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_SUBMIT, &submit) ? -errno : 0;
	}
	if (!ret) {
		ret = __vsplit_syncobj_wait(c->fd, sync.handle, 0, 20);
		record = (struct drm_vsplit_record) {
			.ctx = submit.ctx,
			.submission = submit.submission,
			.events = (uintptr_t)a->out,
			.rows = (uintptr_t)a->out + 32768,
			.num_events = 200,
			.num_rows = 1000,
		};
		ioctl(c->fd, DRM_IOCTL_VSPLIT_RECORD, &record);
	}
	drmSyncobjDestroy(c->fd, sync.handle);
	free(a);
	return ret;
}

static int close_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, NULL);

	/* it stays on the list, and is tried again */
	return __vsplit_gem_close(c->fd, handle);
}

static int dumb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_mode_create_dumb args = {
		.width = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : 32,
		.height = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : 32,
		.bpp = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : 32,
	};
	char path[32];
	int file, ret;

	snprintf(path, sizeof(path), "/dev/dri/card%d", vsplit_fuzz_ad->primary);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return -errno;
	ret = ioctl(file, DRM_IOCTL_MODE_CREATE_DUMB, &args) ? -errno : 0;
	if (!ret) {
		struct drm_mode_map_dumb map = { .handle = args.handle };

		ioctl(file, DRM_IOCTL_MODE_MAP_DUMB, &map);
	}
	vsplit_fuzz_add_file(c, file);
	return ret;
}

int vsplit_fuzz_other(struct vsplit_fuzz_client *c, unsigned int call, struct vsplit_rng *rng)
{
	char path[64];
	uint32_t handle;

	switch (call) {
	case OTHER_CLOSE_BO:
		return close_bo(c, rng);
	case OTHER_SYNCOBJ:
		if (drmSyncobjCreate(c->fd, below(rng, 2), &handle))
			return -errno;
		vsplit_fuzz_add(&c->syncobjs, handle, 0, rng);
		return 0;
	case OTHER_MAP:
		return map_bo(c, rng);
	case OTHER_TOUCH:
		return touch(c, rng);
	case OTHER_UNMAP:
		unmap(c, rng);
		return 0;
	case OTHER_EXPORT:
		return export(c, rng);
	case OTHER_REOPEN:
		vsplit_fuzz_close(c);
		vsplit_fuzz_open(c);
		return 0;
	case OTHER_WAIT:
		return __vsplit_syncobj_wait(c->fd, vsplit_fuzz_one(&c->syncobjs, rng, NULL), 0, 20);
	case OTHER_DUMB:
		return dumb(c, rng);
	case OTHER_FDINFO:
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", c->fd);
		return read_all(path);
	case OTHER_KNOB:
		return knob(rng);
	case OTHER_UNBIND:
		vsplit_fuzz_rebind();
		return 0;
	case OTHER_POPULATE:
		return populate(c, rng);
	case OTHER_LOCKED:
		return locked(c, rng);
	case OTHER_REMAP:
		return remap(c, rng);
	case OTHER_POKE:
		return poke(c, rng);
	case OTHER_IMPORT:
		switch (below(rng, 3)) {
		case 0:
			return import_vgem(c, rng);
		case 1:
			return import_udmabuf(c, rng);
		default:
			return import_other(c, rng);
		}
	case OTHER_DMABUF:
		return dmabuf(c, rng);
	case OTHER_DEBUGFS:
		return debugfs(rng);
	case OTHER_HOOKS:
		return hooks(rng);
	case OTHER_TRACE:
		return trace(rng);
	case OTHER_PERF:
		return perf(rng);
	case OTHER_CONFIGFS:
		return configfs(rng);
	case OTHER_FENCE:
		return fence(c, rng);
	case OTHER_BUS:
		return bus(rng);
	case OTHER_BUFFER:
		return buffer(c, rng);
	}
	return 0;
}

static void find_trace_ids(void)
{
	char path[128], value[32];
	struct dirent *e;
	DIR *d = opendir(TRACING "events/vsplit");

	while (d && (e = readdir(d)) && nr_trace_ids < ARRAY_SIZE(trace_ids)) {
		snprintf(path, sizeof(path), TRACING "events/vsplit/%.60s/id", e->d_name);
		if (e->d_name[0] != '.' && !__vsplit_read_file(path, value, sizeof(value)))
			trace_ids[nr_trace_ids++] = strtoull(value, NULL, 0);
	}
	if (d)
		closedir(d);
}

void vsplit_fuzz_other_start(void)
{
	if (vgem < 0) {
		vgem = drmOpen("vgem", NULL);
		if (vgem < 0 && !system("modprobe -q vgem"))
			vgem = drmOpen("vgem", NULL);
	}
	if (udmabuf < 0)
		udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (trace_pipe < 0)
		trace_pipe = open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (!nr_trace_ids)
		find_trace_ids();
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
}

void vsplit_fuzz_other_end(void)
{
	if (__atomic_exchange_n(&knobs_set, false, __ATOMIC_RELAXED))
		for (unsigned int i = 0; i < ARRAY_SIZE(knobs); i++)
			__vsplit_adapter_knob(vsplit_fuzz_ad, knobs[i], "0");
}

void vsplit_fuzz_other_stop(void)
{
	__vsplit_write_file(TRACING "events/vsplit/enable", "0");
}
