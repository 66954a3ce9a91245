/* core/ops/einsum_internal.h: an einsum equation, read (internal). */
#ifndef TAPEGRAD_CORE_OPS_EINSUM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_EINSUM_INTERNAL_H

#include "core/ops/pointwise_internal.h"

/* A label names a dim: a letter (A to Z are 0 to 25, a to z 26 to 51), or one of the dims that an ellipsis covers, which are
 * counted so that the last dim is the last label whatever their number. */
enum { TG_LETTERS = 52, TG_LABELS = TG_LETTERS + T_MAX_DIMS };

/* A tensor whose dim d is called label[d]. */
typedef struct Term {
    Tensor *x;
    int label[T_MAX_DIMS];
} Term;

/* A list of labels, each of them once. */
typedef struct Labels {
    int count, of[TG_LABELS];
} Labels;

/* Labels the dims of each operand (one of them perhaps twice) and those of the result. Errors: every mistake in the text, and
 * sizes that do not go together, in PyTorch's sentences. */
bool tg_read_equation(const char *equation, const t_TensorList *operands, Term *terms, Labels *result);

#endif
