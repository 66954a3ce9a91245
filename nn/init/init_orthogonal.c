/* nn/init/init_orthogonal.c: nn.init.orthogonal_: a matrix with orthonormal rows, or columns if there
 * are fewer of those.
 *
 * It is the Q of a random normal matrix A = Q R where R has a positive diagonal, which makes Q unique and uniformly
 * distributed. Q is computed by classical Gram-Schmidt in double with one reorthogonalisation, after which Q is
 * orthogonal to machine precision (Giraud, Langou, Rozloznik & van den Eshof 2005). Both Q and its transpose are
 * stored, so that the inner loops read contiguous memory. */
#include <math.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "core/tensor/tensor.h"
#include "nn/init/init.h"

/* v -= Q Q^T v over the first n columns of Q. q: m rows, `stride` elements apart; qt: its transpose, in rows of m. */
static void subtract_projection(int64_t m, int64_t n, int64_t stride, const double *q, const double *qt, double *v,
                                double *coefficients) {
    memset(coefficients, 0, (size_t)n * sizeof *coefficients);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) coefficients[k] += v[i] * q[i * stride + k];
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < m; i++) v[i] -= coefficients[k] * qt[k * m + i];
}

static void normalize(int64_t m, double *v) {
    double square = 0;
    for (int64_t i = 0; i < m; i++) square += v[i] * v[i];
    const double norm = sqrt(square);
    for (int64_t i = 0; i < m; i++) v[i] = norm > 0 ? v[i] / norm : 0;
}

/* qt: n rows of m elements, the columns of A, which are replaced by those of Q. q: buffer for the transpose;
 * coefficients: for n of them. */
static void orthonormalize(int64_t m, int64_t n, double *qt, double *q, double *coefficients) {
    for (int64_t j = 0; j < n; j++) {
        double *v = qt + j * m;
        subtract_projection(m, j, n, q, qt, v, coefficients);
        subtract_projection(m, j, n, q, qt, v, coefficients);
        normalize(m, v);
        for (int64_t i = 0; i < m; i++) q[i * n + j] = v[i];
    }
}

/* a: (rows, cols) float64, contiguous; replaced by Q. */
static bool make_orthogonal(Tensor *a) {
    const int64_t rows = a->shape[0], cols = a->shape[1], n = rows < cols ? rows : cols;
    double *q = tg_alloc((size_t)(rows * cols) * sizeof *q), *coefficients = tg_alloc((size_t)n * sizeof *coefficients);
    bool ok = q && coefficients;
    if (ok && rows < cols) {
        orthonormalize(cols, rows, tg_data(a), q, coefficients);
    } else if (ok) {
        Tensor *transposed = t_contiguous(t_transpose(a, 0, 1));
        ok = transposed != NULL;
        if (ok) orthonormalize(rows, cols, tg_data(transposed), q, coefficients);
        if (ok) memcpy(tg_data(a), q, (size_t)(rows * cols) * sizeof *q);
    }
    tg_free(coefficients, (size_t)n * sizeof *coefficients);
    tg_free(q, (size_t)(rows * cols) * sizeof *q);
    return ok;
}

/* nn.init.orthogonal_(x, gain): x as (size(0), the rest) becomes gain times an orthogonal matrix (Saxe, McClelland &
 * Ganguli 2013). Random numbers as in PyTorch; values agree to about 1e-6 (PyTorch computes in x's dtype). Error: fewer
 * than 2 dims. */
Tensor *nn_init_orthogonal_(Tensor *x, double gain, t_Generator *generator) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim < 2) return tg_fail("Only tensors with 2 or more dimensions are supported");
    if (tg_numel(x) == 0) return x;
    const int64_t shape[] = {x->shape[0], tg_numel(x) / x->shape[0]};
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    tg_Draws draws;
    int depth = tg_draws_begin(&draws, generator) ? t_scope_open() : 0;
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *drawn = t_normal_(t_empty(shape, 2, &options), 0, 1, generator);
    Tensor *a = t_contiguous(t_to(drawn, t_float64));
    Tensor *q = a && make_orthogonal(a) ? t_to(t_view(a, x->shape, x->ndim), x->dtype) : NULL;
    if (gain != 1) q = t_mul(q, t_number(gain));
    const bool ok = q && t_copy_(x, q);
    if (!ok) tg_draws_end(&draws, false);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok ? x : NULL;
}
