/* SPDX-License-Identifier: MIT */
/*
 * What the tests of hardware queues share: queues, what is put into a ring, memory that it uses,
 * and a thread that never lets a queue end.
 */
#ifndef IGT_VSPLIT_HWQ_H
#define IGT_VSPLIT_HWQ_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

#define KIB	1024ull
#define MIB	(1ull << 20)

/* A file with a hardware queue; or with a context of virtual addresses, which has none. */
struct queue {
	int fd;
	uint32_t ctx;
	uint32_t ring_bytes;
	uint64_t offset;
	uint64_t bytes;
	uint64_t tail;
	uint8_t *pages;
	_Atomic uint32_t *doorbell;
	struct drm_vsplit_hwq_control *control;
	uint8_t *ring;
};

/* Of the subtest that runs. */
extern struct queue a, b;

/* Makes "ad", with so much memory; "a" and "b" have nothing yet. */
void setup_queues(uint64_t vram, unsigned int timeout_ms);
void setup_queues_on(uint64_t vram, unsigned int timeout_ms, bool model_clock);

/* A context of the file, which the queue has from then on. */
void context_open(struct queue *q, int file, uint32_t mode, uint32_t priority);
/* Its queue, mapped. */
int __queue_create(struct queue *q, uint32_t ring_bytes);
/* All of these: a file, its context and a queue. */
void queue_open_as(struct queue *q, uint32_t ring_bytes, uint32_t priority);
void queue_open(struct queue *q, uint32_t ring_bytes);
/* One more of a file. */
void queue_beside(struct queue *q, int file, uint32_t ring_bytes);
void queue_map(struct queue *q);
void queue_unmap(struct queue *q);

/* What the engine has shown to be done. */
uint64_t done(struct queue *q);
/* Shows the engine what was put in, and rings. */
void ring(struct queue *q);
/* 0 for @ms: does not wait. */
int __wait_ms(struct queue *q, uint64_t until, uint64_t ms);
/* Waits for all that was put in. */
int __finish(struct queue *q);
void finish(struct queue *q);

void query(struct queue *q, struct drm_vsplit_ctx_query *args);
uint32_t state(struct queue *q);

/* Any bytes, whether there is room or not. */
void put_bytes(struct queue *q, const void *bytes, uint32_t nr);
/* A packet, when there is room for it. */
void put(struct queue *q, const void *packet, uint32_t size);

/* By its function of packets.h. */
#define put_packet(q, what, ...) do { \
	struct vsplit_packets p_ = {}; \
	expect(vsplit__put_ ## what(&p_, __VA_ARGS__), 0); \
	put(q, p_.stream, p_.bytes); \
	vsplit__packets_free(&p_); \
} while (0)

void put_nop(struct queue *q, uint32_t size);
void put_state(struct queue *q, uint32_t reg, uint32_t value);
/* With the pattern that was set last. */
void put_fill(struct queue *q, uint64_t dst, uint64_t length);
void put_set(struct queue *q, uint64_t dst, uint64_t length, uint8_t byte);
void put_add(struct queue *q, uint64_t dst, uint64_t value);
void put_spin(struct queue *q, uint32_t us);
void put_history(struct queue *q, uint8_t flags, uint32_t index);

/* Maps @bo at @address, and waits until it is. */
void map(struct queue *q, const struct vsplit_bo *bo, uint64_t address);
/* MakeResident, whatever others require. */
int __require(struct queue *q, const struct vsplit_bo *bo);
/* Required, and mapped at @address. */
struct vsplit_bo *alloc(struct queue *q, char name, uint64_t size, uint64_t address);

/* Something for a queue that is no hardware queue, which needs all that its device requires. */
void submit_nop(struct queue *q, struct vsplit_cs *cs);

/* A context of virtual addresses, on a file of its own, runs with 5 MiB of the memory. */
void take_most(struct queue *q, uint32_t priority);

/**
 * struct feeder - Feeds a queue until it is told to stop, so that the queue never ends.
 * @q: the queue.
 * @thread: that feeds it.
 * @stop: ends the thread.
 * @dst: an address whose word grows by one with each round, or 0.
 * @us: how long a round spins.
 * @added: rounds with @dst.
 */
struct feeder {
	struct queue *q;
	pthread_t thread;
	atomic_bool stop;
	uint64_t dst;
	uint32_t us;
	uint64_t added;
};

/* What the thread does. */
void *feed(void *data);
void feeder_start(struct feeder *f);
void feeder_stop(struct feeder *f);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_HWQ_H */
