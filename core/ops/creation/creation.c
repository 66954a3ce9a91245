/* core/ops/creation/creation.c: empty, zeros, ones, full, eye, the *_like and new_* functions, Python numbers, and
 * tensors from C data. */
#include <math.h>
#include <string.h>

#include "core/ops/creation/creation_internal.h"
#include "core/tensor/iterator_internal.h"
#include "core/tensor/size_arithmetic.h"

static const t_TensorOptions defaults = {.size = sizeof defaults};

t_DType tg_option_dtype(const t_TensorOptions *options, t_DType default_dtype) {
    return options && options->dtype ? options->dtype : default_dtype;
}

Tensor *tg_apply_options(Tensor *x, const t_TensorOptions *options) {
    if (!x || !options) return x;
    if (options->size < sizeof options->size) tg_fail("the options' first field, size, is not set");
    else if (!options->requires_grad || t_requires_grad_(x, true)) return x;
    t_release(tg_take_from_scope(x));
    return NULL;
}

/* ---- Python numbers ---- */

static Tensor *number(t_DType dtype, double value, int64_t integer) {
    Tensor *x = tg_empty(NULL, 0, dtype);
    if (!x) return NULL;
    x->wrapped_number = true;
    if (dtype == t_float64) *(double *)tg_data(x) = value;
    else if (dtype == t_int64) *(int64_t *)tg_data(x) = integer;
    else *(bool *)tg_data(x) = integer != 0;
    return x;
}

Tensor *t_number(double value) {
    return number(t_float64, value, 0);
}

Tensor *t_integer(int64_t value) {
    return number(t_int64, 0, value);
}

Tensor *t_boolean(bool value) {
    return number(t_bool, 0, value);
}

/* ---- from a shape ---- */

static bool check_shape(const int64_t *shape, int ndim) {
    if (ndim == 0 || shape) return true;
    return t_error() ? false : tg_fail("argument 1 is NULL where a shape is expected") != NULL;
}

/* torch.empty(shape): uninitialised. Options: dtype (float32), requires_grad. Errors: a negative size, too large. */
Tensor *t_empty(const int64_t *size, int ndim, const t_TensorOptions *options) {
    if (!check_shape(size, ndim)) return NULL;
    return tg_apply_options(tg_empty(size, ndim, tg_option_dtype(options, tg_default_dtype())), options);
}

/* torch.empty_permuted(size, physical_layout): not initialised, dense, with the dims in memory in the order of
 * physical_layout, the outermost first. Errors: a layout that is no permutation of the dims. */
Tensor *t_empty_permuted(const int64_t *size, int ndim, const int64_t *physical_layout, int dims,
                         const t_TensorOptions *options) {
    if (!tg_check_array(size, ndim, 1, "sizes") || !tg_check_array(physical_layout, dims, 3, "dims")) return NULL;
    if (ndim != dims)
        return tg_fail("Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) "
                       "= %d is not equal to len(physical_layout) = %d",
                       ndim, dims);
    int64_t ordered[T_MAX_DIMS], back[T_MAX_DIMS];
    bool seen[T_MAX_DIMS] = {false};
    if (ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    for (int i = 0; i < ndim; i++) {
        const int64_t d = physical_layout[i];
        if (d < 0 || d >= ndim)
            return tg_fail("Dimension out of range (expected to be between 0 and %d, but got %lld at index %d).  NB: "
                           "negative dims not currently supported; file an issue if you want it.",
                           ndim - 1, (long long)d, i);
        if (seen[d]) return tg_fail("Duplicate dim not allowed");
        seen[d] = true;
        ordered[i] = size[d];
        back[d] = i;
    }
    int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(ordered, ndim, tg_option_dtype(options, tg_default_dtype())) : NULL;
    Tensor *y = x ? t_permute(x, back, ndim) : NULL;
    y = y ? t_keep_object(tg_detach_from_base(y)) : NULL;
    t_scope_close(depth);
    return tg_apply_options(y, options);
}

/* torch.full(shape, fill_value): dtype float32 unless given. PyTorch infers int64 or bool from the value, which a C
 * double cannot express: give .dtype. */
Tensor *t_full(const int64_t *size, int ndim, double fill_value, const t_TensorOptions *options) {
    const t_DType dtype = tg_option_dtype(options, tg_default_dtype());
    if (!check_shape(size, ndim) || !tg_check_scalar_fits(fill_value, dtype)) return NULL;
    Tensor *x = tg_empty(size, ndim, dtype);
    if (x) tg_fill_into(x, fill_value);
    return tg_apply_options(x, options);
}

/* torch.zeros(shape), torch.ones(shape). */
Tensor *t_zeros(const int64_t *size, int ndim, const t_TensorOptions *options) {
    if (!check_shape(size, ndim)) return NULL;
    Tensor *x = tg_empty(size, ndim, tg_option_dtype(options, tg_default_dtype()));
    if (x) tg_clear(tg_data(x), (size_t)tg_numel(x) * tg_itemsize(x->dtype));
    return tg_apply_options(x, options);
}

Tensor *t_ones(const int64_t *size, int ndim, const t_TensorOptions *options) {
    return t_full(size, ndim, 1, options);
}

/* torch.eye(n, m): (n, m), ones on the diagonal; m T_NONE: n. */
Tensor *t_eye(int64_t n, int64_t m, const t_TensorOptions *options) {
    if (m == T_NONE) m = n;
    if (n < 0 || m < 0)
        return tg_fail("%s must be greater or equal to 0, got %lld", n < 0 ? "n" : "m", (long long)(n < 0 ? n : m));
    t_TensorOptions plain = options ? *options : defaults;
    plain.requires_grad = false;
    Tensor *x = t_zeros((int64_t[]){n, m}, 2, &plain);
    if (!x) return NULL;
    Tensor diagonal = *x; /* a view on the stack: every (m + 1)th element */
    diagonal.ndim = 1;
    diagonal.shape[0] = n < m ? n : m;
    diagonal.strides[0] = tg_size_add(m, 1);
    tg_fill_into(&diagonal, 1);
    return tg_apply_options(x, options);
}

/* Called by the macro t_full: the dtype is inferred from a number or a 0-dim tensor as in PyTorch: int64, float32 or
 * bool. */
Tensor *t_full_of_(const int64_t *shape, int ndim, Tensor *fill_value, const t_TensorOptions *options) {
    if (!tg_check_any(fill_value, 2) || !check_shape(shape, ndim)) return NULL;
    if (fill_value->ndim) return tg_fail("full(): argument 'fill_value' (position 2) must be Number, not Tensor");
    const t_DType dtype =
        tg_option_dtype(options, fill_value->dtype == t_float64 ? tg_default_dtype() : fill_value->dtype);
    if (!tg_check_tensor_fits(fill_value, dtype)) return NULL;
    Tensor *x = tg_empty(shape, ndim, dtype);
    if (x) tg_copy_into(x, fill_value);
    return tg_apply_options(x, options);
}

/* ---- *_like: the shape, dtype and memory format of another tensor ---- */

/* torch.empty_like(x), zeros_like, ones_like, full_like(x, fill_value). Options: dtype (x's), requires_grad. */
static Tensor *filled_like(Tensor *x, double fill_value, const t_TensorOptions *options) {
    if (!tg_check_any(x, 1)) return NULL;
    const t_DType dtype = tg_option_dtype(options, x->dtype);
    Tensor *y = tg_check_scalar_fits(fill_value, dtype) ? tg_empty_like(x, dtype) : NULL;
    if (y) tg_fill_into(y, fill_value);
    return tg_apply_options(y, options);
}

Tensor *t_empty_like_of_(Tensor *x, const t_TensorOptions *options) {
    return tg_check_any(x, 1) ? tg_apply_options(tg_empty_like(x, tg_option_dtype(options, x->dtype)), options) : NULL;
}

Tensor *t_full_like_of_(Tensor *x, double fill_value, const t_TensorOptions *options) {
    return filled_like(x, fill_value, options);
}

Tensor *t_empty_like(Tensor *x) {
    return t_empty_like_of_(x, NULL);
}

Tensor *t_full_like(Tensor *x, double fill_value) {
    return filled_like(x, fill_value, NULL);
}

Tensor *t_zeros_like(Tensor *x) {
    return filled_like(x, 0, NULL);
}

Tensor *t_ones_like(Tensor *x) {
    return filled_like(x, 1, NULL);
}

/* ---- new_*: the dtype of another tensor, a given shape ---- */

static t_TensorOptions of_dtype(const Tensor *x, const t_TensorOptions *options) {
    t_TensorOptions o = options ? *options : defaults;
    o.dtype = tg_option_dtype(options, x->dtype);
    return o;
}

/* x.new_empty(shape), new_zeros, new_ones, new_full(shape, fill_value). Options: dtype (x's), requires_grad. */
Tensor *t_new_empty(Tensor *x, const int64_t *size, int ndim, const t_TensorOptions *options) {
    if (!tg_check_any(x, 1)) return NULL;
    t_TensorOptions o = of_dtype(x, options);
    return t_empty(size, ndim, &o);
}

Tensor *t_new_full(Tensor *x, const int64_t *size, int ndim, double fill_value, const t_TensorOptions *options) {
    if (!tg_check_any(x, 1)) return NULL;
    t_TensorOptions o = of_dtype(x, options);
    return t_full(size, ndim, fill_value, &o);
}

Tensor *t_new_zeros(Tensor *x, const int64_t *size, int ndim, const t_TensorOptions *options) {
    return t_new_full(x, size, ndim, 0, options);
}

Tensor *t_new_ones(Tensor *x, const int64_t *size, int ndim, const t_TensorOptions *options) {
    return t_new_full(x, size, ndim, 1, options);
}

/* ---- from C data ---- */

/* x, of int64, float32, float64 or bool, converted to dtype; PyTorch's error for a value that an integer dtype cannot
 * hold. */
static Tensor *converted(Tensor *x, t_DType dtype) {
    const bool checks = tg_is_integral(dtype) && x->dtype > dtype;
    for (int64_t i = 0; checks && i < tg_numel(x); i++) {
        const double value = x->dtype == t_int64 ? (double)((const int64_t *)tg_data(x))[i] : tg_real_at(x, i);
        if (!tg_is_in_range(value, dtype))
            return tg_fail("value cannot be converted to type %s without overflow", tg_dtype_name(dtype));
    }
    return t_to(x, dtype);
}

/* torch.tensor(array): copies the elements of a row-major C array of the dtype `of`, and converts them to
 * options->dtype. int arrays are widened by the macro t_tensor. */
Tensor *t_tensor_from_data(const void *data, t_DType of, const int64_t *shape, int ndim,
                           const t_TensorOptions *options) {
    if (!check_shape(shape, ndim)) return NULL;
    if (of < t_bool || of > t_float64) return tg_fail("%d is not a dtype", (int)of);
    Tensor *x = tg_empty(shape, ndim, of);
    if (!x) return NULL;
    if (!data && tg_numel(x)) return tg_fail("argument 1 is NULL where an array is expected");
    if (tg_numel(x)) memcpy(tg_data(x), data, (size_t)tg_numel(x) * tg_itemsize(of));
    const t_DType dtype = tg_option_dtype(options, of);
    return tg_apply_options(tg_is_narrow(of) ? t_to(x, dtype) : converted(x, dtype), options);
}

/* ---- what the macros t_tensor and t_new_tensor call ---- */

/* The i-th element of an array of a C integer type without a corresponding dtype. */
static int64_t integer_at(const void *data, int kind, int64_t i) {
    switch (kind) {
    case T_C_UNSIGNED_: return ((const unsigned *)data)[i];
    case T_C_SHORT_: return ((const short *)data)[i];
    case T_C_UNSIGNED_SHORT_: return ((const unsigned short *)data)[i];
    case T_C_SIGNED_CHAR_: return ((const signed char *)data)[i];
    case T_C_UNSIGNED_CHAR_: return ((const unsigned char *)data)[i];
    case T_C_UINT64_: return (int64_t)((const uint64_t *)data)[i];
    default: return ((const int *)data)[i];
    }
}

/* An int64 tensor of such integers. Error: a value beyond int64. */
static Tensor *from_integers(const void *data, int kind, const int64_t *shape, int ndim) {
    Tensor *x = tg_empty(shape, ndim, t_int64);
    if (!x) return NULL;
    if (!data && tg_numel(x)) return tg_fail("argument 1 is NULL where an array is expected");
    for (int64_t i = 0; i < tg_numel(x); i++) {
        const int64_t value = integer_at(data, kind, i);
        if (kind == T_C_UINT64_ && value < 0)
            return tg_fail("element %lld is %llu, which does not fit int64", (long long)i, (unsigned long long)value);
        ((int64_t *)tg_data(x))[i] = value;
    }
    return x;
}

static size_t element_size(int kind) {
    switch (kind) {
    case T_C_UINT64_: return sizeof(uint64_t);
    case T_C_SHORT_: case T_C_UNSIGNED_SHORT_: return sizeof(short);
    case T_C_SIGNED_CHAR_: case T_C_UNSIGNED_CHAR_: return 1;
    default: return kind > 0 ? tg_itemsize((t_DType)kind) : sizeof(int);
    }
}

/* torch.tensor of text, of a number (0-dim; a double is a Python float, so float32 by default), of an array in its
 * own shape or a given one, or of the data at a pointer in a given shape. */
Tensor *t_tensor_of_(const t_CData_ *data, const t_Tuple *given, const t_TensorOptions *options) {
    int64_t own_shape[3] = {0}, size = 1;
    const int64_t *shape = given->items;
    int ndim = t_tuple_len_of_(given);
    const bool is_number = data->dims < 0, is_text = data->kind == T_C_TEXT_;
    if (is_text && (is_number || data->dims > 1))
        return tg_fail(is_number ? "a char is not a number: cast it to int" : "an array of strings is not a tensor");
    if (ndim && (is_text || is_number))
        return tg_fail("a tensor from %s takes no shape", is_number ? "a number" : "text");
    if (is_text) return t_tensor_from_text(data->data, options);
    if (ndim == 0 && data->dims == 0)
        return tg_fail("a pointer has no size: give the shape as well, t_tensor(p, 3)");
    for (int d = 0; d < data->dims; d++) {
        const size_t row = d + 1 < data->dims ? data->bytes[d + 1] : element_size(data->kind);
        own_shape[d] = row ? (int64_t)(data->bytes[d] / row) : 0;
        size *= own_shape[d];
    }
    if (ndim == 0) {
        shape = own_shape;
        ndim = is_number ? 0 : data->dims;
    } else if (data->dims > 0) {
        int64_t needed = 1;
        for (int d = 0; d < ndim; d++) needed = tg_size_mul(needed, shape[d]);
        if (needed > size)
            return tg_fail("the shape needs %lld elements, but the array has %lld", (long long)needed, (long long)size);
    }
    Tensor *x = data->kind > 0 ? t_tensor_from_data(data->data, (t_DType)data->kind, shape, ndim, NULL)
                               : from_integers(data->data, data->kind, shape, ndim);
    if (!x) return NULL;
    const t_DType own = is_number && x->dtype == t_float64 ? tg_default_dtype() : x->dtype;
    return tg_apply_options(converted(x, tg_option_dtype(options, own)), options);
}

/* x.new_tensor(data): t_tensor with the dtype of x. */
Tensor *t_new_tensor_of_(Tensor *x, const t_CData_ *data, const t_Tuple *size, const t_TensorOptions *options) {
    if (!tg_check_any(x, 1)) return NULL;
    t_TensorOptions o = of_dtype(x, options);
    return t_tensor_of_(data, size, &o);
}
