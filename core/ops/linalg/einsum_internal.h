/* core/ops/linalg/einsum_internal.h: a parsed einsum equation (internal). */
#ifndef TAPEGRAD_CORE_OPS_LINALG_EINSUM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_LINALG_EINSUM_INTERNAL_H

#include "core/ops/pointwise/pointwise_internal.h"

/* A label names a dim: a letter (A to Z are 0 to 25, a to z 26 to 51), or one of the dims of an ellipsis, which are
 * numbered such that the last dim always has the last label. */
enum { TG_LETTERS = 52, TG_LABELS = TG_LETTERS + T_MAX_DIMS };

/* A tensor whose dim d has the label label[d]. */
typedef struct Term {
    Tensor *x;
    int label[T_MAX_DIMS];
} Term;

/* A list of different labels. */
typedef struct Labels {
    int count, of[TG_LABELS];
} Labels;

/* Labels the dims of each operand (a label may occur twice in one) and those of the result. Errors: PyTorch's, for
 * every syntax error and for sizes that do not match. */
bool tg_parse_einsum(const char *equation, const t_TensorList *operands, Term *terms, Labels *result);

#endif
