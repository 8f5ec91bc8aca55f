/* SPDX-License-Identifier: MIT */
/*
 * A head that flips between two pictures, while the checksum of each frame is read. Two threads do
 * this, while a test does something to the device.
 */
#ifndef IGT_VSPLIT_LIT_H
#define IGT_VSPLIT_LIT_H

#include "igt_vsplit_head.h"

#pragma GCC visibility push(hidden)

/**
 * struct lit - Figures of the threads; written by them only.
 * @head: the first head of "ad".
 * @fbs: framebuffers with the two pictures.
 * @to: framebuffer for pictures written back.
 * @want: the checksums of @fbs.
 * @segment: where @fbs are pinned while they are shown.
 * @flips: number of flips done.
 * @error: of the first flip that failed, which is the last flip.
 * @right: frames with each picture.
 * @none: frames without a picture.
 * @wrong: frames with any other picture.
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

/* Lights the head; @segments as in vsplit_bo_in(), of which the first one has room. */
void lit_start(const uint8_t *segments);
/* Asserts that flips go on, that frames show each picture, and that no frame shows another one. */
void lit_goes_on(const char *when);
/* Waits until flips fail, and returns the error; lit_stop() has still to be called. */
int lit_fails(void);
/* Ends the threads and closes the file with checksums. */
void lit_stop(void);
/* After lit_stop(): asserts that both pictures are in place, shown and written back correctly. */
void lit_check(void);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_LIT_H */
