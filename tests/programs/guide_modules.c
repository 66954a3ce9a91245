/* tests/programs/guide_modules.c: every C line of the later tables in examples/PORTING.md (modules, training, data,
 * pictures), compiled and run; guide.c has the first ones. */
#include "core/python/python.h"
#include "tests/programs/guide.h"

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

/* A user's forward, with a gate. */
typedef struct Gated {
    nn_Module base;
    nn_ModuleList *layers;
    Tensor *alpha, *weights;
} Gated;

static Gated *gated(int64_t d_model, int64_t n_heads) {
    Gated *self = nn_module(Gated, NULL);
    if (d_model % n_heads) return t_fail("d_model %d is not a multiple of %d", (int)d_model, (int)n_heads);
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

/* Two layers with one weight, and a function for each module of the tree. */
typedef struct Tied {
    nn_Module base;
    nn_Embedding *wte;
    nn_Linear *lm_head;
} Tied;

static void init_weights(nn_Module *m, void *context) {
    (void)context;
    nn_Linear *l = nn_as(m, nn_Linear);
    if (l) nn_init_zeros_(l->weight);
}

static void tied(int64_t V, int64_t D) {
    Tied *self = nn_module(Tied, NULL);
    nn_set(self, wte, nn_Embedding(V, D));
    nn_set(self, lm_head, nn_Linear(D, V, .bias = false));
    nn_set(self->wte, weight, self->lm_head->weight);
    Tied *model = self;
    nn_apply(model, init_weights);
    checked += t_item(t_sum(self->wte->weight)) == 0 && nn_count_parameters(self, false) == V * D;
}

static void lists(int64_t D) {
    Net *self = net(D, 2, 0.1), *model = self;
    Tensor *x = nn_get(self->layers, 0, nn_Linear)->weight;
    int64_t rows = 0;
    for_parameters (p, model) nn_init_normal_(p);
    t_uniform_(t_data(self->fc1->weight), -0.1, 0.1);
    for_named (p, nn_named_parameters(model)) checked += t_data_ptr(p->tensor) == NULL;
    for_list (row, t_unbind(x)) rows += t_dim(row);
    checked += rows == D;
}

static Tensor *show(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    (void)context;
    checked += t_numel(args->items[0]) == t_numel(output) && strcmp(m->type, "Linear") == 0;
    return NULL;
}
static t_TensorList *scale(nn_Module *m, t_TensorList *args, void *context) {
    (void)m, (void)context;
    return t_list(t_mul(args->items[0], 2));
}
static t_TensorList *count(nn_Module *m, t_TensorList *grad_output, void *context) {
    (void)m, (void)grad_output;
    ++*(int *)context;
    return NULL;
}
static t_TensorList *clamp(nn_Module *m, t_TensorList *grad_input, t_TensorList *grad_output, void *context) {
    (void)m, (void)grad_output, (void)context;
    return t_list(t_clamp(grad_input->items[0], -0.5, 0.5));
}

static void rename_keys(nn_Module *m, t_TensorDict *state_dict, const char *prefix, void *context) {
    (void)m;
    (void)context;
    checked += *prefix == '\0' && t_dict_has(state_dict, "weight");
}
static void loaded(nn_Module *m, const nn_IncompatibleKeys *keys, void *context) {
    (void)m;
    (void)context;
    checked += keys->missing_keys->len == 0;
}
static void before(nn_Module *m, const char *prefix, void *context) {
    (void)m;
    (void)context;
    checked += *prefix == '\0';
}

static void state_hooks(void) {
    nn_Linear *model = nn_Linear(2, 1);
    nn_register_load_state_dict_pre_hook(model, rename_keys);
    nn_register_load_state_dict_post_hook(model, loaded);
    nn_register_state_dict_post_hook(model, rename_keys);
    nn_register_state_dict_pre_hook(model, before);
    checked += nn_load_state_dict(model, nn_state_dict(model));
}

static void hooks(int64_t D) {
    nn_Linear *model = nn_Linear(D, D);
    Tensor *x = t_ones(2, D, .requires_grad = true);
    int calls = 0;
    t_Hook *h = nn_register_forward_hook(model, show);
    nn_register_forward_pre_hook(model, scale, .prepend = true);
    nn_register_full_backward_hook(model, clamp);
    nn_register_full_backward_pre_hook(model, count, &calls);
    t_Hook *all = nn_register_module_forward_hook(show);
    t_backward(t_sum(nn_call(model, x)));
    checked += calls == 1 && t_item(t_max(t_abs(t_grad(x)))) <= 1; /* the scale is outside of clamp */
    t_hook_remove(h);
    t_hook_remove(all);
    nn_summary(model, x);
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

/* Weight decay except for biases, and a rising learning rate. */
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

static void ignored(Tensor *logits, Tensor *y) {
    Tensor *loss = F_cross_entropy(logits, y, .ignore_index = 0);
    checked += t_allclose(loss, F_cross_entropy(t_at(logits, "1:"), t_at(y, "1:")));
}

/* ---- data ---- */

/* Samples of three tensors, with names. */
static t_TensorList *triples_getitem(void *context, int64_t idx) {
    Tensor *image = t_full((2, 2), (double)idx), *mask = t_gt(image, 1), *label = t_integer(idx);
    checked += context == NULL;
    return t_list(image, mask, label);
}

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
    *x = t_full((2,), (double)idx);
    *y = t_integer(idx * idx);
    return true;
}

/* Words of several lengths, the shorter ones filled up with 0. */
static bool word(void *context, int64_t idx, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_full((idx + 1,), 1);
    *y = t_integer(idx);
    return true;
}

static bool collate_fn(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
    (void)context;
    *x = nn_utils_rnn_pad_sequence(xs, .batch_first = true);
    *y = t_stack(ys);
    return true;
}

static t_TensorList *collate_batch(void *context, const data_Samples *samples) {
    (void)context;
    t_TensorList *texts = t_list(), *labels = t_list();
    Tensor *offsets = t_zeros(samples->len, .dtype = t_int64);
    int64_t offset = 0;
    for (int64_t i = 0; i < samples->len; i++) {
        t_list_append(texts, t_list_get(samples->items[i], 0));
        t_list_append(labels, t_list_get(samples->items[i], 1));
        t_set(offsets, "{}", i, offset);
        offset += t_size(t_list_get(texts, i), 0);
    }
    return t_list(t_stack(labels), t_cat(texts), offsets);
}

static void lengths(int64_t bptt) {
    int64_t num_words = 5, n = 7, steps = 0;
    data_Dataset *words = data_Dataset(squares_len, word, .context = &num_words);
    data_DataLoader *loader = data_DataLoader(words, .batch_size = 3, .collate_fn = collate_fn);
    for_batch (each, loader)
        checked += strcmp(t_size_repr(each.x), each.index ? "torch.Size([2, 5])" : "torch.Size([3, 3])") == 0;
    loader = data_DataLoader(words, .batch_size = 3, .collate_samples = collate_batch);
    for_batch (each, loader) checked += each.len == 3 && t_item(t_at(each.items[2], "1")) == (each.index ? 4 : 1);
    for_range (i, 0, n, bptt) steps += i;
    for_range (i, n) steps += 100;
    checked += steps == 0 + 3 + 6 + 100 * n;
}

static t_TensorDict *review_getitem(void *context, int64_t idx) {
    const char *text = idx ? "bad" : "good";
    (void)context;
    t_TensorDict *sample = t_dict();
    t_dict_set(sample, "text", text);
    t_dict_set(sample, "stars", 4);
    return sample;
}

static void dicts(void) {
    int64_t num_samples = 2;
    data_Dataset *reviews = data_Dataset(squares_len, review_getitem, .context = &num_samples);
    for_batch (each, data_DataLoader(reviews, .batch_size = 2))
        checked += t_item(t_sum(data_item(each, "stars"))) == 8 && strcmp(data_text(each, "text", 0), "good") == 0;
    checked += strcmp(t_dict_get_text(data_dataset_dict(reviews, 0), "text"), "good") == 0;
}

static Tensor *by_length(void *context) {
    return t_flip(t_arange(*(int64_t *)context), 0);
}

static int64_t samples_in(data_DataLoader *loader) {
    int64_t samples = 0;
    for_batch (each, loader) samples += each.size;
    return samples;
}

static void samplers(Tensor *weights) {
    int64_t num_samples = 10;
    data_Dataset *dataset = data_Dataset(squares_len, squares_getitem, .context = &num_samples);
    checked += samples_in(data_DataLoader(dataset, .batch_size = T_NONE)) == 10;
    checked += samples_in(data_DataLoader(dataset, 4, .sampler = data_WeightedRandomSampler(weights, 100))) == 100;
    checked += samples_in(data_DataLoader(dataset, 4, .sampler = data_SubsetRandomSampler(t_arange(8)))) == 8;
    data_Sampler *batch_sampler = data_BatchSampler(data_RandomSampler(dataset, true), 4, false);
    checked += samples_in(data_DataLoader(dataset, .batch_sampler = batch_sampler)) == 10;
    data_Sampler *sampler = data_Sampler(by_length, .context = &num_samples);
    checked += t_item(data_first(data_DataLoader(dataset, .sampler = sampler)).y) == 81;
}

static void *lines_iter(void *context) {
    int64_t *left = malloc(sizeof *left);
    *left = *(int64_t *)context;
    return left;
}

static bool lines_next(void *iterator, Tensor **x, Tensor **y) {
    int64_t *left = iterator;
    *x = t_integer(*left);
    *y = t_integer(-*left);
    return (*left)-- > 0;
}

static void datasets(void) {
    int64_t num_samples = 10;
    data_Dataset *train, *val;
    data_Dataset *a = data_Dataset(squares_len, squares_getitem, .context = &num_samples), *b = a;
    checked += data_dataset_len(data_ConcatDataset(a, b)) == 20;
    checked += data_dataset_len(data_StackDataset(a, b)) == 10;
    data_Dataset *stack = data_StackDataset((a, b), .names = {"image", "text"});
    checked += data_dataset_len(stack) == 10;
    data_random_split(a, (0.8, 0.2), &train, &val);
    checked += data_dataset_len(train) == 8;
    data_Dataset *lines = data_IterableDataset(lines_iter, lines_next, .context = &num_samples, .close = free);
    checked += samples_in(data_DataLoader(data_ChainDataset(lines, lines), 3)) == 20;
}

static bool seed_worker(void *context, int64_t worker_id) {
    (void)context;
    t_manual_seed(data_get_worker_info()->id + 7);
    return worker_id < 2;
}

static void workers(void) {
    int64_t num_samples = 10;
    data_Dataset *dataset = data_Dataset(squares_len, squares_getitem, .context = &num_samples);
    data_DataLoader *loader = data_DataLoader(dataset, 4, .num_workers = 2);
    checked += samples_in(loader) == 10;
    loader = data_DataLoader(dataset, 4, .num_workers = 2, .worker_init_fn = seed_worker);
    checked += samples_in(loader) == 10;
}

static void data(void) {
    int64_t num_samples = 10;
    Tensor *x, *y;
    data_Dataset *dataset = data_Dataset(squares_len, squares_getitem, .context = &num_samples);
    data_Dataset *named =
        data_Dataset(squares_len, triples_getitem, .context = &num_samples, .names = {"image", "mask", "label"});
    data_DataLoader *triples = data_DataLoader(named, .batch_size = 4);
    for_batch (each, triples) checked += data_item(each, "label") != each.items[2];
    data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 4, .shuffle = true);
    data_dataset_get(dataset, 0, &x, &y);
    int64_t n = data_dataset_len(dataset);
    data_Batch batch = data_first(loader);
    for_batch (each, loader) n -= t_size(each.x, 0);
    checked += n == 0 && t_size(batch.y, 0) == 4;
}

enum { TRAIN, VAL };

static void phases(void) {
    int64_t num_samples = 10, samples = 0;
    data_Dataset *dataset = data_Dataset(squares_len, squares_getitem, .context = &num_samples);
    data_Dataset *sets[] = {dataset, data_Subset(dataset, 0, 1, 2, 3)};
    data_DataLoader *loaders[2];
    for_range (p, 2) loaders[p] = t_keep(data_DataLoader(sets[p]));
    checked += data_len(loaders[TRAIN]) == 10;
    Net *model = net(8, 2, 0.1);
    bool was_training = model->base.training;
    for_range (phase, 2) {
        nn_train(model, phase == TRAIN);
        for_batch (each, loaders[phase]) {
            with_set_grad_enabled(phase == TRAIN) {
                samples += t_requires_grad(nn_call(model, t_rand(1, 2, 8))) == (phase == TRAIN) ? each.size : 0;
            }
        }
    }
    nn_train(model, was_training);
    checked += samples == 14 && model->base.training;
}

/* ---- printing ---- */

static void printing(Tensor *x, Tensor *loss, Tensor *accuracy) {
    t_print(x);
    puts(t_size_repr(x));
    puts(t_dtype_repr(t_dtype(x)));
    printf("%s\n", t_size_repr(x));
    printf("%.4f\n", t_item(loss));
    printf("%.2f%%\n", 100 * t_item(accuracy));
}

static void formats(Tensor *seq, int64_t total, int i) {
    checked += strcmp(commas(total), "1,234,567") == 0;
    checked += strcmp(t_format("dim %d", i), "dim 3") == 0;
    checked += strcmp(t_str(t_at(seq, ":2")), "tensor([7, 8])") == 0;
    Tensor *x = t_ones(1);
    nn_ReLU *model = nn_ReLU();
    checked += strcmp(t_str(x), "tensor([1.])") == 0;
    checked += strcmp(nn_str(model), "ReLU()") == 0;
    printf("%s...\n", t_str(t_at(seq, ":2")));
    checked += strlen(t_version()) > 0;
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
    plt_rcParams("font.sans-serif", "DejaVu Sans");
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
    Tensor *image;
    plt_imsave("build/matrix.png", t_rand(4, 6), .cmap = "gray");
    image = plt_imread("build/matrix.png");
    SHAPE(image, "[4, 6, 4]");
    plt_close();
    plt_figure();
    sns_heatmap(attn, .cmap = "Blues", .annot = true, .fmt = ".2f", .square = true, .cbar = true);
    plt_close();
    sns_heatmap(attn, .xticklabels = tokens, .yticklabels = tokens);
    plt_xticks(t_arange(5), tokens, .rotation = 45);
    plt_yticks(t_arange(5), tokens, .rotation = 0);
    plt_show();
}

/* ---- a script's options ---- */

static int options(int argc, char **argv) {
    struct { const char *data; int64_t epochs; double lr; bool cuda; } args = {.epochs = 10, .lr = 1e-3};
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.description = "Trains a model.");
    argparse_add_argument(parser, &args.data, "data");
    argparse_add_argument(parser, &args.epochs, "-n", "--epochs", .help = "passes over the data");
    argparse_add_argument(parser, &args.lr, "--lr", .required = true);
    argparse_add_argument(parser, &args.cuda, "--cuda");
    if (!argparse_parse_args(parser, argc, argv)) return parser->status;
    checked += strcmp(args.data, "images") == 0 && args.epochs == 3 && args.lr == 0.5 && args.cuda;
    return 0;
}

int main(void) {
    with_scope() {
        checked += options(7, (char *[]){"train", "images", "--lr=0.5", "-n", "3", "--cuda", "--", NULL}) == 0;
        modules(8, 10);
        tied(10, 8);
        groups(8);
        lists(8);
        ignored(t_rand(3, 2), t_tensor("[0, 1, 1]"));
        data();
        phases();
        dicts();
        samplers(t_rand(10));
        datasets();
        workers();
        pairs(2);
        lengths(3);
        curve();
        printing(t_rand(2), t_tensor("0.5"), t_tensor("0.25"));
        formats(t_tensor("[7, 8, 9]"), 1234567, 3);
        pictures(t_softmax(t_rand(5, 5), -1), t_rand(10));
        hooks(4);
        state_hooks();
    }
    return all_checked(50);
}
