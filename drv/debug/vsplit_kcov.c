// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "debug/vsplit_kcov.h"

#if defined(CONFIG_DRM_VSPLIT_DEBUG) && defined(CONFIG_KCOV)

#include <linux/kcov.h>
#include <linux/sched.h>

#include "vsplit_compat.h"

/**
 * DOC: coverage of work for others
 *
 * KCOV knows what a task does by itself. What threads and work items do for the task is *remote*
 * coverage. They collect it between vsplit_kcov_begin() and vsplit_kcov_end(), under the handle of
 * the task that they work for. A job carries the handle of its submitter; an engine or a segment
 * has the handle of the task that used it last.
 *
 * This file is not instrumented (see Kbuild): its code does the measuring, and most of it runs
 * while nothing is measured yet.
 */

/* The handle by which the calling task asks for remote coverage, or 0. Any context. */
u64 vsplit_kcov_handle(void)
{
	return vsplit_compat_kcov_handle();
}

/*
 * Note which task uses an object that threads will work on later: @handle becomes the handle of the
 * calling task, if the task has one. Any context.
 */
void vsplit_kcov_note(u64 *handle)
{
	u64 mine = vsplit_compat_kcov_handle();

	if (mine)
		WRITE_ONCE(*handle, mine);
}

/*
 * This thread works from here on for the client that has the handle. May allocate memory; not
 * inside dma_fence_begin_signalling(). Return: for vsplit_kcov_end(): true if coverage is
 * collected; false without a handle, or if the thread already collects.
 */
bool vsplit_kcov_begin(u64 handle)
{
	if (!handle || READ_ONCE(current->kcov_mode))
		return false;
	kcov_remote_start(kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, handle));
	return true;
}

/** vsplit_kcov_end() - The thread's work for the client ends. @begun: from vsplit_kcov_begin(). */
void vsplit_kcov_end(bool begun)
{
	if (begun)
		kcov_remote_stop();
}

#endif
