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

int64_t tg_window_count(const Window *w, int d) {
    const int64_t padded = tg_size_add(w->in[d], tg_size_mul(2, w->padding[d]));
    const int64_t available = tg_size_sub(padded, tg_window_extent(w, d));
    const int64_t count = available >= 0 ? available / w->stride[d] : -1 - -(available + 1) / w->stride[d];
    return tg_size_add(count, 1);
}

int64_t tg_window_extent(const Window *w, int d) {
    return tg_size_add(tg_size_mul(w->dilation[d], tg_size_sub(w->kernel[d], 1)), 1);
}

bool tg_normalize_window(Window *w) {
    const int64_t most = INT64_MAX / 8;
    for (int d = 0; d < 2; d++) {
        if (w->padding[d] > most)
            return tg_fail("Given padding=%lld at dimension %d , expected padding to be at most %lld",
                           (long long)w->padding[d], w->dims == 1 ? 0 : d, (long long)most);
        if (tg_window_extent(w, d) > most)
            return tg_fail("effective kernel size overflows, but got kernel_size=%lld and dilation=%lld",
                           (long long)w->kernel[d], (long long)w->dilation[d]);
        if (w->kernel[d] == 1) w->dilation[d] = 1;
        if (w->out[d] <= 1) w->stride[d] = 1;
    }
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
