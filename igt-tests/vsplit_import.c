// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit import
 * Description: Buffers of other drivers (vgem, udmabuf) on the GPU, and allocations in other
 *   drivers; dumb buffers; Documentation/sharing.rst.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: dma-buf
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_share.h"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Buffers of other drivers (vgem, udmabuf) on the GPU, and allocations in "
		     "other drivers; dumb buffers; Documentation/sharing.rst.");

/* ---- other drivers ------------------------------------------------------ */

static int open_vgem(void)
{
	char path[64];

	if (access("/sys/module/vgem", F_OK) && system("modprobe -q vgem"))
		igt_skip("there is no vgem\n");
	for (int i = 0; i < 64; i++) {
		drmVersionPtr version;
		bool found;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		found = version && !strcmp(version->name, "vgem");
		drmFreeVersion(version);
		if (found)
			return fd;
		close(fd);
	}
	igt_skip("there is no vgem\n");
}

/* A buffer of vgem, as a dma-buf. */
static int vgem_buffer(int vgem, uint64_t size, uint32_t *handle)
{
	struct drm_mode_create_dumb dumb = { .width = size / 4, .height = 1, .bpp = 32 };
	int dmabuf;

	igt_assert_eq(drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	igt_assert_eq_u64(dumb.size, size);
	igt_assert_eq(drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	*handle = dumb.handle;
	return dmabuf;
}

static uint8_t *map_dumb(int fd, uint32_t handle, uint64_t size)
{
	struct drm_mode_map_dumb map = { .handle = handle };
	void *p;

	igt_assert_eq(drmIoctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.offset);
	igt_assert(p != MAP_FAILED);
	return p;
}

struct vgem_fence_attach {
	uint32_t handle;
	uint32_t flags;
	uint32_t out_fence;
	uint32_t pad;
};

struct vgem_fence_signal {
	uint32_t fence;
	uint32_t flags;
};

#define VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)
#define VGEM_FENCE_WRITE	1

/**
 * SUBTEST: vgem-import
 * Description: The GPU works on the pages of a buffer of vgem, also in split buffers, and waits for
 *   vgem's fences. vgem sees that the buffer is busy.
 */
static void test_vgem_import(void)
{
	struct vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct vgem_fence_signal signal = {};
	int vgem, dmabuf;
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	uint32_t handle;
	uint8_t *map;

	vgem = open_vgem();
	side_new(&one);
	dmabuf = vgem_buffer(vgem, 4 * U, &handle);
	map = map_dumb(vgem, handle, 4 * U);
	memset(map, 0x3c, 4 * U);
	a = vsplit_bo_import(one.fd, 'A', dmabuf);
	close(dmabuf);
	igt_assert_eq(a->shadow[100], 0x3c);
	gpu_check(&one, a);
	gpu_set(&one, a, 0x12121212);
	igt_assert(!memcmp(map, a->shadow, a->size));
	cs = build_set(&one, a, 0x34343434);
	vsplit_cs_run(cs, one.ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert(!memcmp(map, a->shadow, a->size));

	attach.handle = handle;
	igt_assert_eq(drmIoctl(vgem, VGEM_FENCE_ATTACH, &attach), 0);
	cs = build_set(&one, a, 0x56565656);
	vsplit_cs_submit(cs, one.ctx, 0);
	usleep(20000);
	igt_assert(vsplit_syncobj_busy(one.fd, cs->out));
	igt_assert_eq(map[0], 0x34);
	signal.fence = attach.out_fence;
	igt_assert_eq(drmIoctl(vgem, VGEM_FENCE_SIGNAL, &signal), 0);
	vsplit_cs_wait(cs);
	igt_assert_eq(map[0], 0x56);

	/* vgem accepts no fence beside a fence of this driver that has not signalled. */
	vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 0x78787878);
	vsplit_cs_submit(cs, one.ctx, 0);
	igt_assert(drmIoctl(vgem, VGEM_FENCE_ATTACH, &attach) && errno == EBUSY);
	vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert_eq(map[0], 0x78);
	munmap(map, 4 * U);
	close(vgem);
	/* The buffer lives as long as the import. */
	memset(a->shadow, 0x78, a->size);
	gpu_check(&one, a);
}

/*
 * Imports, and gives back, with the @n-th thing that can fail failing. Returns whether it failed.
 */
static bool import_fails_at(unsigned int n, int dmabuf)
{
	uint32_t handle;
	bool failed;
	int ret;

	vsplit_inject_arm(VSPLIT_INJECT_SITE, n);
	ret = __vsplit_import(two.fd, dmabuf, &handle);
	failed = vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL);
	igt_assert(ret == 0 || ret == -ENOMEM || ret == -EINTR);
	igt_assert(failed || !ret);
	if (!ret)
		igt_assert_eq(__vsplit_gem_close(two.fd, handle), 0);
	return failed;
}

/**
 * SUBTEST: import-short-of-memory
 * Description: Memory runs short at each possible site of an import. Such an import changes
 *   nothing, and an import with enough memory works afterwards.
 */
static void test_import_nomem(void)
{
	struct vsplit_bo *a;
	unsigned int n = 0;
	int vgem, dmabuf;
	uint32_t handle;
	uint8_t *map;

	vsplit_inject_require(VSPLIT_INJECT_SITE);
	vgem = open_vgem();
	side_new(&two);
	dmabuf = vgem_buffer(vgem, 4 * U, &handle);
	map = map_dumb(vgem, handle, 4 * U);
	while (import_fails_at(++n, dmabuf))
		;
	igt_assert_lt(4, n);
	a = vsplit_bo_import(two.fd, 'A', dmabuf);
	close(dmabuf);
	gpu_set(&two, a, n);
	igt_assert(!memcmp(map, a->shadow, a->size));
	munmap(map, a->size);
	close(vgem);
}

/**
 * SUBTEST: vgem-export
 * Description: vgem imports an allocation of this driver. The allocation leaves its memory segment,
 *   and the GPU's writes go to the pages that vgem has, until vgem gives it back.
 */
static void test_vgem_export(void)
{
	struct vsplit_bo *a;
	uint32_t handle;
	int vgem, dmabuf;
	uint8_t *map;

	vgem = open_vgem();
	side_new(&one);
	a = vsplit_bo(one.fd, 'A', 4 * U);
	gpu_set(&one, a, 0x9a9a9a9a);
	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(drmPrimeFDToHandle(vgem, dmabuf, &handle), 0);
	igt_assert(info_flags(a) & VSPLIT_GEM_INFO_SHARED);
	igt_assert_eq(segment_of(a), 0);
	map = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	igt_assert(map != MAP_FAILED);
	close(dmabuf);
	igt_assert(!memcmp(map, a->shadow, a->size));
	for (unsigned int i = 0; i < 4; i++) {
		memset(map, i, a->size / 2);
		memset(a->shadow, i, a->size / 2);
		gpu_check(&one, a);
		gpu_set(&one, a, 0xbcbc0000 + i);
		igt_assert_eq(segment_of(a), 2);
		igt_assert(!memcmp(map, a->shadow, a->size));
	}
	munmap(map, a->size);
	close(vgem);
	igt_assert(becomes_unshared(a));
}

/**
 * SUBTEST: udmabuf-import
 * Description: The GPU works on pages of a memfd, in any order, through udmabuf.
 */
static void test_udmabuf(void)
{
	struct udmabuf_create_item items[4];
	struct udmabuf_create_list *list;
	struct vsplit_bo *a;
	int dev, mem, dmabuf;
	uint8_t *map;

	dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	igt_require_f(dev >= 0, "there is no udmabuf\n");
	side_new(&one);
	mem = memfd_create("vsplit", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	igt_assert_fd(mem);
	igt_assert_eq(ftruncate(mem, 8 * U), 0);
	igt_assert_eq(fcntl(mem, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	map = mmap(NULL, 8 * U, PROT_READ | PROT_WRITE, MAP_SHARED, mem, 0);
	igt_assert(map != MAP_FAILED);
	for (unsigned int i = 0; i < 8; i++)
		memset(map + i * U, 0xe0 + i, U);

	list = calloc(1, sizeof(*list) + sizeof(items));
	igt_assert(list);
	list->count = 4;
	for (unsigned int i = 0; i < 4; i++) {
		list->list[i].memfd = mem;
		list->list[i].offset = (6 - 2 * i) * U;
		list->list[i].size = U;
	}
	dmabuf = ioctl(dev, UDMABUF_CREATE_LIST, list);
	igt_assert_fd(dmabuf);
	free(list);
	a = vsplit_bo_import(one.fd, 'A', dmabuf);
	close(dmabuf);
	igt_assert_eq_u64(a->size, 4 * U);
	for (unsigned int i = 0; i < 4; i++)
		igt_assert_eq(a->shadow[i * U], 0xe6 - 2 * i);
	gpu_check(&one, a);
	gpu_set(&one, a, 0x45454545);
	for (unsigned int i = 0; i < 8; i++)
		igt_assert_eq(map[i * U + 99], i & 1 ? 0xe0 + i : 0x45);
	vsplit_bo_pattern(a, 4);
	gpu_check(&one, a);
	vsplit_bo_free(a);
	munmap(map, 8 * U);
	close(mem);
	close(dev);
}

/* A value in KiB of the fdinfo of @fd. */
static uint64_t fdinfo(int fd, const char *key)
{
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	igt_assert_eq(__vsplit_read_file(path, text, sizeof(text)), 0);
	line = strstr(text, key);
	igt_assert(line);
	return strtoull(line + strlen(key), NULL, 10);
}

/**
 * SUBTEST: imports-are-charged
 * Description: The structures that name an import's pages are charged to the importing user as long
 *   as the import exists, for each file separately.
 */
static void test_charged(void)
{
	static const struct vsplit_seg_opts segs[] = {
		{ "aper", true, .size = 1024 * U },
	};
	const uint64_t each = 512 * U / 4096 * 8 / 1024;
	uint64_t before;
	uint32_t handle;
	int vgem, dmabuf;
	int files[8];

	vgem = open_vgem();
	side_on(&one, segs, 1);
	dmabuf = vgem_buffer(vgem, 512 * U, &handle);
	before = fdinfo(one.fd, "vsplit-user-allocations:");
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++) {
		files[i] = vsplit_adapter_open(one.ad);
		igt_assert_eq(__vsplit_import(files[i], dmabuf, &handle), 0);
		igt_assert(fdinfo(one.fd, "vsplit-user-allocations:") >= before + (i + 1) * each);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		vsplit_close(files[i]);
	igt_assert(vsplit_soon(fdinfo(one.fd, "vsplit-user-allocations:") == before));
	close(dmabuf);
	close(vgem);
}

/* ---- dumb buffers ------------------------------------------------------- */

/**
 * SUBTEST: dumb
 * Description: Dumb buffers of the primary node: pitch and size are right, the CPU and the GPU
 *   share the bytes, and bad arguments are refused. The render node has no dumb buffers.
 */
static void test_dumb(void)
{
	static const struct {
		uint32_t width, height, bpp;
	} bad[] = {
		{ 0, 1, 32 }, { 1, 0, 32 }, { 1, 1, 0 }, { UINT32_MAX, 1, 32 },
		{ 65536, 65536, 32 },
	};
	struct drm_mode_create_dumb dumb = { .width = 100, .height = 30, .bpp = 24 };
	struct drm_mode_destroy_dumb destroy = {};
	uint8_t *map;
	int primary;
	struct vsplit_bo *bo;
	uint32_t ctx;
	int dmabuf;

	side_new(&one);
	igt_assert(drmIoctl(one.fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) && errno == EACCES);
	primary = vsplit_adapter_open_primary(one.ad);
	igt_assert_eq(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	igt_assert_eq_u32(dumb.pitch, 320);
	igt_assert_eq_u64(dumb.size, 12288);
	map = map_dumb(primary, dumb.handle, dumb.size);
	for (uint64_t i = 0; i < dumb.size; i++)
		igt_assert_eq(map[i], 0);
	memset(map, 0x21, dumb.size);

	igt_assert_eq(drmPrimeHandleToFD(primary, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	bo = vsplit_bo_import(primary, 'D', dmabuf);
	close(dmabuf);
	igt_assert_eq_u32(bo->handle, dumb.handle);
	igt_assert_eq(bo->map[5], 0x21);
	ctx = vsplit_ctx(primary, 0);
	{
		struct vsplit_cs *cs = vsplit_cs(primary);

		vsplit_cs_bind(cs, 0, bo);
		vsplit_cs_set(cs, 0, 64, 4096, 0x43434343);
		vsplit_cs_run(cs, ctx, 0);
	}
	igt_assert(!memcmp(map, bo->shadow, dumb.size));
	munmap(map, dumb.size);

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drm_mode_create_dumb args = {
			.width = bad[i].width, .height = bad[i].height, .bpp = bad[i].bpp,
		};

		igt_assert(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &args) &&
			   (errno == EINVAL || errno == E2BIG));
	}
	dumb.width = 1024;
	dumb.height = 1024;
	dumb.bpp = 32;
	igt_assert(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) && errno == E2BIG);
	dumb.width = 16;
	dumb.height = 16;
	igt_assert_eq(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	destroy.handle = dumb.handle;
	igt_assert_eq(drmIoctl(primary, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), 0);
	igt_assert(drmIoctl(primary, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy));
}

/**
 * SUBTEST: imports-have-no-table
 * Description: Many files import a buffer of many pages. All imports together take as much memory
 *   as their user is charged for, and little more.
 */
static void test_no_table(void)
{
	/*
	 * udmabuf would make a table for each import: 128 KiB, 48 MiB in all; three times the
	 * charge.
	 */
	enum { SIZE = 16 << 20, FILES = 384, SPARE_KIB = 12 << 10 };
	const struct vsplit_adapter_opts opts = {
		.segs = { { "gart", .aperture = true, .size = SIZE } },
		.slots = 16,
	};
	struct udmabuf_create create = { .size = SIZE };
	struct vsplit_adapter *ad;
	uint64_t before, after, held, charged;
	int dev, mem, dmabuf, fds[FILES];
	bool cheap = false;
	uint32_t handle;

	dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	igt_require_f(dev >= 0, "there is no udmabuf\n");
	ad = vsplit_adapter_create(&opts);
	mem = memfd_create("vsplit", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	igt_assert_fd(mem);
	igt_assert_eq(ftruncate(mem, SIZE), 0);
	igt_assert_eq(fcntl(mem, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	create.memfd = mem;
	dmabuf = ioctl(dev, UDMABUF_CREATE, &create);
	igt_assert_fd(dmabuf);
	/* Other processes may need memory during one measurement, hardly during all of them. */
	for (unsigned int try = 0; !cheap && try < 3; try++) {
		for (unsigned int i = 0; i < FILES; i++)
			fds[i] = vsplit_adapter_open(ad);
		/* The first import makes the shared structures. */
		igt_assert_eq(__vsplit_import(fds[0], dmabuf, &handle), 0);
		held = fdinfo(fds[0], "vsplit-user-allocations:");
		before = vsplit_available_kib();
		for (unsigned int i = 1; i < FILES; i++)
			igt_assert_eq(__vsplit_import(fds[i], dmabuf, &handle), 0);
		after = vsplit_available_kib();
		charged = fdinfo(fds[0], "vsplit-user-allocations:") - held;
		cheap = before <= after + charged + SPARE_KIB;
		for (unsigned int i = 0; i < FILES; i++)
			vsplit_close(fds[i]);
	}
	igt_assert_f(cheap, "%" PRIu64 " KiB, for %" PRIu64 "\n", before - after, charged);
	close(dmabuf);
	close(mem);
	close(dev);
}

static const struct vsplit_subtest tests[] = {
	{ "vgem-import", test_vgem_import,
	  "The GPU works on the pages of a buffer of vgem, also in split buffers, and waits for "
	  "vgem's fences. vgem sees that the buffer is busy." },
	{ "import-short-of-memory", test_import_nomem,
	  "Memory runs short at each possible site of an import. Such an import changes nothing, "
	  "and an import with enough memory works afterwards." },
	{ "vgem-export", test_vgem_export, "vgem imports an allocation of this driver" },
	{ "imports-are-charged", test_charged,
	  "The structures that name an import's pages are charged to the importing user as long as "
	  "the import exists, for each file separately" },
	{ "imports-have-no-table", test_no_table,
	  "Many files import a buffer of many pages. All imports together take as much memory as "
	  "their user is charged for, and little more." },
	{ "udmabuf-import", test_udmabuf,
	  "The GPU works on pages of a memfd, in any order, through udmabuf" },
	{ "dumb", test_dumb,
	  "Dumb buffers have the right pitch and size, share their bytes with CPU and GPU, and bad "
	  "arguments are refused" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
