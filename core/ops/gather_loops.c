/* core/ops/gather_loops.c: the walk that reads or writes elements at an index: a run at a time, or where the index stays the same
 * along the innermost dim, whole rows; on all threads. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/gather_internal.h"
#include "core/tensor/iterator_internal.h"

/* What the loops know: how far an index of 1 leads, and the size of a row and of an element, in bytes. */
typedef struct Place {
    int64_t step, row, size;
} Place;
#define PLACE const Place place = *(const Place *)context
/* The loops' operands in variables of their own: what is written might be the arrays that hold them. */
#define OPERANDS                                                                                 \
    char *const y = p[0];                                                                        \
    const char *const at = p[1], *const x = p[2];                                                \
    const int64_t y_step = s[0], at_step = s[1], x_step = s[2]
#define INDEX(i) (*(const int64_t *)(at + (i) * at_step))

/* ---- reading: elements are so many bytes ---- */

#define GATHER(name, T)                                                                          \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        const int64_t T_ = sizeof(T);                                                            \
        PLACE;                                                                                   \
        OPERANDS;                                                                                \
        if (y_step == T_ && at_step == 8 && x_step == 0 && place.step == T_) {                   \
            for (int64_t i = 0; i < n; i++) ((T *)y)[i] = ((const T *)x)[((const int64_t *)at)[i]]; \
        } else {                                                                                 \
            for (int64_t i = 0; i < n; i++)                                                      \
                *(T *)(y + i * y_step) = *(const T *)(x + i * x_step + INDEX(i) * place.step);   \
        }                                                                                        \
    }
GATHER(gather_8, uint8_t)
GATHER(gather_32, Bits32)
GATHER(gather_64, Bits64)

/* Rows of `row` bytes. Short ones in words: a call costs more than they do. */
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
    PLACE;
    OPERANDS;
    for (int64_t i = 0; i < n; i++) copy_row(y + i * y_step, x + i * x_step + INDEX(i) * place.step, place.row);
}

static void set_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    PLACE;
    OPERANDS;
    for (int64_t i = 0; i < n; i++) copy_row(y + i * y_step + INDEX(i) * place.step, x + i * x_step, place.row);
}

/* Rows of one number, the same for all: they are copied from the first. */
static void fill_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    PLACE;
    char *first = NULL;
    for (int64_t i = 0; i < n; i++) {
        char *to = p[0] + i * s[0] + *(const int64_t *)(p[1] + i * s[1]) * place.step;
        if (!first) {
            first = to;
            for (int64_t j = 0; j < place.row; j += place.size) memcpy(to + j, p[2], (size_t)place.size);
        } else if (to != first) {
            memcpy(to, first, (size_t)place.row);
        }
    }
}

/* ---- writing: `expression` puts a, which stands there, and b, which comes, together ---- */

#define SCATTER(name, T, expression)                                                             \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        PLACE;                                                                                   \
        OPERANDS;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T *to = (T *)(y + i * y_step + INDEX(i) * place.step), a = *to, b = *(const T *)(x + i * x_step); \
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
/* NaN wins. */
SCATTER(max_int64, int64_t, a > b ? a : b)
SCATTER(max_float32, float, a != a || a > b ? a : b)
SCATTER(max_float64, double, a != a || a > b ? a : b)
SCATTER(min_int64, int64_t, a < b ? a : b)
SCATTER(min_float32, float, a != a || a < b ? a : b)
SCATTER(min_float64, double, a != a || a < b ? a : b)

/* Sums are gradients, too: of elements side by side, and of rows. */
#define SCATTER_SUMS(T)                                                                          \
    SCATTER(sum_each_##T, T, a + b)                                                              \
    static void sum_##T(int64_t n, char *const *p, const int64_t *s, const void *context) {      \
        const int64_t T_ = sizeof(T);                                                            \
        PLACE;                                                                                   \
        OPERANDS;                                                                                \
        if (y_step == 0 && at_step == 8 && x_step == T_ && place.step == T_)                     \
            for (int64_t i = 0; i < n; i++) ((T *)y)[((const int64_t *)at)[i]] += ((const T *)x)[i]; \
        else                                                                                     \
            sum_each_##T(n, p, s, context);                                                      \
    }                                                                                            \
    static void sum_rows_##T(int64_t n, char *const *p, const int64_t *s, const void *context) { \
        PLACE;                                                                                   \
        OPERANDS;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T *to = (T *)(y + i * y_step + INDEX(i) * place.step);                               \
            const T *from = (const T *)(x + i * x_step);                                         \
            TG_INDEPENDENT                                                                       \
            for (int64_t j = 0; j < place.row / (int64_t)sizeof(T); j++) to[j] += from[j];       \
        }                                                                                        \
    }
SCATTER_SUMS(float)
SCATTER_SUMS(double)

/* ---- the walk ---- */

typedef struct Indexed {
    const Walk *walk;
    Loop each, rows; /* rows may be NULL */
    Place place;
    int64_t size;    /* of an element */
    int cut;         /* the dim that is divided */
} Indexed;

/* Elements from .. to - 1 of the dim that is cut. Where the index stays and the others lie side by side along dim 0, its runs are
 * the rows of a walk with one dim less. */
static void run_part(int64_t from, int64_t to, void *context) {
    const Indexed *job = context;
    Walk w = *job->walk;
    Place place = job->place;
    w.shape[job->cut] = to - from;
    for (int i = 0; i < w.operands; i++) w.data[i] += from * w.steps[i][job->cut];
    const bool side_by_side = job->rows && w.ndim > 1 && w.steps[1][0] == 0 && w.steps[0][0] == job->size;
    const bool fills = side_by_side && job->rows == set_rows && w.steps[2][0] == 0 && w.steps[2][1] == 0;
    const bool rows = fills || (side_by_side && w.steps[2][0] == job->size);
    if (rows) {
        place.row = w.shape[0] * job->size;
        place.size = job->size;
        w.ndim--;
        memmove(w.shape, w.shape + 1, (size_t)w.ndim * sizeof *w.shape);
        for (int i = 0; i < w.operands; i++) memmove(w.steps[i], w.steps[i] + 1, (size_t)w.ndim * sizeof **w.steps);
    }
    tg_walk_run(&w, fills ? fill_rows : rows ? job->rows : job->each, &place);
}

/* Threads share a dim along which y moves on: so no two of them meet. */
static void run_indexed(Indexed *job, Tensor *y, Tensor *index, Tensor *x) {
    enum { LINES = 64 };
    Walk w;
    const int64_t n = tg_numel(y);
    if (n == 0) return;
    tg_walk_plan(&w, y, (Tensor *[]){index, x}, 2);
    job->walk = &w;
    job->size = (int64_t)tg_itemsize(y->dtype);
    for (int d = 1; d < w.ndim; d++)
        if (w.steps[0][d] && (!w.steps[0][job->cut] || w.shape[d] > w.shape[job->cut])) job->cut = d;
    const int64_t length = w.shape[job->cut], grain = TG_WALK_GRAIN / (n / length) + 1;
    const bool divided = n > 2 * TG_WALK_GRAIN && w.steps[0][job->cut];
    tg_parallel(length, !divided ? length : job->cut == 0 && grain < LINES ? LINES : grain, run_part, job);
}

void tg_run_gather(Tensor *y, Tensor *index, Tensor *x, int64_t step) {
    const size_t size = tg_itemsize(x->dtype);
    Indexed job = {.each = size == 1 ? gather_8 : size == 4 ? gather_32 : gather_64, .rows = gather_rows, .place = {.step = step}};
    run_indexed(&job, y, index, x);
}

void tg_run_scatter(Scatter how, Tensor *y, Tensor *index, Tensor *x, int64_t step) {
    static const Loop loops[SCATTERS][T_DTYPES] = {
        [SCATTER_SET] = {NULL, set_8, set_64, set_32, set_64},
        [SCATTER_SUM] = {NULL, sum_bool, sum_long, sum_float, sum_double},
        [SCATTER_PROD] = {NULL, prod_bool, prod_int64, prod_float32, prod_float64},
        [SCATTER_MAX] = {NULL, sum_bool, max_int64, max_float32, max_float64},
        [SCATTER_MIN] = {NULL, prod_bool, min_int64, min_float32, min_float64},
    };
    static LoopTable rows_of_sums = {[t_float32] = sum_rows_float, [t_float64] = sum_rows_double};
    Indexed job = {.each = loops[how][y->dtype], .place = {.step = step}};
    job.rows = how == SCATTER_SET ? set_rows : how == SCATTER_SUM ? rows_of_sums[y->dtype] : NULL;
    run_indexed(&job, y, index, x);
}

Tensor tg_under_index(const Tensor *x, int dim, const Tensor *index) {
    Tensor over = *x; /* a 0-dim x, or a 0-dim index, stands for one of one element */
    over.ndim = index->ndim;
    memcpy(over.shape, index->shape, sizeof over.shape);
    over.strides[dim] = 0;
    return over;
}

void tg_scatter_into(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter how) {
    Tensor over = tg_under_index(y, dim, index);
    tg_run_scatter(how, &over, index, src, y->ndim ? y->strides[dim] * (int64_t)tg_itemsize(y->dtype) : 0);
}
