// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit pci
 * Description: Adapters that are PCI devices: video memory behind a BAR, and operations of the bus
 *   on a device.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: PCI
 * Test category: functionality test
 *
 * The tests need a PCI device, as "vm/run --pci --params test=1" makes it, and skip without one.
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_memory.h"
#include "igt_vsplit_pci.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Adapters that are PCI devices: video memory behind a BAR, and operations of "
		     "the bus on a device.");

#define MODULE	"/sys/module/vsplit"
#define PAGE	4096ull

static void require_test_mode(const struct pci_function *dev)
{
	struct drm_vsplit_adapter_info info;

	vsplit_query_adapter(dev->fd, &info);
	igt_require_f(info.caps & VSPLIT_CAP_TEST, "needs test=1\n");
}

/* ---- the BAR, as others see it ------------------------------------------ */

/* Maps the device's memory through the bus, not through the driver. */
static volatile uint32_t *map_bar(const struct pci_function *dev)
{
	char path[96];
	void *map;
	int file;

	pci_attribute(path, sizeof(path), dev->name, "resource2");
	file = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_fd(file);
	map = mmap(NULL, dev->bar_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	igt_require_f(map != MAP_FAILED, "this kernel does not let a process map the BAR of a bound device\n");
	return map;
}

/*
 * Checks that the allocation, by its place alone, is where SEG-2 says: its words are there, and
 * words written through the bus are visible in the CPU's mapping of the allocation.
 */
static void check_address(const struct pci_function *dev, const struct vsplit_bo *bo)
{
	volatile uint32_t *bar = map_bar(dev), *word;
	struct drm_vsplit_gem_info info;
	uint32_t was;

	/* This also waits until the bytes are there. */
	vsplit_bo_check(bo);
	vsplit_info(bo, &info);
	igt_assert_eq_u32(info.segment, dev->segment.id);
	word = bar + (dev->segment.cpu_address + info.offset - dev->bar) / 4;
	for (uint64_t at = 0; at < bo->size / 4; at++)
		igt_assert_f(word[at] == ((const uint32_t *)bo->shadow)[at],
			     "%c at %#" PRIx64 ", word %#" PRIx64 " is %#x in the BAR, not %#x\n", bo->name,
			     (uint64_t)info.offset, at, word[at], ((const uint32_t *)bo->shadow)[at]);
	for (uint64_t at = 0; at < bo->size / 4; at += PAGE / 4) {
		was = word[at];
		word[at] = 0xb05b0000 + at;
		igt_assert_eq_u32(((volatile uint32_t *)bo->map)[at], 0xb05b0000 + at);
		word[at] = was;
	}
	munmap((void *)bar, dev->bar_size);
}

/* ---- helpers ------------------------------------------------------------ */

static struct vsplit_bo *bo_in_vram(struct pci_function *dev, char name, uint64_t size,
				    uint32_t flags)
{
	return vsplit_bo_in(dev->fd, name, size, flags, in_first);
}

/* The GPU writes the allocation, and thus brings it into video memory. */
static void gpu_set(struct pci_function *dev, struct vsplit_bo *bo, uint32_t pattern)
{
	struct vsplit_cs *cs = vsplit_cs(dev->fd);

	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, bo->size, pattern);
	vsplit_cs_run(cs, dev->ctx, 0);
	vsplit_cs_free(cs);
}

/* ---- tests -------------------------------------------------------------- */

/**
 * SUBTEST: seg-2-bar-address-plus-offset
 * Description: The segment's CPU address is that of the BAR. The CPU's mapping of an allocation
 *   leads to this address plus the offset in the segment. A read of the BAR through the bus shows
 *   what the GPU wrote there. The same holds after the allocation was paged out, and in at another
 *   offset.
 */
static void test_address(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct drm_vsplit_gem_info was, info;
	struct vsplit_bo *bo[4];

	pci_use(dev);
	require_test_mode(dev);
	igt_assert_eq_u64(dev->segment.cpu_address, dev->bar);
	igt_assert_lte(dev->segment.size, dev->bar_size);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		bo[i] = bo_in_vram(dev, 'A' + i, (i + 1) * 3 * PAGE, i & 1 ? VSPLIT_GEM_TOPDOWN : 0);
		gpu_set(dev, bo[i], 0x1111 * (i + 1));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		check_address(dev, bo[i]);
		vsplit_bo_pattern(bo[i], i);
		check_address(dev, bo[i]);
	}

	/* C takes the place of A, with its bytes. */
	vsplit_info(bo[2], &was);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_EVICT, bo[0]->handle, 0);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_EVICT, bo[2]->handle, 0);
	vsplit_bo_check(bo[2]);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_PAGE_IN, bo[2]->handle, dev->segment.id);
	vsplit_info(bo[2], &info);
	igt_assert(info.offset != was.offset);
	check_address(dev, bo[2]);
}

/**
 * SUBTEST: seg-12-paging-through-the-bar
 * Description: Buffers with four times more allocations than the BAR holds are split. Every byte is
 *   right through pointers that were taken once.
 */
static void test_paging(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct vsplit_bo *bo[12];
	struct vsplit_cs *cs;
	uint64_t size;

	pci_use(dev);
	size = dev->segment.size / 3 / PAGE * PAGE;
	cs = vsplit_cs(dev->fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		bo[i] = bo_in_vram(dev, 'A' + i, size, 0);
		vsplit_bo_pattern(bo[i], i);
		vsplit_cs_group(cs);
		vsplit_cs_bind(cs, i & 1, bo[i]);
		vsplit_cs_set(cs, i & 1, 64 * i, PAGE, 0x77770000 + i);
		if (i)
			vsplit_cs_copy(cs, i & 1, size / 2, !(i & 1), 64, 5 * PAGE);
	}
	for (unsigned int round = 0; round < 2; round++) {
		vsplit_cs_run(cs, dev->ctx, 0);
		if (vsplit_exact())
			igt_assert_lt(1, cs->portions);
		for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
			vsplit_bo_check(bo[i]);
	}
}

/**
 * SUBTEST: binds-by-driver-override-only
 * Description: The driver takes the device through driver_override or new_id, not by itself. It
 *   takes no other device even then.
 */
static void test_override(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct pci_function bridge = { .name = "0000:00:00.0" };
	char path[96];

	if (pci_is_bound(dev))
		pci_unbind(dev);
	__vsplit_write_file(PCI_DRIVER "/remove_id", "1af4 1110");
	pci_write(dev, "driver_override", "\n");
	igt_assert_eq(__vsplit_write_file(PCI_BUS "/drivers_probe", dev->name), 0);
	igt_assert(!pci_is_bound(dev));
	igt_assert_eq(__vsplit_write_file(PCI_DRIVER "/bind", dev->name), -ENODEV);

	igt_assert_eq(__vsplit_write_file(PCI_DRIVER "/new_id", "1af4 1110"), 0);
	igt_assert(pci_is_bound(dev));
	igt_assert_eq(__vsplit_write_file(PCI_DRIVER "/remove_id", "1af4 1110"), 0);
	pci_use(dev);
	vsplit_cleanup();
	pci_unbind(dev);

	pci_attribute(path, sizeof(path), bridge.name, "driver");
	igt_require_f(pci_is_present(&bridge) && access(path, F_OK) != 0, "no device for the rest\n");
	pci_write(&bridge, "driver_override", "vsplit\n");
	__vsplit_write_file(PCI_BUS "/drivers_probe", bridge.name);
	pci_write(&bridge, "driver_override", "\n");
	igt_assert(!pci_is_bound(&bridge));
}

/* Objects of a client whose device goes away while it uses them. */
static struct {
	int fd;
	struct vsplit_bo *bo;
	struct vsplit_cs *busy;
} client;

static void client_start(struct pci_function *dev)
{
	pci_use(dev);
	client.fd = dev->fd;
	client.bo = bo_in_vram(dev, 'A', 64 * PAGE, 0);
	gpu_set(dev, client.bo, 0x5a5a5a5a);
	client.busy = vsplit_cs(dev->fd);
	vsplit_cs_bind(client.busy, 0, client.bo);
	for (unsigned int i = 0; i < 100; i++)
		vsplit_cs_spin(client.busy, 20000);
	vsplit_cs_submit(client.busy, dev->ctx, 0);
}

/* Checks that the client has lost its objects, and that nothing worse happened. */
static void client_lost(void)
{
	struct drm_vsplit_gem_info info;

	igt_assert_eq(__vsplit_info(client.fd, client.bo->handle, &info), -ENODEV);
	for (uint64_t i = 0; i < client.bo->size; i++)
		igt_assert_eq(client.bo->map[i], 0);
	client.bo->map[0] = 1;
	client.bo->map[0] = 0;
}

static void works_again(struct pci_function *dev)
{
	struct vsplit_bo *bo;
	uint64_t address = dev->segment.cpu_address;

	pci_use(dev);
	igt_assert_eq_u64(dev->segment.cpu_address, address);
	bo = bo_in_vram(dev, 'B', 16 * PAGE, 0);
	/* Nothing of the former content is left. */
	vsplit_bo_check(bo);
	gpu_set(dev, bo, 0x12345678);
	vsplit_bo_pattern(bo, 3);
	check_address(dev, bo);
}

/**
 * SUBTEST: unbind-and-bind
 * Description: The driver is unbound while a client works and maps the BAR. The client's ioctls
 *   give -ENODEV, and its mapping zeros. After a bind, the device is a new adapter at the same
 *   address, while the old client still exists.
 */
static void test_unbind(void)
{
	struct pci_function *dev = &pci_devices[0];

	client_start(dev);
	pci_unbind(dev);
	client_lost();
	works_again(dev);
	client_lost();
}

/**
 * SUBTEST: remove-and-rescan
 * Description: The same when the device is removed from the bus and found again by a rescan.
 */
static void test_remove(void)
{
	struct pci_function *dev = &pci_devices[0];

	client_start(dev);
	pci_write(dev, "remove", "1");
	igt_assert(!pci_is_present(dev));
	client_lost();
	igt_assert_eq(__vsplit_write_file(PCI_BUS "/rescan", "1"), 0);
	igt_assert(pci_is_present(dev));
	igt_assert(pci_read_bar(dev));
	/* The device is new: the driver was not told to take it. */
	igt_assert(!pci_is_bound(dev));
	dev->segment.cpu_address = dev->bar;
	works_again(dev);
	client_lost();
}

/**
 * SUBTEST: reset-keeps-contents
 * Description: A reset of the function loses nothing. Allocations in the BAR, written by the GPU or
 *   the CPU, are paged out before it; pinned allocations are back in their places afterwards.
 */
static void test_reset(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct drm_vsplit_gem_info was[4], info;
	struct vsplit_bo *bo[4];

	pci_require_reset(dev);
	pci_use(dev);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		bo[i] = bo_in_vram(dev, 'A' + i, (i + 1) * 16 * PAGE, i & 1 ? VSPLIT_GEM_PINNED : 0);
		gpu_set(dev, bo[i], 0x01010101 * (i + 1));
		if (i & 2)
			vsplit_bo_pattern(bo[i], i);
		vsplit_info(bo[i], &was[i]);
		igt_assert_eq_u32(was[i].segment, dev->segment.id);
	}
	vsplit_bo_free(bo[0]);
	for (unsigned int round = 0; round < 3; round++) {
		pci_write(dev, "reset", "1");
		for (unsigned int i = 1; i < ARRAY_SIZE(bo); i++) {
			vsplit_info(bo[i], &info);
			igt_assert_eq_u32(info.segment, i & 1 ? dev->segment.id : 0);
			if (i & 1)
				igt_assert_eq_u64(info.offset, was[i].offset);
			vsplit_bo_check(bo[i]);
			vsplit_bo_pattern(bo[i], 10 * round + i);
		}
		gpu_set(dev, bo[2], 0x33330000 + round);
		check_address(dev, bo[1]);
	}
	vsplit_bo_free(bo[1]);
	pci_write(dev, "reset", "1");
	vsplit_bo_check(bo[3]);
}

static struct {
	struct vsplit_bo *bo;
	bool stop;
	unsigned int bad;
	unsigned long rounds;
} cpu;

/* A client that writes words with the CPU, and reads them back at once. */
static void *cpu_client(void *arg)
{
	volatile uint32_t *word = (uint32_t *)cpu.bo->map;
	uint32_t n = cpu.bo->size / 4, value = 0;

	while (!__atomic_load_n(&cpu.stop, __ATOMIC_RELAXED)) {
		value++;
		for (uint32_t i = value % 61; i < n; i += 61) {
			word[i] = value;
			if (word[i] != value)
				cpu.bad++;
		}
		cpu.rounds++;
	}
	return NULL;
}

/**
 * SUBTEST: reset-while-busy
 * Description: The function is reset while the GPU executes split buffers and the CPU writes into
 *   the BAR. All submissions succeed, and all bytes are right.
 */
static void test_reset_busy(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct vsplit_bo *bo[4];
	struct vsplit_cs *cs[6];
	pthread_t thread;
	uint64_t size;

	pci_require_reset(dev);
	pci_use(dev);
	size = dev->segment.size / 8 / PAGE * PAGE;
	memset(&cpu, 0, sizeof(cpu));
	cpu.bo = bo_in_vram(dev, 'Z', 32 * PAGE, 0);
	gpu_set(dev, cpu.bo, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		bo[i] = bo_in_vram(dev, 'A' + i, i < 3 ? 2 * size : size, 0);
		vsplit_bo_pattern(bo[i], i);
	}
	igt_assert_eq(pthread_create(&thread, NULL, cpu_client, NULL), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(cs); i++) {
		cs[i] = vsplit_cs(dev->fd);
		for (unsigned int j = 0; j < 8; j++) {
			struct vsplit_bo *to = bo[(i + j) % ARRAY_SIZE(bo)];

			vsplit_cs_group(cs[i]);
			vsplit_cs_bind(cs[i], 0, to);
			vsplit_cs_set(cs[i], 0, 64 * j + 512 * i, 20 * PAGE, i << 16 | j);
		}
		vsplit_cs_submit(cs[i], dev->ctx, 0);
		vsplit_cs_reference(cs[i], 0);
		if (i & 1)
			pci_write(dev, "reset", "1");
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(cs); i++)
		vsplit_cs_wait(cs[i]);
	pci_write(dev, "reset", "1");
	__atomic_store_n(&cpu.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	igt_assert_eq(cpu.bad, 0);
	igt_assert(cpu.rounds);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
		vsplit_bo_check(bo[i]);
}

/**
 * SUBTEST: reset-short-of-memory
 * Description: Memory runs short at each possible site of a reset. The reset either keeps all
 *   contents, or unplugs the adapter, which can then be bound again.
 */
static void test_reset_nomem(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct drm_vsplit_gem_info info;
	bool failed = true;
	unsigned int gone = 0;

	pci_require_reset(dev);
	vsplit_inject_require(VSPLIT_INJECT_SITE);
	for (unsigned int n = 1; failed && n < 100; n++) {
		struct vsplit_bo *a, *b;

		pci_use(dev);
		a = bo_in_vram(dev, 'A', 4 * PAGE, 0);
		b = bo_in_vram(dev, 'B', 4 * PAGE, VSPLIT_GEM_PINNED);
		gpu_set(dev, a, n);
		gpu_set(dev, b, ~n);
		vsplit_inject_arm(VSPLIT_INJECT_SITE, n);
		pci_write(dev, "reset", "1");
		failed = vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL);
		if (__vsplit_info(dev->fd, a->handle, &info) == -ENODEV) {
			igt_assert(failed);
			gone++;
			vsplit_cleanup();
			pci_unbind(dev);
			continue;
		}
		vsplit_bo_check(a);
		vsplit_bo_check(b);
		vsplit_info(b, &info);
		igt_assert_eq_u32(info.segment, dev->segment.id);
		vsplit_cleanup();
	}
	igt_assert(!failed);
	igt_assert_lt(3, gone);
}

/**
 * SUBTEST: reset-while-an-importer-attaches
 * Description: An allocation that is pinned in the BAR cannot be imported elsewhere, not even while
 *   a reset has it in system memory: the importer would be left with old bytes. After the reset it
 *   is in its place, and can be reset again.
 */
static void test_reset_import(void)
{
	static const struct vsplit_adapter_opts opts = {
		.segs = { { "aper", true, .size = 64 * PAGE } },
	};
	struct pci_function *dev = &pci_devices[0];
	struct drm_vsplit_gem_info was, info;
	struct vsplit_adapter *other;
	uint32_t handle;
	pthread_t thread;
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	siginfo_t end = {};
	int dmabuf, fd;
	void *result;
	pid_t pid;

	pci_require_reset(dev);
	pci_use(dev);
	require_test_mode(dev);
	other = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(other);
	a = bo_in_vram(dev, 'A', 4 * PAGE, VSPLIT_GEM_PINNED);
	gpu_set(dev, a, 0x12344321);
	vsplit_info(a, &was);
	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(__vsplit_import(fd, dmabuf, &handle), -EBUSY);

	/* The reset is held between the way out and the way back. */
	cs = vsplit_cs(dev->fd);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 0x56788765);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, dev->ctx, 0);
	igt_assert_eq(pthread_create(&thread, NULL, pci_reset_thread, dev), 0);
	igt_assert(vsplit_soon(segment_of(a) == 0));
	pid = vsplit_fork();
	if (!pid)
		_exit(-__vsplit_import(fd, dmabuf, &handle));
	/* The import is refused, and does not wait for the engine. */
	igt_assert(vsplit_soon(!waitid(P_PID, pid, &end, WEXITED | WNOHANG | WNOWAIT) &&
			       end.si_pid == pid));
	igt_assert_eq(vsplit_reap(pid), EBUSY << 8);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(pthread_join(thread, &result), 0);
	igt_assert_eq((int)(intptr_t)result, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	vsplit_info(a, &info);
	igt_assert_eq_u32(info.segment, dev->segment.id);
	igt_assert_eq_u64(info.offset, was.offset);
	vsplit_bo_check(a);
	igt_assert_eq(__vsplit_import(fd, dmabuf, &handle), -EBUSY);
	close(dmabuf);
	pci_write(dev, "reset", "1");
	vsplit_bo_check(a);
}

/* An allocation in the BAR that a program of @dev uses for ten minutes. */
static struct vsplit_bo *use_for_long(struct pci_function *dev, struct vsplit_cs **busy)
{
	struct vsplit_bo *bo = bo_in_vram(dev, 'A', 4 * PAGE, 0);

	gpu_set(dev, bo, 0x31313131);
	vsplit_bo_check(bo);
	*busy = vsplit_cs(dev->fd);
	vsplit_cs_bind(*busy, 0, bo);
	for (unsigned int i = 0; i < 60000; i++)
		vsplit_cs_spin(*busy, 10000);
	return bo;
}

/**
 * SUBTEST: reset-beside-endless-work
 * Description: A program that uses the BAR without end does not hold up a reset: a signal to the
 *   resetting process cancels the program. Contents are kept.
 */
static void test_reset_endless(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct vsplit_cs *busy;
	struct vsplit_bo *bo;
	pid_t pid;

	pci_require_reset(dev);
	pci_use(dev);
	bo = use_for_long(dev, &busy);
	vsplit_cs_submit(busy, dev->ctx, 0);
	pid = vsplit_fork();
	if (!pid)
		_exit(__pci_write(dev, "reset", "1") ? 1 : 0);
	igt_assert(vsplit_soon(!segment_of(bo)));
	for (unsigned int i = 0; i < 20; i++) {
		igt_assert(vsplit_task_state(pid));
		usleep(10000);
	}
	igt_assert(vsplit_syncobj_busy(dev->fd, busy->out));
	kill(pid, SIGTERM);
	vsplit_ends_unblocked(pid);
	igt_assert_eq(__vsplit_cs_wait(busy), -ECANCELED);
	vsplit_bo_check(bo);
	works_again(dev);
}

/**
 * SUBTEST: reset-behind-another-driver
 * Description: Work that uses the BAR, and waits for another adapter, does not hold up a reset
 *   without end, either: it ends together with the adapter. Another adapter can be bound.
 */
static void test_reset_behind(void)
{
	static const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 * PAGE } },
		.slots = 8,
		.test = true,
	};
	struct pci_function *dev = &pci_devices[0];
	struct vsplit_cs *first, *busy;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *bo;
	uint32_t handle;
	int fd, shared;
	pid_t pid;

	pci_require_reset(dev);
	pci_use(dev);
	fd = vsplit_adapter_open(vsplit_adapter_create(&opts));
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	first = vsplit_cs(fd);
	vsplit_cs_spin(first, 10);
	vsplit_cs_submit(first, vsplit_ctx(fd, 0), 0);
	igt_assert_eq(drmSyncobjHandleToFD(fd, first->out, &shared), 0);
	igt_assert_eq(drmSyncobjFDToHandle(dev->fd, shared, &handle), 0);
	close(shared);
	bo = use_for_long(dev, &busy);
	vsplit_cs_wait_for(busy, handle, 0);
	vsplit_cs_submit(busy, dev->ctx, 0);
	pid = vsplit_fork();
	if (!pid)
		_exit(__pci_write(dev, "reset", "1") ? 1 : 0);
	igt_assert(vsplit_soon(vsplit_task_state(pid) != 'R'));
	kill(pid, SIGTERM);
	vsplit_ends_unblocked(pid);
	igt_assert_eq(__vsplit_info(dev->fd, bo->handle, &info), -ENODEV);
	pci_unbind(dev);
	works_again(dev);
}

/**
 * SUBTEST: two-adapters
 * Description: Two devices are two adapters, each with the memory of its own BAR. Operations on one
 *   do not affect the other.
 */
static void test_two(void)
{
	struct pci_function *one = &pci_devices[0], *two = &pci_devices[1];
	struct vsplit_bo *a, *b;

	igt_require_f(nr_pci_devices > 1, "needs two devices\n");
	pci_use(one);
	pci_use(two);
	igt_assert_eq_u64(one->segment.cpu_address, one->bar);
	igt_assert_eq_u64(two->segment.cpu_address, two->bar);
	a = bo_in_vram(one, 'A', 8 * PAGE, 0);
	b = bo_in_vram(two, 'B', 8 * PAGE, 0);
	gpu_set(one, a, 0xaaaaaaaa);
	gpu_set(two, b, 0xbbbbbbbb);
	check_address(one, a);
	check_address(two, b);
	pci_unbind(two);
	vsplit_bo_pattern(a, 1);
	gpu_set(one, a, 0xcccccccc);
	check_address(one, a);
	pci_bind(two);
	pci_unbind(one);
	pci_bind(one);
}

static void unload(void)
{
	int ret = vsplit_module_unload_soon();

	igt_assert_f(!ret, "unloading: %s\n", strerror(-ret));
}

/* Loads the module with these parameters. Returns whether it takes the first device. */
static bool taken_with(const char *params)
{
	unload();
	igt_assert_eq(vsplit_module_load(params), 0);
	pci_try_bind(&pci_devices[0]);
	return pci_is_bound(&pci_devices[0]);
}

static void check_segment(uint64_t size, uint64_t commit, uint64_t visible)
{
	struct pci_function *dev = &pci_devices[0];

	pci_use(dev);
	igt_assert_eq_u64(dev->segment.size, size);
	igt_assert_eq_u64(dev->segment.commit_limit, commit);
	igt_assert_eq_u64(dev->segment.cpu_visible_size, visible);
	igt_assert_eq_u64(dev->segment.cpu_address, visible ? dev->bar : 0);
	vsplit_cleanup();
}

/**
 * SUBTEST: parameters-and-the-bar
 * Description: The first memory segment is as large as the BAR, unless a parameter makes it
 *   smaller. Other segments are in the host's memory. Without a memory segment the driver does not
 *   take the device, and nothing is left of the attempt.
 */
static void test_parameters(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	char adapters[16], params[128];
	uint64_t bar = dev->bar_size;

	igt_require_f(getenv("VSPLIT_KO"), "VSPLIT_KO does not name the module\n");
	igt_assert_eq(__vsplit_read_file(MODULE "/parameters/adapters", adapters, sizeof(adapters)), 0);

	igt_assert(taken_with("adapters=0"));
	check_segment(bar, bar, bar);
	snprintf(params, sizeof(params), "adapters=0 vram=%" PRIu64, bar / 4);
	igt_assert(taken_with(params));
	check_segment(bar / 4, bar / 4, bar / 4);
	snprintf(params, sizeof(params), "adapters=0 vram=%" PRIu64, bar * 4);
	igt_assert(taken_with(params));
	check_segment(bar, bar, bar);
	snprintf(params, sizeof(params), "adapters=0 segments=v:memory:%" PRIu64 ":commit=%" PRIu64 ":cpu=%" PRIu64,
		 bar * 2, bar / 2, bar / 4);
	igt_assert(taken_with(params));
	check_segment(bar, bar / 2, bar / 4);
	igt_assert(taken_with("adapters=0 segments=v:memory:64K:cpu=none"));
	check_segment(65536, 65536, 0);

	igt_assert(taken_with("adapters=0 segments=a:aperture:1M,v:memory:64K,w:memory:64K"));
	pci_use(dev);
	igt_assert_eq(vsplit_query_segments(dev->fd, segs), 3);
	igt_assert_eq_u64(segs[0].cpu_address, 0);
	igt_assert_eq_u64(segs[1].cpu_address, dev->bar);
	igt_assert_eq_u64(segs[2].cpu_address, 0);
	vsplit_cleanup();

	igt_assert(!taken_with("adapters=0 segments=a:aperture:1M"));
	unload();
	snprintf(params, sizeof(params), "adapters=%s test=1 contexts=patch,explicit", adapters);
	igt_assert_eq(vsplit_module_load(params), 0);
	for (unsigned int i = 0; i < nr_pci_devices; i++)
		pci_bind(&pci_devices[i]);
}

/* ---- swizzling ---------------------------------------------------------- */

static struct vsplit_bo *swizzled_in_bar(struct pci_function *dev, char name, uint64_t size)
{
	struct drm_vsplit_gem_create args = {
		.size = size, .flags = VSPLIT_GEM_SWIZZLED, .pitch = PITCH,
	};
	struct vsplit_bo *bo = vsplit_bo_args(dev->fd, name, &args);

	vsplit_bo_pattern(bo, name);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_PAGE_IN, bo->handle, dev->segment.id);
	return bo;
}

/* Waits without touching the allocation by the CPU, which would acquire a range. */
static void wait_idle(const struct vsplit_bo *bo, struct drm_vsplit_gem_info *info)
{
	do {
		vsplit_info(bo, info);
	} while ((info->flags & VSPLIT_GEM_INFO_BUSY) && !usleep(1000));
}

/* Checks through the bus that the allocation's place in the BAR has tiles. */
static void check_tiles(const struct pci_function *dev, const struct vsplit_bo *bo)
{
	volatile uint32_t *bar = map_bar(dev), *word;
	struct drm_vsplit_gem_info info;

	wait_idle(bo, &info);
	igt_assert_eq_u32(info.segment, dev->segment.id);
	igt_assert(!(info.flags & VSPLIT_GEM_INFO_RANGE));
	word = bar + (dev->segment.cpu_address + info.offset - dev->bar) / 4;
	for (uint64_t at = 0; at < bo->size; at += 4)
		igt_assert_eq_u32(word[tiled(bo->size, at) / 4],
				  *(const uint32_t *)(bo->shadow + at));
	munmap((void *)bar, dev->bar_size);
}

/**
 * SUBTEST: seg-5-ranges-in-the-bar
 * Description: A swizzled allocation has tiles in the BAR. The CPU sees it as rows through a range,
 *   at the BAR's address plus its offset (SEG-2, SEG-6). When the range is taken away, tiles are
 *   left in the BAR. Eviction and reset leave rows in system memory, and page-in makes tiles again.
 */
static void test_ranges(void)
{
	struct pci_function *dev = &pci_devices[0];
	struct drm_vsplit_gem_info was, info;
	struct vsplit_bo *a, *b, *raw;
	struct vsplit_cs *copy;
	char params[128], adapters[16];

	igt_require_f(getenv("VSPLIT_KO"), "VSPLIT_KO does not name the module\n");
	igt_assert_eq(__vsplit_read_file(MODULE "/parameters/adapters", adapters, sizeof(adapters)), 0);
	snprintf(params, sizeof(params), "adapters=0 test=1 segments=v:memory:%" PRIu64 ":ranges=1",
		 dev->bar_size);
	igt_assert(taken_with(params));
	pci_use(dev);
	a = swizzled_in_bar(dev, 'A', 21 * PAGE);	/* two bands and a tail */
	b = swizzled_in_bar(dev, 'B', 16 * PAGE);
	raw = bo_in_vram(dev, 'R', a->size, 0);
	check_tiles(dev, a);
	check_tiles(dev, b);

	vsplit_info(a, &was);
	check_address(dev, a);				/* as rows */
	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_RANGE);
	igt_assert_eq_u64(info.offset, was.offset);
	igt_assert_eq_u64(info.size, was.size);

	/* The GPU still sees tiles while the bus sees rows. */
	copy = vsplit_cs(dev->fd);
	vsplit_cs_alloc(copy, a, 0);
	vsplit_cs_bind(copy, 0, a);
	vsplit_cs_bind(copy, 1, raw);
	vsplit_cs_copy(copy, 1, 0, 0, 0, a->size);
	vsplit_cs_submit_and_wait(copy, dev->ctx, 0);
	for (uint64_t at = 0; at < a->size; at++)
		raw->shadow[tiled(a->size, at)] = a->shadow[at];
	vsplit_bo_check(raw);
	vsplit_cs_free(copy);

	check_address(dev, b);				/* takes the range */
	check_tiles(dev, a);
	vsplit_bo_pattern(b, 3);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_EVICT, b->handle, 0);
	vsplit_bo_check(b);
	vsplit_escape(dev->fd, VSPLIT_ESCAPE_PAGE_IN, b->handle, dev->segment.id);
	check_tiles(dev, b);
	if (pci_has_reset(dev)) {
		vsplit_bo_pattern(a, 4);		/* through the range */
		pci_write(dev, "reset", "1");
		vsplit_bo_check(a);
		vsplit_bo_check(b);
	}
	vsplit_cleanup();
	unload();
	snprintf(params, sizeof(params), "adapters=%s test=1 contexts=patch,explicit", adapters);
	igt_assert_eq(vsplit_module_load(params), 0);
	for (unsigned int i = 0; i < nr_pci_devices; i++)
		pci_bind(&pci_devices[i]);
}

int igt_main()
{
	static const struct vsplit_subtest tests[] = {
		{ "seg-2-bar-address-plus-offset", test_address,
		  "The CPU's mapping of an allocation leads to the address of the BAR plus the "
		  "offset in the segment" },
		{ "seg-12-paging-through-the-bar", test_paging,
		  "Buffers with four times more allocations than the BAR holds are split. Every "
		  "byte is right through pointers that were taken once." },
		{ "binds-by-driver-override-only", test_override,
		  "The driver takes the device through driver_override or new_id, not by itself. "
		  "It takes no other device even then." },
		{ "unbind-and-bind", test_unbind,
		  "After an unbind a client's calls give -ENODEV and its mapping zeros; after a "
		  "bind the device is a new adapter" },
		{ "remove-and-rescan", test_remove,
		  "After a removal from the bus a client's calls give -ENODEV; after a rescan the "
		  "device is a new adapter" },
		{ "reset-keeps-contents", test_reset, "A reset of the function loses nothing" },
		{ "reset-while-busy", test_reset_busy,
		  "The function is reset while the GPU executes split buffers and the CPU writes "
		  "into the BAR. All submissions succeed, and all bytes are right." },
		{ "reset-while-an-importer-attaches", test_reset_import,
		  "An allocation that is pinned in the BAR cannot be imported, not even while a "
		  "reset has it in system memory" },
		{ "reset-beside-endless-work", test_reset_endless,
		  "A program that uses the BAR without end does not hold up a reset: a signal to "
		  "the resetting process cancels the program. Contents are kept." },
		{ "reset-behind-another-driver", test_reset_behind,
		  "Work that uses the BAR and waits for another adapter ends together with that, "
		  "and does not hold up a reset" },
		{ "reset-short-of-memory", test_reset_nomem,
		  "Memory runs short at each possible site of a reset. The reset either keeps all "
		  "contents, or unplugs the adapter, which can then be bound again." },
		{ "two-adapters", test_two,
		  "Two devices are two adapters, each with the memory of its own BAR. Operations "
		  "on one do not affect the other." },
		{ "parameters-and-the-bar", test_parameters,
		  "The first memory segment is as large as the BAR, unless a parameter makes it "
		  "smaller" },
		{ "seg-5-ranges-in-the-bar", test_ranges,
		  "A swizzled allocation has tiles in the BAR" },
	};

	igt_fixture()
		pci_find_devices();

	vsplit_run_subtests(tests);
}
