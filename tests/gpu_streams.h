/* SPDX-License-Identifier: MIT */
/*
 * Streams of random commands that mostly do something, for test_exec_random.c
 * and fuzz_exec.c.
 */
#ifndef _GPU_STREAMS_H_
#define _GPU_STREAMS_H_

#include "gpu_world.h"

/* Rows and @packets random packets; the randomness comes from rng(). */
void random_stream(struct world *w, u32 packets);

#endif /* _GPU_STREAMS_H_ */
