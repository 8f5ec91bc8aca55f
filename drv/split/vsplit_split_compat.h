/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the split code needs of its surroundings, in the kernel and in a user
 * process. Nothing else may be included by the files of this directory.
 */
#ifndef _VSPLIT_SPLIT_COMPAT_H_
#define _VSPLIT_SPLIT_COMPAT_H_

#ifdef __KERNEL__
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/types.h>

#define vsplit_split_sort_r(base, nr, size, cmp, priv) \
	sort_r(base, nr, size, cmp, NULL, priv)
typedef const void vsplit_split_priv_t;

/* Let other tasks run; true if the process is being killed and the plan is of no use. */
static inline bool vsplit_split_relax(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

/* A user process may have a sanitizer watch the gaps between the arrays of a workspace. */
#define VSPLIT_SPLIT_REDZONE	0
static inline void vsplit_split_guard(void *p, size_t bytes)
{
}

static inline void vsplit_split_unguard(void *p, size_t bytes)
{
}

#else /* !__KERNEL__ */

/* A user program has a header of its own with the same names; tests/ has one for its programs. */
#include "split_user.h"

#endif /* !__KERNEL__ */

#endif /* _VSPLIT_SPLIT_COMPAT_H_ */
