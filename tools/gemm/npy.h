/* SPDX-License-Identifier: MIT */
/* NumPy's .npy files, limited to two-dimensional arrays of int8 and int32. */
#ifndef _VSPLIT_NPY_H_
#define _VSPLIT_NPY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_ERROR	320
#define NPY_MAX_HEADER	(1u << 20)	/* NumPy writes a few hundred bytes at most */

/* Reason for which a file was refused. It is a text for the user, without the file's name. */
struct npy_error {
	char text[NPY_ERROR];
};

/*
 * The content of a header.
 * @data: offset of the first element in the file.
 * @rows: rows of the matrix.
 * @cols: columns of the matrix.
 */
struct npy_header {
	uint64_t data;
	uint64_t rows;
	uint64_t cols;
};

/*
 * Parse the header of an int8 matrix in C order.
 * @bytes: the beginning of the file, with all of the header or all that was read so far.
 * @size: number of bytes.
 * @need: out, if false is returned with an empty error: number of bytes that are needed to go on.
 */
bool npy_parse(const uint8_t *bytes, size_t size, struct npy_header *header, size_t *need,
	       struct npy_error *error);

/* An open input file. */
struct npy {
	int fd;
	uint64_t extra;	/* bytes after the array */
	struct npy_header header;
};

bool npy_open(struct npy *npy, const char *path, struct npy_error *error);
void npy_close(struct npy *npy);

/* Copy a block of rows [row, row + rows), columns [col, col + cols). */
bool npy_read(const struct npy *npy, uint64_t row, uint64_t col, uint64_t rows,
	      uint64_t cols, void *dst, size_t pitch, struct npy_error *error);

/*
 * An int32 matrix that is being written. It gets its name when it is complete.
 * @temp: the name until then; empty if there is no file.
 */
struct npy_writer {
	int fd;
	uint64_t data;
	uint64_t rows;
	uint64_t cols;
	char *path;
	char *temp;
};

#define NPY_WRITE_HEADER	128

/* The header that NumPy writes for an int32 matrix. */
void npy_format(uint8_t header[NPY_WRITE_HEADER], uint64_t rows, uint64_t cols);

bool npy_create(struct npy_writer *out, const char *path, uint64_t rows, uint64_t cols,
		struct npy_error *error);
bool npy_write(struct npy_writer *out, uint64_t row, uint64_t col, uint64_t rows,
	       uint64_t cols, const void *src, size_t pitch, struct npy_error *error);

/* Rename the complete file to its name. npy_discard() must still be called. */
bool npy_commit(struct npy_writer *out, struct npy_error *error);

/* Free the writer. A file that was not committed is removed. */
void npy_discard(struct npy_writer *out);

#endif /* _VSPLIT_NPY_H_ */
