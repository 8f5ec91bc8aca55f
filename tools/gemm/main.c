// SPDX-License-Identifier: MIT
/* vsplit-gemm: multiplies int8 matrices on the GPU. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gemm.h"

static const char usage[] =
	"Usage: vsplit-gemm A.npy B.npy -o C.npy [OPTION]...\n"
	"Multiply two int8 matrices on the GPU; the result is int32, exact modulo 2^32.\n"
	"\n"
	"  -o, --output FILE   where the product goes\n"
	"      --vram SIZE     on an adapter of its own with this much video memory\n"
	"                      (K, M, G; needs root)\n"
	"      --device WHICH  on this adapter: its name or the path of a node\n"
	"      --tile N        tiles of N rows and columns instead of the largest that fit\n"
	"  -q, --quiet         print nothing but errors\n"
	"      --version       print the version\n"
	"  -h, --help          this text\n"
	"\n"
	"Examples:\n"
	"  vsplit-gemm a.npy b.npy -o c.npy\n"
	"  vsplit-gemm a.npy b.npy -o c.npy --vram 16M\n"
	"\n"
	"Exit status: 0 done; 1 the GPU failed; 2 bad arguments or files, or not run.\n";

struct options {
	const char *inputs[2];
	const char *output;
	const char *device;
	uint64_t vram;
	uint64_t tile;
	bool quiet;
};

/* The unfinished file, which the signal handler removes. */
static char *volatile temp_file;

static void on_signal(int number)
{
	if (temp_file)
		unlink(temp_file);
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };
	struct sigaction old;
	size_t i;

	/*
	 * If the file exceeds the limit of file sizes, the write fails, and the error is reported.
	 */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&action.sa_mask);
	/* A signal that is ignored, for instance by nohup, stays ignored. */
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "vram", required_argument, NULL, 'v' },
		{ "device", required_argument, NULL, 'd' },
		{ "tile", required_argument, NULL, 't' },
		{ "quiet", no_argument, NULL, 'q' },
		LAST_OPTIONS
	};
	int c;

	while ((c = next_option(argc, argv, "o:qh", longs, usage)) != -1) {
		switch (c) {
		case 'o':
			o->output = optarg;
			break;
		case 'v':
			if (!parse_size(optarg, &o->vram) || !o->vram ||
			    o->vram > INT64_MAX) {
				complain("--vram: '%s' is no size", optarg);
				return false;
			}
			break;
		case 'd':
			o->device = optarg;
			break;
		case 't':
			if (!parse_number(optarg, &o->tile) || !o->tile ||
			    o->tile > VSPLIT_MMA_MAX_DIM) {
				complain("--tile: '%s' is no number from 1 to %u", optarg,
					 VSPLIT_MMA_MAX_DIM);
				return false;
			}
			break;
		case 'q':
			o->quiet = true;
			break;
		default:
			return false;
		}
	}
	if (argc - optind != 2 || !o->output) {
		complain(argc - optind != 2 ? "two input files are needed" :
			 "an output file is needed (-o)");
		return false;
	}
	if (o->vram && o->device) {
		complain("--vram makes an adapter of its own: --device cannot be used with it");
		return false;
	}
	o->inputs[0] = argv[optind];
	o->inputs[1] = argv[optind + 1];
	return true;
}

static void print_report(const struct options *o, const struct npy *a, const struct npy *b,
			 const struct gemm_report *r)
{
	double macs = (double)a->header.rows * (double)a->header.cols * (double)b->header.cols;
	char one[SIZE_TEXT], two[SIZE_TEXT];

	printf("%s: %" PRIu64 " x %" PRIu64 " int32,", o->output, a->header.rows, b->header.cols);
	printf(" from %" PRIu64 " x %" PRIu64, a->header.rows, a->header.cols);
	printf(" and %" PRIu64 " x %" PRIu64 " int8\n", b->header.rows, b->header.cols);
	if (!r->buffers)
		return;
	printf("  memory    %s of matrices in %s of video memory: %.2fx\n",
	       format_about(one, r->tiles), format_about(two, r->memory),
	       (double)r->tiles / (double)r->memory);
	printf("  portions  %" PRIu64 ", of %" PRIu64 " DMA buffer%s\n", r->portions, r->buffers,
	       r->buffers == 1 ? "" : "s");
	printf("  paged in  %s (%s transferred, the rest cleared)\n",
	       format_about(one, r->paged_in), format_about(two, r->paged_in_copied));
	printf("  evicted   %s (%s transferred, the rest unchanged)\n",
	       format_about(one, r->evicted), format_about(two, r->evicted_copied));
	if (r->moved)
		printf("  moved     %s\n", format_about(one, r->moved));
	printf("  time      %.2f s, %.0f million multiply-adds a second\n", r->seconds,
	       macs / (r->seconds > 0 ? r->seconds : 1e-9) * 1e-6);
}

/* Multiply: from the open inputs to the finished output. */
static int multiply(const struct options *o, const struct npy *a, const struct npy *b)
{
	const char *names[] = { o->inputs[0], o->inputs[1], o->output };
	bool empty = !a->header.rows || !a->header.cols || !b->header.cols;
	struct gemm_report report = { 0 };
	struct own_adapter *own = NULL;
	struct vsplit_device *dev = NULL;
	struct progress *progress;
	struct npy_writer c;
	struct npy_error error;
	int ret = EXIT_HELD;

	catch_signals();
	if (!npy_create(&c, o->output, a->header.rows, b->header.cols, &error)) {
		complain("%s: %s", o->output, error.text);
		return EXIT_NOT_RUN;
	}
	temp_file = c.temp;

	/* All sums of an empty product are zero, and the file contains zeros already. */
	if (!empty) {
		if (o->vram ? own_adapter_open("gemm", o->vram, 0, &own, &dev) :
			       open_adapter(o->device, &dev)) {
			ret = EXIT_NOT_RUN;
			goto out;
		}
		progress = progress_new(!o->quiet);
		ret = gemm_run(dev, names, a, b, &c, o->tile, progress, &report);
		progress_free(progress);
	}
	if (!ret && !npy_commit(&c, &error)) {
		complain("%s: %s", o->output, error.text);
		ret = EXIT_NOT_RUN;
	}
	if (!ret && !o->quiet)
		print_report(o, a, b, &report);
out:
	temp_file = NULL;
	npy_discard(&c);
	vsplit_device_close(dev);
	own_adapter_destroy(own);
	return end_output(ret);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct npy inputs[2] = { { .fd = -1 }, { .fd = -1 } };
	struct npy_error error;
	int i, ret = EXIT_NOT_RUN;

	if (!parse_options(argc, argv, &options)) {
		complain("try --help");
		return EXIT_NOT_RUN;
	}
	for (i = 0; i < 2; i++) {
		if (!npy_open(&inputs[i], options.inputs[i], &error)) {
			complain("%s: %s", options.inputs[i], error.text);
			goto out;
		}
		if (inputs[i].extra)
			complain("%s: warning: %" PRIu64 " bytes behind the array are not used",
				 options.inputs[i], inputs[i].extra);
	}
	if (inputs[0].header.cols != inputs[1].header.rows) {
		complain("the shapes do not match: %s has %" PRIu64 " columns, %s has %" PRIu64 " rows",
			 options.inputs[0], inputs[0].header.cols, options.inputs[1],
			 inputs[1].header.rows);
		goto out;
	}
	ret = multiply(&options, &inputs[0], &inputs[1]);
out:
	npy_close(&inputs[0]);
	npy_close(&inputs[1]);
	return ret;
}
