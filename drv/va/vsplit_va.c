// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: GPU virtual addresses
 *
 * A device whose contexts have GPU virtual addresses has one address space. A tree of drm_gpuvm
 * says which address shows what. drm_gpuvm splits a mapping where another one takes a part of it.
 * The page tables are the hardware's (gpu/vsplit_gpu_mmu.c). How both change, and in which order
 * with moves, is in Documentation/virtual-addresses.rst, *How it works*.
 *
 * A call changes the tree at once, under the address space's lock, and undoes the change if it
 * fails. The page tables change later, by a paging job, the *bind* (exec/vsplit_bind.c).
 *
 * Each allocation has, for each address space that maps it, an array of its mappings, which is
 * constant (struct vsplit_gpu_maps). A bind replaces the array of its own address space, under the
 * allocation's dma_resv. A step that moves the allocation has a reference to all of its arrays. An
 * array is charged to the user of its address space until no step has it any more, because binds
 * and moves that take turns, behind work that does not end, leave an array each. If no step has an
 * array, one that is not larger replaces it without room for both: so a client at its limit can
 * unmap. An array refers to its address space, so page tables, too, are there, and charged, for as
 * long as the array is.
 *
 * The hardware may write through a writable mapping at any time. So while an allocation in a memory
 * segment has such a mapping, it is dirty.
 *
 * A mapping is a user of its allocation (vsplit_release.c). When a file is closed, its address
 * space is there until the work of its contexts is done. Then the mappings are taken down without a
 * bind, because no work is left that could use an address. Moves that still have arrays of these
 * mappings write page tables that nothing reads.
 */
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "va/vsplit_va.h"
#include "debug/vsplit_fault.h"
#include "vsplit_compat.h"
#include "vsplit_device.h"
#include "vsplit_user.h"

#define VSPLIT_VA_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/*
 * A step of a bind writes the entries of at most twice so many bytes: 8 bytes for a page, in a
 * fraction of a millisecond. To find the entries of a range takes as long as to write those of EACH
 * bytes.
 */
#define VSPLIT_VA_STEP_BYTES	SZ_64M
#define VSPLIT_VA_STEP_EACH	SZ_32K

/* An address space with fewer bytes of page tables than this does not look for unused ones. */
#define VSPLIT_VA_PRUNE_BYTES	(256u << 10)

/**
 * struct vsplit_mapping - A range of addresses that shows a part of an allocation, or is sparse.
 * @base: drm_gpuvm's; in the tree if @live, in the list of its allocation if it has a vm_bo.
 * @read_only: the GPU may not write through it; constant.
 * @live: the mapping is in the tree; under the address space's lock.
 * @known: it was in the tree before the change that is under way; under the same lock.
 * @vm_bo: reference, while a change that removes the mapping can fail; under the same lock.
 */
struct vsplit_mapping {
	struct drm_gpuva base;
	bool read_only;
	bool live;
	bool known;
	struct drm_gpuvm_bo *vm_bo;
};

/* A mapping that was put into the tree (@added), or taken out of it. */
struct vsplit_va_entry {
	struct vsplit_mapping *mapping;
	bool added;
};

static struct vsplit_va *to_vsplit_va(struct drm_gpuvm *base)
{
	return container_of(base, struct vsplit_va, base);
}

static struct vsplit_mapping *to_vsplit_mapping(struct drm_gpuva *base)
{
	return container_of(base, struct vsplit_mapping, base);
}

static bool vsplit_mapping_is_sparse(const struct vsplit_mapping *mapping)
{
	return !mapping->base.gem.obj;
}

/* ---- memory ---- */

/* Uncharge what was charged for the address space beyond what it holds. */
static void vsplit_va_settle(struct vsplit_va *va)
{
	u64 held = vsplit_gpu_vm_bytes(va->gpu) + va->nr_mappings * sizeof(struct vsplit_mapping);

	/* All that is held was charged before it was allocated: @held is never more. */
	vsplit_user_uncharge(va->user, VSPLIT_USER_PAGES, va->charged - held);
	va->charged = held;
}

/* If the last bind is done, all binds are: the hardware does them in order. */
static void vsplit_va_note_bound(struct vsplit_va *va)
{
	lockdep_assert_held(&va->lock);

	if (va->last && dma_fence_is_signaled(va->last))
		va->bound = va->seqno;
}

/*
 * Free page tables that are not used any more. This may come in the middle of a change: what the
 * change has taken out of the tree stays reserved until the end of the change.
 */
static void vsplit_va_prune(struct vsplit_va *va)
{
	vsplit_va_note_bound(va);
	vsplit_gpu_vm_prune(vsplit_gpu_space(va->vdev->gpu), va->gpu, va->bound);
	va->prune_at = 2 * vsplit_gpu_vm_bytes(va->gpu) + VSPLIT_VA_PRUNE_BYTES;
	vsplit_va_settle(va);
}

/* Something has been freed that a user was charged for, and that may outlive the address space. */
static void vsplit_va_freed(void *owner, u64 bytes)
{
	vsplit_user_uncharge(owner, VSPLIT_USER_PAGES, bytes);
	vsplit_user_put(owner);
}

/* Charge the user for something that the address space does not hold itself. */
static int vsplit_va_charge_user(struct vsplit_va *va, u64 bytes)
{
	int ret = vsplit_user_charge(va->user, VSPLIT_USER_PAGES, bytes);

	if (!ret)
		return 0;
	vsplit_va_prune(va);
	return vsplit_user_charge(va->user, VSPLIT_USER_PAGES, bytes);
}

static int vsplit_va_charge(struct vsplit_va *va, u64 bytes)
{
	int ret = vsplit_va_charge_user(va, bytes);

	if (!ret)
		va->charged += bytes;
	return ret;
}

/* Make a mapping, and reserve the page tables that it needs. */
static struct vsplit_mapping *vsplit_mapping_create(struct vsplit_va *va, u64 address, u64 bytes,
						    bool sparse)
{
	struct vsplit_mapping *mapping;
	int ret;

	lockdep_assert_held(&va->lock);

	ret = vsplit_va_charge(va, vsplit_gpu_vm_tables(address, bytes, sparse) +
				   sizeof(*mapping));
	if (ret)
		return ERR_PTR(ret);
	mapping = vsplit_fault("va.mapping") ? NULL : kzalloc(sizeof(*mapping), VSPLIT_VA_GFP);
	ret = mapping ? vsplit_gpu_vm_reserve(va->gpu, address, bytes, sparse) : -ENOMEM;
	if (!ret)
		va->nr_mappings++;
	vsplit_va_settle(va);
	if (ret) {
		kfree(mapping);
		return ERR_PTR(ret);
	}
	return mapping;
}

static void vsplit_mapping_free(struct vsplit_va *va, struct vsplit_mapping *mapping)
{
	vsplit_gpu_vm_unreserve(va->gpu, mapping->base.va.addr, mapping->base.va.range,
				vsplit_mapping_is_sparse(mapping), va->seqno);
	va->nr_mappings--;
	kfree(mapping);
}

static int vsplit_va_grow(void **array, u32 nr, u32 *max, size_t size)
{
	u32 more = max(2 * *max, 16u);
	void *grown;

	if (nr < *max)
		return 0;
	grown = vsplit_fault("va.grow") ? NULL :
		kvrealloc(*array, array_size(more, size), VSPLIT_VA_GFP);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*max = more;
	return 0;
}

/* ---- the tree ---- */

static int vsplit_va_log(struct vsplit_va_change *change, struct vsplit_mapping *mapping,
			 bool added)
{
	int ret = vsplit_va_grow((void **)&change->log, change->nr_log, &change->max_log,
				 sizeof(*change->log));

	if (!ret)
		change->log[change->nr_log++] = (struct vsplit_va_entry) {
			.mapping = mapping, .added = added,
		};
	return ret;
}

static int vsplit_va_add(struct vsplit_va_change *change, struct drm_gpuva_op_map *op,
			 bool read_only)
{
	struct vsplit_va *va = change->va;
	struct vsplit_mapping *mapping;
	int ret;

	mapping = vsplit_mapping_create(va, op->va.addr, op->va.range, !op->gem.obj);
	if (IS_ERR(mapping))
		return PTR_ERR(mapping);
	/* The operation does not say whether the mapping is read-only or sparse. */
	drm_gpuva_init_from_op(&mapping->base, op);
	if (!op->gem.obj)
		mapping->base.flags |= DRM_GPUVA_SPARSE;
	mapping->read_only = read_only;
	ret = vsplit_va_log(change, mapping, true);
	if (!ret) {
		ret = drm_gpuva_insert(&va->base, &mapping->base);
		change->nr_log -= ret ? 1 : 0;
	}
	if (ret) {
		vsplit_mapping_free(va, mapping);
		return ret;
	}
	mapping->live = true;
	return 0;
}

static int vsplit_va_remove(struct vsplit_va_change *change, struct vsplit_mapping *mapping)
{
	int ret = vsplit_va_log(change, mapping, false);

	if (ret)
		return ret;
	drm_gpuva_remove(&mapping->base);
	mapping->live = false;
	return 0;
}

/* Does a bind begin a step? @room: bytes that the step before it still has room for. */
static bool vsplit_va_begins_step(const struct vsplit_gpu_bind *bind, s64 *room)
{
	bool begins = *room <= 0;

	if (begins)
		*room = VSPLIT_VA_STEP_BYTES;
	*room -= bind->bytes + VSPLIT_VA_STEP_EACH;
	return begins;
}

static int vsplit_va_bind_piece(struct vsplit_va_change *change, u64 address, u64 bytes, u32 flags,
				struct vsplit_mapping *mapped)
{
	u32 max = change->max_binds;
	int ret;

	ret = vsplit_va_grow((void **)&change->binds, change->nr_binds, &max,
			     sizeof(*change->binds));
	if (!ret && max != change->max_binds)
		ret = vsplit_va_grow((void **)&change->mapped, change->nr_binds,
				     &change->max_binds, sizeof(*change->mapped));
	if (ret)
		return ret;
	change->mapped[change->nr_binds] = mapped;
	change->binds[change->nr_binds] = (struct vsplit_gpu_bind) {
		.va = address, .bytes = bytes, .flags = flags,
	};
	change->nr_steps += vsplit_va_begins_step(&change->binds[change->nr_binds++],
						  &change->room);
	return 0;
}

/* Pieces end where pages of 2 MiB do: for sparse ones there are no tables of smaller pages. */
static int vsplit_va_bind(struct vsplit_va_change *change, u64 address, u64 bytes, u32 flags,
			  struct vsplit_mapping *mapped)
{
	u64 n;
	int ret;

	for (ret = 0; !ret && bytes; address += n, bytes -= n) {
		n = bytes;
		if (n > VSPLIT_VA_STEP_BYTES)
			n = VSPLIT_VA_STEP_BYTES - (address & (VSPLIT_VA_STEP_BYTES - 1));
		ret = vsplit_va_bind_piece(change, address, n, flags, mapped);
	}
	return ret;
}

/* drm_gpuvm: the new mapping comes into the tree. vsplit_va_map() says whether it is read-only. */
static int vsplit_va_step_map(struct drm_gpuva_op *op, void *change)
{
	return vsplit_va_add(change, &op->map, false);
}

/*
 * drm_gpuvm: a mapping in the way leaves the tree; its parts that are not in the way come back. If
 * this is an unmap, tell the hardware of the range that it leaves empty.
 */
static int vsplit_va_step_away(struct drm_gpuva_op *op, void *priv)
{
	bool cut = op->op == DRM_GPUVA_OP_REMAP;
	struct drm_gpuva_op_map *prev = cut ? op->remap.prev : NULL;
	struct drm_gpuva_op_map *next = cut ? op->remap.next : NULL;
	struct drm_gpuva *old = cut ? op->remap.unmap->va : op->unmap.va;
	bool read_only = to_vsplit_mapping(old)->read_only;
	struct vsplit_va_change *change = priv;
	u64 first, end;
	int ret;

	/* There may be very many mappings in the way. */
	cond_resched();
	ret = vsplit_va_remove(change, to_vsplit_mapping(old));
	if (!ret && prev)
		ret = vsplit_va_add(change, prev, read_only);
	if (!ret && next)
		ret = vsplit_va_add(change, next, read_only);
	if (ret || !change->unmaps)
		return ret;
	first = prev ? prev->va.addr + prev->va.range : old->va.addr;
	end = next ? next->va.addr : old->va.addr + old->va.range;
	return vsplit_va_bind(change, first, end - first, 0, NULL);
}

int vsplit_va_map(struct vsplit_va_change *change, struct vsplit_bo *vbo, u64 address, u64 bytes,
		  u64 offset, bool read_only)
{
	struct drm_gem_object *obj = vbo ? &vbo->tbo.base : NULL;
	struct vsplit_mapping *mapping;
	int ret;

	change->unmaps = false;
	ret = vsplit_compat_sm_map(&change->va->base, change, address, bytes, obj, offset);
	if (ret)
		return ret;
	/* The last entry of the log is that of the new mapping. */
	mapping = change->log[change->nr_log - 1].mapping;
	mapping->read_only = read_only;
	return vsplit_va_bind(change, address, bytes, obj ? 0 : VSPLIT_GPU_MAP_SPARSE,
			      obj ? mapping : NULL);
}

int vsplit_va_unmap(struct vsplit_va_change *change, u64 address, u64 bytes)
{
	change->unmaps = true;
	return drm_gpuvm_sm_unmap(&change->va->base, change, address, bytes);
}

/* ---- allocations ---- */

/* Find the allocations that the change is about. */
static int vsplit_va_collect(struct vsplit_va_change *change)
{
	struct vsplit_bo **bos;
	u32 max = max(change->nr_log, 1u), nr = 0, i;

	bos = vsplit_fault("va.collect") ? NULL :
	      kvcalloc(max, sizeof(*bos) + sizeof(*change->maps), VSPLIT_VA_GFP);
	if (!bos)
		return -ENOMEM;
	for (i = 0; i < change->nr_log; i++) {
		struct drm_gem_object *obj = change->log[i].mapping->base.gem.obj;

		if (obj)
			bos[nr++] = gem_to_vsplit_bo(obj);
	}
	vsplit_sort(bos, nr, sizeof(*bos), vsplit_cmp_ptr);
	for (i = 0; i < nr; i++) {
		if (i && bos[i] == bos[change->nr_bos - 1])
			continue;
		drm_gem_object_get(&bos[i]->tbo.base);
		bos[change->nr_bos++] = bos[i];
	}
	change->bos = bos;
	change->maps = (void *)(bos + max);
	return 0;
}

static int vsplit_va_lock_all(struct vsplit_va_change *change)
{
	struct drm_exec *exec = &change->exec;
	int ret;
	u32 i;

	/* Two imports of one dma-buf are two allocations with one dma_resv. */
	drm_exec_init(exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      change->nr_bos + 1);
	change->locked = true;
	drm_exec_until_all_locked(exec) {
		ret = vsplit_interrupted("bind.lock") ? -EINTR :
		      drm_exec_prepare_obj(exec, change->va->base.r_obj, 1);
		for (i = 0; !ret && i < change->nr_bos; i++)
			ret = drm_exec_prepare_obj(exec, &change->bos[i]->tbo.base, 1);
		drm_exec_retry_on_contention(exec);
		if (ret)
			break;
	}
	return ret;
}

/* Make the allocations' lists of mappings match the tree. */
static int vsplit_va_link(struct vsplit_va_change *change)
{
	struct drm_gpuvm_bo *vm_bo;
	u32 i;

	for (i = 0; i < change->nr_log; i++) {
		struct vsplit_mapping *mapping = change->log[i].mapping;

		if (vsplit_mapping_is_sparse(mapping))
			continue;
		if (!mapping->live && mapping->base.vm_bo) {
			mapping->vm_bo = drm_gpuvm_bo_get(mapping->base.vm_bo);
			drm_gpuva_unlink(&mapping->base);
		}
		if (!mapping->live || mapping->base.vm_bo)
			continue;
		vm_bo = vsplit_fault("va.link") ? ERR_PTR(-ENOMEM) :
			drm_gpuvm_bo_obtain(&change->va->base, mapping->base.gem.obj);
		if (IS_ERR(vm_bo))
			return PTR_ERR(vm_bo);
		drm_gpuva_link(&mapping->base, vm_bo);
		drm_gpuvm_bo_put(vm_bo);
	}
	return 0;
}

/* Undo vsplit_va_link(). */
static void vsplit_va_unlink(struct vsplit_va_change *change)
{
	u32 i;

	for (i = 0; i < change->nr_log; i++) {
		struct vsplit_mapping *mapping = change->log[i].mapping;

		if (mapping->vm_bo) {
			drm_gpuva_link(&mapping->base, mapping->vm_bo);
			drm_gpuvm_bo_put(mapping->vm_bo);
			mapping->vm_bo = NULL;
		} else if (!mapping->known && mapping->base.vm_bo) {
			drm_gpuva_unlink(&mapping->base);
		}
	}
}

/* Count an address space's mappings of an allocation, and put them into @maps, if not NULL. */
static u32 vsplit_va_gather(struct vsplit_va *va, struct vsplit_bo *vbo, u64 *bytes,
			    struct vsplit_gpu_vm_maps *maps)
{
	struct drm_gpuvm_bo *vm_bo;
	struct drm_gpuva *base;
	u32 nr = 0;

	drm_gem_for_each_gpuvm_bo(vm_bo, &vbo->tbo.base) {
		if (vm_bo->vm != &va->base)
			continue;
		drm_gpuvm_bo_for_each_va(base, vm_bo) {
			bool read_only = to_vsplit_mapping(base)->read_only;
			struct vsplit_gpu_map *map = maps ? &maps->map[nr] : NULL;

			/* Cutting mappings is never refused, so there may be millions. */
			cond_resched();
			nr++;
			*bytes += base->va.range;
			if (!map)
				continue;
			map->va = base->va.addr;
			map->bytes = base->va.range;
			map->offset = base->gem.offset;
			map->flags = read_only ? 0 : VSPLIT_GPU_MAP_WRITE;
			maps->written |= !read_only;
		}
	}
	return nr;
}

static bool vsplit_va_is_of_another(const struct vsplit_va *va, const struct vsplit_gpu_vm_maps *of)
{
	return of->vm != va->gpu && !of->ended;
}

/*
 * Return: bytes that are freed when the arrays of an allocation are replaced: those of arrays that
 * no step has. New steps get their references under the dma_resv, which the caller holds.
 */
static u64 vsplit_va_replaced_bytes(const struct vsplit_va *va, const struct vsplit_gpu_maps *maps)
{
	u64 bytes;
	u32 i;

	if (!maps || kref_read(&maps->ref) > 1)
		return 0;
	bytes = vsplit_gpu_maps_bytes(maps->nr);
	for (i = 0; i < maps->nr; i++)
		if (maps->vms[i]->vm == va->gpu && kref_read(&maps->vms[i]->ref) == 1)
			bytes += vsplit_gpu_vm_maps_bytes(maps->vms[i]->nr);
	return bytes;
}

/*
 * Arrays that are not larger than those that they replace need no room: else a client that has no
 * room left could not unmap. @ends: the address space ends. Its unused page tables are not freed
 * then, as moves that nothing waits for may write them.
 */
static int vsplit_va_charge_maps(struct vsplit_va *va, u64 bytes, u64 replaced, bool ends)
{
	if (bytes <= replaced) {
		vsplit_user_charge_replaced(va->user, bytes);
		return 0;
	}
	if (!ends)
		return vsplit_va_charge_user(va, bytes);
	return vsplit_user_charge(va->user, VSPLIT_USER_PAGES, bytes);
}

/* Make the array of @nr address spaces, and that of the @nr_own ranges of this one. */
static int vsplit_va_alloc_maps(struct vsplit_va *va, struct vsplit_bo *vbo, u32 nr, u32 nr_own,
				bool ends, struct vsplit_gpu_maps **out,
				struct vsplit_gpu_vm_maps **own)
{
	u64 bytes = vsplit_gpu_maps_bytes(nr) + (nr_own ? vsplit_gpu_vm_maps_bytes(nr_own) : 0);
	struct vsplit_gpu_maps *maps;
	int ret;

	ret = vsplit_va_charge_maps(va, bytes, vsplit_va_replaced_bytes(va, vbo->maps), ends);
	if (ret)
		return ret;
	maps = vsplit_fault("va.maps") ? NULL : vsplit_gpu_maps_create(nr);
	*own = !nr_own || vsplit_fault("va.own") ? NULL :
	       vsplit_gpu_vm_maps_create(va->gpu, nr_own);
	if (!maps || (nr_own && !*own)) {
		vsplit_gpu_maps_put(maps);
		vsplit_gpu_vm_maps_put(*own);
		vsplit_user_uncharge(va->user, VSPLIT_USER_PAGES, bytes);
		return -ENOMEM;
	}
	maps->freed = vsplit_va_freed;
	maps->owner = vsplit_user_get(va->user);
	if (*own) {
		(*own)->freed = vsplit_va_freed;
		(*own)->owner = vsplit_user_get(va->user);
	}
	*out = maps;
	return 0;
}

/*
 * Bound what maps an allocation. A move writes the page tables of all ranges that show the
 * allocation, in one step, while another client needs the place. So the step may cost at most a
 * small multiple of the copy, or as much as a slice of time. A change that adds no bytes is never
 * refused, even if it cuts mappings and so makes more of them: a client can take away a part of
 * what it has. As bytes are bounded, there is never more than a range for each of so many pages.
 */
static int vsplit_va_check_maps(const struct vsplit_va *va, const struct vsplit_bo *vbo, u32 nr,
				u64 bytes)
{
	u64 own = bytes, before = 0, size = vbo->tbo.base.size;
	u32 i;

	for (i = 0; vbo->maps && i < vbo->maps->nr; i++) {
		const struct vsplit_gpu_vm_maps *of = vbo->maps->vms[i];

		if (of->vm == va->gpu)
			before = of->bytes;
		if (!vsplit_va_is_of_another(va, of))
			continue;
		nr += of->nr;
		bytes += of->bytes;
	}
	if (own <= before)
		return 0;
	return vsplit_refuse(va->vdev, nr > VSPLIT_MAX_MAPPINGS) ||
	       vsplit_refuse(va->vdev, bytes > max(size * VSPLIT_MAX_MAPPED_TIMES,
						   VSPLIT_MAX_MAPPED_BYTES)) ? -E2BIG : 0;
}

/*
 * Make new arrays of an allocation: that of this address space is new, those of others stay as they
 * are. @maps: out; NULL: no address space maps the allocation.
 */
static int vsplit_va_maps_of(struct vsplit_va *va, struct vsplit_bo *vbo, bool ends,
			     struct vsplit_gpu_maps **maps)
{
	u32 others = vbo->maps ? vbo->maps->nr : 0, nr, nr_own, i;
	struct vsplit_gpu_vm_maps *own;
	u64 bytes = 0;
	int ret;

	*maps = NULL;
	nr_own = vsplit_va_gather(va, vbo, &bytes, NULL);
	ret = vsplit_va_check_maps(va, vbo, nr_own, bytes);
	if (ret)
		return ret;
	nr = nr_own ? 1 : 0;
	for (i = 0; i < others; i++)
		nr += vsplit_va_is_of_another(va, vbo->maps->vms[i]);
	if (!nr)
		return 0;
	ret = vsplit_va_alloc_maps(va, vbo, nr, nr_own, ends, maps, &own);
	if (ret)
		return ret;
	for (i = 0; i < others; i++) {
		struct vsplit_gpu_vm_maps *other = vbo->maps->vms[i];

		if (!vsplit_va_is_of_another(va, other))
			continue;
		kref_get(&other->ref);
		vsplit_gpu_maps_add(*maps, other);
	}
	if (own) {
		vsplit_va_gather(va, vbo, &own->bytes, own);
		vsplit_gpu_maps_add(*maps, own);
	}
	return 0;
}

/* Fill in where the mapped part is now, for the hardware. */
static void vsplit_va_resolve(struct vsplit_gpu_bind *bind, const struct vsplit_mapping *mapping)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(mapping->base.gem.obj);

	bind->flags = VSPLIT_GPU_MAP_ABSENT;
	if (!vsplit_bo_address(vbo, &bind->address, &bind->runs))
		return;
	bind->address += mapping->base.gem.offset + bind->va - mapping->base.va.addr;
	bind->flags = VSPLIT_GPU_MAP_RESIDENT | (mapping->read_only ? 0 : VSPLIT_GPU_MAP_WRITE);
}

/* Describe the change for the hardware, which may execute other work between two steps. */
static void vsplit_va_set_steps(struct vsplit_va_change *change, struct vsplit_gpu_step *step)
{
	s64 room = VSPLIT_VA_STEP_BYTES;
	u32 i;

	for (i = 0; i < change->nr_steps; i++) {
		step[i].type = VSPLIT_GPU_STEP_BIND;
		step[i].vm = vsplit_gpu_vm_get(change->va->gpu);
	}
	step->binds = change->binds;
	for (i = 0; i < change->nr_binds; i++) {
		if (vsplit_va_begins_step(&change->binds[i], &room))
			(++step)->binds = &change->binds[i];
		step->nr_binds++;
	}
	change->binds = NULL;
}

int vsplit_va_lock(struct vsplit_va_change *change, struct vsplit_gpu_step *steps)
{
	int ret = vsplit_va_collect(change);
	u32 i;

	if (!ret)
		ret = vsplit_va_lock_all(change);
	if (!ret)
		ret = vsplit_va_link(change);
	for (i = 0; !ret && i < change->nr_bos; i++)
		ret = vsplit_va_maps_of(change->va, change->bos[i], false, &change->maps[i]);
	for (i = 0; !ret && i < change->nr_binds; i++)
		if (change->mapped[i])
			vsplit_va_resolve(&change->binds[i], change->mapped[i]);
	if (!ret)
		vsplit_va_set_steps(change, steps);
	return ret;
}

void vsplit_va_commit(struct vsplit_va_change *change, struct dma_fence *fence)
{
	struct vsplit_va *va = change->va;
	u32 i;

	lockdep_assert_held(&va->lock);

	for (i = 0; i < change->nr_bos; i++) {
		struct vsplit_bo *vbo = change->bos[i];

		swap(vbo->maps, change->maps[i]);
		if (vbo->maps && vbo->maps->written)
			vsplit_bo_written(vbo);
		dma_resv_add_fence(vbo->tbo.base.resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	}
	dma_resv_add_fence(vsplit_va_resv(va), fence, DMA_RESV_USAGE_KERNEL);
	dma_fence_put(va->last);
	va->last = dma_fence_get(fence);
	for (i = 0; i < change->nr_log; i++) {
		struct vsplit_mapping *mapping = change->log[i].mapping;

		drm_gpuvm_bo_put(mapping->vm_bo);
		mapping->vm_bo = NULL;
		mapping->known = mapping->live;
	}
	change->committed = true;
}

/* ---- begin and end ---- */

int vsplit_va_begin(struct vsplit_va *va, struct vsplit_va_change *change)
{
	if (vsplit_interrupted("va.lock") || mutex_lock_interruptible(&va->lock))
		return -ERESTARTSYS;
	*change = (struct vsplit_va_change) {
		.va = va, .nr_steps = 1, .room = VSPLIT_VA_STEP_BYTES,
	};
	vsplit_va_note_bound(va);
	if (vsplit_gpu_vm_bytes(va->gpu) >= va->prune_at)
		vsplit_va_prune(va);
	return 0;
}

/* Undo the changes of the tree, from the last entry to the first. */
static void vsplit_va_undo(struct vsplit_va_change *change)
{
	u32 i;

	for (i = change->nr_log; i--; ) {
		struct vsplit_mapping *mapping = change->log[i].mapping;

		if (change->log[i].added)
			drm_gpuva_remove(&mapping->base);
		else
			drm_gpuva_insert(&change->va->base, &mapping->base);
		mapping->live = !change->log[i].added;
	}
}

void vsplit_va_end(struct vsplit_va_change *change)
{
	struct vsplit_va *va = change->va;
	u32 i;

	if (change->locked && !change->committed)
		vsplit_va_unlink(change);
	if (change->locked)
		drm_exec_fini(&change->exec);
	if (!change->committed)
		vsplit_va_undo(change);
	/* Of each mapping that has left the tree, just one entry passes this test, and frees it. */
	for (i = 0; i < change->nr_log; i++) {
		struct vsplit_va_entry *entry = &change->log[i];

		if (entry->added != change->committed && !entry->mapping->live)
			vsplit_mapping_free(va, entry->mapping);
	}
	vsplit_va_settle(va);
	mutex_unlock(&va->lock);
	for (i = 0; i < change->nr_bos; i++) {
		vsplit_gpu_maps_put(change->maps[i]);
		drm_gem_object_put(&change->bos[i]->tbo.base);
	}
	kvfree(change->bos);
	kvfree(change->mapped);
	for (i = 0; change->binds && i < change->nr_binds; i++)
		vsplit_gpu_runs_put(change->binds[i].runs);
	kvfree(change->binds);
	kvfree(change->log);
}

/* ---- life ---- */

static void vsplit_va_free(struct drm_gpuvm *base)
{
	struct vsplit_va *va = to_vsplit_va(base);
	struct drm_device *drm = &va->vdev->drm;

	/* Only page tables stay charged: vsplit_va_freed() uncharges them. */
	vsplit_va_settle(va);
	vsplit_gpu_vm_put(va->gpu);
	vsplit_user_put(va->user);
	dma_fence_put(va->last);
	mutex_destroy(&va->lock);
	kfree(va);
	drm_dev_put(drm);
}

static const struct drm_gpuvm_ops vsplit_va_ops = {
	.vm_free = vsplit_va_free,
	.sm_step_map = vsplit_va_step_map,
	.sm_step_remap = vsplit_va_step_away,
	.sm_step_unmap = vsplit_va_step_away,
};

/* Take down all mappings of one allocation. The caller does not hold its dma_resv. */
static void vsplit_va_drop(struct vsplit_va *va, struct drm_gem_object *obj,
			   struct drm_gpuvm_bo *vm_bo)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(obj);
	struct drm_gpuva *base, *next;
	struct vsplit_gpu_maps *maps;
	u32 i;

	drm_gem_object_get(obj);
	dma_resv_lock(obj->resv, NULL);
	drm_gpuvm_bo_get(vm_bo);
	drm_gpuvm_bo_for_each_va_safe(base, next, vm_bo) {
		drm_gpuva_unlink(base);
		drm_gpuva_remove(base);
		vsplit_mapping_free(va, to_vsplit_mapping(base));
		cond_resched();
	}
	drm_gpuvm_bo_put(vm_bo);
	/*
	 * The old array stays if there is no memory for a new one, or no room to charge it. Moves
	 * then write page tables that nothing reads, until another address space binds anew.
	 */
	for (i = 0; i < vbo->maps->nr; i++)
		vbo->maps->vms[i]->ended |= vbo->maps->vms[i]->vm == va->gpu;
	if (!vsplit_va_maps_of(va, vbo, true, &maps))
		swap(vbo->maps, maps);
	dma_resv_unlock(obj->resv);
	vsplit_gpu_maps_put(maps);
	drm_gem_object_put(obj);
}

static void vsplit_va_end_work(struct work_struct *work)
{
	struct vsplit_va *va = container_of(work, struct vsplit_va, end);
	struct drm_gpuva *base;

	mutex_lock(&va->lock);
	while ((base = drm_gpuva_find_first(&va->base, 0, VSPLIT_GPU_VM_BYTES))) {
		cond_resched();
		if (base->gem.obj) {
			vsplit_va_drop(va, base->gem.obj, base->vm_bo);
			continue;
		}
		drm_gpuva_remove(base);
		vsplit_mapping_free(va, to_vsplit_mapping(base));
	}
	mutex_unlock(&va->lock);
	drm_gpuvm_put(&va->base);
}

struct vsplit_va *vsplit_va_create(struct vsplit_device *vdev, struct vsplit_user *user)
{
	struct drm_gem_object *resv_object;
	struct vsplit_va *va;

	va = vsplit_fault("va.create") ? NULL : kzalloc(sizeof(*va), VSPLIT_VA_GFP);
	if (!va)
		return ERR_PTR(-ENOMEM);
	va->gpu = vsplit_gpu_vm_create();
	resv_object = va->gpu ? drm_gpuvm_resv_object_alloc(&vdev->drm) : NULL;
	if (!resv_object ||
	    vsplit_user_charge(user, VSPLIT_USER_PAGES, vsplit_gpu_vm_bytes(va->gpu))) {
		drm_gem_object_put(resv_object);
		vsplit_gpu_vm_put(va->gpu);
		kfree(va);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&va->ref);
	mutex_init(&va->lock);
	INIT_WORK(&va->end, vsplit_va_end_work);
	va->vdev = vdev;
	va->user = vsplit_user_get(user);
	va->charged = vsplit_gpu_vm_bytes(va->gpu);
	vsplit_gpu_vm_own(va->gpu, vsplit_va_freed, vsplit_user_get(user));
	va->prune_at = VSPLIT_VA_PRUNE_BYTES;
	va->fence_context = dma_fence_context_alloc(1);
	drm_dev_get(&vdev->drm);
	drm_gpuvm_init(&va->base, "vsplit", 0, &vdev->drm, resv_object, 0, VSPLIT_GPU_VM_BYTES,
		       0, 0, &vsplit_va_ops);
	drm_gem_object_put(resv_object);
	return va;
}

struct vsplit_va *vsplit_va_get(struct vsplit_va *va)
{
	kref_get(&va->ref);
	return va;
}

static void vsplit_va_release(struct kref *ref)
{
	struct vsplit_va *va = container_of(ref, struct vsplit_va, ref);

	/* Not at once: an exporter may hold the dma_resv of an import for as long as it likes. */
	vsplit_mm_queue_end(&va->end);
}

void vsplit_va_put(struct vsplit_va *va)
{
	if (va)
		kref_put(&va->ref, vsplit_va_release);
}
