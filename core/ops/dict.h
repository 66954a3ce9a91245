/* core/ops/dict.h: a dict from names to tensors and texts: state dicts, checkpoints, files of tensors (public).
 *
 *     t_TensorDict *checkpoint = t_dict();
 *     t_dict_set(checkpoint, "epoch", 3);
 *     t_dict_set(checkpoint, "model_state_dict", nn_state_dict(model));
 *     ...
 *     nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model_state_dict"));
 *
 * Items are in insertion order. Nested dicts are stored flat, under dotted names: the third line sets
 * "model_state_dict.fc.weight", the last one returns it as "fc.weight". So a tensor and a dict may have the same name,
 * as in a file, and setting one keeps the other (t_dict_delete deletes both). A number is a 0-dim tensor (int64 or
 * float64). Texts are items next to the tensors, as in the metadata of a safetensors file. */
#ifndef TAPEGRAD_CORE_OPS_DICT_H
#define TAPEGRAD_CORE_OPS_DICT_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* One of dict.items(): a tensor or a text; the other one is NULL. */
typedef struct t_DictItem {
    char *name;
    Tensor *tensor;
    char *text;
    uint64_t hash;
} t_DictItem;

/* Owned by the scope like a tensor; holds a reference on each tensor. The fields are read-only. */
typedef struct t_TensorDict {
    t_Object object;
    int64_t len, capacity;
    t_DictItem *items;
    int64_t *index; /* the hash table: indices into items, -1 for a free slot */
    int64_t slots;  /* its size, a power of two */
    uint64_t key;   /* initial value of the hashes */
} t_TensorDict;

T_API t_TensorDict *t_dict_new(void);                                             /* {} */
T_API bool t_dict_set(t_TensorDict *dict, const char *name, Tensor *x);           /* dict[name] = x */
T_API bool t_dict_set_integer(t_TensorDict *dict, const char *name, int64_t x);   /* dict[name] = 3 */
T_API bool t_dict_set_number(t_TensorDict *dict, const char *name, double x);     /* dict[name] = 0.5 */
T_API bool t_dict_set_text(t_TensorDict *dict, const char *name, const char *x);  /* dict[name] = "..." */
/* dict[name] = inner: copies inner's items to "name.…", replacing the old ones. An empty dict is stored as the text
 * "{}". */
T_API bool t_dict_set_dict(t_TensorDict *dict, const char *name, const t_TensorDict *inner);

/* dict[name]. Errors: KeyError, with the first and the last name; the item is a text and not a tensor, or the
 * reverse. */
T_API Tensor *t_dict_get(const t_TensorDict *dict, const char *name);
T_API const char *t_dict_get_text(const t_TensorDict *dict, const char *name); /* valid as long as the item */
/* dict[name], a dict: the items "name.…" with that prefix removed. Error: KeyError if there is none. */
T_API t_TensorDict *t_dict_get_dict(const t_TensorDict *dict, const char *name);
T_API double t_dict_get_number(const t_TensorDict *dict, const char *name);     /* dict[name].item(); NaN on error */
T_API int64_t t_dict_get_integer(const t_TensorDict *dict, const char *name);   /* int(dict[name]); T_NONE on error */
T_API bool t_dict_has(const t_TensorDict *dict, const char *name);              /* name in dict: any of the three */
T_API bool t_dict_delete(t_TensorDict *dict, const char *name);                 /* del dict[name] */
/* list(dict.values()). Error: an item is a text. */
T_API t_TensorList *t_dict_values(const t_TensorDict *dict);
/* dict(zip(names, values)): a dict with the names of `names`, in that order, and a list's tensors. Error: another
 * number of tensors. */
T_API t_TensorDict *t_dict_zip(const t_TensorDict *names, const t_TensorList *values);

T_END_DECLS
#endif
