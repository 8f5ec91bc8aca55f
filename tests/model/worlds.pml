/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: worlds, which say who submits what, and the defaults of the switches.
 */

/* ---- worlds: allocations of one page, VRAM of CAP pages ------------------- */

/*
 * NEED(c,b,g)   allocations that group g of buffer b of context c names (mask)
 * WRITE(c,b,g)  those of the allocations that group g writes
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
/* As world 1, but both are split and share allocation 0. */
#define NCTX	2
#define NALLOC	5
#define CAP	2
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 5) : ((g) == 0 -> 9 : 17))
#define WRITE(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 4) : ((g) == 0 -> 8 : 1))
#define OWN(c)		((c) == 0 -> 6 : 24)

#elif WORLD == 3
/* There is room for both: context 0 lies on both sides of context 1, which is in the middle. */
#define NCTX	2
#define NALLOC	4
#define CAP	3
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 1 : 2) : ((g) == 0 -> 4 + 4 * (b) : 0))
#define WRITE(c,b,g)	NEED(c,b,g)
#define OWN(c)		((c) == 0 -> 3 : 12)
#define BEGIN(a, s)	a = 2; s = 1	/* resident at the start: allocation a in slot s */

#elif WORLD == 4
/* Two contexts, each filling VRAM alone without a split: each evicts the other. */
#define NCTX	2
#define NALLOC	4
#define CAP	2
#define NEED(c,b,g)	((g) == 0 -> ((c) == 0 -> 3 : 12) : 0)
#define WRITE(c,b,g)	((g) == 0 -> ((c) == 0 -> 1 : 12) : 0)
#define OWN(c)		((c) == 0 -> 3 : 12)
#define WAITS(c,b)	((c) == 1 && (b) == 0 -> 0 : NO)

#elif WORLD == 5
/* Three contexts: two are split, one fits. */
#define NCTX	3
#define NALLOC	6
#define CAP	2
#define NEED(c,b,g)	((c) == 0 -> ((g) == 0 -> 3 : 5) : \
			 ((c) == 1 -> ((g) == 0 -> 9 : 16) : ((g) == 0 -> 33 : 0)))
#define WRITE(c,b,g)	((c) == 0 -> ((g) == 0 -> 1 : 4) : \
			 ((c) == 1 -> ((g) == 0 -> 8 : 16) : ((g) == 0 -> 32 : 0)))
#define OWN(c)		((c) == 0 -> 6 : ((c) == 1 -> 24 : 32))

#elif WORLD == 6
/* Two contexts share allocation 0; context 0 pages it out while context 1 reads it. */
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
#define NPJ	3		/* number of paging jobs at a time; others have to wait */
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
