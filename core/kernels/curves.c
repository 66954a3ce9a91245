/* The curves for every instruction set, and the walk from runs of any step to whole vectors; curves.inc and pairs.inc have the
 * curves. */
#include "curves.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "isa.h"

/* What a run of whole vectors sees: an operand's mask is -1, or 0 where it is one number for all. */
typedef struct Operands {
    const void *in[3];
    void *out;
    int64_t mask[3];
} Operands;

/* x86-64 without AVX2 has its floats made as doubles, or there would be a third instance of everything for what hardly a
 * processor is. */
#define UP_TO_AVX2
#define BASELINE_OF_DOUBLES_ONLY
#define KERNEL "curves.inc"
#include "instances.inc"

typedef void Run(int64_t n, const Operands *o, const Knobs *knobs);

#include "curves_library.inc"

/* How a run takes its operands: how many, the bytes of one element in and out, and whether floats are run as doubles. */
typedef struct Shape {
    int8_t inputs, in, out;
    bool widen;
} Shape;

enum { WHOLE = 32, ROOM = 256 }; /* elements: at least a vector of any kind; of the rooms for what is not such vectors */
typedef union Room {
    _Alignas(64) char bytes[ROOM * sizeof(double)];
    float floats[ROOM];
    double doubles[ROOM];
} Room;

/* n elements of 1, 4 or 8 bytes from anywhere to anywhere. */
static void copy(int64_t n, int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step) {
    if (to_step == size && from_step == size) memcpy(to, from, (size_t)(n * size));
    else if (size == 8) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 8);
    else if (size == 4) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 4);
    else for (int64_t i = 0; i < n; i++) to[i * to_step] = from[i * from_step];
}

static void take(const Shape *shape, int64_t n, Room *room, const char *from, int64_t step) {
    copy(n, shape->in, room->bytes, shape->in, from, step);
    for (int64_t i = n; i-- && shape->widen;) room->doubles[i] = room->floats[i];
}

/* Through rooms of a few KB, n elements at a time. */
static void run_in_rooms(Run *run, const Shape *shape, int64_t n, char *const *p, const int64_t *s, Operands *o, Room *room,
                         const Knobs *knobs) {
    const int64_t size = shape->widen ? 8 : shape->in, unit = shape->in == 1 ? 8 : 1, filled = (n + WHOLE - 1) / WHOLE * WHOLE;
    const bool as_doubles = shape->widen && shape->out == 4;
    for (int k = 0; k < shape->inputs; k++) {
        if (!o->mask[k]) continue;
        o->in[k] = &room[k];
        take(shape, n, &room[k], p[k + 1], s[k + 1]);
        memset(room[k].bytes + n * size, 0, (size_t)((filled - n) * size));
    }
    o->out = &room[3];
    run(filled / unit, o, knobs);
    for (int64_t i = 0; i < n && as_doubles; i++) room[3].floats[i] = (float)room[3].doubles[i];
    copy(n, shape->out, p[0], s[0], room[3].bytes, shape->out);
}

/* What lies side by side is run where it is, as far as whole vectors go; the rest by way of rooms. */
static void walk(Run *run, const Shape *shape, int64_t n, char *const *p, const int64_t *s, const Knobs *knobs) {
    Room room[4];
    Operands o = {.out = p[0]};
    char *at[4];
    bool side_by_side = s[0] == shape->out && !shape->widen;
    Knobs single;
    if (shape->widen && knobs) {
        single = (Knobs){(float)knobs->a, (float)knobs->b, (float)knobs->c};
        knobs = &single;
    }
    for (int k = 0; k < shape->inputs; k++) {
        o.mask[k] = s[k + 1] || shape->inputs == 1 ? -1 : 0;
        o.in[k] = o.mask[k] ? (const void *)p[k + 1] : &room[k];
        if (o.mask[k]) side_by_side = side_by_side && s[k + 1] == shape->in;
        else take(shape, 32 / shape->in, &room[k], p[k + 1], 0);
    }
    const int64_t whole = side_by_side ? n / WHOLE * WHOLE : 0;
    if (whole) run(shape->in == 1 ? whole / 8 : whole, &o, knobs);
    for (int64_t i = whole, m; i < n; i += m) {
        m = n - i < ROOM ? n - i : ROOM;
        for (int k = 0; k <= shape->inputs; k++) at[k] = p[k] + i * s[k];
        run_in_rooms(run, shape, m, at, s, &o, room, knobs);
    }
}

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
        walk(base ? baseline : avx2, base ? &wide : &shape, n, p, s, knobs);                     \
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
