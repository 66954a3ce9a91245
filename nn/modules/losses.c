/* nn/modules/losses.c: the losses as modules: each calls a function of nn/functional/loss/loss.h with the options given
 * at construction. An unknown reduction is an error of the constructor. */
#include "nn/modules/losses.h"

#include <stddef.h>
#include <string.h>

#include "nn/functional/functional.h"
#include "nn/functional/loss/loss_internal.h"
#include "nn/module/module_internal.h"

/* ---- macros that define a module ---- */

static bool is_reduction(const char *word, const char *type) {
    if (strcmp(word, "mean") == 0 || strcmp(word, "sum") == 0 || strcmp(word, "none") == 0) return true;
    if (strcmp(word, "batchmean") == 0 && strcmp(type, "nn_KLDivLoss") == 0) return true;
    return tg_fail("%s is not a valid value for reduction", word);
}

/* `at`: the offset of the field `reduction` in the struct. */
static void *loss_new(size_t bytes, const char *type, nn_Forward2 forward2, const char *reduction, size_t at) {
    if (!reduction) reduction = "mean";
    if (!is_reduction(reduction, type)) return NULL;
    nn_Module *self = nn_module_new(bytes, type, NULL);
    if (!self) return NULL;
    self->forward2 = forward2;
    strcpy((char *)self + at, reduction);
    return self;
}

/* LOSS defines the forward of two tensors and the constructor, whose last argument sets the fields. */
#define FORWARD2(Type, call)                                                                     \
    static Tensor *Type##_forward(void *module, Tensor *a, Tensor *b) {                          \
        Type *self = module;                                                                     \
        return call;                                                                             \
    }
#define NEW_LOSS(Type, forward2, parameters, ...)                                                   \
    Type *Type##_new parameters {                                                                   \
        Type *self = loss_new(sizeof(Type), #Type, forward2, reduction, offsetof(Type, reduction)); \
        if (!self) return NULL;                                                                     \
        __VA_ARGS__                                                                                 \
        return self;                                                                                \
    }
#define LOSS(Type, call, parameters, ...)                                                        \
    FORWARD2(Type, call)                                                                         \
    NEW_LOSS(Type, Type##_forward, parameters, __VA_ARGS__)

/* ---- losses of an input and a target ---- */

static Tensor *run_mse_loss(void *module, Tensor *const *inputs, const void *unused) {
    const nn_MSELoss *self = module;
    (void)unused;
    F_LossOptions options = {.size = sizeof options, .ignore_index = -100, .reduction = self->reduction};
    return F_mse_loss(inputs[0], inputs[1], &options);
}
Tensor *nn_MSELoss_call(nn_MSELoss *self, Tensor *input, Tensor *target) {
    if (!TG_CHECK_CLASS(self, 1, nn_MSELoss, "nn_MSELoss_call")) return NULL;
    return tg_call_module(self, (Tensor *[]){input, target}, 2, run_mse_loss, NULL);
}
LOSS(nn_MSELoss, nn_MSELoss_call(self, a, b), (const char *reduction), )
LOSS(nn_L1Loss, F_l1_loss(a, b, self->reduction, NULL), (const char *reduction), )
LOSS(nn_SmoothL1Loss, F_smooth_l1_loss(a, b, self->reduction, self->beta), (const char *reduction, double beta),
     self->beta = beta;)
LOSS(nn_HuberLoss, F_huber_loss(a, b, self->reduction, self->delta, NULL), (const char *reduction, double delta),
     self->delta = delta;)
LOSS(nn_HingeEmbeddingLoss, F_hinge_embedding_loss(a, b, self->margin, self->reduction),
     (double margin, const char *reduction), self->margin = margin;)
LOSS(nn_PoissonNLLLoss, F_poisson_nll_loss(a, b, self->log_input, self->full, self->eps, self->reduction),
     (bool log_input, bool full, double eps, const char *reduction),
     self->log_input = log_input; self->full = full; self->eps = eps;)
LOSS(nn_KLDivLoss, F_kl_div(a, b, self->reduction, self->log_target), (const char *reduction, bool log_target),
     self->log_target = log_target;)
LOSS(nn_SoftMarginLoss, F_soft_margin_loss(a, b, self->reduction), (const char *reduction), )
LOSS(nn_MultiLabelMarginLoss, F_multilabel_margin_loss(a, b, self->reduction), (const char *reduction), )

/* ---- losses with weights, which are buffers ---- */

static bool set_weight(nn_Module *self, const char *name, Tensor **field, Tensor *weight) {
    *field = weight;
    return nn_register_buffer(self, name, weight);
}

/* nn.CrossEntropyLoss: F_cross_entropy with the options given at construction. */
static Tensor *run_cross_entropy(void *module, Tensor *const *inputs, const void *unused) {
    const nn_CrossEntropyLoss *self = module;
    (void)unused;
    F_LossOptions options = {.size = sizeof options, .weight = self->weight, .ignore_index = self->ignore_index,
                             .reduction = self->reduction, .label_smoothing = self->label_smoothing};
    return F_cross_entropy(inputs[0], inputs[1], &options);
}
Tensor *nn_CrossEntropyLoss_call(nn_CrossEntropyLoss *self, Tensor *input, Tensor *target) {
    if (!TG_CHECK_CLASS(self, 1, nn_CrossEntropyLoss, "nn_CrossEntropyLoss_call")) return NULL;
    return tg_call_module(self, (Tensor *[]){input, target}, 2, run_cross_entropy, NULL);
}
FORWARD2(nn_CrossEntropyLoss, nn_CrossEntropyLoss_call(self, a, b))

nn_CrossEntropyLoss *nn_CrossEntropyLoss_new(const nn_CrossEntropyLossOptions *options) {
    nn_CrossEntropyLossOptions o = {.size = sizeof o, .ignore_index = -100, .reduction = "mean"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_CrossEntropyLoss *self = loss_new(sizeof *self, "nn_CrossEntropyLoss", nn_CrossEntropyLoss_forward, o.reduction,
                                         offsetof(nn_CrossEntropyLoss, reduction));
    if (self) {
        self->ignore_index = o.ignore_index;
        self->label_smoothing = o.label_smoothing;
        set_weight(&self->base, "weight", &self->weight, o.weight);
    }
    return tg_construct_end(construction, self);
}

static Tensor *call_nll_loss(const nn_NLLLoss *self, Tensor *input, Tensor *target) {
    F_LossOptions options = {.size = sizeof options, .weight = self->weight, .ignore_index = self->ignore_index,
                             .reduction = self->reduction};
    return F_nll_loss(input, target, &options);
}
FORWARD2(nn_NLLLoss, call_nll_loss(self, a, b))
FORWARD2(nn_BCELoss, F_binary_cross_entropy(a, b, self->weight, self->reduction))
FORWARD2(nn_BCEWithLogitsLoss,
         F_binary_cross_entropy_with_logits(a, b, self->weight, self->reduction, self->pos_weight))
FORWARD2(nn_MultiLabelSoftMarginLoss, F_multilabel_soft_margin_loss(a, b, self->weight, self->reduction))
FORWARD2(nn_MultiMarginLoss,
         F_multi_margin_loss(a, b, self->p, self->margin, self->weight, self->reduction))

/* NEW_LOSS for a loss with weights; if one cannot be registered the constructor fails. */
#define NEW_WITH_WEIGHT(Type, parameters, ...)                                                            \
    Type *Type##_new parameters {                                                                         \
        Construction construction = tg_construct_begin();                                                 \
        Type *self = loss_new(sizeof(Type), #Type, Type##_forward, reduction, offsetof(Type, reduction)); \
        if (self && set_weight(&self->base, "weight", &self->weight, weight)) {                           \
            __VA_ARGS__                                                                                   \
        }                                                                                                 \
        return tg_construct_end(construction, self);                                                      \
    }
NEW_WITH_WEIGHT(nn_NLLLoss, (Tensor * weight, int64_t ignore_index, const char *reduction),
                self->ignore_index = ignore_index;)
NEW_WITH_WEIGHT(nn_BCELoss, (Tensor *weight, const char *reduction), )
NEW_WITH_WEIGHT(nn_BCEWithLogitsLoss, (Tensor *weight, const char *reduction, Tensor *pos_weight),
                set_weight(&self->base, "pos_weight", &self->pos_weight, pos_weight);)
NEW_WITH_WEIGHT(nn_MultiLabelSoftMarginLoss, (Tensor *weight, const char *reduction), )
static void set_multi_margin(nn_MultiMarginLoss *self, int64_t p, double margin) {
    self->p = p;
    self->margin = margin;
    if (p != 1 && p != 2) tg_fail("only p == 1 and p == 2 supported");
    else if (self->weight && self->weight->ndim != 1)
        tg_fail("MultiMarginLoss: expected weight to be None or 1D tensor, got %dD instead", self->weight->ndim);
}
NEW_WITH_WEIGHT(nn_MultiMarginLoss, (int64_t p, double margin, Tensor *weight, const char *reduction),
                set_multi_margin(self, p, margin);)

/* ---- losses of three tensors ---- */

#define LOSS3(Type, A, B, C, call, parameters, ...)                                              \
    NEW_LOSS(Type, NULL, parameters, __VA_ARGS__)                                                \
    static Tensor *Type##_forward3(void *module, Tensor *const *inputs, const void *unused) {    \
        const Type *self = module;                                                               \
        Tensor *A = inputs[0], *B = inputs[1], *C = inputs[2];                                   \
        (void)unused;                                                                            \
        return call;                                                                             \
    }                                                                                            \
    Tensor *Type##_call(Type *self, Tensor *A, Tensor *B, Tensor *C) {                           \
        if (!TG_CHECK_CLASS(self, 1, Type, #Type "_call")) return NULL;                          \
        return tg_call_module(self, (Tensor *[]){A, B, C}, 3, Type##_forward3, NULL);            \
    }
LOSS3(nn_CosineEmbeddingLoss, input1, input2, target,
      F_cosine_embedding_loss(input1, input2, target, self->margin, self->reduction),
      (double margin, const char *reduction), self->margin = margin;)
LOSS3(nn_MarginRankingLoss, input1, input2, target,
      F_margin_ranking_loss(input1, input2, target, self->margin, self->reduction),
      (double margin, const char *reduction), self->margin = margin;)
LOSS3(nn_TripletMarginLoss, anchor, positive, negative,
      F_triplet_margin_loss(anchor, positive, negative, self->margin, self->p, self->eps, self->swap, self->reduction),
      (double margin, double p, double eps, bool swap, const char *reduction),
      self->margin = margin; self->p = p; self->eps = eps; self->swap = swap;)
LOSS3(nn_GaussianNLLLoss, input, target, var,
      F_gaussian_nll_loss(input, target, var, self->full, self->eps, self->reduction),
      (bool full, double eps, const char *reduction), self->full = full; self->eps = eps;)

/* ---- CTCLoss ---- */

static Tensor *run_ctc_loss(void *module, Tensor *const *inputs, const void *unused) {
    const nn_CTCLoss *self = module;
    (void)unused;
    return F_ctc_loss(inputs[0], inputs[1], inputs[2], inputs[3], self->blank, self->reduction, self->zero_infinity);
}

Tensor *nn_CTCLoss_call(nn_CTCLoss *self, Tensor *log_probs, Tensor *targets, Tensor *input_lengths,
                        Tensor *target_lengths) {
    if (!TG_CHECK_CLASS(self, 1, nn_CTCLoss, "nn_CTCLoss_call")) return NULL;
    return tg_call_module(self, (Tensor *[]){log_probs, targets, input_lengths, target_lengths}, 4, run_ctc_loss, NULL);
}

NEW_LOSS(nn_CTCLoss, NULL, (int64_t blank, const char *reduction, bool zero_infinity),
         self->blank = blank; self->zero_infinity = zero_infinity;)

/* ---- distances: modules of two tensors that are no losses ---- */

FORWARD2(nn_CosineSimilarity, F_cosine_similarity(a, b, self->dim, self->eps))
nn_CosineSimilarity *nn_CosineSimilarity_new(int64_t dim, double eps) {
    nn_CosineSimilarity *self = (nn_CosineSimilarity *)nn_module_new(sizeof *self, "nn_CosineSimilarity", NULL);
    if (!self) return NULL;
    self->base.forward2 = nn_CosineSimilarity_forward;
    self->dim = dim;
    self->eps = eps;
    return self;
}

FORWARD2(nn_PairwiseDistance, F_pairwise_distance(a, b, self->norm, self->eps, self->keepdim))
nn_PairwiseDistance *nn_PairwiseDistance_new(double p, double eps, bool keepdim) {
    nn_PairwiseDistance *self = (nn_PairwiseDistance *)nn_module_new(sizeof *self, "nn_PairwiseDistance", NULL);
    if (!self) return NULL;
    self->base.forward2 = nn_PairwiseDistance_forward;
    self->norm = p;
    self->eps = eps;
    self->keepdim = keepdim;
    return self;
}

/* ---- a triplet loss with any distance ---- */

static Tensor *child_distance(Tensor *x1, Tensor *x2, const void *child) {
    return nn_call2((void *)child, x1, x2);
}

static Tensor *triplet_with_distance(void *module, Tensor *const *inputs, const void *unused) {
    const nn_TripletMarginWithDistanceLoss *self = module;
    (void)unused;
    if (self->distance_function)
        return F_triplet_margin_with_distance_loss(inputs[0], inputs[1], inputs[2], self->distance_function,
                                                   self->margin, self->swap, self->reduction);
    return tg_triplet_margin_loss(inputs[0], inputs[1], inputs[2], child_distance, self->pairwise_distance,
                                  self->margin, self->swap, self->reduction);
}

Tensor *nn_TripletMarginWithDistanceLoss_call(nn_TripletMarginWithDistanceLoss *self, Tensor *anchor, Tensor *positive,
                                              Tensor *negative) {
    if (!TG_CHECK_CLASS(self, 1, nn_TripletMarginWithDistanceLoss, "nn_TripletMarginWithDistanceLoss_call"))
        return NULL;
    return tg_call_module(self, (Tensor *[]){anchor, positive, negative}, 3, triplet_with_distance, NULL);
}

nn_TripletMarginWithDistanceLoss *nn_TripletMarginWithDistanceLoss_new(F_Distance *distance_function, double margin,
                                                                      bool swap, const char *reduction) {
    Construction construction = tg_construct_begin();
    nn_TripletMarginWithDistanceLoss *self =
        loss_new(sizeof *self, "nn_TripletMarginWithDistanceLoss", NULL, reduction,
                 offsetof(nn_TripletMarginWithDistanceLoss, reduction));
    if (self && !(margin > 0)) {
        tg_fail("TripletMarginWithDistanceLoss: expected margin to be greater than 0, got %s instead",
                tg_number_text(margin));
    } else if (self) {
        self->margin = margin;
        self->swap = swap;
        self->distance_function = distance_function;
        if (!distance_function) self->pairwise_distance = nn_PairwiseDistance_new(2, 1e-6, false);
        if (self->pairwise_distance)
            nn_register_module(&self->base, "distance_function", self->pairwise_distance);
    }
    return tg_construct_end(construction, self);
}
