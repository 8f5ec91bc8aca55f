// SPDX-License-Identifier: MIT
/* Submission and waiting. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>

#include "internal.h"

int vsplit__copy_syncs(const struct drm_vsplit_sync *syncs, uint32_t num_syncs,
		       struct drm_vsplit_sync few[FEW_SYNCS], struct drm_vsplit_sync **all)
{
	*all = few;
	if (num_syncs >= UINT32_MAX / sizeof(**all))
		return -E2BIG;
	if (num_syncs + 1 > FEW_SYNCS) {
		*all = calloc(num_syncs + 1, sizeof(**all));
		if (!*all)
			return -ENOMEM;
	}
	if (num_syncs)
		memcpy(*all, syncs, num_syncs * sizeof(**all));
	return 0;
}

static int submit_locked(struct vsplit_context *ctx, struct drm_vsplit_submit *args,
			 struct drm_vsplit_sync *syncs, uint32_t num_syncs)
{
	int ret;

	syncs[num_syncs] = (struct drm_vsplit_sync){
		.handle = ctx->timeline,
		.flags = VSPLIT_SYNC_SIGNAL | VSPLIT_SYNC_TIMELINE,
		.point = ctx->last + 1,
	};
	args->syncs = (uintptr_t)syncs;
	args->num_syncs = num_syncs + 1;
	ret = vsplit__ioctl(ctx->dev, DRM_IOCTL_VSPLIT_SUBMIT, args);
	if (!ret)
		ctx->last = args->submission;
	return ret;
}

int vsplit_submit(struct vsplit_context *ctx, struct vsplit_stream *stream, uint32_t flags,
		  const struct drm_vsplit_sync *syncs, uint32_t num_syncs,
		  struct vsplit_submission *submission)
{
	struct drm_vsplit_submit args = { .ctx = ctx->id, .flags = flags };
	struct drm_vsplit_sync few[FEW_SYNCS], *all;
	int ret;

	ret = vsplit_stream_error(stream);
	if (ret)
		return ret;
	if ((num_syncs && !syncs) || vsplit__stream_in_group(stream) ||
	    !vsplit_stream_offset(stream))
		return -EINVAL;
	ret = vsplit__copy_syncs(syncs, num_syncs, few, &all);
	if (ret)
		return ret;

	args.stream = (uintptr_t)vsplit_stream_data(stream);
	args.stream_bytes = vsplit_stream_offset(stream);
	args.allocs = (uintptr_t)vsplit_stream_allocs(stream, &args.num_allocs);
	args.patches = (uintptr_t)vsplit_stream_patches(stream, &args.num_patches);

	pthread_mutex_lock(&ctx->lock);
	ret = submit_locked(ctx, &args, all, num_syncs);
	pthread_mutex_unlock(&ctx->lock);
	if (all != few)
		free(all);
	if (!ret && submission) {
		submission->id = args.submission;
		submission->num_portions = args.num_portions;
	}
	return ret;
}

static int fence_error(struct vsplit_context *ctx, uint64_t id, int *error)
{
	struct drm_vsplit_record args = { .ctx = ctx->id, .submission = id };
	int ret;

	ret = vsplit__ioctl(ctx->dev, DRM_IOCTL_VSPLIT_RECORD, &args);
	if (!ret)
		*error = -(int)args.error;
	return ret;
}

int vsplit_wait(struct vsplit_context *ctx, uint64_t id, int64_t timeout_ms, int *error)
{
	int fd = vsplit_device_fd(ctx->dev);
	uint32_t handle = ctx->timeline;
	int ret;

	if (fd < 0)
		return -EBADF;
	if (!id || id > ctx->last)
		return -EINVAL;
	/* While the submission waits for a monitored fence, the point does not exist yet. */
	ret = drmSyncobjTimelineWait(fd, &handle, &id, 1, vsplit__deadline(timeout_ms),
				     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL);
	if (ret)
		return ret;
	return error ? fence_error(ctx, id, error) : 0;
}

int vsplit_wait_many(const struct vsplit_wait_item *items, uint32_t count, bool all,
		     int64_t timeout_ms, uint32_t *first)
{
	struct vsplit_device *dev;
	uint32_t *handles, i, done = 0;
	uint64_t *points;
	int fd, ret = -EINVAL;

	if (!items || !count)
		return -EINVAL;
	dev = items[0].ctx->dev;
	fd = vsplit_device_fd(dev);
	if (fd < 0)
		return -EBADF;
	handles = calloc(count, sizeof(*handles));
	points = calloc(count, sizeof(*points));
	if (!handles || !points) {
		ret = -ENOMEM;
		goto out;
	}
	for (i = 0; i < count; i++) {
		/* The kernel waits for syncobjs of a single file only. */
		if (items[i].ctx->dev != dev || !items[i].id || items[i].id > items[i].ctx->last)
			goto out;
		handles[i] = items[i].ctx->timeline;
		points[i] = items[i].id;
	}
	ret = drmSyncobjTimelineWait(fd, handles, points, count, vsplit__deadline(timeout_ms),
				     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
				     (all ? DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL : 0), &done);
	if (!ret && first)
		*first = done;
out:
	free(handles);
	free(points);
	return ret;
}

int vsplit_fence_export(struct vsplit_context *ctx, uint64_t id, int *fence)
{
	int fd = vsplit_device_fd(ctx->dev), ret;
	uint32_t handle;

	if (fd < 0)
		return -EBADF;
	if (!id || !fence)
		return -EINVAL;
	/*
	 * A sync file holds one fence. A syncobj without points takes the fence of the point first.
	 */
	if (drmSyncobjCreate(fd, 0, &handle))
		return -errno;
	ret = drmSyncobjTransfer(fd, handle, 0, ctx->timeline, id, 0) ? -errno : 0;
	if (!ret)
		ret = drmSyncobjExportSyncFile(fd, handle, fence) ? -errno : 0;
	drmSyncobjDestroy(fd, handle);
	return ret;
}

int vsplit_fence_import(struct vsplit_device *dev, int fence, uint32_t *syncobj)
{
	int fd = vsplit_device_fd(dev), ret;
	uint32_t handle;

	if (fd < 0)
		return -EBADF;
	if (!syncobj)
		return -EINVAL;
	if (drmSyncobjCreate(fd, 0, &handle))
		return -errno;
	if (drmSyncobjImportSyncFile(fd, handle, fence)) {
		ret = -errno;
		drmSyncobjDestroy(fd, handle);
		return ret;
	}
	*syncobj = handle;
	return 0;
}
