/* optim/swa_utils/averaged_model.c: torch.optim.swa_utils: averages of the weights of a model over the steps of a
 * training, with equal weights (Izmailov et al., "Averaging weights leads to wider optima and better generalization",
 * 2018) or exponentially falling ones. */
#include "optim/swa_utils/averaged_model.h"

#include <math.h>

#include "core/autograd/autograd.h"
#include "core/data/data_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/tensor.h"
#include "nn/module/module_internal.h"
#include "nn/modules/base_classes_internal.h"
#include "nn/modules/layers.h"
#include "nn/modules/norms.h"

/* ---- averaging functions ---- */

struct optim_AvgFn {
    t_Object object;
    optim_Average *average;
    void *context;
    double decay; /* NaN: none; else the context is a pointer to it */
};

static void avg_fn_destroy(void *object) {
    optim_AvgFn *fn = object;
    tg_object_dispose(&fn->object);
    tg_object_free(&fn->object, sizeof *fn);
}

static const t_Class avg_fn_class = {"AvgFn", avg_fn_destroy};

static optim_AvgFn *avg_fn_new(optim_Average *average, void *context, double decay) {
    optim_AvgFn *fn = tg_alloc(sizeof *fn);
    if (!fn) return NULL;
    fn->average = average;
    fn->context = context;
    fn->decay = decay;
    tg_object_init(&fn->object, &avg_fn_class);
    return fn;
}

/* decay averaged + (1 - decay) current */
static Tensor *ema(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *decay) {
    const double d = *(const double *)decay;
    (void)n_averaged;
    return t_add(t_mul(N(d), averaged), t_mul(N(1 - d), current));
}

static Tensor *ema_multi(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *decay) {
    if (!tg_is_floating(averaged->dtype)) return ema(averaged, current, n_averaged, decay);
    return t_lerp(averaged, current, N(1 - *(const double *)decay));
}

/* averaged + (current - averaged) / (n_averaged + 1) */
static Tensor *swa(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *context) {
    (void)context;
    return t_add(averaged, t_div(t_sub(current, averaged), t_add(n_averaged, t_integer(1))));
}

static Tensor *swa_multi(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *context) {
    if (!tg_is_floating(averaged->dtype)) return swa(averaged, current, n_averaged, context);
    return t_lerp(averaged, current, N(1 / (tg_read_double(n_averaged) + 1)));
}

static optim_AvgFn *with_decay(optim_Average *average, double decay) {
    if (!(decay >= 0 && decay <= 1))
        return tg_fail("Invalid decay value %s provided. Please provide a value in [0,1] range.",
                       tg_number_text(decay));
    return avg_fn_new(average, NULL, decay);
}

/* torch.optim.swa_utils.get_ema_avg_fn(decay). Error: decay outside of [0, 1]. */
optim_AvgFn *optim_get_ema_avg_fn(double decay) {
    return with_decay(ema, decay);
}

/* The same by one operation, lerp; so is the next but one. */
optim_AvgFn *optim_get_ema_multi_avg_fn(double decay) {
    return with_decay(ema_multi, decay);
}

optim_AvgFn *optim_get_swa_avg_fn(void) {
    return avg_fn_new(swa, NULL, (double)NAN);
}

optim_AvgFn *optim_get_swa_multi_avg_fn(void) {
    return avg_fn_new(swa_multi, NULL, (double)NAN);
}

/* A function of the user's, called without recording. */
optim_AvgFn *optim_avg_fn(optim_Average *function, void *context) {
    return tg_check_given(function != NULL, 1, "a function") ? avg_fn_new(function, context, (double)NAN) : NULL;
}

/* ---- AveragedModel ---- */

static Tensor *averaged_forward(void *module, Tensor *x) {
    return nn_call(((optim_AveragedModel *)module)->module, x);
}

static Tensor *averaged_forward2(void *module, Tensor *a, Tensor *b) {
    return nn_call2(((optim_AveragedModel *)module)->module, a, b);
}

static optim_AveragedModel *averaged_model(const void *model, const optim_AvgFn *fn, bool use_buffers) {
    nn_Module *copy = nn_deepcopy(model);
    optim_AveragedModel *self =
        copy ? (optim_AveragedModel *)nn_module_new(sizeof *self, "AveragedModel", averaged_forward) : NULL;
    if (!self) return NULL;
    self->average = fn ? fn->average : swa_multi;
    self->context = fn ? fn->context : NULL;
    self->decay = fn ? fn->decay : (double)NAN;
    self->use_buffers = use_buffers;
    if (!copy->forward) self->base.forward = NULL;
    if (copy->forward2) self->base.forward2 = averaged_forward2;
    self->module = copy;
    self->n_averaged = t_zeros(NULL, 0, &(t_TensorOptions){sizeof(t_TensorOptions), .dtype = t_int64});
    const bool ok = self->n_averaged && nn_register_module(&self->base, "module", copy) &&
                    nn_register_buffer(&self->base, "n_averaged", self->n_averaged);
    return ok ? self : NULL;
}

/* torch.optim.swa_utils.AveragedModel(model, avg_fn, multi_avg_fn, use_buffers). Errors: both functions; those of
 * nn_deepcopy. */
optim_AveragedModel *optim_AveragedModel_new(void *model, const optim_AveragedModelOptions *options) {
    optim_AveragedModelOptions o = {.size = sizeof o};
    if (!tg_check_module(model, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.avg_fn && o.multi_avg_fn) return tg_fail("Only one of avg_fn and multi_avg_fn should be provided");
    const optim_AvgFn *fn = o.avg_fn ? o.avg_fn : o.multi_avg_fn;
    if (fn && fn->object.is_a != &avg_fn_class) return tg_fail("avg_fn is not a live averaging function");
    Construction construction = tg_construct_begin();
    return tg_construct_end(construction, construction.depth ? averaged_model(model, fn, o.use_buffers) : NULL);
}

static Tensor *average_of(optim_AveragedModel *self, Tensor *x, Tensor *y) {
    void *context = isnan(self->decay) ? self->context : &self->decay;
    const int64_t failures = tg_thread.failures;
    const int depth = tg_scope_open_around_callback();
    Tensor *average = depth ? self->average(x, y, self->n_averaged, context) : NULL;
    return tg_scope_return_tensor(depth, failures, average, "avg_fn");
}

/* The average of x and y, or y at first, which can be copied to x. */
static Tensor *next_average(optim_AveragedModel *self, Tensor *x, Tensor *y, bool copies) {
    x = t_detach(x);
    y = t_detach(y);
    Tensor *average = !x || !y ? NULL : copies ? y : average_of(self, x, y);
    if (!average || !tg_check_fits(x, average)) return NULL;
    return average->storage == x->storage ? t_clone(average) : average;
}

/* All averages, before the first one is written: a model that does not fit changes nothing. */
static t_TensorList *next_averages(optim_AveragedModel *self, t_TensorList *to, t_TensorList *from, bool copies) {
    t_TensorList *averages = to && from ? t_list_new(NULL, 0) : NULL;
    if (!averages) return NULL;
    if (to->len != from->len)
        return tg_fail("the model has %lld tensors where the average has %lld", (long long)from->len,
                       (long long)to->len);
    for (int64_t i = 0; i < to->len; i++) {
        Tensor *average = next_average(self, to->items[i], from->items[i], copies);
        if (!average || !t_list_append(averages, average)) return NULL;
    }
    return averages;
}

static bool check_each_inplace(const t_TensorList *to) {
    for (int64_t i = 0; i < to->len; i++)
        if (!tg_check_inplace(to->items[i])) return false;
    return true;
}

static void copy(Tensor *to, Tensor *from) {
    tg_overwrite(to, from);
}

static void copy_each(t_TensorList *to, t_TensorList *from) {
    for (int64_t i = 0; i < to->len; i++) copy(to->items[i], from->items[i]);
}

/* averaged.update_parameters(model): the first call copies the parameters, each later one averages them. The buffers
 * are copied, or with use_buffers averaged too. Errors, which change nothing: another number of parameters or buffers,
 * shapes that do not fit, those of the function that averages. */
bool optim_update_parameters(optim_AveragedModel *averaged, void *model) {
    if (!tg_check_module(averaged, 1) || !tg_check_module(model, 2)) return false;
    if (!tg_is_class(averaged, "AveragedModel", sizeof *averaged)) return tg_fail("argument 1 is no AveragedModel");
    const int depth = t_scope_open();
    const bool grad_enabled = t_set_grad_enabled(false), first = tg_read_int64(averaged->n_averaged) == 0;
    nn_Module *to = averaged->module;
    t_TensorList *parameters = depth ? nn_parameters(to) : NULL, *buffers = depth ? nn_buffers(to) : NULL;
    t_TensorList *averages = depth ? next_averages(averaged, parameters, nn_parameters(model), first) : NULL;
    t_TensorList *others =
        averages ? next_averages(averaged, buffers, nn_buffers(model), first || !averaged->use_buffers) : NULL;
    t_set_grad_enabled(false); /* the function that averages may have switched it on */
    Tensor *count = others ? t_add(averaged->n_averaged, t_integer(1)) : NULL;
    const bool ok = count && check_each_inplace(parameters) && check_each_inplace(buffers) &&
                    tg_check_inplace(averaged->n_averaged);
    if (ok) {
        copy_each(parameters, averages);
        copy_each(buffers, others);
        copy(averaged->n_averaged, count);
    }
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok;
}

/* ---- update_bn ---- */

static nn_BatchNorm *as_batch_norm(nn_Module *module) {
    return tg_is_batch_norm(module) ? (nn_BatchNorm *)module : NULL;
}

static bool reset_running_stats(nn_BatchNorm *norm) {
    return !norm->running_mean || (t_zero_(norm->running_mean) && t_fill_(norm->running_var, 1) &&
                                   t_zero_(norm->num_batches_tracked));
}

static bool run_batches(data_DataLoader *loader, nn_Module *model) {
    data_Batch batch;
    bool ok = data_iter(loader, &batch);
    while (ok && data_iter_next(&batch)) ok = nn_call(model, batch.x) != NULL;
    data_iter_end(&batch);
    return ok && !t_error();
}

/* torch.optim.swa_utils.update_bn(loader, model): computes the running statistics of all batch norms anew, as the mean
 * over the batches of the loader, of which it takes x; the model is called in training mode. */
bool optim_update_bn(data_DataLoader *loader, void *model) {
    if (!tg_check_loader(loader) || !tg_check_module(model, 2)) return false;
    const int depth = t_scope_open();
    nn_NamedList *modules = depth ? nn_named_modules(model) : NULL;
    double *momenta = modules ? tg_alloc((size_t)modules->len * sizeof *momenta) : NULL;
    int64_t norms = 0;
    bool ok = momenta != NULL;
    const bool was_training = ((nn_Module *)model)->training, grad_enabled = t_set_grad_enabled(false);
    for (int64_t i = 0; momenta && i < modules->len; i++) {
        nn_BatchNorm *norm = as_batch_norm(modules->items[i].module);
        if (!norm) continue;
        ok = ok && reset_running_stats(norm);
        momenta[i] = norm->momentum;
        norm->momentum = (double)NAN; /* None: the mean over all batches */
        norms++;
    }
    if (ok && norms) ok = nn_train(model, true) && run_batches(loader, model);
    for (int64_t i = 0; momenta && i < modules->len; i++) {
        nn_BatchNorm *norm = as_batch_norm(modules->items[i].module);
        if (norm) norm->momentum = momenta[i];
    }
    if (norms) nn_train(model, was_training);
    t_set_grad_enabled(grad_enabled);
    if (momenta) tg_free(momenta, (size_t)modules->len * sizeof *momenta);
    t_scope_close(depth);
    return ok;
}
