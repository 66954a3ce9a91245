/* nn/onnx/pointwise.c: elementwise operations as nodes. Operands are cast to the dtype in which torch computes, since
 * ONNX does not promote. */
#include <math.h>
#include <string.h>

#include "core/ops/pointwise/activation_internal.h"
#include "nn/onnx/graph_internal.h"

static t_DType dtype_of(const OnnxOp *op) {
    return op->y[0]->dtype;
}

static const char *number(OnnxGraph *g, const OnnxOp *op, double value) {
    return tg_onnx_number(g, value, dtype_of(op));
}

/* ONNX's name of an operation. */
typedef struct NodeType {
    const char *name, *type;
} NodeType;

/* In a table that ends with NULL; an op in place, abs_, has the same. Each op of the rows below is in its table. */
static const char *type_of(const NodeType *types, const OnnxOp *op) {
    const char *name = op->op[0]->op->name;
    for (; types->name; types++) {
        const size_t length = strlen(types->name);
        if (strncmp(name, types->name, length) == 0 && (!name[length] || strcmp(name + length, "_") == 0))
            return types->type;
    }
    return tg_fail("the operation '%s' has no node", name);
}

/* ---- one operand, one node ---- */

static const NodeType unary_types[] = {
    {"abs", "Abs"},         {"neg", "Neg"},     {"exp", "Exp"},
    {"log", "Log"},         {"sqrt", "Sqrt"},   {"reciprocal", "Reciprocal"},
    {"sin", "Sin"},         {"cos", "Cos"},     {"tan", "Tan"},
    {"asin", "Asin"},       {"acos", "Acos"},   {"atan", "Atan"},
    {"sinh", "Sinh"},       {"cosh", "Cosh"},   {"asinh", "Asinh"},
    {"acosh", "Acosh"},     {"atanh", "Atanh"}, {"tanh", "Tanh"},
    {"sigmoid", "Sigmoid"}, {"erf", "Erf"},     {"floor", "Floor"},
    {"ceil", "Ceil"},       {"round", "Round"}, {"sign", "Sign"},
    {"sgn", "Sign"},        {"relu", "Relu"},   {"hardswish", "HardSwish"},
    {"mish", "Mish"},       {"isnan", "IsNaN"}, {"isinf", "IsInf"},
    {NULL, NULL},
};

static const char *unary(OnnxGraph *g, const OnnxOp *op) {
    const bool is_predicate = dtype_of(op) == t_bool;
    const char *x = is_predicate ? tg_onnx_in(g, op, 0) : tg_onnx_in_as(g, op, 0, dtype_of(op));
    const char *type = type_of(unary_types, op);
    return type ? tg_onnx_unary(g, type, x) : NULL;
}

/* ---- one operand, several nodes ---- */

static const char *rsqrt(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_unary(g, "Reciprocal", tg_onnx_unary(g, "Sqrt", tg_onnx_in_as(g, op, 0, dtype_of(op))));
}
static const char *square(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in(g, op, 0);
    return tg_onnx_binary(g, "Mul", x, x);
}
static const char *exp2_of(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_binary(g, "Pow", number(g, op, 2), tg_onnx_in_as(g, op, 0, dtype_of(op)));
}
static const char *expm1_of(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_binary(g, "Sub", tg_onnx_unary(g, "Exp", tg_onnx_in_as(g, op, 0, dtype_of(op))), number(g, op, 1));
}
static const char *log_of_base(OnnxGraph *g, const OnnxOp *op, double base) {
    const char *log = tg_onnx_unary(g, "Log", tg_onnx_in_as(g, op, 0, dtype_of(op)));
    return tg_onnx_binary(g, "Div", log, number(g, op, base));
}
static const char *log2_of(OnnxGraph *g, const OnnxOp *op) {
    return log_of_base(g, op, log(2));
}
static const char *log10_of(OnnxGraph *g, const OnnxOp *op) {
    return log_of_base(g, op, log(10));
}
static const char *log1p_of(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_unary(g, "Log", tg_onnx_binary(g, "Add", tg_onnx_in_as(g, op, 0, dtype_of(op)), number(g, op, 1)));
}
static const char *erfc_of(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_binary(g, "Sub", number(g, op, 1), tg_onnx_unary(g, "Erf", tg_onnx_in_as(g, op, 0, dtype_of(op))));
}
/* sign(x) floor(|x|) */
static const char *trunc_of(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in(g, op, 0), *size = tg_onnx_unary(g, "Floor", tg_onnx_unary(g, "Abs", x));
    return tg_onnx_binary(g, "Mul", tg_onnx_unary(g, "Sign", x), size);
}
static const char *isfinite_of(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in(g, op, 0),
               *bad = tg_onnx_binary(g, "Or", tg_onnx_unary(g, "IsNaN", x), tg_onnx_unary(g, "IsInf", x));
    return tg_onnx_unary(g, "Not", bad);
}
static const char *cast(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_cast(g, tg_onnx_in(g, op, 0), dtype_of(op));
}
/* alias, clone: the same value */
static const char *same(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_in(g, op, 0);
}

/* ---- activations with parameters ---- */

static const tg_Parameters *parameters(const OnnxOp *op) {
    return &((const ActivationAttributes *)op->op[0]->attributes)->parameters;
}

static const char *with_float(OnnxGraph *g, const OnnxOp *op, const char *type, const char *attribute, double value) {
    return tg_onnx_node(g, type, ONNX_NAMES(tg_onnx_in(g, op, 0)),
                        ONNX_ATTRIBUTES(tg_onnx_float_attribute(attribute, value)));
}
static const char *with_floats(OnnxGraph *g, const OnnxOp *op, const char *type, const char *first, double a,
                               const char *second, double b) {
    return tg_onnx_node(g, type, ONNX_NAMES(tg_onnx_in(g, op, 0)),
                        ONNX_ATTRIBUTES(tg_onnx_float_attribute(first, a), tg_onnx_float_attribute(second, b)));
}

/* a = scale alpha, b = scale, c = the factor of x in the exponent */
static const char *elu(OnnxGraph *g, const OnnxOp *op) {
    const tg_Parameters *p = parameters(op);
    return with_float(g, op, "Elu", "alpha", p->a);
}
static const char *celu(OnnxGraph *g, const OnnxOp *op) {
    return with_float(g, op, "Celu", "alpha", parameters(op)->a);
}
static const char *selu(OnnxGraph *g, const OnnxOp *op) {
    const tg_Parameters *p = parameters(op);
    return with_floats(g, op, "Selu", "alpha", p->a / p->b, "gamma", p->b);
}
static const char *leaky_relu(OnnxGraph *g, const OnnxOp *op) {
    return with_float(g, op, "LeakyRelu", "alpha", parameters(op)->a);
}
static const char *hardtanh(OnnxGraph *g, const OnnxOp *op) {
    const tg_Parameters *p = parameters(op);
    return tg_onnx_node(g, "Clip", ONNX_NAMES(tg_onnx_in(g, op, 0), number(g, op, p->a), number(g, op, p->b)), NULL, 0);
}
static const char *hardsigmoid(OnnxGraph *g, const OnnxOp *op) {
    return with_floats(g, op, "HardSigmoid", "alpha", 1.0 / 6, "beta", 0.5);
}
static const char *softshrink(OnnxGraph *g, const OnnxOp *op) {
    return with_floats(g, op, "Shrink", "bias", parameters(op)->a, "lambd", parameters(op)->a);
}
static const char *hardshrink(OnnxGraph *g, const OnnxOp *op) {
    return with_floats(g, op, "Shrink", "bias", 0, "lambd", parameters(op)->a);
}
static const char *threshold(OnnxGraph *g, const OnnxOp *op) {
    const tg_Parameters *p = parameters(op);
    const char *x = tg_onnx_in(g, op, 0), *above = tg_onnx_binary(g, "Greater", x, number(g, op, p->a));
    return tg_onnx_node(g, "Where", ONNX_NAMES(above, x, number(g, op, p->b)), NULL, 0);
}
static const char *silu(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in(g, op, 0);
    return tg_onnx_binary(g, "Mul", x, tg_onnx_unary(g, "Sigmoid", x));
}
/* log(1 + exp(beta x)) / beta; for beta x above the threshold, where torch returns x, they differ by exp(-beta x). */
static const char *softplus(OnnxGraph *g, const OnnxOp *op) {
    const tg_Parameters *p = parameters(op);
    const char *x = tg_onnx_in(g, op, 0);
    if (p->a == 1) return tg_onnx_unary(g, "Softplus", x);
    const char *y = tg_onnx_unary(g, "Softplus", tg_onnx_binary(g, "Mul", x, number(g, op, p->a)));
    return tg_onnx_binary(g, "Div", y, number(g, op, p->a));
}
static const char *log_sigmoid(OnnxGraph *g, const OnnxOp *op) {
    const char *minus = tg_onnx_unary(g, "Neg", tg_onnx_in(g, op, 0));
    return tg_onnx_unary(g, "Neg", tg_onnx_unary(g, "Softplus", minus));
}
/* x (1 + erf(x / sqrt 2)) / 2, or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))); one node from opset 20 on */
static const char *gelu_of(OnnxGraph *g, const OnnxOp *op, bool is_tanh) {
    const char *x = tg_onnx_in(g, op, 0), *inner;
    if (g->opset >= 20)
        return tg_onnx_node(g, "Gelu", ONNX_NAMES(x),
                            ONNX_ATTRIBUTES(tg_onnx_text_attribute("approximate", is_tanh ? "tanh" : "none")));
    if (is_tanh) {
        const char *cube = tg_onnx_binary(g, "Mul", tg_onnx_binary(g, "Mul", x, x), x);
        inner = tg_onnx_binary(g, "Add", x, tg_onnx_binary(g, "Mul", cube, number(g, op, 0.044715)));
        inner =
            tg_onnx_unary(g, "Tanh", tg_onnx_binary(g, "Mul", inner, number(g, op, sqrt(2 / 3.14159265358979323846))));
    } else {
        inner = tg_onnx_unary(g, "Erf", tg_onnx_binary(g, "Mul", x, number(g, op, sqrt(0.5))));
    }
    const char *factor = tg_onnx_binary(g, "Add", inner, number(g, op, 1));
    return tg_onnx_binary(g, "Mul", tg_onnx_binary(g, "Mul", x, factor), number(g, op, 0.5));
}
static const char *gelu(OnnxGraph *g, const OnnxOp *op) {
    return gelu_of(g, op, *(const bool *)op->op[0]->attributes);
}
static const char *glu(OnnxGraph *g, const OnnxOp *op) {
    const int64_t dim = *(const int64_t *)op->op[0]->attributes;
    const char *halves[2];
    const char *x = tg_onnx_in(g, op, 0);
    if (!tg_onnx_node_of(g, "Split", ONNX_NAMES(x),
                         ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", dim), tg_onnx_int_attribute("num_outputs", 2)),
                         halves, 2))
        return NULL;
    return tg_onnx_binary(g, "Mul", halves[0], tg_onnx_unary(g, "Sigmoid", halves[1]));
}
/* F.prelu has given the slopes x's dims. */
static const char *prelu(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_binary(g, "PRelu", tg_onnx_in(g, op, 0), tg_onnx_in(g, op, 1));
}

/* ---- two operands ---- */

static const char *arithmetic(OnnxGraph *g, const OnnxOp *op, const char *type) {
    const t_DType dtype = dtype_of(op);
    return tg_onnx_binary(g, type, tg_onnx_in_as(g, op, 0, dtype), tg_onnx_in_as(g, op, 1, dtype));
}
/* other times alpha, which a record of add or sub has as its attribute */
static const char *scaled_arithmetic(OnnxGraph *g, const OnnxOp *op, const char *type) {
    if (op->op[0]->bytes != sizeof(double)) return arithmetic(g, op, type);
    const char *other = tg_onnx_in_as(g, op, 1, dtype_of(op)), *alpha = number(g, op, *(double *)op->op[0]->attributes);
    return tg_onnx_binary(g, type, tg_onnx_in_as(g, op, 0, dtype_of(op)), tg_onnx_binary(g, "Mul", other, alpha));
}
static const char *add(OnnxGraph *g, const OnnxOp *op) {
    if (dtype_of(op) == t_bool) return arithmetic(g, op, "Or");
    return scaled_arithmetic(g, op, "Add");
}
static const char *sub(OnnxGraph *g, const OnnxOp *op) {
    return scaled_arithmetic(g, op, "Sub");
}
static const char *mul(OnnxGraph *g, const OnnxOp *op) {
    return arithmetic(g, op, dtype_of(op) == t_bool ? "And" : "Mul");
}
static const char *divide(OnnxGraph *g, const OnnxOp *op) {
    return arithmetic(g, op, "Div");
}
static const char *power(OnnxGraph *g, const OnnxOp *op) {
    return arithmetic(g, op, "Pow");
}
static const char *maximum(OnnxGraph *g, const OnnxOp *op) {
    return arithmetic(g, op, "Max");
}
static const char *minimum(OnnxGraph *g, const OnnxOp *op) {
    return arithmetic(g, op, "Min");
}

/* Comparisons and logical operations give bools; the operands have the dtype to which torch promotes them. */
static const char *compare(OnnxGraph *g, const OnnxOp *op) {
    static const NodeType types[] = {
        {"eq", "Equal"},          {"lt", "Less"},         {"le", "LessOrEqual"}, {"gt", "Greater"},
        {"ge", "GreaterOrEqual"}, {"logical_and", "And"}, {"logical_or", "Or"},  {"logical_xor", "Xor"}, {NULL, NULL}};
    const char *name = op->op[0]->op->name;
    const bool is_logical = strncmp(name, "logical", 7) == 0;
    Tensor *both[] = {tg_onnx_tensor(g, op, 0, 0), tg_onnx_tensor(g, op, 1, 0)};
    t_DType dtype = is_logical ? t_bool : tg_result_type(both, 2);
    if (dtype == t_bool && !is_logical && strcmp(name, "eq") != 0 && strcmp(name, "ne") != 0) dtype = t_int32;
    const char *a = tg_onnx_in_as(g, op, 0, dtype), *b = tg_onnx_in_as(g, op, 1, dtype);
    if (strcmp(name, "ne") == 0) return tg_onnx_unary(g, "Not", tg_onnx_binary(g, "Equal", a, b));
    const char *type = type_of(types, op);
    return type ? tg_onnx_binary(g, type, a, b) : NULL;
}

/* ---- three operands ---- */

static const char *where(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_node(
        g, "Where",
        ONNX_NAMES(tg_onnx_in(g, op, 0), tg_onnx_in_as(g, op, 1, dtype_of(op)), tg_onnx_in_as(g, op, 2, dtype_of(op))),
        NULL, 0);
}
static const char *masked_fill(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_node(
        g, "Where", ONNX_NAMES(tg_onnx_saved(g, op, 0), tg_onnx_in_as(g, op, 1, dtype_of(op)), tg_onnx_in(g, op, 0)),
        NULL, 0);
}
static const char *clamp(OnnxGraph *g, const OnnxOp *op) {
    const char *y = tg_onnx_in_as(g, op, 0, dtype_of(op));
    const char *min = tg_onnx_in_as(g, op, 1, dtype_of(op)), *max = tg_onnx_in_as(g, op, 2, dtype_of(op));
    if (min && *min) y = tg_onnx_binary(g, "Max", y, min);
    return max && *max ? tg_onnx_binary(g, "Min", y, max) : y;
}
static const char *lerp(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in(g, op, 0), *step = tg_onnx_binary(g, "Sub", tg_onnx_in(g, op, 1), x);
    return tg_onnx_binary(g, "Add", x, tg_onnx_binary(g, "Mul", step, tg_onnx_in_as(g, op, 2, dtype_of(op))));
}
static const char *add_term(OnnxGraph *g, const OnnxOp *op, const char *type) {
    const t_DType dtype = dtype_of(op);
    const char *term = tg_onnx_binary(g, type, tg_onnx_in_as(g, op, 1, dtype), tg_onnx_in_as(g, op, 2, dtype));
    const double value = *(double *)op->op[0]->attributes;
    if (value != 1) term = tg_onnx_binary(g, "Mul", term, number(g, op, value));
    return tg_onnx_binary(g, "Add", tg_onnx_in_as(g, op, 0, dtype), term);
}
static const char *addcmul(OnnxGraph *g, const OnnxOp *op) {
    return add_term(g, op, "Mul");
}
static const char *addcdiv(OnnxGraph *g, const OnnxOp *op) {
    return add_term(g, op, "Div");
}

const OnnxRow tg_onnx_pointwise[] = {
    {"abs", unary},
    {"neg", unary},
    {"exp", unary},
    {"log", unary},
    {"sqrt", unary},
    {"reciprocal", unary},
    {"sin", unary},
    {"cos", unary},
    {"tan", unary},
    {"asin", unary},
    {"acos", unary},
    {"atan", unary},
    {"sinh", unary},
    {"cosh", unary},
    {"asinh", unary},
    {"acosh", unary},
    {"atanh", unary},
    {"tanh", unary},
    {"sigmoid", unary},
    {"erf", unary},
    {"floor", unary},
    {"ceil", unary},
    {"round", unary},
    {"sign", unary},
    {"sgn", unary},
    {"relu", unary},
    {"hardswish", unary},
    {"hardswish_", unary},
    {"mish", unary},
    {"mish_", unary},
    {"isnan", unary},
    {"isinf", unary},
    {"isfinite", isfinite_of},
    {"rsqrt", rsqrt},
    {"square", square},
    {"exp2", exp2_of},
    {"expm1", expm1_of},
    {"log2", log2_of},
    {"log10", log10_of},
    {"log1p", log1p_of},
    {"erfc", erfc_of},
    {"trunc", trunc_of},
    {"to", cast},
    {"clone", same},
    {"alias", same},
    {"elu", elu},
    {"elu_", elu},
    {"celu", celu},
    {"celu_", celu},
    {"selu", selu},
    {"selu_", selu},
    {"leaky_relu", leaky_relu},
    {"leaky_relu_", leaky_relu},
    {"hardtanh", hardtanh},
    {"hardtanh_", hardtanh},
    {"hardsigmoid", hardsigmoid},
    {"hardsigmoid_", hardsigmoid},
    {"softshrink", softshrink},
    {"hardshrink", hardshrink},
    {"threshold", threshold},
    {"threshold_", threshold},
    {"silu", silu},
    {"silu_", silu},
    {"softplus", softplus},
    {"log_sigmoid", log_sigmoid},
    {"gelu", gelu},
    {"glu", glu},
    {"prelu", prelu},
    {"add", add},
    {"sub", sub},
    {"rsub", sub},
    {"mul", mul},
    {"div", divide},
    {"pow", power},
    {"maximum", maximum},
    {"minimum", minimum},
    {"fmax", maximum},
    {"fmin", minimum},
    {"eq", compare},
    {"ne", compare},
    {"lt", compare},
    {"le", compare},
    {"gt", compare},
    {"ge", compare},
    {"logical_and", compare},
    {"logical_or", compare},
    {"logical_xor", compare},
    {"where", where},
    {"masked_fill", masked_fill},
    {"clamp", clamp},
    {"clamp_min", clamp},
    {"clamp_max", clamp},
    {"lerp", lerp},
    {"addcmul", addcmul},
    {"addcdiv", addcdiv},
    {NULL, NULL},
};
