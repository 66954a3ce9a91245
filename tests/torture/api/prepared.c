/* tests/torture/api/prepared.c: objects in a state that no constructor gives: an encoder that has been fitted, a module
 * whose weight is pruned, a profile that is running. They are drawn for arguments of their class, as the results of
 * public functions are, and rules.py names one where an argument must be it. */
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"
#include "core/data/data.h"
#include "core/pandas/pandas.h"
#include "core/profiler/profiler.h"
#include "core/sklearn/sklearn.h"
#include "core/tensorboard/tensorboard.h"
#include "core/text/text.h"
#include "core/vision/vision.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- tensors ---- */

/* A parameter with a gradient and its optimizer, the same for all arguments of a call. */
static Tensor *the_weight;
static optim_Optimizer *the_optimizer;

void prepared_begin(void) {
    the_weight = NULL;
    the_optimizer = NULL;
}

static void *weight(void) {
    if (the_weight) return the_weight;
    the_weight = t_ones(3, 2, .requires_grad = true);
    t_backward(t_sum(the_weight));
    return the_weight;
}

static void *weights(void) {
    Tensor *x = weight();
    return t_list(x);
}

static void *loss(void) {
    Tensor *x = weight();
    return t_sum(t_mul(x, x));
}

static void *losses(void) {
    Tensor *x = loss();
    return t_list(x);
}

static void *matrices(void) {
    return t_list(t_ones(2, 3), t_ones(3, 4), t_ones(4, 2));
}

static void *number(void) {
    return (t_number)(0.5);
}

static Tensor *matrix(void) {
    return t_add(t_eye(3), 0.5);
}

static void *lu(void) {
    Tensor *pivots;
    return (linalg_lu_factor)(matrix(), true, &pivots);
}

static void *lu_pivots(void) {
    Tensor *pivots;
    (linalg_lu_factor)(matrix(), true, &pivots);
    return pivots;
}

static void *ldl(void) {
    Tensor *pivots;
    return (linalg_ldl_factor)(matrix(), &pivots);
}

static void *ldl_pivots(void) {
    Tensor *pivots;
    (linalg_ldl_factor)(matrix(), &pivots);
    return pivots;
}

static void *edges(void) {
    return t_list(t_linspace(0, 1, 3), t_linspace(0, 1, 4));
}

static void *zero_indices(void) {
    return t_zeros(1, 2, 1, 1, 1, .dtype = t_int64);
}

static void *generator_state(void) {
    return (t_get_rng_state)();
}

static Tensor *image(void) {
    return t_zeros(3, 4, 5, .dtype = t_uint8);
}

static void *png_bytes(void) {
    return (io_encode_png)(image(), NULL);
}

static void *jpeg_bytes(void) {
    return (io_read_file)("data/image.jpeg");
}

static void *pil_image(void) {
    return (TF_to_pil_image)(image());
}

static void *retained(void) {
    return (t_retain)(t_ones(2));
}

static void *mark(void) {
    static t_Mark made;
    (t_mark)(&made);
    return &made;
}

/* The record of a call of a t_Function, which its rule gets. */
static t_Context *the_context;

static void rule(t_Context *ctx, Tensor *dy, Tensor **dx) {
    the_context = ctx;
    dx[0] = dy;
}

static void *context_of_a_rule(void) {
    static const t_Function function = {.name = "f", .grad_fn = "FBackward", .backward = rule};
    static const int attribute = 3;
    Tensor *x = t_ones(2, .requires_grad = true);
    const t_ApplyOptions options = {
        .size = sizeof options, .saved = t_list(x), .attributes = &attribute, .attribute_bytes = sizeof attribute};
    Tensor *y = (t_apply)(&function, t_ones(2), t_list(x), &options);
    t_backward(t_sum(y), .retain_graph = true);
    return the_context;
}

/* ---- dicts, tables and texts ---- */

static void *settings(void) {
    t_TensorDict *dict = t_dict(), *inner = t_dict();
    t_dict_set(inner, "weight", t_ones(2));
    t_dict_set(dict, "epoch", 3);
    t_dict_set(dict, "mean", 0.5);
    t_dict_set(dict, "a", "text");
    t_dict_set(dict, "model_state_dict", inner);
    return dict;
}

static void *frame(void) {
    t_TensorDict *columns = t_dict();
    t_dict_set(columns, "b", t_tensor("[1.5, 2.5, 3.5, 4.5]"));
    pd_DataFrame *df = (pd_DataFrame_new)(columns);
    const char *const texts[] = {"x", "y", "x", "y"};
    (pd_setitem_series)(df, "a", (pd_Series_of_texts)(texts, 4, "a"));
    return df;
}

static void *text_frame(void) {
    const char *const names[] = {"a"};
    return (pd_DataFrame_select)(frame(), names, 1);
}

static void *number_frame(void) {
    const char *const names[] = {"b"};
    return (pd_DataFrame_select)(frame(), names, 1);
}

static void *texts(void) {
    return (pd_DataFrame_getitem)(frame(), "a");
}

static void *categories(void) {
    return (pd_Series_astype)(texts(), "category");
}

static void *aggregations(void) {
    static const pd_GroupbyAggOptions options = {PD_GROUPBY_AGG_DEFAULTS_, .by = {"a"},
                                                 .agg = {{"b", "mean", "average"}}};
    return (void *)(uintptr_t)&options;
}

static void *vocabulary(void) {
    const char *const words[] = {"a", "b", "weight"};
    const int64_t counts[] = {3, 2, 1};
    return (torchtext_vocab_new)((t_strings_new)(words, 3), counts, NULL);
}

static void *file_names(void) {
    const char *const names[] = {"right.txt"};
    return (t_strings_new)(names, 1);
}

static void *encoding(void) {
    return (tiktoken_get_encoding)("gpt2");
}

static void *events(void) {
    const tensorboard_SummaryWriterOptions options = {TENSORBOARD_SUMMARY_WRITER_DEFAULTS_, .log_dir = "events"};
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter_new(&options);
    (tensorboard_add_scalar)(writer, "loss", t_tensor(0.5), NULL);
    (tensorboard_close)(writer);
    return (tensorboard_load_events)("events");
}

/* ---- what has been fitted ---- */

static void *fitted_one_hot_encoder(void) {
    sklearn_OneHotEncoder *encoder = (sklearn_OneHotEncoder_new)(NULL);
    (sklearn_OneHotEncoder_fit)(encoder, text_frame());
    return encoder;
}

static void *fitted_ordinal_encoder(void) {
    sklearn_OrdinalEncoder *encoder = (sklearn_OrdinalEncoder_new)(NULL);
    (sklearn_OrdinalEncoder_fit)(encoder, text_frame());
    return encoder;
}

static void *fitted_label_encoder(void) {
    sklearn_LabelEncoder *encoder = (sklearn_LabelEncoder_new)();
    (sklearn_LabelEncoder_fit)(encoder, texts());
    return encoder;
}

static void *fitted_imputer(void) {
    sklearn_SimpleImputer *imputer = (sklearn_SimpleImputer_new)(NULL);
    (sklearn_SimpleImputer_fit)(imputer, number_frame());
    return imputer;
}

static void *fitted_tensor_imputer(void) {
    sklearn_SimpleImputer *imputer = (sklearn_SimpleImputer_new)(NULL);
    (sklearn_SimpleImputer_fit_tensor)(imputer, t_ones(4, 2));
    return imputer;
}

static void *fitted_standard_scaler(void) {
    sklearn_StandardScaler *scaler = (sklearn_StandardScaler_new)(NULL);
    (sklearn_StandardScaler_fit)(scaler, t_ones(4, 2));
    return scaler;
}

static void *fitted_min_max_scaler(void) {
    sklearn_MinMaxScaler *scaler = (sklearn_MinMaxScaler_new)(NULL);
    (sklearn_MinMaxScaler_fit)(scaler, t_ones(4, 2));
    return scaler;
}

/* ---- modules ---- */

static void *conv(void) {
    return nn_eval(nn_Conv2d(2, 3, 2));
}

static void *linear(void) {
    return nn_eval(nn_Linear(2, 3));
}

static void *batch_norm(void) {
    return nn_eval(nn_BatchNorm2d(3));
}

static void *pruned(void) {
    return (nn_utils_prune_identity)(linear(), "weight");
}

static void *weight_normed(void) {
    return (nn_utils_weight_norm)(linear(), "weight", 0);
}

static void *spectral_normed(void) {
    return (nn_utils_spectral_norm)(linear(), "weight", 1, 1e-12, T_NONE);
}

static void *orthogonal(void) {
    return nn_utils_parametrizations_orthogonal(linear(), "weight");
}

static void *module_list(void) {
    return nn_ModuleList(nn_Linear(2, 3));
}

static void *module_dict(void) {
    return nn_ModuleDict({"a", nn_Linear(2, 3)});
}

static void *linear_bytes(void) { /* an integer */
    return (void *)sizeof(nn_Linear);
}

typedef struct Subclass {
    nn_Linear super;
} Subclass;
static Tensor *subclass_call(Subclass *self, Tensor *x) {
    return nn_super_forward(self, x);
}
static void *subclass(void) {
    return nn_subclass(Subclass, subclass_call, nn_Linear(2, 3));
}

typedef struct Subclass2 {
    nn_Bilinear super;
} Subclass2;
static Tensor *subclass2_call(Subclass2 *self, Tensor *a, Tensor *b) {
    return nn_super_forward(self, a, b);
}
static void *subclass2(void) {
    return nn_subclass2(Subclass2, subclass2_call, nn_Bilinear(2, 2, 3));
}

static void *max_pool1d(void) {
    return nn_MaxPool1d(2);
}
static void *max_pool2d(void) {
    return nn_MaxPool2d(2);
}
static void *max_pool3d(void) {
    return nn_MaxPool3d(2);
}
static void *max_unpool1d(void) {
    return nn_MaxUnpool1d(2);
}
static void *max_unpool2d(void) {
    return nn_MaxUnpool2d(2);
}
static void *max_unpool3d(void) {
    return nn_MaxUnpool3d(2);
}
static void *fractional_max_pool2d(void) {
    return nn_FractionalMaxPool2d(2, .output_size = {3, 3});
}
static void *fractional_max_pool3d(void) {
    return nn_FractionalMaxPool3d(2, .output_size = {3, 3, 3});
}
static void *rnn(void) {
    return nn_RNN(2, 3);
}
static void *lstm(void) {
    return nn_LSTM(2, 3);
}
static void *gru(void) {
    return nn_GRU(2, 3);
}
static void *packed(void) {
    return (nn_utils_rnn_pack_sequence)(t_list(t_ones(3, 2), t_ones(1, 2)), true);
}
static void *hidden_state(void) {
    static nn_HiddenState state;
    state = nn_HiddenState_new(t_ones(1, 3), NULL);
    return &state;
}
static void *decoder(void) {
    return nn_Decoder(1, 4, 2, 8, 5);
}
static void *encoder_decoder(void) {
    return nn_EncoderDecoder(1, 4, 2, 8, 5, 5);
}
static void *token_ids(void) {
    return t_ones(1, 3, .dtype = t_int64);
}
static void *memory(void) {
    return t_ones(1, 2, 4);
}
static void *pool3d_options(void) {
    static F_Pool3dOptions options;
    options = F_Pool3dDefaults;
    for (int i = 0; i < 3; i++) options.kernel_size[i] = 2;
    return &options;
}
static void *fractional_options(void) {
    static F_FractionalMaxPoolOptions options;
    options = F_FractionalMaxPoolDefaults;
    for (int i = 0; i < 3; i++) options.kernel_size[i] = 2, options.output_size[i] = 3;
    return &options;
}

/* ---- optimizers ---- */

static void *optimizer(void) {
    if (the_optimizer) return the_optimizer;
    the_optimizer = optim_SGD(weights(), 0.1, 0.9);
    (optim_step)(the_optimizer);
    return the_optimizer;
}

static void own_step(optim_Optimizer *self) {
    (void)self;
}

static void *own_optimizer(void) {
    return optim_Optimizer(weights(), own_step);
}

static void *schedulers(void) {
    static optim_LRScheduler *both[3];
    both[0] = (optim_ConstantLR_new)(optimizer(), NULL);
    both[1] = (optim_LinearLR_new)(optimizer(), NULL);
    return both;
}

static void *grad_scaler(void) {
    amp_GradScaler *scaler = (amp_GradScaler_new)(NULL);
    (amp_scale)(scaler, t_ones(1));
    return scaler;
}

/* ---- data ---- */

static void *batch_sampler(void) {
    return (data_BatchSampler_new)((data_SequentialSampler_new)((data_TensorDataset_new)(t_list(t_ones(5, 2)))), 2,
                                   false);
}

static int64_t length(void *context) {
    (void)context;
    return 5;
}

static t_TensorDict *sample(void *context, int64_t index) {
    t_TensorDict *dict = t_dict();
    (void)context;
    t_dict_set(dict, "x", t_full(2, (double)index));
    t_dict_set(dict, "note", "text");
    return dict;
}

static void *loader(void) {
    return (data_DataLoader_new)((data_Dataset_of_dicts)(length, sample, NULL), NULL);
}

static void *running_batch(void) {
    static data_Batch batch;
    memset(&batch, 0, sizeof batch);
    (data_iter)(loader(), &batch);
    (data_iter_next)(&batch);
    return &batch;
}

static void *loader_with_a_bar(void) {
    static data_Batch batch;
    memset(&batch, 0, sizeof batch);
    data_DataLoader *shown = (data_tqdm)(loader(), NULL);
    (data_iter)(shown, &batch);
    (data_iter_next)(&batch);
    return shown;
}

static t_StringList *split(const char *text) {
    return (t_strings_new)(&text, 1);
}

static void *map(void) {
    static torchtext_Map made;
    const char *const lines[] = {"a b", "c"};
    made = (torchtext_Map){split, (t_strings_new)(lines, 2), 0};
    return &made;
}

static Tensor *load_bytes(const char *path, void *context) {
    (void)context;
    return (io_read_file)(path);
}

static void *folder_options(void) {
    static const datasets_FolderOptions options = {
        .size = sizeof options, .loader = load_bytes, .extensions = {".png", ".txt"}};
    return (void *)(uintptr_t)&options;
}

/* ---- profiles ---- */

static void *running_profile(void) {
    profiler_profile *profile = profiler_profile(.profile_memory = true, .record_shapes = true);
    (profiler_start)(profile);
    return profile;
}

static void *finished_profile(void) {
    profiler_profile *profile = running_profile();
    t_matmul(t_ones(3, 3), t_ones(3, 3));
    (profiler_stop)(profile);
    return profile;
}

static void *profiler_events_of_a_run(void) {
    return (profiler_events)(finished_profile());
}

/* ---- the table ---- */

static const struct {
    const char *class, *name;
    void *(*make)(void);
} table[] = {
    {"Tensor", "weight", weight},
    {"Tensor", "loss", loss},
    {"Tensor", "number", number},
    {"Tensor", "lu", lu},
    {"Tensor", "lu_pivots", lu_pivots},
    {"Tensor", "ldl", ldl},
    {"Tensor", "ldl_pivots", ldl_pivots},
    {"Tensor", "zero_indices", zero_indices},
    {"Tensor", "generator_state", generator_state},
    {"Tensor", "png_bytes", png_bytes},
    {"Tensor", "jpeg_bytes", jpeg_bytes},
    {"Tensor", "pil_image", pil_image},
    {"Tensor", "token_ids", token_ids},
    {"Tensor", "memory", memory},
    {"t_TensorList", "weights", weights},
    {"t_TensorList", "losses", losses},
    {"t_TensorList", "edges", edges},
    {"t_TensorList", "matrices", matrices},
    {"t_TensorDict", "settings", settings},
    {"pd_DataFrame", "frame", frame},
    {"pd_DataFrame", "text_frame", text_frame},
    {"pd_DataFrame", "number_frame", number_frame},
    {"pd_Series", "texts", texts},
    {"pd_Series", "categories", categories},
    {"", "aggregations", aggregations},
    {"torchtext_Vocab", "vocabulary", vocabulary},
    {"t_StringList", "file_names", file_names},
    {"tiktoken_Encoding", "encoding", encoding},
    {"tensorboard_Events", "events", events},
    {"sklearn_OneHotEncoder", "fitted_one_hot_encoder", fitted_one_hot_encoder},
    {"sklearn_OrdinalEncoder", "fitted_ordinal_encoder", fitted_ordinal_encoder},
    {"sklearn_LabelEncoder", "fitted_label_encoder", fitted_label_encoder},
    {"sklearn_SimpleImputer", "fitted_imputer", fitted_imputer},
    {"sklearn_SimpleImputer", "fitted_tensor_imputer", fitted_tensor_imputer},
    {"sklearn_StandardScaler", "fitted_standard_scaler", fitted_standard_scaler},
    {"sklearn_MinMaxScaler", "fitted_min_max_scaler", fitted_min_max_scaler},
    {"nn_Conv", "conv", conv},
    {"nn_Linear", "linear", linear},
    {"nn_BatchNorm", "batch_norm", batch_norm},
    {"nn_Module", "pruned", pruned},
    {"nn_Module", "weight_normed", weight_normed},
    {"nn_Module", "spectral_normed", spectral_normed},
    {"nn_Module", "orthogonal", orthogonal},
    {"nn_ModuleList", "module_list", module_list},
    {"nn_ModuleDict", "module_dict", module_dict},
    {"", "linear_bytes", linear_bytes},
    {"nn_Module", "subclass", subclass},
    {"nn_Module", "subclass2", subclass2},
    {"nn_MaxPool1d", "max_pool1d", max_pool1d},
    {"nn_MaxPool2d", "max_pool2d", max_pool2d},
    {"nn_MaxPool3d", "max_pool3d", max_pool3d},
    {"nn_MaxUnpool1d", "max_unpool1d", max_unpool1d},
    {"nn_MaxUnpool2d", "max_unpool2d", max_unpool2d},
    {"nn_MaxUnpool3d", "max_unpool3d", max_unpool3d},
    {"nn_FractionalMaxPool2d", "fractional_max_pool2d", fractional_max_pool2d},
    {"nn_FractionalMaxPool3d", "fractional_max_pool3d", fractional_max_pool3d},
    {"nn_RNN", "rnn", rnn},
    {"nn_LSTM", "lstm", lstm},
    {"nn_GRU", "gru", gru},
    {"nn_utils_rnn_PackedSequence", "packed", packed},
    {"", "hidden_state", hidden_state},
    {"nn_Decoder", "decoder", decoder},
    {"nn_EncoderDecoder", "encoder_decoder", encoder_decoder},
    {"", "pool3d_options", pool3d_options},
    {"", "fractional_options", fractional_options},
    {"optim_Optimizer", "optimizer", optimizer},
    {"optim_Optimizer", "own_optimizer", own_optimizer},
    {"", "schedulers", schedulers},
    {"amp_GradScaler", "grad_scaler", grad_scaler},
    {"data_Sampler", "batch_sampler", batch_sampler},
    {"data_DataLoader", "loader", loader},
    {"", "running_batch", running_batch},
    {"", "loader_with_a_bar", loader_with_a_bar},
    {"", "map", map},
    {"", "retained", retained},
    {"", "mark", mark},
    {"", "context_of_a_rule", context_of_a_rule},
    {"", "folder_options", folder_options},
    {"", "running_profile", running_profile},
    {"profiler_profile", "finished_profile", finished_profile},
    {"profiler_EventList", "profiler_events_of_a_run", profiler_events_of_a_run},
};
enum { PREPARED = sizeof table / sizeof *table };

const char *prepared_name(int i) {
    return i < PREPARED ? table[i].name : NULL;
}

const char *prepared_class(int i) {
    return table[i].class;
}

int prepared_find(const char *name) {
    for (int i = 0; i < PREPARED; i++)
        if (strcmp(table[i].name, name) == 0) return i;
    return -1;
}

void *prepared_make(int i, char *expression) {
    const int v = making.variables++;
    (t_clear_error)();
    void *made = table[i].make();
    (t_clear_error)();
    say("    void *v%d = %s(); /* tests/torture/api/prepared.c */\n", v, table[i].name);
    snprintf(expression, EXPRESSION, "v%d", v);
    return made;
}

/* ---- before a call ---- */

static Tensor *same(Tensor *x, void *context) {
    (void)context;
    return x;
}

static void enter_hooks(void) {
    (t_autograd_graph_enter_saved_tensors_hooks)(same, same, NULL);
}

static void enter_dual_level(void) {
    (t_autograd_forward_ad_enter_dual_level)();
}

/* What begins before a call that needs it; t_unwind ends what the call does not. */
void prepared_before(const char *function) {
    static const struct {
        const char *function;
        void (*begin)(void);
    } before[] = {
        {"t_autograd_graph_exit_saved_tensors_hooks", enter_hooks},
        {"t_autograd_forward_ad_exit_dual_level", enter_dual_level},
        {"t_autograd_forward_ad_make_dual", enter_dual_level},
    };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strcmp(before[i].function, function) == 0) before[i].begin();
}
