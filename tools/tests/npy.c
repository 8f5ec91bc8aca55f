// SPDX-License-Identifier: MIT
/* The .npy reader and writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "npy.h"

static char dir[] = "/tmp/vsplit-npy-XXXXXX";
static char path[64];
static struct npy_error error;

static size_t make(uint8_t *out, unsigned int major, const char *dict, size_t pad)
{
	size_t len = strlen(dict) + pad + 1, at;

	memcpy(out, "\x93NUMPY", 6);
	out[6] = (uint8_t)major;
	out[7] = 0;
	out[8] = (uint8_t)len;
	out[9] = (uint8_t)(len >> 8);
	at = 10;
	if (major > 1) {
		out[10] = (uint8_t)(len >> 16);
		out[11] = (uint8_t)(len >> 24);
		at = 12;
	}
	memcpy(out + at, dict, strlen(dict));
	memset(out + at + strlen(dict), ' ', pad);
	out[at + len - 1] = '\n';
	return at + len;
}

/* The error for a header; "" if it is accepted, "more" if the parser needs more bytes. */
static const char *refused(unsigned int major, const char *dict, struct npy_header *header)
{
	static uint8_t bytes[70000];
	struct npy_header ignored;
	size_t need, size = make(bytes, major, dict, 5);

	if (npy_parse(bytes, size, header ? header : &ignored, &need, &error))
		return "";
	return error.text[0] ? error.text : "more";
}

static void good_headers(void)
{
	struct npy_header h;

	CHECK_STR(refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }", &h), "");
	CHECK_EQ(h.rows, 3);
	CHECK_EQ(h.cols, 4);
	CHECK_EQ(h.data, 10 + 59 + 6);
	CHECK_STR(refused(2, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }", &h), "");
	CHECK_EQ(h.data, 12 + 59 + 6);
	CHECK_STR(refused(3, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4)}", &h), "");
	CHECK_STR(refused(1, "{\"shape\":(1,2,),\"descr\":\"int8\",\"fortran_order\":False}", &h), "");
	CHECK_EQ(h.cols, 2);
	CHECK_STR(refused(1, " { 'shape' : ( 3L , 4L ) , 'descr':'<i1' , 'fortran_order' : False } ",
			  &h), "");
	CHECK_STR(refused(1, "{'descr': 'b', 'fortran_order': False, 'shape': (0, 9)}", &h), "");
	CHECK_EQ(h.rows, 0);
}

static void bad_headers(void)
{
#define D "{'descr': '|i1', "
#define F "'fortran_order': False, "
#define S "'shape': (3, 4), }"
	static const struct {
		const char *dict;
		const char *why;
	} cases[] = {
		{ "{'descr': '<i4', " F S, "the elements are of type '<i4', not int8 ('|i1')" },
		{ "{'descr': '|u1', " F S, "the elements are of type '|u1', not int8 ('|i1')" },
		{ "{'descr': '<f8', " F S, "the elements are of type '<f8', not int8 ('|i1')" },
		{ "{'descr': [('x', '|i1')], " F S, "the elements are structures, not int8" },
		{ D "'fortran_order': True, " S,
		  "the array is in Fortran order; save it in C order (numpy.ascontiguousarray)" },
		{ D "'fortran_order': 0, " S,
		  "malformed header: True or False as fortran_order expected" },
		{ D F "'shape': (3,), }", "the array has 1 dimension, not the 2 of a matrix" },
		{ D F "'shape': (), }", "the array has 0 dimensions, not the 2 of a matrix" },
		{ D F "'shape': (2, 3, 4), }", "the array has 3 dimensions, not the 2 of a matrix" },
		{ D F "'shape': (3), }", "malformed header: a tuple as the shape expected" },
		{ D F "'shape': (-3, 4), }", "malformed header: a size of the shape expected" },
		{ D F "'shape': (3 4), }", "malformed header: a comma in the shape expected" },
		{ D F "'shape': [3, 4], }", "malformed header: the shape, a tuple, expected" },
		{ D F "'shape': (99999999999999999999, 4), }", "a size of the shape is over 64 bits" },
		{ D F "'shape': (9999999999999, 9999999999999), }",
		  "the shape (9999999999999, 9999999999999) is too large" },
		{ D F "'shape': (4294967296, 4294967296), }",
		  "the shape (4294967296, 4294967296) is too large" },
		{ D F "'shape': (9223372036854775807, 1), }",
		  "the shape (9223372036854775807, 1) is too large" },
		{ D F "}", "malformed header: shape is missing" },
		{ D S, "malformed header: fortran_order is missing" },
		{ "{" F S, "malformed header: descr is missing" },
		{ D D, "malformed header: a string expected" },
		{ D "'descr': '|i1', " F S, "malformed header: 'descr' twice" },
		{ D F S " x", "malformed header: more after the dictionary" },
		{ D F "'x': 1, " S, "malformed header: unknown key" },
		{ "import os", "malformed header: a dictionary expected" },
		{ "", "malformed header: a dictionary expected" },
		{ "{'descr", "malformed header: the end of a string expected" },
		{ "{'descr' '|i1'", "malformed header: a colon expected" },
		{ "{'descr': '|i1' " F S, "malformed header: a comma expected" },
		{ "{,}", "malformed header: a string expected" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(refused(1, cases[i].dict, NULL), cases[i].why);
}

static void bad_prefixes(void)
{
	static uint8_t huge[] = "\x93NUMPY\x02\x00\xff\xff\xff\x7f";
	static uint8_t version[] = "\x93NUMPY\x04\x00";
	static uint8_t minor[] = "\x93NUMPY\x01\x01";
	struct npy_header h;
	size_t need, i;

	CHECK(!npy_parse((const uint8_t *)"PK\x03\x04", 4, &h, &need, &error));
	CHECK_STR(error.text, "not a .npy file (no magic string)");
	CHECK(!npy_parse(huge, 12, &h, &need, &error));
	CHECK_STR(error.text, "a header of 2147483647 bytes is more than any matrix needs");
	CHECK(!npy_parse(version, 8, &h, &need, &error));
	CHECK_STR(error.text, "version 4.0 of the .npy format is not known");
	CHECK(!npy_parse(minor, 8, &h, &need, &error));
	CHECK_STR(error.text, "version 1.1 of the .npy format is not known");
	for (i = 0; i < 12; i++) {
		CHECK(!npy_parse(huge, i, &h, &need, &error));
		CHECK_STR(error.text, "");
		CHECK(need > i && need <= 12);
	}
}

static void write_file(const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void files(void)
{
	static uint8_t bytes[1000], block[12];
	struct npy npy;
	size_t size, i;

	CHECK(!npy_open(&npy, "/nowhere/at/all.npy", &error));
	CHECK_STR(error.text, "No such file or directory");
	CHECK(!npy_open(&npy, "/dev/null", &error));
	CHECK_STR(error.text, "not a regular file");
	CHECK(!npy_open(&npy, dir, &error));
	CHECK_STR(error.text, "not a regular file");

	size = make(bytes, 1, D F "'shape': (4, 5)}", 300);
	for (i = 0; i < 20; i++)
		bytes[size + i] = (uint8_t)i;
	write_file(bytes, size + 20);
	CHECK(npy_open(&npy, path, &error));
	CHECK_EQ(npy.extra, 0);
	CHECK(npy_read(&npy, 1, 2, 3, 2, block, 4, &error));
	CHECK_EQ(block[0], 7);
	CHECK_EQ(block[1], 8);
	CHECK_EQ(block[4], 12);
	CHECK_EQ(block[9], 18);
	CHECK(npy_read(&npy, 2, 0, 2, 5, block, 5, &error));
	CHECK_EQ(block[9], 19);
	npy_close(&npy);

	write_file(bytes, size + 23);
	CHECK(npy_open(&npy, path, &error));
	CHECK_EQ(npy.extra, 3);
	truncate(path, (off_t)size + 10);
	CHECK(!npy_read(&npy, 0, 0, 4, 5, bytes + 500, 5, &error));
	CHECK_STR(error.text, "truncated while it was read");
	npy_close(&npy);

	write_file(bytes, size + 19);
	CHECK(!npy_open(&npy, path, &error));
	CHECK_STR(error.text, "truncated: 19 of the 20 bytes of a 4 x 5 matrix");
	write_file(bytes, 40);
	CHECK(!npy_open(&npy, path, &error));
	CHECK_STR(error.text, "truncated: it ends in the header");
	write_file(bytes, 7);
	CHECK(!npy_open(&npy, path, &error));
	CHECK_STR(error.text, "truncated: it ends in the header");
	write_file(bytes, 0);
	CHECK(!npy_open(&npy, path, &error));
	CHECK_STR(error.text, "the file is empty");
}

static void writing(void)
{
	static const char want[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, "
				   "'shape': (2, 3), }";
	const int32_t one[] = { 1, 2 }, two[] = { 4, 5 }, column[] = { 3, 99, 6, 99 };
	struct npy_writer out;
	uint8_t bytes[300];
	struct stat st;
	ssize_t size;
	int fd;

	unlink(path);
	CHECK(npy_create(&out, path, 2, 3, &error));
	CHECK(access(path, F_OK));
	CHECK(npy_write(&out, 0, 0, 1, 2, one, 8, &error));
	CHECK(npy_write(&out, 1, 0, 1, 2, two, 8, &error));
	CHECK(npy_write(&out, 0, 2, 2, 1, column, 8, &error));
	CHECK(npy_commit(&out, &error));
	/* A signal handler may read the name at any time, so it stays valid. */
	CHECK(out.temp && !*out.temp);
	npy_discard(&out);
	fd = open(path, O_RDONLY);
	size = read(fd, bytes, sizeof(bytes));
	CHECK_EQ(size, 128 + 24);
	CHECK(!memcmp(bytes, want, sizeof(want) - 1));
	CHECK_EQ(bytes[127], '\n');
	CHECK_EQ(bytes[126], ' ');
	CHECK(!memcmp(bytes + 128, ((const int32_t[]){ 1, 2, 3, 4, 5, 6 }), 24));
	fstat(fd, &st);
	CHECK_EQ(st.st_mode & 0777, 0644);
	close(fd);
}

static unsigned int count_files(void)
{
	char command[100];
	unsigned int count = 0;
	FILE *p;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", dir);
	p = popen(command, "r");
	if (!p || fscanf(p, "%u", &count) != 1)
		count = 99;
	if (p)
		pclose(p);
	return count;
}

static void nothing_is_left_of_a_failure(void)
{
	struct npy_writer out;

	write_file("old", 3);
	CHECK(npy_create(&out, path, 100, 100, &error));
	CHECK_EQ(count_files(), 2);
	npy_discard(&out);
	CHECK_EQ(count_files(), 1);
	npy_discard(&out);
	CHECK(!npy_create(&out, "/dev/null", 1, 1, &error));
	CHECK_STR(error.text, "exists and is not a regular file");
	CHECK(!npy_create(&out, "/nowhere/x.npy", 1, 1, &error));
	CHECK_STR(error.text, "No such file or directory");
	CHECK(!npy_create(&out, path, 1ull << 40, 1ull << 40, &error));
	CHECK_STR(error.text, "a 1099511627776 x 1099511627776 matrix is too large for a file");
	CHECK(!npy_create(&out, path, 1ull << 31, 1ull << 31, &error));
	CHECK_EQ(count_files(), 1);
}

static void longest_name_fits(void)
{
	struct npy_writer out;
	char *longest;

	CHECK(asprintf(&longest, "%s/%0255d", dir, 0) > 0);
	CHECK(npy_create(&out, longest, 1, 1, &error));
	CHECK(npy_commit(&out, &error));
	npy_discard(&out);
	CHECK(!access(longest, F_OK));
	CHECK(!unlink(longest));
	free(longest);
}

static void longest_header_fits(void)
{
	uint8_t header[NPY_WRITE_HEADER];

	npy_format(header, UINT64_MAX, UINT64_MAX);
	CHECK_EQ(header[127], '\n');
	CHECK(strstr((char *)header + 10, "18446744073709551615), }"));
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	umask(022);
	snprintf(path, sizeof(path), "%s/x.npy", dir);
	RUN(good_headers);
	RUN(bad_headers);
	RUN(bad_prefixes);
	RUN(files);
	RUN(writing);
	RUN(nothing_is_left_of_a_failure);
	RUN(longest_name_fits);
	RUN(longest_header_fits);
	unlink(path);
	rmdir(dir);
	return check_total_failures != 0;
}
