/* tests/programs/guide_tensorboard.c: the lines of examples/PARITY.md on torch.utils.tensorboard, compiled and run. */
#include "core/tensorboard/tensorboard.h"

#include "tests/programs/guide.h"

static void write_run(void) {
    const int step = 3;
    const char *const names[] = {"a", "b", "c"};
    nn_Linear *model = nn_Linear(4, 2);
    Tensor *features = t_rand(3, 4), *loss = t_tensor(0.5), *image = t_rand(5, 6, 3), *labels = t_tensor("[0, 1, 1]");
    Tensor *predictions = t_tensor("[0.25, 0.5, 0.75]");
    t_TensorDict *losses = t_dict(), *hparams = t_dict(), *metrics = t_dict();
    t_dict_set(losses, "train", loss);
    t_dict_set(hparams, "lr", 0.1);
    t_dict_set(metrics, "hparam/loss", loss);
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter("build/guide_runs", .flush_secs = 10);
    checked += tensorboard_add_scalar(writer, "Loss/train", loss, step);
    checked += tensorboard_add_scalars(writer, "loss", losses, step);
    checked += tensorboard_add_histogram(writer, "weight", model->weight, step, .bins = "auto");
    checked += tensorboard_add_image(writer, "image", image, step, .dataformats = "HWC");
    checked += tensorboard_add_text(writer, "note", "a **bold** word", step);
    checked += tensorboard_add_hparams(writer, hparams, metrics, .run_name = "first");
    checked += tensorboard_add_pr_curve(writer, "curve", labels, predictions, step);
    checked += tensorboard_add_embedding(writer, features, .metadata = names);
    checked += tensorboard_add_custom_scalars(writer, {"all", "losses", "Multiline", {"Loss/train", "Loss/test"}});
    checked += tensorboard_add_graph(writer, model, features);
    checked += tensorboard_add_onnx_graph(writer, "tests/golden/onnx_graph.onnx.bin");
    Tensor *boxes = t_tensor("[[1.0, 1.0, 4.0, 3.0]]"), *frames = t_rand(1, 2, 3, 4, 5), *points = t_rand(1, 7, 3);
    plt_plot(t_arange(3));
    checked += tensorboard_add_figure(writer, "figure", step);
    checked += tensorboard_add_image_with_boxes(writer, "boxes", image, boxes, step, .dataformats = "HWC");
    checked += tensorboard_add_video(writer, "video", frames, step, .fps = 4);
    checked += tensorboard_add_mesh(writer, "mesh", points, .global_step = step);
    checked += tensorboard_flush(writer);
    checked += strcmp(tensorboard_get_logdir(writer), "build/guide_runs") == 0;
    checked += tensorboard_close(writer);
}

int main(void) {
    (void)!system("rm -rf build/guide_runs"); /* of an earlier run */
    write_run();
    return all_checked(18);
}
