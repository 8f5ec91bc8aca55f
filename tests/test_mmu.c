// SPDX-License-Identifier: MIT
/*
 * Virtual addresses: page tables compared with a map of pages, what engines remember of page
 * tables, and packets with virtual addresses.
 */
#include "gpu_world.h"
#include "harness.h"

#define LARGE		(2ull << 20)
#define SMALL		4096ull
#define W_VA		(7 * LARGE)	/* what the random test maps: four large pages */
#define W_VA_PAGES	(4 * 512u)

/* What a page shows, by the definition. */
struct shown {
	u32 flags;	/* VSPLIT_GPU_MAP_*; 0: nothing */
	u64 address;
};

static struct vsplit_gpu_work paging_work(struct world *w)
{
	return (struct vsplit_gpu_work) {
		.engine = &w->engine, .program = &w->program, .paging = true,
	};
}

static void bind(struct world *w, struct vsplit_gpu_vm *vm, u64 va, u64 bytes, u64 address,
		 u32 flags)
{
	const struct vsplit_gpu_bind one = {
		.va = va, .bytes = bytes, .address = address, .flags = flags,
	};
	const struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_BIND, .vm = vm, .binds = &one, .nr_binds = 1,
	};

	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
}

/* Ask the MMU for a byte and compare it with what the page shows. */
static void look(struct world *w, struct vsplit_gpu_vm *vm, u64 va, bool write,
		 const struct shown *shown)
{
	struct vsplit_gpu_translation to;
	u32 fault = VSPLIT_FAULT_NONE;

	if (shown->flags & VSPLIT_GPU_MAP_ABSENT)
		fault = VSPLIT_FAULT_NOT_RESIDENT;
	else if (!shown->flags)
		fault = VSPLIT_FAULT_NOT_MAPPED;
	else if (write && !(shown->flags & (VSPLIT_GPU_MAP_WRITE | VSPLIT_GPU_MAP_SPARSE)))
		fault = VSPLIT_FAULT_READ_ONLY;
	if (!vsplit_gpu_tlb_enter(&w->exec.tlb, vm, va, write ? VSPLIT_GPU_ACCESS_WRITE : 0, &to)) {
		t_equal(w->exec.tlb.fault, fault);
		t_equal(w->exec.tlb.address, va);
		t_equal(w->exec.tlb.access, write ? VSPLIT_GPU_ACCESS_WRITE : 0);
		return;
	}
	t_equal(VSPLIT_FAULT_NONE, fault);
	t_equal(to.sparse, !!(shown->flags & VSPLIT_GPU_MAP_SPARSE));
	if (!to.sparse)
		t_equal(to.address, shown->address + va % SMALL);
	t_check(to.bytes && to.bytes <= LARGE && (va + to.bytes) % SMALL == 0);
	vsplit_gpu_tlb_leave(&w->exec.tlb);
}

/* A random range of pages, often to the edges of large pages. */
static void random_range(u32 *first, u32 *pages)
{
	u32 end;

	*first = below(3) ? below(W_VA_PAGES) : below(4) * 512;
	end = below(3) ? *first + 1 + below(W_VA_PAGES - *first) :
			 (*first / 512 + 1 + below(4 - *first / 512)) * 512;
	*pages = end - *first;
}

/* Compare page tables with a map of pages. */
static void test_random(void)
{
	static const u32 kinds[] = {
		0, VSPLIT_GPU_MAP_SPARSE, VSPLIT_GPU_MAP_ABSENT, VSPLIT_GPU_MAP_RESIDENT,
		VSPLIT_GPU_MAP_RESIDENT | VSPLIT_GPU_MAP_WRITE,
	};
	struct vsplit_gpu_vm *vm = vsplit_gpu_vm_create();
	struct shown *shown = calloc(W_VA_PAGES, sizeof(*shown));
	struct world *w = world_new(0);
	u32 round, i, first, pages;
	u64 seen_large = 0;

	t_equal(vsplit_gpu_vm_reserve(vm, W_VA, W_VA_PAGES * SMALL, false), 0);
	for (round = 0; round < 3000; round++) {
		u32 flags = kinds[below(5)];
		/* Aligned for each size of page, or for the smallest. */
		u64 address = (u64)(1 + below(1000)) << (below(2) ? 12 : 21);

		random_range(&first, &pages);
		/* Often aligned to the virtual address, so that large pages are used. */
		if (below(2))
			address += first % 512 * SMALL;
		bind(w, vm, W_VA + first * SMALL, pages * SMALL, address, flags);
		for (i = 0; i < pages; i++)
			shown[first + i] = (struct shown) { flags, address + i * SMALL };
		for (i = 0; i < 200; i++) {
			u32 page = below(4) ? below(W_VA_PAGES) :
					      (first + below(pages + 2) + W_VA_PAGES - 1) % W_VA_PAGES;

			look(w, vm, W_VA + page * SMALL + below(SMALL), below(2), &shown[page]);
		}
		for (i = 0; i < VSPLIT_GPU_TLB_ENTRIES; i++)
			seen_large += !!w->exec.tlb.entries[0][i].asid;
	}
	t_check(seen_large);
	for (i = 0; i < W_VA_PAGES; i++)
		look(w, vm, W_VA + i * SMALL, true, &shown[i]);
	vsplit_gpu_vm_put(vm);
	world_free(w);
	free(shown);
}

static const volatile u64 *written[128];
static u32 nr_written;

static void note_written(const volatile void *word)
{
	t_check(nr_written < ARRAY_SIZE(written));
	written[nr_written++] = word;
}

/* Bind pages that are no large ones, and note the words that this writes. */
static void bind_noted(struct world *w, struct vsplit_gpu_vm *vm, u32 first, u32 pages, u64 address)
{
	nr_written = 0;
	gpu_user_written = note_written;
	bind(w, vm, W_VA + first * SMALL, pages * SMALL, address, VSPLIT_GPU_MAP_RESIDENT);
	gpu_user_written = NULL;
}

/*
 * Engines may write neighbouring mappings at the same time, so a step writes no entry outside its
 * range, not even with the value that it has.
 */
static void test_neighbours(void)
{
	struct vsplit_gpu_vm *vm = vsplit_gpu_vm_create();
	const volatile u64 *entries;
	struct world *w = world_new(0);
	u32 half, i, own;

	t_equal(vsplit_gpu_vm_reserve(vm, W_VA, LARGE, false), 0);
	bind_noted(w, vm, 0, 16, SMALL);
	t_check(nr_written >= 16);
	entries = written[nr_written - 16];
	t_check(entries + 15 == written[nr_written - 1]);
	for (half = 0; half < 2; half++)
		bind(w, vm, W_VA + 8 * half * SMALL, 8 * SMALL, (100 * half + 1) * SMALL,
		     VSPLIT_GPU_MAP_RESIDENT);
	for (half = 0; half < 2; half++) {
		bind_noted(w, vm, 8 * half, 8, (100 * half + 33) * SMALL);
		for (i = 0, own = 0; i < nr_written; i++) {
			t_check(written[i] < entries + 8 * (1 - half) ||
				written[i] >= entries + 8 * (2 - half));
			own += written[i] >= entries + 8 * half &&
			       written[i] < entries + 8 * (half + 1);
		}
		t_check(own >= 8);
	}
	vsplit_gpu_vm_put(vm);
	world_free(w);
}

/* Page tables exist while they are reserved, and after that until they are pruned. */
static void test_reserve(void)
{
	struct vsplit_gpu_vm *vm = vsplit_gpu_vm_create();
	u64 empty = vsplit_gpu_vm_bytes(vm), one, far = VSPLIT_GPU_VM_BYTES - LARGE;
	const struct shown nothing = {}, page = { VSPLIT_GPU_MAP_RESIDENT, LARGE };
	struct world *w = world_new(0);

	t_equal(vsplit_gpu_vm_reserve(vm, far, LARGE, false), 0);
	one = vsplit_gpu_vm_bytes(vm);
	t_equal(one - empty, vsplit_gpu_vm_tables(far, LARGE, false));
	/* Reserving the same again takes no memory. */
	t_equal(vsplit_gpu_vm_reserve(vm, far + SMALL, SMALL, false), 0);
	t_equal(vsplit_gpu_vm_bytes(vm), one);
	bind(w, vm, far, LARGE, LARGE, VSPLIT_GPU_MAP_RESIDENT);
	look(w, vm, far, false, &page);
	vsplit_gpu_vm_unreserve(vm, far, LARGE, false, 5);
	vsplit_gpu_vm_prune(&w->space, vm, 5);
	t_equal(vsplit_gpu_vm_bytes(vm), one);
	bind(w, vm, far, LARGE, 0, 0);
	vsplit_gpu_vm_unreserve(vm, far + SMALL, SMALL, false, 7);
	vsplit_gpu_vm_prune(&w->space, vm, 6);
	t_equal(vsplit_gpu_vm_bytes(vm), one);
	vsplit_gpu_vm_prune(&w->space, vm, 7);
	t_equal(vsplit_gpu_vm_bytes(vm), empty);
	look(w, vm, far, false, &nothing);
	/*
	 * A page that a sparse page hides is not reserved, and is cleared when the sparse page
	 * goes.
	 */
	t_equal(vsplit_gpu_vm_reserve(vm, far, SMALL, false), 0);
	bind(w, vm, far, SMALL, 0, VSPLIT_GPU_MAP_RESIDENT);
	t_equal(vsplit_gpu_vm_reserve(vm, far, LARGE, true), 0);
	bind(w, vm, far, LARGE, 0, VSPLIT_GPU_MAP_SPARSE);
	vsplit_gpu_vm_unreserve(vm, far, SMALL, false, 8);
	vsplit_gpu_vm_unreserve(vm, far, LARGE, true, 9);
	vsplit_gpu_vm_prune(&w->space, vm, 8);
	t_equal(vsplit_gpu_vm_bytes(vm), one);
	bind(w, vm, far, LARGE, 0, 0);
	look(w, vm, far, false, &nothing);
	vsplit_gpu_vm_prune(&w->space, vm, 9);
	t_equal(vsplit_gpu_vm_bytes(vm), empty);
	/* Sparse pages of 2 MiB need no last level. */
	t_equal(vsplit_gpu_vm_reserve(vm, 0, 100 * LARGE, true), 0);
	t_check(vsplit_gpu_vm_bytes(vm) - empty < 5 * one);
	t_check(vsplit_gpu_vm_bytes(vm) - empty <= vsplit_gpu_vm_tables(0, 100 * LARGE, true));
	bind(w, vm, 0, 100 * LARGE, 0, VSPLIT_GPU_MAP_SPARSE);
	look(w, vm, 99 * LARGE, true, &(struct shown) { VSPLIT_GPU_MAP_SPARSE, 0 });
	vsplit_gpu_vm_put(vm);
	world_free(w);
}

static struct vsplit_gpu_maps *map_of(struct vsplit_gpu_vm *vm, u64 va, u64 bytes, u64 offset,
				      u32 flags)
{
	struct vsplit_gpu_vm_maps *of = vsplit_gpu_vm_maps_create(vm, 1);
	struct vsplit_gpu_maps *maps = vsplit_gpu_maps_create(1);

	of->map[0] = (struct vsplit_gpu_map) {
		.va = va, .bytes = bytes, .offset = offset, .flags = flags,
	};
	vsplit_gpu_maps_add(maps, of);
	return maps;
}

/* An engine uses the translations that it remembers until a flush; leaving is a flush, too. */
static void test_flush(void)
{
	const struct shown first = { VSPLIT_GPU_MAP_RESIDENT, W_MEM };
	const struct shown second = { VSPLIT_GPU_MAP_RESIDENT, W_MEM + 8 * SMALL };
	const struct shown absent = { VSPLIT_GPU_MAP_ABSENT, 0 };
	struct vsplit_gpu_vm *vm = vsplit_gpu_vm_create(), *other = vsplit_gpu_vm_create();
	struct vsplit_gpu_maps *maps = map_of(vm, LARGE, SMALL, 0, 0);
	struct world *w = world_new(0);
	struct vsplit_gpu_work work = paging_work(w);
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_TRANSFER, .flags = VSPLIT_GPU_STEP_ARRIVES,
		.src.address = W_MEM, .dst.address = W_MEM + 8 * SMALL, .bytes = SMALL,
		.maps = maps,
	};

	vsplit_gpu_vm_reserve(vm, LARGE, SMALL, false);
	vsplit_gpu_vm_reserve(other, LARGE, SMALL, false);
	bind(w, vm, LARGE, SMALL, W_MEM, VSPLIT_GPU_MAP_RESIDENT);
	bind(w, other, LARGE, SMALL, W_MEM + 3 * SMALL, VSPLIT_GPU_MAP_RESIDENT);
	look(w, vm, LARGE, false, &first);
	/* The engine does not notice an entry that changes without a flush. */
	vsplit_gpu_mmu_arrive(&work, maps, &step.dst);
	look(w, vm, LARGE, false, &first);
	vsplit_gpu_mmu_leave(&w->space, &work, maps);
	look(w, vm, LARGE, false, &absent);
	/* Translations of one address space do not affect another one. */
	look(w, other, LARGE, false, &(struct shown) { VSPLIT_GPU_MAP_RESIDENT,
						       W_MEM + 3 * SMALL });
	bind(w, vm, LARGE, SMALL, W_MEM, VSPLIT_GPU_MAP_RESIDENT);
	look(w, vm, LARGE, false, &first);
	/* Move the memory that the page shows. */
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	look(w, vm, LARGE, false, &second);
	step.flags = 0;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	look(w, vm, LARGE, false, &absent);
	vsplit_gpu_maps_put(maps);
	vsplit_gpu_vm_put(other);
	vsplit_gpu_vm_put(vm);
	world_free(w);
}

/* ---- packets ------------------------------------------------------------ */

#define VM_DATA		(LARGE - 2 * SMALL)	/* four pages, none of them next to another */
#define VM_READ		(3 * LARGE)		/* one of these pages, read-only */
#define VM_SPARSE	(5 * LARGE)
#define VM_NOTHING	(9 * LARGE)

static u64 data_at(u64 at)
{
	return W_MEM + 8192 + at / SMALL * 3 * SMALL + at % SMALL;
}

static struct world *vm_world(struct vsplit_gpu_vm **vm)
{
	struct world *w = world_new(0);
	u32 i;

	*vm = vsplit_gpu_vm_create();
	w->rows->nr_slots = 0;
	w->vm = *vm;
	vsplit_gpu_vm_reserve(*vm, VM_DATA, 4 * SMALL, false);
	vsplit_gpu_vm_reserve(*vm, VM_READ, SMALL, false);
	vsplit_gpu_vm_reserve(*vm, VM_SPARSE, LARGE, true);
	for (i = 0; i < 4; i++)
		bind(w, *vm, VM_DATA + i * SMALL, SMALL, data_at(i * SMALL),
		     VSPLIT_GPU_MAP_RESIDENT | VSPLIT_GPU_MAP_WRITE);
	bind(w, *vm, VM_READ, SMALL, data_at(0), VSPLIT_GPU_MAP_RESIDENT);
	bind(w, *vm, VM_SPARSE, LARGE, 0, VSPLIT_GPU_MAP_SPARSE);
	return w;
}

static void vm_world_free(struct world *w, struct vsplit_gpu_vm *vm)
{
	t_equal(w->engine.polls_held, 0);
	world_free(w);
	vsplit_gpu_vm_put(vm);
}

static struct vsplit_operand at(u64 va)
{
	return (struct vsplit_operand) { .flags = VSPLIT_OPERAND_VIRTUAL, .value = va };
}

/* Bytes go to the right pages across page edges, and sparse pages read as zeros. */
static void test_packets(void)
{
	struct vsplit_packet_copy *copy;
	struct vsplit_packet_fill *fill;
	struct vsplit_packet_store *store;
	struct vsplit_gpu_vm *vm;
	struct world *w = vm_world(&vm);
	u8 before[3 * SMALL];
	u32 i;

	for (i = 0; i < sizeof(before); i++)
		before[i] = *world_byte(w, data_at(i));
	copy = world_copy(w, 0, 0, 0, 0, 3 * SMALL);
	copy->dst = at(VM_DATA + 100);
	copy->src = at(VM_DATA);
	t_equal(world_run(w), VSPLIT_FAULT_NONE);
	for (i = 0; i < sizeof(before); i++)
		t_equal(*world_byte(w, data_at(100 + i)), before[i]);

	world_clear(w);
	world_state(w, VSPLIT_STATE_FILL, 0x04030201);
	fill = world_fill(w, 0, 0, 2 * SMALL);
	fill->dst = at(VM_DATA + 3);
	/* A write to a sparse page has no effect. */
	fill = world_fill(w, 0, 0, LARGE);
	fill->dst = at(VM_SPARSE);
	copy = world_copy(w, 0, 0, 0, 0, 2 * SMALL);
	copy->dst = at(VM_DATA + 2 * SMALL);
	copy->src = at(VM_SPARSE + 7);
	store = world_add(w, VSPLIT_OP_STORE, sizeof(*store));
	store->dst = at(VM_SPARSE + 8);
	store = world_add(w, VSPLIT_OP_ATOMIC_ADD, sizeof(*store));
	store->dst = at(VM_SPARSE + 8);
	store->value = 1;
	store = world_add(w, VSPLIT_OP_ATOMIC_ADD, sizeof(*store));
	store->dst = at(VM_DATA + 2 * SMALL + 8);
	store->value = 77;
	t_equal(world_run(w), VSPLIT_FAULT_NONE);
	for (i = 3; i < 2 * SMALL; i++)
		t_equal(*world_byte(w, data_at(i)), (i - 3) % 4 + 1);
	for (i = 2 * SMALL + 16; i < 4 * SMALL; i++)
		t_equal(*world_byte(w, data_at(i)), 0);
	t_equal(world_get64(w, data_at(2 * SMALL + 8)), 77);
	/* When it ended, the TLB was not locked. */
	t_check(!w->exec.tlb.depth && !w->exec.tlb.lock.held);
	vm_world_free(w, vm);
}

/* Copy a tile to and from rows in one page at once. */
static void test_tile(void)
{
	u64 pages[] = { VM_DATA, VM_DATA + SMALL, VM_DATA + 2 * SMALL };
	struct vsplit_packet_copy_2d *copy;
	struct vsplit_gpu_vm *vm;
	struct world *w = vm_world(&vm);
	u32 i;

	world_state(w, VSPLIT_STATE_SRC_PITCH, 64);
	world_state(w, VSPLIT_STATE_DST_PITCH, 64);
	for (i = 0; i < 2; i++) {
		copy = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*copy));
		copy->head.flags = i ? VSPLIT_COPY_2D_SRC_TILED : VSPLIT_COPY_2D_DST_TILED;
		copy->width = 64;
		copy->height = 64;
		copy->dst = at(pages[i + 1]);
		copy->src = at(pages[i]);
	}
	t_equal(world_run(w), VSPLIT_FAULT_NONE);
	for (i = 0; i < SMALL; i++)
		t_equal(*world_byte(w, data_at(2 * SMALL + i)), *world_byte(w, data_at(i)));
	vm_world_free(w, vm);
}

struct refusal {
	u32 fault;
	u64 address;
	bool write;
};

static void refused(struct world *w, struct refusal should)
{
	t_equal(world_run(w), should.fault);
	t_equal(w->program.fault.fault, should.fault);
	t_equal(w->program.fault.address, should.address);
	t_equal(w->program.fault.write, should.write);
	t_check(!w->exec.tlb.depth && !w->exec.tlb.lock.held);
	world_clear(w);
}

/* Each packet that touches memory faults at the first page that it may not access. */
static void test_faults(void)
{
	const struct refusal nothing = { VSPLIT_FAULT_NOT_MAPPED, VM_NOTHING, true };
	const struct refusal beyond = { VSPLIT_FAULT_NOT_MAPPED, VM_DATA + 4 * SMALL, true };
	const struct refusal beyond_read = { VSPLIT_FAULT_NOT_MAPPED, VM_DATA + 4 * SMALL, false };
	struct vsplit_packet_copy_2d *rect;
	struct vsplit_packet_copy *copy;
	struct vsplit_packet_fill *fill;
	struct vsplit_packet_mma *mma;
	struct vsplit_packet_store *store;
	struct vsplit_packet_timestamp *stamp;
	struct vsplit_gpu_vm *vm;
	struct world *w = vm_world(&vm);
	u32 i;

	world_state(w, VSPLIT_STATE_FILL, 0);
	fill = world_fill(w, 0, 0, 4 * SMALL);
	fill->dst = at(VM_DATA + 1);
	refused(w, beyond);
	world_state(w, VSPLIT_STATE_FILL, 0);
	world_fill(w, 0, 0, 8)->dst = at(VM_READ);
	refused(w, (struct refusal) { VSPLIT_FAULT_READ_ONLY, VM_READ, true });
	copy = world_copy(w, 0, 0, 0, 0, 16);
	copy->dst = at(VM_DATA);
	copy->src = at(VM_DATA + 4 * SMALL - 8);
	refused(w, beyond_read);
	copy = world_copy(w, 0, 0, 0, 0, 16);
	copy->dst = at(VM_NOTHING);
	copy->src = at(VM_READ);
	refused(w, nothing);
	for (i = 0; i < 2; i++) {
		world_state(w, VSPLIT_STATE_SRC_PITCH, 128);
		world_state(w, VSPLIT_STATE_DST_PITCH, 128);
		rect = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*rect));
		rect->width = 128;
		rect->height = 64;
		rect->dst = at(i ? VM_DATA + 3 * SMALL : VM_SPARSE);
		rect->src = at(i ? VM_SPARSE : VM_DATA + 3 * SMALL);
		refused(w, i ? beyond : beyond_read);
	}
	for (i = 0; i < 3; i++) {
		world_state(w, VSPLIT_STATE_LDA, 64);
		world_state(w, VSPLIT_STATE_LDB, 64);
		world_state(w, VSPLIT_STATE_LDC, 256);
		mma = world_add(w, VSPLIT_OP_MMA, sizeof(*mma));
		mma->m = 32;
		mma->n = 64;
		mma->k = 64;
		mma->c = at(i == 0 ? VM_NOTHING : VM_DATA);
		mma->a = at(i == 1 ? VM_DATA + 4 * SMALL - 64 : VM_READ);
		mma->b = at(i == 2 ? VM_DATA + 4 * SMALL - 64 : VM_READ);
		refused(w, i ? beyond_read : nothing);
	}
	for (i = 0; i < 2; i++) {
		store = world_add(w, i ? VSPLIT_OP_ATOMIC_ADD : VSPLIT_OP_STORE, sizeof(*store));
		store->dst = at(VM_NOTHING);
		refused(w, nothing);
	}
	stamp = world_add(w, VSPLIT_OP_TIMESTAMP, sizeof(*stamp));
	stamp->dst = at(VM_NOTHING);
	refused(w, nothing);
	/* Beyond the end of all addresses, and ranges that would wrap. */
	world_state(w, VSPLIT_STATE_FILL, 0);
	world_fill(w, 0, 0, 16)->dst = at(VSPLIT_GPU_VM_BYTES - 8);
	refused(w, (struct refusal) { VSPLIT_FAULT_NOT_MAPPED, VSPLIT_GPU_VM_BYTES, true });
	world_state(w, VSPLIT_STATE_FILL, 0);
	world_fill(w, 0, 0, 16)->dst = at(~7ull);
	refused(w, (struct refusal) { VSPLIT_FAULT_NOT_MAPPED, ~7ull, true });
	vm_world_free(w, vm);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {
		{ "random", test_random }, { "reserve", test_reserve }, { "flush", test_flush },
		{ "neighbours", test_neighbours }, { "packets", test_packets }, { "tile", test_tile },
		{ "faults", test_faults },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		t_begin();
		tests[i].run();
		t_end(tests[i].name, NULL);
	}
	return t_status;
}
