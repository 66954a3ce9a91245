/* The curves for every instruction set, as loops; curves.inc and pairs.inc have the curves. */
#include <math.h>

#include "curves_walk.h"
#include "isa.h"

/* x86-64 without AVX2 has its floats made as doubles, or there would be a third instance of everything for what hardly a
 * processor is. */
#define UP_TO_AVX2
#define BASELINE_OF_DOUBLES_ONLY
#define KERNEL "curves.inc"
#include "instances.inc"

#include "curves_library.inc"

/* ---- the loops: the runs of one curve for each instruction set, and how it is walked ---- */

#if defined(__x86_64__)
#define RUNS(f, type) f##_run_f64_baseline, f##_run_##type##_avx2
#define LIBRARY_RUNS(f) f##_run_f64, f##_run_f32_avx2
enum { WIDEN = true };
#else
#define RUNS(f, type) f##_run_##type##_baseline, f##_run_##type##_baseline
#define LIBRARY_RUNS(f) f##_run_f32_baseline, f##_run_f32_baseline
enum { WIDEN = false };
#endif
#define WALK(name, inputs, in, out, widen)                                                       \
    static __attribute__((noinline)) void name(int64_t n, char *const *p, const int64_t *s, const void *knobs,           \
                                               Run *baseline, Run *avx2) {                       \
        static const Shape shape = {inputs, in, out, false}, wide = {inputs, in, out, widen};    \
        const bool base = tg_isa() == TG_ISA_BASELINE;                                           \
        tg_walk_curve(base ? baseline : avx2, base ? &wide : &shape, n, p, s, knobs);                     \
    }
WALK(walk_1_f32, 1, 4, 4, WIDEN)
WALK(walk_1_f64, 1, 8, 8, false)
WALK(walk_2_f32, 2, 4, 4, WIDEN)
WALK(walk_2_f64, 2, 8, 8, false)
WALK(walk_3_f32, 3, 4, 4, WIDEN)
WALK(walk_3_f64, 3, 8, 8, false)
WALK(ask_1_f32, 1, 4, 1, WIDEN)
WALK(ask_1_f64, 1, 8, 1, false)
WALK(ask_2_f32, 2, 4, 1, WIDEN)
WALK(ask_2_f64, 2, 8, 1, false)
WALK(walk_2_bool, 2, 1, 1, false)

#define LOOP(f, how, ...)                                                                        \
    void tg_##f(int64_t n, char *const *p, const int64_t *s, const void *knobs) {                \
        how(n, p, s, knobs, __VA_ARGS__);                                                              \
    }
#define BOTH(f, how) LOOP(f##_float32, how##_f32, RUNS(f, f32)) LOOP(f##_float64, how##_f64, RUNS(f, f64))
#define LIBRARY(f, how)                                                                          \
    LOOP(f##_float32, how##_f32, LIBRARY_RUNS(f)) LOOP(f##_float64, how##_f64, f##_run_f64, f##_run_f64)
#define ONE(f) BOTH(f, walk_1)
#define LIBRARY_ONE(f) LIBRARY(f, walk_1)
#define TWO(f) BOTH(f, walk_2)
#define LIBRARY_TWO(f) LIBRARY(f, walk_2)
#define THREE(f) BOTH(f, walk_3)
#define ASK_ONE(f) BOTH(f, ask_1)
#define ASK_TWO(f) BOTH(f, ask_2) LOOP(f##_int64, ask_2_f64, RUNS(f##_int64, f64))
#define WHOLE_ONE(f) LOOP(f##_int64, walk_1_f64, RUNS(f##_int64, f64))
#define WHOLE_TWO(f) LOOP(f##_int64, walk_2_f64, RUNS(f##_int64, f64))
#define BOOL_TWO(f) LOOP(f##_bool, walk_2_bool, RUNS(f##_int64, f64))

/* Sums, products and quotients of fewer numbers than make a vector are not worth a walk. */
#define FEW_FIRST(f, how, T, operator, ...)                                                      \
    void tg_##f(int64_t n, char *const *p, const int64_t *s, const void *knobs) {                \
        if (n >= 32 / (int64_t)sizeof(T)) how(n, p, s, knobs, __VA_ARGS__);                      \
        else for (int64_t i = 0; i < n; i++)                                                     \
            *(T *)(p[0] + i * s[0]) = *(const T *)(p[1] + i * s[1]) operator *(const T *)(p[2] + i * s[2]); \
    }
#define ARITHMETIC(f, operator)                                                                  \
    FEW_FIRST(f##_float32, walk_2_f32, float, operator, RUNS(f, f32))                            \
    FEW_FIRST(f##_float64, walk_2_f64, double, operator, RUNS(f, f64))
ARITHMETIC(plus, +)
ARITHMETIC(minus, -)
ARITHMETIC(times, *)
ARITHMETIC(over, /)
TG_ALL_VALUES(ONE)
TG_ALL_LIBRARY_VALUES(LIBRARY_ONE)
TG_ALL_GRADIENTS(TWO)
TG_ALL_PAIRS(TWO)
TG_ALL_LIBRARY_PAIRS(LIBRARY_TWO)
TG_ALL_TRIPLES(THREE)
TG_ALL_QUESTIONS(ASK_ONE)
TG_ALL_COMPARISONS(ASK_TWO)
LOOP(holds_int64, ask_1_f64, RUNS(holds_int64, f64))
LOOP(clamp_int64, walk_3_f64, RUNS(clamp_int64, f64))
TG_ALL_WHOLE_VALUES(WHOLE_ONE)
TG_ALL_WHOLE(WHOLE_TWO)
TG_ALL_OF_BOOLS(BOOL_TWO)
