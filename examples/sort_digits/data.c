/* examples/sort_digits/data.c: digit strings of varying length, padded into batches. */
#include "sort_digits.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

Sample draw_sample(Task task, bool held_out) {
    Sample sample = {.length = 0};
    int64_t number;
    do with_scope() {
        sample.length = t_item_int64(t_randint(SHORTEST, LONGEST + 1, 1));
        const int64_t *digits = t_data_ptr(t_randint(0, 10, sample.length));
        number = 0;
        for (int64_t i = 0; i < sample.length; i++) {
            number = 10 * number + digits[i];
            sample.source[i] = ZERO + digits[i];
            sample.target[task == sorted ? i + 1 : sample.length - i] = ZERO + digits[i];
        }
    } while ((number % 11 == 0) != held_out);
    if (task == sorted) qsort(sample.target + 1, (size_t)sample.length, sizeof sample.target[0], ascending);
    sample.target[0] = BOS;
    sample.target[sample.length + 1] = EOS;
    return sample;
}

static int64_t longest(const Sample *samples, int64_t B) {
    int64_t length = 0;
    for (int64_t b = 0; b < B; b++) length = samples[b].length > length ? samples[b].length : length;
    return length;
}

Tensor *source_ids(const Sample *samples, int64_t B) {
    int64_t S = longest(samples, B);
    Tensor *ids = t_full((B, S), PAD, .dtype = t_int64);
    for (int64_t b = 0; b < B; b++)
        memcpy((int64_t *)t_data_ptr_mut(ids) + b * S, samples[b].source, (size_t)samples[b].length * sizeof(int64_t));
    return ids;
}

Tensor *target_ids(const Sample *samples, int64_t B) {
    int64_t T = longest(samples, B) + 2;
    Tensor *ids = t_full((B, T), PAD, .dtype = t_int64);
    for (int64_t b = 0; b < B; b++)
        memcpy((int64_t *)t_data_ptr_mut(ids) + b * T, samples[b].target,
               (size_t)(samples[b].length + 2) * sizeof(int64_t));
    return ids;
}

const char *text_of(const int64_t *tokens, int64_t count) {
    static char texts[8][MAX_LEN + 1];
    static int next;
    char *text = texts[next++ % 8];
    int64_t n = 0;
    for (int64_t i = 0; i < count && tokens[i] != EOS; i++)
        if (tokens[i] != BOS && n < MAX_LEN) text[n++] = tokens[i] >= ZERO ? (char)('0' + tokens[i] - ZERO) : '_';
    text[n] = 0;
    return text;
}
