// SPDX-License-Identifier: MIT
/*
 * The rules of the walk, implemented as plainly as possible: whole tables are copied, every offset
 * is tried, and everything is computed again when it is needed.
 *
 * If the rules leave a choice (a layout at a split that list order does not find, the order of
 * evictions and of moves), the reference takes over the plan's choice. split_check() decides
 * whether that choice is legal.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "split_problem.h"

static char why[512];

#define BAD(...)							\
	do {								\
		snprintf(why, sizeof(why), __VA_ARGS__);		\
		return why;						\
	} while (0)

struct place {
	u32 seg;
	u64 at;
};

struct model {
	const struct problem *p;
	u32 table[MAX_SLOTS];
	bool set[MAX_ALLOCS];		/* the working set W */
	bool group[MAX_ALLOCS];
	struct place now[MAX_ALLOCS];
	bool used[MAX_ALLOCS];		/* used in this buffer */
	u32 last_use[MAX_ALLOCS];	/* entry of the last use */
	u32 at_entry;			/* first entry of the group */
	bool dirty[MAX_ALLOCS];
	bool clear[MAX_ALLOCS];
	bool fresh[MAX_ALLOCS];		/* to be discarded, and not used yet */
	/* The operations expected before the portion that is being prepared. */
	struct place start[MAX_ALLOCS];
	bool out[MAX_ALLOCS];
	bool moved[MAX_ALLOCS];
	bool in[MAX_ALLOCS];
	u32 ins[MAX_ALLOCS], nr_ins;
};

static u64 size_of(const struct model *m, u32 a)
{
	return m->p->allocs[a].size / PAGE;
}

static bool is_pinned(const struct model *m, u32 a)
{
	return m->p->allocs[a].flags & VSPLIT_SPLIT_ALLOC_PINNED;
}

static bool idle(const struct model *m, u32 a)
{
	return !m->set[a] && !m->group[a] && !is_pinned(m, a);
}

static bool in_right_place(const struct model *m, u32 a)
{
	u32 i;

	for (i = 0; i < m->p->allocs[a].nr_segs; i++)
		if (m->now[a].seg == m->p->allocs[a].segs[i])
			return true;
	return false;
}

static bool overlap(u64 a, u64 a_size, u64 b, u64 b_size)
{
	return a < b + b_size && b < a + a_size;
}

static u64 used_pages(const struct model *m, u32 seg, bool with_idle)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < m->p->in.nr_fixed; i++)
		if (m->p->fixed[i].seg == seg)
			sum += m->p->fixed[i].size / PAGE;
	for (i = 0; i < m->p->in.nr_allocs; i++)
		if (m->now[i].seg == seg && (with_idle || !idle(m, i)))
			sum += size_of(m, i);
	return sum;
}

/* The order in which allocations leave depends on these. */
struct victim {
	u64 lru;
	u32 next_use;
};

static struct victim victim(const struct model *m, u32 a)
{
	const struct vsplit_split_input *in = &m->p->in;
	struct victim v = { .next_use = NONE };
	u64 newest = 0;
	u32 i;

	for (i = 0; i < in->nr_allocs; i++)
		if (m->p->allocs[i].lru > newest)
			newest = m->p->allocs[i].lru;
	v.lru = m->used[a] ? newest + 1 + m->last_use[a] : m->p->allocs[a].lru;
	for (i = in->nr_entries; i-- > m->at_entry;)
		if (m->p->entries[i].alloc == a)
			v.next_use = i;
	return v;
}

static bool leaves_first(const struct model *m, u32 a, u32 b)
{
	const struct vsplit_split_alloc *allocs = m->p->allocs;
	struct victim va = victim(m, a), vb = victim(m, b);

	if (allocs[a].priority != allocs[b].priority)
		return allocs[a].priority < allocs[b].priority;
	if (m->p->in.flags & VSPLIT_SPLIT_NEXT_USE && va.next_use != vb.next_use)
		return va.next_use > vb.next_use;
	return va.lru != vb.lru ? va.lru < vb.lru : a < b;
}

static u64 aperture_pages(const struct model *m, bool with_idle)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < m->p->in.nr_segments; i++)
		if (m->p->segments[i].flags & VSPLIT_SPLIT_SEG_APERTURE)
			sum += used_pages(m, i, with_idle);
	return sum;
}

struct window {
	bool found;
	u64 at;
	u32 worst;
	u64 pages;
};

/*
 * The best place for @a in pages [@lo, @hi) of @seg. @evict: idle allocations do not count. @top:
 * take the highest of the places that cost nothing.
 */
static struct window best_between(const struct model *m, u32 a, u32 seg, u64 lo, u64 hi,
				  bool evict, bool top)
{
	const struct vsplit_split_segment *s = &m->p->segments[seg];
	struct window best = {};
	u64 size = size_of(m, a);
	u64 align = m->p->allocs[a].align / PAGE;
	u64 at;
	u32 i;

	if (used_pages(m, seg, !evict) + size > s->commit_limit / PAGE)
		return best;
	if (m->p->in.aperture_limit && s->flags & VSPLIT_SPLIT_SEG_APERTURE &&
	    aperture_pages(m, !evict) + size > m->p->in.aperture_limit / PAGE)
		return best;
	for (at = (lo + align - 1) / align * align; at + size <= hi; at += align) {
		struct window w = { true, at, NONE, 0 };

		for (i = 0; i < m->p->in.nr_fixed; i++)
			if (m->p->fixed[i].seg == seg &&
			    overlap(at, size, m->p->fixed[i].start / PAGE,
				    m->p->fixed[i].size / PAGE))
				w.found = false;
		for (i = 0; i < m->p->in.nr_allocs; i++) {
			if (i == a || m->now[i].seg != seg ||
			    !overlap(at, size, m->now[i].at, size_of(m, i)))
				continue;
			if (!evict || !idle(m, i))
				w.found = false;
			w.pages += size_of(m, i);
			if (w.worst == NONE || leaves_first(m, w.worst, i))
				w.worst = i;
		}
		if (!w.found)
			continue;
		if (!best.found || (top && w.worst == NONE) ||
		    (w.worst == best.worst && w.pages < best.pages) ||
		    (w.worst != best.worst && best.worst != NONE &&
		     (w.worst == NONE || leaves_first(m, w.worst, best.worst))))
			best = w;
	}
	return best;
}

/*
 * The same in a whole segment. If the CPU sees a part of it, first try the part that @a belongs to.
 */
static struct window best_place(const struct model *m, u32 a, u32 seg, bool evict, bool top)
{
	const struct vsplit_split_segment *s = &m->p->segments[seg];
	bool cpu = m->p->allocs[a].flags & VSPLIT_SPLIT_ALLOC_CPU;
	struct window w = {};

	if (s->visible && s->visible < s->size && (cpu || !evict))
		w = best_between(m, a, seg, cpu ? 0 : s->visible / PAGE,
				 (cpu ? s->visible : s->size) / PAGE, evict, top);
	return w.found ? w : best_between(m, a, seg, 0, s->size / PAGE, evict, top);
}

static bool memory(const struct model *m, u32 seg)
{
	return !(m->p->segments[seg].flags & VSPLIT_SPLIT_SEG_APERTURE);
}

static void leave(struct model *m, u32 a)
{
	m->out[a] = true;
	m->now[a].seg = SYSTEM;
	if (m->dirty[a])
		m->clear[a] = false;
	m->dirty[a] = false;
}

static void enter(struct model *m, u32 a, u32 seg, u64 at)
{
	m->now[a].seg = seg;
	m->now[a].at = at;
	m->in[a] = true;
	m->ins[m->nr_ins++] = a;
	/* An allocation that was filled over old bytes is dirty. */
	if (memory(m, seg) && m->fresh[a] && !m->clear[a])
		m->dirty[a] = true;
	m->fresh[a] = false;
}

/*
 * Evict idle allocations in policy order, then let those stay that need not leave. In one segment
 * or, with ALL_APERTURES, in all apertures.
 */
#define ALL_APERTURES NONE

static bool is_of(const struct model *m, u32 i, u32 seg)
{
	return seg == ALL_APERTURES ? m->now[i].seg != SYSTEM && !memory(m, m->now[i].seg) :
				      m->now[i].seg == seg;
}

static void trim(struct model *m, u32 seg, u64 limit, u64 stay)
{
	u32 list[MAX_ALLOCS];
	u32 nr = 0;
	u32 i;

	while (stay > limit) {
		u32 best = NONE;

		for (i = 0; i < m->p->in.nr_allocs; i++) {
			bool chosen = false;
			u32 j;

			for (j = 0; j < nr; j++)
				chosen |= list[j] == i;
			if (is_of(m, i, seg) && idle(m, i) && !chosen &&
			    (best == NONE || leaves_first(m, i, best)))
				best = i;
		}
		if (best == NONE)
			return;
		list[nr++] = best;
		stay -= size_of(m, best);
	}
	for (i = nr; i-- > 0;) {
		if (stay + size_of(m, list[i]) <= limit)
			stay += size_of(m, list[i]);
		else
			leave(m, list[i]);
	}
}

static void down_to_limit(struct model *m, u32 seg)
{
	trim(m, seg, m->p->segments[seg].commit_limit / PAGE, used_pages(m, seg, true));
	if (!memory(m, seg) && m->p->in.aperture_limit)
		trim(m, ALL_APERTURES, m->p->in.aperture_limit / PAGE, aperture_pages(m, true));
}

static bool bring(struct model *m, u32 a)
{
	const struct vsplit_split_alloc *alloc = &m->p->allocs[a];
	struct place was = m->now[a];
	struct window w;
	u32 i, pass;

	if (was.seg != SYSTEM && in_right_place(m, a))
		return true;
	m->now[a].seg = SYSTEM;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < alloc->nr_segs; i++) {
			u32 seg = alloc->segs[i];
			u32 j;

			w = best_place(m, a, seg, pass, alloc->topdown & (1u << seg));
			if (!w.found)
				continue;
			if (was.seg != SYSTEM)
				leave(m, a);
			for (j = 0; j < m->p->in.nr_allocs; j++)
				if (m->now[j].seg == seg &&
				    overlap(w.at, size_of(m, a), m->now[j].at, size_of(m, j)))
					leave(m, j);
			enter(m, a, seg, w.at);
			down_to_limit(m, seg);
			return true;
		}
	m->now[a] = was;
	return false;
}

static bool try_group(struct model *m, u32 first, u32 end, u32 *fail)
{
	u32 i;

	for (i = first; i < end; i++) {
		if (m->p->entries[i].alloc == NONE || bring(m, m->p->entries[i].alloc))
			continue;
		*fail = i;
		return false;
	}
	return true;
}

/* Each member that may move gets the lowest place, in list order. */
static bool list_order_layout(const struct model *m, u32 first, u32 end, const bool *kept,
			      struct place *to)
{
	struct model v = *m;
	u32 i, j;

	for (i = 0; i < v.p->in.nr_allocs; i++)
		if (!kept[i] && !is_pinned(m, i))
			v.now[i].seg = SYSTEM;
	for (i = first; i < end; i++) {
		u32 a = v.p->entries[i].alloc;

		if (a == NONE || v.now[a].seg != SYSTEM)
			continue;
		for (j = 0; j < v.p->allocs[a].nr_segs; j++) {
			u32 seg = v.p->allocs[a].segs[j];
			struct window w = best_place(&v, a, seg, false, false);

			if (!w.found)
				continue;
			v.now[a].seg = seg;
			v.now[a].at = w.at;
			break;
		}
		if (v.now[a].seg == SYSTEM)
			return false;
		to[a] = v.now[a];
	}
	return true;
}

/* Does the chain of moves that wait for each other lead from @a back to @a? */
static bool in_cycle(const struct model *m, const bool *moves, const struct place *to, u32 a)
{
	bool reach[MAX_ALLOCS] = {};
	bool more = true;
	u32 n = m->p->in.nr_allocs;
	u32 i, j;

	reach[a] = true;
	while (more) {
		more = false;
		for (i = 0; i < n; i++) {
			if (!reach[i] || !moves[i])
				continue;
			for (j = 0; j < n; j++) {
				if (j == i || !moves[j] || m->now[j].seg != to[i].seg ||
				    !overlap(to[i].at, size_of(m, i), m->now[j].at,
					     size_of(m, j)))
					continue;
				if (j == a)
					return true;
				more |= !reach[j];
				reach[j] = true;
			}
		}
	}
	return false;
}

/* Carry out a layout: note which allocations are expected to leave, move and enter. */
static const char *relocate(struct model *m, u32 first, u32 end, const struct place *to,
			    const struct vsplit_split_portion *q)
{
	bool moves[MAX_ALLOCS] = {}, item[MAX_ALLOCS] = {}, bounced[MAX_ALLOCS] = {};
	bool entered[VSPLIT_SPLIT_MAX_SEGMENTS] = {};
	u32 n = m->p->in.nr_allocs;
	struct place was[MAX_ALLOCS];
	u32 i, j;

	for (i = first; i < end; i++)
		if (m->p->entries[i].alloc != NONE && !m->set[m->p->entries[i].alloc] &&
		    !is_pinned(m, m->p->entries[i].alloc))
			item[m->p->entries[i].alloc] = true;
	memcpy(was, m->now, sizeof(was));
	for (i = 0; i < n; i++)
		moves[i] = item[i] && was[i].seg != SYSTEM && memory(m, was[i].seg) &&
			   memory(m, to[i].seg) &&
			   (was[i].seg != to[i].seg || was[i].at != to[i].at);
	for (i = 0; i < n; i++) {
		if (!moves[i])
			continue;
		for (j = q->first_op; j < q->first_op + q->nr_ops; j++)
			if (m->p->ops[j].alloc == i && m->p->ops[j].type == VSPLIT_SPLIT_EVICT)
				bounced[i] = true;
		if (bounced[i] && !in_cycle(m, moves, to, i))
			BAD("allocation %u goes through system memory without need", i);
	}
	/* Idle allocations in the way leave. */
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (item[i] && m->now[j].seg == to[i].seg && idle(m, j) &&
			    overlap(to[i].at, size_of(m, i), m->now[j].at, size_of(m, j)))
				leave(m, j);
	for (i = first; i < end; i++) {
		u32 a = m->p->entries[i].alloc;

		if (a == NONE || !item[a])
			continue;
		item[a] = false;
		if (was[a].seg == to[a].seg && was[a].at == to[a].at)
			continue;
		entered[to[a].seg] = true;
		if (moves[a] && !bounced[a]) {
			m->moved[a] = true;
			m->now[a] = to[a];
			continue;
		}
		if (was[a].seg != SYSTEM)
			leave(m, a);
		enter(m, a, to[a].seg, to[a].at);
	}
	for (i = 0; i < m->p->in.nr_segments; i++)
		if (entered[i])
			down_to_limit(m, i);
	return NULL;
}

static u32 count_out(const struct model *m)
{
	u32 nr = 0, i;

	for (i = 0; i < m->p->in.nr_allocs; i++)
		nr += m->out[i];
	return nr;
}

/*
 * Try a group before which the list is cut otherwise. Then all is taken back from the first member
 * on for which something has left, if that is not much.
 */
static bool try_or_cut(struct model *m, u32 first, u32 end, u32 *fail)
{
	static struct model calm;
	u32 i;

	for (i = first; i < end; i++) {
		calm = *m;
		if (!try_group(m, i, i + 1, fail))
			return false;
		if (count_out(m) != count_out(&calm))
			break;
	}
	if (i == end || try_group(m, i + 1, end, fail))
		return true;
	if (count_out(m) + m->nr_ins - count_out(&calm) - calm.nr_ins <= 16)
		*m = calm;
	return false;
}

/* Compare the operations expected before portion @k with the plan. */
static const char *close_portion(struct model *m, u32 k, u32 begin, u32 end, u32 first, u32 entry)
{
	const struct problem *p = m->p;
	const struct vsplit_split_portion *q = &p->portions[k];
	u32 i, ins = 0;

	if (k >= p->out.nr_portions)
		BAD("portion %u [0x%x, 0x%x) is missing", k, begin, end);
	if (q->begin != begin || q->end != end || q->first_entry != first ||
	    q->nr_entries != entry - first)
		BAD("portion %u is [0x%x, 0x%x), not [0x%x, 0x%x)", k, q->begin, q->end, begin, end);
	for (i = q->first_op; i < q->first_op + q->nr_ops; i++) {
		const struct vsplit_split_op *op = &p->ops[i];
		u32 a = op->alloc;
		bool *flag = op->type == VSPLIT_SPLIT_EVICT ? m->out :
			     op->type == VSPLIT_SPLIT_MOVE ? m->moved : m->in;

		if (!flag[a])
			BAD("op %u (type %u of allocation %u) is not expected", i, op->type, a);
		flag[a] = false;
		if (op->type != VSPLIT_SPLIT_PAGE_IN &&
		    (op->from_seg != m->start[a].seg || op->from != m->start[a].at * PAGE))
			BAD("op %u: from", i);
		if (op->type != VSPLIT_SPLIT_EVICT &&
		    (op->to_seg != m->now[a].seg || op->to != m->now[a].at * PAGE))
			BAD("op %u: allocation %u to %u@%llu, not %u@%llu", i, a, op->to_seg,
			    (unsigned long long)(op->to / PAGE), m->now[a].seg,
			    (unsigned long long)m->now[a].at);
		if (op->type == VSPLIT_SPLIT_PAGE_IN && m->ins[ins++] != a)
			BAD("op %u: order of page-ins", i);
	}
	for (i = 0; i < p->in.nr_allocs; i++) {
		if (m->out[i] || m->moved[i] || m->in[i])
			BAD("portion %u: an operation of allocation %u is missing", k, i);
		m->start[i] = m->now[i];
	}
	m->nr_ins = 0;
	return NULL;
}

static void apply(struct model *m, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++) {
		u32 a = m->p->entries[i].alloc;

		m->table[m->p->entries[i].slot] = a;
		if (a == NONE)
			continue;
		m->set[a] = true;
		m->used[a] = true;
		m->last_use[a] = i;
		m->fresh[a] = false;
		if (!(m->p->allocs[a].flags & VSPLIT_SPLIT_ALLOC_WRITE))
			continue;
		m->clear[a] = false;
		m->dirty[a] = memory(m, m->now[a].seg);
	}
}

const char *split_reference(const struct problem *p)
{
	static struct model m, saved;
	const struct vsplit_split_input *in = &p->in;
	u32 begin = 0, begin_entry = 0, k = 0;
	u32 first, end, fail = NONE;
	const char *bad;
	u32 i;

	memset(&m, 0, sizeof(m));
	m.p = p;
	for (i = 0; i < MAX_SLOTS; i++)
		m.table[i] = NONE;
	for (i = 0; i < in->nr_allocs; i++) {
		m.now[i].seg = p->allocs[i].seg;
		m.now[i].at = p->allocs[i].offset / PAGE;
		m.start[i] = m.now[i];
		m.dirty[i] = m.now[i].seg != SYSTEM && memory(&m, m.now[i].seg) &&
			       p->allocs[i].flags & VSPLIT_SPLIT_ALLOC_DIRTY;
		m.clear[i] = p->allocs[i].flags & VSPLIT_SPLIT_ALLOC_CLEAR;
		m.fresh[i] = p->allocs[i].flags & VSPLIT_SPLIT_ALLOC_DISCARD;
	}

	for (first = 0; first < in->nr_entries; first = end) {
		u32 split = p->entries[first].split;
		bool kept[MAX_ALLOCS] = {};
		struct place to[MAX_ALLOCS] = {};
		bool done = false;

		for (end = first; end < in->nr_entries && p->entries[end].split == split; end++)
			;
		m.at_entry = first;
		memset(m.group, 0, sizeof(m.group));
		for (i = first; i < end; i++)
			if (p->entries[i].alloc != NONE)
				m.group[p->entries[i].alloc] = true;

		if (split > begin) {
			if (!(in->flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT && split < in->length))
				done = try_or_cut(&m, first, end, &fail);
			if (!done) {
				bad = close_portion(&m, k++, begin, split, begin_entry, first);
				if (bad)
					return bad;
				begin = split;
				begin_entry = first;
				for (i = first; i < end; i++)
					m.table[p->entries[i].slot] = NONE;
				for (i = 0; i < in->nr_slots; i++)
					if (m.table[i] != NONE)
						kept[m.table[i]] = true;
				memcpy(m.set, kept, sizeof(m.set));
				for (i = 0; i < in->nr_allocs; i++)
					if (kept[i] && in->flags & VSPLIT_SPLIT_LEAK_DETECTION) {
						if (p->ret != -EPERM || p->out.nr_portions != k)
							BAD("leak at 0x%x not detected", split);
						return NULL;
					}
				for (i = 0; i < in->nr_allocs; i++)
					if (in->flags & VSPLIT_SPLIT_EVICT_BETWEEN && !kept[i] &&
					    !is_pinned(&m, i) && m.now[i].seg != SYSTEM)
						leave(&m, i);
			}
		}
		if (!done) {
			saved = m;
			if (!try_group(&m, first, end, &fail)) {
				bool listed;

				m = saved;
				listed = list_order_layout(&m, first, end, m.set, to);
				if (p->ret == -ENOSPC && p->out.nr_portions == k) {
					if (listed)
						BAD("list order fits at 0x%x", split);
					if (p->out.fail_entry != fail)
						BAD("fail entry %u, not %u", p->out.fail_entry,
						    fail);
					return NULL;
				}
				if (k >= p->out.nr_portions)
					BAD("portion %u from 0x%x is missing", k, split);
				for (i = first; i < end && !listed; i++)
					if (p->entries[i].alloc != NONE) {
						u32 a = p->entries[i].alloc;

						to[a].seg = p->binds[i].seg;
						to[a].at = p->binds[i].offset / PAGE;
					}
				for (i = 0; i < in->nr_allocs; i++)
					if (m.group[i] && to[i].seg != SYSTEM &&
					    to[i].seg >= in->nr_segments)
						BAD("allocation %u is bound nowhere", i);
				bad = relocate(&m, first, end, to, &p->portions[k]);
				if (bad)
					return bad;
			}
		}
		apply(&m, first, end);
	}
	bad = close_portion(&m, k++, begin, in->length, begin_entry, in->nr_entries);
	if (bad)
		return bad;
	if (p->ret)
		BAD("result %d, not 0", p->ret);
	if (k != p->out.nr_portions)
		BAD("%u portions, not %u", p->out.nr_portions, k);
	return NULL;
}

static bool same_plan(const struct problem *a, const struct problem *b)
{
	return a->ret == b->ret && a->out.nr_ops == b->out.nr_ops &&
	       a->out.nr_portions == b->out.nr_portions &&
	       a->out.fail_entry == b->out.fail_entry &&
	       !memcmp(a->ops, b->ops, a->out.nr_ops * sizeof(*a->ops)) &&
	       !memcmp(a->portions, b->portions, a->out.nr_portions * sizeof(*a->portions)) &&
	       !memcmp(a->binds, b->binds, sizeof(a->binds)) &&
	       !memcmp(a->final, b->final, sizeof(a->final));
}

/* Plan the same problem with one more flag. */
static void plan_with(struct problem *again, const struct problem *p, u32 flag)
{
	*again = *p;
	again->out.ops = again->ops;
	again->out.portions = again->portions;
	again->out.binds = again->binds;
	again->out.final = again->final;
	again->in.flags |= flag;
	problem_plan(again);
}

/* Same plan, except for binds behind the served part of a failed list, which have no meaning. */
static bool same_result(struct problem *again, const struct problem *p)
{
	u32 nr = p->in.nr_entries;

	if (p->ret == -ENOSPC || p->ret == -EPERM)
		nr = p->out.nr_portions ? p->portions[p->out.nr_portions - 1].first_entry +
					  p->portions[p->out.nr_portions - 1].nr_entries : 0;
	memcpy(&again->binds[nr], &p->binds[nr], sizeof(p->binds) - nr * sizeof(*p->binds));
	return same_plan(again, p);
}

/* With look-ahead, a list that fails is served or fails as before; other plans do not change. */
static const char *judge_look_ahead(const struct problem *p, u32 *ahead)
{
	static struct problem again;
	const char *bad = NULL;

	plan_with(&again, p, VSPLIT_SPLIT_LOOK_AHEAD);
	if (p->ret == -ENOSPC && !again.ret) {
		++*ahead;
		bad = split_check(&again, NULL);
	} else if (!same_result(&again, p)) {
		bad = "planned again, it is different";
	}
	if (bad)
		problem_print(&again);
	return bad;
}

/*
 * Planned cuts change only the plans of lists that have to be split, and make no list fail. @flag:
 * 0, or VSPLIT_SPLIT_AHEAD.
 */
static const char *judge_planned(const struct problem *p, bool legal_only, u32 flag)
{
	static struct problem again;
	const char *bad = NULL;

	plan_with(&again, p, VSPLIT_SPLIT_PLANNED | flag);
	/* With this flag split_check() accepts any cut, also in lists that no walk serves. */
	if (legal_only || p->ret == -ENOSPC)
		again.in.flags |= VSPLIT_SPLIT_LOOK_AHEAD;
	if (!again.ret && (p->ret == -ENOSPC || (!p->ret && p->out.nr_portions > 1)) &&
	    !(p->in.flags & (VSPLIT_SPLIT_TAKE_SPLIT_POINT | VSPLIT_SPLIT_LEAK_DETECTION)))
		bad = split_check(&again, NULL);
	else if (!same_result(&again, p))
		bad = "with cuts that save bytes, it is different";
	if (bad)
		problem_print(&again);
	return bad;
}

/* Did the walk in place cut before a group that fits, by the sizes, beside what it used? */
static bool is_wasteful(const struct problem *p)
{
	u32 k, i;

	for (k = 0; k + !p->ret < p->out.nr_portions; k++) {
		const struct vsplit_split_portion *q = &p->portions[k];
		u32 next = q->first_entry + q->nr_entries;
		u32 table[MAX_SLOTS];
		bool set[MAX_ALLOCS] = {};
		u64 need = 0, room = 0;

		memset(table, 0xff, sizeof(table));
		for (i = 0; i < next || (i < p->in.nr_entries &&
					 p->entries[i].split == p->entries[next].split); i++) {
			if (i < q->first_entry)
				table[p->entries[i].slot] = p->entries[i].alloc;
			else if (p->entries[i].split == q->begin)
				table[p->entries[i].slot] = NONE;
			if (i >= q->first_entry && p->entries[i].alloc != NONE)
				set[p->entries[i].alloc] = true;
		}
		for (i = 0; i < p->in.nr_slots; i++)
			if (table[i] != NONE)
				set[table[i]] = true;
		for (i = 0; i < p->in.nr_allocs; i++)
			if (set[i] || p->allocs[i].flags & VSPLIT_SPLIT_ALLOC_PINNED)
				need += p->allocs[i].size;
		for (i = 0; i < p->in.nr_fixed; i++)
			need += p->fixed[i].size;
		for (i = 0; i < p->in.nr_segments; i++)
			room += p->segments[i].size;
		if (need <= room)
			return true;
	}
	return false;
}

const char *split_judge(struct problem *p, u32 *packed, u32 *ahead, bool legal_only)
{
	static struct problem walked;
	static u32 unused;
	bool cuts_anywhere;
	const char *bad;

	if (p->in.flags & VSPLIT_SPLIT_PLANNED) {
		u32 flags = p->in.flags;

		/*
		 * A list that no walk serves first gets a place for everything, and is cut where
		 * that needs a cut.
		 */
		p->in.flags &= ~VSPLIT_SPLIT_PLANNED;
		cuts_anywhere = problem_plan(p) == -ENOSPC;
		p->in.flags = flags;
		problem_plan(p);
		p->in.flags |= cuts_anywhere ? VSPLIT_SPLIT_LOOK_AHEAD : 0;
		bad = split_check(p, packed);
		p->in.flags = flags;
		return bad;
	}
	p->in.flags |= VSPLIT_SPLIT_WALK_ONLY;
	problem_plan(p);
	bad = split_check(p, packed);
	if (!bad && !legal_only && !(p->in.flags & VSPLIT_SPLIT_RANDOM_PLACEMENT))
		bad = split_reference(p);
	if (bad)
		return bad;
	walked = *p;
	p->in.flags &= ~VSPLIT_SPLIT_WALK_ONLY;
	problem_plan(p);
	bad = judge_planned(p, legal_only, 0);
	bad = bad ?: judge_planned(p, legal_only, VSPLIT_SPLIT_AHEAD);
	if (bad)
		return bad;
	/* The plan is the walk's, or never runs out of memory, or lays out its portions. */
	if (same_result(&walked, p)) {
		bad = split_check(p, NULL);
		return bad ?: judge_look_ahead(p, ahead ?: &unused);
	}
	if (!walked.ret && walked.out.nr_portions == 1)
		BAD("the walk found one portion, and it was changed");
	if (p->in.flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT) {
		if (walked.ret != -ENOSPC)
			BAD("the walk worked with forced cuts, and it was changed");
	} else if (p->ret || (p->out.nr_portions != 1 && !is_wasteful(&walked))) {
		BAD("neither the walk's plan nor one portion, nor was that cut for fragmentation");
	}
	return split_check(p, NULL);
}
