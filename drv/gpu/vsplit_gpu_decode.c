// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Address decode, and copying and filling ranges of decoded memory.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Address decode
 *
 * An address belongs to at most one region: linear memory, or a GART whose
 * entries name system pages. Code that touches bytes asks for them in chunks
 * that are contiguous for the processor: a GART gives at most a page at a time,
 * system pages as many as follow each other, memory as much as the caller wants.
 * All bytes are touched through a chunk, and the index into memory or table is masked
 * against speculation, so this is the only place that has to be right.
 *
 * An unmapped GART entry stands for the dummy page. A RUN step's access to it is
 * refused; a paging step reads zeros from it, and its writes are dropped. Writes are
 * counted in both cases. The dummy page itself is never written, so no client
 * can leave anything in it for another.
 *
 * Memory under a swizzling range is in linear order, but commands see it tiled:
 * their addresses are translated, in chunks of a row of a tile
 * (vsplit_gpu_ranges.c). Paging steps see the memory as it is.
 *
 * A virtual address is translated first (vsplit_gpu_mmu.c), page by page, and the chunk holds
 * the lock of the engine's TLB until it is unmapped.
 *
 * Regions are added while nothing runs. GART entries are single words.
 */

/* ---- runs: where the bytes of an allocation lie in a segment -------------- */

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

/* ---- chunks --------------------------------------------------------------- */

const struct vsplit_gpu_region *
vsplit_gpu_find_region(struct vsplit_gpu_space *space, u64 address, u64 bytes)
{
	u32 i, nr;

	/* Pairs with gpu_add_region(). */
	nr = smp_load_acquire(&space->nr_regions);
	for (i = 0; i < nr; i++) {
		const struct vsplit_gpu_region *region = &space->regions[i];

		if (address >= region->base && address - region->base < region->size)
			return bytes <= region->size - (address - region->base) ? region : NULL;
	}
	return NULL;
}

static void decode_page(struct page *page, u32 offset, u64 bytes, struct vsplit_gpu_chunk *chunk)
{
	chunk->kmap = kmap_local_page(page);
	chunk->ptr = (u8 *)chunk->kmap + offset;
	chunk->bytes = min_t(u64, bytes, PAGE_SIZE - offset);
}

/* System pages: as many as follow each other. TTM's pool mostly allocates contiguous pages. */
static void decode_pages(const struct vsplit_gpu_span *span, u64 offset, u64 bytes,
			 struct vsplit_gpu_chunk *chunk)
{
	struct page **page = &span->pages[offset >> PAGE_SHIFT];
	u64 end = PAGE_SIZE - (offset & (PAGE_SIZE - 1));

	decode_page(*page, offset & (PAGE_SIZE - 1), bytes, chunk);
	for (; end < bytes && vsplit_gpu_page_follows(page[0], page[1]); page++)
		end += PAGE_SIZE;
	chunk->bytes = min_t(u64, bytes, end);
}

static bool decode_gart(const struct vsplit_gpu_span *span, const struct vsplit_gpu_region *region,
			u64 offset, u64 bytes, struct vsplit_gpu_chunk *chunk)
{
	unsigned long nr = region->size >> PAGE_SHIFT;
	unsigned long index = array_index_nospec((unsigned long)(offset >> PAGE_SHIFT), nr);
	struct page *page = READ_ONCE(region->entries[index]);
	u32 in_page = offset & (PAGE_SIZE - 1);

	if (!page && (span->access & VSPLIT_GPU_ACCESS_WRITE)) {
		atomic64_inc(&span->space->stray_writes);
		chunk->bytes = min_t(u64, bytes, PAGE_SIZE - in_page);
		return span->access & VSPLIT_GPU_ACCESS_PAGING;
	}
	if (!page) {
		if (!(span->access & VSPLIT_GPU_ACCESS_PAGING))
			return false;
		page = span->space->dummy;
	}
	decode_page(page, in_page, bytes, chunk);
	return true;
}

/* A sparse page: reads see the dummy page, writes go nowhere. */
static void decode_sparse(const struct vsplit_gpu_span *span, u64 address, u64 bytes,
			  struct vsplit_gpu_chunk *chunk)
{
	u32 in_page = address & (PAGE_SIZE - 1);

	*chunk = (struct vsplit_gpu_chunk) { .bytes = bytes };
	if (!(span->access & VSPLIT_GPU_ACCESS_WRITE))
		decode_page(span->space->dummy, in_page, bytes, chunk);
}

static bool decode_virtual(const struct vsplit_gpu_span *span, u64 address, u64 bytes,
			   struct vsplit_gpu_chunk *chunk)
{
	struct vsplit_gpu_span real = { .space = span->space, .access = span->access };
	struct vsplit_gpu_translation to;

	if (!vsplit_gpu_tlb_enter(span->tlb, span->vm, address, span->access, &to))
		return false;
	bytes = min_t(u64, min_t(u64, bytes, to.bytes), VSPLIT_GPU_POLL_BYTES);
	real.address = to.address;
	if (to.sparse) {
		decode_sparse(span, address, bytes, chunk);
	} else if (!vsplit_gpu_span_map(&real, 0, bytes, chunk)) {
		vsplit_gpu_tlb_leave(span->tlb);
		return false;
	}
	chunk->tlb = span->tlb;
	return true;
}

bool vsplit_gpu_span_map(const struct vsplit_gpu_span *span, u64 offset, u64 bytes,
			 struct vsplit_gpu_chunk *chunk)
{
	u64 address = span->address + offset;
	const struct vsplit_gpu_region *region;
	u8 range;

	*chunk = (struct vsplit_gpu_chunk) {};
	if (span->pages) {
		decode_pages(span, offset, bytes, chunk);
		return true;
	}
	if (span->vm)
		return decode_virtual(span, address, bytes, chunk);
	if (span->runs)
		bytes = min_t(u64, bytes, vsplit_gpu_runs_find(span->runs, offset, &address));
	region = vsplit_gpu_find_region(span->space, address, 1);
	if (!region)
		return false;
	address -= region->base;
	bytes = min_t(u64, bytes, region->size - address);
	if (region->entries)
		return decode_gart(span, region, address, bytes, chunk);
	address = array_index_nospec((unsigned long)address, (unsigned long)region->size);
	range = region->ranges ? READ_ONCE(region->ranges[address >> PAGE_SHIFT]) : 0;
	if (range && !(span->access & VSPLIT_GPU_ACCESS_PAGING)) {
		vsplit_gpu_range_chunk(span->space, region, range - 1, address, bytes, chunk);
		return true;
	}
	chunk->ptr = region->memory + address;
	chunk->bytes = bytes;
	return true;
}

/** vsplit_gpu_span_unmap() - Undo vsplit_gpu_span_map(), chunks in the reverse order. */
void vsplit_gpu_span_unmap(const struct vsplit_gpu_chunk *chunk)
{
	if (chunk->kmap)
		kunmap_local(chunk->kmap);
	if (chunk->tlb)
		vsplit_gpu_tlb_leave(chunk->tlb);
}

bool vsplit_gpu_surface_map(const struct vsplit_gpu_work *work,
			    const struct vsplit_gpu_surface *surface, u64 offset, u64 bytes,
			    struct vsplit_gpu_chunk *chunk)
{
	if (vsplit_gpu_span_map(&surface->span, offset, bytes, chunk))
		return true;
	work->program->fault.slot = surface->span.slot;
	work->program->fault.address = surface->span.address + offset;
	return false;
}

/* Map at most @bytes of both ends. Return: bytes of both chunks; 0: an end was refused. */
static u64 decode_map_pair(const struct vsplit_gpu_span *dst, u64 dst_offset,
			   const struct vsplit_gpu_span *src, u64 src_offset, u64 bytes,
			   struct vsplit_gpu_chunk *to, struct vsplit_gpu_chunk *from)
{
	if (!vsplit_gpu_span_map(dst, dst_offset, bytes, to)) {
		to->bytes = 0;
		return 0;
	}
	if (!vsplit_gpu_span_map(src, src_offset, to->bytes, from)) {
		vsplit_gpu_span_unmap(to);
		from->bytes = 0;
		return 0;
	}
	return from->bytes;
}

/* Which end was refused when decode_map_pair() returned 0. */
static enum vsplit_gpu_moved decode_refused(const struct vsplit_gpu_chunk *to)
{
	return to->bytes ? VSPLIT_GPU_MOVED_DECODE_SRC : VSPLIT_GPU_MOVED_DECODE;
}

static void decode_move(const struct vsplit_gpu_chunk *to, const struct vsplit_gpu_chunk *from,
			u64 bytes)
{
	if (to->ptr)
		memmove(to->ptr, from->ptr, bytes);
	vsplit_gpu_span_unmap(from);
	vsplit_gpu_span_unmap(to);
}

enum vsplit_gpu_moved
vsplit_gpu_span_copy_piece(const struct vsplit_gpu_span *dst, u64 dst_offset,
			   const struct vsplit_gpu_span *src, u64 src_offset, u32 bytes)
{
	struct vsplit_gpu_chunk to, from;
	u32 done, n;

	for (done = 0; done < bytes; done += n) {
		n = decode_map_pair(dst, dst_offset + done, src, src_offset + done, bytes - done,
				    &to, &from);
		if (!n)
			return decode_refused(&to);
		decode_move(&to, &from, n);
	}
	return VSPLIT_GPU_MOVED_ALL;
}

/* Number of bytes before @end that are in the granule of the byte before @end. */
static u64 decode_tail(const struct vsplit_gpu_span *span, u64 end, u32 granule)
{
	u64 base = span->pages ? 0 : span->address;

	return ((base + end - 1) & (granule - 1)) + 1;
}

/*
 * Map at most @bytes before @dst_end and @src_end, as many as are contiguous at both ends: all
 * bytes, those of a page, or those of a row of a tile. Return: the number of bytes, or 0.
 */
static u64 decode_map_pair_end(const struct vsplit_gpu_span *dst, u64 dst_end,
			       const struct vsplit_gpu_span *src, u64 src_end, u64 bytes,
			       struct vsplit_gpu_chunk *to, struct vsplit_gpu_chunk *from)
{
	static const u32 granules[] = { PAGE_SIZE, VSPLIT_TILE_WIDTH };
	u64 got, n = bytes;
	u32 i;

	for (i = 0;; i++) {
		got = decode_map_pair(dst, dst_end - n, src, src_end - n, n, to, from);
		if (!got || got == n)
			return got;
		vsplit_gpu_span_unmap(from);
		vsplit_gpu_span_unmap(to);
		if (i == ARRAY_SIZE(granules)) {
			to->bytes = 0;
			return 0;
		}
		n = min_t(u64, n, decode_tail(dst, dst_end, granules[i]));
		n = min_t(u64, n, decode_tail(src, src_end, granules[i]));
	}
}

/* Copy from the last byte to the first, for a destination that begins inside the source. */
static enum vsplit_gpu_moved
decode_copy_down(const struct vsplit_gpu_work *work,
		 const struct vsplit_gpu_span *dst, u64 dst_offset,
		 const struct vsplit_gpu_span *src, u64 src_offset, u64 bytes)
{
	struct vsplit_gpu_chunk to, from;
	u64 left, n;

	for (left = bytes; left; left -= n) {
		if (vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		n = decode_map_pair_end(dst, dst_offset + left, src, src_offset + left,
					min_t(u64, left, VSPLIT_GPU_POLL_BYTES), &to, &from);
		if (!n)
			return decode_refused(&to);
		decode_move(&to, &from, n);
	}
	return VSPLIT_GPU_MOVED_ALL;
}

enum vsplit_gpu_moved
vsplit_gpu_span_copy(const struct vsplit_gpu_work *work,
		     const struct vsplit_gpu_span *dst, u64 dst_offset,
		     const struct vsplit_gpu_span *src, u64 src_offset, u64 bytes)
{
	u64 to = dst->address + dst_offset;
	u64 from = src->address + src_offset;
	enum vsplit_gpu_moved moved;
	u64 done, n;

	if (!dst->pages && !src->pages && to > from && to - from < bytes)
		return decode_copy_down(work, dst, dst_offset, src, src_offset, bytes);
	for (done = 0; done < bytes; done += n) {
		if (vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		n = min_t(u64, bytes - done, VSPLIT_GPU_POLL_BYTES);
		moved = vsplit_gpu_span_copy_piece(dst, dst_offset + done, src, src_offset + done,
						   n);
		if (moved)
			return moved;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

/* Fill one chunk; @pattern is already rotated so that its lowest byte comes first. */
static void decode_fill_chunk(u8 *p, u64 bytes, u32 pattern)
{
	u64 wide, i;

	if (pattern == ror32(pattern, 8)) {
		memset(p, pattern, bytes);
		return;
	}
	for (; bytes && !IS_ALIGNED((unsigned long)p, sizeof(wide)); bytes--) {
		*p++ = pattern;
		pattern = ror32(pattern, 8);
	}
	wide = (u64)pattern << 32 | pattern;
	i = bytes / sizeof(wide);
	memset64((u64 *)p, wide, i);
	for (i *= sizeof(wide); i < bytes; i++) {
		p[i] = pattern;
		pattern = ror32(pattern, 8);
	}
}

enum vsplit_gpu_moved
vsplit_gpu_span_fill(const struct vsplit_gpu_work *work,
		     const struct vsplit_gpu_span *dst, u32 pattern, u64 bytes)
{
	struct vsplit_gpu_chunk to;
	u64 done;

	for (done = 0; done < bytes; done += to.bytes) {
		u64 n = min_t(u64, bytes - done, VSPLIT_GPU_POLL_BYTES);

		if (vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		if (!vsplit_gpu_span_map(dst, done, n, &to))
			return VSPLIT_GPU_MOVED_DECODE;
		if (to.ptr)
			decode_fill_chunk(to.ptr, to.bytes, ror32(pattern, 8 * (done & 3)));
		vsplit_gpu_span_unmap(&to);
	}
	return VSPLIT_GPU_MOVED_ALL;
}
