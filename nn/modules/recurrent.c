/* nn/modules/recurrent.c: nn.RNN, nn.LSTM, nn.GRU: layers and directions over whole sequences.
 *
 * W_ih x + b_ih is one matrix product over the whole sequence. The steps are composed of the ops of recurrent_cells.c,
 * or computed as one record for the whole sequence (recurrent_sequence.c), where its conditions hold. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/functional.h"
#include "nn/modules/recurrent_internal.h"
#include "nn/utils/rnn_internal.h"

/* ---- one layer in one direction ---- */

/* The steps over from (T, B, gates * hidden_size), each in a scope of its own; *h and *c are the initial state on entry
 * and the final one on return. out lists the h of each step in the order of time. */
static bool run_steps(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *from, bool reverse, Tensor **h,
                      Tensor **c, t_TensorList *out) {
    const int64_t T = from->shape[0];
    bool ok = true;
    for (int64_t k = 0; ok && k < T; k++) {
        int depth = t_scope_open();
        if (!depth) return false;
        recurrence->step(w, t_select(from, 0, reverse ? T - 1 - k : k), h, c);
        *h = t_keep_object(*h);
        if (recurrence->has_cell) *c = t_keep_object(*c);
        t_scope_close(depth);
        ok = t_list_append(out, *h) && (*c || !recurrence->has_cell);
    }
    for (int64_t i = 0; reverse && i < out->len / 2; i++) {
        Tensor *other = out->items[i];
        out->items[i] = out->items[out->len - 1 - i];
        out->items[out->len - 1 - i] = other;
    }
    return ok;
}

Tensor *tg_run_steps(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h,
                     Tensor **c) {
    Tensor *from = F_linear(x, w->ih, w->b_ih);
    t_TensorList *out = t_list_new(NULL, 0);
    if (!from || !out || !*h || (recurrence->has_cell && !*c)) return NULL;
    return run_steps(recurrence, w, from, reverse, h, c, out) ? t_stack(out, 0) : NULL;
}

Tensor *tg_run_layer(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h,
                     Tensor **c) {
    return (tg_can_run_sequence(recurrence, w, x, *h, *c) ? tg_run_sequence : tg_run_steps)(recurrence, w, x, reverse,
                                                                                            h, c);
}

/* ---- all layers ---- */

/* The weights of the next layer and direction, in the order of registration. */
static tg_Weights next_weights(const nn_Recurrent *self, const nn_Entry **entry) {
    tg_Weights w = {NULL, NULL, NULL, NULL, NULL};
    Tensor **all[] = {&w.ih, &w.hh, &w.b_ih, &w.b_hh, &w.hr};
    for (int i = 0; i < 5; i++) {
        if (i == 4 ? !self->proj_size : i >= 2 && !self->bias) continue;
        while ((*entry)->kind != nn_parameter_kind) *entry = (*entry)->next;
        *all[i] = (Tensor *)(*entry)->value;
        *entry = (*entry)->next;
    }
    return w;
}

/* x: (T, B, input_size), or with `packed` its data (*, input_size); h_0 and c_0 with batch dim, or NULL. h_n and c_n
 * receive the final states of each layer and direction. */
static Tensor *run_layers(nn_Recurrent *self, Tensor *x, const nn_utils_rnn_PackedSequence *packed, Tensor *h_0,
                          Tensor *c_0, t_TensorList *h_n, t_TensorList *c_n) {
    static const char *const names[] = {
        [TG_RNN_TANH] = "rnn_tanh", [TG_RNN_RELU] = "rnn_relu", [TG_LSTM] = "lstm", [TG_GRU] = "gru"};
    TG_COMPOSITE(names[self->recurrence->mode]);
    const nn_Entry *entry = self->base.first;
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    const bool has_cell = self->recurrence->has_cell;
    int64_t T = 0;
    const int64_t *batch_sizes = packed ? tg_batch_sizes(packed, &T) : NULL;
    const int64_t B = packed ? batch_sizes[0] : x->shape[1];
    const int64_t out_size = self->proj_size ? self->proj_size : self->hidden_size;
    const int directions = self->bidirectional ? 2 : 1;
    Tensor *h_zeros = h_0 ? NULL : t_zeros((int64_t[]){B, out_size}, 2, &options);
    Tensor *c_zeros = c_0 || !has_cell ? NULL : t_zeros((int64_t[]){B, self->hidden_size}, 2, &options);
    for (int64_t layer = 0; x && layer < self->num_layers; layer++) {
        Tensor *y[2] = {NULL, NULL};
        for (int d = 0; d < directions; d++) {
            const tg_Weights w = next_weights(self, &entry);
            Tensor *h = h_0 ? t_select(h_0, 0, layer * directions + d) : h_zeros;
            Tensor *c = c_0 ? t_select(c_0, 0, layer * directions + d) : c_zeros;
            y[d] = packed ? tg_run_packed_layer(self->recurrence, &w, x, batch_sizes, T, d == 1, &h, &c)
                          : tg_run_layer(self->recurrence, &w, x, d == 1, &h, &c);
            if (!y[d] || !t_list_append(h_n, h) || (has_cell && !t_list_append(c_n, c))) return NULL;
        }
        x = directions == 1 ? y[0] : t_cat(t_list_new(y, 2), -1);
        if (layer < self->num_layers - 1 && self->dropout > 0)
            x = F_dropout(x, self->dropout, self->base.training, false);
    }
    return x;
}

/* ---- checks ---- */

static bool check_input(const nn_Recurrent *self, const Tensor *x, bool packed) {
    if (!packed && x->ndim != 2 && x->ndim != 3)
        return tg_fail("%s: Expected input to be 2D or 3D, got %dD%s instead", self->recurrence->name, x->ndim,
                       self->recurrence->gates == 1 ? " tensor" : "");
    const Tensor *weight = (const Tensor *)self->base.first->value;
    if (x->dtype != weight->dtype) {
        const char *ours = tg_dtype_name(x->dtype), *theirs = tg_dtype_name(weight->dtype);
        return tg_fail(
            "RNN input dtype (torch.%s) does not match weight dtype (torch.%s). Convert input: input.to(torch.%s), or "
            "convert model: model.to(torch.%s)",
            ours, theirs, theirs, ours);
    }
    if (packed && x->ndim != 2) return tg_fail("input must have 2 dimensions, got %d", x->ndim);
    if (x->shape[x->ndim - 1] != self->input_size)
        return tg_fail("input.size(-1) must be equal to input_size. Expected %" PRId64 ", got %" PRId64,
                       self->input_size, x->shape[x->ndim - 1]);
    return packed || x->shape[x->ndim == 3 && self->batch_first ? 1 : 0] > 0 ||
           tg_fail("Expected sequence length to be larger than 0 in RNN");
}

static bool check_rank(const nn_Recurrent *self, const Tensor *x, const nn_RecurrentStates *s) {
    const int want = x->ndim;
    const char *kind = want == 3 ? "batched" : "unbatched";
    if (s->h_0->ndim == want && (!s->c_0 || s->c_0->ndim == want)) return true;
    if (self->recurrence->has_cell)
        return tg_fail("For %s %d-D input, hx and cx should also be %d-D but got (%d-D, %d-D) tensors", kind, want,
                       want, s->h_0->ndim, s->c_0->ndim);
    return tg_fail("For %s %d-D input, hx should also be %d-D but got %d-D tensor", kind, want, want, s->h_0->ndim);
}

static bool check_state_size(const nn_Recurrent *self, int64_t B, const Tensor *h, int64_t size, const char *name) {
    const int64_t count = self->num_layers * (self->bidirectional ? 2 : 1);
    const int64_t got[] = {h->shape[0], h->ndim == 3 ? h->shape[1] : 1, h->shape[h->ndim - 1]};
    if (got[0] == count && got[1] == B && got[2] == size)
        return tg_check_same_dtype(h, (const Tensor *)self->base.first->value, self->bias);
    return tg_fail("Expected %s size (%" PRId64 ", %" PRId64 ", %" PRId64 "), got %s", name, count, B, size,
                   tg_shape_text(got, 3));
}

/* A packed batch takes states with a batch dim. */
static bool check_packed_rank(const nn_RecurrentStates *s) {
    const Tensor *h = s->h_0->ndim != 3 || !s->c_0 ? s->h_0 : s->c_0;
    return h->ndim == 3 || tg_fail("For packed input, hidden states should be 3-D but got %d-D tensor", h->ndim);
}

static bool check_states(const nn_Recurrent *self, const Tensor *x, const nn_utils_rnn_PackedSequence *packed,
                         const nn_RecurrentStates *s) {
    const bool has_cell = self->recurrence->has_cell;
    int64_t T, B = packed ? tg_batch_sizes(packed, &T)[0] : x->ndim == 2 ? 1 : x->shape[self->batch_first ? 0 : 1];
    if (!tg_check_optional(s->h_0, 3) || !tg_check_optional(s->c_0, 4)) return false;
    if (!has_cell && (s->c_0 || s->c_n))
        return tg_fail("%s has no c_0 and no c_n: only an LSTM has", self->recurrence->name);
    if (has_cell && !s->h_0 != !s->c_0) return tg_fail("an LSTM starts from both h_0 and c_0, or from neither");
    if (!s->h_0) return true;
    return (packed ? check_packed_rank(s) : check_rank(self, x, s)) &&
           check_state_size(self, B, s->h_0, self->proj_size ? self->proj_size : self->hidden_size,
                            has_cell ? "hidden[0]" : "hidden") &&
           (!has_cell || check_state_size(self, B, s->c_0, self->hidden_size, "hidden[1]"));
}

/* ---- the call ---- */

/* The other arguments of a call. */
typedef struct Call {
    const nn_RecurrentStates *states;
    const nn_utils_rnn_PackedSequence *packed; /* whose data are the input; NULL: the input has a time dim */
} Call;

/* Input to (T, B, *), from a sequence without batch dim or with batch_first; from_sequence is the inverse. A packed
 * batch stays as it is. */
static Tensor *to_sequence(const nn_Recurrent *self, const Call *call, Tensor *x) {
    if (call->packed) return x;
    return x->ndim == 2 ? t_unsqueeze(x, 1) : self->batch_first ? t_transpose(x, 0, 1) : x;
}

static Tensor *from_sequence(const nn_Recurrent *self, const Call *call, Tensor *y, bool unbatched) {
    if (call->packed) return y;
    return unbatched ? t_squeeze(y, 1) : self->batch_first ? t_transpose(y, 0, 1) : y;
}

/* A state (layers, B, *) from the order of the batch to that in which a packed batch is sorted, or back. */
static Tensor *permuted(Tensor *state, Tensor *indices) {
    return state && indices ? t_index_select(state, 1, indices) : state;
}

static Tensor *initial_state(const Call *call, Tensor *state, bool unbatched) {
    if (!state) return NULL;
    return unbatched ? t_unsqueeze(state, 1) : permuted(state, call->packed ? call->packed->sorted_indices : NULL);
}

static Tensor *final_state(const Call *call, t_TensorList *list, bool unbatched) {
    Tensor *last = t_stack(list, 0);
    return unbatched ? t_squeeze(last, 1) : permuted(last, call->packed ? call->packed->unsorted_indices : NULL);
}

static Tensor *run_module(nn_Recurrent *self, Tensor *x, const Call *call) {
    nn_RecurrentStates from = *call->states, *s = &from;
    Tensor *next_h, *next_c;
    if (!check_input(self, x, call->packed != NULL) || !tg_state_read(from.state, &from.h_0, &from.c_0) ||
        !check_states(self, x, call->packed, s))
        return NULL;
    if (s->state && !s->h_n) s->h_n = &next_h;
    if (s->state && !s->c_n && self->recurrence->has_cell) s->c_n = &next_c;
    const bool unbatched = !call->packed && x->ndim == 2;
    int depth = t_scope_open();
    t_TensorList *h_list = depth ? t_list_new(NULL, 0) : NULL, *c_list = depth ? t_list_new(NULL, 0) : NULL;
    Tensor *y = NULL, *h_n = NULL, *c_n = NULL;
    Tensor *h_0 = initial_state(call, s->h_0, unbatched), *c_0 = initial_state(call, s->c_0, unbatched);
    if (h_list && c_list && (h_0 || !s->h_0) && (c_0 || !s->c_0)) {
        y = run_layers(self, to_sequence(self, call, x), call->packed, h_0, c_0, h_list, c_list);
        y = from_sequence(self, call, y, unbatched);
    }
    bool ok = y != NULL;
    if (ok && s->h_n) ok = (h_n = final_state(call, h_list, unbatched)) != NULL;
    if (ok && s->c_n) ok = (c_n = final_state(call, c_list, unbatched)) != NULL;
    if (ok && h_n) *s->h_n = t_keep_object(h_n);
    if (ok && c_n) *s->c_n = t_keep_object(c_n);
    y = tg_scope_return(depth, ok ? y : NULL);
    if (y) tg_state_write(s->state, h_n, c_n);
    return y;
}

static Tensor *recurrent_forward(void *module, Tensor *x) {
    const nn_RecurrentStates states = {.size = sizeof states};
    return run_module(module, x, &(Call){.states = &states});
}

static Tensor *recurrent_forward2(void *module, Tensor *x, Tensor *h_0) {
    const nn_RecurrentStates states = {.size = sizeof states, .h_0 = h_0};
    return run_module(module, x, &(Call){.states = &states});
}

static Tensor *run_with_states(void *self, Tensor *const *inputs, const void *call) {
    return run_module(self, inputs[0], call);
}

static bool begin_call(nn_Recurrent *self, const char *name, nn_RecurrentStates *s, const nn_RecurrentStates *states) {
    char type[32], function[32];
    snprintf(type, sizeof type, "nn_%s", name);
    snprintf(function, sizeof function, "nn_%s_call", name);
    return tg_check_class(self, 1, type, sizeof *self, function) && tg_take_options(s, states, sizeof *s);
}

static Tensor *call(nn_Recurrent *self, const char *name, Tensor *x, const nn_RecurrentStates *states) {
    nn_RecurrentStates s = {.size = sizeof s};
    TG_AUTOCAST_FLOAT32(x);
    if (!begin_call(self, name, &s, states) || !tg_check(x, 2)) return NULL;
    return tg_call_module(self, &x, 1, run_with_states, &(Call){.states = &s});
}

static nn_utils_rnn_PackedSequence *call_packed(nn_Recurrent *self, const char *name,
                                                const nn_utils_rnn_PackedSequence *x,
                                                const nn_RecurrentStates *states) {
    nn_RecurrentStates s = {.size = sizeof s};
    if (!begin_call(self, name, &s, states) || !tg_check_packed(x, 2)) return NULL;
    Tensor *inputs[] = {x->data};
    Tensor *y = tg_call_module(self, inputs, 1, run_with_states, &(Call){&s, x});
    return y ? nn_utils_rnn_PackedSequence_new(y, x->batch_sizes, x->sorted_indices, x->unsorted_indices) : NULL;
}

/* Returns the outputs of the last layer; *h_n and *c_n, if given, get the final states of every layer and direction, in
 * the caller's scope. Twice differentiable. Errors: ranks, sizes and dtypes that do not match, with PyTorch's messages.
 * Under autocast the products of the steps are computed in its dtype, the states in float32; of an LSTM without
 * proj_size PyTorch, whose oneDNN has it as one operation, gives outputs and states of that dtype. */
Tensor *nn_RNN_call(nn_RNN *self, Tensor *x, const nn_RecurrentStates *states) {
    return call(self, "RNN", x, states);
}

Tensor *nn_LSTM_call(nn_LSTM *self, Tensor *x, const nn_RecurrentStates *states) {
    return call(self, "LSTM", x, states);
}

Tensor *nn_GRU_call(nn_GRU *self, Tensor *x, const nn_RecurrentStates *states) {
    return call(self, "GRU", x, states);
}

/* The same for a packed batch; the states are in the order of the batch that was packed. Hooks see its data. PyTorch's
 * LSTM leaves the sizes of the states to the first operation that does not fit them; here all three check them. */
nn_utils_rnn_PackedSequence *nn_RNN_call_packed(nn_RNN *self, const nn_utils_rnn_PackedSequence *x,
                                                const nn_RecurrentStates *states) {
    return call_packed(self, "RNN", x, states);
}

nn_utils_rnn_PackedSequence *nn_LSTM_call_packed(nn_LSTM *self, const nn_utils_rnn_PackedSequence *x,
                                                 const nn_RecurrentStates *states) {
    return call_packed(self, "LSTM", x, states);
}

nn_utils_rnn_PackedSequence *nn_GRU_call_packed(nn_GRU *self, const nn_utils_rnn_PackedSequence *x,
                                                const nn_RecurrentStates *states) {
    return call_packed(self, "GRU", x, states);
}

/* ---- constructors ---- */

static void recurrent_repr(const void *module, char *text, size_t size) {
    const nn_Recurrent *self = module;
    int at = snprintf(text, size, "%" PRId64 ", %" PRId64, self->input_size, self->hidden_size);
    if (self->proj_size) at += snprintf(text + at, size - (size_t)at, ", proj_size=%" PRId64, self->proj_size);
    if (self->num_layers != 1) at += snprintf(text + at, size - (size_t)at, ", num_layers=%" PRId64, self->num_layers);
    if (!self->bias) at += snprintf(text + at, size - (size_t)at, ", bias=False");
    if (self->batch_first) at += snprintf(text + at, size - (size_t)at, ", batch_first=True");
    if (self->dropout != 0) at += snprintf(text + at, size - (size_t)at, ", dropout=%s", tg_number_text(self->dropout));
    if (self->bidirectional) snprintf(text + at, size - (size_t)at, ", bidirectional=True");
}

static bool add_parameter(nn_Recurrent *self, const char *name, int64_t layer, int direction, const int64_t *shape,
                          int ndim, t_DType dtype) {
    char full[64];
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    snprintf(full, sizeof full, "%s_l%" PRId64 "%s", name, layer, direction ? "_reverse" : "");
    Tensor *x = nn_Parameter(t_empty(shape, ndim, &options));
    return x && nn_register_parameter(&self->base, full, x);
}

static bool add_parameters(nn_Recurrent *self, t_DType dtype) {
    const int64_t rows = tg_size_mul(self->recurrence->gates, self->hidden_size), H = self->hidden_size;
    const int64_t out_size = self->proj_size ? self->proj_size : H;
    const int directions = self->bidirectional ? 2 : 1;
    for (int64_t layer = 0; layer < self->num_layers; layer++)
        for (int d = 0; d < directions; d++) {
            const int64_t in_size = layer ? tg_size_mul(out_size, directions) : self->input_size;
            if (!add_parameter(self, "weight_ih", layer, d, (int64_t[]){rows, in_size}, 2, dtype) ||
                !add_parameter(self, "weight_hh", layer, d, (int64_t[]){rows, out_size}, 2, dtype) ||
                (self->bias && !add_parameter(self, "bias_ih", layer, d, &rows, 1, dtype)) ||
                (self->bias && !add_parameter(self, "bias_hh", layer, d, &rows, 1, dtype)) ||
                (self->proj_size && !add_parameter(self, "weight_hr", layer, d, (int64_t[]){out_size, H}, 2, dtype)))
                return false;
        }
    return true;
}

static bool check_options(const nn_Recurrent *options) {
    if (!(options->dropout >= 0 && options->dropout <= 1))
        return tg_fail(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed");
    static _Thread_local bool warned;
    if (options->dropout > 0 && options->num_layers == 1)
        tg_warn(&warned, "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                         "num_layers greater than 1, but got dropout=%s and num_layers=1",
                tg_number_text(options->dropout));
    if (!tg_check_recurrent_sizes(options->input_size, options->hidden_size)) return false;
    if (options->num_layers <= 0) return tg_fail("num_layers must be greater than zero");
    if (!tg_check_layers(options->num_layers)) return false;
    if (options->proj_size < 0) return tg_fail("proj_size should be a positive integer or zero to disable projections");
    return options->proj_size < options->hidden_size || tg_fail("proj_size has to be smaller than hidden_size");
}

static nn_Recurrent *recurrent_new(const char *type, const nn_Recurrent *options, t_DType dtype) {
    if (!check_options(options)) return NULL;
    Construction construction = tg_construct_begin();
    nn_Recurrent *self = (nn_Recurrent *)nn_module_new(sizeof *self, type, recurrent_forward);
    if (self) {
        const nn_Module base = self->base;
        *self = *options;
        self->base = base;
        if (!options->recurrence->has_cell) self->base.forward2 = recurrent_forward2;
        self->base.extra_repr = recurrent_repr;
        if (add_parameters(self, dtype)) tg_recurrent_reset(&self->base, self->hidden_size);
    }
    return tg_construct_end(construction, self);
}

/* All parameters ~ U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)), drawn in order of registration. Errors: sizes below 1,
 * dropout outside [0, 1], an unknown nonlinearity, proj_size outside [0, hidden_size). Dropout with a single layer
 * gives PyTorch's warning. */
nn_RNN *nn_RNN_new(int64_t input_size, int64_t hidden_size, const nn_RNNOptions *options) {
    if (!tg_check_required("input_size hidden_size", (int64_t[]){input_size, hidden_size})) return NULL;
    nn_RNNOptions o = {.size = sizeof o, .num_layers = 1, .nonlinearity = "tanh", .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const tg_Recurrence *recurrence = tg_rnn_of(o.nonlinearity ? o.nonlinearity : "tanh");
    if (!recurrence) return tg_fail("Unknown nonlinearity '%s'. Select from 'tanh' or 'relu'.", o.nonlinearity);
    return recurrent_new("nn_RNN",
                         &(nn_Recurrent){.input_size = input_size, .hidden_size = hidden_size,
                                         .num_layers = o.num_layers, .bias = o.bias, .batch_first = o.batch_first,
                                         .dropout = o.dropout, .bidirectional = o.bidirectional,
                                         .recurrence = recurrence},
                         o.dtype);
}

nn_LSTM *nn_LSTM_new(int64_t input_size, int64_t hidden_size, const nn_LSTMOptions *options) {
    if (!tg_check_required("input_size hidden_size", (int64_t[]){input_size, hidden_size})) return NULL;
    nn_LSTMOptions o = {.size = sizeof o, .num_layers = 1, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return recurrent_new("nn_LSTM",
                         &(nn_Recurrent){.input_size = input_size, .hidden_size = hidden_size,
                                         .num_layers = o.num_layers, .bias = o.bias, .batch_first = o.batch_first,
                                         .dropout = o.dropout, .bidirectional = o.bidirectional,
                                         .proj_size = o.proj_size, .recurrence = &tg_lstm},
                         o.dtype);
}

nn_GRU *nn_GRU_new(int64_t input_size, int64_t hidden_size, const nn_GRUOptions *options) {
    if (!tg_check_required("input_size hidden_size", (int64_t[]){input_size, hidden_size})) return NULL;
    nn_GRUOptions o = {.size = sizeof o, .num_layers = 1, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return recurrent_new("nn_GRU",
                         &(nn_Recurrent){.input_size = input_size, .hidden_size = hidden_size,
                                         .num_layers = o.num_layers, .bias = o.bias, .batch_first = o.batch_first,
                                         .dropout = o.dropout, .bidirectional = o.bidirectional, .recurrence = &tg_gru},
                         o.dtype);
}
