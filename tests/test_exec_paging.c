// SPDX-License-Identifier: MIT
/*
 * The paging steps, case by case.
 */
#include "gpu_world.h"
#include "harness.h"

/* Allocate pages. The list has groups of three, in another order than the memory. */
static struct page *new_pages(u32 n, struct page ***list)
{
	struct page *pages = malloc(n * sizeof(*pages));
	u32 i;

	*list = malloc(n * sizeof(**list));
	for (i = 0; i < n; i++) {
		(*list)[i] = &pages[n - min_t(u32, n, 3 * (i / 3 + 1)) + i % 3];
		memset((*list)[i], 0xc0 + i, sizeof(*pages));
	}
	return pages;
}

static u8 listed(struct page **list, u64 i)
{
	return list[i / 4096]->bytes[i % 4096];
}

static void paging_transfer(void)
{
	struct world *w = world_standard();
	struct page **list, *pages = new_pages(20, &list);
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_TRANSFER, .dst.address = W_MEM + 8192, .src.pages = list,
		.bytes = 20 * 4096,
	};
	u8 before = w->memory[8191], after = w->memory[8192 + 20 * 4096];
	u64 i, wrong = 0;

	/* Page in, in the order of the list. */
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < step.bytes; i++)
		wrong += w->memory[8192 + i] != listed(list, i);
	t_check(w->memory[8191] == before && w->memory[8192 + step.bytes] == after);
	/* Page out. */
	for (i = 0; i < step.bytes; i++)
		w->memory[8192 + i] = i * 77 >> 3;
	step.src = step.dst;
	step.dst = (struct vsplit_gpu_loc) { .pages = list };
	step.src.pages = NULL;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < step.bytes; i++)
		wrong += listed(list, i) != (u8)(i * 77 >> 3);
	/* Copy from pages to pages. */
	step.src = (struct vsplit_gpu_loc) { .pages = list };
	step.dst = (struct vsplit_gpu_loc) { .pages = list + 10 };
	step.bytes = 10 * 4096;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < step.bytes; i++)
		wrong += listed(list + 10, i) != (u8)(i * 77 >> 3);
	t_equal(wrong, 0);
	free(list);
	free(pages);
	world_free(w);
}

/* Move by less than the size, up and down. */
static void paging_move(void)
{
	static const s64 by[] = { 4096, -4096, 65536, -65536, 3 * 4096, 40 * 4096, -40 * 4096, 0 };
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(by); i++) {
		struct world *w = world_standard();
		u64 from = 42 * 4096, bytes = 30 * 4096;
		u8 *should = malloc(bytes);
		struct vsplit_gpu_step step = {
			.type = VSPLIT_GPU_STEP_TRANSFER, .bytes = bytes,
		};

		for (n = 0; n < 2; n++) {
			u64 base = n ? W_GART - 25 * 4096 : W_MEM;
			u64 k;

			if (n && (by[i] > 4096 || by[i] < -4096))
				break;
			for (k = 0; k < bytes; k++)
				should[k] = *world_byte(w, base + from + k);
			step.src.address = base + from;
			step.dst.address = base + from + by[i];
			t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
			for (k = 0; k < bytes; k++) {
				if (*world_byte(w, step.dst.address + k) != should[k])
					t_fail("by %lld, byte %llu", (long long)by[i],
					       (long long)k);
			}
		}
		free(should);
		world_free(w);
	}
}

static void paging_fill(void)
{
	struct world *w = world_standard();
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_FILL, .dst.address = W_MEM + 4096, .bytes = 8192,
		.pattern = 0x44332211,
	};
	struct page **list, *pages = new_pages(2, &list);
	u8 before = w->memory[4095], after = w->memory[12288];
	u32 i;

	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 4096; i < 12288; i += 4)
		t_equal(world_get32(w, W_MEM + i), 0x44332211);
	t_check(w->memory[4095] == before && w->memory[12288] == after);
	step.dst = (struct vsplit_gpu_loc) { .pages = list };
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < 8192; i++)
		t_equal(listed(list, i), 0x11 * (1 + i % 4));
	free(list);
	free(pages);
	world_free(w);
}

/* A fill of row 1 finds no page at @address. */
static void unmapped_at(struct world *w, u64 address)
{
	t_equal(world_run(w), VSPLIT_FAULT_DECODE);
	t_equal(w->program.fault.slot, 1);
	t_equal(w->program.fault.address, address);
}

static void paging_map(void)
{
	struct world *w = world_new(0);
	struct page **list, *pages = new_pages(3, &list);
	struct vsplit_gpu_step map = {
		.type = VSPLIT_GPU_STEP_MAP, .dst.address = W_GART + 4 * 4096, .src.pages = list,
		.bytes = 3 * 4096,
	};
	struct vsplit_gpu_step unmap = {
		.type = VSPLIT_GPU_STEP_UNMAP, .dst.address = W_GART + 5 * 4096, .bytes = 4096,
		.src.pages = list,
	};

	world_row(w, 1, W_GART, W_GART_BYTES, VSPLIT_GPU_ROW_WRITE);
	world_state(w, VSPLIT_STATE_FILL, 0);
	world_fill(w, 1, 4 * 4096, 3 * 4096);
	unmapped_at(w, W_GART + 4 * 4096);
	t_equal(world_page(w, &map), VSPLIT_GPU_MOVED_ALL);
	t_check(!w->entries[3] && w->entries[4] == list[0] && w->entries[6] == list[2] &&
		!w->entries[7]);
	t_equal(world_run(w), 0);
	t_check(!pages[0].bytes[0] && !pages[2].bytes[4095]);
	t_equal(world_page(w, &unmap), VSPLIT_GPU_MOVED_ALL);
	t_check(w->entries[4] == list[0] && !w->entries[5] && w->entries[6] == list[2]);
	unmapped_at(w, W_GART + 4 * 4096);
	/* Not a GART, and beyond its end: a mistake of the driver, without effect. */
	map.dst.address = W_MEM;
	t_equal(world_page(w, &map), VSPLIT_GPU_MOVED_DECODE);
	map.dst.address = W_GART + W_GART_BYTES - 2 * 4096;
	t_equal(world_page(w, &map), VSPLIT_GPU_MOVED_DECODE);
	t_check(!w->entries[W_GART_PAGES - 2]);
	free(list);
	free(pages);
	world_free(w);
}

/* Paging through unmapped entries reads zeros, and writes nothing. */
static void paging_dummy(void)
{
	struct world *w = world_new(2);
	struct page **list, *pages = new_pages(4, &list);
	struct vsplit_gpu_step in = {
		.type = VSPLIT_GPU_STEP_TRANSFER, .dst.address = W_GART, .src.pages = list,
		.bytes = 4 * 4096,
	};
	u32 i;

	t_equal(world_page(w, &in), VSPLIT_GPU_MOVED_ALL);
	t_equal(w->space.stray_writes.counter, 2);
	in.src = (struct vsplit_gpu_loc) { .address = W_GART };
	in.dst = (struct vsplit_gpu_loc) { .pages = list };
	t_equal(world_page(w, &in), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < 4 * 4096; i++)
		t_equal(listed(list, i), i / 4096 % 2 ? 0 : 0xc0 + i / 4096);
	for (i = 0; i < 4096; i++)
		t_equal(w->dummy.bytes[i], 0);
	free(list);
	free(pages);
	world_free(w);
}

static void paging_swizzle(void)
{
	struct world *w = world_standard();
	u32 n = 23, pitch = 320;
	struct page **list, *pages = new_pages(n, &list);
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_TRANSFER, .flags = VSPLIT_GPU_STEP_SWIZZLE,
		.dst.address = W_MEM, .src.pages = list, .bytes = n * 4096, .pitch = pitch,
	};
	u64 i, wrong = 0, band = pitch * 64;
	u8 *linear = malloc(step.bytes);

	for (i = 0; i < step.bytes; i++)
		linear[i] = list[i / 4096]->bytes[i % 4096] = i * 2654435761u >> 17;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < step.bytes; i++) {
		u64 at = i / band * band == step.bytes / band * band ? i :
			 world_rect_at(pitch, i % pitch, i / pitch, true);

		wrong += w->memory[at] != linear[i];
	}
	t_equal(wrong, 0);
	memset(pages, 0, n * sizeof(*pages));
	step.flags = VSPLIT_GPU_STEP_UNSWIZZLE;
	step.src = step.dst;
	step.dst = (struct vsplit_gpu_loc) { .pages = list };
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < step.bytes; i++)
		wrong += listed(list, i) != linear[i];
	t_equal(wrong, 0);
	step.pitch = 100;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_DECODE);
	free(linear);
	free(list);
	free(pages);
	world_free(w);
}

/* Paging of a cancelled program goes on, paging on a dead GPU does not. */
static void paging_cancel(void)
{
	struct world *w = world_standard();
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_FILL, .dst.address = W_MEM, .bytes = W_MEM_BYTES,
	};

	w->engine.stop_at = 1;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	t_check(w->engine.polls >= W_MEM_BYTES / VSPLIT_GPU_POLL_BYTES);
	w->engine.stop_paging = true;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_STOPPED);
	step.type = VSPLIT_GPU_STEP_MARK;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	world_free(w);
}

static void paging_nowhere(void)
{
	struct world *w = world_standard();
	struct page **list, *pages = new_pages(2, &list);
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_TRANSFER, .dst.address = 0x5000, .src.pages = list,
		.bytes = 8192,
	};

	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_DECODE);
	step.dst = (struct vsplit_gpu_loc) { .pages = list };
	step.src = (struct vsplit_gpu_loc) { .address = W_MEM + W_MEM_BYTES - 4096 };
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_DECODE_SRC);
	free(list);
	free(pages);
	world_free(w);
}

int main(void)
{
	t_run(paging_transfer);
	t_run(paging_move);
	t_run(paging_fill);
	t_run(paging_map);
	t_run(paging_dummy);
	t_run(paging_swizzle);
	t_run(paging_cancel);
	t_run(paging_nowhere);
	return t_status;
}
