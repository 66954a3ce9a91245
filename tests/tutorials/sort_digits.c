/* tests/tutorials/sort_digits.c: the strings of examples/sort_digits, and greedy and beam search, compared with a plain
 * beam search on models with random weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sort_digits/sort_digits.h"
#include "tests/tutorials/port.h"

/* ---- strings ---- */

START_TEST(strings_are_held_out_by_their_number) {
    t_manual_seed(1);
    for (int i = 0; i < 400; i++) {
        Task task = i % 2 ? sorted : reversed;
        Sample sample = draw_sample(task, i % 3 == 0);
        int64_t number = 0, n = sample.length, digits[10] = {0};
        HOLDS(n >= SHORTEST && n <= LONGEST && sample.target[0] == BOS && sample.target[n + 1] == EOS);
        for (int64_t d = 0; d < n; d++) {
            number = 10 * number + sample.source[d] - ZERO;
            digits[sample.source[d] - ZERO]++;
            digits[sample.target[d + 1] - ZERO]--;
            if (task == reversed) HOLDS(sample.target[n - d] == sample.source[d]);
            else HOLDS(d == 0 || sample.target[d] <= sample.target[d + 1]);
        }
        HOLDS((number % 11 == 0) == (i % 3 == 0));
        for (int d = 0; d < 10; d++) HOLDS(digits[d] == 0); /* the same digits */
    }
    report_notes();
}
END_TEST

START_TEST(rows_are_padded_to_the_longest) {
    t_manual_seed(2);
    Sample samples[6];
    for (int i = 0; i < 6; i++) samples[i] = draw_sample(sorted, false);
    Tensor *src = source_ids(samples, 6), *tgt = target_ids(samples, 6);
    ck_assert_int_eq(t_size(tgt, 1), t_size(src, 1) + 2);
    for (int64_t i = 0; i < 6; i++) {
        int64_t n = samples[i].length;
        HOLDS(memcmp((const int64_t *)t_data_ptr(src) + i * t_size(src, 1), samples[i].source, (size_t)n * sizeof n) ==
              0);
        HOLDS(is_exact((const int64_t *)t_data_ptr(tgt) + i * t_size(tgt, 1), &samples[i]));
        HOLDS(t_is_true(t_all(t_eq(t_at(src, "{}, {}:", i, n), PAD))));
        HOLDS(t_is_true(t_all(t_eq(t_at(tgt, "{}, {}:", i, n + 2), PAD))));
    }
}
END_TEST

/* ---- decoding ---- */

enum { MODELS = 12 };

/* Weights large enough for clear preferences, EOS among them. */
static nn_EncoderDecoder *opinionated(int64_t seed) {
    t_manual_seed((uint64_t)seed);
    nn_EncoderDecoder *model = nn_EncoderDecoder(1, 8, 2, 8, VOCABULARY, VOCABULARY, .dropout = 0,
                                                 .src_max_len = MAX_LEN, .tgt_max_len = MAX_LEN);
    t_mul_(model->generator->weight, 4);
    t_set(model->generator->bias, "{}", EOS, 1.0);
    return nn_eval(model);
}

typedef struct Path {
    int64_t tokens[MAX_LEN], length;
    double sum, mean; /* of the log-probabilities; over the tokens after BOS */
} Path;

static int better_first(const void *a, const void *b) {
    double x = ((const Path *)a)->mean, y = ((const Path *)b)->mean;
    return (x < y) - (x > y);
}

static bool is_open(const Path *p) {
    return p->length < MAX_LEN && p->tokens[p->length - 1] != EOS;
}

/* The path extended by each token: recomputes the model for every path. */
static int64_t children(nn_EncoderDecoder *model, Tensor *src, const Path *path, Path *to) {
    double log_probabilities[VOCABULARY];
    with_scope() {
        Tensor *tgt = t_tensor(path->tokens, 1, path->length);
        Tensor *logits =
            nn_EncoderDecoder_call(model, src, tgt, nn_keep_padding(src, PAD), nn_keep_causal(path->length), NULL);
        t_tolist(F_log_softmax(t_at(logits, "0, -1"), -1), log_probabilities, VOCABULARY);
    }
    for (int64_t token = 0; token < VOCABULARY; token++) {
        to[token] = *path;
        to[token].tokens[to[token].length++] = token;
        to[token].sum += log_probabilities[token];
        to[token].mean = to[token].sum / (double)(to[token].length - 1);
    }
    return VOCABULARY;
}

/* Every path of the beam is continued by every token, all of them are sorted, and the first `width` stay. */
static Path plain_search(nn_EncoderDecoder *model, Tensor *src, int64_t width) {
    static Path all[WIDEST * VOCABULARY], beam[WIDEST];
    int64_t count = 1;
    beam[0] = (Path){.tokens = {BOS}, .length = 1};
    for (bool open = true; open;) {
        int64_t n = 0;
        open = false;
        for (int64_t i = 0; i < count; i++) {
            if (is_open(&beam[i])) n += children(model, src, &beam[i], all + n);
            else all[n++] = beam[i];
        }
        qsort(all, (size_t)n, sizeof *all, better_first);
        count = n < width ? n : width;
        for (int64_t i = 0; i < count; i++) {
            beam[i] = all[i];
            open = open || is_open(&beam[i]);
        }
    }
    return beam[0];
}

START_TEST(beam_search_finds_what_a_plain_search_finds) {
    int finished = 0;
    for_range (seed, 0, MODELS) with_no_grad() {
        nn_EncoderDecoder *model = opinionated(seed);
        Sample sample = draw_sample(sorted, true);
        Tensor *src = source_ids(&sample, 1);
        for (int64_t width = 1; width <= 5; width += 2) {
            int64_t tokens[MAX_LEN];
            beam_decode(model, src, width, tokens);
            Path want = plain_search(model, src, width);
            if (memcmp(tokens, want.tokens, sizeof tokens) != 0)
                note("model %lld, width %lld: %s, not %s", (long long)seed, (long long)width, text_of(tokens, MAX_LEN),
                     text_of(want.tokens, MAX_LEN));
            finished += want.length < MAX_LEN;
        }
    }
    ck_assert_int_gt(finished, MODELS / 3);         /* some end before the maximal length, */
    ck_assert_int_lt(finished, 3 * MODELS - MODELS / 3); /* and some do not */
    report_notes();
}
END_TEST

/* Equal up to the first EOS; the tokens after it differ. */
START_TEST(a_beam_of_one_is_greedy) {
    for_range (seed, 0, MODELS) with_no_grad() {
        nn_EncoderDecoder *model = opinionated(seed);
        Sample samples[] = {draw_sample(sorted, true), draw_sample(sorted, false)};
        Tensor *out = greedy_decode(model, source_ids(samples, 2));
        for (int64_t b = 0; b < 2; b++) {
            const int64_t *greedy = (const int64_t *)t_data_ptr(out) + b * MAX_LEN;
            int64_t tokens[MAX_LEN], n = 1;
            beam_decode(model, source_ids(&samples[b], 1), 1, tokens);
            while (n < MAX_LEN && greedy[n - 1] != EOS) n++;
            HOLDS(memcmp(tokens, greedy, (size_t)n * sizeof *tokens) == 0);
        }
    }
    report_notes();
}
END_TEST

PORT_SUITE("sort_digits", strings_are_held_out_by_their_number, rows_are_padded_to_the_longest,
           beam_search_finds_what_a_plain_search_finds, a_beam_of_one_is_greedy)
