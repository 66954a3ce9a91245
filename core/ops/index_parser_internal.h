/* core/ops/index_parser_internal.h: an index as it is written, ":, {}, 1::2", and as a list of items (internal). */
#ifndef TAPEGRAD_CORE_OPS_INDEX_PARSER_INTERNAL_H
#define TAPEGRAD_CORE_OPS_INDEX_PARSER_INTERNAL_H

#include "core/tensor/tensor.h"
#include "core/ops/ops.h"

typedef enum Kind { INTEGER, SLICE, ELLIPSIS, NEW_DIM, TENSOR } Kind;

typedef struct Item {
    Kind kind;
    int64_t start, stop, step; /* of a slice; an integer is in start */
    Tensor *tensor;            /* bool or int64; a mask uses up as many dims as it has */
} Item;

enum { MAX_ITEMS = 2 * T_MAX_DIMS + 1 }; /* every dim used up, every result dim made by None, and one "..." */

typedef struct Index {
    int len, dims; /* how many items, and how many dims of x they use up */
    bool is_tuple; /* there was a comma, or a tensor */
    Item items[MAX_ITEMS];
} Index;

/* Reads the text; {} stands for the next of the values. Lists in the text become tensors of the current scope. */
bool tg_read_index(const char *text, const t_IndexValue_ *values, int count, Index *index);

#endif
