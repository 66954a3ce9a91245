/* The curves for every instruction set, as loops; elementwise.inc and binary.inc have the curves. */
#include <math.h>
#include <string.h>

#include "core/kernels/elementwise/elementwise_strided.h"
#include "core/kernels/isa.h"

#include "core/kernels/elementwise/elementwise_libm.inc"

/* x86-64 without AVX2 has its floats made as doubles, or there would be a third instance of everything for what hardly a
 * processor is. */
#define UP_TO_AVX2
#define BASELINE_OF_DOUBLES_ONLY
#define KERNEL "core/kernels/elementwise/elementwise.inc"
#include "core/kernels/dispatch.inc"

/* ---- the loops: a curve for each instruction set, and how it is walked ---- */

/* Who runs a curve without AVX2 and with it: itself (NULL), or a run that calls it for each vector or number. Without AVX2 floats
 * may be made as doubles. */
typedef struct How {
    Run *baseline, *avx2;
    Shape shape;
    bool widen;
} How;

static __attribute__((noinline)) void walk(int64_t n, char *const *p, const int64_t *s, const void *knobs,
                                           Curve *of_baseline, Curve *of_avx2, const How *how) {
    const bool base = tg_isa() == TG_ISA_BASELINE;
    Curve *curve = base ? of_baseline : of_avx2;
    Run *run = base ? how->baseline : how->avx2;
    Shape shape = how->shape;
    shape.widen = base && how->widen;
    tg_walk_curve(run ? run : (Run *)curve, curve, &shape, n, p, s, knobs);
}

#define WALK(name, inputs, in, out, widen, ...)                                                  \
    static __attribute__((noinline)) void name(int64_t n, char *const *p, const int64_t *s, const void *knobs, \
                                               Curve *of_baseline, Curve *of_avx2) {             \
        static const How how = {__VA_ARGS__, {inputs, in, out, false}, widen};                   \
        walk(n, p, s, knobs, of_baseline, of_avx2, &how);                                        \
    }
#if defined(__x86_64__)
enum { WIDEN = true };
#define EACH each_f64_baseline, each_f64_avx2
#define EACH_ONE each_f64_baseline, each_one_f64_avx2
#define EACH_LIGHT each_f64_baseline, NULL
#define EACH_ANSWER each_answer_f64_baseline, NULL
#define LIBRARY(run) run, NULL
#define OF(f) (Curve *)f##_of_f64_baseline, (Curve *)f##_of_f64_avx2
#define RUNS(f, type) (Curve *)f##_of_f64_baseline, (Curve *)f##_run_##type##_avx2
#define LIBRARY_RUNS(f, of_doubles) (Curve *)of_doubles, (Curve *)f##_run_f32_avx2
#define LIBRARY_OF(f, of_doubles) (Curve *)of_doubles, (Curve *)f##_of_f64_avx2
#define LIBRARY_EACH two_by_two, each_f64_avx2
#define LIBRARY_EACH_ONE one_by_one, each_one_f64_avx2
#else
enum { WIDEN = false };
#define EACH each_f64_baseline, each_f64_baseline
#define EACH_ONE each_one_f64_baseline, each_one_f64_baseline
#define EACH_LIGHT NULL, NULL
#define EACH_ANSWER NULL, NULL
#define LIBRARY(run) NULL, NULL
#define OF(f) (Curve *)f##_of_f64_baseline, (Curve *)f##_of_f64_baseline
#define RUNS(f, type) (Curve *)f##_run_##type##_baseline, (Curve *)f##_run_##type##_baseline
#define LIBRARY_RUNS(f, of_doubles) (Curve *)f##_run_f32_baseline, (Curve *)f##_run_f32_baseline
#if defined(__aarch64__)
#define LIBRARY_OF(f, of_doubles) OF(f)
#define LIBRARY_EACH EACH
#define LIBRARY_EACH_ONE EACH_ONE
#else
#define LIBRARY_OF(f, of_doubles) (Curve *)of_doubles, (Curve *)of_doubles
#define LIBRARY_EACH two_by_two, two_by_two
#define LIBRARY_EACH_ONE one_by_one, one_by_one
#endif
#endif
WALK(walk_1_f32, 1, 4, 4, WIDEN, EACH_LIGHT)
WALK(walk_2_f32, 2, 4, 4, WIDEN, EACH_LIGHT)
WALK(walk_3_f32, 3, 4, 4, WIDEN, EACH_LIGHT)
WALK(ask_1_f32, 1, 4, 1, WIDEN, EACH_ANSWER)
WALK(ask_2_f32, 2, 4, 1, WIDEN, EACH_ANSWER)
WALK(library_1_f32, 1, 4, 4, WIDEN, LIBRARY(one_by_one))
WALK(library_2_f32, 2, 4, 4, WIDEN, LIBRARY(two_by_two))
WALK(walk_1_f64, 1, 8, 8, false, EACH_LIGHT)
WALK(walk_2_f64, 2, 8, 8, false, EACH_LIGHT)
WALK(walk_3_f64, 3, 8, 8, false, EACH_LIGHT)
WALK(each_1_f64, 1, 8, 8, false, EACH_ONE)
WALK(each_2_f64, 2, 8, 8, false, EACH)
WALK(ask_1_f64, 1, 8, 1, false, EACH_ANSWER)
WALK(ask_2_f64, 2, 8, 1, false, EACH_ANSWER)
WALK(library_1_f64, 1, 8, 8, false, LIBRARY_EACH_ONE)
WALK(library_2_f64, 2, 8, 8, false, LIBRARY_EACH)
WALK(one_by_one_f64, 1, 8, 8, false, one_by_one, one_by_one)
WALK(walk_2_bool, 2, 1, 1, false, EACH_LIGHT)
WALK(divide, 2, 8, 8, false, LIBRARY(wholes_by_wholes))

#define LOOP(f, how, ...)                                                                        \
    void tg_##f(int64_t n, char *const *p, const int64_t *s, const void *knobs) {                \
        how(n, p, s, knobs, __VA_ARGS__);                                                        \
    }
#define LIGHT(f, how) LOOP(f##_float32, how##_f32, RUNS(f, f32)) LOOP(f##_float64, how##_f64, RUNS(f, f64))
#define ONE(f) LOOP(f##_float32, walk_1_f32, RUNS(f, f32)) LOOP(f##_float64, each_1_f64, OF(f))
#define TWO(f) LOOP(f##_float32, walk_2_f32, RUNS(f, f32)) LOOP(f##_float64, each_2_f64, OF(f))
#define LIGHT_ONE(f) LIGHT(f, walk_1)
#define LIGHT_TWO(f) LIGHT(f, walk_2)
#define LIGHT_THREE(f) LIGHT(f, walk_3)
#define LIBRARY_ONE(f, of_doubles)                                                               \
    LOOP(f##_float32, library_1_f32, LIBRARY_RUNS(f, of_doubles)) LOOP(f##_float64, library_1_f64, LIBRARY_OF(f, of_doubles))
#define LIBRARY_TWO(f, of_doubles)                                                               \
    LOOP(f##_float32, library_2_f32, LIBRARY_RUNS(f, of_doubles)) LOOP(f##_float64, library_2_f64, LIBRARY_OF(f, of_doubles))
#define RARE_LIBRARY_ONE(f, of_doubles)                                                          \
    LOOP(f##_float32, library_1_f32, LIBRARY_RUNS(f, of_doubles))                                \
    LOOP(f##_float64, one_by_one_f64, (Curve *)of_doubles, (Curve *)of_doubles)
#define ASK_ONE(f) LIGHT(f, ask_1)
#define ASK_TWO(f) LIGHT(f, ask_2) LOOP(f##_int64, ask_2_f64, RUNS(f##_int64, f64))
#define WHOLE_ONE(f) LOOP(f##_int64, walk_1_f64, RUNS(f##_int64, f64))
#define WHOLE_TWO(f) LOOP(f##_int64, walk_2_f64, RUNS(f##_int64, f64))
#define BOOL_TWO(f) LOOP(f##_bool, walk_2_bool, RUNS(f##_int64, f64))

/* Sums, products, quotients and shifts of few numbers, or of such as stand apart, are not worth a walk (none are a question). */
#define FEW_FIRST(f, how, T, expression, ...)                                                    \
    void tg_##f(int64_t n, char *const *p, const int64_t *s, const void *knobs) {                \
        if ((uint64_t)n - 1 >= 15 && (s[1] | s[2]) <= (int64_t)sizeof(T)) how(n, p, s, knobs, __VA_ARGS__);    \
        else for (int64_t i = 0; i < n; i++) {                                                   \
            const T a = *(const T *)(p[1] + i * s[1]), b = *(const T *)(p[2] + i * s[2]);        \
            *(T *)(p[0] + i * s[0]) = expression;                                                \
        }                                                                                        \
    }
#define ARITHMETIC(f, operator)                                                                  \
    FEW_FIRST(f##_float32, walk_2_f32, float, a operator b, RUNS(f, f32))                        \
    FEW_FIRST(f##_float64, walk_2_f64, double, a operator b, RUNS(f, f64))
ARITHMETIC(plus, +)
ARITHMETIC(minus, -)
ARITHMETIC(times, *)
ARITHMETIC(over, /)
FEW_FIRST(left_shift_int64, walk_2_f64, int64_t, (uint64_t)b < 64 ? (int64_t)((uint64_t)a << b) : 0, RUNS(left_shift_int64, f64))
FEW_FIRST(right_shift_int64, walk_2_f64, int64_t, a >> ((uint64_t)b < 64 ? b : 63), RUNS(right_shift_int64, f64))
TG_ALL_VALUES(ONE)
TG_ALL_LIGHT_VALUES(LIGHT_ONE)
TG_ALL_LIBRARY_VALUES(LIBRARY_ONE)
TG_ALL_RARE_LIBRARY_VALUES(RARE_LIBRARY_ONE)
TG_ALL_GRADIENTS(TWO)
TG_ALL_LIGHT_GRADIENTS(LIGHT_TWO)
TG_ALL_PAIRS(TWO)
TG_ALL_LIGHT_PAIRS(LIGHT_TWO)
TG_ALL_LIBRARY_PAIRS(LIBRARY_TWO)
TG_ALL_TRIPLES(LIGHT_THREE)
TG_ALL_QUESTIONS(ASK_ONE)
TG_ALL_COMPARISONS(ASK_TWO)
LOOP(holds_int64, ask_1_f64, RUNS(holds_int64, f64))
LOOP(clamp_int64, walk_3_f64, RUNS(clamp_int64, f64))
TG_ALL_WHOLE_VALUES(WHOLE_ONE)
TG_ALL_WHOLE(WHOLE_TWO)
TG_ALL_OF_BOOLS(BOOL_TWO)

/* Only what lies side by side is walked, and rows are not made by lines: among what is beside the numbers may be divisors of 0. */
void tg_divide_int64(int64_t n, char *const *p, const int64_t *s, const void *knobs) {
#if defined(__x86_64__)
    Curve *const curve = (Curve *)divide_int64_run_f64_avx2;
#else
    Curve *const curve = (Curve *)wholes_by_wholes;
#endif
    if (n >= 16 && (s[0] | s[1] | s[2]) <= 8) divide(n, p, s, knobs, curve, curve);
    else for (int64_t i = 0; i < n; i++)
        *(int64_t *)(p[0] + i * s[0]) = whole_quotient(*(const int64_t *)(p[1] + i * s[1]), *(const int64_t *)(p[2] + i * s[2]), knobs);
}

/* Whole vectors that lie side by side in one pass, all else in three. */
LIGHT_ONE(log_sigmoid)
typedef struct LogSigmoid {
    Run *baseline, *avx2;
    tg_CurveLoop *neg, *sigmoid, *value;
    int64_t size;
} LogSigmoid;
static __attribute__((noinline)) void value_and_slope(const LogSigmoid *by, int64_t n, char *const *p, const int64_t *s) {
    Run *run = tg_isa() == TG_ISA_BASELINE ? by->baseline : by->avx2;
    const Operands o = {{p[1], p[2], p[1]}, p[0], {-1, -1, -1}, NULL};
    const int64_t size = by->size, whole = run && s[0] == size && s[1] == size && s[2] == size ? n & -(32 / size) : 0;
    char *const y = p[0] + whole * s[0], *const x = p[1] + whole * s[1], *const slope = p[2] + whole * s[2];
    if (whole) run(whole, &o, NULL);
    by->neg(n - whole, (char *[]){slope, x}, (int64_t[]){s[2], s[1]}, NULL);
    by->sigmoid(n - whole, (char *[]){slope, slope}, (int64_t[]){s[2], s[2]}, NULL);
    by->value(n - whole, (char *[]){y, x}, s, NULL);
}
#if defined(__x86_64__)
#define RUNS_OF(type) NULL, log_sigmoid_run_##type##_avx2
#else
#define RUNS_OF(type) log_sigmoid_run_##type##_baseline, NULL
#endif
#define VALUE_AND_SLOPE(T, type, name)                                                           \
    void tg_log_sigmoid_and_slope_##name(int64_t n, char *const *p, const int64_t *s, const void *knobs) { \
        static const LogSigmoid by = {RUNS_OF(type), tg_neg_##name, tg_sigmoid_##name, tg_log_sigmoid_##name, sizeof(T)}; \
        (void)knobs;                                                                             \
        value_and_slope(&by, n, p, s);                                                           \
    }
VALUE_AND_SLOPE(float, f32, float32)
VALUE_AND_SLOPE(double, f64, float64)
