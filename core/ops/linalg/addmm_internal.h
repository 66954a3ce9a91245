/* core/ops/linalg/addmm_internal.h: the attributes of the records of addmm, addmv and baddbmm, and their product of
 * bfloat16 (internal). */
#ifndef TAPEGRAD_CORE_OPS_LINALG_ADDMM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_LINALG_ADDMM_INTERNAL_H

#include "core/tensor/tensor.h"

typedef struct Factors {
    double beta, alpha;
} Factors;

/* a b + plus (matmul.c), which broadcasts, of bfloat16 matrices or two batches of them, where tg_gemm_has_bfloat16:
 * sums of float, rounded once. */
Tensor *tg_bfloat16_product(Tensor *a, Tensor *b, Tensor *plus);

#endif
