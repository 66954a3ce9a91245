/* core/sugar_ops.h: the macros over the ops that make tensors of tensors, one line each (public; part of sugar.h, which has
 * the words they are made of). */
#ifndef TAPEGRAD_CORE_SUGAR_OPS_H
#define TAPEGRAD_CORE_SUGAR_OPS_H
#pragma GCC system_header

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
typedef struct t_DiagonalOfArguments_ { int first_; int64_t offset, dim1, dim2; } t_DiagonalOfArguments_;
#define t_diagonal(...) T_BEGIN_("t_diagonal(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                   \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .dim2 = 1, .first_ = 0, T_TAIL_(__VA_ARGS__))                             \
    T_END_(Tensor *, (t_diagonal)(t__a, t__o.offset, t__o.dim1, t__o.dim2))
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
#define T_INDICES_(...) T_QUIET_ const int64_t t__v[] = {0, __VA_ARGS__}; T_LOUD_ const int t__c = (int)(sizeof t__v / sizeof *t__v) - 1;
#define T_IS_TEXT_(index) _Static_assert(_Generic((index), char *: 1, const char *: 1, void *: 1, default: 0), \
    "an index is a text: t_at(x, \"1, :4\"), or t_at(x, \"{}, :4\", i) for a variable");
#define t_at(x, ...) T_BEGIN_("t_at(" #x ", " #__VA_ARGS__ ")") T_IS_TEXT_(T_HEAD_(__VA_ARGS__)) Tensor *t__a = (x); const char *t__t = T_HEAD_(__VA_ARGS__); T_INDICES_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_at)(t__a, t__t, t__v + 1, t__c))
/* t_set(pe, ":, {}::2", start, value): x[index] = value; the value comes last, behind the numbers for {} (at most eight). It is
 * evaluated first, as in Python. */
#define t_set(x, text, ...) T_BEGIN_("t_set(" #x ", " #text ", " #__VA_ARGS__ ")") T_IS_TEXT_(text) Tensor *t__a = (x); const char *t__t = (text); \
    T_TENTH_(__VA_ARGS__, T_SET9_, T_SET8_, T_SET7_, T_SET6_, T_SET5_, T_SET4_, T_SET3_, T_SET2_, T_SET1_, 0)(__VA_ARGS__) \
    T_END_(bool, (t_set)(t__a, t__t, t__v + 1, t__c, t__b))
#define T_TENTH_(a, b, c, d, e, f, g, h, i, tenth, ...) tenth
#define T_SET_(value, ...) Tensor *t__b = T_OPERAND(value); T_INDICES_(__VA_ARGS__)
#define T_SET1_(value) T_SET_(value, )
#define T_SET2_(a, value) T_SET_(value, a)
#define T_SET3_(a, b, value) T_SET_(value, a, b)
#define T_SET4_(a, b, c, value) T_SET_(value, a, b, c)
#define T_SET5_(a, b, c, d, value) T_SET_(value, a, b, c, d)
#define T_SET6_(a, b, c, d, e, value) T_SET_(value, a, b, c, d, e)
#define T_SET7_(a, b, c, d, e, f, value) T_SET_(value, a, b, c, d, e, f)
#define T_SET8_(a, b, c, d, e, f, g, value) T_SET_(value, a, b, c, d, e, f, g)
#define T_SET9_(a, b, c, d, e, f, g, h, value) T_SET_(value, a, b, c, d, e, f, g, h)
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
#define t_remainder(a, b) T_OP2_(t_remainder, "t_remainder(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
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
#define t_bitwise_and(a, b) T_OP2_(t_bitwise_and, "t_bitwise_and(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_or(a, b) T_OP2_(t_bitwise_or, "t_bitwise_or(" #a ", " #b ")", T_OPERAND(a), T_OPERAND(b))
#define t_bitwise_not(x) T_OP1_(t_bitwise_not, "t_bitwise_not(" #x ")", x)
#define t_isnan(x) T_OP1_(t_isnan, "t_isnan(" #x ")", x)
#define t_isinf(x) T_OP1_(t_isinf, "t_isinf(" #x ")", x)
#define t_isfinite(x) T_OP1_(t_isfinite, "t_isfinite(" #x ")", x)
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
#define t_amax(...) T_REDUCE_((t_amax)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_amax(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_amin(...) T_REDUCE_((t_amin)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_amin(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_all(...) T_REDUCE_((t_all)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_all(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_any(...) T_REDUCE_((t_any)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_any(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_max(x), t_max(x, 1, .indices = &predicted), t_argmax(x, -1) */
#define T_ALONG_(f, otherwise, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); T_DIM_(otherwise, __VA_ARGS__) T_END_(Tensor *, f)
#define t_max(...) T_ALONG_((t_max)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_max(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_min(...) T_ALONG_((t_min)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_min(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmax(...) T_ALONG_((t_argmax)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmax(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmin(...) T_ALONG_((t_argmin)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmin(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- products; along one dim ---- */
#define t_matmul(a, b) T_OP2_(t_matmul, "t_matmul(" #a ", " #b ")", a, b)
#define t_mm(a, b) T_OP2_(t_mm, "t_mm(" #a ", " #b ")", a, b)
#define t_bmm(a, b) T_OP2_(t_bmm, "t_bmm(" #a ", " #b ")", a, b)
/* t_einsum("bhid,bhjd->bhij", q, k) */
#define t_einsum(...) T_BEGIN_("t_einsum(" #__VA_ARGS__ ")") const char *t__t = T_HEAD_(__VA_ARGS__); Tensor *const t__l[] = {NULL, T_TAIL_(__VA_ARGS__)}; T_END_(Tensor *, (t_einsum)(t__t, (t_list_new)(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1)))
#define t_softmax(x, ...) T_ALONG_((t_softmax)(t__a, t__d.dim), T_NONE, "t_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_log_softmax(x, ...) T_ALONG_((t_log_softmax)(t__a, t__d.dim), T_NONE, "t_log_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_gather(x, dim, index) T_BEGIN_("t_gather(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_gather)(t__a, dim, t__b))
#define t_index_select(x, dim, index) T_BEGIN_("t_index_select(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_index_select)(t__a, dim, t__b))

#endif
