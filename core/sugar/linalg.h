/* core/sugar/linalg.h: the macros for matrix products (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_LINALG_H
#define TAPEGRAD_CORE_SUGAR_LINALG_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- products ---- */
#define t_matmul(a, b) T_OP2_(t_matmul, "t_matmul(" #a ", " #b ")", a, b)
#define t_mm(a, b) T_OP2_(t_mm, "t_mm(" #a ", " #b ")", a, b)
#define t_bmm(a, b) T_OP2_(t_bmm, "t_bmm(" #a ", " #b ")", a, b)
/* t_einsum("bhid,bhjd->bhij", q, k) */
#define t_einsum(...) T_BEGIN_("t_einsum(" #__VA_ARGS__ ")") const char *t__t = T_HEAD_(__VA_ARGS__); \
    Tensor *const t__l[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(Tensor *, (t_einsum)(t__t, (t_list_new)(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1)))

#define t_mv(a, b) T_OP2_(t_mv, "t_mv(" #a ", " #b ")", a, b)
#define t_dot(a, b) T_OP2_(t_dot, "t_dot(" #a ", " #b ")", a, b)
#define t_outer(a, b) T_OP2_(t_outer, "t_outer(" #a ", " #b ")", a, b)
#define t_ger(a, b) T_OP2_(t_ger, "t_ger(" #a ", " #b ")", a, b)
#define t_inner(a, b) T_OP2_(t_inner, "t_inner(" #a ", " #b ")", a, b)
#define t_kron(a, b) T_OP2_(t_kron, "t_kron(" #a ", " #b ")", a, b)
/* t_addmm(bias, x, w), t_addmm(bias, x, w, .beta = 0.5, .alpha = 2) */
typedef struct t_AddmmArguments_ { int first_; Tensor *mat1, *mat2; double beta, alpha; } t_AddmmArguments_;
typedef struct t_AddmvArguments_ { int first_; Tensor *mat, *vec; double beta, alpha; } t_AddmvArguments_;
typedef struct t_BaddbmmArguments_ { int first_; Tensor *batch1, *batch2; double beta, alpha; } t_BaddbmmArguments_;

#define t_addmm(...) T_OP_ARGUMENTS_((input, mat1, mat2), (t_addmm)(t__a, t__o.mat1, t__o.mat2, t__o.beta, \
    t__o.alpha), "t_addmm(" #__VA_ARGS__ ")", t_AddmmArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_addmv(...) T_OP_ARGUMENTS_((input, mat, vec), (t_addmv)(t__a, t__o.mat, t__o.vec, t__o.beta, t__o.alpha), \
    "t_addmv(" #__VA_ARGS__ ")", t_AddmvArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_baddbmm(...) T_OP_ARGUMENTS_((input, batch1, batch2), (t_baddbmm)(t__a, t__o.batch1, t__o.batch2, t__o.beta, \
    t__o.alpha), "t_baddbmm(" #__VA_ARGS__ ")", t_BaddbmmArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_addmm_(...) T_OP_ARGUMENTS_((input, mat1, mat2), (t_addmm_)(t__a, t__o.mat1, t__o.mat2, t__o.beta, \
    t__o.alpha), "t_addmm_(" #__VA_ARGS__ ")", t_AddmmArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_baddbmm_(...) T_OP_ARGUMENTS_((input, batch1, batch2), (t_baddbmm_)(t__a, t__o.batch1, t__o.batch2, \
    t__o.beta, t__o.alpha), "t_baddbmm_(" #__VA_ARGS__ ")", t_BaddbmmArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_addmv_(...) T_OP_ARGUMENTS_((input, mat, vec), (t_addmv_)(t__a, t__o.mat, t__o.vec, t__o.beta, t__o.alpha), \
    "t_addmv_(" #__VA_ARGS__ ")", t_AddmvArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
typedef struct t_AddrArguments_ { int first_; Tensor *vec1, *vec2; double beta, alpha; } t_AddrArguments_;
#define t_addbmm(...) T_OP_ARGUMENTS_((input, batch1, batch2), (t_addbmm)(t__a, t__o.batch1, t__o.batch2, t__o.beta, \
    t__o.alpha), "t_addbmm(" #__VA_ARGS__ ")", t_BaddbmmArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_addbmm_(...) T_OP_ARGUMENTS_((input, batch1, batch2), (t_addbmm_)(t__a, t__o.batch1, t__o.batch2, \
    t__o.beta, t__o.alpha), "t_addbmm_(" #__VA_ARGS__ ")", t_BaddbmmArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_addr(...) T_OP_ARGUMENTS_((input, vec1, vec2), (t_addr)(t__a, t__o.vec1, t__o.vec2, t__o.beta, \
    t__o.alpha), "t_addr(" #__VA_ARGS__ ")", t_AddrArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
#define t_addr_(...) T_OP_ARGUMENTS_((input, vec1, vec2), (t_addr_)(t__a, t__o.vec1, t__o.vec2, t__o.beta, \
    t__o.alpha), "t_addr_(" #__VA_ARGS__ ")", t_AddrArguments_, (.beta = 1, .alpha = 1), __VA_ARGS__)
/* t_tensordot(a, b), t_tensordot(a, b, 1), t_tensordot(a, b, (1, 0), (0, 1)): dims=([1, 0], [0, 1]) */
typedef struct t_DotArguments_ { int first_; int64_t dims; } t_DotArguments_;
#define t_tensordot(a, ...) T_BEGIN_("t_tensordot(" #a ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (a)) \
    T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_PASTE_(T_TENSORDOT_, T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))))(T_TAIL_(__VA_ARGS__))
#define T_TENSORDOT_0(...) T_OPTIONS_(t_DotArguments_, t__o, .dims = 2, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, t_tensordot_of_(t__a, t__b, t__o.dims))
#define T_TENSORDOT_1(...) T_TENSORDOT_DIMS_(__VA_ARGS__)
#define T_TENSORDOT_DIMS_(dims_a, dims_b, ...) T_INT64_ARRAY_(t__s, T_SPREAD_(dims_a)) \
    T_INT64_ARRAY_(t__d, T_SPREAD_(dims_b)) \
    T_END_(Tensor *, (t_tensordot)(t__a, t__b, T_LIST_AND_LENGTH_(t__s), T_LIST_AND_LENGTH_(t__d)))
/* t_cross(a, b), t_cross(a, b, .dim = 1) */
typedef struct t_CrossArguments_ { int first_; Tensor *other; int64_t dim; } t_CrossArguments_;
#define t_cross(...) T_OP_ARGUMENTS_((input, other), (t_cross)(t__a, t__o.other, t__o.dim), \
    "t_cross(" #__VA_ARGS__ ")", t_CrossArguments_, (.dim = T_NONE), __VA_ARGS__)
/* t_block_diag(a, b, c) */
#define t_block_diag(...) T_BEGIN_("t_block_diag(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(Tensor *, (t_block_diag)((t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l))))
/* t_vander(x), t_vander(x, 3, .increasing = true) */
typedef struct t_VanderArguments_ { int first_; int64_t N; bool increasing; } t_VanderArguments_;
#define t_vander(...) T_OP_KEYS_((t_vander)(t__a, t__o.N, t__o.increasing), "t_vander(" #__VA_ARGS__ ")", \
    t_VanderArguments_, (.N = T_NONE), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_dist(a, b), t_dist(a, b, .p = 1) */
typedef struct t_DistArguments_ { int first_; Tensor *other; double p; } t_DistArguments_;
#define t_dist(...) T_OP_ARGUMENTS_((input, other), (t_dist)(t__a, t__o.other, t__o.p), "t_dist(" #__VA_ARGS__ ")", \
    t_DistArguments_, (.p = 2), __VA_ARGS__)
/* t_cdist(a, b), t_cdist(a, b, .p = 1) */
typedef struct t_CdistArguments_ { int first_; Tensor *x2; double p; } t_CdistArguments_;
#define t_cdist(...) T_OP_ARGUMENTS_((input, x2), (t_cdist)(t__a, t__o.x2, t__o.p), "t_cdist(" #__VA_ARGS__ ")", \
    t_CdistArguments_, (.p = 2), __VA_ARGS__)

#endif
