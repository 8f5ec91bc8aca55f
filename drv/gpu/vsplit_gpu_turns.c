// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Whose turn it is on an engine.
 */
#include <linux/list.h>

#include "vsplit_gpu_machine.h"

/**
 * DOC: Turns
 *
 * Among the programs in an engine's ring the highest priority goes first. Among
 * equals clients take turns, whatever they have queued; in the turn of a client its
 * contexts do, and a context's programs are executed in their order. What ends a turn
 * is the engine's nature: a program's end, a split point, or a slice of time. Every
 * change takes constant time, however much is in the ring.
 */

void vsplit_gpu_client_init(struct vsplit_gpu_client *client)
{
	INIT_LIST_HEAD(&client->link);
	INIT_LIST_HEAD(&client->contexts);
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

	lockdep_assert_held(&engine->lock);

	list_add_tail(&program->link, &context->programs);
	if (list_empty(&context->link))
		list_add_tail(&context->link, &client->contexts);
	if (list_empty(&client->link))
		list_add_tail(&client->link, &engine->clients[context->priority]);
}

struct vsplit_gpu_program *vsplit_gpu_turns_next(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_context *context;
	struct vsplit_gpu_client *client;
	u32 i;

	lockdep_assert_held(&engine->lock);

	for (i = 0; i < VSPLIT_GPU_PRIORITIES; i++) {
		client = list_first_entry_or_null(&engine->clients[i], struct vsplit_gpu_client,
						  link);
		if (!client)
			continue;
		context = list_first_entry(&client->contexts, struct vsplit_gpu_context, link);
		return list_first_entry(&context->programs, struct vsplit_gpu_program, link);
	}
	return NULL;
}

bool vsplit_gpu_turns_end(struct vsplit_gpu_engine *engine, struct vsplit_gpu_context *context)
{
	struct vsplit_gpu_client *client = context->client;

	lockdep_assert_held(&engine->lock);

	list_move_tail(&context->link, &client->contexts);
	list_move_tail(&client->link, &engine->clients[context->priority]);
	return vsplit_gpu_turns_next(engine)->context != context;
}

void vsplit_gpu_turns_remove(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;
	struct vsplit_gpu_client *client = context->client;

	lockdep_assert_held(&engine->lock);

	vsplit_gpu_turns_end(engine, context);
	list_del_init(&program->link);
	if (list_empty(&context->programs))
		list_del_init(&context->link);
	if (list_empty(&client->contexts))
		list_del_init(&client->link);
}
