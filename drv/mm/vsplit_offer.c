// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: offers
 *
 * A client offers allocations whose bytes it can make again (EXT-47). Until it reclaims them, the
 * bytes are not needed, so an offered allocation counts as clean even if it was written, and always
 * leaves its segment without a transfer. As with every eviction, work that was submitted before is
 * done first. After that, the allocation has the bytes that the backing store had before: older
 * bytes of the same allocation.
 *
 * Offered allocations are the first victims. If a submission finds no hole, it evicts as many of
 * them as it needs before anything else: those with the lowest offer priority first, and among
 * equals in a segment the oldest offer first. A submission that could have no place at all is
 * refused before that. When the host's memory is short, pages of offered allocations go first, in
 * the same order (vsplit_shrink.c), but offers whose pages cannot go at once are passed over, and
 * put behind their equals; offers without pages are not looked at. An allocation that is reclaimed
 * after that has zeros.
 *
 * Offered allocations are not used: they cannot be locked, and lists cannot name them. If a device
 * requires them, they do not hold up its work. Reclaiming tells whether bytes were lost. It makes
 * no list of another device longer, since offered allocations are not shared (vsplit_gem_open()).
 */
#include <drm/drm_exec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/* The row of mm->offers for allocations in system memory. */
#define VSPLIT_OFFER_SYSTEM	VSPLIT_MAX_SEGMENTS

/* How many offers of each class the shrinker looks at to find one whose pages can go. */
#define VSPLIT_OFFER_LOOKS	64

/* Class of an offer: lower classes leave first. */
static u32 vsplit_offer_class(const struct vsplit_bo *vbo)
{
	return vbo->offer - 1 + (vbo->offer == VSPLIT_OFFER_AUTO ? vbo->tbo.priority : 0);
}

/** vsplit_offers_init() - Begin without offers. */
void vsplit_offers_init(struct vsplit_mm *mm)
{
	u32 i, j;

	spin_lock_init(&mm->offer_lock);
	for (i = 0; i < ARRAY_SIZE(mm->offers); i++)
		for (j = 0; j < ARRAY_SIZE(mm->offers[i]); j++)
			INIT_LIST_HEAD(&mm->offers[i][j]);
}

static void vsplit_offer_unlink(struct vsplit_mm *mm, struct vsplit_bo *vbo)
{
	lockdep_assert_held(&mm->offer_lock);

	list_del_init(&vbo->offer_link);
	if (vbo->offer_in_system)
		WRITE_ONCE(mm->offered_pages,
			   mm->offered_pages - (vbo->tbo.base.size >> PAGE_SHIFT));
	vbo->offer_in_system = false;
}

/** vsplit_offer_drop() - Take an allocation off the lists of offers, if it is there; resv held. */
void vsplit_offer_drop(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);

	scoped_guard(spinlock, &mm->offer_lock)
		vsplit_offer_unlink(mm, vbo);
}

/** vsplit_offer_moved() - Enter an offered allocation where it is now; resv held. */
void vsplit_offer_moved(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	bool system = vsplit_bo_segment(vbo) == VSPLIT_SEG_SYSTEM;
	u32 row = system ? VSPLIT_OFFER_SYSTEM : vsplit_bo_segment(vbo);

	guard(spinlock)(&mm->offer_lock);
	vsplit_offer_unlink(mm, vbo);
	/* In system memory only pages are asked for. vsplit_bo_populate() enters it with pages. */
	if (system ? !vsplit_bo_has_pages(vbo) : !vsplit_bo_memory(vbo))
		return;
	list_add_tail(&vbo->offer_link, &mm->offers[row][vsplit_offer_class(vbo)]);
	vbo->offer_in_system = system;
	if (system)
		WRITE_ONCE(mm->offered_pages,
			   mm->offered_pages + (vbo->tbo.base.size >> PAGE_SHIFT));
}

static struct vsplit_bo *vsplit_offers_peek(struct vsplit_mm *mm, u32 segments)
{
	u32 class, seg;

	lockdep_assert_held(&mm->offer_lock);

	for (class = 0; class < VSPLIT_OFFER_CLASSES; class++)
		for (seg = 0; seg < mm->nr_segments; seg++)
			if ((segments & BIT(seg)) && !list_empty(&mm->offers[seg][class]))
				return list_first_entry(&mm->offers[seg][class], struct vsplit_bo,
							offer_link);
	return NULL;
}

/* The next victim in one of these segments; a reference. It stays on its list. */
static struct vsplit_bo *vsplit_offers_first(struct vsplit_mm *mm, u32 segments)
{
	struct vsplit_bo *vbo;

	guard(spinlock)(&mm->offer_lock);
	/* An allocation that is being closed gives its place back by itself. */
	while ((vbo = vsplit_offers_peek(mm, segments)) &&
	       !kref_get_unless_zero(&vbo->tbo.base.refcount))
		vsplit_offer_unlink(mm, vbo);
	return vbo;
}

/*
 * Is any allocation offered in one of these segments, even if all of them are about to be closed?
 */
bool vsplit_offers_any(struct vsplit_mm *mm, u32 segments)
{
	guard(spinlock)(&mm->offer_lock);
	return vsplit_offers_peek(mm, segments);
}

/* Evict an offered allocation, if it can leave; resv held. @left: adds the bytes that have left. */
static int vsplit_offer_evict(struct vsplit_bo *vbo, u64 *left, struct ttm_operation_ctx *ctx)
{
	int ret;

	/* Since it was found, it may have been reclaimed, or may have left. */
	if (!vbo->offer || !vsplit_bo_memory(vbo))
		return 0;
	ret = vsplit_bo_evict_to_set(vbo, 0, ctx);
	if (!ret) {
		*left += vbo->tbo.base.size;
		return 0;
	}
	if (ret != -EBUSY && ret != -ENOSPC)
		return ret;
	/* An allocation that cannot leave now becomes a victim like any other. */
	vsplit_offer_drop(vbo);
	return 0;
}

/*
 * Evict offered allocations from segments where @bytes are needed. @ctx: of the transaction that
 * needs them; the caller holds no lock of an allocation.
 * Return: 0; -ENOSPC: no allocation could leave; -ENOMEM, -ERESTARTSYS; -EINTR also as
 * vsplit_txn.refused says. After -ENOMEM and signals the remaining offers are still the first
 * victims.
 */
int vsplit_offers_evict(struct vsplit_mm *mm, u32 segments, u64 bytes,
			struct ttm_operation_ctx *ctx)
{
	struct vsplit_bo *vbo;
	u64 left = 0;
	int ret = 0;

	while (!ret && left < bytes) {
		vbo = vsplit_offers_first(mm, segments);
		if (!vbo)
			break;
		vsplit_sync_point("mm.offer");
		ret = vsplit_interrupted("offer.evict") ? -ERESTARTSYS :
		      ttm_bo_reserve(&vbo->tbo, true, false, NULL);
		if (!ret) {
			ret = vsplit_offer_evict(vbo, &left, ctx);
			dma_resv_unlock(vbo->tbo.base.resv);
		}
		drm_gem_object_put(&vbo->tbo.base);
	}
	return ret ?: left ? 0 : -ENOSPC;
}

/* Can the pages go at once? If so, lock the allocation, and take a reference to its memory. */
static bool vsplit_offer_take(struct vsplit_bo *vbo)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;

	/* An allocation on the list is not released, so no reference is needed for this. */
	if (!dma_resv_trylock(tbo->base.resv))
		return false;
	if (!vbo->pages_pinned && !vbo->locks && !tbo->pin_count &&
	    vsplit_bo_segment(vbo) == VSPLIT_SEG_SYSTEM && vsplit_bo_has_pages(vbo) &&
	    dma_resv_test_signaled(tbo->base.resv, DMA_RESV_USAGE_BOOKKEEP)) {
		vsplit_compat_tbo_get(tbo);
		return true;
	}
	dma_resv_unlock(tbo->base.resv);
	return false;
}

/* Look at each offer of a list once: the first one whose pages can go, as vsplit_offers_next(). */
static struct vsplit_bo *vsplit_offers_next_in(struct vsplit_mm *mm, struct list_head *offers)
{
	struct vsplit_bo *vbo, *next, *last;
	u32 looks = VSPLIT_OFFER_LOOKS;

	lockdep_assert_held(&mm->offer_lock);

	if (list_empty(offers))
		return NULL;
	last = list_last_entry(offers, struct vsplit_bo, offer_link);
	list_for_each_entry_safe(vbo, next, offers, offer_link) {
		if (vsplit_offer_take(vbo)) {
			vsplit_offer_unlink(mm, vbo);
			return vbo;
		}
		/* Put it at the end, so that the next scan begins with other allocations. */
		list_move_tail(&vbo->offer_link, offers);
		if (vbo == last || !--looks)
			break;
	}
	return NULL;
}

/* The next offer in system memory whose pages can go; locked, with a reference to its memory. */
static struct vsplit_bo *vsplit_offers_next(struct vsplit_mm *mm)
{
	struct vsplit_bo *vbo = NULL;
	u32 class;

	guard(spinlock)(&mm->offer_lock);
	for (class = 0; !vbo && class < VSPLIT_OFFER_CLASSES; class++)
		vbo = vsplit_offers_next_in(mm, &mm->offers[VSPLIT_OFFER_SYSTEM][class]);
	return vbo;
}

/* Drop the pages, and with them the bytes; resv held. Return: number of dropped pages. */
static unsigned long vsplit_offer_discard(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	struct ttm_placement nowhere = {};
	struct ttm_resource *res;

	/*
	 * TTM drops the resource with the pages, so get another one. Idle allocations never fail
	 * here.
	 */
	if (vsplit_fault("offer.discard") ||
	    ttm_bo_mem_space(tbo, &vsplit_system_placement, &res, ctx))
		return 0;
	ttm_bo_unmap_virtual(tbo);
	if (ttm_bo_validate(tbo, &nowhere, ctx)) {
		ttm_resource_free(tbo, &res);
		return 0;
	}
	ttm_bo_assign_mem(tbo, res);
	/*
	 * The allocation is clear, as when it was made. Plans that relied on its bytes are
	 * outdated.
	 */
	vbo->offer_dirty |= !vbo->clear;
	vbo->clear = true;
	vbo->moves++;
	return tbo->ttm->num_pages;
}

/*
 * Drop pages of offered allocations, for the shrinker; @ctx does not wait. Return: number of
 * dropped pages: more than @pages if the last allocation has more.
 */
unsigned long vsplit_offers_discard(struct vsplit_mm *mm, unsigned long pages,
				    struct ttm_operation_ctx *ctx)
{
	unsigned long freed = 0, some = 1;
	struct vsplit_bo *vbo;

	while (freed < pages && some) {
		vbo = vsplit_offers_next(mm);
		if (!vbo)
			break;
		some = vsplit_offer_discard(vbo, ctx);
		freed += some;
		/* There was no memory: it can go the next time. */
		if (!some)
			vsplit_offer_moved(vbo);
		dma_resv_unlock(vbo->tbo.base.resv);
		vsplit_compat_tbo_put(&vbo->tbo);
	}
	return freed;
}

/* ---- the calls ---- */

/* The allocations that an offer or reclaim call names, in the order of the client's @nr handles. */
struct vsplit_offering {
	u32 *handles;
	struct vsplit_bo **bos;	/* @found references */
	u32 nr;
	u32 found;
	struct drm_exec exec;	/* holds the locks of all allocations */
};

static void vsplit_offering_fini(struct vsplit_offering *o)
{
	while (o->found) {
		drm_gem_object_put(&o->bos[--o->found]->tbo.base);
		cond_resched();
	}
	kvfree(o->bos);
	kvfree(o->handles);
}

static int vsplit_offering_init(struct vsplit_offering *o, struct drm_file *file, u64 handles,
				u32 nr)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;
	struct drm_gem_object *gem;

	if (!nr)
		return -EINVAL;
	if (nr > VSPLIT_MAX_RESIDENCY)
		return -E2BIG;
	o->nr = nr;
	o->handles = vsplit_fault("offer.handles") ? NULL :
		     kvmalloc_array(nr, sizeof(*o->handles), gfp);
	o->bos = kvmalloc_array(nr, sizeof(*o->bos), gfp);
	if (!o->handles || !o->bos)
		return -ENOMEM;
	if (vsplit_fault("offer.copy_user") ||
	    copy_from_user(o->handles, u64_to_user_ptr(handles),
			   array_size(nr, sizeof(*o->handles))))
		return -EFAULT;
	for (; o->found < nr; o->found++) {
		gem = drm_gem_object_lookup(file, o->handles[o->found]);
		if (!gem)
			return -ENOENT;
		o->bos[o->found] = gem_to_vsplit_bo(gem);
		cond_resched();
	}
	return 0;
}

static int vsplit_offering_lock(struct vsplit_offering *o)
{
	int ret = 0;
	u32 i;

	drm_exec_init(&o->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, o->nr);
	drm_exec_until_all_locked(&o->exec) {
		for (i = 0; i < o->nr; i++) {
			ret = vsplit_interrupted("offer.lock") ? -EINTR :
			      drm_exec_lock_obj(&o->exec, &o->bos[i]->tbo.base);
			if (ret)
				break;
			cond_resched();
		}
		drm_exec_retry_on_contention(&o->exec);
		if (ret)
			break;
	}
	if (ret)
		drm_exec_fini(&o->exec);
	return ret;
}

/* A client cannot offer an allocation that others or the CPU use, or that never leaves. */
static int vsplit_offer_check(struct vsplit_offering *o)
{
	u32 i;

	for (i = 0; i < o->nr; i++) {
		const struct vsplit_bo *vbo = o->bos[i];

		if (vbo->locks || vbo->tbo.pin_count || vbo->pages_pinned ||
		    vsplit_bo_is_known(vbo))
			return -EBUSY;
	}
	return 0;
}

static void vsplit_offer_one(struct vsplit_bo *vbo, u32 priority)
{
	/* A second offer only changes the priority. */
	if (!vbo->offer) {
		vbo->offer_dirty = vbo->dirty;
		vbo->dirty = false;
	}
	WRITE_ONCE(vbo->offer, priority);
	vsplit_resid_offer(&vbo_to_mm(vbo)->resid, &vbo->resid, true);
	vsplit_bo_tell_lists(vbo);
	vsplit_offer_moved(vbo);
}

static int vsplit_offer_stop(void *priv, struct dma_fence *fence)
{
	dma_fence_set_deadline(fence, ktime_get());
	dma_fence_put(fence);
	return 0;
}

/*
 * An allocation that left while it was offered becomes missing when it is reclaimed. Hardware
 * queues have gone on running: stop them, so that they begin no packet before it is back.
 */
static int vsplit_offer_check_reclaim(struct vsplit_bo *vbo)
{
	if (!vbo->offer || vsplit_bo_can_stay(vbo, true))
		return 0;
	return vsplit_resid_leave(&vbo_to_mm(vbo)->resid, &vbo->resid, NULL, NULL,
				  vsplit_offer_stop, NULL);
}

static bool vsplit_offer_reclaim(struct vsplit_bo *vbo)
{
	bool lost = vbo->offer_dirty && !vsplit_bo_memory(vbo);

	vsplit_offer_drop(vbo);
	if (vbo->offer_dirty && !lost)
		vbo->dirty = true;
	vbo->offer_dirty = false;
	WRITE_ONCE(vbo->offer, 0);
	vsplit_resid_offer(&vbo_to_mm(vbo)->resid, &vbo->resid, false);
	/* If a device requires the allocation, it has to come back. */
	vsplit_bo_tell_lists(vbo);
	return lost;
}

static int vsplit_offer_call(struct drm_device *drm, const struct drm_vsplit_offer *args,
			     struct drm_file *file)
{
	struct vsplit_offering o = {};
	int ret;
	u32 i;

	if (vsplit_refuse(to_vsplit_device(drm), args->priority < VSPLIT_OFFER_LOW) ||
	    vsplit_refuse(to_vsplit_device(drm), args->priority > VSPLIT_OFFER_AUTO))
		return -EINVAL;
	ret = vsplit_offering_init(&o, file, args->handles, args->num_handles);
	if (!ret)
		ret = vsplit_offering_lock(&o);
	if (!ret) {
		ret = vsplit_offer_check(&o);
		for (i = 0; !ret && i < o.nr; i++) {
			vsplit_offer_one(o.bos[i], args->priority);
			cond_resched();
		}
		drm_exec_fini(&o.exec);
	}
	vsplit_offering_fini(&o);
	return ret;
}

int vsplit_offer_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	u64 begin_ns = trace_vsplit_offer_enabled() ? ktime_get_ns() : 0;
	const struct drm_vsplit_offer *args = data;
	int ret = vsplit_offer_call(drm, args, file);

	trace_vsplit_offer(vsplit_file_resid(file), begin_ns, args->num_handles, 0, 0, ret);
	return ret;
}

static int vsplit_reclaim_call(struct drm_device *drm, const struct drm_vsplit_reclaim *args,
			       struct drm_file *file)
{
	void __user *discarded = u64_to_user_ptr(args->discarded);
	struct vsplit_offering o = {};
	size_t bytes;
	int ret;
	u32 i;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	ret = vsplit_offering_init(&o, file, args->handles, args->num_handles);
	bytes = array_size(o.nr, sizeof(*o.handles));
	/* Reclaim nothing if the result cannot be written. */
	if (!ret && discarded && clear_user(discarded, bytes))
		ret = -EFAULT;
	if (!ret)
		ret = vsplit_offering_lock(&o);
	if (!ret) {
		for (i = 0; !ret && i < o.nr; i++)
			ret = vsplit_offer_check_reclaim(o.bos[i]);
		for (i = 0; i < o.nr; i++) {
			if (ret)
				vsplit_bo_tell_lists(o.bos[i]);
			else
				o.handles[i] = vsplit_offer_reclaim(o.bos[i]);
			cond_resched();
		}
		drm_exec_fini(&o.exec);
		if (!ret && discarded && copy_to_user(discarded, o.handles, bytes))
			ret = -EFAULT;
	}
	vsplit_offering_fini(&o);
	return ret;
}

int vsplit_reclaim_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	u64 begin_ns = trace_vsplit_reclaim_enabled() ? ktime_get_ns() : 0;
	const struct drm_vsplit_reclaim *args = data;
	int ret = vsplit_reclaim_call(drm, args, file);

	trace_vsplit_reclaim(vsplit_file_resid(file), begin_ns, args->num_handles, 0, 0, ret);
	return ret;
}
