// SPDX-License-Identifier: MIT
/* GPU virtual addresses: map, unmap, sparse, and the body lines that use them. */
#include <inttypes.h>
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

/* Check for multiples of the smallest page. If the adapter has larger pages, the driver checks. */
static bool need_pages(struct parser *p, const char *what, uint64_t value)
{
	return value % MIN_PAGE ? bad(p, "%s: %s 0x%" PRIx64 " is no multiple of %u (a page)",
				      p->words[0], what, value, MIN_PAGE) : true;
}

/* Check the size and the end of the range. */
static bool need_bytes(struct parser *p, const struct va_def *va)
{
	if (!va->bytes)
		return bad(p, "%s: the size is 0", p->words[0]);
	if (va->address + va->bytes < va->address)
		return bad(p, "%s: %" PRIu64 " bytes from 0x%" PRIx64 " on go over the last address",
			   p->words[0], va->bytes, va->address);
	return need_pages(p, "the address", va->address) && need_pages(p, "the size", va->bytes);
}

static bool parse_sized(struct parser *p, uint32_t type)
{
	struct stmt *stmt;

	return va_statement(p, type, &stmt) && need_size(p, "the address", &stmt->va.address) &&
	       need_size(p, "the size", &stmt->va.bytes) && need_bytes(p, &stmt->va) && need_end(p);
}

bool parse_unmap(struct parser *p)
{
	return parse_sized(p, VSPLIT_VA_UNMAP);
}

bool parse_sparse(struct parser *p)
{
	return parse_sized(p, VSPLIT_VA_SPARSE);
}

/* Without a size, the range ends at the end of the allocation. */
static bool map_range(struct parser *p, const struct alloc_def *a, const struct va_def *va,
		      bool sized)
{
	const uint64_t size = (a->size + MIN_PAGE - 1) / MIN_PAGE * MIN_PAGE;
	struct va_def range = *va;

	/* The size of these allocations is known to the driver only. */
	if (a->kind != ALLOC_PLAIN || a->pitch)
		return sized && !va->bytes ? bad(p, "map: the size is 0") : true;
	if (va->offset >= size)
		return bad(p, "map: offset %" PRIu64 " is not inside of %s, which has %" PRIu64,
			   va->offset, a->name, size);
	if (sized && !need_inside(p, a, size, va->offset, va->bytes))
		return false;
	if (!sized)
		range.bytes = size - va->offset;
	return need_pages(p, "the offset", va->offset) && need_bytes(p, &range);
}

bool parse_map(struct parser *p)
{
	struct stmt *stmt;
	const char *word;
	bool sized;

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
	sized = word && strcmp(word, "read");
	if (sized && !need_size(p, "the size", &stmt->va.bytes))
		return false;
	if (!map_range(p, &p->s->allocs[stmt->va.alloc], &stmt->va, sized))
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
	/*
	 * The packet takes allocations that a head could show. The scenario need not have a head.
	 */
	if (c->mode == VSPLIT_CTX_MODE_VA) {
		p->s->devices[device].primaries = true;
		if (!p->s->adapter.heads)
			p->s->adapter.heads = 1;
	}
	return true;
}
