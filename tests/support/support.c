/* tests/support/support.c: test fixtures, collected failures, inputs from the hash rule, comparison of arrays. */
#include "tests/support/support.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"

/* ---- the frame ---- */

static struct {
    int64_t live, records, leaf_hooks;
    int depth, errors;
    char text[1200];
} frame;

static void record_error(const char *text, void *context) {
    (void)context;
    frame.errors++;
    snprintf(frame.text, sizeof frame.text, "%s", text);
}

void support_setup(void) {
    t_clear_error();
    t_set_error_handler(record_error, NULL);
    clear_errors();
    t_manual_seed(0); /* no test draws other numbers in another run */
    frame.live = t_live_count();
    frame.records = tg_thread.records_alive;
    frame.leaf_hooks = tg_thread.leaf_hooks;
    frame.depth = t_scope_open();
}

void support_teardown(void) {
    t_scope_close(frame.depth);
    t_set_error_handler(NULL, NULL);
    t_clear_error();
    ck_assert_int_eq(t_live_count(), frame.live);
    ck_assert_int_eq(tg_thread.records_alive, frame.records);
    ck_assert_int_eq(tg_thread.leaf_hooks, frame.leaf_hooks);
    ck_assert_msg(t_is_grad_enabled(), "grad mode was left off");
}

const char *last_error_text(void) {
    return frame.text;
}

int error_count(void) {
    return frame.errors;
}

void clear_errors(void) {
    frame.errors = 0;
    frame.text[0] = '\0';
}

bool emulated(const char *left_out) {
    if (!getenv("TAPEGRAD_EMULATED")) return false;
    fprintf(stderr, "left out under emulation: %s\n", left_out);
    return true;
}

void expect_error(const char *message) {
    ck_assert_msg(t_error_message() != NULL, "no error, but expected: %s", message);
    ck_assert_str_eq(t_error_message(), message);
    t_clear_error();
}

void expect_refusal(bool failed, const char *message) {
    ck_assert(failed);
    expect_error(message);
}

Tensor *from_text(const char *text, t_DType dtype, bool requires_grad) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype, .requires_grad = requires_grad};
    return (t_tensor_from_text)(text, &options);
}

void expect_printed(Tensor *x, const char *text) {
    ck_assert_msg(x != NULL, "%s", t_error());
    char *repr = (t_repr)(x);
    ck_assert_str_eq(repr, text);
    free(repr);
}

/* ---- collected failures ---- */

static struct {
    int count;
    size_t at;
    char text[3500];
} notes;

void note(const char *format, ...) {
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    notes.count++;
    if (notes.at + strlen(line) + 2 >= sizeof notes.text) return;
    notes.at += (size_t)sprintf(notes.text + notes.at, "\n  %s", line);
}

int noted(void) {
    return notes.count;
}

void report_notes(void) {
    int count = notes.count;
    notes.count = 0;
    notes.at = 0;
    ck_assert_msg(count == 0, "%d failures:%s", count, notes.text);
}

/* ---- the hash rule ---- */

static uint64_t mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* FNV-1a of the text. */
uint64_t seed_of(const char *key) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *key; key++) hash = (hash ^ (unsigned char)*key) * 0x100000001B3u;
    return hash;
}

static int64_t gcd(int64_t a, int64_t b) {
    return b ? gcd(b, a % b) : a;
}

/* A permutation of multiples of 1/8, shifted a little for each input and each element. */
static double separated(uint64_t seed, uint64_t hash, int input, int64_t element, int64_t count) {
    int64_t step = (int64_t)(mix(seed) % 97) + 7;
    while (gcd(step, count) != 1) step++;
    int64_t index = element * step % count - count / 2;
    return (double)index / 8 + (1 + 2 * input) / 64.0 + (double)(hash % 4096) / 1048576;
}

double hashed_value(char kind, int64_t below, uint64_t seed, int input, int64_t element, int64_t count) {
    static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1, -1, 0.5, -2.5, 3, 1e-3, -40};
    uint64_t hash = mix(mix(mix(seed) + (uint64_t)input) + (uint64_t)element);
    double unit = (double)(hash >> 44) / 1048576; /* [0, 1) */
    switch (kind) {
    case 'p': case 'P': return 0.25 + 2 * unit;
    case 'q': case 'Q': return unit;
    case 'm': case 'M': return unit - 0.5;
    case 's': case 'S': return separated(seed, hash, input, element, count);
    case 't': case 'T': return (double)((int64_t)(hash >> 44) % 3 - 1);
    case 'x': return special[(element * (1 + 4 * (int64_t)input) + (int64_t)input) % 12];
    case 'i': case 'I': return (double)((int64_t)(hash >> 44) % 11 - 5);
    case 'w': return (double)((int64_t)(hash >> 44) % 10 - ((hash >> 44) % 10 < 5 ? 5 : 4));
    case 'k': return (double)((int64_t)(hash >> 44) % below);
    case 'b': case 'B': return (double)((hash >> 44) & 1);
    default: return (double)((int64_t)(hash >> 42) - 2097152) / 1048576; /* [-2, 2) */
    }
}

bool is_real_kind(char kind) {
    return strchr("rRpPqQsStTmMx", kind) != NULL;
}

bool is_differentiable_kind(char kind) {
    return strchr("rpqstmfd", kind) != NULL;
}

static t_DType dtype_of_kind(char kind, t_DType real) {
    switch (kind) {
    case 'f': case 'F': return t_float32;
    case 'd': case 'D': return t_float64;
    case 'i': case 'k': case 'w': return t_int64;
    case 'b': return t_bool;
    default: return real;
    }
}

static void store(void *data, t_DType dtype, int64_t at, double value) {
    switch (dtype) {
    case t_bool: ((bool *)data)[at] = value != 0; break;
    case t_int64: ((int64_t *)data)[at] = (int64_t)value; break;
    case t_float32: ((float *)data)[at] = (float)value; break;
    default: ((double *)data)[at] = value; break;
    }
}

/* Of kind m: what is added to element i of the batch of matrices, 2, 3, 4, ... on the diagonal. */
static double on_diagonal(const int64_t *shape, int ndim, int64_t i) {
    const int64_t columns = shape[ndim - 1], column = i % columns, row = i / columns % shape[ndim - 2];
    return row == column ? 2 + (double)row : 0;
}

Tensor *hashed_tensor(const char *kind, const int64_t *shape, int ndim, uint64_t seed, int input, t_DType real) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype_of_kind(*kind, real)};
    int64_t below = *kind == 'k' ? strtoll(kind + 1, NULL, 10) : 0;
    Tensor *x = t_empty(shape, ndim, &options);
    ck_assert_msg(x != NULL, "%s", t_error());
    int64_t count = t_numel(x);
    void *data = t_data_ptr_mut(x);
    for (int64_t i = 0; i < count; i++)
        store(data, options.dtype, i, hashed_value(*kind, below, seed, input, i, count));
    for (int64_t i = 0; i < count && strchr("mM", *kind); i++)
        store(data, options.dtype, i, hashed_value(*kind, below, seed, input, i, count) + on_diagonal(shape, ndim, i));
    return is_differentiable_kind(*kind) ? t_requires_grad_(x, true) : x;
}

/* "(2,3)" into shape; returns the rank and moves *at past it. */
static int read_shape(const char **at, int64_t *shape) {
    int ndim = 0;
    ck_assert_msg(**at == '(', "'(' expected at %s", *at);
    for (++*at; **at != ')'; *at += **at == ',') {
        char *end;
        ck_assert_int_lt(ndim, T_MAX_DIMS);
        shape[ndim++] = strtoll(*at, &end, 10);
        ck_assert_msg(end != *at, "a size expected at %s", *at);
        *at = end;
    }
    ++*at;
    return ndim;
}

Inputs make_inputs(const char *text, uint64_t seed, t_DType real) {
    Inputs in = {.count = 0};
    int64_t shape[T_MAX_DIMS];
    for (const char *at = text; *at;) {
        int which = in.count++;
        ck_assert_int_lt(which, MAX_INPUTS);
        const char *kind = at;
        in.kind[which] = *kind;
        at += strspn(at, "rRpPqQsStTmMfFdDxikwbNIB-0123456789");
        double number = strchr("NIB", *kind) ? hashed_value(*kind, 0, seed, which, 0, 1) : 0;
        if (*kind == 'N') in.x[which] = t_number(number);
        else if (*kind == 'I') in.x[which] = t_integer((int64_t)number);
        else if (*kind == 'B') in.x[which] = t_boolean(number != 0);
        else if (*kind != '-') {
            int ndim = read_shape(&at, shape);
            in.x[which] = hashed_tensor(kind, shape, ndim, seed, which, real);
        }
        at += *at == ' ';
    }
    return in;
}

t_TensorList *list_of(Tensor *x) {
    return x ? t_list_new(&x, 1) : NULL;
}

double *values_of(Tensor *x) {
    int64_t count = t_numel(x);
    double *values = malloc((size_t)(count > 0 ? count : 1) * sizeof *values);
    t_tolist(x, values, count);
    return values;
}

/* ---- comparing ---- */

static double largest_of(const double *values, int64_t count) {
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i]) && fabs(values[i]) > largest) largest = fabs(values[i]);
    return largest;
}

bool compare_values(const char *what, const double *got, const double *want, int64_t count, t_DType dtype, Role role) {
    double largest = largest_of(want, count);
    for (int64_t i = 0; i < count; i++) {
        if (got[i] == want[i] || (isnan(got[i]) && isnan(want[i]))) continue;
        double tolerance = dtype == t_float64  ? 1e-10 * largest
                           : role == GRADIENT ? 2e-5 * largest + 1e-6
                                              : 1.3e-6 * fabs(want[i]) + 1e-5;
        if (role == EXACT || dtype < t_float32) tolerance = 0;
        if (fabs(got[i] - want[i]) <= tolerance) continue;
        note("%s: element %lld of %lld is %.17g, expected %.17g", what, (long long)i, (long long)count, got[i],
             want[i]);
        return false;
    }
    return true;
}

static bool compare_shapes(const char *what, Tensor *got, const int64_t *shape, int ndim, t_DType dtype) {
    bool same = t_dim(got) == ndim && memcmp(t_shape(got), shape, (size_t)ndim * sizeof *shape) == 0;
    if (!same) note("%s: the shape is %s, expected rank %d (%lld, %lld, ...)", what, t_size_repr(got), ndim,
                    ndim > 0 ? (long long)shape[0] : -1, ndim > 1 ? (long long)shape[1] : -1);
    if (t_dtype(got) != dtype) note("%s: the dtype is %d, expected %d", what, (int)t_dtype(got), (int)dtype);
    return same && t_dtype(got) == dtype;
}

static bool compare_to(const char *what, Tensor *got, const double *want, t_DType dtype, Role role) {
    double *values = values_of(got);
    bool same = compare_values(what, values, want, t_numel(got), dtype, role);
    free(values);
    return same;
}

bool compare_to_golden(const char *what, Tensor *got, const GoldenArray *want, Role role) {
    if (!got || !want->present) {
        if (got || want->present) note("%s: is %s", what, got ? "there, expected None" : "NULL, expected values");
        return !got && !want->present;
    }
    return compare_shapes(what, got, want->shape, want->ndim, want->dtype) &&
           compare_to(what, got, want->values, want->dtype, role);
}

bool compare_tensors(const char *what, Tensor *got, Tensor *want, Role role) {
    if (!got || !want) {
        if (got || want) note("%s: is %s", what, got ? "there, expected NULL" : "NULL, expected values");
        return !got && !want;
    }
    if (!compare_shapes(what, got, t_shape(want), (int)t_dim(want), t_dtype(want))) return false;
    double *values = values_of(want);
    bool same = compare_to(what, got, values, t_dtype(want), role);
    free(values);
    return same;
}

void expect_in_order(const char *text, const char *const *parts, size_t count) {
    const char *from = text;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(from, parts[i]);
        ck_assert_msg(found != NULL, "%s is missing, or not in order, in\n%s", parts[i], text);
        from = found;
    }
}
