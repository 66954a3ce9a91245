/* core/special/special.h: torch.special: Bessel functions, the normal distribution's functions, orthogonal polynomials
 * (public; part of core/core.h). core/ops/ops.h explains the notation. Functions that torch has too are macros at
 * the end. Bessel functions of float16 and bfloat16, which PyTorch refuses, are computed in float32. */
#ifndef TAPEGRAD_CORE_SPECIAL_SPECIAL_H
#define TAPEGRAD_CORE_SPECIAL_SPECIAL_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- Bessel functions (bessel.c) ---- */
T_API Tensor *t_i0(Tensor *x);                          /* torch.i0(x), torch.special.i0(x): I0(x) */
T_API Tensor *t_i0_(Tensor *x);                         /* x.i0_() */
T_API Tensor *special_airy_ai(Tensor *x);               /* torch.special.airy_ai(x): Airy's function Ai */
T_API Tensor *special_bessel_j0(Tensor *x);             /* torch.special.bessel_j0(x): J0(x) */
T_API Tensor *special_bessel_j1(Tensor *x);             /* torch.special.bessel_j1(x): J1(x) */
T_API Tensor *special_bessel_y0(Tensor *x);             /* torch.special.bessel_y0(x): Y0(x) */
T_API Tensor *special_bessel_y1(Tensor *x);             /* torch.special.bessel_y1(x): Y1(x) */
T_API Tensor *special_spherical_bessel_j0(Tensor *x);   /* torch.special.spherical_bessel_j0(x): sin(x) / x */
T_API Tensor *special_modified_bessel_i0(Tensor *x);    /* torch.special.modified_bessel_i0(x): I0(x) */
T_API Tensor *special_modified_bessel_i1(Tensor *x);    /* torch.special.modified_bessel_i1(x): I1(x) */
T_API Tensor *special_modified_bessel_k0(Tensor *x);    /* torch.special.modified_bessel_k0(x): K0(x) */
T_API Tensor *special_modified_bessel_k1(Tensor *x);    /* torch.special.modified_bessel_k1(x): K1(x) */
T_API Tensor *special_scaled_modified_bessel_k0(Tensor *x); /* torch.special.scaled_modified_bessel_k0(x): e^x K0(x) */
T_API Tensor *special_scaled_modified_bessel_k1(Tensor *x); /* torch.special.scaled_modified_bessel_k1(x): e^x K1(x) */
T_API Tensor *special_i1(Tensor *x);                    /* torch.special.i1(x): I1(x) */
T_API Tensor *special_i0e(Tensor *x);                   /* torch.special.i0e(x): e^-|x| I0(x) */
T_API Tensor *special_i1e(Tensor *x);                   /* torch.special.i1e(x): e^-|x| I1(x) */

/* ---- the normal distribution and others (normal.c) ---- */
T_API Tensor *special_erfcx(Tensor *x);                 /* torch.special.erfcx(x): e^(x^2) erfc(x) */
T_API Tensor *special_ndtr(Tensor *x);                  /* torch.special.ndtr(x): the normal distribution function */
T_API Tensor *special_log_ndtr(Tensor *x);              /* torch.special.log_ndtr(x): log(ndtr(x)) */
T_API Tensor *special_ndtri(Tensor *x);                 /* torch.special.ndtri(x): the inverse of ndtr */
T_API Tensor *special_entr(Tensor *x);                  /* torch.special.entr(x): -x log x */
T_API Tensor *special_xlog1py(Tensor *x, Tensor *other); /* torch.special.xlog1py(x, other): x log(1 + other) */
T_API Tensor *special_zeta(Tensor *x, Tensor *other);   /* torch.special.zeta(x, other) */

/* ---- orthogonal polynomials of degree n (polynomial.c) ---- */
T_API Tensor *special_chebyshev_polynomial_t(Tensor *x, Tensor *n); /* torch.special.chebyshev_polynomial_t */
T_API Tensor *special_chebyshev_polynomial_u(Tensor *x, Tensor *n); /* torch.special.chebyshev_polynomial_u */
T_API Tensor *special_chebyshev_polynomial_v(Tensor *x, Tensor *n); /* torch.special.chebyshev_polynomial_v */
T_API Tensor *special_chebyshev_polynomial_w(Tensor *x, Tensor *n); /* torch.special.chebyshev_polynomial_w */
T_API Tensor *special_shifted_chebyshev_polynomial_t(Tensor *x, Tensor *n); /* the same of 2 x - 1 */
T_API Tensor *special_shifted_chebyshev_polynomial_u(Tensor *x, Tensor *n); /* the same of 2 x - 1 */
T_API Tensor *special_shifted_chebyshev_polynomial_v(Tensor *x, Tensor *n); /* the same of 2 x - 1 */
T_API Tensor *special_shifted_chebyshev_polynomial_w(Tensor *x, Tensor *n); /* the same of 2 x - 1 */
T_API Tensor *special_hermite_polynomial_h(Tensor *x, Tensor *n); /* torch.special.hermite_polynomial_h */
T_API Tensor *special_hermite_polynomial_he(Tensor *x, Tensor *n); /* torch.special.hermite_polynomial_he */
T_API Tensor *special_laguerre_polynomial_l(Tensor *x, Tensor *n); /* torch.special.laguerre_polynomial_l */
T_API Tensor *special_legendre_polynomial_p(Tensor *x, Tensor *n); /* torch.special.legendre_polynomial_p */

/* ---- names of functions that torch has ---- */
#define special_digamma t_digamma
#define special_erf t_erf
#define special_erfc t_erfc
#define special_erfinv t_erfinv
#define special_exp2 t_exp2
#define special_expit t_sigmoid
#define special_expm1 t_expm1
#define special_gammainc t_igamma
#define special_gammaincc t_igammac
#define special_gammaln t_lgamma
#define special_i0 t_i0
#define special_log1p t_log1p
#define special_log_softmax t_log_softmax
#define special_logit t_logit
#define special_logsumexp t_logsumexp
#define special_multigammaln t_mvlgamma
#define special_polygamma t_polygamma
#define special_psi t_digamma
#define special_round t_round
#define special_sinc t_sinc
#define special_softmax t_softmax
#define special_xlogy t_xlogy

T_END_DECLS
#endif
