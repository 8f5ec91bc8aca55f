/* SPDX-License-Identifier: MIT */
/* Runs made by hand, and what is printed of them, for the tests of the printers of vsplit-play. */
#ifndef _VSPLIT_SHOWN_H_
#define _VSPLIT_SHOWN_H_

#include "parse.h"
#include "picture.h"
#include "run.h"

#define MB		(1ull << 20)
#define MAX_STEPS	100

/* The run, and the time of its next step. */
extern struct scenario *s;
extern struct result *r;
extern uint64_t now_ns;

/* Begin a run of a scenario. Allocations get the ids 100 + index, and the handles 1 + index. */
void begin_run(const char *text, const char *const *segments, const uint64_t *sizes);
void end_run(void);

/* Add a step, a row of the newest one, a portion. */
struct drm_vsplit_event *step(uint32_t type, uint32_t portion, const char *alloc, uint32_t segment,
			      uint64_t at, uint64_t bytes);
void row(uint32_t slot, const char *alloc, uint64_t offset);
struct drm_vsplit_event *portion(uint32_t index, uint32_t first, uint32_t last,
				 uint32_t patch_first, uint32_t patch_count);
/* Add a submission with the steps that were added since the last call. */
struct submission *submission(uint32_t dma, uint64_t id, int error);

/* Worked example 3b: evictions, a move, a page-in. */
void make_w3b(void);

/* Print a run; the caller frees the text. print_json() completes the log of @r. */
char *print_json(const struct result *from);
char *print_text(const struct result *from, unsigned int width, bool colour, bool utf8);
char *print_picture(void (*show)(FILE *, const struct result *, const struct events *));
/* Only the lines of events, without those before and after them. */
char *print_events(bool json, unsigned int width, bool colour, bool utf8);

struct result *load_json_run(const char *text, struct parse_error *error);
/* After loading, the text view is the same, and printing gives the same lines. */
void check_round_trip(void);

/* How often a text is in another one. */
uint32_t count(const char *text, const char *what);

#endif /* _VSPLIT_SHOWN_H_ */
