/* core/distributions/distribution.c: what every distribution has: construction, validation, sampling, and the calls of
 * the functions of its family. */
#include <string.h>

#include "core/distributions/distribution_internal.h"
#include "core/ops/creation/random_internal.h"

static bool validates_by_default = true;

/* Distribution.set_default_validate_args(value): for distributions with validate_args=None, of all threads. */
void distributions_set_default_validate_args(bool value) {
    validates_by_default = value;
}

/* ---- the object ---- */

static void distribution_destroy(void *object) {
    Distribution *m = object;
    tg_object_dispose(&m->object);
    for (int i = 0; i < MAX_PARAMETERS; i++) t_release(m->parameters[i]);
    for (int64_t i = 0; i < m->transform_count; i++) t_release(m->transforms[i]);
    tg_free(m->transforms, (size_t)m->transform_count * sizeof *m->transforms);
    t_release(m->base);
    t_release(m->component);
    t_release(m->factor);
    tg_object_free(&m->object, sizeof *m);
}

static const t_Class distribution_class = {"Distribution", distribution_destroy};

bool tg_check_distribution(const Distribution *m, int position) {
    if (!tg_check_given(m != NULL, position, "a distribution")) return false;
    return m->object.is_a == &distribution_class || tg_fail("argument %d is not a live distribution", position);
}

Distribution *tg_distribution_new(const Family *family, const t_Tuple *batch_shape, const t_Tuple *event_shape,
                                  int validate_args) {
    Distribution *m = tg_alloc(sizeof *m);
    if (!m) return NULL;
    m->family = family;
    m->batch_shape = *batch_shape;
    m->event_shape = *event_shape;
    m->validate_args = validate_args < 0 ? validates_by_default : validate_args;
    tg_object_init(&m->object, &distribution_class);
    return m;
}

void tg_set_distribution_parameter(Distribution *m, int i, Tensor *value) {
    if (m && value) m->parameters[i] = t_retain(value);
}

void tg_set_base(Distribution *m, Distribution *base) {
    if (m && base) m->base = t_retain(base);
}

bool tg_is_family(const Distribution *m, const Family *family) {
    for (const Family *at = m->family; at; at = at->parent)
        if (at == family) return true;
    return false;
}

void *tg_not_defined(const Distribution *m, const char *what) {
    return tg_fail("%s has no %s", m->family->name, what);
}

/* ---- text ---- */

/* A format string in Python gives the value of a 0-dim tensor, and the text of any other. */
const char *tg_value_text(Tensor *x) {
    if (!x || x->ndim > 0) return t_str(x);
    if (x->dtype == t_bool) return tg_read_int64(x) ? "True" : "False";
    if (x->dtype == t_int64) return t_format("%lld", (long long)tg_read_int64(x));
    return t_format("%s", tg_number_text(tg_read_double(x)));
}

const char *tg_size_text(const t_Tuple *shape) {
    char text[TG_SHAPE_TEXT];
    tg_write_shape(text, sizeof text, shape->items, shape->len);
    return t_format("torch.Size(%s)", text);
}

/* A Python tuple: "()", "(2,)", "(2, 3)". */
static const char *tuple_text(const Tensor *x) {
    const char *text = "";
    if (x->ndim == 1) return t_format("(%lld,)", (long long)x->shape[0]);
    for (int d = 0; text && d < x->ndim; d++) text = t_format("%s%s%lld", text, d ? ", " : "", (long long)x->shape[d]);
    return text ? t_format("(%s)", text) : NULL;
}

static const char *class_name(const Tensor *x) {
    return x->is_parameter ? "Parameter" : "Tensor";
}

static const char *distribution_text(Distribution *m) {
    const char *text = "";
    if (m->family->str) return m->family->str(m);
    for (int i = 0; i < MAX_PARAMETERS && text; i++) {
        Tensor *x = m->parameters[i];
        if (!x || m->family->parameters[i].constraint == NO_CONSTRAINT) continue;
        const char *value = tg_numel(x) == 1 ? tg_value_text(x) : t_size_repr(x);
        if (!value) return NULL;
        text = t_format("%s%s%s: %s", text, *text ? ", " : "", m->family->parameters[i].name, value);
    }
    return text ? t_format("%s(%s)", m->family->name, text) : NULL;
}

/* repr(m): "Normal(loc: 0.0, scale: 1.0)"; the shape of a parameter that has not one element. */
const char *distributions_str(Distribution *m) {
    return tg_check_distribution(m, 1) ? distribution_text(m) : NULL;
}

/* ---- validation ---- */

/* 1, 0, or -1 on an error. */
static int all_true(Tensor *x) {
    Tensor *all = t_all(x, NULL, 0, false);
    return all ? tg_read_int64(all) != 0 : -1;
}

bool tg_validate_parameter(Distribution *m, const char *name, Tensor *value, Constraint *constraint) {
    Tensor *valid = distributions_constraints_check(constraint, value);
    if (!valid) return false;
    const int all = all_true(valid);
    if (all) return all > 0;
    const char *of = distribution_text(m), *what = distributions_constraints_str(constraint);
    const char *shape = tuple_text(value), *text = tg_value_text(value);
    if (!of || !what || !shape || !text) return false;
    return tg_fail("Expected parameter %s (%s of shape %s) of distribution %s to satisfy the constraint %s, but found "
                   "invalid values:\n%s",
                   name, class_name(value), shape, of, what, text) != NULL;
}

static bool validate(Distribution *m) {
    for (int i = 0; i < MAX_PARAMETERS; i++) {
        const ConstraintKind kind = m->family->parameters[i].constraint;
        if (!m->parameters[i] || kind <= DEPENDENT) continue;
        if (!tg_validate_parameter(m, m->family->parameters[i].name, m->parameters[i], tg_constraint(kind)))
            return false;
    }
    return !m->family->validate || m->family->validate(m);
}

Distribution *tg_validated(Distribution *m) {
    if (!m || !m->validate_args) return m;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false), ok = depth && validate(m);
    t_set_grad_enabled(grad_enabled);
    tg_scope_close(depth);
    if (ok) return m;
    t_release(tg_take_from_scope(m));
    return NULL;
}

/* The last dims of value must be event_shape, and the others broadcast with batch_shape. */
static bool validate_shape(Distribution *m, const Tensor *value) {
    const int event = m->event_shape.len, begin = value->ndim > event ? value->ndim - event : 0;
    t_Tuple actual = tg_shape_tuple(value, 0, value->ndim), last = tg_shape_tuple(value, begin, value->ndim), expected;
    if (!tg_same_tuple(&last, &m->event_shape))
        return tg_fail("The right-most size of value must match event_shape: %s vs %s.", tg_size_text(&actual),
                       tg_size_text(&m->event_shape));
    if (!tg_concat(&m->batch_shape, &m->event_shape, &expected)) return false;
    for (int d = 1; d <= actual.len && d <= expected.len; d++) {
        const int64_t i = actual.items[actual.len - d], j = expected.items[expected.len - d];
        if (i != 1 && j != 1 && i != j)
            return tg_fail("Value is not broadcastable with batch_shape+event_shape: %s vs %s.", tg_size_text(&actual),
                           tg_size_text(&expected));
    }
    return true;
}

static Constraint *support(Distribution *m) {
    return m->family->dependent_support ? m->family->dependent_support(m) : tg_constraint(m->family->support);
}

static bool validate_value(Distribution *m, Tensor *value) {
    if (value->wrapped_number) return tg_fail("The value argument to log_prob must be a Tensor");
    if (!validate_shape(m, value)) return false;
    Constraint *of = support(m);
    Tensor *valid = of ? distributions_constraints_check(of, value) : NULL;
    if (!valid) return false;
    const int all = all_true(valid);
    if (all) return all > 0;
    const char *name = distribution_text(m), *what = distributions_constraints_str(of);
    const char *shape = tuple_text(value), *text = tg_value_text(value);
    if (!name || !what || !shape || !text) return false;
    return tg_fail("Expected value argument (%s of shape %s) to be within the support (%s) of the distribution %s, but "
                   "found invalid values:\n%s",
                   class_name(value), shape, what, name, text) != NULL;
}

bool tg_validate_sample(Distribution *m, Tensor *value) {
    if (!value) return false;
    bool grad_enabled = t_set_grad_enabled(false), ok = validate_value(m, value);
    t_set_grad_enabled(grad_enabled);
    return ok;
}

/* ---- construction ---- */

bool tg_broadcast_all(Tensor **x, int count) {
    t_DType dtype = t_get_default_dtype();
    for (int i = count - 1; i >= 0; i--) {
        if (!tg_check(x[i], i + 1)) return false;
        if (!x[i]->wrapped_number) dtype = x[i]->dtype;
    }
    for (int i = 0; i < count; i++)
        if (x[i]->wrapped_number) x[i] = tg_full_tensor(&(t_Tuple){.len = 0}, tg_read_double(x[i]), dtype);
    t_TensorList *list = t_list_new(x, count), *same = list ? t_broadcast_tensors(list) : NULL;
    if (!same) return false;
    for (int i = 0; i < count; i++) x[i] = t_list_get(same, i);
    return true;
}

static Distribution *new_broadcast(const Family *family, Tensor *const *parameters, int count, int validate_args) {
    static const t_Tuple scalar = {.len = 0};
    Tensor *x[MAX_PARAMETERS];
    memcpy(x, parameters, (size_t)count * sizeof *x);
    if (!tg_broadcast_all(x, count)) return NULL;
    t_Tuple batch_shape = tg_shape_tuple(x[0], 0, x[0]->ndim);
    Distribution *m = tg_distribution_new(family, &batch_shape, &scalar, validate_args);
    for (int i = 0; i < count; i++) tg_set_distribution_parameter(m, i, x[i]);
    return tg_validated(m);
}

Distribution *tg_new_broadcast(const Family *family, Tensor *const *parameters, int count, int validate_args) {
    int depth = t_scope_open();
    Distribution *m = depth ? new_broadcast(family, parameters, count, validate_args) : NULL;
    return tg_scope_return(depth, m);
}

bool tg_check_probs_or_logits(Tensor *probs, Tensor *logits) {
    if (!tg_check_optional(probs, 1) || !tg_check_optional(logits, 2)) return false;
    return !probs != !logits || tg_fail("Either `probs` or `logits` must be specified, but not both.");
}

static Distribution *new_probs_or_logits(const Family *family, Tensor *const *parameters, int count, Tensor *probs,
                                         Tensor *logits, int validate_args) {
    static const t_Tuple scalar = {.len = 0};
    Tensor *x[MAX_PARAMETERS];
    for (int i = 0; i < count; i++) x[i] = parameters[i];
    x[count] = probs ? probs : logits;
    if (!tg_broadcast_all(x, count + 1)) return NULL;
    t_Tuple batch_shape = tg_shape_tuple(x[0], 0, x[0]->ndim);
    Distribution *m = tg_distribution_new(family, &batch_shape, &scalar, validate_args);
    for (int i = 0; i < count; i++) {
        Tensor *converted = t_type_as(x[i], x[count]);
        if (!converted) return NULL;
        tg_set_distribution_parameter(m, i, converted);
    }
    tg_set_distribution_parameter(m, probs ? count : count + 1, x[count]);
    return tg_validated(m);
}

Distribution *tg_new_probs_or_logits(const Family *family, Tensor *const *parameters, int count, Tensor *probs,
                                     Tensor *logits, int validate_args) {
    if (!tg_check_probs_or_logits(probs, logits)) return NULL;
    int depth = t_scope_open();
    Distribution *m = depth ? new_probs_or_logits(family, parameters, count, probs, logits, validate_args) : NULL;
    return tg_scope_return(depth, m);
}

Distribution *tg_expanded(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *new = tg_distribution_new(m->family, batch_shape, &m->event_shape, m->validate_args);
    if (!new) return NULL;
    new->number = m->number;
    memcpy(new->limits, m->limits, sizeof new->limits);
    return new;
}

/* Each parameter has the dims of batch_shape, and perhaps more after them. */
bool tg_expand_parameters(Distribution *m, const t_Tuple *batch_shape, Distribution *new) {
    for (int i = 0; new && i < MAX_PARAMETERS; i++) {
        Tensor *x = m->parameters[i];
        t_Tuple shape;
        if (!x) continue;
        t_Tuple rest = tg_shape_tuple(x, m->batch_shape.len, x->ndim);
        Tensor *expanded = tg_concat(batch_shape, &rest, &shape) ? tg_expand_to(x, &shape) : NULL;
        if (!expanded) return false;
        tg_set_distribution_parameter(new, i, expanded);
    }
    return new != NULL;
}

static Distribution *expand(Distribution *m, const t_Tuple *batch_shape) {
    if (m->family->expand) return m->family->expand(m, batch_shape);
    Distribution *new = tg_expanded(m, batch_shape);
    return tg_expand_parameters(m, batch_shape, new) ? new : NULL;
}

static bool take_shape(const int64_t *shape, int ndim, t_Tuple *to) {
    if (!tg_check_array(shape, ndim, 2, "sizes")) return false;
    if (ndim > T_MAX_DIMS) return tg_fail("a shape has at most %d dims", T_MAX_DIMS);
    for (int d = 0; d < ndim; d++) to->items[d] = shape[d];
    to->len = ndim;
    return true;
}

/* m.expand(batch_shape): a distribution whose parameters are expanded to that batch_shape, without copying them. The
 * error is that of Tensor.expand. */
Distribution *distributions_expand(Distribution *m, const int64_t *batch_shape, int ndim) {
    t_Tuple shape;
    if (!tg_check_distribution(m, 1) || !take_shape(batch_shape, ndim, &shape)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? expand(m, &shape) : NULL);
}

/* ---- properties ---- */

const t_Tuple *distributions_batch_shape(const Distribution *m) {
    return tg_check_distribution(m, 1) ? &m->batch_shape : NULL;
}

const t_Tuple *distributions_event_shape(const Distribution *m) {
    return tg_check_distribution(m, 1) ? &m->event_shape : NULL;
}

static bool has_rsample(const Distribution *m) {
    if (!m->family->rsample) return false;
    const bool as_base = tg_is_family(m, &tg_transformed) || tg_is_family(m, &tg_independent);
    return !as_base || has_rsample(m->base);
}

/* m.has_rsample: whether rsample exists */
bool distributions_has_rsample(const Distribution *m) {
    return tg_check_distribution(m, 1) && has_rsample(m);
}

/* m.has_enumerate_support */
bool distributions_has_enumerate_support(const Distribution *m) {
    if (!tg_check_distribution(m, 1) || !m->family->enumerate_support) return false;
    return !m->family->base_validates_log_prob || (m->number == 0 && distributions_has_enumerate_support(m->base));
}

/* m.support: the values that log_prob is defined for */
Constraint *distributions_support(Distribution *m) {
    if (!tg_check_distribution(m, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? support(m) : NULL);
}

/* m.base_dist, of Independent, TransformedDistribution and those made of one */
Distribution *distributions_base_dist(Distribution *m) {
    if (!tg_check_distribution(m, 1)) return NULL;
    return m->base ? tg_add_to_scope(m->base) : tg_not_defined(m, "base_dist");
}

Tensor *tg_param(Distribution *m, const char *name) {
    for (Distribution *at = m; at; at = at->base) {
        for (int i = 0; i < MAX_PARAMETERS; i++)
            if (at->family->parameters[i].name && !strcmp(at->family->parameters[i].name, name) && at->parameters[i])
                return at->parameters[i];
        int64_t failures = tg_thread.failures;
        Tensor *computed = at->family->parameter ? at->family->parameter(at, name) : NULL;
        if (computed || tg_failed_since(failures)) return computed;
    }
    return tg_fail("'%s' object has no attribute '%s'", m->family->name, name);
}

/* getattr(m, name): a parameter, m.probs as "probs"; probs of logits and logits of probs are computed. A parameter has
 * the shape of the batch. Error: m has none of that name. */
Tensor *distributions_param(Distribution *m, const char *name) {
    if (!tg_check_distribution(m, 1) || !tg_check_given(name != NULL, 2, "a name")) return NULL;
    int depth = t_scope_open();
    Tensor *x = depth ? tg_param(m, name) : NULL;
    return tg_scope_return(depth, x ? tg_add_to_scope(x) : NULL);
}

/* ---- sampling ---- */

Tensor *tg_draw(Distribution *m, const t_Tuple *sample_shape, bool differentiable) {
    t_Tuple shape;
    if (!tg_concat(sample_shape, &m->batch_shape, &shape) || !tg_concat(&shape, &m->event_shape, &shape)) return NULL;
    if (differentiable)
        return m->family->rsample ? m->family->rsample(m, &shape, sample_shape->len) : tg_not_defined(m, "rsample");
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *(*draw)(Distribution *, const t_Tuple *, int) = m->family->sample ? m->family->sample : m->family->rsample;
    Tensor *x = draw(m, &shape, sample_shape->len); /* every family has one of the two */
    t_set_grad_enabled(grad_enabled);
    return x;
}

/* If a call fails after it has drawn, the generator gets its state back. */
static Tensor *draw_in_scope(Distribution *m, const int64_t *sample_shape, int ndim, bool differentiable) {
    t_Tuple shape;
    tg_Draws draws;
    if (!tg_check_distribution(m, 1) || !take_shape(sample_shape, ndim, &shape) || !tg_draws_begin(&draws, NULL))
        return NULL;
    int depth = t_scope_open();
    Tensor *x = depth ? tg_draw(m, &shape, differentiable) : NULL;
    tg_draws_end(&draws, x != NULL);
    return tg_scope_return(depth, x);
}

/* m.sample(sample_shape): values of the thread's default generator, as PyTorch draws them after the same
 * t_manual_seed. The result has no gradient. */
Tensor *distributions_sample(Distribution *m, const int64_t *sample_shape, int ndim) {
    return draw_in_scope(m, sample_shape, ndim, false);
}

/* m.rsample(sample_shape): a sample that is a function of the parameters, so that its gradient with respect to them
 * exists. Error: the distribution has none (distributions_has_rsample). */
Tensor *distributions_rsample(Distribution *m, const int64_t *sample_shape, int ndim) {
    return draw_in_scope(m, sample_shape, ndim, true);
}

/* ---- calls of the family's functions ---- */

/* torch.as_tensor(value, dtype=...) */
static Tensor *as_parameters(Distribution *m, Tensor *value) {
    const t_DType dtype = m->parameters[0]->dtype;
    return value->wrapped_number ? tg_full_tensor(&(t_Tuple){.len = 0}, tg_read_double(value), dtype)
                                 : t_to(value, dtype);
}

static Tensor *of_value(Distribution *m, Tensor *(*f)(Distribution *, Tensor *), Tensor *value, const char *name,
                        bool validated) {
    if (!f) return tg_not_defined(m, name);
    if (m->family->takes_numbers && value && (value->wrapped_number || value->dtype != m->parameters[0]->dtype))
        value = as_parameters(m, value);
    return validated && !tg_validate_sample(m, value) ? NULL : f(m, value);
}

Tensor *tg_log_prob(Distribution *m, Tensor *value) {
    return of_value(m, m->family->log_prob, value, "log_prob", m->validate_args && !m->family->base_validates_log_prob);
}

Tensor *tg_cdf(Distribution *m, Tensor *value) {
    return of_value(m, m->family->cdf, value, "cdf", m->validate_args && !m->family->base_validates_cdf);
}

Tensor *tg_icdf(Distribution *m, Tensor *value) {
    return of_value(m, m->family->icdf, value, "icdf", false);
}

#define PROPERTY(name)                                                                       \
    Tensor *tg_##name(Distribution *m) {                                                     \
        return m->family->name ? m->family->name(m) : tg_not_defined(m, #name);              \
    }
PROPERTY(entropy)
PROPERTY(mean)
PROPERTY(mode)
PROPERTY(variance)

static Tensor *stddev(Distribution *m) {
    return m->family->stddev ? m->family->stddev(m) : t_sqrt(tg_variance(m));
}

static Tensor *perplexity(Distribution *m) {
    return t_exp(tg_entropy(m));
}

static Tensor *value_in_scope(Distribution *m, Tensor *value, Tensor *(*f)(Distribution *, Tensor *)) {
    if (!tg_check_distribution(m, 1) || !tg_check(value, 2)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? f(m, value) : NULL);
}

/* A parameter itself, as the mean of Normal, belongs to the distribution and gets to the caller's scope too. */
static Tensor *in_scope(Distribution *m, Tensor *(*f)(Distribution *)) {
    if (!tg_check_distribution(m, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *x = depth ? f(m) : NULL;
    return tg_scope_return(depth, x ? tg_add_to_scope(x) : NULL);
}

/* m.log_prob(value): the logarithm of the density, or of the probability, at value: one for each event, in the shape
 * that value without its event dims and batch_shape broadcast to. Differentiable in value and parameters. With
 * validate_args a value outside of the support is PyTorch's error. */
Tensor *distributions_log_prob(Distribution *m, Tensor *value) {
    return value_in_scope(m, value, tg_log_prob);
}

/* m.cdf(value): the probability of values up to this one */
Tensor *distributions_cdf(Distribution *m, Tensor *value) {
    return value_in_scope(m, value, tg_cdf);
}

/* m.icdf(value): the inverse of cdf, for values in [0, 1], which are not validated */
Tensor *distributions_icdf(Distribution *m, Tensor *value) {
    return value_in_scope(m, value, tg_icdf);
}

/* m.entropy(): the mean of -log_prob, in the shape of batch_shape */
Tensor *distributions_entropy(Distribution *m) {
    return in_scope(m, tg_entropy);
}

/* m.perplexity(): e to the entropy */
Tensor *distributions_perplexity(Distribution *m) {
    return in_scope(m, perplexity);
}

Tensor *distributions_mean(Distribution *m) {
    return in_scope(m, tg_mean);
}

Tensor *distributions_mode(Distribution *m) {
    return in_scope(m, tg_mode);
}

Tensor *distributions_variance(Distribution *m) {
    return in_scope(m, tg_variance);
}

Tensor *distributions_stddev(Distribution *m) {
    return in_scope(m, stddev);
}

/* m.enumerate_support(expand): all values along a new first dim, for each distribution of the batch, or with expand
 * false with batch dims of size 1. Error: not a finite discrete distribution. */
Tensor *distributions_enumerate_support(Distribution *m, bool expanded) {
    if (!tg_check_distribution(m, 1)) return NULL;
    if (!m->family->enumerate_support) return tg_not_defined(m, "enumerate_support");
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? m->family->enumerate_support(m, expanded) : NULL);
}
