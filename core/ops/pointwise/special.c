/* core/ops/pointwise/special.c: lgamma, digamma, polygamma, mvlgamma, igamma and igammac: the gamma function's
 * logarithm, its derivatives, and the incomplete gamma function. Shapes: any, kept; computed in double precision. */
#include "core/kernels/special/special.h"
#include "core/ops/pointwise/unary_internal.h"

/* ---- lgamma, digamma: integers and bools are converted to float32 ---- */

TG_EACH1(lgamma_float32, float, float, tg_lgamma(x))
TG_EACH1(lgamma_float64, double, double, tg_lgamma(x))
TG_EACH1(digamma_float32, float, float, tg_digamma(x))
TG_EACH1(digamma_float64, double, double, tg_digamma(x))

/* torch.lgamma(x): log |gamma(x)|. dx = dy digamma(x). */
TG_UNARY(X, lgamma, "LgammaBackward0", true, NULL, "lgamma", t_mul(dy, t_digamma(x)),
         [t_float32] = lgamma_float32, [t_float64] = lgamma_float64)

/* torch.digamma(x): the derivative of lgamma. dx = dy polygamma(1, x). */
TG_UNARY(X, digamma, "DigammaBackward0", true, NULL, "digamma", t_mul(dy, t_polygamma(1, x)),
         [t_float32] = digamma_float32, [t_float64] = digamma_float64)

/* ---- polygamma ---- */

#define ORDER *(const int64_t *)context
TG_EACH1(polygamma_float32, float, float, tg_polygamma(ORDER, x))
TG_EACH1(polygamma_float64, double, double, tg_polygamma(ORDER, x))

static void polygamma_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (x) dx[0] = t_mul(dy, t_polygamma(*(const int64_t *)r->attributes + 1, x));
}
static const Op polygamma_op = {"polygamma", "PolygammaBackward0", polygamma_backward};
static const Op polygamma_inplace_op = {"polygamma_", "PolygammaBackward1", polygamma_backward};

static Tensor *polygamma(const Op *op, int64_t n, Tensor *x) {
    static LoopTable loops = {[t_float32] = polygamma_float32, [t_float64] = polygamma_float64};
    if (!tg_check_any(x, 2)) return NULL;
    if (n < 0) return tg_fail("polygamma(n, x) does not support negative n.");
    Tensor *y =
        tg_pointwise_in("polygamma", tg_is_floating(x->dtype) ? x->dtype : tg_default_dtype(), &x, 1, loops, 0, &n);
    return tg_record(op, y, INPUTS(x), SAVED(x), ATTRIBUTES(n));
}

/* torch.polygamma(n, x): the n-th derivative of digamma, n >= 0. dx = dy polygamma(n + 1, x). Integers and bools are
 * converted to float32. Error: n negative. */
Tensor *t_polygamma(int64_t n, Tensor *x) {
    return polygamma(&polygamma_op, n, x);
}

Tensor *t_polygamma_(Tensor *x, int64_t n) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? polygamma(&polygamma_inplace_op, n, x) : NULL);
}

/* ---- mvlgamma ---- */

/* x, x - 1/2, ..., x - (p - 1) / 2 along a new last dim */
static Tensor *arguments(Tensor *x, int64_t p) {
    t_TensorOptions options = {sizeof options, .dtype = x->dtype};
    Tensor *shifts = t_arange(-(double)p * 0.5 + 0.5, 0.5, 0.5, &options);
    return t_add(shifts, t_unsqueeze(x, -1));
}

static void mvlgamma_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    Tensor *slopes = x ? t_digamma(arguments(x, *(const int64_t *)r->attributes)) : NULL;
    if (x) dx[0] = t_mul(dy, t_sum(slopes, (int64_t[]){-1}, 1, false));
}
static const Op mvlgamma_op = {"mvlgamma", "MvlgammaBackward0", mvlgamma_backward};

static Tensor *mvlgamma(Tensor *x, int64_t p) {
    x = t_detach(tg_is_floating(x->dtype) ? x : t_to(x, tg_default_dtype()));
    if (!x) return NULL;
    Tensor *sum = t_sum(t_lgamma(arguments(x, p)), (int64_t[]){-1}, 1, false);
    return t_add(sum, N((double)p * (double)(p - 1) * log(M_PI) / 4));
}

/* torch.mvlgamma(x, p): the logarithm of the multivariate gamma function of dimension p: the sum of lgamma(x - i / 2)
 * over i < p, plus p (p - 1) / 4 log pi. dx = dy times the sum of their digamma. Error: p < 1. */
Tensor *t_mvlgamma(Tensor *x, int64_t p) {
    TG_COMPOSITE("mvlgamma");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_mvlgamma(tg_widened(x), p), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    if (x->dtype == t_bool) return tg_fail("The input tensor may not be a boolean tensor.");
    if (p < 1) return tg_fail("p has to be greater than or equal to 1");
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(mvlgamma(x, p)) : NULL;
    t_scope_close(depth);
    return tg_record(&mvlgamma_op, y, INPUTS(x), SAVED(x), ATTRIBUTES(p));
}

Tensor *t_mvlgamma_(Tensor *x, int64_t p) {
    TG_COMPOSITE("mvlgamma_");
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_mvlgamma(x, p) : NULL);
}

/* ---- igamma, igammac ---- */

TG_EACH2(igamma_float32, float, float, tg_gammainc(a, b))
TG_EACH2(igamma_float64, double, double, tg_gammainc(a, b))
TG_EACH2(igammac_float32, float, float, tg_gammaincc(a, b))
TG_EACH2(igammac_float64, double, double, tg_gammaincc(a, b))
static LoopTable igamma_loops = {[t_float32] = igamma_float32, [t_float64] = igamma_float64};
static LoopTable igammac_loops = {[t_float32] = igammac_float32, [t_float64] = igammac_float64};

/* dy b^(a - 1) e^-b / gamma(a); as in PyTorch there is no derivative with respect to a. */
static Tensor *density(Tensor *dy, Tensor *a, Tensor *b) {
    Tensor *exponent = t_sub(t_sub(t_mul(t_sub(a, t_integer(1)), t_log(b)), b), t_lgamma(a));
    return t_mul(dy, t_exp(exponent));
}

static void igamma_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (tg_needs(r, 0)) tg_fail("the derivative for '%s: input' is not implemented.", r->op->name);
    else if (a && b) dx[1] = density(dy, a, b);
}

static void igammac_backward(Record *r, Tensor *dy, Tensor **dx) {
    igamma_backward(r, dy, dx);
    if (dx[1]) dx[1] = t_neg(dx[1]);
}
static const Op igamma_op = {"igamma", "IgammaBackward0", igamma_backward};
static const Op igammac_op = {"igammac", "IgammacBackward0", igammac_backward};

/* torch.igamma(a, b): the integral of t^(a - 1) e^-t from 0 to b, divided by gamma(a); the distribution function of
 * Gamma(a, 1). db = dy times its density; da has no derivative. Floating dtypes only. */
Tensor *t_igamma(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("igamma_cpu", x, other, igamma_loops, false, 0);
    return tg_record(&igamma_op, y, INPUTS(x, other), SAVED(x, other), NONE);
}

Tensor *t_igamma_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, igamma_loops, t_igamma);
}

/* torch.igammac(a, b): 1 - igamma(a, b), accurate where that is near 1. */
Tensor *t_igammac(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("igammac_cpu", x, other, igammac_loops, false, 0);
    return tg_record(&igammac_op, y, INPUTS(x, other), SAVED(x, other), NONE);
}

Tensor *t_igammac_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, igammac_loops, t_igammac);
}
