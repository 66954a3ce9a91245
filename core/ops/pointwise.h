/* core/ops/pointwise.h: elementwise functions; operands broadcast (public; part of core/ops/ops.h, which explains
 * the notation). */
#ifndef TAPEGRAD_CORE_OPS_POINTWISE_H
#define TAPEGRAD_CORE_OPS_POINTWISE_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- one tensor (in core/ops/pointwise: unary.c, exp_log.c, trigonometric.c, round.c, pow.c, ...) ---- */
T_API Tensor *t_neg(Tensor *x);                         /* -x */
T_API Tensor *t_positive(Tensor *x);                    /* +x: x itself */
T_API Tensor *t_abs(Tensor *x);                         /* torch.abs(x) */
T_API Tensor *t_sign(Tensor *x);                        /* torch.sign(x) */
T_API Tensor *t_sgn(Tensor *x);                         /* torch.sgn(x) */
T_API Tensor *t_sqrt(Tensor *x);                        /* torch.sqrt(x) */
T_API Tensor *t_rsqrt(Tensor *x);                       /* torch.rsqrt(x) */
T_API Tensor *t_square(Tensor *x);                      /* torch.square(x) */
T_API Tensor *t_reciprocal(Tensor *x);                  /* torch.reciprocal(x) */
T_API Tensor *t_exp(Tensor *x);                         /* torch.exp(x) */
T_API Tensor *t_exp2(Tensor *x);                        /* torch.exp2(x) */
T_API Tensor *t_expm1(Tensor *x);                       /* torch.expm1(x) */
T_API Tensor *t_log(Tensor *x);                         /* torch.log(x) */
T_API Tensor *t_log2(Tensor *x);                        /* torch.log2(x) */
T_API Tensor *t_log10(Tensor *x);                       /* torch.log10(x) */
T_API Tensor *t_log1p(Tensor *x);                       /* torch.log1p(x) */
T_API Tensor *t_sigmoid(Tensor *x);                     /* torch.sigmoid(x) */
T_API Tensor *t_erf(Tensor *x);                         /* torch.erf(x) */
T_API Tensor *t_erfc(Tensor *x);                        /* torch.erfc(x) */
T_API Tensor *t_erfinv(Tensor *x);                      /* torch.erfinv(x) */
T_API Tensor *t_sin(Tensor *x);                         /* torch.sin(x) */
T_API Tensor *t_cos(Tensor *x);                         /* torch.cos(x) */
T_API Tensor *t_tan(Tensor *x);                         /* torch.tan(x) */
T_API Tensor *t_asin(Tensor *x);                        /* torch.asin(x) */
T_API Tensor *t_acos(Tensor *x);                        /* torch.acos(x) */
T_API Tensor *t_atan(Tensor *x);                        /* torch.atan(x) */
T_API Tensor *t_sinh(Tensor *x);                        /* torch.sinh(x) */
T_API Tensor *t_cosh(Tensor *x);                        /* torch.cosh(x) */
T_API Tensor *t_tanh(Tensor *x);                        /* torch.tanh(x) */
T_API Tensor *t_asinh(Tensor *x);                       /* torch.asinh(x) */
T_API Tensor *t_acosh(Tensor *x);                       /* torch.acosh(x) */
T_API Tensor *t_atanh(Tensor *x);                       /* torch.atanh(x) */
T_API Tensor *t_sinc(Tensor *x);                        /* torch.sinc(x) */
T_API Tensor *t_deg2rad(Tensor *x);                     /* torch.deg2rad(x) */
T_API Tensor *t_rad2deg(Tensor *x);                     /* torch.rad2deg(x) */
T_API Tensor *t_relu(Tensor *x);                        /* torch.relu(x) */
T_API Tensor *t_floor(Tensor *x);                       /* torch.floor(x) */
T_API Tensor *t_ceil(Tensor *x);                        /* torch.ceil(x) */
T_API Tensor *t_trunc(Tensor *x);                       /* torch.trunc(x) */
T_API Tensor *t_frac(Tensor *x);                        /* torch.frac(x): x - trunc(x) */
T_API Tensor *t_logical_not(Tensor *x);                 /* torch.logical_not(x) */
T_API Tensor *t_bitwise_not(Tensor *x);                 /* ~x of bool or int64 */
T_API Tensor *t_round(Tensor *x, int64_t decimals);     /* torch.round(x, decimals=0): a half to even */
T_API Tensor *t_logit(Tensor *x, double eps);           /* torch.logit(x, eps); -1 for None */
T_API Tensor *t_nan_to_num(Tensor *x, double nan, double posinf, double neginf); /* torch.nan_to_num; NaN for None */
T_API Tensor *t_isnan(Tensor *x);                       /* torch.isnan(x) */
T_API Tensor *t_isinf(Tensor *x);                       /* torch.isinf(x): of either sign */
T_API Tensor *t_isposinf(Tensor *x);                    /* torch.isposinf(x) */
T_API Tensor *t_isneginf(Tensor *x);                    /* torch.isneginf(x) */
T_API Tensor *t_isfinite(Tensor *x);                    /* torch.isfinite(x): neither */
T_API Tensor *t_signbit(Tensor *x);                     /* torch.signbit(x) */
T_API Tensor *t_lgamma(Tensor *x);                      /* torch.lgamma(x), torch.special.gammaln(x) (special.c) */
T_API Tensor *t_digamma(Tensor *x);                     /* torch.digamma(x), torch.special.psi(x) */
T_API Tensor *t_polygamma(int64_t n, Tensor *x);        /* torch.polygamma(n, x) */
T_API Tensor *t_mvlgamma(Tensor *x, int64_t p);         /* torch.mvlgamma(x, p), torch.special.multigammaln(x, p) */

T_API Tensor *t_frexp(Tensor *x, Tensor **exponent);    /* torch.frexp(x): the mantissa (ldexp.c) */

/* ---- activations in torch.* (core/ops/pointwise/activation.c); the others are in nn/functional ---- */
T_API Tensor *t_prelu(Tensor *x, Tensor *weight);       /* torch.prelu(x, weight) */
T_API Tensor *t_celu(Tensor *x, double alpha);          /* torch.celu(x, alpha) */
T_API Tensor *t_celu_(Tensor *x, double alpha);         /* torch.celu_(x, alpha) */
T_API Tensor *t_selu(Tensor *x);                        /* torch.selu(x) */
T_API Tensor *t_selu_(Tensor *x);                       /* torch.selu_(x) */
T_API Tensor *t_hardshrink(Tensor *x, double lambd);    /* torch.hardshrink(x, lambd) */
T_API Tensor *t_threshold(Tensor *x, double threshold, double value);  /* torch.threshold(x, threshold, value) */
T_API Tensor *t_threshold_(Tensor *x, double threshold, double value); /* torch.threshold_(x, threshold, value) */

/* ---- two tensors (core/ops/pointwise/arithmetic.c, binary_math.c, pow.c, integer_division.c, clamp.c, comparison.c,
 * bitwise.c, gcd.c, ldexp.c, heaviside.c) ---- */
T_API Tensor *t_add(Tensor *x, Tensor *other);          /* x + other */
T_API Tensor *t_sub(Tensor *x, Tensor *other);          /* x - other */
T_API Tensor *t_mul(Tensor *x, Tensor *other);          /* x * other */
T_API Tensor *t_div(Tensor *x, Tensor *other);          /* x / other, always floating */
T_API Tensor *t_pow(Tensor *x, Tensor *exponent);       /* x ** exponent, torch.pow(x, exponent) */
T_API Tensor *t_remainder(Tensor *x, Tensor *other);    /* x % other, torch.remainder(x, other): the sign of other */
T_API Tensor *t_fmod(Tensor *x, Tensor *other);         /* torch.fmod(x, other): the sign of x */
T_API Tensor *t_floor_divide(Tensor *x, Tensor *other); /* x // other, torch.floor_divide(x, other) */
T_API Tensor *t_atan2(Tensor *x, Tensor *other);        /* torch.atan2(x, other) */
T_API Tensor *t_hypot(Tensor *x, Tensor *other);        /* torch.hypot(x, other) */
T_API Tensor *t_logaddexp(Tensor *x, Tensor *other);    /* torch.logaddexp(x, other) */
T_API Tensor *t_logaddexp2(Tensor *x, Tensor *other);   /* torch.logaddexp2(x, other) */
T_API Tensor *t_float_power(Tensor *x, Tensor *exponent); /* torch.float_power(x, exponent): in float64 */
T_API Tensor *t_xlogy(Tensor *x, Tensor *other);        /* torch.xlogy(x, other): x log other */
T_API Tensor *t_igamma(Tensor *x, Tensor *other);       /* torch.igamma(x, other), torch.special.gammainc (special.c) */
T_API Tensor *t_igammac(Tensor *x, Tensor *other);      /* torch.igammac(x, other), torch.special.gammaincc */
T_API Tensor *t_copysign(Tensor *x, Tensor *other);     /* torch.copysign(x, other) */
T_API Tensor *t_gcd(Tensor *x, Tensor *other);          /* torch.gcd(x, other) of integers */
T_API Tensor *t_lcm(Tensor *x, Tensor *other);          /* torch.lcm(x, other) of integers */
T_API Tensor *t_ldexp(Tensor *x, Tensor *other);        /* torch.ldexp(x, other): x 2^other */
T_API Tensor *t_nextafter(Tensor *x, Tensor *other);    /* torch.nextafter(x, other) */
T_API Tensor *t_heaviside(Tensor *x, Tensor *values);   /* torch.heaviside(x, values) */
T_API Tensor *t_maximum(Tensor *x, Tensor *other);      /* torch.maximum(x, other) */
T_API Tensor *t_minimum(Tensor *x, Tensor *other);      /* torch.minimum(x, other) */
T_API Tensor *t_fmax(Tensor *x, Tensor *other);         /* torch.fmax(x, other): a NaN loses */
T_API Tensor *t_fmin(Tensor *x, Tensor *other);         /* torch.fmin(x, other) */
T_API Tensor *t_eq(Tensor *x, Tensor *other);           /* x == other */
T_API Tensor *t_ne(Tensor *x, Tensor *other);           /* x != other */
T_API Tensor *t_lt(Tensor *x, Tensor *other);           /* x < other */
T_API Tensor *t_le(Tensor *x, Tensor *other);           /* x <= other */
T_API Tensor *t_gt(Tensor *x, Tensor *other);           /* x > other */
T_API Tensor *t_ge(Tensor *x, Tensor *other);           /* x >= other */
T_API Tensor *t_logical_and(Tensor *x, Tensor *other);  /* torch.logical_and(x, other) */
T_API Tensor *t_logical_or(Tensor *x, Tensor *other);   /* torch.logical_or(x, other) */
T_API Tensor *t_logical_xor(Tensor *x, Tensor *other);  /* torch.logical_xor(x, other) */
T_API Tensor *t_bitwise_and(Tensor *x, Tensor *other);  /* x & other of bool or int64 */
T_API Tensor *t_bitwise_or(Tensor *x, Tensor *other);   /* x | other of bool or int64 */
T_API Tensor *t_bitwise_xor(Tensor *x, Tensor *other);  /* x ^ other of bool or int64 */
T_API Tensor *t_bitwise_left_shift(Tensor *x, Tensor *other); /* x << other of int64 */
T_API Tensor *t_bitwise_right_shift(Tensor *x, Tensor *other); /* x >> other of int64 */
T_API Tensor *t_add_of_(Tensor *const *x, int count);   /* a + b + c, and of t_mul a * b * c: for the macros */
T_API Tensor *t_mul_of_(Tensor *const *x, int count);
T_API Tensor *t_add_alpha(Tensor *x, Tensor *other,
                          double alpha); /* torch.add(x, other, alpha=alpha): x + alpha other */
T_API Tensor *t_sub_alpha(Tensor *x, Tensor *other,
                          double alpha); /* torch.sub(x, other, alpha=alpha): x - alpha other */
T_API Tensor *t_div_mode(Tensor *x, Tensor *other,
                         const char *rounding_mode); /* torch.div(x, other, rounding_mode="floor" or "trunc") */
T_API Tensor *t_isclose(Tensor *x, Tensor *other, double rtol, double atol, bool equal_nan); /* torch.isclose */

/* ---- three tensors (core/ops/pointwise/where.c, addcmul.c, clamp.c) ---- */
T_API Tensor *t_where(Tensor *condition, Tensor *x, Tensor *other); /* torch.where(condition, x, other) */
T_API Tensor *t_masked_fill(Tensor *x, Tensor *mask, Tensor *value); /* x.masked_fill(mask, value) */
T_API Tensor *t_clamp(Tensor *x, Tensor *min, Tensor *max); /* torch.clamp(x, min, max); either may be NULL */
T_API Tensor *t_clamp_min(Tensor *x, Tensor *min);    /* torch.clamp_min(x, min) */
T_API Tensor *t_clamp_max(Tensor *x, Tensor *max);    /* torch.clamp_max(x, max) */
T_API Tensor *t_lerp(Tensor *x, Tensor *end, Tensor *weight);     /* torch.lerp(x, end, weight) */
T_API Tensor *t_addcmul(Tensor *x, Tensor *tensor1, Tensor *tensor2,
                        double value); /* torch.addcmul: x + value tensor1 tensor2 */
T_API Tensor *t_addcdiv(Tensor *x, Tensor *tensor1, Tensor *tensor2,
                        double value); /* torch.addcdiv: x + value tensor1 / tensor2 */

/* ---- a function of the user's (core/ops/pointwise/apply.c) ---- value[0]: x's element, then those of the others */
typedef double t_ElementFunction(const double *value, void *context);
T_API Tensor *t_apply_(Tensor *x, t_ElementFunction *f, void *context);                /* x.apply_(f) */
T_API Tensor *t_map_(Tensor *x, Tensor *other, t_ElementFunction *f, void *context);   /* x.map_(other, f) */
T_API Tensor *t_map2_(Tensor *x, Tensor *other1, Tensor *other2, t_ElementFunction *f,
                      void *context);                                                  /* x.map2_(other1, other2, f) */

/* ---- in place: x.f_(...) is x = f(x, ...) in x's own memory and dtype, and returns x ---- */
T_API Tensor *t_neg_(Tensor *x);                        /* x.neg_() */
T_API Tensor *t_abs_(Tensor *x);                        /* x.abs_() */
T_API Tensor *t_sign_(Tensor *x);                       /* x.sign_() */
T_API Tensor *t_sgn_(Tensor *x);                        /* x.sgn_() */
T_API Tensor *t_sqrt_(Tensor *x);                       /* x.sqrt_() */
T_API Tensor *t_rsqrt_(Tensor *x);                      /* x.rsqrt_() */
T_API Tensor *t_square_(Tensor *x);                     /* x.square_() */
T_API Tensor *t_reciprocal_(Tensor *x);                 /* x.reciprocal_() */
T_API Tensor *t_exp_(Tensor *x);                        /* x.exp_() */
T_API Tensor *t_exp2_(Tensor *x);                       /* x.exp2_() */
T_API Tensor *t_expm1_(Tensor *x);                      /* x.expm1_() */
T_API Tensor *t_log_(Tensor *x);                        /* x.log_() */
T_API Tensor *t_log2_(Tensor *x);                       /* x.log2_() */
T_API Tensor *t_log10_(Tensor *x);                      /* x.log10_() */
T_API Tensor *t_log1p_(Tensor *x);                      /* x.log1p_() */
T_API Tensor *t_sigmoid_(Tensor *x);                    /* x.sigmoid_() */
T_API Tensor *t_erf_(Tensor *x);                        /* x.erf_() */
T_API Tensor *t_erfc_(Tensor *x);                       /* x.erfc_() */
T_API Tensor *t_erfinv_(Tensor *x);                     /* x.erfinv_() */
T_API Tensor *t_sin_(Tensor *x);                        /* x.sin_() */
T_API Tensor *t_cos_(Tensor *x);                        /* x.cos_() */
T_API Tensor *t_tan_(Tensor *x);                        /* x.tan_() */
T_API Tensor *t_asin_(Tensor *x);                       /* x.asin_() */
T_API Tensor *t_acos_(Tensor *x);                       /* x.acos_() */
T_API Tensor *t_atan_(Tensor *x);                       /* x.atan_() */
T_API Tensor *t_sinh_(Tensor *x);                       /* x.sinh_() */
T_API Tensor *t_cosh_(Tensor *x);                       /* x.cosh_() */
T_API Tensor *t_tanh_(Tensor *x);                       /* x.tanh_() */
T_API Tensor *t_asinh_(Tensor *x);                      /* x.asinh_() */
T_API Tensor *t_acosh_(Tensor *x);                      /* x.acosh_() */
T_API Tensor *t_atanh_(Tensor *x);                      /* x.atanh_() */
T_API Tensor *t_sinc_(Tensor *x);                       /* x.sinc_() */
T_API Tensor *t_deg2rad_(Tensor *x);                    /* x.deg2rad_() */
T_API Tensor *t_rad2deg_(Tensor *x);                    /* x.rad2deg_() */
T_API Tensor *t_relu_(Tensor *x);                       /* x.relu_() */
T_API Tensor *t_floor_(Tensor *x);                      /* x.floor_() */
T_API Tensor *t_ceil_(Tensor *x);                       /* x.ceil_() */
T_API Tensor *t_trunc_(Tensor *x);                      /* x.trunc_() */
T_API Tensor *t_frac_(Tensor *x);                       /* x.frac_() */
T_API Tensor *t_logical_not_(Tensor *x);                /* x.logical_not_() */
T_API Tensor *t_bitwise_not_(Tensor *x);                /* x.bitwise_not_() */
T_API Tensor *t_round_(Tensor *x, int64_t decimals);    /* x.round_(decimals=0) */
T_API Tensor *t_logit_(Tensor *x, double eps);          /* x.logit_(eps); -1 for None */
T_API Tensor *t_nan_to_num_(Tensor *x, double nan, double posinf, double neginf); /* x.nan_to_num_; NaN for None */
T_API Tensor *t_add_(Tensor *x, Tensor *other);         /* x += other, x.add_(other) */
T_API Tensor *t_sub_(Tensor *x, Tensor *other);         /* x -= other, x.sub_(other) */
T_API Tensor *t_mul_(Tensor *x, Tensor *other);         /* x *= other, x.mul_(other) */
T_API Tensor *t_div_(Tensor *x, Tensor *other);         /* x /= other, x.div_(other) */
T_API Tensor *t_pow_(Tensor *x, Tensor *exponent);      /* x.pow_(exponent) */
T_API Tensor *t_float_power_(Tensor *x, Tensor *exponent); /* x.float_power_(exponent) */
T_API Tensor *t_remainder_(Tensor *x, Tensor *other);   /* x.remainder_(other) */
T_API Tensor *t_fmod_(Tensor *x, Tensor *other);        /* x.fmod_(other) */
T_API Tensor *t_floor_divide_(Tensor *x, Tensor *other); /* x.floor_divide_(other) */
T_API Tensor *t_atan2_(Tensor *x, Tensor *other);       /* x.atan2_(other) */
T_API Tensor *t_hypot_(Tensor *x, Tensor *other);       /* x.hypot_(other) */
T_API Tensor *t_xlogy_(Tensor *x, Tensor *other);       /* x.xlogy_(other) */
T_API Tensor *t_gcd_(Tensor *x, Tensor *other);         /* x.gcd_(other) */
T_API Tensor *t_lcm_(Tensor *x, Tensor *other);         /* x.lcm_(other) */
T_API Tensor *t_ldexp_(Tensor *x, Tensor *other);       /* x.ldexp_(other) */
T_API Tensor *t_nextafter_(Tensor *x, Tensor *other);   /* x.nextafter_(other) */
T_API Tensor *t_heaviside_(Tensor *x, Tensor *values);  /* x.heaviside_(values) */
T_API Tensor *t_lgamma_(Tensor *x);                     /* x.lgamma_() */
T_API Tensor *t_digamma_(Tensor *x);                    /* x.digamma_() */
T_API Tensor *t_polygamma_(Tensor *x, int64_t n);       /* x.polygamma_(n) */
T_API Tensor *t_mvlgamma_(Tensor *x, int64_t p);        /* x.mvlgamma_(p) */
T_API Tensor *t_igamma_(Tensor *x, Tensor *other);      /* x.igamma_(other) */
T_API Tensor *t_igammac_(Tensor *x, Tensor *other);     /* x.igammac_(other) */
T_API Tensor *t_copysign_(Tensor *x, Tensor *other);    /* x.copysign_(other) */
T_API Tensor *t_eq_(Tensor *x, Tensor *other);          /* x.eq_(other) */
T_API Tensor *t_ne_(Tensor *x, Tensor *other);          /* x.ne_(other) */
T_API Tensor *t_lt_(Tensor *x, Tensor *other);          /* x.lt_(other) */
T_API Tensor *t_le_(Tensor *x, Tensor *other);          /* x.le_(other) */
T_API Tensor *t_gt_(Tensor *x, Tensor *other);          /* x.gt_(other) */
T_API Tensor *t_ge_(Tensor *x, Tensor *other);          /* x.ge_(other) */
T_API Tensor *t_logical_and_(Tensor *x, Tensor *other); /* x.logical_and_(other) */
T_API Tensor *t_logical_or_(Tensor *x, Tensor *other);  /* x.logical_or_(other) */
T_API Tensor *t_logical_xor_(Tensor *x, Tensor *other); /* x.logical_xor_(other) */
T_API Tensor *t_bitwise_and_(Tensor *x, Tensor *other); /* x.bitwise_and_(other) */
T_API Tensor *t_bitwise_or_(Tensor *x, Tensor *other);  /* x.bitwise_or_(other) */
T_API Tensor *t_bitwise_xor_(Tensor *x, Tensor *other); /* x.bitwise_xor_(other) */
T_API Tensor *t_bitwise_left_shift_(Tensor *x, Tensor *other); /* x.bitwise_left_shift_(other) */
T_API Tensor *t_bitwise_right_shift_(Tensor *x, Tensor *other); /* x.bitwise_right_shift_(other) */
T_API Tensor *t_add_alpha_(Tensor *x, Tensor *other, double alpha); /* x.add_(other, alpha=alpha) */
T_API Tensor *t_sub_alpha_(Tensor *x, Tensor *other, double alpha); /* x.sub_(other, alpha=alpha) */
T_API Tensor *t_div_mode_(Tensor *x, Tensor *other, const char *rounding_mode); /* x.div_(other, rounding_mode=...) */
T_API Tensor *t_masked_fill_(Tensor *x, Tensor *mask, Tensor *value); /* x.masked_fill_(mask, value) */
T_API Tensor *t_clamp_(Tensor *x, Tensor *min, Tensor *max); /* x.clamp_(min, max); either may be NULL */
T_API Tensor *t_clamp_min_(Tensor *x, Tensor *min);   /* x.clamp_min_(min) */
T_API Tensor *t_clamp_max_(Tensor *x, Tensor *max);   /* x.clamp_max_(max) */
T_API Tensor *t_lerp_(Tensor *x, Tensor *end, Tensor *weight); /* x.lerp_(end, weight) */
T_API Tensor *t_addcmul_(Tensor *x, Tensor *tensor1, Tensor *tensor2, double value); /* x.addcmul_ */
T_API Tensor *t_addcdiv_(Tensor *x, Tensor *tensor1, Tensor *tensor2, double value); /* x.addcdiv_ */

T_END_DECLS
#endif
