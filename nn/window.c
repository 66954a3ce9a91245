/* nn/window.c: a window that slides over a plane, and the matrix of what it covers ("im2col"). */
#include "nn/window.h"

#include <stdio.h>
#include <string.h>

#include "nn/functional_layers.h"

void tg_pair(const int64_t *given, int dims, int64_t neutral, int64_t pair[2]) {
    pair[0] = dims == 2 ? given[0] : neutral;
    pair[1] = dims == 2 && given[1] != F_BOTH ? given[1] : given[0];
}

void tg_plane(const Tensor *x, int dims, int64_t plane[2]) {
    plane[0] = dims == 2 ? x->shape[x->ndim - 2] : 1;
    plane[1] = x->shape[x->ndim - 1];
}

int64_t tg_window_places(const Window *w, int d) {
    int64_t room = w->in[d] + 2 * w->padding[d] - w->dilation[d] * (w->kernel[d] - 1) - 1;
    return (room >= 0 ? room / w->stride[d] : -((-room + w->stride[d] - 1) / w->stride[d])) + 1;
}

SizesText tg_by_text(const int64_t pair[2], int dims) {
    SizesText by;
    if (dims == 1) snprintf(by.text, sizeof by.text, "(%lld)", (long long)pair[1]);
    else snprintf(by.text, sizeof by.text, "(%lld x %lld)", (long long)pair[0], (long long)pair[1]);
    return by;
}

static void write_size(int64_t size, char *text, size_t room) {
    if (size == T_NONE) snprintf(text, room, "None");
    else snprintf(text, room, "%lld", (long long)size);
}

SizesText tg_tuple_text(const int64_t *sizes, int count) {
    SizesText tuple;
    char first[24], second[24];
    write_size(sizes[0], first, sizeof first);
    if (count > 1 && sizes[1] != F_BOTH) {
        write_size(sizes[1], second, sizeof second);
        snprintf(tuple.text, sizeof tuple.text, "(%s, %s)", first, second);
    } else {
        snprintf(tuple.text, sizeof tuple.text, count == 1 ? "(%s,)" : "%s", first);
    }
    return tuple;
}

/* ---- columns ---- */

/* One row of kernel column j at one row of places: the elements q * stride - padding + j * dilation, of which those of the
 * places from .. to - 1 lie inside. */
typedef struct Run {
    int64_t from, to, start;
} Run;

static Run run_of(const Window *w, int64_t j) {
    int64_t shift = j * w->dilation[1] - w->padding[1], stride = w->stride[1], room = w->in[1] - shift;
    int64_t from = shift < 0 ? (-shift + stride - 1) / stride : 0, to = room > 0 ? (room + stride - 1) / stride : 0;
    if (from > w->out[1]) from = w->out[1];
    if (to > w->out[1]) to = w->out[1];
    return (Run){from, to < from ? from : to, shift};
}

/* The row of x under kernel row i at places of output row p; false outside. */
static bool row_under(const Window *w, int64_t p, int64_t i, int64_t *row) {
    *row = p * w->stride[0] - w->padding[0] + i * w->dilation[0];
    return *row >= 0 && *row < w->in[0];
}

/* Rows are short as a rule: 16 bytes at a time, the last 16 over what went before. */
static inline void copy_short(char *to, const char *from, int64_t bytes) {
    if (bytes < 16 || bytes > 512) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < bytes - 16; i += 16) memcpy(to + i, from + i, 16);
    memcpy(to + bytes - 16, from + bytes - 16, 16);
}

/* One kernel element at all places of one output row. */
#define COPY_RUN(name, T)                                                                        \
    static inline void name(const Window *w, const Run *run, const T *x, int64_t step, T *to) {  \
        if (run->from == 1) to[0] = 0;                                                           \
        else if (run->from) memset(to, 0, (size_t)run->from * sizeof(T));                        \
        if (run->to == w->out[1] - 1) to[run->to] = 0;                                           \
        else if (run->to < w->out[1]) memset(to + run->to, 0, (size_t)(w->out[1] - run->to) * sizeof(T)); \
        if (step == 1 && w->stride[1] == 1) {                                                    \
            if (run->to > run->from)                                                             \
                copy_short((char *)(to + run->from), (const char *)(x + run->from + run->start), \
                           (run->to - run->from) * (int64_t)sizeof(T));                          \
        } else {                                                                                 \
            for (int64_t q = run->from; q < run->to; q++) to[q] = x[(q * w->stride[1] + run->start) * step]; \
        }                                                                                        \
    }
#define UNFOLD(name, copy_run, T)                                                                \
    static void name(const Window *w, const T *x, const int64_t steps[3], int64_t channels, const Columns *columns) { \
        T *to = columns->data;                                                                   \
        for (int64_t c = 0; c < channels; c++)                                                   \
            for (int64_t i = 0; i < w->kernel[0]; i++)                                           \
                for (int64_t j = 0; j < w->kernel[1]; j++, to += columns->step) {                \
                    const Run run = run_of(w, j);                                                \
                    for (int64_t p = 0, row; p < columns->rows; p++) {                           \
                        T *at = to + p * w->out[1];                                              \
                        if (row_under(w, columns->first + p, i, &row))                           \
                            copy_run(w, &run, x + c * steps[0] + row * steps[1], steps[2], at);  \
                        else memset(at, 0, (size_t)w->out[1] * sizeof(T));                       \
                    }                                                                            \
                }                                                                                \
    }
COPY_RUN(copy_run_8, uint8_t)
COPY_RUN(copy_run_32, uint32_t)
COPY_RUN(copy_run_64, uint64_t)
UNFOLD(unfold_8, copy_run_8, uint8_t)
UNFOLD(unfold_32, copy_run_32, uint32_t)
UNFOLD(unfold_64, copy_run_64, uint64_t)

void tg_unfold(const Window *w, size_t itemsize, const void *x, const int64_t steps[3], int64_t channels, const Columns *to) {
    if (itemsize == 1) unfold_8(w, x, steps, channels, to);
    else if (itemsize == 4) unfold_32(w, x, steps, channels, to);
    else unfold_64(w, x, steps, channels, to);
}

#define FOLD(name, T)                                                                            \
    void name(const Window *w, const Columns *columns, int64_t channels, T *x) {                 \
        const T *from = columns->data;                                                           \
        const int64_t stride = w->stride[1];                                                     \
        for (int64_t c = 0; c < channels; c++, x += w->in[0] * w->in[1])                         \
            for (int64_t i = 0; i < w->kernel[0]; i++)                                           \
                for (int64_t j = 0; j < w->kernel[1]; j++, from += columns->step) {              \
                    const Run run = run_of(w, j);                                                \
                    for (int64_t p = 0, row; p < columns->rows; p++) {                           \
                        if (!row_under(w, columns->first + p, i, &row)) continue;                \
                        const T *at = from + p * w->out[1];                                      \
                        T *to = x + row * w->in[1];                                              \
                        TG_INDEPENDENT                                                           \
                        for (int64_t q = run.from; q < run.to; q++) to[q * stride + run.start] += at[q]; \
                    }                                                                            \
                }                                                                                \
    }
FOLD(tg_fold_float32, float)
FOLD(tg_fold_float64, double)
