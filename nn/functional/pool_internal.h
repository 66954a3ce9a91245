/* nn/functional/pool_internal.h: what max and average pooling share (internal): a window over the last two dims, or as many even parts of them as
 * there are outputs (adaptive). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_POOL_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_POOL_INTERNAL_H

#include "core/kernels/conv/pool.h"
#include "nn/functional/layers.h"
#include "nn/functional/sliding_window_internal.h"

typedef struct Pool {
    Window window;
    bool adaptive;
    bool count_include_pad; /* averages: the padding counts as zeros */
    int64_t divisor;        /* averages: 0 is none */
} Pool;

/* Reads the options of a pool over `dims` dims; false with PyTorch's error. x: (N, C, H, W) or (C, H, W). */
bool tg_read_pool(const F_PoolOptions *options, int dims, F_PoolOptions *o, Pool *pool);
bool tg_check_pool(const Tensor *x, bool ceil_mode, Pool *pool);
bool tg_check_pool1d(const Tensor *x, const char *name); /* (N, C, L) or (C, L) */
/* The same of an adaptive one, whose output sizes may be T_NONE. */
void tg_adaptive_pool(const Tensor *x, const int64_t *output_size, Pool *pool);

/* An empty y with as many planes as x. */
Tensor *tg_pooled(const Tensor *x, const int64_t plane[2], t_DType dtype);
Tensor *tg_dense_tensor(Tensor *x); /* x, or a contiguous copy without history */
/* Which of the kernels' functions (TG_POOL_LARGEST, ...) of planes that are contiguous; places may be NULL where there are none. */
void tg_run_pool(const Pool *pool, int which, Tensor *x, Tensor *y, Tensor *places);

#endif
