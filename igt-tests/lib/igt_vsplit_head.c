// SPDX-License-Identifier: MIT
/*
 * What the tests of heads share: see the header.
 */
#include "igt.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <endian.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void setup_heads(unsigned int heads)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 }, { "aper", true, .size = 1 << 20 } },
		.slots = 16,
		.heads = heads,
	};

	setup_opts(&opts);
}

const struct yuv_standard yuv_standards[3] = {
	{ "ITU-R BT.601 YCbCr", 0.299, 0.114 },
	{ "ITU-R BT.709 YCbCr", 0.2126, 0.0722 },
	{ "ITU-R BT.2020 YCbCr", 0.2627, 0.0593 },
};

/* ---- objects ------------------------------------------------------------- */

uint32_t prop_id(int fd, uint32_t object, const char *name)
{
	drmModeObjectPropertiesPtr props =
		drmModeObjectGetProperties(fd, object, DRM_MODE_OBJECT_ANY);
	uint32_t id = 0;

	igt_assert(props);
	for (uint32_t i = 0; i < props->count_props && !id; i++) {
		drmModePropertyPtr prop = drmModeGetProperty(fd, props->props[i]);

		if (!strcmp(prop->name, name))
			id = prop->prop_id;
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(props);
	igt_assert_f(id, "object %u has no property %s\n", object, name);
	return id;
}

uint64_t prop_value(int fd, uint32_t object, const char *name)
{
	uint32_t id = prop_id(fd, object, name);
	drmModeObjectPropertiesPtr props =
		drmModeObjectGetProperties(fd, object, DRM_MODE_OBJECT_ANY);
	uint64_t value = 0;

	for (uint32_t i = 0; i < props->count_props; i++)
		if (props->props[i] == id)
			value = props->prop_values[i];
	drmModeFreeObjectProperties(props);
	return value;
}

uint64_t prop_enum(int fd, uint32_t object, const char *name, const char *entry)
{
	drmModePropertyPtr prop = drmModeGetProperty(fd, prop_id(fd, object, name));
	uint64_t value = ~0ull;

	for (int i = 0; i < prop->count_enums; i++)
		if (!strcmp(prop->enums[i].name, entry))
			value = prop->enums[i].value;
	drmModeFreeProperty(prop);
	igt_assert_f(~value, "%s is never %s\n", name, entry);
	return value;
}

void prop_set(drmModeAtomicReqPtr req, int fd, uint32_t object, const char *name, uint64_t value)
{
	igt_assert(drmModeAtomicAddProperty(req, object, prop_id(fd, object, name), value) >= 0);
}

uint32_t prop_blob(struct head *head, const void *data, size_t size)
{
	uint32_t id;

	igt_assert_eq(drmModeCreatePropertyBlob(head->fd, data, size, &id), 0);
	return id;
}

static void head_connectors(struct head *head, const drmModeRes *res)
{
	for (int i = 0; i < res->count_connectors; i++) {
		drmModeConnectorPtr con = drmModeGetConnectorCurrent(head->fd, res->connectors[i]);
		drmModeEncoderPtr enc = drmModeGetEncoder(head->fd, con->encoders[0]);

		if (enc->possible_crtcs & (1u << head->pipe)) {
			if (con->connector_type == DRM_MODE_CONNECTOR_WRITEBACK)
				head->writeback = con->connector_id;
			else
				head->connector = con->connector_id;
		}
		drmModeFreeEncoder(enc);
		drmModeFreeConnector(con);
	}
}

static void head_planes(struct head *head)
{
	drmModePlaneResPtr res = drmModeGetPlaneResources(head->fd);

	for (uint32_t i = 0; i < res->count_planes; i++) {
		drmModePlanePtr plane = drmModeGetPlane(head->fd, res->planes[i]);
		uint64_t type = prop_value(head->fd, plane->plane_id, "type");

		if (plane->possible_crtcs & (1u << head->pipe)) {
			if (type == DRM_PLANE_TYPE_PRIMARY)
				head->primary = plane->plane_id;
			else if (type == DRM_PLANE_TYPE_CURSOR)
				head->cursor = plane->plane_id;
			else if (!head->overlay)
				head->overlay = plane->plane_id;
		}
		drmModeFreePlane(plane);
	}
	drmModeFreePlaneResources(res);
}

void head_open(struct head *head, unsigned int pipe)
{
	static int master = -1;
	const drmModeModeInfo mode = {
		.clock = 288, .vrefresh = 60, .name = "64x48",
		.hdisplay = HEAD_W, .hsync_start = 66, .hsync_end = 68, .htotal = 80,
		.vdisplay = HEAD_H, .vsync_start = 50, .vsync_end = 52, .vtotal = 60,
	};
	drmModeResPtr res;

	memset(head, 0, sizeof(*head));
	if (!pipe) {
		master = vsplit_adapter_open_primary(ad);
		igt_assert_eq(drmSetClientCap(master, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
		igt_assert_eq(drmSetClientCap(master, DRM_CLIENT_CAP_ATOMIC, 1), 0);
		igt_assert_eq(drmSetClientCap(master, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1), 0);
	}
	head->fd = master;
	head->pipe = pipe;
	head->mode = mode;
	res = drmModeGetResources(head->fd);
	igt_assert(res);
	igt_assert(pipe < (unsigned int)res->count_crtcs);
	head->crtc = res->crtcs[pipe];
	head_connectors(head, res);
	head_planes(head);
	drmModeFreeResources(res);
	igt_assert(head->connector && head->writeback && head->primary && head->cursor);
	head->flip = prop_id(head->fd, head->primary, "FB_ID");
}

void setup_head(struct head *head)
{
	setup_heads(1);
	head_open(head, 0);
}

/* ---- framebuffers --------------------------------------------------------- */

static uint32_t bytes_per_pixel(uint32_t format)
{
	switch (format) {
	case DRM_FORMAT_NV12:
		return 1;
	case DRM_FORMAT_RGB565:
	case DRM_FORMAT_XRGB1555:
	case DRM_FORMAT_ARGB1555:
		return 2;
	case DRM_FORMAT_XRGB16161616:
	case DRM_FORMAT_ARGB16161616:
		return 8;
	default:
		return 4;
	}
}

int __fb_add(struct head *head, struct fb *fb, uint32_t offset)
{
	const uint32_t handles[4] = { fb->bo->handle, fb->chroma ? fb->bo->handle : 0 };
	const uint32_t pitches[4] = { fb->pitch, fb->chroma ? fb->pitch : 0 };
	const uint32_t offsets[4] = { offset, fb->chroma };
	const uint64_t modifiers[4] = { DRM_FORMAT_MOD_VSPLIT_TILED };

	if (fb->tiled)
		return drmModeAddFB2WithModifiers(head->fd, fb->width, fb->height, fb->format,
						  handles, pitches, offsets, modifiers, &fb->id,
						  DRM_MODE_FB_MODIFIERS) ? -errno : 0;
	return drmModeAddFB2(head->fd, fb->width, fb->height, fb->format, handles, pitches,
			     offsets, &fb->id, 0) ? -errno : 0;
}

void fb_new(struct head *head, struct fb *fb, uint32_t width, uint32_t height, uint32_t format,
	    const uint8_t *segments)
{
	memset(fb, 0, sizeof(*fb));
	fb->format = format;
	fb->width = width;
	fb->height = height;
	fb->pitch = (width * bytes_per_pixel(format) + 63) / 64 * 64;
	if (format == DRM_FORMAT_NV12)
		fb->chroma = fb->pitch * height;
	fb->bo = vsplit_bo_in(head->fd, 'F', fb->pitch * height + fb->pitch * height / 2,
			      VSPLIT_GEM_CPU_ACCESS, segments);
	igt_assert_eq(__fb_add(head, fb, 0), 0);
}

void fb_new_tiled(struct head *head, struct fb *fb, uint32_t width, uint32_t height,
		  uint32_t format, const uint8_t *segments)
{
	*fb = (struct fb) {
		.format = format, .width = width, .height = height, .tiled = true,
		.pitch = (width * bytes_per_pixel(format) + VSPLIT_TILE_WIDTH - 1) /
			 VSPLIT_TILE_WIDTH * VSPLIT_TILE_WIDTH,
	};
	fb->bo = vsplit_bo_in(head->fd, 'F', (height + VSPLIT_TILE_HEIGHT - 1) /
			      VSPLIT_TILE_HEIGHT * VSPLIT_TILE_HEIGHT * fb->pitch,
			      VSPLIT_GEM_CPU_ACCESS, segments);
	igt_assert_eq(__fb_add(head, fb, 0), 0);
}

void fb_free(struct head *head, struct fb *fb)
{
	igt_assert_eq(drmModeRmFB(head->fd, fb->id), 0);
	vsplit_bo_free(fb->bo);
}

void fb_noise(struct fb *fb, uint64_t seed)
{
	struct vsplit_rng rng = { seed };

	for (uint64_t i = 0; i + 8 <= fb->bo->size; i += 8) {
		uint64_t word = vsplit_rng_next(&rng);

		memcpy(fb->bo->map + i, &word, 8);
	}
}

void fb_color(struct fb *fb, uint32_t word)
{
	for (uint64_t i = 0; i + 4 <= fb->bo->size; i += 4)
		memcpy(fb->bo->map + i, &word, 4);
}

uint32_t pinned(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.flags & VSPLIT_GEM_INFO_PINNED ? info.segment : 0;
}

/* ---- commits ------------------------------------------------------------- */

void add_mode(drmModeAtomicReqPtr req, struct head *head, const drmModeModeInfo *mode)
{
	uint32_t blob = 0;

	if (mode)
		igt_assert_eq(drmModeCreatePropertyBlob(head->fd, mode, sizeof(*mode), &blob), 0);
	prop_set(req, head->fd, head->connector, "CRTC_ID", mode ? head->crtc : 0);
	prop_set(req, head->fd, head->crtc, "MODE_ID", blob);
	prop_set(req, head->fd, head->crtc, "ACTIVE", !!mode);
}

void add_plane(drmModeAtomicReqPtr req, struct head *head, uint32_t plane, const struct fb *fb,
	       int x, int y, uint32_t w, uint32_t h)
{
	prop_set(req, head->fd, plane, "FB_ID", fb ? fb->id : 0);
	prop_set(req, head->fd, plane, "CRTC_ID", fb ? head->crtc : 0);
	if (!fb)
		return;
	prop_set(req, head->fd, plane, "SRC_X", 0);
	prop_set(req, head->fd, plane, "SRC_Y", 0);
	prop_set(req, head->fd, plane, "SRC_W", (uint64_t)fb->width << 16);
	prop_set(req, head->fd, plane, "SRC_H", (uint64_t)fb->height << 16);
	prop_set(req, head->fd, plane, "CRTC_X", x);
	prop_set(req, head->fd, plane, "CRTC_Y", y);
	prop_set(req, head->fd, plane, "CRTC_W", w);
	prop_set(req, head->fd, plane, "CRTC_H", h);
}

int commit(struct head *head, drmModeAtomicReqPtr req, uint32_t flags, void *user)
{
	int ret;

	ret = drmModeAtomicCommit(head->fd, req, flags, user);
	drmModeAtomicFree(req);
	return ret;
}

void head_on(struct head *head, const struct fb *fb)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_mode(req, head, &head->mode);
	add_plane(req, head, head->primary, fb, 0, 0, HEAD_W, HEAD_H);
	if (head->overlay)
		add_plane(req, head, head->overlay, NULL, 0, 0, 0, 0);
	add_plane(req, head, head->cursor, NULL, 0, 0, 0, 0);
	expect(commit(head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
}

void head_off(struct head *head)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_mode(req, head, NULL);
	prop_set(req, head->fd, head->writeback, "CRTC_ID", 0);
	add_plane(req, head, head->primary, NULL, 0, 0, 0, 0);
	expect(commit(head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
}

int __head_flip(struct head *head, const struct fb *fb, uint32_t flags, void *user)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	igt_assert(drmModeAtomicAddProperty(req, head->primary, head->flip, fb->id) >= 0);
	return commit(head, req, flags, user);
}

struct drm_event_vblank next_event(struct head *head)
{
	struct pollfd poll_fd = { .fd = head->fd, .events = POLLIN };
	struct drm_event_vblank event;

	igt_assert_eq(poll(&poll_fd, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq(read(head->fd, &event, sizeof(event)), sizeof(event));
	return event;
}

/* ---- checksums ----------------------------------------------------------- */

int crc_open(struct head *head)
{
	char path[128];
	int crc;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/crtc-%u/crc/control", ad->primary,
		 head->pipe);
	igt_require_f(!access(path, F_OK), "no %s: needs debugfs\n", path);
	expect(__vsplit_write_file(path, "auto"), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/crtc-%u/crc/data", ad->primary,
		 head->pipe);
	crc = open(path, O_RDONLY | O_CLOEXEC);
	igt_assert_lte(0, crc);
	return crc;
}

uint32_t crc_next(int crc, uint64_t *frame)
{
	unsigned int count, value;
	char line[64];
	ssize_t n;

	n = read(crc, line, sizeof(line) - 1);
	igt_assert_f(n > 0, "reading a checksum: %s\n", strerror(errno));
	line[n] = 0;
	igt_assert_eq(sscanf(line, "%x %x", &count, &value), 2);
	if (frame)
		*frame = count;
	return value;
}

uint32_t crc_now(struct head *head)
{
	int crc = crc_open(head);
	uint32_t value;

	value = crc_next(crc, NULL);
	close(crc);
	return value;
}

uint32_t crc_add(uint32_t crc, const void *bytes, size_t n)
{
	static uint32_t table[256];
	const uint8_t *byte = bytes;

	if (!table[1]) {
		for (uint32_t i = 0; i < 256; i++) {
			table[i] = i;
			for (int bit = 0; bit < 8; bit++)
				table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
		}
	}
	for (crc = ~crc; n--; byte++)
		crc = crc >> 8 ^ table[(crc ^ *byte) & 255];
	return ~crc;
}

uint32_t crc_of(const struct pixel *picture, unsigned int n)
{
	uint32_t crc = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint32_t word = htole32(pack_pixel(DRM_FORMAT_XRGB8888, picture[i]));

		crc = crc_add(crc, &word, sizeof(word));
	}
	return crc;
}

/* ---- monitors ------------------------------------------------------------ */

int connector_open(struct head *head, const char *file)
{
	drmModeConnectorPtr con = drmModeGetConnectorCurrent(head->fd, head->connector);
	char path[128];
	int to;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/Virtual-%u/%s", ad->primary,
		 con->connector_type_id, file);
	drmModeFreeConnector(con);
	to = open(path, O_WRONLY | O_CLOEXEC);
	igt_assert_f(to >= 0, "%s: %s\n", path, strerror(errno));
	return to;
}

int connector_write(struct head *head, const char *file, const void *data, size_t size)
{
	int to = connector_open(head, file);
	int ret = write(to, data, size) < 0 ? -errno : 0;

	close(to);
	return ret;
}

/* ---- pictures ------------------------------------------------------------ */

int look(uint8_t *to, size_t size)
{
	char path[128];
	int file, n;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/crtc-0/picture", ad->primary);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	n = read(file, to, size);
	n = n < 0 ? -errno : n;
	close(file);
	return n;
}

void shoot(struct head *head, drmModeAtomicReqPtr req, struct fb *to)
{
	int fence = -1;

	if (!req)
		req = drmModeAtomicAlloc();
	prop_set(req, head->fd, head->writeback, "CRTC_ID", head->crtc);
	prop_set(req, head->fd, head->writeback, "WRITEBACK_FB_ID", to->id);
	prop_set(req, head->fd, head->writeback, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)&fence);
	expect(commit(head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	igt_assert_lte(0, fence);
	igt_assert_eq(poll(&(struct pollfd){ .fd = fence, .events = POLLIN }, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq(vsplit_fence_status(fence), 1);
	close(fence);
}

static uint16_t from_bits(uint64_t word, unsigned int shift, unsigned int n)
{
	uint64_t max = (1ull << n) - 1;
	uint64_t value = word >> shift & max;

	return (2 * value * 65535 + max) / (2 * max);
}

static uint64_t to_bits(uint16_t value, unsigned int n)
{
	uint64_t max = (1ull << n) - 1;

	return (2 * value * max + 65535) / (2 * 65535);
}

struct pixel get_pixel(const struct fb *fb, uint32_t x, uint32_t y)
{
	unsigned int size = bytes_per_pixel(fb->format);
	uint64_t at = (uint64_t)y * fb->pitch + x * size, w = 0;

	/* Tiles of 64 bytes by 64 rows; see vsplit_isa.h. */
	if (fb->tiled)
		at = (uint64_t)(y / 64) * 64 * fb->pitch + x * size / 64 * 4096 + y % 64 * 64 +
		     x * size % 64;
	memcpy(&w, fb->bo->map + at, size);
	switch (fb->format) {
	case DRM_FORMAT_ARGB8888:
		return (struct pixel){ from_bits(w, 24, 8), from_bits(w, 16, 8), from_bits(w, 8, 8),
				       from_bits(w, 0, 8) };
	case DRM_FORMAT_XRGB8888:
		return (struct pixel){ 65535, from_bits(w, 16, 8), from_bits(w, 8, 8),
				       from_bits(w, 0, 8) };
	case DRM_FORMAT_ABGR8888:
		return (struct pixel){ from_bits(w, 24, 8), from_bits(w, 0, 8), from_bits(w, 8, 8),
				       from_bits(w, 16, 8) };
	case DRM_FORMAT_XBGR8888:
		return (struct pixel){ 65535, from_bits(w, 0, 8), from_bits(w, 8, 8),
				       from_bits(w, 16, 8) };
	case DRM_FORMAT_RGB565:
		return (struct pixel){ 65535, from_bits(w, 11, 5), from_bits(w, 5, 6),
				       from_bits(w, 0, 5) };
	case DRM_FORMAT_XRGB1555:
		return (struct pixel){ 65535, from_bits(w, 10, 5), from_bits(w, 5, 5),
				       from_bits(w, 0, 5) };
	case DRM_FORMAT_ARGB1555:
		return (struct pixel){ from_bits(w, 15, 1), from_bits(w, 10, 5), from_bits(w, 5, 5),
				       from_bits(w, 0, 5) };
	case DRM_FORMAT_XRGB2101010:
		return (struct pixel){ 65535, from_bits(w, 20, 10), from_bits(w, 10, 10),
				       from_bits(w, 0, 10) };
	case DRM_FORMAT_XRGB16161616:
		return (struct pixel){ 65535, w >> 32, w >> 16, w };
	case DRM_FORMAT_ARGB16161616:
		return (struct pixel){ w >> 48, w >> 32, w >> 16, w };
	}
	igt_assert_f(false, "format %08x\n", fb->format);
}

void get_picture(const struct fb *fb, struct pixel *picture)
{
	for (uint32_t y = 0; y < HEAD_H; y++)
		for (uint32_t x = 0; x < HEAD_W; x++)
			picture[y * HEAD_W + x] = get_pixel(fb, x, y);
}

uint64_t pack_pixel(uint32_t format, struct pixel p)
{
	switch (format) {
	case DRM_FORMAT_XRGB8888:
		return to_bits(p.r, 8) << 16 | to_bits(p.g, 8) << 8 | to_bits(p.b, 8);
	case DRM_FORMAT_ARGB8888:
		return 0xff000000 | pack_pixel(DRM_FORMAT_XRGB8888, p);
	case DRM_FORMAT_XBGR8888:
		return to_bits(p.b, 8) << 16 | to_bits(p.g, 8) << 8 | to_bits(p.r, 8);
	case DRM_FORMAT_ABGR8888:
		return 0xff000000 | pack_pixel(DRM_FORMAT_XBGR8888, p);
	case DRM_FORMAT_RGB565:
		return to_bits(p.r, 5) << 11 | to_bits(p.g, 6) << 5 | to_bits(p.b, 5);
	case DRM_FORMAT_XRGB1555:
		return to_bits(p.r, 5) << 10 | to_bits(p.g, 5) << 5 | to_bits(p.b, 5);
	case DRM_FORMAT_ARGB1555:
		return 1 << 15 | pack_pixel(DRM_FORMAT_XRGB1555, p);
	case DRM_FORMAT_XRGB2101010:
		return to_bits(p.r, 10) << 20 | to_bits(p.g, 10) << 10 | to_bits(p.b, 10);
	case DRM_FORMAT_XRGB16161616:
		return (uint64_t)p.r << 32 | (uint64_t)p.g << 16 | p.b;
	case DRM_FORMAT_ARGB16161616:
		return 0xffffull << 48 | pack_pixel(DRM_FORMAT_XRGB16161616, p);
	}
	igt_assert_f(false, "format %08x\n", format);
}

void check_picture(const struct fb *fb, const struct pixel *picture)
{
	unsigned int size = bytes_per_pixel(fb->format);

	for (uint32_t y = 0; y < fb->height; y++) {
		for (uint32_t x = 0; x < fb->width; x++) {
			uint64_t want = pack_pixel(fb->format, picture[y * fb->width + x]);
			uint64_t is = 0;

			memcpy(&is, fb->bo->map + (uint64_t)y * fb->pitch + x * size, size);
			igt_assert_f(is == want, "pixel %u,%u: %" PRIx64 ", expected %" PRIx64 "\n",
				     x, y, is, want);
		}
	}
}
