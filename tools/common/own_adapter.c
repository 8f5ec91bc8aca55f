// SPDX-License-Identifier: MIT
/* Adapters that a tool creates for one run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

/* Inode number of the initial pid namespace: the kernel defines it (PROC_PID_INIT_INO). */
#define FIRST_PIDS	0xeffffffcu

struct own_adapter {
	struct vsplit_adapter *adapter;
	int alive;
	pid_t keeper;
};

/*
 * Close everything inherited. Otherwise a device that the parent closes would stay open, a reader
 * of the parent's output would not see its end, and another keeper's pipe would not end with the
 * parent.
 */
static void drop_inherited(int fd)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[400];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, " /dev/dri/") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			munmap((void *)from, to - from);
	}
	dup2(fd, STDIN_FILENO);
	closefrom(STDIN_FILENO + 1);
}

/*
 * The child sleeps until its parent, the last writer of the pipe, has ended. Then it removes the
 * adapter that the parent left. All signals are blocked.
 */
static void keep(int fd, const char *name)
{
	char c;

	setsid();
	prctl(PR_SET_NAME, "vsplit-keeper");
	drop_inherited(fd);
	while (read(STDIN_FILENO, &c, 1) < 0 && errno == EINTR)
		;
	vsplit_adapter_remove(name);
	_exit(0);
}

static int start_keeper(struct own_adapter *own, const char *name)
{
	sigset_t all, was;
	int pipe_fds[2], ret = 0;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	/* The child must never receive the signals that a terminal sends to both. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &was);
	own->keeper = fork();
	if (own->keeper < 0)
		ret = -errno;
	else if (!own->keeper)
		keep(pipe_fds[0], name);
	sigprocmask(SIG_SETMASK, &was, NULL);
	close(pipe_fds[0]);
	own->alive = pipe_fds[1];
	if (ret)
		close(own->alive);
	return ret;
}

static void explain(int error)
{
	switch (error) {
	case -ENODEV:
		complain("cannot make an adapter: the vsplit module is not loaded, or the kernel has no configfs");
		break;
	case -EPERM:
	case -EACCES:
		complain("cannot make an adapter: that needs root");
		break;
	default:
		complain("cannot make an adapter: %s", strerror(-error));
	}
}

/*
 * No other living process has the same name: containers have process ids of their own, but share
 * the kernel's adapters.
 */
void own_adapter_name(const char *prefix, const char *ns, char name[VSPLIT_NAME_LEN])
{
	struct stat st;

	if (stat(ns, &st) || st.st_ino == FIRST_PIDS)
		snprintf(name, VSPLIT_NAME_LEN, "%s-%d", prefix, (int)getpid());
	else
		snprintf(name, VSPLIT_NAME_LEN, "%s-%d-%x", prefix, (int)getpid(),
			 (unsigned int)st.st_ino);
}

int own_adapter_create(const char *prefix, struct own_adapter **out)
{
	struct own_adapter *own;
	char name[VSPLIT_NAME_LEN];
	int ret;

	own = calloc(1, sizeof(*own));
	if (!own) {
		explain(-ENOMEM);
		return -ENOMEM;
	}
	own_adapter_name(prefix, "/proc/self/ns/pid", name);
	/* Start the keeper first: a signal may end this process as soon as the adapter exists. */
	ret = start_keeper(own, name);
	if (ret) {
		free(own);
		explain(ret);
		return ret;
	}
	ret = vsplit_adapter_create(name, &own->adapter);
	if (ret == -EEXIST) {
		/*
		 * An earlier process with the same id left the adapter, because its keeper was
		 * killed.
		 */
		vsplit_adapter_remove(name);
		ret = vsplit_adapter_create(name, &own->adapter);
	}
	if (ret) {
		own_adapter_destroy(own);
		explain(ret);
		return ret;
	}
	*out = own;
	return 0;
}

int own_adapter_open(const char *prefix, uint64_t bytes, uint32_t heads, struct own_adapter **own,
		     struct vsplit_device **dev)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct vsplit_adapter_segment vram = {
		.name = "vram",
		.size = (bytes + page - 1) / page * page,
		.cpu_visible = VSPLIT_ADAPTER_CPU_ALL,
	};
	int ret = own_adapter_create(prefix, own);

	if (ret)
		return ret;
	ret = vsplit_adapter_add_segment((*own)->adapter, &vram);
	if (!ret && heads)
		ret = vsplit_adapter_set_u64((*own)->adapter, "heads", heads);
	if (!ret)
		ret = vsplit_adapter_enable((*own)->adapter);
	if (!ret)
		ret = vsplit_adapter_open((*own)->adapter, dev);
	if (ret)
		complain("cannot make an adapter with %" PRIu64 " bytes of video memory: %s (%s)",
			 bytes, strerror(-ret), errno_name(ret));
	return ret;
}

struct vsplit_adapter *own_adapter_get(struct own_adapter *own)
{
	return own->adapter;
}

void own_adapter_destroy(struct own_adapter *own)
{
	if (!own)
		return;
	vsplit_adapter_destroy(own->adapter);
	close(own->alive);
	waitpid(own->keeper, NULL, 0);
	free(own);
}
