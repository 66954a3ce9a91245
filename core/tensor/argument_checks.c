/* core/tensor/argument_checks.c: checks of arguments (tensors, dims, dtypes, scalars), and the texts of dtypes, shapes
 * and numbers in error messages. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/c_locale.h"
#include "core/tensor/tensor.h"

/* ---- texts ---- */

static const char *const dtype_names[T_DTYPES] = {
    "torch.none", "torch.bool", "torch.uint8", "torch.int8", "torch.int16", "torch.int32", "torch.int64",
    "torch.float16", "torch.bfloat16", "torch.float32", "torch.float64"};

/* str(x.dtype), a constant. Error: not a dtype. */
const char *t_dtype_repr(t_DType dtype) {
    return (unsigned)dtype - 1 < T_DTYPES - 1 ? dtype_names[dtype] : tg_fail("%d is not a dtype", (int)dtype);
}

const char *tg_dtype_name(t_DType dtype) {
    return dtype_names[dtype] + sizeof "torch." - 1;
}

const char *tg_scalar_name(t_DType dtype) {
    static const char *const names[T_DTYPES] = {"None", "Bool", "Byte", "Char", "Short", "Int", "Long", "Half",
                                                "BFloat16", "Float", "Double"};
    return names[dtype];
}

const char *tg_c_type_name(t_DType dtype) {
    static const char *const names[T_DTYPES] = {"none", "bool", "unsigned char", "signed char", "short", "int",
                                                "long int", "c10::Half", "c10::BFloat16", "float", "double"};
    return names[dtype];
}

double tg_largest(t_DType dtype) {
    static const double floating[T_DTYPES] = {[t_float16] = 65504, [t_bfloat16] = 0x1.fep127, [t_float32] = FLT_MAX,
                                              [t_float64] = DBL_MAX};
    return tg_is_floating(dtype) ? floating[dtype]
                                 : ldexp(1, (int)tg_itemsize(dtype) * 8 - (dtype != t_uint8)) - 1;
}

void tg_write_shape(char *to, int capacity, const int64_t *shape, int ndim) {
    int at = snprintf(to, (size_t)capacity, "["), d = 0;
    for (; d < ndim && at < capacity - 30; d++)
        at += snprintf(to + at, (size_t)(capacity - at), d ? ", %lld" : "%lld", (long long)shape[d]);
    snprintf(to + at, (size_t)(capacity - at), d < ndim ? ", ...]" : "]");
}

const char *tg_shape_text(const int64_t *shape, int ndim) {
    enum { BUFFERS = 4 };
    static _Thread_local unsigned next;
    char *buffers = tg_thread_buffer(buffer_shapes, BUFFERS * TG_SHAPE_TEXT);
    if (!buffers) return "[...]";
    char *text = buffers + next++ % BUFFERS * TG_SHAPE_TEXT;
    tg_write_shape(text, TG_SHAPE_TEXT, shape, ndim);
    return text;
}

const char *tg_shape_of(const Tensor *x) {
    return tg_shape_text(x->shape, x->ndim);
}

/* repr(float): the shortest decimal text that strtod converts back to the same value. */
const char *tg_number_text(double value) {
    enum { CAPACITY = 40 };
    static _Thread_local char text[CAPACITY];
    int digits = 0;
    const tg_CLocale locale = tg_c_locale_begin();
    do snprintf(text, CAPACITY, "%.*e", digits++, value);
    while (digits < 17 && strtod(text, NULL) != value);
    double size = fabs(value);
    if (size == 0 || (size >= 1e-4 && size < 1e16)) {
        int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10), decimals = digits - 1 - exponent;
        snprintf(text, CAPACITY, "%.*f", decimals > 1 ? decimals : 1, value);
    }
    tg_c_locale_end(locale);
    return text;
}

/* ---- checking ---- */

static __attribute__((noinline)) bool refuse_argument(const Tensor *x, int position) {
    if (!x) {
        if (!t_error()) tg_fail("argument %d is NULL where a tensor is expected", position);
    } else if (tg_is_uninitialized(x)) {
        tg_fail("Attempted to use an uninitialized parameter. This error happens when you are using a `LazyModule` or "
                "explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules "
                "Call `forward` with a dummy batch to initialize the parameters before calling torch functions");
    } else if (x->object.is_a && x->object.is_a->destroy) {
        tg_fail("argument %d is a %s, not a tensor", position, x->object.is_a->name);
    } else {
        tg_fail("argument %d died with its scope; t_keep() carries a tensor out of the scope that made it, "
                "t_keep_as() from one iteration of a loop to the next", position);
    }
    return false;
}

static inline bool check(const Tensor *x, int position) {
    return x && x->object.is_a == &tg_tensor_class ? tg_update_view_record((Tensor *)x) : refuse_argument(x, position);
}

bool tg_check_any(const Tensor *x, int position) {
    return check(x, position);
}

Tensor *tg_scope_return_tensor(int depth, int64_t failures, Tensor *y, const char *format, ...) {
    bool ok = depth && !tg_failed_since(failures);
    if (ok && !y && !t_error()) {
        char name[512];
        va_list arguments;
        va_start(arguments, format);
        tg_c_vsnprintf(name, sizeof name, format, arguments);
        va_end(arguments);
        tg_fail("%s returned NULL", name);
    }
    ok = ok && tg_check_any(y, 1);
    return tg_scope_return(depth, ok ? y : NULL);
}

bool tg_check_held(const Tensor *x, int position) {
    return tg_is_uninitialized(x) || check(x, position);
}

static __attribute__((noinline)) bool refuse_narrow(t_DType dtype) {
    return tg_fail("not implemented for '%s'", tg_scalar_name(dtype));
}

static inline bool check_wide(const Tensor *x, int position) {
    return check(x, position) && (!tg_is_narrow(x->dtype) || refuse_narrow(x->dtype));
}

bool tg_check(const Tensor *x, int position) {
    return check_wide(x, position);
}

bool tg_check_two(const Tensor *a, const Tensor *b) {
    return check_wide(a, 1) && check_wide(b, 2);
}

bool tg_check_any_two(const Tensor *a, const Tensor *b) {
    return check(a, 1) && check(b, 2);
}

bool tg_check_three(const Tensor *a, const Tensor *b, const Tensor *c) {
    return check_wide(a, 1) && check_wide(b, 2) && check_wide(c, 3);
}

bool tg_check_any_three(const Tensor *a, const Tensor *b, const Tensor *c) {
    return check(a, 1) && check(b, 2) && check(c, 3);
}

bool tg_check_optional(const Tensor *x, int position) {
    return x ? tg_check(x, position) : !t_error();
}

bool tg_check_any_optional(const Tensor *x, int position) {
    return x ? tg_check_any(x, position) : !t_error();
}

bool tg_check_given(bool given, int position, const char *what) {
    if (given) return true;
    return t_error() ? false : tg_fail("argument %d is NULL where %s is expected", position, what) != NULL;
}

bool tg_check_required(const char *names, const int64_t *values) {
    for (; *names; values++) {
        const int length = (int)strcspn(names, " ");
        if (*values == T_NONE) return tg_fail("missing the argument %.*s", length, names) != NULL;
        names += length + (names[length] != '\0');
    }
    return true;
}

bool tg_refuse_array(int64_t count, int position, const char *what) {
    if (count < 0) return tg_fail("argument %d: the number of %s must not be negative, but is %lld", position + 1, what,
                                  (long long)count);
    return t_error() ? false : tg_fail("argument %d is NULL where %s are expected", position, what) != NULL;
}

bool tg_check_dtype(t_DType dtype) {
    return ((int)dtype >= 0 && (int)dtype < T_DTYPES) || tg_fail("%d is not a dtype", (int)dtype);
}

bool tg_is_in_range(double value, t_DType dtype) {
    const double limit = ldexp(1, (int)tg_itemsize(dtype) * 8 - (dtype != t_uint8));
    return value >= (dtype == t_uint8 ? 1 - limit : -limit) && value < limit;
}

/* float16 and bfloat16 take any value; a large one becomes inf. */
bool tg_check_scalar_fits(double value, t_DType dtype) {
    static const char *const names[T_DTYPES] = {[t_uint8] = "uint8_t", [t_int8] = "int8_t", [t_int16] = "int16_t",
                                                [t_int32] = "int", [t_int64] = "int64_t", [t_float32] = "float"};
    const bool fits = tg_is_integral(dtype) ? tg_is_in_range(value, dtype)
                      : dtype != t_float32 || !(fabs(value) > FLT_MAX) || isinf(value);
    return fits || tg_fail("value cannot be converted to type %s without overflow", names[dtype]);
}

bool tg_check_tensor_fits(const Tensor *value, t_DType dtype) {
    return !tg_is_floating(value->dtype) || tg_check_scalar_fits(tg_read_double(value), dtype);
}

bool tg_wrap_dim(int64_t dim, int ndim, int *wrapped) {
    int64_t rank = ndim ? ndim : 1;
    if (dim == T_NONE) return tg_fail("missing the argument dim");
    if (dim < -rank || dim >= rank) {
        tg_fail("Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)", (long long)-rank,
                (long long)rank - 1, (long long)dim);
        return false;
    }
    *wrapped = (int)(dim < 0 ? dim + rank : dim);
    return true;
}

bool tg_wrap_dims(const int64_t *dims, int count, int ndim, int *wrapped) {
    bool listed[T_MAX_DIMS] = {false};
    if (!tg_check_array(dims, count, 2, "dims")) return false;
    for (int i = 0, d = 0; i < count; i++) {
        if (!tg_wrap_dim(dims[i], ndim, &d)) return false;
        if (listed[d]) return tg_fail("dim %d appears multiple times in the list of dims", d);
        listed[d] = true;
        wrapped[i] = d;
    }
    return true;
}
