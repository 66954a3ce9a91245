/* tests/ops/table/op_table_torch_special.c: torch.special (core/special). */
#include "core/special/special.h"
#include "tests/ops/table/op_table.h"

CALL1_WITH_INPLACE(i0)
#define SPECIAL1(f) static t_TensorList *call_##f(const Call *c) { return list_of(special_##f(c->x[0])); }
#define SPECIAL2(f) static t_TensorList *call_##f(const Call *c) { return list_of(special_##f(c->x[0], c->x[1])); }
SPECIAL1(bessel_j0)
SPECIAL1(bessel_j1)
SPECIAL1(modified_bessel_i0)
SPECIAL1(modified_bessel_i1)
SPECIAL1(i1)
SPECIAL1(i0e)
SPECIAL1(i1e)
SPECIAL1(erfcx)
SPECIAL1(ndtr)
SPECIAL1(log_ndtr)
SPECIAL1(bessel_y0)
SPECIAL1(bessel_y1)
SPECIAL1(modified_bessel_k0)
SPECIAL1(modified_bessel_k1)
SPECIAL1(entr)
SPECIAL1(ndtri)
SPECIAL1(spherical_bessel_j0)
SPECIAL1(airy_ai)
SPECIAL1(scaled_modified_bessel_k0)
SPECIAL1(scaled_modified_bessel_k1)
SPECIAL2(xlog1py)
SPECIAL2(zeta)
SPECIAL2(chebyshev_polynomial_t)
SPECIAL2(chebyshev_polynomial_u)
SPECIAL2(chebyshev_polynomial_v)
SPECIAL2(chebyshev_polynomial_w)
SPECIAL2(shifted_chebyshev_polynomial_t)
SPECIAL2(shifted_chebyshev_polynomial_u)
SPECIAL2(shifted_chebyshev_polynomial_v)
SPECIAL2(shifted_chebyshev_polynomial_w)
SPECIAL2(hermite_polynomial_h)
SPECIAL2(hermite_polynomial_he)
SPECIAL2(laguerre_polynomial_l)
SPECIAL2(legendre_polynomial_p)

#define RANKS(k) {k "()"}, {k "(7)"}, {k "(2,3)"}, {k "(2,1,3)"}, {k "(2,1,2,2)"}, {k "(1,2,1,2,2)"}, {k "(0)"}, \
    {k "(2,0,3)"}
static const OpCase any_cases[] = {RANKS("r"), {"i(6)"}, {"R(3)"}, {"b(4)"}, {"s(9)"}, {"i(40)"}, {"x(12)"}, {NULL}};
static const OpCase positive_cases[] = {
    RANKS("p"), {"k9(6)"}, {"P(3)"}, {"b(4)"}, {"q(40)"}, {"k90(40)"}, {"x(12)"}, {NULL},
};
static const OpCase probability_cases[] = {RANKS("q"), {"Q(3)"}, {"b(4)"}, {"q(40)"}, {"x(12)"}, {NULL}};
static const OpCase i0_inplace_cases[] = {RANKS("r"), {"R(3)"}, {"s(9)"}, {NULL}};
/* PyTorch's float64 values of these are off by up to 1e-5 for |x| > 5 (airy_ai: below -1); tests/ops/test_special.c has
 * the correct ones. */
static const OpCase oscillating_cases[] = {RANKS("r"), {"i(6)"}, {"b(4)"}, {"k20(30)"}, {NULL}};
static const OpCase positive_oscillating_cases[] = {RANKS("p"), {"k9(6)"}, {"b(4)"}, {"q(40)"}, {"k90(40)"}, {NULL}};
static const OpCase xlog1py_cases[] = {
    BROADCASTS("s", "p"), {"S(3) p(3)"}, {"p(3) P(3)"}, {"i(4) k9(4)"}, {"b(4) b(4)"}, FLOATING_MIXES("k9"),
    {"f(2) N"}, {"N p(2)"}, {"I p(3)"}, {"x(12) x(12)"}, {NULL},
};
/* There is no derivative with respect to the first. NaN for a first below 1, of which no differences can be taken. */
static const OpCase zeta_cases[] = {
    {"P() p()"}, {"P(5) p(5)"}, {"P(2,3) p(3)"}, {"P(2,1,3) p(4,1)"}, {"P(2,2,1,3) p(2,1)"},
    {"P(1,2,3,1,2) p(3,2,2)"}, {"P(0) p(1)"}, {"k9(6) k4(6)"}, {"k9(6) p(6)"}, {"b(2) b(2)"}, {"I p(3)"},
    {"P(3) N"}, {"x(12) x(12)"}, {NULL},
};
static const OpCase polynomial_cases[] = {
    {"R() k9()"}, {"R(7) k9(7)"}, {"R(2,3) k4(3)"}, {"R(2,1,3) k9(4,1)"}, {"R(2,2,1,3) k9(2,1)"},
    {"R(1,2,3,1,2) k9(3,2,2)"}, {"R(0) k9(1)"}, {"T(5) i(5)"}, {"i(6) k7(6)"}, {"b(2) b(2)"}, {"Q(9) k9(9)"},
    {"R(4) P(4)"}, {"R(3) I"}, {"N k9(4)"}, {"x(12) k4(12)"}, {NULL},
};

static const OpError none[] = {{NULL}};
static const OpError inplace_errors[] = {
    {"i(2)", {0}, "result type Float can't be cast to the desired output type Long"}, {NULL},
};
static const OpError misfits[] = {MISFITS("R"), {NULL}};

static const OpRow rows[] = {
    {"t_i0", call_i0, any_cases, none},
    {"t_i0_", call_i0_, i0_inplace_cases, inplace_errors, INPLACE},
    {"special_bessel_j0", call_bessel_j0, oscillating_cases, none},
    {"special_bessel_j1", call_bessel_j1, oscillating_cases, none},
    {"special_modified_bessel_i0", call_modified_bessel_i0, any_cases, none},
    {"special_modified_bessel_i1", call_modified_bessel_i1, any_cases, none},
    {"special_i1", call_i1, any_cases, none},
    {"special_i0e", call_i0e, any_cases, none},
    {"special_i1e", call_i1e, any_cases, none},
    {"special_erfcx", call_erfcx, any_cases, none},
    {"special_ndtr", call_ndtr, any_cases, none},
    {"special_log_ndtr", call_log_ndtr, any_cases, none},
    {"special_bessel_y0", call_bessel_y0, positive_oscillating_cases, none},
    {"special_bessel_y1", call_bessel_y1, positive_oscillating_cases, none},
    {"special_modified_bessel_k0", call_modified_bessel_k0, positive_cases, none},
    {"special_modified_bessel_k1", call_modified_bessel_k1, positive_cases, none},
    {"special_entr", call_entr, positive_cases, none},
    {"special_ndtri", call_ndtri, probability_cases, none},
    {"special_spherical_bessel_j0", call_spherical_bessel_j0, oscillating_cases, none, NO_GRADIENT},
    {"special_airy_ai", call_airy_ai, oscillating_cases, none, NO_GRADIENT},
    {"special_scaled_modified_bessel_k0", call_scaled_modified_bessel_k0, positive_cases, none, NO_GRADIENT},
    {"special_scaled_modified_bessel_k1", call_scaled_modified_bessel_k1, positive_cases, none, NO_GRADIENT},
    {"special_xlog1py", call_xlog1py, xlog1py_cases, misfits},
    {"special_zeta", call_zeta, zeta_cases, misfits, ROUNDED},
    {"special_chebyshev_polynomial_t", call_chebyshev_polynomial_t, polynomial_cases, misfits, NO_GRADIENT},
    {"special_chebyshev_polynomial_u", call_chebyshev_polynomial_u, polynomial_cases, misfits, NO_GRADIENT},
    {"special_chebyshev_polynomial_v", call_chebyshev_polynomial_v, polynomial_cases, misfits, NO_GRADIENT},
    {"special_chebyshev_polynomial_w", call_chebyshev_polynomial_w, polynomial_cases, misfits, NO_GRADIENT},
    {"special_shifted_chebyshev_polynomial_t",
     call_shifted_chebyshev_polynomial_t, polynomial_cases, misfits, NO_GRADIENT},
    {"special_shifted_chebyshev_polynomial_u",
     call_shifted_chebyshev_polynomial_u, polynomial_cases, misfits, NO_GRADIENT},
    {"special_shifted_chebyshev_polynomial_v",
     call_shifted_chebyshev_polynomial_v, polynomial_cases, misfits, NO_GRADIENT},
    {"special_shifted_chebyshev_polynomial_w",
     call_shifted_chebyshev_polynomial_w, polynomial_cases, misfits, NO_GRADIENT},
    {"special_hermite_polynomial_h", call_hermite_polynomial_h, polynomial_cases, misfits, NO_GRADIENT},
    {"special_hermite_polynomial_he", call_hermite_polynomial_he, polynomial_cases, misfits, NO_GRADIENT},
    {"special_laguerre_polynomial_l", call_laguerre_polynomial_l, polynomial_cases, misfits, NO_GRADIENT},
    {"special_legendre_polynomial_p", call_legendre_polynomial_p, polynomial_cases, misfits, NO_GRADIENT},
};
TABLE(torch_special_table, "ops_torch_special.txt", rows);
