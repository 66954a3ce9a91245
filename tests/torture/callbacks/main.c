/* tests/torture/callbacks/main.c: the matrix of callbacks and misdeeds. Usage: torture_callbacks [-v] [kind [misdeed]]
 *
 * -v prints how each cell ended. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/torture/callbacks/callbacks.h"

static const char *const misdeed_names[MISDEEDS] = {
    "none",  "fails", "fails_plain", "fails_returns", "returns_null", "wrong_shape", "wrong_dtype",
    "empty", "dead",  "other_class", "backward",      "same_graph",   "trains",      "in_place",
    "hooks", "opens", "closes",      "closes_loud",   "modes",        "jumps",       "handler_jumps"};

/* ---- the world ---- */

World *world;

static World *world_new(void) {
    static World w;
    w = (World){.model = NULL};
    t_manual_seed(7);
    for (int i = 0; i < STEPS; i++) {
        w.x[i] = t_randn(ROWS, IN);
        w.y[i] = t_randint(0, CLASSES, ROWS);
    }
    w.model =
        nn_Sequential(nn_Linear(IN, 5), nn_ReLU(), nn_Dropout(0.25), nn_Linear(5, 5), nn_Tanh(), nn_Linear(5, CLASSES));
    w.optimizer = optim_Adam(nn_parameters(w.model), .lr = 0.05);
    return world = &w;
}

nn_Linear *layer(World *w, int i) {
    static const char *const names[] = {"0", "3", "5"};
    return nn_get_submodule(w->model, names[i]);
}

Tensor *body_call(Body *self, Tensor *x) {
    (void)self;
    return act(x, x);
}

Tensor *forward(World *w) {
    return F_cross_entropy(nn_call(w->model, w->x[w->step]), w->y[w->step]);
}

bool step_of(World *w, Tensor *loss) {
    w->loss = loss;
    return t_backward(loss) && optim_step(w->optimizer);
}

bool plain_step(World *w) {
    optim_zero_grad(w->optimizer);
    const bool ok = step_of(w, forward(w));
    w->loss = NULL;
    return ok;
}

/* ---- what a run has computed: parameters, their grads, and the optimizer's state ---- */

enum { NUMBERS = 1024 };
typedef struct Numbers {
    int count;
    double values[NUMBERS];
} Numbers;

static void add_numbers(Numbers *to, Tensor *x) {
    Tensor *wide = t_contiguous(t_to(t_detach(x), t_float64));
    const double *values = t_data_ptr(wide);
    for (int64_t i = 0; values && i < t_numel(wide) && to->count < NUMBERS; i++) to->values[to->count++] = values[i];
}

static Numbers numbers_of(World *w, bool with_grads) {
    Numbers numbers = {.count = 0};
    with_scope () {
        t_TensorList *params = nn_parameters(w->model);
        for (int64_t i = 0; i < params->len; i++) {
            Tensor *p = params->items[i];
            add_numbers(&numbers, p);
            Tensor *m = optim_state(w->optimizer, p, "exp_avg"), *v = optim_state(w->optimizer, p, "exp_avg_sq"),
                   *t = optim_state(w->optimizer, p, "step");
            if (m) add_numbers(&numbers, m);
            if (v) add_numbers(&numbers, v);
            if (t) add_numbers(&numbers, t);
            if (with_grads && t_grad(p)) add_numbers(&numbers, t_grad(p));
        }
    }
    return numbers;
}

static bool same_numbers(const Numbers *a, const Numbers *b) {
    return a->count == b->count && memcmp(a->values, b->values, (size_t)a->count * sizeof *a->values) == 0;
}

static t_TensorDict *copy_of(t_TensorDict *dict) {
    t_TensorDict *copy = t_dict();
    for (int64_t i = 0; i < dict->len; i++)
        if (dict->items[i].tensor)
            t_dict_set(copy, dict->items[i].name, t_clone(dict->items[i].tensor));
        else
            t_dict_set(copy, dict->items[i].name, dict->items[i].text);
    return copy;
}

/* ---- misdeeds ---- */

static Misdeed misdeed;
static const Kind *kind;
static _Atomic int calls;     /* of the callback in the disturbed step */
static _Atomic bool happened; /* the misdeed */
static const char *complaint; /* what went wrong inside the callback */
static jmp_buf outside;

#define FAILURE "mm: mat1 and mat2 shapes cannot be multiplied (1x2 and 7x7)"
#define REQUIRE(condition) ((condition) ? (void)0 : (void)(complaint = #condition))

static int errors;
static char error_text[2000];

static void recording_handler(const char *text, void *context) {
    (void)context;
    errors++;
    snprintf(error_text, sizeof error_text, "%s", text);
}

void record_errors(void) {
    t_set_error_handler(recording_handler, NULL);
}

static void jumping_handler(const char *text, void *context) {
    (void)text, (void)context;
    longjmp(outside, 1);
}

static Tensor *square_hook(Tensor *g, void *context) {
    (void)context;
    t_mul(g, g);
    return NULL;
}
static void post_hook(Tensor *x, void *context) {
    (void)context;
    t_mul(t_grad(x), 2);
}
static t_TensorList *pre_forward_hook(nn_Module *module, t_TensorList *args, void *context) {
    (void)module, (void)args, (void)context;
    return NULL;
}
static Tensor *forward_hook(nn_Module *module, t_TensorList *args, Tensor *output, void *context) {
    (void)module, (void)args, (void)context, (void)output;
    return NULL;
}
static void step_hook(optim_Optimizer *optimizer, void *context) {
    (void)optimizer, (void)context;
}

static void register_hooks(void) {
    World *w = world;
    for (int i = 0; i < 3; i++) {
        Tensor *weight = layer(w, i)->weight;
        w->extra[w->extras++] = t_retain(t_register_hook(weight, square_hook));
        w->extra[w->extras++] = t_retain(t_register_post_accumulate_grad_hook(weight, post_hook));
    }
    w->extra[w->extras++] = t_retain(nn_register_forward_pre_hook(w->model, pre_forward_hook));
    w->extra[w->extras++] = t_retain(nn_register_forward_hook(w->model, forward_hook));
    w->extra[w->extras++] = t_retain(nn_register_module_forward_hook(forward_hook));
    w->extra[w->extras++] = t_retain(optim_register_step_pre_hook(w->optimizer, step_hook));
    w->extra[w->extras++] = t_retain(optim_register_step_post_hook(w->optimizer, step_hook));
    for (int i = 0; i < w->extras; i += 2) REQUIRE(t_hook_remove(w->extra[i]));
    if (w->handle) REQUIRE(t_hook_remove(w->handle));
}

/* Another model, whose numbers must not depend on where it trains. */
static double train_another(void) {
    double sum = 0;
    with_scope () {
        with_enable_grad () {
            Tensor *rng = t_get_rng_state();
            nn_Linear *other = nn_Linear(3, 1);
            t_set_rng_state(rng);
            with_no_grad () {
                t_fill_(other->weight, 0.5);
                t_fill_(other->bias, -0.25);
            }
            optim_Optimizer *optimizer = optim_SGD(nn_parameters(other), .lr = 0.1, .momentum = 0.9);
            for_range (i, 0, 3) {
                Tensor *x = t_add(t_reshape(t_arange(6.0), 2, 3), i);
                optim_zero_grad(optimizer);
                t_backward(t_mean(t_square(nn_call(other, x))));
                optim_step(optimizer);
            }
            with_no_grad () sum = t_item(t_add(t_sum(other->weight), t_sum(other->bias)));
        }
    }
    return sum;
}
static double other_sum;

static void own_backward(void) {
    with_scope () {
        with_enable_grad () {
            Tensor *a = t_full((3), 3.0, .requires_grad = true);
            if (t_backward(t_sum(t_mul(t_exp(t_mul(a, 0)), t_mul(a, a))))) REQUIRE(t_item(t_sum(t_grad(a))) == 18);
        }
    }
}

static void *a_dead_one(void) {
    void *object = NULL;
    with_scope () {
        if (kind->returns == a_tensor)
            object = t_ones(3);
        else if (kind->returns == a_list)
            object = t_list(t_ones(3));
        else
            object = t_dict();
    }
    return object;
}

static void *wrap(Tensor *x) {
    if (kind->returns == a_tensor) return x;
    if (kind->returns == a_list) return t_list(x);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "x", x);
    return dict;
}

static bool is_due(void) {
    if (misdeed == none || !kind || happened || ++calls != (kind->when ? kind->when : 1)) return false;
    happened = true;
    return true;
}

/* Returns what the callback returns; normal: what it does when it behaves. */
static void *misbehave(Tensor *given, void *normal) {
    switch (misdeed) {
    case fails: return t_matmul(t_ones(1, 2), t_ones(7, 7)), NULL;
    case fails_plain: return (t_matmul)(t_ones(1, 2), t_ones(7, 7)), NULL;
    case fails_returns: return (t_matmul)(t_ones(1, 2), t_ones(7, 7)), normal;
    case returns_null: return NULL;
    case wrong_shape: return kind->returns <= a_dict ? wrap(t_ones(7, 11)) : NULL;
    case wrong_dtype:
        return kind->returns <= a_dict ? wrap(t_zeros_like(given ? given : t_ones(3), .dtype = t_int64)) : NULL;
    case empty:
        return kind->returns == a_tensor ? (void *)t_ones(0)
               : kind->returns == a_list ? (void *)t_list()
                                         : (void *)t_dict();
    case dead: return a_dead_one();
    case other_class: return optim_SGD(t_list(t_ones(2, .requires_grad = true)));
    case backward: return own_backward(), t_error() ? NULL : normal;
    case same_graph:
        with_enable_grad () {
            if (world->loss)
                t_backward(world->loss);
            else if (given && t_requires_grad(given))
                t_backward(t_sum(given));
        }
        return t_error() ? NULL : normal;
    case trains:
        if (train_another() != other_sum) REQUIRE(t_error() != NULL);
        return t_error() ? NULL : normal;
    case in_place:
        with_no_grad () t_mul_(given, 2);
        return t_error() ? NULL : normal;
    case hooks: return register_hooks(), normal;
    case opens:
        for (int i = 0; i < 5; i++) t_scope_open(), (void)t_ones(3);
        if (kind->returns == a_tensor && (normal || given)) return t_clone(normal ? (Tensor *)normal : given);
        if (kind->returns == a_list && normal)
            return (t_list_new)(((t_TensorList *)normal)->items, ((t_TensorList *)normal)->len);
        return normal;
    case closes:
        (t_scope_close)(1);
        t_clear_error();
        return normal;
    case closes_loud: return (t_scope_close)(1), normal;
    case modes: return t_set_grad_enabled(!t_is_grad_enabled()), normal;
    case jumps: longjmp(outside, 1);
    case handler_jumps:
        t_set_error_handler(jumping_handler, NULL);
        t_matmul(t_ones(1, 2), t_ones(7, 7));
        REQUIRE(!"the handler did not jump");
        return NULL;
    default: return normal;
    }
}

void *act(Tensor *given, void *normal) {
    return is_due() ? misbehave(given, normal) : normal;
}

bool acts_wrong(Tensor *given) {
    static char right;
    return is_due() && misbehave(given, &right) != &right;
}

/* ---- a cell ---- */

static bool loud;
static int cells, absent, failed_cells, expected_errors, jumps_out, unchanged, changed;
static Numbers undisturbed;

static void complain(const char *format, const char *more) {
    failed_cells++;
    printf("torture_callbacks: %s, %s: ", kind->name, misdeed_names[misdeed]);
    printf(format, more ? more : "(none)");
    putchar('\n');
}

static const char *default_end(void) {
    if (kind->returns > a_dict && misdeed > returns_null && misdeed <= other_class) return "-";
    switch (misdeed) {
    case fails:
    case fails_plain:
    case fails_returns: return "!" FAILURE;
    case closes_loud: return "!the scope of depth 1 cannot be closed here";
    case jumps:
    case handler_jumps: return kind->no_jump ? "-" : "^";
    case in_place: return kind->no_given ? "-" : "~";
    case dead:
        return kind->returns == a_tensor ? "!died with its scope"
               : kind->returns == a_list ? "!not a live list"
                                         : "!not a live dict";
    case other_class:
        return kind->returns == a_tensor ? "!is a Optimizer, not a tensor"
               : kind->returns == a_list ? "!not a live list"
                                         : "!not a live dict";
    case returns_null: return kind->returns == nothing ? "-" : "=";
    default: return "=";
    }
}

/* The third step, with the callback. 1: it succeeded; 0: it failed; -1: the callback jumped out. */
static int disturbed_step(World *w) {
    volatile int result = 0;
    const t_Mark mark = t_mark();
    if (!setjmp(outside)) {
        with_scope () result = kind->run(w);
    } else {
        t_unwind(mark);
        result = -1;
    }
    record_errors();
    return result;
}

/* Its list may hold the hook no longer, and its scope is closed: the world holds it. */
static void remove_hook(t_Hook *hook) {
    (t_hook_remove)(hook);
    t_release(hook);
}

static void run_cell(void) {
    const char *end = kind->ends[misdeed] ? kind->ends[misdeed] : default_end();
    if (*end == '-') {
        absent++;
        return;
    }
    cells++;
    const int before_failures = failed_cells;
    const int64_t live = t_live_count(), bytes = t_live_bytes(), records = tg_thread.records_alive,
                  leaf_hooks = tg_thread.leaf_hooks;
    with_scope () {
        World *w = world_new();
        for (; w->step < DISTURBED; w->step++)
            with_scope () plain_step(w);
        Tensor *rng = t_get_rng_state();
        t_TensorDict *model = copy_of(nn_state_dict(w->model)), *optimizer = copy_of(optim_state_dict(w->optimizer));
        Tensor *x[STEPS];
        for (int i = 0; i < STEPS; i++) x[i] = t_clone(w->x[i]);
        const Numbers before = numbers_of(w, false);
        calls = errors = 0;
        happened = false;
        complaint = NULL;
        *error_text = '\0';
        const int depth = t_scope_depth();
        const bool mode = t_is_grad_enabled();
        const int result = disturbed_step(w);
        const char got = result < 0 ? '^' : result ? '=' : '!';
        char message[2000];
        snprintf(message, sizeof message, "%s", t_error() ? t_error() : "");
        t_clear_error();
        w->loss = NULL;
        for (int i = 0; i < w->extras; i++) remove_hook(w->extra[i]);
        if (w->handle) remove_hook(w->handle);
        t_clear_error();
        if (kind->undo) kind->undo(w);
        if (complaint) complain("%s is false in the callback", complaint);
        if (misdeed != none && !happened) complain("the callback was not called", "");
        if (t_scope_depth() != depth) complain("a scope is left open", "");
        if (t_is_grad_enabled() != mode) {
            if (misdeed != modes) complain("grad mode is changed", "");
            t_set_grad_enabled(mode);
        }
        const Numbers after = numbers_of(w, false);
        const bool is_changed = !same_numbers(&before, &after);
        if (loud) {
            printf("%-34s %-14s %c%s%s\n", kind->name, misdeed_names[misdeed], got,
                   got == '!' && is_changed ? " (changed) " : " ", got == '!' ? message : "");
        }
        const char want = *end == '?' ? '!' : *end == '~' ? '=' : *end;
        if (got != want)
            complain(got == '!' ? "failed: %s" : got == '=' ? "succeeded%s" : "jumped%s", got == '!' ? message : "");
        else if (got == '!' && !strstr(message, end + 1))
            complain("failed with another message: %s", message);
        if (got == '!') {
            expected_errors++;
            if (errors != 1 && !kind->unreported)
                complain(errors ? "the error was reported more than once: %s" : "the error was not reported: %s",
                         message);
            if (is_changed && *end != '?') complain("failed, but changed the model: %s", message);
        } else if (errors && got == '=' && !kind->unreported) {
            complain("succeeded, but reported an error: %s", error_text);
        }
        jumps_out += got == '^';
        if (got == '=') {
            if (*end == '=')
                unchanged++;
            else
                changed++;
        }
        if (got != '=' || *end != '=') { /* the step again, without the callback */
            for (int i = 0; i < STEPS; i++) (t_copy_)(w->x[i], x[i]);
            if (is_changed) {
                nn_load_state_dict(w->model, model);
                optim_load_state_dict(w->optimizer, optimizer);
            }
            t_set_rng_state(rng);
            with_scope () plain_step(w);
        }
        for (w->step++; w->step < STEPS; w->step++)
            with_scope () plain_step(w);
        if (t_error()) complain("training afterwards fails: %s", t_error());
        t_clear_error();
        const Numbers last = numbers_of(w, true);
        if (!same_numbers(&undisturbed, &last)) complain("training goes on with other numbers", "");
    }
    if (t_live_count() != live || t_live_bytes() != bytes) {
        char text[100];
        snprintf(text, sizeof text, "%lld tensors, %lld bytes are left", (long long)(t_live_count() - live),
                 (long long)(t_live_bytes() - bytes));
        complain("%s", text);
    }
    if (tg_thread.records_alive != records) complain("a record is left", "");
    if (tg_thread.leaf_hooks != leaf_hooks) complain("a leaf hook is counted still", "");
    if (failed_cells > before_failures + 1) failed_cells = before_failures + 1;
}

static const Kind *const families[] = {module_kinds, autograd_kinds, optim_kinds, data_kinds, func_kinds, other_kinds};

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "-v")) loud = true, argc--, argv++;
    setvbuf(stdout, NULL, _IOLBF, 0);
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    t_set_error_handler(recording_handler, NULL);
    other_sum = train_another();
    with_scope () {
        World *w = world_new();
        for (; w->step < STEPS; w->step++)
            with_scope () plain_step(w);
        undisturbed = numbers_of(w, true);
    }
    int count = 0;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (kind = families[f]; kind->name; kind++) {
            if (argc > 1 && strcmp(argv[1], kind->name)) continue;
            count++;
            for (misdeed = none; misdeed < MISDEEDS; misdeed++)
                if (argc < 3 || !strcmp(argv[2], misdeed_names[misdeed])) run_cell();
        }
    printf(
        "torture_callbacks: %d kinds of callbacks, %d misdeeds: %d cells (%d do not exist): %d failed as documented, "
        "%d were left by longjmp, %d changed their step, %d had the undisturbed numbers; %d findings\n",
        count, MISDEEDS - 1, cells, absent, expected_errors, jumps_out, changed, unchanged, failed_cells);
    return failed_cells > 0;
}
