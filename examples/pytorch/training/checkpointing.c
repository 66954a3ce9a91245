/* examples/pytorch/training/checkpointing.c: activation checkpointing (torch.utils.checkpoint): what the backward needs
 * is not kept but computed again, which takes a second forward and less memory.
 *
 * Difficulty: **     Read first: autograd/saved_tensors_hooks     Read next: text/transformer_language_model */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { BLOCKS = 6 };
static int calls = 0;

typedef struct Block {
    nn_Module base;
    nn_LayerNorm *norm;
    nn_Linear *linear1, *linear2;
    nn_Dropout *dropout;
} Block;

static Tensor *block_call(Block *self, Tensor *x) {
    calls += 1;
    Tensor *h = t_relu(nn_call(self->linear1, nn_call(self->norm, x)));
    h = nn_call(self->dropout, nn_call(self->linear2, h));
    return t_add(x, h);
}

static Block *block(int64_t width, double dropout) {
    Block *self = nn_module(Block, block_call);
    nn_set(self, norm, nn_LayerNorm(width));
    nn_set(self, linear1, nn_Linear(width, 4 * width));
    nn_set(self, linear2, nn_Linear(4 * width, width));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

typedef struct Net {
    nn_Module base;
    bool use_checkpoint;
    nn_ModuleList *blocks;
    nn_Linear *head;
} Net;

/* The block as a function of x */
static Tensor *run_block(Tensor *x, void *block) {
    return nn_call(block, x);
}

static Tensor *net_call(Net *self, Tensor *x) {
    for_module (block, self->blocks) {
        if (self->use_checkpoint) x = t_checkpoint(run_block, x, .context = block);
        else x = nn_call(block, x);
    }
    return nn_call(self->head, x);
}

static Net *net(int64_t width, double dropout) {
    Net *self = nn_module(Net, net_call);
    self->use_checkpoint = false;
    nn_set(self, blocks, nn_ModuleList());
    for_range (i, BLOCKS) nn_append(self->blocks, block(width, dropout));
    nn_set(self, head, nn_Linear(width, 1));
    return self;
}

static t_TensorList *gradients(Net *model, Tensor *x) {
    calls = 0;
    t_manual_seed(1);
    nn_zero_grad(model);
    Tensor *out = nn_call(model, x);
    printf("calls in the forward: %d\n", calls);
    t_backward(t_mean(t_square(out)));
    printf("calls with the backward: %d\n", calls);
    printf("next random number: %.4f\n", t_item(t_rand(1)));
    t_TensorList *grads = t_list();
    for_parameters (p, model) t_list_append(grads, t_clone(t_grad(p)));
    return grads;
}

static void compare(t_TensorList *a, t_TensorList *b) {
    int equal = 0;
    for_range (i, a->len) equal += t_allclose(t_list_get(a, i), t_list_get(b, i));
    printf("%d of %d gradients agree\n", equal, (int)a->len);
}

static void blocks(void) {
    Net *model = net(32, 0.1);
    Tensor *x = t_randn(64, 32);
    t_TensorList *grads = gradients(model, x);
    model->use_checkpoint = true;
    t_TensorList *grads_checkpointed = gradients(model, x);
    compare(grads, grads_checkpointed);
}

static void sequential(void) {
    nn_Sequential *model =
        nn_Sequential(nn_Linear(100, 50), nn_ReLU(), nn_Linear(50, 20), nn_ReLU(), nn_Linear(20, 5), nn_ReLU());
    Tensor *input_var = t_randn(1, 100, .requires_grad = true);

    int segments = 2;
    Tensor *out = t_checkpoint_sequential(model, segments, input_var);
    nn_zero_grad(model);
    t_backward(t_sum(out));
    t_print(t_detach(out));
    t_TensorList *grad_checkpointed = t_list();
    for_parameters (p, model) t_list_append(grad_checkpointed, t_clone(t_grad(p)));

    Tensor *out_not_checkpointed = nn_call(model, input_var);
    nn_zero_grad(model);
    t_backward(t_sum(out_not_checkpointed));
    t_print(t_allclose(out_not_checkpointed, out));
    t_TensorList *grad = t_list();
    for_parameters (p, model) t_list_append(grad, t_clone(t_grad(p)));
    compare(grad, grad_checkpointed);
}

static Tensor *run_first_half(Tensor *a, Tensor *b) {
    return t_cos(t_mul(t_exp(a), b));
}

static void without_the_random_state(void) {
    Tensor *a = t_randn(3, .requires_grad = true);
    Tensor *b = t_randn(3, .requires_grad = true);
    Tensor *y = t_checkpoint(run_first_half, t_list(a, b), .use_reentrant = false, .preserve_rng_state = false);
    t_backward(t_sum(y));
    t_print(t_grad(a));
    t_print(t_grad(b));
}

static void training(void) {
    Net *model = net(64, 0.1);
    model->use_checkpoint = true;
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = 1e-3);
    Tensor *x = t_randn(256, 64);
    Tensor *y = t_div(t_sum(t_sin(x), 1, .keepdim = true), 8);
    for_range (step, 60) {
        Tensor *loss = F_mse_loss(nn_call(model, x), y);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        if (step % 10 == 9) printf("step %d: %.4f\n", (int)step + 1, t_item(loss));
    }
}

int main(void) {
    t_manual_seed(0);
    blocks();
    sequential();
    without_the_random_state();
    training();
    return 0;
}
