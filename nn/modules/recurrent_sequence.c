/* nn/modules/recurrent_sequence.c: a whole sequence through one recurrent layer in one direction as one record.
 *
 * The values come from fused_recurrent.c; with create_graph the backward is composed of the ops of the steps
 * (recurrent.c), whose results are bit for bit the same. */
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/functional.h"
#include "nn/modules/fused_recurrent.h"
#include "nn/modules/recurrent_internal.h"

static tg_SequenceSizes sizes_of(const Direction *run, const Tensor *x, const Tensor *w_hh) {
    return (tg_SequenceSizes){.f64 = x->dtype == t_float64, .reverse = run->reverse, .mode = run->recurrence->mode,
                              .T = x->shape[0], .B = x->shape[1], .H = w_hh->shape[1], .G = w_hh->shape[0]};
}

/* ---- backward ---- */

/* All h as one vector, with the last c appended. */
static Tensor *concatenated(Tensor *y, Tensor *c) {
    if (!c || !y) return y;
    Tensor *parts[] = {t_reshape(y, (int64_t[]){-1}, 1), t_reshape(c, (int64_t[]){-1}, 1)};
    return parts[0] && parts[1] ? t_cat(t_list_new(parts, 2), 0) : NULL;
}

/* Recomputes the steps with ops from views of the inputs, and differentiates through them. */
static void composed_sequence_backward(Record *r, const Direction *run, Tensor *dout, Tensor **dx) {
    Tensor *in[SEQ_INPUTS] = {NULL}, *wanted[SEQ_INPUTS];
    int count = 0;
    for (int i = 0; i < SEQ_INPUTS; i++) {
        Tensor *x = r->saved[i].tensor ? tg_saved(r, i) : NULL;
        if (r->saved[i].tensor && !(in[i] = x ? t_view(x, x->shape, x->ndim) : NULL)) return;
        if (in[i] && tg_needs(r, i)) wanted[count++] = in[i];
    }
    const tg_Weights w = {in[SEQ_W_IH], in[SEQ_W_HH], in[SEQ_B_IH], in[SEQ_B_HH], NULL};
    Tensor *h = in[SEQ_H_0], *c = in[SEQ_C_0], *y = tg_run_steps(run->recurrence, &w, in[SEQ_X], run->reverse, &h, &c),
           *out = concatenated(y, c);
    if (!out || count == 0) return;
    const t_GradOptions options = {.size = sizeof options, .grad_outputs = t_list_new(&dout, 1), .create_graph = true,
                                   .allow_unused = true};
    t_TensorList *all = t_autograd_grad(t_list_new(&out, 1), t_list_new(wanted, count), &options);
    for (int i = 0, k = 0; all && i < SEQ_INPUTS; i++)
        if (in[i] && tg_needs(r, i)) dx[i] = all->items[k++];
}

/* Whether the backward reads input i; inputs that it does not read may have been modified in place since. */
static bool is_read(const Record *r, const Direction *run, int i) {
    const bool gru = run->recurrence->mode == TG_GRU;
    switch (i) {
    case SEQ_X: return tg_needs(r, SEQ_W_IH);
    case SEQ_W_IH: return tg_needs(r, SEQ_X);
    case SEQ_W_HH: return r->edges[SEQ_X].shape[0] > 1 || tg_needs(r, SEQ_H_0);
    case SEQ_B_IH: case SEQ_B_HH: return false;
    case SEQ_H_0: return gru || tg_needs(r, SEQ_W_HH);
    default: return true;
    }
}

static void sequence_backward(Record *r, Tensor *dout, Tensor **dx) {
    const Direction *run = r->attributes;
    Tensor *saved[SEQ_SAVES];
    if (t_is_grad_enabled()) {
        composed_sequence_backward(r, run, dout, dx);
        return;
    }
    for (int i = 0; i < SEQ_SAVES; i++) { /* all of them: the record may be freed below */
        saved[i] = r->saved[i].tensor;
        if (saved[i] && (r->saved[i].is_packed || is_read(r, run, i))) saved[i] = tg_saved(r, i);
        if (saved[i] && (i == SEQ_H_0 || i == SEQ_C_0)) saved[i] = t_contiguous(saved[i]);
        if (r->saved[i].tensor && !saved[i]) return;
    }
    const tg_SequenceSizes size = sizes_of(run, saved[SEQ_X], saved[SEQ_W_HH]);
    Tensor *d = t_contiguous(dout);
    if (d) tg_sequence_backward(r, saved, &size, d, dx);
}

/* Named after the op with which PyTorch joins the steps' h. */
static const Op sequence_op = {"recurrence", "StackBackward0", sequence_backward};

/* ---- out of an LSTM: h and the last c as two results ---- */

/* Zeros for the part of the gradient that dy does not cover. */
static Tensor *zeros_for_rest(const Record *r, const Tensor *dy) {
    const int64_t rest = r->edges[0].shape[0] - tg_numel(dy);
    return t_zeros(&rest, 1, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = dy->dtype});
}

static void hidden_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = concatenated(dy, zeros_for_rest(r, dy));
}

static void cell_backward(Record *r, Tensor *dc, Tensor **dx) {
    dx[0] = concatenated(zeros_for_rest(r, dc), dc);
}
/* PyTorch runs an LSTM of float32 as one op of oneDNN's, one of float64 step by step. */
static const Op hidden_op = {"recurrence_h", "StackBackward0", hidden_backward};
static const Op hidden_float32_op = {"recurrence_h", "MkldnnRnnLayerBackward0", hidden_backward};
static const Op cell_op = {"recurrence_c", "AddBackward0", cell_backward};

static Tensor *part(const Op *op, Tensor *out, const int64_t *shape, int ndim, int64_t offset) {
    int64_t strides[T_MAX_DIMS];
    tg_contiguous_strides(shape, ndim, strides);
    Tensor *y = tg_view(out, shape, strides, ndim, offset);
    return y ? tg_record(op, tg_detach_from_base(y), INPUTS(out), NONE, NONE) : NULL;
}

/* ---- the op ---- */

static bool weight_fits(const Tensor *x, Tensor *w, int64_t rows, int64_t columns) {
    return w && tg_update_view_record(w) && w->dtype == x->dtype && w->ndim == (columns ? 2 : 1) &&
        w->shape[0] == rows &&
           (!columns || w->shape[1] == columns);
}

bool tg_can_run_sequence(const tg_Recurrence *recurrence, const tg_Weights *w, const Tensor *x, const Tensor *h,
                         const Tensor *c) {
    if (!x || !h || w->hr || (tg_thread.anomaly.on && !tg_thread.trace) || tg_thread.autocast || x->ndim != 3 ||
        tg_numel(x) == 0 || h->ndim != 2 || h->dtype != x->dtype)
        return false;
    const int64_t H = h->shape[1], rows = recurrence->gates * H;
    return h->shape[0] == x->shape[1] && weight_fits(x, w->ih, rows, x->shape[2]) && weight_fits(x, w->hh, rows, H) &&
           (!w->b_ih || weight_fits(x, w->b_ih, rows, 0)) && (!w->b_hh || weight_fits(x, w->b_hh, rows, 0)) &&
           (!recurrence->has_cell || (c && tg_same_shape(h, c) && c->dtype == x->dtype));
}

static Tensor *run_sequence(const Direction *run, const tg_Weights *w, Tensor *x, Tensor *h, Tensor *c) {
    const bool lstm = run->recurrence->has_cell, gru = run->recurrence->mode == TG_GRU;
    Tensor *inputs[] = {x, w->ih, w->hh, w->b_ih, w->b_hh, h, lstm ? c : NULL};
    const bool records = tg_will_record(inputs, SEQ_INPUTS), grad_enabled = t_set_grad_enabled(false);
    const bool saves_inner = gru && records;
    tg_SequenceForward f = {.in = {x, w->ih, w->hh, w->b_ih, w->b_hh, t_contiguous(h), lstm ? t_contiguous(c) : NULL}};
    const tg_SequenceSizes size = sizes_of(run, x, w->hh);
    const int64_t shape[] = {size.T, size.B, size.H}, with_last_c = (size.T + 1) * size.B * size.H;
    f.gates = t_contiguous(F_linear(x, w->ih, w->b_ih));
    f.out = lstm ? tg_empty(&with_last_c, 1, x->dtype) : tg_empty(shape, 3, x->dtype);
    f.cells = lstm ? tg_empty(shape, 3, x->dtype) : NULL;
    f.inner = saves_inner ? tg_empty(shape, 3, x->dtype) : NULL;
    const bool ok = f.gates && f.out && f.in[SEQ_H_0] && (!lstm || (f.cells && f.in[SEQ_C_0])) &&
                    (!saves_inner || f.inner) && tg_sequence_forward(&size, &f);
    t_set_grad_enabled(grad_enabled);
    if (!ok) return NULL;
    Tensor *y = tg_record(
        &sequence_op, f.out, inputs, SEQ_INPUTS,
        SAVED(x, w->ih, w->hh, w->b_ih, w->b_hh, h, inputs[SEQ_C_0], f.out, f.gates, lstm ? f.cells : f.inner),
        ATTRIBUTES(*run));
    tg_save_copy_on_write(y, SEQ_OUT); /* PyTorch's result is a copy of the steps' */
    return y;
}

Tensor *tg_run_sequence(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h,
                        Tensor **c) {
    const Direction run = {recurrence, reverse};
    const int64_t T = x->shape[0], B = x->shape[1], H = (*h)->shape[1];
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = run_sequence(&run, w, x, *h, recurrence->has_cell ? *c : NULL);
    if (y && recurrence->has_cell) {
        Tensor *out = y;
        y = part(x->dtype == t_float32 ? &hidden_float32_op : &hidden_op, out, (int64_t[]){T, B, H}, 3, 0);
        *c = t_keep_object(part(&cell_op, out, (int64_t[]){B, H}, 2, T * B * H));
    }
    *h = t_keep_object(y ? t_select(y, 0, reverse ? 0 : T - 1) : NULL);
    y = *h && (!recurrence->has_cell || *c) ? y : NULL;
    return tg_scope_return(depth, y);
}
