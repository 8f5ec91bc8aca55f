// SPDX-License-Identifier: MIT
/* Worlds of vsplit_property: how they are made from a seed. */
#include "igt.h"
#include "igt_vsplit_world.h"

static void make_segments(struct world *w, struct vsplit_rng *rng, const struct level *level)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	unsigned int n = level->segments ? 2 + vsplit_rng_below(rng, 3) : 1;

	for (unsigned int i = 0; i < n; i++) {
		struct vsplit_seg_opts *seg = &w->opts.segs[i];
		uint32_t pages = level->segments ? 8 + vsplit_rng_below(rng, 56) : 64;

		seg->name = names[i];
		seg->aperture = i && vsplit_rng_below(rng, 3) == 0;
		seg->size = (uint64_t)pages * PAGE;
		if (seg->aperture && vsplit_rng_below(rng, 2))
			seg->commit = (pages - vsplit_rng_below(rng, pages / 2)) * (uint64_t)PAGE;
		/*
		 * If an allocation is pinned where the CPU has no access, its bytes cannot be
		 * compared.
		 */
		if (!seg->aperture && !level->pins && vsplit_rng_below(rng, 3) == 0)
			seg->cpu = "none";
		w->capacity += (seg->commit ?: seg->size) / PAGE;
	}
}

/* Chooses segments for an allocation; returns the largest size in pages that fits one of them. */
static uint32_t choose_segs(struct world *w, struct vsplit_rng *rng, uint8_t *segs)
{
	unsigned int n = 0, nr = 0;
	uint32_t largest = 0;

	while (w->opts.segs[nr].name)
		nr++;
	for (unsigned int i = 0; i < nr; i++)
		if (nr == 1 || vsplit_rng_below(rng, 3))
			segs[n++] = i + 1;
	if (!n)
		segs[n++] = 1 + vsplit_rng_below(rng, nr);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int j = vsplit_rng_below(rng, n);
		uint8_t t = segs[i];

		segs[i] = segs[j];
		segs[j] = t;
	}
	segs[n] = 0;
	for (unsigned int i = 0; i < n; i++) {
		const struct vsplit_seg_opts *seg = &w->opts.segs[segs[i] - 1];

		largest = max(largest, (uint32_t)((seg->commit ?: seg->size) / PAGE));
	}
	return largest;
}

static void make_allocs(struct world *w, struct vsplit_rng *rng, const struct level *level)
{
	uint64_t want = w->capacity * level->percent / 100, sum = 0, pinned = 0;

	while ((sum < want || w->nr_allocs < 4) && w->nr_allocs < MAX_ALLOCS) {
		struct alloc *a = &w->allocs[w->nr_allocs++];
		uint32_t largest = choose_segs(w, rng, a->segs);
		uint32_t most = vsplit_rng_below(rng, level->segments ? 12 : 4) ?
				largest / 4 : largest * 3 / 4;

		a->pages = 1 + vsplit_rng_below(rng, max(most, 1u));
		a->client = level->two && vsplit_rng_below(rng, 4) == 0;
		a->read_only = vsplit_rng_below(rng, 6) == 0;
		/* Pinned allocations come first, and are small, because they must fit. */
		if (level->pins && w->nr_allocs <= 2 && pinned + 3 < w->capacity / 8) {
			a->pinned = true;
			a->pages = 1 + vsplit_rng_below(rng, 3);
			pinned += a->pages;
		}
		if (!a->client)
			sum += a->pages;
	}
}

struct builder {
	struct step *step;
	uint32_t table[MAX_SLOTS];	/* allocation + 1 */
};

static void emit(struct builder *b, enum op_type type, uint32_t slot, uint32_t other,
		 uint32_t offset, uint32_t length)
{
	if (b->step->nr_ops == MAX_OPS)
		return;
	b->step->ops[b->step->nr_ops++] = (struct op) {
		.type = type, .slot = slot, .other = other, .offset = offset, .length = length,
	};
	if (type == OP_BIND)
		b->table[slot] = other + 1;
	if (type == OP_UNBIND)
		b->table[slot] = 0;
}

static void emit_work(struct world *w, struct vsplit_rng *rng, struct builder *b)
{
	for (unsigned int n = 1 + vsplit_rng_below(rng, 4); n; n--) {
		uint32_t s = vsplit_rng_below(rng, MAX_SLOTS), t = vsplit_rng_below(rng, MAX_SLOTS);
		const struct alloc *a, *from;

		if (!b->table[s])
			continue;
		a = &w->allocs[b->table[s] - 1];
		if (a->read_only)
			continue;
		if (b->table[t] && vsplit_rng_below(rng, 2)) {
			from = &w->allocs[b->table[t] - 1];
			emit(b, OP_COPY, s, t, 0,
			     1 + vsplit_rng_below(rng, min(a->pages, from->pages) * PAGE));
		} else {
			uint32_t offset = vsplit_rng_below(rng, a->pages * PAGE);

			emit(b, OP_FILL, s, 1 + vsplit_rng_below(rng, 255), offset,
			     1 + vsplit_rng_below(rng, min(a->pages * PAGE - offset, 20000u)));
		}
	}
	emit(b, OP_GROUP, 0, 0, 0, 0);
}

static int choose_alloc(const struct world *w, struct vsplit_rng *rng, uint32_t client)
{
	for (unsigned int tries = 0; tries < 50; tries++) {
		uint32_t i = vsplit_rng_below(rng, w->nr_allocs);

		if (w->allocs[i].client == client)
			return i;
	}
	return -1;
}

/* Each group names every slot in use. No row is ever kept, so whatever fits alone can run. */
static void make_free(struct world *w, struct vsplit_rng *rng, const struct level *level,
		      struct builder *b)
{
	uint64_t want = w->capacity * level->percent / 100, sum = 0;
	uint64_t limit = w->capacity * (level->segments || level->pins ? 40 : 90) / 100;
	bool seen[MAX_ALLOCS] = {};

	while (sum < want && b->step->nr_ops < MAX_OPS - 3 * MAX_SLOTS) {
		uint32_t before[MAX_SLOTS], in_group = 0;
		bool here[MAX_ALLOCS] = {};

		memcpy(before, b->table, sizeof(before));
		for (unsigned int slot = 0; slot < MAX_SLOTS; slot++) {
			int a = vsplit_rng_below(rng, 2) ?
				choose_alloc(w, rng, b->step->client) : -1;

			if (a >= 0 && !here[a] && in_group + w->allocs[a].pages > limit)
				a = -1;
			if (a < 0) {
				if (before[slot])
					emit(b, OP_UNBIND, slot, 0, 0, 0);
				continue;
			}
			emit(b, OP_BIND, slot, a, 0, 0);
			if (!here[a])
				in_group += w->allocs[a].pages;
			here[a] = true;
			sum += seen[a] ? 0 : w->allocs[a].pages;
			seen[a] = true;
		}
		emit_work(w, rng, b);
		/* A few allocations that are chosen again and again cannot reach the footprint. */
		if (vsplit_rng_below(rng, 64) == 0)
			break;
	}
}

/* Pages of all that the table held when the group began, and of all that the group names. */
static uint32_t group_pages(const struct world *w, const bool *in_group, uint32_t more)
{
	uint32_t sum = in_group[more] ? 0 : w->allocs[more].pages;

	for (unsigned int i = 0; i < w->nr_allocs; i++)
		sum += in_group[i] ? w->allocs[i].pages : 0;
	return sum;
}

/*
 * Rows are kept. Most lists must have a solution: so only groups that name every row in use bind
 * large allocations; other groups bind small ones, and leave kept rows wherever they are. A few
 * lists do not follow this rule.
 */
static void make_general(struct world *w, struct vsplit_rng *rng, const struct level *level,
			 struct builder *b)
{
	uint64_t want = w->capacity * level->percent / 100, sum = 0;
	uint64_t limit = w->capacity * (40 + vsplit_rng_below(rng, 50)) / 100;
	bool hard = vsplit_rng_below(rng, 6) == 0;
	bool seen[MAX_ALLOCS] = {};

	for (unsigned int g = 0; g < 300 && sum < want && b->step->nr_ops < MAX_OPS - 100; g++) {
		bool all = vsplit_rng_below(rng, 3), in_group[MAX_ALLOCS] = {};

		for (unsigned int s = 0; s < MAX_SLOTS; s++) {
			if (!b->table[s])
				continue;
			in_group[b->table[s] - 1] = true;
			if (!all && vsplit_rng_below(rng, 4))
				continue;
			if (vsplit_rng_below(rng, 2))
				emit(b, OP_UNBIND, s, 0, 0, 0);
			else
				emit(b, OP_BIND, s, b->table[s] - 1, 0, 0);
		}
		for (unsigned int i = 1 + vsplit_rng_below(rng, 3); i; i--) {
			uint32_t slot = vsplit_rng_below(rng, MAX_SLOTS);
			int a = choose_alloc(w, rng, b->step->client);

			if (a < 0 || group_pages(w, in_group, a) > limit ||
			    (!all && !hard && w->allocs[a].pages > w->capacity / 10)) {
				emit(b, OP_UNBIND, slot, 0, 0, 0);
				continue;
			}
			emit(b, OP_BIND, slot, a, 0, 0);
			in_group[a] = true;
			sum += seen[a] ? 0 : w->allocs[a].pages;
			seen[a] = true;
		}
		emit_work(w, rng, b);
	}
}

void make_world(struct world *w, uint64_t seed, const struct level *level)
{
	/*
	 * One segment whose free space is in one piece: pins come first, and are at its beginning.
	 */
	bool simple = !level->segments && !(level->pins && vsplit_knob("random_placement"));
	struct vsplit_rng rng = { seed };

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->opts.slots = MAX_SLOTS;
	w->opts.test = true;
	w->opts.engines = 1;
	if (level->engines) {
		w->opts.save_restore = vsplit_rng_below(&rng, 2);
		w->opts.paging_own = vsplit_rng_below(&rng, 2);
		w->opts.engines = 1 + vsplit_rng_below(&rng, 3);
	}
	make_segments(w, &rng, level);
	make_allocs(w, &rng, level);
	w->opts.planned = level->engines && vsplit_rng_below(&rng, 2);
	w->nr_steps = 10 + vsplit_rng_below(&rng, MAX_STEPS - 10);
	for (unsigned int i = 0; i < w->nr_steps; i++) {
		struct step *step = &w->steps[i];
		struct builder b = { .step = step };
		uint64_t pages = 0;
		bool seen[MAX_ALLOCS] = {};

		step->client = level->two && vsplit_rng_below(&rng, 5) == 0;
		step->ctx = vsplit_rng_below(&rng, 2);
		step->wait = vsplit_rng_below(&rng, 3) != 0;
		if (vsplit_rng_below(&rng, 6) == 0) {
			step->alloc = vsplit_rng_below(&rng, w->nr_allocs);
			step->byte = vsplit_rng_below(&rng, 256);
			step->offset = vsplit_rng_below(&rng, w->allocs[step->alloc].pages * PAGE);
			step->length = 1 + vsplit_rng_below(&rng, w->allocs[step->alloc].pages *
							    PAGE - step->offset);
			continue;
		}
		step->ops = calloc(MAX_OPS, sizeof(*step->ops));
		igt_assert(step->ops);
		if (vsplit_rng_below(&rng, 2)) {
			make_free(w, &rng, level, &b);
			step->must_fit = simple;
		} else {
			make_general(w, &rng, level, &b);
		}
		for (unsigned int j = 0; j < step->nr_ops; j++) {
			struct op *op = &step->ops[j];

			if (op->type == OP_BIND && !seen[op->other]) {
				seen[op->other] = true;
				pages += w->allocs[op->other].pages;
			}
		}
		for (unsigned int j = 0; j < w->nr_allocs; j++)
			pages += w->allocs[j].pinned && !seen[j] ? w->allocs[j].pages : 0;
		step->must_not_split = simple && pages <= w->capacity;
	}
}

void free_world(struct world *w)
{
	for (unsigned int i = 0; i < w->nr_steps; i++)
		free(w->steps[i].ops);
}

bool resolve_op(const struct world *w, const struct op *op, uint32_t *table, struct op *out)
{
	const struct alloc *a, *b;

	if (op->gone)
		return false;
	*out = *op;
	switch (op->type) {
	case OP_BIND:
		table[op->slot] = op->other + 1;
		return true;
	case OP_UNBIND:
		table[op->slot] = 0;
		return true;
	case OP_GROUP:
		return true;
	default:
		break;
	}
	if (!table[op->slot])
		return false;
	a = &w->allocs[table[op->slot] - 1];
	if (a->read_only)
		return false;
	if (op->type == OP_FILL)
		return op->offset + op->length <= a->pages * PAGE;
	if (!table[op->other])
		return false;
	b = &w->allocs[table[op->other] - 1];
	out->length = min(op->length, min(a->pages, b->pages) * (uint32_t)PAGE);
	return true;
}
