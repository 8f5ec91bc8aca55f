/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the pure parts of the GPU need from the kernel, or from a user process. Apart from this
 * header, they include only the headers of this directory and the instruction set.
 */
#ifndef _VSPLIT_GPU_COMPAT_H_
#define _VSPLIT_GPU_COMPAT_H_

#ifdef __KERNEL__

#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/highmem.h>
#include <linux/kref.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * Whether @next follows @page in the mapping that kmap_local_page(@page) returns. It does so only
 * where all of memory is permanently mapped, in the order of page frames.
 */
static inline bool vsplit_gpu_page_follows(struct page *page, struct page *next)
{
	return !IS_ENABLED(CONFIG_KMAP_LOCAL) && page_to_pfn(next) == page_to_pfn(page) + 1;
}

/* Vector registers, where there is code for them. */
#ifdef CONFIG_VSPLIT_GPU_VECTOR
#define VSPLIT_GPU_MMA_VECTOR

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>

static inline bool vsplit_gpu_has_avx2(void)
{
	return boot_cpu_has(X86_FEATURE_AVX2) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

static inline bool vsplit_gpu_has_avx512_vnni(void)
{
	return boot_cpu_has(X86_FEATURE_AVX512_VNNI) && boot_cpu_has(X86_FEATURE_AVX512F) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM | XFEATURE_MASK_AVX512,
				 NULL);
}

/* Between these two calls vector registers may be used; preemption is off, so do not sleep. */
static inline void vsplit_gpu_fpu_begin(void)
{
	kernel_fpu_begin();
}

static inline void vsplit_gpu_fpu_end(void)
{
	kernel_fpu_end();
}
#else
static inline void vsplit_gpu_fpu_begin(void)
{
}

static inline void vsplit_gpu_fpu_end(void)
{
}
#endif

#else /* !__KERNEL__ */

/* The including program provides this header, with the same names; tests/ has one. */
#include "gpu_user.h"

#endif /* !__KERNEL__ */

#endif /* _VSPLIT_GPU_COMPAT_H_ */
