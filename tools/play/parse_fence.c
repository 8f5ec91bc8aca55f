// SPDX-License-Identifier: MIT
/* Monitored fences: fence, signal, wait, and the body lines that use them. */
#include "parse.h"

/* fence F [VALUE] */
bool parse_fence(struct parser *p)
{
	struct fence_def *f;
	const char *name;
	uint64_t value = 0;

	if (!need_name(p, "a name", &name))
		return false;
	if (find_fence(p->s, name) != NO_INDEX || find_dma(p->s, name) != NO_INDEX)
		return bad(p, "fence: there is a %s already", name);
	if (peek_word(p) && !need_number(p, "the value", UINT64_MAX, &value))
		return false;
	p->s->fences = append(p->s->fences, &p->s->num_fences, sizeof(*p->s->fences));
	f = &p->s->fences[p->s->num_fences - 1];
	f->name = copy_text(name);
	f->line = p->line;
	f->value = value;
	add_stmt(p, STMT_FENCE)->index = p->s->num_fences - 1;
	return need_end(p);
}

static bool need_fence(struct parser *p, uint32_t *index)
{
	const char *name;

	if (!need_name(p, "a fence", &name))
		return false;
	*index = find_fence(p->s, name);
	return *index != NO_INDEX ? true :
	       NO_SUCH(p, p->words[0], "fence", name, fences);
}

bool parse_signal(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_SIGNAL);

	return need_fence(p, &stmt->index) &&
	       need_number(p, "the value", UINT64_MAX, &stmt->value) && need_end(p);
}

/* Parse the value; the fence's name has been taken already. */
bool parse_wait_fence(struct parser *p, struct stmt *stmt, uint32_t fence)
{
	stmt->type = STMT_WAIT_FENCE;
	stmt->index = fence;
	return need_number(p, "the value", UINT64_MAX, &stmt->value) && need_end(p);
}

/* The first buffer that names a fence determines the device that makes it. */
static bool body_fence(struct parser *p, struct op *op, enum op_type type)
{
	const struct dma_def *dma = &p->s->dmas[p->s->num_dmas - 1];
	uint32_t device = p->s->contexts[dma->context].device;
	struct fence_def *f;
	uint32_t index;

	op->type = type;
	if (!need_fence(p, &index) || !need_number(p, "the value", UINT64_MAX, &op->value))
		return false;
	op->alloc = index;
	f = &p->s->fences[index];
	if (!f->used)
		f->device = device;
	f->used = true;
	return true;
}

bool body_signal(struct parser *p, struct op *op)
{
	return body_fence(p, op, OP_SIGNAL);
}

bool body_wait_fence(struct parser *p, struct op *op)
{
	return body_fence(p, op, OP_WAIT_FENCE);
}
