/* nn/functional/loss/loss.h: the losses of torch.nn.functional, one line each (public; part of
 * nn/functional/functional.h). The folder may include core/ and nn/functional/norm, activation and
 * linear. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LOSS_H
#define TAPEGRAD_NN_FUNCTIONAL_LOSS_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* ---- losses (loss.c, nll_loss.c, loss_regression.c, loss_bce.c, distance.c); NULL options are the defaults ---- */

/* Start from F_LossDefaults and change single members: an ignore_index of 0 means class 0, not "none given". */
typedef struct F_LossOptions {
    uint32_t size;
    Tensor *weight;         /* one factor for each class; for mse_loss one for each element of the input */
    int64_t ignore_index;   /* targets of this class are ignored: -100 */
    const char *reduction;  /* "mean", "sum" or "none" */
    double label_smoothing; /* cross_entropy: the weight of a uniform distribution that is mixed into the target */
} F_LossOptions;
T_API extern const F_LossOptions F_LossDefaults;

T_API Tensor *F_cross_entropy(Tensor *input, Tensor *target, const F_LossOptions *options); /* F.cross_entropy(...) */
T_API Tensor *F_linear_cross_entropy(Tensor *input, Tensor *linear_weight, Tensor *target, Tensor *linear_bias,
                                     const F_LossOptions *options); /* F.linear_cross_entropy(input, w, target) */
T_API Tensor *F_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options);      /* F.nll_loss(...) */
T_API Tensor *F_mse_loss(Tensor *input, Tensor *target, const F_LossOptions *options);      /* F.mse_loss(...) */

/* ---- these take their keywords as arguments; a NULL reduction is "mean", a NULL weight none ---- */
T_API Tensor *F_l1_loss(Tensor *input, Tensor *target, const char *reduction, Tensor *weight); /* F.l1_loss */
T_API Tensor *F_smooth_l1_loss(Tensor *input, Tensor *target, const char *reduction,
                               double beta); /* F.smooth_l1_loss(input, target, beta=1.0) */
T_API Tensor *F_huber_loss(Tensor *input, Tensor *target, const char *reduction, double delta,
                           Tensor *weight); /* F.huber_loss(input, target, delta=1.0) */
T_API Tensor *F_poisson_nll_loss(Tensor *input, Tensor *target, bool log_input, bool full, double eps,
                                 const char *reduction); /* F.poisson_nll_loss(input, target) */
T_API Tensor *F_gaussian_nll_loss(Tensor *input, Tensor *target, Tensor *var, bool full, double eps,
                                  const char *reduction); /* F.gaussian_nll_loss(input, target, var) */
T_API Tensor *F_binary_cross_entropy(Tensor *input, Tensor *target, Tensor *weight,
                                     const char *reduction); /* F.binary_cross_entropy(input, target) */
T_API Tensor *F_binary_cross_entropy_with_logits(Tensor *input, Tensor *target, Tensor *weight, const char *reduction,
                                                 Tensor *pos_weight); /* F.binary_cross_entropy_with_logits */
T_API Tensor *F_kl_div(Tensor *input, Tensor *target, const char *reduction, bool log_target); /* F.kl_div */
T_API Tensor *F_cosine_embedding_loss(Tensor *input1, Tensor *input2, Tensor *target, double margin,
                                      const char *reduction); /* F.cosine_embedding_loss(input1, input2, target) */
T_API Tensor *F_margin_ranking_loss(Tensor *input1, Tensor *input2, Tensor *target, double margin,
                                    const char *reduction); /* F.margin_ranking_loss(input1, input2, target) */
T_API Tensor *F_hinge_embedding_loss(Tensor *input, Tensor *target, double margin,
                                     const char *reduction); /* F.hinge_embedding_loss(input, target) */
T_API Tensor *F_triplet_margin_loss(Tensor *anchor, Tensor *positive, Tensor *negative, double margin, double p,
                                    double eps, bool swap, const char *reduction); /* F.triplet_margin_loss(...) */
typedef Tensor *F_Distance(Tensor *x1, Tensor *x2);
T_API Tensor *F_triplet_margin_with_distance_loss(Tensor *anchor, Tensor *positive, Tensor *negative,
                                                  F_Distance *distance_function, double margin, bool swap,
                                                  const char *reduction); /* F.triplet_margin_with_distance_loss */

/* ---- ctc_loss.c ---- */
T_API Tensor *F_ctc_loss(Tensor *log_probs, Tensor *targets, Tensor *input_lengths, Tensor *target_lengths,
                         int64_t blank, const char *reduction,
                         bool zero_infinity); /* F.ctc_loss(log_probs, targets, input_lengths, target_lengths) */

/* ---- losses with a margin (loss_margin.c) ---- */
T_API Tensor *F_soft_margin_loss(Tensor *input, Tensor *target, const char *reduction); /* F.soft_margin_loss */
T_API Tensor *F_multi_margin_loss(Tensor *input, Tensor *target, int64_t p, double margin, Tensor *weight,
                                  const char *reduction); /* F.multi_margin_loss(input, target, p=1, margin=1.0) */
T_API Tensor *F_multilabel_margin_loss(Tensor *input, Tensor *target,
                                       const char *reduction); /* F.multilabel_margin_loss(input, target) */
T_API Tensor *F_multilabel_soft_margin_loss(Tensor *input, Tensor *target, Tensor *weight,
                                            const char *reduction); /* F.multilabel_soft_margin_loss(input, target) */

/* ---- norms and distances of vectors (distance.c) ---- */
T_API Tensor *F_normalize(Tensor *x, double p, int64_t dim, double eps); /* F.normalize(x, p=2.0, dim=1, eps=1e-12) */
T_API Tensor *F_cosine_similarity(Tensor *x1, Tensor *x2, int64_t dim,
                                  double eps); /* F.cosine_similarity(x1, x2, dim=1, eps=1e-8) */
T_API Tensor *F_pairwise_distance(Tensor *x1, Tensor *x2, double p, double eps,
                                  bool keepdim); /* F.pairwise_distance(x1, x2, p=2.0, eps=1e-6) */
T_API Tensor *F_pdist(Tensor *x, double p);                      /* F.pdist(x, p=2.0) */

T_END_DECLS
#endif
