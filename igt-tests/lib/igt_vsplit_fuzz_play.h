/* SPDX-License-Identifier: MIT */
/*
 * Plays: what chance seldom puts together in the right order, such as two surfaces that
 * want the one swizzling range, or a client that never waits. Each is a sequence of calls
 * with a purpose, of which the seed decides the rest. Whatever fails, a play goes on: a
 * step may be injected a failure, and others run beside it.
 */
#ifndef IGT_VSPLIT_FUZZ_PLAY_H
#define IGT_VSPLIT_FUZZ_PLAY_H

#include "igt_vsplit_fuzz.h"

#define PLAY_PAGE	4096ull

/* A buffer with its lists, and what it signals. */
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
/* The element of a handle, appended with @flags if it is new; 0 is the NULL element. */
uint32_t play_element(struct play_buffer *b, uint32_t handle, uint32_t flags);
void play_bind(struct play_buffer *b, uint32_t slot, uint32_t handle, uint32_t flags,
	       uint32_t offset);
/* With the state that it needs. */
void play_fill(struct play_buffer *b, uint32_t slot, uint64_t offset, uint64_t length);
/* Frees nothing. */
int play_send(struct vsplit_fuzz_client *c, struct play_buffer *b, uint32_t ctx, uint32_t flags,
	      uint64_t *submission);
/* The same, waited for, in a context and with a syncobj of its own. */
int play_run(struct vsplit_fuzz_client *c, struct play_buffer *b, uint32_t flags);

/* 0 if it fails. */
uint32_t play_ctx(struct vsplit_fuzz_client *c, uint32_t flags);
void play_ctx_end(struct vsplit_fuzz_client *c, uint32_t ctx);
/* @segment: index of the only one that it may be in; -1: all; -2: apertures. 0 if it fails. */
uint32_t play_bo(struct vsplit_fuzz_client *c, unsigned int pages, uint32_t flags, int segment,
		 uint32_t pitch, uint32_t eviction_set);
int play_escape(struct vsplit_fuzz_client *c, uint32_t op, uint32_t handle, uint64_t value);
/* Of the adapter: index of a segment, -1 if there is none. */
int play_memory(void);
int play_aperture(void);
int play_ranges(void);
/* One page is read or written by a mapping of it, which goes again. */
int play_touch(struct vsplit_fuzz_client *c, uint32_t handle, bool write);

/* Engine 0 takes nothing new; it goes on after @ms, or at play_resume(). */
struct play_pause {
	struct vsplit_fuzz_client *c;
	unsigned int ms;
	bool on, end;
	pthread_t thread;
};

void play_pause(struct play_pause *p, struct vsplit_fuzz_client *c, unsigned int ms);
void play_resume(struct play_pause *p);

/* Something pinned is in the BAR, and something at work. */
void play_before_reset(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);

#endif /* IGT_VSPLIT_FUZZ_PLAY_H */
