/* core/tensor/tuple.c: run-time functions of the macros: the length of a tuple, the error for a missing argument. */
#include "core/tensor/tuple.h"

#include "core/tensor/error.h"

/* A len of 0 means that the items end at T_NONE (tuple.h). */
int t_tuple_len_of_(const t_Tuple *tuple) {
    int count = tuple->len;
    while (!tuple->len && count <= T_MAX_DIMS && tuple->items[count] != T_NONE) count++;
    return count;
}

bool t_missing_of_(const char *name) {
    return t_fail("missing the argument %s", name) != NULL;
}
