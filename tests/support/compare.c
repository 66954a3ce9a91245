/* tests/support/compare.c: compares a kernel with its composed form. */
#include "tests/support/compare.h"

#include <math.h>
#include <stdlib.h>

#include "core/kernels/parallel.h"
#include "core/tensor/tensor.h"

Tensor *sample_input(const char *kind, const int64_t *shape, int ndim, int input, t_DType dtype) {
    return hashed_tensor(kind, shape, ndim, seed_of("rows"), input, dtype);
}

/* Largest |a - b|; infinity where only one is NaN. */
static double difference(Tensor *a, Tensor *b) {
    double *p = values_of(a), *q = values_of(b), most = 0;
    for (int64_t i = 0; i < tg_numel(a); i++) {
        if (isnan(p[i]) != isnan(q[i])) most = INFINITY;
        else if (!isnan(p[i]) && !(p[i] == q[i]) && !(fabs(p[i] - q[i]) <= most)) most = fabs(p[i] - q[i]);
    }
    free(p);
    free(q);
    return most;
}

void expect_close(const char *what, Tensor *a, Tensor *b, double tolerance) {
    ck_assert_msg(a && b, "%s: %s", what, t_error() ? t_error() : "a NULL");
    ck_assert_msg(tg_same_shape(a, b), "%s: shapes differ", what);
    const double off = difference(a, b);
    if (!(off <= tolerance)) note("%s: off by %g", what, off);
}

double tolerance_of(t_DType dtype) {
    return dtype == t_float64 ? 1e-12 : 4e-6;
}

/* The gradients of sum(y w), with uneven weights w, with respect to the tensors of x that require grad. */
static t_TensorList *gradients(Tensor *y, Tensor *const *x, int count) {
    Tensor *w = sample_input("R", y->shape, y->ndim, 7, y->dtype), *of[8];
    int n = 0;
    for (int i = 0; i < count; i++)
        if (x[i] && x[i]->requires_grad) of[n++] = x[i];
    t_GradOptions options = {.size = sizeof options, .grad_outputs = list_of(w), .retain_graph = true};
    t_TensorList *all = t_autograd_grad(list_of(y), t_list_new(of, n), &options);
    ck_assert_msg(all, "%s", t_error());
    return all;
}

void expect_same(const char *what, Tensor *a, Tensor *b, Tensor *const *x, int count, double tolerance) {
    expect_close(what, a, b, tolerance);
    t_TensorList *da = gradients(a, x, count), *db = gradients(b, x, count);
    for (int64_t i = 0; i < da->len; i++) expect_close(what, da->items[i], db->items[i], 8 * tolerance);
}

/* ---- threads ---- */

uint64_t hash_of(uint64_t hash, const Tensor *x) {
    const unsigned char *p = tg_data(x);
    for (size_t i = 0; i < (size_t)tg_numel(x) * tg_itemsize(x->dtype); i++) hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

uint64_t hash_of_all(Tensor *y, Tensor *const *x, int count) {
    uint64_t hash = hash_of(14695981039346656037u, y);
    t_TensorList *all = gradients(y, x, count);
    for (int64_t i = 0; i < all->len; i++) hash = hash_of(hash, all->items[i]);
    return hash;
}

void expect_same_with_threads(uint64_t (*hash)(void)) {
    const int threads = tg_num_threads(), tried[] = {2, 3, 8};
    tg_set_num_threads(1);
    const uint64_t alone = hash();
    for (int i = 0; i < 3; i++) {
        tg_set_num_threads(tried[i]);
        if (hash() != alone) note("%d threads give different bits", tried[i]);
    }
    tg_set_num_threads(threads);
}
