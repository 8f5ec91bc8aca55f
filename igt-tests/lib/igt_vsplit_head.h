/* SPDX-License-Identifier: MIT */
/*
 * What the tests of heads share: a head and its objects, framebuffers, commits, checksums,
 * and pictures computed from the definitions.
 */
#ifndef IGT_VSPLIT_HEAD_H
#define IGT_VSPLIT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/**
 * struct head - A head and what belongs to it.
 * @fd: file on the primary node, DRM master.
 * @pipe: index.
 * @crtc: object ids, here and below.
 * @mode: a small mode, so that pictures are made quickly.
 */
struct head {
	int fd;
	unsigned int pipe;
	uint32_t crtc;
	uint32_t connector;
	uint32_t writeback;
	uint32_t primary;
	uint32_t overlay;
	uint32_t cursor;
	uint32_t flip;	/* the property */
	drmModeModeInfo mode;
};

/**
 * struct fb - A framebuffer, and the allocation behind it.
 * @bo: its allocation, mapped.
 * @chroma: where the second plane begins, or 0.
 * @tiled: its modifier is DRM_FORMAT_MOD_VSPLIT_TILED.
 */
struct fb {
	struct vsplit_bo *bo;
	uint32_t id;
	uint32_t format;
	uint32_t width, height;
	uint32_t pitch;
	uint32_t chroma;
	bool tiled;
};

/* 16 bits for each channel, as in composition. */
struct pixel {
	uint16_t a, r, g, b;
};

/* A standard of YCbCr: the value of the framebuffer's property, and its weights of red and blue. */
struct yuv_standard {
	const char *name;
	double kr, kb;
};

extern const struct yuv_standard yuv_standards[3];

/* Pixels of the mode that most tests set. */
#define HEAD_W 64u
#define HEAD_H 48u
#define PIXELS (HEAD_W * HEAD_H)

/* Flags of a commit that does not wait, and whose event comes when the picture is shown. */
#define FLIP (DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT)

/* Makes an adapter as setup_plain(), but with @heads heads; sets "ad", "fd", "ctx", "cs". */
void setup_heads(unsigned int heads);
/* Opens head @pipe; all heads share the file of the first one. */
void head_open(struct head *head, unsigned int pipe);
/* Opens the only head of an adapter. */
void setup_head(struct head *head);

/* @segments as in vsplit_bo_in(). */
void fb_new(struct head *head, struct fb *fb, uint32_t width, uint32_t height, uint32_t format,
	    const uint8_t *segments);
void fb_new_tiled(struct head *head, struct fb *fb, uint32_t width, uint32_t height,
		  uint32_t format, const uint8_t *segments);
int __fb_add(struct head *head, struct fb *fb, uint32_t offset);
void fb_free(struct head *head, struct fb *fb);
/* Fills it with random colours, from a seed. */
void fb_noise(struct fb *fb, uint64_t seed);
void fb_color(struct fb *fb, uint32_t word);

/* The segment in which an allocation is pinned; 0: it is not pinned. */
uint32_t pinned(const struct vsplit_bo *bo);

/* Id and value of a property. */
uint32_t prop_id(int fd, uint32_t object, const char *name);
uint64_t prop_value(int fd, uint32_t object, const char *name);
void prop_set(drmModeAtomicReqPtr req, int fd, uint32_t object, const char *name, uint64_t value);
/* Makes a blob that exists as long as the head's file is open. */
uint32_t prop_blob(struct head *head, const void *data, size_t size);
/* The value of an enumeration's entry. */
uint64_t prop_enum(int fd, uint32_t object, const char *name, const char *entry);

/* Add to a commit. NULL for @fb turns the plane off. */
void add_mode(drmModeAtomicReqPtr req, struct head *head, const drmModeModeInfo *mode);
void add_plane(drmModeAtomicReqPtr req, struct head *head, uint32_t plane, const struct fb *fb,
	       int x, int y, uint32_t w, uint32_t h);
/* Returns -errno; frees @req. */
int commit(struct head *head, drmModeAtomicReqPtr req, uint32_t flags, void *user);
/* Shows this framebuffer on the head, with all other planes off. */
void head_on(struct head *head, const struct fb *fb);
void head_off(struct head *head);
int __head_flip(struct head *head, const struct fb *fb, uint32_t flags, void *user);

/* The next event of the file within VSPLIT_SOON_MS. */
struct drm_event_vblank next_event(struct head *head);

/* Checksums; crc_next() returns the checksum of the next frame that was not read yet. */
int crc_open(struct head *head);
uint32_t crc_next(int crc, uint64_t *frame);
/* The checksum of a frame that begins after the call. */
uint32_t crc_now(struct head *head);
uint32_t crc_of(const struct pixel *picture, unsigned int n);
/* Appends to a CRC-32 of IEEE 802.3, as zlib's crc32(). @crc: of the bytes before; 0 at first. */
uint32_t crc_add(uint32_t crc, const void *bytes, size_t n);

/* Open a file of the connector in debugfs; the second also writes and closes it. -errno. */
int connector_open(struct head *head, const char *file);
int connector_write(struct head *head, const char *file, const void *data, size_t size);

/* Reads crtc-0/picture in debugfs. Returns bytes, or -errno. */
int look(uint8_t *to, size_t size);

/* Commits @req (or nothing new) with a writeback into @to, and waits for the picture. */
void shoot(struct head *head, drmModeAtomicReqPtr req, struct fb *to);

/* A pixel of a framebuffer, by the definition of its format. */
struct pixel get_pixel(const struct fb *fb, uint32_t x, uint32_t y);
/* The upper left HEAD_W x HEAD_H pixels of a framebuffer. */
void get_picture(const struct fb *fb, struct pixel *picture);
/* Encodes a pixel in this format: up to 64 bits. */
uint64_t pack_pixel(uint32_t format, struct pixel p);
/* Asserts that this picture was written to the framebuffer. */
void check_picture(const struct fb *fb, const struct pixel *picture);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_HEAD_H */
