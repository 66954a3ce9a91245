/* tests/torture/threads.c: many threads at once. Usage: torture_threads [threads [rounds]]
 *
 * Each part is run by that many threads: each trains its own model; they hand tensors over; they end with live objects;
 * they take turns with one model; they read through data loaders with workers. Meanwhile the main thread changes the
 * number of threads of the pool and forks: the children train too. All numbers must be those of one thread alone, and
 * nothing may be left, which the sanitizer's search for leaks shows. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { SEEDS = 4, STEPS = 3, MOST = 1024 };

static int threads = 8;
static atomic_int failures;

#define EXPECT(condition, ...)              \
    do {                                    \
        if (!(condition)) {                 \
            atomic_fetch_add(&failures, 1); \
            printf("torture_threads: ");    \
            printf(__VA_ARGS__);            \
            putchar('\n');                  \
        }                                   \
    } while (0)

/* ---- a training, whose number depends on the seed alone ---- */

static double sum_of(t_TensorList *list) {
    double sum = 0;
    for (int64_t i = 0; i < list->len; i++)
        with_scope () sum = sum * 0.75 + t_item(t_sum(t_mul(t_detach(list->items[i]), t_detach(list->items[i]))));
    return sum;
}

/* The products and elementwise ops are large enough for the pool. */
static double train(int seed) {
    double sum = 0;
    with_scope () {
        t_manual_seed((uint64_t)seed);
        nn_Sequential *model =
            nn_Sequential(nn_Linear(96, 160), nn_GELU(), nn_Dropout(0.25), nn_LayerNorm(160), nn_Linear(160, 8));
        optim_Optimizer *optimizer = seed % 2 ? optim_Adam(nn_parameters(model), .lr = 0.01)
                                              : optim_SGD(nn_parameters(model), .lr = 0.1, .momentum = 0.9);
        for_range (i, 0, STEPS) {
            Tensor *x = t_randn(160, 96), *y = t_randint(0, 8, 160), *h = nn_call(model, x);
            t_watch(x, h);
            optim_zero_grad(optimizer);
            t_backward(F_cross_entropy(h, y));
            nn_utils_clip_grad_norm_(nn_parameters(model), 1.0);
            optim_step(optimizer);
        }
        sum = sum_of(nn_parameters(model));
    }
    return sum;
}

static double alone[SEEDS];

static void *train_thread(void *argument) {
    const int id = (int)(intptr_t)argument, seed = id % SEEDS;
    const double sum = train(seed);
    EXPECT(sum == alone[seed], "thread %d, which trains, has %.17g instead of %.17g", id, sum, alone[seed]);
    return NULL;
}

/* ---- tensors that are handed over, and threads that end with live objects ---- */

static struct Handed {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int count;
    Tensor *tensors[MOST];
} handed = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

/* Gives a tensor that outlives this thread, and ends with a model, its graph, an optimizer and a loader whose iteration
 * has not ended. */
static void *give_thread(void *argument) {
    const int id = (int)(intptr_t)argument;
    Tensor *x = NULL;
    with_scope () x = t_retain(t_add(t_arange(4.0), id));
    pthread_mutex_lock(&handed.lock);
    handed.tensors[handed.count++] = x;
    pthread_cond_signal(&handed.more);
    pthread_mutex_unlock(&handed.lock);
    nn_Linear *model = nn_Linear(4, 4);
    optim_Adam(nn_parameters(model));
    Tensor *y = nn_call(model, t_ones(2, 4));
    data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(t_randn(64, 4))), .batch_size = 4,
                                              .shuffle = true, .num_workers = id % 3);
    data_Batch batch;
    data_iter(loader, &batch);
    data_iter_next(&batch);
    t_scope_open();
    t_exp(y);
    return NULL;
}

/* Takes half of them, writes to them and gives them back. */
static void *take_thread(void *argument) {
    (void)argument;
    pthread_mutex_lock(&handed.lock);
    while (handed.count == 0) pthread_cond_wait(&handed.more, &handed.lock);
    Tensor *x = handed.tensors[--handed.count];
    pthread_mutex_unlock(&handed.lock);
    double sum = 0;
    with_scope () {
        Tensor *w = t_clone(x);
        t_requires_grad_(w, true);
        t_backward(t_sum(t_mul(w, w)));
        sum = t_item(t_sum(t_sub(t_grad(w), t_mul(x, 2))));
        t_mul_(x, 1);
    }
    EXPECT(sum == 0, "a tensor that was handed over has another gradient: %g", sum);
    t_release(x);
    return NULL;
}

/* ---- one model that threads use in turn, each with its own graph ---- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static nn_Linear *shared;

static void *turn_thread(void *argument) {
    const int id = (int)(intptr_t)argument;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&turn);
        with_scope () {
            Tensor *x = t_full((1, 4), (double)(id % 5));
            t_backward(t_sum(nn_call(shared, x)));
        }
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

/* ---- data loaders with workers ---- */

static double read_all(int seed, int workers) {
    double sum = 0;
    with_scope () {
        t_manual_seed((uint64_t)seed);
        data_DataLoader *loader =
            data_DataLoader(data_TensorDataset(t_list(t_randn(40, 8), t_arange(40))), .batch_size = 7, .shuffle = true,
                            .num_workers = workers, .persistent_workers = workers > 2);
        for (int epoch = 0; epoch < 2; epoch++)
            for_batch (b, loader) sum = sum * 0.5 + t_item(t_sum(b.x)) + t_item(t_sum(t_mul(b.y, b.index)));
    }
    return sum;
}

static double read_alone[SEEDS][2]; /* with workers that live as long as the loader, which draw one seed: [1] */

static void *read_thread(void *argument) {
    const int id = (int)(intptr_t)argument, seed = id % SEEDS;
    const double sum = read_all(seed, 1 + id % 3), want = read_alone[seed][id % 3 == 2];
    EXPECT(sum == want, "thread %d, which reads, has %.17g instead of %.17g", id, sum, want);
    return NULL;
}

/* ---- the parts ---- */

static atomic_int running;
typedef struct Start {
    void *(*body)(void *);
    int id;
} Start;

static void *body_of(void *argument) {
    const Start *start = argument;
    start->body((void *)(intptr_t)start->id);
    atomic_fetch_sub(&running, 1);
    return NULL;
}

/* ThreadSanitizer cannot follow threads that the child of a process with threads creates. */
#ifdef __SANITIZE_THREAD__
#define CHILDS_THREADS(n) 1
#else
#define CHILDS_THREADS(n) (n)
#endif

/* A child of a process whose threads compute: it trains and reads, with a pool of its own, and ends. */
static void fork_one(int seed) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        t_set_num_threads(CHILDS_THREADS(1 + seed));
        _exit(train(seed) == alone[seed] && read_all(seed, CHILDS_THREADS(3) - 1) == read_alone[seed][0] ? 0 : 1);
    }
    int status = -1;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child, "no child");
    EXPECT(status == 0, "a child ended with status %x", (unsigned)status);
}

static int forks, changes;

/* Runs a thread for each id; meanwhile changes the number of threads, and with `forks_too` forks. */
static void run(void *(*body)(void *), int count, bool forks_too) {
    static pthread_t ids[MOST];
    static Start starts[MOST];
    atomic_store(&running, count);
    for (int i = 0; i < count; i++) {
        starts[i] = (Start){body, i};
        const int status = pthread_create(&ids[i], NULL, body_of, &starts[i]);
        if (status) {
            printf("torture_threads: no thread: %s\n", strerror(status));
            exit(1);
        }
    }
    for (int n = 0; atomic_load(&running) > 0 || n < 2; n++, changes++) {
        t_set_num_threads(1 + n % 7);
        if (forks_too && n % 16 == 1) fork_one(n / 16 % SEEDS), forks++;
        usleep(1000);
    }
    for (int i = 0; i < count; i++) pthread_join(ids[i], NULL);
    t_set_num_threads(2);
}

/* Sanitizers hold locks of their own that another thread may have at the fork: there the children are made while only
 * the pool runs. */
static bool may_fork(void) {
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
    return false;
#else
    return true;
#endif
}

int main(int argc, char **argv) {
    if (argc > 1) threads = atoi(argv[1]);
    const int rounds = argc > 2 ? atoi(argv[2]) : 1;
    if (threads < 1 || threads > MOST) return 2;
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int seed = 0; seed < SEEDS; seed++) {
        alone[seed] = train(seed);
        read_alone[seed][0] = read_all(seed, 0);
        read_alone[seed][1] = read_all(seed, 3);
    }
    for (int round = 0; round < rounds; round++) {
        t_set_num_threads(3);
        train(0);
        fork_one(round % SEEDS), forks++;
        run(train_thread, threads, may_fork());
        run(give_thread, threads, may_fork());
        run(take_thread, threads, false);
        run(read_thread, threads, may_fork());
        with_scope () {
            shared = nn_Linear(4, 1);
            run(turn_thread, threads, false);
            double want = 0, got = 0;
            for (int id = 0; id < threads; id++) want += 8 * 4 * (id % 5);
            got = t_item(t_sum(t_grad(shared->weight)));
            EXPECT(got == want, "threads in turn have the gradient %g instead of %g", got, want);
        }
    }
    printf("torture_threads: %d rounds of 5 parts with %d threads, %d changes of the pool, %d forks: %d findings\n",
           rounds, threads, changes, forks, atomic_load(&failures));
    return atomic_load(&failures) > 0;
}
