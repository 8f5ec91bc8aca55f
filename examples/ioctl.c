// SPDX-License-Identifier: MIT
/*
 * The driver without the library: a program that calls the ioctls. A buffer with two split points
 * fills two allocations; the lists that go with the stream are written by hand.
 *
 *	cc -o ioctl ioctl.c $(pkg-config --cflags libdrm_vsplit)
 *	./ioctl /dev/dri/renderD128
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "vsplit_drm.h"
#include "vsplit_isa.h"

#define SIZE	(1u << 20)

/* The packets of one split point: bind slot 0, set the fill pattern, fill. */
struct part {
	struct vsplit_packet_bind bind;
	struct vsplit_packet_state pattern;
	struct vsplit_packet_fill fill;
};

static void call(int fd, unsigned long request, void *arg, const char *what)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret && (errno == EINTR || errno == EAGAIN));
	if (ret) {
		perror(what);
		exit(1);
	}
}

static struct part make_part(uint32_t pattern)
{
	return (struct part){
		/* The address stays 0: the driver fills it in, as the patch list says. */
		.bind.head = { .op = VSPLIT_OP_BIND, .size = sizeof(struct vsplit_packet_bind) },
		/* A split makes the registers undefined, so each part sets its own. */
		.pattern.head = { .op = VSPLIT_OP_STATE, .size = sizeof(struct vsplit_packet_state),
				  .arg = VSPLIT_STATE_FILL },
		.pattern.value = pattern,
		.fill.head = { .op = VSPLIT_OP_FILL, .size = sizeof(struct vsplit_packet_fill) },
		.fill.dst.slot = 0,
		.fill.length = SIZE,
	};
}

int main(int argc, char **argv)
{
	const struct part stream[2] = { make_part(0x11111111), make_part(0x22222222) };
	struct drm_vsplit_gem_create create[2] = { { .size = SIZE }, { .size = SIZE } };
	struct drm_vsplit_ctx_create ctx = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };
	struct drm_vsplit_alloc allocs[2];
	struct drm_vsplit_patch patches[2];
	struct drm_vsplit_submit submit = {
		.stream = (uintptr_t)stream, .stream_bytes = sizeof(stream),
		.allocs = (uintptr_t)allocs, .num_allocs = 2,
		.patches = (uintptr_t)patches, .num_patches = 2,
	};
	const char *path = argc > 1 ? argv[1] : "/dev/dri/renderD128";
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint32_t i;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	call(fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &ctx, "context");
	submit.ctx = ctx.ctx;
	for (i = 0; i < 2; i++) {
		uint32_t start = i * sizeof(struct part);

		call(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &create[i], "allocation");
		allocs[i] = (struct drm_vsplit_alloc){
			.handle = create[i].handle, .flags = VSPLIT_ALLOC_WRITE,
		};
		patches[i] = (struct drm_vsplit_patch){
			.alloc = i, .slot = 0,
			.patch_offset = start + offsetof(struct vsplit_packet_bind, address),
			.split_offset = start,
		};
	}
	call(fd, DRM_IOCTL_VSPLIT_SUBMIT, &submit, "submit");
	printf("submission %llu, %u portion(s)\n", (unsigned long long)submit.submission,
	       submit.num_portions);

	for (i = 0; i < 2; i++) {
		struct drm_vsplit_gem_mmap_offset offset = { .handle = create[i].handle };
		struct drm_vsplit_gem_lock lock = {
			.handle = create[i].handle, .flags = VSPLIT_LOCK_READ_ONLY,
		};
		const uint8_t *bytes;

		call(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &offset, "mmap offset");
		bytes = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, (off_t)offset.offset);
		if (bytes == MAP_FAILED) {
			perror("mmap");
			return 1;
		}
		/* The lock waits until the GPU has written. */
		call(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock, "lock");
		printf("allocation %u: 0x%02x ... 0x%02x\n", create[i].handle, bytes[0],
		       bytes[SIZE - 1]);
		lock.flags = 0;
		call(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock, "unlock");
	}
	return 0;
}
