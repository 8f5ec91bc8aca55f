/* SPDX-License-Identifier: MIT */
/* Between the files of the fake kernel: objects, and the GPU that executes streams on the CPU. */
#ifndef _VSPLIT_FAKE_GPU_H_
#define _VSPLIT_FAKE_GPU_H_

#include "fake.h"

#define MAX_OBJECTS	65536

struct fake_bo {
	uint64_t offset, size;
	uint32_t locks;
	uint32_t required;
	int used;
};

/* Mappings of virtual addresses. Of mappings that overlap, the last one counts. */
struct fake_va {
	uint64_t address, bytes, at;
};

struct fake_row {
	uint64_t base, size;
	int write;
};

struct fake_gpu {
	const uint8_t *stream;
	const struct drm_vsplit_alloc *allocs;
	const struct drm_vsplit_patch *patches;
	uint32_t num_patches, next_patch;
	struct fake_row *rows;
	uint32_t state[VSPLIT_STATE_COUNT];
	uint32_t valid;
	uint32_t split;
	uint32_t fault;
};

extern struct fake_bo fake_bos[MAX_OBJECTS];
extern struct fake_va fake_vas[64];
/* Offset of the page of each monitored fence. */
extern uint64_t fake_fences[16];
/* The mapped node; offsets are those in it. */
extern uint8_t *fake_memory;

/* Execute a stream, or one packet. The former returns the fault, enum drm_vsplit_fault. */
uint32_t fake_execute(const struct drm_vsplit_submit *args);
void fake_run_packet(struct fake_gpu *gpu, const void *at, uint32_t offset);

void fake_raise_fence(uint32_t handle, uint64_t value);
int fake_is_reached(const struct vsplit_packet_fence *wait);

#endif /* _VSPLIT_FAKE_GPU_H_ */
