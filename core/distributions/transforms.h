/* core/distributions/transforms.h: torch.distributions.transforms: invertible functions of tensors (public). */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_TRANSFORMS_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_TRANSFORMS_H

#include "core/distributions/constraints.h"

T_BEGIN_DECLS

typedef struct distributions_Distribution distributions_Distribution; /* Distribution; owned by its scope */
typedef struct distributions_Transform distributions_Transform;       /* transforms.Transform; owned by its scope */

T_API distributions_Transform *distributions_ExpTransform_new(void);      /* ExpTransform(): e^x */
T_API distributions_Transform *distributions_SigmoidTransform_new(void);  /* SigmoidTransform(): 1 / (1 + e^-x) */
T_API distributions_Transform *distributions_TanhTransform_new(void);     /* TanhTransform() */
T_API distributions_Transform *distributions_SoftplusTransform_new(void); /* SoftplusTransform(): log(1 + e^x) */
T_API distributions_Transform *distributions_AbsTransform_new(void);      /* AbsTransform(): |x| */
T_API distributions_Transform *distributions_SoftmaxTransform_new(void);  /* SoftmaxTransform(): along the last dim */
T_API distributions_Transform *distributions_PowerTransform_new(Tensor *exponent); /* PowerTransform(exponent) */
T_API distributions_Transform *distributions_AffineTransform_new(
    Tensor *loc, Tensor *scale, int64_t event_dim); /* AffineTransform(loc, scale, event_dim=0): loc + scale x */
T_API distributions_Transform *distributions_ComposeTransform_new(distributions_Transform *const *parts,
                                                                  int64_t count); /* ComposeTransform(parts) */
T_API distributions_Transform *distributions_identity_transform(void); /* identity_transform */
T_API distributions_Transform *distributions_IndependentTransform_new(
    distributions_Transform *base_transform,
    int64_t reinterpreted_batch_ndims); /* IndependentTransform(base_transform, reinterpreted_batch_ndims) */
T_API distributions_Transform *distributions_CatTransform_new(
    distributions_Transform *const *tseq, int64_t count, int64_t dim,
    const int64_t *lengths); /* CatTransform(tseq, dim=0, lengths=None) */
T_API distributions_Transform *distributions_StackTransform_new(distributions_Transform *const *tseq, int64_t count,
                                                                int64_t dim); /* StackTransform(tseq, dim=0) */
T_API distributions_Transform *distributions_ReshapeTransform_new(
    const int64_t *in_shape, int in_ndim, const int64_t *out_shape,
    int out_ndim); /* ReshapeTransform(in_shape, out_shape) */
T_API distributions_Transform *distributions_StickBreakingTransform_new(void); /* StickBreakingTransform() */
T_API distributions_Transform *distributions_LowerCholeskyTransform_new(void); /* LowerCholeskyTransform() */
T_API distributions_Transform *distributions_PositiveDefiniteTransform_new(void); /* PositiveDefiniteTransform() */
T_API distributions_Transform *distributions_CorrCholeskyTransform_new(void);     /* CorrCholeskyTransform() */
T_API distributions_Transform *distributions_CumulativeDistributionTransform_new(
    distributions_Distribution *distribution); /* CumulativeDistributionTransform(distribution) */
T_API distributions_Transform *distributions_biject_to(
    distributions_Constraint *constraint); /* biject_to(constraint): all real values to it, by a bijection */
T_API distributions_Transform *distributions_transform_to(
    distributions_Constraint *constraint); /* transform_to(constraint): the same, not always bijective */
T_API distributions_Transform *distributions_inv(distributions_Transform *transform); /* transform.inv */
T_API Tensor *distributions_call(distributions_Transform *transform, Tensor *x);      /* transform(x) */
T_API Tensor *distributions_log_abs_det_jacobian(distributions_Transform *transform, Tensor *x,
                                                 Tensor *y); /* transform.log_abs_det_jacobian(x, y), y of x */
T_API distributions_Constraint *distributions_domain(distributions_Transform *transform);   /* transform.domain */
T_API distributions_Constraint *distributions_codomain(distributions_Transform *transform); /* transform.codomain */

T_END_DECLS
#endif
