/* core/tensor/dtype_convert.c: elements of one dtype to another, and single elements as C numbers.
 *
 * Kernels convert between bool, int64, float32 and float64; the other dtypes go through the one that they are computed
 * in: bfloat16 to int32 is bfloat16 -> float32 -> int64 -> int32, in chunks that stay in the cache. */
#include "core/tensor/dtype_convert.h"

#include <stdbool.h>

#include "core/kernels/narrow.h"

/* ---- between bool, int64, float32 and float64 ---- */

#define COPY(R, T) TG_EACH1(copy_##R##_from_##T, R, T, x)
COPY(bool, int64_t) COPY(bool, float) COPY(bool, double)
COPY(int64_t, bool) COPY(int64_t, float) COPY(int64_t, double)
COPY(float, bool) COPY(float, int64_t) COPY(float, double)
COPY(double, bool) COPY(double, int64_t) COPY(double, float)

static const Loop loops[T_DTYPES][T_DTYPES] = {
    [t_bool] = {[t_int64] = copy_bool_from_int64_t, [t_float32] = copy_bool_from_float,
                [t_float64] = copy_bool_from_double},
    [t_int64] = {[t_bool] = copy_int64_t_from_bool, [t_float32] = copy_int64_t_from_float,
                 [t_float64] = copy_int64_t_from_double},
    [t_float32] = {[t_bool] = copy_float_from_bool, [t_int64] = copy_float_from_int64_t,
                   [t_float64] = copy_float_from_double},
    [t_float64] = {[t_bool] = copy_double_from_bool, [t_int64] = copy_double_from_int64_t,
                   [t_float32] = copy_double_from_float}};

/* The kernels' number of a dtype. */
static int kernel_type(t_DType dtype) {
    return dtype == t_bool ? 0 : dtype == t_int64 ? 1 : dtype == t_float32 ? 2 : 3;
}

Conversion tg_conversion(t_DType to, t_DType from) {
    const bool wide = to != from && !tg_is_narrow(to) && !tg_is_narrow(from);
    return (Conversion){to, from, wide ? tg_convert(kernel_type(to), kernel_type(from)) : NULL, loops[to][from]};
}

static void convert_wide(int64_t n, Elements to, Elements from) {
    const Conversion c = tg_conversion(to.dtype, from.dtype);
    tg_convert_loop(n, (char *[]){to.data, from.data}, (int64_t[]){to.stride, from.stride}, &c);
}

/* ---- all dtypes ---- */

static const enum tg_Narrow narrow_types[T_DTYPES] = {
    [t_uint8] = TG_UINT8, [t_int8] = TG_INT8, [t_int16] = TG_INT16, [t_int32] = TG_INT32, [t_float16] = TG_FLOAT16,
    [t_bfloat16] = TG_BFLOAT16};

static void widen(int64_t n, Elements to, Elements from) {
    tg_widen_loop(narrow_types[from.dtype])(n, to.data, to.stride, from.data, from.stride);
}

static void narrow(int64_t n, Elements to, Elements from) {
    tg_narrow_loop(narrow_types[to.dtype])(n, to.data, to.stride, from.data, from.stride);
}

/* Whether one loop converts; if so, it is run. */
static bool convert_at_once(int64_t n, Elements to, Elements from) {
    if (to.dtype == from.dtype)
        tg_copy_loop((int64_t)tg_itemsize(to.dtype), to.stride, from.stride)(n, to.data, to.stride, from.data,
                                                                             from.stride);
    else if (tg_is_narrow(from.dtype) && to.dtype == tg_wide(from.dtype)) widen(n, to, from);
    else if (tg_is_narrow(to.dtype) && from.dtype == tg_wide(to.dtype)) narrow(n, to, from);
    else if (!tg_is_narrow(to.dtype) && !tg_is_narrow(from.dtype)) convert_wide(n, to, from);
    else return false;
    return true;
}

void tg_convert_elements(int64_t n, Elements to, Elements from) {
    enum { CHUNK = 512 };
    if (convert_at_once(n, to, from)) return;
    const t_DType wide_from = tg_wide(from.dtype), wide_to = tg_wide(to.dtype);
    int64_t from_chunk[CHUNK], to_chunk[CHUNK];
    while (n > 0) {
        const int64_t count = n < CHUNK ? n : CHUNK;
        const Elements a = {wide_from, (char *)from_chunk, (int64_t)tg_itemsize(wide_from)};
        const Elements b = {wide_to, (char *)to_chunk, (int64_t)tg_itemsize(wide_to)};
        convert_at_once(count, a, from);
        convert_at_once(count, b, a);
        convert_at_once(count, to, b);
        to.data += count * to.stride;
        from.data += count * from.stride;
        n -= count;
    }
}

void tg_convert_loop(int64_t n, char *const *data, const int64_t *strides, const void *conversion) {
    const Conversion *c = conversion;
    if (c->contiguous && strides[0] == (int64_t)tg_itemsize(c->to) && strides[1] == (int64_t)tg_itemsize(c->from))
        c->contiguous(n, data[0], data[1]);
    else if (c->strided) c->strided(n, data, strides, NULL);
    else tg_convert_elements(n, (Elements){c->to, data[0], strides[0]}, (Elements){c->from, data[1], strides[1]});
}

/* ---- one element ---- */

double tg_element_as_double(t_DType dtype, const void *element) {
    double value;
    if (dtype == t_float64) return *(const double *)element;
    tg_convert_elements(1, (Elements){t_float64, (char *)&value, 0}, (Elements){dtype, (char *)element, 0});
    return value;
}

int64_t tg_element_as_int64(t_DType dtype, const void *element) {
    int64_t value;
    if (dtype == t_int64) return *(const int64_t *)element;
    tg_convert_elements(1, (Elements){t_int64, (char *)&value, 0}, (Elements){dtype, (char *)element, 0});
    return value;
}

void tg_set_element(t_DType dtype, void *element, double value) {
    tg_convert_elements(1, (Elements){dtype, element, 0}, (Elements){t_float64, (char *)&value, 0});
}
