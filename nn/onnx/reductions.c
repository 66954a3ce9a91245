/* nn/onnx/reductions.c: reductions, softmax and matrix products as nodes. */
#include <math.h>

#include "core/ops/linalg/addmm_internal.h"
#include "core/ops/reduction/along_dim_internal.h"
#include "core/ops/reduction/reduce_internal.h"
#include "nn/onnx/graph_internal.h"

/* ---- reductions ---- */

static const char *reduce_by(OnnxGraph *g, const OnnxOp *op, const char *type, const char *x, const Reduction *over,
                             bool keepdim) {
    int64_t dims[T_MAX_DIMS];
    const int count = tg_reduced_dims(over, tg_onnx_tensor(g, op, 0, 0)->ndim, dims);
    if (count == 0) return x; /* a 0-dim tensor */
    return tg_onnx_node(g, type, ONNX_NAMES(x, tg_onnx_ints(g, dims, count)),
                        ONNX_ATTRIBUTES(tg_onnx_int_attribute("keepdims", keepdim)));
}

static const char *reduce(OnnxGraph *g, const OnnxOp *op, const char *type) {
    const Reduction *over = op->op[0]->attributes;
    return reduce_by(g, op, type, tg_onnx_in_as(g, op, 0, op->y[0]->dtype), over, over->keepdim);
}
static const char *sum(OnnxGraph *g, const OnnxOp *op) {
    return reduce(g, op, "ReduceSum");
}
static const char *mean(OnnxGraph *g, const OnnxOp *op) {
    return reduce(g, op, "ReduceMean");
}
static const char *amax(OnnxGraph *g, const OnnxOp *op) {
    return reduce(g, op, "ReduceMax");
}
static const char *amin(OnnxGraph *g, const OnnxOp *op) {
    return reduce(g, op, "ReduceMin");
}
static const char *logsumexp(OnnxGraph *g, const OnnxOp *op) {
    return reduce(g, op, "ReduceLogSumExp");
}

/* max(x), or max(x, dim), whose keepdim is seen in the rank of the result. */
static const char *max_or_min(OnnxGraph *g, const OnnxOp *op, const char *type) {
    const Tensor *x = tg_onnx_tensor(g, op, 0, 0);
    Reduction over = {.keepdim = op->y[0]->ndim == x->ndim};
    const bool along = op->op[0]->bytes == sizeof(int64_t);
    for (int d = 0; d < x->ndim; d++) over.reduced[d] = !along || d == *(const int64_t *)op->op[0]->attributes;
    return reduce_by(g, op, type, tg_onnx_in(g, op, 0), &over, over.keepdim && along);
}
static const char *max_of(OnnxGraph *g, const OnnxOp *op) {
    return max_or_min(g, op, "ReduceMax");
}
static const char *min_of(OnnxGraph *g, const OnnxOp *op) {
    return max_or_min(g, op, "ReduceMin");
}

static const char *arg_reduce(OnnxGraph *g, const OnnxOp *op, const char *type) {
    const ArgReduction *a = op->op[0]->attributes;
    const Tensor *x = tg_onnx_tensor(g, op, 0, 0);
    const char *in = tg_onnx_in(g, op, 0);
    const bool of_all = a->dim == T_NONE;
    if (of_all) in = tg_onnx_binary(g, "Reshape", in, tg_onnx_int(g, -1));
    const int64_t axis = of_all ? 0 : a->dim < 0 ? a->dim + x->ndim : a->dim;
    const char *y = tg_onnx_node(
        g, type, ONNX_NAMES(in),
        ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", axis), tg_onnx_int_attribute("keepdims", a->keepdim && !of_all)));
    return of_all && a->keepdim
               ? tg_onnx_binary(g, "Reshape", y, tg_onnx_ints(g, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1}, x->ndim))
               : y;
}
static const char *argmax(OnnxGraph *g, const OnnxOp *op) {
    return arg_reduce(g, op, "ArgMax");
}
static const char *argmin(OnnxGraph *g, const OnnxOp *op) {
    return arg_reduce(g, op, "ArgMin");
}

/* sum((x - mean)^2) / (n - correction); n must not depend on a dynamic axis. */
static const char *variance(OnnxGraph *g, const OnnxOp *op) {
    const Variance *v = op->op[0]->attributes, *other = op->op[1]->attributes;
    if (v->over.count != other->over.count) return tg_fail("var over a dynamic axis");
    const t_DType dtype = op->y[0]->dtype;
    const char *x = tg_onnx_in(g, op, 0),
               *centred = tg_onnx_binary(g, "Sub", x, reduce_by(g, op, "ReduceMean", x, &v->over, true));
    const char *square = tg_onnx_binary(g, "Mul", centred, centred);
    const char *total = reduce_by(g, op, "ReduceSum", square, &v->over, v->over.keepdim);
    return tg_onnx_binary(g, "Div", total, tg_onnx_number(g, (double)v->over.count - v->correction, dtype));
}
static const char *deviation(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_unary(g, "Sqrt", variance(g, op));
}

static const char *norm(OnnxGraph *g, const OnnxOp *op) {
    const Norm *n = op->op[0]->attributes;
    const t_DType dtype = op->y[0]->dtype;
    const char *x = tg_onnx_in_as(g, op, 0, dtype);
    if (n->p == 2) return reduce_by(g, op, "ReduceL2", x, &n->over, n->over.keepdim);
    if (n->p == 1) return reduce_by(g, op, "ReduceL1", x, &n->over, n->over.keepdim);
    const char *size = tg_onnx_unary(g, "Abs", x);
    if (isinf(n->p)) return reduce_by(g, op, n->p > 0 ? "ReduceMax" : "ReduceMin", size, &n->over, n->over.keepdim);
    if (n->p == 0) return tg_fail("the norm of p = 0");
    const char *powers = tg_onnx_binary(g, "Pow", size, tg_onnx_number(g, n->p, dtype));
    const char *total = reduce_by(g, op, "ReduceSum", powers, &n->over, n->over.keepdim);
    return tg_onnx_binary(g, "Pow", total, tg_onnx_number(g, 1 / n->p, dtype));
}

/* The norm of the last dim of a - b, where a has a dim for the rows of b and b one for those of a. */
static const char *cdist(OnnxGraph *g, const OnnxOp *op) {
    const double p = *(const double *)op->op[0]->attributes;
    const t_DType dtype = op->y[0]->dtype;
    const char *a = tg_onnx_binary(g, "Unsqueeze", tg_onnx_in(g, op, 0), tg_onnx_int(g, -2)),
               *b = tg_onnx_binary(g, "Unsqueeze", tg_onnx_in(g, op, 1), tg_onnx_int(g, -3));
    const char *type = p == 2 ? "ReduceL2" : p == 1 ? "ReduceL1" : isinf(p) ? "ReduceMax" : "ReduceSum";
    const char *terms;
    if (p == 0) { /* how many differ */
        terms = tg_onnx_cast(g, tg_onnx_unary(g, "Not", tg_onnx_binary(g, "Equal", a, b)), dtype);
    } else {
        terms = tg_onnx_binary(g, "Sub", a, b);
        if (p != 1 && p != 2) terms = tg_onnx_unary(g, "Abs", terms);
        if (p != 1 && p != 2 && !isinf(p)) terms = tg_onnx_binary(g, "Pow", terms, tg_onnx_number(g, p, dtype));
    }
    const char *y = tg_onnx_node(g, type, ONNX_NAMES(terms, tg_onnx_int(g, -1)),
                                 ONNX_ATTRIBUTES(tg_onnx_int_attribute("keepdims", 0)));
    return p == 0 || p == 1 || p == 2 || isinf(p) ? y
                                                  : tg_onnx_binary(g, "Pow", y, tg_onnx_number(g, 1 / p, dtype));
}

static const char *cumsum(OnnxGraph *g, const OnnxOp *op) {
    const ScanDirection *along = op->op[0]->attributes;
    return tg_onnx_node(
        g, "CumSum",
        ONNX_NAMES(tg_onnx_in_as(g, op, 0, op->y[0]->dtype), tg_onnx_number(g, (double)along->dim, t_int64)),
        ONNX_ATTRIBUTES(tg_onnx_int_attribute("reverse", along->reverse)));
}

/* y = x, and then y *= y shifted by 1, 2, 4, ... along the dim, with ones before it: the products of 2, 4, 8, ...
 * elements. (ONNX has CumProd from opset 26 on.) */
static const char *cumprod(OnnxGraph *g, const OnnxOp *op) {
    const int64_t dim = ((const ScanDirection *)op->op[0]->attributes)->dim;
    const int ndim = op->y[0]->ndim;
    const char *y = tg_onnx_in_as(g, op, 0, op->y[0]->dtype);
    if (ndim == 0) return y;
    if (op->y[0]->shape[dim] != op->y[1]->shape[dim]) return tg_fail("cumprod along a dynamic axis");
    for (int64_t by = 1; by < op->y[0]->shape[dim]; by *= 2) {
        int64_t pads[2 * T_MAX_DIMS] = {0};
        pads[dim] = by;
        const char *part = tg_onnx_slice(g, y, dim, tg_onnx_int(g, 0), tg_onnx_int(g, -by), 1);
        part = tg_onnx_node(g, "Pad",
                            ONNX_NAMES(part, tg_onnx_ints(g, pads, 2 * ndim), tg_onnx_number(g, 1, op->y[0]->dtype)),
                            ONNX_ATTRIBUTES(tg_onnx_text_attribute("mode", "constant")));
        y = tg_onnx_binary(g, "Mul", y, part);
    }
    return y;
}

static const char *softmax_of(OnnxGraph *g, const OnnxOp *op, const char *type) {
    if (op->y[0]->ndim == 0) return tg_fail("softmax of a 0-dim tensor");
    return tg_onnx_node(g, type, ONNX_NAMES(tg_onnx_in(g, op, 0)),
                        ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", *(const int64_t *)op->op[0]->attributes)));
}
static const char *softmax(OnnxGraph *g, const OnnxOp *op) {
    return softmax_of(g, op, "Softmax");
}
static const char *log_softmax(OnnxGraph *g, const OnnxOp *op) {
    return softmax_of(g, op, "LogSoftmax");
}

/* ---- products ---- */

static const char *matmul(OnnxGraph *g, const OnnxOp *op) {
    return tg_onnx_binary(g, "MatMul", tg_onnx_in(g, op, 0), tg_onnx_in(g, op, 1));
}

static const char *scaled(OnnxGraph *g, const OnnxOp *op, const char *x, double factor) {
    return factor == 1 ? x : tg_onnx_binary(g, "Mul", x, tg_onnx_number(g, factor, op->y[0]->dtype));
}

/* beta input + alpha (a b) */
static const char *addmm(OnnxGraph *g, const OnnxOp *op) {
    const Factors *f = op->op[0]->attributes;
    const char *product = tg_onnx_binary(g, "MatMul", tg_onnx_in(g, op, 1), tg_onnx_in(g, op, 2));
    product = scaled(g, op, product, f->alpha);
    return f->beta == 0 ? product : tg_onnx_binary(g, "Add", scaled(g, op, tg_onnx_in(g, op, 0), f->beta), product);
}

/* F.linear. A weight in transposed form: of a matrix Gemm transposes it, else a Transpose, which runtimes fold. */
static const char *linear(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in(g, op, 0), *weight = tg_onnx_in(g, op, 1), *bias = tg_onnx_in(g, op, 2);
    if (op->y[0]->ndim == 2)
        return tg_onnx_node(g, "Gemm", ONNX_NAMES(x, weight, bias),
                            ONNX_ATTRIBUTES(tg_onnx_int_attribute("transB", 1)));
    weight = tg_onnx_node(g, "Transpose", ONNX_NAMES(weight),
                          ONNX_ATTRIBUTES(tg_onnx_ints_attribute("perm", (int64_t[]){1, 0}, 2)));
    const char *y = tg_onnx_binary(g, "MatMul", x, weight);
    return bias && *bias ? tg_onnx_binary(g, "Add", y, bias) : y;
}

const OnnxRow tg_onnx_reductions[] = {
    {"sum", sum},
    {"mean", mean},
    {"amax", amax},
    {"amin", amin},
    {"logsumexp", logsumexp},
    {"max", max_of},
    {"min", min_of},
    {"argmax", argmax},
    {"argmin", argmin},
    {"var", variance},
    {"std", deviation},
    {"norm", norm},
    {"cumsum", cumsum},
    {"cumprod", cumprod},
    {"cdist", cdist},
    {"softmax", softmax},
    {"log_softmax", log_softmax},
    {"mm", matmul},
    {"bmm", matmul},
    {"matmul", matmul},
    {"dot", matmul},
    {"mv", matmul},
    {"addmm", addmm},
    {"addmv", addmm},
    {"baddbmm", addmm},
    {"linear", linear},
    {NULL, NULL},
};
