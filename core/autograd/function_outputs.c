/* core/autograd/function_outputs.c: user-defined ops with several outputs.
 *
 * A record has one output. So a call has a record for each differentiable output, whose rule only puts the gradient
 * aside, and one for all of them, with the inputs, which is older and therefore visited after them; its rule calls the
 * user's with the gradients of all outputs. */
#include "core/autograd/function_outputs.h"

#include <string.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"
#include "core/autograd/hooks.h"

typedef struct Output {
    t_DType dtype;
    int ndim;
    int64_t shape[T_MAX_DIMS];
    Tensor *dy; /* received in the running backward */
} Output;

/* One call. Its records hold it, as the owned object of a hook without a function. */
typedef struct OutputsCall {
    t_Object object;
    const t_Function *function;
    Op op, output_op; /* of the record of all, and of the outputs' */
    bool undefined_grads;
    BackwardCallback at_end;
    int count, saved_count;
    Output *outputs;
    int *saved_outputs; /* for each saved tensor the output that it is, or -1 */
} OutputsCall;

typedef struct OutputOf {
    OutputsCall *call;
    int index;
} OutputOf;

static void forget_gradients(OutputsCall *call) {
    for (int k = 0; k < call->count; k++) {
        t_release(call->outputs[k].dy);
        call->outputs[k].dy = NULL;
    }
}

static void call_destroy(void *object) {
    OutputsCall *call = object;
    tg_object_dispose(&call->object);
    tg_backward_forget_callback(&call->at_end);
    if (call->outputs) forget_gradients(call);
    tg_free(call->outputs, (size_t)call->count * sizeof *call->outputs);
    if (call->saved_outputs) tg_free(call->saved_outputs, (size_t)call->saved_count * sizeof *call->saved_outputs);
    tg_object_free(&call->object, sizeof *call);
}

static const t_Class call_class = {"FunctionCall", call_destroy};

/* ---- backward ---- */

static void at_end_of_backward(BackwardCallback *callback) {
    forget_gradients(callback->context);
}

/* Puts dy aside. The record of all gets a zero, which is there to start it; with a graph it depends on dy, so that an
 * op that is once_differentiable is seen to do so too. */
static void output_backward(Record *r, Tensor *dy, Tensor **dx) {
    const OutputOf *output = r->attributes;
    OutputsCall *call = output->call;
    if (call->at_end.list && call->at_end.list != &tg_thread.backward->at_end) {
        tg_fail("%s: a backward within another one through the same outputs", call->function->name);
        return;
    }
    if (!call->at_end.list) tg_backward_at_end(&call->at_end, at_end_of_backward, call);
    t_retain(dy);
    t_release(call->outputs[output->index].dy);
    call->outputs[output->index].dy = dy;
    dx[0] = tg_zeros_like_input(r, 0);
    if (dx[0] && t_is_grad_enabled() && dy->requires_grad) dx[0] = t_mul(t_sum(dy, NULL, 0, false), dx[0]);
}

static OutputsCall *call_of(const Record *r) {
    const t_Hook *hook = r->hooks;
    while (hook && !(hook->owned && hook->owned->is_a == &call_class)) hook = hook->next;
    return hook ? (OutputsCall *)hook->owned : NULL;
}

static Tensor *gradient_of_output(const OutputsCall *call, int k) {
    const Output *output = &call->outputs[k];
    if (output->dy || call->undefined_grads) return output->dy;
    const t_TensorOptions options = {.size = sizeof options, .dtype = output->dtype};
    return t_zeros(output->shape, output->ndim, &options);
}

static void outputs_backward(Record *r, Tensor *dy, Tensor **dx) {
    OutputsCall *call = call_of(r);
    const size_t bytes = (size_t)call->count * sizeof(Tensor *);
    Tensor **gradients = tg_scope_alloc(bytes);
    bool ok = gradients != NULL;
    (void)dy;
    for (int k = 0; ok && k < call->count; k++)
        ok = (gradients[k] = gradient_of_output(call, k)) || call->undefined_grads;
    for (int k = 0; ok && k < call->count; k++) tg_add_to_scope(gradients[k]);
    if (ok) call->function->backward_outputs(r, gradients, dx);
    tg_backward_forget_callback(&call->at_end);
    forget_gradients(call);
}

/* ---- records ---- */

static bool hold(Record *r, OutputsCall *call) {
    t_Hook *owner = tg_hook_new(&r->hooks, false, NULL);
    if (!owner) return false;
    owner->owned = t_retain(call);
    return true;
}

static OutputsCall *call_new(const t_Function *function, const t_TensorList *outputs, int saved_count,
                             const t_ApplyOptions *o) {
    OutputsCall *call = tg_alloc(sizeof *call);
    if (!call) return NULL;
    call->function = function;
    call->op = (Op){function->name, function->grad_fn, outputs_backward, function->once_differentiable};
    call->output_op = (Op){function->name, function->grad_fn, output_backward};
    call->undefined_grads = o->undefined_grads;
    call->count = (int)outputs->len;
    call->saved_count = saved_count;
    tg_object_init(&call->object, &call_class);
    call->outputs = tg_alloc((size_t)call->count * sizeof *call->outputs);
    if (saved_count) call->saved_outputs = tg_alloc((size_t)saved_count * sizeof *call->saved_outputs);
    if (!call->outputs || (saved_count && !call->saved_outputs)) return NULL;
    for (int k = 0; k < call->count; k++) {
        const Tensor *y = outputs->items[k];
        call->outputs[k] = (Output){.dtype = y->dtype, .ndim = y->ndim};
        memcpy(call->outputs[k].shape, y->shape, sizeof y->shape);
    }
    return call;
}

/* Gives y the record of output k, whose only input is `all`, the result of the record of all. */
static bool attach_output(OutputsCall *call, int k, Tensor *y, Tensor *all) {
    const OutputOf output = {call, k};
    return tg_attach_record(&call->output_op, y, INPUTS(all), NONE, ATTRIBUTES(output)) && hold(y->record, call);
}

bool tg_attach_outputs(const t_Function *function, Tensor **results, const t_TensorList *outputs,
                       const t_TensorList *inputs, Tensor **saved, int saved_count, const t_ApplyOptions *o) {
    OutputsCall *call = call_new(function, outputs, saved_count, o);
    Tensor *all = call ? tg_empty(NULL, 0, t_float32) : NULL;
    if (!all) return false;
    for (int i = 0; i < saved_count; i++) {
        call->saved_outputs[i] = -1;
        for (int k = 0; k < call->count; k++)
            if (saved[i] == results[k]) call->saved_outputs[i] = k;
        /* an alias, since the output will hold the record */
        if (call->saved_outputs[i] >= 0 && !(saved[i] = tg_alias(saved[i]))) return false;
    }
    if (!tg_attach_record(&call->op, all, inputs->items, (int)inputs->len, saved, saved_count, o->attributes,
                          o->attributes ? o->attribute_bytes : 0) || !hold(all->record, call))
        return false;
    for (int k = 0; k < call->count; k++)
        if (results[k] && !attach_output(call, k, results[k], all)) return false;
    return true;
}

Tensor *tg_saved_output(t_Context *ctx, int i, Tensor *x) {
    OutputsCall *call = ctx->op->backward == outputs_backward ? call_of(ctx) : NULL;
    if (!x || !call || call->saved_outputs[i] < 0 || !t_is_grad_enabled() || !tg_is_floating(x->dtype)) return x;
    Tensor *all = tg_empty(NULL, 0, t_float32), *y = all ? tg_alias(x) : NULL;
    if (!y) return NULL;
    all->record = ctx;
    tg_record_retain(ctx);
    all->requires_grad = true;
    return attach_output(call, call->saved_outputs[i], y, all) ? y : NULL;
}
