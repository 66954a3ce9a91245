/* core/ops/indexing/gather_loops.c: the loops that read or write elements at an index: elementwise, or whole rows where
 * the index is constant along the innermost dim; on all threads. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/indexing/gather_internal.h"
#include "core/tensor/iterator_internal.h"

/* The bytes that an index of 1 moves by, and the bytes of a row. */
typedef struct IndexLayout {
    int64_t stride, row;
} IndexLayout;

/* The operands in local variables: a store might alias the arrays p and s. */
#define OPERANDS                                                                                 \
    const IndexLayout layout = *(const IndexLayout *)context;                                    \
    char *const y = p[0];                                                                        \
    const char *const at = p[1], *const x = p[2];                                                \
    const int64_t y_stride = s[0], at_stride = s[1], x_stride = s[2]
#define OFFSET(i) (*(const int64_t *)(at + (i) * at_stride) * layout.stride)

/* ---- reading: only the size of an element matters ---- */

#define GATHER(name, T)                                                                          \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        OPERANDS;                                                                                \
        for (int64_t i = 0; i < n; i++)                                                          \
            *(T *)(y + i * y_stride) = *(const T *)(x + i * x_stride + OFFSET(i));               \
    }
GATHER(gather_8, uint8_t)
GATHER(gather_16, Bits16)
GATHER(gather_32, Bits32)
GATHER(gather_64, Bits64)

static void gather_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    OPERANDS;
    for (int64_t i = 0; i < n; i++) memcpy(y + i * y_stride, x + i * x_stride + OFFSET(i), (size_t)layout.row);
}

/* ---- writing: `expression` combines a, the old element, and b, the new one ---- */

#define SCATTER(name, T, expression)                                                                  \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {              \
        OPERANDS;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                             \
            T *to = (T *)(y + i * y_stride + OFFSET(i)), a = *to, b = *(const T *)(x + i * x_stride); \
            (void)a;                                                                                  \
            *to = (T)(expression);                                                                    \
        }                                                                                             \
    }
SCATTER(set_8, uint8_t, b)
SCATTER(set_16, Bits16, b)
SCATTER(set_32, Bits32, b)
SCATTER(set_64, Bits64, b)
SCATTER(sum_bool, bool, a || b)
SCATTER(sum_int64, int64_t, (uint64_t)a + (uint64_t)b)
SCATTER(sum_float32, float, a + b)
SCATTER(sum_float64, double, a + b)
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

static void set_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    OPERANDS;
    for (int64_t i = 0; i < n; i++) memcpy(y + i * y_stride + OFFSET(i), x + i * x_stride, (size_t)layout.row);
}

/* Sums of rows are the gradient of embedding and index_select. */
#define SUM_ROWS(name, T)                                                                        \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        OPERANDS;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T *to = (T *)(y + i * y_stride + OFFSET(i));                                         \
            const T *from = (const T *)(x + i * x_stride);                                       \
            TG_INDEPENDENT                                                                       \
            for (int64_t j = 0; j < layout.row / (int64_t)sizeof(T); j++) to[j] += from[j];      \
        }                                                                                        \
    }
SUM_ROWS(sum_rows_float32, float)
SUM_ROWS(sum_rows_float64, double)

/* ---- iteration ---- */

typedef struct IndexJob {
    const Iterator *it;
    Loop elements, rows; /* rows may be NULL */
    IndexLayout layout;
    int64_t size;  /* of an element */
    int split_dim; /* the dim that is divided among threads */
} IndexJob;

/* Elements from .. to - 1 of the split dim. Where the index is constant along dim 0 and the others are contiguous
 * there, dim 0 is the row, and the iteration has one dim less. */
static void run_part(int64_t from, int64_t to, void *context) {
    const IndexJob *job = context;
    Iterator it = *job->it;
    IndexLayout layout = job->layout;
    it.shape[job->split_dim] = to - from;
    for (int i = 0; i < it.operands; i++) it.data[i] += from * it.strides[i][job->split_dim];
    const bool rows = job->rows && it.ndim > 1 && it.strides[1][0] == 0 && it.strides[0][0] == job->size &&
                      it.strides[2][0] == job->size;
    if (rows) {
        layout.row = it.shape[0] * job->size;
        it.ndim--;
        memmove(it.shape, it.shape + 1, (size_t)it.ndim * sizeof *it.shape);
        for (int i = 0; i < it.operands; i++)
            memmove(it.strides[i], it.strides[i] + 1, (size_t)it.ndim * sizeof **it.strides);
    }
    tg_iterator_run(&it, rows ? job->rows : job->elements, &layout);
}

/* Threads split a dim along which y has a nonzero stride, so no two of them write to the same element. */
static void run_index_job(IndexJob *job, Tensor *y, Tensor *index, Tensor *x) {
    enum { MIN_ELEMENTS = 64 };
    Iterator it;
    const int64_t n = tg_numel(y);
    if (n == 0) return;
    tg_iterator_plan(&it, y, (Tensor *[]){index, x}, 2);
    job->it = &it;
    job->size = (int64_t)tg_itemsize(y->dtype);
    for (int d = 1; d < it.ndim; d++)
        if (it.strides[0][d] &&
            (!it.strides[0][job->split_dim] || it.shape[d] > it.shape[job->split_dim]))
            job->split_dim = d;
    const int64_t length = it.shape[job->split_dim], grain = TG_GRAIN_SIZE / (n / length) + 1;
    const bool divided = n > 2 * TG_GRAIN_SIZE && it.strides[0][job->split_dim];
    const int64_t share = job->split_dim == 0 && grain < MIN_ELEMENTS ? MIN_ELEMENTS : grain;
    tg_parallel(length, divided ? share : length, run_part, job);
}

void tg_run_gather(Tensor *y, Tensor *index, Tensor *x, int64_t stride) {
    const size_t size = tg_itemsize(x->dtype);
    IndexJob job = {.rows = gather_rows, .layout = {.stride = stride}};
    job.elements = size == 1 ? gather_8 : size == 2 ? gather_16 : size == 4 ? gather_32 : gather_64;
    run_index_job(&job, y, index, x);
}

void tg_run_scatter(Scatter mode, Tensor *y, Tensor *index, Tensor *x, int64_t stride) {
#define LOOPS(f, of_bool) \
    {[t_bool] = of_bool, [t_int64] = f##_int64, [t_float32] = f##_float32, [t_float64] = f##_float64}
    static const Loop elements[SCATTERS][T_DTYPES] = {
        [SCATTER_SET] = {[t_bool] = set_8, [t_uint8] = set_8, [t_int8] = set_8, [t_int16] = set_16, [t_int32] = set_32,
                         [t_int64] = set_64, [t_float16] = set_16, [t_bfloat16] = set_16, [t_float32] = set_32,
                         [t_float64] = set_64},
        [SCATTER_SUM] = LOOPS(sum, sum_bool),
        [SCATTER_PROD] = LOOPS(prod, prod_bool),
        [SCATTER_MAX] = LOOPS(max, sum_bool),
        [SCATTER_MIN] = LOOPS(min, prod_bool),
    };
    static LoopTable sums_of_rows = {[t_float32] = sum_rows_float32, [t_float64] = sum_rows_float64};
    IndexJob job = {.elements = elements[mode][y->dtype], .layout = {.stride = stride}};
    job.rows = mode == SCATTER_SET ? set_rows : mode == SCATTER_SUM ? sums_of_rows[y->dtype] : NULL;
    run_index_job(&job, y, index, x);
}

Tensor tg_as_indexed(const Tensor *x, int dim, const Tensor *index) {
    Tensor view = *x; /* a 0-dim x or index counts as a vector of one element */
    view.ndim = index->ndim;
    memcpy(view.shape, index->shape, sizeof view.shape);
    view.strides[dim] = 0;
    return view;
}

void tg_scatter_into(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter mode) {
    Tensor indexed = tg_as_indexed(y, dim, index);
    tg_run_scatter(mode, &indexed, index, src, y->ndim ? y->strides[dim] * (int64_t)tg_itemsize(y->dtype) : 0);
}
