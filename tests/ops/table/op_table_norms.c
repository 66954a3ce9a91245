/* tests/ops/table/op_table_norms.c: norms and padding (nn/functional/norm, nn/functional/vision/pad.c). */
#include <math.h>

#include "nn/functional/functional.h"
#include "tests/ops/table/op_table.h"

/* Numbers: eps in thousandths (-1: None), then the shape, rank first. */
static t_TensorList *call_rms_norm(const Call *c) {
    return list_of(F_rms_norm(c->x[0], c->n + 2, (int)c->n[1], c->x[1], c->n[0] < 0 ? NAN : (double)c->n[0] / 1000));
}
/* Numbers: groups, eps in thousandths. */
static t_TensorList *call_group_norm(const Call *c) {
    return list_of(F_group_norm(c->x[0], c->n[0], c->x[1], c->x[2], (double)c->n[1] / 1000));
}

typedef Tensor *BatchNorm(Tensor *x, Tensor *mean, Tensor *var, Tensor *weight, Tensor *bias, bool training,
                          double momentum, double eps);

/* A copy of a running statistic, for the op to write to. One that the op refuses is passed on as it is. */
static Tensor *copy_of(Tensor *running) {
    return running && !t_requires_grad(running) ? t_clone(running) : running;
}

/* Numbers: training, momentum in hundredths, eps in thousandths. The copies of the running statistics are outputs
 * too, in float32, in which gradients are not looked for. */
static t_TensorList *with_statistics(const Call *c, BatchNorm *f) {
    bool wrong = t_error() != NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *mean = wrong ? c->x[1] : copy_of(c->x[1]), *var = wrong ? c->x[2] : copy_of(c->x[2]);
    t_TensorList *ys = list_of(f(c->x[0], mean, var, c->x[3], c->x[4], c->n[0], (double)c->n[1] / 100,
                                 (double)c->n[2] / 1000));
    if (ys && mean) t_list_append(ys, t_float(mean));
    if (ys && var) t_list_append(ys, t_float(var));
    for (int64_t i = 0; ys && i < ys->len; i++) t_keep_object(ys->items[i]);
    ys = t_keep_object(ys);
    t_scope_close(depth);
    return ys;
}
static t_TensorList *call_batch_norm(const Call *c) {
    return with_statistics(c, F_batch_norm);
}
static t_TensorList *call_instance_norm(const Call *c) {
    return with_statistics(c, F_instance_norm);
}

/* Numbers: size, alpha, beta and k in hundredths. */
static t_TensorList *call_local_response_norm(const Call *c) {
    return list_of(F_local_response_norm(c->x[0], c->n[0], (double)c->n[1] / 100, (double)c->n[2] / 100,
                                         (double)c->n[3] / 100));
}

static const char *const pad_modes[] = {"constant", "reflect", "replicate", "circular", "mirror"};
/* Numbers: the mode, the value in quarters, then the pads, their number first. */
static t_TensorList *call_pad(const Call *c) {
    return list_of(F_pad(c->x[0], c->n + 3, (int)c->n[2], pad_modes[c->n[0]], c->n[1] ? (double)c->n[1] / 4 : NAN));
}

static const OpCase rms_norm_cases[] = {
    {"r(3,5) r(5)", {1, 1, 5}}, {"r(3,5) -", {1, 1, 5}}, {"r(3,5) r(5)", {-1, 1, 5}}, {"r(4) r(4)", {1, 1, 4}},
    {"r(2,3,4) r(3,4)", {10, 2, 3, 4}}, {"r(2,1,3,4) r(4)", {1, 1, 4}}, {"r(2,1,2,3,2) r(3,2)", {1, 2, 3, 2}},
    {"r(0,3) r(3)", {1, 1, 3}}, {"R(3,4) r(4)", {1, 1, 4}}, {"r(2,11) R(11)", {1, 1, 11}}, {NULL},
};
static const OpCase group_norm_cases[] = {
    {"r(2,4,3) r(4) r(4)", {2, 1}}, {"r(2,4,3) - -", {2, 1}}, {"r(2,4,3) r(4) -", {1, 1}}, {"r(2,4,3) - r(4)", {4, 1}},
    {"r(3,4) r(4) r(4)", {2, 10}}, {"r(2,6,2,3) r(6) r(6)", {3, 1}}, {"r(2,2,1,2,3) r(2) r(2)", {1, 1}},
    {"r(0,4,3) r(4) r(4)", {2, 1}}, {"R(2,4,3) r(4) r(4)", {2, 1}}, {"r(1,2,9) R(2) R(2)", {2, 1}}, {NULL},
};
static const OpCase batch_norm_cases[] = {
    {"r(4,3) R(3) P(3) r(3) r(3)", {1, 10, 1}}, {"r(4,3) R(3) P(3) r(3) r(3)", {0, 10, 1}},
    {"r(2,3,4) R(3) P(3) r(3) r(3)", {1, 30, 1}}, {"r(2,3,4) R(3) P(3) r(3) r(3)", {0, 30, 1}},
    {"r(2,3,4) - - r(3) r(3)", {1, 10, 1}}, {"r(2,3,4) - - - -", {1, 10, 1}}, {"r(2,3,4) R(3) P(3) - -", {0, 10, 1}},
    {"r(2,3,4) R(3) P(3) r(3) -", {1, 100, 1}}, {"r(2,3,4) R(3) P(3) - r(3)", {0, 0, 1}},
    {"r(2,3,2,3) R(3) P(3) r(3) r(3)", {1, 10, 10}}, {"r(1,2,2,3,2) R(2) P(2) r(2) r(2)", {1, 10, 1}},
    {"r(2,2,2,1,2) R(2) P(2) r(2) r(2)", {0, 10, 1}}, {"r(0,3,4) R(3) P(3) r(3) r(3)", {1, 10, 1}},
    {"r(0,3,4) R(3) P(3) r(3) r(3)", {0, 10, 1}}, {"R(2,3,4) R(3) P(3) r(3) r(3)", {1, 10, 1}},
    {"r(2,2,9) R(2) P(2) R(2) R(2)", {0, 10, 1}}, {"r(2,2,9) R(2) P(2) R(2) R(2)", {1, 0, 1}},
    {"r(0) R(5) P(5) r(5) r(5)", {1, 10, 1}}, {"r(0) - - - -", {0, 10, 1}}, {"r(2,0) - - r(3) -", {1, 10, 1}},
    {"i(0,2) - - - -", {0, 10, 1}}, {"r(2,3,4) R(3) P(3) r(3) r(3)", {0, 10, 0}}, {NULL},
};
static const OpCase instance_norm_cases[] = {
    {"r(2,3,4) - - - -", {1, 10, 1}}, {"r(2,3,4) R(3) P(3) r(3) r(3)", {1, 10, 1}},
    {"r(2,3,4) R(3) P(3) r(3) r(3)", {0, 10, 1}},
    {"r(2,2,2,3) - - r(2) r(2)", {1, 10, 1}}, {"r(2,3,4) R(3) P(3) - -", {1, 10, 0}},
    {"r(2,2,1,2,3) R(2) P(2) r(2) -", {1, 20, 1}}, {"R(2,3,4) - - r(3) -", {1, 10, 1}},
    {NULL},
};
static const OpCase local_response_norm_cases[] = {
    {"r(2,3,4)", {2, 50, 75, 100}}, {"r(2,5,2,2)", {3, 10, 50, 200}}, {"r(1,4,2,1,2)", {5, 100, 100, 100}},
    {"R(1,2,3)", {1, 1, 75, 100}},
    {"R(0,3,4)", {2, 1, 75, 100}}, {NULL},
};
static const OpCase pad_cases[] = {
    {"r()"}, {"r(5)", {0, 0, 2, 1, 2}}, {"r(2,3)", {0, 6, 2, 1, 2}}, {"r(2,3)", {0, 0, 4, 1, 0, 2, 1}}, {"r(2,3)"},
    {"r(2,3,4)", {0, 2, 6, 1, 1, 0, 1, 2, 0}}, {"r(2,5)", {0, 0, 2, -1, 2}}, {"r(2,5)", {0, 4, 4, -1, -2, 3, -1}},
    {"r(2,1,2,3)", {0, 0, 4, 1, 1, 1, 1}}, {"r(1,2,1,2,3)", {0, 0, 6, 1, 0, 0, 1, 2, -1}},
    {"r(0,3)", {0, 4, 4, 1, 1, 1, 0}},
    {"r(2,3)", {0, 0, 2, -1, -2}}, {"i(2,3)", {0, 10, 2, 1, 1}}, {"b(3)", {0, 2, 2, 1, 0}}, {"R(2,3)", {0, 4, 2, 1, 1}},
    {"r(2,5)", {1, 0, 2, 1, 2}}, {"r(2,2,5)", {1, 0, 2, 4, 3}}, {"r(2,1,5)", {1, 0, 2, -1, 2}},
    {"r(2,1,5)", {1, 0, 2, -1, -3}},
    {"r(2,3,4)", {1, 0, 4, 1, 2, 2, 1}}, {"r(2,1,3,4)", {1, 0, 4, 1, 2, 0, 2}},
    {"r(1,2,2,3,2)", {1, 0, 6, 1, 1, 1, 2, 1, 0}},
    {"r(2,2,2,3)", {1, 0, 6, 1, 1, 1, 0, 1, 0}}, {"r(0,2,5)", {1, 0, 2, 1, 1}}, {"i(2,1,3)", {1, 0, 2, 1, 1}},
    {"r(2,5)", {2, 0, 2, 1, 2}}, {"r(2,2,2)", {2, 0, 2, 4, 3}}, {"r(2,1,5)", {2, 0, 2, -1, 2}},
    {"r(2,3,4)", {2, 0, 4, 1, 2, 2, -1}},
    {"r(2,1,3,4)", {2, 0, 4, 1, 2, 0, 2}}, {"r(1,2,2,3,2)", {2, 0, 6, 1, 1, 1, 2, 1, 0}}, {"r(0,2,5)", {2, 0, 2, 1, 1}},
    {"i(2,1,3)", {2, 0, 2, 1, 1}}, {"r(2,5)", {3, 0, 2, 1, 2}}, {"r(2,1,3)", {3, 0, 2, 3, 3}},
    {"r(2,1,5)", {3, 0, 2, -1, 2}}, {"r(2,1,5)", {3, 0, 2, 2, -1}},
    {"r(2,3,4)", {3, 0, 4, 1, 2, 2, 1}}, {"r(2,1,3,4)", {3, 0, 4, 1, 2, 0, 2}},
    {"r(1,2,2,3,2)", {3, 0, 6, 1, 1, 1, 2, 1, 0}},
    {"r(0,2,5)", {3, 0, 2, 1, 1}}, {"b(2,1,3)", {3, 0, 2, 1, 1}}, {NULL},
};

static const OpError rms_norm_errors[] = {
    {"r(3,5) -", {1, 1, 4}, "Given normalized_shape=[4], expected input with shape [*4], but got input of size[3, 5]"},
    {"r(3,5) r(4)", {1, 1, 5},
        "Expected weight to be of same shape as normalized_shape, but got weight of shape [4] and "
                               "normalized_shape = [5]"},
    {"i(3,5) -", {1, 1, 5}, "\"rms_norm\" not implemented for 'Long'"},
    {"r(3,5) -", {1, 0}, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                         "element, but got normalized_shape = []"},
    {NULL},
};
#define OF_TWO "Expected number of channels in input to be divisible by num_groups, but got input of shape [2, 4, 3] " \
               "and num_groups=3"
static const OpError group_norm_errors[] = {
    {"r(4) - -", {2, 1}, "Expected at least 2 dimensions for input tensor but received 1"},
    {"r(2,4,3) - -", {3, 1}, OF_TWO},
    {"r(2,4,3) r(3) -", {2, 1},
        "Expected weight to be a vector of size equal to the number of channels in input, but got weight of "
                                "shape [3] and input of shape [2, 4, 3]"},
    {"r(2,4,3) - r(3)", {2, 1},
        "Expected bias to be a vector of size equal to the number of channels in input, but got bias of shape "
                                "[3] and input of shape [2, 4, 3]"},
    {"r(1,2) - -", {2, 1}, "Expected more than 1 value per channel when training, got input size [1, 2]"},
    {"i(2,4,3) - -", {2, 1}, "\"GroupNormKernelImpl\" not implemented for 'Long'"},
    {"r(2,4,3) d(4) -", {2, 1}, "mixed dtype (CPU): expect parameter to have scalar type of Float"},
    {"d(2,4,3) r(4) -", {2, 1}, "mixed dtype (CPU): all inputs must share same datatype."},
    {"r(2,4,0) - -", {2, 1}, "Expected HxW to be greater than 0, got 0"},
    {NULL},
};
static const OpError batch_norm_errors[] = {
    {"r(2,3,4) - - r(3) r(3)", {0, 10, 1}, "running_mean must be defined in evaluation mode"},
    {"r(2,3,4) R(3) - r(3) r(3)", {0, 10, 1}, "running_var must be defined in evaluation mode"},
    {"r(2,3,4) R(4) P(3) r(3) r(3)", {1, 10, 1}, "running_mean should contain 3 elements not 4"},
    {"r(2,3,4) R(3) P(4) r(3) r(3)", {1, 10, 1}, "running_var should contain 3 elements not 4"},
    {"r(2,3,4) R(3) P(3) r(4) r(3)", {1, 10, 1}, "weight should contain 3 elements not 4"},
    {"r(2,3,4) R(3) P(3) r(3) r(4)", {1, 10, 1}, "bias should contain 3 elements not 4"},
    {"r(1,3) R(3) P(3) r(3) r(3)", {1, 10, 1},
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])"},
    {"r(3) R(3) P(3) r(3) r(3)", {0, 10, 1}, "running_mean should contain 0 elements not 3"},
    {"i(2,3,4) R(3) P(3) - -", {1, 10, 1}, "\"batch_norm\" not implemented for 'Long'"},
    {"r(2,3,4) D(3) D(3) - -", {1, 10, 1}, "mixed dtype (CPU): expect parameter to have scalar type of Float"},
    {"r(2,3,4) r(3) P(3) - -", {1, 10, 1},
        "The function 'native_batch_norm' is not differentiable with respect to argument "
                                           "'running_mean'. This input cannot have requires_grad True."},
    {"r(2,3,4) R(4) P(3) - -", {1, 10, 0}, "batch_norm eps must be positive during training, but got 0.0"},
    {"r(0,3) - - - -", {1, 10, -1}, "batch_norm eps must be positive during training, but got -0.001"},
    {"r(2,3,4) - - - -", {0, 10, -1000}, "batch_norm eps must be non-negative, but got -1.0"},
    {"r(1) R(3) P(3) - -", {1, 10, 0}, "Expected more than 1 value per channel when training, got input size "
                                       "torch.Size([1])"},
    {"r(2,3,4) - P(3) - -", {1, 10, 1}, "running_mean and running_var must either both be None or neither be None"},
    {NULL},
};
static const OpError instance_norm_errors[] = {
    {"r(0) - - - -", {1, 10, 1}, "Expected more than 1 spatial element when training, got input size torch.Size([0])"},
    {"r(2,3,1) - - - -", {1, 10, 1},
        "Expected more than 1 spatial element when training, got input size torch.Size([2, 3, 1])"},
    {"r(2,3,4) - - r(4) -", {1, 10, 1}, "weight should contain 6 elements not 8"},
    {NULL},
};
static const OpError local_response_norm_errors[] = {
    {"r(2,3,4)", {0, 1, 75, 100}, "kernel size should be greater than zero, but got kH: 0 kW: 1"},
    /* PyTorch's text has a gap in it */
    {"r(2,3)", {2, 1, 75, 100}, "Expected 3D or higher dimensionality input (got 2 dimensions)"},
    {NULL},
};
#define COMBINATIONS "Supported combinations for non-constant padding:\n" \
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n" \
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n" \
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
#define OVERLAPS "unsupported operation: some elements of the input tensor and the written-to tensor refer to a " \
    "single memory location. " \
    "Please clone() the tensor before performing the operation."
static const OpError pad_errors[] = {
    {"r(2,3)", {0, 0, 1, 1}, "Padding length must be divisible by 2"},
    {"r(2)", {0, 0, 4, 1, 1, 1, 1},
        "Padding length should be less than or equal to two times the input dimension but got padding length "
                                    "4 and input of dimension 1"},
    {"r(2,5)", {0, 0, 2, -4, -2}, "narrow(): length must be non-negative."},
    {"r(2,5)", {4, 0, 2, 1, 1}, "Unrecognised padding mode mirror"},
    {"r(2,5)", {1, 8, 2, 1, 1}, "Padding mode \"reflect\" doesn't take in value argument"},
    {"r(5)", {1, 0, 2, 1, 1}, "Padding size 2 is not supported for 1D input tensor.\n" COMBINATIONS},
    {"r(2,3,4,5)", {2, 0, 2, 1, 1}, "Padding size 2 is not supported for 4D input tensor.\n" COMBINATIONS},
    {"r(2,3,4)", {3, 0}, "Padding size 0 is not supported for 3D input tensor.\n" COMBINATIONS},
    {"r(2,3,5)", {1, 0, 2, 5, 0},
        "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                                  "(5, 0) at dimension 2 of input [2, 3, 5]"},
    {"r(3,4,5)", {1, 0, 4, 0, 0, 0, 4},
        "Argument #6: Padding size should be less than the corresponding input dimension, but got: "
                                        "padding (0, 4) at dimension 1 of input [3, 4, 5]"},
    {"r(2,3,5)", {1, 0, 2, -3, -2}, "input (W: 5) is too small. Calculated output W: 0"},
    {"r(2,4,5)", {2, 0, 4, -3, -2, 0, 0},
        "Calculated output H: 4 W: 0 must be >= 1 in every dimension (input H: 4, W: 5)"},
    {"r(2,3,4,5)", {1, 0, 6, 0, 0, 0, 0, -2, -1},
        "Calculated output D: 0 H: 4 W: 5 must be >= 1 in every dimension (input D: 3, H: 4, W: 5)"},
    {"r(2,0,5)", {2, 0, 2, 1, 1},
        "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
                                  "input, but got: [2, 0, 5]"},
    {"r(2,3,5)", {3, 0, 2, 6, 0}, "Padding value causes wrapping around more than once."},
    {"r(2,3,5)", {3, 0, 2, -4, -2}, "Negative padding value is resulting in an empty dimension"},
    {"b(2,1,3)", {1, 0, 2, 1, 1}, "\"reflection_pad1d\" not implemented for 'Bool'"},
    {"b(2,2,3)", {2, 0, 4, 1, 1, 1, 1}, "\"replication_pad2d\" not implemented for 'Bool'"},
    {"r(1,1,5)", {3, 0, 2, -4, 4}, OVERLAPS}, {"r(1,5)", {3, 0, 2, 5, -1}, OVERLAPS},
    {"r(2,2,5)", {3, 0, 2, -3, 3}, OVERLAPS}, /* PyTorch sees the overlap in a single row only */
    {NULL},
};

static const OpRow rows[] = {
    {"F_rms_norm", call_rms_norm, rms_norm_cases, rms_norm_errors, SUMS, "1?", .ranks = "12345z: a dim of features"},
    {"F_group_norm", call_group_norm, group_norm_cases, group_norm_errors, SUMS, "1??",
     .ranks = "2345z: a dim of channels after the batch"},
    {"F_batch_norm", call_batch_norm, batch_norm_cases, batch_norm_errors, SUMS, "1????",
     .ranks = "12345z: a dim of channels after the batch; one dim only if it is empty"},
    {"F_instance_norm", call_instance_norm, instance_norm_cases, instance_norm_errors, SUMS, "1????",
     .ranks = "345: values in each channel"},
    {"F_local_response_norm", call_local_response_norm, local_response_norm_cases, local_response_norm_errors,
        SUMS | MAYBE_VIEW,
     .ranks = "345z: elements of each channel"},
    {"F_pad", call_pad, pad_cases, pad_errors},
};
TABLE(norms_table, "ops_norms.txt", rows);
