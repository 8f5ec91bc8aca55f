// SPDX-License-Identifier: MIT
/* vsplit-shot: saves the picture of a head as PNG. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "put_png.h"

#define MAX_HEAD	15

static const char usage[] =
	"Usage: vsplit-shot -o FILE [OPTION]...\n"
	"Take a picture of what a vsplit adapter's head shows, as PNG. Needs root.\n"
	"\n"
	"  -o, --output FILE   where it goes; - is standard output\n"
	"      --device WHICH  the adapter: its name or the path of a node\n"
	"      --head N        which of its heads, from 0 (0)\n"
	"      --version       print the version\n"
	"  -h, --help          this text\n"
	"\n"
	"Examples:\n"
	"  vsplit-shot -o screen.png\n"
	"  vsplit-shot --device vsplit0 --head 1 -o - | display\n"
	"\n"
	"Exit status: 0 written; 1 there is no such head, or it is dark; 2 bad arguments, or not\n"
	"permitted, or not written.\n";

struct options {
	const char *device;
	const char *output;
	uint32_t head;
};

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "head", required_argument, NULL, 'n' },
		LAST_OPTIONS
	};
	uint64_t number;
	int c;

	while ((c = next_option(argc, argv, "o:h", longs, usage)) != -1) {
		switch (c) {
		case 'o':
			o->output = optarg;
			break;
		case 'd':
			o->device = optarg;
			break;
		case 'n':
			if (!parse_number(optarg, &number) || number > MAX_HEAD) {
				complain("--head: '%s' is no number from 0 to %d", optarg, MAX_HEAD);
				return false;
			}
			o->head = (uint32_t)number;
			break;
		default:
			return false;
		}
	}
	if (optind < argc) {
		complain("unexpected argument '%s'", argv[optind]);
		return false;
	}
	if (!o->output)
		complain("-o is missing: where does the picture go?");
	return o->output;
}

/* Returns an exit status. */
static int take(const struct options *o, struct head_picture *picture)
{
	struct vsplit_device *dev;
	int ret;

	if (open_adapter(o->device, &dev))
		return EXIT_NOT_HELD;
	ret = head_picture_take(vsplit_device_fd(dev), o->head, picture);
	vsplit_device_close(dev);
	switch (ret) {
	case 0:
		return EXIT_HELD;
	case -ENODEV:
		complain("head %u is dark: nothing is shown", o->head);
		return EXIT_NOT_HELD;
	case -ENOENT:
		complain("there is no head %u, or debugfs is not mounted", o->head);
		return EXIT_NOT_HELD;
	default:
		complain("cannot take a picture of head %u: %s%s", o->head, strerror(-ret),
			 ret == -EACCES ? " (it needs root)" : "");
		return EXIT_NOT_RUN;
	}
}

int main(int argc, char **argv)
{
	struct head_picture picture = { 0 };
	struct options options = { 0 };
	int ret;

	if (!parse_options(argc, argv, &options)) {
		complain("try --help");
		return EXIT_NOT_RUN;
	}
	ret = take(&options, &picture);
	if (ret == EXIT_HELD)
		ret = png_save(strcmp(options.output, "-") ? fopen(options.output, "we") : stdout,
			       options.output, &picture);
	head_picture_free(&picture);
	return end_output(ret);
}
