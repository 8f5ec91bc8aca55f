// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit fuzz
 * Description: Random programs of calls, guided by the coverage of the module: nothing
 *   splats, nothing is left, and a client that takes no part loses no byte.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: stress test
 *
 * A program is up to 16 steps on a fresh pair of clients: an ioctl from the table
 * of the interface, or something else that a process does. The arguments of a step
 * come from its seed alone, mostly such that they make sense. A step may have a
 * property: fail the Nth thing, interrupt the Nth wait, run beside those that follow.
 * A program may be killed in its midst. Programs that reach new blocks of the module
 * are kept, and changed ones of them are tried next.
 *
 * Before it runs, each program is written to "fuzz-last" (in $VSPLIT_SHARE/out, which
 * the host sees, or in the working directory): after a crash that is the one, and
 * scripts/fuzz-shrink makes it smaller. In the environment: VSPLIT_SEED (default 1),
 * VSPLIT_CALLS (how many), VSPLIT_REPLAY (a file: run that program, ten times).
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_kcov.h"
#include "igt_vsplit_uapi.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Random programs of calls, guided by coverage.");

#define U 4096ull
#define MAX_STEPS 16
#define MAX_KEPT 4096
#define MAX_THINGS 16
#define MAX_ARRAY 24
#define STREAM 4096

/* ---- programs ----------------------------------------------------------- */

/* What is no ioctl of the driver's. */
enum other_call {
	OTHER_FIRST = VSPLIT_NR_CALLS,
	OTHER_CLOSE_BO = OTHER_FIRST,
	OTHER_SYNCOBJ,
	OTHER_MAP,
	OTHER_TOUCH,
	OTHER_UNMAP,
	OTHER_EXPORT,
	OTHER_REOPEN,
	OTHER_WAIT,
	OTHER_DUMB,
	OTHER_FDINFO,
	OTHER_KNOB,
	OTHER_UNBIND,
	OTHER_END
};

static const char *const other_names[] = {
	"close-bo", "syncobj", "map", "touch", "unmap", "export", "reopen", "wait", "dumb",
	"fdinfo", "knob", "unbind",
};

enum property { PROP_NONE, PROP_SITE, PROP_INTERRUPT, PROP_KERNEL, PROP_BESIDE, PROP_END };

static const char *const prop_names[] = { "-", "site", "interrupt", "kernel", "beside" };

struct step {
	uint8_t call;
	uint8_t prop;
	uint16_t nth;
	uint64_t seed;
};

struct program {
	uint8_t world;		/* the kind of adapter */
	uint16_t kill_us;	/* killed after so long; 0: not */
	uint8_t nr;
	struct step steps[MAX_STEPS];
};

static const struct vsplit_adapter_opts worlds[] = {
	{ .segs = { { "vram", .size = 16 * U } }, .slots = 8, .timeout_ms = 200, .test = true },
	{ .segs = { { "vram", .size = 16 * U }, { "gart", true, .size = 16 * U } },
	  .slots = 8, .engines = 2, .timeout_ms = 200, .paging_own = true, .test = true },
	{ .segs = { { "vram", .size = 8 * U, .cpu = "none" }, { "low", .size = 16 * U, .commit = 12 * U } },
	  .slots = 8, .timeout_ms = 200, .save_restore = true, .lenient = true, .test = true },
	{ .segs = { { "vram", .size = 32 * U } }, .slots = 8, .timeout_ms = 200,
	  .leak_detection = true, .model_clock = true, .test = true },
};

static struct program *kept[MAX_KEPT];
static unsigned int nr_kept;
static uint64_t calls, refused, programs, killed;
static bool have[VSPLIT_INJECT_KINDS];

static const char *call_name(unsigned int call)
{
	return call < OTHER_FIRST ? vsplit_calls[call].name : other_names[call - OTHER_FIRST];
}

static int print_program(const struct program *p, char *text, size_t size)
{
	int n = snprintf(text, size, "world %u kill %u\n", p->world, p->kill_us);

	for (unsigned int i = 0; i < p->nr; i++)
		n += snprintf(text + n, size - n, "%s %s %u %" PRIx64 "\n",
			      call_name(p->steps[i].call), prop_names[p->steps[i].prop],
			      p->steps[i].nth, p->steps[i].seed);
	return n;
}

static void read_program(const char *path, struct program *p)
{
	char line[128], call[32], prop[32];
	unsigned int a, b;
	FILE *f = fopen(path, "r");

	igt_assert_f(f, "%s\n", path);
	memset(p, 0, sizeof(*p));
	igt_assert(fgets(line, sizeof(line), f));
	igt_assert_eq(sscanf(line, "world %u kill %u", &a, &b), 2);
	p->world = a % ARRAY_SIZE(worlds);
	p->kill_us = b;
	while (p->nr < MAX_STEPS && fgets(line, sizeof(line), f)) {
		struct step *s = &p->steps[p->nr++];

		igt_assert_eq(sscanf(line, "%31s %31s %u %" SCNx64, call, prop, &a, &s->seed), 4);
		for (s->call = 0; s->call < OTHER_END && strcmp(call, call_name(s->call)); )
			s->call++;
		for (s->prop = 0; s->prop < PROP_END && strcmp(prop, prop_names[s->prop]); )
			s->prop++;
		s->nth = a;
		igt_assert(s->call < OTHER_END && s->prop < PROP_END);
	}
	fclose(f);
}

static void random_step(struct vsplit_rng *rng, struct step *s)
{
	uint32_t dice = vsplit_rng_below(rng, 100);

	memset(s, 0, sizeof(*s));
	s->seed = vsplit_rng_next(rng);
	/* submissions and allocations are what it is about */
	if (dice < 30)
		s->call = DRM_VSPLIT_SUBMIT;
	else if (dice < 40)
		s->call = DRM_VSPLIT_GEM_CREATE;
	else
		s->call = vsplit_rng_below(rng, OTHER_END);
	/* dear, and the end of everything that was there */
	if (s->call == OTHER_UNBIND && vsplit_rng_below(rng, 16))
		s->call = DRM_VSPLIT_ESCAPE;
	if (vsplit_rng_below(rng, 100) < 70)
		return;
	s->prop = vsplit_rng_below(rng, PROP_END);
	if ((s->prop == PROP_SITE && !have[VSPLIT_INJECT_SITE]) ||
	    (s->prop == PROP_INTERRUPT && !have[VSPLIT_INJECT_WAIT]) ||
	    (s->prop == PROP_KERNEL && !have[VSPLIT_INJECT_KERNEL]))
		s->prop = PROP_BESIDE;
	s->nth = 1 + vsplit_rng_below(rng, s->prop == PROP_KERNEL ? 40 : 20);
}

static void random_program(struct vsplit_rng *rng, struct program *p)
{
	memset(p, 0, sizeof(*p));
	p->world = vsplit_rng_below(rng, ARRAY_SIZE(worlds));
	p->nr = 4 + vsplit_rng_below(rng, MAX_STEPS - 3);
	for (unsigned int i = 0; i < p->nr; i++)
		random_step(rng, &p->steps[i]);
	/* something to work with */
	p->steps[0].call = DRM_VSPLIT_CTX_CREATE;
	p->steps[0].prop = PROP_NONE;
	p->steps[1].call = DRM_VSPLIT_GEM_CREATE;
	p->steps[1].prop = PROP_NONE;
}

static void change_program(struct vsplit_rng *rng, struct program *p)
{
	unsigned int changes = 1 + vsplit_rng_below(rng, 3);

	while (changes--) {
		unsigned int at = vsplit_rng_below(rng, p->nr);
		const struct program *with = kept[vsplit_rng_below(rng, nr_kept)];

		switch (vsplit_rng_below(rng, 7)) {
		case 0:
			random_step(rng, &p->steps[at]);
			break;
		case 1:
			p->steps[at].seed = vsplit_rng_next(rng);
			break;
		case 2:		/* left out */
			if (p->nr > 2) {
				memmove(&p->steps[at], &p->steps[at + 1],
					(p->nr - at - 1) * sizeof(p->steps[0]));
				p->nr--;
			}
			break;
		case 3:		/* put in */
			if (p->nr < MAX_STEPS) {
				memmove(&p->steps[at + 1], &p->steps[at],
					(p->nr - at) * sizeof(p->steps[0]));
				p->nr++;
				random_step(rng, &p->steps[at]);
			}
			break;
		case 4:		/* of another program */
			p->steps[at] = with->steps[vsplit_rng_below(rng, with->nr)];
			break;
		case 5:		/* once more */
			if (p->nr < MAX_STEPS)
				p->steps[p->nr++] = p->steps[at];
			break;
		default:
			p->world = vsplit_rng_below(rng, ARRAY_SIZE(worlds));
			break;
		}
	}
}

/* ---- what a program has to do with -------------------------------------- */

struct things {
	uint32_t id[MAX_THINGS];
	unsigned int nr;
};

struct client {
	int fd;
	struct things bos, ctxs, syncobjs;
	uint64_t point;
	void *maps[4];
	uint64_t map_size[4];
};

static struct vsplit_adapter *ads[ARRAY_SIZE(worlds)];
static struct vsplit_adapter *ad;
static struct client clients[2];

static void open_client(struct client *c)
{
	char path[32];

	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
	c->fd = open(path, O_RDWR | O_CLOEXEC);
}

static void close_client(struct client *c)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(c->maps); i++)
		if (c->maps[i])
			munmap(c->maps[i], c->map_size[i]);
	if (c->fd >= 0)
		close(c->fd);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

static void add(struct things *t, uint32_t id, struct vsplit_rng *rng)
{
	if (t->nr < MAX_THINGS)
		t->id[t->nr++] = id;
	else
		t->id[vsplit_rng_below(rng, MAX_THINGS)] = id;
}

static uint64_t wild(struct vsplit_rng *rng)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 7, 8, 15, 16, 255, 256, 4095, 4096, 4097, 65535, 65536, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff, 0xffff888000000000,
	};
	uint64_t n = numbers[vsplit_rng_below(rng, ARRAY_SIZE(numbers))];

	switch (vsplit_rng_below(rng, 4)) {
	case 0:
		return 1ull << vsplit_rng_below(rng, 64);
	case 1:
		return vsplit_rng_next(rng) >> vsplit_rng_below(rng, 64);
	default:
		return n;
	}
}

static bool odd(struct vsplit_rng *rng)
{
	return vsplit_rng_below(rng, 24) == 0;
}

static uint32_t one_of(const struct things *t, struct vsplit_rng *rng)
{
	if (!t->nr || odd(rng))
		return vsplit_rng_below(rng, 8) ? vsplit_rng_below(rng, 12) : wild(rng);
	return t->id[vsplit_rng_below(rng, t->nr)];
}

/* ---- arguments ---------------------------------------------------------- */

struct arrays {
	uint8_t stream[STREAM];
	uint32_t bytes;
	struct drm_vsplit_alloc allocs[MAX_ARRAY];
	uint32_t nr_allocs;
	struct drm_vsplit_patch patches[MAX_ARRAY];
	uint32_t nr_patches;
	struct drm_vsplit_sync syncs[4];
	uint32_t nr_syncs;
	struct drm_vsplit_surface_private private[2];
	struct drm_vsplit_surface_alloc surface[2];
	uint8_t out[16384];
};

static void *packet(struct arrays *a, uint32_t op, uint32_t size, uint32_t arg)
{
	struct vsplit_packet *head = (void *)(a->stream + a->bytes);

	memset(head, 0, size);
	head->op = op;
	head->size = size;
	head->arg = arg;
	a->bytes += size;
	return head;
}

/* A command stream with its lists, as a client makes them. */
static void make_stream(struct client *c, struct arrays *a, struct vsplit_rng *rng)
{
	unsigned int groups = 1 + vsplit_rng_below(rng, 6);
	bool used[MAX_THINGS] = {};
	uint32_t index[MAX_THINGS];

	for (unsigned int g = 0; g < groups; g++) {
		uint32_t split = a->bytes;
		unsigned int binds = 1 + vsplit_rng_below(rng, 2);

		for (unsigned int b = 0; b < binds && c->bos.nr; b++) {
			unsigned int n = vsplit_rng_below(rng, c->bos.nr);
			uint32_t slot = vsplit_rng_below(rng, 3);
			struct drm_vsplit_patch *patch = &a->patches[a->nr_patches];
			struct vsplit_packet_bind *bind;
			bool twice = false;

			for (unsigned int i = 0; i < MAX_THINGS; i++)
				twice |= used[i] && i != n && c->bos.id[i] == c->bos.id[n];
			if (twice || a->nr_patches == MAX_ARRAY)
				continue;
			if (!used[n]) {
				used[n] = true;
				index[n] = a->nr_allocs;
				a->allocs[a->nr_allocs++] = (struct drm_vsplit_alloc) {
					.handle = odd(rng) ? one_of(&c->bos, rng) : c->bos.id[n],
					.flags = vsplit_rng_below(rng, 8) ? VSPLIT_ALLOC_WRITE :
						 vsplit_rng_below(rng, 4),
				};
			}
			*patch = (struct drm_vsplit_patch) {
				.alloc = index[n],
				.slot = slot,
				.driver_id = vsplit_rng_next(rng),
				.alloc_offset = odd(rng) ? wild(rng) : 0,
				.split_offset = split,
				.patch_offset = a->bytes + offsetof(struct vsplit_packet_bind, address),
			};
			a->nr_patches++;
			bind = packet(a, VSPLIT_OP_BIND, sizeof(*bind), slot);
		}
		for (unsigned int n = vsplit_rng_below(rng, 4); n; n--) {
			uint32_t slot = odd(rng) ? vsplit_rng_below(rng, 10) : vsplit_rng_below(rng, 3);
			uint64_t offset = odd(rng) ? wild(rng) : vsplit_rng_below(rng, 4096) & ~7u;
			uint64_t length = odd(rng) ? wild(rng) : vsplit_rng_below(rng, 4096);
			struct vsplit_packet_state *state;
			struct vsplit_packet_fill *fill;
			struct vsplit_packet_copy *copy;
			struct vsplit_packet_copy_2d *copy_2d;
			struct vsplit_packet_mma *mma;
			struct vsplit_packet_store *store;
			struct vsplit_packet_timestamp *stamp;

			switch (vsplit_rng_below(rng, 9)) {
			case 0:
				packet(a, VSPLIT_OP_NOP, 8 + 8 * vsplit_rng_below(rng, 3), 0);
				break;
			case 1:
				state = packet(a, VSPLIT_OP_STATE, sizeof(*state), VSPLIT_STATE_FILL);
				state->value = vsplit_rng_next(rng) & 0xffffffff;
				fill = packet(a, VSPLIT_OP_FILL, sizeof(*fill), 0);
				fill->dst = (struct vsplit_operand) { slot, 0, offset };
				fill->length = length;
				break;
			case 2:
				copy = packet(a, VSPLIT_OP_COPY, sizeof(*copy), 0);
				copy->dst = (struct vsplit_operand) { slot, 0, offset };
				copy->src = (struct vsplit_operand) { vsplit_rng_below(rng, 3), 0, 8 };
				copy->length = length;
				break;
			case 3:
				for (unsigned int r = VSPLIT_STATE_SRC_PITCH;
				     r <= VSPLIT_STATE_DST_PITCH; r++) {
					state = packet(a, VSPLIT_OP_STATE, sizeof(*state), r);
					state->value = odd(rng) ? wild(rng) & 0xffffffff : 64;
				}
				copy_2d = packet(a, VSPLIT_OP_COPY_2D, sizeof(*copy_2d), 0);
				copy_2d->head.flags = vsplit_rng_below(rng, 4);
				copy_2d->dst = (struct vsplit_operand) { slot, 0, offset };
				copy_2d->src = (struct vsplit_operand) { vsplit_rng_below(rng, 3), 0, 0 };
				copy_2d->width = odd(rng) ? wild(rng) : 64;
				copy_2d->height = odd(rng) ? wild(rng) : 64;
				break;
			case 4:
				for (unsigned int r = VSPLIT_STATE_LDA; r <= VSPLIT_STATE_LDC; r++) {
					state = packet(a, VSPLIT_OP_STATE, sizeof(*state), r);
					state->value = odd(rng) ? wild(rng) & 0xffffffff : 64;
				}
				mma = packet(a, VSPLIT_OP_MMA, sizeof(*mma), 0);
				mma->head.flags = vsplit_rng_below(rng, 2);
				mma->c = (struct vsplit_operand) { slot, 0, offset & ~3ull };
				mma->a = (struct vsplit_operand) { vsplit_rng_below(rng, 3), 0, 0 };
				mma->b = (struct vsplit_operand) { vsplit_rng_below(rng, 3), 0, 64 };
				mma->m = 1 + vsplit_rng_below(rng, 8);
				mma->n = 1 + vsplit_rng_below(rng, 8);
				mma->k = odd(rng) ? wild(rng) : 1 + vsplit_rng_below(rng, 8);
				break;
			case 5:
			case 6:
				store = packet(a, vsplit_rng_below(rng, 2) ? VSPLIT_OP_STORE :
					       VSPLIT_OP_ATOMIC_ADD, sizeof(*store), 0);
				store->dst = (struct vsplit_operand) { slot, 0, offset };
				store->value = vsplit_rng_next(rng);
				break;
			case 7:
				stamp = packet(a, VSPLIT_OP_TIMESTAMP, sizeof(*stamp), 0);
				stamp->dst = (struct vsplit_operand) { slot, 0, offset };
				break;
			default:
				packet(a, VSPLIT_OP_SPIN, 8, vsplit_rng_below(rng, 200) ?
				       vsplit_rng_below(rng, 300) : VSPLIT_SPIN_MAX_US);
				break;
			}
		}
	}
	if (!a->bytes)
		packet(a, VSPLIT_OP_NOP, 8, 0);
	/* some bytes are wrong */
	for (unsigned int n = odd(rng) ? 1 + vsplit_rng_below(rng, 4) : 0; n; n--)
		a->stream[vsplit_rng_below(rng, a->bytes)] = vsplit_rng_next(rng);
	if (a->nr_patches && odd(rng)) {
		uint32_t *words = (uint32_t *)&a->patches[vsplit_rng_below(rng, a->nr_patches)];

		words[vsplit_rng_below(rng, sizeof(a->patches[0]) / 4)] = wild(rng);
	}
}

static void make_syncs(struct client *c, struct arrays *a, struct vsplit_rng *rng)
{
	a->nr_syncs = vsplit_rng_below(rng, 3);
	for (unsigned int i = 0; i < a->nr_syncs; i++) {
		struct drm_vsplit_sync *s = &a->syncs[i];

		s->handle = one_of(&c->syncobjs, rng);
		s->flags = odd(rng) ? wild(rng) : vsplit_rng_below(rng, 8) ?
			   VSPLIT_SYNC_SIGNAL | vsplit_rng_below(rng, 4) : vsplit_rng_below(rng, 4);
		if (s->flags & VSPLIT_SYNC_TIMELINE)
			s->point = odd(rng) ? wild(rng) : ++c->point;
	}
}

static void make_surface(struct arrays *a, struct vsplit_rng *rng)
{
	for (unsigned int i = 0; i < 2; i++) {
		a->private[i].format = odd(rng) ? wild(rng) : vsplit_rng_below(rng, 2);
		a->surface[i] = (struct drm_vsplit_surface_alloc) {
			.create.size = (1 + vsplit_rng_below(rng, 6)) * U,
			.create.flags = vsplit_rng_below(rng, 4) ? 0 : vsplit_rng_below(rng, 16),
			.create.pitch = vsplit_rng_below(rng, 4) ? 0 : 64,
			.private_data = (uintptr_t)&a->private[i],
			.private_bytes = odd(rng) ? wild(rng) : sizeof(a->private[i]),
		};
	}
}

static void fill_field(struct client *c, struct arrays *a, struct vsplit_rng *rng, void *buf,
		       const struct vsplit_field *f)
{
	uint64_t value = 0;

	switch (f->kind) {
	case VSPLIT_FIELD_PAD:
		break;
	case VSPLIT_FIELD_FLAGS:
		value = vsplit_rng_below(rng, 3) ? 0 : vsplit_rng_next(rng) & f->max;
		break;
	case VSPLIT_FIELD_ENUM:
		value = vsplit_rng_below(rng, f->max + 1);
		break;
	case VSPLIT_FIELD_VALUE:
		value = vsplit_rng_below(rng, 3) ? 0 : vsplit_rng_below(rng, 4);
		if (f->size == 8 && vsplit_rng_below(rng, 2))
			value = vsplit_rng_below(rng, 12 * U);
		break;
	case VSPLIT_FIELD_BO:
		value = one_of(&c->bos, rng);
		break;
	case VSPLIT_FIELD_CTX:
		value = one_of(&c->ctxs, rng);
		break;
	case VSPLIT_FIELD_SYNCOBJ:
		value = one_of(&c->syncobjs, rng);
		break;
	case VSPLIT_FIELD_SUBMISSION:
		value = vsplit_rng_below(rng, 6);
		break;
	case VSPLIT_FIELD_BYTES:
		for (unsigned int i = 0; i < f->size; i++)
			((uint8_t *)buf)[f->offset + i] = vsplit_rng_below(rng, 24) ? 0 :
							  vsplit_rng_below(rng, 4);
		return;
	case VSPLIT_FIELD_POINTER:
		value = (uintptr_t)(f->out ? a->out + vsplit_rng_below(rng, 64) * 8 :
				    f->array == &vsplit_array_allocs ? (void *)a->allocs :
				    f->array == &vsplit_array_patches ? (void *)a->patches :
				    f->array == &vsplit_array_syncs ? (void *)a->syncs :
				    f->array == &vsplit_array_surface ? (void *)a->surface : a->stream);
		break;
	case VSPLIT_FIELD_COUNT:
		value = !strcmp(f->name, "stream_bytes") ? a->bytes :
			!strcmp(f->name, "num_allocs") && a->bytes ? a->nr_allocs :
			!strcmp(f->name, "num_allocs") ? 1 + vsplit_rng_below(rng, 2) :
			!strcmp(f->name, "num_patches") ? a->nr_patches :
			!strcmp(f->name, "num_syncs") ? a->nr_syncs : vsplit_rng_below(rng, 60);
		break;
	}
	if (vsplit_rng_below(rng, 60) == 0)
		value = wild(rng);
	memcpy((uint8_t *)buf + f->offset, &value, f->size);
}

static int driver_call(struct client *c, unsigned int nr, struct vsplit_rng *rng)
{
	const struct vsplit_call *call = &vsplit_calls[nr];
	struct arrays *a = calloc(1, sizeof(*a));
	uint8_t buf[256] = {};
	int ret;

	igt_assert(a);
	if (nr == DRM_VSPLIT_SUBMIT) {
		make_stream(c, a, rng);
		make_syncs(c, a, rng);
	}
	if (nr == DRM_VSPLIT_GEM_SURFACE)
		make_surface(a, rng);
	for (const struct vsplit_field *f = call->fields; f->kind != VSPLIT_FIELD_END; f++)
		fill_field(c, a, rng, buf, f);
	if (nr == DRM_VSPLIT_GEM_CREATE) {
		struct drm_vsplit_gem_create *create = (void *)buf;

		if (vsplit_rng_below(rng, 8))
			create->size = (1 + vsplit_rng_below(rng, 9)) * U;
		if (vsplit_rng_below(rng, 4))
			create->alignment = 0;
		create->pitch = create->flags & VSPLIT_GEM_SWIZZLED ? 64 : 0;
		if (vsplit_rng_below(rng, 4)) {
			create->num_segments = 0;
			memset(create->segments, 0, sizeof(create->segments));
			create->priority = 0;
		}
		/* not the whole of the host's memory */
		if (create->size > 1ull << 24 && create->size < 1ull << 40)
			create->size = 1ull << 40;
	}
	/* an engine that is stopped stays so until its file is closed: not for long */
	ret = ioctl(c->fd, call->request, buf) ? -errno : 0;
	if (!ret && nr == DRM_VSPLIT_GEM_CREATE)
		add(&c->bos, ((struct drm_vsplit_gem_create *)buf)->handle, rng);
	if (!ret && nr == DRM_VSPLIT_CTX_CREATE)
		add(&c->ctxs, ((struct drm_vsplit_ctx_create *)buf)->ctx, rng);
	for (unsigned int i = 0; !ret && nr == DRM_VSPLIT_GEM_SURFACE && i < 2; i++)
		if (a->surface[i].create.handle)
			add(&c->bos, a->surface[i].create.handle, rng);
	free(a);
	return ret;
}

/* ---- what else a process does ------------------------------------------- */

static int map_bo(struct client *c, struct vsplit_rng *rng)
{
	unsigned int at = vsplit_rng_below(rng, ARRAY_SIZE(c->maps));
	uint64_t size = (1 + vsplit_rng_below(rng, 4)) * U;
	void *map;
	int ret;

	if (c->maps[at])
		return 0;
	ret = __vsplit_mmap(c->fd, one_of(&c->bos, rng), size, &map);
	if (ret)
		return ret;
	c->maps[at] = map;
	c->map_size[at] = size;
	return 0;
}

/* By a pipe: a fault that fails is an error then. */
static int touch(struct client *c, struct vsplit_rng *rng)
{
	unsigned int at = vsplit_rng_below(rng, ARRAY_SIZE(c->maps));
	int pipes[2], ret = 0;
	uint8_t *byte;

	if (!c->maps[at] || pipe(pipes))
		return 0;
	byte = (uint8_t *)c->maps[at] + vsplit_rng_below(rng, c->map_size[at] - 8);
	if (write(pipes[1], byte, 8) != 8 ||
	    (vsplit_rng_below(rng, 2) && read(pipes[0], byte, 8) != 8))
		ret = -errno;
	close(pipes[0]);
	close(pipes[1]);
	return ret;
}

static int export(struct client *c, struct vsplit_rng *rng)
{
	struct client *to = &clients[vsplit_rng_below(rng, 2)];
	uint32_t handle;
	int file, ret;

	ret = drmPrimeHandleToFD(c->fd, one_of(&c->bos, rng), DRM_CLOEXEC | DRM_RDWR, &file);
	if (ret)
		return -errno;
	if (vsplit_rng_below(rng, 2)) {
		void *map = mmap(NULL, U, PROT_READ, MAP_SHARED, file, 0);

		if (map != MAP_FAILED)
			munmap(map, U);
	}
	ret = drmPrimeFDToHandle(to->fd, file, &handle);
	close(file);
	if (ret)
		return -errno;
	add(&to->bos, handle, rng);
	return 0;
}

static int knob(struct vsplit_rng *rng)
{
	static const char *const names[] = {
		"take_split_point", "evict_between", "random_placement", "always_repatch",
		"never_prepatch", "delay_paging", "expect_preparation_failure",
	};
	char value[8];

	snprintf(value, sizeof(value), "%u", vsplit_rng_below(rng, 3));
	return __vsplit_adapter_knob(ad, names[vsplit_rng_below(rng, ARRAY_SIZE(names))], value);
}

static void unbind(void)
{
	char value[16];

	__vsplit_write_file("/sys/bus/platform/drivers/vsplit/unbind", ad->device);
	__vsplit_write_file("/sys/bus/platform/drivers/vsplit/bind", ad->device);
	if (!__vsplit_adapter_read(ad, "render", value, sizeof(value)))
		ad->render = atoi(value);
	if (!__vsplit_adapter_read(ad, "primary", value, sizeof(value)))
		ad->primary = atoi(value);
}

static int other_call(struct client *c, unsigned int call, struct vsplit_rng *rng)
{
	unsigned int at;
	char path[64], text[4096];
	uint32_t handle;

	switch (call) {
	case OTHER_CLOSE_BO:
		if (!c->bos.nr)
			return 0;
		at = vsplit_rng_below(rng, c->bos.nr);
		handle = c->bos.id[at];
		if (vsplit_rng_below(rng, 4))
			c->bos.id[at] = c->bos.id[--c->bos.nr];
		return __vsplit_gem_close(c->fd, handle);
	case OTHER_SYNCOBJ:
		if (drmSyncobjCreate(c->fd, vsplit_rng_below(rng, 2), &handle))
			return -errno;
		add(&c->syncobjs, handle, rng);
		return 0;
	case OTHER_MAP:
		return map_bo(c, rng);
	case OTHER_TOUCH:
		return touch(c, rng);
	case OTHER_UNMAP:
		at = vsplit_rng_below(rng, ARRAY_SIZE(c->maps));
		if (c->maps[at])
			munmap(c->maps[at], c->map_size[at]);
		c->maps[at] = NULL;
		return 0;
	case OTHER_EXPORT:
		return export(c, rng);
	case OTHER_REOPEN:
		close_client(c);
		open_client(c);
		return 0;
	case OTHER_WAIT:
		return __vsplit_syncobj_wait(c->fd, one_of(&c->syncobjs, rng), 0, 20);
	case OTHER_DUMB: {
		struct drm_mode_create_dumb args = {
			.width = odd(rng) ? wild(rng) : 32,
			.height = odd(rng) ? wild(rng) : 32,
			.bpp = odd(rng) ? wild(rng) : 32,
		};

		return ioctl(c->fd, DRM_IOCTL_MODE_CREATE_DUMB, &args) ? -errno : 0;
	}
	case OTHER_FDINFO:
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", c->fd);
		return __vsplit_read_file(path, text, sizeof(text));
	case OTHER_KNOB:
		return knob(rng);
	case OTHER_UNBIND:
		unbind();
		return 0;
	}
	return 0;
}

/* ---- running ------------------------------------------------------------ */

static int run_call(const struct step *s)
{
	struct vsplit_rng rng = { s->seed };
	struct client *c = &clients[vsplit_rng_below(&rng, 4) == 0];

	calls++;
	return s->call < OTHER_FIRST ? driver_call(c, s->call, &rng) :
				       other_call(c, s->call, &rng);
}

/* The thread that runs what shall run beside the rest: one step at a time. */
static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct step step;
	bool pending, coverage, end;
} beside = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *beside_run(void *unused)
{
	if (beside.coverage)
		vsplit_kcov_join();
	pthread_mutex_lock(&beside.lock);
	while (!beside.end) {
		if (beside.pending) {
			struct step s = beside.step;

			pthread_mutex_unlock(&beside.lock);
			run_call(&s);
			pthread_mutex_lock(&beside.lock);
			beside.pending = false;
			pthread_cond_broadcast(&beside.changed);
		} else {
			pthread_cond_wait(&beside.changed, &beside.lock);
		}
	}
	pthread_mutex_unlock(&beside.lock);
	return NULL;
}

static void beside_wait(void)
{
	pthread_mutex_lock(&beside.lock);
	while (beside.pending)
		pthread_cond_wait(&beside.changed, &beside.lock);
	pthread_mutex_unlock(&beside.lock);
}

static void run_step(const struct step *s, bool threads)
{
	static const enum vsplit_inject kinds[] = {
		[PROP_SITE] = VSPLIT_INJECT_SITE,
		[PROP_INTERRUPT] = VSPLIT_INJECT_WAIT,
		[PROP_KERNEL] = VSPLIT_INJECT_KERNEL,
	};
	int ret;

	/* what these change is everybody's: nobody runs beside them */
	if (s->call == OTHER_REOPEN || s->call == OTHER_UNBIND || s->call == OTHER_UNMAP)
		beside_wait();
	switch (s->prop) {
	case PROP_SITE:
	case PROP_INTERRUPT:
	case PROP_KERNEL:
		if (have[kinds[s->prop]] && s->call != OTHER_UNBIND) {
			vsplit_inject_arm(kinds[s->prop], s->nth);
			ret = run_call(s);
			vsplit_inject_disarm(kinds[s->prop], NULL);
			break;
		}
		ret = run_call(s);
		break;
	case PROP_BESIDE:
		if (threads && s->call != OTHER_REOPEN && s->call != OTHER_UNBIND &&
		    s->call != OTHER_UNMAP) {
			beside_wait();
			pthread_mutex_lock(&beside.lock);
			beside.step = *s;
			beside.pending = true;
			pthread_cond_broadcast(&beside.changed);
			pthread_mutex_unlock(&beside.lock);
			return;
		}
		/* fallthrough */
	default:
		ret = run_call(s);
		break;
	}
	refused += ret != 0;
}

static void run_steps(const struct program *p, bool threads)
{
	for (unsigned int i = 0; i < 2; i++)
		open_client(&clients[i]);
	for (unsigned int i = 0; i < p->nr; i++)
		run_step(&p->steps[i], threads);
	if (threads)
		beside_wait();
	for (unsigned int i = 0; i < 2; i++)
		close_client(&clients[i]);
}

static int last_file = -1;

static void run_program(const struct program *p)
{
	char text[2048];
	int n = print_program(p, text, sizeof(text) - 1), status;
	pid_t pid;

	/* what was longer ends with spaces */
	memset(text + n, ' ', sizeof(text) - n);
	if (last_file >= 0)
		igt_assert_eq(pwrite(last_file, text, sizeof(text), 0), sizeof(text));
	ad = ads[p->world];
	programs++;
	if (!p->kill_us) {
		run_steps(p, true);
		return;
	}
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		run_steps(p, false);
		_exit(0);
	}
	usleep(p->kill_us);
	kill(pid, SIGKILL);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	killed += WIFSIGNALED(status);
	calls += p->nr / 2;
	/* it may have been killed between unbind and bind */
	for (unsigned int i = 0; i < p->nr; i++) {
		if (p->steps[i].call == OTHER_UNBIND) {
			unbind();
			break;
		}
	}
}

/* ---- the oracles -------------------------------------------------------- */

static struct vsplit_bo *canary;

static void make_worlds(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(worlds); i++)
		ads[i] = vsplit_adapter_create(&worlds[i]);
}

static void set_canary(void)
{
	/* on an adapter of its own nothing could happen to it */
	ad = ads[0];
	canary = vsplit_bo(vsplit_adapter_open(ad), 'Z', 2 * U);
	vsplit_bo_pattern(canary, 4711);
}

/* Everything that the programs had is gone; the canary has its bytes. */
static void check(bool canary_lives)
{
	if (canary_lives)
		vsplit_bo_check(canary);
	for (unsigned int i = 0; i < ARRAY_SIZE(worlds); i++) {
		struct vsplit_counters none = {};

		if (canary_lives && i == 0) {
			none.files = 1;
			none.bos = 1;
		}
		vsplit_counters_become(ads[i], &none);
	}
}

static bool unbinds(const struct program *p)
{
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->steps[i].call == OTHER_UNBIND)
			return true;
	return false;
}

static void start(bool coverage)
{
	const char *share = getenv("VSPLIT_SHARE");
	char path[128];

	for (unsigned int kind = 0; kind < VSPLIT_INJECT_KINDS; kind++) {
		have[kind] = vsplit_inject_there(kind);
		if (have[kind])
			vsplit_inject_require(kind);
	}
	make_worlds();
	set_canary();
	snprintf(path, sizeof(path), "%s%sfuzz-last", share ?: "", share ? "/out/" : "");
	last_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	igt_assert_f(last_file >= 0, "%s\n", path);
	if (coverage)
		vsplit_kcov_start();
	beside.coverage = coverage;
	beside.end = false;
	igt_assert_eq(pthread_create(&beside.thread, NULL, beside_run, NULL), 0);
}

/* The thread that runs programs: KCOV sees one that is not the first. */
static struct {
	bool coverage;
	uint64_t want;
	struct vsplit_rng rng;
	unsigned int best;
} fuzz;

static void keep(const struct program *p)
{
	if (nr_kept == MAX_KEPT)
		return;
	kept[nr_kept] = malloc(sizeof(*p));
	igt_assert(kept[nr_kept]);
	*kept[nr_kept++] = *p;
}

static void *fuzz_run(void *unused)
{
	bool canary_lives = true;
	struct program p;

	if (fuzz.coverage)
		vsplit_kcov_join();
	while (calls < fuzz.want) {
		if (nr_kept && vsplit_rng_below(&fuzz.rng, 4)) {
			p = *kept[vsplit_rng_below(&fuzz.rng, nr_kept)];
			change_program(&fuzz.rng, &p);
		} else {
			random_program(&fuzz.rng, &p);
		}
		p.kill_us = vsplit_rng_below(&fuzz.rng, 20) ? 0 :
			    1 + vsplit_rng_below(&fuzz.rng, 20000);
		/* an unbind takes the first adapter's canary along: elsewhere only */
		if (p.world == 0 && unbinds(&p))
			p.world = 1;
		run_program(&p);
		if (fuzz.coverage && vsplit_kcov_collect()) {
			fuzz.best = vsplit_kcov_seen();
			keep(&p);
		} else if (!fuzz.coverage && programs % 50 == 0) {
			keep(&p);
		}
		if (programs % 200 == 0)
			check(canary_lives);
	}
	check(canary_lives);
	return NULL;
}

static void run_fuzz(uint64_t want)
{
	const char *share = getenv("VSPLIT_SHARE"), *seed = getenv("VSPLIT_SEED");
	pthread_t thread;
	void *ret;

	fuzz.coverage = vsplit_kcov_there();
	fuzz.want = getenv("VSPLIT_CALLS") ? strtoull(getenv("VSPLIT_CALLS"), NULL, 0) : want;
	fuzz.rng.state = seed ? strtoull(seed, NULL, 0) : 1;
	calls = refused = programs = killed = 0;
	igt_info("seed %" PRIu64 "%s\n", fuzz.rng.state, fuzz.coverage ? "" : ", without coverage");
	start(fuzz.coverage);
	igt_assert_eq(pthread_create(&thread, NULL, fuzz_run, NULL), 0);
	igt_assert_eq(pthread_join(thread, &ret), 0);
	pthread_mutex_lock(&beside.lock);
	beside.end = true;
	pthread_cond_broadcast(&beside.changed);
	pthread_mutex_unlock(&beside.lock);
	igt_assert_eq(pthread_join(beside.thread, &ret), 0);
	vsplit_figure("R3", "calls by the fuzzer", calls);
	vsplit_figure("R3", "of these refused", refused);
	vsplit_figure("R3", "programs killed", killed);
	if (!fuzz.coverage)
		return;
	vsplit_kcov_collect();
	vsplit_figure("R4", "basic blocks of the module", vsplit_kcov_all());
	vsplit_figure("R4", "of these reached by the fuzzer", vsplit_kcov_seen());
	if (share) {
		char path[128];

		snprintf(path, sizeof(path), "%s/out/fuzz-unseen.txt", share);
		vsplit_kcov_write_unseen(path);
	}
	/* it is of no use if it reaches nothing */
	igt_assert_f(vsplit_kcov_seen() > vsplit_kcov_all() / 3, "%u of %u blocks\n",
		     vsplit_kcov_seen(), vsplit_kcov_all());
}

/* One program from a file, ten times. */
static void replay(const char *path)
{
	struct program p;
	void *ret;

	read_program(path, &p);
	start(false);
	for (unsigned int i = 0; i < 10; i++)
		run_program(&p);
	check(!(p.world == 0 && unbinds(&p)));
	pthread_mutex_lock(&beside.lock);
	beside.end = true;
	pthread_cond_broadcast(&beside.changed);
	pthread_mutex_unlock(&beside.lock);
	igt_assert_eq(pthread_join(beside.thread, &ret), 0);
}

/**
 * SUBTEST: programs
 * Description: Random programs, guided by coverage where the kernel has KCOV; or the one
 *   that VSPLIT_REPLAY names.
 */
static void test_programs(void)
{
	const char *path = getenv("VSPLIT_REPLAY");

	if (path)
		replay(path);
	else
		run_fuzz(vsplit_nightly() ? 1000000 : 6000);
}

static const struct vsplit_subtest tests[] = {
	{ "programs", test_programs, "Random programs" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
