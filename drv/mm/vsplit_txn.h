/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A transaction: one change of places, from its preparation to its commit.
 *
 * Whatever changes where allocations are is a user: a submission, a pin, a CPU lock.
 * What it needs of TTM it asks for with the context that is embedded here, so that a
 * paging job that TTM has made on its behalf is known to be its own.
 */
#ifndef _VSPLIT_TXN_H_
#define _VSPLIT_TXN_H_

#include <drm/ttm/ttm_bo.h>

/**
 * struct vsplit_txn - One change of places. On the stack of its task, and its alone.
 * @ctx: what TTM is given; vsplit_txn_of() finds the transaction by it.
 * @owner: for struct vsplit_paging_ops.prepare: what its paging jobs are noted in, or NULL.
 */
struct vsplit_txn {
	struct ttm_operation_ctx ctx;
	void *owner;
};

/**
 * vsplit_txn_init() - Begin.
 * @txn: uninitialised.
 * @owner: see struct vsplit_txn.
 * @interruptible: its waits are.
 */
void vsplit_txn_init(struct vsplit_txn *txn, void *owner, bool interruptible);

/**
 * vsplit_txn_of() - The transaction that a TTM context is embedded in.
 * @ctx: as TTM hands it to a callback.
 *
 * Return: the transaction, or NULL where TTM, or a caller without one, made the context.
 */
struct vsplit_txn *vsplit_txn_of(struct ttm_operation_ctx *ctx);

#endif /* _VSPLIT_TXN_H_ */
