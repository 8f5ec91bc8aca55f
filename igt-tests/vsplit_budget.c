// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit budget
 * Description: The amount that a device is asked to give back, and the amount that it may have:
 *   trims, periods, budgets, reservations and their events: RES-8, EXT-42, EXT-43;
 *   Documentation/residency.rst has the table. Requirement lists are tested by vsplit_resid.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_resid.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("The amount that a device is asked to give back, and the amount that it may "
		     "have: trims, periods, budgets, reservations and their events: RES-8, EXT-42, "
		     "EXT-43; Documentation/residency.rst has the table.");

/* Reads the next trim event. Returns 0 if there is none now. */
static int trim_event(int file, struct drm_vsplit_trim_event *event)
{
	struct pollfd p = { .fd = file, .events = POLLIN };

	if (poll(&p, 1, 0) != 1)
		return 0;
	igt_assert_eq(read(file, event, sizeof(*event)), sizeof(*event));
	igt_assert_eq_u32(event->base.type, DRM_VSPLIT_EVENT_TRIM);
	igt_assert_eq_u32(event->base.length, sizeof(*event));
	return 1;
}

/* ---- RES-8: trims ------------------------------------------------------- */

/**
 * SUBTEST: res-8-trim
 * Description: A device whose members leave for another device is asked by an event to give as much
 *   back. If it does not, its further requests are refused, unless it says that it cannot trim. If
 *   it does, they are granted.
 */
static void test_res_8(void)
{
	struct drm_vsplit_make_resident args;
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *b, *c, *d;

	setup_devices();
	a = bo_on(fd, 'A', 8);
	b = bo_on(fd, 'B', 6);
	c = bo_on(fd2, 'C', 8);
	d = bo_on(fd, 'D', 1);
	make(a);
	make(b);
	igt_assert(!trim_event(fd, &event));
	make(c);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_DEMAND);
	igt_assert_eq_u32(event.group, VSPLIT_GROUP_LOCAL);
	igt_assert(event.bytes == 8 * U || event.bytes == 6 * U);
	igt_assert(!trim_event(fd, &event));
	igt_assert(!trim_event(fd2, &event));
	/* The event was ignored: the device gets no more. */
	igt_assert_eq(__vsplit_make_resident(fd, &d->handle, 1, 0, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, event.bytes + U);
	igt_assert_eq(__vsplit_make_resident(fd, &d->handle, 1, VSPLIT_RESIDENT_CANT_TRIM_FURTHER, &args), 0);
	igt_assert_eq(__vsplit_evict(fd, &d->handle, 1, 0), 0);
	/* The event is answered. */
	take(a);
	igt_assert_eq(__vsplit_make_resident(fd, &d->handle, 1, 0, &args), 0);
}

/**
 * SUBTEST: res-8-one-event-at-a-time
 * Description: A file that does not read has one event waiting. Querying the residency returns the
 *   newest figures, and arms the next event.
 */
static void test_res_8_armed(void)
{
	struct drm_vsplit_trim_event event;
	struct drm_vsplit_residency r;
	struct vsplit_bo *a;

	setup_devices();
	a = bo_on(fd, 'A', 8);
	make(a);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 3 * U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, U);
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert(!trim_event(fd, &event));
	r = residency(fd, 0);
	igt_assert_eq_u64(r.trims, 2);
	igt_assert_eq_u64(r.trim_bytes, 3 * U);
	igt_assert(!trim_event(fd, &event));
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 2 * U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 2 * U);
	igt_assert_eq_u64(event.trims, 3);
}

/**
 * SUBTEST: res-8-unread
 * Description: A file queries again and again, and reads nothing. Its queue of events is bounded,
 *   and it still gets answers. After it has read, it gets events again.
 */
static void test_unread(void)
{
	struct drm_vsplit_trim_event event;
	unsigned int told = 0;

	setup_devices();
	make(bo_on(fd, 'A', 8));
	for (unsigned int i = 0; i < 300; i++) {
		vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
		igt_assert_eq_u64(residency(fd, 0).trims, i + 1);
	}
	while (trim_event(fd, &event))
		told++;
	igt_assert(told && told <= 4096 / sizeof(event));
	residency(fd, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, 2 * U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 2 * U);
}

static int __eventfd_of(int file, int eventfd)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_EVENTFD, .fd = eventfd };

	return __vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESIDENCY, &args);
}

/* How often the eventfd was signalled since the last call. */
static uint64_t signals(int eventfd)
{
	uint64_t nr = 0;

	return read(eventfd, &nr, sizeof(nr)) < 0 ? 0 : nr;
}

/**
 * SUBTEST: res-8-eventfd
 * Description: Each trim signals the eventfd that the file named last, even while the file's last
 *   event is unread, and no other file's eventfd. A wrong one changes nothing. After -1, and after
 *   the file is closed, none is signalled.
 */
static void test_eventfd(void)
{
	struct drm_vsplit_trim_event event;
	struct drm_vsplit_residency bad = { .fd = 1 };
	int first, e, other, closed, file;
	struct vsplit_bo *a;

	setup_devices();
	a = bo_on(fd, 'A', 16);
	first = eventfd(0, EFD_NONBLOCK);
	e = eventfd(0, EFD_NONBLOCK);
	other = eventfd(0, EFD_NONBLOCK);
	closed = dup(e);
	close(closed);
	igt_assert(first >= 0 && e >= 0 && other >= 0);
	igt_assert_eq(__eventfd_of(fd, first), 0);
	igt_assert_eq(__eventfd_of(fd, e), 0);
	igt_assert_eq(__eventfd_of(fd2, other), 0);
	igt_assert_eq(__eventfd_of(fd, closed), -EBADF);
	igt_assert_eq(__eventfd_of(fd, -2), -EBADF);
	igt_assert_eq(__eventfd_of(fd, fd2), -EINVAL);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RESIDENCY, &bad), -EINVAL);
	make(a);
	igt_assert_eq_u64(signals(e), 0);
	/* Demand, as an event and through the eventfd. */
	make(bo_on(fd2, 'C', 8));
	igt_assert_eq_u64(signals(e), 1);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_DEMAND);
	/* No events for these, because the file has not queried since the last one. */
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, U);
	igt_assert(!trim_event(fd, &event));
	igt_assert_eq_u64(signals(e), 2);
	/* The driver has its own reference to the eventfd. */
	closed = dup(e);
	close(e);
	e = closed;
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 1);
	igt_assert_eq(__eventfd_of(fd, -1), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 0);
	igt_assert_eq_u64(signals(first), 0);
	igt_assert_eq_u64(signals(other), 0);
	/* A closed file. */
	file = vsplit_adapter_open(ad);
	make(bo_on(file, 'D', 1));
	igt_assert_eq(__eventfd_of(file, e), 0);
	vsplit_escape(file, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 1);
	vsplit_cleanup_file(file);
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	igt_assert_eq_u64(signals(e), 0);
	close(e);
	close(first);
	close(other);
}

static void *trim_thread(void *arg)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_TRIM, 0, U);
	return arg;
}

/**
 * SUBTEST: told-beside-others
 * Description: To tell a device of a trim may take long, as its waiters decide. Meanwhile other
 *   devices can require and end, and the order of what the device is told stays right.
 */
static void test_told(void)
{
	struct drm_vsplit_trim_event event;
	pthread_t thread;
	int file;

	vsplit_require_sync_points();
	setup_devices();
	file = vsplit_adapter_open(ad);
	make(bo_on(fd, 'A', 4));
	make(bo_on(file, 'B', 1));
	vsplit_hold("resid.tell");
	igt_assert_eq(pthread_create(&thread, NULL, trim_thread, NULL), 0);
	igt_assert(vsplit_wait_held("resid.tell"));
	igt_assert(!trim_event(fd, &event));
	make(bo_on(fd2, 'C', 1));
	vsplit_cleanup_file(file);
	igt_assert_eq_u64(residency(fd2, 0).trims, 0);
	igt_assert_eq_u64(residency(fd, 0).trims, 1);
	igt_assert(vsplit_held("resid.tell"));
	vsplit_release("resid.tell");
	pthread_join(thread, NULL);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.trims, 1);
}

/* ---- EXT-42: periods ---------------------------------------------------- */

/* Periods that end when the test says so: an hour is longer than any test. */
static void setup_periods(const char *contexts)
{
	struct vsplit_adapter_opts opts = options();

	opts.contexts = contexts;
	opts.trim_period_ms = 3600000;
	setup_adapter(&opts);
}

static void end_period(void)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_PERIOD, 0, 0);
}

/* Ends a period, and checks that @file is asked for @bytes of @group. */
static void period_asks(int file, uint64_t bytes, uint32_t group)
{
	struct drm_vsplit_residency r = residency(file, 0);
	struct drm_vsplit_trim_event event;

	end_period();
	igt_assert(trim_event(file, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert_eq_u32(event.group, group);
	igt_assert_eq_u64(event.bytes, bytes);
	igt_assert_eq_u64(event.trims, r.trims + 1);
}

static void period_asks_nothing(int file)
{
	uint64_t trims = residency(file, 0).trims;
	struct drm_vsplit_trim_event event;

	end_period();
	igt_assert(!trim_event(file, &event));
	igt_assert_eq_u64(residency(file, 0).trims, trims);
}

static void uses(struct vsplit_bo *b, uint32_t pattern)
{
	vsplit_cs_reset(cs);
	fills(cs, b, pattern);
	run_one(cs, ctx);
}

/**
 * SUBTEST: ext-42-periodic
 * Description: At the end of a period, a device is asked for the members that no submission named
 *   in it, except for those that were added in it. The event is about the group in which this is
 *   more. The device gets one event until it queries, and need not answer while there is enough
 *   memory for all.
 */
static void test_periodic(void)
{
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *b, *d, *x;

	setup_periods("patch,explicit");
	a = bo_on(fd, 'A', 4);
	b = bo_on(fd, 'B', 2);
	d = bo_on(fd, 'D', 1);
	x = vsplit_bo_in(fd, 'X', 5 * U, 0, in_second);
	make(a);
	make(b);
	period_asks_nothing(fd);
	uses(a, 1);
	/* Using it twice counts once. */
	uses(a, 2);
	period_asks(fd, 2 * U, VSPLIT_GROUP_LOCAL);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 2 * U);
	/* There is enough memory for all. */
	make(d);
	take(d);
	uses(a, 3);
	uses(b, 4);
	period_asks_nothing(fd);
	period_asks(fd, 6 * U, VSPLIT_GROUP_LOCAL);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 6 * U);
	/* The members that were asked for have been used. */
	uses(a, 5);
	uses(b, 6);
	period_asks_nothing(fd);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 0);
	/* A member that is used and then taken off does not reduce the rest. */
	uses(b, 7);
	take(b);
	period_asks(fd, 4 * U, VSPLIT_GROUP_LOCAL);
	/* A member that is added again counts as used once, however often it is added. */
	make(b);
	make(b);
	make(x);
	period_asks(fd, 4 * U, VSPLIT_GROUP_LOCAL);
	uses(a, 8);
	period_asks(fd, 5 * U, VSPLIT_GROUP_NONLOCAL);
	/* One event until the device queries. */
	end_period();
	igt_assert(!trim_event(fd, &event));
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 6 * U);
	/* A lost device has no members. */
	vsplit_cs_reset(cs);
	fills(cs, d, 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	period_asks_nothing(fd);
	/* A device that requires nothing. */
	igt_assert(!trim_event(fd2, &event));
	igt_assert_eq_u64(residency(fd2, 0).trims, 0);
}

/**
 * SUBTEST: ext-42-not-before-others
 * Description: When a period ends, memory that others have demanded is still asked for as demand.
 *   After the device has answered, the period asks for unused members.
 */
static void test_periodic_behind(void)
{
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *b, *c;

	setup_periods("patch,explicit");
	a = bo_on(fd, 'A', 8);
	b = bo_on(fd, 'B', 6);
	c = bo_on(fd2, 'C', 8);
	make(a);
	make(b);
	make(c);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_DEMAND);
	period_asks_nothing(fd);
	period_asks_nothing(fd);
	igt_assert_eq_u32(residency(fd, 0).trim_reason, VSPLIT_TRIM_DEMAND);
	/* The other device is asked by the second of these periods. */
	igt_assert(trim_event(fd2, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert_eq_u64(event.bytes, 8 * U);
	igt_assert_eq_u64(event.trims, 1);
	take(a);
	period_asks(fd, 6 * U, VSPLIT_GROUP_LOCAL);
}

/**
 * SUBTEST: ext-42-addresses
 * Description: A submission of a context with virtual addresses uses all that the device requires.
 *   A device that has made a hardware queue is not asked.
 */
static void test_periodic_addresses(void)
{
	struct drm_vsplit_hwq_create hwq = { .ring_bytes = VSPLIT_HWQ_MIN_RING };
	struct drm_vsplit_trim_event event;
	uint32_t va, hw;
	int file;

	setup_periods("patch,explicit,va,hw");
	file = vsplit_adapter_open(ad);
	va = vsplit_ctx_mode(file, VSPLIT_CTX_MODE_VA, 0);
	hw = vsplit_ctx_mode(file, VSPLIT_CTX_MODE_HW, 0);
	make(bo_on(file, 'A', 3));
	make(bo_on(file, 'B', 2));
	period_asks_nothing(file);
	period_asks(file, 5 * U, VSPLIT_GROUP_LOCAL);
	cs = vsplit_cs(file);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_submit_and_wait(cs, va, 0);
	period_asks_nothing(file);
	period_asks(file, 5 * U, VSPLIT_GROUP_LOCAL);
	hwq.ctx = hw;
	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_VSPLIT_HWQ_CREATE, &hwq), 0);
	period_asks_nothing(file);
	period_asks_nothing(file);
	igt_assert(!trim_event(fd, &event));
}

/**
 * SUBTEST: ext-42-by-itself
 * Description: Periods end by themselves, for each of many files, even while the adapter is being
 *   removed. Without the option no period ends.
 */
static void test_periodic_timer(void)
{
	struct vsplit_adapter_opts opts = options();
	struct drm_vsplit_trim_event event;
	int files[300], file;

	setup_devices();
	make(bo_on(fd, 'A', 2));
	for (unsigned int i = 0; i < 3; i++)
		period_asks_nothing(fd);
	opts.trim_period_ms = 20;
	ad = vsplit_adapter_create(&opts);
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		files[i] = vsplit_adapter_open(ad);
	file = files[ARRAY_SIZE(files) - 1];
	make(bo_on(file, 'A', 2));
	make(bo_on(files[0], 'B', 1));
	igt_assert(vsplit_soon(trim_event(file, &event)));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_PERIODIC);
	igt_assert_eq_u64(event.bytes, 2 * U);
	igt_assert(vsplit_soon(trim_event(files[0], &event)));
	igt_assert_eq_u64(event.bytes, U);
	/* It is asked again after it has queried. */
	residency(file, 0);
	igt_assert(vsplit_soon(trim_event(file, &event)));
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		vsplit_cleanup_file(files[i]);
	vsplit_adapter_disable(ad);
}

/* ---- EXT-43: budgets and reservations ----------------------------------- */

/**
 * SUBTEST: budget
 * Description: A device with more than its budget is asked for the rest. The query tells budget and
 *   usage, for memory and for aperture segments.
 */
static void test_budget(void)
{
	struct drm_vsplit_trim_event event;
	struct drm_vsplit_residency r;
	struct vsplit_bo *a, *b, *x;

	setup_devices();
	a = bo_on(fd, 'A', 6);
	b = bo_on(fd, 'B', 2);
	x = vsplit_bo_in(fd, 'X', 3 * U, 0, in_second);
	r = residency(fd, 0);
	igt_assert_eq_u64(r.groups[VSPLIT_GROUP_LOCAL].budget, 16 * U);
	make(a);
	make(x);
	r = residency(fd, 0);
	igt_assert_eq_u64(r.groups[VSPLIT_GROUP_LOCAL].usage, 6 * U);
	igt_assert_eq_u64(r.groups[VSPLIT_GROUP_NONLOCAL].usage, 3 * U);
	igt_assert_eq_u64(residency(fd2, 0).groups[VSPLIT_GROUP_LOCAL].budget, 8 * U);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-required-local:"), 6 * U >> 10);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, 7 * U);
	igt_assert(!trim_event(fd, &event));
	make(b);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u32(event.reason, VSPLIT_TRIM_BUDGET);
	igt_assert_eq_u64(event.bytes, U);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, U);
	take(b);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 0);
}

static int __reserve(int file, uint32_t group, uint64_t bytes, uint64_t *available)
{
	struct drm_vsplit_reserve args = { .group = group, .bytes = bytes };
	int ret = __vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESERVE, &args);

	if (available)
		*available = args.available;
	return ret;
}

static struct drm_vsplit_group_info local(int file)
{
	return residency(file, 0).groups[VSPLIT_GROUP_LOCAL];
}

/**
 * SUBTEST: reservation
 * Description: A device can reserve at most its share of half of the memory. When other devices
 *   reserve, its share gets smaller, and grows again when they are gone. A reservation does not
 *   change the budget.
 */
static void test_reservation(void)
{
	uint64_t available;
	int file;

	setup_devices();
	igt_assert_eq_u64(local(fd).reservation, 0);
	igt_assert_eq_u64(local(fd).available, 8 * U);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 8 * U + 1, &available), -ENOSPC);
	igt_assert_eq_u64(available, 8 * U);
	igt_assert_eq_u64(local(fd).reservation, 0);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 8 * U, &available), 0);
	igt_assert_eq_u64(local(fd).reservation, 8 * U);
	igt_assert_eq_u64(local(fd).budget, 16 * U);
	igt_assert_eq_u64(residency(fd, 0).groups[VSPLIT_GROUP_NONLOCAL].reservation, 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-reserved-local:"), 8 * U >> 10);
	/* No file can keep others from reserving. */
	igt_assert_eq_u64(local(fd2).available, 4 * U);
	igt_assert_eq(__reserve(fd2, VSPLIT_GROUP_LOCAL, 4 * U + 1, NULL), -ENOSPC);
	igt_assert_eq(__reserve(fd2, VSPLIT_GROUP_LOCAL, 3 * U, NULL), 0);
	igt_assert_eq_u64(local(fd).reservation, 4 * U);
	igt_assert_eq_u64(local(fd).available, 4 * U);
	igt_assert_eq_u64(local(fd2).reservation, 3 * U);
	igt_assert_eq(__reserve(fd2, VSPLIT_GROUP_LOCAL, 0, NULL), 0);
	igt_assert_eq_u64(local(fd).reservation, 8 * U);
	/* A closed file reserves nothing, and neither does a lost device. */
	file = vsplit_adapter_open(ad);
	igt_assert_eq(__reserve(file, VSPLIT_GROUP_LOCAL, U, NULL), 0);
	igt_assert_eq_u64(local(fd).reservation, 4 * U);
	vsplit_close(file);
	igt_assert_eq_u64(local(fd).reservation, 8 * U);
	fills(cs, bo_on(fd, 'A', 1), 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	igt_assert_eq_u64(local(fd2).available, 8 * U);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, U, NULL), -EIO);
	igt_assert_eq(__reserve(fd2, VSPLIT_NUM_GROUPS, U, NULL), -EINVAL);
	file = vsplit_adapter_open(ad);
	vsplit_ctx_mode(file, VSPLIT_CTX_MODE_PATCH, 0);
	igt_assert_eq(__reserve(file, VSPLIT_GROUP_LOCAL, U, NULL), -EINVAL);
}

/**
 * SUBTEST: reserved-is-not-asked-for
 * Description: When memory leaves for another device, the device is asked for it except for its
 *   reservation. The reserved memory leaves all the same.
 */
static void test_reserved(void)
{
	struct drm_vsplit_trim_event event;
	struct vsplit_bo *a, *c, *d;

	setup_devices();
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 6 * U, NULL), 0);
	a = bo_on(fd, 'A', 10);
	c = bo_on(fd2, 'C', 8);
	d = bo_on(fd2, 'D', 8);
	make(a);
	make(c);
	igt_assert(!vsplit_bo_resident(a));
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 4 * U);
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 4 * U);
	/* Only reserved memory is left: the device is not asked. */
	take(a);
	a = bo_on(fd, 'B', 6);
	make(a);
	make(d);
	igt_assert(!vsplit_bo_resident(a));
	igt_assert(!trim_event(fd, &event));
	igt_assert_eq_u64(residency(fd, 0).trim_bytes, 0);
	/* A budget that was set is asked for in full. */
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, U);
	igt_assert(trim_event(fd, &event));
	igt_assert_eq_u64(event.bytes, 5 * U);
}

static struct drm_vsplit_residency watch(int file)
{
	struct drm_vsplit_residency args = { .flags = VSPLIT_RESIDENCY_WATCH_BUDGET };

	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESIDENCY, &args), 0);
	return args;
}

static bool readable(int file)
{
	struct pollfd p = { .fd = file, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static struct drm_vsplit_budget_event budget_event(int file)
{
	struct drm_vsplit_budget_event event;

	igt_assert(vsplit_soon(readable(file)));
	igt_assert_eq(read(file, &event, sizeof(event)), sizeof(event));
	igt_assert_eq_u32(event.base.type, DRM_VSPLIT_EVENT_BUDGET);
	igt_assert_eq_u32(event.base.length, sizeof(event));
	return event;
}

/**
 * SUBTEST: budget-events
 * Description: A device that watches its budgets gets one event when they change, and another one
 *   after it has queried. A device that does not watch gets none.
 */
static void test_budget_events(void)
{
	struct drm_vsplit_budget_event event;
	struct vsplit_bo *c, *pinned;
	int file;

	setup_devices();
	igt_assert_eq_u64(watch(fd).groups[VSPLIT_GROUP_LOCAL].budget, 16 * U);
	make(bo_on(fd, 'A', 1));
	c = bo_on(fd2, 'C', 1);
	make(c);
	event = budget_event(fd);
	igt_assert_eq_u64(event.budget[VSPLIT_GROUP_LOCAL], 8 * U);
	igt_assert_eq_u64(event.budget[VSPLIT_GROUP_NONLOCAL], 16 * U);
	igt_assert_eq_u64(event.reservation[VSPLIT_GROUP_LOCAL], 0);
	igt_assert_eq_u64(local(fd).budget, 8 * U);
	/* One event at a time; querying returns the newest budget, and arms the next event. */
	take(c);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 16 * U);
	make(c);
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, U, NULL), 0);
	igt_assert_eq_u64(local(fd).budget, 8 * U);
	/* Pinned and reserved memory change budgets, too. */
	igt_assert_eq(__reserve(fd, VSPLIT_GROUP_LOCAL, 2 * U, NULL), 0);
	event = budget_event(fd);
	igt_assert_eq_u64(event.reservation[VSPLIT_GROUP_LOCAL], 2 * U);
	igt_assert_eq_u64(event.budget[VSPLIT_GROUP_LOCAL], 8 * U);
	local(fd);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, 5 * U);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 5 * U);
	vsplit_escape(fd, VSPLIT_ESCAPE_BUDGET, VSPLIT_GROUP_LOCAL, UINT64_MAX);
	local(fd);
	pinned = vsplit_bo_args(fd2, 'P', &(struct drm_vsplit_gem_create) {
		.size = 4 * U, .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 },
	});
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 6 * U);
	igt_assert_eq_u64(local(fd).available, 6 * U);
	vsplit_bo_free(pinned);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 8 * U);
	/* Another file comes and goes; the device that does not watch has got no event. */
	file = vsplit_adapter_open(ad);
	make(bo_on(file, 'D', 1));
	igt_assert_eq_u64(watch(fd).groups[VSPLIT_GROUP_LOCAL].budget, 16 * U / 3);
	vsplit_cleanup_file(file);
	igt_assert_eq_u64(budget_event(fd).budget[VSPLIT_GROUP_LOCAL], 8 * U);
	igt_assert(!readable(fd));
	igt_assert(!readable(fd2));
}

static const struct vsplit_subtest subtests[] = {
	{ "res-8-trim", test_res_8,
	  "A device whose members leave for another device is asked by an event to give as much "
	  "back" },
	{ "res-8-one-event-at-a-time", test_res_8_armed,
	  "A file has at most one unread trim event, and a query of the residency arms the next "
	  "one" },
	{ "res-8-unread", test_unread,
	  "A file that queries again and again, and reads nothing, has a bounded queue of events, "
	  "and still gets answers" },
	{ "res-8-eventfd", test_eventfd,
	  "Each trim signals the eventfd that the file named last, even while the file's last "
	  "event is unread, and no other file's eventfd" },
	{ "told-beside-others", test_told,
	  "While a device is told of a trim, which its waiters can delay, other devices can "
	  "require and end" },
	{ "ext-42-periodic", test_periodic,
	  "At the end of a period, a device is asked for the members that no submission named in "
	  "it, except for those that were added in it" },
	{ "ext-42-not-before-others", test_periodic_behind,
	  "When a period ends, memory that others have demanded is still asked for as demand. "
	  "After the device has answered, the period asks for unused members." },
	{ "ext-42-addresses", test_periodic_addresses,
	  "A submission of a context with virtual addresses uses all that the device requires. A "
	  "device that has made a hardware queue is not asked." },
	{ "ext-42-by-itself", test_periodic_timer,
	  "Periods end by themselves, for each of many files, even while the adapter is being "
	  "removed. Without the option no period ends." },
	{ "budget", test_budget,
	  "A device with more than its budget is asked for the rest. The query tells budget and "
	  "usage, for memory and for aperture segments." },
	{ "reservation", test_reservation,
	  "A device can reserve at most its share of half of the memory" },
	{ "reserved-is-not-asked-for", test_reserved,
	  "When memory leaves for another device, the device is asked for it except for its "
	  "reservation. The reserved memory leaves all the same." },
	{ "budget-events", test_budget_events,
	  "A device that watches its budgets gets one event when they change, and another one "
	  "after it has queried. A device that does not watch gets none." },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
