/* nn/modules/pooling.c: the pooling layers, which call the function of their name with the sizes given at construction.
 */
#include "nn/modules/pooling.h"

#include <stdio.h>
#include <string.h>

#include "nn/module/module_internal.h"
#include "nn/functional/convolution/sliding_window_internal.h"

/* ---- MaxPool, AvgPool ---- */

/* "2" for a single integer, "(2, 3)" for two; over one dim always a single integer. */
static SizesText size_of(const int64_t sizes[2], int dims) {
    return tg_tuple_repr((int64_t[]){sizes[0], dims == 1 ? F_BOTH : sizes[1]}, 2);
}

static const int64_t *stride_of(const F_PoolOptions *o) {
    return o->stride[0] == T_NONE ? o->kernel_size : o->stride;
}

static void write_max(const F_PoolOptions *o, int dims, char *text, size_t size) {
    snprintf(text, size, "kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s",
             size_of(o->kernel_size, dims).text, size_of(stride_of(o), dims).text, size_of(o->padding, dims).text,
             size_of(o->dilation, dims).text, o->ceil_mode ? "True" : "False");
}

/* PyTorch prints AvgPool1d's sizes as tuples. */
static void write_avg(const F_PoolOptions *o, int dims, char *text, size_t size) {
    snprintf(text, size, "kernel_size=%s, stride=%s, padding=%s", tg_tuple_repr(o->kernel_size, dims).text,
             tg_tuple_repr(stride_of(o), dims).text, tg_tuple_repr(o->padding, dims).text);
}

static nn_Pool *pool_new(const char *type, nn_Forward forward, void (*repr)(const void *self, char *text, size_t size),
                         const F_PoolOptions *options) {
    F_PoolOptions o = F_PoolDefaults;
    if (!options) return t_error() ? NULL : tg_fail("a pooling layer needs options: kernel_size has no default");
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    nn_Pool *self = (nn_Pool *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->base.extra_repr = repr;
    self->options = o;
    self->options.indices = NULL;
    return self;
}

#define POOL(Type, f, dims, write)                                                               \
    static Tensor *Type##_forward(void *self, Tensor *x) {                                       \
        return f(x, &((Type *)self)->options);                                                   \
    }                                                                                            \
    static void Type##_repr(const void *self, char *text, size_t size) {                         \
        write(&((const Type *)self)->options, dims, text, size);                                 \
    }                                                                                            \
    Type *Type##_new(const F_PoolOptions *options) {                                             \
        return pool_new(#Type, Type##_forward, Type##_repr, options);                            \
    }
POOL(nn_MaxPool1d, F_max_pool1d, 1, write_max)
POOL(nn_MaxPool2d, F_max_pool2d, 2, write_max)
POOL(nn_AvgPool1d, F_avg_pool1d, 1, write_avg)
POOL(nn_AvgPool2d, F_avg_pool2d, 2, write_avg)

/* ---- AdaptiveAvgPool, AdaptiveMaxPool ---- */

static void adaptive_repr(const void *module, char *text, size_t size) {
    snprintf(text, size, "output_size=%s", tg_tuple_repr(((const nn_AdaptivePool *)module)->output_size, 2).text);
}

static nn_AdaptivePool *adaptive_new(const char *type, nn_Forward forward, const int64_t *output_size) {
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where two sizes are expected");
    nn_AdaptivePool *self = (nn_AdaptivePool *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->base.extra_repr = adaptive_repr;
    memcpy(self->output_size, output_size, sizeof self->output_size);
    return self;
}

#define SIZE(self) ((const nn_AdaptivePool *)(self))->output_size
#define ADAPTIVE(Type, call, parameter, output_size)                                             \
    static Tensor *Type##_forward(void *self, Tensor *x) {                                       \
        return call;                                                                             \
    }                                                                                            \
    Type *Type##_new(parameter) {                                                                \
        return adaptive_new(#Type, Type##_forward, output_size);                                 \
    }
#define ONE ((int64_t[]){size, F_BOTH})
ADAPTIVE(nn_AdaptiveAvgPool1d, F_adaptive_avg_pool1d(x, SIZE(self)[0]), int64_t size, ONE)
ADAPTIVE(nn_AdaptiveAvgPool2d, F_adaptive_avg_pool2d(x, SIZE(self)), const int64_t size[2], size)
ADAPTIVE(nn_AdaptiveMaxPool1d, F_adaptive_max_pool1d(x, SIZE(self)[0], NULL), int64_t size, ONE)
ADAPTIVE(nn_AdaptiveMaxPool2d, F_adaptive_max_pool2d(x, SIZE(self), NULL), const int64_t size[2], size)
