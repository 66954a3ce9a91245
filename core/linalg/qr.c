/* core/linalg/qr.c: qr, householder_product, geqrf, ormqr. */
#include <string.h>

#include "core/linalg/linalg_internal.h"

typedef enum Mode { REDUCED, COMPLETE, R_ONLY } Mode;

typedef struct QR {
    tg_Parts parts; /* Q and R */
    Mode mode;
    int64_t m, n;
} QR;

/* ---- gradient ---- */

/* For R with as many columns as rows (S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra
 * functions", 2018): dA = (dQ + Q copyltu(M)) R^-T, M = R dR^T - dQ^T Q, where copyltu copies the lower triangle to
 * the upper one. */
static Tensor *square_gradient(Tensor *Q, Tensor *R, Tensor *dQ, Tensor *dR) {
    Tensor *M = t_sub(t_matmul(R, t_mT(dR)), t_matmul(t_mT(dQ), Q));
    Tensor *copied = t_add(t_tril(M, 0), t_mT(t_tril(M, -1)));
    return linalg_solve_triangular(t_mT(R), t_add(dQ, t_matmul(Q, copied)), false, false, false);
}

/* With more columns than rows A = Q [R1 R2]: then R2 = Q^T A2 gives dA2 = Q dR2 and adds A2 dR2^T to dQ. */
static void qr_backward(Record *r, Tensor *dy, Tensor **dx) {
    const QR *qr = r->attributes;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    if (qr->mode == R_ONLY) {
        tg_fail("The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.");
        return;
    }
    if (qr->mode == COMPLETE && qr->m > qr->n) {
        tg_fail("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
        return;
    }
    Tensor *Q = tg_part(y, &qr->parts, 0), *R = tg_part(y, &qr->parts, 1), *dQ = tg_part(dy, &qr->parts, 0),
           *dR = tg_part(dy, &qr->parts, 1);
    const int64_t k = qr->m, rest = qr->n - qr->m;
    if (rest <= 0) {
        dx[0] = square_gradient(Q, R, dQ, dR);
        return;
    }
    Tensor *R1 = t_narrow(R, -1, 0, k), *R2 = t_narrow(R, -1, k, rest), *dR1 = t_narrow(dR, -1, 0, k),
           *dR2 = t_narrow(dR, -1, k, rest);
    Tensor *A2 = t_matmul(Q, R2), *dA1 = square_gradient(Q, R1, t_add(dQ, t_matmul(A2, t_mT(dR2))), dR1);
    Tensor *dA2 = dA1 ? t_matmul(Q, dR2) : NULL;
    t_TensorList *both = dA2 ? t_list_new((Tensor *[]){dA1, dA2}, 2) : NULL;
    dx[0] = both ? t_cat(both, -1) : NULL;
}
static const Op qr_op = {"linalg_qr", "LinalgQrBackward0", qr_backward},
                qr_part_op = {"linalg_qr", "LinalgQrBackward0", tg_part_backward};

/* ---- qr ---- */

/* Q, q_columns wide (0: not wanted), and the first r_rows rows of R, in y. */
static bool factorize(Tensor *A, const QR *qr, Tensor *y) {
    const int64_t m = qr->m, n = qr->n, k = m < n ? m : n;
    const int64_t columns = qr->mode == R_ONLY ? 0 : qr->mode == COMPLETE ? m : k, rows = qr->mode == COMPLETE ? m : k;
    Tensor *a = tg_matrix_copy(A), *tau = a ? tg_workspace(k, A->dtype) : NULL;
    Tensor *work = tau ? tg_workspace(tg_qr_work(m, m > n ? m : n), A->dtype) : NULL;
    if (!work) return false;
    const size_t size = tg_itemsize(A->dtype);
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++) {
        char *matrix = tg_matrix_data(a, i), *R = tg_element(y, qr->parts.start[1] + i * rows * n);
        tg_geqrf(tg_is_double(a), m, n, matrix, n, tg_data(tau), tg_data(work));
        for (int64_t j = 0; j < rows; j++) {
            const int64_t zeros = j < n ? j : n;
            memset(R + (size_t)(j * n) * size, 0, (size_t)zeros * size);
            memcpy(R + (size_t)(j * n + zeros) * size, matrix + (size_t)(j * n + zeros) * size,
                   (size_t)(n - zeros) * size);
        }
        if (columns)
            tg_orgqr(tg_is_double(a), m, columns, k, (tg_Matrix){matrix, n, 1}, tg_data(tau),
                     tg_element(y, qr->parts.start[0] + i * m * columns), columns, tg_data(work));
    }
    return true;
}

static Tensor *factors(Tensor *A, Mode mode, Tensor **R) {
    QR qr = {.mode = mode, .m = tg_rows(A), .n = tg_columns(A)};
    const int64_t k = qr.m < qr.n ? qr.m : qr.n, rows = mode == COMPLETE ? qr.m : k;
    if (mode == R_ONLY) tg_add_part(&qr.parts, NULL, 0, T_NONE);
    else tg_add_part(&qr.parts, A, qr.m, rows);
    tg_add_part(&qr.parts, A, rows, qr.n);
    Tensor *y = tg_empty(&qr.parts.total, 1, A->dtype);
    if (!y || !factorize(A, &qr, y) || !(y = tg_record(&qr_op, y, INPUTS(A), SAVED(y), ATTRIBUTES(qr)))) return NULL;
    *R = tg_output(&qr_part_op, y, &qr.parts, 1);
    return *R ? tg_output(&qr_part_op, y, &qr.parts, 0) : NULL;
}

/* torch.linalg.qr(A, mode="reduced"): A = Q R of matrices (..., m, n), Q with orthonormal columns and R upper
 * triangular in *R: (..., m, k) and (..., k, n), k = min(m, n); "complete": (..., m, m) and (..., m, n); "r": Q has no
 * elements. Floating. By Householder reflections, with the signs of LAPACK's. dA is above; there is none for "r", and
 * for "complete" with m > n. Errors: rank, dtype, mode. |A - Q R| / |A| and |Q^T Q - I| / sqrt(n) at n = 150: 4.5
 * eps and 5 eps, as LAPACK's geqrf (4 and 5). */
Tensor *linalg_qr(Tensor *A, const char *mode, Tensor **R) {
    TG_COMPOSITE("linalg_qr");
    tg_clear_output(R);
    TG_AUTOCAST_FLOAT32(A);
    static const char f[] = "linalg.qr";
    if (!tg_check(A, 1) || !tg_check_matrices(A, f, "A") || !tg_check_is_floating(A, f)) return NULL;
    const bool reduced = !mode || strcmp(mode, "reduced") == 0, complete = mode && strcmp(mode, "complete") == 0;
    if (!reduced && !complete && strcmp(mode, "r") != 0)
        return tg_fail("qr received unrecognized mode '%s' but expected one of 'reduced' (default), 'r', or 'complete'",
                       mode);
    int depth = t_scope_open();
    Tensor *upper = NULL, *Q = NULL;
    if (depth) Q = t_keep_object(factors(A, complete ? COMPLETE : reduced ? REDUCED : R_ONLY, &upper));
    if (Q && R) *R = t_keep_object(upper);
    t_scope_close(depth);
    return Q;
}

/* ---- geqrf ---- */

static Tensor *reflections(Tensor *A, Tensor **tau) {
    const int64_t m = tg_rows(A), n = tg_columns(A), k = m < n ? m : n;
    Tensor *a = tg_matrix_copy(A), *t = a ? tg_empty_batch(A, k, T_NONE, A->dtype) : NULL;
    Tensor *work = t ? tg_workspace(tg_qr_work(m, n), A->dtype) : NULL;
    if (!work) return NULL;
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++)
        tg_geqrf(tg_is_double(a), m, n, tg_matrix_data(a, i), n, tg_element(t, i * k), tg_data(work));
    *tau = t;
    return a;
}

/* torch.geqrf(A): what LAPACK's geqrf leaves: R on and above the diagonal, below it the vectors of the reflections
 * (..., m, n), which householder_product multiplies; *tau gets their factors, (..., k), k = min(m, n). Floating. As in
 * PyTorch there is no gradient: error for an input that requires one, while recording. */
Tensor *t_geqrf(Tensor *A, Tensor **tau) {
    tg_clear_output(tau);
    TG_AUTOCAST_FLOAT32(A);
    static const char f[] = "torch.geqrf";
    if (!tg_check(A, 1)) return NULL;
    if (A->ndim < 2) return tg_fail("%s: input must have at least 2 dimensions.", f);
    if (!tg_is_floating(A->dtype)) return tg_not_implemented("geqrf_cpu", A->dtype);
    if (tg_will_record(&A, 1)) return tg_fail("the derivative for 'geqrf' is not implemented.");
    int depth = t_scope_open();
    Tensor *factors_of = NULL, *a = depth ? reflections(A, &factors_of) : NULL;
    if (tau) *tau = a ? t_keep_object(factors_of) : NULL;
    return depth ? tg_scope_return(depth, a) : NULL;
}

/* ---- householder_product ---- */

/* Reflection by reflection in ops, from the last: Q -= tau v (v^T Q), v = (0, ..., 0, 1, the rest of column k). */
static Tensor *composed_product(Tensor *A, Tensor *tau) {
    const int64_t m = tg_rows(A), n = tg_columns(A), count = tau->shape[tau->ndim - 1];
    Tensor *Q = tg_eye_like(A, m, n);
    if (count == 0) return t_where(t_boolean(true), t_expand_as(Q, A), A); /* A has a gradient, of 0 */
    Tensor *eye = tg_eye_like(A, m, n);
    Tensor *V = eye ? t_add(t_tril(A, -1), eye) : NULL, *scale = t_unsqueeze(tau, -2);
    for (int64_t k = count - 1; k >= 0 && Q; k--) {
        Tensor *v = t_narrow(V, -1, k, 1), *tau_k = t_narrow(scale, -1, k, 1);
        Q = t_sub(Q, t_matmul(t_mul(v, tau_k), t_matmul(t_mT(v), Q)));
    }
    return Q;
}

static Tensor *product(Tensor *A, Tensor *tau) {
    const int64_t m = tg_rows(A), n = tg_columns(A), k = tau->shape[tau->ndim - 1];
    Tensor *a = tg_matrix_copy(A), *t = a ? tg_matrix_copy(tau) : NULL;
    Tensor *Q = t ? tg_empty(A->shape, A->ndim, A->dtype) : NULL;
    Tensor *work = Q ? tg_workspace(tg_qr_work(m, n), A->dtype) : NULL;
    if (!work) return NULL;
    for (int64_t i = 0, count = tg_matrix_count(A); i < count; i++)
        tg_orgqr(tg_is_double(A), m, n, k, (tg_Matrix){tg_matrix_data(a, i), n, 1}, tg_element(t, i * k),
                 tg_matrix_data(Q, i), n, tg_data(work));
    return Q;
}

/* torch.linalg.householder_product(A, tau), torch.orgqr: the first n columns of H_1 ... H_k, (..., m, n), from geqrf's
 * vectors below the diagonal of A (..., m, n), m >= n, and tau (..., k), k <= n. With a gradient it is composed of ops,
 * a reflection at a time. Errors: sizes, batches, dtypes. */
Tensor *linalg_householder_product(Tensor *A, Tensor *tau) {
    TG_COMPOSITE("linalg_householder_product");
    TG_AUTOCAST_FLOAT32(A);
    TG_AUTOCAST_FLOAT32(tau);
    static const char f[] = "torch.linalg.householder_product";
    if (!tg_check_two(A, tau)) return NULL;
    if (A->ndim < 2) return tg_fail("%s: input must have at least 2 dimensions.", f);
    if (tg_rows(A) < tg_columns(A))
        return tg_fail("%s: input.shape[-2] must be greater than or equal to input.shape[-1]", f);
    if (tau->ndim < 1 || tg_columns(A) < tau->shape[tau->ndim - 1])
        return tg_fail("%s: input.shape[-1] must be greater than or equal to tau.shape[-1]", f);
    if (tau->ndim != A->ndim - 1 || memcmp(tau->shape, A->shape, (size_t)(A->ndim - 2) * sizeof *A->shape) != 0)
        return tg_fail("%s: Expected batch dimensions of tau to be equal to input.shape[:-2], but got %s", f,
                       tg_shape_text(tau->shape, tau->ndim - 1));
    if (tau->dtype != A->dtype)
        return tg_fail("%s: tau dtype %s does not match input dtype %s", f, tg_scalar_name(tau->dtype),
                       tg_scalar_name(A->dtype));
    if (!tg_is_floating(A->dtype)) return tg_not_implemented("orgqr_cpu", A->dtype);
    int depth = t_scope_open();
    bool recorded = tg_will_record((Tensor *[]){A, tau}, 2);
    Tensor *Q = depth ? (recorded ? composed_product : product)(A, tau) : NULL;
    return tg_scope_return(depth, Q);
}

/* ---- ormqr ---- */

static bool check_ormqr(const Tensor *A, const Tensor *tau, const Tensor *C, bool left) {
    static const char f[] = "torch.ormqr";
    if (A->ndim < 2) return tg_fail("%s: input must have at least 2 dimensions.", f);
    if (C->ndim < 2) return tg_fail("%s: other must have at least 2 dimensions.", f);
    const int64_t m = left ? tg_rows(C) : tg_columns(C), k = m < tg_columns(A) ? m : tg_columns(A);
    const int side = left ? -2 : -1;
    if (tau->ndim == 0 || tau->shape[tau->ndim - 1] != k)
        return tg_fail("%s: tau.shape[-1] must be equal to min(other.shape[%d], input.shape[-1])", f, side);
    if (m != tg_rows(A)) return tg_fail("%s: other.shape[%d] must be equal to input.shape[-2]", f, side);
    if (tau->ndim != A->ndim - 1)
        return tg_fail("%s: Expected tau to have one dimension less than input, but got tau.ndim equal to %d and "
                       "input.ndim is equal to %d",
                       f, tau->ndim, A->ndim);
    const size_t batch = (size_t)(A->ndim - 2) * sizeof *A->shape;
    if (memcmp(tau->shape, A->shape, batch) != 0)
        return tg_fail("%s: Expected batch dimensions of tau to be equal to input.shape[:-2], but got %s", f,
                       tg_shape_text(tau->shape, tau->ndim - 1));
    if (C->ndim != A->ndim || memcmp(C->shape, A->shape, batch) != 0)
        return tg_fail("%s: Expected batch dimensions of other to be equal to input.shape[:-2], but got %s", f,
                       tg_shape_text(C->shape, C->ndim - 2));
    const Tensor *other = tau->dtype != A->dtype ? tau : C;
    if (other->dtype != A->dtype)
        return tg_fail("%s: Expected input and %s to have the same dtype, but input has dtype%s and %s has dtype %s", f,
                       other == tau ? "tau" : "other", tg_scalar_name(A->dtype), other == tau ? "tau" : "other",
                       tg_scalar_name(other->dtype));
    return tg_is_floating(A->dtype) || tg_not_implemented("ormqr_cpu", A->dtype) != NULL;
}

/* Reflection by reflection: C -= tau v (v^T C) from the left, with v as in composed_product; the last one first for
 * Q C and C Q^T. */
static Tensor *reflected(Tensor *A, Tensor *tau, Tensor *C, bool left, bool transpose) {
    const int64_t count = tau->shape[tau->ndim - 1];
    Tensor *eye = tg_eye_like(A, tg_rows(A), tg_columns(A)), *V = eye ? t_add(t_tril(A, -1), eye) : NULL;
    Tensor *scale = t_unsqueeze(tau, -2);
    if (!V || !scale) return NULL;
    if (count == 0) return t_clone(C);
    for (int64_t i = 0; i < count && C; i++) {
        const int64_t k = left != transpose ? count - 1 - i : i;
        Tensor *v = t_narrow(V, -1, k, 1), *scaled = t_mul(v, t_narrow(scale, -1, k, 1));
        C = t_sub(C, left ? t_matmul(scaled, t_matmul(t_mT(v), C)) : t_matmul(t_matmul(C, v), t_mT(scaled)));
    }
    return C;
}

/* torch.ormqr(input, tau, other, left=True, transpose=False): Q other, with transpose Q^T other, or from the right
 * other Q and other Q^T, where Q, (..., m, m), is the product of all reflections of geqrf's input (..., m, n) and tau
 * (..., min(m, n)). Composed of ops, a reflection at a time. Errors: sizes, batches, dtypes. */
Tensor *t_ormqr(Tensor *input, Tensor *tau, Tensor *other, bool left, bool transpose) {
    TG_COMPOSITE("ormqr");
    if (!tg_check_three(input, tau, other) || !check_ormqr(input, tau, other, left)) return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, reflected(input, tau, other, left, transpose)) : NULL;
}
