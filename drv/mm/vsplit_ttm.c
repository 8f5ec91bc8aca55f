// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: TTM back end
 *
 * The backing store of an allocation, its system pages, is populated when the allocation is created
 * and kept for life, also while its bytes are in a memory segment: paging out never allocates, and
 * a clean allocation is not copied. TTM does not touch the backing store of an allocation in a
 * memory segment, with two exceptions that this file deals with:
 *
 * - When TTM fails to evict an allocation from a memory segment, it destroys the backing store,
 *   which it believes to be new. vsplit_ttm_move() puts the backing store aside for that time,
 *   since its pages may be in use, and will be needed. If TTM fails before it calls move(), the
 *   pages go: vsplit_tt_unpopulate() waits for copies that were queued. The next backing store is
 *   new and zeroed, so the allocation becomes dirty.
 * - An allocation in system memory may be swapped out. It is populated again before its pages are
 *   needed.
 *
 * The pages are charged to the memory cgroup of the task that made the allocation, even if another
 * task allocates them again. At the cgroup's limit this fails, and no task is killed. Only a page
 * fault gets pages beyond the limit: it cannot be refused, and would be tried for ever. TTM's own
 * pool charges no cgroup.
 *
 * TTM calls move() for three reasons only: creation, eviction to make room (to the eviction segment
 * set of an allocation, through system memory), and eviction for swapping out. All other paging
 * calls vsplit_bo_page() itself. One paging job, complete in itself, moves the bytes: everything
 * that can fail comes before its commit, and it depends on all fences of the allocation, including
 * those that the allocation inherited with its new range. An idle allocation whose backing store
 * has the same bytes leaves without a job: there is nothing to move and nothing to wait for.
 */
#include <linux/dma-resv.h>
#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/* The largest allocation, in bytes, that is swapped out for the shrinker. */
#define VSPLIT_MAX_SWAPPED	SZ_4M

/* So many pages are freed before other tasks may run. */
#define VSPLIT_PAGES_AT_ONCE	512

static const struct ttm_place vsplit_system_place = { .mem_type = TTM_PL_SYSTEM };

struct ttm_placement vsplit_system_placement = {
	.num_placement = 1,
	.placement = &vsplit_system_place,
};

static struct vsplit_tt *to_vsplit_tt(struct ttm_tt *tt)
{
	return container_of(tt, struct vsplit_tt, base);
}

/*
 * Make an unpopulated backing store, or find the one that was put aside; resv held. It is always
 * zeroed, whatever TTM's flags say.
 */
struct ttm_tt *vsplit_tt_create(struct ttm_buffer_object *tbo, u32 page_flags)
{
	struct vsplit_tt *vtt __free(kfree) = NULL;
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);

	if (vbo->kept)
		return no_free_ptr(vbo->kept);
	vtt = vsplit_fault("mm.tt") ? NULL : kzalloc(sizeof(*vtt), GFP_KERNEL);
	if (!vtt)
		return NULL;
	vtt->vbo = vbo;
	if (vbo->import)
		page_flags |= TTM_TT_FLAG_EXTERNAL;
	if (ttm_tt_init(&vtt->base, tbo, page_flags | TTM_TT_FLAG_ZERO_ALLOC, ttm_cached, 0))
		return NULL;
	return &no_free_ptr(vtt)->base;
}

static void vsplit_pages_free(struct page **pages, pgoff_t nr)
{
	while (nr--) {
		__free_page(pages[nr]);
		pages[nr] = NULL;
		if (!(nr % VSPLIT_PAGES_AT_ONCE))
			cond_resched();
	}
}

/* Allocate 2^*order zeroed pages, each on its own. @order becomes less if memory is fragmented. */
static struct page *vsplit_pages_alloc_some(unsigned int *order, gfp_t gfp)
{
	struct page *page;

	for (; *order; --*order) {
		/* Smaller blocks will do, so make no effort and use no reserves. */
		page = alloc_pages((gfp | __GFP_NORETRY | __GFP_NOMEMALLOC | __GFP_NOWARN) &
				   ~__GFP_RETRY_MAYFAIL, *order);
		if (page) {
			split_page(page, *order);
			return page;
		}
	}
	return alloc_page(gfp);
}

static int vsplit_pages_alloc(struct page **pages, pgoff_t nr, gfp_t gfp)
{
	unsigned int order = MAX_PAGE_ORDER;
	pgoff_t done = 0, i;
	struct page *page;

	while (done < nr) {
		order = min_t(unsigned int, order, __fls(nr - done));
		page = vsplit_pages_alloc_some(&order, gfp);
		if (!page) {
			vsplit_pages_free(pages, done);
			return -ENOMEM;
		}
		for (i = 0; i < BIT(order); i++)
			pages[done + i] = page + i;
		done += BIT(order);
		cond_resched();
	}
	return 0;
}

static int vsplit_tt_populate(struct ttm_device *bdev, struct ttm_tt *tt,
			      struct ttm_operation_ctx *ctx)
{
	gfp_t gfp = GFP_HIGHUSER | __GFP_ZERO | __GFP_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	const struct vsplit_txn *txn = vsplit_txn_of(ctx);
	struct vsplit_bo *vbo = to_vsplit_tt(tt)->vbo;
	struct mem_cgroup *memcg;
	int ret;

	if (vsplit_fault("mm.populate"))
		return -ENOMEM;
	if (vbo->import)
		return vsplit_import_pages(vbo, tt);
	memcg = set_active_memcg(vbo->memcg);
	ret = vsplit_pages_alloc(tt->pages, tt->num_pages, gfp);
	if (ret && txn && txn->touched) {
		gfp ^= __GFP_RETRY_MAYFAIL | __GFP_NORETRY | __GFP_HIGH;
		ret = vsplit_pages_alloc(tt->pages, tt->num_pages, gfp);
	}
	set_active_memcg(memcg);
	return ret;
}

static void vsplit_tt_unpopulate(struct ttm_device *bdev, struct ttm_tt *tt)
{
	struct vsplit_bo *vbo = to_vsplit_tt(tt)->vbo;

	dma_resv_assert_held(vbo->tbo.base.resv);

	dma_resv_wait_timeout(vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP, false,
			      MAX_SCHEDULE_TIMEOUT);
	if (vbo->import)
		return;
	if (vsplit_bo_memory(vbo) && !vbo->clear)
		vbo->dirty = true;
	vsplit_pages_free(tt->pages, tt->num_pages);
}

static void vsplit_tt_destroy(struct ttm_device *bdev, struct ttm_tt *tt)
{
	ttm_tt_fini(tt);
	kfree(to_vsplit_tt(tt));
}

/*
 * TTM asks for two reasons. To make room, it names a place that has an end; this does not affect
 * the pages. To swap out, it names all of the allocation's segment. For the shrinker, this refuses
 * allocations in an aperture, since leaving it takes a job; and large allocations, since the copy
 * takes as many pages of the reserves as it gives back afterwards.
 */
static bool vsplit_eviction_valuable(struct ttm_buffer_object *tbo, const struct ttm_place *place)
{
	/* TTM does not tell why it swaps out. A task with this flag gives back memory. */
	bool shrinking = current->flags & PF_MEMALLOC;

	if (!place->lpfn &&
	    (to_vsplit_bo(tbo)->pages_pinned ||
	     (shrinking && (place->mem_type != TTM_PL_SYSTEM ||
			    tbo->base.size > VSPLIT_MAX_SWAPPED))))
		return false;
	return ttm_bo_eviction_valuable(tbo, place);
}

static void vsplit_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement)
{
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);

	/* An allocation that leaves an aperture need not go to another one. */
	*placement = vsplit_bo_memory(vbo) ? vbo_to_mm(vbo)->evictions[vbo->evict_set].base :
					     vsplit_system_placement;
}

static struct vsplit_gpu_loc vsplit_move_loc(struct vsplit_bo *vbo, u32 segment, u64 offset,
					     struct vsplit_gpu_runs *runs)
{
	struct vsplit_gpu_loc loc = {};

	if (segment == VSPLIT_SEG_SYSTEM)
		loc.pages = vsplit_bo_pages(vbo);
	else
		loc.address = vsplit_segment_address(vbo_to_mm(vbo), segment, offset);
	loc.runs = vsplit_gpu_runs_get(runs);
	return loc;
}

static void vsplit_move_set_step(const struct vsplit_move *move, struct vsplit_gpu_step *step)
{
	const struct vsplit_mm *mm = vbo_to_mm(move->vbo);
	struct vsplit_gpu_loc from = vsplit_move_loc(move->vbo, move->from_seg, move->from,
						     move->from_runs);

	step->bytes = move->vbo->tbo.base.size;
	if (vsplit_mm_is_aperture(mm, move->from_seg)) {
		step->type = VSPLIT_GPU_STEP_UNMAP;
		step->dst = from;
		return;
	}
	step->src = from;
	step->dst = vsplit_move_loc(move->vbo, move->to_seg, move->to, move->to_runs);
	if (vsplit_mm_is_aperture(mm, move->to_seg)) {
		step->type = VSPLIT_GPU_STEP_MAP;
	} else if (move->transfer) {
		step->type = VSPLIT_GPU_STEP_TRANSFER;
	} else if (move->fill) {
		step->type = VSPLIT_GPU_STEP_FILL;
	} else {
		step->type = VSPLIT_GPU_STEP_MARK;
		step->bytes = 0;
	}
}

static void vsplit_move_set_event(const struct vsplit_move *move, u32 step_type,
				  struct drm_vsplit_event *event)
{
	event->id = move->vbo->id;
	event->bytes = move->vbo->tbo.base.size;
	event->copied = step_type == VSPLIT_GPU_STEP_TRANSFER ? event->bytes : 0;
	event->flags = step_type == VSPLIT_GPU_STEP_FILL ? VSPLIT_EVENT_FILLED : 0;
	event->segment = move->to_seg + 1;
	event->at = move->to;
	if (move->from_seg == VSPLIT_SEG_SYSTEM) {
		event->type = step_type == VSPLIT_GPU_STEP_MAP ? VSPLIT_EVENT_MAP :
								 VSPLIT_EVENT_PAGE_IN;
	} else if (move->to_seg == VSPLIT_SEG_SYSTEM) {
		event->type = step_type == VSPLIT_GPU_STEP_UNMAP ? VSPLIT_EVENT_UNMAP :
								   VSPLIT_EVENT_EVICT;
		event->segment = move->from_seg + 1;
		event->at = move->from;
	} else {
		event->type = VSPLIT_EVENT_MOVE;
		event->from_segment = move->from_seg + 1;
		event->from = move->from;
	}
}

void vsplit_move_describe(const struct vsplit_move *move, u32 *range,
			  struct vsplit_gpu_step *step, struct drm_vsplit_event *event)
{
	vsplit_move_set_step(move, step);
	vsplit_move_set_event(move, step->type, event);
	vsplit_swizzle_step(move->vbo, move->from_seg, move->to_seg, range, step);
	vsplit_bo_map_step(move->vbo, move->to_seg, step);
}

/* Describe a move by a job of its own, for the present state of the bytes and the backing store. */
static struct vsplit_move vsplit_bo_move(struct vsplit_bo *vbo, const struct ttm_resource *to)
{
	struct vsplit_move move = {
		.vbo = vbo,
		.from_seg = vsplit_bo_segment(vbo),
		.from = vsplit_bo_offset(vbo),
		.from_runs = vsplit_resource_runs(vbo->tbo.resource),
		.to_seg = vsplit_resource_segment(to),
		.to = vsplit_resource_offset(to),
		.to_runs = vsplit_resource_runs(to),
	};

	move.fill = move.from_seg == VSPLIT_SEG_SYSTEM && vbo->clear;
	move.transfer = !move.fill && (move.to_seg != VSPLIT_SEG_SYSTEM || vbo->dirty);
	return move;
}

/* An allocation leaves its place after the work of all devices that require it. */
static int vsplit_bo_page_leave(struct vsplit_bo *vbo, struct vsplit_job *job,
				struct vsplit_txn *txn)
{
	if (vsplit_bo_segment(vbo) == VSPLIT_SEG_SYSTEM)
		return 0;
	return vsplit_resid_leave(&vbo_to_mm(vbo)->resid, &vbo->resid, txn ? txn->resid : NULL,
				  NULL, vsplit_job_visit, job);
}

/*
 * Does the allocation leave without work for the GPU, and without a wait? On the model clock every
 * eviction happens on the engine, else times would depend on which fences have signalled.
 */
static bool vsplit_bo_may_drop(struct vsplit_bo *vbo, const struct ttm_resource *to)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	const struct vsplit_segment *from = vsplit_resource_owner(mm, vbo->tbo.resource);

	return from && !from->aperture && !vsplit_resource_owner(mm, to) && !vbo->dirty &&
	       vbo->range == VSPLIT_NO_RANGE && !vbo->maps &&
	       !vsplit_resid_is_tracked(&vbo->resid) &&
	       mm->vdev->config.clock != VSPLIT_GPU_CLOCK_MODEL &&
	       dma_resv_test_signaled(vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/* Evict an allocation whose backing store has its bytes, without a job. Return: 0 or -ENOMEM. */
static int vsplit_bo_drop(struct vsplit_bo *vbo, struct ttm_resource *to, bool evict,
			  struct vsplit_txn *txn)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	const struct vsplit_move move = vsplit_bo_move(vbo, to);
	struct drm_vsplit_event event = {};
	int ret;

	vsplit_move_set_event(&move, VSPLIT_GPU_STEP_MARK, &event);
	ret = vsplit_paging_done(mm->vdev, txn, vbo, &event);
	if (ret)
		return ret;
	trace_vsplit_bo_move(mm->vdev, vbo->id, move.from_seg, move.to_seg, event.bytes, evict);
	vsplit_bo_settle(vbo, to, NULL);
	vsplit_bo_tell_lists(vbo);
	return 0;
}

/**
 * vsplit_bo_page() - Change the place of an allocation, by a paging job if one is needed.
 * @vbo: resv held with a free fence slot; CPU mappings are zapped; the backing
 *	store is populated.
 * @to: its next resource; belongs to the allocation on success. Between an aperture and another
 *	segment it must go through system memory.
 * @evict: for the trace: it makes room for others.
 * @ctx: of the transaction that this is for, if there is one.
 *
 * Return: 0; -ENOMEM; -ENOBUFS, -E2BIG: the client of the transaction may not hold more.
 */
int vsplit_bo_page(struct vsplit_bo *vbo, struct ttm_resource *to, bool evict,
		   struct ttm_operation_ctx *ctx)
{
	struct vsplit_device *vdev = vbo_to_vdev(vbo);
	struct vsplit_txn *txn = vsplit_txn_of(ctx);
	const struct vsplit_move move = vsplit_bo_move(vbo, to);
	struct drm_vsplit_event event = {};
	struct vsplit_job *job __free(vsplit_job) = NULL;
	struct vsplit_gpu_step *step;
	u32 range = vbo->range;
	struct dma_fence *fence;
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (vsplit_fault("mm.page"))
		return -ENOMEM;
	if (vsplit_bo_may_drop(vbo, to))
		return vsplit_bo_drop(vbo, to, evict, txn);
	job = vsplit_paging_prepare(vdev, txn, &step);
	if (IS_ERR(job))
		return PTR_ERR(job);
	vsplit_move_describe(&move, &range, step, &event);
	ret = vsplit_job_depend_resv(job, vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
	if (!ret)
		ret = vsplit_bo_page_leave(vbo, job, txn);
	if (ret) {
		vsplit_bo_tell_lists(vbo);
		return ret;
	}
	if (txn && txn->demand && !vbo->offer && move.to_seg == VSPLIT_SEG_SYSTEM)
		vsplit_resid_demand(&vdev->mm.resid, &vbo->resid, txn->resid);

	trace_vsplit_bo_move(vdev, vbo->id, move.from_seg, move.to_seg, event.bytes, evict);
	fence = vsplit_paging_commit(no_free_ptr(job), vbo, &event);
	dma_resv_add_fence(vbo->tbo.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	if (event.type != VSPLIT_EVENT_MOVE)
		vbo->dirty = false;
	if (range != vbo->range)
		vsplit_swizzle_lose(vbo, fence, "left");
	vsplit_bo_settle(vbo, to, fence);
	vsplit_bo_tell_lists(vbo);
	dma_fence_put(fence);
	return 0;
}

static int vsplit_ttm_move(struct ttm_buffer_object *tbo, bool evict,
			   struct ttm_operation_ctx *ctx, struct ttm_resource *to,
			   struct ttm_place *hop)
{
	struct vsplit_txn *txn = vsplit_txn_of(ctx);
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);
	int ret;

	if (!tbo->resource ||
	    (tbo->resource->mem_type == TTM_PL_SYSTEM && to->mem_type == TTM_PL_SYSTEM)) {
		ttm_bo_move_null(tbo, to);
		return 0;
	}
	if (vsplit_bo_needs_stop(vbo, to)) {
		*hop = vsplit_system_place;
		return -EMULTIHOP;
	}
	ret = vsplit_bo_populate(vbo, ctx);
	/* The first half of a multihop is an eviction, too, though @evict is false for it. */
	if (!ret)
		ret = vsplit_bo_page(vbo, to, true, ctx);
	if (ret && vsplit_bo_memory(vbo)) {
		/* TTM destroys the backing store that it finds: put it aside. */
		vbo->kept = tbo->ttm;
		tbo->ttm = NULL;
	}
	/* A client can reach its limit at any time, but TTM complains of all errors but signals. */
	if (txn && (ret == -ENOBUFS || ret == -E2BIG)) {
		txn->refused = ret;
		return -EINTR;
	}
	return ret;
}

static int vsplit_io_mem_reserve(struct ttm_device *bdev, struct ttm_resource *res)
{
	struct vsplit_segment *segment = vsplit_resource_owner(bdev_to_mm(bdev), res);

	if (!segment || segment->aperture)
		return 0;
	res->bus.addr = segment->memory + vsplit_resource_offset(res);
	res->bus.offset = segment->bus ? segment->bus + vsplit_resource_offset(res) : 0;
	res->bus.is_iomem = true;
	res->bus.caching = ttm_cached;
	return 0;
}

static unsigned long vsplit_io_mem_pfn(struct ttm_buffer_object *tbo, unsigned long page)
{
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);
	struct vsplit_segment *segment = vsplit_resource_owner(vbo_to_mm(vbo), tbo->resource);

	/* SEG-3: only the BAR's address and the offset count; there is no struct page. */
	if (segment->bus)
		return PHYS_PFN(segment->bus + vsplit_bo_at(vbo, (u64)page << PAGE_SHIFT));
	return vmalloc_to_pfn(segment->memory + vsplit_bo_at(vbo, (u64)page << PAGE_SHIFT));
}

const struct ttm_device_funcs vsplit_ttm_funcs = {
	.ttm_tt_create = vsplit_tt_create,
	.ttm_tt_populate = vsplit_tt_populate,
	.ttm_tt_unpopulate = vsplit_tt_unpopulate,
	.ttm_tt_destroy = vsplit_tt_destroy,
	.eviction_valuable = vsplit_eviction_valuable,
	.evict_flags = vsplit_evict_flags,
	.move = vsplit_ttm_move,
	.release_notify = vsplit_release_notify,
	.io_mem_reserve = vsplit_io_mem_reserve,
	.io_mem_pfn = vsplit_io_mem_pfn,
};
