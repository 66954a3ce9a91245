/* tests/tensor/test_threads.c: the pool of threads (each item once, nested, two callers, fork, no thread to be had) and
 * what it must not change: the bits of a training run. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "core/kernels/gemm/gemm.h"
#include "core/kernels/parallel.h"
#include "tests/support/models/notebook_model.h"

/* A sanitizer needs memory of its own at any time, and its allocator's locks do not pass a fork. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

/* ---- each item once ---- */

enum { ITEMS = 10007 };
typedef struct Seen {
    atomic_uchar times[ITEMS];
    atomic_int wrong; /* ranges that do not begin at a multiple of the grain */
    int64_t grain;
} Seen;

static void touch(int64_t from, int64_t to, void *context) {
    Seen *seen = context;
    if (from % seen->grain) atomic_fetch_add(&seen->wrong, 1);
    for (int64_t i = from; i < to; i++) atomic_fetch_add(&seen->times[i], 1);
}

static void touch_nested(int64_t from, int64_t to, void *context) {
    Seen own = {.grain = 16};
    tg_parallel(to - from, 16, touch, &own);
    for (int64_t i = 0; i < to - from; i++)
        if (own.times[i] != 1) atomic_fetch_add(&((Seen *)context)->wrong, 1);
    touch(from, to, context);
}

static bool each_once(int64_t n, int64_t grain, tg_ParallelBody body) {
    Seen *seen = calloc(1, sizeof *seen);
    seen->grain = grain;
    tg_parallel(n, grain, body, seen);
    bool ok = seen->wrong == 0;
    for (int64_t i = 0; i < ITEMS; i++) ok = ok && seen->times[i] == (i < n);
    free(seen);
    return ok;
}

static bool all_sizes_once(void) {
    static const int64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, ITEMS}, grains[] = {1, 7, 64, ITEMS + 1};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
            if (!each_once(sizes[n], grains[g], touch)) return false;
    return true;
}

static const int counts[] = {1, 2, 3, 8, 40};
enum { COUNTS = sizeof counts / sizeof *counts };

START_TEST(each_item_runs_once) {
    for (int i = 0; i < COUNTS; i++)
        for (int round = 0; round < 20; round++) {
            t_set_num_threads(counts[i]);
            ck_assert_int_eq(t_get_num_threads(), counts[i]);
            ck_assert_msg(all_sizes_once(), "with %d threads", counts[i]);
        }
}
END_TEST

START_TEST(a_body_may_call_tg_parallel) {
    t_set_num_threads(3);
    for (int round = 0; round < 50; round++) ck_assert(each_once(ITEMS, 64, touch_nested));
}
END_TEST

/* ---- several callers ---- */

static void *call_often(void *ok) {
    for (int round = 0; round < 100; round++)
        if (!each_once(ITEMS, 64, touch)) *(bool *)ok = false;
    return NULL;
}

static void *change_often(void *unused) {
    for (int round = 0; round < 200; round++) tg_set_num_threads(counts[round % COUNTS]);
    return unused;
}

START_TEST(callers_do_not_disturb_each_other) {
    pthread_t threads[4];
    bool ok[3] = {true, true, true};
    t_set_num_threads(3);
    for (int i = 0; i < 4; i++)
        ck_assert(!pthread_create(&threads[i], NULL, i < 3 ? call_often : change_often, i < 3 ? &ok[i] : NULL));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    ck_assert(ok[0] && ok[1] && ok[2]);
}
END_TEST

/* Where A has few rows a thread keeps it packed from one part of a product to the next; another caller's product comes
 * between. */
typedef struct Products {
    int64_t m, k, n;
    float of_a;
    int rounds;
    bool ok;
} Products;

static void *multiply_often(void *context) {
    Products *t = context;
    float *a = malloc(sizeof *a * (size_t)(t->m * t->k)), *b = malloc(sizeof *b * (size_t)(t->k * t->n)),
          *c = malloc(sizeof *c * (size_t)(t->m * t->n));
    for (int64_t i = 0; i < t->m * t->k; i++) a[i] = t->of_a;
    for (int64_t i = 0; i < t->k * t->n; i++) b[i] = 2;
    const tg_Product p = {.m = t->m, .n = t->n, .k = t->k, .a = {a, 1, t->m}, .b = {b, t->n, 1}, .c = {c, t->n, 1}};
    for (int round = 0; round < t->rounds; round++) {
        tg_gemm(false, &p);
        for (int64_t i = 0; i < t->m * t->n; i++) t->ok = t->ok && c[i] == t->of_a * 2 * (float)t->k;
    }
    free(a), free(b), free(c);
    tg_gemm_drain(); /* a thread that had tensors would do so at its end */
    return NULL;
}

START_TEST(products_do_not_disturb_each_other) {
    Products few_rows = {64, 2100, 4200, 1, 12, true}, many_rows = {200, 600, 100, 3, 600, true};
    pthread_t thread;
    t_set_num_threads(2);
    ck_assert(!pthread_create(&thread, NULL, multiply_often, &many_rows));
    multiply_often(&few_rows);
    ck_assert(!pthread_join(thread, NULL));
    ck_assert(few_rows.ok && many_rows.ok);
}
END_TEST

/* ---- fork, and a system without threads to give ---- */

/* fork here, compute in the child; true where that went well. */
static bool child_computes(bool (*compute)(void)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(compute() ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

START_TEST(a_child_has_threads_of_its_own) {
    t_set_num_threads(3);
    ck_assert(child_computes(all_sizes_once)); /* before there is a worker, */
    ck_assert(all_sizes_once() && child_computes(all_sizes_once)); /* while they spin, */
    usleep(20000);
    ck_assert(child_computes(all_sizes_once) && all_sizes_once()); /* and while they sleep */
}
END_TEST

START_TEST(a_child_of_a_busy_parent_computes) {
    pthread_t thread;
    bool ok = true;
    t_set_num_threads(3);
    ck_assert(!pthread_create(&thread, NULL, call_often, &ok));
    for (int i = 0; i < 5; i++) ck_assert(child_computes(all_sizes_once));
    pthread_join(thread, NULL);
    ck_assert(ok);
}
END_TEST

/* TAPEGRAD_NUM_THREADS: a positive integer, at most the largest number of threads; else there are as many as
 * processors. 0 has it read again. */
START_TEST(the_environment_has_a_number_of_threads) {
    const char *before = getenv("TAPEGRAD_NUM_THREADS");
    char *kept = before ? strdup(before) : NULL;
    const int64_t now = t_get_num_threads();
    unsetenv("TAPEGRAD_NUM_THREADS");
    tg_set_num_threads(0);
    const int64_t processors = t_get_num_threads();
    const struct { const char *text; int64_t threads; } rows[] = {
        {"1", 1}, {"3", 3}, {"99999999999999999999", TG_MAX_THREADS}, {"", processors}, {"0", processors},
        {"-2", processors}, {"two", processors}, {"2x", processors}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("TAPEGRAD_NUM_THREADS", rows[i].text, 1);
        tg_set_num_threads(0);
        ck_assert_msg(t_get_num_threads() == rows[i].threads, "\"%s\"", rows[i].text);
    }
    if (kept) setenv("TAPEGRAD_NUM_THREADS", kept, 1);
    else unsetenv("TAPEGRAD_NUM_THREADS");
    free(kept);
    t_set_num_threads(now);
}
END_TEST

static bool without_memory_for_stacks(void) {
    struct rlimit none = {1, 1};
    if (setrlimit(RLIMIT_AS, &none) != 0) return false;
    static Seen seen;
    seen.grain = 64;
    tg_set_num_threads(8);
    for (int round = 1; round <= 3; round++) {
        tg_parallel(ITEMS, 64, touch, &seen);
        for (int i = 0; i < ITEMS; i++)
            if (seen.times[i] != round) return false;
    }
    return true;
}

START_TEST(without_any_worker_the_caller_does_it_all) {
    ck_assert(child_computes(without_memory_for_stacks));
}
END_TEST

/* ---- how many ---- */

static bool environment_counts(void) {
    tg_set_num_threads(0);
    return tg_num_threads() == atoi(getenv("EXPECTED")) || (atoi(getenv("EXPECTED")) == 0 && tg_num_threads() >= 1);
}

START_TEST(the_number_is_checked) {
    static const char *const settings[][2] = {{"5", "5"},    {" 7", "7"}, {"99999999999999999999", "256"},
                                           {"0", "0"},    {"-3", "0"}, {"", "0"},
                                           {"many", "0"}, {"4x", "0"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        setenv("TAPEGRAD_NUM_THREADS", settings[i][0], 1);
        setenv("EXPECTED", settings[i][1], 1);
        ck_assert_msg(child_computes(environment_counts), "TAPEGRAD_NUM_THREADS=\"%s\"", settings[i][0]);
    }
    unsetenv("TAPEGRAD_NUM_THREADS");
    t_set_num_threads(2);
    ck_assert(!t_set_num_threads(0));
    expect_error("set_num_threads expects a positive integer");
    ck_assert(!t_set_num_threads(INT64_MIN) && t_get_num_threads() == 2);
    expect_error("set_num_threads expects a positive integer");
    ck_assert(t_set_num_threads(INT64_MAX) && t_get_num_threads() == TG_MAX_THREADS);
    t_set_num_threads(2);
}
END_TEST

/* ---- the same bits ---- */

static uint64_t bits_of_a_training(int threads) {
    uint64_t bits = FNV_START;
    int depth = t_scope_open();
    t_set_num_threads(threads);
    t_manual_seed(5);
    EncoderClassifier *model = encoder_classifier((ClassifierOptions){2, 128, 4, 512, 300, 64, 0.1});
    optim_Optimizer *adam = optim_Adam(nn_parameters(model), .lr = 1e-3);
    for_range (step, 0, 2) {
        Tensor *ids = t_randint(0, 300, 8, 33), *labels = t_randint(0, 2, 8);
        bits = fnv_of(train_step(model, adam, ids, labels, NULL), bits);
    }
    t_TensorList *parameters = nn_parameters(model);
    for_range (i, 0, parameters->len) bits = fnv_of(parameters->items[i], bits);
    t_scope_close(depth);
    return bits;
}

START_TEST(a_training_has_the_same_bits) {
    uint64_t one = bits_of_a_training(1);
    for (int i = 1; i < COUNTS - 1; i++)
        ck_assert_msg(bits_of_a_training(counts[i]) == one, "%d threads give other bits than one", counts[i]);
}
END_TEST

Suite *threads_suite(void);
Suite *threads_suite(void) {
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("threads");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, the_number_is_checked);
    tcase_add_test(tests, the_environment_has_a_number_of_threads);
    if (!emulated("threads of a child whose parent has some (qemu 7.2 aborts); limits of memory (qemu has none)")) {
        tcase_add_test(tests, a_child_has_threads_of_its_own);
        if (!SANITIZED) tcase_add_test(tests, without_any_worker_the_caller_does_it_all);
        if (!SANITIZED) tcase_add_test(tests, a_child_of_a_busy_parent_computes);
    }
    tcase_add_test(tests, each_item_runs_once);
    tcase_add_test(tests, a_body_may_call_tg_parallel);
    tcase_add_test(tests, callers_do_not_disturb_each_other);
    tcase_add_test(tests, products_do_not_disturb_each_other);
    tcase_add_test(tests, a_training_has_the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
