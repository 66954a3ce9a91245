/* core/sugar/creation.h: the macros for creating tensors, random numbers, copies and dtypes (public; part of
 * core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_CREATION_H
#define TAPEGRAD_CORE_SUGAR_CREATION_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- creation ---- */
#define T_POINTER_CLASS_ 5 /* __builtin_classify_type of a pointer */
#define T_C_TYPE_(x) \
    _Generic(x, \
        char: T_C_TEXT_, \
        _Bool: t_bool, \
        float: t_float32, \
        double: t_float64, \
        int: T_C_INT_, \
        t_u32_: T_C_UNSIGNED_, \
        long: t_l_, \
        t_ll_: t_int64, \
        t_ul_: t_u_, \
        t_ull_: T_C_UINT64_, \
        short: T_C_SHORT_, \
        t_u16_: T_C_UNSIGNED_SHORT_, \
        t_i8_: T_C_SIGNED_CHAR_, \
        t_u8_: T_C_UNSIGNED_CHAR_)
/* Declares t__d, the description of a C value: a number, a pointer, or an array of up to three dims with the sizes of
 * its type. t__B is the element type of the array t__T (or the pointer's target type, or t__T itself), t__C that of
 * t__B. A type is an array if a value of it, which decays to a pointer, has another type. */
#define T_ELEMENT_(is_array, type) __typeof__(*T_DECAYED_(is_array, type))
#define T_DECAYED_(is_array, type) __builtin_choose_expr(is_array, *(type *)0, (type *)0)
#define T_IS_ARRAY_(type, value) !__builtin_types_compatible_p(type, __typeof__(value))
#define T_C_DATA_(given) typedef __typeof__(given) t__T; __auto_type t__p = (given); \
    enum { t__P = __builtin_classify_type(t__p) == T_POINTER_CLASS_ }; \
    typedef __typeof__(*__builtin_choose_expr(t__P, t__p, &t__p)) t__B; \
    enum { t__i = T_IS_ARRAY_(t__B, ((void)0, *(t__B *)0)) }; typedef T_ELEMENT_(t__i, t__B) t__C; \
    enum { t__j = T_IS_ARRAY_(t__C, ((void)0, *(t__C *)0)) }; \
    const t_CData_ t__d = {t__P ? (void *)(intptr_t)t__p : &t__p, T_C_TYPE_(*T_DECAYED_(t__j, t__C)), \
        T_IS_ARRAY_(t__T, t__p) ? 1 + t__i + t__j : t__P - 1, {sizeof(t__T), sizeof(t__B), sizeof(t__C)}};
/* t_tensor("[[1, 2], [3, 4]]", .dtype = t_float32), t_tensor(3.5), or a C array of integers, floating values or bool
 * with up to three dims: t_tensor(rows) of float rows[3][2] has shape (3, 2). With sizes, t_tensor(array, 2, 2), also a
 * pointer. Integers become int64, float float32, double float64. A compound literal needs parentheses because of its
 * commas: t_tensor(((float[]){1, 2, 3, 4}), 2, 2) */
#define t_tensor(...) T_BEGIN_("t_tensor(" #__VA_ARGS__ ")") T_C_DATA_(T_HEAD_(__VA_ARGS__)) \
    T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_tensor_of_(&t__d, &t__s.size, &t__o))
#define t_empty(...) T_CREATE_(t_empty, "t_empty(" #__VA_ARGS__ ")", __VA_ARGS__)
/* t_empty_permuted((2, 3, 5), (2, 0, 1)) */
typedef struct t_PermutedArguments_ {
    int dtype;
    bool requires_grad;
    int first_;
    int64_t size_, physical_layout_;
    t_Tuple size, physical_layout;
} t_PermutedArguments_;
#define t_empty_permuted(...) T_BEGIN_("t_empty_permuted(" #__VA_ARGS__ ")") \
    T_OPTIONS_(t_PermutedArguments_, t__o, .size_ = T_LEFT_OUT_, .physical_layout_ = T_LEFT_OUT_, .size = T_NO_TUPLE_, \
        .physical_layout = T_NO_TUPLE_, .first_ = 0, T_NAMED_((size, physical_layout), __VA_ARGS__)) \
    const t_TensorOptions t__k = {sizeof t__k, (t_DType)t__o.dtype, t__o.requires_grad, 0}; \
    T_END_(Tensor *, (t_empty_permuted)(T_LIST_OF_(size), T_LIST_OF_(physical_layout), &t__k))
#define t_zeros(...) T_CREATE_(t_zeros, "t_zeros(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_ones(...) T_CREATE_(t_ones, "t_ones(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_rand(...) T_CREATE_(t_rand, "t_rand(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_randn(...) T_CREATE_(t_randn, "t_randn(" #__VA_ARGS__ ")", __VA_ARGS__)
typedef struct t_KeywordArguments_ {
    int first_;
    int dtype;
    bool requires_grad;
    t_Generator *generator;
} t_KeywordArguments_;
#define T_KEYWORDS_(...) T_OPTIONS_(t_KeywordArguments_, t__k, .dtype = 0, .first_ = 0, __VA_ARGS__) \
    const t_TensorOptions t__o = {sizeof t__o, (t_DType)t__k.dtype, t__k.requires_grad, t__k.generator};
/* t_full((2, 3), 7): int64; of 7.0 float32, of true bool */
#define t_full(shape, ...) T_BEGIN_("t_full(" #shape ", " #__VA_ARGS__ ")") T_INT64_ARRAY_(t__s, T_SPREAD_(shape)) \
    Tensor *t__v = T_OPERAND(T_HEAD_(__VA_ARGS__)); T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_full_of_(T_LIST_AND_LENGTH_(t__s), t__v, &t__o))
/* t_randint(low, high, 32, 10), t_randint(low, high, (32, 10)), t_randint(high, (32, 10)) */
#define t_randint(first, ...) T_BEGIN_("t_randint(" #first ", " #__VA_ARGS__ ")") const int64_t t__first = (first); \
    T_PASTE_(T_RANDINT_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(__VA_ARGS__)
#define T_RANDINT_0(...) const int64_t t__high = T_HEAD_(__VA_ARGS__); T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_randint)(t__first, t__high, T_GIVEN_(t__s.size), &t__o))
#define T_RANDINT_1(...) T_SHAPE_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, (t_randint)(0, t__first, T_GIVEN_(t__s.size), &t__o))
#define t_randperm(...) T_BEGIN_("t_randperm(" #__VA_ARGS__ ")") const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_randperm)(t__n, &t__o))

/* Keywords after numbers: t_eye(3), t_eye(3, 4, .dtype = t_int64), t_linspace(0, 1, .steps = 5) */
#define T_DTYPE_AND_GRAD_ int dtype; bool requires_grad
#define T_DTYPE_AND_GRAD_OPTIONS_(k) const t_TensorOptions t__o = {sizeof t__o, (t_DType)k.dtype, k.requires_grad, \
    NULL};
typedef struct t_EyeArguments_ { int first_; int64_t n, m; T_DTYPE_AND_GRAD_; } t_EyeArguments_;
/* t_hann_window(400), t_hann_window(400, false), t_kaiser_window(400, .beta = 8) */
typedef struct t_WindowArguments_ {
    int dtype;
    bool requires_grad;
    int first_;
    int64_t window_length;
    bool periodic;
    double alpha, beta;
    struct t_keyword_only_ *rest_;
} t_WindowArguments_;
typedef struct t_KaiserArguments_ {
    int dtype;
    bool requires_grad;
    int first_;
    int64_t window_length;
    bool periodic;
    double beta;
    struct t_keyword_only_ *rest_;
} t_KaiserArguments_;
#define T_WINDOW_(type, text, call, defaults, ...) T_BEGIN_(text) \
    T_OPTIONS_(type, t__o, .window_length = T_NONE, .periodic = true, T_DEFAULTS_ defaults, .first_ = 0, __VA_ARGS__) \
    const t_TensorOptions t__k = {sizeof t__k, (t_DType)t__o.dtype, t__o.requires_grad, 0}; \
    T_END_(Tensor *, T_REQUIRED_(window_length) ? call : 0)
#define t_bartlett_window(...) T_WINDOW_(t_WindowArguments_, "t_bartlett_window(" #__VA_ARGS__ ")", \
    (t_bartlett_window)(t__o.window_length, t__o.periodic, &t__k), (.alpha = 0), __VA_ARGS__)
#define t_blackman_window(...) T_WINDOW_(t_WindowArguments_, "t_blackman_window(" #__VA_ARGS__ ")", \
    (t_blackman_window)(t__o.window_length, t__o.periodic, &t__k), (.alpha = 0), __VA_ARGS__)
#define t_hamming_window(...) T_WINDOW_(t_WindowArguments_, "t_hamming_window(" #__VA_ARGS__ ")", \
    (t_hamming_window)(t__o.window_length, t__o.periodic, t__o.alpha, t__o.beta, &t__k), \
    (.alpha = 0.54, .beta = 0.46), __VA_ARGS__)
#define t_hann_window(...) T_WINDOW_(t_WindowArguments_, "t_hann_window(" #__VA_ARGS__ ")", \
    (t_hann_window)(t__o.window_length, t__o.periodic, &t__k), (.alpha = 0), __VA_ARGS__)
#define t_kaiser_window(...) T_WINDOW_(t_KaiserArguments_, "t_kaiser_window(" #__VA_ARGS__ ")", \
    (t_kaiser_window)(t__o.window_length, t__o.periodic, t__o.beta, &t__k), (.beta = 12), __VA_ARGS__)
#define t_eye(...) T_BEGIN_("t_eye(" #__VA_ARGS__ ")") T_AT_LEAST_((n), "t_eye(" #__VA_ARGS__ ")", __VA_ARGS__) \
    T_OPTIONS_(t_EyeArguments_, t__k, .n = T_NONE, .m = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_DTYPE_AND_GRAD_OPTIONS_(t__k) T_END_(Tensor *, T_IS_GIVEN_(t__k.n, "n") ? (t_eye)(t__k.n, t__k.m, &t__o) : NULL)
typedef struct t_SpaceArguments_ { int first_; double start, end; int64_t steps; T_DTYPE_AND_GRAD_; } t_SpaceArguments_;
#define t_linspace(...) T_BEGIN_("t_linspace(" #__VA_ARGS__ ")") \
    T_AT_LEAST_((start, end, steps), "t_linspace(" #__VA_ARGS__ ")", __VA_ARGS__) \
    T_OPTIONS_(t_SpaceArguments_, t__k, .steps = T_NONE, .first_ = 0, __VA_ARGS__) T_DTYPE_AND_GRAD_OPTIONS_(t__k) \
    T_END_(Tensor *, T_IS_GIVEN_(t__k.steps, "steps") ? (t_linspace)(t__k.start, t__k.end, t__k.steps, &t__o) : NULL)
typedef struct t_LogspaceArguments_ {
    int first_;
    double start, end;
    int64_t steps;
    double base;
    T_DTYPE_AND_GRAD_;
} t_LogspaceArguments_;
#define t_logspace(...) T_BEGIN_("t_logspace(" #__VA_ARGS__ ")") \
    T_AT_LEAST_((start, end, steps), "t_logspace(" #__VA_ARGS__ ")", __VA_ARGS__) \
    T_OPTIONS_(t_LogspaceArguments_, t__k, .steps = T_NONE, .base = 10, .first_ = 0, __VA_ARGS__) \
    T_DTYPE_AND_GRAD_OPTIONS_(t__k) \
    T_END_(Tensor *, \
        T_IS_GIVEN_(t__k.steps, "steps") ? (t_logspace)(t__k.start, t__k.end, t__k.steps, t__k.base, &t__o) : NULL)
typedef struct t_TriangleArguments_ { int first_; int64_t row, col, offset; T_DTYPE_AND_GRAD_; } t_TriangleArguments_;
#define T_TRIANGLE_(f, text, ...) T_BEGIN_(text) \
    T_OPTIONS_(t_TriangleArguments_, t__k, .row = T_NONE, .col = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_DTYPE_AND_GRAD_OPTIONS_(t__k) \
    T_END_(Tensor *, T_IS_GIVEN_(t__k.row, "row") && T_IS_GIVEN_(t__k.col, "col") \
        ? (f)(t__k.row, t__k.col, t__k.offset, &t__o) : NULL)
#define t_tril_indices(...) T_TRIANGLE_(t_tril_indices, "t_tril_indices(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_triu_indices(...) T_TRIANGLE_(t_triu_indices, "t_triu_indices(" #__VA_ARGS__ ")", __VA_ARGS__)
/* t_arange(end), t_arange(start, end), t_arange(start, end, step), each with .dtype and .requires_grad: int64 unless a
 * number is a C float or double. For the second and third number the macro sees the value and its text, not its type: a
 * fraction or a literal like 10.0 is a float; a double variable with an integer value is not, and needs .dtype. */
typedef struct t_ArangeArguments_ { int first_; long double second, third; T_DTYPE_AND_GRAD_; } t_ArangeArguments_;
#define t_arange(...) T_BEGIN_("t_arange(" #__VA_ARGS__ ")") Tensor *const t__n = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_ArangeArguments_, t__k, .second = __builtin_nanl(""), .third = __builtin_nanl(""), .first_ = 0, \
    T_TAIL_(__VA_ARGS__)) \
    T_DTYPE_AND_GRAD_OPTIONS_(t__k) T_END_(Tensor *, t_arange_of_(t__n, t__k.second, t__k.third, #__VA_ARGS__, &t__o))
/* t_meshgrid(x, y), t_meshgrid(x, y, .indexing = "xy") */
typedef struct t_GridArguments_ {
    const char *indexing;
    int first_;
    Tensor *x[T_MAX_DIMS + 1];
    struct t_too_many_tensors_ *rest_;
} t_GridArguments_;
static inline int64_t t_given_tensors_(Tensor *const *x) {
    int64_t count = 0;
    while (count <= T_MAX_DIMS && x[count] != T_NO_MORE_) count++;
    return count;
}
#define t_meshgrid(...) T_BEGIN_("t_meshgrid(" #__VA_ARGS__ ")") \
    T_OPTIONS_(t_GridArguments_, t__g, .indexing = "ij", \
        .x = {T_NO_MORE_, T_NO_MORE_, T_NO_MORE_, T_NO_MORE_, T_NO_MORE_, T_NO_MORE_, T_NO_MORE_, T_NO_MORE_, \
              T_NO_MORE_}, \
        .first_ = 0, __VA_ARGS__) \
    T_END_(t_TensorList *, (t_meshgrid)((t_list_new)(t__g.x, t_given_tensors_(t__g.x)), t__g.indexing))

/* t_poisson(rate), t_binomial(count, prob), each with .generator = g */
typedef struct t_DrawArguments_ { int first_; t_Generator *generator; } t_DrawArguments_;
#define t_poisson(...) T_BEGIN_("t_poisson(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_DrawArguments_, t__o, .generator = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_poisson)(t__a, t__o.generator))
#define t_binomial(count, ...) T_BEGIN_("t_binomial(" #count ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (count)) \
    T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_DrawArguments_, t__o, .generator = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_binomial)(t__a, t__b, t__o.generator))

/* ---- with the shape, dtype or device of another tensor ---- */
/* t_zeros_like(x), t_zeros_like(x, .dtype = t_int64) */
#define T_LIKE_(text, call, ...) T_BEGIN_(text) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, call)
#define t_empty_like(...) T_LIKE_("t_empty_like(" #__VA_ARGS__ ")", t_empty_like_of_(t__a, &t__o), __VA_ARGS__)
#define t_zeros_like(...) T_LIKE_("t_zeros_like(" #__VA_ARGS__ ")", t_full_like_of_(t__a, 0, &t__o), __VA_ARGS__)
#define t_ones_like(...) T_LIKE_("t_ones_like(" #__VA_ARGS__ ")", t_full_like_of_(t__a, 1, &t__o), __VA_ARGS__)
#define t_rand_like(...) T_LIKE_("t_rand_like(" #__VA_ARGS__ ")", t_rand_like_of_(t__a, &t__o), __VA_ARGS__)
#define t_randn_like(...) T_LIKE_("t_randn_like(" #__VA_ARGS__ ")", t_randn_like_of_(t__a, &t__o), __VA_ARGS__)
#define t_full_like(x, ...) T_BEGIN_("t_full_like(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    const double t__v = T_HEAD_(__VA_ARGS__); T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_full_like_of_(t__a, t__v, &t__o))
/* t_randint_like(x, high), t_randint_like(x, low, high) */
typedef struct t_RandintLikeArguments_ {
    int first_;
    int64_t low, high;
    T_DTYPE_AND_GRAD_;
    t_Generator *generator;
} t_RandintLikeArguments_;
#define t_randint_like(x, ...) T_BEGIN_("t_randint_like(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_OPTIONS_(t_RandintLikeArguments_, t__k, .high = T_NONE, .first_ = 0, __VA_ARGS__) \
    const t_TensorOptions t__o = {sizeof t__o, (t_DType)t__k.dtype, t__k.requires_grad, t__k.generator}; \
    T_END_(Tensor *, \
        (t_randint_like)(t__a, t__k.high == T_NONE ? 0 : t__k.low, t__k.high == T_NONE ? t__k.low : t__k.high, &t__o))
/* t_new_zeros(x, 2, 3), t_new_zeros(x, (2, 3), .dtype = t_int64), t_new_full(x, (2, 3), 7), t_new_tensor(x, "[1,
 * 2]") */
#define T_NEW_(f, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_SHAPE_OPTIONS_(__VA_ARGS__) \
    T_END_(Tensor *, (f)(t__a, T_GIVEN_(t__s.size), &t__o))
#define t_new_empty(x, ...) T_NEW_(t_new_empty, "t_new_empty(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_new_zeros(x, ...) T_NEW_(t_new_zeros, "t_new_zeros(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_new_ones(x, ...) T_NEW_(t_new_ones, "t_new_ones(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_new_full(x, shape, ...) T_BEGIN_("t_new_full(" #x ", " #shape ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_INT64_ARRAY_(t__s, T_SPREAD_(shape)) const double t__v = T_HEAD_(__VA_ARGS__); T_KEYWORDS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_new_full)(t__a, T_LIST_AND_LENGTH_(t__s), t__v, &t__o))
#define t_new_tensor(x, ...) T_BEGIN_("t_new_tensor(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_C_DATA_(T_HEAD_(__VA_ARGS__)) T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_new_tensor_of_(t__a, &t__d, &t__s.size, &t__o))

/* ---- random numbers ---- */
/* t_normal(mean, std) of tensors or of a tensor and a number; t_normal(0, 1, (2, 3)), also written t_normal(0, 1, 2,
 * 3) */
#define t_normal(mean, ...) T_BEGIN_("t_normal(" #mean ", " #__VA_ARGS__ ")") \
    Tensor *t__a = T_OPERAND(mean); Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_SHAPE_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    const int t__n = t_tuple_len_of_(&t__s.size); /* () is a size */ \
    T_END_(Tensor *, (t_normal)(t__a, t__b, t__s.size.items, \
        T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))) || t__n ? t__n : -1, &t__o))
/* t_uniform_(x, -1, 1), t_normal_(x, .std = 0.02), t_exponential_(x, .lambd = 2) */
typedef struct t_FromToArguments_ { int first_; double from, to; t_Generator *generator; } t_FromToArguments_;
#define t_uniform_(...) T_OP_KEYS_((t_uniform_)(t__a, t__o.from, t__o.to, t__o.generator), \
    "t_uniform_(" #__VA_ARGS__ ")", t_FromToArguments_, (.from = 0, .to = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
typedef struct t_MeanStdArguments_ { int first_; double mean, std; t_Generator *generator; } t_MeanStdArguments_;
#define t_normal_(...) T_OP_KEYS_((t_normal_)(t__a, t__o.mean, t__o.std, t__o.generator), \
    "t_normal_(" #__VA_ARGS__ ")", t_MeanStdArguments_, (.mean = 0, .std = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
typedef struct t_PArguments_ { int first_; double p; t_Generator *generator; } t_PArguments_;
#define t_bernoulli_(...) T_OP_KEYS_((t_bernoulli_)(t__a, t__o.p, t__o.generator), "t_bernoulli_(" #__VA_ARGS__ ")", \
    t_PArguments_, (.p = 0.5), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_ExponentialArguments_ { int first_; double lambd; t_Generator *generator; } t_ExponentialArguments_;
#define t_exponential_(...) T_OP_KEYS_((t_exponential_)(t__a, t__o.lambd, t__o.generator), \
    "t_exponential_(" #__VA_ARGS__ ")", t_ExponentialArguments_, (.lambd = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define t_geometric_(...) T_OP_KEYS_((t_geometric_)(t__a, t__o.p, t__o.generator), "t_geometric_(" #__VA_ARGS__ ")", \
    t_PArguments_, (.p = 0), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_MedianSigmaArguments_ {
    int first_;
    double median, sigma;
    t_Generator *generator;
} t_MedianSigmaArguments_;
#define t_cauchy_(...) T_OP_KEYS_((t_cauchy_)(t__a, t__o.median, t__o.sigma, t__o.generator), \
    "t_cauchy_(" #__VA_ARGS__ ")", t_MedianSigmaArguments_, (.median = 0, .sigma = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define t_log_normal_(...) T_OP_KEYS_((t_log_normal_)(t__a, t__o.mean, t__o.std, t__o.generator), \
    "t_log_normal_(" #__VA_ARGS__ ")", t_MeanStdArguments_, (.mean = 1, .std = 2), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
/* t_random_(x), t_random_(x, to), t_random_(x, from, to) */
typedef struct t_RandomArguments_ { int first_; int64_t from, to; t_Generator *generator; } t_RandomArguments_;
#define t_random_(...) T_BEGIN_("t_random_(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_RandomArguments_, t__o, .from = T_NONE, .to = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_random_)(t__a, t__o.to == T_NONE ? T_NONE : t__o.from, \
        t__o.to == T_NONE ? t__o.from : t__o.to, t__o.generator))
/* t_bernoulli(probabilities), t_bernoulli(x, 0.5) */
typedef struct t_BernoulliArguments_ { int first_; double p; t_Generator *generator; } t_BernoulliArguments_;
#define t_bernoulli(...) T_BEGIN_("t_bernoulli(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_BernoulliArguments_, t__o, .p = __builtin_nan(""), .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_bernoulli)(t__a, t__o.p, t__o.generator))
/* t_multinomial(p, 2), t_multinomial(p, 5, true), t_multinomial(p, .num_samples = 5, .replacement = true) */
typedef struct t_MultinomialArguments_ {
    int first_;
    int64_t num_samples;
    bool replacement;
    t_Generator *generator;
} t_MultinomialArguments_;
#define t_multinomial(x, ...) T_BEGIN_("t_multinomial(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_OPTIONS_(t_MultinomialArguments_, t__o, .num_samples = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, T_REQUIRED_(num_samples) ? (t_multinomial)(t__a, t__o.num_samples, t__o.replacement, \
    t__o.generator) : NULL)

/* ---- copies and dtypes ---- */
/* t_to(x, t_float32), t_to(x, other) */
#define t_to(x, dtype) T_BEGIN_("t_to(" #x ", " #dtype ")") T_TENSOR_(t__a, (x)) __auto_type t__b = (dtype); \
    T_END_(Tensor *, _Generic(t__b, Tensor *: t_type_as, default: t_to)(t__a, t__b))
#define t_type_as(x, other) T_OP2_(t_type_as, "t_type_as(" #x ", " #other ")", x, other)
#define t_float(x) T_OP1_(t_float, "t_float(" #x ")", x)
#define t_double(x) T_OP1_(t_double, "t_double(" #x ")", x)
#define t_long(x) T_OP1_(t_long, "t_long(" #x ")", x)
#define t_half(x) T_OP1_(t_half, "t_half(" #x ")", x)
#define t_int(x) T_OP1_(t_int, "t_int(" #x ")", x)
#define t_short(x) T_OP1_(t_short, "t_short(" #x ")", x)
#define t_char(x) T_OP1_(t_char, "t_char(" #x ")", x)
#define t_byte(x) T_OP1_(t_byte, "t_byte(" #x ")", x)
/* t_bool(x): x.bool(); t_bfloat16(x): x.bfloat16(). Without (x), t_bool and t_bfloat16 are dtypes. */
#define t_bfloat16(x) \
    T_BEGIN_("t_bfloat16(" #x ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_to)(t__a, t_bfloat16))
#define t_bool(x) T_BEGIN_("t_bool(" #x ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_to)(t__a, t_bool))
#define t_clone(x) T_OP1_(t_clone, "t_clone(" #x ")", x)
#define t_contiguous(x) T_OP1_(t_contiguous, "t_contiguous(" #x ")", x)
#define t_detach(x) T_OP1_(t_detach, "t_detach(" #x ")", x)
#define t_copy_(x, src) T_OP2_(t_copy_, "t_copy_(" #x ", " #src ")", x, T_OPERAND(src))
#define t_fill(x, value) T_OP2_(t_fill, "t_fill(" #x ", " #value ")", x, T_OPERAND(value))
#define t_fill_(x, value) T_BEGIN_("t_fill_(" #x ", " #value ")") T_TENSOR_(t__a, (x)) \
    T_END_(Tensor *, (t_fill_)(t__a, value))
#define t_zero_(x) T_OP1_(t_zero_, "t_zero_(" #x ")", x)

#endif
