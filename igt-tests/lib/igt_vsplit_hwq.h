/* SPDX-License-Identifier: MIT */
/*
 * What the tests of hardware queues share: queues, functions that put packets into a ring, memory
 * that the packets use, and a thread that never lets a queue end.
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

/* A file with a hardware queue, or with a context of virtual addresses, which has no queue. */
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

/* The queues of the running subtest. */
extern struct queue a, b;

/* Makes "ad" with @vram bytes of memory; "a" and "b" are empty. */
void setup_queues(uint64_t vram, unsigned int timeout_ms);
void setup_queues_on(uint64_t vram, unsigned int timeout_ms, bool model_clock);

/* Makes a context on the file, and puts both into @q. */
void context_open(struct queue *q, int file, uint32_t mode, uint32_t priority);
/* Creates the queue of its context, and maps it. */
int __queue_create(struct queue *q, uint32_t ring_bytes);
/* Does all of these: opens a file, makes a context and a queue. */
void queue_open_as(struct queue *q, uint32_t ring_bytes, uint32_t priority);
void queue_open(struct queue *q, uint32_t ring_bytes);
/* Makes another context with a queue on a file. */
void queue_beside(struct queue *q, int file, uint32_t ring_bytes);
void queue_map(struct queue *q);
void queue_unmap(struct queue *q);

/* How many bytes the engine has executed, as it shows. */
uint64_t done(struct queue *q);
/* Shows the engine what was put in, and rings the doorbell. */
void ring(struct queue *q);
/* @ms: 0 does not wait. */
int __wait_ms(struct queue *q, uint64_t until, uint64_t ms);
/* Waits until all that was put in is done. */
int __finish(struct queue *q);
void finish(struct queue *q);

void query(struct queue *q, struct drm_vsplit_ctx_query *args);
uint32_t state(struct queue *q);

/* Puts any bytes into the ring, whether there is room or not. */
void put_bytes(struct queue *q, const void *bytes, uint32_t nr);
/* Puts a packet into the ring, when there is room for it. */
void put(struct queue *q, const void *packet, uint32_t size);

/* Puts the packet that a function of packets.h makes. */
#define put_packet(q, what, ...) do { \
	struct vsplit_packets p_ = {}; \
	expect(vsplit__put_ ## what(&p_, __VA_ARGS__), 0); \
	put(q, p_.stream, p_.bytes); \
	vsplit__packets_free(&p_); \
} while (0)

void put_nop(struct queue *q, uint32_t size);
void put_state(struct queue *q, uint32_t reg, uint32_t value);
/* A fill, with the pattern that was set last. */
void put_fill(struct queue *q, uint64_t dst, uint64_t length);
void put_set(struct queue *q, uint64_t dst, uint64_t length, uint8_t byte);
void put_add(struct queue *q, uint64_t dst, uint64_t value);
void put_spin(struct queue *q, uint32_t us);
void put_history(struct queue *q, uint8_t flags, uint32_t index);

/* Maps @bo at @address, and waits until it is mapped. */
void map(struct queue *q, const struct vsplit_bo *bo, uint64_t address);
/* MakeResident, whatever other devices require. */
int __require(struct queue *q, const struct vsplit_bo *bo);
/* Makes an allocation, requires it, and maps it at @address. */
struct vsplit_bo *alloc(struct queue *q, char name, uint64_t size, uint64_t address);

/* Submits to a context without a hardware queue, which needs all that its device requires. */
void submit_nop(struct queue *q, struct vsplit_cs *cs);

/*
 * Opens a file with a context of virtual addresses, and runs a submission that needs 5 MiB of the
 * memory.
 */
void take_most(struct queue *q, uint32_t priority);

/**
 * struct feeder - Feeds a queue until it is told to stop, so that the queue never ends.
 * @q: the queue.
 * @thread: the thread that feeds it.
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

/* The function of the thread. */
void *feed(void *data);
void feeder_start(struct feeder *f);
void feeder_stop(struct feeder *f);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_HWQ_H */
