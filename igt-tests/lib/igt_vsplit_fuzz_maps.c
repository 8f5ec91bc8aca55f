// SPDX-License-Identifier: MIT
/*
 * What a process does to its files and mappings, from a seed: it maps, touches, locks.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define U 4096ull

/* ---- clients ------------------------------------------------------------ */

void vsplit_fuzz_open(struct vsplit_fuzz_client *c)
{
	char path[32];

	memset(c, 0, sizeof(*c));
	c->kms = -1;
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad->render);
	c->fd = open(path, O_RDWR | O_CLOEXEC);
}

void vsplit_fuzz_close(struct vsplit_fuzz_client *c)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++)
		if (c->maps[i])
			munmap(c->maps[i], c->map_size[i]);
	if (c->fd >= 0)
		close(c->fd);
	if (c->kms >= 0)
		close(c->kms);
	for (unsigned int i = 0; i < c->nr_files; i++)
		close(c->files[i]);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
	c->kms = -1;
}

/* ---- mappings ----------------------------------------------------------- */

/* A mapping of a client, at least a page long; NULL if the client has none. */
static uint8_t *one_map(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint64_t *size)
{
	unsigned int at = below(rng, ARRAY_SIZE(c->maps));

	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++, at = (at + 1) % ARRAY_SIZE(c->maps)) {
		*size = c->map_size[at];
		if (c->maps[at])
			return c->maps[at];
	}
	return NULL;
}

static int keep_map(struct vsplit_fuzz_client *c, void *map, uint64_t size)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++) {
		void *none = NULL;

		if (__atomic_load_n(&c->maps[i], __ATOMIC_ACQUIRE) || c->map_size[i])
			continue;
		c->map_size[i] = size;
		if (__atomic_compare_exchange_n(&c->maps[i], &none, map, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return 0;
	}
	munmap(map, size);
	return -EMFILE;
}

int vsplit_fuzz_map_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint64_t size;
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, &size);
	void *map;
	int ret;

	size = (size + U - 1) & ~(U - 1);
	if (!size || size > 64 * U || vsplit_fuzz_odd(rng))
		size = (1 + below(rng, 4)) * U;
	ret = __vsplit_mmap(c->fd, handle, size, &map);
	return ret ?: keep_map(c, map, size);
}

/* Touches a page through a pipe: a failed fault is then an error, not a signal. */
int vsplit_fuzz_touch(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	int pipes[2], ret = 0;
	uint64_t size;
	uint8_t *map = one_map(c, rng, &size);

	if (!map)
		return vsplit_fuzz_map_bo(c, rng);
	if (pipe(pipes))
		return -errno;
	for (unsigned int n = 1 + below(rng, 6); n && !ret; n--) {
		uint8_t *byte = map + below(rng, size - 8);

		if ((dice(rng, 2) && (write(pipes[1], "12345678", 8) != 8 ||
				      read(pipes[0], byte, 8) != 8)) ||
		    write(pipes[1], byte, 8) != 8 || read(pipes[0], &(uint64_t){ 0 }, 8) != 8)
			ret = -errno;
	}
	close(pipes[0]);
	close(pipes[1]);
	return ret;
}

void vsplit_fuzz_unmap(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	unsigned int at = below(rng, ARRAY_SIZE(c->maps));

	if (c->maps[at])
		munmap(c->maps[at], c->map_size[at]);
	c->maps[at] = NULL;
	c->map_size[at] = 0;
}

/* What a program does to a mapping without calling the driver. */
int vsplit_fuzz_remap(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint64_t size;
	uint8_t *map = one_map(c, rng, &size);
	void *other;
	pid_t pid;

	if (!map)
		return vsplit_fuzz_map_bo(c, rng);
	switch (below(rng, 6)) {
	case 0:
		return mprotect(map, size, dice(rng, 2) ? PROT_READ : PROT_READ | PROT_WRITE) ?
		       -errno : 0;
	case 1:
		return madvise(map, size, dice(rng, 2) ? MADV_DONTNEED : MADV_DONTFORK) ? -errno : 0;
	case 2:		/* a second mapping of the same pages, for a moment */
		other = mremap(map, 0, size, MREMAP_MAYMOVE);
		if (other == MAP_FAILED)
			return -errno;
		return munmap(other, size) ? -errno : 0;
	case 3:		/* something that cannot be mapped */
		other = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     dice(rng, 2) ? MAP_PRIVATE : MAP_SHARED, c->fd,
			     vsplit_fuzz_wild(rng) & ~(U - 1));
		if (other == MAP_FAILED)
			return -errno;
		return munmap(other, size) ? -errno : 0;
	case 4:
		return mlock(map, size) ? -errno : munlock(map, size) ? -errno : 0;
	default:	/* a child that inherits the mapping */
		pid = fork();
		if (!pid) {
			/* Otherwise the child would keep the files of a killed program open. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			vsplit_fuzz_touch(c, rng);
			_exit(0);
		}
		return pid < 0 ? -errno : waitpid(pid, NULL, 0) == pid ? 0 : -errno;
	}
}

/* Accesses a mapping as a debugger does: /proc/self/mem calls the mapping's access(). */
int vsplit_fuzz_poke(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint8_t bytes[600] = {};
	uint64_t size;
	uint8_t *map = one_map(c, rng, &size);
	unsigned int n = 1 + below(rng, sizeof(bytes));
	off_t at;
	int ret;

	if (vsplit_fuzz_env.memory < 0 || !map)
		return vsplit_fuzz_map_bo(c, rng);
	/* The access may cross the end of a page, or of the mapping. */
	at = (uintptr_t)map + below(rng, size);
	ret = dice(rng, 2) ? pwrite(vsplit_fuzz_env.memory, bytes, n, at) :
			     pread(vsplit_fuzz_env.memory, bytes, n, at);
	return ret < 0 ? -errno : 0;
}

/* Locks, touches, unlocks; now and then one of these is left out. */
int vsplit_fuzz_locked(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	static const uint32_t flags[] = {
		0, 0, VSPLIT_LOCK_READ_ONLY, VSPLIT_LOCK_WRITE_ONLY, VSPLIT_LOCK_DONOT_WAIT,
		VSPLIT_LOCK_IGNORE_SYNC, VSPLIT_LOCK_IGNORE_READ_SYNC, VSPLIT_LOCK_DONOT_EVICT,
		VSPLIT_LOCK_ACQUIRE_APERTURE, VSPLIT_LOCK_DISCARD,
		VSPLIT_LOCK_WRITE_ONLY | VSPLIT_LOCK_DISCARD,
		VSPLIT_LOCK_ACQUIRE_APERTURE | VSPLIT_LOCK_DONOT_WAIT,
		VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_DONOT_EVICT,
	};
	uint64_t size;
	struct drm_vsplit_gem_lock args = {
		.handle = vsplit_fuzz_one(&c->bos, rng, &size),
		.flags = flags[below(rng, ARRAY_SIZE(flags))],
	};
	void *map;
	int ret;

	ret = ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &args) ? -errno : 0;
	if (ret)
		return ret;
	if (!__vsplit_mmap(c->fd, args.handle, U, &map)) {
		if (pwrite(vsplit_fuzz_env.memory, "x", 1, (uintptr_t)map) < 0)
			ret = -errno;
		munmap(map, U);
	}
	args.flags = 0;
	if (!dice(rng, 4) && ioctl(c->fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &args))
		ret = -errno;
	return ret;
}
