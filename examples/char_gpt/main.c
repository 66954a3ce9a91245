/* examples/char_gpt: a decoder-only language model. A GPT reads a small book character by character, learns which comes next, and
 * then writes on its own.
 * Difficulty: ***     Reads before: train_classifier     Library: fused causal attention, AdamW groups, schedules, checkpoints
 *
 *     char_gpt                                              trains for about half a minute, and writes
 *     char_gpt --checkpoint book.pt                         the same, and can be killed: --resume goes on where it was
 *     char_gpt --checkpoint book.pt --resume --steps 0 --prompt "The keeper" --temperature 0.5
 *     char_gpt --gpt2 model.safetensors --ids 464,3290      a file with GPT-2's names and shapes
 *
 * What is printed does not depend on the machine's speed; times go to stderr. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "char_gpt.h"
#include "core/plot/plot.h"
#include "examples/example.h"
#include "options.h"

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what there is to read ---- */

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return t_fail("%s: %s", path, strerror(errno));
    long size = ftell(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) return t_fail("%s could not be read", path);
    text[size] = 0;
    fclose(file);
    if ((long)strlen(text) != size) return t_fail("%s: there is a byte 0 in it; a text has none", path);
    return text;
}

/* ---- sampling ---- */

static Sampling sampling_of(const Options *o) {
    return (Sampling){.temperature = o->temperature, .top_k = o->top_k, .top_p = o->top_p, .slide = o->slide, .recompute = o->recompute};
}

static Tensor *timed_sample(GPT *model, Tensor *prompt, const Options *options) {
    Sampling how = sampling_of(options);
    double begun = seconds();
    Tensor *out = gpt_generate(model, t_unsqueeze(prompt, 0), options->tokens, &how);
    double took = seconds() - begun;
    fprintf(stderr, "%lld tokens in %.3f s, %.0f a second\n", (long long)options->tokens, took, (double)options->tokens / took);
    return out;
}

static void print_sample(GPT *model, const Vocabulary *vocabulary, const Options *options) {
    if (!options->tokens) return;
    with_scope() {
        char *text = decode(vocabulary, timed_sample(model, encode(vocabulary, options->prompt), options));
        printf("----%s%s\n----\n", options->prompt[0] == '\n' ? "" : "\n", text);
        free(text);
    }
}

/* ---- learning ---- */

typedef struct Curves {
    Tensor *steps, *trained, *validated;
    int64_t points;
} Curves;

static void draw_curves(const Curves *curves, const Options *options) {
    if (curves->points < 2) return;
    Tensor *steps = t_at(curves->steps, ":{}", curves->points);
    plt_figure(.figsize = {8, 4});
    plt_plot(steps, t_at(curves->trained, ":{}", curves->points), .label = "training");
    plt_plot(steps, t_at(curves->validated, ":{}", curves->points), .label = "validation");
    plt_xlabel("step");
    plt_ylabel("loss");
    plt_grid(true, .alpha = 0.3);
    plt_legend();
    save_plot(options->plots, "loss.svg");
    plt_show();
}

static void train(Training *training, Tensor *read, Tensor *held_out, const Options *options, Curves *curves) {
    double sum = 0, begun = seconds();
    int64_t first = training->step, in_sum = 0;
    for_range (step, first, options->steps) {
        Tensor *x, *y;
        if (!draw_batch(read, options->batch_size, training->model->config.n_positions, &x, &y)) return;
        sum += train_step(training, x, y);
        in_sum++;
        if (training->step % options->every && training->step < options->steps) continue;
        double loss = sum / (double)in_sum, validation = evaluate(training->model, held_out);
        printf("step %5lld  loss %.4f  validation %.4f\n", (long long)training->step, loss, validation);
        fflush(stdout);
        t_set(curves->steps, "{}", curves->points, (double)training->step);
        t_set(curves->trained, "{}", curves->points, loss);
        t_set(curves->validated, "{}", curves->points++, validation);
        sum = 0, in_sum = 0;
    }
    double tokens = (double)((training->step - first) * options->batch_size * training->model->config.n_positions);
    if (tokens > 0) fprintf(stderr, "%.1f s, %.0f tokens a second\n", seconds() - begun, tokens / (seconds() - begun));
}

static void learn_and_write(const Options *options) {
    char *text = options->text ? read_text(options->text) : write_text(options->seed, options->characters);
    if (!text) return;
    Training training;
    Vocabulary vocabulary = vocabulary_of(text);
    Tensor *ids = encode(&vocabulary, text);
    int64_t n = t_numel(ids), most = n * 9 / 10; /* the last tenth is held out */
    if (n - most <= options->context) {
        t_fail("the last tenth of the text, %lld characters, has no room for a window of %lld", (long long)(n - most),
               (long long)options->context);
        return;
    }
    t_manual_seed(options->seed);
    GPTConfig config = {vocabulary.size, options->context, options->d_model, options->layers, options->heads, options->dropout};
    Recipe recipe = {options->steps, options->steps / 16, options->lr, 0.1, 0.1, 1};
    begin_training(&training, gpt(&config), &recipe);
    printf("%lld characters, %lld different ones; %lld parameters\n", (long long)n, (long long)vocabulary.size,
           (long long)nn_count_parameters(training.model, false));
    Curves curves = {t_zeros(options->steps), t_zeros(options->steps), t_zeros(options->steps), 0};
    print_sample(training.model, &vocabulary, options);
    train(&training, t_at(ids, ":{}", most), t_at(ids, "{}:", most), options, &curves);
    draw_curves(&curves, options);
    print_sample(training.model, &vocabulary, options);
    free(text);
}

int main(int argc, char **argv) {
    Options options;
    int status;
    if (!parse_options(argc, argv, &options, &status)) return status;
    if (options.threads) t_set_num_threads(options.threads);
    with_scope() learn_and_write(&options);
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("char_gpt: the output could not be written");
    return 1;
}
