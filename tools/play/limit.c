// SPDX-License-Identifier: MIT
/*
 * Limits statements while an engine is suspended. Such a statement may wait for the engine anywhere:
 * in a call of the kernel, or in a page fault. No later statement could resume the engine then, so a
 * thread does it after a while, and the statement has failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "parse.h"
#include "run.h"

/*
 * @suspended: the engines, as bits.
 * @lock: protects the members below.
 * @done: the statement has ended.
 * @expired: the engines were resumed.
 */
struct limit {
	struct player *p;
	uint64_t suspended;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done;
	bool expired;
};

static void *watch(void *arg)
{
	struct limit *l = arg;
	int ms = l->p->options->suspended_ms ? l->p->options->suspended_ms : SUSPENDED_MS, ret = 0;
	struct timespec end;
	uint32_t i;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&l->lock);
	while (!l->done && !ret)
		ret = pthread_cond_clockwait(&l->ended, &l->lock, CLOCK_MONOTONIC, &end);
	l->expired = !l->done;
	for (i = 0; l->expired && i < MAX_ENGINES; i++) {
		if (l->suspended >> i & 1)
			resume_engine(l->p, i);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int run_limited(struct player *p, const struct stmt *stmt)
{
	struct limit l = {
		.p = p, .suspended = p->suspended,
		.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER,
	};
	pthread_t thread;
	int ret;

	if (!p->suspended)
		return run_statement(p, stmt);
	ret = -pthread_create(&thread, NULL, watch, &l);
	if (ret)
		return ret;
	ret = run_statement(p, stmt);
	pthread_mutex_lock(&l.lock);
	l.done = true;
	pthread_cond_signal(&l.ended);
	pthread_mutex_unlock(&l.lock);
	pthread_join(thread, NULL);
	if (!l.expired)
		return ret;
	p->suspended = 0;
	say(p->s, stmt->line, "%s waits for an engine that is suspended; it is resumed now",
	    statement_word(stmt->type));
	return ret ? ret : -EDEADLK;
}
