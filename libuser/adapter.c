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

struct vsplit_adapter {
	char name[VSPLIT_NAME_LEN];
	bool enabled;
};

static bool good_name(const char *name)
{
	size_t i, len = name ? strlen(name) : 0;

	for (i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	}
	return len > 0 && len < VSPLIT_NAME_LEN;
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

/* One write(2), as attributes want it. */
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

/* rmdir of every directory in segments/, then of the adapter. */
static int remove_tree(const char *name)
{
	char path[PATH_LEN];
	struct dirent *entry;
	DIR *dir;

	/* Fails harmlessly where it is not enabled. */
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
	return good_name(name) ? remove_tree(name) : -ENOENT;
}

int vsplit_adapter_create(const char *name, struct vsplit_adapter **out)
{
	struct vsplit_adapter *adapter;
	char path[PATH_LEN];
	int ret;

	if (!good_name(name) || !out)
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

	if (!setting || !value || !good_name(setting))
		return -EINVAL;
	snprintf(path, sizeof(path), GROUP "/%s/%s", adapter->name, setting);
	return write_file(path, value);
}

int vsplit_adapter_set_u64(struct vsplit_adapter *adapter, const char *setting, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return vsplit_adapter_set(adapter, setting, text);
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

int vsplit_adapter_add_segment(struct vsplit_adapter *adapter,
			       const struct vsplit_adapter_segment *segment)
{
	char path[PATH_LEN];
	int ret;

	if (!segment || !good_name(segment->name) || !segment->size)
		return -EINVAL;
	snprintf(path, sizeof(path), GROUP "/%s/segments/%s", adapter->name, segment->name);
	if (mkdir(path, 0755))
		return -errno;
	ret = fill_segment(adapter, segment);
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
	/* The node may be made by a daemon, which takes its time. */
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
