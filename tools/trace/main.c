// SPDX-License-Identifier: MIT
/* vsplit-trace: records the driver's tracepoints, and shows recordings. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

#define MAX_INTERVAL_MS	3600000
#define MAX_BUFFER_KIB	(1024 * 1024)

static const char usage[] =
	"Usage: vsplit-trace record [OPTION]... [--] [COMMAND...]\n"
	"       vsplit-trace show [OPTION]... FILE\n"
	"Record what the driver does while COMMAND runs, or until SIGINT, and show it.\n"
	"\n"
	"record:\n"
	"  -o, --output FILE   what is written (vsplit.trace)\n"
	"      --buffer SIZE   memory for events that are not yet read, of each processor (8M)\n"
	"      --interval MS   time between two readings (20)\n"
	"show:\n"
	"      --text          the events, one a line; this is what is done without an option\n"
	"      --perfetto FILE a trace for ui.perfetto.dev and chrome://tracing\n"
	"\n"
	"      --version       print the version\n"
	"  -h, --help          this text\n"
	"\n"
	"Examples:\n"
	"  vsplit-trace record -o first.trace vsplit-play first.vss\n"
	"  vsplit-trace show first.trace --perfetto first.json\n"
	"\n"
	"Exit status: 0 all is there; 1 events were lost, or COMMAND failed; 2 bad arguments or input,\n"
	"or nothing could be recorded or written.\n";

struct options {
	struct record_options record;
	const char *perfetto;
	bool text;
	bool for_record;
	bool for_show;
};

enum { OPT_BUFFER = 256, OPT_INTERVAL, OPT_TEXT, OPT_PERFETTO };

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "text", no_argument, NULL, OPT_TEXT },
	{ "perfetto", required_argument, NULL, OPT_PERFETTO },
	LAST_OPTIONS
};

static int take_number(struct options *o, int option)
{
	uint64_t value;

	if (option == OPT_INTERVAL) {
		if (!parse_number(optarg, &value) || !value || value > MAX_INTERVAL_MS) {
			complain("--interval: '%s' is no number from 1 to %d", optarg,
				 MAX_INTERVAL_MS);
			return -1;
		}
		o->record.interval_ms = value;
		return 0;
	}
	if (!parse_size(optarg, &value) || value < 1024 || value >> 10 > MAX_BUFFER_KIB) {
		complain("--buffer: '%s' is no size from 1K to 1G", optarg);
		return -1;
	}
	o->record.buffer_kib = value >> 10;
	return 0;
}

static bool parse_options(struct options *o, int argc, char **argv)
{
	int c;

	/* Options after the command belong to the command. */
	while ((c = next_option(argc, argv, o->for_record ? "+o:h" : "o:h", long_options,
				usage)) != -1) {
		switch (c) {
		case 'o':
		case OPT_BUFFER:
		case OPT_INTERVAL:
			if (o->for_show) {
				complain("-o, --buffer and --interval are for record");
				return false;
			}
			if (c == 'o')
				o->record.file = optarg;
			else if (take_number(o, c))
				return false;
			break;
		case OPT_TEXT:
		case OPT_PERFETTO:
			if (o->for_record) {
				complain("--text and --perfetto are for show");
				return false;
			}
			if (c == OPT_TEXT)
				o->text = true;
			else
				o->perfetto = optarg;
			break;
		default:
			complain("try --help");
			return false;
		}
	}
	return true;
}

static int write_perfetto(const char *path, const struct recording *r)
{
	FILE *out = fopen(path, "we");

	if (out)
		recording_perfetto(out, r);
	if (out && !(ferror(out) | fclose(out)))
		return 0;
	complain("%s: %s", path, strerror(errno));
	return -1;
}

static int show(const struct options *o, const char *path)
{
	struct recording r;
	struct stat from, to;
	int status = EXIT_NOT_RUN;

	if (o->perfetto && !stat(path, &from) && !stat(o->perfetto, &to) && same_file(&from, &to)) {
		complain("--perfetto: %s: this is the recording", o->perfetto);
		return status;
	}
	if (recording_load(path, &r))
		goto out;
	if (o->text || !o->perfetto)
		recording_text(stdout, &r);
	if (o->perfetto && write_perfetto(o->perfetto, &r))
		goto out;
	status = r.ended && !r.lost ? EXIT_HELD : EXIT_NOT_HELD;
	if (r.lost)
		complain("%s: %" PRIu64 " events were lost", path, r.lost);
	if (!r.ended)
		complain("%s: the recording has no end: its last events are missing", path);
	status = end_output(status);
out:
	recording_free(&r);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {
		.record = { .file = "vsplit.trace", .buffer_kib = 8192, .interval_ms = 20 },
	};

	o.for_record = argc > 1 && !strcmp(argv[1], "record");
	o.for_show = argc > 1 && !strcmp(argv[1], "show");
	if (o.for_record || o.for_show)
		optind = 2;
	if (!parse_options(&o, argc, argv))
		return EXIT_NOT_RUN;
	if (o.for_record) {
		o.record.command = argv + optind;
		return trace_record(&o.record);
	}
	if (!o.for_show) {
		complain("record or show? try --help");
		return EXIT_NOT_RUN;
	}
	if (argc - optind != 1) {
		complain(argc == optind ? "one file is needed" : "unexpected argument '%s'",
			 argv[argc - 1]);
		return EXIT_NOT_RUN;
	}
	return show(&o, argv[optind]);
}
