// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: sweeps, see igt_vsplit_sweep.h.
 */
#include "igt.h"
#include "igt_vsplit_sweep.h"

#define SEEN 1024

static bool documented(const struct sweep *s, int error)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(s->op->errors); i++)
		if (error == s->op->errors[i])
			return true;
	return error == (s->kind == VSPLIT_INJECT_WAIT ? -EINTR : -ENOMEM) ||
	       (s->kind == VSPLIT_INJECT_KERNEL && error == -EFAULT);
}

/* Makes the call with failure @n armed. Returns whether it happened. @ret: the call's result. */
static bool run_armed(struct sweep *s, unsigned int n, int *ret)
{
	bool fired;

	if (s->op->prepare)
		s->op->prepare();
	vsplit_inject_arm(s->kind, n);
	*ret = s->op->run();
	fired = vsplit_inject_disarm(s->kind, s->site);
	snprintf(s->where, sizeof(s->where), "%s, %s, failure %u at %s", s->op->name, s->state, n,
		 fired ? s->site : "none");
	s->injected += fired;
	for (unsigned int i = 0; fired && i < s->nr_sites; i++)
		s->hits[i] += !strcmp(s->sites[i], s->site);
	igt_assert_f(!*ret || (fired && documented(s, *ret)), "%s: %d (%s)\n", s->where, *ret,
		     strerror(-*ret));
	return fired;
}

/*
 * Checks a failed call. @before: live objects, without jobs and records, which go away by
 * themselves.
 */
static void check_failed(struct sweep *s, const uint8_t *seen, const struct vsplit_counters *before)
{
	struct vsplit_counters after;
	uint8_t now[SEEN] = {};
	int ret;

	s->failed++;
	if (s->check)
		s->check();
	if (s->look)
		s->look(now);
	igt_assert_f(!memcmp(seen, now, SEEN), "%s: the failed call changed something\n", s->where);
	if (before)
		igt_assert_f(vsplit_soon(vsplit_counters(s->ad, &after) &&
					 after.bos <= before->bos && after.files == before->files &&
					 after.queues <= before->queues),
			     "%s: something is left\n", s->where);
	if (s->op->prepare)
		s->op->prepare();
	ret = s->op->run();
	igt_assert_f(!ret, "%s: again: %d (%s)\n", s->where, ret, strerror(-ret));
}

void sweep_op(struct sweep *s, const struct op *op)
{
	bool fired = true;
	unsigned int n;

	s->op = op;
	for (n = 1; fired && n < MAX_N; n++) {
		struct vsplit_counters before;
		uint8_t seen[SEEN] = {};
		bool counted;
		int ret;

		if (s->enter)
			s->enter();
		if (s->look)
			s->look(seen);
		counted = s->ad && vsplit_counters(s->ad, &before);
		fired = run_armed(s, n, &ret);
		if (ret)
			check_failed(s, seen, counted ? &before : NULL);
		if (op->done)
			op->done(ret || !fired);
	}
	igt_assert_f(!fired, "%s, %s: there is no end to the failures\n", op->name, s->state);
	igt_debug("%s, %s: %u\n", op->name, s->state, n - 2);
}

void sweep_end(const struct sweep *s, uint64_t least, const char *row, const char *what)
{
	for (unsigned int i = 0; i < s->nr_sites; i++)
		igt_assert_f(s->hits[i], "%s has never failed\n", s->sites[i]);
	igt_assert_lte(least, s->injected);
	vsplit_figure(row, what, s->injected);
	igt_info("%" PRIu64 " calls failed, %" PRIu64 " went on\n", s->failed,
		 s->injected - s->failed);
}

void sweep_fill(struct vsplit_cs **crowd, int file, uint32_t ctx, uint64_t bytes)
{
	static const uint8_t segs[][2] = { { 1, 0 }, { 2, 0 } };

	if (!*crowd) {
		*crowd = vsplit_cs(file);
		for (unsigned int i = 0; i < 2; i++) {
			vsplit_cs_bind(*crowd, i, vsplit_bo_in(file, 'X' + i, bytes, 0, segs[i]));
			vsplit_cs_add(*crowd, i, 0, 1);
		}
	}
	vsplit_cs_submit_and_wait(*crowd, ctx, 0);
}
