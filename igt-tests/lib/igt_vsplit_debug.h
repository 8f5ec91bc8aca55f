/* SPDX-License-Identifier: MIT */
/*
 * What test builds of the driver (CONFIG_DRM_VSPLIT_DEBUG) and kernels with fault injection offer
 * to tests: failures, interrupted waits, and tasks that are held at a point. All of it needs root
 * and debugfs, and skips otherwise.
 */
#ifndef IGT_VSPLIT_DEBUG_H
#define IGT_VSPLIT_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

struct vsplit_adapter;

/**
 * enum vsplit_inject - The mechanism that makes the Nth thing fail.
 * @VSPLIT_INJECT_SITE: the driver's own fault sites.
 * @VSPLIT_INJECT_WAIT: the driver's interruptible waits: the Nth is interrupted.
 * @VSPLIT_INJECT_KERNEL: the kernel's fail-nth: allocations of memory and pages, and copies from
 *   and to userspace, if the driver is among the callers.
 * @VSPLIT_INJECT_KINDS: number of kinds.
 */
enum vsplit_inject {
	VSPLIT_INJECT_SITE,
	VSPLIT_INJECT_WAIT,
	VSPLIT_INJECT_KERNEL,
	VSPLIT_INJECT_KINDS
};

/* Is the module a test build, or for @kind KERNEL: does the kernel have fault injection? */
bool vsplit_inject_there(enum vsplit_inject kind);
/* Skips the subtest if @kind is not there. For @kind KERNEL it sets up the kernel's filter, too. */
void vsplit_inject_require(enum vsplit_inject kind);
/* Makes the Nth pass of the calling thread fail, counted from here on. */
void vsplit_inject_arm(enum vsplit_inject kind, unsigned int n);
/* How often a site was passed since the module was loaded. */
uint64_t vsplit_site_passes(const char *site);
/* Ends it. Returns whether the failure has happened. @site: its site, 64 bytes, or NULL. */
bool vsplit_inject_disarm(enum vsplit_inject kind, char *site);

/* Synchronisation points. */
void vsplit_require_sync_points(void);
/* How often a point was passed since the module was loaded. */
uint64_t vsplit_point_passes(const char *point);
void vsplit_hold(const char *point);
/* Holds only the first task that comes. */
void vsplit_catch(const char *point);
void vsplit_release(const char *point);
/* Waits until a task is held there; false if none came in five seconds. */
bool vsplit_wait_held(const char *point);
/* Is a task held there now? */
bool vsplit_held(const char *point);

/**
 * struct vsplit_counters - Live objects of an adapter.
 */
struct vsplit_counters {
	int files;
	int bos;
	int queues;
	int jobs;
	int records;
};

/* false without debugfs */
bool vsplit_counters(const struct vsplit_adapter *ad, struct vsplit_counters *counters);
/* Waits until the counters have these values, because other threads do part of the freeing. */
void vsplit_counters_become(const struct vsplit_adapter *ad, const struct vsplit_counters *want);
/* The same without jobs, and with any number of records that the remaining clients keep. */
void vsplit_counters_idle(const struct vsplit_adapter *ad, const struct vsplit_counters *before);

/* References to the module, of files, fences and everything else that holds it. */
int vsplit_module_references(void);
/* Loads the module of $VSPLIT_KO with these parameters. Returns 0 or -errno. */
int vsplit_module_load(const char *params);
/* Unloads the module. Returns 0 or -errno: -EAGAIN or -EBUSY while something holds it. */
int vsplit_module_unload(void);
/* The same, but waits while something holds it: the last close of a file may be under way. */
int vsplit_module_unload_soon(void);

/* The value of a line of the adapter's file "stats". */
uint64_t vsplit_adapter_stat(const struct vsplit_adapter *ad, const char *name);

/* Longer runs: VSPLIT_NIGHTLY is in the environment. */
bool vsplit_nightly(void);
/*
 * How often to do something: @few times, or nightly @many times. If VSPLIT_NIGHTLY is a number N >
 * 1, because the machine is slow, it is the Nth part of @many, but never less than @few.
 */
unsigned int vsplit_rounds(unsigned int few, unsigned int many);

/*
 * Notes a figure for the ledger: how much of something was done. It is written to the file that
 * VSPLIT_LEDGER names, one line each: row, name, value.
 */
void vsplit_figure(const char *row, const char *name, uint64_t value);

#endif /* IGT_VSPLIT_DEBUG_H */
