/* SPDX-License-Identifier: MIT */
/*
 * Coverage of the module by KCOV: of the calling thread, and of the kernel threads that work for
 * it, as a set of basic blocks.
 */
#ifndef IGT_VSPLIT_KCOV_H
#define IGT_VSPLIT_KCOV_H

#include <stdbool.h>
#include <stdint.h>

/* Are there KCOV and the module's file, from which the blocks are known? */
bool vsplit_kcov_there(void);
/* Finds the blocks, and begins to observe the calling thread and the threads that work for it. */
void vsplit_kcov_start(void);
/* Called by another thread, which the first one made: observes it, too. */
void vsplit_kcov_join(void);
/*
 * For child processes, one at a time: a thread of the parent calls the first function before
 * fork(), and the child calls the second. What the child executed counts even if it is killed.
 */
void vsplit_kcov_prepare_child(void);
void vsplit_kcov_child(void);
/*
 * Called when the module was unloaded and loaded since the last vsplit_kcov_collect(), or when
 * loading it failed: its code is at another address.
 */
void vsplit_kcov_loaded(void);
/* Adds what was executed since the last call; returns the number of new blocks. */
unsigned int vsplit_kcov_collect(void);
/* Number of blocks seen so far, and of all blocks. */
unsigned int vsplit_kcov_seen(void);
unsigned int vsplit_kcov_all(void);
/* How many of the blocks not seen run only if the kernel complains, for example by a WARN(). */
unsigned int vsplit_kcov_complaints(void);
/* Lists the blocks not seen: function, offset in it, and "complaint" if it is one. */
void vsplit_kcov_write_unseen(const char *path);

#endif /* IGT_VSPLIT_KCOV_H */
