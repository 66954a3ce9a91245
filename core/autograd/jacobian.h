/* core/autograd/jacobian.h: a function's Jacobian, by backward and by differences, for gradcheck (internal).
 *
 * J[j][e] = d output_j / d input_e, with the elements of all outputs one behind the other, and those of all inputs. Backward
 * gives it row by row (one backward an output element), differences column by column (two forwards an input element). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_JACOBIAN_H
#define TAPEGRAD_CORE_AUTOGRAD_JACOBIAN_H

#include "core/autograd/tape.h"

typedef struct Check {
    t_GradcheckFunction *f;
    t_TensorList *inputs;
    void *context;
    t_GradcheckOptions o;
    bool differentiable;    /* one of the outputs requires grad */
    t_TensorList *xs, *ys;  /* the inputs that require grad; the outputs that do, or all floating ones where none does */
    int64_t *place;         /* of each of ys in f's list */
    int64_t outputs;        /* in that list */
    int64_t rows, columns;  /* elements of ys, of xs */
    double *above, *below;  /* `rows` numbers each */
} Check;

bool tg_jacobian_begin(Check *check); /* runs f once; the check's lists belong to the current scope */
void tg_jacobian_end(Check *check);

/* values = (f(x + eps u) - f(x - eps u)) / (2 eps), where u NULL is 1 at one element and 0 elsewhere. kept: x's values. */
bool tg_differences(Check *check, Tensor *x, const double *kept, const double *u, int64_t element, double *values);
/* The gradients of sum(y_k * seed) with respect to xs, NULL for zero. */
t_TensorList *tg_row_of(const Check *check, int64_t k, Tensor *seed);
void tg_write_element(Tensor *x, int64_t element, double value);

/* rows x columns numbers. */
bool tg_numerical_jacobian(Check *check, double *J);
bool tg_backward_jacobian(const Check *check, double *J);

#endif
