/* core/kernels/gemm/gemm_epilogue.h: the epilogue of a linear layer: an activation and dropout; and their backward,
 * with the gradient of the bias. */
#ifndef TAPEGRAD_CORE_KERNELS_GEMM_GEMM_EPILOGUE_H
#define TAPEGRAD_CORE_KERNELS_GEMM_GEMM_EPILOGUE_H

#include "core/kernels/gemm/gemm.h"

typedef enum tg_Activation { TG_NO_ACTIVATION, TG_RELU, TG_GELU, TG_GELU_TANH } tg_Activation;

/* y = activation(z) * mask, for `rows` contiguous rows of n elements; mask is scale where a bit is set, else 0. */
typedef struct tg_Epilogue {
    bool f64;
    tg_Activation activation;
    int64_t rows, n;
    void *z, *y;          /* the backward of relu reads y, that of the others z; z may be NULL forward */
    const uint64_t *dropout_mask; /* its bits and one word more, or NULL: no dropout (relu's backward) */
    double scale;         /* 1 / (1 - p) of dropout, else 1 */

    /* backward */
    const void *dy;
    void *dz;         /* may be NULL; may be dy. Without an activation it is dy, and not written */
    bool recompute_y; /* y is recomputed and overwrites z */
    void *db;         /* n elements: the sums of dz over the rows */
    void *workspace;  /* tg_epilogue_workspace() elements, NULL for 0 of them */
    int64_t block;    /* rows of a block, set by tg_epilogue_backward */
} tg_Epilogue;

/* p->c = y with z = p->a p->b + p->plus, which is written to f->z only where that is given. */
void tg_gemm_epilogue(tg_Product *p, tg_Epilogue *f);
/* dz = dy * mask * activation'(z), and its sums over the rows in blocks that depend on the sizes only; y if wanted. */
void tg_epilogue_backward(tg_Epilogue *f);
int64_t tg_epilogue_workspace(const tg_Epilogue *f);

#endif
