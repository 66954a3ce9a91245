/* core/ops/slice_scatter.c: a copy of x with one part of it, a slice or a diagonal, replaced. */
#include "core/ops/pointwise_internal.h"

/* Which part: the arguments of t_select, t_slice or t_diagonal. */
typedef struct Part {
    enum { PART_SELECT, PART_SLICE, PART_DIAGONAL } of;
    int64_t n[4];
} Part;

static Tensor *part_of(Tensor *x, const Part *part) {
    const int64_t *n = part->n;
    if (part->of == PART_SELECT) return t_select(x, n[0], n[1]);
    return part->of == PART_SLICE ? t_slice(x, n[0], n[1], n[2], n[3]) : t_diagonal(x, n[0], n[1], n[2]);
}

static Tensor *with_part(Tensor *x, Tensor *src, const Part *part);

/* dx = dy without that part, dsrc = that part of dy. */
static void part_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Part *part = r->attributes;
    Tensor *inside = part_of(dy, part);
    if (inside && tg_needs(r, 0)) dx[0] = with_part(dy, t_zeros_like(inside), part);
    if (tg_needs(r, 1)) dx[1] = inside;
}
static const Op ops[] = {
    [PART_SELECT] = {"select_scatter", "SelectScatterBackward0", part_backward},
    [PART_SLICE] = {"slice_scatter", "SliceScatterBackward0", part_backward},
    [PART_DIAGONAL] = {"diagonal_scatter", "DiagonalScatterBackward0", part_backward},
};

static Tensor *with_part(Tensor *x, Tensor *src, const Part *part) {
    if (!tg_check_two(x, src)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_clone(x), *here = y ? part_of(y, part) : NULL;
    t_set_grad_enabled(grad_enabled);
    bool fits = here && tg_same_shape(here, src);
    if (here && !fits)
        tg_fail("expected src to have a size equal to the slice of self. src size = %s, slice size = %s",
                tg_shape_of(src), tg_shape_of(here));
    if (fits) tg_copy_into(here, src);
    y = fits ? t_keep_object(y) : NULL;
    t_scope_close(depth);
    return tg_record(&ops[part->of], y, INPUTS(x, src), NONE, part, sizeof *part);
}

/* torch.select_scatter(x, src, dim, index): a copy of x with x.select(dim, index) replaced by src, which has its shape and is
 * cast to x's dtype. dx = dy, 0 in that part; dsrc = that part of dy. Errors: those of select; another shape. */
Tensor *t_select_scatter(Tensor *x, Tensor *src, int64_t dim, int64_t index) {
    return with_part(x, src, &(Part){PART_SELECT, {dim, index}});
}

/* torch.slice_scatter(x, src, dim, start, end, step): the same for x[start:end:step] along dim; T_NONE leaves an end out. */
Tensor *t_slice_scatter(Tensor *x, Tensor *src, int64_t dim, int64_t start, int64_t end, int64_t step) {
    return with_part(x, src, &(Part){PART_SLICE, {dim, start, end, step}});
}

/* torch.diagonal_scatter(x, src, offset, dim1, dim2): the same for x.diagonal(offset, dim1, dim2). */
Tensor *t_diagonal_scatter(Tensor *x, Tensor *src, int64_t offset, int64_t dim1, int64_t dim2) {
    return with_part(x, src, &(Part){PART_DIAGONAL, {offset, dim1, dim2}});
}
