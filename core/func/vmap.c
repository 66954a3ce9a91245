/* core/func/vmap.c: torch.func.vmap, as a loop over the batch.
 *
 * There are no batching rules, with which PyTorch runs each op of the function once for the whole batch. They would
 * need a tensor that hides its batch dim from the function, and each of its ops, t_size and t_shape included, to treat
 * it so: the ops here read the sizes and the data of a Tensor themselves, and no dispatcher stands before them that
 * could turn those without a rule away to this loop. A check in each of some hundred families of ops would cost every
 * call, and an op without one would compute something wrong without an error. So the loop is paid instead: some 6 us a
 * call (func.h has figures). That matters where the function is one small op, whose batched form is written as easily:
 * t_sum(t_mul(x, y), -1) for t_dot, t_bmm for t_mm. */
#include <string.h>

#include "core/func/func.h"
#include "core/func/func_internal.h"
#include "core/tensor/generator.h"

typedef struct Vmap {
    t_TensorFunction *func;
    void *context;
    t_VmapOptions o;
    t_TensorList *inputs;
    int64_t batch_size;
} Vmap;

/* One for all, or one for each; 0 if none was given. */
static int64_t dim_of(const int64_t *dims, int count, int64_t i) {
    return count == 0 ? 0 : dims[count == 1 ? 0 : i];
}

/* ---- arguments ---- */

/* Sets the batch size: of the mapped dims, which must agree. */
static bool check_in_dims(Vmap *v) {
    const t_VmapOptions *o = &v->o;
    char sizes[200] = "";
    bool agree = true;
    if (v->inputs->len == 0) return tg_fail("vmap(f)(<inputs>): got no inputs. Maybe you forgot to add inputs");
    if (o->in_dim_count > 1 && o->in_dim_count != v->inputs->len)
        return tg_fail("vmap(f, in_dims, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. "
                       "in_dims has %d items but inputs has %lld.", o->in_dim_count, (long long)v->inputs->len);
    v->batch_size = -1;
    for (int64_t i = 0; i < v->inputs->len; i++) {
        const Tensor *x = v->inputs->items[i];
        const int64_t dim = dim_of(o->in_dims, o->in_dim_count, i);
        if (dim == T_NONE) continue;
        if (dim < -x->ndim || dim >= x->ndim)
            return tg_fail("vmap(f, in_dims=%lld, ...)(<inputs>): Got in_dim=%lld for some input, but that input is a "
                           "Tensor of dimensionality %d so expected in_dim to satisfy -%d <= in_dim < %d.",
                           (long long)dim, (long long)dim, x->ndim, x->ndim, x->ndim);
        const int64_t size = x->shape[dim < 0 ? dim + x->ndim : dim];
        const size_t length = strlen(sizes);
        snprintf(sizes + length, sizeof sizes - length, "%s%lld", length ? ", " : "", (long long)size);
        agree = agree && (v->batch_size < 0 || size == v->batch_size);
        v->batch_size = size;
    }
    if (!agree)
        return tg_fail("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes [%s] for "
                       "the mapped dimension", sizes);
    return v->batch_size >= 0 || tg_fail("vmap(f, in_dims=None, ...)(<inputs>): expected `in_dims` to map at least one "
                                         "of the inputs");
}

static bool check_out_dims(const Vmap *v, const t_TensorList *outputs) {
    const t_VmapOptions *o = &v->o;
    if (o->out_dim_count <= 1 || o->out_dim_count == outputs->len) return true;
    return tg_fail("vmap(f, ..., out_dims)(<inputs>): out_dims is not compatible with the structure of `outputs`. "
                   "out_dims has %d items but outputs has %lld.", o->out_dim_count, (long long)outputs->len);
}

/* ---- randomness ---- */

typedef enum Randomness { randomness_error, randomness_same, randomness_different } Randomness;

static bool parse_randomness(const char *name, Randomness *randomness) {
    static const char *const names[] = {"error", "same", "different"};
    for (int i = 0; i < 3; i++)
        if (!name || strcmp(name, names[i]) == 0) {
            *randomness = (Randomness)i;
            return true;
        }
    return tg_fail("Only allowed values for randomness are 'error', 'different', or 'same'. Got %s", name);
}

/* After a call of the function: with "error" the generator's state must be `before`. */
static bool check_draws(Randomness randomness, Tensor *before) {
    if (randomness != randomness_error) return true;
    if (!before && !tg_thread.generator) return true;
    Tensor *after = before ? t_get_rng_state() : NULL;
    if (before && !after) return false;
    if (before && memcmp(tg_data(before), tg_data(after), (size_t)tg_numel(before) * sizeof(int64_t)) == 0) return true;
    if (before) t_set_rng_state(before);
    return tg_fail("vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                   "'different' randomness flags on vmap or perform the randomness operation out of vmap");
}

/* ---- the loop ---- */

/* The inputs of call b; of an empty batch zeros. */
static t_TensorList *inputs_at(const Vmap *v, int64_t b) {
    t_TensorList *inputs = t_list_new(NULL, 0);
    for (int64_t i = 0; inputs && i < v->inputs->len; i++) {
        Tensor *x = v->inputs->items[i];
        int64_t dim = dim_of(v->o.in_dims, v->o.in_dim_count, i);
        if (dim != T_NONE && v->batch_size > 0) x = t_select(x, dim, b);
        else if (dim != T_NONE) x = t_to(t_sum(x, &dim, 1, false), x->dtype);
        if (!t_list_append(inputs, x)) return NULL;
    }
    return inputs;
}

/* Calls the function for index b and appends each output to its list. */
static bool call_at(const Vmap *v, int64_t b, t_TensorList **parts, int64_t count) {
    const bool grad_enabled = tg_thread.grad_enabled;
    const int depth = tg_scope_open_around_callback();
    t_TensorList *inputs = depth ? inputs_at(v, b) : NULL;
    t_TensorList *outputs = inputs ? tg_call_function(v->func, inputs, v->context) : NULL;
    tg_thread.grad_enabled = grad_enabled;
    bool ok = outputs != NULL;
    if (ok && outputs->len != count)
        ok = tg_fail("vmap: the function returned %lld outputs, and %lld before", (long long)outputs->len,
                     (long long)count);
    for (int64_t k = 0; ok && k < count; k++) ok = t_list_append(parts[k], outputs->items[k]);
    tg_scope_close(depth);
    return ok;
}

static Tensor *stack_output(const Vmap *v, const t_TensorList *parts, int64_t k) {
    const int64_t dim = dim_of(v->o.out_dims, v->o.out_dim_count, k);
    if (dim == T_NONE) return parts->items[0];
    Tensor *stacked = t_stack(parts, dim);
    return stacked && v->batch_size == 0 ? t_narrow(stacked, dim, 0, 0) : stacked;
}

/* The number of outputs is known after the first call. */
static t_TensorList *run(const Vmap *v, Randomness randomness) {
    const bool seeded = tg_thread.generator != NULL || randomness == randomness_same;
    Tensor *before = seeded && randomness != randomness_different ? t_get_rng_state() : NULL;
    if (seeded && randomness != randomness_different && !before) return NULL;
    t_TensorList *first = inputs_at(v, 0);
    const bool grad_enabled = tg_thread.grad_enabled;
    t_TensorList *outputs = first ? tg_call_function(v->func, first, v->context) : NULL;
    tg_thread.grad_enabled = grad_enabled;
    if (!outputs || !check_out_dims(v, outputs) || !check_draws(randomness, before)) return NULL;
    const int64_t count = outputs->len;
    t_TensorList **parts = tg_scope_alloc((size_t)count * sizeof *parts), *results = t_list_new(NULL, 0);
    bool ok = parts && results;
    for (int64_t k = 0; ok && k < count; k++) ok = (parts[k] = t_list_new(&outputs->items[k], 1)) != NULL;
    for (int64_t b = 1; ok && b < v->batch_size; b++) {
        if (randomness == randomness_same) ok = t_set_rng_state(before);
        ok = ok && call_at(v, b, parts, count) && check_draws(randomness, before);
    }
    for (int64_t k = 0; ok && k < count; k++) ok = t_list_append(results, stack_output(v, parts[k], k));
    return ok ? results : NULL;
}

t_TensorList *t_func_vmap(t_TensorFunction *func, t_TensorList *inputs, void *context, const t_VmapOptions *options) {
    Vmap v = {.func = func, .context = context, .o = {.size = sizeof v.o, .chunk_size = T_NONE}, .inputs = inputs};
    Randomness randomness;
    if (!tg_take_options(&v.o, options, sizeof v.o) || !parse_randomness(v.o.randomness, &randomness)) return NULL;
    if (v.o.chunk_size != T_NONE && v.o.chunk_size <= 0)
        return tg_fail("vmap: chunk_size should be None or greater than 0. (got %lld)", (long long)v.o.chunk_size);
    if (!tg_check_given(func != NULL, 1, "a function") || !tg_check_list(inputs, 2) ||
        !tg_check_array(v.o.in_dims, v.o.in_dim_count, 4, "in_dims") ||
        !tg_check_array(v.o.out_dims, v.o.out_dim_count, 4, "out_dims") || !check_in_dims(&v))
        return NULL;
    const int depth = tg_scope_open_around_callback();
    t_TensorList *results = depth ? run(&v, randomness) : NULL;
    if (results) tg_return_lists(depth, &results, 1);
    else tg_scope_close(depth);
    return results;
}
