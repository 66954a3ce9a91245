/* core/sugar.h: Python's face over the plain functions (public; gcc and clang, C only).
 *
 * A macro stands over each function of ops.h under the same name. It takes numbers where tensors go, shapes as arguments
 * and keywords with defaults (t_sum(x, 1, .keepdim = true)), evaluates its arguments from left to right, and frames the
 * call with its place in the source, so that the tape and the errors show the user's own line.
 *
 * How a macro is made: T_OP2_ and its like at the top; below them and in sugar_ops.h one line an op. To call past the macro:
 * (t_add)(a, b).
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

/* if (d_model % num_heads) return t_fail("d_model %d is no multiple of %d", ...): raise ValueError(...), told at once, with
 * the line and the function that it stands in. */
#define t_fail(...) T_BEGIN_(__func__) T_END_(void *, (t_fail)(__VA_ARGS__))

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
#define T_WHOLE_(...) T_QUIET_ const int64_t __VA_ARGS__; T_LOUD_
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
enum { T_POINTER_CLASS_ = 5 }; /* what __builtin_classify_type says of a pointer */
#define T_ARRAY_KIND_(p) _Generic((p), char *: 0, const char *: 0, float *: t_float32, const float *: t_float32,       \
    double *: t_float64, const double *: t_float64, long *: t_int64, const long *: t_int64, long long *: t_int64,      \
    const long long *: t_int64, bool *: t_bool, const bool *: t_bool, int *: -1, const int *: -1,                      \
    int: 63, bool: 65, long: 66, long long: 66, float: 67, double: 68) /* one number: T_NUMBER_ more than its array's */
#define T_ARRAY_START_(p) (__builtin_classify_type(p) == T_POINTER_CLASS_ ? (void *)(intptr_t)(p) : &(p))
/* t_tensor("[[1, 2], [3, 4]]", .dtype = t_float32), t_tensor(3.5), or t_tensor(array, 2, 2) for a C array of float, double, int,
 * int64_t or bool; a literal one wants parentheses, for its commas: t_tensor(((float[]){1, 2, 3, 4}), 2, 2) */
#define t_tensor(...) T_BEGIN_("t_tensor(" #__VA_ARGS__ ")") __auto_type t__p = T_HEAD_(__VA_ARGS__); T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_tensor_of_(T_ARRAY_START_(t__p), T_ARRAY_KIND_(t__p), t__s.shape, t_given_(t__s.shape), &t__o))
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
#define t_bool(x) T_BEGIN_("t_bool(" #x ")") Tensor *t__a = (x); T_END_(Tensor *, (t_to)(t__a, t_bool)) /* beside the dtype t_bool */
#define t_clone(x) T_OP1_(t_clone, "t_clone(" #x ")", x)
#define t_contiguous(x) T_OP1_(t_contiguous, "t_contiguous(" #x ")", x)
#define t_detach(x) T_OP1_(t_detach, "t_detach(" #x ")", x)
#define t_copy_(x, src) T_OP2_(t_copy_, "t_copy_(" #x ", " #src ")", x, T_OPERAND(src))
#define t_fill_(x, value) T_BEGIN_("t_fill_(" #x ", " #value ")") Tensor *t__a = (x); T_END_(Tensor *, (t_fill_)(t__a, value))
#define t_zero_(x) T_OP1_(t_zero_, "t_zero_(" #x ")", x)

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
#include "core/sugar_ops.h"

#endif
#endif
