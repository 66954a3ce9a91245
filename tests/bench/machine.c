/* tests/bench/machine.c: the two limits of the machine: the rate of multiply-adds and the speed of memcpy. */
#define _GNU_SOURCE /* barriers, anonymous memory */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "core/kernels/parallel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* ---- multiply-adds ---- Enough independent sums to hide the latency (4 or 5 cycles, 2 a cycle), few enough to stay in
 * registers. A constant factor and addend keep the values finite: x = x * 0.999 + 0.001 goes to 1. */
enum { ROUNDS = 1 << 12, PIECES = 64 };

#define PROBE(name, Vector, SUMS, lanes, splat, fma)                                                      \
    static double name(void) {                                                                            \
        Vector sum[SUMS];                                                                                 \
        const Vector factor = splat(0.999f), addend = splat(0.001f);                                      \
        for (int i = 0; i < SUMS; i++) sum[i] = splat((float)i);                                          \
        for (int round = 0; round < ROUNDS; round++) {                                                    \
            _Pragma("GCC unroll 32") for (int i = 0; i < SUMS; i++) sum[i] = fma(sum[i], factor, addend); \
        }                                                                                                 \
        Vector total = sum[0];                                                                            \
        for (int i = 1; i < SUMS; i++) total += sum[i];                                                   \
        __asm__ volatile("" ::"r"(&total) : "memory");                                                    \
        return 2.0 * lanes * SUMS * ROUNDS;                                                               \
    }

typedef float Four __attribute__((vector_size(16)));
#if defined(__aarch64__)
#define SPLAT4(x) vdupq_n_f32(x)
#define FMA4(a, b, c) vfmaq_f32(c, a, b)
PROBE(probe_baseline, float32x4_t, 24, 4, SPLAT4, FMA4)
#else
#define SPLAT4(x) ((Four){x, x, x, x})
#define MUL_ADD4(a, b, c) ((a) * (b) + (c))
PROBE(probe_baseline, Four, 12, 4, SPLAT4, MUL_ADD4)
#endif
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) PROBE(probe_avx2, __m256, 12, 8, _mm256_set1_ps, _mm256_fmadd_ps)
__attribute__((target("avx512f"))) PROBE(probe_avx512, __m512, 24, 16, _mm512_set1_ps, _mm512_fmadd_ps)
#endif

static double probe(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return probe_avx512();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return probe_avx2();
#endif
    return probe_baseline();
}

/* On the library's threads, in chunks of some 10 us, as for the chunks of a product. */
static void probe_range(int64_t from, int64_t to, void *work) {
    for (int64_t i = from; i < to; i++) ((double *)work)[i] = probe();
}

double measure_gflops(void) {
    static double work[PIECES * TG_MAX_THREADS];
    int64_t pieces = (int64_t)PIECES * t_get_num_threads();
    double begin = seconds_now(), sum = 0;
    tg_parallel(pieces, 1, probe_range, work);
    double end = seconds_now();
    for (int64_t i = 0; i < pieces; i++) sum += work[i];
    return sum / (end - begin) / 1e9;
}

/* ---- copying, on several threads at once ---- */

enum { MOST_THREADS = 64, MOST_GOES = 64 };

typedef struct Share {
    pthread_t thread;
    pthread_barrier_t *start;
    char *to, *from;
    size_t bytes;
    double rate; /* the median of some runs */
} Share;

static void *copy(void *argument) {
    Share *share = argument;
    double rates[MOST_GOES];
    int count = 0;
    memset(share->to, 1, share->bytes);
    memset(share->from, 2, share->bytes);
    pthread_barrier_wait(share->start);
    for (double begin = seconds_now(), now = begin, next; count < MOST_GOES && now - begin < 0.03; now = next) {
        memcpy(share->to, share->from, share->bytes);
        __asm__ volatile("" ::: "memory");
        next = seconds_now();
        rates[count++] = 2.0 * (double)share->bytes / (next - now);
    }
    share->rate = quantile(rates, count, 0.5);
    return NULL;
}

/* As many bytes as the benchmark line moves, so that both use the same level of the memory hierarchy, at most half a
 * GB. */
double measure_copy_gbs(int threads, double bytes) {
    Share shares[MOST_THREADS] = {0};
    pthread_barrier_t start;
    double sum = 0;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    size_t part = (size_t)((bytes < 512e6 ? bytes : 512e6) / 2 / threads) / 4096 * 4096;
    if (part == 0) return 0;
    char *memory = mmap(NULL, 2 * part * (size_t)threads, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        char *own = memory + 2 * part * (size_t)i;
        shares[i] = (Share){.start = &start, .to = own, .from = own + part, .bytes = part};
        if (pthread_create(&shares[i].thread, NULL, copy, &shares[i]) != 0) abort();
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(shares[i].thread, NULL);
        sum += shares[i].rate;
    }
    pthread_barrier_destroy(&start);
    munmap(memory, 2 * part * (size_t)threads);
    return sum / 1e9;
}
