/* core/tensor/iterator_broadcast.c: elementwise loops over short rows with broadcast operands, for example a bias that
 * is added to rows of 8 elements, or rows of 8 and one value for each row.
 *
 * A call of the inner loop should process more than a few elements. So several rows are processed by one call: an
 * operand whose layout is not the output's is copied to a buffer in the output's layout, which stays in L1. Longer rows
 * are left to the loop, row by row. */
#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/tensor/iterator_internal.h"

enum {
    LONGEST_ROW = 512,  /* elements of a short row */
    LONGEST_COPY = 640, /* bytes of a row that is copied for each row of the output */
    LONGEST_FILL = 128, /* bytes of a row that is filled with one value for each row of the output */
    TOGETHER = 2048     /* elements per call */
};

/* A copied operand, and what it is a copy of: one that stays the same, like a bias, is copied once for many rows. */
typedef struct RowBuffer {
    _Alignas(64) char bytes[TOGETHER * 8];
    const char *of;
    int64_t rows;
} RowBuffer;

typedef struct ShortRows {
    const Iterator *it;
    const int64_t *sizes; /* item size of each operand */
    Loop loop;
    const void *context;
    tg_CopyLoop copy[TG_OPERANDS]; /* copies a row of an operand */
} ShortRows;

/* Copies rows of n elements, without gaps. For one repeated row (row_stride 0) each memcpy doubles what there is. */
static void copy_rows(tg_CopyLoop copy, char *to, const char *from, int64_t rows, int64_t n, int64_t row_stride,
                      int64_t stride, int64_t size) {
    const int64_t bytes = rows * n * size;
    for (int64_t done = 0, some = n * size; done < bytes; done += some, from += row_stride) {
        if (row_stride == 0 && done) memcpy(to + done, to, (size_t)(some = done < bytes - done ? done : bytes - done));
        else if (stride == 0 && size == 4)
            for (int64_t i = 0; i < n; i++) ((Bits32 *)(void *)(to + done))[i] = *(const Bits32 *)(const void *)from;
        else copy(n, to + done, size, from, stride);
    }
}

/* `rows` rows that begin at data, in one call of the loop. */
static void run_together(const ShortRows *job, char *const *data, int64_t rows, RowBuffer *buffers) {
    const Iterator *it = job->it;
    const int64_t n = it->shape[0];
    char *p[TG_OPERANDS];
    int64_t strides[TG_OPERANDS];
    for (int i = 0; i < it->operands; i++) {
        const int64_t stride = it->strides[i][0], row_stride = it->strides[i][1], size = job->sizes[i];
        p[i] = data[i];
        strides[i] = stride;
        if (row_stride == n * stride) continue; /* already contiguous, or one value for all rows */
        RowBuffer *buffer = &buffers[i - 1];
        p[i] = buffer->bytes;
        strides[i] = size;
        if (buffer->of == data[i] && buffer->rows >= rows) continue;
        buffer->of = data[i];
        buffer->rows = rows;
        copy_rows(job->copy[i], p[i], data[i], rows, n, row_stride, stride, size);
    }
    job->loop(rows * n, p, strides, job->context);
}

/* Rows from .. to - 1; rows are numbered over all dims but the innermost. */
static void run_some_rows(int64_t from, int64_t to, void *context) {
    const ShortRows *job = context;
    const Iterator *it = job->it;
    const int64_t most = TOGETHER / it->shape[0];
    RowBuffer buffers[TG_OPERANDS - 1];
    char *data[TG_OPERANDS];
    int64_t index[T_MAX_DIMS], rest = from;
    for (int i = 0; i < TG_OPERANDS - 1; i++) buffers[i].of = NULL;
    memcpy(data, it->data, sizeof data);
    for (int d = 1; d < it->ndim; rest /= it->shape[d++]) {
        index[d] = rest % it->shape[d];
        for (int i = 0; i < it->operands; i++) data[i] += index[d] * it->strides[i][d];
    }
    while (from < to) {
        int64_t left = it->shape[1] - index[1], rows;
        if (left > to - from) left = to - from;
        from += left;
        index[1] += left;
        for (; left > 0; left -= rows) {
            rows = left < most ? left : most;
            run_together(job, data, rows, buffers);
            for (int i = 0; i < it->operands; i++) data[i] += rows * it->strides[i][1];
        }
        for (int d = 1; d + 1 < it->ndim && index[d] == it->shape[d]; index[d++] = 0) { /* at a dim's end: next dim */
            index[d + 1]++;
            for (int i = 0; i < it->operands; i++) data[i] += it->strides[i][d + 1] - it->shape[d] * it->strides[i][d];
        }
    }
}

/* The longest row for which copying operands into the output's layout is faster than a call of the loop per row.
 * Operands that are the same for all rows cost nothing, and bool operands next to nothing. */
static int64_t longest_row(const Iterator *it, const int64_t *sizes) {
    int64_t longest = LONGEST_ROW;
    for (int i = 1; i < it->operands; i++) {
        const int64_t stride = it->strides[i][0], row_stride = it->strides[i][1];
        if (row_stride == 0 || row_stride == it->shape[0] * stride || sizes[i] == 1) continue;
        const int64_t most = (stride == 0 ? LONGEST_FILL : LONGEST_COPY) / sizes[i];
        if (most < longest) longest = most;
    }
    return longest;
}

bool tg_iterator_run_short_rows(const Iterator *it, const int64_t *sizes, Loop loop, const void *context) {
    const int64_t n = it->shape[0];
    if (it->ndim < 2 || it->shape[1] == 1 || it->strides[0][0] != sizes[0] || it->strides[0][1] != n * sizes[0])
        return false;
    if (n > longest_row(it, sizes)) return false;
    const int64_t rows = tg_shape_numel(it->shape, it->ndim) / n, grain = TG_GRAIN_SIZE / n;
    ShortRows job = {it, sizes, loop, context, {NULL}};
    for (int i = 1; i < it->operands; i++) job.copy[i] = tg_copy_loop(sizes[i], sizes[i], it->strides[i][0]);
    tg_parallel(rows, rows <= 2 * grain || !tg_iterator_no_overlap(it) ? rows : grain, run_some_rows, &job);
    return true;
}
