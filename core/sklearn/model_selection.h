/* core/sklearn/model_selection.h: scikit-learn's train_test_split, KFold and StratifiedKFold (public; part of
 * core/sklearn/sklearn.h).
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

#include "core/tensor/list.h"

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

/* KFold(n_splits=5, shuffle=False, random_state=None), StratifiedKFold(...):
 *
 *     sklearn_KFold *kf = sklearn_KFold(5, .shuffle = true, .random_state = 0);
 *     t_TensorList *folds = sklearn_split(kf, x, y);                     for train, test in kf.split(x, y):
 *     for_range (i, 0, kf->n_splits) {
 *         Tensor *train = folds->items[2 * i], *test = folds->items[2 * i + 1];
 *
 * Folds of a StratifiedKFold have the classes of y in the same proportions. They belong to the current scope. */
typedef struct sklearn_KFold {
    t_Object object;
    int64_t n_splits, random_state;
    bool shuffle, is_stratified;
} sklearn_KFold;
typedef struct sklearn_KFoldOptions {
    uint32_t size;
    bool shuffle;
    int64_t random_state; /* T_NONE: numpy.random */
} sklearn_KFoldOptions;
#define SKLEARN_KFOLD_DEFAULTS_ .random_state = T_NONE, .size = sizeof(sklearn_KFoldOptions)
/* Errors: n_splits below 2; a random_state without shuffle. */
T_API sklearn_KFold *sklearn_KFold_new(int64_t n_splits, const sklearn_KFoldOptions *options);
T_API sklearn_KFold *sklearn_StratifiedKFold_new(int64_t n_splits, const sklearn_KFoldOptions *options);
/* 2 * n_splits tensors of row numbers, int64: training and test rows of each fold. x: anything with a row for each
 * sample; y: its labels, which KFold does not look at (may be NULL). Errors: fewer samples than folds; classes smaller
 * than n_splits. */
T_API t_TensorList *sklearn_KFold_split(const sklearn_KFold *kf, Tensor *x, Tensor *y);

T_END_DECLS
#endif
