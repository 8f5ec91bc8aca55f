// SPDX-License-Identifier: MIT
/*
 * What the tests of splitting share: see the header.
 */
#include "igt.h"
#include "igt_vsplit_split.h"

#include <string.h>

void setup_vram(void)
{
	const struct vsplit_seg_opts seg = { "vram", .size = 256 * U };

	setup_segs(&seg, 1);
}

struct vsplit_bo *bo(char name, unsigned int units)
{
	return vsplit_bo(fd, name, units * U);
}

void work(uint32_t slot, uint8_t tag)
{
	vsplit_cs_set(cs, slot, tag * 64, 64, 0x01010101u * tag);
}

void group(uint32_t slot, struct vsplit_bo *bo, uint8_t tag)
{
	vsplit_cs_bind(cs, slot, bo);
	work(slot, tag);
}

struct vsplit_record *run(void)
{
	return vsplit_cs_run(cs, ctx, 0);
}

/* ---- buffers ------------------------------------------------------------ */

void build_w1(bool null_first, bool null_last)
{
	struct vsplit_bo *a = bo('A', 128), *b = bo('B', 96), *c = bo('C', 96), *d = bo('D', 64);

	vsplit_cs_bind(cs, 0, a);
	work(0, 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_bind(cs, 1, b);
	work(0, 2);
	work(1, 3);
	vsplit_cs_copy(cs, 1, 4096, 0, 0, 4096);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 1, c);
	work(0, 4);
	work(1, 5);
	vsplit_cs_copy(cs, 1, 4096, 0, 0, 4096);
	vsplit_cs_pad(cs, 0x800);
	if (null_first)
		vsplit_cs_unbind(cs, 0);
	vsplit_cs_bind(cs, 2, d);
	if (null_last)
		vsplit_cs_unbind(cs, 0);
	work(1, 6);
	work(2, 7);
	vsplit_cs_copy(cs, 2, 4096, 1, 4096, 4096);
	vsplit_cs_pad(cs, 0xc00);
}

void build_w3(bool rebind, uint64_t unit)
{
	struct vsplit_bo *p = vsplit_bo(fd, 'P', 96 * unit);
	struct vsplit_bo *x = vsplit_bo(fd, 'X', 64 * unit);
	struct vsplit_bo *q = vsplit_bo(fd, 'Q', 96 * unit);
	struct vsplit_bo *r = vsplit_bo(fd, 'R', 128 * unit);

	vsplit_cs_bind(cs, 0, p);
	vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 2, q);
	work(0, 1);
	work(1, 2);
	work(2, 3);
	/* These words tell their own offset, so that a wrong move shows. */
	vsplit_cs_set(cs, 1, 4096, x->size - 4096, 0x12345678);
	for (uint64_t at = 8192; at < x->size; at += x->size / 8)
		vsplit_cs_store(cs, 1, at, at);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	if (rebind)
		vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 3, r);
	work(1, 4);
	work(3, 5);
	vsplit_cs_copy(cs, 3, 8192, 1, 0, x->size);
	vsplit_cs_pad(cs, 0x800);
}

void build_random(struct vsplit_rng *rng, struct vsplit_bo **a, unsigned int n,
		  unsigned int slots, unsigned int groups)
{
	struct vsplit_bo *bound[64] = {};

	for (unsigned int g = 0; g < groups; g++) {
		unsigned int binds = 1 + vsplit_rng_below(rng, 3);

		for (unsigned int i = 0; i < binds; i++) {
			unsigned int slot = vsplit_rng_below(rng, slots);

			if (vsplit_rng_below(rng, 5) == 0) {
				vsplit_cs_unbind(cs, slot);
				bound[slot] = NULL;
			} else {
				bound[slot] = a[vsplit_rng_below(rng, n)];
				vsplit_cs_bind(cs, slot, bound[slot]);
			}
		}
		for (unsigned int i = 0; i < 3; i++) {
			unsigned int s = vsplit_rng_below(rng, slots), t = vsplit_rng_below(rng, slots);

			if (bound[s])
				vsplit_cs_set(cs, s, 8 * vsplit_rng_below(rng, 500), 512,
					      vsplit_rng_next(rng));
			if (bound[s] && bound[t])
				vsplit_cs_copy(cs, s, 8 * vsplit_rng_below(rng, 500), t,
					       8 * vsplit_rng_below(rng, 500), 1024);
		}
		vsplit_cs_nop(cs, 8);
	}
}

unsigned int distinct_cuts(void)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < cs->nr_patches; i++) {
		uint32_t s = cs->patches[i].split_offset;

		n += s && s < cs->bytes && (!i || cs->patches[i - 1].split_offset != s);
	}
	return n;
}

/* ---- what a record says ------------------------------------------------- */

void check_text(const struct vsplit_record *rec, const char *expected)
{
	const char *got = vsplit_record_text(rec, cs, U);

	if (!vsplit_exact())
		return;
	igt_assert_f(!strcmp(got, expected), "record\n  %s\nexpected\n  %s\n", got, expected);
}

void check_portions(const struct vsplit_record *rec, unsigned int n)
{
	if (!vsplit_exact())
		return;
	igt_assert_f(rec->info.num_portions == n, "%u portions, expected %u: %s\n",
		     rec->info.num_portions, n, vsplit_record_text(rec, cs, U));
}

void check_cut(const struct vsplit_record *rec, unsigned int portion, uint32_t begin,
	       uint32_t end)
{
	const struct drm_vsplit_event *p = vsplit_portion(rec, portion);

	if (!vsplit_exact())
		return;
	igt_assert_f(p && p->begin == begin && p->end == end,
		     "portion %u is not [%#x,%#x): %s\n", portion, begin, end,
		     vsplit_record_text(rec, cs, U));
}

void check_fault(uint32_t fault, uint32_t offset, uint32_t slot)
{
	struct drm_vsplit_ctx_query q;

	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(__vsplit_cs_wait(cs) != 0);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(q.fault, fault);
	igt_assert_eq_u32(q.fault_offset, offset);
	igt_assert_eq_u32(q.fault_slot, slot);
	igt_assert_eq_u64(q.submission, cs->submission);
}
