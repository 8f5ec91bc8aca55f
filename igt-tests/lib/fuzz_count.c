// SPDX-License-Identifier: MIT
/*
 * Counts the system calls of vsplit_fuzz that reach the driver: ioctls on its files and on
 * dma-bufs; opening, reading, writing, mapping and closing its files, including those in debugfs,
 * configfs and sysfs. Only the calls of steps, and of opening and closing clients, are counted.
 *
 * Only vsplit_fuzz links these functions. They take the place of the C library's functions, so that
 * calls made by libdrm are counted as well.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MAX_FILES 1024

__thread bool vsplit_fuzz_counting;
uint64_t *vsplit_fuzz_counter;

/* Whether a file was opened by a path of the driver. */
static bool ours[MAX_FILES];

static bool is_ours(const char *path)
{
	static const char *const paths[] = {
		"/dev/dri/", "/sys/kernel/debug/dri/", "/sys/kernel/debug/vsplit/",
		"/sys/kernel/config/vsplit/", "/sys/module/vsplit/", "/proc/self/fdinfo/",
		"/sys/bus/pci/drivers/vsplit/", "/sys/bus/platform/drivers/vsplit/",
		"/sys/bus/pci/devices/",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++)
		if (!strncmp(path, paths[i], strlen(paths[i])))
			return true;
	return false;
}

static void count(bool yes)
{
	if (yes && vsplit_fuzz_counting && vsplit_fuzz_counter)
		__atomic_add_fetch(vsplit_fuzz_counter, 1, __ATOMIC_RELAXED);
}

static bool file_is_ours(int fd)
{
	return fd >= 0 && fd < MAX_FILES && __atomic_load_n(&ours[fd], __ATOMIC_RELAXED);
}

int open(const char *path, int flags, ...)
{
	bool yes = vsplit_fuzz_counting && is_ours(path);
	mode_t mode = 0;
	va_list ap;
	int fd;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, int);
		va_end(ap);
	}
	fd = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	count(yes);
	if (fd >= 0 && fd < MAX_FILES)
		__atomic_store_n(&ours[fd], yes, __ATOMIC_RELAXED);
	return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int fd)
{
	bool yes = file_is_ours(fd);

	if (yes)
		__atomic_store_n(&ours[fd], false, __ATOMIC_RELAXED);
	count(yes);
	return syscall(SYS_close, fd);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	/* Dma-bufs come from the driver, or are imported by it. */
	count(file_is_ours(fd) || _IOC_TYPE(request) == 'b');
	return syscall(SYS_ioctl, fd, request, arg);
}

ssize_t read(int fd, void *to, size_t size)
{
	count(file_is_ours(fd));
	return syscall(SYS_read, fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size)
{
	count(file_is_ours(fd));
	return syscall(SYS_write, fd, from, size);
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	count(file_is_ours(fd));
	return (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);
}

int mkdir(const char *path, mode_t mode)
{
	count(vsplit_fuzz_counting && is_ours(path));
	return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rmdir(const char *path)
{
	count(vsplit_fuzz_counting && is_ours(path));
	return syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
