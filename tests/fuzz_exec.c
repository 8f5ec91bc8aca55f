// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for the interpreter: any bytes are a patched stream. The interpreter must agree
 * with the reference, and must never touch a byte that no row allows.
 *
 * Input: 8 bytes that seed the rows and a random stream, then elements of 10 bytes: a position in
 * the stream, and 8 bytes to put there. So the fuzzer begins with useful streams, and may change
 * every byte of them.
 */
#include <stdlib.h>

#include "gpu_reference.h"
#include "gpu_streams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Skip a multiplication or triangles for which the reference would take seconds. */
static bool too_slow(const struct world *w)
{
	const struct vsplit_packet *head;
	const char *reason;
	u64 work = 0;
	u32 offset;

	for (offset = 0; offset < w->bytes; offset += head->size) {
		const struct vsplit_packet_draw *draw;
		const struct vsplit_packet_mma *mma;

		head = (const void *)((const u8 *)w->stream + offset);
		draw = (const void *)head;
		mma = (const void *)head;
		if (!vsplit_isa_check(head, w->bytes - offset, W_SLOTS, true, &reason))
			break;
		if (head->op == VSPLIT_OP_MMA)
			work += (u64)mma->m * mma->n * mma->k;
		if (head->op == VSPLIT_OP_DRAW)
			work += 20ull * draw->width * draw->height * draw->head.arg;
	}
	return work > 3000000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *a, *b;
	struct ref_result should;
	u32 unmapped, fault;
	uint16_t where;

	if (size < 8)
		return 0;
	memcpy(&rng_state, data, 8);
	rng_state |= 1;
	unmapped = below(3) ? 64 : 5;
	a = world_new(unmapped);
	b = world_new(unmapped);
	random_stream(a, 1 + below(8));
	a->exec.lenient = below(2);
	for (data += 8, size -= 8; size >= 10; data += 10, size -= 10) {
		memcpy(&where, data, 2);
		memcpy(&a->stream[where % (a->bytes / 8)], data + 2, 8);
	}
	memcpy(b->table, a->table, sizeof(a->table));
	memcpy(b->stream, a->stream, sizeof(a->stream));
	world_same_memory(b, a);
	b->nr_rows = a->nr_rows;
	b->bytes = a->bytes;
	if (!too_slow(a)) {
		should = reference_run(b, a->exec.lenient);
		fault = world_run(a);
		if (fault != should.fault || (fault && a->program.fault.offset != should.offset))
			abort();
		if (!reference_equal(a, b, &should))
			abort();
	}
	world_free(a);
	world_free(b);
	return 0;
}
