/* core/distributions/transformed_distribution.c: TransformedDistribution(base_distribution, transforms): the values of
 * base_distribution after the transforms. LogNormal, Gumbel and others are made of it. */
#include "core/distributions/distribution_internal.h"

Tensor *tg_transformed_sample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Tensor *x = tg_draw(m->base, &sample_shape, false);
    for (int64_t i = 0; i < m->transform_count; i++) x = tg_transform_call(m->transforms[i], x);
    return x;
}

Tensor *tg_transformed_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Tensor *x = tg_draw(m->base, &sample_shape, true);
    for (int64_t i = 0; i < m->transform_count; i++) x = tg_transform_call(m->transforms[i], x);
    return x;
}

/* The change of variables: log p(x) - sum of log |dy/dx|, from the last transform to the first. */
Tensor *tg_transformed_log_prob(Distribution *m, Tensor *value) {
    int64_t event_dim = m->event_shape.len;
    Tensor *y = value, *log_prob = N(0);
    for (int64_t i = m->transform_count - 1; i >= 0 && log_prob; i--) {
        Transform *t = m->transforms[i];
        Tensor *x = tg_transform_inverse(t, y);
        event_dim += tg_domain_event_dim(t) - tg_codomain_event_dim(t);
        Tensor *term = tg_transform_jacobian(t, x, y);
        log_prob = t_sub(log_prob, tg_sum_rightmost(term, event_dim - tg_domain_event_dim(t)));
        y = x;
    }
    Tensor *of_base = y ? tg_log_prob(m->base, y) : NULL;
    return t_add(log_prob, tg_sum_rightmost(of_base, event_dim - m->base->event_shape.len));
}

/* A decreasing transform swaps the tails: 1 - value where the sign is -1. */
static Tensor *monotonized(Distribution *m, Tensor *value) {
    Tensor *sign = t_integer(1);
    bool is_number = true;
    for (int64_t i = 0; i < m->transform_count && sign; i++) {
        Tensor *of_transform = tg_transform_sign(m->transforms[i]);
        is_number = is_number && of_transform && of_transform->wrapped_number;
        sign = t_mul(sign, of_transform);
    }
    if (!sign || (is_number && tg_read_double(sign) == 1)) return sign ? value : NULL;
    return t_add(t_mul(sign, t_sub(value, N(0.5))), N(0.5));
}

Tensor *tg_transformed_cdf(Distribution *m, Tensor *value) {
    for (int64_t i = m->transform_count - 1; i >= 0; i--) value = tg_transform_inverse(m->transforms[i], value);
    if (!value || (m->validate_args && !tg_validate_sample(m->base, value))) return NULL;
    return monotonized(m, tg_cdf(m->base, value));
}

Tensor *tg_transformed_icdf(Distribution *m, Tensor *value) {
    value = monotonized(m, value);
    value = value ? tg_icdf(m->base, value) : NULL;
    for (int64_t i = 0; i < m->transform_count; i++) value = tg_transform_call(m->transforms[i], value);
    return value;
}

Constraint *tg_transformed_support(Distribution *m) {
    if (m->transform_count == 0) return distributions_support(m->base);
    Constraint *last = distributions_codomain(m->transforms[m->transform_count - 1]);
    const int64_t dims = last ? m->event_shape.len - distributions_constraints_event_dim(last) : 0;
    return dims > 0 ? distributions_constraints_independent(last, dims) : last;
}

static bool set_transforms(Distribution *m, Transform *const *transforms, int64_t count) {
    Transform **copy = count ? tg_alloc((size_t)count * sizeof *copy) : NULL;
    if (count && !copy) return false;
    for (int64_t i = 0; i < count; i++) copy[i] = t_retain(transforms[i]);
    m->transforms = copy;
    m->transform_count = count;
    return true;
}

Distribution *tg_transformed_expand(Distribution *m, const t_Tuple *batch_shape) {
    t_Tuple shape;
    if (!tg_concat(batch_shape, &m->event_shape, &shape)) return NULL;
    for (int64_t i = m->transform_count - 1; i >= 0; i--)
        if (!tg_inverse_shape(m->transforms[i], &shape, &shape)) return NULL;
    Distribution *base = distributions_expand(m->base, shape.items, shape.len - m->base->event_shape.len);
    Distribution *new = base ? tg_expanded(m, batch_shape) : NULL;
    if (!new || !set_transforms(new, m->transforms, m->transform_count)) return NULL;
    tg_set_base(new, base);
    return tg_expand_parameters(m, batch_shape, new) ? new : NULL;
}

const Family tg_transformed = {
    .name = "TransformedDistribution", .dependent_support = tg_transformed_support, .sample = tg_transformed_sample,
    .rsample = tg_transformed_rsample, .log_prob = tg_transformed_log_prob, .cdf = tg_transformed_cdf,
    .base_validates_cdf = true, .icdf = tg_transformed_icdf, .expand = tg_transformed_expand};

/* base_distribution, expanded and with reinterpreted batch dims so that the first transform takes its events. */
static Distribution *fitting_base(Distribution *base, const Transform *composed, const t_Tuple *base_shape,
                                  t_Tuple *forward_shape) {
    const int base_event = base->event_shape.len, domain = tg_domain_event_dim(composed);
    t_Tuple expanded;
    if (base_shape->len < domain)
        return tg_fail("base_distribution needs to have shape with size at least %d, but got %s.", domain,
                       tg_size_text(base_shape));
    if (!tg_forward_shape(composed, base_shape, forward_shape) ||
        !tg_inverse_shape(composed, forward_shape, &expanded))
        return NULL;
    if (!tg_same_tuple(base_shape, &expanded))
        base = distributions_expand(base, expanded.items, expanded.len - base_event);
    return base && domain > base_event ? distributions_Independent_new(base, domain - base_event, -1) : base;
}

static Distribution *transformed_new(const Family *family, Distribution *base, Transform *const *transforms,
                                     int64_t count, int validate_args) {
    t_Tuple base_shape, forward;
    Transform *composed = distributions_ComposeTransform_new(transforms, count);
    if (!composed || !tg_concat(&base->batch_shape, &base->event_shape, &base_shape)) return NULL;
    const int domain = tg_domain_event_dim(composed), codomain = tg_codomain_event_dim(composed);
    const int changed = base->event_shape.len + codomain - domain, event_dim = codomain > changed ? codomain : changed;
    base = fitting_base(base, composed, &base_shape, &forward);
    if (!base) return NULL;
    t_Tuple batch_shape = tg_slice_tuple(&forward, 0, forward.len - event_dim);
    t_Tuple event_shape = tg_slice_tuple(&forward, forward.len - event_dim, forward.len);
    Distribution *m = tg_distribution_new(family, &batch_shape, &event_shape, validate_args);
    if (!m || !set_transforms(m, transforms, count)) return NULL;
    tg_set_base(m, base);
    return tg_validated(m);
}

Distribution *tg_transformed_new(const Family *family, Distribution *base, Transform *const *transforms,
                                 int64_t count, int validate_args) {
    if (!tg_check_distribution(base, 1) || !tg_check_array(transforms, count, 2, "transforms")) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? transformed_new(family, base, transforms, count, validate_args) : NULL);
}

Distribution *tg_transformed_with_parameters(const Family *family, Distribution *base, Transform *const *transforms,
                                             int64_t count, Tensor *const *parameters, int validate_args) {
    Distribution *m = base ? tg_transformed_new(family, base, transforms, count, 0) : NULL;
    if (!m) return NULL;
    for (int i = 0; i < MAX_PARAMETERS && family->parameters[i].name; i++)
        tg_set_distribution_parameter(m, i, parameters[i]);
    m->validate_args = validate_args < 0 ? base->validate_args : validate_args;
    return tg_validated(m);
}

/* torch.distributions.TransformedDistribution(base_distribution, transforms): transforms of a domain with events make
 * events of the last batch dims of base_distribution. Errors: base_distribution has too few dims; parameters of the
 * transforms that do not broadcast with it. */
Distribution *distributions_TransformedDistribution_new(Distribution *base_distribution,
                                                        Transform *const *transforms, int64_t count,
                                                        int validate_args) {
    return tg_transformed_new(&tg_transformed, base_distribution, transforms, count, validate_args);
}
