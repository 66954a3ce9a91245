/* nn/window.c: a window that slides over a plane. */
#include "nn/window.h"

#include <stdio.h>

#include "nn/functional_layers.h"

void tg_pair(const int64_t *given, int dims, int64_t neutral, int64_t pair[2]) {
    pair[0] = dims == 2 ? given[0] : neutral;
    pair[1] = dims == 2 && given[1] != F_BOTH ? given[1] : given[0];
}

void tg_plane(const Tensor *x, int dims, int64_t plane[2]) {
    plane[0] = dims == 2 ? x->shape[x->ndim - 2] : 1;
    plane[1] = x->shape[x->ndim - 1];
}

int64_t tg_window_places(const Window *w, int d) {
    int64_t room = w->in[d] + 2 * w->padding[d] - w->dilation[d] * (w->kernel[d] - 1) - 1;
    return (room >= 0 ? room / w->stride[d] : -((-room + w->stride[d] - 1) / w->stride[d])) + 1;
}

SizesText tg_by_text(const int64_t pair[2], int dims) {
    SizesText by;
    if (dims == 1) snprintf(by.text, sizeof by.text, "(%lld)", (long long)pair[1]);
    else snprintf(by.text, sizeof by.text, "(%lld x %lld)", (long long)pair[0], (long long)pair[1]);
    return by;
}

static void write_size(int64_t size, char *text, size_t room) {
    if (size == T_NONE) snprintf(text, room, "None");
    else snprintf(text, room, "%lld", (long long)size);
}

SizesText tg_tuple_text(const int64_t *sizes, int count) {
    SizesText tuple;
    char first[24], second[24];
    write_size(sizes[0], first, sizeof first);
    if (count > 1 && sizes[1] != F_BOTH) {
        write_size(sizes[1], second, sizeof second);
        snprintf(tuple.text, sizeof tuple.text, "(%s, %s)", first, second);
    } else {
        snprintf(tuple.text, sizeof tuple.text, count == 1 ? "(%s,)" : "%s", first);
    }
    return tuple;
}
