/* SPDX-License-Identifier: MIT */
/*
 * A separate model for spin: hardware queues with doorbell, pass, preempt fence, and devices that
 * do not fit together. README.md says what stands for which function of the driver.
 *
 * A world (-DQUEUES=...):
 *
 *   1  two devices with a queue and a page each; memory has one page
 *   2  a device with two queues and a page; memory has room
 *   3  a device with a queue, whose client requires a second page while it runs; memory has room
 *   4  as 3, and another device with a queue and a page; two pages fit
 *
 * Switches:
 *
 *   PACKETS=n  number of packets that each client puts in, one after the other (2)
 *   ENGINES=2  an engine for each queue instead of one for both
 *   EXPIRES=n  n turns end before their device has brought everything in
 *   WAITS      the first packet of queue 0 waits for a monitored fence, which the CPU signals
 *   HANGS=n    n packets do not end
 *   KILL=mask  queues whose client may be killed at any time
 *
 * M_... plants a bug; the models have to find each one: see "run".
 */
#define NQ	2
#define NONE	7

#if QUEUES == 1
#define NDEV	2
#define NPAGE	2
#define CAP	1
#define DEV(q)	(q)
#define OF(p)	(p)
#elif QUEUES == 2
#define NDEV	1
#define NPAGE	1
#define CAP	2
#define DEV(q)	0
#define OF(p)	0
#elif QUEUES == 3
#define NDEV	1
#define NPAGE	2
#define CAP	2
#define DEV(q)	0
#define OF(p)	0
#define MORE
#define PUTS(q)	(q == 0 -> PACKETS : 0)
#elif QUEUES == 4
#define NDEV	2
#define NPAGE	3
#define CAP	2
#define DEV(q)	(q)
#define OF(p)	((p) == 2)
#define MORE
#define PUTS(q)	(q == 0 -> PACKETS : 1)
#endif

#ifndef PACKETS
#define PACKETS	2
#endif
#ifndef PUTS
#define PUTS(q)	PACKETS
#endif
#ifndef ENGINES
#define ENGINES	1
#endif
#ifndef EXPIRES
#define EXPIRES	0
#endif
#ifndef HANGS
#define HANGS	0
#endif
#ifndef KILL
#define KILL	0
#endif

#define NJ	4
#define BIT(i)	(1 << (i))

#if ENGINES == 2
#define ENGINE(q)	(q)
#else
#define ENGINE(q)	0
#endif

/* Queues: packets put in and done; the doorbell page; what the engine has, and how it is to end. */
byte tail[NQ], done[NQ], needs[NQ * PACKETS];
bool pte[NQ], mapped[NQ];
bool rung[NQ], ringing[NQ], stopq[NQ], blocked[NQ], closed[NQ], hung[NQ], cancel[NQ];
/* mark: the next pass looks at the queue. ready: the queue has work, and waits for the pass. */
bool mark[NQ], ready[NQ];

/*
 * Devices: struct vsplit_hw. gone_out: a page of the device has left since the pass has looked;
 * this is the generation of the requirement list.
 */
bool armed[NDEV], asked[NDEV], stop[NDEV], awaited[NDEV], granted[NDEV], timer[NDEV], lost[NDEV];
bool look[NDEV], retry[NDEV], gone[NDEV], mutex[NDEV];
bool gone_out[NDEV];
byte running[NDEV], arrival[NDEV];

/* Pages: required, missing, frame by the books. Frames: owner by the books, owner of the bytes. */
bool required[NPAGE], missing[NPAGE];
byte loc[NPAGE], own[CAP], bytes[CAP];

/*
 * A paging job takes out[] from frame[] and brings page[] in, after other jobs and a preempt fence.
 */
bool live[NJ];
byte page[NJ], out[NJ], frame[NJ], after[NJ], fence[NJ];

byte coming = NONE, expired, hangs, ended;
bool value, waiting;

/* ---- preempt fences -------------------------------------------------------- */

inline signal(d)
{
	assert(armed[d] && !running[d]);
	armed[d] = false;
	asked[d] = false;
	stop[d] = false;
	awaited[d] = false;
	timer[d] = false;
	granted[d] = false;
	look[d] = true;
	for (s_ : 0 .. NJ - 1) {
		if
		:: live[s_] && fence[s_] == d -> fence[s_] = NONE
		:: else
		fi
	}
}

/* vsplit_hw_stopped() */
inline stopped(d)
{
	if
#ifdef M_SIGNAL_EARLY
	:: asked[d] && armed[d] -> signal(d)
#else
	:: asked[d] && armed[d] && !running[d] -> signal(d)
#endif
	:: else
	fi
}

/* vsplit_hwq_mark() */
inline look_again(q)
{
	mark[q] = !closed[q];
	look[DEV(q)] = true
}

/* vsplit_hwq_withdraw(), vsplit_gpu_withdraw() */
inline withdraw(q)
{
	if
	:: rung[q] && ringing[q] ->
		ringing[q] = false;
		rung[q] = false;
#ifndef M_WITHDRAWN_RUNS
		running[DEV(q)]--;
#endif
#ifndef M_WITHDRAWN_UNSEEN
		look_again(q)
#else
		skip
#endif
	:: rung[q] && !ringing[q] ->
#ifdef M_STOP_UNSEEN
		skip
#else
		stopq[q] = true
#endif
	:: else
	fi
}

/* vsplit_hw_stop() */
inline stop_all(d)
{
	stop[d] = true;
	for (q_ : 0 .. NQ - 1) {
		if
		:: DEV(q_) == d -> withdraw(q_)
		:: else
		fi
	}
	stopped(d)
}

/* vsplit_hw_preempt() */
inline preempt(d, now)
{
	/* The device is freed. */
	assert(!gone[d]);
	awaited[d] = true;
	asked[d] = true;
	if
#ifndef M_NO_GRANT
	:: !now && running[d] && granted[d] -> timer[d] = true
#endif
	:: else -> stop_all(d)
	fi
}

#define LOST(q)		(closed[q] || lost[DEV(q)])
#define HAS_WORK(q)	(tail[q] != done[q] && !blocked[q] && !LOST(q))

/* vsplit_hwq_start() */
inline start(q)
{
	if
	:: !rung[q] && !closed[q] && !blocked[q] ->
		if
#ifdef M_START_UNARMED
		:: !stop[DEV(q)] && !LOST(q) ->
#else
		:: armed[DEV(q)] && !stop[DEV(q)] && !LOST(q) ->
#endif
			cancel[q] = false;
			stopq[q] = false;
			rung[q] = true;
			running[DEV(q)]++;
			ringing[q] = true
#ifndef M_REFUSED_UNSEEN
		:: else -> look_again(q)
#else
		:: else -> look[DEV(q)] = true
#endif
		fi
	:: else
	fi
}

/* vsplit_hw_grant_over(): a packet was done, or does not end, so the grant is over. */
active proctype grant()
{
	byte s_, q_;

end:
	do
	:: d_step {
		timer[0] && !granted[0] ->
		timer[0] = false;
		if
		:: asked[0] -> stop_all(0)
		:: else
		fi;
		s_ = 0; q_ = 0
	}
#if NDEV > 1
	:: d_step {
		timer[1] && !granted[1] ->
		timer[1] = false;
		if
		:: asked[1] -> stop_all(1)
		:: else
		fi;
		s_ = 0; q_ = 0
	}
#endif
	od
}

/* ---- paging ---------------------------------------------------------------- */

#define FREE_JOBS	(!live[0] + !live[1] + !live[2] + !live[3])
#define MISSING(p)	(required[p] && missing[p])
#if NPAGE > 2
#define NR_MISSING(d)	((OF(0) == d && MISSING(0)) + (OF(1) == d && MISSING(1)) + (OF(2) == d && MISSING(2)))
#elif NPAGE > 1
#define NR_MISSING(d)	((OF(0) == d && MISSING(0)) + (OF(1) == d && MISSING(1)))
#else
#define NR_MISSING(d)	(MISSING(0) + 0)
#endif

/*
 * Publish a job that brings in page p, and choose the place. Under one lock, a page that leaves for
 * it first becomes missing, and then the fence of its device is looked at.
 */
inline bring_in(p)
{
	j_ = (!live[0] -> 0 : (!live[1] -> 1 : (!live[2] -> 2 : 3)));
	f_ = NONE;
	for (s_ : 0 .. CAP - 1) {
		if
		:: own[s_] == NONE -> f_ = s_
		:: f_ == NONE && own[s_] != NONE && OF(own[s_]) != OF(p) -> f_ = s_
		:: else
		fi
	}
	assert(f_ != NONE && !live[j_]);
	live[j_] = true;
	page[j_] = p;
	frame[j_] = f_;
	out[j_] = own[f_];
	fence[j_] = NONE;
	after[j_] = 0;
	/*
	 * After jobs that use the same frame or pages, and in the order of the device's paging
	 * queue.
	 */
	for (s_ : 0 .. NJ - 1) {
		if
		:: s_ != j_ && live[s_] && (frame[s_] == f_ || page[s_] == p || page[s_] == out[j_] ||
					    out[s_] == p || OF(page[s_]) == OF(p)) ->
			after[j_] = after[j_] | BIT(s_)
		:: else
		fi
	}
	if
	:: out[j_] != NONE ->
		missing[out[j_]] = true;
		loc[out[j_]] = NONE;
		gone_out[OF(out[j_])] = true;
#ifndef M_EVICT_RUNNING
		if
		:: armed[OF(out[j_])] -> fence[j_] = OF(out[j_])
		:: else
		fi
#endif
	:: else
	fi;
	own[f_] = p;
	loc[p] = f_;
	missing[p] = false
}

/* vsplit_resident_page_in(): bring in all missing pages. */
inline bring_all_in(d)
{
	for (p_ : 0 .. NPAGE - 1) {
		if
		:: OF(p_) == d && MISSING(p_) -> bring_in(p_)
		:: else
		fi
	}
}

/* drm_sched asks for the fence of a job that is the first of its entity. */
active proctype scheduler()
{
	byte j, s_, q_;

end:
	do
	:: atomic {
		if
		:: live[0] && fence[0] != NONE && !awaited[fence[0]] -> j = 0
		:: live[1] && fence[1] != NONE && !awaited[fence[1]] -> j = 1
		:: live[2] && fence[2] != NONE && !awaited[fence[2]] -> j = 2
		:: live[3] && fence[3] != NONE && !awaited[fence[3]] -> j = 3
		fi;
		d_step {
			j = fence[j];
			preempt(j, false);
			j = 0; s_ = 0; q_ = 0
		}
	}
	od
}

#define READY(j)	(live[j] && !after[j] && fence[j] == NONE)

active proctype paging()
{
	byte j, s_;

end:
	do
	:: atomic {
		if
		:: READY(0) -> j = 0
		:: READY(1) -> j = 1
		:: READY(2) -> j = 2
		:: READY(3) -> j = 3
		fi;
		d_step {
			/*
			 * The bytes of a page that leaves are still there, unless its client is
			 * gone.
			 */
			assert(out[j] == NONE || bytes[frame[j]] == out[j] || gone[OF(out[j])]);
			bytes[frame[j]] = page[j];
			live[j] = false;
			for (s_ : 0 .. NJ - 1) {
				after[s_] = after[s_] & ~BIT(j)
			}
			for (s_ : 0 .. NDEV - 1) {
				if
				:: arrival[s_] == j -> arrival[s_] = NONE; look[s_] = true
				:: else
				fi
			}
			page[j] = 0; out[j] = 0; frame[j] = 0; fence[j] = 0;
			j = 0; s_ = 0
		}
	}
	od
}

#if NPAGE > 2
#define REQUIRED	(required[0] | required[1] << 1 | required[2] << 2)
#elif NPAGE > 1
#define REQUIRED	(required[0] | required[1] << 1)
#else
#define REQUIRED	required[0]
#endif

/* ---- clients --------------------------------------------------------------- */

proctype client(byte q)
{
	byte s_, q_, p_, f_, j_;

	do
	:: tail[q] < PUTS(q) && !LOST(q) ->
		d_step { needs[q * PACKETS + tail[q]] = REQUIRED; tail[q]++ };
ring:
		/* A store, which may fault: vsplit_hwq_fault(). */
		if
		:: pte[q]
		:: atomic { !pte[q] && !closed[q] -> pte[q] = true };
#ifdef M_MAPPED_LAST
			d_step { start(q) };
			mapped[q] = true;
#else
			mapped[q] = true;
			d_step { start(q) };
#endif
progress:
			goto ring
		:: closed[q]
		fi;
#ifdef MORE
		/* DRM_IOCTL_VSPLIT_MAKE_RESIDENT. The page is required when the call returns. */
		if
		:: q == 0 && tail[q] == 1 ->
			d_step {
				FREE_JOBS >= 2 ->
				required[1] = true;
				bring_all_in(0);
				required[1] = false;
				gone_out[0] = true;
				s_ = 0; p_ = 0; f_ = 0; j_ = 0
			};
#ifndef M_MORE_UNSEEN
			d_step {
				if
				:: armed[0] -> preempt(0, true)
				:: else
				fi;
				s_ = 0; q_ = 0
			};
#endif
			d_step { required[1] = true; missing[1] = loc[1] == NONE }
		:: else
		fi
#endif
	:: tail[q] == PUTS(q) || LOST(q) -> break
	od;
	(done[q] == tail[q] || LOST(q) || hung[q]);
	ended++
}

#if KILL
/* vsplit_hwq_close(), vsplit_hw_free(), and the end of the allocations. */
proctype killer(byte q)
{
	byte s_;

	atomic { !mutex[DEV(q)] -> mutex[DEV(q)] = true };
	d_step {
		closed[q] = true;
		mark[q] = false;
		ready[q] = false;
		cancel[q] = true;
		withdraw(q);
		stopped(DEV(q));
		mutex[DEV(q)] = false;
		s_ = 0
	};
#ifndef M_CLOSE_AT_ONCE
	!rung[q];
#endif
	pte[q] = false;
	/* The last pass is over. */
	atomic { !mutex[DEV(q)] -> mutex[DEV(q)] = true };
	d_step {
		if
#ifndef M_CLOSE_FORGETS
		:: armed[DEV(q)] -> signal(DEV(q))
#endif
		:: else
		fi;
		gone[DEV(q)] = true;
		look[DEV(q)] = false;
		retry[DEV(q)] = false;
		arrival[DEV(q)] = NONE;
#ifndef M_COMING_KEPT
		coming = (coming == DEV(q) -> NONE : coming);
#endif
		for (s_ : 0 .. NPAGE - 1) {
			if
			:: OF(s_) == DEV(q) && loc[s_] != NONE ->
				own[loc[s_]] = NONE;
				loc[s_] = NONE
			:: else
			fi
		}
		mutex[DEV(q)] = false;
		s_ = 0
	}
}
#endif

#ifdef WAITS
/* The CPU signals the monitored fence: vsplit_hwq_unblocked(). */
active proctype signaller()
{
	d_step {
		value = true;
		if
		:: waiting ->
			waiting = false;
			blocked[0] = false;
			look_again(0)
		:: else
		fi
	}
}
#endif

/* ---- engines --------------------------------------------------------------- */

#define THERE(p)	(bytes[0] == p || bytes[CAP - 1] == p)

/* The pages that the device required when the packet was put in are there. */
inline check_access(q)
{
	for (s_ : 0 .. NPAGE - 1) {
		assert(OF(s_) != DEV(q) || !(needs[(q) * PACKETS + done[q]] & BIT(s_)) || THERE(s_))
	}
	s_ = 0
}

#define OTHER_WAITS(q)	(ringing[1 - (q)] && ENGINE(1 - (q)) == ENGINE(q))

proctype engine(byte e)
{
	byte q, s_;

end:
	do
	:: atomic {
		if
		:: ringing[0] && ENGINE(0) == e -> q = 0
		:: ringing[1] && ENGINE(1) == e -> q = 1
		fi;
		ringing[q] = false
	};
		do
		:: cancel[q] -> break
#ifdef M_STOP_FIRST
		:: !cancel[q] && stopq[q] -> break
		:: !cancel[q] && !stopq[q] ->
#else
		:: !cancel[q] ->
#endif
			if
			:: tail[q] == done[q] -> break
#ifdef WAITS
			/* vsplit_hwq_wait_fence() */
			:: tail[q] != done[q] && q == 0 && done[q] == 0 && !value ->
#ifdef M_BLOCKED_LATE
				d_step {
					if
					:: value
					:: else -> waiting = true
					fi
				};
				blocked[q] = true;
				break
#else
				blocked[q] = true;
				d_step {
					if
					:: value -> blocked[q] = false
					:: else -> waiting = true
					fi
				};
				if
				:: waiting || blocked[q] -> break
				:: else
				fi
#endif
			:: tail[q] != done[q] && (q || done[q] || value) ->
#else
			:: tail[q] != done[q] ->
#endif
#ifndef M_STOP_FIRST
				/*
				 * Read after the tail: a packet put in while a page is on its way
				 * must not begin.
				 */
				if
				:: stopq[q] -> break
				:: else
				fi;
#endif
				d_step { check_access(q) };
				if
				:: skip
				:: hangs < HANGS ->
					d_step { hangs++; hung[q] = true; granted[DEV(q)] = false };
endhung:
					cancel[q];
					hung[q] = false;
					lost[DEV(q)] = true;
					break
				fi;
progress:
				d_step {
					check_access(q);
					done[q]++;
					granted[DEV(q)] = false
				};
				/* engine_switch(), engine_leave() */
				if
				:: atomic { OTHER_WAITS(q) && !stopq[q] -> ringing[q] = true }; goto next
				:: else
				fi
			fi
		od;
		skip;
		/* vsplit_hwq_done() */
		d_step {
			rung[q] = false;
			running[DEV(q)]--;
			stopped(DEV(q));
#ifndef M_DONE_UNSEEN
			look_again(q);
#endif
			s_ = 0
		};
next:
		q = 0
	od
}

#if HANGS
/* vsplit_watchdog(): cancel a packet that does not stop, or that holds up another queue. */
active proctype watchdog()
{
end:
	do
	:: atomic { hung[0] && !cancel[0] && (stopq[0] || OTHER_WAITS(0)) -> cancel[0] = true }
	:: atomic { hung[1] && !cancel[1] && (stopq[1] || OTHER_WAITS(1)) -> cancel[1] = true }
	od
}
#endif

/* ---- the pass -------------------------------------------------------------- */

#define BUSY		1
#define AGAIN		2
#define IN_PROGRESS	3

#define ARRIVES(j)	(live[j] && OF(page[j]) == d)

/* vsplit_hwq_look() */
inline look_at(q)
{
	if
	:: HAS_WORK(q) -> some = true
	:: !HAS_WORK(q) && (rung[q] || !mapped[q]) -> ready[q] = false
	:: atomic { !HAS_WORK(q) && !rung[q] && mapped[q] -> mapped[q] = false };
#ifdef M_LOOK_FIRST
		atomic {
			if
			:: HAS_WORK(q) -> some = true
			:: else -> ready[q] = false
			fi
		};
#endif
		pte[q] = false;
#ifndef M_LOOK_FIRST
		if
		:: HAS_WORK(q) -> some = true
		:: else -> ready[q] = false
		fi
#endif
	fi
}

proctype pass(byte d)
{
	byte s_, q_, p_, f_, j_, ret;
	bool some, comes;

end:
	do
	:: atomic {
		/* VSPLIT_HW_RETRY_MS: the retry comes after everything that happens by itself. */
		!gone[d] && !mutex[d] && (look[d] || (timeout && retry[d])) ->
		d_step {
			mutex[d] = true;
			look[d] = false;
			retry[d] = false;
			arrival[d] = NONE;
			ret = 0;
			some = false;
			/* vsplit_hw_find_ready(): later changes mark the queues again. */
			for (q_ : 0 .. NQ - 1) {
				if
				:: DEV(q_) == d ->
					ready[q_] = ready[q_] || mark[q_];
					mark[q_] = false
				:: else
				fi
			}
			q_ = 0
		}
	};
		if
		:: DEV(0) == d && ready[0] -> look_at(0)
		:: else
		fi;
		if
		:: DEV(1) == d && ready[1] -> look_at(1)
		:: else
		fi;
		/* vsplit_hw_arm() */
		if
		:: !some
		:: some && armed[d] -> ret = (stop[d] -> IN_PROGRESS : 0)
		:: some && !armed[d] ->
			/* vsplit_hw_come() */
			d_step {
				comes = NR_MISSING(d);
				if
#ifndef M_NO_TURN
				:: NR_MISSING(d) && coming != NONE && coming != d && expired >= EXPIRES ->
					ret = BUSY
				:: NR_MISSING(d) && coming != NONE && coming != d && expired < EXPIRES ->
					expired++;
					coming = d
				:: NR_MISSING(d) && (coming == NONE || coming == d) -> coming = d
#endif
				:: else
				fi
			};
			if
			:: ret -> goto over
			:: else
			fi;
			d_step {
				FREE_JOBS >= NR_MISSING(d) ->
				if
#ifdef M_OUT_OF_TURN
				:: true -> bring_all_in(d)
#else
				:: comes -> bring_all_in(d)
#endif
				:: else
				fi;
				comes = false;
				s_ = 0; p_ = 0; f_ = 0; j_ = 0
			};
			d_step {
				gone_out[d] = false;
				ret = (NR_MISSING(d) -> AGAIN : 0)
			};
			if
			:: ret -> goto over
			:: else
			fi;
#ifndef M_ARRIVAL_UNSEEN
			d_step {
				for (s_ : 0 .. NJ - 1) {
					if
					:: ARRIVES(s_) -> arrival[d] = s_; ret = IN_PROGRESS
					:: else
					fi
				}
				s_ = 0
			};
			if
			:: ret -> goto over
			:: else
			fi;
#endif
			/* vsplit_resid_publish(), vsplit_hw_arm_locked() */
			d_step {
				if
#ifndef M_OUTDATED_LIST
				:: gone_out[d] -> ret = AGAIN
#endif
				:: else ->
					armed[d] = true;
					awaited[d] = false;
					granted[d] = true
				fi
			}
		fi;
over:
		skip;
		d_step {
			gone_out[d] = false;
			for (q_ : 0 .. NQ - 1) {
				if
				:: DEV(q_) == d && ready[q_] && !ret -> ready[q_] = false; start(q_)
#ifdef M_READY_FORGOTTEN
				:: DEV(q_) == d && ready[q_] && ret -> ready[q_] = false
#endif
				:: else
				fi
			}
			q_ = 0;
			coming = (coming == d && ret != AGAIN && ret != IN_PROGRESS -> NONE : coming);
			look[d] = look[d] || ret == AGAIN;
			retry[d] = ret == BUSY;
			mutex[d] = false;
			ret = 0;
			some = false;
			comes = false
		}
	od
}

/* ---- what there is, and what is left ---------------------------------------- */

#define QUIET(q)	(hung[q] || closed[q] || (!rung[q] && !pte[q]))

init
{
	byte i;

	d_step {
		for (i : 0 .. NPAGE - 1) {
			loc[i] = NONE;
			missing[i] = true;
			required[i] = true
		}
#ifdef MORE
		required[1] = false;
#endif
		for (i : 0 .. CAP - 1) {
			own[i] = NONE;
			bytes[i] = NONE
		}
		for (i : 0 .. NDEV - 1) {
			arrival[i] = NONE
		}
		i = 0
	};
	atomic {
		run client(0);
		run client(1);
		run pass(0);
#if NDEV > 1
		run pass(1);
#endif
		run engine(0);
#if ENGINES == 2
		run engine(1);
#endif
#if KILL & 1
		run killer(0);
#endif
#if KILL & 2
		run killer(1);
#endif
	};
	ended == NQ;
	/* Nothing goes on: no doorbell of an idle queue is mapped, and no device has its turn. */
	atomic {
		timeout && !retry[0] && !retry[NDEV - 1] ->
		assert(QUIET(0) && QUIET(1) && FREE_JOBS == NJ && coming == NONE)
	}
}
