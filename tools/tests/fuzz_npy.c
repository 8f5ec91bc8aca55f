// SPDX-License-Identifier: MIT
/* Reads any bytes as the beginning of a .npy file. */
#include <stdlib.h>
#include <string.h>

#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct npy_header header;
	struct npy_error error;
	uint64_t elements;
	size_t need;
	/* Use a copy of exactly this size, so that the sanitizer finds accesses beyond its end. */
	uint8_t *bytes = malloc(size ? size : 1);

	memcpy(bytes, data, size);
	if (npy_parse(bytes, size, &header, &need, &error)) {
		if (header.data > size ||
		    __builtin_mul_overflow(header.rows, header.cols, &elements) ||
		    elements > INT64_MAX - header.data)
			abort();
	} else if (error.text[0] ? need != 0 : need <= size) {
		abort();
	}
	free(bytes);
	return 0;
}
