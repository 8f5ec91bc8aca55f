/* SPDX-License-Identifier: MIT */
/* What vsplit-info and vsplit-top tell of adapters and their clients. */
#ifndef _VSPLIT_TOOLS_WATCH_H_
#define _VSPLIT_TOOLS_WATCH_H_

#include <stdio.h>

#include "common.h"

#define MAX_ADAPTERS	64
#define MAX_REGIONS	(VSPLIT_MAX_SEGMENTS + 1)

/* Memory of a client in one segment, or in "system", as fdinfo tells it: bytes. */
struct region {
	char name[VSPLIT_NAME_LEN];
	uint64_t total;
	uint64_t shared;
	uint64_t resident;
	uint64_t active;
};

/*
 * An open file of an adapter, as its fdinfo tells.
 * @adapter: which: the device's directory in sysfs, or the node's name without that.
 * @id: drm-client-id.
 * @pid, @command: of the first process that has it.
 * @busy_ns: time of engines.
 * @unfinished: submissions.
 * @unfinished_bytes, @record_bytes: host memory of these and of records.
 */
struct client {
	char adapter[160];
	uint64_t id;
	int pid;
	char command[20];
	uint64_t busy_ns;
	uint64_t unfinished;
	uint64_t unfinished_bytes;
	uint64_t record_bytes;
	struct region regions[MAX_REGIONS];
	uint32_t num_regions;
};

struct clients {
	struct client *list;
	uint32_t count;
};

/*
 * All clients of vsplit's adapters that this user may look at, each once; not those of this
 * process. @proc: "/proc". Returns 0 or -errno; the caller frees them.
 */
int clients_read(const char *proc, struct clients *clients);
void clients_free(struct clients *clients);

/* That of the same adapter and id, or NULL. */
const struct client *client_find(const struct clients *clients, const struct client *like);

/*
 * The adapter that @which names, or all that this user can open, at most MAX_ADAPTERS: it
 * is said if there are more. Returns their number; 0: there is none, and it is said. The caller
 * closes them.
 */
uint32_t adapters_open(const char *which, struct vsplit_device **devs);

/* All behind the render nodes in this directory, by number; likewise. */
uint32_t adapters_in(const char *dir, struct vsplit_device **devs);

/* As struct client.adapter. */
void adapter_key(const char *node, char key[160]);

/* "pci, 0000:00:05.0"; false if it is not known. */
bool adapter_bus(const char *node, char text[160]);

/* Members of struct drm_vsplit_statistics, by name. */
struct statistic {
	const char *name;
	size_t offset;
};

extern const struct statistic statistics[];
extern const uint32_t num_statistics;
uint64_t statistic_of(const struct drm_vsplit_statistics *s, uint32_t i);

/* Names of VSPLIT_CAP_*; NULL behind the last. */
const char *cap_name(uint32_t cap);

/* JSON: members of an object, each with a comma before it. */
void put_json_segments(FILE *out, struct vsplit_device *dev);
void put_json_client(FILE *out, const struct client *client);

#endif /* _VSPLIT_TOOLS_WATCH_H_ */
