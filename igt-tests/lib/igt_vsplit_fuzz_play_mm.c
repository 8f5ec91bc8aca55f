// SPDX-License-Identifier: MIT
/*
 * Plays about memory: swizzling ranges, pending ranges, surfaces, large plans, invalid imports and
 * exports, memory cgroups that are removed first.
 */
#include "igt.h"
#include "igt_vsplit_fuzz_play.h"

#include <linux/dma-buf.h>
#include <sys/stat.h>
#include <xf86drm.h>

#define U PLAY_PAGE

/* ---- swizzling ranges --------------------------------------------------- */

#define SURFACES 4

struct surface {
	uint32_t handle, pitch;
	unsigned int pages;
};

static void surface_make(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, struct surface *s,
			 int segment)
{
	s->pitch = VSPLIT_TILE_WIDTH * (1 + below(rng, 2));
	/* The bytes behind the last whole row of tiles stay linear. */
	s->pages = s->pitch / VSPLIT_TILE_WIDTH * (1 + below(rng, 2)) + dice(rng, 3);
	s->handle = play_bo(c, s->pages, dice(rng, 2) ? VSPLIT_GEM_CPU_ACCESS : 0, segment, s->pitch,
			    0);
}

/* The GPU writes the surface, and uses it for a moment. */
static void surface_use(struct vsplit_fuzz_client *c, const struct surface *s, uint32_t ctx,
			uint32_t us)
{
	struct play_buffer *b = play_buffer();

	play_bind(b, 0, s->handle, VSPLIT_ALLOC_WRITE, 0);
	play_fill(b, 0, 0, s->pages * U - 40);
	if (us)
		vsplit__put_head(&b->p, VSPLIT_OP_SPIN, us);
	play_send(c, b, ctx, 0, NULL);
	play_buffer_free(b);
}

static int surface_lock(struct vsplit_fuzz_client *c, const struct surface *s, uint32_t flags,
			bool unlock)
{
	struct drm_vsplit_gem_lock args = { s->handle, unlock ? 0 : flags };

	return ioctl(c->fd, unlock ? DRM_IOCTL_VSPLIT_GEM_UNLOCK : DRM_IOCTL_VSPLIT_GEM_LOCK,
		     &args) ? -errno : 0;
}

static int surface_step(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, struct surface *s,
			uint32_t ctx, int segment)
{
	static const uint32_t flags[] = {
		0, VSPLIT_LOCK_ACQUIRE_APERTURE, VSPLIT_LOCK_DONOT_EVICT, VSPLIT_LOCK_DONOT_WAIT,
		VSPLIT_LOCK_DISCARD, VSPLIT_LOCK_ACQUIRE_APERTURE | VSPLIT_LOCK_DONOT_EVICT,
	};

	switch (below(rng, 12)) {
	case 0 ... 2:
		return play_touch(c, s->handle, dice(rng, 2));
	case 3:
		return play_escape(c, VSPLIT_ESCAPE_EVICT, s->handle, 0);
	case 4 ... 5:
		return play_escape(c, VSPLIT_ESCAPE_PAGE_IN, s->handle, segment + 1);
	case 6:
		return surface_lock(c, s, flags[below(rng, ARRAY_SIZE(flags))], false);
	case 7:
		return surface_lock(c, s, 0, true);
	case 8:
		__vsplit_gem_close(c->fd, s->handle);
		surface_make(c, rng, s, segment);
		return 0;
	case 9:
		return vsplit_fuzz_read_segments();
	default:
		surface_use(c, s, ctx, dice(rng, 2) ? 300 : 0);
		return 0;
	}
}

/* More surfaces than ranges: ranges are acquired, taken over, left, and released while busy. */
int play_ranges_taken(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct surface surfaces[SURFACES] = {};
	uint32_t ctx = play_ctx(c, 0);
	struct play_pause pause = {};
	int segment = play_ranges(), ret = 0;
	bool fail = dice(rng, 6);

	if (segment < 0)
		segment = play_memory();
	for (unsigned int i = 0; i < SURFACES; i++) {
		surface_make(c, rng, &surfaces[i], segment);
		surface_use(c, &surfaces[i], ctx, 0);
	}
	/* Each surface acquires a range, taking over that of another surface. */
	for (unsigned int i = 0; i < SURFACES; i++) {
		play_escape(c, VSPLIT_ESCAPE_PAGE_IN, surfaces[i].handle, segment + 1);
		play_touch(c, surfaces[i].handle, true);
	}
	if (fail)
		vsplit_fuzz_set_knob("fail_acquire_swizzling_range", "1");
	for (unsigned int n = 6 + below(rng, 20); n; n--) {
		/* While the engine is stopped, only accesses to the bytes wait. */
		if (dice(rng, 6) && !pause.on)
			play_pause(&pause, c, 2 + below(rng, 8));
		ret = surface_step(c, rng, &surfaces[below(rng, SURFACES)], ctx, segment);
		if (dice(rng, 4))
			play_resume(&pause);
	}
	play_resume(&pause);
	if (fail)
		vsplit_fuzz_set_knob("fail_acquire_swizzling_range", "0");
	for (unsigned int i = 0; i < SURFACES; i++)
		__vsplit_gem_close(c->fd, surfaces[i].handle);
	play_ctx_end(c, ctx);
	return ret;
}

/* ---- ranges that are busy ----------------------------------------------- */

#define PENDING 24

/* Allocations come and go while the engine is stopped: they leave pending ranges behind. */
int play_pending(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	bool aperture = play_aperture() >= 0 && dice(rng, 3);
	int segment = aperture ? play_aperture() : play_memory(), ret = 0;
	struct play_pause pause;
	uint32_t bos[PENDING];

	for (unsigned int i = 0; i < PENDING; i++)
		bos[i] = play_bo(c, 1 + dice(rng, 4), dice(rng, 4) ? VSPLIT_GEM_TOPDOWN : 0, segment,
				 0, 0);
	play_pause(&pause, c, 1000);
	for (unsigned int n = 60 + below(rng, 60); n; n--) {
		uint32_t *bo = &bos[below(rng, PENDING)];

		switch (below(rng, 8)) {
		case 0 ... 3:
			ret = play_escape(c, VSPLIT_ESCAPE_PAGE_IN, *bo, segment + 1);
			break;
		case 4 ... 6:
			ret = play_escape(c, VSPLIT_ESCAPE_EVICT, *bo, 0);
			break;
		default:
			__vsplit_gem_close(c->fd, *bo);
			*bo = play_bo(c, 1 + dice(rng, 4), 0, segment, 0, 0);
		}
	}
	vsplit_fuzz_read_segments();
	/* A plan that covers these ranges. */
	vsplit_fuzz_buffer(c, rng);
	play_resume(&pause);
	for (unsigned int i = 0; i < PENDING; i++)
		__vsplit_gem_close(c->fd, bos[i]);
	return ret;
}

/* ---- large plans -------------------------------------------------------- */

/*
 * Single pages, more than a segment holds, so that lists get long and are cut. With eviction sets
 * if there is an aperture. Some pages are pinned, and pages of the other client are in between.
 */
int play_plan(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	uint32_t set = play_aperture() >= 0 && dice(rng, 2) ? 1u << play_aperture() : 0;
	bool large = vsplit_fuzz_ad->opts.segs[0].size > 64 * U;
	unsigned int nr = large ? 100 + below(rng, 10) : 20 + below(rng, 90);
	unsigned int one_in = 1 + below(rng, 4);
	int segment = set || dice(rng, 2) ? play_memory() :
		      play_aperture() >= 0 && dice(rng, 2) ? -2 : -1;
	struct play_buffer *b = play_buffer();
	uint32_t bos[110], foreign[8], wide = 0;
	int ret;

	for (unsigned int i = 0; i < nr; i++)
		bos[i] = play_bo(c, 1 + dice(rng, 8), dice(rng, 8) ? VSPLIT_GEM_TOPDOWN : 0, segment,
				 0, dice(rng, 3) ? 0 : set);
	for (unsigned int i = 0; i < ARRAY_SIZE(foreign); i++) {
		foreign[i] = play_bo(other, 1, dice(rng, 4) ? VSPLIT_GEM_PINNED : 0,
				     dice(rng, 2) ? play_memory() : -1, 0, 0);
		play_escape(other, VSPLIT_ESCAPE_PAGE_IN, foreign[i], 0);
	}
	/* Up, and down again: the last allocations are still resident. */
	for (unsigned int i = 0; i < nr + nr / 3; i++) {
		if (i % one_in == 0)
			b->split = b->bytes;
		play_bind(b, i % (vsplit_fuzz_ad->opts.slots ?: 8),
			  bos[i < nr ? i : 2 * nr - 1 - i],
			  dice(rng, 3) ? 0 : VSPLIT_ALLOC_WRITE, 0);
		if (i % one_in == 0)
			vsplit__put(&b->p, VSPLIT_OP_NOP, 8, 0);
	}
	/* Many neighbouring allocations make room for one. */
	if (large && nr % 2) {
		wide = play_bo(c, 40, 0, play_memory(), 0, 0);
		b->split = b->bytes;
		play_bind(b, 0, wide, VSPLIT_ALLOC_WRITE, 0);
		vsplit__put(&b->p, VSPLIT_OP_NOP, 8, 0);
	}
	if (dice(rng, 3))
		play_escape(c, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	ret = play_run(c, b, dice(rng, 3) ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
	b->nr_syncs = 0;
	if (!ret && dice(rng, 2))
		ret = play_run(c, b, 0);
	for (unsigned int i = 0; i < nr; i++)
		__vsplit_gem_close(c->fd, bos[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(foreign); i++)
		__vsplit_gem_close(other->fd, foreign[i]);
	__vsplit_gem_close(c->fd, wide);
	play_buffer_free(b);
	return ret;
}

/* ---- surfaces of several allocations ------------------------------------ */

static void surface_args(struct vsplit_rng *rng, struct drm_vsplit_surface_alloc *alloc,
			 struct drm_vsplit_surface_private *private)
{
	vsplit_fuzz_create_args(&alloc->create, rng);
	if (alloc->create.flags & VSPLIT_GEM_PINNED)
		alloc->create.flags = 0;
	private->format = dice(rng, 2);
	if (private->format) {
		alloc->create.flags = 0;
		alloc->create.pitch = 0;
	}
	alloc->private_data = (uintptr_t)private;
	alloc->private_bytes = sizeof(*private);
}

/* Makes argument @kind invalid; 0: none. */
static void surface_wrong(struct drm_vsplit_gem_surface *args, unsigned int kind,
			  struct drm_vsplit_surface_alloc *alloc,
			  struct drm_vsplit_surface_private *private)
{
	switch (kind) {
	case 1: args->num_allocs = 0; break;
	case 2: args->num_allocs = VSPLIT_MAX_SURFACE_ALLOCS + 1; break;
	case 3: args->pad = 1; break;
	case 4: args->allocs = 8; break;
	case 5: alloc->pad = 1; break;
	case 6: alloc->private_bytes = 3; break;
	case 7: alloc->private_bytes = VSPLIT_MAX_PRIVATE_BYTES + 1; break;
	case 8: alloc->private_data = 8; break;
	case 9: private->format = VSPLIT_SURFACE_TILED + 1; break;
	case 10:
		private->format = VSPLIT_SURFACE_TILED;
		alloc->create.flags = VSPLIT_GEM_CPU_ACCESS;
		break;
	case 11: alloc->create.size = 0; break;
	case 12: alloc->create.size = 1ull << 50; break;
	}
}

/* After that the CPU tries to access the tiled allocation. */
static void surface_access(struct vsplit_fuzz_client *c, uint32_t handle)
{
	struct drm_vsplit_gem_mmap_offset offset = { .handle = handle };
	struct drm_vsplit_gem_lock lock = { .handle = handle };
	struct drm_vsplit_gem_info info = { .handle = handle };
	int file;

	ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &offset);
	ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock);
	ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_INFO, &info);
	if (!drmPrimeHandleToFD(c->fd, handle, DRM_CLOEXEC | DRM_RDWR, &file)) {
		void *map = mmap(NULL, U, PROT_READ, MAP_SHARED, file, 0);

		if (map != MAP_FAILED)
			munmap(map, U);
		close(file);
	}
}

int play_surface(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_vsplit_surface_private private[VSPLIT_MAX_SURFACE_ALLOCS] = {};
	struct drm_vsplit_surface_alloc allocs[VSPLIT_MAX_SURFACE_ALLOCS] = {};
	int ret = 0;

	for (unsigned int kind = 0; kind <= 12; kind++) {
		struct drm_vsplit_gem_surface args = {
			.allocs = (uintptr_t)allocs,
			.num_allocs = 1 + below(rng, kind ? 3 : VSPLIT_MAX_SURFACE_ALLOCS),
		};
		unsigned int at = below(rng, args.num_allocs);

		memset(allocs, 0, sizeof(allocs));
		memset(private, 0, sizeof(private));
		for (unsigned int i = 0; i < args.num_allocs; i++)
			surface_args(rng, &allocs[i], &private[i]);
		surface_wrong(&args, kind, &allocs[at], &private[at]);
		ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args) ? -errno : 0;
		for (unsigned int i = 0; !ret && i < args.num_allocs; i++) {
			surface_access(c, args.handles[i]);
			__vsplit_gem_close(c->fd, args.handles[i]);
		}
	}
	return ret;
}

/* ---- sharing ------------------------------------------------------------ */

/* Accesses an import with the CPU, although its pages belong to the exporter. */
static void foreign_use(struct vsplit_fuzz_client *c, uint32_t handle)
{
	struct play_buffer *b = play_buffer();
	struct drm_vsplit_gem_info info = { .handle = handle };

	ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_INFO, &info);
	play_bind(b, 0, handle, VSPLIT_ALLOC_WRITE, 0);
	play_fill(b, 0, 0, 64);
	play_run(c, b, 0);
	play_buffer_free(b);
	play_touch(c, handle, true);
}

/* An import from vgem, of any size: some are too large, and some adapters have no aperture. */
static int foreign_vgem(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .bpp = 32 };
	uint32_t handle;
	int file, ret;

	dumb.height = 1 + below(rng, dice(rng, 2) ? 200 : 4);
	if (vsplit_fuzz_env.vgem < 0 ||
	    drmIoctl(vsplit_fuzz_env.vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -ENODEV;
	ret = drmPrimeHandleToFD(vsplit_fuzz_env.vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR,
				 &file) ? -errno : 0;
	drmCloseBufferHandle(vsplit_fuzz_env.vgem, dumb.handle);
	if (ret)
		return ret;
	ret = drmPrimeFDToHandle(c->fd, file, &handle) ? -errno : 0;
	close(file);
	if (!ret) {
		foreign_use(c, handle);
		__vsplit_gem_close(c->fd, handle);
	}
	return ret;
}

/*
 * Exports to another adapter, and frees import or original first; in between both adapters use it.
 */
static int foreign_export(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client there = {};
	uint32_t bo, handle = 0;
	char path[32];
	int file, ret;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad2->render);
	there.fd = open(path, O_RDWR | O_CLOEXEC);
	if (there.fd < 0)
		return -errno;
	bo = play_bo(c, 1 + below(rng, 3), dice(rng, 4) ? VSPLIT_GEM_PINNED : 0,
		     dice(rng, 3) ? play_memory() : -1, dice(rng, 4) ? VSPLIT_TILE_WIDTH : 0, 0);
	play_escape(c, VSPLIT_ESCAPE_PAGE_IN, bo, 0);
	play_touch(c, bo, true);
	ret = drmPrimeHandleToFD(c->fd, bo, DRM_CLOEXEC | DRM_RDWR, &file) ? -errno : 0;
	if (!ret) {
		ret = drmPrimeFDToHandle(there.fd, file, &handle) ? -errno : 0;
		if (!ret)
			foreign_use(&there, handle);
		foreign_use(c, bo);
		if (dice(rng, 2))
			__vsplit_gem_close(there.fd, handle);
		close(file);
	}
	__vsplit_gem_close(c->fd, bo);
	close(there.fd);
	return ret;
}

int play_foreign(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	int ret = 0;

	for (unsigned int n = 2 + below(rng, 4); n; n--)
		ret = dice(rng, 2) ? foreign_vgem(c, rng) : foreign_export(c, rng);
	return ret;
}

/* ---- memory cgroups ----------------------------------------------------- */

#define CGROUPS "/sys/fs/cgroup/"
#define CGROUP CGROUPS "vsplit-fuzz"

/* Allocations and work are charged to a cgroup, which is removed before they are freed. */
int play_cgroup(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct play_buffer *b = play_buffer();
	uint32_t handles[3], ctx;
	int ret;

	__vsplit_write_file(CGROUPS "cgroup.subtree_control", "+memory");
	mkdir(CGROUP, 0755);
	ret = __vsplit_write_file(CGROUP "/cgroup.procs", "0");
	for (unsigned int i = 0; i < 3; i++) {
		handles[i] = play_bo(c, 1 + below(rng, 3), VSPLIT_GEM_CPU_ACCESS, -1, 0, 0);
		play_touch(c, handles[i], true);
		play_bind(b, i, handles[i], VSPLIT_ALLOC_WRITE, 0);
		play_fill(b, i, 0, 1 + below(rng, PLAY_PAGE));
	}
	ctx = play_ctx(c, 0);
	play_send(c, b, ctx, 0, NULL);
	__vsplit_write_file(CGROUPS "cgroup.procs", "0");
	if (rmdir(CGROUP))
		ret = -errno;
	if (dice(rng, 2))
		play_send(c, b, ctx, 0, NULL);
	for (unsigned int i = 0; i < 2; i++)
		__vsplit_gem_close(c->fd, handles[i]);
	play_ctx_end(c, ctx);
	play_buffer_free(b);
	return ret;
}
