/* nn/sugar/init.h: keyword-argument macros of nn/init/init.h (public; gcc and clang, C only):
 * nn_init_normal_(w, .std = 0.02). */
#ifndef TAPEGRAD_NN_SUGAR_INIT_H
#define TAPEGRAD_NN_SUGAR_INIT_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/init/init.h"

typedef struct nn_UniformArguments_ { int first_; double a, b; t_Generator *generator; } nn_UniformArguments_;
typedef struct nn_NormalArguments_ { int first_; double mean, std; t_Generator *generator; } nn_NormalArguments_;
typedef struct nn_TruncArguments_ { int first_; double mean, std, a, b; t_Generator *generator; } nn_TruncArguments_;
typedef struct nn_GainArguments_ { int first_; double gain; t_Generator *generator; } nn_GainArguments_;
typedef struct nn_KaimingArguments_ {
    int first_; double a; const char *mode, *nonlinearity; t_Generator *generator;
} nn_KaimingArguments_;
typedef struct nn_ParamArguments_ { int first_; double param; } nn_ParamArguments_;
#define NN_WITH_(...) __VA_ARGS__
#define NN_INIT_(f, text, x) T_BEGIN_(text) T_TENSOR_(t__a, (x)) T_END_(Tensor *, f)
#define NN_INIT_OF_(f, text, Type, defaults, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_OPTIONS_(Type, t__o, NN_WITH_ defaults, .first_ = 0, __VA_ARGS__) T_END_(Tensor *, f)
#define nn_init_uniform_(...) NN_INIT_OF_((nn_init_uniform_)(t__a, t__o.a, t__o.b, t__o.generator), \
    "nn_init_uniform_(" #__VA_ARGS__ ")", nn_UniformArguments_, (.b = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_init_normal_(...) NN_INIT_OF_((nn_init_normal_)(t__a, t__o.mean, t__o.std, t__o.generator), \
    "nn_init_normal_(" #__VA_ARGS__ ")", nn_NormalArguments_, (.std = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_init_trunc_normal_(...) NN_INIT_OF_((nn_init_trunc_normal_)(t__a, t__o.mean, t__o.std, t__o.a, t__o.b, \
    t__o.generator), "nn_init_trunc_normal_(" #__VA_ARGS__ ")", nn_TruncArguments_, (.std = 1, .a = -2, .b = 2), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_init_xavier_uniform_(...) NN_INIT_OF_((nn_init_xavier_uniform_)(t__a, t__o.gain, t__o.generator), \
    "nn_init_xavier_uniform_(" #__VA_ARGS__ ")", nn_GainArguments_, (.gain = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define nn_init_xavier_normal_(...) NN_INIT_OF_((nn_init_xavier_normal_)(t__a, t__o.gain, t__o.generator), \
    "nn_init_xavier_normal_(" #__VA_ARGS__ ")", nn_GainArguments_, (.gain = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define nn_init_orthogonal_(...) NN_INIT_OF_((nn_init_orthogonal_)(t__a, t__o.gain, t__o.generator), \
    "nn_init_orthogonal_(" #__VA_ARGS__ ")", nn_GainArguments_, (.gain = 1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define nn_init_kaiming_uniform_(...) NN_INIT_OF_((nn_init_kaiming_uniform_)(t__a, t__o.a, t__o.mode, \
    t__o.nonlinearity, t__o.generator), "nn_init_kaiming_uniform_(" #__VA_ARGS__ ")", nn_KaimingArguments_, \
    (.mode = "fan_in", .nonlinearity = "leaky_relu"), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_init_kaiming_normal_(...) NN_INIT_OF_((nn_init_kaiming_normal_)(t__a, t__o.a, t__o.mode, t__o.nonlinearity, \
    t__o.generator), "nn_init_kaiming_normal_(" #__VA_ARGS__ ")", nn_KaimingArguments_, \
    (.mode = "fan_in", .nonlinearity = "leaky_relu"), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_init_constant_(x, value) NN_INIT_((nn_init_constant_)(t__a, value), \
    "nn_init_constant_(" #x ", " #value ")", x)
#define nn_init_zeros_(x) NN_INIT_((nn_init_zeros_)(t__a), "nn_init_zeros_(" #x ")", x)
#define nn_init_ones_(x) NN_INIT_((nn_init_ones_)(t__a), "nn_init_ones_(" #x ")", x)
#define nn_init_eye_(x) NN_INIT_((nn_init_eye_)(t__a), "nn_init_eye_(" #x ")", x)
/* nn_init_dirac_(conv->weight), nn_init_dirac_(conv->weight, 2) */
typedef struct nn_DiracArguments_ { int first_; int64_t groups; } nn_DiracArguments_;
#define nn_init_dirac_(...) T_OP_KEYS_((nn_init_dirac_)(t__a, t__o.groups), "nn_init_dirac_(" #__VA_ARGS__ ")", \
    nn_DiracArguments_, (.groups = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_init_calculate_gain(...) T_BEGIN_("nn_init_calculate_gain(" #__VA_ARGS__ ")") \
    const char *t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_ParamArguments_, t__o, .param = (double)__builtin_nan(""), .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(double, (nn_init_calculate_gain)(t__n, t__o.param))

#endif
#endif
