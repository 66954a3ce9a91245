/* core/sklearn/k_fold.c: KFold and StratifiedKFold, with scikit-learn's folds for the same random_state. */
#include <inttypes.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/python/random_state.h"
#include "core/sklearn/model_selection.h"
#include "core/sklearn/targets.h"

static void k_fold_destroy(void *object) {
    sklearn_KFold *kf = object;
    tg_object_dispose(&kf->object);
    tg_object_free(&kf->object, sizeof *kf);
}

static const t_Class k_fold_class = {"KFold", k_fold_destroy};

static sklearn_KFold *new_k_fold(int64_t n_splits, bool is_stratified, const sklearn_KFoldOptions *options) {
    sklearn_KFoldOptions o = {SKLEARN_KFOLD_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (n_splits < 2)
        return tg_fail(
            "k-fold cross-validation requires at least one train/test split by setting n_splits=2 or more, got "
            "n_splits=%" PRId64 ".",
            n_splits);
    if (!o.shuffle && o.random_state != T_NONE)
        return tg_fail(
            "Setting a random_state has no effect since shuffle is False. You should leave random_state to its "
            "default (None), or set shuffle=True.");
    sklearn_KFold *kf = tg_alloc(sizeof *kf);
    if (!kf) return NULL;
    kf->n_splits = n_splits;
    kf->random_state = o.random_state;
    kf->shuffle = o.shuffle;
    kf->is_stratified = is_stratified;
    tg_object_init(&kf->object, &k_fold_class);
    return kf;
}

sklearn_KFold *sklearn_KFold_new(int64_t n_splits, const sklearn_KFoldOptions *options) {
    return new_k_fold(n_splits, false, options);
}

sklearn_KFold *sklearn_StratifiedKFold_new(int64_t n_splits, const sklearn_KFoldOptions *options) {
    return new_k_fold(n_splits, true, options);
}

/* The fold of each row, in runs of the shuffled rows. */
static bool plain_folds(const sklearn_KFold *kf, int64_t n, tg_RandomState *state, int64_t *fold_of) {
    int64_t *rows = tg_new_items(n), at = 0;
    if (!rows) return false;
    for (int64_t i = 0; i < n; i++) rows[i] = i;
    if (kf->shuffle) tg_random_state_shuffle(state, rows, n);
    for (int64_t fold = 0; fold < kf->n_splits; fold++)
        for (int64_t i = n / kf->n_splits + (fold < n % kf->n_splits); i > 0; i--) fold_of[rows[at++]] = fold;
    return true;
}

/* The rows' classes, numbered in the order of appearance; in *count how many there are, and their sizes. */
static int64_t *number_classes(const tg_Target *target, int64_t *count, int64_t **sizes) {
    int64_t *classes = tg_new_items(target->len), *first = classes ? tg_new_items(target->len) : NULL;
    *sizes = first ? tg_new_items(target->len) : NULL;
    *count = 0;
    if (!*sizes) return NULL;
    for (int64_t i = 0; i < target->len; i++) {
        int64_t class = 0;
        while (class < *count && target->labels[first[class]] != target->labels[i]) class ++;
        if (class == *count) first[(*count)++] = i;
        classes[i] = class;
        (*sizes)[class]++;
    }
    return classes;
}

static bool check_class_sizes(const sklearn_KFold *kf, const int64_t *sizes, int64_t count) {
    static _Thread_local bool warned;
    int64_t most = 0, least = INT64_MAX;
    for (int64_t c = 0; c < count; c++) {
        if (sizes[c] > most) most = sizes[c];
        if (sizes[c] < least) least = sizes[c];
    }
    if (kf->n_splits > most)
        return tg_fail("n_splits=%" PRId64 " cannot be greater than the number of members in each class.",
                       kf->n_splits);
    if (kf->n_splits > least)
        tg_warn(&warned,
                "The least populated class in y has only %" PRId64 " members, which is less than n_splits=%" PRId64 ".",
                least, kf->n_splits);
    return true;
}

/* How many rows of each class each fold tests is that of every n_splits-th row of the rows sorted by class. */
static bool stratified_folds(const sklearn_KFold *kf, const tg_Target *target, tg_RandomState *state,
                             int64_t *fold_of) {
    int64_t count, *sizes;
    const int64_t *classes = number_classes(target, &count, &sizes);
    if (!classes || !check_class_sizes(kf, sizes, count)) return false;
    int64_t *folds = tg_new_items(target->len), *allocated = folds ? tg_new_items(kf->n_splits) : NULL, begin = 0;
    if (!allocated) return false;
    for (int64_t class = 0; class < count; begin += sizes[class], class ++) {
        int64_t n = 0, next = 0;
        for (int64_t fold = 0; fold < kf->n_splits; fold++) {
            /* of the sorted positions begin .. begin + size - 1 those that are fold modulo n_splits */
            const int64_t first = (fold - begin % kf->n_splits + kf->n_splits) % kf->n_splits;
            allocated[fold] = first < sizes[class] ? (sizes[class] - 1 - first) / kf->n_splits + 1 : 0;
            for (int64_t i = 0; i < allocated[fold]; i++) folds[n++] = fold;
        }
        if (kf->shuffle) tg_random_state_shuffle(state, folds, n);
        for (int64_t i = 0; i < target->len; i++)
            if (classes[i] == class) fold_of[i] = folds[next++];
    }
    return true;
}

/* Rows in (test) or not in the fold. */
static Tensor *rows_of_fold(const int64_t *fold_of, int64_t n, int64_t fold, bool test) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += (fold_of[i] == fold) == test;
    Tensor *rows = tg_empty(&count, 1, t_int64);
    int64_t *items = rows ? tg_data(rows) : NULL;
    for (int64_t i = 0; rows && i < n; i++)
        if ((fold_of[i] == fold) == test) *items++ = i;
    return rows;
}

static bool make_folds(const sklearn_KFold *kf, const tg_Target *target, int64_t n, int64_t *fold_of) {
    tg_RandomState state;
    if (kf->shuffle && !tg_random_state_begin(&state, kf->random_state)) return false;
    const bool ok =
        kf->is_stratified ? stratified_folds(kf, target, &state, fold_of) : plain_folds(kf, n, &state, fold_of);
    if (ok && kf->shuffle) tg_random_state_end(&state, kf->random_state);
    return ok;
}

t_TensorList *sklearn_KFold_split(const sklearn_KFold *kf, Tensor *x, Tensor *y) {
    tg_Target target = {.len = 0};
    if (!tg_check_given(kf != NULL, 1, "a KFold") ||
        (kf->object.is_a != &k_fold_class && !tg_fail("argument 1 is no KFold, or died with its scope")) ||
        !tg_check_any(x, 2) || (kf->is_stratified ? !tg_check_any(y, 3) : !tg_check_any_optional(y, 3)))
        return NULL;
    if (x->ndim == 0)
        return tg_fail("Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `%s` "
                       "instead.",
                       tg_number_text(tg_read_double(x)));
    const int64_t n = x->shape[0];
    if (y && (y->ndim == 0 || y->shape[0] != n))
        return tg_fail("Found input variables with inconsistent numbers of samples: [%" PRId64 ", %" PRId64 "]", n,
                       y->ndim ? y->shape[0] : 0);
    if (n < kf->n_splits)
        return tg_fail("Cannot have number of splits n_splits=%" PRId64
                       " greater than the number of samples: n_samples=%" PRId64 ".",
                       kf->n_splits, n);
    const int depth = t_scope_open();
    bool ok = depth && (!kf->is_stratified || tg_target_of(&target, y, "y"));
    if (ok && target.type > tg_target_multiclass)
        ok = tg_fail("Supported target types are: ('binary', 'multiclass'). Got '%s' instead.",
                     tg_target_name(target.type));
    int64_t *fold_of = ok ? tg_new_items(n) : NULL;
    ok = fold_of && make_folds(kf, &target, n, fold_of);
    t_TensorList *folds = ok ? t_list_new(NULL, 0) : NULL;
    ok = folds != NULL;
    for (int64_t i = 0; ok && i < 2 * kf->n_splits; i++) {
        Tensor *rows = rows_of_fold(fold_of, n, i / 2, i % 2);
        ok = rows && t_list_append(folds, rows);
    }
    return tg_scope_return(depth, ok ? folds : NULL);
}
