/* core/linalg/linalg.h: torch.linalg: solvers and decompositions of batches of matrices, and norms (public; part of
 * core/core.h). core/ops/ops.h explains the notation.
 *
 * Matrices are the last two dims, (..., m, n); all dims before them are a batch. Everything takes any strides, sizes of
 * 0, float32 and float64, has gradients written in ops, so that they can be differentiated again, and is computed in
 * the dtype of its input. Infos and pivots are int32. eig, eigvals, and whatever else needs
 * complex numbers, are missing, since the library has none.
 *
 * This folder: a file for each family, on top of core/ops; what is done with matrices in memory is in
 * core/kernels/linalg. */
#ifndef TAPEGRAD_CORE_LINALG_LINALG_H
#define TAPEGRAD_CORE_LINALG_LINALG_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- norms (norm.c); vector_norm is in core/ops/reduction.h ---- */

T_API Tensor *t_norm(Tensor *x, double p, const int64_t *dim, int count, bool keepdim,
                     t_DType dtype); /* torch.norm(x, p="fro", dim=None, keepdim=False) */
T_API Tensor *linalg_norm(Tensor *A, double ord, const int64_t *dim, int count, bool keepdim,
                          t_DType dtype);           /* torch.linalg.norm(A, ord, dim, keepdim); NAN: None */
T_API Tensor *linalg_matrix_norm(Tensor *A, double ord, const int64_t *dim, int count, bool keepdim,
                                 t_DType dtype);    /* torch.linalg.matrix_norm(A, ord, dim, keepdim) */
T_API Tensor *linalg_cond(Tensor *A, double p);     /* torch.linalg.cond(A, p); NAN: None */

/* ---- products (products.c) ---- */
T_API Tensor *linalg_cross(Tensor *input, Tensor *other, int64_t dim); /* torch.linalg.cross(input, other, dim=-1) */
T_API Tensor *linalg_vecdot(Tensor *x, Tensor *y, int64_t dim);        /* torch.linalg.vecdot(x, y, dim=-1) */
T_API Tensor *linalg_multi_dot(const t_TensorList *tensors);           /* torch.linalg.multi_dot(tensors) */
T_API Tensor *t_chain_matmul(const t_TensorList *matrices);            /* torch.chain_matmul(*matrices) */
T_API Tensor *linalg_matrix_power(Tensor *A, int64_t n);               /* torch.linalg.matrix_power(A, n) */
T_API Tensor *linalg_vander(Tensor *x, int64_t N);                     /* torch.linalg.vander(x, N); T_NONE */
T_API Tensor *linalg_diagonal(Tensor *A, int64_t offset, int64_t dim1, int64_t dim2); /* torch.linalg.diagonal */

/* ---- solvers (solve.c, triangular.c) ---- */
T_API Tensor *linalg_solve(Tensor *A, Tensor *B, bool left);           /* torch.linalg.solve(A, B, left=True) */
T_API Tensor *linalg_solve_ex(Tensor *A, Tensor *B, bool left, bool check_errors,
                              Tensor **info);                          /* torch.linalg.solve_ex(A, B) */
T_API Tensor *linalg_inv(Tensor *A);                                   /* torch.linalg.inv(A) */
T_API Tensor *linalg_inv_ex(Tensor *A, bool check_errors, Tensor **info); /* torch.linalg.inv_ex(A) */
T_API Tensor *linalg_solve_triangular(Tensor *A, Tensor *B, bool upper, bool left,
                                      bool unitriangular);             /* torch.linalg.solve_triangular(A, B, upper=) */
T_API Tensor *linalg_tensorsolve(Tensor *A, Tensor *B, const int64_t *dims, int count); /* torch.linalg.tensorsolve */
T_API Tensor *linalg_tensorinv(Tensor *A, int64_t ind);                /* torch.linalg.tensorinv(A, ind=2) */

/* ---- determinants (det.c) ---- */
T_API Tensor *linalg_det(Tensor *A);                                   /* torch.linalg.det(A) */
T_API Tensor *linalg_slogdet(Tensor *A, Tensor **logabsdet);           /* torch.linalg.slogdet(A): the sign */
T_API Tensor *t_logdet(Tensor *A);                                     /* torch.logdet(A) */

/* ---- LU (lu.c) ---- */
T_API Tensor *linalg_lu(Tensor *A, bool pivot, Tensor **L, Tensor **U); /* torch.linalg.lu(A): P */
T_API Tensor *linalg_lu_factor(Tensor *A, bool pivot, Tensor **pivots); /* torch.linalg.lu_factor(A): LU */
T_API Tensor *linalg_lu_factor_ex(Tensor *A, bool pivot, bool check_errors, Tensor **pivots,
                                  Tensor **info);                      /* torch.linalg.lu_factor_ex(A): LU */
T_API Tensor *linalg_lu_solve(Tensor *LU, Tensor *pivots, Tensor *B, bool left,
                              bool adjoint);                           /* torch.linalg.lu_solve(LU, pivots, B) */
T_API Tensor *t_lu_unpack(Tensor *LU_data, Tensor *LU_pivots, bool unpack_data, bool unpack_pivots, Tensor **L,
                          Tensor **U);                                 /* torch.lu_unpack(LU_data, LU_pivots): P */

/* ---- Cholesky (cholesky.c) ---- */
T_API Tensor *linalg_cholesky(Tensor *A, bool upper);                  /* torch.linalg.cholesky(A, upper=False) */
T_API Tensor *linalg_cholesky_ex(Tensor *A, bool upper, bool check_errors,
                                 Tensor **info);                       /* torch.linalg.cholesky_ex(A) */
T_API Tensor *t_cholesky_solve(Tensor *B, Tensor *L, bool upper);      /* torch.cholesky_solve(B, L, upper=False) */
T_API Tensor *t_cholesky_inverse(Tensor *L, bool upper);               /* torch.cholesky_inverse(L, upper=False) */

/* ---- LDL (ldl.c) ---- */
T_API Tensor *linalg_ldl_factor(Tensor *A, Tensor **pivots);           /* torch.linalg.ldl_factor(A): LD */
T_API Tensor *linalg_ldl_factor_ex(Tensor *A, bool check_errors, Tensor **pivots,
                                   Tensor **info);                     /* torch.linalg.ldl_factor_ex(A) */
T_API Tensor *linalg_ldl_solve(Tensor *LD, Tensor *pivots, Tensor *B); /* torch.linalg.ldl_solve(LD, pivots, B) */

/* ---- QR (qr.c) ---- */
T_API Tensor *linalg_qr(Tensor *A, const char *mode, Tensor **R);      /* torch.linalg.qr(A, mode="reduced"): Q */
T_API Tensor *t_geqrf(Tensor *A, Tensor **tau);                        /* torch.geqrf(A) */
T_API Tensor *linalg_householder_product(Tensor *A, Tensor *tau);      /* torch.linalg.householder_product(A, tau) */
T_API Tensor *t_ormqr(Tensor *input, Tensor *tau, Tensor *other, bool left,
                      bool transpose); /* torch.ormqr(input, tau, other, left=True) */

/* ---- eigenvalues and singular values (eigh.c, svd.c) ---- */
T_API Tensor *linalg_eigh(Tensor *A, const char *UPLO, Tensor **eigenvectors); /* torch.linalg.eigh(A, UPLO="L") */
T_API Tensor *linalg_eigvalsh(Tensor *A, const char *UPLO);            /* torch.linalg.eigvalsh(A, UPLO="L") */
T_API Tensor *linalg_svd(Tensor *A, bool full_matrices, Tensor **S, Tensor **Vh); /* torch.linalg.svd(A): U */
T_API Tensor *linalg_svdvals(Tensor *A);                               /* torch.linalg.svdvals(A) */
T_API Tensor *linalg_polar(Tensor *A, Tensor **H);                     /* torch.linalg.polar(A): U */
T_API Tensor *t_svd(Tensor *A, bool some, bool compute_uv, Tensor **S, Tensor **V); /* torch.svd(A): U */

/* ---- low ranks (lowrank.c) ---- */
T_API Tensor *t_svd_lowrank(Tensor *A, int64_t q, int64_t niter, Tensor *M, Tensor **S,
                            Tensor **V); /* torch.svd_lowrank(A, q=6, niter=2, M=None): U */
T_API Tensor *t_pca_lowrank(Tensor *A, int64_t q, bool center, int64_t niter, Tensor **S,
                            Tensor **V); /* torch.pca_lowrank(A, q=None, center=True): U */

/* ---- a few eigenvalues of large matrices (lobpcg.c) ---- */

/* The state of t_lobpcg for a tracker, which is called after each step; named as PyTorch's worker and its dictionaries.
 * The tensors are changed by the next step: copy what you keep. */
typedef struct t_LOBPCG {
    Tensor *A, *B, *iK;         /* of this matrix of the batch; B and iK may be NULL */
    Tensor *E, *X, *S, *R;      /* eigenvalues, (n); eigenvectors, (m, n); [X P W], (m, 3 n); residuals, (m, n) */
    Tensor *rerr;               /* |R_i| / (|X_i| (A_norm + |E_i| B_norm)), (n) */
    int64_t m, n, k, batch_index; /* T_NONE: A is one matrix */
    int64_t istep, iterations_left, converged_count, converged_end, ortho_i, ortho_j;
    double tol, X_norm, A_norm, B_norm;
    bool largest, force_stop;   /* set force_stop to end the iteration */
} t_LOBPCG;
typedef void t_LOBPCGTracker(t_LOBPCG *worker, void *context);

typedef struct t_LobpcgOptions {
    uint32_t size;
    int64_t k;                /* how many; T_NONE: the columns of X, or 1 */
    Tensor *B;                /* positive definite, of A's shape; NULL: the identity */
    Tensor *X;                /* a first approximation, (..., m, n); NULL: randn(m, n) */
    int64_t n;                /* of that; T_NONE: k */
    Tensor *iK;               /* a preconditioner, (m, m), of "basic" */
    int64_t niter;            /* at most so many steps; -1: until they converge */
    double tol;               /* NAN: the root of the dtype's eps */
    bool largest;
    const char *method;       /* "ortho", which NULL is, or "basic": less work, but not robust */
    t_LOBPCGTracker *tracker; /* or NULL; an error that it sets ends the call */
    void *context;            /* of the tracker */
    int64_t ortho_i_max, ortho_j_max;                    /* 3; ortho_iparams */
    double ortho_tol, ortho_tol_drop, ortho_tol_replace; /* NAN: tol; ortho_fparams */
    bool ortho_use_drop;                                 /* ortho_bparams */
    Tensor **eigenvectors;                               /* the second result */
} t_LobpcgOptions;
extern T_API const t_LobpcgOptions t_LobpcgDefaults;

T_API Tensor *t_lobpcg(Tensor *A, const t_LobpcgOptions *options); /* torch.lobpcg(A, k): E */

/* ---- what singular values above a tolerance give (pinv.c); a tolerance NAN: None ---- */
T_API Tensor *linalg_pinv(Tensor *A, double atol, double rtol, bool hermitian); /* torch.linalg.pinv(A) */
T_API Tensor *t_pinverse(Tensor *A, double rcond);                     /* torch.pinverse(A, rcond=1e-15) */
T_API Tensor *linalg_matrix_rank(Tensor *A, double atol, double rtol, bool hermitian); /* torch.linalg.matrix_rank(A) */
T_API Tensor *linalg_lstsq(Tensor *A, Tensor *B, double rcond, const char *driver, Tensor **residuals, Tensor **rank,
                           Tensor **singular_values);                  /* torch.linalg.lstsq(A, B) */

/* ---- functions of matrices (matrix_exp.c) ---- */
T_API Tensor *linalg_matrix_exp(Tensor *A);                            /* torch.linalg.matrix_exp(A) */
T_API Tensor *linalg_matrix_sqrth(Tensor *A);                          /* torch.linalg.matrix_sqrth(A) (eigh.c) */

T_END_DECLS

/* ---- other names of the same functions ---- */
#define t_inverse linalg_inv
#define t_det linalg_det
#define t_slogdet linalg_slogdet
#define t_matrix_power linalg_matrix_power
#define t_matrix_exp linalg_matrix_exp
#define t_orgqr linalg_householder_product
#define linalg_matmul t_matmul

#endif
