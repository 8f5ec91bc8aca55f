// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: adapters, allocations, contexts.
 * Buffers are in igt_vsplit_cs.c, records in igt_vsplit_record.c.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_cleanup.h"

#include <xf86drm.h>
#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#define CONFIGFS "/sys/kernel/config"
#define ROOT CONFIGFS "/vsplit"
#define MAX_ADAPTERS 16
#define MAX_FILES 4096
#define TTM_LIMIT "/sys/module/ttm/parameters/pages_limit"

static struct vsplit_adapter adapters[MAX_ADAPTERS];
static int files[MAX_FILES];
static unsigned int nr_files;
static struct vsplit_bo *bos;
static pid_t owner;
/* TTM's limit before vsplit_ttm_limit() changed it; empty: the limit is unchanged. */
static char ttm_limit[32];

/* ---- files under /sys --------------------------------------------------- */

int __vsplit_write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(value);
	int ret = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, value, len);
	if (n < 0)
		ret = -errno;
	else if ((size_t)n != len)
		ret = -EIO;
	close(fd);
	return ret;
}

int __vsplit_read_file(const char *path, char *value, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, value + len, size - 1 - len)) > 0)
		len += n;
	n = n < 0 ? -errno : 0;
	close(fd);
	while (len && (value[len - 1] == '\n' || value[len - 1] == ' '))
		len--;
	value[len] = 0;
	return n;
}

static void restore_ttm_limit(int sig)
{
	if (ttm_limit[0])
		__vsplit_write_file(TTM_LIMIT, ttm_limit);
}

void vsplit_ttm_limit(uint64_t pages)
{
	char value[32];

	restore_ttm_limit(0);
	ttm_limit[0] = 0;
	if (!pages)
		return;
	igt_require(!__vsplit_read_file(TTM_LIMIT, value, sizeof(value)) &&
		    access(TTM_LIMIT, W_OK) == 0);
	igt_install_exit_handler(restore_ttm_limit);
	memcpy(ttm_limit, value, sizeof(value));
	snprintf(value, sizeof(value), "%" PRIu64, pages);
	igt_assert_eq(__vsplit_write_file(TTM_LIMIT, value), 0);
}

/* KiB in the per-processor lists of free pages, which MemAvailable does not count. */
static uint64_t kept_by_processors(void)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	uint64_t pages = 0, count;
	char line[256];

	igt_assert(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %" SCNu64, &count) == 1)
			pages += count;
	fclose(file);
	return pages * getpagesize() / 1024;
}

uint64_t vsplit_meminfo(const char *name)
{
	char text[8192], *line;

	igt_assert_eq(__vsplit_read_file("/proc/meminfo", text, sizeof(text)), 0);
	line = strstr(text, name);
	igt_assert(line);
	return strtoull(line + strlen(name), NULL, 10);
}

uint64_t vsplit_available_kib(void)
{
	return vsplit_meminfo("MemAvailable:") + kept_by_processors();
}

/* ---- adapters ----------------------------------------------------------- */

static void adapter_path(const struct vsplit_adapter *ad, const char *path, char *buf, size_t size)
{
	snprintf(buf, size, ROOT "/%s%s%s", ad->name, *path ? "/" : "", path);
}

int __vsplit_adapter_write(struct vsplit_adapter *ad, const char *path, const char *value)
{
	char buf[256];

	adapter_path(ad, path, buf, sizeof(buf));
	return __vsplit_write_file(buf, value);
}

int __vsplit_adapter_read(struct vsplit_adapter *ad, const char *path, char *value, size_t size)
{
	char buf[256];

	adapter_path(ad, path, buf, sizeof(buf));
	return __vsplit_read_file(buf, value, size);
}

int __vsplit_adapter_mkdir(struct vsplit_adapter *ad, const char *path)
{
	char buf[256];

	adapter_path(ad, path, buf, sizeof(buf));
	return mkdir(buf, 0755) ? -errno : 0;
}

int __vsplit_adapter_rmdir(struct vsplit_adapter *ad, const char *path)
{
	char buf[256];

	adapter_path(ad, path, buf, sizeof(buf));
	return rmdir(buf) ? -errno : 0;
}

static void adapter_write(struct vsplit_adapter *ad, const char *path, const char *format, ...)
{
	char value[64];
	va_list ap;
	int ret;

	va_start(ap, format);
	vsnprintf(value, sizeof(value), format, ap);
	va_end(ap);
	ret = __vsplit_adapter_write(ad, path, value);
	igt_assert_f(!ret, "writing %s to %s/%s: %s\n", value, ad->name, path, strerror(-ret));
}

static void exit_handler(int sig)
{
	if (getpid() == owner)
		vsplit_cleanup();
}

void vsplit_require_configfs(void)
{
	static bool handler;

	if (access(CONFIGFS, F_OK) == 0 && access(ROOT, F_OK) != 0)
		mount("configfs", CONFIGFS, "configfs", 0, NULL);
	igt_require_f(access(ROOT, W_OK) == 0,
		      "no " ROOT ": needs the vsplit module, configfs and root\n");
	if (!handler) {
		handler = true;
		owner = getpid();
		igt_install_exit_handler(exit_handler);
	}
}

struct vsplit_adapter *vsplit_adapter_prepare(const struct vsplit_adapter_opts *opts)
{
	static unsigned int serial;
	struct vsplit_adapter *ad = NULL;
	char path[128];
	int ret;

	vsplit_require_configfs();
	for (unsigned int i = 0; i < MAX_ADAPTERS; i++) {
		if (!adapters[i].used) {
			ad = &adapters[i];
			break;
		}
	}
	igt_assert(ad);
	memset(ad, 0, sizeof(*ad));
	ad->opts = *opts;
	ad->render = -1;
	ad->primary = -1;
	snprintf(ad->name, sizeof(ad->name), "igt-%d-%u", getpid(), serial++);
	ret = __vsplit_adapter_mkdir(ad, "");
	igt_assert_f(!ret, "mkdir " ROOT "/%s: %s\n", ad->name, strerror(-ret));
	ad->used = true;

	if (opts->slots)
		adapter_write(ad, "slots", "%u", opts->slots);
	if (opts->engines)
		adapter_write(ad, "engines", "%u", opts->engines);
	adapter_write(ad, "heads", "%u", opts->heads);
	if (opts->timeout_ms)
		adapter_write(ad, "timeout_ms", "%u", opts->timeout_ms);
	if (opts->trim_period_ms)
		adapter_write(ad, "trim_period_ms", "%u", opts->trim_period_ms);
	if (opts->aperture_limit)
		adapter_write(ad, "aperture_limit", "%" PRIu64, opts->aperture_limit);
	if (opts->preemption)
		adapter_write(ad, "preemption", "%s", opts->preemption);
	else
		adapter_write(ad, "save_restore", "%d", opts->save_restore);
	adapter_write(ad, "paging", opts->paging_own ? "own" : "same");
	adapter_write(ad, "clock", opts->model_clock ? "model" : "real");
	adapter_write(ad, "lenient", "%d", opts->lenient);
	adapter_write(ad, "victims", opts->lru ? "lru" : "next-use");
	adapter_write(ad, "splits", opts->planned ? "planned" : "wddm");
	adapter_write(ad, "leak_detection", "%d", opts->leak_detection);
	if (opts->contexts)
		adapter_write(ad, "contexts", "%s", opts->contexts);
	adapter_write(ad, "test", "%d", opts->test || getenv("VSPLIT_KNOBS"));

	for (const struct vsplit_seg_opts *seg = opts->segs; seg->name; seg++) {
		snprintf(path, sizeof(path), "segments/%s", seg->name);
		ret = __vsplit_adapter_mkdir(ad, path);
		igt_assert_f(!ret, "mkdir %s: %s\n", path, strerror(-ret));
		snprintf(path, sizeof(path), "segments/%s/type", seg->name);
		adapter_write(ad, path, seg->aperture ? "aperture" : "memory");
		snprintf(path, sizeof(path), "segments/%s/size", seg->name);
		adapter_write(ad, path, "%" PRIu64, seg->size);
		if (seg->commit) {
			snprintf(path, sizeof(path), "segments/%s/commit", seg->name);
			adapter_write(ad, path, "%" PRIu64, seg->commit);
		}
		if (seg->cpu) {
			snprintf(path, sizeof(path), "segments/%s/cpu", seg->name);
			adapter_write(ad, path, "%s", seg->cpu);
		}
		if (seg->ranges) {
			snprintf(path, sizeof(path), "segments/%s/ranges", seg->name);
			adapter_write(ad, path, "%u", seg->ranges);
		}
	}
	return ad;
}

static void apply_knobs(struct vsplit_adapter *ad)
{
	char buf[256], *knob, *rest = buf;
	const char *env = getenv("VSPLIT_KNOBS");

	if (!env || !*env)
		return;
	snprintf(buf, sizeof(buf), "%s", env);
	while ((knob = strsep(&rest, ","))) {
		char *value = strchr(knob, '=');

		igt_assert_f(value, "VSPLIT_KNOBS: no value for %s\n", knob);
		*value++ = 0;
		vsplit_adapter_knob(ad, knob, value);
	}
}

int __vsplit_adapter_enable(struct vsplit_adapter *ad)
{
	char value[64];
	int ret;

	ret = __vsplit_adapter_write(ad, "enable", "1");
	if (ret)
		return ret;
	ret = __vsplit_adapter_read(ad, "device", ad->device, sizeof(ad->device));
	if (ret)
		return ret;
	ret = __vsplit_adapter_read(ad, "render", value, sizeof(value));
	if (ret)
		return ret;
	ad->render = atoi(value);
	ret = __vsplit_adapter_read(ad, "primary", value, sizeof(value));
	if (ret)
		return ret;
	ad->primary = atoi(value);
	return 0;
}

void vsplit_adapter_enable(struct vsplit_adapter *ad)
{
	int ret = __vsplit_adapter_enable(ad);

	igt_assert_f(!ret, "enabling %s: %s\n", ad->name, strerror(-ret));
	apply_knobs(ad);
}

struct vsplit_adapter *vsplit_adapter_create(const struct vsplit_adapter_opts *opts)
{
	struct vsplit_adapter *ad = vsplit_adapter_prepare(opts);

	vsplit_adapter_enable(ad);
	return ad;
}

void vsplit_adapter_disable(struct vsplit_adapter *ad)
{
	adapter_write(ad, "enable", "0");
	ad->render = -1;
	ad->primary = -1;
}

static int adapter_remove(struct vsplit_adapter *ad)
{
	char path[384];
	struct dirent *e;
	int ret;
	DIR *d;

	__vsplit_adapter_write(ad, "enable", "0");
	adapter_path(ad, "segments", path, sizeof(path));
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "segments/%s", e->d_name);
		__vsplit_adapter_rmdir(ad, path);
	}
	if (d)
		closedir(d);
	ret = __vsplit_adapter_rmdir(ad, "");
	ad->used = false;
	return ret;
}

void vsplit_adapter_destroy(struct vsplit_adapter *ad)
{
	int ret = adapter_remove(ad);

	igt_assert_f(!ret, "removing %s: %s\n", ad->name, strerror(-ret));
}

int __vsplit_adapter_knob(struct vsplit_adapter *ad, const char *knob, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/%s", ad->primary, knob);
	return __vsplit_write_file(path, value);
}

void vsplit_adapter_knob(struct vsplit_adapter *ad, const char *knob, const char *value)
{
	int ret = __vsplit_adapter_knob(ad, knob, value);

	igt_assert_f(!ret, "knob %s=%s: %s\n", knob, value, strerror(-ret));
}

static int remember(int fd)
{
	igt_assert(nr_files < MAX_FILES);
	files[nr_files++] = fd;
	return fd;
}

static int open_node(const char *format, int minor)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), format, minor);
	if (!vsplit_soon((fd = open(path, O_RDWR | O_CLOEXEC)) >= 0 || errno != ENOENT))
		errno = ENOENT;
	igt_assert_f(fd >= 0, "open %s: %s\n", path, strerror(errno));
	return remember(fd);
}

int vsplit_open_render(int render)
{
	return open_node("/dev/dri/renderD%d", render);
}

int vsplit_adapter_open(struct vsplit_adapter *ad)
{
	return vsplit_open_render(ad->render);
}

int __vsplit_adapter_try_open(const struct vsplit_adapter *ad)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int vsplit_adapter_open_primary(struct vsplit_adapter *ad)
{
	return open_node("/dev/dri/card%d", ad->primary);
}

static bool is_vsplit(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool yes = version && !strcmp(version->name, "vsplit");

	drmFreeVersion(version);
	return yes;
}

int vsplit_open_any(bool render)
{
	char path[64];

	for (int i = 0; i < 64; i++) {
		int fd;

		snprintf(path, sizeof(path), render ? "/dev/dri/renderD%d" : "/dev/dri/card%d",
			 render ? i + 128 : i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_vsplit(fd))
			return remember(fd);
		close(fd);
	}
	igt_skip("there is no vsplit adapter\n");
}

void vsplit_close(int fd)
{
	struct vsplit_bo *bo;

	for (bo = bos; bo; bo = bo->next)
		if (bo->fd == fd)
			bo->fd = -1;
	for (unsigned int i = 0; i < nr_files; i++) {
		if (files[i] == fd) {
			files[i] = files[--nr_files];
			close(fd);
			return;
		}
	}
	igt_assert(!"a file of vsplit_adapter_open()");
}

void vsplit_cleanup_file(int fd)
{
	struct vsplit_bo *bo, *next;

	for (bo = bos; bo; bo = next) {
		next = bo->next;
		if (bo->fd == fd)
			vsplit_bo_free(bo);
	}
	vsplit_cs_forget(fd);
	vsplit_close(fd);
}

bool vsplit_knob(const char *knob)
{
	const char *env = getenv("VSPLIT_KNOBS");

	return env && strstr(env, knob);
}

bool vsplit_exact(void)
{
	return !vsplit_knob("take_split_point") && !vsplit_knob("evict_between") &&
	       !vsplit_knob("random_placement");
}

void vsplit_not_under(const char *knobs, const char *why)
{
	char names[128], *next = names, *knob;

	igt_assert((size_t)snprintf(names, sizeof(names), "%s", knobs) < sizeof(names));
	while ((knob = strsep(&next, ",")))
		igt_require_f(!vsplit_knob(knob), "not under the knob %s: %s\n", knob, why);
}

bool vsplit_injected(int ret)
{
	return ret == -ENOMEM && vsplit_knob("expect_preparation_failure");
}

/* ---- the end ------------------------------------------------------------- */

void vsplit_cleanup(void)
{
	vsplit_process_cleanup();
	vsplit_ttm_limit(0);
	vsplit_trace_cleanup();
	vsplit_record_cleanup();
	vsplit_cs_cleanup();
	while (bos)
		vsplit_bo_free(bos);
	while (nr_files)
		close(files[--nr_files]);
	for (unsigned int i = 0; i < MAX_ADAPTERS; i++)
		if (adapters[i].used)
			adapter_remove(&adapters[i]);
}

/* ---- queries ------------------------------------------------------------ */

int __vsplit_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

int __vsplit_ioctl_once(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

int __vsplit_query(int fd, uint32_t type, void *to, uint32_t *size)
{
	struct drm_vsplit_query q = {
		.type = type,
		.size = *size,
		.pointer = (uintptr_t)to,
	};
	int ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_QUERY, &q);

	*size = q.size;
	return ret;
}

void vsplit_query_adapter(int fd, struct drm_vsplit_adapter_info *info)
{
	uint32_t size = sizeof(*info);

	igt_assert_eq(__vsplit_query(fd, VSPLIT_QUERY_ADAPTER, info, &size), 0);
	igt_assert_eq(size, sizeof(*info));
}

unsigned int vsplit_query_segments(int fd, struct drm_vsplit_segment_info *segs)
{
	uint32_t size = VSPLIT_MAX_SEGMENTS * sizeof(*segs);

	igt_assert_eq(__vsplit_query(fd, VSPLIT_QUERY_SEGMENTS, segs, &size), 0);
	return size / sizeof(*segs);
}

void vsplit_query_statistics(int fd, struct drm_vsplit_statistics *stats)
{
	uint32_t size = sizeof(*stats);

	igt_assert_eq(__vsplit_query(fd, VSPLIT_QUERY_STATISTICS, stats, &size), 0);
	igt_assert_eq(size, sizeof(*stats));
}

/* ---- allocations -------------------------------------------------------- */

int __vsplit_create(int fd, struct drm_vsplit_gem_create *args)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, args);
}

int __vsplit_mmap(int fd, uint32_t handle, uint64_t size, void **map)
{
	struct drm_vsplit_gem_mmap_offset args = { .handle = handle };
	int ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &args);

	if (ret)
		return ret;
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.offset);
	return *map == MAP_FAILED ? -errno : 0;
}

struct vsplit_bo *vsplit_bo_args(int fd, char name, struct drm_vsplit_gem_create *args)
{
	int ret = __vsplit_create(fd, args);

	igt_assert_f(!ret, "creating %c of %" PRIu64 " bytes: %s\n", name, (uint64_t)args->size,
		     strerror(-ret));
	return vsplit_bo_take(fd, name, args);
}

struct vsplit_bo *vsplit_bo_take(int fd, char name, const struct drm_vsplit_gem_create *args)
{
	struct vsplit_bo *bo = calloc(1, sizeof(*bo));
	void *map;
	int ret;

	igt_assert(bo);
	bo->fd = fd;
	bo->handle = args->handle;
	bo->size = args->size;
	bo->id = args->id;
	bo->name = name;
	bo->next = bos;
	bos = bo;
	ret = __vsplit_mmap(fd, bo->handle, bo->size, &map);
	igt_assert_f(!ret, "mapping %c: %s\n", name, strerror(-ret));
	bo->map = map;
	bo->shadow = calloc(1, bo->size);
	igt_assert(bo->shadow);
	return bo;
}

const uint8_t in_first[2] = { 1, 0 }, in_second[2] = { 2, 0 };

struct vsplit_bo *vsplit_bo_in(int fd, char name, uint64_t size, uint32_t flags,
			       const uint8_t *segments)
{
	struct drm_vsplit_gem_create args = { .size = size, .flags = flags };

	for (; segments && *segments; segments++)
		args.segments[args.num_segments++] = *segments;
	return vsplit_bo_args(fd, name, &args);
}

struct vsplit_bo *vsplit_bo(int fd, char name, uint64_t size)
{
	return vsplit_bo_in(fd, name, size, 0, NULL);
}

int __vsplit_gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return __vsplit_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int vsplit_bo_export(const struct vsplit_bo *bo)
{
	int ret, dmabuf;

	ret = drmPrimeHandleToFD(bo->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf);
	igt_assert_f(!ret, "exporting %c: %s\n", bo->name, strerror(errno));
	return dmabuf;
}

int __vsplit_import(int fd, int dmabuf, uint32_t *handle)
{
	return drmPrimeFDToHandle(fd, dmabuf, handle) ? -errno : 0;
}

struct vsplit_bo *vsplit_bo_import(int fd, char name, int dmabuf)
{
	struct vsplit_bo *bo = calloc(1, sizeof(*bo));
	struct drm_vsplit_gem_info info;
	void *map;
	int ret;

	igt_assert(bo);
	ret = __vsplit_import(fd, dmabuf, &bo->handle);
	igt_assert_f(!ret, "importing %c: %s\n", name, strerror(-ret));
	bo->fd = fd;
	bo->name = name;
	bo->next = bos;
	bos = bo;
	igt_assert_eq(__vsplit_info(fd, bo->handle, &info), 0);
	bo->size = info.size;
	bo->id = info.id;
	ret = __vsplit_mmap(fd, bo->handle, bo->size, &map);
	igt_assert_f(!ret, "mapping %c: %s\n", name, strerror(-ret));
	bo->map = map;
	bo->shadow = malloc(bo->size);
	igt_assert(bo->shadow);
	memcpy(bo->shadow, bo->map, bo->size);
	return bo;
}

struct vsplit_bo *vsplit_bo_share(int fd, char name, const struct vsplit_bo *of)
{
	int dmabuf = vsplit_bo_export(of);
	struct vsplit_bo *bo = vsplit_bo_import(fd, name, dmabuf);

	close(dmabuf);
	return bo;
}

void vsplit_bo_free(struct vsplit_bo *bo)
{
	struct vsplit_bo **p = &bos;

	while (*p != bo)
		p = &(*p)->next;
	*p = bo->next;
	if (bo->map)
		munmap(bo->map, bo->size);
	if (bo->fd >= 0)
		__vsplit_gem_close(bo->fd, bo->handle);
	free(bo->shadow);
	free(bo);
}

void vsplit_bo_write(struct vsplit_bo *bo, uint64_t offset, const void *data, uint64_t size)
{
	igt_assert(offset + size <= bo->size);
	memcpy(bo->map + offset, data, size);
	memcpy(bo->shadow + offset, data, size);
}

void vsplit_bo_set(struct vsplit_bo *bo, uint8_t byte)
{
	memset(bo->map, byte, bo->size);
	memset(bo->shadow, byte, bo->size);
}

void vsplit_bo_pattern(struct vsplit_bo *bo, uint32_t seed)
{
	uint32_t *word = (uint32_t *)bo->shadow;

	for (uint64_t i = 0; i < bo->size / 4; i++)
		word[i] = (uint32_t)(i * 2654435761u) ^ (seed * 0x9e3779b9u) ^ seed << 24;
	memcpy(bo->map, bo->shadow, bo->size);
}

bool vsplit_bo_good(const struct vsplit_bo *bo)
{
	return !memcmp(bo->map, bo->shadow, bo->size);
}

void vsplit_bo_check(const struct vsplit_bo *bo)
{
	uint64_t i = 0;

	if (vsplit_bo_good(bo))
		return;
	while (i < bo->size && bo->map[i] == bo->shadow[i])
		i++;
	igt_assert_f(0, "%c differs from its reference from byte %#" PRIx64 " of %#" PRIx64
		     " on: %#04x, not %#04x\n", bo->name, i, bo->size,
		     i < bo->size ? bo->map[i] : 0, i < bo->size ? bo->shadow[i] : 0);
}

int __vsplit_info(int fd, uint32_t handle, struct drm_vsplit_gem_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = handle;
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_INFO, info);
}

void vsplit_info(const struct vsplit_bo *bo, struct drm_vsplit_gem_info *info)
{
	igt_assert_eq(__vsplit_info(bo->fd, bo->handle, info), 0);
}

bool vsplit_bo_resident(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.segment != 0;
}

int __vsplit_escape(int fd, uint32_t op, uint32_t handle, uint64_t value)
{
	struct drm_vsplit_escape args = { .op = op, .handle = handle, .value = value };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_ESCAPE, &args);
}

void vsplit_escape(int fd, uint32_t op, uint32_t handle, uint64_t value)
{
	int ret = __vsplit_escape(fd, op, handle, value);

	igt_assert_f(!ret, "escape %u: %s\n", op, strerror(-ret));
}

static int gem_lock(const struct vsplit_bo *bo, unsigned long request, uint32_t flags)
{
	struct drm_vsplit_gem_lock args = { .handle = bo->handle, .flags = flags };

	return __vsplit_ioctl(bo->fd, request, &args);
}

int __vsplit_lock(const struct vsplit_bo *bo, uint32_t flags)
{
	return gem_lock(bo, DRM_IOCTL_VSPLIT_GEM_LOCK, flags);
}

void vsplit_lock(const struct vsplit_bo *bo, uint32_t flags)
{
	int ret = __vsplit_lock(bo, flags);

	igt_assert_f(!ret, "locking %c: %s\n", bo->name, strerror(-ret));
}

int __vsplit_unlock(const struct vsplit_bo *bo)
{
	return gem_lock(bo, DRM_IOCTL_VSPLIT_GEM_UNLOCK, 0);
}

void vsplit_unlock(const struct vsplit_bo *bo)
{
	int ret = __vsplit_unlock(bo);

	igt_assert_f(!ret, "unlocking %c: %s\n", bo->name, strerror(-ret));
}

/* ---- contexts ----------------------------------------------------------- */

int __vsplit_ctx_create(int fd, struct drm_vsplit_ctx_create *args)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_CREATE, args);
}

uint32_t vsplit_ctx_on(int fd, uint32_t flags, uint32_t engine)
{
	struct drm_vsplit_ctx_create args = {
		.flags = flags,
		.priority = VSPLIT_CTX_PRIORITY_NORMAL,
		.engine = engine,
	};

	igt_assert_eq(__vsplit_ctx_create(fd, &args), 0);
	igt_assert(args.ctx);
	return args.ctx;
}

uint32_t vsplit_ctx(int fd, uint32_t flags)
{
	return vsplit_ctx_on(fd, flags, 0);
}

int __vsplit_ctx_destroy(int fd, uint32_t ctx)
{
	struct drm_vsplit_ctx_destroy args = { .ctx = ctx };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_DESTROY, &args);
}

int __vsplit_ctx_query(int fd, struct drm_vsplit_ctx_query *query)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_QUERY, query);
}

void vsplit_ctx_query(int fd, uint32_t ctx, struct drm_vsplit_ctx_query *query)
{
	memset(query, 0, sizeof(*query));
	query->ctx = ctx;
	igt_assert_eq(__vsplit_ctx_query(fd, query), 0);
}

uint32_t vsplit_ctx_state(int fd, uint32_t ctx, uint32_t *device_state)
{
	struct drm_vsplit_ctx_query q;

	vsplit_ctx_query(fd, ctx, &q);
	if (device_state)
		*device_state = q.device_state;
	return q.state;
}

/* ---- sync --------------------------------------------------------------- */

int vsplit_fence_status(int file)
{
	struct {
		char name[32];
		int32_t status;
		uint32_t flags;
		uint32_t num_fences;
		uint32_t pad;
		uint64_t infos;
	} info = {};

	igt_assert_eq(ioctl(file, _IOC(_IOC_READ | _IOC_WRITE, '>', 4, sizeof(info)), &info), 0);
	return info.status;
}

uint64_t vsplit_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void vsplit_at_most_twice(const char *what, uint64_t (*measure)(const void *how, bool more),
			  const void *how)
{
	uint64_t took[2] = { 0, 1 };

	/* A host that is slower than the model can lengthen either of the times: measure again. */
	for (unsigned int tries = 0; tries < 5 && took[1] > 2 * took[0]; tries++) {
		for (unsigned int more = 0; more < 2; more++) {
			took[more] = measure(how, more);
			vsplit_cleanup();
		}
		igt_info("%s: %llu us, then %llu us\n", what, (unsigned long long)took[0] / 1000,
			 (unsigned long long)took[1] / 1000);
	}
	igt_assert(took[1] <= 2 * took[0]);
}

uint32_t vsplit_syncobj(int fd)
{
	uint32_t handle;

	igt_assert_eq(drmSyncobjCreate(fd, 0, &handle), 0);
	return handle;
}

uint32_t vsplit_syncobj_signaled(int fd)
{
	uint32_t handle;

	igt_assert_eq(drmSyncobjCreate(fd, DRM_SYNCOBJ_CREATE_SIGNALED, &handle), 0);
	return handle;
}

int __vsplit_syncobj_wait(int fd, uint32_t handle, uint64_t point, int64_t timeout_ms)
{
	int64_t until = timeout_ms ? (int64_t)vsplit_now_ns() + timeout_ms * 1000000 : 0;

	if (point)
		return drmSyncobjTimelineWait(fd, &handle, &point, 1, until,
					      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL);
	return drmSyncobjWait(fd, &handle, 1, until, 0, NULL);
}

bool vsplit_syncobj_busy(int fd, uint32_t handle)
{
	int ret = __vsplit_syncobj_wait(fd, handle, 0, 0);

	igt_assert(ret == 0 || ret == -ETIME);
	return ret == -ETIME;
}

int vsplit_syncobj_status(int fd, uint32_t handle)
{
	int file, status;

	igt_assert_eq(drmSyncobjExportSyncFile(fd, handle, &file), 0);
	status = vsplit_fence_status(file);
	close(file);
	return status;
}

/* ---- random numbers ----------------------------------------------------- */

uint64_t vsplit_rng_next(struct vsplit_rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t vsplit_rng_below(struct vsplit_rng *rng, uint32_t below)
{
	return (vsplit_rng_next(rng) >> 32) * below >> 32;
}

uint64_t vsplit_fdinfo(int f, const char *key)
{
	char path[64], text[4096], *line;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", f);
	igt_assert_eq(__vsplit_read_file(path, text, sizeof(text)), 0);
	line = strstr(text, key);
	igt_assert_f(line, "fdinfo has no %s:\n%s\n", key, text);
	return strtoull(line + strlen(key), NULL, 10);
}
