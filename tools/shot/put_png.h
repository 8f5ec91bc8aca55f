/* SPDX-License-Identifier: MIT */
#ifndef _VSPLIT_SHOT_PUT_PNG_H_
#define _VSPLIT_SHOT_PUT_PNG_H_

#include "head_picture.h"

/* Write it as PNG, 8 bits for each of red, green and blue. NULL, or what went wrong: static. */
const char *png_put(FILE *out, const struct head_picture *picture);

/*
 * The same, to @file, which is closed: that of the name @path, as it was opened, or NULL with errno
 * set. Complains, and returns an exit status. A file that could not be written whole is not left there.
 */
int png_save(FILE *file, const char *path, const struct head_picture *picture);

#endif /* _VSPLIT_SHOT_PUT_PNG_H_ */
