/* core/linalg/linalg_internal.h: what the files of torch.linalg share: checks with PyTorch's texts, batches of matrices
 * on raw memory (internal). */
#ifndef TAPEGRAD_CORE_LINALG_LINALG_INTERNAL_H
#define TAPEGRAD_CORE_LINALG_LINALG_INTERNAL_H

#include "core/autograd/tape.h"
#include "core/kernels/linalg/linalg.h"
#include "core/linalg/linalg.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/dtype_convert.h"

/* ---- checks: false with PyTorch's error; f is the function's name in it, "linalg.inv" ---- */

bool tg_check_matrices(const Tensor *x, const char *f, const char *argument); /* at least 2 dims */
bool tg_check_square(const Tensor *x, const char *f);                       /* that, named A, and square */
bool tg_check_is_floating(const Tensor *x, const char *f);
bool tg_check_dtypes_of(const Tensor *A, const Tensor *B, const char *f);
/* Of A X = B (left) or X A = B. */
bool tg_check_equation(const Tensor *A, const Tensor *B, bool left, const char *f);
/* Whether all infos are 0. If not: "f: (Batch element 1): " for the first that is not, followed by the text, in which
 * %lld is the info. */
bool tg_check_info(const Tensor *info, const char *f, const char *text);

/* ---- batches ---- */

static inline int64_t tg_rows(const Tensor *x) {
    return x->shape[x->ndim - 2];
}
static inline int64_t tg_columns(const Tensor *x) {
    return x->shape[x->ndim - 1];
}
static inline bool tg_is_double(const Tensor *x) {
    return x->dtype == t_float64;
}
int64_t tg_matrix_count(const Tensor *x); /* of its batch; 0 if the matrices have no elements either */

/* A new contiguous tensor with the values of x, without a history; all that is written to by the kernels. */
Tensor *tg_matrix_copy(Tensor *x);
/* A new tensor of the batch dims of x and the given last ones: rows x columns; columns T_NONE: rows; both T_NONE:
 * nothing. */
Tensor *tg_empty_batch(const Tensor *x, int64_t rows, int64_t columns, t_DType dtype);
/* Elements for the kernels to work in, at least one. */
Tensor *tg_workspace(int64_t elements, t_DType dtype);
/* Element i of a contiguous tensor, in elements of its dtype. */
static inline void *tg_element(const Tensor *x, int64_t i) {
    return (char *)tg_data(x) + (size_t)i * tg_itemsize(x->dtype);
}
static inline void *tg_matrix_data(const Tensor *x, int64_t i) {
    return tg_element(x, i * tg_rows(x) * tg_columns(x));
}
/* The index in elements, in the storage of x, of the first element of item i of the batch; x may be expanded. `dims`:
 * of an item, 2 for a matrix. */
int64_t tg_batch_offset(const Tensor *x, int dims, int64_t i);
/* Views of A and B with the batch dims of both, broadcast; they have gradients. False with an error set. */
bool tg_broadcast_batches(Tensor **A, Tensor **B);

/* ---- several outputs with gradients ----
 * A record has one output. So the outputs of qr, eigh and svd are parts of one contiguous tensor of one dim, which has
 * the record of the decomposition; each output is a view of its part, with a record whose gradient is 0 outside. */

enum { TG_MOST_PARTS = 3 };
typedef struct tg_Parts {
    int count, ndim[TG_MOST_PARTS];
    int64_t start[TG_MOST_PARTS], shape[TG_MOST_PARTS][T_MAX_DIMS], total;
} tg_Parts;

/* Adds a part of the batch dims of x (none for NULL) and the last ones, as in tg_empty_batch. */
void tg_add_part(tg_Parts *parts, const Tensor *x, int64_t rows, int64_t columns);
Tensor *tg_part(Tensor *all, const tg_Parts *parts, int i);                    /* as a view, by ops */
Tensor *tg_output(const Op *op, Tensor *all, const tg_Parts *parts, int i);    /* recorded by op, whose rule is: */
void tg_part_backward(Record *r, Tensor *dy, Tensor **dx);

/* ---- composed values ---- */

Tensor *tg_eye_like(const Tensor *x, int64_t n, int64_t m); /* an identity of the dtype of x */
/* x with `value` on the diagonals of its matrices, as an op: x must have them 0. */
Tensor *tg_diagonal_matrix(Tensor *diagonal);

/* x / y, but 0 where both are 0, and where so are the gradients. */
Tensor *tg_quotient(Tensor *x, Tensor *y);

/* ---- LU (lu.c) ---- */

/* LU and pivots (from 1 on) of A, not recorded; info, if not NULL: the first diagonal element of U that is 0, from 1
 * on, else 0. */
Tensor *tg_lu(Tensor *A, Tensor **pivots, Tensor **info);
/* The solution of A X = B (left) or X A = B from them, not recorded, with A transposed for `adjoint`. Batches
 * broadcast. */
Tensor *tg_lu_solved(Tensor *LU, Tensor *pivots, Tensor *B, bool left, bool adjoint);

#endif
