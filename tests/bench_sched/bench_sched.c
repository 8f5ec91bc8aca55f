// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the least that drm_sched costs
 *
 * A driver that does nothing but hand empty jobs to drm_sched, to say what of a submission of
 * vsplit's is the scheduler's (scripts/bench). Its hardware is a thread, as a software GPU needs
 * one, that signals the job's fence.
 *
 * /dev/bench_sched: a write of a u32 pushes a job of the entity of that number, and ends when the
 * job is done. One writer at a time.
 */
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/gpu_scheduler.h>

#define ENTITIES 400u

struct bench_job {
	struct drm_sched_job base;
	struct dma_fence fence;
};

static struct drm_gpu_scheduler sched;
static struct drm_gpu_scheduler *sched_list = &sched;
static struct drm_sched_entity entities[ENTITIES];
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

static ssize_t bench_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct dma_fence *done;
	struct bench_job *job;
	u32 index;
	int ret;

	if (size != sizeof(index) || copy_from_user(&index, from, sizeof(index)))
		return -EFAULT;
	if (index >= ENTITIES)
		return -EINVAL;
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
	return size;
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

MODULE_DESCRIPTION("What an empty job costs in drm_sched");
MODULE_LICENSE("Dual MIT/GPL");
