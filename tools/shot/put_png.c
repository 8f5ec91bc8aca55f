// SPDX-License-Identifier: MIT
/* A picture of a head as PNG. */
#include <png.h>
#include <string.h>

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
