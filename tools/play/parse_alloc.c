// SPDX-License-Identifier: MIT
/* Allocations: alloc, surface, import, dumb, priority. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define DEFAULT_PITCH	512	/* of swizzled allocations and surfaces, bytes */
#define MAX_DUMB	16384	/* pixels of a side, against overflow; the driver allows less */

char *next_item(char **list)
{
	char *item = *list, *comma;

	if (!item)
		return NULL;
	comma = strchr(item, ',');
	if (comma)
		*comma = '\0';
	*list = comma ? comma + 1 : NULL;
	return item;
}

bool need_alloc(struct parser *p, uint32_t *index)
{
	const char *name;

	if (!need_name(p, "an allocation", &name))
		return false;
	*index = find_alloc(p->s, name);
	if (*index == NO_INDEX)
		return NO_SUCH(p, p->words[0], "allocation", name, allocs);
	return use_device(p, p->s->allocs[*index].device);
}

/* Add an allocation named by the next word. Returns NULL, and complains, if there is no name. */
static struct alloc_def *new_alloc(struct parser *p, const char *what)
{
	struct alloc_def *a;
	const char *name;

	if (!need_name(p, what, &name))
		return NULL;
	if (find_alloc(p->s, name) != NO_INDEX) {
		bad(p, "%s: there is an allocation %s already", p->words[0], name);
		return NULL;
	}
	p->s->allocs = append(p->s->allocs, &p->s->num_allocs, sizeof(*p->s->allocs));
	a = &p->s->allocs[p->s->num_allocs - 1];
	a->name = copy_text(name);
	a->line = p->line;
	return a;
}

/* ---- options ----------------------------------------------------------- */

/* Suffixes of a segment's name: ":read", ":end", in any order. */
static bool segment_suffix(struct parser *p, char *item, uint8_t *flags)
{
	char *suffix = strchr(item, ':'), *next;

	*flags = 0;
	for (; suffix; suffix = next) {
		*suffix++ = '\0';
		next = strchr(suffix, ':');
		if (next)
			*next = '\0';
		if (!strcmp(suffix, "read"))
			*flags |= VSPLIT_GEM_SEGMENT_READ_ONLY;
		else if (!strcmp(suffix, "end"))
			*flags |= VSPLIT_GEM_SEGMENT_TOPDOWN;
		else
			return bad(p, "%s: a segment is :read or :end, not ':%s'", p->words[0],
				   suffix);
	}
	return true;
}

/* @flags: NULL if the names may have no suffixes. */
static bool alloc_segments(struct parser *p, const char *key, const char *value,
			   char **segments, uint8_t *flags, uint32_t *num)
{
	char *list = copy_text(value), *rest = list, *item;
	const char *what = p->words[0];
	bool ok = true;
	uint32_t i;

	if (*num)
		ok = bad(p, "%s: %s= is given twice", what, key);
	while (ok && (item = next_item(&rest))) {
		uint8_t flag = 0;

		if (flags)
			ok = segment_suffix(p, item, &flag);
		for (i = 0; ok && i < *num; i++) {
			if (!strcmp(segments[i], item))
				ok = bad(p, "%s: %s= names %s twice", what, key, item);
		}
		if (ok && !is_name(item))
			ok = bad(p, "%s: '%s' is no name of a segment", what, item);
		else if (ok && *num == VSPLIT_MAX_SEGMENTS)
			ok = bad(p, "%s: %s= names more than %d segments", what, key,
				 VSPLIT_MAX_SEGMENTS);
		if (!ok)
			break;
		if (flags)
			flags[*num] = flag;
		segments[(*num)++] = copy_text(item);
	}
	free(list);
	return ok;
}

static bool priority_value(struct parser *p, const char *value, uint32_t *priority)
{
	static const struct {
		const char *name;
		uint32_t value;
	} names[] = {
		{ "min", VSPLIT_PRIORITY_MIN }, { "low", VSPLIT_PRIORITY_LOW },
		{ "normal", VSPLIT_PRIORITY_NORMAL }, { "high", VSPLIT_PRIORITY_HIGH },
		{ "max", VSPLIT_PRIORITY_MAX },
	};
	uint64_t number;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(value, names[i].name)) {
			*priority = names[i].value;
			return true;
		}
	}
	if (!parse_number(value, &number) || !number || number > VSPLIT_PRIORITY_MAX)
		return bad(p, "%s: priority '%s' is neither min, low, normal, high or max, nor a number from 1 to 0x%x",
			   p->words[0], value, VSPLIT_PRIORITY_MAX);
	/*
	 * The lowest priority of the driver is a large number. Small numbers are shifted, in order.
	 */
	*priority = (uint32_t)number + (number < VSPLIT_PRIORITY_MIN ? VSPLIT_PRIORITY_MIN : 0);
	return true;
}

static bool alloc_pitch(struct parser *p, struct alloc_def *a, const char *value)
{
	if (!parse_size(value, &a->pitch) || !a->pitch || a->pitch > UINT32_MAX)
		return bad(p, "%s: pitch '%s' is no size under 4G", p->words[0], value);
	return true;
}

static bool tiled_pitch(struct parser *p, const struct alloc_def *a)
{
	if (a->pitch % VSPLIT_TILE_WIDTH)
		return bad(p, "%s: pitch %" PRIu64 " is no multiple of %u", p->words[0], a->pitch,
			   VSPLIT_TILE_WIDTH);
	return true;
}

static bool alloc_align(struct parser *p, struct alloc_def *a, const char *value)
{
	if (!parse_size(value, &a->align) || !a->align || a->align & (a->align - 1))
		return bad(p, "%s: align %s is no power of two", p->words[0], value);
	return true;
}

/*
 * Take an option of alloc or surface. Returns false without complaint if the word is another one.
 */
static bool common_option(struct parser *p, struct alloc_def *a, const char *word, bool *ok)
{
	const char *value;

	if (key_value(word, "in", &value))
		*ok = alloc_segments(p, "in", value, a->segments, a->segment_flags,
				     &a->num_segments);
	else if (key_value(word, "evict-to", &value))
		*ok = alloc_segments(p, "evict-to", value, a->evict_to, NULL, &a->num_evict_to);
	else if (key_value(word, "device", &value))
		*ok = device_option(p, value, &a->device);
	else if (key_value(word, "priority", &value))
		*ok = priority_value(p, value, &a->priority);
	else if (key_value(word, "pitch", &value))
		*ok = alloc_pitch(p, a, value);
	else if (key_value(word, "align", &value))
		*ok = alloc_align(p, a, value);
	else
		return false;
	return true;
}

/* ---- alloc ------------------------------------------------------------- */

static bool alloc_side(struct parser *p, const char *key, const char *value, uint64_t *side)
{
	if (!parse_number(value, side) || !*side || *side > MAX_DUMB)
		return bad(p, "alloc: %s '%s' is no number from 1 to %u", key, value, MAX_DUMB);
	return true;
}

static bool alloc_option(struct parser *p, struct alloc_def *a, const char *word)
{
	const char *value;
	bool ok;

	if (common_option(p, a, word, &ok))
		return ok;
	if (key_value(word, "width", &value))
		return alloc_side(p, "width", value, &a->width);
	if (key_value(word, "height", &value))
		return alloc_side(p, "height", value, &a->height);
	if (!strcmp(word, "pinned"))
		a->flags |= VSPLIT_GEM_PINNED;
	else if (!strcmp(word, "cpu"))
		a->flags |= VSPLIT_GEM_CPU_ACCESS;
	else if (!strcmp(word, "swizzled"))
		a->flags |= VSPLIT_GEM_SWIZZLED;
	else if (!strcmp(word, "end"))
		a->flags |= VSPLIT_GEM_TOPDOWN;
	else if (!strcmp(word, "runs"))
		a->flags |= VSPLIT_GEM_RUNS;
	else
		return bad(p, "alloc: unexpected '%s'", word);
	return true;
}

/*
 * Check options with runs: none may need a single place. That the segment is a memory segment is
 * checked later.
 */
static bool alloc_runs(struct parser *p, const struct alloc_def *a)
{
	if (a->flags != VSPLIT_GEM_RUNS || a->pitch || a->width || a->height ||
	    a->align > MIN_PAGE || a->num_evict_to)
		return bad(p, "alloc: an allocation in runs takes no options but in=, device= and priority=");
	if (a->num_segments != 1 || a->segment_flags[0])
		return bad(p, "alloc: an allocation in runs needs one memory segment: in=SEG");
	return true;
}

static bool alloc_layout(struct parser *p, struct alloc_def *a)
{
	if (a->flags & VSPLIT_GEM_RUNS)
		return alloc_runs(p, a);
	if (a->width || a->height)
		return check_picture_alloc(p, a);
	if (!(a->flags & VSPLIT_GEM_SWIZZLED))
		return a->pitch ? bad(p, "alloc: pitch= is of a swizzled one, or one with width= and height=") :
				  true;
	if (a->flags & VSPLIT_GEM_PINNED)
		return bad(p, "alloc: a swizzled allocation cannot be pinned");
	if (!a->pitch)
		a->pitch = DEFAULT_PITCH;
	return tiled_pitch(p, a);
}

bool parse_alloc(struct parser *p)
{
	struct alloc_def *a = new_alloc(p, "a name");
	const char *word;

	if (!a || !need_size(p, "size", &a->size))
		return false;
	if (!a->size)
		return bad(p, "alloc: the size is 0");
	while ((word = next_word(p))) {
		if (!alloc_option(p, a, word))
			return false;
	}
	if (!alloc_layout(p, a))
		return false;
	add_stmt(p, STMT_ALLOC)->index = p->s->num_allocs - 1;
	return true;
}

/* ---- surface ----------------------------------------------------------- */

static bool surface_private(struct parser *p, struct alloc_def *a, const char *value)
{
	uint64_t byte;

	if (!parse_number(value, &byte) || byte > UINT8_MAX)
		return bad(p, "surface: private '%s' is no byte", value);
	a->private_byte = (uint8_t)byte;
	return true;
}

/* Make two allocations, tiles and rows, which differ only in name and kind. */
bool parse_surface(struct parser *p)
{
	struct alloc_def *rows, *tiles;
	const char *word, *value;
	struct alloc_def like;
	uint32_t i;
	bool ok;

	if (!new_alloc(p, "a name for the tiles"))
		return false;
	rows = new_alloc(p, "a name for the rows");
	if (!rows || !need_size(p, "size", &rows->size))
		return false;
	if (!rows->size)
		return bad(p, "surface: the size is 0");
	while ((word = next_word(p))) {
		if (key_value(word, "private", &value))
			ok = surface_private(p, rows, value);
		else if (!common_option(p, rows, word, &ok))
			ok = bad(p, "surface: unexpected '%s'", word);
		if (!ok)
			return false;
	}
	if (!rows->pitch)
		rows->pitch = DEFAULT_PITCH;
	if (!tiled_pitch(p, rows))
		return false;
	rows->kind = ALLOC_ROWS;

	tiles = rows - 1;
	like = *rows;
	like.name = tiles->name;
	like.kind = ALLOC_TILES;
	for (i = 0; i < like.num_segments; i++)
		like.segments[i] = copy_text(like.segments[i]);
	for (i = 0; i < like.num_evict_to; i++)
		like.evict_to[i] = copy_text(like.evict_to[i]);
	*tiles = like;
	add_stmt(p, STMT_SURFACE)->index = p->s->num_allocs - 2;
	return true;
}

/* ---- import, dumb ------------------------------------------------------ */

/* Share an allocation with another device, as a dma-buf. */
bool parse_import(struct parser *p)
{
	struct alloc_def *a = new_alloc(p, "a name");
	const char *word, *value;
	uint32_t source;

	if (!a || !need_alloc(p, &source))
		return false;
	if (&p->s->allocs[source] == a)
		return bad(p, "import: %s is no import of itself", a->name);
	a->kind = ALLOC_IMPORT;
	a->source = source;
	a->size = p->s->allocs[source].size;
	a->width = p->s->allocs[source].width;
	a->height = p->s->allocs[source].height;
	a->bpp = p->s->allocs[source].bpp;
	while ((word = next_word(p))) {
		if (!key_value(word, "device", &value))
			return bad(p, "import: unexpected '%s'", word);
		if (!device_option(p, value, &a->device))
			return false;
	}
	add_stmt(p, STMT_IMPORT)->index = p->s->num_allocs - 1;
	return true;
}

bool parse_dumb(struct parser *p)
{
	struct alloc_def *a = new_alloc(p, "a name");
	const char *word, *value;
	uint64_t bpp;

	if (!a || !need_number(p, "the width", MAX_DUMB, &a->width) ||
	    !need_number(p, "the height", MAX_DUMB, &a->height) ||
	    !need_number(p, "bits per pixel", 64, &bpp))
		return false;
	if (!a->width || !a->height || !bpp || bpp % 8)
		return bad(p, "dumb: sides are not 0, and a pixel has whole bytes");
	a->kind = ALLOC_DUMB;
	a->bpp = (uint32_t)bpp;
	/* The size of the rows as given; the driver may make them longer. */
	a->size = a->width * a->height * (bpp / 8);
	while ((word = next_word(p))) {
		if (!key_value(word, "device", &value))
			return bad(p, "dumb: unexpected '%s'", word);
		if (!device_option(p, value, &a->device))
			return false;
	}
	if (!p->s->devices[a->device].primary)
		return bad(p, "dumb: needs a device with node=primary");
	add_stmt(p, STMT_DUMB)->index = p->s->num_allocs - 1;
	return true;
}

/* ---- priority ---------------------------------------------------------- */

bool parse_priority(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_PRIORITY);
	const char *word;

	return need_alloc(p, &stmt->index) && need_word(p, "the priority", &word) &&
	       priority_value(p, word, &stmt->priority) && need_end(p);
}
