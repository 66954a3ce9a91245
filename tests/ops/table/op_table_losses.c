/* tests/ops/table/op_table_losses.c: losses and distances of torch.nn.functional (nn/functional/loss/loss.h). The first
 * number of a loss is its reduction; the others are quarters, where nothing else is said, dims and flags. */
#include "tests/ops/table/op_table.h"

#include <math.h>

#include "nn/functional/functional.h"

static const char *const reductions[] = {"mean", "sum", "none", "some", "batchmean"};
#define REDUCTION reductions[c->n[0]]
#define Q(i) ((double)c->n[i] / 4)
#define THIRD (c->count > 2 ? c->x[2] : NULL)
#define CALL(f, ...) static t_TensorList *call_##f(const Call *c) { \
    return list_of(F_##f(c->x[0], c->x[1], __VA_ARGS__)); \
}

/* Numbers of the three with F_LossOptions: the reduction, label smoothing in hundredths, the ignored class + 1 (0:
 * none). */
static F_LossOptions loss_options(const Call *c) {
    F_LossOptions options = F_LossDefaults;
    options.reduction = REDUCTION;
    options.label_smoothing = (double)c->n[1] / 100;
    if (c->n[2]) options.ignore_index = c->n[2] - 1;
    options.weight = THIRD;
    return options;
}
static t_TensorList *call_cross_entropy(const Call *c) {
    F_LossOptions options = loss_options(c);
    return list_of(F_cross_entropy(c->x[0], c->x[1], &options));
}
static t_TensorList *call_linear_cross_entropy(const Call *c) {
    F_LossOptions options = loss_options(c);
    options.weight = NULL;
    return list_of(F_linear_cross_entropy(c->x[0], c->x[1], c->x[2], c->x[3], &options));
}
static t_TensorList *call_nll_loss(const Call *c) {
    F_LossOptions options = loss_options(c);
    return list_of(F_nll_loss(c->x[0], c->x[1], &options));
}
static t_TensorList *call_mse_loss(const Call *c) {
    F_LossOptions options = loss_options(c);
    return list_of(F_mse_loss(c->x[0], c->x[1], &options));
}
/* The powers of a norm by number. */
static double power(int64_t n) {
    return n < 0 ? (double)INFINITY : (double)n / 4;
}
CALL(l1_loss, REDUCTION, THIRD)
CALL(smooth_l1_loss, REDUCTION, Q(1))
CALL(huber_loss, REDUCTION, Q(1), THIRD)
CALL(poisson_nll_loss, c->n[1], c->n[2], 0.25, REDUCTION)
CALL(gaussian_nll_loss, c->x[2], c->n[1], Q(2), REDUCTION)
CALL(binary_cross_entropy, THIRD, REDUCTION)
CALL(binary_cross_entropy_with_logits, THIRD, REDUCTION, c->count > 3 ? c->x[3] : NULL)
CALL(kl_div, REDUCTION, c->n[1])
CALL(cosine_embedding_loss, c->x[2], Q(1), REDUCTION)
CALL(margin_ranking_loss, c->x[2], Q(1), REDUCTION)
CALL(hinge_embedding_loss, Q(1), REDUCTION)
CALL(triplet_margin_loss, c->x[2], Q(1), power(c->n[2]), 0.25, c->n[3], REDUCTION)
/* distance 0 is the default, 1 the cosine's. */
static Tensor *cosine_distance(Tensor *x1, Tensor *x2) {
    return t_sub(t_integer(1), F_cosine_similarity(x1, x2, -1, 1e-8));
}
static F_Distance *const distances[] = {NULL, cosine_distance};
CALL(triplet_margin_with_distance_loss, c->x[2], distances[c->n[2]], Q(1), c->n[3], REDUCTION)
/* Numbers: the reduction, zero_infinity, the blank, and the lengths of inputs and targets as digits. The gradient is
 * one of log-probabilities. */
static Tensor *digits(int64_t number) {
    int64_t lengths[20], count = 0;
    for (; number > 0; number /= 10) lengths[count++] = number % 10;
    Tensor *x = t_empty(&count, 1, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_int64});
    for (int64_t i = 0; x && i < count; i++) ((int64_t *)t_data_ptr(x))[i] = lengths[count - 1 - i];
    return x;
}
static t_TensorList *call_ctc_loss(const Call *c) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *x = c->x[0], *logp = x && t_is_floating_point(x) && t_dim(x) > 1 ? t_log_softmax(x, -1) : x;
    t_TensorList *losses =
        list_of(F_ctc_loss(logp, c->x[1], digits(c->n[3]), digits(c->n[4]), c->n[2], REDUCTION, c->n[1]));
    t_keep_object(losses);
    t_scope_close(depth);
    return losses;
}
CALL(soft_margin_loss, REDUCTION)
CALL(multi_margin_loss, c->n[1], Q(2), THIRD, REDUCTION)
/* With a second number, the target is less 1: -1 ends a sample's classes. */
static t_TensorList *call_multilabel_margin_loss(const Call *c) {
    return list_of(F_multilabel_margin_loss(c->x[0], c->n[1] ? t_sub(c->x[1], t_integer(1)) : c->x[1], REDUCTION));
}
CALL(multilabel_soft_margin_loss, THIRD, REDUCTION)
CALL(cosine_similarity, c->n[0], Q(1))
CALL(pairwise_distance, power(c->n[0]), Q(1), c->n[2])
static t_TensorList *call_pdist(const Call *c) {
    return list_of(F_pdist(c->x[0], power(c->n[0])));
}
static t_TensorList *call_normalize(const Call *c) {
    return list_of(F_normalize(c->x[0], power(c->n[0]), c->n[1], Q(2)));
}

/* ---- cases ---- */

#define REDUCED(x, ...) {x, {0, __VA_ARGS__}}, {x, {1, __VA_ARGS__}}, {x, {2, __VA_ARGS__}}
/* Class indices: with and without a weight, smoothing and an ignored class, in each reduction. */
#define INDICES(x) \
    REDUCED(x " -", 0), REDUCED(x " P(3)", 0), REDUCED(x " -", 10), REDUCED(x " P(3)", 10)
#define IGNORED(x, ignored) \
    REDUCED(x " -", 0, ignored), REDUCED(x " P(3)", 0, ignored), REDUCED(x " -", 10, ignored), \
    REDUCED(x " P(3)", 10, ignored)
#define PROBABILITIES(x) REDUCED(x " -", 0), REDUCED(x " P(3)", 0), REDUCED(x " -", 10), REDUCED(x " P(3)", 10)
static const OpCase cross_entropy_cases[] = {
    INDICES("r(3) k3()"), INDICES("r(4,3) k3(4)"), INDICES("r(2,3,2) k3(2,2)"), INDICES("r(1,3,1,3) k3(1,1,3)"),
    INDICES("r(1,3,1,2,2) k3(1,1,2,2)"),
    IGNORED("r(4,3) k3(4)", 2), IGNORED("r(3,3,2) k3(3,2)", 3), IGNORED("r(1,3,1,2,2) k3(1,1,2,2)", 1),
    {"t(3) k2() -", {2, 0, 1}},
    PROBABILITIES("r(3) q(3)"), PROBABILITIES("r(2,3) q(2,3)"),
    PROBABILITIES("r(2,3,2) Q(2,3,2)"), PROBABILITIES("r(1,3,1,2) q(1,3,1,2)"),
    PROBABILITIES("r(1,3,1,2,1) q(1,3,1,2,1)"),
    {"R(3,4) k4(3) -"}, {"r(0,4) k4(0) -", {1}}, {NULL},
};
#define LINEAR(x) REDUCED(x, 0), REDUCED(x, 10)
static const OpCase linear_cross_entropy_cases[] = {
    LINEAR("r(5) r(4,5) k4() -"), LINEAR("r(3,5) r(4,5) k4(3) r(4)"), LINEAR("r(2,5) r(4,3,2,5) k4(2,3,2) r(4,3,2)"),
    LINEAR("r(2,5) r(4,5) q(2,4) -"), LINEAR("r(2,5) r(4,3,5) q(2,4,3) r(4,3)"),
    REDUCED("r(6,2) r(3,2) k3(6) -", 0, 2), {"R(3,4) R(5,4) k5(3) R(5)"}, {"r(0,4) r(5,4) k5(0) -", {1}}, {NULL},
};
static const OpCase nll_loss_cases[] = {
    REDUCED("r(3,4) k4(3) -", 0), REDUCED("r(3,4) k4(3) P(4)", 0), REDUCED("r(6,3) k3(6) -", 0, 2),
    REDUCED("r(6,3) k3(6) P(3)", 0, 1), REDUCED("r(4) k4() -", 0), REDUCED("r(2,3,4) k3(2,4) -", 0),
    REDUCED("r(2,3,4) k3(2,4) P(3)", 0), REDUCED("r(2,3,2,2) k3(2,2,2) P(3)", 0, 3),
    REDUCED("r(2,3,1,2,2) k3(2,1,2,2) -", 0), {"r(0,4) k4(0) -", {2}}, {NULL},
};
#define REGRESSION(kind, ...)                                                                                   \
    {kind "() " kind "()", {0, __VA_ARGS__}}, {kind "(5) " kind "(5)", {1, __VA_ARGS__}},                       \
    REDUCED(kind "(2,3) " kind "(2,3)", __VA_ARGS__), {kind "(2,3) " kind "(3)", {0, __VA_ARGS__}},             \
    {kind "(2,1,3) " kind "(2,1,3)", {2, __VA_ARGS__}}, {kind "(2,1,1,2) " kind "(2,1,1,2)", {0, __VA_ARGS__}}, \
    {kind "(1,2,1,1,2) " kind "(1,2,1,1,2)", {1, __VA_ARGS__}}, {kind "(0) " kind "(0)", {1, __VA_ARGS__}}
static const OpCase mse_loss_cases[] = {
    REGRESSION("r", 0), REDUCED("r(2,3) r(2,3) P(2,3)", 0), {"R(4) r(4)"}, {"F(3) D(3)"}, {"F(3) i(3)"}, {NULL}};
static const OpCase l1_loss_cases[] = {
    REGRESSION("s", 0), REDUCED("s(2,3) s(2,3) P(2,3)", 0), {"S(4) s(4)"}, {"t(6) t(6)"}, {"F(3) D(3)"}, {"F(3) i(3)"},
    {NULL}};
static const OpCase smooth_l1_loss_cases[] = {
    REGRESSION("s", 4), REDUCED("r(2,3) r(2,3)", 2), {"s(4) s(4)", {0, 0}}, {"S(4) s(4)", {0, 1}},
    {"t(6) t(6)", {0, 4}},
    {"x(12) r(12)", {2, 4}}, {"F(3) D(3)", {0, 4}}, {"F(3) i(3)", {0, 4}}, {NULL}};
static const OpCase huber_loss_cases[] = {
    REGRESSION("s", 4), REDUCED("r(2,3) r(2,3)", 2), REDUCED("r(2,3) r(2,3) P(2,3)", 3), {"S(4) s(4)", {0, 1}},
    {"t(6) t(6)", {0, 4}}, {"x(12) r(12)", {2, 4}}, {"F(3) D(3)", {0, 4}}, {"F(3) i(3)", {0, 4}}, {NULL}};
static const OpCase poisson_nll_loss_cases[] = {
    REGRESSION("p", 1), REDUCED("p(2,3) p(2,3)", 0, 0), REDUCED("p(2,3) p(2,3)", 1, 1), {"p(4) P(4)", {0, 0, 1}},
    {"f(3) d(3)", {0, 1}}, {"i(3) i(3)", {0, 1}}, {NULL}};
static const OpCase gaussian_nll_loss_cases[] = {
    {"r() r() p()"}, {"r(5) r(5) p(5)", {1}}, REDUCED("r(2,3) r(2,3) p(2,3)", 0), REDUCED("r(2,3) r(2,3) p(2)", 1),
    {"r(2,3) r(2,3) p(2,1)"}, {"r(2,1,3) r(2,1,3) p(2,1,3)", {2, 0, 2}},
    {"r(2,1,1,2) r(2,1,1,2) p(2,1,1,1)", {2, 0, 3}},
    {"r(1,2,1,1,2) r(1,2,1,1,2) p(1,2,1,1)", {0, 1}}, {"r(2,3) R(2,3) P(2,3)", {0, 0, 8}}, {"r(0) r(0) p(0)", {1}},
    {NULL}};
static const OpCase binary_cross_entropy_cases[] = {
    {"q() q() -"}, {"q(5) q(5) -", {1}}, REDUCED("q(2,3) q(2,3) -", 0), REDUCED("q(2,3) Q(2,3) P(2,3)", 0),
    {"q(2,3) q(2,3) P(3)"}, {"q(2,1,3) q(2,1,3) P()", {2}}, {"q(2,1,1,2) q(2,1,1,2) P(2)", {0}},
    {"q(1,2,1,1,2) Q(1,2,1,1,2) -", {2}}, {"q(0) q(0) -", {1}}, {"Q(3) q(3) -"}, {"d(0) d(0) P(1)", {1}}, {NULL}};
static const OpCase with_logits_cases[] = {
    {"r() q() - -"}, {"r(5) q(5) - -", {1}}, REDUCED("r(2,3) q(2,3) - -", 0), REDUCED("r(2,3) Q(2,3) P(2,3) -", 0),
    REDUCED("r(2,3) q(2,3) - P(3)", 0), REDUCED("r(2,3) q(2,3) P(3) P(2,1)", 0), {"r(2,1,3) q(2,1,3) P(3) P(3)", {2}},
    {"r(2,1,1,2) q(2,1,1,2) - P(2)"}, {"r(1,2,1,1,2) Q(1,2,1,1,2) P(2) -", {2}}, {"r(0) q(0) - -", {1}},
    {"R(3) q(3) - -"},
    {"x(12) Q(12) - -", {2}}, {"x(12) Q(12) - P(1)", {2}}, {"d(3) f(3) - -"}, {NULL}};
static const OpCase kl_div_cases[] = {
    REGRESSION("p", 0), REGRESSION("r", 1), {"r(4,2) q(4,2)", {4}}, {"r(4,2) q(4,2)", {4, 1}}, {"r() q()", {4}},
    {"r(2,3) q(3)", {4}}, {"t(6) T(6)", {2}}, {"f(3) d(3)"}, {NULL}};
static const OpCase cosine_embedding_loss_cases[] = {
    REDUCED("r(4,3) r(4,3) T(4)", 0), REDUCED("r(4,3) r(4,3) T(4)", 1), {"r(3) r(3) T()"}, {"r(3) r(3) k2()"},
    {"r(3,2) R(3,2) k2(3)"}, {"r(0,2) r(0,2) T(0)", {1}}, {NULL}};
static const OpCase margin_ranking_loss_cases[] = {
    {"s() s() T()"}, {"s(5) s(5) T(5)", {1}}, REDUCED("s(2,3) s(2,3) T(2,3)", 0), REDUCED("s(2,3) s(2,3) t(2,3)", 3),
    {"s(2,1,2) S(2,1,2) T(2,1,1)", {2, 1}}, {"s(2,1,1,2) s(2,1,1,2) T(2,1,1,2)"},
    {"s(1,2,1,1,2) s(1,2,1,1,2) T(1,2,1,1,2)", {2}},
    {"s(0) s(0) T(0)", {1}}, {NULL}};
static const OpCase hinge_embedding_loss_cases[] = {
    {"s() T()", {0, 4}}, {"s(5) T(5)", {1, 4}}, REDUCED("s(2,3) T(2,3)", 4), REDUCED("s(2,3) T(3)", 7),
    {"s(2,1,3) T(2,1,3)", {2, 4}},
    {"s(2,1,1,2) T(2,1,1,2)", {0, 4}}, {"s(1,2,1,1,2) k2(1,2,1,1,2)", {2, 4}}, {"s(0) T(0)", {1, 4}},
    {"i(9) k2(9)", {2, 6}}, {"i(9) k2(9)", {1, -7}}, {NULL}};
static const OpCase triplet_margin_loss_cases[] = {
    REDUCED("r(4,3) r(4,3) r(4,3)", 4, 8), REDUCED("r(4,3) r(4,3) r(4,3)", 8, 8, 1),
    {"s(4,3) s(4,3) s(4,3)", {2, 12, 4}},
    {"r(3) r(3) r(3)", {0, 8, 12}}, {"r(2,2,3) r(2,2,3) R(2,2,3)", {2, 6, 8}},
    {"r(2,1,2,3) R(2,1,2,3) r(2,1,2,3)", {2, 4, 10}},
    {"r(1,2,1,2,2) r(1,2,1,2,2) r(1,2,1,2,2)", {2, 6, 8}}, {"r(0,3) r(0,3) r(0,3)", {1, 4, 8}},
    {"r() r() r()", {0, 12, 8}}, {NULL}};
static const OpCase triplet_with_distance_cases[] = {
    REDUCED("r(4,3) r(4,3) r(4,3)", 4), REDUCED("r(4,3) r(4,3) r(4,3)", 8, 1), REDUCED("r(4,3) r(4,3) r(4,3)", 4, 1, 1),
    {"r(3) r(3) r(3)", {0, 8, 0, 1}}, {"r(2,2,3) r(2,2,3) R(2,2,3)", {2, 6, 1}}, {"R() r() r()", {0, 12}},
    {"r(2,1,2,3) R(2,1,2,3) r(2,1,2,3)", {2, 4}}, {"r(1,2,1,2,2) r(1,2,1,2,2) r(1,2,1,2,2)", {2, 6}},
    {"r(0,3) r(0,3) r(0,3)", {1, 4}}, {NULL}};
static const OpCase ctc_loss_cases[] = {
    REDUCED("r(5,2,4) k3(2,2)", 0, 3, 55, 22), REDUCED("r(6,3,3) k2(3,3)", 0, 2, 645, 312),
    REDUCED("r(4,2,3) k2(2,3)", 1, 2, 24, 33), {"r(5,3,4) k3(5)", {0, 0, 3, 535, 212}},
    {"r(4,3) k2(2)", {0, 0, 2, 4, 2}},
    {"r(4,3) k1(1)", {2, 0, 1, 3, 1}}, {"r(7,1,5) k4(1,3)", {2, 0, 4, 7, 3}}, {"R(5,2,4) k3(2,2)", {2, 0, 3, 55, 22}},
    {NULL}};
static const OpCase soft_margin_loss_cases[] = {
    {"r() T()"}, {"r(5) T(5)", {1}}, REDUCED("r(2,3) T(2,3)", 0), {"r(2,3) T(3)", {2}}, {"r(2,3) T()"},
    {"r(2,1,3) R(2,1,3)", {2}}, {"r(2,1,1,2) k2(2,1,1,2)"}, {"R(1,2,1,1,2) T(1,2,1,1,2)", {2}}, {"r(0) T(0)", {1}},
    {"f(3) D(3)"}, {"F(3) b(3)", {2}}, {"x(12) T(12)", {2}}, {NULL}};
static const OpCase multi_margin_loss_cases[] = {
    REDUCED("s(3,4) k4(3) -", 1, 4), REDUCED("s(3,4) k4(3) P(4)", 1, 2), REDUCED("s(3,4) k4(3) -", 2, 4),
    REDUCED("s(3,4) k4(3) P(4)", 2, 7), {"s(4) k4() -", {2, 1, 4}}, {"s(4) k4(1) -", {2, 1, 4}},
    {"s(4) k4() P(4)", {0, 2, 4}}, {"s(1,4) k4() -", {2, 1, 4}}, {"s() k1() -", {2, 1, 4}},
    {"S(2,3) k3(2) -", {1, 1, 4}},
    {"s(0,4) k4(0) -", {2, 1, 4}}, {NULL}};
static const OpCase multilabel_margin_loss_cases[] = {
    REDUCED("s(3,4) k4(3,4)", 0), REDUCED("s(5,4) k5(5,4)", 1), {"s(4) k4(4)", {2}},
    {"s(4) k5(4)", {0, 1}}, {"s(4) k4(4)"}, {"s() k1()"}, {"s() k1(1)", {2}},
    {"s(1) k1()"}, {"S(3,4) k4(3,4)", {2}}, {"s(0,4) k4(0,4)", {2}}, {NULL}};
static const OpCase multilabel_soft_margin_loss_cases[] = {
    {"r(5) q(5) -", {1}}, REDUCED("r(2,3) q(2,3) -", 0), REDUCED("r(2,3) q(2,3) p(3)", 0), {"r(2,3) q(3) -", {2}},
    {"r(3) k2(2,3) -", {2}}, {"r(2,1,3) q(2,1,3) -", {2}}, {"r(2,1,1,2) k2(2,1,1,2) P(2)"},
    {"r(1,2,1,1,2) Q(1,2,1,1,2) -", {2}}, {"r(0) q(0) -", {1}}, {"R(3) Q(3) -", {2}}, {NULL}};
static const OpCase cosine_similarity_cases[] = {
    {"R() R()", {0}}, {"r(4) r(4)", {0}}, {"r(3,4) r(3,4)", {1}}, {"r(3,4) r(4)", {-1}}, {"r(3,4) r(3,4)", {0}},
    {"r(2,3,2) R(2,3,2)", {1}}, {"r(2,1,3,2) r(2,1,3,1)", {2}}, {"r(2,1,2,1,3) r(2,1,2,1,3)", {-1}},
    {"t(3,4) t(3,4)", {1, 10}},
    {"r(0,3) r(0,3)", {1}}, {"f(2,3) i(2,3)", {1}}, {NULL}};
static const OpCase pairwise_distance_cases[] = {
    {"r(3,4) r(3,4)", {8}}, {"r() r()", {8, 1}}, {"r(4) r(4)", {8, 1}}, {"r(3,4) r(4)", {8, 1, 1}},
    {"s(3,4) s(3,4)", {4}},
    {"s(3,4) s(3,4)", {10}}, {"s(3,4) s(3,4)", {6}}, {"s(3,4) s(3,4)", {-1, 0, 1}}, {"s(3,4) s(3,4)", {0}},
    {"r(2,2,3) R(2,2,3)", {8}}, {"r(2,1,2,3) r(2,3)", {12}},
    {"r(1,2,1,2,2) r(1,2,1,2,2)", {8}}, {"r(0,3) r(0,3)", {8}}, {"i(2,3) i(2,3)", {8, 1}}, {"t(2,3) t(2,3)", {8}},
    {"f(2,3) d(2,3)", {8}}, {NULL}};
static const OpCase normalize_cases[] = {
    {"r()", {8, 0}}, {"r(5)", {8, 0}}, {"r(2,3)", {8, 1}}, {"r(2,3)", {8, -2}}, {"s(2,3)", {4, 1}}, {"s(2,3)", {12, 1}},
    {"s(2,3)", {-1, 0}}, {"s(2,3)", {0, 1}}, {"r(2,3,2)", {8, 1}}, {"r(2,1,3,2)", {8, 2}}, {"r(2,1,2,1,3)", {8, -1}},
    {"r(3,4)", {8, 1, 8}}, {"T(4,2)", {8, 1, 1}}, {"R(0,3)", {8, 1}}, {NULL}};
static const OpCase pdist_cases[] = {
    {"r(4,3)", {8}}, {"s(4,3)", {4}}, {"s(4,3)", {0}}, {"s(3,4)", {-1}}, {"s(3,4)", {12}}, {"s(3,2)", {6}},
    {"R(5,2)", {8}}, {"R(1,3)", {8}}, {"R(0,3)", {8}}, {"T(5,2)", {8}}, {NULL}};

/* ---- refusals ---- */

#define SIZES "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"
static const OpError cross_entropy_errors[] = {
    {"r(3,4) k9(40) -", {0}, "Expected input batch_size (3) to match target batch_size (40)."},
    {"r(3,4) k4(3,4) -", {0}, "Expected floating point type for target with class probabilities, got Long"},
    {"r(3,4) R(3) -", {0}, "expected target dtype to be Long or Byte, but got Float"},
    {"r(3,4) k4(3) P(3)", {0}, "weight tensor should be defined either for all 4 classes or no classes but got "
                               "weight tensor of shape: [3]"},
    {"r(3,4) k4(3) -", {3}, "some is not a valid value for reduction"},
    {"r() k4() -", {0}, "Expected floating point type for target with class probabilities, got Long"},
    {"r(2,3,4) k3(2,5) -", {0}, "Expected target size [2, 4], got [2, 5]"},
    {"r(3,4) q(3,4) -", {0, 0, 2}, "ignore_index is not supported for floating point target"},
    {NULL},
};
static const OpError linear_cross_entropy_errors[] = {
    {"r(1,3,5) r(4,5) k4(3) -", {0}, "expected input with dimensionality 1 or 2, got 3"},
    {"r(3,5) r(5) k4(3) -", {0}, "expected linear_weight with dimensionality at least 2, got 1"},
    {"r(3,5) r(4,6) k4(3) -", {0}, "expected equal input and linear_weight last dimensions (in_features), got 5 and 6, "
                                   "respectively"},
    {"r(3,5) r(4,5) k4(3) -", {3}, "some is not a valid value for reduction"},
    {NULL},
};
static const OpError nll_loss_errors[] = {
    {"r(3,4) k4(2) -", {0}, "Expected input batch_size (3) to match target batch_size (2)."},
    {"r(9,2) k9(9) -", {0}, "Target 4 is out of bounds."},
    {"r(3,4) k4(3) p(4)", {0}, "The function 'nll_loss_forward' is not differentiable with respect to argument "
                               "'weight'. This input cannot have requires_grad True."},
    {NULL},
};
static const OpError mse_loss_errors[] = {
    {"r(3) r(3) P(2)", {0}, "Weights and input must have the same size."},
    {"r(3) r(3)", {3}, "some is not a valid value for reduction"},
    {"r(3) r(3) P(3)", {3}, "Invalid reduction mode: some. Expected one of 'none', 'mean', 'sum'."},
    {"r(3) r(4)", {0}, SIZES},
    {"i(3) i(3)", {0}, "\"mse_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError l1_loss_errors[] = {
    {"r(3) r(3) P(2)", {0}, "Weights and input must have the same size."},
    {"r(3) r(3)", {3}, "some is not a valid value for reduction"},
    {"r(3) r(3) P(3)", {3}, "Invalid reduction mode: some. Expected one of 'none', 'mean', 'sum'."},
    {"r(3) r(4)", {0}, SIZES},
    {"i(3) i(3)", {0}, "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                       "dtype. Got: Long"},
    {NULL},
};
static const OpError smooth_l1_loss_errors[] = {
    {"r(3) r(3)", {0, -4}, "smooth_l1_loss does not support negative values for beta."},
    {"r(3) r(3)", {3, 4}, "some is not a valid value for reduction"},
    {"r(3) r(4)", {0, 4}, SIZES},
    {"i(3) i(3)", {0, 4}, "\"smooth_l1_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError huber_loss_errors[] = {
    {"r(3) r(3)", {0, 0}, "huber_loss does not support non-positive values for delta."},
    {"r(3) r(3)", {3, 4}, "some is not a valid value for reduction"},
    {"r(3) r(3) P(4)", {0, 4}, "Weights and input must have the same size."},
    {"r(3) r(4)", {0, 4}, SIZES},
    {"i(3) i(3)", {0, 4}, "\"huber_cpu\" not implemented for 'Long'"},
    {"i(3) r(3)", {0, 4}, "result type Float can't be cast to the desired output type Long"},
    {NULL},
};
static const OpError poisson_nll_loss_errors[] = {
    {"r(3) r(3)", {3}, "some is not a valid value for reduction"},
    {"r(3) r(4)", {0, 0}, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};
static const OpError gaussian_nll_loss_errors[] = {
    {"r(3) r(3) p(3)", {3}, "some is not valid"},
    {"r(3) r(3) r(3)", {0}, "var has negative entry/entries"},
    {"r(3,4) r(3,4) p(2,4)", {0}, "var is of incorrect size"},
    {"r(3,4) r(3,4) p(1,1)", {0}, "var is of incorrect size"},
    {"r(3) r(3) k7(3)", {0, 0, 1}, "result type Float can't be cast to the desired output type long int"},
    {"i(3) i(3) b(3)", {2, 1, 1}, "result type Float can't be cast to the desired output type bool"},
    {"r(3) r(3) k7(3)", {3}, "some is not valid"},
    {NULL},
};
static const OpError binary_cross_entropy_errors[] = {
    {"q(3) q(4) -", {0}, "Using a target size (torch.Size([4])) that is different to the input size (torch.Size([3])) "
                         "is deprecated. Please ensure they have the same size."},
    {"p(9) q(9) -", {0}, "all elements of input should be between 0 and 1"},
    {"q(9) p(9) -", {0}, "all elements of target should be between 0 and 1"},
    {"q(3) q(3) -", {3}, "some is not a valid value for reduction"},
    {"q(3) k2(3) -", {0}, "Found dtype Long but expected Float"},
    {"i(3) k2(3) -", {0}, "\"binary_cross_entropy\" not implemented for 'Long'"},
    {"q(3) q(3) p(3)", {0},
        "The function 'binary_cross_entropy' is not differentiable with respect to argument 'weight'. This "
                            "input cannot have requires_grad True."},
    {"q(2,3) q(2,3) P(4)", {0},
        "Attempting to broadcast a dimension of length 4 at -1! Mismatching argument at index 1 had "
                                "torch.Size([4]); but expected shape should be broadcastable to [2, 3]"},
    {"q(3) q(3) P(2,3)", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
    {NULL},
};
static const OpError with_logits_errors[] = {
    {"r(3) r(4) - -", {0}, "Target size (torch.Size([4])) must be the same as input size (torch.Size([3]))"},
    {"r(3) r(3) - -", {3}, "some is not a valid value for reduction"},
    {"r(3) i(3) - -", {0}, "result type Float can't be cast to the desired output type Long"},
    {"r(3) b(3) - -", {0}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                           "`logical_xor()` operator instead."},
    {"i(3) r(3) - -", {0}, "\"log_sigmoid_cpu\" not implemented for 'Long'"},
    {"r(3) r(3) p(3) -", {0},
        "The function 'binary_cross_entropy_with_logits' is not differentiable with respect to argument "
                              "'weight'. This input cannot have requires_grad True."},
    {"r(3) r(3) - p(3)", {0},
        "The function 'binary_cross_entropy_with_logits' is not differentiable with respect to argument "
                              "'pos_weight'. This input cannot have requires_grad True."},
    {"r(3) r(3) P(2,3) -", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
    {"r(3) r(3) - P(4)", {0},
        "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};
static const OpError kl_div_errors[] = {
    {"r(3) i(3)", {0}, "kl_div: Integral inputs not supported."},
    {"b(3) r(3)", {0}, "kl_div: Integral inputs not supported."},
    {"r(3) r(3)", {3}, "some is not a valid value for reduction"},
    {"r(3) r(4)", {0}, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {NULL},
};
static const OpError cosine_embedding_loss_errors[] = {
    {"r(3,4) r(3,4) T(3,1)", {0}, "0D or 1D target tensor expected, multi-target not supported"},
    {"r(3,4) r(3,4) T()", {0},
        "0D target tensor expects 1D input tensors, but found inputs with sizes [3, 4] and [3, 4]."},
    {"r(3,4) r(4) T(3)", {0}, "1D target tensor expects 2D input tensors, but found inputs with sizes [3, 4] and [4]."},
    {"r(3,4) r(3,4) T(4)", {0},
        "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(3,4) r(3,4) T(3)", {3}, "some is not a valid value for reduction"},
    {NULL},
};
static const OpError margin_ranking_loss_errors[] = {
    {"r(3,4) r(4) T(4)", {0},
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                              "torch.Size([3, 4]), input2: torch.Size([4]), target: torch.Size([4]) "},
    {"r(3) r(4) T(3)", {0}, SIZES},
    {"r(3) r(3) T(3)", {3}, "some is not a valid value for reduction"},
    {NULL},
};
static const OpError hinge_embedding_loss_errors[] = {
    {"r(3) T(4)", {0, 4}, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(3) T(3)", {3, 4}, "some is not a valid value for reduction"},
    {"i(3) T(3)", {0, 4}, "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                          "complex dtype. Got: Long"},
    {"b(3) T(3)", {2, 4}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                          "`logical_xor()` operator instead."},
    {NULL},
};
static const OpError triplet_margin_loss_errors[] = {
    {"r(3,4) r(4) r(4)", {0, 4, 8},
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
                                    "but got: anchor 2D, positive 1D, and negative 1D inputs"},
    {"r(3) r(4) r(4)", {0, 4, 8}, SIZES},
    {"r(3) r(3) r(3)", {0, -1, 8}, "margin must be greater than 0, got -0.25"},
    {"r(3) r(3) r(3)", {3, 4, 8}, "some is not a valid value for reduction"},
    {NULL},
};
static const OpError triplet_with_distance_errors[] = {
    {"r(3,4) r(4) r(4)", {0, 4}, "The anchor, positive, and negative tensors are expected to have the same number of "
                                 "dimensions, but got: anchor 2D, positive 1D, and negative 1D inputs"},
    {"r(3) r(4) r(4)", {0, 4}, SIZES},
    {"r(3) r(3) r(3)", {0, -1}, "margin must be greater than 0, got -0.25"},
    {"r(3) r(3) r(3)", {3, 4, 1}, "some is not a valid value for reduction"},
    {NULL},
};
static const OpError soft_margin_loss_errors[] = {
    {"r(3) T(4)", {0}, SIZES},
    {"r(3) T(2,3)", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
    {"r(3) T(3)", {3}, "some is not a valid value for reduction"},
    {"i(3) k2(3)", {0}, "result type Float can't be cast to the desired output type Long"},
    {"r(3) r(3)", {0}, "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This "
                       "input cannot have requires_grad True."},
    {NULL},
};
static const OpError multi_margin_loss_errors[] = {
    {"r(3,4) k4(3) -", {3, 1, 4}, "some is not a valid value for reduction"},
    {"r(3,4) k4(3) -", {0, 3, 4}, "only p == 1 and p == 2 supported"},
    {"r(3,4) k4(3) P(2,2)", {0, 1, 4}, "weight must be one-dimensional"},
    {"r(3,4) k4(3) P(5)", {0, 1, 4}, "inconsistent weight size, expected 4 but got [5]"},
    {"r(3,4) k4(3) p(4)", {0, 1, 4}, "The function 'multi_margin_loss' is not differentiable with respect to argument "
                                     "'weight'. This input cannot have requires_grad True."},
    {"r(2,3,4) k4(2) -", {0, 1, 4}, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                                    "[2, 3, 4]"},
    {"r(3,0) k4(3) -", {0, 1, 4}, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                                  "[3, 0]"},
    {"r(3,4) k4(2) -", {0, 1, 4}, "multi_margin_loss: target tensor should be 1-D with size equal to the number of "
                                  "input samples (batch size). Expected target size [3], but got [2]. Input has shape "
                                  "[3, 4]."},
    {"r(3,4) k4(3,1) -", {0, 1, 4}, "multi_margin_loss: target tensor should be 1-D with size equal to the number of "
                                    "input samples (batch size). Expected target size [3], but got [3, 1]. Input has "
                                    "shape [3, 4]."},
    {"r(9,2) k9(9) -", {0, 1, 4}, "target out of range"},
    {"r(3,4) R(3) -", {0, 1, 4}, "expected scalar type Long but found Float"},
    {"f(3,4) k4(3) D(4)", {0, 1, 4}, "expected scalar type Float but found Double"},
    {"i(3,4) k4(3) -", {0, 1, 4}, "\"multi_margin_loss_cpu_kernel\" not implemented for 'Long'"},
    {NULL},
};
static const OpError multilabel_margin_loss_errors[] = {
    {"r(3,4) k4(3,5)", {0}, "inconsistent target size: [3, 5] for input of size: [3, 4]"},
    {"r(4) k4(1,4)", {0}, "inconsistent target size: [1, 4] for input of size: [4]"},
    {"r(1,3,4) k4(1,3,4)", {0}, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                                "[1, 3, 4]"},
    {"r(3,3) i(3,3)", {0}, "argument #2 'target' is out of range"},
    {"r(3,3) k9(3,3)", {0}, "argument #2 'target' is out of range"},
    {"r(3,4) R(3,4)", {0}, "expected scalar type Long but found Float"},
    {"i(3,4) k4(3,4)", {0}, "\"multilabel_margin_loss_forward_out_frame\" not implemented for 'Long'"},
    {"r(3,4) k4(3,4)", {3}, "some is not a valid value for reduction"},
    {NULL},
};
static const OpError multilabel_soft_margin_loss_errors[] = {
    {"r() q() -", {0}, "Dimension specified as -1 but tensor has no dimensions"},
    {"r(3) q(4) -", {0}, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(3) q(3) -", {3}, "some is not valid"},
    {"i(3) q(3) -", {0}, "\"log_sigmoid_cpu\" not implemented for 'Long'"},
    {"r(3) b(3) -", {0}, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                         "invert a mask, use the `~` or `logical_not()` operator instead."},
    {NULL},
};
#define RANGE(n) "Dimension out of range (expected to be in range of [-2, 1], but got " n ")"
static const OpError cosine_similarity_errors[] = {
    {"r(3,4) r(3,4)", {2}, RANGE("2")},
    {"r(3) r(4)", {0}, SIZES},
    {"i(3) i(3)", {0}, "expected common dtype to be floating point, yet common dtype is Long"},
    {NULL},
};
static const OpError pairwise_distance_errors[] = {{"r(3) r(4)", {8}, SIZES}, {NULL}};
static const OpError pdist_errors[] = {
    {"r(4)", {8}, "pdist only supports 2D tensors, got: 1D"},
    {"i(4,2)", {8}, "pdist only supports floating-point dtypes"},
    {NULL},
};
static const OpError normalize_errors[] = {
    {"r(3,4)", {8, 2}, RANGE("2")},
    {"i(3)", {8, 0}, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"},
    {NULL},
};

#define ALLOCATING " (while checking arguments for ctc_loss_allocate_outputs)"
static const OpError ctc_loss_errors[] = {
    {"r(5,2,4) k4(2,2)", {0, 0, 0, 56, 22},
        "Expected input_lengths to have value at most 5, but got value 6" ALLOCATING},
    {"r(5,2,4) k4(2,2)", {0, 0, 0, 5, 22}, "input_lengths must be of size batch_size"},
    {"r(5,2,4) k4(2,2)", {0, 0, 0, 55, 2}, "target_lengths must be of size batch_size"},
    {"r(5,2,4) k4(2,2)", {0, 0, 0, 55, 23},
        "Expected tensor to have size at least 3 at dimension 1, but got size 2 for argument #2 'targets'" ALLOCATING},
    {"r(5,2,4) k4(4)", {0, 0, 0, 55, 23},
        "Expected tensor to have size 5 at dimension 0, but got size 4 for argument #2 'targets'" ALLOCATING},
    {"r(5,2,4) k4(1,2)", {0, 0, 0, 55, 22},
        "Expected tensor to have size 2 at dimension 0, but got size 1 for argument #2 'targets'" ALLOCATING},
    {"r(5,2,4) k4(2,2)", {0, 0, 4, 55, 22}, "blank must be in label range"},
    {"r(5,2,4) k4(2,2)", {3, 0, 0, 55, 22}, "some is not a valid value for reduction"},
    {"i(5,2,4) k4(2,2)", {0, 0, 0, 55, 22}, "\"ctc_loss_cpu\" not implemented for 'Long'"},
    {"r(4) k4(2,2)", {0, 0, 0, 5, 2},
        "Expected 3-dimensional tensor, but got 2-dimensional tensor for argument #1 'log_probs'" ALLOCATING},
    {"r(5,2,4) k4(1,2,2)", {0, 0, 0, 55, 22},
        "Expected 1 to 2 dimensions, but got 3-dimensional tensor for argument #2 'targets'" ALLOCATING},
    {"r(0,2,4) k4(2,2)", {0, 0, 0, 55, 22}, "log_probs tensor must not be empty"},
    {"r(5,2,3) k9(2,5)", {0, 0, 0, 55, 55}, "the label 3 is not one of the 3 classes"},
    {NULL},
};

static const OpRow rows[] = {
    {"F_cross_entropy", call_cross_entropy, cross_entropy_cases, cross_entropy_errors, SUMS, "12?",
        "12345z: the classes are along a dim"},
    {"F_linear_cross_entropy", call_linear_cross_entropy, linear_cross_entropy_cases, linear_cross_entropy_errors,
        SUMS | OWN_GRAD_FN, "123?", .ranks = "12z: a vector, or a batch of them"},
    {"F_nll_loss", call_nll_loss, nll_loss_cases, nll_loss_errors, SUMS, "12?",
        "12345z: the classes are along a dim"},
    {"F_mse_loss", call_mse_loss, mse_loss_cases, mse_loss_errors, SUMS, "12?"},
    {"F_l1_loss", call_l1_loss, l1_loss_cases, l1_loss_errors, SUMS, "12?"},
    {"F_smooth_l1_loss", call_smooth_l1_loss, smooth_l1_loss_cases, smooth_l1_loss_errors, SUMS},
    {"F_huber_loss", call_huber_loss, huber_loss_cases, huber_loss_errors, SUMS, "12?"},
    {"F_poisson_nll_loss", call_poisson_nll_loss, poisson_nll_loss_cases, poisson_nll_loss_errors, SUMS},
    {"F_gaussian_nll_loss", call_gaussian_nll_loss, gaussian_nll_loss_cases, gaussian_nll_loss_errors, SUMS},
    {"F_binary_cross_entropy", call_binary_cross_entropy, binary_cross_entropy_cases, binary_cross_entropy_errors,
        SUMS, "12?"},
    {"F_binary_cross_entropy_with_logits", call_binary_cross_entropy_with_logits, with_logits_cases,
        with_logits_errors, SUMS, "12??"},
    {"F_kl_div", call_kl_div, kl_div_cases, kl_div_errors, SUMS},
    {"F_cosine_embedding_loss", call_cosine_embedding_loss, cosine_embedding_loss_cases,
        cosine_embedding_loss_errors, SUMS,
     .ranks = "12z: vectors, or a batch of them"},
    {"F_margin_ranking_loss", call_margin_ranking_loss, margin_ranking_loss_cases, margin_ranking_loss_errors, SUMS},
    {"F_hinge_embedding_loss", call_hinge_embedding_loss, hinge_embedding_loss_cases, hinge_embedding_loss_errors,
        SUMS},
    {"F_triplet_margin_loss", call_triplet_margin_loss, triplet_margin_loss_cases, triplet_margin_loss_errors, SUMS},
    {"F_triplet_margin_with_distance_loss", call_triplet_margin_with_distance_loss, triplet_with_distance_cases,
        triplet_with_distance_errors, SUMS},
    {"F_ctc_loss", call_ctc_loss, ctc_loss_cases, ctc_loss_errors, SUMS | ONCE,
     .ranks = "23: steps, samples and classes"},
    {"F_soft_margin_loss", call_soft_margin_loss, soft_margin_loss_cases, soft_margin_loss_errors,
        SUMS | OWN_GRAD_FN},
    {"F_multi_margin_loss", call_multi_margin_loss, multi_margin_loss_cases, multi_margin_loss_errors,
        SUMS | OWN_GRAD_FN, "12?", "012z: a vector of scores, or a batch of them"},
    {"F_multilabel_margin_loss", call_multilabel_margin_loss, multilabel_margin_loss_cases,
        multilabel_margin_loss_errors, SUMS | OWN_GRAD_FN, .ranks = "012z: a vector of scores, or a batch of them"},
    {"F_multilabel_soft_margin_loss", call_multilabel_soft_margin_loss, multilabel_soft_margin_loss_cases,
        multilabel_soft_margin_loss_errors, SUMS, "12?", "12345z: the classes are along the last dim"},
    {"F_normalize", call_normalize, normalize_cases, normalize_errors, SUMS},
    {"F_pdist", call_pdist, pdist_cases, pdist_errors, SUMS | OWN_GRAD_FN, .ranks = "2z: rows of a matrix"},
    {"F_cosine_similarity", call_cosine_similarity, cosine_similarity_cases, cosine_similarity_errors, SUMS},
    {"F_pairwise_distance", call_pairwise_distance, pairwise_distance_cases, pairwise_distance_errors,
        SUMS | OWN_GRAD_FN},
};
TABLE(loss_table, "ops_losses.txt", rows);
