/* core/distributions/categorical.c: Categorical and OneHotCategorical: one of n categories, by probs or logits along
 * the last dim, which are normalised. */
#include <float.h>

#include "core/distributions/distribution_internal.h"

static const int64_t last_dim[] = {-1};

static Tensor *probs(Distribution *m) {
    return m->parameters[0] ? m->parameters[0] : tg_logits_to_probs(m->parameters[1], false);
}

static Tensor *logits(Distribution *m) {
    return m->parameters[1] ? m->parameters[1] : tg_probs_to_logits(m->parameters[0], false);
}

static Tensor *categorical_parameter(Distribution *m, const char *name) {
    return name[0] == 'p' ? probs(m) : name[0] == 'l' ? logits(m) : NULL;
}

static int64_t categories(Distribution *m) {
    Tensor *given = m->parameters[0] ? m->parameters[0] : m->parameters[1];
    return given->shape[given->ndim - 1];
}

static t_DType dtype_of(Distribution *m) {
    return m->parameters[0] ? m->parameters[0]->dtype : m->parameters[1]->dtype;
}

/* ---- Categorical: the index of a category ---- */

static Constraint *categorical_support(Distribution *m) {
    return distributions_constraints_integer_interval(t_integer(0), t_integer(categories(m) - 1));
}

/* All samples of the first distribution of the batch, then all of the second, ... */
static Tensor *categorical_sample(Distribution *m, const t_Tuple *shape, int samples) {
    const int64_t rows[] = {-1, categories(m)}, count = tg_shape_numel(shape->items, samples);
    Tensor *drawn = t_multinomial(t_reshape(probs(m), rows, 2), count, true, NULL);
    return t_reshape(t_t(drawn), shape->items, shape->len);
}

static Tensor *categorical_log_prob(Distribution *m, Tensor *value) {
    Tensor *log_pmf = logits(m), *index = t_unsqueeze(t_long(value), -1);
    t_TensorList *pair = log_pmf && index ? t_list_new((Tensor *[]){index, log_pmf}, 2) : NULL;
    t_TensorList *same = pair ? t_broadcast_tensors(pair) : NULL;
    if (!same) return NULL;
    index = t_narrow(t_list_get(same, 0), -1, 0, 1);
    return t_squeeze(t_gather(t_list_get(same, 1), -1, index), -1);
}

/* - sum p log p, with log 0 as the lowest number, so that 0 log 0 is 0 */
static Tensor *categorical_entropy(Distribution *m) {
    const double lowest = dtype_of(m) == t_float64 ? -DBL_MAX : -FLT_MAX;
    return t_neg(t_sum(t_mul(t_clamp_min(logits(m), N(lowest)), probs(m)), last_dim, 1, false));
}

static Tensor *categorical_nan(Distribution *m) {
    return tg_full_tensor(&m->batch_shape, NAN, dtype_of(m));
}

static Tensor *categorical_mode(Distribution *m) {
    return t_argmax(probs(m), -1, false);
}

static Tensor *categorical_enumerate_support(Distribution *m, bool expand) {
    const int64_t n = categories(m);
    t_Tuple shape = {{n}, 1}, ones = m->batch_shape, full = {{n}, 1};
    for (int d = 0; d < ones.len; d++) ones.items[d] = 1;
    if (!tg_concat(&shape, &ones, &shape) || !tg_concat(&full, &m->batch_shape, &full)) return NULL;
    Tensor *values = t_view(t_arange_int64(0, n, 1, NULL), shape.items, shape.len);
    return expand ? tg_expand_to(values, &full) : values;
}

const Family tg_categorical = {
    .name = "Categorical", .parameters = {{"probs", SIMPLEX}, {"logits", REAL_VECTOR}},
    .dependent_support = categorical_support, .parameter = categorical_parameter, .sample = categorical_sample,
    .log_prob = categorical_log_prob, .entropy = categorical_entropy, .mean = categorical_nan,
    .mode = categorical_mode, .variance = categorical_nan, .enumerate_support = categorical_enumerate_support};

static Distribution *categorical_new(Tensor *p, Tensor *l, int validate_args) {
    static const t_Tuple scalar = {.len = 0};
    Tensor *given = p ? p : l;
    if (!tg_check(given, p ? 1 : 2)) return NULL;
    if (given->ndim < 1)
        return tg_fail("`%s` parameter must be at least one-dimensional.", p ? "probs" : "logits");
    Tensor *normalized = p ? t_div(p, t_sum(p, last_dim, 1, true)) : t_sub(l, t_logsumexp(l, last_dim, 1, true));
    if (!normalized) return NULL;
    t_Tuple batch_shape = tg_shape_tuple(given, 0, given->ndim - 1);
    Distribution *m = tg_distribution_new(&tg_categorical, &batch_shape, &scalar, validate_args);
    tg_set_distribution_parameter(m, p ? 0 : 1, normalized);
    return tg_validated(m);
}

/* torch.distributions.Categorical(probs, logits): one of the two, (..., n); samples are int64 from 0 to n - 1. Its
 * mean and variance are NaN. Errors: both or neither; 0-dim; negative probs. */
Distribution *distributions_Categorical_new(Tensor *p, Tensor *l, int validate_args) {
    if (!tg_check_probs_or_logits(p, l)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? categorical_new(p, l, validate_args) : NULL);
}

/* ---- OneHotCategorical: a row of zeros with one 1; m->base is the Categorical ---- */

/* F.one_hot(index, n) in the dtype of the probabilities */
static Tensor *one_hot(Distribution *base, Tensor *index) {
    Tensor *all = t_arange_int64(0, categories(base), 1, NULL);
    return t_to(t_eq(t_unsqueeze(index, -1), all), dtype_of(base));
}

static Tensor *one_hot_sample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple of_index = tg_slice_tuple(shape, 0, shape->len - 1);
    return one_hot(m->base, categorical_sample(m->base, &of_index, samples));
}

static Tensor *one_hot_log_prob(Distribution *m, Tensor *value) {
    return tg_log_prob(m->base, t_argmax(value, -1, false));
}

static Tensor *one_hot_entropy(Distribution *m) {
    return tg_entropy(m->base);
}

static Tensor *one_hot_mean(Distribution *m) {
    return probs(m->base);
}

static Tensor *one_hot_mode(Distribution *m) {
    return one_hot(m->base, categorical_mode(m->base));
}

static Tensor *one_hot_variance(Distribution *m) {
    Tensor *p = probs(m->base);
    return t_mul(p, t_sub(t_integer(1), p));
}

static Tensor *one_hot_enumerate_support(Distribution *m, bool expand) {
    const int64_t n = categories(m->base);
    t_Tuple shape = {{n}, 1}, ones = m->batch_shape, full = {{n}, 1};
    for (int d = 0; d < ones.len; d++) ones.items[d] = 1;
    if (!tg_concat(&shape, &ones, &shape) || !tg_concat(&shape, &m->event_shape, &shape) ||
        !tg_concat(&full, &m->batch_shape, &full) || !tg_concat(&full, &m->event_shape, &full))
        return NULL;
    Tensor *values = t_eye(n, T_NONE, &(t_TensorOptions){sizeof(t_TensorOptions), .dtype = dtype_of(m->base)});
    values = t_view(values, shape.items, shape.len);
    return expand ? tg_expand_to(values, &full) : values;
}

static Distribution *one_hot_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *base = distributions_expand(m->base, batch_shape->items, batch_shape->len);
    Distribution *new = base ? tg_expanded(m, batch_shape) : NULL;
    tg_set_base(new, base);
    return new;
}

/* samples + (probs - probs.detach()): the samples, with the gradient of the probabilities */
static Tensor *straight_through_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    Tensor *p = probs(m->base);
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *drawn = one_hot_sample(m, shape, samples);
    t_set_grad_enabled(grad_enabled);
    return t_add(drawn, t_sub(p, t_detach(p)));
}

#define ONE_HOT_FUNCTIONS                                                                                           \
    .support = ONE_HOT, .sample = one_hot_sample, .log_prob = one_hot_log_prob, .entropy = one_hot_entropy,         \
    .mean = one_hot_mean, .mode = one_hot_mode, .variance = one_hot_variance,                                       \
    .enumerate_support = one_hot_enumerate_support, .expand = one_hot_expand
const Family tg_one_hot_categorical = {.name = "OneHotCategorical", ONE_HOT_FUNCTIONS};
static const Family straight_through = {.name = "OneHotCategoricalStraightThrough",
                                        .parent = &tg_one_hot_categorical,
                                        .rsample = straight_through_rsample, ONE_HOT_FUNCTIONS};

static Distribution *one_hot_new(const Family *family, Tensor *p, Tensor *l, int validate_args) {
    int depth = t_scope_open();
    Distribution *base = depth ? distributions_Categorical_new(p, l, -1) : NULL, *m = NULL;
    if (base) {
        t_Tuple event_shape = {{categories(base)}, 1};
        m = tg_distribution_new(family, &base->batch_shape, &event_shape, validate_args);
        tg_set_base(m, base);
    }
    return tg_scope_return(depth, m);
}

/* torch.distributions.OneHotCategorical(probs, logits): samples of the dtype of probs, (..., n). Errors as
 * Categorical. */
Distribution *distributions_OneHotCategorical_new(Tensor *p, Tensor *l, int validate_args) {
    return one_hot_new(&tg_one_hot_categorical, p, l, validate_args);
}

/* torch.distributions.OneHotCategoricalStraightThrough(probs, logits): the same, with rsample, whose gradient is that
 * of probs (Bengio, Leonard, Courville 2013). */
Distribution *distributions_OneHotCategoricalStraightThrough_new(Tensor *p, Tensor *l, int validate_args) {
    return one_hot_new(&straight_through, p, l, validate_args);
}
