// SPDX-License-Identifier: GPL-2.0 OR MIT
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cc_platform.h>
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_fbdev_ttm.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>

#include "debug/vsplit_debug.h"
#include "debug/vsplit_fault.h"
#include "fence/vsplit_mfence.h"
#include "kms/vsplit_kms.h"
#include "vsplit_drv.h"
#include "vsplit_params.h"
#include "vsplit_compat.h"

/**
 * DOC: the device
 *
 * An adapter is a platform device "vsplit.N", which module parameters or configfs make. Its
 * platform data is a struct vsplit_adapter_config. The platform driver "vsplit" binds it, so
 * unbinding and binding it again by sysfs works like that of hardware, and gives a fresh adapter
 * of the same configuration. Or an adapter is a PCI device (vsplit_pci.c). For both,
 * vsplit_device_create() makes the adapter and vsplit_device_unplug() ends it.
 *
 * Lifetime: the DRM device, and with it struct vsplit_device, lives until its last reference is
 * dropped: open files and exported objects keep it after it was unbound.
 * vsplit_device_unplug() ends what must end at once when the device is unbound: ioctls (they
 * return -ENODEV), CPU mappings, engines. drmm actions release all else, in the opposite order of
 * vsplit_device_init(). The last action checks that every object of the adapter is gone.
 *
 * The wrapper vsplit_call() runs ioctls inside drm_dev_enter(). So none starts after the adapter
 * was unplugged, and drm_dev_unplug() waits for those that run, in effect for those of all
 * adapters, which share one SRCU. The engines end first, which signals all fences that ioctls and
 * CPU faults inside may wait for. An ioctl that may wait for a client, for a fence of another
 * driver, or for user pages that it copies, must not hold this up: vsplit_call_outside() runs it
 * outside, and it enters by itself where it uses the hardware.
 *
 * Suspend parks the engines between two packets, or between two rows of a copy. Submitted work
 * goes on when the device is resumed.
 *
 * The module cannot be unloaded while it has files, mappings, exported buffers or fences, or
 * adapters in configfs: each holds a reference to the module. Commits and writebacks of heads hold
 * references to the device alone, for a moment after their clients are gone: unloading waits for
 * these.
 */

static const struct drm_driver vsplit_drm_driver;
static const struct file_operations vsplit_fops;
static DEFINE_IDA(vsplit_adapter_ida);

/* ---- files ---- */

static struct vsplit_file *to_vsplit_file(struct drm_file *file)
{
	return file->driver_priv;
}

struct vsplit_lock_table *vsplit_file_lock_table(struct drm_file *file)
{
	return &to_vsplit_file(file)->locks;
}

struct vsplit_account *vsplit_file_account(struct drm_file *file)
{
	return to_vsplit_file(file)->exec.account;
}

struct vsplit_account *vsplit_vma_account(const struct vm_area_struct *vma)
{
	return vma->vm_file->f_op == &vsplit_fops ?
	       vsplit_file_account(vma->vm_file->private_data) : NULL;
}

struct vsplit_resid *vsplit_file_resid(struct drm_file *file)
{
	return to_vsplit_file(file)->exec.resid;
}

struct vsplit_exec_file *vsplit_file_exec(struct drm_file *file)
{
	return &to_vsplit_file(file)->exec;
}

struct vsplit_mfences *vsplit_file_mfences(struct drm_file *file)
{
	return to_vsplit_file(file)->exec.fences;
}

static int vsplit_open(struct drm_device *drm, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_file *vfile __free(kfree) = NULL;
	int ret;

	vfile = vsplit_fault("drv.open") ? NULL : kzalloc(sizeof(*vfile), GFP_KERNEL_ACCOUNT);
	if (!vfile)
		return -ENOMEM;

	mutex_init(&vfile->read_lock);
	vsplit_lock_table_init(&vfile->locks);
	ret = vsplit_fault("drv.exec_open") ? -ENOMEM : vsplit_exec_open(vdev, &vfile->exec, file);
	if (ret) {
		vsplit_lock_table_fini(&vfile->locks);
		return ret;
	}
	atomic_inc(&vdev->stats.nr_files);
	file->driver_priv = no_free_ptr(vfile);
	return 0;
}

static void vsplit_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_file *vfile = to_vsplit_file(file);

	vsplit_sync_point("drv.close");
	vsplit_exec_close(vdev, &vfile->exec);
	vsplit_lock_table_fini(&vfile->locks);
	kfree(vfile);
	atomic_dec(&vdev->stats.nr_files);
}

/* ---- query ---- */

static void vsplit_query_adapter(struct vsplit_device *vdev, struct drm_vsplit_adapter_info *info)
{
	const struct vsplit_adapter_config *config = &vdev->config;

	if (config->preemption != VSPLIT_PREEMPTION_NONE)
		info->caps |= VSPLIT_CAP_SAVE_RESTORE;
	if (config->preemption == VSPLIT_PREEMPTION_PACKET)
		info->caps |= VSPLIT_CAP_PACKET_PREEMPTION;
	if (config->paging_own)
		info->caps |= VSPLIT_CAP_PAGING_ENGINE;
	if (config->lenient)
		info->caps |= VSPLIT_CAP_LENIENT;
	if (config->clock == VSPLIT_GPU_CLOCK_MODEL)
		info->caps |= VSPLIT_CAP_MODEL_CLOCK;
	if (config->test)
		info->caps |= VSPLIT_CAP_TEST;
	if (config->leak_detection)
		info->caps |= VSPLIT_CAP_LEAK_DETECTION;
	if (config->contexts & BIT(VSPLIT_CTX_MODE_EXPLICIT))
		info->caps |= VSPLIT_CAP_CTX_EXPLICIT;
	if (config->contexts & BIT(VSPLIT_CTX_MODE_VA))
		info->caps |= VSPLIT_CAP_CTX_VA;
	if (config->contexts & BIT(VSPLIT_CTX_MODE_HW))
		info->caps |= VSPLIT_CAP_CTX_HW;
	info->num_segments = config->nr_segments;
	info->num_engines = config->engines;
	info->num_slots = config->slots;
	info->max_stream_bytes = VSPLIT_EXEC_MAX_STREAM;
	info->max_allocs = VSPLIT_EXEC_MAX_ALLOCS;
	info->max_patches = VSPLIT_EXEC_MAX_PATCHES;
	info->max_syncs = VSPLIT_EXEC_MAX_SYNCS;
	info->page_size = PAGE_SIZE;
	info->timeout_ms = config->timeout_ms;
	strscpy((char *)info->name, config->name, sizeof(info->name));
	info->max_unfinished = VSPLIT_EXEC_MAX_UNFINISHED;
	info->max_unfinished_bytes = VSPLIT_EXEC_MAX_UNFINISHED_BYTES;
}

static void vsplit_query_segment(struct vsplit_device *vdev, u32 index,
				 struct drm_vsplit_segment_info *info)
{
	struct vsplit_segment *segment = &vdev->mm.segments[index];

	info->id = index + 1;
	if (segment->aperture)
		info->flags |= VSPLIT_SEGMENT_APERTURE;
	if (segment->cpu_visible)
		info->flags |= VSPLIT_SEGMENT_CPU_VISIBLE;
	info->base_address = segment->base;
	info->cpu_address = segment->cpu_visible ? segment->bus : 0;
	info->size = segment->size;
	info->commit_limit = segment->commit_limit;
	info->cpu_visible_size = segment->cpu_visible;
	info->resident = READ_ONCE(segment->committed);
	info->swizzling_ranges = segment->nr_swizzle;
	strscpy((char *)info->name, vdev->config.segments[index].name, sizeof(info->name));
}

static void vsplit_query_statistics(struct vsplit_device *vdev,
				    struct drm_vsplit_statistics *statistics)
{
	struct vsplit_stats *stats = &vdev->stats;

	statistics->submissions = atomic64_read(&stats->submissions);
	statistics->portions = atomic64_read(&stats->portions);
	statistics->splits = atomic64_read(&stats->splits);
	statistics->evicted_bytes = atomic64_read(&stats->evicted);
	statistics->evicted_copied_bytes = atomic64_read(&stats->evicted_copied);
	statistics->paged_in_bytes = atomic64_read(&stats->paged_in);
	statistics->paged_in_copied_bytes = atomic64_read(&stats->paged_in_copied);
	statistics->moved_bytes = atomic64_read(&stats->moved);
	statistics->faults = atomic64_read(&stats->faults);
	statistics->hangs = atomic64_read(&stats->hangs);
	statistics->ranges_acquired = atomic64_read(&stats->ranges_acquired);
	statistics->ranges_released = atomic64_read(&stats->ranges_released);
	statistics->stray_writes = vsplit_gpu_stray_writes(vdev->gpu);
}

static int vsplit_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_query *args = data;
	union {
		struct drm_vsplit_adapter_info adapter;
		struct drm_vsplit_segment_info segments[VSPLIT_MAX_SEGMENTS];
		struct drm_vsplit_statistics statistics;
	} info;
	u32 size, i;

	memset(&info, 0, sizeof(info));
	switch (args->type) {
	case VSPLIT_QUERY_ADAPTER:
		vsplit_query_adapter(vdev, &info.adapter);
		size = sizeof(info.adapter);
		break;
	case VSPLIT_QUERY_SEGMENTS:
		for (i = 0; i < vdev->config.nr_segments; i++)
			vsplit_query_segment(vdev, i, &info.segments[i]);
		size = vdev->config.nr_segments * sizeof(info.segments[0]);
		break;
	case VSPLIT_QUERY_STATISTICS:
		vsplit_query_statistics(vdev, &info.statistics);
		size = sizeof(info.statistics);
		break;
	default:
		vsplit_refuse(vdev, args->type > VSPLIT_QUERY_STATISTICS);
		return -EINVAL;
	}

	if (vsplit_fault("drv.query.copy") ||
	    copy_to_user(u64_to_user_ptr(args->pointer), &info, min(size, args->size)))
		return -EFAULT;
	args->size = size;
	return 0;
}

/*
 * ---- ioctls ----
 *
 * vsplit_NAME_ioctl() gets the adapter, the call's struct drm_vsplit_* and the caller's file. The
 * uapi header says what a call does, and which errors it returns.
 */

/* Calls an ioctl inside drm_dev_enter(). */
static int vsplit_call(struct drm_device *drm, void *data, struct drm_file *file,
		       drm_ioctl_t func)
{
	int idx, ret;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	vsplit_sync_point("drv.ioctl");
	ret = func(drm, data, file);
	drm_dev_exit(idx);
	return ret;
}

/*
 * Calls an ioctl that may wait without bound, or copies from and to userspace. The ioctl itself
 * calls drm_dev_enter() where it touches what goes away when the adapter is unplugged.
 */
static int vsplit_call_outside(struct drm_device *drm, void *data, struct drm_file *file,
			       drm_ioctl_t func)
{
	int ret;

	if (drm_dev_is_unplugged(drm))
		return -ENODEV;
	vsplit_sync_point("drv.ioctl");
	ret = func(drm, data, file);
	return drm_dev_is_unplugged(drm) ? -ENODEV : ret;
}

#define VSPLIT_IOCTL(_NAME, _name, _call)						\
static int vsplit_call_##_NAME(struct drm_device *drm, void *data, struct drm_file *file)	\
{											\
	return _call(drm, data, file, vsplit_##_name##_ioctl);				\
}

#include "vsplit_ioctls_table.h"

#define VSPLIT_IOCTL(_NAME, ...) \
	DRM_IOCTL_DEF_DRV(VSPLIT_##_NAME, vsplit_call_##_NAME, DRM_RENDER_ALLOW),
static const struct drm_ioctl_desc vsplit_ioctls[] = {
#include "vsplit_ioctls_table.h"
};

static int vsplit_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;

	if (drm_dev_is_unplugged(file->minor->dev))
		return -ENODEV;
	if (vma->vm_pgoff >= VSPLIT_MFENCE_PGOFF)
		return vsplit_mfences_mmap(vsplit_file_mfences(file), vma);
	return drm_gem_mmap(filp, vma);
}

static int vsplit_flush(struct file *filp, fl_owner_t id)
{
	struct drm_file *file = filp->private_data;

	vsplit_exec_flush(vsplit_file_exec(file));
	return 0;
}

/*
 * drm_release() takes the file's framebuffers off their heads before it calls postclose. That
 * waits for pending flips, and so for the work that these wait for. If the task was killed, this
 * cuts the work short first.
 */
static int vsplit_release(struct inode *inode, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct vsplit_device *vdev = to_vsplit_device(file->minor->dev);

	vsplit_escape_close(vdev, to_vsplit_file(file));
	vsplit_exec_kill(vdev, vsplit_file_exec(file));
	return drm_release(inode, filp);
}

static __poll_t vsplit_poll(struct file *filp, poll_table *wait)
{
	struct drm_file *file = filp->private_data;
	__poll_t events = drm_poll(filp, wait);

	return drm_dev_is_unplugged(file->minor->dev) ? events | EPOLLHUP | EPOLLERR : events;
}

/*
 * drm_read() alone would sleep on when the adapter goes away, so this waits in its place. Events
 * that have come until then can still be read. A read() that began before O_NONBLOCK was set may
 * hold the lock while it waits, so a non-blocking read() only tries the lock.
 */
static ssize_t vsplit_read(struct file *filp, char __user *buffer, size_t count, loff_t *offset)
{
	struct drm_file *file = filp->private_data;
	struct drm_device *drm = file->minor->dev;
	struct mutex *lock = &to_vsplit_file(file)->read_lock;
	ssize_t ret;

	if (filp->f_flags & O_NONBLOCK)
		ret = mutex_trylock(lock) ? 0 : -EAGAIN;
	else
		ret = mutex_lock_interruptible(lock);
	if (ret)
		return ret;
	if (!(filp->f_flags & O_NONBLOCK))
		ret = wait_event_interruptible(file->event_wait,
					       !list_empty_careful(&file->event_list) ||
					       drm_dev_is_unplugged(drm));
	if (!ret)
		ret = drm_dev_is_unplugged(drm) && list_empty_careful(&file->event_list) ?
		      -ENODEV : drm_read(filp, buffer, count, offset);
	mutex_unlock(lock);
	return ret;
}

static const struct file_operations vsplit_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.flush = vsplit_flush,
	.release = vsplit_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.mmap = vsplit_mmap,
	.poll = vsplit_poll,
	.read = vsplit_read,
	.llseek = noop_llseek,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

static const struct drm_driver vsplit_drm_driver = {
	/* vsplit_kms_init() removes the last two flags from an adapter without heads. */
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE |
			   DRIVER_GEM_GPUVA |
			   DRIVER_MODESET | DRIVER_ATOMIC,
	.open = vsplit_open,
	.postclose = vsplit_postclose,
	.prime_fd_to_handle = vsplit_gem_prime_fd_to_handle,
	.gem_prime_import = vsplit_gem_prime_import,
	.dumb_create = vsplit_gem_dumb_create,
	.dumb_map_offset = drm_gem_ttm_dumb_map_offset,
	DRM_FBDEV_TTM_DRIVER_OPS,
	.show_fdinfo = vsplit_fdinfo_show,
	.ioctls = vsplit_ioctls,
	.num_ioctls = ARRAY_SIZE(vsplit_ioctls),
	.fops = &vsplit_fops,
	.name = "vsplit",
	.desc = "Virtual GPU that splits DMA buffers",
	.major = 1,
	.minor = 0,
};

/* ---- the adapter ---- */

/* Adapters that have not been released. */
static atomic_t vsplit_devices;

/* The last drmm action: nothing of the adapter may be left. */
static void vsplit_device_check(struct drm_device *drm, void *unused)
{
	const struct vsplit_stats *stats = &to_vsplit_device(drm)->stats;
	const struct {
		const char *name;
		int left;
	} counts[] = {
		{ "allocations", atomic_read(&stats->nr_bos) },
		{ "contexts", atomic_read(&stats->nr_queues) },
		{ "jobs", atomic_read(&stats->nr_jobs) },
		{ "records", atomic_read(&stats->nr_records) },
		{ "files", atomic_read(&stats->nr_files) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		if (!counts[i].left)
			continue;
		drm_err(drm, "%d %s left\n", counts[i].left, counts[i].name);
		WARN_ON(IS_ENABLED(CONFIG_DRM_VSPLIT_DEBUG));
	}
	if (atomic_dec_and_test(&vsplit_devices))
		wake_up_var(&vsplit_devices);
}

/*
 * Initialises everything but the registration. After an error, the last reference to the DRM
 * device releases what was made.
 */
static int vsplit_device_init(struct vsplit_device *vdev,
			      const struct vsplit_adapter_config *config,
			      const struct vsplit_bar *bar)
{
	int ret;

	/* All other members, statistics too, were allocated as zeros. */
	vdev->config = *config;
	if (bar)
		vdev->bar = *bar;
	atomic_inc(&vsplit_devices);
	ret = drmm_add_action_or_reset(&vdev->drm, vsplit_device_check, NULL);
	if (ret)
		return ret;
	ret = vsplit_fault("drv.exec_init") ? -ENOMEM : vsplit_exec_init(vdev);
	if (ret)
		return ret;
	ret = vsplit_fault("drv.mm_init") ? -ENOMEM : vsplit_mm_init(vdev);
	if (ret)
		return ret;
	ret = vsplit_fault("drv.kms_init") ? -ENOMEM : vsplit_kms_init(vdev);
	if (ret)
		return ret;
	vsplit_debugfs_add(vdev);
	return 0;
}

/* Wakes tasks in vsplit_poll() and vsplit_read(), and signals the eventfds for trims. */
static void vsplit_device_hang_up(struct vsplit_device *vdev)
{
	struct drm_file *file;

	guard(mutex)(&vdev->drm.filelist_mutex);
	list_for_each_entry(file, &vdev->drm.filelist, lhead) {
		wake_up_all(&file->event_wait);
		vsplit_resid_hang_up(vsplit_file_resid(file));
	}
}

/*
 * The adapter's device goes away, even while it is used; again, this does nothing. The engines end
 * first: they signal unfinished work with -ENODEV, which ends all waits inside drm_dev_enter().
 * drm_dev_unplug() then ends the CPU mappings: they show zeros from then on. The second
 * vsplit_exec_unplug() ends work that was submitted between the two. Heads go dark last, when all
 * fences that their commits wait for are signalled. When this function returns, nothing touches the
 * memory of any segment any more. May sleep.
 */
void vsplit_device_unplug(struct vsplit_device *vdev)
{
	if (drm_dev_is_unplugged(&vdev->drm))
		return;
	vsplit_resid_stop_periods(&vdev->mm.resid);
	vsplit_exec_unplug(vdev);
	vsplit_sync_point("drv.unplug");
	vsplit_compat_unplug(&vdev->drm);
	vsplit_device_hang_up(vdev);
	vsplit_exec_unplug(vdev);
	vsplit_kms_shutdown(vdev);
}

/*
 * Make an adapter of a device that is being probed, and register it. The adapter becomes the
 * device's driver data, and lives as long as the device is bound, or longer if there is another
 * reference. @config: checked by vsplit_config_check(); copied. @bar: BAR of @parent, for segments
 * whose configuration has @bar set; copied; NULL: none. May sleep. Return: the adapter, or
 * ERR_PTR() and nothing is left of it.
 */
struct vsplit_device *vsplit_device_create(struct device *parent,
					   const struct vsplit_adapter_config *config,
					   const struct vsplit_bar *bar)
{
	struct vsplit_device *vdev;
	int ret;

	vdev = devm_drm_dev_alloc(parent, &vsplit_drm_driver, struct vsplit_device, drm);
	if (IS_ERR(vdev))
		return vdev;
	ret = vsplit_device_init(vdev, config, bar);
	if (ret)
		return ERR_PTR(ret);
	dev_set_drvdata(parent, vdev);
	ret = vsplit_fault("drv.register") ? -ENOMEM : drm_dev_register(&vdev->drm, 0);
	if (ret) {
		vsplit_device_unplug(vdev);
		return ERR_PTR(ret);
	}
	drm_info(&vdev->drm, "adapter %s: %u segments, %u slots, %u engines%s\n",
		 vdev->config.name, vdev->config.nr_segments, vdev->config.slots,
		 vdev->config.engines, vdev->config.test ? ", test mode" : "");
	vsplit_kms_register(vdev);
	vsplit_resid_start_periods(&vdev->mm.resid);
	return vdev;
}

/* ---- suspend and resume ---- */

/*
 * Tasks are frozen. Heads stop reading memory. Engines stand still where they are, and go on from
 * there at resume: no work is cancelled, whatever it waits for. Segments keep their bytes. Periods
 * of trims stop, for in a period that ended meanwhile no file would have used anything.
 */
static int vsplit_pm_suspend(struct device *dev)
{
	struct vsplit_device *vdev = dev_get_drvdata(dev);

	if (!vdev || drm_dev_is_unplugged(&vdev->drm))
		return 0;
	vsplit_resid_stop_periods(&vdev->mm.resid);
	vsplit_kms_set_paused(vdev, true);
	vsplit_gpu_park(vdev->gpu);
	return 0;
}

static int vsplit_pm_resume(struct device *dev)
{
	struct vsplit_device *vdev = dev_get_drvdata(dev);

	if (!vdev || drm_dev_is_unplugged(&vdev->drm))
		return 0;
	vsplit_gpu_unpark(vdev->gpu);
	vsplit_kms_set_paused(vdev, false);
	vsplit_resid_start_periods(&vdev->mm.resid);
	return 0;
}

/*
 * A hibernation image would not have the bytes behind a BAR, so such an adapter refuses. After a
 * failed reset the adapter is unplugged, and there are no bytes to keep.
 */
static int vsplit_pm_freeze(struct device *dev)
{
	struct vsplit_device *vdev = dev_get_drvdata(dev);

	if (vdev && vdev->bar.memory && !drm_dev_is_unplugged(&vdev->drm))
		return -EBUSY;
	return vsplit_pm_suspend(dev);
}

const struct dev_pm_ops vsplit_pm_ops = {
	.suspend = pm_sleep_ptr(vsplit_pm_suspend),
	.resume = pm_sleep_ptr(vsplit_pm_resume),
	.freeze = pm_sleep_ptr(vsplit_pm_freeze),
	.thaw = pm_sleep_ptr(vsplit_pm_resume),
	.poweroff = pm_sleep_ptr(vsplit_pm_suspend),
	.restore = pm_sleep_ptr(vsplit_pm_resume),
};

/* Platform data of an adapter's platform device, which frees it. */
struct vsplit_platform_data {
	struct vsplit_adapter_config config; /* constant */
	int probe_error; /* result of the last probe; under the device's lock */
};

static int vsplit_probe(struct platform_device *pdev)
{
	struct vsplit_platform_data *pdata = dev_get_platdata(&pdev->dev);
	struct vsplit_device *vdev;

	if (!pdata)
		return -ENODEV;
	vdev = vsplit_fault("drv.probe") ? ERR_PTR(-ENOMEM) :
	       vsplit_device_create(&pdev->dev, &pdata->config, NULL);
	pdata->probe_error = PTR_ERR_OR_ZERO(vdev);
	return pdata->probe_error;
}

static void vsplit_remove(struct platform_device *pdev)
{
	vsplit_device_unplug(platform_get_drvdata(pdev));
}

static struct platform_driver vsplit_platform_driver = {
	.probe = vsplit_probe,
	.remove = vsplit_remove,
	.driver = {
		.name = "vsplit",
		.pm = pm_ptr(&vsplit_pm_ops),
		/* vsplit_adapter_create() looks at the result of the probe. */
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

/* Remove an adapter, even while it is used. May sleep. */
void vsplit_adapter_destroy(struct platform_device *pdev)
{
	int id = pdev->id;

	platform_device_unregister(pdev);
	ida_free(&vsplit_adapter_ida, id);
}

/* Returns the device if a driver is bound to it; else removes it and returns the error. */
static struct platform_device *vsplit_adapter_probed(struct platform_device *pdev)
{
	const struct vsplit_platform_data *pdata = dev_get_platdata(&pdev->dev);
	int ret;

	scoped_guard(device, &pdev->dev)
		ret = pdev->dev.driver ? 0 : pdata->probe_error;
	if (!ret)
		return pdev;
	vsplit_adapter_destroy(pdev);
	return ERR_PTR(ret);
}

/*
 * Make an adapter of a configuration, checked by vsplit_config_check(), which is copied. May sleep.
 * Return: its platform device, or ERR_PTR(), also of an error of its probe.
 */
struct platform_device *vsplit_adapter_create(const struct vsplit_adapter_config *config)
{
	struct platform_device_info info = {
		.name = vsplit_platform_driver.driver.name,
		.size_data = sizeof(struct vsplit_platform_data),
		.dma_mask = DMA_BIT_MASK(64),
	};
	struct vsplit_platform_data *pdata __free(kfree) = NULL;
	struct platform_device *pdev;

	/*
	 * This is no initialised variable on the stack: gcc 12 with
	 * -ftrivial-auto-var-init=zero clears the padding of its segments at wrong offsets.
	 */
	pdata = vsplit_fault("drv.adapter") ? NULL : kzalloc(sizeof(*pdata), GFP_KERNEL);
	if (!pdata)
		return ERR_PTR(-ENOMEM);
	pdata->config = *config;
	pdata->probe_error = -ENODEV;
	info.data = pdata;

	info.id = ida_alloc(&vsplit_adapter_ida, GFP_KERNEL);
	if (info.id < 0)
		return ERR_PTR(info.id);
	pdev = platform_device_register_full(&info);
	if (IS_ERR(pdev)) {
		ida_free(&vsplit_adapter_ida, info.id);
		return pdev;
	}
	return vsplit_adapter_probed(pdev);
}

/* N of an adapter's /dev/dri/renderDN or cardN; -ENODEV if no driver is bound to @pdev. */
int vsplit_adapter_minor(struct platform_device *pdev, bool render)
{
	struct vsplit_device *vdev;

	guard(device)(&pdev->dev);
	vdev = platform_get_drvdata(pdev);
	if (!pdev->dev.driver || !vdev)
		return -ENODEV;
	return (render ? vdev->drm.render : vdev->drm.primary)->index;
}

/* ---- the module ---- */

/* Adapters that the module parameters ask for. */
static struct platform_device *vsplit_adapters[VSPLIT_MAX_ADAPTERS];

static void vsplit_adapters_destroy(void)
{
	u32 i;

	for (i = 0; i < VSPLIT_MAX_ADAPTERS; i++) {
		if (vsplit_adapters[i])
			vsplit_adapter_destroy(vsplit_adapters[i]);
		vsplit_adapters[i] = NULL;
	}
}

/*
 * Programs open an adapter as soon as it exists, and then the module must not fail to load. So if
 * an adapter cannot be made, those before it stay.
 */
static void __init vsplit_adapters_create(struct vsplit_adapter_config *config)
{
	struct platform_device *pdev;
	u32 i;

	for (i = 0; i < vsplit_params_adapters(); i++) {
		snprintf(config->name, sizeof(config->name), "vsplit%u", i);
		pdev = vsplit_adapter_create(config);
		if (IS_ERR(pdev)) {
			pr_err("adapter %s: error %ld\n", config->name, PTR_ERR(pdev));
			break;
		}
		vsplit_adapters[i] = pdev;
	}
}

static int __init vsplit_init(void)
{
	struct vsplit_adapter_config config;
	int ret;

	if (cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT)) {
		pr_err("this guest's memory is encrypted; mappings of video memory would not be\n");
		return -EOPNOTSUPP;
	}
	ret = vsplit_params_config(&config);
	if (ret)
		return ret;
	ret = vsplit_mm_module_init();
	if (ret)
		return ret;
	ret = vsplit_mfence_module_init();
	if (ret)
		goto err_mm;
	ret = vsplit_exec_module_init();
	if (ret)
		goto err_fence;
	vsplit_debugfs_init();
	ret = platform_driver_register(&vsplit_platform_driver);
	if (ret)
		goto err_debugfs;
	ret = vsplit_configfs_init();
	if (ret)
		goto err_driver;
	ret = IS_ENABLED(CONFIG_PCI) ? pci_register_driver(&vsplit_pci_driver) : 0;
	if (ret)
		goto err_configfs;
	vsplit_adapters_create(&config);
	return 0;

err_configfs:
	vsplit_configfs_exit();
err_driver:
	platform_driver_unregister(&vsplit_platform_driver);
err_debugfs:
	vsplit_debugfs_exit();
	vsplit_exec_module_exit();
err_fence:
	vsplit_mfence_module_exit();
err_mm:
	vsplit_mm_module_exit();
	return ret;
}

static void __exit vsplit_exit(void)
{
	vsplit_adapters_destroy();
	if (IS_ENABLED(CONFIG_PCI))
		pci_unregister_driver(&vsplit_pci_driver);
	vsplit_configfs_exit();
	platform_driver_unregister(&vsplit_platform_driver);
	/* Workers of DRM's may still be giving up what a last commit has replaced, or written. */
	wait_var_event(&vsplit_devices, !atomic_read(&vsplit_devices));
	vsplit_debugfs_exit();
	vsplit_exec_module_exit();
	vsplit_mfence_module_exit();
	vsplit_mm_module_exit();
	ida_destroy(&vsplit_adapter_ida);
}

module_init(vsplit_init);
module_exit(vsplit_exit);

MODULE_AUTHOR("The vsplit authors");
MODULE_DESCRIPTION("Virtual GPU that splits DMA buffers");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_ALIAS("platform:vsplit");
