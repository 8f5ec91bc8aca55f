/* SPDX-License-Identifier: MIT */
/*
 * A separate model for spin: paging beside portions. An engine of its own executes the paging steps
 * of programs, ahead or when the program comes to them. README.md says what stands for which
 * function of the driver.
 *
 * A world (-DAHEAD=...) has one or two contexts. Each context has PROGRAMS programs (2), of any
 * kinds.
 *
 * Switches:
 *
 *   TURNS      another context may go on between two portions
 *   KILL       from any moment on, a context's RUN steps may be skipped; paging steps never are
 *
 * M_... plants a bug; the models have to find each one: see "run".
 */
#ifndef PROGRAMS
#define PROGRAMS	2
#endif
#define NJ	(AHEAD * PROGRAMS)
#define NONE	7
#define CTX(j)	((j) / PROGRAMS)
#define LAST(c)	((c) * PROGRAMS + PROGRAMS - 1)

/* A step is a portion, or paging that waits for the portion at step @n - 1; 0: for none. */
#define NS	5
#define END	0
#define RUN	1
#define PAGE(n)	(2 + (n))
#define AFTER(s)	((s) - 2)

#define STEP(j, i)	step[(j) * NS + (i)]
#define MORE(j, i)	((i) < NS && STEP(j, i) != END)
#define MAY_PAGE(j)	(page[j] < until[j] && MORE(j, page[j]) && AFTER(STEP(j, page[j])) <= ran[j])

byte step[NJ * NS];
byte next_step[NJ];	/* the engine's cursor */
byte ran[NJ];		/* one past the last portion that is over; paging_lock */
byte page[NJ];		/* next paging step */
byte paged[NJ];		/* all paging steps before it are over */
byte until[NJ];		/* paging steps before it may begin; under paging_lock */
bit in_turn[NJ];	/* paged in turn, not ahead */
bit listed[NJ];		/* its next paging step may begin */

byte first[AHEAD];	/* of each context: its oldest program, and one past its youngest */
byte last[AHEAD];
byte current = NONE;
byte released = NONE;	/* context whose program is being released */
byte next_ahead = NONE;
bit killed[AHEAD];

/* What really happens: */
bit running[NJ];
byte over[NJ];		/* portions that are over, a bit for each step */
bit paging[NJ];
byte moved[NJ];		/* paging steps that are over, likewise */
bit signalled[NJ];
bit gone[NJ];		/* its memory is freed */
byte done;

#define BIT(n)	(1 << (n))

/* Any of up to four programs is listed. */
#define ANY_LISTED	(listed[0] || listed[NJ / 3] || listed[NJ / 2] || listed[NJ - 1])

/* Each function below is one step, as it holds the lock of its driver function. */

inline next_page(j, from)
{
	n_ = from;
	do
	:: MORE(j, n_) && STEP(j, n_) == RUN -> n_++
	:: else -> break
	od
}

/* engine_list_apart() */
inline list_apart(j)
{
	assert(!gone[j]);
	if
#ifdef M_GIVEN_UNSEEN
	:: !listed[j] && MORE(j, page[j]) && AFTER(STEP(j, page[j])) <= ran[j] ->
#else
	:: !listed[j] && MAY_PAGE(j) ->
#endif
		listed[j] = 1
	:: else
	fi
}

/* engine_give() */
inline give(j)
{
	atomic {
		assert(!gone[j]);		/* it is touched after its end */
		until[j] = NS;
#ifdef M_GIVEN_AT_ONCE
		assert(!listed[j]);
		listed[j] = 1
#else
		list_apart(j)
#endif
	}
}

/* engine_first_ahead(): the first program of a context, if it has paging ahead; else NONE. */
inline first_ahead(c)
{
	f_ = NONE;
	if
	:: first[c] < last[c] && !in_turn[first[c]] && MORE(first[c], page[first[c]]) ->
		f_ = first[c]
	:: else
	fi
}

/* vsplit_gpu_ring(), called by the scheduler of a context for one program after the other. */
proctype client(byte c)
{
	byte j, n_, f_;

	for (j : c * PROGRAMS .. LAST(c)) {
		atomic {
			if
			:: STEP(j, 0) = RUN; STEP(j, 1) = PAGE(1); STEP(j, 2) = RUN
			:: STEP(j, 0) = PAGE(0); STEP(j, 1) = RUN; STEP(j, 2) = PAGE(0);
			   STEP(j, 3) = PAGE(2); STEP(j, 4) = RUN
			:: STEP(j, 0) = RUN; STEP(j, 1) = PAGE(0); STEP(j, 2) = RUN;
			   STEP(j, 3) = PAGE(3)
			:: STEP(j, 0) = PAGE(0); STEP(j, 1) = RUN
			:: STEP(j, 0) = RUN
			:: in_turn[j] = 1; STEP(j, 0) = PAGE(0); STEP(j, 1) = PAGE(0);
			   STEP(j, 2) = RUN; STEP(j, 3) = PAGE(3); STEP(j, 4) = RUN
			fi;
			next_page(j, 0);
			page[j] = n_;
			paged[j] = n_
		};
		atomic {
			last[c] = j + 1;
			first_ahead(c);
			if
			:: f_ != j -> f_ = NONE
#ifndef M_RELEASED_UNSEEN
			:: f_ == j && released == c -> next_ahead = f_; f_ = NONE
#endif
			:: else
			fi
		};
		if
		:: f_ != NONE -> give(f_)
		:: else
		fi
	}
}

/* engine_ran() */
inline engine_ran(j, i)
{
	atomic {
		if
		:: in_turn[j]
		:: else ->
			ran[j] = i + 1;
#ifndef M_RAN_UNSEEN
			list_apart(j)
#endif
		fi
	}
}

/* engine_release() */
inline release(j)
{
	atomic {
		first[CTX(j)]++;
		released = CTX(j);
		first_ahead(CTX(j));
		next_ahead = f_;
		current = NONE
	};
	signalled[j] = 1;
	atomic {
		assert(!listed[j] && !paging[j]);
		gone[j] = 1;
		done++;
		f_ = next_ahead;
		released = NONE;
		next_ahead = NONE
	};
	if
#ifndef M_NEXT_FORGOTTEN
	:: f_ != NONE -> give(f_)
#endif
	:: else
	fi
}

/* engine_run() */
inline run_portion(j, i)
{
	if
	:: killed[CTX(j)]
	:: else ->
		/* All paging before the portion is over. */
		atomic {
			n_ = 0;
			do
			:: n_ < i -> assert(STEP(j, n_) == RUN || (moved[j] & BIT(n_))); n_++
			:: else -> break
			od;
			running[j] = 1
		};
		running[j] = 0
	fi;
	atomic {
		over[j] = over[j] | BIT(i);
		next_step[j] = i + 1
	}
}

/* engine_program(): to the program's end, or until another context goes on. */
proctype engine()
{
	byte j, i, n_, f_;

end:
	do
	:: atomic {
		current == NONE && first[0] < last[0] -> current = first[0]
	   }; goto execute
#if AHEAD > 1
	:: atomic {
		current == NONE && first[1] < last[1] -> current = first[1]
	   }; goto execute
#endif
	od;
execute:
	j = current;
	do
	:: !MORE(j, next_step[j]) -> break
	:: MORE(j, next_step[j]) && STEP(j, next_step[j]) == RUN ->
		i = next_step[j];
		run_portion(j, i);
		engine_ran(j, i);
		if
#ifdef TURNS
		:: MORE(j, next_step[j]) -> current = NONE; goto end
#endif
		:: true
		fi
	:: MORE(j, next_step[j]) && STEP(j, next_step[j]) != RUN ->
		/* engine_pass_apart() */
		i = next_step[j];
		do
		:: MORE(j, i) && STEP(j, i) != RUN -> i++
		:: else -> break
		od;
		if
		:: in_turn[j] -> atomic {
			/* engine_give_portion() */
			ran[j] = next_step[j];
			until[j] = i;
#ifndef M_PORTION_UNSEEN
			list_apart(j)
#endif
		   }
		:: else
		fi;
		paged[j] >= i;
		next_step[j] = i
	od;
	release(j);
	goto end
}

/* engine_page_apart(): a step of any client; the turn of a client may have several steps. */
proctype pager()
{
	byte j, i, n_;

end:
	do
	:: ANY_LISTED ->
		if
		:: listed[0] -> j = 0
		:: listed[NJ / 3] -> j = NJ / 3
		:: listed[NJ / 2] -> j = NJ / 2
		:: listed[NJ - 1] -> j = NJ - 1
		fi;
		i = page[j];
		atomic {
			assert(!gone[j]);
			assert(STEP(j, i) != RUN);
			/* Paging in turn begins only when the engine has come to it, */
			assert(!in_turn[j] || next_step[j] <= i);
			/* and takes nothing from a portion that still uses it. */
			n_ = 0;
			do
			:: n_ < AFTER(STEP(j, i)) ->
				assert(STEP(j, n_) != RUN || (over[j] & BIT(n_)));
				n_++
			:: else -> break
			od;
			/* Programs of a context are paged in order. */
			assert(j == CTX(j) * PROGRAMS || signalled[j - 1]);
			paging[j] = 1
		};
#ifdef M_PAGED_TOO_EARLY
		paged[j] = i + 1;
#endif
		atomic {
			paging[j] = 0;
			moved[j] = moved[j] | BIT(i)
		};
		atomic {
			next_page(j, i + 1);
			page[j] = n_;
			listed[j] = MAY_PAGE(j);
			paged[j] = n_
		}
	od
}

#ifdef KILL
proctype killer()
{
	killed[0] = 1
}
#endif

init
{
	byte c;

	atomic {
		for (c : 0 .. AHEAD - 1) {
			first[c] = c * PROGRAMS;
			last[c] = c * PROGRAMS;
		}
		c = 0;
		run engine();
		run pager();
		run client(0);
#if AHEAD > 1
		run client(1);
#endif
#ifdef KILL
		run killer();
#endif
	};
	done == NJ;
	assert(!ANY_LISTED && current == NONE)
}
