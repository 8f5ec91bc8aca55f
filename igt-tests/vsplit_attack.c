// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit attack
 * Description: How much an unprivileged client can slow down another client. Attackers are random
 *   mixes of calls, and a hill climber looks for those that cost the victim most (R21).
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: sharing
 * Test category: stress test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_hwq.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("How much an unprivileged client can slow down another client.");

#define U	16384ull
#define PAGE	4096ull

/* The size of video memory in U, and the part that the victim uses. */
#define MEMORY	64u
#define VICTIM	8u
#define THREADS	4u
#define BUFFERS	48u
#define CONTEXTS 4u
#define FILES	3u
#define PAGINGS	3u

/* The length of the victim's packet beside hardware queues, and of its whole program. */
#define SPIN_US	100ull
#define LONG_US	20000ull

/* How long a woken task may wait for a processor beside THREADS other tasks. */
#define WOKEN_US 1000ull

/* The calls of an attacker; VSPLIT_ATTACK uses their names. */
enum call {
	CALL_WORK,	/* a buffer that spins */
	CALL_SPLIT,	/* more than there is room for, split into portions */
	CALL_REFUSED,	/* more than there is room for, at once */
	CALL_LIST,	/* many small allocations on one list */
	CALL_TINY,	/* allocations made and closed */
	CALL_DYING,	/* allocations closed while work uses them */
	CALL_PIN,	/* pinned allocations, as many as allowed */
	CALL_LOCK,	/* locked and written by the CPU */
	CALL_TOUCH,	/* mapped, written and unmapped */
	CALL_SHARE,	/* exported, imported, used by the other file */
	CALL_OFFER,	/* offered, perhaps reclaimed */
	CALL_PARKED,	/* work that waits for a fence that is never signalled */
	CALL_ASK,	/* queries, records, fdinfo */
	CALL_CONTEXT,	/* contexts made and destroyed, with work in them */
	CALL_REQUIRE,	/* made resident, and given back */
	CALL_DEVICE,	/* work of a device, which needs all that the device requires */
	CALL_MAP,	/* virtual addresses mapped, unmapped, sparse */
	CALL_QUEUE,	/* packets in the ring of a hardware queue */
	CALL_SIGNAL,	/* work that waits for a fence, which the next call signals */
	CALL_URGENT,	/* priorities of allocations changed */
	CALL_RESERVE,	/* budgets reserved, and queried */
	CALLS,
};

static const char * const call_names[CALLS] = {
	"work", "split", "refused", "list", "tiny", "dying", "pin", "lock", "touch", "share",
	"offer", "parked", "ask", "context", "require", "device", "map", "queue", "signal", "urgent",
	"reserve",
};

/**
 * struct attack - An attacker: one client with THREADS processes.
 * @weight: how often each call is made, 0 to 9, relative to the others.
 * @spin_us: of a packet of its work.
 * @packets: number in a buffer of its work.
 * @entries: length of its long lists, or number of allocations at once.
 * @wait: out of ten calls, how many wait for the work before.
 * @victim: mode of the victim's context, VSPLIT_CTX_MODE_PATCH or _EXPLICIT.
 * @paging: 0: engines page themselves; 1: the adapter has a paging engine; 2: it pages ahead.
 */
struct attack {
	uint8_t weight[CALLS];
	uint32_t spin_us;
	uint32_t packets;
	uint32_t entries;
	uint32_t wait;
	uint32_t victim;
	uint32_t paging;
};

/* Whether the attack uses a device of WDDM 2. */
static bool has_device(const struct attack *attack)
{
	return attack->weight[CALL_DEVICE] || attack->weight[CALL_QUEUE] ||
	       attack->weight[CALL_REQUIRE] || attack->weight[CALL_MAP];
}

/*
 * A plain client that is as busy as @attack: it does the attacker's work, or some work if the
 * attacker has none, and each process waits for its own work. If the attacker has a device beside
 * its first file, the client has one as well.
 */
static struct attack plain(const struct attack *attack)
{
	struct attack busy = {
		.weight = {
			[CALL_WORK] = attack->weight[CALL_WORK],
			[CALL_SPLIT] = attack->weight[CALL_SPLIT],
			[CALL_DEVICE] = has_device(attack) ? 1 : 0,
		},
		.spin_us = attack->spin_us, .packets = attack->packets, .wait = 10,
		.victim = attack->victim, .paging = attack->paging,
	};

	if (!busy.weight[CALL_WORK] && !busy.weight[CALL_SPLIT]) {
		busy.weight[CALL_WORK] = 1;
		busy.weight[CALL_SPLIT] = 1;
	}
	return busy;
}

/* The worst attackers found so far, kept for good. */
static const char * const kept[] = {
	"queue=9 spin=1000 packets=5 entries=1 wait=0 victim=0 paging=0",
	"queue=9 require=1 spin=1000 packets=5 entries=24 wait=0 victim=1 paging=1",
	"require=9 spin=1 packets=1 entries=16 wait=0 victim=1 paging=0",
	"device=5 require=5 map=3 signal=3 urgent=3 reserve=3 spin=100 packets=2 entries=24 wait=0 "
		"victim=1 paging=2",
	"work=9 spin=1000 packets=5 entries=1 wait=10",
	"split=5 dying=5 spin=100 packets=5 entries=64 wait=10",
	"split=9 spin=1000 packets=5 entries=1 wait=0",
	"refused=9 list=3 spin=1 packets=1 entries=512 wait=10",
	"parked=5 context=5 work=2 spin=100 packets=5 entries=16 wait=10",
	"pin=5 lock=5 touch=5 share=5 offer=3 spin=100 packets=1 entries=32 wait=10",
};

/**
 * struct client - One process of an attacker.
 * @files: of the attacker, of one user, and shared by its processes: one file for most calls, one
 *   that imports, and a device of WDDM 2.
 * @device: contexts of the device: explicit, and of virtual addresses.
 * @queue: a hardware queue of the device, and its ring.
 * @required: allocations of the device, made resident one after the other, and given back in the
 *   same order.
 * @at: position in @required.
 * @fence: the fence that is signalled.
 * @value: the value of @fence.
 */
struct client {
	const struct attack *attack;
	int files[FILES];
	uint32_t contexts[CONTEXTS];
	struct vsplit_cs *cs;
	struct vsplit_bo *bos[BUFFERS];
	struct vsplit_rng rng;
	uint32_t never;
	uint32_t device[2];
	struct vsplit_cs *device_cs;
	struct queue queue;
	uint32_t required[BUFFERS];
	uint32_t at;
	uint32_t fence;
	uint64_t value;
};

/* ---- what an attacker does ------------------------------------------------ */

static uint32_t some_context(struct client *c)
{
	return c->contexts[vsplit_rng_below(&c->rng, CONTEXTS)];
}

static struct vsplit_bo *some_bo(struct client *c)
{
	return c->bos[vsplit_rng_below(&c->rng, BUFFERS)];
}

static void spins(struct client *c)
{
	for (uint32_t i = 0; i < c->attack->packets; i++)
		vsplit_cs_spin(c->cs, c->attack->spin_us);
}

/* The result does not matter, here and below. */
static void submit(struct client *c, uint32_t context)
{
	if (!__vsplit_cs_submit(c->cs, context, 0) &&
	    vsplit_rng_below(&c->rng, 10) < c->attack->wait)
		__vsplit_syncobj_wait(c->cs->fd, c->cs->out, 0, 1000);
	vsplit_cs_reset(c->cs);
}

static uint32_t create(struct client *c, uint64_t size, uint32_t flags)
{
	struct drm_vsplit_gem_create args = { .size = size, .flags = flags };

	return __vsplit_create(c->files[0], &args) ? 0 : args.handle;
}

static void call_work(struct client *c)
{
	vsplit_cs_bind(c->cs, 0, some_bo(c));
	vsplit_cs_set(c->cs, 0, 0, U, 1);
	spins(c);
	submit(c, some_context(c));
}

static void call_split(struct client *c)
{
	for (uint32_t i = 0; i < BUFFERS; i++) {
		vsplit_cs_bind(c->cs, i % 4, c->bos[i]);
		vsplit_cs_set(c->cs, i % 4, 0, PAGE, i);
	}
	spins(c);
	submit(c, some_context(c));
}

static void call_refused(struct client *c)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		vsplit_cs_bind(c->cs, i, c->bos[i]);
	vsplit_cs_set(c->cs, 0, 0, PAGE, 1);
	submit(c, some_context(c));
}

static void call_list(struct client *c)
{
	for (uint32_t i = 0; i < c->attack->entries; i++) {
		vsplit_cs_bind(c->cs, 1 + i % 8, some_bo(c));
		vsplit_cs_add(c->cs, 1 + i % 8, 0, 1);
	}
	submit(c, some_context(c));
}

static void call_tiny(struct client *c)
{
	uint32_t handles[64], n = 0;

	while (n < 64 && n < c->attack->entries)
		handles[n++] = create(c, 1, 0);
	while (n--)
		__vsplit_gem_close(c->files[0], handles[n]);
}

static void call_dying(struct client *c)
{
	struct drm_vsplit_gem_create args = { .size = 8 * U };
	struct vsplit_bo *bo;

	if (__vsplit_create(c->files[0], &args))
		return;
	bo = vsplit_bo_take(c->files[0], 'd', &args);
	vsplit_cs_bind(c->cs, 0, bo);
	vsplit_cs_set(c->cs, 0, 0, U, 2);
	spins(c);
	submit(c, some_context(c));
	vsplit_bo_free(bo);
}

static void call_pin(struct client *c)
{
	uint32_t handle = create(c, (1 + vsplit_rng_below(&c->rng, 32)) * U, VSPLIT_GEM_PINNED);

	if (handle) {
		usleep(100);
		__vsplit_gem_close(c->files[0], handle);
	}
}

static void call_lock(struct client *c)
{
	struct vsplit_bo *bo = some_bo(c);

	if (__vsplit_lock(bo, vsplit_rng_below(&c->rng, 2) ? VSPLIT_LOCK_DONOT_WAIT : 0))
		return;
	bo->map[0]++;
	__vsplit_unlock(bo);
}

static void call_touch(struct client *c)
{
	struct vsplit_bo *bo = some_bo(c);
	void *map;

	if (__vsplit_mmap(bo->fd, bo->handle, bo->size, &map))
		return;
	memset(map, 1, bo->size);
	munmap(map, bo->size);
}

static void call_share(struct client *c)
{
	uint32_t handle;
	int file;

	/* Fails while the allocation is offered. */
	if (drmPrimeHandleToFD(c->files[0], some_bo(c)->handle, DRM_CLOEXEC | DRM_RDWR, &file))
		return;
	if (!__vsplit_import(c->files[1], file, &handle))
		__vsplit_gem_close(c->files[1], handle);
	close(file);
}

static void call_offer(struct client *c)
{
	uint32_t handle = some_bo(c)->handle;
	struct drm_vsplit_reclaim reclaim = {
		.handles = (uintptr_t)&handle, .num_handles = 1,
	};

	__vsplit_offer(c->files[0], &handle, 1, VSPLIT_OFFER_NORMAL);
	if (vsplit_rng_below(&c->rng, 4))
		__vsplit_ioctl(c->files[0], DRM_IOCTL_VSPLIT_RECLAIM, &reclaim);
}

static void call_parked(struct client *c)
{
	vsplit_cs_wait_fence(c->cs, c->never, 1 + vsplit_rng_below(&c->rng, 1000));
	vsplit_cs_bind(c->cs, 0, some_bo(c));
	vsplit_cs_set(c->cs, 0, 0, PAGE, 3);
	__vsplit_cs_submit(c->cs, some_context(c), 0);
	vsplit_cs_reset(c->cs);
}

static void call_ask(struct client *c)
{
	struct drm_vsplit_ctx_query query = { .ctx = some_context(c) };
	struct drm_vsplit_record record = {
		.ctx = c->cs->ctx, .submission = c->cs->submission,
	};
	char path[64], text[4096];

	__vsplit_ctx_query(c->files[0], &query);
	__vsplit_record(c->files[0], &record);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", c->files[0]);
	__vsplit_read_file(path, text, sizeof(text));
}

static void call_context(struct client *c)
{
	struct drm_vsplit_ctx_create args = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };

	if (__vsplit_ctx_create(c->files[0], &args))
		return;
	vsplit_cs_bind(c->cs, 0, some_bo(c));
	vsplit_cs_set(c->cs, 0, 0, PAGE, 4);
	spins(c);
	submit(c, args.ctx);
	__vsplit_ctx_destroy(c->files[0], args.ctx);
}

/* Requires the next allocations, or gives back those that an earlier call has required. */
static void call_require(struct client *c)
{
	uint32_t from = c->at % BUFFERS, nr = min(c->attack->entries, BUFFERS - from);
	bool back = c->at / BUFFERS % 2;

	if (back)
		__vsplit_evict(c->files[2], c->required + from, nr, 0);
	else
		__vsplit_make_resident(c->files[2], c->required + from, nr,
				       VSPLIT_RESIDENT_CANT_TRIM_FURTHER, NULL);
	c->at += nr;
}

static void call_device(struct client *c)
{
	for (uint32_t i = 0; i < c->attack->packets; i++)
		vsplit_cs_spin(c->device_cs, c->attack->spin_us);
	if (!__vsplit_cs_submit(c->device_cs, c->device[vsplit_rng_below(&c->rng, 2)], 0) &&
	    vsplit_rng_below(&c->rng, 10) < c->attack->wait)
		__vsplit_syncobj_wait(c->files[2], c->device_cs->out, 0, 1000);
	vsplit_cs_reset(c->device_cs);
}

/* The processes of an attacker share the addresses. */
static void call_map(struct client *c)
{
	struct drm_vsplit_va_op ops[64];
	uint32_t nr = min(c->attack->entries, 64u);

	for (uint32_t i = 0; i < nr; i++) {
		static const uint32_t types[] = {
			VSPLIT_VA_MAP, VSPLIT_VA_MAP, VSPLIT_VA_UNMAP, VSPLIT_VA_SPARSE,
		};
		uint32_t type = types[vsplit_rng_below(&c->rng, 4)];

		ops[i] = (struct drm_vsplit_va_op) {
			.type = type,
			.handle = type == VSPLIT_VA_MAP ?
				  c->required[vsplit_rng_below(&c->rng, BUFFERS)] : 0,
			.address = (1 + vsplit_rng_below(&c->rng, 1024)) * U,
			.bytes = (1 + vsplit_rng_below(&c->rng, 2)) * U,
		};
	}
	__vsplit_va_bind(c->files[2], ops, nr, NULL, 0);
}

/* A full queue keeps the engine busy without a processor, which is left to the victim. */
static void call_queue(struct client *c)
{
	struct queue *q = &c->queue;

	for (uint32_t i = 0; i < c->attack->packets; i++) {
		if (q->tail + 64 - done(q) > q->ring_bytes) {
			usleep(1000);
			return;
		}
		put_spin(q, c->attack->spin_us);
		ring(q);
	}
}

static void call_signal(struct client *c)
{
	c->value++;
	vsplit_cs_wait_fence(c->cs, c->fence, c->value);
	vsplit_cs_bind(c->cs, 0, some_bo(c));
	vsplit_cs_set(c->cs, 0, 0, PAGE, 3);
	spins(c);
	submit(c, some_context(c));
	__vsplit_fence_signal(c->files[0], c->fence, c->value);
}

static void call_urgent(struct client *c)
{
	static const uint32_t priorities[] = {
		VSPLIT_PRIORITY_MIN, VSPLIT_PRIORITY_NORMAL, VSPLIT_PRIORITY_MAX,
	};
	struct drm_vsplit_gem_priority args = {
		.handle = some_bo(c)->handle,
		.priority = priorities[vsplit_rng_below(&c->rng, ARRAY_SIZE(priorities))],
	};

	__vsplit_ioctl(c->files[0], DRM_IOCTL_VSPLIT_GEM_PRIORITY, &args);
}

static void call_reserve(struct client *c)
{
	struct drm_vsplit_reserve args = {
		.group = VSPLIT_GROUP_LOCAL, .bytes = vsplit_rng_below(&c->rng, MEMORY) * U,
	};
	struct drm_vsplit_residency query = { .handle = 0 };

	__vsplit_ioctl(c->files[2], DRM_IOCTL_VSPLIT_RESERVE, &args);
	__vsplit_ioctl(c->files[2], DRM_IOCTL_VSPLIT_RESIDENCY, &query);
}

static void (* const calls[CALLS])(struct client *c) = {
	[CALL_WORK] = call_work, [CALL_SPLIT] = call_split, [CALL_REFUSED] = call_refused,
	[CALL_LIST] = call_list, [CALL_TINY] = call_tiny, [CALL_DYING] = call_dying,
	[CALL_PIN] = call_pin, [CALL_LOCK] = call_lock, [CALL_TOUCH] = call_touch,
	[CALL_SHARE] = call_share, [CALL_OFFER] = call_offer, [CALL_PARKED] = call_parked,
	[CALL_ASK] = call_ask, [CALL_CONTEXT] = call_context, [CALL_REQUIRE] = call_require,
	[CALL_DEVICE] = call_device, [CALL_MAP] = call_map, [CALL_QUEUE] = call_queue,
	[CALL_SIGNAL] = call_signal, [CALL_URGENT] = call_urgent, [CALL_RESERVE] = call_reserve,
};

/* Makes this process's part of the attacker's device. */
static void device_begin(struct client *c)
{
	struct drm_vsplit_gem_create args;

	c->device[0] = vsplit_ctx_mode(c->files[2], VSPLIT_CTX_MODE_EXPLICIT, 0);
	c->device[1] = vsplit_ctx_mode(c->files[2], VSPLIT_CTX_MODE_VA, 0);
	c->device_cs = vsplit_cs(c->files[2]);
	queue_beside(&c->queue, c->files[2], 65536);
	for (unsigned int i = 0; i < BUFFERS; i++) {
		args = (struct drm_vsplit_gem_create) { .size = 2 * U };
		expect(__vsplit_create(c->files[2], &args), 0);
		c->required[i] = args.handle;
	}
}

/* Attacks until the process is killed. @ready counts processes that have begun. */
static void attack_on(const struct attack *attack, const int files[FILES], unsigned int seed,
		      uint64_t *ready)
{
	struct client c = { .attack = attack, .rng.state = seed };
	uint32_t total = 0, pick;

	memcpy(c.files, files, sizeof(c.files));
	for (unsigned int i = 0; i < CALLS; i++)
		total += attack->weight[i];
	c.cs = vsplit_cs(files[0]);
	c.never = vsplit_fence(files[0], 0);
	c.fence = vsplit_fence(files[0], 0);
	device_begin(&c);
	for (unsigned int i = 0; i < CONTEXTS; i++)
		c.contexts[i] = vsplit_ctx(files[0], 0);
	for (unsigned int i = 0; i < BUFFERS; i++)
		c.bos[i] = vsplit_bo(files[0], 'a', 2 * U);
	for (unsigned int i = 0;; i++) {
		if (i == 4)
			__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
		pick = vsplit_rng_below(&c.rng, total);
		for (unsigned int call = 0; call < CALLS; call++) {
			if (pick < attack->weight[call]) {
				calls[call](&c);
				break;
			}
			pick -= attack->weight[call];
		}
	}
}

/* ---- what it costs -------------------------------------------------------- */

/* Number of timed submissions of the victim. The time of all of them is its progress. */
static unsigned int steps(void)
{
	return vsplit_rounds(12, 40);
}

static void victim_step(struct vsplit_cs *victim, uint32_t context, struct vsplit_bo **bos,
			unsigned int step, uint64_t spins_us)
{
	vsplit_cs_reset(victim);
	for (unsigned int i = 0; i < VICTIM / 2; i++) {
		vsplit_cs_bind(victim, i, bos[i]);
		vsplit_cs_set(victim, i, 0, 2 * U, step * 16 + i);
	}
	for (; spins_us; spins_us -= SPIN_US)
		vsplit_cs_spin(victim, SPIN_US);
	vsplit_cs_submit_and_wait(victim, context, 0);
	vsplit_cs_reference(victim, 0);
}

/* Counter in memory that is shared with the attackers. */
static uint64_t *ready;

/**
 * struct cost - The cost of the victim's steps.
 * @engine_ns: time that the engine gave to the victim and the attacker during these steps, on the
 *   model clock. The driver shares out the engine.
 * @own_ns: the victim's part of it.
 * @ns: wall-clock time. The driver does not share out the processors.
 */
struct cost {
	uint64_t engine_ns;
	uint64_t own_ns;
	uint64_t ns;
};

static uint64_t engine_ns(int file)
{
	return vsplit_fdinfo(file, "drm-engine-render:") + vsplit_fdinfo(file, "drm-engine-paging:");
}

/**
 * struct place - An adapter with the victim's file, and a file of the victim that is a device.
 */
struct place {
	struct vsplit_adapter *ad;
	int fd;
	int device;
};

/* Indexed by the clock (0: model clock, 1: real clock), and by struct attack.paging. */
static struct place places[2][PAGINGS];

/*
 * Packets in the ring of a hardware queue take no call. On the model clock an engine would execute
 * them all before more are put in, and no queue would ever be busy; so these attacks use the real
 * clock.
 */
static const struct place *place_of(unsigned int paging, bool real)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = MEMORY * U }, { "aper", true, .size = MEMORY * U } },
		.slots = 64, .timeout_ms = 10000, .model_clock = !real, .test = true,
		.contexts = "patch,explicit,va,hw", .paging_own = paging, .planned = paging == 2,
	};
	struct place *place = &places[real][paging];

	if (!place->ad) {
		place->ad = vsplit_adapter_create(&opts);
		place->fd = vsplit_adapter_open(place->ad);
		place->device = vsplit_adapter_open(place->ad);
	}
	return place;
}

/*
 * The cost of the victim's steps, which spin for @spins_us, beside @attack. Asserts that the
 * victim's bytes are right.
 */
static struct cost beside(const struct attack *attack, unsigned int seed, uint64_t spins_us)
{
	const struct place *place = place_of(attack->paging, spins_us);
	int file = attack->victim ? place->device : place->fd;
	struct vsplit_counters before;
	struct vsplit_bo *bos[VICTIM / 2];
	struct vsplit_cs *victim;
	pid_t pids[THREADS];
	int files[FILES];
	struct cost cost;
	uint32_t context;

	ad = place->ad;
	victim = vsplit_cs(file);
	context = vsplit_ctx_mode(file, attack->victim, 0);
	for (unsigned int i = 0; i < VICTIM / 2; i++) {
		bos[i] = vsplit_bo(file, 'A' + i, 2 * U);
		if (attack->victim)
			vsplit_require(bos[i]);
	}
	victim_step(victim, context, bos, 0, 0);
	igt_require(vsplit_counters(ad, &before));
	for (unsigned int i = 0; i < FILES; i++)
		files[i] = vsplit_adapter_open(ad);
	*ready = 0;
	for (unsigned int i = 0; i < THREADS; i++) {
		pids[i] = vsplit_fork();
		if (!pids[i])
			attack_on(attack, files, seed * THREADS + i + 1, ready);
	}
	vsplit_close(files[1]);
	igt_assert(vsplit_soon(__atomic_load_n(ready, __ATOMIC_SEQ_CST) == THREADS));
	/* From here on the attacker is paced, if it has to be. */
	victim_step(victim, context, bos, 1, 0);
	cost.own_ns = engine_ns(file);
	cost.engine_ns = cost.own_ns + engine_ns(files[0]) + engine_ns(files[2]);
	cost.ns = vsplit_now_ns();
	for (unsigned int i = 2; i < steps() + 2; i++)
		victim_step(victim, context, bos, i, spins_us);
	cost.ns = vsplit_now_ns() - cost.ns;
	cost.engine_ns = engine_ns(file) + engine_ns(files[0]) + engine_ns(files[2]) -
			 cost.engine_ns;
	cost.own_ns = engine_ns(file) - cost.own_ns;
	for (unsigned int i = 0; i < THREADS; i++)
		kill(pids[i], SIGKILL);
	vsplit_close(files[0]);
	vsplit_close(files[2]);
	for (unsigned int i = 0; i < THREADS; i++)
		igt_assert_eq(vsplit_reap(pids[i]), SIGKILL);
	/* Nothing of the attacker is left, and the engine is free. */
	vsplit_counters_idle(ad, &before);
	vsplit_cs_check(victim);
	vsplit_cs_free(victim);
	for (unsigned int i = 0; i < VICTIM / 2; i++)
		vsplit_bo_free(bos[i]);
	expect(__vsplit_ctx_destroy(file, context), 0);
	return cost;
}

static void setup(void)
{
	memset(places, 0, sizeof(places));
	if (!ready)
		ready = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(ready != MAP_FAILED);
}

/*
 * The victim's remaining progress, in percent of its progress beside the busy client. It is
 * measured in engine time, and also by the wall clock, because a call that stops all clients costs
 * no engine time; by the wall clock a tenth is enough. A client that is really busy has a program
 * in the engine whenever the victim submits, but whether the processors allow this differs from run
 * to run.
 */
static uint32_t progress(const struct attack *attack, unsigned int seed)
{
	uint64_t long_us = attack->weight[CALL_QUEUE] ? LONG_US : 0;
	struct attack plain_one = plain(attack);
	struct cost busy = beside(&plain_one, seed, long_us), cost = beside(attack, seed, long_us);
	/*
	 * Time of the attacker's programs beside each step: a program takes the time that it spins,
	 * or two microseconds for each entry of a list. If programs are short, the engine executes
	 * as many as fit into the time that the victim waits for a processor.
	 */
	uint64_t spins_us = attack->packets * attack->spin_us;
	uint64_t list_us = attack->weight[CALL_LIST] ? 2 * attack->entries : 0;
	uint64_t programs_ns = 1000ull * steps() * max(max(spins_us, list_us), WOKEN_US);

	/* An engine that is always busy gives half of its time to the victim's long programs. */
	if (long_us)
		programs_ns = 2 * cost.own_ns;
	igt_debug("engine %" PRIu64 " us, then %" PRIu64 " us; wall %" PRIu64 " us, then %" PRIu64 " us\n",
		  busy.engine_ns / 1000, cost.engine_ns / 1000, busy.ns / 1000, cost.ns / 1000);
	return min(100 * max(busy.engine_ns, programs_ns) / max(cost.engine_ns, UINT64_C(1)),
		   500 * busy.ns / max(cost.ns, UINT64_C(1)));
}

/* ---- what an attacker is called --------------------------------------------- */

static const char *describe(const struct attack *attack)
{
	static char text[512];
	size_t at = 0;

	for (unsigned int i = 0; i < CALLS; i++)
		if (attack->weight[i])
			at += snprintf(text + at, sizeof(text) - at, "%s=%u ", call_names[i],
				       attack->weight[i]);
	snprintf(text + at, sizeof(text) - at,
		 "spin=%u packets=%u entries=%u wait=%u victim=%u paging=%u",
		 attack->spin_us, attack->packets, attack->entries, attack->wait, attack->victim,
		 attack->paging);
	return text;
}

static struct attack parse(const char *from)
{
	struct attack attack = {};
	char *text = strdup(from), *word, *at, *value;

	for (word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
		uint32_t number;

		value = strchr(word, '=');
		igt_assert_f(value, "VSPLIT_ATTACK: %s has no value\n", word);
		*value++ = 0;
		number = strtoul(value, NULL, 0);
		if (!strcmp(word, "spin"))
			attack.spin_us = number;
		else if (!strcmp(word, "packets"))
			attack.packets = number;
		else if (!strcmp(word, "entries"))
			attack.entries = number;
		else if (!strcmp(word, "wait"))
			attack.wait = number;
		else if (!strcmp(word, "victim"))
			attack.victim = number;
		else if (!strcmp(word, "paging"))
			attack.paging = number;
		else
			for (unsigned int i = 0; i <= CALLS; i++) {
				igt_assert_f(i < CALLS, "VSPLIT_ATTACK: unknown call %s\n", word);
				if (!strcmp(word, call_names[i])) {
					attack.weight[i] = number;
					break;
				}
			}
	}
	free(text);
	return attack;
}

/*
 * Measures an attacker that leaves less than half again, because the amount of work that a busy
 * client has under way varies. An attacker that is really that bad is so each time.
 */
static uint32_t judge(const struct attack *attack, unsigned int seed)
{
	uint32_t left = progress(attack, seed);

	for (unsigned int tries = 0; left < 50 && tries < 6; tries++) {
		uint32_t again = progress(attack, seed + tries + 1);

		left = again > left ? again : left;
	}
	igt_info("%u %%: %s\n", left, describe(attack));
	igt_assert_f(left >= 50, "the victim has %u %% of its progress beside\n  %s\n", left,
		     describe(attack));
	return left;
}

/**
 * SUBTEST: kept
 * Description: A client makes at least half of the progress, for each second that the engine works,
 *   that it makes beside a busy client with as many processes. This is tested beside each of the
 *   worst attackers found so far, or the one that VSPLIT_ATTACK in the environment names. Killed
 *   attackers leave nothing behind.
 */
static void test_kept(void)
{
	const char *given = getenv("VSPLIT_ATTACK");
	uint32_t least = 100;

	setup();
	for (unsigned int i = 0; i < (given ? 1 : ARRAY_SIZE(kept)); i++) {
		struct attack attack = parse(given ?: kept[i]);
		uint32_t left = judge(&attack, i + 1);

		least = left < least ? left : least;
	}
	vsplit_figure("R21", "percent of its progress beside the worst kept attacker", least);
}

/* ---- the climb ------------------------------------------------------------ */

static uint32_t one_of(struct vsplit_rng *rng, const uint32_t *values, unsigned int n)
{
	return values[vsplit_rng_below(rng, n)];
}

static void change(struct vsplit_rng *rng, struct attack *attack)
{
	static const uint32_t spin[] = { 1, 10, 100, 1000 };
	static const uint32_t packets[] = { 1, 2, 5 };
	static const uint32_t entries[] = { 1, 8, 64, 512, 1024 };
	uint32_t total = 0;

	switch (vsplit_rng_below(rng, 12)) {
	case 0:
		attack->spin_us = one_of(rng, spin, ARRAY_SIZE(spin));
		break;
	case 1:
		attack->packets = one_of(rng, packets, ARRAY_SIZE(packets));
		break;
	case 2:
		attack->entries = one_of(rng, entries, ARRAY_SIZE(entries));
		break;
	case 3:
		attack->wait = vsplit_rng_below(rng, 2) ? 10 : 0;
		break;
	case 4:
		attack->victim = vsplit_rng_below(rng, 2) ? VSPLIT_CTX_MODE_EXPLICIT :
							    VSPLIT_CTX_MODE_PATCH;
		break;
	case 5:
		attack->paging = vsplit_rng_below(rng, PAGINGS);
		break;
	default:
		attack->weight[vsplit_rng_below(rng, CALLS)] =
			vsplit_rng_below(rng, 2) ? 0 : vsplit_rng_below(rng, 10);
	}
	for (unsigned int i = 0; i < CALLS; i++)
		total += attack->weight[i];
	if (!total)
		attack->weight[vsplit_rng_below(rng, CALLS)] = 1;
}

static struct attack random_attack(struct vsplit_rng *rng)
{
	struct attack attack = { .spin_us = 100, .packets = 1, .entries = 8, .wait = 10 };

	for (unsigned int i = 0; i < 12; i++)
		change(rng, &attack);
	return attack;
}

/**
 * SUBTEST: climb
 * Description: The same beside attackers that are changed a little again and again, towards those
 *   that leave the least progress. VSPLIT_ATTACK_SEED in the environment sets the start.
 */
static void test_climb(void)
{
	const char *seed = getenv("VSPLIT_ATTACK_SEED");
	struct vsplit_rng rng = { .state = seed ? strtoull(seed, NULL, 0) : 1 };
	unsigned int rounds = vsplit_rounds(8, 300), stuck = 0;
	uint32_t least = UINT32_MAX, worst = UINT32_MAX;
	struct attack at = random_attack(&rng);

	setup();
	for (unsigned int i = 0; i < rounds; i++) {
		struct attack next = at;
		uint32_t left;

		for (unsigned int n = vsplit_rng_below(&rng, 3); i && n != UINT32_MAX; n--)
			change(&rng, &next);
		left = judge(&next, i + 1);
		worst = left < worst ? left : worst;
		stuck++;
		if (left < least) {
			least = left;
			at = next;
			stuck = 0;
		}
		if (stuck == 30) {
			at = random_attack(&rng);
			least = UINT32_MAX;
			stuck = 0;
		}
	}
	vsplit_figure("R21", "attackers that were tried", rounds);
	vsplit_figure("R21", "percent of its progress beside the worst of them", worst);
}

static const struct vsplit_subtest tests[] = {
	{ "kept", test_kept,
	  "Beside the worst known attackers a client makes at least half of the progress that it "
	  "makes beside a busy client" },
	{ "climb", test_climb,
	  "Beside attackers that are changed towards the worst a client makes at least half of its "
	  "progress" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
