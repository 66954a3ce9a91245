/* nn/functional/vision/pad_internal.h: the pads of F.pad, for the op and its checks (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_PAD_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_PAD_INTERNAL_H

#include "core/tensor/size_arithmetic.h"
#include "nn/functional/vision/vision.h"

typedef enum tg_PadMode { TG_CONSTANT, TG_REFLECT, TG_REPLICATE, TG_CIRCULAR } tg_PadMode;

/* The pads before and after each dim of x; a negative one removes elements. */
typedef struct tg_Pads {
    tg_PadMode mode;
    int64_t before[T_MAX_DIMS], after[T_MAX_DIMS];
} tg_Pads;

/* How many elements a pad adds, and how many it removes. */
static inline int64_t tg_added(int64_t pad) {
    return pad > 0 ? pad : 0;
}
static inline int64_t tg_cut(int64_t pad) {
    return pad < 0 ? tg_size_sub(0, pad) : 0;
}

/* How many of the n elements of x along dim d remain (negative where more are cut than there are), and the size of y
 * there. */
static inline int64_t tg_left_of(const tg_Pads *pads, int d, int64_t n) {
    return tg_size_sub(tg_size_sub(n, tg_cut(pads->before[d])), tg_cut(pads->after[d]));
}
static inline int64_t tg_padded(const tg_Pads *pads, int d, int64_t n) {
    return tg_size_add(tg_size_add(n, pads->before[d]), pads->after[d]);
}

/* Checks the sizes for a mode other than constant; false with PyTorch's error. */
bool tg_check_pads(const Tensor *x, const tg_Pads *pads, int count); /* pad_checks.c */

#endif
