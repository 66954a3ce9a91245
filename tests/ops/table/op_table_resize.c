/* tests/ops/table/op_table_resize.c: shapes and diagonals in place, and what goes with them (core/ops/shape/cat.c,
 * diagonal.c, as_strided.c, resize.c, core/ops/reduction/cumulative.c, sum.c, core/ops/creation/copy.c, creation.c,
 * window.c). */
#include "tests/ops/table/op_table.h"

static t_TensorList *call_fill(const Call *c) {
    return list_of(t_fill(c->x[0], c->count > 1 ? c->x[1] : t_number((double)c->n[0] / 4)));
}
CALL2(resize_as_)
static t_TensorList *call_tril_(const Call *c) {
    return list_of(t_tril_(c->x[0], c->n[0]));
}
static t_TensorList *call_triu_(const Call *c) {
    return list_of(t_triu_(c->x[0], c->n[0]));
}
static t_TensorList *call_fill_diagonal_(const Call *c) {
    return list_of(t_fill_diagonal_(c->x[0], (double)c->n[0] / 4, c->n[1] != 0));
}
static t_TensorList *call_cumsum_(const Call *c) {
    return list_of(t_cumsum_(c->x[0], c->n[0], (t_DType)c->n[1]));
}
static t_TensorList *call_cumprod_(const Call *c) {
    return list_of(t_cumprod_(c->x[0], c->n[0], (t_DType)c->n[1]));
}
/* the number of sizes, then the sizes */
static t_TensorList *call_sum_to_size(const Call *c) {
    return list_of(t_sum_to_size(c->x[0], c->n + 1, (int)c->n[0]));
}
static t_TensorList *call_resize_(const Call *c) {
    return list_of(t_resize_(c->x[0], c->n + 1, (int)c->n[0]));
}
static t_TensorList *call_empty_permuted(const Call *c) {
    t_TensorOptions options = {.size = sizeof options, .dtype = c->real};
    const int ndim = (int)c->n[0];
    Tensor *x = t_empty_permuted(c->n + 2, ndim, c->n + 2 + ndim, (int)(ndim + c->n[1]), &options);
    return list_of(x ? t_zero_(x) : NULL);
}
/* the number of dims, how many strides more; sizes, strides, storage_offset */
static t_TensorList *call_as_strided_(const Call *c) {
    const int64_t ndim = c->n[0];
    return list_of(t_as_strided_(c->x[0], c->n + 2, (int)ndim, c->n + 2 + ndim, (int)(ndim + c->n[1]),
                                 c->n[2 + 2 * ndim]));
}
static t_TensorList *call_as_strided_scatter(const Call *c) {
    const int64_t ndim = c->n[0];
    return list_of(t_as_strided_scatter(c->x[0], c->x[1], c->n + 2, (int)ndim, c->n + 2 + ndim, (int)(ndim + c->n[1]),
                                        c->n[2 + 2 * ndim]));
}

/* the length, whether not periodic, alpha and beta in quarters */
#define CALL_WINDOW(f, arguments)                                             \
    static t_TensorList *call_##f(const Call *c) {                            \
        t_TensorOptions options = {.size = sizeof options, .dtype = c->real}; \
        return list_of(t_##f arguments);                                      \
    }
CALL_WINDOW(bartlett_window, (c->n[0], !c->n[1], &options))
CALL_WINDOW(blackman_window, (c->n[0], !c->n[1], &options))
CALL_WINDOW(hann_window, (c->n[0], !c->n[1], &options))
CALL_WINDOW(hamming_window, (c->n[0], !c->n[1], (double)c->n[2] / 4, (double)c->n[3] / 4, &options))
CALL_WINDOW(kaiser_window, (c->n[0], !c->n[1], (double)c->n[2] / 4, &options))

static const OpCase window_cases[] = {
    {"", {5}}, {"", {5, 1}}, {"", {12, 0, 2, 2}}, {"", {12, 1, 3, 1}}, {"", {9, 0, 48, 2}}, {"", {1}}, {"", {1, 1}},
    {"", {2}}, {"", {0}}, {NULL},
};
#define WINDOW_ERRORS(f) {{"", {-1}, f " requires non-negative window_length, got window_length=-1"}, {NULL}}
static const OpError bartlett_errors[] = WINDOW_ERRORS("bartlett_window");
static const OpError blackman_errors[] = WINDOW_ERRORS("blackman_window");
static const OpError hann_errors[] = WINDOW_ERRORS("hann_window");
static const OpError hamming_errors[] = WINDOW_ERRORS("hamming_window");
static const OpError kaiser_errors[] = WINDOW_ERRORS("kaiser_window");
static const OpCase fill_cases[] = {
    {"r() N"}, {"r(5) r()"}, {"r(2,3) r()"}, {"r(2,1,3) N"}, {"r(2,1,2,2) R()"}, {"r(1,2,1,2,2) I"}, {"r(0) r()"},
    {"R(2,3) r()"}, {"i(4) N"}, {"i(4) I"}, {"b(4) I"}, {"f(2) d()"}, {NULL},
};
static const OpCase triangle_cases[] = {
    {"r(3,4)", {0}}, {"r(4,3)", {1}}, {"r(3,3)", {-1}}, {"r(2,3,3)", {0}}, {"r(2,1,3,2)", {0}},
    {"r(2,1,2,2,3)", {1}}, {"r(0,3)", {0}}, {"R(3,3)", {0}}, {"i(3,3)", {0}}, {"b(2,3)", {0}}, {NULL},
};
static const OpCase fill_diagonal_cases[] = {
    {"r(3,3)", {5}}, {"r(7,3)", {6, 1}}, {"r(7,3)", {6, 0}}, {"r(3,7)", {2, 1}}, {"r(9,2)", {1, 1}}, {"r(2,2,2)", {3}},
    {"r(3,3,3,3)", {3, 1}}, {"r(2,2,2,2,2)", {3}}, {"r(0,3)", {3}}, {"R(4,4)", {3}}, {"i(3,3)", {10}}, {"b(3,3)", {4}},
    {NULL},
};
static const OpCase cumulative_cases[] = {
    {"r()", {0}}, {"r(5)", {0}}, {"r(2,3)", {1}}, {"r(2,3)", {-2}}, {"r(2,3,2)", {1}}, {"r(2,1,3,2)", {2}},
    {"r(1,2,1,2,2)", {3}}, {"r(0)", {0}}, {"R(4)", {0}}, {"i(6)", {0}}, {"f(3)", {0, t_float32}}, {NULL},
};
static const OpCase sum_to_size_cases[] = {
    {"r()", {0}}, {"r(3)", {1, 1}}, {"r(3)", {0}}, {"r(2,3)", {1, 3}}, {"r(2,3)", {2, 2, 1}}, {"r(2,3)", {2, 1, 3}},
    {"r(2,3,2)", {2, 1, 2}}, {"r(2,1,3,2)", {3, 1, 1, 2}}, {"r(2,1,3,2,2)", {3, 3, 1, 1}}, {"r(0,3)", {1, 3}},
    {"i(2,3)", {1, 3}}, {NULL},
};
static const OpCase resize_cases[] = {
    {"R()", {1, 1}}, {"R(6)", {2, 2, 3}}, {"R(2,3)", {1, 5}}, {"R(2,3)", {2, 2, 3}}, {"R(2,3,2)", {2, 3, 4}},
    {"R(2,1,3,2)", {0}}, {"R(1,2,1,2,2)", {1, 8}}, {"R(0)", {1, 0}}, {"i(2,3)", {2, 3, 2}}, {"b(4)", {2, 2, 2}}, {NULL},
};
static const OpCase resize_as_cases[] = {
    {"R() R(1)"}, {"R(6) R(2,3)"}, {"R(2,3) r(3)"}, {"R(2,3,2) i(3,4)"}, {"R(2,1,3,2) b()"}, {"R(1,2,1,2,2) R(8)"},
    {"R(0) R(0)"}, {NULL},
};
static const OpCase empty_permuted_cases[] = {
    {"", {3, 0, 2, 3, 4, 2, 0, 1}}, {"", {2, 0, 3, 5, 1, 0}}, {"", {1, 0, 4, 0}}, {"", {0}}, {"", {2, 0, 0, 3, 1, 0}},
    {NULL},
};
static const OpCase as_strided_cases[] = {
    {"r()", {1, 0, 3, 0, 0}}, {"r(9)", {2, 0, 2, 2, 1, 2, 0}}, {"r(3,3)", {2, 0, 2, 2, 1, 2, 1}},
    {"r(2,3,2)", {1, 0, 4, 3, 1}}, {"r(2,1,3,2)", {2, 0, 3, 2, 1, 3, T_NONE}}, {"r(1,2,1,2,2)", {1, 0, 4, 2, 0}},
    {"r(0)", {1, 0, 0, 1, 0}}, {"R(6)", {1, 0, 3, 2, 0}}, {NULL},
};
/* PyTorch exchanges the gradient of the first. */
static const OpCase as_strided_scatter_cases[] = {
    {"R() r()", {0, 0, 0}}, {"R(9) r(2,2)", {2, 0, 2, 2, 1, 2, 0}}, {"R(3,3) r(2,2)", {2, 0, 2, 2, 1, 2, 1}},
    {"R(2,3,2) r(4)", {1, 0, 4, 3, 1}}, {"R(2,1,3,2) r(3,2)", {2, 0, 3, 2, 1, 3, T_NONE}},
    {"R(1,2,1,2,2) r(4)", {1, 0, 4, 2, 0}}, {"R(0) r(0)", {1, 0, 0, 1, 0}}, {"R(6) D(3)", {1, 0, 3, 2, 0}}, {NULL},
};

static const OpError fill_errors[] = {
    {"r(2) r(2)", {0}, "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions."}, {NULL}};
static const OpError tril_errors[] = {{"R(3)", {0}, "tril: input tensor must have at least 2 dimensions"}, {NULL}};
static const OpError triu_errors[] = {{"R(3)", {0}, "triu: input tensor must have at least 2 dimensions"}, {NULL}};
static const OpError fill_diagonal_errors[] = {
    {"R(3)", {4}, "dimensions must larger than 1"},
    {"R()", {4}, "dimensions must larger than 1"},
    {"R(2,2,3)", {4}, "all dimensions of input must be of equal length"},
    {NULL},
};
#define CUMULATIVE_ERRORS(kernel)                                                                               \
    {"b(3)", {0}, "\"" kernel "\" not implemented for 'Bool'"},                                                 \
    {"F(3)", {0, t_float64}, "Bad in-place call: input tensor dtype float and output tensor dtype double should " \
                                 "match"}, \
    {"R(3)", {1}, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"}
static const OpError cumsum_errors[] = {CUMULATIVE_ERRORS("cumsum_out_cpu"), {NULL}};
static const OpError cumprod_errors[] = {CUMULATIVE_ERRORS("cumprod_out_cpu"), {NULL}};
static const OpError sum_to_size_errors[] = {
    {"r(2,3)", {1, 2}, "size {[2]} is not expandable to size {[2, 3]}."},
    {"r(2,3)", {3, 1, 2, 3}, "size {[1, 2, 3]} is not expandable to size {[2, 3]}."},
    {NULL},
};
static const OpError resize_errors[] = {{"r(2,3)", {1, 3}, "cannot resize variables that require grad"}, {NULL}};
static const OpError resize_as_errors[] = {{"r(2,3) r(3)", {0}, "cannot resize variables that require grad"}, {NULL}};
static const OpError empty_permuted_errors[] = {
    {"", {2, 0, 2, 3, 1, 1}, "Duplicate dim not allowed"},
    {"", {2, -1, 2, 3, 1}, "Number of dimensions in size does not match the length of the physical_layout; i.e. "
                           "len(size) = 2 is not equal to len(physical_layout) = 1"},
    {"", {2, 0, 2, 3, 0, 2}, "Dimension out of range (expected to be between 0 and 1, but got 2 at index 1).  NB: "
                             "negative dims not currently supported; file an issue if you want it."},
    {NULL},
};
static const OpError as_strided_errors[] = {
    {"R(3,4)", {1, 1, 2, 1, 1}, "mismatch in length of strides and shape"},
    {"R(3,4)", {1, 0, 2, -1, 0}, "as_strided: Negative strides are not supported at the moment, got strides: [-1]"},
    {NULL},
};
static const OpError as_strided_scatter_errors[] = {
    {"R(9) R(3)", {2, 0, 2, 2, 1, 2, 0},
        "expected src to have a size equal to the slice of self. src size = [3], slice size = [2, 2]"},
    {NULL},
};

#define MATRIX "2345z: a matrix or a batch of them"
static const OpRow rows[] = {
    {"t_fill", call_fill, fill_cases, fill_errors},
    {"t_tril_", call_tril_, triangle_cases, tril_errors, INPLACE, NULL, MATRIX},
    {"t_triu_", call_triu_, triangle_cases, triu_errors, INPLACE, NULL, MATRIX},
    {"t_fill_diagonal_", call_fill_diagonal_, fill_diagonal_cases, fill_diagonal_errors, INPLACE | OWN_GRAD_FN, NULL,
     "2345z: a diagonal takes two dims"},
    {"t_cumsum_", call_cumsum_, cumulative_cases, cumsum_errors, INPLACE | SUMS},
    {"t_cumprod_", call_cumprod_, cumulative_cases, cumprod_errors, INPLACE | SUMS},
    {"t_sum_to_size", call_sum_to_size, sum_to_size_cases, sum_to_size_errors, MAYBE_VIEW | SUMS},
    {"t_resize_", call_resize_, resize_cases, resize_errors, INPLACE | STORAGE_BOUND | NO_GRADIENT},
    {"t_resize_as_", call_resize_as_, resize_as_cases, resize_as_errors, INPLACE | STORAGE_BOUND | NO_GRADIENT},
    {"t_empty_permuted", call_empty_permuted, empty_permuted_cases, empty_permuted_errors},
    {"t_bartlett_window", call_bartlett_window, window_cases, bartlett_errors},
    {"t_blackman_window", call_blackman_window, window_cases, blackman_errors},
    {"t_hann_window", call_hann_window, window_cases, hann_errors},
    {"t_hamming_window", call_hamming_window, window_cases, hamming_errors},
    {"t_kaiser_window", call_kaiser_window, window_cases, kaiser_errors},
    {"t_as_strided_", call_as_strided_, as_strided_cases, as_strided_errors, INPLACE | STORAGE_BOUND},
    {"t_as_strided_scatter", call_as_strided_scatter, as_strided_scatter_cases, as_strided_scatter_errors,
     STORAGE_BOUND},
};
TABLE(resize_table, "ops_resize.txt", rows);
