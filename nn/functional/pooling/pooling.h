/* nn/functional/pooling/pooling.h: F.max_pool2d, F.avg_pool2d and their kind (public; part of
 * nn/functional/functional.h). Pairs of sizes and options are as in convolution.h.
 *
 * The folder may include core/ and nn/functional/convolution, whose sliding window it uses. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_POOLING_H
#define TAPEGRAD_NN_FUNCTIONAL_POOLING_H

#include "nn/functional/convolution/convolution.h"

T_BEGIN_DECLS

/* ---- max_pool.c, avg_pool.c ---- */
typedef struct F_PoolOptions {
    uint32_t size;
    int64_t kernel_size[2], stride[2], padding[2]; /* a stride of T_NONE is the kernel's size */
    int64_t dilation[2];                           /* of max_pool */
    bool ceil_mode;
    bool count_include_pad;                        /* of avg_pool: true */
    int64_t divisor_override;                      /* of avg_pool: T_NONE is none */
    Tensor **indices;                              /* of max_pool, return_indices=True: flat indices in each plane */
} F_PoolOptions;
T_API extern const F_PoolOptions F_PoolDefaults; /* all but kernel_size */
T_API Tensor *F_max_pool1d(Tensor *x, const F_PoolOptions *options);        /* F.max_pool1d(x, kernel_size, ...) */
T_API Tensor *F_max_pool2d(Tensor *x, const F_PoolOptions *options);        /* F.max_pool2d(x, kernel_size, ...) */
T_API Tensor *F_avg_pool1d(Tensor *x, const F_PoolOptions *options);        /* F.avg_pool1d(x, kernel_size, ...) */
T_API Tensor *F_avg_pool2d(Tensor *x, const F_PoolOptions *options);        /* F.avg_pool2d(x, kernel_size, ...) */
T_API Tensor *F_adaptive_avg_pool1d(Tensor *x, int64_t output_size);                /* F.adaptive_avg_pool1d(x, 5) */
T_API Tensor *F_adaptive_avg_pool2d(Tensor *x,
                                    const int64_t output_size[2]); /* F.adaptive_avg_pool2d(x, 5); T_NONE: None */
T_API Tensor *F_adaptive_max_pool1d(Tensor *x, int64_t output_size, Tensor **indices); /* F.adaptive_max_pool1d(x, 5) */
T_API Tensor *F_adaptive_max_pool2d(Tensor *x, const int64_t output_size[2],
                                    Tensor **indices); /* F.adaptive_max_pool2d(x, 5) */

/* ---- lp_pool.c: options kernel_size, stride, ceil_mode; max_unpool.c: kernel_size, stride, padding ---- */
T_API Tensor *F_lp_pool1d(Tensor *x, double norm_type, const F_PoolOptions *options); /* F.lp_pool1d(x, 2, 3) */
T_API Tensor *F_lp_pool2d(Tensor *x, double norm_type, const F_PoolOptions *options); /* F.lp_pool2d(x, 2, 3) */
T_API Tensor *F_max_unpool1d(Tensor *x, Tensor *indices, const F_PoolOptions *options,
                             const int64_t *output_size); /* F.max_unpool1d(x, indices, 2); NULL: None */
T_API Tensor *F_max_unpool2d(Tensor *x, Tensor *indices, const F_PoolOptions *options,
                             const int64_t *output_size); /* F.max_unpool2d(x, indices, 2); NULL: None */

/* ---- over three dims (pool3d.c): {depth, height, width}, or {all three, F_BOTH} ---- */
typedef struct F_Pool3dOptions {
    uint32_t size;
    int64_t kernel_size[3], stride[3], padding[3], dilation[3];
    bool ceil_mode, count_include_pad;
    int64_t divisor_override;
    Tensor **indices;
} F_Pool3dOptions;
T_API extern const F_Pool3dOptions F_Pool3dDefaults; /* all but kernel_size */
T_API Tensor *F_max_pool3d(Tensor *x, const F_Pool3dOptions *options);      /* F.max_pool3d(x, kernel_size, ...) */
T_API Tensor *F_avg_pool3d(Tensor *x, const F_Pool3dOptions *options);      /* F.avg_pool3d(x, kernel_size, ...) */
T_API Tensor *F_lp_pool3d(Tensor *x, double norm_type, const F_Pool3dOptions *options); /* F.lp_pool3d(x, 2, 3) */
T_API Tensor *F_max_unpool3d(Tensor *x, Tensor *indices, const F_Pool3dOptions *options,
                             const int64_t *output_size); /* F.max_unpool3d(x, indices, 2); NULL: None */
T_API Tensor *F_adaptive_avg_pool3d(Tensor *x, const int64_t output_size[3]); /* F.adaptive_avg_pool3d(x, 5) */
T_API Tensor *F_adaptive_max_pool3d(Tensor *x, const int64_t output_size[3],
                                    Tensor **indices); /* F.adaptive_max_pool3d(x, 5) */

/* ---- fractional_max_pool.c: over two dims or three; of two dims the third of each size is ignored ---- */
typedef struct F_FractionalMaxPoolOptions {
    uint32_t size;
    int64_t kernel_size[3], output_size[3]; /* one for each dim, or {one, F_BOTH}; an output_size of T_NONE: by ratio */
    double output_ratio[3];                 /* one for each dim, or {one, NAN}; NAN: by output_size */
    Tensor **indices;                       /* return_indices=True */
    Tensor *_random_samples;                /* NULL: drawn */
} F_FractionalMaxPoolOptions;
T_API extern const F_FractionalMaxPoolOptions F_FractionalMaxPoolDefaults; /* all but kernel_size */
/* F.fractional_max_pool2d(x, 3, output_size=(13, 12)), F.fractional_max_pool3d(x, 3, output_ratio=0.5) */
T_API Tensor *F_fractional_max_pool2d(Tensor *x, const F_FractionalMaxPoolOptions *options);
T_API Tensor *F_fractional_max_pool3d(Tensor *x, const F_FractionalMaxPoolOptions *options);

T_END_DECLS
#endif
