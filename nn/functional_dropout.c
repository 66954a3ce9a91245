/* nn/functional_dropout.c: zeros at random places, with the same bits as PyTorch. */
#include "core/kernels/distributions.h"
#include "core/ops/pointwise.h"
#include "core/ops/random.h"
#include "nn/functional.h"

/* y = x * mask, dx = dy * mask: the mask holds 0 and 1 / (1 - p), and x itself is not needed. */
static void dropout_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *mask = tg_saved(r, 0);
    if (mask) dx[0] = t_mul(dy, mask);
}
static const Op dropout_op = {"dropout", "MulBackward0", dropout_backward};
TG_LOOP2(product_float32, float, float, a * b)
TG_LOOP2(product_float64, double, double, a * b)

/* Draws in the order of memory: a fresh mask fills its storage without gaps, whatever its strides. */
static void draw(Tensor *mask, tg_MT19937 *engine, double keep) {
    int64_t n = tg_numel(mask);
    if (mask->dtype == t_float32) {
        float *m = tg_data(mask), scale = 1.0f / (float)keep;
        tg_fill_bernoulli_f32(engine, m, n, keep);
        for (int64_t i = 0; i < n; i++) m[i] *= scale;
    } else {
        double *m = tg_data(mask), scale = 1.0 / keep;
        tg_fill_bernoulli_f64(engine, m, n, keep);
        for (int64_t i = 0; i < n; i++) m[i] *= scale;
    }
}

/* Everything that can fail, the record included, comes before the first random word: a failed call leaves the generator
 * as it was. */
static Tensor *masked(Tensor *x, double p) {
    static LoopTable loops = {[t_float32] = product_float32, [t_float64] = product_float64};
    tg_MT19937 *engine = tg_engine(NULL);
    Tensor *mask = engine ? tg_empty_like(x, x->dtype) : NULL, *both[] = {x, mask};
    Tensor *y = mask ? tg_empty_elementwise(both, 2, x->shape, x->ndim, x->dtype) : NULL;
    y = y ? tg_record(&dropout_op, y, INPUTS(x), SAVED(mask), NONE) : NULL;
    if (!y) return NULL;
    draw(mask, engine, 1.0 - p);
    tg_run(loops[x->dtype], y, both, 2, 0, NULL);
    return y;
}

/* All is dropped: x * 0, and no draw. */
static Tensor *nothing(Tensor *x) {
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *zero = t_zeros(NULL, 0, &options);
    return zero ? t_mul(x, zero) : NULL;
}

/* F.dropout(x, p, training): each element becomes 0 with probability p, the others are scaled by 1 / (1 - p).
 * x: any shape, floating; returns the same shape. In evaluation, for p = 0 and for an empty x it is x itself, without a
 * draw. dx = dy times the same mask. Errors: p outside [0, 1], integer dtype.
 * The bits are those of PyTorch 2.5 and newer on CPU: one double uniform an element, in the order of x's memory. */
Tensor *F_dropout(Tensor *x, double p, bool training) {
    if (!tg_check(x, 1)) return NULL;
    if (!(p >= 0 && p <= 1)) return tg_fail("dropout probability has to be between 0 and 1, but got %.15g", p);
    if (p == 0 || !training || tg_numel(x) == 0) return x;
    if (p != 1 && !tg_is_floating(x->dtype))
        return tg_fail("result type Float can't be cast to the desired output type %s", tg_scalar_name(x->dtype));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(p == 1 ? nothing(x) : masked(x, p));
    t_scope_close(depth);
    return y;
}
