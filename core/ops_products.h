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

T_END_DECLS
#endif
