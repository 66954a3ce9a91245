/* tests/programs/flat_memory.c: objects made and freed in a loop do not grow the resident size of the process. Calls
 * each constructor in a scope a few thousand times and measures. Usage: flat_memory [rounds [a part of a name]] */
#define _DEFAULT_SOURCE /* sysconf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/distributions/distributions.h"
#include "core/pandas/pandas.h"
#include "core/plot/plot.h"
#include "core/profiler/profiler.h"
#include "core/python/python.h"
#include "core/sklearn/sklearn.h"
#include "core/text/text.h"
#include "core/vision/vision.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* A leak of 64 bytes per round is far more than this; what malloc keeps for itself is less. */
enum { BYTES_A_ROUND = 16, SLACK = 192 << 10, MOST_GROWTH = 1 << 20 };

static long rounds = 3000;
static const char *only = "";
static int measured, failed;

static long resident_bytes(void) {
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%*d %ld", &pages) != 1) pages = 0;
    if (statm) fclose(statm);
    return pages * sysconf(_SC_PAGESIZE);
}

static bool is_growth(long grown, long n) {
    const long most = SLACK + n * BYTES_A_ROUND;
    return grown > (most < MOST_GROWTH ? most : MOST_GROWTH);
}

static void report(const char *name, long grown, long n) {
    measured++;
    if (is_growth(grown, n)) {
        failed++;
        printf("flat_memory: %s: resident size grew by %ld bytes in %ld rounds\n", name, grown, n);
    } else if (rounds > 3000) {
        printf("%-28s %8ld rounds  %8ld bytes\n", name, n, grown);
    }
}

/* The first rounds fill the caches. The kernel counts pages per processor, 64 at a time, so a single measurement may be
 * off by that much: growth is measured again. */
#define FLAT_(name, n, ...)                              \
    do {                                                 \
        if (!strstr(name, only)) break;                  \
        long grown = 0;                                  \
        for (int look = 0; look < 3; look++) {           \
            long t0 = 0;                                 \
            for_range (i, 0, (n) + (n) / 4) {            \
                if (i == (n) / 4) t0 = resident_bytes(); \
                __VA_ARGS__;                             \
            }                                            \
            grown = resident_bytes() - t0;               \
            if (!is_growth(grown, n)) break;             \
        }                                                \
        report(name, grown, n);                          \
    } while (0)
#define FLAT(...) FLAT_(#__VA_ARGS__, rounds, (void)(__VA_ARGS__))
#define FLAT_STEPS(name, ...) FLAT_(name, rounds, __VA_ARGS__)
/* What writes files or takes long: a leak that is found is larger. */
#define SELDOM(name, ...) FLAT_(name, rounds < 1000 ? 10 : rounds / 100, __VA_ARGS__)

/* ---- what the rounds need ---- */

static double half(int64_t epoch, void *context) {
    (void)epoch, (void)context;
    return 0.5;
}

static Tensor *twice(Tensor *g, void *context) {
    (void)context;
    return t_mul(g, 2);
}

static int64_t four(void *context) {
    (void)context;
    return 4;
}

static bool sample(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_full((3,), (double)index);
    *y = t_tensor(index);
    return true;
}

static void modules(void) {
    FLAT(nn_Parameter(t_zeros(3)));
    FLAT(nn_Linear(64, 64));
    FLAT(nn_Bilinear(2, 3, 4));
    FLAT(nn_Embedding(5, 3));
    FLAT(nn_Dropout());
    FLAT(nn_LayerNorm(8));
    FLAT(nn_Identity());
    FLAT(nn_Sequential(nn_Linear(2, 3), nn_ReLU(), nn_Linear(3, 2)));
    FLAT(nn_ModuleList(nn_Linear(2, 3), nn_Linear(3, 2)));
    FLAT(nn_ModuleDict({"a", nn_Linear(2, 3)}, {"b", nn_Linear(3, 2)}));
    FLAT(nn_ParameterList(t_ones(2), t_ones(3)));
    FLAT(nn_ParameterDict({"a", t_ones(2)}, {"b", t_ones(3)}));
    FLAT(nn_MultiHeadAttention(8, 2));
    FLAT(nn_FeedForward(8, 16));
    FLAT(nn_PositionalEncoding(8));
    FLAT(nn_EncoderLayer(8, 2, 16));
    FLAT(nn_DecoderLayer(8, 2, 16));
    FLAT(nn_Encoder(2, 8, 2, 16, 11));
    FLAT(nn_Decoder(2, 8, 2, 16, 11));
    FLAT(nn_EncoderDecoder(2, 8, 2, 16, 11, 11));
    FLAT(nn_Sigmoid());
    FLAT(nn_Tanh());
    FLAT(nn_LogSigmoid());
    FLAT(nn_Softsign());
    FLAT(nn_Tanhshrink());
    FLAT(nn_ReLU());
    FLAT(nn_ReLU6());
    FLAT(nn_SELU());
    FLAT(nn_SiLU());
    FLAT(nn_Mish());
    FLAT(nn_Hardswish());
    FLAT(nn_Hardsigmoid());
    FLAT(nn_LeakyReLU());
    FLAT(nn_ELU());
    FLAT(nn_CELU());
    FLAT(nn_Hardtanh());
    FLAT(nn_Threshold(0.1, 20));
    FLAT(nn_Softplus());
    FLAT(nn_Softshrink());
    FLAT(nn_Hardshrink());
    FLAT(nn_Softmax(.dim = 1));
    FLAT(nn_LogSoftmax(.dim = 1));
    FLAT(nn_Softmin(.dim = 1));
    FLAT(nn_GLU());
    FLAT(nn_GELU());
    FLAT(nn_PReLU());
    FLAT(nn_Conv1d(2, 3, 3));
    FLAT(nn_Conv2d(2, 3, 3));
    FLAT(nn_ConvTranspose1d(2, 3, 3));
    FLAT(nn_ConvTranspose2d(2, 3, 3));
    FLAT(nn_Unfold(2));
    FLAT(nn_Fold(.output_size = {4, 4}, .kernel_size = {2, 2}));
    FLAT(nn_CrossEntropyLoss());
    FLAT(nn_NLLLoss());
    FLAT(nn_MSELoss());
    FLAT(nn_L1Loss());
    FLAT(nn_SmoothL1Loss());
    FLAT(nn_HuberLoss());
    FLAT(nn_BCELoss());
    FLAT(nn_BCEWithLogitsLoss());
    FLAT(nn_KLDivLoss());
    FLAT(nn_PoissonNLLLoss());
    FLAT(nn_GaussianNLLLoss());
    FLAT(nn_HingeEmbeddingLoss());
    FLAT(nn_CosineEmbeddingLoss());
    FLAT(nn_MarginRankingLoss());
    FLAT(nn_TripletMarginLoss());
    FLAT(nn_TripletMarginWithDistanceLoss());
    FLAT(nn_SoftMarginLoss());
    FLAT(nn_MultiMarginLoss());
    FLAT(nn_MultiLabelMarginLoss());
    FLAT(nn_MultiLabelSoftMarginLoss());
    FLAT(nn_RReLU());
    FLAT(nn_Softmax2d());
    FLAT(nn_ChannelShuffle(2));
    FLAT(nn_FeatureAlphaDropout());
    FLAT(nn_LPPool1d(2, 2));
    FLAT(nn_LPPool2d(2, 2));
    FLAT(nn_MaxUnpool1d(2));
    FLAT(nn_MaxUnpool2d(2));
    FLAT(nn_CosineSimilarity());
    FLAT(nn_PairwiseDistance());
    FLAT(nn_RMSNorm(8));
    FLAT(nn_GroupNorm(2, 4));
    FLAT(nn_BatchNorm1d(4));
    FLAT(nn_BatchNorm2d(4));
    FLAT(nn_InstanceNorm1d(4));
    FLAT(nn_InstanceNorm2d(4));
    FLAT(nn_LocalResponseNorm(2));
    FLAT(nn_ZeroPad1d(1));
    FLAT(nn_ZeroPad2d(1));
    FLAT(nn_ConstantPad1d(1, 2));
    FLAT(nn_ConstantPad2d(1, 2));
    FLAT(nn_ReflectionPad1d(1));
    FLAT(nn_ReflectionPad2d(1));
    FLAT(nn_ReplicationPad1d(1));
    FLAT(nn_ReplicationPad2d(1));
    FLAT(nn_CircularPad1d(1));
    FLAT(nn_CircularPad2d(1));
    FLAT(nn_MaxPool1d(2));
    FLAT(nn_MaxPool2d(2));
    FLAT(nn_AvgPool1d(2));
    FLAT(nn_AvgPool2d(2));
    FLAT(nn_AdaptiveAvgPool1d(2));
    FLAT(nn_AdaptiveAvgPool2d(2));
    FLAT(nn_AdaptiveMaxPool1d(2));
    FLAT(nn_AdaptiveMaxPool2d(2));
    FLAT(nn_RNN(3, 4));
    FLAT(nn_LSTM(3, 4));
    FLAT(nn_GRU(3, 4));
    FLAT(nn_RNNCell(3, 4));
    FLAT(nn_LSTMCell(3, 4));
    FLAT(nn_GRUCell(3, 4));
    FLAT(nn_MultiheadAttention(8, 2));
    FLAT(nn_TransformerEncoderLayer(8, 2, 16));
    FLAT(nn_TransformerDecoderLayer(8, 2, 16));
    FLAT(nn_TransformerEncoder(nn_TransformerEncoderLayer(8, 2, 16), 2));
    FLAT(nn_TransformerDecoder(nn_TransformerDecoderLayer(8, 2, 16), 2));
    FLAT(nn_Transformer(8, 2, 1, 1, 16));
    FLAT(nn_Flatten());
    FLAT(nn_Unflatten(1, (2, 2)));
    FLAT(nn_Dropout1d());
    FLAT(nn_Dropout2d());
    FLAT(nn_AlphaDropout());
    FLAT(nn_PixelShuffle(2));
    FLAT(nn_PixelUnshuffle(2));
    FLAT(nn_Upsample(.scale_factor = 2));
}

/* ---- optimizers, with the state that a step makes ---- */

static void step(nn_Linear *l, optim_Optimizer *optimizer) {
    optim_zero_grad(optimizer);
    t_backward(t_sum(nn_call(l, t_ones(2, 64))));
    optim_step(optimizer);
}

typedef struct Fit {
    nn_Linear *l;
    optim_Optimizer *optimizer;
} Fit;

static Tensor *fit_closure(void *context) {
    Fit *fit = context;
    optim_zero_grad(fit->optimizer);
    Tensor *loss = t_sum(t_square(nn_call(fit->l, t_ones(2, 64))));
    t_backward(loss);
    return loss;
}

static void optimizers(void) {
    nn_Linear *l = nn_Linear(64, 64);
    t_TensorList *p = nn_parameters(l);
    FLAT_STEPS("optim_SGD", step(l, optim_SGD(p, .lr = 1e-9, .momentum = 0.9)));
    FLAT_STEPS("optim_Adam", step(l, optim_Adam(p, .lr = 1e-9)));
    FLAT_STEPS("optim_Adam, amsgrad", step(l, optim_Adam(p, .lr = 1e-9, .amsgrad = true)));
    FLAT_STEPS("optim_AdamW", step(l, optim_AdamW(p, .lr = 1e-9)));
    FLAT_STEPS("optim_RMSprop", step(l, optim_RMSprop(p, .lr = 1e-9)));
    FLAT_STEPS("optim_Adagrad", step(l, optim_Adagrad(p, .lr = 1e-9)));
    FLAT_STEPS("optim_Adadelta", step(l, optim_Adadelta(p, .lr = 1e-9)));
    FLAT_STEPS("optim_Adamax", step(l, optim_Adamax(p, .lr = 1e-9)));
    FLAT_STEPS("optim_NAdam", step(l, optim_NAdam(p, .lr = 1e-9)));
    FLAT_STEPS("optim_RAdam", step(l, optim_RAdam(p, .lr = 1e-9)));
    FLAT_STEPS("optim_ASGD", step(l, optim_ASGD(p, .lr = 1e-9)));
    FLAT_STEPS("optim_Rprop", step(l, optim_Rprop(p, .lr = 1e-9)));
    Fit fit = {l, optim_LBFGS(p, .lr = 1e-9, .max_iter = 3, .history_size = 2)};
    FLAT_STEPS("optim_LBFGS", optim_step(fit.optimizer, fit_closure, &fit));
    FLAT_STEPS("a new Linear and Adam", nn_Linear *fresh = nn_Linear(64, 64);
               step(fresh, optim_Adam(nn_parameters(fresh))));
    optim_Optimizer *adam = optim_Adam(p, .lr = 1e-9);
    step(l, adam);
    t_TensorDict *state = optim_state_dict(adam), *weights = nn_state_dict(l);
    FLAT_STEPS("optim_load_state_dict", optim_load_state_dict(adam, state));
    FLAT_STEPS("optim_load_state_dict, a new one", optim_Optimizer *o = optim_Adam(p); optim_load_state_dict(o, state));
    FLAT_STEPS("nn_load_state_dict", nn_load_state_dict(l, weights));
    FLAT(optim_state_dict(adam));
    FLAT(nn_state_dict(l));
    FLAT(nn_deepcopy(l));
    FLAT(nn_named_parameters(l));
}

/* ---- states, subclasses, optimizers and options of a user's classes ---- */

typedef struct Derived { nn_Linear super; } Derived;

static void own_step(optim_Optimizer *self) {
    Tensor *p = self->param_groups[0].params->items[0];
    if (!optim_state(self, p, "m")) optim_set_state(self, p, "m", t_zeros_like(p));
    t_add_(optim_state(self, p, "m"), t_grad(p));
}

static void of_ones_own(void) {
    nn_GRU *gru = nn_GRU(3, 4);
    nn_Sequential *model = nn_Sequential(nn_ReLU(), nn_Tanh());
    nn_HiddenState hidden = nn_HiddenState();
    FLAT(nn_deepcopy(nn_subclass(Derived, NULL, nn_Linear(8, 8))));
    FLAT_STEPS("nn_GRU_call, .state", nn_GRU_call(gru, t_ones(2, 1, 3), .state = &hidden);
               nn_HiddenState_detach(&hidden));
    FLAT_STEPS("nn_insert, nn_pop", nn_insert(model, 1, nn_ReLU()); nn_set_item(model, 0, nn_ELU()); nn_pop(model, 1);
               nn_slice(model, 1));
    FLAT_STEPS("optim_Optimizer", Tensor *p = nn_Parameter(t_ones(3)); t_set_grad(p, t_ones(3));
               optim_Optimizer *o = optim_Optimizer(t_list(p), own_step); optim_step(o);
               optim_load_state_dict(o, optim_state_dict(o)));
    FLAT_STEPS("argparse_ArgumentParser", int64_t n = 3; argparse_ArgumentParser *parser = argparse_ArgumentParser();
               argparse_add_argument(parser, &n, "-n"); argparse_parse_args(parser, 3, ((char *[]){"p", "-n", "4"})));
}

#define SCHEDULER(name, ...) \
    FLAT_STEPS(name, optim_Optimizer *o = optim_SGD(p, .lr = 0.1); optim_step(o); optim_scheduler_step(__VA_ARGS__))
static void schedulers(void) {
    t_TensorList *p = t_list(nn_Parameter(t_zeros(3)));
    SCHEDULER("optim_LambdaLR", optim_LambdaLR(o, half));
    SCHEDULER("optim_MultiplicativeLR", optim_MultiplicativeLR(o, half));
    SCHEDULER("optim_StepLR", optim_StepLR(o, 2));
    SCHEDULER("optim_ExponentialLR", optim_ExponentialLR(o, 0.9));
    SCHEDULER("optim_ConstantLR", optim_ConstantLR(o));
    SCHEDULER("optim_LinearLR", optim_LinearLR(o));
    SCHEDULER("optim_PolynomialLR", optim_PolynomialLR(o));
    SCHEDULER("optim_CosineAnnealingLR", optim_CosineAnnealingLR(o, 10));
    SCHEDULER("optim_CosineAnnealingWarmRestarts", optim_CosineAnnealingWarmRestarts(o, 10));
    SCHEDULER("optim_OneCycleLR", optim_OneCycleLR(o, 0.1, .total_steps = 10));
    SCHEDULER("optim_MultiStepLR", optim_MultiStepLR(o, {2, 5}));
    FLAT_STEPS("optim_ReduceLROnPlateau", optim_Optimizer *o = optim_SGD(p, .lr = 0.1); optim_step(o);
               optim_scheduler_step(optim_ReduceLROnPlateau(o), 1.0));
}

/* ---- data, dicts, lists, gradients, files of the tape, pictures ---- */

static void others(void) {
    Tensor *x = t_randn(4, 3), *w = t_randn(4, 3, .requires_grad = true);
    data_Dataset *dataset = data_TensorDataset(t_list(x, x));
    FLAT(data_TensorDataset(t_list(x, x)));
    FLAT(data_Dataset(four, sample));
    FLAT(data_Subset(dataset, 0, 2));
    FLAT(data_ConcatDataset(dataset, dataset));
    FLAT(data_StackDataset((dataset, dataset), .names = {"a", "b"}));
    FLAT(data_SequentialSampler(dataset));
    FLAT(data_sampler_batches(data_BatchSampler(data_RandomSampler(dataset), 2, false)));
    FLAT(data_sampler_list(data_SubsetRandomSampler(t_arange(4))));
    FLAT(data_sampler_list(data_WeightedRandomSampler(t_ones(4), 2)));
    const int64_t lengths[] = {3, 1};
    data_Dataset *three, *one;
    FLAT(data_random_split(dataset, lengths, 2, &three, &one));
    FLAT(data_RepeatedTokenDataset(4, 4, 5));
    FLAT_STEPS("data_DataLoader",
               for_batch (batch, data_DataLoader(dataset, .batch_size = 2, .shuffle = true)) t_sum(batch.x));
    FLAT_STEPS("data_DataLoader of a data_Dataset",
               for_batch (batch, data_DataLoader(data_Dataset(four, sample), .batch_size = 2)) t_sum(batch.x));
    FLAT_STEPS("t_dict", t_TensorDict *d = t_dict(); t_dict_set(d, "a", x); t_dict_set(d, "n", 3);
               t_dict_set(d, "s", "text"));
    FLAT(t_list(x, w));
    FLAT(t_chunk(x, 2));
    FLAT(t_generator());
    FLAT(t_get_rng_state());
    FLAT(t_tensor("[[1, 2], [3, 4]]"));
    FLAT(t_at(x, "0, ::2"));
    FLAT(t_str(x));
    FLAT(t_format("%d, %s", 3, "and a text that is longer than the growth allowed per round"));
    nn_Linear *layer = nn_Linear(2, 2);
    FLAT(nn_str(layer));
    FLAT_STEPS("t_register_hook", t_hook_remove(t_register_hook(w, twice, NULL)));
    FLAT_STEPS("t_register_hook on an op", t_register_hook(t_mul(w, 2), twice, NULL));
    FLAT_STEPS("t_backward", t_backward(t_sum(t_mul(w, x))));
    FLAT_STEPS("t_grad, twice", Tensor *dx = t_grad(t_sum(t_pow(w, 3)), w, .create_graph = true); t_grad(t_sum(dx), w));
    FLAT_STEPS("(t_matmul), refused", (t_matmul)(x, x); t_clear_error());
    SELDOM("plt_figure", plt_figure(); plt_plot(x); plt_title("t"); plt_close());
    SELDOM("sns_heatmap", sns_heatmap(x); plt_close());
}

/* ---- distributions, with a sample and its log_prob ---- */

#define DRAW(...)                                                                  \
    FLAT_(#__VA_ARGS__, rounds / 4, distributions_Distribution *d = (__VA_ARGS__); \
          distributions_log_prob(d, distributions_sample(d, 2)))

static void distributions(void) {
    Tensor *p = t_div(t_tensor("[2, 3, 5]", .dtype = t_float32), 10), *one = t_ones(3), *eye = t_eye(3);
    DRAW(distributions_Normal(0.0, 1.0));
    DRAW(distributions_LogNormal(0.0, 1.0));
    DRAW(distributions_Uniform(0.0, 1.0));
    DRAW(distributions_Laplace(0.0, 1.0));
    DRAW(distributions_Cauchy(0.0, 1.0));
    DRAW(distributions_Gumbel(0.0, 1.0));
    DRAW(distributions_HalfNormal(1.0));
    DRAW(distributions_HalfCauchy(1.0));
    DRAW(distributions_Exponential(1.0));
    DRAW(distributions_Gamma(2.0, 1.0));
    DRAW(distributions_Beta(2.0, 1.0));
    DRAW(distributions_InverseGamma(2.0, 1.0));
    DRAW(distributions_Pareto(1.0, 2.0));
    DRAW(distributions_Weibull(1.0, 2.0));
    DRAW(distributions_Kumaraswamy(1.0, 2.0));
    DRAW(distributions_FisherSnedecor(3.0, 2.0));
    DRAW(distributions_VonMises(0.0, 1.0));
    DRAW(distributions_Poisson(t_tensor(2.0)));
    DRAW(distributions_StudentT(3.0));
    DRAW(distributions_Bernoulli(t_tensor(0.3)));
    DRAW(distributions_Geometric(t_tensor(0.3)));
    DRAW(distributions_ContinuousBernoulli(t_tensor(0.3)));
    DRAW(distributions_Categorical(p));
    DRAW(distributions_OneHotCategorical(p));
    DRAW(distributions_Dirichlet(one));
    DRAW(distributions_MultivariateNormal(one, eye));
    DRAW(distributions_Independent(distributions_Normal(one, one), 1));
    FLAT(distributions_ExpTransform());
    FLAT(distributions_SigmoidTransform());
    FLAT(distributions_TanhTransform());
    FLAT(distributions_SoftplusTransform());
    FLAT(distributions_AbsTransform());
    FLAT(distributions_SoftmaxTransform());
    FLAT(distributions_StickBreakingTransform());
    FLAT(distributions_LowerCholeskyTransform());
    FLAT(distributions_CorrCholeskyTransform());
}

/* ---- pictures, texts, tables, files ---- */

static Tensor *same(Tensor *x) {
    return x;
}

static void images(void) {
    Tensor *image = t_rand(3, 8, 8);
    FLAT(transforms_call(transforms_Compose(transforms_CenterCrop(4), transforms_Normalize((0.5), (0.5))), image));
    FLAT(transforms_call(transforms_Lambda(same), image));
    FLAT(transforms_call(transforms_Resize(6), image));
    FLAT(transforms_call(transforms_Pad(1), image));
    FLAT(transforms_call(transforms_RandomCrop(4), image));
    FLAT(transforms_call(transforms_RandomHorizontalFlip(), image));
    FLAT(transforms_call(transforms_ColorJitter(.brightness = 0.2), image));
    FLAT(transforms_call(transforms_GaussianBlur(3), image));
    FLAT(transforms_call(transforms_RandomErasing(), image));
}

static void texts(void) {
    const char *text = "the cat sat on the mat and the dog sat on the log";
    FLAT(t_strings("a", "b", "c"));
    SELDOM("tokenizers_ByteLevelBPETokenizer", tokenizers_Tokenizer *t = tokenizers_ByteLevelBPETokenizer();
           tokenizers_train_from_iterator(t, t_strings(text), .vocab_size = 270); tokenizers_encode(t, text));
    FLAT(torchtext_vocab(t_strings("a", "b", "c"), NULL));
}

static void tables(void) {
    static const char csv[] = "a,b,c\n1,2.5,x\n2,,y\n3,4.5,x\n";
    FLAT(pd_read_csv_bytes(csv, sizeof csv - 1));
    pd_DataFrame *frame = pd_read_csv_bytes(csv, sizeof csv - 1);
    FLAT(pd_describe(frame));
    FLAT(pd_str(frame));
    FLAT(pd_dropna(frame));
    Tensor *x = t_randn(6, 2);
    FLAT(sklearn_fit_transform(sklearn_StandardScaler(), x));
    FLAT(sklearn_fit_transform(sklearn_MinMaxScaler(), x));
}

static void files(void) {
    char folder[] = "/tmp/flat_memory_XXXXXX", path[100];
    if (!mkdtemp(folder)) return;
    snprintf(path, sizeof path, "%s/x.safetensors", folder);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "x", t_ones(3, 4));
    SELDOM("t_save, t_load", t_save(dict, path); t_load(path));
    unlink(path);
    SELDOM("profiler_profile", profiler_profile *prof = profiler_profile(); profiler_start(prof); t_add(t_ones(2), 1);
           profiler_stop(prof); profiler_key_averages(prof));
    rmdir(folder);
}

/* ---- operations ---- */

enum { OPERATIONS_A_ROUND = 26 };
static void small_operations(int64_t i, nn_Linear *model, Tensor *data) {
    Tensor *x = t_select(data, 0, i % 8), *y = t_add(t_mul(x, 2), x), *m = t_reshape(y, 2, 2);
    t_matmul(m, t_transpose(m, 0, 1));
    t_cat(t_list(x, y), 0);
    t_softmax(y, 0);
    t_max(m, 1);
    t_sort(y);
    t_where(t_gt(y, 0), y, x);
    t_fill_(t_empty(4), 1);
    t_sum(t_exp(t_clamp(y, .max = 1)));
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "y", y);
    t_dict_get(dict, "y");
    Tensor *loss = t_mean(t_square(nn_call(model, x)));
    t_backward(loss);
    nn_zero_grad(model);
}

static void operations(void) {
    nn_Linear *model = nn_Linear(4, 3);
    Tensor *data = t_randn(8, 4);
    FLAT_("small operations", rounds / OPERATIONS_A_ROUND, small_operations(i, model, data));
}

int main(int count, char **arguments) {
    if (count > 1) rounds = (long)strtod(arguments[1], NULL);
    if (count > 2) only = arguments[2];
    for_range (i, 0, rounds) t_zeros(3); /* what the thread keeps for its tensors */
    modules();
    optimizers();
    schedulers();
    of_ones_own();
    others();
    distributions();
    images();
    texts();
    tables();
    files();
    operations();
    printf("flat_memory: %d things made and dropped up to %ld times each, %d of them grew\n", measured, rounds, failed);
    return failed > 0;
}
