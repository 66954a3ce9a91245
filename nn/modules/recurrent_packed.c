/* nn/modules/recurrent_packed.c: a recurrent layer in one direction over a packed batch of sequences of different
 * lengths.
 *
 * Steps with the same batch size are a rectangle (steps, batch size, *), which runs as any other sequence does
 * (tg_run_layer). Between two rectangles the state loses the rows of the sequences that ended; in the other direction
 * it gains, from the initial state, the rows of the sequences that begin. */
#include "core/ops/ops.h"
#include "nn/modules/recurrent_internal.h"

/* What is the same in all rectangles, and the rectangle that is run next. */
typedef struct Packed {
    const tg_Recurrence *recurrence;
    const tg_Weights *w;
    Tensor *x;
    bool reverse;
    int64_t row, steps, batch; /* its first row in x, and its sizes */
} Packed;

/* The outputs as rows, (steps * batch, *). */
static Tensor *run_rectangle(const Packed *p, Tensor **h, Tensor **c) {
    const int64_t shape[] = {p->steps, p->batch, p->x->shape[1]}, rows = p->steps * p->batch;
    Tensor *x = t_reshape(t_narrow(p->x, 0, p->row, rows), shape, 3);
    Tensor *y = x ? tg_run_layer(p->recurrence, p->w, x, p->reverse, h, c) : NULL;
    return t_flatten(y, 0, 1);
}

static Tensor *first_rows(Tensor *x, int64_t count) {
    return x ? t_narrow(x, 0, 0, count) : NULL;
}

static Tensor *rows_after(Tensor *x, int64_t first) {
    return x ? t_narrow(x, 0, first, x->shape[0] - first) : NULL;
}

/* a's rows, and after them b's. */
static Tensor *joined(Tensor *a, Tensor *b) {
    return a && b ? t_cat(t_list_new((Tensor *[]){a, b}, 2), 0) : NULL;
}

/* Final states of the sequences are put together as they end, the shortest ones first: those are the last rows. */
static Tensor *run_forward(Packed *p, const int64_t *batch_sizes, int64_t T, Tensor **h, Tensor **c) {
    t_TensorList *outputs = t_list_new(NULL, 0);
    Tensor *h_end = NULL, *c_end = NULL, *h_now = *h, *c_now = *c;
    for (int64_t t = 0; outputs && t < T; t += p->steps) {
        if (t > 0) {
            Tensor *h_ended = rows_after(h_now, batch_sizes[t]), *c_ended = rows_after(c_now, batch_sizes[t]);
            h_end = h_end ? joined(h_ended, h_end) : h_ended;
            c_end = c_end ? joined(c_ended, c_end) : c_ended;
            h_now = first_rows(h_now, batch_sizes[t]);
            c_now = first_rows(c_now, batch_sizes[t]);
            if (!h_end || (*c && !c_end)) return NULL;
        }
        p->batch = batch_sizes[t];
        for (p->steps = 1; t + p->steps < T && batch_sizes[t + p->steps] == p->batch;) p->steps++;
        if (!t_list_append(outputs, run_rectangle(p, &h_now, &c_now))) return NULL;
        p->row += p->steps * p->batch;
    }
    *h = h_end ? joined(h_now, h_end) : h_now;
    *c = c_end ? joined(c_now, c_end) : c_now;
    return outputs ? t_cat(outputs, 0) : NULL;
}

static Tensor *run_reverse(Packed *p, const int64_t *batch_sizes, int64_t T, Tensor **h, Tensor **c) {
    t_TensorList *outputs = t_list_new(NULL, 0);
    Tensor *h_now = NULL, *c_now = NULL;
    p->row = p->x->shape[0];
    for (int64_t t = T; outputs && t > 0; t -= p->steps) {
        const int64_t before = t < T ? p->batch : 0;
        p->batch = batch_sizes[t - 1];
        Tensor *h_begun = rows_after(first_rows(*h, p->batch), before);
        Tensor *c_begun = rows_after(first_rows(*c, p->batch), before);
        h_now = before ? joined(h_now, h_begun) : h_begun;
        c_now = before ? joined(c_now, c_begun) : c_begun;
        for (p->steps = 1; p->steps < t && batch_sizes[t - p->steps - 1] == p->batch;) p->steps++;
        p->row -= p->steps * p->batch;
        if (!t_list_append(outputs, run_rectangle(p, &h_now, &c_now))) return NULL;
    }
    for (int64_t i = 0; outputs && i < outputs->len / 2; i++) {
        Tensor *other = outputs->items[i];
        outputs->items[i] = outputs->items[outputs->len - 1 - i];
        outputs->items[outputs->len - 1 - i] = other;
    }
    *h = h_now;
    *c = c_now;
    return outputs ? t_cat(outputs, 0) : NULL;
}

Tensor *tg_run_packed_layer(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, const int64_t *batch_sizes,
                            int64_t T, bool reverse, Tensor **h, Tensor **c) {
    Packed p = {.recurrence = recurrence, .w = w, .x = x, .reverse = reverse};
    if (!x || !*h || (recurrence->has_cell && !*c)) return NULL;
    return (reverse ? run_reverse : run_forward)(&p, batch_sizes, T, h, c);
}
