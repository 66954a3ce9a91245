/* nn/modules/adaptive.c: nn.AdaptiveLogSoftmaxWithLoss.
 *
 * The log-probability of a class of cluster i is that of the cluster, an output of the head, plus that of the class
 * within the cluster. A call computes a cluster only for the rows whose targets are in it. */
#include "nn/modules/adaptive.h"

#include <inttypes.h>
#include <math.h>

#include "core/ops/ops.h"
#include "nn/functional/functional.h"
#include "nn/module/module_internal.h"

/* ---- the loss ---- */

static Tensor *as_vector(Tensor *x) {
    return t_reshape(x, (int64_t[]){-1}, 1);
}

/* Rows whose target is in [low, high), and their targets less low. */
static bool rows_of(Tensor *target, int64_t low, int64_t high, Tensor **rows, Tensor **relative) {
    Tensor *mask = t_logical_and(t_ge(target, t_integer(low)), t_lt(target, t_integer(high)));
    *rows = as_vector(t_nonzero(mask));
    *relative = *rows ? t_sub(t_index_select(target, 0, *rows), t_integer(low)) : NULL;
    return *relative != NULL;
}

/* logp[i, index[i]] as a vector. */
static Tensor *picked(Tensor *logp, Tensor *index) {
    return t_squeeze(t_gather(logp, 1, t_unsqueeze(index, 1)), 1);
}

/* The log-probability of each row's target; input: (N, in_features), target: (N). */
static Tensor *log_prob_of_targets(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input, Tensor *target) {
    const int64_t n = target->shape[0];
    Tensor *output = t_zeros(&n, 1, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = input->dtype});
    Tensor *head_index = t_zeros(&n, 1, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_int64});
    int64_t used = 0;
    for (int64_t i = 0; i <= self->n_clusters; i++) {
        Tensor *rows, *relative;
        const int64_t low = i ? self->cutoffs[i - 1] : 0;
        if (!output || !head_index || !rows_of(target, low, self->cutoffs[i], &rows, &relative)) return NULL;
        if (tg_numel(rows) == 0) continue;
        used += tg_numel(rows);
        head_index = i ? t_index_fill(head_index, 0, rows, t_integer(self->shortlist_size + i - 1))
                       : t_index_copy(head_index, 0, rows, relative);
        if (i == 0) continue;
        Tensor *logp = t_log_softmax(nn_call(nn_get(self->tail, i - 1), t_index_select(input, 0, rows)), 1);
        output = t_index_add(output, 0, rows, logp ? picked(logp, relative) : NULL, 1);
    }
    if (used != n) {
        Tensor *least = t_amin(target, NULL, 0, false), *largest = t_amax(target, NULL, 0, false);
        if (!least || !largest) return NULL;
        return tg_fail("Target values should be in [0, %" PRId64 "], but values in range [%" PRId64 ", %" PRId64
                       "] were found. ",
                       self->n_classes - 1, tg_read_int64(least), tg_read_int64(largest));
    }
    return t_add(output, picked(t_log_softmax(nn_call(self->head, input), 1), head_index));
}

static bool check_call(const Tensor *input, const Tensor *target) {
    if (target->ndim > 1) return tg_fail("0D or 1D target tensor expected, multi-target not supported");
    if (target->dtype != t_int64) return tg_fail("the target must be int64, but is %s", tg_dtype_name(target->dtype));
    if (target->ndim == 1 && (input->ndim == 0 || input->shape[0] != target->shape[0]))
        return tg_fail("Input and target should have the same size in the batch dimension.");
    if (input->ndim != target->ndim + 1)
        return tg_fail("%dD target tensor expects %dD input tensors, but found inputs with size %s", target->ndim,
                       target->ndim + 1, t_size_repr((Tensor *)input));
    return true;
}

static Tensor *run_call(void *module, Tensor *const *inputs, const void *call) {
    Tensor *input = inputs[0], *target = inputs[1], **loss = *(Tensor **const *)call;
    if (!check_call(input, target)) return NULL;
    const bool batched = target->ndim == 1;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *output = log_prob_of_targets(module, batched ? input : t_unsqueeze(input, 0),
                                         batched ? target : t_unsqueeze(target, 0));
    Tensor *mean = output && loss ? t_mean(t_neg(output), NULL, 0, false) : NULL;
    if (!batched) output = t_squeeze(output, 0);
    if (loss && !mean) output = NULL;
    else if (loss && output) *loss = t_keep_object(mean);
    return tg_scope_return(depth, output);
}

/* input: (N, in_features), target: (N), int64, or (in_features) and (). Returns the log-probability of each target, (N)
 * or (); the loss is the mean of its negative. Errors: PyTorch's; a target that is not int64. */
Tensor *nn_AdaptiveLogSoftmaxWithLoss_call(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input, Tensor *target,
                                           Tensor **loss) {
    tg_clear_output(loss);
    if (!TG_CHECK_CLASS(self, 1, nn_AdaptiveLogSoftmaxWithLoss, "nn_AdaptiveLogSoftmaxWithLoss_call") ||
        !tg_check(input, 2) || !tg_check(target, 3))
        return NULL;
    return tg_call_module(self, (Tensor *[]){input, target}, 2, run_call, &loss);
}

/* ---- all classes ---- */

static Tensor *full_log_prob(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input, Tensor *head) {
    Tensor *head_logp = t_log_softmax(head, 1);
    t_TensorList *parts = head_logp ? t_list_new(NULL, 0) : NULL;
    if (!parts || !t_list_append(parts, t_narrow(head_logp, 1, 0, self->shortlist_size))) return NULL;
    for (int64_t i = 0; i < self->n_clusters; i++) {
        Tensor *of_cluster = t_narrow(head_logp, 1, self->shortlist_size + i, 1);
        Tensor *logp = t_log_softmax(nn_call(nn_get(self->tail, i), input), 1);
        if (!t_list_append(parts, t_add(logp, of_cluster))) return NULL;
    }
    return t_cat(parts, 1);
}

/* input: (N, in_features); returns (N, n_classes). */
Tensor *nn_AdaptiveLogSoftmaxWithLoss_log_prob(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input) {
    if (!TG_CHECK_CLASS(self, 1, nn_AdaptiveLogSoftmaxWithLoss, "nn_AdaptiveLogSoftmaxWithLoss_log_prob") ||
        !tg_check(input, 2))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *head = nn_call(self->head, input);
    return tg_scope_return(depth, head ? full_log_prob(self, input, head) : NULL);
}

/* Rows whose best head output is a cluster are looked up among all classes. */
static Tensor *predict(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input) {
    Tensor *head = nn_call(self->head, input), *best = head ? t_argmax(head, 1, false) : NULL;
    Tensor *rows = best ? as_vector(t_nonzero(t_ge(best, t_integer(self->shortlist_size)))) : NULL;
    if (!rows || tg_numel(rows) == 0) return rows ? best : NULL;
    Tensor *logp = full_log_prob(self, t_index_select(input, 0, rows), t_index_select(head, 0, rows));
    return logp ? t_index_copy(best, 0, rows, t_argmax(logp, 1, false)) : NULL;
}

/* input: (N, in_features); returns (N), the class with the greatest probability: log_prob(input).argmax(dim=1), except
 * that, as in PyTorch, a row whose greatest head output is a class stays with it. */
Tensor *nn_AdaptiveLogSoftmaxWithLoss_predict(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input) {
    if (!TG_CHECK_CLASS(self, 1, nn_AdaptiveLogSoftmaxWithLoss, "nn_AdaptiveLogSoftmaxWithLoss_predict") ||
        !tg_check(input, 2))
        return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, predict(self, input)) : NULL;
}

/* ---- constructor ---- */

static bool check_cutoffs(const int64_t *cutoffs, int count, int64_t n_classes) {
    if (count <= 0) return tg_fail("cutoffs should be a sequence of length larger than 0");
    if (!tg_check_given(cutoffs != NULL, 3, "cutoffs")) return false;
    if (count > NN_MAX_CUTOFFS) return tg_fail("there may be %d cutoffs at most, but got %d", NN_MAX_CUTOFFS, count);
    for (int i = 0; i < count; i++)
        if (cutoffs[i] <= 0 || cutoffs[i] > n_classes - 1 || (i > 0 && cutoffs[i] <= cutoffs[i - 1]))
            return tg_fail("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                           "where each value is between 1 and n_classes-1");
    return true;
}

/* The projection and the layer of cluster i. */
static nn_Sequential *cluster(const nn_AdaptiveLogSoftmaxWithLoss *self, int i, t_DType dtype) {
    const nn_LinearOptions options = {.size = sizeof options, .bias = false, .dtype = dtype};
    const int64_t hidden = (int64_t)floor((double)self->in_features / pow(self->div_value, i + 1));
    nn_Linear *projection = nn_Linear_new(self->in_features, hidden, &options);
    nn_Linear *layer = nn_Linear_new(hidden, self->cutoffs[i + 1] - self->cutoffs[i], &options);
    return projection && layer ? nn_Sequential_new((void *[]){projection, layer}, 2) : NULL;
}

static bool add_layers(nn_AdaptiveLogSoftmaxWithLoss *self, t_DType dtype) {
    const nn_LinearOptions options = {.size = sizeof options, .bias = self->head_bias, .dtype = dtype};
    if (!TG_SET(self, head, nn_Linear_new(self->in_features, self->head_size, &options)) ||
        !TG_SET(self, tail, nn_ModuleList_new(NULL, 0)))
        return false;
    for (int i = 0; i < self->n_clusters; i++)
        if (!nn_append(self->tail, cluster(self, i, dtype))) return false;
    return true;
}

/* Errors: no cutoffs, or more than NN_MAX_CUTOFFS; cutoffs that do not increase from 1 to n_classes - 1. */
nn_AdaptiveLogSoftmaxWithLoss *nn_AdaptiveLogSoftmaxWithLoss_new(int64_t in_features, int64_t n_classes,
                                                                const int64_t *cutoffs, int cutoff_count,
                                                                const nn_AdaptiveLogSoftmaxOptions *options) {
    nn_AdaptiveLogSoftmaxOptions o = {.size = sizeof o, .div_value = 4};
    if (!tg_check_required("in_features n_classes", (int64_t[]){in_features, n_classes}) ||
        !tg_take_options(&o, options, sizeof o) || !check_cutoffs(cutoffs, cutoff_count, n_classes))
        return NULL;
    Construction construction = tg_construct_begin();
    nn_AdaptiveLogSoftmaxWithLoss *self =
        (nn_AdaptiveLogSoftmaxWithLoss *)nn_module_new(sizeof *self, "nn_AdaptiveLogSoftmaxWithLoss", NULL);
    if (self) {
        self->in_features = in_features;
        self->n_classes = n_classes;
        self->n_clusters = cutoff_count;
        for (int i = 0; i < cutoff_count; i++) self->cutoffs[i] = cutoffs[i];
        self->cutoffs[cutoff_count] = n_classes;
        self->shortlist_size = cutoffs[0];
        self->head_size = cutoffs[0] + cutoff_count;
        self->div_value = o.div_value;
        self->head_bias = o.head_bias;
        add_layers(self, o.dtype);
    }
    return tg_construct_end(construction, self);
}
