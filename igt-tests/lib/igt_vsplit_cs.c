// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: DMA buffers, and their submission.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_cleanup.h"

#include <xf86drm.h>

static struct vsplit_cs *buffers;

void vsplit_cs_cleanup(void)
{
	while (buffers) {
		/* The syncobj goes with the file. */
		buffers->out = 0;
		vsplit_cs_free(buffers);
	}
}

void vsplit_cs_forget(int fd)
{
	struct vsplit_cs *cs, *next;

	for (cs = buffers; cs; cs = next) {
		next = cs->next;
		if (cs->fd == fd)
			vsplit_cs_free(cs);
	}
}

/* ---- building ----------------------------------------------------------- */

struct vsplit_cs *vsplit_cs(int fd)
{
	struct vsplit_cs *cs = calloc(1, sizeof(*cs));

	igt_assert(cs);
	cs->fd = fd;
	cs->access = VSPLIT_ALLOC_WRITE;
	cs->out = vsplit_syncobj(fd);
	cs->next = buffers;
	buffers = cs;
	return cs;
}

struct vsplit_cs *vsplit_cs_of(int fd, struct vsplit_bo **bos, unsigned int nr, bool at_once)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 0; i < nr; i++) {
		vsplit_cs_bind(cs, at_once ? i : 0, bos[i]);
		if (at_once && i + 1 < nr)
			continue;
		for (unsigned int j = at_once ? 0 : i; j <= i; j++)
			vsplit_cs_add(cs, at_once ? j : 0, 0, 1);
	}
	return cs;
}

void vsplit_cs_free(struct vsplit_cs *cs)
{
	struct vsplit_cs **p = &buffers;

	while (*p != cs)
		p = &(*p)->next;
	*p = cs->next;
	if (cs->out)
		drmSyncobjDestroy(cs->fd, cs->out);
	vsplit__packets_free(&cs->p);
	free(cs->bos);
	free(cs->before);
	free(cs);
}

void vsplit_cs_reset(struct vsplit_cs *cs)
{
	vsplit__packets_reset(&cs->p);
	cs->nr_syncs = 0;
	cs->split = 0;
	cs->group_end = 0;
	cs->access = VSPLIT_ALLOC_WRITE;
}

uint32_t vsplit_cs_alloc(struct vsplit_cs *cs, struct vsplit_bo *bo, uint32_t flags)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i] == bo)
			return i;
	igt_assert_eq(vsplit__put_alloc(&cs->p, bo ? bo->handle : 0, flags), 0);
	cs->bos = reallocarray(cs->bos, cs->alloc_room, sizeof(*cs->bos));
	igt_assert(cs->bos);
	cs->bos[cs->nr_allocs - 1] = bo;
	return cs->nr_allocs - 1;
}

uint32_t vsplit_cs_packet(struct vsplit_cs *cs, const void *packet, uint32_t size)
{
	igt_assert_eq(vsplit__put_bytes(&cs->p, packet, size), 0);
	return cs->bytes - size;
}

void vsplit_cs_patch(struct vsplit_cs *cs, uint32_t alloc, uint32_t slot,
		     uint32_t alloc_offset, uint32_t patch_offset, uint32_t split)
{
	const struct drm_vsplit_patch patch = {
		.alloc = alloc,
		.slot = slot,
		.driver_id = cs->nr_patches + 1,
		.alloc_offset = alloc_offset,
		.patch_offset = patch_offset,
		.split_offset = split,
	};

	igt_assert_eq(vsplit__put_patch(&cs->p, &patch), 0);
}

static void bind(struct vsplit_cs *cs, uint32_t slot, uint32_t alloc, uint32_t alloc_offset)
{
	if (cs->bytes != cs->group_end)
		cs->split = cs->bytes;
	igt_assert_eq(vsplit__put_bind(&cs->p, slot, alloc, alloc_offset, cs->split), 0);
	cs->patches[cs->nr_patches - 1].driver_id = cs->nr_patches;
	cs->group_end = cs->bytes;
}

void vsplit_cs_bind_at(struct vsplit_cs *cs, uint32_t slot, struct vsplit_bo *bo,
		       uint32_t alloc_offset)
{
	bind(cs, slot, vsplit_cs_alloc(cs, bo, cs->access), alloc_offset);
}

void vsplit_cs_unbind(struct vsplit_cs *cs, uint32_t slot)
{
	bind(cs, slot, vsplit_cs_null(cs), 0);
}

static void add_sync(struct vsplit_cs *cs, uint32_t syncobj, uint64_t point, uint32_t flags)
{
	igt_assert(cs->nr_syncs < VSPLIT_CS_SYNCS);
	cs->syncs[cs->nr_syncs++] = (struct drm_vsplit_sync) {
		.handle = syncobj,
		.flags = flags | (point ? VSPLIT_SYNC_TIMELINE : 0),
		.point = point,
	};
}

void vsplit_cs_wait_for(struct vsplit_cs *cs, uint32_t syncobj, uint64_t point)
{
	add_sync(cs, syncobj, point, 0);
}

void vsplit_cs_signal(struct vsplit_cs *cs, uint32_t syncobj, uint64_t point)
{
	add_sync(cs, syncobj, point, VSPLIT_SYNC_SIGNAL);
}

/* ---- submitting --------------------------------------------------------- */

void vsplit_cs_args(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags,
		    struct drm_vsplit_submit *args, struct drm_vsplit_sync *syncs)
{
	igt_assert_eq(cs->error, 0);
	memcpy(syncs, cs->syncs, cs->nr_syncs * sizeof(*syncs));
	syncs[cs->nr_syncs] = (struct drm_vsplit_sync) {
		.handle = cs->out,
		.flags = VSPLIT_SYNC_SIGNAL,
	};
	memset(args, 0, sizeof(*args));
	args->ctx = ctx;
	args->flags = flags;
	args->stream = (uintptr_t)cs->stream;
	args->allocs = (uintptr_t)cs->allocs;
	args->patches = (uintptr_t)cs->patches;
	args->syncs = (uintptr_t)syncs;
	args->stream_bytes = cs->bytes;
	args->num_allocs = cs->nr_allocs;
	args->num_patches = cs->nr_patches;
	args->num_syncs = cs->nr_syncs + 1;
}

int __vsplit_submit(int fd, struct drm_vsplit_submit *args)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_SUBMIT, args);
}

int __vsplit_cs_submit(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	unsigned int tries = 0;
	int ret;

	for (;;) {
		vsplit_cs_args(cs, ctx, flags, &args, syncs);
		ret = __vsplit_submit(cs->fd, &args);
		if (!vsplit_injected(ret) || tries++ == 1000)
			break;
		/* A submission that failed may have moved allocations by jobs of their own. */
		if (cs->before)
			vsplit_place_before(cs);
	}
	if (!ret) {
		cs->ctx = ctx;
		cs->submission = args.submission;
		cs->portions = args.num_portions;
	}
	return ret;
}

void vsplit_cs_submit(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	int ret = __vsplit_cs_submit(cs, ctx, flags);

	igt_assert_f(!ret, "submission: %s\n", strerror(-ret));
}

int __vsplit_cs_submit_next(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	int ret;

	while ((ret = __vsplit_cs_submit(cs, ctx, flags)) == -ENOBUFS) {
		/* Returns at once if this buffer was never submitted. */
		__vsplit_syncobj_wait(cs->fd, cs->out, 0, 100);
		usleep(1000);
	}
	return ret;
}

void vsplit_cs_submit_next(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	int ret = __vsplit_cs_submit_next(cs, ctx, flags);

	igt_assert_f(!ret, "submission: %s\n", strerror(-ret));
}

int __vsplit_cs_wait(struct vsplit_cs *cs)
{
	struct drm_vsplit_record args = { .ctx = cs->ctx, .submission = cs->submission };
	int ret;

	ret = __vsplit_syncobj_wait(cs->fd, cs->out, 0, 120000);
	igt_assert_f(ret == 0, "submission %" PRIu64 " did not end in two minutes: %s\n",
		     cs->submission, strerror(-ret));
	ret = __vsplit_record(cs->fd, &args);
	if (!ret) {
		igt_assert_eq(args.done, 1);
		return -(int)args.error;
	}
	ret = vsplit_syncobj_status(cs->fd, cs->out);
	return ret < 0 ? ret : 0;
}

int vsplit_cs_result(struct vsplit_cs *cs)
{
	igt_assert_eq(drmSyncobjWait(cs->fd, &cs->out, 1,
				     vsplit_now_ns() + VSPLIT_SOON_MS * 1000000ll,
				     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL), 0);
	return __vsplit_cs_wait(cs);
}

void vsplit_cs_wait(struct vsplit_cs *cs)
{
	int ret = __vsplit_cs_wait(cs);

	igt_assert_f(!ret, "fence of submission %" PRIu64 ": %s\n", cs->submission, strerror(-ret));
}

void vsplit_cs_submit_and_wait(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	vsplit_cs_submit(cs, ctx, flags);
	vsplit_cs_wait(cs);
}

void vsplit_cs_refused(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags, int error)
{
	struct drm_vsplit_statistics before, after;
	struct drm_vsplit_ctx_query q0 = { .ctx = ctx }, q1 = { .ctx = ctx };
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS], now[VSPLIT_MAX_SEGMENTS];
	bool known = !__vsplit_ctx_query(cs->fd, &q0);
	unsigned int nr_segs;
	int ret;

	vsplit_place_before(cs);
	nr_segs = vsplit_query_segments(cs->fd, segs);
	vsplit_query_statistics(cs->fd, &before);
	ret = __vsplit_cs_submit(cs, ctx, flags);
	igt_assert_f(ret == error, "submission gave %d (%s), expected %d (%s)\n",
		     ret, strerror(-ret), error, strerror(-error));
	vsplit_query_statistics(cs->fd, &after);
	igt_assert_eq_u64(after.submissions, before.submissions);
	igt_assert_eq_u64(after.portions, before.portions);
	/* No allocation of any client has left its segment, or moved. */
	if (error == -ENOSPC || error == -EPERM) {
		igt_assert_eq_u64(after.evicted_bytes, before.evicted_bytes);
		vsplit_query_segments(cs->fd, now);
		for (unsigned int i = 0; i < nr_segs; i++)
			igt_assert_eq_u64(now[i].resident, segs[i].resident);
	}
	if (known) {
		igt_assert_eq(__vsplit_ctx_query(cs->fd, &q1), 0);
		igt_assert(!memcmp(&q0, &q1, sizeof(q0)));
	}
	for (uint32_t i = 0; i < cs->nr_allocs; i++) {
		struct drm_vsplit_gem_info info;
		struct vsplit_bo *bo = cs->bos[i];

		if (!bo)
			continue;
		vsplit_bo_check(bo);
		vsplit_info(bo, &info);
		igt_assert_eq_u32(info.segment, cs->before[i].segment);
		igt_assert_eq_u64(info.offset, cs->before[i].offset);
	}
}

void vsplit_cs_check(const struct vsplit_cs *cs)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i])
			vsplit_bo_check(cs->bos[i]);
}

void vsplit_cs_ends_well(struct vsplit_cs *cs)
{
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	vsplit_cs_check(cs);
}

struct vsplit_record *vsplit_cs_run(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	struct vsplit_record *rec;

	vsplit_place_before(cs);
	vsplit_cs_submit_and_wait(cs, ctx, flags);
	rec = vsplit_record(cs->fd, ctx, cs->submission);
	igt_debug("%s\n", vsplit_record_text(rec, cs, 0x1000));
	igt_assert_eq(rec->info.num_portions, cs->portions);
	vsplit_cs_reference(cs, 0);
	vsplit_cs_check(cs);
	vsplit_record_check(rec, cs);
	return rec;
}
