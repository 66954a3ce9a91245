/* tests/ops/test_index_cases.c: index expressions of every kind, drawn at random by golden/record_index.py, against
 * what PyTorch made of them: t_at and t_set, values, gradients and error texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

enum { FIELDS = 9, LINE = 2000 };

static Tensor *numbered(const int64_t *shape, int ndim, double start) {
    t_TensorOptions wide = {.size = sizeof wide, .dtype = t_float64};
    Tensor *x = t_zeros(shape, ndim, &wide);
    for (int64_t i = 0; x && i < t_numel(x); i++) ((double *)t_data_ptr_mut(x))[i] = start + (double)i;
    return x;
}

/* The sum of the k-th element times k + 1; of a gradient that was not given, 0. */
static double checksum(Tensor *x) {
    double sum = 0, *values = x ? values_of(x) : NULL;
    for (int64_t i = 0; x && i < t_numel(x); i++) sum += values[i] * (double)(i + 1);
    free(values);
    return sum;
}

static int read_sizes(const char *text, int64_t *shape) {
    int ndim = 0;
    for (char *end; *text; text = *end ? end + 1 : end) shape[ndim++] = strtoll(text, &end, 10);
    return ndim;
}

/* "i[0, 1]", "bTrue", "3": the items for {}, one after the other. */
static int read_values(char *text, Tensor **values) {
    int count = 0;
    for (char *word = strtok(text, "|"); word; word = strtok(NULL, "|")) {
        t_TensorOptions options = {.size = sizeof options, .dtype = *word == 'b' ? t_bool : t_int64};
        bool number = *word != 'b' && *word != 'i';
        values[count++] = number ? t_integer(strtoll(word, NULL, 10)) : t_tensor_from_text(word + 1, &options);
    }
    return count;
}

static bool backward_numbered(Tensor *y) {
    t_BackwardOptions options = {.size = sizeof options, .gradient = numbered(t_shape(y), (int)t_dim(y), 1)};
    return t_backward(y, &options);
}

static void compare(const char *what, const char *name, double got, const char *want) {
    if (got != strtod(want, NULL)) note("%s: the checksum of %s is %.0f, expected %s", what, name, got, want);
}

static void check_expression(const char *what, char **field) {
    int64_t shape[T_MAX_DIMS], result[T_MAX_DIMS];
    Tensor *values[16], *x = t_requires_grad_(numbered(shape, read_sizes(field[0], shape), 1), true);
    int count = read_values(field[2], values), ndim = field[4] ? read_sizes(field[3], result) : -1;
    Tensor *y = t_at(x, field[1], values, count), *written = t_mul(x, t_number(1));
    if (!y || ndim < 0) {
        const char *said = y ? "nothing" : t_error_message();
        if (ndim >= 0 || strcmp(said, field[3]) != 0) note("%s: said %s, expected %s", what, said, field[3]);
        if (t_set(written, field[1], values, count, x)) note("%s: t_set succeeded", what);
        t_clear_error();
        return;
    }
    if (t_dim(y) != ndim || memcmp(t_shape(y), result, (size_t)ndim * sizeof *result) != 0) {
        note("%s: gives the shape %s, expected %s", what, t_size_repr(y), field[3]);
        return;
    }
    compare(what, "x[index]", checksum(y), field[4]);
    if (!backward_numbered(y)) note("%s: %s", what, t_error());
    compare(what, "x's gradient", checksum(t_grad(x)), field[5]);
    t_set_grad(x, NULL);
    Tensor *value = t_requires_grad_(numbered(result, ndim, 1000), true);
    if (!t_set(written, field[1], values, count, value) || !backward_numbered(written))
        note("%s, t_set: %s", what, t_error());
    compare(what, "x written", checksum(written), field[6]);
    compare(what, "x's gradient, written", checksum(t_grad(x)), field[7]);
    compare(what, "the value's gradient", checksum(t_grad(value)), field[8]);
    t_clear_error();
}

START_TEST(indexes_as_pytorch_does) {
    char line[LINE], what[LINE + 40];
    FILE *file = fopen("tests/golden/index.txt", "r");
    int lines = 0;
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file)) {
        char *field[FIELDS] = {line};
        line[strcspn(line, "\n")] = '\0';
        snprintf(what, sizeof what, "line %d: %s", ++lines, line);
        for (int i = 1; i < FIELDS && field[i - 1]; i++) {
            field[i] = strchr(field[i - 1], '\t');
            if (field[i]) *field[i]++ = '\0';
        }
        int scope = t_scope_open();
        check_expression(what, field);
        t_scope_close(scope);
    }
    fclose(file);
    ck_assert_int_gt(lines, 100);
    report_notes();
}
END_TEST

Suite *index_cases_suite(void);
Suite *index_cases_suite(void) {
    Suite *suite = suite_create("index_cases");
    TCase *tests = tcase_create("index_cases");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, indexes_as_pytorch_does);
    suite_add_tcase(suite, tests);
    return suite;
}
