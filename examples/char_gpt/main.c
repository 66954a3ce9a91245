/* examples/char_gpt: a decoder-only language model. A GPT reads a small book character by character, learns which comes
 * next, and then writes on its own.
 *
 * Difficulty: ***     Read first: train_classifier
 * Library: fused causal attention, AdamW groups, schedules, checkpoints
 *
 *     char_gpt                                              trains for less than a minute, and writes
 *     char_gpt --checkpoint book.safetensors                the same, and can be killed: --resume goes on where it was
 *     char_gpt --checkpoint book.safetensors --resume --steps 0 --prompt "The keeper" --temperature 0.5
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
    return (Sampling){.temperature = o->temperature,
                      .top_k = o->top_k,
                      .top_p = o->top_p,
                      .slide = o->slide,
                      .recompute = o->recompute};
}

static Tensor *timed_sample(GPT *model, Tensor *prompt, const Options *options) {
    Sampling how = sampling_of(options);
    double begun = seconds();
    Tensor *out = gpt_generate(model, t_unsqueeze(prompt, 0), options->tokens, &how);
    double took = seconds() - begun;
    fprintf(stderr, "%lld tokens in %.3f s, %.0f a second\n", (long long)options->tokens, took,
            (double)options->tokens / took);
    return out;
}

/* With lines of 80 columns at most, which end at a space where there is one. */
static void print_folded(const char *text) {
    const size_t most = 80;
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        size_t taken = length;
        if (length > most)
            for (taken = most; taken > 0 && text[taken] != ' ';) taken--;
        if (length > most && taken == 0) {
            taken = most;
            while (taken > 0 && (text[taken] & 0xC0) == 0x80) taken--; /* not within a character */
        }
        length = taken + (text[taken] == '\n' || text[taken] == ' ');
        while (taken > 0 && text[taken - 1] == ' ') taken--;
        printf("%.*s\n", (int)taken, text);
    }
}

/* Goes on from --prompt, or from where the text that was held out begins. */
static void print_sample(GPT *model, const Vocabulary *vocabulary, Tensor *held_out, const Options *options) {
    if (!options->tokens) return;
    with_scope() {
        Tensor *prompt = options->prompt ? encode(vocabulary, options->prompt) : t_at(held_out, ":32");
        char *begin = decode(vocabulary, prompt), *text = decode(vocabulary, timed_sample(model, prompt, options));
        puts("----");
        print_folded(t_format("%s[...]%s", begin, text + strlen(begin)));
        puts("----");
        free(begin);
        free(text);
    }
}

/* ---- learning ---- */

static void draw_curves(const Training *training, const Options *options) {
    if (training->points < 2) return;
    Tensor *steps = t_at(training->curves, ":{}, 0", training->points);
    plt_figure(.figsize = {8, 4});
    plt_plot(steps, t_at(training->curves, ":{}, 1", training->points), .label = "training");
    plt_plot(steps, t_at(training->curves, ":{}, 2", training->points), .label = "validation");
    plt_xlabel("step");
    plt_ylabel("loss");
    plt_grid(true, .alpha = 0.3);
    plt_legend();
    save_plot(options->plots, "loss.svg");
    plt_show();
}

static void train(Training *self, const Vocabulary *vocabulary, Tensor *read, Tensor *held_out,
                  const Options *options) {
    double sum = 0, begun = seconds();
    int64_t first = self->step, in_sum = 0, T = self->model->config.n_positions;
    for_range (step, first, options->steps) {
        Tensor *x, *y;
        if (!draw_batch(read, options->batch_size, T, &x, &y)) return;
        sum += train_step(self, x, y);
        in_sum++;
        if (self->step % options->every && self->step < options->steps) continue;
        double loss = sum / (double)in_sum, validation = evaluate(self->model, held_out);
        printf("step %5lld  loss %.4f  validation %.4f\n", (long long)self->step, loss, validation);
        fflush(stdout);
        t_set(self->curves, "{}", self->points++, t_tensor(((double[]){(double)self->step, loss, validation}), 3));
        if (options->checkpoint && !save_checkpoint(self, vocabulary, options->checkpoint)) return;
        sum = 0, in_sum = 0;
    }
    double tokens = (double)((self->step - first) * options->batch_size * T), took = seconds() - begun;
    if (tokens > 0) fprintf(stderr, "%.1f s, %.0f tokens a second\n", took, tokens / took);
}

/* A checkpoint goes on with its own model and rate: an option that says otherwise is no slip to pass over. */
static bool is_as_asked(const Options *o, const GPTConfig *c, double lr) {
    const struct {
        const char *option;
        double asked, saved;
    } both[] = {{"--context", (double)o->context, (double)c->n_positions},
                {"--layers", (double)o->layers, (double)c->n_layer},
                {"--heads", (double)o->heads, (double)c->n_head},
                {"--d-model", (double)o->d_model, (double)c->n_embd},
                {"--dropout", o->dropout, c->dropout},
                {"--lr", o->lr, lr}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (was_given(o, both[i].option) && both[i].asked != both[i].saved)
            return t_fail("%s %.10g, but %s is of a run with %.10g: leave it away, or begin without --resume",
                          both[i].option, both[i].asked, o->checkpoint, both[i].saved);
    return true;
}

/* A new run, or the one of the checkpoint. */
static bool begin(Training *self, const Vocabulary *vocabulary, const Options *o) {
    t_TensorDict *checkpoint = o->resume ? t_load(o->checkpoint) : NULL;
    if (o->resume && !checkpoint) return false;
    GPTConfig config = {vocabulary->size, o->context, o->d_model, o->layers, o->heads, o->dropout};
    if (checkpoint) config = checkpoint_config(checkpoint);
    Recipe recipe = {o->steps, o->steps / 16, o->lr, 0.1, 0.1, 1};
    int64_t capacity = o->steps / o->every + 2 + (checkpoint ? t_size(t_dict_get(checkpoint, "curves"), 0) : 0);
    t_manual_seed(o->seed);
    GPT *model = gpt(&config);
    if (!model) return false;
    begin_training(self, model, &recipe, capacity);
    if (!checkpoint) return true;
    return load_checkpoint(self, vocabulary, checkpoint) &&
           is_as_asked(o, &config, self->optimizer->param_groups[0].initial_lr);
}

static void learn_and_write(const Options *options) {
    char *text = options->text ? read_text(options->text) : write_text(options->seed, options->characters);
    Training training;
    if (!text) return;
    if (!*text) t_fail("%s: the text is empty", options->text ? options->text : "--characters 0");
    Vocabulary vocabulary = vocabulary_of(text);
    Tensor *ids = encode(&vocabulary, text);
    if (options->prompt && !*options->prompt)
        t_fail("--prompt is empty: leave it away, or say what the sample goes on from");
    if (options->prompt)
        encode(&vocabulary, options->prompt); /* what is not in the text is found now, not after the training */
    free(text);
    if (!begin(&training, &vocabulary, options)) return;
    if (options->checkpoint && training.step < options->steps && !check_can_write("--checkpoint", options->checkpoint))
        return;
    if (options->export && !check_can_write("--export", options->export)) return;
    int64_t n = t_numel(ids), most = n * 9 / 10,
            T = training.model->config.n_positions; /* the last tenth is held out */
    if (n - most <= T) {
        t_fail("the last tenth of the text, %lld characters, has no space for a window of %lld", (long long)(n - most),
               (long long)T);
        return;
    }
    printf("%lld characters, %lld different ones; %lld parameters\n", (long long)n, (long long)vocabulary.size,
           (long long)nn_count_parameters(training.model, false));
    Tensor *read = t_at(ids, ":{}", most), *held_out = t_at(ids, "{}:", most);
    if (!training.step) print_sample(training.model, &vocabulary, held_out, options);
    train(&training, &vocabulary, read, held_out, options);
    draw_curves(&training, options);
    print_sample(training.model, &vocabulary, held_out, options);
    if (options->export) safetensors_save_file(gpt_to_gpt2(training.model), options->export);
}

/* ---- a file of GPT-2's ---- */

/* "464,3290" */
static Tensor *ids_of(const char *text) {
    int64_t count = 1;
    for (const char *p = text; *p; p++) count += *p == ',';
    Tensor *ids = t_empty(count, .dtype = t_int64);
    int64_t *to = t_data_ptr_mut(ids);
    for (int64_t i = 0; i < count; i++) {
        char *end;
        to[i] = strtoll(text, &end, 10);
        if (end == text || *end != (i + 1 < count ? ',' : 0))
            return t_fail("--ids takes token ids, \"464,3290\", not \"%s\"", text);
        text = end + 1;
    }
    return ids;
}

static void go_on_from_ids(const Options *options) {
    Tensor *ids = ids_of(options->ids);
    GPT *model = gpt_from_gpt2(safetensors_load_file(options->gpt2), options->heads);
    if (!ids || !model) return;
    const GPTConfig *c = &model->config;
    printf("%lld layers, %lld heads, %lld features, context %lld,\nvocabulary %lld\n", (long long)c->n_layer,
           (long long)c->n_head, (long long)c->n_embd, (long long)c->n_positions, (long long)c->vocab_size);
    t_manual_seed(options->seed);
    Tensor *out = timed_sample(model, ids, options);
    for (int64_t i = 0; i < t_size(out, 1); i++)
        printf("%s%lld", i ? "," : "", (long long)t_item_int64(t_at(out, "0, {}", i)));
    printf("\n");
}

int main(int argc, char **argv) {
    Options options;
    int status;
    if (!parse_options(argc, argv, &options, &status)) return status;
    if (options.threads) t_set_num_threads(options.threads);
    with_scope() {
        if (options.gpt2) go_on_from_ids(&options);
        else learn_and_write(&options);
    }
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("char_gpt: the output could not be written");
    return 1;
}
