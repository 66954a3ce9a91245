/* core/sklearn/model_selection.h: scikit-learn's train_test_split (public; part of core/sklearn/sklearn.h).
 *
 *     Tensor *x_train, *x_test, *y_train, *y_test;
 *     sklearn_train_test_split((x, y), (&x_train, &x_test, &y_train, &y_test), .test_size = 0.2, .random_state = 42,
 *                              .stratify = y);
 *
 * is x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=42, stratify=y), with
 * scikit-learn's rows for the same random_state. The rows of a frame or of anything else: sklearn_train_test_indices
 * gives the two tensors of row numbers, for pd_take. */
#ifndef TAPEGRAD_CORE_SKLEARN_MODEL_SELECTION_H
#define TAPEGRAD_CORE_SKLEARN_MODEL_SELECTION_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* test_size, train_size: below 1 a part of the rows, else their number; NAN for Python's None (0.25 of the rows are the
 * test's if both are). random_state: from 0 to 2^32 - 1; T_NONE draws from numpy.random (np_random_seed). stratify: a
 * tensor of a label for each row: both parts have the classes in the same proportions. Errors have scikit-learn's
 * texts. */
typedef struct sklearn_SplitOptions {
    uint32_t size;
    double test_size, train_size;
    int64_t random_state;
    bool shuffle;
    Tensor *stratify;
} sklearn_SplitOptions;
#define SKLEARN_SPLIT_DEFAULTS_                                                                               \
    .test_size = __builtin_nan(""), .train_size = __builtin_nan(""), .random_state = T_NONE, .shuffle = true, \
    .size = sizeof(sklearn_SplitOptions)

/* The rows of the training part and of the test part, of `count` rows: int64 tensors. */
T_API bool sklearn_train_test_indices(int64_t count, Tensor **train, Tensor **test,
                                      const sklearn_SplitOptions *options);
/* train_test_split(*arrays): *to[2 * i] and *to[2 * i + 1] are the parts of array i, along its first dim. */
T_API bool sklearn_train_test_split(Tensor *const *arrays, int64_t count, Tensor **const *to,
                                    const sklearn_SplitOptions *options);

T_END_DECLS
#endif
