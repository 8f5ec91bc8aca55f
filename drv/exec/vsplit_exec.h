/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Execution: contexts, submissions, programs, the drm_sched back end, fences, faults, hangs and
 * records. This is the interface to the other rooms.
 */
#ifndef _VSPLIT_EXEC_H_
#define _VSPLIT_EXEC_H_

#include <drm/drm_ioctl.h>
#include <linux/types.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "resid/vsplit_resid.h"

struct drm_file;
struct drm_printer;
struct drm_syncobj;
struct vsplit_account;
struct vsplit_device;
struct vsplit_hw;
struct vsplit_mfences;
struct vsplit_va;

/** enum vsplit_model - The model of a file, which all its contexts have. */
enum vsplit_model {
	/** @VSPLIT_MODEL_NONE: the file has no context and no requirement list yet. */
	VSPLIT_MODEL_NONE,
	/** @VSPLIT_MODEL_WDDM1: contexts of VSPLIT_CTX_MODE_PATCH only. */
	VSPLIT_MODEL_WDDM1,
	/** @VSPLIT_MODEL_WDDM2: contexts of the other modes. */
	VSPLIT_MODEL_WDDM2,
};

/**
 * struct vsplit_exec_paging - The paging queue of a device (EXT-45).
 * @lock: held by one MAKE_RESIDENT or EVICT at a time; protects the members that follow. Inside the
 *	mutex of the device's hardware queues, outside of all other locks; it is never taken
 *	together with those of the file's contexts.
 * @work: unfinished work of its jobs, which bring members in; its link is under the lock of the
 *	requirement lists.
 * @context: context of its fences; constant.
 * @seqno: seqno of the last fence.
 * @syncobj: timeline whose points are the fences; reference, NULL until it is needed.
 * @handle: handle of @syncobj in the file, or 0.
 * @point: last point of the timeline.
 */
struct vsplit_exec_paging {
	struct mutex lock; /* what follows */
	struct vsplit_resid_work work;
	u64 context;
	u64 seqno;
	struct drm_syncobj *syncobj;
	u32 handle;
	u64 point;
};

/**
 * struct vsplit_exec_file - What exec/ keeps for one DRM file: WDDM's device.
 * @lock: protects the members that are set under it.
 * @model: enum vsplit_model; set once, under @lock.
 * @queues: contexts by id; own lock.
 * @va: address space, or NULL as long as no context needs an address space; reference; set once,
 *	under @lock.
 * @account: account of unfinished submissions, and of engine time; reference, constant.
 * @resid: requirement list; reference, constant; has its own lock.
 * @paging: paging queue, which makes @resid resident; has its own lock.
 * @fences: monitored fences; reference, constant; they have their own lock.
 * @hw: hardware queues, or NULL as long as there was none; set once, under @lock.
 * @killed: the task that was the last to close a descriptor of the file was killed; READ_ONCE,
 *	WRITE_ONCE.
 */
struct vsplit_exec_file {
	struct mutex lock; /* model, va, hw */
	enum vsplit_model model;
	struct xarray queues;
	struct vsplit_va *va;
	struct vsplit_account *account;
	struct vsplit_resid *resid;
	struct vsplit_exec_paging paging;
	struct vsplit_mfences *fences;
	struct vsplit_hw *hw;
	bool killed;
};

/*
 * Make the GPU's engines, schedulers and the paging queue, and set @vdev->gpu and @vdev->exec.
 * config is set, drm is initialised; called before vsplit_mm_init(). drmm actions release it all,
 * after the last reference. Return: 0 or a negative error.
 */
int vsplit_exec_init(struct vsplit_device *vdev);

/** vsplit_exec_unplug() - The adapter is gone: every fence signals -ENODEV. Sleeps. */
void vsplit_exec_unplug(struct vsplit_device *vdev);

int vsplit_exec_open(struct vsplit_device *vdev, struct vsplit_exec_file *efile,
		     struct drm_file *file);
void vsplit_exec_flush(struct vsplit_exec_file *efile);
bool vsplit_exec_kill(struct vsplit_device *vdev, struct vsplit_exec_file *efile);
void vsplit_exec_close(struct vsplit_device *vdev, struct vsplit_exec_file *efile);

/** vsplit_file_exec() - exec's part of a DRM file; provided by the device room. */
struct vsplit_exec_file *vsplit_file_exec(struct drm_file *file);

drm_ioctl_t vsplit_ctx_create_ioctl, vsplit_ctx_destroy_ioctl, vsplit_ctx_query_ioctl,
	    vsplit_va_bind_ioctl, vsplit_hwq_create_ioctl, vsplit_hwq_wait_ioctl,
	    vsplit_submit_ioctl, vsplit_record_ioctl, vsplit_make_resident_ioctl,
	    vsplit_evict_ioctl, vsplit_residency_ioctl, vsplit_reserve_ioctl;

/** vsplit_exec_suspend() - For tests: let an engine take no further job, or go on. */
int vsplit_exec_suspend(struct vsplit_device *vdev, u32 engine, bool suspend);

/** vsplit_exec_show_fdinfo() - Engine time of a file, for fdinfo. */
void vsplit_exec_show_fdinfo(struct vsplit_device *vdev, struct vsplit_exec_file *efile,
			     struct drm_printer *p);

/** vsplit_exec_print() - Print engines and jobs for debugfs. */
void vsplit_exec_print(struct vsplit_device *vdev, struct drm_printer *p);

/* Make the workqueue that frees jobs. Return: 0 or -ENOMEM. */
int vsplit_exec_module_init(void);

/* Wait until the last job, and perhaps adapter, is freed. */
void vsplit_exec_module_exit(void);

/* Limits of one submission; the adapter query shows them. */
#define VSPLIT_EXEC_MAX_STREAM	(16u << 20)
#define VSPLIT_EXEC_MAX_ALLOCS	65536u
#define VSPLIT_EXEC_MAX_PATCHES	1048576u
#define VSPLIT_EXEC_MAX_SYNCS	1024u
#define VSPLIT_EXEC_MAX_QUEUES	1024u

/* Limits of a file's unfinished submissions (vsplit_account.c); the adapter query shows them. */
#define VSPLIT_EXEC_MAX_UNFINISHED		1024u
#define VSPLIT_EXEC_MAX_UNFINISHED_BYTES	(64ull << 20)

/* Limit of the records that a file's contexts keep. */
#define VSPLIT_EXEC_MAX_RECORD_BYTES		(VSPLIT_EXEC_MAX_UNFINISHED_BYTES / 2)

#endif /* _VSPLIT_EXEC_H_ */
