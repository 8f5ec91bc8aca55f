// SPDX-License-Identifier: MIT
/*
 * What a client does to the heads of an adapter, from a seed: framebuffers, commits, flips,
 * cursors, vblanks, leases, and root's files of the heads.
 *
 * A client has a file on the primary node from its first such step on. The first one that is
 * open is DRM master; now and then a step is made by a client that is none, most go to the one
 * that is. Whatever a step waits for, a signal ends: the client's own work, for which the
 * driver lets a commit wait as long as it likes, may have no end.
 */
#include "igt.h"
#include "igt_vsplit_fuzz_play.h"

#include <drm_fourcc.h>
#include <drm_mode.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define DEBUGFS "/sys/kernel/debug/dri/"

/* libdrm may be older than these calls. */
struct kms_closefb {
	uint32_t fb;
	uint32_t pad;
};

#define KMS_IOCTL_CLOSEFB DRM_IOWR(0xd0, struct kms_closefb)

#define KMS_W 64u
#define KMS_H 48u
#define KMS_PIXELS (1024u * 1024u)
#define KMS_LUT 256

/* ---- what there is ------------------------------------------------------ */

struct kms_object {
	uint32_t id;
	unsigned int nr;
	struct {
		uint32_t id;
		char name[28];
	} props[40];
};

struct kms_head {
	unsigned int pipe;
	struct kms_object crtc, connector, writeback;
	char name[24];			/* of the connector, in debugfs */
	struct kms_object planes[4];	/* from the lowest on */
	unsigned int nr_planes;
};

/* Objects have the same ids each time that an adapter is bound. */
static struct kms_display {
	const struct vsplit_adapter *ad;
	unsigned int nr;
	struct kms_head heads[2];
} displays[VSPLIT_FUZZ_WORLDS];

static unsigned int nr_displays;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
/* Since the last program heads may be lit, or have no monitor. */
static bool used;

static const struct kms_display *display_of(const struct vsplit_adapter *ad)
{
	for (unsigned int i = 0; i < nr_displays; i++)
		if (displays[i].ad == ad)
			return &displays[i];
	return NULL;
}

static void find_props(int fd, struct kms_object *o, uint32_t id)
{
	drmModeObjectPropertiesPtr props = drmModeObjectGetProperties(fd, id, DRM_MODE_OBJECT_ANY);

	o->id = id;
	for (uint32_t i = 0; props && i < props->count_props && o->nr < ARRAY_SIZE(o->props); i++) {
		drmModePropertyPtr prop = drmModeGetProperty(fd, props->props[i]);

		if (!prop)
			continue;
		o->props[o->nr].id = prop->prop_id;
		snprintf(o->props[o->nr++].name, sizeof(o->props[0].name), "%.27s", prop->name);
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(props);
}

static void find_connectors(int fd, struct kms_head *head, const drmModeRes *res)
{
	for (int i = 0; i < res->count_connectors; i++) {
		drmModeConnectorPtr con = drmModeGetConnectorCurrent(fd, res->connectors[i]);
		drmModeEncoderPtr enc = con ? drmModeGetEncoder(fd, con->encoders[0]) : NULL;

		if (enc && enc->possible_crtcs & (1u << head->pipe)) {
			if (con->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
				find_props(fd, &head->writeback, con->connector_id);
			} else {
				find_props(fd, &head->connector, con->connector_id);
				snprintf(head->name, sizeof(head->name), "Virtual-%u",
					 con->connector_type_id);
			}
		}
		drmModeFreeEncoder(enc);
		drmModeFreeConnector(con);
	}
}

static void find_planes(int fd, struct kms_head *head)
{
	drmModePlaneResPtr res = drmModeGetPlaneResources(fd);

	for (uint32_t i = 0; res && i < res->count_planes; i++) {
		drmModePlanePtr plane = drmModeGetPlane(fd, res->planes[i]);

		if (plane && plane->possible_crtcs & (1u << head->pipe) &&
		    head->nr_planes < ARRAY_SIZE(head->planes))
			find_props(fd, &head->planes[head->nr_planes++], plane->plane_id);
		drmModeFreePlane(plane);
	}
	drmModeFreePlaneResources(res);
}

static int open_primary(const struct vsplit_adapter *ad)
{
	char path[32];
	int file;

	snprintf(path, sizeof(path), "/dev/dri/card%d", ad->primary);
	/* events are read if there are any */
	file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return -errno;
	drmSetClientCap(file, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1);
	drmSetClientCap(file, DRM_CLIENT_CAP_ATOMIC, 1);
	drmSetClientCap(file, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1);
	return file;
}

void vsplit_fuzz_kms_find(const struct vsplit_adapter *ad)
{
	struct kms_display *d = &displays[nr_displays];
	int file = display_of(ad) || nr_displays == ARRAY_SIZE(displays) ? -1 : open_primary(ad);
	drmModeResPtr res;

	if (file < 0)
		return;
	res = drmModeGetResources(file);
	for (int i = 0; res && i < res->count_crtcs && d->nr < ARRAY_SIZE(d->heads); i++) {
		struct kms_head *head = &d->heads[d->nr++];

		head->pipe = i;
		find_props(file, &head->crtc, res->crtcs[i]);
		find_connectors(file, head, res);
		find_planes(file, head);
		igt_assert(head->connector.id && head->writeback.id && head->nr_planes > 1);
	}
	drmModeFreeResources(res);
	close(file);
	if (!d->nr)
		return;
	d->ad = ad;
	nr_displays++;
}

/* ---- waiting has an end ------------------------------------------------- */

#define KMS_PATIENCE_NS 150000000

static void wake(int signal_number)
{
}

static bool patience_begin(timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 5 };
	/* again and again: the first one may come before the wait */
	const struct itimerspec when = {
		.it_value.tv_nsec = KMS_PATIENCE_NS, .it_interval.tv_nsec = KMS_PATIENCE_NS / 8,
	};

	event._sigev_un._tid = syscall(SYS_gettid);
	return !timer_create(CLOCK_MONOTONIC, &event, timer) &&
	       !timer_settime(*timer, 0, &when, NULL);
}

/* Not libdrm's, which goes on when a signal has come. */
static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

/* ---- buffers and framebuffers ------------------------------------------- */

static uint32_t odd32(struct vsplit_rng *rng, uint32_t value)
{
	return vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : value;
}

/* An allocation of the file's: its own, or one of the client's. 0 if there is none. */
static uint32_t one_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint64_t size)
{
	struct drm_vsplit_gem_create create = { .size = size, .flags = VSPLIT_GEM_CPU_ACCESS };
	uint32_t handle = 0;
	uint64_t has;
	int file;

	switch (below(rng, 6)) {
	case 0:
		if (drmPrimeHandleToFD(c->fd, vsplit_fuzz_one(&c->bos, rng, NULL),
				       DRM_CLOEXEC | DRM_RDWR, &file))
			break;
		if (!drmPrimeFDToHandle(c->kms, file, &handle))
			vsplit_fuzz_add(&c->kms_bos, handle, lseek(file, 0, SEEK_END), rng);
		close(file);
		return handle;
	case 1:
		vsplit_fuzz_create_args(&create, rng);
		break;
	case 2 ... 3:
		handle = vsplit_fuzz_one(&c->kms_bos, rng, &has);
		if (c->kms_bos.nr && has >= size)
			return handle;
		break;
	default:
		break;
	}
	if (call(c->kms, DRM_IOCTL_VSPLIT_GEM_CREATE, &create))
		return 0;
	vsplit_fuzz_add(&c->kms_bos, create.handle, create.size, rng);
	return create.handle;
}

static const struct kms_format {
	uint32_t fourcc;
	uint32_t bytes;
} formats[] = {
	{ DRM_FORMAT_XRGB8888, 4 }, { DRM_FORMAT_ARGB8888, 4 }, { DRM_FORMAT_XRGB8888, 4 },
	{ DRM_FORMAT_ABGR8888, 4 }, { DRM_FORMAT_RGB565, 2 }, { DRM_FORMAT_ARGB1555, 2 },
	{ DRM_FORMAT_XRGB2101010, 4 }, { DRM_FORMAT_ARGB16161616, 8 }, { DRM_FORMAT_NV12, 1 },
	{ DRM_FORMAT_C8, 1 },
};

static uint32_t add_fb_of(struct vsplit_fuzz_client *c, struct vsplit_rng *rng,
			  const struct kms_format *format, uint32_t width, uint32_t height)
{
	bool tiled = format->fourcc != DRM_FORMAT_NV12 && dice(rng, 5);
	uint32_t align = tiled ? VSPLIT_TILE_WIDTH : 64, rows = height;
	struct drm_mode_fb_cmd2 args = {
		.width = odd32(rng, width), .height = odd32(rng, height),
		.pixel_format = odd32(rng, format->fourcc), .flags = odd32(rng, 0),
	};
	uint32_t pitch = (width * format->bytes + align - 1) / align * align;

	if (tiled)
		rows = (height + VSPLIT_TILE_HEIGHT - 1) / VSPLIT_TILE_HEIGHT * VSPLIT_TILE_HEIGHT;
	args.handles[0] = odd32(rng, one_bo(c, rng, (uint64_t)pitch * rows * 3 / 2));
	args.pitches[0] = odd32(rng, pitch);
	args.offsets[0] = odd32(rng, 0);
	if (tiled || dice(rng, 8)) {
		args.flags |= DRM_MODE_FB_MODIFIERS;
		args.modifier[0] = tiled ? DRM_FORMAT_MOD_VSPLIT_TILED : DRM_FORMAT_MOD_LINEAR;
		if (vsplit_fuzz_odd(rng))
			args.modifier[0] = vsplit_fuzz_wild(rng);
	}
	if (format->fourcc == DRM_FORMAT_NV12) {
		args.handles[1] = odd32(rng, args.handles[0]);
		args.pitches[1] = odd32(rng, pitch);
		args.offsets[1] = odd32(rng, pitch * height);
	}
	if (call(c->kms, DRM_IOCTL_MODE_ADDFB2, &args))
		return 0;
	vsplit_fuzz_add(&c->fbs, args.fb_id, (uint64_t)width << 32 | height, rng);
	return args.fb_id;
}

static const uint32_t fb_sizes[][2] = {
	{ KMS_W, KMS_H }, { KMS_W, KMS_H }, { 16, 16 }, { 32, 24 }, { 128, 64 }, { 8, 100 },
};

static int add_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	const uint32_t *size = fb_sizes[below(rng, ARRAY_SIZE(fb_sizes))];

	return add_fb_of(c, rng, &formats[below(rng, ARRAY_SIZE(formats))], size[0], size[1]) ?
	       0 : -errno;
}

/* One that there is, or a new one of the mode's size; with its own. */
static uint32_t one_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint32_t *w,
		       uint32_t *h)
{
	uint64_t size = (uint64_t)KMS_W << 32 | KMS_H;
	uint32_t id;

	if (!c->fbs.nr || dice(rng, 4))
		id = add_fb_of(c, rng, &formats[below(rng, 2)], KMS_W, KMS_H);
	else
		id = vsplit_fuzz_one(&c->fbs, rng, &size);
	*w = size >> 32 ?: 16;
	*h = (uint32_t)size ?: 16;
	return id;
}

static int fb_step(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint32_t id, w, h;
	int ret = 0;

	for (unsigned int n = below(rng, 4); n; n--)
		ret = add_fb(c, rng);
	switch (below(rng, 6)) {
	case 0: {
		uint32_t rm = id = one_fb(c, rng, &w, &h);

		ret = call(c->kms, DRM_IOCTL_MODE_RMFB, &rm);
		vsplit_fuzz_remove(&c->fbs, id);
		return ret;
	}
	case 1: {
		struct kms_closefb args = { .fb = one_fb(c, rng, &w, &h), .pad = odd32(rng, 0) };

		ret = call(c->kms, KMS_IOCTL_CLOSEFB, &args);
		vsplit_fuzz_remove(&c->fbs, args.fb);
		return ret;
	}
	case 2: {
		struct drm_mode_fb_cmd2 args = { .fb_id = one_fb(c, rng, &w, &h) };

		ret = call(c->kms, DRM_IOCTL_MODE_GETFB2, &args);
		/* handles of the allocations, which are there now once more */
		for (unsigned int i = 0; !ret && i < 2; i++)
			if (args.handles[i])
				vsplit_fuzz_add(&c->kms_bos, args.handles[i], PLAY_PAGE, rng);
		return ret;
	}
	case 3: {
		struct drm_clip_rect clips[3] = { { 0, 0, 8, 8 }, { 4, 4, below(rng, 200), 9 } };
		struct drm_mode_fb_dirty_cmd args = {
			.fb_id = one_fb(c, rng, &w, &h), .flags = odd32(rng, 0),
			.num_clips = odd32(rng, 1 + below(rng, 3)), .clips_ptr = (uintptr_t)clips,
		};

		return call(c->kms, DRM_IOCTL_MODE_DIRTYFB, &args);
	}
	case 4: {
		struct drm_mode_fb_cmd args = {
			.width = odd32(rng, KMS_W), .height = odd32(rng, KMS_H), .bpp = odd32(rng, 32),
			.pitch = odd32(rng, KMS_W * 4), .depth = odd32(rng, 24),
			.handle = one_bo(c, rng, KMS_W * KMS_H * 4),
		};

		ret = call(c->kms, DRM_IOCTL_MODE_ADDFB, &args);
		if (!ret)
			vsplit_fuzz_add(&c->fbs, args.fb_id, (uint64_t)KMS_W << 32 | KMS_H, rng);
		return ret;
	}
	default: {
		struct drm_gem_close args = { .handle = vsplit_fuzz_one(&c->kms_bos, rng, NULL) };

		if (dice(rng, 2))
			return add_fb(c, rng);
		/* the framebuffer keeps the allocation */
		ret = call(c->kms, DRM_IOCTL_GEM_CLOSE, &args);
		vsplit_fuzz_remove(&c->kms_bos, args.handle);
		return ret;
	}
	}
}

/* ---- commits ------------------------------------------------------------ */

struct kms_request {
	struct vsplit_rng *rng;
	uint32_t objects[32], counts[32], props[192];
	uint64_t values[192];
	unsigned int nr_objects, nr_props;
	/* where the kernel puts fences */
	int32_t out[4];
	int in;
};

static void set(struct kms_request *r, const struct kms_object *o, const char *name,
		uint64_t value)
{
	unsigned int i = 0;

	while (i < o->nr && strcmp(o->props[i].name, name))
		i++;
	if (i == o->nr || r->nr_props == ARRAY_SIZE(r->props))
		return;
	if (!r->nr_objects || r->objects[r->nr_objects - 1] != o->id) {
		if (r->nr_objects == ARRAY_SIZE(r->objects))
			return;
		r->counts[r->nr_objects] = 0;
		r->objects[r->nr_objects++] = odd32(r->rng, o->id);
	}
	r->counts[r->nr_objects - 1]++;
	r->props[r->nr_props] = odd32(r->rng, o->props[i].id);
	r->values[r->nr_props++] = vsplit_fuzz_odd(r->rng) ? vsplit_fuzz_wild(r->rng) : value;
}

static void request_begin(struct kms_request *r, struct vsplit_rng *rng)
{
	memset(r, 0, sizeof(*r));
	r->rng = rng;
	r->in = -1;
	for (unsigned int i = 0; i < ARRAY_SIZE(r->out); i++)
		r->out[i] = -1;
}

static int request_send(int fd, struct vsplit_fuzz_client *c, struct kms_request *r, uint32_t flags)
{
	struct drm_mode_atomic args = {
		.flags = flags,
		.count_objs = r->nr_objects,
		.objs_ptr = (uintptr_t)r->objects,
		.count_props_ptr = (uintptr_t)r->counts,
		.props_ptr = (uintptr_t)r->props,
		.prop_values_ptr = (uintptr_t)r->values,
		.user_data = flags,
	};
	int ret = call(fd, DRM_IOCTL_MODE_ATOMIC, &args);

	for (unsigned int i = 0; i < ARRAY_SIZE(r->out); i++)
		vsplit_fuzz_add_file(c, r->out[i]);
	if (r->in >= 0)
		close(r->in);
	return ret;
}

static uint32_t blob(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, const void *data,
		     uint32_t size)
{
	struct drm_mode_create_blob args = {
		.data = (uintptr_t)data, .length = vsplit_fuzz_odd(rng) ? below(rng, 4096) : size,
	};

	return call(c->kms, DRM_IOCTL_MODE_CREATEPROPBLOB, &args) ? 0 : args.blob_id;
}

/* States keep what they need of it. */
static void blob_end(struct vsplit_fuzz_client *c, uint32_t id)
{
	struct drm_mode_destroy_blob args = { .blob_id = id };

	if (id)
		call(c->kms, DRM_IOCTL_MODE_DESTROYPROPBLOB, &args);
}

/* Small, so that pictures are made quickly, and with frames that do not take long. */
static struct drm_mode_modeinfo one_mode(struct vsplit_rng *rng)
{
	struct drm_mode_modeinfo mode = {
		.clock = 288 << below(rng, 3), .vrefresh = 0, .name = "64x48",
		.hdisplay = KMS_W, .hsync_start = 66, .hsync_end = 68, .htotal = 80,
		.vdisplay = KMS_H, .vsync_start = 50, .vsync_end = 52, .vtotal = 60,
	};

	if (dice(rng, 6)) {
		mode.hdisplay = 32;
		mode.vdisplay = 24;
	}
	if (!vsplit_fuzz_odd(rng))
		return mode;
	switch (below(rng, 6)) {
	case 0:
		mode.flags = vsplit_fuzz_wild(rng);
		break;
	case 1:
		mode.clock = vsplit_fuzz_wild(rng);
		break;
	case 2:
		mode.htotal = vsplit_fuzz_wild(rng);
		break;
	case 3:
		mode.vscan = vsplit_fuzz_wild(rng);
		break;
	case 4:
		mode.hdisplay = mode.hsync_start = mode.hsync_end = mode.htotal = 5000;
		break;
	default:
		mode.vtotal = vsplit_fuzz_wild(rng);
		break;
	}
	/* a picture of many pixels takes an emulator long */
	if ((uint32_t)mode.hdisplay * mode.vdisplay > KMS_PIXELS)
		mode.vdisplay = 1;
	return mode;
}

static void set_off(struct kms_request *r, const struct kms_head *head)
{
	set(r, &head->connector, "CRTC_ID", 0);
	set(r, &head->writeback, "CRTC_ID", 0);
	set(r, &head->crtc, "MODE_ID", 0);
	set(r, &head->crtc, "ACTIVE", 0);
	for (unsigned int i = 0; i < head->nr_planes; i++) {
		set(r, &head->planes[i], "FB_ID", 0);
		set(r, &head->planes[i], "CRTC_ID", 0);
	}
}

static void set_looks(struct kms_request *r, const struct kms_object *plane)
{
	struct vsplit_rng *rng = r->rng;

	if (dice(rng, 2))
		set(r, plane, "rotation", 1u << below(rng, 4) | below(rng, 4) << 4);
	if (dice(rng, 2))
		set(r, plane, "alpha", dice(rng, 2) ? 0xffff : below(rng, 65536));
	if (dice(rng, 2))
		set(r, plane, "pixel blend mode", below(rng, 3));
	if (dice(rng, 3))
		set(r, plane, "zpos", below(rng, 3));
	if (dice(rng, 3))
		set(r, plane, "COLOR_ENCODING", below(rng, 3));
	if (dice(rng, 3))
		set(r, plane, "COLOR_RANGE", below(rng, 2));
}

/* The fence of some work of the client's, or of a commit before. */
static void set_in_fence(struct vsplit_fuzz_client *c, struct kms_request *r,
			 const struct kms_object *plane)
{
	if (r->in < 0 && drmSyncobjExportSyncFile(c->fd, vsplit_fuzz_one(&c->syncobjs, r->rng, NULL),
						  &r->in))
		r->in = -1;
	if (r->in >= 0)
		set(r, plane, "IN_FENCE_FD", r->in);
	else if (c->nr_files)
		set(r, plane, "IN_FENCE_FD", c->files[below(r->rng, ARRAY_SIZE(c->files))]);
}

static void set_plane(struct vsplit_fuzz_client *c, struct kms_request *r,
		      const struct kms_head *head, unsigned int at)
{
	const struct kms_object *plane = &head->planes[at];
	struct vsplit_rng *rng = r->rng;
	bool whole = !at || dice(rng, 4);
	uint32_t w, h, fb;

	if (at && dice(rng, 4)) {
		set(r, plane, "FB_ID", 0);
		set(r, plane, "CRTC_ID", 0);
		return;
	}
	fb = one_fb(c, rng, &w, &h);
	set(r, plane, "FB_ID", fb);
	set(r, plane, "CRTC_ID", head->crtc.id);
	set(r, plane, "SRC_X", dice(rng, 4) ? below(rng, w) << 14 : 0);
	set(r, plane, "SRC_Y", 0);
	set(r, plane, "SRC_W", (uint64_t)(dice(rng, 4) ? w / 2 : w) << 16);
	set(r, plane, "SRC_H", (uint64_t)h << 16);
	set(r, plane, "CRTC_X", whole ? 0 : (uint64_t)(int64_t)below(rng, 80) - 8);
	set(r, plane, "CRTC_Y", whole ? 0 : (uint64_t)(int64_t)below(rng, 60) - 8);
	set(r, plane, "CRTC_W", whole ? KMS_W : dice(rng, 2) ? w : 1 + below(rng, 2 * w));
	set(r, plane, "CRTC_H", whole ? KMS_H : dice(rng, 2) ? h : 1 + below(rng, 2 * h));
	if (dice(rng, 3))
		set_looks(r, plane);
	if (dice(rng, 5))
		set_in_fence(c, r, plane);
}

/* A mode; the blob is to be destroyed. */
static uint32_t set_mode(struct vsplit_fuzz_client *c, struct kms_request *r,
			 const struct kms_head *head)
{
	struct drm_mode_modeinfo mode = one_mode(r->rng);
	uint32_t id = blob(c, r->rng, &mode, sizeof(mode));

	set(r, &head->connector, "CRTC_ID", head->crtc.id);
	set(r, &head->crtc, "MODE_ID", id);
	set(r, &head->crtc, "ACTIVE", dice(r->rng, 8) ? 0 : 1);
	return id;
}

static uint32_t set_colors(struct vsplit_fuzz_client *c, struct kms_request *r,
			   const struct kms_head *head)
{
	static const char *const luts[] = { "GAMMA_LUT", "DEGAMMA_LUT" };
	struct drm_color_lut lut[KMS_LUT];
	struct drm_color_ctm ctm;
	struct vsplit_rng *rng = r->rng;
	uint32_t id = 0;

	if (dice(rng, 3)) {
		set(r, &head->crtc, luts[below(rng, 2)], 0);
		set(r, &head->crtc, "CTM", 0);
	} else if (dice(rng, 2)) {
		for (unsigned int i = 0; i < KMS_LUT; i++)
			lut[i] = (struct drm_color_lut) { i * 257, 65535 - i, below(rng, 65536), 0 };
		id = blob(c, rng, lut, sizeof(lut));
		set(r, &head->crtc, luts[below(rng, 2)], id);
	} else {
		for (unsigned int i = 0; i < 9; i++)
			ctm.matrix[i] = dice(rng, 3) ? vsplit_fuzz_wild(rng) : 1ull << 31;
		id = blob(c, rng, &ctm, sizeof(ctm));
		set(r, &head->crtc, "CTM", id);
	}
	return id;
}

static void set_writeback(struct vsplit_fuzz_client *c, struct kms_request *r,
			  const struct kms_head *head)
{
	uint32_t fb = add_fb_of(c, r->rng, &formats[below(r->rng, 8)], KMS_W, KMS_H);

	set(r, &head->writeback, "CRTC_ID", head->crtc.id);
	set(r, &head->writeback, "WRITEBACK_FB_ID", fb);
	if (dice(r->rng, 2))
		set(r, &head->writeback, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)&r->out[2]);
}

static uint32_t commit_flags(struct vsplit_rng *rng, bool modeset)
{
	uint32_t flags = modeset ? DRM_MODE_ATOMIC_ALLOW_MODESET : 0;

	if (vsplit_fuzz_odd(rng))
		return vsplit_fuzz_wild(rng);
	if (dice(rng, 6))
		return flags | DRM_MODE_ATOMIC_TEST_ONLY;
	if (dice(rng, 2))
		flags |= DRM_MODE_ATOMIC_NONBLOCK;
	if (dice(rng, 3))
		flags |= DRM_MODE_PAGE_FLIP_EVENT;
	if (!modeset && dice(rng, 5))
		flags |= DRM_MODE_PAGE_FLIP_ASYNC;
	return flags;
}

/* A head goes on, or off; what is on it comes with it. */
static int mode_step(struct vsplit_fuzz_client *c, const struct kms_display *d,
		     struct vsplit_rng *rng)
{
	unsigned int first = below(rng, d->nr), nr = dice(rng, 3) ? d->nr : 1;
	uint32_t mode[ARRAY_SIZE(d->heads)] = {};
	struct kms_request r;
	int ret;

	request_begin(&r, rng);
	for (unsigned int i = 0; i < nr; i++) {
		const struct kms_head *head = &d->heads[(first + i) % d->nr];

		if (dice(rng, 5)) {
			set_off(&r, head);
			continue;
		}
		mode[i] = set_mode(c, &r, head);
		set_plane(c, &r, head, 0);
		if (dice(rng, 4))
			set_writeback(c, &r, head);
	}
	ret = request_send(c->kms, c, &r, commit_flags(rng, !vsplit_fuzz_odd(rng)));
	for (unsigned int i = 0; i < nr; i++)
		blob_end(c, mode[i]);
	return ret;
}

static int commit_on(int fd, struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	uint32_t colors = 0, damage = 0;
	bool modeset = dice(rng, 4);
	struct kms_request r;
	int ret;

	request_begin(&r, rng);
	/* a flip alone may be asynchronous */
	if (dice(rng, 4)) {
		uint32_t w, h, fb = one_fb(c, rng, &w, &h);

		set(&r, &head->planes[below(rng, head->nr_planes)], "FB_ID", fb);
		return request_send(fd, c, &r, commit_flags(rng, false));
	}
	for (unsigned int i = 0; i < head->nr_planes; i++)
		if (dice(rng, 2))
			set_plane(c, &r, head, i);
	if (dice(rng, 4)) {
		struct drm_mode_rect rects[2] = { { 0, 0, 8, 8 }, { 2, 2, below(rng, 70), 9 } };

		damage = blob(c, rng, rects, sizeof(rects));
		set(&r, &head->planes[0], "FB_DAMAGE_CLIPS", damage);
	}
	if (dice(rng, 4))
		colors = set_colors(c, &r, head);
	if (dice(rng, 3))
		set(&r, &head->crtc, "OUT_FENCE_PTR", (uintptr_t)&r.out[0]);
	if (modeset && dice(rng, 2)) {
		set_writeback(c, &r, head);
		modeset = true;
	}
	ret = request_send(fd, c, &r, commit_flags(rng, modeset));
	blob_end(c, colors);
	blob_end(c, damage);
	return ret;
}

/* ---- the older calls ---------------------------------------------------- */

static int flip_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	uint32_t w, h, fb = one_fb(c, rng, &w, &h), connector = head->connector.id;

	switch (below(rng, 8)) {
	case 0: {
		struct drm_mode_crtc args = {
			.crtc_id = head->crtc.id, .fb_id = fb, .mode = one_mode(rng),
			.mode_valid = odd32(rng, 1), .count_connectors = odd32(rng, 1),
			.set_connectors_ptr = (uintptr_t)&connector,
		};

		if (dice(rng, 4)) {
			args.fb_id = 0;
			args.mode_valid = 0;
			args.count_connectors = 0;
		}
		/* as many as the kernel reads */
		if (args.count_connectors > 1)
			args.set_connectors_ptr = 0;
		return call(c->kms, DRM_IOCTL_MODE_SETCRTC, &args);
	}
	case 1: {
		struct drm_mode_set_plane args = {
			.plane_id = head->planes[below(rng, head->nr_planes)].id,
			.crtc_id = odd32(rng, head->crtc.id), .fb_id = dice(rng, 4) ? 0 : fb,
			.crtc_x = odd32(rng, below(rng, 40)), .crtc_w = odd32(rng, w),
			.crtc_h = odd32(rng, h), .src_w = odd32(rng, w << 16),
			.src_h = odd32(rng, h << 16), .flags = odd32(rng, 0),
		};

		return call(c->kms, DRM_IOCTL_MODE_SETPLANE, &args);
	}
	case 2: {
		uint16_t color[3][KMS_LUT] = {};
		struct drm_mode_crtc_lut args = {
			.crtc_id = head->crtc.id,
			.gamma_size = vsplit_fuzz_odd(rng) ? below(rng, KMS_LUT) : KMS_LUT,
			.red = (uintptr_t)color[0], .green = (uintptr_t)color[1],
			.blue = (uintptr_t)color[2],
		};

		return call(c->kms, dice(rng, 3) ? DRM_IOCTL_MODE_GETGAMMA : DRM_IOCTL_MODE_SETGAMMA,
			    &args);
	}
	case 3: {
		struct drm_mode_obj_set_property args = {
			.obj_id = head->crtc.id, .obj_type = DRM_MODE_OBJECT_ANY,
			.prop_id = head->crtc.props[below(rng, head->crtc.nr)].id,
			.value = below(rng, 2),
		};

		return call(c->kms, DRM_IOCTL_MODE_OBJ_SETPROPERTY, &args);
	}
	default: {
		struct drm_mode_crtc_page_flip_target args = {
			.crtc_id = odd32(rng, head->crtc.id), .fb_id = fb,
			.flags = odd32(rng, below(rng, 4)), .user_data = 1,
		};

		return call(c->kms, DRM_IOCTL_MODE_PAGE_FLIP, &args);
	}
	}
}

static int cursor_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		       struct vsplit_rng *rng)
{
	struct drm_mode_cursor2 args = {
		.flags = odd32(rng, 1 + below(rng, 3)), .crtc_id = odd32(rng, head->crtc.id),
		.x = odd32(rng, below(rng, 80)), .y = odd32(rng, below(rng, 60)),
		.width = odd32(rng, 16u << below(rng, 3)), .hot_x = odd32(rng, below(rng, 16)),
	};

	args.height = odd32(rng, args.width);
	if (args.flags & DRM_MODE_CURSOR_BO && !dice(rng, 4))
		args.handle = one_bo(c, rng, 64 * 64 * 4);
	/* the shorter call's argument is the beginning of it */
	return call(c->kms, dice(rng, 3) ? DRM_IOCTL_MODE_CURSOR : DRM_IOCTL_MODE_CURSOR2, &args);
}

/* ---- time --------------------------------------------------------------- */

static int wait_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	union drm_wait_vblank vblank = {
		.request = {
			.type = DRM_VBLANK_RELATIVE | head->pipe << DRM_VBLANK_HIGH_CRTC_SHIFT,
			.sequence = below(rng, 3), .signal = 7,
		},
	};
	struct drm_crtc_get_sequence get = { .crtc_id = odd32(rng, head->crtc.id) };
	struct drm_crtc_queue_sequence queue = {
		.crtc_id = odd32(rng, head->crtc.id), .user_data = 9,
		.flags = odd32(rng, DRM_CRTC_SEQUENCE_RELATIVE | below(rng, 2) << 1),
		.sequence = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : below(rng, 4),
	};
	char events[1024];

	switch (below(rng, 5)) {
	case 0:
		if (vsplit_fuzz_odd(rng))
			vblank.request.type = vsplit_fuzz_wild(rng);
		vblank.request.sequence = odd32(rng, vblank.request.sequence);
		return call(c->kms, DRM_IOCTL_WAIT_VBLANK, &vblank);
	case 1:
		vblank.request.type |= DRM_VBLANK_EVENT;
		vblank.request.type |= dice(rng, 2) ? DRM_VBLANK_NEXTONMISS : 0;
		vblank.request.sequence = odd32(rng, vblank.request.sequence);
		return call(c->kms, DRM_IOCTL_WAIT_VBLANK, &vblank);
	case 2:
		return call(c->kms, DRM_IOCTL_CRTC_GET_SEQUENCE, &get);
	case 3:
		return call(c->kms, DRM_IOCTL_CRTC_QUEUE_SEQUENCE, &queue);
	default:
		return read(c->kms, events, sizeof(events)) < 0 ? -errno : 0;
	}
}

/* ---- who may ------------------------------------------------------------ */

static int lease_step(struct vsplit_fuzz_client *c, const struct kms_display *d,
		      struct vsplit_rng *rng)
{
	const struct kms_head *head = &d->heads[below(rng, d->nr)];
	uint32_t objects[8] = { head->crtc.id, head->connector.id }, lessees[8];
	struct drm_mode_create_lease args = {
		.object_ids = (uintptr_t)objects, .object_count = 2, .flags = odd32(rng, O_CLOEXEC),
	};
	struct drm_mode_list_lessees list = {
		.count_lessees = ARRAY_SIZE(lessees), .lessees_ptr = (uintptr_t)lessees,
	};
	struct drm_mode_get_lease get = {
		.count_objects = ARRAY_SIZE(objects), .objects_ptr = (uintptr_t)objects,
	};
	struct drm_mode_revoke_lease revoke;
	int ret;

	for (unsigned int i = 0; i < head->nr_planes; i++)
		if (!i || dice(rng, 2))
			objects[args.object_count++] = odd32(rng, head->planes[i].id);
	if (dice(rng, 4))
		objects[args.object_count++] = head->writeback.id;
	if (vsplit_fuzz_odd(rng))
		args.object_count = below(rng, 8);
	ret = call(c->kms, DRM_IOCTL_MODE_CREATE_LEASE, &args);
	call(c->kms, DRM_IOCTL_MODE_LIST_LESSEES, &list);
	if (ret)
		return ret;
	drmSetClientCap(args.fd, DRM_CLIENT_CAP_ATOMIC, 1);
	call(args.fd, DRM_IOCTL_MODE_GET_LEASE, &get);
	/* a file sees framebuffers of all, and takes off its own only when it goes */
	ret = commit_on(args.fd, c, head, rng);
	revoke.lessee_id = odd32(rng, args.lessee_id);
	if (dice(rng, 2))
		call(c->kms, DRM_IOCTL_MODE_REVOKE_LEASE, &revoke);
	commit_on(args.fd, c, head, rng);
	vsplit_fuzz_add_file(c, args.fd);
	return ret;
}

static int master_step(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	struct drm_auth auth = {};
	int ret;

	switch (below(rng, 4)) {
	case 0:
		return call(c->kms, DRM_IOCTL_DROP_MASTER, NULL);
	case 1:
		return call(c->kms, DRM_IOCTL_SET_MASTER, NULL);
	case 2:
		/* the other one has it now */
		ret = call(c->kms, DRM_IOCTL_DROP_MASTER, NULL);
		if (other->kms >= 0)
			ret = call(other->kms, DRM_IOCTL_SET_MASTER, NULL);
		return ret;
	default:
		ret = call(other->kms >= 0 ? other->kms : c->kms, DRM_IOCTL_GET_MAGIC, &auth);
		auth.magic = odd32(rng, auth.magic);
		return ret ?: call(c->kms, DRM_IOCTL_AUTH_MAGIC, &auth);
	}
}

/* What a client asks for when it starts, or when a monitor has come. */
static int probe_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		      struct vsplit_rng *rng)
{
	struct drm_mode_modeinfo modes[64];
	uint32_t props[64], encoders[4];
	uint64_t values[64];
	struct drm_mode_get_connector args = {
		.connector_id = dice(rng, 3) ? head->writeback.id : head->connector.id,
		.modes_ptr = (uintptr_t)modes, .props_ptr = (uintptr_t)props,
		.prop_values_ptr = (uintptr_t)values, .encoders_ptr = (uintptr_t)encoders,
		/* without room for modes it is probed */
		.count_modes = dice(rng, 2) ? 0 : ARRAY_SIZE(modes), .count_props = 64,
		.count_encoders = 4,
	};
	struct drm_mode_crtc crtc = { .crtc_id = odd32(rng, head->crtc.id) };
	struct drm_mode_get_plane plane = { .plane_id = head->planes[below(rng, head->nr_planes)].id };

	switch (below(rng, 4)) {
	case 0:
		return call(c->kms, DRM_IOCTL_MODE_GETCRTC, &crtc);
	case 1:
		return call(c->kms, DRM_IOCTL_MODE_GETPLANE, &plane);
	default:
		args.connector_id = odd32(rng, args.connector_id);
		return call(c->kms, DRM_IOCTL_MODE_GETCONNECTOR, &args);
	}
}

/* ---- root --------------------------------------------------------------- */

static int read_some(struct vsplit_fuzz_client *c, const char *path, struct vsplit_rng *rng)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;
	char text[512];

	if (file < 0)
		return -errno;
	ret = read(file, text, sizeof(text)) < 0 ? -errno : 0;
	/* one that stays open goes on with it */
	if (dice(rng, 4))
		vsplit_fuzz_add_file(c, file);
	else
		close(file);
	return ret;
}

/* A monitor, a checksum, a picture. */
static int root_step(struct vsplit_fuzz_client *c, const struct kms_head *head,
		     struct vsplit_rng *rng)
{
	static const char *const connected[] = { "0", "1", "1", "2", "x" };
	static const char *const crcs[] = { "auto", "auto", "none", "", "autos" };
	char path[96];

	switch (below(rng, 6)) {
	case 0:
		snprintf(path, sizeof(path), DEBUGFS "%d/%s/connected", vsplit_fuzz_ad->primary,
			 head->name);
		if (dice(rng, 4))
			return vsplit_fuzz_read_all(path);
		return __vsplit_write_file(path, connected[below(rng, vsplit_fuzz_clean ? 3 : 5)]);
	case 1:
		snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/crc/control",
			 vsplit_fuzz_ad->primary, head->pipe);
		if (dice(rng, 3))
			return vsplit_fuzz_read_all(path);
		return __vsplit_write_file(path, crcs[below(rng, vsplit_fuzz_clean ? 2 : 5)]);
	case 2 ... 3:
		snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/crc/data",
			 vsplit_fuzz_ad->primary, head->pipe);
		return read_some(c, path, rng);
	case 4:
		snprintf(path, sizeof(path), DEBUGFS "%d/heads", vsplit_fuzz_ad->primary);
		return vsplit_fuzz_read_all(path);
	default:
		snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/picture",
			 vsplit_fuzz_ad->primary, head->pipe);
		return read_some(c, path, rng);
	}
}

/* ---- a play ------------------------------------------------------------- */

/* A head is lit, shows several things one after the other, is looked at, and goes dark. */
static int play_show(struct vsplit_fuzz_client *c, const struct kms_display *d,
		     struct vsplit_rng *rng)
{
	const struct kms_head *head = &d->heads[below(rng, d->nr)];
	struct kms_request r;
	char path[96];
	uint32_t mode;
	int ret;

	vsplit_fuzz_clean = true;
	add_fb_of(c, rng, &formats[below(rng, 2)], KMS_W, KMS_H);
	request_begin(&r, rng);
	mode = set_mode(c, &r, head);
	set_plane(c, &r, head, 0);
	ret = request_send(c->kms, c, &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
	blob_end(c, mode);
	snprintf(path, sizeof(path), DEBUGFS "%d/crtc-%u/crc/data", vsplit_fuzz_ad->primary,
		 head->pipe);
	if (dice(rng, 2))
		read_some(c, path, rng);
	for (unsigned int n = 2 + below(rng, 5); n; n--) {
		switch (below(rng, 8)) {
		case 0:
			root_step(c, head, rng);
			break;
		case 1:
			cursor_step(c, head, rng);
			break;
		case 2:
			wait_step(c, head, rng);
			break;
		case 3:
			/* work that writes what is shown, and that the next commit waits for */
			vsplit_fuzz_buffer(c, rng);
			break;
		case 4:
			request_begin(&r, rng);
			set_writeback(c, &r, head);
			request_send(c->kms, c, &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
			break;
		default:
			commit_on(c->kms, c, head, rng);
			break;
		}
	}
	if (dice(rng, 3))
		return ret;
	request_begin(&r, rng);
	set_off(&r, head);
	request_send(c->kms, c, &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
	return ret;
}

/* ---- all ---------------------------------------------------------------- */

/* The client's file, and whether it is master. */
static bool become_master(struct vsplit_fuzz_client *c)
{
	pthread_mutex_lock(&open_lock);
	if (c->kms < 0)
		c->kms = open_primary(vsplit_fuzz_ad);
	pthread_mutex_unlock(&open_lock);
	return c->kms >= 0 && !call(c->kms, DRM_IOCTL_SET_MASTER, NULL);
}

static int kms_step(struct vsplit_fuzz_client *c, unsigned int step, struct vsplit_rng *rng,
		    const struct kms_display *d)
{
	const struct kms_head *head = &d->heads[below(rng, d->nr)];

	switch (step) {
	case OTHER_KMS_FB:
		return fb_step(c, rng);
	case OTHER_KMS_MODE:
		return mode_step(c, d, rng);
	case OTHER_KMS_COMMIT:
		return commit_on(c->kms, c, head, rng);
	case OTHER_KMS_FLIP:
		return flip_step(c, head, rng);
	case OTHER_KMS_CURSOR:
		return cursor_step(c, head, rng);
	case OTHER_KMS_WAIT:
		return wait_step(c, head, rng);
	case OTHER_KMS_LEASE:
		return lease_step(c, d, rng);
	case OTHER_KMS_MASTER:
		return master_step(c, rng);
	case OTHER_KMS_PROBE:
		return probe_step(c, head, rng);
	case OTHER_KMS_ROOT:
		return root_step(c, head, rng);
	default:
		return play_show(c, d, rng);
	}
}

int vsplit_fuzz_kms(struct vsplit_fuzz_client *c, unsigned int step, struct vsplit_rng *rng)
{
	struct vsplit_fuzz_client *other = &vsplit_fuzz_clients[c == &vsplit_fuzz_clients[0]];
	const struct kms_display *d = display_of(vsplit_fuzz_ad);
	struct drm_mode_card_res res = {};
	timer_t timer;
	int ret;

	/* an adapter without heads refuses all of it */
	if (!d)
		return call(c->fd, DRM_IOCTL_MODE_GETRESOURCES, &res);
	__atomic_store_n(&used, true, __ATOMIC_RELAXED);
	if (!become_master(c) && other->kms >= 0 && !dice(rng, 4))
		c = other;
	if (c->kms < 0)
		return -ENODEV;
	if (!patience_begin(&timer))
		return -EAGAIN;
	ret = kms_step(c, step, rng, d);
	timer_delete(timer);
	return ret;
}

static int all_off(const struct kms_display *d)
{
	struct vsplit_rng rng = { 1 };
	struct kms_request r;
	int ret, file = open_primary(d->ad);

	if (file < 0)
		return file;
	vsplit_fuzz_clean = true;
	request_begin(&r, &rng);
	for (unsigned int i = 0; i < d->nr; i++)
		set_off(&r, &d->heads[i]);
	ret = request_send(file, &vsplit_fuzz_clients[0], &r, DRM_MODE_ATOMIC_ALLOW_MODESET);
	close(file);
	return ret;
}

static bool all_dark(const struct vsplit_adapter *ad)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), DEBUGFS "%d/heads", ad->primary);
	return __vsplit_read_file(path, text, sizeof(text)) || !strstr(text, " lit 1");
}

/*
 * A framebuffer that was closed is shown on when its file is gone, and so is a head of a client
 * that was killed. The next master turns them off.
 */
void vsplit_fuzz_kms_end(bool killed)
{
	const struct kms_display *d = display_of(vsplit_fuzz_ad);
	char path[96];
	int ret = 0;

	if (!__atomic_exchange_n(&used, false, __ATOMIC_RELAXED) && !killed)
		return;
	if (!d)
		return;
	for (unsigned int i = 0; i < d->nr; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%d/%s/connected", d->ad->primary,
			 d->heads[i].name);
		__vsplit_write_file(path, "1");
	}
	igt_assert_f(vsplit_soon(!(ret = all_off(d))), "turning heads off: %s\n", strerror(-ret));
	igt_assert_f(vsplit_soon(all_dark(d->ad)), "a head stays lit\n");
}

void vsplit_fuzz_kms_start(void)
{
	/* calls end with -EINTR */
	const struct sigaction action = { .sa_handler = wake };

	igt_assert_eq(sigaction(SIGRTMIN + 5, &action, NULL), 0);
}
