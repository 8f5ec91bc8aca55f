// SPDX-License-Identifier: MIT
/* Common parts of all tools: help, opening an adapter, the end of the output. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>

#include "common.h"

int end_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("cannot write: %s", strerror(errno));
	return status ? status : EXIT_NOT_RUN;
}

int next_option(int argc, char **argv, const char *shorts, const struct option *longs,
		const char *usage)
{
	int c = getopt_long(argc, argv, shorts, longs, NULL);

	if (c == 'h')
		fputs(usage, stdout);
	else if (c == 'V')
		printf("%s (vsplit) %s\n", program_invocation_short_name, VSPLIT_VERSION);
	else
		return c;
	exit(end_output(EXIT_HELD));
}

bool same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int open_adapter(const char *which, struct vsplit_device **dev)
{
	int ret = vsplit_device_open(which, dev);

	if (ret == -ENODEV)
		complain(which ? "no vsplit adapter is called '%s'" :
			 "there is no vsplit adapter: is the module loaded?", which);
	else if (ret)
		complain("cannot open %s: %s", which ? which : "the adapter",
			 ret == -EINVAL ? "not a vsplit device" : strerror(-ret));
	return ret;
}

int reopen_primary(struct vsplit_device **dev)
{
	char *path = drmGetPrimaryDeviceNameFromFd(vsplit_device_fd(*dev));
	int ret;

	vsplit_device_close(*dev);
	*dev = NULL;
	ret = path ? vsplit_device_open_path(path, dev) : -ENODEV;
	free(path);
	return ret;
}
