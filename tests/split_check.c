// SPDX-License-Identifier: MIT
/*
 * Judges a plan by carrying it out.
 *
 * Segments and backing stores are arrays with one word for each page. Every operation moves words,
 * evicted ranges are overwritten with rubbish, and each portion checks that what it uses is at the
 * right place and has the right content. Tables, working sets and kept sets are computed from the
 * list for each portion, by scanning everything. To find out whether a cut or a failure was
 * justified, all offsets and all packings are tried.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "split_problem.h"

#define SEGS	VSPLIT_SPLIT_MAX_SEGMENTS
#define PAGES	512		/* largest segment, largest allocation */
#define RUBBISH	0xdeadbeefu

static char why[512];

#define BAD(...)							\
	do {								\
		snprintf(why, sizeof(why), __VA_ARGS__);		\
		return why;						\
	} while (0)

struct world {
	u32 mem[SEGS][PAGES];
	u32 back[MAX_ALLOCS][PAGES];
	u32 version[MAX_ALLOCS];	/* version of the right contents; 0: zeros */
	u32 next_version;
	u32 seg[MAX_ALLOCS];
	u64 at[MAX_ALLOCS];
	bool dirty[MAX_ALLOCS];		/* as the rules demand */
	bool clear[MAX_ALLOCS];
	bool entered[MAX_ALLOCS];	/* paged in or used in this buffer */
	bool used[MAX_ALLOCS];
	u32 last_portion[MAX_ALLOCS];
	u32 last_op[MAX_ALLOCS];
	bool evicted[MAX_ALLOCS];	/* its last operation evicted it from memory */
	u32 busy[SEGS][PAGES];		/* one more than the last portion that used the page */
	u32 done;			/* number of portions that the operations have waited for */
};

static u32 word(u32 a, u32 version, u32 page)
{
	return version ? (a + 1) * 0x01000193u ^ version * 0x9e3779b1u ^ page * 0x85ebca6bu : 0;
}

static u32 pages_of(const struct problem *p, u32 a)
{
	return p->allocs[a].size / PAGE;
}

static bool aperture(const struct problem *p, u32 seg)
{
	return p->segments[seg].flags & VSPLIT_SPLIT_SEG_APERTURE;
}

static bool may(const struct problem *p, u32 a, u32 seg)
{
	u32 i;

	for (i = 0; i < p->allocs[a].nr_segs; i++)
		if (p->allocs[a].segs[i] == seg)
			return true;
	return false;
}

static bool pinned(const struct problem *p, u32 a)
{
	return p->allocs[a].flags & VSPLIT_SPLIT_ALLOC_PINNED;
}

/* Is the range inside the segment and free of others? */
static bool vacant(const struct problem *p, const struct world *w, u32 a, u32 seg, u64 at)
{
	u64 end = at + pages_of(p, a);
	u32 i;

	if (end > p->segments[seg].size / PAGE)
		return false;
	for (i = 0; i < p->in.nr_fixed; i++) {
		u64 from = p->fixed[i].start / PAGE;

		if (p->fixed[i].seg == seg && from < end &&
		    at < from + p->fixed[i].size / PAGE)
			return false;
	}
	for (i = 0; i < p->in.nr_allocs; i++)
		if (i != a && w->seg[i] == seg && w->at[i] < end &&
		    at < w->at[i] + pages_of(p, i))
			return false;
	return true;
}

static u64 committed(const struct problem *p, const struct world *w, u32 seg)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < p->in.nr_fixed; i++)
		if (p->fixed[i].seg == seg)
			sum += p->fixed[i].size / PAGE;
	for (i = 0; i < p->in.nr_allocs; i++)
		if (w->seg[i] == seg)
			sum += pages_of(p, i);
	return sum;
}

/* Do the limits allow @pages more in a segment? */
static bool may_commit(const struct problem *p, const struct world *w, u32 seg, u64 pages)
{
	u64 sum = 0;
	u32 i;

	if (committed(p, w, seg) + pages > p->segments[seg].commit_limit / PAGE)
		return false;
	if (!p->in.aperture_limit || !aperture(p, seg))
		return true;
	for (i = 0; i < p->in.nr_segments; i++)
		if (aperture(p, i))
			sum += committed(p, w, i);
	return sum + pages <= p->in.aperture_limit / PAGE;
}

static void world_init(const struct problem *p, struct world *w)
{
	u32 i, j;

	memset(w, 0, sizeof(*w));
	w->next_version = 1;
	for (i = 0; i < SEGS; i++)
		for (j = 0; j < PAGES; j++)
			w->mem[i][j] = RUBBISH;
	for (i = 0; i < p->in.nr_allocs; i++) {
		const struct vsplit_split_alloc *a = &p->allocs[i];

		w->clear[i] = a->flags & VSPLIT_SPLIT_ALLOC_CLEAR;
		w->version[i] = w->clear[i] ? 0 : w->next_version++;
		for (j = 0; j < pages_of(p, i); j++)
			w->back[i][j] = word(i, w->version[i], j);
		w->seg[i] = a->seg;
		w->at[i] = a->offset / PAGE;
		w->last_portion[i] = NONE;
		w->last_op[i] = NONE;
		if (a->seg == SYSTEM || aperture(p, a->seg))
			continue;
		if (a->flags & VSPLIT_SPLIT_ALLOC_DIRTY) {
			w->dirty[i] = true;
			w->version[i] = w->next_version++;
		}
		for (j = 0; j < pages_of(p, i); j++)
			w->mem[a->seg][w->at[i] + j] = word(i, w->version[i], j);
	}
}

/* Operations wait in order: are all portions done that use what this one reads or overwrites? */
static const char *check_after(const struct problem *p, struct world *w, u32 nr)
{
	const struct vsplit_split_op *op = &p->ops[nr];
	u32 j;

	if (!(p->in.flags & VSPLIT_SPLIT_AHEAD) && op->after != op->portion)
		BAD("op %u: after %u portions, not %u", nr, op->after, op->portion);
	if (op->after > op->portion)
		BAD("op %u: after %u portions, before portion %u", nr, op->after, op->portion);
	if (w->done < op->after)
		w->done = op->after;
	for (j = 0; j < pages_of(p, op->alloc); j++)
		if ((op->from_seg != SYSTEM &&
		     w->busy[op->from_seg][op->from / PAGE + j] > w->done) ||
		    (op->to_seg != SYSTEM && w->busy[op->to_seg][op->to / PAGE + j] > w->done))
			BAD("op %u: beside a portion that uses page %u of its range", nr, j);
	return NULL;
}

static const char *do_op(const struct problem *p, struct world *w, u32 nr)
{
	const struct vsplit_split_op *op = &p->ops[nr];
	u64 from = op->from / PAGE, to = op->to / PAGE;
	u32 tmp[PAGES];
	u32 a = op->alloc;
	u32 n, j;

	if (a >= p->in.nr_allocs)
		BAD("op %u: no such allocation", nr);
	n = pages_of(p, a);
	if (op->from % PAGE || op->to % PAGE)
		BAD("op %u: not on a page", nr);
	if (op->from_seg != w->seg[a] || (op->from_seg != SYSTEM && from != w->at[a]))
		BAD("op %u: allocation %u is not there", nr, a);
	if (op->to_seg != SYSTEM) {
		bool stage = op->portion == p->out.nr_portions &&
			     p->allocs[a].evict_set & (1u << op->to_seg);

		if (op->to_seg >= p->in.nr_segments || (!may(p, a, op->to_seg) && !stage))
			BAD("op %u: allocation %u must not go to segment %u", nr, a, op->to_seg);
		if (op->to % p->allocs[a].align)
			BAD("op %u: alignment", nr);
		if (!vacant(p, w, a, op->to_seg, to))
			BAD("op %u: target of allocation %u is not vacant", nr, a);
	}
	w->last_op[a] = nr;
	w->evicted[a] = op->type == VSPLIT_SPLIT_EVICT && op->from_seg != SYSTEM &&
			!aperture(p, op->from_seg);

	switch (op->type) {
	case VSPLIT_SPLIT_EVICT:
		if (op->from_seg == SYSTEM || op->to_seg != SYSTEM)
			BAD("op %u: evict from or to nowhere", nr);
		if (op->flags != (w->dirty[a] ? VSPLIT_SPLIT_OP_TRANSFER : 0))
			BAD("op %u: evict flags 0x%x of a %s allocation", nr, op->flags,
			    w->dirty[a] ? "dirty" : "clean");
		if (!aperture(p, op->from_seg))
			for (j = 0; j < n; j++) {
				if (op->flags & VSPLIT_SPLIT_OP_TRANSFER)
					w->back[a][j] = w->mem[op->from_seg][from + j];
				w->mem[op->from_seg][from + j] = RUBBISH;
			}
		if (w->dirty[a])
			w->clear[a] = false;
		w->dirty[a] = false;
		break;
	case VSPLIT_SPLIT_PAGE_IN:
		if (op->from_seg != SYSTEM || op->to_seg == SYSTEM)
			BAD("op %u: page-in from or to nowhere", nr);
		if (aperture(p, op->to_seg)) {
			if (op->flags)
				BAD("op %u: flags of a map", nr);
		} else if (w->clear[a] || (p->allocs[a].flags & VSPLIT_SPLIT_ALLOC_DISCARD &&
					   !w->entered[a])) {
			if (op->flags != VSPLIT_SPLIT_OP_FILL)
				BAD("op %u: should be a fill", nr);
			for (j = 0; j < n; j++)
				w->mem[op->to_seg][to + j] = 0;
			w->version[a] = 0;
			w->dirty[a] = !w->clear[a];
		} else {
			if (op->flags != VSPLIT_SPLIT_OP_TRANSFER)
				BAD("op %u: should be a transfer", nr);
			for (j = 0; j < n; j++)
				w->mem[op->to_seg][to + j] = w->back[a][j];
		}
		w->entered[a] = true;
		break;
	case VSPLIT_SPLIT_MOVE:
		if (op->from_seg == SYSTEM || op->to_seg == SYSTEM ||
		    aperture(p, op->from_seg) || aperture(p, op->to_seg))
			BAD("op %u: a move is from memory to memory", nr);
		if (op->flags != VSPLIT_SPLIT_OP_TRANSFER)
			BAD("op %u: flags of a move", nr);
		if (op->from_seg == op->to_seg && from == to)
			BAD("op %u: moves nowhere", nr);
		memcpy(tmp, &w->mem[op->from_seg][from], n * sizeof(u32));
		for (j = 0; j < n; j++)
			w->mem[op->from_seg][from + j] = RUBBISH;
		memcpy(&w->mem[op->to_seg][to], tmp, n * sizeof(u32));
		break;
	default:
		BAD("op %u: type %u", nr, op->type);
	}
	w->seg[a] = op->to_seg;
	w->at[a] = to;
	return NULL;
}

/* The resource table before the entries from @end on take effect. */
static void table_before(const struct problem *p, u32 end, u32 *table)
{
	u32 i;

	for (i = 0; i < p->in.nr_slots; i++)
		table[i] = NONE;
	for (i = 0; i < end; i++)
		table[p->entries[i].slot] = p->entries[i].alloc;
}

static u32 group_end(const struct problem *p, u32 first)
{
	u32 i = first;

	while (i < p->in.nr_entries && p->entries[i].split == p->entries[first].split)
		i++;
	return i;
}

/*
 * Kept(S) for a cut at offset S (@at) before entry @first. Nothing is bound before the first
 * portion.
 */
static void kept_at(const struct problem *p, u32 first, u32 at, bool *kept)
{
	u32 table[MAX_SLOTS];
	u32 i;

	table_before(p, first, table);
	for (i = first; i < p->in.nr_entries && p->entries[i].split == at; i++)
		table[p->entries[i].slot] = NONE;
	memset(kept, 0, MAX_ALLOCS * sizeof(*kept));
	for (i = 0; i < p->in.nr_slots; i++)
		if (table[i] != NONE)
			kept[table[i]] = true;
}

/* Is there any place for @a beside @stays, pinned allocations and fixed ranges? */
static bool any_place(const struct problem *p, const struct world *w, u32 a, const bool *stays)
{
	struct world v = *w;
	u32 i, j;
	u64 at;

	for (i = 0; i < p->in.nr_allocs; i++)
		if (!stays[i] && !pinned(p, i))
			v.seg[i] = SYSTEM;
	v.seg[a] = SYSTEM;
	for (i = 0; i < p->allocs[a].nr_segs; i++) {
		u32 seg = p->allocs[a].segs[i];

		j = pages_of(p, a);
		if (!may_commit(p, &v, seg, j))
			continue;
		for (at = 0; at + j <= p->segments[seg].size / PAGE; at++)
			if (!(at * PAGE % p->allocs[a].align) && vacant(p, &v, a, seg, at))
				return true;
	}
	return false;
}

/* Try all packings. Returns 1: one fits; 0: none fits; -1: it would take too long. */
static int packs(const struct problem *p, const struct world *w, u32 first, u32 end,
		 const bool *kept)
{
	static u8 busy[SEGS][PAGES];
	struct subset_item items[SUBSET_MAX];
	const u8 *rows[SEGS];
	u32 sizes[SEGS];
	u64 room[SEGS];
	bool seen[MAX_ALLOCS] = {};
	struct world v = *w;
	u32 nr = 0;
	u32 i, j;

	/* subset_packs() knows only limits of single segments. */
	if (p->in.aperture_limit)
		return -1;
	for (i = first; i < end; i++) {
		u32 a = p->entries[i].alloc;

		if (a == NONE || seen[a] || kept[a] || pinned(p, a))
			continue;
		seen[a] = true;
		if (nr == SUBSET_MAX)
			return -1;
		items[nr].pages = pages_of(p, a);
		items[nr].align = p->allocs[a].align / PAGE;
		items[nr].segs = 0;
		for (j = 0; j < p->allocs[a].nr_segs; j++)
			items[nr].segs |= 1u << p->allocs[a].segs[j];
		nr++;
	}
	for (i = 0; i < p->in.nr_allocs; i++)
		if (!kept[i] && !pinned(p, i))
			v.seg[i] = SYSTEM;
	memset(busy, 0, sizeof(busy));
	for (i = 0; i < p->in.nr_segments; i++) {
		u64 limit = p->segments[i].commit_limit / PAGE;
		u64 sum = committed(p, &v, i);

		rows[i] = busy[i];
		sizes[i] = p->segments[i].size / PAGE;
		room[i] = sum < limit ? limit - sum : 0;
	}
	for (i = 0; i < p->in.nr_allocs; i++)
		if (v.seg[i] != SYSTEM)
			memset(busy[v.seg[i]] + v.at[i], 1, pages_of(p, i));
	for (i = 0; i < p->in.nr_fixed; i++)
		memset(busy[p->fixed[i].seg] + p->fixed[i].start / PAGE, 1,
		       p->fixed[i].size / PAGE);
	if (subset_steps(nr, p->in.nr_segments, sizes, rows) > SUBSET_STEPS)
		return -1;
	return subset_packs(nr, items, p->in.nr_segments, sizes, rows, room);
}

/*
 * A cut for low memory at the group from @first on, with @stays in the way: the first member that
 * is not in its place yet must have no place, unless there are more of them: then places may have
 * been taken back. Members that are in their places are in the way, too. Sets @entry to the entry
 * of that member.
 */
static const char *check_low_memory(const struct problem *p, const struct world *w, u32 first,
				    const bool *stays, u32 *entry)
{
	bool all[MAX_ALLOCS];
	u32 end = group_end(p, first);
	u32 placed = NONE;
	u32 i;

	memcpy(all, stays, sizeof(all));
	for (i = first; i < end; i++)
		if (p->entries[i].alloc != NONE)
			all[p->entries[i].alloc] = true;
	for (i = first; i < end; i++) {
		u32 a = p->entries[i].alloc;

		if (a == NONE || (w->seg[a] != SYSTEM && may(p, a, w->seg[a])))
			continue;
		if (placed != NONE && placed != a)
			return NULL;
		*entry = i;
		if (!any_place(p, w, a, all))
			return NULL;
		placed = a;
	}
	if (placed != NONE)
		BAD("cut at 0x%x: there is a place for allocation %u", p->entries[first].split,
		    placed);
	BAD("cut at 0x%x: all of the group is resident", p->entries[first].split);
}

/*
 * May a cut before portion @k save bytes? It may if a member of the working set @set leaves its
 * place, or if several members of the group come in or move: then it is unknown which of them had
 * no place.
 */
static bool may_save(const struct problem *p, u32 k, const bool *set)
{
	u32 end = group_end(p, p->portions[k].first_entry);
	u32 entering = 0;
	u32 i, j;

	for (i = p->portions[k].first_op; i < p->portions[k].first_op + p->portions[k].nr_ops; i++) {
		if (p->ops[i].type != VSPLIT_SPLIT_PAGE_IN && set[p->ops[i].alloc])
			return true;
		for (j = p->portions[k].first_entry; j < end; j++)
			if (p->ops[i].type != VSPLIT_SPLIT_EVICT &&
			    p->entries[j].alloc == p->ops[i].alloc)
				break;
		entering += j < end;
	}
	return entering > 1;
}

/* Where paging overlaps portions: is the working set @set large enough to justify a cut? */
static bool is_large(const struct problem *p, const struct world *w, const bool *set)
{
	u64 used = 0, all = 0;
	u32 i;

	for (i = 0; i < p->in.nr_segments; i++)
		all += aperture(p, i) ? 0 : p->segments[i].size / 16;
	for (i = 0; i < p->in.nr_allocs; i++)
		used += set[i] && !aperture(p, w->seg[i]) ? p->allocs[i].size : 0;
	return used && used >= all;
}

/* An evicted allocation must be in the way of another one. */
static const char *check_eviction(const struct problem *p, const struct vsplit_split_portion *q,
				  const struct vsplit_split_op *op)
{
	const struct vsplit_split_segment *s = &p->segments[op->from_seg];
	u64 end = op->from + p->allocs[op->alloc].size;
	u32 i;

	if (p->in.flags & VSPLIT_SPLIT_EVICT_BETWEEN || s->commit_limit < s->size ||
	    (p->in.aperture_limit && aperture(p, op->from_seg)))
		return NULL;
	for (i = q->first_op; i < q->first_op + q->nr_ops; i++) {
		const struct vsplit_split_op *other = &p->ops[i];

		if (other->type == VSPLIT_SPLIT_PAGE_IN && other->alloc == op->alloc)
			return NULL;
		if (other->to_seg == op->from_seg && other->to < end &&
		    op->from < other->to + p->allocs[other->alloc].size)
			return NULL;
	}
	BAD("allocation %u is evicted for nothing", op->alloc);
}

/* Is there room for @a beside all others? */
static bool room_for(const struct problem *p, const struct world *w, u32 a, u32 seg)
{
	u64 at;

	if (!may_commit(p, w, seg, pages_of(p, a)))
		return false;
	for (at = 0; at + pages_of(p, a) <= p->segments[seg].size / PAGE; at++)
		if (!(at * PAGE % p->allocs[a].align) && vacant(p, w, a, seg, at))
			return true;
	return false;
}

/*
 * Behind the last portion: each evicted allocation goes to the first segment of its eviction set
 * that has room, in the order of the evictions, and none is left out.
 */
static const char *check_stage(const struct problem *p, struct world *w, u32 op)
{
	u32 left = 0;
	const char *bad;
	u32 i, j;

	for (; op < p->out.nr_ops; op++) {
		const struct vsplit_split_op *o = &p->ops[op];
		u32 a = o->alloc;

		if (o->portion != p->out.nr_portions || o->type != VSPLIT_SPLIT_PAGE_IN ||
		    !w->evicted[a] || w->last_op[a] < left)
			BAD("op %u is outside of portions, and maps nothing that was evicted", op);
		for (j = 0; j < o->to_seg; j++)
			if (p->allocs[a].evict_set & (1u << j) && room_for(p, w, a, j))
				BAD("op %u: segment %u of the eviction set has room", op, j);
		left = w->last_op[a];
		bad = do_op(p, w, op);
		if (bad)
			return bad;
		if (!may_commit(p, w, o->to_seg, 0))
			BAD("op %u: commit limit of segment %u", op, o->to_seg);
	}
	for (i = 0; i < p->in.nr_allocs; i++)
		for (j = 0; w->evicted[i] && j < p->in.nr_segments; j++)
			if (p->allocs[i].evict_set & (1u << j) && room_for(p, w, i, j))
				BAD("allocation %u could go to segment %u of its eviction set", i, j);
	return NULL;
}

static const char *check_final(const struct problem *p, const struct world *w)
{
	u32 i, j;

	for (i = 0; i < p->in.nr_allocs; i++) {
		const struct vsplit_split_final *f = &p->final[i];
		bool in_memory = w->seg[i] != SYSTEM && !aperture(p, w->seg[i]);

		if (f->seg != w->seg[i] || (f->seg != SYSTEM && f->offset / PAGE != w->at[i]))
			BAD("final place of allocation %u", i);
		if (f->last_portion != w->last_portion[i])
			BAD("last portion of allocation %u: %d, not %d", i, (int)f->last_portion,
			    (int)w->last_portion[i]);
		if (f->last_op != w->last_op[i])
			BAD("last op of allocation %u: %d, not %d", i, (int)f->last_op,
			    (int)w->last_op[i]);
		if (f->flags != ((w->dirty[i] ? VSPLIT_SPLIT_ALLOC_DIRTY : 0) |
				 (w->clear[i] ? VSPLIT_SPLIT_ALLOC_CLEAR : 0)))
			BAD("final flags 0x%x of allocation %u", f->flags, i);
		/* Check that the flags tell the truth. */
		if (w->dirty[i] && !in_memory)
			BAD("allocation %u is dirty outside of memory", i);
		for (j = 0; j < pages_of(p, i); j++) {
			u32 is = in_memory ? w->mem[w->seg[i]][w->at[i] + j] : w->back[i][j];

			if (is != word(i, w->version[i], j))
				BAD("bytes of allocation %u are lost", i);
			if (!w->dirty[i] && w->back[i][j] != is)
				BAD("allocation %u is clean, but its backing store differs", i);
			if (w->clear[i] && w->back[i][j])
				BAD("allocation %u is clear, but not zero", i);
		}
	}
	return NULL;
}

/* An idle allocation moves down in its segment before a page-in there: see vsplit_slide.c. */
static bool makes_room(const struct problem *p, const struct vsplit_split_portion *q,
		       const struct vsplit_split_op *move)
{
	const struct vsplit_split_op *o;

	if (!(p->in.flags & VSPLIT_SPLIT_PLANNED) || move->from_seg != move->to_seg ||
	    move->to >= move->from)
		return false;
	for (o = move + 1; o < &p->ops[q->first_op + q->nr_ops]; o++)
		if (o->type == VSPLIT_SPLIT_PAGE_IN && o->to_seg == move->to_seg)
			return true;
	return false;
}

/* A list that fits together is not split, and does not fail (SPLIT-2). */
static const char *check_not_split(const struct problem *p, const struct world *w)
{
	const bool none[MAX_ALLOCS] = {};
	bool forced = p->in.flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT;

	if (p->in.flags & VSPLIT_SPLIT_WALK_ONLY || (!p->ret && p->out.nr_portions == 1))
		return NULL;
	/* An allocation that a forced cut evicts need not get its place back. */
	if (forced && (p->in.flags & VSPLIT_SPLIT_EVICT_BETWEEN || p->ret != -ENOSPC))
		return NULL;
	if (packs(p, w, 0, p->in.nr_entries, none) == 1)
		BAD("everything fits together, but is split or fails");
	return NULL;
}

const char *split_check(const struct problem *p, u32 *packed)
{
	static struct world w;
	const struct vsplit_split_output *out = &p->out;
	u32 n = p->in.nr_entries;
	bool kept[MAX_ALLOCS] = {}, set[MAX_ALLOCS], stays[MAX_ALLOCS];
	u64 before[SEGS];
	u32 begin = 0, entry = 0, op = 0;
	const char *bad;
	u32 k, i, j;

	if (p->ret && p->ret != -ENOSPC && p->ret != -EPERM)
		BAD("result %d", p->ret);
	if (out->nr_portions > out->max_portions || out->nr_ops > out->max_ops)
		BAD("more than fits, and no error");
	if (!p->ret && out->fail_entry != NONE)
		BAD("failed entry without failure");
	for (i = 0; i < p->in.nr_segments; i++)
		if (p->segments[i].size / PAGE > PAGES)
			BAD("this check is for small segments");
	world_init(p, &w);
	bad = check_not_split(p, &w);
	if (bad)
		return bad;

	for (k = 0; k < out->nr_portions; k++) {
		const struct vsplit_split_portion *q = &p->portions[k];
		bool last = !p->ret && k + 1 == out->nr_portions;
		u32 limit, kind = 0, at;
		bool was_in[MAX_ALLOCS];

		/* Portions follow each other without a gap, and end at a group. */
		if (q->begin != begin || q->end <= begin || q->first_entry != entry ||
		    q->first_op != op)
			BAD("portion %u does not follow", k);
		if (q->first_entry + q->nr_entries > n || q->first_op + q->nr_ops > out->nr_ops)
			BAD("portion %u has more than there is", k);
		entry += q->nr_entries;
		if (last ? q->end != p->in.length || entry != n :
			   entry >= n || q->end != p->entries[entry].split)
			BAD("portion %u ends at 0x%x", k, q->end);
		for (i = q->first_entry; i < entry; i++)
			if (p->entries[i].split < begin ||
			    (p->entries[i].split >= q->end && p->entries[i].split < p->in.length))
				BAD("entry %u is in portion %u", i, k);
		if (p->in.flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT)
			for (i = q->first_entry; i < entry; i++)
				if (p->entries[i].split > begin &&
				    p->entries[i].split < p->in.length)
					BAD("split point 0x%x was not taken", p->entries[i].split);

		/* The allocations kept at its start, and its working set. */
		if (k)
			kept_at(p, q->first_entry, begin, kept);
		for (i = 0; k && i < p->in.nr_allocs; i++)
			if (kept[i] && p->in.flags & VSPLIT_SPLIT_LEAK_DETECTION)
				BAD("portion %u keeps allocation %u in spite of leak detection",
				    k, i);
		memcpy(set, kept, sizeof(set));
		for (i = q->first_entry; i < entry; i++)
			if (p->entries[i].alloc != NONE)
				set[p->entries[i].alloc] = true;
		for (i = 0; i < p->in.nr_segments; i++)
			before[i] = committed(p, &w, i);
		for (i = 0; i < p->in.nr_allocs; i++)
			was_in[i] = w.seg[i] != SYSTEM;

		/*
		 * Its operations: page-ins are in list order, and may be those of the next group.
		 */
		limit = last ? n : group_end(p, entry);
		/*
		 * If forced cuts begin with everything moved together, page-ins may be of any
		 * group.
		 */
		if (!k && p->in.flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT &&
		    !(p->in.flags & VSPLIT_SPLIT_WALK_ONLY))
			limit = n;
		at = q->first_entry;
		/* Up to the next cut, allocations that moved for others stay as well. */
		memcpy(stays, set, sizeof(stays));
		for (op = q->first_op; op < q->first_op + q->nr_ops; op++) {
			const struct vsplit_split_op *o = &p->ops[op];
			static const u32 turn[] = { 0, 2, 1 };
			bool slid;

			bad = do_op(p, &w, op);
			bad = bad ?: check_after(p, &w, op);
			if (bad)
				return bad;
			if (o->portion != k)
				BAD("op %u: portion %u", op, o->portion);
			if (o->type == VSPLIT_SPLIT_PAGE_IN && !may_commit(p, &w, o->to_seg, 0) &&
			    committed(p, &w, o->to_seg) > before[o->to_seg])
				BAD("op %u: commit limit of segment %u", op, o->to_seg);
			if (kept[o->alloc])
				BAD("op %u: allocation %u is kept", op, o->alloc);
			if (pinned(p, o->alloc))
				BAD("op %u: allocation %u is pinned", op, o->alloc);
			if (turn[o->type] < kind && !(p->in.flags & VSPLIT_SPLIT_AHEAD))
				BAD("op %u: evictions, moves, page-ins", op);
			kind = turn[o->type];
			slid = o->type == VSPLIT_SPLIT_MOVE && !set[o->alloc];
			if (slid && limit < n && !makes_room(p, q, o))
				BAD("op %u: allocation %u moves, but has no reason", op, o->alloc);
			stays[o->alloc] |= slid;
			if (o->type == VSPLIT_SPLIT_EVICT) {
				bad = check_eviction(p, q, o);
				if (bad)
					return bad;
			}
			if (o->type != VSPLIT_SPLIT_PAGE_IN)
				continue;
			while (at < limit && p->entries[at].alloc != o->alloc)
				at++;
			if (at == limit)
				BAD("op %u: page-in of allocation %u not in list order", op,
				    o->alloc);
		}
		for (i = 0; i < p->in.nr_segments; i++)
			if (!may_commit(p, &w, i, 0) && committed(p, &w, i) > before[i])
				BAD("portion %u: commit limit of segment %u", k, i);
		if (k && p->in.flags & VSPLIT_SPLIT_EVICT_BETWEEN)
			for (i = 0; i < p->in.nr_allocs; i++) {
				if (!was_in[i] || kept[i] || pinned(p, i))
					continue;
				for (j = q->first_op; j < q->first_op + q->nr_ops; j++)
					if (p->ops[j].type == VSPLIT_SPLIT_EVICT &&
					    p->ops[j].alloc == i)
						break;
				if (j == q->first_op + q->nr_ops)
					BAD("portion %u: allocation %u was not evicted", k, i);
			}

		/* Run the portion. */
		for (i = 0; i < p->in.nr_allocs; i++) {
			if (!set[i])
				continue;
			if (w.seg[i] == SYSTEM || !may(p, i, w.seg[i]))
				BAD("portion %u: allocation %u is not there", k, i);
			for (j = 0; j < pages_of(p, i); j++) {
				u32 *where = aperture(p, w.seg[i]) ?
					     &w.back[i][j] : &w.mem[w.seg[i]][w.at[i] + j];

				if (*where != word(i, w.version[i], j))
					BAD("portion %u: bytes of allocation %u", k, i);
				w.busy[w.seg[i]][w.at[i] + j] = k + 1;
			}
			w.entered[i] = true;
			w.last_portion[i] = k;
			if (!(p->allocs[i].flags & VSPLIT_SPLIT_ALLOC_WRITE))
				continue;
			w.version[i] = w.next_version++;
			w.clear[i] = false;
			w.dirty[i] = !aperture(p, w.seg[i]);
			for (j = 0; j < pages_of(p, i); j++) {
				u32 *where = aperture(p, w.seg[i]) ?
					     &w.back[i][j] : &w.mem[w.seg[i]][w.at[i] + j];

				*where = word(i, w.version[i], j);
			}
		}
		for (i = q->first_entry; i < entry; i++) {
			u32 a = p->entries[i].alloc;

			if (p->binds[i].seg != (a == NONE ? SYSTEM : w.seg[a]))
				BAD("bind of entry %u", i);
			if (p->binds[i].offset != (a == NONE ? 0 : w.at[a] * PAGE))
				BAD("bind of entry %u", i);
		}

		/* Was it right to end the portion here? */
		if (!last && !(p->in.flags & (VSPLIT_SPLIT_TAKE_SPLIT_POINT |
					      VSPLIT_SPLIT_LOOK_AHEAD))) {
			bad = check_low_memory(p, &w, entry, stays, &j);
			if (bad && !(p->in.flags & VSPLIT_SPLIT_PLANNED &&
				     k + 1 < out->nr_portions &&
				     (p->in.flags & VSPLIT_SPLIT_AHEAD ?
				      p->portions[k + 1].nr_ops || is_large(p, &w, set) :
				      may_save(p, k + 1, stays))))
				return bad;
		}
		begin = q->end;
	}
	bad = check_stage(p, &w, op);
	if (bad)
		return bad;
	if (!p->ret) {
		if (begin != p->in.length)
			BAD("the last portion ends at 0x%x", begin);
		return check_final(p, &w);
	}

	/* Was it right to give up? */
	if (out->fail_entry >= n || out->fail_entry < entry ||
	    p->entries[out->fail_entry].split != begin || p->entries[entry].split != begin)
		BAD("fail entry %u", out->fail_entry);
	memset(kept, 0, sizeof(kept));
	if (out->nr_portions)
		kept_at(p, entry, begin, kept);
	if (p->ret == -EPERM) {
		if (!(p->in.flags & VSPLIT_SPLIT_LEAK_DETECTION))
			BAD("leak detection without being asked");
		for (i = 0; i < p->in.nr_allocs; i++)
			if (kept[i])
				return check_final(p, &w);
		BAD("nothing leaks at 0x%x", begin);
	}
	switch (packs(p, &w, entry, group_end(p, entry), kept)) {
	case 1:
		BAD("the group at 0x%x can be packed", begin);
	case 0:
		if (packed)
			++*packed;
	}
	return check_final(p, &w);
}
