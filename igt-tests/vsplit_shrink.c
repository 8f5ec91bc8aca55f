// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit shrink
 * Description: The memory that the host gets back when it runs short: first the pages of offered
 *   allocations, without a transfer; then, into swap, those of idle allocations in system memory.
 *   Documentation/residency.rst.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_setup.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/swap.h>

IGT_TEST_DESCRIPTION("The memory that the host gets back when it runs short: first the pages of "
		     "offered allocations, without a transfer; then, into swap, those of idle "
		     "allocations in system memory.");

#define U 65536ull
#define PAGE 4096u
#define ALL 1000000u

/* Eight units of memory. */
static void setup(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 8 * U, .cpu = "none" },
			  { "gart", .aperture = true, .size = 4 * U } },
		.slots = 16,
	};

	setup_opts(&opts);
}

/* Acts as if the host's memory were short. */
static void shrink(unsigned int pages)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", pages);
	vsplit_adapter_knob(ad, "shrink", text);
}

static void offer(const struct vsplit_bo *bo, uint32_t priority)
{
	igt_assert_eq(__vsplit_offer(fd, &bo->handle, 1, priority), 0);
}

/* Were its bytes lost? In that case they are zeros. */
static bool reclaim(int file, struct vsplit_bo *bo)
{
	bool lost = vsplit_reclaim(file, bo);

	if (lost)
		memset(bo->shadow, 0, bo->size);
	return lost;
}

/*
 * The GPU adds to its last word. The allocation then stays in memory, which the CPU does not see.
 */
static void gpu_use(struct vsplit_bo *bo)
{
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_add(cs, 0, bo->size - 8, 1);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_cs_reference(cs, 0);
}

static struct vsplit_bo *in_system(char name, uint64_t size)
{
	struct vsplit_bo *bo = vsplit_bo(fd, name, size);

	vsplit_bo_pattern(bo, name);
	igt_assert(!vsplit_bo_resident(bo));
	return bo;
}

/**
 * SUBTEST: offered-goes-for-nothing
 * Description: Pages of offered allocations are given up before any other allocation is swapped
 *   out. When such an allocation is reclaimed, it is zeros, and the call says that its bytes were
 *   lost. The CPU and the GPU use it like a new one.
 */
static void test_offered(void)
{
	struct vsplit_bo *a, *b, *c;

	setup();
	a = in_system('A', 4 * U);
	b = in_system('B', 4 * U);
	c = vsplit_bo(fd, 'C', 4 * U);
	offer(b, VSPLIT_OFFER_AUTO);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 4 * U);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), 0);
	igt_assert(reclaim(fd, b));
	vsplit_bo_check(b);
	gpu_use(b);
	gpu_use(a);
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	/*
	 * An allocation that was never written has nothing to lose. A second shrink finds nothing.
	 */
	offer(c, VSPLIT_OFFER_LOW);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 8 * U);
	offer(c, VSPLIT_OFFER_HIGH);
	vsplit_bo_free(a);
	vsplit_bo_free(b);
	shrink(ALL);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 8 * U);
	igt_assert(!reclaim(fd, c));
	vsplit_bo_check(c);
}

/**
 * SUBTEST: offered-leaves-for-two
 * Description: One submission evicts an offered allocation while another one is about to do the
 *   same. The host still gets its pages back first.
 */
static void test_for_two(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *own;

	vsplit_require_sync_points();
	setup();
	a = vsplit_bo_in(fd, 'A', 8 * U, 0, in_first);
	vsplit_bo_pattern(a, 'A');
	gpu_use(a);
	igt_assert(vsplit_bo_resident(a));
	offer(a, VSPLIT_OFFER_AUTO);
	b = vsplit_bo_in(fd, 'B', 4 * U, 0, in_first);
	own = vsplit_cs(fd);
	vsplit_cs_bind(own, 0, vsplit_bo_in(fd, 'C', 4 * U, 0, in_first));
	vsplit_cs_set(own, 0, 0, 64, 1);
	vsplit_catch("mm.offer");
	igt_fork(child, 1) {
		vsplit_cs_submit(own, vsplit_ctx(fd, 0), 0);
		vsplit_cs_wait(own);
	}
	igt_assert(vsplit_wait_held("mm.offer"));
	gpu_use(b);
	igt_assert(!vsplit_bo_resident(a));
	vsplit_release("mm.offer");
	igt_waitchildren();
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 8 * U);
	igt_assert(reclaim(fd, a));
	vsplit_bo_check(a);
}

/* Offers without pages, the lowest ones, and one that has pages. */
static void order_empty(void)
{
	struct vsplit_bo *bos[3];

	setup();
	for (unsigned int i = 0; i < 3; i++)
		bos[i] = in_system('A' + i, U);
	for (unsigned int round = 0; round < 2; round++) {
		offer(bos[0], VSPLIT_OFFER_LOW);
		offer(bos[1], VSPLIT_OFFER_LOW);
		if (!round)
			shrink(2 * U / PAGE);
	}
	offer(bos[2], VSPLIT_OFFER_HIGH);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 3 * U);
	igt_assert(reclaim(fd, bos[2]));
	vsplit_bo_check(bos[2]);
}

/**
 * SUBTEST: in-order
 * Description: Allocations with the lowest offer priority go first, those with AUTO last, and no
 *   more than needed. Those that have lost their pages before are not in the way.
 */
static void test_order(void)
{
	static const uint32_t priorities[] = {
		VSPLIT_OFFER_AUTO, VSPLIT_OFFER_HIGH, VSPLIT_OFFER_LOW, VSPLIT_OFFER_NORMAL,
	};
	/* the order in which they go */
	static const unsigned int turn[] = { 3, 2, 0, 1 };

	for (unsigned int n = 0; n <= 4; n++) {
		struct vsplit_bo *bos[4];

		setup();
		for (unsigned int i = 0; i < 4; i++) {
			bos[i] = in_system('A' + i, U);
			offer(bos[i], priorities[i]);
		}
		shrink(n * U / PAGE);
		for (unsigned int i = 0; i < 4; i++) {
			igt_assert_eq(reclaim(fd, bos[i]), turn[i] < n);
			vsplit_bo_check(bos[i]);
		}
		vsplit_cleanup();
	}
	order_empty();
}

/**
 * SUBTEST: goes-after-a-failure
 * Description: Giving up pages takes a little memory, and there is none. The pages go the next
 *   time.
 */
static void test_failure(void)
{
	struct vsplit_bo *a;
	char site[64];

	vsplit_inject_require(VSPLIT_INJECT_SITE);
	ad = vsplit_adapter_create(&(struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 16 << 20 } }, .slots = 16, .test = true,
	});
	fd = vsplit_adapter_open(ad);
	/* It is too large to be swapped out. */
	a = in_system('A', (4 << 20) + PAGE);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_inject_arm(VSPLIT_INJECT_SITE, 1);
	shrink(1);
	igt_assert(vsplit_inject_disarm(VSPLIT_INJECT_SITE, site) &&
		   !strcmp(site, "offer.discard"));
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 0);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), a->size);
	igt_assert(reclaim(fd, a));
	vsplit_bo_check(a);
}

/**
 * SUBTEST: empty-ones-are-not-looked-at
 * Description: Any number of offers without pages does not keep the host from the pages of one that
 *   was offered later. An allocation that gets pages again while it is offered gives them back.
 */
static void test_empty(void)
{
	struct vsplit_bo *bos[200], *last;

	setup();
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		bos[i] = in_system('A', PAGE);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
			offer(bos[i], VSPLIT_OFFER_LOW);
		if (!round)
			shrink(ALL);
	}
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), ARRAY_SIZE(bos) * PAGE);
	last = in_system('L', PAGE);
	offer(last, VSPLIT_OFFER_LOW);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"),
			  (ARRAY_SIZE(bos) + 1) * PAGE);
	igt_assert(reclaim(fd, last));
	vsplit_bo_check(last);
	vsplit_bo_pattern(bos[7], 7);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"),
			  (ARRAY_SIZE(bos) + 2) * PAGE);
	igt_assert(reclaim(fd, bos[7]));
	vsplit_bo_check(bos[7]);
}

/**
 * SUBTEST: follows-its-place
 * Description: An allocation that is offered in a segment keeps its system pages, which an eviction
 *   needs. They are given up after it has left, however it left. If it is closed meanwhile, it no
 *   longer counts.
 */
static void test_place(void)
{
	struct vsplit_bo *a, *b;

	setup();
	a = in_system('A', 4 * U);
	b = in_system('B', 4 * U);
	gpu_use(a);
	gpu_use(b);
	offer(a, VSPLIT_OFFER_LOW);
	shrink(ALL);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 0);
	igt_assert(!reclaim(fd, a));
	vsplit_bo_check(a);

	gpu_use(a);
	offer(a, VSPLIT_OFFER_LOW);
	offer(b, VSPLIT_OFFER_LOW);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	gpu_use(vsplit_bo(fd, 'C', 8 * U));
	shrink(1);
	shrink(4 * U / PAGE);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 8 * U);
	igt_assert(reclaim(fd, a) && reclaim(fd, b));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_bo_free(a);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 8 * U);
}

/**
 * SUBTEST: idle-is-swapped-out
 * Description: If nothing is offered, idle allocations in system memory are swapped out. They are
 *   back for the CPU, for the GPU and for another driver, as often as this happens.
 */
static void test_idle(void)
{
	struct vsplit_bo *bos[4];
	uint64_t before;
	int dmabuf;
	void *map;

	setup();
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		bos[i] = in_system('A' + i, 2 * U);
	gpu_use(bos[3]);
	for (unsigned int round = 0; round < 3; round++) {
		before = vsplit_adapter_stat(ad, "swapped_bytes");
		shrink(1);
		igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), before + 2 * U);
		/* The one in memory is not swapped out. */
		shrink(ALL);
		igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), before + 6 * U);
		shrink(ALL);
		igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), before + 6 * U);
		vsplit_bo_check(bos[0]);
		gpu_use(bos[1]);
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bos[1]->handle, 0);
		vsplit_bo_write(bos[1], 100, "abc", 3);
		dmabuf = vsplit_bo_export(bos[2]);
		map = mmap(NULL, 2 * U, PROT_READ, MAP_SHARED, dmabuf, 0);
		igt_assert(map != MAP_FAILED && !memcmp(map, bos[2]->shadow, 2 * U));
		munmap(map, 2 * U);
		close(dmabuf);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		vsplit_bo_check(bos[i]);
}

/**
 * SUBTEST: what-is-large-stays
 * Description: Swapping out takes as much memory as it frees, so large allocations are left alone.
 *   If they are offered, they go like any other.
 */
static void test_large(void)
{
	struct vsplit_bo *large, *small;

	ad = vsplit_adapter_create(&(struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 16 << 20 } }, .slots = 16, .test = true,
	});
	fd = vsplit_adapter_open(ad);
	large = in_system('L', (4 << 20) + PAGE);
	small = in_system('S', 4 << 20);
	shrink(ALL);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), small->size);
	vsplit_bo_check(large);
	vsplit_bo_check(small);
	offer(large, VSPLIT_OFFER_LOW);
	shrink(1);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), large->size);
	igt_assert(reclaim(fd, large));
}

/**
 * SUBTEST: what-is-in-use-stays
 * Description: An allocation that is mapped in an aperture, imported elsewhere, or still to be
 *   written by the engine keeps its pages. A locked allocation is back when it is read.
 */
static void test_in_use(void)
{
	struct vsplit_bo *locked, *mapped, *shared, *busy, *other;
	struct drm_vsplit_gem_info info;
	struct vsplit_adapter *second;
	uint8_t *map;
	int two;

	setup();
	second = vsplit_adapter_create(&(struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 8 * U }, { "gart", .aperture = true, .size = 8 * U } },
		.slots = 16, .test = true,
	});
	two = vsplit_adapter_open(second);
	mapped = vsplit_bo_in(fd, 'M', U, VSPLIT_GEM_CPU_ACCESS, in_second);
	vsplit_bo_pattern(mapped, 1);
	gpu_use(mapped);
	shared = in_system('S', U);
	other = vsplit_bo_share(two, 'O', shared);
	locked = in_system('L', U);
	vsplit_lock(locked, 0);
	busy = in_system('B', U);
	gpu_use(busy);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, busy->handle, 0);
	igt_assert(!vsplit_bo_resident(busy));
	map = locked->map;
	igt_assert_eq(map[5], locked->shadow[5]);
	shrink(ALL);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes") + vsplit_adapter_stat(ad, "swapped_bytes"), U);
	vsplit_info(mapped, &info);
	igt_assert_eq(info.segment, 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	/* That was the locked one. */
	vsplit_bo_check(locked);
	vsplit_unlock(locked);
	vsplit_bo_check(busy);
	vsplit_bo_check(mapped);
	vsplit_bo_check(shared);
	vsplit_bo_check(other);
	vsplit_bo_free(other);
	shrink(ALL);
	for (unsigned int i = 0; i < 100 && vsplit_adapter_stat(ad, "swapped_bytes") < 4 * U; i++) {
		usleep(10000);
		shrink(ALL);
	}
	vsplit_bo_check(busy);
	vsplit_bo_check(shared);
	gpu_use(mapped);
	vsplit_bo_check(mapped);
}

/* Counts, for all processes, how often the running shrinker has given back all that it can. */
static uint64_t *passes;
static bool stop;

static void *shrinker(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		shrink(ALL);
		__atomic_fetch_add(passes, 1, __ATOMIC_SEQ_CST);
		sched_yield();
	}
	return arg;
}

/* Returns after the shrinker has run once, from its beginning to its end. */
static void let_it_shrink(void)
{
	uint64_t now = __atomic_load_n(passes, __ATOMIC_SEQ_CST);

	igt_assert(vsplit_soon(__atomic_load_n(passes, __ATOMIC_SEQ_CST) >= now + 2));
}

/* A process that writes, submits, offers, reclaims and compares. */
static pid_t worker(unsigned int seed, unsigned int rounds)
{
	struct vsplit_rng rng = { seed };
	struct vsplit_bo *bos[5];
	pid_t pid = vsplit_fork();

	if (pid)
		return pid;
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		bos[i] = in_system('A' + i, U);
	for (unsigned int round = 0; round < rounds; round++) {
		struct vsplit_bo *bo = bos[vsplit_rng_below(&rng, ARRAY_SIZE(bos))];

		switch (vsplit_rng_below(&rng, 4)) {
		case 0:
			vsplit_bo_pattern(bo, round);
			break;
		case 1:
			vsplit_bo_check(bo);
			break;
		case 2:
			gpu_use(bo);
			break;
		default:
			offer(bo, VSPLIT_OFFER_LOW);
			if (passes && round % 4 == 0)
				let_it_shrink();
			else
				usleep(1000);
			reclaim(fd, bo);
			break;
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		vsplit_bo_check(bos[i]);
	_exit(0);
}

/**
 * SUBTEST: beside-work
 * Description: Three processes write, submit, offer, reclaim and compare twice as much as memory
 *   holds, while a thread gives back all that it can. No byte is wrong that was not reported lost.
 */
static void test_beside(void)
{
	unsigned int tries = 0;
	pthread_t thread;
	pid_t pids[3];

	setup();
	passes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(passes != MAP_FAILED);
	stop = false;
	igt_assert_eq(pthread_create(&thread, NULL, shrinker, NULL), 0);
	/*
	 * On a slow machine, offered allocations may be busy with paging each time that the
	 * shrinker comes.
	 */
	do {
		for (unsigned int p = 0; p < ARRAY_SIZE(pids); p++)
			pids[p] = worker(p + 1, 60);
		for (unsigned int p = 0; p < ARRAY_SIZE(pids); p++)
			igt_assert_eq(vsplit_reap(pids[p]), 0);
	} while (++tries < 10 && !(vsplit_adapter_stat(ad, "discarded_bytes") && vsplit_adapter_stat(ad, "swapped_bytes")));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	igt_info("%" PRIu64 " KiB discarded, %" PRIu64 " KiB swapped out\n",
		 vsplit_adapter_stat(ad, "discarded_bytes") >> 10, vsplit_adapter_stat(ad, "swapped_bytes") >> 10);
	munmap(passes, PAGE);
	passes = NULL;
	igt_assert(vsplit_adapter_stat(ad, "discarded_bytes") && vsplit_adapter_stat(ad, "swapped_bytes"));
}

static char zram[32];

static void swap_off(int sig)
{
	if (!zram[0])
		return;
	swapoff(zram);
	zram[0] = '\0';
}

/* Sets up swap in compressed memory, until the test ends. */
static void swap_on(uint64_t bytes)
{
	static char header[PAGE];
	char path[64], text[32];
	int dev, n;

	igt_require_f(!system("modprobe -q zram 2>/dev/null") &&
		      !__vsplit_read_file("/sys/class/zram-control/hot_add", text, sizeof(text)),
		      "no zram\n");
	n = atoi(text);
	snprintf(path, sizeof(path), "/sys/block/zram%d/disksize", n);
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	igt_assert_eq(__vsplit_write_file(path, text), 0);
	snprintf(zram, sizeof(zram), "/dev/zram%d", n);
	/* union swap_header: version, last page, and at its end the signature. */
	((uint32_t *)header)[256] = 1;
	((uint32_t *)header)[257] = bytes / PAGE - 1;
	memcpy(header + PAGE - 10, "SWAPSPACE2", 10);
	dev = open(zram, O_RDWR);
	igt_assert(dev >= 0);
	igt_assert_eq(pwrite(dev, header, PAGE, 0), PAGE);
	close(dev);
	igt_assert_eq(swapon(zram, 0), 0);
	igt_install_exit_handler(swap_off);
}

/**
 * SUBTEST: asked-by-the-kernel
 * Description: The kernel, asked to drop reclaimable memory, gets the pages of offered allocations.
 */
static void test_kernel(void)
{
	struct vsplit_bo *a, *b;

	setup();
	a = in_system('A', 4 * U);
	b = in_system('B', 4 * U);
	offer(a, VSPLIT_OFFER_HIGH);
	igt_assert_eq(__vsplit_write_file("/proc/sys/vm/drop_caches", "2"), 0);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 4 * U);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), 0);
	igt_assert(reclaim(fd, a));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: asked-with-swap
 * Description: With swap, the kernel also gets the pages of idle allocations.
 */
static void test_swap(void)
{
	struct vsplit_bo *a, *b;

	setup();
	swap_on(64 << 20);
	a = in_system('A', 4 * U);
	b = in_system('B', 4 * U);
	offer(a, VSPLIT_OFFER_HIGH);
	igt_assert_eq(__vsplit_write_file("/proc/sys/vm/drop_caches", "2"), 0);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "discarded_bytes"), 4 * U);
	igt_assert_eq_u64(vsplit_adapter_stat(ad, "swapped_bytes"), 4 * U);
	igt_assert(reclaim(fd, a));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	swap_off(0);
}

/* MemAvailable of /proc/meminfo in KiB. */
static uint64_t available(void)
{
	uint64_t kib = 0;
	char text[256];
	char *line;

	igt_assert_eq(__vsplit_read_file("/proc/meminfo", text, sizeof(text)), 0);
	line = strstr(text, "MemAvailable:");
	igt_assert(line && sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1);
	return kib;
}

/**
 * SUBTEST: memory-is-used-up
 * Description: A process uses more memory than there is, with swap, while three others work.
 *   Offered allocations are given up, and no byte is wrong.
 */
static void test_used_up(void)
{
	enum { NR = 6, BYTES = 64 << 20 };
	struct vsplit_bo *offered[NR];
	struct vsplit_adapter *large;
	unsigned int lost = 0;
	pid_t hog, pids[3];
	uint64_t bytes;
	int file;

	setup();
	swap_on(1ull << 30);
	large = vsplit_adapter_create(&(struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = BYTES } }, .slots = 16,
	});
	file = vsplit_adapter_open(large);
	for (unsigned int i = 0; i < NR; i++) {
		offered[i] = vsplit_bo(file, 'A' + i, BYTES);
		memset(offered[i]->map, 0x5a, BYTES);
		igt_assert_eq(__vsplit_offer(file, &offered[i]->handle, 1, VSPLIT_OFFER_AUTO), 0);
	}
	for (unsigned int p = 0; p < ARRAY_SIZE(pids); p++)
		pids[p] = worker(p + 1, 200);
	bytes = (available() << 10) + (64 << 20);
	hog = vsplit_fork();
	if (!hog) {
		char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		/* With a fault for each small page, faults would take most of the time. */
		madvise(map, bytes, MADV_HUGEPAGE);
		/* All pages have the same content, so that they compress to almost nothing. */
		for (uint64_t at = 0; map != MAP_FAILED && at < bytes; at += PAGE)
			map[at] = 1;
		_exit(map == MAP_FAILED);
	}
	igt_assert_eq(vsplit_reap(hog), 0);
	for (unsigned int p = 0; p < ARRAY_SIZE(pids); p++)
		igt_assert_eq(vsplit_reap(pids[p]), 0);
	for (unsigned int i = 0; i < NR; i++) {
		bool zeros = reclaim(file, offered[i]);

		for (uint64_t at = 0; at < BYTES; at += PAGE)
			igt_assert_eq(offered[i]->map[at], zeros ? 0 : 0x5a);
		lost += zeros;
	}
	igt_info("%u of %u discarded\n", lost, NR);
	igt_assert(lost);
	swap_off(0);
}

static const struct vsplit_subtest subtests[] = {
	{ "offered-goes-for-nothing", test_offered,
	  "Pages of offered allocations are given up before any other allocation is swapped out" },
	{ "offered-leaves-for-two", test_for_two,
	  "One submission evicts an offered allocation while another one is about to do the same. "
	  "The host still gets its pages back first." },
	{ "in-order", test_order,
	  "Allocations with the lowest offer priority go first, those with AUTO last, and no more "
	  "than needed" },
	{ "goes-after-a-failure", test_failure,
	  "Giving up pages takes a little memory, and there is none. The pages go the next "
	  "time." },
	{ "empty-ones-are-not-looked-at", test_empty,
	  "Any number of offers without pages does not keep the host from the pages of one that "
	  "was offered later. An allocation that gets pages again while it is offered gives "
	  "them back." },
	{ "follows-its-place", test_place,
	  "An allocation that is offered in a segment keeps its system pages, which an eviction "
	  "needs" },
	{ "idle-is-swapped-out", test_idle,
	  "If nothing is offered, idle allocations in system memory are swapped out" },
	{ "what-is-large-stays", test_large,
	  "Swapping out takes as much memory as it frees, so large allocations are left alone. If "
	  "they are offered, they go like any other." },
	{ "what-is-in-use-stays", test_in_use,
	  "An allocation that is mapped in an aperture, imported elsewhere, or still to be written "
	  "by the engine keeps its pages" },
	{ "beside-work", test_beside,
	  "No byte is wrong, unless reported lost, while processes work with twice the memory and "
	  "a thread gives it back" },
	{ "asked-by-the-kernel", test_kernel,
	  "The kernel, asked to drop reclaimable memory, gets the pages of offered allocations" },
	{ "asked-with-swap", test_swap,
	  "With swap, the kernel also gets the pages of idle allocations" },
	{ "memory-is-used-up", test_used_up,
	  "A process uses more memory than there is, with swap, while three others work. Offered "
	  "allocations are given up, and no byte is wrong." },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
