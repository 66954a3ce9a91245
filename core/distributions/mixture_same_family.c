/* core/distributions/mixture_same_family.c: MixtureSameFamily(mixture_distribution, component_distribution): one of the
 * components along the last batch dim of component_distribution (m->component), chosen by a Categorical (m->base). */
#include "core/distributions/distribution_internal.h"

/* The dim of the components in a value of m with the dims of its event after it. */
static int64_t component_dim(Distribution *m) {
    return -1 - m->event_shape.len;
}

static Tensor *pad(Distribution *m, Tensor *x) {
    return t_unsqueeze(x, component_dim(m));
}

/* probs of the mixture with a size of 1 for each event dim, and for batch dims that only the components have */
static Tensor *padded_probs(Distribution *m) {
    Tensor *p = tg_param(m->base, "probs");
    const int batch = m->base->batch_shape.len, missing = batch == 1 ? 0 : m->batch_shape.len - batch;
    if (!p) return NULL;
    t_Tuple shape = tg_shape_tuple(p, 0, p->ndim - 1), last = tg_shape_tuple(p, p->ndim - 1, p->ndim);
    t_Tuple ones = {.len = 0};
    for (int d = 0; d < missing; d++) ones.items[ones.len++] = 1;
    if (!tg_concat(&shape, &ones, &shape) || !tg_concat(&shape, &last, &shape)) return NULL;
    for (ones.len = 0; ones.len < m->event_shape.len;) ones.items[ones.len++] = 1;
    return tg_concat(&shape, &ones, &shape) ? t_reshape(p, shape.items, shape.len) : NULL;
}

static Tensor *over_components(Distribution *m, Tensor *x) {
    const int64_t dim = component_dim(m);
    return t_sum(x, &dim, 1, false);
}

static Constraint *mixture_support(Distribution *m) {
    return tg_mixture_constraint(distributions_support(m->component));
}

/* All components are drawn, after the choice. */
static Tensor *mixture_sample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples), repeats = {.len = 0};
    Tensor *choice = tg_draw(m->base, &sample_shape, false);
    Tensor *values = choice ? tg_draw(m->component, &sample_shape, false) : NULL;
    for (int d = 0; choice && d < choice->ndim + 1 + m->event_shape.len; d++)
        repeats.items[repeats.len++] = d <= choice->ndim ? 1 : m->event_shape.items[d - choice->ndim - 1];
    for (int d = 0; d < 1 + m->event_shape.len; d++) choice = t_unsqueeze(choice, -1);
    if (!values || !choice) return NULL;
    const int64_t dim = samples + m->batch_shape.len;
    return t_squeeze(t_gather(values, dim, t_repeat(choice, repeats.items, repeats.len)), dim);
}

static Tensor *mixture_log_prob(Distribution *m, Tensor *value) {
    Tensor *x = pad(m, value), *log_prob = x ? tg_log_prob(m->component, x) : NULL;
    Tensor *log_mixture = t_log_softmax(tg_param(m->base, "logits"), -1);
    return t_logsumexp(t_add(log_prob, log_mixture), (int64_t[]){-1}, 1, false);
}

static Tensor *mixture_cdf(Distribution *m, Tensor *value) {
    Tensor *x = pad(m, value), *cdf = x ? tg_cdf(m->component, x) : NULL;
    return t_sum(t_mul(cdf, tg_param(m->base, "probs")), (int64_t[]){-1}, 1, false);
}

static Tensor *mixture_mean(Distribution *m) {
    return over_components(m, t_mul(padded_probs(m), tg_mean(m->component)));
}

/* the mean of the variances and the variance of the means */
static Tensor *mixture_variance(Distribution *m) {
    Tensor *p = padded_probs(m), *within = over_components(m, t_mul(p, tg_variance(m->component)));
    Tensor *distance = t_pow(t_sub(tg_mean(m->component), pad(m, mixture_mean(m))), N(2));
    return t_add(within, over_components(m, t_mul(p, distance)));
}

static Distribution *of_parts(const Family *family, Distribution *mixture, Distribution *component,
                              const t_Tuple *batch_shape, int validate_args) {
    Distribution *m = tg_distribution_new(family, batch_shape, &component->event_shape, validate_args);
    if (!m) return NULL;
    m->component = t_retain(component);
    tg_set_base(m, mixture);
    return m;
}

static Distribution *mixture_expand(Distribution *m, const t_Tuple *batch_shape) {
    t_Tuple shape, last = tg_slice_tuple(&m->component->batch_shape, m->component->batch_shape.len - 1,
                                         m->component->batch_shape.len);
    if (!tg_concat(batch_shape, &last, &shape)) return NULL;
    Distribution *component = distributions_expand(m->component, shape.items, shape.len);
    Distribution *mixture = component ? distributions_expand(m->base, batch_shape->items, batch_shape->len) : NULL;
    return mixture ? of_parts(m->family, mixture, component, batch_shape, m->validate_args) : NULL;
}

static const char *mixture_str(Distribution *m) {
    const char *mixture = distributions_str(m->base), *component = distributions_str(m->component);
    return mixture && component ? t_format("MixtureSameFamily(\n  %s,\n  %s)", mixture, component) : NULL;
}

static const Family mixture_same_family = {
    .name = "MixtureSameFamily", .dependent_support = mixture_support, .sample = mixture_sample,
    .log_prob = mixture_log_prob, .cdf = mixture_cdf, .base_validates_cdf = true, .mean = mixture_mean,
    .variance = mixture_variance, .expand = mixture_expand, .str = mixture_str};

static bool check_shapes(Distribution *mixture, Distribution *component, int64_t categories) {
    const t_Tuple *of_mixture = &mixture->batch_shape, *all = &component->batch_shape;
    if (all->len == 0) return tg_fail("component_distribution has no batch dim for the components");
    t_Tuple of_component = tg_slice_tuple(all, 0, all->len - 1);
    for (int d = 1; d <= of_mixture->len && d <= of_component.len; d++) {
        const int64_t a = of_mixture->items[of_mixture->len - d], b = of_component.items[of_component.len - d];
        if (a != 1 && b != 1 && a != b)
            return tg_fail("`mixture_distribution.batch_shape` (%s) is not compatible with "
                           "`component_distribution.batch_shape`(%s)",
                           tg_size_text(of_mixture), tg_size_text(&of_component));
    }
    return categories == all->items[all->len - 1] ||
           tg_fail("`mixture_distribution component` (%lld) does not equal `component_distribution.batch_shape[-1]` "
                   "(%lld)",
                   (long long)categories, (long long)all->items[all->len - 1]);
}

/* torch.distributions.MixtureSameFamily(mixture_distribution, component_distribution). Errors: the first is no
 * Categorical; batch shapes or numbers of components that differ. */
Distribution *distributions_MixtureSameFamily_new(Distribution *mixture_distribution,
                                                  Distribution *component_distribution, int validate_args) {
    if (!tg_check_distribution(mixture_distribution, 1) || !tg_check_distribution(component_distribution, 2))
        return NULL;
    if (!tg_is_family(mixture_distribution, &tg_categorical))
        return tg_fail(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical");
    int depth = t_scope_open();
    Tensor *p = depth ? tg_param(mixture_distribution, "probs") : NULL;
    Distribution *m = NULL;
    if (p && check_shapes(mixture_distribution, component_distribution, p->shape[p->ndim - 1])) {
        const t_Tuple *all = &component_distribution->batch_shape;
        t_Tuple batch_shape = tg_slice_tuple(all, 0, all->len - 1);
        m = of_parts(&mixture_same_family, mixture_distribution, component_distribution, &batch_shape, validate_args);
    }
    return tg_scope_return(depth, m);
}
