/* core/tensor/tensor.h: Tensor and Storage, creation of tensors, accessors, argument checks (internal).
 *
 * Element (i0, i1, ...) of x is data[offset + i0 * strides[0] + i1 * strides[1] + ...]. So a transpose, a slice or an
 * expansion is a view: another shape, other strides and another offset of the same storage.
 *
 * This folder has what tensors are made of: tensor, storage, dtype, list and tuple; scopes, which own them; the
 * thread's context with its errors; the allocator; iteration over strides (iterator.h). It may include core/memory and
 * core/kernels, and knows neither gradients (but for the fields and functions below that the tape defines) nor ops. */
#ifndef TAPEGRAD_CORE_TENSOR_TENSOR_H
#define TAPEGRAD_CORE_TENSOR_TENSOR_H

#include "core/tensor/context.h"
#include "core/tensor/list.h"

typedef struct Storage {
    int32_t refs;
    int32_t mark;    /* for the search for storages that occur twice (optim/fused_step.c); otherwise 0 */
    int64_t version; /* counts in-place writes: backward fails if the version of a saved tensor has changed */
    size_t bytes;    /* of data */
    /* copy-on-write: number of records that get a copy of it before it is written to (tg_save_copy_on_write) */
    int32_t copy_on_write_refs;
    bool has_mutable_pointer; /* t_data_ptr_mut returned a pointer to it: it may be written to at any time */
    struct tg_Packed *packed; /* packed copies for gemm (packed_weight.h); dropped at every write */
    _Alignas(64) char data[];
} Storage;

struct Tensor {
    t_Object object;
    Storage *storage;
    int64_t offset; /* in elements, as the strides are */
    int ndim;
    t_DType dtype;
    /* a C number converted to a tensor (PyTorch's term): it does not promote the other's dtype */
    bool wrapped_number;
    bool is_parameter;      /* created by nn_Parameter or a layer: modules register it */
    bool requires_grad;     /* set by the user (a leaf), or inherited from an input */
    bool made_without_grad; /* of a view: created with grad mode off, so in-place writes with grad mode on are errors */
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];

    struct Record *record; /* of the op that computed it; NULL for a leaf */
    struct Watch *watch;   /* its name (t_watch); NULL for most */
    Tensor *grad;          /* of a leaf */
    Tensor *pending;       /* the gradient that a running backward has accumulated and will add to grad */
    Tensor *next_pending;
    struct t_Hook *hooks; /* of a leaf, on its gradient */
    bool captured;        /* a leaf that is among the inputs of a running backward */
    bool has_optimizer;   /* it was in the parameter list of an optimizer */
    bool is_pil_image;    /* what is a PIL image in Python (core/vision/transforms); no op's result is one */
    /* teaching mode (core/autograd/teach.c): Context.optimizer_steps + 1 when a backward last gave it a gradient */
    int32_t taught_at_step;
    Tensor *base; /* of a view: the tensor of which it is a view */
    /* of a base: number of records that in-place ops gave it; of a view: the base's when last refreshed */
    int32_t history_version;
    /* teaching mode: version + 1 of grad when an optimizer last used it; 0: it was not used */
    int32_t used_grad_version;
};

extern const t_Class tg_tensor_class;
/* The class of a parameter whose shape is not known yet (a lazy module's): every function refuses it as an argument.
 * Its shape is (0). tg_materialize gives it a shape, uninitialised data and the class of a tensor. */
extern const t_Class tg_uninitialized_class;
static inline bool tg_is_uninitialized(const Tensor *x) {
    return x && x->object.is_a == &tg_uninitialized_class;
}
bool tg_make_uninitialized(Tensor *x);
bool tg_materialize(Tensor *x, const int64_t *shape, int ndim);
void tg_materialize_with(Tensor *x, Tensor *data); /* which allocates nothing; x shares data's storage */

/* ---- creation: each returns NULL with an error set on failure; the current scope owns the new tensor ---- */

Tensor *tg_empty(const int64_t *shape, int ndim, t_DType dtype); /* contiguous, uninitialised */
Tensor *tg_empty_strided(const int64_t *shape, const int64_t *strides, int ndim, t_DType dtype);
Tensor *tg_empty_like(const Tensor *x, t_DType dtype); /* torch.empty_like: keeps a dense layout */
/* tg_empty_like for a contiguous x of n elements */
Tensor *tg_empty_like_contiguous(const Tensor *x, int64_t n, t_DType dtype);
Tensor *tg_view(Tensor *x, const int64_t *shape, const int64_t *strides, int ndim, int64_t offset);
Tensor *tg_alias(Tensor *x);            /* an alias of x: the same storage, no base and no record */
Tensor *tg_detach_from_base(Tensor *y); /* makes a view no view: for a base that nothing else will use */
void tg_set_data(Tensor *x, Tensor *y); /* x.data = y.data: x gets y's storage, shape, strides and dtype */
void tg_tensor_drain(void); /* at thread end: frees the structs that are kept for the "died with its scope" error */

/* ---- from one thread to another ----
 * A tensor on its way: plain data and a storage that nothing else refers to, so that no count is shared by threads. The
 * sender packs it, releases the tensor and all else that may refer to the storage, and seals the parcel; the receiver
 * opens it. What makes the memory visible to the receiver (a lock) is between seal and open. */
typedef struct tg_Parcel {
    Storage *storage; /* NULL: an empty parcel */
    int64_t offset;
    int ndim;
    t_DType dtype;
    bool requires_grad;
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
} tg_Parcel;
bool tg_parcel_pack(const Tensor *x, tg_Parcel *parcel);
bool tg_parcel_seal(tg_Parcel *parcel);    /* copies the storage if something still refers to it */
Tensor *tg_parcel_open(tg_Parcel *parcel); /* the tensor, of the current scope; the parcel is empty then */
void tg_parcel_drop(tg_Parcel *parcel);    /* frees a sealed parcel that is not opened */

/* ---- shape, dtype, values ---- */

static inline size_t tg_itemsize(t_DType dtype) {
    static const unsigned char sizes[T_DTYPES] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
    return sizes[dtype];
}
static inline bool tg_is_floating(t_DType dtype) {
    return dtype >= t_float16;
}
static inline bool tg_is_integral(t_DType dtype) { /* not bool */
    return dtype >= t_uint8 && dtype <= t_int64;
}
/* float16 and bfloat16. */
static inline bool tg_is_half(t_DType dtype) {
    return dtype == t_float16 || dtype == t_bfloat16;
}
/* A dtype that no kernel computes in: the values are computed in tg_wide(dtype), then rounded or truncated. */
static inline bool tg_is_narrow(t_DType dtype) {
    enum { NARROW = 1 << t_uint8 | 1 << t_int8 | 1 << t_int16 | 1 << t_int32 | 1 << t_float16 | 1 << t_bfloat16 };
    return (unsigned)dtype < T_DTYPES && NARROW >> dtype & 1;
}
/* The dtype that values of a dtype are computed in: float32 for float16 and bfloat16, int64 for shorter integers. */
static inline t_DType tg_wide(t_DType dtype) {
    return !tg_is_narrow(dtype) ? dtype : tg_is_half(dtype) ? t_float32 : t_int64;
}
static inline void *tg_data(const Tensor *x) {
    return x->storage->data + (size_t)x->offset * tg_itemsize(x->dtype);
}
int64_t tg_numel(const Tensor *x);
int64_t tg_offset_at(const Tensor *x, int d, int64_t index); /* the offset of the index-th part along dim d */
int64_t tg_shape_numel(const int64_t *shape, int ndim); /* the product, saturating (tg_size_mul) */
bool tg_is_contiguous(const Tensor *x);
bool tg_is_dense(const Tensor *x); /* PyTorch's non-overlapping and dense: one block of memory, in any order of dims */
bool tg_overlaps_itself(const Tensor *x); /* several elements share memory: a stride of 0 (expand) */
bool tg_same_shape(const Tensor *a, const Tensor *b);
bool tg_shares_memory(const Tensor *a, const Tensor *b); /* one storage, but not the same elements in the same order */
void tg_contiguous_strides(const int64_t *shape, int ndim, int64_t *strides);
t_DType tg_default_dtype(void);            /* torch.get_default_dtype() */
const char *tg_dtype_name(t_DType dtype);  /* "float32" */
const char *tg_scalar_name(t_DType dtype); /* "Float", as in PyTorch's error texts */
const char *tg_c_type_name(t_DType dtype); /* "float", as in some of them */
/* The i-th element of a contiguous floating tensor. */
static inline double tg_real_at(const Tensor *x, int64_t i) {
    return x->dtype == t_float64 ? ((const double *)tg_data(x))[i] : (double)((const float *)tg_data(x))[i];
}
double tg_read_double(const Tensor *x); /* the value of a one-element tensor */
int64_t tg_read_int64(const Tensor *x);

/* Whether an integer dtype takes the value; -255 to -1 become 1 to 255 in uint8, as in C. */
bool tg_is_in_range(double value, t_DType dtype);
/* torch.finfo(dtype).max of a floating dtype, torch.iinfo(dtype).max of an integer. */
double tg_largest(t_DType dtype);

enum { TG_SHAPE_TEXT = 200 }; /* a capacity that is enough */
/* "[2, 3]"; a list that does not fit is cut. */
void tg_write_shape(char *to, int capacity, const int64_t *shape, int ndim);
/* The same in one of a few rotating buffers, for error texts: "[...]" without memory for these. */
const char *tg_shape_text(const int64_t *shape, int ndim);
const char *tg_shape_of(const Tensor *x); /* its shape's text */
const char *tg_number_text(double value); /* Python's repr: "-1.0", "1e-05"; good until the next call */

/* ---- checking arguments ---- */

/* True if x is a live tensor; then its record is also brought up to date with in-place writes to its base. Otherwise
 * false with an error set; for a NULL while an error is pending, that error stays. */
bool tg_check_any(const Tensor *x, int position);
/* Ends a call of a user's function, in a scope of that depth (tg_scope_open_around_callback; 0: there was no memory for
 * one): y, what it returned, moves to the enclosing scope. NULL if an error was set after the thread had `failures`, or
 * y is no live tensor; for a NULL the error is "<format> returned NULL". */
Tensor *tg_scope_return_tensor(int depth, int64_t failures, Tensor *y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* For what only holds tensors (lists, dicts, optimizers): uninitialised parameters of lazy modules are fine, too. */
bool tg_check_held(const Tensor *x, int position);
/* The same, and x has a dtype that kernels compute in, else "not implemented for 'Half'": for functions that read the
 * data by x's dtype and do not convert narrow dtypes. */
bool tg_check(const Tensor *x, int position);
bool tg_check_two(const Tensor *a, const Tensor *b); /* the arguments 1 and 2, and to 3 */
bool tg_check_three(const Tensor *a, const Tensor *b, const Tensor *c);
bool tg_check_any_two(const Tensor *a, const Tensor *b);
bool tg_check_any_three(const Tensor *a, const Tensor *b, const Tensor *c);
bool tg_check_list(const t_TensorList *list, int position); /* as tg_check, for a list and its items */
bool tg_check_held_list(const t_TensorList *list, int position); /* as tg_check_held */
/* Where a function puts a further result, or NULL: it is NULL after an error, since a caller whose error handler has
 * returned goes on with it. */
static inline void tg_clear_output(Tensor **result) {
    if (result) *result = NULL;
}

struct t_TensorDict;
bool tg_check_dict(const struct t_TensorDict *dict, int position);
const struct t_DictItem *tg_dict_find(const struct t_TensorDict *dict, const char *name); /* NULL where there is none */
/* For an optional argument: NULL is valid unless an error is pending. */
bool tg_check_optional(const Tensor *x, int position);
bool tg_check_any_optional(const Tensor *x, int position);
/* A value that will be written to a tensor of this dtype, as a number or a 0-dim tensor: PyTorch's error if it
 * overflows. */
bool tg_check_scalar_fits(double value, t_DType dtype);
bool tg_check_tensor_fits(const Tensor *value, t_DType dtype);
/* A required argument that is not a tensor: missing is an error (a pending one stays). what: "a batch". */
bool tg_check_given(bool given, int position, const char *what);
/* An array argument and its count: the count must not be negative, and 0 if the array is NULL. what: "dims". */
bool tg_refuse_array(int64_t count, int position, const char *what);
static inline bool tg_check_array(const void *array, int64_t count, int position, const char *what) {
    return (array && count > 0) || count == 0 || tg_refuse_array(count, position, what);
}
bool tg_check_dtype(t_DType dtype);                                  /* a dtype, or 0 for "not given" */
bool tg_check_optional_list(const t_TensorList *list, int position); /* the list, and each of its items */
t_TensorList *tg_list_of_nulls(int64_t count);                       /* a list whose items the caller sets */
/* True if none of the values is T_NONE, which macros pass for a missing argument. names: their names, separated by
 * spaces. */
bool tg_check_required(const char *names, const int64_t *values);
/* Python's negative dims: *wrapped is the dim of a rank-ndim tensor as 0 .. ndim - 1; false with PyTorch's IndexError.
 * A 0-dim tensor accepts -1 and 0. T_NONE: missing. */
bool tg_wrap_dim(int64_t dim, int ndim, int *wrapped);
/* no dim twice; wrapped has T_MAX_DIMS elements */
bool tg_wrap_dims(const int64_t *dims, int count, int ndim, int *wrapped);

/* ---- functions of core/autograd that this folder calls ---- */

/* brings a view's record up to date with in-place writes to its base (inplace.c) */
bool tg_update_view_record(Tensor *x);
struct Record;
void tg_set_record(Tensor *x, struct Record *record); /* replaces its record (tape.c) */
void tg_drop_watch(Tensor *x);                        /* removes the name of an x that is released (watch.c) */
void tg_release_history(Tensor *x);                   /* those of an x that is released: record, hooks (hooks.c) */

#endif
