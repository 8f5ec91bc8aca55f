// SPDX-License-Identifier: MIT
/* vsplit-scene: draws pictures that need more video memory than there is. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "put_png.h"
#include "scene.h"

#define MAX_HEAD	15
#define NO_HEAD		UINT32_MAX
#define MAX_FRAMES	999

static const char usage[] =
	"Usage: vsplit-scene [OPTION]...\n"
	"Draw a scene on the GPU, each picture in one DMA buffer, which is split where its textures do\n"
	"not fit into video memory. Without --device, on an adapter of its own (needs root), or on the\n"
	"first there is with --wayland.\n"
	"\n"
	"  -o, --output FILE   where the picture goes, as PNG; of several, FILE-001.png and so on\n"
	"  -n, --frames N      so many pictures, once around the scene (1)\n"
	"      --size WxH      of a picture, in pixels (640x360)\n"
	"      --texture N     textures of N by N texels, a power of two (512)\n"
	"      --vram SIZE     video memory of its own adapter (K, M, G; 8M)\n"
	"      --device WHICH  on this adapter: its name or the path of a node\n"
	"      --head N        show the pictures on this head of the adapter, from 0\n"
	"      --wayland       hand them to a Wayland compositor, fullscreen; the last one stays until\n"
	"                      the window or the program is ended\n"
	"      --check         draw each picture again where memory is ample, and compare\n"
	"  -q, --quiet         print nothing but errors\n"
	"      --version       print the version\n"
	"  -h, --help          this text\n"
	"\n"
	"Examples:\n"
	"  vsplit-scene -o scene.png\n"
	"  vsplit-scene --vram 4M --texture 256 --check\n"
	"  vsplit-scene -n 24 -o round.png\n"
	"  vsplit-scene --wayland -n 24 --size 1024x768\n"
	"\n"
	"Exit status: 0 done; 1 the GPU failed, or a picture differs; 2 bad arguments, or not run.\n";

struct options {
	const char *output;
	const char *device;
	struct scene_size size;
	uint64_t frames;
	uint64_t vram;
	uint32_t head;
	bool wayland;
	bool check;
	bool quiet;
};

static bool bad_number(const char *option, const char *text, uint64_t from, uint64_t to)
{
	complain("--%s: '%s' is no number from %" PRIu64 " to %" PRIu64, option, text, from, to);
	return false;
}

static bool parse_picture(const char *text, struct scene_size *size)
{
	uint64_t width, height;
	char copy[32];
	char *x;

	/* No valid size is this long. A text that was cut could look like a valid size. */
	x = snprintf(copy, sizeof(copy), "%s", text) < (int)sizeof(copy) ? strchr(copy, 'x') : NULL;
	if (x)
		*x = '\0';
	if (!x || !parse_number(copy, &width) || !parse_number(x + 1, &height) || width < 16 ||
	    height < 16 || width > VSPLIT_DRAW_MAX_SIDE || height > VSPLIT_DRAW_MAX_SIDE) {
		complain("--size: '%s' is no size from 16x16 to %ux%u", text, VSPLIT_DRAW_MAX_SIDE,
			 VSPLIT_DRAW_MAX_SIDE);
		return false;
	}
	size->width = (uint32_t)width;
	size->height = (uint32_t)height;
	return true;
}

static bool parse_option(int c, struct options *o)
{
	uint64_t number;

	switch (c) {
	case 'o':
		o->output = optarg;
		return true;
	case 'n':
		return (parse_number(optarg, &o->frames) && o->frames && o->frames <= MAX_FRAMES) ||
		       bad_number("frames", optarg, 1, MAX_FRAMES);
	case 's':
		return parse_picture(optarg, &o->size);
	case 't':
		if (!parse_number(optarg, &number) || number < 16 || number & (number - 1) ||
		    number > VSPLIT_DRAW_MAX_SIDE) {
			complain("--texture: '%s' is no power of two from 16 to %u", optarg,
				 VSPLIT_DRAW_MAX_SIDE);
			return false;
		}
		o->size.side = (uint32_t)number;
		return true;
	case 'v':
		if (parse_size(optarg, &o->vram) && o->vram && o->vram <= INT64_MAX / 2)
			return true;
		complain("--vram: '%s' is no size", optarg);
		return false;
	case 'd':
		o->device = optarg;
		return true;
	case 'H':
		if (!parse_number(optarg, &number) || number > MAX_HEAD)
			return bad_number("head", optarg, 0, MAX_HEAD);
		o->head = (uint32_t)number;
		return true;
	case 'w':
		o->wayland = true;
		return true;
	case 'c':
		o->check = true;
		return true;
	case 'q':
		o->quiet = true;
		return true;
	default:
		return false;
	}
}

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "frames", required_argument, NULL, 'n' },
		{ "size", required_argument, NULL, 's' },
		{ "texture", required_argument, NULL, 't' },
		{ "vram", required_argument, NULL, 'v' },
		{ "device", required_argument, NULL, 'd' },
		{ "head", required_argument, NULL, 'H' },
		{ "wayland", no_argument, NULL, 'w' },
		{ "check", no_argument, NULL, 'c' },
		{ "quiet", no_argument, NULL, 'q' },
		LAST_OPTIONS
	};
	int c;

	while ((c = next_option(argc, argv, "o:n:qh", longs, usage)) != -1) {
		if (!parse_option(c, o))
			return false;
	}
	if (optind < argc) {
		complain("unexpected argument '%s'", argv[optind]);
		return false;
	}
	if (o->vram && o->device) {
		complain("--vram is of an adapter of its own: --device cannot be used with it");
		return false;
	}
	if (o->wayland && (o->vram || o->head != NO_HEAD)) {
		complain("--wayland is on the compositor's adapter: --%s cannot be used with it",
			 o->vram ? "vram" : "head");
		return false;
	}
	return true;
}

/* ---- adapters ---------------------------------------------------------- */

/*
 * A place to draw.
 * @own: the adapter that was made for it, or NULL.
 */
struct place {
	struct own_adapter *own;
	struct vsplit_device *dev;
	struct scene_renderer *renderer;
};

static int open_own(const struct options *o, const char *prefix, uint64_t bytes,
		    struct place *place)
{
	return own_adapter_open(prefix, bytes, o->head == NO_HEAD ? 0 : o->head + 1, &place->own,
				&place->dev);
}

static int place_open(const struct options *o, struct place *place)
{
	int ret = o->device || o->wayland ? open_adapter(o->device, &place->dev) :
		  open_own(o, "scene", o->vram ? o->vram : 8 << 20, place);

	/* Heads can be set up only through the primary node. */
	if (!ret && o->head != NO_HEAD) {
		ret = reopen_primary(&place->dev);
		if (ret)
			complain("cannot open the adapter's primary node: %s", strerror(-ret));
	}
	return ret ? ret : scene_renderer_new(place->dev, &o->size, &place->renderer);
}

/* Open a place where everything fits, so that nothing is split. */
static int place_open_ample(const struct options *o, struct place *place)
{
	uint64_t bytes = 2 * (scene_texture_bytes(&o->size) + scene_other_bytes(&o->size));
	int ret = open_own(o, "ample", bytes, place);

	return ret ? ret : scene_renderer_new(place->dev, &o->size, &place->renderer);
}

static void place_close(struct place *place)
{
	scene_renderer_free(place->renderer);
	vsplit_device_close(place->dev);
	own_adapter_destroy(place->own);
}

/* ---- pictures ---------------------------------------------------------- */

/* Name of the file for picture @number of @frames. A single picture has the name as it is. */
static char *file_name(const char *name, uint64_t number, uint64_t frames)
{
	const char *dot = strrchr(name, '.');
	char *path;
	int end = dot && !strchr(dot, '/') ? (int)(dot - name) : (int)strlen(name);

	if (frames == 1)
		return strdup(name);
	return asprintf(&path, "%.*s-%03" PRIu64 "%s", end, name, number + 1, name + end) < 0 ?
	       NULL : path;
}

/* Returns an exit status. */
static int save(const char *path, const struct scene_size *size, const uint32_t *pixels)
{
	struct head_picture picture = { .width = size->width, .height = size->height };
	size_t i, count = (size_t)size->width * size->height;
	int ret;

	picture.rgb = malloc(count * 3);
	if (!path || !picture.rgb) {
		complain("%s", strerror(ENOMEM));
		free(picture.rgb);
		return EXIT_NOT_RUN;
	}
	for (i = 0; i < count; i++) {
		picture.rgb[3 * i] = (uint8_t)(pixels[i] >> 16);
		picture.rgb[3 * i + 1] = (uint8_t)(pixels[i] >> 8);
		picture.rgb[3 * i + 2] = (uint8_t)pixels[i];
	}
	ret = png_save(fopen(path, "we"), path, &picture);
	head_picture_free(&picture);
	return ret;
}

/* Continue the CRC-32 @crc over all bytes of a picture. */
static uint32_t checksum(uint32_t crc, const uint32_t *pixels, size_t count)
{
	size_t i;
	int bit;

	for (i = 0; i < count; i++) {
		crc ^= pixels[i];
		for (bit = 0; bit < 32; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

static int compare(const struct scene_size *size, uint64_t number, const uint32_t *a,
		   const uint32_t *b)
{
	size_t i, count = (size_t)size->width * size->height;

	for (i = 0; i < count && a[i] == b[i]; i++)
		;
	if (i == count)
		return EXIT_HELD;
	complain("picture %" PRIu64 ": pixel %zu, %zu is 0x%08x, and 0x%08x where memory is ample",
		 number + 1, i % size->width, i / size->width, a[i], b[i]);
	return EXIT_NOT_HELD;
}

/* Returns @ret, an error as of scene_window_open(); complains if that has not complained yet. */
static int told(int ret)
{
	if (ret == -ECANCELED)
		complain("ended before all pictures were shown");
	return ret;
}

/* Returns an exit status. */
static int show(const struct options *o, struct scene_renderer *r, struct scene_window *window,
		struct scene_report *report)
{
	struct vsplit_bo *bo;
	uint32_t pitch;
	int ret;

	if (o->head != NO_HEAD)
		return scene_show(r, o->head) ? EXIT_NOT_RUN : EXIT_HELD;
	if (!window)
		return EXIT_HELD;
	bo = scene_target(r, &pitch);
	ret = told(scene_window_show(window, bo, pitch, report));
	return ret ? EXIT_NOT_RUN : EXIT_HELD;
}

static int one(const struct options *o, struct place *short_one, struct place *ample,
	       struct scene_window *window, uint64_t number, struct scene_report *report,
	       uint32_t *crc)
{
	struct scene_report other = { 0 };
	const uint32_t *pixels, *again;
	struct scene_frame *frame = malloc(sizeof(*frame));
	int ret = EXIT_NOT_RUN;

	if (!frame) {
		complain("%s", strerror(ENOMEM));
		return ret;
	}
	scene_look(frame, (double)number / (double)o->frames, o->size.width, o->size.height,
		   o->size.side);
	ret = scene_render(short_one->renderer, frame, report, &pixels);
	if (!ret && ample->renderer) {
		ret = scene_render(ample->renderer, frame, &other, &again);
		if (!ret)
			ret = compare(&o->size, number, pixels, again);
	}
	free(frame);
	if (ret)
		return ret;
	*crc = checksum(*crc, pixels, (size_t)o->size.width * o->size.height);
	ret = show(o, short_one->renderer, window, report);
	if (!ret && o->output) {
		char *path = file_name(o->output, number, o->frames);

		ret = save(path, &o->size, pixels);
		free(path);
	}
	return ret;
}

static void print_report(const struct options *o, const struct scene_report *r, uint32_t crc)
{
	char one_text[SIZE_TEXT], two[SIZE_TEXT];

	printf("%" PRIu64 " picture%s of %ux%u, CRC-32 %08x\n", r->pictures,
	       r->pictures == 1 ? "" : "s", o->size.width, o->size.height, ~crc);
	printf("  memory    %s of textures, %s of video memory\n",
	       format_about(one_text, scene_texture_bytes(&o->size)), format_about(two, r->memory));
	printf("  portions  %" PRIu64 ", of %" PRIu64 " DMA buffer%s\n", r->portions, r->pictures,
	       r->pictures == 1 ? "" : "s");
	printf("  paged in  %s\n", format_about(one_text, r->paged_in));
	printf("  evicted   %s\n", format_about(one_text, r->evicted));
	if (o->wayland)
		printf("  shown     %" PRIu64 ", of which a head read %" PRIu64
		       " where they were drawn\n", r->shown, r->in_place);
	if (o->check)
		printf("  the same bytes as where memory is ample\n");
}

int main(int argc, char **argv)
{
	struct options o = { .size = { 640, 360, 512 }, .frames = 1, .head = NO_HEAD };
	struct place short_one = { 0 }, ample = { 0 };
	struct scene_window *window = NULL;
	struct scene_report report = { 0 };
	uint32_t crc = ~0u;
	int ret = EXIT_HELD;
	uint64_t i;

	if (!parse_options(argc, argv, &o)) {
		complain("try --help");
		return EXIT_NOT_RUN;
	}
	if ((o.wayland && told(scene_window_open(&o.size, &window))) || place_open(&o, &short_one) ||
	    (o.check && place_open_ample(&o, &ample)))
		ret = EXIT_NOT_RUN;
	for (i = 0; i < o.frames && !ret; i++)
		ret = one(&o, &short_one, &ample, window, i, &report, &crc);
	if (!ret && !o.quiet)
		print_report(&o, &report, crc);
	if (!ret && window) {
		fflush(stdout);
		ret = scene_window_wait(window) ? EXIT_NOT_RUN : EXIT_HELD;
	}
	scene_window_close(window);
	place_close(&ample);
	place_close(&short_one);
	return end_output(ret);
}
