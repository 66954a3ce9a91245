/* core/ops/dict.c: t_TensorDict: an array of items in insertion order and a hash table of their indices (open
 * addressing, linear probing). A file with a million names is read in a second. */
#include "core/ops/dict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/ops/creation.h"
#include "core/ops/tensor_info.h"
#include "core/tensor/tensor.h"

/* ---- items ---- */

static void free_text(char *text) {
    if (text) tg_free(text, strlen(text) + 1);
}

static void item_free(t_DictItem *item) {
    free_text(item->name);
    free_text(item->text);
    t_release(item->tensor);
}

static char *joined(const char *a, const char *b, const char *c) {
    size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
    char *text = tg_alloc_raw(la + lb + lc + 1);
    if (!text) return NULL;
    memcpy(text, a, la);
    memcpy(text + la, b, lb);
    memcpy(text + la + lb, c, lc + 1);
    return text;
}

/* FNV-1a (Fowler, Noll, Vo): for each byte h = (h xor byte) * 1099511628211. It starts at a random key of the dict, so
 * that nobody can make a file whose names all collide. */
static uint64_t hash_of(const t_TensorDict *dict, const char *name) {
    uint64_t h = dict->key;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h ^ h >> 32;
}

/* A key that the author of a file cannot predict, from the dict's address and the time. */
static uint64_t new_key(const t_TensorDict *dict) {
    struct timespec now = {0, 0};
    (void)timespec_get(&now, TIME_UTC);
    const uint64_t seed = (uint64_t)(uintptr_t)dict ^ (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
    const uint64_t h = seed * 0x9E3779B97F4A7C15u;
    return (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
}

/* ---- the object ---- */

static void dict_destroy(void *object) {
    t_TensorDict *dict = object;
    tg_object_dispose(&dict->object);
    for (int64_t i = 0; i < dict->len; i++) item_free(&dict->items[i]);
    tg_free(dict->items, (size_t)dict->capacity * sizeof *dict->items);
    tg_free(dict->index, (size_t)dict->slots * sizeof *dict->index);
    tg_object_free(&dict->object, sizeof *dict);
}

static const t_Class dict_class = {"TensorDict", dict_destroy};

bool tg_check_dict(const t_TensorDict *dict, int position) {
    if (!dict)
        return t_error() ? false : tg_fail("argument %d is NULL where a dict of tensors is expected", position) != NULL;
    return dict->object.is_a == &dict_class || tg_fail("argument %d is not a live dict of tensors", position);
}

static bool check_name(const t_TensorDict *dict, const char *name) {
    if (!tg_check_dict(dict, 1)) return false;
    return name || (!t_error() && tg_fail("argument 2 is NULL where a name is expected"));
}

/* {} */
t_TensorDict *t_dict_new(void) {
    t_TensorDict *dict = tg_alloc(sizeof *dict);
    if (!dict) return NULL;
    dict->key = new_key(dict);
    tg_object_init(&dict->object, &dict_class);
    return dict;
}

/* ---- the table ---- */

/* The slot of the table that holds name's index, or the free one where it would be inserted. */
static int64_t find_slot(const t_TensorDict *dict, const char *name, uint64_t hash) {
    int64_t slot = (int64_t)(hash & (uint64_t)(dict->slots - 1));
    for (;; slot = (slot + 1) & (dict->slots - 1)) {
        int64_t at = dict->index[slot];
        if (at < 0 || (dict->items[at].hash == hash && strcmp(dict->items[at].name, name) == 0)) return slot;
    }
}

static void fill_table(t_TensorDict *dict) {
    memset(dict->index, 0xff, (size_t)dict->slots * sizeof *dict->index); /* -1 */
    for (int64_t i = 0; i < dict->len; i++) dict->index[find_slot(dict, dict->items[i].name, dict->items[i].hash)] = i;
}

/* Grows the array and the table for one more item; the table is at most half full. */
static bool reserve_item(t_TensorDict *dict) {
    if (dict->len < dict->capacity) return true;
    int64_t capacity = dict->capacity ? 2 * dict->capacity : 16, slots = 2 * capacity;
    t_DictItem *items = tg_alloc_raw((size_t)capacity * sizeof *items);
    int64_t *index = items ? tg_alloc_raw((size_t)slots * sizeof *index) : NULL;
    if (!index) {
        tg_free(items, (size_t)capacity * sizeof *items);
        return false;
    }
    if (dict->len) memcpy(items, dict->items, (size_t)dict->len * sizeof *items);
    tg_free(dict->items, (size_t)dict->capacity * sizeof *items);
    tg_free(dict->index, (size_t)dict->slots * sizeof *index);
    dict->items = items;
    dict->capacity = capacity;
    dict->index = index;
    dict->slots = slots;
    fill_table(dict);
    return true;
}

/* Sets or replaces an item. Takes ownership of its name, tensor and text, also on an error. */
static bool put_item(t_TensorDict *dict, t_DictItem item) {
    if (!item.name || !(item.tensor || item.text) || !reserve_item(dict)) {
        item_free(&item);
        return false;
    }
    item.hash = hash_of(dict, item.name);
    int64_t *at = &dict->index[find_slot(dict, item.name, item.hash)];
    if (*at < 0) {
        dict->items[*at = dict->len++] = item;
    } else {
        item_free(&dict->items[*at]);
        dict->items[*at] = item;
    }
    return true;
}

const t_DictItem *tg_dict_find(const t_TensorDict *dict, const char *name) {
    int64_t at = dict->len ? dict->index[find_slot(dict, name, hash_of(dict, name))] : -1;
    return at < 0 ? NULL : &dict->items[at];
}

/* ---- setting ---- */

/* The item's name without the prefix "name.", or NULL if it does not begin with that. */
static const char *inner_name(const t_DictItem *item, const char *name) {
    size_t length = strlen(name);
    return strncmp(item->name, name, length) == 0 && item->name[length] == '.' ? item->name + length + 1 : NULL;
}

static bool has_inner(const t_TensorDict *dict, const char *name) {
    for (int64_t i = 0; i < dict->len; i++)
        if (inner_name(&dict->items[i], name)) return true;
    return false;
}

static const char empty_dict[] = "{}";

static bool is_empty_dict(const t_DictItem *item) {
    return item && item->text && strcmp(item->text, empty_dict) == 0;
}

static bool copy_item(t_TensorDict *to, const char *prefix, const t_DictItem *item, const char *name) {
    return put_item(to, (t_DictItem){.name = joined(prefix ? prefix : "", prefix ? "." : "", name),
                                     .tensor = t_retain(item->tensor),
                                     .text = item->text ? joined(item->text, "", "") : NULL});
}

/* If ok, swaps the contents of dict and fresh; then releases fresh. Returns ok. */
static bool replace(t_TensorDict *dict, t_TensorDict *fresh, bool ok) {
    if (ok) {
        t_TensorDict before = *dict;
        dict->items = fresh->items, fresh->items = before.items;
        dict->index = fresh->index, fresh->index = before.index;
        dict->len = fresh->len, fresh->len = before.len;
        dict->capacity = fresh->capacity, fresh->capacity = before.capacity;
        dict->slots = fresh->slots, fresh->slots = before.slots;
        dict->key = fresh->key, fresh->key = before.key;
    }
    if (fresh) t_release(tg_take_from_scope(fresh));
    return ok;
}

/* Copies all items of dict to `to`, except the item `name` and the items of the dict `name`. */
static bool copy_without(t_TensorDict *to, const t_TensorDict *dict, const char *name) {
    bool ok = to != NULL;
    for (int64_t i = 0; ok && i < dict->len; i++) {
        const t_DictItem *item = &dict->items[i];
        if (strcmp(item->name, name) != 0 && !inner_name(item, name)) ok = copy_item(to, NULL, item, item->name);
    }
    return ok;
}

bool t_dict_set(t_TensorDict *dict, const char *name, Tensor *x) {
    if (!check_name(dict, name) || !tg_check_held(x, 3)) return false;
    return put_item(dict, (t_DictItem){.name = joined(name, "", ""), .tensor = t_retain(x)});
}

bool t_dict_set_integer(t_TensorDict *dict, const char *name, int64_t x) {
    return check_name(dict, name) && t_dict_set(dict, name, t_integer(x));
}

bool t_dict_set_number(t_TensorDict *dict, const char *name, double x) {
    return check_name(dict, name) && t_dict_set(dict, name, t_number(x));
}

bool t_dict_set_text(t_TensorDict *dict, const char *name, const char *x) {
    if (!check_name(dict, name)) return false;
    if (!x) return t_error() ? false : tg_fail("argument 3 is NULL where a text is expected") != NULL;
    return put_item(dict, (t_DictItem){.name = joined(name, "", ""), .text = joined(x, "", "")});
}

bool t_dict_set_dict(t_TensorDict *dict, const char *name, const t_TensorDict *inner) {
    if (!check_name(dict, name) || !tg_check_dict(inner, 3)) return false;
    t_TensorDict *fresh = t_dict_new();
    bool ok = copy_without(fresh, dict, name);
    for (int64_t i = 0; ok && i < inner->len; i++) ok = copy_item(fresh, name, &inner->items[i], inner->items[i].name);
    if (ok && inner->len == 0) ok = t_dict_set_text(fresh, name, empty_dict);
    return replace(dict, fresh, ok);
}

/* ---- getting ---- */

static void *key_error(const t_TensorDict *dict, const char *name) {
    const char *first = dict->len ? dict->items[0].name : "", *last = dict->len ? dict->items[dict->len - 1].name : "";
    return dict->len ? tg_fail("KeyError: '%s' is not among the %" PRId64 " names, from '%s' to '%s'", name, dict->len,
                               first, last)
                     : tg_fail("KeyError: '%s' in an empty dict", name);
}

Tensor *t_dict_get(const t_TensorDict *dict, const char *name) {
    if (!check_name(dict, name)) return NULL;
    const t_DictItem *item = tg_dict_find(dict, name);
    if (!item) return key_error(dict, name);
    if (!item->tensor) return tg_fail("'%s' is a string ('%s'), not a tensor", name, item->text);
    return item->tensor;
}

const char *t_dict_get_text(const t_TensorDict *dict, const char *name) {
    if (!check_name(dict, name)) return NULL;
    const t_DictItem *item = tg_dict_find(dict, name);
    if (!item) return key_error(dict, name);
    if (!item->text) return tg_fail("'%s' is a tensor, not a string", name);
    return item->text;
}

t_TensorDict *t_dict_get_dict(const t_TensorDict *dict, const char *name) {
    if (!check_name(dict, name)) return NULL;
    t_TensorDict *inner = t_dict_new();
    bool ok = inner != NULL;
    for (int64_t i = 0; ok && i < dict->len; i++) {
        const char *rest = inner_name(&dict->items[i], name);
        if (rest) ok = copy_item(inner, NULL, &dict->items[i], rest);
    }
    if (ok && (inner->len || is_empty_dict(tg_dict_find(dict, name)))) return inner;
    if (inner) t_release(tg_take_from_scope(inner));
    return ok ? key_error(dict, name) : NULL;
}

double t_dict_get_number(const t_TensorDict *dict, const char *name) {
    const Tensor *x = t_dict_get(dict, name);
    return x ? t_item(x) : (double)NAN;
}

int64_t t_dict_get_integer(const t_TensorDict *dict, const char *name) {
    const Tensor *x = t_dict_get(dict, name);
    if (!x || tg_numel(x) != 1 || !t_is_floating_point(x)) {
        const int64_t value = x ? t_item_int64(x) : T_NONE;
        return x && tg_numel(x) == 1 ? value : T_NONE;
    }
    const double value = t_item(x);
    if (value > -0x1p63 && value < 0x1p63) return (int64_t)value;
    tg_fail("'%s' is %g, which does not fit int64", name, value);
    return T_NONE;
}

bool t_dict_has(const t_TensorDict *dict, const char *name) {
    if (!check_name(dict, name)) return false;
    return tg_dict_find(dict, name) || has_inner(dict, name);
}

/* del dict[name], an item or a dict. Error: KeyError. */
bool t_dict_delete(t_TensorDict *dict, const char *name) {
    if (!check_name(dict, name)) return false;
    char *own = joined(name, "", ""); /* a copy: name may point to the name of an item that is freed here */
    int64_t kept = 0, before = dict->len;
    for (int64_t i = 0; own && i < before; i++) {
        t_DictItem *item = &dict->items[i];
        if (strcmp(item->name, own) == 0 || inner_name(item, own)) item_free(item);
        else dict->items[kept++] = *item;
    }
    free_text(own);
    if (!own) return false;
    if (kept == before) return key_error(dict, name) != NULL;
    dict->len = kept;
    fill_table(dict);
    return true;
}

/* ---- values ---- */

t_TensorList *t_dict_values(const t_TensorDict *dict) {
    if (!tg_check_dict(dict, 1)) return NULL;
    for (int64_t i = 0; i < dict->len; i++)
        if (!dict->items[i].tensor)
            return tg_fail("'%s' is a string ('%s'), not a tensor", dict->items[i].name, dict->items[i].text);
    t_TensorList *values = t_list_new(NULL, 0);
    for (int64_t i = 0; values && i < dict->len; i++)
        if (!t_list_append(values, dict->items[i].tensor)) return NULL;
    return values;
}

t_TensorDict *t_dict_zip(const t_TensorDict *names, const t_TensorList *values) {
    if (!tg_check_dict(names, 1) || !tg_check_list(values, 2)) return NULL;
    if (names->len != values->len) return tg_fail("%" PRId64 " names and %" PRId64 " tensors", names->len, values->len);
    t_TensorDict *dict = t_dict_new();
    for (int64_t i = 0; dict && i < values->len; i++)
        if (!t_dict_set(dict, names->items[i].name, values->items[i])) return NULL;
    return dict;
}
