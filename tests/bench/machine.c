/* tests/bench/machine.c: the two limits that a figure is held against: the processor's multiply-adds and the memory's copy. */
#define _GNU_SOURCE /* barriers, anonymous memory */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* ---- multiply-adds ----
 * Enough independent sums to hide the latency (4 or 5 cycles, 2 a cycle), few enough to stay in registers. A constant factor
 * and addend keep the values finite: x = x * 0.999 + 0.001 goes to 1. */
enum { ROUNDS = 1 << 18 };

#define PROBE(name, Vector, SUMS, lanes, splat, fma)                                             \
    static double name(void) {                                                                   \
        Vector sum[SUMS];                                                                        \
        const Vector factor = splat(0.999f), addend = splat(0.001f);                             \
        for (int i = 0; i < SUMS; i++) sum[i] = splat((float)i);                                 \
        for (int round = 0; round < ROUNDS; round++) {                                           \
            _Pragma("GCC unroll 32") for (int i = 0; i < SUMS; i++) sum[i] = fma(sum[i], factor, addend); \
        }                                                                                        \
        Vector total = sum[0];                                                                   \
        for (int i = 1; i < SUMS; i++) total += sum[i];                                          \
        __asm__ volatile("" ::"r"(&total) : "memory");                                           \
        return 2.0 * lanes * SUMS * ROUNDS;                                                      \
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

/* ---- on several threads at once ---- */

typedef struct Share {
    pthread_t thread;
    pthread_barrier_t *start;
    char *to, *from; /* NULL: multiply-adds */
    size_t bytes;
    double rate;     /* the best of a few goes */
} Share;

static void *measure(void *argument) {
    Share *share = argument;
    if (share->to) memset(share->to, 1, share->bytes), memset(share->from, 2, share->bytes);
    pthread_barrier_wait(share->start);
    for (double begin = seconds_now(), now = begin, next; now - begin < 0.02; now = next) {
        double work = 2.0 * (double)share->bytes;
        if (share->to) memcpy(share->to, share->from, share->bytes);
        else work = probe();
        __asm__ volatile("" ::: "memory");
        next = seconds_now();
        if (work / (next - now) > share->rate) share->rate = work / (next - now);
    }
    return NULL;
}

static double together(int threads, char *memory, size_t bytes) {
    Share shares[64] = {0};
    pthread_barrier_t start;
    double sum = 0;
    if (threads > 64) threads = 64;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        size_t part = bytes / (size_t)threads;
        shares[i] = (Share){.start = &start, .bytes = part};
        if (memory) shares[i].to = memory + 2 * (size_t)i * part, shares[i].from = shares[i].to + part;
        if (pthread_create(&shares[i].thread, NULL, measure, &shares[i]) != 0) abort();
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(shares[i].thread, NULL);
        sum += shares[i].rate;
    }
    pthread_barrier_destroy(&start);
    return sum / 1e9;
}

/* The copy moves as many bytes as the line does, so that both meet the same level of the memory, but no more than half a GB. */
Machine measure_machine(int threads, double bytes) {
    Machine machine = {.gflops = together(threads, NULL, 0)};
    size_t half = (size_t)((bytes < 512e6 ? bytes : 512e6) / 2) / 4096 * 4096;
    if (half == 0) return machine;
    char *memory = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return machine;
    machine.copy_gbs = together(threads, memory, half);
    munmap(memory, 2 * half);
    return machine;
}
