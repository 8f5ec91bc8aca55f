// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The MMU: virtual address spaces, their page tables, and the engines' TLBs.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Virtual addresses
 *
 * A virtual address space has 48 bits and page tables of four levels with 512 entries each.
 * An entry of the last level is a page of 4 KiB. Sixteen such pages that are together in both
 * address spaces are marked as one page of 64 KiB, and an entry of the level above can be a
 * page of 2 MiB. A page shows GPU addresses, or is sparse (reads give zeros, writes are
 * dropped), or absent (mapped, but not resident). An access to an absent page, or where
 * nothing is mapped, is a page fault, and so is a write to a page that may only be read.
 *
 * Tables and entries have different writers:
 *
 *  tables   The driver reserves the memory of tables before a range is bound, where it may
 *           sleep; engines allocate nothing. A new table is complete before its parent
 *           points to it, and is empty, so no translation changes. vsplit_gpu_vm_prune()
 *           frees tables that are not reserved any more, when no step writes them.
 *  entries  Only paging steps write entries: BIND, and each step that moves an allocation,
 *           for all ranges that show it. The driver orders such steps if their ranges
 *           overlap. Other steps may run at the same time on other engines, so no step
 *           writes entries of a mapping that is not its own. Entries are single words;
 *           engines walk the tables meanwhile.
 *
 * Each engine remembers translations in its TLB. Only a flush removes them reliably: if an
 * entry changes without a flush, an engine may use the old translation for ever. Absent pages
 * and addresses where nothing is mapped are not remembered. While an engine touches translated
 * bytes, at most VSPLIT_GPU_POLL_BYTES, it holds the lock of its TLB; a flush takes that lock.
 * So when a flush returns, no engine uses a translation that the flush removed, and bytes may
 * leave. Tables may be freed once each lock has been taken after they were unlinked. An engine
 * never waits with the lock held. So the paging engine, which flushes, never waits for an
 * engine that waits for it.
 *
 * A translation is remembered with the number of its address space. Numbers are never used
 * twice, so translations of an address space that is gone are never found.
 */

#define MMU_BITS	9
#define MMU_ENTRIES	512u
#define MMU_LEVELS	4
#define MMU_SMALL_SHIFT	16	/* page of sixteen entries */
#define MMU_LARGE_SHIFT	21	/* page of an entry of level 1 */
#define MMU_LARGE_BYTES	0x200000ull
#define MMU_GROUP	16u	/* entries of a page of 64 KiB */

/* An entry is a GPU address with flags of struct vsplit_gpu_bind. 0: nothing is mapped. */
#define MMU_PTE_GROUP	BIT(4)	/* one of sixteen entries that are one page */
#define MMU_PTE_FLAGS	((u64)PAGE_SIZE - 1)

/**
 * struct mmu_table - A page table.
 * @users: number of reservations in the table, and of tables below it.
 * @idle: time at which the last reservation ended.
 * @unlinked: while tables are pruned: the next table to free.
 * @entries: pages, in tables of levels 0 and 1; otherwise 0.
 * @next: tables of the level below; NULL: none. A table of level 0 has no such array.
 *
 * Only the driver's calls use @users, @idle and @unlinked. New elements of @next, and @entries of
 * level 1, are written with release semantics, and any engine reads them with acquire semantics.
 * @entries of level 0 are accessed with READ_ONCE and WRITE_ONCE.
 */
struct mmu_table {
	u64 users;
	u64 idle;
	struct mmu_table *unlinked;
	u64 entries[MMU_ENTRIES];
	struct mmu_table *next[];
};

/**
 * struct vsplit_gpu_vm - A virtual address space.
 * @ref: references of the driver and of maps.
 * @asid: number of the address space, never used twice; constant.
 * @root: table of level 3.
 * @bytes: memory of all tables; only the driver's calls use it.
 * @freed: called with @owner and @bytes when the tables are gone, or NULL; constant.
 * @owner: argument of @freed; constant.
 */
struct vsplit_gpu_vm {
	struct kref ref;
	u64 asid;
	struct mmu_table *root;
	u64 bytes;
	void (*freed)(void *owner, u64 bytes);
	void *owner;
};

static atomic64_t mmu_asids = ATOMIC64_INIT(0);

static u32 mmu_shift(u32 level)
{
	return PAGE_SHIFT + level * MMU_BITS;
}

static u32 mmu_index(u64 va, u32 level)
{
	return va >> mmu_shift(level) & (MMU_ENTRIES - 1);
}

static size_t mmu_table_bytes(u32 level)
{
	return struct_size((struct mmu_table *)NULL, next, level ? MMU_ENTRIES : 0);
}

/* ---- page tables: memory ------------------------------------------------ */

static struct mmu_table *mmu_table_create(struct vsplit_gpu_vm *vm, u32 level)
{
	struct mmu_table *table;

	table = kvzalloc(mmu_table_bytes(level), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (table)
		vm->bytes += mmu_table_bytes(level);
	return table;
}

static void mmu_table_free(struct vsplit_gpu_vm *vm, struct mmu_table *table, u32 level)
{
	vm->bytes -= mmu_table_bytes(level);
	kvfree(table);
}

/* Free a table and all tables below it. The depth is the number of levels. May sleep. */
static void mmu_table_free_all(struct vsplit_gpu_vm *vm, struct mmu_table *table, u32 level)
{
	u32 i;

	for (i = 0; level && i < MMU_ENTRIES; i++) {
		if (table->next[i])
			mmu_table_free_all(vm, table->next[i], level - 1);
	}
	/* A user may have as many tables as the limit of the user's memory allows. */
	if (level)
		cond_resched();
	mmu_table_free(vm, table, level);
}

struct vsplit_gpu_vm *vsplit_gpu_vm_create(void)
{
	struct vsplit_gpu_vm *vm = kvzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!vm)
		return NULL;
	kref_init(&vm->ref);
	vm->asid = atomic64_inc_return(&mmu_asids);
	vm->root = mmu_table_create(vm, MMU_LEVELS - 1);
	if (!vm->root) {
		kvfree(vm);
		return NULL;
	}
	return vm;
}

void vsplit_gpu_vm_own(struct vsplit_gpu_vm *vm, void (*freed)(void *owner, u64 bytes),
		       void *owner)
{
	vm->freed = freed;
	vm->owner = owner;
}

struct vsplit_gpu_vm *vsplit_gpu_vm_get(struct vsplit_gpu_vm *vm)
{
	kref_get(&vm->ref);
	return vm;
}

static void mmu_vm_release(struct kref *ref)
{
	struct vsplit_gpu_vm *vm = container_of(ref, struct vsplit_gpu_vm, ref);
	u64 bytes = vm->bytes;

	mmu_table_free_all(vm, vm->root, MMU_LEVELS - 1);
	if (vm->freed)
		vm->freed(vm->owner, bytes);
	kvfree(vm);
}

void vsplit_gpu_vm_put(struct vsplit_gpu_vm *vm)
{
	if (vm)
		kref_put(&vm->ref, mmu_vm_release);
}

u64 vsplit_gpu_vm_bytes(const struct vsplit_gpu_vm *vm)
{
	return vm->bytes;
}

/* Bytes from @va to the end of its page of 2 MiB, or of the range. */
static u64 mmu_block(u64 va, u64 bytes)
{
	return min_t(u64, bytes, MMU_LARGE_BYTES - (va & (MMU_LARGE_BYTES - 1)));
}

/* The level of the table in which a block is reserved. */
static u32 mmu_block_level(u64 bytes, bool sparse)
{
	return sparse && bytes == MMU_LARGE_BYTES ? 1 : 0;
}

u64 vsplit_gpu_vm_tables(u64 va, u64 bytes, bool sparse)
{
	u64 last = va + bytes - 1, tables = 0;
	u32 level;

	for (level = 0; level < MMU_LEVELS - 1; level++) {
		u64 nr = (last >> mmu_shift(level + 1)) - (va >> mmu_shift(level + 1)) + 1;

		/* Only the ends of a sparse range may need tables of the last level. */
		if (sparse && !level)
			nr = min_t(u64, nr, 2);
		tables += nr * mmu_table_bytes(level);
	}
	return tables;
}

/* The table of @level for @va, or NULL. */
static struct mmu_table *mmu_find(const struct vsplit_gpu_vm *vm, u64 va, u32 level)
{
	struct mmu_table *table = vm->root;
	u32 at;

	for (at = MMU_LEVELS - 1; table && at > level; at--)
		/* Pairs with mmu_make(). */
		table = smp_load_acquire(&table->next[mmu_index(va, at)]);
	return table;
}

/* As mmu_find(), but make missing tables. NULL: no memory; new tables stay, unused. */
static struct mmu_table *mmu_make(struct vsplit_gpu_vm *vm, u64 va, u32 level)
{
	struct mmu_table *table = vm->root, *next;
	u32 at;

	for (at = MMU_LEVELS - 1; at > level; at--) {
		next = table->next[mmu_index(va, at)];
		if (!next) {
			next = mmu_table_create(vm, at - 1);
			if (!next)
				return NULL;
			table->users++;
			/* Pairs with mmu_find(), mmu_set() and mmu_walk(): they see it empty. */
			smp_store_release(&table->next[mmu_index(va, at)], next);
		}
		table = next;
	}
	return table;
}

int vsplit_gpu_vm_reserve(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, bool sparse)
{
	struct mmu_table *table;
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		n = mmu_block(va + done, bytes - done);
		table = mmu_make(vm, va + done, mmu_block_level(n, sparse));
		if (!table) {
			if (done)
				vsplit_gpu_vm_unreserve(vm, va, done, sparse, 0);
			return -ENOMEM;
		}
		table->users++;
		cond_resched();
	}
	return 0;
}

static void mmu_unused(struct mmu_table *table, u64 time)
{
	if (table->idle < time)
		table->idle = time;
}

void vsplit_gpu_vm_unreserve(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, bool sparse, u64 time)
{
	struct mmu_table *table, *hidden;
	u64 done, n;
	u32 level;

	for (done = 0; done < bytes; done += n) {
		n = mmu_block(va + done, bytes - done);
		level = mmu_block_level(n, sparse);
		table = mmu_find(vm, va + done, level);
		table->users--;
		mmu_unused(table, time);
		/* The step that unbinds a sparse page also writes the table that the page hides. */
		hidden = level ? table->next[mmu_index(va + done, level)] : NULL;
		if (hidden)
			mmu_unused(hidden, time);
		cond_resched();
	}
}

/* Unlink the unused tables below @table into a list for each level. Engines may still walk them. */
static void mmu_prune(struct mmu_table *table, u32 level, u64 time, struct mmu_table **unlinked)
{
	u32 i;

	for (i = 0; i < MMU_ENTRIES; i++) {
		struct mmu_table *next = table->next[i];

		if (!next)
			continue;
		if (level > 1)
			mmu_prune(next, level - 1, time, unlinked);
		if (next->users || next->idle > time)
			continue;
		WRITE_ONCE(table->next[i], NULL);
		table->users--;
		if (table->idle < next->idle)
			table->idle = next->idle;
		next->unlinked = unlinked[level - 1];
		unlinked[level - 1] = next;
	}
	cond_resched();
}

void vsplit_gpu_vm_prune(struct vsplit_gpu_space *space, struct vsplit_gpu_vm *vm, u64 time)
{
	struct mmu_table *unlinked[MMU_LEVELS - 1] = {}, *table;
	u32 level, i;

	mmu_prune(vm->root, MMU_LEVELS - 1, time, unlinked);
	for (i = 0; i < space->nr_tlbs; i++) {
		mutex_lock(&space->tlbs[i]->lock);
		mutex_unlock(&space->tlbs[i]->lock);
	}
	for (level = 0; level < MMU_LEVELS - 1; level++) {
		while ((table = unlinked[level])) {
			unlinked[level] = table->unlinked;
			mmu_table_free(vm, table, level);
			cond_resched();
		}
	}
}

/* ---- page tables: entries ----------------------------------------------- */

static u64 mmu_pte(u64 address, u64 flags)
{
	return flags & VSPLIT_GPU_MAP_RESIDENT ? address | flags : flags;
}

/* Write a page of 2 MiB as single entries of the table below, which no engine walks yet. */
static void mmu_expand(struct mmu_table *table, u64 pte)
{
	u64 address = pte & ~MMU_PTE_FLAGS;
	u64 flags = pte & MMU_PTE_FLAGS;
	u32 i;

	/* A large page is aligned, so each sixteen entries are a page. */
	if (flags & VSPLIT_GPU_MAP_RESIDENT)
		flags |= MMU_PTE_GROUP;
	for (i = 0; i < MMU_ENTRIES; i++)
		WRITE_ONCE(table->entries[i], mmu_pte(address + i * PAGE_SIZE, flags));
}

/* Some of sixteen entries are about to change, so they are not one page any more. */
static void mmu_ungroup(struct mmu_table *table, u32 index)
{
	u32 i, first = index & ~(MMU_GROUP - 1);

	/* If they are not one page, another engine may write those of another mapping now. */
	if (!(READ_ONCE(table->entries[index]) & MMU_PTE_GROUP))
		return;
	for (i = first; i < first + MMU_GROUP; i++)
		WRITE_ONCE(table->entries[i], table->entries[i] & ~MMU_PTE_GROUP);
}

/* Set entries @first to @end: fewer than all, or not aligned for a large page. */
static void mmu_set_small(struct mmu_table *table, u32 first, u32 end, u64 address, u64 flags)
{
	u64 group = 0;
	u32 i;

	mmu_ungroup(table, first);
	mmu_ungroup(table, end - 1);
	for (i = first; i < end; i++, address += PAGE_SIZE) {
		if (i == first || i % MMU_GROUP == 0)
			group = flags & VSPLIT_GPU_MAP_RESIDENT && i % MMU_GROUP == 0 &&
				end - i >= MMU_GROUP && IS_ALIGNED(address, MMU_GROUP * PAGE_SIZE) ?
				MMU_PTE_GROUP : 0;
		WRITE_ONCE(table->entries[i], mmu_pte(address, flags | group));
	}
}

/* Set a whole page of 2 MiB by one entry of @table. */
static void mmu_set_large(struct mmu_table *table, u32 index, u64 address, u64 flags)
{
	struct mmu_table *next = table->next[index];
	u32 i;

	/* If nothing is mapped now, engines walk the table below again: clear it. */
	for (i = 0; next && !flags && i < MMU_ENTRIES; i++)
		WRITE_ONCE(next->entries[i], 0);
	/* Pairs with mmu_walk(): the table below is complete. */
	smp_store_release(&table->entries[index], mmu_pte(address, flags));
}

/* Change the entries of a range. Parts that are not reserved are left out. */
static void mmu_set(const struct vsplit_gpu_work *work, struct vsplit_gpu_vm *vm, u64 va, u64 bytes,
		    u64 address, u64 flags)
{
	struct mmu_table *table, *next;
	u64 done, n, large;
	u32 index, first;

	for (done = 0; done < bytes; done += n) {
		/* The GPU is dead: no engine looks at the entries again. */
		if (vsplit_gpu_work_stop(work))
			return;
		n = mmu_block(va + done, bytes - done);
		table = mmu_find(vm, va + done, 1);
		if (!table)
			continue;
		index = mmu_index(va + done, 1);
		if (n == MMU_LARGE_BYTES &&
		    (!(flags & VSPLIT_GPU_MAP_RESIDENT) ||
		     IS_ALIGNED(address + done, MMU_LARGE_BYTES))) {
			mmu_set_large(table, index, address + done, flags);
			continue;
		}
		/* Pairs with mmu_make(). */
		next = smp_load_acquire(&table->next[index]);
		if (!next)
			continue;
		large = READ_ONCE(table->entries[index]);
		if (large)
			mmu_expand(next, large);
		first = mmu_index(va + done, 0);
		mmu_set_small(next, first, first + (n >> PAGE_SHIFT), address + done, flags);
		if (large)
			/* Pairs with mmu_walk(): the table below is complete. */
			smp_store_release(&table->entries[index], 0);
	}
}

/* As mmu_set(), but with @runs, if not NULL, @address is the offset in the runs. */
static void mmu_set_runs(const struct vsplit_gpu_work *work, struct vsplit_gpu_vm *vm, u64 va,
			 u64 bytes, const struct vsplit_gpu_runs *runs, u64 address, u64 flags)
{
	u64 done, at = address, n = bytes;

	for (done = 0; done < bytes; done += n) {
		if (runs)
			n = min_t(u64, bytes - done,
				  vsplit_gpu_runs_find(runs, address + done, &at));
		mmu_set(work, vm, va + done, n, at, flags);
	}
}

/* Walk the tables. Return: the entry of @va, or 0. @shift: out: size of its page. */
static u64 mmu_walk(const struct vsplit_gpu_vm *vm, u64 va, u32 *shift)
{
	struct mmu_table *table = mmu_find(vm, va, 1);
	u64 pte;

	*shift = MMU_LARGE_SHIFT;
	if (!table)
		return 0;
	/* Pairs with mmu_set() and mmu_set_large(). */
	pte = smp_load_acquire(&table->entries[mmu_index(va, 1)]);
	if (pte)
		return pte;
	/* Pairs with mmu_make(). */
	table = smp_load_acquire(&table->next[mmu_index(va, 1)]);
	*shift = PAGE_SHIFT;
	if (!table)
		return 0;
	pte = READ_ONCE(table->entries[mmu_index(va, 0)]);
	if (!(pte & MMU_PTE_GROUP))
		return pte;
	*shift = MMU_SMALL_SHIFT;
	/* Return the first of the sixteen entries: its address is that of the page. */
	return pte & ~((1ull << MMU_SMALL_SHIFT) - PAGE_SIZE);
}

/* ---- translations that are remembered ----------------------------------- */

static const u32 mmu_tlb_shift[VSPLIT_GPU_TLB_SIZES] = {
	MMU_LARGE_SHIFT, MMU_SMALL_SHIFT, PAGE_SHIFT,
};

static struct vsplit_gpu_tlb_entry *mmu_tlb_entry(struct vsplit_gpu_tlb *tlb, u32 size, u64 va)
{
	return &tlb->entries[size][(va >> mmu_tlb_shift[size]) % VSPLIT_GPU_TLB_ENTRIES];
}

/* The remembered entry of @va, or 0. */
static u64 mmu_tlb_find(struct vsplit_gpu_tlb *tlb, const struct vsplit_gpu_vm *vm, u64 va,
			u32 *shift)
{
	u32 size;

	for (size = 0; size < VSPLIT_GPU_TLB_SIZES; size++) {
		const struct vsplit_gpu_tlb_entry *entry = mmu_tlb_entry(tlb, size, va);

		*shift = mmu_tlb_shift[size];
		if (entry->asid == vm->asid && entry->page == va >> *shift << *shift)
			return entry->pte;
	}
	return 0;
}

static void mmu_tlb_add(struct vsplit_gpu_tlb *tlb, const struct vsplit_gpu_vm *vm, u64 va,
			u64 pte, u32 shift)
{
	u32 size = 0;

	while (mmu_tlb_shift[size] != shift)
		size++;
	*mmu_tlb_entry(tlb, size, va) = (struct vsplit_gpu_tlb_entry) {
		.asid = vm->asid, .page = va >> shift << shift, .pte = pte,
	};
}

void vsplit_gpu_tlb_init(struct vsplit_gpu_tlb *tlb, struct vsplit_gpu_space *space)
{
	mutex_init(&tlb->lock);
	space->tlbs[space->nr_tlbs++] = tlb;
}

/* Flush a range: remove its translations from the TLBs of all engines. */
static void mmu_flush(struct vsplit_gpu_space *space, const struct vsplit_gpu_vm *vm, u64 va,
		      u64 bytes)
{
	u32 i, k, size;

	for (i = 0; i < space->nr_tlbs; i++) {
		struct vsplit_gpu_tlb *tlb = space->tlbs[i];

		mutex_lock(&tlb->lock);
		for (size = 0; size < VSPLIT_GPU_TLB_SIZES; size++) {
			for (k = 0; k < VSPLIT_GPU_TLB_ENTRIES; k++) {
				struct vsplit_gpu_tlb_entry *entry = &tlb->entries[size][k];

				if (entry->asid == vm->asid && entry->page < va + bytes &&
				    va < entry->page + (1ull << mmu_tlb_shift[size]))
					entry->asid = 0;
			}
		}
		mutex_unlock(&tlb->lock);
	}
}

/* Why an access is refused, or NONE. */
static u32 mmu_refuse(u64 pte, u32 access)
{
	if (pte & VSPLIT_GPU_MAP_ABSENT)
		return VSPLIT_FAULT_NOT_RESIDENT;
	if (!(pte & (VSPLIT_GPU_MAP_RESIDENT | VSPLIT_GPU_MAP_SPARSE)))
		return VSPLIT_FAULT_NOT_MAPPED;
	if ((access & VSPLIT_GPU_ACCESS_WRITE) &&
	    !(pte & (VSPLIT_GPU_MAP_WRITE | VSPLIT_GPU_MAP_SPARSE)))
		return VSPLIT_FAULT_READ_ONLY;
	return VSPLIT_FAULT_NONE;
}

bool vsplit_gpu_tlb_enter(struct vsplit_gpu_tlb *tlb, struct vsplit_gpu_vm *vm, u64 address,
			  u32 access, struct vsplit_gpu_translation *to)
{
	u32 shift, fault;
	u64 pte, in_page;

	if (!tlb->depth++)
		mutex_lock(&tlb->lock);
	pte = address < VSPLIT_GPU_VM_BYTES ? mmu_tlb_find(tlb, vm, address, &shift) : 0;
	if (!pte && address < VSPLIT_GPU_VM_BYTES) {
		pte = mmu_walk(vm, address, &shift);
		if (pte & (VSPLIT_GPU_MAP_RESIDENT | VSPLIT_GPU_MAP_SPARSE))
			mmu_tlb_add(tlb, vm, address, pte, shift);
	}
	fault = mmu_refuse(pte, access);
	if (fault) {
		tlb->fault = fault;
		tlb->address = address;
		tlb->access = access & VSPLIT_GPU_ACCESS_WRITE;
		vsplit_gpu_tlb_leave(tlb);
		return false;
	}
	in_page = address & ((1ull << shift) - 1);
	to->sparse = pte & VSPLIT_GPU_MAP_SPARSE;
	to->address = (pte & ~MMU_PTE_FLAGS) + in_page;
	to->bytes = (1ull << shift) - in_page;
	return true;
}

void vsplit_gpu_tlb_leave(struct vsplit_gpu_tlb *tlb)
{
	if (!--tlb->depth)
		mutex_unlock(&tlb->lock);
}

/* ---- steps -------------------------------------------------------------- */

enum vsplit_gpu_moved vsplit_gpu_mmu_bind(struct vsplit_gpu_space *space,
					  const struct vsplit_gpu_work *work,
					  const struct vsplit_gpu_step *step)
{
	u64 first = VSPLIT_GPU_VM_BYTES, end = 0;
	u32 i;

	for (i = 0; i < step->nr_binds; i++) {
		const struct vsplit_gpu_bind *bind = &step->binds[i];

		mmu_set_runs(work, step->vm, bind->va, bind->bytes, bind->runs, bind->address,
			     bind->flags);
		first = min_t(u64, first, bind->va);
		end = bind->va + bind->bytes > end ? bind->va + bind->bytes : end;
	}
	if (first < end)
		mmu_flush(space, step->vm, first, end - first);
	return VSPLIT_GPU_MOVED_ALL;
}

static void mmu_leave(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
		      const struct vsplit_gpu_vm_maps *maps)
{
	u64 first = VSPLIT_GPU_VM_BYTES, end = 0;
	u32 i;

	for (i = 0; i < maps->nr; i++) {
		const struct vsplit_gpu_map *map = &maps->map[i];

		mmu_set(work, maps->vm, map->va, map->bytes, 0, VSPLIT_GPU_MAP_ABSENT);
		first = min_t(u64, first, map->va);
		end = map->va + map->bytes > end ? map->va + map->bytes : end;
	}
	mmu_flush(space, maps->vm, first, end - first);
}

void vsplit_gpu_mmu_leave(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
			  const struct vsplit_gpu_maps *maps)
{
	u32 i;

	for (i = 0; i < maps->nr; i++)
		mmu_leave(space, work, maps->vms[i]);
}

void vsplit_gpu_mmu_arrive(const struct vsplit_gpu_work *work, const struct vsplit_gpu_maps *maps,
			   const struct vsplit_gpu_loc *at)
{
	u64 address = at->runs ? 0 : at->address;
	u32 i, k;

	/* No flush: engines remember no translations of absent pages. */
	for (i = 0; i < maps->nr; i++) {
		const struct vsplit_gpu_vm_maps *of = maps->vms[i];

		for (k = 0; k < of->nr; k++) {
			const struct vsplit_gpu_map *map = &of->map[k];

			mmu_set_runs(work, of->vm, map->va, map->bytes, at->runs,
				     address + map->offset,
				     map->flags | VSPLIT_GPU_MAP_RESIDENT);
		}
	}
}

/* ---- where an allocation is mapped -------------------------------------- */

struct vsplit_gpu_vm_maps *vsplit_gpu_vm_maps_create(struct vsplit_gpu_vm *vm, u32 nr)
{
	struct vsplit_gpu_vm_maps *maps;

	maps = kvzalloc(vsplit_gpu_vm_maps_bytes(nr), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!maps)
		return NULL;
	kref_init(&maps->ref);
	maps->vm = vsplit_gpu_vm_get(vm);
	maps->nr = nr;
	return maps;
}

static void mmu_vm_maps_release(struct kref *ref)
{
	struct vsplit_gpu_vm_maps *maps = container_of(ref, struct vsplit_gpu_vm_maps, ref);

	vsplit_gpu_vm_put(maps->vm);
	if (maps->freed)
		maps->freed(maps->owner, vsplit_gpu_vm_maps_bytes(maps->nr));
	kvfree(maps);
}

void vsplit_gpu_vm_maps_put(struct vsplit_gpu_vm_maps *maps)
{
	if (maps)
		kref_put(&maps->ref, mmu_vm_maps_release);
}

struct vsplit_gpu_maps *vsplit_gpu_maps_create(u32 nr)
{
	struct vsplit_gpu_maps *maps;

	maps = kvzalloc(vsplit_gpu_maps_bytes(nr), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (maps)
		kref_init(&maps->ref);
	return maps;
}

void vsplit_gpu_maps_add(struct vsplit_gpu_maps *maps, struct vsplit_gpu_vm_maps *of)
{
	maps->vms[maps->nr++] = of;
	maps->written |= of->written;
}

static void mmu_maps_release(struct kref *ref)
{
	struct vsplit_gpu_maps *maps = container_of(ref, struct vsplit_gpu_maps, ref);
	u32 i;

	for (i = 0; i < maps->nr; i++)
		vsplit_gpu_vm_maps_put(maps->vms[i]);
	if (maps->freed)
		maps->freed(maps->owner, vsplit_gpu_maps_bytes(maps->nr));
	kvfree(maps);
}

void vsplit_gpu_maps_put(struct vsplit_gpu_maps *maps)
{
	if (maps)
		kref_put(&maps->ref, mmu_maps_release);
}
