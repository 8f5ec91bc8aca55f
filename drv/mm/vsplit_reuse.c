// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: what is used again
 *
 * Which allocation leaves where a submission needs room is TTM's choice: the one that was used
 * least recently. In a loop over more than there is memory for that is the worst one, since it is
 * the next that will be needed, and everything is loaded in each round. What will be submitted is
 * not known when places are decided; but what has been used again after so many uses of others
 * probably is after as many. With splits=planned victims are therefore chosen by that, where one of
 * them leaves room enough: the one whose next use is the furthest away. (WDDM leaves the choice
 * open, A6.)
 *
 * Time is @lru_clock of struct vsplit_mm, a tick for each use of an allocation, so that choices
 * depend on the order of submissions alone. An allocation is *due* as long after its last use as
 * that was after the one before. One that was used once is due never: streams, and the rounds that
 * nothing is known of yet, leave what is used again where it is. One that is overdue by as long
 * again belongs to what a program did before, and leaves first.
 *
 * Each memory segment has a tree of these for each level of TTM's, so that a choice takes
 * logarithmic time. What has left is still in it; it is taken out when it is found there.
 */
#include "mm/vsplit_mm_internal.h"

/* Due never: ticks that do not come. */
#define VSPLIT_REUSE_NEVER	BIT_ULL(62)

/* Candidates that a choice looks at. What it finds none among leaves by TTM's choice. */
#define VSPLIT_REUSE_LOOKS	16

static struct vsplit_bo *node_to_bo(struct rb_node *node)
{
	return rb_entry_safe(node, struct vsplit_bo, reuse);
}

static bool reuse_less(struct rb_node *a, const struct rb_node *b)
{
	return node_to_bo(a)->due < rb_entry(b, struct vsplit_bo, reuse)->due;
}

static void reuse_remove(struct vsplit_bo *vbo)
{
	lockdep_assert_held(&vbo_to_mm(vbo)->reuse_lock);

	if (RB_EMPTY_NODE(&vbo->reuse))
		return;
	rb_erase(&vbo->reuse, vbo->reuse_tree);
	RB_CLEAR_NODE(&vbo->reuse);
}

/**
 * vsplit_reuse_used() - A submission uses an allocation.
 * @vbo: resv held; where it will be then.
 * @now: the tick of this use; vbo->lru still is that of the last one, or 0.
 */
void vsplit_reuse_used(struct vsplit_bo *vbo, u64 now)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);

	dma_resv_assert_held(vbo->tbo.base.resv);

	guard(spinlock)(&mm->reuse_lock);
	reuse_remove(vbo);
	vbo->gap = vbo->lru ? now - vbo->lru : 0;
	vbo->due = now + (vbo->gap ?: VSPLIT_REUSE_NEVER);
	if (vsplit_bo_memory(vbo) && !(vbo->flags & VSPLIT_GEM_RUNS)) {
		vbo->reuse_tree = &mm->segments[vsplit_bo_segment(vbo)].reuse[vbo->tbo.priority];
		rb_add(&vbo->reuse, vbo->reuse_tree, reuse_less);
	}
}

/** vsplit_reuse_forget() - It will not be used again: it has no user left; resv held. */
void vsplit_reuse_forget(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);

	dma_resv_assert_held(vbo->tbo.base.resv);

	scoped_guard(spinlock, &mm->reuse_lock)
		reuse_remove(vbo);
}

/* May it leave for @other, and is the room of it enough? Its resv is held. */
static bool reuse_suits(const struct vsplit_bo *vbo, const struct vsplit_bo *other)
{
	return !vbo->tbo.pin_count && vbo->tbo.base.size >= other->tbo.base.size &&
	       IS_ALIGNED(vsplit_bo_offset(vbo), other->align);
}

/*
 * The first one of a tree that may leave for @other, with its resv held, and a reference to its
 * memory: the lock keeps it in the tree, but not until it is unlocked. What is locked is in use,
 * or is the submission's own.
 */
static struct vsplit_bo *reuse_take(struct vsplit_segment *segment, struct rb_root *tree,
				    const struct vsplit_bo *other, u32 *looks)
{
	u64 now = atomic64_read(&segment->mm->lru_clock);
	struct vsplit_bo *vbo = node_to_bo(rb_first(tree));
	bool overdue = vbo && vbo->due + vbo->gap < now;
	struct rb_node *node, *next;

	lockdep_assert_held(&segment->mm->reuse_lock);

	for (node = overdue ? rb_first(tree) : rb_last(tree); node && *looks; node = next) {
		next = overdue ? rb_next(node) : rb_prev(node);
		vbo = node_to_bo(node);
		(*looks)--;
		if (!dma_resv_trylock(vbo->tbo.base.resv))
			continue;
		if (vsplit_bo_segment(vbo) != segment->index) {
			reuse_remove(vbo);
		} else if (reuse_suits(vbo, other)) {
			vsplit_compat_tbo_get(&vbo->tbo);
			return vbo;
		}
		dma_resv_unlock(vbo->tbo.base.resv);
	}
	return NULL;
}

/**
 * vsplit_reuse_make_room() - Let what is used again last leave for an allocation.
 * @vbo: resv held; it finds no hole, and others may leave for it.
 * @write: the GPU is going to write it.
 * @ctx: of the transaction.
 *
 * A victim leaves, of the first segment that it may be in, if the room of one is enough; otherwise
 * nothing does, and TTM chooses.
 *
 * Return: 0, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_reuse_make_room(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_bo *victim = NULL;
	u32 looks = VSPLIT_REUSE_LOOKS;
	struct vsplit_segment *from;
	u32 level, i = 0;
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	while (i < vbo->nr_segs && !(vsplit_bo_allows(vbo, i, write) &&
				     vsplit_bo_lock_allows(vbo, vbo->segs[i])))
		i++;
	if (i == vbo->nr_segs)
		return 0;
	from = &mm->segments[vbo->segs[i]];
	spin_lock(&mm->reuse_lock);
	for (level = 0; level < ARRAY_SIZE(from->reuse) && !victim; level++)
		victim = reuse_take(from, &from->reuse[level], vbo, &looks);
	spin_unlock(&mm->reuse_lock);
	if (!victim)
		return 0;
	ret = vsplit_bo_evict_to_set(victim, 0, ctx);
	dma_resv_unlock(victim->tbo.base.resv);
	vsplit_compat_tbo_put(&victim->tbo);
	/* It stays: another one may not have to. */
	return ret == -ENOMEM || ret == -ERESTARTSYS ? ret : 0;
}
