/* tests/torture/soak.c: objects and operations in numbers. Usage: torture_soak constructors COUNT [part of a name]
 *                                                               torture_soak operations COUNT
 *
 * Makes and destroys each of the objects below COUNT times (tests/programs/flat_memory.c has the modules, optimizers,
 * schedulers, datasets and pictures: build/tests/flat_memory COUNT), or runs COUNT small operations. The resident size
 * after the first tenth and at the end may differ by 1 MB. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/distributions/distributions.h"
#include "core/loggers/loggers.h"
#include "core/pandas/pandas.h"
#include "core/profiler/profiler.h"
#include "core/sklearn/sklearn.h"
#include "core/tensorboard/tensorboard.h"
#include "core/text/text.h"
#include "core/vision/vision.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { MOST_GROWTH = 1 << 20 };

static long resident_bytes(void) {
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%*d %ld", &pages) != 1) pages = 0;
    if (statm) fclose(statm);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t rounds = 10000;
static const char *only = "";
static int measured, failed;

static void report(const char *name, int64_t n, long grown) {
    measured++;
    if (grown <= MOST_GROWTH) return;
    failed++;
    printf("torture_soak: %s: the resident size grew by %ld bytes in %lld rounds\n", name, grown, (long long)n);
}

/* What writes files, or takes long, is made less often. */
#define SOAK_(name, n, ...)                               \
    do {                                                  \
        const int64_t last = (n) < 10 ? 10 : (n);         \
        long first = 0;                                   \
        if (!strstr(name, only)) break;                   \
        for_range (i, 0, last) {                          \
            if (i == last / 10) first = resident_bytes(); \
            __VA_ARGS__;                                  \
        }                                                 \
        report(name, last, resident_bytes() - first);     \
    } while (0)
#define SOAK(...) SOAK_(#__VA_ARGS__, rounds, (void)(__VA_ARGS__))
#define SELDOM(name, ...) SOAK_(name, rounds / 100, __VA_ARGS__)

/* ---- distributions, with a sample and its log_prob ---- */

#define DRAW(...)                                                                  \
    SOAK_(#__VA_ARGS__, rounds / 4, distributions_Distribution *d = (__VA_ARGS__); \
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
    SOAK(distributions_ExpTransform());
    SOAK(distributions_SigmoidTransform());
    SOAK(distributions_TanhTransform());
    SOAK(distributions_SoftplusTransform());
    SOAK(distributions_AbsTransform());
    SOAK(distributions_SoftmaxTransform());
    SOAK(distributions_StickBreakingTransform());
    SOAK(distributions_LowerCholeskyTransform());
    SOAK(distributions_CorrCholeskyTransform());
}

/* ---- pictures, texts, tables, files ---- */

static Tensor *same(Tensor *x) {
    return x;
}

static void images(void) {
    Tensor *image = t_rand(3, 8, 8);
    SOAK(transforms_call(transforms_Compose(transforms_CenterCrop(4), transforms_Normalize((0.5), (0.5))), image));
    SOAK(transforms_call(transforms_Lambda(same), image));
    SOAK(transforms_call(transforms_Resize(6), image));
    SOAK(transforms_call(transforms_Pad(1), image));
    SOAK(transforms_call(transforms_RandomCrop(4), image));
    SOAK(transforms_call(transforms_RandomHorizontalFlip(), image));
    SOAK(transforms_call(transforms_ColorJitter(.brightness = 0.2), image));
    SOAK(transforms_call(transforms_GaussianBlur(3), image));
    SOAK(transforms_call(transforms_RandomErasing(), image));
}

static void texts(void) {
    const char *text = "the cat sat on the mat and the dog sat on the log";
    SOAK(t_strings("a", "b", "c"));
    SELDOM("tokenizers_ByteLevelBPETokenizer", tokenizers_Tokenizer *t = tokenizers_ByteLevelBPETokenizer();
           tokenizers_train_from_iterator(t, t_strings(text), .vocab_size = 270); tokenizers_encode(t, text));
    SOAK(torchtext_vocab(t_strings("a", "b", "c"), NULL));
}

static void tables(void) {
    static const char csv[] = "a,b,c\n1,2.5,x\n2,,y\n3,4.5,x\n";
    SOAK(pd_read_csv_bytes(csv, sizeof csv - 1));
    pd_DataFrame *frame = pd_read_csv_bytes(csv, sizeof csv - 1);
    SOAK(pd_describe(frame));
    SOAK(pd_str(frame));
    SOAK(pd_dropna(frame));
    Tensor *x = t_randn(6, 2);
    SOAK(sklearn_fit_transform(sklearn_StandardScaler(), x));
    SOAK(sklearn_fit_transform(sklearn_MinMaxScaler(), x));
}

static void files(void) {
    char folder[] = "/tmp/torture_soak_XXXXXX", path[100];
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

static int64_t operations_of_a_round(int64_t i, nn_Linear *model, Tensor *data) {
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
    return 26;
}

static void run_operations(int64_t count) {
    nn_Linear *model = nn_Linear(4, 3);
    Tensor *data = t_randn(8, 4);
    long first = 0;
    int64_t done = 0;
    for (int64_t i = 0; done < count; i++) {
        with_scope () done += operations_of_a_round(i, model, data);
        if (!first && done >= count / 10) first = resident_bytes();
    }
    report("operations", done, resident_bytes() - first);
    printf("torture_soak: %lld operations, %d of them grew\n", (long long)done, failed);
}

int main(int argc, char **argv) {
    if (argc > 2) rounds = (int64_t)strtod(argv[2], NULL);
    if (argc > 3) only = argv[3];
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    t_manual_seed(1);
    if (argc > 1 && !strcmp(argv[1], "operations")) {
        run_operations(rounds);
    } else {
        with_scope () distributions();
        with_scope () images();
        with_scope () texts();
        with_scope () tables();
        with_scope () files();
        printf("torture_soak: %d objects, each made and destroyed up to %lld times; %d of them grew\n", measured,
               (long long)rounds, failed);
    }
    return failed > 0;
}
