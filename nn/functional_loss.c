/* nn/functional_loss.c: losses. Sums of float32 are gathered in double and rounded once. */
#include <stdio.h>
#include <string.h>

#include "core/ops/pointwise.h"
#include "nn/functional.h"

const F_LossOptions F_LossDefaults = {.size = sizeof F_LossDefaults, .ignore_index = -100, .reduction = "mean"};

typedef enum Reduction { MEAN, SUM, NONE_AT_ALL } Reduction;

static bool parse_reduction(const char *word, Reduction *reduction) {
    if (!word || strcmp(word, "mean") == 0) *reduction = MEAN;
    else if (strcmp(word, "sum") == 0) *reduction = SUM;
    else if (strcmp(word, "none") == 0) *reduction = NONE_AT_ALL;
    else return tg_fail("%s is not a valid value for reduction", word);
    return true;
}
