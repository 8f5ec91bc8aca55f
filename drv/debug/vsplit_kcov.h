/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Coverage of what threads do for a client, for a fuzzer: KCOV's remote coverage.
 * A job carries the handle of the task that submitted it; engines, schedulers and
 * the release work collect for it. Nothing but in test builds on a kernel with KCOV.
 */
#ifndef _VSPLIT_KCOV_H_
#define _VSPLIT_KCOV_H_

#include <linux/types.h>

#if defined(CONFIG_DRM_VSPLIT_DEBUG) && defined(CONFIG_KCOV)

#include <linux/kcov.h>
#include <linux/sched.h>

/** vsplit_kcov_handle() - Of the calling task: who asks for remote coverage; 0 for nobody. */
static inline u64 vsplit_kcov_handle(void)
{
	return kcov_common_handle();
}

/**
 * vsplit_kcov_begin() - This thread works for a client from here on.
 * @handle: from vsplit_kcov_handle().
 *
 * May allocate memory; not inside dma_fence_begin_signalling().
 *
 * Return: for vsplit_kcov_end(): whether anything is collected. It is not if the
 * thread already collects.
 */
static inline bool vsplit_kcov_begin(u64 handle)
{
	if (!handle || READ_ONCE(current->kcov_mode))
		return false;
	kcov_remote_start_common(handle);
	return true;
}

/**
 * vsplit_kcov_end() - No longer.
 * @begun: what vsplit_kcov_begin() returned.
 */
static inline void vsplit_kcov_end(bool begun)
{
	if (begun)
		kcov_remote_stop();
}

#else

static inline u64 vsplit_kcov_handle(void)
{
	return 0;
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
