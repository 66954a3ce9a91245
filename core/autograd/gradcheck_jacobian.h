/* core/autograd/gradcheck_jacobian.h: a function's Jacobian, by backward and by central differences, for gradcheck
 * (internal).
 *
 * J[j][e] = d output_j / d input_e, where j counts the elements of all outputs, concatenated, and e those of all
 * inputs. Backward computes it row by row (one backward per output element), differences column by column (two forwards
 * per input element). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_GRADCHECK_JACOBIAN_H
#define TAPEGRAD_CORE_AUTOGRAD_GRADCHECK_JACOBIAN_H

#include "core/autograd/tape.h"

typedef struct GradCheck {
    t_GradcheckFunction *f;
    t_TensorList *inputs;
    void *context;
    t_GradcheckOptions o;
    bool differentiable;    /* one of the outputs requires grad */
    /* the inputs that require grad; the outputs that do, or all floating ones where none does */
    t_TensorList *xs, *ys;
    int64_t *output_index;  /* the index of each of ys in f's list */
    int64_t outputs;        /* length of that list */
    int64_t rows, columns;  /* number of elements of ys, of xs */
    double *plus, *minus;   /* f(x + eps u), f(x - eps u): `rows` elements each */
    struct Disturbed *disturbed; /* the input whose values are changed now */
} GradCheck;

/* An array of n elements that belongs to the current scope, as everything here does: f may leave by longjmp. */
double *tg_scope_array(int64_t n);

/* f(inputs): a list of live tensors, or NULL with an error. Grad mode stays as it is. */
t_TensorList *tg_call_checked(t_GradcheckFunction *f, t_TensorList *inputs, void *context);

bool tg_jacobian_begin(GradCheck *check); /* calls f once; the lists belong to the current scope */

/* values = (f(x + eps u) - f(x - eps u)) / (2 eps); u NULL: the unit vector of `element`. original: x's values, an
 * array of tg_scope_array. */
bool tg_central_difference(GradCheck *check, Tensor *x, const double *original, const double *u, int64_t element,
                           double *values);
/* The gradients of sum(y_k * seed) with respect to xs; NULL items mean zero. */
t_TensorList *tg_jacobian_row(const GradCheck *check, int64_t k, Tensor *seed);
void tg_write_element(Tensor *x, int64_t element, double value);

/* J has rows x columns elements. */
bool tg_numerical_jacobian(GradCheck *check, double *J);
bool tg_backward_jacobian(const GradCheck *check, double *J);
bool tg_forward_jacobian(const GradCheck *check, double *J);

#endif
