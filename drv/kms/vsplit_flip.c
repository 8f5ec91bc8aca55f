// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: pending flips
 *
 * A DMA buffer that writes what a head is about to show, or still shows until a pending commit
 * takes effect, has to be ordered with that commit (RES-18). So a commit is a *reader* of the
 * framebuffers that it replaces and of those that it shows. It has a fence, which joins the
 * dma_resvs of all their allocations at once. The fence is signalled when the commit has taken
 * effect and the composer has done with what was shown before. Submissions that write one of these
 * allocations wait for the fence as for that of any reader; submissions that only read them do not.
 * Planes that the commit does not change have no fence of it.
 *
 * The fence is published when all framebuffers are pinned and the fences that the commit waits for
 * are known. From then on until the fence is signalled, the commit takes no dma_resv and no memory,
 * and waits only for what was published before it, for vblanks and for the composer. A commit that
 * fails after that signals its fence as well. A signalled fence is taken out of the dma_resvs: in
 * the dma_resv of a console's picture, which is shown all the time, it would keep the module.
 *
 * A commit that blocks waits behind a pending commit of the same head, which the head knows. The
 * pending commit in turn waits for work: work that draws what it shows, or that uses what it writes
 * a picture over. If another process made the pending commit, or if a thread of the kernel makes
 * the one behind it, everything that the pending commit waits for is made overdue
 * (vsplit_flip_hurry()). If that is a commit of another head, what this commit waits for is made
 * overdue, too. DRM's own fences of a commit (OUT_FENCE_PTR, and WRITEBACK_OUT_FENCE_PTR of a
 * picture) pass no deadline on: vsplit finds the head by the contexts of these fences.
 */
#include <linux/bitops.h>
#include <linux/dma-fence.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <drm/drm_atomic.h>
#include <drm/drm_connector.h>
#include <drm/drm_drv.h>
#include <drm/drm_encoder.h>
#include <drm/drm_exec.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_managed.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"
#include "vsplit_device.h"

/**
 * struct vsplit_flip - A commit that has not taken effect.
 * @base: fence of the commit; it may outlive the adapter.
 * @lock: of @base.
 * @kms: display whose heads may point to this flip; constant.
 * @committer: process that made the commit; constant.
 * @overdue: what the commit waits for is made overdue; atomic.
 * @next: next flip on a list of flips that have become overdue, which has a reference to each; used
 *	by the task that set @overdue.
 * @nr_awaited: elements of @awaited; constant once others can find the flip.
 * @awaited: fences that the commit waits for before it takes effect; references, until its end.
 * @nr: elements of @gems; used by the committing thread, then by the thread that ends the commit.
 * @gems: allocations whose dma_resv the fence joins; references, once it has joined.
 */
struct vsplit_flip {
	struct dma_fence base;
	spinlock_t lock; /* of the fence */
	struct vsplit_kms *kms;
	pid_t committer;
	bool overdue;
	struct vsplit_flip *next;
	u32 nr_awaited;
	struct dma_fence __rcu *awaited[VSPLIT_MAX_PLANES + VSPLIT_MAX_HEADS];
	u32 nr;
	struct drm_gem_object *gems[2 * VSPLIT_MAX_PLANES * VSPLIT_MAX_FB_GEMS];
};

static struct vsplit_flip *to_vsplit_flip(struct dma_fence *fence)
{
	return container_of(fence, struct vsplit_flip, base);
}

static const char *vsplit_flip_timeline_name(struct dma_fence *fence)
{
	return "vsplit-flip";
}

static void vsplit_flip_set_deadline(struct dma_fence *fence, ktime_t deadline);

static const struct dma_fence_ops vsplit_flip_ops = {
	VSPLIT_COMPAT_FENCE_OPS
	.get_driver_name = vsplit_fence_driver_name,
	.get_timeline_name = vsplit_flip_timeline_name,
	.set_deadline = vsplit_flip_set_deadline,
	.release = vsplit_fence_release,
};

/* Heads of all adapters, by the contexts of the fences that DRM makes for their commits. */
static DEFINE_XARRAY_FLAGS(vsplit_flip_heads, XA_FLAGS_LOCK_IRQ);

static void vsplit_flip_remove_head(struct drm_device *drm, void *data)
{
	struct vsplit_head *head = data;

	xa_erase_irq(&vsplit_flip_heads, head->crtc.fence_context);
	xa_erase_irq(&vsplit_flip_heads, head->writeback.fence_context);
}

/** vsplit_flip_add_head() - Let vsplit_kms_set_overdue() find a head by DRM's fences of it. */
int vsplit_flip_add_head(struct vsplit_head *head)
{
	int ret;

	ret = xa_err(xa_store_irq(&vsplit_flip_heads, head->crtc.fence_context, head,
				  GFP_KERNEL)) ?:
	      xa_err(xa_store_irq(&vsplit_flip_heads, head->writeback.fence_context, head,
				  GFP_KERNEL));
	if (ret)
		vsplit_flip_remove_head(head->kms->drm, head);
	return ret ?: drmm_add_action_or_reset(head->kms->drm, vsplit_flip_remove_head, head);
}

/*
 * Put a commit in front of @todo, unless it is overdue already: several fences may lead to it.
 * @fence: fence of the commit, or NULL.
 */
static struct vsplit_flip *vsplit_flip_overdue(struct dma_fence *fence, struct vsplit_flip *todo)
{
	struct vsplit_flip *flip = to_vsplit_flip(fence);

	if (!fence || xchg(&flip->overdue, true))
		return todo;
	dma_fence_get(fence);
	flip->next = todo;
	return flip;
}

/* Return: @todo; in front of it the pending commit of a head, if @fence is DRM's fence of one. */
static struct vsplit_flip *vsplit_flip_tell_head(struct dma_fence *fence, struct vsplit_flip *todo)
{
	struct vsplit_head *head;
	unsigned long flags;

	xa_lock_irqsave(&vsplit_flip_heads, flags);
	head = xa_load(&vsplit_flip_heads, fence->context);
	if (head) {
		spin_lock(&head->lock);
		todo = vsplit_flip_overdue(head->flip, todo);
		spin_unlock(&head->lock);
	}
	xa_unlock_irqrestore(&vsplit_flip_heads, flags);
	return todo;
}

/* Set a deadline for fences in @awaited. Return: @todo; in front of it the commits among them. */
static struct vsplit_flip *vsplit_flip_tell(struct dma_fence *awaited, struct vsplit_flip *todo)
{
	struct dma_fence_unwrap iter;
	struct dma_fence *fence;

	dma_fence_unwrap_for_each(fence, &iter, awaited) {
		if (fence->ops == &vsplit_flip_ops) {
			todo = vsplit_flip_overdue(fence, todo);
		} else {
			todo = vsplit_flip_tell_head(fence, todo);
			dma_fence_set_deadline(fence, 0);
		}
	}
	return todo;
}

/*
 * Something stands still for a fence, of any sort: it is to signal now. This sets a deadline of 0
 * by dma_fence_set_deadline(). If the fence is that of a commit, or DRM's own fence of one, this
 * sets the deadline of all that the commit waits for. Among that may be further commits, of any
 * number of heads and adapters: a list of them takes the place of a recursion.
 */
void vsplit_kms_set_overdue(struct dma_fence *fence)
{
	struct vsplit_flip *todo = vsplit_flip_tell(fence, NULL), *flip;
	struct dma_fence *awaited;
	u32 i;

	while ((flip = todo)) {
		todo = flip->next;
		for (i = 0; i < flip->nr_awaited; i++) {
			rcu_read_lock();
			awaited = dma_fence_get_rcu_safe(&flip->awaited[i]);
			rcu_read_unlock();
			if (awaited)
				todo = vsplit_flip_tell(awaited, todo);
			dma_fence_put(awaited);
		}
		dma_fence_put(&flip->base);
	}
}

static void vsplit_flip_set_deadline(struct dma_fence *fence, ktime_t deadline)
{
	if (!deadline)
		vsplit_kms_set_overdue(fence);
}

static void vsplit_flip_await(struct vsplit_flip *flip, struct dma_fence *fence)
{
	if (fence)
		RCU_INIT_POINTER(flip->awaited[flip->nr_awaited++], dma_fence_get(fence));
}

static void vsplit_flip_await_all(struct vsplit_flip *flip, struct drm_atomic_state *state)
{
	struct drm_connector_state *conn_state;
	struct drm_plane_state *plane_state;
	struct drm_connector *connector;
	struct drm_plane *plane;
	int i;

	for_each_new_plane_in_state(state, plane, plane_state, i)
		vsplit_flip_await(flip, plane_state->fence);
	for_each_new_connector_in_state(state, connector, conn_state, i) {
		const struct vsplit_writeback *writeback =
			conn_state->writeback_job ? conn_state->writeback_job->priv : NULL;

		if (writeback)
			vsplit_flip_await(flip, writeback->before);
	}
}

static void vsplit_flip_add(struct vsplit_flip *flip, struct drm_framebuffer *fb)
{
	u32 i;

	for (i = 0; fb && i < fb->format->num_planes; i++)
		flip->gems[flip->nr++] = drm_gem_fb_get_obj(fb, i);
}

static void vsplit_flip_add_all(struct vsplit_flip *flip, struct drm_atomic_state *state)
{
	struct drm_plane_state *old, *new;
	struct drm_plane *plane;
	int i;

	for_each_oldnew_plane_in_state(state, plane, old, new, i) {
		if (to_vsplit_plane_state(new)->added)
			continue;
		vsplit_flip_add(flip, old->fb);
		vsplit_flip_add(flip, new->fb);
	}
}

/*
 * Each flip has a fence context of its own: in a shared one, a flip that fails would hide the flips
 * before it.
 */
static struct vsplit_flip *vsplit_flip_create(struct drm_device *drm)
{
	struct vsplit_flip *flip;

	flip = vsplit_fault("kms.flip") ? NULL : kzalloc(sizeof(*flip), GFP_KERNEL);
	if (!flip)
		return NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&flip->lock);
	flip->kms = to_vsplit_device(drm)->kms;
	flip->committer = task_tgid_nr(current);
	dma_fence_init64(&flip->base, &vsplit_flip_ops, &flip->lock, dma_fence_context_alloc(1),
			 1);
	return flip;
}

/* The fence has signalled: take it out of the allocations' dma_resvs, drop what it waited for. */
static void vsplit_flip_forget(struct vsplit_flip *flip)
{
	struct dma_fence *stub = dma_fence_get_stub();
	u32 nr = xchg(&flip->nr, 0), i;

	for (i = 0; i < flip->kms->nr_heads; i++) {
		struct vsplit_head *head = &flip->kms->heads[i];

		spin_lock_irq(&head->lock);
		if (head->flip == &flip->base)
			head->flip = NULL;
		if (head->expected == &flip->base)
			head->expected = NULL;
		spin_unlock_irq(&head->lock);
	}
	for (i = 0; i < flip->nr_awaited; i++)
		dma_fence_put(unrcu_pointer(xchg(&flip->awaited[i], NULL)));
	while (nr--) {
		struct drm_gem_object *gem = flip->gems[nr];

		dma_resv_lock(gem->resv, NULL);
		dma_resv_replace_fences(gem->resv, flip->base.context, stub, DMA_RESV_USAGE_READ);
		dma_resv_unlock(gem->resv);
		drm_gem_object_put(gem);
	}
	dma_fence_put(stub);
}

/*
 * Return: the state that has the fence of a commit, which is that of its first CRTC. NULL: it has
 * no CRTC, so its planes are off before and after it.
 */
static struct vsplit_crtc_state *vsplit_flip_owner(struct drm_atomic_state *state)
{
	struct drm_crtc_state *crtc_state;
	struct drm_crtc *crtc;
	int i;

	for_each_new_crtc_in_state(state, crtc, crtc_state, i)
		return to_vsplit_crtc_state(crtc_state);
	return NULL;
}

/* The dma_resvs of all @flip->gems are locked. */
static void vsplit_flip_publish(struct drm_atomic_state *state, struct vsplit_flip *flip)
{
	struct drm_crtc_state *crtc_state;
	struct drm_crtc *crtc;
	int i;
	u32 k;

	for (k = 0; k < flip->nr; k++) {
		drm_gem_object_get(flip->gems[k]);
		dma_resv_add_fence(flip->gems[k]->resv, &flip->base, DMA_RESV_USAGE_READ);
	}
	rcu_assign_pointer(vsplit_flip_owner(state)->flip, &flip->base);
	/* A commit that blocks may fail behind a pending one, which its head has to know then. */
	for_each_new_crtc_in_state(state, crtc, crtc_state, i)
		scoped_guard(spinlock_irq, &crtc_to_head(crtc)->lock)
			if (!crtc_to_head(crtc)->blocks)
				crtc_to_head(crtc)->flip = &flip->base;
	vsplit_head_expect(state, &flip->base);
}

/*
 * struct drm_plane_helper_funcs.begin_fb_access: order writers with a commit, all planes of which
 * are prepared. The call for its first plane does this for all of its planes at once. Return: 0,
 * -ENOMEM, -ERESTARTSYS.
 */
int vsplit_flip_begin(struct drm_plane *plane, struct drm_plane_state *new)
{
	struct vsplit_crtc_state *owner = vsplit_flip_owner(new->state);
	struct vsplit_flip *flip;
	struct drm_exec exec;
	int ret = 0;

	if (!owner || rcu_access_pointer(owner->flip))
		return 0;
	flip = vsplit_flip_create(plane->dev);
	if (!flip)
		return -ENOMEM;
	vsplit_flip_await_all(flip, new->state);
	vsplit_flip_add_all(flip, new->state);
	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&exec) {
		ret = vsplit_interrupted("kms.flip_lock") ? -EINTR :
		      drm_exec_prepare_array(&exec, flip->gems, flip->nr, 1);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	if (ret)
		flip->nr = 0;
	else
		vsplit_flip_publish(new->state, flip);
	drm_exec_fini(&exec);
	if (ret)
		vsplit_flip_end(&flip->base);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/*
 * Make overdue what a commit waits for, unless the calling process made the commit itself.
 * @flip: a reference, which is given up; or NULL. The adapter exists.
 */
static void vsplit_flip_hurry_one(struct dma_fence *flip)
{
	if (flip && (current->flags & PF_KTHREAD ||
		     drm_dev_is_unplugged(to_vsplit_flip(flip)->kms->drm) ||
		     to_vsplit_flip(flip)->committer != task_tgid_nr(current)))
		vsplit_kms_set_overdue(flip);
	dma_fence_put(flip);
}

/*
 * Return: a bit for each head that a commit changes something of. A plane, an encoder and thus a
 * connector belongs to one head.
 */
static unsigned long vsplit_flip_heads_of(struct drm_atomic_state *state)
{
	struct drm_connector_state *conn_state;
	struct drm_plane_state *plane_state;
	struct drm_connector *connector;
	struct drm_encoder *encoder;
	struct drm_plane *plane;
	unsigned long heads = 0;
	int i;

	for_each_new_plane_in_state(state, plane, plane_state, i)
		heads |= plane->possible_crtcs;
	for_each_new_connector_in_state(state, connector, conn_state, i)
		drm_connector_for_each_possible_encoder(connector, encoder)
			heads |= encoder->possible_crtcs;
	return heads;
}

/*
 * Make overdue what earlier commits wait for, before a commit that blocks waits for them. A process
 * may wait for its own work: a signal ends that wait. It does not wait for endless work of another
 * process. A thread of the kernel waits for no endless work at all: it takes the framebuffers of a
 * closed file off, and the task that waits for this thread gets no signals. Neither does a task
 * that removes the adapter: no signal ends that.
 */
static void vsplit_flip_hurry(struct drm_atomic_state *state)
{
	struct vsplit_kms *kms = to_vsplit_device(state->dev)->kms;
	unsigned long heads = vsplit_flip_heads_of(state);
	struct dma_fence *flip;
	u32 i;

	for_each_set_bit(i, &heads, kms->nr_heads) {
		struct vsplit_head *head = &kms->heads[i];

		spin_lock_irq(&head->lock);
		flip = dma_fence_get(head->flip);
		spin_unlock_irq(&head->lock);
		vsplit_flip_hurry_one(flip);
	}
}

/*
 * This runs in a worker, which is no client: all that the commit waits for is made overdue. It runs
 * again and again, because the commit's own fence may be published only after the first time.
 */
static void vsplit_flip_impatient(struct work_struct *work)
{
	struct vsplit_flip_patience *patience =
		container_of(work, struct vsplit_flip_patience, work.work);
	struct vsplit_crtc_state *owner = vsplit_flip_owner(patience->state);
	struct dma_fence *flip;

	vsplit_flip_hurry(patience->state);
	rcu_read_lock();
	flip = owner ? dma_fence_get_rcu_safe(&owner->flip) : NULL;
	rcu_read_unlock();
	vsplit_flip_hurry_one(flip);
	schedule_delayed_work(&patience->work, VSPLIT_FLIP_PATIENCE);
}

/*
 * A commit that blocks is about to wait: limit its wait, until vsplit_flip_borne(). Endless work of
 * others becomes overdue at once (vsplit_flip_hurry()). The commit waits with the locks of what it
 * changes. Clients that only ask what the head shows wait for these locks, and no signal ends their
 * wait. So what the commit waits for becomes overdue within VSPLIT_FLIP_PATIENCE, even where it is
 * work of the same process. @patience is on the stack.
 */
void vsplit_flip_bear(struct vsplit_flip_patience *patience, struct drm_atomic_state *state)
{
	vsplit_flip_hurry(state);
	patience->state = state;
	INIT_DELAYED_WORK_ONSTACK(&patience->work, vsplit_flip_impatient);
	schedule_delayed_work(&patience->work, VSPLIT_FLIP_PATIENCE);
}

/** vsplit_flip_borne() - The commit waits no more. */
void vsplit_flip_borne(struct vsplit_flip_patience *patience)
{
	cancel_delayed_work_sync(&patience->work);
	destroy_delayed_work_on_stack(&patience->work);
}

/*
 * Does the commit of this fence, which may be NULL, still wait for a fence before it takes effect?
 */
bool vsplit_flip_waits(struct dma_fence *flip)
{
	bool waits = false;
	u32 i;

	rcu_read_lock();
	for (i = 0; flip && i < to_vsplit_flip(flip)->nr_awaited; i++) {
		const struct dma_fence *awaited =
			rcu_dereference(to_vsplit_flip(flip)->awaited[i]);

		waits |= awaited && !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &awaited->flags);
	}
	rcu_read_unlock();
	return waits;
}

/*
 * Does a commit, whose planes and CRTCs are locked, stand behind another one that still waits for a
 * fence? The other commit may wait for as long as its client likes.
 */
bool vsplit_flip_is_behind(struct drm_atomic_state *state)
{
	struct vsplit_kms *kms = to_vsplit_device(state->dev)->kms;
	unsigned long heads = vsplit_flip_heads_of(state);
	bool waits = false;
	u32 i;

	for_each_set_bit(i, &heads, kms->nr_heads)
		scoped_guard(spinlock_irq, &kms->heads[i].lock)
			waits |= vsplit_flip_waits(kms->heads[i].flip);
	return waits;
}

/*
 * Take the fence of a commit that has failed, or whose states no later commit has replaced yet. The
 * states stay when the commit has taken effect. They would keep the fence, and with it the module.
 * Return: a reference, or NULL.
 */
struct dma_fence *vsplit_flip_take(struct drm_atomic_state *state)
{
	struct vsplit_crtc_state *owner = vsplit_flip_owner(state);

	return owner ? unrcu_pointer(xchg(&owner->flip, NULL)) : NULL;
}

/*
 * A commit has taken effect, or never will. @flip: its fence, signalled before or not; a reference,
 * which is given up; or NULL. The caller holds no dma_resv.
 */
void vsplit_flip_end(struct dma_fence *flip)
{
	if (!flip)
		return;
	dma_fence_signal(flip);
	vsplit_flip_forget(to_vsplit_flip(flip));
	dma_fence_put(flip);
}
