/* nn/functional/vision/pad_checks.c: the size checks of F.pad's modes other than constant, with PyTorch's messages. */
#include <stdio.h>

#include "core/tensor/tensor.h"
#include "nn/functional/vision/pad_internal.h"

static bool check_circular(int64_t n, const tg_Pads *pads, int d) {
    if (pads->before[d] > n || pads->after[d] > n)
        return tg_fail("Padding value causes wrapping around more than once.");
    const int64_t left = tg_left_of(pads, d, n);
    if (left <= 0 && tg_padded(pads, d, n) != 0)
        return tg_fail("Negative padding value is resulting in an empty dimension");
    if (pads->before[d] <= left && pads->after[d] <= left) return true;
    /* PyTorch copies within its result, and raises an error where source and target overlap. */
    return tg_fail("unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                   "single memory location. Please clone() the tensor before performing the operation.");
}

/* "D: 3 H: 4 W: 5": the last `dims` sizes of y, or with no pads given of x. */
static void sizes_text(const Tensor *x, int dims, const tg_Pads *pads, const char *between, char *text,
                       size_t capacity) {
    size_t at = 0;
    for (int i = dims; i > 0 && at < capacity; i--) {
        int d = x->ndim - i;
        int64_t size = pads ? tg_padded(pads, d, x->shape[d]) : x->shape[d];
        at += (size_t)snprintf(text + at, capacity - at, "%s%c: %lld", i == dims ? "" : between, "WHD"[i - 1],
                               (long long)size);
    }
}

/* The checks of reflect and replicate. */
static bool check_mirrors(const Tensor *x, int dims, const tg_Pads *pads) {
    char in[100], out[100];
    bool fits = true;
    for (int d = x->ndim - 1; d >= x->ndim - dims; d--) {
        int64_t n = x->shape[d], before = pads->before[d], after = pads->after[d];
        fits = fits && tg_padded(pads, d, n) >= 1;
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

/* x must have dims + 1 or dims + 2 dims, none of size 0 but the batch's. */
bool tg_check_pads(const Tensor *x, const tg_Pads *pads, int count) {
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
