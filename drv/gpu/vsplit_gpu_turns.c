// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Whose turn it is on an engine.
 */
#include "vsplit_gpu_machine.h"

/**
 * DOC: Turns
 *
 * Among the programs in an engine's ring the highest priority goes first. Among
 * equals it is the turn of the client that has used the engine least, whatever it has
 * queued; in the turn of a client its contexts follow each other, and a context's
 * programs are executed in their order. What ends a turn is the engine's nature: a
 * program's end, a split point, or a slice of time. A client whose packets, or programs,
 * are longer than others' therefore has fewer turns, and as much time.
 *
 * What a client has used is the time of its programs, with their paging (start-time fair
 * queueing, Goyal et al. 1996). It is not held against a client that it was alone, nor
 * for a client that it was away: what comes begins with what the client whose turn it is
 * has used by then. Times are compared in slices, and a queue that has used as much as another
 * comes behind it, so that equals take turns one after another.
 *
 * Every change takes logarithmic time in the number of clients, however much is in the ring.
 */

static struct vsplit_gpu_client *to_client(struct rb_node *node)
{
	return rb_entry_safe(node, struct vsplit_gpu_client, node);
}

static u64 client_slices(const struct vsplit_gpu_client *client)
{
	return div_u64(client->used + VSPLIT_GPU_SLICE_NS / 2, VSPLIT_GPU_SLICE_NS);
}

static bool client_less(struct rb_node *a, const struct rb_node *b)
{
	return client_slices(to_client(a)) <
	       client_slices(rb_entry(b, struct vsplit_gpu_client, node));
}

/*
 * What a program has taken that its client was not charged with. By the engine's own clock, unlike
 * vsplit_gpu_program_busy(): whose turn it is must not depend on how fast the host is.
 */
static u64 program_uncharged(const struct vsplit_gpu_engine *engine,
			     const struct vsplit_gpu_program *program)
{
	u64 begun = READ_ONCE(program->busy.begun_ns), ns = READ_ONCE(program->busy.ns);
	u64 now = vsplit_gpu_clock_read(engine);

	if (begun && now > begun)
		ns += now - begun;
	return ns > program->charged ? ns - program->charged : 0;
}

/* Of @priority, what the client whose turn it is has used by now. */
static u64 turns_used(const struct vsplit_gpu_engine *engine, u32 priority)
{
	const struct vsplit_gpu_program *program = engine->current_program;

	if (!program || !program->context || program->context->priority != priority)
		return engine->used[priority];
	return max(engine->used[priority],
		   program->context->client->used + program_uncharged(engine, program));
}

void vsplit_gpu_client_init(struct vsplit_gpu_client *client)
{
	RB_CLEAR_NODE(&client->node);
	INIT_LIST_HEAD(&client->contexts);
	client->used = 0;
}

void vsplit_gpu_context_init(struct vsplit_gpu_context *context, struct vsplit_gpu_client *client,
			     u32 priority)
{
	context->client = client;
	context->priority = priority;
	INIT_LIST_HEAD(&context->link);
	INIT_LIST_HEAD(&context->programs);
}

void vsplit_gpu_exec_swap(struct vsplit_gpu_exec *exec, struct vsplit_gpu_context *context)
{
	u32 i;

	swap(exec->state_defined, context->state_defined);
	for (i = 0; i < VSPLIT_STATE_COUNT; i++)
		swap(exec->state[i], context->state[i]);
}

void vsplit_gpu_turns_add(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;
	struct vsplit_gpu_client *client = context->client;
	u32 priority = context->priority;

	lockdep_assert_held(&engine->lock);

	program->charged = program->busy.ns;
	list_add_tail(&program->link, &context->programs);
	if (list_empty(&context->link))
		list_add_tail(&context->link, &client->contexts);
	if (RB_EMPTY_NODE(&client->node)) {
		client->used = max(client->used, turns_used(engine, priority));
		rb_add_cached(&client->node, &engine->clients[priority], client_less);
	}
}

struct vsplit_gpu_program *vsplit_gpu_turns_next(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_context *context;
	struct vsplit_gpu_client *client;
	u32 i;

	lockdep_assert_held(&engine->lock);

	for (i = 0; i < VSPLIT_GPU_PRIORITIES; i++) {
		client = to_client(rb_first_cached(&engine->clients[i]));
		if (!client)
			continue;
		context = list_first_entry(&client->contexts, struct vsplit_gpu_context, link);
		return list_first_entry(&context->programs, struct vsplit_gpu_program, link);
	}
	return NULL;
}

struct vsplit_gpu_program *vsplit_gpu_turns_begin(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_program *program = vsplit_gpu_turns_next(engine);
	struct vsplit_gpu_context *context;

	if (!program)
		return NULL;
	context = program->context;
	engine->used[context->priority] = max(engine->used[context->priority],
					      context->client->used);
	return program;
}

bool vsplit_gpu_turns_end(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;
	struct vsplit_gpu_client *client = context->client;
	u64 ns = program_uncharged(engine, program);

	lockdep_assert_held(&engine->lock);

	program->charged += ns;
	client->used += ns;
	list_move_tail(&context->link, &client->contexts);
	rb_erase_cached(&client->node, &engine->clients[context->priority]);
	rb_add_cached(&client->node, &engine->clients[context->priority], client_less);
	return vsplit_gpu_turns_next(engine)->context != context;
}

void vsplit_gpu_turns_remove(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;
	struct vsplit_gpu_client *client = context->client;

	lockdep_assert_held(&engine->lock);

	vsplit_gpu_turns_end(engine, program);
	list_del_init(&program->link);
	if (list_empty(&context->programs))
		list_del_init(&context->link);
	if (!list_empty(&client->contexts))
		return;
	rb_erase_cached(&client->node, &engine->clients[context->priority]);
	RB_CLEAR_NODE(&client->node);
	/* Nothing was denied to others by what it took if there are none. */
	if (RB_EMPTY_ROOT(&engine->clients[context->priority].rb_root))
		engine->used[context->priority] = max(engine->used[context->priority],
						      client->used);
}
