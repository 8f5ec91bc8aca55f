// SPDX-License-Identifier: MIT
/* Whole scenarios on the fake kernel: statements, streams, expectations, exit statuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "fake.h"
#include "parse.h"
#include "run.h"

static char said[4096];
static struct totals totals;	/* of the last run */
static int closed_handles;	/* GEM handles that are closed with a file of the run */
static char log_kinds[64];	/* a letter for each entry of the log, a dot for each statement */

static void follow(const struct result *r, void *data)
{
	static const char letters[] = { [LOG_ALLOC] = 'a', [LOG_SUBMIT] = 's', [LOG_EVENTS] = 'e',
					[LOG_CHECK] = 'c', [LOG_FAILURE] = 'f' };
	uint32_t *told = data;
	size_t len = strlen(log_kinds);

	for (; *told < r->num_log && len + 3 < sizeof(log_kinds); (*told)++)
		log_kinds[len++] = letters[r->log[*told].kind];
	if (len + 2 > sizeof(log_kinds))
		return;
	log_kinds[len] = '.';
	log_kinds[len + 1] = '\0';
}

/* Run a scenario, and store its messages on stderr in @said. */
static int play(const char *text, bool keep_going)
{
	uint32_t told = 0;
	struct play_options options = { .device = fake_node(), .keep_going = keep_going,
					.progress = follow, .data = &told, .suspended_ms = 100 };
	struct parse_error error;
	struct scenario *s;
	struct result *r;
	char name[] = "/tmp/vsplit-play-XXXXXX";
	int fd = mkstemp(name), old, ret;
	ssize_t len;

	unlink(name);
	s = scenario_parse("t.vss", text, strlen(text), &error);
	if (!s) {
		printf("# %s\n", error.text);
		return -1;
	}
	fflush(stderr);
	old = dup(2);
	dup2(fd, 2);
	log_kinds[0] = '\0';
	r = result_new(s);
	ret = play_run(s, &options, r);
	fflush(stderr);
	dup2(old, 2);
	close(old);
	len = pread(fd, said, sizeof(said) - 1, 0);
	said[len < 0 ? 0 : len] = '\0';
	close(fd);
	totals = result_totals(r);
	result_free(r);
	scenario_free(s);
	CHECK_EQ(fake.open_handles, closed_handles);
	closed_handles = 0;
	fake_reset();
	return ret;
}

static void bytes_arrive(void)
{
	CHECK_EQ(play("context C\nalloc A 64K\nalloc B 5000\n"
		      "dma X C\n bind 0 A\n fill 0 0x55\n fill 0 7 4K 100\n bind 1 B\n copy 1 0\n"
		      " fill 1 9 4999 1\n"
		      "submit X\nexpect X ok\nexpect X portions=1\n"
		      "expect A bytes=0x55 0 4K\nexpect A bytes=7 4K 100\nexpect A bytes=0x55 4196 61340\n"
		      "expect B bytes=0x55 0 4K\nexpect B bytes=9 4999 1\nexpect B in=system\n"
		      "expect C state=active\nexpect evicted=0 paged-in=0 moved=0\n", false), 0);
	CHECK_STR(said, "");
}

static void the_cpu_writes(void)
{
	CHECK_EQ(play("context C\nalloc A 8K cpu\nalloc B 8K\nwrite A 0x77\nwrite A 0x11 4K 1\n"
		      "dma X C\n bind 3 A\n bind 4 B\n copy 4 3 4097\n"
		      "submit X\nwait X\nlock A\nunlock A\nlock A dontwait\nunlock A\nwait all\n"
		      "expect B bytes=0x77 0 4K\nexpect B bytes=0x11 4K 1\nexpect B bytes=0 4097 1\n",
		      false), 0);
	CHECK_STR(said, "");
}

static void state_is_set_after_each_split_point(void)
{
	/* The fake loses state at every split point, taken or not. */
	CHECK_EQ(play("option force-split=yes\ncontext C\nalloc A 4K\nalloc B 4K\n"
		      "dma X C\n bind 0 A\n fill 0 1\n bind 1 B\n fill 0 1\n fill 1 2\n unbind 1\n"
		      " bind 2 B\n fill 2 3 0 8\n pad 1024\n fill 0 4 8 8\n"
		      "submit X\nexpect X ok\nexpect X portions=3\n"
		      "expect A bytes=1 0 8\nexpect A bytes=4 8 8\nexpect B bytes=3 0 8\n"
		      "expect B bytes=2 8 4088\n", false), 0);
	CHECK_STR(said, "");
}

/* The parser's sizes of commands are those in the stream. */
static void offsets_are_as_predicted(void)
{
	CHECK_EQ(play("context C\nalloc A 4K\ndma X C\n bind 0 A\n pad 24\n fill 0 1\n pad 72\n"
		      " copy 0 0 8\n pad 120\n spin 1\n pad 128\n spin 0\nsubmit X\nexpect X ok\n",
		      false), 0);
	CHECK_STR(said, "");
	/* The fake has no virtual addresses: the submission is accepted, and faults. */
	CHECK_EQ(play("context C\ndma X C\n fill @4K 1 8\n pad 48\n copy @4K @4K 8\n pad 96\n"
		      " spin 0\nsubmit X\nexpect X error=EIO\n", false), 0);
	CHECK_STR(said, "");
}

static void failed_expectations_are_told(void)
{
	CHECK_EQ(play("context C\nalloc A 4K\ndma X C\n bind 0 A\n fill 0 1\nsubmit X\n"
		      "expect X portions=3\n"
		      "expect X portions>=2\n"
		      "expect X portions<=1\n"
		      "expect X error=ENOSPC\n"
		      "expect A bytes=2\n"
		      "expect A bytes=1 0 8\n"
		      "expect A bytes=0 8 16\n"
		      "expect A at=4K in=system\n"
		      "expect C state=lost-hang\n"
		      "expect evicted=4K\n", false), 1);
	CHECK_STR(said,
		  "t.vss:7: expected X portions=3, got 1\n"
		  "t.vss:8: expected X portions>=2, got 1\n"
		  "t.vss:10: expected X error=ENOSPC, got no error\n"
		  "t.vss:11: expected A bytes=2, got 0x01 at offset 0\n"
		  "t.vss:13: expected A bytes=0 8 16, got 0x01 at offset 8\n"
		  "t.vss:14: expected A at=4K, got system\n"
		  "t.vss:15: expected C state=lost-hang, got active\n"
		  "t.vss:16: expected evicted=4K, got 0\n");
}

static void refused_submissions_are_remembered(void)
{
	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_errno = ENOSPC;
	fake.fail_times = 1;
	CHECK_EQ(play("context C\nalloc A 4K\ndma X C\n bind 0 A\n fill 0 1\nsubmit X\n"
		      "expect X error=ENOSPC\nsubmit X\nexpect X ok\nexpect A bytes=1\n", false), 0);
	CHECK_STR(said, "");

	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_times = 1;
	CHECK_EQ(play("context C\nalloc A 4K\ndma X C\n bind 0 A\n fill 0 1\nsubmit X\n"
		      "expect X ok\nexpect X portions=1\nexpect A bytes=0\n", false), 1);
	CHECK_STR(said, "t.vss:7: expected X ok, got error ENOSPC\n"
			"t.vss:8: expected X portions=1, got error ENOSPC\n");

	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_times = 1;
	CHECK_EQ(play("context C\ndma X C\n spin 1\ndma Y C\n spin 1\nsubmit X\n"
		      "submit Y after=X\nexpect Y ok\n", false), 0);
	CHECK_STR(said, "t.vss:6: note: X was refused with ENOSPC, and no expect speaks of it\n");
}

static void faults_lose_the_context(void)
{
	CHECK_EQ(play("context C\ncontext D\nalloc A 4K\ndma X C\n bind 0 A\n fill 1 1\n"
		      "dma Y D\n bind 0 A\n fill 0 8\nsubmit X\nsubmit Y\n"
		      "expect X error=EIO\nexpect C state=lost-fault\nexpect D state=active\n"
		      "submit X\nexpect X error=EIO\nexpect A bytes=8\nexpect Y ok\n", false), 0);
	CHECK_STR(said, "");
	CHECK_EQ(play("context C\nalloc A 4K\ndma X C\n bind 0 A\n copy 0 0 8K\nsubmit X\n", false),
		 0);
	CHECK_STR(said, "t.vss:6: note: X ended with EIO, and no expect speaks of it\n");
}

static void failed_statements(void)
{
	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_GEM_CREATE;
	fake.fail_errno = E2BIG;
	fake.fail_times = 1;
	CHECK_EQ(play("alloc A 4K\ncontext C\nexpect C state=lost-oom\n", false), 2);
	CHECK_STR(said, "t.vss:1: alloc failed: Argument list too long (E2BIG)\n");

	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_GEM_CREATE;
	fake.fail_times = 1;
	CHECK_EQ(play("alloc A 4K\ncontext C\nexpect C state=lost-oom\n", true), 2);
	CHECK_STR(said, "t.vss:1: alloc failed: Argument list too long (E2BIG)\n"
			"t.vss:3: expected C state=lost-oom, got active\n");

	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_GEM_CREATE;
	fake.fail_times = 1;
	CHECK_EQ(play("alloc A 4K\nexpect A error=E2BIG\n", false), 0);
	CHECK_STR(said, "");

	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_GEM_LOCK;
	fake.fail_errno = EBUSY;
	fake.fail_times = 1;
	CHECK_EQ(play("alloc A 4K\nlock A dontwait\nexpect A error=EBUSY\n", false), 0);
	CHECK_STR(said, "");
	CHECK_EQ(play("alloc A 4K\nunlock A\n", false), 2);
	CHECK_STR(said, "t.vss:2: unlock failed: Invalid argument (EINVAL)\n");
}

static void segments_must_be_there(void)
{
	CHECK_EQ(play("alloc A 4K in=vram\nexpect A bytes=0\n", false), 0);
	CHECK_EQ(play("\nalloc A 4K in=gart\n", false), 2);
	CHECK_STR(said, "t.vss:2: alloc: the adapter has no segment 'gart'\n");
	CHECK_EQ(play("alloc A 4K\nexpect A in=gart\n", false), 2);
	CHECK_STR(said, "t.vss:2: expect: the adapter has no segment 'gart'\n");
	CHECK_EQ(play("segment vram memory 4K\n", false), 2);
	CHECK_STR(said, "t.vss:1: the scenario describes an adapter of its own: --device cannot be used\n");
}

static void devices_close(void)
{
	/* A context and an allocation: they end with the file, without a call. */
	closed_handles = 2;
	CHECK_EQ(play("device D\ncontext C device=D\ncontext E\nalloc A 4K device=D\n"
		      "write A 3\nalloc F 4K\n"
		      "dma X C\n bind 0 A\n fill 0 1\ndma Y E\n bind 0 F\n fill 0 2\n"
		      "submit X\nsubmit Y\nexpect X ok\nclose D\nexpect Y ok\nexpect F bytes=2\n",
		      false), 0);
	CHECK_STR(said, "");
}

/* A device that is closed gives up the pages of others a moment later. */
static void sharing_ends(void)
{
	fake.shared_infos = 5;
	CHECK_EQ(play("alloc A 4K\nexpect A shared=1\nexpect A shared=0\n", false), 0);
	CHECK_STR(said, "");
	CHECK_EQ(fake.shared_infos, 0);
}

static void paging_without_a_record_is_counted(void)
{
	CHECK_EQ(play("alloc A 64K\nresident A\nexpect paged-in=64K\n", false), EXIT_HELD);
	CHECK_STR(said, "");
	CHECK_EQ(totals.paged_in, 64 << 10);
}

/* A request with a name may fail, which a run that expects nothing of it should not hide. */
static void refused_requests_are_told(void)
{
	CHECK_EQ(play("alloc A 64K\nevict-resident E A\nevict-resident F A\nexpect F error=EINVAL\n",
		      false), EXIT_HELD);
	CHECK_STR(said, "t.vss:2: note: E was refused with EINVAL, and no expect speaks of it\n");
}

static void many_submissions(void)
{
	static char text[20000] = "context C\nalloc A 4K\ndma X C\n bind 0 A\n fill 0 1\n";
	int i;

	for (i = 0; i < 200; i++)
		strcat(text, "submit X\n");
	strcat(text, "expect A bytes=1\nexpect X ok\n");
	CHECK_EQ(play(text, false), 0);
	CHECK_STR(said, "");
}

/* Each result is logged with the statement at which it became known, not at the end. */
static void the_log_follows_the_run(void)
{
	CHECK_EQ(play("context C\nalloc A 4K\ndma X C\n bind 0 A\n fill 0 1\n"
		      "submit X\nexpect X ok portions=1\nsubmit X\nwait X\nexpect A bytes=2\n",
		      false), 1);
	CHECK_STR(log_kinds, ".a.se.cc.se..c..");
	CHECK_EQ(play("alloc A 4K\nunlock A\nalloc B 4K\n", true), 2);
	CHECK_STR(log_kinds, "a.f.a..");
}

/* A refused submission raises no fence, so a wait for its value cannot end. */
static void waits_that_cannot_end(void)
{
	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_errno = ENOSPC;
	fake.fail_times = 1;
	CHECK_EQ(play("device D\ncontext C device=D mode=hw\ncontext E\nfence F\n"
		      "dma W C\n wait-fence F 1\n spin 1\ndma S E\n spin 1\n signal F 1\n"
		      "submit S\nexpect S error=ENOSPC\nsubmit W\nexpect paged-in=0\n"
		      "signal F 1\nwait W\nexpect W ok\n", false), 0);
	CHECK_STR(said, "");
}

/* The kernel begins a parked buffer some time after the value, and no lock waits for that. */
static void contents_after_a_signal(void)
{
	CHECK_EQ(play("context C\ncontext E\nfence F\nalloc A 4K\nalloc B 4K\n"
		      "dma W C\n wait-fence F 1\n bind 0 A\n fill 0 1\n"
		      "dma V E\n wait-fence F 2\n bind 0 B\n fill 0 2\n"
		      "submit W\nsubmit V\nexpect A bytes=0\nexpect B bytes=0\n"
		      "signal F 1\nexpect A bytes=1\nexpect B bytes=0\n"
		      "signal F 2\nexpect B bytes=2\nexpect W ok\nexpect V ok\n", false), 0);
	CHECK_STR(said, "");
	/* S fails before it raises the fence. */
	CHECK_EQ(play("context C\ncontext E\nfence F\nalloc A 4K\n"
		      "dma W C\n wait-fence F 1\n bind 0 A\n fill 0 1\n"
		      "dma S E\n fill 1 1\n signal F 1\n"
		      "submit W\nsubmit S\nexpect A bytes=0\nexpect S error=EIO\n"
		      "signal F 1\nexpect A bytes=1\nexpect W ok\n", false), 0);
	CHECK_STR(said, "");
}

/* The buffer that should raise the fence fails before: what waits for the value does not end. */
static void values_that_do_not_come(void)
{
	static const char begin[] =
		"device D\ncontext C\ncontext E\ncontext H device=D mode=hw\nfence F\nfence G\nalloc A 4K\n"
		"dma W C\n wait-fence F 1\n bind 0 A\n fill 0 1\n"
		"dma S E\n wait-fence G 1\n fill 1 1\n signal F 1\n"
		"dma T H\n signal G 1\n";
	char text[1000];

	snprintf(text, sizeof(text), "%ssubmit W\nsubmit S\nsubmit T\nexpect C state=active\n"
		 "expect paged-in=0\nexpect A bytes=0\nlock A\nunlock A\nexpect S error=EIO\n"
		 "signal F 1\nexpect W ok\nexpect A bytes=1\n", begin);
	CHECK_EQ(play(text, false), 0);
	CHECK_STR(said, "");
	snprintf(text, sizeof(text), "%ssubmit S\nsubmit T\nexpect F value=1\nexpect S error=EIO\n"
		 "wait F 1\n", begin);
	CHECK_EQ(play(text, false), 2);
	CHECK_STR(said, "t.vss:20: expected F value=1, got 0\n"
		  "t.vss:22: nothing raises F to 1\n"
		  "t.vss:22: wait failed: Timer expired (ETIME)\n");
	snprintf(text, sizeof(text), "%ssubmit W\nsubmit S\nsubmit T\nexpect S error=EIO\nwait W\n",
		 begin);
	CHECK_EQ(play(text, false), 2);
	CHECK_STR(said, "t.vss:18: W waits for a fence that nothing signals\n"
		  "t.vss:22: wait failed: Timer expired (ETIME)\n");
}

/* What a signal releases is begun before the next statement. */
static void order_after_a_signal(void)
{
	static const char begin[] =
		"context C\ncontext E\nfence F\nalloc A 4K\nalloc B 4K\n"
		"dma W C\n wait-fence F 1\n bind 0 A\n fill 0 1\n"
		"dma X E\n bind 0 A\n bind 1 B\n copy 1 0\n"
		"dma S E\n signal F 1\n";
	char text[1000];

	snprintf(text, sizeof(text), "%ssubmit W\nsignal F 1\nwrite A 2\nwait W\nexpect A bytes=2\n",
		 begin);
	CHECK_EQ(play(text, false), 0);
	snprintf(text, sizeof(text), "%ssubmit W\nsignal F 1\nsubmit X\nexpect B bytes=1\n", begin);
	CHECK_EQ(play(text, false), 0);
	snprintf(text, sizeof(text), "%ssubmit W\nsubmit S\nwait F 1\nsubmit X\nexpect B bytes=1\n",
		 begin);
	CHECK_EQ(play(text, false), 0);
	snprintf(text, sizeof(text), "%ssubmit W\nsubmit S\nwrite A 2\nwait W\nexpect A bytes=2\n",
		 begin);
	CHECK_EQ(play(text, false), 0);
	CHECK_STR(said, "");
}

/* No later statement could resume the engine. */
static void waits_for_a_suspended_engine_end(void)
{
	CHECK_EQ(play("alloc A 4K\nsuspend\nlock A\n", false), 2);
	CHECK_EQ(fake.escape.op, VSPLIT_ESCAPE_RESUME);
	CHECK_STR(said, "t.vss:3: lock waits for an engine that is suspended; it is resumed now\n"
		  "t.vss:3: lock failed: Resource deadlock avoided (EDEADLK)\n");
	CHECK_EQ(play("alloc A 4K\nsuspend\nlock A\nunlock A\nexpect A locks=0\n", true), 2);
	CHECK(!strstr(said, "t.vss:4") && !strstr(said, "t.vss:5"));
	CHECK_EQ(play("alloc A 4K\nsuspend\nresume\nlock A\n", false), 0);
	CHECK_STR(said, "");
}

/* A scenario may come from anywhere, so messages must not quote control sequences of a terminal. */
static void what_is_said_is_printable(void)
{
	char path[] = "t.vss", *text;
	struct scenario s = { .path = path };
	FILE *old = stderr;
	size_t size;

	stderr = open_memstream(&text, &size);
	say(&s, 7, "adapter: %s is not possible", "x=\x1b]0;y\xc2\x9b");
	fclose(stderr);
	stderr = old;
	CHECK_STR(text, "t.vss:7: adapter: x=?]0;y?? is not possible\n");
	free(text);
}

int main(void)
{
	RUN(bytes_arrive);
	RUN(the_cpu_writes);
	RUN(state_is_set_after_each_split_point);
	RUN(offsets_are_as_predicted);
	RUN(failed_expectations_are_told);
	RUN(refused_submissions_are_remembered);
	RUN(faults_lose_the_context);
	RUN(failed_statements);
	RUN(segments_must_be_there);
	RUN(devices_close);
	RUN(sharing_ends);
	RUN(paging_without_a_record_is_counted);
	RUN(refused_requests_are_told);
	RUN(many_submissions);
	RUN(the_log_follows_the_run);
	RUN(waits_that_cannot_end);
	RUN(contents_after_a_signal);
	RUN(values_that_do_not_come);
	RUN(order_after_a_signal);
	RUN(waits_for_a_suspended_engine_end);
	RUN(what_is_said_is_printable);
	return check_total_failures != 0;
}
