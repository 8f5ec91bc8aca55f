// SPDX-License-Identifier: MIT
/*
 * Framebuffers and commits of the fuzzer, from a seed.
 */
#include "igt.h"
#include "igt_vsplit_fuzz_kms.h"

#include <xf86drm.h>

/* libdrm may be older than this call. */
struct kms_closefb {
	uint32_t fb;
	uint32_t pad;
};

#define KMS_IOCTL_CLOSEFB DRM_IOWR(0xd0, struct kms_closefb)

#define KMS_PIXELS (1024u * 1024u)

/* ---- buffers and framebuffers ------------------------------------------- */

uint32_t kms_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint64_t size)
{
	struct drm_vsplit_gem_create create = { .size = size, .flags = VSPLIT_GEM_CPU_ACCESS };
	uint32_t handle = 0;
	uint64_t has;
	int file;

	switch (below(rng, 8)) {
	case 0:
		/* An exported import makes DRM import the foreign dma-buf: see fails_loudly(). */
		if (vsplit_fuzz_kernel_is_armed())
			break;
		if (drmPrimeHandleToFD(c->fd, vsplit_fuzz_one(&c->bos, rng, NULL),
				       DRM_CLOEXEC | DRM_RDWR, &file))
			break;
		has = lseek(file, 0, SEEK_END);
		/* An allocation that is too small for the framebuffer is seldom of use. */
		if ((has >= size || !vsplit_fuzz_clean) &&
		    !drmPrimeFDToHandle(c->kms, file, &handle))
			vsplit_fuzz_add(&c->kms_bos, handle, has, rng);
		close(file);
		if (handle)
			return handle;
		break;
	case 1:
		vsplit_fuzz_create_args(&create, rng);
		if (vsplit_fuzz_clean)
			create.size = size;
		break;
	case 2 ... 4:
		handle = vsplit_fuzz_one(&c->kms_bos, rng, &has);
		if (c->kms_bos.nr && has >= size)
			return handle;
		break;
	default:
		break;
	}
	if (kms_call(c->kms, DRM_IOCTL_VSPLIT_GEM_CREATE, &create))
		return 0;
	vsplit_fuzz_add(&c->kms_bos, create.handle, create.size, rng);
	return create.handle;
}

const struct kms_format kms_formats[10] = {
	{ DRM_FORMAT_XRGB8888, 4 }, { DRM_FORMAT_ARGB8888, 4 }, { DRM_FORMAT_XRGB8888, 4 },
	{ DRM_FORMAT_ABGR8888, 4 }, { DRM_FORMAT_RGB565, 2 }, { DRM_FORMAT_ARGB1555, 2 },
	{ DRM_FORMAT_XRGB2101010, 4 }, { DRM_FORMAT_ARGB16161616, 8 }, { DRM_FORMAT_NV12, 1 },
	{ DRM_FORMAT_C8, 1 },
};

uint32_t kms_add_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng,
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
	args.handles[0] = odd32(rng, kms_bo(c, rng, (uint64_t)pitch * rows * 3 / 2));
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
	if (kms_call(c->kms, DRM_IOCTL_MODE_ADDFB2, &args))
		return 0;
	vsplit_fuzz_add(&c->fbs, args.fb_id, (uint64_t)width << 32 | height, rng);
	return args.fb_id;
}

static const uint32_t fb_sizes[][2] = {
	{ KMS_W, KMS_H }, { KMS_W, KMS_H }, { 16, 16 }, { 32, 24 }, { 128, 64 }, { 8, 100 },
};

static int add_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	const struct kms_format *format = &kms_formats[below(rng, ARRAY_SIZE(kms_formats))];
	const uint32_t *size = fb_sizes[below(rng, ARRAY_SIZE(fb_sizes))];

	return kms_add_fb(c, rng, format, size[0], size[1]) ? 0 : -errno;
}

uint32_t kms_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint32_t *w,
		uint32_t *h)
{
	uint64_t size = (uint64_t)KMS_W << 32 | KMS_H;
	uint32_t id;

	if (!c->fbs.nr || dice(rng, 4))
		id = kms_add_fb(c, rng, &kms_formats[below(rng, 2)], KMS_W, KMS_H);
	else
		id = vsplit_fuzz_one(&c->fbs, rng, &size);
	*w = size >> 32 ?: 16;
	*h = (uint32_t)size ?: 16;
	return id;
}

int kms_fb_step(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint32_t id, w, h;
	int ret = 0;

	for (unsigned int n = below(rng, 4); n; n--)
		ret = add_fb(c, rng);
	switch (below(rng, 6)) {
	case 0: {
		uint32_t rm = id = kms_fb(c, rng, &w, &h);

		ret = kms_call(c->kms, DRM_IOCTL_MODE_RMFB, &rm);
		vsplit_fuzz_remove(&c->fbs, id);
		return ret;
	}
	case 1: {
		struct kms_closefb args = { .fb = kms_fb(c, rng, &w, &h), .pad = odd32(rng, 0) };

		ret = kms_call(c->kms, KMS_IOCTL_CLOSEFB, &args);
		vsplit_fuzz_remove(&c->fbs, args.fb);
		return ret;
	}
	case 2: {
		struct drm_mode_fb_cmd2 args = { .fb_id = kms_fb(c, rng, &w, &h) };

		ret = kms_call(c->kms, DRM_IOCTL_MODE_GETFB2, &args);
		/* These are new handles of the framebuffer's allocations. */
		for (unsigned int i = 0; !ret && i < 2; i++)
			if (args.handles[i])
				vsplit_fuzz_add(&c->kms_bos, args.handles[i], PLAY_PAGE, rng);
		return ret;
	}
	case 3: {
		struct drm_clip_rect clips[3] = { { 0, 0, 8, 8 }, { 4, 4, below(rng, 200), 9 } };
		struct drm_mode_fb_dirty_cmd args = {
			.fb_id = kms_fb(c, rng, &w, &h), .flags = odd32(rng, 0),
			.num_clips = odd32(rng, 1 + below(rng, 3)), .clips_ptr = (uintptr_t)clips,
		};

		return kms_call(c->kms, DRM_IOCTL_MODE_DIRTYFB, &args);
	}
	case 4: {
		struct drm_mode_fb_cmd args = {
			.width = odd32(rng, KMS_W), .height = odd32(rng, KMS_H),
			.bpp = odd32(rng, 32), .pitch = odd32(rng, KMS_W * 4),
			.depth = odd32(rng, 24),
			.handle = kms_bo(c, rng, KMS_W * KMS_H * 4),
		};

		ret = kms_call(c->kms, DRM_IOCTL_MODE_ADDFB, &args);
		if (!ret)
			vsplit_fuzz_add(&c->fbs, args.fb_id, (uint64_t)KMS_W << 32 | KMS_H, rng);
		return ret;
	}
	default: {
		struct drm_gem_close args = { .handle = vsplit_fuzz_one(&c->kms_bos, rng, NULL) };

		if (dice(rng, 2))
			return add_fb(c, rng);
		/* The framebuffer keeps the allocation. */
		ret = kms_call(c->kms, DRM_IOCTL_GEM_CLOSE, &args);
		vsplit_fuzz_remove(&c->kms_bos, args.handle);
		return ret;
	}
	}
}

/* ---- commits ------------------------------------------------------------ */

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

void kms_begin(struct kms_request *r, struct vsplit_rng *rng)
{
	memset(r, 0, sizeof(*r));
	r->rng = rng;
	r->in = -1;
	for (unsigned int i = 0; i < ARRAY_SIZE(r->out); i++)
		r->out[i] = -1;
}

int kms_send(int fd, struct vsplit_fuzz_client *c, struct kms_request *r, uint32_t flags)
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
	int ret = kms_call(fd, DRM_IOCTL_MODE_ATOMIC, &args);

	/* An earlier commit is under way: mostly this one waits for it. */
	if (ret == -EBUSY && !dice(r->rng, 4)) {
		args.flags &= ~DRM_MODE_ATOMIC_NONBLOCK;
		ret = kms_call(fd, DRM_IOCTL_MODE_ATOMIC, &args);
	}

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

	return kms_call(c->kms, DRM_IOCTL_MODE_CREATEPROPBLOB, &args) ? 0 : args.blob_id;
}

/* States keep their own reference to the blob. */
void kms_blob_end(struct vsplit_fuzz_client *c, uint32_t id)
{
	struct drm_mode_destroy_blob args = { .blob_id = id };

	if (id)
		kms_call(c->kms, DRM_IOCTL_MODE_DESTROYPROPBLOB, &args);
}

/* A small mode, so that pictures are made quickly, with short frames. */
struct drm_mode_modeinfo kms_mode(struct vsplit_rng *rng)
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
		mode.hdisplay = 5000;
		mode.htotal = 5080;
		mode.hsync_start = 5010;
		mode.hsync_end = 5020;
		break;
	default:
		mode.vtotal = vsplit_fuzz_wild(rng);
		break;
	}
	/* An emulator takes long for a picture of many pixels. */
	if ((uint32_t)mode.hdisplay * mode.vdisplay > KMS_PIXELS)
		mode.vdisplay = 1;
	return mode;
}

void kms_set_off(struct kms_request *r, const struct kms_head *head)
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

static void set_looks(struct kms_request *r, const struct kms_object *plane, bool cursor)
{
	struct vsplit_rng *rng = r->rng;

	if (dice(rng, 2))
		set(r, plane, "rotation", 1u << below(rng, 4) | below(rng, 4) << 4);
	if (dice(rng, 2))
		set(r, plane, "alpha", dice(rng, 2) ? 0xffff : below(rng, 65536));
	if (dice(rng, 2))
		set(r, plane, "pixel blend mode", below(rng, 3));
	/* The zpos of a cursor cannot be changed. */
	if (cursor ? vsplit_fuzz_odd(rng) : dice(rng, 3))
		set(r, plane, "zpos", below(rng, 3));
	if (dice(rng, 3))
		set(r, plane, "COLOR_ENCODING", below(rng, 3));
	if (dice(rng, 3))
		set(r, plane, "COLOR_RANGE", below(rng, 2));
}

/* Sets the fence of some work of the client, or of an earlier commit. */
static void set_in_fence(struct vsplit_fuzz_client *c, struct kms_request *r,
			 const struct kms_object *plane)
{
	uint32_t syncobj = vsplit_fuzz_one(&c->syncobjs, r->rng, NULL);

	if (r->in < 0 && drmSyncobjExportSyncFile(c->fd, syncobj, &r->in))
		r->in = -1;
	if (r->in >= 0)
		set(r, plane, "IN_FENCE_FD", r->in);
	else if (vsplit_fuzz_odd(r->rng))
		set(r, plane, "IN_FENCE_FD", c->files[below(r->rng, ARRAY_SIZE(c->files))]);
}

void kms_set_plane(struct vsplit_fuzz_client *c, struct kms_request *r,
		   const struct kms_head *head, unsigned int at)
{
	const struct kms_object *plane = &head->planes[at];
	struct vsplit_rng *rng = r->rng;
	bool cursor = at == head->nr_planes - 1, whole = !at || (!cursor && dice(rng, 4));
	bool half = dice(rng, 4) && !cursor;
	uint32_t w, h, fb;

	if (at && dice(rng, 4)) {
		set(r, plane, "FB_ID", 0);
		set(r, plane, "CRTC_ID", 0);
		return;
	}
	fb = kms_fb(c, rng, &w, &h);
	/* A cursor supports only a few formats. */
	if (cursor && !vsplit_fuzz_odd(rng)) {
		w = 16 << below(rng, 3);
		h = w;
		fb = kms_add_fb(c, rng, &kms_formats[below(rng, 2)], w, h);
	}
	set(r, plane, "FB_ID", fb);
	set(r, plane, "CRTC_ID", fb ? head->crtc.id : 0);
	set(r, plane, "SRC_X", half ? below(rng, w) << 15 : 0);
	set(r, plane, "SRC_Y", 0);
	set(r, plane, "SRC_W", (uint64_t)(half ? w / 2 : w) << 16);
	set(r, plane, "SRC_H", (uint64_t)h << 16);
	set(r, plane, "CRTC_X", whole ? 0 : (uint64_t)(int64_t)below(rng, 80) - 8);
	set(r, plane, "CRTC_Y", whole ? 0 : (uint64_t)(int64_t)below(rng, 60) - 8);
	set(r, plane, "CRTC_W", whole ? KMS_W : cursor || dice(rng, 2) ? w : w / 3 + below(rng, w));
	set(r, plane, "CRTC_H", whole ? KMS_H : cursor || dice(rng, 2) ? h : h / 3 + below(rng, h));
	if (dice(rng, 3))
		set_looks(r, plane, cursor);
	if (dice(rng, 5))
		set_in_fence(c, r, plane);
}

/* Sets a mode; the caller destroys the blob. */
uint32_t kms_set_mode(struct vsplit_fuzz_client *c, struct kms_request *r,
		      const struct kms_head *head)
{
	struct drm_mode_modeinfo mode = kms_mode(r->rng);
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
			lut[i] = (struct drm_color_lut) {
				.red = i * 257, .green = 65535 - i, .blue = below(rng, 65536),
			};
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

void kms_set_writeback(struct vsplit_fuzz_client *c, struct kms_request *r,
		       const struct kms_head *head)
{
	uint32_t fb = kms_add_fb(c, r->rng, &kms_formats[below(r->rng, 8)], KMS_W, KMS_H);

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
	return flags;
}

/* Turns a head on or off, with all planes on it. */
int kms_mode_step(struct vsplit_fuzz_client *c, const struct kms_display *d,
		  struct vsplit_rng *rng)
{
	unsigned int first = below(rng, d->nr), nr = dice(rng, 3) ? d->nr : 1;
	uint32_t mode[ARRAY_SIZE(d->heads)] = {};
	struct kms_request r;
	int ret;

	kms_begin(&r, rng);
	for (unsigned int i = 0; i < nr; i++) {
		const struct kms_head *head = &d->heads[(first + i) % d->nr];

		if (dice(rng, 5)) {
			kms_set_off(&r, head);
			continue;
		}
		mode[i] = kms_set_mode(c, &r, head);
		kms_set_plane(c, &r, head, 0);
		if (dice(rng, 4))
			kms_set_writeback(c, &r, head);
	}
	ret = kms_send(c->kms, c, &r, commit_flags(rng, !vsplit_fuzz_odd(rng)));
	for (unsigned int i = 0; i < nr; i++)
		kms_blob_end(c, mode[i]);
	return ret;
}

int kms_commit_step(int fd, struct vsplit_fuzz_client *c, const struct kms_head *head,
		    struct vsplit_rng *rng)
{
	uint32_t colors = 0, damage = 0;
	bool modeset = dice(rng, 4);
	struct kms_request r;
	int ret;

	kms_begin(&r, rng);
	/* Only a flip may be asynchronous. */
	if (dice(rng, 4)) {
		uint32_t w, h, fb = kms_fb(c, rng, &w, &h);
		uint32_t flags = dice(rng, 3) ? DRM_MODE_PAGE_FLIP_ASYNC : 0;

		set(&r, &head->planes[dice(rng, 4) ? below(rng, head->nr_planes) : 0], "FB_ID", fb);
		return kms_send(fd, c, &r, commit_flags(rng, false) | flags);
	}
	for (unsigned int i = 0; i < head->nr_planes; i++)
		if (dice(rng, 2))
			kms_set_plane(c, &r, head, i);
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
		kms_set_writeback(c, &r, head);
		modeset = true;
	}
	ret = kms_send(fd, c, &r, commit_flags(rng, modeset));
	kms_blob_end(c, colors);
	kms_blob_end(c, damage);
	return ret;
}
