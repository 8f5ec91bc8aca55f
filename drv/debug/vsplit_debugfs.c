// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/debugfs.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_print.h>

#include "debug/vsplit_debug.h"
#include "debug/vsplit_fault.h"
#include "exec/vsplit_exec.h"
#include "vsplit_device.h"
#include "vsplit_params.h"

/**
 * DOC: debugfs
 *
 * For root, in the directory of the DRM device (``dri/vsplit.0/``); what a client
 * needs comes from ioctls. These files are only read, change nothing, and wait for
 * nothing but short locks:
 *
 * ``segments``
 *	what is where in each segment.
 * ``queues``
 *	the engines, and the jobs that are not done; where these are very many, the oldest ones.
 * ``config``
 *	the values of the adapter's options.
 * ``stats``
 *	totals since the adapter was made: submissions, portions, bytes of paging and of
 *	what the host got back, faults and hangs, steps of planning, and steps through
 *	what requirement lists of other clients hold.
 * ``counters``
 *	objects that there are now: with no file open and nothing shared, only the
 *	paging queue.
 *
 * In test mode there are the fault knobs, too, under the names of the WDDM
 * verifier's flags (EXT-14). Those about submissions take effect with the next
 * submission, the others at once:
 *
 * ``take_split_point``
 *	every split point becomes a cut (TakeSplitPoint).
 * ``always_repatch``
 *	patch again when the program starts (AlwaysRepatch).
 * ``never_prepatch``
 *	patch only when the program starts (NeverPrepatch).
 * ``expect_preparation_failure``
 *	N: one in N preparations fails late with -ENOMEM; 0: none
 *	(ExpectPreparationFailure).
 * ``evict_between``
 *	evict all that is not kept at every cut.
 * ``random_placement``
 *	seed of random placement, of all that is not pinned; 0: lowest fit. A list
 *	without a solution at random places is planned again at lowest fits.
 * ``delay_paging``
 *	microseconds that every paging step takes longer (DelayExecution).
 * ``fail_acquire_swizzling_range``
 *	no swizzling range can be had (FailAcquireSwizzlingRange).
 * ``lose_aperture_maps``
 *	mapping into an aperture leaves the dummy page there, so that the GPU's
 *	accesses are strays.
 * ``shrink``
 *	write N: the host gets back N pages, as if its memory were short and there were swap.
 *
 * ``vsplit/fault/`` in the root of debugfs is described with the fault sites.
 */

#define VSPLIT_MAX_PAGING_DELAY	1000000

static struct vsplit_device *vsplit_debugfs_device(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_vsplit_device(entry->dev);
}

static int vsplit_debugfs_segments(struct seq_file *m, void *unused)
{
	struct vsplit_device *vdev = vsplit_debugfs_device(m);
	struct drm_printer p = drm_seq_file_printer(m);
	u32 i;

	for (i = 0; i < vdev->mm.nr_segments; i++) {
		drm_printf(&p, "segment %u: %s\n", i + 1, vdev->config.segments[i].name);
		vsplit_segment_print(&vdev->mm.segments[i], &p);
	}
	return 0;
}

static int vsplit_debugfs_queues(struct seq_file *m, void *unused)
{
	struct drm_printer p = drm_seq_file_printer(m);

	vsplit_exec_print(vsplit_debugfs_device(m), &p);
	return 0;
}

static void vsplit_debugfs_option(struct seq_file *m, const struct vsplit_adapter_config *config,
				  const struct vsplit_param *param, char *page)
{
	vsplit_param_get(param, config, page);
	seq_printf(m, "%s %s", param->name, page);
}

static int vsplit_debugfs_config(struct seq_file *m, void *unused)
{
	const struct vsplit_adapter_config *config = &vsplit_debugfs_device(m)->config;
	/* An option is printed as for configfs, into a page. */
	char *page __free(kfree) = kmalloc(PAGE_SIZE, GFP_KERNEL);
	u32 i;

	if (!page)
		return -ENOMEM;
	seq_printf(m, "name %s\n", config->name);
	for (i = 0; i < config->nr_segments; i++) {
		const struct vsplit_segment_config *segment = &config->segments[i];

		seq_printf(m, "segment %s %s size %llu commit %llu cpu %llu ranges %u\n",
			   segment->name, segment->aperture ? "aperture" : "memory",
			   segment->size, segment->commit_limit, segment->cpu_visible,
			   segment->ranges);
	}
#define VSPLIT_PARAM(...)
#define VSPLIT_OPTION(_name, ...) \
	vsplit_debugfs_option(m, config, &vsplit_param_##_name, page)
#include "../vsplit_params_table.h"
	return 0;
}

static int vsplit_debugfs_stats(struct seq_file *m, void *unused)
{
	struct vsplit_device *vdev = vsplit_debugfs_device(m);
	const struct vsplit_stats *stats = &vdev->stats;

	seq_printf(m, "submissions %lld\n", atomic64_read(&stats->submissions));
	seq_printf(m, "portions %lld\n", atomic64_read(&stats->portions));
	seq_printf(m, "splits %lld\n", atomic64_read(&stats->splits));
	seq_printf(m, "plan_steps %lld\n", atomic64_read(&stats->plan_steps));
	seq_printf(m, "evicted_bytes %lld\n", atomic64_read(&stats->evicted));
	seq_printf(m, "evicted_copied_bytes %lld\n", atomic64_read(&stats->evicted_copied));
	seq_printf(m, "paged_in_bytes %lld\n", atomic64_read(&stats->paged_in));
	seq_printf(m, "paged_in_copied_bytes %lld\n", atomic64_read(&stats->paged_in_copied));
	seq_printf(m, "moved_bytes %lld\n", atomic64_read(&stats->moved));
	seq_printf(m, "discarded_bytes %lld\n", atomic64_read(&stats->discarded));
	seq_printf(m, "swapped_bytes %lld\n", atomic64_read(&stats->swapped));
	seq_printf(m, "faults %lld\n", atomic64_read(&stats->faults));
	seq_printf(m, "hangs %lld\n", atomic64_read(&stats->hangs));
	seq_printf(m, "ranges_acquired %lld\n", atomic64_read(&stats->ranges_acquired));
	seq_printf(m, "ranges_released %lld\n", atomic64_read(&stats->ranges_released));
	seq_printf(m, "list_steps %llu\n", READ_ONCE(vdev->mm.resid.steps));
	seq_printf(m, "stray_writes %llu\n", vsplit_gpu_stray_writes(vdev->gpu));
	return 0;
}

static int vsplit_debugfs_counters(struct seq_file *m, void *unused)
{
	struct vsplit_device *vdev = vsplit_debugfs_device(m);
	const struct vsplit_stats *stats = &vdev->stats;

	seq_printf(m, "files %d\n", atomic_read(&stats->nr_files));
	seq_printf(m, "bos %d\n", atomic_read(&stats->nr_bos));
	seq_printf(m, "queues %d\n", atomic_read(&stats->nr_queues));
	seq_printf(m, "jobs %d\n", atomic_read(&stats->nr_jobs));
	seq_printf(m, "records %d\n", atomic_read(&stats->nr_records));
	return 0;
}

static const struct drm_debugfs_info vsplit_debugfs_files[] = {
	{ "segments", vsplit_debugfs_segments },
	{ "queues", vsplit_debugfs_queues },
	{ "config", vsplit_debugfs_config },
	{ "stats", vsplit_debugfs_stats },
	{ "counters", vsplit_debugfs_counters },
};

static int vsplit_delay_paging_get(void *data, u64 *val)
{
	struct vsplit_device *vdev = data;

	*val = READ_ONCE(*vsplit_gpu_paging_delay(vdev->gpu));
	return 0;
}

static int vsplit_delay_paging_set(void *data, u64 val)
{
	struct vsplit_device *vdev = data;

	if (val > VSPLIT_MAX_PAGING_DELAY)
		return -ERANGE;
	WRITE_ONCE(*vsplit_gpu_paging_delay(vdev->gpu), val);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(vsplit_delay_paging_fops, vsplit_delay_paging_get,
			 vsplit_delay_paging_set, "%llu\n");

static int vsplit_shrink_set(void *data, u64 val)
{
	struct vsplit_device *vdev = data;

	/* Let lockdep see the locks that it would see when memory is short. */
	fs_reclaim_acquire(GFP_KERNEL);
	vsplit_mm_shrink(&vdev->mm, val, true);
	fs_reclaim_release(GFP_KERNEL);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(vsplit_shrink_fops, NULL, vsplit_shrink_set, "%llu\n");

static void vsplit_debugfs_add_knobs(struct vsplit_device *vdev)
{
	struct dentry *dir = vdev->drm.debugfs_root;
	struct vsplit_knobs *knobs = &vdev->knobs;

	debugfs_create_bool("take_split_point", 0600, dir, &knobs->take_split_point);
	debugfs_create_bool("always_repatch", 0600, dir, &knobs->always_repatch);
	debugfs_create_bool("never_prepatch", 0600, dir, &knobs->never_prepatch);
	debugfs_create_u32("expect_preparation_failure", 0600, dir,
			   &knobs->expect_preparation_failure);
	debugfs_create_bool("evict_between", 0600, dir, &knobs->evict_between);
	debugfs_create_u64("random_placement", 0600, dir, &knobs->random_placement);
	debugfs_create_bool("fail_acquire_swizzling_range", 0600, dir,
			    &knobs->fail_acquire_swizzling_range);
	debugfs_create_file_unsafe("delay_paging", 0600, dir, vdev, &vsplit_delay_paging_fops);
	debugfs_create_u32("lose_aperture_maps", 0600, dir, vsplit_gpu_lose_maps(vdev->gpu));
	debugfs_create_file_unsafe("shrink", 0200, dir, vdev, &vsplit_shrink_fops);
}

/*
 * Make the files of an adapter that is complete but not yet registered; they go when it is
 * unplugged.
 */
void vsplit_debugfs_add(struct vsplit_device *vdev)
{
	drm_debugfs_add_files(&vdev->drm, vsplit_debugfs_files, ARRAY_SIZE(vsplit_debugfs_files));
	if (vdev->config.test)
		vsplit_debugfs_add_knobs(vdev);
}

static struct dentry *vsplit_debugfs_root;

/** vsplit_debugfs_init() - Make the module's own files; at module init. */
void vsplit_debugfs_init(void)
{
	if (!IS_ENABLED(CONFIG_DRM_VSPLIT_DEBUG))
		return;
	vsplit_debugfs_root = debugfs_create_dir("vsplit", NULL);
	vsplit_fault_init(vsplit_debugfs_root);
}

void vsplit_debugfs_exit(void)
{
	debugfs_remove(vsplit_debugfs_root);
	if (IS_ENABLED(CONFIG_DRM_VSPLIT_DEBUG))
		vsplit_fault_fini();
}
