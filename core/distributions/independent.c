/* core/distributions/independent.c: Independent(base_distribution, n): the last n batch dims become event dims, so that
 * log_prob is their sum. */
#include "core/distributions/distribution_internal.h"

static Constraint *independent_support(Distribution *m) {
    Constraint *of_base = distributions_support(m->base);
    return of_base && m->number ? distributions_constraints_independent(of_base, m->number) : of_base;
}

static Tensor *independent_sample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    return tg_draw(m->base, &sample_shape, false);
}

static Tensor *independent_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    return tg_draw(m->base, &sample_shape, true);
}

static Tensor *independent_log_prob(Distribution *m, Tensor *value) {
    return tg_sum_rightmost(tg_log_prob(m->base, value), m->number);
}

static Tensor *independent_entropy(Distribution *m) {
    return tg_sum_rightmost(tg_entropy(m->base), m->number);
}

static Tensor *independent_mean(Distribution *m) {
    return tg_mean(m->base);
}

static Tensor *independent_mode(Distribution *m) {
    return tg_mode(m->base);
}

static Tensor *independent_variance(Distribution *m) {
    return tg_variance(m->base);
}

static Tensor *independent_enumerate_support(Distribution *m, bool expand) {
    if (m->number > 0) return tg_fail("Enumeration over cartesian product is not implemented");
    return distributions_enumerate_support(m->base, expand);
}

static Distribution *independent_expand(Distribution *m, const t_Tuple *batch_shape) {
    t_Tuple shape, reinterpreted = tg_slice_tuple(&m->event_shape, 0, (int)m->number);
    if (!tg_concat(batch_shape, &reinterpreted, &shape)) return NULL;
    Distribution *base = distributions_expand(m->base, shape.items, shape.len);
    Distribution *new = base ? tg_expanded(m, batch_shape) : NULL;
    tg_set_base(new, base);
    return new;
}

static const char *independent_str(Distribution *m) {
    const char *base = distributions_str(m->base);
    return base ? t_format("Independent(%s, %lld)", base, (long long)m->number) : NULL;
}

const Family tg_independent = {
    .name = "Independent", .dependent_support = independent_support, .sample = independent_sample,
    .rsample = independent_rsample, .log_prob = independent_log_prob, .base_validates_log_prob = true,
    .entropy = independent_entropy, .mean = independent_mean, .mode = independent_mode,
    .variance = independent_variance, .enumerate_support = independent_enumerate_support,
    .expand = independent_expand, .str = independent_str};

/* torch.distributions.Independent(base_distribution, reinterpreted_batch_ndims). Error: base_distribution has fewer
 * batch dims. */
Distribution *distributions_Independent_new(Distribution *base_distribution, int64_t reinterpreted_batch_ndims,
                                            int validate_args) {
    t_Tuple shape;
    if (!tg_check_distribution(base_distribution, 1)) return NULL;
    const t_Tuple *batch = &base_distribution->batch_shape, *event = &base_distribution->event_shape;
    if (reinterpreted_batch_ndims < 0)
        return tg_fail("reinterpreted_batch_ndims must be >= 0, got %lld", (long long)reinterpreted_batch_ndims);
    if (reinterpreted_batch_ndims > batch->len)
        return tg_fail("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual %lld vs %d",
                       (long long)reinterpreted_batch_ndims, batch->len);
    if (!tg_concat(batch, event, &shape)) return NULL;
    const int cut = batch->len - (int)reinterpreted_batch_ndims;
    t_Tuple batch_shape = tg_slice_tuple(&shape, 0, cut), event_shape = tg_slice_tuple(&shape, cut, shape.len);
    Distribution *m = tg_distribution_new(&tg_independent, &batch_shape, &event_shape, validate_args);
    if (!m) return NULL;
    m->number = reinterpreted_batch_ndims;
    tg_set_base(m, base_distribution);
    return m;
}
