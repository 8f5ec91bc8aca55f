// SPDX-License-Identifier: MIT
/* The display: head, flip, and checks of heads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define MAX_HEADS	16u	/* of an adapter */
#define MAX_MODE	4096u	/* pixels; side of a mode */
#define FB_BPP		32u	/* bits per pixel of pictures in allocations: XRGB8888 */
#define FB_ALIGN	8u	/* bytes */

/* ---- head -------------------------------------------------------------- */

static bool parse_mode(struct parser *p, const char *value, struct head_def *head)
{
	char *text = copy_text(value), *cross = strchr(text, 'x');
	uint64_t width = 0, height = 0;
	bool ok = cross;

	if (cross)
		*cross = '\0';
	ok = ok && parse_number(text, &width) && parse_number(cross + 1, &height) && width &&
	     height && width <= MAX_MODE && height <= MAX_MODE;
	free(text);
	head->width = (uint32_t)width;
	head->height = (uint32_t)height;
	return ok ? true : bad(p, "head: mode '%s' is no WIDTHxHEIGHT up to %ux%u", value, MAX_MODE,
			       MAX_MODE);
}

/* Number of earlier heads on the same adapter. */
static uint32_t heads_before(const struct scenario *s, uint32_t device)
{
	uint32_t i, n = 0;

	for (i = 0; i < s->num_heads; i++)
		n += same_adapter(s, s->heads[i].device, device);
	return n;
}

bool parse_head(struct parser *p)
{
	struct head_def head = { .line = p->line };
	const char *name, *word, *value;
	bool ok, device = false;

	p->s->adapter.own = true;
	if (!need_name(p, "a name", &name))
		return false;
	if (find_head(p->s, name) != NO_INDEX)
		return bad(p, "head: there is a head %s already", name);
	while ((word = next_word(p))) {
		if (key_value(word, "mode", &value)) {
			ok = parse_mode(p, value, &head);
		} else if (key_value(word, "device", &value)) {
			ok = device_option(p, value, &head.device);
			device = true;
		} else {
			ok = bad(p, "head: unexpected '%s'", word);
		}
		if (!ok)
			return false;
	}
	/* The device without a name becomes primary by itself. */
	if (!device)
		p->s->devices[DEFAULT_DEVICE].primary = true;
	if (!p->s->devices[head.device].primary)
		return bad(p, "head: needs a device with node=primary");
	head.pipe = heads_before(p->s, head.device);
	if (head.pipe == MAX_HEADS)
		return bad(p, "head: an adapter has no more than %u heads", MAX_HEADS);
	if (head.pipe >= p->s->adapter.heads)
		p->s->adapter.heads = head.pipe + 1;
	head.name = copy_text(name);
	p->s->heads = append(p->s->heads, &p->s->num_heads, sizeof(*p->s->heads));
	p->s->heads[p->s->num_heads - 1] = head;
	add_stmt(p, STMT_HEAD)->index = p->s->num_heads - 1;
	return true;
}

/* ---- flip -------------------------------------------------------------- */

/* The smallest number of bytes from one row of 32-bit pixels to the next. */
static uint64_t least_pitch(uint64_t width)
{
	return (width * (FB_BPP / 8) + FB_ALIGN - 1) / FB_ALIGN * FB_ALIGN;
}

bool check_picture_alloc(struct parser *p, struct alloc_def *a)
{
	uint64_t row = a->width * (FB_BPP / 8);

	if (!a->width || !a->height)
		return bad(p, "alloc: width= and height= go together");
	if (a->flags & VSPLIT_GEM_SWIZZLED)
		return bad(p, "alloc: a swizzled allocation has no width= and height=, because no head shows it");
	if (a->pitch && (a->pitch < row || a->pitch % FB_ALIGN))
		return bad(p, "alloc: pitch %" PRIu64 " is no multiple of %u from %" PRIu64 " on",
			   a->pitch, FB_ALIGN, row);
	a->fb_pitch = a->pitch ? a->pitch : least_pitch(a->width);
	a->pitch = 0;
	a->bpp = FB_BPP;
	if (a->fb_pitch * a->height > a->size)
		return bad(p, "alloc: %" PRIu64 " rows of %" PRIu64 " bytes are over the size",
			   a->height, a->fb_pitch);
	return true;
}

/* An allocation without a size gets that of the mode of the first head that shows it. */
static bool need_picture(struct parser *p, const struct head_def *h, struct alloc_def *a)
{
	uint64_t pitch = least_pitch(h->width);

	if (a->width)
		return true;
	if (a->flags & VSPLIT_GEM_RUNS)
		return bad(p, "flip: %s is in runs, and a head shows only allocations in one piece", a->name);
	if (a->kind != ALLOC_PLAIN || a->flags & VSPLIT_GEM_SWIZZLED || !h->width)
		return bad(p, "flip: %s is neither a dumb buffer nor an allocation with width= and height=",
			   a->name);
	if (pitch * h->height > a->size)
		return bad(p, "flip: %s has %" PRIu64 " bytes, and the %ux%u of %s take %" PRIu64,
			   a->name, a->size, h->width, h->height, h->name, pitch * h->height);
	a->width = h->width;
	a->height = h->height;
	a->fb_pitch = pitch;
	a->bpp = FB_BPP;
	return true;
}

static bool need_head(struct parser *p, uint32_t *index)
{
	const char *name;

	if (!need_name(p, "a head", &name))
		return false;
	*index = find_head(p->s, name);
	if (*index == NO_INDEX)
		return NO_SUCH(p, p->words[0], "head", name, heads);
	return use_device(p, p->s->heads[*index].device);
}

bool parse_flip(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_FLIP);
	const char *word, *value;

	if (!need_head(p, &stmt->index) || !need_alloc(p, &stmt->alloc))
		return false;
	if (!need_picture(p, &p->s->heads[stmt->index], &p->s->allocs[stmt->alloc]))
		return false;
	while ((word = next_word(p))) {
		if (!strcmp(word, "async")) {
			stmt->async = true;
			continue;
		}
		if (!key_value(word, "after", &value))
			return bad(p, "flip: unexpected '%s'", word);
		if (!submit_after(p, stmt, value))
			return false;
	}
	if (stmt->num_after > 1)
		return bad(p, "flip: after= names one DMA buffer");
	return true;
}

bool parse_wait_head(struct parser *p, struct stmt *stmt, uint32_t head)
{
	stmt->type = STMT_WAIT_HEAD;
	stmt->index = head;
	return use_device(p, p->s->heads[head].device) && need_end(p);
}

/* ---- expect ------------------------------------------------------------ */

/* "X,Y,0xRRGGBB" */
bool parse_pixel(struct parser *p, struct check *check, const char *value)
{
	char *list = copy_text(value), *rest = list, *item;
	uint64_t numbers[3];
	uint32_t n = 0;
	bool ok = true;

	while (ok && (item = next_item(&rest)))
		ok = n < 3 && parse_number(item, &numbers[n++]);
	free(list);
	if (!ok || n != 3 || numbers[0] >= MAX_MODE || numbers[1] >= MAX_MODE ||
	    numbers[2] > 0xffffff)
		return bad(p, "expect: '%s' is no pixel: X,Y,0xRRGGBB", value);
	check->x = (uint32_t)numbers[0];
	check->y = (uint32_t)numbers[1];
	check->number = numbers[2];
	return true;
}

bool check_head(struct parser *p, struct stmt *stmt)
{
	struct head_def *h = &p->s->heads[stmt->index];
	uint32_t i;

	for (i = 0; i < stmt->num_checks; i++) {
		const struct check *check = &stmt->checks[i];

		if (check->type == CHECK_ERROR)
			h->error_expected = true;
		if (check->type == CHECK_PIXEL && h->width &&
		    (check->x >= h->width || check->y >= h->height))
			return bad(p, "expect: pixel %u,%u is outside of %s", check->x, check->y,
				   h->name);
	}
	return use_device(p, h->device);
}
