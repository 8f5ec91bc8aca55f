// SPDX-License-Identifier: GPL-2.0 OR MIT
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "vsplit_device.h"
#include "vsplit_params.h"

/**
 * DOC: parameters
 *
 * The table vsplit_params_table.h has all options of an adapter. This file makes a module
 * parameter of each row. configfs makes an attribute of each row that concerns one adapter, with
 * the same parser and the same default. A value that makes no sense by itself is refused at once,
 * and the log has the wrong text. Values that do not fit together are refused by
 * vsplit_config_check(), before an adapter is made.
 *
 * ``segments=`` is a comma-separated list of ``NAME:TYPE:SIZE`` in order of
 * preference, where TYPE is ``memory`` or ``aperture``. Each may have any of
 * ``:commit=SIZE`` (bytes that may be resident at once; 0: all); ``:cpu=all``,
 * ``:cpu=none`` or ``:cpu=SIZE`` (how much of a memory segment the CPU can map; for an
 * aperture segment only queries use it, since the CPU maps its pages anyway); and
 * ``:ranges=N`` (swizzling ranges of a memory segment; default: none).
 * ``segments=`` replaces ``vram=``, ``aperture=`` and ``aperture_commit=``.
 *
 * A PCI device (vsplit_pci.c) is an adapter of the same parameters whose first memory
 * segment is in the device's BAR. If ``vram=`` or ``segments=`` are given, they set the size of
 * that segment, up to that of the BAR; else the segment is as large as the BAR.
 *
 * Parameters are written when the module is loaded and only read afterwards, so
 * there is no lock.
 */

/* Values of the module parameters; sizes in bytes. vsplit_params_segments() makes the segments. */
struct vsplit_params {
	struct vsplit_adapter_config config; /* of every adapter that they make */
	u32 adapters;
	u64 vram;
	u64 aperture;
	u64 aperture_commit;
	char segments[512];
};

static struct vsplit_params vsplit_params;

/* Logs why a configuration is invalid. Return: -EINVAL. */
#define vsplit_invalid(...) ({ pr_err(__VA_ARGS__); -EINVAL; })

/* For each kind, a text that says which values a user may write. */
#define VSPLIT_RIGHT_u32(_min, _max)	__stringify(_min) " to " __stringify(_max)
#define VSPLIT_RIGHT_size(...)		"bytes, or with K, M, G"
#define VSPLIT_RIGHT_bool(...)		"0 or 1"
#define VSPLIT_RIGHT_clock(...)		"real or model"
#define VSPLIT_RIGHT_preemption(...)	"none, split-point or packet"
#define VSPLIT_RIGHT_save_restore(...)	"0 or 1"
#define VSPLIT_RIGHT_paging(...)	"own or same"
#define VSPLIT_RIGHT_victims(...)	"next-use or lru"
#define VSPLIT_RIGHT_splits(...)	"planned or wddm"
#define VSPLIT_RIGHT_contexts(...)	"a list of patch, explicit, va, hw"
#define VSPLIT_RIGHT_segments(...)	"up to six"

#define VSPLIT_PARAM(_name, _kind, _def, _min, _max, _desc, _member)	\
	struct vsplit_param vsplit_param_##_name = {			\
		.name = #_name,						\
		.def = _def,						\
		.desc = _desc,						\
		.right = VSPLIT_RIGHT_##_kind(min, max),		\
		.kind = VSPLIT_KIND_##_kind,				\
		.offset = offsetof(struct vsplit_params, _member),	\
		.min = _min,						\
		.max = _max,						\
	}
#define VSPLIT_OPTION	VSPLIT_PARAM
#include "vsplit_params_table.h"

/*
 * Read a flag; the whole word counts, whereas kstrtobool() looks at the first letters only. @flag
 * is unchanged on error. Return: 0 or -EINVAL.
 */
int vsplit_flag_parse(const char *text, bool *flag)
{
	static const char * const words[] = {
		"0", "1", "n", "y", "N", "Y", "no", "yes", "off", "on", "false", "true",
	};
	int word = sysfs_match_string(words, text);

	if (word < 0)
		return word;
	*flag = word & 1;
	return 0;
}

/* Bytes, or with a suffix K, M or G; white space around it is ignored. */
static int vsplit_parse_size(const char *text, u64 *size)
{
	unsigned int shift = 0;
	char buf[32];
	char *s;
	u64 v, bytes;
	size_t n;
	int ret;

	if (strscpy(buf, text, sizeof(buf)) < 0)
		return -EINVAL;
	s = strim(buf);
	n = strlen(s);
	if (n) {
		switch (toupper(s[n - 1])) {
		case 'G':
			shift += 10;
			fallthrough;
		case 'M':
			shift += 10;
			fallthrough;
		case 'K':
			shift += 10;
			s[n - 1] = 0;
		}
	}
	ret = kstrtou64(s, 0, &v);
	if (ret)
		return ret;
	/* The macro writes @bytes even on overflow, so it does not get @size. */
	if (check_shl_overflow(v, shift, &bytes))
		return -ERANGE;
	*size = bytes;
	return 0;
}

/* Values of all other kinds are u32, and each is written as one word of these. */
static const char * const vsplit_param_words[][3] = {
	[VSPLIT_KIND_clock] = {
		[VSPLIT_GPU_CLOCK_REAL] = "real",
		[VSPLIT_GPU_CLOCK_MODEL] = "model",
	},
	[VSPLIT_KIND_preemption] = {
		[VSPLIT_PREEMPTION_NONE] = "none",
		[VSPLIT_PREEMPTION_SPLIT_POINT] = "split-point",
		[VSPLIT_PREEMPTION_PACKET] = "packet",
	},
	[VSPLIT_KIND_paging] = { "same", "own" },
	[VSPLIT_KIND_victims] = { "lru", "next-use" },
	[VSPLIT_KIND_splits] = { "wddm", "planned" },
};

/* Indexed by enum drm_vsplit_ctx_mode. */
static const char * const vsplit_context_kinds[] = {
	[VSPLIT_CTX_MODE_PATCH] = "patch",
	[VSPLIT_CTX_MODE_EXPLICIT] = "explicit",
	[VSPLIT_CTX_MODE_VA] = "va",
	[VSPLIT_CTX_MODE_HW] = "hw",
};

/* Parses a list of modes with commas between them; PATCH is always in the result. */
static int vsplit_contexts_parse(const char *text, u32 *contexts)
{
	u32 found = BIT(VSPLIT_CTX_MODE_PATCH);
	char copy[64], *rest, *kind;
	int ret = 0;

	/* This parses defaults, too, which must not allocate memory. */
	if (strscpy(copy, text, sizeof(copy)) < 0)
		return -EINVAL;
	rest = strim(copy);
	while (ret >= 0 && (kind = strsep(&rest, ","))) {
		ret = match_string(vsplit_context_kinds, ARRAY_SIZE(vsplit_context_kinds), kind);
		if (ret >= 0)
			found |= BIT(ret);
	}
	if (ret < 0)
		return ret;
	*contexts = found;
	return 0;
}

static int vsplit_contexts_print(u32 contexts, char *page)
{
	int len = sysfs_emit(page, "%s", vsplit_context_kinds[VSPLIT_CTX_MODE_PATCH]);
	u32 i;

	for (i = VSPLIT_CTX_MODE_PATCH + 1; i < ARRAY_SIZE(vsplit_context_kinds); i++)
		if (contexts & BIT(i))
			len += sysfs_emit_at(page, len, ",%s", vsplit_context_kinds[i]);
	return len + sysfs_emit_at(page, len, "\n");
}

static int vsplit_param_parse(const struct vsplit_param *param, void *base, const char *text)
{
	void *member = base + param->offset;
	bool flag;
	u32 number;
	u64 size;
	int ret = 0;

	switch (param->kind) {
	case VSPLIT_KIND_u32:
		ret = kstrtou32(text, 0, &number);
		if (ret)
			break;
		if (number < param->min || number > param->max)
			ret = -ERANGE;
		else
			*(u32 *)member = number;
		break;
	case VSPLIT_KIND_size:
		ret = vsplit_parse_size(text, &size);
		if (ret)
			break;
		if (size < param->min || size > param->max || !PAGE_ALIGNED(size))
			ret = -ERANGE;
		else
			*(u64 *)member = size;
		break;
	case VSPLIT_KIND_bool:
		ret = vsplit_flag_parse(text, member);
		break;
	case VSPLIT_KIND_save_restore:
		if (sysfs_streq(text, "unset"))
			break;
		ret = vsplit_flag_parse(text, &flag);
		if (!ret)
			*(u32 *)member = flag ? VSPLIT_PREEMPTION_SPLIT_POINT :
						VSPLIT_PREEMPTION_NONE;
		break;
	case VSPLIT_KIND_contexts:
		ret = vsplit_contexts_parse(text, member);
		break;
	case VSPLIT_KIND_segments:
		if (strscpy(member, text, sizeof_field(struct vsplit_params, segments)) < 0)
			ret = -ERANGE;
		break;
	default:
		ret = sysfs_match_string(vsplit_param_words[param->kind], text);
		if (ret >= 0)
			*(u32 *)member = ret;
		break;
	}
	return min(ret, 0);
}

/* Logs which values are right, for parameters and attributes alike. */
static void vsplit_param_complain(const struct vsplit_param *param, const char *text)
{
	int len = strcspn(text, "\n");

	switch (param->kind) {
	case VSPLIT_KIND_u32:
		pr_err("%s=%.*s (%s) must be a number from %llu to %llu\n", param->name, len,
		       text, param->desc, param->min, param->max);
		break;
	case VSPLIT_KIND_size:
		pr_err("%s=%.*s (%s) must be a multiple of %lu bytes from %llu to %llu; K, M, G are understood\n",
		       param->name, len, text, param->desc, PAGE_SIZE, param->min, param->max);
		break;
	case VSPLIT_KIND_segments:
		pr_err("%s= is too long\n", param->name);
		break;
	default:
		pr_err("%s=%.*s (%s) must be %s\n", param->name, len, text, param->desc,
		       param->right);
		break;
	}
}

/*
 * Read an option. @base: struct vsplit_params, or struct vsplit_adapter_config for an OPTION row.
 * Return: 0 or -EINVAL (the log says which values are right).
 */
int vsplit_param_set(const struct vsplit_param *param, void *base, const char *text)
{
	if (!vsplit_param_parse(param, base, text))
		return 0;
	vsplit_param_complain(param, text);
	return -EINVAL;
}

/*
 * Print an option, with a line feed; @base as for vsplit_param_set(). Return: length of the text.
 */
int vsplit_param_get(const struct vsplit_param *param, const void *base, char *page)
{
	const void *member = base + param->offset;

	switch (param->kind) {
	case VSPLIT_KIND_u32:
		return sysfs_emit(page, "%u\n", *(const u32 *)member);
	case VSPLIT_KIND_size:
		return sysfs_emit(page, "%llu\n", *(const u64 *)member);
	case VSPLIT_KIND_bool:
		return sysfs_emit(page, "%d\n", *(const bool *)member);
	case VSPLIT_KIND_save_restore:
		return sysfs_emit(page, "%d\n",
				  *(const u32 *)member == VSPLIT_PREEMPTION_SPLIT_POINT);
	case VSPLIT_KIND_contexts:
		return vsplit_contexts_print(*(const u32 *)member, page);
	case VSPLIT_KIND_segments:
		return sysfs_emit(page, "%s\n", (const char *)member);
	default:
		return sysfs_emit(page, "%s\n",
				  vsplit_param_words[param->kind][*(const u32 *)member]);
	}
}

/* ---- module parameters ---- */

static int vsplit_module_param_set(const char *val, const struct kernel_param *kp)
{
	struct vsplit_param *param = kp->arg;
	int ret;

	ret = vsplit_param_set(param, &vsplit_params, val);
	if (ret)
		return ret;
	param->given = true;
	/* save_restore= sets the same member as preemption=. */
	if (param == &vsplit_param_save_restore)
		vsplit_param_preemption.given = true;
	return 0;
}

static int vsplit_module_param_get(char *page, const struct kernel_param *kp)
{
	return vsplit_param_get(kp->arg, &vsplit_params, page);
}

static const struct kernel_param_ops vsplit_module_param_ops = {
	.set = vsplit_module_param_set,
	.get = vsplit_module_param_get,
};

#define VSPLIT_PARAM(_name, ...)	\
	module_param_cb(_name, &vsplit_module_param_ops, &vsplit_param_##_name, 0444)
#define VSPLIT_OPTION	VSPLIT_PARAM
#include "vsplit_params_table.h"

#define VSPLIT_PARAM(_name, _kind, _def, _min, _max, _desc, ...)	\
	MODULE_PARM_DESC(_name, _desc " (default " _def "; " VSPLIT_RIGHT_##_kind(_min, _max) ")")
#define VSPLIT_OPTION	VSPLIT_PARAM
#include "vsplit_params_table.h"

/* ---- segments ---- */

/*
 * Is it a name for a segment: "[A-Za-z_][A-Za-z0-9_]*", shorter than VSPLIT_NAME_LEN, and not
 * "system"? Return: 0 or -EINVAL.
 */
int vsplit_segment_name_check(const char *name)
{
	size_t i;

	if (isdigit(name[0]))
		return -EINVAL;
	for (i = 0; name[i]; i++) {
		/* For isalnum(), bytes beyond ASCII may be letters. */
		if (!isascii(name[i]) || (!isalnum(name[i]) && name[i] != '_'))
			return -EINVAL;
	}
	if (!i || i >= VSPLIT_NAME_LEN || !strcmp(name, "system"))
		return -EINVAL;
	return 0;
}

/** vsplit_segment_config_init() - Make @segment an empty one; @name was checked. */
void vsplit_segment_config_init(struct vsplit_segment_config *segment, const char *name)
{
	memset(segment, 0, sizeof(*segment));
	strscpy(segment->name, name, sizeof(segment->name));
	segment->cpu_visible = VSPLIT_CPU_ALL;
}

static const char * const vsplit_segment_types[] = { "memory", "aperture" };

/*
 * Read an option of a segment: "type", "size", "commit", "cpu" or "ranges". vsplit_config_check()
 * checks later whether the options fit together. Return: 0 or -EINVAL, -ERANGE.
 */
int vsplit_segment_config_set(struct vsplit_segment_config *segment, const char *option,
			      const char *text)
{
	u64 bytes;
	int type, ret;

	if (!strcmp(option, "size"))
		return vsplit_parse_size(text, &segment->size);
	if (!strcmp(option, "commit"))
		return vsplit_parse_size(text, &segment->commit_limit);
	if (!strcmp(option, "ranges"))
		return kstrtou32(text, 0, &segment->ranges);
	if (!strcmp(option, "type")) {
		type = sysfs_match_string(vsplit_segment_types, text);
		if (type >= 0)
			segment->aperture = type;
		return min(type, 0);
	}
	if (sysfs_streq(text, "all")) {
		bytes = VSPLIT_CPU_ALL;
	} else if (sysfs_streq(text, "none")) {
		bytes = 0;
	} else {
		ret = vsplit_parse_size(text, &bytes);
		if (ret)
			return ret;
		/* As a number, this is larger than any segment. */
		if (bytes == VSPLIT_CPU_ALL)
			return -ERANGE;
	}
	segment->cpu_visible = bytes;
	return 0;
}

/*
 * Print an option of a segment, which need not be checked, with a line feed. Return: length of the
 * text.
 */
int vsplit_segment_config_get(const struct vsplit_segment_config *segment, const char *option,
			      char *page)
{
	u64 bytes = segment->cpu_visible;

	if (!strcmp(option, "type"))
		return sysfs_emit(page, "%s\n", vsplit_segment_types[segment->aperture]);
	if (!strcmp(option, "ranges"))
		return sysfs_emit(page, "%u\n", segment->ranges);
	if (!strcmp(option, "size"))
		bytes = segment->size;
	else if (!strcmp(option, "commit"))
		bytes = segment->commit_limit;
	else if (!bytes || bytes == VSPLIT_CPU_ALL)
		return sysfs_emit(page, "%s\n", bytes ? "all" : "none");
	return sysfs_emit(page, "%llu\n", bytes);
}

/* Parses NAME:TYPE:SIZE[:commit=SIZE][:cpu=all|none|SIZE][:ranges=N], and cuts @text to pieces. */
static int vsplit_segment_parse(struct vsplit_segment_config *segment, char *text)
{
	static const char * const options[] = { "commit", "cpu", "ranges" };
	const char *name = strsep(&text, ":");
	const char *type = strsep(&text, ":");
	const char *size = strsep(&text, ":");
	char *option, *value;

	if (vsplit_segment_name_check(name))
		return vsplit_invalid("segments: \"%s\" is no name for a segment\n", name);
	vsplit_segment_config_init(segment, name);
	if (!type || vsplit_segment_config_set(segment, "type", type))
		return vsplit_invalid("segments: %s: the type must be \"memory\" or \"aperture\"\n",
				      name);
	if (!size || vsplit_segment_config_set(segment, "size", size))
		return vsplit_invalid("segments: %s: \"%s\" is no size\n", name, size ?: "");
	while ((value = strsep(&text, ":"))) {
		option = strsep(&value, "=");
		if (!value || match_string(options, ARRAY_SIZE(options), option) < 0 ||
		    vsplit_segment_config_set(segment, option, value)) {
			pr_err("segments: %s: \"%s=%s\" is not commit=SIZE, cpu=all|none|SIZE or ranges=N\n",
			       name, option, value ?: "");
			return -EINVAL;
		}
	}
	return 0;
}

static int vsplit_segments_parse(struct vsplit_adapter_config *config, const char *text)
{
	char *copy __free(kfree) = kstrdup(text, GFP_KERNEL);
	char *rest, *item;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	rest = strim(copy);
	while (!ret && (item = strsep(&rest, ","))) {
		if (config->nr_segments == VSPLIT_MAX_SEGMENTS)
			return vsplit_invalid("segments: more than %d\n", VSPLIT_MAX_SEGMENTS);
		ret = vsplit_segment_parse(&config->segments[config->nr_segments++], item);
	}
	return ret;
}

/* Makes the segments that vram=, aperture= and aperture_commit= describe. */
static void vsplit_segments_default(struct vsplit_adapter_config *config,
				    const struct vsplit_params *params)
{
	struct vsplit_segment_config *segment = &config->segments[config->nr_segments++];

	vsplit_segment_config_init(segment, "vram");
	segment->size = params->vram;
	if (!params->aperture)
		return;
	segment = &config->segments[config->nr_segments++];
	vsplit_segment_config_init(segment, "aperture");
	segment->aperture = true;
	segment->size = params->aperture;
	segment->commit_limit = params->aperture_commit;
}

/* Makes the segments of segments=, or else those of vram=, aperture= and aperture_commit=. */
static int vsplit_params_segments(struct vsplit_adapter_config *config)
{
	const struct vsplit_param *excluded[] = {
		&vsplit_param_vram, &vsplit_param_aperture, &vsplit_param_aperture_commit,
	};
	size_t i;

	if (!strcmp(vsplit_params.segments, vsplit_param_segments.def)) {
		vsplit_segments_default(config, &vsplit_params);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(excluded); i++) {
		if (excluded[i]->given)
			return vsplit_invalid("segments= and %s= exclude each other\n",
					      excluded[i]->name);
	}
	return vsplit_segments_parse(config, vsplit_params.segments);
}

/* ---- configurations ---- */

static void vsplit_param_default(const struct vsplit_param *param, void *base)
{
	WARN_ON(vsplit_param_set(param, base, param->def));
}

static void vsplit_param_default_unless_given(const struct vsplit_param *param)
{
	if (!param->given)
		vsplit_param_default(param, &vsplit_params);
}

/*
 * Make the configuration that the module parameters ask for: checked; complete but for the name.
 * Called once, at module init, before vsplit_params_adapters(). Return: 0, -EINVAL (the log says
 * why), -ENOMEM.
 */
int vsplit_params_config(struct vsplit_adapter_config *config)
{
	int ret;

#define VSPLIT_PARAM(_name, ...)	\
	vsplit_param_default_unless_given(&vsplit_param_##_name)
#define VSPLIT_OPTION	VSPLIT_PARAM
#include "vsplit_params_table.h"

	*config = vsplit_params.config;
	ret = vsplit_params_segments(config);
	return ret ?: vsplit_config_check(config, vsplit_params.adapters);
}

/* Unless its size was given, the segment gets the size of the BAR; it is never larger. */
static void vsplit_segment_put_into_bar(struct vsplit_segment_config *segment, u64 bar, bool given)
{
	if (given && segment->size > bar)
		pr_info("segment %s: %llu bytes do not fit into the BAR's %llu\n", segment->name,
			segment->size, bar);
	segment->size = given ? min(segment->size, bar) : bar;
	segment->commit_limit = min(segment->commit_limit, segment->size);
	if (segment->cpu_visible != VSPLIT_CPU_ALL)
		segment->cpu_visible = min(segment->cpu_visible, segment->size);
	segment->bar = true;
}

/*
 * Make the configuration of a device with memory behind a BAR: checked; complete but for the name.
 * @bar: its bytes, a multiple of the page size. The first memory segment is put into the BAR.
 * Called after vsplit_params_config(). Return: 0, -EINVAL (the log says why), -ENOMEM.
 */
int vsplit_params_bar_config(struct vsplit_adapter_config *config, u64 bar)
{
	bool given = vsplit_param_vram.given || vsplit_param_segments.given;
	int ret;
	u32 i;

	*config = vsplit_params.config;
	ret = vsplit_params_segments(config);
	if (ret)
		return ret;
	for (i = 0; i < config->nr_segments && config->segments[i].aperture; i++)
		;
	if (i == config->nr_segments)
		return vsplit_invalid("segments= names no memory segment for the BAR\n");
	vsplit_segment_put_into_bar(&config->segments[i], bar, given);
	return vsplit_config_check(config, 1);
}

/** vsplit_params_adapters() - Number of adapters that the module parameters ask for. */
u32 vsplit_params_adapters(void)
{
	return vsplit_params.adapters;
}

/* Set the defaults of an adapter that configfs makes, without name and segments. */
void vsplit_config_defaults(struct vsplit_adapter_config *config)
{
	/* So the offset of an OPTION row is also an offset in struct vsplit_adapter_config. */
	BUILD_BUG_ON(offsetof(struct vsplit_params, config));

	memset(config, 0, sizeof(*config));
#define VSPLIT_PARAM(...)	do { } while (0)
#define VSPLIT_OPTION(_name, ...)	vsplit_param_default(&vsplit_param_##_name, config)
#include "vsplit_params_table.h"
}

/* Checks a segment, and replaces the values that mean "all of it" by bytes. */
static int vsplit_segment_check(struct vsplit_adapter_config *config, u32 index)
{
	struct vsplit_segment_config *segment = &config->segments[index];
	u32 i;

	for (i = 0; i < index; i++) {
		if (!strcmp(config->segments[i].name, segment->name))
			return vsplit_invalid("two segments named %s\n", segment->name);
	}
	if (!segment->size || !PAGE_ALIGNED(segment->size) ||
	    segment->size > VSPLIT_MAX_SEGMENT_SIZE) {
		pr_err("segment %s: the size must be a multiple of %lu bytes from %lu to %llu, not %llu\n",
		       segment->name, PAGE_SIZE, PAGE_SIZE, VSPLIT_MAX_SEGMENT_SIZE, segment->size);
		return -EINVAL;
	}
	if (!segment->commit_limit)
		segment->commit_limit = segment->size;
	if (!PAGE_ALIGNED(segment->commit_limit) || segment->commit_limit > segment->size) {
		pr_err("segment %s: the commit limit must be a multiple of %lu bytes and not more than its size, not %llu\n",
		       segment->name, PAGE_SIZE, segment->commit_limit);
		return -EINVAL;
	}
	if (segment->cpu_visible == VSPLIT_CPU_ALL)
		segment->cpu_visible = segment->size;
	if (!PAGE_ALIGNED(segment->cpu_visible) || segment->cpu_visible > segment->size) {
		pr_err("segment %s: what the CPU can map must be a multiple of %lu bytes and not more than its size, not %llu\n",
		       segment->name, PAGE_SIZE, segment->cpu_visible);
		return -EINVAL;
	}
	if (segment->ranges > VSPLIT_MAX_SWIZZLING_RANGES) {
		pr_err("segment %s: not more than %d swizzling ranges, %u are too many\n",
		       segment->name, VSPLIT_MAX_SWIZZLING_RANGES, segment->ranges);
		return -EINVAL;
	}
	if (segment->aperture && segment->ranges)
		return vsplit_invalid("segment %s: an aperture has no swizzling ranges\n",
				      segment->name);
	return 0;
}

/*
 * Check whether @count such adapters can be made; names of segments have passed
 * vsplit_segment_name_check(). Afterwards the limits of segments are bytes. Return: 0 or -EINVAL
 * (the log says why).
 */
int vsplit_config_check(struct vsplit_adapter_config *config, u32 count)
{
	u64 ram = (u64)totalram_pages() << PAGE_SHIFT;
	u64 bytes = 0;
	u32 i;

	if (!config->nr_segments || config->nr_segments > VSPLIT_MAX_SEGMENTS)
		return vsplit_invalid("an adapter has 1 to %d segments, not %u\n",
				      VSPLIT_MAX_SEGMENTS, config->nr_segments);
	for (i = 0; i < config->nr_segments; i++) {
		const struct vsplit_segment_config *segment = &config->segments[i];

		if (vsplit_segment_check(config, i))
			return -EINVAL;
		/* A segment takes host memory: its bytes, or a table with an entry a page. */
		if (segment->bar)
			continue;
		bytes += segment->aperture ? (segment->size >> PAGE_SHIFT) * sizeof(void *) :
					     segment->size;
	}
	if (bytes * count > ram / 2) {
		pr_err("the segments take %llu MiB, more than half of this machine's memory (%llu MiB)\n",
		       bytes * count >> 20, ram >> 20);
		return -EINVAL;
	}
	return 0;
}
