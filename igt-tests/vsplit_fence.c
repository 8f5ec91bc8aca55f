// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit fence
 * Description: Monitored fences: values that processors and engines raise and wait for, even before
 *   there is any work that raises them: EXT-48; Documentation/residency.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: synchronisation
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_setup.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Monitored fences: values that processors and engines raise and wait for, "
		     "even before there is any work that raises them: EXT-48; "
		     "Documentation/residency.rst has the table.");

#define U 16384ull
#define PAGE 4096

struct fence {
	int fd;
	uint32_t handle;
	const volatile uint64_t *value;
};

/* An adapter with sixteen units of memory. */
static void setup(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U } }, .slots = 16, .engines = 2,
		.contexts = "patch,explicit,va",
	};

	setup_opts(&opts);
}

static int __create(uint64_t value, struct drm_vsplit_fence_create *args)
{
	*args = (struct drm_vsplit_fence_create) { .value = value };
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_CREATE, args);
}

static struct fence mapped(int file, uint32_t handle, uint64_t offset)
{
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, offset);

	igt_assert(handle);
	igt_assert(map != MAP_FAILED);
	return (struct fence) { file, handle, map };
}

static struct fence fence(uint64_t value)
{
	struct drm_vsplit_fence_create args;

	igt_assert_eq(__create(value, &args), 0);
	return mapped(fd, args.handle, args.offset);
}

static int __signal(struct fence f, uint64_t value)
{
	return __vsplit_fence_signal(f.fd, f.handle, value);
}

static int __destroy(struct fence f)
{
	return __vsplit_fence_destroy(f.fd, f.handle);
}

static int __wait(struct fence f, uint64_t value, int64_t ms)
{
	struct drm_vsplit_fence_wait args = {
		.handle = f.handle, .value = value,
		.timeout_ns = ms ? vsplit_now_ns() + ms * 1000000 : 0,
	};

	return __vsplit_ioctl(f.fd, DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
}

static int __event(struct fence f, uint64_t value, int eventfd)
{
	struct drm_vsplit_fence_wait args = {
		.handle = f.handle, .value = value, .flags = VSPLIT_FENCE_WAIT_EVENTFD,
		.fd = eventfd,
	};

	return __vsplit_ioctl(f.fd, DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
}

/* How often the eventfd was signalled since the last call. */
static uint64_t events(int eventfd)
{
	uint64_t n = 0;

	if (read(eventfd, &n, sizeof(n)) < 0)
		igt_assert_eq(errno, EAGAIN);
	return n;
}

static void gpu_signal(struct vsplit_cs *c, struct fence f, uint64_t value)
{
	vsplit_cs_signal_fence(c, f.handle, value);
}

static void gpu_wait(struct vsplit_cs *c, struct fence f, uint64_t value)
{
	vsplit_cs_wait_fence(c, f.handle, value);
}

/* ---- the value ---------------------------------------------------------- */

/**
 * SUBTEST: ext-48-value
 * Description: The page shows the value. A processor can raise the value, and nothing lowers it.
 */
static void test_value(void)
{
	struct fence f;

	setup();
	f = fence(7);
	igt_assert_eq_u64(*f.value, 7);
	igt_assert_eq(__signal(f, 9), 0);
	igt_assert_eq_u64(*f.value, 9);
	igt_assert_eq(__signal(f, 8), 0);
	igt_assert_eq_u64(*f.value, 9);
	igt_assert_eq(__signal(f, UINT64_MAX), 0);
	igt_assert_eq_u64(*f.value, UINT64_MAX);
	igt_assert_eq(__wait(f, UINT64_MAX, 0), 0);
}

/**
 * SUBTEST: read-only
 * Description: The client cannot write the page, through any mapping. The page stays after the
 *   handle is closed.
 */
static void test_read_only(void)
{
	struct drm_vsplit_fence_create args;
	const uint64_t other = 5;
	struct fence f;
	void *map;
	int mem;

	setup();
	f = fence(3);
	igt_assert_eq(__create(4, &args), 0);
	errno = 0;
	igt_assert(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.offset) ==
		   MAP_FAILED && errno == EACCES);
	igt_assert(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, args.offset) ==
		   MAP_FAILED && errno == EACCES);
	igt_assert(mprotect((void *)f.value, PAGE, PROT_READ | PROT_WRITE) && errno == EACCES);
	map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, args.offset);
	igt_assert(map != MAP_FAILED);
	igt_assert(mprotect(map, PAGE, PROT_READ | PROT_WRITE) && errno == EACCES);
	igt_assert_eq_u64(*(uint64_t *)map, 4);
	/* As a debugger writes. */
	mem = open("/proc/self/mem", O_RDWR);
	igt_assert(pwrite(mem, &other, sizeof(other), (uintptr_t)f.value) < 0);
	igt_assert(pwrite(mem, &other, sizeof(other), (uintptr_t)map) < 0);
	close(mem);
	igt_assert_eq_u64(*f.value, 3);
	igt_assert(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, args.offset) == MAP_FAILED &&
		   errno == EINVAL);
	igt_assert_eq(__destroy(f), 0);
	igt_assert_eq_u64(*f.value, 3);
	igt_assert_eq(__destroy(f), -ENOENT);
	/* The offset of another file's fence. */
	igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, vsplit_adapter_open(ad), args.offset) ==
		   MAP_FAILED && errno == ENOENT);
	munmap(map, PAGE);
	munmap((void *)f.value, PAGE);
}

/**
 * SUBTEST: ext-48-gpu-signal
 * Description: A packet raises the fence when the commands before it are done, not at the end of
 *   its buffer.
 */
static void test_gpu_signal(void)
{
	struct vsplit_bo *bo;
	struct fence f;

	setup();
	f = fence(0);
	bo = vsplit_bo(fd, 'A', U);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, U, 0x12345678);
	gpu_signal(cs, f, 1);
	vsplit_cs_spin(cs, 200000);
	gpu_signal(cs, f, 0x500000000ull);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__wait(f, 1, VSPLIT_SOON_MS), 0);
	vsplit_cs_reference(cs, 0);
	vsplit_bo_check(bo);
	igt_assert_eq(__wait(f, 2, VSPLIT_SOON_MS), 0);
	igt_assert_eq_u64(*f.value, 0x500000000ull);
	vsplit_cs_wait(cs);
	/* If the fence is destroyed before the packet is executed, nothing happens. */
	vsplit_cs_reset(cs);
	vsplit_cs_spin(cs, 20000);
	gpu_signal(cs, f, UINT64_MAX);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__destroy(f), 0);
	vsplit_cs_wait(cs);
}

/* ---- waiting by the processor ------------------------------------------- */

struct waiter {
	pthread_t thread;
	struct fence f;
	uint64_t value;
	int ret;
};

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;

	w->ret = __wait(w->f, w->value, VSPLIT_SOON_MS);
	return NULL;
}

static void start(struct waiter *w, struct fence f, uint64_t value)
{
	w->f = f;
	w->value = value;
	igt_assert_eq(pthread_create(&w->thread, NULL, wait_thread, w), 0);
}

static int end(struct waiter *w)
{
	pthread_join(w->thread, NULL);
	return w->ret;
}

/**
 * SUBTEST: ext-48-wait-before-signal
 * Description: A processor waits for a value that no work exists yet to raise; it is raised in
 *   time, or not.
 */
static void test_wait(void)
{
	struct waiter w[3];
	struct fence f;

	setup();
	f = fence(0);
	igt_assert_eq(__wait(f, 1, 0), -ETIME);
	igt_assert_eq(__wait(f, 1, 20), -ETIME);
	start(&w[0], f, 1);
	start(&w[1], f, 2);
	start(&w[2], f, 3);
	igt_assert_eq(__signal(f, 1), 0);
	igt_assert_eq(end(&w[0]), 0);
	gpu_signal(cs, f, 3);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(end(&w[1]), 0);
	igt_assert_eq(end(&w[2]), 0);
	igt_assert_eq(__wait(f, 3, 0), 0);
	/* Destroying the fence ends the wait. */
	start(&w[0], f, 4);
	igt_assert_eq(__destroy(f), 0);
	igt_assert(end(&w[0]) == -ECANCELED || w[0].ret == -ENOENT);
	igt_assert_eq(__wait(f, 1, 0), -ENOENT);
}

static void on_alarm(int signal)
{
}

/**
 * SUBTEST: interrupted
 * Description: A signal to the process interrupts a wait.
 */
static void test_interrupted(void)
{
	struct sigaction act = { .sa_handler = on_alarm }, old;
	const struct itimerval soon = { .it_value = { .tv_usec = 50000 },
					.it_interval = { .tv_usec = 50000 } };
	struct drm_vsplit_fence_wait args = { .value = 1, .timeout_ns = INT64_MAX };

	setup();
	args.handle = fence(0).handle;
	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &soon, NULL);
	igt_assert_eq(__vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_FENCE_WAIT, &args), -EINTR);
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	sigaction(SIGALRM, &old, NULL);
}

/**
 * SUBTEST: ext-48-eventfd
 * Description: An eventfd is signalled once, when the fence reaches its value, whatever other waits
 *   there are; at once if the value has been reached; and when the fence is destroyed. As many
 *   eventfds may wait as the limit says, even if all are the same file.
 */
static void test_eventfd(void)
{
	struct fence f, first;
	int e1, e2, many;

	setup();
	first = f = fence(5);
	e1 = eventfd(0, EFD_NONBLOCK);
	e2 = eventfd(0, EFD_NONBLOCK);
	many = eventfd(0, EFD_NONBLOCK);
	igt_assert_eq(__event(f, 5, e1), 0);
	igt_assert_eq_u64(events(e1), 1);
	igt_assert_eq(__event(f, 7, e2), 0);
	igt_assert_eq(__event(f, 6, e1), 0);
	igt_assert_eq_u64(events(e1) + events(e2), 0);
	igt_assert_eq(__signal(f, 6), 0);
	igt_assert_eq_u64(events(e1), 1);
	igt_assert_eq_u64(events(e2), 0);
	gpu_signal(cs, f, 8);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(poll(&(struct pollfd){ e2, POLLIN, 0 }, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq_u64(events(e2), 1);
	igt_assert_eq_u64(events(e1), 0);

	igt_assert_eq(__event(f, 9, -1), -EBADF);
	igt_assert_eq(__event(f, 9, fd), -EINVAL);
	for (unsigned int i = 0; i < VSPLIT_MAX_FENCE_EVENTS; i++)
		igt_assert_eq(__event(f, 9, many), 0);
	igt_assert_eq(__event(f, 9, e1), -ENOSPC);
	igt_assert_eq(__signal(f, 9), 0);
	igt_assert_eq_u64(events(many), VSPLIT_MAX_FENCE_EVENTS);
	igt_assert_eq(__event(f, 10, e1), 0);
	/* Closing an eventfd before it is signalled does no harm. */
	igt_assert_eq(__event(f, 10, many), 0);
	close(many);
	igt_assert_eq(__destroy(f), 0);
	igt_assert_eq_u64(events(e1), 1);
	vsplit_cs_wait(cs);
	/* A fence of a file that is closed. */
	f = fence(0);
	igt_assert_eq(__event(f, 1, e1), 0);
	munmap((void *)f.value, PAGE);
	munmap((void *)first.value, PAGE);
	vsplit_cleanup_file(fd);
	igt_assert_eq_u64(events(e1), 1);
	close(e1);
	close(e2);
}

/**
 * SUBTEST: limit
 * Description: A file can have as many fences as the limit says. Each fence is charged to its user.
 */
static void test_limit(void)
{
	uint64_t before;
	struct drm_vsplit_fence_create args;
	struct drm_vsplit_fence_destroy end;

	setup();
	before = vsplit_fdinfo(fd, "vsplit-user-allocations:");
	for (unsigned int i = 0; i < VSPLIT_MAX_FILE_FENCES; i++)
		igt_assert_eq(__create(0, &args), 0);
	end.handle = args.handle;
	end.pad = 0;
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-fences:"), VSPLIT_MAX_FILE_FENCES);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-user-allocations:") - before,
			  VSPLIT_MAX_FILE_FENCES * PAGE / 1024);
	igt_assert_eq(__create(0, &args), -ENOSPC);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_DESTROY, &end), 0);
	igt_assert_eq(__create(0, &args), 0);
	/* Handles are not used again at once. */
	igt_assert_neq(args.handle, end.handle);
}

/**
 * SUBTEST: unplugged
 * Description: When the adapter is removed, all waits end. The value can still be read.
 */
static void test_unplugged(void)
{
	int e = eventfd(0, EFD_NONBLOCK);
	struct waiter w;
	struct fence f;

	setup();
	f = fence(5);
	igt_assert_eq_u64(*f.value, 5);
	igt_assert_eq(__event(f, 6, e), 0);
	start(&w, f, 6);
	vsplit_adapter_disable(ad);
	igt_assert_eq(end(&w), -ENODEV);
	igt_assert_eq_u64(events(e), 1);
	igt_assert_eq(__signal(f, 7), -ENODEV);
	igt_assert_eq_u64(*f.value, 5);
	close(e);
}

/* ---- shared ------------------------------------------------------------- */

static int __export(struct fence f)
{
	struct drm_vsplit_fence_export args = { .handle = f.handle };

	return __vsplit_ioctl(f.fd, DRM_IOCTL_VSPLIT_FENCE_EXPORT, &args) ?: args.fd;
}

static int __import(int to, int exported, struct drm_vsplit_fence_import *args)
{
	*args = (struct drm_vsplit_fence_import) { .fd = exported };
	return __vsplit_ioctl(to, DRM_IOCTL_VSPLIT_FENCE_IMPORT, args);
}

static struct fence import(int to, int exported)
{
	struct drm_vsplit_fence_import args;

	igt_assert_eq(__import(to, exported, &args), 0);
	return mapped(to, args.handle, args.offset);
}

/* Imports the fence into another file. */
static struct fence shared(int to, struct fence f)
{
	int exported = __export(f);
	struct fence g;

	igt_assert_lte(0, exported);
	igt_assert(fcntl(exported, F_GETFD) & FD_CLOEXEC);
	g = import(to, exported);
	close(exported);
	return g;
}

/* Submits a buffer of the fence's file that waits for @value. */
static struct vsplit_cs *parked(struct fence f, uint64_t value)
{
	struct vsplit_cs *c = vsplit_cs(f.fd);

	gpu_wait(c, f, value);
	vsplit_cs_nop(c, 8);
	vsplit_cs_submit(c, vsplit_ctx(f.fd, 0), 0);
	return c;
}

/**
 * SUBTEST: ext-48-shared
 * Description: Files of one adapter and of another share a fence. If a processor or engine of any
 *   of them raises it, all see the value, and waits of tasks, eventfds and buffers end in each
 *   file.
 */
static void test_shared(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U } }, .contexts = "patch,explicit,va",
	};
	struct vsplit_cs *buffers[2];
	struct fence f, g, h;
	struct waiter w[3];
	int e;

	setup();
	f = fence(3);
	g = shared(vsplit_adapter_open(ad), f);
	h = shared(vsplit_adapter_open(vsplit_adapter_create(&opts)), g);
	igt_assert_eq_u64(*g.value, 3);
	igt_assert_eq_u64(*h.value, 3);
	e = eventfd(0, EFD_NONBLOCK);
	igt_assert_eq(__event(g, 4, e), 0);
	start(&w[0], f, 4);
	start(&w[1], g, 4);
	start(&w[2], h, 4);
	buffers[0] = parked(g, 4);
	buffers[1] = parked(h, 5);
	igt_assert_eq_u64(events(e), 0);
	/* Raised by an engine of the first file. */
	gpu_signal(cs, f, 4);
	vsplit_cs_submit(cs, ctx, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(w); i++)
		igt_assert_eq(end(&w[i]), 0);
	igt_assert(vsplit_soon(events(e)));
	igt_assert_eq(vsplit_cs_result(buffers[0]), 0);
	igt_assert_eq_u64(*h.value, 4);
	/* Raised by the processor, through the last handle. */
	igt_assert_eq(__signal(h, 5), 0);
	igt_assert_eq(vsplit_cs_result(buffers[1]), 0);
	igt_assert_eq_u64(*f.value, 5);
	igt_assert_eq_u64(*g.value, 5);
	igt_assert_eq(__wait(f, 5, 0), 0);
	close(e);
}

/**
 * SUBTEST: ext-48-shared-ends
 * Description: Waits through a handle end with that handle, its file or its adapter. Waits through
 *   other handles go on until the value is reached. A file descriptor alone keeps the value.
 */
static void test_shared_ends(void)
{
	const struct vsplit_adapter_opts opts = { .segs = { { "vram", .size = 16 * U } } };
	struct vsplit_adapter *gone;
	struct fence f, g, h;
	struct vsplit_cs *c;
	struct waiter w[3];
	int file, exported;

	setup();
	f = fence(0);
	file = vsplit_adapter_open(ad);
	g = shared(file, f);
	gone = vsplit_adapter_create(&opts);
	h = shared(vsplit_adapter_open(gone), f);
	/* A handle is destroyed. */
	start(&w[0], f, 1);
	start(&w[1], g, 1);
	start(&w[2], h, 9);
	c = parked(f, 1);
	igt_assert_eq(__destroy(f), 0);
	igt_assert(end(&w[0]) == -ECANCELED || w[0].ret == -ENOENT);
	igt_assert_eq(vsplit_cs_result(c), -ECANCELED);
	/* An adapter is removed. */
	vsplit_adapter_disable(gone);
	igt_assert_eq(end(&w[2]), -ENODEV);
	igt_assert_eq(__signal(g, 1), 0);
	igt_assert_eq(end(&w[1]), 0);
	igt_assert_eq_u64(*f.value, 1);
	igt_assert_eq_u64(*h.value, 1);
	/* A file is closed with its waits. */
	f = shared(fd, g);
	exported = __export(g);
	igt_assert_lte(0, exported);
	parked(g, 7);
	vsplit_cleanup_file(file);
	igt_assert_eq(__signal(f, 3), 0);
	igt_assert_eq_u64(*g.value, 3);
	igt_assert_eq(__destroy(f), 0);
	/* Only the descriptor still has the fence. */
	f = import(fd, exported);
	igt_assert_eq_u64(*f.value, 3);
	igt_assert_eq(__signal(f, 4), 0);
	igt_assert_eq_u64(*g.value, 4);
	close(exported);
}

/**
 * SUBTEST: shared-errors
 * Description: A file that is no fence cannot be imported. The number of handles of a fence is
 *   limited, and a destroyed handle makes room for another one.
 */
static void test_shared_errors(void)
{
	struct fence f, last = {};
	struct drm_vsplit_fence_import args;
	int exported, e = eventfd(0, 0), file;

	setup();
	f = fence(0);
	exported = __export(f);
	igt_assert_lte(0, exported);
	igt_assert_eq(__export((struct fence){ .fd = fd, .handle = f.handle + 1 }), -ENOENT);
	igt_assert_eq(__export((struct fence){ .fd = fd }), -ENOENT);
	file = vsplit_adapter_open(ad);
	igt_assert_eq(__export((struct fence){ .fd = file, .handle = f.handle }), -ENOENT);
	igt_assert_eq(__import(fd, -1, &args), -EBADF);
	igt_assert_eq(__import(fd, e, &args), -EINVAL);
	igt_assert_eq(__import(fd, fd, &args), -EINVAL);
	close(e);
	igt_assert_eq(__import(fd, e, &args), -EBADF);
	for (unsigned int i = 1; i < VSPLIT_MAX_FENCE_SHARES; i++)
		last = import(i % 2 ? file : fd, exported);
	igt_assert_eq(__import(file, exported, &args), -ENOSPC);
	/* A handle counts as long as its page is mapped, even after it was destroyed. */
	igt_assert_eq(__destroy(last), 0);
	igt_assert_eq(__import(file, exported, &args), -ENOSPC);
	munmap((void *)last.value, PAGE);
	igt_assert_eq(__import(file, exported, &args), 0);
	igt_assert_eq(__signal(f, 1), 0);
	igt_assert_eq(__wait((struct fence){ .fd = file, .handle = args.handle }, 1, 0), 0);
	close(exported);
}

/* How often the task @tid has slept. */
static unsigned long sleeps(pid_t tid)
{
	unsigned long nr;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "r");
	igt_assert(f);
	while (fscanf(f, "voluntary_ctxt_switches: %lu", &nr) != 1)
		igt_assert_lte(0, fscanf(f, "%*[^\n] "));
	fclose(f);
	return nr;
}

static _Atomic pid_t waiting_tid;

static void *sleeping_thread(void *arg)
{
	waiting_tid = gettid();
	return (void *)(intptr_t)__wait(*(struct fence *)arg, 1000, VSPLIT_SOON_MS);
}

/**
 * SUBTEST: tasks-sleep-until-it-is-reached
 * Description: A task that waits is not woken by values below its own. Otherwise clients could
 *   decide how much an engine has to do when it raises a value: by how often they raise it, and how
 *   many tasks wait.
 */
static void test_sleeps(void)
{
	unsigned long before;
	struct fence f;
	pthread_t thread;
	void *ret;

	setup();
	f = fence(0);
	igt_assert_eq(pthread_create(&thread, NULL, sleeping_thread, &f), 0);
	igt_assert(vsplit_soon(waiting_tid && vsplit_task_state(waiting_tid) == 'S'));
	/* Its state is S shortly before it sleeps: wait until the sleep is counted. */
	usleep(100000);
	before = sleeps(waiting_tid);
	for (unsigned int i = 1; i < 20; i++) {
		igt_assert_eq(__signal(f, i), 0);
		usleep(10000);
	}
	igt_assert_eq(sleeps(waiting_tid), before);
	igt_assert_eq(__signal(f, 1000), 0);
	pthread_join(thread, &ret);
	igt_assert(!ret);
}

/**
 * SUBTEST: told-beside-others
 * Description: To signal an eventfd may take long, as its waiters decide. Meanwhile the engine that
 *   has raised the value executes other programs, and the value can be raised further.
 */
static void test_told(void)
{
	struct fence f;
	int e;

	vsplit_require_sync_points();
	setup();
	f = fence(0);
	e = eventfd(0, EFD_NONBLOCK);
	igt_assert_eq(__event(f, 1, e), 0);
	vsplit_hold("fence.send");
	gpu_signal(cs, f, 1);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(vsplit_wait_held("fence.send"));
	vsplit_cs_wait(cs);
	vsplit_cs_reset(cs);
	gpu_signal(cs, f, 2);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	igt_assert_eq(__signal(f, 3), 0);
	igt_assert_eq(__wait(f, 3, 0), 0);
	igt_assert_eq_u64(events(e), 0);
	igt_assert(vsplit_held("fence.send"));
	vsplit_release("fence.send");
	igt_assert(vsplit_soon(events(e) == 1));
	close(e);
}

/**
 * SUBTEST: told-by-a-killed-task
 * Description: A task that raises a value signals the eventfds that wait, of all files that share
 *   the value, and there may always be more. If the task is killed, it ends; the other eventfds are
 *   signalled all the same.
 */
static void test_told_by_killed(void)
{
	struct fence f;
	int e[2];
	pid_t pid;

	vsplit_require_sync_points();
	setup();
	f = fence(0);
	for (unsigned int i = 0; i < 2; i++) {
		e[i] = eventfd(0, EFD_NONBLOCK);
		igt_assert_eq(__event(f, 1 + i, e[i]), 0);
	}
	vsplit_hold("fence.send");
	pid = vsplit_fork();
	if (!pid)
		_exit(!!__signal(f, 2));
	igt_assert(vsplit_wait_held("fence.send"));
	kill(pid, SIGKILL);
	igt_assert_eq(vsplit_reap(pid), SIGKILL);
	igt_assert_eq_u64(events(e[0]), 1);
	igt_assert(vsplit_wait_held("fence.send"));
	igt_assert_eq_u64(events(e[1]), 0);
	vsplit_release("fence.send");
	igt_assert(vsplit_soon(events(e[1]) == 1));
	close(e[0]);
	close(e[1]);
}

/**
 * SUBTEST: tells-as-many-as-one-file-has
 * Description: Two files share a fence, and both have as many eventfds as a file may have. A call
 *   that raises the value signals as many as one file may have. The others are signalled later.
 */
static void test_tells_few(void)
{
	enum { MOST = VSPLIT_MAX_FENCE_EVENTS };
	int first = eventfd(0, EFD_NONBLOCK), many = eventfd(0, EFD_NONBLOCK);
	struct fence f, g;
	uint64_t told;

	vsplit_require_sync_points();
	setup();
	f = fence(0);
	g = shared(vsplit_adapter_open(ad), f);
	igt_assert_eq(__event(f, 1, first), 0);
	for (unsigned int i = 0; i < MOST; i++) {
		igt_assert_eq(__event(g, 2, many), 0);
		if (i)
			igt_assert_eq(__event(f, 2, many), 0);
	}
	/* The worker that signals the others is held with what an engine has left to it. */
	vsplit_catch("fence.send");
	gpu_signal(cs, f, 1);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(vsplit_wait_held("fence.send"));
	igt_assert_eq(__signal(f, 2), 0);
	told = events(many);
	igt_assert(vsplit_held("fence.send"));
	igt_assert_eq_u64(told, MOST);
	vsplit_release("fence.send");
	igt_assert(vsplit_soon((told += events(many)) == 2 * MOST - 1));
	igt_assert_eq_u64(events(first), 1);
	close(first);
	close(many);
}

/* ---- waiting by the GPU ------------------------------------------------- */

/**
 * SUBTEST: packets
 * Description: Packets with fences that do not exist, and waits that are not the first packets, are
 *   refused.
 */
static void test_packets(void)
{
	struct fence f;

	setup();
	f = fence(1);
	vsplit_cs_signal_fence(cs, f.handle + 1, 1);
	vsplit_cs_refused(cs, ctx, 0, -ENOENT);
	vsplit_cs_reset(cs);
	vsplit_cs_signal_fence(cs, 0, 1);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	vsplit_cs_reset(cs);
	vsplit_cs_nop(cs, 8);
	gpu_wait(cs, f, 1);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	vsplit_cs_reset(cs);
	gpu_signal(cs, f, 1);
	gpu_wait(cs, f, 1);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	vsplit_cs_reset(cs);
	vsplit_cs_wait_fence(cs, f.handle + 1, 1);
	vsplit_cs_refused(cs, ctx, 0, -ENOENT);
}

static const struct vsplit_subtest subtests[] = {
	{ "ext-48-value", test_value,
	  "The page shows the value. A processor can raise the value, and nothing lowers it." },
	{ "read-only", test_read_only,
	  "The client cannot write the page, through any mapping. The page stays after the handle "
	  "is closed." },
	{ "ext-48-gpu-signal", test_gpu_signal,
	  "A packet raises the fence when the commands before it are done, not at the end of its "
	  "buffer" },
	{ "ext-48-wait-before-signal", test_wait,
	  "A processor waits for a value that no work exists yet to raise; it is raised in time, "
	  "or not" },
	{ "interrupted", test_interrupted, "A signal to the process interrupts a wait" },
	{ "ext-48-eventfd", test_eventfd,
	  "An eventfd is signalled once, when the fence reaches its value, whatever other waits "
	  "there are; at once if the value has been reached; and when the fence is destroyed" },
	{ "limit", test_limit,
	  "A file can have as many fences as the limit says. Each fence is charged to its user." },
	{ "unplugged", test_unplugged,
	  "When the adapter is removed, all waits end. The value can still be read." },
	{ "ext-48-shared", test_shared,
	  "Files of one adapter and of another share a fence: all see its value, and waits in each "
	  "file end" },
	{ "ext-48-shared-ends", test_shared_ends,
	  "Waits through a handle end with that handle, its file or its adapter" },
	{ "shared-errors", test_shared_errors,
	  "A file that is no fence cannot be imported. The number of handles of a fence is "
	  "limited, and a destroyed handle makes room for another one." },
	{ "tasks-sleep-until-it-is-reached", test_sleeps,
	  "A task that waits is not woken by values below its own" },
	{ "told-beside-others", test_told,
	  "To signal an eventfd may take long, as its waiters decide" },
	{ "told-by-a-killed-task", test_told_by_killed,
	  "A task that raises a value signals the eventfds that wait, of all files that share "
	  "the value, and there may always be more. If the task is killed, it ends; the other "
	  "eventfds are signalled all the same." },
	{ "tells-as-many-as-one-file-has", test_tells_few,
	  "A call that raises a value signals as many eventfds as one file may have; the others "
	  "are signalled later" },
	{ "packets", test_packets,
	  "Packets with fences that do not exist, and waits that are not the first packets, are "
	  "refused" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
