// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: swizzled allocations and swizzling ranges
 *
 * An allocation with a pitch is *swizzled*: commands see it in the tiled layout of vsplit_isa.h,
 * and the CPU always sees linear bytes (SEG-15). The order of its bytes depends on its place:
 *
 *  in system memory     linear: paging in swizzles, evicting unswizzles (SEG-10, SEG-11),
 *                       both by the engine's paging steps.
 *  in a memory segment  tiled; or linear, while a swizzling range covers it.
 *  in an aperture       never (SEG-17): the CPU would see tiles there.
 *
 * A memory segment has a number of swizzling ranges. Before the CPU gets a page of a swizzled
 * allocation in a segment, the allocation acquires a range (SEG-5) and keeps it: one range for each
 * allocation, however often it is mapped or locked (EXT-29). The range is a register of the GPU.
 * Page tables cannot reorder bytes, so they cannot give the CPU a linear view of tiles. Instead,
 * the step that sets the range brings the bytes into linear order where they are, and from then on
 * the range translates the GPU's accesses (gpu/vsplit_gpu_ranges.c). So the CPU maps the segment's
 * own pages, at the segment's own offsets (SEG-6), there is one copy of the bytes, and both sides
 * see each other's writes at once, each in its own order.
 *
 * Acquiring and releasing are paging jobs like a change of place: CPU mappings are zapped if there
 * may be any, the job waits for all users of the allocation, and later work waits for the job. The
 * bytes pass through the backing store, so the allocation is clean afterwards.
 *
 * A range is released when its allocation leaves the segment, is released, or loses the range to
 * another allocation. If no range is free, the range that was acquired first is taken. Ranges are
 * passed over whose holder is locked through the aperture (VSPLIT_LOCK_ACQUIRE_APERTURE), or whose
 * holder's dma_resv is taken. If no range can be taken,
 * the allocation that asked is evicted, and the CPU uses the linear bytes in system memory (SEG-7).
 * The same happens to an allocation that has lost VSPLIT_MAX_RANGES_LOST ranges without a move: an
 * instruction that needs more allocations than there are ranges would make these take the ranges
 * from each other for ever.
 *
 * A range that a program releases may be in use until the program is done; the job of the range's
 * next owner waits for the program's fence.
 *
 * No list names the allocations that work uses by virtual addresses. So a job that reorders bytes
 * in place could not wait for such work, and the range's registers would change while an engine
 * uses them. An allocation that is mapped at virtual addresses is evicted instead: it acquires no
 * range, and a range that it acquired before is taken from it by eviction.
 *
 * Lock order: this is called in the fault path, with mmap_lock and one dma_resv held. The dma_resv
 * of a victim is only tried.
 */
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_kcov.h"
#include "debug/vsplit_trace.h"

/* No range can be had: the allocation has to be evicted. */
#define VSPLIT_RANGE_UNAVAILABLE	(-EAGAIN)

/* Each loss costs two paging jobs. Allocations that the CPU merely uses in turns lose as many. */
#define VSPLIT_MAX_RANGES_LOST		32u

/* ---- the ranges of a segment -------------------------------------------- */

/* Make the ranges, all free, of a segment that is being made. Return: 0 or -ENOMEM. */
int vsplit_swizzle_init(struct vsplit_segment *segment, u32 nr)
{
	u32 i;

	segment->swizzle = kcalloc(nr, sizeof(*segment->swizzle), GFP_KERNEL);
	if (!segment->swizzle)
		return -ENOMEM;
	segment->nr_swizzle = nr;
	for (i = 0; i < nr; i++)
		segment->swizzle[i].segment = segment;
	return 0;
}

/* Forget the fence of a range, and hand it to the caller: the range may be set anew after it. */
static struct dma_fence *vsplit_swizzle_forget(struct vsplit_swizzle_range *range)
{
	struct dma_fence *busy = range->busy;

	if (busy)
		dma_fence_remove_callback(busy, &range->idle);
	range->busy = NULL;
	return busy;
}

/** vsplit_swizzle_fini() - Free the ranges; none is held, and nothing uses the segment any more. */
void vsplit_swizzle_fini(struct vsplit_segment *segment)
{
	u32 i;

	for (i = 0; i < segment->nr_swizzle; i++)
		dma_fence_put(vsplit_swizzle_forget(&segment->swizzle[i]));
	kfree(segment->swizzle);
	segment->swizzle = NULL;
	segment->nr_swizzle = 0;
}

/** vsplit_swizzle_prune() - Forget the fences that have signalled; lock held. */
void vsplit_swizzle_prune(struct vsplit_segment *segment)
{
	u32 i;

	lockdep_assert_held(&segment->lock);

	for (i = 0; i < segment->nr_swizzle; i++)
		if (segment->swizzle[i].busy && dma_fence_is_signaled(segment->swizzle[i].busy))
			dma_fence_put(vsplit_swizzle_forget(&segment->swizzle[i]));
}

static void vsplit_swizzle_idle(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct vsplit_swizzle_range *range = container_of(cb, struct vsplit_swizzle_range, idle);

	schedule_work(&range->segment->prune);
}

u32 vsplit_swizzle_register(const struct vsplit_segment *segment, u32 range)
{
	return segment->index * VSPLIT_MAX_SWIZZLING_RANGES + range;
}

/* Give a range back. The hardware uses it until @fence signals; NULL: not any more. */
static void vsplit_swizzle_give(struct vsplit_segment *segment, u32 index, struct dma_fence *fence)
{
	struct vsplit_swizzle_range *range = &segment->swizzle[index];

	guard(mutex)(&segment->lock);
	range->holder = NULL;
	if (fence) {
		vsplit_kcov_note(&segment->coverage);
		range->busy = dma_fence_get(fence);
		if (dma_fence_add_callback(fence, &range->idle, vsplit_swizzle_idle)) {
			dma_fence_put(range->busy);
			range->busy = NULL;
		}
	}
}

/* Take a free range. Return: its index, or @nr_swizzle if none is free. */
static u32 vsplit_swizzle_take(struct vsplit_segment *segment, struct vsplit_bo *vbo,
			       struct dma_fence **busy)
{
	u32 i;

	guard(mutex)(&segment->lock);
	for (i = 0; i < segment->nr_swizzle; i++) {
		struct vsplit_swizzle_range *range = &segment->swizzle[i];

		if (range->holder)
			continue;
		range->holder = vbo;
		range->used = atomic64_inc_return(&segment->mm->lru_clock);
		*busy = vsplit_swizzle_forget(range);
		break;
	}
	return i;
}

/* ---- jobs --------------------------------------------------------------- */

/* Set or release @range by a paging job, which also waits for @busy. */
static struct dma_fence *vsplit_swizzle_job(struct vsplit_bo *vbo, u32 type, u32 range,
					    struct dma_fence *busy, const struct vsplit_txn *txn)
{
	struct vsplit_device *vdev = vbo_to_vdev(vbo);
	struct vsplit_segment *segment = &vdev->mm.segments[vsplit_bo_segment(vbo)];
	bool acquire = type == VSPLIT_GPU_STEP_ACQUIRE_RANGE;
	const struct drm_vsplit_event event = {
		.type = acquire ? VSPLIT_EVENT_ACQUIRE_RANGE : VSPLIT_EVENT_RELEASE_RANGE,
		.id = vbo->id,
		.segment = segment->index + 1,
		.at = vsplit_bo_offset(vbo),
		.bytes = vbo->tbo.base.size,
	};
	struct vsplit_job *job __free(vsplit_job) = NULL;
	struct vsplit_gpu_step *step;
	struct dma_fence *fence;
	int ret;

	ret = vsplit_fault("mm.range_job") ? -ENOMEM :
	      dma_resv_reserve_fences(vbo->tbo.base.resv, 1);
	if (ret)
		return ERR_PTR(ret);
	job = vsplit_paging_prepare(vdev, txn, &step);
	if (IS_ERR(job))
		return ERR_CAST(job);

	step->type = type;
	step->dst.address = segment->base + vsplit_bo_offset(vbo);
	step->bytes = vbo->tbo.base.size;
	step->pitch = vbo->pitch;
	step->range = vsplit_swizzle_register(segment, range);
	if (!vbo->clear)
		step->src.pages = vsplit_bo_pages(vbo);
	/* An offered allocation that stays keeps its bytes, and its pages are older. */
	if (vbo->dirty || (vbo->offer_dirty && !vbo->clear))
		step->flags |= acquire ? VSPLIT_GPU_STEP_UNSWIZZLE : VSPLIT_GPU_STEP_SAVE;

	ret = vsplit_job_depend_resv(job, vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
	if (!ret && busy)
		ret = vsplit_job_depend(job, dma_fence_get(busy));
	if (ret)
		return ERR_PTR(ret);
	fence = vsplit_paging_commit(no_free_ptr(job), vbo, &event);
	dma_resv_add_fence(vbo->tbo.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	vbo->dirty = false;
	return fence;
}

/* ---- releasing ---------------------------------------------------------- */

void vsplit_swizzle_lose(struct vsplit_bo *vbo, struct dma_fence *fence, const char *why)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_segment *segment = &mm->segments[vsplit_bo_segment(vbo)];

	trace_vsplit_release_range(mm->vdev, vbo->id, segment->index, vbo->range, why);
	atomic64_inc(&mm->vdev->stats.ranges_released);
	vsplit_swizzle_give(segment, vbo->range, fence);
	vbo->range = VSPLIT_NO_RANGE;
}

/*
 * Take the range of @vbo away: its bytes are tiled in place, or, with virtual addresses, evicted.
 */
static int vsplit_swizzle_release(struct vsplit_bo *vbo, struct vsplit_txn *txn)
{
	struct dma_fence *fence;
	int ret;

	if (vbo->maps)
		return vsplit_bo_evict(vbo, &txn->ctx);
	ret = vsplit_bo_populate(vbo, &txn->ctx);
	if (ret)
		return ret;
	ttm_bo_unmap_virtual(&vbo->tbo);
	fence = vsplit_swizzle_job(vbo, VSPLIT_GPU_STEP_RELEASE_RANGE, vbo->range, NULL,
				   txn);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	vsplit_swizzle_lose(vbo, fence, "stolen");
	vbo->ranges_lost++;
	dma_fence_put(fence);
	return 0;
}

/* The holder with the lowest stamp above @after; a reference. */
static struct vsplit_bo *vsplit_swizzle_victim(struct vsplit_segment *segment, u64 *after)
{
	struct vsplit_swizzle_range *oldest = NULL;
	u32 i;

	guard(mutex)(&segment->lock);
	for (i = 0; i < segment->nr_swizzle; i++) {
		struct vsplit_swizzle_range *range = &segment->swizzle[i];

		if (range->holder && range->used > *after &&
		    (!oldest || range->used < oldest->used))
			oldest = range;
	}
	if (!oldest)
		return NULL;
	*after = oldest->used;
	vsplit_compat_tbo_get(&oldest->holder->tbo);
	return oldest->holder;
}

/* Take a range from its holder. Return: true if this freed one; others may take it first. */
static bool vsplit_swizzle_steal(struct vsplit_segment *segment, struct vsplit_txn *txn)
{
	struct vsplit_bo *victim;
	bool freed = false;
	u64 after = 0;

	while (!freed && (victim = vsplit_swizzle_victim(segment, &after))) {
		if (dma_resv_trylock(victim->tbo.base.resv)) {
			freed = victim->range != VSPLIT_NO_RANGE && !victim->aperture_locks &&
				vsplit_bo_segment(victim) == segment->index &&
				!vsplit_swizzle_release(victim, txn);
			dma_resv_unlock(victim->tbo.base.resv);
		}
		vsplit_compat_tbo_put(&victim->tbo);
	}
	return freed;
}

/* ---- acquiring ---------------------------------------------------------- */

static int vsplit_swizzle_acquire(struct vsplit_bo *vbo, bool may_steal, struct vsplit_txn *txn)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_segment *segment = &mm->segments[vsplit_bo_segment(vbo)];
	struct dma_fence *fence, *busy = NULL;
	u32 range;
	int ret;

	if (!segment->nr_swizzle || vbo->maps ||
	    READ_ONCE(mm->vdev->knobs.fail_acquire_swizzling_range))
		return VSPLIT_RANGE_UNAVAILABLE;
	ret = vsplit_bo_populate(vbo, &txn->ctx);
	if (ret)
		return ret;
	while ((range = vsplit_swizzle_take(segment, vbo, &busy)) == segment->nr_swizzle)
		if (!may_steal || !vsplit_swizzle_steal(segment, txn))
			return VSPLIT_RANGE_UNAVAILABLE;

	fence = vsplit_swizzle_job(vbo, VSPLIT_GPU_STEP_ACQUIRE_RANGE, range, busy, txn);
	if (IS_ERR(fence)) {
		vsplit_swizzle_give(segment, range, busy);
		dma_fence_put(busy);
		return PTR_ERR(fence);
	}
	dma_fence_put(busy);
	dma_fence_put(fence);
	vbo->range = range;
	trace_vsplit_acquire_range(mm->vdev, vbo->id, segment->index, range);
	atomic64_inc(&mm->vdev->stats.ranges_acquired);
	return 0;
}

int vsplit_swizzle_expose(struct vsplit_bo *vbo, bool may_evict, struct vsplit_txn *txn)
{
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (!vbo->pitch || !vsplit_bo_memory(vbo) || vbo->range != VSPLIT_NO_RANGE)
		return 0;
	ret = vsplit_swizzle_acquire(vbo, !may_evict || vbo->ranges_lost < VSPLIT_MAX_RANGES_LOST,
				     txn);
	if (ret != VSPLIT_RANGE_UNAVAILABLE)
		return ret;
	return may_evict ? vsplit_bo_evict(vbo, &txn->ctx) : -EADDRNOTAVAIL;
}

/* ---- paging ------------------------------------------------------------- */

void vsplit_swizzle_step(const struct vsplit_bo *vbo, u32 from, u32 to, u32 *range,
			 struct vsplit_gpu_step *step)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	bool linear = *range != VSPLIT_NO_RANGE;

	if (!vbo->pitch)
		return;
	step->pitch = vbo->pitch;
	if (linear) {
		step->range = vsplit_swizzle_register(&mm->segments[from], *range);
		if (from == to) {
			step->flags |= VSPLIT_GPU_STEP_MOVE_RANGE;
			return;
		}
		step->flags |= VSPLIT_GPU_STEP_DROP_RANGE;
		*range = VSPLIT_NO_RANGE;
	}
	if (step->type != VSPLIT_GPU_STEP_TRANSFER)
		return;
	linear |= from == VSPLIT_SEG_SYSTEM;
	if (linear && to != VSPLIT_SEG_SYSTEM)
		step->flags |= VSPLIT_GPU_STEP_SWIZZLE;
	else if (!linear && to == VSPLIT_SEG_SYSTEM)
		step->flags |= VSPLIT_GPU_STEP_UNSWIZZLE;
}

/** vsplit_swizzle_print() - Which allocation has which range, for debugfs; lock held. */
void vsplit_swizzle_print(struct vsplit_segment *segment, struct drm_printer *p)
{
	u32 i;

	lockdep_assert_held(&segment->lock);

	for (i = 0; i < segment->nr_swizzle; i++) {
		const struct vsplit_swizzle_range *range = &segment->swizzle[i];

		drm_printf(p, "swizzling range %u: ", i);
		if (range->holder)
			drm_printf(p, "bo %llu\n", range->holder->id);
		else
			drm_printf(p, "free%s\n", range->busy ? ", busy" : "");
	}
}
