/* core/ops/reduce_plan_internal.h: the plan of a reduction, made by reduce_plan.c and executed by reduce_tiles.c
 * (internal). */
#ifndef TAPEGRAD_CORE_OPS_REDUCE_PLAN_INTERNAL_H
#define TAPEGRAD_CORE_OPS_REDUCE_PLAN_INTERNAL_H

#include "core/ops/reduce_internal.h"
#include "core/tensor/iterator_internal.h"

/* Operand 0 of the iteration is x, operand 1 is y, whose strides are in elements here. */
typedef struct ReducePlan {
    Walk w;
    const ReduceArgs *args;
    tg_ReduceTile tile; /* the fields that all tiles share */
    Tensor *y;
    bool inner_reduced; /* dim 0 (innermost) is reduced: a tile is some rows; else some columns */
    int tile_dim;       /* the kept dim whose results form a tile; -1: there is one result */
    int row_dim;        /* the dim of the rows of a tile: tile_dim if inner_reduced, else a reduced one; -1: one row */
    bool columns_first; /* one result of short rows: columns are reduced first, then their results */
    /* if not inner_reduced: the kept dim of which block_size adjacent matrices form a tile; -1: none */
    int block_dim;
    int64_t block_size;
    int64_t tile_size, tiles_across; /* results in a tile; tiles along tile_dim */
    int64_t tiles, results;
    int split_dim;          /* the dim that is split; -1: none */
    int64_t split_size, splits;
    char *partial;          /* the results of the splits, one split after the other */
    int64_t *partial_index; /* and their indices */
} ReducePlan;

static inline bool tg_is_reduced(const Walk *w, int d) {
    return w->steps[1][d] == 0 && w->shape[d] > 1;
}

/* Plans a reduction of n elements: w, args, y and tile are set before; all but the memory of partial results is set
 * here. */
void tg_plan_reduction(ReducePlan *f, int64_t n);

#endif
