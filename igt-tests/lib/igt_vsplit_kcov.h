/* SPDX-License-Identifier: MIT */
/*
 * Coverage of the module by KCOV: of the calling thread and of the threads that
 * work for it in the kernel, as a set of basic blocks.
 */
#ifndef IGT_VSPLIT_KCOV_H
#define IGT_VSPLIT_KCOV_H

#include <stdbool.h>
#include <stdint.h>

/* Is there KCOV, and the module's file to know its blocks by? */
bool vsplit_kcov_there(void);
/* Finds the blocks; the calling thread, and what works for it, is seen from here on. */
void vsplit_kcov_start(void);
/* Another thread, made by the first: it, too, is seen. */
void vsplit_kcov_join(void);
/*
 * The module was unloaded and loaded since the last vsplit_kcov_collect(), or loading it
 * was tried and failed: its code is somewhere else.
 */
void vsplit_kcov_loaded(void);
/* Adds what was executed since the last time; returns how many blocks were new. */
unsigned int vsplit_kcov_collect(void);
/* Blocks seen so far, and all that there are. */
unsigned int vsplit_kcov_seen(void);
unsigned int vsplit_kcov_all(void);
/* Lists the blocks that were not seen: function, offset in it. */
void vsplit_kcov_write_unseen(const char *path);

#endif /* IGT_VSPLIT_KCOV_H */
