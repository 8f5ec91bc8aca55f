// SPDX-License-Identifier: MIT
/* Reads adapters and their clients, from the library's queries and the fdinfo of all processes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "watch.h"

/* ---- adapters ---------------------------------------------------------- */

struct found {
	struct vsplit_device **devs;
	uint32_t count, more;
};

static int add_adapter(void *data, struct vsplit_device *dev)
{
	struct found *found = data;

	if (found->count < MAX_ADAPTERS) {
		found->devs[found->count++] = dev;
	} else {
		vsplit_device_close(dev);
		found->more++;
	}
	return 0;
}

uint32_t adapters_in(const char *dir, struct vsplit_device **devs)
{
	struct found found = { .devs = devs };
	int ret = vsplit_device_visit(dir, add_adapter, &found);

	if (found.more)
		complain("%u more adapters are not shown: --device names one", found.more);
	if (ret && ret != -EACCES)
		complain("not all adapters are shown: %s", strerror(-ret));
	else if (!found.count)
		complain(ret ? "there are render nodes that this user cannot open, but no vsplit adapter" :
			 "there is no vsplit adapter: is the module loaded?");
	return found.count;
}

uint32_t adapters_open(const char *which, struct vsplit_device **devs)
{
	if (which)
		return open_adapter(which, &devs[0]) ? 0 : 1;
	return adapters_in(NULL, devs);
}

/* Get the target of a link in the sysfs directory of the node's device. */
static bool device_link(char target[160], const char *node, const char *link)
{
	char path[80], full[PATH_MAX];
	struct stat st;

	if (stat(node, &st) || !S_ISCHR(st.st_mode))
		return false;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device%s", major(st.st_rdev),
		 minor(st.st_rdev), link);
	if (!realpath(path, full))
		return false;
	snprintf(target, 160, "%.159s", full);
	return true;
}

void adapter_key(const char *node, char key[160])
{
	const char *slash = strrchr(node, '/');

	if (!device_link(key, node, ""))
		snprintf(key, 160, "%.159s", slash ? slash + 1 : node);
}

bool adapter_bus(const char *node, char text[160])
{
	char bus[160], name[160];

	if (!device_link(bus, node, "/subsystem") || !device_link(name, node, ""))
		return false;
	snprintf(text, 160, "%.70s, %.80s", strrchr(bus, '/') + 1, strrchr(name, '/') + 1);
	return true;
}

#define STATISTIC(member) { #member, offsetof(struct drm_vsplit_statistics, member) }

const struct statistic statistics[] = {
	STATISTIC(submissions), STATISTIC(portions), STATISTIC(splits), STATISTIC(evicted_bytes),
	STATISTIC(evicted_copied_bytes), STATISTIC(paged_in_bytes),
	STATISTIC(paged_in_copied_bytes), STATISTIC(moved_bytes), STATISTIC(faults),
	STATISTIC(hangs), STATISTIC(ranges_acquired), STATISTIC(ranges_released),
	STATISTIC(stray_writes),
};

const uint32_t num_statistics = ARRAY_SIZE(statistics);

uint64_t statistic_of(const struct drm_vsplit_statistics *s, uint32_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)s + statistics[i].offset, sizeof(value));
	return value;
}

const char *cap_name(uint32_t cap)
{
	switch (cap) {
	case VSPLIT_CAP_SAVE_RESTORE:
		return "save/restore";
	case VSPLIT_CAP_PAGING_ENGINE:
		return "paging engine";
	case VSPLIT_CAP_LENIENT:
		return "lenient";
	case VSPLIT_CAP_MODEL_CLOCK:
		return "model clock";
	case VSPLIT_CAP_TEST:
		return "test mode";
	case VSPLIT_CAP_LEAK_DETECTION:
		return "leak detection";
	case VSPLIT_CAP_PACKET_PREEMPTION:
		return "packet preemption";
	case VSPLIT_CAP_CTX_EXPLICIT:
		return "explicit residency";
	case VSPLIT_CAP_CTX_VA:
		return "virtual addresses";
	case VSPLIT_CAP_CTX_HW:
		return "hardware queues";
	}
	return NULL;
}

/* ---- clients ----------------------------------------------------------- */

/* Parse "12 KiB" into bytes, or "12" as it is. */
static uint64_t amount(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (!strncmp(end, " KiB", 4))
		return value << 10;
	return !strncmp(end, " MiB", 4) ? value << 20 : value;
}

static struct region *region_of(struct client *c, const char *name)
{
	struct region *r;
	uint32_t i;

	for (i = 0; i < c->num_regions; i++) {
		if (!strcmp(c->regions[i].name, name))
			return &c->regions[i];
	}
	if (c->num_regions == MAX_REGIONS)
		return NULL;
	r = &c->regions[c->num_regions++];
	snprintf(r->name, sizeof(r->name), "%.*s", (int)sizeof(r->name) - 1, name);
	return r;
}

/* Parse a line such as "drm-total-vram:\t12 KiB". */
static void take_memory(struct client *c, const char *key, const char *value)
{
	static const struct {
		const char *prefix;
		size_t offset;
	} kinds[] = {
		{ "drm-total-", offsetof(struct region, total) },
		{ "drm-shared-", offsetof(struct region, shared) },
		{ "drm-resident-", offsetof(struct region, resident) },
		{ "drm-active-", offsetof(struct region, active) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].prefix);
		struct region *r;
		uint64_t bytes = amount(value);

		if (strncmp(key, kinds[i].prefix, len))
			continue;
		r = region_of(c, key + len);
		if (r)
			memcpy((char *)r + kinds[i].offset, &bytes, sizeof(bytes));
	}
}

/* Returns false if the file is not one of vsplit's. */
static bool parse_fdinfo(const char *path, struct client *c)
{
	FILE *file = fopen(path, "re");
	char line[200];
	bool ours = false;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\n")] = '\0';
		if (!strcmp(line, "drm-driver"))
			ours = !strcmp(value, "vsplit");
		else if (!strcmp(line, "drm-client-id"))
			c->id = amount(value);
		else if (!strcmp(line, "drm-engine-render"))
			c->busy_ns = amount(value);
		else if (!strcmp(line, "vsplit-unfinished"))
			c->unfinished = amount(value);
		else if (!strcmp(line, "vsplit-unfinished-memory"))
			c->unfinished_bytes = amount(value);
		else if (!strcmp(line, "vsplit-record-memory"))
			c->record_bytes = amount(value);
		else
			take_memory(c, line, value);
	}
	fclose(file);
	return ours;
}

static int by_adapter(const void *a, const void *b)
{
	const struct client *x = a, *y = b;
	int order = strcmp(x->adapter, y->adapter);

	return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

/*
 * The clients found so far, in a tree of tsearch(), because a user may have opened very many files.
 * @count: number of clients.
 */
struct found_clients {
	void *tree;
	uint32_t count;
};

static int add_client(struct found_clients *found, const struct client *c)
{
	struct client *copy = malloc(sizeof(*copy)), **there;

	if (!copy)
		return -ENOMEM;
	*copy = *c;
	there = tsearch(copy, &found->tree, by_adapter);
	/* Several processes share the file, or one process has it several times. */
	if (!there || *there != copy)
		free(copy);
	else
		found->count++;
	return there ? 0 : -ENOMEM;
}

static void list_client(const void *node, VISIT when, void *data)
{
	struct clients *clients = data;

	if (when == postorder || when == leaf)
		clients->list[clients->count++] = **(struct client *const *)node;
}

static int read_process(const char *proc, int pid, struct found_clients *found)
{
	char path[PATH_MAX], node[160];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%d/fd", proc, pid);
	dir = opendir(path);
	/* The process belongs to another user, or has ended. */
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir))) {
		struct client c = { .pid = pid };
		FILE *file;
		ssize_t n;

		snprintf(path, sizeof(path), "%s/%d/fd/%.20s", proc, pid, entry->d_name);
		n = readlink(path, node, sizeof(node) - 1);
		if (n < 0 || (node[n] = '\0', strncmp(node, "/dev/dri/", 9)))
			continue;
		snprintf(path, sizeof(path), "%s/%d/fdinfo/%.20s", proc, pid, entry->d_name);
		if (!parse_fdinfo(path, &c))
			continue;
		adapter_key(node, c.adapter);
		snprintf(path, sizeof(path), "%s/%d/comm", proc, pid);
		file = fopen(path, "re");
		if (file && fgets(c.command, sizeof(c.command), file))
			c.command[strcspn(c.command, "\n")] = '\0';
		make_printable(c.command);
		if (file)
			fclose(file);
		ret = add_client(found, &c);
	}
	closedir(dir);
	return ret;
}

const struct client *client_find(const struct clients *clients, const struct client *like)
{
	return clients->count ? bsearch(like, clients->list, clients->count,
					sizeof(*clients->list), by_adapter) : NULL;
}

int clients_read(const char *proc, struct clients *clients)
{
	struct found_clients found = { NULL, 0 };
	DIR *dir = opendir(proc);
	struct dirent *entry;
	int ret = 0;

	*clients = (struct clients){ 0 };
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		uint64_t pid;

		if (parse_number(entry->d_name, &pid) && pid <= INT_MAX && (int)pid != getpid())
			ret = read_process(proc, (int)pid, &found);
	}
	closedir(dir);
	if (!ret && found.count) {
		clients->list = calloc(found.count, sizeof(*clients->list));
		if (clients->list)
			twalk_r(found.tree, list_client, clients);
		else
			ret = -ENOMEM;
	}
	tdestroy(found.tree, free);
	return ret;
}

void clients_free(struct clients *clients)
{
	free(clients->list);
	*clients = (struct clients){ 0 };
}

/* ---- JSON -------------------------------------------------------------- */

void put_json_segments(FILE *out, struct vsplit_device *dev)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	uint32_t count = VSPLIT_MAX_SEGMENTS, i;

	if (vsplit_device_segments(dev, info, &count))
		count = 0;
	fputs(",\"segments\":[", out);
	for (i = 0; i < count && i < VSPLIT_MAX_SEGMENTS; i++) {
		const struct drm_vsplit_segment_info *s = &info[i];

		fprintf(out, "%s{\"id\":%u,\"name\":", i ? "," : "", s->id);
		put_json_string(out, (const char *)s->name);
		fprintf(out, ",\"type\":\"%s\",\"size\":%" PRIu64 ",\"commit\":%" PRIu64
			",\"cpu\":%" PRIu64 ",\"ranges\":%u,\"resident\":%" PRIu64
			",\"base\":%" PRIu64 ",\"cpu_address\":%" PRIu64 "}",
			s->flags & VSPLIT_SEGMENT_APERTURE ? "aperture" : "memory",
			(uint64_t)s->size, (uint64_t)s->commit_limit,
			s->flags & VSPLIT_SEGMENT_CPU_VISIBLE ? (uint64_t)s->cpu_visible_size : 0,
			s->swizzling_ranges, (uint64_t)s->resident, (uint64_t)s->base_address,
			(uint64_t)s->cpu_address);
	}
	putc(']', out);
}

void put_json_client(FILE *out, const struct client *c)
{
	uint32_t i;

	fprintf(out, "{\"id\":%" PRIu64 ",\"pid\":%d,\"command\":", c->id, c->pid);
	put_json_string(out, c->command);
	fprintf(out, ",\"busy_ns\":%" PRIu64 ",\"unfinished\":%" PRIu64 ",\"unfinished_bytes\":%"
		PRIu64 ",\"record_bytes\":%" PRIu64 ",\"memory\":{", c->busy_ns, c->unfinished,
		c->unfinished_bytes, c->record_bytes);
	for (i = 0; i < c->num_regions; i++) {
		const struct region *r = &c->regions[i];

		if (i)
			putc(',', out);
		put_json_string(out, r->name);
		fprintf(out, ":{\"total\":%" PRIu64 ",\"shared\":%" PRIu64 ",\"resident\":%" PRIu64
			",\"active\":%" PRIu64 "}", r->total, r->shared, r->resident, r->active);
	}
	fputs("}}", out);
}
