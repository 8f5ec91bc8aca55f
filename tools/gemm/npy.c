// SPDX-License-Identifier: MIT
/*
 * NumPy's .npy format, versions 1.0 to 3.0. A file has the magic string, the version, the length of
 * the header, the header (a Python dictionary) and the elements.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "npy.h"

#define MAGIC		"\x93NUMPY"
#define MAGIC_LEN	6
#define IO_BLOCK	(1u << 26)

static bool fail(struct npy_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct npy_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return false;
}

/* ---- the header -------------------------------------------------------- */

struct reader {
	const char *at;
	const char *end;
	struct npy_error *error;
};

static void skip_space(struct reader *r)
{
	while (r->at < r->end && isspace((unsigned char)*r->at))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_space(r);
	if (r->at >= r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool malformed(struct reader *r, const char *what)
{
	return fail(r->error, "malformed header: %s expected", what);
}

/* Take a string without escapes: no valid header has any. */
static bool take_string(struct reader *r, char *text, size_t size)
{
	const char *begin;
	char quote;
	size_t len;

	skip_space(r);
	if (r->at >= r->end || (*r->at != '\'' && *r->at != '"'))
		return malformed(r, "a string");
	quote = *r->at++;
	begin = r->at;
	while (r->at < r->end && *r->at != quote && *r->at != '\\' && *r->at != '\n')
		r->at++;
	if (r->at >= r->end || *r->at != quote)
		return malformed(r, "the end of a string");
	len = (size_t)(r->at - begin);
	r->at++;
	if (len >= size)
		len = size - 1;
	memcpy(text, begin, len);
	text[len] = '\0';
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	skip_space(r);
	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len))
		return false;
	r->at += len;
	return true;
}

static bool take_dimension(struct reader *r, uint64_t *value)
{
	*value = 0;
	skip_space(r);
	if (r->at >= r->end || !isdigit((unsigned char)*r->at))
		return malformed(r, "a size of the shape");
	for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++) {
		if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*r->at - '0'), value))
			return fail(r->error, "a size of the shape is over 64 bits");
	}
	/* Python 2 wrote long integers with this suffix. */
	if (r->at < r->end && *r->at == 'L')
		r->at++;
	return true;
}

static bool take_shape(struct reader *r, struct npy_header *header)
{
	unsigned int dims = 0;
	bool comma = true;
	uint64_t dim[2];

	if (!take(r, '('))
		return malformed(r, "the shape, a tuple,");
	while (!take(r, ')')) {
		uint64_t value;

		if (!comma)
			return malformed(r, "a comma in the shape");
		if (!take_dimension(r, &value))
			return false;
		if (dims < 2)
			dim[dims] = value;
		dims++;
		comma = take(r, ',');
	}
	if (dims == 1 && !comma)
		return malformed(r, "a tuple as the shape");
	if (dims != 2)
		return fail(r->error, "the array has %u dimension%s, not the 2 of a matrix",
			    dims, dims == 1 ? "" : "s");
	header->rows = dim[0];
	header->cols = dim[1];
	return true;
}

static bool take_descr(struct reader *r)
{
	static const char *const int8[] = { "|i1", "i1", "<i1", ">i1", "=i1", "int8", "b" };
	char text[40];
	size_t i;

	skip_space(r);
	if (r->at < r->end && *r->at == '[')
		return fail(r->error, "the elements are structures, not int8");
	if (!take_string(r, text, sizeof(text)))
		return false;
	for (i = 0; i < ARRAY_SIZE(int8); i++) {
		if (!strcmp(text, int8[i]))
			return true;
	}
	for (i = 0; text[i]; i++) {
		if (!isprint((unsigned char)text[i]))
			text[i] = '?';
	}
	return fail(r->error, "the elements are of type '%s', not int8 ('|i1')", text);
}

static bool take_order(struct reader *r)
{
	if (take_word(r, "True"))
		return fail(r->error,
			    "the array is in Fortran order; save it in C order (numpy.ascontiguousarray)");
	if (!take_word(r, "False"))
		return malformed(r, "True or False as fortran_order");
	return true;
}

static bool parse_dict(struct reader *r, struct npy_header *header)
{
	enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
	unsigned int seen = 0, key;
	bool comma = true, ok;
	char name[24];

	if (!take(r, '{'))
		return malformed(r, "a dictionary");
	while (!take(r, '}')) {
		if (!comma)
			return malformed(r, "a comma");
		if (!take_string(r, name, sizeof(name)))
			return false;
		if (!strcmp(name, "descr"))
			key = DESCR;
		else if (!strcmp(name, "fortran_order"))
			key = ORDER;
		else if (!strcmp(name, "shape"))
			key = SHAPE;
		else
			return fail(r->error, "malformed header: unknown key");
		if (seen & key)
			return fail(r->error, "malformed header: '%s' twice", name);
		seen |= key;
		if (!take(r, ':'))
			return malformed(r, "a colon");
		ok = key == DESCR ? take_descr(r) :
		     key == ORDER ? take_order(r) : take_shape(r, header);
		if (!ok)
			return false;
		comma = take(r, ',');
	}
	skip_space(r);
	if (r->at < r->end)
		return fail(r->error, "malformed header: more after the dictionary");
	if (seen != (DESCR | ORDER | SHAPE))
		return fail(r->error, "malformed header: %s is missing",
			    !(seen & DESCR) ? "descr" : !(seen & ORDER) ? "fortran_order" : "shape");
	return true;
}

bool npy_parse(const uint8_t *bytes, size_t size, struct npy_header *header, size_t *need,
	       struct npy_error *error)
{
	struct reader reader = { .error = error };
	size_t prefix, i;
	uint64_t length = 0, elements;

	*need = 0;
	error->text[0] = '\0';
	if (memcmp(bytes, MAGIC, size < MAGIC_LEN ? size : MAGIC_LEN))
		return fail(error, "not a .npy file (no magic string)");
	if (size < MAGIC_LEN + 2) {
		*need = MAGIC_LEN + 2;
		return false;
	}
	if (bytes[6] < 1 || bytes[6] > 3 || bytes[7])
		return fail(error, "version %u.%u of the .npy format is not known", bytes[6],
			    bytes[7]);
	prefix = MAGIC_LEN + 2 + (bytes[6] == 1 ? 2 : 4);
	if (size < prefix) {
		*need = prefix;
		return false;
	}
	for (i = prefix; i > MAGIC_LEN + 2; i--)
		length = length << 8 | bytes[i - 1];
	if (length > NPY_MAX_HEADER)
		return fail(error, "a header of %" PRIu64 " bytes is more than any matrix needs",
			    length);
	if (size < prefix + length) {
		*need = prefix + (size_t)length;
		return false;
	}
	reader.at = (const char *)bytes + prefix;
	reader.end = reader.at + length;
	if (!parse_dict(&reader, header))
		return false;
	if (__builtin_mul_overflow(header->rows, header->cols, &elements) ||
	    elements > INT64_MAX - prefix - length)
		return fail(error, "the shape (%" PRIu64 ", %" PRIu64 ") is too large",
			    header->rows, header->cols);
	header->data = prefix + length;
	return true;
}

/* ---- reading ----------------------------------------------------------- */

/* Read up to @size bytes; fewer if the file ends before. */
static ssize_t read_at(int fd, void *dst, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < IO_BLOCK ? size - done : IO_BLOCK;
		ssize_t n = pread(fd, (char *)dst + done, part, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static bool read_header(struct npy *npy, struct npy_error *error)
{
	size_t size = 256, need;
	uint8_t *bytes = NULL, *more;
	ssize_t got;
	bool ok;

	for (;;) {
		more = realloc(bytes, size);
		if (!more) {
			free(bytes);
			return fail(error, "%s", strerror(ENOMEM));
		}
		bytes = more;
		got = read_at(npy->fd, bytes, size, 0);
		if (got < 0) {
			free(bytes);
			return fail(error, "%s", strerror(errno));
		}
		ok = npy_parse(bytes, (size_t)got, &npy->header, &need, error);
		if (ok || error->text[0])
			break;
		if ((size_t)got < size) {
			fail(error, got ? "truncated: it ends in the header" : "the file is empty");
			break;
		}
		size = need;
	}
	free(bytes);
	return ok;
}

bool npy_open(struct npy *npy, const char *path, struct npy_error *error)
{
	uint64_t have, want;
	struct stat st;

	npy->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (npy->fd < 0)
		return fail(error, "%s", strerror(errno));
	if (fstat(npy->fd, &st)) {
		fail(error, "%s", strerror(errno));
		goto err_close;
	}
	if (!S_ISREG(st.st_mode)) {
		fail(error, "not a regular file");
		goto err_close;
	}
	if (!read_header(npy, error))
		goto err_close;
	have = (uint64_t)st.st_size - npy->header.data;
	want = npy->header.rows * npy->header.cols;
	if (have < want) {
		fail(error, "truncated: %" PRIu64 " of the %" PRIu64 " bytes of a %" PRIu64
		     " x %" PRIu64 " matrix", have, want, npy->header.rows, npy->header.cols);
		goto err_close;
	}
	npy->extra = have - want;
	return true;

err_close:
	npy_close(npy);
	return false;
}

void npy_close(struct npy *npy)
{
	if (npy->fd >= 0)
		close(npy->fd);
	npy->fd = -1;
}

bool npy_read(const struct npy *npy, uint64_t row, uint64_t col, uint64_t rows,
	      uint64_t cols, void *dst, size_t pitch, struct npy_error *error)
{
	uint64_t at = npy->header.data + row * npy->header.cols + col, i;
	bool whole = cols == npy->header.cols && pitch == cols;
	size_t size = whole ? (size_t)(rows * cols) : (size_t)cols;

	for (i = 0; i < (whole ? 1 : rows); i++) {
		ssize_t got = read_at(npy->fd, (char *)dst + i * pitch, size,
				      at + i * npy->header.cols);

		if (got < 0)
			return fail(error, "%s", strerror(errno));
		if ((size_t)got < size)
			return fail(error, "truncated while it was read");
	}
	return true;
}

/* ---- writing ----------------------------------------------------------- */

void npy_format(uint8_t header[NPY_WRITE_HEADER], uint64_t rows, uint64_t cols)
{
	int len;

	memset(header, ' ', NPY_WRITE_HEADER);
	memcpy(header, MAGIC "\x01\x00", 8);
	header[8] = NPY_WRITE_HEADER - 10;
	header[9] = 0;
	len = snprintf((char *)header + 10, NPY_WRITE_HEADER - 10,
		       "{'descr': '<i4', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu64 "), }",
		       rows, cols);
	header[10 + len] = ' ';
	header[NPY_WRITE_HEADER - 1] = '\n';
}

static bool write_at(int fd, const void *src, size_t size, uint64_t offset,
		     struct npy_error *error)
{
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < IO_BLOCK ? size - done : IO_BLOCK;
		ssize_t n = pwrite(fd, (const char *)src + done, part, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(error, "%s", strerror(errno));
		done += (size_t)n;
	}
	return true;
}

/*
 * Return a name in the directory of @path that no other process uses. It contains only the
 * beginning of the file's name, so that it does not exceed NAME_MAX, either.
 */
static char *temp_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path + 1) : 0;
	char *temp;

	if (asprintf(&temp, "%.*s.%.200s.XXXXXX", dir, path, path + dir) < 0)
		return NULL;
	return temp;
}

bool npy_create(struct npy_writer *out, const char *path, uint64_t rows, uint64_t cols,
		struct npy_error *error)
{
	uint8_t header[NPY_WRITE_HEADER];
	uint64_t bytes;
	struct stat st;
	mode_t mask;

	*out = (struct npy_writer){ .fd = -1, .rows = rows, .cols = cols };
	if (__builtin_mul_overflow(rows, cols, &bytes) ||
	    bytes > (INT64_MAX - NPY_WRITE_HEADER) / 4)
		return fail(error, "a %" PRIu64 " x %" PRIu64 " matrix is too large for a file",
			    rows, cols);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fail(error, "exists and is not a regular file");
	out->path = strdup(path);
	out->temp = temp_name(path);
	if (!out->path || !out->temp) {
		npy_discard(out);
		return fail(error, "%s", strerror(ENOMEM));
	}
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd < 0) {
		fail(error, "%s", strerror(errno));
		out->temp[0] = '\0';
		npy_discard(out);
		return false;
	}
	mask = umask(0);
	umask(mask);
	fchmod(out->fd, 0666 & ~mask);
	out->data = NPY_WRITE_HEADER;
	npy_format(header, rows, cols);
	if (!write_at(out->fd, header, sizeof(header), 0, error) ||
	    (ftruncate(out->fd, (off_t)(out->data + bytes * 4)) &&
	     !fail(error, "%s", strerror(errno)))) {
		npy_discard(out);
		return false;
	}
	return true;
}

bool npy_write(struct npy_writer *out, uint64_t row, uint64_t col, uint64_t rows,
	       uint64_t cols, const void *src, size_t pitch, struct npy_error *error)
{
	uint64_t at = out->data + (row * out->cols + col) * 4, i;
	bool whole = cols == out->cols && pitch == cols * 4;
	size_t size = whole ? (size_t)(rows * cols * 4) : (size_t)(cols * 4);

	for (i = 0; i < (whole ? 1 : rows); i++) {
		if (!write_at(out->fd, (const char *)src + i * pitch, size,
			      at + i * out->cols * 4, error))
			return false;
	}
	return true;
}

bool npy_commit(struct npy_writer *out, struct npy_error *error)
{
	/* Some file systems do not support fsync; the data is written nevertheless. */
	if (fsync(out->fd) && errno != EINVAL && errno != ENOSYS)
		return fail(error, "%s", strerror(errno));
	if (close(out->fd)) {
		out->fd = -1;
		return fail(error, "%s", strerror(errno));
	}
	out->fd = -1;
	if (rename(out->temp, out->path))
		return fail(error, "%s", strerror(errno));
	out->temp[0] = '\0';
	return true;
}

void npy_discard(struct npy_writer *out)
{
	if (out->fd >= 0)
		close(out->fd);
	if (out->temp && out->temp[0])
		unlink(out->temp);
	free(out->path);
	free(out->temp);
	*out = (struct npy_writer){ .fd = -1 };
}
