/* core/linalg/triangular.c: solve_triangular. */
#include "core/linalg/linalg_internal.h"

typedef struct Triangular {
    bool upper, left, unitriangular;
} Triangular;

/* A X = B: dB = inverse(A)^T dX, dA = -dB X^T, of which the triangle counts; X A = B alike from the right. */
static void solve_triangular_backward(Record *r, Tensor *dX, Tensor **dx) {
    const Triangular *t = r->attributes;
    Tensor *A = tg_saved(r, 0), *X = tg_saved(r, 1);
    if (!A || !X) return;
    Tensor *dB = linalg_solve_triangular(t_mT(A), dX, !t->upper, t->left, t->unitriangular);
    if (tg_needs(r, 1)) dx[1] = dB;
    if (!tg_needs(r, 0)) return;
    Tensor *dA = t_neg(t->left ? t_matmul(dB, t_mT(X)) : t_matmul(t_mT(X), dB));
    dx[0] = t->upper ? t_triu(dA, t->unitriangular) : t_tril(dA, -(int64_t)t->unitriangular);
}
static const Op solve_triangular_op = {"linalg_solve_triangular", "LinalgSolveTriangularBackward0",
                                       solve_triangular_backward};

static Tensor *solution(Tensor *A, Tensor *B, const Triangular *t) {
    if (!tg_broadcast_batches(&A, &B)) return NULL;
    Tensor *X = tg_matrix_copy(B), *work = tg_workspace(tg_rows(A) * tg_rows(A), B->dtype);
    if (!X || !work) return NULL;
    for (int64_t i = 0, count = tg_matrix_count(X); i < count; i++) {
        const tg_Matrix a = {(char *)A->storage->data + (size_t)tg_batch_offset(A, 2, i) * tg_itemsize(A->dtype),
                             A->strides[A->ndim - 2], A->strides[A->ndim - 1]};
        const tg_Matrix x = {tg_matrix_data(X, i), tg_columns(X), 1};
        const tg_Trsm left = {t->upper, t->unitriangular, tg_rows(X), tg_columns(X), a, x};
        const tg_Trsm right = {!t->upper, t->unitriangular, tg_columns(X), tg_rows(X), {a.data, a.column, a.row},
                               {x.data, x.column, x.row}};
        tg_trsm(tg_is_double(X), t->left ? &left : &right, tg_data(work));
    }
    return X;
}

/* torch.linalg.solve_triangular(A, B, upper=, left=True, unitriangular=False): X of A X = B, or of X A = B without
 * `left`, for the upper or lower triangle of A (..., n, n); B (..., n, m) or (..., m, n); batch dims broadcast.
 * Floating. unitriangular: the diagonal counts as ones and is not read. A 0 on the diagonal gives infinities and NaN,
 * as in PyTorch. dB = inverse(A)^T dX, dA = -dB X^T in that triangle. Errors: shapes, dtypes. Backward error: a few
 * eps |A| |X|, as LAPACK's trtrs; substitution in blocks of 32, all else in products. */
Tensor *linalg_solve_triangular(Tensor *A, Tensor *B, bool upper, bool left, bool unitriangular) {
    const Triangular t = {upper, left, unitriangular};
    if (!tg_check_two(A, B) || !tg_check_dtypes_of(A, B, "linalg.solve_triangular") ||
        !tg_check_equation(A, B, left, "linalg.solve_triangular"))
        return NULL;
    if (!tg_is_floating(A->dtype)) return tg_not_implemented("triangular_solve_cpu", A->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *X = depth ? solution(A, B, &t) : NULL;
    t_set_grad_enabled(grad_enabled);
    X = tg_record(&solve_triangular_op, X, INPUTS(A, B), SAVED(A, X), ATTRIBUTES(t));
    return tg_scope_return(depth, X);
}
