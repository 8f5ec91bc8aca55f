// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit prime
 * Description: Sharing: exports and imports between files, adapters and drivers; dumb
 *   buffers.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: dma-buf
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <pthread.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Sharing: exports and imports between files, adapters and drivers.");

#define U 16384ull

/* An adapter with memory and an aperture, and one file on it. */
struct side {
	struct vsplit_adapter *ad;
	int fd;
	uint32_t ctx;
};

static struct side one, two;

static void side_on(struct side *side, const struct vsplit_seg_opts *segs, unsigned int n)
{
	struct vsplit_adapter_opts opts = { .slots = 16, .engines = 2, .test = true };

	memcpy(opts.segs, segs, n * sizeof(*segs));
	side->ad = vsplit_adapter_create(&opts);
	side->fd = vsplit_adapter_open(side->ad);
	side->ctx = vsplit_ctx(side->fd, 0);
}

static void side_new(struct side *side)
{
	static const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 32 * U },
		{ "aper", true, .size = 32 * U },
	};

	side_on(side, segs, 2);
}

static void setup(void)
{
	side_new(&one);
	side_new(&two);
}

static struct vsplit_cs *build_set(struct side *side, struct vsplit_bo *bo, uint32_t pattern)
{
	struct vsplit_cs *cs = vsplit_cs(side->fd);

	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, bo->size, pattern);
	return cs;
}

/* The GPU writes it. */
static void gpu_set(struct side *side, struct vsplit_bo *bo, uint32_t pattern)
{
	struct vsplit_cs *cs = build_set(side, bo, pattern);

	vsplit_cs_run(cs, side->ctx, 0);
	vsplit_cs_free(cs);
}

/* The GPU copies it to one of its own, which is then compared. */
static void gpu_check(struct side *side, struct vsplit_bo *bo)
{
	struct vsplit_bo *to = vsplit_bo(side->fd, 'T', bo->size);
	struct vsplit_cs *cs = vsplit_cs(side->fd);

	vsplit_cs_alloc(cs, bo, 0);
	vsplit_cs_bind(cs, 0, to);
	vsplit_cs_bind(cs, 1, bo);
	vsplit_cs_copy(cs, 0, 0, 1, 0, bo->size);
	vsplit_cs_run(cs, side->ctx, 0);
	vsplit_cs_free(cs);
	vsplit_bo_free(to);
}

static uint32_t info_flags(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.flags;
}

static uint32_t segment_of(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.segment;
}

/* Detaching is done by a worker. */
static bool becomes_unshared(const struct vsplit_bo *bo)
{
	for (unsigned int i = 0; i < 1000; i++) {
		if (!(info_flags(bo) & VSPLIT_GEM_INFO_SHARED))
			return true;
		usleep(10000);
	}
	return false;
}

static void dmabuf_sync(int dmabuf, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	igt_assert_eq(drmIoctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync), 0);
}

/* Both see the same bytes. */
static void same_bytes(const struct vsplit_bo *a, const struct vsplit_bo *b)
{
	igt_assert_eq_u64(a->size, b->size);
	igt_assert(!memcmp(a->map, b->map, a->size));
}

/* ---- one adapter -------------------------------------------------------- */

/**
 * SUBTEST: self-import
 * Description: A dma-buf imported by the file that exported it is the same handle, by
 *   another file of the adapter the same allocation; neither pins anything.
 */
static void test_self(void)
{
	struct vsplit_bo *a, *b;
	uint32_t handle;
	int dmabuf, other;

	side_new(&one);
	a = vsplit_bo(one.fd, 'A', 4 * U);
	gpu_set(&one, a, 0x11223344);
	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(__vsplit_import(one.fd, dmabuf, &handle), 0);
	igt_assert_eq_u32(handle, a->handle);

	other = vsplit_adapter_open(one.ad);
	b = vsplit_bo_import(other, 'B', dmabuf);
	igt_assert_eq_u64(b->id, a->id);
	same_bytes(a, b);
	igt_assert(!(info_flags(a) & (VSPLIT_GEM_INFO_SHARED | VSPLIT_GEM_INFO_IMPORTED)));
	igt_assert_eq(segment_of(a), 1);
	close(dmabuf);
	vsplit_bo_free(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: mapping-of-the-dma-buf-follows
 * Description: A CPU mapping of a dma-buf that nobody is attached to stays right while
 *   the allocation is paged in and out, and is not in its way.
 */
static void test_mapping(void)
{
	struct vsplit_bo *a;
	uint8_t *map;
	int dmabuf;

	side_new(&one);
	a = vsplit_bo(one.fd, 'A', 8 * U);
	dmabuf = vsplit_bo_export(a);
	map = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	igt_assert(map != MAP_FAILED);
	for (unsigned int i = 0; i < 6; i++) {
		gpu_set(&one, a, 0x01010101 * (i + 1));
		igt_assert_eq(segment_of(a), 1);
		igt_assert(!memcmp(map, a->shadow, a->size));
		memset(map + 64 * i, 0x80 + i, U);
		memset(a->shadow + 64 * i, 0x80 + i, U);
		vsplit_escape(one.fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
		igt_assert(!memcmp(map, a->shadow, a->size));
		vsplit_bo_check(a);
		map[i] = a->shadow[i] = 7;
	}
	munmap(map, a->size);
	close(dmabuf);
}

/**
 * SUBTEST: sync-waits-for-the-gpu
 * Description: DMA_BUF_IOCTL_SYNC and poll on a dma-buf wait for submitted work: readers
 *   for who writes, writers for all.
 */
static void test_sync(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	struct pollfd p;
	uint8_t *map;

	side_new(&one);
	a = vsplit_bo(one.fd, 'A', U);
	/* resident, so that nothing has to be waited for but the commands */
	gpu_set(&one, a, 0);
	p.fd = vsplit_bo_export(a);
	map = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0);
	igt_assert(map != MAP_FAILED);
	for (unsigned int write = 0; write < 2; write++) {
		vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		cs = vsplit_cs(one.fd);
		vsplit_cs_alloc(cs, a, write ? VSPLIT_ALLOC_WRITE : 0);
		vsplit_cs_bind(cs, 0, a);
		if (write)
			vsplit_cs_set(cs, 0, 0, U, 0x77777777);
		else
			vsplit_cs_nop(cs, 8);
		vsplit_cs_submit(cs, one.ctx, 0);
		p.events = POLLOUT;
		igt_assert_eq(poll(&p, 1, 20), 0);
		p.events = POLLIN;
		igt_assert_eq(poll(&p, 1, write ? 20 : 10000), !write);
		vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		if (write) {
			dmabuf_sync(p.fd, DMA_BUF_SYNC_READ | DMA_BUF_SYNC_START);
			igt_assert_eq(map[U - 1], 0x77);
			dmabuf_sync(p.fd, DMA_BUF_SYNC_READ | DMA_BUF_SYNC_END);
		}
		p.events = POLLOUT;
		igt_assert_eq(poll(&p, 1, 10000), 1);
		vsplit_cs_wait(cs);
	}
	munmap(map, a->size);
	close(p.fd);
}

/* ---- two adapters ------------------------------------------------------- */

/**
 * SUBTEST: between-adapters
 * Description: Two adapters work on the same pages: what the CPU or either GPU writes
 *   the others see; the exporter's allocation leaves its memory segment meanwhile and
 *   returns to it afterwards.
 */
static void test_between(void)
{
	struct vsplit_bo *a, *b;
	int dmabuf;

	setup();
	a = vsplit_bo(one.fd, 'A', 6 * U);
	vsplit_bo_pattern(a, 1);
	gpu_check(&one, a);
	igt_assert_eq(segment_of(a), 1);

	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(segment_of(a), 1);
	b = vsplit_bo_import(two.fd, 'B', dmabuf);
	close(dmabuf);
	igt_assert(info_flags(b) & VSPLIT_GEM_INFO_IMPORTED);
	igt_assert(info_flags(a) & VSPLIT_GEM_INFO_SHARED);
	igt_assert_eq(segment_of(a), 0);
	same_bytes(a, b);

	for (unsigned int i = 0; i < 4; i++) {
		gpu_set(&two, b, 0x10101010 + i);
		igt_assert_eq(segment_of(b), 2);
		memcpy(a->shadow, b->shadow, a->size);
		gpu_check(&one, a);
		igt_assert_eq(segment_of(a), 2);
		vsplit_bo_pattern(a, i);
		memcpy(b->shadow, a->shadow, a->size);
		gpu_check(&two, b);
		gpu_set(&one, a, 0x20202020 + i);
		memcpy(b->shadow, a->shadow, a->size);
		if (i & 1)
			vsplit_escape(two.fd, VSPLIT_ESCAPE_EVICT, b->handle, 0);
		if (i & 2)
			vsplit_escape(one.fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
		gpu_check(&two, b);
		same_bytes(a, b);
	}
	vsplit_bo_free(b);
	igt_assert(becomes_unshared(a));
	vsplit_escape(one.fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	gpu_check(&one, a);
	igt_assert_eq(segment_of(a), 1);
}

/**
 * SUBTEST: imported-again-and-again
 * Description: A dma-buf whose file is closed while it is imported, and whose import goes
 *   then, is exported and imported anew: it is still the exporter's.
 */
static void test_again(void)
{
	struct vsplit_bo *a, *b;

	setup();
	a = vsplit_bo(one.fd, 'A', 4 * U);
	for (unsigned int round = 0; round < 8; round++) {
		int dmabuf = vsplit_bo_export(a);

		vsplit_bo_pattern(a, round);
		b = vsplit_bo_import(two.fd, 'B', dmabuf);
		close(dmabuf);
		igt_assert(!memcmp(b->map, a->shadow, a->size));
		vsplit_bo_free(b);
		igt_assert(becomes_unshared(a));
		usleep(10000);
	}
	gpu_check(&one, a);
}

/**
 * SUBTEST: ext-37-no-aperture-no-use
 * Description: An allocation whose pages are in use by others and that does not allow an
 *   aperture segment cannot be used by its GPU (-EBUSY), split or not; it can again
 *   once they are not in use.
 */
static void test_no_aperture(void)
{
	static const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;
	int dmabuf;

	setup();
	a = vsplit_bo_in(one.fd, 'A', 4 * U, 0, vram);
	vsplit_bo_pattern(a, 5);
	dmabuf = vsplit_bo_export(a);
	gpu_check(&one, a);
	b = vsplit_bo_import(two.fd, 'B', dmabuf);
	close(dmabuf);
	cs = build_set(&one, a, 1);
	vsplit_cs_refused(cs, one.ctx, 0, -EBUSY);
	vsplit_cs_refused(cs, one.ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EBUSY);
	igt_assert_eq(__vsplit_escape(one.fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 1), -EBUSY);
	gpu_check(&two, b);
	vsplit_bo_free(b);
	igt_assert(becomes_unshared(a));
	vsplit_cs_run(cs, one.ctx, 0);
}

/**
 * SUBTEST: split-with-shared
 * Description: Shared allocations in buffers that are split: mapped and unmapped between
 *   portions, never in a memory segment, never transferred, all bytes right.
 */
static void test_split(void)
{
	static const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *shared[4], *imported[4], *own[4];
	struct vsplit_record *rec;
	struct vsplit_cs *cs;

	setup();
	for (unsigned int i = 0; i < 4; i++) {
		int dmabuf;

		shared[i] = vsplit_bo(one.fd, 'A' + i, 12 * U);
		vsplit_bo_pattern(shared[i], i);
		dmabuf = vsplit_bo_export(shared[i]);
		imported[i] = vsplit_bo_import(two.fd, 'S' + i, dmabuf);
		close(dmabuf);
		own[i] = vsplit_bo_in(one.fd, 'a' + i, 12 * U, 0, vram);
		vsplit_bo_pattern(own[i], 10 + i);
	}
	for (unsigned int force = 0; force < 2; force++) {
		cs = vsplit_cs(one.fd);
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_cs_group(cs);
			vsplit_cs_bind(cs, 0, shared[i]);
			vsplit_cs_bind(cs, 1, own[i]);
			vsplit_cs_copy(cs, 1, 64 * i, 0, 0, 3 * U);
			vsplit_cs_set(cs, 0, 0, U, 0x0f0f0000 + 16 * force + i);
		}
		rec = vsplit_cs_run(cs, one.ctx, force ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		igt_assert_lt(1, cs->portions);
		for (unsigned int i = 0; i < rec->info.num_events; i++) {
			const struct drm_vsplit_event *e = &rec->events[i];

			for (unsigned int j = 0; j < 4; j++) {
				if (e->id != shared[j]->id || e->type == VSPLIT_EVENT_PORTION)
					continue;
				igt_assert(e->type == VSPLIT_EVENT_MAP || e->type == VSPLIT_EVENT_UNMAP);
				igt_assert_eq_u64(e->copied, 0);
			}
		}
		for (unsigned int i = 0; i < 4; i++) {
			memcpy(imported[i]->shadow, shared[i]->shadow, shared[i]->size);
			vsplit_bo_check(imported[i]);
			gpu_check(&two, imported[i]);
		}
	}
}

/**
 * SUBTEST: more-imports-than-aperture
 * Description: Imports of several times the aperture's size take turns in it.
 */
static void test_many(void)
{
	struct vsplit_bo *a[10], *b[10];
	struct vsplit_cs *cs;

	setup();
	cs = vsplit_cs(two.fd);
	for (unsigned int i = 0; i < 10; i++) {
		int dmabuf;

		a[i] = vsplit_bo(one.fd, 'A' + i, 10 * U);
		vsplit_bo_pattern(a[i], i);
		dmabuf = vsplit_bo_export(a[i]);
		b[i] = vsplit_bo_import(two.fd, 'a' + i, dmabuf);
		close(dmabuf);
		vsplit_cs_group(cs);
		vsplit_cs_bind(cs, 0, b[i]);
		vsplit_cs_set(cs, 0, i * 64, U, i);
	}
	vsplit_cs_run(cs, two.ctx, 0);
	igt_assert_lt(2, cs->portions);
	for (unsigned int i = 0; i < 10; i++) {
		gpu_set(&two, b[9 - i], 0x3000 + i);
		same_bytes(a[9 - i], b[9 - i]);
	}
}

/**
 * SUBTEST: import-refused
 * Description: Who cannot use an import is told so when importing: no aperture segment,
 *   too large, pinned in a memory segment, no dma-buf; and nothing is left of it.
 */
static void test_refused(void)
{
	static const struct vsplit_seg_opts none = { "vram", .size = 64 * U };
	static const struct vsplit_seg_opts small[] = {
		{ "vram", .size = 64 * U },
		{ "aper", true, .size = 4 * U, .commit = 2 * U },
	};
	struct side without, tiny;
	struct vsplit_bo *a, *pinned;
	uint32_t handle;
	int dmabuf;

	setup();
	side_on(&without, &none, 1);
	side_on(&tiny, small, 2);
	a = vsplit_bo(one.fd, 'A', 3 * U);
	gpu_set(&one, a, 1);
	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(__vsplit_import(without.fd, dmabuf, &handle), -EOPNOTSUPP);
	igt_assert_eq(__vsplit_import(tiny.fd, dmabuf, &handle), -E2BIG);
	igt_assert(!(info_flags(a) & VSPLIT_GEM_INFO_SHARED));
	close(dmabuf);
	gpu_set(&one, a, 2);

	pinned = vsplit_bo_in(one.fd, 'P', U, VSPLIT_GEM_PINNED, NULL);
	dmabuf = vsplit_bo_export(pinned);
	igt_assert_eq(__vsplit_import(two.fd, dmabuf, &handle), -EBUSY);
	close(dmabuf);
	gpu_set(&one, pinned, 3);
	igt_assert_eq(segment_of(pinned), 1);
	igt_assert_eq(__vsplit_import(two.fd, one.fd, &handle), -EINVAL);
	igt_assert_eq(__vsplit_import(two.fd, -1, &handle), -EBADF);
}

/**
 * SUBTEST: implicit-sync-between-adapters
 * Description: The GPU that reads waits for the one that writes, both ways, through the
 *   reservation that they share.
 */
static void test_implicit(void)
{
	struct vsplit_bo *a, *b, *c;
	struct vsplit_cs *write, *read;
	int dmabuf;

	setup();
	a = vsplit_bo(one.fd, 'A', 2 * U);
	dmabuf = vsplit_bo_export(a);
	b = vsplit_bo_import(two.fd, 'B', dmabuf);
	close(dmabuf);
	c = vsplit_bo(two.fd, 'C', 2 * U);
	for (uint32_t i = 1; i < 4; i++) {
		vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		write = build_set(&one, a, i * 0x01010101);
		vsplit_cs_submit(write, one.ctx, 0);
		read = vsplit_cs(two.fd);
		vsplit_cs_alloc(read, b, 0);
		vsplit_cs_bind(read, 0, c);
		vsplit_cs_bind(read, 1, b);
		vsplit_cs_copy(read, 0, 0, 1, 0, b->size);
		vsplit_cs_submit(read, two.ctx, 0);
		usleep(20000);
		igt_assert(vsplit_syncobj_busy(two.fd, read->out));
		vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		vsplit_cs_wait(read);
		vsplit_cs_wait(write);
		for (uint64_t j = 0; j < c->size; j++)
			igt_assert_eq(c->map[j], i);
	}
}

/**
 * SUBTEST: unplug-of-either-side
 * Description: The exporter's adapter goes away: the importer's GPU still has the bytes.
 *   The importer's goes away: the exporter goes on, and gets its pages back.
 */
static void test_unplug(void)
{
	struct vsplit_bo *a, *b, *c, *d;
	uint8_t *map;
	int dmabuf;

	setup();
	a = vsplit_bo(one.fd, 'A', 4 * U);
	c = vsplit_bo(two.fd, 'C', 4 * U);
	vsplit_bo_pattern(a, 1);
	dmabuf = vsplit_bo_export(a);
	b = vsplit_bo_import(two.fd, 'B', dmabuf);
	map = mmap(NULL, a->size, PROT_READ, MAP_SHARED, dmabuf, 0);
	igt_assert(map != MAP_FAILED);
	close(dmabuf);
	dmabuf = vsplit_bo_export(c);
	d = vsplit_bo_import(one.fd, 'D', dmabuf);
	close(dmabuf);
	gpu_set(&one, d, 0x5555);
	gpu_set(&two, b, 0x66666666);

	vsplit_adapter_disable(one.ad);
	/* D is gone with its adapter; C has what D's GPU wrote. */
	memcpy(c->shadow, d->shadow, d->size);
	vsplit_bo_check(c);
	gpu_set(&two, c, 0x7777);
	/* B's bytes are there, for B's GPU; CPU mappings are those of A's adapter: zeros. */
	for (uint64_t i = 0; i < a->size; i++)
		igt_assert_eq(map[i], 0);
	munmap(map, a->size);
	{
		struct vsplit_bo *to = vsplit_bo(two.fd, 'T', b->size);
		struct vsplit_cs *cs = vsplit_cs(two.fd);

		vsplit_cs_alloc(cs, b, 0);
		vsplit_cs_bind(cs, 0, to);
		vsplit_cs_bind(cs, 1, b);
		vsplit_cs_copy(cs, 0, 0, 1, 0, b->size);
		vsplit_cs_submit(cs, two.ctx, 0);
		vsplit_cs_wait(cs);
		for (uint64_t i = 0; i < to->size; i++)
			igt_assert_eq(to->map[i], 0x66);
	}
	vsplit_cleanup_file(one.fd);
	igt_assert(becomes_unshared(c));
}

#define TTM_LIMIT "/sys/module/ttm/parameters/pages_limit"

/**
 * SUBTEST: shared-pages-are-not-swapped-out
 * Description: When TTM has used up its pages, it swaps out allocations in system
 *   memory; one whose pages are in use elsewhere keeps them, and is swapped out like
 *   others afterwards.
 */
static void test_swap(void)
{
	struct vsplit_bo *a, *b;
	char limit[32];
	int dmabuf, ret;

	setup();
	a = vsplit_bo(one.fd, 'A', 8 * U);
	vsplit_bo_pattern(a, 1);
	dmabuf = vsplit_bo_export(a);
	b = vsplit_bo_import(two.fd, 'B', dmabuf);
	close(dmabuf);
	igt_require(!__vsplit_read_file(TTM_LIMIT, limit, sizeof(limit)) &&
		    access(TTM_LIMIT, W_OK) == 0);
	/* from here on nothing may skip or fail before the limit is restored */
	ret = __vsplit_write_file(TTM_LIMIT, "64");
	for (unsigned int i = 0; i < 8; i++) {
		struct drm_vsplit_gem_create args = { .size = 8 * U };

		__vsplit_create(one.fd, &args);
	}
	/*
	 * Restored before A is touched: whoever was created last has the pages of who
	 * was swapped out, and keeps them then.
	 */
	ret |= __vsplit_write_file(TTM_LIMIT, limit);
	igt_assert_eq(ret, 0);
	memset(a->map, 0x39, a->size);
	memset(a->shadow, 0x39, a->size);
	memset(b->shadow, 0x39, b->size);
	gpu_check(&two, b);
	gpu_set(&two, b, 0x48484848);
	memset(a->shadow, 0x48, a->size);
	gpu_check(&one, a);
}

static struct {
	bool stop;
	int dmabuf[3];
	unsigned int imports;
} race;

static void *importer(void *arg)
{
	uint32_t handle;

	while (!__atomic_load_n(&race.stop, __ATOMIC_RELAXED)) {
		if (__vsplit_import(two.fd, race.dmabuf[race.imports % 3], &handle))
			break;
		__vsplit_gem_close(two.fd, handle);
		race.imports++;
	}
	return NULL;
}

/**
 * SUBTEST: attach-under-pressure
 * Description: Others attach and detach all the time while the exporter's buffers are
 *   split and its allocations paged: all bytes right.
 */
static void test_pressure(void)
{
	struct vsplit_bo *bo[5];
	struct vsplit_cs *cs;
	pthread_t thread;

	setup();
	memset(&race, 0, sizeof(race));
	for (unsigned int i = 0; i < 5; i++) {
		bo[i] = vsplit_bo(one.fd, 'A' + i, 12 * U);
		vsplit_bo_pattern(bo[i], i);
		if (i < 3)
			race.dmabuf[i] = vsplit_bo_export(bo[i]);
	}
	igt_assert_eq(pthread_create(&thread, NULL, importer, NULL), 0);
	for (unsigned int round = 0; round < 40; round++) {
		cs = vsplit_cs(one.fd);
		for (unsigned int i = 0; i < 5; i++) {
			vsplit_cs_group(cs);
			vsplit_cs_bind(cs, i & 1, bo[i]);
			vsplit_cs_set(cs, i & 1, 64 * round, U, round << 8 | i);
			if (i)
				vsplit_cs_copy(cs, i & 1, 6 * U, !(i & 1), 0, 2 * U);
		}
		vsplit_cs_submit(cs, one.ctx, round & 1 ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		vsplit_cs_reference(cs, 0);
		vsplit_cs_wait(cs);
		vsplit_cs_free(cs);
		for (unsigned int i = 0; i < 5; i++)
			vsplit_bo_check(bo[i]);
	}
	__atomic_store_n(&race.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	igt_assert_lt(0, race.imports);
	for (unsigned int i = 0; i < 3; i++)
		close(race.dmabuf[i]);
}

/* ---- other drivers ------------------------------------------------------ */

static int open_vgem(void)
{
	char path[64];

	if (access("/sys/module/vgem", F_OK) && system("modprobe -q vgem"))
		igt_skip("there is no vgem\n");
	for (int i = 0; i < 64; i++) {
		drmVersionPtr version;
		bool found;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		found = version && !strcmp(version->name, "vgem");
		drmFreeVersion(version);
		if (found)
			return fd;
		close(fd);
	}
	igt_skip("there is no vgem\n");
}

/* A buffer of vgem's, as a dma-buf. */
static int vgem_buffer(int vgem, uint64_t size, uint32_t *handle)
{
	struct drm_mode_create_dumb dumb = { .width = size / 4, .height = 1, .bpp = 32 };
	int dmabuf;

	igt_assert_eq(drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	igt_assert_eq_u64(dumb.size, size);
	igt_assert_eq(drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	*handle = dumb.handle;
	return dmabuf;
}

static uint8_t *map_dumb(int fd, uint32_t handle, uint64_t size)
{
	struct drm_mode_map_dumb map = { .handle = handle };
	void *p;

	igt_assert_eq(drmIoctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.offset);
	igt_assert(p != MAP_FAILED);
	return p;
}

struct vgem_fence_attach {
	uint32_t handle;
	uint32_t flags;
	uint32_t out_fence;
	uint32_t pad;
};

struct vgem_fence_signal {
	uint32_t fence;
	uint32_t flags;
};

#define VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)
#define VGEM_FENCE_WRITE	1

/**
 * SUBTEST: vgem-import
 * Description: The GPU works on a buffer of vgem's, by its pages, also in buffers that are
 *   split, and waits for vgem's fences; vgem sees that it is busy.
 */
static void test_vgem_import(void)
{
	struct vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct vgem_fence_signal signal = {};
	int vgem, dmabuf;
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	uint32_t handle;
	uint8_t *map;

	vgem = open_vgem();
	side_new(&one);
	dmabuf = vgem_buffer(vgem, 4 * U, &handle);
	map = map_dumb(vgem, handle, 4 * U);
	memset(map, 0x3c, 4 * U);
	a = vsplit_bo_import(one.fd, 'A', dmabuf);
	close(dmabuf);
	igt_assert_eq(a->shadow[100], 0x3c);
	gpu_check(&one, a);
	gpu_set(&one, a, 0x12121212);
	igt_assert(!memcmp(map, a->shadow, a->size));
	cs = build_set(&one, a, 0x34343434);
	vsplit_cs_run(cs, one.ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert(!memcmp(map, a->shadow, a->size));

	attach.handle = handle;
	igt_assert_eq(drmIoctl(vgem, VGEM_FENCE_ATTACH, &attach), 0);
	cs = build_set(&one, a, 0x56565656);
	vsplit_cs_submit(cs, one.ctx, 0);
	usleep(20000);
	igt_assert(vsplit_syncobj_busy(one.fd, cs->out));
	igt_assert_eq(map[0], 0x34);
	signal.fence = attach.out_fence;
	igt_assert_eq(drmIoctl(vgem, VGEM_FENCE_SIGNAL, &signal), 0);
	vsplit_cs_wait(cs);
	igt_assert_eq(map[0], 0x56);

	/* vgem takes no fence beside one of ours that is not done */
	vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 0x78787878);
	vsplit_cs_submit(cs, one.ctx, 0);
	igt_assert(drmIoctl(vgem, VGEM_FENCE_ATTACH, &attach) && errno == EBUSY);
	vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert_eq(map[0], 0x78);
	munmap(map, 4 * U);
	close(vgem);
	/* the buffer lives as long as the import */
	memset(a->shadow, 0x78, a->size);
	gpu_check(&one, a);
}

/* Lets the @n-th thing that can fail in importing do so; did it? */
static bool import_fails_at(unsigned int n, int dmabuf)
{
	static const char nth[] = "/sys/kernel/debug/vsplit/fault/nth";
	char text[1024], *line;
	unsigned int left = 0;
	uint32_t handle;
	int ret;

	snprintf(text, sizeof(text), "%u", n);
	igt_assert_eq(__vsplit_write_file(nth, text), 0);
	ret = __vsplit_import(two.fd, dmabuf, &handle);
	igt_assert_eq(__vsplit_read_file(nth, text, sizeof(text)), 0);
	igt_assert_eq(__vsplit_write_file(nth, "0"), 0);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (atoi(line) == getpid())
			sscanf(line, "%*d %u", &left);
	igt_assert(ret == 0 || ret == -ENOMEM || ret == -EINTR);
	igt_assert(!left || !ret);
	if (!ret)
		igt_assert_eq(__vsplit_gem_close(two.fd, handle), 0);
	return !left;
}

/**
 * SUBTEST: import-short-of-memory
 * Description: An import for which memory is short, at any place, changes nothing, and
 *   one for which it is not works afterwards.
 */
static void test_import_nomem(void)
{
	struct vsplit_bo *a;
	unsigned int n = 0;
	int vgem, dmabuf;
	uint32_t handle;
	uint8_t *map;

	igt_require_f(access("/sys/kernel/debug/vsplit/fault/nth", W_OK) == 0, "needs a test build\n");
	vgem = open_vgem();
	side_new(&two);
	dmabuf = vgem_buffer(vgem, 4 * U, &handle);
	map = map_dumb(vgem, handle, 4 * U);
	while (import_fails_at(++n, dmabuf))
		;
	igt_assert_lt(4, n);
	a = vsplit_bo_import(two.fd, 'A', dmabuf);
	close(dmabuf);
	gpu_set(&two, a, n);
	igt_assert(!memcmp(map, a->shadow, a->size));
	munmap(map, a->size);
	close(vgem);
}

/**
 * SUBTEST: vgem-export
 * Description: vgem imports an allocation of ours: it leaves its memory segment, and what
 *   the GPU writes is in the pages that vgem has, until vgem gives it back.
 */
static void test_vgem_export(void)
{
	struct vsplit_bo *a;
	uint32_t handle;
	int vgem, dmabuf;
	uint8_t *map;

	vgem = open_vgem();
	side_new(&one);
	a = vsplit_bo(one.fd, 'A', 4 * U);
	gpu_set(&one, a, 0x9a9a9a9a);
	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(drmPrimeFDToHandle(vgem, dmabuf, &handle), 0);
	igt_assert(info_flags(a) & VSPLIT_GEM_INFO_SHARED);
	igt_assert_eq(segment_of(a), 0);
	map = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	igt_assert(map != MAP_FAILED);
	close(dmabuf);
	igt_assert(!memcmp(map, a->shadow, a->size));
	for (unsigned int i = 0; i < 4; i++) {
		memset(map, i, a->size / 2);
		memset(a->shadow, i, a->size / 2);
		gpu_check(&one, a);
		gpu_set(&one, a, 0xbcbc0000 + i);
		igt_assert_eq(segment_of(a), 2);
		igt_assert(!memcmp(map, a->shadow, a->size));
	}
	munmap(map, a->size);
	close(vgem);
	igt_assert(becomes_unshared(a));
}

/**
 * SUBTEST: udmabuf-import
 * Description: The GPU works on pages of a memfd, in any order, through udmabuf.
 */
static void test_udmabuf(void)
{
	struct udmabuf_create_item items[4];
	struct udmabuf_create_list *list;
	struct vsplit_bo *a;
	int dev, mem, dmabuf;
	uint8_t *map;

	dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	igt_require_f(dev >= 0, "there is no udmabuf\n");
	side_new(&one);
	mem = memfd_create("vsplit", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	igt_assert_fd(mem);
	igt_assert_eq(ftruncate(mem, 8 * U), 0);
	igt_assert_eq(fcntl(mem, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	map = mmap(NULL, 8 * U, PROT_READ | PROT_WRITE, MAP_SHARED, mem, 0);
	igt_assert(map != MAP_FAILED);
	for (unsigned int i = 0; i < 8; i++)
		memset(map + i * U, 0xe0 + i, U);

	list = calloc(1, sizeof(*list) + sizeof(items));
	igt_assert(list);
	list->count = 4;
	for (unsigned int i = 0; i < 4; i++) {
		list->list[i].memfd = mem;
		list->list[i].offset = (6 - 2 * i) * U;
		list->list[i].size = U;
	}
	dmabuf = ioctl(dev, UDMABUF_CREATE_LIST, list);
	igt_assert_fd(dmabuf);
	free(list);
	a = vsplit_bo_import(one.fd, 'A', dmabuf);
	close(dmabuf);
	igt_assert_eq_u64(a->size, 4 * U);
	for (unsigned int i = 0; i < 4; i++)
		igt_assert_eq(a->shadow[i * U], 0xe6 - 2 * i);
	gpu_check(&one, a);
	gpu_set(&one, a, 0x45454545);
	for (unsigned int i = 0; i < 8; i++)
		igt_assert_eq(map[i * U + 99], i & 1 ? 0xe0 + i : 0x45);
	vsplit_bo_pattern(a, 4);
	gpu_check(&one, a);
	vsplit_bo_free(a);
	munmap(map, 8 * U);
	close(mem);
	close(dev);
}

/* ---- dumb buffers ------------------------------------------------------- */

/**
 * SUBTEST: dumb
 * Description: Dumb buffers of the primary node: pitch and size, bytes that the CPU and
 *   the GPU share, bad arguments; not on the render node.
 */
static void test_dumb(void)
{
	static const struct {
		uint32_t width, height, bpp;
	} bad[] = {
		{ 0, 1, 32 }, { 1, 0, 32 }, { 1, 1, 0 }, { UINT32_MAX, 1, 32 },
		{ 65536, 65536, 32 },
	};
	struct drm_mode_create_dumb dumb = { .width = 100, .height = 30, .bpp = 24 };
	struct drm_mode_destroy_dumb destroy = {};
	uint8_t *map;
	int primary;
	struct vsplit_bo *bo;
	uint32_t ctx;
	int dmabuf;

	side_new(&one);
	igt_assert(drmIoctl(one.fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) && errno == EACCES);
	primary = vsplit_adapter_open_primary(one.ad);
	igt_assert_eq(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	igt_assert_eq_u32(dumb.pitch, 320);
	igt_assert_eq_u64(dumb.size, 12288);
	map = map_dumb(primary, dumb.handle, dumb.size);
	for (uint64_t i = 0; i < dumb.size; i++)
		igt_assert_eq(map[i], 0);
	memset(map, 0x21, dumb.size);

	igt_assert_eq(drmPrimeHandleToFD(primary, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	bo = vsplit_bo_import(primary, 'D', dmabuf);
	close(dmabuf);
	igt_assert_eq_u32(bo->handle, dumb.handle);
	igt_assert_eq(bo->map[5], 0x21);
	ctx = vsplit_ctx(primary, 0);
	{
		struct vsplit_cs *cs = vsplit_cs(primary);

		vsplit_cs_bind(cs, 0, bo);
		vsplit_cs_set(cs, 0, 64, 4096, 0x43434343);
		vsplit_cs_run(cs, ctx, 0);
	}
	igt_assert(!memcmp(map, bo->shadow, dumb.size));
	munmap(map, dumb.size);

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drm_mode_create_dumb args = {
			.width = bad[i].width, .height = bad[i].height, .bpp = bad[i].bpp,
		};

		igt_assert(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &args) &&
			   (errno == EINVAL || errno == E2BIG));
	}
	dumb.width = 1024;
	dumb.height = 1024;
	dumb.bpp = 32;
	igt_assert(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) && errno == E2BIG);
	dumb.width = 16;
	dumb.height = 16;
	igt_assert_eq(drmIoctl(primary, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	destroy.handle = dumb.handle;
	igt_assert_eq(drmIoctl(primary, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), 0);
	igt_assert(drmIoctl(primary, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy));
}

static const struct vsplit_subtest tests[] = {
	{ "self-import", test_self,
	  "a dma-buf imported where it comes from is the same allocation" },
	{ "mapping-of-the-dma-buf-follows", test_mapping,
	  "mappings of a dma-buf stay right through paging" },
	{ "sync-waits-for-the-gpu", test_sync,
	  "DMA_BUF_IOCTL_SYNC and poll wait for submitted work" },
	{ "between-adapters", test_between,
	  "two adapters work on the same pages" },
	{ "imported-again-and-again", test_again,
	  "an import goes after the file of its dma-buf, and it is imported anew" },
	{ "ext-37-no-aperture-no-use", test_no_aperture,
	  "in use by others, and no aperture allowed: EBUSY" },
	{ "split-with-shared", test_split,
	  "shared allocations in buffers that are split" },
	{ "more-imports-than-aperture", test_many,
	  "imports take turns in the aperture" },
	{ "import-refused", test_refused,
	  "imports that cannot be used are refused, and leave nothing" },
	{ "implicit-sync-between-adapters", test_implicit,
	  "GPUs wait for each other through the shared reservation" },
	{ "unplug-of-either-side", test_unplug,
	  "exporter or importer go away" },
	{ "shared-pages-are-not-swapped-out", test_swap,
	  "TTM does not swap out pages that others use" },
	{ "attach-under-pressure", test_pressure,
	  "attaching and detaching while the exporter pages" },
	{ "vgem-import", test_vgem_import,
	  "the GPU works on vgem's buffers and waits for its fences" },
	{ "import-short-of-memory", test_import_nomem,
	  "imports that run out of host memory leave nothing" },
	{ "vgem-export", test_vgem_export,
	  "vgem imports an allocation" },
	{ "udmabuf-import", test_udmabuf,
	  "the GPU works on pages of a memfd" },
	{ "dumb", test_dumb,
	  "dumb buffers" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
