/* SPDX-License-Identifier: MIT */
/*
 * vsplit-scene: a court with boxes, pillars and panes, drawn by the GPU. The description of the
 * scene (world.c) knows nothing of GPUs except vertices. The drawing (render.c) knows nothing of
 * the scene except textures and draws.
 */
#ifndef _VSPLIT_SCENE_H_
#define _VSPLIT_SCENE_H_

#include "common.h"
#include "vsplit_isa.h"

#define SCENE_TEXTURES		20u
#define SCENE_NO_TEXTURE	SCENE_TEXTURES
#define SCENE_MAX_DRAWS		96u
#define SCENE_MAX_VERTICES	4096u

/*
 * One draw packet.
 * @texture: number, or SCENE_NO_TEXTURE.
 * @first: index of the first vertex.
 * @triangles: number of triangles.
 * @flags: VSPLIT_DRAW_*.
 * @blend: enum vsplit_blend.
 */
struct scene_draw {
	uint32_t texture;
	uint32_t first;
	uint32_t triangles;
	uint32_t flags;
	uint32_t blend;
};

/* All draws of a picture, in order. */
struct scene_frame {
	uint32_t num_vertices;
	struct vsplit_vertex vertices[SCENE_MAX_VERTICES];
	uint32_t num_draws;
	struct scene_draw draws[SCENE_MAX_DRAWS];
};

/*
 * Compute the texels of a texture. @side: width and height, a power of two, at least 16. The result
 * is the same on all machines.
 */
void scene_texture(uint32_t number, uint32_t side, uint32_t *texels);

/*
 * Compute the picture after @turn of the camera's round, 0 to 1. @width, @height: size of the
 * picture; @side: of the textures. The only function of the C library used is the square root,
 * which is exact, so the result is the same on all machines.
 */
void scene_look(struct scene_frame *frame, double turn, uint32_t width, uint32_t height,
		uint32_t side);

/*
 * Sizes of a run.
 * @width, @height: of pictures.
 * @side: of textures.
 */
struct scene_size {
	uint32_t width;
	uint32_t height;
	uint32_t side;
};

/* Bytes of all textures, and bytes of everything else that a picture needs. */
uint64_t scene_texture_bytes(const struct scene_size *size);
uint64_t scene_other_bytes(const struct scene_size *size);

/*
 * Totals over all pictures.
 * @memory: size of the largest memory segment.
 * @shown: pictures that a compositor has presented.
 * @in_place: presented pictures that a head read where they were drawn.
 */
struct scene_report {
	uint64_t memory;
	uint64_t pictures;
	uint64_t portions;
	uint64_t paged_in;
	uint64_t evicted;
	uint64_t shown;
	uint64_t in_place;
};

/* A GPU with the textures, and memory for the pictures. */
struct scene_renderer;

/* Returns 0 or -errno; complains. @dev stays with the caller. */
int scene_renderer_new(struct vsplit_device *dev, const struct scene_size *size,
		       struct scene_renderer **out);
void scene_renderer_free(struct scene_renderer *r);

/*
 * Draw a picture in one DMA buffer, and wait. @pixels: 0xaarrggbb, line by line, valid until the
 * next picture is drawn. Returns an exit status; complains.
 */
int scene_render(struct scene_renderer *r, const struct scene_frame *frame,
		 struct scene_report *report, const uint32_t **pixels);

/* Show the picture that was drawn last on this head. Returns 0 or -errno; complains. */
int scene_show(struct scene_renderer *r, uint32_t head);

/* The allocation with the picture that was drawn last; @pitch: bytes from line to line. */
struct vsplit_bo *scene_target(const struct scene_renderer *r, uint32_t *pitch);

/* A fullscreen window of a Wayland compositor. SIGINT and the like end the waits below. */
struct scene_window;

/*
 * Returns 0 or -errno. -ECANCELED, if the window is to end, is the only error without a complaint.
 */
int scene_window_open(const struct scene_size *size, struct scene_window **out);
void scene_window_close(struct scene_window *w);

/*
 * Hand this allocation over, and wait until it is presented and all others are given back. Errors
 * as of scene_window_open().
 */
int scene_window_show(struct scene_window *w, struct vsplit_bo *bo, uint32_t pitch,
		      struct scene_report *report);

/* Keep showing the last picture until the window is to end, which is no error. */
int scene_window_wait(struct scene_window *w);

#endif /* _VSPLIT_SCENE_H_ */
