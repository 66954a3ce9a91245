/* core/tensor/iterator_broadcast.c: elementwise loops over short rows with broadcast operands, for example rows of 8
 * and one value for each row.
 *
 * A call of the inner loop should process more than a few elements. There are three ways:
 * 1. several rows in one call: an operand whose layout differs from the output's is copied to a buffer in the output's
 *    layout, which stays in L1;
 * 2. add, sub, mul, div, maximum, minimum of rows with one value, or one other row, per row: one kernel call for all
 *    rows, which may have gaps between them;
 * 3. other functions of elementwise.c: its vector kernel row by row, without the inner loop. */
#include <string.h>

#include "core/kernels/elementwise/elementwise_strided.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/parallel.h"
#include "core/tensor/iterator_internal.h"

enum {
    LONGEST_ROW = 512,   /* elements of a short row */
    LONGEST_COPY = 640,  /* bytes of a row that is copied each time */
    TOGETHER = 2048,     /* elements per call */
    SHORTEST_ROW = 64,   /* bytes: the shortest row for a kernel */
    SHORTEST_RUN = 20,   /* elements: the shortest row for a kernel call per row with one row operand */
    SAME = 32            /* bytes of a vector that repeats one value */
};

/* A buffer for a copied operand, and what it holds: an operand that stays the same, like a bias, is copied once for
 * many rows. */
typedef struct RowBuffer {
    _Alignas(64) char bytes[TOGETHER * 8 + 64]; /* with padding for vector stores */
    const char *of;
    int64_t rows;
} RowBuffer;

/* Way 2: which operand (1 or 2) the rows x are, and the operation as a character; sign 0: way 2 is not applicable. */
typedef struct Beside {
    char sign;
    int x;
} Beside;

typedef struct Rows {
    const Walk *walk;
    Beside beside;
    const int64_t *sizes; /* item size of each operand */
    Loop loop;
    const void *context;
    Runner by;            /* way 3: the kernel of a row; by.run NULL: not applicable */
} Rows;

/* Copies a row of n elements of `size` bytes with a stride of `step` bytes; may write seven bytes more. */
static void copy_row(char *to, const char *from, int64_t n, int64_t step, int64_t size) {
    const uint64_t each = (uint8_t)*from * UINT64_C(0x0101010101010101);
    if (step == size) memcpy(to, from, (size_t)(n * size));
    else if (step == 0 && size == 1)
        for (int64_t j = 0; j < n; j += 8) memcpy(to + j, &each, sizeof each);
    else
        for (int64_t j = 0; j < n; j++, to += size, from += step)
            if (size == 4) *(Bits32 *)(void *)to = *(const Bits32 *)(const void *)from;
            else if (size == 8) *(Bits64 *)(void *)to = *(const Bits64 *)(const void *)from;
            else *to = *from;
}

/* Copies rows, without gaps. For one repeated row (row_step 0) each memcpy doubles the number of copies. */
static void copy_rows(char *to, const char *from, int64_t rows, int64_t n, int64_t row_step, int64_t step,
                         int64_t size) {
    const int64_t all = rows * n * size;
    for (int64_t done = 0, some = n * size; done < all; done += some, from += row_step) {
        if (row_step == 0 && done) memcpy(to + done, to, (size_t)(some = done < all - done ? done : all - done));
        else copy_row(to + done, from, n, step, size);
    }
}

/* Way 1: `rows` rows that begin at data, in one call of the loop. */
static void run_together(const Rows *job, char *const *data, int64_t rows, RowBuffer *buffers) {
    const Walk *w = job->walk;
    const int64_t n = w->shape[0];
    char *p[TG_OPERANDS];
    int64_t steps[TG_OPERANDS];
    for (int i = 0; i < w->operands; i++) {
        const int64_t step = w->steps[i][0], row_step = w->steps[i][1], size = job->sizes[i];
        p[i] = data[i];
        steps[i] = step;
        if (row_step == n * step) continue; /* already one run, or one value for all rows */
        RowBuffer *buffer = &buffers[i - 1];
        p[i] = buffer->bytes;
        steps[i] = size;
        if (buffer->of == data[i] && buffer->rows >= rows) continue;
        buffer->of = data[i];
        buffer->rows = rows;
        if (step == 0 && size > 1) tg_repeat_interleave(size == 8, rows, n, data[i], row_step, p[i]);
        else copy_rows(p[i], data[i], rows, n, row_step, step, size);
    }
    job->loop(rows * n, p, steps, job->context);
}

static TG_COLD Beside find_row_kernel(const Walk *w, const int64_t *sizes, Loop loop) {
    enum { OVER, PLUS = 2, MINUS = 6, ALL = 12 };
    static const Loop known[ALL] = {
        tg_over_float32, tg_over_float64, tg_plus_float32, tg_plus_float64, tg_times_float32, tg_times_float64,
        tg_minus_float32, tg_minus_float64, tg_maximum_float32, tg_maximum_float64,
        tg_minimum_float32, tg_minimum_float64};
    if (w->operands != 3) return (Beside){0, 0};
    const int x = w->steps[1][0] == 0 ? 2 : 1;
    const int64_t other = w->steps[3 - x][0];
    /* one row that is broadcast to all rows is faster with way 1 (copied once), unless the other operand has gaps */
    const bool by_rows = other == sizes[x] && w->steps[1][1] + w->steps[2][1] != w->shape[0] * sizes[x];
    if ((other != 0 && !by_rows) || w->steps[x][0] != sizes[x] || w->shape[0] * sizes[x] < SHORTEST_ROW)
        return (Beside){0, 0};
    int i = x == 1 && !by_rows ? OVER : PLUS; /* the kernel has row / value only, not value / row or row / row */
    while (i < ALL && loop != known[i]) i++;
    if (i == ALL || !tg_broadcast_rows(&(tg_BroadcastRows){0})) return (Beside){0, 0};
    return (Beside){i / 2 * 2 == MINUS && x == 2 ? 'r' : "/+*-><"[i / 2], x};
}

static void run_row_kernel(const Rows *job, char *const *data, int64_t rows) {
    const Walk *w = job->walk;
    const int x = job->beside.x;
    tg_broadcast_rows(&(tg_BroadcastRows){job->sizes[0] == 8, w->steps[3 - x][0] != 0, x == 2, job->beside.sign, rows,
                                    w->shape[0], w->steps[x][1], w->steps[3 - x][1], w->steps[0][1],
                                    data[x], data[3 - x], data[0]});
}

/* Way 3: the kernel of the loop, for operands that are rows or one value per row; run is NULL if there is none or it is
 * slower. */
static TG_COLD Runner find_kernel(const Walk *w, Loop loop, const void *context) {
    Runner by = {NULL, NULL, {0, 0, 0, false}};
    char *const here = (char *)&by;
    const bool pairs = w->operands == 3 && w->steps[1][0] && w->steps[2][0];
    loop(0, (char *[TG_OPERANDS]){here, here, here, here, here}, tg_who_runs, context);
    const int64_t size = by.shape.in;
    if (size == 1 || by.shape.inputs != w->operands - 1 || w->shape[0] < (pairs ? SHORTEST_ROW / size : SHORTEST_RUN))
        by.run = NULL;
    for (int i = 1; i < w->operands; i++)
        if (w->steps[i][0] != size && (w->steps[i][0] || w->operands == 2)) by.run = NULL;
    return by;
}

/* Way 3. Where y's rows have no gaps and do not alias the inputs, the last vector of a row may write over the beginning
 * of the next row, which is computed after it. */
static __attribute__((noinline)) void run_each(const Rows *job, char *const *data, int64_t rows, RowBuffer *buffers) {
    const Walk *w = job->walk;
    const Runner *by = &job->by;
    const int64_t n = w->shape[0], line = SHORTEST_ROW / by->shape.in;
    bool goes_on = w->steps[0][1] == n * by->shape.out;
    Operands o = {.out = data[0], .curve = by->curve};
    int64_t row_steps[3];
    bool apart = true;
    for (int k = 0; k < 3; k++) {
        const int i = k + 1 < w->operands ? k + 1 : 1; /* missing operands are replaced by the first */
        o.in[k] = data[i];
        o.mask[k] = -(w->steps[i][0] != 0);
        row_steps[k] = w->steps[i][1];
        apart = apart && data[i] != data[0];
        goes_on = goes_on && apart && (!o.mask[k] || row_steps[k] >= n * by->shape.in);
        if (o.mask[k]) continue;
        tg_repeat_interleave(by->shape.in == 8, rows, SAME / by->shape.in, data[i], row_steps[k], buffers[k].bytes);
        o.in[k] = buffers[k].bytes;
        row_steps[k] = SAME;
    }
    for (; rows > 0; rows--) {
        if (goes_on && rows > 1) by->run((n + line - 1) & -line, &o, job->context);
        else tg_run_lines(by->run, &by->shape, n, &o, apart, job->context);
        for (int k = 0; k < 3; k++) o.in[k] = (const char *)o.in[k] + row_steps[k];
        o.out = (char *)o.out + w->steps[0][1];
    }
}

/* Rows from .. to - 1; rows are numbered over all dims but the innermost. */
static void run_some_rows(int64_t from, int64_t to, void *context) {
    const Rows *job = context;
    const Walk *w = job->walk;
    const int64_t most = TOGETHER / (job->by.run ? SAME / 8 : w->shape[0]);
    RowBuffer buffers[TG_OPERANDS - 1];
    char *data[TG_OPERANDS];
    int64_t index[T_MAX_DIMS], rest = from;
    for (int i = 0; i < TG_OPERANDS - 1; i++) buffers[i].of = NULL;
    memcpy(data, w->data, sizeof data);
    for (int d = 1; d < w->ndim; rest /= w->shape[d++]) {
        index[d] = rest % w->shape[d];
        for (int i = 0; i < w->operands; i++) data[i] += index[d] * w->steps[i][d];
    }
    while (from < to) {
        int64_t left = w->shape[1] - index[1], rows;
        if (left > to - from) left = to - from;
        from += left;
        index[1] += left;
        for (; left > 0; left -= rows) {
            rows = left < most || job->beside.sign ? left : most;
            if (job->beside.sign) run_row_kernel(job, data, rows);
            else (job->by.run ? run_each : run_together)(job, data, rows, buffers);
            for (int i = 0; i < w->operands; i++) data[i] += rows * w->steps[i][1];
        }
        for (int d = 1; d + 1 < w->ndim && index[d] == w->shape[d]; index[d++] = 0) { /* at a dim's end: next dim */
            index[d + 1]++;
            for (int i = 0; i < w->operands; i++) data[i] += w->steps[i][d + 1] - w->shape[d] * w->steps[i][d];
        }
    }
}

/* The longest row for which copying operands into the output's layout is faster than a call of the loop per row.
 * Operands that are the same for all rows cost nothing, and bool operands next to nothing. */
static int64_t longest_row(const Walk *w, const int64_t *sizes) {
    int64_t longest = LONGEST_ROW;
    for (int i = 1; i < w->operands; i++) {
        const int64_t step = w->steps[i][0], row_step = w->steps[i][1];
        if (row_step != 0 && row_step != w->shape[0] * step && sizes[i] > 1) longest = LONGEST_COPY / sizes[i];
    }
    return longest;
}

bool tg_walk_rows(const Walk *w, const int64_t *sizes, Loop loop, const void *context) {
    const int64_t n = w->shape[0];
    if (w->ndim < 2 || n > TG_WALK_GRAIN || w->shape[1] == 1) return false;
    if (w->steps[0][0] != sizes[0]) return false;
    const int64_t rows = tg_shape_numel(w->shape, w->ndim) / n, grain = TG_WALK_GRAIN / n;
    const int64_t longest = w->steps[0][1] == n * sizes[0] ? longest_row(w, sizes) : 0; /* way 1 needs y without gaps */
    Rows job = {w, find_row_kernel(w, sizes, loop), sizes, loop, context, {NULL, NULL, {0, 0, 0, false}}};
    if (!job.beside.sign && (n > longest || longest < LONGEST_ROW)) job.by = find_kernel(w, loop, context);
    if (!job.beside.sign && !job.by.run && n > longest) return false;
    tg_parallel(rows, rows <= 2 * grain || !tg_walk_is_spread(w) ? rows : grain, run_some_rows, &job);
    return true;
}
