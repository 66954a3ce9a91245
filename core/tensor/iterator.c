/* core/tensor/iterator.c: broadcasting, output layout, and iteration over strided operands with one inner loop, as in
 * PyTorch's TensorIterator. */
#include "core/tensor/dtype_convert.h"
#include "core/tensor/iterator_internal.h"
#include "core/tensor/size_arithmetic.h"

#include <string.h>

#include "core/kernels/parallel.h"

/* ---- broadcasting ---- */

bool tg_broadcast_shape(Tensor *const *x, int count, int64_t *shape, int *ndim) {
    int rank = 0;
    for (int i = 0; i < count; i++) rank = x[i]->ndim > rank ? x[i]->ndim : rank;
    for (int d = 0; d < rank; d++) shape[d] = 1;
    for (int i = 0; i < count; i++)
        for (int d = x[i]->ndim - 1; d >= 0; d--) {
            int at = rank - x[i]->ndim + d;
            int64_t size = x[i]->shape[d];
            if (size == 1 || size == shape[at]) continue;
            if (shape[at] != 1)
                return tg_fail("The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton "
                               "dimension %d", (long long)shape[at], (long long)size, at);
            shape[at] = size;
        }
    *ndim = rank;
    return true;
}

/* A stride in bytes. For an empty x it may overflow; then it is never used. */
static int64_t in_bytes(int64_t stride, int64_t itemsize) {
    return (int64_t)((uint64_t)stride * (uint64_t)itemsize);
}

/* The byte strides of x over a shape that it broadcasts to: 0 along broadcast dims. */
static void broadcast_strides(const Tensor *x, int ndim, int64_t *strides) {
    int64_t itemsize = (int64_t)tg_itemsize(x->dtype);
    int missing = ndim - x->ndim;
    for (int d = 0; d < ndim; d++)
        strides[d] = d < missing || x->shape[d - missing] == 1 ? 0 : in_bytes(x->strides[d - missing], itemsize);
}

/* ---- the order of dims ----
 * An insertion sort from the last dim (innermost by default) to the first, as in PyTorch's TensorIterator: the first
 * operand whose strides of the two dims differ decides. */

static int compare_dims(const Iterator *it, int inner, int outer) {
    for (int i = 0; i < it->operands; i++) {
        int64_t a = it->strides[i][inner], b = it->strides[i][outer];
        if (a == 0 || b == 0) continue;
        if (a != b) return a < b ? -1 : 1;
        if (it->shape[inner] > it->shape[outer]) return 1;
    }
    return 0;
}

static void order_dims(const Iterator *it, int *order) {
    for (int d = 0; d < it->ndim; d++) order[d] = it->ndim - 1 - d;
    for (int i = 1; i < it->ndim; i++)
        for (int moving = i, d = i - 1; d >= 0; d--) {
            int side = compare_dims(it, order[d], order[moving]);
            if (side < 0) break;
            if (side == 0) continue;
            int swapped = order[d];
            order[d] = order[moving];
            order[moving] = swapped;
            moving = d;
        }
}

Tensor *tg_empty_elementwise(Tensor *const *x, int count, const int64_t *shape, int ndim, t_DType dtype) {
    Iterator it = {.operands = count, .ndim = ndim};
    int order[T_MAX_DIMS];
    int64_t strides[T_MAX_DIMS], stride = 1;
    for (int d = 0; d < ndim; d++) it.shape[d] = shape[d];
    for (int i = 0; i < count; i++) broadcast_strides(x[i], ndim, it.strides[i]);
    order_dims(&it, order);
    for (int d = 0; d < ndim; d++) {
        strides[order[d]] = stride;
        stride = tg_size_mul(stride, shape[order[d]] > 1 ? shape[order[d]] : 1);
    }
    return tg_empty_strided(shape, strides, ndim, dtype);
}

Tensor *tg_empty_like(const Tensor *x, t_DType dtype) {
    if (tg_is_dense(x)) return tg_empty_strided(x->shape, x->strides, x->ndim, dtype);
    return tg_empty_elementwise((Tensor *const *)&x, 1, x->shape, x->ndim, dtype);
}

/* ---- iteration ---- */

/* x's byte stride along the flattened y, which is contiguous: the item size if x is contiguous, 0 if x is one element
 * or one that is expanded; -1 if there is no such single stride. */
static int64_t flat_stride(const Tensor *x, const Tensor *y) {
    if (tg_numel(x) == 1) return 0;
    if (!tg_same_shape(x, y)) return -1;
    if (tg_is_contiguous(x)) return (int64_t)tg_itemsize(x->dtype);
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] > 1 && x->strides[d]) return -1;
    return 0;
}

static bool is_contiguous_run(Iterator *it, Tensor *y, Tensor *const *x) {
    if (!tg_is_contiguous(y)) return false;
    for (int i = 1; i < it->operands; i++)
        if ((it->strides[i][0] = flat_stride(x[i - 1], y)) < 0) return false;
    it->strides[0][0] = (int64_t)tg_itemsize(y->dtype);
    it->shape[0] = tg_numel(y);
    it->ndim = 1;
    return true;
}

/* Coalesces dim `from` into dim `into` (the next inner one) if one stride covers both in every operand. */
static bool coalesce(Iterator *it, int into, int from) {
    if (it->shape[from] == 1) return true;
    bool single = it->shape[into] == 1;
    for (int i = 0; i < it->operands; i++)
        if (!single && it->strides[i][from] != it->shape[into] * it->strides[i][into]) return false;
    for (int i = 0; single && i < it->operands; i++) it->strides[i][into] = it->strides[i][from];
    it->shape[into] *= it->shape[from];
    return true;
}

static void set_dim(Iterator *it, int d, const Iterator *from, int from_d) {
    it->shape[d] = from->shape[from_d];
    for (int i = 0; i < it->operands; i++) it->strides[i][d] = from->strides[i][from_d];
}

/* Sets the dims of it to those of `given` (in the tensors' order), sorted by stride and coalesced. */
static void sort_and_coalesce(Iterator *it, const Iterator *given) {
    int order[T_MAX_DIMS] = {0}, last = 0;
    if (given->ndim > 1) order_dims(given, order);
    set_dim(it, 0, given, order[0]);
    for (int d = 1; d < given->ndim; d++) {
        set_dim(it, last + 1, given, order[d]);
        if (!coalesce(it, last, last + 1)) last++;
    }
    it->ndim = last + 1;
}

static void plan(Iterator *it, Tensor *y, Tensor *const *x) {
    Iterator given;
    given.operands = it->operands;
    given.ndim = y->ndim;
    given.shape[0] = 1; /* for a 0-dim y */
    for (int i = 0; i < it->operands; i++) given.strides[i][0] = 0;
    for (int d = 0; d < y->ndim; d++) given.shape[d] = y->shape[d];
    broadcast_strides(y, y->ndim, given.strides[0]);
    for (int i = 1; i < it->operands; i++) broadcast_strides(x[i - 1], y->ndim, given.strides[i]);
    sort_and_coalesce(it, &given);
}

/* The argument of the threads. */
typedef struct Shared {
    const Iterator *it;
    Loop loop;
    const void *context;
} Shared;

/* Where the index of dim d has reached its size, resets it and increments the next dim, and so on. False at the end. */
static bool next_index(const Iterator *it, int d, int64_t *index, char **data) {
    for (; index[d] == it->shape[d]; d++) {
        if (d + 1 == it->ndim) return false;
        for (int i = 0; i < it->operands; i++) data[i] += it->strides[i][d + 1] - it->strides[i][d] * it->shape[d];
        index[d] = 0;
        index[d + 1]++;
    }
    return true;
}

/* Calls the loop on complete rows of dim 0 along dim 1, for at most `left` elements. Returns the number of elements. */
static int64_t run_rows(const Shared *shared, int64_t left, const int64_t *strides, int64_t *index, char **data) {
    const Iterator *it = shared->it;
    const int64_t n = it->shape[0], to_come = it->shape[1] - index[1], rows = left / n < to_come ? left / n : to_come;
    for (int64_t row = 0; row < rows; row++) {
        shared->loop(n, data, strides, shared->context);
        for (int i = 0; i < it->operands; i++) data[i] += it->strides[i][1];
    }
    index[1] += rows;
    return rows * n;
}

/* The elements from .. to - 1 in iteration order. */
static void run_range(int64_t from, int64_t to, void *context) {
    const Shared *shared = context;
    const Iterator *it = shared->it;
    int64_t strides[TG_OPERANDS] = {0}, index[T_MAX_DIMS] = {0};
    char *data[TG_OPERANDS];
    memcpy(data, it->data, sizeof data);
    for (int i = 0; i < it->operands; i++) strides[i] = it->strides[i][0];
    int64_t rest = from;
    for (int d = 0; rest > 0; d++) { /* the multi-dimensional index of `from` */
        index[d] = rest % it->shape[d];
        rest /= it->shape[d];
        for (int i = 0; i < it->operands; i++) data[i] += index[d] * it->strides[i][d];
    }
    while (from < to) {
        const bool rows = index[0] == 0 && to - from >= it->shape[0] && it->ndim > 1;
        if (rows) {
            from += run_rows(shared, to - from, strides, index, data);
        } else {
            int64_t n = it->shape[0] - index[0] < to - from ? it->shape[0] - index[0] : to - from;
            shared->loop(n, data, strides, shared->context);
            from += n;
            index[0] += n;
            for (int i = 0; i < it->operands; i++) data[i] += n * strides[i];
        }
        if (!next_index(it, rows, index, data)) return;
    }
}

/* With dims sorted by stride, each stride of y is at least the extent of the dims inside it: no elements overlap. */
bool tg_iterator_no_overlap(const Iterator *it) {
    int64_t reach = 1;
    for (int d = 0; d < it->ndim; d++) {
        if (it->shape[d] == 1) continue;
        if (it->strides[0][d] < reach) return false;
        reach = tg_size_mul(it->shape[d], it->strides[0][d]);
    }
    return true;
}

/* ---- narrow dtypes (float16, int32, ...) ---- */

/* A loop that computes in the wide dtype of its operands. */
typedef struct WideLoop {
    Loop loop;
    const void *context;
    int operands;
    t_DType dtypes[TG_OPERANDS]; /* of each operand that is converted; 0: it is read or written as it is */
} WideLoop;

/* Converts chunks of the inputs, runs the loop on them, and converts its output. */
static void run_wide_loop(int64_t n, char *const *data, const int64_t *strides, const void *context) {
    enum { CHUNK = 256 };
    const WideLoop *wide = context;
    int64_t chunks[TG_OPERANDS][CHUNK], chunk_strides[TG_OPERANDS];
    char *at[TG_OPERANDS], *in_chunk[TG_OPERANDS];
    for (int i = 0; i < wide->operands; i++) at[i] = data[i];
    for (int64_t count; n > 0; n -= count) {
        count = n < CHUNK ? n : CHUNK;
        for (int i = 0; i < wide->operands; i++) {
            const t_DType dtype = wide->dtypes[i], to = tg_wide(dtype);
            const bool is_one = i > 0 && strides[i] == 0;
            in_chunk[i] = dtype ? (char *)chunks[i] : at[i];
            chunk_strides[i] = !dtype ? strides[i] : is_one ? 0 : (int64_t)tg_itemsize(to);
            if (dtype && i > 0)
                tg_convert_elements(is_one ? 1 : count, (Elements){to, in_chunk[i], (int64_t)tg_itemsize(to)},
                                    (Elements){dtype, at[i], strides[i]});
        }
        wide->loop(count, in_chunk, chunk_strides, wide->context);
        if (wide->dtypes[0])
            tg_convert_elements(count, (Elements){wide->dtypes[0], at[0], strides[0]},
                                (Elements){tg_wide(wide->dtypes[0]), in_chunk[0], chunk_strides[0]});
        for (int i = 0; i < wide->operands; i++) at[i] += count * strides[i];
    }
}

/* Replaces *loop and *context if the loop of the wide dtype runs over operands of a narrow one. */
static void widen_loop(WideLoop *wide, Loop *loop, const void **context, const Tensor *y, Tensor *const *x, int count,
                       t_DType dtype) {
    if (!dtype || !(tg_is_narrow(dtype) || tg_is_narrow(y->dtype))) return;
    *wide = (WideLoop){*loop, *context, count + 1, {tg_is_narrow(y->dtype) ? y->dtype : 0}};
    for (int i = 0; i < count; i++) wide->dtypes[i + 1] = tg_is_narrow(dtype) && x[i]->dtype == dtype ? dtype : 0;
    *loop = run_wide_loop;
    *context = wide;
}

/* Replaces one-element inputs of another dtype than `dtype`, whose wide dtype the loop reads, by their converted
 * values. */
static void convert_scalars(Iterator *it, Tensor *const *x, t_DType dtype, int64_t *cells) {
    for (int i = 1; i < it->operands; i++) {
        if (x[i - 1]->dtype == dtype || tg_numel(x[i - 1]) != 1) continue;
        tg_convert_elements(1, (Elements){tg_wide(dtype), (char *)&cells[i], 0},
                            (Elements){x[i - 1]->dtype, it->data[i], 0});
        it->data[i] = (char *)&cells[i];
    }
}

void tg_iterator_plan(Iterator *it, Tensor *y, Tensor *const *x, int count) {
    it->operands = count + 1;
    it->data[0] = tg_data(y);
    for (int i = 0; i < count; i++) it->data[i + 1] = tg_data(x[i]);
    if (!is_contiguous_run(it, y, x)) plan(it, y, x);
}

void tg_iterator_run(const Iterator *it, Loop loop, const void *context) {
    if (it->ndim == 1) {
        int64_t strides[TG_OPERANDS];
        for (int i = 0; i < it->operands; i++) strides[i] = it->strides[i][0];
        loop(it->shape[0], it->data, strides, context);
    } else {
        run_range(0, tg_shape_numel(it->shape, it->ndim), &(Shared){it, loop, context});
    }
}

void tg_run(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context) {
    Iterator it;
    WideLoop wide;
    int64_t cells[TG_OPERANDS];
    if (tg_numel(y) == 0) return;
    tg_iterator_plan(&it, y, x, count);
    if (dtype) convert_scalars(&it, x, dtype, cells);
    widen_loop(&wide, &loop, &context, y, x, count, dtype);
    tg_iterator_run(&it, loop, context);
}

static void run_all(const Iterator *it, int64_t n, int64_t grain, Loop loop, const void *context) {
    if (n > 2 * grain && tg_iterator_no_overlap(it))
        tg_parallel(n, grain ? grain : 1, run_range, &(Shared){it, loop, context});
    else tg_iterator_run(it, loop, context);
}

void tg_run_costly(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context,
                   int64_t cost) {
    Iterator it;
    WideLoop wide;
    int64_t cells[TG_OPERANDS], n = tg_numel(y), grain = TG_GRAIN_SIZE / (cost ? cost : 1);
    if (n == 0) return;
    tg_iterator_plan(&it, y, x, count);
    if (dtype) convert_scalars(&it, x, dtype, cells);
    widen_loop(&wide, &loop, &context, y, x, count, dtype);
    run_all(&it, n, grain, loop, context);
}

void tg_run_shared(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context) {
    Iterator it;
    WideLoop wide;
    int64_t cells[TG_OPERANDS], sizes[TG_OPERANDS], n = tg_numel(y);
    if (n == 0) return;
    tg_iterator_plan(&it, y, x, count);
    if (dtype) convert_scalars(&it, x, dtype, cells);
    widen_loop(&wide, &loop, &context, y, x, count, dtype);
    sizes[0] = (int64_t)tg_itemsize(y->dtype);
    for (int i = 0; i < count; i++) sizes[i + 1] = (int64_t)tg_itemsize(x[i]->dtype);
    if (it.ndim > 1 && tg_iterator_run_tiles(&it, sizes, loop, context)) return;
    if (it.ndim > 1 && tg_iterator_run_short_rows(&it, sizes, loop, context)) return;
    run_all(&it, n, TG_GRAIN_SIZE, loop, context);
}

void tg_run_alike(Loop loop, int64_t n, Tensor *y, Tensor *const *x, int count, const void *context) {
    char *data[TG_OPERANDS];
    int64_t strides[TG_OPERANDS];
    if (n > 2 * TG_GRAIN_SIZE) {
        tg_run_shared(loop, y, x, count, 0, context);
        return;
    }
    data[0] = tg_data(y);
    strides[0] = (int64_t)tg_itemsize(y->dtype);
    for (int i = 0; i < count; i++) {
        data[i + 1] = tg_data(x[i]);
        strides[i + 1] = (int64_t)tg_itemsize(x[i]->dtype);
    }
    loop(n, data, strides, context);
}
