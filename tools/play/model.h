/* SPDX-License-Identifier: MIT */
/*
 * A parsed scenario. All of it is checked, and names are replaced by indexes. The parser makes it;
 * the executor and the printers only read it.
 */
#ifndef _VSPLIT_PLAY_MODEL_H_
#define _VSPLIT_PLAY_MODEL_H_

#include "common.h"

#define NO_INDEX	UINT32_MAX
#define DEFAULT_DEVICE	0u	/* the device without a name */

/* Offset and length in an allocation; if not @given, the range is all of the allocation. */
struct range {
	bool given;
	uint64_t offset;
	uint64_t length;
};

struct segment_def {
	char *name;
	int line;
	bool aperture;
	uint64_t size;
	uint64_t commit;	/* 0: size */
	uint64_t cpu;		/* bytes, or VSPLIT_ADAPTER_CPU_ALL */
	uint64_t ranges;	/* swizzling ranges */
};

/*
 * The adapter of the scenario.
 * @own: the scenario has lines that need an adapter of its own.
 * @described: some lines describe the adapter, so that no existing adapter can replace it.
 * @line: the first of these lines.
 * @slots: number of slots; 0: not given, so it has DEFAULT_SLOTS.
 * @engines: number of engine lines.
 * @save_restore: 0, 1, or -1 if not given.
 * @paging_own: likewise.
 * @options, @num_options: options from adapter lines, as "NAME\0VALUE".
 * @test: the scenario has statements that need test mode.
 * @heads: number of heads that the device with the most heads needs.
 * @modes: kinds of contexts that the adapter must have, as bits by enum drm_vsplit_ctx_mode.
 */
struct adapter_def {
	bool own;
	bool described;
	int line;
	struct segment_def segments[VSPLIT_MAX_SEGMENTS];
	uint32_t num_segments;
	uint64_t slots;
	uint32_t engines;
	int save_restore;
	int paging_own;
	char **options;
	uint32_t num_options;
	bool test;
	uint32_t heads;
	uint32_t modes;
};

struct device_def {
	char *name;	/* NULL: the device without a name */
	int line;
	int closed;	/* line, or 0 */
	bool own;	/* has an adapter of its own, set up like the scenario's */
	bool primary;	/* opens the primary node, not the render node */
	bool primaries;	/* has primaries, and needs the primary node for them */
	bool trim_lru;	/* answers trims: evicts what was used least recently */
};

struct context_def {
	char *name;
	int line;
	uint32_t device;
	uint32_t priority;	/* enum drm_vsplit_ctx_priority */
	uint32_t engine;
	uint32_t mode;		/* enum drm_vsplit_ctx_mode */
	bool wddm;
	bool error_expected;	/* an expect line checks its error */
};

enum alloc_kind {
	ALLOC_PLAIN,
	ALLOC_TILES,	/* of a surface; the rows are the next allocation */
	ALLOC_ROWS,
	ALLOC_IMPORT,
	ALLOC_DUMB,
};

/*
 * @segments, @segment_flags, @num_segments: the value of in=, with VSPLIT_GEM_SEGMENT_*.
 * @evict_to, @num_evict_to: the value of evict-to=.
 * @pitch: pitch of a swizzled allocation or a surface.
 * @private_byte: surface: byte that the client adds to the private data.
 * @source: import: the allocation that is shared.
 * @width, @height, @bpp: of a dumb buffer, or of an allocation that heads may show; 0: neither.
 * @fb_pitch: alloc: bytes of a row of an allocation that heads may show.
 * @error_expected: an expect line checks its error.
 */
struct alloc_def {
	char *name;
	int line;
	enum alloc_kind kind;
	uint32_t device;
	uint64_t size;
	uint64_t align;
	uint32_t priority;
	uint32_t flags;		/* VSPLIT_GEM_* */
	uint64_t pitch;
	char *segments[VSPLIT_MAX_SEGMENTS];
	uint8_t segment_flags[VSPLIT_MAX_SEGMENTS];
	uint32_t num_segments;
	char *evict_to[VSPLIT_MAX_SEGMENTS];
	uint32_t num_evict_to;
	uint8_t private_byte;
	uint32_t source;
	uint64_t width;
	uint64_t height;
	uint32_t bpp;
	uint64_t fb_pitch;
	bool error_expected;
};

enum op_type {
	OP_BIND,
	OP_UNBIND,
	OP_FILL,
	OP_COPY,
	OP_SWIZZLE,
	OP_UNSWIZZLE,
	OP_SPIN,
	OP_PAD,
	OP_FILL_AT,	/* uses virtual addresses, like the next one */
	OP_COPY_AT,
	OP_PRIMARY,	/* an element of the allocation list, marked as written */
	OP_SIGNAL,	/* a monitored fence; alloc: its index, value: the value to signal */
	OP_WAIT_FENCE,	/* a monitored fence; alloc: its index, value: the value to wait for */
};

/*
 * A line in the body of a DMA buffer.
 * @slot: bind, unbind, fill; destination slot of copy, swizzle and unswizzle.
 * @src: source slot of copy, swizzle and unswizzle.
 * @alloc: bind: index of the allocation.
 * @value: fill: the byte; spin: us; pad: the offset; copy by addresses: the source address.
 * @range: range of fill, length of copy. By addresses, its offset is the destination address.
 * @bound, @bound_src: index of the op that bound @slot, or @src, before; NO_INDEX: nothing is bound.
 * @group: bind, unbind: it is the first one of its group.
 * @last: bind, unbind: it is the last one of its group.
 * @offset: offset of its first packet in the stream.
 */
struct op {
	enum op_type type;
	int line;
	uint32_t slot;
	uint32_t src;
	uint32_t bound;
	uint32_t bound_src;
	uint32_t alloc;
	uint64_t value;
	struct range range;
	bool group;
	bool last;
	uint64_t offset;
};

/* @length: length of the stream. */
struct dma_def {
	char *name;
	int line;
	uint32_t context;
	struct op *ops;
	uint32_t num_ops;
	uint64_t length;
	bool submitted;
};

/*
 * A head that the scenario lights.
 * @pipe: its number on the adapter.
 * @width, @height: size of its mode; 0: the mode that the monitor prefers.
 * @error_expected: an expect line checks its error.
 */
struct head_def {
	char *name;
	int line;
	uint32_t device;
	uint32_t pipe;
	uint32_t width;
	uint32_t height;
	bool error_expected;
};

/*
 * A monitored fence.
 * @value: its initial value.
 * @device: the device whose buffer names it first.
 * @used: a buffer names it.
 */
struct fence_def {
	char *name;
	int line;
	uint32_t device;
	uint64_t value;
	bool used;
};

enum request_kind {
	REQUEST_MAKE,		/* MakeResident */
	REQUEST_EVICT,
	REQUEST_OFFER,
	REQUEST_RECLAIM,
};

/* Names, indexed by enum drm_vsplit_offer_priority. */
#define NUM_OFFERS	(VSPLIT_OFFER_AUTO + 1)
extern const char *const offer_names[NUM_OFFERS];

/*
 * A call that changes a requirement list, or offers or reclaims allocations.
 * @name: name of the request, or NULL.
 * @flags: VSPLIT_RESIDENT_* or VSPLIT_EVICT_*; offer: enum drm_vsplit_offer_priority.
 */
struct request_def {
	char *name;
	int line;
	enum request_kind kind;
	bool device_given;
	uint32_t device;
	uint32_t *allocs;
	uint32_t num_allocs;
	uint32_t flags;
};

/*
 * A change of virtual addresses.
 * @type: enum drm_vsplit_va_op_type.
 * @flags: VSPLIT_VA_OP_*.
 * @alloc: map: index of the allocation.
 * @bytes: size of the range; map: 0: from @offset to the end of the allocation.
 */
struct va_def {
	uint32_t type;
	uint32_t flags;
	uint32_t alloc;
	uint64_t address;
	uint64_t bytes;
	uint64_t offset;
};

enum stmt_type {
	STMT_DEVICE,
	STMT_CONTEXT,
	STMT_ALLOC,
	STMT_SURFACE,	/* index: the tiles */
	STMT_IMPORT,
	STMT_DUMB,
	STMT_PRIORITY,
	STMT_KNOB,
	STMT_SUSPEND,	/* index: the engine */
	STMT_RESUME,	/* likewise */
	STMT_SUBMIT,
	STMT_WAIT,	/* index of a DMA buffer, or request; both NO_INDEX: all */
	STMT_WRITE,
	STMT_LOCK,
	STMT_UNLOCK,
	STMT_CLOSE,
	STMT_HEAD,
	STMT_FLIP,
	STMT_WAIT_HEAD,
	STMT_EXPECT,
	STMT_RESIDENT,	/* index: the request */
	STMT_EVICT,	/* likewise */
	STMT_BUDGET,	/* index: the device */
	STMT_TRIM,	/* likewise */
	STMT_VA,	/* likewise */
	STMT_FENCE,	/* index: the fence; the next two likewise */
	STMT_SIGNAL,
	STMT_WAIT_FENCE,
	STMT_OFFER,	/* index: the request */
	STMT_RECLAIM,	/* likewise */
};

enum check_type {
	CHECK_PORTIONS,
	CHECK_ERROR,
	CHECK_OK,
	CHECK_BYTES,
	CHECK_IN,
	CHECK_AT,
	CHECK_RANGE,
	CHECK_LOCKS,
	CHECK_SHARED,
	CHECK_STATE,
	CHECK_EVICTED,
	CHECK_PAGED_IN,
	CHECK_MOVED,
	CHECK_TRANSFERRED,
	CHECK_ACQUIRED,
	CHECK_STRAY_WRITES,
	CHECK_SHOWS,
	CHECK_FRAMES,
	CHECK_PIXEL,
	CHECK_AFTER_FLIP,
	CHECK_PENDING,
	CHECK_TRIM,
	CHECK_COUNT,
	CHECK_TRIMS,
	CHECK_TRIM_BYTES,
	CHECK_USAGE,
	CHECK_FAULT_ADDRESS,
	CHECK_VALUE,
	CHECK_DISCARDED,
	CHECK_RUNS,
};

enum compare {
	COMPARE_EQ,
	COMPARE_GE,
	COMPARE_LE,
};

/*
 * One key of an expect line.
 * @text: the key as it was written, "portions>=2".
 * @number: value to compare with. CHECK_ERROR: errno; CHECK_STATE: enum drm_vsplit_state, or
 *	STATE_LOST; CHECK_SHOWS: index of the allocation; CHECK_AFTER_FLIP: index of the head;
 *	CHECK_PIXEL: the colour.
 * @x, @y: CHECK_PIXEL: position.
 * @name: CHECK_IN: name of the segment; NULL: system memory.
 */
struct check {
	enum check_type type;
	enum compare compare;
	char *text;
	uint64_t number;
	char *name;
	struct range range;
	uint32_t x;
	uint32_t y;
};

enum expect_kind {
	EXPECT_DMA,
	EXPECT_ALLOC,
	EXPECT_CONTEXT,
	EXPECT_HEAD,
	EXPECT_REQUEST,
	EXPECT_DEVICE,
	EXPECT_FENCE,
	EXPECT_TOTALS,
};

#define STATE_LOST	UINT32_MAX	/* lost for any reason */

#define MAX_CHECKS	4

/*
 * @index: index of the device, context, ...; submit: index of the DMA buffer.
 * @after, @num_after: submit: indexes of DMA buffers; flip: at most one.
 * @alloc, @async: flip.
 * @request: wait: index of a request, or NO_INDEX.
 * @force_split: submit: take every split point.
 * @lock_flags: lock: VSPLIT_LOCK_*.
 * @priority: priority: as in struct drm_vsplit_gem_priority.
 * @knob: knob: its name, static.
 * @value: knob: the setting; budget, trim: bytes; signal, wait: value of the fence.
 * @group: budget: enum drm_vsplit_group.
 * @va: map, unmap, sparse.
 * @byte, @range: write.
 * @kind, @checks, @num_checks: expect.
 */
struct stmt {
	enum stmt_type type;
	int line;
	uint32_t index;
	uint32_t *after;
	uint32_t num_after;
	uint32_t alloc;
	bool async;
	uint32_t request;
	bool force_split;
	uint32_t lock_flags;
	uint32_t priority;
	const char *knob;
	uint64_t value;
	uint32_t group;
	struct va_def va;
	uint8_t byte;
	struct range range;
	enum expect_kind kind;
	struct check checks[MAX_CHECKS];
	uint32_t num_checks;
};

/*
 * Finds the elements of a list by name.
 * @slots: hash table of indexes + 1; 0: free.
 * @size: a power of two, or 0.
 * @num: number of elements that are in the table.
 */
struct name_index {
	uint32_t *slots;
	uint32_t size;
	uint32_t num;
};

enum name_kind { NAME_DEVICE, NAME_CONTEXT, NAME_ALLOC, NAME_DMA, NAME_HEAD, NAME_REQUEST, NAME_FENCE, NUM_NAMES };

/* @names: for the find functions below. */
struct scenario {
	struct name_index *names;
	char *path;
	char *title;	/* first sentence of the file's comment, or NULL */
	bool title_done;
	struct adapter_def adapter;
	struct device_def *devices;
	uint32_t num_devices;
	struct context_def *contexts;
	uint32_t num_contexts;
	struct alloc_def *allocs;
	uint32_t num_allocs;
	struct dma_def *dmas;
	uint32_t num_dmas;
	struct head_def *heads;
	uint32_t num_heads;
	struct request_def *requests;
	uint32_t num_requests;
	struct fence_def *fences;
	uint32_t num_fences;
	struct stmt *stmts;
	uint32_t num_stmts;
};

/* Sizes of the adapter if the scenario does not give them. */
#define DEFAULT_SLOTS	64		/* the module's default */
#define DEFAULT_VRAM	(64ull << 20)
#define DEFAULT_APERTURE (64ull << 20)

struct scenario *scenario_new(void);
void scenario_free(struct scenario *s);

/*
 * Return the index of the first element with this name, or NO_INDEX. @list: array of structures
 * that begin with their name, or NULL; it only grows, and only its last name may still change.
 */
uint32_t find_name(struct name_index *names, const void *list, uint32_t count, size_t size,
		   const char *wanted);

/* Return the index of a name, or NO_INDEX. */
uint32_t find_device(const struct scenario *s, const char *name);
uint32_t find_context(const struct scenario *s, const char *name);
uint32_t find_alloc(const struct scenario *s, const char *name);
uint32_t find_dma(const struct scenario *s, const char *name);
uint32_t find_head(const struct scenario *s, const char *name);
uint32_t find_request(const struct scenario *s, const char *name);
uint32_t find_fence(const struct scenario *s, const char *name);
uint32_t find_segment(const struct scenario *s, const char *name);

/* Bytes that an op emits. @from: offset at which it begins. */
uint64_t op_bytes(const struct op *op, uint64_t from);

/* Does this buffer write the allocation that @op binds, through that slot? */
bool bind_writes(const struct dma_def *dma, uint32_t op);

/* The allocation that a slot of @op holds before @op, or NULL. */
const struct alloc_def *slot_alloc(const struct scenario *s, const struct dma_def *dma,
				   uint32_t op, uint32_t slot);

/* Do both devices belong to the same adapter? */
bool same_adapter(const struct scenario *s, uint32_t a, uint32_t b);

/*
 * Of a swizzle or unswizzle: bytes of a row, which the tiled side determines; and the number of
 * whole rows that both sides have room for; 0 if one side has none.
 */
uint32_t op_pitch(const struct scenario *s, const struct dma_def *dma, uint32_t op);
uint32_t op_rows(const struct scenario *s, const struct dma_def *dma, uint32_t op);

/* Length of a fill or copy if none is given. */
uint64_t op_default_length(const struct scenario *s, const struct dma_def *dma, uint32_t op);

/* The knob of this name, static, or NULL; and the largest setting of a knob. */
const char *knob_name(const char *text, size_t len);
uint64_t knob_max(const char *name);

#endif /* _VSPLIT_PLAY_MODEL_H_ */
