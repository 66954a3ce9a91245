/* core/sklearn/model_selection.c: train_test_split: the row numbers that scikit-learn's ShuffleSplit and
 * StratifiedShuffleSplit draw from numpy's RandomState. */
#include "core/sklearn/model_selection.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/python/random_state.h"
#include "core/tensor/dtype_convert.h"
#include "core/tensor/tensor.h"

/* ---- sizes ---- */

static bool is_given(double size) {
    return size == size;
}

/* "0.2", "3" or "None" */
static const char *size_text(double size, char to[40]) {
    snprintf(to, 40, "%s", !is_given(size) ? "None" : tg_number_text(size));
    if (is_given(size) && fabs(size) >= 1 && size == floor(size) && fabs(size) < 1e15) snprintf(to, 40, "%.0f", size);
    return to;
}

static bool check_size(const char *name, double size, int64_t count) {
    char text[40];
    if (!is_given(size) || (size > 0 && size < 1)) return true;
    if (!(size >= 1 && size == floor(size)))
        return tg_fail(
            "The '%s' parameter of train_test_split must be a float in the range (0.0, 1.0), an int in the range "
            "[1, inf) or None. Got %s instead.",
            name, size_text(size, text));
    if (size < (double)count) return true;
    return tg_fail("%s=%s should be either positive and smaller than the number of samples %" PRId64
                   " or a float in the (0, 1) range",
                   name, size_text(size, text), count);
}

static bool split_sizes(const sklearn_SplitOptions *o, int64_t count, int64_t *train, int64_t *test) {
    const double test_size = is_given(o->test_size) || is_given(o->train_size) ? o->test_size : 0.25;
    const double train_size = o->train_size;
    char first[40], second[40];
    if (!check_size("test_size", test_size, count) || !check_size("train_size", train_size, count)) return false;
    if (test_size < 1 && train_size < 1 && test_size + train_size > 1)
        return tg_fail(
            "The sum of test_size and train_size = %s, should be in the (0, 1) range. Reduce test_size and/or "
            "train_size.",
            tg_number_text(test_size + train_size));
    double n_test = test_size < 1 ? ceil(test_size * (double)count) : test_size;
    double n_train = train_size < 1 ? floor(train_size * (double)count) : train_size;
    if (!is_given(train_size)) n_train = (double)count - n_test;
    if (!is_given(test_size)) n_test = (double)count - n_train;
    if (n_train + n_test > (double)count)
        return tg_fail(
            "The sum of train_size and test_size = %.0f, should be smaller than the number of samples %" PRId64
            ". Reduce test_size and/or train_size.",
            n_train + n_test, count);
    if (n_train <= 0)
        return tg_fail("With n_samples=%" PRId64
                       ", test_size=%s and train_size=%s, the resulting train set will be empty. "
                       "Adjust any of the aforementioned parameters.",
                       count, size_text(test_size, first), size_text(train_size, second));
    *train = (int64_t)n_train;
    *test = (int64_t)n_test;
    return true;
}

/* ---- strata ---- */

/* The rows by class: class c has the rows rows[begin[c]] to rows[begin[c + 1] - 1]. Tensors of the current scope. */
typedef struct Strata {
    int64_t classes;
    const int64_t *rows, *begin;
} Strata;

static int64_t *new_items(int64_t count) {
    Tensor *x = tg_empty(&count, 1, t_int64);
    int64_t *items = x ? tg_data(x) : NULL;
    if (items && count) memset(items, 0, (size_t)count * sizeof *items);
    return items;
}

static bool refuse_small_classes(const Tensor *classes, const int64_t *counts) {
    char list[200] = "";
    for (int64_t c = 0; c < tg_numel(classes) && strlen(list) < 150; c++) {
        if (counts[c] >= 2) continue;
        const size_t used = strlen(list);
        const char *before = used ? ", " : "";
        const size_t size = tg_itemsize(classes->dtype);
        const void *label = (const char *)tg_data(classes) + (size_t)c * size;
        if (tg_is_floating(classes->dtype))
            snprintf(list + used, sizeof list - used, "%s%s", before,
                     tg_number_text(tg_element_as_double(classes->dtype, label)));
        else
            snprintf(list + used, sizeof list - used, "%s%" PRId64, before, tg_element_as_int64(classes->dtype, label));
    }
    return tg_fail(
        "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for "
        "any class cannot be less than 2. Classes with too few members are: [%s]",
        list);
}

static bool make_strata(Strata *s, Tensor *labels, int64_t count) {
    if (!tg_check_any(labels, 1)) return false;
    if (labels->ndim == 2 && labels->shape[1] == 1) labels = t_reshape(labels, &labels->shape[0], 1);
    if (!labels) return false;
    if (labels->ndim != 1) return tg_fail("stratify must have one dim, but its shape is %s", tg_shape_of(labels));
    if (labels->shape[0] != count)
        return tg_fail("Found input variables with inconsistent numbers of samples: [%" PRId64 ", %" PRId64 "]", count,
                       labels->shape[0]);
    Tensor *inverse = NULL, *unique = t_unique(t_detach(labels), true, &inverse, NULL, T_NONE);
    const int64_t *of = unique && inverse ? tg_data(inverse) : NULL;
    if (!of) return false;
    s->classes = tg_numel(unique);
    int64_t *begin = new_items(s->classes + 2), *rows = begin ? new_items(count) : NULL;
    if (!rows) return false;
    for (int64_t i = 0; i < count; i++) begin[of[i] + 2]++;
    for (int64_t c = 0; c < s->classes; c++)
        if (begin[c + 2] < 2) return refuse_small_classes(unique, begin + 2);
    for (int64_t c = 0; c < s->classes; c++) begin[c + 2] += begin[c + 1];
    for (int64_t i = 0; i < count; i++) rows[begin[of[i] + 1]++] = i; /* begin[c + 1] ends as the end of class c */
    s->rows = rows;
    s->begin = begin;
    return true;
}

/* scikit-learn's _approximate_mode: how many of `draws` rows each class gives: in proportion, rounded down; what is
 * left goes to the largest remainders, among equal ones by chance. */
static bool approximate_mode(const int64_t *counts, int64_t classes, int64_t draws, tg_RandomState *state,
                             int64_t *to) {
    int64_t total = 0, left = draws;
    int64_t *tied = new_items(classes), *order = tied ? new_items(classes) : NULL;
    Tensor *remainders = order ? tg_empty(&classes, 1, t_float64) : NULL;
    double *remainder = remainders ? tg_data(remainders) : NULL;
    if (!remainder) return false;
    for (int64_t c = 0; c < classes; c++) total += counts[c];
    for (int64_t c = 0; c < classes; c++) {
        const double part = (double)counts[c] / (double)total * (double)draws;
        to[c] = (int64_t)floor(part);
        remainder[c] = part - floor(part);
        left -= to[c];
    }
    double below = INFINITY;
    while (left > 0) {
        double largest = -1;
        int64_t n = 0;
        for (int64_t c = 0; c < classes; c++)
            if (remainder[c] < below && remainder[c] > largest) largest = remainder[c];
        if (largest < 0) break;
        for (int64_t c = 0; c < classes; c++)
            if (remainder[c] == largest) tied[n++] = c;
        tg_random_state_permutation(state, order, n); /* rng.choice(tied, size, replace=False) */
        for (int64_t i = 0; i < n && left > 0; i++, left--) to[tied[order[i]]]++;
        below = largest;
    }
    return true;
}

static bool stratified(const Strata *s, int64_t n_train, int64_t n_test, tg_RandomState *state, int64_t *train,
                       int64_t *test) {
    if (n_train < s->classes)
        return tg_fail("The train_size = %" PRId64 " should be greater or equal to the number of classes = %" PRId64,
                       n_train, s->classes);
    if (n_test < s->classes)
        return tg_fail("The test_size = %" PRId64 " should be greater or equal to the number of classes = %" PRId64,
                       n_test, s->classes);
    int64_t *counts = new_items(s->classes), *of_train = counts ? new_items(s->classes) : NULL;
    int64_t *of_test = of_train ? new_items(s->classes) : NULL, largest = 0, a = 0, b = 0;
    if (!of_test) return false;
    for (int64_t c = 0; c < s->classes; c++) {
        counts[c] = s->begin[c + 1] - s->begin[c];
        if (counts[c] > largest) largest = counts[c];
    }
    if (!approximate_mode(counts, s->classes, n_train, state, of_train)) return false;
    for (int64_t c = 0; c < s->classes; c++) counts[c] -= of_train[c];
    if (!approximate_mode(counts, s->classes, n_test, state, of_test)) return false;
    int64_t *order = new_items(largest), *gathered = order ? new_items(n_train > n_test ? n_train : n_test) : NULL;
    if (!gathered) return false;
    for (int64_t c = 0; c < s->classes; c++) {
        const int64_t *rows = s->rows + s->begin[c];
        tg_random_state_permutation(state, order, s->begin[c + 1] - s->begin[c]);
        for (int64_t i = 0; i < of_train[c]; i++) train[a++] = rows[order[i]];
        for (int64_t i = 0; i < of_test[c]; i++) test[b++] = rows[order[of_train[c] + i]];
    }
    tg_random_state_shuffle(state, train, n_train);
    tg_random_state_shuffle(state, test, n_test);
    return true;
}

/* ---- the split ---- */

bool sklearn_train_test_indices(int64_t count, Tensor **train, Tensor **test, const sklearn_SplitOptions *options) {
    tg_clear_output(train);
    tg_clear_output(test);
    sklearn_SplitOptions o = {SKLEARN_SPLIT_DEFAULTS_};
    int64_t n_train, n_test;
    tg_RandomState state;
    if (!tg_check_given(train != NULL, 2, "the address of a tensor") ||
        !tg_check_given(test != NULL, 3, "the address of a tensor") || !tg_take_options(&o, options, sizeof o) ||
        !tg_check_any_optional(o.stratify, 4))
        return false;
    if (count < 0) return tg_fail("a number of rows must not be negative, but is %" PRId64, count);
    if (o.random_state != T_NONE && (o.random_state < 0 || o.random_state > UINT32_MAX))
        return tg_fail(
            "The 'random_state' parameter of train_test_split must be an int in the range [0, 4294967295], an "
            "instance of 'numpy.random.mtrand.RandomState' or None. Got %" PRId64 " instead.",
            o.random_state);
    if (!o.shuffle && o.stratify) return tg_fail("Stratified train/test split is not implemented for shuffle=False");
    if (!split_sizes(&o, count, &n_train, &n_test)) return false;
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *a = tg_empty(&n_train, 1, t_int64), *b = a ? tg_empty(&n_test, 1, t_int64) : NULL;
    bool ok = b != NULL;
    if (ok && !o.shuffle) {
        for (int64_t i = 0; i < n_train; i++) ((int64_t *)tg_data(a))[i] = i;
        for (int64_t i = 0; i < n_test; i++) ((int64_t *)tg_data(b))[i] = n_train + i;
    } else if (ok) {
        Strata strata = {0, NULL, NULL};
        ok = (!o.stratify || make_strata(&strata, o.stratify, count)) && tg_random_state_begin(&state, o.random_state);
        if (ok && o.stratify) {
            ok = stratified(&strata, n_train, n_test, &state, tg_data(a), tg_data(b));
        } else if (ok) {
            int64_t *rows = new_items(count);
            ok = rows != NULL;
            if (ok) {
                tg_random_state_permutation(&state, rows, count);
                if (n_test) memcpy(tg_data(b), rows, (size_t)n_test * sizeof *rows);
                memcpy(tg_data(a), rows + n_test, (size_t)n_train * sizeof *rows);
            }
        }
        if (ok) tg_random_state_end(&state, o.random_state);
    }
    if (ok) {
        *train = t_keep_object(a);
        *test = t_keep_object(b);
    }
    t_scope_close(depth);
    return ok;
}

bool sklearn_train_test_split(Tensor *const *arrays, int64_t count, Tensor **const *to,
                              const sklearn_SplitOptions *options) {
    Tensor *rows[2];
    if (!tg_check_array(arrays, count, 1, "tensors") || !tg_check_array(to, count, 3, "outputs")) return false;
    if (count == 0) return tg_fail("At least one array required as input");
    for (int64_t i = 0; i < count; i++) {
        if (!tg_check_any(arrays[i], 1)) return false;
        if (!to[2 * i] || !to[2 * i + 1]) return tg_fail("output %" PRId64 " is NULL", 2 * i + (to[2 * i] != NULL));
        if (arrays[i]->ndim == 0)
            return tg_fail("Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `%s` "
                           "instead.",
                           tg_number_text(tg_read_double(arrays[i])));
        if (arrays[i]->shape[0] != arrays[0]->shape[0])
            return tg_fail("Found input variables with inconsistent numbers of samples: [%" PRId64 ", %" PRId64 "]",
                           arrays[0]->shape[0], arrays[i]->shape[0]);
    }
    if (!sklearn_train_test_indices(arrays[0]->shape[0], &rows[0], &rows[1], options)) return false;
    t_TensorList *parts = t_list_new(NULL, 0);
    bool ok = parts != NULL;
    for (int64_t i = 0; ok && i < 2 * count; i++) {
        Tensor *part = t_index_select(arrays[i / 2], 0, rows[i % 2]);
        ok = part && t_list_append(parts, part);
    }
    for (int64_t i = 0; ok && i < 2 * count; i++) *to[i] = parts->items[i];
    return ok;
}
