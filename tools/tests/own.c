// SPDX-License-Identifier: MIT
/* Temporary adapters: none stays, whenever its program ends. In this test adapters are files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "common.h"

#define WAIT_MS	20000

static char dir[] = "/tmp/vsplit-own-XXXXXX";
/* A signal for the whole process group, sent as soon as the adapter exists. */
static int signal_then;

struct vsplit_adapter {
	char name[VSPLIT_NAME_LEN];
};

static char *path_of(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Replaces the library's function. */
int vsplit_adapter_create(const char *name, struct vsplit_adapter **adapter)
{
	int fd = open(path_of(name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	if (signal_then)
		kill(0, signal_then);
	*adapter = calloc(1, sizeof(**adapter));
	snprintf((*adapter)->name, sizeof((*adapter)->name), "%s", name);
	return 0;
}

int vsplit_adapter_remove(const char *name)
{
	return unlink(path_of(name)) ? -errno : 0;
}

void vsplit_adapter_destroy(struct vsplit_adapter *adapter)
{
	if (adapter)
		vsplit_adapter_remove(adapter->name);
	free(adapter);
}

const char *vsplit_adapter_name(const struct vsplit_adapter *adapter)
{
	return adapter->name;
}

int vsplit_adapter_set(struct vsplit_adapter *adapter, const char *setting, const char *value)
{
	(void)adapter;
	(void)setting;
	(void)value;
	return -ENOSYS;
}

int vsplit_adapter_set_u64(struct vsplit_adapter *adapter, const char *setting, uint64_t value)
{
	(void)value;
	return vsplit_adapter_set(adapter, setting, "");
}

int vsplit_adapter_set_options(struct vsplit_adapter *adapter,
			       const struct vsplit_adapter_options *options, size_t size)
{
	(void)options;
	(void)size;
	return vsplit_adapter_set(adapter, "", "");
}

int vsplit_adapter_add_segment_sized(struct vsplit_adapter *adapter,
				     const struct vsplit_adapter_segment *segment, size_t size)
{
	(void)segment;
	(void)size;
	return vsplit_adapter_set(adapter, "", "");
}

int vsplit_adapter_enable(struct vsplit_adapter *adapter)
{
	return vsplit_adapter_set(adapter, "", "");
}

int vsplit_adapter_open(struct vsplit_adapter *adapter, struct vsplit_device **dev)
{
	(void)dev;
	return vsplit_adapter_set(adapter, "", "");
}

static void goes_with_its_program(void)
{
	struct own_adapter *own;
	char name[VSPLIT_NAME_LEN];

	own_adapter_name("own", "/proc/self/ns/pid", name);
	CHECK_EQ(own_adapter_create("own", &own), 0);
	CHECK(!access(path_of(name), F_OK));
	own_adapter_destroy(own);
	CHECK(access(path_of(name), F_OK));
}

/* An adapter that an earlier process with the same id left is replaced. */
static void one_that_was_left_goes(void)
{
	struct vsplit_adapter *left;
	struct own_adapter *own;
	char name[VSPLIT_NAME_LEN];

	own_adapter_name("own", "/proc/self/ns/pid", name);
	CHECK_EQ(vsplit_adapter_create(name, &left), 0);
	CHECK_EQ(own_adapter_create("own", &own), 0);
	own_adapter_destroy(own);
	CHECK(access(path_of(name), F_OK));
	free(left);
}

/* A signal ends the process as soon as it has made an adapter. */
static void ended_by(int number)
{
	struct own_adapter *own;
	int status, pipe_fds[2], ms;
	char name[VSPLIT_NAME_LEN] = "";
	pid_t pid;

	CHECK(!pipe(pipe_fds));
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		/* A shell in the background, or nohup, has it ignored. */
		signal(number, SIG_DFL);
		signal_then = number;
		own_adapter_name("own", "/proc/self/ns/pid", name);
		if (write(pipe_fds[1], name, sizeof(name)) == sizeof(name))
			own_adapter_create("own", &own);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == number);
	CHECK_EQ(read(pipe_fds[0], name, sizeof(name)), (ssize_t)sizeof(name));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	for (ms = 0; ms < WAIT_MS && !access(path_of(name), F_OK); ms += 10)
		usleep(10000);
	CHECK(ms < WAIT_MS);
	vsplit_adapter_remove(name);
}

static void none_stays_when_its_program_is_ended(void)
{
	ended_by(SIGINT);
	ended_by(SIGTERM);
	ended_by(SIGHUP);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	RUN(goes_with_its_program);
	RUN(one_that_was_left_goes);
	RUN(none_stays_when_its_program_is_ended);
	rmdir(dir);
	return check_total_failures != 0;
}
