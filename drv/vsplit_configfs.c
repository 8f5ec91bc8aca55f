// SPDX-License-Identifier: GPL-2.0 OR MIT
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/configfs.h>
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "debug/vsplit_fault.h"
#include "vsplit_drv.h"
#include "vsplit_params.h"

/**
 * DOC: configfs
 *
 * Adapters are made at run time in ``/sys/kernel/config/vsplit/``::
 *
 *	mkdir A                         makes an adapter, with the defaults of the parameters
 *	echo 16 > A/slots               sets an option; A has a file for each
 *	mkdir A/segments/vram           adds a segment; first those that are preferred
 *	echo memory > A/segments/vram/type
 *	echo 1M > A/segments/vram/size
 *	echo 1 > A/enable               makes the device; fails if that fails
 *	cat A/render                    N of /dev/dri/renderDN
 *	echo 0 > A/enable               removes the device, even while it is used
 *	rmdir A/segments/vram A
 *
 * The name of an adapter consists of 1 to 31 letters, digits, ``-``, ``_`` and ``.``; that of a
 * segment of letters, digits and ``_``. The latter does not begin with a digit, and is not
 * ``system``.
 *
 * ``segments/NAME/`` has ``type`` (memory, aperture), ``size``, ``commit`` (bytes
 * that may be resident at once; 0, the default: all), ``cpu`` (how much the CPU
 * can map: all, none or bytes) and ``ranges`` (swizzling ranges of a memory segment; 0,
 * the default: none). ``device``, ``primary`` and ``render`` name the
 * device and its files in /dev/dri; reading them gives -ENODEV if there is no device or no driver
 * is bound to it.
 *
 * While the adapter is enabled, options cannot be written and segments cannot be added: -EBUSY. A
 * segment may be removed at any time, because the device has a copy of the configuration.
 * Removing the directory of an enabled adapter removes the device.
 *
 * Each directory holds a reference to the module. vsplit_cfs_adapter.lock protects all that is in
 * the directory. Lock order: configfs's own locks, vsplit_cfs_adapter.lock, the device lock.
 */

/**
 * struct vsplit_cfs_adapter - ``A/``.
 * @group: configfs's group of ``A/``.
 * @segments_group: configfs's group of ``A/segments/``.
 * @lock: protects the members below.
 * @config: the options as users wrote them; without segments.
 * @segments: struct vsplit_cfs_segment, in order of creation.
 * @pdev: the device while the adapter is enabled, else NULL. Reading ``enable`` takes no lock.
 */
struct vsplit_cfs_adapter {
	struct config_group group;
	struct config_group segments_group;
	/* protects the members below */
	struct mutex lock;
	struct vsplit_adapter_config config;
	struct list_head segments;
	struct platform_device *pdev;
};

/* ``A/segments/NAME/``. The adapter, which outlives it, has the lock of @link and @config. */
struct vsplit_cfs_segment {
	struct config_item item;
	struct vsplit_cfs_adapter *adapter;
	struct list_head link;
	struct vsplit_segment_config config; /* the options as users wrote them */
};

static struct vsplit_cfs_adapter *to_vsplit_cfs_adapter(struct config_item *item)
{
	return container_of(to_config_group(item), struct vsplit_cfs_adapter, group);
}

static struct vsplit_cfs_segment *to_vsplit_cfs_segment(struct config_item *item)
{
	return container_of(item, struct vsplit_cfs_segment, item);
}

/* ---- segments ---- */

static ssize_t vsplit_cfs_segment_show(struct config_item *item, char *page, const char *option)
{
	struct vsplit_cfs_segment *segment = to_vsplit_cfs_segment(item);

	guard(mutex)(&segment->adapter->lock);
	return vsplit_segment_config_get(&segment->config, option, page);
}

static ssize_t vsplit_cfs_segment_store(struct config_item *item, const char *page, size_t count,
					const char *option)
{
	struct vsplit_cfs_segment *segment = to_vsplit_cfs_segment(item);

	guard(mutex)(&segment->adapter->lock);
	return segment->adapter->pdev ? -EBUSY :
	       vsplit_segment_config_set(&segment->config, option, page) ?: count;
}

#define VSPLIT_CFS_SEGMENT_ATTR(_name)							\
static ssize_t vsplit_cfs_segment_##_name##_show(struct config_item *item, char *page)	\
{											\
	return vsplit_cfs_segment_show(item, page, #_name);				\
}											\
											\
static ssize_t vsplit_cfs_segment_##_name##_store(struct config_item *item,		\
						  const char *page, size_t count)	\
{											\
	return vsplit_cfs_segment_store(item, page, count, #_name);			\
}											\
											\
CONFIGFS_ATTR(vsplit_cfs_segment_, _name)

VSPLIT_CFS_SEGMENT_ATTR(type);
VSPLIT_CFS_SEGMENT_ATTR(size);
VSPLIT_CFS_SEGMENT_ATTR(commit);
VSPLIT_CFS_SEGMENT_ATTR(cpu);
VSPLIT_CFS_SEGMENT_ATTR(ranges);

static struct configfs_attribute *vsplit_cfs_segment_attrs[] = {
	&vsplit_cfs_segment_attr_type,
	&vsplit_cfs_segment_attr_size,
	&vsplit_cfs_segment_attr_commit,
	&vsplit_cfs_segment_attr_cpu,
	&vsplit_cfs_segment_attr_ranges,
	NULL,
};

static void vsplit_cfs_segment_release(struct config_item *item)
{
	kfree(to_vsplit_cfs_segment(item));
}

static struct configfs_item_operations vsplit_cfs_segment_ops = {
	.release = vsplit_cfs_segment_release,
};

static const struct config_item_type vsplit_cfs_segment_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &vsplit_cfs_segment_ops,
	.ct_attrs = vsplit_cfs_segment_attrs,
};

static struct vsplit_cfs_adapter *vsplit_cfs_adapter_of_segments(struct config_group *group)
{
	return container_of(group, struct vsplit_cfs_adapter, segments_group);
}

static struct config_item *vsplit_cfs_segments_make(struct config_group *group, const char *name)
{
	struct vsplit_cfs_adapter *adapter = vsplit_cfs_adapter_of_segments(group);
	struct vsplit_cfs_segment *segment __free(kfree) = NULL;

	if (vsplit_segment_name_check(name))
		return ERR_PTR(-EINVAL);
	segment = vsplit_fault("configfs.segment") ? NULL : kzalloc(sizeof(*segment), GFP_KERNEL);
	if (!segment)
		return ERR_PTR(-ENOMEM);
	segment->adapter = adapter;
	vsplit_segment_config_init(&segment->config, name);

	guard(mutex)(&adapter->lock);
	if (adapter->pdev)
		return ERR_PTR(-EBUSY);
	if (list_count_nodes(&adapter->segments) == VSPLIT_MAX_SEGMENTS)
		return ERR_PTR(-ENOSPC);
	config_item_init_type_name(&segment->item, name, &vsplit_cfs_segment_type);
	list_add_tail(&segment->link, &adapter->segments);
	return &no_free_ptr(segment)->item;
}

static void vsplit_cfs_segments_drop(struct config_group *group, struct config_item *item)
{
	struct vsplit_cfs_adapter *adapter = vsplit_cfs_adapter_of_segments(group);

	scoped_guard(mutex, &adapter->lock)
		list_del(&to_vsplit_cfs_segment(item)->link);
	config_item_put(item);
}

static struct configfs_group_operations vsplit_cfs_segments_ops = {
	.make_item = vsplit_cfs_segments_make,
	.drop_item = vsplit_cfs_segments_drop,
};

static const struct config_item_type vsplit_cfs_segments_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &vsplit_cfs_segments_ops,
};

/* ---- an adapter's options ---- */

static ssize_t vsplit_cfs_option_show(struct config_item *item, char *page,
				      const struct vsplit_param *param)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);

	guard(mutex)(&adapter->lock);
	return vsplit_param_get(param, &adapter->config, page);
}

static ssize_t vsplit_cfs_option_store(struct config_item *item, const char *page, size_t count,
				       const struct vsplit_param *param)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);

	guard(mutex)(&adapter->lock);
	return adapter->pdev ? -EBUSY : vsplit_param_set(param, &adapter->config, page) ?: count;
}

#define VSPLIT_PARAM(...)	static_assert(true)
#define VSPLIT_OPTION(_name, ...)							\
static ssize_t vsplit_cfs_##_name##_show(struct config_item *item, char *page)		\
{											\
	return vsplit_cfs_option_show(item, page, &vsplit_param_##_name);		\
}											\
											\
static ssize_t vsplit_cfs_##_name##_store(struct config_item *item, const char *page,	\
					  size_t count)					\
{											\
	return vsplit_cfs_option_store(item, page, count, &vsplit_param_##_name);	\
}											\
											\
CONFIGFS_ATTR(vsplit_cfs_, _name)
#include "vsplit_params_table.h"

/* ---- enabling ---- */

/* Returns the adapter's options with its segments, which the caller frees; or NULL. */
static struct vsplit_adapter_config *vsplit_cfs_config(struct vsplit_cfs_adapter *adapter)
{
	struct vsplit_adapter_config *config;
	struct vsplit_cfs_segment *segment;

	lockdep_assert_held(&adapter->lock);
	config = vsplit_fault("configfs.enable") ? NULL :
		 kmemdup(&adapter->config, sizeof(*config), GFP_KERNEL);
	if (!config)
		return NULL;
	list_for_each_entry(segment, &adapter->segments, link)
		config->segments[config->nr_segments++] = segment->config;
	return config;
}

static int vsplit_cfs_enable(struct vsplit_cfs_adapter *adapter)
{
	struct vsplit_adapter_config *config __free(kfree) = vsplit_cfs_config(adapter);
	struct platform_device *pdev;
	int ret;

	if (!config)
		return -ENOMEM;
	ret = vsplit_config_check(config, 1);
	if (ret)
		return ret;
	pdev = vsplit_adapter_create(config);
	if (IS_ERR(pdev)) {
		pr_err("adapter %s: error %ld\n", config->name, PTR_ERR(pdev));
		return PTR_ERR(pdev);
	}
	adapter->pdev = pdev;
	return 0;
}

static void vsplit_cfs_disable(struct vsplit_cfs_adapter *adapter)
{
	lockdep_assert_held(&adapter->lock);
	if (adapter->pdev)
		vsplit_adapter_destroy(adapter->pdev);
	adapter->pdev = NULL;
}

static ssize_t vsplit_cfs_enable_show(struct config_item *item, char *page)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);

	return sysfs_emit(page, "%d\n", !!READ_ONCE(adapter->pdev));
}

static ssize_t vsplit_cfs_enable_store(struct config_item *item, const char *page, size_t count)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);
	bool enable;
	int ret;

	ret = vsplit_flag_parse(page, &enable);
	if (ret)
		return ret;
	guard(mutex)(&adapter->lock);
	if (!enable)
		vsplit_cfs_disable(adapter);
	else if (!adapter->pdev)
		ret = vsplit_cfs_enable(adapter);
	return ret ?: count;
}

static ssize_t vsplit_cfs_device_show(struct config_item *item, char *page)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);

	guard(mutex)(&adapter->lock);
	return adapter->pdev ? sysfs_emit(page, "%s\n", dev_name(&adapter->pdev->dev)) : -ENODEV;
}

static ssize_t vsplit_cfs_minor_show(struct config_item *item, char *page, bool render)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);
	int minor;

	guard(mutex)(&adapter->lock);
	minor = adapter->pdev ? vsplit_adapter_minor(adapter->pdev, render) : -ENODEV;
	return minor < 0 ? minor : sysfs_emit(page, "%d\n", minor);
}

static ssize_t vsplit_cfs_primary_show(struct config_item *item, char *page)
{
	return vsplit_cfs_minor_show(item, page, false);
}

static ssize_t vsplit_cfs_render_show(struct config_item *item, char *page)
{
	return vsplit_cfs_minor_show(item, page, true);
}

CONFIGFS_ATTR(vsplit_cfs_, enable);
CONFIGFS_ATTR_RO(vsplit_cfs_, device);
CONFIGFS_ATTR_RO(vsplit_cfs_, primary);
CONFIGFS_ATTR_RO(vsplit_cfs_, render);

/* If an option of the table is missing here, the compiler warns of an unused attribute. */
static struct configfs_attribute *vsplit_cfs_attrs[] = {
	&vsplit_cfs_attr_aperture_limit,
	&vsplit_cfs_attr_slots,
	&vsplit_cfs_attr_engines,
	&vsplit_cfs_attr_timeout_ms,
	&vsplit_cfs_attr_trim_period_ms,
	&vsplit_cfs_attr_clock,
	&vsplit_cfs_attr_model_command_ns,
	&vsplit_cfs_attr_model_bytes_per_us,
	&vsplit_cfs_attr_model_macs_per_us,
	&vsplit_cfs_attr_model_paging_bytes_per_us,
	&vsplit_cfs_attr_model_paging_op_ns,
	&vsplit_cfs_attr_preemption,
	&vsplit_cfs_attr_save_restore,
	&vsplit_cfs_attr_paging,
	&vsplit_cfs_attr_victims,
	&vsplit_cfs_attr_splits,
	&vsplit_cfs_attr_look_ahead,
	&vsplit_cfs_attr_lenient,
	&vsplit_cfs_attr_heads,
	&vsplit_cfs_attr_fbdev,
	&vsplit_cfs_attr_leak_detection,
	&vsplit_cfs_attr_contexts,
	&vsplit_cfs_attr_test,
	&vsplit_cfs_attr_enable,
	&vsplit_cfs_attr_device,
	&vsplit_cfs_attr_primary,
	&vsplit_cfs_attr_render,
	NULL,
};

static void vsplit_cfs_release(struct config_item *item)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);

	mutex_destroy(&adapter->lock);
	kfree(adapter);
}

static struct configfs_item_operations vsplit_cfs_ops = {
	.release = vsplit_cfs_release,
};

static const struct config_item_type vsplit_cfs_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &vsplit_cfs_ops,
	.ct_attrs = vsplit_cfs_attrs,
};

/* ---- the root ---- */

static int vsplit_cfs_name_check(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		/* For isalnum(), bytes beyond ASCII may be letters. */
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("-_.", name[i])))
			return -EINVAL;
	}
	return i < VSPLIT_NAME_LEN ? 0 : -EINVAL;
}

static struct config_group *vsplit_cfs_make(struct config_group *group, const char *name)
{
	struct vsplit_cfs_adapter *adapter;

	if (vsplit_cfs_name_check(name))
		return ERR_PTR(-EINVAL);
	adapter = vsplit_fault("configfs.adapter") ? NULL : kzalloc(sizeof(*adapter), GFP_KERNEL);
	if (!adapter)
		return ERR_PTR(-ENOMEM);
	mutex_init(&adapter->lock);
	INIT_LIST_HEAD(&adapter->segments);
	vsplit_config_defaults(&adapter->config);
	strscpy(adapter->config.name, name, sizeof(adapter->config.name));

	config_group_init_type_name(&adapter->group, name, &vsplit_cfs_type);
	config_group_init_type_name(&adapter->segments_group, "segments",
				    &vsplit_cfs_segments_type);
	configfs_add_default_group(&adapter->segments_group, &adapter->group);
	return &adapter->group;
}

static void vsplit_cfs_drop(struct config_group *group, struct config_item *item)
{
	struct vsplit_cfs_adapter *adapter = to_vsplit_cfs_adapter(item);

	scoped_guard(mutex, &adapter->lock)
		vsplit_cfs_disable(adapter);
	config_item_put(item);
}

static struct configfs_group_operations vsplit_cfs_root_ops = {
	.make_group = vsplit_cfs_make,
	.drop_item = vsplit_cfs_drop,
};

static const struct config_item_type vsplit_cfs_root_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &vsplit_cfs_root_ops,
};

static struct configfs_subsystem vsplit_cfs = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "vsplit",
			.ci_type = &vsplit_cfs_root_type,
		},
	},
};

/** vsplit_configfs_init() - Make /sys/kernel/config/vsplit. Return: 0 or a negative error. */
int vsplit_configfs_init(void)
{
	config_group_init(&vsplit_cfs.su_group);
	mutex_init(&vsplit_cfs.su_mutex);
	return configfs_register_subsystem(&vsplit_cfs);
}

/** vsplit_configfs_exit() - Remove the directory, which is empty: others hold the module. */
void vsplit_configfs_exit(void)
{
	configfs_unregister_subsystem(&vsplit_cfs);
	mutex_destroy(&vsplit_cfs.su_mutex);
}
