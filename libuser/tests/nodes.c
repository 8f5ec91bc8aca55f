// SPDX-License-Identifier: MIT
/* Where adapters are looked for: by what the library does not export, so linked with the static one. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "fake.h"
#include "internal.h"

/* Minors have no end: behind the 64 of old, numbers go on at any place. */
static void nodes_of_any_number_are_found(void)
{
	static const char *const nodes[] = { "renderD1000", "renderD192", "renderDx", "card0" };
	char dir[] = "/tmp/vsplit-dri-XXXXXX", path[80];
	struct vsplit_device *found = NULL;
	size_t i;

	fake_node();
	if (!mkdtemp(dir))
		abort();
	CHECK_EQ(vsplit__open_search("/nowhere", NULL, &found), -ENODEV);
	CHECK_EQ(vsplit__open_search(dir, NULL, &found), -ENODEV);
	for (i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]);
		if (symlink(i < 2 ? fake_node() : "/dev/null", path))
			abort();
	}
	CHECK_EQ(vsplit__open_search(dir, "fake", &found), 0);
	snprintf(path, sizeof(path), "%s/renderD192", dir);
	CHECK_STR(vsplit_device_path(found), path);
	vsplit_device_close(found);
	unlink(path);
	CHECK_EQ(vsplit__open_search(dir, NULL, &found), 0);
	CHECK(strstr(vsplit_device_path(found), "/renderD1000"));
	vsplit_device_close(found);
	CHECK_EQ(vsplit__open_search(dir, "other", &found), -ENODEV);
	for (i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]);
		unlink(path);
	}
	rmdir(dir);
	fake_reset();
}

struct visit {
	unsigned int visits, end_at;
	char paths[4][80];
};

static int visit(void *data, struct vsplit_device *dev)
{
	struct visit *v = data;

	snprintf(v->paths[v->visits++], sizeof(v->paths[0]), "%s", vsplit_device_path(dev));
	vsplit_device_close(dev);
	return v->visits == v->end_at ? 7 : 0;
}

/* In the order of minors, until the visitor has seen enough. */
static void each_is_visited(void)
{
	static const char *const nodes[] = { "renderD1000", "renderD192", "renderD128", "renderD129" };
	char dir[] = "/tmp/vsplit-dri-XXXXXX", path[80];
	struct rlimit files, none;
	struct visit v = { 0 };
	size_t i;

	fake_node();
	if (!mkdtemp(dir))
		abort();
	CHECK_EQ(vsplit_device_visit(dir, NULL, &v), -EINVAL);
	CHECK_EQ(vsplit_device_visit("/nowhere", visit, &v), 0);
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), 0);
	CHECK_EQ(v.visits, 0);
	for (i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]);
		if (symlink(i < 3 ? fake_node() : "/dev/null", path))
			abort();
	}
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), 0);
	CHECK_EQ(v.visits, 3);
	for (i = 0; i < 3; i++)
		CHECK(strstr(v.paths[i], nodes[2 - i]));
	v = (struct visit){ .end_at = 2 };
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), 7);
	CHECK_EQ(v.visits, 2);
	/* No more files can be open. */
	v = (struct visit){ 0 };
	getrlimit(RLIMIT_NOFILE, &files);
	none = (struct rlimit){ 0, files.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	CHECK_EQ(vsplit_device_visit(dir, visit, &v), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &files);
	CHECK_EQ(v.visits, 0);
	for (i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]);
		unlink(path);
	}
	rmdir(dir);
	fake_reset();
}

int main(void)
{
	RUN(nodes_of_any_number_are_found);
	RUN(each_is_visited);
	return check_total_failures != 0;
}
