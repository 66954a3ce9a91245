/* core/ops/reduce_plan_internal.h: a reduction as it is planned (reduce_plan.c) and walked (reduce_tiles.c) (internal). */
#ifndef TAPEGRAD_CORE_OPS_REDUCE_PLAN_INTERNAL_H
#define TAPEGRAD_CORE_OPS_REDUCE_PLAN_INTERNAL_H

#include "core/ops/reduce_internal.h"
#include "core/tensor/iterator_internal.h"

/* Operand 0 of the walk is x, operand 1 is y, whose steps are in elements here. */
typedef struct Folding {
    Walk w;
    const Fold *how;
    tg_ReduceTile tile; /* what all tiles have in common */
    Tensor *y;
    bool along;       /* dim 0 is reduced: tiles are rows */
    int of_tile;      /* the kept dim whose results are a tile; -1: there is one result */
    int of_rows;      /* the dim that gives a matrix its rows: of_tile if along, else some reduced one; -1: there is one row */
    bool down_first;  /* there is one result, and it is made of its columns': rows are short */
    int of_block;     /* if not along: the kept dim of which `blocks` matrices beside each other are one tile; -1: a tile has one */
    int64_t blocks;
    int64_t most, across; /* results in a tile; tiles across that dim */
    int64_t tiles, results;
    int cut;          /* the dim that is cut into pieces; -1: none */
    int64_t piece, pieces;
    char *partial;    /* the pieces' results, one behind the other */
    int64_t *places;  /* and where they stand */
} Folding;

static inline bool tg_is_reduced(const Walk *w, int d) {
    return w->steps[1][d] == 0 && w->shape[d] > 1;
}

/* w, how, y and tile are there: all but the memory for the results of pieces. n: elements of x. */
void tg_plan_reduction(Folding *f, int64_t n);

#endif
