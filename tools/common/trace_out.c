// SPDX-License-Identifier: MIT
/* Writes traces in Chrome's JSON format, one event after the other. */
#include <inttypes.h>

#include "common.h"
#include "trace_out.h"

/* Times are microseconds from the first event. */
static double since(const struct trace_out *t, uint64_t ns)
{
	return ns > t->t0 ? (double)(ns - t->t0) * 1e-3 : 0;
}

void trace_begin(struct trace_out *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		 const char *name)
{
	fprintf(t->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"name\":",
		t->any ? "," : "", phase, pid, tid, since(t, ns));
	put_json_string(t->out, name);
	t->any = true;
}

void trace_duration(struct trace_out *t, uint64_t t0, uint64_t t1, const char *category)
{
	fprintf(t->out, ",\"dur\":%.3f,\"cat\":\"%s\",\"args\":{",
		t1 > t0 ? (double)(t1 - t0) * 1e-3 : 0, category);
}

void trace_name(struct trace_out *t, const char *what, uint32_t pid, uint32_t tid,
		const char *name)
{
	trace_begin(t, "M", pid, tid, t->t0, what);
	fputs(",\"args\":{\"name\":", t->out);
	put_json_string(t->out, name);
	fputs("}}", t->out);
}

void trace_flow(struct trace_out *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		uint64_t id)
{
	trace_begin(t, phase, pid, tid, ns, "submission");
	fprintf(t->out, ",\"cat\":\"flow\",\"id\":%" PRIu64 "%s}", id,
		*phase == 'f' ? ",\"bp\":\"e\"" : "");
}
