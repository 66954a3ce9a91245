/* core/ops/dtype_info.c: torch.finfo, iinfo, promote_types, result_type and can_cast; element_size, nbytes and
 * is_signed of a tensor. */
#include <float.h>

#include "core/ops/pointwise/pointwise_internal.h"

/* torch.finfo(dtype): the numbers of a floating dtype: eps is the step from 1 to the next value, tiny and
 * smallest_normal are the smallest value of full precision, resolution is 10 to the power of minus the decimal digits.
 * Errors: a dtype that is not floating. */
const t_FInfo *t_finfo(t_DType dtype) {
    static const t_FInfo infos[T_DTYPES] = {
        [t_float16] = {16, 0x1p-10, 65504, -65504, 0x1p-14, 0x1p-14, 1e-3},
        [t_bfloat16] = {16, 0x1p-7, 0x1.fep127, -0x1.fep127, 0x1p-126, 0x1p-126, 1e-2},
        [t_float32] = {32, FLT_EPSILON, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_MIN, 1e-6},
        [t_float64] = {64, DBL_EPSILON, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_MIN, 1e-15}};
    if (!t_dtype_repr(dtype)) return NULL;
    if (!tg_is_floating(dtype))
        return tg_fail("torch.finfo() requires a floating point input type. Use torch.iinfo to handle '%s'",
                       t_dtype_repr(dtype));
    return &infos[dtype];
}

/* torch.iinfo(dtype): the smallest and the largest value of an integer dtype. Errors: another dtype. */
const t_IInfo *t_iinfo(t_DType dtype) {
    static const t_IInfo infos[T_DTYPES] = {[t_uint8] = {8, 0, UINT8_MAX},
                                            [t_int8] = {8, INT8_MIN, INT8_MAX},
                                            [t_int16] = {16, INT16_MIN, INT16_MAX},
                                            [t_int32] = {32, INT32_MIN, INT32_MAX},
                                            [t_int64] = {64, INT64_MIN, INT64_MAX}};
    if (!t_dtype_repr(dtype)) return NULL;
    if (!tg_is_integral(dtype))
        return tg_fail("torch.iinfo() requires an integer input type. Use torch.finfo to handle '%s'",
                       t_dtype_repr(dtype));
    return &infos[dtype];
}

/* torch.promote_types(a, b): the dtype of a result of tensors of these dtypes. 0 on an error: not a dtype. */
t_DType t_promote_types(t_DType type1, t_DType type2) {
    return t_dtype_repr(type1) && t_dtype_repr(type2) ? tg_promote(type1, type2) : (t_DType)0;
}

/* torch.result_type(x, other): the dtype of x + other, where numbers count less than 0-dim tensors, and these less
 * than others. 0 on an error. */
t_DType t_result_type(Tensor *x, Tensor *other) {
    return tg_check_any_two(x, other) ? tg_result_type((Tensor *[]){x, other}, 2) : (t_DType)0;
}

/* torch.can_cast(from, to): whether an in-place op may store a result of `from` in `to`: not floating in integers, nor
 * either in bool. False also on an error: not a dtype. */
bool t_can_cast(t_DType from, t_DType to) {
    if (!t_dtype_repr(from) || !t_dtype_repr(to)) return false;
    return tg_is_floating(to) || (!tg_is_floating(from) && (to != t_bool || from == t_bool));
}

/* x.element_size(), x.itemsize: bytes of an element; x.nbytes: of all elements. -1 on an error. */
int64_t t_element_size(const Tensor *x) {
    return tg_check_any(x, 1) ? (int64_t)tg_itemsize(x->dtype) : -1;
}

int64_t t_nbytes(const Tensor *x) {
    return tg_check_any(x, 1) ? tg_numel(x) * (int64_t)tg_itemsize(x->dtype) : -1;
}

/* x.is_signed(): whether the dtype has negative values: all but bool and uint8. False also on an error. */
bool t_is_signed(const Tensor *x) {
    return tg_check_any(x, 1) && x->dtype != t_bool && x->dtype != t_uint8;
}
