/* From n numbers of any step to runs of whole vectors.
 *
 * What lies side by side is run where it is, as far as lines of 64 bytes go, and its last line, which overlaps these, by itself;
 * where the output is an input, by way of a room of one line. What lies otherwise goes by way of rooms of 2 KB, which stay in L1. */
#include "core/kernels/elementwise/elementwise_strided.h"

#include <string.h>

enum { VECTOR = 32, LINE = 64, ROOM = 256 }; /* bytes of the longest vector, and of two; elements of a room */
typedef union Room {
    _Alignas(64) char bytes[ROOM * sizeof(double)];
    float floats[ROOM];
    double doubles[ROOM];
} Room;

/* n elements of 1, 4 or 8 bytes from anywhere to anywhere. */
static __attribute__((noinline)) void copy(int64_t n, int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step) {
    if (size == 8) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 8);
    else if (size == 4) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 4);
    else for (int64_t i = 0; i < n; i++) to[i * to_step] = from[i * from_step];
}

/* Less than a line. */
static void run_few(Run *run, Curve *curve, const Shape *shape, int64_t n, char *const *p, const int64_t *s, const Knobs *knobs) {
    _Alignas(LINE) char room[4][LINE];
    const int i = shape->inputs > 1, j = shape->inputs > 2 ? 2 : 0;
    const Operands o = {{room[0], room[i], room[j]}, room[3], {-1, -1, -1}, curve};
    for (int k = 0; k < shape->inputs; k++) {
        memset(room[k], 0, LINE);
        copy(n, shape->in, room[k], shape->in, p[k + 1], s[k + 1]);
    }
    run(shape->in == 1 ? LINE / 8 : n, &o, knobs);
    copy(n, shape->out, p[0], s[0], room[3], shape->out);
}

/* One after the other: n elements, at most a room full, and zeros up to the end of a vector. */
static void take(const Shape *shape, int64_t n, Room *room, const char *from, int64_t step) {
    if (n * shape->in % LINE) memset(room->bytes + n * shape->in / LINE * LINE, 0, LINE);
    if (step == shape->in) memcpy(room->bytes, from, (size_t)(n * shape->in));
    else copy(n, shape->in, room->bytes, shape->in, from, step);
    for (int64_t i = (n + 7) / 8 * 8; i-- && shape->widen;) room->doubles[i] = room->floats[i];
}

static __attribute__((noinline)) void run_in_rooms(Run *run, Curve *curve, const Shape *shape, int64_t n, char *const *p,
                                                   const int64_t *s, const Knobs *knobs) {
    Room room[4];
    const int one = shape->inputs > 1, two = shape->inputs > 2 ? 2 : 0;
    Operands o = {{room[0].bytes, room[one].bytes, room[two].bytes}, room[3].bytes, {-1, -1, -1}, curve};
    for (int k = 0; k < shape->inputs; k++) {
        o.mask[k] = s[k + 1] || shape->inputs == 1 ? -1 : 0;
        if (!o.mask[k]) take(shape, VECTOR / shape->in, &room[k], p[k + 1], 0);
    }
    for (int64_t i = 0, m; i < n; i += m) {
        m = n - i < ROOM ? n - i : ROOM;
        for (int k = 0; k < shape->inputs; k++)
            if (o.mask[k] && (s[k + 1] || i == 0)) take(shape, m, &room[k], p[k + 1] + i * s[k + 1], s[k + 1]);
        run(shape->in == 1 ? (m + 7) / 8 : m, &o, knobs);
        for (int64_t j = 0; j < m && shape->widen && shape->out == 4; j++) room[3].floats[j] = (float)room[3].doubles[j];
        if (s[0] == shape->out) memcpy(p[0] + i * s[0], room[3].bytes, (size_t)(m * shape->out));
        else copy(m, shape->out, p[0] + i * s[0], s[0], room[3].bytes, shape->out);
    }
}

static void run_as_doubles(Run *run, Curve *curve, const Shape *shape, int64_t n, char *const *p, const int64_t *s,
                           const Knobs *knobs) {
    const Knobs single = {knobs ? (float)knobs->a : 0, knobs ? (float)knobs->b : 0, knobs ? (float)knobs->c : 0};
    run_in_rooms(run, curve, shape, n, p, s, knobs ? &single : NULL);
}

/* One number, of `size` bytes, as often as it fits a vector: in words of eight. */
static inline void fill_vector(int64_t size, char *to, const char *number) {
    uint64_t word;
    uint32_t half;
    if (size == 8) {
        memcpy(&word, number, 8);
    } else if (size == 4) {
        memcpy(&half, number, 4);
        word = half * UINT64_C(0x100000001);
    } else {
        word = (uint8_t)*number * UINT64_C(0x0101010101010101);
    }
    for (int i = 0; i < VECTOR / 8; i++) memcpy(to + 8 * i, &word, 8);
}

/* How the operands lie in memory: in some other way, side by side, or side by side with no input in the output's place. */
typedef enum Lie { OTHERWISE, SIDE_BY_SIDE, APART } Lie;

static __attribute__((noinline)) Lie take_operands(const Shape *shape, char *const *p, const int64_t *s,
                                                   char constant[3][VECTOR], Operands *o) {
    bool side_by_side = s[0] == shape->out, apart = true;
    for (int k = 0; k < shape->inputs; k++) {
        o->mask[k] = s[k + 1] || shape->inputs == 1 ? -1 : 0;
        o->in[k] = o->mask[k] ? (const void *)p[k + 1] : constant[k];
        if (o->mask[k]) {
            side_by_side = side_by_side && s[k + 1] == shape->in;
            apart = apart && p[k + 1] != p[0];
        } else {
            fill_vector(shape->in, constant[k], p[k + 1]);
        }
    }
    for (int k = shape->inputs; k < 3; k++) o->in[k] = o->in[0], o->mask[k] = o->mask[0];
    return !side_by_side ? OTHERWISE : apart ? APART : SIDE_BY_SIDE;
}

/* The same of whole tensors, as most are; OTHERWISE where there is more to know. */
static inline Lie lie_of(const Shape *shape, char *const *p, const int64_t *s) {
    Lie lie = s[0] == shape->out ? APART : OTHERWISE;
    for (int k = 1; k <= shape->inputs; k++) {
        if (s[k] != shape->in) return OTHERWISE;
        if (p[k] == p[0] && lie) lie = SIDE_BY_SIDE;
    }
    return lie;
}

static inline int64_t in_a_line(const Shape *shape) { /* LINE / in, without a division */
    return shape->in == 8 ? LINE / 8 : shape->in == 4 ? LINE / 4 : LINE;
}

void tg_run_lines(Run *run, const Shape *shape, int64_t n, const Operands *o, bool apart, const Knobs *knobs) {
    const int64_t each = in_a_line(shape), whole = n & -each, in = (n - each) * shape->in;
    const int eight = shape->in == 1 ? 3 : 0;
    _Alignas(LINE) char room[LINE], *const end = (char *)o->out + (n - each) * shape->out;
    if (whole < n) { /* the last line, of which others make a part: before they do, as y may be in x's place */
        const Operands last = {{(const char *)o->in[0] + (in & o->mask[0]), (const char *)o->in[1] + (in & o->mask[1]),
                                (const char *)o->in[2] + (in & o->mask[2])}, apart ? end : room,
                               {o->mask[0], o->mask[1], o->mask[2]}, o->curve};
        run(each >> eight, &last, knobs);
    }
    run(whole >> eight, o, knobs);
    if (whole < n && !apart) memcpy(end, room, LINE); /* (y in x's place has x's size) */
}

const int64_t tg_who_runs[8] = {0}; /* no loop has more operands */

void tg_walk_curve(Run *run, Curve *curve, const Shape *shape, int64_t n, char *const *p, const int64_t *s, const Knobs *knobs) {
    const int second = shape->inputs > 1 ? 2 : 1, third = shape->inputs > 2 ? 3 : 1;
    _Alignas(VECTOR) char constant[3][VECTOR];
    Operands o = {{p[1], p[second], p[third]}, p[0], {-1, -1, -1}, curve};
    if (shape->widen) {
        run_as_doubles(run, curve, shape, n, p, s, knobs);
        return;
    }
    if (n < in_a_line(shape)) {
        if (s == tg_who_runs) *(Runner *)(void *)p[0] = (Runner){run, curve, *shape};
        else run_few(run, curve, shape, n, p, s, knobs);
        return;
    }
    Lie lie = lie_of(shape, p, s);
    if (!lie && !(lie = take_operands(shape, p, s, constant, &o))) {
        run_in_rooms(run, curve, shape, n, p, s, knobs);
        return;
    }
    tg_run_lines(run, shape, n, &o, lie == APART, knobs);
}
