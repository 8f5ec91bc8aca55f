/* SPDX-License-Identifier: MIT */
/* Information on adapters and their clients for vsplit-info and vsplit-top. */
#ifndef _VSPLIT_TOOLS_WATCH_H_
#define _VSPLIT_TOOLS_WATCH_H_

#include <stdio.h>

#include "common.h"

#define MAX_ADAPTERS	64
#define MAX_REGIONS	(VSPLIT_MAX_SEGMENTS + 1)

/* Memory of a client in one segment, or in "system", in bytes, as fdinfo reports it. */
struct region {
	char name[VSPLIT_NAME_LEN];
	uint64_t total;
	uint64_t shared;
	uint64_t resident;
	uint64_t active;
};

/*
 * An open file of an adapter, as its fdinfo reports it.
 * @adapter: the device's directory in sysfs, or the node's name if there is none.
 * @id: drm-client-id.
 * @pid, @command: the first process that has the file.
 * @busy_ns: time that engines worked for it.
 * @unfinished: number of submissions that are not done.
 * @unfinished_bytes: host memory of these submissions.
 * @record_bytes: host memory of records.
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
 * Read all clients of vsplit's adapters that this user may see, each once, without those of this
 * process. @proc: "/proc". Returns 0 or -errno; the caller frees @clients.
 */
int clients_read(const char *proc, struct clients *clients);
void clients_free(struct clients *clients);

/* Find the client of the same adapter and id, or NULL. */
const struct client *client_find(const struct clients *clients, const struct client *like);

/*
 * Open the adapter that @which names or, if it is NULL, all adapters that this user can open, at
 * most MAX_ADAPTERS; complains if there are more. Returns their number; complains if it is 0. The
 * caller closes them.
 */
uint32_t adapters_open(const char *which, struct vsplit_device **devs);

/*
 * Open all adapters with render nodes in this directory, by number; otherwise as adapters_open().
 */
uint32_t adapters_in(const char *dir, struct vsplit_device **devs);

/* Make the value of client.adapter for a node. */
void adapter_key(const char *node, char key[160]);

/* Describe the bus: "pci, 0000:00:05.0". Returns false if it is unknown. */
bool adapter_bus(const char *node, char text[160]);

/* Members of struct drm_vsplit_statistics, by name. */
struct statistic {
	const char *name;
	size_t offset;
};

extern const struct statistic statistics[];
extern const uint32_t num_statistics;
uint64_t statistic_of(const struct drm_vsplit_statistics *s, uint32_t i);

/* Names of VSPLIT_CAP_*; NULL after the last one. */
const char *cap_name(uint32_t cap);

/* Print members of a JSON object, each with a comma before it. */
void put_json_segments(FILE *out, struct vsplit_device *dev);
void put_json_client(FILE *out, const struct client *client);

#endif /* _VSPLIT_TOOLS_WATCH_H_ */
