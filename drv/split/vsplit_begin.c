// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What a plan begins with: the workspace, the input, and where everything is.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: The state before the first entry
 *
 * The planner allocates no memory. Its caller asks for the size of a workspace, which depends on
 * the counts, the alignments and the flags of the input alone, and all arrays are carved from this
 * workspace. Where a sanitizer looks, a guard follows each array.
 *
 * A list may be walked more than once. Each walk starts again in the same memory, with everything
 * where the input has it. Only the counts of steps, the homes (vsplit_home.c) and how early paging
 * should be (vsplit_lead.c) pass from one walk to the next.
 *
 * Each walk links the entries here, from the last one to the first: each entry to the next one with
 * the same allocation, and to the next one with the same slot. So a walk need not search for the
 * next use of an allocation or a slot.
 */

/* Return the start of the next array of the workspace, or NULL while only sizes are wanted. */
static void *vsplit_split_carve(char *base, u64 *at, u64 count, size_t size)
{
	void *p = base ? base + *at : NULL;

	*at += (count * size + 7) & ~7ULL;
	if (base)
		vsplit_split_guard(base + *at, VSPLIT_SPLIT_REDZONE);
	*at += VSPLIT_SPLIT_REDZONE;
	return p;
}

/* The largest alignment that matters: no offset in a segment but 0 is aligned to more than this. */
static u64 vsplit_split_useful_align(const struct vsplit_split_input *in)
{
	u64 most = in->page ? in->page : 1;
	u32 i;

	for (i = 0; i < in->nr_segments && i < VSPLIT_SPLIT_MAX_SEGMENTS; i++)
		while (most < in->segments[i].size && most < VSPLIT_SPLIT_MAX_BYTES)
			most *= 2;
	return most;
}

/* The set of alignments: a bit for each power of two. */
static u64 vsplit_split_aligns(const struct vsplit_split_input *in)
{
	u64 most = vsplit_split_useful_align(in);
	u64 set = 0;
	u32 i;

	for (i = 0; i < in->nr_allocs; i++)
		set |= min(in->allocs[i].align, most);
	return set;
}

static u64 vsplit_split_layout(const struct vsplit_split_input *in, struct vsplit_split_ctx *ctx,
			       char *base)
{
	u64 nodes = (u64)in->nr_allocs + in->nr_fixed + in->nr_segments;
	u64 gaps = min(nodes, VSPLIT_SPLIT_SEARCH_GAPS);
	u64 items = min(nodes, VSPLIT_SPLIT_SEARCH_ITEMS);
	u64 at = (sizeof(*ctx) + 7) & ~7ULL;
	u32 nr_aligns = hweight64(vsplit_split_aligns(in));
	u32 i;

	for (i = 0; i < VSPLIT_SPLIT_TREES; i++) {
		struct vsplit_split_tree *t = &ctx->tree[i];

		t->link = vsplit_split_carve(base, &at, nodes, sizeof(*t->link));
		t->holes = NULL;
		if (i != VSPLIT_SPLIT_RANK)
			t->holes = vsplit_split_carve(base, &at, nodes * nr_aligns,
						      sizeof(*t->holes));
	}
	ctx->size = vsplit_split_carve(base, &at, nodes, sizeof(*ctx->size));
	ctx->st = vsplit_split_carve(base, &at, in->nr_allocs, sizeof(*ctx->st));
	ctx->gap = vsplit_split_carve(base, &at, gaps + 1, sizeof(*ctx->gap));
	ctx->frame = vsplit_split_carve(base, &at, items + gaps, sizeof(*ctx->frame));
	ctx->entry_next = vsplit_split_carve(base, &at, in->nr_entries, sizeof(u32));
	ctx->row_next = vsplit_split_carve(base, &at, in->nr_entries, sizeof(u32));
	ctx->owner = vsplit_split_carve(base, &at, in->nr_slots, sizeof(u32));
	ctx->touched = vsplit_split_carve(base, &at, in->nr_allocs, sizeof(u32));
	ctx->log = vsplit_split_carve(base, &at, 2 * (u64)in->nr_allocs, sizeof(u32));
	/* One element for each node, as it sorts all ranges when a walk begins. */
	ctx->order = vsplit_split_carve(base, &at, nodes, sizeof(u32));
	ctx->items = vsplit_split_carve(base, &at, in->nr_allocs, sizeof(u32));
	ctx->by_src = vsplit_split_carve(base, &at, in->nr_allocs, sizeof(u32));
	ctx->by_dst = vsplit_split_carve(base, &at, in->nr_allocs, sizeof(u32));
	ctx->queue = vsplit_split_carve(base, &at, in->nr_allocs, sizeof(u32));
	if (in->flags & VSPLIT_SPLIT_AHEAD) {
		ctx->early = vsplit_split_carve(base, &at, (u64)in->nr_entries + 1, sizeof(u64));
		ctx->over_at = vsplit_split_carve(base, &at, (u64)in->nr_entries + 2, sizeof(u64));
	}
	if (in->flags & (VSPLIT_SPLIT_LOOK_AHEAD | VSPLIT_SPLIT_PLANNED)) {
		for (ctx->leaves = 1; ctx->leaves < in->nr_entries; ctx->leaves *= 2)
			;
		ctx->home = vsplit_split_carve(base, &at, in->nr_entries, sizeof(*ctx->home));
		ctx->stays = vsplit_split_carve(base, &at, in->nr_entries, sizeof(u32));
		ctx->near = vsplit_split_carve(base, &at, in->nr_entries, sizeof(u32));
		ctx->ends = vsplit_split_carve(base, &at, 2 * (u64)ctx->leaves, sizeof(u32));
	}
	return at;
}

size_t vsplit_split_workspace(const struct vsplit_split_input *in)
{
	struct vsplit_split_ctx ctx;

	return min(vsplit_split_layout(in, &ctx, NULL), SIZE_MAX);
}

u32 vsplit_split_portions(const struct vsplit_split_input *in)
{
	u32 nr = 1;
	u32 split = 0;
	u32 i;

	for (i = 0; i < in->nr_entries; i++) {
		nr += in->entries[i].split != split && in->entries[i].split < in->length;
		split = in->entries[i].split;
	}
	return nr;
}

static bool vsplit_split_check_allocs(const struct vsplit_split_input *in)
{
	u32 i, j;

	for (i = 0; i < in->nr_allocs; i++) {
		const struct vsplit_split_alloc *alloc = &in->allocs[i];
		bool pinned = alloc->flags & VSPLIT_SPLIT_ALLOC_PINNED;

		if (!alloc->size || alloc->size & (in->page - 1) || alloc->align < in->page ||
		    alloc->align & (alloc->align - 1))
			return false;
		if (!alloc->nr_segs || alloc->nr_segs > VSPLIT_SPLIT_MAX_SEGMENTS)
			return false;
		for (j = 0; j < alloc->nr_segs; j++) {
			if (alloc->segs[j] >= in->nr_segments)
				return false;
			if (alloc->segs[j] == alloc->seg)
				pinned = false;
		}
		/* A pinned allocation must be in a segment in which it may live. */
		if (pinned)
			return false;
		for (j = 0; j < VSPLIT_SPLIT_MAX_SEGMENTS; j++)
			if ((alloc->evict_set & (1u << j)) &&
			    (j >= in->nr_segments ||
			     !(in->segments[j].flags & VSPLIT_SPLIT_SEG_APERTURE)))
				return false;
		if (alloc->seg != VSPLIT_SPLIT_SYSTEM && alloc->seg >= in->nr_segments)
			return false;
	}
	return true;
}

static bool vsplit_split_check_entries(const struct vsplit_split_input *in)
{
	u32 split = 0;
	u32 i;

	for (i = 0; i < in->nr_entries; i++) {
		const struct vsplit_split_entry *entry = &in->entries[i];

		if (entry->split < split || entry->split > in->length ||
		    entry->slot >= in->nr_slots)
			return false;
		if (entry->alloc != VSPLIT_SPLIT_NONE &&
		    (entry->alloc >= in->nr_allocs || entry->split == in->length))
			return false;
		split = entry->split;
	}
	return true;
}

/* Does the input not contradict itself? vsplit_split_begin() finds ranges that overlap. */
bool vsplit_split_check(const struct vsplit_split_input *in)
{
	u32 i;

	if (!in->nr_segments || in->nr_segments > VSPLIT_SPLIT_MAX_SEGMENTS || !in->length ||
	    !in->page || in->page & (in->page - 1))
		return false;
	if (in->nr_allocs > VSPLIT_SPLIT_MAX_ALLOCS || in->nr_fixed > VSPLIT_SPLIT_MAX_ALLOCS ||
	    in->nr_entries > VSPLIT_SPLIT_MAX_ENTRIES || in->nr_slots > VSPLIT_SPLIT_MAX_SLOTS)
		return false;
	for (i = 0; i < in->nr_segments; i++)
		if (in->segments[i].size > VSPLIT_SPLIT_MAX_BYTES ||
		    in->segments[i].size > (u64)U32_MAX * in->page ||
		    in->segments[i].visible > in->segments[i].size ||
		    in->segments[i].commit_limit > in->segments[i].size)
			return false;
	for (i = 0; i < in->nr_fixed; i++)
		if (in->fixed[i].seg >= in->nr_segments)
			return false;
	return vsplit_split_check_allocs(in) && vsplit_split_check_entries(in);
}

static bool vsplit_split_by_start(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	u64 start_a = vsplit_split_at(ctx, a), start_b = vsplit_split_at(ctx, b);

	return start_a != start_b ? start_a < start_b : a < b;
}

/* Collect the ranges of a segment in ctx->order, by address; the first one is the head. */
static u32 vsplit_split_ranges_of(struct vsplit_split_ctx *ctx, u32 seg)
{
	const struct vsplit_split_input *in = ctx->in;
	u32 nr = 0;
	u32 i;

	ctx->order[nr++] = ctx->seg[seg].head;
	for (i = 0; i < in->nr_allocs; i++)
		if (in->allocs[i].seg == seg)
			ctx->order[nr++] = i;
	for (i = 0; i < in->nr_fixed; i++)
		if (in->fixed[i].seg == seg && in->fixed[i].size)
			ctx->order[nr++] = in->nr_allocs + i;
	vsplit_split_sort(ctx, &ctx->order[1], nr - 1, vsplit_split_by_start);
	return nr;
}

/* Fill the trees of a segment; false if ranges overlap or reach beyond its end. */
static bool vsplit_split_init_seg(struct vsplit_split_ctx *ctx, u32 seg)
{
	u64 size = ctx->in->segments[seg].size;
	u32 nr = vsplit_split_ranges_of(ctx, seg);
	u64 end = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		u32 n = ctx->order[i];
		u64 start = vsplit_split_at(ctx, n);

		if (start < end || start > size || ctx->size[n] > size - start)
			return false;
		end = start + ctx->size[n];
		ctx->seg[seg].used += ctx->size[n];
		if (n < ctx->in->nr_allocs) {
			ctx->st[n].seg = seg;
			ctx->st[n].firm = 1;
		}
	}
	vsplit_split_tree_build(ctx, &ctx->tree[VSPLIT_SPLIT_FREE], seg, ctx->order, nr);
	vsplit_split_tree_build(ctx, &ctx->tree[VSPLIT_SPLIT_FIRM], seg, ctx->order, nr);
	vsplit_split_victim_init(ctx, seg, nr);
	return true;
}

/* Fill the trees of the segments; false if ranges overlap or reach beyond a segment's end. */
static bool vsplit_split_init_trees(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_input *in = ctx->in;
	struct vsplit_split_link *link = ctx->tree[VSPLIT_SPLIT_FREE].link;
	u32 fixed = in->nr_allocs, heads = fixed + in->nr_fixed;
	u32 i;

	for (i = 0; i < in->nr_allocs; i++) {
		ctx->size[i] = in->allocs[i].size;
		link[i].start = in->allocs[i].offset;
	}
	for (i = 0; i < in->nr_fixed; i++) {
		ctx->size[fixed + i] = in->fixed[i].size;
		link[fixed + i].start = in->fixed[i].start;
	}
	for (i = 0; i < in->nr_segments; i++) {
		ctx->size[heads + i] = 0;
		link[heads + i].start = 0;
		ctx->seg[i].head = heads + i;
		ctx->seg[i].dearest = heads + i;
		if (!vsplit_split_init_seg(ctx, i))
			return false;
	}
	return true;
}

static void vsplit_split_init_sizes(struct vsplit_split_ctx *ctx)
{
	u64 set = vsplit_split_aligns(ctx->in);
	u32 i;

	for (i = 0; i < ctx->in->nr_segments; i++)
		if (!vsplit_split_is_aperture(ctx, i))
			ctx->large += ctx->in->segments[i].size / VSPLIT_SPLIT_PART;
	for (; set; set &= set - 1)
		ctx->align[ctx->nr_aligns++] = set & -set;
	while (1u << ctx->page_shift < ctx->in->page)
		ctx->page_shift++;
}

static u32 vsplit_split_class(const struct vsplit_split_ctx *ctx, u64 align)
{
	u32 class = 0;

	while (class + 1 < ctx->nr_aligns && ctx->align[class] < align)
		class++;
	return class;
}

static void vsplit_split_init_allocs(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_input *in = ctx->in;
	u32 i;

	for (i = 0; i < in->nr_allocs; i++) {
		const struct vsplit_split_alloc *alloc = &in->allocs[i];
		struct vsplit_split_state *st = &ctx->st[i];

		memset(st, 0, sizeof(*st));
		st->lru = alloc->lru;
		st->group = VSPLIT_SPLIT_NONE;
		st->class = vsplit_split_class(ctx, alloc->align);
		st->next_use = VSPLIT_SPLIT_NONE;
		st->last_portion = VSPLIT_SPLIT_NONE;
		st->last_op = VSPLIT_SPLIT_NONE;
		st->seg = VSPLIT_SPLIT_SYSTEM;
		st->flags = alloc->flags & (VSPLIT_SPLIT_ALLOC_CLEAR | VSPLIT_SPLIT_ALLOC_DISCARD);
		/* Writes through an aperture reach the backing store, so nothing is dirty. */
		if (alloc->seg != VSPLIT_SPLIT_SYSTEM && !vsplit_split_is_aperture(ctx, alloc->seg))
			st->flags |= alloc->flags & VSPLIT_SPLIT_ALLOC_DIRTY;
		ctx->lru_base = max(ctx->lru_base, alloc->lru);
	}
	for (i = 0; i < in->nr_slots; i++)
		ctx->owner[i] = VSPLIT_SPLIT_NONE;
	for (i = in->nr_entries; i-- > 0;) {
		u32 a = in->entries[i].alloc;

		ctx->row_next[i] = ctx->owner[in->entries[i].slot];
		ctx->owner[in->entries[i].slot] = i;
		if (ctx->planned)
			ctx->held += vsplit_split_stay(ctx, i);
		if (a == VSPLIT_SPLIT_NONE)
			continue;
		ctx->entry_next[i] = ctx->st[a].next_use;
		ctx->st[a].next_use = i;
	}
	for (i = 0; i < in->nr_slots; i++)
		ctx->owner[i] = VSPLIT_SPLIT_NONE;
}

/*
 * Set up the state before the first entry. @out has the steps that earlier walks have taken.
 * Return: 0; -EINVAL if ranges overlap or reach beyond a segment's end; or -EINTR.
 */
int vsplit_split_begin(const struct vsplit_split_input *in, struct vsplit_split_output *out,
		       void *ws, enum vsplit_split_mode mode)
{
	struct vsplit_split_ctx *ctx = ws;

	memset(ctx, 0, sizeof(*ctx));
	vsplit_split_layout(in, ctx, ws);
	ctx->in = in;
	ctx->out = out;
	ctx->planned = mode != VSPLIT_SPLIT_FORCED;
	ctx->ahead = mode == VSPLIT_SPLIT_EARLY;
	ctx->stay = VSPLIT_SPLIT_NONE;
	ctx->by_next_use = ctx->planned || in->flags & VSPLIT_SPLIT_NEXT_USE;
	if (ctx->ahead)
		ctx->over_at[0] = 0;
	ctx->rand = in->seed;
	ctx->steps = out->steps;
	ctx->searched = out->searched;
	ctx->relax_at = out->steps + VSPLIT_SPLIT_RELAX_STEPS;
	ctx->fail = VSPLIT_SPLIT_NONE;
	vsplit_split_init_sizes(ctx);
	vsplit_split_init_allocs(ctx);
	return vsplit_split_init_trees(ctx) ? ctx->error : -EINVAL;
}
