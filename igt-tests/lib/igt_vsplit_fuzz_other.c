// SPDX-License-Identifier: MIT
/*
 * What a process does to the driver besides its ioctls, from a seed: the dispatcher of all these
 * steps, and the steps that belong to no other file.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#include <fcntl.h>
#include <xf86drm.h>

#define U 4096ull

struct vsplit_adapter *vsplit_fuzz_ad, *vsplit_fuzz_ad2;
const char *vsplit_fuzz_pci;
struct vsplit_fuzz_client vsplit_fuzz_clients[2];
struct vsplit_fuzz_env vsplit_fuzz_env = { -1, -1, -1, -1, false };

int vsplit_fuzz_read_all(const char *path)
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

/* ---- all ---------------------------------------------------------------- */

/* Makes a context, syncobjs, and more allocations than the memory holds. */
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
	return vsplit_fuzz_map_bo(c, rng);
}

/* Populates the other client, too, if it has nothing yet. */
static int populate(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	int ret = populate_client(c, rng);

	return other->ctxs.nr || ret ? ret : populate_client(other, rng);
}

/*
 * Submits a buffer, waits for it, and reads its record. If its context is lost, it uses a new
 * context.
 */
int vsplit_fuzz_buffer(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_arrays *a = vsplit_fuzz_arrays();
	struct drm_vsplit_sync sync = { .flags = VSPLIT_SYNC_SIGNAL };
	struct drm_vsplit_ctx_create ctx = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };
	struct drm_vsplit_submit submit;
	struct drm_vsplit_record record;
	int ret;

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

/* Files that were opened before the adapter went away are of no use: open new ones. */
static int begin_again(struct vsplit_rng *rng)
{
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_fuzz_close(&vsplit_fuzz_clients[i]);
		vsplit_fuzz_open(&vsplit_fuzz_clients[i]);
	}
	return populate(&vsplit_fuzz_clients[0], rng);
}

static int close_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, NULL);
	int ret = __vsplit_gem_close(c->fd, handle);

	/* Now and then the closed handle stays on the list, and is used again. */
	if (!ret && !dice(rng, 6))
		vsplit_fuzz_remove(&c->bos, handle);
	return ret;
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

static int play(struct vsplit_fuzz_client *c, unsigned int call, struct vsplit_rng *rng)
{
	switch (call) {
	case OTHER_WRONG:
		return vsplit_fuzz_wrong(c, rng);
	case OTHER_FAULTY:
		return play_faulty(c, rng);
	case OTHER_TIMELINE:
		return play_timeline(c, rng);
	case OTHER_MANY:
		return play_many(c, rng);
	case OTHER_HANG:
		return play_hang(c, rng);
	case OTHER_DYING:
		return play_dying(c, rng);
	case OTHER_RANGES:
		return play_ranges_taken(c, rng);
	case OTHER_PENDING:
		return play_pending(c, rng);
	case OTHER_PLAN:
		return play_plan(c, rng);
	case OTHER_SURFACE:
		return play_surface(c, rng);
	case OTHER_FOREIGN:
		return play_foreign(c, rng);
	case OTHER_ADAPTER:
		return vsplit_fuzz_adapter(rng);
	case OTHER_FILTER:
		return vsplit_fuzz_filter(rng);
	case OTHER_CLOCK:
		return play_clock(rng);
	case OTHER_CGROUP:
		return play_cgroup(c, rng);
	case OTHER_USER:
		return vsplit_fuzz_user(rng);
	}
	return 0;
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
		return vsplit_fuzz_map_bo(c, rng);
	case OTHER_TOUCH:
		return vsplit_fuzz_touch(c, rng);
	case OTHER_UNMAP:
		vsplit_fuzz_unmap(c, rng);
		return 0;
	case OTHER_EXPORT:
		return vsplit_fuzz_export(c, rng);
	case OTHER_REOPEN:
		vsplit_fuzz_close(c);
		vsplit_fuzz_open(c);
		return dice(rng, 4) ? 0 : populate(c, rng);
	case OTHER_WAIT:
		return __vsplit_syncobj_wait(c->fd, vsplit_fuzz_one(&c->syncobjs, rng, NULL), 0, 20);
	case OTHER_DUMB:
		return dumb(c, rng);
	case OTHER_FDINFO:
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", c->fd);
		return vsplit_fuzz_read_all(path);
	case OTHER_KNOB:
		return vsplit_fuzz_knob(rng);
	case OTHER_UNBIND:
		vsplit_fuzz_rebind();
		return dice(rng, 4) ? 0 : begin_again(rng);
	case OTHER_POPULATE:
		return populate(c, rng);
	case OTHER_LOCKED:
		return vsplit_fuzz_locked(c, rng);
	case OTHER_REMAP:
		return vsplit_fuzz_remap(c, rng);
	case OTHER_POKE:
		return vsplit_fuzz_poke(c, rng);
	case OTHER_IMPORT:
		switch (below(rng, 3)) {
		case 0:
			return vsplit_fuzz_import_vgem(c, rng);
		case 1:
			return vsplit_fuzz_import_udmabuf(c, rng);
		default:
			return vsplit_fuzz_import_other(c, rng);
		}
	case OTHER_DMABUF:
		return vsplit_fuzz_dmabuf(c, rng);
	case OTHER_DEBUGFS:
		return vsplit_fuzz_debugfs(rng);
	case OTHER_HOOKS:
		return vsplit_fuzz_hooks(rng);
	case OTHER_TRACE:
		return vsplit_fuzz_trace(rng);
	case OTHER_PERF:
		return vsplit_fuzz_perf(rng);
	case OTHER_CONFIGFS:
		return vsplit_fuzz_configfs(rng);
	case OTHER_FENCE:
		return vsplit_fuzz_fence(c, rng);
	case OTHER_BUS:
		return vsplit_fuzz_bus(rng);
	case OTHER_BUFFER:
		return vsplit_fuzz_buffer(c, rng);
	}
	return call >= OTHER_KMS_FB ? vsplit_fuzz_kms(c, call, rng) : play(c, call, rng);
}

void vsplit_fuzz_other_start(void)
{
	if (vsplit_fuzz_env.vgem < 0) {
		vsplit_fuzz_env.vgem = drmOpen("vgem", NULL);
		if (vsplit_fuzz_env.vgem < 0 && !system("modprobe -q vgem"))
			vsplit_fuzz_env.vgem = drmOpen("vgem", NULL);
	}
	if (vsplit_fuzz_env.udmabuf < 0)
		vsplit_fuzz_env.udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (vsplit_fuzz_env.trace_pipe < 0)
		vsplit_fuzz_env.trace_pipe = open("/sys/kernel/tracing/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	vsplit_fuzz_find_trace_ids();
	vsplit_fuzz_kms_start();
	vsplit_fuzz_env.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
}

void vsplit_fuzz_other_end(void)
{
	vsplit_fuzz_revive();
	vsplit_fuzz_kms_end(vsplit_fuzz_env.dirty);
	vsplit_fuzz_root_end();
}

void vsplit_fuzz_other_stop(void)
{
	vsplit_fuzz_root_stop();
}
