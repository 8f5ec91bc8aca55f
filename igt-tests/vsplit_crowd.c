// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit crowd
 * Description: Eight clients each want half of the memory, in each mode of context. Each client
 *   makes progress, and no byte is lost. VSPLIT_CROWD_S in the environment is the number of seconds
 *   for each mode.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: stress test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_hwq.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Eight clients each want half of the memory, in each mode of context.");

#define U	16384ull
#define PAGE	4096ull
#define MEMORY	(32 * U)
#define CLIENTS	8u
#define BUFFERS	8u
#define BYTES	(MEMORY / 2 / BUFFERS)
#define RING	65536u

/* Submissions between two checks of the bytes. */
#define LOOK	8u

/*
 * A client.
 * @q: its file and context; only VSPLIT_CTX_MODE_HW uses the rest.
 * @value: the byte that fills each buffer.
 */
struct client {
	struct queue q;
	uint32_t mode;
	struct vsplit_cs *cs;
	struct vsplit_bo *bos[BUFFERS];
	uint8_t value[BUFFERS];
	struct vsplit_rng rng;
};

static uint64_t address(unsigned int buffer)
{
	return (buffer + 1ull) << 20;
}

static bool is_virtual(const struct client *c)
{
	return c->mode == VSPLIT_CTX_MODE_VA || c->mode == VSPLIT_CTX_MODE_HW;
}

/* ---- beginning ---------------------------------------------------------- */

static void require(struct client *c)
{
	uint32_t handles[BUFFERS];

	for (unsigned int i = 0; i < BUFFERS; i++)
		handles[i] = c->bos[i]->handle;
	expect(__vsplit_make_resident(c->q.fd, handles, BUFFERS, VSPLIT_RESIDENT_CANT_TRIM_FURTHER,
				      NULL), 0);
}

static void begin(struct client *c, uint32_t mode, unsigned int index)
{
	memset(c, 0, sizeof(*c));
	c->mode = mode;
	c->rng.state = index + 1;
	c->q.fd = vsplit_adapter_open(ad);
	c->q.ctx = vsplit_ctx_mode(c->q.fd, mode, index % 2);
	c->cs = vsplit_cs(c->q.fd);
	for (unsigned int i = 0; i < BUFFERS; i++)
		c->bos[i] = vsplit_bo_in(c->q.fd, 'A' + i, BYTES, is_virtual(c) && i % 2 ?
					 VSPLIT_GEM_RUNS : VSPLIT_GEM_CPU_ACCESS, in_first);
	if (mode != VSPLIT_CTX_MODE_PATCH)
		require(c);
	for (unsigned int i = 0; is_virtual(c) && i < BUFFERS; i++)
		map(&c->q, c->bos[i], address(i));
	if (mode == VSPLIT_CTX_MODE_HW)
		expect(__queue_create(&c->q, RING), 0);
}

/* ---- work --------------------------------------------------------------- */

static void fill(struct client *c, unsigned int buffer, uint8_t byte)
{
	c->value[buffer] = byte;
	if (is_virtual(c)) {
		vsplit_cs_state(c->cs, VSPLIT_STATE_FILL, byte * 0x01010101u);
		vsplit_cs_fill_va(c->cs, address(buffer), BYTES);
		return;
	}
	vsplit_cs_bind(c->cs, 0, c->bos[buffer]);
	vsplit_cs_set(c->cs, 0, 0, BYTES, byte * 0x01010101u);
}

static void copy(struct client *c, unsigned int to, unsigned int from)
{
	c->value[to] = c->value[from];
	if (is_virtual(c)) {
		vsplit_cs_copy_va(c->cs, address(to), address(from), BYTES);
		return;
	}
	vsplit_cs_bind(c->cs, 1, c->bos[from]);
	vsplit_cs_bind(c->cs, 2, c->bos[to]);
	vsplit_cs_copy(c->cs, 2, 0, 1, 0, BYTES);
}

static void submit(struct client *c)
{
	if (c->mode != VSPLIT_CTX_MODE_HW) {
		vsplit_cs_submit_and_wait(c->cs, c->q.ctx, 0);
	} else {
		put_bytes(&c->q, c->cs->stream, c->cs->bytes);
		ring(&c->q);
		finish(&c->q);
	}
	vsplit_cs_reset(c->cs);
}

static void work(struct client *c)
{
	unsigned int from = vsplit_rng_below(&c->rng, BUFFERS);
	unsigned int to = (from + 1 + vsplit_rng_below(&c->rng, BUFFERS - 1)) % BUFFERS;

	fill(c, from, vsplit_rng_next(&c->rng));
	copy(c, to, from);
	submit(c);
}

static void look(const struct client *c)
{
	for (unsigned int i = 0; i < BUFFERS; i++)
		for (uint64_t byte = 0; byte < BYTES; byte++)
			if (c->bos[i]->map[byte] != c->value[i])
				igt_assert_f(false, "buffer %u, byte %" PRIu64 ": %02x, not %02x\n", i,
					     byte, c->bos[i]->map[byte], c->value[i]);
}

/* ---- all of them -------------------------------------------------------- */

static unsigned int seconds(void)
{
	const char *text = getenv("VSPLIT_CROWD_S");

	return text ? strtoul(text, NULL, 10) : vsplit_rounds(2, 30);
}

static void client(uint32_t mode, unsigned int index, uint64_t end_ns, uint64_t *done)
{
	struct client c;

	begin(&c, mode, index);
	/* Each client gets this far, however slow the machine is. */
	do {
		work(&c);
		if (!(++*done % LOOK))
			look(&c);
	} while (*done < LOOK || vsplit_now_ns() < end_ns);
	look(&c);
	vsplit_cleanup_file(c.q.fd);
}

static void all_clients(uint32_t mode)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = MEMORY } }, .slots = 16, .engines = 2,
		.contexts = "patch,explicit,va,hw", .test = true,
	};
	uint64_t least = UINT64_MAX, all = 0, end_ns;
	struct drm_vsplit_statistics stats;
	uint64_t *done;
	pid_t pids[CLIENTS];

	setup_opts(&opts);
	done = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(done != MAP_FAILED);
	end_ns = vsplit_now_ns() + seconds() * 1000000000ull;
	for (unsigned int i = 0; i < CLIENTS; i++) {
		pids[i] = vsplit_fork();
		if (!pids[i]) {
			client(mode, i, end_ns, &done[i]);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < CLIENTS; i++) {
		igt_assert_eq(vsplit_reap(pids[i]), 0);
		least = done[i] < least ? done[i] : least;
		all += done[i];
	}
	vsplit_query_statistics(fd, &stats);
	igt_info("%" PRIu64 " submissions, at least %" PRIu64 " of each client, %" PRIu64
		 " bytes in\n", all, least, (uint64_t)stats.paged_in_bytes);
	igt_assert(stats.paged_in_bytes > MEMORY);
	munmap(done, PAGE);
}

/**
 * SUBTEST: patch
 * Description: The clients use the lists of their submissions.
 */
static void test_patch(void)
{
	all_clients(VSPLIT_CTX_MODE_PATCH);
}

/**
 * SUBTEST: explicit
 * Description: The clients use requirement lists, which do not fit together.
 */
static void test_explicit(void)
{
	all_clients(VSPLIT_CTX_MODE_EXPLICIT);
}

/**
 * SUBTEST: va
 * Description: The clients use requirement lists and virtual addresses.
 */
static void test_va(void)
{
	all_clients(VSPLIT_CTX_MODE_VA);
}

/**
 * SUBTEST: hw
 * Description: The clients use requirement lists and hardware queues.
 */
static void test_hw(void)
{
	all_clients(VSPLIT_CTX_MODE_HW);
}

static const struct vsplit_subtest tests[] = {
	{ "patch", test_patch,
	  "Eight clients that each want half of the memory make progress with lists of "
	  "submissions, and lose no byte" },
	{ "explicit", test_explicit,
	  "Eight clients that each want half of the memory make progress with requirement lists, "
	  "and lose no byte" },
	{ "va", test_va,
	  "Eight clients that each want half of the memory make progress with virtual addresses, "
	  "and lose no byte" },
	{ "hw", test_hw,
	  "Eight clients that each want half of the memory make progress with hardware queues, and "
	  "lose no byte" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
