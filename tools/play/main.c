// SPDX-License-Identifier: MIT
/* vsplit-play: runs a scenario on the driver, and shows what happened. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"
#include "run.h"

static const char usage[] =
	"Usage: vsplit-play FILE [OPTION]...\n"
	"       vsplit-play --from RUN [OPTION]...\n"
	"Run a scenario on the vsplit driver and show what happened. FILE may be -.\n"
	"\n"
	"      --json          one JSON object a line on standard output, nothing else\n"
	"      --svg FILE      a picture: memory maps over time, resource tables, engines, paging\n"
	"      --html FILE     the same as a page to step through, without any other file\n"
	"      --perfetto FILE a trace for ui.perfetto.dev and chrome://tracing\n"
	"      --from RUN      show a run that --json printed (- is standard input); runs nothing\n"
	"      --device WHICH  the adapter, by name or the path of a node, for scenarios\n"
	"                      that describe none of their own\n"
	"      --keep-going    go on after a statement that cannot be executed\n"
	"      --check         find all mistakes of the file, and run nothing\n"
	"      --knob NAME[=VALUE]  set a fault knob of the adapter (vsplit-play(1) lists them)\n"
	"      --seed N        the seed of --knob random_placement\n"
	"      --policy NAME   what leaves first at a split: next-use or lru; or planned, with\n"
	"                      further cuts where they save bytes\n"
	"      --adapter NAME=VALUE  an option of the adapter that the scenario describes\n"
	"      --color WHEN    always, never or auto (on a terminal)\n"
	"      --version       print the version\n"
	"  -h, --help          this text; the language is described in vsplit-play(1)\n"
	"\n"
	"Examples:\n"
	"  vsplit-play examples/w3b.vss --html w3b.html\n"
	"  vsplit-play --json my.vss >my.json; vsplit-play --from my.json --svg my.svg\n"
	"  vsplit-play my.vss --knob random_placement --seed 7\n"
	"\n"
	"Exit status: 0 every expect held; 1 one did not; 2 it could not be run as written.\n";

/* A picture: its option, and the output file. */
struct output {
	const char *option;
	void (*show)(FILE *out, const struct result *r, const struct events *events);
	const char *path;
	FILE *out;
};

enum { SVG, HTML, PERFETTO, NUM_PICTURES };

struct options {
	struct play_options play;
	const char *file;
	const char *from;
	bool json;
	bool check;
	struct adapter_def adapter;	/* --adapter: its options */
	int colour;	/* -1: auto */
	struct output pictures[NUM_PICTURES];
	/* State of --json while the run goes on: */
	bool begun;
	uint32_t told;
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
		{ "policy", required_argument, NULL, 'p' },
		{ "adapter", required_argument, NULL, 'a' },
		{ "color", required_argument, NULL, 'C' },
		{ "colour", required_argument, NULL, 'C' },
		{ "svg", required_argument, NULL, 'S' },
		{ "html", required_argument, NULL, 'H' },
		{ "perfetto", required_argument, NULL, 'P' },
		{ "from", required_argument, NULL, 'f' },
		LAST_OPTIONS
	};
	uint64_t seed = 0;
	bool seeded = false;
	int c;

	o->colour = -1;
	while ((c = next_option(argc, argv, "h", longs, usage)) != -1) {
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
		case 'p':
			if (strcmp(optarg, "lru") && strcmp(optarg, "next-use") &&
			    strcmp(optarg, "planned")) {
				complain("--policy: lru, next-use or planned, not '%s'", optarg);
				return false;
			}
			o->play.policy = optarg;
			break;
		case 'a':
			/*
			 * Only checked here. It is appended to the options of the scenario later.
			 */
			if (!adapter_option(&o->adapter, optarg)) {
				complain("--adapter: '%s' is not NAME=VALUE", optarg);
				return false;
			}
			break;
		case 'C':
			if (!parse_colour(o, optarg)) {
				complain("--color: always, never or auto, not '%s'", optarg);
				return false;
			}
			break;
		case 'S':
			o->pictures[SVG].path = optarg;
			break;
		case 'H':
			o->pictures[HTML].path = optarg;
			break;
		case 'P':
			o->pictures[PERFETTO].path = optarg;
			break;
		case 'f':
			o->from = optarg;
			break;
		default:
			return false;
		}
	}
	if (seeded && !knob_seed(&o->play, seed))
		return false;
	if (argc - optind != !o->from ||
	    (o->from && (o->play.device || o->play.keep_going || o->play.policy ||
			 o->play.num_knobs || o->check || o->adapter.num_options))) {
		complain(o->from ? "--from: a run is shown, no scenario is run" :
			 "one scenario is needed");
		return false;
	}
	if (o->check && (o->json || o->pictures[SVG].path || o->pictures[HTML].path ||
			 o->pictures[PERFETTO].path)) {
		complain("--check: nothing is run, and so nothing is shown");
		return false;
	}
	o->file = argv[optind];
	return true;
}

/* Is the output neither the input nor another picture? Opening it would empty that file. */
static bool is_own_file(const struct options *o, const struct output *p)
{
	const char *input = o->from ? o->from : o->file;
	const struct output *other;
	struct stat mine, st;

	if (stat(p->path, &mine))
		return true;
	if (!(strcmp(input, "-") ? stat(input, &st) : fstat(STDIN_FILENO, &st)) &&
	    same_file(&mine, &st)) {
		complain("--%s: %s: this is the %s", p->option, p->path,
			 o->from ? "run that is shown" : "scenario");
		return false;
	}
	for (other = o->pictures; other < p; other++) {
		if (!other->out || fstat(fileno(other->out), &st) || !same_file(&mine, &st))
			continue;
		complain("--%s: %s: this is the file of --%s", p->option, p->path, other->option);
		return false;
	}
	return true;
}

/* Open the files before the run, so that errors are reported before anything happens. */
static bool open_pictures(struct options *o)
{
	struct output *p;

	for (p = o->pictures; p < o->pictures + NUM_PICTURES; p++) {
		if (!p->path)
			continue;
		if (!is_own_file(o, p))
			return false;
		p->out = fopen(p->path, "we");
		if (p->out)
			continue;
		complain("--%s: %s: %s", p->option, p->path, strerror(errno));
		return false;
	}
	return true;
}

static int close_pictures(struct options *o, int status)
{
	struct output *p;

	for (p = o->pictures; p < o->pictures + NUM_PICTURES; p++) {
		bool bad = p->out && (fflush(p->out) || ferror(p->out));

		if (bad)
			complain("--%s: %s: %s", p->option, p->path, strerror(errno));
		if (p->out)
			fclose(p->out);
		if (bad && !status)
			status = EXIT_NOT_RUN;
	}
	return status;
}

static void tell_json(const struct result *r, void *data)
{
	struct options *o = data;

	if (o->begun && o->told == r->num_log)
		return;
	if (!o->begun)
		json_header(stdout, r);
	o->begun = true;
	o->told = json_log(stdout, r, o->told);
	fflush(stdout);
}

static void show(struct options *o, const struct result *r)
{
	struct text_style style = {
		.width = terminal_width(STDOUT_FILENO, 40),
		.utf8 = locale_is_utf8(),
	};
	struct events events;
	struct output *p;

	style.colour = o->colour >= 0 ? o->colour :
		       isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	events_make(&events, r);
	if (o->json) {
		tell_json(r, o);
		if (r->ended)
			json_end(stdout, r);
	} else {
		show_text(stdout, r, &events, &style);
	}
	for (p = o->pictures; p < o->pictures + NUM_PICTURES; p++) {
		if (p->out)
			p->show(p->out, r, &events);
	}
	events_free(&events);
}

/* Returns the exit status of the run that was loaded. */
static int show_run(struct options *o)
{
	bool input = !strcmp(o->from, "-");
	FILE *file = input ? stdin : fopen(o->from, "re");
	struct parse_error error;
	struct result *r;
	int ret = EXIT_NOT_RUN;

	if (!file) {
		complain("--from: %s: %s", o->from, strerror(errno));
		return EXIT_NOT_RUN;
	}
	r = run_load(input ? "<stdin>" : o->from, file, &error);
	if (!input)
		fclose(file);
	if (!r) {
		fprintf(stderr, "%s\n", error.text);
		return EXIT_NOT_RUN;
	}
	if (!r->ended)
		complain("%s: the run was cut short: its end is missing", o->from);
	if (open_pictures(o)) {
		show(o, r);
		ret = r->ended ? r->status : EXIT_NOT_RUN;
	}
	run_free(r);
	return ret;
}

/* Append the options to those of the scenario: the last one counts. */
static void move_options(struct adapter_def *to, struct adapter_def *from)
{
	uint32_t i;

	for (i = 0; i < from->num_options; i++) {
		to->options = append(to->options, &to->num_options, sizeof(*to->options));
		to->options[to->num_options - 1] = from->options[i];
	}
	free(from->options);
	*from = (struct adapter_def){ 0 };
}

static int play(struct options *o)
{
	struct parse_error error;
	struct scenario *s;
	struct result *r;
	int ret = EXIT_NOT_RUN;

	if (o->check)
		return scenario_check(o->file, stderr) ? EXIT_NOT_RUN : EXIT_HELD;
	s = scenario_load(o->file, &error);
	if (!s) {
		fprintf(stderr, "%s\n", error.text);
		return EXIT_NOT_RUN;
	}
	if ((o->play.policy || o->adapter.num_options) && !s->adapter.own) {
		complain("--%s: %s describes no adapter that could have one",
			 o->play.policy ? "policy" : "adapter", o->file);
	} else if (open_pictures(o)) {
		move_options(&s->adapter, &o->adapter);
		if (o->json) {
			o->play.progress = tell_json;
			o->play.data = o;
		}
		r = result_new(s);
		ret = play_run(s, &o->play, r);
		result_best(r);
		/* The result is shown even if the run was not completed. */
		if (r->num_segments)
			show(o, r);
		result_free(r);
	}
	scenario_free(s);
	return ret;
}

int main(int argc, char **argv)
{
	struct options options = {
		.pictures = {
			[SVG] = { .option = "svg", .show = show_svg },
			[HTML] = { .option = "html", .show = show_html },
			[PERFETTO] = { .option = "perfetto", .show = show_perfetto },
		},
	};
	int ret;

	if (!parse_options(argc, argv, &options)) {
		complain("try --help");
		return EXIT_NOT_RUN;
	}
	ret = options.from ? show_run(&options) : play(&options);
	return end_output(close_pictures(&options, ret));
}
