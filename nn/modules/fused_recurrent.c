/* nn/modules/fused_recurrent.c: the fused forward and backward of a whole sequence through one recurrent layer in one
 * direction.
 *
 * W_ih x + b_ih is one matrix product for all steps, W_hh is packed once for all of them, and the elementwise part of a
 * step is one kernel (core/kernels/rnn/rnn_cell.h). The gates overwrite W_ih x + b_ih, and their gradients overwrite
 * the gates: so the gradient of each weight, too, is one matrix product over the whole sequence. */
#include "nn/modules/fused_recurrent.h"

#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/linear/linear_internal.h"

/* The time index in x of the k-th step that is computed. */
static int64_t time_of(const tg_SequenceSizes *size, int64_t k) {
    return size->reverse ? size->T - 1 - k : k;
}

static size_t h_bytes(const tg_SequenceSizes *size) {
    return (size_t)(size->B * size->H * (size->f64 ? 8 : 4));
}

static tg_Matrix as_matrix(const Tensor *w, bool transposed) {
    return (tg_Matrix){tg_data(w), w->strides[transposed], w->strides[!transposed]};
}

/* Packs the product's right operand, which all steps share, into a buffer that belongs to the scope. */
static bool pack(const tg_SequenceSizes *size, tg_Product *p) {
    const int64_t words = (int64_t)(tg_gemm_packed_bytes(size->f64, p) / 8);
    if (size->T < 2) return true;
    Tensor *buffer = tg_empty(&words, 1, t_float64);
    if (buffer) tg_gemm_pack(size->f64, p, tg_data(buffer));
    p->packed = buffer ? tg_data(buffer) : NULL;
    return buffer != NULL;
}

static Tensor *matrix(const tg_SequenceSizes *size, int64_t columns) {
    return tg_empty((int64_t[]){size->B, columns}, 2, size->f64 ? t_float64 : t_float32);
}

/* ---- forward: hidden = W_hh h + b_hh, then the cell kernel, T times ---- */

bool tg_sequence_forward(const tg_SequenceSizes *size, tg_SequenceForward *f) {
    const int64_t B = size->B, H = size->H, G = size->G;
    const Tensor *w = f->in[SEQ_W_HH], *b = f->in[SEQ_B_HH], *h_0 = f->in[SEQ_H_0], *c_0 = f->in[SEQ_C_0];
    Tensor *hidden = matrix(size, G);
    tg_Product p = {.m = B, .n = G, .k = H, .b = as_matrix(w, true)};
    if (!hidden || !pack(size, &p)) return false;
    p.c = (tg_Matrix){tg_data(hidden), G, 1};
    if (b) p.plus = (tg_Matrix){tg_data(b), 0, b->strides[0]};
    tg_RNNCell s = {.f64 = size->f64, .mode = size->mode, .B = B, .H = H, .hidden = p.c.data, .h = tg_data(h_0),
                 .c = c_0 ? tg_data(c_0) : NULL};
    for (int64_t k = 0; k < size->T; k++) {
        const int64_t t = time_of(size, k);
        p.a = (tg_Matrix){(void *)s.h, H, 1};
        tg_gemm(size->f64, &p);
        s.gates = tg_step_of(size, f->gates, t, G);
        s.h_next = tg_step_of(size, f->out, t, H);
        s.c_next = tg_step_of(size, f->cells, t, H);
        s.inner = tg_step_of(size, f->inner, t, H);
        tg_rnn_cell(&s);
        s.h = s.h_next;
        s.c = s.c_next;
    }
    if (f->cells) memcpy(tg_step_of(size, f->out, size->T, H), s.c, h_bytes(size));
    return true;
}

/* ---- backward ----
 * A gate is plain if W_hh h is added to it unchanged: all but a GRU's n, in which it is multiplied by r; that term,
 * inner = W_hn h + b_hn, has a gradient of its own. */

static int64_t plain_columns(const tg_SequenceSizes *size) {
    return size->mode == TG_GRU ? 2 * size->H : size->G;
}

/* The gradients that the steps compute: of the gates, of a GRU's inner, of h_0 and of c_0. carry: the part of a GRU's
 * dh that bypasses the gates, dh z. */
typedef struct Gradients {
    Tensor *gates, *inner, *dh, *dc, *carry;
} Gradients;

/* The gradients of the gates and of inner overwrite the saved values if nothing else needs these. */
static bool alloc_gradients(Record *r, Tensor *const *saved, const tg_SequenceSizes *size, Gradients *g) {
    const bool gru = size->mode == TG_GRU, lstm = size->mode == TG_LSTM;
    const int64_t shape[] = {size->T, size->B, size->G};
    *g = (Gradients){.dh = matrix(size, size->H)};
    if (lstm) g->dc = matrix(size, size->H);
    if (gru) g->carry = matrix(size, size->H);
    g->gates = tg_can_overwrite_saved(r, SEQ_GATES) ? saved[SEQ_GATES] : tg_empty(shape, 3, saved[SEQ_GATES]->dtype);
    if (gru) g->inner = tg_can_overwrite_saved(r, SEQ_INNER) ? saved[SEQ_INNER] : t_clone(saved[SEQ_INNER]);
    return g->gates && g->dh && (!lstm || g->dc) && (!gru || (g->carry && g->inner));
}

/* dh = (the gradients of the plain gates) W_hh, plus for a GRU (the gradient of inner) times W_hh's rows of n. */
static void init_dh_products(const tg_SequenceSizes *size, const Tensor *w, tg_Product *plain, tg_Product *of_n) {
    const int64_t columns = plain_columns(size);
    *plain = (tg_Product){.m = size->B, .n = size->H, .k = columns, .b = as_matrix(w, false)};
    *of_n = (tg_Product){.m = size->B, .n = size->H, .k = size->H, .b = plain->b};
    of_n->b.data = (char *)plain->b.data + columns * w->strides[0] * (size->f64 ? 8 : 4);
}

static void compute_dh(const tg_SequenceSizes *size, const tg_RNNCell *s, tg_Product plain, tg_Product of_n, void *dh) {
    const int64_t H = size->H;
    plain.a = (tg_Matrix){s->dgates, size->G, 1};
    plain.c = (tg_Matrix){dh, H, 1};
    if (s->carry) plain.plus = (tg_Matrix){s->carry, H, 1};
    tg_gemm(size->f64, &plain);
    if (size->mode != TG_GRU) return;
    of_n.a = (tg_Matrix){s->hidden, H, 1};
    of_n.c = of_n.plus = (tg_Matrix){dh, H, 1};
    tg_gemm(size->f64, &of_n);
}

static bool backward_steps(Record *r, Tensor *const *saved, const tg_SequenceSizes *size, Tensor *dout, Gradients *g) {
    const int64_t H = size->H, G = size->G;
    const Tensor *out = saved[SEQ_OUT], *h_0 = saved[SEQ_H_0], *c_0 = saved[SEQ_C_0],
                 *cells = c_0 ? saved[SEQ_CELLS] : NULL;
    tg_Product plain, of_n;
    init_dh_products(size, saved[SEQ_W_HH], &plain, &of_n);
    if (!alloc_gradients(r, saved, size, g) || !pack(size, &plain) || (g->inner && !pack(size, &of_n))) return false;
    memset(tg_data(g->dh), 0, h_bytes(size));
    if (g->dc) memcpy(tg_data(g->dc), tg_step_of(size, dout, size->T, H), h_bytes(size));
    tg_RNNCell s = {.f64 = size->f64, .mode = size->mode, .B = size->B, .H = H, .dh = tg_data(g->dh),
                 .dc = g->dc ? tg_data(g->dc) : NULL,
                 .carry = g->carry ? tg_data(g->carry) : NULL};
    for (int64_t k = size->T - 1; k >= 0; k--) {
        const int64_t t = time_of(size, k), before = time_of(size, k - 1);
        s.gates = tg_step_of(size, saved[SEQ_GATES], t, G);
        s.dgates = tg_step_of(size, g->gates, t, G);
        s.hidden = tg_step_of(size, g->inner, t, H);
        s.h = k ? tg_step_of(size, out, before, H) : tg_data(h_0);
        s.h_next = tg_step_of(size, out, t, H);
        s.c = !c_0 ? NULL : k ? tg_step_of(size, cells, before, H) : tg_data(c_0);
        s.c_next = tg_step_of(size, cells, t, H);
        s.dy = tg_step_of(size, dout, t, H);
        tg_rnn_cell_backward(&s);
        if (k || tg_needs(r, SEQ_H_0)) compute_dh(size, &s, plain, of_n, tg_data(g->dh));
    }
    return true;
}

/* Rows first .. first + rows of dW_hh: the sum over all steps of d^T h_prev, where d is the first `rows` columns of
 * each step of `gradients`, the gradients of these gates. h_prev is h_0 for the first step, else the h of the step
 * before. */
static void weight_gradient(const tg_SequenceSizes *size, Tensor *dw, int64_t first, int64_t rows,
                            const Tensor *gradients, int64_t columns, Tensor *const *saved) {
    /* the lowest time index of the other steps */
    const int64_t H = size->H, after = size->reverse ? 0 : 1;
    const tg_Matrix to = {(char *)tg_data(dw) + first * H * (size->f64 ? 8 : 4), H, 1};
    tg_Product p = {.m = rows, .n = H, .k = size->B, .c = to};
    p.a = (tg_Matrix){tg_step_of(size, gradients, time_of(size, 0), columns), 1, columns};
    p.b = (tg_Matrix){tg_data(saved[SEQ_H_0]), H, 1};
    tg_gemm(size->f64, &p);
    p.k = (size->T - 1) * size->B;
    p.a.data = tg_step_of(size, gradients, after, columns);
    p.b.data = tg_step_of(size, saved[SEQ_OUT], 1 - after, H);
    p.plus = to;
    if (p.k) tg_gemm(size->f64, &p);
}

/* db: the gates' gradients summed over all steps and rows; the part of b_hh for n sums the gradient of inner. */
static void bias_gradients(Record *r, const tg_SequenceSizes *size, const Gradients *g, Tensor **dx) {
    if (!tg_needs(r, SEQ_B_IH) && !tg_needs(r, SEQ_B_HH)) return;
    tg_Epilogue sum = {.activation = TG_NO_ACTIVATION}, sum_of_n = sum;
    Tensor *db = tg_epilogue_gradient(&sum, tg_flatten_rows(g->gates)), *db_hh = db;
    if (g->inner && db && tg_needs(r, SEQ_B_HH)) {
        Tensor *of_n = tg_epilogue_gradient(&sum_of_n, tg_flatten_rows(g->inner)),
               *others = of_n ? t_narrow(db, 0, 0, plain_columns(size)) : NULL;
        db_hh = others ? t_cat(t_list_new((Tensor *[]){others, of_n}, 2), 0) : NULL;
    }
    if (tg_needs(r, SEQ_B_IH)) dx[SEQ_B_IH] = db;
    if (tg_needs(r, SEQ_B_HH)) dx[SEQ_B_HH] = db_hh;
}

void tg_sequence_backward(Record *r, Tensor *const *saved, const tg_SequenceSizes *size, Tensor *dout, Tensor **dx) {
    const int64_t plain = plain_columns(size);
    Tensor *x = saved[SEQ_X], *w_ih = saved[SEQ_W_IH];
    Gradients g;
    if (!backward_steps(r, saved, size, dout, &g)) return;
    tg_linear_gradients(r, SEQ_X, g.gates, tg_needs(r, SEQ_W_IH) ? x : NULL, tg_needs(r, SEQ_X) ? w_ih : NULL, dx);
    if (tg_needs(r, SEQ_W_HH) && (dx[SEQ_W_HH] = tg_empty_gradient(r, SEQ_W_HH, x->dtype))) {
        weight_gradient(size, dx[SEQ_W_HH], 0, plain, g.gates, size->G, saved);
        if (g.inner) weight_gradient(size, dx[SEQ_W_HH], plain, size->H, g.inner, size->H, saved);
    }
    bias_gradients(r, size, &g, dx);
    if (tg_needs(r, SEQ_H_0)) dx[SEQ_H_0] = g.dh;
    if (tg_needs(r, SEQ_C_0)) dx[SEQ_C_0] = g.dc;
}
