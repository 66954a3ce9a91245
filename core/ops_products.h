/* core/ops_products.h: sums of products, as plain C functions (public; part of core/ops.h, which says how to read it). */
#ifndef TAPEGRAD_PUBLIC_PRODUCTS_H
#define TAPEGRAD_PUBLIC_PRODUCTS_H

#include "core/list.h"

T_BEGIN_DECLS

/* ---- products (core/ops/matmul.c, einsum.c) ---- */
T_API Tensor *t_matmul(Tensor *a, Tensor *b);           /* a @ b, torch.matmul(a, b), in all rank cases */
T_API Tensor *t_mm(Tensor *a, Tensor *b);               /* torch.mm(a, b): matrices only */
T_API Tensor *t_bmm(Tensor *a, Tensor *b);              /* torch.bmm(a, b): rank 3 only */
T_API Tensor *t_einsum(const char *equation, const t_TensorList *operands); /* torch.einsum(equation, *operands) */

T_API Tensor *t_mv(Tensor *a, Tensor *b);               /* torch.mv(a, b): a matrix and a vector */
T_API Tensor *t_dot(Tensor *a, Tensor *b);              /* torch.dot(a, b): two vectors */

/* ---- beta input + alpha (a b) (core/ops/addmm.c) ---- */
T_API Tensor *t_addmm(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha);    /* torch.addmm(input, a, b) */
T_API Tensor *t_addmv(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha);    /* torch.addmv(input, a, b) */
T_API Tensor *t_baddbmm(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha);  /* torch.baddbmm(input, a, b) */
T_API Tensor *t_addmm_(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha);   /* input.addmm_(a, b) */
T_API Tensor *t_baddbmm_(Tensor *input, Tensor *a, Tensor *b, double beta, double alpha); /* input.baddbmm_(a, b) */

/* ---- made of these (core/ops/tensordot.c, cdist.c) ---- */
T_API Tensor *t_outer(Tensor *a, Tensor *b);            /* torch.outer(a, b) */
T_API Tensor *t_ger(Tensor *a, Tensor *b);              /* torch.ger(a, b) */
T_API Tensor *t_inner(Tensor *a, Tensor *b);            /* torch.inner(a, b) */
T_API Tensor *t_tensordot(Tensor *a, Tensor *b, const int64_t *dims_a, int count_a, const int64_t *dims_b,
                          int count_b);                 /* torch.tensordot(a, b, (dims_a, dims_b)) */
T_API Tensor *t_tensordot_of_(Tensor *a, Tensor *b, int64_t dims); /* the same of a number, for the macro */
T_API Tensor *t_kron(Tensor *a, Tensor *b);             /* torch.kron(a, b) */
T_API Tensor *t_cross(Tensor *a, Tensor *b, int64_t dim); /* torch.cross(a, b, dim); T_NONE: the first of size 3 */
T_API Tensor *t_matrix_power(Tensor *x, int64_t n);     /* torch.matrix_power(x, n), n from 0 on */
T_API Tensor *t_chain_matmul(const t_TensorList *matrices); /* torch.chain_matmul(*matrices) */
T_API Tensor *t_cdist(Tensor *a, Tensor *b, double p);  /* torch.cdist(a, b, p) */

T_END_DECLS
#endif
