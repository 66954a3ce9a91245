/* core/gradcheck.c: backward against central differences. */
#include <math.h>

#include "core/ops/pointwise.h"

typedef struct Check {
    Tensor *(*f)(t_TensorList *inputs, void *context);
    t_TensorList *inputs;
    void *context;
    t_GradcheckOptions options;
} Check;

/* sum_i w_i y_i with weights that differ from element to element: w_i = 0.5 + frac(i * golden ratio). */
static Tensor *weights_for(Tensor *y) {
    Tensor *w = tg_empty(y->shape, y->ndim, t_float64);
    for (int64_t i = 0; w && i < tg_numel(w); i++)
        ((double *)tg_data(w))[i] = 0.5 + fmod((double)(i + 1) * 0.6180339887498949, 1.0);
    return w;
}

static Tensor *weighted(const Check *check) {
    Tensor *y = check->f(check->inputs, check->context), *w = y ? weights_for(y) : NULL;
    return w ? t_sum(t_mul(y, w), NULL, 0, false) : NULL;
}

static bool value_at(const Check *check, double *value) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = weighted(check);
    if (y) *value = t_item(y);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return y != NULL;
}

/* (f(x + eps) - f(x - eps)) / (2 eps) at one element. */
static bool difference(const Check *check, double *element, double *slope) {
    double kept = *element, above, below;
    *element = kept + check->options.eps;
    bool ok = value_at(check, &above);
    *element = kept - check->options.eps;
    ok = ok && value_at(check, &below);
    *element = kept;
    if (ok) *slope = (above - below) / (2 * check->options.eps);
    return ok;
}

static bool check_input(const Check *check, int64_t which) {
    Tensor *x = check->inputs->items[which], *grad = x->grad ? t_contiguous(x->grad) : NULL;
    if (x->grad && !grad) return false;
    for (int64_t i = 0, n = tg_numel(x); i < n; i++) {
        double numerical, analytical = grad ? ((double *)tg_data(grad))[i] : 0;
        if (!difference(check, (double *)tg_data(x) + i, &numerical)) return false;
        if (fabs(analytical - numerical) <= check->options.atol + check->options.rtol * fabs(numerical)) continue;
        return tg_fail("Jacobian mismatch for output 0 with respect to input %lld at element %lld: numerical %.10g, "
                       "analytical %.10g", (long long)which, (long long)i, numerical, analytical);
    }
    return true;
}

static bool check_inputs(const t_TensorList *inputs) {
    if (!tg_check_list(inputs, 2)) return false;
    for (int64_t i = 0; i < inputs->len; i++) {
        Tensor *x = inputs->items[i];
        if (!x->requires_grad) continue;
        if (x->dtype != t_float64)
            return tg_fail("gradcheck: input %lld is %s; float64 is needed", (long long)i, tg_dtype_name(x->dtype));
        if (!tg_is_contiguous(x) || x->record)
            return tg_fail("gradcheck: input %lld must be a contiguous leaf", (long long)i);
    }
    return true;
}

bool t_gradcheck(Tensor *(*f)(t_TensorList *inputs, void *context), t_TensorList *inputs, void *context,
                 const t_GradcheckOptions *options) {
    static const t_GradcheckOptions defaults = {.size = sizeof defaults, .eps = 1e-6, .atol = 1e-5, .rtol = 1e-3};
    Check check = {f, inputs, context, defaults};
    if (!tg_take_options(&check.options, options, sizeof defaults) || !check_inputs(inputs)) return false;
    for (int64_t i = 0; i < inputs->len; i++)
        if (inputs->items[i]->requires_grad && !t_set_grad(inputs->items[i], NULL)) return false;
    int depth = t_scope_open();
    bool ok = t_backward(weighted(&check), NULL);
    for (int64_t i = 0; ok && i < inputs->len; i++)
        if (inputs->items[i]->requires_grad) ok = check_input(&check, i);
    t_scope_close(depth);
    return ok;
}
