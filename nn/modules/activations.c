/* nn/modules/activations.c: the activations as modules: each calls a function of nn/functional/activation/activation.h
 * with the options given at construction. */
#include "nn/modules/activations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/functional/functional.h"
#include "nn/functional/linear/linear_internal.h"
#include "nn/module/module_internal.h"
#include "nn/modules/plain_modules_internal.h"

/* ---- macros that define a module ----
 * Each defines the forward, the repr (what is printed between the parentheses) and the constructor. */

/* "a=1.0, b=2.0, inplace=True": values with their names (without a name the value alone), and inplace if it is true. */
static void write_values(char *text, size_t size, const char *const *names, const double *values, int count,
                         bool inplace) {
    int at = 0;
    *text = '\0';
    for (int i = 0; i < count; i++)
        at += snprintf(text + at, size - (size_t)at, "%s%s%s%s", i ? ", " : "", names[i], *names[i] ? "=" : "",
                       tg_number_text(values[i]));
    if (inplace) snprintf(text + at, size - (size_t)at, "%sinplace=True", count ? ", " : "");
}

#define FORWARD(Type, call)                                                                      \
    static Tensor *Type##_forward(void *module, Tensor *x) {                                     \
        Type *self = module;                                                                     \
        (void)self;                                                                              \
        return call;                                                                             \
    }
#define REPR(Type, names, values, count, inplace)                          \
    static void Type##_repr(const void *module, char *text, size_t size) { \
        const Type *self = module;                                         \
        (void)self;                                                        \
        write_values(text, size, names, values, count, inplace);           \
    }
#define NEW(Type, parameters, ...)                                                               \
    Type *Type##_new parameters {                                                                \
        Type *self = (Type *)nn_module_new(sizeof(Type), #Type, Type##_forward);                 \
        if (!self) return NULL;                                                                  \
        self->base.extra_repr = Type##_repr;                                                     \
        __VA_ARGS__                                                                              \
        return self;                                                                             \
    }

#define WITHOUT_OPTIONS(Type, f)                                           \
    FORWARD(Type, f(x))                                                    \
    Type *Type##_new(void) {                                               \
        return (Type *)nn_module_new(sizeof(Type), #Type, Type##_forward); \
    }
#define WITH_INPLACE(Type, f, shown)                                                             \
    FORWARD(Type, f(x, self->inplace))                                                           \
    REPR(Type, NULL, NULL, 0, shown)                                                             \
    NEW(Type, (bool inplace), self->inplace = inplace;)
#define WITH_VALUE(Type, f, a)                                   \
    FORWARD(Type, f(x, self->a, self->inplace))                  \
    REPR(Type, (const char *[]){#a}, &self->a, 1, self->inplace) \
    NEW(Type, (double a, bool inplace), self->a = a; self->inplace = inplace;)
#define WITH_VALUES(Type, f, a, b)                                                           \
    FORWARD(Type, f(x, self->a, self->b, self->inplace))                                     \
    REPR(Type, ((const char *[]){#a, #b}), ((double[]){self->a, self->b}), 2, self->inplace) \
    NEW(Type, (double a, double b, bool inplace), self->a = a; self->b = b; self->inplace = inplace;)
#define SHRINK(Type, f)                                                                          \
    FORWARD(Type, f(x, self->lambd))                                                             \
    REPR(Type, (const char *[]){""}, &self->lambd, 1, false)                                     \
    NEW(Type, (double lambd), self->lambd = lambd;)
#define WITH_DIM(Type, f)                                                \
    FORWARD(Type, f(x, self->dim))                                       \
    static void Type##_repr(const void *self, char *text, size_t size) { \
        write_dim(text, size, ((const Type *)self)->dim);                \
    }                                                                    \
    NEW(Type, (int64_t dim), self->dim = dim;)

static void write_dim(char *text, size_t size, int64_t dim) {
    if (dim == T_NONE) snprintf(text, size, "dim=None");
    else snprintf(text, size, "dim=%" PRId64, dim);
}

WITHOUT_OPTIONS(nn_Sigmoid, F_sigmoid)
WITHOUT_OPTIONS(nn_Tanh, F_tanh)
WITHOUT_OPTIONS(nn_LogSigmoid, F_logsigmoid)
WITHOUT_OPTIONS(nn_Softsign, F_softsign)
WITHOUT_OPTIONS(nn_Tanhshrink, F_tanhshrink)

WITH_INPLACE(nn_ReLU, F_relu, self->inplace)
WITH_INPLACE(nn_ReLU6, F_relu6, self->inplace)
WITH_INPLACE(nn_SELU, F_selu, self->inplace)
WITH_INPLACE(nn_SiLU, F_silu, self->inplace)
WITH_INPLACE(nn_Mish, F_mish, self->inplace)
WITH_INPLACE(nn_Hardswish, F_hardswish, false) /* PyTorch does not print it for these two */
WITH_INPLACE(nn_Hardsigmoid, F_hardsigmoid, false)

WITH_VALUE(nn_LeakyReLU, F_leaky_relu, negative_slope)
WITH_VALUE(nn_ELU, F_elu, alpha)
WITH_VALUE(nn_CELU, F_celu, alpha)
WITH_VALUES(nn_Threshold, F_threshold, threshold, value)
SHRINK(nn_Softshrink, F_softshrink)
SHRINK(nn_Hardshrink, F_hardshrink)

WITH_DIM(nn_Softmax, F_softmax)
WITH_DIM(nn_LogSoftmax, F_log_softmax)
WITH_DIM(nn_Softmin, F_softmin)
WITH_DIM(nn_GLU, F_glu)

/* ---- modules with checks or other options ---- */

FORWARD(nn_RReLU, F_rrelu(x, self->lower, self->upper, self->base.training, self->inplace))
REPR(nn_RReLU, ((const char *[]){"lower", "upper"}), ((double[]){self->lower, self->upper}), 2, self->inplace)
NEW(nn_RReLU, (double lower, double upper, bool inplace),
    self->lower = lower; self->upper = upper; self->inplace = inplace;)

static Tensor *softmax2d(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim != 3 && x->ndim != 4)
        return tg_fail("Softmax2d: expected input to be 3D or 4D, got %dD instead", x->ndim);
    return F_softmax(x, -3);
}
WITHOUT_OPTIONS(nn_Softmax2d, softmax2d)

FORWARD(nn_Hardtanh, F_hardtanh(x, self->min_val, self->max_val, self->inplace))
REPR(nn_Hardtanh, ((const char *[]){"min_val", "max_val"}), ((double[]){self->min_val, self->max_val}), 2,
     self->inplace)

/* Error: an empty range. */
nn_Hardtanh *nn_Hardtanh_new(double min_val, double max_val, bool inplace) {
    char min_text[40];
    snprintf(min_text, sizeof min_text, "%s", tg_number_text(min_val));
    if (!(max_val > min_val))
        return tg_fail("max_val (%s) must be greater than min_val (%s)", tg_number_text(max_val), min_text);
    nn_Hardtanh *self = (nn_Hardtanh *)nn_module_new(sizeof *self, "nn_Hardtanh", nn_Hardtanh_forward);
    if (!self) return NULL;
    self->base.extra_repr = nn_Hardtanh_repr;
    self->min_val = min_val;
    self->max_val = max_val;
    self->inplace = inplace;
    return self;
}

FORWARD(nn_Softplus, F_softplus(x, self->beta, self->threshold))
REPR(nn_Softplus, ((const char *[]){"beta", "threshold"}), ((double[]){self->beta, self->threshold}), 2, false)
NEW(nn_Softplus, (double beta, double threshold), self->beta = beta; self->threshold = threshold;)

FORWARD(nn_GELU, F_gelu(x, self->approximate))
static void nn_GELU_repr(const void *module, char *text, size_t size) {
    snprintf(text, size, "approximate='%s'", ((const nn_GELU *)module)->approximate);
}

/* nn.GELU(approximate): "none" (also for NULL), with the error function, or "tanh". */
nn_GELU *nn_GELU_new(const char *approximate) {
    if (!approximate) approximate = "none";
    if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0)
        return tg_fail("approximate argument must be either none or tanh, not '%s'", approximate);
    nn_GELU *self = (nn_GELU *)nn_module_new(sizeof *self, "nn_GELU", nn_GELU_forward);
    if (!self) return NULL;
    self->base.extra_repr = nn_GELU_repr;
    strcpy(self->approximate, approximate);
    return self;
}

tg_Activation tg_activation_of(const nn_Module *module) {
    if (!module || tg_has_hooks(module)) return TG_NO_ACTIVATION;
    if (module->forward == nn_ReLU_forward && !((const nn_ReLU *)module)->inplace) return TG_RELU;
    if (module->forward != nn_GELU_forward) return TG_NO_ACTIVATION;
    return strcmp(((const nn_GELU *)module)->approximate, "tanh") == 0 ? TG_GELU_TANH : TG_GELU;
}

FORWARD(nn_PReLU, F_prelu(x, self->weight))
static void nn_PReLU_repr(const void *module, char *text, size_t size) {
    snprintf(text, size, "num_parameters=%" PRId64, ((const nn_PReLU *)module)->num_parameters);
}

/* weight = init everywhere; no random numbers. */
nn_PReLU *nn_PReLU_new(const nn_PReLUOptions *options) {
    nn_PReLUOptions o = {.size = sizeof o, .num_parameters = 1, .init = 0.25};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_PReLU *self = (nn_PReLU *)nn_module_new(sizeof *self, "nn_PReLU", nn_PReLU_forward);
    t_TensorOptions of_dtype = {.size = sizeof of_dtype, .dtype = o.dtype ? o.dtype : t_get_default_dtype()};
    if (self) {
        self->base.extra_repr = nn_PReLU_repr;
        self->num_parameters = o.num_parameters;
        self->init = o.init;
        self->weight = nn_Parameter(t_full(&o.num_parameters, 1, o.init, &of_dtype));
        nn_register_parameter(&self->base, "weight", self->weight);
    }
    return tg_construct_end(construction, self);
}
