// SPDX-License-Identifier: MIT
/*
 * vsplit-scene on the fake kernel, whose GPU draws by the reference of tests/: so the checksums
 * below, which a VM compares with those of the driver, are not the driver's own.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "check.h"
#include "draw_reference.h"
#include "fake.h"
#include "scene.h"

#define WIDTH	160
#define HEIGHT	90
#define SIDE	64

static struct scene_frame frame;

static uint32_t crc_of(uint32_t crc, const uint32_t *pixels)
{
	const uint8_t *bytes = (const void *)pixels;
	size_t i;
	int bit;

	for (i = 0; i < WIDTH * HEIGHT * 4; i++) {
		crc ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

/* Behind those of checksum @crc. */
static uint32_t picture_of(double turn, uint32_t crc)
{
	const struct scene_size size = { WIDTH, HEIGHT, SIDE };
	struct scene_report report = { 0 };
	struct scene_renderer *r;
	struct vsplit_device *dev;
	const uint32_t *pixels;

	fake.draw = draw_reference_plain;
	CHECK_EQ(vsplit_device_open_path(fake_node(), &dev), 0);
	CHECK_EQ(scene_renderer_new(dev, &size, &r), 0);
	scene_look(&frame, turn, WIDTH, HEIGHT, SIDE);
	CHECK_EQ(scene_render(r, &frame, &report, &pixels), EXIT_HELD);
	CHECK_EQ(fake.submits, 1);
	CHECK_EQ(report.pictures, 1);
	crc = crc_of(crc, pixels);
	scene_renderer_free(r);
	vsplit_device_close(dev);
	CHECK_EQ(fake.open_handles, 0);
	fake_reset();
	return crc;
}

static void pictures_are_what_they_should_be(void)
{
	/* As scripts/guest-check has it. */
	CHECK_EQ(~picture_of(0.5, picture_of(0, ~0u)), 0xc26f39ba);
}

/* Corners are where the GPU draws them, wherever the camera is, and each draw has some. */
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

int main(void)
{
	RUN(pictures_are_what_they_should_be);
	RUN(all_corners_are_in_range);
	return check_total_failures != 0;
}
