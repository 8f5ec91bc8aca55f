// SPDX-License-Identifier: MIT
/* The residency manager, on the fake kernel, which lets sixteen units be required at once. */
#include <errno.h>

#include "check.h"
#include "fake.h"
#include "vsplit.h"

#define U	(64u << 10)
#define COUNT	20

static struct vsplit_device *dev;
static struct vsplit_manager *manager;
/* One unit each. */
static struct vsplit_bo *bos[COUNT];

static void begin(void)
{
	if (vsplit_device_open_path(fake_node(), &dev) || vsplit_manager_create(dev, &manager))
		abort();
	for (unsigned int i = 0; i < COUNT; i++)
		if (vsplit_bo_create(dev, U, 0, &bos[i]))
			abort();
}

static void end(void)
{
	vsplit_manager_destroy(manager);
	for (unsigned int i = 0; i < COUNT; i++)
		vsplit_bo_destroy(bos[i]);
	vsplit_device_close(dev);
	CHECK_EQ(fake.open_handles, 0);
	fake_reset();
}

static int use(unsigned int first, unsigned int num)
{
	return vsplit_manager_use(manager, &bos[first], num, NULL);
}

static int done(unsigned int first, unsigned int num)
{
	return vsplit_manager_done(manager, &bos[first], num);
}

static void touch(unsigned int first, unsigned int num)
{
	CHECK_EQ(use(first, num), 0);
	CHECK_EQ(done(first, num), 0);
}

static unsigned int required(unsigned int i)
{
	return fake_required(vsplit_bo_handle(bos[i]));
}

/* The requirement counts of the allocations, one digit each. */
static const char *list(void)
{
	static char text[COUNT + 1];

	for (unsigned int i = 0; i < COUNT; i++)
		text[i] = (char)('0' + required(i));
	return text;
}

static struct vsplit_manager_info info(void)
{
	struct vsplit_manager_info i;

	vsplit_manager_query(manager, &i);
	return i;
}

static void one_of_a_device(void)
{
	struct vsplit_manager *other = NULL;

	begin();
	CHECK_EQ(vsplit_manager_create(dev, &other), -EBUSY);
	CHECK_EQ(vsplit_manager_create(NULL, &other), -EINVAL);
	CHECK_EQ(vsplit_manager_create(dev, NULL), -EINVAL);
	CHECK(!other);
	vsplit_manager_destroy(manager);
	CHECK_EQ(vsplit_manager_create(dev, &manager), 0);
	vsplit_manager_destroy(NULL);
	end();
}

static void what_fits_stays(void)
{
	begin();
	touch(0, 8);
	touch(4, 8);
	CHECK_STR(list(), "11111111111100000000");
	CHECK_EQ(fake.makes, 2);
	CHECK_EQ(fake.evicts, 0);
	CHECK_EQ(info().members, 12);
	CHECK_EQ(info().bytes, 12 * U);
	/* All are resident, so no call is needed. */
	touch(0, 12);
	CHECK_EQ(fake.makes, 2);
	vsplit_manager_destroy(manager);
	manager = NULL;
	CHECK_STR(list(), "00000000000000000000");
	end();
}

static void least_recently_used_first(void)
{
	begin();
	for (unsigned int i = 0; i < 16; i++)
		touch(i, 1);
	touch(0, 1);
	touch(2, 1);
	touch(16, 1);
	CHECK_STR(list(), "10111111111111111000");
	touch(17, 2);
	CHECK_STR(list(), "10100111111111111110");
	CHECK_EQ(info().evicted, 3 * U);
	CHECK_EQ(info().bytes, 16 * U);
	CHECK_EQ(info().forced, 0);
	end();
}

static void what_is_in_use_stays(void)
{
	begin();
	CHECK_EQ(use(0, 10), 0);
	touch(10, 6);
	touch(16, 4);
	CHECK_STR(list(), "11111111110000111111");
	/* Seven more do not fit beside the ten. Those that were given back in vain stay evicted. */
	CHECK_EQ(use(10, 7), -ENOSPC);
	CHECK_STR(list(), "11111111110000111000");
	CHECK_EQ(info().forced, 1);
	CHECK_EQ(info().members, 13);
	CHECK_EQ(use(0, 1), 0);
	CHECK_EQ(done(0, 10), 0);
	CHECK_EQ(use(1, 16), -ENOSPC);
	CHECK_EQ(done(0, 1), 0);
	touch(1, 16);
	CHECK_STR(list(), "01111111111111111000");
	end();
}

static void one_several_times(void)
{
	struct vsplit_bo *twice[] = { NULL, NULL };

	begin();
	twice[0] = bos[3];
	twice[1] = bos[3];
	CHECK_EQ(vsplit_manager_use(manager, twice, 2, NULL), 0);
	CHECK_EQ(required(3), 1);
	CHECK_EQ(vsplit_manager_done(manager, twice, 1), 0);
	CHECK_EQ(use(4, 16), -ENOSPC);
	CHECK_EQ(required(3), 1);
	CHECK_EQ(vsplit_manager_done(manager, twice, 1), 0);
	touch(4, 16);
	CHECK_EQ(required(3), 0);
	end();
}

static void trims_are_answered(void)
{
	uint64_t bytes = 1;

	begin();
	fake.nonlocal = vsplit_bo_handle(bos[0]);
	touch(0, 6);
	CHECK_EQ(vsplit_manager_trim(manager, &bytes), 0);
	CHECK_EQ(bytes, 0);
	fake.owed = U + 1;
	fake.owed_group = VSPLIT_GROUP_LOCAL;
	CHECK_EQ(vsplit_manager_trim(manager, &bytes), 0);
	CHECK_EQ(bytes, 2 * U);
	CHECK_STR(list(), "10011100000000000000");
	/* The next use answers as well, with allocations that are not in use. */
	fake.owed = 2 * U;
	touch(3, 1);
	CHECK_STR(list(), "10010000000000000000");
	fake.owed = 8 * U;
	fake.owed_group = VSPLIT_GROUP_NONLOCAL;
	touch(3, 1);
	CHECK_STR(list(), "00010000000000000000");
	/* No allocation of the group can be given back, so the last try is made. */
	CHECK_EQ(use(3, 1), 0);
	touch(4, 1);
	CHECK_STR(list(), "00011000000000000000");
	CHECK_EQ(info().forced, 1);
	end();
}

static void failures_change_nothing(void)
{
	struct vsplit_bo *none[] = { NULL };

	begin();
	touch(0, 4);
	CHECK_EQ(vsplit_manager_use(manager, NULL, 1, NULL), -EINVAL);
	CHECK_EQ(vsplit_manager_use(manager, none, 1, NULL), -EINVAL);
	CHECK_EQ(use(0, 0), -EINVAL);
	CHECK_EQ(use(0, VSPLIT_MAX_RESIDENCY + 1), -E2BIG);
	CHECK_EQ(done(0, 0), -EINVAL);
	fake.fail_errno = ENOMEM;
	for (unsigned int i = 0; i < 2; i++) {
		static const int calls[] = { DRM_VSPLIT_GEM_INFO, DRM_VSPLIT_MAKE_RESIDENT };

		fake.fail_ioctl = calls[i];
		fake.fail_times = 1;
		CHECK_EQ(use(2, 4), -ENOMEM);
		CHECK_EQ(info().members, 4);
		CHECK_STR(list(), "11110000000000000000");
	}
	/* A driver without memory for the next event does not stop the manager. */
	fake.fail_ioctl = DRM_VSPLIT_RESIDENCY;
	fake.fail_times = 1;
	touch(0, 4);
	/* None of them is in use any more. */
	touch(4, 16);
	CHECK_STR(list(), "00001111111111111111");
	fake.fail_ioctl = DRM_VSPLIT_EVICT;
	fake.fail_times = 1;
	CHECK_EQ(use(0, 1), -ENOMEM);
	CHECK_STR(list(), "00001111111111111111");
	CHECK_EQ(info().members, 16);
	end();
}

static void many_at_once(void)
{
	struct vsplit_bo *many[300];

	begin();
	for (unsigned int i = 0; i < 300; i++)
		CHECK_EQ(vsplit_bo_create(dev, 1, 0, &many[i]), 0);
	CHECK_EQ(vsplit_manager_use(manager, many, 200, NULL), 0);
	CHECK_EQ(vsplit_manager_done(manager, many, 200), 0);
	CHECK_EQ(vsplit_manager_use(manager, many + 150, 150, NULL), 0);
	CHECK_EQ(info().members, 256);
	/* The other 150 are in use, so they stay. */
	touch(0, 6);
	CHECK_EQ(info().members, 166);
	CHECK_EQ(vsplit_manager_done(manager, many + 150, 150), 0);
	for (unsigned int i = 0; i < 300; i++)
		vsplit_bo_destroy(many[i]);
	CHECK_EQ(info().members, 6);
	CHECK_EQ(info().bytes, 6 * U);
	end();
}

static void destroyed_is_taken_off(void)
{
	struct vsplit_bo *again;
	int dmabuf;

	begin();
	touch(0, 3);
	vsplit_bo_destroy(bos[1]);
	bos[1] = NULL;
	CHECK_EQ(info().members, 2);
	CHECK_EQ(info().bytes, 2 * U);
	/* A second object for the same allocation, with the same handle. */
	CHECK_EQ(vsplit_bo_export(bos[0], &dmabuf), 0);
	CHECK_EQ(vsplit_bo_import(dev, dmabuf, &again), 0);
	CHECK_EQ(vsplit_manager_use(manager, &again, 1, NULL), 0);
	CHECK_EQ(required(0), 2);
	vsplit_bo_destroy(again);
	CHECK_EQ(required(0), 1);
	CHECK_EQ(info().members, 2);
	/* Here the first object goes before the second one. */
	CHECK_EQ(vsplit_bo_import(dev, dmabuf, &again), 0);
	vsplit_bo_destroy(bos[0]);
	bos[0] = again;
	CHECK_EQ(required(0), 0);
	CHECK_EQ(info().members, 1);
	end();
}

/* Only what is in use can be given up, and a refused call gives up nothing. */
static void done_as_often_as_used(void)
{
	struct vsplit_bo *twice[2];

	begin();
	twice[0] = bos[0];
	twice[1] = bos[0];
	CHECK_EQ(done(0, 1), -EINVAL);
	CHECK_EQ(use(0, 1), 0);
	CHECK_EQ(done(0, 2), -EINVAL);
	CHECK_EQ(vsplit_manager_done(manager, twice, 2), -EINVAL);
	/* The first one is in use still. */
	touch(1, 15);
	touch(16, 1);
	CHECK_EQ(required(0), 1);
	CHECK_EQ(vsplit_manager_use(manager, twice, 2, NULL), 0);
	CHECK_EQ(vsplit_manager_done(manager, twice, 2), 0);
	CHECK_EQ(done(0, 1), 0);
	CHECK_EQ(done(0, 1), -EINVAL);
	end();
}

static void submits(void)
{
	struct vsplit_submission submission;
	struct vsplit_context *ctx;
	struct vsplit_stream *stream;
	void *bytes;
	int error;

	begin();
	CHECK_EQ(vsplit_context_create(dev, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &ctx), 0);
	CHECK_EQ(vsplit_stream_create(&stream), 0);
	CHECK_EQ(vsplit_manager_submit(manager, ctx, stream, bos, 2, NULL), -EINVAL);
	vsplit_stream_bind(stream, 0, bos[1], 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_fill(stream, 0, 0, U, 0x07070707);
	fake.submits = 0;
	CHECK_EQ(vsplit_manager_submit(manager, ctx, stream, bos, 2, &submission), 0);
	CHECK_EQ(fake.submits, 1);
	CHECK_STR(list(), "11000000000000000000");
	CHECK_EQ(vsplit_wait(ctx, submission.id, -1, &error), 0);
	CHECK_EQ(vsplit_bo_map(bos[1], &bytes), 0);
	CHECK_EQ(((uint8_t *)bytes)[U - 1], 7);
	/* Neither allocation is in use any more. */
	touch(4, 16);
	CHECK_STR(list(), "00001111111111111111");
	CHECK_EQ(vsplit_manager_submit(NULL, ctx, stream, bos, 2, &submission), -EINVAL);
	CHECK_EQ(vsplit_manager_submit(manager, NULL, stream, bos, 2, &submission), -EINVAL);
	vsplit_stream_destroy(stream);
	vsplit_context_destroy(ctx);
	end();
}

int main(void)
{
	RUN(one_of_a_device);
	RUN(what_fits_stays);
	RUN(least_recently_used_first);
	RUN(what_is_in_use_stays);
	RUN(one_several_times);
	RUN(trims_are_answered);
	RUN(failures_change_nothing);
	RUN(many_at_once);
	RUN(destroyed_is_taken_off);
	RUN(done_as_often_as_used);
	RUN(submits);
	return check_total_failures != 0;
}
