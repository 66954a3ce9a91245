/* core/tensor/tuple.h: what the macros hand over of a tuple of integers (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_TENSOR_TUPLE_H
#define TAPEGRAD_CORE_TENSOR_TUPLE_H

#include "core/tensor/api.h"

#define T_LEFT_OUT_ (INT64_MIN + 1) /* of an argument that takes a number or a tuple: no number was given */

T_BEGIN_DECLS

/* A size, a shape or a list of dims, as a macro has taken it: from a tuple, or from numbers of their own, which end at the first
 * T_NONE; len is 0 then. */
typedef struct t_Tuple {
    int64_t items[T_MAX_DIMS + 1];
    int len;
} t_Tuple;

T_API int t_tuple_len_of_(const t_Tuple *tuple);  /* how many items there are */
T_API bool t_missing_of_(const char *name);       /* tells that this argument is missing; false */

T_END_DECLS
#endif
