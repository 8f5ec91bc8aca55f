// SPDX-License-Identifier: MIT
/*
 * Explicit residency: the requirement list of a device, and what the device is asked to give back.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "internal.h"

#define FEW_HANDLES	32

/*
 * Issue @request for the handles of @bos. @args: the argument of the ioctl. @in: its member that is
 * set to the address of the array of handles. @out, if not NULL: its member through which the
 * kernel replaces each handle by a value. @values, if not NULL: receives these values.
 */
static int call_handles(struct vsplit_device *dev, unsigned long request, void *args,
			struct vsplit_bo *const *bos, uint32_t num, __u64 *in, __u64 *out,
			bool *values)
{
	uint32_t few[FEW_HANDLES], *handles = few, i;
	int ret;

	if (!bos || !num)
		return -EINVAL;
	if (num > VSPLIT_MAX_RESIDENCY)
		return -E2BIG;
	if (num > FEW_HANDLES)
		handles = calloc(num, sizeof(*handles));
	if (!handles)
		return -ENOMEM;
	for (i = 0; i < num; i++)
		handles[i] = bos[i]->handle;
	*in = (uintptr_t)handles;
	if (out)
		*out = *in;
	ret = vsplit__ioctl(dev, request, args);
	for (i = 0; !ret && values && i < num; i++)
		values[i] = handles[i];
	if (handles != few)
		free(handles);
	return ret;
}

int vsplit_resident_make(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num,
			 uint32_t flags, uint64_t *point, uint64_t *trim_bytes)
{
	struct drm_vsplit_make_resident args = { .num_handles = num, .flags = flags };
	int ret;

	ret = call_handles(dev, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &args, bos, num, &args.handles, NULL, NULL);
	if (!ret && point)
		*point = args.point;
	if (trim_bytes)
		*trim_bytes = ret == -ENOSPC ? args.trim_bytes : 0;
	return ret;
}

int vsplit_resident_evict(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num,
			  uint32_t flags, uint64_t *trim_bytes)
{
	struct drm_vsplit_evict args = { .num_handles = num, .flags = flags };
	int ret;

	ret = call_handles(dev, DRM_IOCTL_VSPLIT_EVICT, &args, bos, num, &args.handles, NULL, NULL);
	if (!ret && trim_bytes)
		*trim_bytes = args.trim_bytes;
	return ret;
}

int vsplit_resident_query_sized(struct vsplit_device *dev, const struct vsplit_bo *bo,
			  struct drm_vsplit_residency *residency, size_t size)
{
	struct drm_vsplit_residency args = { .handle = bo ? bo->handle : 0 };
	int ret;

	if (!residency)
		return -EINVAL;
	ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_RESIDENCY, &args);
	if (!ret)
		vsplit__give(residency, size, &args, sizeof(args));
	return ret;
}

int vsplit_bo_offer(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num,
		    uint32_t priority)
{
	struct drm_vsplit_offer args = { .num_handles = num, .priority = priority };

	return call_handles(dev, DRM_IOCTL_VSPLIT_OFFER, &args, bos, num, &args.handles, NULL, NULL);
}

int vsplit_bo_reclaim(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num,
		      bool *discarded)
{
	struct drm_vsplit_reclaim args = { .num_handles = num };

	return call_handles(dev, DRM_IOCTL_VSPLIT_RECLAIM, &args, bos, num, &args.handles,
			    &args.discarded, discarded);
}

int vsplit_resident_wait(struct vsplit_device *dev, uint64_t point, int64_t timeout_ms)
{
	struct drm_vsplit_residency residency;
	int ret;

	if (!point)
		return 0;
	ret = vsplit_resident_query(dev, NULL, &residency);
	if (ret)
		return ret;
	return drmSyncobjTimelineWait(vsplit_device_fd(dev), &residency.syncobj, &point, 1,
				      vsplit__deadline(timeout_ms), 0, NULL);
}

int vsplit_resident_reserve(struct vsplit_device *dev, uint32_t group, uint64_t bytes,
			    uint64_t *available)
{
	struct drm_vsplit_reserve args = { .group = group, .bytes = bytes };
	int ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_RESERVE, &args);

	if (available && (!ret || ret == -ENOSPC))
		*available = args.available;
	return ret;
}

int vsplit_resident_set_budget(struct vsplit_device *dev, uint32_t group, uint64_t bytes)
{
	struct drm_vsplit_escape args = {
		.op = VSPLIT_ESCAPE_BUDGET, .handle = group, .value = bytes,
	};

	return vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_ESCAPE, &args);
}

int vsplit_resident_watch_sized(struct vsplit_device *dev, struct drm_vsplit_residency *residency,
			  size_t size)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_WATCH_BUDGET };
	int ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_RESIDENCY, &args);

	if (!ret && residency)
		vsplit__give(residency, size, &args, sizeof(args));
	return ret;
}

int vsplit_resident_eventfd(struct vsplit_device *dev, int eventfd)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_EVENTFD, .fd = eventfd };

	return vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_RESIDENCY, &args);
}

static void take_event(const char *at, struct vsplit_residency_events *events)
{
	struct drm_event event;

	memcpy(&event, at, sizeof(event));
	if (event.type == DRM_VSPLIT_EVENT_TRIM && event.length >= sizeof(events->trim)) {
		memcpy(&events->trim, at, sizeof(events->trim));
		events->trimmed = true;
	} else if (event.type == DRM_VSPLIT_EVENT_BUDGET &&
		   event.length >= sizeof(events->budget)) {
		memcpy(&events->budget, at, sizeof(events->budget));
		events->budgeted = true;
	}
}

/* Wait until the file has events to read, or until @deadline. */
static int wait_readable(struct vsplit_device *dev, int64_t deadline)
{
	struct pollfd p = { .events = POLLIN };
	int64_t left;
	int ret;

	do {
		p.fd = vsplit_device_fd(dev);
		if (p.fd < 0)
			return -EBADF;
		left = (deadline - vsplit__deadline(0) + 999999) / 1000000;
		if (left < 0)
			left = 0;
		ret = poll(&p, 1, left < INT_MAX ? (int)left : INT_MAX);
	} while (ret < 0 ? errno == EINTR : !ret && left > INT_MAX);
	if (ret < 0)
		return -errno;
	if (!ret)
		return -ETIME;
	return p.revents & POLLIN ? 0 : -ENODEV;
}

/* Take the events of one read(). If another thread has read them first, there are none. */
static int read_once(struct vsplit_device *dev, int64_t deadline,
		     struct vsplit_residency_events *events)
{
	struct drm_event event;
	char buf[4096];
	ssize_t n = 0;
	int ret;

	ret = wait_readable(dev, deadline);
	if (ret)
		return ret;
	pthread_mutex_lock(&dev->read_lock);
	ret = wait_readable(dev, 0);
	if (!ret) {
		do
			n = read(vsplit_device_fd(dev), buf, sizeof(buf));
		while (n < 0 && errno == EINTR);
		if (n < 0)
			ret = -errno;
	}
	pthread_mutex_unlock(&dev->read_lock);
	if (ret)
		return ret == -ETIME ? 0 : ret;
	for (ssize_t at = 0; at + (ssize_t)sizeof(event) <= n; at += event.length) {
		memcpy(&event, buf + at, sizeof(event));
		/* A shorter length, such as 0, would never end the loop. */
		if (event.length < sizeof(event))
			break;
		take_event(buf + at, events);
	}
	return 0;
}

/* Read until there is a trim event or, if @trim is false, a budget event. */
static int read_until(struct vsplit_device *dev, int64_t timeout_ms, bool trim,
		      struct vsplit_residency_events *events)
{
	struct vsplit_residency_events found = { .trimmed = false };
	int64_t deadline = vsplit__deadline(timeout_ms);
	struct drm_vsplit_residency residency;
	int ret;

	do {
		ret = read_once(dev, deadline, &found);
		/* The driver sends the next event only after the residency was queried. */
		if (!ret && (found.trimmed || found.budgeted))
			ret = vsplit_resident_query(dev, NULL, &residency);
		if (trim)
			found.budgeted = false;
		if (!ret && !found.trimmed && !found.budgeted && vsplit__deadline(0) >= deadline)
			ret = -ETIME;
	} while (!ret && !found.trimmed && !found.budgeted);
	if (!ret)
		*events = found;
	return ret;
}

int vsplit_resident_read_events_sized(struct vsplit_device *dev, int64_t timeout_ms,
				struct vsplit_residency_events *events, size_t size)
{
	struct vsplit_residency_events found;
	int ret;

	if (!events)
		return -EINVAL;
	ret = read_until(dev, timeout_ms, false, &found);
	if (!ret)
		vsplit__give(events, size, &found, sizeof(found));
	return ret;
}

int vsplit_resident_read_trim(struct vsplit_device *dev, int64_t timeout_ms,
			      struct drm_vsplit_trim_event *trim)
{
	struct vsplit_residency_events events;
	int ret;

	if (!trim)
		return -EINVAL;
	ret = read_until(dev, timeout_ms, true, &events);
	if (!ret)
		*trim = events.trim;
	return ret;
}
