/* core/ops/gather_loops.c: the loops that read or write elements at an index: elementwise, or whole rows where the
 * index is constant along the innermost dim; on all threads. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/gather_internal.h"
#include "core/tensor/iterator_internal.h"

/* What the loops need: the bytes that an index of 1 stands for, and the bytes of a row and of an element. */
typedef struct IndexLayout {
    int64_t stride, row, size;
} IndexLayout;
#define LAYOUT const IndexLayout layout = *(const IndexLayout *)context
/* The operands in local variables: a store might alias the arrays p and s. */
#define OPERANDS                                                                                 \
    char *const y = p[0];                                                                        \
    const char *const at = p[1], *const x = p[2];                                                \
    const int64_t y_stride = s[0], at_stride = s[1], x_stride = s[2]
#define INDEX(i) (*(const int64_t *)(at + (i) * at_stride))

/* ---- reading: only the size of an element matters ---- */

#define GATHER(name, T)                                                                          \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        const int64_t T_ = sizeof(T);                                                            \
        LAYOUT;                                                                                  \
        OPERANDS;                                                                                \
        if (y_stride == T_ && at_stride == 8 && x_stride == 0 && layout.stride == T_) {          \
            for (int64_t i = 0; i < n; i++) ((T *)y)[i] = ((const T *)x)[((const int64_t *)at)[i]]; \
        } else {                                                                                 \
            for (int64_t i = 0; i < n; i++)                                                      \
                *(T *)(y + i * y_stride) = *(const T *)(x + i * x_stride + INDEX(i) * layout.stride); \
        }                                                                                        \
    }
GATHER(gather_8, uint8_t)
GATHER(gather_32, Bits32)
GATHER(gather_64, Bits64)

/* Rows of `row` bytes. Short ones are copied in 8- and 16-byte words: a call of memcpy costs more. */
typedef uint64_t Word __attribute__((aligned(1), may_alias));
typedef uint64_t TwoWords __attribute__((vector_size(16), aligned(1), may_alias));

static inline __attribute__((always_inline)) void copy_row(char *to, const char *from, int64_t row) {
    int64_t i = row & 8;
    if (row > 64 || row % 8) {
        memcpy(to, from, (size_t)row);
        return;
    }
    if (i) *(Word *)to = *(const Word *)from;
    for (; i < row; i += 16) *(TwoWords *)(to + i) = *(const TwoWords *)(from + i);
}

static void gather_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    LAYOUT;
    OPERANDS;
    for (int64_t i = 0; i < n; i++) copy_row(y + i * y_stride, x + i * x_stride + INDEX(i) * layout.stride, layout.row);
}

static void set_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    LAYOUT;
    OPERANDS;
    for (int64_t i = 0; i < n; i++) copy_row(y + i * y_stride + INDEX(i) * layout.stride, x + i * x_stride, layout.row);
}

/* Rows filled with one value, the same for all: copied from the first. */
static void fill_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    LAYOUT;
    char *first = NULL;
    for (int64_t i = 0; i < n; i++) {
        char *to = p[0] + i * s[0] + *(const int64_t *)(p[1] + i * s[1]) * layout.stride;
        if (!first) {
            first = to;
            for (int64_t j = 0; j < layout.row; j += layout.size) memcpy(to + j, p[2], (size_t)layout.size);
        } else if (to != first) {
            memcpy(to, first, (size_t)layout.row);
        }
    }
}

/* ---- writing: `expression` combines a, the old element, and b, the new one ---- */

#define SCATTER(name, T, expression)                                                             \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        LAYOUT;                                                                                  \
        OPERANDS;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T *to = (T *)(y + i * y_stride + INDEX(i) * layout.stride), a = *to, b = *(const T *)(x + i * x_stride); \
            (void)a;                                                                             \
            *to = (T)(expression);                                                               \
        }                                                                                        \
    }
SCATTER(set_8, uint8_t, b)
SCATTER(set_32, Bits32, b)
SCATTER(set_64, Bits64, b)
SCATTER(sum_bool, bool, a || b)
SCATTER(sum_long, int64_t, (uint64_t)a + (uint64_t)b)
SCATTER(prod_bool, bool, a && b)
SCATTER(prod_int64, int64_t, (uint64_t)a * (uint64_t)b)
SCATTER(prod_float32, float, a * b)
SCATTER(prod_float64, double, a * b)
/* NaN if either is NaN. */
SCATTER(max_int64, int64_t, a > b ? a : b)
SCATTER(max_float32, float, a != a || a > b ? a : b)
SCATTER(max_float64, double, a != a || a > b ? a : b)
SCATTER(min_int64, int64_t, a < b ? a : b)
SCATTER(min_float32, float, a != a || a < b ? a : b)
SCATTER(min_float64, double, a != a || a < b ? a : b)

/* Sums are the gradient of gather: special cases for contiguous elements and for rows. */
#define SCATTER_SUMS(T)                                                                          \
    SCATTER(sum_each_##T, T, a + b)                                                              \
    static void sum_##T(int64_t n, char *const *p, const int64_t *s, const void *context) {      \
        const int64_t T_ = sizeof(T);                                                            \
        LAYOUT;                                                                                  \
        OPERANDS;                                                                                \
        if (y_stride == 0 && at_stride == 8 && x_stride == T_ && layout.stride == T_)            \
            for (int64_t i = 0; i < n; i++) ((T *)y)[((const int64_t *)at)[i]] += ((const T *)x)[i]; \
        else                                                                                     \
            sum_each_##T(n, p, s, context);                                                      \
    }                                                                                            \
    static void sum_rows_##T(int64_t n, char *const *p, const int64_t *s, const void *context) { \
        LAYOUT;                                                                                  \
        OPERANDS;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T *to = (T *)(y + i * y_stride + INDEX(i) * layout.stride);                          \
            const T *from = (const T *)(x + i * x_stride);                                       \
            TG_INDEPENDENT                                                                       \
            for (int64_t j = 0; j < layout.row / (int64_t)sizeof(T); j++) to[j] += from[j];      \
        }                                                                                        \
    }
SCATTER_SUMS(float)
SCATTER_SUMS(double)

/* ---- iteration ---- */

typedef struct IndexJob {
    const Walk *walk;
    Loop each, rows; /* elementwise, and by rows (may be NULL) */
    IndexLayout layout;
    int64_t size;    /* of an element */
    int split_dim;         /* the dim that is divided among threads */
} IndexJob;

/* Elements from .. to - 1 of the split dim. Where the index is constant along dim 0 and the others are contiguous
 * there, dim 0 is the row, and the iteration has one dim less. */
static void run_part(int64_t from, int64_t to, void *context) {
    const IndexJob *job = context;
    Walk w = *job->walk;
    IndexLayout layout = job->layout;
    w.shape[job->split_dim] = to - from;
    for (int i = 0; i < w.operands; i++) w.data[i] += from * w.steps[i][job->split_dim];
    const bool contiguous_rows = job->rows && w.ndim > 1 && w.steps[1][0] == 0 && w.steps[0][0] == job->size;
    const bool fills = contiguous_rows && job->rows == set_rows && w.steps[2][0] == 0 && w.steps[2][1] == 0;
    const bool rows = fills || (contiguous_rows && w.steps[2][0] == job->size);
    if (rows) {
        layout.row = w.shape[0] * job->size;
        layout.size = job->size;
        w.ndim--;
        memmove(w.shape, w.shape + 1, (size_t)w.ndim * sizeof *w.shape);
        for (int i = 0; i < w.operands; i++) memmove(w.steps[i], w.steps[i] + 1, (size_t)w.ndim * sizeof **w.steps);
    }
    tg_walk_run(&w, fills ? fill_rows : rows ? job->rows : job->each, &layout);
}

/* Threads split a dim along which y has a nonzero stride, so no two of them write to the same element. */
static void run_index_job(IndexJob *job, Tensor *y, Tensor *index, Tensor *x) {
    enum { MIN_ELEMENTS = 64 };
    Walk w;
    const int64_t n = tg_numel(y);
    if (n == 0) return;
    tg_walk_plan(&w, y, (Tensor *[]){index, x}, 2);
    job->walk = &w;
    job->size = (int64_t)tg_itemsize(y->dtype);
    for (int d = 1; d < w.ndim; d++)
        if (w.steps[0][d] && (!w.steps[0][job->split_dim] || w.shape[d] > w.shape[job->split_dim])) job->split_dim = d;
    const int64_t length = w.shape[job->split_dim], grain = TG_WALK_GRAIN / (n / length) + 1;
    const bool divided = n > 2 * TG_WALK_GRAIN && w.steps[0][job->split_dim];
    const int64_t share = job->split_dim == 0 && grain < MIN_ELEMENTS ? MIN_ELEMENTS : grain;
    tg_parallel(length, divided ? share : length, run_part, job);
}

void tg_run_gather(Tensor *y, Tensor *index, Tensor *x, int64_t stride) {
    const size_t size = tg_itemsize(x->dtype);
    IndexJob job = {.rows = gather_rows, .layout = {.stride = stride}};
    job.each = size == 1 ? gather_8 : size == 4 ? gather_32 : gather_64;
    run_index_job(&job, y, index, x);
}

void tg_run_scatter(Scatter how, Tensor *y, Tensor *index, Tensor *x, int64_t stride) {
    static const Loop loops[SCATTERS][T_DTYPES] = {
        [SCATTER_SET] = {NULL, set_8, set_64, set_32, set_64},
        [SCATTER_SUM] = {NULL, sum_bool, sum_long, sum_float, sum_double},
        [SCATTER_PROD] = {NULL, prod_bool, prod_int64, prod_float32, prod_float64},
        [SCATTER_MAX] = {NULL, sum_bool, max_int64, max_float32, max_float64},
        [SCATTER_MIN] = {NULL, prod_bool, min_int64, min_float32, min_float64},
    };
    static LoopTable rows_of_sums = {[t_float32] = sum_rows_float, [t_float64] = sum_rows_double};
    IndexJob job = {.each = loops[how][y->dtype], .layout = {.stride = stride}};
    job.rows = how == SCATTER_SET ? set_rows : how == SCATTER_SUM ? rows_of_sums[y->dtype] : NULL;
    run_index_job(&job, y, index, x);
}

Tensor tg_as_indexed(const Tensor *x, int dim, const Tensor *index) {
    Tensor over = *x; /* a 0-dim x or index counts as a vector of one element */
    over.ndim = index->ndim;
    memcpy(over.shape, index->shape, sizeof over.shape);
    over.strides[dim] = 0;
    return over;
}

void tg_scatter_into(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter how) {
    Tensor over = tg_as_indexed(y, dim, index);
    tg_run_scatter(how, &over, index, src, y->ndim ? y->strides[dim] * (int64_t)tg_itemsize(y->dtype) : 0);
}
