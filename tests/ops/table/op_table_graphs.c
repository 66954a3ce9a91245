/* tests/ops/table/op_table_graphs.c: small graphs as rows of the op table: leaves used in several places, and what
 * in-place writes do to tensors, their views and the bases of those. */
#include "tests/ops/table/op_table.h"

static Tensor *at(Tensor *x, const char *index) {
    return t_at(x, index, NULL, 0);
}

static Tensor *set(Tensor *x, const char *index, Tensor *value) {
    return t_set(x, index, NULL, 0, value) ? x : NULL;
}

static Tensor *copy(Tensor *x) {
    return t_mul(x, t_number(1));
}

static t_TensorList *two(Tensor *a, Tensor *b) {
    return t_list_new((Tensor *[]){a, b}, 2);
}

/* y = x + x; z = y x + y: one leaf and one node used several times. */
static t_TensorList *call_diamond(const Call *c) {
    Tensor *x = c->x[0], *y = t_add(x, x);
    return list_of(t_add(t_mul(y, x), y));
}
/* Three ways from x to the end, of different lengths, broadcast on the way. */
static t_TensorList *call_fan(const Call *c) {
    Tensor *x = c->x[0], *y = c->x[1], *a = t_sin(x), *b = t_mul(a, y);
    return list_of(t_add(t_add(t_exp(b), t_mul(a, x)), t_mul(x, t_sum(y, NULL, 0, false))));
}
/* b[0] += y */
static t_TensorList *call_row_add(const Call *c) {
    Tensor *b = copy(c->x[0]);
    t_add_(at(b, "0"), c->x[1]);
    return list_of(t_mul(b, b));
}
/* The sinusoid table of a transformer: pe[:, 0::2] = sin(w), pe[:, 1::2] = cos(2 w), from zeros. */
static t_TensorList *call_stripes(const Call *c) {
    Tensor *w = c->x[0];
    t_TensorOptions options = {.size = sizeof options, .dtype = t_dtype(w)};
    Tensor *pe = t_zeros((int64_t[]){t_size(w, 0), 2 * t_size(w, 1)}, 2, &options);
    set(pe, ":, 0::2", t_sin(w));
    set(pe, ":, 1::2", t_cos(t_mul(w, t_number(2))));
    return list_of(t_mul(pe, pe));
}
/* The base is written after the view was taken: the view shows it, with its history. */
static t_TensorList *call_base_after_view(const Call *c) {
    Tensor *b = copy(c->x[0]), *v = at(b, "1"), *before = t_sin(t_clone(v));
    t_mul_(b, t_number(2));
    return two(t_mul(v, v), t_add(before, t_number(1)));
}
/* A view is written: so is its base, and another view of that. */
static t_TensorList *call_view_and_view(const Call *c) {
    Tensor *b = t_mul(c->x[0], t_number(2)), *v = at(b, "1"), *u = t_transpose(b, 0, 1);
    t_mul_(v, c->x[1]);
    return two(t_mul(u, u), t_sin(b));
}
/* Writes to a view of a view, to the view between, and to the base. */
static t_TensorList *call_chain(const Call *c) {
    Tensor *b = copy(c->x[0]), *v = at(b, "0:2"), *w = at(v, ":, 1:3");
    t_mul_(w, t_number(3));
    t_add_(w, c->x[1]);
    t_sub_(v, t_number(1));
    t_div_(b, t_number(4));
    return two(t_mul(t_mul(b, b), b), t_add(t_sum(t_mul(v, v), NULL, 0, false), w));
}
/* Rows and columns overwritten: their old values have no gradient any more. */
static t_TensorList *call_overwrite(const Call *c) {
    Tensor *b = copy(c->x[0]);
    t_zero_(at(b, "1"));
    set(b, ":, 0", c->x[1]);
    t_fill_(at(b, "2, 1:"), 0.5);
    return list_of(t_mul(b, b));
}
/* A write through a transposed and stepped view. */
static t_TensorList *call_transposed(const Call *c) {
    Tensor *b = copy(c->x[0]);
    t_mul_(at(t_transpose(b, 0, 1), "::2"), c->x[1]);
    return list_of(t_mul(t_mul(b, b), b));
}
/* A row is added to another of the same tensor, which the next line scales. */
static t_TensorList *call_row_to_row(const Call *c) {
    Tensor *b = copy(c->x[0]);
    t_add_(at(b, "0"), at(b, "1"));
    t_mul_(at(b, "2"), t_clone(at(b, "0")));
    return list_of(t_mul(b, b));
}
/* A tensor without a gradient gets one by what is written into it. */
static t_TensorList *call_from_nothing(const Call *c) {
    Tensor *b = t_zeros_like(c->x[0]), *v = at(b, "0");
    t_add_(b, c->x[0]);
    t_mul_(v, t_clone(v));
    return two(t_mul(b, b), t_sin(v));
}
/* What a mask overwrites loses its gradient, what it leaves keeps it. */
static t_TensorList *call_masked(const Call *c) {
    Tensor *b = copy(c->x[0]);
    t_masked_fill_(t_transpose(b, 0, 1), c->x[1], t_number(0.5));
    return list_of(t_mul(b, b));
}
/* detach cuts a way, clone does not, and an in-place write under no_grad leaves no trace. */
static t_TensorList *call_cut(const Call *c) {
    Tensor *x = c->x[0], *y = t_mul(x, x), *z = t_add(t_mul(t_detach(y), x), t_clone(x));
    bool before = t_set_grad_enabled(false);
    Tensor *unseen = t_mul(x, t_number(7));
    t_set_grad_enabled(before);
    return two(z, t_mul(unseen, x));
}

static const OpCase diamond_cases[] = {{"r()"}, {"r(3)"}, {"r(2,3)"}, {NULL}};
static const OpCase cut_cases[] = {{"t()"}, {"t(5)"}, {"t(2,3)"}, {NULL}}; /* no slope: detach hides some of it */
static const OpCase fan_cases[] = {{"r(3) r(2,3)"}, {"r(2,1) r(3)"}, {"r() r(2)"}, {NULL}};
static const OpCase row_cases[] = {{"r(3,4) r(4)"}, {"R(3,4) r(4)"}, {"r(3,4) R(4)"}, {"r(3,4) r(1)"}, {NULL}};
static const OpCase stripes_cases[] = {{"r(3,2)"}, {NULL}};
static const OpCase matrix_cases[] = {{"r(3,4)"}, {NULL}};
static const OpCase chain_cases[] = {{"r(3,4) r(2,2)"}, {"r(3,4) r(2)"}, {"r(3,4) R(2)"}, {NULL}};
static const OpCase column_cases[] = {{"r(3,4) r(3)"}, {"R(3,4) r(3)"}, {"r(3,4) R()"}, {NULL}};
static const OpCase masked_cases[] = {{"r(3,4) b(4,3)"}, {"r(3,4) b(3)"}, {NULL}};
static const OpError none[] = {{NULL}};

static const OpRow rows[] = {
    {"graph_diamond", call_diamond, diamond_cases, none, GRAPH},
    {"graph_fan", call_fan, fan_cases, none, GRAPH | SUMS},
    {"graph_row_add", call_row_add, row_cases, none, GRAPH},
    {"graph_stripes", call_stripes, stripes_cases, none, GRAPH},
    {"graph_base_after_view", call_base_after_view, matrix_cases, none, GRAPH},
    {"graph_view_and_view", call_view_and_view, row_cases, none, GRAPH},
    {"graph_chain", call_chain, chain_cases, none, GRAPH | SUMS},
    {"graph_overwrite", call_overwrite, column_cases, none, GRAPH},
    {"graph_transposed", call_transposed, column_cases, none, GRAPH},
    {"graph_row_to_row", call_row_to_row, matrix_cases, none, GRAPH},
    {"graph_from_nothing", call_from_nothing, matrix_cases, none, GRAPH},
    {"graph_masked", call_masked, masked_cases, none, GRAPH},
    {"graph_cut", call_cut, cut_cases, none, GRAPH},
};
TABLE(graph_table, "graphs.txt", rows);
