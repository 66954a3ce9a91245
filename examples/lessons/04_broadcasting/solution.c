/* Lesson 04: views by strides, broadcasting, and their gradients.
 *
 * The first half has arrays of your own, without the library. The second half has gradients of tensors, by values: no
 * function here calls t_backward. */
#include <stdbool.h>
#include <stdio.h>

#include "core/core.h"

/* An array of doubles in memory that it may share with others. Element [i, j] of two dims is
 * data[offset + i * stride[0] + j * stride[1]]. */
enum { MAX_DIMS = 4 };
typedef struct Array {
    double *data;
    int offset, dims;
    int size[MAX_DIMS], stride[MAX_DIMS];
} Array;

/* The array of the given sizes whose elements follow one another in data, row by row: the last stride is 1. */
Array row_by_row(double *data, int dims, const int *size) {
    Array a = {.data = data, .dims = dims};
    for (int d = 0; d < dims; d++) a.size[d] = size[d];
    // HOLE
    //| /* your code: the strides */
    int step = 1;
    for (int d = dims - 1; d >= 0; d--) {
        // WRONG column_by_column 20: for (int d = 0; d < dims; d++) {
        // WRONG three_sizes 20: for (int d = 2; d >= 0; d--) {
        a.stride[d] = step;
        step *= size[d];
    }
    // END
    return a;
}

/* Where the element with this index is: index[0] ... index[a.dims - 1]. */
double *element(Array a, const int *index) {
    // HOLE
    //| (void)index; /* your code */
    //| return a.data;
    int at = a.offset;
    // WRONG no_offset 20: int at = 0;
    for (int d = 0; d < a.dims; d++) at += index[d] * a.stride[d];
    // WRONG three_indices 20: for (int d = 0; d < 3; d++) at += index[d] * a.stride[d];
    return a.data + at;
    // END
}

/* A view with two dims swapped: no element moves (PyTorch: transpose). */
Array transposed(Array a, int dim0, int dim1) {
    // HOLE
    //| (void)dim0, (void)dim1; /* your code */
    //| return a;
    Array y = a;
    y.size[dim0] = a.size[dim1], y.size[dim1] = a.size[dim0];
    y.stride[dim0] = a.stride[dim1], y.stride[dim1] = a.stride[dim0];
    // WRONG strides_kept 20:
    // WRONG one_overwritten 20: y.size[dim0] = y.size[dim1];
    // WRONG one_overwritten: y.stride[dim0] = a.stride[dim1], y.stride[dim1] = a.stride[dim0];
    return y;
    // END
}

/* A view of the elements start, start + step, ... before end of one dim (Python: a[start:end:step]).
 * 0 <= start < end <= size, step >= 1. */
Array sliced(Array a, int dim, int start, int end, int step) {
    // HOLE
    //| (void)dim, (void)start, (void)end, (void)step; /* your code */
    //| return a;
    Array y = a;
    y.offset += start * a.stride[dim];
    // WRONG start_not_scaled 19: y.offset += start;
    y.size[dim] = (end - start + step - 1) / step;
    // WRONG rounded_down 19: y.size[dim] = (end - start) / step;
    // WRONG one_more 19: y.size[dim] = (end - start) / step + 1;
    y.stride[dim] *= step;
    // WRONG no_step 19:
    return y;
    // END
}

/* A view of a larger shape, in *y: dims are aligned at the last one, and a size of 1, or a dim that a does not have,
 * is repeated with stride 0 (PyTorch: expand). False, if a dim of another size than 1 should change. */
bool expanded(Array a, int dims, const int *size, Array *y) {
    // HOLE
    //| (void)dims, (void)size; /* your code */
    //| *y = a;
    //| return true;
    if (dims < a.dims) return false;
    Array e = {.data = a.data, .offset = a.offset, .dims = dims};
    for (int d = 0; d < dims; d++) {
        int from = d - (dims - a.dims);
        // WRONG aligned_left 19: int from = d < a.dims ? d : -1;
        // WRONG one_new_dim 19: int from = dims == a.dims ? d : d - 1;
        e.size[d] = size[d];
        if (from < 0 || (a.size[from] == 1 && size[d] != 1)) continue; /* stride 0 */
        // WRONG not_zero 19: if (from < 0) continue;
        // WRONG not_zero: if (a.size[from] == 1) { e.stride[d] = a.stride[from]; continue; }
        if (a.size[from] != size[d]) return false;
        // WRONG unchecked 19: (void)0;
        e.stride[d] = a.stride[from];
    }
    *y = e;
    return true;
    // END
}

/* The shape that a and b are broadcast to, in size; returns its dims, or -1 if the shapes do not go together. */
int broadcast_shape(int a_dims, const int *a, int b_dims, const int *b, int *size) {
    // HOLE
    //| (void)a_dims, (void)a, (void)b_dims, (void)b, (void)size; /* your code */
    //| return 0;
    int dims = a_dims > b_dims ? a_dims : b_dims;
    for (int d = 0; d < dims; d++) {
        int of_a = d - (dims - a_dims), of_b = d - (dims - b_dims);
        // WRONG from_the_left 20: int of_a = d < a_dims ? d : -1, of_b = d < b_dims ? d : -1;
        int n = of_a < 0 ? 1 : a[of_a], m = of_b < 0 ? 1 : b[of_b];
        if (n != m && n != 1 && m != 1) return -1;
        // WRONG larger_wins 20:
        size[d] = n > m ? n : m;
    }
    return dims;
    // END
}

/* ---- gradients ---- */

/* The gradient of broadcasting: sums dy over what was repeated, so that the result has the given shape. */
Tensor *sum_to(Tensor *dy, const int64_t *shape, int dims) {
    // HOLE
    //| (void)dy, (void)shape, (void)dims; /* your code */
    //| return t_zeros(1, 1, 1, 1, 1);
    while (t_dim(dy) > dims) dy = t_sum(dy, 0);
    for (int d = 0; d < dims; d++)
        if (shape[d] == 1) dy = t_sum(dy, d, .keepdim = true);
        // WRONG dims_lost 16: if (shape[d] == 1) dy = t_sum(dy, d);
        // WRONG mean 16: if (shape[d] == 1) dy = t_mean(dy, d, .keepdim = true);
        // WRONG leading_only 16: (void)shape;
    return dy;
    // END
}

typedef struct Pair {
    Tensor *da, *db;
} Pair;

/* y = a * b with broadcasting: gradients of the shapes of a and b. */
Pair mul_backward(Tensor *a, Tensor *b, Tensor *dy) {
    // HOLE
    //| (void)dy; /* your code */
    //| return (Pair){t_zeros_like(a), t_zeros_like(b)};
    Tensor *da = sum_to(t_mul(dy, b), t_shape(a), (int)t_dim(a));
    Tensor *db = sum_to(t_mul(dy, a), t_shape(b), (int)t_dim(b));
    // WRONG not_summed 20: Tensor *db = t_mul(dy, a);
    // WRONG summed_first 20: Tensor *db = t_mul(sum_to(dy, t_shape(b), (int)t_dim(b)), t_mean(a));
    return (Pair){da, db};
    // END
}

/* y is the slice start:end:step of dim of x, dy its gradient: the gradient of x, which has x's shape. */
Tensor *slice_backward(Tensor *dy, Tensor *x, int dim, int start, int end, int step) {
    Tensor *dx = t_zeros_like(x);
    // HOLE
    //| (void)dy, (void)dim, (void)start, (void)end, (void)step; /* your code */
    t_copy_(t_slice(dx, dim, start, end, step), dy);
    // WRONG at_the_front 20: t_copy_(t_slice(dx, dim, 0, t_size(dy, dim)), dy);
    // WRONG copy_of_a_copy 20: t_copy_(t_clone(t_slice(dx, dim, start, end, step)), dy);
    // END
    return dx;
}

/* ---- the program; nothing to fill in below ---- */

static void show(const char *name, Array a) {
    printf("%s: offset %d, sizes and strides", name, a.offset);
    for (int d = 0; d < a.dims; d++) printf("  %d by %d", a.size[d], a.stride[d]);
    printf("\n");
    for (int i = 0; a.dims == 2 && i < a.size[0]; i++) {
        for (int j = 0; j < a.size[1]; j++) printf("%4.0f", *element(a, (int[]){i, j}));
        printf("\n");
    }
}

int main(void) {
    double data[12];
    for (int i = 0; i < 12; i++) data[i] = i;
    Array a = row_by_row(data, 2, (int[]){3, 4}), column, wide;
    show("a", a);
    show("a transposed", transposed(a, 0, 1));
    show("a[:, 1:4:2]", sliced(a, 1, 1, 4, 2));
    column = sliced(a, 1, 2, 3, 1);
    if (expanded(column, 2, (int[]){3, 5}, &wide)) show("a[:, 2:3] expanded to (3, 5)", wide);
    *element(wide, (int[]){1, 4}) = 99;
    show("a after 99 was written to the expanded view at [1, 4]", a);

    Tensor *x = t_tensor("[[1., 2., 3.], [4., 5., 6.]]"), *b = t_tensor("[10., 20., 30.]");
    Pair d = mul_backward(x, b, t_ones(2, 3));
    printf("\nthe gradients of x (2, 3) times b (3)\n");
    t_print(d.da);
    t_print(d.db);
    printf("the gradient of x[:, 0:3:2]\n");
    t_print(slice_backward(t_ones(2, 2), x, 1, 0, 3, 2));
    return 0;
}
