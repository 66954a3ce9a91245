/* examples/sort_digits: an encoder-decoder learns to sort (or reverse) digit strings of 3 to 10 digits: "52909" ->
 * "02599".
 *
 * Difficulty: ***     Read first: encoder_decoder, train_classifier
 * Library: nn_EncoderDecoder, masks, label smoothing, schedules
 *
 * Teacher forcing: the decoder is given the right tokens before each position and learns the next one. Then it
 * generates by itself: greedily, and by beam search. Only strings that training never drew are tested.
 *
 *     sort_digits [--reverse] [--steps N] [--seed N] [--plots DIR]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <time.h>

#include "core/plot/plot.h"
#include "examples/example.h"
#include "optim/optim.h"
#include "sort_digits.h"

enum { BATCH = 64, ROUND = 100, TESTED = 1000, BEAMED = 200, WIDTH = 4 };

typedef struct Options {
    Task task;
    int64_t steps, seed;
    const char *plots;
} Options;

/* ---- learning ---- */

/* The rate rises over the first fifth of the steps, then falls to 0. */
static double schedule(int64_t step, void *context) {
    double steps = (double)((const Options *)context)->steps, warmup = steps / 5;
    double rising = (double)(step + 1) / warmup, falling = (steps - (double)step) / (steps - warmup);
    return rising < falling ? rising : falling;
}

static Tensor *loss_of(nn_EncoderDecoder *model, Task task) {
    Sample samples[BATCH];
    for (int b = 0; b < BATCH; b++) samples[b] = draw_sample(task, false);
    Tensor *src = source_ids(samples, BATCH), *tgt = target_ids(samples, BATCH);
    Tensor *inputs = t_at(tgt, ":, :-1"), *labels = t_at(tgt, ":, 1:"); /* teacher forcing: one position apart */
    Tensor *logits =
        nn_EncoderDecoder_call(model, src, inputs, nn_keep_padding(src, PAD), nn_keep_target(inputs, PAD), NULL);
    return F_cross_entropy(t_flatten(logits, 0, 1), t_flatten(labels), .ignore_index = PAD, .label_smoothing = 0.1);
}

/* The share of `count` held-out strings that are answered without a mistake. */
static double exact_match(nn_EncoderDecoder *model, const Sample *samples, int64_t count) {
    int64_t exact = 0;
    bool training = model->base.training;
    nn_eval(model);
    with_no_grad() with_scope() {
        Tensor *out = greedy_decode(model, source_ids(samples, count));
        for (int64_t i = 0; i < count; i++)
            exact += is_exact((const int64_t *)t_data_ptr(out) + i * MAX_LEN, &samples[i]);
    }
    nn_train(model, training);
    return (double)exact / (double)count;
}

static void train(nn_EncoderDecoder *model, const Options *options, const Sample *tested, Tensor *losses,
                  Tensor *accuracies) {
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.01, .betas = {0.9, 0.98}, .eps = 1e-9);
    optim_LRScheduler *scheduler = optim_LambdaLR(optimizer, schedule, .context = (void *)options);
    double sum = 0;
    for_range (step, 1, options->steps + 1) {
        Tensor *loss = loss_of(model, options->task);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        optim_scheduler_step(scheduler);
        sum += t_item(loss);
        if (step % ROUND) continue;
        double accuracy = exact_match(model, tested, 100);
        printf("step %4lld  loss %.4f  exact match %.2f\n", (long long)step, sum / ROUND, accuracy);
        fflush(stdout);
        t_set(losses, "{}", step / ROUND - 1, sum / ROUND);
        t_set(accuracies, "{}", step / ROUND - 1, accuracy);
        sum = 0;
    }
}

/* ---- showing ---- */

static double beam_match(nn_EncoderDecoder *model, const Sample *samples, int64_t count) {
    int64_t exact = 0;
    with_no_grad() for_range (i, 0, count) {
        int64_t tokens[MAX_LEN];
        beam_decode(model, source_ids(&samples[i], 1), WIDTH, tokens);
        exact += is_exact(tokens, &samples[i]);
    }
    return (double)exact / (double)count;
}

static void show(const Options *options, const char *name) {
    save_plot(options->plots, name);
    plt_show();
}

static void draw_curves(const Options *options, Tensor *losses, Tensor *accuracies) {
    Tensor *steps = t_mul(t_arange(1, t_size(losses, 0) + 1), ROUND);
    plt_figure(.figsize = {9, 4});
    plt_subplot(1, 2, 1);
    plt_plot(steps, losses, .label = "training loss");
    plt_xlabel("step");
    plt_legend();
    plt_subplot(1, 2, 2);
    plt_plot(steps, accuracies, .label = "exact match", .color = "C1");
    plt_xlabel("step");
    plt_legend();
    plt_tight_layout();
    show(options, "training.svg");
}

/* The mean over the heads of the last layer's cross-attention: what each token of the answer attends to. */
static void draw_cross_attention(nn_EncoderDecoder *model, const Sample *sample, const Options *options) {
    static char letters[2 * MAX_LEN][4];
    const char *answer[MAX_LEN], *asked[MAX_LEN];
    nn_EncoderDecoderWeights weights;
    Tensor *src = source_ids(sample, 1), *tgt = target_ids(sample, 1);
    with_no_grad ()
        nn_EncoderDecoder_call(model, src, t_at(tgt, ":, :-1"), NULL, nn_keep_causal(sample->length + 1), &weights);
    Tensor *attention = t_mean(t_at(t_list_get(weights.decoder.cross, -1), "0"), 0); /* (T, S) */
    for (int64_t i = 0; i <= sample->length; i++) {
        asked[i] = i < sample->length ? strcpy(letters[i], text_of(&sample->source[i], 1)) : "";
        answer[i] = i < sample->length ? strcpy(letters[MAX_LEN + i], text_of(&sample->target[i + 1], 1)) : "end";
    }
    plt_figure();
    sns_heatmap(attention, .cmap = "Blues", .square = true, .xticklabels = asked, .yticklabels = answer);
    plt_yticks(t_add(t_arange(sample->length + 1), 0.5), answer, .rotation = 0);
    plt_xlabel("Source");
    plt_ylabel("Answer");
    plt_title("Cross-Attention, Last Layer");
    show(options, "cross_attention.svg");
}

/* ---- the program ---- */

static void run(const Options *options) {
    static Sample tested[TESTED];
    t_manual_seed((uint64_t)options->seed);
    nn_EncoderDecoder *model = nn_EncoderDecoder(2, 32, 4, 128, VOCABULARY, VOCABULARY, .dropout = 0,
                                                 .norm_first = true, .src_max_len = MAX_LEN, .tgt_max_len = MAX_LEN);
    for_named (p, nn_named_parameters(model))
        if (t_dim(p->tensor) > 1) nn_init_xavier_uniform_(p->tensor, 1);
    printf("parameters: %lld\n", (long long)nn_count_parameters(model, false));
    for (int i = 0; i < TESTED; i++) tested[i] = draw_sample(options->task, true);

    Tensor *losses = t_zeros(options->steps / ROUND), *accuracies = t_zeros(options->steps / ROUND);
    train(model, options, tested, losses, accuracies);
    nn_eval(model);
    printf("exact match on %d held-out strings, greedy: %.4f\n", TESTED, exact_match(model, tested, TESTED));
    printf("exact match on %d of them, beam of %d: %.4f\n", BEAMED, WIDTH, beam_match(model, tested, BEAMED));
    for (int i = 0; i < 5; i++) {
        int64_t tokens[MAX_LEN];
        with_no_grad() beam_decode(model, source_ids(&tested[i], 1), WIDTH, tokens);
        printf("%-10s -> %s\n", text_of(tested[i].source, tested[i].length), text_of(tokens, MAX_LEN));
    }
    draw_cross_attention(model, &tested[0], options);
    if (t_size(losses, 0)) draw_curves(options, losses, accuracies);
}

static noreturn void usage(FILE *to) {
    fprintf(to, "usage: sort_digits [--reverse] [--steps N] [--seed N] [--plots DIR]\n");
    exit(to == stdout ? EXIT_SUCCESS : EXIT_FAILURE);
}

static int64_t parse_integer(const char *option, const char *word, int64_t least) {
    char *end;
    errno = 0;
    long long value = strtoll(word, &end, 10);
    if (end != word && !*end && !errno && value >= least) return value;
    fprintf(stderr, "sort_digits: %s must be an integer from %lld on, not %s\n", option, (long long)least, word);
    exit(EXIT_FAILURE);
}

static Options read_options(int argc, char **argv) {
    Options options = {.task = sorted, .steps = 1000, .seed = 42};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--help") == 0) usage(stdout);
        if (strcmp(argv[i], "--reverse") == 0) {
            options.task = reversed;
            continue;
        }
        if (!value) usage(stderr);
        if (strcmp(argv[i], "--steps") == 0) options.steps = parse_integer("--steps", value, 1);
        else if (strcmp(argv[i], "--seed") == 0) options.seed = parse_integer("--seed", value, 0);
        else if (strcmp(argv[i], "--plots") == 0) options.plots = value;
        else usage(stderr);
        i++;
    }
    return options;
}

int main(int argc, char **argv) {
    Options options = read_options(argc, argv);
    with_scope() run(&options);
    fprintf(stderr, "CPU time: %.1f s\n", (double)clock() / CLOCKS_PER_SEC);
    return 0;
}
