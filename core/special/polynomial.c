/* core/special/polynomial.c: orthogonal polynomials of x of degree n, which broadcast; of n the integral part counts,
 * and a negative one gives 0. Integers are converted to float32. No derivatives, as in PyTorch. */
#include "core/special/special_internal.h"

#define POLYNOMIAL(f, family, argument)                            \
    SPECIAL_LOOPS(f, TG_EACH2, tg_polynomial(family, argument, b)) \
    Tensor *special_##f(Tensor *x, Tensor *n) {                    \
        return tg_pointwise2(#f "_cpu", x, n, f##_loops, true, 0); \
    }

POLYNOMIAL(chebyshev_polynomial_t, tg_chebyshev_t, a)
POLYNOMIAL(chebyshev_polynomial_u, tg_chebyshev_u, a)
POLYNOMIAL(chebyshev_polynomial_v, tg_chebyshev_v, a)
POLYNOMIAL(chebyshev_polynomial_w, tg_chebyshev_w, a)
POLYNOMIAL(hermite_polynomial_h, tg_hermite_h, a)
POLYNOMIAL(hermite_polynomial_he, tg_hermite_he, a)
POLYNOMIAL(laguerre_polynomial_l, tg_laguerre, a)
POLYNOMIAL(legendre_polynomial_p, tg_legendre, a)

/* of 2 x - 1 */
POLYNOMIAL(shifted_chebyshev_polynomial_t, tg_chebyshev_t, 2 * (double)a - 1)
POLYNOMIAL(shifted_chebyshev_polynomial_u, tg_chebyshev_u, 2 * (double)a - 1)
POLYNOMIAL(shifted_chebyshev_polynomial_v, tg_chebyshev_v, 2 * (double)a - 1)
POLYNOMIAL(shifted_chebyshev_polynomial_w, tg_chebyshev_w, 2 * (double)a - 1)
