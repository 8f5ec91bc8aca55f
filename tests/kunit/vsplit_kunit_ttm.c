// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: unit tests of TTM
 *
 * The driver has managers, pages and copies of its own. What TTM offers instead,
 * and other drivers for discrete GPUs take, is tested here: a device whose memory
 * is one range manager and whose aperture is another one, with TTM's pool of pages
 * and its copies by the CPU. Bytes are looked at behind each move; a fence that the
 * test signals stands for a GPU that is busy.
 */
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_execbuf_util.h>
#include <drm/ttm/ttm_pool.h>
#include <drm/ttm/ttm_range_manager.h>

#include "vsplit_kunit.h"
#include "vsplit_compat.h"
#include "vsplit_device.h"

/* Pages of the memory, and of an allocation that fills it. */
#define VSPLIT_KTTM_PAGES	8u

/**
 * struct vsplit_kttm - A device for TTM.
 * @test: whose it is.
 * @bdev: the device.
 * @memory: bytes of its memory.
 * @caching: of pages.
 * @busy: what moves from now on wait for; NULL: they are done by the CPU at once.
 */
struct vsplit_kttm {
	struct kunit *test;
	struct ttm_device bdev;
	void *memory;
	enum ttm_caching caching;
	struct dma_fence *busy;
};

static struct vsplit_kttm *to_kttm(struct ttm_device *bdev)
{
	return container_of(bdev, struct vsplit_kttm, bdev);
}

static const struct ttm_place vsplit_kttm_places[] = {
	[TTM_PL_SYSTEM] = { .mem_type = TTM_PL_SYSTEM },
	[TTM_PL_TT] = { .mem_type = TTM_PL_TT },
	[TTM_PL_VRAM] = { .mem_type = TTM_PL_VRAM, .lpfn = VSPLIT_KTTM_PAGES },
};

static struct ttm_placement vsplit_kttm_placement(u32 type)
{
	return (struct ttm_placement){ .num_placement = 1, .placement = &vsplit_kttm_places[type] };
}

static struct ttm_tt *vsplit_kttm_tt_create(struct ttm_buffer_object *tbo, u32 flags)
{
	struct vsplit_kttm *kttm = to_kttm(tbo->bdev);
	struct ttm_tt *tt = kzalloc(sizeof(*tt), GFP_KERNEL);

	if (tt && ttm_tt_init(tt, tbo, flags, kttm->caching, 0)) {
		kfree(tt);
		return NULL;
	}
	return tt;
}

static void vsplit_kttm_tt_destroy(struct ttm_device *bdev, struct ttm_tt *tt)
{
	ttm_tt_fini(tt);
	kfree(tt);
}

static void vsplit_kttm_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	*placement = vsplit_kttm_placement(tbo->resource->mem_type == TTM_PL_VRAM ? TTM_PL_TT :
										    TTM_PL_SYSTEM);
}

static int vsplit_kttm_move(struct ttm_buffer_object *tbo, bool evict,
			    struct ttm_operation_ctx *ctx, struct ttm_resource *to,
			    struct ttm_place *hop)
{
	struct vsplit_kttm *kttm = to_kttm(tbo->bdev);
	u32 from = tbo->resource ? tbo->resource->mem_type : TTM_PL_SYSTEM;

	if (!tbo->resource || (from != TTM_PL_VRAM && to->mem_type != TTM_PL_VRAM)) {
		ttm_bo_move_null(tbo, to);
		return 0;
	}
	if (from == TTM_PL_SYSTEM || to->mem_type == TTM_PL_SYSTEM) {
		*hop = vsplit_kttm_places[TTM_PL_TT];
		return -EMULTIHOP;
	}
	if (kttm->busy)
		return ttm_bo_move_accel_cleanup(tbo, kttm->busy, evict, true, to);
	return ttm_bo_move_memcpy(tbo, ctx, to);
}

static int vsplit_kttm_reserve(struct ttm_device *bdev, struct ttm_resource *res)
{
	if (res->mem_type != TTM_PL_VRAM)
		return 0;
	res->bus.addr = to_kttm(bdev)->memory + (res->start << PAGE_SHIFT);
	res->bus.is_iomem = true;
	res->bus.caching = ttm_cached;
	return 0;
}

static struct ttm_device_funcs vsplit_kttm_funcs = {
	.ttm_tt_create = vsplit_kttm_tt_create,
	.ttm_tt_destroy = vsplit_kttm_tt_destroy,
	.eviction_valuable = ttm_bo_eviction_valuable,
	.evict_flags = vsplit_kttm_evict_flags,
	.move = vsplit_kttm_move,
	.io_mem_reserve = vsplit_kttm_reserve,
};

static struct vsplit_kttm *vsplit_kttm_open(struct kunit *test)
{
	struct vsplit_kttm *kttm = kunit_kzalloc(test, sizeof(*kttm), GFP_KERNEL);
	struct vsplit_kunit *k = test->priv;
	struct drm_device *drm = &k->vdev->drm;

	KUNIT_ASSERT_NOT_NULL(test, kttm);
	kttm->test = test;
	kttm->memory = vzalloc(VSPLIT_KTTM_PAGES * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, kttm->memory);
	KUNIT_ASSERT_EQ(test, 0, vsplit_compat_ttm_device_init(&kttm->bdev, &vsplit_kttm_funcs,
							       k->dev, drm->anon_inode->i_mapping,
							       drm->vma_offset_manager));
	KUNIT_ASSERT_EQ(test, 0, ttm_range_man_init(&kttm->bdev, TTM_PL_VRAM, false,
						    VSPLIT_KTTM_PAGES));
	KUNIT_ASSERT_EQ(test, 0, ttm_range_man_init(&kttm->bdev, TTM_PL_TT, true,
						    8 * VSPLIT_KTTM_PAGES));
	return kttm;
}

/* What was closed while a GPU was busy goes behind it; then nothing is left in its memory. */
static void vsplit_kttm_close(struct vsplit_kttm *kttm)
{
	drain_workqueue(kttm->bdev.wq);
	KUNIT_EXPECT_EQ(kttm->test, 0, ttm_range_man_fini(&kttm->bdev, TTM_PL_TT));
	KUNIT_EXPECT_EQ(kttm->test, 0, ttm_range_man_fini(&kttm->bdev, TTM_PL_VRAM));
	ttm_device_fini(&kttm->bdev);
	vfree(kttm->memory);
}

static void vsplit_kttm_destroy(struct ttm_buffer_object *tbo)
{
	drm_gem_object_release(&tbo->base);
	kfree(tbo);
}

/* Reserved; @resv is held, or NULL. An error says that there was no place. */
static struct ttm_buffer_object *vsplit_kttm_try(struct vsplit_kttm *kttm, u32 type, u32 pages,
						 struct dma_resv *resv, bool wait)
{
	struct ttm_operation_ctx ctx = { .no_wait_gpu = !wait, .resv = resv };
	struct ttm_placement placement = vsplit_kttm_placement(type);
	struct ttm_buffer_object *tbo = kzalloc(sizeof(*tbo), GFP_KERNEL);
	struct vsplit_kunit *k = kttm->test->priv;
	int ret;

	KUNIT_ASSERT_NOT_NULL(kttm->test, tbo);
	drm_gem_private_object_init(&k->vdev->drm, &tbo->base, pages * PAGE_SIZE);
	ret = ttm_bo_init_reserved(&kttm->bdev, tbo, ttm_bo_type_device, &placement, 1, &ctx, NULL,
				   resv, vsplit_kttm_destroy);
	return ret ? ERR_PTR(ret) : tbo;
}

static struct ttm_buffer_object *vsplit_kttm_bo(struct vsplit_kttm *kttm, u32 type, u32 pages,
						struct dma_resv *resv)
{
	struct ttm_buffer_object *tbo = vsplit_kttm_try(kttm, type, pages, resv, true);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(kttm->test, tbo);
	return tbo;
}

static void vsplit_kttm_gone(struct ttm_buffer_object *tbo)
{
	ttm_bo_unreserve(tbo);
	vsplit_compat_tbo_put(tbo);
}

/* There is none; one that was found is given back. */
static void vsplit_kttm_no_room(struct vsplit_kttm *kttm, u32 pages, bool wait)
{
	struct ttm_buffer_object *tbo = vsplit_kttm_try(kttm, TTM_PL_VRAM, pages, NULL, wait);

	KUNIT_EXPECT_TRUE(kttm->test, IS_ERR(tbo));
	if (!IS_ERR(tbo))
		vsplit_kttm_gone(tbo);
}

static void vsplit_kttm_validate(struct vsplit_kttm *kttm, struct ttm_buffer_object *tbo, u32 type)
{
	struct ttm_operation_ctx ctx = {};
	struct ttm_placement placement = vsplit_kttm_placement(type);

	KUNIT_EXPECT_EQ(kttm->test, 0, ttm_bo_validate(tbo, &placement, &ctx));
	KUNIT_EXPECT_EQ(kttm->test, tbo->resource->mem_type, type);
}

/* Each page has a word of its own, at a place of its own. */
static void vsplit_kttm_look(struct vsplit_kttm *kttm, struct ttm_buffer_object *tbo, bool write)
{
	u32 pages = PFN_UP(tbo->base.size), i;
	struct ttm_bo_kmap_obj one;
	struct iosys_map map;
	bool iomem;

	KUNIT_ASSERT_EQ(kttm->test, 0, ttm_bo_vmap(tbo, &map));
	for (i = 0; i < pages; i++) {
		if (write)
			iosys_map_wr(&map, i * PAGE_SIZE + i * 8, u32, ~i);
		KUNIT_EXPECT_EQ(kttm->test, iosys_map_rd(&map, i * PAGE_SIZE + i * 8, u32), ~i);
	}
	ttm_bo_vunmap(tbo, &map);
	/* One page of it, and two. */
	for (i = 1; i <= 2; i++) {
		KUNIT_ASSERT_EQ(kttm->test, 0, ttm_bo_kmap(tbo, 1, i, &one));
		KUNIT_EXPECT_EQ(kttm->test, ~1u, *(u32 *)(ttm_kmap_obj_virtual(&one, &iomem) + 8));
		ttm_bo_kunmap(&one);
	}
	KUNIT_EXPECT_EQ(kttm->test, -EINVAL, ttm_bo_kmap(tbo, 1, pages, &one));
}

static u64 vsplit_kttm_used(struct vsplit_kttm *kttm, u32 type)
{
	return ttm_resource_manager_usage(ttm_manager_type(&kttm->bdev, type)) >> PAGE_SHIFT;
}

/* ---- tests ---- */

/* Bytes stay the same through each kind of memory, and through swapping. */
static void vsplit_kttm_moves(struct kunit *test, enum ttm_caching caching)
{
	static const u32 way[] = { TTM_PL_TT, TTM_PL_VRAM, TTM_PL_SYSTEM, TTM_PL_VRAM, TTM_PL_TT,
				   TTM_PL_SYSTEM };
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	struct ttm_operation_ctx ctx = {};
	struct ttm_buffer_object *tbo;
	struct iosys_map map;
	u32 i;

	kttm->caching = caching;
	/* What was in the memory is not seen in a new allocation. */
	memset(kttm->memory, 0xee, VSPLIT_KTTM_PAGES * PAGE_SIZE);
	tbo = vsplit_kttm_bo(kttm, TTM_PL_SYSTEM, VSPLIT_KTTM_PAGES, NULL);
	vsplit_kttm_validate(kttm, tbo, TTM_PL_VRAM);
	KUNIT_ASSERT_EQ(test, 0, ttm_bo_vmap(tbo, &map));
	KUNIT_EXPECT_NULL(test, memchr_inv(kttm->memory, 0, VSPLIT_KTTM_PAGES * PAGE_SIZE));
	ttm_bo_vunmap(tbo, &map);
	vsplit_kttm_look(kttm, tbo, true);
	for (i = 0; i < ARRAY_SIZE(way); i++) {
		vsplit_kttm_validate(kttm, tbo, way[i]);
		vsplit_kttm_look(kttm, tbo, false);
	}
	ttm_bo_unreserve(tbo);
	KUNIT_EXPECT_GT(test, ttm_device_swapout(&kttm->bdev, &ctx, GFP_KERNEL), 0);
	KUNIT_EXPECT_TRUE(test, tbo->ttm->page_flags & TTM_TT_FLAG_SWAPPED);
	KUNIT_ASSERT_EQ(test, 0, ttm_bo_reserve(tbo, false, false, NULL));
	vsplit_kttm_look(kttm, tbo, false);
	/* Without a placement it loses them. */
	KUNIT_EXPECT_EQ(test, 0, ttm_bo_validate(tbo, &(struct ttm_placement){}, &ctx));
	vsplit_kttm_validate(kttm, tbo, TTM_PL_TT);
	KUNIT_ASSERT_EQ(test, 0, ttm_bo_vmap(tbo, &map));
	KUNIT_EXPECT_NULL(test, memchr_inv(map.vaddr, 0, VSPLIT_KTTM_PAGES * PAGE_SIZE));
	ttm_bo_vunmap(tbo, &map);
	vsplit_kttm_gone(tbo);
	vsplit_kttm_close(kttm);
}

static void vsplit_kttm_moves_cached(struct kunit *test)
{
	vsplit_kttm_moves(test, ttm_cached);
}

static void vsplit_kttm_moves_combined(struct kunit *test)
{
	vsplit_kttm_moves(test, ttm_write_combined);
}

/* The oldest leaves; what is moved to the tail in bulk does so together, in its order. */
static void vsplit_kttm_bulk(struct kunit *test)
{
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	static const u32 leaves[] = { 2, 3, 0 };
	struct ttm_buffer_object *tbo[7];
	struct ttm_lru_bulk_move bulk;
	struct dma_resv *resv;
	u32 i, j;

	ttm_lru_bulk_move_init(&bulk);
	tbo[0] = vsplit_kttm_bo(kttm, TTM_PL_VRAM, 2, NULL);
	resv = tbo[0]->base.resv;
	tbo[1] = vsplit_kttm_bo(kttm, TTM_PL_VRAM, 2, resv);
	for (i = 0; i < 2; i++)
		ttm_bo_set_bulk_move(tbo[i], &bulk);
	for (i = 2; i < 4; i++) {
		tbo[i] = vsplit_kttm_bo(kttm, TTM_PL_VRAM, 2, NULL);
		ttm_bo_unreserve(tbo[i]);
	}
	/* Used in the wrong order, and pinned for a while: they stay together. */
	ttm_bo_move_to_lru_tail_unlocked(tbo[0]);
	ttm_bo_move_to_lru_tail_unlocked(tbo[1]);
	ttm_bo_pin(tbo[0]);
	ttm_bo_unpin(tbo[0]);
	ttm_bo_move_to_lru_tail_unlocked(tbo[1]);
	spin_lock(&kttm->bdev.lru_lock);
	ttm_lru_bulk_move_tail(&bulk);
	spin_unlock(&kttm->bdev.lru_lock);
	dma_resv_unlock(resv);

	for (i = 0; i < ARRAY_SIZE(leaves); i++) {
		tbo[4 + i] = vsplit_kttm_bo(kttm, TTM_PL_VRAM, 2, NULL);
		ttm_bo_unreserve(tbo[4 + i]);
		for (j = 0; j < 4; j++)
			KUNIT_EXPECT_EQ_MSG(test, tbo[j]->resource->mem_type == TTM_PL_TT,
					    j == leaves[0] || (i >= 1 && j == leaves[1]) ||
					    (i >= 2 && j == leaves[2]), "%u behind %u", j, i);
	}
	dma_resv_lock(resv, NULL);
	for (i = 0; i < 2; i++)
		ttm_bo_set_bulk_move(tbo[i], NULL);
	dma_resv_unlock(resv);
	ttm_lru_bulk_move_fini(&kttm->bdev, &bulk);
	for (i = ARRAY_SIZE(tbo); i--;)
		vsplit_compat_tbo_put(tbo[i]);
	vsplit_kttm_close(kttm);
}

/* What is evicted by a GPU that is busy makes room at once; who gets it waits for that GPU. */
static void vsplit_kttm_pipelined(struct kunit *test)
{
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	struct ttm_buffer_object *first, *second;

	first = vsplit_kttm_bo(kttm, TTM_PL_VRAM, VSPLIT_KTTM_PAGES, NULL);
	ttm_bo_unreserve(first);
	kttm->busy = vsplit_kunit_gpu_fence(test);
	vsplit_kttm_no_room(kttm, VSPLIT_KTTM_PAGES, false);
	second = vsplit_kttm_bo(kttm, TTM_PL_VRAM, VSPLIT_KTTM_PAGES, NULL);
	KUNIT_EXPECT_EQ(test, first->resource->mem_type, TTM_PL_TT);
	KUNIT_EXPECT_FALSE(test, dma_resv_test_signaled(second->base.resv, DMA_RESV_USAGE_KERNEL));
	dma_fence_signal(kttm->busy);
	KUNIT_EXPECT_TRUE(test, dma_resv_test_signaled(second->base.resv, DMA_RESV_USAGE_KERNEL));
	vsplit_kttm_gone(second);
	vsplit_compat_tbo_put(first);
	dma_fence_put(kttm->busy);
	vsplit_kttm_close(kttm);
}

/* What moves, loses its bytes or is closed while the GPU is busy keeps its place till then. */
static void vsplit_kttm_ghosts(struct kunit *test)
{
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	struct ttm_placement nowhere = {};
	struct ttm_operation_ctx ctx = {};
	struct ttm_buffer_object *tbo;
	u32 way;

	for (way = 0; way < 3; way++) {
		tbo = vsplit_kttm_bo(kttm, TTM_PL_VRAM, VSPLIT_KTTM_PAGES, NULL);
		kttm->busy = vsplit_kunit_gpu_fence(test);
		KUNIT_ASSERT_EQ(test, 0, dma_resv_reserve_fences(tbo->base.resv, 1));
		if (way == 0)
			vsplit_kttm_validate(kttm, tbo, TTM_PL_TT);
		else
			dma_resv_add_fence(tbo->base.resv, kttm->busy, DMA_RESV_USAGE_BOOKKEEP);
		if (way == 1)
			KUNIT_EXPECT_EQ(test, 0, ttm_bo_validate(tbo, &nowhere, &ctx));
		vsplit_kttm_gone(tbo);
		KUNIT_EXPECT_EQ(test, vsplit_kttm_used(kttm, TTM_PL_VRAM), VSPLIT_KTTM_PAGES);
		vsplit_kttm_no_room(kttm, 1, false);
		dma_fence_signal(kttm->busy);
		dma_fence_put(kttm->busy);
		kttm->busy = NULL;
		/* Who deletes it holds its lock, and TTM waits for none here. */
		drain_workqueue(kttm->bdev.wq);
		tbo = vsplit_kttm_bo(kttm, TTM_PL_VRAM, VSPLIT_KTTM_PAGES, NULL);
		vsplit_kttm_gone(tbo);
	}
	vsplit_kttm_close(kttm);
}

/* What is pinned stays, though others have no room or the system has no memory. */
static void vsplit_kttm_pinned(struct kunit *test)
{
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	struct ttm_operation_ctx ctx = {};
	struct ttm_buffer_object *tbo;
	u32 type;

	for (type = TTM_PL_TT; type <= TTM_PL_VRAM; type++) {
		tbo = vsplit_kttm_bo(kttm, type, VSPLIT_KTTM_PAGES, NULL);
		vsplit_kttm_look(kttm, tbo, true);
		ttm_bo_pin(tbo);
		ttm_bo_pin(tbo);
		ttm_bo_unpin(tbo);
		ttm_bo_unreserve(tbo);
		KUNIT_EXPECT_LE(test, ttm_device_swapout(&kttm->bdev, &ctx, GFP_KERNEL), 0);
		if (type == TTM_PL_VRAM)
			vsplit_kttm_no_room(kttm, 1, true);
		KUNIT_ASSERT_EQ(test, 0, ttm_bo_reserve(tbo, false, false, NULL));
		KUNIT_EXPECT_EQ(test, tbo->resource->mem_type, type);
		vsplit_kttm_look(kttm, tbo, false);
		ttm_bo_unpin(tbo);
		vsplit_kttm_gone(tbo);
	}
	vsplit_kttm_close(kttm);
}

/* As for a suspended machine: all leaves the memory. */
static void vsplit_kttm_evict_all(struct kunit *test)
{
	struct drm_printer p = drm_dbg_printer(NULL, DRM_UT_CORE, "vsplit-kunit");
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	struct ttm_resource_manager *man = ttm_manager_type(&kttm->bdev, TTM_PL_VRAM);
	struct ttm_buffer_object *tbo[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		tbo[i] = vsplit_kttm_bo(kttm, TTM_PL_VRAM, 3, NULL);
		vsplit_kttm_look(kttm, tbo[i], true);
		ttm_bo_unreserve(tbo[i]);
	}
	KUNIT_EXPECT_EQ(test, vsplit_kttm_used(kttm, TTM_PL_VRAM), 6);
	KUNIT_EXPECT_EQ(test, 0, ttm_resource_manager_evict_all(&kttm->bdev, man));
	KUNIT_EXPECT_EQ(test, vsplit_kttm_used(kttm, TTM_PL_VRAM), 0);
	ttm_resource_manager_debug(man, &p);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, ttm_bo_reserve(tbo[i], false, false, NULL));
		vsplit_kttm_look(kttm, tbo[i], false);
		ttm_bo_unreserve(tbo[i]);
	}
	/* A device that is gone maps no page for it any more. */
	ttm_device_clear_dma_mappings(&kttm->bdev);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, tbo[i]->ttm && !ttm_tt_is_populated(tbo[i]->ttm));
		vsplit_compat_tbo_put(tbo[i]);
	}
	vsplit_kttm_close(kttm);
}

/* Several are reserved at once, get a fence, and are given back. */
static void vsplit_kttm_lists(struct kunit *test)
{
	struct vsplit_kttm *kttm = vsplit_kttm_open(test);
	struct ttm_validate_buffer entries[3] = {};
	struct dma_fence *fence = vsplit_kunit_gpu_fence(test);
	struct ww_acquire_ctx ticket;
	LIST_HEAD(list);
	LIST_HEAD(twice);
	u32 i;

	for (i = 0; i < 2; i++) {
		entries[i].bo = vsplit_kttm_bo(kttm, TTM_PL_TT, 1, NULL);
		entries[i].num_shared = i;
		ttm_bo_unreserve(entries[i].bo);
		list_add_tail(&entries[i].head, &list);
	}
	entries[2].bo = entries[0].bo;
	list_add_tail(&entries[2].head, &list);
	KUNIT_ASSERT_EQ(test, 0, ttm_eu_reserve_buffers(&ticket, &list, false, &twice));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&twice));
	ttm_eu_backoff_reservation(&ticket, &list);
	KUNIT_ASSERT_EQ(test, 0, ttm_eu_reserve_buffers(&ticket, &list, false, &twice));
	ttm_eu_fence_buffer_objects(&ticket, &list, fence);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, dma_resv_is_locked(entries[i].bo->base.resv));
		KUNIT_EXPECT_FALSE(test, dma_resv_test_signaled(entries[i].bo->base.resv,
								DMA_RESV_USAGE_READ));
	}
	dma_fence_signal(fence);
	dma_fence_put(fence);
	for (i = 0; i < 2; i++)
		vsplit_compat_tbo_put(entries[i].bo);
	vsplit_kttm_close(kttm);
}

static struct kunit_case vsplit_kttm_cases[] = {
	KUNIT_CASE(vsplit_kttm_moves_cached),
	KUNIT_CASE(vsplit_kttm_moves_combined),
	KUNIT_CASE(vsplit_kttm_bulk),
	KUNIT_CASE(vsplit_kttm_pipelined),
	KUNIT_CASE(vsplit_kttm_ghosts),
	KUNIT_CASE(vsplit_kttm_pinned),
	KUNIT_CASE(vsplit_kttm_evict_all),
	KUNIT_CASE(vsplit_kttm_lists),
	{}
};

static struct kunit_suite vsplit_kttm_suite = {
	.name = "vsplit-ttm",
	.init = vsplit_kunit_init,
	.exit = vsplit_kunit_exit,
	.test_cases = vsplit_kttm_cases,
};

kunit_test_suite(vsplit_kttm_suite);
