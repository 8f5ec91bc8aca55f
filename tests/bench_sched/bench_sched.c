// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the least that drm_sched and drm_exec cost
 *
 * A driver that does nothing but hand empty jobs to drm_sched, to say what of a submission of
 * vsplit's is the scheduler's (scripts/bench). Its hardware is a thread, as a software GPU needs
 * one, that signals the job's fence. Objects that have a dma_resv each, and nothing else, say what
 * of an allocation is drm_exec's and dma_resv's. Streams of bindings, and nothing else, say what of
 * an entry is that its fields are copied, checked and written.
 *
 * /dev/bench_sched: a write of a struct bench_what. One writer at a time.
 */
#include <linux/dma-resv.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/gpu_scheduler.h>

#define ENTITIES 400u
#define OBJECTS 1000u
#define BENCH_BIND 2
#define ENTRIES 20000u

/**
 * struct bench_what - What is to be done.
 * @entity: with nothing else: a job of it is pushed, and done.
 * @objects: as many are locked, asked what there is to be waited for, and given the same new fence.
 * @entries: as many packets and elements are copied, checked, and written.
 * @slots: that there are.
 * @packets: of the client.
 * @elements: likewise.
 */
struct bench_what {
	u32 entity;
	u32 objects;
	u32 entries;
	u32 slots;
	u64 packets;
	u64 elements;
};

/* As struct vsplit_packet_bind, struct drm_vsplit_patch, and what a record keeps of it. */
struct bench_packet {
	u8 op;
	u8 flags;
	u16 size;
	u32 slot;
	u64 address;
	u64 bytes;
};

struct bench_element {
	u32 object;
	u32 slot;
	u32 id;
	u32 offset;
	u32 patch;
	u32 split;
};

struct bench_row {
	u32 object;
	u32 slot;
	u32 id;
};

struct bench_place {
	u64 address;
	u64 bytes;
	u64 flags;
};

enum { MARK_NONE, MARK_PACKET, MARK_OPERAND };

struct bench_list {
	void *stream;
	u32 bytes;
	u8 *marks;
	struct bench_element *elements;
	u32 nr_elements;
	struct bench_row *rows;
	const struct bench_place *places;
	u32 nr_places;
	u32 nr_slots;
};

struct bench_job {
	struct drm_sched_job base;
	struct dma_fence fence;
};

static struct drm_gpu_scheduler sched;
static struct drm_gpu_scheduler *sched_list = &sched;
static struct drm_sched_entity entities[ENTITIES];
static struct drm_gem_object objects[OBJECTS];
static struct bench_place places[OBJECTS];
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

/* Each packet, and what is at which 8 bytes. Return: operands, or an error. */
static int bench_check_packets(const struct bench_list *list)
{
	const struct bench_packet *p;
	int operands = 0;
	u32 at;

	for (at = 0; at < list->bytes; at += p->size) {
		p = list->stream + at;
		if (p->op != BENCH_BIND || p->flags || p->size != sizeof(*p) ||
		    p->size > list->bytes - at || p->slot >= list->nr_slots ||
		    p->address || p->bytes)
			return -EINVAL;
		list->marks[at / 8] = MARK_PACKET;
		list->marks[at / 8 + 1] = MARK_OPERAND;
		operands++;
	}
	return operands;
}

/* An element by itself, beside the one before, and beside the packet that it names. */
static bool bench_check_element(const struct bench_list *list, const struct bench_element *e,
				u32 last)
{
	const struct bench_packet *p;
	u64 bytes;

	if (e->object >= list->nr_places)
		return false;
	bytes = list->places[array_index_nospec(e->object, list->nr_places)].bytes;
	if (e->slot >= list->nr_slots || (e->offset && e->offset >= bytes) ||
	    e->split < last || e->split > e->patch)
		return false;
	/* One that unbinds at the end, which no operand is there for. */
	if (e->split >= list->bytes)
		return e->split == list->bytes && e->patch == list->bytes && !bytes;
	if (e->split % 8 || list->marks[e->split / 8] != MARK_PACKET ||
	    e->patch >= list->bytes || e->patch % 8 || list->marks[e->patch / 8] != MARK_OPERAND)
		return false;
	p = list->stream + e->patch - offsetof(struct bench_packet, address);
	list->marks[e->patch / 8] = MARK_NONE;
	return p->slot == e->slot;
}

static int bench_check_elements(const struct bench_list *list, int operands)
{
	const struct bench_element *e, *end = list->elements + list->nr_elements;
	u32 last = 0;

	for (e = list->elements; e < end; e++) {
		if (!bench_check_element(list, e, last))
			return -EINVAL;
		last = e->split;
		operands -= last < list->bytes;
	}
	return operands ? -EINVAL : 0;
}

/* In a driver, objects have been locked and placed meanwhile: only now it knows addresses. */
static void bench_write_packets(const struct bench_list *list)
{
	const struct bench_element *e, *end = list->elements + list->nr_elements;
	struct bench_row *row = list->rows;
	u32 bytes = list->bytes;

	for (e = list->elements; e < end; e++) {
		const struct bench_place *at =
			&list->places[array_index_nospec(e->object, list->nr_places)];
		struct bench_packet *p = list->stream + e->patch -
					 offsetof(struct bench_packet, address);

		*row++ = (struct bench_row) { e->object, e->slot, e->id };
		if (e->patch == bytes)
			continue;
		p->address = at->address + e->offset;
		p->bytes = at->bytes - e->offset;
		p->flags = at->flags;
	}
}

static int bench_entries(const struct bench_what *what)
{
	struct bench_list list = {
		.bytes = what->entries * sizeof(struct bench_packet),
		.nr_elements = what->entries,
		.nr_slots = what->slots,
		.places = places,
		.nr_places = OBJECTS,
	};
	size_t size = array_size(what->entries, sizeof(*list.elements));
	int ret = -ENOMEM;

	list.stream = kvmalloc(list.bytes + list.bytes / 8, GFP_KERNEL_ACCOUNT);
	list.elements = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	list.rows = kvmalloc_array(what->entries, sizeof(*list.rows), GFP_KERNEL_ACCOUNT);
	if (!list.stream || !list.elements || !list.rows)
		goto out;
	ret = -EFAULT;
	if (copy_from_user(list.stream, u64_to_user_ptr(what->packets), list.bytes) ||
	    copy_from_user(list.elements, u64_to_user_ptr(what->elements), size))
		goto out;
	list.marks = list.stream + list.bytes;
	memset(list.marks, MARK_NONE, list.bytes / 8);
	ret = bench_check_packets(&list);
	if (ret >= 0)
		ret = bench_check_elements(&list, ret);
	if (!ret)
		bench_write_packets(&list);
out:
	kvfree(list.rows);
	kvfree(list.elements);
	kvfree(list.stream);
	return ret;
}

static ssize_t bench_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct bench_what what;
	int ret;

	if (size != sizeof(what) || copy_from_user(&what, from, sizeof(what)))
		return -EFAULT;
	if (what.entity >= ENTITIES || what.objects > OBJECTS || what.entries > ENTRIES)
		return -EINVAL;
	ret = what.entries ? bench_entries(&what) :
	      what.objects ? bench_objects(what.objects) : bench_job(what.entity);
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
		places[i].bytes = PAGE_SIZE;
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

MODULE_DESCRIPTION("What an empty job costs in drm_sched, an object in drm_exec, and an entry");
MODULE_LICENSE("Dual MIT/GPL");
