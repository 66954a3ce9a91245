/* core/ops/tensor_info.h: properties of a tensor, its elements, and printing (public; part of core/ops/ops.h, which
 * explains the notation). */
#ifndef TAPEGRAD_CORE_OPS_TENSOR_INFO_H
#define TAPEGRAD_CORE_OPS_TENSOR_INFO_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- properties and elements (core/ops/tensor_info.c, comparison.c) ---- */
T_API int64_t t_dim(const Tensor *x);                   /* x.dim() */
T_API int64_t t_size(const Tensor *x, int64_t dim);     /* x.size(dim) */
T_API const int64_t *t_shape(const Tensor *x);          /* x.shape */
T_API int64_t t_stride(const Tensor *x, int64_t dim);   /* x.stride(dim), in elements */
T_API int64_t t_storage_offset(const Tensor *x);        /* x.storage_offset(), in elements */
T_API int64_t t_numel(const Tensor *x);                 /* x.numel() */
T_API t_DType t_dtype(const Tensor *x);                 /* x.dtype */
T_API bool t_is_contiguous(const Tensor *x);            /* x.is_contiguous() */
T_API bool t_is_floating_point(const Tensor *x);        /* x.is_floating_point() */
T_API int64_t t_data_version(const Tensor *x);          /* x._version: in-place writes to its storage */
T_API double t_item(const Tensor *x);                   /* x.item() of one element, any dtype; NaN on error */
T_API int64_t t_item_int64(const Tensor *x);            /* x.item() of an integer or bool tensor */
T_API bool t_is_true(const Tensor *x);                  /* bool(x) of one element: if (x): */
T_API const void *t_data_ptr(const Tensor *x);          /* x.data_ptr(), to read: elements by t_stride */
T_API void *t_data_ptr_mut(Tensor *x);                  /* the same for writing: counts as an in-place write */
T_API int64_t t_tolist(const Tensor *x, double *to, int64_t capacity); /* x.flatten().tolist(): how many were copied */
T_API int64_t t_tolist_of_(const Tensor *x, void *to, int kind, int64_t capacity); /* for the macro */
T_API bool t_equal(Tensor *x, Tensor *other);           /* torch.equal(x, other) */
T_API bool t_allclose(Tensor *x, Tensor *other, double rtol, double atol, bool equal_nan); /* torch.allclose */

/* ---- dtypes (core/ops/dtype_info.c) ---- */
typedef struct t_FInfo {
    int bits;
    double eps, max, min, tiny, smallest_normal, resolution;
} t_FInfo;
typedef struct t_IInfo {
    int bits;
    int64_t min, max;
} t_IInfo;
T_API const t_FInfo *t_finfo(t_DType dtype);            /* torch.finfo(dtype): t_finfo(t_float32)->eps */
T_API const t_IInfo *t_iinfo(t_DType dtype);            /* torch.iinfo(dtype): t_iinfo(t_int8)->max */
T_API t_DType t_promote_types(t_DType type1, t_DType type2); /* torch.promote_types(type1, type2) */
T_API t_DType t_result_type(Tensor *x, Tensor *other);  /* torch.result_type(x, other) */
T_API bool t_can_cast(t_DType from, t_DType to);        /* torch.can_cast(from_, to) */
T_API int64_t t_element_size(const Tensor *x);          /* x.element_size(), x.itemsize */
T_API int64_t t_nbytes(const Tensor *x);                /* x.nbytes */
T_API bool t_is_signed(const Tensor *x);                /* x.is_signed() */

/* ---- printing (core/ops/print.c) ---- */
T_API void t_print(Tensor *x);                          /* print(x) */
/* print("loss", x, 3, 0.5): the values separated by spaces, and a newline. Strings are printed unquoted, numbers as
 * in Python, NULL as None. The macro t_print takes up to nine values and makes the array. */
typedef enum t_PrintKind_ { t_print_tensor_, t_print_text_, t_print_float_, t_print_integer_,
    t_print_bool_ } t_PrintKind_;
typedef struct t_PrintValue_ {
    t_PrintKind_ kind;
    Tensor *tensor;
    const char *text;
    double number;
    int64_t integer; /* also for a bool */
} t_PrintValue_;
T_API void t_print_values(const t_PrintValue_ *values, int count);
T_API char *t_repr(Tensor *x);                          /* repr(x): the caller frees it with free() */
T_API const char *t_str(Tensor *x); /* str(x), the same text, which belongs to the scope: nobody frees it */
T_API bool t_set_printoptions(int64_t precision, double threshold, int64_t edgeitems, int64_t linewidth,
                              const char *profile, int sci_mode); /* torch.set_printoptions */
T_API const char *t_size_repr(Tensor *x); /* str(x.shape): "torch.Size([2, 3])"; good until the next few calls */

T_END_DECLS
#endif
