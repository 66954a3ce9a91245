/* tests/torture/callbacks/other_kinds.c: the error handler, parametrizations, pruning, the profiler's handler, element
 * functions, loaders of files, and other functions that are given to the library. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/profiler/profiler.h"
#include "core/text/text.h"
#include "core/vision/vision.h"
#include "nn/onnx/onnx.h"
#include "tests/torture/callbacks/callbacks.h"

/* ---- error handler: the failure of a plain operation calls it ---- */

static void handler(const char *text, void *context) {
    (void)text, (void)context;
    t_clear_error();
    act(world->x[0], NULL);
}
static bool with_handler(World *w) {
    t_set_error_handler(handler, NULL);
    t_matmul(t_ones(2, 3), t_ones(2, 3));
    record_errors();
    t_clear_error();
    return plain_step(w);
}

/* ---- modules around a weight ---- */

static Tensor *good_call(Body *self, Tensor *x) {
    (void)self;
    return x;
}
static Tensor *inverse(void *self, Tensor *x) {
    (void)self;
    return act(x, x);
}

static void remove_parametrization(World *w) {
    t_clear_error();
    if (nn_utils_parametrize_is_parametrized(layer(w, 0), NULL))
        nn_utils_parametrize_remove_parametrizations(layer(w, 0), "weight", false);
}
static bool with_parametrization(World *w) {
    nn_Linear *fc = nn_deepcopy(layer(w, 0));
    return nn_utils_parametrize_register_parametrization(fc, "weight", nn_module(Body, body_call)) &&
           nn_call(fc, w->x[0]) && plain_step(w);
}
static bool with_right_inverse(World *w) {
    nn_Linear *fc = nn_deepcopy(layer(w, 0));
    Body *body = nn_module(Body, good_call);
    body->base.right_inverse = inverse;
    return nn_utils_parametrize_register_parametrization(fc, "weight", body) && nn_call(fc, w->x[0]) && plain_step(w);
}

static Tensor *compute_mask(Tensor *t, Tensor *default_mask, void *context) {
    (void)context, (void)t;
    return act(default_mask, default_mask);
}
static const nn_utils_prune_BasePruningMethod own_pruning = {nn_utils_prune_unstructured, compute_mask, 0};
static bool with_pruning(World *w) {
    nn_Linear *fc = nn_deepcopy(layer(w, 0));
    return nn_utils_prune_BasePruningMethod_apply(&own_pruning, fc, "weight") && nn_call(fc, w->x[0]) && plain_step(w);
}

static Tensor *activation(Tensor *x) {
    return act(x, x);
}
static bool with_activation(World *w) {
    Tensor *rng = t_get_rng_state();
    nn_TransformerEncoderLayer *encoder =
        nn_TransformerEncoderLayer(4, 2, 8, .dropout = 0.0, .activation_function = activation);
    t_set_rng_state(rng);
    return nn_call(encoder, t_ones(3, 2, 4)) && plain_step(w);
}

static Tensor *distance(Tensor *a, Tensor *b) {
    (void)b;
    return act(a, t_sum(t_square(t_sub(a, b)), -1));
}
static bool with_distance(World *w) {
    Tensor *a = w->x[0];
    return F_triplet_margin_with_distance_loss(a, w->x[1], w->x[2], .distance_function = distance) && plain_step(w);
}

/* ---- tools that call a model ---- */

static bool with_summary(World *w) {
    FILE *to = fopen("/dev/null", "w");
    Body *body = nn_module(Body, body_call);
    const bool ok = (nn_summary)(body, t_list(w->x[0]), to);
    fclose(to);
    return ok && body->base.training && plain_step(w);
}
static t_TensorList *onnx_forward(void *model, t_TensorList *args, void *context) {
    (void)context;
    Tensor *y = nn_call(model, args->items[0]);
    return act(args->items[0], t_list(y));
}
static bool with_onnx(World *w) {
    nn_Sequential *model = nn_deepcopy(w->model);
    size_t count = 0;
    void *bytes = onnx_export_bytes(model, w->x[0], &count, .forward = onnx_forward);
    free(bytes);
    if (!((nn_Module *)model)->training) return t_fail("the training mode is not restored") != NULL;
    return bytes && plain_step(w);
}
static Tensor *traced_hook(Tensor *g, void *context) {
    (void)context;
    return act(g, NULL);
}
static bool with_tape_page(World *w) {
    Tensor *rng = t_get_rng_state(), *loss = forward(w);
    t_set_rng_state(rng);
    t_Hook *hook = t_register_hook(loss, traced_hook);
    char path[] = "/tmp/torture_tape_XXXXXX";
    const int file = mkstemp(path);
    if (file >= 0) close(file);
    unlink(path);
    const bool ok = t_tape_html(loss, path);
    unlink(path);
    t_hook_remove(hook);
    return ok && plain_step(w);
}

/* ---- profiler ---- */

static void trace_ready(profiler_profile *prof) {
    (void)prof;
    act(NULL, NULL);
}
static bool with_trace_handler(World *w) {
    profiler_profile *prof = profiler_profile(.on_trace_ready = trace_ready);
    if (!profiler_start(prof)) return false;
    t_add(t_ones(2), 1);
    return profiler_stop(prof) && plain_step(w);
}

/* ---- functions of elements ---- */

static double element(const double *value, void *context) {
    (void)context;
    return acts_wrong(world->x[0]) ? NAN : value[0];
}
static bool with_apply(World *w) {
    return t_apply_(t_ones(2, 3), element) && plain_step(w);
}

/* ---- texts and files ---- */

static t_StringList *tokens(void *context) {
    int *at = context;
    if (*at == 2 || acts_wrong(NULL)) return NULL;
    t_StringList *list = t_strings();
    t_strings_append(list, (*at)++ ? "a" : "b");
    return list;
}
static bool with_tokens(World *w) {
    int at = 0;
    return torchtext_build_vocab_from_iterator(tokens, .context = &at) && plain_step(w);
}

static char folder[] = "/tmp/torture_folder_XXXXXX";
static void make_folder(void) {
    if (access(folder, F_OK) == 0 || !mkdtemp(folder)) return;
    char path[200];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%c", folder, 'a' + i);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%c/x.txt", folder, 'a' + i);
        FILE *file = fopen(path, "w");
        if (file) fclose(file);
    }
}
static void remove_folder(World *w) {
    (void)w;
    char path[200];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%c/x.txt", folder, 'a' + i);
        unlink(path);
        snprintf(path, sizeof path, "%s/%c", folder, 'a' + i);
        rmdir(path);
    }
    rmdir(folder);
    snprintf(folder, sizeof folder, "/tmp/torture_folder_XXXXXX");
}
static Tensor *load(const char *path, void *context) {
    (void)path, (void)context;
    Tensor *x = t_ones(2);
    return act(x, x);
}
static Tensor *good_load(const char *path, void *context) {
    (void)path, (void)context;
    return t_ones(2);
}
static bool is_valid(const char *path, void *context) {
    (void)path, (void)context;
    return !acts_wrong(NULL);
}
static bool read_folder(World *w, data_Dataset *dataset) {
    if (!dataset) return false;
    Tensor *x = NULL, *y = NULL;
    for (int64_t i = 0; i < 2; i++)
        if (!data_dataset_get(dataset, i, &x, &y) || !t_sum(x)) return false;
    return plain_step(w);
}
static bool with_loader(World *w) {
    make_folder();
    return read_folder(w, datasets_DatasetFolder(folder, .loader = load, .extensions = {".txt"}));
}
static bool with_is_valid_file(World *w) {
    make_folder();
    return read_folder(w, datasets_DatasetFolder(folder, .loader = good_load, .is_valid_file = is_valid));
}

const Kind other_kinds[] = {
    {"error handler", nothing, with_handler,
     .ends = {[fails] = "=", [fails_plain] = "=", [fails_returns] = "=", [closes_loud] = "=", [modes] = NO_GRAD}},
    {"parametrization", a_tensor, with_parametrization,
     .ends = {[returns_null] = "!the forward of Body returned NULL",
              [wrong_shape] = "!Registering a parametrization may not change the shape of th",
              [wrong_dtype] = "!Registering a parametrization may not change the dtype of th",
              [empty] = "!Registering a parametrization may not change the shape of th",
              [dead] = NO_TENSOR,
              [other_class] = NO_TENSOR,
              [modes] = NO_GRAD},
     .undo = remove_parametrization},
    {"right_inverse", a_tensor, with_right_inverse,
     .ends = {[returns_null] = "!right_inverse of Body returned NULL",
              [wrong_shape] = "!Registering a parametrization may not change the shape of th",
              [wrong_dtype] = "!When `right_inverse` outputs one tensor, it may not change t",
              [empty] = "!Registering a parametrization may not change the shape of th"},
     .undo = remove_parametrization},
    {"compute_mask of a pruning method", a_tensor, with_pruning,
     .ends = {[returns_null] = "!compute_mask returned NULL",
              [wrong_shape] = "!compute_mask returned a mask of shape torch.Size([7, 11]) fo",
              [empty] = "!compute_mask returned a mask of shape torch.Size([0]) for a"}},
    {"activation_function", a_tensor, with_activation,
     .ends = {[returns_null] = "!argument 2 is NULL where a tensor is expected",
              NO_PRODUCT("8"),
              [wrong_dtype] = OTHER_DTYPE,
              [modes] = NO_GRAD}},
    {"distance_function", a_tensor, with_distance,
     .ends = {[returns_null] = "!distance_function returned NULL",
              [wrong_shape] = "!The size of tensor a (11) must match the size of tensor b (6",
              [wrong_dtype] = "!The size of tensor a (4) must match the size of tensor b (6)",
              [empty] = "!The size of tensor a (0) must match the size of tensor b (6)",
              [modes] = NO_GRAD}},
    {"forward in a summary", a_tensor, with_summary,
     .ends = {[returns_null] = "!the forward of Body returned NULL", [dead] = NO_TENSOR, [other_class] = NO_TENSOR},
     .unreported = true},
    {"forward of onnx_export", a_list, with_onnx,
     .ends = {[returns_null] = "!the forward of onnx_export returned NULL",
              [wrong_shape] = "!output 0 is not computed by operations that the export sees",
              [wrong_dtype] = "!output 0 is not computed by operations that the export sees",
              [empty] = "!the number of outputs depends on the input",
              [backward] = "!the operations of the forward depend on the values of the in",
              [trains] = "!a tensor of shape [1, 3] was written to in place through a v"}},
    {"hook in tape_html", a_tensor, with_tape_page,
     .ends = {[fails] = "=",
              [fails_plain] = "=",
              [fails_returns] = "=",
              [dead] = "=",
              [other_class] = "=",
              [closes_loud] = "="},
     .unreported = true},
    {"on_trace_ready", nothing, with_trace_handler, .ends = {[modes] = NO_GRAD}, .no_given = true},
    {"function of apply_", a_number, with_apply, .ends = {[modes] = NO_GRAD}},
    {"iterator of a vocabulary", a_truth, with_tokens, .ends = {[modes] = NO_GRAD}, .no_given = true},
    {"loader of a folder", a_tensor, with_loader,
     .ends = {[returns_null] = "!the loader of ", [modes] = NO_GRAD}, .undo = remove_folder},
    {"is_valid_file", a_truth, with_is_valid_file,
     .ends = {[returns_null] = "!Found no valid file for the classes a.", [modes] = NO_GRAD}, .no_jump = true,
     .no_given = true, .undo = remove_folder},
    {.name = NULL}};
