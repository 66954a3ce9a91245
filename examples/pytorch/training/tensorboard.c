/* examples/pytorch/training/tensorboard.c: a linear regression that logs to TensorBoard: losses, histograms, a picture,
 * text, precision and recall, hyperparameters and the graph, as in PyTorch's recipe "How to use TensorBoard with
 * PyTorch". `tensorboard --logdir build/runs` (pip install tensorboard) shows the two runs on http://localhost:6006.
 *
 * Difficulty: *     Read first: learning/learning_with_examples     Read next: training/profiler */
#include <stdio.h>

#include "core/core.h"
#include "core/tensorboard/tensorboard.h"
#include "nn/nn.h"
#include "optim/optim.h"

static double train_model(int epochs, nn_Linear *model, optim_Optimizer *optimizer, Tensor *x, Tensor *y,
                          tensorboard_SummaryWriter *writer) {
    nn_MSELoss *criterion = nn_MSELoss();
    double last = 0;
    for_range (epoch, epochs) {
        Tensor *loss = nn_call(criterion, nn_call(model, x), y);
        tensorboard_add_scalar(writer, "Loss/train", loss, epoch);
        tensorboard_add_histogram(writer, "residuals", t_sub(nn_call(model, x), y), epoch);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        printf("epoch %d: loss %.2f\n", (int)epoch, t_item(loss));
        last = t_item(loss);
    }
    return last;
}

int main(void) {
    t_manual_seed(0);
    Tensor *x = t_view(t_arange(-5, 5, 0.1), -1, 1);
    Tensor *y = t_add(t_mul(x, -5), t_mul(t_randn(100, 1), 0.1));
    const double rates[] = {0.1, 0.03};
    for_range (i, 2) {
        const double lr = rates[i];
        const char *log_dir = t_format("build/runs/lr%g", lr);
        tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(log_dir, .flush_secs = 10);
        nn_Linear *model = nn_Linear(1, 1);
        optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = lr);
        const double loss = train_model(10, model, optimizer, x, y, writer);
        tensorboard_add_graph(writer, model, x);
        tensorboard_add_text(writer, "model", "a **line** through 100 points");
        tensorboard_add_image(writer, "points", t_add(t_div(t_view(y, 10, 10), 50), 0.5), 0, .dataformats = "HW");
        tensorboard_add_pr_curve(writer, "above zero", t_gt(y, 0), t_sigmoid(nn_call(model, x)), 0);
        t_TensorDict *hparams = t_dict(), *metrics = t_dict();
        t_dict_set(hparams, "lr", lr);
        t_dict_set(metrics, "hparam/loss", loss);
        tensorboard_add_hparams(writer, hparams, metrics, .run_name = "hparams");
        tensorboard_flush(writer);
        tensorboard_close(writer);
    }
    return 0;
}
