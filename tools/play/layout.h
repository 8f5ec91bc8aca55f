/* SPDX-License-Identifier: MIT */
/* What is where at each portion; the maps, of text and of pictures, are drawn from it. */
#ifndef _VSPLIT_PLAY_LAYOUT_H_
#define _VSPLIT_PLAY_LAYOUT_H_

#include "run.h"

/* What happened to a range since the portion before. */
enum mark {
	MARK_FREE,
	MARK_WENT,
	MARK_STAYED,
	MARK_CAME,
	MARK_MOVED,
};

/*
 * An allocation in a segment, or the range that one left.
 * @there: false for the latter.
 * @sure: a step or a table of this portion says so.
 * @moved_away: it left by a move, or was freed: not worth a note.
 * @run, @runs: it is number @run, from 0 on, of @runs; 0 runs: in one piece.
 */
struct placed {
	uint64_t id;
	char label[LABEL_TEXT];
	uint32_t segment;
	uint64_t at;
	uint64_t bytes;
	enum mark mark;
	bool there;
	bool sure;
	bool moved_away;
	uint32_t run;
	uint32_t runs;
};

struct layout {
	const struct result *r;
	struct placed *list;
	uint32_t count;
};

/* What is pinned is there from the start. The caller frees it. */
void layout_start(struct layout *l, const struct result *r);
void layout_free(struct layout *l);

/* Take a paging step into account; a portion's table; and after a portion was drawn: all is old. */
void layout_step(struct layout *l, const struct event *e);
void layout_rows(struct layout *l, const struct event *e);
void layout_settle(struct layout *l);

bool event_is_portion(const struct event *e);

/* A step on the scenario's adapter: others have segments of the same names. */
bool event_is_shown(const struct result *r, const struct event *e);

/* Does anything of this segment appear anywhere? */
bool segment_is_used(const struct result *r, const struct events *events, uint32_t segment);

#endif /* _VSPLIT_PLAY_LAYOUT_H_ */
