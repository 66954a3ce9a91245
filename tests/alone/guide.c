/* tests/alone/guide.c: every C line of the tables in examples/README.md, compiled and run. tests/check_readme.sh holds the
 * tables to this file: a cell must stand here, letter by letter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

static int checked;
#define SHAPE(x, text) (checked += strcmp(t_size_repr(x), "torch.Size(" text ")") == 0 ? 1 : (printf("%s:%d: %s\n", __FILE__, __LINE__, t_size_repr(x)), exit(1), 0))

/* ---- tensors ---- */

static void creation(int64_t B, int64_t S, int64_t D, int64_t V) {
    Tensor *x;
    t_manual_seed(42);
    x = t_rand(2, 4, 5, 8);
    x = t_randn(B, S, D);
    SHAPE(x, "[2, 5, 8]");
    x = t_randint(0, V, 32, 10);
    x = t_ones(2, 1, 1, 5);
    x = t_zeros(100, D);
    x = t_full(B, 1, .fill_value = 1, .dtype = t_int64);
    SHAPE(x, "[2, 1]");
    x = t_arange(0, D, 2);
    x = t_float(t_arange(0, 100));
    x = t_bool(t_triu(t_ones(S, S), 1));
    x = t_tensor("[[1, 2], [3, 4]]");
    x = t_clone(x);
    SHAPE(x, "[2, 2]");
    double losses[3] = {0.5, 0.25, 0.125};
    x = t_tensor(losses, 3);
    SHAPE(x, "[3]");
    checked += t_item(t_tensor(3.5)) == 3.5;
    x = t_expand(t_unsqueeze(t_arange(S), 0), B, S);
    SHAPE(x, "[2, 5]");
}

static void maths(Tensor *q, Tensor *k, int64_t d_k, Tensor *logits) {
    Tensor *y, *predicted;
    y = t_matmul(q, t_transpose(k, -2, -1));
    y = t_div(y, sqrt((double)d_k));
    y = t_mul(t_einsum("bhid,bhjd->bhij", q, k), pow((double)d_k, -0.5));
    SHAPE(y, "[2, 4, 5, 5]");
    y = t_softmax(y, -1);
    y = F_softmax(y, -1);
    y = t_exp(t_mul(t_float(t_arange(0, d_k, 2)), -(log(10000.0) / (double)d_k)));
    y = t_pow(10000.0, t_div(t_neg(t_float(t_arange(0, d_k, 2))), d_k));
    y = t_sin(t_mul(t_unsqueeze(t_float(t_arange(100)), 1), y));
    SHAPE(y, "[100, 4]");
    t_max(logits, 1, .indices = &predicted);
    y = t_argmax(logits, -1, .keepdim = true);
    y = t_var(q, -1, .correction = 0, .keepdim = true);
    y = t_amax(t_abs(t_sub(q, k)), -1);
    SHAPE(y, "[2, 4, 5]");
}

static void pooling(Tensor *x, Tensor *scores, Tensor *mask, Tensor *p) {
    Tensor *predicted = t_tensor("[0, 1, 1]"), *labels = t_tensor("[0, 0, 1]");
    scores = t_masked_fill(scores, t_logical_not(mask), -INFINITY);
    Tensor *weights = t_softmax(scores, -1);
    SHAPE(t_sum(t_mul(t_unsqueeze(weights, -1), x), 1), "[2, 8]");
    t_backward(t_sum(t_mul(p, 2)));
    checked += t_item(t_sqrt(t_sum(t_square(t_grad(p))))) == 4;
    checked += t_item(t_sum(t_eq(predicted, labels))) == 2;
}

static void comparisons(Tensor *scores, Tensor *mask, Tensor *seq, Tensor *a, Tensor *b) {
    bool yes;
    scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    yes = t_is_true(t_eq(t_at(seq, "{}", 0), t_at(seq, "{}", 1)));
    a = t_logical_or(a, b);
    a = t_logical_and(a, t_logical_not(b));
    a = t_all(a, -1, .keepdim = true);
    yes = t_is_true(t_any(t_isnan(scores)));
    checked += !yes;
}

static void shapes(Tensor *x, int64_t B, int64_t S, int64_t H, int64_t d) {
    Tensor *q, *k, *v, *y;
    int64_t n;
    n = t_size(x, -1);
    n = t_shape(x)[1];
    n = t_numel(x);
    y = t_view(x, B, -1, H, d);
    y = t_transpose(y, 1, 2);
    y = t_view(t_contiguous(t_transpose(y, 1, 2)), B, S, H * d);
    y = t_reshape(y, B, S, H, d);
    y = t_unsqueeze(y, 1);
    y = t_expand(t_ones(B, 1, 1, S), -1, H, S, S);
    y = t_repeat(t_ones(B, 1, S, S), 1, H, 1, 1);
    SHAPE(y, "[2, 2, 5, 5]");
    t_TensorList *qkv = t_chunk(t_cat(t_list(x, x, x), -1), 3, -1);
    q = t_list_get(qkv, 0), k = t_list_get(qkv, 1), v = t_list_get(qkv, 2);
    double values[80];
    Tensor *w = t_mean(x);
    checked += t_tolist(x, values, 80) == 80;
    t_TensorList *attns = t_list();
    t_list_append(attns, w);
    checked += t_list_get(attns, -1) == w;
    y = t_mean(x);
    y = t_mean(x, 1);
    y = t_sum(x, -1);
    y = t_float(t_eq(x, 0));
    y = t_long(x);
    y = t_detach(x);
    y = t_transpose(t_at(x, "0"), 0, 1);
    SHAPE(y, "[8, 5]");
    checked += n == t_numel(q) && t_equal(k, v) && t_item(t_sum(t_sub(q, k))) == 0;
}

static void indexing(Tensor *x, Tensor *pe, Tensor *ids, t_TensorList *attention_weights, int64_t n) {
    Tensor *y;
    t_set(pe, ":, 0::2", t_sin(t_at(pe, ":, 0::2")));
    t_set(ids, "1, 3:", 0);
    t_set(ids, "{}, {}:", 1, n, 0);
    t_set(ids, "{}, {}", 0, n, 7);
    checked += t_item_int64(t_at(ids, "0, {}", n)) == 7 && t_item_int64(t_sum(ids)) == 4 + 7 + n;
    y = t_at(x, ":, :{}, :", n);
    y = t_at(x, "0, :4, :");
    y = t_at(pe, ":, {}", n);
    y = t_at(pe, ":4, :4");
    y = t_at(x, ":, 0, :");
    y = t_at(ids, ":, None, None, :");
    SHAPE(y, "[2, 1, 1, 5]");
    y = t_at(t_list_get(attention_weights, 0), "0, {}", n);
    SHAPE(y, "[5, 5]");
}

static void autograd(Tensor *x, Tensor *loss) {
    t_backward(loss);
    checked += t_requires_grad(x) && t_grad(x) != NULL;
    with_no_grad() {
        x = t_mul(x, 2);
    }
    checked += !t_requires_grad(x);
}

/* ---- modules ---- */

typedef struct Net {
    nn_Module base;
    nn_Linear *fc1;
    nn_LayerNorm *norm;
    nn_Dropout *dropout;
    nn_ModuleList *layers;
    Tensor *gamma, *pe;
} Net;

Tensor *net_call(Net *self, Tensor *x) {
    x = nn_call(self->fc1, x);
    for_module (layer, self->layers) x = nn_call(layer, x);
    return nn_call(self->dropout, t_mul(nn_call(self->norm, x), self->gamma));
}

/* A forward of its own shape, with a gate. */
typedef struct Gated {
    nn_Module base;
    nn_ModuleList *layers;
    Tensor *alpha, *weights;
} Gated;

static Gated *gated(int64_t d_model, int64_t n_heads) {
    Gated *self = nn_module(Gated, NULL);
    if (d_model % n_heads) return t_fail("d_model %d is no multiple of %d", (int)d_model, (int)n_heads);
    nn_set(self, layers, nn_ModuleList(nn_Linear(d_model, d_model)));
    nn_set(self, alpha, nn_Parameter(t_zeros(1)));
    nn_init_normal_(self->alpha, .std = 0.02);
    return self;
}

static Tensor *gated_call(Gated *self, Tensor *x, Tensor **weights) {
    Tensor *attn = nn_call(nn_get(self->layers, 0), x), *w = t_softmax(attn, -1);
    nn_keep(self, weights, w);
    *weights = w;
    checked += nn_len(self->layers) == 1;
    return t_add(x, t_mul(t_tanh(self->alpha), attn));
}

Net *net(int64_t D, int64_t n_layers, double dropout) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, fc1, nn_Linear(D, D, .bias = false));
    nn_set(self, norm, nn_LayerNorm(D, .eps = 1e-12));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, n_layers) nn_append(self->layers, nn_Linear(D, D));
    nn_set(self, gamma, nn_Parameter(t_ones(D)));
    Tensor *pe = t_zeros(1, 100, D);
    nn_register_buffer(self, pe, pe);
    return self;
}

static void modules(int64_t D, int64_t V) {
    Net *model = net(D, 2, 0.1);
    Tensor *x = t_randn(2, 5, D);
    nn_Embedding *tok = nn_Embedding(V, D, .padding_idx = 1);
    nn_Sequential *head = nn_Sequential(nn_Linear(D, 2 * D), nn_GELU(), nn_Linear(2 * D, 2));
    nn_Softmax *softmax = nn_Softmax(.dim = -1);
    nn_ReLU *relu = nn_ReLU();
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    x = nn_call(model, x);
    x = nn_call(head, t_mean(nn_call(relu, x), 1));
    Tensor *loss = nn_call(criterion, x, t_tensor("[0, 1]"));
    nn_train(model);
    nn_eval(model);
    int64_t total = nn_count_parameters(model, false);
    for_named (child, nn_named_children(model)) total -= nn_count_parameters(child->module, false);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.001);
    optim_zero_grad(optimizer);
    t_backward(loss);
    optim_step(optimizer);
    nn_print(model);
    SHAPE(nn_call(softmax, nn_call(tok, t_tensor("[1, 2]"))), "[2, 8]");
    checked += total == D;
}

static double warm_up(int64_t s, void *context) {
    return fmin(1, (double)(s + 1) / *(double *)context);
}

/* Weight decay for what is no bias, and a rate that rises. */
static void groups(int64_t D) {
    Gated *model = gated(D, 2);
    Tensor *weights, *q = nn_Parameter(t_mul(t_randn(D), 0.02)), *x = gated_call(model, t_rand(2, D), &weights);
    t_TensorList *decay = t_list(), *rest = t_list(q);
    for_named (p, nn_named_parameters(model)) {
        if (t_dim(p->tensor) > 1) nn_init_xavier_uniform_(p->tensor);
        printf("%-20s %8d\n", p->name, (int)t_numel(p->tensor));
        t_list_append(t_dim(p->tensor) > 1 ? decay : rest, p->tensor);
    }
    double warmup = 4;
    optim_Optimizer *optimizer = optim_AdamW(decay, .lr = 5e-3, .weight_decay = 0.1);
    optim_add_param_group(optimizer, rest, .weight_decay = 0);
    optim_LRScheduler *scheduler = optim_LambdaLR(optimizer, warm_up, .context = &warmup);
    t_backward(t_sum(x));
    nn_utils_clip_grad_norm_(nn_parameters(model), 1.0);
    optim_step(optimizer);
    optim_scheduler_step(scheduler);
    checked += decay->len == 1 && rest->len == 3 && optim_get_last_lr(scheduler)[0] == 5e-3 / 2;
    SHAPE(weights, "[2, 8]");
}

/* ---- data ---- */

/* A dataset of tensors. */
typedef struct Pairs {
    Tensor *ids, *labels;
} Pairs;

static int64_t pairs_len(void *context) {
    return t_size(((Pairs *)context)->ids, 0);
}

static bool pairs_getitem(void *context, int64_t idx, Tensor **x, Tensor **y) {
    Pairs *self = context;
    *x = t_at(self->ids, "{}", idx);
    *y = t_at(self->labels, "{}", idx);
    return true;
}

static void pairs(int64_t n) {
    Pairs self = {t_randint(0, 5, 6, 4), t_arange(6)};
    data_DataLoader *loader = data_DataLoader(data_Dataset(pairs_len, pairs_getitem, .context = &self), 3);
    int64_t batches = 0;
    for_batch (each, loader) {
        SHAPE(t_at(each.x, ":, :{}", n), "[3, 2]");
        batches += each.index + 1;
    }
    checked += data_len(loader) == 2 && batches == 3;
}

static int64_t squares_len(void *context) {
    return *(int64_t *)context;
}

static bool squares_getitem(void *context, int64_t idx, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_full(2, .fill_value = (double)idx);
    *y = t_integer(idx * idx);
    return true;
}

static void data(void) {
    int64_t num_samples = 10;
    Tensor *x, *y;
    data_Dataset *dataset = data_Dataset(squares_len, squares_getitem, .context = &num_samples);
    data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 4, .shuffle = true);
    data_dataset_get(dataset, 0, &x, &y);
    int64_t n = data_dataset_len(dataset);
    data_Batch batch = data_first(loader);
    for_batch (each, loader) n -= t_size(each.x, 0);
    checked += n == 0 && t_size(batch.y, 0) == 4;
}

/* ---- printing ---- */

static void printing(Tensor *x, Tensor *loss, Tensor *accuracy) {
    t_print(x);
    puts(t_size_repr(x));
    printf("%s\n", t_size_repr(x));
    printf("%.4f\n", t_item(loss));
    printf("%.2f%%\n", 100 * t_item(accuracy));
}

/* ---- pictures ---- */

static void curve(void) {
    double losses[3];
    for_range (step, 0, 3) {
        Tensor *loss = t_rand(1);
        losses[step] = t_item(loss);
    }
    plt_plot(t_tensor(losses, 3));
    plt_grid(.alpha = 0.3);
    plt_close();
}

static void pictures(Tensor *attn, Tensor *losses) {
    static const char *const tokens[] = {"The", "cat", "sat", "on", "the"};
    plt_rcParams("axes.unicode_minus", "False");
    plt_figure(.figsize = {12, 6});
    plt_subplot(1, 2, 1);
    plt_imshow(attn, .cmap = "RdBu", .aspect = "auto");
    plt_colorbar();
    plt_subplot(1, 2, 2);
    plt_plot(losses, .label = "loss");
    plt_legend();
    plt_xlabel("Position");
    plt_ylabel("Value");
    plt_title("Positional Encoding Curves");
    plt_tight_layout();
    plt_savefig("build/guide.svg", .dpi = 100, .bbox_inches = "tight");
    plt_close();
    plt_figure();
    sns_heatmap(attn, .cmap = "Blues", .annot = true, .fmt = ".2f", .square = true, .cbar = true);
    plt_close();
    sns_heatmap(attn, .xticklabels = tokens, .yticklabels = tokens);
    plt_xticks(t_arange(5), tokens, .rotation = 45);
    plt_yticks(t_arange(5), tokens, .rotation = 0);
    plt_show();
}

int main(void) {
    with_scope() {
        Tensor *q = t_rand(2, 4, 5, 8), *k = t_rand(2, 4, 5, 8), *x = t_rand(2, 5, 8, .requires_grad = true);
        creation(2, 5, 8, 20);
        maths(q, k, 8, t_rand(3, 2));
        comparisons(t_rand(5, 5), t_ones(5, 5), t_tensor("[1, 2]"), t_eq(q, 0), t_eq(k, 0));
        pooling(x, t_rand(2, 5), t_tensor("[[True, True, True, False, False], [True, True, True, True, True]]"), nn_Parameter(t_ones(4)));
        shapes(x, 2, 5, 2, 4);
        indexing(x, t_rand(5, 8), t_ones(2, 5, .dtype = t_int64), t_list(t_rand(2, 4, 5, 5)), 3);
        autograd(x, t_sum(x));
        modules(8, 10);
        groups(8);
        data();
        pairs(2);
        curve();
        printing(t_rand(2), t_tensor("0.5"), t_tensor("0.25"));
        pictures(t_softmax(t_rand(5, 5), -1), t_rand(10));
    }
    printf("%d lines of the guide gave what they should\n", checked);
    return checked == 32 ? 0 : 1;
}
