// SPDX-License-Identifier: MIT
/* Adapters made at run time through configfs. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define CONFIGFS	"/sys/kernel/config"
#define GROUP		CONFIGFS "/vsplit"
#define CONFIGFS_MAGIC	0x62656570
#define PATH_LEN	256
#define NODE_WAIT_MS	2000
/*
 * configfs takes at most so many bytes of a value, and the setting would be made from those alone.
 */
#define VALUE_MAX	4095

struct vsplit_adapter {
	char name[VSPLIT_NAME_LEN];
	bool enabled;
};

/*
 * @marks: characters that the name may have beside ASCII letters and digits, whatever the locale.
 */
static bool good_name_of(const char *name, const char *marks)
{
	size_t i, len = name ? strlen(name) : 0;

	for (i = 0; i < len; i++) {
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr(marks, name[i])))
			return false;
	}
	return len > 0 && len < VSPLIT_NAME_LEN;
}

static bool good_name(const char *name)
{
	return good_name_of(name, "-_");
}

/* configfs allows these characters in names of directories. "." and ".." name other directories. */
static bool good_adapter_name(const char *name)
{
	return good_name_of(name, "-_.") && strcmp(name, ".") && strcmp(name, "..");
}

static int mount_configfs(void)
{
	struct statfs fs;

	if (!access(GROUP, F_OK))
		return 0;
	if (!statfs(CONFIGFS, &fs) && fs.f_type == CONFIGFS_MAGIC)
		return -ENODEV;
	if (mount("none", CONFIGFS, "configfs", 0, NULL) && errno != EBUSY)
		return errno == ENOENT ? -ENODEV : -errno;
	return access(GROUP, F_OK) ? -ENODEV : 0;
}

/* Write @text with one write(2), because an attribute takes each write as a complete value. */
static int write_file(const char *path, const char *text)
{
	size_t len = strlen(text);
	ssize_t done;
	int fd, ret = 0;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		done = write(fd, text, len);
	} while (done < 0 && errno == EINTR);
	if (done < 0)
		ret = -errno;
	else if ((size_t)done != len)
		ret = -EIO;
	close(fd);
	return ret;
}

static int read_number(const char *path, long *value)
{
	char text[32], *end;
	ssize_t len;
	int fd, ret = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		len = read(fd, text, sizeof(text) - 1);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		ret = -errno;
	close(fd);
	if (ret)
		return ret;
	text[len] = '\0';
	*value = strtol(text, &end, 10);
	return end == text ? -EIO : 0;
}

/* Remove every directory in segments/, then that of the adapter. */
static int remove_tree(const char *name)
{
	char path[PATH_LEN];
	struct dirent *entry;
	DIR *dir;

	/* If the adapter is not enabled, this write fails without harm. */
	snprintf(path, sizeof(path), GROUP "/%s/enable", name);
	write_file(path, "0");

	snprintf(path, sizeof(path), GROUP "/%s/segments", name);
	dir = opendir(path);
	if (dir) {
		while ((entry = readdir(dir))) {
			if (entry->d_name[0] != '.')
				unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
		}
		closedir(dir);
	}
	snprintf(path, sizeof(path), GROUP "/%s", name);
	return rmdir(path) ? -errno : 0;
}

int vsplit_adapter_remove(const char *name)
{
	return good_adapter_name(name) ? remove_tree(name) : -ENOENT;
}

int vsplit_adapter_create(const char *name, struct vsplit_adapter **out)
{
	struct vsplit_adapter *adapter;
	char path[PATH_LEN];
	int ret;

	if (!good_adapter_name(name) || !out)
		return -EINVAL;
	ret = mount_configfs();
	if (ret)
		return ret;
	adapter = calloc(1, sizeof(*adapter));
	if (!adapter)
		return -ENOMEM;
	snprintf(adapter->name, sizeof(adapter->name), "%s", name);
	snprintf(path, sizeof(path), GROUP "/%s", name);
	if (mkdir(path, 0755)) {
		ret = -errno;
		free(adapter);
		return ret;
	}
	*out = adapter;
	return 0;
}

const char *vsplit_adapter_name(const struct vsplit_adapter *adapter)
{
	return adapter->name;
}

int vsplit_adapter_set(struct vsplit_adapter *adapter, const char *setting, const char *value)
{
	char path[PATH_LEN];
	int ret;

	if (!setting || !value || !*value || strlen(value) > VALUE_MAX)
		return -EINVAL;
	if (!good_name(setting))
		return -ENOENT;
	snprintf(path, sizeof(path), GROUP "/%s/%s", adapter->name, setting);
	ret = write_file(path, value);
	/* "segments" is a directory. */
	return ret == -EISDIR ? -ENOENT : ret;
}

int vsplit_adapter_set_u64(struct vsplit_adapter *adapter, const char *setting, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return vsplit_adapter_set(adapter, setting, text);
}

/* Set the name of an enum's value: 1 is the first name, and 0 leaves the setting as it is. */
static int set_choice(struct vsplit_adapter *adapter, const char *setting, uint32_t value,
		      const char * const *names)
{
	return value ? vsplit_adapter_set(adapter, setting, names[value - 1]) : 0;
}

static int set_number(struct vsplit_adapter *adapter, const char *setting, uint64_t value)
{
	return value ? vsplit_adapter_set_u64(adapter, setting, value) : 0;
}

static int set_contexts(struct vsplit_adapter *adapter, uint32_t kinds)
{
	static const char * const names[] = { "patch", "explicit", "va", "hw" };
	char text[32] = "";
	uint32_t i;

	for (i = 0; i < 4; i++) {
		if (!(kinds & 1u << i))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, names[i]);
	}
	return kinds ? vsplit_adapter_set(adapter, "contexts", text) : 0;
}

static int copy_options(struct vsplit_adapter_options *o, const void *from, size_t size)
{
	int ret = vsplit__take(o, sizeof(*o), from, size);

	if (ret)
		return ret;
	if (o->preemption > VSPLIT_ADAPTER_PREEMPTION_PACKET ||
	    o->clock > VSPLIT_ADAPTER_CLOCK_MODEL || o->paging > VSPLIT_ADAPTER_PAGING_SAME ||
	    o->victims > VSPLIT_ADAPTER_VICTIMS_NEXT_USE ||
	    o->splits > VSPLIT_ADAPTER_SPLITS_PLANNED || o->contexts >> 4 || o->pad || o->pad2 ||
	    o->flags & ~(VSPLIT_ADAPTER_FBDEV | VSPLIT_ADAPTER_LOOK_AHEAD |
			 VSPLIT_ADAPTER_LENIENT | VSPLIT_ADAPTER_LEAK_DETECTION |
			 VSPLIT_ADAPTER_TEST))
		return -EINVAL;
	return 0;
}

int vsplit_adapter_set_options(struct vsplit_adapter *adapter,
			       const struct vsplit_adapter_options *options, size_t size)
{
	static const char * const preemption[] = { "none", "split-point", "packet" };
	static const char * const clock[] = { "real", "model" };
	static const char * const paging[] = { "own", "same" };
	static const char * const victims[] = { "lru", "next-use" };
	static const char * const splits[] = { "wddm", "planned" };
	static const char * const flags[] = {
		"fbdev", "look_ahead", "lenient", "leak_detection", "test",
	};
	struct vsplit_adapter_options o;
	uint32_t i;
	int ret;

	if (!options)
		return -EINVAL;
	ret = copy_options(&o, options, size);
	if (!ret)
		ret = set_number(adapter, "slots", o.slots);
	if (!ret)
		ret = set_number(adapter, "engines", o.engines);
	if (!ret && o.heads)
		ret = vsplit_adapter_set_u64(adapter, "heads",
					     o.heads == VSPLIT_ADAPTER_NO_HEADS ? 0 : o.heads);
	if (!ret)
		ret = set_number(adapter, "timeout_ms", o.timeout_ms);
	if (!ret)
		ret = set_number(adapter, "trim_period_ms", o.trim_period_ms);
	if (!ret)
		ret = set_number(adapter, "aperture_limit", o.aperture_limit);
	if (!ret)
		ret = set_choice(adapter, "preemption", o.preemption, preemption);
	if (!ret)
		ret = set_choice(adapter, "clock", o.clock, clock);
	if (!ret)
		ret = set_choice(adapter, "paging", o.paging, paging);
	if (!ret)
		ret = set_choice(adapter, "victims", o.victims, victims);
	if (!ret)
		ret = set_choice(adapter, "splits", o.splits, splits);
	if (!ret)
		ret = set_contexts(adapter, o.contexts);
	for (i = 0; !ret && i < sizeof(flags) / sizeof(*flags); i++)
		if (o.flags & 1u << i)
			ret = vsplit_adapter_set(adapter, flags[i], "1");
	return ret;
}

static int set_segment(const struct vsplit_adapter *adapter, const char *segment,
		       const char *setting, const char *value)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), GROUP "/%s/segments/%s/%s", adapter->name, segment,
		 setting);
	return write_file(path, value);
}

static int set_segment_u64(const struct vsplit_adapter *adapter, const char *segment,
			   const char *setting, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return set_segment(adapter, segment, setting, text);
}

static int fill_segment(const struct vsplit_adapter *adapter,
			const struct vsplit_adapter_segment *segment)
{
	int ret;

	ret = set_segment(adapter, segment->name, "type",
			  segment->aperture ? "aperture" : "memory");
	if (ret)
		return ret;
	ret = set_segment_u64(adapter, segment->name, "size", segment->size);
	if (ret)
		return ret;
	if (segment->commit_limit) {
		ret = set_segment_u64(adapter, segment->name, "commit",
				      segment->commit_limit);
		if (ret)
			return ret;
	}
	if (segment->swizzling_ranges) {
		ret = set_segment_u64(adapter, segment->name, "ranges",
				      segment->swizzling_ranges);
		if (ret)
			return ret;
	}
	if (segment->cpu_visible == VSPLIT_ADAPTER_CPU_ALL)
		return set_segment(adapter, segment->name, "cpu", "all");
	if (!segment->cpu_visible)
		return set_segment(adapter, segment->name, "cpu", "none");
	return set_segment_u64(adapter, segment->name, "cpu", segment->cpu_visible);
}

/* Check what concerns the segment alone; the driver checks all settings together on enabling. */
static bool good_segment(const struct vsplit_adapter_segment *segment)
{
	uint64_t in_page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	uint64_t commit = segment->commit_limit;
	uint64_t cpu = segment->cpu_visible == VSPLIT_ADAPTER_CPU_ALL ? 0 : segment->cpu_visible;

	return good_name(segment->name) && segment->size && !segment->pad &&
	       !((segment->size | commit | cpu) & in_page) &&
	       commit <= segment->size && cpu <= segment->size &&
	       segment->swizzling_ranges <=
	       (segment->aperture ? 0 : VSPLIT_MAX_SWIZZLING_RANGES);
}

int vsplit_adapter_add_segment_sized(struct vsplit_adapter *adapter,
			       const struct vsplit_adapter_segment *options, size_t size)
{
	struct vsplit_adapter_segment segment;
	char path[PATH_LEN];
	int ret;

	if (!options)
		return -EINVAL;
	ret = vsplit__take(&segment, sizeof(segment), options, size);
	if (ret)
		return ret;
	if (!good_segment(&segment))
		return -EINVAL;
	snprintf(path, sizeof(path), GROUP "/%s/segments/%s", adapter->name, segment.name);
	if (mkdir(path, 0755))
		return -errno;
	ret = fill_segment(adapter, &segment);
	if (ret)
		rmdir(path);
	return ret;
}

int vsplit_adapter_enable(struct vsplit_adapter *adapter)
{
	int ret = vsplit_adapter_set(adapter, "enable", "1");

	if (!ret)
		adapter->enabled = true;
	return ret;
}

int vsplit_adapter_open(struct vsplit_adapter *adapter, struct vsplit_device **dev)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int64_t deadline = vsplit__deadline(NODE_WAIT_MS);
	char path[PATH_LEN];
	long minor = 0;
	int ret;

	if (!dev || !adapter->enabled)
		return -EINVAL;
	snprintf(path, sizeof(path), GROUP "/%s/render", adapter->name);
	ret = read_number(path, &minor);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/dev/dri/renderD%ld", minor);
	/*
	 * A daemon may make the node, or set its permissions, some time after the adapter was
	 * enabled.
	 */
	for (;;) {
		ret = vsplit_device_open_path(path, dev);
		if ((ret != -ENOENT && ret != -EACCES) || vsplit__deadline(0) >= deadline)
			return ret;
		nanosleep(&pause, NULL);
	}
}

void vsplit_adapter_destroy(struct vsplit_adapter *adapter)
{
	if (!adapter)
		return;
	remove_tree(adapter->name);
	free(adapter);
}
