/* core/tensor/list.h: t_TensorList, a list of tensors, Python's [a, b, c] (public). */
#ifndef TAPEGRAD_CORE_TENSOR_LIST_H
#define TAPEGRAD_CORE_TENSOR_LIST_H

#include "core/tensor/scope.h"

T_BEGIN_DECLS

/* Owned by the scope like a tensor; holds a reference on each item, which therefore outlives its own scope. The fields
 * are read-only. Only a list of gradients (t_autograd_grad) has NULL items, Python's None. */
typedef struct t_TensorList {
    t_Object object;
    int64_t len, capacity; /* capacity: number of items that fit into the array */
    Tensor **items;
} t_TensorList;

T_API t_TensorList *t_list_new(Tensor *const *items, int64_t count); /* [*items]; NULL where an item is NULL */
T_API bool t_list_append(t_TensorList *list, Tensor *x);             /* list.append(x) */
T_API bool t_list_extend(t_TensorList *list, const t_TensorList *other); /* list.extend(other), list += other */
T_API t_TensorList *t_list_concat(const t_TensorList *a, const t_TensorList *b); /* a + b, [*a, *b]: a new list */
T_API Tensor *t_list_get(const t_TensorList *list, int64_t index);   /* list[index], negative from the end */
T_API bool t_list_set(t_TensorList *list, int64_t index, Tensor *x); /* list[index] = x, negative from the end */
/* q, k, v = list: *to[i] = list[i]. Error: the list has not count items; then nothing is assigned. */
T_API bool t_list_unpack(const t_TensorList *list, Tensor **const *to, int64_t count);

T_API t_TensorList *t_as_list_(void *x); /* a list itself, a tensor as a list of one, NULL as NULL */

T_END_DECLS
#endif
