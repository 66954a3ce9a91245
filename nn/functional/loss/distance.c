/* nn/functional/loss/distance.c: normalize, cosine_similarity, pairwise_distance, and the losses on distances
 * (embedding, ranking, triplet). Composed of ops. */
#include "core/autograd/trace.h"
#include "nn/functional/loss/loss_internal.h"

static Tensor *norm(Tensor *x, double p, int64_t dim, bool keepdim) {
    return linalg_vector_norm(x, p, &dim, 1, keepdim, 0);
}

/* F.normalize(x, p, dim, eps): x / max(|x|_p, eps), with the norm along dim. x: floating; returns the same shape.
 * Errors: dim out of range, integers. */
Tensor *F_normalize(Tensor *x, double p, int64_t dim, double eps) {
    TG_COMPOSITE("normalize");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_normalize(tg_widened(x), p, dim, eps), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_div(x, t_clamp_min(norm(x, p, dim, true), N(eps)))) : NULL;
}

/* F.pairwise_distance(x1, x2, p, eps, keepdim): the p-norm of x1 - x2 + eps along the last dim. x1 and x2 broadcast;
 * integers give floats. */
Tensor *F_pairwise_distance(Tensor *x1, Tensor *x2, double p, double eps, bool keepdim) {
    TG_COMPOSITE("pairwise_distance");
    const t_DType narrow = TG_WIDEN_HALF(&x1, &x2);
    if (narrow) return tg_narrowed(F_pairwise_distance(x1, x2, p, eps, keepdim), narrow);
    if (!tg_check_any_two(x1, x2)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, norm(t_add(t_sub(x1, x2), N(eps)), p, -1, keepdim)) : NULL;
}

/* F.pdist(x, p): the p-norms of the differences of every two rows, (0, 1), (0, 2), ..., (1, 2), ...: the upper triangle
 * of t_cdist(x, x, p). x: (N, M), floating; returns (N (N - 1) / 2). Errors: other ranks, integers, a negative p. */
Tensor *F_pdist(Tensor *x, double p) {
    TG_COMPOSITE("pdist");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_pdist(tg_widened(x), p), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim != 2) return tg_fail("pdist only supports 2D tensors, got: %dD", x->ndim);
    if (!tg_is_floating(x->dtype)) return tg_fail("pdist only supports floating-point dtypes");
    if (!(p >= 0)) return tg_fail("pdist only supports non-negative p values");
    const int64_t n = x->shape[0], all = n * n, pairs = n * (n - 1) / 2;
    int depth = t_scope_open();
    Tensor *index = depth ? tg_empty(&pairs, 1, t_int64) : NULL;
    if (index) {
        int64_t *at = tg_data(index);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) *at++ = i * n + j;
    }
    Tensor *distances = index ? t_reshape(t_cdist(x, x, p), &all, 1) : NULL;
    return tg_scope_return(depth, distances ? t_index_select(distances, 0, index) : NULL);
}

/* ---- cosine_similarity ---- */

Tensor *tg_clamp_detached(Tensor *x, double least) {
    static const Op whole_op = {"clamp_min", NULL, NULL};
    const bool one = tg_trace_open();
    Tensor *y = t_clone(x), *bound = y ? N(least) : NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    if (y && !t_copy_(y, t_clamp_min(y, bound))) y = NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_trace_close(one, &whole_op, y, INPUTS(x, bound), NONE);
}

static Tensor *normalized(Tensor *x, int64_t dim, double eps) {
    return t_div(x, tg_clamp_detached(norm(x, 2, dim, true), eps));
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
    return t_sum(t_mul(normalized(both[0], dim, eps), normalized(both[1], dim, eps)), &dim, 1, false);
}

/* F.cosine_similarity(x1, x2, dim, eps): sum(x1 x2) / (max(|x1|, eps) max(|x2|, eps)) along dim, where the clamping is
 * not part of the gradient. x1 and x2 broadcast. Errors: dim out of range, integers. */
Tensor *F_cosine_similarity(Tensor *x1, Tensor *x2, int64_t dim, double eps) {
    TG_COMPOSITE("cosine_similarity");
    const t_DType narrow = TG_WIDEN(&x1, &x2);
    if (narrow) return tg_narrowed(F_cosine_similarity(x1, x2, dim, eps), narrow);
    if (!tg_check_two(x1, x2)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, cosine_similarity(x1, x2, dim, eps)) : NULL;
}

/* ---- losses with a margin ---- */

static Tensor *relu(Tensor *x) {
    return t_clamp_min(x, N(0));
}

/* (x1 . x2) / sqrt((|x1|^2 + 1e-12) (|x2|^2 + 1e-12)) along the last dim: PyTorch's formula in this loss. */
static Tensor *cosine(Tensor *x1, Tensor *x2) {
    const int64_t dim = -1;
    Tensor *a = t_add(t_sum(t_mul(x1, x1), &dim, 1, false), N(1e-12));
    Tensor *b = t_add(t_sum(t_mul(x2, x2), &dim, 1, false), N(1e-12));
    return t_div(t_sum(t_mul(x1, x2), &dim, 1, false), t_sqrt(t_mul(a, b)));
}

/* F.cosine_embedding_loss(input1, input2, target, margin, reduction): 1 - cosine where target is 1, max(0, cosine -
 * margin) where it is -1, else 0. inputs: (N, D) with a target of (N), or (D) with one of (). */
Tensor *F_cosine_embedding_loss(Tensor *input1, Tensor *input2, Tensor *target, double margin,
                                const char *reduction_word) {
    TG_COMPOSITE("cosine_embedding_loss");
    TG_AUTOCAST_FLOAT32(input1);
    TG_AUTOCAST_FLOAT32(input2);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input1, &input2, &target);
    if (narrow) return tg_narrowed(F_cosine_embedding_loss(input1, input2, target, margin, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_three(input1, input2, target)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (target->ndim > 1) return tg_fail("0D or 1D target tensor expected, multi-target not supported");
    if (input1->ndim != target->ndim + 1 || input2->ndim != target->ndim + 1)
        return tg_fail("%dD target tensor expects %dD input tensors, but found inputs with sizes %s and %s.",
                       target->ndim, target->ndim + 1, tg_shape_of(input1), tg_shape_of(input2));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *c = cosine(input1, input2);
    Tensor *near = t_where(t_eq(target, N(1)), t_sub(N(1), c), N(0));
    Tensor *far = t_where(t_eq(target, N(-1)), relu(t_sub(c, N(margin))), N(0));
    return tg_scope_return(depth, tg_reduce(t_add(near, far), reduction));
}

/* F.margin_ranking_loss(input1, input2, target, margin, reduction): max(0, margin - target (input1 - input2)). Target
 * 1: input1 should be the larger; -1: input2. Three tensors of one rank. */
Tensor *F_margin_ranking_loss(Tensor *input1, Tensor *input2, Tensor *target, double margin,
                              const char *reduction_word) {
    TG_COMPOSITE("margin_ranking_loss");
    TG_AUTOCAST_FLOAT32(input1);
    TG_AUTOCAST_FLOAT32(input2);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN_HALF(&input1, &input2, &target);
    if (narrow) return tg_narrowed(F_margin_ranking_loss(input1, input2, target, margin, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_any_three(input1, input2, target)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (input1->ndim != input2->ndim || input1->ndim != target->ndim)
        return tg_fail(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: %s, input2: %s, "
            "target: %s ",
            t_size_repr(input1), t_size_repr(input2), t_size_repr(target));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *loss = t_add(t_mul(t_neg(target), t_sub(input1, input2)), N(margin));
    return tg_scope_return(depth, tg_reduce(relu(loss), reduction));
}

/* F.hinge_embedding_loss(input, target, margin, reduction): input where target is 1, max(0, margin - input) where it is
 * -1, the sum of both elsewhere. margin is converted to input's dtype first, as in PyTorch: for int64 it is truncated,
 * and the loss stays int64, which has no mean. */
Tensor *F_hinge_embedding_loss(Tensor *input, Tensor *target, double margin, const char *reduction_word) {
    TG_COMPOSITE("hinge_embedding_loss");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(target);
    const t_DType narrow = TG_WIDEN(&input, &target);
    if (narrow) return tg_narrowed(F_hinge_embedding_loss(input, target, margin, reduction_word), narrow);
    LossReduction reduction = TO_MEAN;
    if (!tg_check_two(input, target) || !tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!tg_check_scalar_fits(margin, input->dtype)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *zero = t_to(N(0), input->dtype), *shortfall = t_sub(t_to(N(margin), input->dtype), input);
    Tensor *far = t_where(t_ne(target, N(1)), t_clamp_min(shortfall, zero), zero);
    Tensor *near = t_where(t_ne(target, N(-1)), input, zero);
    return tg_scope_return(depth, tg_reduce(t_add(far, near), reduction));
}

static Tensor *triplet(Tensor *anchor, Tensor *positive, Tensor *negative, tg_Distance *distance, const void *context,
                       double margin, bool swap) {
    Tensor *near = distance(anchor, positive, context), *far = near ? distance(anchor, negative, context) : NULL;
    if (swap && far) far = t_minimum(far, distance(positive, negative, context));
    return far ? relu(t_sub(t_add(near, N(margin)), far)) : NULL;
}

Tensor *tg_triplet_margin_loss(Tensor *anchor, Tensor *positive, Tensor *negative, tg_Distance *distance,
                               const void *context, double margin, bool swap, const char *reduction_word) {
    LossReduction reduction = TO_MEAN;
    if (!tg_check_any_three(anchor, positive, negative)) return NULL;
    if (!tg_parse_reduction(reduction_word, &reduction)) return NULL;
    if (!(margin > 0)) return tg_fail("margin must be greater than 0, got %s", tg_number_text(margin));
    if (anchor->ndim != positive->ndim || anchor->ndim != negative->ndim)
        return tg_fail(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            "anchor %dD, positive %dD, and negative %dD inputs",
            anchor->ndim, positive->ndim, negative->ndim);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *each = triplet(anchor, positive, negative, distance, context, margin, swap);
    return tg_scope_return(depth, tg_reduce(each, reduction));
}

typedef struct PairwiseDistance {
    double p, eps;
} PairwiseDistance;

static Tensor *pairwise_distance(Tensor *x1, Tensor *x2, const void *context) {
    const PairwiseDistance *d = context;
    return F_pairwise_distance(x1, x2, d->p, d->eps, false);
}

/* F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction): max(0, margin + |anchor -
 * positive| - |anchor - negative|), each the p-norm along the last dim; swap takes |positive - negative| where it is
 * the smaller one. */
Tensor *F_triplet_margin_loss(Tensor *anchor, Tensor *positive, Tensor *negative, double margin, double p, double eps,
                              bool swap, const char *reduction_word) {
    TG_COMPOSITE("triplet_margin_loss");
    TG_AUTOCAST_FLOAT32(anchor);
    TG_AUTOCAST_FLOAT32(positive);
    TG_AUTOCAST_FLOAT32(negative);
    const t_DType narrow = TG_WIDEN_HALF(&anchor, &positive, &negative);
    if (narrow)
        return tg_narrowed(F_triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction_word),
                           narrow);
    return tg_triplet_margin_loss(anchor, positive, negative, pairwise_distance, &(PairwiseDistance){p, eps}, margin,
                                  swap, reduction_word);
}

typedef struct UserDistance {
    F_Distance *function;
} UserDistance;

static Tensor *user_distance(Tensor *x1, Tensor *x2, const void *context) {
    const int64_t failures = tg_context()->failures;
    const int depth = tg_scope_open_around_callback();
    Tensor *y = depth ? ((const UserDistance *)context)->function(x1, x2) : NULL;
    return tg_scope_return_tensor(depth, failures, y, "distance_function");
}

/* F.triplet_margin_with_distance_loss(anchor, positive, negative, distance_function, margin, swap, reduction): the same
 * with any function of two tensors as the distance; NULL: F_pairwise_distance with its defaults. */
Tensor *F_triplet_margin_with_distance_loss(Tensor *anchor, Tensor *positive, Tensor *negative,
                                            F_Distance *distance_function, double margin, bool swap,
                                            const char *reduction_word) {
    TG_COMPOSITE("triplet_margin_with_distance_loss");
    const t_DType narrow = TG_WIDEN_HALF(&anchor, &positive, &negative);
    if (narrow)
        return tg_narrowed(F_triplet_margin_with_distance_loss(anchor, positive, negative, distance_function, margin,
                                                               swap, reduction_word),
                           narrow);
    if (!distance_function)
        return F_triplet_margin_loss(anchor, positive, negative, margin, 2, 1e-6, swap, reduction_word);
    return tg_triplet_margin_loss(anchor, positive, negative, user_distance, &(UserDistance){distance_function}, margin,
                                  swap, reduction_word);
}
