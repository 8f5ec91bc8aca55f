/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A transaction: one change of places, from its preparation to its commit.
 *
 * Everything that changes the places of allocations uses a transaction: a submission, a pin, a
 * reset (vsplit_txn.c). Places that are chosen beforehand are claimed and committed through a
 * layout.
 *
 *   init   begin   lock what is on the list   claim...  | commit    end
 *   ------------------- may fail, changes nothing ----- | cannot
 *
 * mm/ does not know what the owner of a transaction is.
 */
#ifndef _VSPLIT_TXN_H_
#define _VSPLIT_TXN_H_

#include <drm/ttm/ttm_bo.h>
#include <linux/list.h>

struct vsplit_account;
struct vsplit_mm;
struct vsplit_resid;

/** VSPLIT_TXN_TRIES - How many comparisons may fail before a transaction takes its turn. */
#define VSPLIT_TXN_TRIES	3

/**
 * struct vsplit_txn - One change of places. On the stack of its task, which alone uses it.
 * @ctx: the context that TTM is given; vsplit_txn_of() finds the transaction by it.
 * @owner: for vsplit_paging_prepare(): the record in which its paging jobs are noted, or NULL.
 * @client: for vsplit_paging_prepare(): the account that its paging jobs are charged to, and whose
 *	turn they take; NULL: the kernel.
 * @touched: for vsplit_paging_prepare(): the CPU touches the allocation. As this cannot be refused,
 *	no account is charged, and the pages may go beyond a cgroup's limit. Such a transaction
 *	takes no turn, and needs no vsplit_txn_end().
 * @awaited: for vsplit_paging_prepare(): the client waits for its paging jobs, so programs of other
 *	clients may hold them up only for a limited time; always so with an @owner.
 * @mm: memory management.
 * @resid: the device that it is for, or NULL. No layout of the transaction evicts an allocation
 *	that this device requires and has not offered; but TTM's choice, or
 *	vsplit_reuse_make_room(), may.
 * @demand: if an allocation leaves for it, the devices that require the allocation are asked to
 *	give back memory.
 * @refused: error for which nothing more can leave for its owner, or 0. TTM is told of a signal
 *	instead.
 * @turn: in mm->turns while it asks for, or has, its turn; under mm->turn_lock.
 */
struct vsplit_txn {
	struct ttm_operation_ctx ctx;
	void *owner;
	struct vsplit_account *client;
	bool touched;
	bool awaited;
	struct vsplit_mm *mm;
	struct vsplit_resid *resid;
	bool demand;
	int refused;
	struct list_head turn;
};

/* Prepare a transaction; vsplit_txn_end() ends it. @interruptible: its waits are. */
void vsplit_txn_init(struct vsplit_txn *txn, struct vsplit_mm *mm, void *owner,
		     bool interruptible);

/** vsplit_txn_end() - End a transaction, committed or failed; it gives back its turn. */
void vsplit_txn_end(struct vsplit_txn *txn);

/*
 * The transaction that a TTM context is embedded in; NULL where TTM, or a caller without one, made
 * the context.
 */
struct vsplit_txn *vsplit_txn_of(struct ttm_operation_ctx *ctx);

/*
 * Does another transaction have its turn? If so, this one must not change a place: it gives back
 * its locks, and begins again with vsplit_txn_begin().
 */
bool vsplit_txn_held_off(const struct vsplit_txn *txn);

/*
 * Wait until a transaction may change places. Nothing is locked. Most often there is nothing to
 * wait for. This never waits for the GPU. Return: 0 or -ERESTARTSYS.
 */
int vsplit_txn_begin(struct vsplit_txn *txn);

/*
 * Become the only one that changes places, in order of arrival, until vsplit_txn_end(). Nothing is
 * locked. This is the last resort of a transaction that others have overtaken too often. Others
 * still commit what they have begun.
 * Return: 0, or -ERESTARTSYS: the transaction is interruptible, and its task is being killed.
 */
int vsplit_txn_take_turn(struct vsplit_txn *txn);

/** vsplit_txn_windows() - How often windows were given back so far. */
unsigned int vsplit_txn_windows(const struct vsplit_txn *txn);

/*
 * The facts that a transaction relied on have changed: wait to try again, and with @turn take a
 * turn. @seen: what vsplit_txn_windows() returned before the transaction looked. Nothing is locked.
 * Waits until claimed windows are given back, if there are any, and for others' turns. A
 * transaction that has claimed windows does not wait for the GPU before it gives them back.
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_txn_again(struct vsplit_txn *txn, unsigned int seen, bool turn);

#endif /* _VSPLIT_TXN_H_ */
