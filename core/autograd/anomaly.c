/* core/autograd/anomaly.c: torch.autograd.detect_anomaly: finds the op that produced the first nan. */
#include <math.h>
#include <stdio.h>

#include "core/autograd/backward.h"
#include "core/ops/ops.h"
#include "core/tensor/iterator.h"

/* ---- the mode ---- */

enum { ON = 1, CHECK_NAN = 2, CHECK_FORWARD = 4, CHECK_INF = 8 };

int tg_anomaly_mode(void) {
    const struct Anomaly *a = &tg_thread.anomaly;
    return (a->on ? ON : 0) | (a->check_nan ? CHECK_NAN : 0) | (a->check_forward ? CHECK_FORWARD : 0) |
           (a->check_inf ? CHECK_INF : 0);
}

int t_swap_anomaly_(int mode) {
    struct Anomaly *a = &tg_context()->anomaly;
    int before = tg_anomaly_mode();
    if (mode & ON && !a->on) a->first_op = NULL;
    a->on = mode & ON;
    a->check_nan = mode & CHECK_NAN;
    a->check_forward = mode & CHECK_FORWARD;
    a->check_inf = mode & CHECK_INF;
    return before;
}

bool t_set_detect_anomaly(bool mode, const t_AnomalyOptions *options) {
    t_AnomalyOptions o = {.size = sizeof o, .check_nan = true};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    t_swap_anomaly_(!mode ? 0 : ON | (o.check_nan ? CHECK_NAN : 0) | (o.check_forward ? CHECK_FORWARD : 0) |
                                    (o.check_inf ? CHECK_INF : 0));
    return true;
}

bool t_is_anomaly_enabled(void) {
    return tg_context()->anomaly.on;
}

bool t_is_anomaly_check_nan_enabled(void) {
    return !tg_context()->anomaly.on || tg_thread.anomaly.check_nan; /* true while the mode is off, as in PyTorch */
}

/* ---- search for nan and inf ---- */

typedef struct Found {
    bool nan, inf;
} Found;

#define SCAN(name, T)                                                                            \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        Found *found = *(Found *const *)context;                                                 \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T x = *(const T *)(p[0] + i * s[0]);                                                 \
            found->nan |= isnan(x) != 0;                                                         \
            found->inf |= isinf(x) != 0;                                                         \
        }                                                                                        \
    }
SCAN(scan_float, float)
SCAN(scan_double, double)

/* False on an error. */
static bool scan(Tensor *x, Found *found) {
    *found = (Found){false, false};
    if (!x || !tg_is_floating(x->dtype)) return true;
    const bool half = tg_is_half(x->dtype);
    int depth = half ? t_scope_open() : 0;
    if (half) { /* the conversion is not checked itself */
        const bool on = tg_thread.anomaly.on;
        tg_thread.anomaly.on = false;
        x = depth ? t_to(t_detach(x), t_float32) : NULL;
        tg_thread.anomaly.on = on;
    }
    if (x) tg_run(x->dtype == t_float64 ? scan_double : scan_float, x, NULL, 0, x->dtype, &found);
    if (depth) t_scope_close(depth);
    return x != NULL;
}

/* ---- forward: called for the output of every op that has a gradient, except those of a backward ---- */

bool tg_check_forward(const Op *op, Tensor *y, Tensor *const *inputs, int count) {
    struct Anomaly *a = &tg_thread.anomaly;
    if (tg_thread.backward) return true;
    Found found;
    if (!scan(y, &found)) return false;
    bool inf = a->check_inf && found.inf && !found.nan;
    if (!found.nan && !inf) return true;
    int given = -1;
    for (int i = 0; i < count && given < 0; i++) {
        Found in;
        if (!scan(inputs[i], &in)) return false;
        if (in.nan || (a->check_inf && in.inf)) given = i;
    }
    if (given < 0 && !a->first_op) {
        a->first_op = op->name;
        a->first_site = tg_thread.site;
    }
    if (!a->check_forward) return true;
    const char *what = inf ? "inf" : "nan";
    if (given < 0)
        return tg_fail("%s is the first op that produced a %s: none of its inputs contains one (anomaly mode)",
                       op->name, what);
    return tg_fail("%s returned a %s: its input %d, of shape %s, already contains one, which no op before it produced "
                   "(anomaly mode)",
                   op->name, what, given, tg_shape_of(inputs[given]));
}

/* ---- backward ---- */

bool tg_check_backward(const Record *r, int i, Tensor *dx) {
    const struct Anomaly *a = &tg_thread.anomaly;
    char where[80], first[200] = "", first_where[80];
    Found found;
    if (!scan(dx, &found)) return false;
    if (!found.nan) return true;
    tg_print_site(r->site, where, sizeof where);
    tg_print_site(a->first_site, first_where, sizeof first_where);
    if (a->first_op)
        snprintf(first, sizeof first, " The first nan of the forward was produced by %s, %s: %.60s", a->first_op,
                 first_where, a->first_site ? a->first_site->text : "");
    return tg_fail("Function '%s' returned nan values in its %dth output. Its forward was %s, %s: %.100s.%s",
                   r->op->grad_fn, i, r->op->name, where, r->site ? r->site->text : "", first);
}
