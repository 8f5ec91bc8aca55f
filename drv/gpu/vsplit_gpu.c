// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The GPU: powering it up, its address space, and its end.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kthread.h>

#include "vsplit_gpu_machine.h"
#include "debug/vsplit_fault.h"

/**
 * DOC: The software GPU
 *
 * The files of this directory are the hardware. A driver calls its functions, and the
 * hardware answers through struct vsplit_gpu_irq_ops alone. It knows nothing of DRM, TTM
 * or fences.
 *
 * - vsplit_gpu_isa.c: the instruction set as a table;
 * - vsplit_gpu_decode.c: addresses to bytes; copy and fill;
 * - vsplit_gpu_mmu.c: virtual addresses;
 * - vsplit_gpu_paging.c: paging steps;
 * - vsplit_gpu_exec.c, vsplit_gpu_mma.c, vsplit_gpu_draw.c: the interpreter;
 * - vsplit_swizzle.c: the tiled layout;
 * - vsplit_gpu_ranges.c: swizzling ranges;
 * - vsplit_gpu_turns.c: the order of programs;
 * - vsplit_gpu_engine.c: rings and threads;
 * - vsplit_gpu_clock.c: how long things take.
 *
 * All files but the last three and this one are pure C that also runs in a user process.
 *
 * This file allocates everything when the GPU is made, and frees it when the GPU is
 * destroyed; the engines allocate nothing. A GPU dies once: vsplit_gpu_die() lets every
 * engine drop its programs, and an engine gives back later programs without executing them.
 */

static void gpu_init_engine(struct vsplit_gpu *gpu, u32 index,
			    const struct vsplit_gpu_config *config)
{
	struct vsplit_gpu_engine *engine = &gpu->engines[index];
	u32 i;

	engine->gpu = gpu;
	engine->index = index;
	engine->flags = config->engines[index].flags;
	engine->paging = &gpu->engines[config->engines[index].paging];
	spin_lock_init(&engine->lock);
	for (i = 0; i < ARRAY_SIZE(engine->turns); i++)
		engine->turns[i] = RB_ROOT_CACHED;
	engine->exec.space = &gpu->space;
	engine->exec.lenient = engine->flags & VSPLIT_GPU_ENGINE_LENIENT;
}

/* Allocate the memory of the engine's thread; vsplit_gpu_destroy() frees it. */
static int gpu_alloc_engine(struct vsplit_gpu_engine *engine)
{
	struct vsplit_gpu_exec *exec = &engine->exec;

	if (engine->flags & VSPLIT_GPU_ENGINE_PAGING)
		return 0;
	exec->scratch = vsplit_fault("gpu.scratch") ? NULL :
			kvmalloc(vsplit_gpu_mma_scratch_bytes(), GFP_KERNEL | __GFP_NOWARN);
	if (!exec->scratch)
		return -ENOMEM;
	vsplit_gpu_mma_scratch_init(exec->scratch, vsplit_gpu_mma_unit(0));
	vsplit_gpu_tlb_init(&exec->tlb, &engine->gpu->space);
	return 0;
}

static int gpu_start_engine(struct vsplit_gpu_engine *engine, const char *name)
{
	struct task_struct *task;

	task = vsplit_fault("gpu.thread") ? ERR_PTR(-ENOMEM) :
	       kthread_create(vsplit_gpu_engine_thread, engine, "%s", name);
	if (IS_ERR(task))
		return PTR_ERR(task);
	engine->task = task;
	wake_up_process(task);
	return 0;
}

struct vsplit_gpu *vsplit_gpu_create(const struct vsplit_gpu_config *config)
{
	struct vsplit_gpu *gpu;
	int ret = -ENOMEM;
	u32 i;

	gpu = vsplit_fault("gpu.create") ? NULL : kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return ERR_PTR(-ENOMEM);
	gpu->clock = config->clock;
	gpu->model = config->model;
	/* No limit yet: the present is CLOCK_MONOTONIC. */
	seqlock_init(&gpu->present.lock);
	gpu->present.limit = U64_MAX;
	memset64(gpu->present.limits, U64_MAX, ARRAY_SIZE(gpu->present.limits));
	gpu->irq = config->irq;
	gpu->priv = config->priv;
	init_waitqueue_head(&gpu->released);
	init_waitqueue_head(&gpu->unparked);
	init_waitqueue_head(&gpu->asleep);
	gpu->space.dummy = vsplit_fault("gpu.dummy") ? NULL : alloc_page(GFP_KERNEL | __GFP_ZERO);
	gpu->engines = kcalloc(config->nr_engines, sizeof(*gpu->engines), GFP_KERNEL);
	if (!gpu->space.dummy || !gpu->engines)
		goto err;
	/* Initialise all engines before one can fail: vsplit_gpu_destroy() looks at all of them. */
	for (i = 0; i < config->nr_engines; i++)
		gpu_init_engine(gpu, i, config);
	gpu->nr_engines = config->nr_engines;
	for (i = 0; i < gpu->nr_engines; i++) {
		ret = gpu_alloc_engine(&gpu->engines[i]);
		if (ret)
			goto err;
	}
	for (i = 0; i < gpu->nr_engines; i++) {
		ret = gpu_start_engine(&gpu->engines[i], config->engines[i].name);
		if (ret)
			goto err;
	}
	return gpu;

err:
	vsplit_gpu_destroy(gpu);
	return ERR_PTR(ret);
}

void vsplit_gpu_destroy(struct vsplit_gpu *gpu)
{
	u32 i;

	if (!gpu)
		return;
	vsplit_gpu_die(gpu);
	for (i = 0; i < gpu->nr_engines; i++) {
		if (gpu->engines[i].task)
			kthread_stop(gpu->engines[i].task);
	}
	for (i = 0; i < gpu->nr_engines; i++) {
		struct vsplit_gpu_exec *exec = &gpu->engines[i].exec;

		if (exec->scratch)
			mutex_destroy(&exec->tlb.lock);
		kvfree(exec->scratch);
	}
	for (i = 0; i < gpu->space.nr_regions; i++) {
		kvfree(gpu->space.regions[i].entries);
		kvfree(gpu->space.regions[i].ranges);
	}
	if (gpu->space.dummy)
		__free_page(gpu->space.dummy);
	kfree(gpu->engines);
	kfree(gpu);
}

static bool gpu_idle(struct vsplit_gpu *gpu)
{
	u32 held = 0, i;

	for (i = 0; i < gpu->nr_engines && !held; i++) {
		scoped_guard(spinlock_irq, &gpu->engines[i].lock)
			held = gpu->engines[i].held;
	}
	return !held;
}

void vsplit_gpu_die(struct vsplit_gpu *gpu)
{
	u32 i;

	WRITE_ONCE(gpu->dead, true);
	vsplit_sync_point("gpu.dead");
	wake_up_all(&gpu->unparked);
	for (i = 0; i < gpu->nr_engines; i++) {
		if (gpu->engines[i].task)
			wake_up_process(gpu->engines[i].task);
	}
	wait_event(gpu->released, gpu_idle(gpu));
}

/* ---- parking ------------------------------------------------------------ */

bool vsplit_gpu_is_parked(const struct vsplit_gpu *gpu)
{
	return READ_ONCE(gpu->parked) && !vsplit_gpu_is_dead(gpu);
}

void vsplit_gpu_enter(struct vsplit_gpu *gpu)
{
	for (;;) {
		wait_event_idle(gpu->unparked, !vsplit_gpu_is_parked(gpu));
		atomic_inc(&gpu->awake);
		/* Pairs with vsplit_gpu_park(): it sees @awake, or this thread sees @parked. */
		smp_mb__after_atomic();
		if (!vsplit_gpu_is_parked(gpu))
			return;
		vsplit_gpu_leave(gpu);
	}
}

void vsplit_gpu_leave(struct vsplit_gpu *gpu)
{
	if (atomic_dec_and_test(&gpu->awake))
		wake_up_all(&gpu->asleep);
}

void vsplit_gpu_park(struct vsplit_gpu *gpu)
{
	WRITE_ONCE(gpu->parked, true);
	/* Pairs with vsplit_gpu_enter(). */
	smp_mb();
	wait_event_idle(gpu->asleep, !atomic_read(&gpu->awake));
}

void vsplit_gpu_unpark(struct vsplit_gpu *gpu)
{
	WRITE_ONCE(gpu->parked, false);
	wake_up_all(&gpu->unparked);
}

/* ---- address space ------------------------------------------------------ */

static void gpu_add_region(struct vsplit_gpu *gpu, const struct vsplit_gpu_region *region)
{
	struct vsplit_gpu_space *space = &gpu->space;

	space->regions[space->nr_regions] = *region;
	/* Pairs with vsplit_gpu_find_region(): the region is complete. */
	smp_store_release(&space->nr_regions, space->nr_regions + 1);
}

int vsplit_gpu_add_memory(struct vsplit_gpu *gpu, u64 base, u64 size, void *memory)
{
	struct vsplit_gpu_region region = {
		.base = base,
		.size = size,
		.memory = memory,
		.ranges = kvzalloc(size >> PAGE_SHIFT, GFP_KERNEL),
	};

	if (!region.ranges)
		return -ENOMEM;
	gpu_add_region(gpu, &region);
	return 0;
}

int vsplit_gpu_add_gart(struct vsplit_gpu *gpu, u64 base, u64 size)
{
	struct vsplit_gpu_region region = {
		.base = base,
		.size = size,
		.entries = vsplit_fault("gpu.gart") ? NULL :
			   kvcalloc(size >> PAGE_SHIFT, sizeof(*region.entries),
				    GFP_KERNEL | __GFP_NOWARN),
	};

	if (!region.entries)
		return -ENOMEM;
	gpu_add_region(gpu, &region);
	return 0;
}

/* ---- the rest of the interface ------------------------------------------ */

struct vsplit_gpu_engine *vsplit_gpu_engine(struct vsplit_gpu *gpu, u32 index)
{
	return &gpu->engines[index];
}

u32 vsplit_gpu_engine_index(const struct vsplit_gpu_engine *engine)
{
	return engine->index;
}

u64 vsplit_gpu_stray_writes(struct vsplit_gpu *gpu)
{
	return atomic64_read(&gpu->space.stray_writes);
}

struct vsplit_gpu_space *vsplit_gpu_space(struct vsplit_gpu *gpu)
{
	return &gpu->space;
}

u32 *vsplit_gpu_lose_maps(struct vsplit_gpu *gpu)
{
	return &gpu->space.lose_maps;
}

u32 *vsplit_gpu_paging_delay(struct vsplit_gpu *gpu)
{
	return &gpu->paging_delay_us;
}
