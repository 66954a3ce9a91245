/* nn/modules/padding.h: torch.nn's padding layers (public). */
#ifndef TAPEGRAD_NN_MODULES_PADDING_H
#define TAPEGRAD_NN_MODULES_PADDING_H

#include "nn/functional/vision/vision.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.ZeroPad2d(padding), ConstantPad2d(padding, value), ReflectionPad2d, ReplicationPad2d, CircularPad2d, and each with
 * 1d and 3d. padding: {left, right, top, bottom, front, back}, of which 2d takes the first four and 1d the first two; a
 * second element of F_BOTH: the first for all sides. */
typedef struct nn_Pad {
    nn_Module base;
    int64_t padding[6];
    double value;
    const char *mode;
    int dims;
} nn_Pad;
typedef nn_Pad nn_ZeroPad1d, nn_ZeroPad2d, nn_ConstantPad1d, nn_ConstantPad2d, nn_ReflectionPad1d, nn_ReflectionPad2d,
    nn_ReplicationPad1d, nn_ReplicationPad2d, nn_CircularPad1d, nn_CircularPad2d, nn_ZeroPad3d, nn_ConstantPad3d,
    nn_ReflectionPad3d, nn_ReplicationPad3d, nn_CircularPad3d;
T_API nn_ZeroPad1d *nn_ZeroPad1d_new(const int64_t *padding);
T_API nn_ZeroPad2d *nn_ZeroPad2d_new(const int64_t *padding);
T_API nn_ConstantPad1d *nn_ConstantPad1d_new(const int64_t *padding, double value);
T_API nn_ConstantPad2d *nn_ConstantPad2d_new(const int64_t *padding, double value);
T_API nn_ReflectionPad1d *nn_ReflectionPad1d_new(const int64_t *padding);
T_API nn_ReflectionPad2d *nn_ReflectionPad2d_new(const int64_t *padding);
T_API nn_ReplicationPad1d *nn_ReplicationPad1d_new(const int64_t *padding);
T_API nn_ReplicationPad2d *nn_ReplicationPad2d_new(const int64_t *padding);
T_API nn_CircularPad1d *nn_CircularPad1d_new(const int64_t *padding);
T_API nn_CircularPad2d *nn_CircularPad2d_new(const int64_t *padding);
T_API nn_ZeroPad3d *nn_ZeroPad3d_new(const int64_t *padding);
T_API nn_ConstantPad3d *nn_ConstantPad3d_new(const int64_t *padding, double value);
T_API nn_ReflectionPad3d *nn_ReflectionPad3d_new(const int64_t *padding);
T_API nn_ReplicationPad3d *nn_ReplicationPad3d_new(const int64_t *padding);
T_API nn_CircularPad3d *nn_CircularPad3d_new(const int64_t *padding);

T_END_DECLS
#endif
