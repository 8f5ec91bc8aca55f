// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit abuse
 * Description: Every field of every ioctl, from the table of the interface, gets reserved bits and
 *   wrong pointers, sizes and handles of every kind. Also tests which role may call which ioctl.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: userspace interface
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_uapi.h"

#include <limits.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Every field of every ioctl, from the table of the interface, gets reserved "
		     "bits and wrong pointers, sizes and handles of every kind.");

#define U 16384ull
#define PAGE 4096u

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U } },
	.slots = 16,
	.contexts = "patch,explicit,va,hw",
	.test = true,
};

/* ---- a client with one of everything ------------------------------------ */

static struct vsplit_adapter *ad;
static int fd, other;
static uint32_t ctx, syncobj;
static struct vsplit_bo *bo;
static struct vsplit_cs *cs;
static struct drm_vsplit_sync syncs[2];
static struct drm_vsplit_surface_private rows = { .format = VSPLIT_SURFACE_LINEAR };
static struct drm_vsplit_surface_alloc surface;
/* A monitored fence that has reached 1, and a file descriptor of it. */
static uint32_t fence;
static int exported;
/* Handles that were valid once, and handles of another client. */
static uint32_t freed_bo, freed_ctx, freed_syncobj, foreign_bo, foreign_ctx;
/* Memory that the kernel may write. */
static uint8_t *room;
static uint64_t cases;
/* The file for calls that use requirement lists; -1: open a new one. */
static int lists_fd = -1;
static struct drm_vsplit_va_op va_op;

static int export_fence(void)
{
	struct drm_vsplit_fence_export args = { .handle = fence };

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_EXPORT, &args), 0);
	return args.fd;
}

static void make_hw_queue(void)
{
	struct drm_vsplit_hwq_create args = { .ctx = ctx, .ring_bytes = PAGE };

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_HWQ_CREATE, &args), 0);
}

/* @lists: with a requirement list and an explicit context. */
static void populate(int on, bool lists)
{
	struct drm_vsplit_gem_create create = { .size = U };
	struct drm_vsplit_ctx_create args = {
		.mode = lists ? VSPLIT_CTX_MODE_EXPLICIT : VSPLIT_CTX_MODE_PATCH,
	};

	fd = on;
	igt_assert_eq(__vsplit_ctx_create(fd, &args), 0);
	ctx = args.ctx;
	syncobj = vsplit_syncobj(fd);
	fence = vsplit_fence(fd, 1);
	exported = export_fence();
	bo = vsplit_bo(fd, 'A', 4 * U);
	if (lists)
		vsplit_require(bo);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 4096, 0x11223344);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	syncs[0] = (struct drm_vsplit_sync) { .handle = cs->out };
	syncs[1] = (struct drm_vsplit_sync) { .handle = syncobj, .flags = VSPLIT_SYNC_SIGNAL };

	igt_assert_eq(__vsplit_create(fd, &create), 0);
	freed_bo = create.handle;
	igt_assert_eq(__vsplit_gem_close(fd, freed_bo), 0);
	igt_assert_eq(__vsplit_ctx_create(fd, &args), 0);
	freed_ctx = args.ctx;
	igt_assert_eq(__vsplit_ctx_destroy(fd, freed_ctx), 0);
	freed_syncobj = vsplit_syncobj(fd);
	igt_assert_eq(drmSyncobjDestroy(fd, freed_syncobj), 0);
}

static void setup(void)
{
	ad = vsplit_adapter_create(&plain);
	other = vsplit_adapter_open(ad);
	/* Use the last of many handles: these numbers mean nothing to another client. */
	for (unsigned int i = 0; i < 8; i++) {
		foreign_bo = vsplit_bo(other, 'X', U)->handle;
		foreign_ctx = vsplit_ctx(other, 0);
	}
	populate(vsplit_adapter_open(ad), false);
	if (!room)
		room = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	igt_assert(room != MAP_FAILED);
	cases = 0;
}

/* Fills in valid arguments, with which the call succeeds. */
static void good(unsigned int nr, void *buf)
{
	struct drm_vsplit_query *query = buf;
	struct drm_vsplit_gem_create *create = buf;
	struct drm_vsplit_gem_mmap_offset *offset = buf;
	struct drm_vsplit_gem_info *info = buf;
	struct drm_vsplit_gem_runs *runs = buf;
	struct drm_vsplit_gem_lock *lock = buf;
	struct drm_vsplit_ctx_destroy *destroy = buf;
	struct drm_vsplit_ctx_query *state = buf;
	struct drm_vsplit_submit *submit = buf;
	struct drm_vsplit_record *record = buf;
	struct drm_vsplit_escape *escape = buf;
	struct drm_vsplit_gem_priority *priority = buf;
	struct drm_vsplit_gem_surface *parts = buf;
	struct drm_vsplit_make_resident *make = buf;
	struct drm_vsplit_evict *evict = buf;
	struct drm_vsplit_va_bind *bind = buf;
	struct drm_vsplit_offer *offer = buf;
	struct drm_vsplit_reclaim *reclaim = buf;
	struct drm_vsplit_fence_destroy *end = buf;
	struct drm_vsplit_fence_signal *raise = buf;
	struct drm_vsplit_fence_wait *wait = buf;
	struct drm_vsplit_fence_export *share = buf;
	struct drm_vsplit_fence_import *import = buf;
	struct drm_vsplit_hwq_create *queue = buf;
	struct drm_vsplit_hwq_wait *progress = buf;

	memset(buf, 0, vsplit_calls[nr].size);
	switch (vsplit_calls[nr].request) {
	case DRM_IOCTL_VSPLIT_QUERY:
		query->size = sizeof(struct drm_vsplit_adapter_info);
		query->pointer = (uintptr_t)room;
		break;
	case DRM_IOCTL_VSPLIT_GEM_CREATE:
		create->size = U;
		create->num_segments = 1;
		create->segments[0] = 1;
		break;
	case DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET:
		offset->handle = bo->handle;
		break;
	case DRM_IOCTL_VSPLIT_GEM_INFO:
		info->handle = bo->handle;
		break;
	case DRM_IOCTL_VSPLIT_GEM_RUNS:
		runs->handle = bo->handle;
		runs->num_runs = 1;
		runs->runs = (uintptr_t)room;
		break;
	case DRM_IOCTL_VSPLIT_GEM_LOCK:
	case DRM_IOCTL_VSPLIT_GEM_UNLOCK:
		lock->handle = bo->handle;
		break;
	case DRM_IOCTL_VSPLIT_CTX_CREATE:
		break;
	case DRM_IOCTL_VSPLIT_CTX_DESTROY:
		destroy->ctx = ctx;
		break;
	case DRM_IOCTL_VSPLIT_CTX_QUERY:
		state->ctx = ctx;
		break;
	case DRM_IOCTL_VSPLIT_SUBMIT:
		submit->ctx = ctx;
		submit->stream = (uintptr_t)cs->stream;
		submit->stream_bytes = cs->bytes;
		submit->allocs = (uintptr_t)cs->allocs;
		submit->num_allocs = cs->nr_allocs;
		submit->patches = (uintptr_t)cs->patches;
		submit->num_patches = cs->nr_patches;
		submit->syncs = (uintptr_t)syncs;
		submit->num_syncs = 2;
		break;
	case DRM_IOCTL_VSPLIT_RECORD:
		record->ctx = ctx;
		record->submission = 1;
		record->events = (uintptr_t)room;
		record->num_events = 8;
		record->rows = (uintptr_t)(room + 2 * PAGE);
		record->num_rows = 8;
		break;
	case DRM_IOCTL_VSPLIT_ESCAPE:
		escape->op = VSPLIT_ESCAPE_EVICT;
		escape->handle = bo->handle;
		break;
	case DRM_IOCTL_VSPLIT_GEM_PRIORITY:
		priority->handle = bo->handle;
		break;
	case DRM_IOCTL_VSPLIT_GEM_SURFACE:
		memset(&surface, 0, sizeof(surface));
		surface.create.size = U;
		surface.create.num_segments = 1;
		surface.create.segments[0] = 1;
		surface.private_data = (uintptr_t)&rows;
		surface.private_bytes = sizeof(rows);
		parts->allocs = (uintptr_t)&surface;
		parts->num_allocs = 1;
		break;
	case DRM_IOCTL_VSPLIT_MAKE_RESIDENT:
		make->handles = (uintptr_t)&bo->handle;
		make->num_handles = 1;
		break;
	case DRM_IOCTL_VSPLIT_EVICT:
		evict->handles = (uintptr_t)&bo->handle;
		evict->num_handles = 1;
		evict->flags = VSPLIT_EVICT_IF_NECESSARY;
		break;
	case DRM_IOCTL_VSPLIT_VA_BIND:
		va_op = (struct drm_vsplit_va_op) {
			.type = VSPLIT_VA_MAP, .handle = bo->handle, .address = U, .bytes = U,
		};
		bind->ops = (uintptr_t)&va_op;
		bind->num_ops = 1;
		bind->syncs = (uintptr_t)syncs;
		bind->num_syncs = 2;
		break;
	case DRM_IOCTL_VSPLIT_OFFER:
		offer->handles = (uintptr_t)&bo->handle;
		offer->num_handles = 1;
		offer->priority = VSPLIT_OFFER_NORMAL;
		break;
	case DRM_IOCTL_VSPLIT_RECLAIM:
		reclaim->handles = (uintptr_t)&bo->handle;
		reclaim->discarded = (uintptr_t)room;
		reclaim->num_handles = 1;
		break;
	case DRM_IOCTL_VSPLIT_FENCE_DESTROY:
		end->handle = fence;
		break;
	case DRM_IOCTL_VSPLIT_FENCE_SIGNAL:
		raise->handle = fence;
		break;
	case DRM_IOCTL_VSPLIT_FENCE_WAIT:
		wait->handle = fence;
		wait->value = 1;
		break;
	case DRM_IOCTL_VSPLIT_FENCE_EXPORT:
		share->handle = fence;
		break;
	case DRM_IOCTL_VSPLIT_FENCE_IMPORT:
		import->fd = exported;
		break;
	case DRM_IOCTL_VSPLIT_HWQ_CREATE:
		queue->ctx = ctx;
		queue->ring_bytes = PAGE;
		break;
	case DRM_IOCTL_VSPLIT_HWQ_WAIT:
		progress->ctx = ctx;
		break;
	}
}

/* Undoes a good call, so that the next call is good, too. */
static void undo(unsigned int nr, void *buf)
{
	struct drm_vsplit_gem_create *create = buf;
	struct drm_vsplit_gem_surface *parts = buf;
	struct drm_vsplit_gem_lock *lock = buf;
	struct drm_vsplit_ctx_create *made = buf;
	struct drm_vsplit_fence_create *made_fence = buf;
	struct drm_vsplit_fence_export *shared = buf;
	struct drm_vsplit_fence_import *imported = buf;
	struct drm_vsplit_fence_destroy end = { .handle = made_fence->handle };
	struct drm_vsplit_evict evict = {
		.handles = (uintptr_t)&bo->handle, .num_handles = 1,
		.flags = VSPLIT_EVICT_IF_NECESSARY,
	};
	struct drm_vsplit_reclaim reclaim = {
		.handles = (uintptr_t)&bo->handle, .num_handles = 1,
	};

	switch (vsplit_calls[nr].request) {
	case DRM_IOCTL_VSPLIT_GEM_CREATE:
		igt_assert_eq(__vsplit_gem_close(fd, create->handle), 0);
		break;
	case DRM_IOCTL_VSPLIT_GEM_SURFACE:
		igt_assert_eq(__vsplit_gem_close(fd, parts->handles[0]), 0);
		break;
	case DRM_IOCTL_VSPLIT_GEM_LOCK:
		lock->flags = 0;
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, lock), 0);
		break;
	case DRM_IOCTL_VSPLIT_GEM_UNLOCK:
		lock->flags = 0;
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, lock), 0);
		break;
	case DRM_IOCTL_VSPLIT_CTX_CREATE:
		igt_assert_eq(__vsplit_ctx_destroy(fd, made->ctx), 0);
		break;
	case DRM_IOCTL_VSPLIT_CTX_DESTROY:
		ctx = vsplit_ctx(fd, 0);
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		break;
	case DRM_IOCTL_VSPLIT_MAKE_RESIDENT:
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_EVICT, &evict), 0);
		break;
	case DRM_IOCTL_VSPLIT_EVICT:
		vsplit_require(bo);
		break;
	case DRM_IOCTL_VSPLIT_OFFER:
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECLAIM, &reclaim), 0);
		break;
	case DRM_IOCTL_VSPLIT_FENCE_CREATE:
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_DESTROY, &end), 0);
		break;
	case DRM_IOCTL_VSPLIT_FENCE_DESTROY:
		fence = vsplit_fence(fd, 1);
		break;
	case DRM_IOCTL_VSPLIT_FENCE_EXPORT:
		close(shared->fd);
		break;
	case DRM_IOCTL_VSPLIT_FENCE_IMPORT:
		end.handle = imported->handle;
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_DESTROY, &end), 0);
		break;
	case DRM_IOCTL_VSPLIT_HWQ_CREATE:
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx), 0);
		ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_HW, 0);
		break;
	}
}

static void prepare(unsigned int nr)
{
	struct drm_vsplit_ctx_create with_addresses = { .mode = VSPLIT_CTX_MODE_VA };
	struct drm_vsplit_gem_lock lock = { .handle = bo->handle };

	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_VA_BIND) {
		igt_assert_eq(__vsplit_ctx_create(fd, &with_addresses), 0);
		/* RESIDENCY has made a syncobj, perhaps with the same number. */
		freed_syncobj = vsplit_syncobj(fd);
		igt_assert_eq(drmSyncobjDestroy(fd, freed_syncobj), 0);
	}
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_HWQ_CREATE) {
		ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_HW, 0);
		/* The new context may have got the number of the freed one. */
		freed_ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_HW, 0);
		igt_assert_eq(__vsplit_ctx_destroy(fd, freed_ctx), 0);
	}
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_HWQ_WAIT)
		make_hw_queue();
	/* From here on the ioctls are those of WDDM 2. */
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_MAKE_RESIDENT)
		populate(lists_fd >= 0 ? lists_fd : vsplit_adapter_open(ad), true);
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_GEM_UNLOCK)
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
}

/* Unlocks everything, because submissions with locked allocations are refused. */
static void finish(unsigned int nr)
{
	struct drm_vsplit_gem_lock lock = { .handle = bo->handle };

	if (vsplit_calls[nr].request != DRM_IOCTL_VSPLIT_GEM_LOCK &&
	    vsplit_calls[nr].request != DRM_IOCTL_VSPLIT_GEM_UNLOCK)
		return;
	while (!__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock))
		;
}

static void check_good(unsigned int nr)
{
	uint8_t buf[256];
	int ret;

	good(nr, buf);
	ret = __vsplit_ioctl(fd, vsplit_calls[nr].request, buf);
	igt_assert_f(!ret, "%s as it should be: %s\n", vsplit_calls[nr].name, strerror(-ret));
	undo(nr, buf);
}

/* ---- one case ----------------------------------------------------------- */

struct seen {
	struct drm_vsplit_ctx_query ctx;
	struct drm_vsplit_gem_info info;
	struct vsplit_counters counters;
	uint64_t submissions;
};

static void look(struct seen *seen)
{
	struct drm_vsplit_statistics stats;

	memset(seen, 0, sizeof(*seen));
	/* Let work that is under way end first. */
	vsplit_soon(!vsplit_counters(ad, &seen->counters) || !seen->counters.jobs);
	vsplit_ctx_query(fd, ctx, &seen->ctx);
	vsplit_info(bo, &seen->info);
	vsplit_counters(ad, &seen->counters);
	/* Jobs and records go away later, by themselves. */
	seen->counters.jobs = 0;
	seen->counters.records = 0;
	vsplit_query_statistics(fd, &stats);
	seen->submissions = stats.submissions;
}

/* Asserts that the call is refused with this error, and has no effect. */
static void refused(unsigned int nr, void *buf, int error, const char *what, const char *how,
		    uint64_t value)
{
	struct seen before, after;
	int ret;

	look(&before);
	ret = __vsplit_ioctl(fd, vsplit_calls[nr].request, buf);
	cases++;
	igt_assert_f(ret == error, "%s, %s %s %#" PRIx64 ": %d (%s), expected %d (%s)\n",
		     vsplit_calls[nr].name, what, how, value, ret, strerror(-ret), error,
		     strerror(-error));
	look(&after);
	igt_assert_f(!memcmp(&before, &after, sizeof(before)),
		     "%s, %s %s %#" PRIx64 ": refused, yet something changed\n",
		     vsplit_calls[nr].name, what, how, value);
}

static uint64_t get(const void *buf, const struct vsplit_field *f)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)buf + f->offset, f->size);
	return value;
}

static void put(void *buf, const struct vsplit_field *f, uint64_t value)
{
	memcpy((uint8_t *)buf + f->offset, &value, f->size);
}

/*
 * Try wrong numbers, each through refused(). @base is the struct or array element that holds the
 * field; @buf is the argument of the ioctl.
 */
static void bad_bits(unsigned int nr, void *buf, void *base, const struct vsplit_field *f,
		     uint64_t valid)
{
	uint64_t was = get(base, f);

	for (unsigned int bit = 0; bit < 8u * f->size; bit++) {
		if (valid & (1ull << bit))
			continue;
		put(base, f, was | 1ull << bit);
		refused(nr, buf, -EINVAL, f->name, "bit", bit);
	}
	put(base, f, was);
}

static void bad_values(unsigned int nr, void *buf, void *base, const struct vsplit_field *f,
		       const uint64_t *values, unsigned int count, int error)
{
	uint64_t was = get(base, f);

	for (unsigned int i = 0; i < count; i++) {
		put(base, f, values[i]);
		refused(nr, buf, error, f->name, "is", values[i]);
	}
	put(base, f, was);
}

static void bad_handles(unsigned int nr, void *buf, void *base, const struct vsplit_field *f)
{
	const uint64_t common[] = { INT_MAX, INT_MAX + 1ull, UINT_MAX, UINT_MAX - 1, 0x10000 };
	const uint64_t bos[] = { freed_bo, foreign_bo, 0x7777 };
	const uint64_t ctxs[] = { freed_ctx, foreign_ctx, 1025 };
	const uint64_t syncobjs[] = { freed_syncobj, 0x7777, 0 };
	const uint64_t fences[] = { fence + 1, 0x7777, 0 };
	const uint64_t zero[] = { 0 };

	bad_values(nr, buf, base, f, common, ARRAY_SIZE(common), -ENOENT);
	switch (f->kind) {
	case VSPLIT_FIELD_FENCE:
		bad_values(nr, buf, base, f, fences, ARRAY_SIZE(fences), -ENOENT);
		break;
	case VSPLIT_FIELD_BO:
		bad_values(nr, buf, base, f, bos, ARRAY_SIZE(bos), -ENOENT);
		/* In a list, 0 is the NULL element, which takes no flag. */
		bad_values(nr, buf, base, f, zero, 1, base == buf ? -ENOENT : -EINVAL);
		break;
	case VSPLIT_FIELD_CTX:
		bad_values(nr, buf, base, f, ctxs, ARRAY_SIZE(ctxs), -ENOENT);
		/* For CTX_QUERY, 0 is the device. */
		if (vsplit_calls[nr].request != DRM_IOCTL_VSPLIT_CTX_QUERY)
			bad_values(nr, buf, base, f, zero, 1, -ENOENT);
		break;
	default:
		bad_values(nr, buf, base, f, syncobjs, ARRAY_SIZE(syncobjs), -ENOENT);
		break;
	}
}

static void bad_pointers(unsigned int nr, void *buf, const struct vsplit_field *f)
{
	uint64_t was = get(buf, f), bytes, count = 0;
	const uint64_t kernel[] = {
		0, 1, 0xffff888000000000ull, 0xffffffff81000000ull, 0x8000000000000000ull,
		0x00007ffffffff000ull, 0xfffffffffffff000ull, UINT64_MAX,
	};
	uint8_t *map;

	memcpy(&count, (uint8_t *)buf + f->count, 4);
	bytes = count * f->array->size;
	if (f->out) {
		/* The kernel writes only what it has, but at least one element. */
		igt_assert(bytes >= f->array->size);
		bytes = vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_QUERY ? bytes : f->array->size;
	}
	igt_assert(bytes && bytes <= PAGE);
	/* For RECLAIM, the pointer 0 says that the answer is not wanted. */
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_RECLAIM && f->out)
		bad_values(nr, buf, buf, f, kernel + 1, ARRAY_SIZE(kernel) - 1, -EFAULT);
	else
		bad_values(nr, buf, buf, f, kernel, ARRAY_SIZE(kernel), -EFAULT);

	/* One mapped page, followed by a page without access. */
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(map != MAP_FAILED);
	igt_assert_eq(mprotect(map + PAGE, PAGE, PROT_NONE), 0);
	put(buf, f, (uintptr_t)map + PAGE);
	refused(nr, buf, -EFAULT, f->name, "is no memory", 0);
	for (uint64_t inside = 1; inside < bytes; inside = inside * 2 + 1) {
		if (!f->out)
			memcpy(map + PAGE - inside, (void *)(uintptr_t)was, inside);
		put(buf, f, (uintptr_t)map + PAGE - inside);
		refused(nr, buf, -EFAULT, f->name, "has bytes", inside);
	}
	if (f->out) {
		igt_assert_eq(mprotect(map, PAGE, PROT_READ), 0);
		put(buf, f, (uintptr_t)map);
		refused(nr, buf, -EFAULT, f->name, "is read-only", 0);
	}
	munmap(map, 2 * PAGE);
	put(buf, f, was);
}

static void bad_counts(unsigned int nr, void *buf, const struct vsplit_field *f)
{
	struct drm_vsplit_adapter_info info;
	uint64_t was = get(buf, f);

	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_GEM_SURFACE) {
		const uint64_t none[] = { 0 };
		const uint64_t big[] = { VSPLIT_MAX_SURFACE_ALLOCS + 1, INT_MAX, UINT_MAX, 1 << 25 };

		bad_values(nr, buf, buf, f, none, 1, -EINVAL);
		bad_values(nr, buf, buf, f, big, ARRAY_SIZE(big), -E2BIG);
		return;
	}
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_MAKE_RESIDENT ||
	    vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_EVICT ||
	    vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_OFFER ||
	    vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_RECLAIM) {
		const uint64_t none[] = { 0 };
		const uint64_t big[] = { VSPLIT_MAX_RESIDENCY + 1, INT_MAX, UINT_MAX };

		bad_values(nr, buf, buf, f, none, 1, -EINVAL);
		bad_values(nr, buf, buf, f, big, ARRAY_SIZE(big), -E2BIG);
		return;
	}
	if (vsplit_calls[nr].request == DRM_IOCTL_VSPLIT_VA_BIND && f->array == &vsplit_array_va_ops) {
		const uint64_t none[] = { 0 };
		const uint64_t big[] = { VSPLIT_MAX_VA_OPS + 1, INT_MAX, UINT_MAX };

		bad_values(nr, buf, buf, f, none, 1, -EINVAL);
		bad_values(nr, buf, buf, f, big, ARRAY_SIZE(big), -E2BIG);
		return;
	}
	/* If the kernel writes the array, any length is good. */
	if (vsplit_calls[nr].request != DRM_IOCTL_VSPLIT_SUBMIT)
		return;
	vsplit_query_adapter(fd, &info);
	if (!strcmp(f->name, "stream_bytes")) {
		const uint64_t bad[] = { 0, was - 1, was + 1, was - 4, UINT_MAX };
		const uint64_t big[] = { info.max_stream_bytes + 8, UINT_MAX - 7 };

		bad_values(nr, buf, buf, f, bad, ARRAY_SIZE(bad), -EINVAL);
		bad_values(nr, buf, buf, f, big, ARRAY_SIZE(big), -E2BIG);
	} else {
		const uint64_t max = f->name[4] == 'a' ? info.max_allocs :
				     f->name[4] == 'p' ? info.max_patches : info.max_syncs;
		const uint64_t big[] = { max + 1, INT_MAX, UINT_MAX, 0x20000001, 0x10000001 };

		bad_values(nr, buf, buf, f, big, ARRAY_SIZE(big), -E2BIG);
	}
	put(buf, f, was);
}

static void garbage_out(unsigned int nr, const struct vsplit_field *f)
{
	uint8_t buf[256];
	int ret;

	good(nr, buf);
	put(buf, f, UINT64_MAX);
	ret = __vsplit_ioctl(fd, vsplit_calls[nr].request, buf);
	cases++;
	igt_assert_f(!ret, "%s: what stood in %s, which is written only, mattered: %s\n",
		     vsplit_calls[nr].name, f->name, strerror(-ret));
	undo(nr, buf);
}

static void abuse_fields(unsigned int nr, void *buf, void *base, const struct vsplit_field *f);

static void abuse_array(unsigned int nr, void *buf, const struct vsplit_field *f)
{
	uint8_t copy[128];
	uint64_t was = get(buf, f);

	if (f->out || !f->array->fields)
		return;
	/* Abuse its first element. */
	igt_assert(f->array->size <= sizeof(copy));
	for (unsigned int i = 0; i < (f->array == &vsplit_array_syncs ? 2 : 1); i++) {
		void *element = (uint8_t *)(uintptr_t)was + i * f->array->size;

		memcpy(copy, element, f->array->size);
		abuse_fields(nr, buf, element, f->array->fields);
		igt_assert(!memcmp(copy, element, f->array->size));
	}
}

static void abuse_fields(unsigned int nr, void *buf, void *base, const struct vsplit_field *f)
{
	for (; f->kind != VSPLIT_FIELD_END; f++) {
		const uint64_t beyond[] = {
			f->max + 1, f->max + 2, f->max + 0x1000, f->max | 0x3fffffff, UINT_MAX,
		};

		switch (f->kind) {
		case VSPLIT_FIELD_PAD:
			bad_bits(nr, buf, base, f, 0);
			break;
		case VSPLIT_FIELD_FLAGS:
			bad_bits(nr, buf, base, f, f->max);
			break;
		case VSPLIT_FIELD_ENUM:
			bad_values(nr, buf, base, f, beyond, ARRAY_SIZE(beyond), -EINVAL);
			break;
		case VSPLIT_FIELD_VALUE:
			if (f->max)
				bad_values(nr, buf, base, f, beyond, ARRAY_SIZE(beyond), -EINVAL);
			break;
		case VSPLIT_FIELD_BO:
		case VSPLIT_FIELD_CTX:
		case VSPLIT_FIELD_SYNCOBJ:
		case VSPLIT_FIELD_FENCE:
			bad_handles(nr, buf, base, f);
			break;
		case VSPLIT_FIELD_SUBMISSION: {
			const uint64_t none[] = { 0, 1000, UINT64_MAX, 1ull << 32 };

			bad_values(nr, buf, base, f, none, ARRAY_SIZE(none), -ENOENT);
			break;
		}
		case VSPLIT_FIELD_POINTER:
			bad_pointers(nr, buf, f);
			abuse_array(nr, buf, f);
			break;
		case VSPLIT_FIELD_COUNT:
			bad_counts(nr, buf, f);
			break;
		case VSPLIT_FIELD_OUT:
			garbage_out(nr, f);
			/* The context may be a new one: fill in the arguments again. */
			good(nr, buf);
			break;
		}
	}
}

/**
 * SUBTEST: table-is-complete
 * Description: The table describes every byte of every struct, and every ioctl.
 */
static void test_table(void)
{
	igt_assert_eq(VSPLIT_NR_CALLS, DRM_VSPLIT_NUM_IOCTLS);
	for (unsigned int nr = 0; nr < VSPLIT_NR_CALLS; nr++) {
		const struct vsplit_call *c = &vsplit_calls[nr];
		uint32_t end = 0;

		igt_assert_eq(_IOC_NR(c->request), DRM_COMMAND_BASE + nr);
		igt_assert_eq(_IOC_SIZE(c->request), c->size);
		for (const struct vsplit_field *f = c->fields; f->kind != VSPLIT_FIELD_END; f++) {
			igt_assert_f(f->offset == end, "%s.%s is at %u, and there are bytes from %u\n",
				     c->name, f->name, f->offset, end);
			end = f->offset + f->size;
		}
		igt_assert_f(end == c->size, "%s ends at %u, the table at %u\n", c->name, c->size,
			     end);
	}
}

/**
 * SUBTEST: fields
 * Description: Each reserved bit, bad value, handle, pointer and count, tried alone, gives the
 *   documented error and has no effect.
 */
static void test_fields(void)
{
	setup();
	for (unsigned int nr = 0; nr < VSPLIT_NR_CALLS; nr++) {
		uint8_t buf[256];

		igt_assert(vsplit_calls[nr].size <= sizeof(buf));
		prepare(nr);
		check_good(nr);
		good(nr, buf);
		abuse_fields(nr, buf, buf, vsplit_calls[nr].fields);
		check_good(nr);
		finish(nr);
	}
	vsplit_figure("R18", "wrong fields refused", cases);
	igt_assert(cases > 500);
}

/**
 * SUBTEST: sizes
 * Description: Ioctls are called with another encoded size than that of the struct. Missing bytes
 *   count as zero, and excess bytes are ignored; nothing else happens.
 */
static void test_sizes(void)
{
	setup();
	for (unsigned int nr = 0; nr < VSPLIT_NR_CALLS; nr++) {
		const struct vsplit_call *c = &vsplit_calls[nr];
		const uint32_t sizes[] = {
			0, 1, 4, c->size / 2, c->size - 8, c->size - 4, c->size - 1, c->size + 1,
			c->size + 8, 256, 1024, 16383,
		};

		prepare(nr);
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (unsigned int dir = 0; dir < 4; dir++) {
				unsigned long request = _IOC(dir, DRM_IOCTL_BASE,
							     _IOC_NR(c->request), sizes[i]);
				static uint8_t buf[16384];
				int ret;

				memset(buf, 0, sizeof(buf));
				good(nr, buf);
				ret = __vsplit_ioctl(fd, request, buf);
				cases++;
				igt_assert_f(ret <= 0 && ret >= -4095, "%d\n", ret);
				if (ret)
					continue;
				/* A fence allows only so many handles: use a new fence. */
				if (c->request == DRM_IOCTL_VSPLIT_FENCE_IMPORT) {
					close(exported);
					fence = vsplit_fence(fd, 1);
					exported = export_fence();
				}
				/*
				 * If the answer is cut off, the handle in it is lost: it is freed
				 * when the file is closed.
				 */
				if (c->request == DRM_IOCTL_VSPLIT_CTX_DESTROY ||
				    c->request == DRM_IOCTL_VSPLIT_FENCE_DESTROY ||
				    c->request == DRM_IOCTL_VSPLIT_HWQ_CREATE ||
				    c->request == DRM_IOCTL_VSPLIT_GEM_LOCK ||
				    c->request == DRM_IOCTL_VSPLIT_GEM_UNLOCK) {
					good(nr, buf);
					undo(nr, buf);
				}
			}
		}
		check_good(nr);
		finish(nr);
	}
	vsplit_figure("R18", "calls of another size", cases);
}

/* Makes all calls on this file; returns those that are refused with -EACCES or -EPERM. */
static uint32_t calls_refused(int on)
{
	uint32_t denied = 0;

	populate(on, false);
	for (unsigned int nr = 0; nr < VSPLIT_NR_CALLS; nr++) {
		uint8_t buf[256];
		int ret;

		prepare(nr);
		good(nr, buf);
		ret = __vsplit_ioctl(fd, vsplit_calls[nr].request, buf);
		igt_assert_f(!ret || ret == -EACCES || ret == -EPERM, "%s: %s\n",
			     vsplit_calls[nr].name, strerror(-ret));
		if (ret)
			denied |= 1u << nr;
		else
			undo(nr, buf);
		finish(nr);
	}
	return denied;
}

/**
 * SUBTEST: roles
 * Description: Each ioctl is called by each role: on the render node or primary node, as master or
 *   not, with or without capabilities. Only the roles in the table may call it, and only privileged
 *   ones may have a high priority.
 */
static void test_roles(void)
{
	setup();
	for (unsigned int role = 0; role < VSPLIT_ROLES; role++) {
		bool primary = (1u << role) & (VSPLIT_ROLE_MASTER | VSPLIT_ROLE_AUTH |
					       VSPLIT_ROLE_UNAUTH);
		bool second = (1u << role) & (VSPLIT_ROLE_AUTH | VSPLIT_ROLE_UNAUTH);
		bool nobody = (1u << role) & (VSPLIT_ROLE_NOBODY | VSPLIT_ROLE_UNAUTH);
		uint32_t denied, expected = 0;
		int status, first = -1, on;
		pid_t pid;

		if (second)
			first = vsplit_adapter_open_primary(ad);
		on = primary ? vsplit_adapter_open_primary(ad) : vsplit_adapter_open(ad);
		lists_fd = primary ? vsplit_adapter_open_primary(ad) : vsplit_adapter_open(ad);
		for (unsigned int nr = 0; nr < VSPLIT_NR_CALLS; nr++)
			if (!(vsplit_calls[nr].roles & (1u << role)))
				expected |= 1u << nr;
		pid = vsplit_fork();
		if (!pid) {
			struct drm_vsplit_ctx_create high = {
				.priority = VSPLIT_CTX_PRIORITY_HIGH,
			};
			int ret;

			if (nobody)
				igt_assert_eq(setresuid(65534, 65534, 65534), 0);
			denied = calls_refused(on);
			if (denied != expected)
				_exit(1);
			ret = __vsplit_ctx_create(on, &high);
			_exit(ret == (nobody ? -EACCES : 0) ? 0 : 2);
		}
		cases += VSPLIT_NR_CALLS + 1;
		status = vsplit_reap(pid);
		igt_assert_f(WIFEXITED(status) && !WEXITSTATUS(status), "role %u: status %#x\n", role,
			     status);
		vsplit_close(on);
		vsplit_close(lists_fd);
		lists_fd = -1;
		if (first >= 0)
			vsplit_close(first);
	}
	vsplit_figure("R18", "combinations of role and call", cases);
}

static const struct vsplit_subtest tests[] = {
	{ "table-is-complete", test_table,
	  "The table describes every byte of every struct, and every ioctl" },
	{ "fields", test_fields,
	  "Each reserved bit, bad value, handle, pointer and count, tried alone, gives the "
	  "documented error and has no effect" },
	{ "sizes", test_sizes,
	  "A call with a structure of another size takes missing bytes for zero, and ignores "
	  "excess bytes" },
	{ "roles", test_roles,
	  "Only the roles that the table names may make each call, and only privileged ones get a "
	  "high priority" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
