/* nn/functional/pad.c: F.pad, which lays elements around a tensor, or (where a pad is negative) cuts some off.
 *
 * The pads come in pairs from the last dim on: {left, right} of the last, {top, bottom} of the one before, ... */
#include <math.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/gather_internal.h"
#include "nn/functional/pad_internal.h"

static tg_Pads pads_of(const Tensor *x, const int64_t *pad, int count, tg_PadMode mode) {
    tg_Pads pads = {.mode = mode};
    for (int i = 0; i < count / 2; i++) {
        pads.before[x->ndim - 1 - i] = pad[2 * i];
        pads.behind[x->ndim - 1 - i] = pad[2 * i + 1];
    }
    return pads;
}

static bool is_padded(const tg_Pads *pads, int dim) {
    return pads->before[dim] || pads->behind[dim];
}

/* ---- where no pad is negative: x in the middle of y, then dim by dim what lies before and behind it, a value or copied from y ---- */

/* y, of whose dim d only `length` indices are seen: first, first + step, ... */
static Tensor indices(const Tensor *y, int d, int64_t first, int64_t length, int64_t step) {
    Tensor part = *y;
    part.offset += first * y->strides[d];
    part.strides[d] *= step;
    part.shape[d] = length;
    return part;
}

/* A pad of one dim, and what it is a copy of, both parts of y. */
typedef struct Side {
    Tensor pad, source;
} Side;

/* inner is y without the pads of dim d and of the dims behind it; n is x's size there. */
static Side side_of(const Tensor *inner, int d, int64_t n, const tg_Pads *pads, bool behind) {
    const int64_t before = pads->before[d], length = behind ? pads->behind[d] : before, first = behind ? n : -before;
    Side s = {.pad = indices(inner, d, first, length, 1)};
    if (pads->mode == TG_REFLECT) s.source = indices(inner, d, behind ? n - 2 : before, length, -1);
    else if (pads->mode == TG_REPLICATE) s.source = indices(inner, d, behind ? n - 1 : 0, length, 0);
    else s.source = indices(inner, d, behind ? 0 : n - before, length, 1);
    return s;
}

/* The part of y where x lies. */
static Tensor middle_of(const Tensor *y, const tg_Pads *pads) {
    Tensor middle = *y;
    for (int d = 0; d < y->ndim; d++)
        middle = indices(&middle, d, pads->before[d], y->shape[d] - pads->before[d] - pads->behind[d], 1);
    return middle;
}

/* inner with dim d's pads. */
static void widen(Tensor *inner, int d, const tg_Pads *pads) {
    *inner = indices(inner, d, -pads->before[d], tg_padded(pads, d, inner->shape[d]), 1);
}

/* x and y, which are made in blocks: some indices of the last of the `lead` first dims, none of them padded, for each of those before. */
typedef struct Surround {
    const Tensor *x, *y;
    const tg_Pads *pads;
    double value;
    int lead;
    int64_t block;
} Surround;

static int64_t blocks_along(const Surround *s, int d) {
    const int64_t block = d == s->lead - 1 ? s->block : 1;
    return (s->x->shape[d] + block - 1) / block;
}

static void surround_block(const Surround *s, int64_t item) {
    Tensor x = *s->x, y = *s->y;
    for (int d = s->lead - 1; d >= 0; d--) {
        const int64_t blocks = blocks_along(s, d), each = d == s->lead - 1 ? s->block : 1, first = item % blocks * each;
        const int64_t length = x.shape[d] - first < each ? x.shape[d] - first : each;
        item /= blocks;
        x = indices(&x, d, first, length, 1);
        y = indices(&y, d, first, length, 1);
    }
    Tensor inner = middle_of(&y, s->pads);
    tg_copy_into(&inner, &x);
    for (int d = s->lead; d < x.ndim; widen(&inner, d++, s->pads))
        for (int behind = 0; behind < 2 && is_padded(s->pads, d); behind++) {
            Side side = side_of(&inner, d, x.shape[d], s->pads, behind);
            if (s->pads->mode == TG_CONSTANT) tg_fill_into(&side.pad, s->value);
            else if (side.pad.shape[d]) tg_copy_into(&side.pad, &side.source);
        }
}
static void surround_blocks(int64_t from, int64_t to, void *context) {
    for (; from < to; from++) surround_block(context, from);
}

/* A block stays in the cache while its pads are made. */
static void surround(const Tensor *x, const Tensor *y, const tg_Pads *pads, double value) {
    enum { BYTES = 1 << 17 };
    Surround s = {x, y, pads, value, 0, 1};
    int64_t items = 1, bytes = (int64_t)tg_itemsize(y->dtype);
    if (tg_numel(y) == 0) return;
    while (s.lead < x->ndim && !is_padded(pads, s.lead)) s.lead++;
    if (s.lead == x->ndim) s.lead = 0; /* a copy */
    for (int d = s.lead; d < x->ndim; d++) bytes *= y->shape[d];
    for (; s.lead > 0 && bytes * y->shape[s.lead - 1] <= BYTES; s.lead--) bytes *= y->shape[s.lead - 1];
    if (bytes < BYTES) s.block = BYTES / bytes;
    for (int d = 0; d < s.lead; d++) items *= blocks_along(&s, d);
    tg_parallel(items, 1, surround_blocks, &s);
}

static Tensor *surrounded(Tensor *x, const tg_Pads *pads) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = tg_padded(pads, d, x->shape[d]);
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    if (y) surround(x, y, pads, 0);
    return y;
}

/* ---- constant: y holds what is left of x, and the value around it ---- */

static Tensor *constant_pad(Tensor *x, const tg_Pads *pads, double value);

/* dx = dy with the pads cut off, and 0 where x was cut. */
static void constant_pad_backward(Record *r, Tensor *dy, Tensor **dx) {
    tg_Pads pads = *(tg_Pads *)r->attributes;
    for (int d = 0; d < T_MAX_DIMS; d++) {
        pads.before[d] = -pads.before[d];
        pads.behind[d] = -pads.behind[d];
    }
    dx[0] = dy ? constant_pad(dy, &pads, 0) : NULL;
}
static const Op constant_pad_op = {"pad", "ConstantPadNdBackward0", constant_pad_backward};

static Tensor *constant_pad(Tensor *x, const tg_Pads *pads, double value) {
    int64_t shape[T_MAX_DIMS];
    bool adds = false;
    tg_Pads added = {.mode = TG_CONSTANT};
    Tensor left = *x;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t length = tg_left_of(pads, d, x->shape[d]);
        if (length < 0) return tg_fail("narrow(): length must be non-negative.");
        left = indices(&left, d, tg_cut(pads->before[d]), length, 1);
        added.before[d] = tg_added(pads->before[d]);
        added.behind[d] = tg_added(pads->behind[d]);
        adds = adds || is_padded(&added, d);
        shape[d] = tg_padded(pads, d, x->shape[d]);
    }
    if (adds && !tg_check_number(value, x->dtype)) return NULL;
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    if (!y) return NULL;
    surround(&left, y, &added, value);
    return tg_record(&constant_pad_op, y, INPUTS(x), NONE, ATTRIBUTES(*pads));
}

/* ---- the others: every element of y is some element of x ----
 * In general along each dim the one that an index names. */

/* Circular: first the negative pads cut, then what is left is repeated. */
static int64_t go_round(int64_t i, int64_t n, const tg_Pads *pads, int dim) {
    int64_t before = pads->before[dim], left = tg_left_of(pads, dim, n), j = (i - tg_added(before)) % left;
    return (j < 0 ? j + left : j) + tg_cut(before);
}

/* For each place along dim of y the place in x. */
static Tensor *index_along(int dim, int64_t n, const tg_Pads *pads) {
    int64_t before = pads->before[dim], size = tg_padded(pads, dim, n);
    Tensor *index = tg_empty(&size, 1, t_int64);
    int64_t *at = index ? tg_data(index) : NULL;
    for (int64_t i = 0; at && i < size; i++) {
        int64_t j = i - before;
        if (pads->mode == TG_REFLECT) at[i] = j < 0 ? -j : j >= n ? 2 * (n - 1) - j : j;
        else if (pads->mode == TG_REPLICATE) at[i] = j < 0 ? 0 : j >= n ? n - 1 : j;
        else at[i] = go_round(i, n, pads, dim);
    }
    return index;
}

static bool only_adds(const tg_Pads *pads) {
    for (int d = 0; d < T_MAX_DIMS; d++)
        if (pads->before[d] < 0 || pads->behind[d] < 0) return false;
    return true;
}

/* dy's pads are added where they came from, in the opposite order; its middle is dx. */
static Tensor *gathered(const Edge *x, Tensor *dy, const tg_Pads *pads) {
    Tensor *sum = t_clone(t_contiguous(dy)), *dx = tg_empty(x->shape, x->ndim, dy->dtype);
    if (!sum || !dx) return NULL;
    for (int d = x->ndim - 1; d >= 0; d--) {
        Tensor inner = middle_of(sum, pads);
        for (int i = 0; i < d; i++) widen(&inner, i, pads);
        for (int behind = 0; behind < 2; behind++) {
            Side s = side_of(&inner, d, x->shape[d], pads, behind);
            if (tg_numel(&s.pad)) tg_add_into(&s.source, &s.pad);
        }
    }
    Tensor middle = middle_of(sum, pads);
    tg_copy_into(dx, &middle);
    return dx;
}

/* ---- their record ---- */

/* Each element of dy is added at the place in x that it was taken from, dim by dim. */
static void index_pad_backward(Record *r, Tensor *dy, Tensor **dx) {
    const tg_Pads *pads = r->attributes;
    const Edge *x = &r->edges[0];
    if (dy && !t_is_grad_enabled() && only_adds(pads)) {
        dx[0] = gathered(x, dy, pads);
        return;
    }
    for (int d = 0; dy && d < x->ndim; d++) {
        if (!is_padded(pads, d)) continue;
        int64_t shape[T_MAX_DIMS], ones[T_MAX_DIMS];
        for (int i = 0; i < x->ndim; i++) ones[i] = 1;
        memcpy(shape, dy->shape, sizeof shape);
        ones[d] = shape[d];
        shape[d] = x->shape[d];
        Tensor *index = index_along(d, x->shape[d], pads);
        Tensor *everywhere = index ? t_expand(t_reshape(index, ones, x->ndim), dy->shape, dy->ndim) : NULL;
        dy = everywhere ? tg_scatter_add(dy, d, everywhere, shape, x->ndim) : NULL;
    }
    dx[0] = dy;
}

/* PyTorch has one for each mode and number of dims that the list of pads is for. */
static const Op index_pad_ops[4][3] = {
    [TG_REFLECT] = {{"pad", "ReflectionPad1DBackward0", index_pad_backward}, {"pad", "ReflectionPad2DBackward0", index_pad_backward},
                 {"pad", "ReflectionPad3DBackward0", index_pad_backward}},
    [TG_REPLICATE] = {{"pad", "ReplicationPad1DBackward0", index_pad_backward}, {"pad", "ReplicationPad2DBackward0", index_pad_backward},
                   {"pad", "ReplicationPad3DBackward0", index_pad_backward}},
    [TG_CIRCULAR] = {{"pad", "CopySlices", index_pad_backward}, {"pad", "CopySlices", index_pad_backward},
                  {"pad", "CopySlices", index_pad_backward}},
};

static Tensor *index_pad(Tensor *x, const tg_Pads *pads, const Op *op) {
    bool grad_enabled = t_set_grad_enabled(false), adds = only_adds(pads);
    Tensor *y = adds ? surrounded(x, pads) : x;
    for (int d = 0; y && d < x->ndim && !adds; d++) {
        Tensor *index = is_padded(pads, d) ? index_along(d, x->shape[d], pads) : NULL;
        if (index) y = t_index_select(y, d, index);
        else if (is_padded(pads, d)) y = NULL;
    }
    if (y == x) y = t_clone(x);
    t_set_grad_enabled(grad_enabled);
    return tg_record(op, y, INPUTS(x), NONE, ATTRIBUTES(*pads));
}

/* ---- all of them ---- */

static bool parse_mode(const char *word, tg_PadMode *mode) {
    static const char *const words[] = {"constant", "reflect", "replicate", "circular"};
    for (int i = 0; i < 4; i++)
        if (strcmp(word ? word : "constant", words[i]) == 0) {
            *mode = (tg_PadMode)i;
            return true;
        }
    return tg_fail("Unrecognised padding mode %s", word);
}

/* F.pad(x, pad, mode, value): `count` pads, two for each dim from the last on. "constant" (also for NULL) pads with value
 * (NAN: None, which is 0), any dims of any rank; "reflect" mirrors at the edge without repeating it, "replicate" repeats the
 * edge, "circular" goes on at the other end: these three pad the last 1, 2 or 3 dims of a tensor with one or two dims before them.
 * Negative pads cut. Any dtype (bool only for constant and circular). dx: each element of dy goes back where y took it from.
 * Errors: an odd count, more pads than dims, pads that a mode cannot fill (circular: more than the cut leaves), a value
 * where the mode takes none. */
Tensor *F_pad(Tensor *x, const int64_t *pad, int count, const char *mode, double value) {
    tg_PadMode how = TG_CONSTANT;
    if (!tg_check(x, 1) || !parse_mode(mode, &how)) return NULL;
    if (count < 0 || count % 2) return tg_fail("Padding length must be divisible by 2");
    if (count > 0 && !pad) return t_error() ? NULL : tg_fail("argument 2 is NULL where pads are expected");
    if (count > 2 * x->ndim)
        return tg_fail("Padding length should be less than or equal to two times the input dimension but got padding length %d and "
                       "input of dimension %d", count, x->ndim);
    tg_Pads pads = pads_of(x, pad, count, how);
    if (how != TG_CONSTANT && !isnan(value) && value != 0)
        return tg_fail("Padding mode \"%s\" doesn't take in value argument", mode);
    if (how != TG_CONSTANT && !tg_check_pads(x, &pads, count)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = how == TG_CONSTANT ? constant_pad(x, &pads, isnan(value) ? 0 : value)
                                : index_pad(x, &pads, &index_pad_ops[how][count / 2 - 1]);
    return tg_close_keeping(depth, y);
}
