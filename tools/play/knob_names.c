// SPDX-License-Identifier: MIT
/* Names of the fault knobs, as in WDDM's verifier (EXT-14). */
#include <string.h>

#include "model.h"

static const struct {
	const char *name;
	uint64_t max;	/* the driver refuses or truncates larger values */
} known[] = {
	{ "take_split_point", 1 },
	{ "always_repatch", 1 },
	{ "never_prepatch", 1 },
	{ "expect_preparation_failure", UINT32_MAX },
	{ "evict_between", 1 },
	{ "random_placement", UINT64_MAX },
	{ "delay_paging", 1000000 },
	{ "fail_acquire_swizzling_range", 1 },
	{ "lose_aperture_maps", 1 },
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
	return known[i].max;
}
