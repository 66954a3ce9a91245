/* core/distributions/fisher_snedecor.c: FisherSnedecor(df1, df2), the F distribution: the ratio of two Gammas,
 * (df1 / 2, df1) and (df2 / 2, df2). */
#include "core/distributions/distribution_internal.h"

#define DF1(m) (m)->parameters[0]
#define DF2(m) (m)->parameters[1]

static Distribution *gamma_of(Tensor *df) {
    return distributions_Gamma_new(t_mul(df, N(0.5)), df, -1);
}

static Tensor *fisher_snedecor_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Distribution *gamma1 = gamma_of(DF1(m)), *gamma2 = gamma_of(DF2(m));
    Tensor *x1 = gamma1 && gamma2 ? tg_draw(gamma1, &sample_shape, true) : NULL;
    Tensor *x2 = x1 ? tg_draw(gamma2, &sample_shape, true) : NULL, *tiny = N(tg_tiny(DF1(m)->dtype));
    return t_clamp_min(t_div(x1, t_clamp_min(x2, tiny)), tiny);
}

static Tensor *fisher_snedecor_log_prob(Distribution *m, Tensor *value) {
    Tensor *a = t_mul(DF1(m), N(0.5)), *b = t_mul(DF2(m), N(0.5)), *ratio = t_div(DF1(m), DF2(m));
    Tensor *t1 = t_sub(t_sub(t_lgamma(t_add(a, b)), t_lgamma(a)), t_lgamma(b));
    Tensor *t2 = t_add(t_mul(a, t_log(ratio)), t_mul(t_sub(a, t_integer(1)), t_log(value)));
    Tensor *t3 = t_mul(t_add(a, b), t_log1p(t_mul(ratio, value)));
    return t_sub(t_add(t1, t2), t3);
}

/* df2, and NaN where it is at most that */
static Tensor *df2_above(Distribution *m, int limit) {
    return t_masked_fill(DF2(m), t_le(DF2(m), t_integer(limit)), N(NAN));
}

static Tensor *fisher_snedecor_mean(Distribution *m) {
    Tensor *df2 = df2_above(m, 2);
    return t_div(df2, t_sub(df2, t_integer(2)));
}

static Tensor *fisher_snedecor_mode(Distribution *m) {
    Tensor *two = t_integer(2), *ratio = t_div(t_sub(DF1(m), two), DF1(m));
    Tensor *mode = t_div(t_mul(ratio, DF2(m)), t_add(DF2(m), two));
    return t_masked_fill(mode, t_le(DF1(m), two), N(NAN));
}

static Tensor *fisher_snedecor_variance(Distribution *m) {
    Tensor *df2 = df2_above(m, 4), *two = t_integer(2), *less = t_sub(df2, two);
    Tensor *numerator = t_mul(t_mul(two, t_pow(df2, two)), t_sub(t_add(DF1(m), df2), two));
    return t_div(numerator, t_mul(t_mul(DF1(m), t_pow(less, two)), t_sub(df2, t_integer(4))));
}

static const Family fisher_snedecor = {
    .name = "FisherSnedecor", .parameters = {{"df1", POSITIVE}, {"df2", POSITIVE}}, .support = POSITIVE,
    .rsample = fisher_snedecor_rsample, .log_prob = fisher_snedecor_log_prob, .mean = fisher_snedecor_mean,
    .mode = fisher_snedecor_mode, .variance = fisher_snedecor_variance};

static Distribution *fisher_snedecor_new(Tensor *df1, Tensor *df2, int validate_args) {
    Tensor *x[] = {df1, df2};
    if (!tg_broadcast_all(x, 2) || !gamma_of(x[0]) || !gamma_of(x[1])) return NULL;
    return tg_new_broadcast(&fisher_snedecor, x, 2, validate_args);
}

/* torch.distributions.FisherSnedecor(df1, df2). Error: a parameter is not above 0, which is that of a Gamma. */
Distribution *distributions_FisherSnedecor_new(Tensor *df1, Tensor *df2, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? fisher_snedecor_new(df1, df2, validate_args) : NULL);
}
