// SPDX-License-Identifier: MIT
/*
 * vsplit-scene on the fake kernel, whose GPU draws with the reference of tests/. A VM compares the
 * checksums below with the driver's pictures, so they must not come from the driver itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "draw_reference.h"
#include "fake.h"
#include "scene.h"

#define SIDE	64

static struct scene_frame frame;

static uint32_t crc_byte(uint32_t crc, uint32_t byte)
{
	int bit;

	crc ^= byte & 0xff;
	for (bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	return crc;
}

static uint32_t crc_of(uint32_t crc, const uint32_t *pixels, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		crc = crc_byte(crc_byte(crc_byte(crc_byte(crc, pixels[i]), pixels[i] >> 8),
					pixels[i] >> 16), pixels[i] >> 24);
	return crc;
}

/* The byte order of a portable pixmap: red, green, blue. */
static uint32_t crc_of_colors(uint32_t crc, const uint32_t *pixels, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		crc = crc_byte(crc_byte(crc_byte(crc, pixels[i] >> 16), pixels[i] >> 8), pixels[i]);
	return crc;
}

/* A renderer on a new device of the fake kernel, which looks at the scene. */
static struct scene_renderer *renderer_of(const struct scene_size *size, double turn,
					  struct vsplit_device **dev)
{
	struct scene_renderer *r;

	fake.draw = draw_reference_plain;
	fake.segments[0].commit_limit = 64 << 20;
	CHECK_EQ(vsplit_device_open_path(fake_node(), dev), 0);
	CHECK_EQ(scene_renderer_new(*dev, size, &r), 0);
	scene_look(&frame, turn, size->width, size->height, size->side);
	return r;
}

/* Continue checksum @crc with a picture. */
static uint32_t picture_of(uint32_t width, uint32_t height, double turn, uint32_t crc,
			   uint32_t (*add)(uint32_t crc, const uint32_t *pixels, size_t count))
{
	const struct scene_size size = { width, height, SIDE };
	struct scene_report report = { 0 };
	struct vsplit_device *dev;
	struct scene_renderer *r = renderer_of(&size, turn, &dev);
	const uint32_t *pixels;

	CHECK_EQ(scene_render(r, &frame, &report, &pixels), EXIT_HELD);
	CHECK_EQ(fake.submits, 1);
	CHECK_EQ(report.pictures, 1);
	crc = add(crc, pixels, (size_t)width * height);
	scene_renderer_free(r);
	vsplit_device_close(dev);
	CHECK_EQ(fake.open_handles, 0);
	fake_reset();
	return crc;
}

static void pictures_are_what_they_should_be(void)
{
	uint32_t crc = picture_of(160, 90, 0, ~0u, crc_of);

	/* The same value as in scripts/guest-check. */
	CHECK_EQ(~picture_of(160, 90, 0.5, crc, crc_of), 0xc26f39ba);
	/* The same value as in vm/client. */
	CHECK_EQ(~picture_of(1024, 768, 2 / 3.0, ~0u, crc_of_colors), 0x2d388909);
}

/* All corners are in the range that the GPU can draw, wherever the camera is; no draw is empty. */
static void all_corners_are_in_range(void)
{
	uint32_t i, k;

	for (i = 0; i < 500; i++) {
		scene_look(&frame, i / 500.0, i % 2 ? 4096 : 16, i % 3 ? 16 : 4096, 4096);
		CHECK(frame.num_draws && frame.num_draws <= SCENE_MAX_DRAWS);
		CHECK(frame.num_vertices <= SCENE_MAX_VERTICES);
		for (k = 0; k < frame.num_vertices; k++) {
			const struct vsplit_vertex *v = &frame.vertices[k];

			CHECK(abs(v->x) <= VSPLIT_DRAW_MAX_XY && abs(v->y) <= VSPLIT_DRAW_MAX_XY);
			CHECK(v->z <= VSPLIT_DRAW_MAX_Z && v->q && v->q <= VSPLIT_DRAW_MAX_Q);
		}
		for (k = 0; k < frame.num_draws; k++)
			CHECK(frame.draws[k].triangles &&
			      frame.draws[k].first + 3 * frame.draws[k].triangles <=
			      frame.num_vertices);
	}
}

/* The adapter vanishes while a picture is read: its mappings show zeros from then on. */
static void gone_while_a_picture_is_read(void)
{
	const struct scene_size size = { 16, 16, 16 };
	struct scene_report report = { 0 };
	struct vsplit_device *dev;
	struct scene_renderer *r = renderer_of(&size, 0, &dev);
	const uint32_t *pixels;

	fake.fail_ioctl = DRM_VSPLIT_GEM_UNLOCK;
	fake.fail_errno = ENODEV;
	/* The first unlock is that of the vertices. */
	fake.fail_after = 1;
	fake.fail_times = 1;
	CHECK_EQ(scene_render(r, &frame, &report, &pixels), EXIT_NOT_HELD);
	scene_renderer_free(r);
	vsplit_device_close(dev);
	fake_reset();
}

/* The message tells how much a draw needs, whose allocations the kernel would refuse. */
static void too_little_memory(void)
{
	const struct scene_size size = { 640, 360, 512 };
	const uint64_t limits[] = { 4096, 3 << 20 };
	const char *const wanted[] = {
		"scene: 4K of video memory is too little: a draw needs 2952K at once\n", "",
	};
	struct scene_renderer *r = NULL;
	struct vsplit_device *dev;
	FILE *old = stderr;
	size_t length, i;
	char *text;

	for (i = 0; i < 2; i++) {
		fake.segments[0].commit_limit = limits[i];
		CHECK_EQ(vsplit_device_open_path(fake_node(), &dev), 0);
		stderr = open_memstream(&text, &length);
		CHECK_EQ(scene_renderer_new(dev, &size, &r), i ? 0 : -ENOSPC);
		fclose(stderr);
		stderr = old;
		CHECK_STR(text, wanted[i]);
		free(text);
		scene_renderer_free(r);
		vsplit_device_close(dev);
		fake_reset();
	}
}

int main(void)
{
	RUN(pictures_are_what_they_should_be);
	RUN(all_corners_are_in_range);
	RUN(too_little_memory);
	RUN(gone_while_a_picture_is_read);
	return check_total_failures != 0;
}
