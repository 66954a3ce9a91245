/* nn/modules/recurrent_cells.c: one step of each recurrence, composed of ops, and nn.RNNCell, nn.LSTMCell and
 * nn.GRUCell, which compute one step.
 *
 * weight_ih and weight_hh hold the matrices of the gates concatenated along dim 0: i f g o in an LSTM (Hochreiter &
 * Schmidhuber 1997, with the forget gate of Gers, Schmidhuber & Cummins 1999), r z n in a GRU (Cho et al. 2014). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels/rnn/rnn_cell.h"
#include "core/ops/ops.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/functional.h"
#include "nn/init/init.h"
#include "nn/modules/recurrent_internal.h"

/* ---- the steps ---- */

/* h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of that. */
static void rnn_tanh_step(const tg_Weights *w, Tensor *from, Tensor **h, Tensor **c) {
    (void)c;
    *h = t_tanh(t_add(from, F_linear(*h, w->hh, w->b_hh)));
}

static void rnn_relu_step(const tg_Weights *w, Tensor *from, Tensor **h, Tensor **c) {
    (void)c;
    *h = t_relu(t_add(from, F_linear(*h, w->hh, w->b_hh)));
}

/* (i, f, g, o) = W_ih x + b_ih + W_hh h + b_hh; c' = sigmoid(f) c + sigmoid(i) tanh(g); h' = sigmoid(o) tanh(c'), and
 * h' = W_hr h' with a projection. */
static void lstm_step(const tg_Weights *w, Tensor *from, Tensor **h, Tensor **c) {
    t_TensorList *gates = t_chunk(t_add(from, F_linear(*h, w->hh, w->b_hh)), 4, -1);
    Tensor **a = gates ? gates->items : (Tensor *[]){NULL, NULL, NULL, NULL};
    *c = t_add(t_mul(t_sigmoid(a[1]), *c), t_mul(t_sigmoid(a[0]), t_tanh(a[2])));
    *h = t_mul(t_sigmoid(a[3]), t_tanh(*c));
    if (w->hr) *h = F_linear(*h, w->hr, NULL);
}

/* r = sigmoid(W_ir x + W_hr h), z = sigmoid(W_iz x + W_hz h), n = tanh(W_in x + r (W_hn h)), each with its biases;
 * h' = (1 - z) n + z h. */
static void gru_step(const tg_Weights *w, Tensor *from, Tensor **h, Tensor **c) {
    t_TensorList *in = t_chunk(from, 3, -1), *hidden = t_chunk(F_linear(*h, w->hh, w->b_hh), 3, -1);
    Tensor *none[] = {NULL, NULL, NULL}, **a = in ? in->items : none, **b = hidden ? hidden->items : none;
    Tensor *r = t_sigmoid(t_add(a[0], b[0])), *z = t_sigmoid(t_add(a[1], b[1]));
    Tensor *n = t_tanh(t_add(a[2], t_mul(b[2], r)));
    (void)c;
    *h = t_add(t_mul(t_sub(*h, n), z), n);
}

static const tg_Recurrence rnn_tanh = {"RNN", TG_RNN_TANH, 1, false, rnn_tanh_step};
static const tg_Recurrence rnn_relu = {"RNN", TG_RNN_RELU, 1, false, rnn_relu_step};
const tg_Recurrence tg_lstm = {"LSTM", TG_LSTM, 4, true, lstm_step};
const tg_Recurrence tg_gru = {"GRU", TG_GRU, 3, false, gru_step};

const tg_Recurrence *tg_rnn_of(const char *nonlinearity) {
    if (strcmp(nonlinearity, "tanh") == 0) return &rnn_tanh;
    return strcmp(nonlinearity, "relu") == 0 ? &rnn_relu : NULL;
}

/* ---- shared by layers and cells ---- */

bool tg_recurrent_reset(nn_Module *self, int64_t hidden_size) {
    const double bound = 1.0 / sqrt((double)hidden_size);
    for (nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->kind == nn_parameter_kind && entry->value &&
            !nn_init_uniform_((Tensor *)entry->value, -bound, bound, NULL))
            return false;
    return true;
}

bool tg_check_same_dtype(const Tensor *x, const Tensor *weight, bool biased) {
    if (x->dtype == weight->dtype) return true;
    if (biased)
        return tg_fail("mat1 and mat2 must have the same dtype, but got %s and %s", tg_scalar_name(x->dtype),
                       tg_scalar_name(weight->dtype));
    return tg_fail("expected m1 and m2 to have the same dtype, but got: %s != %s", tg_c_type_name(x->dtype),
                   tg_c_type_name(weight->dtype));
}

bool tg_check_recurrent_sizes(int64_t input_size, int64_t hidden_size) {
    if (input_size <= 0) return tg_fail("input_size must be greater than zero");
    return hidden_size > 0 || tg_fail("hidden_size must be greater than zero");
}

/* ---- the state between two calls ---- */

nn_HiddenState nn_HiddenState_new(Tensor *h, Tensor *c) {
    nn_HiddenState state = {.depth = tg_scope_depth()};
    if (tg_check_optional(h, 1) && tg_check_optional(c, 2)) tg_state_write(&state, h, c);
    return state;
}

static bool check_state(const nn_HiddenState *state) {
    if (!tg_check_given(state != NULL, 1, "a state")) return false;
    return state->depth > 0 || tg_fail("the hidden state is not initialised: nn_HiddenState hidden = nn_HiddenState()");
}

bool nn_HiddenState_detach(nn_HiddenState *state) {
    if (!check_state(state)) return false;
    Tensor *h = state->h ? t_detach(state->h) : NULL, *c = state->c ? t_detach(state->c) : NULL;
    if (!h != !state->h || !c != !state->c) return false;
    tg_state_write(state, h, c);
    return true;
}

bool nn_HiddenState_clear(nn_HiddenState *state) {
    if (!check_state(state)) return false;
    tg_state_write(state, NULL, NULL);
    return true;
}

bool tg_state_read(const nn_HiddenState *state, Tensor **h, Tensor **c) {
    if (!state) return true;
    if (*h || *c) return tg_fail("a call starts from .state or from .h_0 and .c_0, not from both");
    *h = state->h;
    *c = state->c;
    return check_state(state);
}

void tg_state_write(nn_HiddenState *state, Tensor *h, Tensor *c) {
    if (!state) return;
    tg_assign_in_scope(&state->h, h, state->depth);
    tg_assign_in_scope(&state->c, c, state->depth);
}

/* ---- cells ---- */

static const char *nonlinearity_of(const nn_RecurrentCell *self) {
    return self->recurrence == &rnn_relu ? ", nonlinearity=relu" : "";
}

static void cell_repr(const void *module, char *text, size_t size) {
    const nn_RecurrentCell *self = module;
    snprintf(text, size, "%" PRId64 ", %" PRId64 "%s%s", self->input_size, self->hidden_size,
             self->bias_ih ? "" : ", bias=False", nonlinearity_of(self));
}

static bool check_hidden(const nn_RecurrentCell *self, const Tensor *x, const Tensor *h, int which) {
    if (h->ndim != 1 && h->ndim != 2)
        return self->recurrence->has_cell
                   ? tg_fail("LSTMCell: Expected hx[%d] to be 1D or 2D, got %dD instead", which, h->ndim)
                   : tg_fail("%sCell: Expected hidden to be 1D or 2D, got %dD instead", self->recurrence->name,
                             h->ndim);
    if (h->ndim != x->ndim)
        return tg_fail("Expected 2D hidden%d (batch x hidden_size), but got %dD tensor", which,
                       h->ndim + (x->ndim == 1));
    if (x->ndim == 2 && h->shape[0] != x->shape[0])
        return tg_fail("Input batch size %" PRId64 " doesn't match hidden%d batch size %" PRId64, x->shape[0], which,
                       h->shape[0]);
    if (h->shape[h->ndim - 1] != self->hidden_size)
        return tg_fail("hidden%d has inconsistent hidden_size: got %" PRId64 ", expected %" PRId64, which,
                       h->shape[h->ndim - 1], self->hidden_size);
    return tg_check_same_dtype(h, self->weight_hh, self->bias_hh);
}

static bool check_cell_input(const nn_RecurrentCell *self, const Tensor *x) {
    if (x->ndim != 1 && x->ndim != 2)
        return tg_fail("%sCell: Expected input to be 1D or 2D, got %dD instead", self->recurrence->name, x->ndim);
    if (x->shape[x->ndim - 1] != self->input_size)
        return tg_fail("input has inconsistent input_size: got %" PRId64 " expected %" PRId64, x->shape[x->ndim - 1],
                       self->input_size);
    return tg_check_same_dtype(x, self->weight_ih, self->bias_ih);
}

/* h or c as (B, hidden_size), zeros where it is NULL. */
static Tensor *state(const nn_RecurrentCell *self, const Tensor *x, Tensor *h) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    if (!h) return t_zeros((int64_t[]){x->ndim == 2 ? x->shape[0] : 1, self->hidden_size}, 2, &options);
    return h->ndim == 2 ? h : t_unsqueeze(h, 0);
}

/* One step from (x, h_0, c_0), which are checked; *c_1, if given, gets the next c. */
static Tensor *run_cell(nn_RecurrentCell *self, Tensor *x, Tensor *h_0, Tensor *c_0, Tensor **c_1) {
    static const char *const names[] = {[TG_RNN_TANH] = "rnn_tanh_cell",
                                        [TG_RNN_RELU] = "rnn_relu_cell",
                                        [TG_LSTM] = "lstm_cell",
                                        [TG_GRU] = "gru_cell"};
    TG_COMPOSITE(names[self->recurrence->mode]);
    const tg_Weights w = {self->weight_ih, self->weight_hh, self->bias_ih, self->bias_hh, NULL};
    const bool unbatched = x->ndim == 1;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *h = state(self, x, h_0), *c = self->recurrence->has_cell ? state(self, x, c_0) : NULL;
    Tensor *from = F_linear(unbatched ? t_unsqueeze(x, 0) : x, w.ih, w.b_ih);
    if (from) self->recurrence->step(&w, from, &h, &c);
    if (from && unbatched) h = t_squeeze(h, 0);
    if (from && unbatched && c) c = t_squeeze(c, 0);
    const bool ok = from && h && (c || !self->recurrence->has_cell);
    if (ok && c_1) *c_1 = t_keep_object(c);
    return tg_scope_return(depth, ok ? h : NULL);
}

static bool is_cell(const nn_RecurrentCell *self, const char *name) {
    char type[32], function[32];
    snprintf(type, sizeof type, "nn_%s", name);
    snprintf(function, sizeof function, "nn_%s_call", name);
    return tg_check_class(self, 1, type, sizeof *self, function);
}

/* inputs: x and, if has_hidden, h_0 */
static Tensor *run_without_cell(void *self, Tensor *const *inputs, const void *has_hidden) {
    Tensor *x = inputs[0], *h_0 = *(const bool *)has_hidden ? inputs[1] : NULL;
    if (!check_cell_input(self, x) || (h_0 && !check_hidden(self, x, h_0, 0))) return NULL;
    return run_cell(self, x, h_0, NULL, NULL);
}

static Tensor *call_without_cell(nn_RecurrentCell *self, const char *name, Tensor *x, Tensor *h_0) {
    TG_AUTOCAST_FLOAT32(x);
    if (!is_cell(self, name) || !tg_check(x, 2) || !tg_check_optional(h_0, 3)) return NULL;
    const bool has_hidden = h_0 != NULL;
    return tg_call_module(self, (Tensor *[]){x, h_0}, has_hidden ? 2 : 1, run_without_cell, &has_hidden);
}

/* cell(x, h_0): the next h, (B, hidden_size), or (hidden_size) for an x without batch dim. Errors: sizes and ranks,
 * with PyTorch's messages. */
Tensor *nn_RNNCell_call(nn_RNNCell *self, Tensor *x, Tensor *h_0) {
    return call_without_cell(self, "RNNCell", x, h_0);
}

Tensor *nn_GRUCell_call(nn_GRUCell *self, Tensor *x, Tensor *h_0) {
    return call_without_cell(self, "GRUCell", x, h_0);
}

/* states: h_0 and c_0, where to store c_1 */
static Tensor *run_lstm_cell(void *self, Tensor *const *inputs, const void *states) {
    const nn_LSTMCellStates *s = states;
    Tensor *x = inputs[0];
    if (!check_cell_input(self, x)) return NULL;
    if (s->h_0 && !(check_hidden(self, x, s->h_0, 0) && check_hidden(self, x, s->c_0, 1))) return NULL;
    return run_cell(self, x, s->h_0, s->c_0, s->c_1);
}

/* cell(x, (h_0, c_0)): the next h; *c_1 gets the next c. Errors: as above; one of h_0 and c_0 without the other. */
Tensor *nn_LSTMCell_call(nn_LSTMCell *self, Tensor *x, const nn_LSTMCellStates *states) {
    nn_LSTMCellStates s = {.size = sizeof s};
    TG_AUTOCAST_FLOAT32(x);
    if (!is_cell(self, "LSTMCell") || !tg_check(x, 2) || !tg_take_options(&s, states, sizeof s)) return NULL;
    Tensor *c_1 = NULL;
    if (!tg_state_read(s.state, &s.h_0, &s.c_0) || !tg_check_optional(s.h_0, 3) || !tg_check_optional(s.c_0, 4))
        return NULL;
    if (!s.h_0 != !s.c_0) return tg_fail("an LSTMCell starts from both h_0 and c_0, or from neither");
    const nn_LSTMCellStates call = {.h_0 = s.h_0, .c_0 = s.c_0, .c_1 = s.c_1 || s.state ? &c_1 : NULL};
    Tensor *h_1 = tg_call_module(self, &x, 1, run_lstm_cell, &call);
    if (h_1 && s.c_1) *s.c_1 = c_1;
    if (h_1) tg_state_write(s.state, h_1, c_1);
    return h_1;
}

static Tensor *cell_forward(void *module, Tensor *x) {
    nn_RecurrentCell *self = module;
    return check_cell_input(self, x) ? run_cell(self, x, NULL, NULL, NULL) : NULL;
}

static Tensor *cell_forward2(void *module, Tensor *x, Tensor *h_0) {
    nn_RecurrentCell *self = module;
    return check_cell_input(self, x) && check_hidden(self, x, h_0, 0) ? run_cell(self, x, h_0, NULL, NULL) : NULL;
}

static nn_RecurrentCell *cell_new(const char *type, const tg_Recurrence *recurrence, int64_t input_size,
                                  int64_t hidden_size, bool bias, t_DType dtype) {
    if (!tg_check_recurrent_sizes(input_size, hidden_size)) return NULL;
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    const int64_t rows = tg_size_mul(recurrence->gates, hidden_size);
    Construction construction = tg_construct_begin();
    nn_RecurrentCell *self = (nn_RecurrentCell *)nn_module_new(sizeof *self, type, cell_forward);
    if (self) {
        if (!recurrence->has_cell) self->base.forward2 = cell_forward2;
        self->base.extra_repr = cell_repr;
        self->recurrence = recurrence;
        self->input_size = input_size;
        self->hidden_size = hidden_size;
        self->weight_ih = nn_Parameter(t_empty((int64_t[]){rows, input_size}, 2, &options));
        self->weight_hh = nn_Parameter(t_empty((int64_t[]){rows, hidden_size}, 2, &options));
        self->bias_ih = bias ? nn_Parameter(t_empty(&rows, 1, &options)) : NULL;
        self->bias_hh = bias ? nn_Parameter(t_empty(&rows, 1, &options)) : NULL;
        nn_register_parameter(&self->base, "weight_ih", self->weight_ih);
        nn_register_parameter(&self->base, "weight_hh", self->weight_hh);
        nn_register_parameter(&self->base, "bias_ih", self->bias_ih);
        nn_register_parameter(&self->base, "bias_hh", self->bias_hh);
        tg_recurrent_reset(&self->base, hidden_size);
    }
    return tg_construct_end(construction, self);
}

nn_RNNCell *nn_RNNCell_new(int64_t input_size, int64_t hidden_size, const nn_RNNCellOptions *options) {
    if (!tg_check_required("input_size hidden_size", (int64_t[]){input_size, hidden_size})) return NULL;
    nn_RNNCellOptions o = {.size = sizeof o, .bias = true, .nonlinearity = "tanh"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const tg_Recurrence *recurrence = tg_rnn_of(o.nonlinearity ? o.nonlinearity : "tanh");
    if (!recurrence) return tg_fail("Unknown nonlinearity: %s", o.nonlinearity);
    return cell_new("nn_RNNCell", recurrence, input_size, hidden_size, o.bias, o.dtype);
}

nn_LSTMCell *nn_LSTMCell_new(int64_t input_size, int64_t hidden_size, const nn_CellOptions *options) {
    if (!tg_check_required("input_size hidden_size", (int64_t[]){input_size, hidden_size})) return NULL;
    nn_CellOptions o = {.size = sizeof o, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return cell_new("nn_LSTMCell", &tg_lstm, input_size, hidden_size, o.bias, o.dtype);
}

nn_GRUCell *nn_GRUCell_new(int64_t input_size, int64_t hidden_size, const nn_CellOptions *options) {
    if (!tg_check_required("input_size hidden_size", (int64_t[]){input_size, hidden_size})) return NULL;
    nn_CellOptions o = {.size = sizeof o, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return cell_new("nn_GRUCell", &tg_gru, input_size, hidden_size, o.bias, o.dtype);
}
