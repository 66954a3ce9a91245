/* core/tensor/tuple.h: t_Tuple, a tuple of integers as the macros pass it (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_TENSOR_TUPLE_H
#define TAPEGRAD_CORE_TENSOR_TUPLE_H

#include "core/tensor/api.h"

#define T_LEFT_OUT_ (INT64_MIN + 1) /* for an argument that may be a number or a tuple: not a number */

T_BEGIN_DECLS

/* A size, a shape or a list of dims. From a tuple it has len items; from separate numbers len is 0 and the items end at
 * the first T_NONE. */
typedef struct t_Tuple {
    int64_t items[T_MAX_DIMS + 1];
    int len;
} t_Tuple;

T_API int t_tuple_len_of_(const t_Tuple *tuple);  /* the number of items */
T_API bool t_missing_of_(const char *name);       /* sets the error "missing the argument"; returns false */

T_END_DECLS
#endif
