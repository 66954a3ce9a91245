/* core/ops/linalg.h: matrix products and other sums of products (public; part of core/ops/ops.h, which explains
 * the notation). */
#ifndef TAPEGRAD_CORE_OPS_LINALG_H
#define TAPEGRAD_CORE_OPS_LINALG_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- products (core/ops/linalg/matmul.c, einsum.c) ---- */
T_API Tensor *t_matmul(Tensor *x, Tensor *other);       /* x @ other, torch.matmul(x, other), in all rank cases */
T_API Tensor *t_mm(Tensor *x, Tensor *mat2);            /* torch.mm(x, mat2): matrices only */
T_API Tensor *t_bmm(Tensor *x, Tensor *mat2);           /* torch.bmm(x, mat2): rank 3 only */
T_API Tensor *t_einsum(const char *equation, const t_TensorList *operands); /* torch.einsum(equation, *operands) */

T_API Tensor *t_mv(Tensor *x, Tensor *vec);             /* torch.mv(x, vec): a matrix and a vector */
T_API Tensor *t_dot(Tensor *x, Tensor *tensor);         /* torch.dot(x, tensor): two vectors */

/* ---- beta input + alpha (a b) (core/ops/linalg/addmm.c) ---- */
T_API Tensor *t_addmm(Tensor *x, Tensor *mat1, Tensor *mat2, double beta, double alpha); /* torch.addmm */
T_API Tensor *t_addmv(Tensor *x, Tensor *mat, Tensor *vec, double beta, double alpha);    /* torch.addmv(x, mat, vec) */
T_API Tensor *t_baddbmm(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha); /* torch.baddbmm */
T_API Tensor *t_addbmm(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha); /* torch.addbmm */
T_API Tensor *t_addr(Tensor *x, Tensor *vec1, Tensor *vec2, double beta, double alpha); /* torch.addr(x, vec1, vec2) */
T_API Tensor *t_addmm_(Tensor *x, Tensor *mat1, Tensor *mat2, double beta, double alpha); /* x.addmm_(mat1, mat2) */
T_API Tensor *t_baddbmm_(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha); /* x.baddbmm_ */
T_API Tensor *t_addmv_(Tensor *x, Tensor *mat, Tensor *vec, double beta, double alpha); /* x.addmv_(mat, vec) */
T_API Tensor *t_addbmm_(Tensor *x, Tensor *batch1, Tensor *batch2, double beta, double alpha); /* x.addbmm_ */
T_API Tensor *t_addr_(Tensor *x, Tensor *vec1, Tensor *vec2, double beta, double alpha); /* x.addr_(vec1, vec2) */

/* ---- composed products (core/ops/linalg/linalg.c), distances (cdist.c) ---- */
T_API Tensor *t_outer(Tensor *x, Tensor *vec2);         /* torch.outer(x, vec2) */
T_API Tensor *t_ger(Tensor *x, Tensor *vec2);           /* torch.ger(x, vec2) */
T_API Tensor *t_inner(Tensor *x, Tensor *other);        /* torch.inner(x, other) */
T_API Tensor *t_tensordot(Tensor *a, Tensor *b, const int64_t *dims_a, int count_a, const int64_t *dims_b,
                          int count_b);                 /* torch.tensordot(a, b, (dims_a, dims_b)) */
T_API Tensor *t_tensordot_of_(Tensor *a, Tensor *b, int64_t dims); /* the same with an integer dims, for the macro */
T_API Tensor *t_kron(Tensor *x, Tensor *other);         /* torch.kron(x, other) */
T_API Tensor *t_cross(Tensor *x, Tensor *other, int64_t dim); /* torch.cross; T_NONE: the first of size 3 */
T_API Tensor *t_block_diag(const t_TensorList *tensors);     /* torch.block_diag(*tensors) (combinations.c) */
T_API Tensor *t_vander(Tensor *x, int64_t N, bool increasing); /* torch.vander(x, N); T_NONE: the length of x */
T_API Tensor *t_dist(Tensor *x, Tensor *other, double p); /* torch.dist(x, other, p) (norm.c) */
T_API Tensor *t_cdist(Tensor *x1, Tensor *x2, double p); /* torch.cdist(x1, x2, p) */

T_END_DECLS
#endif
