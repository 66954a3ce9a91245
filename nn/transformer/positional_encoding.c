/* nn/transformer/positional_encoding.c: nn_PositionalEncoding: the sinusoid table, added to embeddings. */
#include <inttypes.h>
#include <math.h>

#include "core/ops/ops.h"
#include "nn/module/module_internal.h"
#include "nn/transformer/tutorial_transformer.h"

/* ---- the table ----
 * In float32 and in each tutorial's own order of operations, on which the last bits of the table depend. */

/* position: (max_len, 1), two_i: (D/2,) of 0, 2, 4, ...; returns (max_len, D/2). */
static Tensor *angles(nn_Sinusoid sinusoid, Tensor *position, Tensor *two_i, int64_t d_model) {
    Tensor *base = t_number(10000), *D = t_integer(d_model);
    switch (sinusoid) {
    case nn_sinusoid_exp: return t_mul(position, t_exp(t_mul(two_i, t_number(-(log(10000.0) / (double)d_model)))));
    case nn_sinusoid_pow: return t_mul(position, t_pow(base, t_div(t_neg(two_i), D)));
    case nn_sinusoid_div: return t_div(position, t_pow(base, t_div(two_i, D)));
    }
    return tg_fail(
        "PositionalEncoding: sinusoid must be nn_sinusoid_exp, nn_sinusoid_pow or nn_sinusoid_div, but is %d",
        (int)sinusoid);
}

static Tensor *sinusoid_table(nn_Sinusoid sinusoid, int64_t max_len, int64_t d_model) {
    Tensor *pe = t_zeros((int64_t[]){max_len, d_model}, 2, NULL);
    if (!pe) return NULL;
    Tensor *position = t_float(t_unsqueeze(t_arange_int64(0, max_len, 1, NULL), 1));
    Tensor *angle = angles(sinusoid, position, t_float(t_arange_int64(0, d_model, 2, NULL)), d_model);
    if (!angle) return NULL;
    t_copy_(t_slice(pe, 1, 0, T_NONE, 2), t_sin(angle));
    t_copy_(t_slice(pe, 1, 1, T_NONE, 2), t_cos(angle));
    return t_unsqueeze(pe, 0);
}

/* ---- the module ---- */

static Tensor *positional_encoding_forward(void *module, Tensor *x) {
    nn_PositionalEncoding *self = module;
    if (!tg_check(x, 2)) return NULL;
    if (x->ndim != 3 || x->shape[2] != self->pe->shape[2])
        return tg_fail("PositionalEncoding: the input must be (batch, length, %" PRId64 "), but has shape %s",
                       self->pe->shape[2], tg_shape_of(x));
    if (x->shape[1] > self->pe->shape[1])
        return tg_fail("PositionalEncoding: a sequence of %" PRId64 " positions is longer than max_len = %" PRId64,
                       x->shape[1], self->pe->shape[1]);
    return nn_call(self->dropout, t_add(x, t_narrow(self->pe, 1, 0, x->shape[1])));
}

nn_PositionalEncoding *nn_PositionalEncoding_new(int64_t d_model, const nn_PositionalEncodingOptions *options) {
    if (!tg_check_required("d_model", (int64_t[]){d_model})) return NULL;
    if (d_model < 2 || d_model % 2)
        return tg_fail("PositionalEncoding: d_model must be a positive even number, but got %" PRId64, d_model);
    nn_PositionalEncodingOptions o = {.size = sizeof o, .max_len = 5000, .dropout = 0.1};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_PositionalEncoding *self =
        (nn_PositionalEncoding *)nn_module_new(sizeof *self, "nn_PositionalEncoding", positional_encoding_forward);
    if (self) {
        TG_SET(self, dropout, nn_Dropout_new(o.dropout, false));
        self->pe = sinusoid_table(o.sinusoid, o.max_len, d_model);
        nn_register_buffer(&self->base, "pe", self->pe);
    }
    return tg_construct_end(construction, self);
}
