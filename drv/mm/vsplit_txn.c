// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: transactions
 *
 * A transaction is one change of places on behalf of one owner. In the course of it TTM evicts
 * other allocations, through a callback. The only parameter that the caller can hand to the
 * callback is the struct ttm_operation_ctx, so this is embedded in the transaction.
 *
 * Not every context is part of a transaction: TTM has some of its own, for CPU faults and for
 * swapping out. A context that is part of one is marked by a dma_resv that belongs to no
 * allocation. TTM compares ttm_operation_ctx.resv with that of a buffer, and does nothing else with
 * it.
 *
 * No lock keeps transactions apart while they decide. Each looks at a copy of the segments'
 * contents, decides, and then locks its own allocations and its victims and compares: if facts that
 * it relies on have changed, it gives everything back and begins again. Between that comparison and
 * the commit its *windows* are claimed in the segments, where others find them taken.
 *
 * Others could overtake a transaction again and again. Therefore, after a few tries, it takes its
 * *turn*: turns are served in the order in which they were asked for, and while there is one, no
 * other transaction begins to change a place. A turn is no lock: its holder may allocate and plan
 * meanwhile, and tasks that change no place do not wait for it.
 */
#include <linux/dma-resv.h>
#include <linux/sched/signal.h>

#include "mm/vsplit_mm_internal.h"

/* Only its address is used; never locked, nor initialised. */
static struct dma_resv vsplit_txn_mark;

void vsplit_txn_init(struct vsplit_txn *txn, struct vsplit_mm *mm, void *owner,
		     bool interruptible)
{
	*txn = (struct vsplit_txn) {
		/* Without no_wait_gpu TTM waits for buffers that are locked or being destroyed. */
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
	/* Transactions that wait for a turn take one themselves, else they could wait for ever. */
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
	/* Obstacles may be about to be freed: give them a moment. */
	if (turn && schedule_timeout_killable(1) && fatal_signal_pending(current))
		return -ERESTARTSYS;
	return turn ? vsplit_txn_take_turn(txn) : vsplit_txn_begin(txn);
}
