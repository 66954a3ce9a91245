/* nn/modules/padding.c: the padding layers, which call F_pad with the pads and the mode given at construction. */
#include "nn/modules/padding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/module/module_internal.h"

static Tensor *pad_forward(void *module, Tensor *x) {
    nn_Pad *self = module;
    if (strcmp(self->mode, "circular") == 0 && x->ndim != self->dims + 1 && x->ndim != self->dims + 2)
        return tg_fail("expected %dD or %dD input (got %dD input)", self->dims + 1, self->dims + 2, x->ndim);
    return F_pad(x, self->padding, 2 * self->dims, self->mode, self->value);
}

/* ZeroPad2d((1, 1, 1, 1)), ConstantPad1d(padding=(1, 2), value=3.5) */
static void write_padding(const nn_Pad *self, char *text, size_t size) {
    int at = 0;
    for (int i = 0; i < 2 * self->dims; i++)
        at += snprintf(text + at, size - (size_t)at, i ? ", %" PRId64 : "(%" PRId64, self->padding[i]);
    snprintf(text + at, size - (size_t)at, ")");
}

static void pad_repr(const void *module, char *text, size_t size) {
    write_padding(module, text, size);
}

static void constant_repr(const void *module, char *text, size_t size) {
    char padding[150];
    write_padding(module, padding, sizeof padding);
    snprintf(text, size, "padding=%s, value=%s", padding, tg_number_text(((const nn_Pad *)module)->value));
}

static nn_Pad *pad_new(const char *type, int dims, const char *mode, const int64_t *padding, double value) {
    if (!padding) return t_error() ? NULL : tg_fail("padding is NULL where sizes are expected");
    nn_Pad *self = (nn_Pad *)nn_module_new(sizeof *self, type, pad_forward);
    if (!self) return NULL;
    self->base.extra_repr = isnan(value) ? pad_repr : constant_repr;
    for (int i = 0; i < 2 * dims; i++) self->padding[i] = padding[1] == F_BOTH ? padding[0] : padding[i];
    self->value = value;
    self->mode = mode;
    self->dims = dims;
    return self;
}

#define PAD(Type, dims, mode)                                                                    \
    Type *Type##_new(const int64_t *padding) {                                                   \
        return pad_new(#Type, dims, mode, padding, NAN);                                         \
    }
#define CONSTANT_PAD(Type, dims)                                                                 \
    Type *Type##_new(const int64_t *padding, double value) {                                     \
        return pad_new(#Type, dims, "constant", padding, value);                                 \
    }
PAD(nn_ZeroPad1d, 1, "constant")
PAD(nn_ZeroPad2d, 2, "constant")
CONSTANT_PAD(nn_ConstantPad1d, 1)
CONSTANT_PAD(nn_ConstantPad2d, 2)
PAD(nn_ReflectionPad1d, 1, "reflect")
PAD(nn_ReflectionPad2d, 2, "reflect")
PAD(nn_ReplicationPad1d, 1, "replicate")
PAD(nn_ReplicationPad2d, 2, "replicate")
PAD(nn_CircularPad1d, 1, "circular")
PAD(nn_CircularPad2d, 2, "circular")
PAD(nn_ZeroPad3d, 3, "constant")
CONSTANT_PAD(nn_ConstantPad3d, 3)
PAD(nn_ReflectionPad3d, 3, "reflect")
PAD(nn_ReplicationPad3d, 3, "replicate")
PAD(nn_CircularPad3d, 3, "circular")
