/* core/sugar/torch_linalg.h: the macros for torch.linalg (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_TORCH_LINALG_H
#define TAPEGRAD_CORE_SUGAR_TORCH_LINALG_H
#pragma GCC system_header

#include "core/linalg/linalg.h"
#include "core/sugar/reduction.h"
#include "core/sugar/sugar_macros.h"

#define T_NAN_ __builtin_nan("")

/* ---- norms: linalg_norm(A), linalg_norm(A, 2, -1), linalg_matrix_norm(A, T_NUC), linalg_cond(A, 1) ---- */
#define linalg_norm(...) \
    T_OP_KEYS_((linalg_norm)(t__a, t__o.ord, T_GIVEN_(t__o.dim), t__o.keepdim, (t_DType)t__o.dtype), \
    "linalg_norm(" #__VA_ARGS__ ")", t_VectorNormArguments_, (.ord = T_NAN_, .dim = T_NO_TUPLE_), \
    T_HEAD_(__VA_ARGS__), T_NORM_KEYS_(T_HEAD_(T_TAIL_(__VA_ARGS__)), T_REST_(T_TAIL_(__VA_ARGS__))))
#define linalg_matrix_norm(...) \
    T_OP_KEYS_((linalg_matrix_norm)(t__a, t__o.ord, T_GIVEN_(t__o.dim), t__o.keepdim, (t_DType)t__o.dtype), \
    "linalg_matrix_norm(" #__VA_ARGS__ ")", t_VectorNormArguments_, (.ord = T_FRO, .dim = T_NO_TUPLE_), \
    T_HEAD_(__VA_ARGS__), T_NORM_KEYS_(T_HEAD_(T_TAIL_(__VA_ARGS__)), T_REST_(T_TAIL_(__VA_ARGS__))))
/* t_norm(x), t_norm(x, 1), t_norm(x, 2, -1, true), t_norm(x, 2, (0, 1)), t_norm(x, INFINITY), t_norm(x, .dim = 1),
 * t_norm(A, T_NUC) */
typedef struct t_NormArguments_ {
    int dtype;
    int first_;
    double p;
    t_Tuple dim;
    struct t_too_many_dims_ *after_dim_;
    unsigned keepdim : 1;
    struct t_too_many_arguments_ *rest_;
} t_NormArguments_;
#define t_norm(...) T_OP_KEYS_((t_norm)(t__a, t__o.p, T_GIVEN_(t__o.dim), t__o.keepdim, (t_DType)t__o.dtype), \
    "t_norm(" #__VA_ARGS__ ")", t_NormArguments_, (.p = 2, .dim = T_NO_TUPLE_), T_HEAD_(__VA_ARGS__), \
    T_NORM_KEYS_(T_HEAD_(T_TAIL_(__VA_ARGS__)), T_REST_(T_TAIL_(__VA_ARGS__))))
typedef struct t_CondArguments_ { int first_; double p; } t_CondArguments_;
#define linalg_cond(...) T_OP_KEYS_((linalg_cond)(t__a, t__o.p), "linalg_cond(" #__VA_ARGS__ ")", t_CondArguments_, \
    (.p = T_NAN_), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- products ---- */
typedef struct t_VecdotArguments_ { int first_; Tensor *other; int64_t dim; } t_VecdotArguments_;
/* linalg_cross(a, b), linalg_cross(a, b, .dim = 0), linalg_vecdot(x, y) */
#define linalg_cross(...) T_OP_ARGUMENTS_((input, other), (linalg_cross)(t__a, t__o.other, t__o.dim), \
    "linalg_cross(" #__VA_ARGS__ ")", t_VecdotArguments_, (.dim = -1), __VA_ARGS__)
#define linalg_vecdot(...) T_OP_ARGUMENTS_((x, y), (linalg_vecdot)(t__a, t__o.other, t__o.dim), \
    "linalg_vecdot(" #__VA_ARGS__ ")", t_VecdotArguments_, (.dim = -1), __VA_ARGS__)
/* linalg_multi_dot(t_list(a, b, c)) */
#define linalg_multi_dot(tensors) T_BEGIN_("linalg_multi_dot(" #tensors ")") \
    T_END_(Tensor *, (linalg_multi_dot)(tensors))
/* t_chain_matmul(a, b, c) */
#define t_chain_matmul(...) T_BEGIN_("t_chain_matmul(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(Tensor *, (t_chain_matmul)((t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l))))
/* linalg_matrix_power(A, 3), linalg_vander(x, .N = 4) */
typedef struct t_PowerArguments_ { int first_; int64_t n; } t_PowerArguments_;
#define linalg_matrix_power(...) T_OP_ARGUMENTS_((A, n), T_REQUIRED_(n) ? (linalg_matrix_power)(t__a, t__o.n) : NULL, \
    "linalg_matrix_power(" #__VA_ARGS__ ")", t_PowerArguments_, (.n = T_NONE), __VA_ARGS__)
typedef struct t_LinalgVanderArguments_ { int first_; int64_t N; } t_LinalgVanderArguments_;
#define linalg_vander(...) T_OP_KEYS_((linalg_vander)(t__a, t__o.N), "linalg_vander(" #__VA_ARGS__ ")", \
    t_LinalgVanderArguments_, (.N = T_NONE), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* linalg_diagonal(A, .offset = 1) */
typedef struct t_LinalgDiagonalArguments_ { int first_; int64_t offset, dim1, dim2; } t_LinalgDiagonalArguments_;
#define linalg_diagonal(...) T_OP_KEYS_((linalg_diagonal)(t__a, t__o.offset, t__o.dim1, t__o.dim2), \
    "linalg_diagonal(" #__VA_ARGS__ ")", t_LinalgDiagonalArguments_, (.dim1 = -2, .dim2 = -1), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- solvers: linalg_solve(A, B), linalg_solve(A, B, .left = false), linalg_solve_ex(A, B, .info = &info) ---- */
typedef struct t_SolveArguments_ { int first_; Tensor *B; bool left, check_errors; Tensor **info; } t_SolveArguments_;
#define linalg_solve(...) T_OP_ARGUMENTS_((A, B), (linalg_solve)(t__a, t__o.B, t__o.left), \
    "linalg_solve(" #__VA_ARGS__ ")", t_SolveArguments_, (.left = true), __VA_ARGS__)
#define linalg_solve_ex(...) T_OP_ARGUMENTS_((A, B), (linalg_solve_ex)(t__a, t__o.B, t__o.left, t__o.check_errors, \
    t__o.info), "linalg_solve_ex(" #__VA_ARGS__ ")", t_SolveArguments_, (.left = true), __VA_ARGS__)
#define linalg_inv(A) T_OP1_(linalg_inv, "linalg_inv(" #A ")", A)
/* linalg_inv_ex(A, .info = &info) */
typedef struct t_InvExArguments_ { int first_; bool check_errors; Tensor **info; } t_InvExArguments_;
#define linalg_inv_ex(...) T_OP_KEYS_((linalg_inv_ex)(t__a, t__o.check_errors, t__o.info), \
    "linalg_inv_ex(" #__VA_ARGS__ ")", t_InvExArguments_, (.check_errors = false), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
/* linalg_solve_triangular(A, B, .upper = true), which must be given, by name as in Python */
typedef struct t_TriangularArguments_ {
    int first_;
    Tensor *B;
    int64_t upper;
    bool left, unitriangular;
} t_TriangularArguments_;
#define linalg_solve_triangular(...) T_OP_ARGUMENTS_((A, B), T_REQUIRED_(upper) \
    ? (linalg_solve_triangular)(t__a, t__o.B, t__o.upper != 0, t__o.left, t__o.unitriangular) : NULL, \
    "linalg_solve_triangular(" #__VA_ARGS__ ")", t_TriangularArguments_, (.upper = T_NONE, .left = true), __VA_ARGS__)
/* linalg_tensorsolve(A, B), linalg_tensorsolve(A, B, .dims = t_tuple(0, 2)) */
typedef struct t_TensorsolveArguments_ { int first_; Tensor *B; t_Tuple dims; } t_TensorsolveArguments_;
#define linalg_tensorsolve(...) T_OP_ARGUMENTS_((A, B), (linalg_tensorsolve)(t__a, t__o.B, T_GIVEN_(t__o.dims)), \
    "linalg_tensorsolve(" #__VA_ARGS__ ")", t_TensorsolveArguments_, (.dims = T_NO_TUPLE_), __VA_ARGS__)
typedef struct t_TensorinvArguments_ { int first_; int64_t ind; } t_TensorinvArguments_;
#define linalg_tensorinv(...) T_OP_KEYS_((linalg_tensorinv)(t__a, t__o.ind), "linalg_tensorinv(" #__VA_ARGS__ ")", \
    t_TensorinvArguments_, (.ind = 2), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- determinants: sign = linalg_slogdet(A, .logabsdet = &logabsdet) ---- */
#define linalg_det(A) T_OP1_(linalg_det, "linalg_det(" #A ")", A)
typedef struct t_SlogdetArguments_ { int first_; Tensor **logabsdet; } t_SlogdetArguments_;
#define linalg_slogdet(...) T_OP_KEYS_((linalg_slogdet)(t__a, t__o.logabsdet), "linalg_slogdet(" #__VA_ARGS__ ")", \
    t_SlogdetArguments_, (.logabsdet = NULL), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_logdet(A) T_OP1_(t_logdet, "t_logdet(" #A ")", A)

/* ---- LU: LU = linalg_lu_factor(A, .pivots = &pivots), P = linalg_lu(A, .L = &L, .U = &U) ---- */
typedef struct t_LUArguments_ { int first_; bool pivot; Tensor **L, **U; } t_LUArguments_;
#define linalg_lu(...) T_OP_KEYS_((linalg_lu)(t__a, t__o.pivot, t__o.L, t__o.U), "linalg_lu(" #__VA_ARGS__ ")", \
    t_LUArguments_, (.pivot = true), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_LUFactorArguments_ {
    int first_;
    bool pivot, check_errors;
    Tensor **pivots, **info;
} t_LUFactorArguments_;
#define linalg_lu_factor(...) T_OP_KEYS_((linalg_lu_factor)(t__a, t__o.pivot, t__o.pivots), \
    "linalg_lu_factor(" #__VA_ARGS__ ")", t_LUFactorArguments_, (.pivot = true), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define linalg_lu_factor_ex(...) T_OP_KEYS_((linalg_lu_factor_ex)(t__a, t__o.pivot, t__o.check_errors, t__o.pivots, \
    t__o.info), "linalg_lu_factor_ex(" #__VA_ARGS__ ")", t_LUFactorArguments_, (.pivot = true), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* linalg_lu_solve(LU, pivots, B, .adjoint = true) */
typedef struct t_LUSolveArguments_ { int first_; Tensor *pivots, *B; bool left, adjoint; } t_LUSolveArguments_;
#define linalg_lu_solve(...) T_OP_ARGUMENTS_((LU, pivots, B), (linalg_lu_solve)(t__a, t__o.pivots, t__o.B, t__o.left, \
    t__o.adjoint), "linalg_lu_solve(" #__VA_ARGS__ ")", t_LUSolveArguments_, (.left = true), __VA_ARGS__)
/* P = t_lu_unpack(LU, pivots, .L = &L, .U = &U) */
typedef struct t_LUUnpackArguments_ {
    int first_;
    Tensor *LU_pivots;
    bool unpack_data, unpack_pivots;
    Tensor **L, **U;
} t_LUUnpackArguments_;
#define t_lu_unpack(...) T_OP_ARGUMENTS_((LU_data, LU_pivots), (t_lu_unpack)(t__a, t__o.LU_pivots, t__o.unpack_data, \
    t__o.unpack_pivots, t__o.L, t__o.U), "t_lu_unpack(" #__VA_ARGS__ ")", t_LUUnpackArguments_, \
    (.unpack_data = true, .unpack_pivots = true), __VA_ARGS__)

/* ---- Cholesky: linalg_cholesky(A), linalg_cholesky(A, .upper = true), t_cholesky_solve(B, L) ---- */
typedef struct t_CholeskyArguments_ { int first_; bool upper, check_errors; Tensor **info; } t_CholeskyArguments_;
#define linalg_cholesky(...) T_OP_KEYS_((linalg_cholesky)(t__a, t__o.upper), "linalg_cholesky(" #__VA_ARGS__ ")", \
    t_CholeskyArguments_, (.upper = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define linalg_cholesky_ex(...) T_OP_KEYS_((linalg_cholesky_ex)(t__a, t__o.upper, t__o.check_errors, t__o.info), \
    "linalg_cholesky_ex(" #__VA_ARGS__ ")", t_CholeskyArguments_, (.upper = false), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
typedef struct t_CholeskySolveArguments_ { int first_; Tensor *L; bool upper; } t_CholeskySolveArguments_;
#define t_cholesky_solve(...) T_OP_ARGUMENTS_((B, L), (t_cholesky_solve)(t__a, t__o.L, t__o.upper), \
    "t_cholesky_solve(" #__VA_ARGS__ ")", t_CholeskySolveArguments_, (.upper = false), __VA_ARGS__)
#define t_cholesky_inverse(...) T_OP_KEYS_((t_cholesky_inverse)(t__a, t__o.upper), \
    "t_cholesky_inverse(" #__VA_ARGS__ ")", t_CholeskyArguments_, (.upper = false), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))

/* U = linalg_polar(A, .H = &H) */
typedef struct t_PolarArguments_ { int first_; Tensor **H; } t_PolarArguments_;
#define linalg_polar(...) T_OP_KEYS_((linalg_polar)(t__a, t__o.H), "linalg_polar(" #__VA_ARGS__ ")", \
    t_PolarArguments_, (.H = NULL), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- LDL: LD = linalg_ldl_factor(A, .pivots = &pivots), linalg_ldl_solve(LD, pivots, B) ---- */
typedef struct t_LDLArguments_ { int first_; bool hermitian, check_errors; Tensor **pivots, **info; } t_LDLArguments_;
#define linalg_ldl_factor(...) T_OP_KEYS_((linalg_ldl_factor)(t__a, t__o.pivots), \
    "linalg_ldl_factor(" #__VA_ARGS__ ")", t_LDLArguments_, (.hermitian = false), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define linalg_ldl_factor_ex(...) T_OP_KEYS_((linalg_ldl_factor_ex)(t__a, t__o.check_errors, t__o.pivots, t__o.info), \
    "linalg_ldl_factor_ex(" #__VA_ARGS__ ")", t_LDLArguments_, (.hermitian = false), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
typedef struct t_LDLSolveArguments_ { int first_; Tensor *pivots, *B; bool hermitian; } t_LDLSolveArguments_;
#define linalg_ldl_solve(...) T_OP_ARGUMENTS_((LD, pivots, B), (linalg_ldl_solve)(t__a, t__o.pivots, t__o.B), \
    "linalg_ldl_solve(" #__VA_ARGS__ ")", t_LDLSolveArguments_, (.hermitian = false), __VA_ARGS__)

/* ---- QR: Q = linalg_qr(A, .R = &R), linalg_qr(A, "complete", .R = &R) ---- */
typedef struct t_QRArguments_ { int first_; const char *mode; Tensor **R; } t_QRArguments_;
#define linalg_qr(...) T_OP_KEYS_((linalg_qr)(t__a, t__o.mode, t__o.R), "linalg_qr(" #__VA_ARGS__ ")", \
    t_QRArguments_, (.mode = "reduced"), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_GeqrfArguments_ { int first_; Tensor **tau; } t_GeqrfArguments_;
#define t_geqrf(...) T_OP_KEYS_((t_geqrf)(t__a, t__o.tau), "t_geqrf(" #__VA_ARGS__ ")", t_GeqrfArguments_, \
    (.tau = NULL), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_ormqr(A, tau, C), t_ormqr(A, tau, C, .transpose = true) */
typedef struct t_OrmqrArguments_ { int first_; Tensor *tau, *other; bool left, transpose; } t_OrmqrArguments_;
#define t_ormqr(...) T_OP_ARGUMENTS_((input, tau, other), (t_ormqr)(t__a, t__o.tau, t__o.other, t__o.left, \
    t__o.transpose), "t_ormqr(" #__VA_ARGS__ ")", t_OrmqrArguments_, (.left = true), __VA_ARGS__)
#define linalg_householder_product(A, tau) \
    T_OP2_(linalg_householder_product, "linalg_householder_product(" #A ", " #tau ")", A, tau)

/* ---- L = linalg_eigh(A, .eigenvectors = &V), U = linalg_svd(A, false, .S = &S, .Vh = &Vh) ---- */
typedef struct t_EighArguments_ { int first_; const char *UPLO; Tensor **eigenvectors; } t_EighArguments_;
#define linalg_eigh(...) T_OP_KEYS_((linalg_eigh)(t__a, t__o.UPLO, t__o.eigenvectors), \
    "linalg_eigh(" #__VA_ARGS__ ")", t_EighArguments_, (.UPLO = "L"), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define linalg_eigvalsh(...) T_OP_KEYS_((linalg_eigvalsh)(t__a, t__o.UPLO), "linalg_eigvalsh(" #__VA_ARGS__ ")", \
    t_EighArguments_, (.UPLO = "L"), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_SvdArguments_ { int first_; bool full_matrices; Tensor **S, **Vh; } t_SvdArguments_;
#define linalg_svd(...) T_OP_KEYS_((linalg_svd)(t__a, t__o.full_matrices, t__o.S, t__o.Vh), \
    "linalg_svd(" #__VA_ARGS__ ")", t_SvdArguments_, (.full_matrices = true), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define linalg_svdvals(A) T_OP1_(linalg_svdvals, "linalg_svdvals(" #A ")", A)
/* U = t_svd(A, .S = &S, .V = &V) */
typedef struct t_TorchSvdArguments_ { int first_; bool some, compute_uv; Tensor **S, **V; } t_TorchSvdArguments_;
#define t_svd(...) T_OP_KEYS_((t_svd)(t__a, t__o.some, t__o.compute_uv, t__o.S, t__o.V), "t_svd(" #__VA_ARGS__ ")", \
    t_TorchSvdArguments_, (.some = true, .compute_uv = true), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* U = t_svd_lowrank(A, 4, .S = &S, .V = &V), U = t_pca_lowrank(A, .center = false, .S = &S, .V = &V) */
typedef struct t_SvdLowrankArguments_ { int first_; int64_t q, niter; Tensor *M, **S, **V; } t_SvdLowrankArguments_;
#define t_svd_lowrank(...) T_OP_KEYS_((t_svd_lowrank)(t__a, t__o.q, t__o.niter, t__o.M, t__o.S, t__o.V), \
    "t_svd_lowrank(" #__VA_ARGS__ ")", t_SvdLowrankArguments_, (.q = 6, .niter = 2), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
typedef struct t_PcaLowrankArguments_ {
    int first_; int64_t q; bool center; int64_t niter; Tensor **S, **V;
} t_PcaLowrankArguments_;
#define t_pca_lowrank(...) T_OP_KEYS_((t_pca_lowrank)(t__a, t__o.q, t__o.center, t__o.niter, t__o.S, t__o.V), \
    "t_pca_lowrank(" #__VA_ARGS__ ")", t_PcaLowrankArguments_, (.q = T_NONE, .center = true, .niter = 2), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* E = t_lobpcg(A, 3, .eigenvectors = &X), t_lobpcg(A, .k = 2, .largest = false, .method = "basic") */
#define t_lobpcg(...) T_LOBPCG_("t_lobpcg(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define T_LOBPCG_(text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_OPTIONS_(t_LobpcgOptions, t__o, .k = T_NONE, \
    .n = T_NONE, .niter = 1000, .tol = T_NAN_, .largest = true, .ortho_i_max = 3, .ortho_j_max = 3, \
    .ortho_tol = T_NAN_, .ortho_tol_drop = T_NAN_, .ortho_tol_replace = T_NAN_, .size = sizeof(t_LobpcgOptions), \
    __VA_ARGS__) T_END_(Tensor *, (t_lobpcg)(t__a, &t__o))

/* ---- linalg_pinv(A), linalg_pinv(A, .rtol = 1e-3), linalg_matrix_rank(A, .hermitian = true) ---- */
typedef struct t_PinvArguments_ { int first_; double rcond; bool hermitian; double atol, rtol; } t_PinvArguments_;
#define linalg_pinv(...) T_OP_KEYS_((linalg_pinv)(t__a, t__o.atol, t__o.rcond == t__o.rcond ? t__o.rcond : t__o.rtol, \
    t__o.hermitian), "linalg_pinv(" #__VA_ARGS__ ")", t_PinvArguments_, \
    (.rcond = T_NAN_, .atol = T_NAN_, .rtol = T_NAN_), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_pinverse(...) T_OP_KEYS_((t_pinverse)(t__a, t__o.rcond), "t_pinverse(" #__VA_ARGS__ ")", t_PinvArguments_, \
    (.rcond = 1e-15), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_RankArguments_ { int first_; double tol; bool hermitian; double atol, rtol; } t_RankArguments_;
#define linalg_matrix_rank(...) T_OP_KEYS_((linalg_matrix_rank)(t__a, t__o.tol == t__o.tol ? t__o.tol : t__o.atol, \
    t__o.tol == t__o.tol ? 0 : t__o.rtol, t__o.hermitian), "linalg_matrix_rank(" #__VA_ARGS__ ")", t_RankArguments_, \
    (.tol = T_NAN_, .atol = T_NAN_, .rtol = T_NAN_), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* X = linalg_lstsq(A, B), linalg_lstsq(A, B, .driver = "gelsd", .residuals = &residuals) */
typedef struct t_LstsqArguments_ {
    int first_;
    Tensor *B;
    double rcond;
    const char *driver;
    Tensor **residuals, **rank, **singular_values;
} t_LstsqArguments_;
#define linalg_lstsq(...) T_OP_ARGUMENTS_((A, B), (linalg_lstsq)(t__a, t__o.B, t__o.rcond, t__o.driver, \
    t__o.residuals, t__o.rank, t__o.singular_values), "linalg_lstsq(" #__VA_ARGS__ ")", t_LstsqArguments_, \
    (.rcond = T_NAN_), __VA_ARGS__)

/* ---- functions of matrices ---- */
#define linalg_matrix_exp(A) T_OP1_(linalg_matrix_exp, "linalg_matrix_exp(" #A ")", A)
#define linalg_matrix_sqrth(A) T_OP1_(linalg_matrix_sqrth, "linalg_matrix_sqrth(" #A ")", A)

#endif
