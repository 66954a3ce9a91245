/* core/distributions/multivariate/multinomial.c: Multinomial(total_count, probs): how often each category was drawn in
 * total_count draws. m->base is the Categorical, m->component a Binomial of each category, m->number is total_count. */
#include "core/distributions/distribution_internal.h"

static const int64_t last_dim[] = {-1};

static Constraint *multinomial_support(Distribution *m) {
    return distributions_constraints_multinomial(t_integer(m->number));
}

/* The draws are along the first dim, which becomes the last, where they are counted. */
static Tensor *multinomial_sample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple draws = {{m->number}, 1}, sample_shape = tg_slice_tuple(shape, 0, samples);
    Tensor *p = tg_param(m->base, "probs");
    if (!p || !tg_concat(&draws, &sample_shape, &draws)) return NULL;
    Tensor *drawn = t_movedim(tg_draw(m->base, &draws, false), (int64_t[]){0}, 1, (int64_t[]){-1}, 1);
    Tensor *counts = tg_full_tensor(shape, 0, t_int64);
    return t_type_as(t_scatter_add(counts, -1, drawn, t_ones_like(drawn)), p);
}

static Tensor *log_factorial(Tensor *x) {
    return t_lgamma(t_add(x, t_integer(1)));
}

/* log n! - sum log k_i! + sum k_i log p_i, with 0 log 0 = 0 */
static Tensor *multinomial_log_prob(Distribution *m, Tensor *value) {
    Tensor *x = tg_param(m->base, "logits"), *sum = t_sum(value, last_dim, 1, false);
    Tensor *impossible = t_logical_and(t_eq(value, t_integer(0)), t_eq(x, N(-INFINITY)));
    Tensor *powers = t_sum(t_mul(t_where(impossible, N(0), x), value), last_dim, 1, false);
    return t_add(t_sub(log_factorial(sum), t_sum(log_factorial(value), last_dim, 1, false)), powers);
}

/* n H(categorical) - log n! + the mean of sum log k_i!, each k_i binomial */
static Tensor *multinomial_entropy(Distribution *m) {
    Tensor *of_one = tg_entropy(m->base);
    Tensor *n = of_one ? tg_full_tensor(&(t_Tuple){.len = 0}, (double)m->number, of_one->dtype) : NULL;
    Tensor *first = t_sub(t_mul(n, of_one), log_factorial(n));
    Tensor *counts = distributions_enumerate_support(m->component, false);
    counts = counts ? t_narrow(counts, 0, 1, m->number) : NULL;
    Tensor *p = counts ? t_exp(tg_log_prob(m->component, counts)) : NULL;
    return t_add(first, t_sum(t_mul(p, log_factorial(counts)), (int64_t[]){0, -1}, 2, false));
}

static Tensor *multinomial_mean(Distribution *m) {
    return t_mul(tg_param(m->base, "probs"), t_integer(m->number));
}

static Tensor *multinomial_variance(Distribution *m) {
    Tensor *p = tg_param(m->base, "probs");
    return t_mul(t_mul(t_integer(m->number), p), t_sub(t_integer(1), p));
}

static Distribution *of_categorical(const Family *family, Distribution *base, int64_t total_count, int validate_args) {
    Tensor *p = base ? tg_param(base, "probs") : NULL;
    Distribution *each = p ? distributions_Binomial_new(t_integer(total_count), p, NULL, -1) : NULL;
    if (!each) return NULL;
    t_Tuple event_shape = tg_shape_tuple(p, p->ndim - 1, p->ndim);
    Distribution *m = tg_distribution_new(family, &base->batch_shape, &event_shape, validate_args);
    if (!m) return NULL;
    m->number = total_count;
    m->component = t_retain(each);
    tg_set_base(m, base);
    return m;
}

static Distribution *multinomial_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *base = distributions_expand(m->base, batch_shape->items, batch_shape->len);
    return of_categorical(m->family, base, m->number, m->validate_args);
}

static const Family multinomial = {
    .name = "Multinomial", .dependent_support = multinomial_support, .sample = multinomial_sample,
    .log_prob = multinomial_log_prob, .entropy = multinomial_entropy, .mean = multinomial_mean,
    .variance = multinomial_variance, .expand = multinomial_expand};

/* torch.distributions.Multinomial(total_count, probs, logits): one of the two, (..., n). Errors as Categorical. */
Distribution *distributions_Multinomial_new(int64_t total_count, Tensor *p, Tensor *l, int validate_args) {
    int depth = t_scope_open();
    Distribution *base = depth ? distributions_Categorical_new(p, l, -1) : NULL;
    return tg_scope_return(depth, of_categorical(&multinomial, base, total_count, validate_args));
}
