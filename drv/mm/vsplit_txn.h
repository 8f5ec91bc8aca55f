/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A transaction: one change of places, from its preparation to its commit.
 *
 * Whatever changes where allocations are is a user: a submission, a pin, a reset (vsplit_txn.c).
 * Places that are decided beforehand are claimed and committed through a layout.
 *
 *   init   begin   lock what is on the list   claim...  | commit    end
 *   ------------------- may fail, changes nothing ----- | cannot
 *
 * mm/ does not know who the owner is.
 */
#ifndef _VSPLIT_TXN_H_
#define _VSPLIT_TXN_H_

#include <drm/ttm/ttm_bo.h>
#include <linux/list.h>

struct vsplit_account;
struct vsplit_mm;
struct vsplit_resid;

/** VSPLIT_TXN_TRIES - Comparisons that may fail before one takes its turn. */
#define VSPLIT_TXN_TRIES	3

/**
 * struct vsplit_txn - One change of places. On the stack of its task, and its alone.
 * @ctx: what TTM is given; vsplit_txn_of() finds the transaction by it.
 * @owner: for vsplit_paging_prepare(): what its paging jobs are noted in, or NULL.
 * @client: likewise: what they are charged to, and whose turn they take; NULL: the kernel.
 * @touched: likewise: for what the CPU touches, which cannot be refused: charged to none. That has
 *	no turn here, and needs no vsplit_txn_end(). Its pages are had beyond a cgroup's limit.
 * @awaited: likewise: the client waits for them, and no program of others may hold them up for
 *	long; it does for those of an @owner.
 * @mm: memory management.
 * @resid: the device that it is for, or NULL: no layout of it evicts what this requires. What
 *	leaves by TTM's choice, for an offer or by vsplit_reuse_make_room() may be that.
 * @demand: those that require what leaves for it are asked to give back memory.
 * @refused: why nothing more can leave for its owner, or 0: TTM is told of a signal instead.
 * @turn: in mm->turns while it has asked to be the only one; under mm->turn_lock.
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

/**
 * vsplit_txn_init() - Prepare; vsplit_txn_end() ends it.
 * @txn: uninitialised.
 * @mm: memory management.
 * @owner: see struct vsplit_txn.
 * @interruptible: its waits are.
 */
void vsplit_txn_init(struct vsplit_txn *txn, struct vsplit_mm *mm, void *owner,
		     bool interruptible);

/** vsplit_txn_end() - It is committed, or has failed; gives back its turn. */
void vsplit_txn_end(struct vsplit_txn *txn);

/**
 * vsplit_txn_of() - The transaction that a TTM context is embedded in.
 * @ctx: as TTM hands it to a callback.
 *
 * Return: the transaction, or NULL where TTM, or a caller without one, made the context.
 */
struct vsplit_txn *vsplit_txn_of(struct ttm_operation_ctx *ctx);

/**
 * vsplit_txn_held_off() - Does another transaction have its turn?
 * @txn: initialised.
 *
 * If so this one must not change a place: it gives back its locks, and begins again
 * with vsplit_txn_begin().
 */
bool vsplit_txn_held_off(const struct vsplit_txn *txn);

/**
 * vsplit_txn_begin() - Wait until it may change places. Nothing is locked.
 * @txn: initialised.
 *
 * Most often there is nothing to wait for. It never waits for the GPU.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_txn_begin(struct vsplit_txn *txn);

/**
 * vsplit_txn_take_turn() - Be the only one that changes places, in order of arrival.
 * @txn: initialised; nothing is locked.
 *
 * The last resort of what others have come before too often. What others have begun
 * they still commit. Until vsplit_txn_end().
 *
 * Return: 0 or, if it is interruptible and being killed, -ERESTARTSYS.
 */
int vsplit_txn_take_turn(struct vsplit_txn *txn);

/** vsplit_txn_windows() - How often windows were given back so far. */
unsigned int vsplit_txn_windows(const struct vsplit_txn *txn);

/**
 * vsplit_txn_again() - What it relied on has changed: wait until it can try again.
 * @txn: initialised; nothing is locked.
 * @seen: what vsplit_txn_windows() said before it looked.
 * @turn: take a turn.
 *
 * Waits until claimed windows are given back, if there are any, and for others' turns.
 * What has claimed windows does not wait for the GPU before it gives them back.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_txn_again(struct vsplit_txn *txn, unsigned int seen, bool turn);

#endif /* _VSPLIT_TXN_H_ */
