/* core/sugar.h: Python's face over the plain functions (public; gcc and clang, C only).
 *
 * A macro stands over each function of ops.h under the same name. It takes numbers where tensors go, shapes as arguments
 * and keywords with defaults (t_sum(x, 1, .keepdim = true)), evaluates its arguments from left to right, and frames the
 * call with its place in the source, so that the tape and the errors show the user's own line.
 *
 * How a macro is made: T_OP2_ and its like at the top; below them one line an op. To call past the macro: (t_add)(a, b).
 * Names that end in an underscore after a word of this header (T_OP2_, t__a) are its own. */
#ifndef TAPEGRAD_CORE_SUGAR_H
#define TAPEGRAD_CORE_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/autograd.h"
#include "core/error.h"
#include "core/ops.h"
#include "core/random.h"
#include "core/scope.h"

/* ---- the frame around a call ---- */

#define T_BEGIN_(text) (__extension__({ static const t_Site t__site = {__FILE__, __LINE__, text};
#define T_END_(type, call)                             \
    const t_Site *t__before = t_enter_(&t__site);      \
    type t__result = (call);                           \
    t_leave_(t__before);                               \
    t__result; }))
#define T_END_VOID_(call)                              \
    const t_Site *t__before = t_enter_(&t__site);      \
    (call);                                            \
    t_leave_(t__before); }))

#define T_VALUE1_(type, f, text, A) T_BEGIN_(text) const Tensor *t__a = (A); T_END_(type, (f)(t__a))
#define T_OP1_(f, text, A) T_BEGIN_(text) Tensor *t__a = (A); T_END_(Tensor *, (f)(t__a))
#define T_OP2_(f, text, A, B) T_BEGIN_(text) Tensor *t__a = (A); Tensor *t__b = (B); T_END_(Tensor *, (f)(t__a, t__b))
#define T_OP3_(f, text, A, B, C)                       \
    T_BEGIN_(text) Tensor *t__a = (A); Tensor *t__b = (B); Tensor *t__c = (C); T_END_(Tensor *, (f)(t__a, t__b, t__c))

/* ---- numbers where tensors go ---- */

static inline Tensor *t_same_(Tensor *x) { return x; }
static inline Tensor *t_null_(void *x) { return (Tensor *)x; }
#define T_OPERAND(a)                                                                                                  \
    (__extension__({ __auto_type t__v = (a);                                                                          \
        _Generic(t__v, Tensor *: t_same_, void *: t_null_, float: t_number, double: t_number, _Bool: t_boolean,       \
                 char: t_integer, signed char: t_integer, short: t_integer, int: t_integer, long: t_integer,          \
                 long long: t_integer, unsigned char: t_integer, unsigned short: t_integer, unsigned: t_integer,      \
                 unsigned long: t_integer, unsigned long long: t_integer)(t__v); }))

/* ---- keywords ----
 * A macro is (...): T_HEAD_ is its first argument, T_TAIL_ the others, which initialise a struct of options behind their
 * defaults. `first_` parks the position, so that positional options land where Python puts them. gcc refuses a double
 * where a whole number goes (t_zeros(2.5)). */

#define T_HEAD_(...) T_HEAD_OF_(__VA_ARGS__, 0)
#define T_HEAD_OF_(head, ...) head
#define T_TAIL_(...) T_TAIL_OF_(__VA_ARGS__, )
#define T_TAIL_OF_(head, ...) __VA_ARGS__
#ifdef __clang__
#define T_QUIET_ _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Winitializer-overrides\"") \
    _Pragma("clang diagnostic ignored \"-Wmissing-braces\"") _Pragma("clang diagnostic ignored \"-Wmissing-field-initializers\"")
#define T_LOUD_ _Pragma("clang diagnostic pop")
#else
#define T_QUIET_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
    _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") \
    _Pragma("GCC diagnostic error \"-Wfloat-conversion\"")
#define T_LOUD_ _Pragma("GCC diagnostic pop")
#endif
#define T_OPTIONS_(type, name, ...) T_QUIET_ const type name = {__VA_ARGS__}; T_LOUD_

/* Shapes and lists of dims: what the caller left out stays T_NONE. */
#define T_NINE_NONES_ {T_NONE, T_NONE, T_NONE, T_NONE, T_NONE, T_NONE, T_NONE, T_NONE, T_NONE}
typedef struct t_ShapeArguments_ {
    t_DType dtype;
    bool requires_grad;
    t_Generator *generator;
    double fill_value;
    int first_;
    int64_t shape[T_MAX_DIMS + 1];
    struct t_too_many_dims_ *rest_;
} t_ShapeArguments_;
typedef struct t_DimsArguments_ {
    bool keepdim;
    double correction;
    int first_;
    int64_t dims[T_MAX_DIMS + 1];
    struct t_too_many_dims_ *rest_;
} t_DimsArguments_;
typedef struct t_DimArguments_ {
    int first_;
    int64_t dim;
    bool keepdim;
    Tensor **indices;
} t_DimArguments_;
static inline int t_given_(const int64_t *sizes) {
    int count = 0;
    while (count <= T_MAX_DIMS && sizes[count] != T_NONE) count++;
    return count;
}
#define T_SHAPE_OPTIONS_(...) T_OPTIONS_(t_ShapeArguments_, t__s, .shape = T_NINE_NONES_, .first_ = 0, __VA_ARGS__) \
    const t_TensorOptions t__o = {sizeof t__o, t__s.dtype, t__s.requires_grad, t__s.generator};
#define T_CREATE_(f, text, ...)                        \
    T_BEGIN_(text) T_SHAPE_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (f)(t__s.shape, t_given_(t__s.shape), &t__o))
#define T_SIZES_(f, text, A, ...)                      \
    T_BEGIN_(text) Tensor *t__a = (A); T_QUIET_ const int64_t t__s[] = {0, __VA_ARGS__}; T_LOUD_               \
    T_END_(Tensor *, (f)(t__a, t__s + 1, (int)(sizeof t__s / sizeof *t__s) - 1))
#define T_DIM_(otherwise, ...) T_OPTIONS_(t_DimArguments_, t__d, .dim = otherwise, .first_ = 0, __VA_ARGS__)
#define T_DIMS_(...) T_OPTIONS_(t_DimsArguments_, t__d, .correction = 1, .dims = T_NINE_NONES_, .first_ = 0, __VA_ARGS__)

/* ---- looking at a tensor ---- */
#define t_dim(x) T_VALUE1_(int64_t, t_dim, "t_dim(" #x ")", x)
#define t_shape(x) T_VALUE1_(const int64_t *, t_shape, "t_shape(" #x ")", x)
#define t_numel(x) T_VALUE1_(int64_t, t_numel, "t_numel(" #x ")", x)
#define t_dtype(x) T_VALUE1_(t_DType, t_dtype, "t_dtype(" #x ")", x)
#define t_size(x, dim) T_BEGIN_("t_size(" #x ", " #dim ")") const Tensor *t__a = (x); T_END_(int64_t, (t_size)(t__a, dim))
#define t_stride(x, dim) T_BEGIN_("t_stride(" #x ", " #dim ")") const Tensor *t__a = (x); T_END_(int64_t, (t_stride)(t__a, dim))
#define t_is_contiguous(x) T_VALUE1_(bool, t_is_contiguous, "t_is_contiguous(" #x ")", x)
#define t_tolist(x, to, room) T_BEGIN_("t_tolist(" #x ", " #to ", " #room ")") const Tensor *t__a = (x); T_END_(int64_t, (t_tolist)(t__a, to, room))
#define t_item(x) T_VALUE1_(double, t_item, "t_item(" #x ")", x)
#define t_item_int64(x) T_VALUE1_(int64_t, t_item_int64, "t_item_int64(" #x ")", x)
#define t_is_true(x) T_VALUE1_(bool, t_is_true, "t_is_true(" #x ")", x)
#define t_data(x) T_VALUE1_(const void *, t_data, "t_data(" #x ")", x)
#define t_data_mut(x) T_BEGIN_("t_data_mut(" #x ")") Tensor *t__a = (x); T_END_(void *, (t_data_mut)(t__a))
#define t_equal(a, b) T_BEGIN_("t_equal(" #a ", " #b ")") Tensor *t__a = (a); Tensor *t__b = (b); T_END_(bool, (t_equal)(t__a, t__b))
typedef struct t_AllcloseArguments_ { int first_; double rtol, atol; } t_AllcloseArguments_;
#define t_allclose(a, ...) T_BEGIN_("t_allclose(" #a ", " #__VA_ARGS__ ")") Tensor *t__a = (a); Tensor *t__b = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(t_AllcloseArguments_, t__o, .rtol = 1e-5, .atol = 1e-8, .first_ = 0, T_TAIL_(__VA_ARGS__))                   \
    T_END_(bool, (t_allclose)(t__a, t__b, t__o.rtol, t__o.atol))
#define t_print(x) T_BEGIN_("t_print(" #x ")") Tensor *t__a = (x); T_END_VOID_((t_print)(t__a))
#define t_size_repr(x) T_BEGIN_("t_size_repr(" #x ")") Tensor *t__a = (x); T_END_(const char *, (t_size_repr)(t__a))

/* ---- making tensors ---- */
#define T_ARRAY_KIND_(p) _Generic((p), char *: 0, const char *: 0, float *: t_float32, const float *: t_float32,       \
    double *: t_float64, const double *: t_float64, long *: t_int64, const long *: t_int64, long long *: t_int64,      \
    const long long *: t_int64, bool *: t_bool, const bool *: t_bool, int *: -1, const int *: -1)
/* t_tensor("[[1, 2], [3, 4]]", .dtype = t_float32), or t_tensor(array, 2, 2) for a C array of float, double, int, int64_t or
 * bool; a literal one wants parentheses, for its commas: t_tensor(((float[]){1, 2, 3, 4}), 2, 2) */
#define t_tensor(...) T_BEGIN_("t_tensor(" #__VA_ARGS__ ")") __auto_type t__p = T_HEAD_(__VA_ARGS__); T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_tensor_of_(t__p, T_ARRAY_KIND_(t__p), t__s.shape, t_given_(t__s.shape), &t__o))
#define t_empty(...) T_CREATE_(t_empty, "t_empty(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_zeros(...) T_CREATE_(t_zeros, "t_zeros(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_ones(...) T_CREATE_(t_ones, "t_ones(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_rand(...) T_CREATE_(t_rand, "t_rand(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_randn(...) T_CREATE_(t_randn, "t_randn(" #__VA_ARGS__ ")", __VA_ARGS__)
/* t_full(2, 3, .fill_value = 7) */
#define t_full(...) T_BEGIN_("t_full(" #__VA_ARGS__ ")") T_SHAPE_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, (t_full)(t__s.shape, t_given_(t__s.shape), t__s.fill_value, &t__o))
/* t_randint(low, high, 32, 10) */
#define t_randint(low, ...) T_BEGIN_("t_randint(" #low ", " #__VA_ARGS__ ")") const int64_t t__low = (low), t__high = T_HEAD_(__VA_ARGS__); \
    T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_randint)(t__low, t__high, t__s.shape, t_given_(t__s.shape), &t__o))
#define T_KEYWORDS_(...) T_OPTIONS_(t_TensorOptions, t__o, .size = sizeof(t_TensorOptions), __VA_ARGS__)
#define t_randperm(...) T_BEGIN_("t_randperm(" #__VA_ARGS__ ")") const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_randperm)(t__n, &t__o))
#define t_eye(...) T_BEGIN_("t_eye(" #__VA_ARGS__ ")") const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_eye)(t__n, &t__o))
/* t_arange(end), t_arange(start, end), t_arange(start, end, step): int64 unless one of them is a C float; another dtype by
 * t_to, which costs the tutorials no line (they call .float()) */
#define T_ARANGE1_(a) {NULL, T_OPERAND(a), NULL}
#define T_ARANGE2_(a, b) {T_OPERAND(a), T_OPERAND(b), NULL}
#define T_ARANGE3_(a, b, c) {T_OPERAND(a), T_OPERAND(b), T_OPERAND(c)}
#define T_FOURTH_(a, b, c, d, ...) d
#define t_arange(...) T_BEGIN_("t_arange(" #__VA_ARGS__ ")")                                                           \
    Tensor *const t__n[3] = T_FOURTH_(__VA_ARGS__, T_ARANGE3_, T_ARANGE2_, T_ARANGE1_, 0)(__VA_ARGS__);                \
    T_END_(Tensor *, t_arange_of_(t__n[0], t__n[1], t__n[2]))
#define t_empty_like(x) T_OP1_(t_empty_like, "t_empty_like(" #x ")", x)
#define t_zeros_like(x) T_OP1_(t_zeros_like, "t_zeros_like(" #x ")", x)
#define t_ones_like(x) T_OP1_(t_ones_like, "t_ones_like(" #x ")", x)
#define t_rand_like(x) T_OP1_(t_rand_like, "t_rand_like(" #x ")", x)
#define t_randn_like(x) T_OP1_(t_randn_like, "t_randn_like(" #x ")", x)
#define t_full_like(x, value) T_BEGIN_("t_full_like(" #x ", " #value ")") Tensor *t__a = (x); T_END_(Tensor *, (t_full_like)(t__a, value))
typedef struct t_RandomArguments_ { int first_; double a, b; t_Generator *generator; } t_RandomArguments_;
#define T_RANDOM_(f, text, A, first, second, ...) T_BEGIN_(text) Tensor *t__a = (A);                                   \
    T_OPTIONS_(t_RandomArguments_, t__o, .a = first, .b = second, .first_ = 0, __VA_ARGS__) T_END_(Tensor *, f)
#define t_uniform_(...) T_RANDOM_((t_uniform_)(t__a, t__o.a, t__o.b, t__o.generator), "t_uniform_(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), 0, 1, T_TAIL_(__VA_ARGS__))
#define t_normal_(...) T_RANDOM_((t_normal_)(t__a, t__o.a, t__o.b, t__o.generator), "t_normal_(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), 0, 1, T_TAIL_(__VA_ARGS__))
#define t_bernoulli_(...) T_RANDOM_((t_bernoulli_)(t__a, t__o.a, t__o.generator), "t_bernoulli_(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), 0.5, 0, T_TAIL_(__VA_ARGS__))
#define t_bernoulli(p) T_BEGIN_("t_bernoulli(" #p ")") Tensor *t__a = (p); T_END_(Tensor *, (t_bernoulli)(t__a, NULL))

/* ---- copies and dtypes ---- */
#define t_to(x, dtype) T_BEGIN_("t_to(" #x ", " #dtype ")") Tensor *t__a = (x); T_END_(Tensor *, (t_to)(t__a, dtype))
#define t_float(x) T_OP1_(t_float, "t_float(" #x ")", x)
#define t_double(x) T_OP1_(t_double, "t_double(" #x ")", x)
#define t_long(x) T_OP1_(t_long, "t_long(" #x ")", x)
#define t_clone(x) T_OP1_(t_clone, "t_clone(" #x ")", x)
#define t_contiguous(x) T_OP1_(t_contiguous, "t_contiguous(" #x ")", x)
#define t_detach(x) T_OP1_(t_detach, "t_detach(" #x ")", x)
#define t_copy_(x, src) T_OP2_(t_copy_, "t_copy_(" #x ", " #src ")", x, T_OPERAND(src))
#define t_fill_(x, value) T_BEGIN_("t_fill_(" #x ", " #value ")") Tensor *t__a = (x); T_END_(Tensor *, (t_fill_)(t__a, value))
#define t_zero_(x) T_OP1_(t_zero_, "t_zero_(" #x ")", x)

/* ---- views and shapes ---- */
#define t_view(x, ...) T_SIZES_(t_view, "t_view(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_reshape(x, ...) T_SIZES_(t_reshape, "t_reshape(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_permute(x, ...) T_SIZES_(t_permute, "t_permute(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_expand(x, ...) T_SIZES_(t_expand, "t_expand(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_repeat(x, ...) T_SIZES_(t_repeat, "t_repeat(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_expand_as(x, other) T_OP2_(t_expand_as, "t_expand_as(" #x ", " #other ")", x, other)
#define t_transpose(x, dim0, dim1) T_BEGIN_("t_transpose(" #x ", " #dim0 ", " #dim1 ")") Tensor *t__a = (x); T_END_(Tensor *, (t_transpose)(t__a, dim0, dim1))
#define t_t(x) T_OP1_(t_t, "t_t(" #x ")", x)
#define t_unsqueeze(x, dim) T_BEGIN_("t_unsqueeze(" #x ", " #dim ")") Tensor *t__a = (x); T_END_(Tensor *, (t_unsqueeze)(t__a, dim))
#define t_squeeze(...) T_BEGIN_("t_squeeze(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_squeeze)(t__a, t__d.dim))
typedef struct t_FlattenArguments_ { int first_; int64_t start_dim, end_dim; } t_FlattenArguments_;
#define t_flatten(...) T_BEGIN_("t_flatten(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                     \
    T_OPTIONS_(t_FlattenArguments_, t__o, .start_dim = 0, .end_dim = -1, .first_ = 0, T_TAIL_(__VA_ARGS__))            \
    T_END_(Tensor *, (t_flatten)(t__a, t__o.start_dim, t__o.end_dim))
#define t_slice(x, dim, start, end, step) T_BEGIN_("t_slice(" #x ", " #dim ", " #start ", " #end ", " #step ")") Tensor *t__a = (x); T_END_(Tensor *, (t_slice)(t__a, dim, start, end, step))
#define t_narrow(x, dim, start, length) T_BEGIN_("t_narrow(" #x ", " #dim ", " #start ", " #length ")") Tensor *t__a = (x); T_END_(Tensor *, (t_narrow)(t__a, dim, start, length))
#define t_select(x, dim, index) T_BEGIN_("t_select(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); T_END_(Tensor *, (t_select)(t__a, dim, index))
#define t_chunk(x, ...) T_BEGIN_("t_chunk(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x); const int64_t t__n = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_chunk)(t__a, t__n, t__d.dim))
#define t_split(x, ...) T_BEGIN_("t_split(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x); const int64_t t__n = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_split)(t__a, t__n, t__d.dim))
#define t_unbind(...) T_BEGIN_("t_unbind(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_unbind)(t__a, t__d.dim))
#define t_list(...) T_BEGIN_("t_list(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; T_END_(t_TensorList *, (t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l)))
#define t_list_get(list, index) T_BEGIN_("t_list_get(" #list ", " #index ")") const t_TensorList *t__l = (list); T_END_(Tensor *, (t_list_get)(t__l, index))
#define t_list_append(list, x) T_BEGIN_("t_list_append(" #list ", " #x ")") t_TensorList *t__l = (list); Tensor *t__a = (x); T_END_(bool, (t_list_append)(t__l, t__a))
#define t_cat(...) T_BEGIN_("t_cat(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_cat)(t__l, t__d.dim))
#define t_stack(...) T_BEGIN_("t_stack(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_stack)(t__l, t__d.dim))
/* t_at(pe, ":, :{}, :", n): each {} takes the next whole number */
#define t_at(x, ...) T_BEGIN_("t_at(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x); const char *t__t = T_HEAD_(__VA_ARGS__); const int64_t t__v[] = {0, T_TAIL_(__VA_ARGS__)}; T_END_(Tensor *, (t_at)(t__a, t__t, t__v + 1, (int)(sizeof t__v / sizeof *t__v) - 1))
/* t_set(pe, ":, {}::2", value, start): x[index] = value, the numbers for {} behind the value */
#define t_set(x, text, ...) T_BEGIN_("t_set(" #x ", " #text ", " #__VA_ARGS__ ")") Tensor *t__a = (x); const char *t__t = (text); Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); const int64_t t__v[] = {0, T_TAIL_(__VA_ARGS__)}; T_END_(bool, (t_set)(t__a, t__t, t__v + 1, (int)(sizeof t__v / sizeof *t__v) - 1, t__b))
typedef struct t_DiagonalArguments_ { int first_; int64_t diagonal; } t_DiagonalArguments_;
#define t_tril(...) T_BEGIN_("t_tril(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_OPTIONS_(t_DiagonalArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_tril)(t__a, t__o.diagonal))
#define t_triu(...) T_BEGIN_("t_triu(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_OPTIONS_(t_DiagonalArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_triu)(t__a, t__o.diagonal))

/* ---- pointwise ---- */
#define t_neg(x) T_OP1_(t_neg, "t_neg(" #x ")", x)
#define t_abs(x) T_OP1_(t_abs, "t_abs(" #x ")", x)
#define t_sign(x) T_OP1_(t_sign, "t_sign(" #x ")", x)
#define t_exp(x) T_OP1_(t_exp, "t_exp(" #x ")", x)
#define t_log(x) T_OP1_(t_log, "t_log(" #x ")", x)
#define t_sqrt(x) T_OP1_(t_sqrt, "t_sqrt(" #x ")", x)
#define t_rsqrt(x) T_OP1_(t_rsqrt, "t_rsqrt(" #x ")", x)
#define t_square(x) T_OP1_(t_square, "t_square(" #x ")", x)
#define t_reciprocal(x) T_OP1_(t_reciprocal, "t_reciprocal(" #x ")", x)
#define t_sin(x) T_OP1_(t_sin, "t_sin(" #x ")", x)
#define t_cos(x) T_OP1_(t_cos, "t_cos(" #x ")", x)
#define t_tanh(x) T_OP1_(t_tanh, "t_tanh(" #x ")", x)
#define t_sigmoid(x) T_OP1_(t_sigmoid, "t_sigmoid(" #x ")", x)
#define t_erf(x) T_OP1_(t_erf, "t_erf(" #x ")", x)
#define t_relu(x) T_OP1_(t_relu, "t_relu(" #x ")", x)
#define t_logical_not(x) T_OP1_(t_logical_not, "t_logical_not(" #x ")", x)
#define t_add(a, b) T_OP2_(t_add, "t_add(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_sub(a, b) T_OP2_(t_sub, "t_sub(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_mul(a, b) T_OP2_(t_mul, "t_mul(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_div(a, b) T_OP2_(t_div, "t_div(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_pow(a, b) T_OP2_(t_pow, "t_pow(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_maximum(a, b) T_OP2_(t_maximum, "t_maximum(" #a ", " #b ")", a, b)
#define t_minimum(a, b) T_OP2_(t_minimum, "t_minimum(" #a ", " #b ")", a, b)
#define t_eq(a, b) T_OP2_(t_eq, "t_eq(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_ne(a, b) T_OP2_(t_ne, "t_ne(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_lt(a, b) T_OP2_(t_lt, "t_lt(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_le(a, b) T_OP2_(t_le, "t_le(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_gt(a, b) T_OP2_(t_gt, "t_gt(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_ge(a, b) T_OP2_(t_ge, "t_ge(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_logical_and(a, b) T_OP2_(t_logical_and, "t_logical_and(" #a ", " #b ")", a, b)
#define t_logical_or(a, b) T_OP2_(t_logical_or, "t_logical_or(" #a ", " #b ")", a, b)
#define t_where(condition, a, b) T_OP3_(t_where, "t_where(" #condition ", " #a ", " #b ")", condition, T_OPERAND(a), T_OPERAND(b))
#define t_masked_fill(x, mask, value) T_OP3_(t_masked_fill, "t_masked_fill(" #x ", " #mask ", " #value ")", x, mask, T_OPERAND(value))
#define t_masked_fill_(x, mask, value) T_OP3_(t_masked_fill_, "t_masked_fill_(" #x ", " #mask ", " #value ")", x, mask, T_OPERAND(value))
#define t_clamp(x, min, max) T_OP3_(t_clamp, "t_clamp(" #x ", " #min ", " #max ")", x, T_OPERAND(min), T_OPERAND(max))
#define t_add_(x, y) T_OP2_(t_add_, "t_add_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_sub_(x, y) T_OP2_(t_sub_, "t_sub_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_mul_(x, y) T_OP2_(t_mul_, "t_mul_(" #x ", " #y ")", x, T_OPERAND(y))
#define t_div_(x, y) T_OP2_(t_div_, "t_div_(" #x ", " #y ")", x, T_OPERAND(y))

/* ---- reductions: t_sum(x), t_sum(x, 1), t_sum(x, 0, 2, .keepdim = true) ---- */
#define T_REDUCE_(f, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); T_DIMS_(__VA_ARGS__) T_END_(Tensor *, f)
#define t_sum(...) T_REDUCE_((t_sum)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_sum(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_mean(...) T_REDUCE_((t_mean)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_mean(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_var(...) T_REDUCE_((t_var)(t__a, t__d.dims, t_given_(t__d.dims), t__d.correction, t__d.keepdim), "t_var(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_max(x), t_max(x, 1, .indices = &predicted), t_argmax(x, -1) */
#define T_ALONG_(f, otherwise, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); T_DIM_(otherwise, __VA_ARGS__) T_END_(Tensor *, f)
#define t_max(...) T_ALONG_((t_max)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_max(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_min(...) T_ALONG_((t_min)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_min(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmax(...) T_ALONG_((t_argmax)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmax(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmin(...) T_ALONG_((t_argmin)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmin(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_all(x) T_OP1_(t_all, "t_all(" #x ")", x)
#define t_any(x) T_OP1_(t_any, "t_any(" #x ")", x)

/* ---- products; along one dim ---- */
#define t_matmul(a, b) T_OP2_(t_matmul, "t_matmul(" #a ", " #b ")", a, b)
#define t_mm(a, b) T_OP2_(t_mm, "t_mm(" #a ", " #b ")", a, b)
#define t_bmm(a, b) T_OP2_(t_bmm, "t_bmm(" #a ", " #b ")", a, b)
#define t_softmax(x, ...) T_ALONG_((t_softmax)(t__a, t__d.dim), T_NONE, "t_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_log_softmax(x, ...) T_ALONG_((t_log_softmax)(t__a, t__d.dim), T_NONE, "t_log_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_gather(x, dim, index) T_BEGIN_("t_gather(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_gather)(t__a, dim, t__b))
#define t_index_select(x, dim, index) T_BEGIN_("t_index_select(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_index_select)(t__a, dim, t__b))

/* ---- autograd: t_backward(loss), t_backward(y, dy, .retain_graph = true) ---- */
typedef struct t_BackwardArguments_ { int first_; Tensor *gradient; bool retain_graph, create_graph; } t_BackwardArguments_;
#define t_backward(...) T_BEGIN_("t_backward(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                   \
    T_OPTIONS_(t_BackwardArguments_, t__k, .first_ = 0, T_TAIL_(__VA_ARGS__))                                          \
    const t_BackwardOptions t__o = {sizeof t__o, t__k.gradient, t__k.retain_graph, t__k.create_graph};                 \
    T_END_(bool, (t_backward)(t__a, &t__o))
#define t_grad(x) T_OP1_(t_grad, "t_grad(" #x ")", x)
#define t_set_grad(x, gradient) T_BEGIN_("t_set_grad(" #x ", " #gradient ")") Tensor *t__a = (x); Tensor *t__b = (gradient); T_END_(bool, (t_set_grad)(t__a, t__b))
#define t_is_leaf(x) T_BEGIN_("t_is_leaf(" #x ")") Tensor *t__a = (x); T_END_(bool, (t_is_leaf)(t__a))
#define t_grad_fn(x) T_BEGIN_("t_grad_fn(" #x ")") Tensor *t__a = (x); T_END_(const char *, (t_grad_fn)(t__a))
#define t_gradcheck(f, inputs, context, options) T_BEGIN_("t_gradcheck(" #f ", " #inputs ")") t_TensorList *t__l = (inputs); T_END_(bool, (t_gradcheck)(f, t__l, context, options))
#define t_requires_grad(x) T_BEGIN_("t_requires_grad(" #x ")") Tensor *t__a = (x); T_END_(bool, (t_requires_grad)(t__a))
#define t_requires_grad_(x, on) T_BEGIN_("t_requires_grad_(" #x ", " #on ")") Tensor *t__a = (x); T_END_(Tensor *, (t_requires_grad_)(t__a, on))
#define t_tape_print(...) T_BEGIN_("t_tape_print(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); FILE *const t__f[] = {NULL, T_TAIL_(__VA_ARGS__)}; T_END_VOID_((t_tape_print)(t__a, t__f[sizeof t__f / sizeof *t__f - 1]))

#include "core/blocks.h"

#endif
#endif
