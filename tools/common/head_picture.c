// SPDX-License-Identifier: MIT
/* Reads pictures of heads from crtc-N/picture in debugfs, which is a portable pixmap. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <xf86drm.h>

#include "head_picture.h"

#define MAX_SIDE	8192u

int head_picture_read(FILE *file, struct head_picture *picture)
{
	struct head_picture p;
	unsigned int depth;
	size_t bytes;
	char end;

	*picture = (struct head_picture){ 0 };
	if (fscanf(file, "P6 %u %u %u%c", &p.width, &p.height, &depth, &end) != 4 || depth != 255 ||
	    end != '\n' || !p.width || !p.height || p.width > MAX_SIDE || p.height > MAX_SIDE)
		return ferror(file) ? -EIO : -EPROTO;
	bytes = (size_t)p.width * p.height * 3;
	p.rgb = malloc(bytes);
	if (!p.rgb)
		return -ENOMEM;
	if (fread(p.rgb, 1, bytes, file) != bytes) {
		free(p.rgb);
		return ferror(file) ? -EIO : -EPROTO;
	}
	*picture = p;
	return 0;
}

/* The minor of the primary node, which names the directory in debugfs. */
static int primary_minor(int fd, unsigned int *index)
{
	char *path = drmGetPrimaryDeviceNameFromFd(fd);
	struct stat st;
	int ret = path && !stat(path, &st) ? 0 : -ENODEV;

	if (!ret)
		*index = minor(st.st_rdev);
	free(path);
	return ret;
}

int head_picture_take(int fd, uint32_t head, struct head_picture *picture)
{
	unsigned int index;
	char path[96];
	FILE *file;
	int ret;

	*picture = (struct head_picture){ 0 };
	ret = primary_minor(fd, &index);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/crtc-%u/picture", index, head);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	ret = head_picture_read(file, picture);
	fclose(file);
	return ret;
}

void head_picture_free(struct head_picture *picture)
{
	free(picture->rgb);
	*picture = (struct head_picture){ 0 };
}
