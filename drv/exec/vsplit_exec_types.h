/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Structures shared by the files of exec/, which alone include this.
 */
#ifndef _VSPLIT_EXEC_TYPES_H_
#define _VSPLIT_EXEC_TYPES_H_

#include <drm/gpu_scheduler.h>
#include <linux/cleanup.h>
#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "vsplit_device.h"
#include "exec/vsplit_exec.h"
#include "fence/vsplit_mfence.h"
#include "vsplit_compat.h"
#include "va/vsplit_va.h"

#define VSPLIT_MAX_SCHEDS		(VSPLIT_MAX_ENGINES + 1)
#define VSPLIT_RECORDS_KEPT		64
/* All that is ready is the engine's, which gives clients their turns. */
#define VSPLIT_ENGINE_CREDITS		U32_MAX

/* Visits of the watchdog until a program is blamed that its engine does not get to execute. */
#define VSPLIT_ENGINE_PATIENCE		20

/* For arrays whose size a client chooses: charged to it, and quiet when there is no memory. */
#define VSPLIT_GFP_ARRAY		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#define VSPLIT_TIMELINE_LEN		32

struct vsplit_hw;
struct vsplit_hwq;
struct vsplit_job;
struct vsplit_user;

/**
 * struct vsplit_fence - The fence of one program, or a preempt fence: what the world waits for.
 * @base: of a submission: one context per queue, seqnos in submission order; of a
 *	paging job: the allocation's context; of a device's hardware queues: theirs.
 * @lock: of @base; embedded, since a fence outlives everything.
 * @timeline: name of the queue; copied for the same reason.
 * @exec: of the adapter; only to be compared.
 * @job: that it belongs to, NULL once that is freed; under exec->jobs_lock.
 * @hw: of a preempt fence: the hardware queues that stop for it; constant.
 * @overdue: of a program: what waits for it can do nothing else (vsplit_watchdog.c); only ever set.
 *
 * Holds a reference to the module from initialisation until its RCU callback.
 */
struct vsplit_fence {
	struct dma_fence base;
	spinlock_t lock; /* of base */
	char timeline[VSPLIT_TIMELINE_LEN];
	const void *exec;
	struct vsplit_job *job;
	struct vsplit_hw *hw;
	bool overdue;
};

/**
 * struct vsplit_account - Unfinished submissions of a file, and what they hold.
 * @ref: held by the file, its contexts and jobs.
 * @user: whose file it is, reference; constant.
 * @engines: render engines of the adapter; constant.
 * @freed: woken when the memory of a job was freed, and where a paced file gets room otherwise.
 * @lock: protects what follows; signalling side too, inside everything.
 * @jobs: committed, or being prepared, and not done.
 * @bytes: kernel memory that they hold.
 * @foreign: those of them that wait, or waited, for a fence of another driver's.
 * @paced: another client's job waits for them: submitting waits while there are as many as engines.
 * @waiting: submissions that do.
 * @done_jobs: done, and not yet freed.
 * @done_bytes: that these hold.
 * @records: that are kept, of all contexts, newest last.
 * @record_bytes: that these hold.
 * @busy_ns: engine time that the file's programs took.
 * @paging_ns: engine time of paging outside them that was for the file.
 * @shown_ns: what was said of @busy_ns and of what runs: it does not go back.
 * @shown_paging_ns: the same of @paging_ns.
 * @clients: the file, as its turn comes on each engine; the hardware's.
 * @paging: what its paging outside submissions is of; likewise.
 * @work: struct vsplit_job.mine: committed and not yet freed, and what has begun of paging outside
 *	submissions, of which there may be very much; under exec->jobs_lock.
 * @parked: submissions that are not public; of @jobs.
 * @unpark: looks at these.
 * @efile: the file, until it is closed.
 * @lost: enum drm_vsplit_state: why the device is lost, or ACTIVE; goes from ACTIVE to one
 *	other, with cmpxchg().
 * @faulted: by a page fault, so nothing of it runs any more, whatever it was lost by first; only
 *	ever set.
 */
struct vsplit_account {
	struct kref ref;
	struct vsplit_user *user;
	u32 engines;
	wait_queue_head_t freed;
	spinlock_t lock; /* what follows */
	u32 jobs;
	u64 bytes;
	u32 foreign;
	bool paced;
	u32 waiting;
	u32 done_jobs;
	u64 done_bytes;
	struct list_head records;
	u64 record_bytes;
	u64 busy_ns;
	u64 paging_ns;
	u64 shown_ns;
	u64 shown_paging_ns;
	struct vsplit_gpu_client clients[VSPLIT_MAX_SCHEDS];
	struct vsplit_gpu_context paging;
	struct list_head work;
	atomic_t parked;
	struct work_struct unpark;
	struct vsplit_exec_file *efile;
	u32 lost;
	bool faulted;
};

/**
 * struct vsplit_engine - One hardware engine and its scheduler.
 * @sched: drm_sched back end; a paging engine has none, and it is not ready.
 * @name: of the ring; constant memory.
 * @hw: the hardware.
 * @vdev: owner.
 * @suspended: test mode: takes no job; under exec->suspend_lock.
 * @lock: protects @running and what is after it; irq-safe is not needed, the
 *	hardware interrupts in thread context.
 * @running: job whose step began last, or NULL; under @lock.
 * @blamed: job that was running at the watchdog's last visit; under @lock.
 * @blamed_progress: its heartbeat then; under @lock.
 * @blamed_stalls: its stalls then; under @lock.
 * @blamed_checks: visits since then; under @lock.
 */
struct vsplit_engine {
	struct drm_gpu_scheduler sched;
	const char *name;
	struct vsplit_gpu_engine *hw;
	struct vsplit_device *vdev;
	bool suspended;
	spinlock_t lock; /* running, blamed */
	struct vsplit_job *running;
	const struct vsplit_job *blamed;
	unsigned long blamed_progress;
	unsigned long blamed_stalls;
	u32 blamed_checks;
};

/**
 * struct vsplit_queue - A context, or what the kernel's own paging jobs belong to.
 * @ref: held by the file's table, by submissions and by jobs.
 * @vdev: the adapter; alive: files and jobs hold it, and they hold queues.
 * @engine: where it runs; constant.
 * @hw: the hardware's context; not of the paging queue.
 * @jobs: struct vsplit_watch.queued: committed and not yet freed, in order; or that of its
 *	hardware queue; under exec->jobs_lock.
 * @entity: in drm_sched; not of the paging queue, whose jobs have no order.
 * @id: of the context in its file, 0 for the paging queue; constant.
 * @uid: unique on the adapter: for traces, and the hardware's context id.
 * @timeline: what its fences are called; constant.
 * @flags: VSPLIT_CTX_*; constant.
 * @mode: enum drm_vsplit_ctx_mode; constant.
 * @resid: what its device requires; reference; NULL: that is no matter (PATCH); constant.
 * @work: its part of @resid; own lock.
 * @account: of its file, reference; NULL for the paging queue; constant.
 * @table: the resource table; the hardware's; NULL for the paging queue.
 * @fences: monitored fences that its commands name; reference, constant; not of the paging
 *	queue.
 * @va: the address space, whose addresses its commands name; reference; NULL: they name
 *	slots; constant.
 * @hwq: its ring; of VSPLIT_CTX_MODE_HW, once it was made; set once, under the mutex of its
 *	device's hardware queues.
 * @fence_context: of its fences; constant; the paging queue has none.
 * @submit_lock: serialises arm and push, so that fence order is job order.
 * @seqno: last fence; under @submit_lock.
 * @parked: struct vsplit_parked, in order; under @submit_lock.
 * @closed: it parks nothing any more; under @submit_lock.
 * @lock: protects the members below; inside everything, signalling side too.
 * @state: enum drm_vsplit_state.
 * @fault: fault registers of the job that was lost.
 * @fault_portion: its portion.
 * @lost_submission: its id.
 * @last_submission: last accepted submission.
 * @records: newest last; under the account's lock.
 * @nr_records: length of @records; likewise.
 */
struct vsplit_queue {
	struct kref ref;
	struct vsplit_device *vdev;
	struct vsplit_engine *engine;
	struct vsplit_gpu_context hw;
	struct list_head jobs;
	struct drm_sched_entity entity;
	u32 id;
	u64 uid;
	char timeline[VSPLIT_TIMELINE_LEN];
	u32 flags;
	u32 mode;
	struct vsplit_resid *resid;
	struct vsplit_resid_work work;
	struct vsplit_account *account;
	struct vsplit_gpu_table *table;
	struct vsplit_mfences *fences;
	struct vsplit_va *va;
	struct vsplit_hwq *hwq;
	u64 fence_context;
	struct mutex submit_lock; /* arm and push, seqno */
	u64 seqno;
	struct list_head parked;
	bool closed;
	spinlock_t lock; /* what follows */
	u32 state;
	struct vsplit_gpu_fault_info fault;
	u32 fault_portion;
	u64 lost_submission;
	u64 last_submission;
	struct list_head records;
	u32 nr_records;
};

/**
 * struct vsplit_record_chunk - Events of paging jobs that were done for a submission.
 * @link: in record->foreign.
 * @nr: of @events.
 * @events: some of them.
 */
struct vsplit_record_chunk {
	struct list_head link;
	u32 nr;
	struct drm_vsplit_event events[];
};

/* Of the first chunk of a record, which most need no more than; and of any. */
#define VSPLIT_RECORD_CHUNK_MIN	4u
#define VSPLIT_RECORD_CHUNK_MAX	38u

static_assert(struct_size_t(struct vsplit_record_chunk, events, VSPLIT_RECORD_CHUNK_MAX) <= 4096);

/**
 * struct vsplit_record_bind - An entry of the patch-location list that took effect.
 * @place: index of where its allocation was.
 * @slot: of the entry.
 * @driver_id: of the entry.
 */
struct vsplit_record_bind {
	u32 place;
	u32 slot;
	u32 driver_id;
};

/**
 * struct vsplit_record_place - Where an allocation was.
 * @handle: of the allocation, 0 for the NULL element.
 * @segment: id.
 * @page: its place in @segment, pages.
 */
struct vsplit_record_place {
	u32 handle;
	u32 segment;
	u32 page;
};

/**
 * struct vsplit_record - What happened to one submission. What is not said to change is
 * constant once it is published.
 * @ref: held by the queue's list, the job, and paging jobs done for it.
 * @vdev: for the object counter; the counter's device outlives the record's
 *	holders.
 * @queue: its context, as long as it is on the list of that.
 * @link: in queue->records; under the account's lock.
 * @kept: in account->records; under the account's lock.
 * @submission: id.
 * @file: the client, while it is being prepared; then NULL.
 * @job: its job, likewise.
 * @claimed: handle of an allocation of the list, which alone paging jobs are about now, or
 *	0; while it is being prepared.
 * @sums: by segment, VSPLIT_MAX_SEGMENTS of them: event of what is done there in this way with
 *	allocations that the client does not know, or NULL; while it is being prepared, from
 *	its first event on.
 * @lock: serialises paging jobs that write times.
 * @foreign: chunks of what paging jobs did for it, in order: evictions of others, and
 *	allocations of its list that return to a preferred segment. Times change until the
 *	jobs are done.
 * @nr_foreign: how many.
 * @max_foreign: room.
 * @foreign_bytes: memory of the chunks.
 * @events: its own steps; times and flags change until they are done.
 * @nr_events: how many.
 * @binds: the entries of the list that took effect; in the memory of @events.
 * @nr_binds: how many.
 * @places: of each element of the allocation list, or if it was planned, of each entry's; in the
 *	memory of @events.
 * @nr_places: how many.
 * @bytes: memory that the record holds in its context's account.
 * @nr_portions: of the submission.
 * @error: of its fence, negative; valid once @done.
 * @fault: enum drm_vsplit_fault; likewise.
 * @done: its fence is signalled, or about to be; goes to true, with release.
 */
struct vsplit_record {
	struct kref ref;
	struct vsplit_device *vdev;
	struct vsplit_queue *queue;
	struct list_head link;
	struct list_head kept;
	u64 submission;
	struct drm_file *file;
	struct vsplit_job *job;
	u32 claimed;
	struct drm_vsplit_event *(*sums)[VSPLIT_EVENT_RELEASE_RANGE + 1];
	spinlock_t lock; /* times of foreign events */
	struct list_head foreign;
	u32 nr_foreign;
	u32 max_foreign;
	size_t foreign_bytes;
	struct drm_vsplit_event *events;
	u32 nr_events;
	struct vsplit_record_bind *binds;
	u32 nr_binds;
	struct vsplit_record_place *places;
	u32 nr_places;
	u64 bytes;
	u32 nr_portions;
	int error;
	u32 fault;
	bool done;
};

/**
 * enum vsplit_job_state - Where a job is.
 * @VSPLIT_JOB_NEW: with the submitter, which prepares it.
 * @VSPLIT_JOB_QUEUED: drm_sched.
 * @VSPLIT_JOB_RUNG: the hardware, or it has had it.
 * @VSPLIT_JOB_DEAD: nothing; its fence was signalled by the unplug.
 */
enum vsplit_job_state {
	VSPLIT_JOB_NEW,
	VSPLIT_JOB_QUEUED,
	VSPLIT_JOB_RUNG,
	VSPLIT_JOB_DEAD,
};

/**
 * struct vsplit_dependency - A fence that a job waits for.
 * @fence: reference until the job is freed.
 * @job: the job that waits.
 * @ready: of a paging job: callback of @fence.
 */
struct vsplit_dependency {
	struct dma_fence *fence;
	struct vsplit_job *job;
	struct dma_fence_cb ready;
};

/**
 * struct vsplit_watch - What the watchdog knows of a job (vsplit_watchdog.c).
 * @queued: in the queue's jobs.
 * @pass: the last one that came here.
 * @open: dependencies before this one are signalled.
 * @blocker: the job that this one waits for; itself: none; NULL: it waits for something else.
 * @leaf: the job at the end of that chain, which is ready, runs, or has no @blocker.
 * @told: dependencies before this one were told that something stands still, or are signalled.
 * @client: that waits for what it waits for, at this pass: its own; of what the kernel made for
 *	a client's job, the first one that was found; only compared.
 * @stuck: in the adapter's: others do as well, or it does not matter whose job waits.
 * @run_ns: RUN time at the last pass.
 * @turns: of the program, at the last pass.
 * @wanted: at the last pass, another client waited for the engine.
 * @needed: at the last pass, another client waited for the end of this job.
 * @wanted_now: the same, at this pass.
 * @needed_now: the same, at this pass.
 * @held_ns: RUN time since it was wanted and has not given way.
 * @needed_ns: RUN time while it was needed.
 */
struct vsplit_watch {
	struct list_head queued;
	u64 pass;
	u32 open;
	struct vsplit_job *blocker;
	struct vsplit_job *leaf;
	u32 told;
	const struct vsplit_account *client;
	struct list_head stuck;
	u64 run_ns;
	u32 turns;
	bool wanted;
	bool needed;
	bool wanted_now;
	bool needed_now;
	u64 held_ns;
	u64 needed_ns;
};

/**
 * struct vsplit_job - One program with everything that running it needs; after
 * commit nothing is allocated, looked up or locked for it.
 * @base: drm_sched's; unused in a paging job.
 * @program: the hardware's view.
 * @queue: reference.
 * @hwq: whose program it is, for good; or NULL.
 * @submission: id, 0 for paging.
 * @state: enum vsplit_job_state; atomic.
 * @link: in exec->jobs; under exec->jobs_lock.
 * @mine: in the work of its client, or empty; likewise.
 * @dependencies: what must be signalled first, @nr_dependencies with room for
 *	@max_dependencies; the submitter's until the job is armed.
 * @nr_dependencies: how many.
 * @max_dependencies: room.
 * @unready: of a paging job: dependencies that are not signalled; at 0 it is rung.
 * @waited: of others: so many dependencies drm_sched has waited for, or does; its work's alone.
 * @fence: of the program; reference; initialised at commit.
 * @paged: signalled before the first portion runs, or NULL; like @fence.
 * @paged_step: the step that it follows.
 * @record: reference or NULL; of a paging job, of the submission that it is for.
 * @foreign_event: in @record, for paging jobs that were committed; else NULL.
 * @result: error for a program that ran well (WDDM error semantics), or 0.
 * @patched: what the stream is to be when the program starts (fault knobs); or NULL: it is.
 * @nr_patches: addresses that were written.
 * @rows: storage of the steps' rows.
 * @nr_rows: how many.
 * @bos: allocations that it uses until it is done (vsplit_bo_use()); @nr_bos.
 * @nr_bos: how many; 0 once they were given back.
 * @bo: storage of @bos, of a job that has only one.
 * @account: that it is charged to, reference; or NULL.
 * @charged: bytes; constant once armed.
 * @accounted: it left the account's unfinished ones; under account->lock.
 * @foreign: counted in the account's @foreign.
 * @served: of a paging job: the account of the client that it is for, reference; or NULL.
 * @awaited: that client waits for it.
 * @watch: the watchdog's; under exec->jobs_lock.
 * @counted: its time is in the account; under exec->jobs_lock.
 * @release: frees it, from where it may sleep; a drm_device reference is held
 *	until then.
 */
struct vsplit_job {
	struct drm_sched_job base;
	struct vsplit_gpu_program program;
	struct vsplit_queue *queue;
	struct vsplit_hwq *hwq;
	u64 submission;
	atomic_t state;
	struct list_head link;
	struct list_head mine;
	struct vsplit_dependency *dependencies;
	u32 nr_dependencies;
	u32 max_dependencies;
	atomic_t unready;
	u32 waited;
	struct vsplit_fence *fence;
	struct vsplit_fence *paged;
	u32 paged_step;
	struct vsplit_record *record;
	struct drm_vsplit_event *foreign_event;
	int result;
	void *patched;
	u32 nr_patches;
	struct vsplit_gpu_row *rows;
	u32 nr_rows;
	struct vsplit_bo **bos;
	u32 nr_bos;
	struct vsplit_bo *bo;
	struct vsplit_account *account;
	u64 charged;
	bool accounted;
	bool foreign;
	struct vsplit_account *served;
	bool awaited;
	struct vsplit_watch watch;
	bool counted;
	struct work_struct release;
};

/* The client that a job is for; NULL: the kernel. */
static inline struct vsplit_account *vsplit_job_client(const struct vsplit_job *job)
{
	return job->account ?: job->served;
}

/* The client that waits for a job, or NULL. */
static inline struct vsplit_account *vsplit_job_waiter(const struct vsplit_job *job)
{
	return job->account ?: job->awaited ? job->served : NULL;
}

/**
 * struct vsplit_exec - Execution of an adapter.
 * @vdev: owner.
 * @nr_engines: render engines.
 * @nr_scheds: engines in @engines: render ones, then the paging engine if there
 *	is one.
 * @engines: constant after init.
 * @paging: what jobs for paging outside submissions belong to.
 * @client: the kernel, as the turn of paging comes that it does for no client; the hardware's.
 * @next_uid: of queues.
 * @dead: unplugged; set once.
 * @jobs_lock: protects @jobs and what says so; signalling side.
 * @jobs: committed and not yet freed.
 * @watch_lock: read by what takes a job off @jobs, written by the watchdog: while it looks at them
 *	they stay. Outside of @jobs_lock.
 * @suspend_lock: protects engines' suspended.
 * @preparations: counter for the knob expect_preparation_failure.
 * @timeout_wq: ordered, for hangs.
 * @watchdog: runs while there are jobs.
 * @pass: how often it has; under @jobs_lock.
 * @stuck: struct vsplit_watch.stuck: jobs whose first open dependency it is about to tell; under
 *	@jobs_lock.
 * @coming: device with hardware queues that brings in what it lacks, or NULL; under @jobs_lock.
 * @coming_until: jiffies until which others wait for that; under @jobs_lock.
 */
struct vsplit_exec {
	struct vsplit_device *vdev;
	u32 nr_engines;
	u32 nr_scheds;
	struct vsplit_engine engines[VSPLIT_MAX_SCHEDS];
	struct vsplit_queue *paging;
	struct vsplit_gpu_client client;
	atomic64_t next_uid;
	bool dead;
	spinlock_t jobs_lock; /* jobs, pass, stuck, coming */
	struct list_head jobs;
	struct rw_semaphore watch_lock; /* jobs stay on the list */
	struct mutex suspend_lock; /* engines' suspended */
	atomic_t preparations;
	struct workqueue_struct *timeout_wq;
	struct delayed_work watchdog;
	u64 pass;
	struct list_head stuck;
	struct vsplit_hw *coming;
	unsigned long coming_until;
};

/* vsplit_account.c */
struct vsplit_account *vsplit_account_create(u32 engines, bool paging_own);
int vsplit_account_wait(struct vsplit_account *account);
void vsplit_account_pace(struct vsplit_account *account);
void vsplit_account_foreign(struct vsplit_job *job);
int vsplit_account_enter(struct vsplit_account *account, struct vsplit_job *job, u64 bytes);
int vsplit_account_charge(struct vsplit_account *account, struct vsplit_job *job, u64 bytes);
void vsplit_account_done(struct vsplit_job *job);
void vsplit_account_freed(struct vsplit_job *job);
void vsplit_account_busy(struct vsplit_account *account, u64 ns, bool paging);
void vsplit_account_show_fdinfo(struct vsplit_exec *exec, struct vsplit_account *account,
				struct drm_printer *p);

/* vsplit_fence.c */
struct vsplit_fence *vsplit_fence_alloc(void);
void vsplit_fence_init(struct vsplit_fence *fence, const char *timeline, u64 context, u64 seqno);
struct vsplit_job *vsplit_fence_job(struct dma_fence *fence, const struct vsplit_exec *exec);
bool vsplit_fence_is_own(const struct dma_fence *fence);
void vsplit_fence_pace(struct dma_fence *fence, struct vsplit_exec *exec,
		       const struct vsplit_account *client);
void vsplit_fence_drop(struct vsplit_fence *fence);

/* vsplit_record.c */
struct vsplit_record *vsplit_record_create(struct vsplit_device *vdev);
struct vsplit_record *vsplit_record_get(struct vsplit_record *record);
void vsplit_record_put(struct vsplit_record *record);
DEFINE_FREE(vsplit_record, struct vsplit_record *, vsplit_record_put(_T))
int vsplit_record_reserve_foreign(struct vsplit_record *record);
struct drm_vsplit_event *vsplit_record_add_foreign(struct vsplit_record *record,
						   struct vsplit_bo *vbo,
						   const struct drm_vsplit_event *event);
void vsplit_record_step(struct vsplit_record *record, const struct vsplit_job *job, u32 index);
void vsplit_record_finish(struct vsplit_record *record, const struct vsplit_job *job, int error);
void vsplit_record_finish_foreign(struct vsplit_record *record, struct drm_vsplit_event *event,
				  u64 begin, u64 end);
void vsplit_record_publish(struct vsplit_queue *queue, struct vsplit_record *record,
			   struct list_head *old);
void vsplit_record_put_list(struct list_head *old);
void vsplit_records_drop(struct vsplit_queue *queue);
u64 vsplit_record_bytes(const struct vsplit_record *record);

/* vsplit_queue.c */
struct vsplit_queue *vsplit_queue_create(struct vsplit_device *vdev, u32 engine,
					 enum drm_sched_priority priority, u32 flags,
					 struct vsplit_account *account);
struct vsplit_queue *vsplit_queue_create_paging(struct vsplit_device *vdev, u32 engine);
struct vsplit_queue *vsplit_queue_get(struct vsplit_queue *queue);
void vsplit_queue_put(struct vsplit_queue *queue);
DEFINE_FREE(vsplit_queue, struct vsplit_queue *, vsplit_queue_put(_T))
struct vsplit_queue *vsplit_queue_lookup(struct vsplit_exec_file *efile, u32 id);
void vsplit_queue_lose(struct vsplit_queue *queue, u32 state, const struct vsplit_job *job,
		       u32 portion);
bool vsplit_queue_lost(struct vsplit_queue *queue);
int vsplit_exec_set_model(struct vsplit_exec_file *efile, enum vsplit_model model);
void vsplit_exec_lose_device(struct vsplit_exec_file *efile, u32 state);
u32 vsplit_exec_file_state(struct vsplit_exec_file *efile);

static inline bool vsplit_queue_is_paging(const struct vsplit_queue *queue)
{
	return !queue->fence_context;
}

/* vsplit_park.c */
void vsplit_park_kick(struct vsplit_account *account);
void vsplit_park_end(struct vsplit_queue *queue, bool killed);
void vsplit_park_open(struct vsplit_exec_file *efile);
void vsplit_park_close(struct vsplit_exec_file *efile);

/* vsplit_job.c; the rest is in vsplit_mm.h */
struct vsplit_job *vsplit_job_create(struct vsplit_queue *queue, u64 client_id);
int vsplit_job_add_paged(struct vsplit_job *job);
void vsplit_job_unlist(struct vsplit_job *job);
void vsplit_jobs_cancel(struct vsplit_queue *queue);
void vsplit_jobs_kill(struct vsplit_exec *exec, const struct vsplit_account *account, bool hw);
int vsplit_job_set_steps(struct vsplit_job *job, u32 nr);
void vsplit_job_prune_dependencies(struct vsplit_job *job);
int vsplit_job_use(struct vsplit_job *job, struct vsplit_bo *const *bos, u32 nr);
void vsplit_job_use_one(struct vsplit_job *job, struct vsplit_bo *vbo);
void vsplit_job_unuse(struct vsplit_job *job);
void vsplit_job_arm(struct vsplit_job *job);
void vsplit_job_publish(struct vsplit_job *job);
void vsplit_job_patch(struct vsplit_job *job);
u32 vsplit_job_portion(const struct vsplit_job *job, u32 step);

static inline struct vsplit_job *to_vsplit_job(struct drm_sched_job *base)
{
	return container_of(base, struct vsplit_job, base);
}

/* vsplit_watchdog.c */
void vsplit_watchdog_init(struct vsplit_exec *exec);
void vsplit_watchdog_kick(struct vsplit_exec *exec);

/* vsplit_engine.c */
void vsplit_engine_watch(struct vsplit_engine *engine);
void vsplit_engine_forget(const struct vsplit_job *job);
int vsplit_engine_init(struct vsplit_exec *exec, u32 index, const char *name);
extern const struct vsplit_gpu_irq_ops vsplit_engine_irq_ops;

/* vsplit_paging.c; the rest is in vsplit_mm.h */
struct dma_fence *vsplit_paging_push(struct vsplit_job *job, u64 context, u64 seqno);

#endif /* _VSPLIT_EXEC_TYPES_H_ */
