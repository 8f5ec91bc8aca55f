// SPDX-License-Identifier: MIT
/*
 * vsplit-gemm from input files to the output file, on the fake kernel, compared with plain loops.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "check.h"
#include "fake.h"
#include "gemm.h"

static char dir[] = "/tmp/vsplit-gemm-XXXXXX";
static char names[3][64];
static const char *const paths[3] = { names[0], names[1], names[2] };
static uint32_t seed = 1;

static uint32_t random_u32(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

static int8_t *make_input(const char *path, uint64_t rows, uint64_t cols, int extreme)
{
	int8_t *data = malloc(rows * cols + 1);
	uint8_t header[128];
	uint64_t i;
	FILE *f;
	int len;

	memset(header, ' ', sizeof(header));
	memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
	len = snprintf((char *)header + 10, 118,
		       "{'descr': '|i1', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu64 ")}",
		       rows, cols);
	header[10 + len] = '\n';
	for (i = 0; i < rows * cols; i++)
		data[i] = extreme ? INT8_MIN : (int8_t)random_u32();
	f = fopen(path, "w");
	if (!f || fwrite(header, 1, sizeof(header), f) != sizeof(header) ||
	    fwrite(data, 1, rows * cols, f) != rows * cols || fclose(f))
		abort();
	return data;
}

static int run(uint64_t tile, struct gemm_report *report)
{
	struct npy a, b;
	struct npy_writer c;
	struct npy_error error;
	struct vsplit_device *dev;
	int ret;

	if (!npy_open(&a, paths[0], &error) || !npy_open(&b, paths[1], &error) ||
	    !npy_create(&c, paths[2], a.header.rows, b.header.cols, &error) ||
	    vsplit_device_open_path(fake_node(), &dev))
		abort();
	*report = (struct gemm_report){ 0 };
	ret = gemm_run(dev, paths, &a, &b, &c, tile, NULL, report);
	if (!ret && !npy_commit(&c, &error))
		abort();
	npy_discard(&c);
	npy_close(&a);
	npy_close(&b);
	vsplit_device_close(dev);
	CHECK_EQ(fake.open_handles, 0);
	fake_reset();
	return ret;
}

static void compare(const int8_t *a, const int8_t *b, uint64_t m, uint64_t k, uint64_t n)
{
	uint32_t *c = malloc(m * n * 4);
	uint64_t i, j, l;
	uint8_t header[128];
	FILE *f = fopen(paths[2], "r");

	if (!f || fread(header, 1, 128, f) != 128 || fread(c, 4, m * n, f) != m * n) {
		CHECK(!"no product");
		goto out;
	}
	for (i = 0; i < m; i++) {
		for (j = 0; j < n; j++) {
			uint32_t sum = 0;

			for (l = 0; l < k; l++)
				sum += (uint32_t)(a[i * k + l] * b[l * n + j]);
			if (sum == c[i * n + j])
				continue;
			printf("# %" PRIu64 " x %" PRIu64 " x %" PRIu64 ": wrong at %" PRIu64
			       ", %" PRIu64 "\n", m, k, n, i, j);
			check_failures++;
			goto out;
		}
	}
out:
	if (f)
		fclose(f);
	free(c);
}

static void one(uint64_t m, uint64_t k, uint64_t n, uint64_t tile, uint64_t memory)
{
	int8_t *a = make_input(paths[0], m, k, 0), *b = make_input(paths[1], k, n, 0);
	struct gemm_report report;

	fake.segments[0].size = memory;
	fake.segments[0].commit_limit = memory;
	CHECK_EQ(run(tile, &report), 0);
	CHECK(report.buffers >= 1);
	CHECK_EQ(report.memory, memory);
	CHECK(report.tiles >= m * k + k * n + m * n * 4);
	compare(a, b, m, k, n);
	free(a);
	free(b);
}

static void small_sizes(void)
{
	static const uint64_t sizes[] = { 1, 2, 7, 16, 33 };
	size_t a, b, c;

	for (a = 0; a < 5; a++)
		for (b = 0; b < 5; b++)
			for (c = 0; c < 5; c++)
				one(sizes[a], sizes[b], sizes[c], 0, 6 * 4096);
}

static void tiles_of_all_sizes(void)
{
	uint64_t tile;

	for (tile = 1; tile < 24; tile += 3)
		one(23, 19, 29, tile, 1 << 20);
}

static void oversubscribed(void)
{
	one(300, 200, 250, 0, 64 << 10);
	one(1, 5000, 3, 0, 32 << 10);
	one(500, 1, 400, 0, 64 << 10);
	one(257, 129, 65, 0, 24 << 10);
	one(64, 64, 64, 0, 12 << 10);
	one(65, 64, 64, 0, 20 << 10);
}

static void sums_wrap_around(void)
{
	/* 140000 * 2^14 exceeds 2^31, so sums wrap. */
	int8_t *a = make_input(paths[0], 1, 140000, 1), *b = make_input(paths[1], 140000, 2, 1);
	struct gemm_report report;

	fake.segments[0].commit_limit = 1 << 20;
	CHECK_EQ(run(0, &report), 0);
	compare(a, b, 1, 140000, 2);
	free(a);
	free(b);
}

static void several_buffers(void)
{
	const struct drm_vsplit_adapter_info normal = fake.info;
	int8_t *a = make_input(paths[0], 90, 90, 0), *b = make_input(paths[1], 90, 90, 0);
	struct gemm_report report;

	fake.segments[0].commit_limit = 1 << 20;
	fake.info.max_patches = 20;
	CHECK_EQ(run(10, &report), 0);
	CHECK_EQ(report.buffers, (729 + 5) / 6);
	CHECK_EQ(report.portions, report.buffers);
	compare(a, b, 90, 90, 90);
	fake.info = normal;
	fake.info.max_allocs = 9;
	CHECK_EQ(run(30, &report), 0);
	CHECK(report.buffers > 1);
	compare(a, b, 90, 90, 90);
	fake.info = normal;
	fake.info.max_stream_bytes = 2000;
	CHECK_EQ(run(10, &report), 0);
	CHECK(report.buffers > 1);
	compare(a, b, 90, 90, 90);
	fake.info = normal;
	free(a);
	free(b);
}

static void one_buffer_where_it_can_be(void)
{
	int8_t *a = make_input(paths[0], 400, 300, 0), *b = make_input(paths[1], 300, 350, 0);
	struct gemm_report report;

	fake.segments[0].commit_limit = 64 << 10;
	CHECK_EQ(run(0, &report), 0);
	CHECK_EQ(report.buffers, 1);
	compare(a, b, 400, 300, 350);
	free(a);
	free(b);
}

/* Other clients hold memory, so smaller tiles are tried. */
static void less_memory_than_said(void)
{
	int8_t *a = make_input(paths[0], 200, 200, 0), *b = make_input(paths[1], 200, 200, 0);
	const struct drm_vsplit_adapter_info normal = fake.info;
	struct gemm_report report;

	fake.segments[0].commit_limit = 256 << 10;
	fake_node();
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_errno = ENOSPC;
	fake.fail_times = 2;
	CHECK_EQ(run(0, &report), 0);
	CHECK_EQ(fake.fail_times, 0);
	compare(a, b, 200, 200, 200);
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_times = 100;
	CHECK_EQ(run(0, &report), EXIT_NOT_RUN);
	/* The totals do not include an attempt that failed. */
	fake.info.max_patches = 3;
	fake.fail_ioctl = DRM_VSPLIT_SUBMIT;
	fake.fail_after = 1;
	fake.fail_times = 1;
	CHECK_EQ(run(0, &report), 0);
	CHECK_EQ(fake.fail_times, 0);
	CHECK(report.buffers > 1);
	CHECK_EQ(report.portions, report.buffers);
	compare(a, b, 200, 200, 200);
	fake.info = normal;
	fake.fail_ioctl = DRM_VSPLIT_GEM_CREATE;
	fake.fail_errno = ENOMEM;
	fake.fail_times = 1;
	CHECK_EQ(run(0, &report), EXIT_NOT_RUN);
	free(a);
	free(b);
}

/* The adapter vanishes while the product is read: its mappings show zeros from then on. */
static void gone_while_it_is_saved(void)
{
	int8_t *a = make_input(paths[0], 20, 20, 0), *b = make_input(paths[1], 20, 20, 0);
	struct gemm_report report;

	fake.segments[0].commit_limit = 1 << 20;
	fake_node();
	unlink(paths[2]);
	fake.fail_ioctl = DRM_VSPLIT_GEM_UNLOCK;
	fake.fail_errno = ENODEV;
	fake.fail_times = 1;
	CHECK_EQ(run(0, &report), EXIT_NOT_RUN);
	CHECK(access(paths[2], F_OK));
	free(a);
	free(b);
}

/* The number of columns that the longest progress line takes. */
static unsigned int longest_line(const char *text, const char *end)
{
	unsigned int columns = 0, longest = 0;

	while (text < end) {
		if (*text == '\r') {
			columns = 0;
		} else if (end - text >= 3 && !memcmp(text, "\033[K", 3)) {
			text += 2;
		} else if ((*text & 0xc0) != 0x80) {
			columns++;
		}
		if (columns > longest)
			longest = columns;
		text++;
	}
	return longest;
}

/* Were both lines drawn, and the second one cleared? */
static bool is_cleared(const char *text, size_t size)
{
	unsigned int returns = 0;
	size_t i;

	for (i = 0; i < size; i++)
		returns += text[i] == '\r';
	return returns == 3 && !memcmp(text + size - 3, "\033[K", 3);
}

static unsigned int progress_columns(int terminal, unsigned short width, const char *note)
{
	struct winsize size = { .ws_row = 24, .ws_col = width };
	struct progress *p;
	char text[2000];
	size_t done = 0;
	ssize_t n;

	if (ioctl(terminal, TIOCSWINSZ, &size))
		return 0;
	p = progress_new(true);
	progress_phase(p, "multiplying", 100);
	progress_set(p, 100, note);
	progress_free(p);
	/* The terminal hands over what there is, which may be a part. */
	do {
		n = read(terminal, text + done, sizeof(text) - done);
		if (n <= 0)
			return 0;
		done += (size_t)n;
	} while (!is_cleared(text, done));
	return longest_line(text, text + done);
}

/* A line that wraps would not be cleared. */
static void progress_fits_into_each_terminal(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), was = dup(STDERR_FILENO), slave;
	unsigned short width;

	CHECK(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	fflush(stderr);
	dup2(slave, STDERR_FILENO);
	for (width = 4; width <= 100; width++) {
		unsigned int columns = progress_columns(terminal, width, "portion 1/2, paged in 30M");

		CHECK(columns >= 4 && columns <= width);
		columns = progress_columns(terminal, width, NULL);
		CHECK(columns >= 4 && columns <= width);
	}
	dup2(was, STDERR_FILENO);
	close(was);
	close(slave);
	close(terminal);
}

int main(void)
{
	int i;

	if (!mkdtemp(dir))
		return 2;
	/* Complaints are expected, and not checked. */
	if (!freopen("/dev/null", "w", stderr))
		return 2;
	for (i = 0; i < 3; i++)
		snprintf(names[i], sizeof(names[i]), "%s/%c.npy", dir, 'a' + i);
	RUN(small_sizes);
	RUN(tiles_of_all_sizes);
	RUN(oversubscribed);
	RUN(sums_wrap_around);
	RUN(several_buffers);
	RUN(one_buffer_where_it_can_be);
	RUN(less_memory_than_said);
	RUN(gone_while_it_is_saved);
	RUN(progress_fits_into_each_terminal);
	for (i = 0; i < 3; i++)
		unlink(names[i]);
	rmdir(dir);
	return check_total_failures != 0;
}
