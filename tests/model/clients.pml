/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: clients, unplugging, the evictor, the CPU, and what is there at the beginning.
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
