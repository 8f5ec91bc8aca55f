// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the least that drm_sched and drm_exec cost
 *
 * A driver that does nothing but hand empty jobs to drm_sched, to say what of a submission of
 * vsplit's is the scheduler's (scripts/bench). Its hardware is a thread, as a software GPU needs
 * one, that signals the job's fence. Objects that have a dma_resv each, and nothing else, say what
 * of an allocation is drm_exec's and dma_resv's.
 *
 * /dev/bench_sched: a write of two u32, E and N. N is 0: pushes a job of entity E, and ends when the
 * job is done. Otherwise: locks N objects, asks each what there is to be waited for, and gives each
 * the same new fence. One writer at a time.
 */
#include <linux/dma-resv.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/gpu_scheduler.h>

#define ENTITIES 400u
#define OBJECTS 1000u

struct bench_job {
	struct drm_sched_job base;
	struct dma_fence fence;
};

static struct drm_gpu_scheduler sched;
static struct drm_gpu_scheduler *sched_list = &sched;
static struct drm_sched_entity entities[ENTITIES];
static struct drm_gem_object objects[OBJECTS];
static struct task_struct *hardware;
/* The only job that there can be: what the hardware has to do. */
static struct bench_job *rung;
static DEFINE_SPINLOCK(fence_lock);
static u64 context, seqno;

static const char *bench_name(struct dma_fence *fence)
{
	return "bench";
}

static void bench_release(struct dma_fence *fence)
{
	kfree_rcu(container_of(fence, struct bench_job, fence), fence.rcu);
}

static const struct dma_fence_ops bench_fence_ops = {
	.get_driver_name = bench_name,
	.get_timeline_name = bench_name,
	.release = bench_release,
};

static struct dma_fence *bench_run_job(struct drm_sched_job *base)
{
	struct bench_job *job = container_of(base, struct bench_job, base);

	dma_fence_init(&job->fence, &bench_fence_ops, &fence_lock, context, ++seqno);
	smp_store_release(&rung, job);
	wake_up_process(hardware);
	return dma_fence_get(&job->fence);
}

static void bench_free_job(struct drm_sched_job *base)
{
	drm_sched_job_cleanup(base);
	dma_fence_put(&container_of(base, struct bench_job, base)->fence);
}

static const struct drm_sched_backend_ops bench_ops = {
	.run_job = bench_run_job,
	.free_job = bench_free_job,
};

static int bench_hardware(void *unused)
{
	struct bench_job *job;

	for (;;) {
		set_current_state(TASK_IDLE);
		job = xchg(&rung, NULL);
		if (kthread_should_stop())
			break;
		if (!job) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		dma_fence_signal(&job->fence);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int bench_job(u32 index)
{
	struct dma_fence *done;
	struct bench_job *job;
	int ret;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	ret = drm_sched_job_init(&job->base, &entities[index], 1, NULL, 0);
	if (ret) {
		kfree(job);
		return ret;
	}
	drm_sched_job_arm(&job->base);
	done = dma_fence_get(&job->base.s_fence->finished);
	drm_sched_entity_push_job(&job->base);
	/* The job is the scheduler's, and goes when it is done. */
	dma_fence_wait(done, false);
	dma_fence_put(done);
	return 0;
}

static int bench_objects(u32 nr)
{
	struct bench_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	struct drm_exec exec;
	int ret = 0;
	u32 i;

	if (!job)
		return -ENOMEM;
	dma_fence_init(&job->fence, &bench_fence_ops, &fence_lock, context, ++seqno);
	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, nr);
	drm_exec_until_all_locked(&exec) {
		for (i = 0; !ret && i < nr; i++) {
			ret = drm_exec_prepare_obj(&exec, &objects[i], 1);
			drm_exec_retry_on_contention(&exec);
		}
		if (ret)
			break;
	}
	for (i = 0; !ret && i < nr; i++)
		dma_resv_for_each_fence(&cursor, objects[i].resv, dma_resv_usage_rw(false), fence)
			ret |= !dma_fence_is_signaled(fence);
	for (i = 0; !ret && i < nr; i++)
		dma_resv_add_fence(objects[i].resv, &job->fence, DMA_RESV_USAGE_READ);
	drm_exec_fini(&exec);
	dma_fence_signal(&job->fence);
	dma_fence_put(&job->fence);
	return ret;
}

static ssize_t bench_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct { u32 entity, objects; } what;
	int ret;

	if (size != sizeof(what) || copy_from_user(&what, from, sizeof(what)))
		return -EFAULT;
	if (what.entity >= ENTITIES || what.objects > OBJECTS)
		return -EINVAL;
	ret = what.objects ? bench_objects(what.objects) : bench_job(what.entity);
	return ret ?: size;
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.write = bench_write,
};

static struct miscdevice bench_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "bench_sched",
	.fops = &bench_fops,
};

static int __init bench_init(void)
{
	const struct drm_sched_init_args args = {
		.ops = &bench_ops, .num_rqs = DRM_SCHED_PRIORITY_COUNT, .credit_limit = 16,
		.timeout = MAX_SCHEDULE_TIMEOUT, .name = "bench",
	};
	int ret;
	u32 i;

	for (i = 0; i < OBJECTS; i++) {
		kref_init(&objects[i].refcount);
		dma_resv_init(&objects[i]._resv);
		objects[i].resv = &objects[i]._resv;
	}
	context = dma_fence_context_alloc(1);
	ret = drm_sched_init(&sched, &args);
	if (ret)
		return ret;
	for (i = 0; !ret && i < ENTITIES; i++)
		ret = drm_sched_entity_init(&entities[i], DRM_SCHED_PRIORITY_NORMAL, &sched_list,
					    1, NULL);
	if (!ret) {
		hardware = kthread_run(bench_hardware, NULL, "bench_sched");
		ret = PTR_ERR_OR_ZERO(hardware);
	}
	/* The VM ends with the benchmark: what was made before a failure stays. */
	return ret ?: misc_register(&bench_misc);
}
module_init(bench_init);

MODULE_DESCRIPTION("What an empty job costs in drm_sched, and an object in drm_exec");
MODULE_LICENSE("Dual MIT/GPL");
