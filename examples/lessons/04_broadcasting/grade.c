/* examples/lessons/04_broadcasting/grade.c: compares views and gradients with the library's. */
#include "grader.h"
#include SUBMISSION

#define LIBRARY "t_*"
#define TAPE "t_backward* t_autograd* for_backward t_sum_to* t_sum_as* t_expand* t_broadcast*"

static double memory[512];

/* An array in `memory` that begins at element 3, and the same values as a tensor. With one in two seeds its dims 0 and
 * 2 are swapped already, so that its strides do not fall. */
typedef struct Both {
    Array a;
    Tensor *t;
} Both;

static Both draw_array(int n, int m, int k) {
    for (int i = 0; i < 512; i++) memory[i] = 1000 + i;
    Both both = {.a = {.data = memory, .offset = 3, .dims = 3, .size = {n, m, k}, .stride = {m * k, k, 1}}};
    both.t = t_view(t_arange(1003., 1003. + n * m * k, .dtype = t_float64), n, m, k);
    if (draw_integer(0, 1)) {
        both.a = (Array){.data = memory, .offset = 3, .dims = 3, .size = {k, m, n}, .stride = {1, k, m * k}};
        both.t = t_transpose(both.t, 0, 2);
    }
    return both;
}

/* The array of the case, for the message: "a: offset 3, sizes (5, 4, 3), strides (1, 5, 20)". */
static const char *array_text(Array a) {
    static char text[128];
    int n = snprintf(text, sizeof text, "a: offset %d", a.offset);
    for (int list = 0; list < 2; list++)
        for (int d = 0; d < a.dims; d++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%d%s", d ? ", " : list ? ", strides (" : ", sizes (",
                          list ? a.stride[d] : a.size[d], d == a.dims - 1 ? ")" : "");
    return text;
}

/* The view has the shape and the elements of the tensor, and lies in `memory`. */
static void expect_view(Array got, Tensor *expected) {
    expect_integer("dims of the view", got.dims, t_dim(expected));
    for (int d = 0; d < got.dims; d++) {
        char what[64];
        snprintf(what, sizeof what, "size[%d] of the view", d);
        expect_integer(what, got.size[d], t_size(expected, d));
    }
    expect_true(got.data == memory, "the view has other memory than the array: it is a copy");
    Tensor *flat = t_contiguous(expected);
    const double *values = t_data_ptr(flat);
    for (int64_t i = 0; i < t_numel(flat); i++) {
        int index[MAX_DIMS] = {0}, at = got.offset;
        int64_t rest = i;
        for (int d = got.dims - 1; d >= 0; d--) index[d] = (int)(rest % got.size[d]), rest /= got.size[d];
        for (int d = 0; d < got.dims; d++) at += index[d] * got.stride[d];
        expect_true(at >= 0 && at < 512, "element [%d, %d, %d] is outside of the memory", index[0], index[1], index[2]);
        expect_true(memory[at] == values[i], "element [%d, %d, %d] is that at place %d, expected place %d", index[0],
                    index[1], index[2], at, (int)values[i] - 1000);
    }
}

static void expect_row_by_row(int dims, const int *size, Tensor *t) {
    Array a = row_by_row(memory, dims, size);
    for (int d = 0; d < dims; d++) {
        char what[64];
        snprintf(what, sizeof what, "stride[%d]", d);
        expect_integer(what, a.stride[d], t_stride(t, d));
    }
}

static void check_row_by_row(void) {
    int n = draw_integer(2, 3), m = draw_integer(4, 5), k = draw_integer(6, 7);
    in_case("size (%d, %d, %d)", n, m, k);
    expect_row_by_row(3, (int[]){n, m, k}, t_zeros(n, m, k));
    in_case("size (%d, %d)", m, k);
    expect_row_by_row(2, (int[]){m, k}, t_zeros(m, k));
    in_case("size (%d)", k);
    expect_row_by_row(1, (int[]){k}, t_zeros(k));
    in_case("size (%d, 2, %d, %d)", k, n, m);
    expect_row_by_row(4, (int[]){k, 2, n, m}, t_zeros(k, 2, n, m));
}

static void check_element(void) {
    for (int i = 0; i < 3; i++) {
        Both both = draw_array(2, 3, 4);
        int p = 1, q = draw_integer(1, 2), r = 1;
        in_case("index [%d, %d, %d], %s", p, q, r, array_text(both.a));
        double *e = element(both.a, (int[]){p, q, r});
        expect_integer("the place", e - memory, (int)t_item(t_at(both.t, "{}, {}, {}", p, q, r)) - 1000);
    }
    int p = draw_integer(1, 2), q = draw_integer(1, 2); /* what is after the dims must not matter */
    Array a = {.data = memory, .offset = 7, .dims = 2, .size = {3, 3, 9, 9}, .stride = {40, 9, 50, 50}};
    in_case("index [%d, %d], %s", p, q, array_text(a));
    expect_integer("the place", element(a, (int[]){p, q, 1, 1}) - memory, 7 + 40 * p + 9 * q);
    a.dims = 4, a.stride[2] = 3, a.stride[3] = 1;
    in_case("index [%d, %d, 2, 1], %s", p, q, array_text(a));
    expect_integer("the place", element(a, (int[]){p, q, 2, 1}) - memory, 7 + 40 * p + 9 * q + 7);
}

static void check_transposed(void) {
    for (int i = 0; i < 3; i++) {
        Both both = draw_array(draw_integer(2, 3), 4, 5);
        int dim0 = draw_integer(0, 1), dim1 = 2 - draw_integer(0, 1 - dim0);
        in_case("dims %d and %d, %s", dim0, dim1, array_text(both.a));
        expect_view(transposed(both.a, dim0, dim1), t_transpose(both.t, dim0, dim1));
    }
}

static void check_sliced(void) {
    for (int i = 0; i < 9; i++) {
        Both both = draw_array(6, 5, 7);
        int dim = i % 3, step = draw_integer(2, 3), start = draw_integer(1, 2), end = start + step + 1;
        if (i >= 3) end--; /* a multiple of the step */
        if (i >= 6) step = 1;
        if (end > both.a.size[dim]) end = both.a.size[dim];
        in_case("%d:%d:%d of dim %d, %s", start, end, step, dim, array_text(both.a));
        expect_view(sliced(both.a, dim, start, end, step), t_slice(both.t, dim, start, end, step));
    }
}

static void check_expanded(void) {
    int n = draw_integer(2, 3), m = draw_integer(4, 5), k = draw_integer(6, 7);
    Both both = draw_array(n, 1, k);
    int s0 = both.a.size[0], s2 = both.a.size[2];
    Array y = {0};
    in_case("(%d, 1, %d) to (%d, %d, %d)", s0, s2, s0, m, s2);
    expect_true(expanded(both.a, 3, (int[]){s0, m, s2}, &y), "the result is false, expected true");
    expect_view(y, t_expand(both.t, s0, m, s2));
    in_case("(%d, 1, %d) to (2, %d, %d, %d)", s0, s2, s0, m, s2);
    expect_true(expanded(both.a, 4, (int[]){2, s0, m, s2}, &y), "the result is false, expected true");
    expect_view(y, t_expand(both.t, 2, s0, m, s2));
    Array row = {.data = memory, .offset = 5, .dims = 1, .size = {k}, .stride = {2}};
    in_case("(%d) to (%d, %d, %d)", k, n, m, k);
    expect_true(expanded(row, 3, (int[]){n, m, k}, &y), "the result is false, expected true");
    expect_view(y, t_expand(t_arange(1005., 1005. + 2 * k, 2., .dtype = t_float64), n, m, k));
    in_case("(%d, 1, %d) to (%d, 1, %d)", s0, s2, s0, s2 + 1);
    expect_true(!expanded(both.a, 3, (int[]){s0, 1, s2 + 1}, &y), "the result is true, expected false");
}

static void expect_broadcast(int a_dims, const int *a, int b_dims, const int *b, int dims, const int *size) {
    int got[MAX_DIMS] = {0};
    expect_integer("dims", broadcast_shape(a_dims, a, b_dims, b, got), dims);
    for (int d = 0; d < dims; d++) {
        char what[64];
        snprintf(what, sizeof what, "size[%d]", d);
        expect_integer(what, got[d], size[d]);
    }
}

static void check_broadcast_shape(void) {
    int n = draw_integer(2, 3), m = draw_integer(4, 5), k = draw_integer(6, 7);
    in_case("(%d, %d) and (%d)", m, k, k);
    expect_broadcast(2, (int[]){m, k}, 1, (int[]){k}, 2, (int[]){m, k});
    in_case("(%d, 1) and (%d, 1, %d)", m, n, k);
    expect_broadcast(2, (int[]){m, 1}, 3, (int[]){n, 1, k}, 3, (int[]){n, m, k});
    in_case("() and (%d)", n);
    expect_broadcast(0, (int[]){0}, 1, (int[]){n}, 1, (int[]){n});
    in_case("(%d, %d) and (%d)", m, k, m);
    expect_broadcast(2, (int[]){m, k}, 1, (int[]){m}, -1, NULL);
}

static Tensor *leaf(Tensor *x) { return t_requires_grad_(t_clone(x), true); }

static void expect_sum_to(Tensor *dy, Tensor *x) {
    x = leaf(x);
    char shape[64] = "";
    for (int d = 0, n = 0; d < t_dim(x); d++)
        n += snprintf(shape + n, sizeof shape - (size_t)n, d ? ", %d" : "%d", (int)t_size(x, d));
    in_case("dy (%d, %d, %d), shape (%s)", (int)t_size(dy, 0), (int)t_size(dy, 1), (int)t_size(dy, 2), shape);
    t_backward(t_expand_as(x, dy), dy);
    expect_close("the sum", sum_to(dy, t_shape(x), (int)t_dim(x)), t_grad(x));
}

static void check_sum_to(void) {
    int n = draw_integer(2, 3), m = draw_integer(4, 5), k = draw_integer(6, 7);
    Tensor *dy = draw_normal(n, m, k);
    expect_sum_to(dy, t_zeros(k));
    expect_sum_to(dy, t_zeros(n, m, k));
    expect_sum_to(dy, t_zeros(n, 1, k));
    expect_sum_to(dy, t_zeros(m, 1));
    expect_sum_to(dy, t_zeros(1, 1, k));
    expect_sum_to(dy, t_zeros(()));
}

static void check_mul_backward(void) {
    int n = draw_integer(2, 3), m = draw_integer(4, 5), k = draw_integer(6, 7);
    for (int i = 0; i < 3; i++) {
        Tensor *a = leaf(i == 1 ? draw_normal(m, 1) : draw_normal(n, m, k));
        Tensor *b = leaf(i == 0 ? draw_normal(k) : i == 1 ? draw_normal(1, k) : draw_normal(n, 1, 1));
        Tensor *y = t_mul(a, b), *dy = t_randn_like(y);
        t_backward(y, dy);
        if (i == 0) in_case("a (%d, %d, %d), b (%d)", n, m, k, k);
        else if (i == 1) in_case("a (%d, 1), b (1, %d)", m, k);
        else in_case("a (%d, %d, %d), b (%d, 1, 1)", n, m, k, n);
        Pair d = mul_backward(t_detach(a), t_detach(b), dy);
        expect_close("da", d.da, t_grad(a));
        expect_close("db", d.db, t_grad(b));
    }
}

static void check_slice_backward(void) {
    for (int dim = 0; dim < 3; dim++) {
        Tensor *x = leaf(draw_normal(5, 6, 7));
        int start = draw_integer(1, 2), step = draw_integer(1, 2), end = draw_integer(4, 5);
        Tensor *y = t_slice(x, dim, start, end, step), *dy = t_randn_like(y);
        t_backward(y, dy);
        in_case("%d:%d:%d of dim %d of (5, 6, 7)", start, end, step, dim);
        expect_close("dx", slice_backward(dy, t_detach(x), dim, start, end, step), t_grad(x));
    }
}

static const Check checks[] = {
    {"row_by_row", 2, check_row_by_row, .forbidden = LIBRARY},
    {"element", 2, check_element, .forbidden = LIBRARY},
    {"transposed", 2, check_transposed, .forbidden = LIBRARY},
    {"sliced", 3, check_sliced, .forbidden = LIBRARY},
    {"expanded", 3, check_expanded, .forbidden = LIBRARY},
    {"broadcast_shape", 2, check_broadcast_shape, .forbidden = LIBRARY},
    {"sum_to", 4, check_sum_to, .forbidden = TAPE},
    {"mul_backward", 2, check_mul_backward, .forbidden = TAPE},
    {"slice_backward", 2, check_slice_backward, .forbidden = TAPE},
};
GRADE("04 broadcasting and views", checks)
