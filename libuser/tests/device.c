// SPDX-License-Identifier: MIT
/* Devices, allocations, contexts, submissions and records, on the fake kernel. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

#include "check.h"
#include "fake.h"
#include "vsplit.h"

static struct vsplit_device *dev;
static struct vsplit_context *ctx;
static struct vsplit_stream *stream;

static void begin(void)
{
	if (vsplit_device_open_path(fake_node(), &dev) ||
	    vsplit_context_create(dev, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &ctx) ||
	    vsplit_stream_create(&stream))
		abort();
}

static void end(void)
{
	vsplit_stream_destroy(stream);
	vsplit_context_destroy(ctx);
	vsplit_device_close(dev);
	CHECK_EQ(fake.open_handles, 0);
	fake_reset();
}

static void opening(void)
{
	struct vsplit_device *other = NULL;

	CHECK_EQ(vsplit_device_open_path("/dev/null", &other), -EINVAL);
	CHECK_EQ(vsplit_device_open_path("/nowhere/at/all", &other), -ENOENT);
	CHECK_EQ(vsplit_device_open_path(NULL, &other), -EINVAL);
	CHECK_EQ(vsplit_device_open_path(fake_node(), NULL), -EINVAL);
	CHECK_EQ(vsplit_device_open_name(NULL, &other), -EINVAL);
	CHECK(!other);
	begin();
	CHECK_STR(vsplit_device_path(dev), fake_node());
	CHECK_STR((const char *)vsplit_device_adapter(dev)->name, "fake");
	CHECK_EQ(vsplit_device_adapter(dev)->num_slots, 64);
	CHECK(vsplit_device_fd(dev) >= 0);
	CHECK_EQ(vsplit_device_open(fake_node(), &other), 0);
	vsplit_device_close(other);
	vsplit_device_close(NULL);
	end();
}

static void failed_open_leaks_no_file(void)
{
	struct vsplit_device *other;
	int first = dup(0), next;

	close(first);
	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_QUERY;
	fake.fail_errno = ENODEV;
	fake.fail_times = 1;
	CHECK_EQ(vsplit_device_open_path(fake_node(), &other), -ENODEV);
	next = dup(0);
	CHECK_EQ(next, first);
	close(next);
	fake_reset();
}

static void segments(void)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	uint32_t count = 0;

	begin();
	CHECK_EQ(vsplit_device_segments(dev, NULL, &count), 0);
	CHECK_EQ(count, 1);
	count = VSPLIT_MAX_SEGMENTS;
	CHECK_EQ(vsplit_device_segments(dev, info, &count), 0);
	CHECK_EQ(count, 1);
	CHECK_STR((const char *)info[0].name, "vram");
	CHECK_EQ(vsplit_device_segments(dev, NULL, &count), -EINVAL);
	end();
}

static void mapping_is_made_once(void)
{
	struct vsplit_bo *bo;
	void *one, *two;

	begin();
	CHECK_EQ(vsplit_bo_create(dev, 5000, 0, &bo), 0);
	CHECK_EQ(vsplit_bo_size(bo), 8192);
	CHECK_EQ(vsplit_bo_handle(bo), 1);
	CHECK_EQ(vsplit_bo_id(bo), 1001);
	CHECK_EQ(vsplit_bo_map(bo, &one), 0);
	memset(one, 3, 8192);
	CHECK_EQ(vsplit_bo_map(bo, &two), 0);
	CHECK(one == two);
	vsplit_bo_destroy(bo);
	vsplit_bo_destroy(NULL);
	CHECK_EQ(vsplit_bo_create(dev, 0, 0, &bo), -EINVAL);
	CHECK_EQ(vsplit_bo_create(dev, 4096, 0, NULL), -EINVAL);
	end();
}

static void locking(void)
{
	struct vsplit_bo *bo;

	begin();
	vsplit_bo_create(dev, 4096, 0, &bo);
	CHECK_EQ(vsplit_bo_unlock(bo), -EINVAL);
	CHECK_EQ(vsplit_bo_set_priority(bo, VSPLIT_PRIORITY_LOW), 0);
	CHECK_EQ(fake.priority, VSPLIT_PRIORITY_LOW);
	CHECK_EQ(vsplit_bo_lock(bo, 0), 0);
	CHECK_EQ(vsplit_bo_unlock(bo), 0);
	CHECK_EQ(vsplit_bo_wait(bo, -1), 0);
	fake.busy_infos = 5;
	CHECK_EQ(vsplit_bo_wait(bo, 10000), 0);
	CHECK_EQ(fake.busy_infos, 0);
	fake.busy_infos = 5;
	CHECK_EQ(vsplit_bo_wait(bo, -1), 0);
	fake.busy_infos = 1000000;
	CHECK_EQ(vsplit_bo_wait(bo, 0), -ETIME);
	CHECK_EQ(vsplit_bo_wait(bo, 3), -ETIME);
	vsplit_bo_destroy(bo);
	end();
}

/*
 * Each change of addresses signals the device's syncobj, which is passed after the caller's syncs.
 */
static void addresses(void)
{
	struct drm_vsplit_sync syncs[10] = { { .handle = 90 } };
	struct drm_vsplit_va_op op = { .type = VSPLIT_VA_SPARSE, .address = 1 << 20, .bytes = 4096 };
	unsigned int waits = fake.waits;
	struct vsplit_bo *bo;

	begin();
	CHECK_EQ(vsplit_va_wait(dev, 0), 0);
	CHECK_EQ(fake.waits, waits);
	vsplit_bo_create(dev, 4096, 0, &bo);
	CHECK_EQ(vsplit_va_map(dev, bo, 4096, 4096, 0, 0), 0);
	CHECK_EQ(fake.num_va_syncs, 1);
	CHECK_EQ(fake.va_syncs[0].flags, VSPLIT_SYNC_SIGNAL);
	waits = fake.waits;
	CHECK_EQ(vsplit_va_wait(dev, -1), 0);
	CHECK_EQ(fake.waits, waits + 1);
	CHECK_EQ(vsplit_va_bind(dev, &op, 1, syncs, 1), 0);
	CHECK_EQ(fake.num_va_syncs, 2);
	CHECK_EQ(fake.va_syncs[0].handle, 90);
	CHECK_EQ(vsplit_va_bind(dev, &op, 1, syncs, 10), 0);
	CHECK_EQ(fake.num_va_syncs, 11);
	CHECK_EQ(vsplit_va_bind(dev, &op, 1, NULL, 1), -EINVAL);
	CHECK_EQ(vsplit_va_bind(dev, &op, 1, syncs, UINT32_MAX), -E2BIG);
	vsplit_bo_destroy(bo);
	end();
}

static void runs(void)
{
	struct drm_vsplit_run list[4] = { 0 };
	uint32_t num = 4, segment = 9;
	struct vsplit_bo *bo;

	begin();
	vsplit_bo_create(dev, 3 * 4096, 0, &bo);
	CHECK_EQ(vsplit_bo_runs(bo, list, &num, &segment), 0);
	CHECK_EQ(num, 3);
	CHECK_EQ(segment, 1);
	CHECK_EQ(list[2].offset, 2 * 8192);
	CHECK_EQ(list[2].bytes, 4096);
	CHECK_EQ(list[3].bytes, 0);
	num = 0;
	CHECK_EQ(vsplit_bo_runs(bo, NULL, &num, NULL), 0);
	CHECK_EQ(num, 3);
	CHECK_EQ(vsplit_bo_runs(bo, NULL, &num, NULL), -EINVAL);
	CHECK_EQ(vsplit_bo_runs(bo, list, NULL, NULL), -EINVAL);
	vsplit_bo_destroy(bo);
	end();
}

static void surfaces(void)
{
	struct drm_vsplit_surface_private format[2] = { { VSPLIT_SURFACE_TILED, 0 } };
	struct drm_vsplit_surface_alloc allocs[VSPLIT_MAX_SURFACE_ALLOCS + 1] = { 0 };
	struct vsplit_bo *bos[2] = { NULL, NULL };
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		allocs[i].create.size = 4096 << i;
		allocs[i].private_data = (uintptr_t)&format[i];
		allocs[i].private_bytes = sizeof(format[i]);
	}
	CHECK_EQ(vsplit_bo_create_surface(dev, allocs, 2, bos), 0);
	CHECK_EQ(vsplit_bo_size(bos[0]), 4096);
	CHECK_EQ(vsplit_bo_size(bos[1]), 8192);
	CHECK(vsplit_bo_handle(bos[0]) != vsplit_bo_handle(bos[1]));
	CHECK_EQ(allocs[0].create.handle, 0);
	vsplit_bo_destroy(bos[0]);
	vsplit_bo_destroy(bos[1]);
	bos[0] = NULL;
	fake.fail_ioctl = DRM_VSPLIT_GEM_SURFACE;
	fake.fail_errno = ENOMEM;
	fake.fail_times = 1;
	CHECK_EQ(vsplit_bo_create_surface(dev, allocs, 2, bos), -ENOMEM);
	CHECK(!bos[0]);
	CHECK_EQ(vsplit_bo_create_surface(dev, allocs, 0, bos), -EINVAL);
	CHECK_EQ(vsplit_bo_create_surface(dev, NULL, 2, bos), -EINVAL);
	CHECK_EQ(vsplit_bo_create_surface(dev, allocs, 9, bos), -E2BIG);
	end();
}

/* An allocation has one handle, which is closed with its last holder, in any order. */
static void sharing(void)
{
	struct vsplit_bo *bo[3], *other;
	int dmabuf, base;

	begin();
	base = fake.open_handles;
	for (unsigned int first = 0; first < 3; first++) {
		CHECK_EQ(vsplit_bo_create(dev, 4096, 0, &bo[0]), 0);
		CHECK_EQ(vsplit_bo_create(dev, 4096, 0, &other), 0);
		CHECK_EQ(vsplit_bo_export(bo[0], &dmabuf), 0);
		CHECK_EQ(vsplit_bo_import(dev, dmabuf, &bo[1]), 0);
		CHECK_EQ(vsplit_bo_import(dev, dmabuf, &bo[2]), 0);
		close(dmabuf);
		CHECK_EQ(vsplit_bo_handle(bo[1]), vsplit_bo_handle(bo[0]));
		CHECK_EQ(vsplit_bo_id(bo[2]), vsplit_bo_id(bo[0]));
		CHECK_EQ(vsplit_bo_size(bo[2]), 4096);
		CHECK_EQ(fake.open_handles - base, 2);
		vsplit_bo_destroy(bo[first]);
		CHECK_EQ(fake.open_handles - base, 2);
		vsplit_bo_destroy(bo[(first + 1) % 3]);
		CHECK_EQ(fake.open_handles - base, 2);
		vsplit_bo_destroy(other);
		CHECK_EQ(fake.open_handles - base, 1);
		vsplit_bo_destroy(bo[(first + 2) % 3]);
		CHECK_EQ(fake.open_handles - base, 0);
	}
	CHECK_EQ(vsplit_bo_import(dev, fake.dmabuf, &other), -EINVAL);
	CHECK_EQ(vsplit_bo_import(dev, 0, NULL), -EINVAL);
	vsplit_bo_create(dev, 4096, 0, &bo[0]);
	CHECK_EQ(vsplit_bo_export(bo[0], NULL), -EINVAL);
	CHECK_EQ(vsplit_bo_export(bo[0], &dmabuf), 0);
	fake.fail_ioctl = DRM_VSPLIT_GEM_INFO;
	fake.fail_errno = ENODEV;
	fake.fail_times = 1;
	CHECK_EQ(vsplit_bo_import(dev, dmabuf, &other), -ENODEV);
	CHECK_EQ(fake.open_handles - base, 1);
	close(dmabuf);
	vsplit_bo_destroy(bo[0]);
	CHECK_EQ(fake.open_handles - base, 0);
	end();
}

static void objects_outlive_their_device(void)
{
	struct drm_vsplit_gem_info info;
	struct vsplit_submission done;
	struct vsplit_record *record;
	struct vsplit_bo *bo, *more;
	void *ptr;

	begin();
	vsplit_bo_create(dev, 4096, 0, &bo);
	vsplit_bo_map(bo, &ptr);
	vsplit_stream_spin(stream, 1);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, &done), 0);
	vsplit_device_close(dev);
	/* Calls fail, but do not crash, and the mapping stays. */
	memset(ptr, 1, 4096);
	CHECK_EQ(vsplit_bo_info(bo, &info), -EBADF);
	CHECK_EQ(vsplit_bo_lock(bo, 0), -EBADF);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), -EBADF);
	CHECK_EQ(vsplit_wait(ctx, done.id, 0, NULL), -EBADF);
	CHECK_EQ(vsplit_record_read(ctx, done.id, &record), -EBADF);
	/* The memory of dev itself lives as long as the objects that refer to it. */
	CHECK_EQ(vsplit_bo_create(dev, 4096, 0, &more), -EBADF);
	CHECK_EQ(vsplit_device_fd(dev), -1);
	vsplit_bo_destroy(bo);
	vsplit_context_destroy(ctx);
	vsplit_stream_destroy(stream);
	fake_reset();
}

static void submission_carries_lists_and_timeline(void)
{
	struct drm_vsplit_sync syncs[10] = {
		{ .handle = 90, .point = 0 }, { .handle = 91, .flags = 3, .point = 4 },
	};
	struct vsplit_submission done;
	struct vsplit_bo *bo;
	int error = 1;

	begin();
	vsplit_bo_create(dev, 4096, 0, &bo);
	vsplit_stream_bind(stream, 3, bo, 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_fill(stream, 3, 0, 4096, 0x01010101);
	CHECK_EQ(vsplit_submit(ctx, stream, VSPLIT_SUBMIT_NO_IMPLICIT, syncs, 2, &done), 0);
	CHECK_EQ(done.id, 1);
	CHECK_EQ(done.num_portions, 1);
	CHECK_EQ(fake.last_submit.ctx, vsplit_context_id(ctx));
	CHECK_EQ(fake.last_submit.flags, VSPLIT_SUBMIT_NO_IMPLICIT);
	CHECK_EQ(fake.last_submit.stream_bytes, 72);
	CHECK_EQ(fake.last_submit.num_allocs, 1);
	CHECK_EQ(fake.last_submit.num_patches, 1);
	CHECK_EQ(fake.last_submit.num_syncs, 3);
	CHECK_EQ(fake.last_submit.pad, 0);
	CHECK_EQ(fake.last_sync[0].handle, 90);
	CHECK_EQ(fake.last_sync[1].point, 4);
	CHECK_EQ(fake.last_sync[2].handle, vsplit_context_timeline(ctx));
	CHECK_EQ(fake.last_sync[2].flags, VSPLIT_SYNC_SIGNAL | VSPLIT_SYNC_TIMELINE);
	CHECK_EQ(fake.last_sync[2].point, 1);
	CHECK_EQ(vsplit_wait(ctx, 1, -1, &error), 0);
	CHECK_EQ(error, 0);

	/* A failed submission uses no point. */
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_errno = ENOSPC;
	fake.fail_times = 1;
	CHECK_EQ(vsplit_submit(ctx, stream, 0, syncs, 10, &done), -ENOSPC);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, syncs, 10, &done), 0);
	CHECK_EQ(done.id, 2);
	CHECK_EQ(fake.last_submit.num_syncs, 11);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, &done), 0);
	CHECK_EQ(fake.last_sync[0].point, 3);
	CHECK_EQ(vsplit_wait(ctx, 4, 0, NULL), -EINVAL);
	CHECK_EQ(vsplit_wait(ctx, 0, 0, NULL), -EINVAL);
	vsplit_bo_destroy(bo);
	end();
}

static void unfit_streams_are_not_sent(void)
{
	begin();
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), -EINVAL);
	vsplit_stream_group_begin(stream);
	vsplit_stream_spin(stream, 1);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), -EINVAL);
	vsplit_stream_reset(stream);
	vsplit_stream_pad_to(stream, 3);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), -EINVAL);
	vsplit_stream_reset(stream);
	vsplit_stream_spin(stream, 1);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 1, NULL), -EINVAL);
	CHECK_EQ(fake.submits, 0);
	end();
}

static void fence_error_and_state(void)
{
	struct drm_vsplit_ctx_query query;
	struct vsplit_submission done;
	int error = 0;

	begin();
	vsplit_stream_fill(stream, 3, 0, 4096, 0);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, &done), 0);
	CHECK_EQ(vsplit_wait(ctx, done.id, -1, &error), 0);
	CHECK_EQ(error, -EIO);
	CHECK_EQ(vsplit_context_query(ctx, &query), 0);
	CHECK_EQ(query.state, VSPLIT_STATE_LOST_FAULT);
	CHECK_EQ(query.fault, VSPLIT_FAULT_EMPTY_ROW);
	CHECK_EQ(vsplit_device_state(dev, &query), 0);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, &done), -EIO);
	end();
}

static void records_grow_while_read(void)
{
	struct vsplit_submission done;
	struct vsplit_record *record;

	begin();
	vsplit_stream_spin(stream, 1);
	vsplit_submit(ctx, stream, 0, NULL, 0, &done);
	CHECK_EQ(vsplit_record_read(ctx, done.id, &record), 0);
	CHECK_EQ(record->head.num_events, 1);
	CHECK_EQ(record->head.num_rows, 0);
	CHECK_EQ(record->head.done, 1);
	CHECK_EQ(record->events[0].end, 8);
	vsplit_record_free(record);
	fake.record_growth = 3;
	CHECK_EQ(vsplit_record_read(ctx, done.id, &record), 0);
	CHECK(record->head.num_events >= 1);
	vsplit_record_free(record);
	vsplit_record_free(NULL);
	CHECK_EQ(vsplit_record_read(ctx, 9, &record), -ENOENT);
	CHECK_EQ(vsplit_record_read(ctx, done.id, NULL), -EINVAL);
	end();
}

static void adapters_need_good_names(void)
{
	struct vsplit_adapter *adapter;
	char lengthy[4097];

	CHECK_EQ(vsplit_adapter_create("", &adapter), -EINVAL);
	CHECK_EQ(vsplit_adapter_create("../x", &adapter), -EINVAL);
	CHECK_EQ(vsplit_adapter_create(".", &adapter), -EINVAL);
	CHECK_EQ(vsplit_adapter_create("..", &adapter), -EINVAL);
	CHECK_EQ(vsplit_adapter_remove("."), -ENOENT);
	CHECK_EQ(vsplit_adapter_remove(".."), -ENOENT);
	CHECK_EQ(vsplit_adapter_create("0123456789012345678901234567890x", &adapter), -EINVAL);
	CHECK_EQ(vsplit_adapter_create(NULL, &adapter), -EINVAL);
	CHECK_EQ(vsplit_adapter_create("x", NULL), -EINVAL);
	CHECK_EQ(vsplit_adapter_remove("../x"), -ENOENT);
	vsplit_adapter_destroy(NULL);
	/*
	 * The library refuses an empty value itself, because the kernel would report a bad address.
	 */
	CHECK_EQ(vsplit_adapter_set(NULL, "slots", ""), -EINVAL);
	CHECK_EQ(vsplit_adapter_set(NULL, "slots", NULL), -EINVAL);
	CHECK_EQ(vsplit_adapter_set(NULL, "../slots", "4"), -ENOENT);
	CHECK_EQ(vsplit_adapter_set(NULL, "", "4"), -ENOENT);
	/* The kernel would take only the beginning of this value. */
	memset(lengthy, '1', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	CHECK_EQ(vsplit_adapter_set(NULL, "test", lengthy), -EINVAL);
}

/* Options are checked before anything is written, so this test needs no adapter. */
static void options_are_checked(void)
{
	struct {
		struct vsplit_adapter_options known;
		uint32_t more[64];
	} newer = { .more = { 0 } };
	struct vsplit_adapter_options o = { .slots = 0 };

	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), 0);
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, 8), 0);
	CHECK_EQ(vsplit_adapter_set_options(NULL, NULL, sizeof(o)), -EINVAL);
	CHECK_EQ(vsplit_adapter_set_options(NULL, &newer.known, sizeof(newer)), 0);
	newer.more[63] = 1;
	CHECK_EQ(vsplit_adapter_set_options(NULL, &newer.known, sizeof(newer)), -E2BIG);
	o.flags = 1u << 5;
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), -EINVAL);
	o = (struct vsplit_adapter_options){ .pad = 1 };
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), -EINVAL);
	o = (struct vsplit_adapter_options){ .pad2 = 1 };
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), -EINVAL);
	o = (struct vsplit_adapter_options){ .contexts = 1u << 4 };
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), -EINVAL);
	o = (struct vsplit_adapter_options){ .splits = VSPLIT_ADAPTER_SPLITS_PLANNED + 1 };
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), -EINVAL);
	o = (struct vsplit_adapter_options){ .preemption = VSPLIT_ADAPTER_PREEMPTION_PACKET + 1 };
	CHECK_EQ(vsplit_adapter_set_options(NULL, &o, sizeof(o)), -EINVAL);
}

/*
 * The library returns as much as the caller's struct has room for: a smaller struct gets its part,
 * and in a larger struct zeros follow.
 */
#define CHECK_SIZES(type, call) do { \
	union { \
		type it; \
		uint8_t bytes[sizeof(type) + 64]; \
	} whole, part; \
	memset(&whole, 0xa5, sizeof(whole)); \
	memset(&part, 0xa5, sizeof(part)); \
	type *out = &whole.it; \
	size_t size = sizeof(whole); \
	call; \
	out = &part.it; \
	size = sizeof(type) - 8; \
	call; \
	CHECK(!memcmp(whole.bytes, part.bytes, size)); \
	CHECK(memcmp(whole.bytes, zeros, size)); \
	CHECK(!memcmp(whole.bytes + sizeof(type), zeros, 64)); \
	CHECK(part.bytes[size] == 0xa5 && part.bytes[size + 7] == 0xa5); \
} while (0)

/* The node is a file in these tests. Write to it the events that the next read() returns. */
static void put_events(const struct drm_event *first)
{
	uint8_t bytes[4096] = { 0 };
	struct drm_event other = { .type = 0xff, .length = 64 };
	int fd = open(fake_node(), O_RDWR);
	size_t i;

	for (i = 0; i < sizeof(bytes); i += 64)
		memcpy(bytes + i, i ? &other : first, i ? sizeof(other) : first->length);
	CHECK_EQ(pwrite(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	close(fd);
	CHECK_EQ(lseek(vsplit_device_fd(dev), 0, SEEK_SET), 0);
}

/*
 * readable: number of poll() calls that find something to read; -1: all calls do. interrupted:
 * number of read() calls that a signal interrupts.
 */
static int readable = -1, interrupted;

int poll(struct pollfd *fds, nfds_t num, int timeout)
{
	CHECK(num == 1 && (readable || !timeout));
	fds->revents = readable ? POLLIN : 0;
	readable -= readable > 0;
	return fds->revents != 0;
}

ssize_t read(int fd, void *buf, size_t count)
{
	if (!interrupted)
		return syscall(SYS_read, fd, buf, count);
	interrupted--;
	errno = EINTR;
	return -1;
}

static void events_are_read_once(void)
{
	union {
		struct drm_vsplit_trim_event known;
		uint8_t bytes[64];
	} trim = {
		.known = {
			.base = { .type = DRM_VSPLIT_EVENT_TRIM, .length = sizeof(trim) },
			.bytes = 8192,
		},
	};
	struct vsplit_residency_events events;

	begin();
	put_events(&trim.known.base);
	/*
	 * Only the first poll() finds an event: as if another thread were about to read that event.
	 */
	readable = 1;
	CHECK_EQ(vsplit_resident_read_events(dev, 0, &events), -ETIME);
	CHECK_EQ(lseek(vsplit_device_fd(dev), 0, SEEK_CUR), 0);
	readable = -1;
	interrupted = 2;
	CHECK_EQ(vsplit_resident_read_events(dev, 0, &events), 0);
	CHECK_EQ(interrupted, 0);
	CHECK_EQ(events.trim.bytes, 8192);
	end();
}

static void what_is_no_event_ends_the_read(void)
{
	struct drm_event none = { .type = DRM_VSPLIT_EVENT_TRIM, .length = 0 };
	struct vsplit_residency_events events;

	begin();
	put_events(&none);
	CHECK_EQ(vsplit_resident_read_events(dev, 0, &events), -ETIME);
	end();
}

static void what_is_told_goes_with_its_size(void)
{
	static const uint8_t zeros[512];
	/* An event of a newer driver, which has more members. */
	struct {
		struct drm_vsplit_trim_event known;
		uint64_t more[4];
	} trim = {
		.known = {
			.base = { .type = DRM_VSPLIT_EVENT_TRIM, .length = sizeof(trim) },
			.bytes = 8192, .trims = 3,
		},
	};
	struct vsplit_manager *manager;
	struct vsplit_bo *bo;

	begin();
	CHECK_EQ(vsplit_bo_create(dev, 8192, 0, &bo), 0);
	vsplit_stream_spin(stream, 1);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), 0);
	CHECK_SIZES(struct drm_vsplit_statistics,
		    CHECK_EQ(vsplit_device_statistics_sized(dev, out, size), 0));
	CHECK_SIZES(struct drm_vsplit_ctx_query, CHECK_EQ(vsplit_context_query_sized(ctx, out, size), 0));
	CHECK_SIZES(struct drm_vsplit_gem_info, CHECK_EQ(vsplit_bo_info_sized(bo, out, size), 0));
	CHECK_SIZES(struct drm_vsplit_residency,
		    CHECK_EQ(vsplit_resident_query_sized(dev, NULL, out, size), 0));
	CHECK_SIZES(struct drm_vsplit_residency,
		    CHECK_EQ(vsplit_resident_watch_sized(dev, out, size), 0));
	CHECK_EQ(vsplit_resident_watch(dev, NULL), 0);
	CHECK_EQ(vsplit_resident_eventfd(dev, 7), 0);
	CHECK_EQ(vsplit_resident_query(dev, NULL, &(struct drm_vsplit_residency){ 0 }), 0);
	CHECK_EQ(fake.trim_eventfd, 7);
	CHECK_EQ(vsplit_device_statistics_sized(dev, NULL, 0), -EINVAL);
	CHECK_EQ(vsplit_device_state_sized(dev, NULL, 0), -EINVAL);
	CHECK_SIZES(struct vsplit_residency_events,
		    put_events(&trim.known.base);
		    CHECK_EQ(vsplit_resident_read_events_sized(dev, 1000, out, size), 0);
		    CHECK(out->trimmed && !out->budgeted);
		    CHECK(out->trim.bytes == 8192 && out->trim.trims == 3));
	CHECK_EQ(vsplit_resident_read_events_sized(dev, 0, NULL, 0), -EINVAL);
	CHECK_EQ(vsplit_manager_create(dev, &manager), 0);
	CHECK_EQ(vsplit_manager_use(manager, &bo, 1, NULL), 0);
	CHECK_SIZES(struct vsplit_manager_info, vsplit_manager_query_sized(manager, out, size));
	vsplit_manager_destroy(manager);
	vsplit_bo_destroy(bo);
	end();
}

/* Segments, like options, are checked before anything is written. */
static void segments_are_checked(void)
{
	struct {
		struct vsplit_adapter_segment known;
		uint32_t more[64];
	} newer = { .known = { .name = "vram", .size = 1 << 20 }, .more = { 0 } };

	CHECK_EQ(vsplit_adapter_add_segment_sized(NULL, NULL, sizeof(newer.known)), -EINVAL);
	newer.more[63] = 1;
	CHECK_EQ(vsplit_adapter_add_segment_sized(NULL, &newer.known, sizeof(newer)), -E2BIG);
	newer.known.pad = 1;
	CHECK_EQ(vsplit_adapter_add_segment(NULL, &newer.known), -EINVAL);
	newer.known.pad = 0;
	/* The size of a struct that has only the name is refused. */
	CHECK_EQ(vsplit_adapter_add_segment_sized(NULL, &newer.known, sizeof(char *)), -EINVAL);
}

static void files_that_are_open_already(void)
{
	struct vsplit_device *second = NULL;
	struct vsplit_bo *bo;
	int fd;

	begin();
	CHECK_EQ(vsplit_device_open_fd(-1, &second), -EBADF);
	CHECK_EQ(vsplit_device_open_fd(0, NULL), -EINVAL);
	fd = open("/dev/null", O_RDWR);
	CHECK_EQ(vsplit_device_open_fd(fd, &second), -EINVAL);
	close(fd);
	CHECK(!second);

	fd = open(fake_node(), O_RDWR);
	CHECK_EQ(vsplit_device_open_fd(fd, &second), 0);
	CHECK(vsplit_device_fd(second) != fd);
	CHECK_STR(vsplit_device_path(second), fake_node());
	CHECK_EQ(vsplit_bo_create(second, 4096, 0, &bo), 0);
	vsplit_bo_destroy(bo);
	vsplit_device_close(second);
	/* The caller's own descriptor is still open. */
	CHECK_EQ(close(fd), 0);
	end();
}

static void several_holders(void)
{
	struct vsplit_context *again;
	struct vsplit_bo *bo;
	void *ptr, *moved;
	int handles;

	begin();
	CHECK_EQ(vsplit_bo_create(dev, 4096, 0, &bo), 0);
	handles = fake.open_handles;
	CHECK(vsplit_bo_ref(bo) == bo);
	vsplit_bo_destroy(bo);
	CHECK_EQ(fake.open_handles, handles);

	CHECK_EQ(vsplit_bo_map(bo, &ptr), 0);
	*(char *)ptr = 7;
	vsplit_bo_unmap(bo);
	vsplit_bo_unmap(bo);
	CHECK_EQ(msync(ptr, 4096, MS_SYNC), -1);
	CHECK_EQ(errno, ENOMEM);
	CHECK_EQ(vsplit_bo_map(bo, &moved), 0);
	CHECK_EQ(*(char *)moved, 7);
	vsplit_bo_destroy(bo);
	CHECK_EQ(fake.open_handles, handles - 1);

	again = vsplit_context_ref(ctx);
	CHECK(again == ctx);
	vsplit_context_destroy(again);
	CHECK_EQ(fake.open_handles, handles - 1);
	end();
}

static void budgets_of_both_groups(void)
{
	begin();
	CHECK_EQ(vsplit_resident_set_budget(dev, VSPLIT_GROUP_NONLOCAL, 5 << 20), 0);
	CHECK_EQ(fake.escape.op, VSPLIT_ESCAPE_BUDGET);
	CHECK_EQ(fake.escape.handle, VSPLIT_GROUP_NONLOCAL);
	CHECK_EQ(fake.escape.value, 5 << 20);
	CHECK_EQ(vsplit_device_escape(dev, VSPLIT_ESCAPE_BUDGET, NULL, UINT64_MAX), 0);
	CHECK_EQ(fake.escape.handle, VSPLIT_GROUP_LOCAL);
	end();
}

static void waits_for_many(void)
{
	struct vsplit_wait_item items[3] = { 0 };
	struct vsplit_context *other, *foreign;
	struct vsplit_device *second;
	uint32_t first = 99, i;

	begin();
	CHECK_EQ(vsplit_context_create(dev, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &other), 0);
	vsplit_stream_spin(stream, 1);
	for (i = 0; i < 3; i++)
		CHECK_EQ(vsplit_submit(i ? ctx : other, stream, 0, NULL, 0, NULL), 0);
	items[0] = (struct vsplit_wait_item){ other, 1 };
	items[1] = (struct vsplit_wait_item){ ctx, 1 };
	items[2] = (struct vsplit_wait_item){ ctx, 2 };
	fake.waits = 0;
	CHECK_EQ(vsplit_wait_many(items, 3, true, -1, NULL), 0);
	CHECK_EQ(fake.wait_flags, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
		 DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT);
	CHECK_EQ(vsplit_wait_many(items, 3, false, 0, &first), 0);
	CHECK_EQ(fake.wait_flags, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT);
	CHECK_EQ(first, 2);
	/* Each of the two waits was one call of the kernel. */
	CHECK_EQ(fake.waits, 2);

	CHECK_EQ(vsplit_wait_many(NULL, 1, true, 0, NULL), -EINVAL);
	CHECK_EQ(vsplit_wait_many(items, 0, true, 0, NULL), -EINVAL);
	items[2].id = 0;
	CHECK_EQ(vsplit_wait_many(items, 3, true, 0, NULL), -EINVAL);
	items[2].id = 9;
	CHECK_EQ(vsplit_wait_many(items, 3, true, 0, NULL), -EINVAL);
	CHECK_EQ(vsplit_device_open_path(fake_node(), &second), 0);
	CHECK_EQ(vsplit_context_create(second, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &foreign), 0);
	items[2] = (struct vsplit_wait_item){ foreign, 1 };
	CHECK_EQ(vsplit_wait_many(items, 3, true, 0, NULL), -EINVAL);
	vsplit_context_destroy(foreign);
	vsplit_device_close(second);
	vsplit_context_destroy(other);
	end();
}

static void fences_as_files(void)
{
	uint32_t handle = 0;
	struct vsplit_mfence *mfence = NULL;
	int fence = -1, syncobjs;

	begin();
	vsplit_stream_spin(stream, 1);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), 0);
	CHECK_EQ(vsplit_submit(ctx, stream, 0, NULL, 0, NULL), 0);
	syncobjs = fake.syncobjs;
	CHECK_EQ(vsplit_fence_export(ctx, 2, &fence), 0);
	CHECK_EQ(fake.fence_point, 2);
	CHECK_EQ(fake.syncobjs, syncobjs);
	CHECK_EQ(vsplit_fence_import(dev, fence, &handle), 0);
	CHECK(handle);
	CHECK_EQ(fake.syncobjs, syncobjs + 1);
	drmSyncobjDestroy(vsplit_device_fd(dev), handle);
	close(fence);

	CHECK_EQ(vsplit_fence_export(ctx, 0, &fence), -EINVAL);
	CHECK_EQ(vsplit_fence_export(ctx, 3, &fence), -EINVAL);
	CHECK_EQ(vsplit_fence_export(ctx, 1, NULL), -EINVAL);
	CHECK_EQ(vsplit_fence_import(dev, -1, &handle), -EINVAL);
	CHECK_EQ(vsplit_mfence_create(dev, 1, NULL), -EINVAL);
	CHECK_EQ(vsplit_mfence_import(dev, fence, NULL), -EINVAL);
	CHECK_EQ(vsplit_mfence_create(dev, 1, &mfence), 0);
	CHECK_EQ(vsplit_mfence_export(mfence, NULL), -EINVAL);
	vsplit_mfence_destroy(mfence);
	CHECK_EQ(fake.syncobjs, syncobjs);
	end();
}

static void names_and_text(void)
{
	struct drm_vsplit_event events[] = {
		{ .type = VSPLIT_EVENT_PAGE_IN, .id = 9, .bytes = 4096, .segment = 1,
		  .flags = VSPLIT_EVENT_FILLED },
		{ .type = VSPLIT_EVENT_MOVE, .id = 8, .bytes = 8192, .segment = 1, .at = 0x1000,
		  .from_segment = 2, .from = 0x3000, .copied = 8192, .portion = 1,
		  .flags = VSPLIT_EVENT_FOREIGN },
		{ .type = VSPLIT_EVENT_PORTION, .end = 16, .row_count = 2, .t0_ns = 5, .t1_ns = 9,
		  .flags = VSPLIT_EVENT_SKIPPED },
	};
	struct drm_vsplit_row rows[] = { { .slot = 3, .handle = 7, .segment = 1 } };
	struct vsplit_record record = {
		.head = { .submission = 4, .num_events = 3, .num_rows = 1, .num_portions = 1,
			  .done = 1, .error = 5, .fault = VSPLIT_FAULT_BOUNDS },
		.events = events, .rows = rows,
	};
	char *text = NULL;

	CHECK_STR(vsplit_event_name(VSPLIT_EVENT_RELEASE_RANGE), "release-range");
	CHECK_STR(vsplit_event_name(99), "unknown");
	CHECK_STR(vsplit_state_name(VSPLIT_STATE_LOST_OOM), "lost-oom");
	CHECK_STR(vsplit_state_name(UINT32_MAX), "unknown");
	CHECK_STR(vsplit_fault_name(VSPLIT_FAULT_CANCELLED), "cancelled");
	CHECK_STR(vsplit_fault_name(1000), "unknown");
	CHECK_EQ(vsplit_record_text(NULL, &text), -EINVAL);
	CHECK_EQ(vsplit_record_text(&record, NULL), -EINVAL);
	CHECK_EQ(vsplit_record_text(&record, &text), 0);
	/* A row that does not exist is left out. */
	CHECK_STR(text,
		  "submission 4: 1 portions, done, error 5, fault: out of bounds\n"
		  "  page-in before portion 0: id 9, 4096 bytes, 1 @ 0x0, 0 copied, filled\n"
		  "  move before portion 1: id 8, 8192 bytes, from 2 @ 0x3000, 1 @ 0x1000, 8192 copied, foreign\n"
		  "  portion 0: [0x0, 0x10), slot 3: handle 7 in 1 @ 0x0, did not all run, 4 ns\n");
	free(text);
}

int main(void)
{
	RUN(opening);
	RUN(failed_open_leaks_no_file);
	RUN(segments);
	RUN(mapping_is_made_once);
	RUN(locking);
	RUN(addresses);
	RUN(runs);
	RUN(surfaces);
	RUN(sharing);
	RUN(objects_outlive_their_device);
	RUN(submission_carries_lists_and_timeline);
	RUN(unfit_streams_are_not_sent);
	RUN(fence_error_and_state);
	RUN(records_grow_while_read);
	RUN(adapters_need_good_names);
	RUN(options_are_checked);
	RUN(events_are_read_once);
	RUN(what_is_no_event_ends_the_read);
	RUN(what_is_told_goes_with_its_size);
	RUN(segments_are_checked);
	RUN(files_that_are_open_already);
	RUN(several_holders);
	RUN(budgets_of_both_groups);
	RUN(waits_for_many);
	RUN(fences_as_files);
	RUN(names_and_text);
	return check_total_failures != 0;
}
