/* SPDX-License-Identifier: MIT */
/*
 * Examples for the planner: a problem in a few lines, and its plan as text. Sizes are pages. This
 * file includes the harness; each program with examples includes it.
 */
#ifndef _SPLIT_EXAMPLE_H_
#define _SPLIT_EXAMPLE_H_

#include "harness.h"
#include "split_problem.h"

static struct problem p;

#define APERTURE VSPLIT_SPLIT_SEG_APERTURE
#define WRITE VSPLIT_SPLIT_ALLOC_WRITE
#define DIRTY VSPLIT_SPLIT_ALLOC_DIRTY
#define CLEAR VSPLIT_SPLIT_ALLOC_CLEAR
#define DISCARD VSPLIT_SPLIT_ALLOC_DISCARD
#define PINNED VSPLIT_SPLIT_ALLOC_PINNED

/* One empty memory segment of @pages. */
static void start(u64 pages, u32 length)
{
	problem_init(&p, length);
	problem_segment(&p, pages, pages, 0);
}

static u32 alloc(u64 pages)
{
	return problem_alloc(&p, pages, 0);
}

static void bind(u32 slot, u32 a, u32 split)
{
	problem_entry(&p, slot, a, split);
}

static void unbind(u32 slot, u32 split)
{
	problem_entry(&p, slot, NONE, split);
}

static void put(char *text, size_t size, const char *fmt, ...)
{
	size_t at = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
}

/* Print "@offset"; with several segments the segment comes first. */
static void put_place(char *text, size_t size, u32 seg, u64 offset)
{
	if (p.in.nr_segments > 1)
		put(text, size, "%u", seg);
	put(text, size, "@%llu", (unsigned long long)(offset / PAGE));
}

/*
 * Print a plan, for example "out A@0* in B@0 move C@8>@0 [0,100) 0:2". Star: bytes are written back
 * or loaded; tilde: filled. Page-ins without a star or tilde are maps. "after N": the operation
 * waits for N portions, instead of all portions before its own.
 */
static const char *plan_text(void)
{
	static char text[4096];
	u32 k, i;

	text[0] = 0;
	for (k = 0; k < p.out.nr_portions; k++) {
		const struct vsplit_split_portion *q = &p.portions[k];

		for (i = q->first_op; i < q->first_op + q->nr_ops; i++) {
			const struct vsplit_split_op *op = &p.ops[i];
			static const char *const verb[] = { "out", "in", "move" };

			put(text, sizeof(text), "%s %c", verb[op->type], 'A' + (int)op->alloc);
			if (op->from_seg != SYSTEM)
				put_place(text, sizeof(text), op->from_seg, op->from);
			if (op->type == VSPLIT_SPLIT_MOVE)
				put(text, sizeof(text), ">");
			if (op->to_seg != SYSTEM)
				put_place(text, sizeof(text), op->to_seg, op->to);
			put(text, sizeof(text), "%s%s ",
			    op->flags & VSPLIT_SPLIT_OP_TRANSFER ? "*" : "",
			    op->flags & VSPLIT_SPLIT_OP_FILL ? "~" : "");
			if (op->after != op->portion)
				put(text, sizeof(text), "after %u ", op->after);
		}
		put(text, sizeof(text), "[%x,%x) %u:%u ", q->begin, q->end, q->first_entry,
		    q->first_entry + q->nr_entries);
	}
	if (text[0])
		text[strlen(text) - 1] = 0;
	return text;
}

/* Make the plan, check the rules, and compare its text. */
static void expect(int ret, const char *text)
{
	const char *bad;

	problem_plan(&p);
	if (p.ret != ret)
		t_fail("result %d, not %d: %s", p.ret, ret, plan_text());
	else if (text && strcmp(plan_text(), text))
		t_fail("is \"%s\", not \"%s\"", plan_text(), text);
	bad = split_judge(&p, NULL, NULL, false);
	if (bad)
		t_fail("%s", bad);
}

__attribute__((unused))
static void fails_at(u32 entry)
{
	t_equal(p.out.fail_entry, entry);
}

#endif /* _SPLIT_EXAMPLE_H_ */
