/* tests/interop/state.c: the C side of state.py, which runs it: `interop_state write FOLDER` writes what PyTorch shall
 * load, `interop_state check FOLDER` loads what PyTorch wrote, and compares outputs to 1e-5. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/models/state_modules.h"

static int failures;
static const char *folder;

static const char *path_of(const char *what, const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s_%s.safetensors", folder, what, name);
    return path;
}

static void expect_close(const char *what, Tensor *got, Tensor *want) {
    double worst = got && want && t_numel(got) == t_numel(want)
                       ? t_item(t_max(t_abs(t_sub(t_double(got), t_double(want)))))
                       : INFINITY;
    if (worst <= 1e-5) return;
    printf("tapegrad: %s is off by %g\n", what, worst);
    failures++;
}

/* ---- modules ---- */

static Tensor *run(void *module, t_TensorDict *file) {
    Tensor *x[3] = {NULL};
    int count = 0;
    for (char name[] = "input.0"; count < 3 && t_dict_has(file, name); name[6]++) x[count++] = t_dict_get(file, name);
    if (count == 3) return nn_MultiheadAttention_call(module, x[0], x[1], x[2]);
    return count == 2 ? nn_call(module, x[0], x[1]) : nn_call(module, x[0]);
}

/* "R(2,3) k4(2)": normal, integers in [0, 4), uniform for Q. */
static void draw_inputs(t_TensorDict *file, const char *given) {
    char key[] = "input.0";
    for (const char *at = given; *at; at += *at == ' ', key[6]++) {
        const char kind = *at++;
        char *end;
        const int64_t below = strtoll(at, &end, 10);
        int64_t shape[T_MAX_DIMS], ndim = 0;
        for (at = end + 1; at[-1] != ')'; at = end + 1) shape[ndim++] = strtoll(at, &end, 10);
        t_dict_set(file, key, kind == 'k'   ? (t_randint)(0, below, shape, (int)ndim, NULL)
                              : kind == 'Q' ? (t_rand)(shape, (int)ndim, NULL)
                                            : (t_randn)(shape, (int)ndim, NULL));
    }
}

static void write_module(const char *name, void *module, const char *given) {
    t_TensorDict *file = t_dict();
    draw_inputs(file, given);
    run(module, file); /* updates the statistics of norms */
    nn_eval(module);
    t_dict_set(file, "state", nn_state_dict(module));
    t_dict_set(file, "output", t_detach(run(module, file)));
    t_save(file, path_of("ours", name));
}

static void check_module(const char *name, void *module, const char *python) {
    t_TensorDict *file = t_load(path_of("theirs", name));
    nn_load_state_dict(module, t_dict_has(file, "state") ? t_dict_get_dict(file, "state") : t_dict());
    nn_eval(module);
    expect_close(python, run(module, file), t_dict_get(file, "output"));
}

static int modules(bool writes) {
    int number = 0;
    char name[16];
#define MODULE(python, module, given)                                       \
    with_scope() {                                                          \
        t_manual_seed(number);                                              \
        snprintf(name, sizeof name, "%d", number++);                        \
        if (writes) write_module(name, module, given);                      \
        else check_module(name, module, python);                            \
    }
    STATE_MODULES(MODULE)
    return number;
}

/* ---- optimizers, and the random generator ---- */

enum { PARAMS = 2, STEPS = 3 };

typedef struct Trained {
    Tensor *p[PARAMS];
    optim_Optimizer *optimizer;
    t_TensorDict *file; /* has the gradients: "grad.STEP.PARAMETER" */
} Trained;

static void steps(Trained *t, int first) {
    for (int step = first; step < first + STEPS; step++) {
        for (int i = 0; i < PARAMS; i++) {
            char key[32];
            snprintf(key, sizeof key, "grad.%d.%d", step, i);
            t_set_grad(t->p[i], t_dict_get(t->file, key));
        }
        optim_step(t->optimizer);
    }
}

static void put_parameters(Trained *t, const char *what) {
    for (int i = 0; i < PARAMS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s.%d", what, i);
        t_dict_set(t->file, key, t_clone(t_detach(t->p[i])));
    }
}

static void optimizer(const char *name, Trained t, bool writes) {
    if (writes) {
        t.file = t_dict();
        for (int step = 0; step < 2 * STEPS; step++)
            for (int i = 0; i < PARAMS; i++) {
                char key[32];
                snprintf(key, sizeof key, "grad.%d.%d", step, i);
                t_dict_set(t.file, key, (t_randn)(t_shape(t.p[i]), (int)t_dim(t.p[i]), NULL));
            }
        steps(&t, 0);
        t_TensorDict *state = t_dict(); /* the tensors themselves are kept */
        for_items (item, optim_state_dict(t.optimizer)) {
            if (item->tensor) t_dict_set(state, item->name, t_clone(item->tensor));
            else t_dict_set(state, item->name, item->text);
        }
        t_dict_set(t.file, "optimizer", state);
        put_parameters(&t, "middle");
        steps(&t, STEPS);
        put_parameters(&t, "end");
        t_save(t.file, path_of("ours", name));
        return;
    }
    t.file = t_load(path_of("theirs", name));
    with_no_grad() {
        t_copy_(t.p[0], t_dict_get(t.file, "middle.0"));
        t_copy_(t.p[1], t_dict_get(t.file, "middle.1"));
    }
    optim_load_state_dict(t.optimizer, t_dict_get_dict(t.file, "optimizer"));
    steps(&t, STEPS);
    expect_close(name, t.p[0], t_dict_get(t.file, "end.0"));
    expect_close(name, t.p[1], t_dict_get(t.file, "end.1"));
}

#define OPTIMIZERS(X)                                                             \
    X("SGD", optim_SGD(p, 0.1, 0.9, .nesterov = true))                            \
    X("Adam", optim_Adam(p, 0.01, .amsgrad = true))                               \
    X("AdamW", optim_AdamW(p, 0.02))                                              \
    X("RMSprop", optim_RMSprop(p, 0.01, .momentum = 0.5, .centered = true))       \
    X("Adagrad", optim_Adagrad(p, 0.1, .lr_decay = 0.1))                          \
    X("Adadelta", optim_Adadelta(p, 0.5, 0.8))                                    \
    X("Adamax", optim_Adamax(p, 0.01, .weight_decay = 0.1))                       \
    X("NAdam", optim_NAdam(p, 0.01, .momentum_decay = 0.1))                       \
    X("RAdam", optim_RAdam(p, 0.01, (0.8, 0.9)))                                  \
    X("ASGD", optim_ASGD(p, 0.1, .t0 = 1))                                        \
    X("Rprop", optim_Rprop(p, 0.1, (0.4, 1.3), (1e-3, 1)))

static void optimizers(bool writes) {
#define OPTIMIZER(name, call)                                                                            \
    with_scope() {                                                                                       \
        Trained t = {.p = {t_randn(3, 2, .requires_grad = true), t_randn(4, .requires_grad = true)}};    \
        t_TensorList *p = t_list(t.p[0], t.p[1]);                                                        \
        t.optimizer = call;                                                                              \
        optimizer(name, t, writes);                                                                      \
    }
    OPTIMIZERS(OPTIMIZER)
}

/* LBFGS needs a closure: the loss is the sum of (p^2 - 2)^2. */
static Tensor *closure(void *context) {
    Trained *t = context;
    optim_zero_grad(t->optimizer);
    Tensor *loss = t_sum(t_square(t_sub(t_square(t_cat(t_list(t_flatten(t->p[0]), t->p[1]))), 2)));
    t_backward(loss);
    return loss;
}

static void lbfgs(bool writes) {
    Trained t = {.p = {t_randn(3, 2, .requires_grad = true), t_randn(4, .requires_grad = true)}};
    t.optimizer = optim_LBFGS(t_list(t.p[0], t.p[1]), .lr = 0.1, .max_iter = 4);
    t.file = writes ? t_dict() : t_load(path_of("theirs", "LBFGS"));
    if (writes) {
        for (int i = 0; i < 2; i++) optim_step(t.optimizer, closure, &t);
        t_dict_set(t.file, "optimizer", optim_state_dict(t.optimizer));
        put_parameters(&t, "middle");
        optim_step(t.optimizer, closure, &t);
        put_parameters(&t, "end");
        t_save(t.file, path_of("ours", "LBFGS"));
        return;
    }
    with_no_grad() {
        t_copy_(t.p[0], t_dict_get(t.file, "middle.0"));
        t_copy_(t.p[1], t_dict_get(t.file, "middle.1"));
    }
    optim_load_state_dict(t.optimizer, t_dict_get_dict(t.file, "optimizer"));
    optim_step(t.optimizer, closure, &t);
    expect_close("LBFGS", t.p[0], t_dict_get(t.file, "end.0"));
    expect_close("LBFGS", t.p[1], t_dict_get(t.file, "end.1"));
}

static void generator(bool writes) {
    t_TensorDict *file = writes ? t_dict() : t_load(path_of("theirs", "generator"));
    if (writes) {
        t_randn(3, .dtype = t_float64);
        t_dict_set(file, "state", t_get_rng_state());
        t_dict_set(file, "next", t_randn(20));
        t_save(file, path_of("ours", "generator"));
        return;
    }
    t_set_rng_state(t_dict_get(file, "state"));
    if (t_equal(t_randn(20), t_dict_get(file, "next"))) return;
    puts("tapegrad: the generator goes on with other numbers");
    failures++;
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[1], "write") != 0 && strcmp(argv[1], "check") != 0)) {
        fprintf(stderr, "interop_state write FOLDER, interop_state check FOLDER\n");
        return EXIT_FAILURE;
    }
    const bool writes = strcmp(argv[1], "write") == 0;
    folder = argv[2];
    int number = modules(writes);
    with_scope() {
        optimizers(writes);
        lbfgs(writes);
        generator(writes);
    }
    if (!writes)
        printf("tapegrad: %d modules, 12 optimizers and a generator of PyTorch's loaded, %d of them off\n", number,
               failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
