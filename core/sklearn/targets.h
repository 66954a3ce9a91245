/* core/sklearn/targets.h: labels and values as the metrics and splits take them (internal). Memory is that of tensors
 * of the current scope. */
#ifndef TAPEGRAD_CORE_SKLEARN_TARGETS_H
#define TAPEGRAD_CORE_SKLEARN_TARGETS_H

#include "core/tensor/tensor.h"

typedef enum tg_TargetType {
    tg_target_binary,
    tg_target_multiclass,
    tg_target_continuous,
    tg_target_multilabel,
    tg_target_unknown
} tg_TargetType;

typedef struct tg_Target {
    tg_TargetType type;
    int64_t len;
    const int64_t *labels; /* of binary and multiclass */
    bool is_float, is_bool;
} tg_Target;

/* scikit-learn's type_of_target; name: "y_true", for errors: NaN, infinity. */
bool tg_target_of(tg_Target *target, Tensor *y, const char *name);
const char *tg_target_name(tg_TargetType type); /* "binary" */
int64_t *tg_new_items(int64_t count);           /* zeros; NULL on out of memory */

/* True and predicted labels as numbers of the sorted labels of both. */
typedef struct tg_Labels {
    int64_t len, classes;
    const int64_t *labels; /* of the classes */
    const int64_t *of_true, *of_pred;
    bool is_multiclass, is_float, is_bool;
} tg_Labels;
bool tg_labels_of(tg_Labels *to, Tensor *y_true, Tensor *y_pred);
/* "1", "1.0" or "True" */
const char *tg_label_text(const tg_Labels *labels, int64_t class, char to[40]);

/* "[0 2]", as numpy prints the labels */
void tg_labels_text(const tg_Labels *l, char *to, size_t size);

/* x as contiguous float64 of two dims, finite. */
Tensor *tg_values_of(Tensor *x);

#endif
