// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit prime
 * Description: Sharing: exports and imports between files and between adapters;
 *   Documentation/sharing.rst.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: dma-buf
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_share.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <pthread.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Sharing: exports and imports between files and between adapters; "
		     "Documentation/sharing.rst.");

/* More imports than a list of fences initially has room for. */
#define MANY_IMPORTS	16u

static void dmabuf_sync(int dmabuf, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	igt_assert_eq(drmIoctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync), 0);
}

/* ---- one adapter -------------------------------------------------------- */

/**
 * SUBTEST: self-import
 * Description: A dma-buf gives the same handle when the file that exported it imports it, and the
 *   same allocation when another file of the adapter does. Neither import pins anything.
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
 * Description: A CPU mapping of a dma-buf without attached devices stays valid while the allocation
 *   is paged in and out, and does not hinder this.
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
 * Description: DMA_BUF_IOCTL_SYNC and poll() on a dma-buf wait for submitted work: for reading they
 *   wait for writers, for writing they wait for all work.
 */
static void test_sync(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	struct pollfd p;
	uint8_t *map;

	side_new(&one);
	a = vsplit_bo(one.fd, 'A', U);
	/* Resident, so that only the commands have to be waited for. */
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
		igt_assert_eq(poll(&p, 1, write ? 20 : VSPLIT_SOON_MS), !write);
		vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		if (write) {
			dmabuf_sync(p.fd, DMA_BUF_SYNC_READ | DMA_BUF_SYNC_START);
			igt_assert_eq(map[U - 1], 0x77);
			dmabuf_sync(p.fd, DMA_BUF_SYNC_READ | DMA_BUF_SYNC_END);
		}
		p.events = POLLOUT;
		igt_assert_eq(poll(&p, 1, VSPLIT_SOON_MS), 1);
		vsplit_cs_wait(cs);
	}
	munmap(map, a->size);
	close(p.fd);
}

/* ---- two adapters ------------------------------------------------------- */

/**
 * SUBTEST: between-adapters
 * Description: Two adapters work on the same pages: each sees what the CPU or the other GPU writes.
 *   The exporter's allocation leaves its memory segment meanwhile, and returns to it afterwards.
 */
static void test_between(void)
{
	struct vsplit_bo *a, *b;
	int dmabuf;

	setup_sides();
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
 * Description: The file of a dma-buf is closed while it is imported, and then the import is freed.
 *   The allocation is exported and imported again and again, and remains the exporter's.
 */
static void test_again(void)
{
	struct vsplit_bo *a, *b;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 4 * U);
	for (unsigned int round = 0; round < 8; round++) {
		vsplit_bo_pattern(a, round);
		b = vsplit_bo_share(two.fd, 'B', a);
		igt_assert(!memcmp(b->map, a->shadow, a->size));
		vsplit_bo_free(b);
		igt_assert(becomes_unshared(a));
		usleep(10000);
	}
	gpu_check(&one, a);
}

/**
 * SUBTEST: ext-37-no-aperture-no-use
 * Description: Another device uses the pages of an allocation that may not be in an aperture
 *   segment. Its own GPU cannot use it meanwhile (-EBUSY), split or not, and can again afterwards.
 */
static void test_no_aperture(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;
	int dmabuf;

	setup_sides();
	a = vsplit_bo_in(one.fd, 'A', 4 * U, 0, in_first);
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
 * Description: Split buffers use shared allocations: these are mapped and unmapped between
 *   portions, never in a memory segment, and never transferred. All bytes are right.
 */
static void test_split(void)
{
	struct vsplit_bo *shared[4], *imported[4], *own[4];
	struct vsplit_record *rec;
	struct vsplit_cs *cs;

	setup_sides();
	for (unsigned int i = 0; i < 4; i++) {
		shared[i] = vsplit_bo(one.fd, 'A' + i, 12 * U);
		vsplit_bo_pattern(shared[i], i);
		imported[i] = vsplit_bo_share(two.fd, 'S' + i, shared[i]);
		own[i] = vsplit_bo_in(one.fd, 'a' + i, 12 * U, 0, in_first);
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
 * Description: Imports of several times the aperture's size take turns in the aperture.
 */
static void test_many(void)
{
	struct vsplit_bo *a[10], *b[10];
	struct vsplit_cs *cs;

	setup_sides();
	cs = vsplit_cs(two.fd);
	for (unsigned int i = 0; i < 10; i++) {
		a[i] = vsplit_bo(one.fd, 'A' + i, 10 * U);
		vsplit_bo_pattern(a[i], i);
		b[i] = vsplit_bo_share(two.fd, 'a' + i, a[i]);
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
 * Description: An import that cannot be used is refused when it is made: no aperture segment, too
 *   large, pinned in a memory segment, no dma-buf. Nothing of it is left.
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

	setup_sides();
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

/* A copy of @read, which shares its bytes with @written, waits for the GPU that writes those. */
static void waits_for_writer(struct side *writer, struct vsplit_bo *written, struct side *reader,
			     struct vsplit_bo *read, struct vsplit_bo *to, uint32_t value)
{
	struct vsplit_cs *write, *copy;

	vsplit_escape(writer->fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	write = build_set(writer, written, value * 0x01010101);
	vsplit_cs_submit(write, writer->ctx, 0);
	copy = vsplit_cs(reader->fd);
	vsplit_cs_alloc(copy, read, 0);
	vsplit_cs_bind(copy, 0, to);
	vsplit_cs_bind(copy, 1, read);
	vsplit_cs_copy(copy, 0, 0, 1, 0, read->size);
	vsplit_cs_submit(copy, reader->ctx, 0);
	usleep(20000);
	igt_assert(vsplit_syncobj_busy(reader->fd, copy->out));
	vsplit_escape(writer->fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(copy);
	vsplit_cs_wait(write);
	for (uint64_t j = 0; j < to->size; j++)
		igt_assert_eq(to->map[j], value);
}

/**
 * SUBTEST: implicit-sync-between-adapters
 * Description: The GPU that reads waits for the GPU that writes, through the reservation that an
 *   import shares with its allocation: where the maker writes, and where the importer does.
 */
static void test_implicit(void)
{
	struct vsplit_bo *a, *b, *c, *d;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 2 * U);
	b = vsplit_bo_share(two.fd, 'B', a);
	c = vsplit_bo(two.fd, 'C', 2 * U);
	d = vsplit_bo(one.fd, 'D', 2 * U);
	for (uint32_t i = 1; i < 4; i++) {
		waits_for_writer(&one, a, &two, b, c, i);
		waits_for_writer(&two, b, &one, a, d, 0x10 + i);
	}
}

/**
 * SUBTEST: unplug-of-either-side
 * Description: The exporter's adapter is removed: the importer's GPU still has the bytes. The
 *   importer's adapter is removed: the exporter goes on, and gets its pages back.
 */
static void test_unplug(void)
{
	struct vsplit_bo *a, *b, *c, *d;
	uint8_t *map;
	int dmabuf;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 4 * U);
	c = vsplit_bo(two.fd, 'C', 4 * U);
	vsplit_bo_pattern(a, 1);
	dmabuf = vsplit_bo_export(a);
	b = vsplit_bo_import(two.fd, 'B', dmabuf);
	map = mmap(NULL, a->size, PROT_READ, MAP_SHARED, dmabuf, 0);
	igt_assert(map != MAP_FAILED);
	close(dmabuf);
	d = vsplit_bo_share(one.fd, 'D', c);
	gpu_set(&one, d, 0x5555);
	gpu_set(&two, b, 0x66666666);

	vsplit_adapter_disable(one.ad);
	/* D is gone with its adapter; C has the bytes that D's GPU wrote. */
	memcpy(c->shadow, d->shadow, d->size);
	vsplit_bo_check(c);
	gpu_set(&two, c, 0x7777);
	/* B's GPU still has B's bytes. CPU mappings are those of A's adapter, and thus zeros. */
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
		vsplit_cs_submit_and_wait(cs, two.ctx, 0);
		for (uint64_t i = 0; i < to->size; i++)
			igt_assert_eq(to->map[i], 0x66);
	}
	vsplit_cleanup_file(one.fd);
	igt_assert(becomes_unshared(c));
}

#define NOBODY 65534

/**
 * SUBTEST: shared-pages-are-not-swapped-out
 * Description: When TTM has used up its pages, it swaps out allocations in system memory. An
 *   allocation whose pages another device uses keeps them, and its bytes stay right for both.
 */
static void test_swap(void)
{
	struct vsplit_bo *a, *b;
	unsigned int made = 0;
	int ret;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 8 * U);
	vsplit_bo_pattern(a, 1);
	b = vsplit_bo_share(two.fd, 'B', a);
	vsplit_ttm_limit(64);
	/*
	 * These belong to another user, as each user may have as much as TTM has for both. Nothing
	 * may fail before the user is changed back.
	 */
	ret = setresuid(NOBODY, NOBODY, 0);
	for (unsigned int i = 0; i < 2; i++) {
		struct drm_vsplit_gem_create args = { .size = 7 * U };

		made += !__vsplit_create(one.fd, &args);
	}
	ret |= setresuid(0, 0, 0);
	/*
	 * Restore the limit before A is touched: the allocations created last have the pages of
	 * swapped-out ones, and keep them.
	 */
	vsplit_ttm_limit(0);
	igt_assert_eq(ret, 0);
	igt_assert_eq(made, 2);
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
 * Description: Other adapters attach and detach all the time while the exporter's buffers are split
 *   and its allocations paged. All bytes are right.
 */
static void test_pressure(void)
{
	struct vsplit_bo *bo[5];
	struct vsplit_cs *cs;
	pthread_t thread;

	setup_sides();
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

/*
 * As many imports as there are @sides leave an aperture for work that uses another import of the
 * same buffer.
 */
static void imports_leave(struct side *sides, unsigned int n, uint32_t other)
{
	struct vsplit_bo *own, *rest, *imports[MANY_IMPORTS];
	struct vsplit_bo *a = vsplit_bo(two.fd, 'A', U);
	struct vsplit_cs *busy, *cs;
	int dmabuf;

	dmabuf = vsplit_bo_export(a);
	own = vsplit_bo_import(one.fd, 'I', dmabuf);
	gpu_set(&one, own, 1);
	for (unsigned int i = 0; i < n; i++) {
		imports[i] = vsplit_bo_import(sides[i].fd, 'V', dmabuf);
		gpu_set(&sides[i], imports[i], i);
	}
	close(dmabuf);
	rest = vsplit_bo_in(one.fd, 'R', 31 * U, 0, (uint8_t[]){ 2, 0 });
	/* They leave when their work is done. */
	vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	busy = build_set(&one, own, 0x100 + n);
	vsplit_cs_submit(busy, one.ctx, 0);
	cs = build_set(&one, own, 0x200 + n);
	vsplit_cs_bind(cs, 1, rest);
	vsplit_cs_set(cs, 1, 0, rest->size, 0x300 + n);
	vsplit_cs_submit(cs, other, 0);
	for (unsigned int i = 0; i < n; i++)
		igt_assert_eq(segment_of(imports[i]), 0);
	vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(busy);
	vsplit_cs_ends_well(cs);
	vsplit_cs_free(busy);
	vsplit_cs_free(cs);
	for (unsigned int i = 0; i < n; i++)
		vsplit_bo_free(imports[i]);
	vsplit_bo_free(rest);
	vsplit_bo_free(own);
	vsplit_bo_free(a);
}

/**
 * SUBTEST: imports-share-fences
 * Description: All imports of a buffer share its list of fences. However many of them there are,
 *   they leave an aperture for a submission that uses another such import.
 */
static void test_share_fences(void)
{
	struct side sides[MANY_IMPORTS];
	uint32_t other;

	setup_sides();
	other = vsplit_ctx_on(one.fd, 0, 1);
	for (unsigned int i = 0; i < MANY_IMPORTS; i++) {
		sides[i].fd = vsplit_adapter_open(one.ad);
		sides[i].ctx = vsplit_ctx(sides[i].fd, 0);
	}
	for (unsigned int n = 1; n <= MANY_IMPORTS; n++)
		imports_leave(sides, n, other);
}

static const struct vsplit_subtest tests[] = {
	{ "self-import", test_self,
	  "A dma-buf gives the same handle when the file that exported it imports it, and the same "
	  "allocation when another file of the adapter does" },
	{ "mapping-of-the-dma-buf-follows", test_mapping,
	  "A CPU mapping of a dma-buf without attached devices stays valid while the allocation is "
	  "paged in and out, and does not hinder this" },
	{ "sync-waits-for-the-gpu", test_sync,
	  "DMA_BUF_IOCTL_SYNC and poll() on a dma-buf wait for submitted work: for reading they "
	  "wait for writers, for writing they wait for all work" },
	{ "between-adapters", test_between,
	  "Two adapters work on the same pages: each sees what the CPU or the other GPU writes" },
	{ "imported-again-and-again", test_again,
	  "The file of a dma-buf is closed while it is imported, and then the import is freed" },
	{ "ext-37-no-aperture-no-use", test_no_aperture,
	  "While another device uses an allocation's pages, the GPU cannot use the allocation "
	  "where it needs an aperture" },
	{ "split-with-shared", test_split,
	  "Split buffers use shared allocations: these are mapped and unmapped between portions, "
	  "never in a memory segment, and never transferred" },
	{ "more-imports-than-aperture", test_many,
	  "Imports of several times the aperture's size take turns in the aperture" },
	{ "import-refused", test_refused,
	  "An import that cannot be used is refused when it is made: no aperture segment, too "
	  "large, pinned in a memory segment, no dma-buf" },
	{ "implicit-sync-between-adapters", test_implicit,
	  "The GPU that reads waits for the GPU that writes, through the reservation that an "
	  "import shares with its allocation: where the maker writes, and where the importer "
	  "does" },
	{ "unplug-of-either-side", test_unplug,
	  "After the removal of the exporter's or the importer's adapter, the other one goes on "
	  "with the bytes" },
	{ "shared-pages-are-not-swapped-out", test_swap,
	  "When TTM has used up its pages, it swaps out allocations in system memory" },
	{ "attach-under-pressure", test_pressure,
	  "Other adapters attach and detach all the time while the exporter's buffers are split "
	  "and its allocations paged. All bytes are right." },
	{ "imports-share-fences", test_share_fences,
	  "All imports of a buffer share its list of fences" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
