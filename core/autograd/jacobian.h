/* core/autograd/jacobian.h: a function's Jacobian, by backward and by central differences, for gradcheck (internal).
 *
 * J[j][e] = d output_j / d input_e, where j counts the elements of all outputs, concatenated, and e those of all
 * inputs. Backward computes it row by row (one backward per output element), differences column by column (two forwards
 * per input element). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_JACOBIAN_H
#define TAPEGRAD_CORE_AUTOGRAD_JACOBIAN_H

#include "core/autograd/tape.h"

typedef struct Check {
    t_GradcheckFunction *f;
    t_TensorList *inputs;
    void *context;
    t_GradcheckOptions o;
    bool differentiable;    /* one of the outputs requires grad */
    /* the inputs that require grad; the outputs that do, or all floating ones where none does */
    t_TensorList *xs, *ys;
    int64_t *place;         /* the index of each of ys in f's list */
    int64_t outputs;        /* length of that list */
    int64_t rows, columns;  /* number of elements of ys, of xs */
    double *above, *below;  /* f(x + eps u), f(x - eps u): `rows` elements each */
} Check;

bool tg_jacobian_begin(Check *check); /* calls f once; the lists belong to the current scope */
void tg_jacobian_end(Check *check);

/* values = (f(x + eps u) - f(x - eps u)) / (2 eps); u NULL: the unit vector of `element`. kept: x's values. */
bool tg_central_difference(Check *check, Tensor *x, const double *kept, const double *u, int64_t element,
                           double *values);
/* The gradients of sum(y_k * seed) with respect to xs; NULL items mean zero. */
t_TensorList *tg_jacobian_row(const Check *check, int64_t k, Tensor *seed);
void tg_write_element(Tensor *x, int64_t element, double value);

/* J has rows x columns elements. */
bool tg_numerical_jacobian(Check *check, double *J);
bool tg_backward_jacobian(const Check *check, double *J);

#endif
