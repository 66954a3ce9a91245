/* nn/pool.h: what max and average pooling share (internal): a window over the last two dims, or as many even parts of them as
 * there are outputs (adaptive). */
#ifndef TAPEGRAD_NN_POOL_H
#define TAPEGRAD_NN_POOL_H

#include "nn/functional_layers.h"
#include "nn/window.h"

typedef struct Pool {
    Window window;
    bool adaptive;
    bool count_include_pad; /* averages: the padding counts as zeros */
    int64_t divisor;        /* averages: 0 is none */
} Pool;

/* The elements from `from` to `to` - 1, every step-th, that go into output p along dim d; `all` counts the padding too. */
typedef struct Span {
    int64_t from, to, step, all;
} Span;

static inline Span tg_span(const Pool *pool, int d, int64_t p) {
    const Window *w = &pool->window;
    int64_t in = w->in[d], out = w->out[d];
    if (pool->adaptive) return (Span){p * in / out, ((p + 1) * in + out - 1) / out, 1, 0};
    int64_t step = w->dilation[d], from = p * w->stride[d] - w->padding[d], to = from + (w->kernel[d] - 1) * step + 1;
    int64_t padded = in + w->padding[d], all = (to < padded ? to : padded) - from;
    if (from < 0) from += (-from + step - 1) / step * step;
    return (Span){from, to < in ? to : in, step, all};
}

/* Reads the options of a pool over `dims` dims; false with PyTorch's error. x: (N, C, H, W) or (C, H, W). */
bool tg_read_pool(const F_PoolOptions *options, int dims, F_PoolOptions *o, Pool *pool);
bool tg_check_pool(const Tensor *x, bool ceil_mode, Pool *pool);
bool tg_check_pool1d(const Tensor *x, const char *name); /* (N, C, L) or (C, L) */
/* The same of an adaptive one, whose output sizes may be T_NONE. */
void tg_adaptive_pool(const Tensor *x, const int64_t *output_size, Pool *pool);

/* How many planes x has, and an empty y with as many. */
int64_t tg_planes(const Tensor *x);
Tensor *tg_pooled(const Tensor *x, const int64_t plane[2], t_DType dtype);
Tensor *tg_dense_tensor(Tensor *x); /* x, or a contiguous copy without history */

#endif
