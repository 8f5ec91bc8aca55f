/* SPDX-License-Identifier: MIT */
/* Pictures of heads. The driver gives them to root only. */
#ifndef _VSPLIT_TOOLS_HEAD_PICTURE_H_
#define _VSPLIT_TOOLS_HEAD_PICTURE_H_

#include <stdint.h>
#include <stdio.h>

/* @rgb: three bytes for each pixel, line by line, without gaps. */
struct head_picture {
	uint32_t width;
	uint32_t height;
	uint8_t *rgb;
};

/*
 * Read what head @head shows from the next vblank on. @fd: any node of the adapter. Returns 0 or
 * -errno: -ENODEV if the head is dark; -ENOENT if there is no such head or no debugfs; -EACCES
 * without root; -EPROTO if the file is no picture.
 */
int head_picture_take(int fd, uint32_t head, struct head_picture *picture);
void head_picture_free(struct head_picture *picture);

/* Read a portable pixmap (P6, 255). Returns 0 or -errno; -EPROTO if it is none, or cut short. */
int head_picture_read(FILE *file, struct head_picture *picture);

#endif /* _VSPLIT_TOOLS_HEAD_PICTURE_H_ */
