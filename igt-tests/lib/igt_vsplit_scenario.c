// SPDX-License-Identifier: MIT
/* Worlds of vsplit_property: writing them as scenarios. */
#include "igt.h"
#include "igt_vsplit_world.h"

static bool named(const struct world *w, uint32_t alloc)
{
	for (unsigned int i = 0; i < w->nr_steps; i++) {
		const struct step *step = &w->steps[i];

		if (step->gone)
			continue;
		if (!step->nr_ops && step->alloc == alloc)
			return true;
		for (unsigned int j = 0; j < step->nr_ops; j++)
			if (!step->ops[j].gone && step->ops[j].type == OP_BIND &&
			    step->ops[j].other == alloc)
				return true;
	}
	return w->allocs[alloc].pinned;
}

static void write_step(FILE *f, const struct world *w, unsigned int i)
{
	const struct step *step = &w->steps[i];
	uint32_t table[MAX_SLOTS] = {};
	bool any = false;
	struct op op;

	if (!step->nr_ops) {
		fprintf(f, "wait all\nwrite X%u %u %u %u\n", step->alloc, step->byte, step->offset,
			step->length);
		return;
	}
	fprintf(f, "dma B%u C%u_%u\n", i, step->client, step->ctx);
	for (unsigned int j = 0; j < step->nr_ops; j++) {
		if (!resolve_op(w, &step->ops[j], table, &op))
			continue;
		any = true;
		switch (op.type) {
		case OP_BIND:
			fprintf(f, "  bind %u X%u\n", op.slot, op.other);
			break;
		case OP_UNBIND:
			fprintf(f, "  unbind %u\n", op.slot);
			break;
		case OP_FILL:
			fprintf(f, "  fill %u %u %u %u\n", op.slot, op.other, op.offset, op.length);
			break;
		case OP_COPY:
			fprintf(f, "  copy %u %u %u\n", op.slot, op.other, op.length);
			break;
		case OP_GROUP:
			fprintf(f, "  spin 0\n");
			break;
		}
	}
	if (!any)
		fprintf(f, "  spin 0\n");
	fprintf(f, "submit B%u\n%s", i, step->wait ? "wait all\n" : "");
}

/* What must happen to a buffer: what the generator knows, and else the driver's answer. */
static void write_expected(FILE *f, const struct step *step, unsigned int i)
{
	if (step->must_not_split)
		fprintf(f, "expect B%u ok portions=1\n", i);
	else if (step->must_fit || !step->refused)
		fprintf(f, "expect B%u ok\n", i);
	else
		fprintf(f, "expect B%u error=ENOSPC\n", i);
}

/* The expected bytes, as far as a few lines for each allocation can tell them. */
static void write_bytes(FILE *f, const struct world *w, struct vsplit_bo *const *bos)
{
	for (unsigned int a = 0; a < w->nr_allocs; a++) {
		const struct vsplit_bo *bo = bos[a];
		uint64_t at = 0, end;

		for (unsigned int n = 0; named(w, a) && at < bo->size && n < 32; n++, at = end) {
			end = at + 1;
			while (end < bo->size && bo->shadow[end] == bo->shadow[at])
				end++;
			fprintf(f, "expect X%u bytes=%u %" PRIu64 " %" PRIu64 "\n", a, bo->shadow[at],
				at, end - at);
		}
	}
}

static void write_adapter(FILE *f, const struct world *w)
{
	const struct vsplit_seg_opts *seg;

	for (seg = w->opts.segs; seg->name; seg++) {
		fprintf(f, "segment %s %s %" PRIu64, seg->name, seg->aperture ? "aperture" : "memory",
			seg->size);
		if (seg->commit)
			fprintf(f, " commit=%" PRIu64, seg->commit);
		if (seg->cpu && !seg->aperture)
			fprintf(f, " cpu=%s", seg->cpu);
		fprintf(f, "\n");
	}
	if (w->opts.planned)
		fprintf(f, "adapter splits=planned\n");
	fprintf(f, "slots %u\n", w->opts.slots);
	for (unsigned int i = 0; i < w->opts.engines; i++)
		fprintf(f, "engine save-restore=%s paging=%s\n", w->opts.save_restore ? "yes" : "no",
			w->opts.paging_own ? "own" : "same");
}

void write_scenario(FILE *f, const struct world *w, struct vsplit_bo *const *bos, unsigned int ran,
		    const char *reason)
{
	fprintf(f, "# %s\n", reason);
	fprintf(f, "# vsplit_property, seed %" PRIu64 ".\n", w->seed);
	write_adapter(f, w);
	fprintf(f, "device D0\ndevice D1\n");
	for (unsigned int c = 0; c < 4; c++)
		fprintf(f, "context C%u_%u device=D%u engine=%u\n", c / 2, c % 2, c / 2,
			c % 2 % w->opts.engines);
	for (unsigned int i = 0; i < w->nr_allocs; i++) {
		const struct alloc *a = &w->allocs[i];

		if (!named(w, i))
			continue;
		fprintf(f, "alloc X%u %u in=", i, a->pages * PAGE);
		for (unsigned int s = 0; a->segs[s]; s++)
			fprintf(f, "%s%s", s ? "," : "", w->opts.segs[a->segs[s] - 1].name);
		fprintf(f, " device=D%u%s\n", a->client, a->pinned ? " pinned" : "");
	}
	for (unsigned int i = 0; i < ran; i++)
		if (!w->steps[i].gone)
			write_step(f, w, i);
	fprintf(f, "wait all\n");
	for (unsigned int i = 0; i < ran; i++)
		if (!w->steps[i].gone && w->steps[i].nr_ops)
			write_expected(f, &w->steps[i], i);
	write_bytes(f, w, bos);
}
