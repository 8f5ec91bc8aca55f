/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: the scheduler, and the engines that execute programs and paging.
 */

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

/* The bytes of slot s are about to be overwritten: is there another copy? */
inline check_overwrite(s)
{
	o_ = vown[s];
	if
	:: o_ && (vfresh & BIT(s)) && !((sysfresh | zombie | freed) & BIT(o_ - 1)) -> assert(0)	/* bytes lost */
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
		assert(vown[s_] == a_ + 1);	/* bytes of another allocation */
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

/* Each access of group g: resident, patched with the right address, newest bytes. */
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
	assert(!(WRITE(CTX(j), BUF(j), g) & ~NEED(CTX(j), BUF(j), g)));	/* of the world */
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

/* The paging step at the cursor was executed, or skipped because the GPU is dead. */
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

/* drm_sched: the first job of an entity runs when its dependencies have signalled. */
#define IN_SCHED(j)	(jst[j] == J_QUEUED || jst[j] == J_DEAD)
#define READY(j)	(IN_SCHED(j) && !jdep[j] && (BUF(j) == 0 || !IN_SCHED((j) - 1)))
#define PAGING_READY(i)	(IN_SCHED(NUSER + (i)) && !jdep[NUSER + (i)])
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

/* Reading exec->dead and acting on it are two steps only if it can change. */
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
		free_job(j)		/* the unplug came first */
	fi
}

/* The scheduler of the render engine; if there is no paging engine, of all jobs. */
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
		:: PAGING_READY(0) -> j = NUSER
		:: PAGING_READY(1) -> j = NUSER + 1
		:: PAGING_READY(NPJ - 1) -> j = NJ - 1
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
				/* The portion hangs until the timer fires, or the adapter goes. */
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
			/*
			 * engine_switch(): another context goes on if it has a program in the ring.
			 */
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
					:: else -> ring?x_; ring!x_	/* its own: put back */
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
/* The paging engine executes jobs of the paging queue and handed-over steps, in any order. */
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
		if
#ifdef M_PAGING_WAITS
		:: IN_SCHED(NUSER) -> j = NUSER
#endif
		:: PAGING_READY(0) -> j = NUSER
		:: PAGING_READY(1) -> j = NUSER + 1
		:: PAGING_READY(NPJ - 1) -> j = NJ - 1
		fi;
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
