// SPDX-License-Identifier: MIT
/*
 * Two clients and threads: see the header.
 */
#include "igt.h"
#include "igt_vsplit_clients.h"
#include "igt_vsplit_debug.h"

int other;
uint32_t other_ctx;

const struct vsplit_adapter_opts two_clients = {
	.segs = { { "vram", .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 60000,
	.test = true,
};

void setup_clients_on(const struct vsplit_adapter_opts *opts)
{
	setup_opts(opts);
	other = vsplit_adapter_open(ad);
	other_ctx = vsplit_ctx(other, 0);
}

void setup_clients(void)
{
	setup_clients_on(&two_clients);
}

struct vsplit_bo *others[OTHERS];

void fill_by_others(unsigned int pages)
{
	for (unsigned int i = 0; i < OTHERS; i++)
		others[i] = vsplit_bo_in(other, 'a' + i, pages * U, 0, in_first);
	vsplit_cs_run(vsplit_cs_of(other, others, OTHERS, true), other_ctx, 0);
}

/* Runs in a thread: it must not assert or allocate. */
static void *run(void *arg)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	struct runner *r = arg;

	vsplit_cs_args(r->cs, r->ctx, r->flags, &args, syncs);
	if (r->fails_at)
		vsplit_inject_arm(VSPLIT_INJECT_SITE, r->fails_at);
	r->ret = __vsplit_ioctl(r->cs->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args);
	if (r->fails_at)
		r->failed = vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL);
	if (!r->ret) {
		r->cs->ctx = r->ctx;
		r->cs->submission = args.submission;
		r->cs->portions = args.num_portions;
	}
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	return NULL;
}

void runner_start(struct runner *r)
{
	igt_assert_eq(pthread_create(&r->thread, NULL, run, r), 0);
}

bool runner_done(struct runner *r)
{
	return __atomic_load_n(&r->done, __ATOMIC_ACQUIRE);
}
