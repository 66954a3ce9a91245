/* nn/utils/prune.c: torch.nn.utils.prune: masks for the parameters of a module. */
#include "nn/utils/prune.h"

#include <inttypes.h>
#include <math.h>

#include "core/ops/ops.h"
#include "nn/utils/attribute_internal.h"

/* ---- the hook ---- */

static bool apply_mask(nn_Module *self, const char *name) {
    Tensor *mask = tg_attribute(self, name, "_mask"), *orig = tg_attribute(self, name, "_orig");
    if (!mask || !orig) return true; /* a user's own names */
    Tensor *pruned = t_mul(t_to(mask, orig->dtype), orig);
    return pruned && tg_set_attribute(self, name, "", nn_kept_kind, pruned);
}

static t_TensorList *prune_hook(nn_Module *self, t_TensorList *args, void *context) {
    (void)args;
    (void)context;
    tg_for_each_suffix(self, "_mask", apply_mask);
    return NULL;
}

/* ---- the methods: a mask for t of zeros and ones, where there is a mask already ---- */

typedef struct Method {
    enum { IDENTITY, RANDOM, L1, RANDOM_CHANNELS, LN_CHANNELS, CUSTOM, OWN } kind;
    int64_t count;
    double fraction, n;
    int64_t dim;
    Tensor *mask;
    const nn_utils_prune_BasePruningMethod *own;
    void *context;
} Method;

static nn_utils_prune_PruningType type_of(const Method *m) {
    if (m->kind == OWN) return m->own->PRUNING_TYPE;
    if (m->kind == CUSTOM) return nn_utils_prune_global;
    return m->kind == RANDOM_CHANNELS || m->kind == LN_CHANNELS ? nn_utils_prune_structured
                                                                : nn_utils_prune_unstructured;
}

static bool check_amount(const Method *m) {
    if (m->kind == IDENTITY || m->kind == CUSTOM || m->kind == OWN) return true;
    if (m->count == T_NONE ? m->fraction >= 0 && m->fraction <= 1 : m->count >= 0) return true;
    if (m->count != T_NONE)
        return tg_fail("amount=%" PRId64 " should either be a float in the range [0, 1] or a non-negative integer",
                       m->count);
    return tg_fail("amount=%s should either be a float in the range [0, 1] or a non-negative integer",
                   tg_number_text(m->fraction));
}

/* How many of `size` to prune; -1 with an error where there are not so many. Python rounds half to even. */
static int64_t amount_of(const Method *m, int64_t size) {
    if (m->count == T_NONE) return (int64_t)nearbyint(m->fraction * (double)size);
    if (m->count <= size) return m->count;
    tg_fail("amount=%" PRId64 " should be smaller than the number of parameters to prune=%" PRId64, m->count, size);
    return -1;
}

static Tensor *flat(Tensor *x) {
    return t_reshape(x, (int64_t[]){-1}, 1);
}

static Tensor *unstructured(const Method *m, Tensor *t, Tensor *mask) {
    const int64_t count = amount_of(m, tg_numel(t));
    if (count <= 0) return count ? NULL : t_clone(mask);
    Tensor *indices = NULL, *score = m->kind == RANDOM ? t_rand_like(t) : t_abs(t);
    if (!score || !t_topk(flat(score), count, -1, m->kind == RANDOM, true, &indices)) return NULL;
    return t_reshape(t_index_fill(flat(mask), 0, indices, t_number(0)), t->shape, t->ndim);
}

/* 1 for the channels with these indices along dim. */
static Tensor *channel_mask(Tensor *t, int dim, Tensor *indices) {
    return indices ? t_index_fill(t_zeros_like(t), dim, indices, t_number(1)) : NULL;
}

static Tensor *structured(const Method *m, Tensor *t, Tensor *mask) {
    int dim;
    if (t->ndim <= 1)
        return tg_fail("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape %s "
                       "with %d dims",
                       t_size_repr(t), t->ndim);
    if (m->dim >= t->ndim) return tg_fail("Invalid index %" PRId64 " for tensor of size %s", m->dim, t_size_repr(t));
    if (!tg_wrap_dim(m->dim, t->ndim, &dim)) return NULL;
    const int64_t channels = t->shape[dim], count = amount_of(m, channels);
    if (count <= 0) return count ? NULL : mask;
    Tensor *indices = NULL;
    if (m->kind == RANDOM_CHANNELS) { /* the channels above the count-th smallest random number */
        Tensor *probability = t_rand(&channels, 1, NULL);
        Tensor *threshold = probability ? t_kthvalue(probability, count, -1, false, NULL) : NULL;
        indices = threshold ? flat(t_nonzero(t_gt(probability, threshold))) : NULL;
    } else { /* those of the greatest norms */
        int64_t dims[T_MAX_DIMS];
        int others = 0;
        for (int d = 0; d < t->ndim; d++)
            if (d != dim) dims[others++] = d;
        Tensor *norm = linalg_vector_norm(t, m->n, dims, others, false, 0);
        if (!norm || !t_topk(norm, channels - count, -1, true, true, &indices)) return NULL;
    }
    Tensor *kept = channel_mask(t, dim, indices);
    return kept ? t_mul(kept, t_to(mask, kept->dtype)) : NULL;
}

static Tensor *own_mask(const Method *m, Tensor *t, Tensor *mask) {
    const int64_t failures = tg_context()->failures;
    const int depth = t && mask ? tg_scope_open_around_callback() : 0;
    if (!depth) return NULL;
    Tensor *own = m->own->compute_mask(t, mask, m->context);
    own = tg_scope_return_tensor(depth, failures, own, "compute_mask");
    if (!own || !tg_check(own, 1)) return NULL;
    return tg_same_shape(own, t) ? own
                                 : tg_fail("compute_mask returned a mask of shape %s for a tensor of shape %s",
                                           t_size_repr(own), t_size_repr(t));
}

static Tensor *compute_mask(const Method *m, Tensor *t, Tensor *mask) {
    if (m->kind == IDENTITY) return mask;
    if (m->kind == OWN) return own_mask(m, t, mask);
    if (m->kind == CUSTOM) return t_mul(mask, t_to(m->mask, mask->dtype));
    return (type_of(m) == nn_utils_prune_structured ? structured : unstructured)(m, t, mask);
}

/* On top of an existing mask: of an unstructured method, over the elements that are left, of a structured one over the
 * channels of which something is left. */
static Tensor *combine_masks(const Method *m, Tensor *t, Tensor *mask) {
    if (type_of(m) == nn_utils_prune_global) return compute_mask(m, t, mask);
    if (type_of(m) == nn_utils_prune_unstructured) {
        Tensor *left = t_eq(mask, t_integer(1)), *elements = t_masked_select(t, left);
        Tensor *ones = t_masked_select(mask, left);
        Tensor *part = elements && ones ? compute_mask(m, elements, ones) : NULL;
        return part ? t_masked_scatter(mask, left, t_to(part, mask->dtype)) : NULL;
    }
    int dim, others = 0;
    int64_t dims[T_MAX_DIMS];
    if (m->kind != OWN && m->dim >= t->ndim) return structured(m, t, mask); /* which refuses it */
    if (!tg_wrap_dim(m->dim, t->ndim, &dim)) return NULL;
    for (int d = 0; d < t->ndim; d++)
        if (d != dim) dims[others++] = d;
    Tensor *channels = flat(t_nonzero(others ? t_sum(mask, dims, others, false) : mask));
    Tensor *part_of_t = channels ? t_index_select(t, dim, channels) : NULL;
    Tensor *part = part_of_t ? compute_mask(m, part_of_t, t_index_select(mask, dim, channels)) : NULL;
    return part ? t_index_copy(mask, dim, channels, t_to(part, mask->dtype)) : NULL;
}

/* ---- applying a method ---- */

/* importance_scores with the shape of the parameter, or the parameter; what it is multiplied by. */
static Tensor *new_mask(const Method *m, Tensor *x, Tensor *old, Tensor *scores) {
    if (scores && !tg_same_shape(scores, x))
        return tg_fail("importance_scores should have the same shape as the parameter, got %s vs %s",
                       t_size_repr(scores), t_size_repr(x));
    if (m->mask && !tg_same_shape(m->mask, x))
        return tg_fail("default_mask shape %s must match self.mask shape %s", t_size_repr(x), t_size_repr(m->mask));
    scores = t_detach(scores ? scores : x);
    Tensor *mask = old ? t_clone(t_detach(old)) : t_ones_like(scores);
    if (!scores || !mask) return NULL;
    return old ? combine_masks(m, scores, mask) : compute_mask(m, scores, mask);
}

/* The first pruning of x, which has no old mask then, makes it a parameter of another name. */
static bool check_prunable(const nn_Module *self, const char *name, const Tensor *x, const Tensor *old) {
    return old || x->is_parameter || tg_fail("'%s' of %s is not a parameter", name, self->type);
}

static bool prune(nn_Module *self, const char *name, const Method *m, Tensor *scores) {
    Tensor *x = tg_replaceable(self, name), *old = x ? tg_attribute(self, name, "_mask") : NULL;
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *mask = x && check_prunable(self, name, x, old) ? new_mask(m, x, old, scores) : NULL;
    t_set_grad_enabled(grad_enabled);
    if (!mask) return false;
    Tensor *orig = old ? tg_attribute(self, name, "_orig") : x, *pruned = t_mul(t_to(mask, orig->dtype), orig);
    if (!pruned) return false;
    if (old)
        return tg_set_attribute(self, name, "_mask", nn_buffer_kind, mask) &&
               tg_set_attribute(self, name, "", nn_kept_kind, pruned);
    const bool first = !tg_has_pre_hook(self, prune_hook);
    if (tg_add_pre_hook(self, prune_hook) && tg_set_attribute(self, name, "_orig", nn_parameter_kind, x) &&
        tg_set_attribute(self, name, "_mask", nn_buffer_kind, mask) &&
        tg_set_attribute(self, name, "", nn_kept_kind, pruned))
        return true;
    tg_delete_attribute(self, name, "_orig");
    tg_delete_attribute(self, name, "_mask");
    if (first) tg_remove_pre_hook(self, prune_hook);
    return false;
}

static void *apply(void *module, const char *name, const Method *m, Tensor *scores) {
    if (!tg_check_module(module, 1) || !tg_check_optional(scores, 3) || !check_amount(m)) return NULL;
    int depth = t_scope_open();
    tg_Draws draws;
    bool ok = depth && tg_draws_begin(&draws, NULL);
    if (ok) tg_draws_end(&draws, ok = prune(module, name, m, scores));
    t_scope_close(depth);
    return ok ? module : NULL;
}

/* Nothing is pruned: the names change, and a mask of ones is registered. */
void *nn_utils_prune_identity(void *module, const char *name) {
    return apply(module, name, &(Method){.kind = IDENTITY}, NULL);
}

/* Random elements, of the greatest of torch.rand_like. Errors: an amount that is negative or greater than what is left;
 * no attribute of that name; a failed call changes nothing. */
void *nn_utils_prune_random_unstructured(void *module, const char *name, int64_t count, double fraction) {
    return apply(module, name, &(Method){.kind = RANDOM, .count = count, .fraction = fraction}, NULL);
}

/* The elements of the smallest absolute values, of importance_scores if they are given. */
void *nn_utils_prune_l1_unstructured(void *module, const char *name, int64_t count, double fraction,
                                     Tensor *importance_scores) {
    return apply(module, name, &(Method){.kind = L1, .count = count, .fraction = fraction}, importance_scores);
}

/* Random channels along dim, of the smallest of torch.rand(channels). */
void *nn_utils_prune_random_structured(void *module, const char *name, int64_t count, double fraction, int64_t dim) {
    return apply(module, name, &(Method){.kind = RANDOM_CHANNELS, .count = count, .fraction = fraction, .dim = dim},
                 NULL);
}

/* The channels along dim of the smallest n-norms. */
void *nn_utils_prune_ln_structured(void *module, const char *name, int64_t count, double fraction, double n,
                                   int64_t dim, Tensor *importance_scores) {
    return apply(module, name, &(Method){.kind = LN_CHANNELS, .count = count, .fraction = fraction, .n = n, .dim = dim},
                 importance_scores);
}

/* The elements where mask, of the parameter's shape, is 0. */
void *nn_utils_prune_custom_from_mask(void *module, const char *name, Tensor *mask) {
    if (!tg_check_module(module, 1) || !tg_check(mask, 3)) return NULL;
    return apply(module, name, &(Method){.kind = CUSTOM, .mask = mask}, NULL);
}

/* A method of the caller's. Errors: a mask of another shape, and those of compute_mask. */
void *nn_utils_prune_BasePruningMethod_apply(const nn_utils_prune_BasePruningMethod *method, void *module,
                                             const char *name, Tensor *importance_scores, void *context) {
    if (!tg_check_given(method && method->compute_mask, 1, "a pruning method with compute_mask")) return NULL;
    return apply(module, name, &(Method){.kind = OWN, .own = method, .dim = method->dim, .context = context},
                 importance_scores);
}

/* ---- several parameters ---- */

static bool prune_all(const nn_utils_prune_Parameter *parameters, int64_t n, const Method *m) {
    t_TensorList *values = t_list_new(NULL, 0), *masks = t_list_new(NULL, 0);
    for (int64_t i = 0; values && masks && i < n; i++) {
        nn_Module *module = parameters[i].module;
        const char *name = parameters[i].name;
        if (!tg_check_module(module, 1)) return false;
        Tensor *x = tg_replaceable(module, name), *old = x ? tg_attribute(module, name, "_mask") : NULL;
        if (!x || !check_prunable(module, name, x, old) || !t_list_append(values, flat(t_detach(x))) ||
            !t_list_append(masks, flat(old ? t_detach(old) : t_ones_like(t_detach(x)))))
            return false;
    }
    Tensor *mask = values && masks && n ? combine_masks(m, t_cat(values, 0), t_cat(masks, 0)) : NULL;
    for (int64_t i = 0, at = 0; mask && i < n; i++) {
        const Tensor *x = tg_attribute(parameters[i].module, parameters[i].name, "");
        Tensor *part = t_reshape(t_narrow(mask, 0, at, tg_numel(x)), x->shape, x->ndim);
        at += tg_numel(x);
        if (!part || !nn_utils_prune_custom_from_mask(parameters[i].module, parameters[i].name, part)) return false;
    }
    return mask != NULL || (n == 0 && values && masks);
}

/* The elements of the smallest absolute values, or random ones, of all parameters as if they were one vector. If memory
 * runs out some of them may be pruned already. */
bool nn_utils_prune_global_unstructured(const nn_utils_prune_Parameter *parameters, int64_t parameter_count,
                                        nn_utils_prune_Method pruning_method, int64_t count, double fraction) {
    const Method m = {.kind = pruning_method == nn_utils_prune_RandomUnstructured ? RANDOM : L1,
                      .count = count,
                      .fraction = fraction};
    if (!parameters && parameter_count)
        return t_error() ? false
                         : tg_fail("argument 1 is NULL where parameters are "
                                   "expected") != NULL;
    if (!check_amount(&m)) return false;
    int depth = t_scope_open();
    tg_Draws draws;
    bool ok = depth && tg_draws_begin(&draws, NULL);
    if (ok) tg_draws_end(&draws, ok = prune_all(parameters, parameter_count, &m));
    t_scope_close(depth);
    return ok;
}

/* ---- the end ---- */

static bool has_no_mask(nn_Module *self, const char *name) {
    return !(tg_attribute(self, name, "_mask") && tg_attribute(self, name, "_orig"));
}

/* The parameter gets its pruned value and its name back, as the module's last one; the mask and the hook go. Error: it
 * is not pruned. */
void *nn_utils_prune_remove(void *module, const char *name) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1) || !tg_replaceable(self, name)) return NULL;
    Tensor *mask = tg_attribute(self, name, "_mask"), *orig = tg_attribute(self, name, "_orig");
    if (!mask || !orig || !tg_has_pre_hook(self, prune_hook))
        return tg_fail("Parameter '%s' of module %s has to be pruned before pruning can be removed", name, self->type);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *pruned = t_mul(t_to(t_detach(mask), orig->dtype), t_detach(orig));
    const bool ok = pruned && tg_restore_parameter(self, name, orig);
    if (ok) {
        tg_set_data(orig, pruned);
        tg_delete_attribute(self, name, "_orig");
        tg_delete_attribute(self, name, "_mask");
        if (tg_for_each_suffix(self, "_mask", has_no_mask)) tg_remove_pre_hook(self, prune_hook);
    }
    t_scope_close(depth);
    return ok ? module : NULL;
}

bool nn_utils_prune_is_pruned(const void *module) {
    if (!tg_check_module(module, 1)) return false;
    int depth = t_scope_open();
    nn_NamedList *modules = depth ? nn_named_modules(module) : NULL;
    bool pruned = false;
    for (int64_t i = 0; modules && i < modules->len; i++)
        pruned = pruned || tg_has_pre_hook(modules->items[i].module, prune_hook);
    t_scope_close(depth);
    return pruned;
}
