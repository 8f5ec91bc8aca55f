/* SPDX-License-Identifier: MIT */
#ifndef _VSPLIT_SHOT_PUT_PNG_H_
#define _VSPLIT_SHOT_PUT_PNG_H_

#include "head_picture.h"

/* Write a PNG with 8 bits per color. Returns NULL, or the error as a static string. */
const char *png_put(FILE *out, const struct head_picture *picture);

/*
 * Write a picture as PNG to @file, and close it. @file is the result of opening @path, or NULL with
 * errno set. An incomplete file is removed. Returns an exit status; complains.
 */
int png_save(FILE *file, const char *path, const struct head_picture *picture);

#endif /* _VSPLIT_SHOT_PUT_PNG_H_ */
