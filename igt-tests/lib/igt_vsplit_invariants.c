// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: the invariants that every record obeys. The list is
 * at __vsplit_record_check() in igt_vsplit.h.
 */
#include "igt.h"
#include "igt_vsplit.h"

void vsplit_place_before(struct vsplit_cs *cs)
{
	cs->before = realloc(cs->before, (cs->nr_allocs + 1) * sizeof(*cs->before));
	igt_assert(cs->before);
	memset(cs->before, 0, (cs->nr_allocs + 1) * sizeof(*cs->before));
	for (uint32_t i = 0; i < cs->nr_allocs; i++) {
		struct drm_vsplit_gem_info info;

		if (!cs->bos[i] || __vsplit_info(cs->fd, cs->bos[i]->handle, &info))
			continue;
		cs->before[i].segment = info.segment;
		cs->before[i].offset = info.offset;
	}
}

struct place {
	uint32_t segment;
	uint64_t offset;
	bool working;		/* in the working set of the current portion */
	uint64_t used_ns;	/* end of the last portion that used it */
	bool kept;
};

struct check {
	const struct vsplit_record *rec;
	struct vsplit_cs *cs;
	struct place *places;
	uint32_t *table;	/* slot to allocation index + 1 */
	uint32_t nr_slots;
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	unsigned int nr_segs;
	uint32_t portion;
	uint32_t at;		/* end of the last portion */
	uint32_t entry;		/* next patch element */
	uint64_t paged_ns;	/* end of the last paging step */
	bool entered;
};

static char why[512];

#define wrong(...) (snprintf(why, sizeof(why), __VA_ARGS__), why)

static int index_of(struct vsplit_cs *cs, const struct drm_vsplit_event *e)
{
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i] && cs->bos[i]->id == e->id)
			return i;
	return -1;
}

/* Before the paging steps of the next portion: note which rows are kept. */
static void check_enter(struct check *c)
{
	struct vsplit_cs *cs = c->cs;
	uint32_t i, end = cs->nr_patches;

	c->entered = true;
	for (i = 0; i < cs->nr_allocs; i++)
		c->places[i].kept = false;
	for (uint32_t slot = 0; slot < c->nr_slots; slot++) {
		bool named = false;

		if (!c->table[slot])
			continue;
		for (i = c->entry; i < end && cs->patches[i].split_offset == c->at; i++)
			named |= cs->patches[i].slot == slot;
		if (!named)
			c->places[c->table[slot] - 1].kept = true;
	}
	for (i = 0; i < cs->nr_allocs; i++)
		c->places[i].working = c->places[i].kept;
}

static const char *check_overlap(struct check *c, uint32_t i)
{
	const struct place *p = &c->places[i];
	const struct vsplit_bo *bo = c->cs->bos[i];
	uint64_t resident = 0;

	if (!p->segment || p->segment > c->nr_segs)
		return wrong("%c is in segment %u", bo->name, p->segment);
	if (p->offset + bo->size > c->segs[p->segment - 1].size)
		return wrong("%c sticks out of segment %u", bo->name, p->segment);
	for (uint32_t j = 0; j < c->cs->nr_allocs; j++) {
		const struct place *q = &c->places[j];

		if (!c->cs->bos[j] || q->segment != p->segment)
			continue;
		resident += c->cs->bos[j]->size;
		if (j == i)
			continue;
		if (p->offset < q->offset + c->cs->bos[j]->size && q->offset < p->offset + bo->size)
			return wrong("%c overlaps %c", bo->name, c->cs->bos[j]->name);
	}
	if (resident > c->segs[p->segment - 1].commit_limit)
		return wrong("commit limit of segment %u exceeded", p->segment);
	return NULL;
}

static const char *check_paging(struct check *c, const struct drm_vsplit_event *e)
{
	int i = index_of(c->cs, e);
	struct place *p;
	struct vsplit_bo *bo;
	bool aperture;

	if (e->portion != c->portion)
		return wrong("a step of portion %u stands before portion %u", e->portion, c->portion);
	if (e->flags & VSPLIT_EVENT_FOREIGN) {
		if (e->handle)
			return wrong("a foreign step has a handle");
		return i >= 0 ? wrong("a step of the list's own is called foreign") : NULL;
	}
	if (i < 0)
		return wrong("a step of an unknown allocation %" PRIu64, (uint64_t)e->id);
	p = &c->places[i];
	bo = c->cs->bos[i];
	if (e->handle != bo->handle || e->bytes != bo->size)
		return wrong("%c: a step with handle %u and %" PRIu64 " bytes", bo->name,
			     e->handle, (uint64_t)e->bytes);
	if (!e->segment || e->segment > c->nr_segs)
		return wrong("%c: a step with segment %u", bo->name, e->segment);
	aperture = c->segs[e->segment - 1].flags & VSPLIT_SEGMENT_APERTURE;
	if (p->kept)
		return wrong("%c is kept at %#x and yet there is a step", bo->name, c->at);
	if (e->t0_ns && e->t0_ns < p->used_ns)
		return wrong("%c is taken away before the portion ends that used it", bo->name);
	/* A step that moves into a range begins after the step that empties the range has ended. */
	if (e->t0_ns && e->t0_ns < c->paged_ns)
		return wrong("%c: a step begins before the one in front of it ends", bo->name);
	c->paged_ns = e->t1_ns;
	if (e->copied && (e->copied != e->bytes || aperture))
		return wrong("%c: %" PRIu64 " bytes transferred", bo->name, (uint64_t)e->copied);

	switch (e->type) {
	case VSPLIT_EVENT_EVICT:
	case VSPLIT_EVENT_UNMAP:
		if (p->segment != e->segment || p->offset != e->at)
			return wrong("%c leaves from where it is not", bo->name);
		if (aperture != (e->type == VSPLIT_EVENT_UNMAP))
			return wrong("%c: wrong type of a step", bo->name);
		p->segment = 0;
		p->offset = 0;
		return NULL;
	case VSPLIT_EVENT_PAGE_IN:
	case VSPLIT_EVENT_MAP:
		if (p->segment)
			return wrong("%c enters though it is resident", bo->name);
		if (aperture != (e->type == VSPLIT_EVENT_MAP))
			return wrong("%c: wrong type of a step", bo->name);
		break;
	case VSPLIT_EVENT_MOVE:
		if (p->segment != e->from_segment || p->offset != e->from)
			return wrong("%c moves from where it is not", bo->name);
		if (e->copied != e->bytes)
			return wrong("%c moves without its bytes", bo->name);
		break;
	default:
		return wrong("a step of type %u", e->type);
	}
	p->segment = e->segment;
	p->offset = e->at;
	return check_overlap(c, i);
}

/*
 * The page-ins of a portion are in list order, except for bounces (out and in). Those members of
 * the group that did not fit that stand before the failed one may have been paged in before the
 * portion was cut.
 */
static const char *check_order(struct check *c, uint32_t first, uint32_t event)
{
	uint32_t entry, last = first, end = c->entry;

	while (end < c->cs->nr_patches && c->entry < c->cs->nr_patches &&
	       c->cs->patches[end].split_offset == c->cs->patches[c->entry].split_offset)
		end++;
	/*
	 * If all fits together, the first portion may have paged in all of it, even if a knob cuts
	 * it later.
	 */
	if (!c->portion && vsplit_knob("take_split_point"))
		end = c->cs->nr_patches;

	for (uint32_t i = 0; i < event; i++) {
		const struct drm_vsplit_event *e = &c->rec->events[i];
		bool bounced = false;
		int a;

		if (e->portion != c->portion || e->flags & VSPLIT_EVENT_FOREIGN ||
		    (e->type != VSPLIT_EVENT_PAGE_IN && e->type != VSPLIT_EVENT_MAP))
			continue;
		a = index_of(c->cs, e);
		for (uint32_t j = 0; j < i; j++) {
			const struct drm_vsplit_event *f = &c->rec->events[j];

			bounced |= f->portion == e->portion && f->id == e->id &&
				   (f->type == VSPLIT_EVENT_EVICT || f->type == VSPLIT_EVENT_UNMAP);
		}
		if (bounced)
			continue;
		for (entry = first; entry < end; entry++)
			if (c->cs->patches[entry].alloc == (uint32_t)a)
				break;
		if (entry == end)
			return wrong("%c is paged in for portion %u and not named there",
				     c->cs->bos[a]->name, c->portion);
		if (entry < last)
			return wrong("%c is paged in out of order", c->cs->bos[a]->name);
		last = entry;
	}
	return NULL;
}

static const char *check_rows(struct check *c, const struct drm_vsplit_event *e)
{
	uint32_t n = 0;

	if ((uint64_t)e->row_first + e->row_count > c->rec->info.num_rows)
		return wrong("rows of portion %u are outside the record", c->portion);
	for (uint32_t slot = 0; slot < c->nr_slots; slot++)
		n += c->table[slot] != 0;
	if (n != e->row_count)
		return wrong("portion %u ends with %u rows, its table has %u", c->portion,
			     e->row_count, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct drm_vsplit_row *row = &c->rec->rows[e->row_first + i];
		uint32_t a;

		if (row->slot >= c->nr_slots || !c->table[row->slot])
			return wrong("portion %u: row %u should be empty", c->portion, row->slot);
		if (i && row->slot <= row[-1].slot)
			return wrong("portion %u: rows are not in order", c->portion);
		a = c->table[row->slot] - 1;
		if (row->handle != c->cs->bos[a]->handle)
			return wrong("portion %u: row %u holds another allocation", c->portion,
				     row->slot);
		if (row->segment != c->places[a].segment || row->offset != c->places[a].offset)
			return wrong("portion %u: row %u says another place", c->portion, row->slot);
	}
	return NULL;
}

static const char *check_portion(struct check *c, const struct drm_vsplit_event *e, uint32_t event)
{
	struct vsplit_cs *cs = c->cs;
	uint32_t first = c->entry;
	const char *ret;

	if (e->portion != c->portion)
		return wrong("portion %u stands where %u should", e->portion, c->portion);
	if (e->begin != c->at || e->end <= e->begin || e->end > cs->bytes)
		return wrong("portion %u is [%#x,%#x)", c->portion, e->begin, e->end);
	if (e->patch_first != first)
		return wrong("portion %u starts with entry %u, not %u", c->portion,
			     e->patch_first, first);
	while (c->entry < cs->nr_patches &&
	       (cs->patches[c->entry].split_offset < e->end || e->end == cs->bytes)) {
		const struct drm_vsplit_patch *patch = &cs->patches[c->entry];
		bool null = !cs->bos[patch->alloc];

		c->table[patch->slot] = null ? 0 : patch->alloc + 1;
		if (!null)
			c->places[patch->alloc].working = true;
		c->entry++;
	}
	if (e->patch_count != c->entry - first)
		return wrong("portion %u has %u entries, not %u", c->portion, e->patch_count,
			     c->entry - first);
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (c->places[i].working && !c->places[i].segment)
			return wrong("%c is not resident for portion %u", cs->bos[i]->name, c->portion);
	ret = check_order(c, first, event);
	if (ret)
		return ret;
	for (uint32_t i = 0; e->t0_ns && i < event; i++)
		if (c->rec->events[i].t1_ns > e->t0_ns)
			return wrong("portion %u began before an earlier step ended", c->portion);
	if (e->t1_ns < e->t0_ns)
		return wrong("portion %u ended before it began", c->portion);
	for (uint32_t i = 0; i < cs->nr_allocs; i++)
		if (c->places[i].working)
			c->places[i].used_ns = e->t1_ns;
	ret = check_rows(c, e);
	c->at = e->end;
	c->portion++;
	c->entered = false;
	return ret;
}

static const char *check_all(struct check *c)
{
	const char *ret;

	for (uint32_t i = 0; i < c->rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &c->rec->events[i];

		if (!c->entered)
			check_enter(c);
		ret = e->type == VSPLIT_EVENT_PORTION ? check_portion(c, e, i) : check_paging(c, e);
		if (ret)
			return ret;
	}
	if (c->portion != c->rec->info.num_portions)
		return wrong("%u portions in the record, %u in its head", c->portion,
			     c->rec->info.num_portions);
	if (!c->rec->info.error && c->at != c->cs->bytes)
		return wrong("the portions end at %#x, the stream at %#x", c->at, c->cs->bytes);
	return NULL;
}

const char *__vsplit_record_check(const struct vsplit_record *rec, struct vsplit_cs *cs)
{
	struct check c = { .rec = rec, .cs = cs };
	struct drm_vsplit_adapter_info info;
	const char *ret;

	igt_assert(cs->before);
	vsplit_query_adapter(cs->fd, &info);
	c.nr_slots = info.num_slots;
	c.nr_segs = vsplit_query_segments(cs->fd, c.segs);
	c.places = calloc(cs->nr_allocs + 1, sizeof(*c.places));
	c.table = calloc(c.nr_slots + 1, sizeof(*c.table));
	igt_assert(c.places && c.table);
	for (uint32_t i = 0; i < cs->nr_allocs; i++) {
		if (!cs->bos[i])
			continue;
		c.places[i].segment = cs->before[i].segment;
		c.places[i].offset = cs->before[i].offset;
	}
	ret = check_all(&c);
	free(c.places);
	free(c.table);
	return ret;
}

void vsplit_record_check(const struct vsplit_record *rec, struct vsplit_cs *cs)
{
	const char *ret = __vsplit_record_check(rec, cs);

	igt_assert_f(!ret, "%s\nrecord: %s\n", ret, vsplit_record_text(rec, cs, 0x1000));
}
