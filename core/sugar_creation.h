/* core/sugar_creation.h: the macros over ops_creation.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_CREATION_H
#define TAPEGRAD_CORE_SUGAR_CREATION_H
#pragma GCC system_header

#include "core/sugar_words.h"

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

#endif
