/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Coverage of what threads do for a client, for a fuzzer: KCOV's remote coverage.
 * A job carries the handle of the task that submitted it. Engines, schedulers, and work items
 * that free things collect coverage for that task. Only in test builds on a kernel with KCOV.
 */
#ifndef _VSPLIT_KCOV_H_
#define _VSPLIT_KCOV_H_

#include <linux/types.h>

#if defined(CONFIG_DRM_VSPLIT_DEBUG) && defined(CONFIG_KCOV)

u64 vsplit_kcov_handle(void);
void vsplit_kcov_note(u64 *handle);
bool vsplit_kcov_begin(u64 handle);
void vsplit_kcov_end(bool begun);

#else

static inline u64 vsplit_kcov_handle(void)
{
	return 0;
}

static inline void vsplit_kcov_note(u64 *handle)
{
}

static inline bool vsplit_kcov_begin(u64 handle)
{
	return false;
}

static inline void vsplit_kcov_end(bool begun)
{
}

#endif

#endif /* _VSPLIT_KCOV_H_ */
