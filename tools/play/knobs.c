// SPDX-License-Identifier: MIT
/* Fault knobs of an adapter in test mode, named as in WDDM's verifier (EXT-14). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"
#include "run.h"

bool knob_add(struct play_options *options, const char *text)
{
	const char *value = strchr(text, '=');
	const char *name = knob_name(text, strcspn(text, "="));
	struct knob *knob = NULL;
	uint64_t number = 1;
	uint32_t i;

	if (!name) {
		complain("--knob: there is no knob '%.*s'", (int)strcspn(text, "="), text);
		return false;
	}
	if (value && (!parse_number(value + 1, &number) || number > knob_max(name))) {
		complain("--knob: %s is a number up to %" PRIu64 ", not '%s'", name, knob_max(name),
			 value + 1);
		return false;
	}
	/* The last value counts, as with other options. */
	for (i = 0; i < options->num_knobs; i++) {
		if (options->knobs[i].name == name)
			knob = &options->knobs[i];
	}
	if (!knob)
		knob = &options->knobs[options->num_knobs++];
	*knob = (struct knob){ .name = name, .value = number, .given = value };
	return true;
}

bool knob_seed(struct play_options *options, uint64_t seed)
{
	uint32_t i;

	for (i = 0; i < options->num_knobs; i++) {
		if (strcmp(options->knobs[i].name, "random_placement"))
			continue;
		if (!seed || options->knobs[i].given) {
			complain(seed ? "--seed: random_placement has a seed already" :
				 "--seed: a seed is not 0");
			return false;
		}
		options->knobs[i].value = seed;
		return true;
	}
	complain("--seed: nothing is chosen at random without --knob random_placement");
	return false;
}

int knob_set(const struct vsplit_device *dev, const char *name, uint64_t value)
{
	const char *node = strrchr(vsplit_device_path(dev), '/');
	char path[128], text[24];
	int fd, len, ret;

	node = node ? node + 1 : "";
	node += strcspn(node, "0123456789");
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%s/%s", node, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	len = snprintf(text, sizeof(text), "%" PRIu64, value);
	ret = fd >= 0 && write(fd, text, (size_t)len) == len ? 0 : -errno;
	if (fd >= 0)
		close(fd);
	if (ret)
		complain(ret == -ENOENT ?
			 "knob: the adapter is not in test mode, or debugfs is not mounted: no %s" :
			 "knob: cannot write %s: %s", path, strerror(-ret));
	return ret;
}

int knobs_set(const struct play_options *options, const struct vsplit_device *dev)
{
	uint32_t i;
	int ret;

	for (i = 0; i < options->num_knobs; i++) {
		ret = knob_set(dev, options->knobs[i].name, options->knobs[i].value);
		if (ret)
			return ret;
	}
	return 0;
}
