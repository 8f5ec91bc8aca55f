/* SPDX-License-Identifier: MIT */
/*
 * What vsplit_fuzz is made of.
 *
 *   igt_vsplit_fuzz_program.c  programs: text, random ones, changes
 *   igt_vsplit_fuzz_args.c     arguments of the driver's ioctls, from a seed
 *   igt_vsplit_fuzz_stream.c   command streams with their lists, from a seed
 *   igt_vsplit_fuzz_other.c    everything else that a process does, from a seed:
 *   igt_vsplit_fuzz_maps.c       files, mappings, locks
 *   igt_vsplit_fuzz_share.c      dma-bufs and fences
 *   igt_vsplit_fuzz_kms*.c       heads
 *   igt_vsplit_fuzz_root.c       debugfs, tracing, configfs, the bus
 *   igt_vsplit_fuzz_play*.c      plays: sequences of calls with a purpose
 *   igt_vsplit_fuzz_inject.c   failures, interruptions and holding of a step
 *   fuzz_count.c               counts system calls (in vsplit_fuzz alone)
 *   vsplit_fuzz.c              worlds, running, coverage, oracles
 */
#ifndef IGT_VSPLIT_FUZZ_H
#define IGT_VSPLIT_FUZZ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_uapi.h"

/* ---- programs ----------------------------------------------------------- */

#define VSPLIT_FUZZ_STEPS	64
#define VSPLIT_FUZZ_TEXT	4096	/* of a program, at most */
#define VSPLIT_FUZZ_WORLDS	13
/* A PCI device, if there is one. It has a head, because the module gives a head to each adapter. */
#define VSPLIT_FUZZ_PCI		8
/* From this world on, adapters have heads, too. */
#define VSPLIT_FUZZ_HEADS	11

/* What a step does: an ioctl of the driver, by its number, or one of these. */
enum vsplit_fuzz_other {
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
	OTHER_POPULATE,
	OTHER_LOCKED,
	OTHER_REMAP,
	OTHER_POKE,
	OTHER_IMPORT,
	OTHER_DMABUF,
	OTHER_DEBUGFS,
	OTHER_HOOKS,
	OTHER_TRACE,
	OTHER_PERF,
	OTHER_CONFIGFS,
	OTHER_FENCE,
	OTHER_BUS,
	OTHER_BUFFER,
	OTHER_WRONG,		/* from here on: plays */
	OTHER_FAULTY,
	OTHER_TIMELINE,
	OTHER_MANY,
	OTHER_HANG,
	OTHER_DYING,
	OTHER_RANGES,
	OTHER_PENDING,
	OTHER_PLAN,
	OTHER_SURFACE,
	OTHER_FOREIGN,
	OTHER_ADAPTER,
	OTHER_FILTER,
	OTHER_CLOCK,
	OTHER_CGROUP,
	OTHER_USER,
	OTHER_KMS_FB,		/* from here on: heads */
	OTHER_KMS_MODE,
	OTHER_KMS_COMMIT,
	OTHER_KMS_FLIP,
	OTHER_KMS_CURSOR,
	OTHER_KMS_WAIT,
	OTHER_KMS_LEASE,
	OTHER_KMS_MASTER,
	OTHER_KMS_PROBE,
	OTHER_KMS_ROOT,
	OTHER_KMS_SHOW,
	OTHER_END
};

/* How a step is run. */
enum vsplit_fuzz_prop {
	PROP_NONE,
	PROP_SITE,	/* the Nth site of the driver that the step passes fails */
	PROP_INTERRUPT,	/* the Nth wait is interrupted */
	PROP_KERNEL,	/* the kernel's Nth allocation or copy fails */
	PROP_BESIDE,	/* run by another thread, while this one goes on */
	PROP_HELD,	/* the same, and held for a moment at the Nth synchronisation point */
	PROP_SITES,	/* repeated: each of the first N sites of the driver fails once */
	PROP_WAITS,	/* the same with waits */
	PROP_KERNELS,	/* the same with the kernel's allocations and copies */
	PROP_END
};

struct vsplit_fuzz_step {
	uint8_t call;
	uint8_t prop;
	uint16_t nth;
	uint64_t seed;
};

struct vsplit_fuzz_program {
	uint8_t world;		/* the kind of adapter */
	uint16_t kill_us;	/* the process is killed after this time; 0: it is not */
	uint8_t nr;
	struct vsplit_fuzz_step steps[VSPLIT_FUZZ_STEPS];
};

const char *vsplit_fuzz_call_name(unsigned int call);
/* Writes the program into VSPLIT_FUZZ_TEXT bytes of @text; returns the length. */
int vsplit_fuzz_print(const struct vsplit_fuzz_program *p, char *text);
/* Reads one program; returns what follows it, or NULL if there is none. */
const char *vsplit_fuzz_parse(const char *text, struct vsplit_fuzz_program *p);
/* @has: which properties steps can have on this kernel. */
void vsplit_fuzz_random(struct vsplit_rng *rng, struct vsplit_fuzz_program *p,
			const bool has[PROP_END]);
/* Changes a part of @p. @with: a program to take steps from. */
void vsplit_fuzz_change(struct vsplit_rng *rng, struct vsplit_fuzz_program *p,
			const struct vsplit_fuzz_program *with, const bool has[PROP_END]);
/* Keeps only one in eight of the steps that take a hundred times longer than the rest. */
void vsplit_fuzz_cheapen(struct vsplit_fuzz_program *p);
/* Does the program unbind the adapter? */
bool vsplit_fuzz_unbinds(const struct vsplit_fuzz_program *p);
/* Is this world among those that VSPLIT_WORLDS in the environment names ("8,11,12"; unset: all)? */
bool vsplit_fuzz_is_wanted(unsigned int world);

/* ---- what a program works with ------------------------------------------ */

#define VSPLIT_FUZZ_THINGS	24

/* Handles of one kind, with sizes where they have one. Adding and removing take a lock. */
struct vsplit_fuzz_things {
	uint32_t id[VSPLIT_FUZZ_THINGS];
	uint64_t size[VSPLIT_FUZZ_THINGS];
	unsigned int nr;
};

struct vsplit_fuzz_client {
	int fd;
	int kms;		/* file on the primary node; -1: not open yet */
	struct vsplit_fuzz_things bos, ctxs, syncobjs, fences;
	struct vsplit_fuzz_things kms_bos, fbs;	/* of that file */
	uint64_t point;
	void *maps[6];
	uint64_t map_size[6];
	int files[8];		/* sync files, dma-bufs, perf events: closed at the end */
	unsigned int nr_files;
};

/* The adapter that the running program works on, and another adapter. */
extern struct vsplit_adapter *vsplit_fuzz_ad, *vsplit_fuzz_ad2;
/* Name of the PCI device if the adapter is on one, else NULL. */
extern const char *vsplit_fuzz_pci;
extern struct vsplit_fuzz_client vsplit_fuzz_clients[2];

/* What this kernel has; -1: it does not have it. Constant after vsplit_fuzz_other_start(). */
extern struct vsplit_fuzz_env {
	int vgem, udmabuf;
	int memory;		/* /proc/self/mem */
	int trace_pipe;
	/* whether the running program may have set knobs and hooks */
	bool dirty;
} vsplit_fuzz_env;

void vsplit_fuzz_open(struct vsplit_fuzz_client *c);
void vsplit_fuzz_close(struct vsplit_fuzz_client *c);
void vsplit_fuzz_add(struct vsplit_fuzz_things *t, uint32_t id, uint64_t size,
		     struct vsplit_rng *rng);
/* Removes a handle. One that is added while another thread uses the list may take its place. */
void vsplit_fuzz_remove(struct vsplit_fuzz_things *t, uint32_t id);
void vsplit_fuzz_add_file(struct vsplit_fuzz_client *c, int file);
/*
 * One of the handles, with its size. Any number if there is none, or if something shall be wrong.
 */
uint32_t vsplit_fuzz_one(const struct vsplit_fuzz_things *t, struct vsplit_rng *rng,
			 uint64_t *size);

/* ---- chance ------------------------------------------------------------- */

/* Whether the calling thread's step does nothing wrong on purpose. */
extern __thread bool vsplit_fuzz_clean;

/* A number at an edge: of ranges, types, sizes. */
uint64_t vsplit_fuzz_wild(struct vsplit_rng *rng);
/* True now and then, unless the step is clean. */
bool vsplit_fuzz_odd(struct vsplit_rng *rng);
static inline bool vsplit_fuzz_dice(struct vsplit_rng *rng, uint32_t one_in)
{
	return vsplit_rng_below(rng, one_in) == 0;
}

/* The same by a short name, because every second line uses it. */
static inline bool dice(struct vsplit_rng *rng, uint32_t one_in)
{
	return vsplit_fuzz_dice(rng, one_in);
}

static inline uint32_t below(struct vsplit_rng *rng, uint32_t n)
{
	return vsplit_rng_below(rng, n);
}

/* ---- steps -------------------------------------------------------------- */

#define VSPLIT_FUZZ_ARRAY	96
#define VSPLIT_FUZZ_STREAM	16384

/* The memory that pointers in ioctl arguments point to. @p never needs more than is there. */
struct vsplit_fuzz_arrays {
	union {
		struct vsplit_packets p;
		struct vsplit_packets;
	};
	uint8_t stream_memory[VSPLIT_FUZZ_STREAM];
	struct drm_vsplit_alloc alloc_memory[VSPLIT_FUZZ_ARRAY];
	struct drm_vsplit_patch patch_memory[VSPLIT_FUZZ_ARRAY];
	struct drm_vsplit_sync syncs[4];
	uint32_t nr_syncs;
	struct drm_vsplit_surface_private private[2];
	struct drm_vsplit_surface_alloc surface[2];
	uint32_t handles[VSPLIT_FUZZ_ARRAY];
	struct drm_vsplit_va_op va_ops[8];
	uint8_t out[65536];
};

/* Allocates zeroed arrays; free() frees them. */
struct vsplit_fuzz_arrays *vsplit_fuzz_arrays(void);
void vsplit_fuzz_stream(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
			struct vsplit_rng *rng);
/* Calls an ioctl of the driver; -errno. */
int vsplit_fuzz_driver(struct vsplit_fuzz_client *c, unsigned int call, struct vsplit_rng *rng);
/* Makes valid arguments for an allocation. */
void vsplit_fuzz_create_args(struct drm_vsplit_gem_create *args, struct vsplit_rng *rng);
int vsplit_fuzz_other(struct vsplit_fuzz_client *c, unsigned int call, struct vsplit_rng *rng);

/* The steps of vsplit_fuzz_other(). */
int vsplit_fuzz_map_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_touch(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
void vsplit_fuzz_unmap(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_remap(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_poke(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_locked(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_export(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_import_vgem(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_import_udmabuf(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_import_other(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_dmabuf(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_fence(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_knob(struct vsplit_rng *rng);
int vsplit_fuzz_debugfs(struct vsplit_rng *rng);
int vsplit_fuzz_hooks(struct vsplit_rng *rng);
int vsplit_fuzz_trace(struct vsplit_rng *rng);
int vsplit_fuzz_perf(struct vsplit_rng *rng);
int vsplit_fuzz_configfs(struct vsplit_rng *rng);
int vsplit_fuzz_bus(struct vsplit_rng *rng);
int vsplit_fuzz_buffer(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_wrong(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int vsplit_fuzz_user(struct vsplit_rng *rng);
int vsplit_fuzz_kms(struct vsplit_fuzz_client *c, unsigned int step, struct vsplit_rng *rng);
int vsplit_fuzz_adapter(struct vsplit_rng *rng);
int vsplit_fuzz_filter(struct vsplit_rng *rng);
int play_faulty(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_timeline(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_many(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_hang(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_clock(struct vsplit_rng *rng);
int play_dying(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_ranges_taken(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_pending(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_plan(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_surface(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_cgroup(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
int play_foreign(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);
/* Sets a knob of the adapter; it is reset after the program. */
int vsplit_fuzz_set_knob(const char *name, const char *value);
/* Hold the work that frees jobs, and let it go on, which happens after the program in any case. */
void vsplit_fuzz_hold(void);
void vsplit_fuzz_release(void);
/* Reads the debugfs file that shows the content of the segments. */
int vsplit_fuzz_read_segments(void);
void vsplit_fuzz_find_trace_ids(void);
void vsplit_fuzz_root_end(void);
/* Finds the heads of an adapter: once, before the first step. */
void vsplit_fuzz_kms_find(const struct vsplit_adapter *ad);
void vsplit_fuzz_kms_start(void);
/* After each program. Heads are dark then. @killed: what the program did is unknown. */
void vsplit_fuzz_kms_end(bool killed);
void vsplit_fuzz_root_stop(void);
/* Reads a file to its end; its content does not matter. */
int vsplit_fuzz_read_all(const char *path);

/* Once, before the first step: finds what this kernel has. */
void vsplit_fuzz_other_start(void);
/* After each program: restores all that clients share. */
void vsplit_fuzz_other_end(void);
/* After the last program. */
void vsplit_fuzz_other_stop(void);
void vsplit_fuzz_rebind(void);
void vsplit_fuzz_revive(void);

/* ---- from outside ------------------------------------------------------- */

/* Makes the Nth pass of the calling thread fail. */
void vsplit_fuzz_arm(enum vsplit_inject kind, unsigned int n);
/* Ends it. Returns whether the failure has happened. */
bool vsplit_fuzz_disarm(enum vsplit_inject kind);
/* Is a failure of the kernel armed for the calling thread? */
bool vsplit_fuzz_kernel_is_armed(void);
/* Holds the tasks that come to a synchronisation point, or lets all go on. */
void vsplit_fuzz_hold_point(const char *point, bool hold);
/* In a child: drops the open files, which would arm the parent. */
void vsplit_fuzz_inject_forget(void);
/* At the end: closes the files of the calling thread, and the file that all threads share. */
void vsplit_fuzz_inject_close(void);
void vsplit_fuzz_hold_close(void);

/* Whether the system calls of the calling thread are counted. */
extern __thread bool vsplit_fuzz_counting;
/* Calls of all processes that reached the driver, in memory that the processes share. */
extern uint64_t *vsplit_fuzz_counter;

#endif /* IGT_VSPLIT_FUZZ_H */
