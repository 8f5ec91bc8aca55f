/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Options of an adapter, for module parameters and configfs.
 */
#ifndef _VSPLIT_PARAMS_H_
#define _VSPLIT_PARAMS_H_

#include <linux/bits.h>
#include <linux/types.h>

struct vsplit_adapter_config;
struct vsplit_segment_config;

/** VSPLIT_MAX_ADAPTERS - greatest number of adapters that module parameters can make. */
#define VSPLIT_MAX_ADAPTERS	16

/** VSPLIT_MAX_SEGMENT_SIZE - greatest size of a segment, bytes, whatever memory the host has. */
#define VSPLIT_MAX_SEGMENT_SIZE	BIT_ULL(40)

/** VSPLIT_CPU_ALL - the CPU may map all of a segment, whose size is not known yet. */
#define VSPLIT_CPU_ALL		U64_MAX

/** VSPLIT_MAX_HEADS - greatest number of heads; DRM takes 32 encoders, of which a head has two. */
#define VSPLIT_MAX_HEADS	16

/* Kinds of values, as the rows of vsplit_params_table.h name them. */
enum vsplit_param_kind {
	VSPLIT_KIND_u32,
	VSPLIT_KIND_size,
	VSPLIT_KIND_bool,
	VSPLIT_KIND_clock,	/* enum vsplit_gpu_clock */
	VSPLIT_KIND_preemption,	/* enum vsplit_preemption */
	VSPLIT_KIND_save_restore, /* the same, as a flag; "unset" changes nothing */
	VSPLIT_KIND_paging,
	VSPLIT_KIND_victims,
	VSPLIT_KIND_splits,
	VSPLIT_KIND_contexts,	/* set of enum drm_vsplit_ctx_mode, a bit each */
	VSPLIT_KIND_segments,	/* text */
};

/* A row of the table. Constant after module init. */
struct vsplit_param {
	const char *name;
	const char *def;	/* default, as text */
	const char *desc;
	const char *right;	/* which values a user may write; not used for numbers and sizes */
	enum vsplit_param_kind kind;
	/* of the member in struct vsplit_params; for an OPTION row also in vsplit_adapter_config */
	u32 offset;
	bool given;		/* the module was loaded with this parameter */
	u64 min;
	u64 max;
};

/* vsplit_param_NAME for each row of the table */
#define VSPLIT_PARAM(_name, ...)	extern struct vsplit_param vsplit_param_##_name
#define VSPLIT_OPTION(_name, ...)	extern struct vsplit_param vsplit_param_##_name
#include "vsplit_params_table.h"

int vsplit_flag_parse(const char *text, bool *flag);
int vsplit_param_set(const struct vsplit_param *param, void *base, const char *text);
int vsplit_param_get(const struct vsplit_param *param, const void *base, char *page);

int vsplit_params_config(struct vsplit_adapter_config *config);
u32 vsplit_params_adapters(void);
int vsplit_params_bar_config(struct vsplit_adapter_config *config, u64 bar);

void vsplit_config_defaults(struct vsplit_adapter_config *config);
int vsplit_config_check(struct vsplit_adapter_config *config, u32 count);

int vsplit_segment_name_check(const char *name);
void vsplit_segment_config_init(struct vsplit_segment_config *segment, const char *name);
int vsplit_segment_config_set(struct vsplit_segment_config *segment, const char *option,
			      const char *text);
int vsplit_segment_config_get(const struct vsplit_segment_config *segment, const char *option,
			      char *page);

#endif /* _VSPLIT_PARAMS_H_ */
