/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the suites of unit tests share. */
#ifndef _VSPLIT_KUNIT_H_
#define _VSPLIT_KUNIT_H_

#include <kunit/test.h>

struct device;
struct dma_fence;
struct vsplit_device;
struct vsplit_queue;

#define VSPLIT_KUNIT_PAGES	64u

/**
 * struct vsplit_kunit - What a test has.
 * @dev: fake device.
 * @vdev: adapter of it, with one memory segment of VSPLIT_KUNIT_PAGES; NULL once it is
 *	gone.
 * @queue: a context, or NULL.
 */
struct vsplit_kunit {
	struct device *dev;
	struct vsplit_device *vdev;
	struct vsplit_queue *queue;
};

int vsplit_kunit_init(struct kunit *test);
void vsplit_kunit_exit(struct kunit *test);

/* One that the test signals, for a GPU; the reference is the caller's. */
struct dma_fence *vsplit_kunit_gpu_fence(struct kunit *test);

#endif /* _VSPLIT_KUNIT_H_ */
