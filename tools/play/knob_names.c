// SPDX-License-Identifier: MIT
/* Names of the fault knobs, as WDDM's verifier has them (EXT-14). */
#include <string.h>

#include "model.h"

static const struct {
	const char *name;
	bool flag;	/* 0 or 1 */
} known[] = {
	{ "take_split_point", true },
	{ "always_repatch", true },
	{ "never_prepatch", true },
	{ "expect_preparation_failure", false },
	{ "evict_between", true },
	{ "random_placement", false },
	{ "delay_paging", false },
	{ "fail_acquire_swizzling_range", true },
	{ "lose_aperture_maps", true },
};

const char *knob_name(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (strlen(known[i].name) == len && !strncmp(known[i].name, text, len))
			return known[i].name;
	}
	return NULL;
}

uint64_t knob_max(const char *name)
{
	size_t i = 0;

	while (strcmp(known[i].name, name))
		i++;
	return known[i].flag ? 1 : UINT64_MAX;
}
