/* core/ops/remainder.c: a % b by Python's rule: the result has the sign of b. */
#include <math.h>

#include "core/ops/pointwise.h"

static int64_t integer_modulo(int64_t a, int64_t b) {
    int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double modulo(double a, double b) {
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Python's a // b: by way of the rest, since a / b may round up to the next whole number. */
static double floored_quotient(double a, double b) {
    if (b == 0) return a / b;
    double quotient = (a - modulo(a, b)) / b, whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}
TG_LOOP2(quotient_float32, float, float, floored_quotient(a, b))
TG_LOOP2(quotient_float64, double, double, floored_quotient(a, b))

/* torch.remainder(a, b): y = a - b floor(a / b); the two broadcast and promote. Not for two bools.
 * da = dy, db = -dy floor(a / b). Errors: an integer 0 as b. PyTorch gives no gradient where a is a number. */
static void remainder_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable quotients = {[t_float32] = quotient_float32, [t_float64] = quotient_float64};
    dx[0] = dy;
    if (!tg_needs(r, 1)) return;
    Tensor *both[] = {tg_saved(r, 0), tg_saved(r, 1)};
    if (both[0] && both[1]) dx[1] = t_neg(t_mul(dy, tg_pointwise("remainder", both, 2, quotients, true, 0)));
}
static const Op remainder_number_op = {"remainder", "RemainderBackward0", remainder_backward};
static const Op remainder_op = {"remainder", "RemainderBackward1", remainder_backward};
TG_LOOP2(remainder_int64, int64_t, int64_t, integer_modulo(a, b))
TG_LOOP2(remainder_float32, float, float, modulo(a, b))
TG_LOOP2(remainder_float64, double, double, modulo(a, b))

/* The search for a whole number 0 goes before anything is divided. */
typedef struct Search {
    t_DType dtype;
    bool *found;
} Search;

static void search_run(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Search *search = context;
    for (int64_t i = 0; i < n && !*search->found; i++) {
        const char *at = p[0] + i * s[0];
        *search->found = search->dtype == t_bool ? !*(const bool *)at : *(const int64_t *)at == 0;
    }
}

static bool divides_by_zero(Tensor *a, Tensor *b) {
    bool found = false;
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_broadcast_shape((Tensor *[]){a, b}, 2, shape, &ndim)) return false;
    if (tg_count(shape, ndim)) tg_run(search_run, b, NULL, 0, 0, &(Search){b->dtype, &found});
    return found;
}

Tensor *t_remainder(Tensor *a, Tensor *b) {
    static LoopTable loops = {
        [t_int64] = remainder_int64, [t_float32] = remainder_float32, [t_float64] = remainder_float64};
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    Tensor *both[] = {a, b};
    if (tg_result_type(both, 2) == t_int64 && divides_by_zero(a, b)) return tg_fail("ZeroDivisionError");
    Tensor *y = tg_pointwise("remainder_cpu", both, 2, loops, false, 0);
    const Op *op = b->wrapped_number ? &remainder_number_op : &remainder_op;
    return tg_record(op, y, INPUTS(a, b), SAVED(b->requires_grad ? a : NULL, b->requires_grad ? b : NULL), NONE);
}
