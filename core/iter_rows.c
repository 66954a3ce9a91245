/* core/iter_rows.c: elementwise loops over short rows, of which some operands are broadcast: a row of 8 beside one number.
 *
 * A loop wants to be called for more than a few elements. So some rows are taken together, as one run: an operand that does not
 * lie there as the output does is laid out like it, in a room that stays in L1. */
#include <string.h>

#include "core/kernels/fold.h"
#include "core/kernels/parallel.h"
#include "core/walk.h"

enum { LONGEST_ROW = 512, TOGETHER = 2048 }; /* elements: of a short row; that are taken together */

/* What lies in the rooms: an operand that stays, as a bias does, is laid out once for many rows. */
typedef struct Room {
    _Alignas(64) char bytes[TOGETHER * 8 + 64]; /* to store whole vectors */
    const char *of;
    int64_t rows;
} Room;

typedef struct Rows {
    const Walk *walk;
    const int64_t *sizes; /* of each operand's elements */
    Loop loop;
    const void *context;
} Rows;

#define LAY_OUT(name, T)                                                                         \
    static void name(T *to, const char *from, int64_t rows, int64_t n, int64_t row_step, int64_t step) { \
        for (int64_t i = 0; i < rows; i++, to += n, from += row_step)                            \
            for (int64_t j = 0; j < n; j++) to[j] = *(const T *)(from + j * step);               \
    }
LAY_OUT(lay_out_8, uint8_t)
LAY_OUT(lay_out_32, Bits32)
LAY_OUT(lay_out_64, Bits64)

/* `rows` rows from data on, in one call of the loop. */
static void run_together(const Rows *job, char *const *data, int64_t rows, Room *rooms) {
    const Walk *w = job->walk;
    const int64_t n = w->shape[0];
    char *p[TG_OPERANDS];
    int64_t steps[TG_OPERANDS];
    for (int i = 0; i < w->operands; i++) {
        const int64_t step = w->steps[i][0], row_step = w->steps[i][1], size = job->sizes[i];
        p[i] = data[i];
        steps[i] = step;
        if (row_step == n * step) continue; /* as it lies, or one number for all */
        Room *room = &rooms[i - 1];
        p[i] = room->bytes;
        steps[i] = size;
        if (row_step == 0 && room->of == data[i] && room->rows >= rows) continue;
        room->of = data[i];
        room->rows = rows;
        if (size == 1) lay_out_8((uint8_t *)p[i], data[i], rows, n, row_step, step);
        else if (step == 0) tg_repeat_each(size == 8, rows, n, data[i], row_step, p[i]);
        else if (size == 4) lay_out_32((Bits32 *)(void *)p[i], data[i], rows, n, row_step, step);
        else lay_out_64((Bits64 *)(void *)p[i], data[i], rows, n, row_step, step);
    }
    job->loop(rows * n, p, steps, job->context);
}

/* Rows from .. to - 1, counted through all dims but the innermost. */
static void run_some_rows(int64_t from, int64_t to, void *context) {
    const Rows *job = context;
    const Walk *w = job->walk;
    const int64_t most = TOGETHER / w->shape[0];
    Room rooms[TG_OPERANDS - 1];
    for (int i = 0; i < TG_OPERANDS - 1; i++) rooms[i].of = NULL;
    while (from < to) {
        char *data[TG_OPERANDS];
        int64_t rest = from, left = w->shape[1] - from % w->shape[1];
        if (left > to - from) left = to - from;
        memcpy(data, w->data, sizeof data);
        for (int d = 1; d < w->ndim; rest /= w->shape[d++])
            for (int i = 0; i < w->operands; i++) data[i] += rest % w->shape[d] * w->steps[i][d];
        from += left;
        for (int64_t rows; left > 0; left -= rows) {
            rows = left < most ? left : most;
            run_together(job, data, rows, rooms);
            for (int i = 0; i < w->operands; i++) data[i] += rows * w->steps[i][1];
        }
    }
}

bool tg_walk_rows(const Walk *w, const int64_t *sizes, Loop loop, const void *context) {
    const int64_t n = w->shape[0];
    if (w->ndim < 2 || n > LONGEST_ROW || w->shape[1] == 1) return false;
    if (w->steps[0][0] != sizes[0] || w->steps[0][1] != n * sizes[0]) return false;
    const int64_t rows = tg_count(w->shape, w->ndim) / n, grain = TG_WALK_GRAIN / n;
    Rows job = {w, sizes, loop, context};
    tg_parallel(rows, rows <= 2 * grain || !tg_walk_is_spread(w) ? rows : grain, run_some_rows, &job);
    return true;
}
