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
		/* its syncobj goes with the file */
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

void vsplit_cs_free(struct vsplit_cs *cs)
{
	struct vsplit_cs **p = &buffers;

	while (*p != cs)
		p = &(*p)->next;
	*p = cs->next;
	if (cs->out)
		drmSyncobjDestroy(cs->fd, cs->out);
	free(cs->stream);
	free(cs->patches);
	free(cs->allocs);
	free(cs->bos);
	free(cs->before);
	free(cs);
}

void vsplit_cs_reset(struct vsplit_cs *cs)
{
	cs->bytes = 0;
	cs->nr_patches = 0;
	cs->nr_allocs = 0;
	cs->nr_syncs = 0;
	cs->split = 0;
	cs->in_group = false;
	cs->access = VSPLIT_ALLOC_WRITE;
}

static void *grow(void *array, uint32_t *room, uint32_t need, size_t element)
{
	if (need <= *room)
		return array;
	*room = max(need, *room * 2 + 64);
	array = realloc(array, *room * element);
	igt_assert(array);
	return array;
}

static uint32_t add_alloc(struct vsplit_cs *cs, struct vsplit_bo *bo, uint32_t flags)
{
	uint32_t room = cs->alloc_room;

	cs->allocs = grow(cs->allocs, &room, cs->nr_allocs + 1, sizeof(*cs->allocs));
	cs->bos = grow(cs->bos, &cs->alloc_room, cs->nr_allocs + 1, sizeof(*cs->bos));
	cs->allocs[cs->nr_allocs].handle = bo ? bo->handle : 0;
	cs->allocs[cs->nr_allocs].flags = flags;
	cs->bos[cs->nr_allocs] = bo;
	return cs->nr_allocs++;
}

uint32_t vsplit_cs_alloc(struct vsplit_cs *cs, struct vsplit_bo *bo, uint32_t flags)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i] == bo)
			return i;
	return add_alloc(cs, bo, flags);
}

uint32_t vsplit_cs_null(struct vsplit_cs *cs)
{
	return vsplit_cs_alloc(cs, NULL, 0);
}

uint32_t vsplit_cs_packet(struct vsplit_cs *cs, const void *packet, uint32_t size)
{
	uint32_t at = cs->bytes;

	cs->stream = grow(cs->stream, &cs->stream_room, at + size, 1);
	if (packet)
		memcpy(cs->stream + at, packet, size);
	else
		memset(cs->stream + at, 0, size);
	cs->bytes += size;
	cs->in_group = false;
	return at;
}

void vsplit_cs_patch(struct vsplit_cs *cs, uint32_t alloc, uint32_t slot,
		     uint32_t alloc_offset, uint32_t patch_offset, uint32_t split)
{
	cs->patches = grow(cs->patches, &cs->patch_room, cs->nr_patches + 1, sizeof(*cs->patches));
	cs->patches[cs->nr_patches] = (struct drm_vsplit_patch) {
		.alloc = alloc,
		.slot = slot,
		.driver_id = cs->nr_patches + 1,
		.alloc_offset = alloc_offset,
		.patch_offset = patch_offset,
		.split_offset = split,
	};
	cs->nr_patches++;
}

static void bind(struct vsplit_cs *cs, uint32_t slot, uint32_t alloc, uint32_t alloc_offset)
{
	struct vsplit_packet_bind p = {
		.head = { .op = VSPLIT_OP_BIND, .size = sizeof(p), .arg = slot },
	};
	uint32_t at;

	if (!cs->in_group)
		cs->split = cs->bytes;
	at = vsplit_cs_packet(cs, &p, sizeof(p));
	cs->in_group = true;
	vsplit_cs_patch(cs, alloc, slot, alloc_offset,
			at + offsetof(struct vsplit_packet_bind, address), cs->split);
}

void vsplit_cs_bind_at(struct vsplit_cs *cs, uint32_t slot, struct vsplit_bo *bo,
		       uint32_t alloc_offset)
{
	bind(cs, slot, vsplit_cs_alloc(cs, bo, cs->access), alloc_offset);
}

void vsplit_cs_bind(struct vsplit_cs *cs, uint32_t slot, struct vsplit_bo *bo)
{
	vsplit_cs_bind_at(cs, slot, bo, 0);
}

void vsplit_cs_unbind(struct vsplit_cs *cs, uint32_t slot)
{
	bind(cs, slot, vsplit_cs_null(cs), 0);
}

void vsplit_cs_group(struct vsplit_cs *cs)
{
	cs->in_group = false;
}

void vsplit_cs_nop(struct vsplit_cs *cs, uint32_t size)
{
	struct vsplit_packet p = { .op = VSPLIT_OP_NOP, .size = size };
	uint32_t at = vsplit_cs_packet(cs, NULL, size);

	memcpy(cs->stream + at, &p, sizeof(p));
}

void vsplit_cs_pad(struct vsplit_cs *cs, uint32_t to)
{
	igt_assert(to >= cs->bytes && to % 8 == 0);
	while (cs->bytes < to)
		vsplit_cs_nop(cs, min(to - cs->bytes, VSPLIT_PACKET_MAX_BYTES));
}

void vsplit_cs_state(struct vsplit_cs *cs, uint32_t reg, uint64_t value)
{
	struct vsplit_packet_state p = {
		.head = { .op = VSPLIT_OP_STATE, .size = sizeof(p), .arg = reg },
		.value = value,
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

static struct vsplit_operand operand(uint32_t slot, uint64_t offset)
{
	return (struct vsplit_operand) { .slot = slot, .value = offset };
}

void vsplit_cs_fill(struct vsplit_cs *cs, uint32_t slot, uint64_t offset, uint64_t length)
{
	struct vsplit_packet_fill p = {
		.head = { .op = VSPLIT_OP_FILL, .size = sizeof(p) },
		.dst = operand(slot, offset),
		.length = length,
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

void vsplit_cs_set(struct vsplit_cs *cs, uint32_t slot, uint64_t offset, uint64_t length,
		   uint32_t pattern)
{
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, pattern);
	vsplit_cs_fill(cs, slot, offset, length);
}

void vsplit_cs_copy(struct vsplit_cs *cs, uint32_t dst, uint64_t dst_offset, uint32_t src,
		    uint64_t src_offset, uint64_t length)
{
	struct vsplit_packet_copy p = {
		.head = { .op = VSPLIT_OP_COPY, .size = sizeof(p) },
		.dst = operand(dst, dst_offset),
		.src = operand(src, src_offset),
		.length = length,
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

void vsplit_cs_copy_2d(struct vsplit_cs *cs, uint32_t dst, uint64_t dst_offset, uint32_t src,
		       uint64_t src_offset, uint32_t width, uint32_t height, uint32_t flags)
{
	struct vsplit_packet_copy_2d p = {
		.head = { .op = VSPLIT_OP_COPY_2D, .flags = flags, .size = sizeof(p) },
		.dst = operand(dst, dst_offset),
		.src = operand(src, src_offset),
		.width = width,
		.height = height,
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

void vsplit_cs_mma(struct vsplit_cs *cs, uint32_t flags, uint32_t c, uint64_t c_offset,
		   uint32_t a, uint64_t a_offset, uint32_t b, uint64_t b_offset,
		   uint32_t m, uint32_t n, uint32_t k)
{
	struct vsplit_packet_mma p = {
		.head = { .op = VSPLIT_OP_MMA, .flags = flags, .size = sizeof(p) },
		.c = operand(c, c_offset),
		.a = operand(a, a_offset),
		.b = operand(b, b_offset),
		.m = m,
		.n = n,
		.k = k,
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

static void store(struct vsplit_cs *cs, uint8_t op, uint32_t slot, uint64_t offset, uint64_t value)
{
	struct vsplit_packet_store p = {
		.head = { .op = op, .size = sizeof(p) },
		.dst = operand(slot, offset),
		.value = value,
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

void vsplit_cs_add(struct vsplit_cs *cs, uint32_t slot, uint64_t offset, uint64_t value)
{
	store(cs, VSPLIT_OP_ATOMIC_ADD, slot, offset, value);
}

void vsplit_cs_store(struct vsplit_cs *cs, uint32_t slot, uint64_t offset, uint64_t value)
{
	store(cs, VSPLIT_OP_STORE, slot, offset, value);
}

void vsplit_cs_timestamp(struct vsplit_cs *cs, uint32_t slot, uint64_t offset)
{
	struct vsplit_packet_timestamp p = {
		.head = { .op = VSPLIT_OP_TIMESTAMP, .size = sizeof(p) },
		.dst = operand(slot, offset),
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
}

void vsplit_cs_spin(struct vsplit_cs *cs, uint32_t us)
{
	struct vsplit_packet_spin p = {
		.head = { .op = VSPLIT_OP_SPIN, .size = sizeof(p), .arg = us },
	};

	vsplit_cs_packet(cs, &p, sizeof(p));
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
		/* What failed may have moved allocations by jobs of their own. */
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
		/* returns at once if this one was never submitted */
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

void vsplit_cs_wait(struct vsplit_cs *cs)
{
	int ret = __vsplit_cs_wait(cs);

	igt_assert_f(!ret, "fence of submission %" PRIu64 ": %s\n", cs->submission, strerror(-ret));
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
	/* no allocation of any client has left, or gone elsewhere */
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

struct vsplit_record *vsplit_cs_run(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags)
{
	struct vsplit_record *rec;

	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, flags);
	vsplit_cs_wait(cs);
	rec = vsplit_record(cs->fd, ctx, cs->submission);
	igt_debug("%s\n", vsplit_record_text(rec, cs, 0x1000));
	igt_assert_eq(rec->info.num_portions, cs->portions);
	vsplit_cs_reference(cs, 0);
	vsplit_cs_check(cs);
	vsplit_record_check(rec, cs);
	return rec;
}
