// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The runs of an allocation: where its bytes lie in a segment.
 */
#include "vsplit_gpu_internal.h"

struct vsplit_gpu_runs *vsplit_gpu_runs_create(u32 nr)
{
	struct vsplit_gpu_runs *runs;

	runs = kvzalloc(struct_size(runs, run, nr), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!runs)
		return NULL;
	kref_init(&runs->ref);
	runs->nr = nr;
	return runs;
}

struct vsplit_gpu_runs *vsplit_gpu_runs_get(struct vsplit_gpu_runs *runs)
{
	if (runs)
		kref_get(&runs->ref);
	return runs;
}

static void runs_release(struct kref *ref)
{
	kvfree(container_of(ref, struct vsplit_gpu_runs, ref));
}

void vsplit_gpu_runs_put(struct vsplit_gpu_runs *runs)
{
	if (runs)
		kref_put(&runs->ref, runs_release);
}

u64 vsplit_gpu_runs_find(const struct vsplit_gpu_runs *runs, u64 offset, u64 *address)
{
	u32 first = 0, end = runs->nr;
	const struct vsplit_gpu_run *run;

	while (end - first > 1) {
		u32 middle = first + (end - first) / 2;

		if (runs->run[middle].offset <= offset)
			first = middle;
		else
			end = middle;
	}
	run = &runs->run[first];
	*address = run->address + (offset - run->offset);
	return run->bytes - (offset - run->offset);
}
