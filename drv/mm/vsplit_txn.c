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
 */
#include <linux/dma-resv.h>

#include "mm/vsplit_mm_internal.h"

/* Its address alone counts; never locked, nor initialised. */
static struct dma_resv vsplit_txn_mark;

void vsplit_txn_init(struct vsplit_txn *txn, void *owner, bool interruptible)
{
	*txn = (struct vsplit_txn) {
		.ctx = { .interruptible = interruptible, .resv = &vsplit_txn_mark },
		.owner = owner,
	};
}

struct vsplit_txn *vsplit_txn_of(struct ttm_operation_ctx *ctx)
{
	return ctx && ctx->resv == &vsplit_txn_mark ? container_of(ctx, struct vsplit_txn, ctx) :
						      NULL;
}
