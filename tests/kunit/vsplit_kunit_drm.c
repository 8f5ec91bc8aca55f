// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: unit tests of drm_gpuvm and drm_sched
 *
 * What these offer to drivers and this one does otherwise: address spaces that know
 * what they need locked, and which of it was evicted; engines among which an entity
 * chooses, and timeouts of the scheduler's own. Fences that a test signals stand for
 * hardware.
 */
#include <linux/completion.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>
#include <drm/gpu_scheduler.h>

#include "vsplit_kunit.h"
#include "vsplit_compat.h"
#include "vsplit_device.h"

/* ---- address spaces ---- */

#define VSPLIT_KVM_OBJECTS	3u
/* Each object is mapped here, two pages of it, with two free ones behind. */
#define VSPLIT_KVM_AT(i)	(((i) + 1) * 4 * PAGE_SIZE)

/**
 * struct vsplit_kvm - An address space.
 * @base: drm_gpuvm's.
 * @objects: what is mapped in it; each has a dma_resv of its own.
 * @vas: their mappings.
 * @validated: which objects drm_gpuvm wanted back, one bit each.
 * @remaps: steps that drm_gpuvm told, of mappings of which a part stays.
 * @unmaps: the same, of which nothing does.
 * @freed: the last reference is gone.
 */
struct vsplit_kvm {
	struct drm_gpuvm base;
	struct drm_gem_object objects[VSPLIT_KVM_OBJECTS];
	struct drm_gpuva vas[VSPLIT_KVM_OBJECTS];
	u32 validated;
	u32 remaps;
	u32 unmaps;
	bool freed;
};

static void vsplit_kvm_free(struct drm_gpuvm *gpuvm)
{
	container_of(gpuvm, struct vsplit_kvm, base)->freed = true;
}

static int vsplit_kvm_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct vsplit_kvm *kvm = container_of(vm_bo->vm, struct vsplit_kvm, base);

	kvm->validated |= BIT(vm_bo->obj - kvm->objects);
	return 0;
}

static int vsplit_kvm_map(struct drm_gpuva_op *op, void *priv)
{
	return 0;
}

static int vsplit_kvm_remap(struct drm_gpuva_op *op, void *priv)
{
	((struct vsplit_kvm *)priv)->remaps++;
	return 0;
}

static int vsplit_kvm_unmap(struct drm_gpuva_op *op, void *priv)
{
	((struct vsplit_kvm *)priv)->unmaps++;
	return 0;
}

static const struct drm_gpuvm_ops vsplit_kvm_ops = {
	.vm_free = vsplit_kvm_free,
	.vm_bo_validate = vsplit_kvm_validate,
	.sm_step_map = vsplit_kvm_map,
	.sm_step_remap = vsplit_kvm_remap,
	.sm_step_unmap = vsplit_kvm_unmap,
};

static u32 vsplit_kvm_count(struct kunit *test, struct vsplit_kvm *kvm, struct drm_gpuva_ops *ops)
{
	struct drm_gpuva_op *op;
	u32 n = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ops);
	drm_gpuva_for_each_op(op, ops)
		n++;
	drm_gpuva_ops_free(&kvm->base, ops);
	return n;
}

static void vsplit_kvm_lock_all(struct kunit *test, struct drm_gpuvm_exec *exec)
{
	struct vsplit_kvm *kvm = container_of(exec->vm, struct vsplit_kvm, base);
	struct drm_gem_object *objects[VSPLIT_KVM_OBJECTS];
	u32 i;

	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		objects[i] = &kvm->objects[i];
	KUNIT_ASSERT_EQ(test, 0, drm_gpuvm_exec_lock_array(exec, objects, VSPLIT_KVM_OBJECTS));
	/* The next one shall not lock them again. */
	exec->extra.fn = NULL;
}

static void vsplit_kvm_test(struct kunit *test, enum drm_gpuvm_flags flags)
{
	struct vsplit_kvm *kvm = kunit_kzalloc(test, sizeof(*kvm), GFP_KERNEL);
	struct drm_gpuvm_exec exec = { .vm = &kvm->base, .flags = DRM_EXEC_IGNORE_DUPLICATES,
				       .num_fences = 1 };
	struct dma_fence *fence = vsplit_kunit_gpu_fence(test);
	struct vsplit_kunit *k = test->priv;
	struct drm_device *drm = &k->vdev->drm;
	struct drm_gpuvm_bo *vm_bo[VSPLIT_KVM_OBJECTS];
	struct drm_gem_object *resv;
	struct drm_gpuva_ops *ops;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, kvm);
	resv = drm_gpuvm_resv_object_alloc(drm);
	KUNIT_ASSERT_NOT_NULL(test, resv);
	/* The first page is the kernel's. */
	drm_gpuvm_init(&kvm->base, "kunit", flags, drm, resv, 0, 64 * PAGE_SIZE, 0, PAGE_SIZE,
		       &vsplit_kvm_ops);
	drm_gem_object_put(resv);
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		drm_gem_private_object_init(drm, &kvm->objects[i], 2 * PAGE_SIZE);

	vsplit_kvm_lock_all(test, &exec);
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++) {
		struct drm_gpuva_op_map op = {
			.va.addr = VSPLIT_KVM_AT(i), .va.range = 2 * PAGE_SIZE,
			.gem.obj = &kvm->objects[i],
		};

		vm_bo[i] = drm_gpuvm_bo_obtain(&kvm->base, &kvm->objects[i]);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vm_bo[i]);
		drm_gpuvm_bo_extobj_add(vm_bo[i]);
		drm_gpuva_map(&kvm->base, &kvm->vas[i], &op);
		drm_gpuva_link(&kvm->vas[i], vm_bo[i]);
	}
	drm_gpuvm_exec_unlock(&exec);
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		KUNIT_EXPECT_FALSE(test, dma_resv_is_locked(kvm->objects[i].resv));

	/* What is not its own is locked with it, validated once it was evicted, and gets fences. */
	KUNIT_ASSERT_EQ(test, 0, drm_gpuvm_exec_lock(&exec));
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		KUNIT_EXPECT_TRUE(test, dma_resv_is_locked(kvm->objects[i].resv));
	drm_gpuvm_bo_evict(vm_bo[1], true);
	drm_gpuvm_exec_unlock(&exec);
	KUNIT_ASSERT_EQ(test, 0, drm_gpuvm_exec_lock(&exec));
	KUNIT_EXPECT_EQ(test, 0, drm_gpuvm_validate(&kvm->base, &exec.exec));
	KUNIT_EXPECT_EQ(test, kvm->validated, BIT(1));
	drm_gpuvm_bo_evict(vm_bo[1], false);
	drm_gpuvm_exec_resv_add_fence(&exec, fence, DMA_RESV_USAGE_BOOKKEEP, DMA_RESV_USAGE_WRITE);
	drm_gpuvm_exec_unlock(&exec);
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		KUNIT_EXPECT_FALSE(test, dma_resv_test_signaled(kvm->objects[i].resv,
								DMA_RESV_USAGE_WRITE));
	dma_fence_signal(fence);
	dma_fence_put(fence);

	/* Of a range what is mapped there. */
	KUNIT_ASSERT_EQ(test, 0, drm_gpuvm_exec_lock_range(&exec, VSPLIT_KVM_AT(0), 5 * PAGE_SIZE));
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		KUNIT_EXPECT_EQ(test, i < 2, dma_resv_is_locked(kvm->objects[i].resv));
	drm_gpuvm_exec_unlock(&exec);

	KUNIT_EXPECT_PTR_EQ(test, &kvm->vas[1],
			    drm_gpuva_find(&kvm->base, VSPLIT_KVM_AT(1), 2 * PAGE_SIZE));
	KUNIT_EXPECT_NULL(test, drm_gpuva_find(&kvm->base, VSPLIT_KVM_AT(1), PAGE_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, &kvm->vas[0],
			    drm_gpuva_find_prev(&kvm->base, VSPLIT_KVM_AT(0) + 2 * PAGE_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, &kvm->vas[2], drm_gpuva_find_next(&kvm->base, VSPLIT_KVM_AT(2)));
	KUNIT_EXPECT_TRUE(test, drm_gpuvm_interval_empty(&kvm->base, VSPLIT_KVM_AT(0) - PAGE_SIZE,
							 PAGE_SIZE));
	ops = drm_gpuvm_prefetch_ops_create(&kvm->base, PAGE_SIZE, 63 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 3, vsplit_kvm_count(test, kvm, ops));
	/* The steps as a list: the rest of one mapping, all of the next. */
	ops = drm_gpuvm_sm_unmap_ops_create(&kvm->base, VSPLIT_KVM_AT(0) + PAGE_SIZE,
					    5 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 2, vsplit_kvm_count(test, kvm, ops));
	/* The second page of one, and the first of the next. */
	KUNIT_EXPECT_EQ(test, 0, drm_gpuvm_sm_unmap(&kvm->base, kvm, VSPLIT_KVM_AT(0) + PAGE_SIZE,
						    4 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, kvm->remaps, 2);
	KUNIT_EXPECT_EQ(test, 0, drm_gpuvm_sm_unmap(&kvm->base, kvm, VSPLIT_KVM_AT(1),
						    8 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, kvm->unmaps, 2);
	KUNIT_EXPECT_NE(test, 0, drm_gpuvm_sm_unmap(&kvm->base, kvm, 0, PAGE_SIZE));

	vsplit_kvm_lock_all(test, &exec);
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++) {
		struct drm_gpuva_op_unmap op = { .va = &kvm->vas[i] };

		ops = drm_gpuvm_bo_unmap_ops_create(vm_bo[i]);
		KUNIT_EXPECT_EQ(test, 1, vsplit_kvm_count(test, kvm, ops));
		drm_gpuva_unmap(&op);
		drm_gpuva_unlink(&kvm->vas[i]);
		drm_gpuvm_bo_put(vm_bo[i]);
	}
	drm_gpuvm_exec_unlock(&exec);
	for (i = 0; i < VSPLIT_KVM_OBJECTS; i++)
		drm_gem_private_object_fini(&kvm->objects[i]);
	KUNIT_EXPECT_FALSE(test, kvm->freed);
	drm_gpuvm_put(&kvm->base);
	KUNIT_EXPECT_TRUE(test, kvm->freed);
}

static void vsplit_kdrm_vm(struct kunit *test)
{
	vsplit_kvm_test(test, 0);
}

static void vsplit_kdrm_vm_protected(struct kunit *test)
{
	vsplit_kvm_test(test, DRM_GPUVM_RESV_PROTECTED);
}

/* ---- jobs ---- */

/**
 * struct vsplit_kjob - A job.
 * @base: drm_sched's.
 * @hw: what the hardware signals.
 * @runs: how often it was given to the hardware.
 * @turn: the last time as the how manieth of all jobs.
 * @ran: the hardware has it.
 * @freed: it came back.
 */
struct vsplit_kjob {
	struct drm_sched_job base;
	struct dma_fence *hw;
	u32 runs;
	int turn;
	struct completion ran;
	struct completion freed;
};

static struct vsplit_kjob *to_kjob(struct drm_sched_job *base)
{
	return container_of(base, struct vsplit_kjob, base);
}

static atomic_t vsplit_kjob_turns;

static struct dma_fence *vsplit_kjob_run(struct drm_sched_job *base)
{
	struct vsplit_kjob *job = to_kjob(base);

	/* A second time it works. */
	if (job->runs++)
		dma_fence_signal(job->hw);
	job->turn = atomic_inc_return(&vsplit_kjob_turns);
	complete_all(&job->ran);
	return dma_fence_get(job->hw);
}

static enum drm_gpu_sched_stat vsplit_kjob_timedout(struct drm_sched_job *base)
{
	struct drm_gpu_scheduler *sched = base->sched;

	drm_sched_stop(sched, base);
	drm_sched_increase_karma(base);
	drm_sched_resubmit_jobs(sched);
	vsplit_compat_sched_start(sched);
	return DRM_GPU_SCHED_STAT_NOMINAL;
}

static void vsplit_kjob_free(struct drm_sched_job *base)
{
	drm_sched_job_cleanup(base);
	complete(&to_kjob(base)->freed);
}

static const struct drm_sched_backend_ops vsplit_kjob_ops = {
	.run_job = vsplit_kjob_run,
	.timedout_job = vsplit_kjob_timedout,
	.free_job = vsplit_kjob_free,
};

static void vsplit_kjob_soon(struct kunit *test, struct completion *c)
{
	KUNIT_ASSERT_NE(test, 0, wait_for_completion_timeout(c, 60 * HZ));
}

static struct vsplit_kjob *vsplit_kjob(struct kunit *test, struct drm_sched_entity *entity)
{
	struct vsplit_kjob *job = kunit_kzalloc(test, sizeof(*job), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, job);
	job->hw = vsplit_kunit_gpu_fence(test);
	init_completion(&job->ran);
	init_completion(&job->freed);
	KUNIT_ASSERT_EQ(test, 0, drm_sched_job_init(&job->base, entity, 1, NULL, 0));
	return job;
}

/* Its fence, of which the test has a reference. */
static struct dma_fence *vsplit_kjob_push(struct vsplit_kjob *job)
{
	struct dma_fence *fence;

	drm_sched_job_arm(&job->base);
	fence = dma_fence_get(&job->base.s_fence->finished);
	drm_sched_entity_push_job(&job->base);
	return fence;
}

static void vsplit_kdrm_scheds(struct kunit *test, struct drm_gpu_scheduler *sched, u32 credits)
{
	struct vsplit_kunit *k = test->priv;
	struct drm_sched_init_args args = {
		.ops = &vsplit_kjob_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = credits,
		.timeout = 3600 * HZ,
		.name = "vsplit-kunit",
		.dev = k->dev,
	};
	u32 i;

	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0, drm_sched_init(&sched[i], &args));
}

/* A job that hangs is given to the hardware again; it is told whose fault that was. */
static void vsplit_kdrm_timeout(struct kunit *test)
{
	struct drm_gpu_scheduler *sched = kunit_kcalloc(test, 2, sizeof(*sched), GFP_KERNEL);
	struct drm_gpu_scheduler *list = sched;
	struct drm_sched_entity entity;
	struct dma_fence *fence;
	struct vsplit_kjob *job;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, sched);
	vsplit_kdrm_scheds(test, sched, 4);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, drm_sched_entity_init(&entity, DRM_SCHED_PRIORITY_NORMAL,
							       &list, 1, NULL));
		job = vsplit_kjob(test, &entity);
		fence = vsplit_kjob_push(job);
		vsplit_kjob_soon(test, &job->ran);
		drm_sched_resume_timeout(sched, drm_sched_suspend_timeout(sched));
		KUNIT_EXPECT_EQ(test, job->runs, 1);
		if (i)
			drm_sched_tdr_queue_imm(sched);
		else
			drm_sched_fault(sched);
		vsplit_kjob_soon(test, &job->freed);
		KUNIT_EXPECT_EQ(test, job->runs, 2);
		KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(fence));
		KUNIT_EXPECT_EQ(test, fence->error, -ECANCELED);
		KUNIT_EXPECT_EQ(test, drm_sched_entity_error(&entity), -ECANCELED);
		dma_fence_put(fence);
		dma_fence_put(job->hw);
		drm_sched_entity_destroy(&entity);
	}
	for (i = 0; i < 2; i++)
		drm_sched_fini(&sched[i]);
}

/*
 * An entity stays on an engine while it has work there, waits for what an object waits for, and
 * goes where it is sent. What it has not begun when it ends is cancelled.
 */
static void vsplit_kdrm_engines(struct kunit *test)
{
	struct drm_gpu_scheduler *sched = kunit_kcalloc(test, 2, sizeof(*sched), GFP_KERNEL);
	struct drm_gpu_scheduler *list[] = { &sched[0], &sched[1] }, *second = &sched[1];
	struct vsplit_kunit *k = test->priv;
	struct dma_fence *fence[3], *before;
	struct drm_sched_entity entity;
	struct drm_gem_object object = {};
	struct vsplit_kjob *job[3];
	int ret;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, sched);
	vsplit_kdrm_scheds(test, sched, 4);
	before = vsplit_kunit_gpu_fence(test);
	drm_gem_private_object_init(&k->vdev->drm, &object, PAGE_SIZE);
	dma_resv_lock(object.resv, NULL);
	KUNIT_ASSERT_EQ(test, 0, dma_resv_reserve_fences(object.resv, 1));
	dma_resv_add_fence(object.resv, before, DMA_RESV_USAGE_WRITE);
	dma_resv_unlock(object.resv);
	KUNIT_ASSERT_EQ(test, 0, drm_sched_entity_init(&entity, DRM_SCHED_PRIORITY_NORMAL, list, 2,
						       NULL));
	drm_sched_entity_set_priority(&entity, DRM_SCHED_PRIORITY_HIGH);
	for (i = 0; i < 3; i++) {
		job[i] = vsplit_kjob(test, &entity);
		if (i == 1) {
			dma_resv_lock(object.resv, NULL);
			ret = drm_sched_job_add_implicit_dependencies(&job[i]->base, &object,
								      false);
			dma_resv_unlock(object.resv);
			KUNIT_EXPECT_EQ(test, 0, ret);
		}
		if (i == 2)
			drm_sched_entity_modify_sched(&entity, &second, 1);
		fence[i] = vsplit_kjob_push(job[i]);
		KUNIT_EXPECT_PTR_EQ(test, job[i]->base.sched, job[0]->base.sched);
	}
	vsplit_kjob_soon(test, &job[0]->ran);
	dma_fence_signal(job[0]->hw);
	vsplit_kjob_soon(test, &job[0]->freed);
	KUNIT_EXPECT_EQ(test, fence[0]->error, 0);
	KUNIT_EXPECT_EQ(test, job[1]->runs, 0);
	dma_fence_signal(before);
	for (i = 1; i < 3; i++) {
		vsplit_kjob_soon(test, &job[i]->ran);
		dma_fence_signal(job[i]->hw);
		vsplit_kjob_soon(test, &job[i]->freed);
		dma_fence_put(fence[i]);
		dma_fence_put(job[i]->hw);
	}
	dma_fence_put(before);
	before = vsplit_kunit_gpu_fence(test);
	for (i = 1; i < 3; i++) {
		job[i] = vsplit_kjob(test, &entity);
		KUNIT_EXPECT_EQ(test, 0, drm_sched_job_add_dependency(&job[i]->base,
								      dma_fence_get(before)));
		fence[i] = vsplit_kjob_push(job[i]);
		KUNIT_EXPECT_PTR_EQ(test, job[i]->base.sched, second);
	}
	drm_sched_entity_fini(&entity);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence[1]));
	dma_fence_signal(before);
	for (i = 1; i < 3; i++) {
		vsplit_kjob_soon(test, &job[i]->freed);
		KUNIT_EXPECT_EQ(test, job[i]->runs, 0);
		KUNIT_EXPECT_EQ(test, fence[i]->error, -ESRCH);
	}
	for (i = 0; i < 3; i++) {
		dma_fence_put(fence[i]);
		dma_fence_put(job[i]->hw);
	}
	for (i = 0; i < 2; i++)
		drm_sched_fini(&sched[i]);
	dma_fence_put(before);
	drm_gem_private_object_fini(&object);
}

/* What has a higher priority comes first when the engine has room again. */
static void vsplit_kdrm_priorities(struct kunit *test)
{
	static const enum drm_sched_priority priorities[] = {
		DRM_SCHED_PRIORITY_LOW, DRM_SCHED_PRIORITY_LOW, DRM_SCHED_PRIORITY_HIGH,
	};
	struct drm_gpu_scheduler *sched = kunit_kcalloc(test, 2, sizeof(*sched), GFP_KERNEL);
	struct drm_gpu_scheduler *list = sched;
	struct drm_sched_entity entity[3];
	struct vsplit_kjob *job[3];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, sched);
	vsplit_kdrm_scheds(test, sched, 1);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, drm_sched_entity_init(&entity[i], priorities[i], &list, 1,
							       NULL));
		job[i] = vsplit_kjob(test, &entity[i]);
		dma_fence_put(vsplit_kjob_push(job[i]));
		if (!i)
			vsplit_kjob_soon(test, &job[i]->ran);
	}
	for (i = 3; i--;)
		dma_fence_signal(job[i]->hw);
	for (i = 0; i < 3; i++) {
		vsplit_kjob_soon(test, &job[i]->freed);
		dma_fence_put(job[i]->hw);
		drm_sched_entity_destroy(&entity[i]);
	}
	KUNIT_EXPECT_LT(test, job[0]->turn, job[2]->turn);
	KUNIT_EXPECT_LT(test, job[2]->turn, job[1]->turn);
	for (i = 0; i < 2; i++)
		drm_sched_fini(&sched[i]);
}

/* A job waits for each of its dependencies; a later one of another entity does not wait for it. */
static void vsplit_kdrm_dependencies(struct kunit *test)
{
	struct drm_gpu_scheduler *sched = kunit_kcalloc(test, 2, sizeof(*sched), GFP_KERNEL);
	struct drm_gpu_scheduler *list = sched;
	struct drm_sched_entity entity[2];
	struct dma_fence *before[2];
	struct vsplit_kjob *job[2];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, sched);
	vsplit_kdrm_scheds(test, sched, 4);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, drm_sched_entity_init(&entity[i],
							       DRM_SCHED_PRIORITY_NORMAL, &list, 1,
							       NULL));
		before[i] = vsplit_kunit_gpu_fence(test);
		job[i] = vsplit_kjob(test, &entity[i]);
		dma_fence_signal(job[i]->hw);
	}
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, 0, drm_sched_job_add_dependency(&job[0]->base,
								      dma_fence_get(before[i])));
	dma_fence_put(vsplit_kjob_push(job[0]));
	dma_fence_signal(before[0]);
	dma_fence_put(vsplit_kjob_push(job[1]));
	vsplit_kjob_soon(test, &job[1]->freed);
	KUNIT_EXPECT_EQ(test, job[0]->runs, 0);
	dma_fence_signal(before[1]);
	vsplit_kjob_soon(test, &job[0]->freed);
	for (i = 0; i < 2; i++) {
		dma_fence_put(job[i]->hw);
		dma_fence_put(before[i]);
		drm_sched_entity_destroy(&entity[i]);
	}
	for (i = 0; i < 2; i++)
		drm_sched_fini(&sched[i]);
}

static struct kunit_case vsplit_kdrm_cases[] = {
	KUNIT_CASE(vsplit_kdrm_vm),
	KUNIT_CASE(vsplit_kdrm_vm_protected),
	KUNIT_CASE(vsplit_kdrm_timeout),
	KUNIT_CASE(vsplit_kdrm_engines),
	KUNIT_CASE(vsplit_kdrm_priorities),
	KUNIT_CASE(vsplit_kdrm_dependencies),
	{}
};

static struct kunit_suite vsplit_kdrm_suite = {
	.name = "vsplit-drm",
	.init = vsplit_kunit_init,
	.exit = vsplit_kunit_exit,
	.test_cases = vsplit_kdrm_cases,
};

kunit_test_suite(vsplit_kdrm_suite);
