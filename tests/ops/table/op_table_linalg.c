/* tests/ops/table/op_table_linalg.c: torch.linalg (core/linalg). What is symmetric is made so of any matrix, x + x^T,
 * since PyTorch's gradients are those of symmetric changes. */
#include <math.h>

#include "core/linalg/linalg.h"
#include "tests/ops/table/op_table.h"

#define CALL(f) static t_TensorList *call_##f(const Call *c)
#define CALL_A(f) \
    CALL(f) { return list_of(f(c->x[0])); }

/* For calls that make their operands: only the outputs leave the scope. */
static t_TensorList *in_scope(const Call *c, t_TensorList *(*call)(const Call *c)) {
    int depth = t_scope_open();
    t_TensorList *y = depth ? t_keep_object(call(c)) : NULL;
    for (int64_t i = 0; y && i < y->len; i++) t_keep_object(y->items[i]);
    t_scope_close(depth);
    return y;
}
#define CALL_IN_SCOPE(f)                                                                     \
    static t_TensorList *scoped_##f(const Call *c);                                          \
    static t_TensorList *call_##f(const Call *c) { return in_scope(c, scoped_##f); }         \
    static t_TensorList *scoped_##f(const Call *c)

static Tensor *symmetric(const Call *c) {
    return t_add(c->x[0], t_mT(c->x[0]));
}
static t_TensorList *list2(Tensor *a, Tensor *b) {
    return a ? t_list_new((Tensor *[]){a, b}, 2) : NULL;
}
static t_TensorList *list3(Tensor *a, Tensor *b, Tensor *c) {
    return a ? t_list_new((Tensor *[]){a, b, c}, 3) : NULL;
}

/* ---- products ---- */

CALL(linalg_cross) { return list_of(linalg_cross(c->x[0], c->x[1], c->n[0])); }
CALL(linalg_vecdot) { return list_of(linalg_vecdot(c->x[0], c->x[1], c->n[0])); }
CALL(linalg_multi_dot) { return list_of(linalg_multi_dot(t_list_new(c->x, c->count))); }
CALL(linalg_matrix_power) { return list_of(linalg_matrix_power(c->x[0], c->n[0])); }
CALL(linalg_vander) { return list_of(linalg_vander(c->x[0], c->n[0])); }
CALL(linalg_diagonal) { return list_of(linalg_diagonal(c->x[0], c->n[0], c->n[1], c->n[2])); }

/* ---- solvers: numbers: right, check_errors ---- */

CALL(linalg_solve) { return list_of(linalg_solve(c->x[0], c->x[1], !c->n[0])); }
CALL(linalg_solve_ex) {
    Tensor *info = NULL, *X = linalg_solve_ex(c->x[0], c->x[1], !c->n[0], c->n[1], &info);
    return list2(X, info);
}
CALL_A(linalg_inv)
CALL(linalg_inv_ex) {
    Tensor *info = NULL, *Y = linalg_inv_ex(c->x[0], c->n[0], &info);
    return list2(Y, info);
}
/* Numbers: upper, right, unitriangular. */
CALL(linalg_solve_triangular) {
    return list_of(linalg_solve_triangular(c->x[0], c->x[1], c->n[0], !c->n[1], c->n[2]));
}
/* Numbers: how many dims and which. */
CALL(linalg_tensorsolve) { return list_of(linalg_tensorsolve(c->x[0], c->x[1], c->n + 1, (int)c->n[0])); }
CALL(linalg_tensorinv) { return list_of(linalg_tensorinv(c->x[0], c->n[0])); }

CALL_A(linalg_det)
CALL_A(t_logdet)
CALL(linalg_slogdet) {
    Tensor *log_of_abs = NULL, *sign = linalg_slogdet(c->x[0], &log_of_abs);
    return list2(sign, log_of_abs);
}

/* ---- LU ---- */

CALL(linalg_lu) {
    Tensor *L = NULL, *U = NULL, *P = linalg_lu(c->x[0], !c->n[0], &L, &U);
    return list3(P, L, U);
}
CALL(linalg_lu_factor) {
    Tensor *pivots = NULL, *LU = linalg_lu_factor(c->x[0], !c->n[0], &pivots);
    return list2(LU, pivots);
}
CALL(linalg_lu_factor_ex) {
    Tensor *pivots = NULL, *info = NULL, *LU = linalg_lu_factor_ex(c->x[0], true, c->n[0], &pivots, &info);
    return list3(LU, pivots, info);
}
/* Row exchanges for the first input, if they are not given: those of its rows in reverse. */
static Tensor *pivots_of(const Call *c, int given) {
    static const int64_t rows = -2;
    Tensor *pivots = NULL;
    if (c->count == given) return c->x[1];
    linalg_lu_factor_ex(t_flip(t_detach(c->x[0]), &rows, 1), true, false, &pivots, NULL);
    return pivots;
}
/* Numbers: right, adjoint. */
CALL_IN_SCOPE(linalg_lu_solve) {
    return list_of(linalg_lu_solve(c->x[0], pivots_of(c, 3), c->x[c->count - 1], !c->n[0], c->n[1]));
}
CALL_IN_SCOPE(t_lu_unpack) {
    Tensor *L = NULL, *U = NULL, *P = t_lu_unpack(c->x[0], pivots_of(c, 2), !c->n[0], !c->n[1], &L, &U);
    return list3(P, L, U);
}

/* ---- Cholesky: numbers: upper, check_errors ---- */

CALL_IN_SCOPE(linalg_cholesky) { return list_of(linalg_cholesky(symmetric(c), c->n[0])); }
CALL_IN_SCOPE(linalg_cholesky_ex) {
    Tensor *info = NULL, *L = linalg_cholesky_ex(symmetric(c), c->n[0], c->n[1], &info);
    return list2(L, info);
}
/* The triangle that counts; PyTorch's gradient has values in the other one, too. */
static Tensor *triangle(Tensor *x, bool upper) {
    return !x || t_dim(x) < 2 ? x : upper ? t_triu(x, 0) : t_tril(x, 0);
}
CALL_IN_SCOPE(t_cholesky_solve) { return list_of(t_cholesky_solve(c->x[0], triangle(c->x[1], c->n[0]), c->n[0])); }
CALL_IN_SCOPE(t_cholesky_inverse) { return list_of(t_cholesky_inverse(triangle(c->x[0], c->n[0]), c->n[0])); }

/* ---- QR, and functions of matrices ---- */

static const char *const modes[] = {"reduced", "complete", "r", "x"};
CALL(linalg_qr) {
    Tensor *R = NULL, *Q = linalg_qr(c->x[0], modes[c->n[0]], &R);
    return list2(Q, R);
}
CALL(linalg_ldl_factor) {
    Tensor *pivots = NULL, *LD = linalg_ldl_factor(c->x[0], &pivots);
    return LD ? t_list_new((Tensor *[]){LD, pivots}, 2) : NULL;
}
CALL(linalg_ldl_factor_ex) {
    Tensor *pivots = NULL, *info = NULL, *LD = linalg_ldl_factor_ex(c->x[0], c->n[0], &pivots, &info);
    return LD ? t_list_new((Tensor *[]){LD, pivots, info}, 3) : NULL;
}
/* Of the factors of the first input. */
CALL_IN_SCOPE(linalg_ldl_solve) {
    Tensor *pivots = NULL, *LD = linalg_ldl_factor_ex(c->x[0], false, &pivots, NULL);
    return list_of(linalg_ldl_solve(LD, pivots, c->x[1]));
}
CALL(linalg_polar) {
    Tensor *H = NULL, *U = linalg_polar(c->x[0], &H);
    return U ? t_list_new((Tensor *[]){U, H}, 2) : NULL;
}
CALL(t_geqrf) {
    Tensor *tau = NULL, *a = t_geqrf(c->x[0], &tau);
    return a ? t_list_new((Tensor *[]){a, tau}, 2) : NULL;
}
CALL(linalg_householder_product) { return list_of(linalg_householder_product(c->x[0], c->x[1])); }
/* Numbers: right, transpose. */
CALL(t_ormqr) {
    return list_of(t_ormqr(c->x[0], c->x[1], c->x[2], !c->n[0], c->n[1]));
}
/* The signs of vectors are free. Where there is no memory for their absolute values, the generator is restored. */
static t_TensorList *abs_of_factors(Tensor *state, Tensor *U, Tensor *S, Tensor *V) {
    t_TensorList *all = U ? list3(t_abs(U), S, t_abs(V)) : NULL;
    if (U && !all) t_set_rng_state(state);
    return all;
}
/* Numbers: q, niter. */
CALL_IN_SCOPE(t_svd_lowrank) {
    Tensor *state = t_get_rng_state(), *S = NULL, *V = NULL, *U = NULL;
    if (state) U = t_svd_lowrank(c->x[0], c->n[0], c->n[1], c->x[1], &S, &V);
    return abs_of_factors(state, U, S, V);
}
/* Numbers: q, or 0 for None; niter; not centred. */
CALL_IN_SCOPE(t_pca_lowrank) {
    Tensor *state = t_get_rng_state(), *S = NULL, *V = NULL, *U = NULL;
    if (state) U = t_pca_lowrank(c->x[0], c->n[0] ? c->n[0] : T_NONE, !c->n[2], c->n[1], &S, &V);
    return abs_of_factors(state, U, S, V);
}
/* Numbers: k, smallest, basic. With so few rows the vectors are exact after some steps. */
CALL_IN_SCOPE(t_lobpcg) {
    Tensor *x = c->x[0], *state = t_get_rng_state(), *X = NULL, *E = NULL;
    t_LobpcgOptions options = t_LobpcgDefaults;
    options.k = c->n[0];
    options.largest = !c->n[1];
    options.method = c->n[2] ? "basic" : "ortho";
    options.tol = c->real == t_float64 ? 1e-12 : 1e-6;
    options.niter = 12;
    options.eigenvectors = &X;
    if (state) E = t_lobpcg(t_size(x, -1) == t_size(x, -2) ? symmetric(c) : x, &options);
    t_TensorList *pairs = E ? list2(E, t_abs(X)) : NULL;
    if (E && !pairs) t_set_rng_state(state);
    return pairs;
}
/* of x / 4: the differences that check gradients have errors of the size of exp(x) */
CALL_IN_SCOPE(linalg_matrix_exp) {
    return list_of(linalg_matrix_exp(c->x[0] && t_is_floating_point(c->x[0]) ? t_div(c->x[0], t_number(4)) : c->x[0]));
}
CALL_IN_SCOPE(linalg_matrix_sqrth) { return list_of(linalg_matrix_sqrth(t_dim(c->x[0]) < 2 ? c->x[0] : symmetric(c))); }

/* ---- eigenvalues and singular values; the signs of vectors are free, and so are compared without them ---- */

static Tensor *symmetric_if_matrix(const Call *c) {
    return !c->x[0] || t_dim(c->x[0]) < 2 ? c->x[0] : symmetric(c);
}
/* Numbers: upper. */
CALL_IN_SCOPE(linalg_eigh) {
    Tensor *V = NULL, *L = linalg_eigh(symmetric_if_matrix(c), c->n[0] ? "U" : "L", &V);
    return list2(L, t_abs(V));
}
CALL_IN_SCOPE(linalg_eigvalsh) { return list_of(linalg_eigvalsh(symmetric_if_matrix(c), c->n[0] ? "U" : "L")); }
/* Numbers: reduced. */
CALL_IN_SCOPE(linalg_svd) {
    Tensor *S = NULL, *Vh = NULL, *U = linalg_svd(c->x[0], !c->n[0], &S, &Vh);
    return list3(t_abs(U), S, t_abs(Vh));
}
CALL_A(linalg_svdvals)
/* Numbers: all columns, not the vectors. */
CALL_IN_SCOPE(t_svd) {
    Tensor *S = NULL, *V = NULL, *U = t_svd(c->x[0], !c->n[0], !c->n[1], &S, &V);
    return list3(t_abs(U), S, t_abs(V));
}
/* Numbers: hermitian, atol and rtol in hundredths, 0: None. */
static double hundredths(int64_t n) {
    return n ? (double)n / 100 : (double)NAN;
}
CALL_IN_SCOPE(linalg_pinv) {
    Tensor *A = c->n[0] ? symmetric_if_matrix(c) : c->x[0];
    return list_of(linalg_pinv(A, hundredths(c->n[1]), hundredths(c->n[2]), c->n[0]));
}
CALL(t_pinverse) { return list_of(t_pinverse(c->x[0], 1e-15)); }
CALL_IN_SCOPE(linalg_matrix_rank) {
    Tensor *A = c->n[0] ? symmetric_if_matrix(c) : c->x[0];
    return list_of(linalg_matrix_rank(A, hundredths(c->n[1]), hundredths(c->n[2]), c->n[0]));
}
/* Numbers: driver. */
static const char *const drivers[] = {NULL, "gels", "gelsy", "gelsd", "gelss", "x"};
CALL(linalg_lstsq) {
    Tensor *residuals = NULL, *rank = NULL, *S = NULL;
    Tensor *X = linalg_lstsq(c->x[0], c->x[1], NAN, drivers[c->n[0]], &residuals, &rank, &S);
    return X ? t_list_new((Tensor *[]){X, residuals, rank, S}, 4) : NULL;
}
/* Orders: in halves; 99 and -99: infinite; 77: fro; 88: nuc; T_NONE: None. Then keepdim, how many dims and which. */
static double order(int64_t n) {
    return n == T_NONE ? (double)NAN : n == 77 ? T_FRO : n == 88 ? T_NUC : n == 99 ? (double)INFINITY
         : n == -99 ? -(double)INFINITY : (double)n / 2;
}
CALL(linalg_norm) { return list_of(linalg_norm(c->x[0], order(c->n[0]), c->n + 3, (int)c->n[2], c->n[1], 0)); }
CALL(linalg_matrix_norm) {
    return list_of(linalg_matrix_norm(c->x[0], order(c->n[0]), c->n + 3, (int)c->n[2], c->n[1], 0));
}
CALL(linalg_cond) { return list_of(linalg_cond(c->x[0], order(c->n[0]))); }

/* ---- cases ---- */

static const OpCase cross_cases[] = {
    {"r(3) r(3)", {-1}}, {"r(2,3) r(2,3)", {-1}}, {"r(3,2) r(3,1)", {0}}, {"r(2,1,3) r(1,2,3)", {-1}},
    {"r(2,3,1,2) r(2,3,1,2)", {1}}, {"r(2,1,2,1,3) r(2,1,2,1,3)", {-1}}, {"r(0,3) r(0,3)", {-1}}, {NULL},
};
static const OpCase vecdot_cases[] = {
    {"r(4) r(4)", {-1}}, {"r() r()", {-1}}, {"r(2,3) r(3)", {-1}}, {"r(2,3) r(2,1)", {0}}, {"r(2,1,3) r(4,3)", {-1}},
    {"r(2,1,2,3) R(3)", {2}}, {"r(2,1,2,1,3) r(3)", {-1}}, {"r(2,0) r(2,0)", {-1}}, {NULL},
};
static const OpCase multi_dot_cases[] = {
    {"r(2,3) r(3,4)"}, {"r(2,3) r(3,4) r(4,1)"}, {"r(4,1) r(1,4) r(4,2) r(2,3)"}, {"r(3) r(3,2) r(2,4)"},
    {"r(2,3) r(3,2) r(2)"}, {"r(3) r(3,2) r(2)"}, {"r(3) r(3)"}, {"r(2,0) r(0,3) r(3,2)"}, {"i(2,3) i(3,2) i(2,2)"},
    {NULL},
};
static const OpCase matrix_power_cases[] = {
    {"r(3,3)", {0}}, {"r(3,3)", {1}}, {"r(3,3)", {2}}, {"r(2,2)", {3}}, {"r(2,2,2)", {5}}, {"r(1,2,2,2)", {4}},
    {"r(2,1,1,2,2)", {3}}, {"r(0,0)", {2}}, {"i(2,2)", {3}}, {"m(3,3)", {-1}}, {"m(2,2,2)", {-3}}, {NULL},
};
static const OpCase linalg_vander_cases[] = {
    {"r(3)", {T_NONE}}, {"r(3)", {5}}, {"r(2,3)", {T_NONE}}, {"r(2,1,3)", {2}}, {"r(2,1,2,2)", {3}},
    {"r(1,2,1,2,2)", {T_NONE}}, {"r()", {3}}, {"r(0)", {3}}, {"i(2,3)", {T_NONE}}, {NULL},
};
static const OpCase diagonal_cases[] = {
    {"r(3,4)", {0, -2, -1}}, {"r(2,3,4)", {1, -2, -1}}, {"r(2,1,3,2)", {-1, -2, -1}}, {"r(2,1,2,3,2)", {0, 0, 3}},
    {"r(0,3)", {0, -2, -1}}, {NULL},
};
#define SQUARE {"m(1,1)"}, {"m(3,3)"}, {"m(2,2,2)"}, {"m(2,1,3,3)"}, {"m(1,2,1,2,2)"}, {"m(0,0)"}, {"m(2,0,0)"}, \
    {"m(0,3,3)"}, {"M(2,2)"}
static const OpCase square_cases[] = {SQUARE, {"r(4,4)"}, {NULL}};
static const OpCase inv_ex_cases[] = {SQUARE, {"R(3,3)", {1}}, {NULL}};
/* det is positive */
static const OpCase logdet_cases[] = {SQUARE, {NULL}};
static const OpCase solve_cases[] = {
    {"m(1,1) r(1)"}, {"m(3,3) r(3)"}, {"m(3,3) r(3,2)"}, {"m(3,3) r(2,3)", {1}}, {"m(2,3,3) r(2,3)"},
    {"m(2,1,3,3) r(4,3,2)"}, {"m(3,3) r(2,3,1)"}, {"m(2,3,3) r(4,3)", {1}}, {"m(1,2,1,2,2) r(2,3)"}, {"m(0,0) r(0)"},
    {"m(2,0,0) r(0,3)"}, {"m(2,2) r(2,0)"}, {"M(3,3) r(3)"}, {"m(2,2) R(2,2)"}, {"r(4,4) r(4,2)"}, {NULL},
};
static const OpCase solve_ex_cases[] = {
    {"m(3,3) r(3)"}, {"m(2,3,3) r(3,2)", {0, 1}}, {"m(2,1,2,2) r(3,2)", {1}}, {"m(1,2,1,2,2) r(2,1)"},
    {"m(0,0) r(0,2)"}, {NULL},
};
static const OpCase triangular_cases[] = {
    {"m(1,1) r(1,1)", {1}}, {"m(3,3) r(3,2)", {1}}, {"m(3,3) r(3,2)"}, {"m(3,3) r(2,3)", {1, 1}},
    {"m(3,3) r(2,3)", {0, 1}}, {"m(3,3) r(3,2)", {1, 0, 1}}, {"m(3,3) r(2,3)", {0, 1, 1}}, {"m(2,1,2,2) r(3,2,1)"},
    {"m(2,2,2) r(2,3)", {1}}, {"m(1,2,1,2,2) r(2,2)"}, {"m(0,0) r(0,2)", {1}}, {"m(2,0,0) r(0,3)"}, {"m(2,2) r(2,0)"},
    {"M(3,3) r(3,1)", {1}}, {"m(3,3) R(3,1)", {1}}, {NULL},
};
static const OpCase tensorsolve_cases[] = {
    {"m(3,3) r(3)"}, {"r(2,2,4) r(2,2)"}, {"r(4,2,2) r(4)"}, {"r(2,4,2) r(2,2)", {1, 1}}, {"r(2,3,1,6) r(2,3)"},
    {"r(2,1,2,2,2) r(2,1,2)"}, {"m(0,0) r(0)"}, {NULL},
};
static const OpCase tensorinv_cases[] = {
    {"m(3,3)", {1}}, {"r(2,2,4)", {2}}, {"r(4,2,2)", {1}}, {"r(2,2,4,1)", {2}}, {"r(2,1,2,2,2)", {3}}, {"m(0,0)", {1}},
    {NULL},
};
#define RECTANGULAR {"r(1,1)"}, {"r(3,3)"}, {"r(4,3)"}, {"r(3,4)"}, {"m(2,2,3)"}, {"m(2,1,3,2)"}, {"r(1,2,1,2,2)"}, \
    {"r(0,0)"}, {"r(0,3)"}, {"r(3,0)"}, {"r(2,0,2)"}, {"r(0,2,2)"}, {"R(3,2)"}
static const OpCase rectangular_cases[] = {RECTANGULAR, {NULL}};
static const OpCase lu_factor_cases[] = {{"r(3,3)"}, {"r(4,3)"}, {"r(3,4)"}, {"m(2,2,3)"}, {"m(2,1,3,2)"},
    {"r(1,2,1,2,2)"}, {"r(0,0)"}, {"r(0,3)"}, {"r(2,3,0)"}, {"r(0,2,2)"}, {"R(3,2)"}, {NULL}};
static const OpCase lu_solve_cases[] = {
    {"m(1,1) r(1,2)"}, {"m(3,3) r(3,2)"}, {"m(3,3) r(3,2)", {0, 1}}, {"m(3,3) r(2,3)", {1}}, {"m(3,3) r(2,3)", {1, 1}},
    {"m(2,3,3) r(3,1)"}, {"m(2,1,2,2) r(3,2,2)"}, {"m(1,2,1,2,2) r(2,1)"}, {"m(0,0) r(0,2)"}, {"M(2,2) r(2,1)"},
    {"M(2,2) R(3,2)", {1}}, {"m(2,0,0) R(0,3)", {0, 1}}, {NULL},
};
static const OpCase lu_unpack_cases[] = {RECTANGULAR, {"R(3,2)", {1, 0}}, {"r(3,2)", {0, 1}}, {NULL}};
static const OpCase cholesky_cases[] = {SQUARE, {"m(3,3)", {1}}, {"m(2,2,2)", {1}}, {NULL}};
static const OpCase cholesky_ex_cases[] = {SQUARE, {"m(3,3)", {1, 1}}, {NULL}};
static const OpCase cholesky_solve_cases[] = {
    {"r(1,2) m(1,1)"}, {"r(3,2) m(3,3)"}, {"r(3,2) m(3,3)", {1}}, {"r(2,2,1) m(2,2)"}, {"r(2,1,3,2) m(2,3,3)", {1}},
    {"r(1,2,1,2,2) m(2,2)"}, {"r(0,2) m(0,0)"}, {"r(2,0,3) m(0,0)"}, {"R(2,1) m(2,2)"}, {"r(2,1) M(2,2)"}, {NULL},
};
static const OpCase cholesky_inverse_cases[] = {SQUARE, {"m(3,3)", {1}}, {NULL}};

#define TALL_OR_WIDE {"m(1,1)"}, {"m(3,3)"}, {"m(4,3)"}, {"m(3,4)"}, {"m(2,2,3)"}, {"m(2,1,3,2)"}, \
    {"m(1,2,1,2,2)"}, {"r(0,0)"}, {"r(0,3)"}, {"r(3,0)"}, {"r(2,0,2)"}, {"r(0,2,2)"}, {"M(3,2)"}
static const OpCase qr_cases[] = {
    RECTANGULAR, {"r(3,3)", {1}}, {"r(3,4)", {1}}, {"R(4,3)", {1}}, {"R(4,3)", {2}}, {"R(2,2,3)", {2}}, {"r(0,3)", {1}},
    {NULL},
};
static const OpCase ldl_cases[] = {{"M(3,3)"}, {"R(4,4)"}, {"R(5,5)"}, {"R(1,1)"}, {"R(3,4,4)"}, {"R(1,2,3,3)"},
                                   {"R(0,3,3)"}, {"R(1,2,1,2,2)"}, {NULL}};
static const OpCase ldl_solve_cases[] = {{"R(4,4) R(4,2)"}, {"M(3,3) R(3,1)"}, {"R(2,5,5) R(2,5,3)"},
                                         {"R(2,1,2,2) R(2,1,2,1)"}, {"R(0,3,3) R(0,3,2)"},
                                         {"R(1,2,1,3,3) R(1,2,1,3,2)"}, {NULL}};
static const OpCase polar_cases[] = {{"m(3,3)"}, {"m(5,3)"}, {"m(2,3,2)"}, {"M(1,2,3,3)"}, {"m(0,3,2)"},
                                     {"m(1,2,1,3,2)"}, {NULL}};
static const OpCase geqrf_cases[] = {{"M(4,3)"}, {"R(3,5)"}, {"R(2,4,4)"}, {"R(2,1,3,2)"}, {"R(0,3,2)"},
                                     {"R(1,2,1,2,2)"}, {NULL}};
static const OpCase householder_cases[] = {
    {"r(1,1) p(1)"}, {"r(3,3) p(3)"}, {"r(4,3) p(3)"}, {"r(4,3) p(2)"}, {"r(2,3,2) p(2,2)"}, {"r(2,1,3,2) p(2,1,2)"},
    {"r(1,2,1,2,2) p(1,2,1,1)"}, {"R(4,3) P(3)"}, {"R(4,3) p(3)"}, {"R(0,0) P(0)"}, {"R(3,0) P(0)"},
    {"R(3,2) P(0)"}, {NULL},
};
static const OpCase ormqr_cases[] = {
    {"r(1,1) p(1) r(1,1)"},
    {"r(3,3) p(3) r(3,2)"},
    {"r(4,3) p(3) r(4,2)", {0, 1}},
    {"r(3,4) p(3) r(3,2)"},
    {"r(4,3) p(3) r(2,4)", {1}},
    {"r(4,3) p(3) r(2,4)", {1, 1}},
    {"r(2,3,2) p(2,2) r(2,3,4)"},
    {"r(2,1,3,2) p(2,1,2) r(2,1,3,1)"},
    {"r(1,2,1,2,2) p(1,2,1,2) r(1,2,1,3,2)", {1}},
    {"R(4,3) p(3) R(4,2)"},
    {"R(3,0) P(0) r(3,2)"},
    {"r(3,2) p(2) r(3,0)"},
    {NULL},
};
static const OpCase svd_lowrank_cases[] = {
    {"m(3,3) -", {2, 2}},      {"m(4,3) -", {3, 2}},
    {"m(3,5) -", {2, 1}},      {"m(4,3) R(3)", {2, 0}},
    {"r(5,4) r(5,4)", {1, 3}}, {"m(2,4,3) -", {2, 2}},
    {"m(2,1,3,2) -", {2, 2}},  {"m(1,2,1,3,2) -", {1, 2}},
    {"r(0,3) -", {0, 2}},      {NULL},
};
static const OpCase pca_lowrank_cases[] = {
    {"m(5,3)", {2, 2}},       {"m(3,5)", {2, 2}},    {"m(4,4)", {0, 2, 1}},
    {"m(5,3)", {3, 0, 1}},    {"m(2,4,3)", {2, 2}},  {"m(2,1,4,2)", {1, 2}},
    {"m(1,2,1,3,2)", {1, 2}}, {"r(3,0)", {0, 2, 1}}, {NULL},
};
static const OpCase lobpcg_cases[] = {
    {"m(3,3)", {1}},        {"m(6,6)", {2, 1}},    {"m(4,4)", {1, 0, 1}}, {"m(2,4,4)", {1}},
    {"m(2,1,3,3)", {1, 1}}, {"m(1,2,1,3,3)", {1}}, {"r(0,6,6)", {2}},     {NULL},
};
static const OpCase exp_cases[] = {SQUARE, {"r(4,4)"}, {NULL}};
static const OpCase eigh_cases[] = {SQUARE, {"m(3,3)", {1}}, {"r(4,4)"}, {NULL}};
static const OpCase svd_cases[] = { /* the columns beyond the first min(m, n) have no gradient */
    {"m(1,1)"}, {"m(3,3)"}, {"M(4,3)"}, {"M(3,4)"}, {"m(4,3)", {1}}, {"m(3,4)", {1}}, {"m(2,2,3)", {1}},
    {"m(2,1,3,2)", {1}}, {"m(1,2,1,2,2)"}, {"r(0,0)"}, {"r(0,3)", {1}}, {"r(3,0)", {1}}, {"r(2,0,2)"}, {"r(0,2,2)"},
    {NULL},
};
static const OpCase torch_svd_cases[] = {TALL_OR_WIDE, {"M(4,3)", {1}}, {"M(3,4)", {1}}, {"M(4,3)", {0, 1}}, {NULL}};
static const OpCase svdvals_cases[] = {TALL_OR_WIDE, {NULL}};
static const OpCase pinv_cases[] = {
    TALL_OR_WIDE, {"m(3,3)", {1}}, {"m(2,2,2)", {1}}, {"M(3,3)", {0, 200}}, {"M(3,3)", {0, 0, 70}},
    {"M(3,3)", {1, 300, 30}}, {NULL},
};
static const OpCase pinverse_cases[] = {TALL_OR_WIDE, {NULL}};
static const OpCase rank_cases[] = {
    TALL_OR_WIDE, {"m(3,3)", {1}}, {"m(4,4)", {0, 350}}, {"m(4,4)", {0, 0, 60}}, {"m(2,3,3)", {1, 500, 10}}, {NULL},
};
static const OpCase lstsq_cases[] = {
    {"m(1,1) r(1,1)"}, {"m(4,3) r(4,2)"}, {"m(4,3) r(4)"}, {"m(3,4) r(3,2)"}, {"m(4,3) r(4,2)", {1}},
    {"m(3,4) r(3,2)", {1}}, {"m(3,3) r(3)", {2}}, {"m(4,3) r(4,2)", {3}}, {"m(4,3) r(4)", {3}},
    {"m(2,4,3) r(2,4)", {3}},
    {"m(2,1,4,3) r(1,2,4,2)", {4}}, {"m(1,2,1,3,2) r(1,2,1,3,1)"}, {"M(4,3) R(4,2)", {1}}, {"R(0,3) R(0,2)"},
    {"M(3,2) r(3,2)"}, {NULL},
};
#define NORMS {"s(3,4)", {77}}, {"s(3,4)", {2}}, {"s(3,4)", {-2, 1}}, {"s(3,4)", {99}}, {"s(3,4)", {-99, 1}}, \
    {"m(3,4)", {4}}, {"m(3,3)", {-4, 1}}, {"m(4,3)", {88}}, {"s(2,3,4)", {2, 0, 2, 0, 1}}, \
    {"s(2,3,4)", {2, 0, 2, 1, 0}}, {"s(2,3,4)", {99, 1, 2, 2, 0}}, {"m(3,2,3)", {88, 1, 2, 2, 0}}, \
    {"s(2,1,3,2)", {-2, 0, 2, 3, -2}}, {"s(2,1,2,3,2)", {77, 0, 2, 0, 3}}, {"r(0,3)", {77}}, {"r(0,3)", {2}}, \
    {"r(3,0)", {99}}, {"r(0,3)", {88}}, {"R(0,3)", {4}}
static const OpCase matrix_norm_cases[] = {NORMS, {"m(2,3,3)", {88}}, {"s(2,2,3)", {2}}, {NULL}};
static const OpCase linalg_norm_cases[] = {
    NORMS, {"s()", {T_NONE}}, {"s(5)", {T_NONE}}, {"s(5)", {6}}, {"s(2,3)", {T_NONE}}, {"s(2,3,2)", {T_NONE}},
    {"s(2,3,2)", {T_NONE, 1, 1, 1}}, {"s(2,3)", {2, 0, 1, -1}}, {"s(2,3,2)", {T_NONE, 0, 2, 0, 1}}, {NULL},
};
static const OpCase cond_cases[] = { /* PyTorch's backward fails for orders other than 2 and -2 */
    {"M(1,1)", {T_NONE}}, {"m(3,3)", {T_NONE}}, {"m(3,4)", {4}}, {"m(2,3,2)", {-4}}, {"M(2,1,3,3)", {77}},
    {"M(1,2,1,2,2)", {2}}, {"M(3,3)", {-2}}, {"M(3,3)", {99}}, {"M(3,3)", {-99}}, {"M(3,3)", {88}}, {"r(0,0)", {77}},
    {"r(2,0,0)", {T_NONE}}, {"r(0,3,3)", {2}}, {NULL},
};

/* ---- errors ---- */

#define NOT_SQUARE(f) \
    {"r(3,4)", {0}, f ": A must be batches of square matrices, but they are 3 by 4 matrices"}, \
    {"r(3)", {0}, f ": The input tensor A must have at least 2 dimensions."}
#define INTEGERS(f) {"i(3,3)", {0}, f ": Expected a floating point or complex tensor as input. Got Long"}
static const OpError none[] = {{NULL}};
static const OpError cross_errors[] = {
    {"r(3) r(2,3)", {-1}, "linalg.cross: inputs must have the same number of dimensions."},
    {"r(4) r(4)", {-1}, "linalg.cross: inputs dimension -1 must have length 3. Got 4 and 4"},
    {NULL},
};
static const OpError vecdot_errors[] = {
    {"r(2,3) r(4)", {-1}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"},
    {"i(3) i(3)", {-1}, "linalg.vecdot: Expected a floating point or complex tensor as input. Got Long"},
    {"f(3) d(3)", {-1}, "linalg.vecdot: Expected x and y to have the same dtype, but found x of type Float and y of "
                        "type Double instead"},
    {"r(2,3) r(2,3)", {2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
    {NULL},
};
static const OpError multi_dot_errors[] = {
    {"", {0}, "multi_dot(): expected at least 2 tensors but got 0"},
    {"r(2,3)", {0}, "multi_dot(): expected at least 2 tensors but got 1"},
    {"r(2,3) r(4,4) r(4,5)", {0}, "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4, 4] cannot be multiplied"},
    {"r(4) r(3,3) r(3)", {0}, "multi_dot(): tensors 0 and 1 with shapes [4] and [3, 3] cannot be multiplied"},
    {"r(2,3) r(3) r(3,5)", {0}, "multi_dot(): tensor 1 must be 2D but got 1D"},
    {"r(2,2,3) r(3,3)", {0}, "multi_dot(): the first tensor must be 1D or 2D but got 3D"},
    {"r(2,3) r(3,3,2)", {0}, "multi_dot(): the last tensor must be 1D or 2D but got 3D"},
    {"f(2,3) d(3,3)", {0}, "multi_dot(): all tensors must have be the same dtype but tensor 0 is float and tensor 1 "
                           "double"},
    {NULL},
};
#define SINGULAR(f, k) f ": The diagonal element " k " is zero, the inversion could not be completed because the " \
    "input matrix is singular."
static const OpError matrix_power_errors[] = {
    {"r(3,4)", {2}, "linalg.matrix_power: A must be batches of square matrices, but they are 3 by 4 matrices"},
    {"r(3)", {2}, "linalg.matrix_power: The input tensor A must have at least 2 dimensions."},
    {"k1(3,3)", {-2}, "linalg.inv: Expected a floating point or complex tensor as input. Got Long"},
    {NULL},
};
static const OpError linalg_vander_errors[] = {
    {"r(3)", {1}, "N must be greater than 1."},
    {"r()", {T_NONE}, "N must be greater than 1."},
    {"b(3)", {3}, "linalg.vander supports floating point, complex, and integer tensors, but got Bool"},
    {NULL},
};
#define INCOMPATIBLE(f, equation, shapes) \
    f ": Incompatible shapes of A and B for the equation " equation " = B (" shapes ")"
#define SOLVE_ERRORS(f) \
    {"m(3,3) r(4,2)", {0}, INCOMPATIBLE(f, "AX", "3x3 and 4x2")}, \
    {"m(3,3) r(4,2)", {0, 1}, INCOMPATIBLE(f, "AX", "3x3 and 4x2")}, \
    {"f(3,3) d(3,2)", {0}, f ": Expected A and B to have the same dtype, but found A of type Float and B of type " \
                           "Double instead"}, \
    {"r(3,4) r(3,2)", {0}, f ": A must be batches of square matrices, but they are 3 by 4 matrices"}, \
    {"r(3) r(3,2)", {0}, f ": The input tensor A must have at least 2 dimensions."}, \
    {"i(3,3) i(3,2)", {0}, f ": Expected a floating point or complex tensor as input. Got Long"}, \
    {"m(2,3,3) r(4,3,1)", {0}, \
     "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 0"}
static const OpError solve_errors[] = {
    SOLVE_ERRORS("linalg.solve"),
    {"m(3,3) r(4,2)", {1}, INCOMPATIBLE("linalg.solve", "XA", "3x3 and 4x2")},
    {"m(3,3) r(4)", {0}, INCOMPATIBLE("linalg.solve", "AX", "3x3 and 4x1")},
    {"m(3,3) r(3)", {1}, INCOMPATIBLE("linalg.solve", "XA", "3x3 and 3x1")},
    {"m(3,3) r()", {0}, "linalg.solve: The input tensor B must have at least 2 dimensions."},
    {NULL},
};
static const OpError solve_ex_errors[] = {SOLVE_ERRORS("linalg.solve"), {NULL}};
static const OpError inv_errors[] = {NOT_SQUARE("linalg.inv"), INTEGERS("linalg.inv"), {NULL}};
static const OpError det_errors[] = {NOT_SQUARE("linalg.det"), INTEGERS("linalg.det"), {NULL}};
static const OpError slogdet_errors[] = {NOT_SQUARE("linalg.slogdet"), INTEGERS("linalg.slogdet"), {NULL}};
static const OpError logdet_errors[] = {NOT_SQUARE("logdet"), {NULL}};
static const OpError triangular_errors[] = {
    {"m(3,3) r(4,2)", {1}, INCOMPATIBLE("linalg.solve_triangular", "AX", "3x3 and 4x2")},
    {"m(3,3) r(4,2)", {1, 1}, INCOMPATIBLE("linalg.solve_triangular", "XA", "3x3 and 4x2")},
    {"m(3,3) r(3)", {1}, "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."},
    {"r(3) r(3,2)", {1}, "linalg.solve_triangular: The input tensor A must have at least 2 dimensions."},
    {"r(3,4) r(3,2)", {1},
     "linalg.solve_triangular: A must be batches of square matrices, but they are 3 by 4 matrices"},
    {"i(3,3) i(3,3)", {1}, "\"triangular_solve_cpu\" not implemented for 'Long'"},
    {"m(2,3,3) r(4,3,1)", {1},
     "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 0"},
    {NULL},
};
static const OpError tensorsolve_errors[] = {
    {"r(2,3,5) r(2,3)", {0}, "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                             "prod(self.shape[:other.ndim]), but got 5 != 6"},
    {NULL},
};
static const OpError tensorinv_errors[] = {
    {"r(4,6,8,2)", {2}, "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
                        "but got 16 != 24"},
    {"r(4,4)", {0}, "Expected a strictly positive integer for 'ind', but got 0"},
    {"r(2,2,4)", {5}, "ArrayRef: invalid slice, N = 5; size = 3"},
    {NULL},
};
static const OpError lu_errors[] = {
    {"r(3)", {0}, "linalg.lu: Expected tensor with 2 or more dimensions. Got size: [3] instead"},
    {"i(3,3)", {0}, "\"lu_cpu\" not implemented for 'Long'"},
    {"r(3,3)", {1}, "linalg.lu_factor: LU without pivoting is not implemented on the CPU"},
    {NULL},
};
static const OpError lu_factor_errors[] = {
    {"r(3)", {0}, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: [3] instead"},
    {"i(3,3)", {0}, "\"lu_cpu\" not implemented for 'Long'"},
    {"r(3,3)", {1}, "linalg.lu_factor: LU without pivoting is not implemented on the CPU"},
    {NULL},
};
static const OpError lu_factor_ex_errors[] = {
    {"r(3)", {0}, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: [3] instead"},
    {"i(3,3)", {0}, "\"lu_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError lu_solve_errors[] = {
    {"m(3,3) r(4,2)", {0}, INCOMPATIBLE("linalg.lu_solve", "AX", "3x3 and 4x2")},
    {"m(3,3) r(4,2)", {1}, INCOMPATIBLE("linalg.lu_solve", "XA", "3x3 and 4x2")},
    {"m(3,3) r(3)", {0}, "linalg.lu_solve: The input tensor B must have at least 2 dimensions."},
    {"m(2,3,3) r(4,3,2)", {0},
     "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 0"},
    {"m(3,3) i(3) r(3,2)", {0}, "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32"},
    {NULL},
};
static const OpError lu_unpack_errors[] = {
    {"m(3,3) R(3)", {0},
     "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function is "
     "intended to be used with the output produced by torch.linalg.lu_factor"},
    {NULL},
};
static const OpError cholesky_errors[] = {
    {"r(2,3,3)", {0}, "linalg.cholesky: (Batch element 0): The factorization could not be completed because the input "
                      "is not positive-definite (the leading minor of order 1 is not positive-definite)."},
    {"i(3,3)", {0}, "linalg.cholesky: Expected a floating point or complex tensor as input. Got Long"},
    {NULL},
};
static const OpError cholesky_solve_errors[] = {
    {"r(4,2) m(3,3)", {0},
     "Incompatible matrix sizes for cholesky_solve: each A matrix is 3 by 3 but each b matrix is 4 by 2"},
    {"r(3) m(3,3)", {0}, "b should have at least 2 dimensions, but has 1 dimensions instead"},
    {"r(3,1) r(3)", {0}, "u should have at least 2 dimensions, but has 1 dimensions instead"},
    {"r(3,1) r(3,4)", {0}, "A must be batches of square matrices, but they are 3 by 4 matrices"},
    {"d(3,1) f(3,3)", {0}, "Expected b and A to have the same dtype, but found b of type Double and A of type Float "
                           "instead."},
    {"i(3,1) i(3,3)", {0}, "\"cholesky_solve_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError cholesky_inverse_errors[] = {
    NOT_SQUARE("cholesky_inverse"),
    {"i(3,3)", {0}, "\"cholesky_inverse_out_cpu\" not implemented for 'Long'"},
    {NULL},
};

static const OpError qr_errors[] = {
    {"r(3)", {0}, "linalg.qr: The input tensor A must have at least 2 dimensions."},
    INTEGERS("linalg.qr"),
    {"r(3,3)", {3}, "qr received unrecognized mode 'x' but expected one of 'reduced' (default), 'r', or 'complete'"},
    {NULL},
};
#define LDL_EX "torch.linalg.ldl_factor_ex: "
static const OpError ldl_errors[] = {
    {"R(3)", {0}, LDL_EX "The input tensor A must have at least 2 dimensions."},
    {"R(2,3)", {0}, LDL_EX "A must be batches of square matrices, but they are 2 by 3 matrices"},
    {"i(3,3)", {0}, LDL_EX "Expected a floating point or complex tensor as input. Got Long"}, {NULL}};
static const OpError ldl_solve_errors[] = {
    {"R(2,2) R(2)", {0}, "Dimension out of range (expected to be in range of [-1, 0], but got -2)"},
    {"R(2,2) R(3,1)", {0}, "Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is 2 by 2 but each b "
                           "matrix is 3 by 1"}, {NULL}};
static const OpError polar_errors[] = {
    {"r(3)", {0}, "linalg.polar: The input tensor A must have at least 2 dimensions."},
    {"r(2,3)", {0}, "linalg.polar: input must have at least as many rows as columns, but got 2 by 3 matrices"},
    {"i(3,3)", {0}, "linalg.polar: Expected a floating point or complex tensor as input. Got Long"}, {NULL}};
static const OpError geqrf_errors[] = {
    {"R(3)", {0}, "torch.geqrf: input must have at least 2 dimensions."},
    {"i(3,3)", {0}, "\"geqrf_cpu\" not implemented for 'Long'"},
    {"r(3,3)", {0}, "the derivative for 'geqrf' is not implemented."}, {NULL}};
#define HOUSEHOLDER "torch.linalg.householder_product: "
static const OpError householder_errors[] = {
    {"r(3) r(3)", {0}, HOUSEHOLDER "input must have at least 2 dimensions."},
    {"r(3,4) r(3)", {0}, HOUSEHOLDER "input.shape[-2] must be greater than or equal to input.shape[-1]"},
    {"r(4,3) r(4)", {0}, HOUSEHOLDER "input.shape[-1] must be greater than or equal to tau.shape[-1]"},
    {"r(2,4,3) r(3,3)", {0},
     HOUSEHOLDER "Expected batch dimensions of tau to be equal to input.shape[:-2], but got [3]"},
    {"f(4,3) d(3)", {0}, HOUSEHOLDER "tau dtype Double does not match input dtype Float"},
    {"i(3,3) i(3)", {0}, "\"orgqr_cpu\" not implemented for 'Long'"},
    {NULL},
};
#define ORMQR "torch.ormqr: "
static const OpError ormqr_errors[] = {
    {"r(3) r(2) r(3,2)", {0}, ORMQR "input must have at least 2 dimensions."},
    {"r(3,2) r(2) r(3)", {0}, ORMQR "other must have at least 2 dimensions."},
    {"r(3,2) r(4) r(3,2)", {0}, ORMQR "tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1])"},
    {"r(3,2) r(2) r(4,2)", {0}, ORMQR "other.shape[-2] must be equal to input.shape[-2]"},
    {"r(3,2) r(2) r(2,2)", {1}, ORMQR "other.shape[-1] must be equal to input.shape[-2]"},
    {"r(3,2) r(2,2) r(3,2)",
     {0},
     ORMQR "Expected tau to have one dimension less than input, but got tau.ndim equal to "
           "2 and input.ndim is equal to 2"},
    {"r(2,3,2) r(3,2) r(2,3,2)",
     {0},
     ORMQR "Expected batch dimensions of tau to be equal to input.shape[:-2], but got [3]"},
    {"r(2,3,2) r(2,2) r(3,3,2)",
     {0},
     ORMQR "Expected batch dimensions of other to be equal to input.shape[:-2], but got [3]"},
    {"f(3,2) d(2) f(3,2)",
     {0},
     ORMQR "Expected input and tau to have the same dtype, but input has dtypeFloat and tau "
           "has dtype Double"},
    {"i(3,2) i(2) i(3,2)", {0}, "\"ormqr_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError svd_lowrank_errors[] = {
    {"r(3) -", {2, 2}, "torch.svd_lowrank: The input tensor A must have at least 2 dimensions."},
    {NULL},
};
static const OpError pca_lowrank_errors[] = {
    {"r(3,4)", {7, 2}, "q(=7) must be non-negative integer and not greater than min(m, n)=3"},
    {"r(3,4)", {2, -1}, "niter(=-1) must be non-negative integer"},
    {NULL},
};
static const OpError lobpcg_errors[] = {
    {"r(3,4)", {1}, "A must be square, got shape torch.Size([3, 4])"},
    {"r(5,5)", {2}, "LOBPCG algorithm is not applicable when the number of A rows (=5) is smaller than 3 x the number "
                    "of requested eigenpairs (=2)"},
    {NULL},
};
static const OpError exp_errors[] = {NOT_SQUARE("linalg.matrix_exp"), INTEGERS("linalg.matrix_exp"), {NULL}};
static const OpError eigh_errors[] = {
    {"r(3)", {0}, "linalg.eigh: The input tensor A must have at least 2 dimensions."},
    {"i(3,3)", {0}, "\"linalg_eigh_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError svd_errors[] = {
    {"r(3)", {0}, "linalg.svd: The input tensor A must have at least 2 dimensions."}, INTEGERS("linalg.svd"), {NULL}};
static const OpError torch_svd_errors[] = {
    {"r(3)", {0}, "linalg.svd: input should have at least 2 dimensions, but has 1 dimensions instead"},
    INTEGERS("linalg.svd"), {NULL}};
static const OpError pinv_errors[] = {
    {"i(3,3)", {0}, "linalg.pinv(Long{[3, 3]}): expected a tensor with 2 or more dimensions of float, double, cfloat "
                    "or cdouble types"},
    {"r(3)", {0}, "linalg.pinv(Float{[3]}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
                  "cdouble types"},
    {NULL},
};
static const OpError rank_errors[] = {
    {"r(3)", {0}, "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."},
    {"i(3,3)", {0}, "This function doesn't handle types other than float and double"},
    {NULL},
};
#define LSTSQ "torch.linalg.lstsq: "
static const OpError lstsq_errors[] = {
    {"r(4,3) r(5,2)", {0}, LSTSQ "input.size(-2) should match other.size(-2)"},
    {"r(4,3) r(4,2)", {5}, LSTSQ "parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"},
    {"r(2,4,3) r(3,4,2)", {0},
     "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"f(4,3) d(4,2)", {0}, LSTSQ "Expected input and other to have the same dtype, but got input's dtype Float and "
                           "other's dtype Double"},
    {"r(3) r(3)", {0}, LSTSQ "input must have at least 2 dimensions."},
    {"r(3,3) r()", {0}, LSTSQ "other must have at least 1 dimension."},
    {"r(2,4,3) r(4)", {0},
     LSTSQ "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"},
    {"i(3,3) i(3,3)", {0}, "This function doesn't handle types other than float and double"},
    {NULL},
};
#define MATRIX_NORM "linalg.matrix_norm: "
#define MATRIX_NORM_ERRORS \
    {"r(3,3)", {6}, MATRIX_NORM "Order 3 not supported."}, \
    {"r(2,3,4)", {2, 0, 2, 0, 0}, MATRIX_NORM "dims must be different. Got (0, 0)"}, \
    {"r(2,3,4)", {77, 0, 1, 0}, MATRIX_NORM "dim must be a 2-tuple. Got 0"}, \
    {"r(2,3)", {2, 0, 2, 0, 5}, "Dimension out of range (expected to be in range of [-2, 1], but got 5)"}, \
    {"r(0,3)", {-99}, "amin(): Expected reduction dim 0 to have non-zero size."}, \
    {"r(0,3)", {-4}, "amin(): Expected reduction dim -1 to have non-zero size."}
static const OpError matrix_norm_errors[] = {
    MATRIX_NORM_ERRORS,
    {"r(3)", {77}, MATRIX_NORM "The input tensor A must have at least 2 dimensions."},
    {"i(3,3)", {77}, MATRIX_NORM "Expected a floating point or complex tensor as input. Got Long"},
    {NULL},
};
static const OpError linalg_norm_errors[] = {
    MATRIX_NORM_ERRORS,
    {"r(3)", {77}, MATRIX_NORM "The input tensor A must have at least 2 dimensions."},
    {"i(3,3)", {T_NONE}, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"},
    {"r(2,3,4)", {4, 0, 3, 0, 1, 2}, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 2]"},
    {"r(2,3,4)", {4}, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D."},
    {NULL},
};
static const OpError cond_errors[] = {
    {"r(3)", {4}, "linalg.cond: The input tensor must have at least 2 dimensions."},
    {"r(3,3)", {6}, "linalg.cond got an invalid norm type: 3"},
    {"r(3,4)", {77}, "linalg.cond(ord=fro): A must be batches of square matrices, but they are 3 by 4 matrices"},
    {"i(3,3)", {T_NONE}, "linalg.svd: Expected a floating point or complex tensor as input. Got Long"},
    {NULL},
};

#define ROW(f, ...) {#f, call_##f, __VA_ARGS__}
#define MATRICES .ranks = "2345z: matrices"
static const OpRow rows[] = {
    ROW(linalg_cross, cross_cases, cross_errors, .ranks = "12345z: it needs a dim of 3"),
    ROW(linalg_vecdot, vecdot_cases, vecdot_errors, SUMS | OWN_GRAD_FN),
    ROW(linalg_multi_dot, multi_dot_cases, multi_dot_errors, SUMS | OWN_GRAD_FN, .ranks = "12z: matrices and vectors"),
    ROW(linalg_matrix_power, matrix_power_cases, matrix_power_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_vander, linalg_vander_cases, linalg_vander_errors),
    ROW(linalg_diagonal, diagonal_cases, none, VIEW, MATRICES),
    ROW(linalg_solve, solve_cases, solve_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_solve_ex, solve_ex_cases, solve_ex_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_inv, square_cases, inv_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_inv_ex, inv_ex_cases, inv_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_solve_triangular, triangular_cases, triangular_errors, SUMS, MATRICES),
    ROW(linalg_tensorsolve, tensorsolve_cases, tensorsolve_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(linalg_tensorinv, tensorinv_cases, tensorinv_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(linalg_det, square_cases, det_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_slogdet, square_cases, slogdet_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(t_logdet, logdet_cases, logdet_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_lu, rectangular_cases, lu_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(linalg_lu_factor, lu_factor_cases, lu_factor_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_lu_factor_ex, lu_factor_cases, lu_factor_ex_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_lu_solve, lu_solve_cases, lu_solve_errors, SUMS | OWN_GRAD_FN, "13", MATRICES),
    ROW(t_lu_unpack, lu_unpack_cases, lu_unpack_errors, OWN_GRAD_FN, MATRICES),
    ROW(linalg_cholesky, cholesky_cases, cholesky_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_cholesky_ex, cholesky_ex_cases, none, SUMS | REGULAR, MATRICES),
    ROW(t_cholesky_solve, cholesky_solve_cases, cholesky_solve_errors, SUMS | OWN_GRAD_FN, MATRICES),
    ROW(t_cholesky_inverse, cholesky_inverse_cases, cholesky_inverse_errors, SUMS | OWN_GRAD_FN, MATRICES),
    ROW(linalg_qr, qr_cases, qr_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_ldl_factor, ldl_cases, ldl_errors, SUMS, MATRICES),
    ROW(linalg_ldl_factor_ex, ldl_cases, ldl_errors, SUMS, MATRICES),
    ROW(linalg_ldl_solve, ldl_solve_cases, ldl_solve_errors, SUMS, "13", MATRICES),
    ROW(linalg_polar, polar_cases, polar_errors, SUMS | OWN_GRAD_FN, MATRICES),
    ROW(t_geqrf, geqrf_cases, geqrf_errors, SUMS, MATRICES),
    ROW(linalg_householder_product, householder_cases, householder_errors, SUMS | OWN_GRAD_FN, MATRICES),
    ROW(t_ormqr, ormqr_cases, ormqr_errors, SUMS | OWN_GRAD_FN, MATRICES),
    ROW(t_svd_lowrank, svd_lowrank_cases, svd_lowrank_errors, RANDOM | SUMS | REGULAR | OWN_GRAD_FN, "1?", MATRICES),
    ROW(t_pca_lowrank, pca_lowrank_cases, pca_lowrank_errors, RANDOM | SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(t_lobpcg, lobpcg_cases, lobpcg_errors, RANDOM | SUMS | REGULAR, MATRICES),
    ROW(linalg_matrix_exp, exp_cases, exp_errors, SUMS, MATRICES),
    ROW(linalg_matrix_sqrth, cholesky_inverse_cases, none, SUMS | REGULAR, MATRICES),
    ROW(linalg_eigh, eigh_cases, eigh_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_eigvalsh, eigh_cases, eigh_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_svd, svd_cases, svd_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_svdvals, svdvals_cases, svd_errors, SUMS | REGULAR, MATRICES),
    ROW(t_svd, torch_svd_cases, torch_svd_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_pinv, pinv_cases, pinv_errors, SUMS | REGULAR, MATRICES),
    ROW(t_pinverse, pinverse_cases, pinv_errors, SUMS | REGULAR, MATRICES),
    ROW(linalg_matrix_rank, rank_cases, rank_errors, NO_GRADIENT | REGULAR, MATRICES),
    ROW(linalg_lstsq, lstsq_cases, lstsq_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(linalg_norm, linalg_norm_cases, linalg_norm_errors, SUMS | REGULAR | OWN_GRAD_FN),
    ROW(linalg_matrix_norm, matrix_norm_cases, matrix_norm_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
    ROW(linalg_cond, cond_cases, cond_errors, SUMS | REGULAR | OWN_GRAD_FN, MATRICES),
};

TABLE(linalg_table, "ops_linalg.txt", rows);
