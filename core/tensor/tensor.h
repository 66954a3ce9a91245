/* core/tensor/tensor.h: a tensor is a window on a storage (internal).
 *
 * Element (i0, i1, ...) of x stands at data[offset + i0 * strides[0] + i1 * strides[1] + ...]. So a transpose, a slice or
 * an expansion is only another shape, other strides and another offset over the same storage: a view. */
#ifndef TAPEGRAD_CORE_TENSOR_TENSOR_H
#define TAPEGRAD_CORE_TENSOR_TENSOR_H

#include "core/tensor/context.h"
#include "core/tensor/list.h"

typedef struct Storage {
    int32_t refs;
    int32_t mark;    /* 0 but while somebody looks for storages that come twice (optim/fused_step.c) */
    int64_t version; /* counts the in-place writes: a saved tensor whose version moved is an error in backward */
    size_t bytes;    /* of data */
    int32_t lent;    /* how many records keep a copy instead of it before it is written to (tg_lend) */
    bool is_pointed_at; /* by t_data_ptr_mut: it may be written to at any time */
    struct tg_Packed *packed; /* copies for matrix products (packed_weight.h), NULL as soon as anything is written */
    _Alignas(64) char data[];
} Storage;

struct Tensor {
    t_Object object;
    Storage *storage;
    int64_t offset; /* in elements, as the strides are */
    int ndim; /* what is read most stands within a byte's reach of the struct's begin: so an access is 3 bytes shorter */
    t_DType dtype;
    bool wrapped_number;    /* a plain number in tensor's clothes: it does not widen the dtype of what it meets */
    bool is_parameter;      /* made by nn_Parameter or a layer: what a module takes as its own */
    bool requires_grad;     /* asked for (a leaf), or inherited from an input */
    bool made_without_grad; /* of a view: the tape does not know it, so it may not be written to while the tape runs */
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];

    struct Record *record; /* what made it; NULL for a leaf */
    Tensor *grad;          /* of a leaf */
    Tensor *pending;       /* what a running backward will add to grad */
    Tensor *next_pending;
    struct t_Hook *hooks;  /* of a leaf, on its gradient */
    bool wanted;           /* a leaf that a running backward was asked for */
    Tensor *base;          /* of a view: the tensor whose storage it looks at */
    int32_t history;       /* of a base: how often an in-place op gave it a new record; of a view: the base's at its making */
};

extern const t_Class tg_tensor_class;

/* ---- making tensors: each gives NULL with an error set on failure, and puts the new tensor into the current scope ---- */

Tensor *tg_empty(const int64_t *shape, int ndim, t_DType dtype); /* contiguous, uninitialised */
Tensor *tg_empty_strided(const int64_t *shape, const int64_t *strides, int ndim, t_DType dtype);
Tensor *tg_empty_like(const Tensor *x, t_DType dtype); /* torch.empty_like: keeps a dense layout */
Tensor *tg_empty_alike(const Tensor *x, int64_t n, t_DType dtype); /* the same of a contiguous x of n elements */
Tensor *tg_view(Tensor *x, const int64_t *shape, const int64_t *strides, int ndim, int64_t offset);
Tensor *tg_alias(Tensor *x); /* a view of all of x, without any history */
Tensor *tg_cut_from_base(Tensor *y); /* a view of a tensor that nobody else will see becomes a tensor in its own right */
void tg_take_data(Tensor *x, Tensor *y); /* x.data = y.data: x becomes a window on y's storage, in y's shape and dtype */
void tg_tensor_drain(void);  /* at thread end: gives back the structs that are kept for the "died with its scope" error */

/* ---- looking ---- */

static inline size_t tg_itemsize(t_DType dtype) {
    return dtype == t_bool ? 1 : dtype == t_float32 ? 4 : 8;
}
static inline bool tg_is_floating(t_DType dtype) {
    return dtype >= t_float32;
}
static inline void *tg_data(const Tensor *x) {
    return x->storage->data + (size_t)x->offset * tg_itemsize(x->dtype);
}
int64_t tg_numel(const Tensor *x);
int64_t tg_count(const int64_t *shape, int ndim); /* the product; INT64_MAX where that is too large (beside a size of 0) */
bool tg_is_contiguous(const Tensor *x);
bool tg_is_dense(const Tensor *x); /* its elements fill one block of memory without gap or overlap, in some order */
bool tg_overlaps_itself(const Tensor *x); /* one memory cell stands for several elements (expand) */
bool tg_same_shape(const Tensor *a, const Tensor *b);
void tg_contiguous_strides(const int64_t *shape, int ndim, int64_t *strides);
const char *tg_dtype_name(t_DType dtype);   /* "float32" */
const char *tg_scalar_name(t_DType dtype);  /* "Float", as PyTorch's error texts say it */
const char *tg_c_name(t_DType dtype);       /* "float", as some of them do */
/* The i-th element of a contiguous floating tensor. */
static inline double tg_real_at(const Tensor *x, int64_t i) {
    return x->dtype == t_float64 ? ((const double *)tg_data(x))[i] : (double)((const float *)tg_data(x))[i];
}
double tg_read_double(const Tensor *x);     /* the value of a one-element tensor */
int64_t tg_read_int64(const Tensor *x);

/* "[2, 3]" in one of a few rotating buffers, for error texts. */
const char *tg_shape_text(const int64_t *shape, int ndim);
const char *tg_shape_of(const Tensor *x); /* its shape's text */
const char *tg_number_text(double value); /* Python's repr: "-1.0", "1e-05"; good until the next call */

/* ---- checking arguments ---- */

/* True if x is a live tensor, whose record is then up to date with in-place writes to its base. False after a silent
 * NULL (an error is pending: it passes on) or with an error set. */
bool tg_check(const Tensor *x, int position);
bool tg_check_two(const Tensor *a, const Tensor *b); /* the arguments 1 and 2, and to 3 */
bool tg_check_three(const Tensor *a, const Tensor *b, const Tensor *c);
bool tg_check_list(const t_TensorList *list, int position); /* as tg_check, for a list and its items */
struct t_TensorDict;
bool tg_check_dict(const struct t_TensorDict *dict, int position);
const struct t_DictItem *tg_dict_find(const struct t_TensorDict *dict, const char *name); /* NULL where there is none */
/* The same for an optional argument: NULL is fine unless an error is pending. */
bool tg_check_optional(const Tensor *x, int position);
/* A number that is about to fill a tensor of this dtype, plain or as a 0-dim tensor: PyTorch's error where it overflows. */
bool tg_check_number(double value, t_DType dtype);
bool tg_check_value(const Tensor *value, t_DType dtype);
/* An argument other than a tensor that must be given: NULL is an error, or passes on where one is pending. what: "a batch". */
bool tg_check_given(bool given, int position, const char *what);
/* An array and how many elements it has: NULL only with 0 of them, and never less than 0. what: "dims". */
bool tg_refuse_array(int64_t count, int position, const char *what);
static inline bool tg_check_array(const void *array, int64_t count, int position, const char *what) {
    return (array && count > 0) || count == 0 || tg_refuse_array(count, position, what);
}
bool tg_check_dtype(t_DType dtype); /* one of the four, or 0 for none given */
bool tg_check_optional_list(const t_TensorList *list, int position); /* the list, and each of its items */
t_TensorList *tg_list_of_nulls(int64_t count); /* for the caller to fill */
/* None of an argument's values is T_NONE, which is what a macro passes for one that is left out. names: separated by spaces. */
bool tg_check_needed(const char *names, const int64_t *values);
/* Python's negative dims: puts a dim of a rank-ndim tensor into *dim, or sets PyTorch's IndexError. A 0-dim tensor
 * takes -1 and 0. T_NONE is no dim at all. */
bool tg_wrap_dim(int64_t dim, int ndim, int *wrapped);
bool tg_wrap_dims(const int64_t *dims, int count, int ndim, int *wrapped); /* each of them once; room for T_MAX_DIMS */

/* ---- what a tensor asks of the graph above it (core/autograd) ---- */

bool tg_refresh(Tensor *x);        /* brings a view's record up to date with in-place writes to its base (inplace.c) */
struct Record;
void tg_set_record(Tensor *x, struct Record *record); /* in place of the one that it has (tape.c) */
void tg_release_history(Tensor *x); /* when x goes: its record and hooks (hooks.c) */

#endif
