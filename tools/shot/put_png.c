// SPDX-License-Identifier: MIT
/* Writes the picture of a head as PNG. */
#include <errno.h>
#include <png.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "put_png.h"

const char *png_put(FILE *out, const struct head_picture *picture)
{
	static char message[sizeof(((png_image *)NULL)->message)];
	png_image image = {
		.version = PNG_IMAGE_VERSION,
		.width = picture->width,
		.height = picture->height,
		.format = PNG_FORMAT_RGB,
	};

	if (png_image_write_to_stdio(&image, out, 0, picture->rgb, 0, NULL))
		return NULL;
	memcpy(message, image.message, sizeof(message));
	return message;
}

int png_save(FILE *file, const char *path, const struct head_picture *picture)
{
	const char *wrong;
	struct stat st;
	bool regular;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return EXIT_NOT_RUN;
	}
	/* Remove only a regular file: root could remove a device such as /dev/full. */
	regular = !fstat(fileno(file), &st) && S_ISREG(st.st_mode);
	wrong = png_put(file, picture);
	if (!wrong && (fflush(file) || ferror(file)))
		wrong = strerror(errno);
	if (file != stdout && fclose(file) && !wrong)
		wrong = strerror(errno);
	if (!wrong)
		return EXIT_HELD;
	complain("%s: %s", path, wrong);
	if (regular && file != stdout)
		unlink(path);
	return EXIT_NOT_RUN;
}
