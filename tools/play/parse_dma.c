// SPDX-License-Identifier: MIT
/* DMA buffers and their bodies. */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* No adapter takes a stream of this size; the limit keeps offsets far from overflow. */
#define MAX_STREAM	(1u << 30)

static struct dma_def *body_of(struct parser *p)
{
	return &p->s->dmas[p->s->num_dmas - 1];
}

/* The op of this body that has bound the slot: its index + 1, or 0. */
static uint32_t *binder(struct parser *p, uint32_t slot)
{
	uint32_t size = p->num_binders;

	if (slot >= size) {
		p->num_binders = slot < 2 * size ? 2 * size : slot + 1;
		p->binders = need_memory(reallocarray(p->binders, p->num_binders,
						      sizeof(*p->binders)));
		memset(p->binders + size, 0, (p->num_binders - size) * sizeof(*p->binders));
	}
	return &p->binders[slot];
}

/* In a new body no slot is bound. */
static void forget_binders(struct parser *p)
{
	const struct dma_def *dma = body_of(p);
	uint32_t i;

	for (i = 0; i < dma->num_ops; i++)
		*binder(p, dma->ops[i].slot) = 0;
}

bool parse_dma(struct parser *p)
{
	const char *name, *context;
	struct dma_def *dma;
	uint32_t index;

	if (!need_name(p, "a name", &name))
		return false;
	if (find_dma(p->s, name) != NO_INDEX)
		return bad(p, "dma: there is a DMA buffer %s already", name);
	if (!need_name(p, "its context", &context))
		return false;
	index = find_context(p->s, context);
	if (index == NO_INDEX)
		return NO_SUCH(p, "dma", "context", context, contexts);
	if (p->s->num_dmas)
		forget_binders(p);
	p->s->dmas = append(p->s->dmas, &p->s->num_dmas, sizeof(*p->s->dmas));
	dma = body_of(p);
	dma->name = copy_text(name);
	dma->line = p->line;
	dma->context = index;
	p->in_body = true;
	return need_end(p);
}

static bool need_slot(struct parser *p, const char *what, uint32_t *slot)
{
	uint64_t value;

	/* The driver refuses slots that are too large. */
	if (!need_number(p, what, 0xffffff, &value))
		return false;
	*slot = (uint32_t)value;
	return true;
}

static bool body_bind(struct parser *p, struct op *op)
{
	uint32_t device = p->s->contexts[body_of(p)->context].device;
	const char *name;

	op->type = OP_BIND;
	if (!need_slot(p, "the slot", &op->slot) || !need_name(p, "an allocation", &name))
		return false;
	op->alloc = find_alloc(p->s, name);
	if (op->alloc == NO_INDEX)
		return NO_SUCH(p, "bind", "allocation", name, allocs);
	if (p->s->allocs[op->alloc].device != device)
		return bad(p, "bind: %s is of another device than the context", name);
	return true;
}

static bool body_unbind(struct parser *p, struct op *op)
{
	op->type = OP_UNBIND;
	return need_slot(p, "the slot", &op->slot);
}

static bool body_fill(struct parser *p, struct op *op)
{
	if (is_address(peek_word(p)))
		return body_fill_at(p, op);
	op->type = OP_FILL;
	return need_slot(p, "the slot", &op->slot) &&
	       need_number(p, "the byte", UINT8_MAX, &op->value) &&
	       take_range(p, 0, &op->range);
}

static bool body_copy(struct parser *p, struct op *op)
{
	if (is_address(peek_word(p)))
		return body_copy_at(p, op);
	op->type = OP_COPY;
	if (!need_slot(p, "the destination slot", &op->slot) ||
	    !need_slot(p, "the source slot", &op->src))
		return false;
	op->range.given = peek_word(p);
	return !op->range.given || need_size(p, "length", &op->range.length);
}

static bool body_retile(struct parser *p, struct op *op)
{
	op->type = !strcmp(p->words[0], "swizzle") ? OP_SWIZZLE : OP_UNSWIZZLE;
	return need_slot(p, "the destination slot", &op->slot) &&
	       need_slot(p, "the source slot", &op->src);
}

/* Check the command now, because its operands were bound before. */
static bool check_retile(struct parser *p, uint32_t op)
{
	const struct op *o = &body_of(p)->ops[op];
	uint32_t dma = p->s->num_dmas - 1;

	if (is_lost_slot(p, dma, op, o->slot) || is_lost_slot(p, dma, op, o->src))
		return true;
	return op_rows(p->s, body_of(p), op) ? true :
	       bad(p, "%s: there are no whole rows in both slots", p->words[0]);
}

static bool body_spin(struct parser *p, struct op *op)
{
	op->type = OP_SPIN;
	return need_number(p, "the time", VSPLIT_SPIN_MAX_US, &op->value);
}

static bool body_pad(struct parser *p, struct op *op)
{
	uint64_t from = body_of(p)->length;

	op->type = OP_PAD;
	if (!need_size(p, "the offset", &op->value))
		return false;
	if (op->value % 8)
		return bad(p, "pad: %llu is no multiple of 8", (unsigned long long)op->value);
	if (op->value < from)
		return bad(p, "pad: %llu (0x%llx) lies behind: the commands so far take %llu (0x%llx) bytes",
			   (unsigned long long)op->value, (unsigned long long)op->value,
			   (unsigned long long)from, (unsigned long long)from);
	return true;
}

static bool is_binding(const struct op *op)
{
	return op->type == OP_BIND || op->type == OP_UNBIND;
}

bool parse_body_line(struct parser *p)
{
	static const struct {
		const char *word;
		bool (*parse)(struct parser *p, struct op *op);
	} lines[] = {
		{ "bind", body_bind }, { "unbind", body_unbind }, { "fill", body_fill },
		{ "copy", body_copy }, { "spin", body_spin }, { "pad", body_pad },
		{ "swizzle", body_retile }, { "unswizzle", body_retile },
		{ "primary", body_primary }, { "signal", body_signal },
		{ "wait-fence", body_wait_fence },
	};
	struct dma_def *dma = body_of(p);
	struct guess guess = { 0 };
	char text[160];
	size_t i, len = 0;
	struct op *op;
	bool ok;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strcmp(p->words[0], lines[i].word))
			break;
		guess_try(&guess, p->words[0], lines[i].word);
	}
	if (i == ARRAY_SIZE(lines) && guess.best)
		return bad(p, "'%s' is no command of a dma%s", p->words[0],
			   guess_text(&guess, text));
	if (i == ARRAY_SIZE(lines)) {
		for (i = 0; i < ARRAY_SIZE(lines); i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
						i ? ", " : "", lines[i].word);
		return bad(p, "'%s' is no command of a dma (there are %s)", p->words[0], text);
	}
	dma->ops = append(dma->ops, &dma->num_ops, sizeof(*dma->ops));
	op = &dma->ops[dma->num_ops - 1];
	op->line = p->line;
	ok = lines[i].parse(p, op) && need_end(p);
	if (ok) {
		op->bound = *binder(p, op->slot) - 1;
		op->bound_src = *binder(p, op->src) - 1;
	}
	if (!ok || ((op->type == OP_SWIZZLE || op->type == OP_UNSWIZZLE) &&
		    !check_retile(p, dma->num_ops - 1))) {
		dma->num_ops--;
		return false;
	}
	if (is_binding(op)) {
		*binder(p, op->slot) = op->type == OP_BIND ? dma->num_ops : 0;
		op->group = dma->num_ops == 1 || !is_binding(op - 1);
		op->last = true;
		if (!op->group)
			op[-1].last = false;
	}
	op->offset = dma->length;
	dma->length += op_bytes(op, dma->length);
	return dma->length <= MAX_STREAM ? true :
	       bad(p, "%s: the DMA buffer is over 1G", p->words[0]);
}

bool finish_dma(struct parser *p)
{
	struct dma_def *dma = body_of(p);

	p->in_body = false;
	if (dma->length || is_doubtful(p, dma->name) || is_lost_body(p, p->s->num_dmas - 1))
		return true;
	p->line = dma->line;
	return bad(p, "dma: %s has no commands (indented lines after it)", dma->name);
}
