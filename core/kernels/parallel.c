/* A pool of threads that divide one job at a time.
 *
 * The caller publishes a job and takes part in it. Each thread has a share of it, the same one of each job of that size: what it
 * wrote in the last one it finds in its own cache. It takes its share piece by piece, and then what the others have left of theirs,
 * so a thread that was late or slow does less, and nobody waits for a worker that has not begun: the job is closed when its pieces
 * are gone, and the caller only waits for those that are inside.
 *
 * The gate is one word: bit 0, the job is open; the bits above it count the workers inside; the rest numbers the jobs. A
 * worker enters by adding itself to a gate that is open, and only then reads the job, so a job never changes under a
 * reader.
 *
 * A worker without a job spins for some milliseconds, since the next job of a training step is near, and then sleeps on a
 * condition: to wake it takes some 30 us. While it spins it offers its processor to whoever else wants it, and with more
 * threads than processors it does not spin at all. A worker that fewer threads than before leave over sleeps until there
 * are more again. */
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
    pthread_mutex_t one_job, sleep; /* who may publish, and hire; guards the conditions */
    pthread_cond_t wake, more;      /* there is a job; more threads are wanted */
    atomic_uint_fast64_t gate;
    atomic_int sleeping, wanted, stop; /* wanted: threads, 0: not asked yet */
    atomic_int processors, refused;    /* refused: at this number of workers the system gave no more */
    int workers;
    atomic_int ready; /* workers that have what they need */
    pthread_t threads[TG_MOST_THREADS];

    /* the job */
    tg_Stretch stretch;
    void *context;
    int64_t grain;
    int shares;
} pool = {.one_job = PTHREAD_MUTEX_INITIALIZER, .sleep = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER,
          .more = PTHREAD_COND_INITIALIZER, .refused = TG_MOST_THREADS};

/* The job's shares, each in a cache line of its own. (Not in the pool, which is not 0 at first: the file would be longer by them.) */
typedef struct Share {
    _Alignas(64) atomic_int_fast64_t next; /* that nobody has taken */
    int64_t end;
} Share;
static Share shares[TG_MOST_THREADS];

static _Thread_local bool inside_a_job;

/* ---- how many ---- */

static int processors(void) {
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* TAPEGRAD_NUM_THREADS, if it is a whole number above 0; else 0. */
static long asked_for(void) {
    const char *wish = getenv("TAPEGRAD_NUM_THREADS");
    char *end;
    if (!wish) return 0;
    long threads = strtol(wish, &end, 10); /* too large a one gives LONG_MAX */
    return end != wish && !*end && threads > 0 ? threads : 0;
}

static int within_bounds(long threads) {
    return threads < 1 ? 1 : threads > TG_MOST_THREADS ? TG_MOST_THREADS : (int)threads;
}

int tg_num_threads(void) {
    int threads = atomic_load_explicit(&pool.wanted, memory_order_relaxed), unknown = 0;
    if (threads) return threads;
    long asked = asked_for();
    threads = within_bounds(asked ? asked : processors());
    return atomic_compare_exchange_strong(&pool.wanted, &unknown, threads) ? threads : unknown; /* set by another thread */
}

void tg_set_num_threads(int threads) {
    pthread_mutex_lock(&pool.sleep);
    atomic_store(&pool.wanted, threads ? within_bounds(threads) : 0);
    atomic_store(&pool.refused, TG_MOST_THREADS);
    pthread_cond_broadcast(&pool.more);
    pthread_mutex_unlock(&pool.sleep);
}

/* ---- one job ---- */

/* Half of what is left of a share, in whole grains, so that all threads end together; 0 where none is left. */
static int64_t next_piece(Share *share, int64_t *from) {
    int64_t begin = atomic_load_explicit(&share->next, memory_order_relaxed), end;
    do {
        const int64_t left = share->end - begin, grains = left / (PIECES * pool.grain);
        if (left <= 0) return 0;
        end = begin + (grains ? grains : 1) * pool.grain;
    } while (!atomic_compare_exchange_weak_explicit(&share->next, &begin, end, memory_order_relaxed, memory_order_relaxed));
    *from = begin;
    return end < share->end ? end : share->end;
}

/* Its own share first, and then of what others have left. */
static void take_pieces(int own) {
    inside_a_job = true;
    for (int i = 0; i < pool.shares; i++) {
        Share *const share = &shares[(own + i) % pool.shares];
        for (int64_t from, to; (to = next_piece(share, &from));) pool.stretch(from, to, pool.context);
    }
    inside_a_job = false;
}

static void pause_a_little(void) {
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
    bool crowded = tg_num_threads() > atomic_load_explicit(&pool.processors, memory_order_relaxed);
    return crowded ? 0 : now_ns() + SPIN_NS;
}

static void sleep_until_job(uint64_t last) {
    pthread_mutex_lock(&pool.sleep);
    atomic_fetch_add(&pool.sleeping, 1); /* before the look at the gate: whoever opens it then looks here */
    while (!is_new_job(atomic_load(&pool.gate), last) && !atomic_load(&pool.stop)) pthread_cond_wait(&pool.wake, &pool.sleep);
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.sleep);
}

/* Until a job is open that is not the last one, or the end. */
static void wait_for_job(uint64_t last) {
    int64_t until = end_of_spin();
    for (int i = 1; !is_new_job(atomic_load_explicit(&pool.gate, memory_order_acquire), last); i++) {
        pause_a_little();
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

static bool is_surplus(int own) {
    return own >= tg_num_threads() - 1;
}

static void sleep_until_wanted(int own) {
    pthread_mutex_lock(&pool.sleep);
    while (is_surplus(own) && !atomic_load(&pool.stop)) pthread_cond_wait(&pool.more, &pool.sleep);
    pthread_mutex_unlock(&pool.sleep);
}

static void *work(void *number) {
    const int own = tg_gemm_reserve() ? (int)(intptr_t)number : TG_MOST_THREADS; /* without its rooms it is not wanted */
    uint64_t last = 0;
    atomic_fetch_add(&pool.ready, 1);
    while (!atomic_load(&pool.stop)) {
        if (is_surplus(own)) sleep_until_wanted(own);
        wait_for_job(last);
        uint64_t gate = atomic_load(&pool.gate);
        if (!is_new_job(gate, last) || !atomic_compare_exchange_strong(&pool.gate, &gate, gate + ONE_INSIDE)) continue;
        take_pieces(own + 1);
        atomic_fetch_sub(&pool.gate, ONE_INSIDE);
        last = gate / ONE_JOB;
    }
    tg_gemm_drain(); /* what its products took */
    return NULL;
}

/* After fork a child has no workers, whatever its memory says. */
static void begin_again(void) {
    pthread_mutex_init(&pool.one_job, NULL);
    pthread_mutex_init(&pool.sleep, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.more, NULL);
    atomic_store(&pool.gate, 0);
    atomic_store(&pool.sleeping, 0);
    pool.workers = 0;
    atomic_store(&pool.ready, 0);
    inside_a_job = false;
}

static void wake_all(void) {
    pthread_mutex_lock(&pool.sleep);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.sleep);
}

/* A library that is unloaded, and a program that ends, take the threads along. A job that another thread still runs then
 * keeps its workers. */
__attribute__((destructor)) static void end(void) {
    if (pthread_mutex_trylock(&pool.one_job) != 0) return;
    atomic_store(&pool.stop, 1);
    wake_all();
    tg_set_num_threads(tg_num_threads()); /* wakes those that are left over */
    while (pool.workers) pthread_join(pool.threads[--pool.workers], NULL);
    pthread_mutex_unlock(&pool.one_job);
}

/* A worker takes no signals: they are for the program's own threads. */
static bool hire_one(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&pool.threads[pool.workers], NULL, work, (void *)(intptr_t)pool.workers);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* As many workers as can be had; without any the caller does all the work. */
static void hire(int workers) {
    static bool prepared;
    if (!prepared) pthread_atfork(NULL, NULL, begin_again);
    prepared = true;
    atomic_store(&pool.processors, processors());
    while (pool.workers < workers && pool.workers < atomic_load(&pool.refused)) {
        if (hire_one()) pool.workers++;
        else atomic_store(&pool.refused, pool.workers); /* until the number of threads is set again */
    }
    while (atomic_load(&pool.ready) < pool.workers) sched_yield(); /* from here on no worker asks for memory */
}

/* ---- the caller ---- */

static void publish_and_take_part(int64_t n, int64_t grain, int threads, tg_Stretch stretch, void *context) {
    pool.stretch = stretch;
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
    take_pieces(0);
    atomic_fetch_sub(&pool.gate, OPEN);
    for (int i = 1; atomic_load_explicit(&pool.gate, memory_order_acquire) & INSIDE; i++) {
        pause_a_little();
        if (i % 64 == 0) sched_yield();
    }
}

void tg_parallel(int64_t n, int64_t grain, tg_Stretch stretch, void *context) {
    if (n <= 0) return;
    const int threads = n > grain && !inside_a_job ? tg_num_threads() : 1;
    if (threads == 1 || pthread_mutex_trylock(&pool.one_job) != 0) {
        stretch(0, n, context);
        return;
    }
    if (pool.workers < threads - 1 && !atomic_load(&pool.stop)) hire(threads - 1);
    publish_and_take_part(n, grain, threads, stretch, context);
    pthread_mutex_unlock(&pool.one_job);
}
