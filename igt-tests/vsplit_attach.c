// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit attach
 * Description: Imports from other adapters, and their ends, while the buffer's lock is held or its
 *   bytes are under way: what other clients wait for then; Documentation/sharing.rst.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: dma-buf
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_share.h"

#include <pthread.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Imports from other adapters, and their ends, while the buffer's lock is held "
		     "or its bytes are under way: what other clients wait for then; "
		     "Documentation/sharing.rst.");

struct caller {
	pthread_t thread;
	struct vsplit_cs *cs;
	uint32_t ctx;
	/* without @cs: imports a dma-buf, or pages in an allocation */
	int fd, dmabuf;
	uint32_t handle;
	int ret;
	bool done;
};

/* Runs in a thread: it must not assert or allocate. */
static void *call(void *arg)
{
	struct caller *c = arg;

	if (c->cs)
		c->ret = __vsplit_cs_submit(c->cs, c->ctx, 0);
	else if (c->dmabuf)
		c->ret = __vsplit_import(c->fd, c->dmabuf, &c->handle);
	else
		c->ret = __vsplit_escape(c->fd, VSPLIT_ESCAPE_PAGE_IN, c->handle, 2);
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start(struct caller *c)
{
	igt_assert_eq(pthread_create(&c->thread, NULL, call, c), 0);
}

static bool is_done(struct caller *c)
{
	return __atomic_load_n(&c->done, __ATOMIC_ACQUIRE);
}

/*
 * A buffer with a group for each of @n allocations of @units each, which may be only in the
 * aperture.
 */
static struct vsplit_cs *wants_aperture(int fd, unsigned int n, unsigned int units)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 0; i < n; i++) {
		vsplit_cs_bind(cs, 0, vsplit_bo_in(fd, 'a' + i, units * U, 0, in_second));
		vsplit_cs_set(cs, 0, 0, units * U, i);
	}
	return cs;
}

/**
 * SUBTEST: attach-waits-without-the-lock
 * Description: An adapter attaches to a buffer whose bytes arrive only when the exporter's work
 *   goes on, and waits for that. Meanwhile a third adapter frees an import of the buffer, and
 *   another client's submission there that needs all of the aperture is accepted, whole or split.
 */
static void test_attach_waits(void)
{
	for (unsigned int split = 0; split < 2; split++) {
		struct caller attach = {}, submit = {};
		struct vsplit_bo *a, *import;
		struct vsplit_cs *work;
		struct side three;
		bool accepted;

		setup_sides();
		side_new(&three);
		a = vsplit_bo(one.fd, 'A', 16 * U);
		attach.fd = three.fd;
		attach.dmabuf = vsplit_bo_export(a);
		import = vsplit_bo_import(two.fd, 'I', attach.dmabuf);
		gpu_set(&two, import, 1);
		submit.cs = wants_aperture(vsplit_adapter_open(two.ad), 2 + split, 16);
		submit.ctx = vsplit_ctx(submit.cs->fd, 0);

		vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		work = build_set(&one, a, 2);
		vsplit_cs_submit(work, one.ctx, 0);
		start(&attach);
		usleep(100000);
		igt_assert(!is_done(&attach));
		vsplit_bo_free(import);
		start(&submit);
		accepted = vsplit_soon(is_done(&submit));
		vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		pthread_join(submit.thread, NULL);
		pthread_join(attach.thread, NULL);
		igt_assert_f(accepted, "a submission waits for what another adapter attaches to\n");
		igt_assert_eq(submit.ret, 0);
		igt_assert_eq(attach.ret, 0);
		vsplit_cs_ends_well(submit.cs);
		igt_assert_eq(submit.cs->portions, 1 + split);
		close(attach.dmabuf);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: attach-waits-without-names
 * Description: While an adapter waits for the bytes of a buffer that it imports, its other clients
 *   can create and close handles, import, and close their files.
 */
static void test_attach_names(void)
{
	struct caller attach = {}, other = {};
	struct vsplit_bo *a, *b;
	struct vsplit_cs *work;
	bool answered;

	setup_sides();
	a = vsplit_bo(one.fd, 'A', 16 * U);
	b = vsplit_bo(one.fd, 'B', 16 * U);
	gpu_set(&one, a, 1);
	attach.fd = two.fd;
	attach.dmabuf = vsplit_bo_export(a);
	other.fd = vsplit_adapter_open(two.ad);
	other.dmabuf = vsplit_bo_export(b);

	vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	work = build_set(&one, a, 2);
	vsplit_cs_submit(work, one.ctx, 0);
	start(&attach);
	/* The allocation has left the segment: the import waits for that. */
	igt_assert(vsplit_soon(!segment_of(a)));
	start(&other);
	answered = vsplit_soon(is_done(&other)) && !is_done(&attach);
	vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	pthread_join(other.thread, NULL);
	pthread_join(attach.thread, NULL);
	igt_assert_f(answered, "handles wait for what another client imports\n");
	igt_assert_eq(other.ret, 0);
	igt_assert_eq(attach.ret, 0);
	close(attach.dmabuf);
	close(other.dmabuf);
	vsplit_cleanup();
}

/**
 * SUBTEST: attach-waits-once
 * Description: An adapter has attached to a buffer, and has waited for its bytes. Before it maps the
 *   buffer, the exporter's client has it mapped into an aperture segment, behind work that stands
 *   still. The import waits for none of that, as it would with the buffer's lock held.
 */
static void test_attach_once(void)
{
	struct caller c = {};
	struct vsplit_bo *a;
	bool over;

	vsplit_require_sync_points();
	setup_sides();
	a = vsplit_bo(one.fd, 'A', 16 * U);
	gpu_set(&one, a, 1);
	c.fd = two.fd;
	c.dmabuf = vsplit_bo_export(a);
	vsplit_catch("mm.attached");
	start(&c);
	igt_assert(vsplit_wait_held("mm.attached"));
	vsplit_escape(one.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_escape(one.fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 2);
	vsplit_release("mm.attached");
	over = vsplit_soon(is_done(&c));
	vsplit_escape(one.fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	pthread_join(c.thread, NULL);
	igt_assert_f(over, "an import waits with the buffer's lock held\n");
	igt_assert_eq(c.ret, 0);
	same_bytes(vsplit_bo_import(two.fd, 'I', c.dmabuf), a);
	close(c.dmabuf);
	vsplit_cleanup();
}

/**
 * SUBTEST: another-dma-buf-meanwhile
 * Description: While a dma-buf is being imported, another dma-buf replaces it at the same file
 *   descriptor. The import is one of the two.
 */
static void test_another_meanwhile(void)
{
	struct caller c = {};
	struct vsplit_bo *a, *b, *import;
	int other;

	vsplit_require_sync_points();
	setup_sides();
	a = vsplit_bo(one.fd, 'A', 2 * U);
	b = vsplit_bo(one.fd, 'B', 4 * U);
	c.fd = two.fd;
	c.dmabuf = vsplit_bo_export(a);
	other = vsplit_bo_export(b);

	vsplit_catch("mm.importing");
	start(&c);
	igt_assert(vsplit_wait_held("mm.importing"));
	igt_assert_eq(dup2(other, c.dmabuf), c.dmabuf);
	vsplit_release("mm.importing");
	pthread_join(c.thread, NULL);
	igt_assert_eq(c.ret, 0);
	import = vsplit_bo_import(two.fd, 'I', other);
	igt_assert_eq_u32(import->handle, c.handle);
	igt_assert_eq_u64(import->size, b->size);
	gpu_set(&two, import, 3);
	same_bytes(import, b);
	close(c.dmabuf);
	close(other);
	vsplit_cleanup();
}

/**
 * SUBTEST: waited-for-under-a-lock
 * Description: A client closes an import that two programs use. Another client's submission waits
 *   for the room. The time for which the first program may go on is limited even while the exporter
 *   holds the buffer's lock all the time.
 */
static void test_waited_locked(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 32 * U }, { "aper", true, .size = 32 * U } },
		.slots = 16,
		.engines = 2,
		.timeout_ms = 200,
		.test = true,
	};
	struct vsplit_cs *work[2], *waits;
	struct vsplit_bo *a, *import;
	struct caller mover = {};
	bool ended;

	vsplit_require_sync_points();
	side_new(&one);
	two.ad = vsplit_adapter_create(&opts);
	two.fd = vsplit_adapter_open(two.ad);
	a = vsplit_bo(one.fd, 'A', 16 * U);
	import = vsplit_bo_share(two.fd, 'I', a);
	for (unsigned int i = 0; i < 2; i++) {
		work[i] = build_set(&two, import, i);
		/* The first program makes progress, and does not end. */
		for (unsigned int n = 0; !i && n < 60000; n++)
			vsplit_cs_spin(work[i], 10000);
		vsplit_cs_submit(work[i], vsplit_ctx(two.fd, 0), 0);
	}
	vsplit_bo_free(import);
	waits = wants_aperture(vsplit_adapter_open(two.ad), 1, 32);
	vsplit_cs_submit(waits, vsplit_ctx_on(waits->fd, 0, 1), 0);

	mover.fd = one.fd;
	mover.handle = a->handle;
	vsplit_catch("mm.move");
	start(&mover);
	igt_assert(vsplit_wait_held("mm.move"));
	ended = vsplit_soon(!vsplit_syncobj_busy(waits->fd, waits->out)) && vsplit_held("mm.move");
	vsplit_release("mm.move");
	pthread_join(mover.thread, NULL);
	igt_assert_f(ended, "what is waited for is known only while the lock is free\n");
	vsplit_cs_ends_well(waits);
	igt_assert_eq(__vsplit_cs_wait(work[0]), -ETIME);
}

/**
 * SUBTEST: released-under-a-lock
 * Description: An import is freed while the exporter holds the buffer's lock, and does not release
 *   it. After a while, a submission that needs the room is refused or split, as if the import were
 *   pinned. Places are given out meanwhile. All places are free after the lock is released.
 */
static void test_released_locked(void)
{
	static const struct {
		unsigned int n, units, portions, later;
	} t[] = {
		/* Fits, except for the import. */
		{ 2, 10, 2, 1 },
		/* Is split anyway. */
		{ 3, 12, 3, 2 },
		/* Fits only with the room of the import. */
		{ 1, 20, 0, 1 },
	};

	vsplit_require_sync_points();
	for (unsigned int i = 0; i < ARRAY_SIZE(t); i++) {
		struct caller mover = {}, submit = {};
		struct vsplit_bo *a, *import;
		bool answered;

		setup_sides();
		a = vsplit_bo(one.fd, 'A', 16 * U);
		import = vsplit_bo_share(two.fd, 'I', a);
		gpu_set(&two, import, 1);
		submit.cs = wants_aperture(vsplit_adapter_open(two.ad), t[i].n, t[i].units);
		submit.ctx = vsplit_ctx(submit.cs->fd, 0);

		mover.fd = one.fd;
		mover.handle = a->handle;
		vsplit_catch("mm.move");
		start(&mover);
		igt_assert(vsplit_wait_held("mm.move"));
		vsplit_bo_free(import);
		start(&submit);
		answered = vsplit_soon(is_done(&submit)) && !is_done(&mover);
		vsplit_release("mm.move");
		pthread_join(submit.thread, NULL);
		pthread_join(mover.thread, NULL);
		igt_assert_f(answered, "a submission waits for the lock of another adapter\n");
		igt_assert_eq(mover.ret, 0);
		igt_assert_eq(submit.ret, t[i].portions ? 0 : -ENOSPC);
		if (t[i].portions) {
			vsplit_cs_ends_well(submit.cs);
			igt_assert_eq(submit.cs->portions, t[i].portions);
		}
		igt_assert(becomes_unshared(a));
		vsplit_cs_run(submit.cs, submit.ctx, 0);
		igt_assert_eq(submit.cs->portions, t[i].later);
		vsplit_cleanup();
	}
}

static const struct vsplit_subtest tests[] = {
	{ "attach-waits-without-the-lock", test_attach_waits,
	  "While an adapter attaches to a buffer, and waits for its bytes, submissions of other "
	  "clients are accepted" },
	{ "attach-waits-without-names", test_attach_names,
	  "While an adapter waits for the bytes of a buffer that it imports, its other clients can "
	  "create and close handles, import, and close their files" },
	{ "attach-waits-once", test_attach_once,
	  "An adapter has attached to a buffer, and has waited for its bytes. Before it maps "
	  "the buffer, the exporter's client has it mapped into an aperture segment, behind "
	  "work that stands still. The import waits for none of that, as it would with the "
	  "buffer's lock held." },
	{ "another-dma-buf-meanwhile", test_another_meanwhile,
	  "While a dma-buf is being imported, another dma-buf replaces it at the same file "
	  "descriptor. The import is one of the two." },
	{ "waited-for-under-a-lock", test_waited_locked,
	  "A client closes an import that two programs use. Another client's submission waits "
	  "for the room. The time for which the first program may go on is limited even while "
	  "the exporter holds the buffer's lock all the time." },
	{ "released-under-a-lock", test_released_locked,
	  "While the exporter locks the buffer of an import that is freed, a submission that needs "
	  "the room is refused" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
