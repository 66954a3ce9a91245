/* core/profiler/names.c: texts that events share, and the names of macros' calls. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profiler/recorder.h"

/* ---- shared texts ----
 * They live as long as the process: events of an earlier profile point to them. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    char **items;
    size_t count, capacity; /* a power of two */
} texts;

static size_t hash_of(const char *text) {
    size_t hash = 1469598103934665603u; /* FNV-1a */
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static bool grow(void) {
    const size_t capacity = texts.capacity ? 2 * texts.capacity : 1024;
    char **items = calloc(capacity, sizeof *items);
    if (!items) return false;
    for (size_t i = 0; i < texts.capacity; i++) {
        if (!texts.items[i]) continue;
        size_t at = hash_of(texts.items[i]) & (capacity - 1);
        while (items[at]) at = (at + 1) & (capacity - 1);
        items[at] = texts.items[i];
    }
    free(texts.items);
    texts.items = items;
    texts.capacity = capacity;
    return true;
}

static const char *share(const char *text) {
    if (2 * texts.count >= texts.capacity && !grow()) return NULL;
    size_t at = hash_of(text) & (texts.capacity - 1);
    while (texts.items[at] && strcmp(texts.items[at], text) != 0) at = (at + 1) & (texts.capacity - 1);
    if (!texts.items[at]) {
        const size_t bytes = strlen(text) + 1;
        char *copy = malloc(bytes);
        if (!copy) return NULL;
        texts.items[at] = memcpy(copy, text, bytes);
        texts.count++;
    }
    return texts.items[at];
}

const char *tg_profiler_text(const char *text) {
    pthread_mutex_lock(&lock);
    const char *shared = share(text);
    pthread_mutex_unlock(&lock);
    return shared;
}

static tg_ModulePath *newest_module;

const tg_ModulePath *tg_profiler_module(const char *path, const char *type) {
    pthread_mutex_lock(&lock);
    path = share(path);
    type = share(type);
    tg_ModulePath *module = newest_module;
    while (module && (module->path != path || module->type != type)) module = module->next;
    if (!module && path && type && (module = malloc(sizeof *module))) {
        *module = (tg_ModulePath){path, type, newest_module};
        newest_module = module;
    }
    pthread_mutex_unlock(&lock);
    return module;
}

/* ---- calls ---- */

/* Functions t_... that are no operators of torch (aten): autograd, scopes, accessors, printing, files. A name that ends
 * in an asterisk stands for all that begin so. */
static const char *const no_ops[] = {
    "apply",
    "apply_outputs",
    "as_tuple",
    "at",
    "at_*",
    "attributes",
    "autograd_*",
    "backward",
    "backward_*",
    "can_cast",
    "checkpoint",
    "checkpoint_*",
    "clear_*",
    "data_ptr*",
    "data_version",
    "default_generator",
    "dict",
    "dict_*",
    "dim",
    "dtype",
    "dtype_*",
    "element_size",
    "empty_cache",
    "error",
    "error_message",
    "fail",
    "finfo",
    "format",
    "func_*",
    "generator",
    "generator_*",
    "get_*",
    "grad",
    "grad_fn",
    "gradcheck",
    "gradgradcheck",
    "graph_dot",
    "hook_*",
    "iinfo",
    "initial_seed",
    "is_anomaly_*",
    "is_autocast_*",
    "is_contiguous",
    "is_floating_point",
    "is_grad_enabled",
    "is_leaf",
    "is_signed",
    "is_true",
    "keep",
    "keep_*",
    "list",
    "list_*",
    "live_*",
    "load",
    "manual_seed",
    "mark",
    "nbytes",
    "ndim",
    "needs_input_grad",
    "numel",
    "print",
    "print_*",
    "promote_types",
    "register_*",
    "release",
    "repr",
    "requires_grad",
    "requires_grad_",
    "result_type",
    "retain",
    "retain_grad",
    "retains_grad",
    "save",
    "saved_tensor",
    "scope_*",
    "scoped",
    "set_default_dtype",
    "set_detect_anomaly",
    "set_error_handler",
    "set_grad",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "set_tape_values",
    "set_teach",
    "shape",
    "size",
    "size_repr",
    "storage_offset",
    "str",
    "stride",
    "tape_*",
    "tolist",
    "unwatch",
    "unwind",
    "utils_*",
    "version",
    "watch",
    "watch_print",
};

static bool is_no_op(const char *plain, size_t size) {
    for (size_t i = 0; i < sizeof no_ops / sizeof *no_ops; i++) {
        const size_t length = strlen(no_ops[i]);
        if (no_ops[i][length - 1] == '*' ? size >= length - 1 && memcmp(plain, no_ops[i], length - 1) == 0
                                         : size == length && memcmp(plain, no_ops[i], length) == 0)
            return true;
    }
    return false;
}

static bool begins(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

tg_EventKind tg_call_name(const char *text, char *name, size_t size, const char **plain, size_t *plain_size) {
    size_t length = strcspn(text, "( ");
    *plain = text;
    *plain_size = 0;
    const bool of_torch = begins(text, "t_"), of_functional = begins(text, "F_");
    if (of_torch || of_functional) {
        *plain = text + 2;
        *plain_size = length - 2;
        if (of_torch && is_no_op(*plain, *plain_size)) *plain_size = 0;
    } else if (begins(text, "linalg_") || begins(text, "special_")) {
        *plain_size = length;
    }
    if (*plain_size == 0) {
        snprintf(name, size, "%.*s", (int)length, text);
        return tg_event_function;
    }
    const bool is_cross_entropy = of_functional && *plain_size == 13 && begins(*plain, "cross_entropy");
    snprintf(name, size, "aten::%.*s%s", (int)*plain_size, *plain, is_cross_entropy ? "_loss" : "");
    return tg_event_op;
}
