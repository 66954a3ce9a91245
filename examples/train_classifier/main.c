/* examples/train_classifier: the library's main job. A Transformer encoder learns to tell whether a sequence of tokens
 * has two equal neighbours.
 *
 * Difficulty: ***     Read first: notebook     Read next: sort_digits
 *
 * The data are drawn at random, so that the last line can be the accuracy on 4,000 fresh sequences, which the training
 * has not seen. With --checkpoint FILE --every 100 the run can be killed at any time: the same command with --resume
 * continues from the file and ends with the same bits as an uninterrupted run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/plot/plot.h"
#include "examples/example.h"
#include "training.h"

typedef struct Score {
    double loss, accuracy;
} Score;

/* ---- data ---- */

/* The share of the majority label: the accuracy of always giving that label. */
static double majority_share(data_Dataset *dataset) {
    int64_t n = data_dataset_len(dataset), ones = 0;
    for_range (i, 0, n) {
        Tensor *seq, *label;
        if (data_dataset_get(dataset, i, &seq, &label)) ones += t_item_int64(label);
    }
    double share = (double)ones / (double)n;
    return share > 0.5 ? share : 1 - share;
}

/* ---- training and evaluation ---- */

static double count_correct(Tensor *logits, Tensor *labels) {
    Tensor *predicted;
    t_max(logits, 1, .indices = &predicted);
    return t_item(t_sum(t_eq(predicted, labels)));
}

static Score train_epoch(Training *training, data_DataLoader *loader) {
    const double max_norm = training->options->max_norm;
    const int64_t every = loader == training->loader && training->options->checkpoint ? training->options->every : 0;
    nn_train(training->model, true);
    for_batch (batch, loader) {
        Tensor *logits = encoder_classifier_call(training->model, batch.x, NULL);
        Tensor *loss = F_cross_entropy(logits, batch.y);
        optim_zero_grad(training->optimizer);
        t_backward(loss);
        if (max_norm > 0) nn_utils_clip_grad_norm_(nn_parameters(training->model), max_norm);
        optim_step(training->optimizer);
        optim_scheduler_step(training->scheduler);
        training->loss_sum += t_item(loss) * (double)batch.size;
        training->correct += count_correct(logits, batch.y);
        training->seen += (double)batch.size;
        data_set_postfix(loader, "loss=%.4f", training->loss_sum / training->seen);
        if (every && (batch.index + 1) % every == 0) save_checkpoint(training);
    }
    Score score = {training->loss_sum / training->seen, training->correct / training->seen};
    training->loss_sum = training->correct = training->seen = 0;
    return score;
}

static Score evaluate(Training *training, data_Dataset *dataset) {
    Score score = {0, 0};
    nn_eval(training->model);
    with_no_grad() {
        data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 100);
        for_batch (batch, loader) {
            Tensor *logits = encoder_classifier_call(training->model, batch.x, NULL);
            score.loss += t_item(F_cross_entropy(logits, batch.y, .reduction = "sum"));
            score.accuracy += count_correct(logits, batch.y);
        }
    }
    double n = (double)data_dataset_len(dataset);
    return (Score){score.loss / n, score.accuracy / n};
}

/* The rate rises over the first steps and then stays: lr * min(1, (step + 1) / warmup). */
static double warmup(int64_t step, void *context) {
    const Options *options = context;
    return step + 1 < options->warmup ? (double)(step + 1) / (double)options->warmup : 1;
}

/* The same, and then linearly down to 0 at the end of the last epoch: at the full rate the accuracy on a solved task
 * varies between 0.99 and 1. */
static double warmup_and_decay(int64_t step, void *context) {
    const Options *options = context;
    int64_t batches = (options->samples + options->batch_size - 1) / options->batch_size;
    int64_t steps = options->epochs * batches;
    return step < steps ? warmup(step, context) * (1 - (double)step / (double)steps) : 0;
}

/* A new optimizer and a new schedule. */
static void start_optimizer(Training *training, optim_LRLambda schedule) {
    const Options *options = training->options;
    training->optimizer = optim_AdamW(nn_parameters(training->model), .lr = options->lr, .betas = {0.9, options->beta2},
                                      .weight_decay = options->weight_decay); /* 0: Adam */
    training->scheduler = optim_LambdaLR(training->optimizer, schedule, .context = (void *)options);
}

static void remember(Training *training, Score score, Score val) {
    int64_t epoch = training->epochs++;
    t_set(training->loss, "{}", epoch, score.loss);
    t_set(training->accuracy, "{}", epoch, score.accuracy);
    t_set(training->val_loss, "{}", epoch, val.loss);
    t_set(training->val_accuracy, "{}", epoch, val.accuracy);
}

/* ---- the ways to train ---- */

/* Epochs over one training set, until the validation set is solved; returns the mean training accuracy from epoch 21
 * on. */
static double train(Training *training, data_Dataset *val_dataset, double solved) {
    const Options *options = training->options;
    bool is_solved =
        training->epochs > 0 && t_item(t_at(training->val_accuracy, "{}", training->epochs - 1)) >= (float)solved;
    for_range (epoch, training->epochs + 1, options->epochs + 1) {
        if (is_solved) break;
        char desc[32];
        snprintf(desc, sizeof desc, "epoch %lld", (long long)epoch);
        Score score = train_epoch(training, data_tqdm(training->loader, .desc = desc));
        Score val = evaluate(training, val_dataset);
        printf("epoch %3lld  loss %.4f  accuracy %.4f  validation loss %.4f  accuracy %.4f\n", (long long)epoch,
               score.loss, score.accuracy, val.loss, val.accuracy);
        fflush(stdout);
        remember(training, score, val);
        if (options->grad_norms) print_gradient_norms(training->model);
        if (epoch > 20) {
            training->late_sum += score.accuracy;
            training->late_epochs++;
        }
        is_solved = val.accuracy >= solved;
        if (options->checkpoint) save_checkpoint(training);
    }
    return training->late_epochs ? training->late_sum / training->late_epochs : NAN;
}

/* Shorter sequences over fewer tokens, every batch newly drawn, until the stage is solved.
 * Training on after that is what ruins a run: while the loss is 0.0000, Adam's mean of squared gradients v decays to
 * almost nothing, and the next wrong answer (at the latest the first batch of the next stage) makes steps of
 * lr * m / sqrt(v) so large that they destroy what was learnt. Therefore a stage ends as soon as it is solved, each one
 * gets a new optimizer with a warm-up, beta2 is smaller than Adam's usual 0.999 so that v follows the gradients faster,
 * and train_epoch clips the gradients. */
static void train_stage(Training *training, int64_t seq_len, int64_t vocab) {
    enum { STEPS_A_ROUND = 500, MOST_STEPS = 12000 };
    const Options *options = training->options;
    bool is_solved = false;
    start_optimizer(training, warmup);
    for (int64_t step = STEPS_A_ROUND; step <= MOST_STEPS && !is_solved; step += STEPS_A_ROUND) {
        with_scope() {
            data_Dataset *fresh = data_RepeatedTokenDataset(STEPS_A_ROUND * options->batch_size, seq_len, vocab);
            char desc[64];
            snprintf(desc, sizeof desc, "length %lld, vocabulary %lld", (long long)seq_len, (long long)vocab);
            data_DataLoader *loader = data_DataLoader(fresh, .batch_size = options->batch_size);
            Score score = train_epoch(training, data_tqdm(loader, .desc = desc));
            printf("%-28s step %5lld  loss %.4f  accuracy %.4f\n", desc, (long long)step, score.loss, score.accuracy);
            fflush(stdout);
            is_solved = score.accuracy >= 0.99;
        }
    }
    if (!is_solved) printf("not solved in %d steps\n", MOST_STEPS);
}

static void train_by_curriculum(Training *training) {
    static const struct { int64_t seq_len, vocab; } stages[] = {{8, 10}, {10, 16}, {14, 28}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        int64_t vocab = training->options->vocab;
        train_stage(training, stages[i].seq_len, stages[i].vocab < vocab ? stages[i].vocab : vocab);
    }
}

/* ---- pictures ---- */

static void show(const Options *options, const char *name) {
    save_plot(options->plots, name);
    plt_show();
}

static void draw_panel(int64_t index, const char *ylabel, const Training *training, Tensor *trained,
                       Tensor *validated) {
    Tensor *epochs = t_arange(1, training->epochs + 1);
    plt_subplot(1, 2, index);
    plt_plot(epochs, t_at(trained, ":{}", training->epochs), .label = "training", .marker = "o");
    plt_plot(epochs, t_at(validated, ":{}", training->epochs), .label = "validation", .marker = "o");
    plt_xlabel("Epoch");
    plt_ylabel(ylabel);
    plt_grid(true, .alpha = 0.3);
    plt_legend();
}

static void draw_curves(const Training *training) {
    if (training->epochs == 0) return;
    plt_figure(.figsize = {9, 4});
    draw_panel(1, "Loss", training, training->loss, training->val_loss);
    draw_panel(2, "Accuracy", training, training->accuracy, training->val_accuracy);
    plt_tight_layout();
    show(training->options, "curves.svg");
}

/* ---- the program ---- */

static void say_what_was_learnt(double late_accuracy, Score val, double majority) {
    printf("mean training accuracy of epochs 21 and later: %.4f\n", late_accuracy);
    printf("validation accuracy %.4f, majority share %.4f:\n%s\n", val.accuracy, majority,
           val.accuracy <= majority
               ? "it memorised its samples and learnt nothing of the rule;\nso does PyTorch with these values"
               : "better than always giving the majority answer");
}

static void run(const Options *options) {
    if (options->checkpoint && !check_can_write("--checkpoint", options->checkpoint)) return;
    t_manual_seed(options->seed);
    Training training = {.options = options, .model = encoder_classifier(options)};
    training.loss = t_zeros(options->epochs), training.accuracy = t_zeros(options->epochs);
    training.val_loss = t_zeros(options->epochs), training.val_accuracy = t_zeros(options->epochs);
    print_parameters(training.model);

    t_TensorDict *checkpoint = load_checkpoint(options);
    if (options->curriculum && !checkpoint) train_by_curriculum(&training);
    start_optimizer(&training, options->curriculum ? warmup_and_decay : warmup);
    training.data_rng = t_get_rng_state();
    data_Dataset *train_dataset = data_RepeatedTokenDataset(options->samples, options->seq_len, options->vocab);
    data_Dataset *val_dataset =
        data_RepeatedTokenDataset(options->tutorial ? 200 : 1000, options->seq_len, options->vocab);
    double majority = majority_share(val_dataset);
    printf("sequences of %lld tokens from a vocabulary of %lld, %lld samples;\nmajority share %.4f\n",
           (long long)options->seq_len, (long long)options->vocab, (long long)options->samples, majority);
    training.loader = data_DataLoader(train_dataset, .batch_size = options->batch_size, .shuffle = true);
    if (checkpoint) resume_from(&training, checkpoint);
    double late_accuracy = train(&training, val_dataset, options->tutorial ? 2 : 0.999);
    if (options->tutorial && options->epochs > 20)
        say_what_was_learnt(late_accuracy, evaluate(&training, val_dataset), majority);

    Tensor *sequence, *label;
    if (data_dataset_get(val_dataset, 0, &sequence, &label)) {
        draw_attention(training.model, sequence);
        show(options, "attention.svg");
    }
    draw_curves(&training);
    data_Dataset *fresh = data_RepeatedTokenDataset(4000, options->seq_len, options->vocab);
    printf("4000 fresh samples, majority share %.4f\n", majority_share(fresh));
    printf("accuracy %.4f\n", evaluate(&training, fresh).accuracy);
}

int main(int argc, char **argv) {
    Options options;
    int status;
    if (!parse_options(argc, argv, &options, &status)) return status;
    if (options.threads) t_set_num_threads(options.threads);
    with_scope() run(&options);
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("train_classifier: the output could not be written");
    return 1;
}
