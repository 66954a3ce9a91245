/* core/distributions/constraint_internal.h: what a constraint is made of (internal). */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_CONSTRAINT_INTERNAL_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_CONSTRAINT_INTERNAL_H

#include "core/distributions/distribution_internal.h"

typedef enum Form {
    FORM_REAL, FORM_GREATER_THAN, FORM_GREATER_THAN_EQ, FORM_LESS_THAN, FORM_INTERVAL, FORM_BOOLEAN,
    FORM_INTEGER_GREATER_THAN, FORM_INTEGER_INTERVAL, FORM_SIMPLEX, FORM_ONE_HOT, FORM_MULTINOMIAL,
    FORM_LOWER_CHOLESKY, FORM_POSITIVE_DEFINITE, FORM_INDEPENDENT, FORM_MIXTURE, FORM_HALF_OPEN_INTERVAL,
    FORM_LOWER_TRIANGULAR, FORM_CORR_CHOLESKY, FORM_SQUARE, FORM_SYMMETRIC, FORM_POSITIVE_SEMIDEFINITE,
    FORM_CAT, FORM_STACK
} Form;

struct distributions_Constraint {
    t_Object object;
    Form form;
    Tensor *lower, *upper;
    Constraint *base;
    int64_t reinterpreted_batch_ndims;
    /* of cat and stack */
    Constraint **parts;
    int64_t *lengths, count, dim;
};

const char *tg_constraint_name(const Constraint *constraint); /* "GreaterThan" */

#endif
