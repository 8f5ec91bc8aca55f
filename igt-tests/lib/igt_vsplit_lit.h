/* SPDX-License-Identifier: MIT */
/*
 * A head that flips between two pictures and has the checksum of each frame read, both by threads,
 * while a test does something to its device.
 */
#ifndef IGT_VSPLIT_LIT_H
#define IGT_VSPLIT_LIT_H

#include "igt_vsplit_head.h"

#pragma GCC visibility push(hidden)

/**
 * struct lit - Figures of the threads; written by them only.
 * @head: of "ad", the first one.
 * @fbs: with the two pictures.
 * @to: to write pictures back into.
 * @want: the checksums of @fbs.
 * @segment: where @fbs are pinned while they are shown.
 * @flips: that were done.
 * @error: of the first flip that failed, which is the last one.
 * @right: frames with each picture.
 * @none: frames without one.
 * @wrong: frames with anything else.
 */
struct lit {
	struct head head;
	struct fb fbs[2], to;
	uint32_t want[2];
	uint32_t segment;
	volatile unsigned int flips;
	volatile int error;
	volatile unsigned int right[2], none, wrong;
};

extern struct lit lit;

/* Lights the head; @segments as in vsplit_bo_in(), the first one has room. */
void lit_start(const uint8_t *segments);
/* Some more flips, and frames with each picture, than there were, and none with another one. */
void lit_goes_on(const char *when);
/* Waits until flips fail, and returns the error; lit_stop() has still to be called. */
int lit_fails(void);
/* Ends the threads and closes the file with checksums. */
void lit_stop(void);
/* After lit_stop(): both pictures are at their place, shown and written back as they were. */
void lit_check(void);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_LIT_H */
