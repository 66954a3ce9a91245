/* nn/functional/convolution/sliding_window.c: size arithmetic of a window that slides over a plane, and its texts. */
#include "nn/functional/convolution/sliding_window_internal.h"

#include <stdio.h>

#include "core/tensor/size_arithmetic.h"
#include "nn/functional/convolution/convolution.h"

void tg_pair(const int64_t *given, int dims, int64_t neutral, int64_t pair[2]) {
    pair[0] = dims == 2 ? given[0] : neutral;
    pair[1] = dims == 2 && given[1] != F_BOTH ? given[1] : given[0];
}

void tg_plane(const Tensor *x, int dims, int64_t plane[2]) {
    plane[0] = dims == 2 ? x->shape[x->ndim - 2] : 1;
    plane[1] = x->shape[x->ndim - 1];
}

/* floor((padded - extent) / stride) + 1, which may be negative. */
static int64_t positions(int64_t padded, int64_t extent, int64_t stride) {
    const int64_t available = tg_size_sub(padded, extent);
    return tg_size_add(available >= 0 ? available / stride : -1 - -(available + 1) / stride, 1);
}

int64_t tg_window_count(const Window *w, int d) {
    return positions(tg_size_add(w->in[d], tg_size_mul(2, w->padding[d])), tg_window_extent(w, d), w->stride[d]);
}

int64_t tg_window_extent_of(int64_t kernel, int64_t dilation) {
    return tg_size_add(tg_size_mul(dilation, tg_size_sub(kernel, 1)), 1);
}

int64_t tg_window_extent(const Window *w, int d) {
    return tg_window_extent_of(w->kernel[d], w->dilation[d]);
}

bool tg_normalize_sizes(int count, int first, const int64_t *kernel, int64_t *stride, const int64_t *padding,
                        int64_t *dilation, const int64_t *out) {
    const int64_t most = INT64_MAX / 8;
    for (int d = 0; d < count; d++) {
        if (padding[d] > most)
            return tg_fail("Given padding=%lld at dimension %d , expected padding to be at most %lld",
                           (long long)padding[d], d < first ? 0 : d - first, (long long)most);
        if (tg_window_extent_of(kernel[d], dilation[d]) > most)
            return tg_fail("effective kernel size overflows, but got kernel_size=%lld and dilation=%lld",
                           (long long)kernel[d], (long long)dilation[d]);
        if (kernel[d] == 1) dilation[d] = 1;
        if (out[d] <= 1) stride[d] = 1;
    }
    return true;
}

bool tg_normalize_window(Window *w) {
    return tg_normalize_sizes(2, w->dims == 1, w->kernel, w->stride, w->padding, w->dilation, w->out);
}

bool tg_pool_positions(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode,
                       int64_t *out) {
    const int64_t extent = tg_window_extent_of(kernel, dilation);
    if (stride == 0) return tg_fail("stride should not be zero");
    if (padding < 0) return tg_fail("pad must be non-negative, but got pad: %lld", (long long)padding);
    if (padding > extent / 2)
        return tg_fail(
            "pad should be at most half of effective kernel size, but got pad=%lld, kernel_size=%lld and dilation=%lld",
            (long long)padding, (long long)kernel, (long long)dilation);
    if (stride < 0 || kernel < 1 || dilation < 1) return true;
    const int64_t padded = tg_size_add(tg_size_add(in, ceil_mode ? stride - 1 : 0), tg_size_mul(2, padding));
    *out = positions(padded, extent, stride);
    if (ceil_mode && tg_size_mul(*out - 1, stride) >= tg_size_add(in, padding)) --*out;
    return true;
}

SizesText tg_size_by_text(const int64_t pair[2], int dims) {
    SizesText result;
    if (dims == 1) snprintf(result.text, sizeof result.text, "(%lld)", (long long)pair[1]);
    else snprintf(result.text, sizeof result.text, "(%lld x %lld)", (long long)pair[0], (long long)pair[1]);
    return result;
}

static void write_size(int64_t size, char *text, size_t available) {
    if (size == T_NONE) snprintf(text, available, "None");
    else snprintf(text, available, "%lld", (long long)size);
}

SizesText tg_tuple_repr(const int64_t *sizes, int count) {
    SizesText result;
    char first[24], second[24], third[24];
    write_size(sizes[0], first, sizeof first);
    if (count > 1 && sizes[1] != F_BOTH) {
        write_size(sizes[1], second, sizeof second);
        if (count == 2) snprintf(result.text, sizeof result.text, "(%s, %s)", first, second);
        else {
            write_size(sizes[2], third, sizeof third);
            snprintf(result.text, sizeof result.text, "(%s, %s, %s)", first, second, third);
        }
    } else {
        snprintf(result.text, sizeof result.text, count == 1 ? "(%s,)" : "%s", first);
    }
    return result;
}

Tensor *tg_dense_tensor(Tensor *x) {
    return !x || tg_is_contiguous(x) ? x : t_contiguous(t_detach(x));
}
