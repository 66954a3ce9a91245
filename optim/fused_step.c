/* optim/fused_step.c: one fused pass over all parameters of a group.
 *
 * An update reads each element of a parameter, its gradient and its state once and writes it once, so that it is
 * limited by memory bandwidth (28 bytes per element for Adam), and many parameters of a model are too small for a
 * second thread. So the parameters are treated as one concatenated array, which tg_parallel splits anywhere: an
 * element's update does not depend on its position. The array exists only as offsets in the parameters' states; a step
 * allocates nothing.
 *
 * A parameter that is not dense, or whose gradient or state has another memory layout, is updated by itself with the
 * strided iterator; so are all of a group in which a parameter shares memory with another, or with a gradient. */
#include "core/kernels/parallel.h"
#include "optim/optimizer_internal.h"

#include <string.h>

enum {
    GRAIN = 16384, /* elements: some 10 us of memory traffic */
    LINE = 16      /* alignment of a parameter's offset, in elements, so that splits fall on cache lines */
};

/* ---- the concatenated array ---- */

typedef struct ParamArray {
    tg_ParamState *state;
    int64_t len;
} ParamArray;

/* The last parameter whose offset is at or before `offset`. */
static int64_t find_parameter(const ParamArray *array, int64_t offset) {
    int64_t low = 0, high = array->len;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (array->state[middle].from <= offset) low = middle;
        else high = middle;
    }
    return low;
}

static void update_range(int64_t from, int64_t to, void *context) {
    const ParamArray *array = context;
    for (int64_t i = find_parameter(array, from); i < array->len && array->state[i].from < to; i++) {
        const tg_ParamState *s = &array->state[i];
        int64_t begin = from > s->from ? from - s->from : 0, end = to - s->from < s->n ? to - s->from : s->n;
        int64_t strides[TG_OPERANDS];
        char *data[TG_OPERANDS];
        for (int k = 0; k < TG_OPERANDS; k++) {
            strides[k] = s->itemsize;
            data[k] = s->data[k] ? s->data[k] + begin * s->itemsize : NULL;
        }
        if (begin < end) s->loop(end - begin, data, strides, &s->update);
    }
}

/* ---- which parameters it contains ---- */

static bool same_layout(const Tensor *a, const Tensor *b) {
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] != b->strides[d]) return false;
    return true;
}

static bool is_dense_update(const Tensor *p, Tensor *const *x, int count) {
    if (!tg_is_dense(p)) return false;
    for (int k = 0; k < count; k++)
        if (!same_layout(p, x[k])) return false;
    return true;
}

/* True if no storage belongs to two of the parameters, or to a parameter and a gradient. */
static bool no_shared_memory(const optim_ParamGroup *group) {
    Tensor *const *params = group->params->items;
    const int64_t len = group->params->len;
    bool disjoint = true;
    for (int64_t i = 0; i < len; i++) {
        disjoint = disjoint && !params[i]->storage->mark;
        params[i]->storage->mark = 1;
    }
    for (int64_t i = 0; i < len; i++) {
        const Tensor *grad = params[i]->grad;
        if (grad && grad->storage->mark) disjoint = false;
    }
    for (int64_t i = 0; i < len; i++) params[i]->storage->mark = 0;
    return disjoint;
}

/* ---- a step ---- */

/* The loop's operands after the parameter: its gradient and state tensors; returns their number. */
static int operands_of(const tg_Algorithm *algorithm, const optim_ParamGroup *group, int64_t i, Tensor **x) {
    const tg_ParamState *state = &group->state[i];
    x[0] = group->params->items[i]->grad;
    if (algorithm->operands) return 1 + algorithm->operands(group, state->x, x + 1);
    memcpy(x + 1, state->x, sizeof state->x);
    return 1 + algorithm->states(group);
}

/* Assigns the parameter an offset in the array, or updates it at once; returns the next free offset. */
static int64_t place_or_update(const tg_Algorithm *algorithm, optim_ParamGroup *group, int64_t i, int64_t from,
                               bool disjoint) {
    Tensor *p = group->params->items[i], *x[TG_OPERANDS];
    tg_ParamState *s = &group->state[i], *before = i ? s - 1 : NULL;
    s->from = from;
    s->n = 0;
    if (!p->grad) return from;
    int count = operands_of(algorithm, group, i, x);
    s->step++;
    if (before && before->step == s->step && group->params->items[i - 1]->grad && !algorithm->scalar_names[0]) {
        s->update = before->update;
    } else {
        s->update = (tg_Update){.group = group};
        if (algorithm->set_step) algorithm->set_step(s, &s->update);
    }
    s->loop = algorithm->loop(p->dtype);
    tg_bump_version(p);
    if (!disjoint || !is_dense_update(p, x, count)) {
        tg_run(s->loop, p, x, count, 0, &s->update);
        return from;
    }
    memset(s->data, 0, sizeof s->data);
    s->data[0] = tg_data(p);
    for (int k = 0; k < count; k++) s->data[k + 1] = tg_data(x[k]);
    s->itemsize = (int64_t)tg_itemsize(p->dtype);
    s->n = tg_numel(p);
    return from + (s->n + LINE - 1) / LINE * LINE;
}

void tg_update_group(const tg_Algorithm *algorithm, optim_ParamGroup *group) {
    ParamArray array = {group->state, group->params->len};
    bool disjoint = no_shared_memory(group);
    int64_t n = 0;
    for (int64_t i = 0; i < array.len; i++) n = place_or_update(algorithm, group, i, n, disjoint);
    if (n) tg_parallel(n, GRAIN, update_range, &array);
}
