/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: clients, the unplug, the evictor, the CPU, and the initial state.
 */

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

/* Evict any allocation that is not on the list. */
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

/* vsplit_place_unlock(): the transaction gives back everything of the list. */
inline unlock()
{
	for (s_ : 0 .. CAP - 1) {
		if
		:: sown[s_] == CLAIM(c) -> sown[s_] = 0
		:: else
		fi
	}
	if
	:: held ->
		give_back(list);
		locked = locked & ~(list | vict)
	:: else
	fi;
	if
	:: claimed -> claims--; windows = BIT(NCTX) - 1
	:: else
	fi;
	held = 0;
	claimed = 0;
	vict = 0
}

/* vsplit_submit_unplace() */
inline unplace()
{
	unlock();
	if
#ifndef M_TURN_KEPT
	:: turn -> turns??eval(c)
#endif
	:: else
	fi;
	turn = 0;
	tries = 0;
	evicted = 0;
	evicting = 0;
	was = 0;
	dirt = 0;
	wins = 0
}

/* Does another context have its turn now? */
#define HELD_OFF	(len(turns) && !(turns?[eval(c)]))

/* The places of the list's allocations. */
inline where_is(word)
{
	word = 0;
	for (a_ : 0 .. NALLOC - 1) {
		if
		:: list & BIT(a_) -> word = word | loc[a_] << (2 * a_)
		:: else
		fi
	}
}

/* The other allocations in the plan's windows. */
inline find_victims()
{
	vict = 0;
	for (s_ : 0 .. CAP - 1) {
		if
		:: (wins & BIT(s_)) && PLACED_IN(s_) && !(list & BIT(sown[s_] - 1)) ->
			vict = vict | BIT(sown[s_] - 1)
		:: else
		fi
	}
}

/* vsplit_plan_compare(), vsplit_layout_claim(): claim all windows; else ok_ = 0. */
inline claim()
{
	where_is(word_);
	ok_ = 1;
#ifndef M_OUTDATED
	ok_ = (word_ == was && (dirty & list) == dirt);
#endif
	for (s_ : 0 .. CAP - 1) {
		if
		:: (wins & BIT(s_)) && sown[s_] > NALLOC ->
#ifndef M_CLAIMED_TWICE
			ok_ = 0
#else
			skip
#endif
		:: (wins & BIT(s_)) && PLACED_IN(s_) && !((list | vict) & BIT(sown[s_] - 1)) -> ok_ = 0
		:: else
		fi
	}
	if
	:: ok_ ->
		claimed = 1;
		claims++;
		was = 0;
		dirt = 0;
		for (s_ : 0 .. CAP - 1) {
			if
#ifndef M_UNCLAIMED
			:: (wins & BIT(s_)) && !sown[s_] -> sown[s_] = CLAIM(c)
#endif
			:: else
			fi
		}
	:: else
	fi
}

/* vsplit_layout_evict(): the next victim leaves, and the transaction claims its place. */
#define IN_WINDOW(v)	((vict >> (v) & 1) && loc[v] != SYS && (wins >> loc[v] & 1))
#if NALLOC > 5
#define W5		|| IN_WINDOW(5)
#else
#define W5
#endif
#if NALLOC > 4
#define W4		|| IN_WINDOW(4)
#else
#define W4
#endif
#define HAS_LEAVING	(IN_WINDOW(0) || IN_WINDOW(1) || IN_WINDOW(2) || IN_WINDOW(3) W4 W5)

inline evict_victim()
{
	x_ = 0;
	do
	:: !IN_WINDOW(x_) -> x_++
	:: else -> break
	od;
	a_ = loc[x_];
	evict(x_);
#ifndef M_HEIRLESS
	sown[a_] = CLAIM(c)
#endif
}

#if KILL
#define KILLABLE	:: (KILL >> c & 1) -> goto killed
#else
#define KILLABLE
#endif
#if KILL || defined(LATE_FAIL) || defined(EVICTOR)
#define TOGETHER
#else
#define TOGETHER	atomic
#endif

/* Others come between any two steps that carry out a plan, or only where the steps wait. */
#ifdef FINE
#define JOINED
#else
#define JOINED		atomic
#endif

#define TRIES		1
/* With a turn: one more try, and one for each transaction that had begun before. */
#define MOST_TRIES	(TRIES + 2 * NCTX + 2)

proctype client(byte c)
{
	byte b;
	byte list;
	byte v;
	bit held;	/* the list is locked */
	bit evicting;	/* TTM may evict for it */
	bit evicted;	/* TTM has tried to evict */
	bit off;	/* another context had its turn when this try began */
	bit turn;	/* it has asked for a turn */
	bit claimed;
	byte tries;
	byte wins;	/* windows of the plan */
	byte vict;	/* allocations in the windows, locked as well */
	short was;	/* places that the plan was made for */
	byte dirt;	/* contents that the plan was made for */
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

	/* vsplit_place_try(): holes only */
again:	if
	:: d_step { !(locked & list) ->
		locked = locked | list;
		held = 1;
		windows = windows & ~BIT(c);
		off = HELD_OFF
	   }
	KILLABLE
	fi;
#ifdef M_PUBLISH_EARLY
	live = live | BIT(JOB(c, b));
#endif
	do
	:: ALL_PLACED(list) && (evicting || !FORCED(c)) -> break
	:: atomic { off && !ALL_PLACED(list) -> goto changed }
	:: d_step {
		!off && !FORCED(c) && !ALL_PLACED(list) && HAS_SLOT ->
		a_ = 0;
		do
		:: PLACED(list, a_) -> a_++
		:: else -> break
		od;
		take_slot(a_)
	   }
	:: atomic { !off && evicting && !ALL_PLACED(list) && !HAS_SLOT && HAS_VICTIM && HAS_PJ -> evict_other() }
	:: atomic { !off && evicting && !ALL_PLACED(list) && !HAS_SLOT && !HAS_VICTIM ->
		/* Allocations in the way may be locked, so this does not mean that nothing fits. */
		d_step { evicting = 0; unlock() };
		goto solved
	   }
	:: atomic { !off && !evicting && (FORCED(c) || (!ALL_PLACED(list) && !HAS_SLOT)) -> goto look }
	KILLABLE
	od;
	TOGETHER {
		d_step {
			evicting = 0;
			drop_program(JOB(c, b));
			n_ = FIRST;
			planned_ = 0;
			program_resident(c, b, JOB(c, b));
			depend(c, b, JOB(c, b))
		};
		goto decided
	};

	/* vsplit_plan_snapshot(), vsplit_plan_solve(), which works on the copy without a lock */
look:	atomic {
	    true;
	    d_step {
		give_back(list);
		drop_program(JOB(c, b));
		n_ = FIRST;
		plan(c, b, JOB(c, b));
		assert(ok_);		/* no room, though it fits? */
		find_windows(JOB(c, b));
		wins = wins_;
		where_is(word_);
		was = word_;
		dirt = dirty & list;
#ifndef M_KEEP_LOCKS
		unlock()
#endif
	    }
	};
solved:	JOINED {
	    if
	    :: WHOLE(c, b) && !evicted -> evicted = 1; evicting = 1; goto again
	    :: else
	    fi;

	    /* vsplit_place_planned() */
	    d_step { find_victims(); v = vict; vict = 0 };
	    if
#ifdef M_KEEP_LOCKS
	    :: d_step { !(locked & v & ~list) -> locked = locked | v; vict = v; v = 0 }
#else
	    :: d_step { !(locked & (list | v)) -> locked = locked | list | v; held = 1; vict = v; v = 0 }
#endif
	    KILLABLE
	    fi;
	    d_step { claim(); planned = ok_ };
	    if
	    :: !planned -> goto changed
	    :: else -> planned = 0
	    fi;
	    do
	    :: d_step { HAS_LEAVING && HAS_PJ -> evict_victim() }
	    :: atomic { !HAS_LEAVING ->
		d_step {
			planned_ = 1;
			planned = 1;
			wins = 0;
			depend(c, b, JOB(c, b))
		};
		goto decided
	       }
	    KILLABLE
	    od
	};

	/* -EAGAIN: vsplit_txn_again() */
changed:
	JOINED {
	    true;
	    d_step {
		unlock();
		evicting = 0;
		drop_program(JOB(c, b));
		tries++;
		assert(tries < MOST_TRIES)	/* starved? */
	    };
	    if
	    :: (windows >> c & 1) || !claims
	    KILLABLE
	    fi;
	    d_step {
		if
		:: !turn && (tries > TRIES || HELD_OFF) -> turns!c; turn = 1
		:: else
		fi
	    };
	    if
	    :: !HELD_OFF -> goto again
	    KILLABLE
	    fi
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
		off = 0;
#ifdef M_FOREIGN_STEP
		before = 0;
#endif
		b++;
		goto next
	};

#if KILL
	/* An allocation that another context has locked is released after the unlock. */
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
		v = 0;
		off = 0
	    }
	};
	atomic {
	    !(locked & OWN(c));
	    d_step {
#ifdef M_KILL_LOSES
		for (b_ : JOB(c, 0) .. JOB(c, NBUF - 1)) {
			if
			:: jst[b_] == J_QUEUED -> complete_paged(b_); signal(b_); free_job(b_)
			:: else
			fi
		}
#endif
		for (b_ : 0 .. NALLOC - 1) {
			if
			:: OWN(c) & BIT(b_) -> put_alloc(b_)
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
	/* Engines end their jobs first: a later fence of a context would hide earlier ones. */
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
/* CPU faults, exports and escapes lock what they evict. */
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
/* A CPU fault waits for KERNEL fences with the dma_resv held, then reads and writes. */
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

/* In the end everything is released, and every byte is where the driver's state says. */
active proctype monitor()
{
	d_step {
		gone == NCTX && !live && !locked && QUIET ->
		assert(!claims && !len(turns) && !zombie && !open && !inuse);
		for (q_ : 0 .. NJ - 1) {
			assert(!jdep[q_])
		}
		for (s_ : 0 .. CAP - 1) {
			assert(!pend[s_] && !seen[s_]);
			assert(!sown[s_] || (sown[s_] <= NALLOC && loc[sown[s_] - 1] == s_))
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
