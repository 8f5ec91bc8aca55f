// SPDX-License-Identifier: MIT
/*
 * A head that flips and has its checksums read: see the header.
 */
#include "igt.h"
#include "igt_vsplit_lit.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct lit lit;

static pthread_t flipper, reader;
static volatile bool stop;
static int crc;

/* Flip between the two framebuffers, by blocking and nonblocking calls. */
static void *flip_on(void *arg)
{
	while (!stop && !lit.error) {
		const struct fb *fb = &lit.fbs[(lit.flips + 1) % 2];
		int ret = __head_flip(&lit.head, fb, lit.flips % 4 ? 0 : DRM_MODE_ATOMIC_NONBLOCK,
				      NULL);

		if (!ret)
			lit.flips++;
		else if (ret != -EBUSY)
			lit.error = ret;
	}
	return NULL;
}

static void count_frame(const char *line)
{
	unsigned int value;

	if (!strncmp(line, "XXXX", 4))
		lit.none++;
	else if (sscanf(line, "%*x %x", &value) != 1)
		lit.wrong++;
	else if (value == lit.want[0])
		lit.right[0]++;
	else if (value == lit.want[1])
		lit.right[1]++;
	else
		lit.wrong++;
}

/* Read checksums until the file ends, as it does when the adapter is gone. */
static void *read_on(void *arg)
{
	struct pollfd ready = { .fd = crc, .events = POLLIN };
	char line[64];

	while (!stop) {
		ssize_t n;

		if (poll(&ready, 1, 100) != 1)
			continue;
		n = read(crc, line, sizeof(line) - 1);
		if (n > 0) {
			line[n] = 0;
			count_frame(line);
		} else if (!n || (errno != EINTR && errno != EAGAIN)) {
			break;
		}
	}
	return NULL;
}

void lit_start(const uint8_t *segments)
{
	static struct pixel picture[PIXELS];

	memset(&lit, 0, sizeof(lit));
	stop = false;
	head_open(&lit.head, 0);
	fb_new(&lit.head, &lit.to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, segments);
	for (unsigned int i = 0; i < 2; i++) {
		fb_new(&lit.head, &lit.fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, segments);
		fb_noise(&lit.fbs[i], i + 1);
		get_picture(&lit.fbs[i], picture);
		lit.want[i] = crc_of(picture, PIXELS);
	}
	head_on(&lit.head, &lit.fbs[0]);
	lit.segment = pinned(lit.fbs[0].bo);
	igt_assert_eq_u32(lit.segment, segments[0]);
	crc = crc_open(&lit.head);
	igt_assert_eq(pthread_create(&flipper, NULL, flip_on, NULL), 0);
	igt_assert_eq(pthread_create(&reader, NULL, read_on, NULL), 0);
}

void lit_goes_on(const char *when)
{
	unsigned int flips = lit.flips, first = lit.right[0], second = lit.right[1];

	igt_assert_f(vsplit_soon((lit.flips > flips + 10 && lit.right[0] > first + 3 &&
				  lit.right[1] > second + 3) || lit.error || lit.wrong),
		     "%s: %u flips, frames with the pictures: %u, %u\n", when, lit.flips - flips,
		     lit.right[0] - first, lit.right[1] - second);
	igt_assert_f(!lit.error, "%s: a flip: %s\n", when, strerror(-lit.error));
	igt_assert_f(!lit.wrong, "%s: frames with another picture: %u\n", when, lit.wrong);
}

int lit_fails(void)
{
	igt_assert_f(vsplit_soon(lit.error), "flips go on\n");
	return lit.error;
}

void lit_stop(void)
{
	stop = true;
	igt_assert_eq(pthread_join(flipper, NULL), 0);
	igt_assert_eq(pthread_join(reader, NULL), 0);
	close(crc);
	igt_info("%u flips, frames with the pictures: %u and %u, with none: %u\n", lit.flips,
		 lit.right[0], lit.right[1], lit.none);
}

void lit_check(void)
{
	static struct pixel picture[PIXELS];

	for (unsigned int i = 0; i < 2; i++) {
		expect(__head_flip(&lit.head, &lit.fbs[i], 0, NULL), 0);
		igt_assert_eq_u32(pinned(lit.fbs[i].bo), lit.segment);
		igt_assert_eq_u32(crc_now(&lit.head), lit.want[i]);
		get_picture(&lit.fbs[i], picture);
		igt_assert_eq_u32(crc_of(picture, PIXELS), lit.want[i]);
		shoot(&lit.head, NULL, &lit.to);
		check_picture(&lit.to, picture);
	}
}
