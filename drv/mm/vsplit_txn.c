// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: transactions
 *
 * A transaction is one change of places on behalf of one owner. TTM evicts other
 * allocations in the course of it, through a callback that has no parameter of the
 * caller's but the struct ttm_operation_ctx, so that is embedded in the transaction.
 *
 * Not every context is: TTM has some of its own, for CPU faults and for swapping out.
 * Those that are have a dma_resv in them that belongs to no allocation. TTM compares
 * ttm_operation_ctx.resv with that of a buffer, and does nothing else with it.
 *
 * No lock keeps transactions apart while they decide. Each looks at a copy of what is
 * where, decides, and then locks the allocations of its own and its victims and
 * compares: if what it relies on has changed, it gives everything back and begins
 * again. Between that comparison and the commit its *windows* are claimed in the
 * segments, where others find them taken.
 *
 * Others could come before again and again. A transaction that has tried a few times
 * therefore takes its *turn*: turns are served in the order in which they were asked
 * for, and while there is one, no other transaction begins to change a place. A turn
 * is no lock: its holder may allocate and plan meanwhile, and what changes no place
 * does not wait for it.
 */
#include <linux/dma-resv.h>
#include <linux/sched/signal.h>

#include "mm/vsplit_mm_internal.h"

/* Its address alone counts; never locked, nor initialised. */
static struct dma_resv vsplit_txn_mark;

void vsplit_txn_init(struct vsplit_txn *txn, struct vsplit_mm *mm, void *owner,
		     bool interruptible)
{
	*txn = (struct vsplit_txn) {
		/* TTM waits for buffers that are locked or being destroyed only if it may. */
		.ctx = {
			.interruptible = interruptible,
			.no_wait_gpu = true,
			.resv = &vsplit_txn_mark,
		},
		.owner = owner,
		.mm = mm,
	};
	INIT_LIST_HEAD(&txn->turn);
}

struct vsplit_txn *vsplit_txn_of(struct ttm_operation_ctx *ctx)
{
	return ctx && ctx->resv == &vsplit_txn_mark ? container_of(ctx, struct vsplit_txn, ctx) :
						      NULL;
}

/* ---- turns ---- */

bool vsplit_txn_held_off(const struct vsplit_txn *txn)
{
	struct vsplit_mm *mm = txn->mm;

	guard(spinlock)(&mm->turn_lock);
	return !list_empty(&mm->turns) && mm->turns.next != &txn->turn;
}

static void vsplit_txn_leave_turn(struct vsplit_txn *txn)
{
	struct vsplit_mm *mm = txn->mm;

	if (list_empty(&txn->turn))
		return;
	scoped_guard(spinlock, &mm->turn_lock)
		list_del_init(&txn->turn);
	wake_up_all(&mm->turn_wait);
}

int vsplit_txn_take_turn(struct vsplit_txn *txn)
{
	struct vsplit_mm *mm = txn->mm;
	int ret;

	if (list_empty(&txn->turn)) {
		scoped_guard(spinlock, &mm->turn_lock)
			list_add_tail(&txn->turn, &mm->turns);
	}
	if (!txn->ctx.interruptible) {
		wait_event(mm->turn_wait, !vsplit_txn_held_off(txn));
		return 0;
	}
	ret = vsplit_interrupted("txn.turn") ? -ERESTARTSYS :
	      wait_event_killable(mm->turn_wait, !vsplit_txn_held_off(txn));
	if (ret)
		vsplit_txn_leave_turn(txn);
	return ret;
}

int vsplit_txn_begin(struct vsplit_txn *txn)
{
	if (txn->ctx.interruptible && vsplit_interrupted("txn.begin"))
		return -ERESTARTSYS;
	/* Those that wait for turns are served like turns, else they could wait for ever. */
	return vsplit_txn_held_off(txn) ? vsplit_txn_take_turn(txn) : 0;
}

void vsplit_txn_end(struct vsplit_txn *txn)
{
	vsplit_txn_leave_turn(txn);
	vsplit_resid_tell(&txn->mm->resid);
}

/* ---- windows ---- */

unsigned int vsplit_txn_windows(const struct vsplit_txn *txn)
{
	return atomic_read(&txn->mm->windows);
}

int vsplit_txn_again(struct vsplit_txn *txn, unsigned int seen, bool turn)
{
	struct vsplit_mm *mm = txn->mm;
	int ret;

	ret = vsplit_interrupted("txn.windows") ? -ERESTARTSYS :
	      wait_event_killable(mm->turn_wait,
				  vsplit_txn_windows(txn) != seen || !atomic_read(&mm->claims));
	if (ret)
		return ret;
	/* What lay in the way may be about to be freed. */
	if (turn && schedule_timeout_killable(1) && fatal_signal_pending(current))
		return -ERESTARTSYS;
	return turn ? vsplit_txn_take_turn(txn) : vsplit_txn_begin(txn);
}
