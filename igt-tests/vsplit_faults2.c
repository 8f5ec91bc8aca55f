// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit faults2
 * Description: Every call of WDDM 2 (requirement lists, virtual addresses, hardware queues,
 *   monitored fences, offers) is made while the Nth thing that can fail fails, or the Nth
 *   interruptible wait is interrupted, for every N. Each failure gives a documented error and
 *   changes nothing, and the same call right after it succeeds. The other calls are in
 *   vsplit_faults.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: fault injection
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_sweep.h"

#include <sys/eventfd.h>

IGT_TEST_DESCRIPTION("Every call of WDDM 2 (requirement lists, virtual addresses, hardware queues, "
		     "monitored fences, offers) is made while the Nth thing that can fail fails, "
		     "or the Nth interruptible wait is interrupted, for every N.");

#define U 16384ull
#define ADDRESS (1ull << 32)

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U }, { "gart", true, .size = 64 * U } },
	.slots = 16,
	.engines = 2,
	.paging_own = true,
	.timeout_ms = 20000,
	.contexts = "patch,explicit,va,hw",
	.test = true,
};

/* ---- the world ---------------------------------------------------------- */

static struct vsplit_adapter *ad;
static int fd, other;
static uint32_t ctx, other_ctx, queue_ctx, fence;
/* @required is in runs, on the requirement list, and mapped at ADDRESS; @loose is none of these. */
static struct vsplit_bo *required, *loose;
static struct vsplit_cs *adds, *crowd;
/* The sum that was added to the first word of @required. */
static uint64_t sum;
static uint64_t value;

static int once(unsigned long request, void *args)
{
	return __vsplit_ioctl_once(fd, request, args);
}

static int make(const struct vsplit_bo *const *bos, unsigned int nr)
{
	uint32_t handles[4];
	struct drm_vsplit_make_resident args = {
		.handles = (uintptr_t)handles, .num_handles = nr,
		.flags = VSPLIT_RESIDENT_CANT_TRIM_FURTHER,
	};

	for (unsigned int i = 0; i < nr; i++)
		handles[i] = bos[i]->handle;
	return once(DRM_IOCTL_VSPLIT_MAKE_RESIDENT, &args);
}

static int take(const struct vsplit_bo *bo)
{
	struct drm_vsplit_evict args = { .handles = (uintptr_t)&bo->handle, .num_handles = 1 };

	return once(DRM_IOCTL_VSPLIT_EVICT, &args);
}

/* Undoing is repeated without a failure, because only one thing fails at a time. */
static int undone(int ret, int again)
{
	if (ret)
		igt_assert_eq(again, 0);
	return ret;
}

static int bind(uint32_t type, uint64_t address)
{
	const struct drm_vsplit_va_op op = {
		.type = type, .handle = type == VSPLIT_VA_MAP ? required->handle : 0,
		.address = address, .bytes = required->size,
	};
	struct drm_vsplit_va_bind args = { .ops = (uintptr_t)&op, .num_ops = 1 };

	return once(DRM_IOCTL_VSPLIT_VA_BIND, &args);
}

static void build(void)
{
	struct drm_vsplit_hwq_create hwq = { .ring_bytes = VSPLIT_HWQ_MIN_RING };

	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
	other = vsplit_adapter_open(ad);
	ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_VA, 0);
	queue_ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_HW, 0);
	other_ctx = vsplit_ctx(other, 0);
	crowd = NULL;
	hwq.ctx = queue_ctx;
	igt_assert_eq(once(DRM_IOCTL_VSPLIT_HWQ_CREATE, &hwq), 0);
	fence = vsplit_fence(fd, 0);
	required = vsplit_bo_in(fd, 'R', 8 * U, VSPLIT_GEM_RUNS, (const uint8_t[]) { 1, 0 });
	loose = vsplit_bo(fd, 'L', 8 * U);
	igt_assert_eq(make((const struct vsplit_bo *const[]) { required }, 1), 0);
	igt_assert_eq(bind(VSPLIT_VA_MAP, ADDRESS), 0);
	adds = vsplit_cs(fd);
	vsplit_cs_word_va(adds, VSPLIT_OP_ATOMIC_ADD, ADDRESS, 1);
	sum = 0;
	value = 0;
}

static void state_there(void)
{
}

static void state_evicted(void)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
}

static void state_full(void)
{
	sweep_fill(&crowd, other, other_ctx, 64 * U);
}

static const struct {
	const char *name;
	void (*enter)(void);
} states[] = {
	{ "there", state_there },
	{ "evicted", state_evicted },
	{ "full", state_full },
};

/* ---- the calls ---------------------------------------------------------- */

/* Each function makes its call once; on success it undoes what would accumulate. */

static int op_make(void)
{
	int ret = make((const struct vsplit_bo *const[]) { loose }, 1);

	return ret ? ret : undone(take(loose), 0);
}

static int op_make_many(void)
{
	int ret = make((const struct vsplit_bo *const[]) { required, loose, required }, 3);

	if (!ret)
		ret = undone(take(loose), 0);
	for (unsigned int i = 0; !ret && i < 2; i++)
		ret = take(required);
	return ret;
}

static int op_query(void)
{
	struct drm_vsplit_residency args = {
		.handle = required->handle, .flags = VSPLIT_RESIDENCY_WATCH_BUDGET,
	};

	return once(DRM_IOCTL_VSPLIT_RESIDENCY, &args);
}

static int op_trims(void)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_EVENTFD };
	int ret;

	args.fd = eventfd(0, EFD_CLOEXEC);
	ret = once(DRM_IOCTL_VSPLIT_RESIDENCY, &args);
	close(args.fd);
	args.fd = -1;
	return ret ? ret : once(DRM_IOCTL_VSPLIT_RESIDENCY, &args);
}

static int op_reserve(void)
{
	struct drm_vsplit_reserve args = { .bytes = U };
	int ret = once(DRM_IOCTL_VSPLIT_RESERVE, &args);

	args.bytes = 0;
	return ret ? ret : once(DRM_IOCTL_VSPLIT_RESERVE, &args);
}

static int op_offer(void)
{
	struct drm_vsplit_offer args = {
		.handles = (uintptr_t)&loose->handle, .num_handles = 1, .priority = VSPLIT_OFFER_LOW,
	};
	uint32_t lost;
	struct drm_vsplit_reclaim back = {
		.handles = (uintptr_t)&loose->handle, .num_handles = 1, .discarded = (uintptr_t)&lost,
	};
	int ret = once(DRM_IOCTL_VSPLIT_OFFER, &args);

	if (ret)
		return ret;
	ret = once(DRM_IOCTL_VSPLIT_RECLAIM, &back);
	return ret ? undone(ret, once(DRM_IOCTL_VSPLIT_RECLAIM, &back)) : 0;
}

static int op_bind(void)
{
	int ret = bind(VSPLIT_VA_MAP, 2 * ADDRESS);

	if (ret)
		return ret;
	ret = bind(VSPLIT_VA_UNMAP, 2 * ADDRESS);
	return ret ? undone(ret, bind(VSPLIT_VA_UNMAP, 2 * ADDRESS)) : 0;
}

static int op_fence(void)
{
	struct drm_vsplit_fence_create args = {};
	struct drm_vsplit_fence_destroy destroy = {};
	int ret = once(DRM_IOCTL_VSPLIT_FENCE_CREATE, &args);

	if (ret)
		return ret;
	destroy.handle = args.handle;
	ret = once(DRM_IOCTL_VSPLIT_FENCE_DESTROY, &destroy);
	return ret ? undone(ret, once(DRM_IOCTL_VSPLIT_FENCE_DESTROY, &destroy)) : 0;
}

/* Exports the fence to a file, and imports it. */
static int op_fence_share(void)
{
	struct drm_vsplit_fence_export args = { .handle = fence };
	struct drm_vsplit_fence_destroy destroy = {};
	struct drm_vsplit_fence_import import;
	int ret = once(DRM_IOCTL_VSPLIT_FENCE_EXPORT, &args);

	if (ret)
		return ret;
	import = (struct drm_vsplit_fence_import) { .fd = args.fd };
	ret = once(DRM_IOCTL_VSPLIT_FENCE_IMPORT, &import);
	close(args.fd);
	if (ret)
		return ret;
	destroy.handle = import.handle;
	ret = once(DRM_IOCTL_VSPLIT_FENCE_DESTROY, &destroy);
	return ret ? undone(ret, once(DRM_IOCTL_VSPLIT_FENCE_DESTROY, &destroy)) : 0;
}

static int op_fence_signal(void)
{
	struct drm_vsplit_fence_signal args = { .handle = fence, .value = value + 1 };
	int ret = once(DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &args);

	value += !ret;
	return ret;
}

/* Waits for a value that is never reached, and for one that has been reached. */
static int op_fence_wait(void)
{
	struct drm_vsplit_fence_wait args = {
		.handle = fence, .value = UINT64_MAX, .timeout_ns = vsplit_now_ns() + 1000000,
	};
	int ret = once(DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);

	if (ret != -ETIME)
		return ret;
	args.value = value;
	return once(DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
}

static int op_fence_eventfd(void)
{
	struct drm_vsplit_fence_create create = {};
	struct drm_vsplit_fence_wait args = { .flags = VSPLIT_FENCE_WAIT_EVENTFD, .value = 1 };
	struct drm_vsplit_fence_destroy destroy = {};
	int ret = once(DRM_IOCTL_VSPLIT_FENCE_CREATE, &create);

	if (ret)
		return ret;
	args.handle = destroy.handle = create.handle;
	args.fd = eventfd(0, EFD_CLOEXEC);
	igt_assert_fd(args.fd);
	ret = once(DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
	if (once(DRM_IOCTL_VSPLIT_FENCE_DESTROY, &destroy))
		igt_assert_eq(once(DRM_IOCTL_VSPLIT_FENCE_DESTROY, &destroy), 0);
	close(args.fd);
	return ret;
}

static int op_queue(void)
{
	struct drm_vsplit_ctx_create create = {
		.mode = VSPLIT_CTX_MODE_HW, .priority = VSPLIT_CTX_PRIORITY_NORMAL,
	};
	struct drm_vsplit_hwq_create args = { .ring_bytes = VSPLIT_HWQ_MIN_RING };
	struct drm_vsplit_ctx_destroy destroy = {};
	int ret = once(DRM_IOCTL_VSPLIT_CTX_CREATE, &create);

	if (ret)
		return ret;
	args.ctx = destroy.ctx = create.ctx;
	ret = once(DRM_IOCTL_VSPLIT_HWQ_CREATE, &args);
	if (once(DRM_IOCTL_VSPLIT_CTX_DESTROY, &destroy))
		igt_assert_eq(once(DRM_IOCTL_VSPLIT_CTX_DESTROY, &destroy), 0);
	return ret;
}

static int op_queue_wait(void)
{
	struct drm_vsplit_hwq_wait args = {
		.ctx = queue_ctx, .done = 8, .timeout_ns = vsplit_now_ns() + 1000000,
	};
	int ret = once(DRM_IOCTL_VSPLIT_HWQ_WAIT, &args);

	return ret == -ETIME ? 0 : ret;
}

static int submit(struct vsplit_cs *cs)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	int ret;

	vsplit_cs_args(cs, ctx, 0, &args, syncs);
	ret = once(DRM_IOCTL_VSPLIT_SUBMIT, &args);
	cs->nr_syncs = 0;
	if (!ret)
		cs->submission = args.submission;
	sum += !ret;
	return ret;
}

static int op_submit(void)
{
	return submit(adds);
}

/* Returns 0 if the fence has reached @at, or an error. */
static int reached(uint64_t at)
{
	struct drm_vsplit_fence_wait args = { .handle = fence, .value = at };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
}

/* Parks a submission until a value is reached, and waits until it is done. */
static int op_park(void)
{
	struct drm_vsplit_fence_signal args = { .handle = fence, .value = value + 1 };
	struct vsplit_cs *cs = vsplit_cs(fd);
	int ret;

	vsplit_cs_wait_fence(cs, fence, value + 1);
	vsplit_cs_word_va(cs, VSPLIT_OP_ATOMIC_ADD, ADDRESS, 1);
	vsplit_cs_signal_fence(cs, fence, value + 2);
	ret = submit(cs);
	if (!ret) {
		if (once(DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &args))
			igt_assert_eq(once(DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &args), 0);
		/* The submission has no fence before it is published. */
		value += 2;
		igt_assert(vsplit_soon(!reached(value)));
		vsplit_cs_wait(cs);
	}
	vsplit_cs_free(cs);
	return ret;
}

static const struct op ops[] = {
	{ "make-resident", op_make, .errors = { -EFAULT } },
	{ "make-resident-many", op_make_many, .errors = { -EFAULT } },
	{ "residency", op_query, .errors = { -EFAULT } },
	{ "residency-eventfd", op_trims, .errors = { -EFAULT } },
	{ "reserve", op_reserve, .errors = { -EFAULT } },
	{ "offer", op_offer, .errors = { -EFAULT } },
	{ "va-bind", op_bind, .errors = { -EFAULT } },
	{ "fence", op_fence, .errors = { -EFAULT } },
	{ "fence-signal", op_fence_signal, .errors = { -EFAULT } },
	{ "fence-share", op_fence_share, .errors = { -EFAULT } },
	{ "fence-wait", op_fence_wait, .errors = { -EFAULT } },
	{ "fence-eventfd", op_fence_eventfd, .errors = { -EFAULT, -ENOSPC } },
	{ "hwq", op_queue, .errors = { -EFAULT, -ENOSPC } },
	{ "hwq-wait", op_queue_wait, .errors = { -EFAULT } },
	{ "submit", op_submit, .errors = { -EFAULT } },
	{ "park", op_park, .errors = { -EFAULT } },
};

/* ---- the sweep ---------------------------------------------------------- */

/* State that a failed call must not change. */
struct seen {
	struct drm_vsplit_ctx_query ctx;
	uint64_t usage;
	uint64_t reservation;
	uint32_t members;
	uint32_t count;
	uint32_t loose_count;
	int value_reached;
	int value_passed;
};

static void look(void *buf)
{
	struct drm_vsplit_residency r = { .handle = loose->handle };
	struct seen *seen = buf;

	vsplit_ctx_query(fd, ctx, &seen->ctx);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &r), 0);
	seen->loose_count = r.count;
	r = (struct drm_vsplit_residency) { .handle = required->handle };
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &r), 0);
	seen->count = r.count;
	seen->members = r.members;
	seen->usage = r.groups[VSPLIT_GROUP_LOCAL].usage;
	seen->reservation = r.groups[VSPLIT_GROUP_LOCAL].reservation;
	seen->value_reached = reached(value);
	seen->value_passed = reached(value + 1);
}

/* If the last of several calls failed, takes back the effects of the first ones. */
static void tidy(void)
{
	struct drm_vsplit_residency r = { .handle = loose->handle };
	struct drm_vsplit_reserve none = {};

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &r), 0);
	while (r.count--)
		igt_assert_eq(take(loose), 0);
	r = (struct drm_vsplit_residency) { .handle = required->handle };
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &r), 0);
	while (r.count-- > 1)
		igt_assert_eq(take(required), 0);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESERVE, &none), 0);
}

/* Checks that everything accepted was executed once, and nothing else was. */
static void check_sum(void)
{
	uint64_t word;

	if (adds->submission)
		vsplit_cs_wait(adds);
	memcpy(&word, required->map, 8);
	igt_assert_eq_u64(word, sum);
}

static void sweep(enum vsplit_inject kind, const char *row, const char *what)
{
	struct vsplit_counters none = {};
	struct sweep s = { .kind = kind, .look = look, .check = tidy };

	vsplit_inject_require(kind);
	for (unsigned int state = 0; state < ARRAY_SIZE(states); state++) {
		build();
		s.ad = ad;
		s.state = states[state].name;
		s.enter = states[state].enter;
		for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
			sweep_op(&s, &ops[i]);
			check_sum();
		}
		vsplit_cleanup_file(fd);
		vsplit_cleanup_file(other);
		vsplit_counters_become(ad, &none);
		vsplit_cleanup();
	}
	sweep_end(&s, 21, row, what);
}

/**
 * SUBTEST: sites
 * Description: Every call, with each of the driver's own fault sites failing.
 */
static void test_sites(void)
{
	sweep(VSPLIT_INJECT_SITE, "R1", "failures at the driver's sites, WDDM 2");
}

/**
 * SUBTEST: kernel
 * Description: Every call, with allocations of memory and pages and user copies failing, by the
 *   kernel's fail-nth.
 */
static void test_kernel(void)
{
	sweep(VSPLIT_INJECT_KERNEL, "R1", "failed allocations and user copies, WDDM 2");
}

/**
 * SUBTEST: waits
 * Description: Every call, with each interruptible wait interrupted.
 */
static void test_waits(void)
{
	sweep(VSPLIT_INJECT_WAIT, "R2", "interrupted waits, WDDM 2");
}

static const struct vsplit_subtest subtests[] = {
	{ "sites", test_sites,
	  "Every call of WDDM 2 is made while each of the driver's own fault sites fails" },
	{ "kernel", test_kernel,
	  "Every call of WDDM 2 is made while allocations of memory and pages and user copies "
	  "fail, by fail-nth" },
	{ "waits", test_waits,
	  "Every call of WDDM 2 is made while each interruptible wait is interrupted" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
