/* tests/programs/guide_files.c: the lines of examples/PORTING.md on state dicts, files and PyTorch's own Transformer,
 * compiled and run. */
#include "core/vision/vision.h"
#include "tests/programs/guide.h"

static nn_Linear *trained(void) {
    nn_Linear *model = nn_Linear(4, 2);
    with_no_grad() t_fill_(model->bias, 0.25);
    return model;
}

static void checkpoints(nn_Linear *model, optim_Optimizer *optimizer, optim_LRScheduler *scheduler, int epoch,
                        Tensor *loss) {
    t_TensorDict *checkpoint = t_dict();
    t_dict_set(checkpoint, "epoch", epoch);
    t_dict_set(checkpoint, "loss", loss);
    t_dict_set(checkpoint, "model_state_dict", nn_state_dict(model));
    t_dict_set(checkpoint, "optimizer_state_dict", optim_state_dict(optimizer));
    t_dict_set(checkpoint, "scheduler_state_dict", optim_scheduler_state_dict(scheduler));
    t_dict_set(checkpoint, "rng_state", t_get_rng_state());
    t_save(checkpoint, "build/guide.ckpt");
    model = nn_Linear(4, 2);
    optimizer = optim_Adam(nn_parameters(model));
    scheduler = optim_StepLR(optimizer, .step_size = 2);
    checkpoint = t_load("build/guide.ckpt");
    nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model_state_dict"));
    optim_load_state_dict(optimizer, t_dict_get_dict(checkpoint, "optimizer_state_dict"));
    optim_scheduler_load_state_dict(scheduler, t_dict_get_dict(checkpoint, "scheduler_state_dict"));
    t_set_rng_state(t_dict_get(checkpoint, "rng_state"));
    epoch = (int)t_dict_get_integer(checkpoint, "epoch");
    loss = t_dict_get(checkpoint, "loss");
    checked += epoch == 3 && t_item(loss) == 0.5 && t_item(t_at(model->bias, "1")) == 0.25;
    checked += t_dict_has(checkpoint, "model_state_dict") && !t_dict_has(checkpoint, "model");
}

static void weights(nn_Linear *model) {
    safetensors_save_file(nn_state_dict(model), "build/guide.safetensors");
    nn_load_state_dict(model, safetensors_load_file("build/guide.safetensors"));
    t_TensorDict *d = nn_state_dict(model);
    SHAPE(t_dict_get(d, "weight"), "[2, 4]");
    t_dict_delete(d, "bias");
    nn_IncompatibleKeys keys;
    nn_load_state_dict(model, d, .strict = false, .keys = &keys);
    checked += keys.missing_keys->len == 1 && keys.unexpected_keys->len == 0;
    int count = 0;
    for_items (item, d) {
        count += item->tensor != NULL;
    }
    checked += count == 1;
    np_save("build/guide.npy", model->weight);
    SHAPE(np_load("build/guide.npy"), "[2, 4]");
    np_savez("build/guide.npz", d);
    SHAPE(t_dict_get(np_load_npz("build/guide.npz"), "weight"), "[2, 4]");
    np_savez_compressed("build/guide.npz", d);
    SHAPE(t_dict_get(np_load_npz("build/guide.npz"), "weight"), "[2, 4]");
}

static void images(Tensor *img) {
    io_write_png(img, "build/guide.png");
    img = io_read_image("build/guide.png", ImageReadMode_RGB);
    SHAPE(img, "[3, 2, 5]");
    Tensor *batch = t_rand(6, 1, 5, 5);
    Tensor *grid = utils_make_grid(batch, .nrow = 4);
    SHAPE(grid, "[3, 16, 30]");
    utils_save_image(grid, "build/guide.png");
}

static void transformers(Tensor *x, Tensor *src, Tensor *tgt, Tensor *pad) {
    Tensor *out, *w;
    nn_MultiheadAttention *mha = nn_MultiheadAttention(8, 2, .batch_first = true);
    out = nn_MultiheadAttention_call(mha, x, x, x, .key_padding_mask = pad, .weights = &w);
    SHAPE(out, "[2, 5, 8]");
    SHAPE(w, "[2, 5, 5]");
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(8, 2, .dim_feedforward = 16, .batch_first = true);
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(layer, 6);
    out = nn_TransformerEncoder_call(encoder, x, .src_key_padding_mask = pad);
    SHAPE(out, "[2, 5, 8]");
    nn_Transformer *transformer = nn_Transformer(.d_model = 8, .nhead = 2, .num_encoder_layers = 1,
                                                 .num_decoder_layers = 1, .dim_feedforward = 16);
    Tensor *mask = nn_Transformer_generate_square_subsequent_mask(4);
    out = nn_Transformer_call(transformer, src, tgt, .tgt_mask = mask);
    SHAPE(out, "[4, 2, 8]");
}

int main(void) {
    with_scope() {
        nn_Linear *model = trained();
        optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.5);
        checkpoints(model, optimizer, optim_StepLR(optimizer, .step_size = 2), 3, t_tensor(0.5));
        weights(model);
        images(t_zeros(1, 2, 5, .dtype = t_uint8));
        transformers(t_rand(2, 5, 8), t_rand(5, 2, 8), t_rand(4, 2, 8), t_zeros(2, 5, .dtype = t_bool));
    }
    return all_checked(14);
}
