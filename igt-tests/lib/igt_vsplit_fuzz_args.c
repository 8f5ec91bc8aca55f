// SPDX-License-Identifier: MIT
/*
 * Arguments of the driver's ioctls, from a seed and the table of the interface. In a clean step
 * they are valid; in any other step some of them are at an edge now and then.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"
#include "igt_vsplit_fuzz_play.h"

#define U 4096ull

__thread bool vsplit_fuzz_clean;

static pthread_mutex_t things_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t vsplit_fuzz_wild(struct vsplit_rng *rng)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 7, 8, 15, 16, 255, 256, 4095, 4096, 4097, 65535, 65536, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff, 0xffff888000000000,
	};
	uint64_t n = numbers[vsplit_rng_below(rng, ARRAY_SIZE(numbers))];

	switch (vsplit_rng_below(rng, 4)) {
	case 0:
		return 1ull << vsplit_rng_below(rng, 64);
	case 1:
		return vsplit_rng_next(rng) >> vsplit_rng_below(rng, 64);
	default:
		return n;
	}
}

bool vsplit_fuzz_odd(struct vsplit_rng *rng)
{
	return !vsplit_fuzz_clean && vsplit_fuzz_dice(rng, 24);
}

void vsplit_fuzz_add(struct vsplit_fuzz_things *t, uint32_t id, uint64_t size,
		     struct vsplit_rng *rng)
{
	unsigned int at;

	pthread_mutex_lock(&things_lock);
	at = t->nr < VSPLIT_FUZZ_THINGS ? t->nr++ : vsplit_rng_below(rng, VSPLIT_FUZZ_THINGS);
	t->id[at] = id;
	t->size[at] = size;
	pthread_mutex_unlock(&things_lock);
}

void vsplit_fuzz_remove(struct vsplit_fuzz_things *t, uint32_t id)
{
	pthread_mutex_lock(&things_lock);
	for (unsigned int i = 0; i < t->nr; i++) {
		if (t->id[i] != id)
			continue;
		t->nr--;
		t->id[i] = t->id[t->nr];
		t->size[i] = t->size[t->nr];
		break;
	}
	pthread_mutex_unlock(&things_lock);
}

void vsplit_fuzz_add_file(struct vsplit_fuzz_client *c, int file)
{
	if (file < 0)
		return;
	pthread_mutex_lock(&things_lock);
	if (c->nr_files < ARRAY_SIZE(c->files)) {
		c->files[c->nr_files++] = file;
		file = -1;
	}
	pthread_mutex_unlock(&things_lock);
	if (file >= 0)
		close(file);
}

/* An open file of either client, or -1. */
static int any_file(struct vsplit_rng *rng)
{
	const struct vsplit_fuzz_client *c = &vsplit_fuzz_clients[vsplit_rng_below(rng, 2)];
	int file = -1;

	pthread_mutex_lock(&things_lock);
	if (c->nr_files)
		file = c->files[vsplit_rng_below(rng, c->nr_files)];
	pthread_mutex_unlock(&things_lock);
	return file;
}

uint32_t vsplit_fuzz_one(const struct vsplit_fuzz_things *t, struct vsplit_rng *rng,
			 uint64_t *size)
{
	unsigned int at;

	if (size)
		*size = U;
	if (!t->nr || vsplit_fuzz_odd(rng))
		return vsplit_rng_below(rng, 8) ? vsplit_rng_below(rng, 12) : vsplit_fuzz_wild(rng);
	at = vsplit_rng_below(rng, t->nr);
	if (size)
		*size = t->size[at];
	return t->id[at];
}

/* ---- arguments ---------------------------------------------------------- */

static void make_syncs(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
		       struct vsplit_rng *rng)
{
	a->nr_syncs = vsplit_rng_below(rng, 4);
	for (unsigned int i = 0; i < a->nr_syncs; i++) {
		struct drm_vsplit_sync *s = &a->syncs[i];

		s->handle = vsplit_fuzz_one(&c->syncobjs, rng, NULL);
		s->flags = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : vsplit_rng_below(rng, 8) ?
			   VSPLIT_SYNC_SIGNAL | vsplit_rng_below(rng, 4) : vsplit_rng_below(rng, 4);
		if (s->flags & VSPLIT_SYNC_TIMELINE)
			s->point = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : ++c->point;
	}
}

/* Uses a random sequence of its own, so that the values drawn after it stay the same. */
static void create_more(struct drm_vsplit_gem_create *args, uint64_t state)
{
	struct vsplit_rng rng = { state };

	if (args->num_segments && dice(&rng, 4))
		args->segments[below(&rng, args->num_segments)] |= VSPLIT_GEM_SEGMENT_TOPDOWN;
	if ((args->flags & (VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_PINNED)) || !dice(&rng, 3))
		return;
	for (unsigned int i = 0; vsplit_fuzz_ad->opts.segs[i].name; i++)
		if (vsplit_fuzz_ad->opts.segs[i].aperture)
			args->eviction_set |= 1u << i;
	if (!dice(&rng, 4) || play_memory() < 0)
		return;
	*args = (struct drm_vsplit_gem_create) {
		.size = args->size, .priority = args->priority, .flags = VSPLIT_GEM_RUNS,
		.num_segments = 1, .segments = { play_memory() + 1 },
	};
}

void vsplit_fuzz_create_args(struct drm_vsplit_gem_create *args, struct vsplit_rng *rng)
{
	static const uint32_t priorities[] = {
		0, VSPLIT_PRIORITY_MIN, VSPLIT_PRIORITY_LOW, VSPLIT_PRIORITY_NORMAL,
		VSPLIT_PRIORITY_HIGH, VSPLIT_PRIORITY_MAX,
	};
	unsigned int segments = 0;

	while (vsplit_fuzz_ad->opts.segs[segments].name)
		segments++;
	memset(args, 0, sizeof(*args));
	args->size = (1 + vsplit_rng_below(rng, vsplit_fuzz_dice(rng, 4) ? 12 : 4)) * U;
	if (vsplit_fuzz_dice(rng, 8))
		args->size -= vsplit_rng_below(rng, U);
	if (vsplit_fuzz_dice(rng, 5))
		args->alignment = U << vsplit_rng_below(rng, 3);
	if (vsplit_fuzz_dice(rng, 6))
		args->flags |= VSPLIT_GEM_TOPDOWN;
	if (vsplit_fuzz_dice(rng, 4))
		args->flags |= VSPLIT_GEM_CPU_ACCESS;
	if (vsplit_fuzz_dice(rng, 24))
		args->flags |= VSPLIT_GEM_PINNED;
	else if (vsplit_fuzz_dice(rng, vsplit_fuzz_ad->opts.segs[0].ranges ? 2 : 8))
		args->flags |= VSPLIT_GEM_SWIZZLED;
	if (args->flags & VSPLIT_GEM_SWIZZLED)
		args->pitch = VSPLIT_TILE_WIDTH * (1 + vsplit_rng_below(rng, 2));
	args->priority = priorities[vsplit_rng_below(rng, ARRAY_SIZE(priorities))];
	if (segments && vsplit_fuzz_dice(rng, 3)) {
		args->num_segments = 1 + vsplit_rng_below(rng, segments > 1 ? 2 : 1);
		for (unsigned int i = 0; i < args->num_segments; i++)
			args->segments[i] = 1 + (args->segments[0] + vsplit_rng_below(rng, segments > 1 ? segments - 1 : 1)) %
					    segments;
		if (args->num_segments > 1 && vsplit_fuzz_dice(rng, 3))
			args->segments[0] |= VSPLIT_GEM_SEGMENT_READ_ONLY;
	}
	create_more(args, ~rng->state);
}

static void make_surface(struct vsplit_fuzz_arrays *a, struct vsplit_rng *rng)
{
	for (unsigned int i = 0; i < 2; i++) {
		a->private[i].format = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) :
				       vsplit_rng_below(rng, 2);
		vsplit_fuzz_create_args(&a->surface[i].create, rng);
		if (a->private[i].format) {
			a->surface[i].create.flags &= ~(VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS);
			a->surface[i].create.pitch = 0;
		}
		a->surface[i].private_data = (uintptr_t)&a->private[i];
		a->surface[i].private_bytes = vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) :
					      sizeof(a->private[i]);
	}
}

static void *array_of(struct vsplit_fuzz_arrays *a, const struct vsplit_field *f,
		      struct vsplit_rng *rng)
{
	if (f->out)
		return a->out + vsplit_rng_below(rng, 64) * 8;
	if (f->array == &vsplit_array_allocs)
		return a->allocs;
	if (f->array == &vsplit_array_patches)
		return a->patches;
	if (f->array == &vsplit_array_syncs)
		return a->syncs;
	if (f->array == &vsplit_array_surface)
		return a->surface;
	if (f->array == &vsplit_array_handles)
		return a->handles;
	if (f->array == &vsplit_array_va_ops)
		return a->va_ops;
	return a->stream;
}

static uint64_t count_of(const struct vsplit_fuzz_arrays *a, const struct vsplit_field *f,
			 struct vsplit_rng *rng)
{
	if (!strcmp(f->name, "stream_bytes"))
		return a->bytes;
	if (!strcmp(f->name, "num_allocs"))
		return a->bytes ? a->nr_allocs : 1 + vsplit_rng_below(rng, 2);
	if (!strcmp(f->name, "num_patches"))
		return a->nr_patches;
	if (!strcmp(f->name, "num_syncs"))
		return a->nr_syncs;
	if (!strcmp(f->name, "num_ops"))
		return 1 + vsplit_rng_below(rng, 8);
	if (!strcmp(f->name, "num_handles"))
		return 1 + vsplit_rng_below(rng, 4);
	return vsplit_rng_below(rng, vsplit_fuzz_dice(rng, 3) ? 600 : 60);
}

static void fill_field(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
		       struct vsplit_rng *rng, void *buf, const struct vsplit_field *f)
{
	uint64_t value = 0;

	switch (f->kind) {
	case VSPLIT_FIELD_FLAGS:
		/* Mostly one valid flag, sometimes several. */
		value = vsplit_rng_below(rng, 3) ? 0 : vsplit_rng_next(rng) & f->max;
		if (vsplit_fuzz_dice(rng, 2))
			value &= vsplit_rng_next(rng) & vsplit_rng_next(rng);
		break;
	case VSPLIT_FIELD_ENUM:
		value = vsplit_rng_below(rng, f->max + 1);
		break;
	case VSPLIT_FIELD_VALUE:
		value = vsplit_rng_below(rng, 3) ? 0 : vsplit_rng_below(rng, 4);
		if (f->max > 1000 && vsplit_rng_below(rng, 2))
			value = f->max - vsplit_rng_below(rng, 0x60000000);
		else if (f->size == 8 && vsplit_fuzz_dice(rng, 3))
			value = vsplit_rng_below(rng, 12 * U);
		break;
	case VSPLIT_FIELD_BO:
		value = vsplit_fuzz_one(&c->bos, rng, NULL);
		break;
	case VSPLIT_FIELD_CTX:
		value = vsplit_fuzz_one(&c->ctxs, rng, NULL);
		break;
	case VSPLIT_FIELD_SYNCOBJ:
		value = vsplit_fuzz_one(&c->syncobjs, rng, NULL);
		break;
	case VSPLIT_FIELD_FENCE:
		value = vsplit_fuzz_one(&c->fences, rng, NULL);
		break;
	case VSPLIT_FIELD_SUBMISSION:
		value = 1 + vsplit_rng_below(rng, 6);
		break;
	case VSPLIT_FIELD_BYTES:
		for (unsigned int i = 0; i < f->size; i++)
			((uint8_t *)buf)[f->offset + i] = vsplit_rng_below(rng, 24) ? 0 :
							  vsplit_rng_below(rng, 4);
		return;
	case VSPLIT_FIELD_POINTER:
		value = (uintptr_t)array_of(a, f, rng);
		break;
	case VSPLIT_FIELD_COUNT:
		value = count_of(a, f, rng);
		break;
	default:
		break;
	}
	if (!vsplit_fuzz_clean && vsplit_fuzz_dice(rng, 40))
		value = vsplit_fuzz_wild(rng);
	memcpy((uint8_t *)buf + f->offset, &value, f->size);
}

static void limit_create(struct drm_vsplit_gem_create *create)
{
	/* Do not take all of the host's memory. */
	if (create->size > 1ull << 24 && create->size < 1ull << 40)
		create->size = 1ull << 40;
}

/* Limit the wait: the value may never be reached. */
static void limit_wait(__s64 *timeout_ns)
{
	int64_t soon = vsplit_now_ns() + 1000000;

	if (*timeout_ns > soon)
		*timeout_ns = soon;
}

static void escape_args(struct drm_vsplit_escape *args, struct vsplit_rng *rng)
{
	if (!vsplit_fuzz_clean)
		return;
	if (args->op == VSPLIT_ESCAPE_EVICT || args->op == VSPLIT_ESCAPE_PAGE_IN)
		args->value = args->op == VSPLIT_ESCAPE_PAGE_IN ? vsplit_rng_below(rng, 4) : 0;
	else
		args->handle = 0;
	if (args->op == VSPLIT_ESCAPE_SUSPEND || args->op == VSPLIT_ESCAPE_RESUME)
		args->value = vsplit_rng_below(rng, 3);
	else if (args->op == VSPLIT_ESCAPE_EVICT_ALL || args->op == VSPLIT_ESCAPE_PERIOD)
		args->value = 0;
	else if (args->op == VSPLIT_ESCAPE_TRIM)
		args->value |= 1;
}

static void take_results(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
			 unsigned int nr, void *buf, struct vsplit_rng *rng)
{
	const struct drm_vsplit_gem_surface *surface = buf;
	struct drm_vsplit_gem_create *create = buf;

	switch (nr) {
	case DRM_VSPLIT_GEM_CREATE:
		vsplit_fuzz_add(&c->bos, create->handle, create->size, rng);
		break;
	case DRM_VSPLIT_CTX_CREATE:
		vsplit_fuzz_add(&c->ctxs, ((struct drm_vsplit_ctx_create *)buf)->ctx, 0, rng);
		break;
	case DRM_VSPLIT_FENCE_CREATE:
		vsplit_fuzz_add(&c->fences, ((struct drm_vsplit_fence_create *)buf)->handle, 0, rng);
		break;
	case DRM_VSPLIT_FENCE_EXPORT:
		vsplit_fuzz_add_file(c, ((struct drm_vsplit_fence_export *)buf)->fd);
		break;
	case DRM_VSPLIT_FENCE_IMPORT:
		vsplit_fuzz_add(&c->fences, ((struct drm_vsplit_fence_import *)buf)->handle, 0, rng);
		break;
	case DRM_VSPLIT_FENCE_DESTROY:
		vsplit_fuzz_remove(&c->fences, ((struct drm_vsplit_fence_destroy *)buf)->handle);
		break;
	case DRM_VSPLIT_GEM_SURFACE:
		for (unsigned int i = 0; i < 2; i++)
			if (surface->handles[i])
				vsplit_fuzz_add(&c->bos, surface->handles[i],
						a->surface[i].create.size, rng);
		break;
	}
}

/*
 * A stopped engine goes on soon; meanwhile others submit. This thread does nothing in between,
 * because it might wait for the engine, and thus for itself.
 */
static void resume_soon(struct vsplit_fuzz_client *c, const struct drm_vsplit_escape *suspend,
			struct vsplit_rng *rng)
{
	struct drm_vsplit_escape resume = { .op = VSPLIT_ESCAPE_RESUME, .value = suspend->value };

	usleep(500 + vsplit_rng_below(rng, 3000));
	while (ioctl(c->fd, DRM_IOCTL_VSPLIT_ESCAPE, &resume) && errno != ENODEV && errno != EBADF)
		;
}

/* Ranges that overlap, of a few pages to a few large ones. */
static void make_va_ops(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
			struct vsplit_rng *rng)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(a->va_ops); i++) {
		struct drm_vsplit_va_op *op = &a->va_ops[i];

		op->type = below(rng, VSPLIT_VA_SPARSE + 1);
		op->address = (uint64_t)below(rng, 2048) << 12;
		op->bytes = (1ull + below(rng, op->type == VSPLIT_VA_MAP ? 4 : 1024)) << 12;
		if (op->type != VSPLIT_VA_MAP)
			continue;
		op->flags = below(rng, 2) ? VSPLIT_VA_OP_READ_ONLY : 0;
		op->handle = vsplit_fuzz_one(&c->bos, rng, NULL);
	}
}

/* A valid element of an array, in which one field shall be made wrong. */
static void *wrong_element(struct vsplit_fuzz_arrays *a, const struct vsplit_array *array,
			   struct vsplit_rng *rng)
{
	if (array == &vsplit_array_allocs && a->nr_allocs)
		return &a->allocs[below(rng, a->nr_allocs)];
	if (array == &vsplit_array_patches && a->nr_patches)
		return &a->patches[below(rng, a->nr_patches)];
	if (array == &vsplit_array_syncs && a->nr_syncs)
		return &a->syncs[below(rng, a->nr_syncs)];
	if (array == &vsplit_array_va_ops)
		return &a->va_ops[below(rng, ARRAY_SIZE(a->va_ops))];
	return NULL;
}

static void wrong_field(void *buf, const struct vsplit_field *f, struct vsplit_rng *rng)
{
	uint64_t value = 0;

	memcpy(&value, (uint8_t *)buf + f->offset, f->size < 8 ? f->size : 8);
	switch (f->kind) {
	case VSPLIT_FIELD_PAD:
		value = 1ull << below(rng, 8 * f->size);
		break;
	case VSPLIT_FIELD_FLAGS:
		value = dice(rng, 3) ? f->max : value | (f->max + 1) << below(rng, 4);
		break;
	case VSPLIT_FIELD_ENUM:
		value = f->max + 1 + below(rng, 3);
		break;
	case VSPLIT_FIELD_POINTER:
		value = dice(rng, 2) ? 0 : 0xffff888000000000;
		break;
	default:
		value = dice(rng, 4) ? 0 : dice(rng, 3) ? value + 1 : dice(rng, 2) ? value - 1 :
			vsplit_fuzz_wild(rng);
	}
	memcpy((uint8_t *)buf + f->offset, &value, f->size < 8 ? f->size : 8);
}

/* Make one field wrong, chosen among all fields of the call and its arrays. */
static void make_wrong(struct vsplit_fuzz_arrays *a, const struct vsplit_call *call, void *buf,
		       struct vsplit_rng *rng)
{
	const struct vsplit_field *fields = call->fields, *f;
	void *in = buf, *element;
	unsigned int nr = 0;

	while (fields[nr].kind != VSPLIT_FIELD_END)
		nr++;
	f = &fields[below(rng, nr)];
	if (f->kind == VSPLIT_FIELD_POINTER && f->array->fields && !dice(rng, 3)) {
		element = wrong_element(a, f->array, rng);
		if (element) {
			for (nr = 0, in = element; f->array->fields[nr].kind != VSPLIT_FIELD_END; )
				nr++;
			f = &f->array->fields[below(rng, nr)];
		}
	}
	wrong_field(in, f, rng);
}

static int driver_call(struct vsplit_fuzz_client *c, unsigned int nr, bool wrong,
		       struct vsplit_rng *rng)
{
	const struct vsplit_call *call = &vsplit_calls[nr];
	struct vsplit_fuzz_arrays *a = vsplit_fuzz_arrays();
	uint8_t buf[256] = {};
	int ret;

	if (nr == DRM_VSPLIT_SUBMIT) {
		vsplit_fuzz_stream(c, a, rng);
		make_syncs(c, a, rng);
	}
	if (nr == DRM_VSPLIT_GEM_SURFACE)
		make_surface(a, rng);
	if (nr == DRM_VSPLIT_MAKE_RESIDENT || nr == DRM_VSPLIT_EVICT ||
	    nr == DRM_VSPLIT_OFFER || nr == DRM_VSPLIT_RECLAIM)
		for (unsigned int i = 0; i < 4; i++)
			a->handles[i] = vsplit_fuzz_one(&c->bos, rng, NULL);
	if (nr == DRM_VSPLIT_VA_BIND)
		make_va_ops(c, a, rng);
	for (const struct vsplit_field *f = call->fields; f->kind != VSPLIT_FIELD_END; f++)
		fill_field(c, a, rng, buf, f);
	if (nr == DRM_VSPLIT_GEM_CREATE) {
		if (vsplit_fuzz_clean || vsplit_fuzz_dice(rng, 2))
			vsplit_fuzz_create_args((void *)buf, rng);
		limit_create((void *)buf);
	}
	if (nr == DRM_VSPLIT_FENCE_IMPORT)
		((struct drm_vsplit_fence_import *)buf)->fd = any_file(rng);
	if (nr == DRM_VSPLIT_ESCAPE)
		escape_args((void *)buf, rng);
	if (wrong) {
		make_wrong(a, call, buf, rng);
		if (nr == DRM_VSPLIT_GEM_CREATE)
			limit_create((void *)buf);
	}
	if (nr == DRM_VSPLIT_FENCE_WAIT)
		limit_wait(&((struct drm_vsplit_fence_wait *)buf)->timeout_ns);
	if (nr == DRM_VSPLIT_HWQ_WAIT)
		limit_wait(&((struct drm_vsplit_hwq_wait *)buf)->timeout_ns);
	ret = ioctl(c->fd, call->request, buf) ? -errno : 0;
	if (!ret)
		take_results(c, a, nr, buf, rng);
	if (!ret && nr == DRM_VSPLIT_ESCAPE &&
	    ((struct drm_vsplit_escape *)buf)->op == VSPLIT_ESCAPE_SUSPEND)
		resume_soon(c, (void *)buf, rng);
	free(a);
	return ret;
}

int vsplit_fuzz_driver(struct vsplit_fuzz_client *c, unsigned int nr, struct vsplit_rng *rng)
{
	return driver_call(c, nr, false, rng);
}

/* Patch elements at the edges of the stream and of their groups. */
static int wrong_patches(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	static const struct { uint32_t alloc, slot, patch, split; } patches[] = {
		{ 1, 0, 24, 24 }, { 0, 0, 24, 24 }, { 1, 0, 32, 24 }, { 0, 0, 8, 16 }, { 0, 0, 8, 4 },
		{ 0, 0, 8, 32 }, { 0, 0, 4, 0 }, { 0, 0, 0, 0 }, { 0, 1, 8, 0 }, { 0, 1u << 24, 8, 0 },
		{ 0, 4095, 8, 0 }, { 2, 0, 8, 0 }, { 0, 0, ~0u, 0 }, { 0, 0, 8, 8 }, { 1, 0, 8, 0 },
	};
	struct drm_vsplit_alloc allocs[2] = { { vsplit_fuzz_one(&c->bos, rng, NULL), 0 } };
	struct vsplit_packet_bind bind = { { VSPLIT_OP_BIND, 0, sizeof(bind), 0 }, 0, 0 };
	int ret = 0;

	for (unsigned int i = 0; i <= 2 * ARRAY_SIZE(patches); i++) {
		struct drm_vsplit_patch list[2] = { { .patch_offset = 8 } }, *p = &list[i % 2];
		struct drm_vsplit_submit args = {
			.ctx = vsplit_fuzz_one(&c->ctxs, rng, NULL),
			.stream = (uintptr_t)&bind, .stream_bytes = sizeof(bind),
			.allocs = (uintptr_t)allocs, .num_allocs = 2,
			.patches = (uintptr_t)list, .num_patches = 1 + i % 2,
		};

		/* Each element alone, then behind a valid one; once without any element. */
		p->alloc = patches[i / 2 % ARRAY_SIZE(patches)].alloc;
		p->slot = patches[i / 2 % ARRAY_SIZE(patches)].slot;
		p->patch_offset = patches[i / 2 % ARRAY_SIZE(patches)].patch;
		p->split_offset = patches[i / 2 % ARRAY_SIZE(patches)].split;
		if (i == 2 * ARRAY_SIZE(patches))
			args.num_patches = 0;
		ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args) ? -errno : 0;
	}
	return ret;
}

/* Allocations with invalid arguments. */
static int wrong_creates(struct vsplit_fuzz_client *c)
{
	static const struct drm_vsplit_gem_create creates[] = {
		{ .size = 0 }, { .size = U, .flags = ~VSPLIT_GEM_FLAGS }, { .size = U, .alignment = 3 },
		{ .size = U, .alignment = 1ull << 62 }, { .size = U, .priority = 1 },
		{ .size = U, .priority = VSPLIT_PRIORITY_MAX + 1 }, { .size = U, .num_segments = 7 },
		{ .size = U, .num_segments = 1, .segments = { 99 } },
		{ .size = U, .num_segments = 2, .segments = { 1, 1 } },
		{ .size = U, .num_segments = 1, .segments = { 1 | VSPLIT_GEM_SEGMENT_READ_ONLY } },
		{ .size = U, .segments = { 1 } }, { .size = U, .pitch = 64 },
		{ .size = U, .flags = VSPLIT_GEM_SWIZZLED }, { .size = U, .eviction_set = 1u << 31 },
		{ .size = U, .flags = VSPLIT_GEM_SWIZZLED, .pitch = 65 },
		{ .size = U, .flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_PINNED, .pitch = 64 },
		{ .size = ~0ull }, { .size = 1ull << 50 },
	};
	int ret = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(creates); i++) {
		struct drm_vsplit_gem_create create = creates[i];

		ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &create) ? -errno : 0;
	}
	return ret;
}

/* Locks with each flag, and with pairs of flags, on any allocation. */
static int wrong_locks(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	int ret = 0;

	for (unsigned int n = 0; n < 40; n++) {
		struct drm_vsplit_gem_lock lock = {
			.handle = vsplit_fuzz_one(&c->bos, rng, NULL),
			.flags = (1u << below(rng, 8) | 1u << below(rng, 8)) & VSPLIT_LOCK_FLAGS,
		};

		/* The lock might wait for an engine that a hook stopped. */
		if (!(lock.flags & VSPLIT_LOCK_DONOT_WAIT) && dice(rng, 2))
			lock.flags |= VSPLIT_LOCK_DONOT_WAIT;
		ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock) ? -errno : 0;
		lock.flags = dice(rng, 8);
		if (!dice(rng, 3))
			ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock);
	}
	return ret;
}

int vsplit_fuzz_wrong(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	int ret = 0;

	vsplit_fuzz_clean = true;
	if (dice(rng, 4))
		ret = wrong_patches(c, rng);
	if (dice(rng, 4))
		ret = wrong_creates(c);
	if (dice(rng, 4))
		ret = wrong_locks(c, rng);
	for (unsigned int n = 1 + below(rng, 24); n; n--)
		ret = driver_call(c, dice(rng, 3) ? DRM_VSPLIT_SUBMIT : below(rng, VSPLIT_NR_CALLS), true,
				  rng);
	return ret;
}
