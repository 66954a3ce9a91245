/* tests/programs/guide_ops.c: the C lines of the table "Further" in examples/PORTING.md, compiled and run; guide.c has
 * the first ones. */
#include "core/distributions/distributions.h"
#include "tests/programs/guide.h"

static void square_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    Tensor *x = t_saved_tensor(ctx, 0);
    dx[0] = t_mul(dy, t_mul(2, x));
}
static const t_Function square_function = {.name = "square", .grad_fn = "SquareBackward", .backward = square_backward};

static Tensor *square(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad() y = t_mul(x, x);
    return t_apply(&square_function, y, t_list(x), .saved = t_list(x));
}

static Tensor *energy(Tensor *x) {
    return t_sum(square(x));
}

static Tensor *twice(Tensor *g, void *context) {
    (void)context;
    return t_mul(g, 2);
}

static void gradients(Tensor *x, Tensor *w, double lr) {
    Tensor *y = t_sum(square(x));
    Tensor *dx;
    dx = t_grad(y, x, .create_graph = true);
    checked += t_allclose(dx, t_mul(x, 2));
    t_Hook *h = t_register_hook(x, twice);
    t_backward(t_sum(square(x)));
    checked += t_allclose(t_grad(x), t_mul(x, 4));
    checked += t_hook_remove(h);
    checked += t_gradcheck(square, x);
    checked += t_allclose(t_func_grad(energy, x), t_mul(x, 2));
    checked += t_dim(t_func_hessian(energy, x)) == 2 * t_dim(x);
    Tensor *a = t_ones(2, 3), *b = a;
    SHAPE(t_func_vmap(t_dot, t_list(a, b)), "[2]");
    SHAPE(t_autograd_functional_jacobian(t_sin, x), "[3, 3]");
    with_detect_anomaly() { t_backward(t_sum(t_mul(w, w))); }
    with_no_grad() { t_sub_(w, t_mul(lr, t_grad(w))); }
    t_set_grad(w, NULL);
    checked += t_item(w) == 0.5 && !t_grad(w);
}

static void f(t_LOBPCG *worker, void *context) {
    (void)context;
    worker->force_stop = worker->istep == 9;
}

static void dtypes_draws_and_matrices(Tensor *x, Tensor *h) {
    checked += t_dtype(t_half(x)) == t_float16 && t_dtype(t_bfloat16(x)) == t_bfloat16;
    checked += t_dtype(t_int(x)) == t_int32 && t_dtype(t_byte(x)) == t_uint8;
    checked += t_finfo(t_float16)->max == 65504;
    with_autocast(.dtype = t_bfloat16) { checked += t_dtype(t_matmul(h, t_t(h))) == t_bfloat16; }
    Tensor *w = t_ones(2, .requires_grad = true), *loss = t_sum(w);
    optim_Optimizer *o = optim_SGD(t_list(w), .lr = 0.5);
    amp_GradScaler *scaler = amp_GradScaler();
    t_backward(amp_scale(scaler, loss));
    amp_step(scaler, o);
    amp_update(scaler);
    checked += t_equal(w, t_tensor("[0.5, 0.5]"));
    Tensor *a, *z, *E, *X, *U, *S, *Vh, *A = t_eye(2), *b = t_ones(2);
    distributions_Distribution *m;
    m = distributions_Categorical(.logits = h);
    a = distributions_sample(m);
    SHAPE(distributions_log_prob(m, a), "[4]");
    z = distributions_rsample(distributions_Normal(0, 1), (3,));
    SHAPE(z, "[3]");
    checked += t_equal(distributions_kl_divergence(m, m), t_zeros(4));
    Tensor *y;
    distributions_Distribution *base = distributions_Normal(0, 1);
    distributions_Transform *t1 = distributions_ExpTransform(), *t2 = distributions_AffineTransform(1, 2);
    y = distributions_call(distributions_transform_to(distributions_constraints_simplex()), h);
    checked += t_allclose(t_sum(y, 1), t_ones(4));
    checked += t_item(distributions_sample(distributions_TransformedDistribution(base, (t1, t2)))) > 1;
    checked += t_equal(linalg_solve(A, b), b);
    U = linalg_svd(A, .S = &S, .Vh = &Vh);
    checked += t_allclose(t_matmul(U, t_mul(t_unsqueeze(S, 1), Vh)), A);
    A = t_diag(t_arange(9, .dtype = t_float32));
    E = t_lobpcg(A, 3, .tracker = f, .ortho_i_max = 1, .eigenvectors = &X);
    checked += t_item(t_sub(t_max(E), 8)) < 0.5 && t_size(X, 1) == 3;
}

static void special(Tensor *x) {
    Tensor *m, *e;
    checked += t_item(t_sum(special_ndtr(x))) > 1.4;
    m = t_frexp(x, .exponent = &e);
    checked += t_equal(t_ldexp(m, e), x);
    t_set_printoptions(.precision = 2, .sci_mode = false);
    checked += strcmp(t_str(t_tensor(1.23456)), "tensor(1.23)") == 0;
    t_set_printoptions(.profile = "default");
    Tensor *h;
    t_TensorList *at = t_unravel_index(t_argmax(x), (1, 3));
    checked += t_item(t_list_get(at, 1)) == 0;
    h = t_histogram(x, 4, .bin_edges = &e);
    checked += t_item(t_sum(h)) == 3 && t_numel(e) == 5;
    checked += t_item(t_at(t_list_get(t_gradient(x), 0), "0")) == -4;
    t_set_default_dtype(t_float64);
    checked += t_dtype(t_zeros(1)) == t_float64 && t_initial_seed() != 0;
    t_set_default_dtype(t_float32);
    with_inference_mode() {
        checked += !t_is_grad_enabled();
    }
    checked += t_equal(special_chebyshev_polynomial_t(2.0, t_tensor("[3]")), t_tensor("[26.]"));
    checked += t_item(special_zeta(2, t_ones(1))) > 1.64 && t_item(special_xlog1py(t_zeros(1), 5)) == 0;
}

static void indices(Tensor *x, Tensor *p, Tensor *y, Tensor *N) {
    Tensor *mask = t_gt(x, 2), *idx = t_tensor("[1, 0, 1]"), *z;
    int64_t n = t_size(p, 0), a = 1, b = 2;
    z = t_at(x, "{}", mask);
    SHAPE(z, "[3]");
    z = t_at(x, "{}, :", idx);
    SHAPE(z, "[3, 3]");
    z = t_at(p, "{}, {}", t_arange(n), y);
    SHAPE(z, "[2]");
    t_set(x, "{}", mask, 0);
    checked += t_item(t_max(x)) == 2;
    t_add_(t_at(N, "{}, {}", a, b), 1);
    t_index_put_(N, t_list(y, y), t_ones(2), .accumulate = true);
    checked += t_item(t_sum(N)) == 3;
}

static void order(Tensor *x) {
    Tensor *v, *i, *u, *c;
    v = t_topk(x, 2, .indices = &i);
    checked += t_item(t_at(v, "0")) == 9 && t_item(t_at(i, "0")) == 3;
    u = t_unique(x, .counts = &c);
    SHAPE(u, "[3]");
    i = t_argsort(x, -1, .descending = true);
    v = t_cumsum(t_sort(x, 0, .descending = true), 0);
    checked += t_item(t_at(v, "-1")) == 17;
    checked += t_item(t_sum(c)) == 4;
}

/* class SignSGD(Optimizer): its step() */
void signsgd_step(optim_Optimizer *self) {
    for (int64_t g = 0; g < self->len; g++) {
        optim_ParamGroup *group = &self->param_groups[g];
        for_list (p, group->params) {
            if (!t_grad(p)) continue;
            Tensor *m = optim_state(self, p, "m");
            if (!m) m = optim_set_state(self, p, "m", t_zeros_like(p));
            t_lerp_(m, t_grad(p), optim_group_get(group, "rho"));
            t_add_(p, t_sign(m), .alpha = -group->lr);
        }
    }
}

/* def closure(), which captures a model, its optimizer and the data */
typedef struct Problem {
    nn_Linear *model;
    optim_Optimizer *o;
    Tensor *x, *y;
} Problem;

static Tensor *closure(void *context) {
    Problem *problem = context;
    optim_zero_grad(problem->o);
    Tensor *loss = F_mse_loss(nn_call(problem->model, problem->x), problem->y);
    t_backward(loss);
    return loss;
}

static void layers(Tensor *x, Tensor *image, Tensor *h, Tensor *c, Tensor *p) {
    Tensor *out;
    nn_LSTM *lstm = nn_LSTM(3, 4);
    out = nn_LSTM_call(lstm, x, .h_0 = h, .c_0 = c, .h_n = &h, .c_n = &c);
    nn_HiddenState hidden = nn_HiddenState();
    for (int i = 0; i < 2; i++) {
        out = nn_LSTM_call(lstm, x, .state = &hidden);
        nn_HiddenState_detach(&hidden);
    }
    nn_HiddenState_clear(&hidden);
    SHAPE(out, "[5, 2, 4]");
    nn_Sequential *model = nn_Sequential(nn_Conv2d(1, 6, (3, 5), .padding = {1, 2}), nn_BatchNorm2d(6), nn_ReLU(),
                                         nn_MaxPool2d(2), nn_Flatten());
    out = nn_call(model, image);
    SHAPE(out, "[2, 96]");
    nn_set_item(model, 1, nn_ReLU());
    SHAPE(nn_call(nn_slice(model, 2), nn_call(nn_slice(model, 0, 2), image)), "[2, 96]");
    checked += nn_len(nn_slice(model, -3, -1)) == 2;
    nn_insert(model, 1, nn_ReLU());
    nn_ModuleList *layers = nn_ModuleList();
    nn_extend(layers, model);
    nn_append(layers, nn_Linear(96, 10));
    nn_Linear *last = nn_pop(layers, -1);
    SHAPE(nn_call(last, nn_call(model, image)), "[2, 10]");
    nn_Conv2d *first = nn_get(model, 0);
    nn_requires_grad_(first, false);
    checked += !t_requires_grad(first->weight);
    nn_ModuleDict *choices = nn_ModuleDict({"conv", nn_Conv2d(1, 6, 3)});
    nn_Conv2d *conv = nn_get(choices, "conv");
    checked += t_size(nn_call(conv, image), 1) == 6;
    nn_ParameterList *ps = nn_ParameterList(t_ones(3), t_ones(4));
    SHAPE(nn_get(ps, -1), "[4]");
    Tensor *theta = t_randn(2, 2, 3);
    SHAPE(F_grid_sample(image, F_affine_grid(theta, (2, 1, 4, 4))), "[2, 1, 4, 4]");
    out = F_scaled_dot_product_attention(h, h, h, .is_causal = true);
    SHAPE(out, "[1, 2, 4]");
    t_Generator *g = t_generator_manual_seed(t_generator(), 7);
    out = t_multinomial(p, 1, .generator = g);
    SHAPE(out, "[2, 1]");
}

static void schedules(Tensor *w) {
    optim_Optimizer *o = optim_RMSprop(t_list(w), .lr = 0.1);
    optim_LRScheduler *a = optim_LinearLR(o, .total_iters = 5), *b = optim_CosineAnnealingLR(o, 10);
    optim_LRScheduler *scheduler = optim_SequentialLR(o, {a, b}, .milestones = {5});
    optim_step(o);
    optim_scheduler_step(scheduler);
    for (int i = 0; i < o->len; i++) o->param_groups[i].lr = 0.25;
    checked += optim_get_lr(o) == 0.25;
    nn_Linear *model = nn_Linear(2, 2);
    o = optim_Optimizer(nn_parameters(model), signsgd_step, .lr = 0.1, .own = {{"rho", 0.5}});
    t_backward(t_sum(nn_call(model, t_ones(1, 2))));
    checked += optim_step(o) && optim_StepLR(o, .step_size = 1);
    Problem problem = {model, NULL, t_eye(2), t_ones(2, 2)};
    problem.o = o = optim_LBFGS(nn_parameters(model), .line_search_fn = "strong_wolfe");
    Tensor *loss = optim_step(o, closure, &problem);
    checked += t_item(loss) > t_item(closure(&problem));
    optim_LRScheduler *plateau = optim_ReduceLROnPlateau(o, .patience = 2);
    optim_scheduler_step(plateau, 0.75);
    nn_utils_clip_grad_value_(t_list(w), 0.5);
}

/* ---- scopes, the tape ---- */

static Tensor *last_state(nn_Module *cell, Tensor *h, Tensor **kept) {
    Tensor *best = NULL, *y = h;
    const int outside = t_scope_depth();
    for_range (epoch, 0, 2) {
        h = y;
        for_range (i, 0, 3) {
            t_keep_as(&h, nn_call(cell, h));
            if (i == 1) t_keep_as(&best, h, outside);
        }
    }
    with_scope() {
        h = best;
        t_retain(h);
        *kept = h;
        y = t_add(best, 1);
        return t_keep(y);
    }
    return NULL;
}

static void tape(Tensor *w) {
    FILE *file = tmpfile();
    Tensor *s = t_sum(t_mul(w, 3)), *loss = t_square(s);
    t_watch(w, s, loss);
    t_tape_print(loss);
    checked += strcmp(t_grad_fn(loss), "PowBackward0") == 0 && file && t_graph_dot(loss, file);
    if (file) fclose(file);
    checked += t_tape_html(loss, "build/guide_tape.html");
    for_backward (step, loss) checked += step.op && step.dy && step.inputs > 0 && step.dx[0];
    t_watch_print();
    t_unwatch();
    checked += !t_set_teach(true) && t_set_teach(false);
}

int main(void) {
    with_scope() {
        Tensor *h = NULL;
        SHAPE(last_state((nn_Module *)nn_Linear(2, 2), t_rand(1, 2), &h), "[1, 2]");
        t_release(h);
        tape(t_tensor("[1., 2.]", .requires_grad = true));
        gradients(t_tensor("[1, 2, 3]", .dtype = t_float64, .requires_grad = true),
                  t_tensor(1.0, .requires_grad = true), 0.25);
        dtypes_draws_and_matrices(t_tensor("[1, 2, 3]"), t_rand(4, 3));
        special(t_tensor("[1.0, -3, 0.25]"));
        indices(t_tensor("[[1, 2, 3], [4, 2, 7]]"), t_rand(2, 3), t_tensor("[0, 2]"), t_zeros(3, 3));
        order(t_tensor("[4, 0, 4, 9]"));
        layers(t_rand(5, 2, 3), t_rand(2, 1, 8, 8), t_zeros(1, 2, 4), t_zeros(1, 2, 4), t_rand(2, 3));
        schedules(t_zeros(2, .requires_grad = true));
    }
    return all_checked(62);
}
