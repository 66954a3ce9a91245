/* core/linalg/matrix_exp.c: matrix_exp. */
#include <math.h>

#include "core/linalg/linalg_internal.h"

/* The coefficients of the numerator of the [13/13] Pade approximant of exp, divided by the first one; those of the
 * denominator have alternating signs. */
static const double pade[] = {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800.,
                              129060195264000.,   10559470521600.,    670442572800.,     33522128640.,
                              1323241920.,        40840800.,          960960.,           16380.,
                              182.,               1.};
#define THETA 5.371920351148152 /* the largest norm for which its error is below eps of float64 */

/* c_first X2 + c_(first + 2) X4 + c_(first + 4) X6 */
static Tensor *combination(Tensor *const X[3], int first) {
    Tensor *y = NULL;
    for (int i = 0; i < 3; i++) {
        Tensor *term = t_mul(X[i], t_number(pade[first + 2 * i] / pade[0]));
        if (!term || !(y = y ? t_add(y, term) : term)) return NULL;
    }
    return y;
}

/* X6 (c12 X6 + c10 X4 + c8 X2) + c6 X6 + c4 X4 + c2 X2 + c0, the even terms, or with `odd` those of degree one more,
 * without the factor X. */
static Tensor *terms(Tensor *const X[3], Tensor *eye, int odd) {
    Tensor *high = t_matmul(X[2], combination(X, 8 + odd)), *low = combination(X, 2 + odd);
    return high && low ? t_add(t_add(high, low), t_mul(eye, t_number(pade[odd] / pade[0]))) : NULL;
}

static Tensor *pade_approximant(Tensor *X) {
    Tensor *X2 = t_matmul(X, X), *X4 = t_matmul(X2, X2), *X6 = t_matmul(X4, X2);
    Tensor *powers[] = {X2, X4, X6}, *eye = X6 ? tg_eye_like(X, tg_rows(X), T_NONE) : NULL;
    if (!eye) return NULL;
    Tensor *U = t_matmul(X, terms(powers, eye, 1)), *V = terms(powers, eye, 0);
    return U && V ? linalg_solve_ex(t_sub(V, U), t_add(V, U), true, false, NULL) : NULL;
}

/* How often each matrix is halved, (..., 1, 1), so that its 1-norm is at most THETA; 0 where that is not finite. */
static Tensor *halvings(Tensor *A) {
    static const int64_t rows = -2, columns = -1;
    Tensor *norm = t_amax(t_sum(t_abs(A), &rows, 1, true), &columns, 1, true);
    Tensor *s = norm ? t_ceil(t_log2(t_div(norm, t_number(THETA)))) : NULL;
    return s ? t_clamp(t_nan_to_num(s, 0, 0, 0), t_number(0), NULL) : NULL;
}

static Tensor *exponential(Tensor *A) {
    if (tg_numel(A) == 0) return t_clone(A);
    A = t_to(A, t_float64);
    Tensor *s = A ? halvings(A) : NULL, *X = s ? t_mul(A, t_exp2(t_neg(s))) : NULL, *y = X ? pade_approximant(X) : NULL;
    Tensor *most = y ? t_max(s, T_NONE, false, NULL) : NULL;
    if (!most) return NULL;
    const int64_t squarings = (int64_t)tg_read_double(most);
    for (int64_t i = 0; y && i < squarings; i++) y = t_where(t_gt(s, t_number((double)i)), t_matmul(y, y), y);
    return y;
}

/* With B = [A^T dY; 0 A^T], dA is the upper right block of exp(B) (R. Mathias, "A chain rule for matrix functions and
 * applications", 1996). */
static void matrix_exp_backward(Record *r, Tensor *dY, Tensor **dx) {
    Tensor *A = tg_saved(r, 0), *At = A ? t_mT(A) : NULL, *zeros = At ? t_zeros_like(At) : NULL;
    if (!zeros) return;
    const int64_t n = tg_rows(A);
    t_TensorList *top = t_list_new((Tensor *[]){At, dY}, 2), *bottom = t_list_new((Tensor *[]){zeros, At}, 2);
    Tensor *upper = top ? t_cat(top, -1) : NULL, *lower = bottom ? t_cat(bottom, -1) : NULL;
    t_TensorList *both = upper && lower ? t_list_new((Tensor *[]){upper, lower}, 2) : NULL;
    Tensor *Y = both ? linalg_matrix_exp(t_cat(both, -2)) : NULL;
    dx[0] = Y ? t_narrow(t_narrow(Y, -2, 0, n), -1, n, n) : NULL;
}
static const Op matrix_exp_op = {"linalg_matrix_exp", "LinalgMatrixExpBackward0", matrix_exp_backward};

/* torch.linalg.matrix_exp(A), torch.matrix_exp: I + A + A^2 / 2! + ... of square matrices (..., n, n): the [13/13] Pade
 * approximant of A / 2^s, squared s times (N. Higham, "The scaling and squaring method for the matrix exponential
 * revisited", 2005); PyTorch takes Taylor polynomials. Computed in float64, since the denominator of the
 * approximant is not well-conditioned. Floating. Errors: not square. */
Tensor *linalg_matrix_exp(Tensor *A) {
    TG_COMPOSITE("linalg_matrix_exp");
    static const char f[] = "linalg.matrix_exp";
    if (!tg_check_any(A, 1) || !tg_check_square(A, f) || !tg_check_is_floating(A, f)) return NULL;
    if (tg_is_half(A->dtype)) return tg_narrowed(linalg_matrix_exp(tg_widened(A)), A->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *Y = depth ? t_to(exponential(A), A->dtype) : NULL;
    t_set_grad_enabled(grad_enabled);
    Y = tg_record(&matrix_exp_op, Y, INPUTS(A), SAVED(A), NONE);
    return tg_scope_return(depth, Y);
}
