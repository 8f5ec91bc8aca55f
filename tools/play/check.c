// SPDX-License-Identifier: MIT
/*
 * Finds all mistakes of a scenario: those of the language, and those that would appear during a
 * run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/*
 * Find the buffers that the scenario expects to fail, and the contexts that it expects to be lost.
 * What these do is no mistake.
 */
static void find_meant(const struct scenario *s, bool *dmas, bool *contexts)
{
	uint32_t i, j;

	for (i = 0; i < s->num_stmts; i++) {
		const struct stmt *stmt = &s->stmts[i];

		if (stmt->index == NO_INDEX)
			continue;
		for (j = 0; j < stmt->num_checks; j++) {
			const struct check *check = &stmt->checks[j];

			if (stmt->kind == EXPECT_DMA && check->type == CHECK_ERROR)
				dmas[stmt->index] = true;
			if (stmt->kind == EXPECT_CONTEXT && check->type == CHECK_STATE &&
			    check->number != VSPLIT_STATE_ACTIVE)
				contexts[stmt->index] = true;
		}
	}
}

static void check_slot(struct parser *p, const struct op *op, uint32_t slot)
{
	const struct adapter_def *a = &p->s->adapter;
	uint64_t slots = a->slots;
	uint32_t i;

	if (!slots && a->own)
		slots = DEFAULT_SLOTS;
	for (i = 0; i < a->num_options; i++) {
		if (!strcmp(a->options[i], "slots"))
			return;
	}
	p->line = op->line;
	if (slots && slot >= slots && !bad(p, "slot %u: the adapter has slots 0 to %" PRIu64, slot,
					   slots - 1))
		go_on(p);
}

/* One operand of a command: is an allocation bound there, and is it large enough? */
static void check_side(struct parser *p, const struct dma_def *dma, uint32_t index, uint32_t slot,
		       uint64_t offset, uint64_t length)
{
	const struct op *op = &dma->ops[index];
	const struct alloc_def *a = slot_alloc(p->s, dma, index, slot);
	const char *what = op->type == OP_FILL ? "fill" : "copy";

	p->line = op->line;
	check_slot(p, op, slot);
	if (is_lost_slot(p, (uint32_t)(dma - p->s->dmas), index, slot))
		return;
	if (!a) {
		bad(p, "%s: slot %u is not bound here: bind an allocation to it before", what, slot);
		go_on(p);
	} else if ((offset > a->size || length > a->size - offset) && !is_doubtful(p, a->name)) {
		bad(p, "%s: bytes %" PRIu64 " to %" PRIu64 " are outside of %s, which has %" PRIu64,
		    what, offset, offset + length, a->name, a->size);
		go_on(p);
	}
}

/* An allocation that is patched must have a single address. */
static void check_one_piece(struct parser *p, const struct dma_def *dma, const struct op *op)
{
	const struct alloc_def *a = &p->s->allocs[op->alloc];
	uint32_t mode = p->s->contexts[dma->context].mode;

	p->line = op->line;
	if (a->flags & VSPLIT_GEM_RUNS &&
	    (mode == VSPLIT_CTX_MODE_PATCH || mode == VSPLIT_CTX_MODE_EXPLICIT)) {
		bad(p, "bind: %s is in runs, and a context that patches takes no such allocation", a->name);
		go_on(p);
	}
}

static void check_op(struct parser *p, const struct dma_def *dma, uint32_t index)
{
	const struct op *op = &dma->ops[index];
	uint64_t length = op->range.given ? op->range.length :
			  op_default_length(p->s, dma, index);

	switch (op->type) {
	case OP_BIND:
		check_one_piece(p, dma, op);
		/* fall through */
	case OP_UNBIND:
		check_slot(p, op, op->slot);
		break;
	case OP_FILL:
		check_side(p, dma, index, op->slot, op->range.given ? op->range.offset : 0,
			   op->range.given || slot_alloc(p->s, dma, index, op->slot) ? length : 0);
		break;
	case OP_COPY:
		check_side(p, dma, index, op->slot, 0, length);
		if (op->src != op->slot)
			check_side(p, dma, index, op->src, 0, length);
		break;
	default:
		break;
	}
}

static void check_use(struct parser *p)
{
	const struct scenario *s = p->s;
	uint32_t engines = s->adapter.engines ? s->adapter.engines : 1, i, j;
	bool *dmas = need_memory(calloc(s->num_dmas + 1ul, sizeof(*dmas)));
	bool *contexts = need_memory(calloc(s->num_contexts + 1ul, sizeof(*contexts)));

	find_meant(s, dmas, contexts);
	for (i = 0; i < s->num_contexts; i++) {
		p->line = s->contexts[i].line;
		if (s->adapter.own && s->contexts[i].engine >= engines &&
		    !bad(p, "context: engine %u: the adapter has engines 0 to %u",
			 s->contexts[i].engine, engines - 1))
			go_on(p);
	}
	for (i = 0; i < s->num_dmas; i++) {
		if (dmas[i] || contexts[s->dmas[i].context] || is_doubtful(p, s->dmas[i].name))
			continue;
		for (j = 0; j < s->dmas[i].num_ops; j++)
			check_op(p, &s->dmas[i], j);
	}
	free(dmas);
	free(contexts);
}

static int by_line(const void *a, const void *b)
{
	const struct mistake *x = a, *y = b;

	return x->line != y->line ? x->line - y->line : strcmp(x->text, y->text);
}

uint32_t scenario_check_text(const char *path, const char *text, size_t size, FILE *out)
{
	struct parse_error error;
	struct mistakes mistakes = { 0 };
	struct parser p = { .error = &error, .mistakes = &mistakes };
	struct scenario *s = parse_all(&p, path, text, size);
	uint32_t i;

	if (s)
		check_use(&p);
	if (mistakes.count)
		qsort(mistakes.list, mistakes.count, sizeof(*mistakes.list), by_line);
	for (i = 0; i < mistakes.count; i++) {
		fprintf(out, "%s\n", mistakes.list[i].text);
		free(mistakes.list[i].text);
	}
	/* A mistake at the end of the file, which no line follows. */
	if (!s)
		fprintf(out, "%s\n", error.text);
	for (i = 0; i < p.num_doubtful; i++)
		free(p.doubtful[i]);
	free(p.doubtful);
	free(p.doubtful_names.slots);
	free(p.lost);
	free(mistakes.list);
	scenario_free(s);
	return mistakes.count + !s;
}

uint32_t scenario_check(const char *path, FILE *out)
{
	struct parse_error error;
	size_t size;
	char *text = read_text(path, &size, &error);
	uint32_t count;

	if (!text) {
		fprintf(out, "%s\n", error.text);
		return 1;
	}
	count = scenario_check_text(strcmp(path, "-") ? path : "<stdin>", text, size, out);
	free(text);
	return count;
}
