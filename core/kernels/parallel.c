/* core/kernels/parallel.c: a thread pool with work stealing, which runs one job (one parallel loop) at a time.
 *
 * The caller publishes a job and takes part in it. Each thread has a share of the items, the same one in every job of
 * the same size, so that what it wrote in the last job is in its own cache. It takes its share piece by piece, and then
 * steals from the other shares, so a thread that is late or slow does less, and nobody waits for a worker that has not
 * begun: the caller closes the job when no piece is left, and waits only for the workers that are inside.
 *
 * The gate is one 64-bit atomic: bit 0, the job is open; bits 1 to 15, the number of workers inside; the rest, the
 * number of the job. A worker enters by incrementing an open gate with compare-and-swap, and only then reads the job,
 * so a job never changes under a reader.
 *
 * An idle worker spins for some milliseconds (the next job of a training step is near), and then sleeps on a condition
 * variable: waking it takes some 30 us. While it spins it calls sched_yield, and with more threads than processors it
 * does not spin at all. When t_set_num_threads lowers the number of threads, the surplus workers sleep until it is
 * raised again. */
#define _GNU_SOURCE
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/kernels/gemm/gemm.h"

enum { OPEN = 1, ONE_INSIDE = 2, INSIDE = 0xfffe, ONE_JOB = 0x10000, SPIN_NS = 2000000, PIECES = 2 };

static struct {
    pthread_mutex_t job_lock, sleep; /* held to publish a job and to start workers; guards the condition variables */
    pthread_cond_t wake, more;       /* a job is open; the number of threads has changed */
    atomic_uint_fast64_t gate;
    atomic_int sleeping, num_threads, stop; /* num_threads 0: not read yet */
    atomic_int processors, worker_limit; /* worker_limit: pthread_create failed at this number of workers */
    int workers;
    atomic_int ready; /* workers that have allocated their workspaces */
    pthread_t threads[TG_MAX_THREADS];

    /* the job */
    tg_ParallelBody body;
    void *context;
    int64_t grain;
    int shares;
} pool = {.job_lock = PTHREAD_MUTEX_INITIALIZER, .sleep = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER,
          .more = PTHREAD_COND_INITIALIZER, .worker_limit = TG_MAX_THREADS};

/* The job's shares, each in its own cache line. Not in `pool`, which has non-zero initialisers: so they are in .bss. */
typedef struct Share {
    _Alignas(64) atomic_int_fast64_t next; /* the first item that no thread has taken */
    int64_t end;
} Share;
static Share shares[TG_MAX_THREADS];

static _Thread_local bool inside_job;

void tg_parallel_on_this_thread(void) {
    inside_job = true;
}

/* ---- the number of threads ---- */

static int processors(void) {
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* TAPEGRAD_NUM_THREADS if it is a positive integer, else 0. */
static long threads_from_environment(void) {
    const char *value = getenv("TAPEGRAD_NUM_THREADS");
    char *end;
    if (!value) return 0;
    long threads = strtol(value, &end, 10); /* LONG_MAX on overflow */
    return end != value && !*end && threads > 0 ? threads : 0;
}

static int clamp_threads(long threads) {
    return threads < 1 ? 1 : threads > TG_MAX_THREADS ? TG_MAX_THREADS : (int)threads;
}

int tg_num_threads(void) {
    int threads = atomic_load_explicit(&pool.num_threads, memory_order_relaxed), unknown = 0;
    if (threads) return threads;
    long asked = threads_from_environment();
    threads = clamp_threads(asked ? asked : processors());
    /* set by another thread */
    return atomic_compare_exchange_strong(&pool.num_threads, &unknown, threads) ? threads : unknown;
}

void tg_set_num_threads(int threads) {
    pthread_mutex_lock(&pool.sleep);
    atomic_store(&pool.num_threads, threads ? clamp_threads(threads) : 0);
    atomic_store(&pool.worker_limit, TG_MAX_THREADS);
    pthread_cond_broadcast(&pool.more);
    pthread_mutex_unlock(&pool.sleep);
}

/* ---- one job ---- */

/* Takes half of the rest of a share, in whole grains (guided scheduling, so that all threads end together). Returns the
 * end of the piece, 0 where nothing is left. */
static int64_t next_piece(Share *share, int64_t *from) {
    int64_t begin = atomic_load_explicit(&share->next, memory_order_relaxed), end;
    do {
        const int64_t left = share->end - begin, grains = left / (PIECES * pool.grain);
        if (left <= 0) return 0;
        end = begin + (grains ? grains : 1) * pool.grain;
    } while (!atomic_compare_exchange_weak_explicit(&share->next, &begin, end, memory_order_relaxed,
                                                    memory_order_relaxed));
    *from = begin;
    return end < share->end ? end : share->end;
}

/* The thread's own share first, then work stealing from the others. */
static void run_pieces(int index) {
    inside_job = true;
    for (int i = 0; i < pool.shares; i++) {
        Share *const share = &shares[(index + i) % pool.shares];
        for (int64_t from, to; (to = next_piece(share, &from));) pool.body(from, to, pool.context);
    }
    inside_job = false;
}

static void cpu_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the workers ---- */

static bool is_new_job(uint64_t gate, uint64_t last) {
    return (gate & OPEN) && gate / ONE_JOB != last;
}

static int64_t end_of_spin(void) {
    bool oversubscribed = tg_num_threads() > atomic_load_explicit(&pool.processors, memory_order_relaxed);
    return oversubscribed ? 0 : now_ns() + SPIN_NS;
}

static void sleep_until_job(uint64_t last) {
    pthread_mutex_lock(&pool.sleep);
    atomic_fetch_add(&pool.sleeping, 1); /* before the gate is read: a caller opens the gate, then reads `sleeping` */
    while (!is_new_job(atomic_load(&pool.gate), last) && !atomic_load(&pool.stop))
        pthread_cond_wait(&pool.wake, &pool.sleep);
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.sleep);
}

/* Returns when a job other than the last one is open, or when the pool stops. */
static void wait_for_job(uint64_t last) {
    int64_t until = end_of_spin();
    for (int i = 1; !is_new_job(atomic_load_explicit(&pool.gate, memory_order_acquire), last); i++) {
        cpu_pause();
        if (i % 64) continue;
        if (atomic_load_explicit(&pool.stop, memory_order_relaxed)) return;
        if (now_ns() < until) {
            sched_yield();
        } else {
            sleep_until_job(last);
            until = end_of_spin(); /* that job may be gone already, and the next one near */
        }
    }
}

static bool is_surplus(int index) {
    return index >= tg_num_threads() - 1;
}

static void sleep_until_needed(int index) {
    pthread_mutex_lock(&pool.sleep);
    while (is_surplus(index) && !atomic_load(&pool.stop)) pthread_cond_wait(&pool.more, &pool.sleep);
    pthread_mutex_unlock(&pool.sleep);
}

static void *worker_main(void *number) {
    const int index = tg_gemm_reserve() ? (int)(intptr_t)number : TG_MAX_THREADS; /* no workspace: surplus */
    uint64_t last = 0;
    atomic_fetch_add(&pool.ready, 1);
    while (!atomic_load(&pool.stop)) {
        if (is_surplus(index)) sleep_until_needed(index);
        wait_for_job(last);
        uint64_t gate = atomic_load(&pool.gate);
        if (!is_new_job(gate, last) || !atomic_compare_exchange_strong(&pool.gate, &gate, gate + ONE_INSIDE)) continue;
        run_pieces(index + 1);
        atomic_fetch_sub(&pool.gate, ONE_INSIDE);
        last = gate / ONE_JOB;
    }
    tg_gemm_drain(); /* frees this thread's workspaces */
    return NULL;
}

/* After fork a child has no worker threads: resets the pool's state. */
static void reset_after_fork(void) {
    pthread_mutex_init(&pool.job_lock, NULL);
    pthread_mutex_init(&pool.sleep, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.more, NULL);
    atomic_store(&pool.gate, 0);
    atomic_store(&pool.sleeping, 0);
    pool.workers = 0;
    atomic_store(&pool.ready, 0);
    inside_job = false;
}

static void wake_all(void) {
    pthread_mutex_lock(&pool.sleep);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.sleep);
}

/* Stops and joins the workers when the library is unloaded or the program exits; not if another thread still runs a
 * job then. */
__attribute__((destructor)) static void stop_workers(void) {
    if (pthread_mutex_trylock(&pool.job_lock) != 0) return;
    atomic_store(&pool.stop, 1);
    wake_all();
    tg_set_num_threads(tg_num_threads()); /* wakes the surplus workers */
    while (pool.workers) pthread_join(pool.threads[--pool.workers], NULL);
    pthread_mutex_unlock(&pool.job_lock);
}

/* Workers block all signals, so that these are delivered to the program's own threads. */
static bool start_worker(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&pool.threads[pool.workers], NULL, worker_main, (void *)(intptr_t)pool.workers);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* Starts up to `workers` workers; without any the caller does all the work. */
static void start_workers(int workers) {
    static bool prepared;
    if (!prepared) pthread_atfork(NULL, NULL, reset_after_fork);
    prepared = true;
    atomic_store(&pool.processors, processors());
    while (pool.workers < workers && pool.workers < atomic_load(&pool.worker_limit)) {
        if (start_worker()) pool.workers++;
        else atomic_store(&pool.worker_limit, pool.workers); /* until tg_set_num_threads */
    }
    while (atomic_load(&pool.ready) < pool.workers) sched_yield(); /* workers do not allocate after this */
}

/* ---- the caller ---- */

static void run_job(int64_t n, int64_t grain, int threads, tg_ParallelBody body, void *context) {
    pool.body = body;
    pool.context = context;
    pool.grain = grain;
    const int64_t grains = (n + grain - 1) / grain;
    pool.shares = grains < threads ? (int)grains : threads;
    for (int i = 0; i < pool.shares; i++) {
        const int64_t end = (i + 1) * grains / pool.shares * grain;
        atomic_store_explicit(&shares[i].next, i * grains / pool.shares * grain, memory_order_relaxed);
        shares[i].end = end < n ? end : n;
    }
    uint64_t gate = (atomic_load(&pool.gate) / ONE_JOB + 1) * ONE_JOB;
    atomic_store(&pool.gate, gate | OPEN);
    if (atomic_load(&pool.sleeping)) wake_all();
    run_pieces(0);
    atomic_fetch_sub(&pool.gate, OPEN);
    for (int i = 1; atomic_load_explicit(&pool.gate, memory_order_acquire) & INSIDE; i++) {
        cpu_pause();
        if (i % 64 == 0) sched_yield();
    }
}

void tg_parallel(int64_t n, int64_t grain, tg_ParallelBody body, void *context) {
    if (n <= 0) return;
    const int threads = n > grain && !inside_job ? tg_num_threads() : 1;
    if (threads == 1 || pthread_mutex_trylock(&pool.job_lock) != 0) {
        body(0, n, context);
        return;
    }
    if (pool.workers < threads - 1 && !atomic_load(&pool.stop)) start_workers(threads - 1);
    run_job(n, grain, threads, body, context);
    pthread_mutex_unlock(&pool.job_lock);
}
