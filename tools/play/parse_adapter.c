// SPDX-License-Identifier: MIT
/* The statements that describe the adapter. */
#include <inttypes.h>
#include <string.h>

#include "parse.h"

static bool need_segment_pages(struct parser *p, const char *what, uint64_t value)
{
	return value % MIN_PAGE ? bad(p, "segment: %s %" PRIu64 " is no multiple of %u (a page)", what,
				      value, MIN_PAGE) : true;
}

static bool need_segment_size(struct parser *p, const char *what, const char *text,
			      uint64_t *value)
{
	return parse_size(text, value) ? true :
	       bad(p, "segment: %s '%s' is no size such as 4096, 64K, 8M or 1G", what, text);
}

static void describe_adapter(struct parser *p)
{
	struct adapter_def *a = &p->s->adapter;

	a->own = true;
	if (!a->described)
		a->line = p->line;
	a->described = true;
}

static bool segment_option(struct parser *p, struct segment_def *seg, const char *word)
{
	const char *value;

	if (key_value(word, "commit", &value)) {
		if (!need_segment_size(p, "commit", value, &seg->commit))
			return false;
		return seg->commit && seg->commit <= seg->size ?
		       need_segment_pages(p, "commit", seg->commit) :
		       bad(p, "segment: commit %s is not between 1 and the size", value);
	}
	if (key_value(word, "cpu", &value)) {
		seg->cpu = 0;
		if (!strcmp(value, "none"))
			return true;
		seg->cpu = VSPLIT_ADAPTER_CPU_ALL;
		if (!strcmp(value, "all"))
			return true;
		if (!need_segment_size(p, "cpu", value, &seg->cpu))
			return false;
		return seg->cpu <= seg->size ? need_segment_pages(p, "cpu", seg->cpu) :
		       bad(p, "segment: cpu %s is over the size", value);
	}
	if (key_value(word, "ranges", &value)) {
		if (!parse_number(value, &seg->ranges) || seg->ranges > VSPLIT_MAX_SWIZZLING_RANGES)
			return bad(p, "segment: ranges %s is no number up to %d", value,
				   VSPLIT_MAX_SWIZZLING_RANGES);
		return seg->aperture && seg->ranges ?
		       bad(p, "segment: an aperture has no swizzling ranges") : true;
	}
	return bad(p, "segment: unexpected '%s'", word);
}

bool parse_segment(struct parser *p)
{
	struct adapter_def *a = &p->s->adapter;
	struct segment_def *seg;
	const char *name, *type, *word;

	describe_adapter(p);
	if (!need_name(p, "a name", &name))
		return false;
	if (!strcmp(name, "system"))
		return bad(p, "segment: the name 'system' means the memory outside of the segments");
	if (strlen(name) >= VSPLIT_NAME_LEN)
		return bad(p, "segment: the name is longer than %d letters", VSPLIT_NAME_LEN - 1);
	if (find_segment(p->s, name) != NO_INDEX)
		return bad(p, "segment: there is a segment %s already", name);
	if (a->num_segments == VSPLIT_MAX_SEGMENTS)
		return bad(p, "segment: more than %d segments", VSPLIT_MAX_SEGMENTS);
	if (!need_word(p, "memory or aperture", &type))
		return false;
	if (strcmp(type, "memory") && strcmp(type, "aperture"))
		return bad(p, "segment: '%s' is neither memory nor aperture", type);

	seg = &a->segments[a->num_segments++];
	*seg = (struct segment_def){
		.name = copy_text(name),
		.line = p->line,
		.aperture = !strcmp(type, "aperture"),
		.cpu = VSPLIT_ADAPTER_CPU_ALL,
	};
	if (!need_size(p, "size", &seg->size))
		return false;
	if (!seg->size)
		return bad(p, "segment: the size is 0");
	if (!need_segment_pages(p, "the size", seg->size))
		return false;
	while ((word = next_word(p))) {
		if (!segment_option(p, seg, word))
			return false;
	}
	return true;
}

bool parse_slots(struct parser *p)
{
	describe_adapter(p);
	if (p->s->adapter.slots)
		return bad(p, "slots: given twice");
	if (!need_number(p, "the number", VSPLIT_MAX_SLOTS, &p->s->adapter.slots))
		return false;
	return p->s->adapter.slots ? need_end(p) : bad(p, "slots: 0 is too few");
}

static bool set_once(struct parser *p, int *setting, int value, const char *word)
{
	if (*setting >= 0 && *setting != value)
		return bad(p, "engine: '%s' contradicts an earlier engine line", word);
	*setting = value;
	return true;
}

bool parse_engine(struct parser *p)
{
	struct adapter_def *a = &p->s->adapter;
	const char *word, *value;

	describe_adapter(p);
	a->engines++;
	while ((word = next_word(p))) {
		bool ok;

		if (key_value(word, "save-restore", &value) && !strcmp(value, "yes"))
			ok = set_once(p, &a->save_restore, 1, word);
		else if (key_value(word, "save-restore", &value) && !strcmp(value, "no"))
			ok = set_once(p, &a->save_restore, 0, word);
		else if (key_value(word, "paging", &value) && !strcmp(value, "same"))
			ok = set_once(p, &a->paging_own, 0, word);
		else if (key_value(word, "paging", &value) && !strcmp(value, "own"))
			ok = set_once(p, &a->paging_own, 1, word);
		else
			ok = bad(p, "engine: unexpected '%s'", word);
		if (!ok)
			return false;
	}
	return true;
}

bool parse_errors(struct parser *p)
{
	const char *word;

	p->s->adapter.own = true;
	if (!need_word(p, "atomic or wddm", &word))
		return false;
	if (strcmp(word, "atomic") && strcmp(word, "wddm"))
		return bad(p, "errors: '%s' is neither atomic nor wddm", word);
	p->wddm = !strcmp(word, "wddm");
	return need_end(p);
}

bool parse_option(struct parser *p)
{
	const char *word, *value;

	p->s->adapter.own = true;
	if (!need_word(p, "an option", &word))
		return false;
	if (!key_value(word, "force-split", &value))
		return bad(p, "option: '%s' is not known", word);
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return bad(p, "option: force-split is yes or no, not '%s'", value);
	p->force_split = !strcmp(value, "yes");
	return need_end(p);
}

bool adapter_option(struct adapter_def *a, const char *word)
{
	const char *equals = strchr(word, '=');
	char *option;

	if (!equals || equals == word || !equals[1] || strchr(word, '/'))
		return false;
	a->options = append(a->options, &a->num_options, sizeof(*a->options));
	option = copy_text(word);
	option[equals - word] = '\0';
	a->options[a->num_options - 1] = option;
	return true;
}

/* Options are passed on unchecked, so that new ones need no change here. The driver checks them. */
bool parse_adapter(struct parser *p)
{
	const char *word;

	describe_adapter(p);
	if (!need_word(p, "NAME=VALUE", &word))
		return false;
	do {
		if (!adapter_option(&p->s->adapter, word))
			return bad(p, "adapter: '%s' is not NAME=VALUE", word);
	} while ((word = next_word(p)));
	return true;
}
