// SPDX-License-Identifier: MIT
/* Reads clients from files like those of /proc, in a directory of the test. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "fake.h"
#include "watch.h"

static char proc[] = "/tmp/vsplit-watch-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[200];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", proc, path);
	file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void process(int pid, const char *command)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/fd", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/fdinfo", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%d/comm", pid);
	put(path, command);
}

static void open_file(int pid, int fd, const char *node, const char *info)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%d/fd/%d", proc, pid, fd);
	if (symlink(node, path))
		abort();
	snprintf(path, sizeof(path), "%d/fdinfo/%d", pid, fd);
	put(path, info);
}

#define HEAD(id)	"pos:\t0\nflags:\t02\ndrm-driver:\tvsplit\ndrm-client-id:\t" id "\n"

#define USE	HEAD("5") \
	"drm-engine-render:\t1500 ns\nvsplit-unfinished:\t2\n" \
	"vsplit-unfinished-memory:\t3 KiB\nvsplit-record-memory:\t4 KiB\n" \
	"drm-total-system:\t8 KiB\ndrm-shared-system:\t0\n" \
	"drm-total-vram:\t2 MiB\ndrm-shared-vram:\t1 MiB\ndrm-active-vram:\t64 KiB\n" \
	"drm-resident-vram:\t2 MiB\n"

static void every_client_once(void)
{
	struct clients clients;

	process(12, "first\n");
	/* The kernel cuts names, here within a letter; and the name contains a control sequence. */
	process(7, "second\x1b]\xc3\n");
	process(getpid(), "this one\n");
	open_file(12, 3, "/dev/dri/no-node-a", USE);
	/* The same file twice; then a file of another adapter with the same number. */
	open_file(12, 4, "/dev/dri/no-node-a", USE);
	open_file(12, 5, "/dev/dri/no-node-b", HEAD("5"));
	open_file(7, 9, "/dev/dri/no-node-b", HEAD("4"));
	/* Files of other drivers, or of none, and of this process. */
	open_file(7, 1, "/dev/dri/no-node-c", "drm-driver:\tamdgpu\ndrm-client-id:\t9\n");
	open_file(7, 2, "/dev/null", HEAD("10"));
	open_file(getpid(), 3, "/dev/dri/no-node-a", HEAD("11"));

	CHECK_EQ(clients_read(proc, &clients), 0);
	CHECK_EQ(clients.count, 3);
	if (clients.count == 3) {
		const struct client *c = clients.list;

		CHECK_STR(c[0].adapter, "no-node-a");
		CHECK_EQ(c[0].id, 5);
		CHECK_EQ(c[0].pid, 12);
		CHECK_STR(c[0].command, "first");
		CHECK_STR(c[1].adapter, "no-node-b");
		CHECK_EQ(c[1].id, 4);
		CHECK_EQ(c[1].pid, 7);
		CHECK_STR(c[1].command, "second?]?");
		CHECK_EQ(c[2].id, 5);
		CHECK(client_find(&clients, &c[1]) == &c[1]);
		CHECK(!client_find(&clients, &(struct client){ .id = 4 }));
	}
	clients_free(&clients);
}

static void what_it_uses(void)
{
	struct clients clients;
	const struct client *c;
	char *text = NULL;
	size_t size;
	FILE *out;

	CHECK_EQ(clients_read(proc, &clients), 0);
	c = clients.list;
	CHECK(c);
	if (c) {
		CHECK_EQ(c->busy_ns, 1500);
		CHECK_EQ(c->unfinished, 2);
		CHECK_EQ(c->unfinished_bytes, 3072);
		CHECK_EQ(c->record_bytes, 4096);
		out = open_memstream(&text, &size);
		put_json_client(out, c);
		fclose(out);
		CHECK_STR(text,
"{\"id\":5,\"pid\":12,\"command\":\"first\",\"busy_ns\":1500,\"unfinished\":2,\"unfinished_bytes\":3072,\"record_bytes\":4096,\"memory\":{"
"\"system\":{\"total\":8192,\"shared\":0,\"resident\":0,\"active\":0},"
"\"vram\":{\"total\":2097152,\"shared\":1048576,\"resident\":2097152,\"active\":65536}}}");
		free(text);
	}
	clients_free(&clients);
	CHECK_EQ(clients_read("/nowhere", &clients), -ENOENT);
}

/* Render nodes beyond the first 64 minors have numbers without a limit. */
static void nodes_of_any_number_are_found(void)
{
	static const char *const nodes[] = { "renderD1000", "renderD192", "renderD128", "card0" };
	struct vsplit_device *devs[MAX_ADAPTERS + 1];
	char dir[] = "/tmp/vsplit-dri-XXXXXX", path[80];
	uint32_t count, i;

	fake_node();
	if (!mkdtemp(dir))
		abort();
	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]);
		if (symlink(i < 3 ? fake_node() : "/dev/null", path))
			abort();
	}
	count = adapters_in(dir, devs);
	CHECK_EQ(count, 3);
	for (i = 0; i < count; i++) {
		CHECK(strstr(vsplit_device_path(devs[i]), nodes[2 - i]));
		vsplit_device_close(devs[i]);
	}
	/* Not more adapters are opened than there is room for. */
	for (i = 0; i < MAX_ADAPTERS; i++) {
		snprintf(path, sizeof(path), "%s/renderD%u", dir, 2000 + i);
		if (symlink(fake_node(), path))
			abort();
	}
	devs[MAX_ADAPTERS] = NULL;
	count = adapters_in(dir, devs);
	CHECK_EQ(count, MAX_ADAPTERS);
	CHECK(!devs[MAX_ADAPTERS]);
	while (count)
		vsplit_device_close(devs[--count]);
	for (i = 0; i < MAX_ADAPTERS; i++) {
		snprintf(path, sizeof(path), "%s/renderD%u", dir, 2000 + i);
		unlink(path);
	}
	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]);
		unlink(path);
	}
	rmdir(dir);
	fake_reset();
}

/* Up to the last name: a new cap must change this test. */
static void each_cap_has_a_name(void)
{
	uint32_t cap;

	for (cap = VSPLIT_CAP_SAVE_RESTORE; cap <= VSPLIT_CAP_CTX_HW; cap <<= 1)
		CHECK(cap_name(cap));
	CHECK(!cap_name(cap));
}

/* In another container a process with the same id may run at the same time. */
static void adapters_of_containers_have_own_names(void)
{
	char name[VSPLIT_NAME_LEN], want[VSPLIT_NAME_LEN];
	struct stat st;

	/* Any inode number but one stands for a namespace that is not the initial one. */
	CHECK(!stat(proc, &st));
	own_adapter_name("play", proc, name);
	snprintf(want, sizeof(want), "play-%d-%x", (int)getpid(), (unsigned int)st.st_ino);
	CHECK_STR(name, want);
	snprintf(want, sizeof(want), "play-%d", (int)getpid());
	own_adapter_name("play", "/nowhere", name);
	CHECK_STR(name, want);
}

int main(void)
{
	char command[80];
	int ret;

	if (!mkdtemp(proc))
		return 2;
	RUN(adapters_of_containers_have_own_names);
	RUN(every_client_once);
	RUN(what_it_uses);
	RUN(nodes_of_any_number_are_found);
	RUN(each_cap_has_a_name);
	snprintf(command, sizeof(command), "rm -r %s", proc);
	ret = system(command);
	return check_total_failures != 0 || ret;
}
