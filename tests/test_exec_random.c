// SPDX-License-Identifier: MIT
/*
 * The interpreter against the byte-by-byte reference, on random streams. A seed determines a world,
 * rows and a stream. Faults, their places and every byte of memory must be the same.
 */
#include "gpu_reference.h"
#include "gpu_streams.h"
#include "harness.h"

static u32 faults[VSPLIT_FAULT_CANCELLED + 1];

static void one(u64 seed)
{
	struct world *a, *b;
	struct ref_result should;
	u32 unmapped, fault;

	rng_state = seed + 1;
	rng();
	unmapped = below(3) ? 64 : 5;
	a = world_new(unmapped);
	b = world_new(unmapped);
	random_stream(a, 1 + below(12));
	memcpy(b->table, a->table, sizeof(a->table));
	memcpy(b->stream, a->stream, sizeof(a->stream));
	world_same_memory(b, a);
	b->nr_rows = a->nr_rows;
	b->bytes = a->bytes;
	a->exec.lenient = below(2);

	should = reference_run(b, a->exec.lenient);
	fault = world_run(a);
	faults[fault]++;
	if (fault != should.fault)
		t_fail("seed %llu: fault %u at %u, not %u at %u", (long long)seed, fault,
		       a->program.fault.offset, should.fault, should.offset);
	else if (fault && a->program.fault.offset != should.offset)
		t_fail("seed %llu: fault %u at %u, not at %u", (long long)seed, fault,
		       a->program.fault.offset, should.offset);
	else if (fault && fault != VSPLIT_FAULT_DECODE &&
		 a->program.fault.slot != should.slot)
		t_fail("seed %llu: fault %u in slot %u, not %u", (long long)seed, fault,
		       a->program.fault.slot, should.slot);
	else if (!reference_equal(a, b, &should))
		t_fail("seed %llu: bytes differ", (long long)seed);
	world_free(a);
	world_free(b);
}

int main(int argc, char **argv)
{
	u64 first = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	u64 count = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? 1 : 6000, i;
	char note[128];

	t_begin();
	for (i = first; i < first + count && !t_failed; i++)
		one(i);
	/* Streams that succeed, and each kind of failure, must occur. */
	if (argc == 1) {
		t_check(faults[VSPLIT_FAULT_NONE] > count / 10);
		t_check(faults[VSPLIT_FAULT_EMPTY_ROW] > 20);
		t_check(faults[VSPLIT_FAULT_BOUNDS] > 20);
		t_check(faults[VSPLIT_FAULT_WRITE] > 20);
		t_check(faults[VSPLIT_FAULT_ALIGN] > 20);
		t_check(faults[VSPLIT_FAULT_DECODE] > 20);
	}
	snprintf(note, sizeof(note), "%llu streams: %u good, faults: %u empty, %u bounds, %u write, "
		 "%u align, %u decode", (long long)count, faults[0], faults[2], faults[3], faults[4],
		 faults[5], faults[7]);
	t_end("exec_random", note);
	return t_status;
}
