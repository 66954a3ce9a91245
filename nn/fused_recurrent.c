/* nn/fused_recurrent.c: a whole sequence through one layer of a recurrence in one direction as one record.
 *
 * What the inputs add to all steps is one product, W_hh is packed once for all of them, and what stands between two products is
 * one kernel (core/kernels/recurrent.h). The gates stay where what the inputs add stood, and their gradients take their place
 * again: so the weights' gradients, too, are one product each over the whole sequence. A graph of the gradient is made from the
 * steps in ops (recurrent.c), whose results have the same bits. */
#include <string.h>

#include "core/kernels/recurrent.h"
#include "core/ops/pointwise.h"
#include "nn/functional.h"
#include "nn/linear_internal.h"
#include "nn/recurrent_internal.h"

enum { X, W_IH, W_HH, B_IH, B_HH, H_0, C_0, INPUTS_OF, OUT = INPUTS_OF, GATES, CELLS, INNER = CELLS, SAVES };

typedef struct Run {
    const tg_Recurrence *recurrence;
    bool reverse;
} Run;

/* Sizes of a run, and where its steps lie. */
typedef struct Sizes {
    bool f64, reverse;
    int64_t T, B, H, gates; /* gates: columns of the matrix of all gates */
} Sizes;

static Sizes sizes_of(const Run *run, const Tensor *x, const Tensor *w_hh) {
    return (Sizes){x->dtype == t_float64, run->reverse, x->shape[0], x->shape[1], w_hh->shape[1], w_hh->shape[0]};
}

static int64_t time_of(const Sizes *z, int64_t k) {
    return z->reverse ? z->T - 1 - k : k;
}

/* Matrix t of so many columns. */
static char *matrix_at(const Sizes *z, void *data, int64_t t, int64_t columns) {
    return (char *)data + t * z->B * columns * (z->f64 ? 8 : 4);
}

static tg_Matrix of_weight(const Tensor *w, bool turned) {
    return (tg_Matrix){tg_data(w), w->strides[turned], w->strides[!turned]};
}

/* Room of a scope's, for a product's packed B. */
static bool pack(const Sizes *z, tg_Product *p) {
    const int64_t words = (int64_t)(tg_gemm_packed_bytes(z->f64, p) / 8);
    if (z->T < 2) return true;
    Tensor *room = tg_empty(&words, 1, t_float64);
    if (room) tg_gemm_pack(z->f64, p, tg_data(room));
    p->packed = room ? tg_data(room) : NULL;
    return room != NULL;
}

static Tensor *matrix(const Sizes *z, int64_t columns) {
    return tg_empty((int64_t[]){z->B, columns}, 2, z->f64 ? t_float64 : t_float32);
}

static Tensor *matrices(const Sizes *z, int64_t columns) {
    return tg_empty((int64_t[]){z->T, z->B, columns}, 3, z->f64 ? t_float64 : t_float32);
}

/* ---- forward ---- */

typedef struct Forward {
    Tensor *in[INPUTS_OF], *gates, *cells, *inner, *out;
} Forward;

/* out: all h, and of an LSTM the last c behind them. */
static bool run_forward(const Sizes *z, int kind, Forward *f) {
    const Tensor *w = f->in[W_HH], *b = f->in[B_HH];
    Tensor *hidden = matrix(z, z->gates);
    tg_Product p = {.m = z->B, .n = z->gates, .k = z->H, .b = of_weight(w, true)};
    if (!hidden || !pack(z, &p)) return false;
    p.c = (tg_Matrix){tg_data(hidden), z->gates, 1};
    if (b) p.plus = (tg_Matrix){tg_data(b), 0, b->strides[0]};
    tg_Step s = {.f64 = z->f64, .kind = kind, .B = z->B, .H = z->H, .hidden = p.c.data, .h = tg_data(f->in[H_0]),
                 .c = f->in[C_0] ? tg_data(f->in[C_0]) : NULL};
    for (int64_t k = 0; k < z->T; k++) {
        const int64_t t = time_of(z, k);
        p.a = (tg_Matrix){(void *)s.h, z->H, 1};
        tg_gemm(z->f64, &p);
        s.gates = matrix_at(z, tg_data(f->gates), t, z->gates);
        s.h_next = matrix_at(z, tg_data(f->out), t, z->H);
        s.c_next = f->cells ? matrix_at(z, tg_data(f->cells), t, z->H) : NULL;
        s.inner = f->inner ? matrix_at(z, tg_data(f->inner), t, z->H) : NULL;
        tg_step(&s);
        s.h = s.h_next;
        s.c = s.c_next;
    }
    if (f->cells) memcpy(matrix_at(z, tg_data(f->out), z->T, z->H), s.c, (size_t)(z->B * z->H * (z->f64 ? 8 : 4)));
    return true;
}

/* ---- backward ---- */

/* What the steps leave: the gradients of what the inputs add to the gates, and of what h does where that is another matrix (GRU,
 * n), of h_0 and of c_0. */
typedef struct Gradients {
    Tensor *gates, *inner, *dh, *dc;
} Gradients;

/* dh = dgates W_hh (+ carry): of a GRU the part of n apart. */
static void back_through_weights(const Sizes *z, const tg_Product p[2], const void *dgates, const void *inner, const void *carry, void *dh) {
    tg_Product q = p[0];
    q.a = (tg_Matrix){(void *)dgates, z->gates, 1};
    q.c = (tg_Matrix){dh, z->H, 1};
    if (carry) q.plus = (tg_Matrix){(void *)carry, z->H, 1};
    tg_gemm(z->f64, &q);
    if (!inner) return;
    q = p[1];
    q.a = (tg_Matrix){(void *)inner, z->H, 1};
    q.c = q.plus = (tg_Matrix){dh, z->H, 1};
    tg_gemm(z->f64, &q);
}

static bool run_backward(Record *r, Tensor *const *saved, const Sizes *z, int kind, const void *dy, const void *dc_n, Gradients *g) {
    const bool gru = kind == TG_GRU;
    Tensor *const out = saved[OUT], *const gates = saved[GATES], *const more = saved[CELLS];
    const Tensor *w = saved[W_HH], *h_0 = saved[H_0], *c_0 = saved[C_0];
    Tensor *carry = gru ? matrix(z, z->H) : NULL;
    const size_t state = (size_t)(z->B * z->H * (z->f64 ? 8 : 4));
    const int64_t direct = gru ? 2 * z->H : z->gates;
    tg_Product p[2] = {{.m = z->B, .n = z->H, .k = direct, .b = of_weight(w, false)}, {.m = z->B, .n = z->H, .k = z->H}};
    p[1].b = p[0].b;
    p[1].b.data = (char *)p[0].b.data + direct * w->strides[0] * (z->f64 ? 8 : 4);
    g->dh = matrix(z, z->H);
    g->dc = kind == TG_LSTM ? matrix(z, z->H) : NULL;
    g->gates = tg_take_saved(r, GATES) ? gates : matrices(z, z->gates);
    g->inner = !gru ? NULL : tg_take_saved(r, INNER) ? more : t_clone(more);
    if (!g->dh || !g->gates || (gru && (!carry || !g->inner)) || (kind == TG_LSTM && !g->dc)) return false;
    if (!pack(z, &p[0]) || (gru && !pack(z, &p[1]))) return false;
    memset(tg_data(g->dh), 0, state);
    if (g->dc) memcpy(tg_data(g->dc), dc_n, state);
    tg_Step s = {.f64 = z->f64, .kind = kind, .B = z->B, .H = z->H, .dh = tg_data(g->dh), .dc = g->dc ? tg_data(g->dc) : NULL,
                 .carry = carry ? tg_data(carry) : NULL};
    for (int64_t k = z->T - 1; k >= 0; k--) {
        const int64_t t = time_of(z, k), before = time_of(z, k - 1);
        s.gates = matrix_at(z, tg_data(gates), t, z->gates);
        s.dgates = matrix_at(z, tg_data(g->gates), t, z->gates);
        s.hidden = gru ? matrix_at(z, tg_data(g->inner), t, z->H) : NULL;
        s.h = k ? matrix_at(z, tg_data(out), before, z->H) : tg_data(h_0);
        s.h_next = matrix_at(z, tg_data(out), t, z->H);
        s.c = !c_0 ? NULL : k ? matrix_at(z, tg_data(more), before, z->H) : tg_data(c_0);
        s.c_next = c_0 ? matrix_at(z, tg_data(more), t, z->H) : NULL;
        s.dy = matrix_at(z, (void *)dy, t, z->H);
        tg_step_back(&s);
        if (k || tg_needs(r, H_0)) back_through_weights(z, p, s.dgates, s.hidden, s.carry, tg_data(g->dh));
    }
    return true;
}

/* Rows first .. first + rows of dW_hh: the sum over all steps of (what their columns from there on are in d)^T h before the step. */
static void weight_rows(const Sizes *z, Tensor *dw, int64_t first, int64_t rows, void *d, int64_t columns, void *h, const void *h_0) {
    const int64_t after = z->reverse ? 0 : 1, begin = time_of(z, 0);
    const tg_Matrix to = {(char *)tg_data(dw) + first * z->H * (z->f64 ? 8 : 4), z->H, 1};
    tg_Product p = {.m = rows, .n = z->H, .k = z->B, .a = {matrix_at(z, d, begin, columns), 1, columns}, .b = {(void *)h_0, z->H, 1}, .c = to};
    tg_gemm(z->f64, &p);
    p.k = (z->T - 1) * z->B;
    p.a.data = matrix_at(z, d, after, columns);
    p.b.data = matrix_at(z, h, 1 - after, z->H);
    p.plus = to;
    if (p.k) tg_gemm(z->f64, &p);
}

static void weights_and_biases(Record *r, Tensor *const *saved, const Sizes *z, const Gradients *g, Tensor **dx) {
    const bool gru = g->inner != NULL;
    const int64_t direct = gru ? 2 * z->H : z->gates;
    void *h = tg_data(saved[OUT]), *h_0 = tg_data(saved[H_0]);
    tg_linear_gradients(r, X, g->gates, tg_needs(r, W_IH) ? saved[X] : NULL, tg_needs(r, X) ? saved[W_IH] : NULL, dx);
    if (tg_needs(r, W_HH) && (dx[W_HH] = tg_empty_gradient(r, W_HH, saved[X]->dtype))) {
        weight_rows(z, dx[W_HH], 0, direct, tg_data(g->gates), z->gates, h, h_0);
        if (gru) weight_rows(z, dx[W_HH], direct, z->H, tg_data(g->inner), z->H, h, h_0);
    }
    if (!tg_needs(r, B_IH) && !tg_needs(r, B_HH)) return;
    const tg_Feed plain = {.activation = TG_NO_ACTIVATION};
    tg_Feed sum = plain, sum_of_n = plain;
    Tensor *db = tg_feed_gradient(&sum, tg_flat(g->gates)), *db_hh = db;
    if (gru && db && tg_needs(r, B_HH)) {
        Tensor *of_n = tg_feed_gradient(&sum_of_n, tg_flat(g->inner)), *others = of_n ? t_narrow(db, 0, 0, direct) : NULL;
        db_hh = others ? t_cat(t_list_new((Tensor *[]){others, of_n}, 2), 0) : NULL;
    }
    if (tg_needs(r, B_IH)) dx[B_IH] = db;
    if (tg_needs(r, B_HH)) dx[B_HH] = db_hh;
}

/* All h as one vector, and the last c behind them. */
static Tensor *joined(Tensor *y, Tensor *c) {
    if (!c || !y) return y;
    Tensor *parts[] = {t_reshape(y, (int64_t[]){-1}, 1), t_reshape(c, (int64_t[]){-1}, 1)};
    return parts[0] && parts[1] ? t_cat(t_list_new(parts, 2), 0) : NULL;
}

/* The steps in ops, from tensors that stand for the inputs, and what their own backward gives. */
static void composed_backward(Record *r, const Run *run, Tensor *dout, Tensor **dx) {
    Tensor *in[INPUTS_OF] = {NULL}, *asked[INPUTS_OF];
    int count = 0;
    for (int i = 0; i < INPUTS_OF; i++) {
        Tensor *x = r->saved[i].tensor ? tg_saved(r, i) : NULL;
        if (r->saved[i].tensor && !(in[i] = x ? t_view(x, x->shape, x->ndim) : NULL)) return;
        if (in[i] && tg_needs(r, i)) asked[count++] = in[i];
    }
    const tg_Weights w = {in[W_IH], in[W_HH], in[B_IH], in[B_HH], NULL};
    Tensor *h = in[H_0], *c = in[C_0], *y = tg_run_steps(run->recurrence, &w, in[X], run->reverse, &h, &c), *out = joined(y, c);
    if (!out || count == 0) return;
    const t_GradOptions options = {.size = sizeof options, .grad_outputs = t_list_new(&dout, 1), .create_graph = true, .allow_unused = true};
    t_TensorList *all = t_autograd_grad(t_list_new(&out, 1), t_list_new(asked, count), &options);
    for (int i = 0, k = 0; all && i < INPUTS_OF; i++)
        if (in[i] && tg_needs(r, i)) dx[i] = all->items[k++];
}

/* Does the backward read input i? The others may have been written to since. */
static bool is_read(const Record *r, const Run *run, int i) {
    const bool gru = run->recurrence->kind == TG_GRU;
    switch (i) {
    case X: return tg_needs(r, W_IH);
    case W_IH: return tg_needs(r, X);
    case W_HH: return r->saved[X].tensor->shape[0] > 1 || tg_needs(r, H_0);
    case B_IH: case B_HH: return false;
    case H_0: return gru || tg_needs(r, W_HH);
    default: return true;
    }
}

static void sequence_backward(Record *r, Tensor *dout, Tensor **dx) {
    const Run *run = r->attributes;
    Tensor *saved[SAVES];
    if (t_is_grad_enabled()) {
        composed_backward(r, run, dout, dx);
        return;
    }
    for (int i = 0; i < SAVES; i++) { /* all of them: the record may be freed below */
        saved[i] = r->saved[i].tensor && is_read(r, run, i) ? tg_saved(r, i) : r->saved[i].tensor;
        if (r->saved[i].tensor && (!saved[i] || ((i == H_0 || i == C_0) && !(saved[i] = t_contiguous(saved[i]))))) return;
    }
    const Sizes z = sizes_of(run, saved[X], saved[W_HH]);
    Gradients g;
    Tensor *d = t_contiguous(dout);
    if (!d || !run_backward(r, saved, &z, run->recurrence->kind, tg_data(d), matrix_at(&z, tg_data(d), z.T, z.H), &g)) return;
    weights_and_biases(r, saved, &z, &g, dx);
    if (tg_needs(r, H_0)) dx[H_0] = g.dh;
    if (tg_needs(r, C_0)) dx[C_0] = g.dc;
}

/* Under the name of PyTorch's op, which puts the steps' h together. */
static const Op sequence_op = {"recurrence", "StackBackward0", sequence_backward};

/* ---- the two parts of an LSTM's result ---- */

static Tensor *zeros_beside(const Record *r, const Tensor *dy) {
    const int64_t rest = r->edges[0].shape[0] - tg_numel(dy);
    return t_zeros(&rest, 1, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = dy->dtype});
}

static void hidden_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = joined(dy, zeros_beside(r, dy));
}

static void cell_backward(Record *r, Tensor *dc, Tensor **dx) {
    dx[0] = joined(zeros_beside(r, dc), dc);
}
static const Op hidden_op = {"recurrence_h", "StackBackward0", hidden_backward}, cell_op = {"recurrence_c", "AddBackward0", cell_backward};

static Tensor *part(const Op *op, Tensor *out, const int64_t *shape, int ndim, int64_t offset) {
    int64_t strides[T_MAX_DIMS];
    tg_contiguous_strides(shape, ndim, strides);
    Tensor *y = tg_view(out, shape, strides, ndim, offset);
    return y ? tg_record(op, tg_cut_from_base(y), INPUTS(out), NONE, NONE) : NULL;
}

/* ---- the whole ---- */

static bool fits(const Tensor *x, Tensor *w, int64_t rows, int64_t columns) {
    return w && tg_refresh(w) && w->dtype == x->dtype && w->ndim == (columns ? 2 : 1) && w->shape[0] == rows && (!columns || w->shape[1] == columns);
}

bool tg_can_run_sequence(const tg_Recurrence *recurrence, const tg_Weights *w, const Tensor *x, const Tensor *h, const Tensor *c) {
    if (!x || !h || w->hr || tg_thread.anomaly.on || x->ndim != 3 || tg_numel(x) == 0 || h->ndim != 2 || h->dtype != x->dtype) return false;
    const int64_t H = h->shape[1], rows = recurrence->gates * H;
    return h->shape[0] == x->shape[1] && fits(x, w->ih, rows, x->shape[2]) && fits(x, w->hh, rows, H) && (!w->b_ih || fits(x, w->b_ih, rows, 0)) &&
           (!w->b_hh || fits(x, w->b_hh, rows, 0)) && (!recurrence->has_cell || (c && tg_same_shape(h, c) && c->dtype == x->dtype));
}

static Tensor *run_sequence(const Run *run, const tg_Weights *w, Tensor *x, Tensor *h, Tensor *c) {
    const tg_Recurrence *recurrence = run->recurrence;
    Tensor *inputs[] = {x, w->ih, w->hh, w->b_ih, w->b_hh, h, recurrence->has_cell ? c : NULL};
    const bool records = tg_will_record(inputs, INPUTS_OF), grad_enabled = t_set_grad_enabled(false);
    Forward f = {.in = {x, w->ih, w->hh, w->b_ih, w->b_hh, t_contiguous(h), inputs[C_0] ? t_contiguous(c) : NULL}};
    const Sizes z = sizes_of(run, x, w->hh);
    const int64_t all = (z.T + 1) * z.B * z.H;
    f.gates = t_contiguous(F_linear(x, w->ih, w->b_ih));
    f.out = recurrence->has_cell ? tg_empty(&all, 1, x->dtype) : matrices(&z, z.H);
    f.cells = recurrence->has_cell ? matrices(&z, z.H) : NULL;
    f.inner = recurrence->kind == TG_GRU && records ? matrices(&z, z.H) : NULL;
    const bool ok = f.gates && f.out && f.in[H_0] && (!recurrence->has_cell || (f.cells && f.in[C_0])) &&
                    (f.inner || recurrence->kind != TG_GRU || !records) && run_forward(&z, recurrence->kind, &f);
    t_set_grad_enabled(grad_enabled);
    if (!ok) return NULL;
    Tensor *y = tg_record(&sequence_op, f.out, inputs, INPUTS_OF,
                          SAVED(x, w->ih, w->hh, w->b_ih, w->b_hh, h, inputs[C_0], f.out, f.gates, f.cells ? f.cells : f.inner), ATTRIBUTES(*run));
    tg_lend(y, OUT); /* PyTorch's result is a copy of the steps' */
    return y;
}

Tensor *tg_run_sequence(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h, Tensor **c) {
    const Run run = {recurrence, reverse};
    const int64_t T = x->shape[0], B = x->shape[1], H = (*h)->shape[1];
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = run_sequence(&run, w, x, *h, recurrence->has_cell ? *c : NULL);
    if (y && recurrence->has_cell) {
        Tensor *out = y;
        y = part(&hidden_op, out, (int64_t[]){T, B, H}, 3, 0);
        *c = t_keep_object(part(&cell_op, out, (int64_t[]){B, H}, 2, T * B * H));
    }
    *h = t_keep_object(y ? t_select(y, 0, reverse ? 0 : T - 1) : NULL);
    y = t_keep_object(*h && (!recurrence->has_cell || *c) ? y : NULL);
    t_scope_close(depth);
    return y;
}
