/* core/sugar/tensor_info.h: the macros for shapes, values and printing of tensors (public; part of
 * core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_TENSOR_INFO_H
#define TAPEGRAD_CORE_SUGAR_TENSOR_INFO_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- shape, values, printing ---- */
#define t_dim(x) T_VALUE1_(int64_t, t_dim, "t_dim(" #x ")", x)
#define t_shape(x) T_VALUE1_(const int64_t *, t_shape, "t_shape(" #x ")", x)
#define t_numel(x) T_VALUE1_(int64_t, t_numel, "t_numel(" #x ")", x)
#define t_dtype(x) T_VALUE1_(t_DType, t_dtype, "t_dtype(" #x ")", x)
#define t_element_size(x) T_VALUE1_(int64_t, t_element_size, "t_element_size(" #x ")", x)
#define t_nbytes(x) T_VALUE1_(int64_t, t_nbytes, "t_nbytes(" #x ")", x)
#define t_is_signed(x) T_VALUE1_(bool, t_is_signed, "t_is_signed(" #x ")", x)
#define t_finfo(dtype) \
    T_BEGIN_("t_finfo(" #dtype ")") const t_DType t__d = (dtype); T_END_(const t_FInfo *, (t_finfo)(t__d))
#define t_iinfo(dtype) \
    T_BEGIN_("t_iinfo(" #dtype ")") const t_DType t__d = (dtype); T_END_(const t_IInfo *, (t_iinfo)(t__d))
#define t_promote_types(type1, type2) T_BEGIN_("t_promote_types(" #type1 ", " #type2 ")") \
    const t_DType t__d = (type1), t__e = (type2); T_END_(t_DType, (t_promote_types)(t__d, t__e))
#define t_can_cast(from, to) T_BEGIN_("t_can_cast(" #from ", " #to ")") \
    const t_DType t__d = (from), t__e = (to); T_END_(bool, (t_can_cast)(t__d, t__e))
#define t_result_type(x, other) T_BEGIN_("t_result_type(" #x ", " #other ")") \
    T_TENSOR_(t__a, T_OPERAND(x)) T_TENSOR_(t__b, T_OPERAND(other)) T_END_(t_DType, (t_result_type)(t__a, t__b))
#define t_get_default_dtype() T_BEGIN_("t_get_default_dtype()") T_END_(t_DType, (t_get_default_dtype)())
#define t_set_default_dtype(d) T_BEGIN_("t_set_default_dtype(" #d ")") const t_DType t__d = (d); \
    T_END_(bool, (t_set_default_dtype)(t__d))
/* t_size(x, 1): x.size(1). t_size(x): x.size(), the whole shape as a keyword's value, t_rand(.size = t_size(x)). */
static inline t_Tuple t_sizes_of_(const Tensor *x) {
    const int64_t dims = (t_dim)(x), *sizes = (t_shape)(x);
    t_Tuple size; /* T_NO_TUPLE_ is not C++, which this header compiles as, too */
    for (size_t d = 0; d < sizeof size.items / sizeof *size.items; d++) size.items[d] = T_NONE;
    size.len = 0;
    for (int64_t d = 0; sizes && d < dims; d++) size.items[size.len++] = sizes[d];
    return size;
}
#define t_size(...) T_TENTH_(__VA_ARGS__, T_SIZE2_, T_SIZE2_, T_SIZE2_, T_SIZE2_, T_SIZE2_, T_SIZE2_, T_SIZE2_, \
    T_SIZE2_, T_SIZE1_, 0)("t_size(" #__VA_ARGS__ ")", __VA_ARGS__)
#define T_SIZE1_(text, x) T_VALUE1_(t_Tuple, t_sizes_of_, text, x)
#define T_SIZE2_(text, x, dim) T_BEGIN_(text) T_READ_TENSOR_(t__a, (x)) T_END_(int64_t, (t_size)(t__a, dim))
#define t_stride(x, dim) T_BEGIN_("t_stride(" #x ", " #dim ")") T_READ_TENSOR_(t__a, (x)) \
    T_END_(int64_t, (t_stride)(t__a, dim))
#define t_storage_offset(x) T_VALUE1_(int64_t, t_storage_offset, "t_storage_offset(" #x ")", x)
#define t_is_floating_point(x) T_VALUE1_(bool, t_is_floating_point, "t_is_floating_point(" #x ")", x)
#define t_data_version(x) T_VALUE1_(int64_t, t_data_version, "t_data_version(" #x ")", x)
#define t_is_contiguous(x) T_VALUE1_(bool, t_is_contiguous, "t_is_contiguous(" #x ")", x)
/* t_tolist(x, values, 80): copies to an array of double, float, int64_t (long, long long), int or bool. int64 to
 * int64_t is exact; a value that the array's type cannot represent is an error. */
#define t_tolist(x, to, capacity) T_BEGIN_("t_tolist(" #x ", " #to ", " #capacity ")") T_READ_TENSOR_(t__a, (x)) \
    __auto_type t__to = (to); \
    T_END_(int64_t, t_tolist_of_(t__a, t__to, \
        _Generic(t__to, \
            double *: t_float64, \
            void *: t_float64, \
            float *: t_float32, \
            long *: t_l_, \
            long long *: t_int64, \
            int *: T_C_INT_, \
            _Bool *: t_bool), \
        capacity))
#define t_item(x) T_VALUE1_(double, t_item, "t_item(" #x ")", x)
#define t_item_int64(x) T_VALUE1_(int64_t, t_item_int64, "t_item_int64(" #x ")", x)
#define t_is_true(x) T_VALUE1_(bool, t_is_true, "t_is_true(" #x ")", x)
#define t_data_ptr(x) T_VALUE1_(const void *, t_data_ptr, "t_data_ptr(" #x ")", x)
#define t_data_ptr_mut(x) T_BEGIN_("t_data_ptr_mut(" #x ")") T_TENSOR_(t__a, (x)) T_END_(void *, (t_data_ptr_mut)(t__a))
#define t_equal(a, b) T_BEGIN_("t_equal(" #a ", " #b ")") T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, (b)) \
    T_END_(bool, (t_equal)(t__a, t__b))
#define t_allclose(a, ...) T_CLOSENESS_(bool, t_allclose, "t_allclose(" #a ", " #__VA_ARGS__ ")", a, __VA_ARGS__)
/* t_print(x), t_print("loss", loss, "step", 3): up to nine values */
static inline t_PrintValue_ t_printed_tensor_(Tensor *x) {
    return (t_PrintValue_){.kind = t_print_tensor_, .tensor = x};
}
static inline t_PrintValue_ t_printed_text_(const char *x) { return (t_PrintValue_){.kind = t_print_text_, .text = x}; }
static inline t_PrintValue_ t_printed_float_(double x) { return (t_PrintValue_){.kind = t_print_float_, .number = x}; }
static inline t_PrintValue_ t_printed_integer_(int64_t x) {
    return (t_PrintValue_){.kind = t_print_integer_, .integer = x};
}
static inline t_PrintValue_ t_printed_bool_(bool x) { return (t_PrintValue_){.kind = t_print_bool_, .integer = x}; }
#define T_PRINTED_(x) \
    __extension__({ __auto_type t__v = (x); \
        _Generic(t__v, \
            Tensor *: t_printed_tensor_, \
            char *: t_printed_text_, \
            const char *: t_printed_text_, \
            float: t_printed_float_, \
            double: t_printed_float_, \
            _Bool: t_printed_bool_, \
            char: t_printed_integer_, \
            signed char: t_printed_integer_, \
            unsigned char: t_printed_integer_, \
            short: t_printed_integer_, \
            unsigned short: t_printed_integer_, \
            int: t_printed_integer_, \
            unsigned: t_printed_integer_, \
            long: t_printed_integer_, \
            unsigned long: t_printed_integer_, \
            long long: t_printed_integer_, \
            unsigned long long: t_printed_integer_)(t__v); })
#define T_PRINTED_1_(a) T_PRINTED_(a)
#define T_PRINTED_2_(a, ...) T_PRINTED_(a), T_PRINTED_1_(__VA_ARGS__)
#define T_PRINTED_3_(a, ...) T_PRINTED_(a), T_PRINTED_2_(__VA_ARGS__)
#define T_PRINTED_4_(a, ...) T_PRINTED_(a), T_PRINTED_3_(__VA_ARGS__)
#define T_PRINTED_5_(a, ...) T_PRINTED_(a), T_PRINTED_4_(__VA_ARGS__)
#define T_PRINTED_6_(a, ...) T_PRINTED_(a), T_PRINTED_5_(__VA_ARGS__)
#define T_PRINTED_7_(a, ...) T_PRINTED_(a), T_PRINTED_6_(__VA_ARGS__)
#define T_PRINTED_8_(a, ...) T_PRINTED_(a), T_PRINTED_7_(__VA_ARGS__)
#define T_PRINTED_9_(a, ...) T_PRINTED_(a), T_PRINTED_8_(__VA_ARGS__)
#define t_print(...) T_BEGIN_("t_print(" #__VA_ARGS__ ")") \
    const t_PrintValue_ t__p[] = {T_TENTH_(__VA_ARGS__, T_PRINTED_9_, T_PRINTED_8_, T_PRINTED_7_, T_PRINTED_6_, \
        T_PRINTED_5_, T_PRINTED_4_, T_PRINTED_3_, T_PRINTED_2_, T_PRINTED_1_, 0)(__VA_ARGS__)}; \
    T_END_VOID_((t_print_values)(t__p, (int)(sizeof t__p / sizeof *t__p)))
#define t_repr(x) T_BEGIN_("t_repr(" #x ")") T_TENSOR_(t__a, (x)) T_END_(char *, (t_repr)(t__a))
#define t_str(x) T_BEGIN_("t_str(" #x ")") T_TENSOR_(t__a, (x)) T_END_(const char *, (t_str)(t__a))
/* t_set_printoptions(.precision = 2, .sci_mode = false), t_set_printoptions(.profile = "full") */
typedef struct t_PrintArguments_ {
    int first_;
    int64_t precision;
    double threshold;
    int64_t edgeitems, linewidth;
    const char *profile;
    int sci_mode;
} t_PrintArguments_;
#define t_set_printoptions(...) T_BEGIN_("t_set_printoptions(" #__VA_ARGS__ ")") \
    T_OPTIONS_(t_PrintArguments_, t__o, .precision = T_NONE, .threshold = __builtin_nan(""), .edgeitems = T_NONE, \
        .linewidth = T_NONE, .sci_mode = -1, .first_ = 0, __VA_ARGS__) \
    T_END_(bool, (t_set_printoptions)(t__o.precision, t__o.threshold, t__o.edgeitems, t__o.linewidth, t__o.profile, \
        t__o.sci_mode))
#define t_size_repr(x) T_BEGIN_("t_size_repr(" #x ")") T_TENSOR_(t__a, (x)) T_END_(const char *, (t_size_repr)(t__a))
#define t_dtype_repr(dtype) T_BEGIN_("t_dtype_repr(" #dtype ")") const t_DType t__d = (dtype); \
    T_END_(const char *, (t_dtype_repr)(t__d))

#endif
