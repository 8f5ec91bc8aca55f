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
/* drm_sched gives all ready jobs to the engine; the engine lets clients take turns. */
#define VSPLIT_ENGINE_CREDITS		U32_MAX

/* For arrays whose size a client chooses: charged to the client; no warning if memory is short. */
#define VSPLIT_GFP_ARRAY		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#define VSPLIT_TIMELINE_LEN		32

struct vsplit_hw;
struct vsplit_hwq;
struct vsplit_job;
struct vsplit_user;

/**
 * struct vsplit_fence - A fence of one job, or a preempt fence. These are the fences that the rest
 * of the kernel sees.
 * @base: the fence. Submissions of a queue share one context, with seqnos in their order; so do the
 *	single paging jobs of an allocation, a device's MakeResident jobs, the binds of an address
 *	space, and the preempt fences of a device. A merged fence, and the fence of a parked
 *	submission that fails, have contexts of their own.
 * @lock: lock of @base; embedded, because the fence may outlive everything else.
 * @timeline: name of the queue; a copy, because the fence may outlive the queue.
 * @exec: execution of the adapter; only compared, never followed.
 * @job: the job that it belongs to, NULL once the job is freed; under exec->jobs_lock.
 * @hw: preempt fence: the hardware queues that stop for it; constant.
 * @overdue: fence of a program: a waiter stands still until it signals (vsplit_watchdog.c); only
 *	ever set.
 *
 * It holds a reference to the module from its initialisation until its RCU callback.
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
 * struct vsplit_account - Unfinished submissions of a file, and what they hold. Binds and
 * MakeResident count as submissions.
 * @ref: held by the file, its contexts and jobs.
 * @user: user that the file belongs to; reference; constant.
 * @opener: process that opened the file; constant.
 * @engines: render engines of the adapter; constant.
 * @freed: woken when the memory of a job was freed, and when a paced file gets room in another way.
 * @wake: wakes @freed for an engine; holds a reference while it is queued.
 * @lock: protects the members that follow, unless they say otherwise; taken on the signalling side
 *	too; of the driver's locks, only that of @user is taken inside it.
 * @jobs: number of submissions that are committed or being prepared, and are not done.
 * @bytes: kernel memory that @jobs hold, and paging jobs that are charged to the file.
 * @foreign: number of those of @jobs that wait, or waited, for a fence of another driver.
 * @paced: another client's job waits for @jobs.
 * @more: submissions wait while there are as many jobs as engines and this many more, not counting
 *	@parked, unless there are @foreign. It is 0 while @paced; else it grows with each job that
 *	is done, up to VSPLIT_EXEC_MAX_UNFINISHED, with which it begins.
 * @waiting: submissions that wait because of @more.
 * @done_jobs: number of submissions that are done and not yet freed.
 * @done_bytes: kernel memory that @done_jobs hold, and charged paging jobs that are done.
 * @records: records that are kept, of all contexts, newest last.
 * @record_bytes: kernel memory that @records hold.
 * @busy_ns: engine time that the file's programs took.
 * @paging_ns: engine time of paging outside programs that was done for the file.
 * @shown_ns: largest render time shown by fdinfo: @busy_ns and the running programs. It never
 *	decreases.
 * @shown_paging_ns: the same for @paging_ns.
 * @clients: the file as a client of each engine, for turns; used by gpu/.
 * @paging: context of the file's paging outside submissions; used by gpu/.
 * @work: list of struct vsplit_job.mine: jobs that are committed and not yet freed; of paging
 *	outside submissions only jobs that have begun, because there may be very many others; under
 *	exec->jobs_lock.
 * @hangs: programs that hung since the watchdog last found no job; the watchdog's.
 * @watched: the watchdog's last pass that found a job; the watchdog's.
 * @parked: number of those of @jobs that are parked (vsplit_park.c); atomic.
 * @unpark: work item that looks at the parked submissions.
 * @efile: the file, until it is closed.
 * @lost: enum drm_vsplit_state: ACTIVE, or why the device is lost. It changes once, from ACTIVE,
 *	with cmpxchg().
 * @faulted: a page fault happened, so no work of the device runs any more, whatever the first
 *	reason of the loss was; only ever set.
 */
struct vsplit_account {
	struct kref ref;
	struct vsplit_user *user;
	pid_t opener;
	u32 engines;
	wait_queue_head_t freed;
	struct work_struct wake;
	spinlock_t lock; /* what follows */
	u32 jobs;
	u64 bytes;
	u32 foreign;
	bool paced;
	u32 more;
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
	u32 hangs;
	u64 watched;
	atomic_t parked;
	struct work_struct unpark;
	struct vsplit_exec_file *efile;
	u32 lost;
	bool faulted;
};

/**
 * struct vsplit_engine - One hardware engine and its scheduler.
 * @sched: the scheduler; that of a paging engine is unused, and is not ready.
 * @name: name of the ring; constant memory.
 * @hw: the hardware's engine.
 * @vdev: owner.
 * @suspended: test mode: the engine takes no job; under exec->suspend_lock.
 * @lock: protects @running; it need not be irq-safe, because the hardware interrupts in thread
 *	context.
 * @running: job whose step began last, or NULL; under @lock.
 */
struct vsplit_engine {
	struct drm_gpu_scheduler sched;
	const char *name;
	struct vsplit_gpu_engine *hw;
	struct vsplit_device *vdev;
	bool suspended;
	spinlock_t lock; /* running */
	struct vsplit_job *running;
};

/**
 * struct vsplit_queue - A context, or the kernel's own queue, to which paging jobs belong.
 * @ref: held by the file's table, by submissions and by jobs.
 * @vdev: the adapter; alive, because files and jobs hold it, and they hold queues.
 * @engine: engine on which it runs; constant.
 * @hw: its context in gpu/; of the paging queue: that of jobs without a client.
 * @jobs: list of struct vsplit_watch.queued: jobs that are committed and not yet freed, in order;
 *	or the only job of its hardware queue; under exec->jobs_lock.
 * @entity: entity in drm_sched; the paging queue has none, because its jobs have no order.
 * @id: id of the context in its file, 0 for the paging queue; constant.
 * @uid: unique on the adapter, for traces and debugfs; constant.
 * @timeline: timeline name of its fences; constant.
 * @flags: VSPLIT_CTX_*; constant.
 * @mode: enum drm_vsplit_ctx_mode; constant.
 * @resid: requirement list of its device; reference; NULL in the PATCH mode; constant.
 * @work: its unfinished work in @resid; has its own lock.
 * @account: account of its file, reference; NULL for the paging queue; constant.
 * @table: the resource table, which gpu/ uses; NULL for the paging queue.
 * @fences: monitored fences that its commands name; reference, constant; the paging queue has none.
 * @va: address space whose addresses its commands use; reference; NULL: commands name slots;
 *	constant.
 * @hwq: its hardware queue (VSPLIT_CTX_MODE_HW), or NULL until that is created; set once, under the
 *	mutex of its device's hardware queues.
 * @fence_context: context of its fences; constant; 0 for the paging queue.
 * @submit_lock: serialises arm and push, so that fence order is job order.
 * @seqno: seqno of the last fence; under @submit_lock.
 * @parked: list of struct vsplit_parked, in order; under @submit_lock.
 * @closed: no more submissions are parked; under @submit_lock.
 * @lock: protects the members below; taken on the signalling side too, inside all other locks.
 * @state: enum drm_vsplit_state; changes once, from ACTIVE; READ_ONCE without the lock.
 * @fault: fault registers of the job that lost the context.
 * @fault_portion: portion of that job.
 * @lost_submission: id of that job's submission.
 * @last_submission: id of the last accepted submission.
 * @records: records that are kept, newest last; under the account's lock.
 * @nr_records: length of @records; under the account's lock.
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

/* Some of a record's events: of paging jobs that were done for a submission. */
struct vsplit_record_chunk {
	struct list_head link; /* in record->foreign */
	u32 nr;
	struct drm_vsplit_event events[];
};

/* Events of a record's first chunk, enough for most records; and events of the largest chunk. */
#define VSPLIT_RECORD_CHUNK_MIN	4u
#define VSPLIT_RECORD_CHUNK_MAX	38u

static_assert(struct_size_t(struct vsplit_record_chunk, events, VSPLIT_RECORD_CHUNK_MAX) <= 4096);

/* An entry of the patch-location list that took effect. */
struct vsplit_record_bind {
	u32 place; /* index in the record's places: where its allocation was */
	u32 slot; /* SlotId */
	u32 driver_id;
};

/* Where an allocation was. */
struct vsplit_record_place {
	u32 handle; /* 0 for the NULL element */
	u32 segment; /* id */
	u32 page; /* its offset in @segment, in pages */
};

/**
 * struct vsplit_record - What happened to one submission. A member is constant once the record is
 * published, unless its description says otherwise.
 * @ref: held by the queue's list, the submitter, the job, and paging jobs done for it.
 * @vdev: for the object counter; reference.
 * @queue: its context, valid as long as the record is on the list of the context.
 * @link: link in queue->records; under the account's lock.
 * @kept: link in account->records; under the account's lock.
 * @submission: id of the submission.
 * @file: the client, while the record is being prepared; then NULL.
 * @job: the submission's job, while the record is being prepared; then NULL.
 * @claimed: handle of an allocation of the list, or 0. While it is set, all paging jobs concern
 *	this allocation. Used while the record is being prepared.
 * @sums: VSPLIT_MAX_SEGMENTS elements: for each segment and event type the event that sums up
 *	paging of allocations that the client does not know, or NULL. Exists while the record is
 *	being prepared, from its first event on.
 * @lock: serialises paging jobs that write times.
 * @foreign: chunks with events of paging jobs, in order: evictions of other allocations, and
 *	allocations of the list that must leave their place, or return to a preferred segment,
 *	before the program. Times change until the jobs are done.
 * @nr_foreign: number of events in @foreign.
 * @max_foreign: room for events in @foreign.
 * @foreign_bytes: memory of the chunks.
 * @events: one for each step of its program; times and flags change until the steps are done.
 * @nr_events: length of @events.
 * @binds: entries of the patch-location list that took effect; in the memory of @events.
 * @nr_binds: length of @binds.
 * @places: where the allocation of each element of the allocation list was; if the submission was
 *	planned, where that of each entry was; in the memory of @events.
 * @nr_places: length of @places.
 * @bytes: memory that is charged for the record.
 * @nr_portions: portions of the submission.
 * @error: error of the submission's fence, negative; valid once @done.
 * @fault: enum drm_vsplit_fault; valid once @done.
 * @done: the submission's fence is signalled, or about to be; set once, with release.
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
 * @VSPLIT_JOB_NEW: the submitter has it, and prepares it.
 * @VSPLIT_JOB_QUEUED: it waits in drm_sched, or for its dependencies.
 * @VSPLIT_JOB_RUNG: the hardware has it, or has had it.
 * @VSPLIT_JOB_DEAD: the hardware never gets it; the unplug has signalled its fence.
 */
enum vsplit_job_state {
	VSPLIT_JOB_NEW,
	VSPLIT_JOB_QUEUED,
	VSPLIT_JOB_RUNG,
	VSPLIT_JOB_DEAD,
};

/* A fence that a job waits for. */
struct vsplit_dependency {
	struct dma_fence *fence; /* reference until the job is freed */
	struct vsplit_job *job; /* that waits */
	struct dma_fence_cb ready; /* callback of @fence; used in a paging job */
};

/**
 * struct vsplit_watch - What the watchdog knows of a job (vsplit_watchdog.c).
 * @queued: link in the queue's jobs.
 * @pass: number of the last pass that looked at the job.
 * @open: dependencies before this one are signalled.
 * @blocker: the job that this job waits for; itself: it waits for no job; NULL: it waits for
 *	something that is no job.
 * @leaf: the job at the end of the chain of blockers: it is ready, runs, or has no @blocker.
 * @told: dependencies before this one were told that their waiter stands still, or are signalled.
 * @client: a client that waits for the same as this job, at this pass: the job's client; for a job
 *	that the kernel made for a client's job, the first such client that was found; only
 *	compared.
 * @stuck: link in exec->stuck, if other clients wait as well, or if it does not matter whose job
 *	waits.
 * @checks: passes that found the program running with the same @progress; 0: it did not run.
 * @progress: its heartbeat at the last pass, if it ran.
 * @stalls: its stalls when a pass first saw this heartbeat.
 * @run_ns: RUN time at the last pass.
 * @turns: turns of the program at the last pass.
 * @wanted: at the last pass, another client waited for the engine.
 * @needed: at the last pass, another client waited for the end of this job.
 * @wanted_now: the same, at this pass.
 * @needed_now: the same, at this pass.
 * @held_ns: RUN time while another client waited for the engine, since the program last gave way.
 * @needed_ns: RUN time while another client waited for the end of the job.
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
	u32 checks;
	unsigned long progress;
	unsigned long stalls;
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
 * struct vsplit_job - One program with everything that it needs to run. After the commit nothing is
 * allocated, looked up or locked for it.
 * @base: drm_sched's job; unused in a paging job.
 * @program: the hardware's view.
 * @queue: queue that it belongs to; reference.
 * @hwq: hardware queue whose only job it is; NULL in all other jobs.
 * @submission: id of the submission, 0 for paging.
 * @state: enum vsplit_job_state; atomic.
 * @link: link in exec->jobs; under exec->jobs_lock.
 * @mine: link in the work of its client's account, or empty; under exec->jobs_lock.
 * @dependencies: fences that must signal first; @nr_dependencies elements, with room for
 *	@max_dependencies. Only the submitter uses them until the job is armed.
 * @nr_dependencies: length of @dependencies.
 * @max_dependencies: room in @dependencies.
 * @unready: paging job: dependencies that are not signalled; when it becomes 0 the job is rung.
 * @waited: other jobs: number of dependencies that drm_sched has asked for; only its work item uses
 *	it.
 * @fence: fence of the program; reference; initialised at the commit.
 * @paged: fence that signals before the first portion runs; reference or NULL; initialised at the
 *	commit.
 * @paged_step: the step after which @paged signals.
 * @record: record of the submission that it is, or that it is done for if it is a paging job;
 *	reference or NULL.
 * @foreign_event: event in @record of a committed paging job; else NULL.
 * @result: error of the fence if the program runs without an error; not 0 only if just a prefix of
 *	the DMA buffer is executed (WDDM error semantics).
 * @patched: the patched stream, to be copied over the stream when the program starts (fault knobs);
 *	NULL: the stream itself is patched.
 * @nr_patches: addresses that were written.
 * @rows: memory for the rows of the RUN steps.
 * @nr_rows: length of @rows.
 * @bos: allocations that it uses (vsplit_bo_use()); @nr_bos elements.
 * @nr_bos: how many it still uses.
 * @nr_run_bos: how many it uses until it is done; if there is @paged, those behind them only until
 *	@paged is about to signal.
 * @bo: memory for @bos of a job that uses only one allocation.
 * @account: account of the submission, which it is charged to; reference; or NULL.
 * @charged: bytes that are charged; constant once armed.
 * @accounted: the account does not count it as unfinished any more; under account->lock.
 * @foreign: it is counted in the account's @foreign.
 * @served: paging job: account of the client that it is done for; reference; or NULL.
 * @awaited: paging job: the client of @served waits for it.
 * @watch: what the watchdog knows of it; under exec->jobs_lock.
 * @counted: its engine time is in the account; under exec->jobs_lock.
 * @release: work item that frees it and may sleep; the job holds a drm_device reference until then.
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
	u32 nr_run_bos;
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
 * @nr_engines: number of render engines.
 * @nr_scheds: number of @engines: the render engines, then the paging engine if there is one.
 * @engines: the engines; constant after init.
 * @paging: queue of the jobs for paging outside submissions.
 * @client: the kernel as a client of the engine, for the turns of paging that is done for no
 *	client; used by gpu/.
 * @next_uid: last uid given to a queue.
 * @dead: the adapter was unplugged; set once.
 * @jobs_lock: protects @jobs and all members that name this lock; taken on the signalling side.
 * @jobs: jobs that are committed and not yet freed.
 * @watch_lock: held for reading to take a job off @jobs, and by the unplug, which moves jobs to a
 *	list of its own; held for writing by the watchdog, so that jobs stay on the list while it
 *	looks at them. Outside of @jobs_lock.
 * @suspend_lock: protects engines' suspended.
 * @crowd: held while a submission is placed whose plan knows ranges that are not charged.
 * @preparations: counter for the knob expect_preparation_failure.
 * @timeout_wq: ordered workqueue of the watchdog.
 * @watchdog: work item that runs while there are jobs.
 * @pass: number of the watchdog's passes; under @jobs_lock.
 * @stuck: list of struct vsplit_watch.stuck: the watchdog is about to tell the first open
 *	dependency of these jobs; under @jobs_lock.
 * @coming: device with hardware queues that brings in its missing members, or NULL; under
 *	@jobs_lock.
 * @coming_until: jiffies until which other devices wait for @coming; under @jobs_lock.
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
	struct mutex crowd; /* memory that is not charged */
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
void vsplit_job_unuse(struct vsplit_job *job, u32 kept);
bool vsplit_exec_later(struct work_struct *work);
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
void vsplit_engine_forget(const struct vsplit_job *job);
int vsplit_engine_init(struct vsplit_exec *exec, u32 index, const char *name);
extern const struct vsplit_gpu_irq_ops vsplit_engine_irq_ops;

/* vsplit_paging.c; the rest is in vsplit_mm.h */
struct dma_fence *vsplit_paging_push(struct vsplit_job *job, u64 context, u64 seqno);

#endif /* _VSPLIT_EXEC_TYPES_H_ */
