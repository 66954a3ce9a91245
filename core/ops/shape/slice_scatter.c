/* core/ops/shape/slice_scatter.c: slice_scatter, select_scatter and diagonal_scatter: a copy of x with one view of it
 * replaced. */
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/ops/shape/scatter_internal.h"

/* Which view: the arguments of t_select, t_slice or t_diagonal. */
typedef struct View {
    enum { VIEW_SELECT, VIEW_SLICE, VIEW_DIAGONAL } of;
    int64_t n[4];
} View;

static Tensor *view_of(Tensor *x, const View *view) {
    const int64_t *n = view->n;
    if (view->of == VIEW_SELECT) return t_select(x, n[0], n[1]);
    return view->of == VIEW_SLICE ? t_slice(x, n[0], n[1], n[2], n[3]) : t_diagonal(x, n[0], n[1], n[2]);
}

Tensor *tg_scatter_to_view(Tensor *y, Tensor *view, Tensor *src) {
    if (!view) return NULL;
    if (!tg_same_shape(view, src))
        return tg_fail("expected src to have a size equal to the slice of self. src size = %s, slice size = %s",
                       tg_shape_of(src), tg_shape_of(view));
    tg_copy_into(view, src);
    return y;
}

static Tensor *scatter_view(Tensor *x, Tensor *src, const View *view);

/* dx = dy with 0 in the view, dsrc = the view of dy. */
static void scatter_view_backward(Record *r, Tensor *dy, Tensor **dx) {
    const View *view = r->attributes;
    Tensor *dy_view = view_of(dy, view);
    if (dy_view && tg_needs(r, 0)) dx[0] = scatter_view(dy, t_zeros_like(dy_view), view);
    if (tg_needs(r, 1)) dx[1] = dy_view;
}
static const Op ops[] = {
    [VIEW_SELECT] = {"select_scatter", "SelectScatterBackward0", scatter_view_backward},
    [VIEW_SLICE] = {"slice_scatter", "SliceScatterBackward0", scatter_view_backward},
    [VIEW_DIAGONAL] = {"diagonal_scatter", "DiagonalScatterBackward0", scatter_view_backward},
};

static Tensor *scatter_view(Tensor *x, Tensor *src, const View *view) {
    if (!tg_check_any_two(x, src)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_clone(x), *target = y ? view_of(y, view) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = t_keep_object(tg_scatter_to_view(y, target, src));
    t_scope_close(depth);
    return tg_record(&ops[view->of], y, INPUTS(x, src), NONE, view, sizeof *view);
}

/* torch.select_scatter(x, src, dim, index): a copy of x with x.select(dim, index) replaced by src, which has its
 * shape and is cast to x's dtype. dx = dy, 0 in that view; dsrc = that view of dy. Errors: those of select; another
 * shape. */
Tensor *t_select_scatter(Tensor *x, Tensor *src, int64_t dim, int64_t index) {
    return scatter_view(x, src, &(View){VIEW_SELECT, {dim, index}});
}

/* torch.slice_scatter(x, src, dim, start, end, step): the same for x[start:end:step] along dim; T_NONE omits start
 * or end. */
Tensor *t_slice_scatter(Tensor *x, Tensor *src, int64_t dim, int64_t start, int64_t end, int64_t step) {
    return scatter_view(x, src, &(View){VIEW_SLICE, {dim, start, end, step}});
}

/* torch.diagonal_scatter(x, src, offset, dim1, dim2): the same for x.diagonal(offset, dim1, dim2). */
Tensor *t_diagonal_scatter(Tensor *x, Tensor *src, int64_t offset, int64_t dim1, int64_t dim2) {
    TG_COMPOSITE("diagonal_scatter");
    return scatter_view(x, src, &(View){VIEW_DIAGONAL, {offset, dim1, dim2}});
}
