/* examples/char_gpt/train.c: the learning rate, a training step, the batches, and the loss on held-out text. */
#include <math.h>
#include <string.h>

#include "char_gpt.h"

/* The factor of lr at a step: linear up to 1 in the warm-up, then along half a cosine down to `least`. */
double learning_rate(int64_t step, void *recipe) {
    const Recipe *r = recipe;
    if (step < r->warmup) return (double)(step + 1) / (double)r->warmup;
    if (step >= r->steps) return r->least;
    double progress = (double)(step - r->warmup) / (double)(r->steps - r->warmup);
    return r->least + (1 - r->least) * 0.5 * (1 + cos(acos(-1.0) * progress));
}

void begin_training(Training *self, GPT *model, const Recipe *recipe, int64_t capacity) {
    *self = (Training){.model = model, .recipe = *recipe, .curves = t_zeros(capacity, 3)};
    /* matrices are pulled towards 0; biases and the factors of norms are not */
    t_TensorList *decay = t_list(), *rest = t_list();
    for_named (p, nn_named_parameters(model)) t_list_append(t_dim(p->tensor) >= 2 ? decay : rest, p->tensor);
    self->optimizer = optim_AdamW(decay, .lr = recipe->lr, .betas = {0.9, 0.99}, .weight_decay = recipe->weight_decay);
    optim_add_param_group(self->optimizer, rest, .weight_decay = 0);
    self->scheduler = optim_LambdaLR(self->optimizer, learning_rate, .context = &self->recipe);
}

double train_step(Training *self, Tensor *x, Tensor *y) {
    double value;
    nn_train(self->model);
    with_scope() {
        Tensor *logits = gpt_call(self->model, x, NULL);
        Tensor *loss = F_cross_entropy(t_flatten(logits, 0, 1), t_flatten(y));
        optim_zero_grad(self->optimizer);
        t_backward(loss);
        nn_utils_clip_grad_norm_(nn_parameters(self->model), self->recipe.grad_clip);
        optim_step(self->optimizer);
        optim_scheduler_step(self->scheduler);
        value = t_item(loss);
    }
    self->step++;
    return value;
}

bool draw_batch(Tensor *ids, int64_t B, int64_t T, Tensor **x, Tensor **y) {
    int64_t n = t_numel(ids);
    if (n <= T)
        return t_fail("a text of %lld characters is too short for a context of %lld", (long long)n, (long long)T);
    const int64_t *from = t_data_ptr(ids), *at = t_data_ptr(t_randint(0, n - T, B));
    *x = t_empty(B, T, .dtype = t_int64);
    *y = t_empty(B, T, .dtype = t_int64);
    int64_t *inputs = t_data_ptr_mut(*x), *targets = t_data_ptr_mut(*y);
    for (int64_t b = 0; b < B; b++) {
        memcpy(inputs + b * T, from + at[b], (size_t)T * sizeof *from);
        memcpy(targets + b * T, from + at[b] + 1, (size_t)T * sizeof *from);
    }
    return true;
}

double evaluate(GPT *model, Tensor *ids) {
    double sum = 0;
    int64_t T = model->config.n_positions, windows = (t_numel(ids) - 1) / T, at_once = 32;
    bool training = model->base.training;
    nn_eval(model);
    with_no_grad() for (int64_t i = 0; i < windows; i += at_once) with_scope() {
        int64_t B = windows - i < at_once ? windows - i : at_once, from = i * T, to = from + B * T;
        Tensor *logits = gpt_call(model, t_view(t_at(ids, "{}:{}", from, to), B, T), NULL);
        sum += (double)B * t_item(F_cross_entropy(t_flatten(logits, 0, 1), t_at(ids, "{}:{}", from + 1, to + 1)));
    }
    nn_train(model, training);
    return sum / (double)windows;
}
