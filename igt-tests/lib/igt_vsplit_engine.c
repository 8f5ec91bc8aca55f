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
