/* tests/ops/table/op_table_activations.c: activations, of torch and of torch.nn.functional
 * (core/ops/pointwise/activation.c, core/ops/reduction/softmax.c, nn/functional/activation/). Numbers are quarters, but
 * for dims; of an inplace option 1 is true. */
#include "tests/ops/table/op_table.h"

#include "nn/functional/functional.h"

/* Functions of a tensor and 0 to 2 numbers; the last one, where a function has it, says whether in place. */
#define Q(i) ((double)c->n[i] / 4)
#define ROW0(f) static t_TensorList *call_##f(const Call *c) { return list_of(f(c->x[0])); }
#define ROW1(f) static t_TensorList *call_##f(const Call *c) { return list_of(f(c->x[0], Q(0))); }
#define ROW2(f) static t_TensorList *call_##f(const Call *c) { return list_of(f(c->x[0], Q(0), Q(1))); }
#define ROW_TENSOR(f) static t_TensorList *call_##f(const Call *c) { return list_of(f(c->x[0], c->x[1])); }
#define ROW_DIM(f) static t_TensorList *call_##f(const Call *c) { return list_of(f(c->x[0], c->n[0])); }
#define BOTH(f, name, ...)                                                                             \
    static t_TensorList *call_##name(const Call *c) { return list_of(f(c->x[0], __VA_ARGS__ false)); } \
    static t_TensorList *call_##name##_inplace(const Call *c) { return list_of(f(c->x[0], __VA_ARGS__ true)); }
#define NO_NUMBERS
#define ONE_NUMBER Q(0),
#define TWO_NUMBERS Q(0), Q(1),

ROW0(t_selu)
ROW0(t_selu_)
ROW1(t_celu)
ROW1(t_celu_)
ROW1(t_hardshrink)
ROW2(t_threshold)
ROW2(t_threshold_)
ROW_TENSOR(t_prelu)
ROW_TENSOR(F_prelu)
BOTH(F_relu, F_relu, NO_NUMBERS)
BOTH(F_relu6, F_relu6, NO_NUMBERS)
BOTH(F_selu, F_selu, NO_NUMBERS)
BOTH(F_silu, F_silu, NO_NUMBERS)
BOTH(F_mish, F_mish, NO_NUMBERS)
BOTH(F_hardswish, F_hardswish, NO_NUMBERS)
BOTH(F_hardsigmoid, F_hardsigmoid, NO_NUMBERS)
BOTH(F_leaky_relu, F_leaky_relu, ONE_NUMBER)
BOTH(F_elu, F_elu, ONE_NUMBER)
BOTH(F_celu, F_celu, ONE_NUMBER)
BOTH(F_hardtanh, F_hardtanh, TWO_NUMBERS)
BOTH(F_threshold, F_threshold, TWO_NUMBERS)
ROW0(F_relu_)
ROW0(F_selu_)
ROW1(F_leaky_relu_)
ROW1(F_elu_)
ROW1(F_celu_)
ROW2(F_hardtanh_)
ROW2(F_threshold_)
ROW1(F_hardshrink)
ROW1(F_softshrink)
ROW2(F_softplus)
ROW0(F_sigmoid)
ROW0(F_tanh)
ROW0(F_logsigmoid)
ROW0(F_softsign)
ROW0(F_tanhshrink)
ROW_DIM(F_glu)
ROW_DIM(t_softmax)
ROW_DIM(t_log_softmax)
ROW_DIM(F_softmax)
ROW_DIM(F_softmin)
ROW_DIM(F_log_softmax)
static t_TensorList *call_F_gelu(const Call *c) {
    static const char *const forms[] = {NULL, "none", "tanh", "quick"};
    return list_of(F_gelu(c->x[0], forms[c->n[0]]));
}

/* ---- cases ---- */

#define SHAPES(kind, ...)                                                                                    \
    {kind "()", {__VA_ARGS__}}, {kind "(5)", {__VA_ARGS__}}, {kind "(2,3)", {__VA_ARGS__}},                  \
    {kind "(2,1,3)", {__VA_ARGS__}}, {kind "(2,1,1,2)", {__VA_ARGS__}}, {kind "(1,2,1,2,2)", {__VA_ARGS__}}, \
    {kind "(0)", {__VA_ARGS__}}, {"R(2,0,3)", {__VA_ARGS__}}, {"t(5)", {__VA_ARGS__}}, {"x(12)", {__VA_ARGS__}}
#define FEW_SHAPES(kind, ...)                                                                                \
    {kind "()", {__VA_ARGS__}}, {kind "(8)", {__VA_ARGS__}}, {kind "(2,3)", {__VA_ARGS__}},                  \
    {kind "(1,2,2)", {__VA_ARGS__}}, {kind "(1,2,1,2)", {__VA_ARGS__}}, {kind "(1,1,2,1,2)", {__VA_ARGS__}}, \
    {kind "(0,2)", {__VA_ARGS__}}, {"x(12)", {__VA_ARGS__}}
#define AGAIN(kind, ...) {kind "(8)", {__VA_ARGS__}}, {kind "(2,3)", {__VA_ARGS__}}, {"x(12)", {__VA_ARGS__}}

static const OpCase relu_cases[] = {SHAPES("s", 0), {"i(6)"}, {NULL}};
static const OpCase bent_cases[] = {SHAPES("s", 0), {NULL}};
static const OpCase smooth_cases[] = {SHAPES("r", 0), {NULL}};
static const OpCase mixed_cases[] = {SHAPES("r", 0), {"i(5)"}, {NULL}};
static const OpCase mixed_bent_cases[] = {SHAPES("s", 0), {"i(5)"}, {NULL}};
static const OpCase few_cases[] = {FEW_SHAPES("s", 0), {NULL}};
static const OpCase of_integers_cases[] = {FEW_SHAPES("s", 0), {"i(5)"}, {NULL}};
static const OpCase slope_cases[] = {SHAPES("s", 1), AGAIN("s", -3), {"s(4)"}, {NULL}};
static const OpCase alpha_cases[] = {SHAPES("s", 4), AGAIN("s", 6), {"s(4)"}, {"s(4)", {-3}}, {NULL}};
/* PyTorch has no gradient of a negative slope there */
static const OpCase slope_inplace_cases[] = {FEW_SHAPES("s", 1), {NULL}};
static const OpCase alpha_inplace_cases[] = {FEW_SHAPES("s", 6), {NULL}};
static const OpCase celu_cases[] = {SHAPES("r", 4), AGAIN("s", 6), {"s(6)", {-3}}, {NULL}};
static const OpCase hardtanh_cases[] = {SHAPES("s", -4, 4), AGAIN("s", -1, 6), {"s(4)", {2, 2}}, {"i(9)", {-6, 9}},
    {NULL}};
static const OpCase threshold_cases[] = {SHAPES("s", 1, -7), AGAIN("s", -2, 3), {"i(9)", {2, -7}}, {NULL}};
static const OpCase shrink_cases[] = {SHAPES("s", 2), AGAIN("s", 3), {"s(4)"}, {NULL}};
static const OpCase hardshrink_cases[] = {SHAPES("s", 2), AGAIN("s", 3), {"s(5)", {-3}}, {NULL}};
static const OpCase softplus_cases[] = {SHAPES("s", 4, 80), AGAIN("s", 8, 4), {"r(5)", {-4, 80}}, {NULL}};
static const OpCase gelu_cases[] = {SHAPES("r", 1), AGAIN("r", 2), {"r(5)"}, {NULL}};
static const OpCase prelu_cases[] = {
    {"s() r(1)"}, {"s(7) r(1)"}, {"s(7) r()"}, {"s() r()"}, {"s(2,3) r(3)"}, {"s(2,3) r(1)"}, {"s(2,3,4) r(3)"},
    {"s(2,3,1,2) r(3)"}, {"s(2,3,1,2,2) r(3)"}, {"s(0) r(1)"}, {"S(0,3) r(3)"}, {"S(2,3) r(3)"}, {"s(2,3) R(3)"},
    {"t(2,3) t(3)"}, {"x(12) r(1)"}, {"d(4) d(1)"}, {NULL},
};
static const OpCase glu_cases[] = {
    {"r(4)", {0}}, {"r(4)", {-1}}, {"r(4,3)", {0}}, {"r(3,2)", {1}}, {"r(2,4,3)", {1}}, {"r(2,1,2,6)", {-1}},
    {"r(2,2,1,2,4)", {-2}}, {"r(0,4)", {1}}, {"R(2,0)", {-1}}, {"x(12)", {0}}, {NULL},
};
static const OpCase softmax_cases[] = {
    {"r()", {0}}, {"r(5)", {0}}, {"r(2,3)", {-1}}, {"r(2,3,4)", {1}}, {"r(2,1,3,2)", {-3}},
    {"r(2,1,2,3,2)", {3}}, {"r(2,0)", {0}}, {NULL},
};

/* ---- refusals ---- */

#define FLOATING_ONLY(name, ...) static const OpError name##_errors[] = {    \
    {"i(2)", {__VA_ARGS__}, "\"" #name "_cpu\" not implemented for 'Long'"}, \
    {"b(2)", {__VA_ARGS__}, "\"" #name "_cpu\" not implemented for 'Bool'"}, {NULL}};
FLOATING_ONLY(elu, 4)
FLOATING_ONLY(leaky_relu, 1)
FLOATING_ONLY(silu, 0)
FLOATING_ONLY(mish, 0)
FLOATING_ONLY(hardswish, 0)
FLOATING_ONLY(hardsigmoid, 0)
FLOATING_ONLY(hardshrink, 2)
FLOATING_ONLY(softplus, 4, 80)
FLOATING_ONLY(log_sigmoid, 0)
static const OpError none[] = {{NULL}};
static const OpError relu_errors[] = {{"b(2)", {0}, "Boolean inputs not supported for relu"}, {NULL}};
static const OpError relu6_errors[] = {{"b(2)", {0}, "Bool inputs not supported for hardtanh"}, {NULL}};
static const OpError celu_errors[] = {
    {"r(2)", {0}, "ZeroDivisionError: alpha cannot be 0 for CELU"},
    {"i(2)", {4}, "\"elu_cpu\" not implemented for 'Long'"},
    {NULL},
};
/* PyTorch says so in F.hardtanh only; its F.hardtanh_ gives max_val everywhere. */
static const OpError hardtanh_errors[] = {
    {"r(2)", {4, -4}, "min_val cannot be greater than max_val"},
    {"b(2)", {-4, 4}, "Bool inputs not supported for hardtanh"},
    {NULL},
};
static const OpError threshold_errors[] = {{"b(2)", {0}, "\"threshold_cpu\" not implemented for 'Bool'"}, {NULL}};
static const OpError softshrink_errors[] = {
    {"r(2)", {-4}, "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1"},
    {"d(2)", {-1}, "lambda must be in range [0, 1.79769e+308] for input dtype Double, but found -0.25"},
    {"i(2)", {2}, "\"softshrink_check\" not implemented for 'Long'"},
    {NULL},
};
static const OpError softsign_errors[] = {{"b(2)", {0}, "\"abs_cpu\" not implemented for 'Bool'"}, {NULL}};
static const OpError tanhshrink_errors[] = {
    {"b(2)", {0}, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
                  "mask, use the `~` or `logical_not()` operator instead."},
    {NULL},
};
static const OpError gelu_errors[] = {
    {"r(3)", {3}, "approximate argument must be either none or tanh."},
    {"i(3)", {0}, "\"GeluKernelImpl\" not implemented for 'Long'"},
    {NULL},
};
static const OpError prelu_errors[] = {
    {"r(2,3) r(2)", {0}, "Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and "
                         "channel size = 3."},
    {"r(3) r(3)", {0}, "Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and channel "
                       "size = 1."},
    {"r() r(2)", {0}, "Not allow zero-dim input tensor."},
    {"r(2,3) r(1,3)", {0}, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2"},
    {"d(2,3) f(3)", {0}, "prelu: Type promoting not supported. Got Double and Float"},
    {"i(2) i(1)", {0}, "\"prelu_cpu\" not implemented for 'Long'"},
    {NULL},
};
#define RANGE(n) "Dimension out of range (expected to be in range of [-2, 1], but got " n ")"
/* Numbers: lower and upper in hundredths, training. */
static t_TensorList *call_F_rrelu(const Call *c) {
    return list_of(F_rrelu(c->x[0], (double)c->n[0] / 100, (double)c->n[1] / 100, c->n[2], false));
}
static t_TensorList *call_F_rrelu_(const Call *c) {
    return list_of(F_rrelu_(c->x[0], (double)c->n[0] / 100, (double)c->n[1] / 100, c->n[2]));
}
/* Numbers: tau in quarters, hard, dim. */
static t_TensorList *call_F_gumbel_softmax(const Call *c) {
    return list_of(F_gumbel_softmax(c->x[0], (double)c->n[0] / 4, c->n[1], c->n[2]));
}
static const OpCase rrelu_cases[] = {
    {"s()", {10, 30, 1}}, {"s(20)", {12, 33, 1}}, {"s(3,4)", {12, 33, 0}}, {"s(2,3,4)", {-50, 50, 1}},
    {"s(2,1,3,2)", {20, 20, 1}}, {"s(2,1,2,3,2)", {0, 100, 1}}, {"S(6)", {10, 30, 1}}, {"s(0)", {10, 30, 1}},
    {"t(12)", {10, 30, 1}}, {NULL}};
static const OpError rrelu_errors[] = {
    {"s(3)", {50, 20}, "Lower bound should be less than or equal to the upper bound"},
    {"i(3)", {10, 30, 1}, "\"rrelu_with_noise_out_cpu\" not implemented for 'Long'"},
    {"i(3)", {10, 30}, "\"leaky_relu_cpu\" not implemented for 'Long'"}, {NULL}};
static const OpCase gumbel_softmax_cases[] = {
    {"r()", {4, 0, -1}}, {"r(7)", {4, 0, 0}}, {"r(3,4)", {2, 0, -1}}, {"r(3,4)", {4, 1, 1}}, {"r(3,4)", {6, 1, 0}},
    {"r(2,3,4)", {4, 0, 1}}, {"r(2,1,3,2)", {4, 1, 2}}, {"r(2,1,2,3,2)", {8, 1, -1}}, {"R(4)", {4, 1}},
    {"r(0,3)", {4, 1, -1}}, {NULL}};
static const OpError gumbel_softmax_errors[] = {
    {"r(2,3)", {4, 0, 3}, "Dimension out of range (expected to be in range of [-2, 1], but got 3)"},
    {"i(2,3)", {4, 0, 1}, "Exponential distribution is a continuous probability distribution. dtype must be a floating "
                          "point but you specified Long"},
    {"r(0,3)", {4, 1, 0}, "max(): Expected reduction dim 0 to have non-zero size."}, {NULL}};
static const OpError glu_errors[] = {
    {"r(3)", {0}, "Halving dimension must be even, but dimension 0 is size 3"},
    {"r(2,2)", {5}, RANGE("5")},
    {"r()", {0}, "glu does not support scalars because halving size must be even"},
    {"i(2)", {0}, "\"glu_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError softmax_errors[] = {
    {"r(2,3)", {2}, RANGE("2")}, {"i(2)", {0}, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"}, {NULL}};
static const OpError log_softmax_errors[] = {
    {"r(2,3)", {2}, RANGE("2")}, {"i(2)", {0}, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL}};
static const OpError softmin_errors[] = {
    {"r(2,3)", {2}, RANGE("2")},
    {"b(2)", {0}, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
                  "use the `~` or `logical_not()` operator instead."},
    {NULL},
};

/* A name that ends in _inplace_ is the function with inplace = true. */
/* torch.softmax and torch.log_softmax (core/ops/reduction/softmax.c) */
static const OpCase t_softmax_cases[] = {
    {"r()", {0}}, {"r(7)", {0}}, {"r(3,4)", {0}}, {"r(3,4)", {-1}}, {"r(2,3,4)", {1}}, {"r(2,1,3,2)", {1}},
    {"r(2,1,2,3,2)", {-2}}, {"r(0)", {0}}, {"r(2,0,3)", {0}}, {"r(2,0,3)", {1}}, {"x(3,4)", {1}}, {"x(3,4)", {0}},
    {"R(4)", {0}}, {NULL},
};
static const OpError t_softmax_errors[] = {
    {"r(2,3)", {2}, RANGE("2")},
    {"i(3)", {0}, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};
static const OpError t_log_softmax_errors[] = {
    {"r(2,3)", {2}, RANGE("2")},
    {"i(3)", {0}, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_selu", call_t_selu, bent_cases, elu_errors},
    {"t_selu_", call_t_selu_, bent_cases, elu_errors, INPLACE},
    {"t_celu", call_t_celu, celu_cases, celu_errors},
    {"t_celu_", call_t_celu_, alpha_inplace_cases, celu_errors, INPLACE},
    {"t_hardshrink", call_t_hardshrink, hardshrink_cases, hardshrink_errors},
    {"t_threshold", call_t_threshold, threshold_cases, threshold_errors},
    {"t_threshold_", call_t_threshold_, threshold_cases, threshold_errors, INPLACE},
    {"t_prelu", call_t_prelu, prelu_cases, prelu_errors},
    {"F_relu", call_F_relu, relu_cases, relu_errors},
    {"F_relu_inplace_", call_F_relu_inplace, of_integers_cases, relu_errors, INPLACE},
    {"F_relu_", call_F_relu_, of_integers_cases, relu_errors, INPLACE},
    {"F_relu6", call_F_relu6, relu_cases, relu6_errors},
    {"F_relu6_inplace_", call_F_relu6_inplace, of_integers_cases, relu6_errors, INPLACE},
    {"F_leaky_relu", call_F_leaky_relu, slope_cases, leaky_relu_errors},
    {"F_leaky_relu_inplace_", call_F_leaky_relu_inplace, slope_inplace_cases, leaky_relu_errors, INPLACE},
    {"F_leaky_relu_", call_F_leaky_relu_, slope_inplace_cases, leaky_relu_errors, INPLACE},
    {"F_prelu", call_F_prelu, prelu_cases, prelu_errors},
    {"F_elu", call_F_elu, alpha_cases, elu_errors},
    {"F_elu_inplace_", call_F_elu_inplace, alpha_inplace_cases, elu_errors, INPLACE},
    {"F_elu_", call_F_elu_, alpha_inplace_cases, elu_errors, INPLACE},
    {"F_celu", call_F_celu, celu_cases, celu_errors},
    {"F_celu_inplace_", call_F_celu_inplace, alpha_inplace_cases, celu_errors, INPLACE},
    {"F_celu_", call_F_celu_, alpha_inplace_cases, celu_errors, INPLACE},
    {"F_selu", call_F_selu, bent_cases, elu_errors},
    {"F_selu_inplace_", call_F_selu_inplace, few_cases, elu_errors, INPLACE},
    {"F_selu_", call_F_selu_, few_cases, elu_errors, INPLACE},
    {"F_hardtanh", call_F_hardtanh, hardtanh_cases, hardtanh_errors},
    {"F_hardtanh_inplace_", call_F_hardtanh_inplace, hardtanh_cases, hardtanh_errors, INPLACE},
    {"F_hardtanh_", call_F_hardtanh_, hardtanh_cases, hardtanh_errors, INPLACE},
    {"F_hardsigmoid", call_F_hardsigmoid, bent_cases, hardsigmoid_errors},
    {"F_hardsigmoid_inplace_", call_F_hardsigmoid_inplace, few_cases, hardsigmoid_errors, INPLACE},
    {"F_hardswish", call_F_hardswish, bent_cases, hardswish_errors},
    {"F_hardswish_inplace_", call_F_hardswish_inplace, few_cases, hardswish_errors, INPLACE},
    {"F_threshold", call_F_threshold, threshold_cases, threshold_errors},
    {"F_threshold_inplace_", call_F_threshold_inplace, threshold_cases, threshold_errors, INPLACE},
    {"F_threshold_", call_F_threshold_, threshold_cases, threshold_errors, INPLACE},
    {"F_hardshrink", call_F_hardshrink, hardshrink_cases, hardshrink_errors},
    {"F_softshrink", call_F_softshrink, shrink_cases, softshrink_errors},
    {"F_sigmoid", call_F_sigmoid, mixed_cases, none},
    {"F_tanh", call_F_tanh, mixed_cases, none},
    {"F_gelu", call_F_gelu, gelu_cases, gelu_errors},
    {"F_silu", call_F_silu, smooth_cases, silu_errors},
    {"F_silu_inplace_", call_F_silu_inplace, few_cases, silu_errors, INPLACE},
    {"F_mish", call_F_mish, smooth_cases, mish_errors},
    {"F_mish_inplace_", call_F_mish_inplace, few_cases, mish_errors, INPLACE},
    {"F_glu", call_F_glu, glu_cases, glu_errors, .ranks = "12345z: a single number has no halves"},
    {"F_rrelu", call_F_rrelu, rrelu_cases, rrelu_errors, RANDOM | OWN_GRAD_FN},
    {"F_rrelu_", call_F_rrelu_, rrelu_cases, rrelu_errors, RANDOM | OWN_GRAD_FN | INPLACE},
    {"F_gumbel_softmax", call_F_gumbel_softmax, gumbel_softmax_cases, gumbel_softmax_errors, RANDOM | SUMS},
    {"F_softplus", call_F_softplus, softplus_cases, softplus_errors},
    {"F_logsigmoid", call_F_logsigmoid, smooth_cases, log_sigmoid_errors},
    {"F_softsign", call_F_softsign, mixed_bent_cases, softsign_errors},
    {"F_tanhshrink", call_F_tanhshrink, mixed_cases, tanhshrink_errors},
    {"F_softmax", call_F_softmax, softmax_cases, softmax_errors, SUMS},
    {"F_softmin", call_F_softmin, softmax_cases, softmin_errors, SUMS},
    {"F_log_softmax", call_F_log_softmax, softmax_cases, log_softmax_errors, SUMS},
    {"t_softmax", call_t_softmax, t_softmax_cases, t_softmax_errors, SUMS},
    {"t_log_softmax", call_t_log_softmax, t_softmax_cases, t_log_softmax_errors, SUMS},
};
TABLE(activation_table, "ops_activations.txt", rows);
