/* nn/modules/pooling.c: the pooling layers, which call the function of their name with the sizes given at construction.
 */
#include "nn/modules/pooling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/module/module_internal.h"

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

/* The call of max pooling with indices, nn_X_call, which runs nn_X_run. */
#define CALL(Type)                                                             \
    Tensor *Type##_call(Type *self, Tensor *x, Tensor **indices) {             \
        tg_clear_output(indices);                                              \
        if (!TG_CHECK_CLASS(self, 1, Type, #Type "_call")) return NULL;        \
        Tensor *at = NULL, **to = indices ? &at : NULL;                        \
        Tensor *y = tg_call_module(self, (Tensor *[]){x}, 1, Type##_run, &to); \
        if (indices && y) *indices = at;                                       \
        return y;                                                              \
    }
#define CALL_WITH_INDICES(Type, f)                                                      \
    static Tensor *Type##_run(void *self, Tensor *const *inputs, const void *indices) { \
        F_PoolOptions o = ((Type *)self)->options;                                      \
        o.indices = *(Tensor * *const *)indices;                                        \
        return f(inputs[0], &o);                                                        \
    }                                                                                   \
    CALL(Type)
CALL_WITH_INDICES(nn_MaxPool1d, F_max_pool1d)
CALL_WITH_INDICES(nn_MaxPool2d, F_max_pool2d)

/* ---- MaxUnpool, LPPool ---- */

/* PyTorch prints the sizes of both as tuples. */
static void write_unpool(const F_PoolOptions *o, int dims, char *text, size_t size) {
    const int64_t *const sizes[] = {o->kernel_size, stride_of(o), o->padding};
    SizesText texts[3];
    for (int i = 0; i < 3; i++) {
        int64_t pair[2];
        tg_pair(sizes[i], dims, 0, pair);
        texts[i] = tg_tuple_repr(pair + 2 - dims, dims);
    }
    snprintf(text, size, "kernel_size=%s, stride=%s, padding=%s", texts[0].text, texts[1].text, texts[2].text);
}

#define UNPOOL(Type, f, dims)                                                                 \
    static Tensor *Type##_forward(void *self, Tensor *x, Tensor *indices) {                   \
        return f(x, indices, &((Type *)self)->options, NULL);                                 \
    }                                                                                         \
    static void Type##_repr(const void *self, char *text, size_t size) {                      \
        write_unpool(&((const Type *)self)->options, dims, text, size);                       \
    }                                                                                         \
    Type *Type##_new(const F_PoolOptions *options) {                                          \
        Type *self = pool_new(#Type, NULL, Type##_repr, options);                             \
        if (self) self->base.forward2 = Type##_forward;                                       \
        return self;                                                                          \
    }                                                                                         \
    static Tensor *Type##_run(void *self, Tensor *const *inputs, const void *output_size) {   \
        return f(inputs[0], inputs[1], &((Type *)self)->options, output_size);                \
    }                                                                                         \
    Tensor *Type##_call(Type *self, Tensor *x, Tensor *indices, const int64_t *output_size) { \
        if (!TG_CHECK_CLASS(self, 1, Type, #Type "_call")) return NULL;                       \
        return tg_call_module(self, (Tensor *[]){x, indices}, 2, Type##_run, output_size);    \
    }
UNPOOL(nn_MaxUnpool1d, F_max_unpool1d, 1)
UNPOOL(nn_MaxUnpool2d, F_max_unpool2d, 2)

static void lp_repr(const void *module, char *text, size_t size) {
    const nn_LPPool *self = module;
    char norm_type[32];
    snprintf(norm_type, sizeof norm_type, "%.0f", self->norm_type);
    snprintf(text, size, "norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s",
             self->norm_type == floor(self->norm_type) ? norm_type : tg_number_text(self->norm_type),
             tg_tuple_repr(self->options.kernel_size, 2).text, tg_tuple_repr(self->options.stride, 2).text,
             self->options.ceil_mode ? "True" : "False");
}

#define LP_POOL(Type, f)                                                                             \
    static Tensor *Type##_forward(void *self, Tensor *x) {                                           \
        return f(x, ((Type *)self)->norm_type, &((Type *)self)->options);                            \
    }                                                                                                \
    Type *Type##_new(double norm_type, const F_PoolOptions *options) {                               \
        F_PoolOptions o = F_PoolDefaults;                                                            \
        if (!options)                                                                                \
            return t_error() ? NULL : tg_fail("a pooling layer needs options: kernel_size has no default"); \
        if (!tg_take_options(&o, options, sizeof o)) return NULL;                                    \
        if (norm_type == 0) return tg_fail("norm_type must be a non-zero value, but got 0");         \
        Type *self = (Type *)nn_module_new(sizeof *self, #Type, Type##_forward);                     \
        if (!self) return NULL;                                                                      \
        self->base.extra_repr = lp_repr;                                                             \
        self->norm_type = norm_type;                                                                 \
        self->options = o;                                                                           \
        self->options.indices = NULL;                                                                \
        return self;                                                                                 \
    }
LP_POOL(nn_LPPool1d, F_lp_pool1d)
LP_POOL(nn_LPPool2d, F_lp_pool2d)

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

#define ADAPTIVE_WITH_INDICES(Type, f, size)                                            \
    static Tensor *Type##_run(void *self, Tensor *const *inputs, const void *indices) { \
        return f(inputs[0], size, *(Tensor * *const *)indices);                         \
    }                                                                                   \
    CALL(Type)
ADAPTIVE_WITH_INDICES(nn_AdaptiveMaxPool1d, F_adaptive_max_pool1d, SIZE(self)[0])
ADAPTIVE_WITH_INDICES(nn_AdaptiveMaxPool2d, F_adaptive_max_pool2d, SIZE(self))
