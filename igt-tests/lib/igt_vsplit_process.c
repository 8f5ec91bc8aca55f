// SPDX-License-Identifier: MIT
/* The clients of a subtest that are processes of their own. */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_cleanup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define MAX_CHILDREN 16

static pid_t children[MAX_CHILDREN];
static bool is_child;

pid_t vsplit_fork(void)
{
	unsigned int i = 0;
	pid_t pid;

	while (i < MAX_CHILDREN && children[i])
		i++;
	igt_assert(i < MAX_CHILDREN);
	fflush(NULL);
	pid = fork();
	igt_assert_f(pid >= 0, "fork: %s\n", strerror(errno));
	if (pid) {
		children[i] = pid;
		return pid;
	}
	memset(children, 0, sizeof(children));
	is_child = true;
	return 0;
}

int vsplit_reap(pid_t pid)
{
	int status;

	/* A last signal from the child may interrupt the wait. */
	igt_assert_eq(TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)), pid);
	for (unsigned int i = 0; i < MAX_CHILDREN; i++)
		if (children[i] == pid)
			children[i] = 0;
	return status;
}

void vsplit_copy_at_once(uint8_t *to, const uint8_t *from)
{
	pid_t pid = vsplit_fork();

	if (!pid) {
#ifdef __x86_64__
		asm volatile("movsb" : "+D" (to), "+S" (from) : : "memory");
#else
		*(volatile uint8_t *)to = *(const volatile uint8_t *)from;
#endif
		_exit(0);
	}
	igt_assert_f(vsplit_soon(vsplit_task_state(pid) == 'Z'), "the instruction never ends\n");
	igt_assert_eq(vsplit_reap(pid), 0);
}

pid_t vsplit_read_as_debugger(const struct vsplit_bo *bo)
{
	pid_t pid = vsplit_fork();
	uint8_t byte;
	int mem;

	if (pid)
		return pid;
	mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	igt_assert_fd(mem);
	_exit(pread(mem, &byte, 1, (uintptr_t)bo->map) != 1);
}

char vsplit_task_state(pid_t task)
{
	char path[32], text[512], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", task);
	if (__vsplit_read_file(path, text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

int vsplit_ends_unblocked(pid_t pid)
{
	unsigned int blocked = 0;
	siginfo_t end = {};

	while (!waitid(P_PID, pid, &end, WEXITED | WNOHANG | WNOWAIT) && !end.si_pid) {
		blocked = vsplit_task_state(pid) == 'D' ? blocked + 1 : 0;
		igt_assert_f(blocked < 1000, "it is blocked, and no signal ends that\n");
		usleep(10000);
	}
	return vsplit_reap(pid);
}

/* Kills the children of a subtest that failed, even stopped ones. */
void vsplit_process_cleanup(void)
{
	for (unsigned int i = 0; i < MAX_CHILDREN; i++) {
		if (!children[i])
			continue;
		kill(children[i], SIGKILL);
		TEMP_FAILURE_RETRY(waitpid(children[i], NULL, 0));
		children[i] = 0;
	}
}

void vsplit_child_ends(void)
{
	if (is_child)
		_exit(IGT_EXIT_FAILURE);
}
