/* nn/sugar/padding.h: keyword-argument macros of nn/modules/padding.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_PADDING_H
#define TAPEGRAD_NN_SUGAR_PADDING_H
#ifndef __cplusplus
#pragma GCC system_header

#include "nn/sugar/functional_layers.h"
#include "nn/modules/padding.h"

/* nn_ZeroPad2d(1), nn_ReflectionPad2d((1, 1, 2, 0)), nn_ConstantPad1d(2, 3.5),
 * nn_ZeroPad2d(.padding = t_tuple(1, 1, 2, 0)) */
typedef struct nn_PadLayerArguments_ {
    int first_;
    int64_t padding_;
    double value;
    struct t_too_many_arguments_ *rest_;
    t_Tuple padding;
} nn_PadLayerArguments_;
#define NN_PADS_(sides, text, ...) T_BEGIN_(text) \
    T_OPTIONS_(nn_PadLayerArguments_, t__o, .padding_ = T_LEFT_OUT_, .padding = T_NO_TUPLE_, .first_ = 0, \
    T_NAMED_((padding, value), __VA_ARGS__)) int64_t t__p[6];
#define NN_PAD_(Type, sides, text, ...) NN_PADS_(sides, text, __VA_ARGS__) \
    T_END_(Type *, F_pads_of_(t__o.padding_, &t__o.padding, sides, t__p) ? Type##_new(t__p) : NULL)
#define NN_CONSTANT_PAD_(Type, sides, text, ...) NN_PADS_(sides, text, __VA_ARGS__) \
    T_END_(Type *, F_pads_of_(t__o.padding_, &t__o.padding, sides, t__p) ? Type##_new(t__p, t__o.value) : NULL)
#define nn_ZeroPad1d(...) NN_PAD_(nn_ZeroPad1d, 2, "nn_ZeroPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ZeroPad2d(...) NN_PAD_(nn_ZeroPad2d, 4, "nn_ZeroPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ConstantPad1d(...) NN_CONSTANT_PAD_(nn_ConstantPad1d, 2, "nn_ConstantPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ConstantPad2d(...) NN_CONSTANT_PAD_(nn_ConstantPad2d, 4, "nn_ConstantPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReflectionPad1d(...) NN_PAD_(nn_ReflectionPad1d, 2, "nn_ReflectionPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReflectionPad2d(...) NN_PAD_(nn_ReflectionPad2d, 4, "nn_ReflectionPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReplicationPad1d(...) NN_PAD_(nn_ReplicationPad1d, 2, "nn_ReplicationPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReplicationPad2d(...) NN_PAD_(nn_ReplicationPad2d, 4, "nn_ReplicationPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_CircularPad1d(...) NN_PAD_(nn_CircularPad1d, 2, "nn_CircularPad1d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_CircularPad2d(...) NN_PAD_(nn_CircularPad2d, 4, "nn_CircularPad2d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ZeroPad3d(...) NN_PAD_(nn_ZeroPad3d, 6, "nn_ZeroPad3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ConstantPad3d(...) NN_CONSTANT_PAD_(nn_ConstantPad3d, 6, "nn_ConstantPad3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReflectionPad3d(...) NN_PAD_(nn_ReflectionPad3d, 6, "nn_ReflectionPad3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ReplicationPad3d(...) NN_PAD_(nn_ReplicationPad3d, 6, "nn_ReplicationPad3d(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_CircularPad3d(...) NN_PAD_(nn_CircularPad3d, 6, "nn_CircularPad3d(" #__VA_ARGS__ ")", __VA_ARGS__)

#endif
#endif
