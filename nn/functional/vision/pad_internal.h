/* nn/functional/vision/pad_internal.h: the attributes of the records of F.pad (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_VISION_PAD_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_VISION_PAD_INTERNAL_H

#include "core/tensor/tensor.h"

typedef enum PadMode { TG_CONSTANT, TG_REFLECT, TG_REPLICATE, TG_CIRCULAR } PadMode;

/* The pads before and after each dim of x; a negative one removes elements. */
typedef struct Pads {
    PadMode mode;
    int64_t before[T_MAX_DIMS], after[T_MAX_DIMS];
    double value; /* of a record of mode TG_CONSTANT */
} Pads;

#endif
