// SPDX-License-Identifier: MIT
/* Pictures of heads: the driver's file is read, written as PNG, and comes out unchanged. */
#define _GNU_SOURCE
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "common.h"
#include "put_png.h"

/* Read a picture from these bytes. */
static int read_bytes(const char *bytes, size_t size, struct head_picture *picture)
{
	FILE *file = tmpfile();
	int ret;

	fwrite(bytes, 1, size, file);
	rewind(file);
	ret = head_picture_read(file, picture);
	fclose(file);
	return ret;
}

static void pixmaps_are_read(void)
{
	static const char good[] = "P6\n2 1\n255\n\n\x01 \xff\x80#";
	struct head_picture picture;

	CHECK_EQ(read_bytes(good, sizeof(good) - 1, &picture), 0);
	CHECK_EQ(picture.width, 2);
	CHECK_EQ(picture.height, 1);
	CHECK(!memcmp(picture.rgb, "\n\x01 \xff\x80#", 6));
	head_picture_free(&picture);
}

static void other_files_are_refused(void)
{
	static const struct {
		const char *bytes;
		size_t size;
	} bad[] = {
#define BAD(text) { text, sizeof(text) - 1 }
		BAD(""), BAD("P5\n1 1\n255\nx"), BAD("P6\n1 1\n65535\nxxxxxx"),
		BAD("P6\n0 1\n255\n"), BAD("P6\n1 99999\n255\nxxx"), BAD("P6\n2 1\n255\nxxxxx"),
		BAD("P6\n1 1\n255 xxx"),
	};
	struct head_picture picture;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQ(read_bytes(bad[i].bytes, bad[i].size, &picture), -EPROTO);
		CHECK(!picture.rgb);
	}
}

static void png_holds_the_picture(void)
{
	enum { W = 37, H = 21 };
	struct head_picture picture = { .width = W, .height = H, .rgb = malloc(3 * W * H) };
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t back[3 * W * H];
	FILE *file = tmpfile();
	size_t i;

	for (i = 0; i < sizeof(back); i++)
		picture.rgb[i] = (uint8_t)(i * i / 7 + i);
	CHECK(!png_put(file, &picture));
	rewind(file);
	CHECK(png_image_begin_read_from_stdio(&image, file));
	CHECK_EQ(image.width, W);
	CHECK_EQ(image.height, H);
	CHECK_EQ(image.format, PNG_FORMAT_RGB);
	CHECK(png_image_finish_read(&image, NULL, back, 0, NULL));
	CHECK(!memcmp(back, picture.rgb, sizeof(back)));
	fclose(file);
	/* An error of writing is reported. */
	file = fopen("/dev/full", "w");
	setbuf(file, NULL);
	CHECK(png_put(file, &picture));
	fclose(file);
	head_picture_free(&picture);
}

/* Incomplete files are removed, but a full device is not. */
static void what_is_not_whole_is_removed(void)
{
	struct head_picture picture = { .width = 64, .height = 64, .rgb = calloc(3, 64 * 64) };
	char dir[] = "/tmp/vsplit-shot-XXXXXX", path[40];
	struct stat st;
	FILE *file;

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/a.png", dir);
	CHECK_EQ(png_save(fopen(path, "w"), path, &picture), EXIT_HELD);
	CHECK(!stat(path, &st) && st.st_size > 0);
	/* A file that is open for reading only cannot be written. */
	CHECK_EQ(png_save(fopen(path, "r"), path, &picture), EXIT_NOT_RUN);
	CHECK(access(path, F_OK));
	CHECK(!symlink("/dev/full", path));
	file = fopen(path, "w");
	setbuf(file, NULL);
	CHECK_EQ(png_save(file, path, &picture), EXIT_NOT_RUN);
	CHECK(!lstat(path, &st));
	unlink(path);
	rmdir(dir);
	CHECK_EQ(png_save(fopen(path, "w"), path, &picture), EXIT_NOT_RUN);
	head_picture_free(&picture);
}

int main(void)
{
	RUN(pixmaps_are_read);
	RUN(other_files_are_refused);
	RUN(png_holds_the_picture);
	RUN(what_is_not_whole_is_removed);
	return check_total_failures != 0;
}
