/* nn/functional/functional.h: torch.nn.functional as plain C functions (public).
 *
 * A folder holds a family, named after the headings of PyTorch's documentation; its public header of the same name
 * lists the functions, one line each, and the comment above each definition has formula, shapes, dtypes, gradient and
 * errors. nn/sugar/functional.h defines a macro of the same name over each, which takes keyword arguments;
 * (F_dropout)(x, 0.5, true) calls the function itself.
 *
 * A family may include core/ and the families before it in this order (tests/checks/check_layers.sh has each one's):
 * activation, dropout, linear, convolution, pooling, vision, norm, loss, attention. None includes nn/module. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_FUNCTIONAL_H
#define TAPEGRAD_NN_FUNCTIONAL_FUNCTIONAL_H

#include "nn/functional/activation/activation.h"
#include "nn/functional/attention/attention.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/dropout/dropout.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/loss/loss.h"
#include "nn/functional/norm/norm.h"
#include "nn/functional/pooling/pooling.h"
#include "nn/functional/vision/vision.h"

#endif
