/* tests/interop/event_files.c: writes event files into a folder, for event_files.py, which reads them.
 * interop_tensorboard FOLDER */
#include <stdio.h>
#include <stdlib.h>

#include "core/plot/plot.h"
#include "nn/nn.h"
#include "tests/support/files/event_support.h"

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_Sequential *head;
    nn_BatchNorm2d *norm;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = F_max_pool2d(F_relu(nn_call(self->norm, nn_call(self->conv1, x))), 2);
    return nn_call(self->head, t_add(t_flatten(x, 1), 1));
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(1, 4, 3, .padding = 1));
    nn_set(self, norm, nn_BatchNorm2d(4));
    nn_set(self, head, nn_Sequential(nn_Linear(4 * 4 * 4, 16), nn_ReLU(), nn_Linear(16, 10)));
    return self;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "interop_tensorboard FOLDER\n");
        return EXIT_FAILURE;
    }
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(t_format("%s/events", argv[1]));
    if (!write_events(writer) || !write_pictures(writer) || !write_folders(writer)) return EXIT_FAILURE;
    tensorboard_close(writer);
    writer = tensorboard_SummaryWriter(t_format("%s/graph", argv[1]));
    tensorboard_add_graph(writer, net(), t_randn(2, 1, 8, 8));
    tensorboard_close(writer);
    writer = tensorboard_SummaryWriter(t_format("%s/onnx", argv[1]));
    tensorboard_add_onnx_graph(writer, "tests/golden/onnx_graph.onnx.bin");
    tensorboard_close(writer);
    writer = tensorboard_SummaryWriter(t_format("%s/video", argv[1]));
    Tensor *bytes = t_view(t_to(t_remainder(t_mul(t_arange(2 * 3 * 6 * 8), 7), 256), t_uint8), (2, 3, 1, 6, 8));
    Tensor *n = t_remainder(t_mul(t_arange(2 * 3 * 48 * 64), 7919), 5003);
    Tensor *colours = t_to(t_div(t_to(n, t_float64), 5003), t_float32);
    tensorboard_add_video(writer, "video",
                          t_div(t_round(t_mul(event_values((const int64_t[]){3, 5, 3, 6, 8}, 5), 4)), 4));
    tensorboard_add_video(writer, "video/bytes", bytes);
    tensorboard_add_video(writer, "video/colours", t_view(colours, (1, 2, 3, 48, 64)));
    plt_plot(t_arange(10));
    plt_title("squares");
    tensorboard_add_figure(writer, "figure", 1);
    tensorboard_close(writer);
    writer = tensorboard_SummaryWriter(t_format("%s/again", argv[1]), .purge_step = 3);
    tensorboard_add_scalar(writer, "x", 1.5, 3);
    tensorboard_close(writer);
    return EXIT_SUCCESS;
}
