/* The curves for every instruction set, and the walk from runs of any step to whole vectors; curves.inc has the curves. */
#include "curves.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "isa.h"

#define UP_TO_AVX2
#define KERNEL "curves.inc"
#include "instances.inc"

typedef void Run(int64_t n, const void *const *in, void *out, const Knobs *knobs);

enum { WHOLE = 16, ROOM = 256 }; /* elements: at least a vector of any kind; of the rooms for what is not such vectors */

/* Numbers of the same size, 4 or 8 bytes, from anywhere to anywhere. */
static void copy(int64_t n, int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step) {
    if (to_step == size && from_step == size) {
        memcpy(to, from, (size_t)(n * size));
    } else if (size == sizeof(float)) {
        for (int64_t i = 0; i < n; i++) *(float *)(void *)(to + i * to_step) = *(const float *)(const void *)(from + i * from_step);
    } else {
        for (int64_t i = 0; i < n; i++) *(double *)(void *)(to + i * to_step) = *(const double *)(const void *)(from + i * from_step);
    }
}

/* What lies side by side is run where it is, as far as whole vectors go; the rest by way of rooms of a few KB. */
static __attribute__((noinline)) void walk(Run *run, int inputs, int64_t size, int64_t n, char *const *p, const int64_t *s, const void *knobs) {
    _Alignas(64) char room[3][ROOM * sizeof(double)];
    bool side_by_side = true;
    for (int k = 0; k <= inputs; k++) side_by_side = side_by_side && s[k] == size;
    const int64_t whole = side_by_side ? n / WHOLE * WHOLE : 0;
    if (whole) run(whole, (const void *[]){p[1], p[inputs]}, p[0], knobs);
    for (int64_t i = whole, m; i < n; i += m) {
        const void *in[2];
        m = n - i < ROOM ? n - i : ROOM;
        const bool full = m % WHOLE == 0;
        for (int k = 1; k <= inputs; k++) {
            const bool as_it_lies = s[k] == size && full;
            in[k - 1] = as_it_lies ? p[k] + i * size : room[k];
            if (as_it_lies || (s[k] == 0 && i > whole)) continue;
            copy(m, size, room[k], size, p[k] + i * s[k], s[k]);
            if (!full) memset(room[k] + m * size, 0, (size_t)((WHOLE - m % WHOLE) * size));
        }
        char *out = s[0] == size && full ? p[0] + i * size : room[0];
        run(m, in, out, knobs);
        if (out == room[0]) copy(m, size, p[0] + i * s[0], s[0], room[0], size);
    }
}

/* ---- the loops: the runs of one curve for each instruction set, and how it is walked ---- */

#if defined(__x86_64__)
#define RUNS(f) f##_baseline, f##_avx2
#else
#define RUNS(f) f##_baseline, f##_baseline
#endif
#define WALK(name, inputs, size)                                                                 \
    static __attribute__((noinline)) void name(int64_t n, char *const *p, const int64_t *s, const void *knobs,           \
                                               Run *baseline, Run *avx2) {                       \
        walk(tg_isa() == TG_ISA_BASELINE ? baseline : avx2, inputs, size, n, p, s, knobs);       \
    }
WALK(walk_one_f32, 1, sizeof(float))
WALK(walk_one_f64, 1, sizeof(double))
WALK(walk_two_f32, 2, sizeof(float))
WALK(walk_two_f64, 2, sizeof(double))

#define LOOPS(f, inputs)                                                                         \
    void tg_##f##_float32(int64_t n, char *const *p, const int64_t *s, const void *knobs) {      \
        walk_##inputs##_f32(n, p, s, knobs, RUNS(f##_run_f32));                                  \
    }                                                                                            \
    void tg_##f##_float64(int64_t n, char *const *p, const int64_t *s, const void *knobs) {      \
        walk_##inputs##_f64(n, p, s, knobs, RUNS(f##_run_f64));                                  \
    }
#define VALUE_LOOPS(f) LOOPS(f, one)
#define GRADIENT_LOOPS(f) LOOPS(f, two)
TG_ALL_VALUES(VALUE_LOOPS)
TG_ALL_GRADIENTS(GRADIENT_LOOPS)
