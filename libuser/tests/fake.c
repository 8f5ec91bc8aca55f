// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "fake_gpu.h"

#define PAGE		4096ull
#define NODE_BYTES	(1ull << 36)

static struct fake_ctx {
	uint64_t last;
	uint32_t state, error, fault;
	uint32_t portions;
	uint32_t end;
	struct drm_vsplit_submit parked;
	struct drm_vsplit_sync parked_sync;
	int used;
} ctxs[64];

/* Offset of the pages of each context's hardware queue. */
static uint64_t queues[64];
static uint32_t ring_bytes[64];

static char node[64];
static uint64_t memory_used;
static uint32_t syncobjs;

struct fake fake = {
	.info = {
		.num_segments = 1, .num_engines = 1, .num_slots = 64,
		.max_stream_bytes = 1 << 20, .max_allocs = 4096,
		.max_patches = 65536, .max_syncs = 64, .page_size = PAGE,
		.timeout_ms = 1000, .name = "fake",
		.max_unfinished = 1024, .max_unfinished_bytes = 64 << 20,
	},
	.segments = {
		{ .id = 1, .flags = VSPLIT_SEGMENT_CPU_VISIBLE, .size = 1 << 20,
		  .commit_limit = 1 << 20, .cpu_visible_size = 1 << 20, .name = "vram" },
	},
	.fail_ioctl = -1,
	.capacity = 1 << 20,
};

const char *fake_node(void)
{
	int fd;

	if (fake_memory)
		return node;
	snprintf(node, sizeof(node), "/tmp/vsplit-fake-XXXXXX");
	fd = mkstemp(node);
	if (fd < 0 || ftruncate(fd, NODE_BYTES))
		abort();
	fake_memory = mmap(NULL, NODE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (fake_memory == MAP_FAILED)
		abort();
	close(fd);
	return node;
}

void fake_reset(void)
{
	if (fake_memory) {
		munmap(fake_memory, NODE_BYTES);
		unlink(node);
	}
	fake_memory = NULL;
	memory_used = 0;
	memset(fake_bos, 0, sizeof(fake_bos));
	memset(ctxs, 0, sizeof(ctxs));
	memset(fake_vas, 0, sizeof(fake_vas));
	memset(fake_fences, 0, sizeof(fake_fences));
	fake.open_handles = 0;
	fake.syncobjs = 0;
	fake.submits = 0;
	fake.fail_ioctl = -1;
	fake.fail_after = 0;
	fake.record_growth = 0;
	fake.capacity = 1 << 20;
	fake.owed = 0;
	fake.nonlocal = 0;
	fake.makes = 0;
	fake.evicts = 0;
}

/* ---- ioctls ------------------------------------------------------------ */

static int fail(int error)
{
	errno = error;
	return -1;
}

static int answer(struct drm_vsplit_query *q, const void *data, size_t size)
{
	if (q->size)
		memcpy((void *)(uintptr_t)q->pointer, data, q->size < size ? q->size : size);
	q->size = (uint32_t)size;
	return 0;
}

static int do_query(struct drm_vsplit_query *q)
{
	struct drm_vsplit_statistics stats = {
		.submissions = fake.submits, .paged_in_bytes = fake.paged_in,
	};

	switch (q->type) {
	case VSPLIT_QUERY_ADAPTER:
		return answer(q, &fake.info, sizeof(fake.info));
	case VSPLIT_QUERY_SEGMENTS:
		return answer(q, fake.segments,
			      fake.info.num_segments * sizeof(fake.segments[0]));
	case VSPLIT_QUERY_STATISTICS:
		return answer(q, &stats, sizeof(stats));
	}
	return fail(EINVAL);
}

static int do_create(struct drm_vsplit_gem_create *args)
{
	uint32_t handle;

	if (!args->size || args->flags & ~VSPLIT_GEM_FLAGS)
		return fail(EINVAL);
	for (handle = 1; handle < MAX_OBJECTS && fake_bos[handle].used; handle++)
		;
	if (handle == MAX_OBJECTS)
		return fail(ENOMEM);
	args->size = (args->size + PAGE - 1) / PAGE * PAGE;
	if (args->size > NODE_BYTES - memory_used)
		return fail(E2BIG);
	fake_bos[handle] = (struct fake_bo){ .offset = memory_used, .size = args->size, .used = 1 };
	memory_used += args->size;
	fake.open_handles++;
	args->handle = handle;
	args->id = handle + 1000;
	return 0;
}

/* Does the stream wait for a value that is not reached? */
static int must_wait(const struct drm_vsplit_submit *args)
{
	const uint8_t *stream = (void *)(uintptr_t)args->stream;
	uint32_t at;

	for (at = 0; at < args->stream_bytes && stream[at] == VSPLIT_OP_WAIT_FENCE;
	     at += sizeof(struct vsplit_packet_fence))
		if (!fake_is_reached((const void *)(stream + at)))
			return 1;
	return 0;
}

static uintptr_t copy_of(uint64_t pointer, size_t size)
{
	void *copy = malloc(size + 1);

	if (size)
		memcpy(copy, (void *)(uintptr_t)pointer, size);
	return (uintptr_t)copy;
}

/* A context can have one parked submission. The last sync is the one that it signals. */
static void park(struct fake_ctx *ctx, const struct drm_vsplit_submit *args)
{
	struct drm_vsplit_submit *parked = &ctx->parked;

	*parked = *args;
	ctx->parked_sync = ((struct drm_vsplit_sync *)(uintptr_t)args->syncs)[args->num_syncs - 1];
	parked->stream = copy_of(args->stream, args->stream_bytes);
	parked->allocs = copy_of(args->allocs, args->num_allocs * sizeof(struct drm_vsplit_alloc));
	parked->patches = copy_of(args->patches,
				  args->num_patches * sizeof(struct drm_vsplit_patch));
}

static void drop_parked(struct drm_vsplit_submit *parked)
{
	free((void *)(uintptr_t)parked->stream);
	free((void *)(uintptr_t)parked->allocs);
	free((void *)(uintptr_t)parked->patches);
	memset(parked, 0, sizeof(*parked));
}

static void begin(struct fake_ctx *ctx, const struct drm_vsplit_submit *args)
{
	ctx->fault = fake_execute(args);
	if (ctx->fault) {
		ctx->state = VSPLIT_STATE_LOST_FAULT;
		ctx->error = EIO;
	}
}

/* Execute what can begin. */
static void begin_parked(void)
{
	uint32_t i;

	for (i = 0; i < 64; i++) {
		struct drm_vsplit_submit *parked = &ctxs[i].parked;

		if (!parked->stream || must_wait(parked))
			continue;
		begin(&ctxs[i], parked);
		drop_parked(parked);
	}
}

static int is_parked(uint32_t syncobj, uint64_t point)
{
	uint32_t i;

	for (i = 0; i < 64; i++)
		if (ctxs[i].parked.stream && ctxs[i].parked_sync.handle == syncobj &&
		    ctxs[i].parked_sync.point <= point)
			return 1;
	return 0;
}

static int do_submit(struct drm_vsplit_submit *args)
{
	const struct drm_vsplit_patch *patches = (void *)(uintptr_t)args->patches;
	struct fake_ctx *ctx = &ctxs[args->ctx];
	uint32_t i, splits = 0;

	if (args->stream_bytes > fake.info.max_stream_bytes ||
	    args->num_patches > fake.info.max_patches ||
	    args->num_allocs > fake.info.max_allocs)
		return fail(E2BIG);
	if (ctx->state)
		return fail(EIO);
	fake.submits++;
	fake.last_submit = *args;
	for (i = 0; i < args->num_syncs && i < 8; i++)
		fake.last_sync[i] = ((struct drm_vsplit_sync *)(uintptr_t)args->syncs)[i];
	for (i = 0; i < args->num_patches; i++)
		splits += patches[i].split_offset > (i ? patches[i - 1].split_offset : 0);
	args->submission = ++ctx->last;
	ctx->portions = args->flags & VSPLIT_SUBMIT_FORCE_SPLIT ? splits + 1 : 1;
	ctx->end = args->stream_bytes;
	if (must_wait(args)) {
		park(ctx, args);
		args->num_portions = 0;
		return 0;
	}
	begin(ctx, args);
	args->num_portions = ctx->portions;
	return 0;
}

static int do_record(struct drm_vsplit_record *args)
{
	struct drm_vsplit_event *events = (void *)(uintptr_t)args->events;
	struct fake_ctx *ctx = &ctxs[args->ctx];
	uint32_t i, count = ctx->portions + fake.record_growth;

	if (!args->submission || args->submission > ctx->last)
		return fail(ENOENT);
	for (i = 0; i < count && i < args->num_events; i++)
		events[i] = (struct drm_vsplit_event){
			.type = VSPLIT_EVENT_PORTION, .portion = i, .end = ctx->end,
			.t0_ns = 1000 * i + 1, .t1_ns = 1000 * i + 900,
		};
	if (args->num_events && fake.record_growth)
		fake.record_growth--;
	args->num_events = count;
	args->num_rows = 0;
	args->num_portions = ctx->portions;
	args->error = ctx->error;
	args->fault = ctx->fault;
	args->done = 1;
	return 0;
}

static int do_lock(struct drm_vsplit_gem_lock *args, int lock)
{
	struct fake_bo *bo = &fake_bos[args->handle];

	if (!bo->used)
		return fail(ENOENT);
	if (!lock && !bo->locks)
		return fail(EINVAL);
	bo->locks += lock ? 1 : -1u;
	return 0;
}

static int do_ctx_create(struct drm_vsplit_ctx_create *args)
{
	uint32_t id;

	for (id = 1; id < 64 && ctxs[id].used; id++)
		;
	if (id == 64)
		return fail(ENOSPC);
	ctxs[id] = (struct fake_ctx){ .used = 1 };
	fake.open_handles++;
	args->ctx = id;
	return 0;
}

static int do_ctx_query(struct drm_vsplit_ctx_query *args)
{
	args->state = ctxs[args->ctx].state;
	args->fault = ctxs[args->ctx].fault;
	args->last_submission = ctxs[args->ctx].last;
	args->submission = args->state ? args->last_submission : 0;
	return 0;
}

static int do_surface(struct drm_vsplit_gem_surface *args)
{
	struct drm_vsplit_surface_alloc *allocs = (void *)(uintptr_t)args->allocs;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < args->num_allocs; i++) {
		ret = do_create(&allocs[i].create);
		args->handles[i] = allocs[i].create.handle;
	}
	return ret;
}

static int do_info(struct drm_vsplit_gem_info *args)
{
	if (!fake_bos[args->handle].used)
		return fail(ENOENT);
	args->size = fake_bos[args->handle].size;
	args->id = args->handle + 1000;
	if (args->handle == fake.nonlocal)
		args->flags |= VSPLIT_GEM_INFO_NONLOCAL;
	if (fake.busy_infos) {
		fake.busy_infos--;
		args->flags |= VSPLIT_GEM_INFO_BUSY;
	}
	if (fake.shared_infos) {
		fake.shared_infos--;
		args->flags |= VSPLIT_GEM_INFO_SHARED;
	}
	return 0;
}

/* Reports each page as a run of its own, with a hole after it. */
static int do_runs(struct drm_vsplit_gem_runs *args)
{
	struct drm_vsplit_run *runs = (void *)(uintptr_t)args->runs;
	uint32_t i, count;

	if (!fake_bos[args->handle].used)
		return fail(ENOENT);
	count = (uint32_t)(fake_bos[args->handle].size / 4096);
	for (i = 0; i < count && i < args->num_runs; i++)
		runs[i] = (struct drm_vsplit_run){ .offset = 8192ull * i, .bytes = 4096 };
	args->num_runs = count;
	args->segment = 1;
	return 0;
}

/* ---- residency: all or nothing, and counted ---- */

unsigned int fake_required(uint32_t handle)
{
	return fake_bos[handle].required;
}

static uint64_t required_bytes(uint32_t *members)
{
	uint64_t bytes = 0;

	*members = 0;
	for (uint32_t i = 0; i < MAX_OBJECTS; i++) {
		if (!fake_bos[i].used || !fake_bos[i].required)
			continue;
		++*members;
		bytes += fake_bos[i].size;
	}
	return bytes;
}

static int do_make_resident(struct drm_vsplit_make_resident *args)
{
	const uint32_t *handles = (void *)(uintptr_t)args->handles;
	uint32_t members, i;
	uint64_t bytes;

	fake.makes++;
	args->trim_bytes = 0;
	for (i = 0; i < args->num_handles; i++) {
		fake_bos[handles[i]].required++;
		fake.paged_in += fake_bos[handles[i]].size;
	}
	bytes = required_bytes(&members);
	if (bytes > fake.capacity)
		args->trim_bytes = bytes - fake.capacity;
	else if (!(args->flags & VSPLIT_RESIDENT_CANT_TRIM_FURTHER))
		args->trim_bytes = fake.owed;
	if (!args->trim_bytes)
		return 0;
	for (i = 0; i < args->num_handles; i++)
		fake_bos[handles[i]].required--;
	return fail(ENOSPC);
}

static int do_evict(struct drm_vsplit_evict *args)
{
	const uint32_t *handles = (void *)(uintptr_t)args->handles;
	uint32_t i;

	fake.evicts++;
	for (i = 0; i < args->num_handles; i++)
		if (!fake_bos[handles[i]].required)
			return fail(EINVAL);
	for (i = 0; i < args->num_handles; i++) {
		struct fake_bo *bo = &fake_bos[handles[i]];

		if (!--bo->required && (handles[i] == fake.nonlocal) == fake.owed_group)
			fake.owed -= fake.owed < bo->size ? fake.owed : bo->size;
	}
	args->trim_bytes = fake.owed;
	return 0;
}

static int do_reserve(struct drm_vsplit_reserve *args)
{
	args->available = fake.capacity / 2;
	if (args->bytes > args->available)
		return fail(ENOSPC);
	fake.reserved = args->bytes;
	return 0;
}

static int do_residency(struct drm_vsplit_residency *args)
{
	args->count = fake_bos[args->handle].required;
	args->groups[VSPLIT_GROUP_LOCAL].usage = required_bytes(&args->members);
	args->groups[VSPLIT_GROUP_LOCAL].budget = fake.capacity;
	if (fake.escape.op == VSPLIT_ESCAPE_BUDGET && fake.escape.value != UINT64_MAX)
		args->groups[fake.escape.handle == VSPLIT_GROUP_NONLOCAL].budget = fake.escape.value;
	args->groups[VSPLIT_GROUP_LOCAL].reservation = fake.reserved;
	args->trim_bytes = fake.owed;
	args->trim_group = fake.owed_group;
	if (args->flags & VSPLIT_RESIDENCY_EVENTFD)
		fake.trim_eventfd = args->fd;
	return 0;
}

/* ---- virtual addresses, fences, queues ---- */

static uint64_t take_pages(uint64_t bytes)
{
	uint64_t at = memory_used;

	memory_used += bytes;
	return at;
}

/* Supports MAP, and UNMAP of a whole mapping. */
static int do_va_bind(struct drm_vsplit_va_bind *args)
{
	const struct drm_vsplit_va_op *op = (void *)(uintptr_t)args->ops;
	unsigned int i;

	fake.num_va_syncs = args->num_syncs;
	for (i = 0; i < args->num_syncs && i < sizeof(fake.va_syncs) / sizeof(fake.va_syncs[0]); i++)
		fake.va_syncs[i] = ((struct drm_vsplit_sync *)(uintptr_t)args->syncs)[i];
	for (i = 0; i < 63; i++)
		if (op->type == VSPLIT_VA_UNMAP ? fake_vas[i].address == op->address : !fake_vas[i].bytes)
			break;
	fake_vas[i] = (struct fake_va){ 0 };
	if (op->type == VSPLIT_VA_MAP)
		fake_vas[i] = (struct fake_va){ op->address, op->bytes,
					   fake_bos[op->handle].offset + op->offset };
	return op->bytes ? 0 : fail(EINVAL);
}

/* Return: the handle of the new fence. */
static uint32_t add_fence(uint64_t offset)
{
	uint32_t handle;

	for (handle = 1; fake_fences[handle]; handle++)
		;
	fake_fences[handle] = offset;
	fake.open_handles++;
	return handle;
}

static int do_fence_create(struct drm_vsplit_fence_create *args)
{
	args->offset = take_pages(PAGE);
	args->handle = add_fence(args->offset);
	*(uint64_t *)(fake_memory + args->offset) = args->value;
	return 0;
}

static uint64_t exported;

static int do_fence_export(struct drm_vsplit_fence_export *args)
{
	exported = fake_fences[args->handle];
	args->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return args->fd < 0 ? fail(EMFILE) : 0;
}

static int do_fence_import(struct drm_vsplit_fence_import *args)
{
	if (fcntl(args->fd, F_GETFD) < 0)
		return fail(EBADF);
	args->offset = exported;
	args->handle = add_fence(exported);
	return 0;
}

static int do_fence_wait(struct drm_vsplit_fence_wait *args)
{
	int reached = *(uint64_t *)(fake_memory + fake_fences[args->handle]) >= args->value;

	if (!(args->flags & VSPLIT_FENCE_WAIT_EVENTFD))
		return reached ? 0 : fail(ETIME);
	if (reached && write(args->fd, &(uint64_t){ 1 }, 8) != 8)
		return fail(EINVAL);
	return 0;
}

static int do_hwq_create(struct drm_vsplit_hwq_create *args)
{
	args->bytes = 2 * PAGE + args->ring_bytes;
	args->offset = queues[args->ctx] = take_pages(args->bytes);
	ring_bytes[args->ctx] = args->ring_bytes;
	return 0;
}

/*
 * Executes the packets in the ring now: the fake has no engine, so packets run when they are waited
 * for.
 */
static int do_hwq_wait(const struct drm_vsplit_hwq_wait *args)
{
	uint8_t *pages = fake_memory + queues[args->ctx], packet[256];
	struct drm_vsplit_hwq_control *control = (void *)(pages + VSPLIT_HWQ_CONTROL * PAGE);
	struct fake_row none[1] = { { 0 } };
	struct fake_gpu gpu = { .rows = none };
	static uint64_t clock_ns;

	while (control->done < control->tail && !gpu.fault) {
		const struct vsplit_packet *head = (void *)packet;

		for (unsigned int i = 0; i < sizeof(packet); i++)
			packet[i] = pages[VSPLIT_HWQ_RING * PAGE +
					  (control->done + i) % ring_bytes[args->ctx]];
		if (head->op == VSPLIT_OP_WAIT_FENCE && !fake_is_reached((const void *)packet))
			break;
		if (head->op == VSPLIT_OP_HISTORY)
			control->history[head->arg] = ++clock_ns;
		else
			fake_run_packet(&gpu, packet, 0);
		control->done += gpu.fault ? 0 : head->size;
	}
	if (gpu.fault)
		ctxs[args->ctx].state = VSPLIT_STATE_LOST_PAGE_FAULT;
	return control->done >= args->done ? 0 : fail(gpu.fault ? EIO : ETIME);
}

static int do_offer(const struct drm_vsplit_offer *args)
{
	if (!args->priority || args->priority > VSPLIT_OFFER_AUTO)
		return fail(EINVAL);
	fake.offered = ((uint32_t *)(uintptr_t)args->handles)[0];
	return 0;
}

/* Reports the bytes of the allocation that was offered last as lost. */
static int do_reclaim(const struct drm_vsplit_reclaim *args)
{
	const uint32_t *handles = (void *)(uintptr_t)args->handles;
	uint32_t *discarded = (void *)(uintptr_t)args->discarded;

	for (uint32_t i = 0; discarded && i < args->num_handles; i++)
		discarded[i] = handles[i] == fake.offered;
	fake.offered = 0;
	return 0;
}

static int other_ioctl(unsigned long request, void *arg)
{
	struct drm_vsplit_fence_signal *raise = arg;

	switch (request) {
	case DRM_IOCTL_VSPLIT_VA_BIND:
		return do_va_bind(arg);
	case DRM_IOCTL_VSPLIT_FENCE_CREATE:
		return do_fence_create(arg);
	case DRM_IOCTL_VSPLIT_FENCE_DESTROY:
		fake_fences[((struct drm_vsplit_fence_destroy *)arg)->handle] = 0;
		fake.open_handles--;
		return 0;
	case DRM_IOCTL_VSPLIT_FENCE_SIGNAL:
		fake_raise_fence(raise->handle, raise->value);
		return 0;
	case DRM_IOCTL_VSPLIT_FENCE_WAIT:
		return do_fence_wait(arg);
	case DRM_IOCTL_VSPLIT_FENCE_EXPORT:
		return do_fence_export(arg);
	case DRM_IOCTL_VSPLIT_FENCE_IMPORT:
		return do_fence_import(arg);
	case DRM_IOCTL_VSPLIT_HWQ_CREATE:
		return do_hwq_create(arg);
	case DRM_IOCTL_VSPLIT_HWQ_WAIT:
		return do_hwq_wait(arg);
	case DRM_IOCTL_VSPLIT_RESERVE:
		return do_reserve(arg);
	case DRM_IOCTL_VSPLIT_ESCAPE:
		fake.escape = *(struct drm_vsplit_escape *)arg;
		return 0;
	case DRM_IOCTL_VSPLIT_OFFER:
		return do_offer(arg);
	case DRM_IOCTL_VSPLIT_RECLAIM:
		return do_reclaim(arg);
	}
	return fail(EINVAL);
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	unsigned int nr = _IOC_NR(request) - DRM_COMMAND_BASE;
	struct drm_gem_close *gem_close = arg;
	struct drm_prime_handle *prime = arg;
	struct drm_vsplit_gem_mmap_offset *mmap_offset = arg;

	if (fcntl(fd, F_GETFD) < 0)
		return -1;
	if ((int)nr == fake.fail_ioctl && fake.fail_times > 0 && fake.fail_after-- <= 0) {
		fake.fail_times--;
		return fail(fake.fail_errno);
	}
	switch (request) {
	case DRM_IOCTL_VSPLIT_QUERY:
		return do_query(arg);
	case DRM_IOCTL_VSPLIT_GEM_CREATE:
		return do_create(arg);
	case DRM_IOCTL_VSPLIT_GEM_SURFACE:
		return do_surface(arg);
	case DRM_IOCTL_GEM_CLOSE:
		fake_bos[gem_close->handle].used = 0;
		fake.open_handles--;
		return 0;
	case DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET:
		mmap_offset->offset = fake_bos[mmap_offset->handle].offset;
		return 0;
	case DRM_IOCTL_VSPLIT_GEM_INFO:
		return do_info(arg);
	case DRM_IOCTL_VSPLIT_GEM_RUNS:
		return do_runs(arg);
	case DRM_IOCTL_PRIME_HANDLE_TO_FD:
		prime->fd = fake.dmabuf = open("/dev/null", O_RDWR | O_CLOEXEC);
		fake.dmabuf_handle = prime->handle;
		return 0;
	case DRM_IOCTL_PRIME_FD_TO_HANDLE:
		if (prime->fd != fake.dmabuf || !fake_bos[fake.dmabuf_handle].used)
			return fail(EINVAL);
		prime->handle = fake.dmabuf_handle;
		return 0;
	case DRM_IOCTL_VSPLIT_GEM_PRIORITY:
		fake.priority = ((struct drm_vsplit_gem_priority *)arg)->priority;
		return 0;
	case DRM_IOCTL_VSPLIT_GEM_LOCK:
		while (*(volatile uint32_t *)&fake.escape.op == VSPLIT_ESCAPE_SUSPEND)
			usleep(1000);
		return do_lock(arg, 1);
	case DRM_IOCTL_VSPLIT_GEM_UNLOCK:
		return do_lock(arg, 0);
	case DRM_IOCTL_VSPLIT_CTX_CREATE:
		return do_ctx_create(arg);
	case DRM_IOCTL_VSPLIT_CTX_DESTROY:
		ctxs[((struct drm_vsplit_ctx_destroy *)arg)->ctx].used = 0;
		drop_parked(&ctxs[((struct drm_vsplit_ctx_destroy *)arg)->ctx].parked);
		fake.open_handles--;
		return 0;
	case DRM_IOCTL_VSPLIT_CTX_QUERY:
		return do_ctx_query(arg);
	case DRM_IOCTL_VSPLIT_MAKE_RESIDENT:
		return do_make_resident(arg);
	case DRM_IOCTL_VSPLIT_EVICT:
		return do_evict(arg);
	case DRM_IOCTL_VSPLIT_RESIDENCY:
		return do_residency(arg);
	case DRM_IOCTL_VSPLIT_SUBMIT:
		return do_submit(arg);
	case DRM_IOCTL_VSPLIT_RECORD:
		return do_record(arg);
	}
	return other_ioctl(request, arg);
}

drmVersionPtr drmGetVersion(int fd)
{
	static char name[] = "vsplit", other[] = "other";
	drmVersionPtr version = calloc(1, sizeof(*version));
	char link[64], target[128] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, target, sizeof(target) - 1) < 0)
		target[0] = '\0';
	version->name = fake_memory && !strcmp(target, node) ? name : other;
	return version;
}

void drmFreeVersion(drmVersionPtr version)
{
	free(version);
}

int drmSyncobjCreate(int fd, uint32_t flags, uint32_t *handle)
{
	(void)fd;
	(void)flags;
	*handle = ++syncobjs;
	fake.syncobjs++;
	return 0;
}

int drmSyncobjDestroy(int fd, uint32_t handle)
{
	(void)fd;
	(void)handle;
	fake.syncobjs--;
	return 0;
}

int drmSyncobjWait(int fd, uint32_t *handles, unsigned int num_handles, int64_t timeout_nsec,
		   unsigned int flags, uint32_t *first_signaled)
{
	(void)fd;
	(void)handles;
	(void)num_handles;
	(void)timeout_nsec;
	(void)first_signaled;
	fake.waits++;
	fake.wait_flags = flags;
	return 0;
}

/*
 * All that was submitted is done, except for what is parked: that begins when a wait with a timeout
 * comes after the value, so that a test can see the time in between. A point that was not submitted
 * does not exist.
 */
int drmSyncobjTimelineWait(int fd, uint32_t *handles, uint64_t *points,
			   unsigned int num_handles, int64_t timeout_nsec,
			   unsigned int flags, uint32_t *first_signaled)
{
	struct timespec now;
	unsigned int i;

	(void)fd;
	fake.waits++;
	fake.wait_flags = flags;
	for (i = 0; i < num_handles; i++) {
		if (points[i] > fake.submits)
			return -EINVAL;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (timeout_nsec > (int64_t)now.tv_sec * 1000000000 + now.tv_nsec)
		begin_parked();
	for (i = 0; i < num_handles; i++) {
		if (is_parked(handles[i], points[i]))
			return -ETIME;
	}
	if (first_signaled)
		*first_signaled = num_handles - 1;
	return 0;
}

int drmSyncobjTransfer(int fd, uint32_t dst, uint64_t dst_point, uint32_t src,
		       uint64_t src_point, uint32_t flags)
{
	(void)fd;
	(void)src;
	(void)flags;
	if (dst_point || !dst || src_point > fake.submits)
		return fail(EINVAL);
	fake.fence_point = src_point;
	return 0;
}

int drmSyncobjExportSyncFile(int fd, uint32_t handle, int *sync_file)
{
	(void)fd;
	(void)handle;
	*sync_file = open("/dev/null", O_RDWR | O_CLOEXEC);
	return *sync_file < 0 ? -1 : 0;
}

int drmSyncobjImportSyncFile(int fd, uint32_t handle, int sync_file)
{
	(void)fd;
	(void)handle;
	return fcntl(sync_file, F_GETFD) < 0 ? fail(EINVAL) : 0;
}
