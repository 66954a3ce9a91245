/* core/distributions/student_t.c: StudentT(df, loc, scale): loc + scale x / sqrt(z / df) of a normal x and a z of
 * Chi2(df), which is m->component. */
#include "core/distributions/distribution_internal.h"

#define DF(m) (m)->parameters[0]
#define LOC(m) (m)->parameters[1]
#define SCALE(m) (m)->parameters[2]

static Tensor *student_t_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Tensor *x = tg_standard_normal(shape, DF(m)->dtype), *z = x ? tg_draw(m->component, &sample_shape, true) : NULL;
    return t_add(LOC(m), t_mul(SCALE(m), t_mul(x, t_rsqrt(t_div(z, DF(m))))));
}

static Tensor *half(Tensor *x) {
    return t_mul(N(0.5), x);
}

static Tensor *student_t_log_prob(Distribution *m, Tensor *value) {
    Tensor *y = t_div(t_sub(value, LOC(m)), SCALE(m)), *df = DF(m), *plus = t_add(df, N(1));
    Tensor *z = t_add(t_add(t_log(SCALE(m)), half(t_log(df))), N(0.5 * log(M_PI)));
    z = t_sub(t_add(z, t_lgamma(half(df))), t_lgamma(half(plus)));
    Tensor *power = t_mul(t_mul(N(-0.5), plus), t_log1p(t_div(t_pow(y, N(2)), df)));
    return t_sub(power, z);
}

static Tensor *student_t_entropy(Distribution *m) {
    Tensor *df = DF(m), *plus = t_add(df, t_integer(1));
    Tensor *lbeta = t_sub(t_add(t_lgamma(half(df)), N(0.5 * log(M_PI))), t_lgamma(half(plus)));
    Tensor *slope = t_sub(t_digamma(half(plus)), t_digamma(half(df)));
    return t_add(t_add(t_add(t_log(SCALE(m)), t_mul(half(plus), slope)), half(t_log(df))), lbeta);
}

static Tensor *student_t_mean(Distribution *m) {
    return t_masked_fill(LOC(m), t_le(DF(m), t_integer(1)), N(NAN));
}

static Tensor *student_t_mode(Distribution *m) {
    return LOC(m);
}

/* scale^2 df / (df - 2) for df > 2, infinite down to 1, then NaN */
static Tensor *student_t_variance(Distribution *m) {
    Tensor *df = DF(m), *finite = t_gt(df, t_integer(2)), *safe = t_where(finite, df, N(3));
    Tensor *variance = t_div(t_mul(t_pow(SCALE(m), t_integer(2)), safe), t_sub(safe, t_integer(2)));
    Tensor *rest = t_where(t_gt(df, t_integer(1)), N(INFINITY), N(NAN));
    return t_where(finite, variance, t_type_as(rest, df));
}

static Distribution *student_t_expand(Distribution *m, const t_Tuple *batch_shape);

static const Family student_t = {
    .name = "StudentT", .parameters = {{"df", POSITIVE}, {"loc", REAL}, {"scale", POSITIVE}}, .support = REAL,
    .rsample = student_t_rsample, .log_prob = student_t_log_prob, .entropy = student_t_entropy,
    .mean = student_t_mean, .mode = student_t_mode, .variance = student_t_variance, .expand = student_t_expand};

static Distribution *with_chi2(Distribution *m) {
    Distribution *chi2 = m ? distributions_Chi2_new(DF(m), m->validate_args) : NULL;
    if (!chi2) return NULL;
    m->component = t_retain(chi2);
    return m;
}

static Distribution *student_t_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *new = tg_expanded(m, batch_shape);
    return tg_expand_parameters(m, batch_shape, new) ? with_chi2(new) : NULL;
}

/* torch.distributions.StudentT(df, loc=0, scale=1). Errors: df or scale is not above 0, loc is NaN. */
Distribution *distributions_StudentT_new(Tensor *df, Tensor *loc, Tensor *scale, int validate_args) {
    int depth = t_scope_open();
    Distribution *m = depth ? tg_new_broadcast(&student_t, (Tensor *[]){df, loc, scale}, 3, validate_args) : NULL;
    return tg_scope_return(depth, with_chi2(m));
}
