// SPDX-License-Identifier: MIT
/* The expect statements: wait for the result, compare, report. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"
#include "run.h"

#define GOT_TEXT	160

bool check_holds(const struct check *check, uint64_t value)
{
	switch (check->compare) {
	case COMPARE_GE:
		return value >= check->number;
	case COMPARE_LE:
		return value <= check->number;
	default:
		return value == check->number;
	}
}

/* Write the value to @got. Returns true if the check does not hold. */
static bool differs(const struct check *check, uint64_t value, char *got)
{
	snprintf(got, GOT_TEXT, "%" PRIu64, value);
	return !check_holds(check, value);
}

static bool differs_size(const struct check *check, uint64_t value, char *got)
{
	char text[SIZE_TEXT];

	snprintf(got, GOT_TEXT, "%s", format_size(text, value));
	return !check_holds(check, value);
}

/* ---- DMA buffers ------------------------------------------------------- */

static const char *error_text(int error)
{
	return error ? errno_name(error) : "no error";
}

/* Check the fault address that the context reports, if it was lost with this submission. */
static int check_fault_address(struct player *p, const struct stmt *stmt,
			       const struct submission *sub, const struct check *check, char *got,
			       bool *failed)
{
	struct drm_vsplit_ctx_query q;
	int ret;

	ret = vsplit_context_query(p->contexts[p->s->dmas[stmt->index].context], &q);
	if (ret)
		return ret;
	if (!q.fault_access || (p->hwqs[p->s->dmas[stmt->index].context] ?
				sub->fence_error != -EFAULT : q.submission != sub->id)) {
		snprintf(got, GOT_TEXT, "no page fault");
		*failed = true;
		return 0;
	}
	snprintf(got, GOT_TEXT, "0x%" PRIx64, (uint64_t)q.fault_address);
	*failed = check->number != q.fault_address;
	return 0;
}

static int check_dma(struct player *p, const struct stmt *stmt, const struct check *check,
		     char *got, bool *failed)
{
	struct submission *sub = last_submission(p, stmt->index);
	int ret, error;

	if (!sub) {
		/* The submit statement itself failed, but the run continued. */
		snprintf(got, GOT_TEXT, "no submission");
		*failed = true;
		return 0;
	}
	ret = collect(p, sub);
	if (ret)
		return ret;
	error = sub->error ? sub->error : sub->fence_error;
	switch (check->type) {
	case CHECK_AFTER_FLIP:
		return check_after_flip(p, sub, (uint32_t)check->number, got, GOT_TEXT, failed);
	case CHECK_PORTIONS:
		*failed = differs(check, sub->portions, got);
		if (sub->error) {
			snprintf(got, GOT_TEXT, "error %s", errno_name(sub->error));
			*failed = true;
		}
		break;
	case CHECK_ERROR:
		snprintf(got, GOT_TEXT, "%s", error_text(error));
		*failed = check->number != (uint64_t)-error;
		break;
	case CHECK_FAULT_ADDRESS:
		return check_fault_address(p, stmt, sub, check, got, failed);
	default:
		snprintf(got, GOT_TEXT, "error %s", error_text(error));
		*failed = error != 0;
		break;
	}
	return 0;
}

/* ---- allocations ------------------------------------------------------- */

static int check_bytes(struct player *p, struct vsplit_bo *bo, const struct check *check,
		       char *got, bool *failed)
{
	uint8_t byte = 0;
	uint64_t at;
	void *ptr;
	int ret, unlocked;

	ret = vsplit_bo_map(bo, &ptr);
	if (ret)
		return ret;
	/* While an engine is suspended, do not wait for it. */
	ret = vsplit_bo_lock(bo, VSPLIT_LOCK_READ_ONLY |
			     (p->suspended ? VSPLIT_LOCK_DONOT_WAIT : 0));
	if (ret)
		return ret;
	ret = cpu_compare((const char *)ptr + check->range.offset, (uint8_t)check->number,
			  check->range.length, &at, &byte);
	unlocked = vsplit_bo_unlock(bo);
	if (ret || unlocked)
		return ret ? ret : unlocked;
	if (at < check->range.length) {
		snprintf(got, GOT_TEXT, "0x%02x at offset %" PRIu64, byte,
			 check->range.offset + at);
		*failed = true;
	}
	return 0;
}

/* A device that was closed gives up pages a moment later, when its last job has ended. */
static int wait_not_shared(struct vsplit_bo *bo, struct drm_vsplit_gem_info *info)
{
	uint64_t end = play_now_ns() + EXPECT_MS * 1000000ull;
	int ret = 0;

	while (!ret && info->flags & VSPLIT_GEM_INFO_SHARED && play_now_ns() < end) {
		usleep(1000);
		ret = vsplit_bo_info(bo, info);
	}
	return ret;
}

static int check_alloc(struct player *p, const struct stmt *stmt, const struct check *check,
		       char *got, bool *failed)
{
	struct vsplit_bo *bo = p->bos[stmt->index];
	int error = p->r->allocs[stmt->index].error;
	struct drm_vsplit_gem_info info;
	const char *in;
	int ret = settle_device(p, p->s->allocs[stmt->index].device);

	if (ret)
		return ret;
	if (check->type == CHECK_ERROR) {
		snprintf(got, GOT_TEXT, "%s", error_text(error));
		*failed = check->number != (uint64_t)-error;
		return 0;
	}
	if (check->type == CHECK_COUNT) {
		struct drm_vsplit_residency residency;

		if (!bo)
			return -ENOENT;
		ret = vsplit_resident_query(p->devices[p->s->allocs[stmt->index].device], bo,
					    &residency);
		if (!ret)
			*failed = differs(check, residency.count, got);
		return ret;
	}
	if (check->type == CHECK_OK) {
		snprintf(got, GOT_TEXT, "error %s", error_text(error));
		*failed = error != 0;
		return 0;
	}
	if (check->type == CHECK_DISCARDED) {
		*failed = differs(check, p->r->allocs[stmt->index].discarded, got);
		return 0;
	}
	if (!bo) {
		snprintf(got, GOT_TEXT, "error %s", error_text(error));
		*failed = true;
		return 0;
	}
	if (check->type == CHECK_BYTES)
		return check_bytes(p, bo, check, got, failed);

	/* While an engine is suspended, the allocation's future place is known already. */
	ret = p->suspended ? 0 : vsplit_bo_wait(bo, -1);
	if (!ret)
		ret = vsplit_bo_info(bo, &info);
	if (ret)
		return ret;
	if (check->type == CHECK_RUNS) {
		uint32_t runs = 0;

		ret = vsplit_bo_runs(bo, NULL, &runs, NULL);
		if (!ret)
			*failed = differs(check, runs, got);
		return ret;
	}
	if (check->type == CHECK_RANGE) {
		bool range = info.flags & VSPLIT_GEM_INFO_RANGE;

		snprintf(got, GOT_TEXT, "range=%d", range);
		*failed = range != !!check->number;
		return 0;
	}
	if (check->type == CHECK_SHARED) {
		bool shared;

		ret = check->number ? 0 : wait_not_shared(bo, &info);
		if (ret)
			return ret;
		shared = info.flags & VSPLIT_GEM_INFO_SHARED;
		snprintf(got, GOT_TEXT, "shared=%d", shared);
		*failed = shared != !!check->number;
		return 0;
	}
	if (check->type == CHECK_LOCKS) {
		*failed = differs(check, info.locks, got);
		return 0;
	}
	if (check->type == CHECK_AT && info.segment) {
		*failed = differs_size(check, info.offset, got);
		return 0;
	}
	in = segment_name(p->r, info.segment);
	snprintf(got, GOT_TEXT, "%s", in);
	/* An allocation in system memory has no offset. */
	if (check->type == CHECK_AT) {
		*failed = true;
		return 0;
	}
	*failed = strcmp(in, check->name ? check->name : "system") != 0;
	return 0;
}

/* ---- contexts and totals ----------------------------------------------- */

/*
 * Wait for the submissions of a context, or of all (NO_INDEX). Parked submissions are skipped: they
 * have done nothing yet.
 */
static int collect_ended(struct player *p, uint32_t context)
{
	uint32_t i;
	int ret = 0;

	for (i = first_unsettled(p); !ret && i < p->r->num_submissions; i++) {
		struct submission *sub = &p->r->submissions[i];

		if (!sub->error && !sub->record &&
		    (context == NO_INDEX || p->s->dmas[sub->dma].context == context))
			ret = collect_if_ends(p, sub);
	}
	return ret;
}

static int check_context(struct player *p, const struct stmt *stmt, const struct check *check,
			 char *got, bool *failed)
{
	struct drm_vsplit_ctx_query q;
	uint32_t state;
	int ret;

	if (check->type != CHECK_STATE) {
		snprintf(got, GOT_TEXT, "%s", error_text(p->context_errors[stmt->index]));
		*failed = (check->type == CHECK_ERROR ? check->number : 0) !=
			  (uint64_t)-p->context_errors[stmt->index];
		return 0;
	}
	if (!p->contexts[stmt->index]) {
		snprintf(got, GOT_TEXT, "no context");
		*failed = true;
		return 0;
	}
	ret = collect_ended(p, stmt->index);
	if (ret)
		return ret;
	ret = vsplit_context_query(p->contexts[stmt->index], &q);
	if (ret)
		return ret;
	/* If the device is lost, all its contexts are lost as well. */
	state = q.state ? q.state : q.device_state;
	snprintf(got, GOT_TEXT, "%s", vsplit_state_name(state));
	*failed = check->number == STATE_LOST ? state == VSPLIT_STATE_ACTIVE :
						check->number != state;
	return 0;
}

static int check_request(struct player *p, const struct stmt *stmt, const struct check *check,
			 char *got, bool *failed)
{
	const struct request_result *res = &p->r->requests[stmt->index];

	switch (check->type) {
	case CHECK_ERROR:
		snprintf(got, GOT_TEXT, "%s", error_text(res->error));
		*failed = check->number != (uint64_t)-res->error;
		break;
	case CHECK_PENDING:
		*failed = differs(check, res->point != 0, got);
		break;
	case CHECK_TRIM:
		*failed = differs_size(check, res->trim, got);
		break;
	default:
		snprintf(got, GOT_TEXT, "error %s", error_text(res->error));
		*failed = res->error != 0;
		break;
	}
	return 0;
}

static int check_device(struct player *p, const struct stmt *stmt, const struct check *check,
			char *got, bool *failed)
{
	const struct device_result *res = &p->r->devices[stmt->index];
	struct drm_vsplit_residency residency;
	int ret;

	if (check->type == CHECK_TRIMS) {
		*failed = differs(check, res->trims, got);
		return 0;
	}
	if (check->type == CHECK_TRIM_BYTES) {
		*failed = differs_size(check, res->trim_bytes, got);
		return 0;
	}
	ret = vsplit_resident_query(p->devices[stmt->index], NULL, &residency);
	if (!ret)
		*failed = differs_size(check, residency.groups[VSPLIT_GROUP_LOCAL].usage +
				       residency.groups[VSPLIT_GROUP_NONLOCAL].usage, got);
	return ret;
}

/* Records do not tell these values, so use the adapter's totals since the run began. */
static int check_statistics(struct player *p, const struct check *check, char *got, bool *failed)
{
	struct drm_vsplit_statistics now;
	int ret = vsplit_device_statistics(p->devices[DEFAULT_DEVICE], &now);

	if (ret)
		return ret;
	if (check->type == CHECK_ACQUIRED)
		*failed = differs(check, now.ranges_acquired - p->begun.ranges_acquired, got);
	else if (check->type == CHECK_STRAY_WRITES)
		*failed = differs(check, now.stray_writes - p->begun.stray_writes, got);
	else
		*failed = differs_size(check, now.evicted_copied_bytes + now.paged_in_copied_bytes +
				       now.moved_bytes - p->begun.evicted_copied_bytes -
				       p->begun.paged_in_copied_bytes - p->begun.moved_bytes, got);
	return 0;
}

int adapter_totals(struct player *p, struct totals *totals)
{
	const struct drm_vsplit_statistics *begun = &p->begun;
	struct drm_vsplit_statistics now;
	int ret = vsplit_device_statistics(p->devices[DEFAULT_DEVICE], &now);

	if (ret)
		return ret;
	*totals = (struct totals){
		.evicted = now.evicted_bytes - begun->evicted_bytes,
		.evicted_copied = now.evicted_copied_bytes - begun->evicted_copied_bytes,
		.paged_in = now.paged_in_bytes - begun->paged_in_bytes,
		.paged_in_copied = now.paged_in_copied_bytes - begun->paged_in_copied_bytes,
		.moved = now.moved_bytes - begun->moved_bytes,
	};
	return 0;
}

static int check_totals(struct player *p, const struct check *check, char *got, bool *failed)
{
	struct totals totals;
	int ret = collect_ended(p, NO_INDEX);

	if (ret)
		return ret;
	if (check->type == CHECK_TRANSFERRED || check->type == CHECK_ACQUIRED ||
	    check->type == CHECK_STRAY_WRITES)
		return check_statistics(p, check, got, failed);
	result_add_totals(p->r, p->totalled, first_unsettled(p), &p->totals);
	p->totalled = first_unsettled(p);
	totals = p->totals;
	result_add_totals(p->r, p->totalled, p->r->num_submissions, &totals);
	/* Paging for requirement lists has no record, so the adapter's totals are needed. */
	if (p->s->num_requests) {
		ret = adapter_totals(p, &totals);
		if (ret)
			return ret;
	}
	*failed = differs_size(check, check->type == CHECK_EVICTED ? totals.evicted :
			       check->type == CHECK_PAGED_IN ? totals.paged_in : totals.moved,
			       got);
	return 0;
}

static const char *subject(const struct player *p, const struct stmt *stmt)
{
	switch (stmt->kind) {
	case EXPECT_DMA:
		return p->s->dmas[stmt->index].name;
	case EXPECT_ALLOC:
		return p->s->allocs[stmt->index].name;
	case EXPECT_CONTEXT:
		return p->s->contexts[stmt->index].name;
	case EXPECT_HEAD:
		return p->s->heads[stmt->index].name;
	case EXPECT_REQUEST:
		return p->s->requests[stmt->index].name;
	case EXPECT_DEVICE:
		return p->s->devices[stmt->index].name;
	case EXPECT_FENCE:
		return p->s->fences[stmt->index].name;
	case EXPECT_TOTALS:
		break;
	}
	return NULL;
}

static int check_one(struct player *p, const struct stmt *stmt, const struct check *check,
		     char *got, bool *failed)
{
	switch (stmt->kind) {
	case EXPECT_DMA:
		return check_dma(p, stmt, check, got, failed);
	case EXPECT_ALLOC:
		return check_alloc(p, stmt, check, got, failed);
	case EXPECT_CONTEXT:
		return check_context(p, stmt, check, got, failed);
	case EXPECT_HEAD:
		return check_head_of(p, stmt, check, got, GOT_TEXT, failed);
	case EXPECT_REQUEST:
		return check_request(p, stmt, check, got, failed);
	case EXPECT_DEVICE:
		return check_device(p, stmt, check, got, failed);
	case EXPECT_FENCE:
		return check_fence(p, stmt, check, got, GOT_TEXT, failed);
	case EXPECT_TOTALS:
		break;
	}
	return check_totals(p, check, got, failed);
}

/* Store the result of a check, and report a failure. */
static void note(struct player *p, const struct stmt *stmt, const struct check *check,
		 const char *got, bool failed)
{
	const struct submission *sub = stmt->kind == EXPECT_DMA ? last_submission(p, stmt->index) :
								  NULL;
	const char *name = subject(p, stmt);
	struct check_result *c = result_add_check(p->r);
	char expected[200], range[60] = "";

	if (check->range.given)
		snprintf(range, sizeof(range), " %" PRIu64 " %" PRIu64, check->range.offset,
			 check->range.length);
	snprintf(expected, sizeof(expected), "%.120s%s", check->text, range);
	*c = (struct check_result){
		.line = stmt->line,
		.subject = name ? copy_text(name) : NULL,
		.expected = copy_text(expected),
		.got = copy_text(failed || check->type != CHECK_OK ? got : ""),
		.held = !failed,
		.submission = sub ? (uint32_t)(sub - p->r->submissions) : NO_INDEX,
		.submissions = p->r->num_submissions,
	};
	result_log(p->r, LOG_CHECK, p->r->num_checks - 1, 0);
	if (failed)
		say(p->s, stmt->line, "expected %s%s%s, got %s", name ? name : "", name ? " " : "",
		    expected, got);
}

int check_expect(struct player *p, const struct stmt *stmt)
{
	bool any = false;
	uint32_t i;
	int ret;

	for (i = 0; i < stmt->num_checks; i++) {
		char got[GOT_TEXT] = "";
		bool failed = false;

		ret = check_one(p, stmt, &stmt->checks[i], got, &failed);
		if (ret)
			return ret;
		note(p, stmt, &stmt->checks[i], got, failed);
		any |= failed;
	}
	if (any)
		p->r->failed++;
	else
		p->r->held++;
	return 0;
}
