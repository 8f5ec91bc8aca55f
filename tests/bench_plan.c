// SPDX-License-Identifier: MIT
/*
 * Compares the cost of plans with bounds on the best possible cost. A corpus of lists is planned
 * with each policy; each list exceeds its memory by several factors. Prints lines "NAME VALUE",
 * from which scripts/bench makes ratios. Nothing here depends on the machine. Bytes are counted in
 * pages.
 *
 * The bounds hold for every way to cut, to place and to choose victims. Allocations are in memory
 * as a whole, so only a multiple of the common divisor of all sizes counts as memory.
 *
 *  portions  Number of greedily maximal portions, by sizes alone: no other choice gets farther.
 *  loads     Pages that are loaded, and with them those that are written back: a minimum-cost flow,
 *  traffic   in which a page that stays between two uses saves its load, and its write-back if the
 *            earlier use wrote it. No page stays of an allocation that does not fit, as a whole,
 *            beside what rows hold between the two uses. Without this rule, the bound on loads is
 *            that of evicting the pages whose next use is farthest (Belady); this is checked.
 *  time      A step's work is Belady's loads divided by the number of steps, so loading everything
 *            takes as long as all work. A step begins after the step before it is done, and after
 *            the loads of all steps up to it. Until step s is done, memory holds what the rows of s
 *            hold, and for later steps at most as many whole allocations as the rest has room for.
 *            Count what steps s to t load at least if only what the rows of s hold is there at the
 *            beginning. All of it but those allocations is loaded after s is done, before t begins.
 *            A list that fits is one portion (SPLIT-2); everything is loaded before it begins.
 *
 * Two more bounds hold for plans that cut only at low memory, with portions as large as the sizes
 * allow. There, everything that a portion has used stays until the portion ends. The portions of
 * these bounds are those of "portions".
 *
 *  maximal-loads, maximal-traffic	The same, as if rows held everything that the
 * 					portion has used so far.
 */
#include <stdio.h>

#include "split_bench.h"

#define MAX_STEPS	1024
#define MAX_ALLOCS	512
#define MAX_BINDS	4096
#define MAX_ROWS	64
#define MAX_PAGES	65536
#define MAX_ARCS	(2 * (2 * MAX_STEPS + MAX_BINDS))
#define NONE		VSPLIT_SPLIT_NONE

/* Memory copies 2 TB/s, and the bus carries 32 GB/s. */
#define MEMORY_SPEED	64

bool vsplit_split_relax(void)
{
	return false;
}

/* A list: steps with their binds. Sizes are in pages. */
static struct {
	u32 nr_allocs, nr_binds, nr_steps;
	u64 size[MAX_ALLOCS];
	bool writes[MAX_ALLOCS];
	struct { u32 step, slot, alloc; } bind[MAX_BINDS];
} list;

/* For each step: what rows hold at its end, and the next step at whose end they hold it. */
static bool in[MAX_STEPS][MAX_ALLOCS];
static u32 again[MAX_STEPS][MAX_ALLOCS];
static u64 held[MAX_STEPS];	/* pages that rows hold */

/* ---- the corpus ---- */

static u32 add(u64 pages, bool writes)
{
	if (list.nr_allocs == MAX_ALLOCS)
		abort();
	list.size[list.nr_allocs] = pages;
	list.writes[list.nr_allocs] = writes;
	return list.nr_allocs++;
}

static void bind(u32 slot, u32 alloc)
{
	if (list.nr_binds == MAX_BINDS || slot >= MAX_ROWS - 1)
		abort();
	list.bind[list.nr_binds].step = list.nr_steps;
	list.bind[list.nr_binds].slot = slot;
	list.bind[list.nr_binds++].alloc = alloc;
}

static void step(void)
{
	if (++list.nr_steps > MAX_STEPS)
		abort();
}

static u32 tile(u32 matrix, u32 row, u32 column, u32 side)
{
	return matrix * side * side + row * side + column;
}

/* C += A B in tiles: the innermost loop runs over the shared dimension, or over a row of C. */
static void gemm(bool inner_k, bool snake)
{
	const u32 side = 6;
	u32 i, j, k, n;

	for (i = 0; i < 3 * side * side; i++)
		add(64, i >= 2 * side * side);
	for (i = 0; i < side; i++) {
		for (j = 0; j < side; j++) {
			for (k = 0; k < side; k++) {
				n = snake && (i * side + j) % 2 ? side - 1 - k : k;
				bind(0, inner_k ? tile(0, i, n, side) : tile(0, i, j, side));
				bind(1, inner_k ? tile(1, n, j, side) : tile(1, j, n, side));
				bind(2, inner_k ? tile(2, i, j, side) : tile(2, i, n, side));
				step();
			}
		}
	}
}

static void gemm_ijk(void) { gemm(true, false); }
static void gemm_snake(void) { gemm(true, true); }
static void gemm_ikj(void) { gemm(false, false); }

/* Tokens go through layers: weights are read, a cache is written, two activations alternate. */
static void llm(void)
{
	u32 layers[32][3], act[2], token, i, j;

	for (i = 0; i < 32; i++) {
		layers[i][0] = add(96, false);
		layers[i][1] = add(160, false);
		layers[i][2] = add(24, true);
	}
	act[0] = add(8, true);
	act[1] = add(8, true);
	for (token = 0; token < 6; token++) {
		for (i = 0; i < 32; i++) {
			for (j = 0; j < 2; j++) {
				bind(0, act[j]);
				bind(1, act[!j]);
				bind(2, layers[i][j]);
				if (!j)
					bind(3, layers[i][2]);
				step();
			}
		}
	}
}

/* Four frames: targets are kept for long, textures are replaced, most of them often. */
static void frame(void)
{
	u32 target[6], texture[120], f, i, j;

	for (i = 0; i < 6; i++)
		target[i] = add(i < 2 ? 128 : 64, true);
	for (i = 0; i < 120; i++)
		texture[i] = add(1u << bench_below(7), false);
	for (f = 0; f < 4; f++) {
		for (i = 0; i < 6; i++) {
			bind(0, target[i]);
			bind(1, target[(i + 5) % 6]);
			for (j = 0; j < 30; j++) {
				bind(2 + j % 6, texture[bench_below(1 + bench_below(120))]);
				step();
			}
		}
	}
}

/* The caller draws which allocation each step binds. */
static void draws(u32 nr, u32 steps, u32 slots, u32 (*pick)(u32 at, u32 nr))
{
	u32 i;

	for (i = 0; i < steps; i++) {
		bind(i % slots, pick(i, nr));
		step();
	}
}

static void sizes(u32 nr, u32 most, bool powers)
{
	while (nr--)
		add(powers ? 1u << bench_below(most) : 1 + bench_below(most), bench_below(3) == 0);
}

static u32 pick_uniform(u32 at, u32 nr)
{
	return bench_below(nr);
}

static u32 pick_cyclic(u32 at, u32 nr)
{
	return at % nr;
}

/* Three of five binds are of a fifth of the allocations. */
static u32 pick_hot(u32 at, u32 nr)
{
	return bench_below(5) < 3 ? bench_below(nr / 5) : bench_below(nr);
}

static u32 pick_zipf(u32 at, u32 nr)
{
	return bench_below(1 + bench_below(1 + bench_below(nr)));
}

static u32 pick_phases(u32 at, u32 nr)
{
	return (at / 125 * 40 + bench_below(40)) % nr;
}

static void uniform(void) { sizes(100, 64, false); draws(100, 600, 4, pick_uniform); }
static void hot(void) { sizes(100, 64, false); draws(100, 600, 4, pick_hot); }
static void powers(void) { sizes(100, 7, true); draws(100, 600, 4, pick_hot); }
static void cyclic(void) { sizes(60, 64, false); draws(60, 600, 4, pick_cyclic); }
static void zipf(void) { sizes(100, 64, false); draws(100, 600, 4, pick_zipf); }
static void phases(void) { sizes(120, 64, false); draws(120, 600, 4, pick_phases); }

/* Rows that stay through many cuts lie in the way of large allocations. */
static void kept(void)
{
	u32 i;

	sizes(40, 4, false);
	for (i = 0; i < 40; i++)
		add(48 + bench_below(48), false);
	for (i = 0; i < 500; i++) {
		if (i % 7 == 0)
			bind(1 + i / 7 % 8, i / 7 % 40);
		bind(0, 40 + bench_below(40));
		step();
	}
}

static const struct {
	const char *name;
	void (*make)(void);
} corpus[] = {
	{ "gemm-ijk", gemm_ijk }, { "gemm-snake", gemm_snake }, { "gemm-ikj", gemm_ikj },
	{ "llm", llm }, { "frame", frame }, { "uniform", uniform }, { "hot", hot },
	{ "pow2", powers }, { "cyclic", cyclic }, { "zipf", zipf }, { "phases", phases },
	{ "kept-rows", kept },
};

/* ---- what is known of a list without a plan ---- */

static void look_at_uses(void)
{
	u32 t, a;

	for (t = list.nr_steps; t--;) {
		held[t] = 0;
		for (a = 0; a < list.nr_allocs; a++) {
			again[t][a] = t + 1 == list.nr_steps ? NONE :
				      in[t + 1][a] ? t + 1 : again[t + 1][a];
			held[t] += in[t][a] ? list.size[a] : 0;
		}
	}
}

static void look_at_list(void)
{
	u32 row[MAX_ROWS], t, i, b = 0;

	memset(row, 0xff, sizeof(row));
	memset(in, 0, sizeof(in));
	for (t = 0; t < list.nr_steps; t++) {
		for (; b < list.nr_binds && list.bind[b].step == t; b++)
			row[list.bind[b].slot] = list.bind[b].alloc;
		for (i = 0; i < MAX_ROWS; i++)
			if (row[i] != NONE)
				in[t][row[i]] = true;
	}
	look_at_uses();
}

/* @stay: from now on, let rows hold everything that a portion has used so far. */
static u64 bound_portions(u64 memory, bool stay)
{
	bool set[MAX_ALLOCS] = {};
	u64 size = 0, more, n = 1;
	u32 t, a;

	for (t = 0; t < list.nr_steps; t++) {
		for (a = 0, more = 0; a < list.nr_allocs; a++)
			more += in[t][a] && !set[a] ? list.size[a] : 0;
		if (size + more > memory) {
			n++;
			size = 0;
			more = held[t];
			memset(set, 0, sizeof(set));
		}
		size += more;
		for (a = 0; a < list.nr_allocs; a++)
			set[a] |= in[t][a];
		if (stay)
			memcpy(in[t], set, sizeof(set));
	}
	if (stay)
		look_at_uses();
	return n;
}

/* The victim: an allocation in memory that is not in @keep. */
static u32 victim(const u64 *there, const bool *keep, const u32 *used, u32 t, bool next_use)
{
	u32 best = NONE, a;

	for (a = 0; a < list.nr_allocs; a++) {
		if (!there[a] || keep[a] || in[t][a])
			continue;
		if (best == NONE ||
		    (next_use && again[t][a] != again[t][best] ? again[t][a] > again[t][best] :
								 used[a] < used[best]))
			best = a;
	}
	return best;
}

/* @so_far: pages loaded from step @first up to each step, including its own. */
static u64 bound_loads(u64 memory, u32 first, u64 *so_far)
{
	static const bool none[MAX_ALLOCS];
	u32 used[MAX_ALLOCS] = {};
	u64 there[MAX_ALLOCS] = {}, all = 0, loads = 0;
	u32 t, a, v;

	for (t = first; t < list.nr_steps; t++) {
		for (a = 0; a < list.nr_allocs; a++) {
			if (!in[t][a])
				continue;
			loads += list.size[a] - there[a];
			all += list.size[a] - there[a];
			there[a] = list.size[a];
		}
		while (all > memory) {
			u64 over = all - memory;

			v = victim(there, none, used, t, true);
			over = over < there[v] ? over : there[v];
			there[v] -= over;
			all -= over;
		}
		so_far[t] = loads;
	}
	return loads;
}

/* The rules of the walk in memory without addresses, where nothing fragments. */
static u64 unfragmented(u64 memory, bool next_use, bool cuts, u64 *portions)
{
	bool portion[MAX_ALLOCS] = {};
	u32 used[MAX_ALLOCS] = {};
	u64 there[MAX_ALLOCS] = {}, all = 0, loads = 0;
	u32 t, a, v;

	*portions = 1;
	for (t = 0; t < list.nr_steps; t++) {
		if (cuts)
			memset(portion, 0, sizeof(portion));
		for (a = 0; a < list.nr_allocs; a++) {
			while (in[t][a] && !there[a] && all + list.size[a] > memory) {
				v = victim(there, portion, used, t, next_use);
				if (v == NONE) {
					++*portions;
					memset(portion, 0, sizeof(portion));
					continue;
				}
				all -= there[v];
				there[v] = 0;
			}
			if (!in[t][a])
				continue;
			all += list.size[a] - there[a];
			loads += list.size[a] - there[a];
			there[a] = list.size[a];
		}
		for (a = 0; a < list.nr_allocs; a++) {
			portion[a] |= in[t][a];
			used[a] = in[t][a] ? t + 1 : used[a];
		}
	}
	return loads;
}

/* A flow network; flow is sent along cheapest paths until there is no path. */
static struct {
	u32 first[MAX_STEPS + 2], nr_arcs, nodes;
	struct { u32 to, next; s64 room; int cost; } arc[MAX_ARCS];
	s64 far[MAX_STEPS + 2];
	bool seen[MAX_STEPS + 2];
} net;

static void arc(u32 from, u32 to, s64 room, int cost)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		if (net.nr_arcs == MAX_ARCS)
			abort();
		net.arc[net.nr_arcs].to = i ? from : to;
		net.arc[net.nr_arcs].room = i ? 0 : room;
		net.arc[net.nr_arcs].cost = i ? -cost : cost;
		net.arc[net.nr_arcs].next = net.first[i ? to : from];
		net.first[i ? to : from] = net.nr_arcs++;
	}
}

/* Find the distances of all nodes from the source. Return: is the sink reached? */
static bool distances(u32 source, u32 sink)
{
	static u32 queue[MAX_STEPS + 2];
	static s64 far[MAX_STEPS + 2];
	static bool queued[MAX_STEPS + 2];
	u32 head = 0, nr = 1, i, e;

	for (i = 0; i < net.nodes; i++)
		far[i] = INT64_MAX;
	far[source] = 0;
	queue[0] = source;
	while (nr) {
		u32 n = queue[head];

		head = (head + 1) % net.nodes;
		nr--;
		queued[n] = false;
		for (e = net.first[n]; e != NONE; e = net.arc[e].next) {
			u32 to = net.arc[e].to;

			if (!net.arc[e].room || far[n] + net.arc[e].cost >= far[to])
				continue;
			far[to] = far[n] + net.arc[e].cost;
			if (!queued[to])
				queue[(head + nr++) % net.nodes] = to;
			queued[to] = true;
		}
	}
	memcpy(net.far, far, sizeof(far));
	return far[sink] != INT64_MAX;
}

static s64 push(u32 n, u32 sink, s64 flow)
{
	s64 left = flow;
	u32 e;

	if (n == sink)
		return flow;
	net.seen[n] = true;
	for (e = net.first[n]; e != NONE && left; e = net.arc[e].next) {
		u32 to = net.arc[e].to;
		s64 room = net.arc[e].room, got;

		if (!room || net.seen[to] || net.far[n] + net.arc[e].cost != net.far[to])
			continue;
		got = push(to, sink, room < left ? room : left);
		net.arc[e].room -= got;
		net.arc[e ^ 1].room += got;
		left -= got;
	}
	if (!left)
		net.seen[n] = false;
	return flow - left;
}

/* Can an allocation stay from step @t to step @end, or to the end of the list? */
static bool may_stay(u64 memory, u32 a, u32 t, u32 end)
{
	for (; t < end && t < list.nr_steps; t++)
		if (held[t] + list.size[a] > memory)
			return false;
	return true;
}

/* Pages to transfer. @writes: count write-backs; @whole: an allocation stays as a whole, or not. */
static u64 bound_traffic(u64 memory, bool writes, bool whole)
{
	u32 source = list.nr_steps + 1, sink = source + 1, t, a;
	u64 all = 0, before = 0, room;
	s64 got;

	net.nodes = sink + 1;
	net.nr_arcs = 0;
	memset(net.first, 0xff, sizeof(net.first));
	for (a = 0; a < list.nr_allocs; a++) {
		u64 worth = list.size[a] * (1 + (writes && list.writes[a]));
		u32 last = NONE;

		for (t = 0; t < list.nr_steps; t++) {
			if (!in[t][a])
				continue;
			if (last == NONE)
				all += list.size[a];
			else if (last + 1 < t)
				all += worth;
			if (last != NONE && last + 1 < t &&
			    (!whole || may_stay(memory, a, last + 1, t)))
				arc(last + 1, t, list.size[a], -(int)(worth / list.size[a]));
			last = t;
		}
		/* Written bytes are written back at last, too, unless they stay to the end. */
		if (writes && list.writes[a] && last != NONE && last + 1 < list.nr_steps) {
			all += list.size[a];
			if (!whole || may_stay(memory, a, last + 1, NONE))
				arc(last + 1, list.nr_steps, list.size[a], -1);
		}
	}
	/* Memory that rows do not hold is the room for flow from step to step. */
	for (t = 0; t <= list.nr_steps; t++, before = room) {
		room = t == list.nr_steps ? 0 : memory - held[t];
		if (t < list.nr_steps)
			arc(t, t + 1, memory, 0);
		if (room > before)
			arc(source, t, room - before, 0);
		else
			arc(t, sink, before - room, 0);
	}
	while (distances(source, sink)) {
		do {
			memset(net.seen, 0, sizeof(net.seen));
			got = push(source, sink, INT64_MAX);
			all += got * net.far[sink];
		} while (got);
	}
	return all;
}

/* The most of a room that whole allocations can take; it grows as allocations are added. */
static struct {
	bool is_sum[MAX_PAGES + 1];
	u64 room, most;
} filled;

static void fill_begin(u64 room)
{
	if (room > MAX_PAGES)
		abort();
	memset(&filled, 0, sizeof(filled));
	filled.is_sum[0] = true;
	filled.room = room;
}

static void fill(u64 size)
{
	u64 sum;

	for (sum = filled.room; filled.most < filled.room && sum >= size; sum--) {
		if (filled.is_sum[sum - size]) {
			filled.is_sum[sum] = true;
			filled.most = sum > filled.most ? sum : filled.most;
		}
	}
}

/* Time in pages loaded. While times are added up, a page takes as many units as there are steps. */
static u64 bound_time(u64 memory, const u64 *so_far, bool one_portion)
{
	u64 from[MAX_STEPS], begins[MAX_STEPS] = {}, early, earliest;
	u32 n = list.nr_steps, s, t, a;
	u64 work = so_far[n - 1];
	bool seen[MAX_ALLOCS];

	if (one_portion)
		return 2 * work;
	for (s = 0; s < n; s++) {
		if (begins[s] < so_far[s] * n)
			begins[s] = so_far[s] * n;
		if (s && begins[s] < begins[s - 1] + work)
			begins[s] = begins[s - 1] + work;
		bound_loads(memory, s, from);
		fill_begin(memory - held[s]);
		memcpy(seen, in[s], sizeof(seen));
		for (t = s + 1; t < n; t++) {
			for (a = 0; a < list.nr_allocs; a++) {
				if (in[t][a] && !seen[a])
					fill(list.size[a]);
				seen[a] |= in[t][a];
			}
			/* @from also counts what rows hold at @s. */
			early = held[s] + filled.most;
			if (from[t] <= early)
				continue;
			earliest = begins[s] + work + (from[t] - early) * n;
			begins[t] = begins[t] < earliest ? earliest : begins[t];
		}
	}
	return (begins[n - 1] + work) / n;
}

/* ---- plans ---- */

enum { LRU, NEXT_USE, EVERY_CUT, PLANNED, AHEAD, POLICIES };

static const char *const policies[POLICIES] = { "lru", "next-use", "every-cut", "planned", "ahead" };

static void say(u32 w, u32 tenths, const char *who, const char *what, u64 value)
{
	printf("plan.%s.%u.%u.%s.%s %llu\n", corpus[w].name, tenths / 10, tenths % 10, who, what,
	       (unsigned long long)value);
}

/*
 * How long a plan takes if a paging engine executes the operations in order, each as soon as the
 * portions that it waits for are done. As in the bound, only loads and moves take time.
 */
static u64 overlapped(const struct bench *b, u64 loads)
{
	u64 *done = bench_get(b->out.nr_portions + 1, sizeof(*done));
	u64 paged = 0, run = 0;
	u32 p, i;

	for (p = 0; p < b->out.nr_portions; p++) {
		const struct vsplit_split_portion *portion = &b->out.portions[p];

		for (i = portion->first_op; i < portion->first_op + portion->nr_ops; i++) {
			const struct vsplit_split_op *op = &b->out.ops[i];

			if (paged < done[op->after])
				paged = done[op->after];
			if (op->flags & VSPLIT_SPLIT_OP_TRANSFER && op->type == VSPLIT_SPLIT_PAGE_IN)
				paged += list.size[op->alloc] * list.nr_steps;
			if (op->type == VSPLIT_SPLIT_MOVE)
				paged += list.size[op->alloc] * list.nr_steps / MEMORY_SPEED;
		}
		run = (run < paged ? paged : run) + loads * ((portion->end - portion->begin) / 8);
		done[p + 1] = run;
	}
	free(done);
	return run / list.nr_steps;
}

/* Carry the plan out: a plan that saves bytes because it is wrong must have no figures. */
static void check(const struct bench *b, u64 memory)
{
	u32 *owner = bench_get(memory, sizeof(*owner));
	bool there[MAX_ALLOCS] = {};
	u32 p, i, t, a;
	u64 page;

	for (p = 0; p < b->out.nr_portions; p++) {
		const struct vsplit_split_portion *portion = &b->out.portions[p];

		for (i = portion->first_op; i < portion->first_op + portion->nr_ops; i++) {
			const struct vsplit_split_op *op = &b->out.ops[i];
			u64 from = op->from / BENCH_PAGE, to = op->to / BENCH_PAGE;

			a = op->alloc;
			there[a] = op->type != VSPLIT_SPLIT_EVICT;
			for (page = 0; op->type != VSPLIT_SPLIT_PAGE_IN && page < list.size[a]; page++)
				owner[from + page] = 0;
			for (page = 0; there[a] && page < list.size[a]; page++) {
				if (owner[to + page])
					abort();
				owner[to + page] = a + 1;
			}
		}
		for (t = portion->begin / 8; t < portion->end / 8; t++)
			for (a = 0; a < list.nr_allocs; a++)
				if (in[t][a] && !there[a])
					abort();
	}
	free(owner);
}

static void plan(u32 w, u32 tenths, u64 memory, u32 policy, u64 loads_bound)
{
	u64 loads = 0, traffic = 0, moved = 0;
	struct bench b;
	u32 i;

	bench_alloc(&b, list.nr_allocs, list.nr_binds, 0);
	b.segments[0].size = memory * BENCH_PAGE;
	b.segments[0].commit_limit = b.segments[0].size;
	b.segments[0].visible = b.segments[0].size;
	for (i = 0; i < list.nr_allocs; i++) {
		b.allocs[i].size = list.size[i] * BENCH_PAGE;
		b.allocs[i].align = BENCH_PAGE;
		b.allocs[i].seg = VSPLIT_SPLIT_SYSTEM;
		b.allocs[i].lru = i;
		b.allocs[i].nr_segs = 1;
		b.allocs[i].flags = list.writes[i] ? VSPLIT_SPLIT_ALLOC_WRITE : 0;
	}
	for (i = 0; i < list.nr_binds; i++) {
		b.entries[i].alloc = list.bind[i].alloc;
		b.entries[i].slot = list.bind[i].slot;
		b.entries[i].split = 8 * list.bind[i].step;
	}
	b.in.nr_slots = MAX_ROWS;
	b.in.memory_speed = MEMORY_SPEED;
	b.in.length = 8 * list.nr_steps;
	b.in.flags = policy == LRU ? 0 : VSPLIT_SPLIT_NEXT_USE;
	if (policy == EVERY_CUT)
		b.in.flags |= VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	if (policy == PLANNED)
		b.in.flags |= VSPLIT_SPLIT_PLANNED;
	if (policy == AHEAD)
		b.in.flags |= VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_AHEAD;
	bench_plan(&b);
	say(w, tenths, policies[policy], "refused", !!b.ret);
	if (!b.ret)
		check(&b, memory);
	for (i = 0; !b.ret && i < b.out.nr_ops; i++) {
		const struct vsplit_split_op *op = &b.out.ops[i];
		u64 pages = list.size[op->alloc];

		if (!(op->flags & VSPLIT_SPLIT_OP_TRANSFER))
			continue;
		if (op->type == VSPLIT_SPLIT_MOVE)
			moved += pages;
		else
			traffic += pages;
		if (op->type == VSPLIT_SPLIT_PAGE_IN)
			loads += pages;
	}
	if (!b.ret) {
		say(w, tenths, policies[policy], "portions", b.out.nr_portions);
		say(w, tenths, policies[policy], "loads", loads);
		say(w, tenths, policies[policy], "traffic", traffic);
		say(w, tenths, policies[policy], "moved", moved);
		say(w, tenths, policies[policy], "steps", b.out.steps);
	}
	if (!b.ret && policy == AHEAD)
		say(w, tenths, policies[policy], "time", overlapped(&b, loads_bound));
	bench_free(&b);
}

/* The greatest common divisor of all sizes. */
static u64 divisor(void)
{
	u64 a = 0, b, tmp;
	u32 i;

	for (i = 0; i < list.nr_allocs; i++) {
		for (b = list.size[i]; b; b = tmp) {
			tmp = a % b;
			a = b;
		}
	}
	return a;
}

static int bench_list(u32 w, u32 tenths)
{
	u64 so_far[MAX_STEPS], portions, memory = 0, usable, most = 0, total = 0, loads;
	u32 t, i;

	for (i = 0; i < list.nr_allocs; i++)
		total += list.size[i];
	memory = total * 10 / tenths;
	for (t = 0; t < list.nr_steps; t++)
		most = held[t] > most ? held[t] : most;
	/* With less memory there may be nothing to choose. */
	if (memory < most + most / 4)
		return 0;
	usable = memory - memory % divisor();
	loads = bound_loads(usable, 0, so_far);
	if (loads != bound_traffic(usable, false, false)) {
		fprintf(stderr, "%s %u: bounds of loads differ: %llu and %llu\n", corpus[w].name,
			tenths, (unsigned long long)loads,
			(unsigned long long)bound_traffic(usable, false, false));
		return 1;
	}
	portions = bound_portions(usable, false);
	say(w, tenths, "bound", "portions", portions);
	say(w, tenths, "bound", "loads", bound_traffic(usable, false, true));
	say(w, tenths, "bound", "traffic", bound_traffic(usable, true, true));
	say(w, tenths, "bound", "time", bound_time(usable, so_far, portions == 1));
	bound_portions(usable, true);
	say(w, tenths, "bound", "maximal-loads", bound_traffic(usable, false, true));
	say(w, tenths, "bound", "maximal-traffic", bound_traffic(usable, true, true));
	look_at_list();
	say(w, tenths, "free-planned", "loads", unfragmented(memory, true, true, &portions));
	for (i = 0; i < 2; i++) {
		say(w, tenths, i ? "free-next-use" : "free-lru", "loads",
		    unfragmented(memory, i, false, &portions));
		say(w, tenths, i ? "free-next-use" : "free-lru", "portions", portions);
	}
	for (i = 0; i < POLICIES; i++)
		plan(w, tenths, memory, i, loads);
	return 0;
}

int main(void)
{
	static const u32 over[] = { 11, 15, 20, 40, 80, 160 };
	u32 w, i;
	int bad = 0;

	for (w = 0; w < sizeof(corpus) / sizeof(*corpus); w++) {
		memset(&list, 0, sizeof(list));
		bench_state = 88172645463325252ull;
		corpus[w].make();
		look_at_list();
		for (i = 0; i < sizeof(over) / sizeof(*over); i++)
			bad |= bench_list(w, over[i]);
	}
	return bad;
}
