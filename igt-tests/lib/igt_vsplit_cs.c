// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: DMA buffers, their reference
 * execution, submissions and records.
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <xf86drm.h>

static struct vsplit_cs *buffers;
static struct vsplit_record *records;

void vsplit_cs_cleanup(void);
void vsplit_cs_forget(int fd);

void vsplit_cs_cleanup(void)
{
	while (records)
		vsplit_record_free(records);
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
	cs->patches[cs->nr_patches++] = (struct drm_vsplit_patch) {
		.alloc = alloc,
		.slot = slot,
		.driver_id = cs->nr_patches,
		.alloc_offset = alloc_offset,
		.patch_offset = patch_offset,
		.split_offset = split,
	};
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
	bool known = !__vsplit_ctx_query(cs->fd, &q0);
	int ret;

	vsplit_place_before(cs);
	vsplit_query_statistics(cs->fd, &before);
	ret = __vsplit_cs_submit(cs, ctx, flags);
	igt_assert_f(ret == error, "submission gave %d (%s), expected %d (%s)\n",
		     ret, strerror(-ret), error, strerror(-error));
	vsplit_query_statistics(cs->fd, &after);
	igt_assert_eq_u64(after.submissions, before.submissions);
	igt_assert_eq_u64(after.portions, before.portions);
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
		if (error == -ENOSPC || error == -EPERM)
			continue;
		vsplit_info(bo, &info);
		igt_assert_eq_u32(info.segment, cs->before[i].segment);
		igt_assert_eq_u64(info.offset, cs->before[i].offset);
	}
}

/* ---- the reference ------------------------------------------------------ */

struct ref_row {
	struct vsplit_bo *bo;
	uint64_t offset;
};

struct ref {
	struct vsplit_cs *cs;
	struct ref_row *rows;
	uint32_t *patch_of;
	uint32_t state[VSPLIT_STATE_COUNT];
};

#define REF_SLOTS VSPLIT_MAX_SLOTS

/* Pointer to @length bytes that an operand at stream offset @at names. */
static uint8_t *ref_memory(struct ref *ref, uint32_t at, uint64_t length)
{
	struct vsplit_operand op;
	struct ref_row *row;
	uint64_t offset;

	memcpy(&op, ref->cs->stream + at, sizeof(op));
	igt_assert(op.slot < REF_SLOTS);
	row = &ref->rows[op.slot];
	igt_assert_f(row->bo, "reference: slot %u is empty at %#x\n", op.slot, at);
	if (op.flags & VSPLIT_OPERAND_ADDRESS) {
		uint32_t i = ref->patch_of[(at + offsetof(struct vsplit_operand, value)) / 8];
		const struct drm_vsplit_patch *patch = &ref->cs->patches[i - 1];

		igt_assert(i && ref->cs->bos[patch->alloc] == row->bo);
		offset = patch->alloc_offset;
		igt_assert(offset >= row->offset);
	} else {
		offset = row->offset + op.value;
	}
	igt_assert_f(offset <= row->bo->size && length <= row->bo->size - offset,
		     "reference: %#" PRIx64 "+%#" PRIx64 " is outside %c, at %#x\n",
		     offset, length, row->bo->name, at);
	return row->bo->shadow + offset;
}

static uint64_t ref_2d(uint32_t x, uint32_t y, uint32_t pitch, bool tiled)
{
	if (!tiled)
		return (uint64_t)y * pitch + x;
	return (uint64_t)(y / VSPLIT_TILE_HEIGHT) * (pitch / VSPLIT_TILE_WIDTH) * VSPLIT_TILE_BYTES +
	       x / VSPLIT_TILE_WIDTH * VSPLIT_TILE_BYTES +
	       y % VSPLIT_TILE_HEIGHT * VSPLIT_TILE_WIDTH + x % VSPLIT_TILE_WIDTH;
}

static void ref_copy_2d(struct ref *ref, uint32_t at)
{
	const struct vsplit_packet_copy_2d *p = (const void *)(ref->cs->stream + at);
	bool src_tiled = p->head.flags & VSPLIT_COPY_2D_SRC_TILED;
	bool dst_tiled = p->head.flags & VSPLIT_COPY_2D_DST_TILED;
	uint32_t src_pitch = ref->state[VSPLIT_STATE_SRC_PITCH];
	uint32_t dst_pitch = ref->state[VSPLIT_STATE_DST_PITCH];
	uint8_t *dst = ref_memory(ref, at + offsetof(struct vsplit_packet_copy_2d, dst), 0);
	uint8_t *src = ref_memory(ref, at + offsetof(struct vsplit_packet_copy_2d, src), 0);

	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			dst[ref_2d(x, y, dst_pitch, dst_tiled)] =
				src[ref_2d(x, y, src_pitch, src_tiled)];
}

static void ref_mma(struct ref *ref, uint32_t at)
{
	const struct vsplit_packet_mma *p = (const void *)(ref->cs->stream + at);
	uint8_t *c = ref_memory(ref, at + offsetof(struct vsplit_packet_mma, c), 0);
	const int8_t *a = (int8_t *)ref_memory(ref, at + offsetof(struct vsplit_packet_mma, a), 0);
	const int8_t *b = (int8_t *)ref_memory(ref, at + offsetof(struct vsplit_packet_mma, b), 0);
	uint32_t lda = ref->state[VSPLIT_STATE_LDA];
	uint32_t ldb = ref->state[VSPLIT_STATE_LDB];
	uint32_t ldc = ref->state[VSPLIT_STATE_LDC];

	for (uint32_t i = 0; i < p->m; i++) {
		for (uint32_t j = 0; j < p->n; j++) {
			uint8_t *to = c + (uint64_t)i * ldc + j * 4;
			uint32_t sum = 0;

			if (p->head.flags & VSPLIT_MMA_ACCUMULATE)
				memcpy(&sum, to, 4);
			for (uint32_t k = 0; k < p->k; k++)
				sum += a[(uint64_t)i * lda + k] * b[(uint64_t)k * ldb + j];
			memcpy(to, &sum, 4);
		}
	}
}

static void ref_packet(struct ref *ref, uint32_t at)
{
	const uint8_t *packet = ref->cs->stream + at;
	const struct vsplit_packet *head = (const void *)packet;

	switch (head->op) {
	case VSPLIT_OP_NOP:
	case VSPLIT_OP_SPIN:
		break;
	case VSPLIT_OP_STATE:
		ref->state[head->arg] = ((const struct vsplit_packet_state *)packet)->value;
		break;
	case VSPLIT_OP_BIND: {
		uint32_t i = ref->patch_of[(at + offsetof(struct vsplit_packet_bind, address)) / 8];
		const struct drm_vsplit_patch *patch = &ref->cs->patches[i - 1];

		igt_assert(i);
		ref->rows[head->arg].bo = ref->cs->bos[patch->alloc];
		ref->rows[head->arg].offset = patch->alloc_offset;
		break;
	}
	case VSPLIT_OP_FILL: {
		const struct vsplit_packet_fill *p = (const void *)packet;
		uint8_t *to = ref_memory(ref, at + offsetof(struct vsplit_packet_fill, dst), p->length);

		for (uint64_t i = 0; i < p->length; i++)
			to[i] = ref->state[VSPLIT_STATE_FILL] >> i % 4 * 8;
		break;
	}
	case VSPLIT_OP_COPY: {
		const struct vsplit_packet_copy *p = (const void *)packet;

		memmove(ref_memory(ref, at + offsetof(struct vsplit_packet_copy, dst), p->length),
			ref_memory(ref, at + offsetof(struct vsplit_packet_copy, src), p->length),
			p->length);
		break;
	}
	case VSPLIT_OP_COPY_2D:
		ref_copy_2d(ref, at);
		break;
	case VSPLIT_OP_MMA:
		ref_mma(ref, at);
		break;
	case VSPLIT_OP_ATOMIC_ADD:
	case VSPLIT_OP_STORE: {
		const struct vsplit_packet_store *p = (const void *)packet;
		uint8_t *to = ref_memory(ref, at + offsetof(struct vsplit_packet_store, dst), 8);
		uint64_t value = 0;

		if (head->op == VSPLIT_OP_ATOMIC_ADD)
			memcpy(&value, to, 8);
		value += p->value;
		memcpy(to, &value, 8);
		break;
	}
	case VSPLIT_OP_TIMESTAMP: {
		uint8_t *to = ref_memory(ref, at + offsetof(struct vsplit_packet_timestamp, dst), 8);

		/* nobody can know it: believe what is there */
		for (uint32_t i = 0; i < ref->cs->nr_allocs; i++) {
			struct vsplit_bo *bo = ref->cs->bos[i];

			if (bo && to >= bo->shadow && to < bo->shadow + bo->size)
				memcpy(to, bo->map + (to - bo->shadow), 8);
		}
		break;
	}
	default:
		igt_assert(!"an opcode that the reference knows");
	}
}

void vsplit_cs_reference(struct vsplit_cs *cs, uint32_t end)
{
	struct ref ref = { .cs = cs };
	uint32_t at = 0;

	ref.rows = calloc(REF_SLOTS, sizeof(*ref.rows));
	ref.patch_of = calloc(cs->bytes / 8 + 1, sizeof(*ref.patch_of));
	igt_assert(ref.rows && ref.patch_of);
	for (uint32_t i = 0; i < cs->nr_patches; i++)
		ref.patch_of[cs->patches[i].patch_offset / 8] = i + 1;
	if (!end)
		end = cs->bytes;
	while (at < end) {
		const struct vsplit_packet *head = (const void *)(cs->stream + at);

		ref_packet(&ref, at);
		at += head->size;
	}
	free(ref.rows);
	free(ref.patch_of);
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
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i])
			vsplit_bo_check(cs->bos[i]);
	vsplit_record_check(rec, cs);
	return rec;
}

/* ---- records ------------------------------------------------------------ */

int __vsplit_record(int fd, struct drm_vsplit_record *args)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, args);
}

struct vsplit_record *vsplit_record(int fd, uint32_t ctx, uint64_t submission)
{
	struct vsplit_record *rec = calloc(1, sizeof(*rec));
	struct drm_vsplit_record *info = &rec->info;
	int ret;

	igt_assert(rec);
	rec->next = records;
	records = rec;
	info->ctx = ctx;
	info->submission = submission;
	ret = __vsplit_record(fd, info);
	igt_assert_f(!ret, "record of submission %" PRIu64 ": %s\n", submission, strerror(-ret));
	rec->events = calloc(info->num_events + 1, sizeof(*rec->events));
	rec->rows = calloc(info->num_rows + 1, sizeof(*rec->rows));
	igt_assert(rec->events && rec->rows);
	info->events = (uintptr_t)rec->events;
	info->rows = (uintptr_t)rec->rows;
	ret = __vsplit_record(fd, info);
	igt_assert_eq(ret, 0);
	return rec;
}

void vsplit_record_free(struct vsplit_record *rec)
{
	struct vsplit_record **p = &records;

	while (*p != rec)
		p = &(*p)->next;
	*p = rec->next;
	free(rec->events);
	free(rec->rows);
	free(rec);
}

const struct drm_vsplit_event *vsplit_portion(const struct vsplit_record *rec, uint32_t index)
{
	for (uint32_t i = 0; i < rec->info.num_events; i++)
		if (rec->events[i].type == VSPLIT_EVENT_PORTION && rec->events[i].portion == index)
			return &rec->events[i];
	return NULL;
}

const struct drm_vsplit_event *vsplit_step(const struct vsplit_record *rec, uint32_t type,
					   const struct vsplit_bo *bo, uint32_t portion)
{
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (e->type == type && e->portion == portion && e->id == bo->id)
			return e;
	}
	return NULL;
}

unsigned int vsplit_count(const struct vsplit_record *rec, uint32_t type)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++)
		n += rec->events[i].type == type;
	return n;
}

unsigned int vsplit_count_bo(const struct vsplit_record *rec, const struct vsplit_bo *bo)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++)
		n += rec->events[i].type != VSPLIT_EVENT_PORTION && rec->events[i].id == bo->id;
	return n;
}

const struct drm_vsplit_row *vsplit_row(const struct vsplit_record *rec, uint32_t index,
					uint32_t slot)
{
	const struct drm_vsplit_event *p = vsplit_portion(rec, index);

	for (uint32_t i = 0; p && i < p->row_count; i++)
		if (rec->rows[p->row_first + i].slot == slot)
			return &rec->rows[p->row_first + i];
	return NULL;
}

static char text[65536];
static size_t text_len;

static void say(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text + text_len, sizeof(text) - text_len, format, ap);
	va_end(ap);
	text_len = min(text_len + (n > 0 ? n : 0), sizeof(text) - 1);
}

static void say_place(uint32_t segment, uint64_t at, uint64_t unit)
{
	say("@");
	if (segment != 1)
		say("s%u:", segment);
	if (at % unit)
		say("%#" PRIx64, at);
	else
		say("%" PRIu64, at / unit);
}

static char name_of(struct vsplit_cs *cs, uint32_t handle)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i] && cs->bos[i]->handle == handle)
			return cs->bos[i]->name;
	return '?';
}

static void say_event(const struct vsplit_record *rec, const struct drm_vsplit_event *e,
		      struct vsplit_cs *cs, uint64_t unit)
{
	static const char *const verbs[] = {
		[VSPLIT_EVENT_PAGE_IN] = "in",
		[VSPLIT_EVENT_EVICT] = "out",
		[VSPLIT_EVENT_MOVE] = "move",
		[VSPLIT_EVENT_MAP] = "map",
		[VSPLIT_EVENT_UNMAP] = "unmap",
	};

	if (e->type != VSPLIT_EVENT_PORTION) {
		say("%s ", e->type < ARRAY_SIZE(verbs) ? verbs[e->type] : "?");
		if (e->handle)
			say("%c", name_of(cs, e->handle));
		else
			say("#%" PRIu64, (uint64_t)e->id);
		if (e->type == VSPLIT_EVENT_MOVE) {
			say_place(e->from_segment, e->from, unit);
			say(">");
		}
		say_place(e->segment, e->at, unit);
		return;
	}
	say("[%x,%x) p[%u:%u] {", e->begin, e->end, e->patch_first,
	    e->patch_first + e->patch_count);
	for (uint32_t i = 0; i < e->row_count; i++) {
		const struct drm_vsplit_row *row = &rec->rows[e->row_first + i];

		say("%s%u:%c", i ? " " : "", row->slot, name_of(cs, row->handle));
		say_place(row->segment, row->offset, unit);
	}
	say("}%s", e->flags & VSPLIT_EVENT_SKIPPED ? " skipped" : "");
}

const char *vsplit_record_text(const struct vsplit_record *rec, struct vsplit_cs *cs, uint64_t unit)
{
	text_len = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		say("%s", i ? "; " : "");
		say_event(rec, &rec->events[i], cs, unit);
	}
	return text;
}

/* ---- invariants --------------------------------------------------------- */

void vsplit_place_before(struct vsplit_cs *cs)
{
	cs->before = realloc(cs->before, (cs->nr_allocs + 1) * sizeof(*cs->before));
	igt_assert(cs->before);
	memset(cs->before, 0, (cs->nr_allocs + 1) * sizeof(*cs->before));
	for (uint32_t i = 0; i < cs->nr_allocs; i++) {
		struct drm_vsplit_gem_info info;

		if (!cs->bos[i] || __vsplit_info(cs->fd, cs->bos[i]->handle, &info))
			continue;
		cs->before[i].segment = info.segment;
		cs->before[i].offset = info.offset;
	}
}

struct place {
	uint32_t segment;
	uint64_t offset;
	bool working;		/* in the working set of the portion that is looked at */
	bool worked;		/* … of the one before */
	bool kept;
};

struct check {
	const struct vsplit_record *rec;
	struct vsplit_cs *cs;
	struct place *places;
	uint32_t *table;	/* slot to allocation index + 1 */
	uint32_t nr_slots;
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	unsigned int nr_segs;
	uint32_t portion;
	uint32_t at;		/* end of the last portion */
	uint32_t entry;		/* next patch element */
	uint64_t last_end_ns;
	bool entered;
};

static char why[512];

#define wrong(...) (snprintf(why, sizeof(why), __VA_ARGS__), why)

static int index_of(struct vsplit_cs *cs, const struct drm_vsplit_event *e)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i] && cs->bos[i]->id == e->id)
			return i;
	return -1;
}

/* Before the paging steps of the next portion: who is kept, who comes. */
static void check_enter(struct check *c)
{
	struct vsplit_cs *cs = c->cs;
	uint32_t i, end = cs->nr_patches;

	c->entered = true;
	for (i = 0; i < cs->nr_allocs; i++) {
		c->places[i].worked = c->places[i].working;
		c->places[i].kept = false;
	}
	for (uint32_t slot = 0; slot < c->nr_slots; slot++) {
		bool named = false;

		if (!c->table[slot])
			continue;
		for (i = c->entry; i < end && cs->patches[i].split_offset == c->at; i++)
			named |= cs->patches[i].slot == slot;
		if (!named)
			c->places[c->table[slot] - 1].kept = true;
	}
	for (i = 0; i < cs->nr_allocs; i++)
		c->places[i].working = c->places[i].kept;
}

static const char *check_overlap(struct check *c, uint32_t i)
{
	const struct place *p = &c->places[i];
	const struct vsplit_bo *bo = c->cs->bos[i];
	uint64_t resident = 0;

	if (!p->segment || p->segment > c->nr_segs)
		return wrong("%c is in segment %u", bo->name, p->segment);
	if (p->offset + bo->size > c->segs[p->segment - 1].size)
		return wrong("%c sticks out of segment %u", bo->name, p->segment);
	for (uint32_t j = 0; j < c->cs->nr_allocs; j++) {
		const struct place *q = &c->places[j];

		if (!c->cs->bos[j] || q->segment != p->segment)
			continue;
		resident += c->cs->bos[j]->size;
		if (j == i)
			continue;
		if (p->offset < q->offset + c->cs->bos[j]->size && q->offset < p->offset + bo->size)
			return wrong("%c overlaps %c", bo->name, c->cs->bos[j]->name);
	}
	if (resident > c->segs[p->segment - 1].commit_limit)
		return wrong("commit limit of segment %u exceeded", p->segment);
	return NULL;
}

static const char *check_paging(struct check *c, const struct drm_vsplit_event *e)
{
	int i = index_of(c->cs, e);
	struct place *p;
	struct vsplit_bo *bo;
	bool aperture;

	if (e->portion != c->portion)
		return wrong("a step of portion %u stands before portion %u", e->portion, c->portion);
	if (e->flags & VSPLIT_EVENT_FOREIGN) {
		if (e->handle)
			return wrong("a foreign step has a handle");
		return i >= 0 ? wrong("a step of the list's own is called foreign") : NULL;
	}
	if (i < 0)
		return wrong("a step of an unknown allocation %" PRIu64, (uint64_t)e->id);
	p = &c->places[i];
	bo = c->cs->bos[i];
	if (e->handle != bo->handle || e->bytes != bo->size)
		return wrong("%c: a step with handle %u and %" PRIu64 " bytes", bo->name,
			     e->handle, (uint64_t)e->bytes);
	if (!e->segment || e->segment > c->nr_segs)
		return wrong("%c: a step with segment %u", bo->name, e->segment);
	aperture = c->segs[e->segment - 1].flags & VSPLIT_SEGMENT_APERTURE;
	if (p->kept)
		return wrong("%c is kept at %#x and yet there is a step", bo->name, c->at);
	if (p->worked && e->t0_ns && e->t0_ns < c->last_end_ns)
		return wrong("%c is taken away before portion %u ends", bo->name, c->portion - 1);
	if (e->copied && (e->copied != e->bytes || aperture))
		return wrong("%c: %" PRIu64 " bytes transferred", bo->name, (uint64_t)e->copied);

	switch (e->type) {
	case VSPLIT_EVENT_EVICT:
	case VSPLIT_EVENT_UNMAP:
		if (p->segment != e->segment || p->offset != e->at)
			return wrong("%c leaves from where it is not", bo->name);
		if (aperture != (e->type == VSPLIT_EVENT_UNMAP))
			return wrong("%c: wrong type of a step", bo->name);
		p->segment = 0;
		p->offset = 0;
		return NULL;
	case VSPLIT_EVENT_PAGE_IN:
	case VSPLIT_EVENT_MAP:
		if (p->segment)
			return wrong("%c enters though it is resident", bo->name);
		if (aperture != (e->type == VSPLIT_EVENT_MAP))
			return wrong("%c: wrong type of a step", bo->name);
		break;
	case VSPLIT_EVENT_MOVE:
		if (p->segment != e->from_segment || p->offset != e->from)
			return wrong("%c moves from where it is not", bo->name);
		if (e->copied != e->bytes)
			return wrong("%c moves without its bytes", bo->name);
		break;
	default:
		return wrong("a step of type %u", e->type);
	}
	p->segment = e->segment;
	p->offset = e->at;
	return check_overlap(c, i);
}

/*
 * Page-ins of a portion are in list order; a bounce (out and in) is exempt. The
 * group that did not fit may have members in front of the one that failed: these
 * were brought in before the portion was cut.
 */
static const char *check_order(struct check *c, uint32_t first, uint32_t event)
{
	uint32_t entry, last = first, end = c->entry;

	while (end < c->cs->nr_patches && c->entry < c->cs->nr_patches &&
	       c->cs->patches[end].split_offset == c->cs->patches[c->entry].split_offset)
		end++;

	for (uint32_t i = 0; i < event; i++) {
		const struct drm_vsplit_event *e = &c->rec->events[i];
		bool bounced = false;
		int a;

		if (e->portion != c->portion || e->flags & VSPLIT_EVENT_FOREIGN ||
		    (e->type != VSPLIT_EVENT_PAGE_IN && e->type != VSPLIT_EVENT_MAP))
			continue;
		a = index_of(c->cs, e);
		for (uint32_t j = 0; j < i; j++) {
			const struct drm_vsplit_event *f = &c->rec->events[j];

			bounced |= f->portion == e->portion && f->id == e->id &&
				   (f->type == VSPLIT_EVENT_EVICT || f->type == VSPLIT_EVENT_UNMAP);
		}
		if (bounced)
			continue;
		for (entry = first; entry < end; entry++)
			if (c->cs->patches[entry].alloc == (uint32_t)a)
				break;
		if (entry == end)
			return wrong("%c is paged in for portion %u and not named there",
				     c->cs->bos[a]->name, c->portion);
		if (entry < last)
			return wrong("%c is paged in out of order", c->cs->bos[a]->name);
		last = entry;
	}
	return NULL;
}

static const char *check_rows(struct check *c, const struct drm_vsplit_event *e)
{
	uint32_t n = 0;

	if ((uint64_t)e->row_first + e->row_count > c->rec->info.num_rows)
		return wrong("rows of portion %u are outside the record", c->portion);
	for (uint32_t slot = 0; slot < c->nr_slots; slot++)
		n += c->table[slot] != 0;
	if (n != e->row_count)
		return wrong("portion %u ends with %u rows, its table has %u", c->portion,
			     e->row_count, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct drm_vsplit_row *row = &c->rec->rows[e->row_first + i];
		uint32_t a;

		if (row->slot >= c->nr_slots || !c->table[row->slot])
			return wrong("portion %u: row %u should be empty", c->portion, row->slot);
		if (i && row->slot <= row[-1].slot)
			return wrong("portion %u: rows are not in order", c->portion);
		a = c->table[row->slot] - 1;
		if (row->handle != c->cs->bos[a]->handle)
			return wrong("portion %u: row %u holds another allocation", c->portion,
				     row->slot);
		if (row->segment != c->places[a].segment || row->offset != c->places[a].offset)
			return wrong("portion %u: row %u says another place", c->portion, row->slot);
	}
	return NULL;
}

static const char *check_portion(struct check *c, const struct drm_vsplit_event *e, uint32_t event)
{
	struct vsplit_cs *cs = c->cs;
	uint32_t first = c->entry;
	const char *ret;

	if (e->portion != c->portion)
		return wrong("portion %u stands where %u should", e->portion, c->portion);
	if (e->begin != c->at || e->end <= e->begin || e->end > cs->bytes)
		return wrong("portion %u is [%#x,%#x)", c->portion, e->begin, e->end);
	if (e->patch_first != first)
		return wrong("portion %u starts with entry %u, not %u", c->portion,
			     e->patch_first, first);
	while (c->entry < cs->nr_patches &&
	       (cs->patches[c->entry].split_offset < e->end || e->end == cs->bytes)) {
		const struct drm_vsplit_patch *patch = &cs->patches[c->entry];
		bool null = !cs->bos[patch->alloc];

		c->table[patch->slot] = null ? 0 : patch->alloc + 1;
		if (!null)
			c->places[patch->alloc].working = true;
		c->entry++;
	}
	if (e->patch_count != c->entry - first)
		return wrong("portion %u has %u entries, not %u", c->portion, e->patch_count,
			     c->entry - first);
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (c->places[i].working && !c->places[i].segment)
			return wrong("%c is not resident for portion %u", cs->bos[i]->name, c->portion);
	ret = check_order(c, first, event);
	if (ret)
		return ret;
	for (uint32_t i = 0; e->t0_ns && i < event; i++)
		if (c->rec->events[i].t1_ns > e->t0_ns)
			return wrong("portion %u began before an earlier step ended", c->portion);
	if (e->t1_ns < e->t0_ns)
		return wrong("portion %u ended before it began", c->portion);
	if (e->t1_ns)
		c->last_end_ns = e->t1_ns;
	ret = check_rows(c, e);
	c->at = e->end;
	c->portion++;
	c->entered = false;
	return ret;
}

static const char *check_all(struct check *c)
{
	const char *ret;

	for (uint32_t i = 0; i < c->rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &c->rec->events[i];

		if (!c->entered)
			check_enter(c);
		ret = e->type == VSPLIT_EVENT_PORTION ? check_portion(c, e, i) : check_paging(c, e);
		if (ret)
			return ret;
	}
	if (c->portion != c->rec->info.num_portions)
		return wrong("%u portions in the record, %u in its head", c->portion,
			     c->rec->info.num_portions);
	if (!c->rec->info.error && c->at != c->cs->bytes)
		return wrong("the portions end at %#x, the stream at %#x", c->at, c->cs->bytes);
	return NULL;
}

const char *__vsplit_record_check(const struct vsplit_record *rec, struct vsplit_cs *cs)
{
	struct check c = { .rec = rec, .cs = cs };
	struct drm_vsplit_adapter_info info;
	const char *ret;

	igt_assert(cs->before);
	vsplit_query_adapter(cs->fd, &info);
	c.nr_slots = info.num_slots;
	c.nr_segs = vsplit_query_segments(cs->fd, c.segs);
	c.places = calloc(cs->nr_allocs + 1, sizeof(*c.places));
	c.table = calloc(c.nr_slots + 1, sizeof(*c.table));
	igt_assert(c.places && c.table);
	for (uint32_t i = 0; i < cs->nr_allocs; i++) {
		if (!cs->bos[i])
			continue;
		c.places[i].segment = cs->before[i].segment;
		c.places[i].offset = cs->before[i].offset;
	}
	ret = check_all(&c);
	free(c.places);
	free(c.table);
	return ret;
}

void vsplit_record_check(const struct vsplit_record *rec, struct vsplit_cs *cs)
{
	const char *ret = __vsplit_record_check(rec, cs);

	igt_assert_f(!ret, "%s\nrecord: %s\n", ret, vsplit_record_text(rec, cs, 0x1000));
}
