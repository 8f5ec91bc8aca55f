// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: pending flips
 *
 * A buffer that writes what a head is about to show, or still shows until a pending commit
 * takes effect, has to be ordered with that commit (RES-18). So a commit is a *reader* of the
 * framebuffers that it replaces and of those that it shows: it has a fence, which joins the
 * dma_resv of all their allocations at once, and is signalled when the commit has taken effect
 * and the composer has done with what was shown before. Submissions that write one of them
 * wait for it as for any reader; those that read do not, and what stays as it is has no fence.
 *
 * Published is the fence when all is pinned and the fences that the commit waits for are
 * known. From then on the commit takes no dma_resv and no memory until it is signalled, and
 * waits for what was published before it, for vblanks and for the composer. A commit that fails
 * after that signals it as well. Afterwards the allocations do not keep it: what is shown for as
 * long as a console is would keep the module.
 *
 * A commit that blocks stands behind a pending one of the same head, for as long as the work
 * that this one waits for goes on, to show it or to write over it. Where it is another process's,
 * or DRM's, what is waited for is made overdue (vsplit_flip_hurry()); and if that is a commit of
 * another head, what this one waits for. DRM's own fences of a commit (OUT_FENCE_PTR, and
 * WRITEBACK_OUT_FENCE_PTR of a picture) pass nothing on: their contexts tell the head.
 */
#include <linux/dma-fence.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <drm/drm_atomic.h>
#include <drm/drm_exec.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_managed.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"
#include "vsplit_device.h"

/**
 * struct vsplit_flip - A commit that has not taken effect.
 * @base: its fence; it may outlive the adapter.
 * @lock: of @base.
 * @kms: whose heads may name it; constant.
 * @committer: the process whose commit it is; constant.
 * @overdue: so is what it waits for; atomic.
 * @next: another one that has become overdue, with a reference; of the task that set @overdue.
 * @nr_awaited: elements of @awaited; constant.
 * @awaited: what the commit waits for before it takes effect; references, until its end.
 * @nr: elements of @gems; the committing thread's, and then of what ends the commit.
 * @gems: the allocations whose dma_resv the fence joins; references, once it has.
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

/* Heads of all adapters, by the contexts of DRM's fences of their commits. */
static DEFINE_XARRAY_FLAGS(vsplit_flip_heads, XA_FLAGS_LOCK_IRQ);

static void vsplit_flip_remove_head(struct drm_device *drm, void *data)
{
	struct vsplit_head *head = data;

	xa_erase_irq(&vsplit_flip_heads, head->crtc.fence_context);
	xa_erase_irq(&vsplit_flip_heads, head->writeback.fence_context);
}

/** vsplit_flip_add_head() - Let a deadline of DRM's fences of a head be one of its commits. */
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
 * Put a commit that is not yet overdue in front of @todo. Once: it may be waited for by several.
 * @fence: of one, or NULL.
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

/* Return: @todo, and in front what a head's commits wait for, if a fence of DRM's is of one. */
static struct vsplit_flip *vsplit_flip_tell_head(struct dma_fence *fence, struct vsplit_flip *todo)
{
	struct vsplit_head *head;
	unsigned long flags;

	xa_lock_irqsave(&vsplit_flip_heads, flags);
	head = xa_load(&vsplit_flip_heads, fence->context);
	if (head) {
		spin_lock(&head->lock);
		todo = vsplit_flip_overdue(head->flip, todo);
		todo = vsplit_flip_overdue(head->writing, todo);
		spin_unlock(&head->lock);
	}
	xa_unlock_irqrestore(&vsplit_flip_heads, flags);
	return todo;
}

/* Return: @todo, and the commits among what is @awaited in front. */
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

/**
 * vsplit_kms_set_overdue() - Something stands still for a fence: it is to signal now.
 * @fence: of any sort.
 *
 * As dma_fence_set_deadline(), and for what DRM's own fences of a commit wait for. What stands
 * still for a commit does for all that this waits for. Each of that may be a commit, of any number
 * of heads and adapters, so they are told one after another.
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

/* One that fails would hide those before it, were they of one context. */
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

/**
 * vsplit_flip_of_writing() - A picture is to be written over what is still used.
 * @head: that shows it; one at a time waits.
 * @before: what is waited for.
 *
 * Return: a fence until vsplit_flip_end(), a reference; NULL: no memory.
 */
struct dma_fence *vsplit_flip_of_writing(struct vsplit_head *head, struct dma_fence *before)
{
	struct vsplit_flip *flip = vsplit_flip_create(head->kms->drm);

	if (!flip)
		return NULL;
	vsplit_flip_await(flip, before);
	scoped_guard(spinlock_irq, &head->lock)
		head->writing = &flip->base;
	return &flip->base;
}

/* It is signalled: the allocations need not know it, nor it what it waited for. */
static void vsplit_flip_forget(struct vsplit_flip *flip)
{
	struct dma_fence *stub = dma_fence_get_stub();
	u32 nr = xchg(&flip->nr, 0), i;

	for (i = 0; i < flip->kms->nr_heads; i++) {
		struct vsplit_head *head = &flip->kms->heads[i];

		spin_lock_irq(&head->lock);
		if (head->flip == &flip->base)
			head->flip = NULL;
		if (head->writing == &flip->base)
			head->writing = NULL;
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

/* All is locked. */
static void vsplit_flip_publish(struct drm_atomic_state *state, struct vsplit_flip *flip)
{
	struct drm_crtc_state *crtc_state;
	struct drm_plane_state *new;
	struct drm_plane *plane;
	struct drm_crtc *crtc;
	int i;
	u32 k;

	for (k = 0; k < flip->nr; k++) {
		drm_gem_object_get(flip->gems[k]);
		dma_resv_add_fence(flip->gems[k]->resv, &flip->base, DMA_RESV_USAGE_READ);
	}
	for_each_new_plane_in_state(state, plane, new, i)
		if (!to_vsplit_plane_state(new)->added)
			rcu_assign_pointer(to_vsplit_plane_state(new)->flip,
					   dma_fence_get(&flip->base));
	for_each_new_crtc_in_state(state, crtc, crtc_state, i)
		scoped_guard(spinlock_irq, &crtc_to_head(crtc)->lock)
			crtc_to_head(crtc)->flip = &flip->base;
	vsplit_head_expect(state);
}

/**
 * vsplit_flip_begin() - Order writers with a commit.
 * @plane: of it.
 * @new: its new state; all planes are prepared. Function of struct drm_plane_helper_funcs.
 *
 * Of all planes at once, when it is called for the first.
 *
 * Return: 0, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_flip_begin(struct drm_plane *plane, struct drm_plane_state *new)
{
	struct vsplit_plane_state *vstate = to_vsplit_plane_state(new);
	struct vsplit_flip *flip;
	struct drm_exec exec;
	int ret = 0;

	if (vstate->added || rcu_access_pointer(vstate->flip))
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
	else
		dma_fence_put(&flip->base);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/* @flip: a reference, which is given up; or NULL. */
static void vsplit_flip_hurry_one(struct dma_fence *flip)
{
	if (flip && (current->flags & PF_KTHREAD ||
		     to_vsplit_flip(flip)->committer != task_tgid_nr(current)))
		vsplit_kms_set_overdue(flip);
	dma_fence_put(flip);
}

static void vsplit_flip_hurry_plane(struct drm_plane_state *state)
{
	struct dma_fence *flip;

	rcu_read_lock();
	flip = dma_fence_get_rcu_safe(&to_vsplit_plane_state(state)->flip);
	rcu_read_unlock();
	vsplit_flip_hurry_one(flip);
}

/**
 * vsplit_flip_hurry() - A commit is about to wait for those before it: let them not wait long.
 * @state: of the commit, which blocks; its planes and CRTCs are locked.
 *
 * A process may wait for its own work, and a signal ends that. But one does not wait for
 * another's endless work; and a thread of the kernel, which takes the framebuffers of a closed
 * file off, is waited for by a task that no signal reaches.
 */
void vsplit_flip_hurry(struct drm_atomic_state *state)
{
	struct drm_crtc_state *crtc_state;
	struct drm_plane_state *new;
	struct dma_fence *writing;
	struct drm_plane *plane;
	struct drm_crtc *crtc;
	int i;

	for_each_new_plane_in_state(state, plane, new, i)
		vsplit_flip_hurry_plane(drm_atomic_get_old_plane_state(state, plane));
	for_each_new_crtc_in_state(state, crtc, crtc_state, i) {
		struct vsplit_head *head = crtc_to_head(crtc);

		spin_lock_irq(&head->lock);
		writing = dma_fence_get(head->writing);
		spin_unlock_irq(&head->lock);
		vsplit_flip_hurry_one(writing);
	}
}

/* A worker is no client: whatever the commit waits for is overdue. */
static void vsplit_flip_impatient(struct work_struct *work)
{
	struct vsplit_flip_patience *patience =
		container_of(work, struct vsplit_flip_patience, work.work);
	struct drm_plane_state *new;
	struct drm_plane *plane;
	int i;

	vsplit_flip_hurry(patience->state);
	for_each_new_plane_in_state(patience->state, plane, new, i)
		vsplit_flip_hurry_plane(new);
}

/**
 * vsplit_flip_bear() - A commit that blocks is about to wait, with the locks of what it changes.
 * @patience: until vsplit_flip_borne(); on the stack.
 * @state: of the commit.
 *
 * Clients that only ask what the head shows wait for these locks, and no signal ends that. So a
 * process waits for its own work, too, for so long only.
 */
void vsplit_flip_bear(struct vsplit_flip_patience *patience, struct drm_atomic_state *state)
{
	patience->state = state;
	INIT_DELAYED_WORK_ONSTACK(&patience->work, vsplit_flip_impatient);
	schedule_delayed_work(&patience->work, VSPLIT_FLIP_PATIENCE);
}

/** vsplit_flip_borne() - It waits no more. */
void vsplit_flip_borne(struct vsplit_flip_patience *patience)
{
	cancel_delayed_work_sync(&patience->work);
	destroy_delayed_work_on_stack(&patience->work);
}

/* Does a commit, if it is one, wait for what is to be done before it takes effect? Under RCU. */
static bool vsplit_flip_waits_one(struct dma_fence *flip)
{
	bool waits = false;
	u32 i;

	for (i = 0; flip && i < to_vsplit_flip(flip)->nr_awaited; i++) {
		const struct dma_fence *awaited =
			rcu_dereference(to_vsplit_flip(flip)->awaited[i]);

		waits |= awaited && !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &awaited->flags);
	}
	return waits;
}

/* The same of the commit that sets @state. */
static bool vsplit_flip_waits_of(struct drm_plane_state *state)
{
	bool waits;

	rcu_read_lock();
	waits = vsplit_flip_waits_one(rcu_dereference(to_vsplit_plane_state(state)->flip));
	rcu_read_unlock();
	return waits;
}

/**
 * vsplit_flip_waits() - Does a commit wait for what is to be done before it takes effect?
 * @state: of the commit.
 */
bool vsplit_flip_waits(struct drm_atomic_state *state)
{
	struct drm_plane_state *new;
	struct drm_plane *plane;
	bool waits = false;
	int i;

	for_each_new_plane_in_state(state, plane, new, i)
		waits |= vsplit_flip_waits_of(new);
	return waits;
}

/**
 * vsplit_flip_is_behind() - Does a commit before wait so, which may be as long as its client likes?
 * @state: of the commit that stands behind it; its planes and CRTCs are locked.
 */
bool vsplit_flip_is_behind(struct drm_atomic_state *state)
{
	struct drm_crtc_state *crtc_state;
	struct drm_plane_state *before;
	struct drm_plane *plane;
	struct drm_crtc *crtc;
	bool waits = false;
	int i;

	for_each_old_plane_in_state(state, plane, before, i) {
		lockdep_assert_held(&plane->mutex.mutex.base);
		waits |= vsplit_flip_waits_of(before);
	}
	for_each_new_crtc_in_state(state, crtc, crtc_state, i) {
		struct vsplit_head *head = crtc_to_head(crtc);

		spin_lock_irq(&head->lock);
		rcu_read_lock();
		waits |= vsplit_flip_waits_one(head->writing);
		rcu_read_unlock();
		spin_unlock_irq(&head->lock);
	}
	return waits;
}

/** vsplit_flip_take_one() - The fence of the commit that sets it. Return: a reference, or NULL. */
struct dma_fence *vsplit_flip_take_one(struct vsplit_plane_state *vstate)
{
	return unrcu_pointer(xchg(&vstate->flip, NULL));
}

/**
 * vsplit_flip_take() - The fence of a commit.
 * @state: of which no other has taken over yet; it waits no longer.
 *
 * The states of planes have it no longer: one without a framebuffer may stay, and would keep the
 * fence, and with it the module, until the plane is used again.
 *
 * Return: a reference, or NULL.
 */
struct dma_fence *vsplit_flip_take(struct drm_atomic_state *state)
{
	struct dma_fence *flip = NULL, *own;
	struct drm_plane_state *new;
	struct drm_plane *plane;
	int i;

	for_each_new_plane_in_state(state, plane, new, i) {
		own = vsplit_flip_take_one(to_vsplit_plane_state(new));
		if (!own)
			continue;
		dma_fence_put(flip);
		flip = own;
	}
	return flip;
}

/**
 * vsplit_flip_end() - A commit has taken effect, or never will.
 * @flip: its fence, reference; signalled before or not; or NULL. No dma_resv is held.
 */
void vsplit_flip_end(struct dma_fence *flip)
{
	if (!flip)
		return;
	dma_fence_signal(flip);
	vsplit_flip_forget(to_vsplit_flip(flip));
	dma_fence_put(flip);
}
