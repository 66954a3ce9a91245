/* core/distributions/constraints.c: torch.distributions.constraints. A constraint is a set of values; its check gives
 * a bool for each value, or for each event of event_dim dims. */
#include <string.h>

#include "core/distributions/constraint_internal.h"
#include "core/linalg/linalg.h"

static void constraint_destroy(void *object) {
    Constraint *constraint = object;
    tg_object_dispose(&constraint->object);
    t_release(constraint->lower);
    t_release(constraint->upper);
    t_release(constraint->base);
    for (int64_t i = 0; constraint->parts && i < constraint->count; i++) t_release(constraint->parts[i]);
    tg_free(constraint->parts, (size_t)constraint->count * sizeof *constraint->parts);
    tg_free(constraint->lengths, (size_t)constraint->count * sizeof *constraint->lengths);
    tg_object_free(&constraint->object, sizeof *constraint);
}

static const t_Class constraint_class = {"Constraint", constraint_destroy};

bool tg_check_constraint(const Constraint *constraint, int position) {
    if (!tg_check_given(constraint != NULL, position, "a constraint")) return false;
    return constraint->object.is_a == &constraint_class || tg_fail("argument %d is not a live constraint", position);
}

static Constraint *constraint_new(Form form, Tensor *lower, Tensor *upper, Constraint *base, int64_t ndims) {
    Constraint *constraint = tg_alloc(sizeof *constraint);
    if (!constraint) return NULL;
    constraint->form = form;
    constraint->lower = lower ? t_retain(lower) : NULL;
    constraint->upper = upper ? t_retain(upper) : NULL;
    constraint->base = base ? t_retain(base) : NULL;
    constraint->reinterpreted_batch_ndims = ndims;
    tg_object_init(&constraint->object, &constraint_class);
    return constraint;
}

/* ---- constructors ---- */

static Constraint *with_bounds(Form form, bool has_lower, Tensor *lower, bool has_upper, Tensor *upper) {
    if ((has_lower && !tg_check(lower, 1)) || (has_upper && !tg_check(upper, 1 + has_lower))) return NULL;
    return constraint_new(form, lower, upper, NULL, 0);
}

Constraint *distributions_constraints_real(void) {
    return constraint_new(FORM_REAL, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_real_vector(void) {
    return distributions_constraints_independent(distributions_constraints_real(), 1);
}
Constraint *distributions_constraints_positive(void) {
    return distributions_constraints_greater_than(N(0));
}
Constraint *distributions_constraints_nonnegative(void) {
    return distributions_constraints_greater_than_eq(N(0));
}
Constraint *distributions_constraints_unit_interval(void) {
    return distributions_constraints_interval(N(0), N(1));
}
Constraint *distributions_constraints_boolean(void) {
    return constraint_new(FORM_BOOLEAN, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_nonnegative_integer(void) {
    return with_bounds(FORM_INTEGER_GREATER_THAN, true, t_integer(0), false, NULL);
}
Constraint *distributions_constraints_positive_integer(void) {
    return with_bounds(FORM_INTEGER_GREATER_THAN, true, t_integer(1), false, NULL);
}
Constraint *distributions_constraints_simplex(void) {
    return constraint_new(FORM_SIMPLEX, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_one_hot(void) {
    return constraint_new(FORM_ONE_HOT, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_lower_cholesky(void) {
    return constraint_new(FORM_LOWER_CHOLESKY, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_positive_definite(void) {
    return constraint_new(FORM_POSITIVE_DEFINITE, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_positive_semidefinite(void) {
    return constraint_new(FORM_POSITIVE_SEMIDEFINITE, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_lower_triangular(void) {
    return constraint_new(FORM_LOWER_TRIANGULAR, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_corr_cholesky(void) {
    return constraint_new(FORM_CORR_CHOLESKY, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_square(void) {
    return constraint_new(FORM_SQUARE, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_symmetric(void) {
    return constraint_new(FORM_SYMMETRIC, NULL, NULL, NULL, 0);
}
Constraint *distributions_constraints_greater_than(Tensor *lower_bound) {
    return with_bounds(FORM_GREATER_THAN, true, lower_bound, false, NULL);
}
Constraint *distributions_constraints_greater_than_eq(Tensor *lower_bound) {
    return with_bounds(FORM_GREATER_THAN_EQ, true, lower_bound, false, NULL);
}
Constraint *distributions_constraints_less_than(Tensor *upper_bound) {
    return with_bounds(FORM_LESS_THAN, false, NULL, true, upper_bound);
}
Constraint *distributions_constraints_interval(Tensor *lower_bound, Tensor *upper_bound) {
    return with_bounds(FORM_INTERVAL, true, lower_bound, true, upper_bound);
}
Constraint *distributions_constraints_half_open_interval(Tensor *lower_bound, Tensor *upper_bound) {
    return with_bounds(FORM_HALF_OPEN_INTERVAL, true, lower_bound, true, upper_bound);
}
Constraint *distributions_constraints_integer_interval(Tensor *lower_bound, Tensor *upper_bound) {
    return with_bounds(FORM_INTEGER_INTERVAL, true, lower_bound, true, upper_bound);
}
Constraint *distributions_constraints_multinomial(Tensor *upper_bound) {
    return with_bounds(FORM_MULTINOMIAL, false, NULL, true, upper_bound);
}

/* constraints.independent(base, n): all of the last n dims of what base checks. Error: n negative. */
Constraint *distributions_constraints_independent(Constraint *base_constraint, int64_t reinterpreted_batch_ndims) {
    if (!tg_check_constraint(base_constraint, 1)) return NULL;
    if (reinterpreted_batch_ndims < 0)
        return tg_fail("reinterpreted_batch_ndims must be >= 0, got %lld", (long long)reinterpreted_batch_ndims);
    return constraint_new(FORM_INDEPENDENT, NULL, NULL, base_constraint, reinterpreted_batch_ndims);
}

static Constraint *of_parts(Form form, Constraint *const *parts, int64_t count, int64_t dim) {
    if (!tg_check_array(parts, count, 1, "constraints")) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!tg_check_constraint(parts[i], 1)) return NULL;
    Constraint *constraint = constraint_new(form, NULL, NULL, NULL, 0);
    Constraint **copy = constraint && count ? tg_alloc((size_t)count * sizeof *copy) : NULL;
    if (!constraint || (count && !copy)) return NULL;
    for (int64_t i = 0; i < count; i++) copy[i] = t_retain(parts[i]);
    constraint->parts = copy;
    constraint->count = count;
    constraint->dim = dim;
    return constraint;
}

/* constraints.cat(cseq, dim, lengths): cseq[i] for lengths[i] elements along dim; NULL: one each. Error: a length is
 * negative. */
Constraint *distributions_constraints_cat(Constraint *const *cseq, int64_t count, int64_t dim, const int64_t *lengths) {
    for (int64_t i = 0; lengths && i < count; i++)
        if (lengths[i] < 0)
            return tg_fail("lengths[%lld] is %lld, which is negative", (long long)i, (long long)lengths[i]);
    Constraint *constraint = of_parts(FORM_CAT, cseq, count, dim);
    int64_t *copy = constraint && count ? tg_alloc((size_t)count * sizeof *copy) : NULL;
    if (!constraint || (count && !copy)) return NULL;
    for (int64_t i = 0; i < count; i++) copy[i] = lengths ? lengths[i] : 1;
    constraint->lengths = copy;
    return constraint;
}

/* constraints.stack(cseq, dim): cseq[i] for the i-th element along dim */
Constraint *distributions_constraints_stack(Constraint *const *cseq, int64_t count, int64_t dim) {
    return of_parts(FORM_STACK, cseq, count, dim);
}

Constraint *tg_mixture_constraint(Constraint *base) {
    return tg_check_constraint(base, 1) ? constraint_new(FORM_MIXTURE, NULL, NULL, base, 0) : NULL;
}

Constraint *tg_constraint(ConstraintKind kind) {
    switch (kind) {
    case REAL_VECTOR: return distributions_constraints_real_vector();
    case POSITIVE: return distributions_constraints_positive();
    case POSITIVE_VECTOR: return distributions_constraints_independent(distributions_constraints_positive(), 1);
    case NONNEGATIVE: return distributions_constraints_nonnegative();
    case UNIT_INTERVAL: return distributions_constraints_unit_interval();
    case BOOLEAN: return distributions_constraints_boolean();
    case NONNEGATIVE_INTEGER: return distributions_constraints_nonnegative_integer();
    case SIMPLEX: return distributions_constraints_simplex();
    case ONE_HOT: return distributions_constraints_one_hot();
    case LOWER_CHOLESKY: return distributions_constraints_lower_cholesky();
    case POSITIVE_DEFINITE: return distributions_constraints_positive_definite();
    case CORR_CHOLESKY: return distributions_constraints_corr_cholesky();
    case REAL_MATRIX: return distributions_constraints_independent(distributions_constraints_real(), 2);
    default: return distributions_constraints_real();
    }
}

/* ---- properties ---- */

static int64_t event_dim(const Constraint *constraint) {
    int64_t max = 0;
    for (int64_t i = 0; i < constraint->count; i++) {
        const int64_t of_part = event_dim(constraint->parts[i]);
        max = of_part > max ? of_part : max;
    }
    switch (constraint->form) {
    case FORM_SIMPLEX:
    case FORM_ONE_HOT:
    case FORM_MULTINOMIAL: return 1;
    case FORM_LOWER_TRIANGULAR:
    case FORM_LOWER_CHOLESKY:
    case FORM_CORR_CHOLESKY:
    case FORM_SQUARE:
    case FORM_SYMMETRIC:
    case FORM_POSITIVE_SEMIDEFINITE:
    case FORM_POSITIVE_DEFINITE: return 2;
    case FORM_INDEPENDENT:
    case FORM_MIXTURE: return event_dim(constraint->base) + constraint->reinterpreted_batch_ndims;
    case FORM_STACK: return constraint->dim + max < 0 ? max + 1 : max;
    default: return max;
    }
}

/* constraint.event_dim: the number of dims of one event, which the check gives one bool for; -1 on error. */
int64_t distributions_constraints_event_dim(Constraint *constraint) {
    return tg_check_constraint(constraint, 1) ? event_dim(constraint) : -1;
}

/* constraint.is_discrete */
bool distributions_constraints_is_discrete(Constraint *constraint) {
    if (!tg_check_constraint(constraint, 1)) return false;
    if (constraint->base) return distributions_constraints_is_discrete(constraint->base);
    for (int64_t i = 0; i < constraint->count; i++)
        if (distributions_constraints_is_discrete(constraint->parts[i])) return true;
    return constraint->form == FORM_BOOLEAN || constraint->form == FORM_INTEGER_GREATER_THAN ||
           constraint->form == FORM_INTEGER_INTERVAL || constraint->form == FORM_ONE_HOT ||
           constraint->form == FORM_MULTINOMIAL;
}

const char *tg_constraint_name(const Constraint *constraint) {
    static const char *const names[] = {
        "Real", "GreaterThan", "GreaterThanEq", "LessThan", "Interval", "Boolean", "IntegerGreaterThan",
        "IntegerInterval", "Simplex", "OneHot", "Multinomial", "LowerCholesky", "PositiveDefinite",
        "IndependentConstraint", "MixtureSameFamilyConstraint", "HalfOpenInterval", "LowerTriangular", "CorrCholesky",
        "Square", "Symmetric", "PositiveSemidefinite", "Cat", "Stack"};
    return names[constraint->form];
}

/* repr(constraint): "Interval(lower_bound=0.0, upper_bound=1.0)" */
const char *distributions_constraints_str(Constraint *constraint) {
    if (!tg_check_constraint(constraint, 1)) return NULL;
    const char *name = tg_constraint_name(constraint), *lower, *upper;
    switch (constraint->form) {
    case FORM_GREATER_THAN:
    case FORM_GREATER_THAN_EQ:
    case FORM_INTEGER_GREATER_THAN:
        lower = tg_value_text(constraint->lower);
        return lower ? t_format("%s(lower_bound=%s)", name, lower) : NULL;
    case FORM_LESS_THAN:
        upper = tg_value_text(constraint->upper);
        return upper ? t_format("%s(upper_bound=%s)", name, upper) : NULL;
    case FORM_INTERVAL:
    case FORM_HALF_OPEN_INTERVAL:
    case FORM_INTEGER_INTERVAL:
        lower = tg_value_text(constraint->lower);
        upper = lower ? tg_value_text(constraint->upper) : NULL;
        return upper ? t_format("%s(lower_bound=%s, upper_bound=%s)", name, lower, upper) : NULL;
    case FORM_INDEPENDENT:
        lower = distributions_constraints_str(constraint->base);
        return lower ? t_format("%s(%s, %lld)", name, lower, (long long)constraint->reinterpreted_batch_ndims) : NULL;
    case FORM_MIXTURE:
        lower = distributions_constraints_str(constraint->base);
        return lower ? t_format("%s(%s)", name, lower) : NULL;
    default: return t_format("%s()", name);
    }
}

/* ---- checks ---- */

static const int64_t last_dim[] = {-1}, last_two[] = {-2, -1};

static Tensor *is_integer(Tensor *x) {
    return t_eq(t_remainder(x, t_integer(1)), t_integer(0));
}

/* The checks of matrices give a bool for each. */
static Tensor *is_lower_triangular(Tensor *x) {
    return t_all(t_eq(t_tril(x, 0), x), last_two, 2, false);
}

/* no element above the diagonal, and those on it above 0 */
static Tensor *is_lower_cholesky(Tensor *x) {
    Tensor *positive = t_all(t_gt(t_diagonal(x, 0, -2, -1), N(0)), last_dim, 1, false);
    return t_logical_and(is_lower_triangular(x), positive);
}

/* the factor of a correlation matrix: rows of norm 1 */
static Tensor *is_corr_cholesky(Tensor *x) {
    const double tolerance = tg_eps(x->dtype) * (double)x->shape[x->ndim - 1] * 10;
    Tensor *norm = t_sqrt(t_sum(t_square(x), last_dim, 1, false));
    Tensor *unit = t_all(t_le(t_abs(t_sub(norm, N(1))), N(tolerance)), last_dim, 1, false);
    return t_logical_and(is_lower_cholesky(x), unit);
}

static bool has_square_shape(const Tensor *x) {
    return x->shape[x->ndim - 2] == x->shape[x->ndim - 1];
}

static Tensor *is_square(Tensor *x) {
    t_Tuple batch = tg_shape_tuple(x, 0, x->ndim - 2);
    return tg_full_tensor(&batch, has_square_shape(x), t_bool);
}

static Tensor *is_symmetric(Tensor *x) {
    if (!has_square_shape(x)) return is_square(x);
    return t_all(t_isclose(x, t_mT(x), 1e-5, 1e-6, false), last_two, 2, false);
}

static Tensor *is_positive_semidefinite(Tensor *x) {
    if (!has_square_shape(x)) return is_square(x);
    Tensor *positive = t_all(t_ge(linalg_eigvalsh(x, false), N(0)), last_dim, 1, false);
    return t_logical_and(is_symmetric(x), positive);
}

/* symmetric, and with a Cholesky factor */
static Tensor *is_positive_definite(Tensor *x) {
    Tensor *info = NULL, *symmetric = is_symmetric(x);
    if (!has_square_shape(x)) return symmetric;
    return linalg_cholesky_ex(x, false, false, &info) ? t_logical_and(symmetric, t_eq(info, t_integer(0))) : NULL;
}

/* All of the last n dims. */
static Tensor *all_rightmost(Tensor *x, int64_t n) {
    int64_t shape[T_MAX_DIMS + 1];
    const int kept = x ? x->ndim - (int)n : 0;
    if (!x || n == 0) return x;
    for (int d = 0; d < kept; d++) shape[d] = x->shape[d];
    shape[kept] = tg_shape_numel(x->shape + kept, (int)n);
    return t_all(t_reshape(x, shape, kept + 1), last_dim, 1, false);
}

static Tensor *check(Constraint *constraint, Tensor *x);

/* The parts' checks, of their elements along dim. */
static Tensor *check_parts(Constraint *constraint, Tensor *x) {
    const bool stacked = constraint->form == FORM_STACK;
    t_TensorList *checks = t_list_new(NULL, 0);
    if (constraint->dim < -x->ndim || constraint->dim >= x->ndim)
        return tg_fail("dim %lld out of range for value with %d dimensions", (long long)constraint->dim, x->ndim);
    for (int64_t i = 0, start = 0; checks && i < constraint->count;
         start += stacked ? 1 : constraint->lengths[i], i++) {
        Tensor *part = stacked ? t_select(x, constraint->dim, i)
                               : t_narrow(x, constraint->dim, start, constraint->lengths[i]);
        Tensor *valid = part ? distributions_constraints_check(constraint->parts[i], part) : NULL;
        if (!valid || !t_list_append(checks, valid)) return NULL;
    }
    return !checks ? NULL : stacked ? t_stack(checks, constraint->dim) : t_cat(checks, constraint->dim);
}

/* x has the dims of an event. */
static Tensor *check(Constraint *constraint, Tensor *x) {
    if (!x) return NULL;
    Tensor *lower = constraint->lower, *upper = constraint->upper, *result;
    switch (constraint->form) {
    case FORM_GREATER_THAN: return t_gt(x, lower);
    case FORM_GREATER_THAN_EQ: return t_ge(x, lower);
    case FORM_LESS_THAN: return t_lt(x, upper);
    case FORM_INTERVAL: return t_logical_and(t_ge(x, lower), t_le(x, upper));
    case FORM_HALF_OPEN_INTERVAL: return t_logical_and(t_ge(x, lower), t_lt(x, upper));
    case FORM_BOOLEAN: return t_logical_or(t_eq(x, t_integer(0)), t_eq(x, t_integer(1)));
    case FORM_INTEGER_GREATER_THAN: return t_logical_and(is_integer(x), t_ge(x, lower));
    case FORM_INTEGER_INTERVAL:
        return t_logical_and(is_integer(x), t_logical_and(t_ge(x, lower), t_le(x, upper)));
    case FORM_SIMPLEX:
        result = t_lt(t_abs(t_sub(t_sum(x, last_dim, 1, false), N(1))), N(1e-6));
        return t_logical_and(t_all(t_ge(x, N(0)), last_dim, 1, false), result);
    case FORM_ONE_HOT:
        result = t_logical_or(t_eq(x, t_integer(0)), t_eq(x, t_integer(1)));
        return t_logical_and(t_all(result, last_dim, 1, false), t_eq(t_sum(x, last_dim, 1, false), t_integer(1)));
    case FORM_MULTINOMIAL:
        result = t_all(t_ge(x, t_integer(0)), last_dim, 1, false);
        return t_logical_and(result, t_le(t_sum(x, last_dim, 1, false), upper));
    case FORM_LOWER_TRIANGULAR: return is_lower_triangular(x);
    case FORM_LOWER_CHOLESKY: return is_lower_cholesky(x);
    case FORM_CORR_CHOLESKY: return is_corr_cholesky(x);
    case FORM_SQUARE: return is_square(x);
    case FORM_SYMMETRIC: return is_symmetric(x);
    case FORM_POSITIVE_SEMIDEFINITE: return is_positive_semidefinite(x);
    case FORM_POSITIVE_DEFINITE: return is_positive_definite(x);
    case FORM_CAT:
    case FORM_STACK: return check_parts(constraint, x);
    case FORM_INDEPENDENT: return all_rightmost(check(constraint->base, x), constraint->reinterpreted_batch_ndims);
    case FORM_MIXTURE:
        result = check(constraint->base, t_unsqueeze(x, -1 - event_dim(constraint)));
        return result ? all_rightmost(result, result->ndim - (x->ndim - event_dim(constraint))) : NULL;
    default: return t_eq(x, x); /* false for NaN */
    }
}

/* constraint.check(value): bool, of the shape of value without its last event_dim dims. */
Tensor *distributions_constraints_check(Constraint *constraint, Tensor *value) {
    if (!tg_check_constraint(constraint, 1) || !tg_check(value, 2)) return NULL;
    if (value->ndim < event_dim(constraint))
        return tg_fail("Expected value.dim() >= %lld but got %d", (long long)event_dim(constraint), value->ndim);
    int depth = t_scope_open();
    Tensor *result = depth ? check(constraint, t_detach(value)) : NULL;
    return tg_scope_return(depth, result);
}
