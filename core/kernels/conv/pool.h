/* core/kernels/conv/pool.h: max and average pooling, and their gradients, on raw memory. */
#ifndef TAPEGRAD_CORE_KERNELS_CONV_POOL_H
#define TAPEGRAD_CORE_KERNELS_CONV_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tg_Pool {
    int64_t in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
    bool adaptive;          /* adaptive pooling: the window of an output is its share of the input */
    bool count_include_pad; /* average: the padding counts as zeros */
    int64_t divisor;        /* average: divisor_override, or 0 */
    void *x, *y;
    int64_t *indices;       /* max: of the maximum in its plane, or NULL */
} tg_Pool;

/* The elements from .. to - 1, every step-th, of output p's window along dim d; `all` counts the padding too. */
typedef struct tg_PoolRange {
    int64_t from, to, step, all;
} tg_PoolRange;

static inline tg_PoolRange tg_pool_range(const tg_Pool *w, int d, int64_t p) {
    int64_t in = w->in[d], out = w->out[d];
    if (w->adaptive) return (tg_PoolRange){p * in / out, ((p + 1) * in + out - 1) / out, 1, 0};
    int64_t step = w->dilation[d], from = p * w->stride[d] - w->padding[d], to = from + (w->kernel[d] - 1) * step + 1;
    int64_t padded = in + w->padding[d], all = (to < padded ? to : padded) - from;
    if (from < 0) from += (-from + step - 1) / step * step;
    return (tg_PoolRange){from, to < in ? to : in, step, all};
}

typedef enum tg_PoolPass { TG_POOL_MAX, TG_POOL_MAX_BACKWARD, TG_POOL_AVG, TG_POOL_AVG_BACKWARD } tg_PoolPass;
typedef enum tg_PoolDType { TG_POOL_F32, TG_POOL_F64, TG_POOL_I64 } tg_PoolDType;
/* One pass over a number of planes. */
void tg_pool(const tg_Pool *pool, tg_PoolPass pass, tg_PoolDType dtype, int64_t planes);

#endif
