/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: numbers, and all state.
 */

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
/* Fences of the same context that were published before PAGED(j), and before j's own fence. */
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

/* A set of fences: one bit for the number of each job, and one for each PAGED. */
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
#define NS		10		/* largest number of steps of a program */
#define IS_PAGING(x)	(KIND(x) == EVICT || KIND(x) == PAGE_IN)

/* The address patched in for allocation a: two bits of a word. */
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
FENCES live;		/* fences that are published, but have not signalled */
bit lost[NCTX];		/* queue.state */
#ifdef M_ENGINE_WAITS
FENCES late[NUSER];
#endif

chan turns = [NCTX] of { byte };	/* contexts that have, or wait for, a turn */
chan ring = [CREDITS] of { byte };	/* of the render engine; its head is running */
#ifdef OWN_PAGING
byte handover;		/* program whose steps the paging engine is to execute, + 1 */
#endif

/* ---- state: what the CPU believes ------------------------------------------ */

byte loc[NALLOC] = SYS;	/* bo->resource: the place after everything that is published */
byte sown[CAP];		/* allocation that holds the range, + 1, acquired ones too; or CLAIM(context) */
#define CLAIM(c)	(NALLOC + 1 + (c))
#define PLACED_IN(s)	(sown[s] && sown[s] <= NALLOC)	/* allocations only */
FENCES pend[CAP];		/* fences of pending ranges */
FENCES seen[CAP];		/* fences that the current plan knows */
byte dirty;		/* allocations */
FENCES rk[NALLOC];	/* dma_resv: KERNEL */
FENCES rw[NALLOC];	/* WRITE */
FENCES rr[NALLOC];	/* READ */
FENCES rb[NALLOC];	/* BOOKKEEP */
byte locked;		/* dma_resv locks: allocations */
#ifdef CPU
byte cpu_locked;	/* allocations that CPU faults have locked */
#else
#define cpu_locked	0
#endif
byte zombie;		/* released by the client, but busy */
byte freed;		/* memory is gone */
byte claims;		/* transactions that have claimed windows */
byte windows;		/* contexts: a claim ended since their try began (mm->windows) */
byte gone;		/* clients that have ended */

bit dead;		/* exec->dead: run_job sees it */
bit gpu_dead;		/* as the engines see it */
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
byte vfresh;		/* slots that have the newest bytes of their allocation */
byte sysfresh = 255;	/* allocations whose backing store has the newest bytes */
byte inuse;		/* slots that the running portion may access */

/* For the assertions on the order of portions. */
byte open;		/* program that has begun a portion and is not over, + 1 */
bit at_cut;		/* the last portion that ran ended at a split point */

#if HANGS
byte hangs = HANGS;
#endif
#if FAULTS
byte faults = FAULTS;
#endif

/* Scratch variables of d_steps, which are not part of the state. */
hidden byte a_, b_, i_, n_, o_, p_, q_, s_, x_, cut_, early_, high_, keep_, low_, moved_, need_;
hidden byte pown_[4], ploc_[8], pdirty_;		/* a plan: ranges, places, state */
hidden short word_;
hidden byte ok_, planned_, wins_;
