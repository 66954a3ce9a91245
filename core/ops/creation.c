/* core/ops/creation.c: tensors from nothing but a shape, from a rule, and from C data. */
#include <math.h>
#include <string.h>

#include "core/ops/creation.h"

static const t_TensorOptions defaults = {.size = sizeof defaults};

t_DType tg_option_dtype(const t_TensorOptions *options, t_DType otherwise) {
    return options && options->dtype ? options->dtype : otherwise;
}

Tensor *tg_finish(Tensor *x, const t_TensorOptions *options) {
    if (!x || !options) return x;
    if (options->size < sizeof options->size) tg_fail("the options' first field, size, is not set");
    else if (!options->requires_grad || t_requires_grad_(x, true)) return x;
    t_release(tg_take(x));
    return NULL;
}

/* ---- numbers ---- */

static Tensor *number(t_DType dtype, double value, int64_t whole) {
    Tensor *x = tg_empty(NULL, 0, dtype);
    if (!x) return NULL;
    x->wrapped_number = true;
    if (dtype == t_float64) *(double *)tg_data(x) = value;
    else if (dtype == t_int64) *(int64_t *)tg_data(x) = whole;
    else *(bool *)tg_data(x) = whole != 0;
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
Tensor *t_empty(const int64_t *shape, int ndim, const t_TensorOptions *options) {
    if (!check_shape(shape, ndim)) return NULL;
    return tg_finish(tg_empty(shape, ndim, tg_option_dtype(options, t_float32)), options);
}

/* torch.full(shape, fill_value): dtype float32 unless given; PyTorch infers int64 or bool from the value, which a C double
 * cannot tell: give .dtype. */
Tensor *t_full(const int64_t *shape, int ndim, double fill_value, const t_TensorOptions *options) {
    if (!check_shape(shape, ndim)) return NULL;
    Tensor *x = tg_empty(shape, ndim, tg_option_dtype(options, t_float32));
    if (x) tg_fill_into(x, fill_value);
    return tg_finish(x, options);
}

/* torch.zeros(shape), torch.ones(shape). */
Tensor *t_zeros(const int64_t *shape, int ndim, const t_TensorOptions *options) {
    if (!check_shape(shape, ndim)) return NULL;
    Tensor *x = tg_empty(shape, ndim, tg_option_dtype(options, t_float32));
    if (x) memset(tg_data(x), 0, (size_t)tg_numel(x) * tg_itemsize(x->dtype));
    return tg_finish(x, options);
}

Tensor *t_ones(const int64_t *shape, int ndim, const t_TensorOptions *options) {
    return t_full(shape, ndim, 1, options);
}

/* torch.eye(n): (n, n), 1 on the diagonal. */
Tensor *t_eye(int64_t n, const t_TensorOptions *options) {
    if (n < 0) return tg_fail("n must be greater or equal to 0, got %lld", (long long)n);
    t_TensorOptions plain = options ? *options : defaults;
    plain.requires_grad = false;
    Tensor *x = t_zeros((int64_t[]){n, n}, 2, &plain);
    if (!x) return NULL;
    Tensor diagonal = *x; /* on the stack: every (n + 1)th element */
    diagonal.ndim = 1;
    diagonal.strides[0] = n + 1;
    tg_fill_into(&diagonal, 1);
    return tg_finish(x, options);
}

/* ---- ranges ---- */

static int64_t range_length(double start, double end, double step) {
    if (step == 0) tg_fail("step must be nonzero");
    else if (!isfinite(start) || !isfinite(end)) tg_fail("unsupported range: %g -> %g", start, end);
    else if (step > 0 ? start > end : start < end) tg_fail("upper bound and lower bound inconsistent with step sign");
    else return (int64_t)ceil((end - start) / step);
    return -1;
}

static Tensor *range(int64_t n, t_DType dtype) {
    return n < 0 ? NULL : tg_empty(&n, 1, dtype);
}

/* torch.arange(start, end, step) of floats: start + i * step for i below ceil((end - start) / step); dtype float32. The
 * product is in double and rounded once. Errors: step 0, or of the wrong sign. */
Tensor *t_arange(double start, double end, double step, const t_TensorOptions *options) {
    t_DType dtype = tg_option_dtype(options, t_float32);
    int64_t n = range_length(start, end, step);
    Tensor *x = range(n, dtype == t_float64 ? t_float64 : dtype == t_float32 ? t_float32 : t_int64);
    for (int64_t i = 0; x && i < n; i++) {
        double value = start + (double)i * step;
        if (x->dtype == t_float64) ((double *)tg_data(x))[i] = value;
        else if (x->dtype == t_float32) ((float *)tg_data(x))[i] = (float)value;
        else ((int64_t *)tg_data(x))[i] = (int64_t)value;
    }
    return tg_finish(x ? t_to(x, dtype) : NULL, options);
}

/* torch.arange of whole numbers: dtype int64 unless given. */
Tensor *t_arange_int64(int64_t start, int64_t end, int64_t step, const t_TensorOptions *options) {
    int64_t n = range_length((double)start, (double)end, (double)step);
    Tensor *x = range(n, t_int64);
    for (int64_t i = 0; x && i < n; i++) ((int64_t *)tg_data(x))[i] = start + i * step;
    return tg_finish(x ? t_to(x, tg_option_dtype(options, t_int64)) : NULL, options);
}

/* ---- like another tensor: its shape, dtype and layout ---- */

Tensor *t_empty_like(Tensor *x) {
    return tg_check(x, 1) ? tg_empty_like(x, x->dtype) : NULL;
}

Tensor *t_full_like(Tensor *x, double fill_value) {
    Tensor *y = t_empty_like(x);
    if (y) tg_fill_into(y, fill_value);
    return y;
}

Tensor *t_zeros_like(Tensor *x) {
    return t_full_like(x, 0);
}

Tensor *t_ones_like(Tensor *x) {
    return t_full_like(x, 1);
}

/* ---- from C data ---- */

/* torch.tensor(array): copies the elements of a row-major C array of the dtype `of`; options->dtype converts them.
 * int arrays are widened by the macro t_tensor. */
Tensor *t_tensor_from_data(const void *data, t_DType of, const int64_t *shape, int ndim, const t_TensorOptions *options) {
    if (!check_shape(shape, ndim)) return NULL;
    if (of < t_bool || of > t_float64) return tg_fail("%d is not a dtype", (int)of);
    Tensor *x = tg_empty(shape, ndim, of);
    if (!x) return NULL;
    if (!data && tg_numel(x)) return tg_fail("argument 1 is NULL where an array is expected");
    if (tg_numel(x)) memcpy(tg_data(x), data, (size_t)tg_numel(x) * tg_itemsize(of));
    return tg_finish(t_to(x, tg_option_dtype(options, of)), options);
}

/* ---- behind the macros t_tensor and t_arange ---- */

/* torch.tensor(3.5): 0-dim; a double is a Python float, so float32 unless asked otherwise. kind: as below. */
static Tensor *from_number(const void *data, int kind, const t_TensorOptions *options) {
    int64_t integer = kind == -1 ? *(const int *)data : 0;
    if (kind == -1) return t_tensor_from_data(&integer, t_int64, NULL, 0, options);
    Tensor *x = t_tensor_from_data(data, (t_DType)kind, NULL, 0, NULL);
    return x ? tg_finish(t_to(x, tg_option_dtype(options, kind == t_float64 ? t_float32 : (t_DType)kind)), options) : NULL;
}

/* kind: 0 for text, -1 for int, else the dtype of the array; T_NUMBER_ is added for one number. */
Tensor *t_tensor_of_(const void *data, int kind, const int64_t *shape, int ndim, const t_TensorOptions *options) {
    bool is_number = kind > T_NUMBER_ / 2;
    if (ndim && (kind == 0 || is_number)) return tg_fail("a tensor from %s takes no shape", is_number ? "a number" : "text");
    if (kind == 0) return t_tensor_from_text(data, options);
    if (is_number) return from_number(data, kind - T_NUMBER_, options);
    if (ndim == 0) return tg_fail("an array wants its shape behind it: t_tensor(array, 3)");
    if (kind > 0) return t_tensor_from_data(data, (t_DType)kind, shape, ndim, options);
    Tensor *x = tg_empty(shape, ndim, t_int64);
    if (!x) return NULL;
    if (!data && tg_numel(x)) return tg_fail("argument 1 is NULL where an array is expected");
    for (int64_t i = 0; i < tg_numel(x); i++) ((int64_t *)tg_data(x))[i] = ((const int *)data)[i];
    return tg_finish(t_to(x, tg_option_dtype(options, t_int64)), options);
}

/* A NULL start is 0, a NULL step is 1. */
Tensor *t_arange_of_(Tensor *start, Tensor *end, Tensor *step) {
    if (!tg_check(end, 1) || !tg_check_optional(start, 1) || !tg_check_optional(step, 3)) return NULL;
    if (tg_is_floating(end->dtype) || (start && tg_is_floating(start->dtype)) || (step && tg_is_floating(step->dtype)))
        return t_arange(start ? t_item(start) : 0, t_item(end), step ? t_item(step) : 1, NULL);
    return t_arange_int64(start ? t_item_int64(start) : 0, t_item_int64(end), step ? t_item_int64(step) : 1, NULL);
}
