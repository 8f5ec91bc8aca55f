// SPDX-License-Identifier: MIT
/*
 * Adapters and programs for the tests of shared engines: see the header.
 */
#include "igt.h"
#include "igt_vsplit_engine.h"

#include <xf86drm.h>

void setup_engines(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
}

struct vsplit_adapter_opts engine_opts(bool paging_own, unsigned int engines)
{
	return (struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 256 * U } },
		.slots = 64,
		.engines = engines,
		.paging_own = paging_own,
		.test = true,
	};
}

void setup_preemption(const char *preemption, unsigned int engines, unsigned int timeout_ms)
{
	struct vsplit_adapter_opts opts = engine_opts(true, engines);

	opts.preemption = preemption;
	opts.timeout_ms = timeout_ms;
	opts.model_clock = true;
	setup_engines(&opts);
}

void spins(struct vsplit_cs *cs, unsigned int n, unsigned int us)
{
	while (n--)
		vsplit_cs_spin(cs, us);
}

struct vsplit_cs *build_long(int file, char name, unsigned int n)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_bind(cs, 0, vsplit_bo(file, name, U));
	spins(cs, n, 10000);
	vsplit_cs_set(cs, 0, 0, 64, 0x01010101 * (n & 0xff));
	return cs;
}

bool begun(struct vsplit_cs *cs)
{
	struct vsplit_record *rec = vsplit_record(cs->fd, cs->ctx, cs->submission);

	igt_assert(rec->events[0].type != VSPLIT_EVENT_PORTION);
	return rec->events[0].t1_ns;
}

uint32_t shared_syncobj(int *shared)
{
	uint32_t syncobj = vsplit_syncobj(fd);

	igt_assert_eq(drmSyncobjHandleToFD(fd, syncobj, shared), 0);
	return syncobj;
}

void innocent_start(struct innocent *in, uint32_t engine)
{
	in->fd = vsplit_adapter_open(ad);
	in->ctx = vsplit_ctx_on(in->fd, 0, engine);
	for (unsigned int i = 0; i < 2; i++) {
		in->a[i] = vsplit_bo(in->fd, 'I' + i, 40 * U);
		vsplit_bo_pattern(in->a[i], 77 + i);
	}
	in->cs = vsplit_cs(in->fd);
	in->round = 0;
}

/* The two do not fit together into 64 units: each round is a split, and everything is paged. */
void innocent_submit(struct innocent *in)
{
	vsplit_cs_reset(in->cs);
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_cs_bind(in->cs, 0, in->a[i]);
		vsplit_cs_set(in->cs, 0, 64 * (in->round % 512), 64, in->round * 2 + i);
		vsplit_cs_copy(in->cs, 0, 20 * U + 64 * (in->round % 512), 0,
			       64 * (in->round % 512), 64);
		vsplit_cs_add(in->cs, 0, 39 * U, 1);
	}
	in->round++;
	vsplit_cs_submit(in->cs, in->ctx, 0);
}

void innocent_check(struct innocent *in)
{
	vsplit_cs_wait(in->cs);
	vsplit_cs_reference(in->cs, 0);
	for (unsigned int i = 0; i < 2; i++)
		vsplit_bo_check(in->a[i]);
	igt_assert_eq(vsplit_ctx_state(in->fd, in->ctx, NULL), VSPLIT_STATE_ACTIVE);
}
