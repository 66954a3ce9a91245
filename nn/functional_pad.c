/* nn/functional_pad.c: F.pad, which lays elements around a tensor, or (where a pad is negative) cuts some off.
 *
 * The pads come in pairs from the last dim on: {left, right} of the last, {top, bottom} of the one before, ... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/gather.h"
#include "nn/functional_layers.h"

typedef enum Mode { CONSTANT, REFLECT, REPLICATE, CIRCULAR } Mode;

/* The pads before and behind each dim of x. */
typedef struct Pads {
    Mode mode;
    int64_t before[T_MAX_DIMS], behind[T_MAX_DIMS];
} Pads;

static Pads pads_of(const Tensor *x, const int64_t *pad, int count, Mode mode) {
    Pads pads = {.mode = mode};
    for (int i = 0; i < count / 2; i++) {
        pads.before[x->ndim - 1 - i] = pad[2 * i];
        pads.behind[x->ndim - 1 - i] = pad[2 * i + 1];
    }
    return pads;
}

static bool is_padded(const Pads *pads, int dim) {
    return pads->before[dim] || pads->behind[dim];
}

/* ---- where no pad is negative: x in the middle of y, and then, dim by dim, what lies before and behind it: a value, or taken from y ---- */

static int64_t at_least_0(int64_t n) {
    return n > 0 ? n : 0;
}

/* So many indices of dim d, from `first` on, each `step` further. */
static Tensor indices(const Tensor *y, int d, int64_t first, int64_t length, int64_t step) {
    Tensor part = *y;
    part.offset += first * y->strides[d];
    part.strides[d] *= step;
    part.shape[d] = length;
    return part;
}

/* One pad of a dim, and the indices from which it is taken, one for each of its own. */
typedef struct Side {
    Tensor pad, source;
} Side;

/* inner is y, but for the pads of dim d and of the dims behind it. */
static Side side_of(const Tensor *inner, int d, int64_t n, const Pads *pads, bool behind) {
    const int64_t before = pads->before[d], length = behind ? pads->behind[d] : before, first = behind ? n : -before;
    Side s = {.pad = indices(inner, d, first, length, 1)};
    if (pads->mode == REFLECT) s.source = indices(inner, d, behind ? n - 2 : before, length, -1);
    else if (pads->mode == REPLICATE) s.source = indices(inner, d, behind ? n - 1 : 0, length, 0);
    else s.source = indices(inner, d, behind ? 0 : n - before, length, 1);
    return s;
}

/* The part of y that x is. */
static Tensor middle_of(const Tensor *y, const Pads *pads) {
    Tensor middle = *y;
    for (int d = 0; d < y->ndim; d++)
        middle = indices(&middle, d, pads->before[d], y->shape[d] - pads->before[d] - pads->behind[d], 1);
    return middle;
}

/* Adds dim d's pads to what is left of y. */
static void widen(Tensor *inner, int d, const Pads *pads) {
    *inner = indices(inner, d, -pads->before[d], inner->shape[d] + pads->before[d] + pads->behind[d], 1);
}

/* x and y, which are made in blocks: some indices of the last of the `lead` first dims, none of them padded, for each of those before. */
typedef struct Surround {
    const Tensor *x, *y;
    const Pads *pads;
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
            if (s->pads->mode == CONSTANT) tg_fill_into(&side.pad, s->value);
            else if (side.pad.shape[d]) tg_copy_into(&side.pad, &side.source);
        }
}
static void surround_blocks(int64_t from, int64_t to, void *context) {
    for (; from < to; from++) surround_block(context, from);
}

/* A block stays in the cache while its pads are made. */
static void surround(const Tensor *x, const Tensor *y, const Pads *pads, double value) {
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

static Tensor *surrounded(Tensor *x, const Pads *pads) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = x->shape[d] + pads->before[d] + pads->behind[d];
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    if (y) surround(x, y, pads, 0);
    return y;
}

/* ---- constant: y holds what is left of x, and the value around it ---- */

static Tensor *constant_pad(Tensor *x, const Pads *pads, double value);

/* dx = dy with the pads cut off, and 0 where x was cut. */
static void constant_pad_backward(Record *r, Tensor *dy, Tensor **dx) {
    Pads pads = *(Pads *)r->attributes;
    for (int d = 0; d < T_MAX_DIMS; d++) {
        pads.before[d] = -pads.before[d];
        pads.behind[d] = -pads.behind[d];
    }
    dx[0] = dy ? constant_pad(dy, &pads, 0) : NULL;
}
static const Op constant_pad_op = {"pad", "ConstantPadNdBackward0", constant_pad_backward};

static Tensor *constant_pad(Tensor *x, const Pads *pads, double value) {
    int64_t shape[T_MAX_DIMS];
    bool adds = false;
    Pads added = {.mode = CONSTANT};
    Tensor left = *x;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t before = at_least_0(-pads->before[d]), length = x->shape[d] - before - at_least_0(-pads->behind[d]);
        if (length < 0) return tg_fail("narrow(): length must be non-negative.");
        left = indices(&left, d, before, length, 1);
        added.before[d] = at_least_0(pads->before[d]);
        added.behind[d] = at_least_0(pads->behind[d]);
        adds = adds || is_padded(&added, d);
        shape[d] = length + added.before[d] + added.behind[d];
    }
    if (adds && !tg_check_number(value, x->dtype)) return NULL;
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    if (!y) return NULL;
    surround(&left, y, &added, value);
    return tg_record(&constant_pad_op, y, INPUTS(x), NONE, ATTRIBUTES(*pads));
}

/* ---- the others: every element of y is some element of x, along each dim the one that an index names ---- */

/* Circular: first the negative pads cut, then what is left goes round. */
static int64_t round_the_rest(int64_t i, int64_t n, int64_t before, int64_t behind) {
    int64_t rest = n - at_least_0(-before) - at_least_0(-behind), j = (i - at_least_0(before)) % rest;
    return (j < 0 ? j + rest : j) + at_least_0(-before);
}

/* For each place along dim of y the place in x. */
static Tensor *index_along(int dim, int64_t n, const Pads *pads) {
    int64_t before = pads->before[dim], size = n + before + pads->behind[dim];
    Tensor *index = tg_empty(&size, 1, t_int64);
    int64_t *at = index ? tg_data(index) : NULL;
    for (int64_t i = 0; at && i < size; i++) {
        int64_t j = i - before;
        if (pads->mode == REFLECT) at[i] = j < 0 ? -j : j >= n ? 2 * (n - 1) - j : j;
        else if (pads->mode == REPLICATE) at[i] = j < 0 ? 0 : j >= n ? n - 1 : j;
        else at[i] = round_the_rest(i, n, before, pads->behind[dim]);
    }
    return index;
}

static bool only_adds(const Pads *pads) {
    for (int d = 0; d < T_MAX_DIMS; d++)
        if (pads->before[d] < 0 || pads->behind[d] < 0) return false;
    return true;
}

/* dy's pads are added where they came from, in the opposite order; its middle is dx. */
static Tensor *gathered(const Edge *x, Tensor *dy, const Pads *pads) {
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

/* ---- the rule, and the others ---- */

/* Each element of dy is added at its place in x, dim by dim. */
static void index_pad_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Pads *pads = r->attributes;
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

/* By mode and by how many dims the list of pads is for. */
static const Op index_pad_ops[4][3] = {
    [REFLECT] = {{"pad", "ReflectionPad1DBackward0", index_pad_backward}, {"pad", "ReflectionPad2DBackward0", index_pad_backward},
                 {"pad", "ReflectionPad3DBackward0", index_pad_backward}},
    [REPLICATE] = {{"pad", "ReplicationPad1DBackward0", index_pad_backward}, {"pad", "ReplicationPad2DBackward0", index_pad_backward},
                   {"pad", "ReplicationPad3DBackward0", index_pad_backward}},
    [CIRCULAR] = {{"pad", "CopySlices", index_pad_backward}, {"pad", "CopySlices", index_pad_backward},
                  {"pad", "CopySlices", index_pad_backward}},
};

static Tensor *index_pad(Tensor *x, const Pads *pads, const Op *op) {
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

/* ---- checks ---- */

static bool check_circular(int64_t n, int64_t before, int64_t behind) {
    if (before > n || behind > n) return tg_fail("Padding value causes wrapping around more than once.");
    bool empty = n - at_least_0(-before) - at_least_0(-behind) <= 0 && n + before + behind != 0;
    return !empty || tg_fail("Negative padding value is resulting in an empty dimension") != NULL;
}

/* "D: 3 H: 4 W: 5" of the padded dims, each with its pads; the sizes of x stand with commas between. */
static void sizes_text(const Tensor *x, int dims, const Pads *pads, const char *between, char *text, size_t room) {
    size_t at = 0;
    for (int i = dims; i > 0 && at < room; i--) {
        int d = x->ndim - i;
        int64_t size = x->shape[d] + (pads ? pads->before[d] + pads->behind[d] : 0);
        at += (size_t)snprintf(text + at, room - at, "%s%c: %lld", i == dims ? "" : between, "WHD"[i - 1], (long long)size);
    }
}

static bool check_mirrors(const Tensor *x, int dims, const Pads *pads) {
    char in[100], out[100];
    bool fits = true;
    for (int d = x->ndim - 1; d >= x->ndim - dims; d--) {
        int64_t n = x->shape[d], before = pads->before[d], behind = pads->behind[d];
        fits = fits && n + before + behind >= 1;
        if (pads->mode == REFLECT && (before >= n || behind >= n))
            return tg_fail("Argument #%d: Padding size should be less than the corresponding input dimension, but got: padding "
                           "(%lld, %lld) at dimension %d of input %s", 2 * (x->ndim - d) + 2, (long long)before, (long long)behind,
                           d, tg_shape_text(x->shape, x->ndim));
    }
    if (fits) return true;
    sizes_text(x, dims, NULL, ", ", in, sizeof in);
    sizes_text(x, dims, pads, " ", out, sizeof out);
    return dims == 1 ? tg_fail("input (%s) is too small. Calculated output %s", in, out)
                     : tg_fail("Calculated output %s must be >= 1 in every dimension (input %s)", out, in);
}

/* Sizes that a mode other than constant takes: dims + 1 or dims + 2 of them, none 0 but the batch's. */
static bool check_sizes(const Tensor *x, const Pads *pads, int count) {
    int dims = count / 2, first = x->ndim == dims + 2;
    if (dims < 1 || dims > 3 || (x->ndim != dims + 1 && x->ndim != dims + 2))
        return tg_fail("Padding size %d is not supported for %dD input tensor.\n"
                       "Supported combinations for non-constant padding:\n"
                       "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
                       "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
                       "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)", count, x->ndim);
    for (int d = x->ndim - dims; d < x->ndim && pads->mode == CIRCULAR; d++)
        if (!check_circular(x->shape[d], pads->before[d], pads->behind[d])) return false;
    for (int d = first; d < x->ndim && pads->mode != CIRCULAR; d++)
        if (x->shape[d] == 0)
            return tg_fail("Expected %dD or %dD (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
                           "input, but got: %s", dims + 1, dims + 2, tg_shape_text(x->shape, x->ndim));
    if (pads->mode != CIRCULAR && !check_mirrors(x, dims, pads)) return false;
    if (x->dtype != t_bool || pads->mode == CIRCULAR) return true;
    return tg_fail("\"%s_pad%dd\" not implemented for 'Bool'", pads->mode == REFLECT ? "reflection" : "replication", dims);
}

static bool parse_mode(const char *word, Mode *mode) {
    static const char *const words[] = {"constant", "reflect", "replicate", "circular"};
    for (int i = 0; i < 4; i++)
        if (strcmp(word ? word : "constant", words[i]) == 0) {
            *mode = (Mode)i;
            return true;
        }
    return tg_fail("Unrecognised padding mode %s", word);
}

/* F.pad(x, pad, mode, value): `count` pads, two for each dim from the last on. "constant" (also for NULL) pads with value
 * (NAN: None, which is 0), any dims of any rank; "reflect" mirrors at the edge without repeating it, "replicate" repeats the
 * edge, "circular" goes on at the other end: these three pad the last 1, 2 or 3 dims of a tensor with one or two dims before them.
 * Negative pads cut. Any dtype (bool only for constant and circular). dx: each element of dy goes back where y took it from.
 * Errors: an odd count, more pads than dims, pads that a mode cannot fill, a value where the mode takes none. */
Tensor *F_pad(Tensor *x, const int64_t *pad, int count, const char *mode, double value) {
    Mode how = CONSTANT;
    if (!tg_check(x, 1) || !parse_mode(mode, &how)) return NULL;
    if (count < 0 || count % 2) return tg_fail("Padding length must be divisible by 2");
    if (count > 0 && !pad) return t_error() ? NULL : tg_fail("argument 2 is NULL where pads are expected");
    if (count > 2 * x->ndim)
        return tg_fail("Padding length should be less than or equal to two times the input dimension but got padding length %d and "
                       "input of dimension %d", count, x->ndim);
    Pads pads = pads_of(x, pad, count, how);
    if (how != CONSTANT && !isnan(value) && value != 0)
        return tg_fail("Padding mode \"%s\" doesn't take in value argument", mode);
    if (how != CONSTANT && !check_sizes(x, &pads, count)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = how == CONSTANT ? constant_pad(x, &pads, isnan(value) ? 0 : value)
                                : index_pad(x, &pads, &index_pad_ops[how][count / 2 - 1]);
    y = t_keep_object(y);
    t_scope_close(depth);
    return y;
}
