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

/* ---- data ---- */

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
        shapes(x, 2, 5, 2, 4);
        indexing(x, t_rand(5, 8), t_ones(2, 5, .dtype = t_int64), t_list(t_rand(2, 4, 5, 5)), 3);
        autograd(x, t_sum(x));
        modules(8, 10);
        data();
        printing(t_rand(2), t_tensor("0.5"), t_tensor("0.25"));
        pictures(t_softmax(t_rand(5, 5), -1), t_rand(10));
    }
    printf("%d lines of the guide gave what they should\n", checked);
    return checked == 18 ? 0 : 1;
}
