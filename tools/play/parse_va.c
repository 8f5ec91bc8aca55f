// SPDX-License-Identifier: MIT
/* GPU virtual addresses: map, unmap, sparse, and what a body says of them. */
#include <string.h>

#include "parse.h"

static bool va_statement(struct parser *p, uint32_t type, struct stmt **out)
{
	const char *name;
	struct stmt *stmt = add_stmt(p, STMT_VA);

	stmt->va.type = type;
	*out = stmt;
	return need_name(p, "a device", &name) && device_option(p, name, &stmt->index) &&
	       use_device(p, stmt->index);
}

static bool parse_sized(struct parser *p, uint32_t type)
{
	struct stmt *stmt;

	return va_statement(p, type, &stmt) && need_size(p, "the address", &stmt->va.address) &&
	       need_size(p, "the size", &stmt->va.bytes) && need_end(p);
}

bool parse_unmap(struct parser *p)
{
	return parse_sized(p, VSPLIT_VA_UNMAP);
}

bool parse_sparse(struct parser *p)
{
	return parse_sized(p, VSPLIT_VA_SPARSE);
}

bool parse_map(struct parser *p)
{
	struct stmt *stmt;
	const char *word;

	if (!va_statement(p, VSPLIT_VA_MAP, &stmt) || !need_alloc(p, &stmt->va.alloc))
		return false;
	if (p->s->allocs[stmt->va.alloc].device != stmt->index)
		return bad(p, "map: %s is an allocation of another device",
			   p->s->allocs[stmt->va.alloc].name);
	if (!need_size(p, "the address", &stmt->va.address))
		return false;
	word = peek_word(p);
	if (word && strcmp(word, "read") && !need_size(p, "the offset", &stmt->va.offset))
		return false;
	word = peek_word(p);
	if (word && strcmp(word, "read") && !need_size(p, "the size", &stmt->va.bytes))
		return false;
	if (peek_word(p) && !strcmp(peek_word(p), "read")) {
		next_word(p);
		stmt->va.flags = VSPLIT_VA_OP_READ_ONLY;
	}
	return need_end(p);
}

/* "@0x1000" */
static bool need_address(struct parser *p, const char *what, uint64_t *address)
{
	const char *word;

	if (!need_word(p, what, &word))
		return false;
	return *word == '@' && parse_size(word + 1, address) ? true :
	       bad(p, "%s: %s '%s' is no address (@0x...)", p->words[0], what, word);
}

bool is_address(const char *word)
{
	return word && *word == '@';
}

bool body_fill_at(struct parser *p, struct op *op)
{
	op->type = OP_FILL_AT;
	op->range.given = true;
	return need_address(p, "the address", &op->range.offset) &&
	       need_number(p, "the byte", UINT8_MAX, &op->value) &&
	       need_size(p, "the length", &op->range.length);
}

bool body_copy_at(struct parser *p, struct op *op)
{
	op->type = OP_COPY_AT;
	op->range.given = true;
	return need_address(p, "the destination", &op->range.offset) &&
	       need_address(p, "the source", &op->value) &&
	       need_size(p, "the length", &op->range.length);
}

bool body_primary(struct parser *p, struct op *op)
{
	const struct context_def *c = &p->s->contexts[p->s->dmas[p->s->num_dmas - 1].context];
	uint32_t device = c->device;

	op->type = OP_PRIMARY;
	if (!need_alloc(p, &op->alloc))
		return false;
	if (p->s->allocs[op->alloc].device != device)
		return bad(p, "primary: %s is of another device than the context",
			   p->s->allocs[op->alloc].name);
	/* What a head could show. There need be none in the scenario. */
	if (c->mode == VSPLIT_CTX_MODE_VA) {
		p->s->devices[device].primaries = true;
		if (!p->s->adapter.heads)
			p->s->adapter.heads = 1;
	}
	return true;
}
