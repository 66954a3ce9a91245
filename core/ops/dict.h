/* core/ops/dict.h: tensors by their names, what a state dict, a checkpoint and a file of tensors are in Python (public).
 *
 *     t_TensorDict *checkpoint = t_dict();
 *     t_dict_set(checkpoint, "epoch", 3);
 *     t_dict_set(checkpoint, "model_state_dict", nn_state_dict(model));
 *     ...
 *     nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model_state_dict"));
 *
 * Items stay in the order in which their names came. A dict within a dict is flat, under dotted names: the third line sets
 * "model_state_dict.fc.weight", the last one takes it out as "fc.weight". So a tensor may have the name of a dict, as in a file,
 * and setting it leaves the dict there (t_dict_delete takes both away). A number is a tensor without dims (int64 or float64);
 * texts stand beside the tensors, as in a safetensors file. */
#ifndef TAPEGRAD_CORE_OPS_DICT_H
#define TAPEGRAD_CORE_OPS_DICT_H

#include "core/tensor/scope.h"

T_BEGIN_DECLS

/* One of dict.items(): a tensor or a text, the other is NULL. */
typedef struct t_DictItem {
    char *name;
    Tensor *tensor;
    char *text;
    uint64_t hash;
} t_DictItem;

/* Owned by the scope like a tensor; holds a reference on each tensor. Read the fields. */
typedef struct t_TensorDict {
    t_Object object;
    int64_t len, room;
    t_DictItem *items;
    int64_t *index; /* the dict's own: where a hash is in items, -1 for a free place */
    int64_t places;
    uint64_t key; /* of its hashes */
} t_TensorDict;

T_API t_TensorDict *t_dict_new(void);                                             /* {} */
T_API bool t_dict_set(t_TensorDict *dict, const char *name, Tensor *x);           /* dict[name] = x */
T_API bool t_dict_set_integer(t_TensorDict *dict, const char *name, int64_t x);   /* dict[name] = 3 */
T_API bool t_dict_set_number(t_TensorDict *dict, const char *name, double x);     /* dict[name] = 0.5 */
T_API bool t_dict_set_text(t_TensorDict *dict, const char *name, const char *x);  /* dict[name] = "..." */
/* dict[name] = inner: a copy of inner's items under "name.…", in place of those that there were. An empty one is kept as a text. */
T_API bool t_dict_set_dict(t_TensorDict *dict, const char *name, const t_TensorDict *inner);

/* dict[name]. Errors: KeyError, with the names that there are; a text where a tensor is asked for, and the reverse. */
T_API Tensor *t_dict_get(const t_TensorDict *dict, const char *name);
T_API const char *t_dict_get_text(const t_TensorDict *dict, const char *name); /* valid as long as the item */
/* dict[name], a dict: the items under "name.…" without it. Error: KeyError where there is none. */
T_API t_TensorDict *t_dict_get_dict(const t_TensorDict *dict, const char *name);
T_API double t_dict_get_number(const t_TensorDict *dict, const char *name);     /* dict[name].item(); NaN on error */
T_API int64_t t_dict_get_integer(const t_TensorDict *dict, const char *name);   /* int(dict[name]); T_NONE on error */
T_API bool t_dict_has(const t_TensorDict *dict, const char *name);              /* name in dict: a tensor, text or dict */
T_API bool t_dict_delete(t_TensorDict *dict, const char *name);                 /* del dict[name] */

T_END_DECLS
#endif
