// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit hotplug
 * Description: Monitors that come and go, heads of several clients; Documentation/display.rst.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: hotplug, leases
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

IGT_TEST_DESCRIPTION("Monitors that come and go, heads of several clients; "
		     "Documentation/display.rst.");

#define EDID_BYTES 256

static struct head head;
static struct fb fbs[2];

static void setup_root_head(void)
{
	igt_require(geteuid() == 0);
	setup_head(&head);
}

static void new_fbs(struct head *of)
{
	for (int i = 0; i < 2; i++)
		fb_new(of, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
}

static void expect_monitor(bool there, int width)
{
	drmModeConnectorPtr con = drmModeGetConnector(head.fd, head.connector);

	igt_assert_eq(con->connection, there ? DRM_MODE_CONNECTED : DRM_MODE_DISCONNECTED);
	igt_assert_eq(!!con->count_modes, there);
	if (there) {
		igt_assert_eq(con->modes[0].hdisplay, width);
		igt_assert(con->modes[0].type & DRM_MODE_TYPE_PREFERRED);
	}
	drmModeFreeConnector(con);
}

/* Opens a socket for the kernel's messages to udev. */
static int uevents_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int s = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       NETLINK_KOBJECT_UEVENT);

	igt_require(s >= 0 && !bind(s, (void *)&address, sizeof(address)));
	return s;
}

/* Of the messages that came, is one of this kind, about this adapter, and @about? */
static bool was_told_of(int s, const char *kind, const char *about)
{
	char card[32], text[4096];
	bool told = false;
	ssize_t n;

	snprintf(card, sizeof(card), "DEVNAME=dri/card%d", ad->primary);
	while ((n = recv(s, text, sizeof(text) - 1, 0)) > 0) {
		int found = 0;

		text[n] = 0;
		for (char *at = text; at < text + n; at += strlen(at) + 1)
			found += !strcmp(at, kind) || !strcmp(at, about) || !strcmp(at, card);
		told |= found == 3;
	}
	return told;
}

/* Is one about the head's connector? */
static bool was_told(int s)
{
	char connector[32];

	snprintf(connector, sizeof(connector), "CONNECTOR=%u", head.connector);
	return was_told_of(s, "HOTPLUG=1", connector);
}

/**
 * SUBTEST: monitor
 * Description: A monitor is disconnected or connected: the connector's status changes, and udev
 *   gets an event. Writing the present status again sends no event, and bad values change nothing.
 */
static void test_monitor(void)
{
	int s;

	setup_root_head();
	s = uevents_open();
	expect_monitor(true, 1024);
	for (int i = 0; i < 3; i++) {
		was_told(s);
		expect(connector_write(&head, "connected", "0", 1), 0);
		igt_assert(vsplit_soon(was_told(s)));
		expect_monitor(false, 0);
		expect(connector_write(&head, "connected", "0", 1), 0);
		expect(connector_write(&head, "connected", "2", 1), -EINVAL);
		igt_assert(!was_told(s));
		expect_monitor(false, 0);
		expect(connector_write(&head, "connected", "1", 1), 0);
		igt_assert(vsplit_soon(was_told(s)));
		expect_monitor(true, 1024);
	}
	close(s);
}

/**
 * SUBTEST: another-monitor
 * Description: An EDID that is written to DRM's edid_override in debugfs replaces the head's own,
 *   and gives other modes.
 */
static void test_another(void)
{
	uint8_t edid[EDID_BYTES], first[18];
	drmModePropertyBlobPtr blob;

	setup_root_head();
	expect_monitor(true, 1024);
	blob = drmModeGetPropertyBlob(head.fd, prop_value(head.fd, head.connector, "EDID"));
	igt_assert(blob && blob->length == EDID_BYTES);
	memcpy(edid, blob->data, EDID_BYTES);
	drmModeFreePropertyBlob(blob);
	/* Exchange its two detailed timings: the checksum of the bytes stays the same. */
	memcpy(first, edid + 54, sizeof(first));
	memmove(edid + 54, edid + 72, sizeof(first));
	memcpy(edid + 72, first, sizeof(first));
	expect(connector_write(&head, "edid_override", edid, EDID_BYTES), 0);
	expect_monitor(true, 3840);
	expect(connector_write(&head, "edid_override", "reset", 5), 0);
	expect_monitor(true, 1024);
}

/**
 * SUBTEST: monitor-goes-under-flips
 * Description: A head shows flips while its monitor is disconnected and connected: only its client
 *   ends them.
 */
static void test_under_flips(void)
{
	setup_root_head();
	new_fbs(&head);
	head_on(&head, &fbs[0]);
	for (unsigned int i = 0; i < vsplit_rounds(20, 500); i++) {
		expect(connector_write(&head, "connected", i & 1 ? "1" : "0", 1), 0);
		expect(__head_flip(&head, &fbs[(i + 1) % 2], FLIP, NULL), 0);
		igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	}
	head_off(&head);
}

/* Leases all objects of a head to another client; returns the head with the lessee's file. */
static struct head lease(const struct head *of, uint32_t *id)
{
	const uint32_t objects[] = { of->crtc, of->connector, of->writeback, of->primary,
				     of->overlay, of->cursor };
	struct head lessee = *of;

	lessee.fd = drmModeCreateLease(of->fd, objects, ARRAY_SIZE(objects), O_CLOEXEC, id);
	igt_assert_f(lessee.fd >= 0, "lease: %s\n", strerror(-lessee.fd));
	igt_assert_eq(drmSetClientCap(lessee.fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
	igt_assert_eq(drmSetClientCap(lessee.fd, DRM_CLIENT_CAP_ATOMIC, 1), 0);
	igt_assert_eq(drmSetClientCap(lessee.fd, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1), 0);
	return lessee;
}

/* Flips until a call says that the lease is gone; ends the process. */
static void flip_until_revoked(struct head *lessee, int lit)
{
	int ret = 0;

	new_fbs(lessee);
	head_on(lessee, &fbs[0]);
	igt_assert_eq(write(lit, "", 1), 1);
	for (unsigned int i = 1; !ret || ret == -EBUSY; i++)
		ret = __head_flip(lessee, &fbs[i % 2], i % 3 ? DRM_MODE_ATOMIC_NONBLOCK : 0, NULL);
	expect(ret, -ENOENT);
	_exit(0);
}

/**
 * SUBTEST: revoked
 * Description: A lease is revoked while its client flips and never waits for an event. The client's
 *   call fails, and the head belongs to its owner again. The end of a lease is an event for udev.
 */
static void test_revoked(void)
{
	for (unsigned int i = 0; i < vsplit_rounds(3, 50); i++) {
		struct head lessee;
		int lit[2];
		uint32_t id;
		pid_t pid;
		char c;
		int s;

		setup_root_head();
		s = uevents_open();
		igt_assert_eq(pipe2(lit, O_CLOEXEC), 0);
		lessee = lease(&head, &id);
		pid = vsplit_fork();
		if (!pid)
			flip_until_revoked(&lessee, lit[1]);
		close(lit[1]);
		igt_assert_eq(read(lit[0], &c, 1), 1);
		usleep(10000 * i);
		igt_assert_eq(drmModeRevokeLease(head.fd, id), 0);
		igt_assert_eq(vsplit_reap(pid), 0);
		was_told(s);
		close(lessee.fd);
		igt_assert(vsplit_soon(was_told_of(s, "LEASE=1", "SUBSYSTEM=drm")));
		close(s);
		close(lit[0]);
		new_fbs(&head);
		head_on(&head, &fbs[0]);
		expect(__head_flip(&head, &fbs[1], 0, NULL), 0);
		head_off(&head);
		vsplit_cleanup();
	}
}

/* Turns its head on and off in different modes; ends the process. */
static void set_modes(struct head *lessee)
{
	new_fbs(lessee);
	for (unsigned int i = 0; i < vsplit_rounds(8, 100); i++) {
		lessee->mode.clock = 288 + 100 * (i % 3);
		head_on(lessee, &fbs[0]);
		expect(__head_flip(lessee, &fbs[1], 0, NULL), 0);
		if (i % 2)
			head_off(lessee);
	}
	_exit(0);
}

/**
 * SUBTEST: modesets-at-once
 * Description: Eight clients set modes, flip and go dark, each on a head that it has leased.
 */
static void test_at_once(void)
{
	struct head heads[8], lessees[8];
	pid_t pids[8];
	uint32_t id;

	setup_heads(8);
	for (unsigned int i = 0; i < 8; i++) {
		head_open(&heads[i], i);
		lessees[i] = lease(&heads[i], &id);
	}
	for (unsigned int i = 0; i < 8; i++) {
		pids[i] = vsplit_fork();
		if (!pids[i])
			set_modes(&lessees[i]);
	}
	for (unsigned int i = 0; i < 8; i++) {
		igt_assert_eq(vsplit_reap(pids[i]), 0);
		close(lessees[i].fd);
	}
}

/**
 * SUBTEST: dark-without-memory
 * Description: The adapter is removed while a head is lit, and each allocation on the way fails in
 *   turn. The head goes dark all the same, and nothing of it is left.
 */
static void test_dark(void)
{
	int references = vsplit_module_references();
	unsigned int n, step = vsplit_nightly() ? 1 : 3;
	bool fired = true;

	vsplit_inject_require(VSPLIT_INJECT_KERNEL);
	for (n = 1; fired; n += step) {
		igt_assert_f(n < 1000, "there is no end to the failures\n");
		setup_root_head();
		new_fbs(&head);
		head_on(&head, &fbs[0]);
		vsplit_inject_arm(VSPLIT_INJECT_KERNEL, n);
		expect(__vsplit_adapter_write(ad, "enable", "0"), 0);
		fired = vsplit_inject_disarm(VSPLIT_INJECT_KERNEL, NULL);
		vsplit_cleanup();
		igt_assert_f(vsplit_soon(vsplit_module_references() <= references),
			     "failure %u: something is left\n", n);
	}
}

/* On another adapter: half a minute of work, which nothing waits for there. Returns its fence. */
static int late_fence(int file, uint32_t late)
{
	int fence;

	cs = vsplit_cs(file);
	for (unsigned int i = 0; i < 3000; i++)
		vsplit_cs_spin(cs, 10000);
	vsplit_cs_submit(cs, late, 0);
	igt_assert_eq(drmSyncobjExportSyncFile(file, cs->out, &fence), 0);
	return fence;
}

static void hear(int signal)
{
}

/* In a child: removes the adapter, whose head has a flip that waits for @another adapter. */
static void remove_under_flip(struct vsplit_adapter *another)
{
	const struct sigaction act = { .sa_handler = hear };
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int file = vsplit_adapter_open(another), fence;
	uint32_t late = vsplit_ctx(file, 0);

	igt_assert_eq(sigaction(SIGUSR1, &act, NULL), 0);
	head_open(&head, 0);
	new_fbs(&head);
	head_on(&head, &fbs[0]);
	fence = late_fence(file, late);
	prop_set(req, head.fd, head.primary, "FB_ID", fbs[1].id);
	prop_set(req, head.fd, head.primary, "IN_FENCE_FD", fence);
	expect(commit(&head, req, DRM_MODE_ATOMIC_NONBLOCK, NULL), 0);
	close(fence);
	expect(__vsplit_adapter_write(ad, "enable", "0"), 0);
	igt_assert_eq(vsplit_ctx_state(file, late, NULL), VSPLIT_STATE_LOST_HANG);
	_exit(0);
}

/**
 * SUBTEST: dark-after-a-signal
 * Description: A client removes its adapter while a flip waits for the client's own work on another
 *   adapter, which does not end; and it gets a signal meanwhile. That work gets a timeout, the head
 *   goes dark all the same, and nothing of the adapter is left.
 */
static void test_signal(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 } },
		.slots = 16,
		.timeout_ms = 300,
	};
	int references = vsplit_module_references();
	struct vsplit_adapter *another;
	bool held;
	pid_t pid;

	vsplit_require_sync_points();
	setup_heads(1);
	another = vsplit_adapter_create(&opts);
	vsplit_hold("drv.unplug");
	pid = vsplit_fork();
	if (!pid)
		remove_under_flip(another);
	held = vsplit_wait_held("drv.unplug");
	kill(pid, SIGUSR1);
	vsplit_release("drv.unplug");
	igt_assert(held);
	igt_assert_eq(vsplit_reap(pid), 0);
	vsplit_cleanup();
	igt_assert(vsplit_soon(vsplit_module_references() <= references));
}

static void *unload_soon(void *arg)
{
	int *unloaded = arg;

	__atomic_store_n(unloaded, vsplit_module_unload_soon(), __ATOMIC_RELEASE);
	return NULL;
}

static void unload_under(const char *point)
{
	int unloaded = 1;
	pthread_t thread;
	bool held, early;

	igt_require(getenv("VSPLIT_KO"));
	vsplit_require_sync_points();
	setup_head(&head);
	new_fbs(&head);
	head_on(&head, &fbs[0]);
	vsplit_catch(point);
	if (strcmp(point, "kms.written"))
		expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_NONBLOCK, NULL), 0);
	else
		shoot(&head, NULL, &fbs[1]);
	held = vsplit_wait_held(point);
	vsplit_cleanup();
	igt_assert_eq(pthread_create(&thread, NULL, unload_soon, &unloaded), 0);
	/* A module that is about to go has no hooks any more. The commit goes on after ten seconds. */
	usleep(3000000);
	early = __atomic_load_n(&unloaded, __ATOMIC_ACQUIRE) <= 0;
	pthread_join(thread, NULL);
	igt_assert(held);
	igt_assert_f(!unloaded, "unloading: %s\n", strerror(-unloaded));
	igt_assert_eq(vsplit_module_load(""), 0);
	igt_assert_f(!early, "the module was unloaded under %s\n", point);
}

/**
 * SUBTEST: unloaded-before-the-last-commit-is-over
 * Description: Adapter, files and fences are gone, and a commit of a head is still giving up what it
 *   has replaced, or a writeback what it has written. Unloading the module waits for that.
 */
static void test_unload(void)
{
	unload_under("kms.cleanup");
	unload_under("kms.written");
}

static const struct vsplit_subtest tests[] = {
	{ "monitor", test_monitor,
	  "A monitor is disconnected or connected: the connector's status changes, and udev gets "
	  "an event" },
	{ "another-monitor", test_another,
	  "An EDID that is written to DRM's edid_override in debugfs replaces the head's own, and "
	  "gives other modes" },
	{ "monitor-goes-under-flips", test_under_flips,
	  "A head shows flips while its monitor is disconnected and connected: only its client "
	  "ends them" },
	{ "revoked", test_revoked,
	  "When a lease is revoked under flips, the client's call fails, and the head belongs to "
	  "its owner again" },
	{ "modesets-at-once", test_at_once,
	  "Eight clients set modes, flip and go dark, each on a head that it has leased" },
	{ "dark-without-memory", test_dark,
	  "The adapter is removed while a head is lit, and each allocation on the way fails in "
	  "turn. The head goes dark all the same, and nothing of it is left." },
	{ "dark-after-a-signal", test_signal,
	  "A signal comes while a process removes an adapter whose head has a flip that waits for "
	  "another adapter. The head goes dark all the same." },
	{ "unloaded-before-the-last-commit-is-over", test_unload,
	  "Unloading the module waits for a worker that gives up what the last commit replaced" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
