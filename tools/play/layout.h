/* SPDX-License-Identifier: MIT */
/* Where allocations are at each portion. The maps in text and in pictures are drawn from it. */
#ifndef _VSPLIT_PLAY_LAYOUT_H_
#define _VSPLIT_PLAY_LAYOUT_H_

#include "run.h"

/* What happened to a range since the previous portion. */
enum mark {
	MARK_FREE,
	MARK_WENT,
	MARK_STAYED,
	MARK_CAME,
	MARK_MOVED,
};

/*
 * An allocation in a segment, or the range that an allocation left.
 * @there: false for a range that was left.
 * @sure: a step or a table of this portion says so.
 * @moved_away: the allocation left by a move, or was freed; this needs no note.
 * @run, @runs: this is run number @run, from 0 on, of @runs; 0 runs: in one piece.
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

/* Begin with the pinned allocations. The caller frees the layout. */
void layout_start(struct layout *l, const struct result *r);
void layout_free(struct layout *l);

/* Apply a paging step; apply the table of a portion; after drawing a portion, mark all as old. */
void layout_step(struct layout *l, const struct event *e);
void layout_rows(struct layout *l, const struct event *e);
void layout_settle(struct layout *l);

bool event_is_portion(const struct event *e);

/* Is it a step on the scenario's adapter? Others have segments of the same names. */
bool event_is_shown(const struct result *r, const struct event *e);

/* Does anything appear in this segment during the run? */
bool segment_is_used(const struct result *r, const struct events *events, uint32_t segment);

#endif /* _VSPLIT_PLAY_LAYOUT_H_ */
