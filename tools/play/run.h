/* SPDX-License-Identifier: MIT */
/* Running a scenario, and the results of the run. */
#ifndef _VSPLIT_PLAY_RUN_H_
#define _VSPLIT_PLAY_RUN_H_

#include <stdio.h>

#include "model.h"

/*
 * The place of an allocation in memory.
 * @at: offset of its first run.
 * @runs, @num_runs: all runs, if the allocation may have several; else NULL.
 */
struct place {
	uint32_t alloc;
	uint32_t segment;
	uint64_t at;
	struct drm_vsplit_run *runs;
	uint32_t num_runs;
};

/*
 * A submit statement that was executed.
 * @dma: index of the DMA buffer.
 * @line: line of the statement.
 * @nth: 1 for the first submission of this DMA buffer, 2 for the second ...
 * @error: negative errno of the submit call, or 0.
 * @id: number of the submission in its context; 0 if it was refused.
 * @t0_ns, @t1_ns: when the call began and returned, by CLOCK_MONOTONIC, which the adapter's clock
 *	follows; 0: not known.
 * @portions: number that the submit call returned.
 * @done: its fence is known to be signalled.
 * @fence_error: negative errno of its fence, or 0.
 * @flips: number of flips before it.
 * @queued: number of submissions before it in its context, without those that were refused.
 * @record: its record, or NULL.
 * @places, @num_places: places of all allocations when the submission was done. Only if the record
 *	does not tell what was paged for it (explicit residency).
 * @left, @num_left: allocations of other devices that left a segment for it, with their places
 *	before.
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
	uint32_t queued;
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
 * @pinned_in, @pinned_at: its place, if it is pinned.
 * @fb_pitch: bytes of a row, if heads may show it.
 * @next_by_id, @next_by_handle: the next one with the same hash, as index + 1; 0: none.
 */
struct alloc_result {
	uint32_t handle;
	uint64_t id;
	int error;
	bool discarded;
	uint32_t pinned_in;
	uint64_t pinned_at;
	uint64_t fb_pitch;
	uint32_t next_by_id;
	uint32_t next_by_handle;
};

/*
 * A flip statement that was executed.
 * @head, @alloc: indexes.
 * @line: line of the statement.
 * @after: index of a DMA buffer, or NO_INDEX.
 * @error: negative errno, or 0.
 * @done: it took effect.
 * @queued: it was not committed yet; @fence: the fence that it will wait for, or -1.
 * @behind: index of a submission to wait for that has no fence yet, because it waits for a value of
 *	a monitored fence, or NO_INDEX.
 * @t0_ns: when it was queued.
 * @t1_ns: the vblank from which on it was shown, or, if it is asynchronous, when it took effect.
 * @segment, @at: place of the allocation then; 0: not known.
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
 * The result of one key of an expect line.
 * @line: line of the statement.
 * @subject: the thing that was checked; NULL: totals.
 * @expected: the key as it was written: "portions=2".
 * @got: the value found, or "" if there is nothing to say.
 * @submission: index of the submission that was checked, or NO_INDEX.
 * @submissions: number of submissions before the check.
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
 * The result of a call that changes a requirement list, or offers or reclaims allocations.
 * @done: the call was made.
 * @error: negative errno, or 0.
 * @point: point of the paging timeline; 0: resident now.
 * @trim: bytes to trim that the call returned.
 * @discarded: reclaim: for each of its allocations, were its bytes lost? NULL: none were.
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

/* Trim events of a device: the number that arrived, and the bytes of the newest one. */
struct device_result {
	uint64_t trims;
	uint64_t trim_bytes;
};

/*
 * A trim event that arrived.
 * @evicted: allocations that the player gave back for it (trim=lru).
 * @t0_ns: when it was read; 0: not known.
 * @t1_ns: when all of @evicted was given back; 0: not known.
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
 * @va: the change, with its size filled in.
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
 * @given: the value was given, not assumed.
 */
struct knob {
	const char *name;
	uint64_t value;
	bool given;
};

/* Entries of the log, in the order in which --json prints them. */
enum log_kind {
	LOG_ALLOC,	/* an allocation was made, or refused */
	LOG_SUBMIT,	/* a submission */
	LOG_EVENTS,	/* events of submissions @index to @end - 1, which are done */
	LOG_CHECK,	/* a check_result */
	LOG_FAILURE,
	LOG_FLIP,	/* a flip took effect, or was refused */
	LOG_REQUEST,	/* a request_result of REQUEST_MAKE or REQUEST_EVICT */
	LOG_OFFER,	/* a request_result of the other kinds */
	LOG_READY,	/* the point of a request_result was reached */
	LOG_TRIM,	/* a trim_result */
	LOG_BIND,	/* a bind_result */
};

struct log_entry {
	enum log_kind kind;
	uint32_t index;
	uint32_t end;
};

/* Bytes of paging: evicted, paged in and moved. */
struct totals {
	uint64_t evicted;
	uint64_t evicted_copied;
	uint64_t paged_in;
	uint64_t paged_in_copied;
	uint64_t moved;
};

/* Lower bounds of all plans (best.c). @portions: 0: not known. */
struct best {
	uint32_t portions;
	uint64_t paged_in;
};

/*
 * @allocs: one for each allocation of the scenario.
 * @by_id, @by_handle: hash tables of those that were created, of @hash_size entries (a power of
 *	two): the first one with a hash, as index + 1; 0: none.
 * @contexts: state of each context at the end, or when it was lost or its device was closed.
 * @devices: one for each device of the scenario.
 * @requests: one for each request of the scenario.
 * @trims: trim events that arrived.
 * @binds: results of map, unmap and sparse.
 * @segments: segments of the adapter.
 * @victims, @splits: policies of the adapter, "" if they cannot be read.
 * @knobs: knobs that were set for the run.
 * @expectations: number of expect lines; @held, @failed: how many of them held and failed.
 * @checks: result of each key of the expect lines.
 * @shown: number of submissions whose events are in the log.
 * @totals: set when the run is over.
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
	uint32_t *by_id;
	uint32_t *by_handle;
	uint32_t hash_size;
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
	struct totals totals;
	bool ended;
	int status;
};

/*
 * @policy: value for "victims" of the adapter that the run makes, or "planned" for its "splits".
 *	NULL: the defaults.
 * @suspended_ms: limit of a statement while an engine is suspended; 0: SUSPENDED_MS.
 * @progress: called with @data after each statement; may be NULL.
 */
struct play_options {
	const char *device;
	bool keep_going;
	struct knob knobs[MAX_KNOBS];
	uint32_t num_knobs;
	const char *policy;
	int suspended_ms;
	void (*progress)(const struct result *r, void *data);
	void *data;
};

/* Add a knob "NAME" or "NAME=VALUE". Returns false, and complains, if there is no such knob. */
bool knob_add(struct play_options *options, const char *text);
/* Set the seed of random_placement, which must have been added before. */
bool knob_seed(struct play_options *options, uint64_t seed);
/* Set one knob, or all, on the adapter of @dev. Returns 0 or -errno; complains. */
int knob_set(const struct vsplit_device *dev, const char *name, uint64_t value);
int knobs_set(const struct play_options *options, const struct vsplit_device *dev);

struct result *result_new(const struct scenario *s);
/* The scenario has got its devices, contexts and allocations: forget what was known of others. */
void result_fit(struct result *r);
void result_free(struct result *r);

/* An allocation was created. */
void result_made(struct result *r, uint32_t alloc, uint32_t handle, uint64_t id);
/*
 * The index of an allocation, or NO_INDEX. Ids are unique in an adapter, handles in a device. Of
 * several names for one allocation it is the one that was made first.
 */
uint32_t result_by_id(const struct result *r, uint32_t device, uint64_t id);
uint32_t result_by_handle(const struct result *r, uint32_t device, uint32_t handle);

/* Append to the log or a list of the result. These functions abort if there is no memory. */
void result_log(struct result *r, enum log_kind kind, uint32_t index, uint32_t end);
struct submission *result_add_submission(struct result *r);
struct check_result *result_add_check(struct result *r);
struct failure *result_add_failure(struct result *r);
struct flip *result_add_flip(struct result *r);
struct trim_result *result_add_trim(struct result *r);
struct bind_result *result_add_bind(struct result *r);

/*
 * Run the scenario. Failed expectations and errors are printed to stderr. Returns an exit status.
 */
int play_run(const struct scenario *s, const struct play_options *options, struct result *r);

/* The word of a statement, static; and the statement word that equals @name, or NULL. */
const char *statement_word(enum stmt_type type);
const char *statement_known(const char *name);

/* Of the run, or of the records so far while it goes on. */
struct totals result_totals(const struct result *r);
/* Add those of the records of the submissions from @first to @end - 1. */
void result_add_totals(const struct result *r, uint32_t first, uint32_t end, struct totals *totals);

#define MAX_ENGINES	64	/* no adapter has more engines */

/*
 * Number of engines of the adapter, or of another adapter of the scenario if more are in use there.
 * A context that was refused does not count.
 */
uint32_t result_engines(const struct result *r);

/* Fill in the member @best. */
void result_best(struct result *r);

/* Name of a segment by id; "system" for 0. */
const char *segment_name(const struct result *r, uint32_t id);

#define LABEL_TEXT	48

/* Name of an allocation, by @id or, if that is 0, by device and handle. */
const char *alloc_label(const struct result *r, uint32_t device, uint32_t handle, uint64_t id,
			char text[LABEL_TEXT]);

/* ---- events: all records in one list, by time -------------------------- */

enum event_kind {
	SHOW_STEP,	/* @step: portion or paging */
	SHOW_FAULT,
	SHOW_ERROR,
};

/*
 * @submission: the submission to which it belongs.
 * @step: step of the submission's record.
 * @portion: of a fault.
 * @error: negative errno.
 * @key, @order: sort keys.
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

/* Make the list from all submissions, or from those from @first to @end - 1. */
void events_make(struct events *events, const struct result *r);
void events_make_some(struct events *events, const struct result *r, uint32_t first, uint32_t end);
void events_free(struct events *events);

/*
 * Of a paging step: may its allocation have several runs, so that the step has the place of the
 * first run alone? And the places of all its runs, or NULL if they are not known.
 */
bool step_in_runs(const struct result *r, const struct event *event);
const struct place *step_place(const struct result *r, const struct event *event);

/* The reason for which a context was lost, as text. A hardware queue tells an offset in its ring. */
#define REASON_TEXT	100

const char *fault_reason(const struct result *r, const struct event *event, char text[REASON_TEXT]);

/* ---- printers ---------------------------------------------------------- */

/* Words of --json for kinds of contexts (enum drm_vsplit_ctx_mode) and reasons of trims. */
#define NUM_MODES		4
#define NUM_TRIM_REASONS	4
#define NUM_VA_TYPES	3
extern const char *const mode_names[NUM_MODES];
extern const char *const trim_reasons[NUM_TRIM_REASONS];
#define NUM_REQUESTS	(REQUEST_RECLAIM + 1)
extern const char *const request_names[NUM_REQUESTS];

/* Names of statements, indexed by VSPLIT_VA_*. */
extern const char *const va_types[NUM_VA_TYPES];

/*
 * Print the run as JSON, one object a line; vsplit-run.schema.json describes the objects.
 * show_json() prints a whole run; the other functions print parts of it while it goes on.
 */
#define JSON_VERSION	1

void show_json(FILE *out, const struct result *r);
void json_header(FILE *out, const struct result *r);
/* Print entries of the log from @first on. Returns their number. */
uint32_t json_log(FILE *out, const struct result *r, uint32_t first);
void json_end(FILE *out, const struct result *r);

/*
 * Style of text output.
 * @width: columns.
 * @colour: use escape sequences.
 * @utf8: use characters beyond ASCII.
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
 * Pictures: an SVG file; a page with the SVG, the run, and a script that steps through it; a trace
 * in Chrome's JSON format, which Perfetto opens.
 */
void show_svg(FILE *out, const struct result *r, const struct events *events);
void show_html(FILE *out, const struct result *r, const struct events *events);
void show_perfetto(FILE *out, const struct result *r, const struct events *events);

/*
 * Accesses through a mapping. Return -EFAULT if the memory cannot be reached. cpu_compare() looks
 * for the first byte that differs; @at is @length if there is none.
 */
int cpu_write(void *dst, uint8_t byte, uint64_t length);
int cpu_compare(const void *src, uint8_t byte, uint64_t length, uint64_t *at, uint8_t *found);

/*
 * Read the output of show_json(). The result has a scenario with those parts that the printers
 * need. Returns NULL with @error filled in: "FILE:LINE: what". run_free() frees both.
 */
struct parse_error;
struct result *run_load(const char *path, FILE *file, struct parse_error *error);
void run_free(struct result *r);

/* ---- between run.c, run_objects.c and expect.c ------------------------- */

/* A range of virtual addresses. @alloc: the allocation that is mapped there, or NO_INDEX. */
struct shown_at {
	uint32_t device;
	uint32_t alloc;
	uint64_t address;
	uint64_t end;
};

/* @file: a sync file of the point of a request. */
struct pending {
	uint32_t request;
	int file;
};

/*
 * @owns: adapters made for this run, by the device that made them; the scenario's adapter is that
 *	of DEFAULT_DEVICE. NULL: an existing adapter is used.
 * @begun: totals of the adapter when the run began.
 * @last: for each DMA buffer, the index of its last submission + 1; 0: none.
 * @queued: for each context, the number of its submissions that were not refused.
 * @settled: the submissions before this one have a record, or were refused.
 * @totals: bytes of paging of the first @totalled submissions.
 * @suspended: engines that are suspended, as bits.
 * @heads: one for each head of the scenario; private to run_head.c.
 * @context_errors: errors of the creation of contexts.
 * @fences: for each fence, by device, the device's object of it; NULL: the device did not use it.
 * @promised: for each fence, the value to which submissions of closed devices may still raise it.
 * @fences_gone: the fences were destroyed at the end of the run.
 * @used: for each allocation, the value of @clock when it was last made resident or used by a
 *	buffer.
 * @timelines: for each device, the syncobj of its paging timeline; 0: not known.
 * @pending: calls whose points are not reached yet.
 * @shown: mapped ranges of virtual addresses, the newest one last.
 */
struct player {
	const struct scenario *s;
	const struct play_options *options;
	struct result *r;
	struct own_adapter **owns;
	struct drm_vsplit_statistics begun;
	uint32_t *last;
	uint32_t *queued;
	uint32_t settled;
	struct totals totals;
	uint32_t totalled;
	uint64_t suspended;
	struct vsplit_device **devices;
	struct vsplit_context **contexts;
	struct vsplit_hwq **hwqs;
	struct vsplit_bo **bos;
	struct lit_head *heads;
	int *context_errors;
	struct vsplit_mfence **fences;
	uint64_t *promised;
	bool fences_gone;
	uint64_t *used;
	uint64_t clock;
	uint32_t *timelines;
	struct pending *pending;
	uint32_t num_pending;
	struct shown_at *shown;
	uint32_t num_shown;
	bool not_run;
};

/* Print "FILE:LINE: ..." to stderr. */
void say(const struct scenario *s, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

uint32_t segment_id(const struct result *r, const char *name);

/* Make an object, by the statement that makes it. Return 0 or -errno. */
int make_adapter(struct player *p, struct own_adapter **own, const char *prefix);
int open_device(struct player *p, uint32_t index);
int run_context(struct player *p, const struct stmt *stmt);
int run_alloc(struct player *p, const struct stmt *stmt);
int run_surface(struct player *p, const struct stmt *stmt);
int run_import(struct player *p, const struct stmt *stmt);
int run_dumb(struct player *p, const struct stmt *stmt);
int run_priority(struct player *p, const struct stmt *stmt);

/* Return an allocation that was created; otherwise complain, and return NULL. */
struct vsplit_bo *need_bo(struct player *p, const struct stmt *stmt, uint32_t index);

/* Explicit residency. trim_arrived() logs an event, and answers it for devices with trim=lru. */
int run_request(struct player *p, const struct stmt *stmt);
int run_budget(struct player *p, const struct stmt *stmt);
int run_trim(struct player *p, const struct stmt *stmt);
int wait_request(struct player *p, uint32_t index);
/* Note the places of all allocations of the scenario's adapter. */
void note_places(struct player *p, struct submission *sub);

/* Find the allocations of other devices that a submission evicts; see run_foreign.c. */
struct place *foreign_places(struct player *p, uint32_t device, uint32_t *count);
void note_foreign(struct player *p, struct submission *sub, const struct place *before,
		  uint32_t count);
void name_foreign(struct player *p, struct submission *sub);
int run_va(struct player *p, const struct stmt *stmt);
int run_offer(struct player *p, const struct stmt *stmt);
/* Log calls whose allocations have become resident. */
void note_ready(struct player *p);
void requests_free(struct player *p);

/*
 * Hardware queues: create the queue of a context; submit; wait for a submission; wait for all
 * submissions of a device, because the kernel has no fences of them to wait for; is a context lost
 * (-EIO)?
 */
int run_hwq(struct player *p, uint32_t ctx);
int hw_submit(struct player *p, const struct stmt *stmt, struct vsplit_stream *stream,
	      struct vsplit_submission *done);
int hw_collect(struct player *p, struct submission *sub, int64_t timeout_ms);
int hw_settle(struct player *p, uint32_t device);
int is_lost(struct player *p, uint32_t ctx);
bool has_hwq(const struct player *p, uint32_t device);

/*
 * Note which allocations are used, as trim=lru evicts the least recently used first: a bind of
 * addresses took place; a buffer is submitted.
 */
void shown_at(struct player *p, uint32_t device, const struct va_def *va);
void used_by_dma(struct player *p, const struct dma_def *dma);
void trim_arrived(struct player *p, uint32_t device, const struct drm_vsplit_trim_event *event);

/*
 * Execute a statement. run_limited() gives up a statement that waits for a suspended engine: after
 * SUSPENDED_MS, which is longer than EXPECT_MS, it resumes all engines. Return 0 or -errno.
 */
#define SUSPENDED_MS	25000

int run_statement(struct player *p, const struct stmt *stmt);
int run_limited(struct player *p, const struct stmt *stmt);
int resume_engine(const struct player *p, uint32_t engine);

/*
 * Wait for a submission, and read its record. If it waits for a value that does not come without
 * another statement, collect() complains, and returns -ETIME; collect_if_ends() returns 0, and it
 * has no record. Return 0 or -errno.
 */
int collect(struct player *p, struct submission *sub);
int collect_if_ends(struct player *p, struct submission *sub);
int collect_all(struct player *p);
/* Read the records of all submissions that are done; what is done raises no more fences. */
void take_done(struct player *p);

/*
 * run_fence.c: monitored fences. Return 0 or -errno. The limits are for values that may never come:
 * for a wait, and for an expect, also one of other things than fences. While a value is waited for,
 * the player looks every LOOK_MS whether it can still come: what should raise it may fail.
 */
#define FENCE_MS	60000
#define EXPECT_MS	20000
#define LOOK_MS		20

int need_mfence(struct player *p, uint32_t index, uint32_t device, struct vsplit_mfence **fence);
int run_signal(struct player *p, const struct stmt *stmt);
int run_wait_fence(struct player *p, const struct stmt *stmt);
int check_fence(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		size_t size, bool *failed);
/*
 * Does the submission wait, directly or behind others, for a value that no earlier submission
 * raises? Then it cannot end before the player has executed another statement, unless other work
 * of its device fails: may_end() is true while that can happen.
 */
bool is_parked(struct player *p, const struct submission *sub);
bool may_end(struct player *p, const struct submission *sub);
/*
 * Before a statement whose result depends on submissions for which the kernel has no fence: wait
 * for those of the device's hardware queues, and for those that were parked and come to their end.
 */
int settle_device(struct player *p, uint32_t device);
/* A submission of a device that is closed may go on, and raise fences. */
void fences_promise(struct player *p, const struct dma_def *dma);
/* Destroy the fences of a device, or of all devices (NO_INDEX). */
void fences_free(struct player *p, uint32_t device);

/* The last submission of a DMA buffer, or NULL. */
struct submission *last_submission(struct player *p, uint32_t dma);

/*
 * The first submission that may have no record yet: loops over those that are not done begin here.
 */
uint32_t first_unsettled(struct player *p);

/* run_head.c: the display. Return 0 or -errno. */
struct lit_head *heads_new(const struct scenario *s);
void heads_free(const struct scenario *s, struct lit_head *heads);
int run_head(struct player *p, const struct stmt *stmt);
int run_flip(struct player *p, const struct stmt *stmt);
int need_primary(struct player *p, uint32_t alloc);
int run_wait_head(struct player *p, const struct stmt *stmt);
/* Take all events of all devices that have arrived: flips and trims. Does not wait. */
void take_all_events(struct player *p);
/* Commit flips that can be committed now. */
void heads_go_on(struct player *p);
/* Wait for all flips of a device, or of all devices (NO_INDEX), except those that cannot happen. */
int heads_settle(struct player *p, uint32_t device);
int check_head_of(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		  size_t size, bool *failed);
/* Did the first command of a submission run after the preceding flip of this head took effect? */
int check_after_flip(struct player *p, const struct submission *sub, uint32_t head, char *got,
		     size_t size, bool *failed);

/* Does the value fulfil the check? */
bool check_holds(const struct check *check, uint64_t value);

uint64_t play_now_ns(void);

/* Check an expect statement. Returns 0, or -errno if a value could not be determined. */
int check_expect(struct player *p, const struct stmt *stmt);
/* Totals of the adapter since the run began. */
int adapter_totals(struct player *p, struct totals *totals);

#endif /* _VSPLIT_PLAY_RUN_H_ */
