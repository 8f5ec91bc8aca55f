// SPDX-License-Identifier: MIT
/* GPU virtual addresses: changes of mappings. */
#include <errno.h>

#include "run.h"

/*
 * A ring cannot wait for a bind, so the player waits before it binds. What was parked counts as
 * submitted before the bind if it was released before.
 */
static int bind(struct player *p, uint32_t device, const struct drm_vsplit_va_op *op)
{
	struct vsplit_device *dev = p->devices[device];
	int ret = settle_device(p, device);

	if (!ret)
		ret = vsplit_va_bind(dev, op, 1, NULL, 0);
	return ret || !has_hwq(p, device) ? ret : vsplit_va_wait(dev, -1);
}

int run_va(struct player *p, const struct stmt *stmt)
{
	const struct va_def *va = &stmt->va;
	struct drm_vsplit_va_op op = {
		.type = va->type, .flags = va->flags, .address = va->address, .bytes = va->bytes,
		.offset = va->offset,
	};
	struct va_def done = *va;
	struct vsplit_bo *bo;
	uint64_t t0_ns;
	int ret;

	if (va->type == VSPLIT_VA_MAP) {
		bo = need_bo(p, stmt, va->alloc);
		if (!bo)
			return -ENOENT;
		op.handle = vsplit_bo_handle(bo);
		if (!op.bytes)
			op.bytes = vsplit_bo_size(bo) - va->offset;
	}
	t0_ns = play_now_ns();
	ret = bind(p, stmt->index, &op);
	done.bytes = op.bytes;
	*result_add_bind(p->r) = (struct bind_result){
		.device = stmt->index, .line = stmt->line, .error = ret, .va = done,
		.t0_ns = t0_ns, .t1_ns = play_now_ns(),
	};
	result_log(p->r, LOG_BIND, p->r->num_binds - 1, 0);
	if (!ret)
		shown_at(p, stmt->index, &done);
	return ret;
}
