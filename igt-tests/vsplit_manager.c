// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit manager
 * Description: The residency manager of libdrm_vsplit with the driver: clients that have more than
 *   fits share the memory, and answer trims (RES-8). The other tests call the kernel directly; this
 *   one uses only the library.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "igt.h"
#include "vsplit.h"

IGT_TEST_DESCRIPTION("The residency manager of libdrm_vsplit with the driver: clients that have "
		     "more than fits share the memory, and answer trims (RES-8).");

#define U	16384ull
#define MEMORY	(16 * U)
#define CLIENTS	2u
/* Of one unit each: each client has as much as the memory holds. */
#define BUFFERS	16u
#define ROUNDS	160u
#define SOON_MS	60000

#define OK(call) igt_assert_eq(call, 0)

/*
 * @queue: the hardware queue, for VSPLIT_CTX_MODE_HW.
 * @value: the byte that fills each buffer after the last submission is done.
 * @last: the last submission, unless it is in a queue.
 */
struct client {
	struct vsplit_device *dev;
	struct vsplit_manager *manager;
	struct vsplit_context *ctx;
	struct vsplit_hwq *queue;
	struct vsplit_stream *stream;
	struct vsplit_bo *bos[BUFFERS];
	uint8_t value[BUFFERS];
	struct vsplit_submission last;
};

static struct vsplit_adapter *adapter;
static struct client clients[CLIENTS];
static uint32_t mode;
static uint32_t random_state;

static unsigned int below(unsigned int n)
{
	random_state = random_state * 1103515245u + 12345;
	return (random_state >> 16) % n;
}

static bool is_virtual(void)
{
	return mode == VSPLIT_CTX_MODE_VA || mode == VSPLIT_CTX_MODE_HW;
}

static uint64_t address(unsigned int buffer)
{
	return (buffer + 1ull) << 20;
}

/* ---- begin and end ------------------------------------------------------ */

/* Maps the buffers, and waits: a hardware queue needs mappings that are there. */
static void map(struct client *c)
{
	struct drm_vsplit_sync done = { .flags = VSPLIT_SYNC_SIGNAL };
	int file = vsplit_device_fd(c->dev);
	struct drm_vsplit_va_op ops[BUFFERS];

	for (unsigned int i = 0; i < BUFFERS; i++)
		ops[i] = (struct drm_vsplit_va_op) {
			.type = VSPLIT_VA_MAP, .handle = vsplit_bo_handle(c->bos[i]),
			.address = address(i), .bytes = U,
		};
	OK(drmSyncobjCreate(file, 0, &done.handle));
	OK(vsplit_va_bind(c->dev, ops, BUFFERS, &done, 1));
	OK(drmSyncobjWait(file, &done.handle, 1, INT64_MAX, 0, NULL));
	OK(drmSyncobjDestroy(file, done.handle));
}

static void begin_client(struct client *c)
{
	struct drm_vsplit_gem_create params = {
		.size = U, .flags = VSPLIT_GEM_CPU_ACCESS, .num_segments = 1, .segments = { 1 },
	};

	memset(c, 0, sizeof(*c));
	OK(vsplit_adapter_open(adapter, &c->dev));
	OK(vsplit_context_create_mode(c->dev, mode, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &c->ctx));
	OK(vsplit_manager_create(c->dev, &c->manager));
	OK(vsplit_stream_create(&c->stream));
	for (unsigned int i = 0; i < BUFFERS; i++)
		OK(vsplit_bo_create_from(c->dev, &params, &c->bos[i]));
	if (is_virtual())
		map(c);
	if (mode == VSPLIT_CTX_MODE_HW)
		OK(vsplit_hwq_create(c->ctx, VSPLIT_HWQ_MIN_RING, &c->queue));
}

static void begin(uint32_t kind)
{
	const struct vsplit_adapter_segment vram = {
		.name = "vram", .size = MEMORY, .cpu_visible = VSPLIT_ADAPTER_CPU_ALL,
	};

	mode = kind;
	random_state = kind;
	OK(vsplit_adapter_create("manager", &adapter));
	OK(vsplit_adapter_add_segment(adapter, &vram));
	OK(vsplit_adapter_set(adapter, "contexts", "patch,explicit,va,hw"));
	OK(vsplit_adapter_set(adapter, "test", "1"));
	igt_assert_eq(vsplit_adapter_set(adapter, "nothing", "1"), -ENOENT);
	/* A directory, which is no setting. */
	igt_assert_eq(vsplit_adapter_set(adapter, "segments", "1"), -ENOENT);
	OK(vsplit_adapter_enable(adapter));
	for (unsigned int i = 0; i < CLIENTS; i++)
		begin_client(&clients[i]);
}

static void end_client(struct client *c)
{
	vsplit_manager_destroy(c->manager);
	vsplit_hwq_destroy(c->queue);
	for (unsigned int i = 0; i < BUFFERS; i++)
		vsplit_bo_destroy(c->bos[i]);
	vsplit_stream_destroy(c->stream);
	vsplit_context_destroy(c->ctx);
	vsplit_device_close(c->dev);
	memset(c, 0, sizeof(*c));
}

/* Ends the subtest, or one that failed before. */
static void end(void)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		end_client(&clients[i]);
	vsplit_adapter_destroy(adapter);
	adapter = NULL;
}

static void at_exit(int sig)
{
	vsplit_adapter_destroy(adapter);
}

/* ---- what clients do ---------------------------------------------------- */

static void touch(struct client *c, unsigned int first, unsigned int num)
{
	OK(vsplit_manager_use(c->manager, &c->bos[first], num, NULL));
	OK(vsplit_manager_done(c->manager, &c->bos[first], num));
}

static struct drm_vsplit_residency residency(struct client *c)
{
	struct drm_vsplit_residency r;

	OK(vsplit_resident_query(c->dev, NULL, &r));
	return r;
}

static uint64_t usage(struct client *c)
{
	return residency(c).groups[VSPLIT_GROUP_LOCAL].usage;
}

static struct vsplit_manager_info info(struct client *c)
{
	struct vsplit_manager_info i;

	vsplit_manager_query(c->manager, &i);
	return i;
}

static void wait_for(struct client *c, uint64_t progress)
{
	int ret = vsplit_hwq_wait(c->queue, progress, SOON_MS);
	struct drm_vsplit_ctx_query query;

	OK(vsplit_context_query(c->ctx, &query));
	igt_assert_f(!ret, "%d: %s, fault %u at %#" PRIx64 "\n", ret,
		     vsplit_state_name(query.state), query.fault, (uint64_t)query.fault_address);
}

/* Fills a buffer with a byte, and copies it to two others. */
static void work(struct client *c)
{
	unsigned int from = below(BUFFERS), to[2];
	struct vsplit_bo *used[3] = { c->bos[from] };
	uint8_t byte = below(256);
	uint64_t progress;

	vsplit_stream_reset(c->stream);
	if (is_virtual()) {
		vsplit_stream_fill_va(c->stream, address(from), U, byte * 0x01010101u);
	} else {
		vsplit_stream_bind(c->stream, 0, c->bos[from], 0, VSPLIT_ALLOC_WRITE);
		vsplit_stream_fill(c->stream, 0, 0, U, byte * 0x01010101u);
	}
	c->value[from] = byte;
	for (unsigned int i = 0; i < 2; i++) {
		to[i] = below(BUFFERS);
		used[1 + i] = c->bos[to[i]];
		c->value[to[i]] = byte;
		if (is_virtual()) {
			vsplit_stream_copy_va(c->stream, address(to[i]), address(from), U);
		} else {
			vsplit_stream_bind(c->stream, 1 + i, used[1 + i], 0, VSPLIT_ALLOC_WRITE);
			vsplit_stream_copy(c->stream, 1 + i, 0, 0, 0, U);
		}
	}
	if (mode != VSPLIT_CTX_MODE_HW) {
		OK(vsplit_manager_submit(c->manager, c->ctx, c->stream, used, 3, &c->last));
		return;
	}
	OK(vsplit_manager_use(c->manager, used, 3, NULL));
	OK(vsplit_hwq_submit(c->queue, vsplit_stream_data(c->stream),
			     vsplit_stream_offset(c->stream), &progress));
	wait_for(c, progress);
	OK(vsplit_manager_done(c->manager, used, 3));
}

static void look(struct client *c)
{
	/*
	 * Locks wait for work with lists, but not for hardware queues, which may use all that is
	 * mapped.
	 */
	if (mode != VSPLIT_CTX_MODE_HW)
		OK(vsplit_wait(c->ctx, c->last.id, SOON_MS, NULL));
	for (unsigned int i = 0; i < BUFFERS; i++) {
		const uint8_t *bytes;
		void *map;

		OK(vsplit_bo_lock(c->bos[i], VSPLIT_LOCK_READ_ONLY));
		OK(vsplit_bo_map(c->bos[i], &map));
		bytes = map;
		for (uint64_t at = 0; at < U; at++)
			igt_assert_f(bytes[at] == c->value[i], "buffer %u, byte %" PRIu64 "\n", i,
				     at);
		OK(vsplit_bo_unlock(c->bos[i]));
	}
}

/* ---- over-commitment ---------------------------------------------------- */

static void over_commit(uint32_t kind)
{
	begin(kind);
	for (unsigned int round = 0; round < ROUNDS; round++)
		work(&clients[round % CLIENTS]);
	for (unsigned int i = 0; i < CLIENTS; i++) {
		struct client *c = &clients[i];
		struct drm_vsplit_ctx_query query;

		look(c);
		OK(vsplit_context_query(c->ctx, &query));
		igt_assert_eq_u32(query.state, VSPLIT_STATE_ACTIVE);
		igt_info("client %u: asked %" PRIu64 " times, gave %" PRIu64 " KiB, %" PRIu64
			 " last tries\n", i, (uint64_t)residency(c).trims,
			 info(c).evicted >> 10, info(c).forced);
		igt_assert(residency(c).trims && info(c).evicted);
		igt_assert_eq_u64(info(c).bytes, usage(c));
		/* Each client has room for what it needs at once, after the other has answered. */
		igt_assert_eq_u64(info(c).forced, 0);
	}
	end();
}

/**
 * SUBTEST: over-commit-explicit
 * Description: Each of two clients has as much as the memory holds, and uses some of it at a time.
 *   No byte is lost, both clients answer trims, and neither has to insist on residency.
 */
static void test_explicit(void)
{
	over_commit(VSPLIT_CTX_MODE_EXPLICIT);
}

/**
 * SUBTEST: over-commit-va
 * Description: The same with virtual addresses, where access to a buffer that is not resident is a
 *   page fault.
 */
static void test_va(void)
{
	over_commit(VSPLIT_CTX_MODE_VA);
}

/**
 * SUBTEST: over-commit-hw
 * Description: The same with hardware queues: buffers in use stay until the queues have progressed.
 */
static void test_hw(void)
{
	over_commit(VSPLIT_CTX_MODE_HW);
}

/* ---- trims -------------------------------------------------------------- */

/**
 * SUBTEST: res-8-answers
 * Description: A client that has all memory is asked for half of it. It gives back its least
 *   recently used buffers, from its event loop or with its next use, and then owes nothing.
 */
static void test_answers(void)
{
	struct client *a = &clients[0], *b = &clients[1];
	struct drm_vsplit_trim_event trim;
	uint64_t bytes;

	begin(VSPLIT_CTX_MODE_EXPLICIT);
	touch(a, 0, BUFFERS);
	OK(vsplit_manager_trim(a->manager, &bytes));
	igt_assert_eq_u64(bytes, 0);
	/* From the event loop. */
	touch(b, 0, 8);
	OK(vsplit_resident_read_trim(a->dev, SOON_MS, &trim));
	igt_assert_eq_u32(trim.reason, VSPLIT_TRIM_DEMAND);
	igt_assert_eq_u64(residency(a).trim_bytes, 8 * U);
	OK(vsplit_manager_trim(a->manager, &bytes));
	igt_assert_eq_u64(bytes, 8 * U);
	igt_assert_eq_u64(residency(a).trim_bytes, 0);
	igt_assert_eq_u64(usage(a), 8 * U);
	/* The most recently used buffers are left, so nothing is made resident. */
	touch(a, 8, 8);
	igt_assert_eq_u64(info(a).evicted, 8 * U);
	/* With the next use. */
	touch(b, 8, 4);
	igt_assert_eq_u64(residency(a).trim_bytes, 4 * U);
	touch(a, 15, 1);
	igt_assert_eq_u64(residency(a).trim_bytes, 0);
	igt_assert_eq_u64(usage(a), 4 * U);
	igt_assert_eq_u64(info(a).forced + info(b).forced, 0);
	end();
}

/**
 * SUBTEST: in-use-stays
 * Description: Buffers in use are given back neither for a trim nor for other buffers. Buffers that
 *   do not fit beside them are refused.
 */
static void test_in_use(void)
{
	struct client *a = &clients[0], *b = &clients[1];
	struct vsplit_bo *more;
	uint64_t bytes;

	begin(VSPLIT_CTX_MODE_EXPLICIT);
	OK(vsplit_manager_use(a->manager, a->bos, BUFFERS - 1, NULL));
	touch(b, 0, 4);
	igt_assert(residency(a).trim_bytes);
	OK(vsplit_manager_trim(a->manager, &bytes));
	igt_assert_eq_u64(bytes, 0);
	igt_assert_eq_u64(usage(a), (BUFFERS - 1) * U);
	OK(vsplit_bo_create(a->dev, 2 * U, 0, &more));
	igt_assert_eq(vsplit_manager_use(a->manager, &more, 1, NULL), -ENOSPC);
	vsplit_bo_destroy(more);
	igt_assert_eq_u64(usage(a), (BUFFERS - 1) * U);
	/* The last attempt insists: one more buffer fits. */
	OK(vsplit_manager_use(a->manager, &a->bos[BUFFERS - 1], 1, NULL));
	OK(vsplit_manager_done(a->manager, a->bos, BUFFERS));
	touch(a, 0, 1);
	igt_assert_eq_u64(residency(a).trim_bytes, 0);
	end();
}

/* ---- events ------------------------------------------------------------- */

static void *ask_later(void *dev)
{
	usleep(100000);
	OK(vsplit_device_escape(dev, VSPLIT_ESCAPE_TRIM, NULL, U));
	return NULL;
}

/**
 * SUBTEST: trim-is-waited-for
 * Description: A client that waits for a trim goes on waiting if another event comes first, but not
 *   longer than its timeout. It gets an error when the adapter is gone, which is no event.
 */
static void test_waited_for(void)
{
	struct client *a = &clients[0];
	struct drm_vsplit_trim_event trim;
	struct vsplit_residency_events events;
	struct timespec start = {};
	pthread_t thread;

	begin(VSPLIT_CTX_MODE_EXPLICIT);
	touch(a, 0, 4);
	OK(vsplit_resident_watch(a->dev, NULL));
	OK(vsplit_resident_reserve(a->dev, VSPLIT_GROUP_LOCAL, U, NULL));
	OK(pthread_create(&thread, NULL, ask_later, a->dev));
	OK(vsplit_resident_read_trim(a->dev, -1, &trim));
	igt_assert_eq_u64(trim.bytes, U);
	OK(pthread_join(thread, NULL));
	/* The other event. */
	OK(vsplit_resident_reserve(a->dev, VSPLIT_GROUP_LOCAL, 2 * U, NULL));
	OK(vsplit_resident_read_events(a->dev, -1, &events));
	igt_assert(events.budgeted && !events.trimmed);
	igt_assert_eq_u64(events.budget.reservation[VSPLIT_GROUP_LOCAL], 2 * U);
	/* Neither event. */
	OK(vsplit_resident_reserve(a->dev, VSPLIT_GROUP_LOCAL, U, NULL));
	igt_nsec_elapsed(&start);
	igt_assert_eq(vsplit_resident_read_trim(a->dev, 700, &trim), -ETIME);
	igt_assert(igt_nsec_elapsed(&start) >= 700 * 1000000ull);
	igt_assert_eq(vsplit_resident_read_events(a->dev, 0, &events), -ETIME);
	OK(vsplit_adapter_remove("manager"));
	igt_assert_eq(vsplit_resident_read_events(a->dev, 0, &events), -ENODEV);
	igt_assert_eq(vsplit_resident_read_trim(a->dev, -1, &trim), -ENODEV);
	end();
}

/**
 * SUBTEST: bad-segments
 * Description: An invalid segment is refused when it is added, and leaves nothing behind.
 */
static void test_bad_segments(void)
{
	static const struct vsplit_adapter_segment bad[] = {
		{ .name = "a/b", .size = U },
		{ .name = "new" },
		{ .name = "new", .size = 100 },
		{ .name = "new", .size = U, .commit_limit = 100 },
		{ .name = "new", .size = U, .commit_limit = 2 * U },
		{ .name = "new", .size = U, .cpu_visible = 100 },
		{ .name = "new", .size = U, .cpu_visible = 2 * U },
		{ .name = "new", .size = U, .swizzling_ranges = VSPLIT_MAX_SWIZZLING_RANGES + 1 },
		{ .name = "new", .aperture = true, .size = U, .swizzling_ranges = 1 },
	};
	const struct vsplit_adapter_segment good = {
		.name = "new", .size = U, .commit_limit = U, .cpu_visible = U,
		.swizzling_ranges = VSPLIT_MAX_SWIZZLING_RANGES,
	};

	OK(vsplit_adapter_create("manager", &adapter));
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		igt_assert_f(vsplit_adapter_add_segment(adapter, &bad[i]) == -EINVAL,
			     "segment %u\n", i);
	OK(vsplit_adapter_add_segment(adapter, &good));
	igt_assert_eq(vsplit_adapter_add_segment(adapter, &good), -EEXIST);
	OK(vsplit_adapter_enable(adapter));
	end();
}

/* Tries to make a directory with this name in configfs; returns an error, or removes it. */
static int try_directory(const char *in, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/config/vsplit/%s%s", in, name);
	if (mkdir(path, 0755))
		return -errno;
	igt_assert_eq(rmdir(path), 0);
	return 0;
}

/**
 * SUBTEST: names
 * Description: The driver and the library accept the same names of adapters, and the same names of
 *   segments. A character that is a letter only in other locales is accepted by neither.
 */
static void test_names(void)
{
	struct vsplit_adapter *named;
	char name[16];

	OK(vsplit_adapter_create("manager", &adapter));
	for (int c = 1; c < 256; c++) {
		bool letter = c < 128 && isalnum(c);
		int ret;

		if (c == '/')
			continue;
		snprintf(name, sizeof(name), "m%c1", c);
		ret = vsplit_adapter_create(name, &named);
		if (!ret)
			vsplit_adapter_destroy(named);
		igt_assert_f(ret == (letter || strchr("-_.", c) ? 0 : -EINVAL), "%#x: %d\n", c,
			     ret);
		igt_assert_f(ret == try_directory("", name), "%#x of an adapter\n", c);
		ret = letter || c == '_' ? 0 : -EINVAL;
		igt_assert_f(ret == try_directory("manager/segments/", name),
			     "%#x of a segment\n", c);
	}
	OK(vsplit_adapter_create(".m", &named));
	igt_assert_eq(vsplit_adapter_remove(".m"), 0);
	vsplit_adapter_destroy(named);
	igt_assert_eq(try_directory("manager/segments/", "1m"), -EINVAL);
	igt_assert_eq(try_directory("manager/segments/", "system"), -EINVAL);
	end();
}

static const struct {
	const char *name;
	void (*run)(void);
	const char *what;
} subtests[] = {
	{ "over-commit-explicit", test_explicit,
	  "Two clients with explicit residency, each with as much as the memory holds, lose no "
	  "byte and answer trims" },
	{ "over-commit-va", test_va,
	  "Two clients with virtual addresses, each with as much as the memory holds, lose no byte "
	  "and have no page fault" },
	{ "over-commit-hw", test_hw,
	  "Two clients with hardware queues, each with as much as the memory holds, lose no byte" },
	{ "res-8-answers", test_answers,
	  "A client that is asked for half of the memory gives back its least recently used "
	  "buffers, and then owes nothing" },
	{ "in-use-stays", test_in_use,
	  "Buffers in use are given back neither for a trim nor for other buffers. Buffers that do "
	  "not fit beside them are refused." },
	{ "trim-is-waited-for", test_waited_for,
	  "A client that waits for a trim goes on waiting if another event comes first, but not "
	  "longer than its timeout" },
	{ "bad-segments", test_bad_segments,
	  "An invalid segment is refused when it is added, and leaves nothing behind" },
	{ "names", test_names,
	  "The driver and the library accept the same names of adapters, and the same names of "
	  "segments" },
};

int igt_main()
{
	igt_fixture() {
		struct vsplit_adapter *probe;

		/* Remove an adapter that a killed run left behind. */
		vsplit_adapter_remove("manager");
		igt_require(!vsplit_adapter_create("manager", &probe));
		vsplit_adapter_destroy(probe);
		igt_install_exit_handler(at_exit);
	}
	for (unsigned int i = 0; i < sizeof(subtests) / sizeof(subtests[0]); i++) {
		igt_describe(subtests[i].what);
		igt_subtest(subtests[i].name) {
			if (adapter)
				end();
			subtests[i].run();
		}
	}
}
