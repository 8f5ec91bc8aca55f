// SPDX-License-Identifier: MIT
/*
 * The validator of submissions: each rule by itself, then random submissions, intact and damaged,
 * compared with the reference.
 */
#include "../drv/exec/vsplit_parse.h"
#include "../drv/gpu/vsplit_gpu_isa.h"
#include "harness.h"
#include "parse_reference.h"

#define MAX_BYTES	4096
#define MAX_PATCHES	256
#define MAX_ALLOCS	8
#define SLOTS		12

/* A submission that can be changed. */
struct sub {
	u64 stream[MAX_BYTES / 8];
	u32 bytes;
	struct drm_vsplit_patch patches[MAX_PATCHES];
	u32 nr_patches;
	u64 sizes[MAX_ALLOCS];
	u32 nr_allocs;
};

static u64 rng_state = 1;

static u64 rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state * 0x2545f4914f6cdd1dull;
}

static u32 below(u32 n)
{
	return (rng() >> 32) % n;
}

/* How often the validator has let others run; when the process is killed, 0: never. */
static u32 relaxed, killed;

int vsplit_exec_relax(void)
{
	return ++relaxed == killed ? -EINTR : 0;
}

/* The fences of these tests have the handles 1 to 8. */
static bool has_fence(void *priv, u32 handle)
{
	return handle <= 8;
}

/* Ranks are in the order in which the list names allocations; NULL has no rank. */
static bool ranks_are_right(const struct vsplit_parse_input *in)
{
	u32 i, j, rank = 0, named = 0;

	for (i = 0; i < in->nr_patches; i++) {
		const struct drm_vsplit_patch *p = &in->patches[i];

		for (j = 0; j < i && in->patches[j].alloc != p->alloc; j++)
			;
		if (j == i && in->allocs[p->alloc].size && in->allocs[p->alloc].rank != ++rank)
			return false;
	}
	for (i = 0; i < in->nr_allocs; i++)
		named += !!in->allocs[i].rank;
	return named == rank;
}

static int check_err(const struct sub *s, struct vsplit_parse_error *err)
{
	/* Copies of exactly the right size, so that a sanitizer finds every byte too far. */
	void *stream = malloc(s->bytes ?: 1), *scratch = malloc(vsplit_parse_map_bytes(s->bytes));
	struct drm_vsplit_patch *patches = malloc(s->nr_patches * sizeof(*patches) + 1);
	struct vsplit_parse_alloc *allocs = calloc(s->nr_allocs ?: 1, sizeof(*allocs));
	struct vsplit_parse_input in = {
		.stream = stream, .stream_bytes = s->bytes,
		.patches = patches, .nr_patches = s->nr_patches,
		.allocs = allocs, .nr_allocs = s->nr_allocs,
		.nr_slots = SLOTS,
		.has_fence = has_fence,
	};
	int ret;
	u32 i;

	memcpy(stream, s->stream, s->bytes);
	memcpy(patches, s->patches, s->nr_patches * sizeof(*patches));
	for (i = 0; i < s->nr_allocs; i++)
		allocs[i].size = s->sizes[i];
	memset(scratch, 0xa5, vsplit_parse_map_bytes(s->bytes));
	memset(err, 0, sizeof(*err));
	ret = vsplit_parse_check(&in, scratch, err);
	if (ret)
		t_check((ret == -EINVAL || ret == -ENOENT) && err->reason);
	if ((ret == 0) != parse_reference(&in))
		t_fail("the reference says %s, not: %s", ret ? "yes" : "no",
		       ret ? err->reason : "yes");
	t_check(ret || ranks_are_right(&in));
	free(stream);
	free(scratch);
	free(patches);
	free(allocs);
	return ret;
}

static int check(const struct sub *s)
{
	struct vsplit_parse_error err;

	return check_err(s, &err);
}

static void *add(struct sub *s, u32 op, u32 size, u32 arg)
{
	struct vsplit_packet *head = (void *)((u8 *)s->stream + s->bytes);

	memset(head, 0, size);
	head->op = op;
	head->size = size;
	head->arg = arg;
	s->bytes += size;
	return head;
}

static struct drm_vsplit_patch *patch(struct sub *s, u32 alloc, u32 slot, u32 at, u32 split)
{
	struct drm_vsplit_patch *p = &s->patches[s->nr_patches++];

	*p = (struct drm_vsplit_patch) {
		.alloc = alloc, .slot = slot, .patch_offset = at, .split_offset = split,
		.driver_id = 0xffffffff,
	};
	return p;
}

static void bind(struct sub *s, u32 alloc, u32 slot)
{
	u32 at = s->bytes;

	add(s, VSPLIT_OP_BIND, sizeof(struct vsplit_packet_bind), slot);
	patch(s, alloc, slot, at + 8, at);
}

/*
 * Allocation 0 is NULL. bind 1; bind 2; state; fill with an address. Offsets: 0, 24, 48, 64; end:
 * 96.
 */
static struct sub example(void)
{
	struct sub s = { .sizes = { 0, 4096, 8192 }, .nr_allocs = 3 };
	struct vsplit_packet_fill *fill;

	bind(&s, 1, 3);
	bind(&s, 2, 4);
	add(&s, VSPLIT_OP_STATE, sizeof(struct vsplit_packet_state), VSPLIT_STATE_FILL);
	fill = add(&s, VSPLIT_OP_FILL, sizeof(*fill), 0);
	fill->dst.slot = 3;
	fill->dst.flags = VSPLIT_OPERAND_ADDRESS;
	patch(&s, 1, 3, 64 + 16, 64);
	return s;
}

static void parse_accepts(void)
{
	struct sub s = example();

	t_equal(check(&s), 0);
	/* Equal SplitOffsets, in any order of their operands. */
	s.patches[0].patch_offset = 24 + 8;
	s.patches[0].slot = 4;
	s.patches[0].split_offset = 0;
	s.patches[1].patch_offset = 8;
	s.patches[1].slot = 3;
	s.patches[1].split_offset = 0;
	t_equal(check(&s), 0);
	/* No patch element at all. */
	s = (struct sub) { 0 };
	add(&s, VSPLIT_OP_NOP, 8, 0);
	t_equal(check(&s), 0);
	add(&s, VSPLIT_OP_NOP, 1024, 0);
	memset((u8 *)s.stream + 16, 0xff, 1016);
	t_equal(check(&s), 0);
}

static void parse_unbind(void)
{
	struct sub s = example();

	bind(&s, 0, 3);
	t_equal(check(&s), 0);
	s.patches[3].alloc_offset = 1;
	t_equal(check(&s), -EINVAL);
	/* At the end of the stream there is nothing to patch. */
	s = example();
	patch(&s, 0, 3, s.bytes, s.bytes);
	patch(&s, 0, 4, s.bytes, s.bytes);
	t_equal(check(&s), 0);
	s.patches[4].alloc = 1;
	t_equal(check(&s), -EINVAL);
	s.patches[4].alloc = 0;
	s.patches[4].patch_offset = s.bytes - 8;
	t_equal(check(&s), -EINVAL);
	s.patches[4].patch_offset = s.bytes;
	s.patches[4].split_offset = 64;
	t_equal(check(&s), -EINVAL);
	s.patches[4].split_offset = s.bytes + 8;
	s.patches[4].patch_offset = s.bytes + 8;
	t_equal(check(&s), -EINVAL);
	/* NULL for an operand that the packet accesses. */
	s = example();
	s.patches[2].alloc = 0;
	t_equal(check(&s), -EINVAL);
}

/* Change a field of the example; the validator must refuse the result. */
#define REFUSE(change, text) do {						\
	struct sub s = example();						\
	struct vsplit_parse_error err;						\
										\
	change;									\
	t_equal(check_err(&s, &err), -EINVAL);					\
	if (!err.reason || !strstr(err.reason, text))				\
		t_fail("%s:%d: reason \"%s\"", __FILE__, __LINE__, err.reason);	\
} while (0)

static void parse_patch_rules(void)
{
	REFUSE(s.patches[1].alloc = 3, "AllocationIndex");
	REFUSE(s.patches[1].alloc = ~0u, "AllocationIndex");
	REFUSE(s.patches[1].slot = 5, "SlotId differs");
	REFUSE(s.patches[1].slot = SLOTS, "SlotId beyond");
	REFUSE(s.patches[1].slot = 4 | 1u << 24, "reserved bits of SlotId");
	REFUSE(s.patches[1].slot = 4 | 1u << 31, "reserved bits of SlotId");
	REFUSE(s.patches[1].alloc_offset = 8192, "AllocationOffset");
	REFUSE(s.patches[1].alloc_offset = ~0u, "AllocationOffset");
	REFUSE(s.patches[1].split_offset = 0; s.patches[0].split_offset = 24;
	       s.patches[0].patch_offset = 32; s.patches[0].slot = 4, "SplitOffset decreases");
	REFUSE(s.patches[1].split_offset = 48, "PatchOffset before");
	REFUSE(s.patches[1].split_offset = 8, "packet boundary");
	REFUSE(s.patches[1].split_offset = 25, "packet boundary");
	REFUSE(s.patches[2].split_offset = s.bytes; s.patches[2].patch_offset = s.bytes,
	       "only a NULL");
	REFUSE(s.patches[1].patch_offset = 36, "not an uncovered");
	REFUSE(s.patches[1].patch_offset = 24, "not an uncovered");
	REFUSE(s.patches[1].patch_offset = 40, "not an uncovered");
	REFUSE(s.patches[1].patch_offset = s.bytes, "not an uncovered");
	REFUSE(s.patches[1].patch_offset = ~7u, "not an uncovered");
	REFUSE(s.patches[1] = s.patches[0], "not an uncovered");
	REFUSE(s.nr_patches = 2, "without a patch element");
	REFUSE(s.nr_patches = 0, "without a patch element");
	REFUSE(s.nr_allocs = 0, "AllocationIndex");
}

static void parse_stream_rules(void)
{
	REFUSE(s.bytes -= 8, "crosses the end");
	REFUSE(s.bytes -= 4, "multiple of 8");
	REFUSE(s.bytes = 0, "multiple of 8");
	REFUSE(((u8 *)s.stream)[48] = VSPLIT_OP_COUNT, "unknown opcode");
	REFUSE(((u8 *)s.stream)[49] = 1, "flags");
	REFUSE(((u8 *)s.stream)[50] = 24, "size");
	REFUSE(((u8 *)s.stream)[50] = 0, "size");
	REFUSE(((u8 *)s.stream)[52] = VSPLIT_STATE_COUNT, "state register");
	REFUSE(((u8 *)s.stream)[60] = 1, "upper half");
	REFUSE(((u8 *)s.stream)[64 + 4] = 1, "reserved argument");
	REFUSE(((u8 *)s.stream)[64 + 8] = SLOTS, "slot beyond");
	REFUSE(((u8 *)s.stream)[64 + 12] = 3, "operand flags");
	REFUSE(((u8 *)s.stream)[64 + 16] = 1, "not 0");
	REFUSE(((u8 *)s.stream)[8] = 1, "not 0");
	REFUSE(((u8 *)s.stream)[16] = 1, "not 0");
	REFUSE(((u8 *)s.stream)[64 + 12] = 0, "not an uncovered");
}

/* Waits come first, and the fences must exist. */
static void parse_fences(void)
{
	struct sub s = { .nr_allocs = 1 };
	struct vsplit_parse_error err;

	add(&s, VSPLIT_OP_WAIT_FENCE, 16, 1);
	add(&s, VSPLIT_OP_WAIT_FENCE, 16, 8);
	add(&s, VSPLIT_OP_SIGNAL_FENCE, 16, 1);
	t_equal(check_err(&s, &err), 0);
	add(&s, VSPLIT_OP_SIGNAL_FENCE, 16, 9);
	t_equal(check_err(&s, &err), -ENOENT);
	t_equal(err.offset, 48);
	s.bytes -= 16;
	add(&s, VSPLIT_OP_WAIT_FENCE, 16, 1);
	t_equal(check_err(&s, &err), -EINVAL);
	t_equal(err.offset, 48);
	s.bytes = 0;
	add(&s, VSPLIT_OP_NOP, 8, 0);
	add(&s, VSPLIT_OP_WAIT_FENCE, 16, 1);
	t_equal(check_err(&s, &err), -EINVAL);
	s.bytes = 0;
	add(&s, VSPLIT_OP_WAIT_FENCE, 16, 9);
	t_equal(check_err(&s, &err), -ENOENT);
}

static void parse_error_place(void)
{
	struct sub s = example();
	struct vsplit_parse_error err;

	((u8 *)s.stream)[49] = 1;
	check_err(&s, &err);
	t_equal(err.offset, 48);
	t_equal(err.patch, ~0u);
	s = example();
	s.patches[1].alloc = 99;
	check_err(&s, &err);
	t_equal(err.patch, 1);
	s = example();
	s.nr_patches = 2;
	check_err(&s, &err);
	t_equal(err.offset, 80);
	t_equal(err.patch, ~0u);
}

/* ---- random ------------------------------------------------------------- */

static const u32 sizes[] = {
	[VSPLIT_OP_NOP] = 8, [VSPLIT_OP_STATE] = 16, [VSPLIT_OP_BIND] = 24, [VSPLIT_OP_FILL] = 32,
	[VSPLIT_OP_COPY] = 48, [VSPLIT_OP_COPY_2D] = 48, [VSPLIT_OP_MMA] = 72,
	[VSPLIT_OP_ATOMIC_ADD] = 32, [VSPLIT_OP_STORE] = 32, [VSPLIT_OP_TIMESTAMP] = 24,
	[VSPLIT_OP_SPIN] = 8, [VSPLIT_OP_SIGNAL_FENCE] = 16, [VSPLIT_OP_WAIT_FENCE] = 16,
	[VSPLIT_OP_DRAW] = 104,
};

/* Add a patch element for an operand of the packet at @packet; the split may be earlier. */
static void random_patch(struct sub *s, u32 slot, u32 at, u32 packet, bool null)
{
	u32 last = s->nr_patches ? s->patches[s->nr_patches - 1].split_offset : 0;
	u32 alloc = null && below(3) == 0 ? 0 : 1 + below(s->nr_allocs - 1);
	u32 split = below(2) ? packet : last;
	struct drm_vsplit_patch *p = patch(s, alloc, slot, at, split);

	p->alloc_offset = alloc ? rng() % s->sizes[alloc] : 0;
}

static void random_operand(struct sub *s, u32 packet, u32 at)
{
	struct vsplit_operand *o = (void *)((u8 *)s->stream + at);

	o->slot = below(SLOTS);
	o->flags = below(2);
	o->value = o->flags ? 0 : rng();
	if (o->flags)
		random_patch(s, o->slot, at + 8, packet, false);
}

static void random_draw(struct vsplit_packet_draw *p)
{
	p->head.flags = rng();
	p->head.arg = 1 + below(VSPLIT_DRAW_MAX_TRIANGLES);
	p->width = 1 + below(VSPLIT_DRAW_MAX_SIDE);
	p->height = 1 + below(VSPLIT_DRAW_MAX_SIDE);
	p->target_pitch = 64 * (256 + below(3));
	if (p->head.flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		p->depth_pitch = 64 * (256 + below(3));
	if (p->head.flags & VSPLIT_DRAW_TEXTURE) {
		p->texture_width = 1 + below(VSPLIT_DRAW_MAX_SIDE);
		p->texture_height = 1 + below(VSPLIT_DRAW_MAX_SIDE);
		p->texture_pitch = 64 * (256 + below(3));
	}
	p->right = below(p->width + 1);
	p->bottom = below(p->height + 1);
	p->left = below(p->right + 1);
	p->top = below(p->bottom + 1);
	p->blend = below(VSPLIT_BLEND_COUNT);
}

/* A packet that waits comes first, or not at all. */
static u32 random_op(const struct sub *s)
{
	u32 op = below(VSPLIT_OP_COUNT);

	return op == VSPLIT_OP_WAIT_FENCE && s->bytes ? random_op(s) : op;
}

static void random_packet(struct sub *s)
{
	u32 op = random_op(s), at = s->bytes, i;
	const struct vsplit_isa_packet *info = vsplit_isa_packet(op);
	struct vsplit_packet *head = add(s, op, sizes[op] + (op ? 0 : 8 * below(8)), 0);
	struct vsplit_packet_copy_2d *copy = (void *)head;
	struct vsplit_packet_mma *mma = (void *)head;

	for (i = 0; i < info->nr_operands; i++)
		random_operand(s, at, at + info->operands[i].offset);
	if (op == VSPLIT_OP_STATE)
		head->arg = below(VSPLIT_STATE_COUNT);
	if (op == VSPLIT_OP_STATE)
		((struct vsplit_packet_state *)head)->value = (u32)rng();
	if (op == VSPLIT_OP_SPIN)
		head->arg = below(VSPLIT_SPIN_MAX_US + 1);
	if (op == VSPLIT_OP_SIGNAL_FENCE || op == VSPLIT_OP_WAIT_FENCE)
		head->arg = 1 + below(8);
	if (op == VSPLIT_OP_BIND) {
		head->arg = below(SLOTS);
		random_patch(s, head->arg, at + 8, at, true);
	}
	if (op == VSPLIT_OP_COPY_2D) {
		head->flags = below(4);
		copy->width = below(100) * (head->flags ? 64 : 1);
		copy->height = below(100) * (head->flags ? 64 : 1);
	}
	if (op == VSPLIT_OP_DRAW)
		random_draw((void *)head);
	if (op == VSPLIT_OP_MMA) {
		head->flags = below(2);
		mma->m = 1 + below(VSPLIT_MMA_MAX_DIM);
		mma->n = 1 + below(VSPLIT_MMA_MAX_DIM);
		mma->k = 1 + below(VSPLIT_MMA_MAX_DIM);
	}
}

static void random_sub(struct sub *s)
{
	u32 i, packets = 1 + below(40);

	memset(s, 0, sizeof(*s));
	s->nr_allocs = 2 + below(MAX_ALLOCS - 1);
	for (i = 1; i < s->nr_allocs; i++)
		s->sizes[i] = 4096ull << below(24);
	for (i = 0; i < packets; i++)
		random_packet(s);
	for (i = below(4); i; i--)
		patch(s, 0, below(SLOTS), s->bytes, s->bytes);
}

static u32 odd_value(const struct sub *s, u32 old)
{
	switch (below(9)) {
	case 0: return 0;
	case 1: return ~0u;
	case 2: return s->bytes;
	case 3: return old + 8;
	case 4: return old - 8;
	case 5: return old + 1;
	case 6: return 1u << below(32);
	case 7: return old ^ 1u << below(32);
	default: return below(s->bytes / 8 + 1) * 8;
	}
}

static void damage(struct sub *s)
{
	struct drm_vsplit_patch *p = s->nr_patches ? &s->patches[below(s->nr_patches)] : NULL;
	u32 *word = (u32 *)s->stream + below(s->bytes / 4), which = below(10);

	if (which < 3 || !p) {
		*word = odd_value(s, *word);
	} else if (which < 8) {
		word = (u32 *)p + below(sizeof(*p) / 4);
		*word = odd_value(s, *word);
	} else if (which == 8) {
		*p = s->patches[below(s->nr_patches)];
	} else {
		*p = s->patches[--s->nr_patches];
	}
}

static void parse_random(void)
{
	u32 i, accepted = 0;
	char note[64];
	struct sub s;

	for (i = 0; i < 100000 && !t_failed; i++) {
		rng_state = i + 1;
		rng();
		random_sub(&s);
		if (check(&s))
			t_fail("seed %u is valid and was refused", i);
		damage(&s);
		accepted += !check(&s);
		damage(&s);
		accepted += !check(&s);
	}
	if (t_failed)
		snprintf(note, sizeof(note), " (seed %u)", i - 1);
	if (t_failed)
		strncat(t_why, note, sizeof(t_why) - strlen(t_why) - 1);
	/* Some damage leaves a submission valid, but most does not. */
	t_check(accepted > 1000 && accepted < 100000);
}

/* Flip each single bit of the stream and list of a valid submission. */
static void parse_bit_flips(void)
{
	u32 i, bit;
	struct sub s, t;

	for (i = 0; i < 40; i++) {
		rng_state = 7777 + i;
		random_sub(&s);
		for (bit = 0; bit < s.bytes * 8; bit++) {
			t = s;
			((u8 *)t.stream)[bit / 8] ^= 1 << bit % 8;
			check(&t);
		}
		for (bit = 0; bit < s.nr_patches * sizeof(s.patches[0]) * 8; bit++) {
			t = s;
			((u8 *)t.patches)[bit / 8] ^= 1 << bit % 8;
			check(&t);
		}
	}
}

/* The size is linear, and covers the last 8 bytes. */
static void parse_map(void)
{
	t_equal(vsplit_parse_map_bytes(8), 1);
	t_equal(vsplit_parse_map_bytes(520), 65);
	t_equal(vsplit_parse_map_bytes(16u << 20), (16u << 20) / 8);
	t_equal(vsplit_parse_map_bytes(~7u), ~7u / 8);
}

/* When the process is killed, the validator stops wherever it is. */
static void parse_killed(void)
{
	struct drm_vsplit_patch *patches = calloc(3 * VSPLIT_AT_ONCE, sizeof(*patches));
	struct vsplit_packet *stream = calloc(3 * VSPLIT_AT_ONCE, sizeof(*stream));
	u8 *scratch = malloc(3 * VSPLIT_AT_ONCE);
	struct vsplit_parse_alloc null = { 0 };
	struct vsplit_parse_input in = {
		.stream = stream, .stream_bytes = 3 * VSPLIT_AT_ONCE * sizeof(*stream),
		.patches = patches, .nr_patches = 3 * VSPLIT_AT_ONCE,
		.allocs = &null, .nr_allocs = 1,
		.nr_slots = SLOTS,
	};
	u32 i;

	for (i = 0; i < 3 * VSPLIT_AT_ONCE; i++) {
		stream[i].size = sizeof(*stream);
		patches[i].patch_offset = in.stream_bytes;
		patches[i].split_offset = in.stream_bytes;
	}
	for (killed = 6; killed < 7; killed--) {
		struct vsplit_parse_error err = { 0 };

		relaxed = 0;
		t_equal(vsplit_parse_check(&in, scratch, &err), killed ? -EINTR : 0);
		t_equal(relaxed, killed ?: 6);
		t_check(!err.reason);
	}
	killed = 0;
	free(scratch);
	free(patches);
	free(stream);
}

int main(void)
{
	t_run(parse_accepts);
	t_run(parse_unbind);
	t_run(parse_patch_rules);
	t_run(parse_stream_rules);
	t_run(parse_fences);
	t_run(parse_error_place);
	t_run(parse_map);
	t_run(parse_killed);
	t_run(parse_random);
	t_run(parse_bit_flips);
	return t_status;
}
