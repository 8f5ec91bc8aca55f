// SPDX-License-Identifier: MIT
/*
 * What vsplit_fuzz does to a step from outside: failures, interruptions, holding. It works like
 * igt_vsplit_debug.h, but with files that stay open, because opening them takes longer than a step.
 * While a file is open the module cannot be unloaded.
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_fuzz.h"

#include <sys/syscall.h>

#define FAULT "/sys/kernel/debug/vsplit/fault/"

static const char *const names[VSPLIT_INJECT_KINDS] = {
	[VSPLIT_INJECT_SITE] = FAULT "nth",
	[VSPLIT_INJECT_WAIT] = FAULT "interrupt",
	[VSPLIT_INJECT_KERNEL] = "/proc/thread-self/fail-nth",
};

/* Files of this thread, plus one; 0: not open. The last file arms the thread that opened it. */
static __thread int files[VSPLIT_INJECT_KINDS];
static __thread bool kernel_is_armed;
static int sync_file = -1;

/* The files ignore the offset at which text is written. */
static void put(int file, const char *text)
{
	int n = strlen(text);

	igt_assert_eq(write(file, text, n), n);
}

void vsplit_fuzz_arm(enum vsplit_inject kind, unsigned int n)
{
	char text[16];

	if (!files[kind]) {
		files[kind] = open(names[kind], O_RDWR | O_CLOEXEC) + 1;
		igt_assert_f(files[kind], "%s: %s\n", names[kind], strerror(errno));
	}
	kernel_is_armed = kind == VSPLIT_INJECT_KERNEL;
	snprintf(text, sizeof(text), "%u", n);
	put(files[kind] - 1, text);
}

/* Parse the driver's table: a line for each armed task: pid, passes left, failed site or "-". */
static bool site_failed(const char *text)
{
	pid_t self = syscall(SYS_gettid);
	char site[64];
	int pid;

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (sscanf(text, "%d %*u %63s", &pid, site) == 2 && pid == self)
			return strcmp(site, "-") != 0;
	igt_assert_f(false, "this task is not armed\n");
	return false;
}

bool vsplit_fuzz_disarm(enum vsplit_inject kind)
{
	char text[4096];
	ssize_t n = pread(files[kind] - 1, text, sizeof(text) - 1, 0);

	igt_assert(n > 0);
	text[n] = 0;
	put(files[kind] - 1, "0");
	kernel_is_armed = false;
	return kind == VSPLIT_INJECT_KERNEL ? strtoul(text, NULL, 0) == 0 : site_failed(text);
}

bool vsplit_fuzz_kernel_is_armed(void)
{
	return kernel_is_armed;
}

void vsplit_fuzz_hold_point(const char *point, bool hold)
{
	char text[96];

	if (sync_file < 0)
		sync_file = open(FAULT "sync", O_RDWR | O_CLOEXEC);
	igt_assert_f(sync_file >= 0, FAULT "sync: %s\n", strerror(errno));
	snprintf(text, sizeof(text), "%s %s", hold ? "hold" : "release", point);
	put(sync_file, text);
}

void vsplit_fuzz_inject_forget(void)
{
	memset(files, 0, sizeof(files));
}

void vsplit_fuzz_inject_close(void)
{
	for (unsigned int i = 0; i < VSPLIT_INJECT_KINDS; i++)
		if (files[i])
			close(files[i] - 1);
	vsplit_fuzz_inject_forget();
}

void vsplit_fuzz_hold_close(void)
{
	if (sync_file >= 0)
		close(sync_file);
	sync_file = -1;
}
