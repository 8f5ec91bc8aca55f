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
 * Children of processes, one at a time: the first before fork(), by a thread of the
 * parent, the second in the child. What it executed is seen even if it is killed.
 */
void vsplit_kcov_prepare_child(void);
void vsplit_kcov_child(void);
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
/* Of those that were not seen: how many run only if the kernel complains, by a WARN() or so. */
unsigned int vsplit_kcov_complaints(void);
/* Lists the blocks that were not seen: function, offset in it, "complaint" if it is one. */
void vsplit_kcov_write_unseen(const char *path);

#endif /* IGT_VSPLIT_KCOV_H */
