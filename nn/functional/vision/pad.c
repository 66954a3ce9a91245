/* nn/functional/vision/pad.c: F.pad, which adds elements around a tensor, or (where a pad is negative) removes some.
 *
 * The pads come in pairs from the last dim on: {left, right} of the last, {top, bottom} of the one before, ... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/indexing/gather_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/vision/pad_internal.h"
#include "nn/functional/vision/vision.h"

/* How many elements a pad adds, and how many it removes. */
static inline int64_t elements_added(int64_t pad) {
    return pad > 0 ? pad : 0;
}
static inline int64_t elements_cut(int64_t pad) {
    return pad < 0 ? tg_size_sub(0, pad) : 0;
}

/* How many of the n elements of x along dim d remain (negative where more are cut than there are), and the size of y
 * there. */
static inline int64_t remaining(const Pads *pads, int d, int64_t n) {
    return tg_size_sub(tg_size_sub(n, elements_cut(pads->before[d])), elements_cut(pads->after[d]));
}
static inline int64_t padded_size(const Pads *pads, int d, int64_t n) {
    return tg_size_add(tg_size_add(n, pads->before[d]), pads->after[d]);
}

static Pads pads_of(const Tensor *x, const int64_t *pad, int count, PadMode mode) {
    Pads pads = {.mode = mode};
    for (int i = 0; i < count / 2; i++) {
        pads.before[x->ndim - 1 - i] = pad[2 * i];
        pads.after[x->ndim - 1 - i] = pad[2 * i + 1];
    }
    return pads;
}

static bool is_padded(const Pads *pads, int dim) {
    return pads->before[dim] || pads->after[dim];
}

/* ---- where no pad is negative: x is copied to the middle of y, then dim by dim the pads before and after it are
 * filled with a value or copied from y ---- */

/* The view y[..., first : first + length * step : step, ...] along dim d. */
static Tensor subrange(const Tensor *y, int d, int64_t first, int64_t length, int64_t step) {
    Tensor part = *y;
    part.offset = tg_offset_at(y, d, first);
    part.strides[d] *= step;
    part.shape[d] = length;
    return part;
}

/* A pad of one dim and its source; both are views of y. */
typedef struct Side {
    Tensor pad, source;
} Side;

/* inner is y without the pads of dim d and later dims; n is x's size along d. */
static Side side_of(const Tensor *inner, int d, int64_t n, const Pads *pads, bool after) {
    const int64_t before = pads->before[d], length = after ? pads->after[d] : before, first = after ? n : -before;
    Side s = {.pad = subrange(inner, d, first, length, 1)};
    if (pads->mode == TG_REFLECT) s.source = subrange(inner, d, after ? n - 2 : before, length, -1);
    else if (pads->mode == TG_REPLICATE) s.source = subrange(inner, d, after ? n - 1 : 0, length, 0);
    else s.source = subrange(inner, d, after ? 0 : n - before, length, 1);
    return s;
}

/* The part of y that holds x. */
static Tensor middle_of(const Tensor *y, const Pads *pads) {
    Tensor middle = *y;
    for (int d = 0; d < y->ndim; d++)
        middle = subrange(&middle, d, pads->before[d], y->shape[d] - pads->before[d] - pads->after[d], 1);
    return middle;
}

/* Extends inner by dim d's pads. */
static void add_pads(Tensor *inner, int d, const Pads *pads) {
    *inner = subrange(inner, d, -pads->before[d], padded_size(pads, d, inner->shape[d]), 1);
}

/* x and y, processed in blocks: a block is `block` indices of the last of the `lead` leading dims, none of which is
 * padded, and one index of each dim before. */
typedef struct PadJob {
    const Tensor *x, *y;
    const Pads *pads;
    double value;
    int lead;
    int64_t block;
} PadJob;

static int64_t blocks_along(const PadJob *s, int d) {
    const int64_t block = d == s->lead - 1 ? s->block : 1;
    return (s->x->shape[d] + block - 1) / block;
}

static void fill_block(const PadJob *s, int64_t item) {
    Tensor x = *s->x, y = *s->y;
    for (int d = s->lead - 1; d >= 0; d--) {
        const int64_t blocks = blocks_along(s, d), each = d == s->lead - 1 ? s->block : 1, first = item % blocks * each;
        const int64_t length = x.shape[d] - first < each ? x.shape[d] - first : each;
        item /= blocks;
        x = subrange(&x, d, first, length, 1);
        y = subrange(&y, d, first, length, 1);
    }
    Tensor inner = middle_of(&y, s->pads);
    tg_copy_into(&inner, &x);
    for (int d = s->lead; d < x.ndim; add_pads(&inner, d++, s->pads))
        for (int after = 0; after < 2 && is_padded(s->pads, d); after++) {
            Side side = side_of(&inner, d, x.shape[d], s->pads, after);
            if (s->pads->mode == TG_CONSTANT) tg_fill_into(&side.pad, s->value);
            else if (side.pad.shape[d]) tg_copy_into(&side.pad, &side.source);
        }
}
static void fill_blocks(int64_t from, int64_t to, void *context) {
    for (; from < to; from++) fill_block(context, from);
}

/* In blocks, so that the source of the pads is still in the cache. */
static void fill_pads(const Tensor *x, const Tensor *y, const Pads *pads, double value) {
    enum { BYTES = 1 << 17 };
    PadJob s = {x, y, pads, value, 0, 1};
    int64_t items = 1, bytes = (int64_t)tg_itemsize(y->dtype);
    if (tg_numel(y) == 0) return;
    while (s.lead < x->ndim && !is_padded(pads, s.lead)) s.lead++;
    if (s.lead == x->ndim) s.lead = 0; /* a copy */
    for (int d = s.lead; d < x->ndim; d++) bytes *= y->shape[d];
    for (; s.lead > 0 && bytes * y->shape[s.lead - 1] <= BYTES; s.lead--) bytes *= y->shape[s.lead - 1];
    if (bytes < BYTES) s.block = BYTES / bytes;
    for (int d = 0; d < s.lead; d++) items *= blocks_along(&s, d);
    tg_parallel(items, 1, fill_blocks, &s);
}

static Tensor *padded_copy(Tensor *x, const Pads *pads) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = padded_size(pads, d, x->shape[d]);
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    if (y) fill_pads(x, y, pads, 0);
    return y;
}

/* ---- constant: y holds the remaining part of x, and the value around it ---- */

static Tensor *constant_pad(Tensor *x, const Pads *pads, double value);

/* dx = dy with the pads removed, and 0 where x was cut. */
static void constant_pad_backward(Record *r, Tensor *dy, Tensor **dx) {
    Pads pads = *(Pads *)r->attributes;
    for (int d = 0; d < T_MAX_DIMS; d++) {
        pads.before[d] = -pads.before[d];
        pads.after[d] = -pads.after[d];
    }
    dx[0] = dy ? constant_pad(dy, &pads, 0) : NULL;
}
static const Op constant_pad_op = {"pad", "ConstantPadNdBackward0", constant_pad_backward};

static Tensor *constant_pad(Tensor *x, const Pads *pads, double value) {
    int64_t shape[T_MAX_DIMS];
    bool adds = false;
    Pads added = {.mode = TG_CONSTANT};
    Tensor left = *x;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t length = remaining(pads, d, x->shape[d]);
        if (length < 0) return tg_fail("narrow(): length must be non-negative.");
        left = subrange(&left, d, elements_cut(pads->before[d]), length, 1);
        added.before[d] = elements_added(pads->before[d]);
        added.after[d] = elements_added(pads->after[d]);
        adds = adds || is_padded(&added, d);
        shape[d] = padded_size(pads, d, x->shape[d]);
    }
    if (adds && !tg_check_scalar_fits(value, x->dtype)) return NULL;
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    if (!y) return NULL;
    fill_pads(&left, y, &added, value);
    Pads recorded = *pads;
    recorded.value = value;
    return tg_record(&constant_pad_op, y, INPUTS(x), NONE, ATTRIBUTES(recorded));
}

/* ---- reflect, replicate, circular: y is a selection of x's elements, in general by an index for each dim ---- */

/* Circular: negative pads cut first, then the remaining part is repeated. */
static int64_t wrap_index(int64_t i, int64_t n, const Pads *pads, int dim) {
    int64_t before = pads->before[dim], left = remaining(pads, dim, n), j = (i - elements_added(before)) % left;
    return (j < 0 ? j + left : j) + elements_cut(before);
}

/* The index in x for each index of y along dim. */
static Tensor *index_along(int dim, int64_t n, const Pads *pads) {
    int64_t before = pads->before[dim], size = padded_size(pads, dim, n);
    Tensor *index = tg_empty(&size, 1, t_int64);
    int64_t *at = index ? tg_data(index) : NULL;
    for (int64_t i = 0; at && i < size; i++) {
        int64_t j = i - before;
        if (pads->mode == TG_REFLECT) at[i] = j < 0 ? -j : j >= n ? 2 * (n - 1) - j : j;
        else if (pads->mode == TG_REPLICATE) at[i] = j < 0 ? 0 : j >= n ? n - 1 : j;
        else at[i] = wrap_index(i, n, pads, dim);
    }
    return index;
}

static bool only_adds(const Pads *pads) {
    for (int d = 0; d < T_MAX_DIMS; d++)
        if (pads->before[d] < 0 || pads->after[d] < 0) return false;
    return true;
}

/* Adds dy's pads to their sources in y's layout, in the opposite order of the forward; the middle is dx. */
static Tensor *accumulate_pads(const Edge *x, Tensor *dy, const Pads *pads) {
    Tensor *sum = t_clone(t_contiguous(dy)), *dx = tg_empty(x->shape, x->ndim, dy->dtype);
    if (!sum || !dx) return NULL;
    for (int d = x->ndim - 1; d >= 0; d--) {
        Tensor inner = middle_of(sum, pads);
        for (int i = 0; i < d; i++) add_pads(&inner, i, pads);
        for (int after = 0; after < 2; after++) {
            Side s = side_of(&inner, d, x->shape[d], pads, after);
            if (tg_numel(&s.pad)) tg_add_into(&s.source, &s.pad);
        }
    }
    Tensor middle = middle_of(sum, pads);
    tg_copy_into(dx, &middle);
    return dx;
}

/* dx sums each element of dy at the index in x that it was copied from, dim by dim. */
static void index_pad_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Pads *pads = r->attributes;
    const Edge *x = &r->edges[0];
    if (dy && !t_is_grad_enabled() && only_adds(pads)) {
        dx[0] = accumulate_pads(x, dy, pads);
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
        Tensor *expanded = index ? t_expand(t_reshape(index, ones, x->ndim), dy->shape, dy->ndim) : NULL;
        dy = expanded ? tg_scatter_add(dy, d, expanded, shape, x->ndim) : NULL;
    }
    dx[0] = dy;
}

/* By mode and number of padded dims: each has its own grad_fn name in PyTorch. */
static const Op index_pad_ops[4][3] = {
    [TG_REFLECT] = {{"pad", "ReflectionPad1DBackward0", index_pad_backward},
                    {"pad", "ReflectionPad2DBackward0", index_pad_backward},
                    {"pad", "ReflectionPad3DBackward0", index_pad_backward}},
    [TG_REPLICATE] = {{"pad", "ReplicationPad1DBackward0", index_pad_backward},
                      {"pad", "ReplicationPad2DBackward0", index_pad_backward},
                      {"pad", "ReplicationPad3DBackward0", index_pad_backward}},
    [TG_CIRCULAR] = {{"pad", "CopySlices", index_pad_backward},
                     {"pad", "CopySlices", index_pad_backward},
                     {"pad", "CopySlices", index_pad_backward}},
};

static Tensor *index_pad(Tensor *x, const Pads *pads, const Op *op) {
    bool grad_enabled = t_set_grad_enabled(false), adds = only_adds(pads);
    Tensor *y = adds ? padded_copy(x, pads) : x;
    for (int d = 0; y && d < x->ndim && !adds; d++) {
        Tensor *index = is_padded(pads, d) ? index_along(d, x->shape[d], pads) : NULL;
        if (index) y = t_index_select(y, d, index);
        else if (is_padded(pads, d)) y = NULL;
    }
    if (y == x) y = t_clone(x);
    t_set_grad_enabled(grad_enabled);
    return tg_record(op, y, INPUTS(x), NONE, ATTRIBUTES(*pads));
}

/* ---- the sizes that the modes other than constant allow, with PyTorch's messages ---- */

static bool check_circular(int64_t n, const Pads *pads, int d) {
    if (pads->before[d] > n || pads->after[d] > n)
        return tg_fail("Padding value causes wrapping around more than once.");
    const int64_t left = remaining(pads, d, n);
    if (left <= 0 && padded_size(pads, d, n) != 0)
        return tg_fail("Negative padding value is resulting in an empty dimension");
    if (pads->before[d] <= left && pads->after[d] <= left) return true;
    /* PyTorch copies within its result, and raises an error where source and target overlap. */
    return tg_fail("unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                   "single memory location. Please clone() the tensor before performing the operation.");
}

/* "D: 3 H: 4 W: 5": the last `dims` sizes of y, or with no pads given of x. */
static void sizes_text(const Tensor *x, int dims, const Pads *pads, const char *between, char *text,
                       size_t capacity) {
    size_t at = 0;
    for (int i = dims; i > 0 && at < capacity; i--) {
        int d = x->ndim - i;
        int64_t size = pads ? padded_size(pads, d, x->shape[d]) : x->shape[d];
        at += (size_t)snprintf(text + at, capacity - at, "%s%c: %lld", i == dims ? "" : between, "WHD"[i - 1],
                               (long long)size);
    }
}

/* The checks of reflect and replicate. */
static bool check_mirrors(const Tensor *x, int dims, const Pads *pads) {
    char in[100], out[100];
    bool fits = true;
    for (int d = x->ndim - 1; d >= x->ndim - dims; d--) {
        int64_t n = x->shape[d], before = pads->before[d], after = pads->after[d];
        fits = fits && padded_size(pads, d, n) >= 1;
        if (pads->mode == TG_REFLECT && (before >= n || after >= n))
            return tg_fail(
                "Argument #%d: Padding size should be less than the corresponding input dimension, but got: padding "
                "(%lld, %lld) at dimension %d of input %s",
                2 * (x->ndim - d) + 2, (long long)before, (long long)after, d, tg_shape_of(x));
    }
    if (fits) return true;
    sizes_text(x, dims, NULL, ", ", in, sizeof in);
    sizes_text(x, dims, pads, " ", out, sizeof out);
    return dims == 1 ? tg_fail("input (%s) is too small. Calculated output %s", in, out)
                     : tg_fail("Calculated output %s must be >= 1 in every dimension (input %s)", out, in);
}

/* Checks the sizes for a mode other than constant: x must have dims + 1 or dims + 2 dims, none of size 0 except the
 * batch's; false with PyTorch's error. */
static bool check_pads(const Tensor *x, const Pads *pads, int count) {
    int dims = count / 2, first = x->ndim == dims + 2;
    if (dims < 1 || dims > 3 || (x->ndim != dims + 1 && x->ndim != dims + 2))
        return tg_fail("Padding size %d is not supported for %dD input tensor.\n"
                       "Supported combinations for non-constant padding:\n"
                       "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
                       "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
                       "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)", count, x->ndim);
    for (int d = x->ndim - dims; d < x->ndim && pads->mode == TG_CIRCULAR; d++)
        if (!check_circular(x->shape[d], pads, d)) return false;
    for (int d = first; d < x->ndim && pads->mode != TG_CIRCULAR; d++)
        if (x->shape[d] == 0)
            return tg_fail(
                "Expected %dD or %dD (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
                "input, but got: %s",
                dims + 1, dims + 2, tg_shape_of(x));
    if (pads->mode != TG_CIRCULAR && !check_mirrors(x, dims, pads)) return false;
    if (x->dtype != t_bool || pads->mode == TG_CIRCULAR) return true;
    return tg_fail("\"%s_pad%dd\" not implemented for 'Bool'", pads->mode == TG_REFLECT ? "reflection" : "replication",
                   dims);
}

/* ---- F.pad ---- */

static bool parse_mode(const char *word, PadMode *mode) {
    static const char *const words[] = {"constant", "reflect", "replicate", "circular"};
    for (int i = 0; i < 4; i++)
        if (strcmp(word ? word : "constant", words[i]) == 0) {
            *mode = (PadMode)i;
            return true;
        }
    return tg_fail("Unrecognised padding mode %s", word);
}

/* F.pad(x, pad, mode, value): `count` pads, two for each dim from the last on. "constant" (also for NULL) pads with
 * value (NAN: None, which is 0), any dims of any rank; "reflect" mirrors at the edge without repeating it, "replicate"
 * repeats the edge element, "circular" wraps around: these three pad the last 1, 2 or 3 dims of a tensor with one or
 * two dims before them. Negative pads remove elements. Any dtype (bool only for constant and circular). dx: each
 * element of dy is added where y took it from. Errors: an odd count, more pads than dims, pads that a mode cannot fill
 * (circular: larger than what the cut leaves), a value where the mode takes none. */
Tensor *F_pad(Tensor *x, const int64_t *pad, int count, const char *mode, double value) {
    TG_COMPOSITE("pad");
    if (mode && (strcmp(mode, "reflect") == 0 || strcmp(mode, "replicate") == 0)) TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_pad(tg_widened(x), pad, count, mode, value), x->dtype);
    PadMode pad_mode = TG_CONSTANT;
    if (!tg_check(x, 1) || !parse_mode(mode, &pad_mode)) return NULL;
    if (count < 0 || count % 2) return tg_fail("Padding length must be divisible by 2");
    if (count > 0 && !pad) return t_error() ? NULL : tg_fail("argument 2 is NULL where pads are expected");
    if (count > 2 * x->ndim)
        return tg_fail("Padding length should be less than or equal to two times the input dimension but got padding "
                       "length %d and input of dimension %d",
                       count, x->ndim);
    Pads pads = pads_of(x, pad, count, pad_mode);
    if (pad_mode != TG_CONSTANT && !isnan(value) && value != 0)
        return tg_fail("Padding mode \"%s\" doesn't take in value argument", mode);
    if (pad_mode != TG_CONSTANT && !check_pads(x, &pads, count)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = pad_mode == TG_CONSTANT ? constant_pad(x, &pads, isnan(value) ? 0 : value)
                                : index_pad(x, &pads, &index_pad_ops[pad_mode][count / 2 - 1]);
    return tg_scope_return(depth, y);
}
