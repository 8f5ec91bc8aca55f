/* SPDX-License-Identifier: MIT */
/*
 * The protocol by which vsplit places, pages and runs split DMA buffers, as a
 * model for spin. README.md says what stands for which function of the driver.
 *
 * A world (-DWORLD=...) says who submits what. Switches, all off by default:
 *
 *   OWN_PAGING    a paging engine of its own, with handover of a program's steps
 *   SAVE_RESTORE  the render engine may change to another context at split points
 *   HANGS=n       n portions may hang, whichever
 *   FAULTS=n      n portions may fault
 *   KILL=mask     contexts whose client may be killed at any point
 *   LATE_FAIL     a submission may fail after planning, before the commit
 *   UNPLUG        the adapter may go away at any time
 *   EVICTOR=n     n evictions out of the blue
 *   CPU=n         n accesses by the CPU, to whichever allocation
 *   EXPLICIT      submissions use explicit synchronisation
 *   FORCE_SPLIT   mask of contexts that take every split point
 *   CREDITS=n     programs in the render engine's ring
 *
 * M_... plants a bug; each has to be found: see "run".
 */

/* ---- worlds: allocations of one page, VRAM of CAP pages ------------------- */

/*
 * NEED(c,b,g)   allocations that group g of buffer b of context c names (mask)
 * WRITE(c,b,g)  those of them that it writes
 * OWN(c)        allocations that are freed when the client of c is gone
 * WAITS(c,b)    job whose syncobj the buffer waits for, if it is published; or NO
 */
#define NO	15

#if WORLD == 1
/* Context 0 has to be split and keeps a row; context 1 fits alone. */
#define NCTX	2
#define NALLOC	5
#define CAP	2
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 5) : ((g) == 0 -> 24 : 0))
#define WRITE(c,b,g)	((c) == 0 -> ((g) == 0 -> 1 : 4) : ((g) == 0 -> 8 : 0))
#define OWN(c)		((c) == 0 -> 7 : 24)

#elif WORLD == 2
/* As 1, but both are split and share allocation 0. */
#define NCTX	2
#define NALLOC	5
#define CAP	2
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 5) : ((g) == 0 -> 9 : 17))
#define WRITE(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 4) : ((g) == 0 -> 8 : 1))
#define OWN(c)		((c) == 0 -> 6 : 24)

#elif WORLD == 3
/* Room for both: context 0 on both sides of context 1, which begins in the middle. */
#define NCTX	2
#define NALLOC	4
#define CAP	3
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 1 : 2) : ((g) == 0 -> 4 + 4 * (b) : 0))
#define WRITE(c,b,g)	NEED(c,b,g)
#define OWN(c)		((c) == 0 -> 3 : 12)
#define BEGIN(a, s)	a = 2; s = 1	/* resident at the start: allocation a in slot s */

#elif WORLD == 4
/* Two contexts that fill VRAM alone, without a split: eviction both ways. */
#define NCTX	2
#define NALLOC	4
#define CAP	2
#define NEED(c,b,g)	((g) == 0 -> ((c) == 0 -> 3 : 12) : 0)
#define WRITE(c,b,g)	((g) == 0 -> ((c) == 0 -> 1 : 12) : 0)
#define OWN(c)		((c) == 0 -> 3 : 12)
#define WAITS(c,b)	((c) == 1 && (b) == 0 -> 0 : NO)

#elif WORLD == 5
/* Three contexts: two that are split, one that fits. */
#define NCTX	3
#define NALLOC	6
#define CAP	2
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 5) : \
			 ((c) == 1 -> ((g) == 0 -> 9 : 16) : ((g) == 0 -> 33 : 0)))
#define WRITE(c,b,g)	((c) == 0 -> ((g) == 0 -> 1 : 4) : \
			 ((c) == 1 -> ((g) == 0 -> 8 : 16) : ((g) == 0 -> 32 : 0)))
#define OWN(c)		((c) == 0 -> 6 : ((c) == 1 -> 24 : 32))

#elif WORLD == 6
/* They share allocation 0; context 0 pages it out while context 1 reads it. */
#define NCTX	2
#define NALLOC	4
#define CAP	2
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 6 * (b)) : ((g) == 0 -> 1 + 8 * (b) : 0))
#define WRITE(c,b,g)	((c) == 0 -> ((g) == 0 -> 2 : 4 * (b)) : ((g) == 0 -> 9 * (b) : 0))
#define OWN(c)		((c) == 0 -> 6 : 8)

#elif WORLD == 7
/* One context. */
#define NCTX	1
#define NALLOC	4
#define CAP	2
#define NEED(c,b,g)	((g) == 0 -> 3 : 5)
#define WRITE(c,b,g)	((g) == 0 -> 2 : 5)
#define OWN(c)		7
#endif

#ifndef NBUF
#define NBUF	2
#endif
#ifndef WAITS
#define WAITS(c,b)	NO
#endif
#define NPJ	3		/* paging jobs at a time; more have to wait */
#ifndef CREDITS
#define CREDITS	1
#endif
#ifndef FORCE_SPLIT
#define FORCE_SPLIT	0
#endif
#ifndef KILL
#define KILL	0
#endif
#ifndef HANGS
#define HANGS	0
#endif
#ifndef FAULTS
#define FAULTS	0
#endif

/* ---- numbers --------------------------------------------------------------- */

#define NUSER	(NCTX * NBUF)		/* jobs of contexts come first ... */
#define NJ	(NUSER + NPJ)		/* ... then those of the paging queue */
#define PAGED(j)	(NJ + (j))	/* fence: the paging before the first portion is done */
#define JOB(c,b)	((c) * NBUF + (b))
#define CTX(j)		((j) / NBUF)	/* of a context's job */
#define BUF(j)		((j) % NBUF)
#define IS_USER(j)	((j) < NUSER)
#define BIT(n)		(1 << (n))
#define PAGING		(((1 << NPJ) - 1) << NUSER)	/* fences of the paging queue */
#define QUEUE(c)	((((1 << NBUF) - 1) << ((c) * NBUF)) * (1 + (1 << NJ)))
/* Fences of the same context that were published before j's, before PAGED(j). */
#define BEFORE_PAGED(j)	((((1 << (j)) - 1) & QUEUE(CTX(j))) * (1 + (1 << NJ)))
#define BEFORE(j)	(BEFORE_PAGED(j) | BIT(PAGED(j)))
#define NTH(n)		((n) < NJ -> (n) : NJ - 1)
#define ALL_JOBS(what)	(what(0) && what(1) && what(2) && what(3) && what(4) && what(NTH(5)) && \
			 what(NTH(6)) && what(NTH(7)) && what(NTH(8)))
#define SYS		3		/* in system memory */
#define LIST(c,b)	(NEED(c,b,0) | NEED(c,b,1))
#define WRITES(c,b)	(WRITE(c,b,0) | WRITE(c,b,1))
#define COUNT(m)	(((m) & 1) + ((m) >> 1 & 1) + ((m) >> 2 & 1) + ((m) >> 3 & 1) + \
			 ((m) >> 4 & 1) + ((m) >> 5 & 1))

#ifdef M_FOREIGN_STEP
#define FIRST		before
#else
#define FIRST		0		/* step of the submission's own program */
#endif

/* A set of fences: a bit for each job, which has its number, and for each PAGED. */
#define FENCES	short

/* Steps: kind, allocation or group, slot, flag (EVICT: copy; RUN: ends a portion). */
#define EVICT	1
#define PAGE_IN	2
#define RUN	3
#define STEP(kind, what, slot, flag)	((kind) | (what) << 2 | (slot) << 5 | (flag) << 7)
#define KIND(x)		((x) & 3)
#define WHAT(x)		((x) >> 2 & 7)
#define SLOT(x)		((x) >> 5 & 3)
#define FLAG(x)		((x) >> 7 & 1)
#define NS		10		/* steps of a program, at most */
#define IS_PAGING(x)	(KIND(x) == EVICT || KIND(x) == PAGE_IN)

/* The address that was patched in for allocation a: two bits of a word. */
#define PATCHED(word, a)	((word) >> (2 * (a)) & 3)

/* ---- state: jobs ----------------------------------------------------------- */

/* program.cancel */
#define ETIME		1
#define ECANCELED	2
#define EFAULT		3

#define J_NONE		0	/* being prepared, or nothing */
#define J_QUEUED	1	/* in drm_sched */
#define J_RUNG		2	/* with the engine */
#define J_DEAD		3	/* signalled by the unplug, still in drm_sched */
#define J_GONE		4	/* freed */

byte jst[NJ];		/* job.state */
FENCES jdep[NJ];		/* dependencies that have not signalled */
byte step[NUSER * NS];
short patch[NUSER * 2];	/* by group */
byte cursor[NUSER];
byte cancel[NUSER];	/* program.cancel */
byte pstep[NPJ];	/* paging jobs have one step */
FENCES live;		/* fences that are published and have not signalled */
bit lost[NCTX];		/* queue.state */
#ifdef M_ENGINE_WAITS
FENCES late[NUSER];
#endif

chan pq = [NPJ] of { byte };		/* entity of the paging queue */
chan ring = [CREDITS] of { byte };	/* of the render engine; its head is what runs */
#ifdef OWN_PAGING
byte handover;		/* program whose steps the paging engine is to execute, + 1 */
#endif

/* ---- state: what the CPU believes ------------------------------------------ */

byte loc[NALLOC] = SYS;	/* bo->resource: where it is after all that is published */
byte sown[CAP];		/* allocation that holds the range, + 1, acquired ones too */
FENCES pend[CAP];		/* fences of pending ranges */
FENCES seen[CAP];		/* those that the current plan knows */
byte dirty;		/* allocations */
FENCES rk[NALLOC];	/* dma_resv: KERNEL */
FENCES rw[NALLOC];	/* WRITE */
FENCES rr[NALLOC];	/* READ */
FENCES rb[NALLOC];	/* BOOKKEEP */
byte locked;		/* dma_resv locks: allocations */
#ifdef CPU
byte cpu_locked;	/* those by CPU faults */
#else
#define cpu_locked	0
#endif
byte zombie;		/* freed by the client, busy: TTM's delayed destroy */
byte freed;		/* memory is gone */
byte readers;		/* place_sem */
bit writer;
byte gone;		/* clients that are through */

bit dead;		/* exec->dead: run_job sees it */
bit gpu_dead;		/* the engines see it */
bit unplugged;		/* drm_dev_unplug(): no ioctl starts */
#ifdef UNPLUG
byte ioctls;		/* inside drm_dev_enter() */
#define ENTER	ioctls++
#define EXIT	ioctls--
#else
#define ENTER	skip
#define EXIT	skip
#endif

/* ---- state: what is in memory ---------------------------------------------- */

byte vown[CAP];		/* allocation whose bytes are there, + 1 */
byte vfresh;		/* slots: these are the newest bytes of it */
byte sysfresh = 255;	/* allocations: the backing store has the newest bytes */
byte inuse;		/* slots that the portion that runs may access */

/* For the assertions on the order of portions. */
byte open;		/* program that has begun a portion and is not done, + 1 */
bit at_cut;		/* the last portion that ran ended at a split point */

#if HANGS
byte hangs = HANGS;
#endif
#if FAULTS
byte faults = FAULTS;
#endif

/* Scratch of d_steps, no state. */
hidden byte a_, b_, i_, n_, o_, p_, q_, s_, x_, cut_, early_, high_, keep_, low_, moved_, need_;
hidden byte pown_[4], ploc_[8], pdirty_;		/* a plan: ranges, places, state */
hidden short word_;
hidden byte ok_, planned_;

/* ---- fences and destruction ------------------------------------------------ */

/* ttm_bo_release(), ttm_bo_delayed_delete(): nothing uses it any more. */
inline destroy(a)
{
	freed = freed | BIT(a);
	zombie = zombie & ~BIT(a);
	for (s_ : 0 .. CAP - 1) {
		if
		:: sown[s_] == a + 1 -> sown[s_] = 0
		:: else
		fi;
		if
		:: vown[s_] == a + 1 ->
			assert(!(inuse & BIT(s_)));	/* freed while in use */
			vown[s_] = 0;
			vfresh = vfresh & ~BIT(s_)
		:: else
		fi
	}
	loc[a] = SYS;
	dirty = dirty & ~BIT(a);
	sysfresh = sysfresh | BIT(a)
}

/* The client's last reference. */
inline put_alloc(a)
{
	if
#ifdef M_FREE_BUSY
	:: 1 -> destroy(a)
#endif
	:: !(rk[a] | rw[a] | rr[a] | rb[a]) -> destroy(a)
	:: else -> zombie = zombie | BIT(a)
	fi
}

/* dma_fence_signal(); whoever may go on because of it goes on, whoever may die dies. */
inline signal(j)
{
	assert(live & BIT(j));			/* exactly once */
	live = live & ~BIT(j);
	for (q_ : 0 .. NJ - 1) {
		jdep[q_] = jdep[q_] & ~BIT(j)
	}
	for (q_ : 0 .. CAP - 1) {
		pend[q_] = pend[q_] & ~BIT(j);
		seen[q_] = seen[q_] & ~BIT(j)
	}
	for (q_ : 0 .. NALLOC - 1) {
		rk[q_] = rk[q_] & ~BIT(j);
		rw[q_] = rw[q_] & ~BIT(j);
		rr[q_] = rr[q_] & ~BIT(j);
		rb[q_] = rb[q_] & ~BIT(j);
		if
		:: (zombie & BIT(q_)) && !(rk[q_] | rw[q_] | rr[q_] | rb[q_]) -> destroy(q_)
		:: else
		fi
	}
}

/* drm_sched_job_add_dependency(), vsplit_fences_latest(): of each context the last one. */
inline depend_on(j, fences)
{
	jdep[j] = jdep[j] | (fences);
	for (q_ : 0 .. NUSER - 1) {
		if
		:: jdep[j] & BIT(q_) -> jdep[j] = jdep[j] & ~BEFORE(q_)
		:: (jdep[j] & BIT(PAGED(q_))) && !(jdep[j] & BIT(q_)) -> jdep[j] = jdep[j] & ~BEFORE_PAGED(q_)
		:: else
		fi
	}
}

/* vsplit_job_free(): at the earliest moment, so that every later use is found. */
inline free_job(j)
{
	if
	:: IS_USER(j) ->
		jst[j] = J_GONE;
		cursor[j] = 0;
		cancel[j] = 0;
		patch[j * 2] = 0;
		patch[j * 2 + 1] = 0;
		for (q_ : 0 .. NS - 1) {
			step[j * NS + q_] = 0
		}
	:: else ->
		jst[j] = J_NONE;
		pstep[j - NUSER] = 0
	fi
}

/* ---- eviction of others: a paging job, complete in itself ------------------ */

#define HAS_PJ	(jst[NUSER] == J_NONE || jst[NUSER + 1] == J_NONE || jst[NJ - 1] == J_NONE)
#define VICTIM(v)	(loc[v] != SYS && !((locked | zombie | freed) & BIT(v)))

inline evict(v)
{
	p_ = NUSER;
	do
	:: jst[p_] != J_NONE -> p_++
	:: else -> break
	od;
	s_ = loc[v];
#ifdef M_EVICT_EARLY
	depend_on(p_, rk[v] & ~PAGING);
#else
	/* Everybody who uses it; the queue's own fences signal in order anyway. */
#ifdef M_BOOKKEEP
	depend_on(p_, (rk[v] | rw[v] | rr[v]) & ~PAGING);
#else
	depend_on(p_, (rk[v] | rw[v] | rr[v] | rb[v]) & ~PAGING);
#endif
#endif
	pstep[p_ - NUSER] = STEP(EVICT, v, s_, dirty >> v & 1);
	rk[v] = rk[v] | BIT(p_);
	pend[s_] = pend[s_] | BIT(p_);
	live = live | BIT(p_);
	jst[p_] = J_QUEUED;
	pq!p_;
	sown[s_] = 0;
	loc[v] = SYS;
	dirty = dirty & ~BIT(v)
}

/* ---- placing --------------------------------------------------------------- */

#if CAP > 2
#define HAS_SLOT	(!sown[0] || !sown[1] || !sown[2])
#define HELD(a)		(sown[0] == (a) + 1 || sown[1] == (a) + 1 || sown[2] == (a) + 1)
#else
#define HAS_SLOT	(!sown[0] || !sown[1])
#define HELD(a)		(sown[0] == (a) + 1 || sown[1] == (a) + 1)
#endif

/* The lowest free range, with the fences of who left it. */
inline take_slot(a)
{
	s_ = 0;
	do
	:: sown[s_] -> s_++
	:: else -> break
	od;
	sown[s_] = a + 1;
#ifndef M_PENDING
	rk[a] = rk[a] | pend[s_]
#endif
}

inline give_back(list)
{
	for (s_ : 0 .. CAP - 1) {
		if
		:: sown[s_] && (list & BIT(sown[s_] - 1)) && loc[sown[s_] - 1] != s_ -> sown[s_] = 0
		:: else
		fi
	}
}

/* ---- the program ----------------------------------------------------------- */

inline emit(j, kind, what, slot, flag)
{
	assert(n_ < NS);
	step[j * NS + n_] = STEP(kind, what, slot, flag);
	n_++
}

inline slot_of(a)
{
	s_ = 0;
	do
	:: pown_[s_] != a + 1 -> s_++
	:: else -> break
	od
}

/* Addresses for a group: a row that was kept has the address that it had. */
inline patch_group(c, b, j, g)
{
	word_ = 0;
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: (NEED(c, b, g) & BIT(a_)) && g == 1 && (NEED(c, b, 0) & BIT(a_)) ->
			word_ = word_ | PATCHED(patch[j * 2], a_) << (2 * a_)
		:: (NEED(c, b, g) & BIT(a_)) && !(g == 1 && (NEED(c, b, 0) & BIT(a_))) ->
#ifdef M_STALE_PATCH
			word_ = word_ | loc[a_] << (2 * a_)
#else
			slot_of(a_);
			word_ = word_ | s_ << (2 * a_)
#endif
		:: else
		fi
	}
	patch[j * 2 + g] = word_
}

/* Everything in need_ gets a place in the plan; what of the list is not in keep_ may go. */
inline place_group(c, b, j)
{
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: ok_ && (need_ & BIT(a_)) && ploc_[a_] == SYS ->
			s_ = 0;
			do
			:: s_ < CAP && pown_[s_] -> s_++
			:: else -> break
			od;
			if
			:: s_ == CAP ->
				/* No hole: the lowest that is not needed leaves. */
				s_ = 0;
				do
				:: s_ < CAP && !((LIST(c, b) & ~keep_) & BIT(pown_[s_] - 1)) -> s_++
				:: else -> break
				od;
				if
				:: s_ == CAP -> ok_ = 0		/* it does not fit even alone */
				:: else ->
					o_ = pown_[s_] - 1;
					emit(j, EVICT, o_, s_, pdirty_ >> o_ & 1);
					ploc_[o_] = SYS;
					pdirty_ = pdirty_ & ~BIT(o_)
				fi
			:: else
			fi;
			if
			:: ok_ ->
				emit(j, PAGE_IN, a_, s_, 0);
				pown_[s_] = a_ + 1;
				ploc_[a_] = s_
			:: else
			fi
		:: else
		fi
	}
}

inline run_group(c, b, j, g)
{
	if
	:: ok_ ->
		patch_group(c, b, j, g);
		emit(j, RUN, g, 0, cut_);
#ifndef M_CLEAN
		pdirty_ = pdirty_ | WRITE(c, b, g)
#endif
	:: else
	fi
}

/* Both groups in one portion. */
inline run_both(c, b, j)
{
	cut_ = !NEED(c, b, 1);
	run_group(c, b, j, 0);
	cut_ = 1;
	if
	:: NEED(c, b, 1) -> run_group(c, b, j, 1)
	:: else
	fi
}

inline plan_begin()
{
	for (s_ : 0 .. CAP - 1) {
		pown_[s_] = sown[s_]
	}
	for (a_ : 0 .. NALLOC - 1) {
		ploc_[a_] = loc[a_]
	}
	pdirty_ = dirty;
	ok_ = 1
}

/* Slots of others: who is not on the list cannot be moved by the plan. */
inline count_fixed(c, b)
{
	x_ = 0;
	for (s_ : 0 .. CAP - 1) {
		if
		:: sown[s_] && !(LIST(c, b) & BIT(sown[s_] - 1)) -> x_++
		:: else
		fi
	}
}

/* vsplit_plan(): the walk. Nothing changes but the program that is being made. */
inline plan(c, b, j)
{
	plan_begin();
	count_fixed(c, b);
	if
	:: COUNT(LIST(c, b)) + x_ <= CAP && !(FORCE_SPLIT & BIT(c)) ->
		need_ = LIST(c, b);
		keep_ = need_;
		place_group(c, b, j);
		run_both(c, b, j)
	:: else ->
		need_ = NEED(c, b, 0);
		keep_ = need_;
		place_group(c, b, j);
		cut_ = 1;
		run_group(c, b, j, 0);
		if
		:: NEED(c, b, 1) ->
#ifdef M_KEPT
			/* The row that is kept goes out and comes back elsewhere. */
			for (s_ : 0 .. CAP - 1) {
				if
				:: pown_[s_] ->
					o_ = pown_[s_] - 1;
					emit(j, EVICT, o_, s_, pdirty_ >> o_ & 1);
					ploc_[o_] = SYS;
					pdirty_ = pdirty_ & ~BIT(o_);
					pown_[s_] = 0
				:: else
				fi
			}
			need_ = NEED(c, b, 1) & ~NEED(c, b, 0);
			keep_ = NEED(c, b, 1);
			place_group(c, b, j);
#endif
			need_ = NEED(c, b, 1);
			keep_ = need_;
			place_group(c, b, j);
			run_group(c, b, j, 1)
		:: else
		fi
	fi
}

/* vsplit_program_resident(): everything has a slot, acquired or its own. */
inline program_resident(c, b, j)
{
	plan_begin();
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: (LIST(c, b) & BIT(a_)) && loc[a_] == SYS ->
			slot_of(a_);
			emit(j, PAGE_IN, a_, s_, 0)
		:: else
		fi
	}
	run_both(c, b, j)
}

/* What moves, and what of it is where it stays once the first portion runs. */
inline find_moved(j)
{
	moved_ = 0;
	early_ = 0;
	x_ = 0;
	for (i_ : 0 .. NS - 1) {
		if
		:: KIND(step[j * NS + i_]) == RUN -> x_ = 1
		:: IS_PAGING(step[j * NS + i_]) ->
			moved_ = moved_ | BIT(WHAT(step[j * NS + i_]));
			if
			:: !x_ -> early_ = early_ | BIT(WHAT(step[j * NS + i_]))
#ifndef M_PAGED_MOVES
			:: x_ -> early_ = early_ & ~BIT(WHAT(step[j * NS + i_]))
#endif
			:: else
			fi
		:: else
		fi
	}
}

/* Its own queue runs in order. */
#ifdef M_QUEUE_PAGING
#define OTHERS(c)	~(QUEUE(c) | PAGING)
#else
#define OTHERS(c)	~QUEUE(c)
#endif

/* vsplit_submit_depend(): the last that may fail. */
inline depend(c, b, j)
{
	find_moved(j);
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: !(LIST(c, b) & BIT(a_))
		:: else ->
#ifdef EXPLICIT
			word_ = rk[a_];
#else
			word_ = rk[a_] | rw[a_];
			if
			:: WRITES(c, b) & BIT(a_) -> word_ = word_ | rr[a_]
			:: else
			fi;
#endif
			if
#ifndef M_MOVE_READERS
			:: moved_ & BIT(a_) -> word_ = word_ | rw[a_] | rr[a_] | rb[a_]
#endif
			:: else
			fi;
			depend_on(j, word_ & OTHERS(c))
		fi
	}
	for (s_ : 0 .. CAP - 1) {
		if
		:: planned_ ->
			seen[s_] = pend[s_];
			depend_on(j, pend[s_] & OTHERS(c))
		:: else
		fi
	}
	if
	:: WAITS(c, b) != NO -> depend_on(j, live & BIT(WAITS(c, b)))
	:: else
	fi
}

/* A submission that ends without a commit leaves no trace. */
inline drop_program(j)
{
	jdep[j] = 0;
	for (i_ : 0 .. NS - 1) {
		step[j * NS + i_] = 0
	}
	patch[j * 2] = 0;
	patch[j * 2 + 1] = 0;
	for (s_ : 0 .. CAP - 1) {
		seen[s_] = 0
	}
}

/* dma_resv_add_fence(): earlier fences of the context give way, but not to a weaker usage. */
inline add_kernel(a, fence, before)
{
	rk[a] = (rk[a] & ~(before)) | BIT(fence);
	rw[a] = rw[a] & ~(before);
	rr[a] = rr[a] & ~(before);
	rb[a] = rb[a] & ~(before)
}

/* KERNEL: the bytes are on their way; the others: by what the list says. */
inline publish(c, b, j)
{
	find_moved(j);
	live = live | BIT(j);
	if
	:: early_ -> live = live | BIT(PAGED(j))
	:: else
	fi;
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: early_ & BIT(a_) -> add_kernel(a_, PAGED(j), BEFORE_PAGED(j))
		:: else
		fi;
		if
#ifndef M_MOVED_USAGE
		:: moved_ & ~early_ & BIT(a_) -> add_kernel(a_, j, BEFORE(j))
#endif
		:: (LIST(c, b) & BIT(a_)) && !(moved_ & ~early_ & BIT(a_)) ->
			rb[a_] = rb[a_] & ~BEFORE(j);
#ifdef EXPLICIT
			rb[a_] = rb[a_] | BIT(j)
#else
			rr[a_] = rr[a_] & ~BEFORE(j);
			if
			:: WRITES(c, b) & BIT(a_) -> rw[a_] = (rw[a_] & ~BEFORE(j)) | BIT(j)
			:: else -> rr[a_] = rr[a_] | BIT(j)
			fi
#endif
		:: else
		fi
	}
}

/* vsplit_layout_touch(): from the lowest to the highest page that a step uses. */
inline touched(j)
{
	low_ = CAP;
	high_ = 0;
	for (i_ : FIRST .. NS - 1) {
		s_ = SLOT(step[j * NS + i_]);
		if
		:: IS_PAGING(step[j * NS + i_]) ->
			if
			:: s_ < low_ -> low_ = s_
			:: else
			fi;
			if
			:: s_ > high_ -> high_ = s_
			:: else
			fi
		:: else
		fi
	}
}

/* vsplit_submit_commit(): arm, publish, take place, push. */
inline commit(c, b, j)
{
	publish(c, b, j);
	touched(j);
	for (s_ : 0 .. CAP - 1) {
		if
		:: planned_ && low_ <= s_ && s_ <= high_ ->
#ifdef M_COVER
			pend[s_] = BIT(j)
#else
			pend[s_] = (pend[s_] & ~seen[s_]) | BIT(j)
#endif
		:: else
		fi;
		seen[s_] = 0
	}
	for (i_ : FIRST .. NS - 1) {
		x_ = step[j * NS + i_];
		a_ = WHAT(x_);
		s_ = SLOT(x_);
		if
		:: KIND(x_) == EVICT ->
			assert(sown[s_] == a_ + 1);	/* it was not there */
			sown[s_] = 0;
			loc[a_] = SYS;
			dirty = dirty & ~BIT(a_)
		:: KIND(x_) == PAGE_IN ->
			/* "the plan's place is taken": more than there is */
			assert(sown[s_] == 0 || sown[s_] == a_ + 1);
			sown[s_] = a_ + 1;
			loc[a_] = s_
#ifndef M_CLEAN
		:: KIND(x_) == RUN -> dirty = dirty | WRITE(c, b, a_)
#endif
		:: else
		fi
	}
#ifdef M_ENGINE_WAITS
	late[j] = jdep[j] & PAGING;
	jdep[j] = jdep[j] & ~PAGING;
#endif
	jst[j] = J_QUEUED
}

/* ---- the engines ----------------------------------------------------------- */

#define HERE(j)		step[(j) * NS + cursor[j]]
#define MORE(j)		(KIND(HERE(j)) != 0)
#ifdef M_DEAD_RUNS
#define UNWANTED(j)	cancel[j]
#else
#define UNWANTED(j)	(cancel[j] || gpu_dead)
#endif

/* vsplit_queue_lose() */
inline lose(c)
{
	lost[c] = 1;
#ifndef M_LOST_IN_RING
	for (q_ : JOB(c, 0) .. JOB(c, NBUF - 1)) {
		if
		:: jst[q_] == J_RUNG && !cancel[q_] -> cancel[q_] = ECANCELED
		:: else
		fi
	}
#endif
}

/* The bytes of slot s are about to be overwritten: are they somewhere else? */
inline check_overwrite(s)
{
	o_ = vown[s];
	if
	:: o_ && (vfresh & BIT(s)) && !(sysfresh & BIT(o_ - 1)) -> assert(0)	/* bytes lost */
	:: else
	fi
}

inline page(x)
{
	a_ = WHAT(x);
	s_ = SLOT(x);
	assert(!(freed & BIT(a_)));		/* its pages are gone */
	assert(!(inuse & BIT(s_)));		/* in use by an unfinished portion */
	if
	:: KIND(x) == EVICT ->
		assert(vown[s_] == a_ + 1);	/* bytes of somebody else */
		if
		:: FLAG(x) && (vfresh & BIT(s_)) -> sysfresh = sysfresh | BIT(a_)
		:: FLAG(x) && !(vfresh & BIT(s_)) -> sysfresh = sysfresh & ~BIT(a_)
		:: else -> check_overwrite(s_)
		fi;
		vown[s_] = 0;
		vfresh = vfresh & ~BIT(s_)
	:: else ->
		check_overwrite(s_);
		vown[s_] = a_ + 1;
		vfresh = (vfresh & ~BIT(s_)) | ((sysfresh >> a_ & 1) << s_)
	fi
}

/* Every access of group g: resident, patched where it is, newest bytes. */
inline check_access(j, g)
{
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: NEED(CTX(j), BUF(j), g) & BIT(a_) ->
			s_ = PATCHED(patch[j * 2 + g], a_);
			assert(s_ != SYS && vown[s_] == a_ + 1);
			assert(vfresh & BIT(s_));
			assert(!(freed & BIT(a_)))
		:: else
		fi
	}
}

inline run_begin(j, g)
{
	assert(jst[j] == J_RUNG);
	assert(!lost[CTX(j)] && !cancel[j]);
#ifdef SAVE_RESTORE
	assert(!open || open == j + 1 || at_cut);
#else
	assert(!open || open == j + 1);		/* back to back */
#endif
	open = j + 1;
	at_cut = 0;
	check_access(j, g);
	assert(!(WRITE(CTX(j), BUF(j), g) & ~NEED(CTX(j), BUF(j), g)));	/* of the world itself */
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: NEED(CTX(j), BUF(j), g) & BIT(a_) ->
			s_ = PATCHED(patch[j * 2 + g], a_);
			inuse = inuse | BIT(s_)
		:: else
		fi;
		if
		:: WRITE(CTX(j), BUF(j), g) & BIT(a_) -> sysfresh = sysfresh & ~BIT(a_)
		:: else
		fi
	}
}

inline run_end(j, g)
{
	check_access(j, g);
	inuse = 0;
	at_cut = FLAG(step[j * NS + cursor[j]]);
	cursor[j]++
}

/* vsplit_job_complete_paged(): at the latest when the program is done. */
inline complete_paged(j)
{
	if
	:: live & BIT(PAGED(j)) -> signal(PAGED(j))
	:: else
	fi
}

/* The paging step at the cursor is done, or skipped by a dead GPU. */
inline paging_done(j)
{
	cursor[j]++;
	if
#ifdef M_PAGED_EARLY
	:: 1 -> complete_paged(j)
#endif
	:: KIND(HERE(j)) == RUN -> complete_paged(j)
	:: else
	fi
}

inline program_done(j)
{
	if
	:: cancel[j] == ETIME -> lose(CTX(j))
	:: else
	fi;
	if
	:: open == j + 1 -> open = 0; at_cut = 0
	:: else
	fi;
	complete_paged(j);
	signal(j);
	free_job(j)
}

/* drm_sched: the head of an entity, when its dependencies have signalled. */
#define IN_SCHED(j)	(jst[j] == J_QUEUED || jst[j] == J_DEAD)
#define READY(j)	(IN_SCHED(j) && !jdep[j] && (BUF(j) == 0 || !IN_SCHED((j) - 1)))
#define PAGING_READY(i)	(pq?[eval(NUSER + (i))] && !jdep[NUSER + (i)])
#define ANY_PAGING	(PAGING_READY(0) || PAGING_READY(1) || PAGING_READY(NPJ - 1))
#if (NCTX * NBUF) > 4
#define ANY_USER	(READY(0) || READY(1) || READY(2) || READY(3) || READY(4) || READY(5))
#elif (NCTX * NBUF) > 2
#define ANY_USER	(READY(0) || READY(1) || READY(2) || READY(3))
#else
#define ANY_USER	(READY(0) || READY(1))
#endif
#ifdef OWN_PAGING
#define ANY_READY	ANY_USER
#else
#define ANY_READY	(ANY_USER || ANY_PAGING)
#endif

/* Reading exec->dead and acting on it are two steps only if it may change. */
#ifdef UNPLUG
#define ONCE
#else
#define ONCE	atomic
#endif

/* vsplit_engine_run_job() */
inline run_job(j, saw_dead)
{
	if
	:: jst[j] == J_QUEUED && saw_dead ->
#ifndef M_UNPLUG_FORGETS
		if
		:: IS_USER(j) -> complete_paged(j)
		:: else
		fi;
		signal(j);
#endif
		free_job(j)
	:: jst[j] == J_QUEUED && !saw_dead ->
		jst[j] = J_RUNG;
#ifndef M_LOST_RUNS
		if
		:: IS_USER(j) && lost[CTX(j) % NCTX] -> cancel[j] = ECANCELED
		:: else
		fi;
#endif
		ring!j
	:: else ->
#ifdef M_RUN_JOB_SIGNALS
		signal(j);
#endif
		free_job(j)		/* the unplug was first */
	fi
}

/* The scheduler of the render engine; without a paging engine, of everything. */
active proctype scheduler()
{
	byte j;
	bit saw_dead;

end:	do
	:: ONCE {
	   atomic {
		len(ring) < CREDITS && ANY_READY ->
		if
		:: READY(0) -> j = 0
		:: READY(1) -> j = 1
#if (NCTX * NBUF) > 2
		:: READY(2) -> j = 2
		:: READY(3) -> j = 3
#endif
#if (NCTX * NBUF) > 4
		:: READY(4) -> j = 4
		:: READY(5) -> j = 5
#endif
#ifndef OWN_PAGING
		:: ANY_PAGING -> pq?j
#endif
		fi;
		saw_dead = dead
	   };
	   d_step {
		run_job(j, saw_dead);
		j = 0;
		saw_dead = 0
	   }
	   }
	od
}

active proctype render()
{
	byte j;

end:	do
	:: ring?<j> ->
		do
		:: !IS_USER(j) ->
			d_step {
				if
				:: !gpu_dead -> page(pstep[j - NUSER])
				:: else
				fi;
				ring?j;
				signal(j);
				free_job(j);
				j = 0
			};
			break
		:: IS_USER(j) && IS_PAGING(HERE(j)) ->
#ifdef OWN_PAGING
			handover = j + 1;
			handover == 0
#else
			d_step {
				if
#ifdef M_SKIP_PAGING
				:: cancel[j] -> skip
#endif
				:: !gpu_dead -> page(HERE(j))
				:: else
				fi;
				paging_done(j)
			}
#endif
		:: IS_USER(j) && KIND(HERE(j)) == RUN ->
#ifdef M_ENGINE_WAITS
			!(late[j] & live);
#endif
			if
			:: d_step { UNWANTED(j) -> cursor[j]++ }
			:: d_step { !UNWANTED(j) -> run_begin(j, WHAT(HERE(j))) };
				if
				:: d_step { 1 -> run_end(j, WHAT(HERE(j))) }
#if FAULTS
				:: d_step { faults && !gpu_dead ->
					faults--;
					cancel[j] = EFAULT;
					lose(CTX(j));
					run_end(j, WHAT(HERE(j))) }
#endif
#if HANGS
				/* It hangs; the timer fires, or the adapter goes. */
				:: atomic { hangs -> hangs-- };
					if
#ifndef M_NO_TIMEOUT
					:: d_step { 1 -> cancel[j] = ETIME; run_end(j, WHAT(HERE(j))) }
#endif
					:: d_step { gpu_dead -> run_end(j, WHAT(HERE(j))) }
					fi
#endif
				fi
			fi;
#if defined(SAVE_RESTORE) || defined(M_NOT_BACK_TO_BACK)
			/* engine_switch(): another context goes on, if one has a program here. */
			if
#ifdef M_SWITCH_INSIDE
			:: MORE(j) && len(ring) > 1 ->
#else
			:: MORE(j) && len(ring) > 1 && FLAG(step[j * NS + cursor[j] - 1]) ->
#endif
				d_step {
					ring?j;
					ring?<x_>;
					ring!j;
					if
					:: !IS_USER(x_) || CTX(x_) != CTX(j) -> skip
					:: else -> ring?x_; ring!x_	/* its own: back again */
					fi;
					j = 0
				};
				break
			:: else
			fi
#endif
		:: IS_USER(j) && KIND(HERE(j)) == 0 ->
			d_step {
				ring?j;
				program_done(j);
				j = 0
			};
			break
		od
	od
}

#ifdef OWN_PAGING
/* The paging engine: jobs of the paging queue, and steps that are handed over. */
active proctype paging()
{
	byte j;
	bit saw_dead;

end:	do
	:: d_step {
		handover && IS_PAGING(HERE(handover - 1)) ->
		if
#ifdef M_SKIP_PAGING
		:: cancel[handover - 1] -> skip
#endif
		:: !gpu_dead -> page(HERE(handover - 1))
		:: else
		fi;
		paging_done((handover - 1))
	   }
	:: d_step { handover && !IS_PAGING(HERE(handover - 1)) -> handover = 0 }
	:: ONCE {
	   atomic {
#ifdef M_PAGING_WAITS
		len(pq) -> pq?j;
#else
		ANY_PAGING -> pq?j;
#endif
		saw_dead = dead
	   };
	   d_step {
		if
		:: jst[j] == J_QUEUED && saw_dead -> jst[j] = J_DEAD; signal(j)
		:: jst[j] == J_QUEUED && !saw_dead -> jst[j] = J_RUNG
		:: else
		fi
	   };
	   d_step {
		!jdep[j] ->
		if
		:: jst[j] == J_RUNG ->
			if
			:: !gpu_dead -> page(pstep[j - NUSER])
			:: else
			fi;
			signal(j)
		:: else
		fi;
		free_job(j);
		j = 0;
		saw_dead = 0
	   }
	   }
	od
}
#endif

/* ---- clients --------------------------------------------------------------- */

#define PLACED(l, a)	(!((l) >> (a) & 1) || HELD(a))
#if NALLOC > 5
#define ALL_PLACED(l)	(PLACED(l, 0) && PLACED(l, 1) && PLACED(l, 2) && PLACED(l, 3) && \
			 PLACED(l, 4) && PLACED(l, 5))
#define V5(l)		|| (VICTIM(5) && !((l) >> 5 & 1))
#else
#define V5(l)
#if NALLOC > 4
#define ALL_PLACED(l)	(PLACED(l, 0) && PLACED(l, 1) && PLACED(l, 2) && PLACED(l, 3) && PLACED(l, 4))
#else
#define ALL_PLACED(l)	(PLACED(l, 0) && PLACED(l, 1) && PLACED(l, 2) && PLACED(l, 3))
#endif
#endif
#if NALLOC > 4
#define V4(l)		|| (VICTIM(4) && !((l) >> 4 & 1))
#else
#define V4(l)
#endif
#define OTHER(v)	(VICTIM(v) && !(list >> (v) & 1))
#define HAS_VICTIM	(OTHER(0) || OTHER(1) || OTHER(2) || OTHER(3) V4(list) V5(list))

/*
 * What a placement waits for: allocations that their client freed, until they are idle, and those
 * that the CPU locks. (Of those that submissions lock TTM waits for some, and says ENOSPC rather
 * than that two wait for each other: here, always, at any time.)
 */
#if defined(M_DYING)
#define WAITED		cpu_locked
#elif defined(M_NO_TICKET)
#define WAITED		zombie
#else
#define WAITED		(zombie | cpu_locked)
#endif
#define LEAVES(s)	(sown[s] && (WAITED & BIT(sown[s] - 1)))
#if CAP > 2
#define HAS_LEAVING	(LEAVES(0) || LEAVES(1) || LEAVES(2))
#else
#define HAS_LEAVING	(LEAVES(0) || LEAVES(1))
#endif

#ifdef M_FOREIGN_STEP
inline evict_by_step(a, j)
{
	s_ = loc[a];
	step[j * NS + before] = STEP(EVICT, a, s_, dirty >> a & 1);
	jdep[j] = jdep[j] | ((rk[a] | rw[a] | rr[a] | rb[a]) & ~BIT(j));
	live = live | BIT(j);
	rk[a] = rk[a] | BIT(j);
	pend[s_] = pend[s_] | BIT(j);
	sown[s_] = 0;
	loc[a] = SYS;
	dirty = dirty & ~BIT(a)
}
#endif

/* Evict one that is not on the list; whichever. */
inline evict_other()
{
		if
		:: OTHER(0) -> v = 0
		:: OTHER(1) -> v = 1
		:: OTHER(2) -> v = 2
		:: OTHER(3) -> v = 3
#if NALLOC > 4
		:: OTHER(4) -> v = 4
#endif
#if NALLOC > 5
		:: OTHER(5) -> v = 5
#endif
		fi;
		d_step {
#ifdef M_FOREIGN_STEP
			evict_by_step(v, JOB(c, b));
			before++;
#else
			evict(v);
#endif
			v = 0
		}
}

#define SHARED		1
#define EXCLUSIVE	2

/* vsplit_submit_unplace() */
inline unplace()
{
	if
	:: held ->
		give_back(list);
		locked = locked & ~list;
		held = 0
	:: else
	fi;
	if
	:: sem == SHARED -> readers--
	:: sem == EXCLUSIVE -> writer = 0
	:: else
	fi;
	sem = 0
}

#if KILL
#define KILLABLE	:: (KILL >> c & 1) -> goto killed
#else
#define KILLABLE
#endif
#if KILL || defined(LATE_FAIL) || defined(EVICTOR) || defined(M_TWO_PLANNERS)
#define TOGETHER
#else
#define TOGETHER	atomic
#endif

proctype client(byte c)
{
	byte b;
	byte list;
	byte v;
	byte sem;	/* place_sem is held: SHARED, EXCLUSIVE */
	bit held;	/* the list is locked */
#ifdef M_FOREIGN_STEP
	byte before;
#endif
	bit planned;

next:	atomic {
		if
		:: b == NBUF || lost[c] || unplugged -> goto out
		KILLABLE
		:: !(b == NBUF || lost[c] || unplugged) ->
			ENTER;
			list = LIST(c, b)
		fi
	};
	if
	:: (FORCE_SPLIT >> c & 1) -> goto exclusive
	:: COUNT(list) > CAP -> goto exclusive
	:: else
	fi;

	/* vsplit_place_shared() */
shared:	if
	:: atomic { !writer -> readers++; sem = SHARED }
	KILLABLE
	fi;
acquire:
	if
#ifdef M_KEEP_LOCKS
	:: held
#endif
	:: atomic { !(locked & list) -> locked = locked | list; held = 1 }
	KILLABLE
	fi;
#ifdef M_PUBLISH_EARLY
	live = live | BIT(JOB(c, b));
#endif
	do
	:: ALL_PLACED(list) -> break
	:: d_step {
		!ALL_PLACED(list) && HAS_SLOT ->
		a_ = 0;
		do
		:: PLACED(list, a_) -> a_++
		:: else -> break
		od;
		take_slot(a_)
	   }
	:: atomic { !ALL_PLACED(list) && !HAS_SLOT && HAS_VICTIM && HAS_PJ -> evict_other() }
	:: d_step {
		!ALL_PLACED(list) && !HAS_SLOT && !HAS_VICTIM && !HAS_LEAVING ->
		assert(sem == SHARED);		/* alone, and no room for what fits? */
#ifdef M_UPGRADE
		sem = 0;			/* still counted among the readers */
#endif
#ifdef M_KEEP_LOCKS
		give_back(list);
		held = 0;
		unplace();
		held = 1
#else
		unplace()
#endif
	   };
#ifdef M_RETRY_SHARED
		goto shared
#else
		goto exclusive
#endif
	KILLABLE
	od;
	TOGETHER {
		d_step {
			n_ = FIRST;
			planned_ = 0;
			program_resident(c, b, JOB(c, b));
			depend(c, b, JOB(c, b))
		};
		goto decided
	};

	/* vsplit_place_exclusive() */
exclusive:
#ifdef M_TWO_PLANNERS
	atomic { !writer -> readers++; sem = SHARED };
	goto others;
#endif
	if
	:: atomic { !writer && !readers -> writer = 1; sem = EXCLUSIVE }
	KILLABLE
	fi;
	if
	:: (FORCE_SPLIT >> c & 1) -> goto lock
	:: COUNT(list) > CAP -> goto others
	:: else -> goto acquire
	fi;

	/* vsplit_mm_evict_others() */
others:	do
	:: atomic { HAS_VICTIM && HAS_PJ -> evict_other() }
	:: !HAS_VICTIM && !HAS_LEAVING -> break
	KILLABLE
	od;
lock:	if
	:: atomic { !(locked & list) -> locked = locked | list; held = 1 }
	KILLABLE
	fi;
	TOGETHER {
		d_step {
			n_ = FIRST;
			planned_ = 1;
			plan(c, b, JOB(c, b));
			if
			:: ok_ -> depend(c, b, JOB(c, b)); planned = 1
			:: else -> drop_program(JOB(c, b)); give_back(list); locked = locked & ~list; held = 0
			fi
		};
		if
		:: !planned -> goto others
		:: else
		fi;
		goto decided
	};

decided:
	if
	:: d_step {
		1 ->
		planned_ = planned;
		commit(c, b, JOB(c, b));
		planned = 0;
		unplace()
	   }
#ifdef M_FAIL_PUBLISHED
	:: d_step { 1 -> publish(c, b, JOB(c, b)); drop_program(JOB(c, b)); planned = 0; unplace() }
#endif
#ifdef LATE_FAIL
	:: d_step { 1 -> drop_program(JOB(c, b)); planned = 0; unplace() }
#endif
	KILLABLE
	fi;
	atomic {
		EXIT;
		list = 0;
#ifdef M_FOREIGN_STEP
		before = 0;
#endif
		b++;
		goto next
	};

#if KILL
killed:	atomic {
	    true;
	    d_step {
		if
		:: list -> drop_program(JOB(c, b)); EXIT
		:: else
		fi;
		unplace();
		list = 0;
		planned = 0;
#ifdef M_KILL_LOSES
		for (b_ : JOB(c, 0) .. JOB(c, NBUF - 1)) {
			if
			:: jst[b_] == J_QUEUED -> complete_paged(b_); signal(b_); free_job(b_)
			:: else
			fi
		}
#endif
		for (a_ : 0 .. NALLOC - 1) {
			if
			:: OWN(c) & BIT(a_) -> put_alloc(a_)
			:: else
			fi
		};
		b = 0
	    }
	};
#endif
out:	gone++
}

/* ---- the rest of the world ------------------------------------------------- */

inline signal_queued()
{
	for (b_ : 0 .. NJ - 1) {
		if
#ifdef M_DOUBLE_SIGNAL
		:: jst[b_] == J_RUNG -> signal(b_)
#endif
		:: jst[b_] == J_QUEUED ->
			jst[b_] = J_DEAD;
#ifndef M_PAGED_FORGOTTEN
			if
			:: IS_USER(b_) -> complete_paged(b_)
			:: else
			fi;
#endif
			signal(b_)
		:: else
		fi
	}
}

#ifdef UNPLUG
#define STOPPED(j)	(jst[j] != J_RUNG)
#define IDLE		ALL_JOBS(STOPPED)

/* vsplit_device_unplug(): vsplit_exec_unplug() around drm_dev_unplug() */
active proctype unplug()
{
#ifdef M_DEAD_FIRST
	dead = 1;
#endif
	/* What the engine has comes back first: a later fence of a context hides earlier ones. */
	gpu_dead = 1;
	IDLE;
	dead = 1;
#ifndef M_UNPLUG_FORGETS
	d_step { signal_queued() };
#endif
	unplugged = 1;
	ioctls == 0;
	IDLE;
#ifndef M_UNPLUG_FORGETS
	d_step { signal_queued() }
#endif
}
#endif

#ifdef EVICTOR
/* CPU faults, exports, escapes: they lock what they evict, without place_sem. */
active proctype evictor()
{
	byte n, v;
	byte list;

end:	do
	:: atomic { n < EVICTOR && HAS_VICTIM && HAS_PJ -> evict_other(); n++ }
	od
}
#endif

#ifdef CPU
/* A CPU fault: wait for KERNEL fences with the dma_resv held, then read and write. */
active proctype cpu()
{
	byte n, v;

end:	do
	:: atomic {
		n < CPU ->
		n++;
		select(v : 0 .. NALLOC - 1)
	   };
	   if
	   :: atomic { !((locked | zombie | freed) & BIT(v)) ->
		locked = locked | BIT(v);
		cpu_locked = cpu_locked | BIT(v) };
		d_step {
			!rk[v] ->
			if
			:: loc[v] == SYS -> assert(sysfresh & BIT(v))
			:: else ->
				assert(vown[loc[v]] == v + 1 && (vfresh & BIT(loc[v])));
				dirty = dirty | BIT(v);
				sysfresh = sysfresh & ~BIT(v)
			fi;
			locked = locked & ~BIT(v);
			cpu_locked = cpu_locked & ~BIT(v);
			v = 0
		}
	   :: atomic { (zombie | freed) & BIT(v) -> v = 0 }
	   fi
	od
}
#endif

#define OFF(j)		(jst[j] == J_NONE || jst[j] == J_GONE)
#define QUIET		ALL_JOBS(OFF)

/* When all is done, everything is released and every byte is where it is believed to be. */
active proctype monitor()
{
	d_step {
		gone == NCTX && !live && !locked && QUIET ->
		assert(!readers && !writer && !zombie && !open && !inuse);
		for (q_ : 0 .. NJ - 1) {
			assert(!jdep[q_])
		}
		for (s_ : 0 .. CAP - 1) {
			assert(!pend[s_] && !seen[s_]);
			assert(!sown[s_] || loc[sown[s_] - 1] == s_)
		}
		for (a_ : 0 .. NALLOC - 1) {
			assert(!rk[a_] && !rw[a_] && !rr[a_] && !rb[a_]);
			if
			:: dead || gpu_dead || (freed & BIT(a_))
			:: else ->
				if
				:: loc[a_] == SYS -> assert(sysfresh & BIT(a_))
				:: else -> assert(vown[loc[a_]] == a_ + 1 && (vfresh & BIT(loc[a_])))
				fi
			fi
		}
	}
}

init
{
	atomic {
#ifdef BEGIN
		d_step {
			BEGIN(a_, s_);
			loc[a_] = s_;
			sown[s_] = a_ + 1;
			vown[s_] = a_ + 1;
			vfresh = BIT(s_)
		};
#endif
		run client(0);
#if NCTX > 1
		run client(1);
#endif
#if NCTX > 2
		run client(2)
#endif
	}
}
