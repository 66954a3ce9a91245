/* examples/notebook/training.c: cells 10 to 12, one step of training, its attention weights, its parameters. */
#include "notebook.h"

/* ---- 10. one training step ----
 * About two labels in three are 0, so that "always 0" beats what this prints; validation_loop() in padded_batches.c
 * shows both. */

void cell_10(EncoderClassifier *model, data_DataLoader *train_loader) {
    nn_train(model);
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.001);
    data_Batch batch = data_first(train_loader);
    Tensor *sequences = batch.x, *labels = batch.y;
    /* forward */
    optim_zero_grad(optimizer);
    t_TensorList *attention_weights;
    Tensor *logits = encoder_classifier_call(model, sequences, NULL, &attention_weights);
    Tensor *loss = nn_call(criterion, logits, labels);
    /* backward */
    t_backward(loss);
    optim_step(optimizer);
    /* how it did: the logits are those from before the step */
    Tensor *predicted;
    t_max(logits, 1, .indices = &predicted);
    Tensor *accuracy = t_mean(t_float(t_eq(predicted, labels)));
    printf("batch loss: %.4f\n", t_item(loss));
    printf("batch accuracy: %.2f%%\n", 100 * t_item(accuracy));
    printf("\none training step is done\n");
}

/* ---- 11. attention weights of one sequence ----
 * After a single step there is little to see yet: the weights lie about 1 / S (0.05 for 20 tokens), from 0.01 to 0.11.
 */

Tensor *visualize_attention(EncoderClassifier *model, Tensor *sequence, int64_t layer_idx, int64_t head_idx) {
    Tensor *attn = NULL;
    nn_eval(model);
    with_no_grad() {
        sequence = t_unsqueeze(sequence, 0);
        t_TensorList *attention_weights;
        encoder_classifier_call(model, sequence, NULL, &attention_weights);
        attn = t_at(t_list_get(attention_weights, layer_idx), "0, {}", head_idx);
    }

    plt_figure(.figsize = {8, 6});
    sns_heatmap(t_at(attn, ":10, :10"), .cmap = "Blues", .cbar = true, .square = true);
    plt_xlabel("Key Position");
    plt_ylabel("Query Position");
    plt_title(t_format("Attention Weights - Layer %d, Head %d", (int)layer_idx, (int)head_idx));
    save_plot(example.plots, t_format("attention_layer%d_head%d.svg", (int)layer_idx, (int)head_idx));
    plt_show();

    return attn;
}

Tensor *cell_11(EncoderClassifier *model, data_Dataset *val_dataset) {
    Tensor *sample_seq, *label;
    data_dataset_get(val_dataset, 0, &sample_seq, &label);
    printf("attention weights of the first head of the first layer, the first 10 positions\n");
    Tensor *attn_weights = visualize_attention(model, sample_seq, 0, 0);
    return attn_weights;
}

/* ---- 12. the model's parameters ---- */

static const char equals[] = "============================================================";

void cell_12(EncoderClassifier *model) {
    printf("%.*s\n", 50, equals);
    printf("parameters of the model\n");
    printf("%.*s\n", 50, equals);
    int64_t total_params = nn_count_parameters(model, false);
    int64_t trainable_params = nn_count_parameters(model, true);
    t_print("total:", commas(total_params));
    t_print("trainable:", commas(trainable_params));
    printf("size: %.2f MB (float32)\n", (double)total_params * 4 / 1024 / 1024);
    printf("\nby layer:\n");
    for_named (child, nn_named_children(model)) {
        int64_t params = nn_count_parameters(child->module, false);
        if (params > 0)
            printf("%s: %s (%.1f%%)\n", child->name, commas(params), (double)params / (double)total_params * 100);
    }
}
