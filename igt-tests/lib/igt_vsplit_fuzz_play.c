// SPDX-License-Identifier: MIT
/* Building blocks of the plays. */
#include "igt.h"
#include "igt_vsplit_fuzz_play.h"

#include <xf86drm.h>

/* ---- buffers ------------------------------------------------------------ */

struct play_buffer *play_buffer(void)
{
	struct play_buffer *b = calloc(1, sizeof(*b));

	igt_assert(b);
	return b;
}

void play_buffer_free(struct play_buffer *b)
{
	vsplit__packets_free(&b->p);
	free(b);
}

uint32_t play_element(struct play_buffer *b, uint32_t handle, uint32_t flags)
{
	for (uint32_t i = 0; i < b->nr_allocs; i++)
		if (b->allocs[i].handle == handle)
			return i;
	vsplit__put_alloc(&b->p, handle, handle ? flags : 0);
	return b->nr_allocs - 1;
}

void play_bind(struct play_buffer *b, uint32_t slot, uint32_t handle, uint32_t flags,
	       uint32_t offset)
{
	vsplit__put_bind(&b->p, slot, play_element(b, handle, flags), offset, b->split);
}

void play_fill(struct play_buffer *b, uint32_t slot, uint64_t offset, uint64_t length)
{
	vsplit__put_state(&b->p, VSPLIT_STATE_FILL, 0x5a5aa5a5);
	vsplit__put_fill(&b->p, vsplit__slot(slot, offset), length);
}

int play_send(struct vsplit_fuzz_client *c, struct play_buffer *b, uint32_t ctx, uint32_t flags,
	      uint64_t *submission)
{
	struct drm_vsplit_submit args = {
		.ctx = ctx,
		.flags = flags,
		.stream = (uintptr_t)b->stream,
		.stream_bytes = b->bytes,
		.allocs = (uintptr_t)b->allocs,
		.num_allocs = b->nr_allocs,
		.patches = (uintptr_t)b->patches,
		.num_patches = b->nr_patches,
		.syncs = (uintptr_t)b->syncs,
		.num_syncs = b->nr_syncs,
	};
	int ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args) ? -errno : 0;

	if (submission)
		*submission = args.submission;
	return ret;
}

int play_run(struct vsplit_fuzz_client *c, struct play_buffer *b, uint32_t flags)
{
	struct drm_vsplit_ctx_query query = {};
	uint32_t ctx = play_ctx(c, 0), out;
	uint64_t submission = 0;
	int ret;

	if (drmSyncobjCreate(c->fd, 0, &out)) {
		play_ctx_end(c, ctx);
		return -errno;
	}
	if (b->nr_syncs < ARRAY_SIZE(b->syncs))
		b->syncs[b->nr_syncs++] = (struct drm_vsplit_sync) { out, VSPLIT_SYNC_SIGNAL, 0 };
	ret = play_send(c, b, ctx, flags, &submission);
	if (!ret) {
		struct drm_vsplit_record record = { .ctx = ctx, .submission = submission };

		ret = __vsplit_syncobj_wait(c->fd, out, 0, 500);
		ioctl(c->fd, DRM_IOCTL_VSPLIT_RECORD, &record);
		query.ctx = ctx;
		ioctl(c->fd, DRM_IOCTL_VSPLIT_CTX_QUERY, &query);
	}
	drmSyncobjDestroy(c->fd, out);
	play_ctx_end(c, ctx);
	return ret;
}

/* ---- objects ------------------------------------------------------------ */

uint32_t play_ctx(struct vsplit_fuzz_client *c, uint32_t flags)
{
	struct drm_vsplit_ctx_create args = {
		.flags = flags,
		.priority = VSPLIT_CTX_PRIORITY_NORMAL,
	};

	return ioctl(c->fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &args) ? 0 : args.ctx;
}

void play_ctx_end(struct vsplit_fuzz_client *c, uint32_t ctx)
{
	struct drm_vsplit_ctx_destroy args = { .ctx = ctx };

	if (ctx)
		ioctl(c->fd, DRM_IOCTL_VSPLIT_CTX_DESTROY, &args);
}

uint32_t play_bo(struct vsplit_fuzz_client *c, unsigned int pages, uint32_t flags, int segment,
		 uint32_t pitch, uint32_t eviction_set)
{
	struct drm_vsplit_gem_create args = {
		.size = pages * PLAY_PAGE,
		.flags = flags | (pitch ? VSPLIT_GEM_SWIZZLED : 0),
		.num_segments = segment >= 0,
		.segments = { segment + 1 },
		.pitch = pitch,
		.eviction_set = eviction_set,
	};

	for (int i = 0; segment == -2 && vsplit_fuzz_ad->opts.segs[i].name; i++)
		if (vsplit_fuzz_ad->opts.segs[i].aperture)
			args.segments[args.num_segments++] = i + 1;
	return ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &args) ? 0 : args.handle;
}

int play_escape(struct vsplit_fuzz_client *c, uint32_t op, uint32_t handle, uint64_t value)
{
	struct drm_vsplit_escape args = { .op = op, .handle = handle, .value = value };

	return ioctl(c->fd, DRM_IOCTL_VSPLIT_ESCAPE, &args) ? -errno : 0;
}

static int find_segment(bool (*match)(const struct vsplit_seg_opts *seg))
{
	for (int i = 0; vsplit_fuzz_ad->opts.segs[i].name; i++)
		if (match(&vsplit_fuzz_ad->opts.segs[i]))
			return i;
	return -1;
}

static bool is_memory(const struct vsplit_seg_opts *seg)
{
	return !seg->aperture;
}

static bool is_aperture(const struct vsplit_seg_opts *seg)
{
	return seg->aperture;
}

static bool has_ranges(const struct vsplit_seg_opts *seg)
{
	return seg->ranges;
}

int play_memory(void)
{
	return find_segment(is_memory);
}

int play_aperture(void)
{
	return find_segment(is_aperture);
}

int play_ranges(void)
{
	return find_segment(has_ranges);
}

int play_touch(struct vsplit_fuzz_client *c, uint32_t handle, bool do_write)
{
	int pipes[2], ret;
	uint64_t word = 0;
	void *map;

	ret = __vsplit_mmap(c->fd, handle, PLAY_PAGE, &map);
	if (ret)
		return ret;
	/* Through a pipe: a failed fault is then an error, not a signal. */
	if (!pipe(pipes)) {
		if (write(pipes[1], do_write ? &word : map, sizeof(word)) != sizeof(word) ||
		    read(pipes[0], do_write ? map : &word, sizeof(word)) != sizeof(word))
			ret = -errno;
		close(pipes[0]);
		close(pipes[1]);
	}
	munmap(map, PLAY_PAGE);
	return ret;
}

/* ---- an engine that is stopped ------------------------------------------ */

/* The engine is resumed by a thread of its own, because the play may wait for the engine. */
static void *pause_run(void *arg)
{
	struct play_pause *p = arg;

	for (unsigned int ms = 0; ms < p->ms; ms++) {
		if (__atomic_load_n(&p->end, __ATOMIC_ACQUIRE))
			break;
		usleep(1000);
	}
	while (play_escape(p->c, VSPLIT_ESCAPE_RESUME, 0, 0) == -EINTR)
		;
	return NULL;
}

void play_pause(struct play_pause *p, struct vsplit_fuzz_client *c, unsigned int ms)
{
	memset(p, 0, sizeof(*p));
	p->c = c;
	p->ms = ms;
	if (play_escape(c, VSPLIT_ESCAPE_SUSPEND, 0, 0))
		return;
	p->on = true;
	igt_assert_eq(pthread_create(&p->thread, NULL, pause_run, p), 0);
}

void play_resume(struct play_pause *p)
{
	void *ret;

	if (!p->on)
		return;
	__atomic_store_n(&p->end, true, __ATOMIC_RELEASE);
	igt_assert_eq(pthread_join(p->thread, &ret), 0);
	p->on = false;
}
