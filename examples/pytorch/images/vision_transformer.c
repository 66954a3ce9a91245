/* examples/pytorch/images/vision_transformer.c: a Vision Transformer from scratch (Dosovitskiy et al., "An image is
 * worth 16x16 words", 2021): an image is a sentence of patches. It is trained on small images that the program makes.
 *
 * Difficulty: ***     Read first: super_resolution     Read next: text/transformer_language_model */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum {
    image_size = 24,
    patch_size = 4,
    dim = 48,
    depth = 3,
    heads = 4,
    mlp_dim = 96,
    num_classes = 10,
    num_epochs = 4
};

/* ---- The patches as tokens: a convolution whose windows do not overlap ---- */

typedef struct PatchEmbedding {
    nn_Module base;
    int64_t num_patches;
    nn_Conv2d *proj;
} PatchEmbedding;

static Tensor *patch_embedding_call(PatchEmbedding *self, Tensor *x) {
    x = nn_call(self->proj, x); /* (B, dim, 6, 6) */
    x = t_flatten(x, 2);
    return t_transpose(x, 1, 2); /* (B, 36, dim) */
}

static PatchEmbedding *patch_embedding(int64_t in_channels) {
    PatchEmbedding *self = nn_module(PatchEmbedding, patch_embedding_call);
    self->num_patches = (image_size / patch_size) * (image_size / patch_size);
    nn_set(self, proj, nn_Conv2d(in_channels, dim, .kernel_size = patch_size, .stride = patch_size));
    return self;
}

/* ---- The encoder ---- */

typedef struct Block {
    nn_Module base;
    nn_LayerNorm *norm1, *norm2;
    nn_MultiheadAttention *attn;
    nn_Sequential *mlp;
} Block;

static Tensor *block_call(Block *self, Tensor *x) {
    Tensor *y = nn_call(self->norm1, x);
    y = nn_MultiheadAttention_call(self->attn, y, y, y, .need_weights = false);
    x = t_add(x, y);
    x = t_add(x, nn_call(self->mlp, nn_call(self->norm2, x)));
    return x;
}

static Block *block(double dropout) {
    Block *self = nn_module(Block, block_call);
    nn_set(self, norm1, nn_LayerNorm(dim));
    nn_set(self, attn, nn_MultiheadAttention(dim, heads, .dropout = dropout, .batch_first = true));
    nn_set(self, norm2, nn_LayerNorm(dim));
    nn_set(self, mlp,
           nn_Sequential(nn_Linear(dim, mlp_dim), nn_GELU(), nn_Dropout(dropout), nn_Linear(mlp_dim, dim),
                         nn_Dropout(dropout)));
    return self;
}

typedef struct VisionTransformer {
    nn_Module base;
    PatchEmbedding *patch_embed;
    Tensor *cls_token, *pos_embed;
    nn_Dropout *dropout;
    nn_ModuleList *blocks;
    nn_LayerNorm *norm;
    nn_Linear *head;
} VisionTransformer;

static Tensor *vision_transformer_call(VisionTransformer *self, Tensor *x) {
    x = nn_call(self->patch_embed, x);
    Tensor *cls_tokens = t_expand(self->cls_token, t_shape(x)[0], -1, -1);
    x = t_cat(t_list(cls_tokens, x), 1);
    x = nn_call(self->dropout, t_add(x, self->pos_embed));
    for_module (each, self->blocks) x = nn_call(each, x);
    x = nn_call(self->norm, x);
    return nn_call(self->head, t_at(x, ":, 0"));
}

static VisionTransformer *vision_transformer(int64_t in_channels, double dropout) {
    VisionTransformer *self = nn_module(VisionTransformer, vision_transformer_call);
    nn_set(self, patch_embed, patch_embedding(in_channels));
    nn_set(self, cls_token, nn_Parameter(t_zeros(1, 1, dim)));
    nn_set(self, pos_embed, nn_Parameter(t_zeros(1, self->patch_embed->num_patches + 1, dim)));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, blocks, nn_ModuleList());
    for_range (_, depth) nn_append(self->blocks, block(dropout));
    nn_set(self, norm, nn_LayerNorm(dim));
    nn_set(self, head, nn_Linear(dim, num_classes));
    nn_init_trunc_normal_(self->cls_token, .std = 0.02);
    nn_init_trunc_normal_(self->pos_embed, .std = 0.02);
    return self;
}

/* The same tokens without a convolution: the patches as vectors, and a linear layer. */
static void compare_with_unfold(VisionTransformer *model, Tensor *images) {
    Tensor *patches = t_transpose(F_unfold(images, .kernel_size = patch_size, .stride = patch_size), 1, 2);
    printf("patches %s\n", t_size_repr(patches));
    nn_Conv2d *proj = model->patch_embed->proj;
    Tensor *tokens = F_linear(patches, t_flatten(proj->weight, 1), proj->bias);
    printf("tokens %s\n", t_size_repr(tokens));
    puts(t_allclose(tokens, nn_call(model->patch_embed, images), .atol = 1e-5) ? "True" : "False");
}

/* ---- Training ---- */

static double train(VisionTransformer *model, data_DataLoader *loader, optim_Optimizer *optimizer,
                    nn_CrossEntropyLoss *criterion, int epoch) {
    nn_train(model);
    double total_loss = 0.0;
    for_batch (b, loader) {
        optim_zero_grad(optimizer);
        Tensor *outputs = nn_call(model, b.x);
        Tensor *loss = nn_call(criterion, outputs, b.y);
        t_backward(loss);
        optim_step(optimizer);
        total_loss += t_item(loss);
        if (epoch == 0 && b.index % 4 == 0) printf("step %d: loss %.4f\n", (int)b.index, t_item(loss));
    }
    return total_loss / (double)data_len(loader);
}

static double evaluate(VisionTransformer *model, data_DataLoader *loader) {
    nn_eval(model);
    double correct = 0;
    double total = 0;
    with_no_grad () {
        for_batch (b, loader) {
            Tensor *predicted = t_argmax(nn_call(model, b.x), .dim = 1);
            total += (double)t_size(b.y, 0);
            correct += t_item(t_sum(t_eq(predicted, b.y)));
        }
    }
    return correct / total;
}

static data_Dataset *images_of(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(n, 3, image_size, 0.4, &images, &labels);
    return data_TensorDataset(t_list(images, labels));
}

static void run(void) {
    data_DataLoader *train_loader = data_DataLoader(images_of(1500), .batch_size = 50, .shuffle = true);
    data_DataLoader *test_loader = data_DataLoader(images_of(500), .batch_size = 100);

    VisionTransformer *model = vision_transformer(3, 0.1);
    nn_print(model);
    printf("parameters: %d\n", (int)nn_count_parameters(model, false));
    compare_with_unfold(model, data_first(test_loader).x);

    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = 2e-3, .weight_decay = 0.05);
    optim_LRScheduler *scheduler = optim_CosineAnnealingLR(optimizer, .T_max = num_epochs);

    for_range (epoch, num_epochs) {
        double loss = train(model, train_loader, optimizer, criterion, (int)epoch);
        double accuracy = evaluate(model, test_loader);
        printf("epoch %d: loss %.4f, accuracy %.3f, lr %.6f\n", (int)epoch + 1, loss, accuracy,
               optim_get_last_lr(scheduler)[0]);
        optim_scheduler_step(scheduler);
    }
}

int main(void) {
    t_manual_seed(42);
    run();
    return 0;
}
