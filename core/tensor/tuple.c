/* core/tensor/tuple.c: the few things that a macro asks of its arguments at run time. */
#include "core/tensor/tuple.h"

#include "core/tensor/error.h"

int t_tuple_len_of_(const t_Tuple *tuple) {
    int count = tuple->len;
    while (!tuple->len && count <= T_MAX_DIMS && tuple->items[count] != T_NONE) count++;
    return count;
}

bool t_missing_of_(const char *name) {
    return t_fail("missing the argument %s", name) != NULL;
}
