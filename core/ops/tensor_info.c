/* core/ops/tensor_info.c: dim, shape, size, stride, numel, dtype, item, data_ptr and tolist. */
#include <limits.h>
#include <math.h>

#include "core/ops/pointwise/pointwise_internal.h"

/* x.dim(), x.shape, x.numel(), x.dtype: -1, NULL or 0 on error. */
int64_t t_dim(const Tensor *x) {
    return tg_check_any(x, 1) ? x->ndim : -1;
}

const int64_t *t_shape(const Tensor *x) {
    return tg_check_any(x, 1) ? x->shape : NULL;
}

int64_t t_numel(const Tensor *x) {
    return tg_check_any(x, 1) ? tg_numel(x) : -1;
}

t_DType t_dtype(const Tensor *x) {
    return tg_check_any(x, 1) ? x->dtype : (t_DType)0;
}

/* x.is_floating_point(): float32 or float64; false also on error. */
bool t_is_floating_point(const Tensor *x) {
    return tg_check_any(x, 1) && tg_is_floating(x->dtype);
}

/* x.size(dim), x.stride(dim): negative dims count from the end. -1 on error: dim out of range. */
int64_t t_size(const Tensor *x, int64_t dim) {
    int d;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return -1;
    if (x->ndim == 0) tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    return x->ndim ? x->shape[d] : -1;
}

int64_t t_stride(const Tensor *x, int64_t dim) {
    int d;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return -1;
    if (x->ndim == 0) tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    return x->ndim ? x->strides[d] : -1;
}

/* x.storage_offset(): the offset of x in its storage, in elements; -1 on error. */
int64_t t_storage_offset(const Tensor *x) {
    return tg_check_any(x, 1) ? x->offset : -1;
}

/* x.is_contiguous(): the elements are in logical order without gaps; false also on error. */
bool t_is_contiguous(const Tensor *x) {
    return tg_check_any(x, 1) && tg_is_contiguous(x);
}

/* x._version: the number of in-place writes to the storage of x, through x or any of its views; -1 on error. */
int64_t t_data_version(const Tensor *x) {
    return tg_check_any(x, 1) ? x->storage->version : -1;
}

/* x.item(): the value of a tensor of one element. Error: any other count. Any dtype gives a double; integers beyond
 * 2^53 need t_item_int64, which fails for a floating tensor. */
static bool check_item(const Tensor *x) {
    if (!tg_check_any(x, 1)) return false;
    if (tg_numel(x) == 1) return true;
    return tg_fail("a Tensor with %lld elements cannot be converted to Scalar", (long long)tg_numel(x));
}

double t_item(const Tensor *x) {
    return check_item(x) ? tg_read_double(x) : NAN;
}

int64_t t_item_int64(const Tensor *x) {
    if (!check_item(x)) return -1;
    if (tg_is_floating(x->dtype))
        return tg_fail("t_item_int64 takes an integer or bool tensor, not %s", tg_dtype_name(x->dtype)), -1;
    return tg_read_int64(x);
}

/* bool(x): a tensor of one element is true unless it is 0. Error: any other count. */
bool t_is_true(const Tensor *x) {
    if (!tg_check_any(x, 1)) return false;
    if (tg_numel(x) == 1) return tg_read_double(x) != 0;
    return tg_fail(tg_numel(x) ? "Boolean value of Tensor with more than one value is ambiguous"
                               : "Boolean value of Tensor with no values is ambiguous");
}

/* x.data_ptr(): the address of the first element; element (i, j, ...) is at the offset t_stride(x, 0) * i + ...
 * elements. t_data_ptr_mut is for writing: it increments the version, so that a backward that needs the old values
 * reports an error. */
const void *t_data_ptr(const Tensor *x) {
    return tg_check_any(x, 1) ? tg_data(x) : NULL;
}

void *t_data_ptr_mut(Tensor *x) {
    if (!tg_check_any(x, 1) || !tg_materialize_copies(x)) return NULL;
    tg_bump_version(x);
    x->storage->has_mutable_pointer = true;
    return tg_data(x);
}

/* ---- x.flatten().tolist() ---- */

/* An element of x as a 0-dim tensor, for iterating in logical order. */
typedef struct Element {
    Tensor at;
    int64_t index[T_MAX_DIMS];
} Element;

static Element first_element(const Tensor *x) {
    Element element = {.at = *x};
    element.at.ndim = 0;
    return element;
}

static void next_element(Element *element, const Tensor *x) {
    for (int d = x->ndim - 1; d >= 0; d--) {
        element->at.offset += x->strides[d];
        if (++element->index[d] < x->shape[d]) break;
        element->at.offset -= x->strides[d] * x->shape[d];
        element->index[d] = 0;
    }
}

/* Whether the value fits the C type. Conversion to float or double may round. */
static bool fits_c_type(const Tensor *element, int kind) {
    if (kind == t_float64) return true;
    const double value = tg_read_double(element);
    if (kind == t_float32) return !isfinite(value) || isfinite((double)(float)value);
    if (tg_is_floating(element->dtype) && !(trunc(value) == value && value >= -0x1p63 && value < 0x1p63)) return false;
    const int64_t integer = tg_is_floating(element->dtype) ? (int64_t)value : tg_read_int64(element);
    if (kind == t_bool) return integer == 0 || integer == 1;
    return kind == t_int64 || (integer >= INT_MIN && integer <= INT_MAX);
}

static void store_element(void *to, int kind, int64_t i, const Tensor *element) {
    if (kind == t_float64) {
        ((double *)to)[i] = tg_read_double(element);
    } else if (kind == t_float32) {
        ((float *)to)[i] = (float)tg_read_double(element);
    } else {
        const int64_t integer = tg_is_floating(element->dtype) ? (int64_t)tg_read_double(element)
                                                               : tg_read_int64(element);
        if (kind == t_int64) ((int64_t *)to)[i] = integer;
        else if (kind == t_bool) ((bool *)to)[i] = integer != 0;
        else ((int *)to)[i] = (int)integer;
    }
}

static const char *c_type(int kind) {
    return kind == t_float32 ? "a float" : kind == t_int64 ? "an int64_t" : kind == t_bool ? "a bool" : "an int";
}

/* Called by the macro t_tolist: copies the elements, in logical order, into an array of the C type `kind` (a dtype,
 * or T_C_INT_) with capacity for `capacity` of them. Returns the number of elements (nothing is copied if there are
 * more than fit), or -1 on error: an element that does not fit the type, a fraction or too large. Then nothing is
 * written. */
int64_t t_tolist_of_(const Tensor *x, void *to, int kind, int64_t capacity) {
    if (!tg_check_any(x, 1)) return -1;
    const int64_t count = tg_numel(x);
    if (count > capacity) return count;
    if (count && !tg_check_given(to != NULL, 2, "an array")) return -1;
    Element element = first_element(x);
    for (int64_t i = 0; kind != t_float64 && i < count; i++, next_element(&element, x))
        if (!fits_c_type(&element.at, kind)) {
            const char *type = c_type(kind);
            const int64_t integer = tg_is_floating(x->dtype) ? 0 : tg_read_int64(&element.at);
            if (tg_is_floating(x->dtype))
                tg_fail("element %lld is %g, which does not fit %s", (long long)i, tg_read_double(&element.at), type);
            else tg_fail("element %lld is %lld, which does not fit %s", (long long)i, (long long)integer, type);
            return -1;
        }
    element = first_element(x);
    for (int64_t i = 0; i < count; i++, next_element(&element, x)) store_element(to, kind, i, &element.at);
    return count;
}

/* As doubles; an int64 beyond 2^53 is rounded. */
int64_t t_tolist(const Tensor *x, double *to, int64_t capacity) {
    return t_tolist_of_(x, to, t_float64, capacity);
}
