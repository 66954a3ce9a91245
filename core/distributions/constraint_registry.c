/* core/distributions/constraint_registry.c: torch.distributions.constraint_registry: from all real values to those that
 * a constraint allows: biject_to by a bijection, transform_to by a function that suits optimizers. */
#include "core/distributions/constraint_internal.h"

static Transform *registered(Constraint *constraint, bool bijective);

static Transform *compose(Transform *first, Transform *second) {
    return first && second ? distributions_ComposeTransform_new((Transform *[]){first, second}, 2) : NULL;
}

static bool is_number(const Tensor *x, double value) {
    return x->wrapped_number && tg_read_double(x) == value;
}

/* exp, then from bound on upwards (sign 1) or downwards (-1); just exp for the positive values */
static Transform *beyond(Tensor *bound, int sign) {
    Transform *positive = distributions_ExpTransform_new();
    if (sign > 0 && is_number(bound, 0)) return positive;
    return positive ? compose(positive, distributions_AffineTransform_new(bound, t_integer(sign), 0)) : NULL;
}

static Transform *between(Tensor *lower, Tensor *upper) {
    Transform *unit = distributions_SigmoidTransform_new();
    if (is_number(lower, 0) && is_number(upper, 1)) return unit;
    const bool numbers = lower->wrapped_number && upper->wrapped_number;
    Tensor *width = numbers ? N(tg_read_double(upper) - tg_read_double(lower)) : t_sub(upper, lower);
    return unit && width ? compose(unit, distributions_AffineTransform_new(lower, width, 0)) : NULL;
}

static Transform *of_parts(Constraint *constraint, bool bijective) {
    const size_t bytes = (size_t)(constraint->count ? constraint->count : 1) * sizeof(Transform *);
    Transform **parts = tg_alloc(bytes), *result = NULL;
    bool ok = parts != NULL;
    for (int64_t i = 0; ok && i < constraint->count; i++)
        ok = (parts[i] = registered(constraint->parts[i], bijective)) != NULL;
    if (ok)
        result = constraint->form == FORM_STACK
                     ? distributions_StackTransform_new(parts, constraint->count, constraint->dim)
                     : distributions_CatTransform_new(parts, constraint->count, constraint->dim, constraint->lengths);
    if (parts) tg_free(parts, bytes);
    return result;
}

static Transform *independent(Constraint *constraint, bool bijective) {
    Transform *base = registered(constraint->base, bijective);
    return base ? distributions_IndependentTransform_new(base, constraint->reinterpreted_batch_ndims) : NULL;
}

static Transform *registered(Constraint *constraint, bool bijective) {
    switch (constraint->form) {
    case FORM_REAL: return distributions_identity_transform();
    case FORM_INDEPENDENT: return independent(constraint, bijective);
    case FORM_GREATER_THAN:
    case FORM_GREATER_THAN_EQ: return beyond(constraint->lower, 1);
    case FORM_LESS_THAN: return beyond(constraint->upper, -1);
    case FORM_INTERVAL:
    case FORM_HALF_OPEN_INTERVAL: return between(constraint->lower, constraint->upper);
    case FORM_SIMPLEX:
        return bijective ? distributions_StickBreakingTransform_new() : distributions_SoftmaxTransform_new();
    case FORM_CORR_CHOLESKY: return distributions_CorrCholeskyTransform_new();
    case FORM_CAT:
    case FORM_STACK: return of_parts(constraint, bijective);
    case FORM_LOWER_CHOLESKY:
        if (!bijective) return distributions_LowerCholeskyTransform_new();
        break;
    case FORM_POSITIVE_DEFINITE:
    case FORM_POSITIVE_SEMIDEFINITE:
        if (!bijective) return distributions_PositiveDefiniteTransform_new();
        break;
    default: break;
    }
    return tg_fail("Cannot transform %s%s constraints", constraint->form == FORM_MIXTURE ? "" : "_",
                   tg_constraint_name(constraint));
}

/* biject_to(constraint). Error: there is no bijection, as for the discrete constraints. */
Transform *distributions_biject_to(Constraint *constraint) {
    if (!tg_check_constraint(constraint, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? registered(constraint, true) : NULL);
}

/* transform_to(constraint): as biject_to, but not always bijective: softmax to the simplex, and functions to Cholesky
 * factors and positive definite matrices. Error: a discrete constraint. */
Transform *distributions_transform_to(Constraint *constraint) {
    if (!tg_check_constraint(constraint, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? registered(constraint, false) : NULL);
}
