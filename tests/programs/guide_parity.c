/* tests/programs/guide_parity.c: every C line of the tables in examples/PARITY.md, compiled and run, with PyTorch's
 * values where the line replaces a missing function; tests/checks/check_parity.sh checks that the tables agree with the
 * files guide*.c. */
#include "tests/programs/guide.h"

#define VALUES(x, text) \
    (checked += t_allclose(t_to(x, t_float64), t_tensor(text, .dtype = t_float64), 1e-3, 1e-4, false))

/* ---- torch.nn.Module ---- */

typedef struct Net {
    nn_Module base;
    nn_Linear *fc;
    Tensor *scale, *pe;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    return t_mul(nn_call(self->fc, x), self->scale);
}

static void write_extra(const void *self, char *text, size_t capacity) {
    (void)self;
    snprintf(text, capacity, "scaled");
}

static void init_weights(nn_Module *m, void *context) {
    nn_Linear *l = nn_as(m, nn_Linear);
    if (l) ++*(int *)context;
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_Linear *child = nn_Linear(2, 2);
    Tensor *x = nn_Parameter(t_zeros(2));
    nn_set(self, fc, nn_Linear(8, 2));
    nn_set(self, scale, nn_Parameter(t_ones(8)));
    nn_set(self, fc, nn_Linear(8, 3));
    nn_set(self, fc, nn_Linear(8, 8));
    nn_add_module(self, "last", child);
    nn_register_module(&self->base, "late", child);
    nn_register_parameter(&self->base, "bias", x);
    nn_register_buffer(self, pe, t_zeros(4, 8), .persistent = false);
    self->base.extra_repr = write_extra;
    return self;
}

static void module(void) {
    Net *model = net();
    Tensor *x = t_rand(4, 8);
    int context = 0;
    nn_IncompatibleKeys keys;
    x = nn_call(model, x);
    SHAPE(x, "[4, 8]");
    nn_apply(model, init_weights, &context);
    checked += context == 2;
    checked += nn_buffers(model)->len == 1 && nn_parameters(model)->len == 6;
    for_named (child, nn_named_children(model)) context += child->module != NULL && child->name[0] != 0;
    for_named (m, nn_named_modules(model)) context += m->module != NULL && m->name != NULL;
    for_named (b, nn_named_buffers(model)) context += b->tensor == model->pe && strcmp(b->name, "pe") == 0;
    for_named (p, nn_named_parameters(model)) context += t_requires_grad(p->tensor) && p->name[0] != 0;
    for_parameters (p, model) context += t_dim(p) > 0;
    checked += context == 2 + 2 + 3 + 1 + 6 + 6;
    nn_to(model, t_bfloat16);
    nn_to(model, t_float16);
    nn_to(model, t_float64);
    nn_to(model, t_float32);
    nn_eval(model);
    checked += !model->base.training;
    nn_train(model);
    checked += t_equal(t_dict_get(nn_state_dict(model), "fc.weight"), model->fc->weight);
    t_TensorDict *d = nn_state_dict(model, .prefix = "encoder."), *checkpoint = t_dict();
    checked += t_dict_has(d, "encoder.fc.bias") && !t_dict_has(d, "encoder.pe");
    d = nn_state_dict(model);
    t_dict_delete(d, "fc.bias");
    nn_load_state_dict(model, d, .strict = false, .assign = true, .keys = &keys);
    checked += keys.missing_keys->len == 1;
    int64_t epoch = 3;
    t_dict_set(checkpoint, "epoch", epoch);
    t_backward(t_sum(nn_call(model, t_rand(4, 8))));
    nn_zero_grad(model);
    checked += t_grad(model->scale) == NULL;
    checked += nn_get_parameter(model, "fc.weight") == model->fc->weight && nn_get_buffer(model, "pe") == model->pe;
    nn_Linear *before = nn_get_submodule(model, "fc");
    nn_set_submodule(model, "fc", nn_Linear(8, 3));
    checked += model->fc != before && model->fc->out_features == 3;
    nn_requires_grad_(model, false);
    checked += !t_requires_grad(model->scale);
}

/* ---- torch.func, torch.utils.checkpoint ---- */

static Tensor *f(Tensor *x) {
    return t_mul(t_pow(x, 3), t_sum(x));
}

static Tensor *sum_of_f(Tensor *x) {
    return t_sum(f(x));
}

typedef struct Batch {
    Tensor *x;
} Batch;
static Tensor *loss_of(Tensor *w, void *context) {
    return t_sum(t_mul(f(w), ((Batch *)context)->x));
}

static void torch_func(void) {
    Tensor *x = t_tensor("[1., 2, 3]"), *v = t_tensor("[1., 0, 2]"), *w = x, *y, *dy, *loss;
    Batch batch = {v};
    VALUES(t_func_grad(loss_of, w, .context = &batch), "[73, 55, 379]");
    Tensor *dw;
    dw = t_func_grad_and_value(loss_of, w, .context = &batch, .value = &loss);
    VALUES(dw, "[73, 55, 379]");
    t_LinearFunction *vjp_fn, *jvp_fn;
    t_TensorList *g;
    vjp_fn = t_func_vjp(f, x, .output = &y);
    g = t_func_call(vjp_fn, v);
    VALUES(g->items[0], "[73, 55, 379]");
    dy = t_func_jvp(f, x, v, .output = &y);
    VALUES(dy, "[21, 24, 405]");
    jvp_fn = t_func_linearize(f, x, .output = &y);
    g = t_func_call(jvp_fn, v);
    VALUES(g->items[0], "[21, 24, 405]");
    const char *J = "[[19, 1, 1], [8, 80, 8], [27, 27, 189]]", *H = "[[42, 15, 30], [15, 96, 39], [30, 39, 162]]";
    VALUES(t_func_jacrev(f, x), J);
    VALUES(t_func_jacfwd(f, x), J);
    VALUES(t_func_hessian(sum_of_f, x), H);
    Tensor *m = t_ones(2, 3);
    SHAPE(t_func_vmap(t_mul, t_list(m, x), .in_dims = t_tuple(0, T_NONE), .out_dims = t_tuple(1)), "[3, 2]");
    nn_Linear *model = nn_Linear(3, 1, .bias = false);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "weight", t_ones(1, 3));
    VALUES(t_func_functional_call(model, dict, x, .strict = true), "[6]");
    nn_Linear *models[] = {nn_Linear(1, 1), nn_Linear(1, 1)};
    t_TensorDict *params, *buffers;
    params = t_func_stack_module_state(models, 2, .buffers = &buffers);
    (void)params;
}

static void functional(void) {
    Tensor *x = t_tensor("[1., 2, 3]"), *v = t_tensor("[1., 0, 2]"), *g, *y, *dy;
    const char *J = "[[19, 1, 1], [8, 80, 8], [27, 27, 189]]", *H = "[[42, 15, 30], [15, 96, 39], [30, 39, 162]]";
    g = t_autograd_functional_vjp(f, x, v, .output = &y);
    VALUES(g, "[73, 55, 379]");
    dy = t_autograd_functional_jvp(f, x, v, .create_graph = true);
    VALUES(t_autograd_functional_jacobian(f, x, .strict = true), J);
    VALUES(t_autograd_functional_hessian(sum_of_f, x), H);
    VALUES(t_autograd_functional_hvp(sum_of_f, x, v), "[102, 93, 354]");
    VALUES(t_autograd_functional_vhp(sum_of_f, x, v), "[102, 93, 354]");
    with_dual_level() {
        Tensor *dual = t_autograd_forward_ad_make_dual(x, v);
        y = t_autograd_forward_ad_unpack_dual(f(dual), .tangent = &dy);
    }
    VALUES(dy, "[21, 24, 405]");
    checked += t_autograd_forward_ad_enter_dual_level();
    checked += t_autograd_forward_ad_exit_dual_level();
}

static Tensor *hook(Tensor *gradient, void *context) {
    (void)context;
    return t_mul(gradient, 2);
}

typedef struct Table {
    t_TensorList *tensors;
} Table;
static Tensor *pack(Tensor *x, void *context) {
    t_TensorList *tensors = ((Table *)context)->tensors;
    t_list_append(tensors, x);
    return t_tensor(tensors->len - 1);
}
static Tensor *unpack(Tensor *packed, void *context) {
    return t_list_get(((Table *)context)->tensors, (int64_t)t_item(packed));
}

static void checkpoints(void) {
    Tensor *x = t_tensor("[1., 2, 3]", .requires_grad = true), *y = t_checkpoint(f, x, .preserve_rng_state = false);
    t_register_hook(y, hook);
    t_backward(t_sum(y));
    VALUES(t_grad(x), "[108, 216, 396]");
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 4), nn_ReLU(), nn_Linear(4, 1));
    SHAPE(t_checkpoint_sequential(model, 2, x), "[1]");
    Table table = {t_list()};
    with_saved_tensors_hooks(pack, unpack, &table) { y = t_sum(f(x)); }
    VALUES(t_grad(y, x), "[54, 108, 198]");
    with_save_on_cpu() { y = t_sum(f(x)); }
    nn_BatchNorm1d *norm = nn_BatchNorm1d(8, .track_running_stats = false);
    checked += norm->running_mean == NULL;
}

/* ---- torch.linalg, torch.nn.utils ---- */

static void products(void) {
    Tensor *a = t_tensor("[[1., 2, 3], [4, 5, 6]]"), *b = t_tensor("[[1., 0, 2], [0, 1, 1]]"), *U, *S, *Vh;
    VALUES(linalg_matrix_norm(a, T_NUC), "10.2809");
    U = linalg_svd(a, false, .S = &S, .Vh = &Vh);
    VALUES(t_matmul(t_mul(U, S), Vh), "[[1, 2, 3], [4, 5, 6]]");
    checked += t_dtype(t_to(t_mm(a, t_t(b)), t_float64)) == t_float64;
}

/* The weight is the upper triangle of a parameter. */
typedef struct Triangle {
    nn_Module base;
} Triangle;

static Tensor *triangle_call(Triangle *self, Tensor *x) {
    (void)self;
    return t_triu(x);
}

static Tensor *first_only(Tensor *t, Tensor *default_mask, void *context) {
    (void)context;
    t_set(default_mask, "1:", 0);
    return t_mul(default_mask, t_ne(t, 0));
}

static void utils(void) {
    t_TensorList *sequences = t_list(t_ones(2), t_ones(4));
    Tensor *padded = nn_utils_rnn_pad_sequence(sequences, true, 0.0), *permutation = t_tensor("[2, 0, 1]");
    VALUES(nn_utils_rnn_invert_permutation(permutation), "[1, 2, 0]");
    Tensor *lengths = t_tensor("[2, 4]"), *x = padded;
    nn_utils_rnn_PackedSequence *packed;
    packed = nn_utils_rnn_pack_padded_sequence(x, lengths, .batch_first = true, .enforce_sorted = false);
    Tensor *data = t_mul(packed->data, 3);
    packed = nn_utils_rnn_PackedSequence(data, packed->batch_sizes, packed->sorted_indices);
    VALUES(nn_utils_rnn_pad_packed_sequence(packed, true, .lengths = &lengths), "[[3, 3, 0, 0], [3, 3, 3, 3]]");
    VALUES(nn_utils_rnn_unpack_sequence(packed)->items[0], "[3, 3]");
    packed = nn_utils_rnn_pack_sequence(sequences, .enforce_sorted = false);
    VALUES(packed->data, "[1, 1, 1, 1, 1, 1]");
    VALUES(nn_utils_rnn_unpad_sequence(padded, lengths, true)->items[0], "[1, 1]");
    nn_Linear *layer = nn_Linear(3, 2), *second = nn_Linear(3, 2);
    Tensor *mask = t_tensor("[[1, 0, 1], [1, 1, 1]]");
    const nn_utils_prune_Parameter both[] = {{layer, "weight"}, {second, "weight"}};
    nn_utils_prune_identity(layer, "weight");
    nn_utils_prune_l1_unstructured(layer, "weight", 0.3);
    nn_utils_prune_random_unstructured(layer, "weight", 2);
    nn_utils_prune_custom_from_mask(layer, "weight", mask);
    VALUES(t_at(layer->weight, "0, 1"), "0");
    nn_utils_prune_BasePruningMethod method = {nn_utils_prune_global, first_only, 0};
    nn_utils_prune_BasePruningMethod_apply(&method, layer, "weight");
    VALUES(t_at(layer->weight, "1"), "[0, 0, 0]");
    VALUES(t_tensor((double)nn_utils_prune_is_pruned(layer)), "1");
    nn_utils_prune_remove(layer, "weight");
    nn_utils_prune_ln_structured(layer, "weight", 0.5, .n = 2, .dim = 0);
    nn_utils_prune_random_structured(layer, "weight", 1, 0);
    nn_utils_prune_global_unstructured(both, 2, nn_utils_prune_L1Unstructured, 0.2);
    layer = nn_Linear(2, 2, .bias = false);
    nn_utils_parametrize_register_parametrization(layer, "weight", nn_module(Triangle, triangle_call));
    VALUES(t_at(layer->weight, "1, 0"), "0");
    VALUES(t_tensor((double)nn_utils_parametrize_is_parametrized(layer, "weight")), "1");
    nn_utils_parametrize_remove_parametrizations(layer, "weight", .leave_parametrized = false);
    layer = nn_Linear(2, 2);
    nn_utils_parametrizations_weight_norm(layer, .dim = 1);
    nn_utils_parametrizations_spectral_norm(layer, "bias", .n_power_iterations = 2);
    layer = nn_Linear(2, 2);
    nn_utils_parametrizations_orthogonal(layer, .orthogonal_map = "cayley");
}

/* ---- torch.utils.tensorboard ---- */

static void tensorboard(FILE *log) {
    Tensor *losses = t_rand(5), *w = t_rand(20), *image = t_rand(4, 4), *loss = t_rand(1);
    int64_t step = 3;
    fprintf(log, "%d,%g\n", (int)step, t_item(loss));
    plt_plot(losses);
    plt_close();
    plt_hist(w);
    plt_close();
    plt_imshow(image);
    plt_savefig("build/guide.svg");
    plt_close();
    nn_Linear *model = nn_Linear(2, 1);
    Tensor *y = nn_call(model, t_rand(2));
    nn_graph_dot(y, model, stdout);
}

/* ---- arguments that are not taken, and what there is instead ---- */

static void arguments(void) {
    Tensor *a = t_tensor("[1., 5]"), *b = t_tensor("[3., 2]"), *x = t_tensor("[4, 0, 4, 9]"), *max, *min, *v, *i, *u,
           *c;
    VALUES(t_maximum(a, b), "[3, 5]");
    VALUES(t_minimum(a, b), "[1, 2]");
    min = t_aminmax(x, .max = &max);
    VALUES(t_stack(t_list(min, max)), "[0, 9]");
    v = t_sort(x, 0, .indices = &i);
    VALUES(v, "[0, 4, 4, 9]");
    u = t_unique(x, .inverse = &i, .counts = &c);
    VALUES(u, "[0, 4, 9]");
    checked += t_nonzero_tuple(x)->len == 1;
    checked += t_tensor_split(x, (1, 3), 0)->len == 3;
    Tensor *index = t_tensor("[0, 0]"), *src = t_tensor("[2, 3]");
    VALUES(t_scatter_add(x, 0, index, src), "[9, 0, 4, 9]");
    VALUES(t_scatter_reduce(x, 0, index, src, "prod"), "[24, 0, 4, 9]");
    const float array[] = {1, 2, 3, 4};
    SHAPE(t_tensor(array, 2, 2), "[2, 2]");
    SHAPE(t_tensor("[[1, 2], [3, 4]]"), "[2, 2]");
    x = t_rand(3, 2);
    SHAPE(t_clone(t_to(x, t_float64)), "[3, 2]");
    checked += !t_requires_grad(nn_Parameter(x, .requires_grad = false));
    nn_EmbeddingBag *bag = nn_EmbeddingBag(3, 2);
    nn_set(bag, weight, nn_Parameter(x));
    Tensor *image = t_rand(1, 1, 4, 4);
    nn_MaxPool2d *pool = nn_MaxPool2d(2);
    SHAPE(nn_MaxPool2d_call(pool, image, &i), "[1, 1, 2, 2]");
    nn_AdaptiveMaxPool2d *adaptive = nn_AdaptiveMaxPool2d(2);
    SHAPE(nn_AdaptiveMaxPool2d_call(adaptive, image, &i), "[1, 1, 2, 2]");
    nn_FractionalMaxPool2d *fractional = nn_FractionalMaxPool2d(2, 2);
    nn_FractionalMaxPool2d_call(fractional, image, &i);
    t_TensorList *params = t_list(bag->weight);
    optim_Optimizer *optimizer = optim_AdamW(params, .lr = 1e-3);
    optim_zero_grad(optimizer, false);
    const double rates[] = {0.1};
    optim_OneCycleLR(optimizer, .max_lrs = rates, .total_steps = 10);
    data_Dataset *dataset = data_TensorDataset(t_list(x)), *parts[2];
    checked += data_dataset_len(data_Subset(dataset, 2, 0, 1)) == 3;
    checked += data_random_split(dataset, (2, 1), &parts[0], &parts[1], .generator = t_generator());
    t_TensorDict *d = t_dict();
    t_dict_set(d, "format", "pt");
    t_save(d, "build/guide.ckpt");
}

int main(void) {
    with_scope() {
        module();
        torch_func();
        functional();
        checkpoints();
        products();
        utils();
        tensorboard(stdout);
        arguments();
    }
    return all_checked(64);
}
