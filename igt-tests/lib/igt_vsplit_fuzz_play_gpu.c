// SPDX-License-Identifier: MIT
/*
 * Plays about commands and their order: faults of every kind, timelines, clients that never wait,
 * work that is running when the adapter is unbound.
 */
#include "igt.h"
#include "igt_vsplit_fuzz_play.h"

#include <sys/wait.h>
#include <xf86drm.h>

#define U PLAY_PAGE

/* ---- faults ------------------------------------------------------------- */

/* Slot 0 may be written, slot 1 only read; slots from 2 on are empty. */
struct faulty {
	struct play_buffer *b;
	uint32_t writable, readable;
};

static void copy(struct faulty *f, uint32_t dst, uint32_t src, uint64_t length)
{
	vsplit__put_copy(&f->b->p, vsplit__slot(dst, 0), vsplit__slot(src, 0), length);
}

static void copy_2d(struct faulty *f, uint32_t dst, uint32_t src, uint32_t src_pitch,
		    uint32_t dst_pitch, uint32_t flags, uint32_t height)
{
	vsplit__put_state(&f->b->p, VSPLIT_STATE_SRC_PITCH, src_pitch);
	vsplit__put_state(&f->b->p, VSPLIT_STATE_DST_PITCH, dst_pitch);
	vsplit__put_copy_2d(&f->b->p, vsplit__slot(dst, 0), vsplit__slot(src, 0), 64, height,
			    flags);
}

/* @lda, @ldb, @ldc: pitches of A, B and C. @slots: the slot of each. */
static void mma(struct faulty *f, uint32_t lda, uint32_t ldb, uint32_t ldc, const uint32_t *slots,
		uint32_t m)
{
	vsplit__put_state(&f->b->p, VSPLIT_STATE_LDA, lda);
	vsplit__put_state(&f->b->p, VSPLIT_STATE_LDB, ldb);
	vsplit__put_state(&f->b->p, VSPLIT_STATE_LDC, ldc);
	vsplit__put_mma(&f->b->p, vsplit__slot(slots[0], 0), vsplit__slot(slots[1], 0),
			vsplit__slot(slots[2], 0), m, 8, 8, 0);
}

static void word(struct faulty *f, uint32_t op, uint32_t slot, uint64_t offset)
{
	vsplit__put_word(&f->b->p, op, vsplit__slot(slot, offset), 0);
}

/* An operand with an address below the beginning of its row. */
static void below_the_row(struct faulty *f)
{
	struct vsplit_operand address = { 2, VSPLIT_OPERAND_ADDRESS, 0 };
	struct drm_vsplit_patch patch = {
		.slot = 2, .alloc_offset = 64, .split_offset = f->b->split,
	};

	play_bind(f->b, 2, f->writable, VSPLIT_ALLOC_WRITE, 1024);
	patch.alloc = play_element(f->b, f->writable, VSPLIT_ALLOC_WRITE);
	patch.patch_offset = f->b->bytes + offsetof(struct vsplit_packet_store, dst.value);
	vsplit__put_word(&f->b->p, VSPLIT_OP_STORE, address, 0);
	vsplit__put_patch(&f->b->p, &patch);
}

/* One of the RIGHT commands that access allocations, with valid arguments. */
static void right_of_kind(struct faulty *f, unsigned int kind)
{
	static const uint32_t ops[] = { VSPLIT_OP_STORE, VSPLIT_OP_ATOMIC_ADD, VSPLIT_OP_TIMESTAMP };
	static const uint32_t slots[] = { 0, 1, 1 };

	switch (kind) {
	case 0: return play_fill(f->b, 0, 0, 64);
	case 1: return copy(f, 0, 1, 64);
	case 2: return copy_2d(f, 0, 1, 64, 64, 0, 4);
	case 3: return mma(f, 8, 8, 32, slots, 4);
	default: return word(f, ops[kind - 4], 0, 8);
	}
}

#define RIGHT 7
#define WRONG 34
#define FAULTS (WRONG + RIGHT + 1)

/* One invalid access, or one that is just valid. */
static void fault_of_kind(struct faulty *f, unsigned int kind)
{
	static const uint32_t ops[] = { VSPLIT_OP_STORE, VSPLIT_OP_ATOMIC_ADD, VSPLIT_OP_TIMESTAMP };
	static const uint32_t good[] = { 0, 1, 1 }, no_c[] = { 3, 1, 1 }, no_a[] = { 0, 3, 1 };
	static const uint32_t no_b[] = { 0, 1, 3 }, read_c[] = { 1, 1, 1 };
	const uint64_t beyond = 1ull << 40;

	switch (kind) {
	case 0: return play_fill(f->b, 3, 0, 64);
	case 1: return play_fill(f->b, 0, 0, beyond);
	case 2: return play_fill(f->b, 0, beyond, 0);
	case 3: return play_fill(f->b, 0, ~0ull, ~0ull);
	case 4: return play_fill(f->b, 1, 0, 64);
	case 5: return copy(f, 3, 1, 64);
	case 6: return copy(f, 0, 3, 64);
	case 7: return copy(f, 0, 1, beyond);
	case 8: return copy(f, 1, 0, 64);
	case 9: return copy_2d(f, 0, 1, 32, 64, 0, 4);
	case 10: return copy_2d(f, 0, 1, 64, 32, 0, 4);
	case 11: return copy_2d(f, 0, 1, 96, 64, VSPLIT_COPY_2D_SRC_TILED, 64);
	case 12: return copy_2d(f, 0, 1, 64, 96, VSPLIT_COPY_2D_DST_TILED, 64);
	case 13: return copy_2d(f, 0, 1, 64, 64, 0, 1u << 30);
	case 14: return copy_2d(f, 3, 1, 64, 64, 0, 4);
	case 15: return copy_2d(f, 0, 3, 64, 64, VSPLIT_COPY_2D_DST_TILED, 64);
	case 16: return copy_2d(f, 0, 1, 64, 64, 0, 0);
	case 17: return mma(f, 4, 8, 32, good, 4);
	case 18: return mma(f, 8, 4, 32, good, 4);
	case 19: return mma(f, 8, 8, 16, good, 4);
	case 20: return mma(f, 8, 8, 33, good, 4);
	case 21: return mma(f, 8, 8, 32, no_c, 4);
	case 22: return mma(f, 8, 8, 32, no_a, 4);
	case 23: return mma(f, 8, 8, 32, no_b, 4);
	case 24: return mma(f, 8, 8, 32, read_c, 4);
	case 25: return mma(f, 8, 8, 32, good, 60000);
	case 26 ... 28: return word(f, ops[kind - 26], 3, 0);
	case 29 ... 31: return word(f, ops[kind - 29], 0, 4);
	case 32: return word(f, VSPLIT_OP_STORE, 0, beyond);
	case 33: return below_the_row(f);
	case WRONG ... WRONG + RIGHT - 1: return right_of_kind(f, kind - WRONG);
	default: /* state that is not defined */
		vsplit__put_fill(&f->b->p, vsplit__slot(0, 0), 64);
	}
}

/* Where everything is mapped without memory behind it, every access is a fault. */
static void lost_maps(struct faulty *f, struct vsplit_rng *rng)
{
	static const uint32_t slots[] = { 0, 1, 1 };

	switch (below(rng, 6)) {
	case 0: return play_fill(f->b, 0, 0, 5000);
	case 1: return copy(f, 0, 1, 5000);
	case 2: return copy_2d(f, 0, 1, 64, 64, below(rng, 4), 64);
	case 3: return mma(f, 8, 8, 32, slots, 4);
	case 4: return word(f, VSPLIT_OP_STORE, 0, 0);
	default: return word(f, VSPLIT_OP_ATOMIC_ADD, 0, 8);
	}
}

/* Faults, each in a context of its own: one kind, all kinds, or all of lost mappings. */
int play_faulty(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	bool lose = play_aperture() >= 0 && dice(rng, 4), all = dice(rng, 2);
	int segment = lose ? play_aperture() : dice(rng, 2) ? play_memory() : -1;
	struct faulty f = {
		.writable = play_bo(c, 2, 0, segment, 0, 0),
		.readable = play_bo(c, 2, 0, segment, 0, 0),
	};
	unsigned int kind = below(rng, FAULTS);
	int ret = 0;

	if (lose)
		vsplit_fuzz_set_knob("lose_aperture_maps", "1");
	for (unsigned int n = all ? FAULTS : 1 + below(rng, 3); n; n--) {
		f.b = play_buffer();
		play_bind(f.b, 0, f.writable, VSPLIT_ALLOC_WRITE, 0);
		play_bind(f.b, 1, f.readable, 0, 0);
		if (lose)
			lost_maps(&f, rng);
		else
			fault_of_kind(&f, kind++ % FAULTS);
		ret = play_run(c, f.b, dice(rng, 8) ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		play_buffer_free(f.b);
	}
	if (lose)
		vsplit_fuzz_set_knob("lose_aperture_maps", "0");
	__vsplit_gem_close(c->fd, f.writable);
	__vsplit_gem_close(c->fd, f.readable);
	return ret;
}

/* ---- explicit synchronisation ------------------------------------------- */

/* Timeline points that grow and that do not; fences that exist and that do not. */
int play_timeline(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	enum { WAIT = 0, SIGNAL = VSPLIT_SYNC_SIGNAL, LINE = VSPLIT_SYNC_TIMELINE };
	static const struct { uint8_t object; uint32_t flags; uint64_t point; } syncs[] = {
		{ 0, SIGNAL | LINE, 5 }, { 0, SIGNAL | LINE, 9 }, { 0, SIGNAL | LINE, 9 },
		{ 0, SIGNAL | LINE, 3 }, { 1, SIGNAL, 0 }, { 1, WAIT, 0 }, { 0, WAIT | LINE, 5 },
		{ 0, WAIT | LINE, 4000 }, { 2, WAIT, 0 }, { 2, SIGNAL | LINE, ~0ull }, { 3, WAIT, 0 },
		{ 3, SIGNAL, 0 }, { 1, SIGNAL, 4 }, { 1, SIGNAL | LINE, 0 }, { 1, 4, 0 },
		{ 1, WAIT | LINE, 0 }, { 0, SIGNAL | LINE, 20 }, { 0, SIGNAL | LINE, 21 },
	};
	uint32_t objects[4] = { 0, 0, 0, 0x7fffffff };
	uint32_t ctx = play_ctx(c, 0);
	int ret = 0;

	for (unsigned int i = 0; i < 3; i++)
		if (drmSyncobjCreate(c->fd, 0, &objects[i]))
			objects[i] = 0;
	for (unsigned int n = 0; n < ARRAY_SIZE(syncs) + 4; n++) {
		struct play_buffer *b = play_buffer();

		vsplit__put(&b->p, VSPLIT_OP_NOP, 8, 0);
		/* Each sync alone, in this order; then some of them together. */
		for (unsigned int k = n < ARRAY_SIZE(syncs) ? 1 : 2 + below(rng, 3); k; k--) {
			unsigned int i = n < ARRAY_SIZE(syncs) ? n : below(rng, ARRAY_SIZE(syncs));
			uint64_t later = n < ARRAY_SIZE(syncs) ? 0 : 100 * n;

			b->syncs[b->nr_syncs++] = (struct drm_vsplit_sync) {
				objects[syncs[i].object], syncs[i].flags,
				syncs[i].point ? syncs[i].point + later : 0
			};
		}
		ret = play_send(c, b, ctx, 0, NULL);
		play_buffer_free(b);
	}
	for (unsigned int i = 0; i < 3; i++)
		if (objects[i])
			drmSyncobjDestroy(c->fd, objects[i]);
	play_ctx_end(c, ctx);
	return ret;
}

/* ---- clients that never wait -------------------------------------------- */

#define LONG_STREAM	(4u << 20)

/*
 * Long buffers until too many bytes are unfinished, or more submissions than records are kept of.
 */
int play_many(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	bool bytes = !dice(rng, 3), behind = bytes && dice(rng, 2);
	struct drm_vsplit_submit args = { .ctx = play_ctx(c, 0) };
	struct play_pause pause = {};
	uint8_t *stream = calloc(1, LONG_STREAM);
	int ret = 0;

	igt_assert(stream);
	for (uint32_t at = 0; at < LONG_STREAM; at += 32768)
		((struct vsplit_packet *)(stream + at))->size = 32768;
	args.stream = (uintptr_t)stream;
	args.stream_bytes = bytes ? LONG_STREAM : 32768;
	/* As if the workqueue that frees jobs were slow. */
	if (behind)
		vsplit_fuzz_hold();
	else if (bytes)
		play_pause(&pause, c, 3000);
	for (unsigned int n = 0; n < (bytes ? 18 : 70) && !ret; n++)
		ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args) ? -errno : 0;
	if (behind) {
		pid_t pid = fork();

		/* The next submission waits until the child has released the hold. */
		if (!pid) {
			usleep(20000);
			vsplit_fuzz_release();
			_exit(0);
		}
		ioctl(c->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args);
		vsplit_fuzz_release();
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	play_resume(&pause);
	play_ctx_end(c, args.ctx);
	free(stream);
	return ret;
}

/* ---- hangs, and what an unbind meets ------------------------------------ */

/* Slow commands, of all kinds that can be stopped before they end. */
static void slow(struct faulty *f, struct vsplit_rng *rng, uint64_t pages, uint32_t us)
{
	static const uint32_t slots[] = { 0, 1, 1 };
	unsigned int kind = below(rng, 5);

	if (kind == 0)
		vsplit__put_head(&f->b->p, VSPLIT_OP_SPIN, us);
	for (unsigned int n = 0; kind && n < 40; n++) {
		if (kind == 1)
			play_fill(f->b, 0, 0, pages * U);
		else if (kind == 2)
			copy(f, 0, 1, pages * U);
		else if (kind == 3)
			copy_2d(f, 0, 1, 64, 64, n % 4, pages * 64);
		else
			mma(f, 40, 40, 160, slots, pages * U / 160 - 1);
	}
}

static void slow_work(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint32_t us)
{
	uint32_t ctx[2] = { play_ctx(c, 0), play_ctx(c, VSPLIT_CTX_WDDM_ERRORS) };
	uint32_t bos[2] = {
		play_bo(c, 4, 0, -1, 0, 0),
		play_bo(c, 4, 0, dice(rng, 2) ? -1 : play_memory(), 0, 0),
	};

	for (unsigned int n = 2 + below(rng, 5); n; n--) {
		struct faulty f = { .b = play_buffer() };

		play_bind(f.b, 0, bos[0], VSPLIT_ALLOC_WRITE, 0);
		play_bind(f.b, 1, bos[1], 0, 0);
		slow(&f, rng, 4, us);
		f.b->split = f.b->bytes;
		play_bind(f.b, 2, bos[1], 0, 0);
		vsplit__put_head(&f.b->p, VSPLIT_OP_SPIN, 50);
		play_send(c, f.b, ctx[n % 2], dice(rng, 2) ? VSPLIT_SUBMIT_FORCE_SPLIT : 0, NULL);
		play_buffer_free(f.b);
	}
	play_ctx_end(c, ctx[0]);
	for (unsigned int i = 0; i < 2; i++)
		vsplit_fuzz_add(&c->bos, bos[i], 4 * U, rng);
	if (ctx[1])
		vsplit_fuzz_add(&c->ctxs, ctx[1], 0, rng);
}

/* A command that does not end, in any portion, with others behind it. */
int play_hang(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	/* A PCI device has the module's timeout, which is long. */
	uint32_t us = vsplit_fuzz_pci ? 5000 : VSPLIT_SPIN_MAX_US;
	struct drm_vsplit_ctx_query query = {};
	uint32_t ctx = play_ctx(c, 0), bo = play_bo(c, 1, 0, -1, 0, 0);
	struct faulty f = { .b = play_buffer() };
	unsigned int groups = 1 + below(rng, 3);

	for (unsigned int n = 0; n < groups; n++) {
		f.b->split = f.b->bytes;
		play_bind(f.b, 0, bo, VSPLIT_ALLOC_WRITE, 0);
		vsplit__put_head(&f.b->p, VSPLIT_OP_SPIN, n + 1 == groups ? us : 10);
	}
	play_send(c, f.b, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, NULL);
	play_buffer_free(f.b);
	slow_work(c, rng, 1000);
	/* Half of the time the hang is still there when another client makes the next step. */
	if (dice(rng, 2))
		usleep(250000);
	vsplit_fuzz_debugfs(rng);
	query.ctx = ctx;
	ioctl(c->fd, DRM_IOCTL_VSPLIT_CTX_QUERY, &query);
	play_ctx_end(c, ctx);
	return __vsplit_gem_close(c->fd, bo);
}

/* Unbinds the adapter with work running and queued, perhaps while its engine is stopped. */
int play_dying(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct play_pause pause = {};

	if (dice(rng, 3))
		play_pause(&pause, c, 200);
	slow_work(c, rng, dice(rng, 2) ? 20000 : 500000);
	vsplit_fuzz_touch(c, rng);
	vsplit_fuzz_rebind();
	play_resume(&pause);
	/* Otherwise the next steps use files of the adapter that is gone. */
	if (dice(rng, 2)) {
		vsplit_fuzz_close(c);
		vsplit_fuzz_open(c);
	}
	return 0;
}

void play_before_reset(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	for (unsigned int i = 0; i < 3; i++) {
		uint32_t bo = play_bo(c, 1, i ? VSPLIT_GEM_PINNED : 0, 0, 0, 0);

		play_escape(c, VSPLIT_ESCAPE_PAGE_IN, bo, 1);
		play_touch(c, bo, true);
		vsplit_fuzz_add(&c->bos, bo, U, rng);
	}
	if (dice(rng, 2))
		slow_work(c, rng, 2000);
}

/* ---- a clock that takes its time ---------------------------------------- */

/* Number of packets in a valid stream. */
static unsigned int packets(const struct play_buffer *b)
{
	unsigned int n = 0;

	for (uint32_t at = 0; at < b->bytes; n++)
		at += ((const struct vsplit_packet *)(b->stream + at))->size;
	return n;
}

/*
 * Uses an adapter whose commands take long by its model, and disables it while the last command
 * runs. Every kind of command has to end then: those without an allocation (a NOP, a spin, state),
 * and those with one.
 */
int play_clock(struct vsplit_rng *rng)
{
	static const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U } }, .slots = 8, .timeout_ms = 5000,
		.model_clock = true,
	};
	struct vsplit_fuzz_client c = { .fd = -1 };
	struct vsplit_adapter *ad = vsplit_adapter_prepare(&opts);
	struct faulty f = { .b = play_buffer() };
	unsigned int kind = below(rng, 3 + RIGHT);
	char path[32];
	int ret;

	__vsplit_adapter_write(ad, "model_command_ns", "100000000");
	__vsplit_adapter_write(ad, "model_bytes_per_us", "1");
	ret = __vsplit_adapter_enable(ad);
	if (!ret) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
		c.fd = open(path, O_RDWR | O_CLOEXEC);
		f.writable = play_bo(&c, 2, 0, -1, 0, 0);
		f.readable = play_bo(&c, 2, 0, -1, 0, 0);
		if (kind >= 3) {
			play_bind(f.b, 0, f.writable, VSPLIT_ALLOC_WRITE, 0);
			play_bind(f.b, 1, f.readable, 0, 0);
			right_of_kind(&f, kind - 3);
		} else if (kind == 0) {
			vsplit__put(&f.b->p, VSPLIT_OP_NOP, 8, 0);
		} else if (kind == 1) {
			vsplit__put_head(&f.b->p, VSPLIT_OP_SPIN, 1000);
		} else {
			vsplit__put_state(&f.b->p, VSPLIT_STATE_FILL, 1);
		}
		play_send(&c, f.b, play_ctx(&c, 0), 0, NULL);
		/* A tenth of a second for each packet, and some time to begin. */
		usleep(1000 * (100 * packets(f.b) - 80 + 40 * below(rng, 4)));
		vsplit_adapter_disable(ad);
		close(c.fd);
	}
	play_buffer_free(f.b);
	vsplit_adapter_destroy(ad);
	return ret;
}
