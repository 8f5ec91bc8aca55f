/* SPDX-License-Identifier: MIT */
#ifndef _VSPLIT_SHOT_PUT_PNG_H_
#define _VSPLIT_SHOT_PUT_PNG_H_

#include "head_picture.h"

/* Write it as PNG, 8 bits for each of red, green and blue. NULL, or what went wrong: static. */
const char *png_put(FILE *out, const struct head_picture *picture);

#endif /* _VSPLIT_SHOT_PUT_PNG_H_ */
