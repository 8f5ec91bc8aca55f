// SPDX-License-Identifier: MIT
/* Reads any bytes as a scenario. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parse_error error;
	struct scenario *s = scenario_parse("f", (const char *)data, size, &error);
	uint32_t i, j, mistakes;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	/* If the parser refuses the scenario, the check must find at least one mistake. */
	mistakes = scenario_check_text("f", (const char *)data, size, out);
	fclose(out);
	free(text);
	if (!s && !mistakes)
		abort();
	if (!s) {
		if (strncmp(error.text, "f:", 2))
			abort();
		return 0;
	}
	for (i = 0; i < s->num_dmas; i++) {
		const struct dma_def *dma = &s->dmas[i];
		uint64_t at = 0;

		for (j = 0; j < dma->num_ops; j++) {
			if (dma->ops[j].offset != at)
				abort();
			at += op_bytes(&dma->ops[j], at);
			if (dma->ops[j].type == OP_BIND)
				bind_writes(dma, j);
			op_default_length(s, dma, j);
		}
		if (at != dma->length || !at || at % 8)
			abort();
	}
	scenario_free(s);
	return 0;
}
