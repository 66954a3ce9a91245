/* tests/bench/gemm_bench.c: the speed of matrix products, one JSON line each.
 *
 *     gemm_bench              the shapes of networks, with 1 and with 2 threads: GFLOP/s and the share of the peak
 *     gemm_bench sweep [n]    n random shapes (500) in turn with OpenBLAS, if libopenblas.so.0 can be loaded
 *     gemm_bench one NT 1600 512 2048
 *
 * The peak is measured by a loop of independent multiply-adds in turn with the product, with as many threads: both are
 * medians of the same moments, since a processor's clock may change by a third from one second to the next. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/kernels/gemm/gemm.h"
#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the peak: 12 independent sums (AVX2), 24 (AVX-512) ---- */

enum { STEPS = 200000 };
static volatile float sink;

#if defined(__x86_64__)
#define PEAK(name, features, bytes, sums)                                             \
    __attribute__((target(features))) static double name(void) {                      \
        typedef float vector __attribute__((vector_size(bytes)));                     \
        vector sum[sums], x = (vector){0} + 1e-9f, y = (vector){0} + 1.5f;            \
        _Pragma("GCC unroll 32") for (int i = 0; i < sums; i++) sum[i] = (vector){0}; \
        for (int step = 0; step < STEPS; step++) {                                    \
            _Pragma("GCC unroll 32") for (int i = 0; i < sums; i++) {                 \
                __asm__("vfmadd231ps %1, %2, %0" : "+v"(sum[i]) : "v"(x), "v"(y));    \
            }                                                                         \
        }                                                                             \
        _Pragma("GCC unroll 32") for (int i = 0; i < sums; i++) sink = sum[i][0];     \
        return 2.0 * sums * (bytes / 4) * STEPS;                                      \
    }
PEAK(peak_avx2, "avx2,fma", 32, 12)
PEAK(peak_avx512, "avx512f", 64, 24)
static double some_flops(void) {
    return tg_isa() == TG_ISA_AVX512 ? peak_avx512() : tg_isa() == TG_ISA_AVX2 ? peak_avx2() : 0;
}
#else
static double some_flops(void) {
    return 0;
}
#endif

static void peak_range(int64_t from, int64_t to, void *context) {
    double *flops = context;
    for (int64_t i = from; i < to; i++) flops[i] = some_flops();
}

/* One short run, in GFLOP/s. */
static double peak(void) {
    double flops[64] = {0};
    const int items = tg_num_threads();
    const double start = seconds();
    tg_parallel(items, 1, peak_range, flops);
    return flops[0] * items / (seconds() - start) / 1e9;
}

/* ---- one product ---- */

typedef struct Shape {
    char form[3]; /* NN, NT, TN, TT: T: transposed */
    int64_t M, N, K, batch;
    const char *what;
} Shape;

static float *numbers(int64_t count) {
    float *x = aligned_alloc(64, (size_t)(count * 4 + 127) / 64 * 64);
    for (int64_t i = 0; i < count; i++) x[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
    return x;
}

typedef void Blas(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                  int ldb, float beta, float *c, int ldc);

typedef struct Case {
    Shape s;
    float *a, *b, *c;
    Blas *blas;
} Case;

static void ours(const Case *x) {
    const Shape *s = &x->s;
    const bool ta = s->form[0] == 'T', tb = s->form[1] == 'T';
    const tg_Product p = {s->M, s->N, s->K, {x->a, ta ? 1 : s->K, ta ? s->M : 1}, {x->b, tb ? 1 : s->N, tb ? s->K : 1},
                          {x->c, s->N, 1}, {NULL, 0, 0}, NULL, NULL, NULL};
    const tg_Batch batch = {1, {s->batch}, {s->M * s->K}, {s->K * s->N}, {s->M * s->N}, {0}};
    if (s->batch == 1) tg_gemm(false, &p);
    else tg_gemm_batch(false, &p, &batch);
}

static void blas(const Case *x) {
    const int M = (int)x->s.M, N = (int)x->s.N, K = (int)x->s.K;
    const bool ta = x->s.form[0] == 'T', tb = x->s.form[1] == 'T';
    x->blas(101, ta ? 112 : 111, tb ? 112 : 111, M, N, K, 1, x->a, ta ? M : K, x->b, tb ? K : N, 0, x->c, N);
}

static double flops_of(const Shape *s) {
    return 2.0 * (double)s->M * (double)s->N * (double)s->K * (double)s->batch;
}

static Case make(Shape s) {
    if (!s.batch) s.batch = 1;
    return (Case){s, numbers(s.batch * s.M * s.K), numbers(s.batch * s.K * s.N), numbers(s.batch * s.M * s.N), NULL};
}

static void drop(Case *x) {
    free(x->a);
    free(x->b);
    free(x->c);
}

static double time_of(void (*run)(const Case *), const Case *x, int times) {
    const double start = seconds();
    for (int i = 0; i < times; i++) run(x);
    return (seconds() - start) / times;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quartiles of n times. */
static void quartiles(double *t, int n, double q[3]) {
    qsort(t, (size_t)n, sizeof *t, by_size);
    for (int i = 0; i < 3; i++) q[i] = t[(n - 1) * (i + 1) / 4];
}

/* Enough repetitions for the clock's resolution. */
static int times_for(const Shape *s, double least) {
    const double one = flops_of(s) / 80e9 / tg_num_threads();
    return one > least ? 1 : (int)(least / one) + 1;
}

static void report(Shape shape) {
    enum { REPEATS = 15 };
    Case x = make(shape);
    double t[REPEATS], tops[REPEATS], q[3], of_tops[3];
    const int times = times_for(&x.s, 0.002);
    time_of(ours, &x, 1 + times / 4);
    for (int i = 0; i < REPEATS; i++) {
        tops[i] = peak();
        t[i] = time_of(ours, &x, times);
    }
    quartiles(t, REPEATS, q);
    quartiles(tops, REPEATS, of_tops);
    const double rate = flops_of(&x.s) / q[1] / 1e9, top = flops_of(&x.s) / t[0] / 1e9;
    char many[32] = "";
    if (x.s.batch > 1) snprintf(many, sizeof many, "%lldx", (long long)x.s.batch);
    printf("{\"name\":\"gemm.%s.%s%lldx%lldx%lld\",\"threads\":%d,\"median_ms\":%.4f,\"q1_ms\":%.4f,\"q3_ms\":%.4f,"
           "\"gflops\":%.1f,\"best_gflops\":%.1f,\"peak_gflops\":%.1f,\"peak_percent\":%.1f}\n",
           x.s.form, many, (long long)x.s.M, (long long)x.s.N, (long long)x.s.K, tg_num_threads(), q[1] * 1e3,
           q[0] * 1e3, q[2] * 1e3, rate, top, of_tops[1], of_tops[1] > 0 ? 100 * rate / of_tops[1] : 0);
    fflush(stdout);
    drop(&x);
}

/* ---- the lists ---- */

static const int64_t squares[] = {64, 128, 256, 384, 512, 768, 1024, 1536, 2048};
static const int64_t layers[][3] = {{640, 128, 128},  {640, 256, 128},   {320, 512, 512},
                                    {1600, 512, 512}, {1600, 2048, 512}, {1600, 512, 2048}};
static const char *const forms[] = {"NN", "NT", "TN", "TT"};
static const Shape others[] = {
    {"TN", 128, 128, 640, 1, "dW"}, {"TN", 512, 512, 1600, 1, "dW"}, {"TN", 2048, 512, 1600, 1, "dW"},
    {"NT", 512, 10000, 512, 1, "logits"}, {"TN", 10000, 512, 320, 1, "dW"}, {"NN", 320, 512, 10000, 1, "dx"},
    {"NT", 1, 512, 512, 1, "skinny"}, {"NT", 4, 512, 512, 1, "skinny"}, {"NT", 16, 512, 512, 1, "skinny"},
    {"NT", 32, 512, 2048, 1, "skinny"}, {"NN", 32, 2048, 512, 1, "skinny"}, {"NT", 32, 2, 64, 1, "skinny"},
    {"NT", 640, 2, 128, 1, "skinny"}, {"NT", 50, 50, 64, 256, "q k^T"}, {"NN", 50, 64, 50, 256, "w v"},
    {"NT", 20, 20, 32, 128, "q k^T"}, {"NN", 20, 32, 20, 128, "w v"}};

static void all_shapes(const char *only) {
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
        for (int f = 0; f < 4; f++) {
            Shape s = {"", squares[i], squares[i], squares[i], 1, "square"};
            strcpy(s.form, forms[f]);
            if (!only || strstr("squares", only)) report(s);
        }
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        for (int f = 0; f < 4; f++) {
            Shape s = {"", layers[i][0], layers[i][1], layers[i][2], 1, "layer"};
            strcpy(s.form, forms[f]);
            if (!only || strstr("layers", only)) report(s);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!only || strstr("others", only)) report(others[i]);
}

/* ---- in turn with OpenBLAS ---- */

static uint64_t random_state = 42;
static double uniform(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* Each size up to 4096, as often between 16 and 32 as between 2048 and 4096; products too large for the time are drawn
 * again. */
static Shape draw(void) {
    Shape s = {.batch = 1, .what = "random"};
    do {
        s.M = (int64_t)exp2(4 + 8 * uniform());
        s.N = (int64_t)exp2(4 + 8 * uniform());
        s.K = (int64_t)exp2(4 + 8 * uniform());
    } while (flops_of(&s) > 4e9);
    strcpy(s.form, forms[(int)(4 * uniform())]);
    return s;
}

/* A shape, and its times: ours and OpenBLAS's. */
enum { ROUNDS = 7 };
typedef struct Timed {
    Shape s;
    double t[2][ROUNDS];
} Timed;

/* OpenBLAS's threads spin for 110 ms after a product by default and would take a processor from ours; set to 2^22
 * cycles, 2 ms, as ours spin. */
static void let_threads_sleep(void) {
    if (tg_num_threads() > 1) nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* One of each in turn, after some to warm up: until a thread that slept has come, which may take milliseconds in a
 * virtual machine. */
static void time_both(Timed *timed, int round, Blas *sgemm) {
    Case x = make(timed->s);
    x.blas = sgemm;
    const int times = times_for(&x.s, 0.001);
    void (*const both[])(const Case *) = {ours, blas};
    for (int w = 0; w < 2; w++) {
        let_threads_sleep();
        const double end = seconds() + (tg_num_threads() > 1 ? 0.005 : 0);
        do time_of(both[w], &x, 1);
        while (seconds() < end);
        timed->t[w][round] = time_of(both[w], &x, times);
    }
    drop(&x);
}

/* OpenBLAS's median over ours; printed where ours is more than 5 % slower. */
static double ratio_of(Timed *timed, int threads) {
    double q[2][3];
    for (int w = 0; w < 2; w++) quartiles(timed->t[w], ROUNDS, q[w]);
    const double ratio = q[1][1] / q[0][1];
    if (ratio < 0.95)
        printf("{\"name\":\"gemm.sweep.%s.%lldx%lldx%lld\",\"threads\":%d,\"median_ms\":%.4f,\"openblas_ms\":%.4f,"
               "\"ratio\":%.3f}\n",
               timed->s.form, (long long)timed->s.M, (long long)timed->s.N, (long long)timed->s.K, threads,
               q[0][1] * 1e3, q[1][1] * 1e3, ratio);
    return ratio;
}

/* The repeats of a shape are one round over all shapes apart, so that a short slowdown of the machine affects one of
 * them. */
static int sweep(int count, int threads) {
    setenv("OPENBLAS_THREAD_TIMEOUT", "22", 0);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library) return printf("{\"name\":\"gemm.sweep\",\"error\":\"no libopenblas.so.0\"}\n"), 0;
    Blas *sgemm = NULL;
    void (*set_threads)(int) = NULL;
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    set_threads(threads);
    double *ratios = malloc((size_t)count * sizeof *ratios);
    Timed *timed = malloc((size_t)count * sizeof *timed);
    int within_5 = 0, within_15 = 0;
    for (int i = 0; i < count; i++) timed[i].s = draw();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) time_both(&timed[i], round, sgemm);
    for (int i = 0; i < count; i++) {
        ratios[i] = ratio_of(&timed[i], threads);
        within_5 += ratios[i] >= 0.95;
        within_15 += ratios[i] >= 0.85;
    }
    qsort(ratios, (size_t)count, sizeof *ratios, by_size);
    printf("{\"name\":\"gemm.sweep\",\"threads\":%d,\"shapes\":%d,\"within_5\":%.1f,\"within_15\":%.1f,\"worst\":%.3f,"
           "\"median\":%.3f}\n",
           threads, count, 100.0 * within_5 / count, 100.0 * within_15 / count, ratios[0], ratios[count / 2]);
    free(timed);
    free(ratios);
    return 0;
}

int main(int argc, char **argv) {
    const char *wish = getenv("TAPEGRAD_NUM_THREADS");
    if (argc > 1 && strcmp(argv[1], "sweep") == 0) {
        tg_set_num_threads(wish ? atoi(wish) : 1);
        return sweep(argc > 2 ? atoi(argv[2]) : 500, tg_num_threads());
    }
    for (int threads = 1; threads <= 2; threads++) {
        if (wish && atoi(wish) != threads) continue;
        tg_set_num_threads(threads);
        if (argc > 5) {
            Shape s = {"", atoll(argv[3]), atoll(argv[4]), atoll(argv[5]), argc > 6 ? atoll(argv[6]) : 1, "one"};
            strncpy(s.form, argv[2], 2);
            report(s);
        } else {
            all_shapes(argc > 1 ? argv[1] : NULL);
        }
    }
    return 0;
}
