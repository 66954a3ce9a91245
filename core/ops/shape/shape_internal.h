/* core/ops/shape/shape_internal.h: the attributes of the records of this folder's ops (internal). */
#ifndef TAPEGRAD_CORE_OPS_SHAPE_SHAPE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_SHAPE_SHAPE_INTERNAL_H

#include "core/tensor/tensor.h"

/* Of transpose and t: the two dims that are swapped; of permute: the dims of x in the order of the result. */
typedef struct Dims {
    int count, dim[T_MAX_DIMS];
} Dims;

/* Of slice, narrow, select, split, unbind: the slice of one dim, and the rank and shape of the sliced tensor. */
typedef struct Slice {
    int dim, ndim;
    int64_t start, length, step, shape[T_MAX_DIMS];
} Slice;

/* Of repeat: how often along each dim of the result. */
typedef struct Repeats {
    int count;
    int64_t of[T_MAX_DIMS];
} Repeats;

/* Of tril and triu. */
typedef struct Triangle {
    int64_t diagonal;
    bool upper;
} Triangle;

/* Of flip. */
typedef struct DimSet {
    int count;
    int64_t of[T_MAX_DIMS];
} DimSet;

#endif
