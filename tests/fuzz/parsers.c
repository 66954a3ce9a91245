/* tests/fuzz/parsers.c: what must hold of any bytes that a reader is given. */
#include "tests/fuzz/parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/io/load_internal.h"
#include "core/tensor.h"

typedef t_TensorDict *Reader(const uint8_t *data, size_t size);

static t_TensorDict *strict(const uint8_t *data, size_t size) {
    return safetensors_load(data, size, NULL);
}

static t_TensorDict *lenient(const uint8_t *data, size_t size) {
    const safetensors_Options options = {sizeof options, true};
    return safetensors_load(data, size, &options);
}

static t_TensorDict *any(const uint8_t *data, size_t size) {
    tg_Input in;
    return tg_input_memory(&in, data, size, "data") ? tg_load(&in) : NULL;
}

const char *const fuzz_parsers[] = {"safetensors", NULL};

/* ---- what must hold ---- */

static void demand(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s (error: %s)\n", what, t_error_message() ? t_error_message() : "none");
    abort();
}

static bool is_same(const t_DictItem *a, const t_DictItem *b) {
    if (!b || !a->text != !b->text) return false;
    if (a->text) return strcmp(a->text, b->text) == 0;
    Tensor *x = t_contiguous(a->tensor), *y = b->tensor; /* what was read is contiguous */
    return x && x->dtype == y->dtype && tg_same_shape(x, y) && memcmp(tg_data(x), tg_data(y), (size_t)tg_numel(x) * tg_itemsize(x->dtype)) == 0;
}

/* What was read can be written, and comes back the same; but a tensor "__metadata__" no safetensors file has. */
static void write_and_read(const t_TensorDict *dict) {
    const t_DictItem *reserved = tg_dict_find(dict, "__metadata__");
    if (reserved && reserved->tensor) return;
    size_t size;
    void *bytes = safetensors_save(dict, &size);
    demand(bytes, "what was read cannot be written");
    const t_TensorDict *again = safetensors_load(bytes, size, NULL);
    demand(again && again->len == dict->len, "what was written cannot be read");
    for (int64_t i = 0; i < dict->len; i++)
        demand(is_same(&dict->items[i], tg_dict_find(again, dict->items[i].name)), "what was written comes back as something else");
    free(bytes);
}

/* Returns how often the reader asked for memory. */
static int64_t read_once(Reader *reader, const uint8_t *data, size_t size, int64_t fail_at) {
    enum { WIDER = 8 }; /* a byte becomes an int64 at most */
    const int64_t live = t_live_count(), bytes = t_live_bytes();
    const int depth = t_scope_open();
    const int64_t before = tg_alloc_requests();
    tg_alloc_fail(fail_at, false);
    t_TensorDict *dict = reader(data, size);
    tg_alloc_fail(0, false);
    const int64_t requests = tg_alloc_requests() - before;
    if (dict) {
        demand(!t_error(), "a dict and an error");
        demand(t_live_bytes() - bytes <= (int64_t)size * WIDER, "more memory than the file explains");
        write_and_read(dict);
    } else {
        demand(t_error_message() != NULL, "it failed without a message");
        demand(fail_at || strstr(t_error_message(), "data"), "the message does not name the file");
        t_clear_error();
    }
    t_scope_close(depth);
    demand(t_live_count() == live && t_live_bytes() == bytes, "something leaked");
    return requests;
}

/* As it is, and with one request for memory failing: a different one for different bytes. */
static void read_both_ways(Reader *reader, const uint8_t *data, size_t size) {
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 1099511628211u;
    const int64_t requests = read_once(reader, data, size, 0);
    if (requests > 0) read_once(reader, data, size, 1 + (int64_t)(hash >> 33) % requests);
}

void fuzz_one(const char *parser, const uint8_t *data, size_t size) {
    uint8_t *copy = size ? malloc(size) : NULL; /* so that the sanitizer sees a read behind its end */
    if (size) memcpy(copy, data, size);
    if (strcmp(parser, "safetensors") == 0) {
        read_both_ways(strict, copy, size);
        read_both_ways(lenient, copy, size);
    } else {
        read_both_ways(any, copy, size);
    }
    free(copy);
}
