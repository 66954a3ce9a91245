/* nn/onnx/recurrent.c: one direction of one layer of an RNN, LSTM or GRU as a node. The rows of its weights belong to
 * the gates, which ONNX has in another order. */
#include <string.h>

#include "nn/modules/recurrent_internal.h"
#include "nn/onnx/graph_internal.h"

/* The inputs of the record, as in recurrent_sequence.c. */
enum { X, W_IH, W_HH, B_IH, B_HH, H_0, C_0 };

/* The gates of torch in ONNX's order: LSTM i f g o -> i o f c, GRU r z n -> z r h. */
static const int lstm_order[] = {0, 3, 1, 2}, gru_order[] = {1, 0, 2}, rnn_order[] = {0};

static const int *order_of(const tg_Recurrence *recurrence) {
    return recurrence->has_cell ? lstm_order : recurrence->gates == 3 ? gru_order : rnn_order;
}

/* (1, gates H, columns), or of a bias (gates H) after `at` of (1, 2 gates H) */
static bool copy_gates(Tensor *to, int64_t at, Tensor *from, const tg_Recurrence *recurrence) {
    const bool grad_enabled = t_set_grad_enabled(false);
    const Tensor *dense = t_contiguous(from);
    t_set_grad_enabled(grad_enabled);
    if (!dense) return false;
    const size_t bytes = (size_t)tg_numel(dense) / (size_t)recurrence->gates * tg_itemsize(dense->dtype);
    for (int i = 0; i < recurrence->gates; i++)
        memcpy((char *)tg_data(to) + (size_t)at * tg_itemsize(to->dtype) + (size_t)i * bytes,
               (const char *)tg_data(dense) + (size_t)order_of(recurrence)[i] * bytes, bytes);
    return true;
}

static const char *weight(OnnxGraph *g, const OnnxOp *op, int i, const tg_Recurrence *recurrence) {
    Tensor *w = tg_onnx_tensor(g, op, i, 0);
    const char *name = g->trace[0]->values[op->op[0]->inputs[i]].parameter;
    if (!tg_onnx_is_constant(g, op, i)) return tg_fail("a recurrence whose weights are computed from the input");
    Tensor *to = tg_empty((int64_t[]){1, w->shape[0], w->shape[1]}, 3, w->dtype);
    if (!to || !copy_gates(to, 0, w, recurrence)) return NULL;
    return tg_onnx_constant(g, to, name ? tg_onnx_text(g, "%s.onnx_%lld", name, (long long)g->made++) : NULL);
}

static const char *biases(OnnxGraph *g, const OnnxOp *op, const tg_Recurrence *recurrence) {
    Tensor *b[] = {tg_onnx_tensor(g, op, B_IH, 0), tg_onnx_tensor(g, op, B_HH, 0)};
    if (!b[0] && !b[1]) return "";
    const int64_t rows = tg_onnx_tensor(g, op, W_HH, 0)->shape[0];
    Tensor *to = tg_empty((int64_t[]){1, 2 * rows}, 2, tg_onnx_tensor(g, op, X, 0)->dtype);
    if (!to) return NULL;
    tg_fill_into(to, 0);
    for (int i = 0; i < 2; i++)
        if (b[i] && !copy_gates(to, i * rows, b[i], recurrence)) return NULL;
    return tg_onnx_constant(g, to, NULL);
}

/* (B, H) as (1, B, H); nothing for zeros, which are the default */
static const char *initial(OnnxGraph *g, const OnnxOp *op, int i) {
    Tensor *x[] = {tg_onnx_tensor(g, op, i, 0), tg_onnx_tensor(g, op, i, 1)};
    if (!x[0]) return "";
    bool zeros = tg_onnx_is_constant(g, op, i);
    const bool grad_enabled = t_set_grad_enabled(false);
    for (int k = 0; k < 2 && zeros; k++) {
        Tensor *any = t_any(x[k], NULL, 0, false);
        zeros = any && tg_read_double(any) == 0;
    }
    t_set_grad_enabled(grad_enabled);
    return zeros ? "" : tg_onnx_binary(g, "Unsqueeze", tg_onnx_in(g, op, i), tg_onnx_int(g, 0));
}

/* The outputs Y (T, 1, B, H) and the last c (1, B, H) are the two parts of the record's result of an LSTM. */
static const char *recurrence(OnnxGraph *g, const OnnxOp *op) {
    if (op->op[0]->bytes != sizeof(Direction)) return tg_fail("a linear recurrence");
    const Direction *direction = op->op[0]->attributes;
    const tg_Recurrence *of = direction->recurrence;
    const int64_t H = tg_onnx_tensor(g, op, W_HH, 0)->shape[1];
    const bool lstm = of->has_cell, gru = of->gates == 3;
    const char *inputs[] = {
        tg_onnx_in(g, op, X), weight(g, op, W_IH, of),        weight(g, op, W_HH, of), biases(g, op, of), "",
        initial(g, op, H_0),  lstm ? initial(g, op, C_0) : ""};
    const OnnxAttribute attributes[] = {tg_onnx_int_attribute("hidden_size", H),
                                        tg_onnx_text_attribute("direction", direction->reverse ? "reverse" : "forward"),
                                        gru ? tg_onnx_int_attribute("linear_before_reset", 1)
                                        : of == tg_rnn_of("relu")
                                            ? (OnnxAttribute){.name = "activations", .kind = ONNX_TEXTS, .text = "Relu"}
                                            : (OnnxAttribute){.kind = ONNX_NONE}};
    const char *outputs[3];
    const char *type = lstm ? "LSTM" : gru ? "GRU" : "RNN";
    if (!tg_onnx_node_of(g, type, inputs, 7, attributes, 3, outputs, lstm ? 3 : 2)) return NULL;
    if (lstm) return tg_onnx_text(g, "%s\n%s", outputs[0], outputs[2]); /* for the next two */
    return tg_onnx_binary(g, "Squeeze", outputs[0], tg_onnx_int(g, 1));
}

static const char *hidden(OnnxGraph *g, const OnnxOp *op) {
    const char *both = tg_onnx_in(g, op, 0), *end = both ? strchr(both, '\n') : NULL;
    if (!end) return NULL;
    return tg_onnx_binary(g, "Squeeze", tg_onnx_text(g, "%.*s", (int)(end - both), both), tg_onnx_int(g, 1));
}
static const char *cell(OnnxGraph *g, const OnnxOp *op) {
    const char *both = tg_onnx_in(g, op, 0), *end = both ? strchr(both, '\n') : NULL;
    return end ? tg_onnx_binary(g, "Squeeze", tg_onnx_text(g, "%s", end + 1), tg_onnx_int(g, 0)) : NULL;
}

const OnnxRow tg_onnx_recurrent[] = {
    {"recurrence", recurrence},
    {"recurrence_h", hidden},
    {"recurrence_c", cell},
    {NULL, NULL},
};
