// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit fbdev
 * Description: The framebuffer device of an adapter with fbdev=1, and the console on it; Documentation/display.rst.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: fbdev
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <glob.h>
#include <linux/fb.h>
#include <pthread.h>
#include <sys/mman.h>

IGT_TEST_DESCRIPTION("The framebuffer device of an adapter with fbdev=1, and the console on it; "
		     "Documentation/display.rst.");

/* Size of the monitor's preferred mode. */
#define WIDTH 1024u
#define HEIGHT 768u

/**
 * struct console - The framebuffer device of the adapter.
 * @fd: file on it.
 * @words: its pixels.
 * @bytes: size of the mapping.
 */
struct console {
	int fd;
	uint32_t *words;
	size_t bytes;
};

/* Number of the framebuffer device whose parent is the adapter's device, or -1. */
static int fb_number(void)
{
	glob_t found;
	int nr = -1;

	if (glob("/sys/class/graphics/fb[0-9]*", 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc && nr < 0; i++) {
		char path[128], target[256] = "";

		snprintf(path, sizeof(path), "%s/device", found.gl_pathv[i]);
		if (readlink(path, target, sizeof(target) - 1) > 0 &&
		    !strcmp(strrchr(target, '/') + 1, ad->device))
			nr = atoi(strrchr(found.gl_pathv[i], '/') + 3);
	}
	globfree(&found);
	return nr;
}

/* The segment is twice as large as a picture, so that two pictures fit. */
static void setup_fbdev(bool aperture, bool on)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "only", aperture, .size = 8 << 20 } },
		.slots = 16,
		.heads = 1,
	};

	igt_require(geteuid() == 0);
	vsplit_require_configfs();
	ad = vsplit_adapter_prepare(&opts);
	expect(__vsplit_adapter_write(ad, "fbdev", on ? "1" : "0"), 0);
	vsplit_adapter_enable(ad);
	igt_assert_eq(fb_number() >= 0, on);
}

static struct console console_open(void)
{
	struct fb_fix_screeninfo fix;
	struct fb_var_screeninfo var;
	struct console c;
	char path[32];

	snprintf(path, sizeof(path), "/dev/fb%d", fb_number());
	c.fd = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_f(c.fd >= 0, "%s: %s\n", path, strerror(errno));
	igt_assert_eq(ioctl(c.fd, FBIOGET_FSCREENINFO, &fix), 0);
	igt_assert_eq(ioctl(c.fd, FBIOGET_VSCREENINFO, &var), 0);
	igt_assert_eq_u32(var.xres, WIDTH);
	igt_assert_eq_u32(var.yres, HEIGHT);
	igt_assert_eq_u32(var.bits_per_pixel, 32);
	igt_assert_eq_u32(fix.line_length, 4 * WIDTH);
	c.bytes = fix.smem_len;
	igt_assert(c.bytes >= 4 * WIDTH * HEIGHT);
	c.words = mmap(NULL, c.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, 0);
	igt_assert(c.words != MAP_FAILED);
	return c;
}

static void console_close(struct console *c)
{
	munmap(c->words, c->bytes);
	close(c->fd);
}

/* A cursor may blink in the filled picture. */
static void console_fill(struct console *c, uint32_t word)
{
	for (unsigned int i = 0; i < WIDTH * HEIGHT; i++)
		c->words[i] = word;
}

/*
 * Returns how many of a thousand pixels of the head have this color; -1 if it is dark, or of
 * another size.
 */
static int shown(uint32_t word)
{
	static uint8_t rgb[3 * WIDTH * HEIGHT];
	unsigned int width, height, n = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/crtc-0/picture", ad->primary);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "P6 %u %u 255", &width, &height) != 2 || width != WIDTH ||
	    height != HEIGHT || fgetc(f) != '\n' || fread(rgb, sizeof(rgb), 1, f) != 1) {
		fclose(f);
		return -1;
	}
	fclose(f);
	for (unsigned int i = 0; i < WIDTH * HEIGHT; i++)
		n += word == (uint32_t)(rgb[3 * i] << 16 | rgb[3 * i + 1] << 8 | rgb[3 * i + 2]);
	return n * 1000 / (WIDTH * HEIGHT);
}

static void check_filled(bool aperture)
{
	struct console c;

	setup_fbdev(aperture, true);
	c = console_open();
	for (unsigned int i = 1; i < 4; i++) {
		console_fill(&c, 0x123456 * i);
		igt_assert(vsplit_soon(shown(0x123456 * i) > 950));
	}
	console_close(&c);
}

/**
 * SUBTEST: filled
 * Description: Pixels that are written to a mapping of the device are shown, from a memory segment
 *   and from an aperture segment. Without the option there is no device.
 */
static void test_filled(void)
{
	check_filled(false);
	vsplit_cleanup();
	check_filled(true);
	vsplit_cleanup();
	setup_fbdev(false, false);
	igt_assert_eq(shown(0), -1);
}

/**
 * SUBTEST: console
 * Description: The kernel's console is on the device: text that is printed to a terminal becomes
 *   pixels.
 */
static void test_console(void)
{
	int tty, black;

	tty = open("/dev/tty0", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	igt_require_f(tty >= 0, "The kernel has no virtual terminals.\n");
	setup_fbdev(false, true);
	igt_assert_eq(write(tty, "\033[H\033[J", 6), 6);
	igt_assert(vsplit_soon(shown(0) > 990));
	for (unsigned int i = 0; i < 200; i++)
		igt_assert_eq(write(tty, "MMMMMMMM ", 9), 9);
	igt_assert_f(vsplit_soon((black = shown(0)) > 0 && black < 980), "black: %d of 1000\n", black);
	igt_assert_eq(write(tty, "\033[H\033[J", 6), 6);
	close(tty);
}

/**
 * SUBTEST: lit-holds-nothing
 * Description: A console that is shown takes no more references to the module than an adapter
 *   without a console, so that the module can be removed.
 */
static void test_lit(void)
{
	struct console c;
	int without;

	setup_fbdev(false, false);
	without = vsplit_module_references();
	vsplit_cleanup();
	setup_fbdev(false, true);
	c = console_open();
	console_fill(&c, 0x334455);
	igt_assert(vsplit_soon(shown(0x334455) > 950));
	console_close(&c);
	/* References of the subtest before may have been among them. */
	igt_assert(vsplit_soon(vsplit_module_references() <= without));
}

/**
 * SUBTEST: gives-way
 * Description: A client that sets a mode takes over the head. When the client is gone the console
 *   is shown again, even if its picture left video memory and was written to meanwhile.
 */
static void test_gives_way(void)
{
	struct console c;
	struct head head;
	struct fb fb;

	setup_fbdev(false, true);
	c = console_open();
	console_fill(&c, 0x112233);
	igt_assert(vsplit_soon(shown(0x112233) > 950));

	head_open(&head, 0);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fb);
	igt_assert_eq(shown(0x112233), -1);
	/* Beside the console's 3 of 8 MiB there is room only for the first allocation. */
	vsplit_bo_in(head.fd, 'p', 4 << 20, VSPLIT_GEM_PINNED, NULL);
	vsplit_bo_in(head.fd, 'q', 2 << 20, VSPLIT_GEM_PINNED, NULL);
	console_fill(&c, 0x445566);
	usleep(200000);
	igt_assert_eq(shown(0x445566), -1);
	vsplit_cleanup_file(head.fd);
	igt_assert(vsplit_soon(shown(0x445566) > 950));
	console_close(&c);
}

/**
 * SUBTEST: slow-modes
 * Description: A client must not leave a mode that is so slow that DRM warns of a vblank for which
 *   a client of the device waits: 24 Hz is accepted, and 5 Hz is refused.
 */
static void test_slow(void)
{
	for (unsigned int hz = 24; hz; hz = hz == 24 ? 5 : 0) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();
		uint32_t vblanks_of = 0;
		struct console c;
		struct head head;
		int ret;

		setup_fbdev(false, true);
		c = console_open();
		head_open(&head, 0);
		/* 80 x 60 pixels. */
		head.mode.clock = hz * 80 * 60 / 1000;
		head.mode.vrefresh = hz;
		add_mode(req, &head, &head.mode);
		add_plane(req, &head, head.primary, NULL, 0, 0, 0, 0);
		ret = commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
		igt_assert_eq(drmDropMaster(head.fd), 0);
		igt_assert_eq(ioctl(c.fd, FBIO_WAITFORVSYNC, &vblanks_of), 0);
		igt_assert_eq(ret, hz == 24 ? 0 : -EINVAL);
		console_close(&c);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: unbound-while-open
 * Description: The adapter is removed while the device is open and mapped. The mapping stays, calls
 *   on the device's file fail, and nothing is left when it is closed.
 */
static void test_unbound(void)
{
	struct console c;

	for (unsigned int i = 0; i < vsplit_rounds(3, 30); i++) {
		setup_fbdev(i % 2, true);
		c = console_open();
		console_fill(&c, 0xabcdef);
		vsplit_adapter_disable(ad);
		console_fill(&c, 0x123456);
		igt_assert_eq(c.words[WIDTH], 0x123456);
		console_close(&c);
		vsplit_cleanup();
	}
}

static void *wait_on(void *arg)
{
	const struct console *c = arg;
	uint32_t head = 0;

	while (!ioctl(c->fd, FBIO_WAITFORVSYNC, &head))
		;
	return (void *)(intptr_t)errno;
}

static void *write_on(void *arg)
{
	const struct console *c = arg;
	uint32_t word = 0;

	while (pwrite(c->fd, &word, sizeof(word), 0) == sizeof(word))
		word++;
	return (void *)(intptr_t)errno;
}

/**
 * SUBTEST: unbound-while-waiting
 * Description: The adapter is removed while a thread waits for vblanks through the device, or
 *   writes to it, for which DRM waits for a vblank as well. The vblank comes, and the next call
 *   fails.
 */
static void test_unbound_waiting(void)
{
	for (unsigned int i = 0; i < vsplit_rounds(20, 200); i++) {
		pthread_t thread;
		struct console c;
		void *error;

		setup_fbdev(false, true);
		c = console_open();
		igt_assert_eq(pthread_create(&thread, NULL, i % 2 ? write_on : wait_on, &c), 0);
		usleep(1700 * (i / 2 % 10));
		vsplit_adapter_disable(ad);
		pthread_join(thread, &error);
		igt_assert_eq((intptr_t)error, ENODEV);
		console_close(&c);
		vsplit_cleanup();
	}
}

static const struct vsplit_subtest tests[] = {
	{ "filled", test_filled,
	  "Pixels that are written to a mapping of the device are shown, from a memory segment and "
	  "from an aperture segment" },
	{ "console", test_console,
	  "The kernel's console is on the device: text that is printed to a terminal becomes "
	  "pixels" },
	{ "lit-holds-nothing", test_lit,
	  "A console that is shown takes no more references to the module than an adapter without "
	  "a console, so that the module can be removed" },
	{ "gives-way", test_gives_way, "A client that sets a mode takes over the head" },
	{ "slow-modes", test_slow,
	  "A client must not leave a mode that is so slow that DRM warns of a vblank for which a "
	  "client of the device waits: 24 Hz is accepted, and 5 Hz is refused" },
	{ "unbound-while-open", test_unbound,
	  "The adapter is removed while the device is open and mapped. The mapping stays, calls on "
	  "the device's file fail, and nothing is left when it is closed." },
	{ "unbound-while-waiting", test_unbound_waiting,
	  "A vblank for which a thread waits through the device comes when the adapter is removed, "
	  "and the next call fails" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
