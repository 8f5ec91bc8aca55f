/* SPDX-License-Identifier: MIT */
/*
 * A part of protocol.pml: a program from its plan to its publication.
 */

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

/* Addresses for a group: a kept row keeps its address. */
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

/*
 * Each allocation in need_ gets a place in the plan; allocations of the list may leave unless in
 * keep_.
 */
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
				/*
				 * There is no hole: the lowest allocation that is not kept leaves.
				 */
				s_ = 0;
				do
				:: s_ < CAP && !((LIST(c, b) & ~keep_) & BIT(pown_[s_] - 1)) -> s_++
				:: else -> break
				od;
				if
				:: s_ == CAP -> ok_ = 0		/* does not fit even alone */
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

/* Ranges of the list's own allocations; all others count as evicted. */
inline plan_begin(c, b)
{
	for (s_ : 0 .. CAP - 1) {
		pown_[s_] = 0;
		if
		:: PLACED_IN(s_) && (LIST(c, b) & BIT(sown[s_] - 1)) -> pown_[s_] = sown[s_]
		:: else
		fi
	}
	for (a_ : 0 .. NALLOC - 1) {
		ploc_[a_] = loc[a_]
	}
	pdirty_ = dirty;
	ok_ = 1
}

#define FORCED(c)	(FORCE_SPLIT >> (c) & 1)
#define WHOLE(c, b)	(COUNT(LIST(c, b)) <= CAP && !FORCED(c))

/* vsplit_plan_solve(): the walk. It changes only the program that is being made. */
inline plan(c, b, j)
{
	plan_begin(c, b);
	if
	:: WHOLE(c, b) ->
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
			/* A kept row goes out and comes back elsewhere. */
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

/* vsplit_program_resident(): each allocation has a slot, acquired now or before. */
inline program_resident(c, b, j)
{
	plan_begin(c, b);
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

/* moved_: what moves; early_: what is in its final place before the first portion runs. */
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

/* Without the context's own queue, which runs in order. */
#ifdef M_QUEUE_PAGING
#define OTHERS(c)	~(QUEUE(c) | PAGING)
#else
#define OTHERS(c)	~QUEUE(c)
#endif

/* The slots that the plan's steps enter. */
inline find_windows(j)
{
	wins_ = 0;
	for (i_ : 0 .. NS - 1) {
		if
		:: KIND(step[j * NS + i_]) == PAGE_IN -> wins_ = wins_ | BIT(SLOT(step[j * NS + i_]))
		:: else
		fi
	}
}

/* vsplit_submit_depend(): the last step that may fail. */
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
	for (i_ : FIRST .. NS - 1) {
		step[j * NS + i_] = 0
	}
	patch[j * 2] = 0;
	patch[j * 2 + 1] = 0;
	for (s_ : 0 .. CAP - 1) {
		seen[s_] = 0
	}
}

/* dma_resv_add_fence() replaces earlier fences of the context, but never by a weaker usage. */
inline add_kernel(a, fence, before)
{
	rk[a] = (rk[a] & ~(before)) | BIT(fence);
	rw[a] = rw[a] & ~(before);
	rr[a] = rr[a] & ~(before);
	rb[a] = rb[a] & ~(before)
}

/* KERNEL for allocations whose bytes are on their way; the usage of the list for others. */
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

/* vsplit_layout_touch(): the range from the lowest to the highest page that a step uses. */
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
			pend[s_] = (pend[s_] & ~seen[s_]) | BIT(j)
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
			assert(sown[s_] == a_ + 1);	/* the allocation was not there */
			sown[s_] = 0;
			loc[a_] = SYS;
			dirty = dirty & ~BIT(a_)
		:: KIND(x_) == PAGE_IN ->
			/* "the plan's place is taken": more than fits */
			assert(sown[s_] == 0 || sown[s_] == a_ + 1 || sown[s_] == CLAIM(c));
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
