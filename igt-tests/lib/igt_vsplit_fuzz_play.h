/* SPDX-License-Identifier: MIT */
/*
 * Plays: sequences that random steps seldom produce in the right order, such as two surfaces that
 * want the only swizzling range, or a client that never waits. Each play is a sequence of calls
 * with a purpose; the seed decides the rest. A play goes on whatever fails, because failures may be
 * injected into its step, and others run beside it.
 */
#ifndef IGT_VSPLIT_FUZZ_PLAY_H
#define IGT_VSPLIT_FUZZ_PLAY_H

#include "igt_vsplit_fuzz.h"

#define PLAY_PAGE	4096ull

/* A buffer with its lists and syncs. */
struct play_buffer {
	union {
		struct vsplit_packets p;
		struct vsplit_packets;
	};
	uint32_t split;
	struct drm_vsplit_sync syncs[8];
	uint32_t nr_syncs;
};

struct play_buffer *play_buffer(void);
void play_buffer_free(struct play_buffer *b);
/* The list element of a handle, appended with @flags if it is new; 0 is the NULL element. */
uint32_t play_element(struct play_buffer *b, uint32_t handle, uint32_t flags);
void play_bind(struct play_buffer *b, uint32_t slot, uint32_t handle, uint32_t flags,
	       uint32_t offset);
/* A fill, with the state that it needs. */
void play_fill(struct play_buffer *b, uint32_t slot, uint64_t offset, uint64_t length);
/* Submits the buffer, but does not free it. */
int play_send(struct vsplit_fuzz_client *c, struct play_buffer *b, uint32_t ctx, uint32_t flags,
	      uint64_t *submission);
/* The same, in a context and with a syncobj of its own, and waits for it. */
int play_run(struct vsplit_fuzz_client *c, struct play_buffer *b, uint32_t flags);

/* Returns 0 if it fails. */
uint32_t play_ctx(struct vsplit_fuzz_client *c, uint32_t flags);
void play_ctx_end(struct vsplit_fuzz_client *c, uint32_t ctx);
/* @segment: index of the only segment allowed; -1: all; -2: apertures. Returns 0 if it fails. */
uint32_t play_bo(struct vsplit_fuzz_client *c, unsigned int pages, uint32_t flags, int segment,
		 uint32_t pitch, uint32_t eviction_set);
int play_escape(struct vsplit_fuzz_client *c, uint32_t op, uint32_t handle, uint64_t value);
/* Index of such a segment of the adapter, or -1. */
int play_memory(void);
int play_aperture(void);
int play_ranges(void);
/* Maps the allocation, reads or writes one page, and unmaps it. */
int play_touch(struct vsplit_fuzz_client *c, uint32_t handle, bool write);

/* Engine 0 takes no new work; it goes on after @ms, or at play_resume(). */
struct play_pause {
	struct vsplit_fuzz_client *c;
	unsigned int ms;
	bool on, end;
	pthread_t thread;
};

void play_pause(struct play_pause *p, struct vsplit_fuzz_client *c, unsigned int ms);
void play_resume(struct play_pause *p);

/* Leaves pinned and unpinned allocations in the BAR, and perhaps running work. */
void play_before_reset(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);

#endif /* IGT_VSPLIT_FUZZ_PLAY_H */
