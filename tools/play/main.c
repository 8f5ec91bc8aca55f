// SPDX-License-Identifier: MIT
/* vsplit-play: run a scenario on the driver and show what happened. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"
#include "run.h"

static const char usage[] =
	"Usage: vsplit-play FILE [OPTION]...\n"
	"Run a scenario on the vsplit driver and show what happened. FILE may be -.\n"
	"\n"
	"      --json          one JSON object a line on standard output, nothing else\n"
	"      --device WHICH  the adapter, by name or the path of a node, for scenarios\n"
	"                      that describe none of their own\n"
	"      --keep-going    go on after a statement that cannot be executed\n"
	"      --check         only check the file\n"
	"      --knob NAME[=VALUE]  set a fault knob of the adapter (vsplit-play(1) lists them)\n"
	"      --seed N        the seed of --knob random_placement\n"
	"      --color WHEN    always, never or auto (on a terminal)\n"
	"  -h, --help          this text; the language is described in vsplit-play(1)\n"
	"\n"
	"Exit status: 0 every expect held; 1 one did not; 2 it could not be run as written.\n";

struct options {
	struct play_options play;
	const char *file;
	bool json;
	bool check;
	int colour;	/* -1: auto */
};

static bool parse_colour(struct options *o, const char *when)
{
	if (!strcmp(when, "always"))
		o->colour = 1;
	else if (!strcmp(when, "never"))
		o->colour = 0;
	else if (!strcmp(when, "auto"))
		o->colour = -1;
	else
		return false;
	return true;
}

static bool parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "device", required_argument, NULL, 'd' },
		{ "keep-going", no_argument, NULL, 'k' },
		{ "check", no_argument, NULL, 'c' },
		{ "knob", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "color", required_argument, NULL, 'C' },
		{ "colour", required_argument, NULL, 'C' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t seed = 0;
	bool seeded = false;
	int c;

	o->colour = -1;
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'j':
			o->json = true;
			break;
		case 'd':
			o->play.device = optarg;
			break;
		case 'k':
			o->play.keep_going = true;
			break;
		case 'c':
			o->check = true;
			break;
		case 'n':
			if (!knob_add(&o->play, optarg))
				return false;
			break;
		case 's':
			if (!parse_number(optarg, &seed)) {
				complain("--seed: '%s' is no number", optarg);
				return false;
			}
			seeded = true;
			break;
		case 'C':
			if (!parse_colour(o, optarg)) {
				complain("--color: always, never or auto, not '%s'", optarg);
				return false;
			}
			break;
		case 'h':
			exit(print_help(usage));
		default:
			return false;
		}
	}
	if (seeded && !knob_seed(&o->play, seed))
		return false;
	if (argc - optind != 1) {
		complain("one scenario is needed");
		return false;
	}
	o->file = argv[optind];
	return true;
}

static void show(const struct options *o, const struct result *r)
{
	struct text_style style = {
		.width = terminal_width(STDOUT_FILENO),
		.utf8 = locale_is_utf8(),
	};
	struct events events;

	style.colour = o->colour >= 0 ? o->colour :
		       isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	events_make(&events, r);
	if (o->json)
		show_json(stdout, r, &events);
	else
		show_text(stdout, r, &events, &style);
	events_free(&events);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct parse_error error;
	struct scenario *s;
	struct result *r;
	int ret;

	if (!parse_options(argc, argv, &options)) {
		complain("try --help");
		return EXIT_NOT_RUN;
	}
	s = scenario_load(options.file, &error);
	if (!s) {
		fprintf(stderr, "%s\n", error.text);
		return EXIT_NOT_RUN;
	}
	if (options.check) {
		scenario_free(s);
		return EXIT_HELD;
	}
	r = result_new(s);
	ret = play_run(s, &options.play, r);
	/* What did happen is worth showing even if not all of it did. */
	if (r->num_segments)
		show(&options, r);
	ret = end_output(ret);
	result_free(r);
	scenario_free(s);
	return ret;
}
