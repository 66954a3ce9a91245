/* core/ops/indexing/index_parser_internal.h: an index as text, ":, {}, 1::2", and as a list of items (internal). */
#ifndef TAPEGRAD_CORE_OPS_INDEXING_INDEX_PARSER_INTERNAL_H
#define TAPEGRAD_CORE_OPS_INDEXING_INDEX_PARSER_INTERNAL_H

#include "core/ops/ops.h"
#include "core/tensor/tensor.h"

typedef enum Kind { INTEGER, SLICE, ELLIPSIS, NEW_DIM, TENSOR } Kind;

typedef struct Item {
    Kind kind;
    int64_t start, stop, step; /* of a slice; the value of an integer is in start */
    Tensor *tensor;            /* bool or int64; a mask indexes as many dims as it has */
} Item;

enum { MAX_ITEMS = 2 * T_MAX_DIMS + 1 }; /* every dim indexed, every dim of the result added by None, and one "..." */

typedef struct Index {
    int len, dims; /* the number of items, and of dims of x that they index */
    bool is_tuple; /* contains a comma or a tensor */
    Item items[MAX_ITEMS];
} Index;

/* Parses the text; each {} takes the next of the values. Lists in the text become tensors of the current scope. */
bool tg_parse_index(const char *text, const t_IndexValue_ *values, int count, Index *index);

#endif
