// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The order in which an engine executes programs: turns of clients and contexts.
 */
#include "vsplit_gpu_machine.h"

/**
 * DOC: Turns
 *
 * Among the programs in an engine's ring the highest priority goes first. Among clients of
 * equal priority it is the turn of the client that has used the engine least, however much
 * it has queued. From turn to turn of a client its contexts follow each other, and the programs
 * of a context are executed in their order. The kind of the engine says what ends a turn: a
 * program's end, a split point, or the end of a slice of time. A client whose packets, or
 * programs, are longer than those of others therefore has fewer turns, but as much time.
 *
 * A client's used time is the time of its programs, with their paging, and with the time for which
 * the engine stands still while another engine executes that paging (start-time fair queueing,
 * Goyal et al. 1996). Time alone on the engine does not count against a client, and time away does
 * not count in its favour: a client that comes begins with the used time that the client whose turn
 * it is has reached. Used times are compared in slices. A client that has used as much as another
 * is queued behind it, so that equals take turns one after another.
 *
 * A context with a program that others wait for is *preferred*: when it is its turn, it keeps the
 * turns of its client until a program of it ends, and its priority is at least the normal one. So
 * it has all time of its client, and no work of higher priority starves those that wait.
 *
 * Paging has turns of its own, in the same way. In its turn of paging a client has a portion of
 * another engine's program paged, and a program that only pages executed, each for a slice. A
 * program that only pages goes before other programs, also of other clients, as long as its client
 * has not used more than the client whose turn it is. While other programs wait, its time counts
 * as used time of its client among them, too.
 *
 * Every change takes logarithmic time in the number of clients, however much is in the ring.
 */

static struct vsplit_gpu_turn *to_turn(struct rb_node *node)
{
	return rb_entry_safe(node, struct vsplit_gpu_turn, node);
}

static u64 turn_slices(u64 used)
{
	return div_u64(used + VSPLIT_GPU_SLICE_NS / 2, VSPLIT_GPU_SLICE_NS);
}

static bool turn_less(struct rb_node *a, const struct rb_node *b)
{
	return turn_slices(to_turn(a)->used) <
	       turn_slices(rb_entry(b, struct vsplit_gpu_turn, node)->used);
}

static struct vsplit_gpu_turn *context_turn(const struct vsplit_gpu_context *context)
{
	return &context->client->turns[context->priority];
}

/*
 * The time of a program that its client was not charged with yet. By the engine's own clock, unlike
 * vsplit_gpu_program_busy(), because the order of turns must not depend on the host's speed.
 */
static u64 program_uncharged(const struct vsplit_gpu_engine *engine,
			     const struct vsplit_gpu_program *program)
{
	u64 now = vsplit_gpu_clock_read(engine);
	u64 ns = vsplit_gpu_busy_at(&program->busy, now) + vsplit_gpu_busy_at(&program->still, now);

	return ns > program->charged ? ns - program->charged : 0;
}

/* The used time at @priority of the client whose turn it is, or else of the next client. */
static u64 turns_used(const struct vsplit_gpu_engine *engine, u32 priority)
{
	const struct vsplit_gpu_turn *first = to_turn(rb_first_cached(&engine->turns[priority]));
	const struct vsplit_gpu_program *program = engine->current_program;
	u64 used = first ? first->used : 0;

	if (program && program->context->priority == priority)
		used = context_turn(program->context)->used + program_uncharged(engine, program);
	return max(engine->used[priority], used);
}

static void turn_join(struct vsplit_gpu_engine *engine, struct vsplit_gpu_turn *turn, u32 priority)
{
	if (!RB_EMPTY_NODE(&turn->node))
		return;
	turn->used = max(turn->used, turns_used(engine, priority));
	rb_add_cached(&turn->node, &engine->turns[priority], turn_less);
}

static void turn_leave(struct vsplit_gpu_engine *engine, struct vsplit_gpu_turn *turn, u32 priority)
{
	rb_erase_cached(&turn->node, &engine->turns[priority]);
	RB_CLEAR_NODE(&turn->node);
	/* The last client leaves. No other waited for it, so the next begins with its used time. */
	if (RB_EMPTY_ROOT(&engine->turns[priority].rb_root))
		engine->used[priority] = max(engine->used[priority], turn->used);
}

static void turn_charge(struct vsplit_gpu_engine *engine, struct vsplit_gpu_turn *turn,
			u32 priority, u64 ns)
{
	struct rb_root_cached *root = &engine->turns[priority];

	if (RB_EMPTY_NODE(&turn->node)) {
		turn->used = max(turn->used, turns_used(engine, priority)) + ns;
		return;
	}
	if (rb_first_cached(root) == &turn->node)
		engine->used[priority] = max(engine->used[priority], turn->used);
	turn->used += ns;
	rb_erase_cached(&turn->node, root);
	rb_add_cached(&turn->node, root, turn_less);
}

void vsplit_gpu_client_init(struct vsplit_gpu_client *client, struct vsplit_gpu_client *paging)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(client->turns); i++) {
		RB_CLEAR_NODE(&client->turns[i].node);
		INIT_LIST_HEAD(&client->turns[i].contexts);
		client->turns[i].used = 0;
	}
	INIT_LIST_HEAD(&client->apart);
	client->paging = paging;
}

void vsplit_gpu_context_init(struct vsplit_gpu_context *context, struct vsplit_gpu_client *client,
			     u32 priority)
{
	context->client = client;
	context->level = priority;
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
	struct vsplit_gpu_turn *turn = context_turn(context);

	lockdep_assert_held(&engine->lock);

	program->charged = program->busy.ns + program->still.ns;
	list_add_tail(&program->link, &context->programs);
	if (list_empty(&context->link))
		list_add_tail(&context->link, &turn->contexts);
	turn_join(engine, turn, context->priority);
}

/* The next program in a client's turn. */
static struct vsplit_gpu_program *turn_program(struct vsplit_gpu_turn *turn)
{
	struct vsplit_gpu_context *context =
		list_first_entry_or_null(&turn->contexts, struct vsplit_gpu_context, link);

	return context ? list_first_entry(&context->programs, struct vsplit_gpu_program, link) :
			 NULL;
}

struct vsplit_gpu_program *vsplit_gpu_turns_next(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_turn *turn;
	u32 i;

	lockdep_assert_held(&engine->lock);

	for (i = 0; i < VSPLIT_GPU_PRIORITIES; i++) {
		turn = to_turn(rb_first_cached(&engine->turns[i]));
		if (turn)
			return turn_program(turn);
	}
	return NULL;
}

/* Whether @program, which only pages, may go before the other programs. */
static bool turns_may_page(struct vsplit_gpu_engine *engine,
			   const struct vsplit_gpu_program *program)
{
	const struct vsplit_gpu_program *next = vsplit_gpu_turns_next(engine);
	const struct vsplit_gpu_turn *turn, *theirs;

	if (!next)
		return true;
	turn = &program->context->client->turns[next->context->priority];
	theirs = context_turn(next->context);
	return turn_slices(turn->used) <=
	       turn_slices(theirs->used + program_uncharged(engine, next));
}

struct vsplit_gpu_program *vsplit_gpu_turns_next_paging(struct vsplit_gpu_engine *engine, bool held,
							struct vsplit_gpu_program **apart)
{
	struct rb_node *node = rb_first_cached(&engine->turns[VSPLIT_GPU_PAGING]);
	struct vsplit_gpu_program *program;
	struct vsplit_gpu_client *client;

	lockdep_assert_held(&engine->lock);

	for (*apart = NULL; node; node = rb_next(node)) {
		client = container_of(to_turn(node), typeof(*client), turns[VSPLIT_GPU_PAGING]);
		*apart = list_first_entry_or_null(&client->apart, struct vsplit_gpu_program,
						  apart);
		if (!held || *apart)
			break;
	}
	program = node && !held ? turn_program(to_turn(node)) : NULL;
	return program && turns_may_page(engine, program) ? program : NULL;
}

/* Charge @client for paging; if programs waited for it, charge the client among them as well. */
static void turns_charge_paging(struct vsplit_gpu_engine *engine, struct vsplit_gpu_client *client,
				u64 ns)
{
	const struct vsplit_gpu_program *next = vsplit_gpu_turns_next(engine);

	turn_charge(engine, &client->turns[VSPLIT_GPU_PAGING], VSPLIT_GPU_PAGING, ns);
	if (next)
		turn_charge(engine, &client->turns[next->context->priority],
			    next->context->priority, ns);
}

bool vsplit_gpu_turns_end(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;
	u64 ns = program_uncharged(engine, program);

	lockdep_assert_held(&engine->lock);

	program->charged += ns;
	if (!context->preferred)
		list_move_tail(&context->link, &context_turn(context)->contexts);
	if (context->priority == VSPLIT_GPU_PAGING) {
		turns_charge_paging(engine, context->client, ns);
		return true;
	}
	turn_charge(engine, context_turn(context), context->priority, ns);
	return vsplit_gpu_turns_next(engine)->context != context;
}

/* Take the client out of the tree if it has no work there any more. */
static void turn_settle(struct vsplit_gpu_engine *engine, struct vsplit_gpu_client *client,
			u32 priority)
{
	struct vsplit_gpu_turn *turn = &client->turns[priority];

	if (list_empty(&turn->contexts) &&
	    (priority != VSPLIT_GPU_PAGING || list_empty(&client->apart)))
		turn_leave(engine, turn, priority);
}

/* Let the context take its client's turns at @priority from now on. */
static void turn_move(struct vsplit_gpu_engine *engine, struct vsplit_gpu_context *context,
		      u32 priority)
{
	u32 old = context->priority;

	context->priority = priority;
	if (old == priority || list_empty(&context->programs))
		return;
	list_move_tail(&context->link, &context_turn(context)->contexts);
	turn_settle(engine, context->client, old);
	turn_join(engine, context_turn(context), priority);
}

void vsplit_gpu_turns_remove(struct vsplit_gpu_engine *engine, struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;

	lockdep_assert_held(&engine->lock);

	context->preferred = false;
	vsplit_gpu_turns_end(engine, program);
	list_del_init(&program->link);
	if (list_empty(&context->programs))
		list_del_init(&context->link);
	turn_settle(engine, context->client, context->priority);
	turn_move(engine, context, context->level);
}

void vsplit_gpu_prefer(struct vsplit_gpu_engine *engine, const struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_context *context = program->context;
	unsigned long irq_flags;

	spin_lock_irqsave(&engine->lock, irq_flags);
	context->preferred = true;
	turn_move(engine, context, min(context->priority, VSPLIT_GPU_NORMAL));
	spin_unlock_irqrestore(&engine->lock, irq_flags);
}

void vsplit_gpu_turns_add_apart(struct vsplit_gpu_engine *engine,
				struct vsplit_gpu_program *program)
{
	struct vsplit_gpu_client *client = program->context->client->paging;

	lockdep_assert_held(&engine->lock);

	list_add_tail(&program->apart, &client->apart);
	turn_join(engine, &client->turns[VSPLIT_GPU_PAGING], VSPLIT_GPU_PAGING);
}

void vsplit_gpu_turns_end_apart(struct vsplit_gpu_engine *engine, struct vsplit_gpu_client *client,
				u64 ns)
{
	lockdep_assert_held(&engine->lock);

	turn_charge(engine, &client->turns[VSPLIT_GPU_PAGING], VSPLIT_GPU_PAGING, ns);
	turn_settle(engine, client, VSPLIT_GPU_PAGING);
}
