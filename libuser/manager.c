// SPDX-License-Identifier: MIT
/*
 * A residency manager. When the device is asked to trim, or when needed allocations do not fit, the
 * manager gives back the allocations that were used least recently. The list in order of use is
 * linked through the allocations themselves, so that no lookup is needed, and adding to the list
 * cannot fail.
 *
 * Lock order: device, manager.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Maximum number of allocations in one Evict call. */
#define BATCH		64
#define ALL_GROUPS	((1u << VSPLIT_NUM_GROUPS) - 1)

/*
 * @dev: a reference to the device.
 * @lock: protects the members below. It is held during ioctls, too: they wait at most for the GPU,
 *	as vsplit_submit() does, and never for a caller of the manager.
 * @lru: list of allocations through vsplit_bo.lru, the least recently used first.
 */
struct vsplit_manager {
	struct vsplit_device *dev;
	pthread_mutex_t lock;
	TAILQ_HEAD(vsplit_lru, vsplit_bo) lru;
	struct vsplit_manager_info info;
};

int vsplit_manager_create(struct vsplit_device *dev, struct vsplit_manager **manager)
{
	struct vsplit_manager *made;
	int ret = 0;

	if (!dev || !manager)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->dev = vsplit__device_get(dev);
	pthread_mutex_init(&made->lock, NULL);
	TAILQ_INIT(&made->lru);
	pthread_mutex_lock(&dev->lock);
	if (dev->manager)
		ret = -EBUSY;
	else
		dev->manager = made;
	pthread_mutex_unlock(&dev->lock);
	if (!ret) {
		*manager = made;
		return 0;
	}
	pthread_mutex_destroy(&made->lock);
	vsplit__device_put(dev);
	free(made);
	return ret;
}

/* ---- the list; the lock is held ---- */

static void begin(struct vsplit_manager *m, struct vsplit_bo *bo)
{
	bo->managed = true;
	TAILQ_INSERT_TAIL(&m->lru, bo, lru);
	m->info.bytes += bo->size;
	m->info.members++;
}

static void end(struct vsplit_manager *m, struct vsplit_bo *bo)
{
	bo->managed = false;
	TAILQ_REMOVE(&m->lru, bo, lru);
	m->info.bytes -= bo->size;
	m->info.members--;
}

static int evict(struct vsplit_manager *m, struct vsplit_bo *const *bos, uint32_t num,
		 uint64_t *bytes)
{
	int ret = vsplit_resident_evict(m->dev, bos, num, VSPLIT_EVICT_IF_NECESSARY, NULL);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < num; i++) {
		end(m, bos[i]);
		*bytes += bos[i]->size;
	}
	return 0;
}

/*
 * Give back allocations of @groups (a bit each) that are not in use, until they have at least
 * @bytes together, or until all are given back. @shed_bytes: the bytes that were given back.
 */
static int shed(struct vsplit_manager *m, uint64_t bytes, uint32_t groups, uint64_t *shed_bytes)
{
	struct vsplit_bo *batch[BATCH], *bo = TAILQ_FIRST(&m->lru), *next;
	uint64_t found = 0;
	uint32_t num = 0;
	int ret = 0;

	*shed_bytes = 0;
	for (; !ret && bo && found < bytes; bo = next) {
		next = TAILQ_NEXT(bo, lru);
		if (bo->uses || !(groups & (1u << bo->group)))
			continue;
		found += bo->size;
		batch[num++] = bo;
		if (num == BATCH) {
			ret = evict(m, batch, num, shed_bytes);
			num = 0;
		}
	}
	if (!ret && num)
		ret = evict(m, batch, num, shed_bytes);
	m->info.evicted += *shed_bytes;
	return ret;
}

/*
 * Give back what the device was asked for and has not given back yet. @bytes: what was given back.
 */
static int answer(struct vsplit_manager *m, uint64_t *bytes)
{
	struct drm_vsplit_residency residency;
	int ret;

	*bytes = 0;
	ret = vsplit_resident_query(m->dev, NULL, &residency);
	if (ret || !residency.trim_bytes)
		return ret;
	return shed(m, residency.trim_bytes, 1u << residency.trim_group, bytes);
}

/*
 * Make @bos resident. Each time the kernel refuses, at least twice as many bytes are given back as
 * before. When nothing is left to give back, the last try says so.
 */
static int make(struct vsplit_manager *m, struct vsplit_bo *const *bos, uint32_t num,
		uint64_t *point)
{
	uint64_t want = 1, trim, got;
	uint32_t flags = 0;
	int ret, err;

	for (;;) {
		ret = vsplit_resident_make(m->dev, bos, num, flags, point, &trim);
		if (ret != -ENOSPC || flags)
			return ret;
		want = trim > 2 * want ? trim : 2 * want;
		err = shed(m, want, ALL_GROUPS, &got);
		if (err)
			return err;
		if (!got) {
			flags = VSPLIT_RESIDENT_CANT_TRIM_FURTHER;
			m->info.forced++;
		}
	}
}

/* ---- calls ---- */

static int check(const struct vsplit_manager *m, struct vsplit_bo *const *bos, uint32_t num)
{
	if (!m || !bos || !num)
		return -EINVAL;
	if (num > VSPLIT_MAX_RESIDENCY)
		return -E2BIG;
	for (uint32_t i = 0; i < num; i++)
		if (!bos[i] || bos[i]->dev != m->dev)
			return -EINVAL;
	return 0;
}

/* Mark @bos as used now, and store in @added those that were not managed before. */
static int touch(struct vsplit_manager *m, struct vsplit_bo *const *bos, uint32_t num,
		 struct vsplit_bo **added, uint32_t *num_added)
{
	for (uint32_t i = 0; i < num; i++) {
		struct vsplit_bo *bo = bos[i];
		struct drm_vsplit_gem_info info;
		int ret;

		if (bo->managed) {
			TAILQ_REMOVE(&m->lru, bo, lru);
			TAILQ_INSERT_TAIL(&m->lru, bo, lru);
			continue;
		}
		ret = vsplit_bo_info(bo, &info);
		if (ret)
			return ret;
		bo->group = info.flags & VSPLIT_GEM_INFO_NONLOCAL ? VSPLIT_GROUP_NONLOCAL :
								    VSPLIT_GROUP_LOCAL;
		begin(m, bo);
		added[(*num_added)++] = bo;
	}
	return 0;
}

/* End one use of each element; if one is not in use as often, of none. */
static int done(struct vsplit_bo *const *bos, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num && bos[i]->uses; i++)
		bos[i]->uses--;
	if (i == num)
		return 0;
	while (i)
		bos[--i]->uses++;
	return -EINVAL;
}

static int use(struct vsplit_manager *m, struct vsplit_bo *const *bos, uint32_t num,
	       struct vsplit_bo **added, uint64_t *point)
{
	uint32_t num_added = 0;
	uint64_t trimmed;
	int ret;

	for (uint32_t i = 0; i < num; i++)
		bos[i]->uses++;
	ret = touch(m, bos, num, added, &num_added);
	if (!ret) {
		ret = answer(m, &trimmed);
		/*
		 * The driver has no memory for the next trim event. This is no failure: a later use
		 * answers the request.
		 */
		if (ret == -ENOMEM)
			ret = 0;
	}
	if (!ret && num_added)
		ret = make(m, added, num_added, point);
	if (!ret)
		return 0;
	while (num_added)
		end(m, added[--num_added]);
	done(bos, num);
	return ret;
}

int vsplit_manager_use(struct vsplit_manager *manager, struct vsplit_bo *const *bos,
		       uint32_t num, uint64_t *point)
{
	struct vsplit_bo **added;
	uint64_t paged = 0;
	int ret = check(manager, bos, num);

	if (ret)
		return ret;
	added = calloc(num, sizeof(struct vsplit_bo *));
	if (!added)
		return -ENOMEM;
	pthread_mutex_lock(&manager->lock);
	ret = use(manager, bos, num, added, &paged);
	pthread_mutex_unlock(&manager->lock);
	free(added);
	if (!ret && point)
		*point = paged;
	return ret;
}

int vsplit_manager_done(struct vsplit_manager *manager, struct vsplit_bo *const *bos,
			uint32_t num)
{
	int ret = check(manager, bos, num);

	if (ret)
		return ret;
	pthread_mutex_lock(&manager->lock);
	ret = done(bos, num);
	pthread_mutex_unlock(&manager->lock);
	return ret;
}

int vsplit_manager_submit(struct vsplit_manager *manager, struct vsplit_context *ctx,
			  struct vsplit_stream *stream, struct vsplit_bo *const *bos,
			  uint32_t num, struct vsplit_submission *submission)
{
	int ret;

	if (!manager || !ctx || ctx->dev != manager->dev)
		return -EINVAL;
	ret = vsplit_manager_use(manager, bos, num, NULL);
	if (ret)
		return ret;
	ret = vsplit_submit(ctx, stream, 0, NULL, 0, submission);
	vsplit_manager_done(manager, bos, num);
	return ret;
}

int vsplit_manager_trim(struct vsplit_manager *manager, uint64_t *bytes)
{
	uint64_t trimmed;
	int ret;

	if (!manager)
		return -EINVAL;
	pthread_mutex_lock(&manager->lock);
	ret = answer(manager, &trimmed);
	pthread_mutex_unlock(&manager->lock);
	if (!ret && bytes)
		*bytes = trimmed;
	return ret;
}

void vsplit_manager_query_sized(struct vsplit_manager *manager, struct vsplit_manager_info *info,
			  size_t size)
{
	pthread_mutex_lock(&manager->lock);
	vsplit__give(info, size, &manager->info, sizeof(manager->info));
	pthread_mutex_unlock(&manager->lock);
}

void vsplit__manager_forget(struct vsplit_manager *manager, struct vsplit_bo *bo)
{
	pthread_mutex_lock(&manager->lock);
	if (bo->managed) {
		/*
		 * The handle stays open if another import of the same dma-buf has it, so evict
		 * explicitly.
		 */
		if (manager->dev->imports)
			vsplit_resident_evict(manager->dev, &bo, 1, VSPLIT_EVICT_IF_NECESSARY, NULL);
		end(manager, bo);
	}
	pthread_mutex_unlock(&manager->lock);
}

void vsplit_manager_destroy(struct vsplit_manager *manager)
{
	struct vsplit_bo *bo;

	if (!manager)
		return;
	pthread_mutex_lock(&manager->dev->lock);
	manager->dev->manager = NULL;
	while ((bo = TAILQ_FIRST(&manager->lru))) {
		vsplit_resident_evict(manager->dev, &bo, 1, VSPLIT_EVICT_IF_NECESSARY, NULL);
		end(manager, bo);
		bo->uses = 0;
	}
	pthread_mutex_unlock(&manager->dev->lock);
	pthread_mutex_destroy(&manager->lock);
	vsplit__device_put(manager->dev);
	free(manager);
}
