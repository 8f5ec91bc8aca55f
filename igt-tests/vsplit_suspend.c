// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit suspend
 * Description: The machine is suspended and resumed while engines work and a head is lit.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: suspend
 * Test category: functionality test
 *
 * The tests suspend all devices, and some devices of a machine may not come back. So they run only
 * with VSPLIT_TEST_SUSPEND in the environment, as vm/suspend sets it.
 */
#include "igt.h"
#include "igt_vsplit_lit.h"

#include <glob.h>
#include <inttypes.h>

IGT_TEST_DESCRIPTION("The machine is suspended and resumed while engines work and a head is lit.");

#define U 16384ull
#define TRACING "/sys/kernel/tracing/"

static uint64_t suspended(void)
{
	char text[32];

	igt_assert_eq(__vsplit_read_file("/sys/power/suspend_stats/success", text, sizeof(text)), 0);
	return strtoull(text, NULL, 10);
}

/* Suspends all devices, and resumes them after a second. */
static void suspend(void)
{
	uint64_t before = suspended();

	__vsplit_write_file("/sys/module/suspend/parameters/pm_test_delay", "1");
	igt_assert_eq(__vsplit_write_file("/sys/power/pm_test", "platform"), 0);
	igt_assert_eq(__vsplit_write_file("/sys/power/state", "freeze"), 0);
	igt_assert_eq(__vsplit_write_file("/sys/power/pm_test", "none"), 0);
	igt_assert_eq_u64(suspended(), before + 1);
}

/* A buffer of @n spins of 10 ms with a byte pattern at its end. */
static struct vsplit_cs *build_long(int fd, char name, unsigned int n)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_cs_bind(cs, 0, vsplit_bo(fd, name, U));
	for (unsigned int i = 0; i < n; i++)
		vsplit_cs_spin(cs, 10000);
	vsplit_cs_set(cs, 0, 0, 64, 0x01010101 * (n & 0xff));
	return cs;
}

/* Counts lines of the trace that name @event: before, while and after devices are suspended. */
static void count_lines(const char *event, unsigned int lines[3])
{
	char line[512];
	unsigned int phase = 0;
	FILE *f = fopen(TRACING "trace", "r");

	igt_assert(f);
	memset(lines, 0, 3 * sizeof(*lines));
	while (fgets(line, sizeof(line), f)) {
		/* Match the bracket, too: "suspend" itself ends with "end". */
		if (strstr(line, "dpm_suspend[") && strstr(line, "] end"))
			phase = 1;
		else if (strstr(line, "dpm_resume[") && strstr(line, "] begin"))
			phase = 2;
		else if (strstr(line, event))
			lines[phase]++;
	}
	fclose(f);
}

static void trace(const char *event)
{
	char path[128];
	int file;

	snprintf(path, sizeof(path), TRACING "events/vsplit/%s/enable", event);
	/* A trace that grows as fast as it is read has no end. */
	igt_assert_eq(__vsplit_write_file(TRACING "options/pause-on-trace", "1"), 0);
	igt_assert_eq(__vsplit_write_file(TRACING "events/power/suspend_resume/enable", "1"), 0);
	igt_assert_eq(__vsplit_write_file(path, "1"), 0);
	/* Opening the trace with O_TRUNC empties it. */
	file = open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);
	igt_assert_lte(0, file);
	close(file);
}

/* Suspends and resumes while these events come, and checks that none comes in between. */
static void stands_still(const char *name, const char *event)
{
	unsigned int lines[3];

	igt_assert_f(vsplit_soon((count_lines(event, lines), lines[0])), "%s: it does not begin\n", name);
	suspend();
	igt_assert_f(vsplit_soon((count_lines(event, lines), lines[2])), "%s: it does not go on\n", name);
	igt_info("%s: %u times before, %u while, %u after\n", name, lines[0], lines[1], lines[2]);
	igt_assert_lt(0, lines[0]);
	igt_assert_eq(lines[1], 0);
}

/**
 * SUBTEST: engines-stand-still
 * Description: While devices are suspended no engine executes anything; before and after they do.
 *   Work that was submitted before is executed to its end, even on engines that do not switch
 *   contexts, and contents are unchanged.
 */
static void test_engines(void)
{
	static const char * const modes[] = { "none", "packet" };

	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		struct vsplit_adapter_opts opts = {
			.segs = { { "vram", .size = 256 * U } },
			.slots = 64,
			.engines = 2,
			.preemption = modes[mode],
			.paging_own = true,
			/* Shorter than the suspension, which must not count as a hang. */
			.timeout_ms = 200,
			.test = true,
		};
		struct vsplit_adapter *ad = vsplit_adapter_create(&opts);
		int fd = vsplit_adapter_open(ad), other = vsplit_adapter_open(ad);
		struct vsplit_cs *slow, *quick, *queued;
		struct vsplit_bo *idle;
		uint32_t ctx;

		idle = vsplit_bo(fd, 'X', 8 * U);
		vsplit_bo_pattern(idle, 3);
		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, idle->handle, 1);
		trace("vsplit_step_begin");

		slow = build_long(fd, 'A', 300);
		vsplit_cs_submit(slow, vsplit_ctx(fd, 0), 0);
		queued = build_long(fd, 'Q', 1);
		vsplit_cs_submit(queued, slow->ctx, 0);
		/* Half a minute of short submissions on the other engine. */
		quick = build_long(other, 'B', 3);
		ctx = vsplit_ctx_on(other, 0, 1);
		for (unsigned int i = 0; i < 1000; i++)
			if (__vsplit_cs_submit(quick, ctx, 0))
				break;
		stands_still(modes[mode], "vsplit_step_");
		vsplit_cs_ends_well(slow);
		vsplit_cs_ends_well(queued);
		vsplit_bo_check(idle);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: periods-stand-still
 * Description: While devices are suspended no period of periodic trims ends; before and after, some
 *   end.
 */
static void test_periods(void)
{
	struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U } },
		.slots = 16,
		.contexts = "patch,explicit",
		.trim_period_ms = 20,
		.test = true,
	};
	int fd = vsplit_adapter_open(vsplit_adapter_create(&opts));
	struct vsplit_bo *bo = vsplit_bo(fd, 'A', U);

	vsplit_require(bo);
	trace("vsplit_trim");
	stands_still("periods", "vsplit_trim:");
	vsplit_cleanup();
}

/**
 * SUBTEST: memory-behind-a-bar-keeps-its-contents
 * Description: The same for an adapter that is a PCI device with its memory in the BAR, while its
 *   engine writes to that memory.
 */
static void test_bar(void)
{
	struct vsplit_bo *bo[4];
	struct vsplit_cs *cs;
	uint32_t ctx;
	glob_t found;
	int fd;

	igt_require(!glob("/sys/bus/pci/drivers/vsplit/*/drm/renderD*", 0, NULL, &found));
	fd = vsplit_open_render(atoi(strstr(found.gl_pathv[0], "renderD") + strlen("renderD")));
	globfree(&found);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		bo[i] = vsplit_bo_in(fd, 'A' + i, 16 * U, 0, in_first);
		vsplit_bo_pattern(bo[i], i);
		vsplit_cs_bind(cs, i, bo[i]);
	}
	for (unsigned int i = 0; i < 200; i++) {
		vsplit_cs_set(cs, i % 4, 64 * i, 64, 0x01010101 * i);
		vsplit_cs_spin(cs, 10000);
	}
	vsplit_cs_submit(cs, ctx, 0);
	suspend();
	vsplit_cs_ends_well(cs);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
		igt_assert(vsplit_bo_resident(bo[i]));
}

/* ---- a lit head ----------------------------------------------------------- */

static void suspend_lit(const char *name, const uint8_t *segments)
{
	setup_heads(1);
	igt_info("%s\n", name);
	lit_start(segments);
	lit_goes_on("before");
	igt_assert_eq(lit.none, 0);
	suspend();
	lit_goes_on("after");
	lit_stop();
	/* Heads read nothing while devices are suspended. */
	igt_assert_lt(0, lit.none);
	lit_check();
	head_off(&lit.head);
	vsplit_cleanup();
}

/**
 * SUBTEST: lit-head
 * Description: A head shows memory, and then pages of an aperture, flips, and has its checksums
 *   read. While devices are suspended it reads nothing. Each frame before and after has the right
 *   picture. Flips go on, and pictures stay in their places.
 */
static void test_lit(void)
{
	suspend_lit("memory", (const uint8_t[]){ 1, 0 });
	suspend_lit("aperture", (const uint8_t[]){ 2, 0 });
}

static const struct vsplit_subtest tests[] = {
	{ "engines-stand-still", test_engines,
	  "While devices are suspended no engine executes anything; before and after they do" },
	{ "periods-stand-still", test_periods,
	  "While devices are suspended no period of periodic trims ends; before and after, some "
	  "end" },
	{ "lit-head", test_lit,
	  "While devices are suspended a head reads nothing; before and after, each frame has the "
	  "right picture" },
	{ "memory-behind-a-bar-keeps-its-contents", test_bar,
	  "Memory in the BAR of a PCI device keeps its contents over a suspend while an engine "
	  "writes to it" },
};

int igt_main()
{
	igt_fixture()
		igt_require(getenv("VSPLIT_TEST_SUSPEND"));

	vsplit_run_subtests(tests);
}
