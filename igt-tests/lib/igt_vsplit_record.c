// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: records of submissions, and their text form.
 * igt_vsplit_invariants.c checks records.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_cleanup.h"

#include <stdarg.h>

static struct vsplit_record *records;

void vsplit_record_cleanup(void)
{
	while (records)
		vsplit_record_free(records);
}

int __vsplit_record(int fd, struct drm_vsplit_record *args)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, args);
}

/*
 * The kernel records what took effect in each portion, but tests look at the table at the end of
 * the portion. So fold: each row that is bound at the end of a portion is counted, or kept.
 */
static uint32_t fold(struct vsplit_record *rec, struct drm_vsplit_row *tables)
{
	static uint32_t table[VSPLIT_MAX_SLOTS];	/* index of the row that counts, plus one */
	uint32_t next = 0, n = 0;

	memset(table, 0, sizeof(table));
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		struct drm_vsplit_event *e = &rec->events[i];
		uint32_t first = n;

		if (e->type != VSPLIT_EVENT_PORTION)
			continue;
		if (!tables) {
			igt_assert(e->row_first == next && e->patch_first == next &&
				   e->row_count == e->patch_count);
			next += e->row_count;
			igt_assert(next <= rec->info.num_rows);
		}
		for (uint32_t j = e->row_first; j < e->row_first + e->row_count; j++) {
			igt_assert(rec->rows[j].slot < VSPLIT_MAX_SLOTS);
			table[rec->rows[j].slot] = rec->rows[j].handle ? j + 1 : 0;
		}
		for (uint32_t slot = 0; slot < VSPLIT_MAX_SLOTS; slot++) {
			if (table[slot] && tables)
				tables[n] = rec->rows[table[slot] - 1];
			n += table[slot] != 0;
		}
		if (tables) {
			e->row_first = first;
			e->row_count = n - first;
		}
	}
	return n;
}

static void make_tables(struct vsplit_record *rec)
{
	uint32_t n = fold(rec, NULL);
	struct drm_vsplit_row *tables = calloc(n + 1, sizeof(*tables));

	igt_assert(tables);
	fold(rec, tables);
	free(rec->rows);
	rec->rows = tables;
	rec->info.num_rows = n;
}

struct vsplit_record *vsplit_record(int fd, uint32_t ctx, uint64_t submission)
{
	struct vsplit_record *rec = calloc(1, sizeof(*rec));
	struct drm_vsplit_record *info = &rec->info;
	int ret;

	igt_assert(rec);
	rec->next = records;
	records = rec;
	info->ctx = ctx;
	info->submission = submission;
	ret = __vsplit_record(fd, info);
	igt_assert_f(!ret, "record of submission %" PRIu64 ": %s\n", submission, strerror(-ret));
	rec->events = calloc(info->num_events + 1, sizeof(*rec->events));
	rec->rows = calloc(info->num_rows + 1, sizeof(*rec->rows));
	igt_assert(rec->events && rec->rows);
	info->events = (uintptr_t)rec->events;
	info->rows = (uintptr_t)rec->rows;
	ret = __vsplit_record(fd, info);
	igt_assert_eq(ret, 0);
	make_tables(rec);
	return rec;
}

void vsplit_record_free(struct vsplit_record *rec)
{
	struct vsplit_record **p = &records;

	while (*p != rec)
		p = &(*p)->next;
	*p = rec->next;
	free(rec->events);
	free(rec->rows);
	free(rec);
}

const struct drm_vsplit_event *vsplit_portion(const struct vsplit_record *rec, uint32_t index)
{
	for (uint32_t i = 0; i < rec->info.num_events; i++)
		if (rec->events[i].type == VSPLIT_EVENT_PORTION && rec->events[i].portion == index)
			return &rec->events[i];
	return NULL;
}

const struct drm_vsplit_event *vsplit_cs_portion(const struct vsplit_cs *cs)
{
	return vsplit_portion(vsplit_record(cs->fd, cs->ctx, cs->submission), 0);
}

const struct drm_vsplit_event *vsplit_step(const struct vsplit_record *rec, uint32_t type,
					   const struct vsplit_bo *bo, uint32_t portion)
{
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (e->type == type && e->portion == portion && e->id == bo->id)
			return e;
	}
	return NULL;
}

unsigned int vsplit_count(const struct vsplit_record *rec, uint32_t type)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++)
		n += rec->events[i].type == type;
	return n;
}

unsigned int vsplit_count_bo(const struct vsplit_record *rec, const struct vsplit_bo *bo)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++)
		n += rec->events[i].type != VSPLIT_EVENT_PORTION && rec->events[i].id == bo->id;
	return n;
}

const struct drm_vsplit_row *vsplit_row(const struct vsplit_record *rec, uint32_t index,
					uint32_t slot)
{
	const struct drm_vsplit_event *p = vsplit_portion(rec, index);

	for (uint32_t i = 0; p && i < p->row_count; i++)
		if (rec->rows[p->row_first + i].slot == slot)
			return &rec->rows[p->row_first + i];
	return NULL;
}

static char text[65536];
static size_t text_len;

static void say(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text + text_len, sizeof(text) - text_len, format, ap);
	va_end(ap);
	text_len = min(text_len + (n > 0 ? n : 0), sizeof(text) - 1);
}

static void say_place(uint32_t segment, uint64_t at, uint64_t unit)
{
	say("@");
	if (segment != 1)
		say("s%u:", segment);
	if (at % unit)
		say("%#" PRIx64, at);
	else
		say("%" PRIu64, at / unit);
}

static char name_of(struct vsplit_cs *cs, uint32_t handle)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i] && cs->bos[i]->handle == handle)
			return cs->bos[i]->name;
	return '?';
}

static void say_event(const struct vsplit_record *rec, const struct drm_vsplit_event *e,
		      struct vsplit_cs *cs, uint64_t unit)
{
	static const char *const verbs[] = {
		[VSPLIT_EVENT_PAGE_IN] = "in",
		[VSPLIT_EVENT_EVICT] = "out",
		[VSPLIT_EVENT_MOVE] = "move",
		[VSPLIT_EVENT_MAP] = "map",
		[VSPLIT_EVENT_UNMAP] = "unmap",
	};

	if (e->type != VSPLIT_EVENT_PORTION) {
		say("%s ", e->type < ARRAY_SIZE(verbs) ? verbs[e->type] : "?");
		if (e->handle)
			say("%c", name_of(cs, e->handle));
		else
			say("#%" PRIu64, (uint64_t)e->id);
		if (e->type == VSPLIT_EVENT_MOVE) {
			say_place(e->from_segment, e->from, unit);
			say(">");
		}
		say_place(e->segment, e->at, unit);
		return;
	}
	say("[%x,%x) p[%u:%u] {", e->begin, e->end, e->patch_first,
	    e->patch_first + e->patch_count);
	for (uint32_t i = 0; i < e->row_count; i++) {
		const struct drm_vsplit_row *row = &rec->rows[e->row_first + i];

		say("%s%u:%c", i ? " " : "", row->slot, name_of(cs, row->handle));
		say_place(row->segment, row->offset, unit);
	}
	say("}%s", e->flags & VSPLIT_EVENT_SKIPPED ? " skipped" : "");
}

const char *vsplit_record_text(const struct vsplit_record *rec, struct vsplit_cs *cs, uint64_t unit)
{
	text_len = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		say("%s", i ? "; " : "");
		say_event(rec, &rec->events[i], cs, unit);
	}
	return text;
}
