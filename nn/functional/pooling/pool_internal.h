/* nn/functional/pooling/pool_internal.h: shared code of max and average pooling over the last two dims, by a sliding
 * window or adaptive, with one region per output (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_POOL_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_POOL_INTERNAL_H

#include "core/kernels/conv/pool.h"
#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/pooling/pooling.h"

typedef struct Pool {
    Window window;
    bool adaptive;
    bool count_include_pad; /* of average pooling: the padding counts as zeros */
    int64_t divisor;        /* of average pooling: divisor_override, 0 for none */
} Pool;

/* The indices that options ask for are NULL after an error. Options of an older program may be too short for them. */
#define TG_CLEAR_INDICES(options)                                                                          \
    do {                                                                                                   \
        if ((options) && (char *)(&(options)->indices + 1) - (char *)(options) <= (int64_t)(options)->size) \
            tg_clear_output((options)->indices);                                                           \
    } while (0)

/* Reads the options of pooling over `dims` dims; false with PyTorch's error. x: (N, C, H, W) or (C, H, W). */
bool tg_read_pool(const F_PoolOptions *options, int dims, F_PoolOptions *o, Pool *pool);
bool tg_check_pool(const Tensor *x, bool ceil_mode, Pool *pool);
/* Enough dims for a tuple of sizes; that for one size comes later, with another text. */
bool tg_check_adaptive_dims(const Tensor *x, const int64_t *output_size, int dims);
/* F.max_pool1d's without return_indices; pool: as tg_read_pool read it. */
bool tg_check_max_pool1d(const Tensor *x, bool ceil_mode, const Pool *pool);
bool tg_check_pool1d(const Tensor *x, const char *name); /* (N, C, L) or (C, L) */
/* The same for adaptive pooling, whose output sizes may be T_NONE. */
void tg_adaptive_pool(const Tensor *x, const int64_t *output_size, Pool *pool);

/* An empty y with x's batch and channels, and planes of that size. */
Tensor *tg_pooled(const Tensor *x, const int64_t plane[2], t_DType dtype);
/* Runs one pass (TG_POOL_MAX, ...) over contiguous planes; indices: of the maxima, or NULL. */
void tg_run_pool(const Pool *pool, tg_PoolPass pass, Tensor *x, Tensor *y, Tensor *indices);

#endif
