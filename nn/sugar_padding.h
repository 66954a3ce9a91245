/* nn/sugar_padding.h: Python's face of nn/padding.h (public; gcc and clang, C only). See core/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_PADDING_H
#define TAPEGRAD_NN_SUGAR_PADDING_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/functional_layers_sugar.h"
#include "nn/padding.h"

/* nn_ZeroPad2d(1), nn_ReflectionPad2d(.padding = {1, 1, 2, 0}), nn_ConstantPad1d(2, 3.5) */
typedef struct nn_PadLayerArguments_ {
    int first_;
    int64_t padding_;
    double value;
    struct t_too_many_arguments_ *rest_;
    int64_t padding[4];
} nn_PadLayerArguments_;
#define NN_PADDED_(...) F_SIZES_(nn_PadLayerArguments_, t__o, .padding_ = F_BOTH, .padding = {0, F_BOTH}, .first_ = 0, __VA_ARGS__) \
    const int64_t t__p[] = {t__o.padding_ != F_BOTH ? t__o.padding_ : t__o.padding[0], t__o.padding_ != F_BOTH ? F_BOTH : t__o.padding[1], \
                            t__o.padding[2], t__o.padding[3]};
#define NN_PAD_(Type, text, ...) T_BEGIN_(text) NN_PADDED_(__VA_ARGS__) T_END_(Type *, Type##_new(t__p))
#define NN_CONSTANT_PAD_(Type, text, ...) T_BEGIN_(text) NN_PADDED_(__VA_ARGS__) T_END_(Type *, Type##_new(t__p, t__o.value))
#define nn_ZeroPad1d(...) NN_PAD_(nn_ZeroPad1d, "nn_ZeroPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ZeroPad2d(...) NN_PAD_(nn_ZeroPad2d, "nn_ZeroPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ConstantPad1d(...) NN_CONSTANT_PAD_(nn_ConstantPad1d, "nn_ConstantPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ConstantPad2d(...) NN_CONSTANT_PAD_(nn_ConstantPad2d, "nn_ConstantPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReflectionPad1d(...) NN_PAD_(nn_ReflectionPad1d, "nn_ReflectionPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReflectionPad2d(...) NN_PAD_(nn_ReflectionPad2d, "nn_ReflectionPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReplicationPad1d(...) NN_PAD_(nn_ReplicationPad1d, "nn_ReplicationPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReplicationPad2d(...) NN_PAD_(nn_ReplicationPad2d, "nn_ReplicationPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_CircularPad1d(...) NN_PAD_(nn_CircularPad1d, "nn_CircularPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_CircularPad2d(...) NN_PAD_(nn_CircularPad2d, "nn_CircularPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)

#endif
#endif
