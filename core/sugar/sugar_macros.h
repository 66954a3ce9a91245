/* core/sugar/sugar_macros.h: the building blocks of the macros in core/sugar: the frame around a call, numbers as
 * tensors, keywords, tuples (public; part of core/sugar/sugar.h). Names like T_OP2_ and t__a are internal to the
 * macros. */
#ifndef TAPEGRAD_CORE_SUGAR_SUGAR_MACROS_H
#define TAPEGRAD_CORE_SUGAR_SUGAR_MACROS_H
#pragma GCC system_header

#include "core/autograd/autograd.h"
#include "core/tensor/error.h"
#include "core/autograd/function.h"
#include "core/ops/ops.h"
#include "core/tensor/generator.h"
#include "core/tensor/scope.h"
#include "core/tensor/str.h"
#include "core/tensor/tuple.h"

/* ---- the frame around a call ---- */

/* The frame begins before the arguments are evaluated, so that it reports their errors outside macros (the conversion
 * of a number, a plain call). (The expansion has no outer parentheses, and macros that return numbers have no commas
 * outside of parentheses: otherwise t_size(x, 0) as an argument of another macro would look like a tuple, see
 * T_IS_TUPLE_.) Its variables:
 *     t__S    the site of this call: file, line, text
 *     t__0    the site of the call around it, which t_leave_ restores
 *     t__R    the result */
typedef t_Site t_S_;
#define T_BEGIN_(text) __extension__({ static const t_S_ t__S = ((t_S_){__FILE__, __LINE__, text}); \
    __auto_type t__0 = t_enter_(&t__S);
#define T_END_(type, call) type t__R = call; t_leave_(t__0); t__R; })
#define T_END_VOID_(call) (call); t_leave_(t__0); })

/* Declares an argument that must be a tensor. _Generic checks the type, because C converts a void * (the result of
 * t_data_ptr) to any pointer, and some compilers only warn about a number: the call would crash. "'_Generic' selector
 * of type 'int'" means that the argument is not a tensor. (The names are short because assert(t_equal(x, y)) makes one
 * string of the expansion, and compilers support at least 4,095 characters only.) */
typedef Tensor *t_x_;
typedef const Tensor *t_y_;
#define T_TENSOR_(name, value) __auto_type name = value; (void)_Generic(name, t_x_: 0);
#define T_READ_TENSOR_(name, value) __auto_type name = value; (void)_Generic(name, t_x_: 0, t_y_: 0);
/* A tensor argument that may be NULL; so a void * is accepted too. */
#define T_OPTIONAL_TENSOR_(name, value) __auto_type name##_given = value; \
    (void)_Generic(name##_given, Tensor *: 0, void *: 0); \
    Tensor *name = name##_given;

#define T_VALUE1_(type, f, text, A) T_BEGIN_(text) T_READ_TENSOR_(t__a, (A)) T_END_(type, (f)(t__a))
#define T_OP1_(f, text, A) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_END_(Tensor *, (f)(t__a))
#define T_OP2_(f, text, A, B) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, (B)) T_END_(Tensor *, (f)(t__a, t__b))
#define T_OP3_(f, text, A, B, C) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, (B)) T_TENSOR_(t__c, (C)) \
    T_END_(Tensor *, (f)(t__a, t__b, t__c))

/* if (d_model % num_heads) return t_fail("d_model %d is not a multiple of %d", ...): raise ValueError(...), reported at
 * once with the line and the enclosing function. */
#define t_fail(...) T_BEGIN_(__func__) T_END_(void *, (t_fail)(__VA_ARGS__))
/* plt_title(t_format("layer %d", i)): an f-string, owned by the scope */
#define t_format(...) T_BEGIN_("t_format(" #__VA_ARGS__ ")") T_END_(const char *, (t_format)(__VA_ARGS__))

/* ---- numbers as tensor arguments ---- */

static inline Tensor *t_same_(Tensor *x) { return x; }
static inline Tensor *t_none_(void *x) { return (Tensor *)x; }
#define T_OPERAND(a) T_CONVERT_(a, t_x_: t_same_)
#define T_OPTIONAL_OPERAND_(a) T_CONVERT_(a, t_x_: t_same_, void *: t_none_) /* NULL is allowed */
#define T_CONVERT_(a, ...) \
    ({ __auto_type t__v = (a); \
        _Generic(t__v, __VA_ARGS__, \
            float: t_f_, \
            double: t_f_, \
            _Bool: t_b_, \
            char: t_i_, \
            t_i8_: t_i_, \
            t_u8_: t_i_, \
            short: t_i_, \
            t_u16_: t_i_, \
            int: t_i_, \
            t_u32_: t_i_, \
            long: t_i_, \
            t_ul_: t_i_, \
            t_ll_: t_i_, \
            t_ull_: t_i_)(t__v); })
/* Short names, see T_TENSOR_. */
typedef signed char t_i8_;
typedef unsigned char t_u8_;
typedef unsigned short t_u16_;
typedef unsigned t_u32_;
typedef unsigned long t_ul_;
typedef long long t_ll_;
typedef unsigned long long t_ull_;
static inline Tensor *t_i_(int64_t x) { return (t_integer)(x); }
static inline Tensor *t_f_(double x) { return (t_number)(x); }
static inline Tensor *t_b_(bool x) { return (t_boolean)(x); }

/* The element types of arrays of long and unsigned long: those of int64_t, or of int. */
enum { t_l_ = sizeof(long) == 8 ? (int)t_int64 : T_C_INT_, t_u_ = sizeof(long) == 8 ? T_C_UINT64_ : T_C_UNSIGNED_ };

/* ---- keywords ----
 * Macros take (...): T_HEAD_ is the first argument, T_TAIL_ the others, which initialise a struct of options after its
 * defaults. `.first_ = 0` resets the position of the initialiser, so that positional options initialise the fields that
 * follow first_, in Python's order. A double for an integer option is a compiler error (t_zeros(2.5)). */

#define T_HEAD_(...) T_HEAD_OF_(__VA_ARGS__, 0)
#define T_HEAD_OF_(head, ...) head
#define T_TAIL_(...) T_TAIL_OF_(__VA_ARGS__, )
#define T_TAIL_OF_(head, ...) __VA_ARGS__
#ifdef __clang__
#define T_PUSH_DIAGNOSTICS_ _Pragma("clang diagnostic push") \
    _Pragma("clang diagnostic ignored \"-Winitializer-overrides\"") \
    _Pragma("clang diagnostic ignored \"-Wmissing-braces\"") \
    _Pragma("clang diagnostic ignored \"-Wmissing-field-initializers\"")
#define T_STRICT_ _Pragma("clang diagnostic error \"-Wunused-value\"") \
    _Pragma("clang diagnostic error \"-Wint-conversion\"") \
    _Pragma("clang diagnostic error \"-Wincompatible-pointer-types\"")
#define T_ONE_BIT_ _Pragma("clang diagnostic error \"-Wbitfield-constant-conversion\"")
#define T_POP_DIAGNOSTICS_ _Pragma("clang diagnostic pop")
#else
#define T_PUSH_DIAGNOSTICS_ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
    _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"") \
    _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") \
    _Pragma("GCC diagnostic error \"-Wfloat-conversion\"")
#define T_STRICT_ _Pragma("GCC diagnostic error \"-Wunused-value\"") \
    _Pragma("GCC diagnostic error \"-Wint-conversion\"") \
    _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"") _Pragma("GCC diagnostic error \"-Wc++-compat\"")
#define T_ONE_BIT_ _Pragma("GCC diagnostic error \"-Woverflow\"") _Pragma("GCC diagnostic error \"-Wsign-conversion\"")
#define T_POP_DIAGNOSTICS_ _Pragma("GCC diagnostic pop")
#endif
#define T_PASTE_(a, b) T_PASTE_OF_(a, b)
#define T_PASTE_OF_(a, b) a##b
#define T_INT64_(...) T_PUSH_DIAGNOSTICS_ T_STRICT_ const int64_t __VA_ARGS__; T_POP_DIAGNOSTICS_
/* Compiler errors: .dim = (0, 1), which is 1 in C (write {0, 1}), and a tensor for a number. */
#define T_OPTIONS_(type, name, ...) T_PUSH_DIAGNOSTICS_ T_STRICT_ const type name = {__VA_ARGS__}; T_POP_DIAGNOSTICS_

/* A call with one tensor, t__a, and keywords, t__o, with the defaults in parentheses: (.alpha = 1). */
#define T_OP_KEYS_(call, text, type, defaults, A, ...) \
    T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_OPTIONS_(type, t__o, T_DEFAULTS_ defaults, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, call)
#define T_DEFAULTS_(...) __VA_ARGS__
/* The same with the required arguments by name, the tensor first: (input, dim). */
#define T_OP_ARGUMENTS_(required, call, text, type, defaults, ...) \
    T_BEGIN_(text) T_AT_LEAST_(required, text, __VA_ARGS__) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(type, t__o, T_DEFAULTS_ defaults, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, call)
/* The same with arguments that may be tuples, see T_NAMED_. */
#define T_OP_NAMED_(required, names, call, text, type, defaults, ...) \
    T_BEGIN_(text) T_AT_LEAST_(required, text, __VA_ARGS__) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(type, t__o, T_DEFAULTS_ defaults, .first_ = 0, T_NAMED_(names, T_TAIL_(__VA_ARGS__))) \
    T_END_(Tensor *, call)
#define T_REQUIRED_(name) T_IS_GIVEN_(t__o.name, #name)
#define T_IS_GIVEN_(value, name) ((value) != T_NONE || t_missing_of_(name))
/* Compiler error: fewer arguments than required ones, (in_features, out_features). */
#define T_AT_LEAST_(required, text, ...) _Static_assert(T_COUNT_(__VA_ARGS__) >= T_COUNT_ required, \
    "an argument is missing in " text ", which requires " #required);
/* A call with keywords and without a tensor. */
#define T_NEW_ARGUMENTS_(result, required, call, text, type, defaults, ...) T_BEGIN_(text) \
    T_AT_LEAST_(required, text, __VA_ARGS__) T_OPTIONS_(type, t__o, T_DEFAULTS_ defaults, .first_ = 0, __VA_ARGS__) \
    T_END_(result, call)
/* Python's tuples: T_SPREAD_((2, 3), rest) is 2, 3, rest; if the first argument is not a tuple the arguments do not
 * change. As in Python (), (3,) and (2, 3) are tuples, (n) and (n - 1) are values. To the preprocessor a tuple is a
 * pair of parentheses with nothing after it (unlike a cast, (int)n) that is empty or contains a comma. */
#define T_SPREAD_(...) T_PASTE_(T_SPREAD_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(__VA_ARGS__)
#define T_SPREAD_0(...) __VA_ARGS__
#define T_SPREAD_1(...) T_PASTE_(T_SPREAD_1_, T_IS_EMPTY_(T_FIRST_(T_HEAD_(__VA_ARGS__))))(__VA_ARGS__)
#define T_SPREAD_1_0(...) T_UNTUPLE_ __VA_ARGS__
#define T_SPREAD_1_1(...) T_REST_(__VA_ARGS__) /* (), the shape of a 0-dim tensor */
#define T_FIRST_(tuple) T_HEAD_(T_SPREAD_0 tuple)
/* The arguments after the first of at most nine, without the comma that T_TAIL_ leaves at the end. */
#define T_REST_(...) T_TENTH_(__VA_ARGS__, T_TAIL_OF_, T_TAIL_OF_, T_TAIL_OF_, T_TAIL_OF_, T_TAIL_OF_, T_TAIL_OF_, \
    T_TAIL_OF_, T_TAIL_OF_, \
                                T_EAT_, 0)(__VA_ARGS__)
#define T_SPREAD_SECOND_(...) T_PASTE_(T_SPREAD_SECOND_, T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))))(__VA_ARGS__)
#define T_SPREAD_SECOND_0(...) __VA_ARGS__
#define T_SPREAD_SECOND_1(head, ...) head, T_SPREAD_1(__VA_ARGS__)
#define T_UNTUPLE_(...) T_PASTE_(T_UNTUPLE_, T_IS_EMPTY_(T_SECOND_(__VA_ARGS__, one, ))) (__VA_ARGS__)
#define T_UNTUPLE_0(...) __VA_ARGS__
#define T_UNTUPLE_1(head, ...) head /* (3,) */
#define T_SECOND_(a, b, ...) b
#define T_IS_TUPLE_(a) T_PASTE_(T_IS_TUPLE_, T_IS_EMPTY_(T_EAT_ a))(a)
#define T_IS_TUPLE_0(a) 0
#define T_IS_TUPLE_1(a) T_PASTE_(T_IS_TUPLE_1, T_IS_EMPTY_(T_FIRST_(a)))(a)
#define T_IS_TUPLE_11(a) 1 /* () */
#define T_IS_TUPLE_10(a) T_IS_ELEMENT_(T_SECOND_ITEM_ a)
#define T_SECOND_ITEM_(...) T_SECOND_(__VA_ARGS__, (), ) /* () if there is none */
#define T_IS_ELEMENT_(a) T_PASTE_(T_IS_ELEMENT_, T_IS_EMPTY_(T_EAT_ a))(a)
#define T_IS_ELEMENT_0(a) 1
#define T_IS_ELEMENT_1(a) T_PASTE_(T_NOT_, T_IS_EMPTY_(T_FIRST_(a)))
#define T_NOT_0 1
#define T_NOT_1 0
#define T_IS_EMPTY_(a) T_PASTE_(T_PASTE_(T_EMPTY_, T_HAS_COMMA_(T_COMMA_ a)), T_HAS_COMMA_(T_COMMA_ a ()))
#define T_EMPTY_00 0
#define T_EMPTY_01 1 /* T_COMMA_ was applied to the () after a, so a is empty */
#define T_EMPTY_10 0
#define T_EMPTY_11 0
#define T_EAT_(...)
#define T_COMMA_(...) ,
#define T_HAS_COMMA_(...) T_HAS_COMMA_OF_(__VA_ARGS__)
#define T_HAS_COMMA_OF_(...) T_THIRD_(__VA_ARGS__, 1, 0, 0)
#define T_THIRD_(a, b, c, ...) c
#define T_TENTH_(a, b, c, d, e, f, g, h, i, j, ...) j

/* A tuple as the value of a keyword, where C has no tuples: .dim = t_tuple(0, 1), .stride = t_tuple(2, 1). */
#define t_tuple(...) ((const t_Tuple){{__VA_ARGS__}, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))})
/* Shapes and lists of dims: items that are not given are T_NONE. */
#define T_NINE_NONES_ {[0 ... 8] = T_NONE}
#define T_NO_TUPLE_ {T_NINE_NONES_, 0}
#define T_GIVEN_(tuple) tuple.items, t_tuple_len_of_(&tuple) /* two arguments of a function */
/* Positional arguments of which the first nine may be tuples: T_NAMED_((size, stride, ...), (2, 3), 4) is .size = {{2,
 * 3}, 2}, .size_ = T_LEFT_OUT_, 4. A tuple initialises the t_Tuple of its position's name; .size_ is the field for a
 * number at that position, after which the positions continue. Other arguments do not change. */
#define T_NAMED_(names, ...) T_PASTE_(T_NAMED_, T_COUNT_(__VA_ARGS__))(T_NINE_(T_DEFAULTS_ names, , , , , , , , , ), \
    __VA_ARGS__)
#define T_NINE_(...) T_NINE_OF_(__VA_ARGS__)
#define T_NINE_OF_(a, b, c, d, e, f, g, h, i, ...) a, b, c, d, e, f, g, h, i
#define T_COUNT_(...) T_COUNT_OF_(__VA_ARGS__, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define T_COUNT_OF_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, count, ...) count
#define T_NAMED_1(...) T_NAMED_1_(__VA_ARGS__)
#define T_NAMED_2(...) T_NAMED_2_(__VA_ARGS__)
#define T_NAMED_3(...) T_NAMED_3_(__VA_ARGS__)
#define T_NAMED_4(...) T_NAMED_4_(__VA_ARGS__)
#define T_NAMED_5(...) T_NAMED_5_(__VA_ARGS__)
#define T_NAMED_6(...) T_NAMED_6_(__VA_ARGS__)
#define T_NAMED_7(...) T_NAMED_7_(__VA_ARGS__)
#define T_NAMED_8(...) T_NAMED_8_(__VA_ARGS__)
#define T_NAMED_9(...) T_NAMED_9_(__VA_ARGS__)
#define T_NAMED_10(...) T_NAMED_10_(__VA_ARGS__)
#define T_NAMED_1_(A, B, C, D, E, F, G, H, I, a) T_NAME_(A, a)
#define T_NAMED_2_(A, B, C, D, E, F, G, H, I, a, b) T_NAME_(A, a), T_NAME_(B, b)
#define T_NAMED_3_(A, B, C, D, E, F, G, H, I, a, b, c) T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c)
#define T_NAMED_4_(A, B, C, D, E, F, G, H, I, a, b, c, d) T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d)
#define T_NAMED_5_(A, B, C, D, E, F, G, H, I, a, b, c, d, e) \
    T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d), T_NAME_(E, e)
#define T_NAMED_6_(A, B, C, D, E, F, G, H, I, a, b, c, d, e, f) \
    T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d), T_NAME_(E, e), T_NAME_(F, f)
#define T_NAMED_7_(A, B, C, D, E, F, G, H, I, a, b, c, d, e, f, g) \
    T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d), T_NAME_(E, e), T_NAME_(F, f), T_NAME_(G, g)
#define T_NAMED_8_(A, B, C, D, E, F, G, H, I, a, b, c, d, e, f, g, h) \
    T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d), T_NAME_(E, e), T_NAME_(F, f), T_NAME_(G, g), \
    T_NAME_(H, h)
#define T_NAMED_9_(A, B, C, D, E, F, G, H, I, a, b, c, d, e, f, g, h, i) \
    T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d), T_NAME_(E, e), T_NAME_(F, f), T_NAME_(G, g), \
    T_NAME_(H, h), T_NAME_(I, i)
#define T_NAMED_10_(A, B, C, D, E, F, G, H, I, a, b, c, d, e, f, g, h, i, ...) \
    T_NAME_(A, a), T_NAME_(B, b), T_NAME_(C, c), T_NAME_(D, d), T_NAME_(E, e), T_NAME_(F, f), T_NAME_(G, g), \
    T_NAME_(H, h), T_NAME_(I, i), __VA_ARGS__
#define T_NAME_(name, a) T_PASTE_(T_NAME_, T_IS_TUPLE_(a))(name, a)
#define T_NAME_0(name, a) a
#define T_NAME_1(name, a) .name = {{T_UNTUPLE_ a}, T_COUNT_(T_UNTUPLE_ a)}, .name##_ = T_LEFT_OUT_
/* The value of such an argument as two arguments of a function: the list (a number is a list of one) and its length. */
#define T_LIST_OF_(name) t__o.name##_ == T_LEFT_OUT_ ? t__o.name.items : &t__o.name##_, \
    t__o.name##_ == T_LEFT_OUT_ ? t_tuple_len_of_(&t__o.name) : 1

#define T_NO_MORE_ ((Tensor *)(intptr_t)-1) /* end of a list of tensors, in which NULL is an operand that failed */
typedef struct t_ShapeArguments_ {
    int dtype;
    bool requires_grad;
    t_Generator *generator;
    int first_;
    t_Tuple size;
    struct t_too_many_dims_ *rest_;
} t_ShapeArguments_;
/* Of reductions: one dim or a tuple, then keepdim, as in Python. keepdim has one bit, so that a second dim without a
 * tuple is a compiler error (except 1, which is true in C); after_dim_ is the position where T_DIM_THEN_ continues
 * after the dims. */
typedef struct t_DimsArguments_ {
    int dtype;
    int first_;
    t_Tuple dim;
    struct t_too_many_dims_ *after_dim_;
    unsigned keepdim : 1;
    struct t_too_many_arguments_ *rest_;
} t_DimsArguments_;
typedef struct t_VarianceArguments_ { /* torch.var(x, dim, unbiased, keepdim) */
    double correction;
    Tensor **mean;
    int first_;
    t_Tuple dim;
    struct t_too_many_dims_ *after_dim_;
    unsigned unbiased : 1, keepdim : 1;
    struct t_too_many_arguments_ *rest_;
} t_VarianceArguments_;
typedef struct t_DimArguments_ {
    int dtype;
    Tensor **max;
    int first_;
    int64_t dim;
    bool keepdim;
    Tensor **indices;
} t_DimArguments_;
#define T_SHAPE_OPTIONS_(...) T_OPTIONS_(t_ShapeArguments_, t__s, .size = T_NO_TUPLE_, .first_ = 0, \
    T_SPREAD_(__VA_ARGS__)) \
    const t_TensorOptions t__o = {sizeof t__o, (t_DType)t__s.dtype, t__s.requires_grad, t__s.generator};
#define T_CREATE_(f, text, ...) \
    T_BEGIN_(text) T_SHAPE_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (f)(T_GIVEN_(t__s.size), &t__o))
/* x.view(*shape): numbers or one tuple. T_SIZES_BY_NAME_: for a parameter that PyTorch also accepts by name. */
#define T_SIZES_(f, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_INT64_ARRAY_(t__s, T_SPREAD_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, T_LIST_AND_LENGTH_(t__s)))
#define T_SIZES_BY_NAME_(f, name, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_OPTIONS_(t_Sizes_##name, t__o, .name = T_NO_TUPLE_, .first_ = 0, T_SPREAD_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, T_GIVEN_(t__o.name)))
typedef struct t_Sizes_size { int first_; t_Tuple size; struct t_too_many_dims_ *rest_; } t_Sizes_size;
typedef struct t_Sizes_dims { int first_; t_Tuple dims; struct t_too_many_dims_ *rest_; } t_Sizes_dims;
typedef struct t_Sizes_dim { int first_; t_Tuple dim; struct t_too_many_dims_ *rest_; } t_Sizes_dim;
/* An array of int64, and two arguments of a function: the array and its length. */
#define T_INT64_ARRAY_(name, ...) T_PUSH_DIAGNOSTICS_ T_STRICT_ const int64_t name[] = {0, __VA_ARGS__}; \
    T_POP_DIAGNOSTICS_
#define T_LIST_AND_LENGTH_(name) name + 1, (int)(sizeof name / sizeof *name) - 1
#define T_DIM_(otherwise, ...) T_OPTIONS_(t_DimArguments_, t__d, .dim = otherwise, .first_ = 0, __VA_ARGS__)
#define T_DIMS_(...) T_FLAGGED_(t_DimsArguments_, t__d, .dim = T_NO_TUPLE_, .first_ = 0, T_DIM_THEN_(__VA_ARGS__))
/* Options with flags of one bit, for which -1 is a compiler error too. */
#define T_FLAGGED_(type, name, ...) T_PUSH_DIAGNOSTICS_ T_STRICT_ T_ONE_BIT_ const type name = {__VA_ARGS__}; \
    T_POP_DIAGNOSTICS_
/* T_DIM_THEN_((0, 2), true) is 0, 2, .after_dim_ = 0, true: the arguments after a dim or a tuple of dims initialise
 * the fields after the array. */
#define T_DIM_THEN_(...) T_DIM_THEN_OF_(T_HEAD_(__VA_ARGS__), T_REST_(__VA_ARGS__))
#define T_DIM_THEN_OF_(dims, ...) T_DIM_FIRST_(dims) .after_dim_ = 0, __VA_ARGS__
#define T_DIM_FIRST_(dims) T_PASTE_(T_DIM_FIRST_, T_IS_TUPLE_(dims))(dims)
#define T_DIM_FIRST_0(dim) T_PASTE_(T_DIM_FIRST_0_, T_IS_EMPTY_(dim))(dim)
#define T_DIM_FIRST_0_0(dim) dim,
#define T_DIM_FIRST_0_1(nothing)
#define T_DIM_FIRST_1(tuple) T_PASTE_(T_DIM_FIRST_1_, T_IS_EMPTY_(T_FIRST_(tuple)))(tuple)
#define T_DIM_FIRST_1_0(tuple) T_UNTUPLE_ tuple,
#define T_DIM_FIRST_1_1(empty)

#endif
