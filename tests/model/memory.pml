/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: fences, the end of allocations, evictions, holes.
 */

/* ---- fences and destruction ------------------------------------------------ */

/* The last vsplit_bo_unuse(): nothing uses the allocation any more. */
inline destroy(a)
{
	freed = freed | BIT(a);
	zombie = zombie & ~BIT(a);
	for (s_ : 0 .. CAP - 1) {
#ifdef M_FREE_BUSY
		if
		:: sown[s_] == a + 1 -> sown[s_] = 0
		:: else
		fi;
#endif
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

/* vsplit_gem_free(): the client's reference is gone. The range is free at once, with its fences. */
inline put_alloc(a)
{
#ifdef M_FREE_BUSY
	destroy(a)
#else
	for (s_ : 0 .. CAP - 1) {
		if
		:: sown[s_] == a + 1 ->
			sown[s_] = 0;
#ifndef M_RELEASED_EARLY
			pend[s_] = pend[s_] | rk[a] | rw[a] | rr[a] | rb[a]
#endif
		:: else
		fi
	}
	loc[a] = SYS;
	dirty = dirty & ~BIT(a);
	if
	:: !(rk[a] | rw[a] | rr[a] | rb[a]) -> destroy(a)
	:: else -> zombie = zombie | BIT(a)
	fi
#endif
}

/* dma_fence_signal(): everything that waited may go on, and unused zombies are destroyed. */
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

/*
 * vsplit_job_prune_dependencies(), vsplit_fences_latest(): only the last fence of a context counts.
 */
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

/* vsplit_job_free(), at the earliest possible moment, so that any later use is found. */
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
	depend_on(p_, rk[v]);
#else
	/* All jobs that use it, and paging jobs too, which have no other order. */
#ifdef M_BOOKKEEP
	depend_on(p_, rk[v] | rw[v] | rr[v]);
#else
	depend_on(p_, rk[v] | rw[v] | rr[v] | rb[v]);
#endif
#endif
	pstep[p_ - NUSER] = STEP(EVICT, v, s_, dirty >> v & 1);
	rk[v] = rk[v] | BIT(p_);
	pend[s_] = pend[s_] | BIT(p_);
	live = live | BIT(p_);
	jst[p_] = J_QUEUED;
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

/* Take the lowest free range, with the fences of the allocations that left it. */
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
		:: PLACED_IN(s_) && (list & BIT(sown[s_] - 1)) && loc[sown[s_] - 1] != s_ -> sown[s_] = 0
		:: else
		fi
	}
}
