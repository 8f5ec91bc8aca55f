/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the split code needs of its surroundings, in the kernel and in a user
 * process. Nothing else may be included by the files of this directory.
 */
#ifndef _VSPLIT_SPLIT_COMPAT_H_
#define _VSPLIT_SPLIT_COMPAT_H_

#ifdef __KERNEL__
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/types.h>

/* Let others run; true if the process is being killed and nobody wants the plan. */
static inline bool vsplit_split_relax(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

#else /* !__KERNEL__ */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif
#ifndef U64_MAX
#define U64_MAX			UINT64_MAX
#endif

/* The program that plans decides when it is "killed". */
bool vsplit_split_relax(void);

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VSPLIT_SPLIT_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define VSPLIT_SPLIT_ASAN
#endif

#endif /* !__KERNEL__ */

/*
 * Under AddressSanitizer nobody may touch what is between two arrays of a
 * workspace.
 */
#ifdef VSPLIT_SPLIT_ASAN
#include <sanitizer/asan_interface.h>
#define VSPLIT_SPLIT_REDZONE	64
static inline void vsplit_split_guard(void *p, size_t bytes)
{
	ASAN_POISON_MEMORY_REGION(p, bytes);
}

static inline void vsplit_split_unguard(void *p, size_t bytes)
{
	ASAN_UNPOISON_MEMORY_REGION(p, bytes);
}
#else
#define VSPLIT_SPLIT_REDZONE	0
static inline void vsplit_split_guard(void *p, size_t bytes)
{
}

static inline void vsplit_split_unguard(void *p, size_t bytes)
{
}
#endif

#endif /* _VSPLIT_SPLIT_COMPAT_H_ */
