/* core/distributions/transforms/transform_internal.h: what a transform is made of (internal). */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_TRANSFORMS_TRANSFORM_INTERNAL_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_TRANSFORMS_TRANSFORM_INTERNAL_H

#include "core/distributions/distribution_internal.h"

/* One kind of transform. A function that is NULL is one that PyTorch does not implement either, but for the last four:
 * those depend on the parameters, and without them the fields above hold. */
typedef struct TransformKind {
    const char *name;
    ConstraintKind domain, codomain;
    int sign; /* of the derivative; 0: it has none */
    Tensor *(*call)(Transform *t, Tensor *x);
    Tensor *(*inverse)(Transform *t, Tensor *y);
    Tensor *(*log_abs_det_jacobian)(Transform *t, Tensor *x, Tensor *y);
    bool only_itself; /* is equal to no other transform of its kind */
    Tensor *(*sign_of)(Transform *t);
    Constraint *(*side)(Transform *t, bool domain); /* the domain or the codomain */
    int (*event_dim)(const Transform *t, bool domain);
    /* The shape of y for an x of the given shape, or with forward false that of x; NULL: it is the same. */
    bool (*shape)(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to);
} TransformKind;

struct distributions_Transform {
    t_Object object;
    const TransformKind *kind;
    Tensor *loc, *scale;           /* of AffineTransform; loc: the exponent of PowerTransform */
    int64_t event_dim;             /* of AffineTransform; reinterpreted_batch_ndims of IndependentTransform */
    Transform *base;               /* of an inverse and of IndependentTransform */
    Transform **parts;             /* of ComposeTransform, CatTransform and StackTransform */
    int64_t count, dim, *lengths;  /* the same */
    t_Tuple in_shape, out_shape;   /* of ReshapeTransform */
    Distribution *distribution;    /* of CumulativeDistributionTransform */
};

/* A new transform, which holds loc and scale; both may be NULL. */
Transform *tg_transform_new(const TransformKind *kind, Tensor *loc, Tensor *scale);
/* The same for one that is made of others. */
Transform *tg_transform_of_parts(const TransformKind *kind, Transform *const *parts, int64_t count);
Transform *tg_transform_inv(Transform *t); /* transform.inv */

#endif
