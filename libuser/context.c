// SPDX-License-Identifier: MIT
/* Contexts, each with the timeline syncobj of its submissions. */
#include <errno.h>
#include <stdlib.h>
#include <xf86drm.h>

#include "internal.h"

static void destroy_id(struct vsplit_device *dev, uint32_t id)
{
	struct drm_vsplit_ctx_destroy args = { .ctx = id };

	vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_CTX_DESTROY, &args);
}

int vsplit_context_create(struct vsplit_device *dev, uint32_t flags, uint32_t priority,
			  uint32_t engine, struct vsplit_context **out)
{
	return vsplit_context_create_mode(dev, VSPLIT_CTX_MODE_PATCH, flags, priority, engine,
					  out);
}

int vsplit_context_create_mode(struct vsplit_device *dev, uint32_t mode, uint32_t flags,
			       uint32_t priority, uint32_t engine, struct vsplit_context **out)
{
	struct drm_vsplit_ctx_create args = {
		.flags = flags,
		.priority = priority,
		.engine = engine,
		.mode = mode,
	};
	struct vsplit_context *ctx;
	int ret;

	if (!out)
		return -EINVAL;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_CTX_CREATE, &args);
	if (ret)
		goto err_free;
	ret = drmSyncobjCreate(vsplit_device_fd(dev), 0, &ctx->timeline);
	if (ret) {
		ret = -errno;
		goto err_destroy;
	}
	atomic_init(&ctx->refs, 1);
	ctx->dev = vsplit__device_get(dev);
	ctx->id = args.ctx;
	pthread_mutex_init(&ctx->lock, NULL);
	*out = ctx;
	return 0;

err_destroy:
	destroy_id(dev, args.ctx);
err_free:
	free(ctx);
	return ret;
}

struct vsplit_context *vsplit_context_ref(struct vsplit_context *ctx)
{
	atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
	return ctx;
}

void vsplit_context_destroy(struct vsplit_context *ctx)
{
	int fd;

	if (!ctx || atomic_fetch_sub_explicit(&ctx->refs, 1, memory_order_acq_rel) != 1)
		return;
	fd = vsplit_device_fd(ctx->dev);
	if (fd >= 0) {
		destroy_id(ctx->dev, ctx->id);
		drmSyncobjDestroy(fd, ctx->timeline);
	}
	pthread_mutex_destroy(&ctx->lock);
	vsplit__device_put(ctx->dev);
	free(ctx);
}

uint32_t vsplit_context_id(const struct vsplit_context *ctx)
{
	return ctx->id;
}

uint32_t vsplit_context_timeline(const struct vsplit_context *ctx)
{
	return ctx->timeline;
}

int vsplit_context_query_sized(struct vsplit_context *ctx, struct drm_vsplit_ctx_query *out,
			 size_t size)
{
	struct drm_vsplit_ctx_query query = { .ctx = ctx->id };
	int ret;

	if (!out)
		return -EINVAL;
	ret = vsplit__ioctl(ctx->dev, DRM_IOCTL_VSPLIT_CTX_QUERY, &query);
	if (!ret)
		vsplit__give(out, size, &query, sizeof(query));
	return ret;
}
