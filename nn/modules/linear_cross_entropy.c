/* nn/modules/linear_cross_entropy.c: nn.LinearCrossEntropyLoss. */
#include "nn/modules/linear_cross_entropy.h"

#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/tensor/size_arithmetic.h"
#include "core/tensor/tensor.h"
#include "nn/functional/functional.h"
#include "nn/module/module_internal.h"

/* x in the shape (num_classes, *out_features), and with in_features not 0 that as the last size. */
static Tensor *by_class(const nn_LinearCrossEntropyLoss *self, Tensor *x, int64_t in_features) {
    int64_t shape[T_MAX_DIMS + 2] = {self->num_classes};
    int ndim = 1;
    for (int d = 0; d < self->out_features.len; d++) shape[ndim++] = self->out_features.items[d];
    if (in_features) shape[ndim++] = in_features;
    return t_reshape(x, shape, ndim);
}

static Tensor *loss_forward(void *module, Tensor *input, Tensor *target) {
    nn_LinearCrossEntropyLoss *self = module;
    const F_LossOptions options = {.size = sizeof options, .weight = self->weight, .reduction = self->reduction,
                                   .ignore_index = self->ignore_index == T_NONE ? -100 : self->ignore_index,
                                   .label_smoothing = self->label_smoothing};
    if (!tg_check_two(input, target)) return NULL;
    if (self->ignore_index != T_NONE && t_is_floating_point(target))
        return tg_fail("ignore_index cannot be specified when target contains probabilities");
    Tensor *weight = by_class(self, self->linear->weight, self->linear->in_features);
    Tensor *bias = self->linear->bias ? by_class(self, self->linear->bias, 0) : NULL;
    return weight ? F_linear_cross_entropy(input, weight, target, bias, &options) : NULL;
}

/* A Python tuple: "()", "(4,)", "(4, 3)". */
static void write_tuple(char *text, size_t size, const int64_t *items, int count) {
    size_t at = (size_t)snprintf(text, size, "(");
    for (int i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%lld%s", i ? ", " : "", (long long)items[i],
                               count == 1 ? "," : "");
    if (at < size) snprintf(text + at, size - at, ")");
}

static void loss_repr(const void *module, char *text, size_t size) {
    const nn_LinearCrossEntropyLoss *self = module;
    char ignored[24] = "None", tuple[24 * T_MAX_DIMS];
    write_tuple(tuple, sizeof tuple, self->out_features.items, self->out_features.len);
    if (self->ignore_index != T_NONE) snprintf(ignored, sizeof ignored, "%lld", (long long)self->ignore_index);
    snprintf(text, size, "in_features=%lld, num_classes=%lld, out_features=%s, bias=%s, reduction=%s, ignore_index=%s, "
             "label_smoothing=%s, options=None", (long long)self->linear->in_features, (long long)self->num_classes,
             tuple, self->linear->bias ? "True" : "False", self->reduction, ignored,
             tg_number_text(self->label_smoothing));
}

static bool check_options(int64_t num_classes, const nn_LinearCrossEntropyLossOptions *o) {
    const Tensor *w = o->weight;
    if (w && (w->ndim != 1 || w->shape[0] != num_classes)) {
        char tuple[24 * T_MAX_DIMS];
        write_tuple(tuple, sizeof tuple, w->shape, w->ndim);
        return tg_fail("expected weight shape to be (%lld,), got %s", (long long)num_classes, tuple);
    }
    if (o->label_smoothing < 0 || o->label_smoothing > 1)
        return tg_fail("expected label_smoothing to be in range [0, 1], got %s", tg_number_text(o->label_smoothing));
    if (o->out_features.len > T_MAX_DIMS - 2)
        return tg_fail("out_features has %d sizes, more than %d", o->out_features.len, T_MAX_DIMS - 2);
    if (strcmp(o->reduction, "mean") && strcmp(o->reduction, "sum") && strcmp(o->reduction, "none"))
        return tg_fail("%s is not a valid value for reduction", o->reduction);
    return true;
}

/* Errors: a weight without num_classes elements, label_smoothing outside of [0, 1], an unknown reduction. PyTorch's
 * options, which save memory by chunks of the batch, do not exist here. */
nn_LinearCrossEntropyLoss *nn_LinearCrossEntropyLoss_new(int64_t in_features, int64_t num_classes,
                                                         const nn_LinearCrossEntropyLossOptions *options) {
    nn_LinearCrossEntropyLossOptions o = {.size = sizeof o, .reduction = "mean", .ignore_index = T_NONE};
    if (!tg_check_required("in_features num_classes", (int64_t[]){in_features, num_classes}) ||
        !tg_take_options(&o, options, sizeof o) || !tg_check_any_optional(o.weight, 3))
        return NULL;
    if (!o.reduction) o.reduction = "mean";
    if (!check_options(num_classes, &o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_LinearCrossEntropyLoss *self =
        (nn_LinearCrossEntropyLoss *)nn_module_new(sizeof *self, "nn_LinearCrossEntropyLoss", NULL);
    if (self) {
        const nn_LinearOptions of_linear = {.size = sizeof of_linear, .bias = o.bias, .dtype = o.dtype};
        int64_t outputs = num_classes;
        for (int d = 0; d < o.out_features.len; d++) outputs = tg_size_mul(outputs, o.out_features.items[d]);
        self->base.forward2 = loss_forward;
        self->base.extra_repr = loss_repr;
        self->num_classes = num_classes;
        self->out_features = o.out_features;
        self->ignore_index = o.ignore_index;
        self->label_smoothing = o.label_smoothing;
        strcpy(self->reduction, o.reduction);
        self->weight = o.weight;
        if (nn_register_buffer(&self->base, "weight", o.weight))
            TG_SET(self, linear, nn_Linear_new(in_features, outputs, &of_linear));
    }
    return tg_construct_end(construction, self);
}
