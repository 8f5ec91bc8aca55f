/* SPDX-License-Identifier: MIT */
/* Running a scenario, and what came of it. */
#ifndef _VSPLIT_PLAY_RUN_H_
#define _VSPLIT_PLAY_RUN_H_

#include <stdio.h>

#include "model.h"

/*
 * Where an allocation was in memory.
 * @at: of its first run.
 * @runs, @num_runs: of one that may be in several, all of them; else NULL.
 */
struct place {
	uint32_t alloc;
	uint32_t segment;
	uint64_t at;
	struct drm_vsplit_run *runs;
	uint32_t num_runs;
};

/*
 * One submit statement that was executed.
 * @dma: index.
 * @line: of the statement.
 * @nth: 1 for the first submission of this DMA buffer, 2 for the second ...
 * @error: negative errno of the submission itself, or 0.
 * @id: of the submission in its context; 0 if it was refused.
 * @t0_ns, @t1_ns: when the call began and returned, by CLOCK_MONOTONIC, which the
 *	adapter's clock follows; 0: not known.
 * @portions: as the submission said.
 * @done: it is known that its fence is signalled.
 * @fence_error: negative errno that it was signalled with, or 0.
 * @flips: how many there were before it.
 * @record: or NULL.
 * @places, @num_places: of a submission whose record does not tell what was paged for it
 *	(explicit residency): where all allocations were when it was done.
 * @left, @num_left: allocations of other devices that left a segment for it, and where they were.
 */
struct submission {
	uint32_t dma;
	int line;
	uint32_t nth;
	int error;
	uint64_t id;
	uint64_t t0_ns;
	uint64_t t1_ns;
	uint32_t portions;
	bool done;
	int fence_error;
	uint32_t flips;
	struct vsplit_record *record;
	struct place *places;
	uint32_t num_places;
	struct place *left;
	uint32_t num_left;
};

/*
 * What is known of an allocation.
 * @handle, @id: 0 if it was not created.
 * @error: negative errno of its creation or its last lock, or 0.
 * @pinned_in, @pinned_at: where it was placed, if it is pinned.
 * @fb_pitch: bytes of a row of what a head may show.
 */
struct alloc_result {
	uint32_t handle;
	uint64_t id;
	int error;
	bool discarded;
	uint32_t pinned_in;
	uint64_t pinned_at;
	uint64_t fb_pitch;
};

/*
 * One flip statement that was executed.
 * @head, @alloc: indexes.
 * @line: of the statement.
 * @after: index of a DMA buffer, or NO_INDEX.
 * @error: negative errno, or 0.
 * @done: it took effect.
 * @queued: it was not committed yet; @fence: that it will wait for, or -1.
 * @behind: index of a submission that has no fence yet, since it waits for a value, or NO_INDEX.
 * @t0_ns: when it was queued; @t1_ns: the vblank from which on it was shown, or, if it is
 *	asynchronous, when it took effect.
 * @segment, @at: where it was shown; 0: not known.
 */
struct flip {
	uint32_t head;
	uint32_t alloc;
	int line;
	uint32_t after;
	bool async;
	int error;
	bool done;
	bool queued;
	int fence;
	uint32_t behind;
	uint64_t t0_ns;
	uint64_t t1_ns;
	uint32_t segment;
	uint64_t at;
};

/*
 * One key of an expect line, and what came of it.
 * @line: of the statement.
 * @subject: what it is about; NULL: totals.
 * @expected: as it was written: "portions=2".
 * @got: "" where there is nothing to say.
 * @submission: index of the submission that it is about, or NO_INDEX.
 * @submissions: how many there were when it was checked.
 */
struct check_result {
	int line;
	char *subject;
	char *expected;
	char *got;
	bool held;
	uint32_t submission;
	uint32_t submissions;
};

/*
 * What came of a call about a requirement list, or about what is not needed.
 * @done: it was made.
 * @error: negative errno, or 0.
 * @point: of the paging timeline; 0: resident now.
 * @trim: bytes to trim that it told.
 * @discarded: of a reclaim: for each of its allocations, were its bytes lost? NULL: none were.
 * @t0_ns, @t1_ns: when the call began and returned; 0: not known.
 * @ready_ns: when @point was reached; 0: not known.
 */
struct request_result {
	bool done;
	int error;
	uint64_t point;
	uint64_t trim;
	bool *discarded;
	uint64_t t0_ns;
	uint64_t t1_ns;
	uint64_t ready_ns;
};

/* Trim events of a device: how many arrived, and bytes of the newest one. */
struct device_result {
	uint64_t trims;
	uint64_t trim_bytes;
};

/*
 * A trim event that arrived.
 * @evicted: what the player gave back for it, of trim=lru.
 * @t0_ns, @t1_ns: when it was read, and when all of that was given back; 0: not known.
 */
struct trim_result {
	uint32_t device;
	struct drm_vsplit_trim_event event;
	uint32_t *evicted;
	uint32_t num_evicted;
	uint64_t t0_ns;
	uint64_t t1_ns;
};

/*
 * A change of a device's page tables by the scenario.
 * @va: with the bytes of all of it.
 * @error: negative errno, or 0.
 */
struct bind_result {
	uint32_t device;
	int line;
	int error;
	struct va_def va;
	uint64_t t0_ns;
	uint64_t t1_ns;
};

/* A statement that could not be executed; @statement is static, @error a negative errno. */
struct failure {
	int line;
	const char *statement;
	int error;
};

#define MAX_KNOBS	16

/*
 * A fault knob of the adapter.
 * @name: static.
 * @given: the value was said, not assumed.
 */
struct knob {
	const char *name;
	uint64_t value;
	bool given;
};

/* The run as it went: what --json tells, in this order. */
enum log_kind {
	LOG_ALLOC,	/* an allocation was made, or refused */
	LOG_SUBMIT,	/* a submission */
	LOG_EVENTS,	/* the events of submissions @index to @end - 1, which are done */
	LOG_CHECK,	/* a check_result */
	LOG_FAILURE,
	LOG_FLIP,	/* a flip took effect, or was refused */
	LOG_REQUEST,	/* a request_result of REQUEST_MAKE or REQUEST_EVICT */
	LOG_OFFER,	/* one of the others */
	LOG_READY,	/* the point of a request_result was reached */
	LOG_TRIM,	/* a trim_result */
	LOG_BIND,	/* a bind_result */
};

struct log_entry {
	enum log_kind kind;
	uint32_t index;
	uint32_t end;
};

/* What no plan does with less (best.c). @portions: 0: not known. */
struct best {
	uint32_t portions;
	uint64_t paged_in;
};

/*
 * @allocs: one of each of the scenario.
 * @contexts: state of each at the end (or when it was lost, or its device closed).
 * @devices: one of each of the scenario; @requests: likewise.
 * @trims: events that arrived.
 * @binds: by map, unmap and sparse.
 * @segments: of the adapter; @victims, @splits: its policies, "" if they cannot be read.
 * @knobs: that were set for the run.
 * @expectations: expect lines; @held, @failed: of these.
 * @checks: what came of each key of these.
 * @shown: submissions whose events are in the log.
 * @ended: the run is over, with exit status @status.
 */
struct result {
	const struct scenario *s;
	struct drm_vsplit_adapter_info adapter;
	struct drm_vsplit_segment_info segments[VSPLIT_MAX_SEGMENTS];
	uint32_t num_segments;
	char victims[16];
	char splits[16];
	struct knob knobs[MAX_KNOBS];
	uint32_t num_knobs;
	struct submission *submissions;
	uint32_t num_submissions;
	struct alloc_result *allocs;
	struct drm_vsplit_ctx_query *contexts;
	struct device_result *devices;
	struct request_result *requests;
	struct trim_result *trims;
	uint32_t num_trims;
	struct bind_result *binds;
	uint32_t num_binds;
	struct check_result *checks;
	uint32_t num_checks;
	struct failure *failures;
	uint32_t num_failures;
	struct flip *flips;
	uint32_t num_flips;
	struct log_entry *log;
	uint32_t num_log;
	uint32_t shown;
	uint32_t expectations;
	uint32_t held;
	uint32_t failed;
	struct best best;
	bool ended;
	int status;
};

/* Bytes of paging in all records: evicted, paged in and moved. */
struct totals {
	uint64_t evicted;
	uint64_t evicted_copied;
	uint64_t paged_in;
	uint64_t paged_in_copied;
	uint64_t moved;
};

/*
 * @policy: "victims" of the adapter that the run makes, or "planned", its "splits"; NULL: their
 *	defaults.
 * @progress: called after each statement that added to the log of the result, with @data;
 *	may be NULL.
 */
struct play_options {
	const char *device;
	bool keep_going;
	struct knob knobs[MAX_KNOBS];
	uint32_t num_knobs;
	const char *policy;
	void (*progress)(const struct result *r, void *data);
	void *data;
};

/* Add "NAME" or "NAME=VALUE"; false, and said on stderr, if there is no such knob. */
bool knob_add(struct play_options *options, const char *text);
/* Set the seed of random_placement, which was added before. */
bool knob_seed(struct play_options *options, uint64_t seed);
/* Set one, or all of them, on the adapter of @dev; a negative errno, and said on stderr. */
int knob_set(const struct vsplit_device *dev, const char *name, uint64_t value);
int knobs_set(const struct play_options *options, const struct vsplit_device *dev);

struct result *result_new(const struct scenario *s);
void result_free(struct result *r);

/* One more entry of the log; aborts without memory, as the next one does. */
void result_log(struct result *r, enum log_kind kind, uint32_t index, uint32_t end);
struct submission *result_add_submission(struct result *r);
struct check_result *result_add_check(struct result *r);
struct failure *result_add_failure(struct result *r);
struct flip *result_add_flip(struct result *r);
struct trim_result *result_add_trim(struct result *r);
struct bind_result *result_add_bind(struct result *r);

/*
 * Run it. Failed expectations and errors are printed on stderr.
 * Returns an exit status.
 */
int play_run(const struct scenario *s, const struct play_options *options, struct result *r);

/* The word of a statement, static. And whether there is one like it, or NULL. */
const char *statement_word(enum stmt_type type);
const char *statement_known(const char *name);

struct totals result_totals(const struct result *r);

#define MAX_ENGINES	64	/* of an adapter: none has more */

/* Engines of the adapter, or of another one if that has more at work. A context that was refused has none. */
uint32_t result_engines(const struct result *r);

/* Fill in its @best. */
void result_best(struct result *r);

/* Name of a segment by id; "system" for 0. */
const char *segment_name(const struct result *r, uint32_t id);

#define LABEL_TEXT	48

/* Name of an allocation, by id or, where that is 0, by device and handle. */
const char *alloc_label(const struct result *r, uint32_t device, uint32_t handle, uint64_t id,
			char text[LABEL_TEXT]);

/* ---- events: all records in one list, by time -------------------------- */

enum event_kind {
	SHOW_STEP,	/* @step: portion or paging */
	SHOW_FAULT,
	SHOW_ERROR,
};

/*
 * @submission: that it belongs to.
 * @step: of its record.
 * @portion: of a fault.
 * @error: negative errno.
 * @key, @order: what it is sorted by.
 */
struct event {
	enum event_kind kind;
	const struct submission *submission;
	const struct drm_vsplit_event *step;
	const struct drm_vsplit_ctx_query *fault;
	uint32_t portion;
	int error;
	uint64_t key;
	uint32_t order;
};

struct events {
	struct event *list;
	uint32_t count;
};

/* Of all submissions; or of those from @first to @end - 1. */
void events_make(struct events *events, const struct result *r);
void events_make_some(struct events *events, const struct result *r, uint32_t first, uint32_t end);
void events_free(struct events *events);

/*
 * Of a paging step: may its allocation be in several runs, so that the step has the place of the first
 * alone? And where all of them were, if that is known; else NULL.
 */
bool step_in_runs(const struct result *r, const struct event *event);
const struct place *step_place(const struct result *r, const struct event *event);

/* Why a context was lost, as text. */
const char *fault_reason(const struct drm_vsplit_ctx_query *q, char text[80]);

/* ---- printers ---------------------------------------------------------- */

/* Words of --json: of kinds of context (enum drm_vsplit_ctx_mode) and of reasons of a trim. */
#define NUM_MODES		4
#define NUM_TRIM_REASONS	4
#define NUM_VA_TYPES	3
extern const char *const mode_names[NUM_MODES];
extern const char *const trim_reasons[NUM_TRIM_REASONS];
#define NUM_REQUESTS	(REQUEST_RECLAIM + 1)
extern const char *const request_names[NUM_REQUESTS];

/* By VSPLIT_VA_*, as the statements are called. */
extern const char *const va_types[NUM_VA_TYPES];

/*
 * As the scenario language says, one object a line; vsplit-run.schema.json describes them all.
 * show_json() prints a whole run; the others parts of it as it goes on.
 */
#define JSON_VERSION	1

void show_json(FILE *out, const struct result *r);
void json_header(FILE *out, const struct result *r);
/* Entries of the log from @first on; returns their number. */
uint32_t json_log(FILE *out, const struct result *r, uint32_t first);
void json_end(FILE *out, const struct result *r);

/*
 * For a person.
 * @width: columns.
 * @colour: with escape sequences.
 * @utf8: with more than ASCII.
 */
struct text_style {
	unsigned int width;
	bool colour;
	bool utf8;
};

void show_text(FILE *out, const struct result *r, const struct events *events,
	       const struct text_style *style);

/* The maps of the segments; part of show_text(). */
void show_maps(FILE *out, const struct result *r, const struct events *events,
	       const struct text_style *style);

/*
 * Pictures: an SVG of its own; a page that holds it, the run, and what steps through it; a
 * trace in the JSON format of Chrome, which Perfetto opens.
 */
void show_svg(FILE *out, const struct result *r, const struct events *events);
void show_html(FILE *out, const struct result *r, const struct events *events);
void show_perfetto(FILE *out, const struct result *r, const struct events *events);

/*
 * Accesses through a mapping. -EFAULT: it cannot be reached.
 * cpu_compare() looks for the first byte that differs; @at is @length if none does.
 */
int cpu_write(void *dst, uint8_t byte, uint64_t length);
int cpu_compare(const void *src, uint8_t byte, uint64_t length, uint64_t *at, uint8_t *found);

/*
 * Read what show_json() printed: a result, with a scenario that has what the printers need
 * of it. Returns NULL with @error filled: "FILE:LINE: what". Both go with run_free().
 */
struct parse_error;
struct result *run_load(const char *path, FILE *file, struct parse_error *error);
void run_free(struct result *r);

/* ---- between run.c, run_objects.c and expect.c ------------------------- */

/* A range of virtual addresses. @alloc: what it shows, or NO_INDEX. */
struct shown_at {
	uint32_t device;
	uint32_t alloc;
	uint64_t address;
	uint64_t end;
};

/*
 * @owns: adapters made for this run, by the device that made them; the scenario's is
 *	that of DEFAULT_DEVICE. NULL where there was one.
 * @begun: the adapter's totals when it began.
 * @suspended: engines that suspend stopped.
 * @heads: one of each of the scenario; run_head.c's.
 * @context_errors: of their creation.
 * @fences: of each fence, by device, what that has of it; NULL: it did not use it.
 * @fences_gone: they were destroyed at the end of the run.
 * @used: of each allocation, by @clock: when it was made resident or used by a buffer last.
 * @timelines: of each device, the syncobj of its paging; 0: not known.
 * @pending: of each request a sync file of its point until that is known to be reached, or -1.
 * @shown: what virtual addresses show, the newest last.
 */
struct player {
	const struct scenario *s;
	const struct play_options *options;
	struct result *r;
	struct own_adapter **owns;
	struct drm_vsplit_statistics begun;
	uint64_t suspended;
	struct vsplit_device **devices;
	struct vsplit_context **contexts;
	struct vsplit_hwq **hwqs;
	struct vsplit_bo **bos;
	struct lit_head *heads;
	int *context_errors;
	struct vsplit_mfence **fences;
	bool fences_gone;
	uint64_t *used;
	uint64_t clock;
	uint32_t *timelines;
	int *pending;
	struct shown_at *shown;
	uint32_t num_shown;
	bool not_run;
};

/* "FILE:LINE: ..." on stderr. */
void say(const struct scenario *s, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

uint32_t segment_id(const struct result *r, const char *name);

/* Objects, by the statement that makes them. 0 or -errno. */
int make_adapter(struct player *p, struct own_adapter **own, const char *prefix);
int open_device(struct player *p, uint32_t index);
int run_context(struct player *p, const struct stmt *stmt);
int run_alloc(struct player *p, const struct stmt *stmt);
int run_surface(struct player *p, const struct stmt *stmt);
int run_import(struct player *p, const struct stmt *stmt);
int run_dumb(struct player *p, const struct stmt *stmt);
int run_priority(struct player *p, const struct stmt *stmt);

/* An allocation that exists; complains otherwise. */
struct vsplit_bo *need_bo(struct player *p, const struct stmt *stmt, uint32_t index);

/* Explicit residency; trim_arrived() notes an event, and answers those of trim=lru. */
int run_request(struct player *p, const struct stmt *stmt);
int run_budget(struct player *p, const struct stmt *stmt);
int run_trim(struct player *p, const struct stmt *stmt);
int wait_request(struct player *p, uint32_t index);
/* Where all allocations of the scenario's adapter are. */
void note_places(struct player *p, struct submission *sub);

/* Which allocations of other devices a submission evicts; see run_foreign.c. */
struct place *foreign_places(struct player *p, uint32_t device, uint32_t *count);
void note_foreign(struct player *p, struct submission *sub, const struct place *before,
		  uint32_t count);
void name_foreign(struct player *p, struct submission *sub);
int run_va(struct player *p, const struct stmt *stmt);
int run_offer(struct player *p, const struct stmt *stmt);
/* Logs what has become resident. */
void note_ready(struct player *p);
void requests_free(struct player *p);

/*
 * Hardware queues: the one of a context that was made; a submission; waiting for one;
 * waiting for all of a device, where the kernel does not for want of a fence.
 */
int run_hwq(struct player *p, uint32_t ctx);
int hw_submit(struct player *p, const struct stmt *stmt, struct vsplit_stream *stream,
	      struct vsplit_submission *done);
int hw_collect(struct player *p, struct submission *sub, int64_t timeout_ms);
int hw_settle(struct player *p, uint32_t device);
bool has_hwq(const struct player *p, uint32_t device);

/*
 * Which allocations buffers use, for what trim=lru evicts first: a bind of addresses took place,
 * a buffer is submitted.
 */
void shown_at(struct player *p, uint32_t device, const struct va_def *va);
void used_by_dma(struct player *p, const struct dma_def *dma);
void trim_arrived(struct player *p, uint32_t device, const struct drm_vsplit_trim_event *event);

/* Wait for a submission and read its record. 0 or -errno. */
int collect(struct player *p, struct submission *sub);
int collect_all(struct player *p);

/*
 * run_fence.c: monitored fences. 0 or -errno. How long what nothing may ever raise is waited
 * for: by a wait, and by an expect, or while an engine is suspended.
 */
#define FENCE_MS	60000
#define EXPECT_FENCE_MS	20000

int need_mfence(struct player *p, uint32_t index, uint32_t device, struct vsplit_mfence **fence);
int run_signal(struct player *p, const struct stmt *stmt);
int run_wait_fence(struct player *p, const struct stmt *stmt);
int check_fence(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		size_t size, bool *failed);
/*
 * Does it wait, directly or behind others, for a value that nothing raises which was submitted
 * before? Then it does not end before the player has done something.
 */
bool is_parked(const struct player *p, const struct submission *sub);
/* Of a device, or all (NO_INDEX). */
void fences_free(struct player *p, uint32_t device);

/* The last submission of a DMA buffer. */
struct submission *last_submission(struct player *p, uint32_t dma);

/* run_head.c: the display. 0 or -errno. */
struct lit_head *heads_new(const struct scenario *s);
void heads_free(const struct scenario *s, struct lit_head *heads);
int run_head(struct player *p, const struct stmt *stmt);
int run_flip(struct player *p, const struct stmt *stmt);
int need_primary(struct player *p, uint32_t alloc);
int run_wait_head(struct player *p, const struct stmt *stmt);
/* Take the events of all devices that came meanwhile: flips, trims. Waits for nothing. */
void take_all_events(struct player *p);
/* Commit flips whose turn it is by now. */
void heads_go_on(struct player *p);
/* Wait for all flips of a device's heads, or of all (NO_INDEX), but those that cannot come. */
int heads_settle(struct player *p, uint32_t device);
int check_head_of(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		  size_t size, bool *failed);
/* Did the first command of a submission run after the flip of this head that was before it? */
int check_after_flip(struct player *p, const struct submission *sub, uint32_t head, char *got,
		     size_t size, bool *failed);

/* Does the value fulfil it? */
bool check_holds(const struct check *check, uint64_t value);

uint64_t play_now_ns(void);

/* Check an expect statement. 0 or -errno of what could not be found out. */
int check_expect(struct player *p, const struct stmt *stmt);

#endif /* _VSPLIT_PLAY_RUN_H_ */
