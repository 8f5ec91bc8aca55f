// SPDX-License-Identifier: MIT
/* Makes the objects of a scenario: adapters, devices, contexts, allocations. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "run.h"

/* ---- the adapter ------------------------------------------------------- */

/* A kind of context includes the kinds before it. 0: those that the adapter has by default. */
static uint32_t kinds_with(uint32_t modes)
{
	uint32_t kind, all = 0;

	for (kind = VSPLIT_CTX_MODE_EXPLICIT; kind <= VSPLIT_CTX_MODE_HW; kind++)
		if (modes & 1u << kind)
			all = (2u << kind) - 1;
	return all;
}

static int set_up(struct player *p, struct vsplit_adapter *adapter)
{
	const struct adapter_def *a = &p->s->adapter;
	const struct vsplit_adapter_options options = {
		.slots = a->slots,
		.engines = a->engines,
		.heads = a->heads ? a->heads : VSPLIT_ADAPTER_NO_HEADS,
		.preemption = a->save_restore < 0 ? VSPLIT_ADAPTER_PREEMPTION_DEFAULT :
			      a->save_restore	  ? VSPLIT_ADAPTER_PREEMPTION_SPLIT_POINT :
						    VSPLIT_ADAPTER_PREEMPTION_NONE,
		.paging = a->paging_own < 0 ? VSPLIT_ADAPTER_PAGING_DEFAULT :
			  a->paging_own	    ? VSPLIT_ADAPTER_PAGING_OWN :
					      VSPLIT_ADAPTER_PAGING_SAME,
		.contexts = kinds_with(a->modes),
		.flags = p->options->num_knobs || a->test ? VSPLIT_ADAPTER_TEST : 0,
	};
	uint32_t i;
	int ret;

	for (i = 0; i < a->num_segments; i++) {
		const struct segment_def *seg = &a->segments[i];
		const struct vsplit_adapter_segment segment = {
			.name = seg->name,
			.aperture = seg->aperture,
			.size = seg->size,
			.commit_limit = seg->commit,
			.cpu_visible = seg->cpu,
			.swizzling_ranges = (uint32_t)seg->ranges,
		};

		ret = vsplit_adapter_add_segment(adapter, &segment);
		if (ret) {
			say(p->s, seg->line, "segment %s is not possible: %s (%s)", seg->name,
			    strerror(-ret), errno_name(ret));
			return ret;
		}
	}
	ret = vsplit_adapter_set_options(adapter, &options, sizeof(options));
	for (i = 0; !ret && i < a->num_options; i++) {
		const char *name = a->options[i], *value = name + strlen(name) + 1;

		ret = vsplit_adapter_set(adapter, name, value);
		if (ret) {
			say(p->s, a->line, "adapter: %s=%s is not possible: %s (%s)", name, value,
			    strerror(-ret), errno_name(ret));
			return ret;
		}
	}
	if (!ret && p->options->policy)
		ret = strcmp(p->options->policy, "planned") ?
		      vsplit_adapter_set(adapter, "victims", p->options->policy) :
		      vsplit_adapter_set(adapter, "splits", "planned");
	if (!ret)
		ret = vsplit_adapter_enable(adapter);
	if (ret)
		say(p->s, a->line, "such an adapter is not possible: %s (%s)%s", strerror(-ret),
		    errno_name(ret), ret == -EINVAL ? "; the kernel's log says why" : "");
	return ret;
}

int make_adapter(struct player *p, struct own_adapter **own, const char *prefix)
{
	int ret = own_adapter_create(prefix, own);

	return ret ? ret : set_up(p, own_adapter_get(*own));
}

static int fd_of(const struct player *p, uint32_t device)
{
	return vsplit_device_fd(p->devices[device]);
}

/* Open a node, and free @path, which may be NULL. */
static int open_node(char *path, struct vsplit_device **dev)
{
	int ret = path ? vsplit_device_open_path(path, dev) : -ENODEV;

	free(path);
	return ret;
}

/* Open the scenario's adapter: the one made for the run, or the existing one. */
static int open_same(struct player *p, struct vsplit_device **dev)
{
	if (p->owns[DEFAULT_DEVICE])
		return vsplit_adapter_open(own_adapter_get(p->owns[DEFAULT_DEVICE]), dev);
	if (p->devices[DEFAULT_DEVICE] && (p->s->devices[DEFAULT_DEVICE].primary ||
					   p->s->devices[DEFAULT_DEVICE].primaries))
		return open_node(drmGetRenderDeviceNameFromFd(fd_of(p, DEFAULT_DEVICE)), dev);
	if (p->devices[DEFAULT_DEVICE])
		return vsplit_device_open_path(vsplit_device_path(p->devices[DEFAULT_DEVICE]), dev);
	return open_adapter(p->options->device, dev);
}

int open_device(struct player *p, uint32_t index)
{
	const struct device_def *d = &p->s->devices[index];
	struct vsplit_device **dev = &p->devices[index];
	char prefix[16];
	int ret;

	if (d->own) {
		snprintf(prefix, sizeof(prefix), "play%u", index);
		ret = make_adapter(p, &p->owns[index], prefix);
		if (!ret)
			ret = vsplit_adapter_open(own_adapter_get(p->owns[index]), dev);
	} else {
		ret = open_same(p, dev);
	}
	if (!ret && (d->primary || d->primaries))
		ret = reopen_primary(dev);
	/* Only devices that ask for the display keep it. */
	if (!ret && !d->primary && d->primaries)
		drmDropMaster(vsplit_device_fd(*dev));
	return ret;
}

/* ---- objects ----------------------------------------------------------- */

int run_context(struct player *p, const struct stmt *stmt)
{
	const struct context_def *c = &p->s->contexts[stmt->index];
	int ret;

	ret = vsplit_context_create_mode(p->devices[c->device], c->mode,
					 c->wddm ? VSPLIT_CTX_WDDM_ERRORS : 0, c->priority,
					 c->engine, &p->contexts[stmt->index]);
	if (!ret)
		ret = run_hwq(p, stmt->index);
	p->context_errors[stmt->index] = ret;
	return c->error_expected ? 0 : ret;
}

static void fill_params(struct player *p, const struct alloc_def *a,
			struct drm_vsplit_gem_create *params)
{
	uint32_t i;

	*params = (struct drm_vsplit_gem_create){
		.size = a->size,
		.alignment = a->align,
		.flags = a->flags,
		.priority = a->priority,
		.num_segments = a->num_segments,
	};
	if (a->kind == ALLOC_PLAIN)
		params->pitch = (uint32_t)a->pitch;
	for (i = 0; i < a->num_segments; i++)
		params->segments[i] = (uint8_t)segment_id(p->r, a->segments[i]) |
				      a->segment_flags[i];
	for (i = 0; i < a->num_evict_to; i++)
		params->eviction_set |= 1u << (segment_id(p->r, a->evict_to[i]) - 1);
}

/* Store the result of making an allocation. Its error is no failure if an expect checks it. */
static int made(struct player *p, uint32_t index, int error)
{
	struct alloc_result *res = &p->r->allocs[index];
	const struct vsplit_bo *bo = p->bos[index];

	res->error = error;
	if (!error)
		result_made(p->r, index, vsplit_bo_handle(bo), vsplit_bo_id(bo));
	result_log(p->r, LOG_ALLOC, index, 0);
	return p->s->allocs[index].error_expected ? 0 : error;
}

int run_alloc(struct player *p, const struct stmt *stmt)
{
	const struct alloc_def *a = &p->s->allocs[stmt->index];
	struct alloc_result *res = &p->r->allocs[stmt->index];
	struct vsplit_bo **bo = &p->bos[stmt->index];
	struct drm_vsplit_gem_create params;
	struct drm_vsplit_gem_info info;
	int ret;

	fill_params(p, a, &params);
	res->fb_pitch = a->fb_pitch;
	ret = vsplit_bo_create_from(p->devices[a->device], &params, bo);
	if (!ret && (a->flags & VSPLIT_GEM_PINNED) && !vsplit_bo_info(*bo, &info)) {
		res->pinned_in = info.segment;
		res->pinned_at = info.offset;
	}
	return made(p, stmt->index, ret);
}

/* Create both allocations with one call; the private data of each has its format. */
int run_surface(struct player *p, const struct stmt *stmt)
{
	const struct alloc_def *a = &p->s->allocs[stmt->index];
	struct {
		struct drm_vsplit_surface_private head;
		uint8_t client[56];
	} private[2] = { 0 };
	struct drm_vsplit_surface_alloc allocs[2] = { 0 };
	uint32_t i;
	int ret, second;

	for (i = 0; i < 2; i++) {
		fill_params(p, &a[i], &allocs[i].create);
		private[i].head.format = a[i].kind == ALLOC_TILES ? VSPLIT_SURFACE_TILED :
								    VSPLIT_SURFACE_LINEAR;
		memset(&private[i].head.client, a[i].private_byte, sizeof(private[i].head.client));
		memset(private[i].client, a[i].private_byte, sizeof(private[i].client));
		allocs[i].private_data = (uintptr_t)&private[i];
		allocs[i].private_bytes = sizeof(private[i]);
	}
	ret = vsplit_bo_create_surface(p->devices[a->device], allocs, 2, &p->bos[stmt->index]);
	second = made(p, stmt->index + 1, ret);
	ret = made(p, stmt->index, ret);
	return ret && second ? ret : 0;
}

static int take_dmabuf(struct player *p, uint32_t index, int dmabuf)
{
	const struct alloc_def *a = &p->s->allocs[index];
	int ret = vsplit_bo_import(p->devices[a->device], dmabuf, &p->bos[index]);

	close(dmabuf);
	return made(p, index, ret);
}

int run_import(struct player *p, const struct stmt *stmt)
{
	struct vsplit_bo *source = need_bo(p, stmt, p->s->allocs[stmt->index].source);
	int dmabuf, ret;

	if (!source)
		return -ENOENT;
	p->r->allocs[stmt->index].fb_pitch = p->r->allocs[p->s->allocs[stmt->index].source].fb_pitch;
	ret = vsplit_bo_export(source, &dmabuf);
	return ret ? made(p, stmt->index, ret) : take_dmabuf(p, stmt->index, dmabuf);
}

/* Create a dumb buffer with the ioctl that all KMS drivers have, and import it into the library. */
int run_dumb(struct player *p, const struct stmt *stmt)
{
	const struct alloc_def *a = &p->s->allocs[stmt->index];
	struct drm_mode_create_dumb args = {
		.width = (uint32_t)a->width, .height = (uint32_t)a->height, .bpp = a->bpp,
	};
	int fd = vsplit_device_fd(p->devices[a->device]);
	int dmabuf;

	if (drmIoctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &args))
		return made(p, stmt->index, -errno);
	p->r->allocs[stmt->index].fb_pitch = args.pitch;
	if (drmPrimeHandleToFD(fd, args.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf))
		return made(p, stmt->index, -errno);
	return take_dmabuf(p, stmt->index, dmabuf);
}

int run_priority(struct player *p, const struct stmt *stmt)
{
	struct vsplit_bo *bo = need_bo(p, stmt, stmt->index);

	return bo ? vsplit_bo_set_priority(bo, stmt->priority) : -ENOENT;
}

/* Return an allocation that was created; otherwise complain, and return NULL. */
struct vsplit_bo *need_bo(struct player *p, const struct stmt *stmt, uint32_t index)
{
	if (!p->bos[index])
		say(p->s, stmt->line, "%s was not created", p->s->allocs[index].name);
	return p->bos[index];
}
