/* core/io/torch_load.c: the reader of torch.save files: since PyTorch 1.6 a ZIP archive with a pickle, data.pkl, which
 * describes the values, and one entry for each storage; for the format before it see torch_legacy.c. Here: the archive,
 * and flattening the values. */
#include "core/io/torch_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/io/torch_internal.h"
#include "core/io/utf8.h"
#include "core/ops/creation.h"
#include "core/tensor/tensor.h"

void *tg_torch_fail(const tg_Loader *l, const tg_Value *x, const char *what) {
    return tg_fail("%s, byte %" PRIu32 ": %s", l->what, x->at, what);
}

/* ---- the archive ---- */

tg_ZipEntry *tg_torch_entry(tg_Loader *l, const char *folder, const char *name, int length) {
    int n = snprintf(l->path, sizeof l->path, "%.*s%s%.*s", l->prefix, l->folder, folder, length, name);
    return n < (int)sizeof l->path ? tg_zip_find(&l->zip, l->path) : NULL;
}

/* After torch.serialization.set_crc32_options(False) torch.save writes a CRC of 0. */
bool tg_torch_open(tg_ZipContents *contents, const tg_Loader *l, const tg_ZipEntry *entry) {
    return tg_zip_open_entry(contents, &l->zip, entry, entry->crc != 0);
}

static bool read_entry(const tg_Loader *l, const tg_ZipEntry *entry, void *to) {
    tg_ZipContents contents;
    const bool ok = tg_torch_open(&contents, l, entry) && tg_input_read(contents.in, contents.at, to, entry->bytes);
    tg_zip_close_entry(&contents);
    return ok;
}

static bool read_order(tg_Loader *l) {
    char order[8] = "";
    const tg_ZipEntry *entry = tg_torch_entry(l, "byteorder", "", 0);
    if (!entry) return true; /* before PyTorch 2.1: none, little-endian */
    if (entry->bytes >= sizeof order)
        return tg_fail("'%s' in %s is neither little nor big", entry->name, l->zip.in->name);
    if (!read_entry(l, entry, order)) return false;
    l->big_endian = strcmp(order, "big") == 0;
    return l->big_endian || strcmp(order, "little") == 0 ||
           tg_fail("'%s' in %s is neither little nor big", entry->name, l->zip.in->name);
}

static bool is_torchscript(tg_Loader *l) {
    for (uint64_t i = 0; i < l->zip.count; i++)
        if (strncmp(l->zip.entries[i].name, l->folder, (size_t)l->prefix) == 0 &&
            strncmp(l->zip.entries[i].name + l->prefix, "code/", 5) == 0)
            return true;
    return tg_torch_entry(l, "constants.pkl", "", 0) != NULL;
}

const tg_ZipEntry *tg_torch_pickle(const tg_Zip *zip) {
    for (uint64_t i = 0; i < zip->count; i++) {
        const char *name = zip->entries[i].name, *slash = strchr(name, '/');
        if (strcmp(slash ? slash + 1 : name, "data.pkl") == 0) return &zip->entries[i];
    }
    return NULL;
}

static bool read_archive(tg_Loader *l, const tg_Input *in) {
    if (!tg_zip_open(&l->zip, in)) return false;
    const tg_ZipEntry *entry = tg_torch_pickle(&l->zip);
    if (!entry) return tg_fail("%s is a ZIP archive, but none of torch.save's: it has no 'data.pkl'", in->name);
    l->folder = entry->name;
    l->prefix = (int)(strlen(entry->name) - strlen("data.pkl"));
    if (is_torchscript(l))
        return tg_fail("%s is a TorchScript archive, which is a program: save torch.jit.load(...).state_dict() with "
                       "torch.save instead", in->name);
    if (entry->bytes > TG_LARGEST_PICKLE)
        return tg_fail("'%s' in %s has %" PRIu64 " bytes, but at most %d are supported", entry->name, in->name,
                       entry->bytes, TG_LARGEST_PICKLE);
    tg_ZipContents contents;
    /* after this the entry's size is known to be true, so it can be allocated */
    bool ok = tg_torch_open(&contents, l, entry);
    if (ok) {
        l->size = (size_t)entry->bytes;
        l->bytes = tg_alloc_raw(l->size + 1);
        l->what = l->bytes ? tg_alloc_raw(TG_LONGEST_NAME) : NULL;
        ok = l->what && tg_input_read(contents.in, contents.at, l->bytes, l->size);
    }
    tg_zip_close_entry(&contents);
    if (!ok) return false;
    snprintf(l->what, TG_LONGEST_NAME, "'%s' in %s", entry->name, in->name);
    l->count = l->zip.count;
    return read_order(l) && tg_pickle_parse(&l->pickle, l->bytes, l->size, l->what);
}

/* ---- names ---- */

/* Error unless the text is UTF-8 without zero bytes. */
static bool check_text(const tg_Loader *l, const tg_Value *x, const char *text, size_t length) {
    if (memchr(text, '\0', length)) return tg_torch_fail(l, x, "a string contains a 0 byte");
    return tg_utf8_valid(text, length) == length || tg_torch_fail(l, x, "a string is not UTF-8");
}

static bool extend_name(tg_Loader *l, const tg_Value *x, const char *text, size_t length) {
    const size_t dot = l->used > 0;
    if (length + dot >= sizeof l->name - l->used)
        return tg_fail("%s, byte %" PRIu32 ": a name has more than %d bytes", l->what, x->at, TG_LONGEST_NAME - 1);
    if (dot) l->name[l->used++] = '.';
    memcpy(l->name + l->used, text, length);
    l->used += length;
    l->name[l->used] = '\0';
    return check_text(l, x, l->name + l->used - length, length);
}

static bool extend_by_key(tg_Loader *l, const tg_Value *key) {
    char digits[24];
    if (key->type == tg_is_text) return extend_name(l, key, key->as.text, key->count);
    if (key->type == tg_is_bool)
        return key->as.integer ? extend_name(l, key, "True", 4) : extend_name(l, key, "False", 5);
    if (key->type != tg_is_integer)
        return tg_fail("%s, byte %" PRIu32 ": %s as a key, where a text, an int or a bool is expected" TG_LEAVE_OUT,
                       l->what, key->at, tg_type_name(key));
    return extend_name(l, key, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, key->as.integer));
}

static bool extend_by_index(tg_Loader *l, const tg_Value *of, uint32_t index) {
    char digits[24];
    return extend_name(l, of, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu32, index));
}

/* ---- values ---- */

/* A malicious file can contain one list a thousand times in another, and that one a thousand times in a third. So the
 * output is limited: each value of the pickle adds the cost of one item with a name to the budget, which is enough if
 * each value occurs once, as in nearly all files. */
enum {
    ITEM = 768, /* bytes of a number: its tensor and storage, its name and its entry in the dict */
    NAME = 128,
    SPARE = 1 << 24,
    LARGEST_BUDGET = 1 << 30, /* of any file: more than a million numbers */
};

static bool spend(tg_Loader *l, const tg_Value *x, size_t bytes) {
    if (l->budget < bytes)
        return tg_torch_fail(l, x, l->budget_is_largest
            ? "more than a million items: save long lists of numbers as tensors"
            : "a list or dict is referenced so often that there are more items than a file of this size may have");
    l->budget -= bytes;
    return true;
}

static bool was_added(const tg_Loader *l, const tg_Value *x, bool ok, int64_t before) {
    if (ok && l->dict->len == before)
        return tg_fail("%s, byte %" PRIu32 ": the name '%s' occurs twice", l->what, x->at, l->name);
    return ok;
}

static bool add_tensor(tg_Loader *l, const tg_Value *x, Tensor *tensor) {
    const int64_t before = l->dict->len;
    return tensor && was_added(l, x, (t_dict_set)(l->dict, l->name, tensor), before);
}

static bool add_text(tg_Loader *l, const tg_Value *x, const char *text, size_t length) {
    const int64_t before = l->dict->len;
    if (!spend(l, x, length)) return false;
    char *copy = tg_alloc_raw(length + 1);
    if (!copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    bool ok = check_text(l, x, copy, length) && was_added(l, x, t_dict_set_text(l->dict, l->name, copy), before);
    tg_free(copy, length + 1);
    return ok;
}

/* "cuda:0" of torch.device('cuda', 0), "torch.float16" of a dtype. */
static bool add_description(tg_Loader *l, const tg_Value *x) {
    char text[64];
    const tg_Value *kind = x->type == tg_is_call && x->count ? tg_item_of(&l->pickle, x, 0) : NULL;
    if (x->type == tg_is_global && x->global == tg_global_dtype)
        return add_text(l, x, text, (size_t)snprintf(text, sizeof text, "torch.%s", tg_kinds[x->kind].name));
    if (!kind || kind->type != tg_is_text || kind->count > 30)
        return tg_torch_fail(l, x, "a dict of tensors cannot contain this value");
    int n = snprintf(text, sizeof text, "%.*s", (int)kind->count, kind->as.text);
    const tg_Value *index = x->count > 1 ? tg_item_of(&l->pickle, x, 1) : NULL;
    if (index && index->type == tg_is_integer)
        n += snprintf(text + n, sizeof text - (size_t)n, ":%" PRId64, index->as.integer);
    return add_text(l, x, text, (size_t)n);
}

static bool add(tg_Loader *l, const tg_Value *x, int depth);

static bool add_items(tg_Loader *l, const tg_Value *x, int depth) {
    const bool is_dict = x->type == tg_is_dict;
    const size_t used = l->used;
    uint32_t cell = x->first;
    if (depth == TG_DEEPEST) return tg_torch_fail(l, x, "lists and dicts are nested too deeply");
    for (uint32_t i = 0; i < x->count; i += 1 + is_dict) {
        bool ok = is_dict ? extend_by_key(l, tg_value(&l->pickle, tg_cell(&l->pickle, cell)->value))
            : extend_by_index(l, x, i);
        if (ok && is_dict) cell = tg_cell(&l->pickle, cell)->next;
        if (!ok || !add(l, tg_value(&l->pickle, tg_cell(&l->pickle, cell)->value), depth + 1)) return false;
        cell = tg_cell(&l->pickle, cell)->next;
        l->used = used;
        l->name[used] = '\0';
    }
    return true;
}

static bool add(tg_Loader *l, const tg_Value *x, int depth) {
    if (!spend(l, x, ITEM + l->used)) return false;
    switch (x->type) {
    case tg_is_none: return true;
    case tg_is_bool: return add_tensor(l, x, (t_boolean)(x->as.integer != 0));
    case tg_is_integer: return add_tensor(l, x, (t_integer)(x->as.integer));
    case tg_is_number: return add_tensor(l, x, (t_number)(x->as.number));
    case tg_is_text: return add_text(l, x, x->as.text, x->count);
    case tg_is_tuple:
    case tg_is_list:
    case tg_is_dict:
        if (x->count || (depth == 0 && x->type == tg_is_dict)) return add_items(l, x, depth);
        return add_text(l, x, x->type == tg_is_tuple ? "()" : x->type == tg_is_list ? "[]" : "{}", 2);
    case tg_is_call:
        if (x->global != tg_global_device) return add_tensor(l, x, tg_torch_tensor(l, x, 0));
        break;
    case tg_is_storage: return tg_torch_fail(l, x, "a storage without a tensor");
    }
    return add_description(l, x);
}

/* ---- all of it ---- */

static bool read_values(tg_Loader *l) {
    l->dict = t_dict_new();
    if (!l->dict) return false;
    l->storages = tg_alloc(l->count * sizeof(Tensor *));
    l->kinds = l->storages ? tg_alloc(l->count) : NULL;
    l->made = l->kinds ? tg_alloc(l->pickle.values.used * sizeof(Tensor *)) : NULL;
    l->budget = SPARE + (ITEM + NAME) * (uint64_t)l->pickle.values.used + l->size;
    l->budget_is_largest = l->budget > LARGEST_BUDGET;
    if (l->budget_is_largest) l->budget = LARGEST_BUDGET;
    return l->made && add(l, tg_value(&l->pickle, l->pickle.root), 0);
}

static void free_all(tg_Loader *l) {
    tg_free(l->made, l->pickle.values.used * sizeof(Tensor *));
    tg_free(l->kinds, l->count);
    tg_free(l->storages, l->count * sizeof(Tensor *));
    if (l->legacy) tg_free(l->legacy, l->count * sizeof *l->legacy);
    tg_free(l->what, TG_LONGEST_NAME);
    tg_free(l->bytes, l->size + 1);
    tg_pickle_free(&l->pickle);
    tg_pickle_free(&l->keys);
    tg_zip_close(&l->zip);
}

t_TensorDict *tg_torch_read(const tg_Input *in) {
    const int depth = t_scope_open();
    tg_Loader *l = depth ? tg_alloc(sizeof *l) : NULL;
    if (!l) {
        t_scope_close(depth);
        return NULL;
    }
    l->in = in;
    const bool grad_enabled = t_set_grad_enabled(false);
    const int is_legacy = tg_torch_is_legacy(in);
    const bool ok = is_legacy >= 0 && (is_legacy ? tg_torch_read_legacy(l) : read_archive(l, in)) && read_values(l);
    t_TensorDict *dict = ok ? t_keep_object(l->dict) : NULL;
    t_set_grad_enabled(grad_enabled);
    free_all(l);
    tg_free(l, sizeof *l);
    t_scope_close(depth);
    return dict;
}
