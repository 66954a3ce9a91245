/* core/io/safetensors_read.c: reads a safetensors file into a dict. The header is checked completely, for consistency
 * and against the file's size, before any tensor is created. */
#include "core/io/safetensors_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/convert.h"
#include "core/io/json.h"
#include "core/tensor/tensor.h"

static const char *const dtype_names[TG_KINDS] = {
    [tg_kind_bool] = "BOOL", [tg_kind_u8] = "U8", [tg_kind_i8] = "I8", [tg_kind_i16] = "I16", [tg_kind_u16] = "U16",
    [tg_kind_i32] = "I32", [tg_kind_u32] = "U32", [tg_kind_i64] = "I64", [tg_kind_u64] = "U64",
    [tg_kind_f8_e4m3] = "F8_E4M3", [tg_kind_f8_e5m2] = "F8_E5M2", [tg_kind_f8_e8m0] = "F8_E8M0",
    [tg_kind_f8_e4m3fnuz] = "F8_E4M3FNUZ", [tg_kind_f8_e5m2fnuz] = "F8_E5M2FNUZ",
    [tg_kind_f16] = "F16", [tg_kind_bf16] = "BF16", [tg_kind_f32] = "F32", [tg_kind_f64] = "F64",
    [tg_kind_c64] = "C64", [tg_kind_f4] = "F4", [tg_kind_f6_e2m3] = "F6_E2M3", [tg_kind_f6_e3m2] = "F6_E3M2",
};

typedef struct Entry {
    const char *name; /* points into the header's text */
    uint64_t begin, end;
    int64_t ndim, position; /* position: index in the header's order */
    tg_Kind kind;
    uint64_t shape[T_MAX_DIMS];
} Entry;

typedef struct Reader {
    const tg_Input *in;
    tg_Json json;
    char *text;
    size_t header; /* size in bytes */
    Entry *entries;
    int64_t len, capacity;
    t_TensorDict *dict, *texts;
} Reader;

/* ---- the header ---- */

static bool read_header_text(Reader *r) {
    uint8_t bytes[TG_SIZE_BYTES];
    const tg_Input *in = r->in;
    if (in->size < sizeof bytes)
        return tg_fail("%s: %" PRIu64 " bytes are too few for a safetensors file, which begins with the size of its "
                       "header, 8 bytes",
                       in->name, in->size);
    if (!tg_input_read(in, 0, bytes, sizeof bytes)) return false;
    uint64_t n = 0;
    for (int i = TG_SIZE_BYTES - 1; i >= 0; i--) n = n << 8 | bytes[i];
    if (n > TG_HEADER_MAX)
        return tg_fail("%s: a header of %" PRIu64 " bytes, as the first 8 say, is larger than the %d that are allowed",
                       in->name, n, TG_HEADER_MAX);
    if (n > in->size - sizeof bytes)
        return tg_fail("%s: the header ends at byte %" PRIu64 ", as the first 8 say, but the file at byte %" PRIu64,
                       in->name, n + sizeof bytes, in->size);
    r->header = (size_t)n;
    r->text = tg_alloc_raw(r->header + 1);
    if (!r->text || !tg_input_read(in, sizeof bytes, r->text, r->header)) return false;
    r->text[r->header] = '\0';
    r->json = tg_json_of(in->name, r->text, r->header, sizeof bytes);
    return !r->json.failed;
}

/* ---- an entry: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]} ---- */

static bool fail_entry(Reader *r, const char *name, const char *what) {
    r->json.failed = true;
    return tg_fail("%s: '%s' %s", r->in->name, name, what);
}

static bool read_dtype(Reader *r, Entry *e) {
    const char *word = tg_json_text(&r->json);
    if (!word) return false;
    for (int kind = 1; kind < TG_KINDS && !e->kind; kind++)
        if (dtype_names[kind] && strcmp(dtype_names[kind], word) == 0) e->kind = (tg_Kind)kind;
    if (!e->kind) {
        r->json.failed = true;
        return tg_fail("%s: '%s' has the dtype '%s', which safetensors does not know", r->in->name, e->name, word);
    }
    return true;
}

static void read_shape(Reader *r, Entry *e) {
    tg_json_open(&r->json, '[');
    for (bool first = true; tg_json_more(&r->json, ']', &first); e->ndim++) {
        const uint64_t size = tg_json_uint64(&r->json);
        if (e->ndim < T_MAX_DIMS) e->shape[e->ndim] = size;
    }
}

static void read_offsets(Reader *r, Entry *e) {
    int count = 0;
    tg_json_open(&r->json, '[');
    for (bool first = true; tg_json_more(&r->json, ']', &first); count++)
        *(count == 0 ? &e->begin : &e->end) = tg_json_uint64(&r->json);
    if (r->json.failed || count == 2) return;
    r->json.failed = true;
    tg_fail("%s: '%s' has %d data_offsets, which must be 2", r->in->name, e->name, count);
}

/* Each of the three keys must occur once; other keys are ignored. */
static bool read_entry(Reader *r, Entry *e) {
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    enum { KEYS = 3 };
    bool seen[KEYS] = {false, false, false};
    tg_json_open(&r->json, '{');
    for (bool first = true; tg_json_more(&r->json, '}', &first);) {
        const char *key = tg_json_name(&r->json);
        int which = 0;
        while (key && which < KEYS && strcmp(key, keys[which]) != 0) which++;
        if (!key || which == KEYS) {
            tg_json_skip(&r->json);
            continue;
        }
        if (seen[which]) return tg_fail("%s: '%s' has its %s twice", r->in->name, e->name, key);
        seen[which] = true;
        if (which == 0) read_dtype(r, e);
        else if (which == 1) read_shape(r, e);
        else read_offsets(r, e);
    }
    if (r->json.failed) return false;
    for (int i = 0; i < KEYS; i++)
        if (!seen[i]) return tg_fail("%s: '%s' lacks its %s", r->in->name, e->name, keys[i]);
    return true;
}

/* Grows the array for one more entry. (Its size is bounded by the header's, which has more than 40 bytes per entry.) */
static bool reserve_entry(Reader *r) {
    if (r->len < r->capacity) return true;
    const int64_t capacity = r->capacity ? 2 * r->capacity : 16;
    Entry *larger = tg_alloc_raw((size_t)capacity * sizeof *larger);
    if (!larger) return false;
    if (r->len) memcpy(larger, r->entries, (size_t)r->len * sizeof *larger);
    tg_free(r->entries, (size_t)r->capacity * sizeof *larger);
    r->entries = larger;
    r->capacity = capacity;
    return true;
}

/* ---- metadata: {"format": "pt"} ---- */

static bool read_metadata(Reader *r) {
    if (tg_json_is_null(&r->json)) return true;
    tg_json_open(&r->json, '{');
    for (bool first = true; tg_json_more(&r->json, '}', &first);) {
        const char *name = tg_json_name(&r->json), *text = name ? tg_json_text(&r->json) : NULL;
        const int64_t before = r->texts->len;
        if (!text || !t_dict_set_text(r->texts, name, text)) return false;
        if (r->texts->len == before) return fail_entry(r, name, "occurs twice in the metadata");
    }
    return !r->json.failed;
}

static bool read_members(Reader *r) {
    bool has_metadata = false;
    tg_json_open(&r->json, '{');
    for (bool first = true; tg_json_more(&r->json, '}', &first);) {
        const char *name = tg_json_name(&r->json);
        if (!name) return false;
        if (strcmp(name, TG_METADATA) == 0) {
            if (has_metadata) return fail_entry(r, name, "is twice in the header");
            has_metadata = true;
            if (!read_metadata(r)) return false;
            continue;
        }
        if (!reserve_entry(r)) return false;
        Entry *e = &r->entries[r->len];
        *e = (Entry){.name = name, .position = r->len};
        if (!read_entry(r, e)) return false;
        r->len++;
    }
    return tg_json_end(&r->json);
}

/* ---- checks of the header against the file ---- */

static int by_offsets(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static bool check_entry(const Reader *r, const Entry *e, const Entry *before) {
    const char *name = r->in->name;
    const uint64_t start = before ? before->end : 0;
    uint64_t count, bytes;
    if (e->end < e->begin)
        return tg_fail("%s: '%s' ends at byte %" PRIu64 " of the data, before it begins at byte %" PRIu64, name,
                       e->name, e->end, e->begin);
    if (e->begin < start && strcmp(e->name, before->name) == 0)
        return tg_fail("%s: '%s' is twice in the header", name, e->name);
    if (e->begin < start)
        return tg_fail("%s: '%s' begins at byte %" PRIu64 " of the data, within '%s', which ends at byte %" PRIu64,
                       name, e->name, e->begin, before->name, start);
    if (e->begin > start)
        return tg_fail("%s: bytes %" PRIu64 " to %" PRIu64 " of the data, in front of '%s', belong to no tensor", name,
                       start, e->begin, e->name);
    if (!tg_kinds[e->kind].dtype)
        return tg_fail("%s: '%s' is of dtype %s (%s), which tensors do not support", name, e->name,
                       dtype_names[e->kind], tg_kinds[e->kind].name);
    if (e->ndim > T_MAX_DIMS)
        return tg_fail("%s: '%s' has %" PRId64 " dims, but a tensor has at most %d", name, e->name, e->ndim,
                       T_MAX_DIMS);
    if (!tg_count_elements(e->shape, e->ndim, &count) || !tg_count_bytes(count, e->kind, &bytes))
        return tg_fail("%s: the sizes of '%s' are too large: their product, in bytes, is beyond 64 bits", name,
                       e->name);
    if (bytes != e->end - e->begin)
        return tg_fail("%s: '%s' takes %" PRIu64 " bytes by its shape and dtype, but %" PRIu64 " by its data_offsets "
                       "[%" PRIu64 ", %" PRIu64 "]",
                       name, e->name, bytes, e->end - e->begin, e->begin, e->end);
    for (int64_t d = 0; d < e->ndim; d++)
        if (e->shape[d] > INT64_MAX)
            return tg_fail("%s: the size %" PRIu64 " of '%s' is beyond int64", name, e->shape[d], e->name);
    return true;
}

static bool check_entries(const Reader *r, bool allow_trailing_bytes) {
    for (int64_t i = 0; i < r->len; i++)
        if (!check_entry(r, &r->entries[i], i ? &r->entries[i - 1] : NULL)) return false;
    const uint64_t data = r->in->size - TG_SIZE_BYTES - r->header, end = r->len ? r->entries[r->len - 1].end : 0;
    if (end > data)
        return tg_fail("%s: the data end at byte %" PRIu64 ", but '%s' at byte %" PRIu64 " of them: the file is not "
                       "complete",
                       r->in->name, data, r->entries[r->len - 1].name, end);
    return end == data || allow_trailing_bytes ||
           tg_fail("%s: %" PRIu64 " bytes from byte %" PRIu64 " on belong to no tensor (allow_trailing_bytes ignores "
                   "them)",
                   r->in->name, data - end, r->in->size - (data - end));
}

/* ---- tensors ---- */

/* Error if the item that was set replaced another one of the same name. */
static bool is_new(const Reader *r, int64_t before, const char *name) {
    return r->dict->len > before || tg_fail("%s: '%s' is twice in the header", r->in->name, name);
}

static bool take_tensor(Reader *r, const Entry *e) {
    int64_t shape[T_MAX_DIMS];
    for (int64_t d = 0; d < e->ndim; d++) shape[d] = (int64_t)e->shape[d];
    Tensor *x = tg_empty(shape, (int)e->ndim, (t_DType)tg_kinds[e->kind].dtype);
    if (!x) return false;
    const int64_t before = r->dict->len;
    const uint64_t at = TG_SIZE_BYTES + r->header + e->begin;
    const bool ok = tg_read_elements(r->in, at, e->kind, false, x, e->name) && t_dict_set(r->dict, e->name, x);
    t_release(tg_take_from_scope(x)); /* only the dict holds it */
    return ok && is_new(r, before, e->name);
}

/* A text with the name of a tensor gets the prefix TG_METADATA_PREFIX. */
static bool take_text(Reader *r, const t_DictItem *item) {
    const size_t front = strlen(TG_METADATA_PREFIX), length = strlen(item->name) + 1;
    const t_DictItem *other = tg_dict_find(r->dict, item->name);
    char *longer = other && other->tensor ? tg_alloc_raw(front + length) : NULL;
    if (other && other->tensor && !longer) return false;
    if (longer) {
        memcpy(longer, TG_METADATA_PREFIX, front);
        memcpy(longer + front, item->name, length);
    }
    const char *name = longer ? longer : item->name;
    const int64_t before = r->dict->len;
    const bool ok = t_dict_set_text(r->dict, name, item->text) && is_new(r, before, name);
    tg_free(longer, front + length);
    return ok;
}

static bool read_all(Reader *r, bool allow_trailing_bytes) {
    r->dict = t_dict_new();
    r->texts = r->dict ? t_dict_new() : NULL;
    if (!r->texts || !read_header_text(r) || !read_members(r)) return false;
    if (r->len) qsort(r->entries, (size_t)r->len, sizeof *r->entries, by_offsets);
    bool ok = check_entries(r, allow_trailing_bytes);
    for (int64_t i = 0; ok && i < r->len; i++) ok = take_tensor(r, &r->entries[i]);
    for (int64_t i = 0; ok && i < r->texts->len; i++) ok = take_text(r, &r->texts->items[i]);
    return ok;
}

t_TensorDict *tg_safetensors_read(const tg_Input *in, bool allow_trailing_bytes) {
    Reader r = {.in = in};
    const bool ok = read_all(&r, allow_trailing_bytes);
    if (r.text) tg_free(r.text, r.header + 1);
    tg_free(r.entries, (size_t)r.capacity * sizeof *r.entries);
    if (r.texts) t_release(tg_take_from_scope(r.texts));
    if (!ok && r.dict) t_release(tg_take_from_scope(r.dict));
    return ok ? r.dict : NULL;
}

/* ---- public ---- */

t_TensorDict *safetensors_load_file(const char *filename, const safetensors_Options *options) {
    safetensors_Options o = safetensors_Defaults;
    tg_Input in;
    if (!tg_take_options(&o, options, sizeof o) || !tg_input_open(&in, filename)) return NULL;
    t_TensorDict *dict = tg_safetensors_read(&in, o.allow_trailing_bytes);
    tg_input_close(&in);
    return dict;
}

t_TensorDict *safetensors_load(const void *data, size_t size, const safetensors_Options *options) {
    safetensors_Options o = safetensors_Defaults;
    tg_Input in;
    if (!tg_take_options(&o, options, sizeof o) || !tg_input_memory(&in, data, size, "data")) return NULL;
    return tg_safetensors_read(&in, o.allow_trailing_bytes);
}
