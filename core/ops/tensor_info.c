/* core/ops/tensor_info.c: what a tensor says of itself, and its values. */
#include <limits.h>
#include <math.h>

#include "core/ops/pointwise_internal.h"

/* x.dim(), x.shape, x.numel(), x.dtype: -1, NULL or 0 on error. */
int64_t t_dim(const Tensor *x) {
    return tg_check(x, 1) ? x->ndim : -1;
}

const int64_t *t_shape(const Tensor *x) {
    return tg_check(x, 1) ? x->shape : NULL;
}

int64_t t_numel(const Tensor *x) {
    return tg_check(x, 1) ? tg_numel(x) : -1;
}

t_DType t_dtype(const Tensor *x) {
    return tg_check(x, 1) ? x->dtype : (t_DType)0;
}

/* x.is_floating_point(): float32 or float64; false also on error. */
bool t_is_floating_point(const Tensor *x) {
    return tg_check(x, 1) && tg_is_floating(x->dtype);
}

/* x.size(dim), x.stride(dim): negative dims count from the end. -1 on error: dim out of range. */
int64_t t_size(const Tensor *x, int64_t dim) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return -1;
    if (x->ndim == 0) tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    return x->ndim ? x->shape[d] : -1;
}

int64_t t_stride(const Tensor *x, int64_t dim) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return -1;
    if (x->ndim == 0) tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    return x->ndim ? x->strides[d] : -1;
}

/* x.storage_offset(): where x begins in its storage, in elements; -1 on error. */
int64_t t_storage_offset(const Tensor *x) {
    return tg_check(x, 1) ? x->offset : -1;
}

/* x.is_contiguous(): its elements lie in logical order without gaps; false also on error. */
bool t_is_contiguous(const Tensor *x) {
    return tg_check(x, 1) && tg_is_contiguous(x);
}

/* x._version: how often the storage behind x was written to in place, through x or any of its views; -1 on error. */
int64_t t_data_version(const Tensor *x) {
    return tg_check(x, 1) ? x->storage->version : -1;
}

/* x.item(): the value of a tensor of one element. Error: any other count. A tensor of any dtype gives a double; whole
 * numbers beyond 2^53 need t_item_int64, which refuses a floating tensor. */
static bool check_item(const Tensor *x) {
    if (!tg_check(x, 1)) return false;
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
    if (!tg_check(x, 1)) return false;
    if (tg_numel(x) == 1) return tg_read_double(x) != 0;
    return tg_fail(tg_numel(x) ? "Boolean value of Tensor with more than one value is ambiguous"
                               : "Boolean value of Tensor with no values is ambiguous");
}

/* x.data_ptr(): the address of the first element; element (i, j, ...) stands t_stride(x, 0) * i + ... elements on. The
 * second form is for writing: it bumps the version, so that a backward that needs the old values says so. */
const void *t_data_ptr(const Tensor *x) {
    return tg_check(x, 1) ? tg_data(x) : NULL;
}

void *t_data_ptr_mut(Tensor *x) {
    if (!tg_check(x, 1) || !tg_call_in(x)) return NULL;
    tg_bump(x);
    x->storage->is_pointed_at = true;
    return tg_data(x);
}

/* ---- x.flatten().tolist() ---- */

/* The element that a walk over x in logical order is at, as a tensor without dims. */
typedef struct Cell {
    Tensor at;
    int64_t index[T_MAX_DIMS];
} Cell;

static Cell first_cell(const Tensor *x) {
    Cell cell = {.at = *x};
    cell.at.ndim = 0;
    return cell;
}

static void next_cell(Cell *cell, const Tensor *x) {
    for (int d = x->ndim - 1; d >= 0; d--) {
        cell->at.offset += x->strides[d];
        if (++cell->index[d] < x->shape[d]) break;
        cell->at.offset -= x->strides[d] * x->shape[d];
        cell->index[d] = 0;
    }
}

/* Is the element a value of the C type? A float or double takes what it can round to. */
static bool c_type_holds(const Tensor *cell, int kind) {
    if (kind == t_float64) return true;
    const double number = tg_read_double(cell);
    if (kind == t_float32) return !isfinite(number) || isfinite((double)(float)number);
    if (tg_is_floating(cell->dtype) && !(trunc(number) == number && number >= -0x1p63 && number < 0x1p63)) return false;
    const int64_t integer = tg_is_floating(cell->dtype) ? (int64_t)number : tg_read_int64(cell);
    if (kind == t_bool) return integer == 0 || integer == 1;
    return kind == t_int64 || (integer >= INT_MIN && integer <= INT_MAX);
}

static void store_element(void *to, int kind, int64_t i, const Tensor *cell) {
    if (kind == t_float64) {
        ((double *)to)[i] = tg_read_double(cell);
    } else if (kind == t_float32) {
        ((float *)to)[i] = (float)tg_read_double(cell);
    } else {
        const int64_t integer = tg_is_floating(cell->dtype) ? (int64_t)tg_read_double(cell) : tg_read_int64(cell);
        if (kind == t_int64) ((int64_t *)to)[i] = integer;
        else if (kind == t_bool) ((bool *)to)[i] = integer != 0;
        else ((int *)to)[i] = (int)integer;
    }
}

static const char *c_type(int kind) {
    return kind == t_float32 ? "a float" : kind == t_int64 ? "an int64_t" : kind == t_bool ? "a bool" : "an int";
}

/* Behind the macro t_tolist: copies the elements, in logical order, into an array of the C type `kind` (a dtype, or
 * T_C_INT_) with room for `room` of them; returns how many there are (copying none where they are more), -1 on error:
 * one of them is no value of that type, a fraction or too large. Nothing is written then. */
int64_t t_tolist_of_(const Tensor *x, void *to, int kind, int64_t room) {
    if (!tg_check(x, 1)) return -1;
    const int64_t count = tg_numel(x);
    if (count > room) return count;
    if (count && !tg_check_given(to != NULL, 2, "an array")) return -1;
    Cell cell = first_cell(x);
    for (int64_t i = 0; kind != t_float64 && i < count; i++, next_cell(&cell, x))
        if (!c_type_holds(&cell.at, kind)) {
            const char *type = c_type(kind);
            const int64_t integer = tg_is_floating(x->dtype) ? 0 : tg_read_int64(&cell.at);
            if (tg_is_floating(x->dtype))
                tg_fail("element %lld is %g, which %s does not hold", (long long)i, tg_read_double(&cell.at), type);
            else tg_fail("element %lld is %lld, which %s does not hold", (long long)i, (long long)integer, type);
            return -1;
        }
    cell = first_cell(x);
    for (int64_t i = 0; i < count; i++, next_cell(&cell, x)) store_element(to, kind, i, &cell.at);
    return count;
}

/* As doubles, of which an int64 beyond 2^53 is rounded to one. */
int64_t t_tolist(const Tensor *x, double *to, int64_t room) {
    return t_tolist_of_(x, to, t_float64, room);
}
