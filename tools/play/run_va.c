// SPDX-License-Identifier: MIT
/* GPU virtual addresses: the binds. */
#include <errno.h>

#include "run.h"

int run_va(struct player *p, const struct stmt *stmt)
{
	struct vsplit_device *dev = p->devices[stmt->index];
	const struct va_def *va = &stmt->va;
	struct vsplit_bo *bo;

	switch (va->type) {
	case VSPLIT_VA_UNMAP:
		return vsplit_va_unmap(dev, va->address, va->bytes);
	case VSPLIT_VA_SPARSE:
		return vsplit_va_sparse(dev, va->address, va->bytes);
	default:
		bo = need_bo(p, stmt, va->alloc);
		if (!bo)
			return -ENOENT;
		return vsplit_va_map(dev, bo, va->address,
				     va->bytes ? va->bytes : vsplit_bo_size(bo) - va->offset,
				     va->offset, va->flags);
	}
}
