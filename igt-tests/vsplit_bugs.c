// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit bugs
 * Description: Small things that were wrong once.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: regression
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#include <pthread.h>
#include <unistd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Small things that were wrong once.");

#define U 4096ull

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 16 * U }, { "gart", true, .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 60000,
	.test = true,
};

static struct vsplit_adapter *ad;
static uint32_t ctx;
static int fd;

static void setup(void)
{
	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
}

/* ---- records ------------------------------------------------------------ */

/**
 * SUBTEST: driver-id-is-returned
 * Description: The record has the DriverId of each element of the patch-location list, with the
 *   allocation that it bound, in list order. The NULL element's DriverId is there, too.
 */
static void test_driver_id(void)
{
	struct drm_vsplit_event events[16];
	struct drm_vsplit_row rows[16];
	struct drm_vsplit_record record = {
		.events = (uintptr_t)events, .num_events = 16,
		.rows = (uintptr_t)rows, .num_rows = 16,
	};
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 3, a);
	vsplit_cs_bind(cs, 5, b);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_bind(cs, 3, b);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_unbind(cs, 5);
	vsplit_cs_nop(cs, 8);
	for (uint32_t i = 0; i < cs->nr_patches; i++)
		cs->patches[i].driver_id = 0xabcd0000 + 17 * i;
	vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);

	record.ctx = ctx;
	record.submission = cs->submission;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, &record), 0);
	igt_assert_eq(record.num_rows, cs->nr_patches);
	for (uint32_t i = 0; i < record.num_rows; i++) {
		const struct drm_vsplit_patch *patch = &cs->patches[i];
		const struct vsplit_bo *bo = cs->bos[patch->alloc];

		igt_assert_eq(rows[i].slot, patch->slot);
		igt_assert_eq(rows[i].driver_id, patch->driver_id);
		igt_assert_eq(rows[i].handle, bo ? bo->handle : 0);
		igt_assert_eq(!!rows[i].segment, !!bo);
	}
}

/**
 * SUBTEST: what-others-have-is-not-told
 * Description: For evictions of allocations that the client has no handle of, a record tells only
 *   the sum of their bytes. For the client's own allocations it tells everything.
 */
static void test_foreign(void)
{
	uint64_t bytes = 0, told = 0;
	const struct vsplit_record *rec;
	struct vsplit_bo *theirs[2], *mine, *big;
	struct vsplit_cs *cs;
	uint32_t their_ctx;
	int other;

	setup();
	vsplit_not_under("evict_between,random_placement,take_split_point", "what is evicted differs");
	other = vsplit_adapter_open(ad);
	their_ctx = vsplit_ctx(other, 0);
	cs = vsplit_cs(other);
	for (unsigned int i = 0; i < 2; i++) {
		theirs[i] = vsplit_bo_in(other, 'T', (3 + i) * U, 0, in_first);
		vsplit_cs_bind(cs, i, theirs[i]);
		bytes += theirs[i]->size;
	}
	vsplit_cs_submit_and_wait(cs, their_ctx, 0);
	mine = vsplit_bo_in(fd, 'M', 2 * U, 0, in_first);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, mine);
	vsplit_cs_submit_and_wait(cs, ctx, 0);

	big = vsplit_bo_in(fd, 'B', 16 * U, 0, in_first);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, big);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	rec = vsplit_record(fd, ctx, cs->submission);
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (!(e->flags & VSPLIT_EVENT_FOREIGN))
			continue;
		igt_assert(e->id != theirs[0]->id && e->id != theirs[1]->id);
		igt_assert_eq(e->handle, 0);
		igt_assert_eq(e->segment, 1);
		if (e->id) {
			igt_assert_eq_u64(e->id, mine->id);
			igt_assert_eq_u64(e->bytes, mine->size);
			continue;
		}
		igt_assert(!e->at && !e->from && !told);
		told = e->bytes;
		igt_assert(e->t0_ns && e->t1_ns >= e->t0_ns);
	}
	igt_assert_eq_u64(told, bytes);
}

/* ---- rows --------------------------------------------------------------- */

static uint32_t add_bind(struct vsplit_cs *cs, uint32_t slot)
{
	vsplit__put(&cs->p, VSPLIT_OP_BIND, sizeof(struct vsplit_packet_bind), slot);
	return cs->bytes - sizeof(struct vsplit_packet_bind) +
	       offsetof(struct vsplit_packet_bind, address);
}

/**
 * SUBTEST: bind-that-comes-late
 * Description: The stream has two BINDs of a row in another order than the entries of the list, and
 *   a cut between them. The row holds what the list says, and the BIND whose entry was replaced
 *   changes nothing.
 */
static void test_late_bind(void)
{
	uint32_t early, late, split, at_a, at_b;
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	for (unsigned int forced = 0; forced < 2; forced++) {
		vsplit_bo_set(a, 1);
		vsplit_bo_set(b, 2);
		cs = vsplit_cs(fd);
		early = vsplit_cs_alloc(cs, a, VSPLIT_ALLOC_WRITE);
		late = vsplit_cs_alloc(cs, b, VSPLIT_ALLOC_WRITE);
		vsplit_cs_nop(cs, 8);
		split = cs->bytes;
		at_b = add_bind(cs, 2);
		vsplit_cs_set(cs, 2, 0, 64, 0x33333333);
		if (forced)
			at_a = add_bind(cs, 2);
		else
			at_a = 0;
		vsplit_cs_set(cs, 2, 64, 64, 0x44444444);
		if (forced)
			vsplit_cs_patch(cs, early, 2, 0, at_a, 0);
		vsplit_cs_patch(cs, late, 2, 0, at_b, split);
		vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
		igt_assert_eq(b->map[0], 0x33);
		igt_assert_eq(b->map[64], 0x44);
		igt_assert_eq(a->map[0], 1);
		igt_assert_eq(a->map[64], 1);
	}
}

/* ---- locks -------------------------------------------------------------- */

/**
 * SUBTEST: lock-waits-for-explicit-writers
 * Description: LOCK with READ_ONLY or IGNORE_READ_SYNC waits for work that writes the allocation,
 *   whether it was submitted with or without implicit sync. It does not wait for work that reads
 *   it.
 */
static void test_writers(void)
{
	static const uint32_t flags[] = { VSPLIT_LOCK_READ_ONLY, VSPLIT_LOCK_IGNORE_READ_SYNC };
	struct vsplit_bo *a, *b;
	struct vsplit_cs *cs;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	cs = vsplit_cs(fd);
	cs->access = 0;
	vsplit_cs_bind(cs, 0, a);
	cs->access = VSPLIT_ALLOC_WRITE;
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_copy(cs, 1, 0, 0, 0, U);
	/* The allocations are resident, so no lock waits for paging. */
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	for (unsigned int explicit = 0; explicit < 2; explicit++) {
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		vsplit_cs_submit(cs, ctx, explicit ? VSPLIT_SUBMIT_NO_IMPLICIT : 0);
		for (unsigned int i = 0; i < 2; i++) {
			igt_assert_eq(__vsplit_lock(b, flags[i] | VSPLIT_LOCK_DONOT_WAIT), -EBUSY);
			igt_assert_eq(__vsplit_lock(a, flags[i] | VSPLIT_LOCK_DONOT_WAIT), 0);
			vsplit_unlock(a);
		}
		igt_assert_eq(__vsplit_lock(a, VSPLIT_LOCK_DONOT_WAIT), -EBUSY);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		igt_assert_eq(__vsplit_lock(b, VSPLIT_LOCK_READ_ONLY), 0);
		igt_assert(!vsplit_syncobj_busy(fd, cs->out));
		vsplit_unlock(b);
		vsplit_cs_wait(cs);
	}
}

/* ---- mappings ----------------------------------------------------------- */

/**
 * SUBTEST: pinned-is-never-sigbus
 * Description: The CPU sees half of a segment with pinned allocations. Allocations with CPU_ACCESS
 *   are in that half, and others leave it for them. The others can be elsewhere, and are then not
 *   mapped by the CPU at all.
 */
static void test_pinned(void)
{
	static const struct vsplit_adapter_opts half = {
		.segs = { { "half", .size = 16 * U, .cpu = "32768" } },
		.slots = 16,
		.test = true,
	};
	struct drm_vsplit_gem_create args[3];
	struct vsplit_bo *fills;
	struct vsplit_cs *cs;
	void *map;

	ad = vsplit_adapter_create(&half);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	fills = vsplit_bo_in(fd, 'F', 8 * U, VSPLIT_GEM_CPU_ACCESS, NULL);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, fills);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	for (unsigned int i = 0; i < 3; i++) {
		args[i] = (struct drm_vsplit_gem_create) {
			.size = 4 * U,
			.flags = VSPLIT_GEM_PINNED | (i < 2 ? VSPLIT_GEM_CPU_ACCESS : 0),
		};
		igt_assert_eq(__vsplit_create(fd, &args[i]), 0);
		if (i == 2) {
			igt_assert_eq(__vsplit_mmap(fd, args[i].handle, args[i].size, &map), -EACCES);
			continue;
		}
		igt_assert_eq(__vsplit_mmap(fd, args[i].handle, args[i].size, &map), 0);
		memset(map, i, args[i].size);
		munmap(map, args[i].size);
	}
	/* The half that the CPU sees is full of allocations that stay. */
	args[0].handle = 0;
	args[0].size = U;
	igt_assert_eq(__vsplit_create(fd, &args[0]), -ENOSPC);
}

/* ---- sharing ------------------------------------------------------------ */

/**
 * SUBTEST: two-imports-of-one-buffer
 * Description: A file has two allocations for one dma-buf of another driver, one of them through
 *   its flink name. A submission may use both.
 */
static void test_twins(void)
{
	struct drm_gem_flink name = {};
	struct drm_gem_open open_name = {};
	struct vsplit_adapter *exporter;
	struct drm_vsplit_alloc allocs[2];
	struct vsplit_bo *a, *origin;
	struct vsplit_cs *cs;
	int first, second, from, dmabuf;

	ad = vsplit_adapter_create(&plain);
	exporter = vsplit_adapter_create(&plain);
	from = vsplit_adapter_open(exporter);
	origin = vsplit_bo(from, 'O', 2 * U);
	dmabuf = vsplit_bo_export(origin);
	first = vsplit_adapter_open_primary(ad);
	second = vsplit_adapter_open_primary(ad);
	a = vsplit_bo_import(first, 'A', dmabuf);
	igt_assert_eq(__vsplit_import(second, dmabuf, &name.handle), 0);
	igt_assert_eq(drmIoctl(second, DRM_IOCTL_GEM_FLINK, &name), 0);
	open_name.name = name.name;
	igt_assert_eq(drmIoctl(first, DRM_IOCTL_GEM_OPEN, &open_name), 0);
	igt_assert(open_name.handle != a->handle);

	ctx = vsplit_ctx(first, 0);
	cs = vsplit_cs(first);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, U, 0x5a5a5a5a);
	allocs[0] = cs->allocs[0];
	allocs[1] = (struct drm_vsplit_alloc) { .handle = open_name.handle };
	for (unsigned int i = 0; i < 4; i++) {
		struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
		struct drm_vsplit_submit args;

		/* Either may be written, with and without implicit sync. */
		allocs[1].flags = i & 1 ? VSPLIT_ALLOC_WRITE : 0;
		vsplit_cs_args(cs, ctx, i & 2 ? VSPLIT_SUBMIT_NO_IMPLICIT : 0, &args, syncs);
		args.allocs = (uintptr_t)allocs;
		args.num_allocs = 2;
		igt_assert_eq(__vsplit_submit(first, &args), 0);
		igt_assert_eq(__vsplit_syncobj_wait(first, cs->out, 0, VSPLIT_SOON_MS), 0);
	}
	igt_assert_eq(origin->map[0], 0x5a);
	close(dmabuf);
}

/* ---- surfaces ----------------------------------------------------------- */

static int create_surface(struct drm_vsplit_surface_alloc *allocs, uint32_t *handles)
{
	struct drm_vsplit_gem_surface args = { .allocs = (uintptr_t)allocs, .num_allocs = 1 };
	int ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args);

	*handles = args.handles[0];
	return ret;
}

static void *surface_thread(void *allocs)
{
	uint32_t handle;

	return (void *)(intptr_t)create_surface(allocs, &handle);
}

/**
 * SUBTEST: surface-hands-out-last
 * Description: When a surface gets its handles, nothing is left to write that can fail. If writing
 *   fails, no handle has been created, and none is closed.
 */
static void test_surface(void)
{
	struct drm_vsplit_surface_private head = { .format = VSPLIT_SURFACE_LINEAR };
	struct drm_vsplit_gem_info query = {};
	struct drm_vsplit_gem_create next = { .size = U };
	struct drm_vsplit_surface_alloc *allocs;
	pthread_t thread;
	uint32_t handle;
	void *ret;

	vsplit_require_sync_points();
	setup();
	allocs = mmap(NULL, U, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(allocs != MAP_FAILED);
	allocs[0] = (struct drm_vsplit_surface_alloc) {
		.create.size = U, .private_data = (uintptr_t)&head, .private_bytes = sizeof(head),
	};
	/* The number that the next handle gets. */
	igt_assert_eq(__vsplit_create(fd, &next), 0);
	igt_assert_eq(__vsplit_gem_close(fd, next.handle), 0);

	/* Hold the call behind its last write, before it creates handles. */
	vsplit_catch("mm.surface");
	igt_assert_eq(pthread_create(&thread, NULL, surface_thread, allocs), 0);
	igt_assert(vsplit_wait_held("mm.surface"));
	query.handle = next.handle;
	igt_assert_eq(__vsplit_info(fd, next.handle, &query), -ENOENT);
	igt_assert(allocs[0].create.id);
	/* The memory belongs to the client; changing it can no longer make the call fail. */
	igt_assert_eq(mprotect(allocs, U, PROT_READ), 0);
	vsplit_release("mm.surface");
	pthread_join(thread, &ret);
	igt_assert_eq((intptr_t)ret, 0);
	/* If the memory cannot be written from the start, nothing is left. */
	igt_assert_eq(create_surface(allocs, &handle), -EFAULT);
	igt_assert_eq(handle, 0);
	munmap(allocs, U);
}

/* ---- unplug ------------------------------------------------------------- */

static void *unbind_thread(void *other)
{
	vsplit_adapter_disable(other);
	return NULL;
}

static void *submit_thread(void *cs)
{
	return (void *)(intptr_t)__vsplit_cs_submit(cs, ctx, 0);
}

/**
 * SUBTEST: unbind-beside-a-slow-client
 * Description: An adapter is removed while a client of another adapter is held as its submission is
 *   being copied. The removal does not wait for that client.
 */
static void test_slow_client(void)
{
	struct vsplit_adapter *other;
	pthread_t client, remover;
	struct vsplit_cs *cs;
	void *ret;

	vsplit_require_sync_points();
	setup();
	other = vsplit_adapter_create(&plain);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'A', U));
	vsplit_catch("submit.parsed");
	igt_assert_eq(pthread_create(&client, NULL, submit_thread, cs), 0);
	igt_assert(vsplit_wait_held("submit.parsed"));
	igt_assert_eq(pthread_create(&remover, NULL, unbind_thread, other), 0);
	pthread_join(remover, NULL);
	/* The client was held all the time: it would go on by itself only much later. */
	igt_assert(vsplit_wait_held("submit.parsed"));
	vsplit_release("submit.parsed");
	pthread_join(client, &ret);
	igt_assert_eq((intptr_t)ret, 0);
	vsplit_cs_wait(cs);
}

static const struct vsplit_subtest tests[] = {
	{ "driver-id-is-returned", test_driver_id,
	  "The record has the DriverId of each element of the patch-location list, with the "
	  "allocation that it bound, in list order" },
	{ "bind-that-comes-late", test_late_bind,
	  "If a stream has two BINDs of a row in another order than the list, the row holds what "
	  "the list says" },
	{ "what-others-have-is-not-told", test_foreign,
	  "For evictions of allocations that the client has no handle of, a record tells only the "
	  "sum of their bytes" },
	{ "lock-waits-for-explicit-writers", test_writers,
	  "LOCK with READ_ONLY or IGNORE_READ_SYNC waits for work that writes the allocation, "
	  "whether it was submitted with or without implicit sync" },
	{ "pinned-is-never-sigbus", test_pinned,
	  "Pinned allocations with CPU_ACCESS are where the CPU sees them; others may be "
	  "elsewhere, and are not mapped there" },
	{ "two-imports-of-one-buffer", test_twins,
	  "A file has two allocations for one dma-buf of another driver, one of them through its "
	  "flink name. A submission may use both." },
	{ "surface-hands-out-last", test_surface,
	  "When a surface gets its handles, nothing is left to write that can fail. If writing "
	  "fails, no handle has been created, and none is closed." },
	{ "unbind-beside-a-slow-client", test_slow_client,
	  "An adapter is removed while a client of another adapter is held as its submission is "
	  "being copied. The removal does not wait for that client." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
