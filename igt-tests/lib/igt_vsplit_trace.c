// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: its tracepoints.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_cleanup.h"

#include <stdarg.h>
#include <sys/stat.h>

#define INSTANCE "/sys/kernel/tracing/instances/igt-vsplit"
#define KPROBES "/sys/kernel/tracing/kprobe_events"
#define RECORD_CMD "/sys/kernel/tracing/options/record-cmd"
#define MAX_TRACE (16u << 20)

static char *text;
static bool tracing, inserts;

static void remove_instance(void)
{
	if (inserts)
		__vsplit_write_file(INSTANCE "/events/vsplit_igt/enable", "0");
	rmdir(INSTANCE);
	if (inserts)
		__vsplit_write_file(KPROBES, "-:vsplit_igt/insert");
	inserts = false;
	tracing = false;
}

void vsplit_trace_cleanup(void)
{
	if (tracing) {
		__vsplit_write_file(INSTANCE "/tracing_on", "0");
		remove_instance();
	}
	free(text);
	text = NULL;
}

/*
 * Turns off the recording of task names, which the tests do not need. For the names, the kernel
 * would trace the scheduler as well, and patch its hottest code, which an emulated machine with
 * several processors does not always survive. An instance inherits the options that are set when it
 * is made.
 */
static int make_instance(void)
{
	char was[8] = "0";
	int ret;

	__vsplit_read_file(RECORD_CMD, was, sizeof(was));
	if (was[0] == '1')
		__vsplit_write_file(RECORD_CMD, "0");
	ret = mkdir(INSTANCE, 0700) == 0 || errno == EEXIST ? 0 : -errno;
	if (was[0] == '1')
		__vsplit_write_file(RECORD_CMD, "1");
	return ret;
}

void vsplit_trace_begin(void)
{
	int ret;

	vsplit_trace_cleanup();
	ret = make_instance();
	igt_require_f(!ret, "no tracefs: %s\n", strerror(-ret));
	tracing = true;
	igt_assert_eq(__vsplit_write_file(INSTANCE "/buffer_size_kb", "1024"), 0);
	igt_assert_eq(__vsplit_write_file(INSTANCE "/events/vsplit/enable", "1"), 0);
	igt_assert_eq(__vsplit_write_file(INSTANCE "/tracing_on", "1"), 0);
}

const char *vsplit_trace_end(void)
{
	igt_assert(tracing);
	igt_assert_eq(__vsplit_write_file(INSTANCE "/tracing_on", "0"), 0);
	text = malloc(MAX_TRACE);
	igt_assert(text);
	igt_assert_eq(__vsplit_read_file(INSTANCE "/trace", text, MAX_TRACE), 0);
	igt_assert(strlen(text) < MAX_TRACE - 1);
	remove_instance();
	return text;
}

const char *vsplit_trace_find(const char *trace, const char *from, const char *event,
			      const char *format, ...)
{
	char head[64], what[256];
	const char *line;
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	snprintf(head, sizeof(head), " vsplit_%s: ", event);
	for (line = from ? from : trace; line && *line; line = strchr(line, '\n')) {
		size_t n;
		const char *at, *found;

		line += *line == '\n';
		n = strcspn(line, "\n");
		at = memmem(line, n, head, strlen(head));
		found = at ? memmem(at, n - (at - line), what, strlen(what)) : NULL;
		if (found)
			return line;
	}
	return NULL;
}

uint64_t vsplit_trace_frame(const char *trace, const struct vsplit_bo *bo, uint32_t segment,
			    uint64_t page)
{
	uint64_t frame = 0, found;
	const char *line = NULL;

	while ((line = vsplit_trace_find(trace, line, "cpu_fault",
					 "bo=%" PRIu64 " segment=%u pgoff=%" PRIu64 " ", bo->id,
					 segment ? segment - 1 : 255, page))) {
		found = strtoull(strstr(line, "pfn=") + 4, NULL, 16);
		igt_assert(found);
		if (frame)
			igt_assert_eq_u64(found, frame);
		frame = found;
		line = strchr(line, '\n');
		if (!line)
			break;
	}
	return frame;
}

void vsplit_trace_inserts(void)
{
	int ret = __vsplit_write_file(KPROBES, "p:vsplit_igt/insert vmf_insert_pfn_prot "
					       "address=%si:x64 pfn=%dx:x64");

	igt_assert(tracing);
	igt_require_f(!ret, "no kprobe events: %s\n", strerror(-ret));
	inserts = true;
	igt_assert_eq(__vsplit_write_file(INSTANCE "/events/vsplit_igt/enable", "1"), 0);
}

uint64_t vsplit_trace_inserted(const char *trace, const void *address)
{
	uint64_t frame = 0;
	char what[64];

	snprintf(what, sizeof(what), "address=0x%" PRIxPTR " pfn=", (uintptr_t)address);
	for (const char *at = trace; (at = strstr(at, what)); at += strlen(what))
		frame = strtoull(at + strlen(what), NULL, 16);
	return frame;
}

unsigned int vsplit_trace_count(const char *trace, const char *event, const char *what)
{
	const char *line = NULL;
	unsigned int n = 0;

	while ((line = vsplit_trace_find(trace, line, event, "%s", what))) {
		n++;
		line = strchr(line, '\n');
		if (!line)
			break;
	}
	return n;
}
