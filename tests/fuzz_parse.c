// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for the validator: any bytes are a submission. The validator must agree with the
 * reference, and must never read outside of its input.
 *
 * Input: 8 bytes of sizes, then the allocation sizes (a byte each: 0 is NULL,
 * else as many pages), then patch elements, then the stream.
 */
#include "../drv/exec/vsplit_parse.h"
#include "parse_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *take(const uint8_t **data, size_t *size, size_t bytes)
{
	void *copy = malloc(bytes ? bytes : 1);

	if (!copy)
		abort();
	memcpy(copy, *data, bytes);
	*data += bytes;
	*size -= bytes;
	return copy;
}

int vsplit_exec_relax(void)
{
	return 0;
}

static bool has_fence(void *priv, u32 handle)
{
	return handle % 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vsplit_parse_input in = { 0 };
	struct vsplit_parse_error err;
	struct drm_vsplit_patch *patches;
	struct vsplit_parse_alloc *allocs;
	void *stream, *scratch;
	uint8_t *pages;
	uint32_t i;
	int ret;

	if (size < 8)
		return 0;
	in.nr_allocs = data[0] % 16;
	in.nr_patches = data[1] % 32;
	in.nr_slots = 1 + data[2];
	in.has_fence = has_fence;
	data += 8;
	size -= 8;
	if (size < in.nr_allocs + in.nr_patches * sizeof(*patches))
		return 0;
	pages = take(&data, &size, in.nr_allocs);
	allocs = calloc(in.nr_allocs + 1, sizeof(*allocs));
	for (i = 0; i < in.nr_allocs; i++)
		allocs[i].size = pages[i] * 4096ull;
	patches = take(&data, &size, in.nr_patches * sizeof(*patches));
	in.stream_bytes = size > 65536 ? 65536 : size;
	stream = take(&data, &size, in.stream_bytes);
	in.stream = stream;
	in.patches = patches;
	in.allocs = allocs;
	scratch = malloc(vsplit_parse_map_bytes(in.stream_bytes) + 1);

	ret = vsplit_parse_check(&in, scratch, &err);
	if (!ret != parse_reference(&in))
		abort();
	if (ret && !err.reason)
		abort();

	free(scratch);
	free(stream);
	free(patches);
	free(allocs);
	free(pages);
	return 0;
}
