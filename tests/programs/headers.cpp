// The public headers as C++17: the plain functions without the macros.
#include "core/core.h"
#include "core/data/data.h"
#include "core/distributions/distributions.h"
#include "core/pandas/pandas.h"
#include "core/plot/plot.h"
#include "core/sklearn/sklearn.h"
#include "core/text/text.h"
#include "core/loggers/loggers.h"
#include "core/tensorboard/tensorboard.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "optim/swa_utils/swa_utils.h"

int main() {
    const int64_t shape[] = {2, 3};
    Tensor *x = t_randn(shape, 2, nullptr);
    Tensor *y = t_sum(t_mul(x, t_number(2.0)), nullptr, 0, false);
    return t_numel(y) == 1 && t_error() == nullptr ? 0 : 1;
}
