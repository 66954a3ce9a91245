/* optim/lbfgs.c: torch.optim.LBFGS, the quasi-Newton method with limited memory.
 *
 * With g the gradient of all parameters as one vector, and for each of the last history_size iterations y the change of
 * g and s the change of the parameters, an iteration is
 *
 *     d = -H g                                         H: the approximate inverse Hessian, never formed
 *     p = p + t d                                      t: lr, or found by a line search
 *
 * H g is computed from the pairs y, s by the two loops of Nocedal, "Updating quasi-Newton matrices with limited
 * storage", 1980; the initial H is (s y / y y) I of the last pair. The first d is -g, the first t at most lr / |g|_1.
 * The line search looks for a t at which the loss has fallen enough and its slope is small (the strong Wolfe
 * conditions) by cubic interpolation: Nocedal & Wright, "Numerical optimization", algorithms 3.5 and 3.6, as in
 * minFunc, which PyTorch's follows. A step of the optimizer is up to max_iter iterations and calls the closure up to
 * about max_eval times.
 *
 * Vectors have the parameters' dtype, numbers are doubles. (PyTorch's are 0-dim tensors of the parameters' dtype.) */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "optim/optimizer_internal.h"

/* ---- the parameters as one vector ---- */

/* One step of the optimizer. */
typedef struct Run {
    optim_Optimizer *optimizer;
    const optim_ParamGroup *group;
    const tg_Closure *closure;
    Tensor *loss; /* of the first call of the closure */
    int64_t evaluations, failures;
    bool ok;
} Run;

/* False if an operation has failed since the step began. */
static bool still_ok(Run *run) {
    return run->ok = run->ok && !tg_failed_since(run->failures);
}

static Tensor *flatten_gradients(Run *run) {
    t_TensorList *parts = t_list_new(NULL, 0);
    const t_TensorList *params = run->group->params;
    for (int64_t i = 0; i < params->len && parts; i++) {
        Tensor *p = params->items[i], *grad = p->grad ? t_detach(p->grad) : t_zeros_like(t_detach(p));
        if (!t_list_append(parts, t_reshape(grad, (const int64_t[]){-1}, 1))) return NULL;
    }
    Tensor *g = t_cat(parts, 0);
    return run->group->maximize ? t_neg(g) : g;
}

/* p = p + t d for all parameters. */
static bool add_to_parameters(Run *run, Tensor *d, double t) {
    int64_t offset = 0;
    const t_TensorList *params = run->group->params;
    for (int64_t i = 0; i < params->len && run->ok; i++) {
        Tensor *p = params->items[i];
        const int64_t n = tg_numel(p);
        run->ok = t_add_alpha_(p, t_reshape(t_narrow(d, 0, offset, n), p->shape, p->ndim), t) != NULL;
        offset += n;
    }
    return run->ok;
}

static t_TensorList *copy_parameters(Run *run) {
    t_TensorList *copies = t_list_new(NULL, 0);
    for (int64_t i = 0; i < run->group->params->len && copies; i++)
        if (!t_list_append(copies, t_clone(t_detach(run->group->params->items[i])))) return NULL;
    return copies;
}

static void set_parameters(Run *run, const t_TensorList *x) {
    for (int64_t i = 0; i < x->len && run->ok; i++)
        run->ok = t_copy_(run->group->params->items[i], x->items[i]) != NULL;
}

/* Calls the closure; returns the loss, -loss for maximize, and the gradient as a vector. NaN on error. */
static double evaluate(Run *run, Tensor **gradient) {
    const int depth = t_scope_open();
    Tensor *loss = depth ? tg_call_closure(run->closure) : NULL;
    const double value = loss ? t_item(loss) : (double)NAN;
    Tensor *g = still_ok(run) ? flatten_gradients(run) : NULL;
    still_ok(run);
    if (run->ok && tg_thread.teaching) {
        if (!run->evaluations) tg_teach_before_step(run->optimizer);
        tg_teach_after_step(run->optimizer);
    }
    if (run->ok && !run->evaluations++) run->loss = t_keep_object(loss);
    *gradient = tg_scope_return(depth, g);
    return run->group->maximize ? -value : value;
}

static double dot(Tensor *x, Tensor *y) {
    return t_item(t_dot(x, y));
}

static double largest(Tensor *x) {
    return t_item(t_amax(t_abs(x), NULL, 0, false));
}

/* ---- the line search ---- */

/* A point p + t d: the loss, and its slope g d along d. */
typedef struct Point {
    double t, loss, slope;
    Tensor *gradient;
} Point;

static Point point_at(Run *run, const t_TensorList *x, Tensor *d, double t) {
    Point point = {.t = t};
    if (add_to_parameters(run, d, t)) point.loss = evaluate(run, &point.gradient);
    if (run->ok) set_parameters(run, x);
    if (run->ok) point.slope = dot(point.gradient, d);
    still_ok(run);
    return point;
}

/* The minimum between least and most of the cubic polynomial through two points with their slopes; the middle if it has
 * none. */
static double interpolate(Point a, Point b, double least, double most) {
    const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t), square = d1 * d1 - a.slope * b.slope;
    if (!(square >= 0)) return (least + most) / 2;
    const double d2 = sqrt(square);
    double t = a.t <= b.t ? b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
                          : a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
    t = least > t ? least : t;
    return most < t ? most : t;
}

/* The t of the next point in a bracket. One that is close to an end for the second time, or at it, is moved inside by a
 * tenth of the bracket. */
static double next_in_bracket(const Point *bracket, bool *was_close) {
    const double least = fmin(bracket[0].t, bracket[1].t), most = fmax(bracket[0].t, bracket[1].t),
                 margin = 0.1 * (most - least), t = interpolate(bracket[0], bracket[1], least, most);
    const bool is_close = fmin(most - t, t - least) < margin,
               move = is_close && (*was_close || t >= most || t <= least);
    *was_close = is_close && !move;
    if (!move) return t;
    return fabs(t - most) < fabs(t - least) ? most - margin : least + margin;
}

/* A point on the line from `start`, at which t is 0 and the parameters are x, after at most `max_iterations` points
 * more than the first, t. The parameters do not change. */
static Point strong_wolfe(Run *run, const t_TensorList *x, Tensor *d, Point start, double t, int64_t max_iterations) {
    const double c1 = 1e-4, c2 = 0.9, tolerance_change = 1e-9, d_norm = largest(d);
    Point previous = start, point = point_at(run, x, d, t), bracket[2] = {start, point};
    int64_t i = 0;
    /* larger and larger t, until a minimum is between two of them */
    for (; run->ok && i < max_iterations; i++) {
        bracket[0] = previous, bracket[1] = point;
        if (point.loss > start.loss + c1 * point.t * start.slope || (i > 1 && point.loss >= previous.loss)) break;
        if (fabs(point.slope) <= -c2 * start.slope) return point;
        if (point.slope >= 0) break;
        t = interpolate(previous, point, point.t + 0.01 * (point.t - previous.t), point.t * 10);
        previous = point;
        point = point_at(run, x, d, t);
        bracket[0] = start, bracket[1] = point;
    }
    /* smaller and smaller brackets */
    int low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
    bool done = false, was_close = false;
    for (; run->ok && !done && i < max_iterations; i++) {
        if (fabs(bracket[1].t - bracket[0].t) * d_norm < tolerance_change) break;
        point = point_at(run, x, d, next_in_bracket(bracket, &was_close));
        if (point.loss > start.loss + c1 * point.t * start.slope || point.loss >= bracket[low].loss) {
            bracket[1 - low] = point;
            low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
            continue;
        }
        done = fabs(point.slope) <= -c2 * start.slope;
        if (!done && point.slope * (bracket[1 - low].t - bracket[low].t) >= 0) bracket[1 - low] = bracket[low];
        bracket[low] = point;
    }
    return bracket[low];
}

/* ---- the memory ----
 *
 * Between two steps it is in the state of the first parameter, under PyTorch's names: func_evals, n_iter, d, t,
 * old_dirs (y), old_stps (s), ro (1 / y s), H_diag, prev_flat_grad, prev_loss. */

typedef struct Memory {
    int64_t n_iter, func_evals;
    int64_t len, capacity; /* of y, s and ro: the oldest pair is the first */
    Tensor **y, **s;
    double *ro, *al;
    Tensor *d, *prev_flat_grad;
    double t, H_diag, prev_loss;
} Memory;

static void hold(Tensor **to, Tensor *x) {
    if (x) t_retain(x);
    t_release(*to);
    *to = x;
}

static void free_memory(Memory *m) {
    const size_t capacity = (size_t)m->capacity;
    for (int64_t i = 0; i < m->len; i++) t_release(m->y[i]), t_release(m->s[i]);
    t_release(m->d);
    t_release(m->prev_flat_grad);
    tg_free(m->y, capacity * sizeof *m->y);
    tg_free(m->s, capacity * sizeof *m->s);
    tg_free(m->ro, capacity * sizeof *m->ro);
    tg_free(m->al, capacity * sizeof *m->al);
}

static void forget_oldest(Memory *m) {
    t_release(m->y[0]);
    t_release(m->s[0]);
    m->len--;
    memmove(m->y, m->y + 1, (size_t)m->len * sizeof *m->y);
    memmove(m->s, m->s + 1, (size_t)m->len * sizeof *m->s);
    memmove(m->ro, m->ro + 1, (size_t)m->len * sizeof *m->ro);
}

static void remember(Memory *m, Tensor *y, Tensor *s, double ro) {
    if (m->len == m->capacity) forget_oldest(m);
    m->y[m->len] = t_retain(y);
    m->s[m->len] = t_retain(s);
    m->ro[m->len++] = ro;
}

static Tensor *find(const t_TensorDict *state, const char *name, int64_t index) {
    char key[48];
    snprintf(key, sizeof key, index < 0 ? "%s" : "%s.%" PRId64, name, index);
    const t_DictItem *item = state ? tg_dict_find(state, key) : NULL;
    return item ? item->tensor : NULL;
}

static double find_number(const t_TensorDict *state, const char *name, int64_t index) {
    const Tensor *x = find(state, name, index);
    return x && tg_numel(x) == 1 ? tg_read_double(x) : 0;
}

static bool is_vector(const Tensor *x, const Tensor *g) {
    return x && x->dtype == g->dtype && x->ndim == 1 && x->shape[0] == g->shape[0];
}

/* g: the gradient, a vector as those in the memory must be. */
static bool load_memory(Memory *m, const optim_ParamGroup *group, const t_TensorDict *state, const Tensor *g) {
    m->capacity = group->history_size > 1 ? group->history_size : 1;
    const size_t capacity = (size_t)m->capacity;
    m->y = tg_alloc(capacity * sizeof *m->y);
    m->s = tg_alloc(capacity * sizeof *m->s);
    m->ro = tg_alloc(capacity * sizeof *m->ro);
    m->al = tg_alloc(capacity * sizeof *m->al);
    if (!m->y || !m->s || !m->ro || !m->al) return false;
    m->n_iter = (int64_t)find_number(state, "n_iter", -1);
    m->func_evals = (int64_t)find_number(state, "func_evals", -1);
    hold(&m->d, find(state, "d", -1));
    hold(&m->prev_flat_grad, find(state, "prev_flat_grad", -1));
    m->t = find_number(state, "t", -1);
    m->H_diag = find_number(state, "H_diag", -1);
    m->prev_loss = find_number(state, "prev_loss", -1);
    bool ok = !m->n_iter || (is_vector(m->d, g) && is_vector(m->prev_flat_grad, g));
    for (int64_t i = 0; ok && find(state, "old_dirs", i); i++) {
        Tensor *y = find(state, "old_dirs", i), *s = find(state, "old_stps", i);
        ok = is_vector(y, g) && is_vector(s, g);
        if (ok) remember(m, y, s, find_number(state, "ro", i));
    }
    return ok || tg_fail("the state of LBFGS is not that of %lld elements of the dtype %s: make a new optimizer",
                         (long long)g->shape[0], tg_dtype_name(g->dtype));
}

static bool put_list(t_TensorDict *state, const char *name, Tensor *const *vectors, const double *numbers,
                     int64_t len) {
    char key[48];
    if (t_dict_has(state, name) && !t_dict_delete(state, name)) return false;
    if (!len) return t_dict_set_text(state, name, "{}");
    for (int64_t i = 0; i < len; i++) {
        snprintf(key, sizeof key, "%s.%" PRId64, name, i);
        if (!(vectors ? t_dict_set(state, key, vectors[i]) : t_dict_set_number(state, key, numbers[i]))) return false;
    }
    return true;
}

static bool save_counts(const Memory *m, t_TensorDict *state) {
    return t_dict_set_integer(state, "func_evals", m->func_evals) && t_dict_set_integer(state, "n_iter", m->n_iter);
}

static bool save_memory(const Memory *m, t_TensorDict *state) {
    return save_counts(m, state) && (!m->d || t_dict_set(state, "d", m->d)) && t_dict_set_number(state, "t", m->t) &&
           put_list(state, "old_dirs", m->y, NULL, m->len) && put_list(state, "old_stps", m->s, NULL, m->len) &&
           put_list(state, "ro", NULL, m->ro, m->len) && t_dict_set_number(state, "H_diag", m->H_diag) &&
           (!m->prev_flat_grad || t_dict_set(state, "prev_flat_grad", m->prev_flat_grad)) &&
           t_dict_set_number(state, "prev_loss", m->prev_loss);
}

/* ---- a step ---- */

/* -H g */
static Tensor *direction(Memory *m, Tensor *g) {
    Tensor *q = t_neg(g);
    for (int64_t i = m->len - 1; i >= 0; i--) {
        m->al[i] = dot(m->s[i], q) * m->ro[i];
        t_add_alpha_(q, m->y[i], -m->al[i]);
    }
    Tensor *r = t_mul(q, t_number(m->H_diag));
    for (int64_t i = 0; i < m->len; i++) t_add_alpha_(r, m->s[i], m->al[i] - dot(m->y[i], r) * m->ro[i]);
    return r;
}

/* d = -H g, after the pair of the last iteration has been added to the memory. */
static void update_direction(Memory *m, const optim_ParamGroup *group, Tensor *g) {
    if (m->n_iter == 1) {
        while (m->len) forget_oldest(m);
        m->H_diag = 1;
        hold(&m->d, t_neg(g));
        return;
    }
    Tensor *y = t_sub(g, m->prev_flat_grad), *s = t_mul(m->d, t_number(m->t));
    const double ys = dot(y, s);
    if (ys > 1e-10) {
        if (group->history_size > 0) remember(m, y, s, 1 / ys);
        m->H_diag = ys / dot(y, y);
    }
    hold(&m->d, direction(m, g));
}

/* One iteration from the loss and the gradient at the parameters, which are updated. False: it is the last one. */
static bool iterate(Run *run, Memory *m, double *loss, Tensor **gradient, bool is_last) {
    const optim_ParamGroup *group = run->group;
    Tensor *g = *gradient;
    m->n_iter++;
    update_direction(m, group, g);
    hold(&m->prev_flat_grad, g);
    m->prev_loss = *loss;
    m->t = group->lr;
    if (m->n_iter == 1) m->t *= fmin(1, 1 / t_item(t_sum(t_abs(g), NULL, 0, false)));
    const double slope = dot(g, m->d);
    if (!still_ok(run) || slope > -group->tolerance_change) return false;

    if (group->line_search_fn) {
        const t_TensorList *x = copy_parameters(run);
        if (!still_ok(run)) return false;
        const Point start = {0, *loss, slope, g};
        const Point end = strong_wolfe(run, x, m->d, start, m->t, group->max_eval - run->evaluations);
        m->t = end.t, *loss = end.loss, g = end.gradient;
        if (run->ok) add_to_parameters(run, m->d, m->t);
    } else if (add_to_parameters(run, m->d, m->t) && !is_last) {
        *loss = evaluate(run, &g);
    }
    if (!still_ok(run)) return false;
    hold(gradient, g);
    return !is_last && run->evaluations < group->max_eval && !(largest(g) <= group->tolerance_grad) &&
           !(largest(t_mul(m->d, t_number(m->t))) <= group->tolerance_change) &&
           !(fabs(*loss - m->prev_loss) < group->tolerance_change);
}

static bool run_iterations(Run *run, t_TensorDict *state) {
    Memory m = {0};
    Tensor *g = NULL, *first;
    double loss = evaluate(run, &first);
    hold(&g, first);
    run->ok = run->ok && load_memory(&m, run->group, state, g);
    const int64_t evaluations_before = m.func_evals;
    const bool is_minimum = run->ok && largest(g) <= run->group->tolerance_grad;
    bool more = still_ok(run) && !is_minimum;
    for (int64_t i = 1; more && i <= run->group->max_iter; i++) {
        const int depth = t_scope_open(); /* for the vectors of the iteration; the memory holds what remains */
        more = depth && iterate(run, &m, &loss, &g, i == run->group->max_iter);
        tg_scope_close(depth);
        more = still_ok(run) && more;
    }
    m.func_evals = evaluations_before + run->evaluations;
    if (run->ok) run->ok = is_minimum ? save_counts(&m, state) : save_memory(&m, state);
    t_release(g);
    free_memory(&m);
    return run->ok;
}

static bool lbfgs_step(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss) {
    if (!closure) return tg_fail("LBFGS.step() missing 1 required positional argument: 'closure'");
    if (optimizer->len != 1)
        return tg_fail("Expected exactly one param_group, but got %lld", (long long)optimizer->len);
    const optim_ParamGroup *group = optimizer->param_groups;
    if (group->line_search_fn && strcmp(group->line_search_fn, "strong_wolfe") != 0)
        return tg_fail("only 'strong_wolfe' is supported");
    t_TensorDict **state = &group->state[0].own;
    if (!*state && !(*state = tg_take_from_scope(t_dict_new()))) return false;
    const int depth = t_scope_open();
    Run run = {.optimizer = optimizer, .group = group, .closure = closure, .failures = tg_context()->failures,
               .ok = true};
    const bool ok = depth && run_iterations(&run, *state);
    *loss = tg_scope_return(depth, ok ? run.loss : NULL);
    return ok;
}

/* ---- the optimizer ---- */

static bool lbfgs_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate");
}

static int lbfgs_states(const optim_ParamGroup *group) {
    (void)group;
    return 0;
}

static const tg_Algorithm lbfgs = {.name = "LBFGS", .momentum = tg_no_momentum, .check = lbfgs_check,
                                   .states = lbfgs_states, .step = lbfgs_step, .kind = TG_LBFGS};

const optim_LBFGSOptions optim_LBFGSDefaults = {OPTIM_LBFGS_DEFAULTS_};

/* optim.LBFGS(params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
 * line_search_fn=None, maximize=False). max_eval: T_NONE for 5 max_iter / 4. Errors: an empty list, a parameter that is
 * not a leaf or is listed twice (PyTorch: a warning), lr below 0, a line_search_fn other than "strong_wolfe" (PyTorch:
 * in the first step). */
optim_Optimizer *optim_LBFGS_new(const t_TensorList *params, const optim_LBFGSOptions *options) {
    optim_LBFGSOptions o = optim_LBFGSDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.line_search_fn && strcmp(o.line_search_fn, "strong_wolfe") != 0)
        return tg_fail("only 'strong_wolfe' is supported");
    return tg_optimizer_new(&lbfgs, params,
                            &(optim_ParamGroup){.lr = o.lr, .max_iter = o.max_iter,
                                                .max_eval = o.max_eval == T_NONE ? o.max_iter * 5 / 4 : o.max_eval,
                                                .tolerance_grad = o.tolerance_grad,
                                                .tolerance_change = o.tolerance_change, .history_size = o.history_size,
                                                .line_search_fn = o.line_search_fn ? "strong_wolfe" : NULL,
                                                .maximize = o.maximize});
}
