// SPDX-License-Identifier: MIT
/* The search for adapters. Its functions are not exported, so this links the static library. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "fake.h"
#include "internal.h"

#define UNPRIVILEGED 65534

/* Render nodes beyond the first 64 minors have numbers without a limit. Other names are skipped. */
static const char *const nodes[] = {
	"renderD1000", "renderD192", "renderD128", "renderD129", "renderDx", "card0"
};
#define NODES (sizeof(nodes) / sizeof(*nodes))
#define NO_ADAPTER 3	/* index of the node that is no adapter of this driver */

/* The directory of the nodes. */
static char dir[32];

static void node(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", dir, name);
}

static void make_nodes(void)
{
	char path[80];
	size_t i;

	for (i = 0; i < NODES; i++) {
		node(nodes[i], path, sizeof(path));
		if (symlink(i == NO_ADAPTER ? "/dev/null" : fake_node(), path))
			abort();
	}
}

static void make_directory(void)
{
	snprintf(dir, sizeof(dir), "/tmp/vsplit-dri-XXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0755) || chmod(fake_node(), 0666))
		abort();
}

static void remove_nodes(void)
{
	char path[80];
	size_t i;

	for (i = 0; i < NODES; i++) {
		node(nodes[i], path, sizeof(path));
		unlink(path);
	}
	rmdir(dir);
	fake_reset();
}

static void nodes_of_any_number_are_found(void)
{
	struct vsplit_device *found = NULL;
	char path[80];

	CHECK_EQ(vsplit__open_search("/nowhere", NULL, &found), -ENODEV);
	make_directory();
	CHECK_EQ(vsplit__open_search(dir, NULL, &found), -ENODEV);
	make_nodes();
	CHECK_EQ(vsplit__open_search(dir, "fake", &found), 0);
	node("renderD128", path, sizeof(path));
	CHECK_STR(vsplit_device_path(found), path);
	vsplit_device_close(found);
	unlink(path);
	node("renderD192", path, sizeof(path));
	unlink(path);
	CHECK_EQ(vsplit__open_search(dir, NULL, &found), 0);
	CHECK(strstr(vsplit_device_path(found), "/renderD1000"));
	vsplit_device_close(found);
	CHECK_EQ(vsplit__open_search(dir, "other", &found), -ENODEV);
	remove_nodes();
}

struct visit {
	unsigned int visits, end_at;
	bool keep;
	struct vsplit_device *seen[4];
	char paths[4][80];
};

static int visit(void *data, struct vsplit_device *dev)
{
	struct visit *v = data;

	v->seen[v->visits] = dev;
	snprintf(v->paths[v->visits++], sizeof(v->paths[0]), "%s", vsplit_device_path(dev));
	if (!v->keep)
		vsplit_device_close(dev);
	return v->visits == v->end_at ? 7 : 0;
}

/* Adapters are visited in the order of minors, until the visitor has seen enough. */
static void each_is_visited(void)
{
	struct visit v = { 0 };
	size_t i;

	CHECK_EQ(vsplit_device_visit("/nowhere", visit, &v), 0);
	make_directory();
	CHECK_EQ(vsplit_device_visit(dir, NULL, &v), -EINVAL);
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), 0);
	CHECK_EQ(v.visits, 0);
	make_nodes();
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), 0);
	CHECK_EQ(v.visits, 3);
	for (i = 0; i < 3; i++)
		CHECK(strstr(v.paths[i], nodes[2 - i]));
	v = (struct visit){ .end_at = 2 };
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), 7);
	CHECK_EQ(v.visits, 2);
	remove_nodes();
}

/* At most @more files can be opened. The visitor keeps some, so the next open may fail. */
static void no_more_files(unsigned int more)
{
	struct visit v = { .keep = true };
	struct rlimit files, few;
	int next = dup(0);
	unsigned int i;

	close(next);
	getrlimit(RLIMIT_NOFILE, &files);
	few = (struct rlimit){ next + more, files.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &files);
	CHECK_EQ(v.visits, more);
	for (i = 0; i < v.visits; i++)
		vsplit_device_close(v.seen[i]);
}

/* If a node exists and cannot be opened, the caller is told. */
static void not_all_are_visited(void)
{
	struct visit v = { 0 };
	char path[80];

	make_directory();
	make_nodes();
	no_more_files(0);
	no_more_files(1);
	node(nodes[NO_ADAPTER], path, sizeof(path));
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0));
	/* Root can open the node, and there may be no unprivileged user to switch to. */
	if (getuid() || !seteuid(UNPRIVILEGED)) {
		CHECK_EQ(vsplit_device_visit(dir, visit, &v), -EACCES);
		CHECK_EQ(v.visits, 3);
	}
	if (!getuid() && seteuid(0))
		abort();
	remove_nodes();
}

int main(void)
{
	RUN(nodes_of_any_number_are_found);
	RUN(each_is_visited);
	RUN(not_all_are_visited);
	return check_total_failures != 0;
}
