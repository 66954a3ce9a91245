/* core/io/torch_legacy.c: the format of torch.save before PyTorch 1.6, which torch.save(...,
 * _use_new_zipfile_serialization=False) still writes: five pickles one after the other (a magic number, the version of
 * the format, facts about the machine, the values, the list of the storages' keys), then for each key the number of
 * elements as int64 and the elements, little-endian on every machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/torch_internal.h"
#include "core/io/torch_load.h"
#include "core/tensor/tensor.h"

static const uint8_t magic[] = {0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};
enum { VERSION = 1001, FIRST_READ = 1 << 20 };

int tg_torch_is_legacy(const tg_Input *in) {
    uint8_t start[sizeof magic];
    if (in->size < sizeof start) return 0;
    if (!tg_input_read(in, 0, start, sizeof start)) return -1;
    return memcmp(start, magic, sizeof start) == 0;
}

/* ---- the pickles ---- */

/* Parses the pickle at byte *at, which becomes the first one behind it. */
static bool parse_pickle(tg_Loader *l, tg_Pickle *p, size_t *at, bool *is_cut) {
    const bool ok = tg_pickle_parse_part(p, l->bytes, l->size, *at, l->size < l->in->size, l->what);
    *is_cut = p->is_cut;
    *at = p->at + (size_t)1;
    return ok;
}

/* A pickle that is not needed later. */
static bool skip_pickle(tg_Loader *l, size_t *at, bool is_version, bool *is_cut) {
    tg_Pickle p;
    const size_t start = *at;
    bool ok = parse_pickle(l, &p, at, is_cut);
    if (ok && is_version) {
        const tg_Value *version = tg_value(&p, p.root);
        ok = (version->type == tg_is_integer && version->as.integer == VERSION) ||
             tg_fail("%s, byte %zu: Invalid protocol version: %d is expected", l->what, start, VERSION);
    }
    tg_pickle_free(&p);
    return ok;
}

/* `at`: the first byte behind the pickles. */
static bool parse_pickles(tg_Loader *l, size_t *at, bool *is_cut) {
    *at = sizeof magic;
    return skip_pickle(l, at, true, is_cut) && skip_pickle(l, at, false, is_cut) &&
           parse_pickle(l, &l->pickle, at, is_cut) && parse_pickle(l, &l->keys, at, is_cut);
}

/* Nothing says how long the pickles are: more of the file is read until they end within it. */
static bool read_pickles(tg_Loader *l, size_t *at) {
    const size_t most = l->in->size < TG_LARGEST_PICKLE ? (size_t)l->in->size : TG_LARGEST_PICKLE;
    for (size_t size = most < FIRST_READ ? most : FIRST_READ;; size = size > most / 8 ? most : 8 * size) {
        bool is_cut = false;
        tg_free(l->bytes, l->size + 1);
        l->bytes = tg_alloc_raw(size + 1);
        l->size = size;
        if (!l->bytes || !tg_input_read(l->in, 0, l->bytes, size)) return false;
        if (parse_pickles(l, at, &is_cut)) return true;
        if (!is_cut) return false;
        if (size == most)
            return tg_fail("%s has pickles of more than %d bytes, which are not supported", l->in->name,
                           TG_LARGEST_PICKLE);
        tg_pickle_free(&l->pickle);
        tg_pickle_free(&l->keys);
    }
}

/* ---- the storages ---- */

static int compare_texts(const tg_Value *a, const tg_Value *b) {
    const size_t n = a->count < b->count ? a->count : b->count;
    const int order = memcmp(a->as.text, b->as.text, n);
    return order ? order : (a->count > b->count) - (a->count < b->count);
}

static int compare_keys(const void *a, const void *b) {
    return compare_texts(((const tg_LegacyStorage *)a)->key, ((const tg_LegacyStorage *)b)->key);
}

static tg_LegacyStorage *find(const tg_Loader *l, const tg_Value *key) {
    const tg_LegacyStorage wanted = {.key = key};
    return bsearch(&wanted, l->legacy, (size_t)l->count, sizeof wanted, compare_keys);
}

/* The keys, sorted; an error if one is not a text, or occurs twice. */
static bool read_keys(tg_Loader *l) {
    const tg_Value *list = tg_value(&l->keys, l->keys.root);
    if (list->type != tg_is_list) return tg_torch_fail(l, list, "the storages' keys are not a list");
    /* one more, so that it is not empty */
    l->legacy = tg_alloc((list->count + (size_t)1) * sizeof *l->legacy);
    if (!l->legacy) return false;
    l->count = list->count + (uint64_t)1;
    static const tg_Value none = {.type = tg_is_text, .as.text = ""};
    l->legacy[0].key = &none;
    uint32_t cell = list->first;
    for (uint32_t i = 0; i < list->count; i++, cell = tg_cell(&l->keys, cell)->next) {
        const tg_Value *key = tg_value(&l->keys, tg_cell(&l->keys, cell)->value);
        if (key->type != tg_is_text) return tg_torch_fail(l, key, "a storage's key is not a text");
        l->legacy[i + 1].key = key;
    }
    qsort(l->legacy, (size_t)l->count, sizeof *l->legacy, compare_keys);
    for (uint64_t i = 1; i < l->count; i++)
        if (compare_keys(&l->legacy[i - 1], &l->legacy[i]) == 0)
            return tg_torch_fail(l, l->legacy[i].key, "a storage's key is empty, or occurs twice");
    return true;
}

/* The first persistent id of each storage. */
static void find_ids(tg_Loader *l) {
    for (uint32_t i = 0; i < l->pickle.values.used; i++) {
        const tg_Value *id = tg_value(&l->pickle, i);
        tg_LegacyStorage *storage = id->type == tg_is_storage ? find(l, tg_item_of(&l->pickle, id, 2)) : NULL;
        if (storage && !storage->id) storage->id = id;
    }
}

/* Where each storage is, in the order of the list; `at`: the first byte behind the pickles. */
static bool find_positions(tg_Loader *l, uint64_t at) {
    const tg_Value *list = tg_value(&l->keys, l->keys.root);
    uint32_t cell = list->first;
    for (uint32_t i = 0; i < list->count; i++, cell = tg_cell(&l->keys, cell)->next) {
        const tg_Value *key = tg_value(&l->keys, tg_cell(&l->keys, cell)->value);
        tg_LegacyStorage *s = find(l, key);
        const int shown = key->count < 100 ? (int)key->count : 100;
        uint8_t number[8];
        uint64_t count = 0;
        if (!s->id) return tg_fail("%s, byte %" PRIu32 ": no tensor has the storage '%.*s'", l->what, key->at, shown,
                                   key->as.text);
        if (l->in->size - at < 8)
            return tg_fail("%s ends at byte %" PRIu64 ", before the storage '%.*s'", l->in->name, l->in->size, shown,
                           key->as.text);
        if (!tg_input_read(l->in, at, number, 8)) return false;
        for (int k = 0; k < 8; k++) count |= (uint64_t)number[k] << 8 * k;
        const int64_t expected = tg_item_of(&l->pickle, s->id, 4)->as.integer;
        if (count != (uint64_t)expected)
            return tg_fail("%s, byte %" PRIu64 ": the storage '%.*s' has %" PRId64
                           " elements, but should have %" PRId64, l->in->name, at, shown,
                           key->as.text, (int64_t)count, expected);
        at += 8;
        if (!tg_count_bytes(count, s->id->kind ? (tg_Kind)s->id->kind : tg_kind_u8, &s->bytes) ||
            s->bytes > l->in->size - at)
            return tg_fail("%s ends at byte %" PRIu64 ", within the %" PRIu64 " elements of the storage '%.*s'",
                           l->in->name, l->in->size, count, shown, key->as.text);
        s->at = at;
        at += s->bytes;
    }
    return true;
}

const tg_LegacyStorage *tg_torch_legacy_storage(tg_Loader *l, const tg_Value *id) {
    const tg_Value *key = tg_item_of(&l->pickle, id, 2);
    const tg_LegacyStorage *storage = key->count ? find(l, key) : NULL;
    snprintf(l->path, sizeof l->path, "storage %.*s", key->count < 1000 ? (int)key->count : 1000, key->as.text);
    if (!storage)
        return tg_fail("%s, byte %" PRIu32 ": there is no '%s' in the file", l->what, id->at, l->path);
    return storage;
}

bool tg_torch_read_legacy(tg_Loader *l) {
    size_t at;
    l->what = tg_alloc_raw(TG_LONGEST_NAME);
    if (!l->what) return false;
    snprintf(l->what, TG_LONGEST_NAME, "a pickle in %s", l->in->name);
    if (!read_pickles(l, &at) || !read_keys(l)) return false;
    find_ids(l);
    return find_positions(l, at);
}
