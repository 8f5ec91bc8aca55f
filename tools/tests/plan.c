// SPDX-License-Identifier: MIT
/* How vsplit-gemm cuts matrices: tiles fit, and every element is computed once. */
#include <stdlib.h>

#include "check.h"
#include "gemm.h"

static struct gemm_limits limits(uint64_t memory)
{
	return (struct gemm_limits){
		.memory = memory, .page = 4096, .stream_bytes = 1 << 20, .allocs = 4096,
		.patches = 65536,
	};
}

/* Steps cover every (i, k, j) once, and only the first step of a C tile overwrites the tile. */
static void check_steps(const struct gemm_plan *p)
{
	uint64_t steps = gemm_steps(p), i;
	uint8_t *seen = calloc(steps, 1), *begun = calloc(p->cm * p->cn, 1);

	for (i = 0; i < steps; i++) {
		struct gemm_step s = gemm_step(p, i);
		uint64_t at = (s.i * p->ck + s.k) * p->cn + s.j;

		if (s.i >= p->cm || s.k >= p->ck || s.j >= p->cn || seen[at]++) {
			CHECK(!"step out of range, or twice");
			break;
		}
		CHECK_EQ(s.accumulate, begun[s.i * p->cn + s.j]);
		begun[s.i * p->cn + s.j] = 1;
	}
	free(seen);
	free(begun);
}

static void check_cut(uint64_t size, uint64_t tile, uint64_t count)
{
	CHECK(tile >= 1 && count >= 1);
	CHECK(tile * count >= size);
	CHECK(tile * (count - 1) < size);
}

static void plans_of_many_sizes(void)
{
	static const uint64_t sizes[] = { 1, 2, 3, 17, 64, 100, 257, 1000, 4096, 70000 };
	static const uint64_t memories[] = { 3 * 4096, 20480, 65536, 1 << 20, 64 << 20 };
	const size_t n = ARRAY_SIZE(sizes);
	size_t i, d;

	for (d = 0; d < ARRAY_SIZE(memories); d++) {
		struct gemm_limits l = limits(memories[d]);

		for (i = 0; i < n * n * n; i++) {
			struct gemm_plan p;

			if (!gemm_plan_make(&p, sizes[i / n / n], sizes[i / n % n], sizes[i % n], 0,
					    &l)) {
				CHECK(!"no plan");
				continue;
			}
			check_cut(p.m, p.tm, p.cm);
			check_cut(p.k, p.tk, p.ck);
			check_cut(p.n, p.tn, p.cn);
			CHECK(gemm_step_bytes(p.tm, p.tk, p.tn, 4096) <= memories[d]);
			if (gemm_steps(&p) < 20000)
				check_steps(&p);
		}
	}
}

static void neighbours_share_tiles(void)
{
	struct gemm_limits l = limits(65536);
	struct gemm_step last = { 0 };
	struct gemm_plan p;
	uint64_t i;

	CHECK(gemm_plan_make(&p, 1000, 1000, 1000, 100, &l));
	CHECK_EQ(gemm_steps(&p), 1000);
	for (i = 0; i < 1000; i++) {
		struct gemm_step s = gemm_step(&p, i);
		int same = (s.i == last.i && s.k == last.k) + (s.k == last.k && s.j == last.j) +
			   (s.i == last.i && s.j == last.j);

		if (i)
			CHECK_EQ(same, 1);
		last = s;
	}
}

static void tiles_of_the_user(void)
{
	struct gemm_limits l = limits(3 * 4096);
	struct gemm_plan p;

	CHECK(gemm_plan_make(&p, 100, 100, 100, 32, &l));
	CHECK_EQ(p.tm, 32);
	CHECK_EQ(p.cm, 4);
	CHECK(!gemm_plan_make(&p, 100, 100, 100, 33, &l));
	CHECK(gemm_plan_make(&p, 10, 10, 10, 65536, &l));
	CHECK(!gemm_plan_make(&p, 10, 10, 10, 65537, &l));
	l.memory = 2 * 4096;
	CHECK(!gemm_plan_make(&p, 10, 10, 10, 0, &l));
}

static void emitted_bytes_are_as_foretold(void)
{
	static const uint64_t sizes[] = { 1, 100, 5000, 40000 };
	struct gemm_limits l = limits(1ull << 33);
	struct vsplit_stream *s;
	size_t i;

	vsplit_stream_create(&s);
	for (i = 0; i < 64; i++) {
		struct gemm_step step = { 0 };
		struct gemm_plan p;

		CHECK(gemm_plan_make(&p, sizes[i / 16], sizes[i / 4 % 4], sizes[i % 4], 0, &l));
		p.packet_macs = 1 << 20;
		vsplit_stream_reset(s);
		CHECK_EQ(gemm_emit(s, &p, &step), 0);
		CHECK_EQ(vsplit_stream_offset(s), gemm_emit_bytes(&p, &step));
	}
	vsplit_stream_destroy(s);
}

int main(void)
{
	RUN(plans_of_many_sizes);
	RUN(neighbours_share_tiles);
	RUN(tiles_of_the_user);
	RUN(emitted_bytes_are_as_foretold);
	return check_total_failures != 0;
}
