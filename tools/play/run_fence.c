// SPDX-License-Identifier: MIT
/* Monitored fences. */
#include <errno.h>
#include <stdio.h>

#include "run.h"

/*
 * Made when a statement or a buffer names it first: the device that it is of may be opened
 * behind it.
 */
int need_mfence(struct player *p, uint32_t index, struct vsplit_mfence **fence)
{
	const struct fence_def *def = &p->s->fences[index];
	int ret = 0;

	if (!p->fences[index] && !p->devices[def->device])
		return -EBADF;
	if (!p->fences[index])
		ret = vsplit_mfence_create(p->devices[def->device], def->value, &p->fences[index]);
	*fence = p->fences[index];
	return ret;
}

int run_signal(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_mfence(p, stmt->index, &fence);

	return ret ? ret : vsplit_mfence_signal(fence, stmt->value);
}

int run_wait_fence(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_mfence(p, stmt->index, &fence);

	return ret ? ret : vsplit_mfence_wait(fence, stmt->value, FENCE_MS);
}

/* It waits for as much as is expected, since what raises it may be under way. */
int check_fence(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		size_t size, bool *failed)
{
	struct vsplit_mfence *fence;
	int ret = need_mfence(p, stmt->index, &fence);
	uint64_t value;

	if (ret)
		return ret;
	if (check->compare != COMPARE_LE) {
		ret = vsplit_mfence_wait(fence, check->number, EXPECT_FENCE_MS);
		if (ret && ret != -ETIME)
			return ret;
	}
	value = vsplit_mfence_value(fence);
	snprintf(got, size, "%llu", (unsigned long long)value);
	*failed = !check_holds(check, value);
	return 0;
}

void fences_free(struct player *p, uint32_t device)
{
	uint32_t i;

	for (i = 0; i < p->s->num_fences; i++) {
		if (device != NO_INDEX && p->s->fences[i].device != device)
			continue;
		vsplit_mfence_destroy(p->fences[i]);
		p->fences[i] = NULL;
	}
}
