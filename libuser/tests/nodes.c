// SPDX-License-Identifier: MIT
/* Where adapters are looked for: by what the library does not export, so linked with the static one. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
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

int main(void)
{
	RUN(nodes_of_any_number_are_found);
	return check_total_failures != 0;
}
