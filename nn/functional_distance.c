/* nn/functional_distance.c: vectors compared with each other: normalize, cosine_similarity, pairwise_distance, and the losses
 * that want some near and others far. Made of ops, but for the norm. */
#include <math.h>

#include "nn/functional_loss.h"

#define N(value) t_number(value)

/* ---- the norm along a dim ---- */

typedef struct Norm {
    double p;
    int64_t dim;
    bool keepdim;
} Norm;

/* With y = (sum |x|^p)^(1/p): dx = dy sign(x) (|x| / y)^(p - 1), 0 where x is 0; for p = 2 dy x / y. The largest |x| shares
 * dy with its equals. */
static void norm_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Norm *at = r->attributes;
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y) return;
    if (!at->keepdim && x->ndim) dy = t_unsqueeze(dy, at->dim), y = t_unsqueeze(y, at->dim);
    Tensor *size = t_abs(x);
    if (at->p == 0) return; /* a count: no gradient */
    if (at->p == 1) {
        dx[0] = t_mul(dy, t_sign(x));
    } else if (at->p == 2) {
        dx[0] = t_mul(x, t_masked_fill(t_div(dy, y), t_eq(y, N(0)), N(0)));
    } else if (isinf(at->p)) {
        Tensor *largest = t_to(t_eq(size, y), x->dtype);
        dx[0] = t_mul(t_mul(t_sign(x), largest), t_div(dy, t_sum(largest, &at->dim, 1, true)));
    } else {
        Tensor *part = t_masked_fill(t_pow(t_div(size, y), N(at->p - 1)), t_eq(size, N(0)), N(0));
        dx[0] = t_mul(t_sign(x), t_mul(dy, part));
    }
}
static const Op norm_op = {"norm", "NormBackward1", norm_backward};

/* (sum |x|^p)^(1/p) along dim; for p = inf the largest |x|, for p = 0 how many are not 0. */
static Tensor *norm_value(Tensor *x, double p, int64_t dim, bool keepdim) {
    if (p == 2) return t_sqrt(t_sum(t_square(x), &dim, 1, keepdim));
    if (p == 1) return t_sum(t_abs(x), &dim, 1, keepdim);
    if (p == 0) return t_sum(t_to(t_ne(x, N(0)), x->dtype), &dim, 1, keepdim);
    if (isinf(p)) return (p > 0 ? t_amax : t_amin)(t_abs(x), &dim, 1, keepdim);
    return t_pow(t_sum(t_pow(t_abs(x), N(p)), &dim, 1, keepdim), N(1 / p));
}

static Tensor *norm(Tensor *x, double p, int64_t dim, bool keepdim) {
    if (!x) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s", tg_scalar_name(x->dtype));
    Norm at = {p, dim, keepdim};
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = norm_value(x, p, dim, keepdim);
    t_set_grad_enabled(grad_enabled);
    return tg_record(&norm_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(at));
}

/* F.normalize(x, p, dim, eps): x over its p-norm along dim, which counts as eps where it is less. x: floating; returns the
 * same shape. Errors: dim out of range, integers. */
Tensor *F_normalize(Tensor *x, double p, int64_t dim, double eps) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_alone(depth, t_div(x, t_clamp(norm(x, p, dim, true), N(eps), NULL))) : NULL;
}

/* F.pairwise_distance(x1, x2, p, eps, keepdim): the p-norm of x1 - x2 + eps along the last dim. x1 and x2 broadcast; integers
 * give floats. */
Tensor *F_pairwise_distance(Tensor *x1, Tensor *x2, double p, double eps, bool keepdim) {
    if (!tg_check(x1, 1) || !tg_check(x2, 2)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_alone(depth, norm(t_add(t_sub(x1, x2), N(eps)), p, -1, keepdim)) : NULL;
}

/* ---- cosine_similarity ---- */

Tensor *tg_lift(Tensor *x, double least) {
    Tensor *y = t_clone(x);
    bool grad_enabled = t_set_grad_enabled(false);
    if (y && !t_copy_(y, t_clamp(y, N(least), NULL))) y = NULL;
    t_set_grad_enabled(grad_enabled);
    return y;
}

static Tensor *unit(Tensor *x, int64_t dim, double eps) {
    return t_div(x, tg_lift(norm(x, 2, dim, true), eps));
}

static Tensor *cosine_similarity(Tensor *x1, Tensor *x2, int64_t dim, double eps) {
    Tensor *both[] = {x1, x2};
    int64_t shape[T_MAX_DIMS];
    int ndim;
    t_DType dtype = tg_result_type(both, 2);
    if (!tg_broadcast_shape(both, 2, shape, &ndim)) return NULL;
    if (!tg_is_floating(dtype))
        return tg_fail("expected common dtype to be floating point, yet common dtype is %s", tg_scalar_name(dtype));
    for (int i = 0; i < 2; i++)
        if (!(both[i] = t_expand(t_to(both[i], dtype), shape, ndim))) return NULL;
    return t_sum(t_mul(unit(both[0], dim, eps), unit(both[1], dim, eps)), &dim, 1, false);
}

/* F.cosine_similarity(x1, x2, dim, eps): sum(x1 x2) / (|x1| |x2|) along dim, where each norm counts as eps if it is less (as a
 * number: its gradient is as if it were not lifted). x1 and x2 broadcast. Errors: dim out of range, integers. */
Tensor *F_cosine_similarity(Tensor *x1, Tensor *x2, int64_t dim, double eps) {
    if (!tg_check(x1, 1) || !tg_check(x2, 2)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_alone(depth, cosine_similarity(x1, x2, dim, eps)) : NULL;
}

/* ---- losses: what should be near pulls, what should be far pushes up to a margin ---- */

static Tensor *at_least_0(Tensor *x) {
    return t_clamp(x, N(0), NULL);
}

/* (x1 . x2) / sqrt((|x1|^2 + 1e-12) (|x2|^2 + 1e-12)) along the last dim: PyTorch's own cosine here. */
static Tensor *cosine(Tensor *x1, Tensor *x2) {
    const int64_t dim = -1;
    Tensor *a = t_add(t_sum(t_mul(x1, x1), &dim, 1, false), N(1e-12));
    Tensor *b = t_add(t_sum(t_mul(x2, x2), &dim, 1, false), N(1e-12));
    return t_div(t_sum(t_mul(x1, x2), &dim, 1, false), t_sqrt(t_mul(a, b)));
}

/* F.cosine_embedding_loss(input1, input2, target, margin, reduction): 1 - cosine where target is 1, the cosine above margin
 * where it is -1, else 0. inputs: (N, D) with a target of (N), or (D) with one of (). */
Tensor *F_cosine_embedding_loss(Tensor *input1, Tensor *input2, Tensor *target, double margin, const char *reduction_word) {
    Reduction reduction = TO_MEAN;
    if (!tg_check(input1, 1) || !tg_check(input2, 2) || !tg_check(target, 3)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (target->ndim > 1) return tg_fail("0D or 1D target tensor expected, multi-target not supported");
    if (input1->ndim != target->ndim + 1 || input2->ndim != target->ndim + 1)
        return tg_fail("%dD target tensor expects %dD input tensors, but found inputs with sizes %s and %s.", target->ndim,
                       target->ndim + 1, tg_shape_text(input1->shape, input1->ndim), tg_shape_text(input2->shape, input2->ndim));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *c = cosine(input1, input2);
    Tensor *near = t_where(t_eq(target, N(1)), t_sub(N(1), c), N(0));
    Tensor *far = t_where(t_eq(target, N(-1)), at_least_0(t_sub(c, N(margin))), N(0));
    return tg_alone(depth, tg_reduce(t_add(near, far), reduction));
}

/* F.margin_ranking_loss(input1, input2, target, margin, reduction): max(0, margin - target (input1 - input2)): target 1 wants
 * input1 the larger, -1 input2. Three tensors of one rank. */
Tensor *F_margin_ranking_loss(Tensor *input1, Tensor *input2, Tensor *target, double margin, const char *reduction_word) {
    Reduction reduction = TO_MEAN;
    if (!tg_check(input1, 1) || !tg_check(input2, 2) || !tg_check(target, 3)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (input1->ndim != input2->ndim || input1->ndim != target->ndim)
        return tg_fail("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: %s, input2: %s, "
                       "target: %s ", t_size_repr(input1), t_size_repr(input2), t_size_repr(target));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *short_of = t_add(t_mul(t_neg(target), t_sub(input1, input2)), N(margin));
    return tg_alone(depth, tg_reduce(at_least_0(short_of), reduction));
}

/* F.hinge_embedding_loss(input, target, margin, reduction): input where target is 1, max(0, margin - input) where it is -1,
 * their sum elsewhere. */
Tensor *F_hinge_embedding_loss(Tensor *input, Tensor *target, double margin, const char *reduction_word) {
    Reduction reduction = TO_MEAN;
    if (!tg_check(input, 1) || !tg_check(target, 2) || !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *far = t_where(t_ne(target, N(1)), at_least_0(t_sub(N(margin), input)), N(0));
    Tensor *near = t_where(t_ne(target, N(-1)), input, N(0));
    return tg_alone(depth, tg_reduce(t_add(far, near), reduction));
}

static Tensor *triplet(Tensor *anchor, Tensor *positive, Tensor *negative, double margin, double p, double eps, bool swap) {
    Tensor *near = F_pairwise_distance(anchor, positive, p, eps, false);
    Tensor *far = F_pairwise_distance(anchor, negative, p, eps, false);
    if (swap) far = t_minimum(far, F_pairwise_distance(positive, negative, p, eps, false));
    return at_least_0(t_sub(t_add(near, N(margin)), far));
}

/* F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction): max(0, margin + |anchor - positive| -
 * |anchor - negative|), each the p-norm along the last dim; swap takes |positive - negative| where it is the smaller one. */
Tensor *F_triplet_margin_loss(Tensor *anchor, Tensor *positive, Tensor *negative, double margin, double p, double eps, bool swap,
                              const char *reduction_word) {
    Reduction reduction = TO_MEAN;
    if (!tg_check(anchor, 1) || !tg_check(positive, 2) || !tg_check(negative, 3)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!(margin > 0)) return tg_fail("margin must be greater than 0, got %s", tg_number_text(margin));
    if (anchor->ndim != positive->ndim || anchor->ndim != negative->ndim)
        return tg_fail("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
                       "anchor %dD, positive %dD, and negative %dD inputs", anchor->ndim, positive->ndim, negative->ndim);
    int depth = t_scope_open();
    if (!depth) return NULL;
    return tg_alone(depth, tg_reduce(triplet(anchor, positive, negative, margin, p, eps, swap), reduction));
}
