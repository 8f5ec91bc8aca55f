// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: unit tests
 *
 * What needs a kernel but no client: where a fragmented segment places, what
 * waits for whom behind a range that was given back, how many records a context
 * keeps, and how long fences, jobs and the module live. Pure parts have tests in
 * userspace, ioctls have theirs in igt-tests/.
 *
 * KUnit runs them when a test build is loaded on a kernel that has it; results
 * are in debugfs, ``kunit/vsplit/results``. Each test has an adapter of its own on
 * a fake device.
 */
#include <kunit/device.h>
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/dma-resv.h>
#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/drm_exec.h>

#include "vsplit_kunit.h"
#include "exec/vsplit_exec_types.h"
#include "exec/vsplit_plan.h"
#include "mm/vsplit_mm_internal.h"
#include "vsplit_drv.h"
#include "vsplit_user.h"
#include "vsplit_compat.h"

#define VSPLIT_KUNIT_BOS	16u

static const char *vsplit_kunit_name(struct dma_fence *fence)
{
	return "vsplit-kunit";
}

static const struct dma_fence_ops vsplit_kunit_fence_ops = {
	.get_driver_name = vsplit_kunit_name,
	.get_timeline_name = vsplit_kunit_name,
};

static DEFINE_SPINLOCK(vsplit_kunit_lock);

struct dma_fence *vsplit_kunit_gpu_fence(struct kunit *test)
{
	struct dma_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fence);
	dma_fence_init(fence, &vsplit_kunit_fence_ops, &vsplit_kunit_lock,
		       dma_fence_context_alloc(1), 1);
	return fence;
}

int vsplit_kunit_init(struct kunit *test)
{
	struct vsplit_adapter_config *config;
	struct vsplit_account *account;
	struct vsplit_kunit *k;

	k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	config = kunit_kzalloc(test, sizeof(*config), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, k);
	KUNIT_ASSERT_NOT_NULL(test, config);
	strscpy(config->name, "kunit");
	strscpy(config->segments[0].name, "vram");
	config->segments[0].size = VSPLIT_KUNIT_PAGES * PAGE_SIZE;
	config->segments[0].commit_limit = config->segments[0].size;
	config->segments[0].cpu_visible = config->segments[0].size;
	config->nr_segments = 1;
	config->slots = 16;
	config->engines = 1;
	config->timeout_ms = 10000;

	k->dev = kunit_device_register(test, "vsplit-kunit");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, k->dev);
	k->vdev = vsplit_device_create(k->dev, config, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, k->vdev);
	account = vsplit_account_create(1, false);
	KUNIT_ASSERT_NOT_NULL(test, account);
	k->queue = vsplit_queue_create(k->vdev, 0, DRM_SCHED_PRIORITY_NORMAL, 0, account);
	vsplit_account_put(account);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, k->queue);
	test->priv = k;
	return 0;
}

/* The adapter goes, with its last reference if the test left none. */
static void vsplit_kunit_remove(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;

	if (!k->vdev)
		return;
	vsplit_device_unplug(k->vdev);
	k->vdev = NULL;
	kunit_device_unregister(test, k->dev);
}

void vsplit_kunit_exit(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;

	if (!k)
		return;
	if (k->queue)
		vsplit_queue_put(k->queue);
	vsplit_kunit_remove(test);
}

/* ---- helpers ---- */

static struct vsplit_fence *vsplit_kunit_fence(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;
	struct vsplit_fence *fence = vsplit_fence_alloc();

	KUNIT_ASSERT_NOT_NULL(test, fence);
	mutex_lock(&k->queue->submit_lock);
	vsplit_fence_init(fence, k->queue->timeline, k->queue->fence_context, ++k->queue->seqno);
	mutex_unlock(&k->queue->submit_lock);
	return fence;
}

static struct vsplit_bo *vsplit_kunit_bo(struct kunit *test, u32 pages)
{
	struct drm_vsplit_gem_create args = { .size = pages * PAGE_SIZE };
	struct vsplit_kunit *k = test->priv;
	struct vsplit_bo *vbo;

	vbo = vsplit_bo_create(k->vdev, k->queue->account, &args);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vbo);
	return vbo;
}

static void vsplit_kunit_put(struct vsplit_bo *vbo)
{
	drm_gem_object_put(&vbo->tbo.base);
}

/* A resource of the segment for an allocation that stays where it is. */
static int vsplit_kunit_place(struct vsplit_kunit *k, struct vsplit_bo *vbo, u32 fpfn, u32 lpfn,
			      u32 flags, struct ttm_resource **res)
{
	const struct ttm_place place = {
		.fpfn = fpfn,
		.lpfn = lpfn,
		.mem_type = TTM_PL_VRAM,
		.flags = flags,
	};
	struct ttm_resource_manager *man = &k->vdev->mm.segments[0].man;
	int ret;

	dma_resv_lock(vbo->tbo.base.resv, NULL);
	ret = man->func->alloc(man, &vbo->tbo, &place, res);
	dma_resv_unlock(vbo->tbo.base.resv);
	return ret;
}

static void vsplit_kunit_unplace(struct vsplit_bo *vbo, struct ttm_resource **res,
				 struct dma_fence *busy)
{
	dma_resv_lock(vbo->tbo.base.resv, NULL);
	if (busy)
		vsplit_resource_set_busy(*res, busy);
	ttm_resource_free(&vbo->tbo, res);
	dma_resv_unlock(vbo->tbo.base.resv);
}

/* References to the module; 0 where it is a part of the kernel. */
static int vsplit_kunit_users(void)
{
#ifdef MODULE
	return module_refcount(THIS_MODULE);
#else
	return 0;
#endif
}

/* ---- segments ---- */

/* Free pages in pieces are not free pages in one piece; the lowest hole that fits is taken. */
static void vsplit_kunit_fragments(struct kunit *test)
{
	const u32 each = VSPLIT_KUNIT_PAGES / VSPLIT_KUNIT_BOS;
	struct ttm_resource *res[VSPLIT_KUNIT_BOS] = {}, *more = NULL;
	struct vsplit_bo *vbo[VSPLIT_KUNIT_BOS], *small, *big;
	struct vsplit_kunit *k = test->priv;
	struct vsplit_segment *segment = &k->vdev->mm.segments[0];
	u32 i;

	small = vsplit_kunit_bo(test, each);
	big = vsplit_kunit_bo(test, each + 1);
	for (i = 0; i < VSPLIT_KUNIT_BOS; i++) {
		vbo[i] = vsplit_kunit_bo(test, each);
		KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, vbo[i], 0, 0, 0, &res[i]), 0);
		KUNIT_EXPECT_EQ(test, res[i]->start, i * each);
	}
	KUNIT_EXPECT_EQ(test, READ_ONCE(segment->committed), segment->size);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, small, 0, 0, 0, &more), -ENOSPC);

	for (i = 1; i < VSPLIT_KUNIT_BOS; i += 2)
		vsplit_kunit_unplace(vbo[i], &res[i], NULL);
	KUNIT_EXPECT_EQ(test, READ_ONCE(segment->committed), segment->size / 2);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, big, 0, 0, 0, &more), -ENOSPC);
	KUNIT_EXPECT_EQ(test, READ_ONCE(segment->committed), segment->size / 2);

	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, small, 0, 0, 0, &more), 0);
	KUNIT_EXPECT_EQ(test, more->start, each);
	vsplit_kunit_unplace(small, &more, NULL);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, small, 0, 0, TTM_PL_FLAG_TOPDOWN, &more), 0);
	KUNIT_EXPECT_EQ(test, more->start, VSPLIT_KUNIT_PAGES - each);
	vsplit_kunit_unplace(small, &more, NULL);
	/* not the lowest one of all */
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, small, 2 * each, 8 * each, 0, &more), 0);
	KUNIT_EXPECT_EQ(test, more->start, 3 * each);
	vsplit_kunit_unplace(small, &more, NULL);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, small, 2 * each, 3 * each, 0, &more), -ENOSPC);

	for (i = 0; i < VSPLIT_KUNIT_BOS; i++) {
		if (res[i])
			vsplit_kunit_unplace(vbo[i], &res[i], NULL);
		vsplit_kunit_put(vbo[i]);
	}
	KUNIT_EXPECT_EQ(test, READ_ONCE(segment->committed), 0);
	KUNIT_EXPECT_TRUE(test, drm_mm_clean(&segment->ranges));
	/* in one piece again */
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, big, 0, 0, 0, &more), 0);
	KUNIT_EXPECT_EQ(test, more->start, 0);
	vsplit_kunit_unplace(big, &more, NULL);
	vsplit_kunit_put(small);
	vsplit_kunit_put(big);
}

/* Eviction asks both: does it stand there, may it stay there? */
static void vsplit_kunit_compatible(struct kunit *test)
{
	static const struct {
		u32 fpfn, lpfn;
		bool intersects, compatible;
	} cases[] = {
		{ 0, 0, true, true }, { 8, 12, true, true }, { 8, 16, true, true },
		{ 9, 0, true, false }, { 0, 11, true, false }, { 11, 12, true, false },
		{ 12, 0, false, false }, { 0, 8, false, false }, { 0, 12, true, true },
	};
	struct vsplit_kunit *k = test->priv;
	struct ttm_resource_manager *man = &k->vdev->mm.segments[0].man;
	struct ttm_resource *res = NULL;
	struct vsplit_bo *vbo;
	u32 i;

	/* pages 8 to 11 */
	vbo = vsplit_kunit_bo(test, 4);
	KUNIT_ASSERT_EQ(test, vsplit_kunit_place(k, vbo, 8, 0, 0, &res), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ttm_place place = { .fpfn = cases[i].fpfn, .lpfn = cases[i].lpfn };

		KUNIT_EXPECT_EQ_MSG(test, man->func->intersects(man, res, &place, res->size),
				    cases[i].intersects, "%u to %u", cases[i].fpfn, cases[i].lpfn);
		KUNIT_EXPECT_EQ_MSG(test, man->func->compatible(man, res, &place, res->size),
				    cases[i].compatible, "%u to %u", cases[i].fpfn, cases[i].lpfn);
	}
	vsplit_kunit_unplace(vbo, &res, NULL);
	vsplit_kunit_put(vbo);
}

/* What gets a range that is still in use waits for its fence, and nothing else does. */
static void vsplit_kunit_pending(struct kunit *test)
{
	struct vsplit_fence *fence = vsplit_kunit_fence(test);
	struct vsplit_kunit *k = test->priv;
	struct vsplit_segment *segment = &k->vdev->mm.segments[0];
	struct vsplit_bo *left, *same, *beside;
	struct ttm_resource *res[3] = {};

	left = vsplit_kunit_bo(test, 8);
	same = vsplit_kunit_bo(test, 4);
	beside = vsplit_kunit_bo(test, 4);
	KUNIT_ASSERT_EQ(test, vsplit_kunit_place(k, left, 0, 0, 0, &res[0]), 0);
	vsplit_kunit_unplace(left, &res[0], &fence->base);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, same, 4, 8, 0, &res[1]), 0);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_place(k, beside, 8, 12, 0, &res[2]), 0);
	KUNIT_EXPECT_FALSE(test, dma_resv_test_signaled(same->tbo.base.resv,
							DMA_RESV_USAGE_KERNEL));
	KUNIT_EXPECT_TRUE(test, dma_resv_test_signaled(beside->tbo.base.resv,
						       DMA_RESV_USAGE_KERNEL));

	dma_fence_signal(&fence->base);
	flush_work(&segment->prune);
	KUNIT_EXPECT_TRUE(test, dma_resv_test_signaled(same->tbo.base.resv,
						       DMA_RESV_USAGE_KERNEL));
	mutex_lock(&segment->lock);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&segment->pending.rb_root));
	mutex_unlock(&segment->lock);
	vsplit_kunit_unplace(same, &res[1], NULL);
	vsplit_kunit_unplace(beside, &res[2], NULL);
	vsplit_kunit_put(left);
	vsplit_kunit_put(same);
	vsplit_kunit_put(beside);
	vsplit_fence_drop(fence);
}

/* What takes many holes waits for what used all of them, and not by a fence for each. */
static void vsplit_kunit_runs_inherit(struct kunit *test)
{
	struct ttm_resource *left[20], *stays[20], *res = NULL;
	struct vsplit_bo *pages[20], *beside[20], *vbo;
	struct vsplit_kunit *k = test->priv;
	struct dma_fence *fences[20], **found;
	unsigned int nr;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = vsplit_kunit_bo(test, 1);
		beside[i] = vsplit_kunit_bo(test, 1);
		fences[i] = vsplit_kunit_gpu_fence(test);
		KUNIT_ASSERT_EQ(test, vsplit_kunit_place(k, pages[i], 0, 0, 0, &left[i]), 0);
		KUNIT_ASSERT_EQ(test, vsplit_kunit_place(k, beside[i], 0, 0, 0, &stays[i]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		vsplit_kunit_unplace(pages[i], &left[i], fences[i]);
	vbo = vsplit_kunit_bo(test, ARRAY_SIZE(pages));
	vbo->flags |= VSPLIT_GEM_RUNS;
	KUNIT_ASSERT_EQ(test, vsplit_kunit_place(k, vbo, 0, 0, 0, &res), 0);
	KUNIT_EXPECT_EQ(test, dma_resv_get_fences(vbo->tbo.base.resv, DMA_RESV_USAGE_KERNEL, &nr,
						  &found), 0);
	KUNIT_EXPECT_LE(test, nr, 16);
	while (nr)
		dma_fence_put(found[--nr]);
	kfree(found);
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		KUNIT_EXPECT_FALSE(test, dma_resv_test_signaled(vbo->tbo.base.resv,
								DMA_RESV_USAGE_KERNEL));
		dma_fence_signal(fences[i]);
	}
	KUNIT_EXPECT_GT(test, dma_resv_wait_timeout(vbo->tbo.base.resv, DMA_RESV_USAGE_KERNEL,
						    false, 10 * HZ), 0);
	vsplit_kunit_unplace(vbo, &res, NULL);
	vsplit_kunit_put(vbo);
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		vsplit_kunit_unplace(beside[i], &stays[i], NULL);
		vsplit_kunit_put(beside[i]);
		vsplit_kunit_put(pages[i]);
		dma_fence_put(fences[i]);
	}
}

/* ---- records ---- */

/* A context keeps so many; a reference to an older one stays good. */
static void vsplit_kunit_ring(struct kunit *test)
{
	const u32 extra = 5;
	struct vsplit_kunit *k = test->priv;
	struct vsplit_stats *stats = &k->vdev->stats;
	struct vsplit_record *record, *oldest, *held = NULL;
	LIST_HEAD(old);
	u32 i;

	for (i = 1; i <= VSPLIT_RECORDS_KEPT + extra; i++) {
		record = vsplit_record_create(k->vdev);
		KUNIT_ASSERT_NOT_NULL(test, record);
		record->submission = i;
		vsplit_record_publish(k->queue, record, &old);
		vsplit_record_put(record);
		oldest = list_first_entry_or_null(&old, struct vsplit_record, link);
		KUNIT_EXPECT_EQ(test, !!oldest, i > VSPLIT_RECORDS_KEPT);
		if (!oldest)
			continue;
		KUNIT_EXPECT_EQ(test, oldest->submission, i - VSPLIT_RECORDS_KEPT);
		KUNIT_EXPECT_TRUE(test, list_is_singular(&old));
		if (oldest->submission == 1)
			held = vsplit_record_get(oldest);
		vsplit_record_put_list(&old);
		KUNIT_EXPECT_TRUE(test, list_empty(&old));
	}
	KUNIT_EXPECT_EQ(test, k->queue->nr_records, VSPLIT_RECORDS_KEPT);
	KUNIT_EXPECT_EQ(test, atomic_read(&stats->nr_records), VSPLIT_RECORDS_KEPT + 1);
	vsplit_records_drop(k->queue);
	KUNIT_EXPECT_EQ(test, atomic_read(&stats->nr_records), 1);
	KUNIT_ASSERT_NOT_NULL(test, held);
	KUNIT_EXPECT_EQ(test, held->submission, 1);
	vsplit_record_put(held);
	KUNIT_EXPECT_EQ(test, atomic_read(&stats->nr_records), 0);
}

/*
 * Evictions: those of the list one by one, in any number and in order; those that the client
 * has no handle of in sum.
 */
static void vsplit_kunit_foreign(struct kunit *test)
{
	const u32 nr = 100, own = 60;
	struct vsplit_kunit *k = test->priv;
	struct drm_vsplit_event event = { .type = VSPLIT_EVENT_EVICT, .segment = 1, .copied = 3 };
	struct vsplit_record *record = vsplit_record_create(k->vdev);
	struct vsplit_job *job = vsplit_job_create(k->queue, 0);
	struct vsplit_bo *vbo = vsplit_kunit_bo(test, 1);
	struct vsplit_record_chunk *chunk;
	struct drm_vsplit_event *e;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_FALSE(test, IS_ERR(job));
	KUNIT_ASSERT_EQ(test, vsplit_account_charge(k->queue->account, job, 1), 0);
	record->job = job;
	event.id = vbo->id;
	event.bytes = vbo->tbo.base.size;
	for (i = 0; i < nr; i++) {
		record->claimed = i < own ? 0 : 7;
		KUNIT_ASSERT_EQ(test, vsplit_record_reserve_foreign(record), 0);
		event.at = i * PAGE_SIZE;
		e = vsplit_record_add_foreign(record, vbo, &event);
		KUNIT_EXPECT_EQ(test, e->handle, i < own ? 0 : 7);
		KUNIT_EXPECT_EQ(test, e->id, i < own ? 0 : event.id);
		KUNIT_EXPECT_EQ(test, e->at, i < own ? 0 : i * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, !!(e->flags & VSPLIT_EVENT_FOREIGN), i < own);
	}
	KUNIT_EXPECT_EQ(test, record->nr_foreign, nr - own + 1);
	chunk = list_first_entry(&record->foreign, struct vsplit_record_chunk, link);
	KUNIT_EXPECT_EQ(test, chunk->events[0].bytes, own * event.bytes);
	KUNIT_EXPECT_EQ(test, chunk->events[0].copied, own * event.copied);
	KUNIT_EXPECT_GT(test, job->charged, nr - own);
	vsplit_record_put(record);
	vsplit_job_free(job);
	vsplit_kunit_put(vbo);
}

/* ---- accounts ---- */

struct vsplit_kunit_enter {
	struct work_struct work;
	struct vsplit_account *account;
	struct vsplit_job *job;
	int ret;
};

static void vsplit_kunit_enter(struct work_struct *work)
{
	struct vsplit_kunit_enter *enter = container_of(work, struct vsplit_kunit_enter, work);

	enter->ret = vsplit_account_enter(enter->account, enter->job, 2 * PAGE_SIZE);
}

static bool vsplit_kunit_waits(struct vsplit_account *account)
{
	guard(spinlock)(&account->lock);
	return account->waiting;
}

/*
 * A submission waits because its file is paced, and is refused then: a file that has nothing
 * unfinished is not paced any more.
 */
static void vsplit_kunit_refused(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;
	struct vsplit_account *account = k->queue->account;
	struct vsplit_kunit_enter enter = { .account = account };
	struct vsplit_job *job = vsplit_job_create(k->queue, 0);
	u64 step, held = 0;
	u32 i;

	enter.job = vsplit_job_create(k->queue, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, job);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, enter.job);
	KUNIT_ASSERT_EQ(test, vsplit_account_enter(account, job, PAGE_SIZE), 0);
	vsplit_account_pace(account);
	INIT_WORK_ONSTACK(&enter.work, vsplit_kunit_enter);
	queue_work(system_unbound_wq, &enter.work);
	for (i = 0; i < 1000 && !vsplit_kunit_waits(account); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_TRUE(test, vsplit_kunit_waits(account));
	/* The user's other files take all that is left: one page will be free, not two. */
	for (step = BIT_ULL(40); step; step /= 2)
		while (!vsplit_user_charge_work(account->user, step, true))
			held += step;
	vsplit_account_done(job);
	flush_work(&enter.work);
	destroy_work_on_stack(&enter.work);
	vsplit_user_charge_work(account->user, -held, true);
	KUNIT_EXPECT_EQ(test, enter.ret, -ENOBUFS);
	KUNIT_EXPECT_EQ(test, account->jobs, 0);
	KUNIT_EXPECT_FALSE(test, account->paced);
	vsplit_job_free(enter.job);
	vsplit_job_free(job);
}

/* The operations that a plan gets for allocations in runs are charged as those of the walk. */
static void vsplit_kunit_runs_charged(struct kunit *test)
{
	const u32 nr = 100;
	struct vsplit_kunit *k = test->priv;
	struct vsplit_exec_file *efile = kunit_kzalloc(test, sizeof(*efile), GFP_KERNEL);
	struct vsplit_submit *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct vsplit_plan *plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, efile);
	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_NOT_NULL(test, plan);
	efile->account = k->queue->account;
	s->vdev = k->vdev;
	s->efile = efile;
	s->job = vsplit_job_create(k->queue, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s->job);
	KUNIT_ASSERT_EQ(test, vsplit_account_charge(efile->account, s->job, 1), 0);
	s->plan = plan;
	plan->s = s;
	plan->in.nr_allocs = nr;
	plan->allocs = kvcalloc(nr, sizeof(*plan->allocs), GFP_KERNEL);
	plan->out.final = kvcalloc(nr, sizeof(*plan->out.final), GFP_KERNEL);
	plan->runs = kvcalloc(nr, sizeof(*plan->runs), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, plan->allocs && plan->out.final && plan->runs);
	for (i = 0; i < nr; i++) {
		plan->runs[i].alloc = i;
		plan->runs[i].to = vsplit_gpu_runs_create(1);
		KUNIT_ASSERT_NOT_NULL(test, plan->runs[i].to);
		plan->nr_runs++;
	}
	KUNIT_EXPECT_EQ(test, vsplit_plan_add_runs(plan), 0);
	KUNIT_EXPECT_EQ(test, plan->out.nr_ops, nr);
	KUNIT_EXPECT_EQ(test, plan->out.ops[nr - 1].alloc, nr - 1);
	KUNIT_EXPECT_GE(test, s->job->charged, nr * sizeof(*plan->out.ops));
	vsplit_plan_drop(s);
	vsplit_job_free(s->job);
}

/* ---- life ---- */

/* A job that was never armed leaves nothing, whatever it had. */
static void vsplit_kunit_jobs(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;
	struct vsplit_stats *stats = &k->vdev->stats;
	struct vsplit_job *job;
	u32 i;

	for (i = 0; i < 8; i++) {
		job = vsplit_job_create(k->queue, 0);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, job);
		if (i & 1)
			KUNIT_EXPECT_EQ(test, vsplit_job_set_steps(job, 3 + i), 0);
		if (i & 2)
			KUNIT_EXPECT_EQ(test, vsplit_job_add_paged(job), 0);
		if (i & 4) {
			job->record = vsplit_record_create(k->vdev);
			KUNIT_EXPECT_NOT_NULL(test, job->record);
		}
		KUNIT_EXPECT_GE(test, atomic_read(&stats->nr_jobs), 1);
		vsplit_job_free(job);
	}
	for (i = 0; i < 1000 && atomic_read(&stats->nr_jobs); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, atomic_read(&stats->nr_jobs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&stats->nr_records), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&k->vdev->exec->jobs));
}

/* Of the fences of a context the last one counts, also where its seqno is 0 again. */
static void vsplit_kunit_wrapped(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;
	struct dma_fence *fences[3], *fence;
	struct vsplit_job *job;
	u32 order, i;

	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		fences[i] = vsplit_kunit_gpu_fence(test);
		fences[i]->context = fences[0]->context;
		fences[i]->seqno = (u32)(U32_MAX + i);
	}
	for (order = 0; order < ARRAY_SIZE(fences); order++) {
		job = vsplit_job_create(k->queue, 0);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, job);
		for (i = 0; i < ARRAY_SIZE(fences); i++) {
			fence = fences[(order + i) % ARRAY_SIZE(fences)];
			KUNIT_EXPECT_EQ(test, vsplit_job_depend(job, dma_fence_get(fence)), 0);
		}
		vsplit_job_prune_dependencies(job);
		KUNIT_ASSERT_EQ(test, job->nr_dependencies, 1);
		KUNIT_EXPECT_PTR_EQ(test, job->dependencies[0].fence, fences[2]);
		vsplit_job_free(job);
	}
	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		dma_fence_signal(fences[i]);
		KUNIT_EXPECT_EQ(test, kref_read(&fences[i]->refcount), 1);
		dma_fence_put(fences[i]);
	}
}

/* A fence outlives its context and its adapter, and holds the module until it is freed. */
static void vsplit_kunit_fence_lives(struct kunit *test)
{
	struct vsplit_fence *fence = vsplit_kunit_fence(test);
	struct vsplit_kunit *k = test->priv;
	int before = vsplit_kunit_users();
	struct dma_fence *base = &fence->base;
	char name[sizeof(fence->timeline)];

	strscpy(name, fence->timeline);
	vsplit_queue_put(k->queue);
	k->queue = NULL;
	vsplit_kunit_remove(test);

	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(base));
	KUNIT_EXPECT_STREQ(test, base->ops->get_driver_name(base), "vsplit");
	KUNIT_EXPECT_STREQ(test, base->ops->get_timeline_name(base), name);
	dma_fence_set_error(base, -ENODEV);
	/* The second one does nothing. */
	dma_fence_signal(base);
	dma_fence_signal(base);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(base), -ENODEV);
	dma_fence_put(base);
	rcu_barrier();
	if (before)
		KUNIT_EXPECT_LT(test, vsplit_kunit_users(), before);
}

/* One that was never initialised holds nothing. */
static void vsplit_kunit_fence_dropped(struct kunit *test)
{
	int before = vsplit_kunit_users();
	struct vsplit_fence *fence = vsplit_fence_alloc();

	KUNIT_ASSERT_NOT_NULL(test, fence);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_users(), before);
	vsplit_fence_drop(fence);
	vsplit_fence_drop(NULL);
	KUNIT_EXPECT_EQ(test, vsplit_kunit_users(), before);
}

/* Objects are counted, and held ones keep the adapter after it was unplugged. */
static void vsplit_kunit_counters(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;
	struct vsplit_device *vdev = k->vdev;
	struct vsplit_bo *vbo = vsplit_kunit_bo(test, 1);
	struct vsplit_record *record = vsplit_record_create(vdev);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, atomic_read(&vdev->stats.nr_bos), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&vdev->stats.nr_records), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&vdev->stats.nr_files), 0);
	vsplit_queue_put(k->queue);
	k->queue = NULL;
	drm_dev_get(&vdev->drm);
	vsplit_kunit_remove(test);

	KUNIT_EXPECT_TRUE(test, drm_dev_is_unplugged(&vdev->drm));
	KUNIT_EXPECT_EQ(test, atomic_read(&vdev->stats.nr_bos), 1);
	vsplit_kunit_put(vbo);
	KUNIT_EXPECT_EQ(test, atomic_read(&vdev->stats.nr_bos), 0);
	vsplit_record_put(record);
	KUNIT_EXPECT_EQ(test, atomic_read(&vdev->stats.nr_records), 0);
	drm_dev_put(&vdev->drm);
}

/* The last reference may be dropped while locks of others are held. */
static void vsplit_kunit_last_reference(struct kunit *test)
{
	struct vsplit_kunit *k = test->priv;
	struct vsplit_bo *kept = vsplit_kunit_bo(test, 1), *vbo = vsplit_kunit_bo(test, 1);
	struct drm_exec exec;
	int ret = 0, rounds;

	/*
	 * In one round: lockdep takes the locks of a ticket for the first of them, which would be
	 * that of the allocation that goes had it been contended (CONFIG_DEBUG_WW_MUTEX_SLOWPATH).
	 */
	for (;;) {
		rounds = 0;
		drm_exec_init(&exec, 0, 2);
		drm_exec_until_all_locked(&exec) {
			rounds++;
			ret = drm_exec_lock_obj(&exec, &kept->tbo.base);
			drm_exec_retry_on_contention(&exec);
			ret = ret ?: drm_exec_lock_obj(&exec, &vbo->tbo.base);
			drm_exec_retry_on_contention(&exec);
		}
		if (ret || rounds == 1)
			break;
		drm_exec_fini(&exec);
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
	vsplit_kunit_put(vbo);
	/* Unlocks in reverse order. */
	drm_exec_fini(&exec);
	KUNIT_EXPECT_EQ(test, atomic_read(&k->vdev->stats.nr_bos), 1);
	vsplit_kunit_put(kept);
}

static struct kunit_case vsplit_kunit_cases[] = {
	KUNIT_CASE(vsplit_kunit_fragments),
	KUNIT_CASE(vsplit_kunit_compatible),
	KUNIT_CASE(vsplit_kunit_pending),
	KUNIT_CASE(vsplit_kunit_runs_inherit),
	KUNIT_CASE(vsplit_kunit_ring),
	KUNIT_CASE(vsplit_kunit_foreign),
	KUNIT_CASE(vsplit_kunit_refused),
	KUNIT_CASE(vsplit_kunit_runs_charged),
	KUNIT_CASE(vsplit_kunit_jobs),
	KUNIT_CASE(vsplit_kunit_wrapped),
	KUNIT_CASE(vsplit_kunit_fence_lives),
	KUNIT_CASE(vsplit_kunit_fence_dropped),
	KUNIT_CASE(vsplit_kunit_counters),
	KUNIT_CASE(vsplit_kunit_last_reference),
	{}
};

static struct kunit_suite vsplit_kunit_suite = {
	.name = "vsplit",
	.init = vsplit_kunit_init,
	.exit = vsplit_kunit_exit,
	.test_cases = vsplit_kunit_cases,
};

kunit_test_suite(vsplit_kunit_suite);
