// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: choice of victims by their next use
 *
 * If a submission needs room, TTM evicts the allocation that was used least recently. In a loop
 * over more bytes than there is memory for, this is the worst choice: that allocation is the next
 * to be needed, and everything is loaded in each round. Future submissions are not known when
 * places are chosen. But an allocation that was used again after a number of other uses will
 * probably be used again after as many. So with splits=planned the victim is, of the allocations
 * that leave enough room, the one whose next use is the furthest away. (WDDM leaves the choice
 * open, A6.)
 *
 * Time is @lru_clock of struct vsplit_mm, a tick for each use of an allocation, so that choices
 * depend only on the order of submissions. An allocation is *due* as long after its last use as
 * this came after the use before. An allocation that was used only once is never due: so streams,
 * and the first rounds of a loop, do not displace allocations that are used again. An allocation
 * that is overdue by the same time again belongs to a former phase of a program, and leaves first.
 *
 * Each memory segment has a tree of allocations for each of TTM's levels, so that a choice takes
 * logarithmic time. An allocation that has left its segment is still in the tree, until a choice
 * finds it there and takes it out.
 */
#include "mm/vsplit_mm_internal.h"

/* Added to the time of an allocation that is never due: more ticks than will ever come. */
#define VSPLIT_REUSE_NEVER	BIT_ULL(62)

/* Candidates that a choice looks at. If none of them suits, TTM chooses. */
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

/*
 * A submission uses an allocation, which is already where the submission will have it; resv held.
 * @now: the tick of this use; vbo->lru is still the tick of the last use, or 0.
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

/** vsplit_reuse_forget() - An allocation without users will not be used again; resv held. */
void vsplit_reuse_forget(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);

	dma_resv_assert_held(vbo->tbo.base.resv);

	scoped_guard(spinlock, &mm->reuse_lock)
		reuse_remove(vbo);
}

/* May it leave for @other, and does it leave enough room? Its resv is held. */
static bool reuse_suits(const struct vsplit_bo *vbo, const struct vsplit_bo *other)
{
	return !vbo->tbo.pin_count && vbo->tbo.base.size >= other->tbo.base.size &&
	       IS_ALIGNED(vsplit_bo_offset(vbo), other->align);
}

/*
 * Find the first allocation of a tree that may leave for @other. Return it with its resv held, and
 * with a TTM reference: while the resv is held the allocation stays in the tree, and so exists, but
 * not while the caller unlocks it. Allocations whose resv is taken are in use, or belong to the
 * submission itself.
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

/*
 * Evict the allocation that is used again last, to make room for one that has found no hole; resv
 * held. A victim leaves the first segment that @vbo may be in, if one victim makes enough room.
 * Otherwise nothing leaves, and TTM chooses.
 * Return: 0, also if the victim cannot leave; -ENOMEM, -ERESTARTSYS.
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
	/* If the victim cannot leave, TTM may find another one. */
	return ret == -ENOMEM || ret == -ERESTARTSYS ? ret : 0;
}
