/* core/sugar/special.h: the macros for torch.special (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_SPECIAL_H
#define TAPEGRAD_CORE_SUGAR_SPECIAL_H
#pragma GCC system_header

#include "core/special/special.h"
#include "core/sugar/sugar_macros.h"

#define t_i0(x) T_OP1_(t_i0, "t_i0(" #x ")", x)
#define t_i0_(x) T_OP1_(t_i0_, "t_i0_(" #x ")", x)
#define special_airy_ai(x) T_OP1_(special_airy_ai, "special_airy_ai(" #x ")", x)
#define special_bessel_j0(x) T_OP1_(special_bessel_j0, "special_bessel_j0(" #x ")", x)
#define special_bessel_j1(x) T_OP1_(special_bessel_j1, "special_bessel_j1(" #x ")", x)
#define special_bessel_y0(x) T_OP1_(special_bessel_y0, "special_bessel_y0(" #x ")", x)
#define special_bessel_y1(x) T_OP1_(special_bessel_y1, "special_bessel_y1(" #x ")", x)
#define special_spherical_bessel_j0(x) T_OP1_(special_spherical_bessel_j0, "special_spherical_bessel_j0(" #x ")", x)
#define special_modified_bessel_i0(x) T_OP1_(special_modified_bessel_i0, "special_modified_bessel_i0(" #x ")", x)
#define special_modified_bessel_i1(x) T_OP1_(special_modified_bessel_i1, "special_modified_bessel_i1(" #x ")", x)
#define special_modified_bessel_k0(x) T_OP1_(special_modified_bessel_k0, "special_modified_bessel_k0(" #x ")", x)
#define special_modified_bessel_k1(x) T_OP1_(special_modified_bessel_k1, "special_modified_bessel_k1(" #x ")", x)
#define special_scaled_modified_bessel_k0(x) \
    T_OP1_(special_scaled_modified_bessel_k0, "special_scaled_modified_bessel_k0(" #x ")", x)
#define special_scaled_modified_bessel_k1(x) \
    T_OP1_(special_scaled_modified_bessel_k1, "special_scaled_modified_bessel_k1(" #x ")", x)
#define special_i1(x) T_OP1_(special_i1, "special_i1(" #x ")", x)
#define special_i0e(x) T_OP1_(special_i0e, "special_i0e(" #x ")", x)
#define special_i1e(x) T_OP1_(special_i1e, "special_i1e(" #x ")", x)
#define special_erfcx(x) T_OP1_(special_erfcx, "special_erfcx(" #x ")", x)
#define special_ndtr(x) T_OP1_(special_ndtr, "special_ndtr(" #x ")", x)
#define special_log_ndtr(x) T_OP1_(special_log_ndtr, "special_log_ndtr(" #x ")", x)
#define special_ndtri(x) T_OP1_(special_ndtri, "special_ndtri(" #x ")", x)
#define special_entr(x) T_OP1_(special_entr, "special_entr(" #x ")", x)
/* one of the two may be a number */
#define special_xlog1py(x, other) \
    T_OP2_(special_xlog1py, "special_xlog1py(" #x ", " #other ")", T_OPERAND(x), T_OPERAND(other))
#define special_zeta(x, other) \
    T_OP2_(special_zeta, "special_zeta(" #x ", " #other ")", T_OPERAND(x), T_OPERAND(other))
#define special_chebyshev_polynomial_t(x, n) \
    T_OP2_(special_chebyshev_polynomial_t, "special_chebyshev_polynomial_t(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_chebyshev_polynomial_u(x, n) \
    T_OP2_(special_chebyshev_polynomial_u, "special_chebyshev_polynomial_u(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_chebyshev_polynomial_v(x, n) \
    T_OP2_(special_chebyshev_polynomial_v, "special_chebyshev_polynomial_v(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_chebyshev_polynomial_w(x, n) \
    T_OP2_(special_chebyshev_polynomial_w, "special_chebyshev_polynomial_w(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_shifted_chebyshev_polynomial_t(x, n) \
    T_OP2_(special_shifted_chebyshev_polynomial_t, "special_shifted_chebyshev_polynomial_t(" #x ", " #n ")", \
        T_OPERAND(x), T_OPERAND(n))
#define special_shifted_chebyshev_polynomial_u(x, n) \
    T_OP2_(special_shifted_chebyshev_polynomial_u, "special_shifted_chebyshev_polynomial_u(" #x ", " #n ")", \
        T_OPERAND(x), T_OPERAND(n))
#define special_shifted_chebyshev_polynomial_v(x, n) \
    T_OP2_(special_shifted_chebyshev_polynomial_v, "special_shifted_chebyshev_polynomial_v(" #x ", " #n ")", \
        T_OPERAND(x), T_OPERAND(n))
#define special_shifted_chebyshev_polynomial_w(x, n) \
    T_OP2_(special_shifted_chebyshev_polynomial_w, "special_shifted_chebyshev_polynomial_w(" #x ", " #n ")", \
        T_OPERAND(x), T_OPERAND(n))
#define special_hermite_polynomial_h(x, n) \
    T_OP2_(special_hermite_polynomial_h, "special_hermite_polynomial_h(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_hermite_polynomial_he(x, n) \
    T_OP2_(special_hermite_polynomial_he, "special_hermite_polynomial_he(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_laguerre_polynomial_l(x, n) \
    T_OP2_(special_laguerre_polynomial_l, "special_laguerre_polynomial_l(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))
#define special_legendre_polynomial_p(x, n) \
    T_OP2_(special_legendre_polynomial_p, "special_legendre_polynomial_p(" #x ", " #n ")", T_OPERAND(x), T_OPERAND(n))

#endif
