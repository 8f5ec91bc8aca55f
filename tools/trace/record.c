// SPDX-License-Identifier: MIT
/*
 * Records into an own instance of tracefs, so that other users of tracing are not disturbed. Events
 * are read while the command runs, and are written to the file at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <event-parse.h>
#include <tracefs.h>

#include "trace.h"
#include "trace_out.h"

/* Name of the instance; the recorder's process id follows, and in a container its namespace. */
#define INSTANCE "vsplit-trace"
#define HOLD_TRIES 5

/*
 * @held: a file of the instance, or -1. While it is open, other recorders cannot remove the
 *	instance.
 * @signals: signals that end the recording, or say that the command has ended.
 * @was: the signal mask before.
 * @events: number of events written.
 */
struct recorder {
	const struct record_options *options;
	struct tracefs_instance *instance;
	int held;
	struct tep_handle *tep;
	FILE *out;
	sigset_t signals;
	sigset_t was;
	uint64_t events;
	pid_t child;
	int status;
};

static void put_field(FILE *out, const struct tep_format_field *field,
		      const struct tep_record *record)
{
	unsigned long long value = 0;
	const char *data = record->data;

	fprintf(out, ",\"%s\":", field->name);
	if (field->flags & TEP_FIELD_IS_STRING) {
		uint32_t at;

		/*
		 * The field holds offset and length of the string, which is stored after the
		 * fields.
		 */
		memcpy(&at, data + field->offset, sizeof(at));
		at &= 0xffff;
		put_json_string(out, at < (uint32_t)record->size ? data + at : "");
		return;
	}
	/* tep_read_number_field() reads numbers of 1, 2, 4 and 8 bytes, all as unsigned. */
	if (tep_read_number_field((struct tep_format_field *)field, data, &value))
		value = 0;
	else if (field->flags & TEP_FIELD_IS_SIGNED)
		value = (uint64_t)signed_value(value, (uint32_t)field->size);
	if (field->flags & TEP_FIELD_IS_SIGNED)
		fprintf(out, "%" PRId64, (int64_t)value);
	else
		fprintf(out, "%" PRIu64, (uint64_t)value);
}

static int put_event(struct tep_event *event, struct tep_record *record, int cpu, void *priv)
{
	struct recorder *r = priv;
	const struct tep_format_field *field;

	fprintf(r->out, "{\"ts\":%" PRIu64 ",\"cpu\":%d,\"pid\":%d,\"event\":\"%s\"",
		(uint64_t)record->ts, cpu, tep_data_pid(r->tep, record), event->name);
	for (field = event->format.fields; field; field = field->next)
		put_field(r->out, field, record);
	fputs("}\n", r->out);
	r->events++;
	return 0;
}

/* Remove instances of recorders that were killed. The kernel removes none that is held. */
static void remove_old_instances(void)
{
	char **names = tracefs_instances("^" INSTANCE "-");
	int i;

	for (i = 0; names && names[i]; i++) {
		struct tracefs_instance *instance = tracefs_instance_create(names[i]);

		if (!instance)
			continue;
		tracefs_instance_destroy(instance);
		tracefs_instance_free(instance);
	}
	tracefs_list_free(names);
}

/*
 * A new instance inherits the options. Recording names of tasks is switched off for it, because the
 * names are not needed, and the kernel would trace its scheduler to get them.
 */
static struct tracefs_instance *make_instance(void)
{
	bool names = tracefs_option_is_enabled(NULL, TRACEFS_OPTION_RECORD_CMD);
	struct tracefs_instance *instance;
	char name[VSPLIT_NAME_LEN];

	own_adapter_name(INSTANCE, "/proc/self/ns/pid", name);
	if (names)
		tracefs_option_disable(NULL, TRACEFS_OPTION_RECORD_CMD);
	instance = tracefs_instance_create(name);
	if (names)
		tracefs_option_enable(NULL, TRACEFS_OPTION_RECORD_CMD);
	return instance;
}

/*
 * Make the instance, and hold it. Another recorder that starts may remove the instance before it is
 * held.
 */
static int hold_instance(struct recorder *r)
{
	int i;

	for (i = 0; i < HOLD_TRIES; i++) {
		r->instance = make_instance();
		if (!r->instance)
			return -1;
		r->held = tracefs_instance_file_open(r->instance, "tracing_on", O_RDONLY | O_CLOEXEC);
		if (r->held >= 0)
			return 0;
		tracefs_instance_free(r->instance);
		r->instance = NULL;
	}
	return -1;
}

static int begin(struct recorder *r)
{
	static const char * const systems[] = { "vsplit", NULL };

	if (!tracefs_tracing_dir()) {
		complain("there is no tracefs: mount it, as root, at /sys/kernel/tracing");
		return -1;
	}
	if (!tracefs_event_file_exists(NULL, "vsplit", "vsplit_submit", "enable")) {
		complain(geteuid() ? "cannot read the driver's tracepoints: only root can" :
				     "there are no tracepoints of vsplit: is the module loaded?");
		return -1;
	}
	remove_old_instances();
	r->tep = tracefs_local_events_system(NULL, systems);
	if (!r->tep || hold_instance(r)) {
		complain("cannot trace: %s", strerror(errno));
		return -1;
	}
	if (tracefs_instance_file_write(r->instance, "trace_clock", "mono") < 0 ||
	    tracefs_instance_set_buffer_size(r->instance, r->options->buffer_kib, -1) ||
	    tracefs_event_enable(r->instance, "vsplit", NULL) || tracefs_trace_on(r->instance)) {
		complain("cannot set up tracing: %s", strerror(errno));
		return -1;
	}
	return 0;
}

/* The file is opened last, so that an old recording is overwritten only by a new one. */
static int start(struct recorder *r)
{
	char **argv = r->options->command;

	r->out = fopen(r->options->file, "we");
	if (!r->out) {
		complain("%s: %s", r->options->file, strerror(errno));
		return -1;
	}
	fprintf(r->out, "{\"format\":\"%s\",\"version\":%d,\"clock\":\"mono\"}\n", TRACE_FORMAT,
		TRACE_VERSION);
	if (!*argv)
		return 0;
	r->child = fork();
	if (!r->child) {
		sigprocmask(SIG_SETMASK, &r->was, NULL);
		execvp(*argv, argv);
		complain("%s: %s", *argv, strerror(errno));
		_exit(127);
	}
	if (r->child > 0)
		return 0;
	complain("cannot fork: %s", strerror(errno));
	return -1;
}

/*
 * Wait one interval. Recording goes on until the command ends or, without a command, until a signal
 * comes. The terminal sends SIGINT to both processes; other signals are passed on to the command.
 */
static bool goes_on(struct recorder *r)
{
	uint64_t ms = r->options->interval_ms;
	struct timespec wait = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	int got = sigtimedwait(&r->signals, NULL, &wait);

	if (!r->child)
		return got < 0 || got == SIGCHLD;
	if (got == SIGTERM || got == SIGHUP)
		kill(r->child, got);
	return !waitpid(r->child, &r->status, WNOHANG);
}

static void look(struct recorder *r)
{
	tracefs_iterate_raw_events(r->tep, r->instance, NULL, 0, put_event, r);
}

static uint64_t stat_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* Count the events for which the kernel had no room. */
static uint64_t count_lost(struct recorder *r)
{
	long i, cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t lost = 0;

	for (i = 0; i < cpus; i++) {
		char path[60], *text;

		snprintf(path, sizeof(path), "per_cpu/cpu%ld/stats", i);
		text = tracefs_instance_file_read(r->instance, path, NULL);
		if (text)
			lost += stat_of(text, "\noverrun: ") + stat_of(text, "dropped events: ");
		free(text);
	}
	return lost;
}

static int finish(struct recorder *r)
{
	uint64_t lost;
	int status = EXIT_HELD;

	tracefs_trace_off(r->instance);
	look(r);
	lost = count_lost(r);
	fprintf(r->out, "{\"ended\":true,\"events\":%" PRIu64 ",\"lost\":%" PRIu64 "}\n", r->events,
		lost);
	if (r->child && (!WIFEXITED(r->status) || WEXITSTATUS(r->status))) {
		complain("%s: %s %d", r->options->command[0],
			 WIFEXITED(r->status) ? "ended with status" : "was killed by signal",
			 WIFEXITED(r->status) ? WEXITSTATUS(r->status) : WTERMSIG(r->status));
		status = EXIT_NOT_HELD;
	}
	if (lost) {
		complain("%" PRIu64 " events were lost: a larger --buffer is needed", lost);
		status = EXIT_NOT_HELD;
	}
	return status;
}

static int run(struct recorder *r)
{
	if (begin(r) || start(r))
		return EXIT_NOT_RUN;
	while (goes_on(r))
		look(r);
	return finish(r);
}

int trace_record(const struct record_options *options)
{
	struct recorder r = { .options = options, .held = -1 };
	int status;

	sigemptyset(&r.signals);
	sigaddset(&r.signals, SIGINT);
	sigaddset(&r.signals, SIGTERM);
	sigaddset(&r.signals, SIGHUP);
	sigaddset(&r.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &r.signals, &r.was);
	status = run(&r);
	if (r.instance) {
		tracefs_event_disable(r.instance, NULL, NULL);
		close(r.held);
		tracefs_instance_destroy(r.instance);
		tracefs_instance_free(r.instance);
	}
	tep_free(r.tep);
	if (r.out && (ferror(r.out) | fclose(r.out))) {
		complain("%s: cannot write: %s", options->file, strerror(errno));
		status = EXIT_NOT_RUN;
	}
	return status;
}
