/* optim/fused_step.c: one pass over all parameters of a group.
 *
 * An update reads each element of a parameter, its gradient and its state once and writes it once, so that the memory's
 * speed is the limit (28 bytes a parameter for Adam), and many of a model's parameters are too short to be worth a
 * second thread. So the parameters are laid end to end, and tg_parallel cuts that row of elements wherever it likes:
 * each element's update is the same wherever it stands. The row exists only as numbers in the parameters' states; a
 * step allocates nothing.
 *
 * A parameter whose elements do not lie in one block, in the same order as its gradient's, is walked by itself; and so
 * are all of a group in which a parameter shares memory with another, or with a gradient. */
#include "core/kernels/parallel.h"
#include "optim/optimizer_internal.h"

#include <string.h>

enum {
    GRAIN = 16384, /* elements: some 10 us of memory traffic */
    LINE = 16      /* where a parameter may begin in the row: then a cut falls on whole cache lines of aligned memory */
};

/* ---- the row ---- */

typedef struct Row {
    tg_ParamState *state;
    int64_t len;
} Row;

/* The last parameter that begins at or before that place. */
static int64_t find(const Row *row, int64_t place) {
    int64_t low = 0, high = row->len;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (row->state[middle].from <= place) low = middle;
        else high = middle;
    }
    return low;
}

static void update_stretch(int64_t from, int64_t to, void *context) {
    const Row *row = context;
    for (int64_t i = find(row, from); i < row->len && row->state[i].from < to; i++) {
        const tg_ParamState *s = &row->state[i];
        int64_t begin = from > s->from ? from - s->from : 0, end = to - s->from < s->n ? to - s->from : s->n;
        int64_t steps[TG_OPERANDS];
        char *data[TG_OPERANDS];
        for (int k = 0; k < TG_OPERANDS; k++) {
            steps[k] = s->itemsize;
            data[k] = s->data[k] ? s->data[k] + begin * s->itemsize : NULL;
        }
        if (begin < end) s->loop(end - begin, data, steps, &s->numbers);
    }
}

/* ---- who may stand in it ---- */

static bool lies_alike(const Tensor *a, const Tensor *b) {
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] != b->strides[d]) return false;
    return true;
}

static bool is_one_block(const Tensor *p, Tensor *const *x, int count) {
    if (!tg_is_dense(p)) return false;
    for (int k = 0; k < count; k++)
        if (!lies_alike(p, x[k])) return false;
    return true;
}

/* No storage belongs to two of the parameters, or to one and a gradient. */
static bool are_apart(const optim_ParamGroup *group) {
    Tensor *const *params = group->params->items;
    const int64_t len = group->params->len;
    bool apart = true;
    for (int64_t i = 0; i < len; i++) {
        apart = apart && !params[i]->storage->mark;
        params[i]->storage->mark = 1;
    }
    for (int64_t i = 0; i < len; i++) {
        const Tensor *grad = params[i]->grad;
        if (grad && grad->storage->mark) apart = false;
    }
    for (int64_t i = 0; i < len; i++) params[i]->storage->mark = 0;
    return apart;
}

/* ---- a step ---- */

static tg_Update numbers_of(const tg_Algorithm *algorithm, const optim_ParamGroup *group, int64_t step) {
    tg_Update u = {.lr = group->lr, .weight_decay = group->weight_decay, .momentum = group->momentum,
                   .dampening = group->dampening, .beta1 = group->betas[0], .beta2 = group->betas[1], .eps = group->eps,
                   .alpha = group->alpha, .lr_decay = group->lr_decay, .nesterov = group->nesterov,
                   .amsgrad = group->amsgrad, .centered = group->centered, .maximize = group->maximize,
                   .decoupled = group->decoupled_weight_decay};
    if (algorithm->numbers) algorithm->numbers(step, &u);
    return u;
}

/* Its gradient and what else the loop reads and writes; returns how many. */
static int operands_of(const tg_Algorithm *algorithm, const optim_ParamGroup *group, int64_t i, Tensor **x) {
    const tg_ParamState *state = &group->state[i];
    x[0] = group->params->items[i]->grad;
    if (algorithm->arrange) return 1 + algorithm->arrange(group, state->x, x + 1);
    memcpy(x + 1, state->x, sizeof state->x);
    return 1 + algorithm->states(group);
}

/* Puts the parameter into the row, or updates it at once; returns where the next one may begin. */
static int64_t place(const tg_Algorithm *algorithm, optim_ParamGroup *group, int64_t i, int64_t from, bool apart) {
    Tensor *p = group->params->items[i], *x[TG_OPERANDS];
    tg_ParamState *s = &group->state[i], *before = i ? s - 1 : NULL;
    s->from = from;
    s->n = 0;
    if (!p->grad) return from;
    int count = operands_of(algorithm, group, i, x);
    s->step++;
    if (before && before->step == s->step && group->params->items[i - 1]->grad) s->numbers = before->numbers;
    else s->numbers = numbers_of(algorithm, group, s->step);
    s->loop = algorithm->loop(p->dtype);
    tg_bump(p);
    if (!apart || !is_one_block(p, x, count)) {
        tg_run(s->loop, p, x, count, 0, &s->numbers);
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
    Row row = {group->state, group->params->len};
    bool apart = are_apart(group);
    int64_t n = 0;
    for (int64_t i = 0; i < row.len; i++) n = place(algorithm, group, i, n, apart);
    if (n) tg_parallel(n, GRAIN, update_stretch, &row);
}
