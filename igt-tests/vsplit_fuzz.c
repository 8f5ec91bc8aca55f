// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit fuzz
 * Description: Runs random programs of calls, guided by the coverage of the module. The kernel must
 *   not complain, nothing may be left afterwards, and a client that takes no part must not lose a
 *   byte.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: stress test
 *
 * A program is up to 64 steps on a fresh pair of clients. A step is an ioctl from the table of the
 * interface, or something else that a process does. The arguments of a step come from its seed
 * alone; in three steps of four they are all valid. A step may have a property: the Nth thing
 * fails, the Nth wait is interrupted, or the step runs beside those that follow, and may be held on
 * its way. A program may be killed in its midst. Programs that reach new blocks of the module are
 * kept, and changed copies of them are tried next. The run begins with the programs of
 * vsplit_fuzz_seeds.h, each of which is written for a purpose, and those of vsplit_fuzz_corpus.h,
 * which reached much when they were put there.
 *
 * Before they run, the next eight programs are written to "fuzz-last" (in $VSPLIT_SHARE/out, which
 * the host sees, or in the working directory). After a crash, one of these is to blame;
 * scripts/fuzz-shrink finds it, and makes it smaller. In the environment: VSPLIT_SEED (default 1),
 * VSPLIT_CALLS (number of system calls on the driver), VSPLIT_SECONDS (time limit), VSPLIT_WORLDS
 * (only programs in these worlds, as "8,11,12"), VSPLIT_REPLAY (a file whose programs are run ten
 * times). At the end "fuzz-corpus" has the programs that were kept, each of which found blocks that
 * no program before it had found.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_fuzz.h"
#include "igt_vsplit_kcov.h"

#include <dirent.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Runs random programs of calls, guided by the coverage of the module.");

#define U 4096ull
#define MAX_KEPT 8192
#define WORKERS 2
#define BATCH 8

static const char *const seeds[] = {
#include "vsplit_fuzz_seeds.h"
	NULL
};

static const char *const corpus[] = {
#include "vsplit_fuzz_corpus.h"
	NULL
};

/* ---- worlds ------------------------------------------------------------- */

static const struct vsplit_adapter_opts worlds[VSPLIT_FUZZ_WORLDS] = {
	{ .segs = { { "vram", .size = 16 * U } }, .slots = 8, .timeout_ms = 100, .lru = true,
	  .test = true },
	{ .segs = { { "vram", .size = 16 * U }, { "gart", true, .size = 16 * U } },
	  .slots = 8, .engines = 2, .timeout_ms = 100, .paging_own = true,
	  .contexts = "patch,explicit", .test = true },
	{ .segs = { { "vram", .size = 8 * U, .cpu = "none" }, { "low", .size = 16 * U, .commit = 12 * U } },
	  .slots = 8, .timeout_ms = 100, .lru = true, .save_restore = true, .lenient = true,
	  .test = true },
	{ .segs = { { "vram", .size = 32 * U } }, .slots = 8, .timeout_ms = 100,
	  .leak_detection = true, .model_clock = true, .test = true },
	{ .segs = { { "tiles", .size = 16 * U, .ranges = 2 }, { "gart", true, .size = 8 * U } },
	  .slots = 8, .timeout_ms = 100, .test = true },
	{ .segs = { { "tiles", .size = 12 * U, .cpu = "16384", .ranges = 1 },
		    { "more", .size = 8 * U, .ranges = 3 }, { "hidden", .size = 8 * U, .cpu = "none" } },
	  .slots = 16, .engines = 2, .timeout_ms = 100, .save_restore = true,
	  .paging_own = true, .model_clock = true, .test = true },
	{ .segs = { { "gart", true, .size = 16 * U, .commit = 12 * U }, { "vram", .size = 12 * U },
		    { "agp", true, .size = 16 * U } },
	  .slots = 8, .timeout_ms = 100, .aperture_limit = 20 * U,
	  .contexts = "patch,explicit", .test = true },
	{ .segs = { { "vram", .size = 20 * U, .cpu = "32768" } }, .slots = 6, .timeout_ms = 100,
	  .test = true },
	/* A PCI device if there is one, else this adapter. */
	{ .segs = { { "vram", .size = 16 * U, .ranges = 1 }, { "gart", true, .size = 16 * U } },
	  .slots = 8, .timeout_ms = 100, .lenient = true, .heads = 1, .test = true },
	/* Not in test mode. */
	{ .segs = { { "vram", .size = 16 * U }, { "gart", true, .size = 16 * U } },
	  .slots = 8, .timeout_ms = 100, .lru = true, .paging_own = true },
	/* Room for long lists. */
	{ .segs = { { "vram", .size = 96 * U, .ranges = 2 }, { "gart", true, .size = 64 * U },
		    { "agp", true, .size = 64 * U } },
	  .slots = 64, .timeout_ms = 100, .lru = true, .aperture_limit = 48 * U, .test = true },
	/*
	 * First heads with room for their pictures; then with too little room, and with held
	 * vblanks.
	 */
	{ .segs = { { "vram", .size = 64 * U, .ranges = 1 }, { "gart", true, .size = 32 * U } },
	  .slots = 8, .engines = 2, .timeout_ms = 100, .heads = 2, .test = true },
	{ .segs = { { "vram", .size = 12 * U }, { "gart", true, .size = 16 * U } },
	  .slots = 8, .timeout_ms = 100, .lru = true, .paging_own = true, .model_clock = true,
	  .heads = 2, .test = true },
};

static struct vsplit_adapter *ads[VSPLIT_FUZZ_WORLDS];
static struct vsplit_adapter pci_ad;
static char pci_name[32];

static void find_pci(void)
{
	DIR *d = opendir("/sys/bus/pci/drivers/vsplit");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strchr(e->d_name, ':') && strlen(e->d_name) < sizeof(pci_name))
			strcpy(pci_name, e->d_name);
	if (d)
		closedir(d);
}

static void use_pci(void)
{
	char path[96];

	if (!pci_name[0])
		return;
	/* An id given to the driver is lost when the module is loaded again. */
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override", pci_name);
	igt_assert_eq(__vsplit_write_file(path, "vsplit"), 0);
	pci_ad.opts = worlds[VSPLIT_FUZZ_PCI];
	pci_ad.render = -1;
	pci_ad.primary = -1;
	ads[VSPLIT_FUZZ_PCI] = &pci_ad;
	vsplit_fuzz_ad = &pci_ad;
	vsplit_fuzz_pci = pci_name;
	vsplit_fuzz_rebind();
	igt_assert_f(pci_ad.render >= 0 && pci_ad.primary >= 0, "%s is no adapter\n", pci_name);
}

static void make_worlds(void)
{
	for (unsigned int i = 0; i < VSPLIT_FUZZ_WORLDS; i++)
		if (!ads[i])
			ads[i] = vsplit_adapter_create(&worlds[i]);
	for (unsigned int i = 0; i < VSPLIT_FUZZ_WORLDS; i++)
		vsplit_fuzz_kms_find(ads[i]);
}

static void enter_world(unsigned int world)
{
	vsplit_fuzz_ad = ads[world];
	vsplit_fuzz_ad2 = ads[(world + 1) % VSPLIT_FUZZ_WORLDS];
	vsplit_fuzz_pci = ads[world] == &pci_ad ? pci_name : NULL;
}

/* ---- running ------------------------------------------------------------ */

/* The parts of a run that take time. */
enum phase {
	PHASE_NEXT,
	PHASE_OPEN,
	PHASE_STEPS,
	PHASE_WAIT,
	PHASE_CLOSE,
	PHASE_KILL,
	PHASE_RESET,
	PHASE_COLLECT,
	PHASE_CHECK,
	PHASES
};

static const char *const phase_names[PHASES] = {
	"choosing programs", "opening clients", "steps", "waiting for other threads",
	"closing clients", "programs that are killed", "resetting", "coverage", "checking",
};

/* Figures for the ledger, and times, to see what takes long. Children add to them, too. */
static struct tally {
	uint64_t calls;		/* system calls on the driver */
	uint64_t steps, refused, programs, killed, beside, held, fired[VSPLIT_INJECT_KINDS];
	uint64_t phase_ns[PHASES];
	uint64_t by_call[OTHER_END], refused_by_call[OTHER_END], ns[OTHER_END];
	uint64_t errors[256];	/* of DRM_IOCTL_VSPLIT_SUBMIT */
} *done;

static void add(uint64_t *to, uint64_t n)
{
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

/* Ends a phase that began at @since. */
static uint64_t phase(enum phase which, uint64_t since)
{
	uint64_t now = vsplit_now_ns();

	done->phase_ns[which] += now - since;
	return now;
}

static void tally_start(void)
{
	if (!done)
		done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(done != MAP_FAILED);
	memset(done, 0, sizeof(*done));
	vsplit_fuzz_counter = &done->calls;
}

static bool have[VSPLIT_INJECT_KINDS], has_prop[PROP_END];
static char sync_points[64][64];
static unsigned int nr_sync_points;

static int run_call(const struct vsplit_fuzz_step *s)
{
	struct vsplit_rng rng = { s->seed };
	struct vsplit_fuzz_client *c = &vsplit_fuzz_clients[vsplit_fuzz_dice(&rng, 4)];
	uint64_t t0 = vsplit_now_ns();
	int ret;

	vsplit_fuzz_clean = !vsplit_fuzz_dice(&rng, 4);
	vsplit_fuzz_counting = true;
	ret = s->call < OTHER_FIRST ? vsplit_fuzz_driver(c, s->call, &rng) :
				      vsplit_fuzz_other(c, s->call, &rng);
	vsplit_fuzz_counting = false;
	add(&done->steps, 1);
	add(&done->by_call[s->call], 1);
	add(&done->ns[s->call], vsplit_now_ns() - t0);
	if (ret) {
		add(&done->refused, 1);
		add(&done->refused_by_call[s->call], 1);
		if (s->call == DRM_VSPLIT_SUBMIT)
			add(&done->errors[-ret & 255], 1);
	}
	return ret;
}

/* Threads that run steps beside the rest, one step at a time each. */
static struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct vsplit_fuzz_step step;
	bool pending, end;
} workers[WORKERS];

static bool coverage;

static void *worker_run(void *arg)
{
	struct worker *w = arg;

	if (coverage)
		vsplit_kcov_join();
	pthread_mutex_lock(&w->lock);
	while (!w->end) {
		if (w->pending) {
			struct vsplit_fuzz_step s = w->step;

			pthread_mutex_unlock(&w->lock);
			run_call(&s);
			pthread_mutex_lock(&w->lock);
			w->pending = false;
			pthread_cond_broadcast(&w->changed);
		} else {
			pthread_cond_wait(&w->changed, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	vsplit_fuzz_inject_close();
	return NULL;
}

/* Waits until the worker's step is done, or for @us at most. */
static void worker_wait_for(struct worker *w, unsigned int us)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += us * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&w->lock);
	while (w->pending &&
	       pthread_cond_clockwait(&w->changed, &w->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&w->lock);
}

static void worker_wait(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->pending)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

static void workers_wait(void)
{
	for (unsigned int i = 0; i < WORKERS; i++)
		worker_wait(&workers[i]);
}

static void workers_start(void)
{
	for (unsigned int i = 0; i < WORKERS; i++) {
		struct worker *w = &workers[i];

		memset(w, 0, sizeof(*w));
		pthread_mutex_init(&w->lock, NULL);
		pthread_cond_init(&w->changed, NULL);
		igt_assert_eq(pthread_create(&w->thread, NULL, worker_run, w), 0);
	}
}

static void workers_end(void)
{
	void *ret;

	for (unsigned int i = 0; i < WORKERS; i++) {
		struct worker *w = &workers[i];

		pthread_mutex_lock(&w->lock);
		w->end = true;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
		igt_assert_eq(pthread_join(w->thread, &ret), 0);
	}
}

static struct worker *run_beside(const struct vsplit_fuzz_step *s)
{
	struct worker *w = &workers[s->seed % WORKERS];

	worker_wait(w);
	pthread_mutex_lock(&w->lock);
	w->step = *s;
	w->pending = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	add(&done->beside, 1);
	return w;
}

/* Runs the step by a worker, and holds it for a moment if it comes to a certain point. */
static void run_held(const struct vsplit_fuzz_step *s)
{
	const char *point = sync_points[s->nth % nr_sync_points];

	/* Otherwise an earlier step could be held instead. */
	workers_wait();
	vsplit_fuzz_hold_point(point, true);
	worker_wait_for(run_beside(s), 500 + s->seed % 2000);
	vsplit_fuzz_hold_point(point, false);
	add(&done->held, 1);
}

static void run_injected(const struct vsplit_fuzz_step *s, enum vsplit_inject kind)
{
	vsplit_fuzz_arm(kind, s->nth);
	run_call(s);
	add(&done->fired[kind], vsplit_fuzz_disarm(kind));
}

/* Repeats the step with the first failure, then the second, until there are no more. */
static void run_swept(const struct vsplit_fuzz_step *s, enum vsplit_inject kind)
{
	struct vsplit_fuzz_step step = *s;
	uint64_t before;

	for (step.nth = 1; step.nth <= s->nth; step.nth++) {
		before = done->fired[kind];
		run_injected(&step, kind);
		if (done->fired[kind] == before)
			break;
	}
}

/*
 * All clients share what these steps change: no client runs beside them, and nothing is injected.
 */
static bool is_alone(unsigned int call)
{
	return call == OTHER_REOPEN || call == OTHER_UNBIND || call == OTHER_UNMAP ||
	       call == OTHER_HOOKS || call == OTHER_DYING || call == OTHER_MANY ||
	       call == OTHER_CLOCK || call == OTHER_CGROUP;
}

/*
 * Does the step call the driver with the process's mmap lock held? Then a task that wants to
 * release a held task would wait for that lock.
 */
static bool holds_mm(unsigned int call)
{
	return call == OTHER_TOUCH || call == OTHER_POKE || call == OTHER_REMAP ||
	       call == OTHER_LOCKED || call == OTHER_DMABUF || call == OTHER_MAP ||
	       (call >= OTHER_WRONG && call < OTHER_KMS_FB);
}

/* dma_buf_vmap() warns of each error of the exporter, and thus of a lack of memory. */
static bool fails_loudly(unsigned int call)
{
	return call == OTHER_IMPORT || call == OTHER_EXPORT || call == OTHER_FOREIGN;
}

static bool is_prop(const struct vsplit_fuzz_step *s, enum vsplit_fuzz_prop prop,
		    enum vsplit_inject kind)
{
	return s->prop == prop && have[kind] &&
	       (kind != VSPLIT_INJECT_KERNEL || !fails_loudly(s->call));
}

static void run_step(const struct vsplit_fuzz_step *s, bool threads)
{
	if (is_alone(s->call) && threads)
		workers_wait();
	if (s->call == OTHER_UNBIND && (is_prop(s, PROP_SITES, VSPLIT_INJECT_SITE) ||
					is_prop(s, PROP_KERNELS, VSPLIT_INJECT_KERNEL))) {
		/* Until nothing fails any more, the adapter may stay unbound. */
		run_swept(s, s->prop == PROP_SITES ? VSPLIT_INJECT_SITE : VSPLIT_INJECT_KERNEL);
		vsplit_fuzz_rebind();
	} else if (is_alone(s->call)) {
		run_call(s);
	} else if (is_prop(s, PROP_SITE, VSPLIT_INJECT_SITE)) {
		run_injected(s, VSPLIT_INJECT_SITE);
	} else if (is_prop(s, PROP_INTERRUPT, VSPLIT_INJECT_WAIT)) {
		run_injected(s, VSPLIT_INJECT_WAIT);
	} else if (is_prop(s, PROP_KERNEL, VSPLIT_INJECT_KERNEL)) {
		run_injected(s, VSPLIT_INJECT_KERNEL);
	} else if (is_prop(s, PROP_SITES, VSPLIT_INJECT_SITE)) {
		run_swept(s, VSPLIT_INJECT_SITE);
	} else if (is_prop(s, PROP_WAITS, VSPLIT_INJECT_WAIT)) {
		run_swept(s, VSPLIT_INJECT_WAIT);
	} else if (is_prop(s, PROP_KERNELS, VSPLIT_INJECT_KERNEL)) {
		run_swept(s, VSPLIT_INJECT_KERNEL);
	} else if (s->prop == PROP_HELD && threads && nr_sync_points && !holds_mm(s->call)) {
		run_held(s);
	} else if ((s->prop == PROP_BESIDE || s->prop == PROP_HELD) && threads) {
		run_beside(s);
	} else {
		run_call(s);
	}
}

static void run_steps(const struct vsplit_fuzz_program *p, bool threads)
{
	uint64_t t = vsplit_now_ns();

	vsplit_fuzz_counting = true;
	for (unsigned int i = 0; i < 2; i++)
		vsplit_fuzz_open(&vsplit_fuzz_clients[i]);
	vsplit_fuzz_counting = false;
	t = phase(PHASE_OPEN, t);
	for (unsigned int i = 0; i < p->nr; i++)
		run_step(&p->steps[i], threads);
	t = phase(PHASE_STEPS, t);
	if (threads)
		workers_wait();
	t = phase(PHASE_WAIT, t);
	vsplit_fuzz_counting = true;
	for (unsigned int i = 0; i < 2; i++)
		vsplit_fuzz_close(&vsplit_fuzz_clients[i]);
	vsplit_fuzz_counting = false;
	phase(PHASE_CLOSE, t);
}

static int last_file = -1;

/* Writes down the next programs, all at once, because a write takes longer than a step. */
static void write_down(const struct vsplit_fuzz_program *p, unsigned int nr)
{
	static char text[BATCH * VSPLIT_FUZZ_TEXT];
	static int longest;
	int n = 0;

	for (unsigned int i = 0; i < nr; i++)
		n += vsplit_fuzz_print(&p[i], text + n);
	/* Overwrite the rest of a longer text with spaces. */
	if (n < longest)
		memset(text + n, ' ', longest - n);
	else
		longest = n;
	if (last_file >= 0)
		igt_assert_eq(pwrite(last_file, text, longest, 0), longest);
}

/* Waits until a child ends by itself, or for @us at most. */
static void child_wait_for(pid_t pid, unsigned int us)
{
	struct timespec until = { .tv_nsec = us * 1000 };
	struct pollfd file = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };

	igt_assert(file.fd >= 0);
	ppoll(&file, 1, &until, NULL);
	close(file.fd);
}

static void run_killed(const struct vsplit_fuzz_program *p)
{
	uint64_t t = vsplit_now_ns();
	pid_t pid = fork();
	int status;

	igt_assert(pid >= 0);
	if (!pid) {
		vsplit_kcov_child();
		vsplit_fuzz_inject_forget();
		vsplit_fuzz_other_start();
		run_steps(p, false);
		_exit(0);
	}
	child_wait_for(pid, p->kill_us);
	kill(pid, SIGKILL);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	add(&done->killed, WIFSIGNALED(status));
	/* The killed program may have left anything set. */
	vsplit_fuzz_env.dirty = true;
	/* It may have been killed between unbind and bind. */
	if (vsplit_fuzz_unbinds(p))
		vsplit_fuzz_rebind();
	phase(PHASE_KILL, t);
}

static void run_program(const struct vsplit_fuzz_program *p)
{
	uint64_t t;

	enter_world(p->world);
	done->programs++;
	if (p->kill_us)
		run_killed(p);
	else
		run_steps(p, true);
	t = vsplit_now_ns();
	vsplit_fuzz_other_end();
	phase(PHASE_RESET, t);
}

/* ---- the oracles -------------------------------------------------------- */

static struct vsplit_bo *canary;

static void set_canary(void)
{
	/* On an adapter without other clients nothing could happen to the canary. */
	canary = vsplit_bo(vsplit_adapter_open(ads[0]), 'Z', 2 * U);
	vsplit_bo_pattern(canary, 4711);
}

/* Checks that all objects of the programs are gone, and that the canary has its bytes. */
static void check(bool canary_lives)
{
	if (canary_lives)
		vsplit_bo_check(canary);
	for (unsigned int i = 0; i < VSPLIT_FUZZ_WORLDS; i++) {
		struct vsplit_counters none = {};

		if (canary_lives && i == 0) {
			none.files = 1;
			none.bos = 1;
		}
		vsplit_counters_become(ads[i], &none);
	}
}

static void find_sync_points(void)
{
	char text[8192], *line, *save;

	nr_sync_points = 0;
	if (__vsplit_read_file("/sys/kernel/debug/vsplit/fault/sync", text, sizeof(text)))
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		long long hits;
		int waiting;
		char held[8];

		/* Holding an unplug would hold up all clients. */
		if (nr_sync_points < ARRAY_SIZE(sync_points) &&
		    sscanf(line, "%lld %d %7s %63s", &hits, &waiting, held,
			   sync_points[nr_sync_points]) == 4 &&
		    strcmp(sync_points[nr_sync_points], "exec.unplug"))
			nr_sync_points++;
	}
}

static void open_out(const char *name, char *path, size_t size)
{
	const char *share = getenv("VSPLIT_SHARE");

	snprintf(path, size, "%s%s%s", share ?: "", share ? "/out/" : "", name);
}

static void start(void)
{
	char path[128];

	for (unsigned int kind = 0; kind < VSPLIT_INJECT_KINDS; kind++) {
		have[kind] = vsplit_inject_there(kind);
		if (have[kind])
			vsplit_inject_require(kind);
	}
	has_prop[PROP_NONE] = true;
	has_prop[PROP_SITE] = have[VSPLIT_INJECT_SITE];
	has_prop[PROP_INTERRUPT] = have[VSPLIT_INJECT_WAIT];
	has_prop[PROP_KERNEL] = have[VSPLIT_INJECT_KERNEL];
	has_prop[PROP_BESIDE] = true;
	has_prop[PROP_SITES] = have[VSPLIT_INJECT_SITE];
	has_prop[PROP_WAITS] = have[VSPLIT_INJECT_WAIT];
	has_prop[PROP_KERNELS] = have[VSPLIT_INJECT_KERNEL];
	if (!pci_name[0])
		find_pci();
	use_pci();
	make_worlds();
	enter_world(0);
	set_canary();
	find_sync_points();
	has_prop[PROP_HELD] = nr_sync_points;
	vsplit_fuzz_other_start();
	open_out("fuzz-last", path, sizeof(path));
	last_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	igt_assert_f(last_file >= 0, "%s\n", path);
	workers_start();
}

static void stop(void)
{
	workers_end();
	vsplit_fuzz_inject_close();
	vsplit_fuzz_hold_close();
	vsplit_fuzz_other_stop();
}

/* ---- loading ------------------------------------------------------------ */

static const char *const params[] = {
	"adapters=0",
	"adapters=2 vram=1M aperture=0 slots=8 engines=4 timeout_ms=100 paging=same test=1",
	"vram=1M aperture=1M aperture_commit=64K aperture_limit=128K clock=model victims=next-use",
	"segments=a:memory:1M:cpu=none,b:memory:64K:commit=64K:cpu=8K:ranges=2,c:aperture:1M:commit=4096",
	"save_restore=1 lenient=y leak_detection=on model_command_ns=5 model_bytes_per_us=7",
	/* Refused. */
	"vram=1", "vram=4097", "vram=", "slots=0", "slots=9999", "slots=x", "clock=x", "paging=x",
	"victims=x", "test=maybe", "adapters=17", "aperture_commit=128M", "segments=",
	"segments=a", "segments=a:memory", "segments=a:other:1M", "segments=a:memory:0",
	"segments=a:memory:1M:commit=2M", "segments=a:memory:1M:cpu=x", "segments=a:memory:1M:cpu=2M",
	"segments=a:memory:1M:ranges=99", "segments=a:memory:1M:more=1", "segments=a:memory:1M:",
	"segments=a:aperture:1M:ranges=1", "segments=a:memory:1M,a:memory:1M", "segments=:memory:1M",
	"segments=a:memory:1M,b:memory:1M,c:memory:1M,d:memory:1M,e:memory:1M,f:memory:1M,g:memory:1M",
	"segments=a-name-that-is-longer-than-any-segment-may-have:memory:1M",
	"segments=a:memory:1M:commit=x", "segments=a:memory:1M:ranges=x", "segments=a:memory:1M vram=1M",
	"segments=a?:memory:1M", "segments=a:memory:1000G", "segments=a:memory:1M:commit=0",
	"segments=a:memory:111111111111111111111111111111111111111111111111111111111111",
	"timeout_ms=x", "engines=9", "save_restore=x", "aperture_limit=5", "aperture_commit=5",
	"model_bytes_per_us=x", "victims=lru clock=real paging=own lenient=0", "vram=1000G",
	/*
	 * The first memory segment of a PCI device is its BAR: here it does not exist, or is too
	 * small.
	 */
	"segments=a:aperture:1M", "segments=a:aperture:1M,b:memory:64M:commit=32M:cpu=32M", "vram=64M",
	"segments=a:memory:64K:cpu=none,b:memory:1M",
};

/* Loads the module with all kinds of parameters, and at the end with its former ones. */
static void *load_run(void *unused)
{
	char as_it_was[64], adapters[16], test[16];

	if (__vsplit_read_file("/sys/module/vsplit/parameters/adapters", adapters,
			       sizeof(adapters)) ||
	    __vsplit_read_file("/sys/module/vsplit/parameters/test", test, sizeof(test)))
		return NULL;
	snprintf(as_it_was, sizeof(as_it_was), "adapters=%.8s test=%.8s", adapters, test);
	vsplit_kcov_join();
	for (unsigned int i = 0; i <= ARRAY_SIZE(params); i++) {
		int ret = vsplit_module_unload_soon();

		if (ret && ret != -ENOENT)
			break;
		vsplit_kcov_collect();
		ret = vsplit_module_load(i < ARRAY_SIZE(params) ? params[i] : as_it_was);
		vsplit_kcov_loaded();
		vsplit_kcov_collect();
		igt_assert_f(!ret || i < ARRAY_SIZE(params), "loading it again: %d\n", ret);
		done->steps++;
		done->refused += ret != 0;
		done->calls++;
	}
	return NULL;
}

static void load_all(void)
{
	pthread_t thread;
	void *ret;

	if (!coverage)
		return;
	vsplit_kcov_start();
	find_pci();
	igt_assert_eq(pthread_create(&thread, NULL, load_run, NULL), 0);
	igt_assert_eq(pthread_join(thread, &ret), 0);
	igt_info("%u of %u blocks by loading and unloading\n", vsplit_kcov_seen(),
		 vsplit_kcov_all());
	fflush(stdout);
}

/* ---- the search --------------------------------------------------------- */

/* Programs that reached new blocks, and how many. */
static struct {
	struct vsplit_fuzz_program p;
	unsigned int new;
} *kept;
static unsigned int nr_kept;

static void keep(const struct vsplit_fuzz_program *p, unsigned int new)
{
	if (!kept)
		kept = calloc(MAX_KEPT, sizeof(*kept));
	igt_assert(kept);
	if (nr_kept == MAX_KEPT)
		return;
	kept[nr_kept].p = *p;
	kept[nr_kept++].new = new;
}

/* Writes the findings so far, so that after a crash those of some programs ago are there. */
static void write_findings(void)
{
	char path[128], text[VSPLIT_FUZZ_TEXT];
	FILE *f;

	if (!coverage)
		return;
	open_out("fuzz-unseen.txt", path, sizeof(path));
	vsplit_kcov_write_unseen(path);
	open_out("fuzz-corpus", path, sizeof(path));
	f = fopen(path, "w");
	igt_assert_f(f, "%s\n", path);
	/* Each write goes to the host, so buffer them. */
	setvbuf(f, NULL, _IOFBF, 1 << 20);
	for (unsigned int i = 0; i < nr_kept; i++) {
		vsplit_fuzz_print(&kept[i].p, text);
		fprintf(f, "%s\n", text);
	}
	fclose(f);
}

/* The state of the thread that runs programs: KCOV needs a thread that is not the first. */
static struct {
	uint64_t want, until_ns;
	struct vsplit_rng rng;
	bool canary_lives;
} fuzz;

/* Takes a seed and a corpus program in turn, so that a short run has some of both. */
static const char *next_written(void)
{
	static const char *const *lists[] = { seeds, corpus };
	static unsigned int turn;

	for (unsigned int i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *const **list = &lists[turn++ % ARRAY_SIZE(lists)];

		if (**list)
			return *(*list)++;
	}
	return NULL;
}

static bool choose_program(struct vsplit_fuzz_program *p)
{
	const char *written = next_written();

	if (written) {
		vsplit_fuzz_parse(written, p);
	} else if (nr_kept && vsplit_rng_below(&fuzz.rng, 5)) {
		/* Choose programs of the newer half twice as often. */
		unsigned int at = vsplit_rng_below(&fuzz.rng, nr_kept);

		if (vsplit_fuzz_dice(&fuzz.rng, 2))
			at = nr_kept / 2 + at / 2;
		*p = kept[at].p;
		vsplit_fuzz_change(&fuzz.rng, p, &kept[vsplit_rng_below(&fuzz.rng, nr_kept)].p,
				   has_prop);
		p->kill_us = 0;
		vsplit_fuzz_cheapen(p);
	} else {
		vsplit_fuzz_random(&fuzz.rng, p, has_prop);
		vsplit_fuzz_cheapen(p);
	}
	if (!written && vsplit_fuzz_dice(&fuzz.rng, 12))
		p->kill_us = 1 + vsplit_rng_below(&fuzz.rng, 40000);
	/* An unbind of the first adapter would take the canary along: use another world. */
	if (p->world == 0 && vsplit_fuzz_unbinds(p))
		p->world = 1;
	return vsplit_fuzz_is_wanted(p->world);
}

static void next_program(struct vsplit_fuzz_program *p)
{
	unsigned int tries = 0;

	while (!choose_program(p))
		igt_assert_f(++tries < 10000, "VSPLIT_WORLDS names no world\n");
}

static void progress(void)
{
	static uint64_t last_ns;
	uint64_t now = vsplit_now_ns();

	if (now - last_ns < 120 * 1000000000ull)
		return;
	last_ns = now;
	igt_info("%" PRIu64 " calls, %u blocks, %u programs kept\n", done->calls,
		 vsplit_kcov_seen(), nr_kept);
	fflush(stdout);
	write_findings();
}

static void run_batch(const struct vsplit_fuzz_program *p)
{
	for (unsigned int i = 0; i < BATCH && done->calls < fuzz.want; i++) {
		unsigned int new;
		uint64_t t;

		run_program(&p[i]);
		t = vsplit_now_ns();
		if (coverage && (new = vsplit_kcov_collect()))
			keep(&p[i], new);
		else if (!coverage && done->programs % 50 == 0)
			keep(&p[i], 1);
		phase(PHASE_COLLECT, t);
	}
}

/*
 * Whether to go on after the time limit, because a slow machine has reached too little. Never in a
 * run with VSPLIT_WORLDS.
 */
static bool reached_little(void)
{
	return coverage && !getenv("VSPLIT_WORLDS") && vsplit_kcov_seen() <= vsplit_kcov_all() / 2;
}

static void *fuzz_run(void *unused)
{
	static struct vsplit_fuzz_program p[BATCH];
	unsigned int batches = 0;

	if (coverage) {
		vsplit_kcov_join();
		vsplit_kcov_prepare_child();
	}
	while (done->calls < fuzz.want && (vsplit_now_ns() < fuzz.until_ns || reached_little())) {
		uint64_t t = vsplit_now_ns();

		for (unsigned int i = 0; i < BATCH; i++)
			next_program(&p[i]);
		write_down(p, BATCH);
		phase(PHASE_NEXT, t);
		run_batch(p);
		t = vsplit_now_ns();
		if (++batches % 16 == 0)
			check(true);
		progress();
		phase(PHASE_CHECK, t);
	}
	check(true);
	vsplit_fuzz_inject_close();
	return NULL;
}

static void tell(uint64_t ns)
{
	vsplit_figure("R3", "system calls on the driver by the fuzzer", done->calls);
	vsplit_figure("R3", "steps of the fuzzer", done->steps);
	vsplit_figure("R3", "steps refused", done->refused);
	vsplit_figure("R3", "steps beside others", done->beside);
	vsplit_figure("R3", "steps held on their way", done->held);
	vsplit_figure("R3", "failures at the driver's sites by the fuzzer",
		      done->fired[VSPLIT_INJECT_SITE]);
	vsplit_figure("R3", "interrupted waits by the fuzzer", done->fired[VSPLIT_INJECT_WAIT]);
	vsplit_figure("R3", "failures in the kernel by the fuzzer",
		      done->fired[VSPLIT_INJECT_KERNEL]);
	vsplit_figure("R3", "programs killed", done->killed);
	igt_info("%" PRIu64 " programs in %.1f s: %.0f calls, %.0f steps a second\n",
		 done->programs, ns / 1e9, done->calls * 1e9 / ns, done->steps * 1e9 / ns);
	for (unsigned int i = 0; i < PHASES; i++)
		igt_info("%-25s %9.1f s\n", phase_names[i], done->phase_ns[i] / 1e9);
	for (unsigned int call = 0; call < OTHER_END; call++)
		igt_info("%-16s %8" PRIu64 " times, %8" PRIu64 " refused, %8" PRIu64 " us each\n",
			 vsplit_fuzz_call_name(call), done->by_call[call],
			 done->refused_by_call[call],
			 done->ns[call] / 1000 / (done->by_call[call] ?: 1));
	for (unsigned int i = 0; i < ARRAY_SIZE(done->errors); i++)
		if (done->errors[i])
			igt_info("SUBMIT %8" PRIu64 " times: %s\n", done->errors[i], strerror(i));
	if (!coverage)
		return;
	vsplit_kcov_collect();
	vsplit_figure("R4", "basic blocks of the module", vsplit_kcov_all());
	vsplit_figure("R4", "of these reached by the fuzzer", vsplit_kcov_seen());
	vsplit_figure("R4", "of these not reached: only if the kernel complains",
		      vsplit_kcov_complaints());
}

/*
 * Runs @want calls, but stops after @limit seconds if enough was reached by then. The environment
 * may set other values.
 */
static void run_fuzz(uint64_t want, uint64_t limit)
{
	const char *seed = getenv("VSPLIT_SEED"), *seconds = getenv("VSPLIT_SECONDS");
	pthread_t thread;
	uint64_t t;
	void *ret;

	coverage = vsplit_kcov_there();
	fuzz.want = getenv("VSPLIT_CALLS") ? strtoull(getenv("VSPLIT_CALLS"), NULL, 0) : want;
	if (seconds)
		limit = strtoull(seconds, NULL, 0);
	else if (getenv("VSPLIT_CALLS"))
		limit = 0;
	fuzz.until_ns = limit ? vsplit_now_ns() + limit * 1000000000 : ~0ull;
	fuzz.rng.state = seed ? strtoull(seed, NULL, 0) : 1;
	tally_start();
	igt_info("seed %" PRIu64 "%s\n", fuzz.rng.state, coverage ? "" : ", without coverage");
	load_all();
	start();
	t = vsplit_now_ns();
	igt_assert_eq(pthread_create(&thread, NULL, fuzz_run, NULL), 0);
	igt_assert_eq(pthread_join(thread, &ret), 0);
	stop();
	tell(vsplit_now_ns() - t);
	if (!coverage)
		return;
	write_findings();
	/* A run that reaches nothing is of no use. */
	igt_assert_f(!reached_little(), "%u of %u blocks\n",
		     vsplit_kcov_seen(), vsplit_kcov_all());
}

/* Runs the programs of a file ten times. */
static void replay(const char *path)
{
	static char text[BATCH * VSPLIT_FUZZ_TEXT];
	static struct vsplit_fuzz_program p[BATCH];
	const char *at = text;
	bool canary_lives = true;
	unsigned int nr = 0;

	igt_assert_f(!__vsplit_read_file(path, text, sizeof(text)), "%s\n", path);
	while (nr < BATCH && (at = vsplit_fuzz_parse(at, &p[nr]))) {
		canary_lives &= p[nr].world || !vsplit_fuzz_unbinds(&p[nr]);
		nr++;
	}
	igt_assert_f(nr, "%s has no program\n", path);
	tally_start();
	start();
	for (unsigned int i = 0; i < 10 * nr; i++)
		run_program(&p[i % nr]);
	check(canary_lives);
	stop();
}

/**
 * SUBTEST: programs
 * Description: Runs random programs, guided by coverage if the kernel has KCOV; or the programs of
 *   the file that VSPLIT_REPLAY names.
 */
static void test_programs(void)
{
	const char *path = getenv("VSPLIT_REPLAY");

	if (path)
		replay(path);
	else
		run_fuzz(vsplit_nightly() ? 400000 : 60000,
			 vsplit_nightly() ? 0 : vsplit_kcov_there() ? 75 : 25);
}

static const struct vsplit_subtest tests[] = {
	{ "programs", test_programs,
	  "Random programs of calls run, guided by coverage if the kernel has KCOV, or those that "
	  "VSPLIT_REPLAY names" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
