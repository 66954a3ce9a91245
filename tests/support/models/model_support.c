/* tests/support/models/model_support.c: hashed parameters, and recorded arrays of models_*.txt. */
#include "tests/support/models/model_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

void set_dropout(void *module, double p) {
    for_named (child, nn_named_modules(module))
        if (strcmp(child->module->type, "Dropout") == 0) ((nn_Dropout *)child->module)->p = p;
}

uint64_t parameter_bits(void *module) {
    uint64_t hash = FNV_START;
    with_scope() for_named (p, nn_named_parameters(module)) hash = fnv_of(p->tensor, hash);
    return hash;
}

/* ---- hashed values ---- */

/* Matrices are scaled down by a power of two near the root of their width; the weights of a norm are around 1. */
void fill_hashed(Tensor *x, const char *key, const char *name) {
    char full[256];
    snprintf(full, sizeof full, "%s %s", key, name);
    size_t length = strlen(name);
    bool factor = length >= 6 && strcmp(name + length - 6, "weight") == 0;
    int ndim = (int)t_dim(x);
    Tensor *values = hashed_tensor("R", t_shape(x), ndim, seed_of(full), 0, t_dtype(x));
    if (ndim >= 2) values = t_mul(values, ldexp(1, -((int)log2((double)t_size(x, -1)) / 2 + 1)));
    else values = t_add(t_div(values, 4), factor ? 1 : 0);
    t_copy_(x, values);
}

void load_hashed_parameters(void *module, const char *key) {
    with_no_grad() {
        for_named (p, nn_named_parameters(module)) fill_hashed(p->tensor, key, p->name);
    }
}

void load_hashed(void *module, const char *key) {
    load_hashed_parameters(module, key);
    with_no_grad() {
        for_named (b, nn_named_buffers(module)) fill_hashed(b->tensor, key, b->name);
    }
}

/* ---- recorded values ---- */

static GoldenArray recorded(const char *section, const char *name) {
    GoldenArray array;
    ck_assert_msg(golden_array(section, name, &array), "%s was not recorded", name);
    return array;
}

bool has_recorded(const char *section, const char *name) {
    GoldenArray array;
    if (!golden_array(section, name, &array)) return false;
    free(array.values);
    return true;
}

static bool same_sizes(const char *what, Tensor *x, const GoldenArray *sizes) {
    bool same = t_dim(x) == sizes->count;
    for (int64_t d = 0; same && d < sizes->count; d++) same = t_size(x, d) == (int64_t)sizes->values[d];
    if (!same) note("%s: the shape is %s", what, t_size_repr(x));
    return same;
}

/* The tolerance of a sum is the sum of the elements' tolerances; where that depends on the largest, it is taken for the
 * mean, which is stricter. */
static bool same_sum(const char *what, double got, double want, double sum_abs, int64_t count, t_DType dtype,
                     Role role) {
    double tolerance = dtype == t_float64 ? 1e-10 * sum_abs
                       : role == GRADIENT ? 2e-5 * sum_abs + 1e-6 * (double)count
                                          : 1.3e-6 * sum_abs + 1e-5 * (double)count;
    if (fabs(got - want) > tolerance) note("%s: the sum is %.17g, expected %.17g", what, got, want);
    return fabs(got - want) <= tolerance;
}

static uint64_t mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Models of full size have tens of millions of values, which are not copied as doubles for this. */
static double number_at(const void *data, t_DType dtype, int64_t i) {
    switch (dtype) {
    case t_bool: return ((const bool *)data)[i];
    case t_int64: return (double)((const int64_t *)data)[i];
    case t_float32: return (double)((const float *)data)[i];
    default: return ((const double *)data)[i];
    }
}

/* sums: of all, of the absolute values, and the largest of these. The largest is appended to the samples when they
 * are compared, so that it sets the tolerance. */
static bool same_samples(const char *what, Tensor *x, const GoldenArray *sums, const GoldenArray *some, Role role) {
    int64_t count = t_numel(x), n = some->count;
    const void *data = t_data_ptr(t_contiguous(x));
    double sum = 0, sum_abs = 0, largest = 0;
    double *got = malloc(2 * (size_t)(n + 1) * sizeof *got), *want = got + n + 1;
    for (int64_t i = 0; i < count; i++) {
        double value = number_at(data, t_dtype(x), i);
        sum += value;
        sum_abs += fabs(value);
        if (fabs(value) > largest) largest = fabs(value);
    }
    for (int64_t k = 0; k < n; k++) {
        got[k] = number_at(data, t_dtype(x), (int64_t)(mix((uint64_t)k) % (uint64_t)count));
        want[k] = some->values[k];
    }
    got[n] = largest;
    want[n] = sums->values[2];
    bool same = compare_values(what, got, want, n + 1, some->dtype, role) &&
                same_sum(what, sum, sums->values[0], sums->values[1], count, some->dtype, role) &&
                same_sum(what, sum_abs, sums->values[1], sums->values[1], count, some->dtype, role);
    free(got);
    return same;
}

bool matches_recorded(const char *what, Tensor *x, const char *section, const char *name, Role role) {
    char part[160];
    GoldenArray complete;
    if (golden_array(section, name, &complete)) {
        bool same = compare_to_golden(what, x, &complete, role);
        free(complete.values);
        return same;
    }
    if (!x) {
        note("%s: is NULL", what);
        return false;
    }
    snprintf(part, sizeof part, "%s.sizes", name);
    GoldenArray sizes = recorded(section, part);
    snprintf(part, sizeof part, "%s.sums", name);
    GoldenArray sums = recorded(section, part);
    snprintf(part, sizeof part, "%s.some", name);
    GoldenArray some = recorded(section, part);
    if (t_dtype(x) != some.dtype) note("%s: the dtype is %d, expected %d", what, (int)t_dtype(x), (int)some.dtype);
    bool same = t_dtype(x) == some.dtype && same_sizes(what, x, &sizes) && same_samples(what, x, &sums, &some, role);
    free(sizes.values);
    free(sums.values);
    free(some.values);
    return same;
}

void load_recorded(Tensor *x, const char *section, const char *name) {
    GoldenArray array = recorded(section, name);
    t_TensorOptions options = {.size = sizeof options, .dtype = t_dtype(x)};
    with_no_grad() t_copy_(x, t_tensor_from_data(array.values, t_float64, array.shape, array.ndim, &options));
    free(array.values);
}

/* ---- bits ---- */

uint64_t fnv_of(Tensor *x, uint64_t hash) {
    size_t itemsize = t_dtype(x) == t_bool ? 1 : t_dtype(x) == t_float32 ? 4 : 8;
    const unsigned char *bytes = t_data_ptr(t_contiguous(x));
    for (size_t i = 0; i < (size_t)t_numel(x) * itemsize; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

bool same_fnv(const char *what, uint64_t hash, const char *section, const char *name) {
    GoldenArray words = recorded(section, name);
    uint64_t want = (uint64_t)words.values[0] << 32 | (uint64_t)words.values[1];
    free(words.values);
    if (hash != want) note("%s: the hash of the bits is %016llx, expected %016llx", what, (unsigned long long)hash,
                           (unsigned long long)want);
    return hash == want;
}

bool same_bits(const char *what, Tensor *x, const char *section, const char *name) {
    char part[160];
    snprintf(part, sizeof part, "%s.first", name);
    GoldenArray first = recorded(section, part);
    ck_assert_int_le(first.count, t_numel(x));
    const void *data = t_data_ptr(t_contiguous(x));
    double *values = malloc((size_t)(first.count + 1) * sizeof *values);
    for (int64_t i = 0; i < first.count; i++) values[i] = number_at(data, t_dtype(x), i);
    bool same = compare_values(what, values, first.values, first.count, first.dtype, EXACT);
    free(values);
    free(first.values);
    snprintf(part, sizeof part, "%s.fnv", name);
    return same_fnv(what, fnv_of(x, FNV_START), section, part) && same;
}

/* ---- the cases of a file ---- */

void each_case(const char *name, void (*visit)(const char *key, const char *section, void *context), void *context) {
    char path[128], line[256];
    snprintf(path, sizeof path, "tests/golden/%s", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is not there; the tests run from the root of the tree", path);
    const Golden *golden = golden_file(name);
    for (bool starts = true, ends; fgets(line, sizeof line, file); starts = ends) {
        ends = strchr(line, '\n') != NULL;
        if (!starts || strncmp(line, "= ", 2) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        visit(line + 2, golden_case(golden, line + 2), context);
    }
    fclose(file);
}
