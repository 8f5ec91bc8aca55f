/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the planner needs from the kernel (drv/split/vsplit_split_compat.h), for a user process.
 */
#ifndef SPLIT_USER_H
#define SPLIT_USER_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif
#ifndef U32_MAX
#define U32_MAX			UINT32_MAX
#endif
#ifndef U64_MAX
#define U64_MAX			UINT64_MAX
#endif

#define min(a, b)		({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)		({ __typeof__(a) c_ = (a); __typeof__(b) d_ = (b); c_ > d_ ? c_ : d_; })
#define max3(a, b, c)		({ __typeof__(a) e_ = max(a, b); __typeof__(c) f_ = (c); e_ > f_ ? e_ : f_; })
#define hweight64(set)		__builtin_popcountll(set)

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 divisor)
{
	return (u64)((unsigned __int128)a * mul / divisor);
}

#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)
#define check_mul_overflow(a, b, product)	__builtin_mul_overflow(a, b, product)

#define vsplit_split_sort_r(base, nr, size, cmp, priv) \
	qsort_r(base, nr, size, cmp, priv)
typedef void vsplit_split_priv_t;

/* The program decides when it counts as killed. */
bool vsplit_split_relax(void);

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VSPLIT_SPLIT_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define VSPLIT_SPLIT_ASAN
#endif

/*
 * AddressSanitizer reports an access to the gaps between the arrays of a workspace.
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

#endif
