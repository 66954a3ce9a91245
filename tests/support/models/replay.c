/* tests/support/models/replay.c: see replay.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/replay.h"

Inputs run_begin(Run *run, void *module, const char *inputs) {
    t_DType real = run->name[0] == '3' ? t_float32 : t_float64;
    run->module = module;
    nn_train(nn_to(module, real), run->name[2] == 't');
    load_hashed(module, run->key);
    Inputs in = make_inputs(inputs, seed_of(run->key), real);
    t_manual_seed(DROPOUT_SEED);
    return in;
}

void run_backward(const Run *run, Tensor *y, const Inputs *in) {
    t_backward(y, hashed_tensor("R", t_shape(y), (int)t_dim(y), seed_of(run->key), 100, t_dtype(y)));
    run_compare_gradients(run, in);
}

void run_end(const Run *run, int64_t live_before) {
    int64_t left = t_live_count() - live_before;
    if (left) note("%s: %s: %lld tensors outlive their scope", run->key, run->name, (long long)left);
    if (t_error()) note("%s: %s: %s", run->key, run->name, t_error());
    t_clear_error();
}

bool run_has(const Run *run, const char *array) {
    char name[400], sums[420];
    snprintf(name, sizeof name, "%s.%s", run->name, array);
    snprintf(sums, sizeof sums, "%s.sums", name);
    return has_recorded(run->section, name) || has_recorded(run->section, sums);
}

void run_compare(const Run *run, const char *array, Tensor *got, Role role) {
    char name[400], what[800];
    snprintf(name, sizeof name, "%s.%s", run->name, array);
    snprintf(what, sizeof what, "%s: %s", run->key, name);
    matches_recorded(what, got, run->section, name, role);
}

/* In exact arithmetic the bias of the keys has gradient 0: it adds the same amount to all scores of a query. Both sides
 * have rounding errors instead, which are compared with the gradient of the keys' weight (with 1 if that is NaN) at the
 * tolerance of gradients. */
static bool is_key_bias(const char *name) {
    static const char *const endings[] = {"W_k.bias", "w_k.bias"};
    size_t length = strlen(name);
    for (int i = 0; i < 2; i++)
        if (length >= 8 && strcmp(name + length - 8, endings[i]) == 0) return true;
    return false;
}

static double largest_gradient(Tensor *p) {
    return t_item(t_max(t_abs(t_grad(p))));
}

static void compare_key_bias(const Run *run, const char *name, t_DType dtype, nn_NamedList *all) {
    double bias = 0, weight = 0;
    for_named (p, all) {
        size_t stem = strlen(name) - strlen("bias");
        if (strncmp(p->name, name, stem) != 0) continue;
        double largest = largest_gradient(p->tensor);
        if (strcmp(p->name + stem, "bias") == 0) bias = largest;
        else weight = largest;
    }
    if (isnan(weight)) weight = 1;
    if (!(bias <= (dtype == t_float64 ? 1e-10 * weight : 2e-5 * weight + 1e-6)))
        note("%s: %s %s: the gradient is %g where the weight has %g", run->key, run->name, name, bias, weight);
}

void run_compare_gradients(const Run *run, const Inputs *in) {
    char name[160];
    nn_NamedList *parameters = nn_named_parameters(run->module);
    for_named (p, parameters) {
        snprintf(name, sizeof name, "g:%s", p->name);
        bool rounding = is_key_bias(p->name) && !isnan(largest_gradient(p->tensor));
        if (rounding) compare_key_bias(run, p->name, t_dtype(p->tensor), parameters);
        else run_compare(run, name, t_grad(p->tensor), GRADIENT);
    }
    for (int k = 0; in && k < in->count; k++) {
        if (!in->x[k] || !is_differentiable_kind(in->kind[k])) continue;
        snprintf(name, sizeof name, "x%d", k);
        run_compare(run, name, t_grad(in->x[k]), GRADIENT);
    }
}

/* ---- new modules ---- */

const ModuleMaker *find_maker(const ModuleMaker *makers, const char *key) {
    size_t length = strcspn(key, " ");
    for (; makers->label; makers++)
        if (strlen(makers->label) == length && strncmp(makers->label, key, length) == 0) return makers;
    ck_abort_msg("there is no maker for %s", key);
    return NULL;
}

void compare_initial_bits(const ModuleMaker *maker, const char *section) {
    char what[160];
    ck_assert_msg(section != NULL, "%s was not recorded", maker->label);
    t_manual_seed(INIT_SEED);
    void *module = maker->make();
    snprintf(what, sizeof what, "%s: the numbers after it", maker->label);
    matches_recorded(what, t_rand(2), section, "next", EXACT);
    for_named (p, nn_named_parameters(module)) {
        snprintf(what, sizeof what, "%s: %s", maker->label, p->name);
        same_bits(what, p->tensor, section, p->name);
    }
}

void compare_repr(const ModuleMaker *maker, const char *section) {
    char text[6000];
    ck_assert_msg(section != NULL, "%s was not recorded", maker->label);
    void *module = maker->make();
    char *repr = nn_repr(module);
    int at = snprintf(text, sizeof text, "%s\n", repr);
    for_named (p, nn_named_parameters(module)) at += snprintf(text + at, sizeof text - (size_t)at, "%s ", p->name);
    text[at - 1] = '\n';
    if (strncmp(section, text, strlen(text)) != 0) note("%s: %s", maker->label, text);
    free(repr);
}

/* ---- printed lines ---- */

const char *golden_line(const char *at, char *line, size_t capacity) {
    if (!at || !*at || strncmp(at, "= ", 2) == 0) return NULL;
    size_t length = strcspn(at, "\n");
    ck_assert_uint_lt(length, capacity);
    memcpy(line, at, length);
    line[length] = '\0';
    return at + length + (at[length] == '\n');
}

/* ---- the first error ---- */

static char first_error[1200];

static void record_first(const char *text, void *context) {
    (void)context;
    if (!first_error[0]) snprintf(first_error, sizeof first_error, "%s", text);
}

void catch_first_error(void) {
    first_error[0] = '\0';
    t_set_error_handler(record_first, NULL);
}

void expect_first_error(const char *what, const char *message) {
    if (!strstr(first_error, message)) note("%s: expected \"%s\", not \"%s\"", what, message, first_error);
    first_error[0] = '\0';
    t_clear_error();
}
