/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the pure parts of the software GPU need from the kernel (drv/gpu/vsplit_gpu_compat.h), for a
 * user process.
 */
#ifndef GPU_USER_H
#define GPU_USER_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1ul << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX

#define BIT(n)			(1ul << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define swap(a, b)	do { __typeof__(a) swap_ = (a); (a) = (b); (b) = swap_; } while (0)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define IS_ALIGNED(x, a)	(((x) & ((a) - 1)) == 0)
#define ALIGN(x, a)		(((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a)	((x) & ~((__typeof__(x))(a) - 1))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define struct_size(p, array, n)	(sizeof(*(p)) + sizeof(*(p)->array) * (n))
/* A test may ask which words WRITE_ONCE() writes. */
__attribute__((weak)) void (*gpu_user_written)(const volatile void *word);

static inline void gpu_user_write(const volatile void *word)
{
	if (gpu_user_written)
		gpu_user_written(word);
}

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(gpu_user_write(&(x)), *(volatile __typeof__(x) *)&(x) = (v))
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define array_index_nospec(index, size)	((void)(size), (index))
#define static_assert		_Static_assert
#define noinline
#define cond_resched()		((void)0)
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "+r" (var))

#ifdef __x86_64__
#define VSPLIT_GPU_MMA_VECTOR

static inline bool vsplit_gpu_has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static inline bool vsplit_gpu_has_avx512_vnni(void)
{
	return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512f");
}
#endif

static inline void vsplit_gpu_fpu_begin(void)
{
}

static inline void vsplit_gpu_fpu_end(void)
{
}

/* Sanitizers have to see each access. */
#ifdef __SANITIZE_ADDRESS__
#define VSPLIT_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VSPLIT_SANITIZED
#endif
#endif

static inline void memset64(u64 *p, u64 value, size_t n)
{
#if defined(__x86_64__) && !defined(VSPLIT_SANITIZED)
	/* The same as in the kernel, so that a benchmark measures the same code. */
	asm volatile("rep stosq" : "+D" (p), "+c" (n) : "a" (value) : "memory");
#else
	while (n--)
		*p++ = value;
#endif
}

struct list_head {
	struct list_head *next, *prev;
};

struct rb_node {
	unsigned long parent_color;
	struct rb_node *right, *left;
};

typedef struct {
	int64_t counter;
} atomic64_t;

static inline void atomic64_add(s64 i, atomic64_t *v)
{
	__atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);
}

static inline void atomic64_inc(atomic64_t *v)
{
	atomic64_add(1, v);
}

static inline s64 atomic64_inc_return(atomic64_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}

#define ATOMIC64_INIT(i)	{ (i) }

struct kref {
	u32 count;
};

static inline void kref_init(struct kref *ref)
{
	ref->count = 1;
}

static inline void kref_get(struct kref *ref)
{
	ref->count++;
}

static inline int kref_put(struct kref *ref, void (*release)(struct kref *ref))
{
	if (--ref->count)
		return 0;
	release(ref);
	return 1;
}

/* There is only one thread: it would wait for ever for a mutex that it holds. */
struct mutex {
	bool held;
};

static inline void mutex_init(struct mutex *lock)
{
	lock->held = false;
}

static inline void mutex_destroy(struct mutex *lock)
{
	assert(!lock->held);
}

static inline void mutex_lock(struct mutex *lock)
{
	assert(!lock->held);
	lock->held = true;
}

static inline void mutex_unlock(struct mutex *lock)
{
	assert(lock->held);
	lock->held = false;
}

#define GFP_KERNEL_ACCOUNT	0
#define __GFP_NOWARN		0

static inline void *kvzalloc(size_t bytes, int gfp)
{
	(void)gfp;
	return calloc(1, bytes);
}

static inline void kvfree(void *p)
{
	free(p);
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline u32 ror32(u32 word, unsigned int shift)
{
	return (word >> (shift & 31)) | (word << (-shift & 31));
}

/* A system page of the tests. */
struct page {
	unsigned char bytes[PAGE_SIZE];
};

static inline bool vsplit_gpu_page_follows(struct page *page, struct page *next)
{
	return next == page + 1;
}

static inline void *kmap_local_page(struct page *page)
{
	return page->bytes;
}

static inline void kunmap_local(const void *address)
{
	(void)address;
}

#endif
