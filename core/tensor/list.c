/* core/tensor/list.c: t_TensorList, a growing array of references to tensors. */
#include "core/tensor/list.h"

#include <string.h>

#include "core/tensor/tensor.h"

static void list_destroy(void *object) {
    t_TensorList *list = object;
    tg_object_dispose(&list->object);
    for (int64_t i = 0; i < list->len; i++) t_release(list->items[i]);
    tg_free(list->items, (size_t)list->capacity * sizeof *list->items);
    tg_object_free(&list->object, sizeof *list);
}

static const t_Class list_class = {"TensorList", list_destroy};

static bool is_live_list(const t_TensorList *list, int position) {
    if (!list)
        return t_error() ? false : tg_fail("argument %d is NULL where a list of tensors is expected", position) != NULL;
    return list->object.is_a == &list_class || tg_fail("argument %d is not a live list of tensors", position);
}

bool tg_check_list(const t_TensorList *list, int position) {
    if (!is_live_list(list, position)) return false;
    for (int64_t i = 0; i < list->len; i++)
        if (!tg_check_any(list->items[i], position)) return false;
    return true;
}

bool tg_check_held_list(const t_TensorList *list, int position) {
    if (!is_live_list(list, position)) return false;
    for (int64_t i = 0; i < list->len; i++)
        if (!tg_check_held(list->items[i], position)) return false;
    return true;
}

bool tg_check_optional_list(const t_TensorList *list, int position) {
    if (!list) return !t_error();
    if (!is_live_list(list, position)) return false;
    for (int64_t i = 0; i < list->len; i++)
        if (!tg_check_any_optional(list->items[i], position)) return false;
    return true;
}

t_TensorList *tg_list_of_nulls(int64_t count) {
    t_TensorList *list = tg_alloc(sizeof *list);
    int64_t capacity = count > 4 ? count : 4;
    Tensor **items = list ? tg_alloc((size_t)capacity * sizeof *items) : NULL;
    if (!items) {
        tg_free(list, sizeof *list);
        return NULL;
    }
    list->items = items;
    list->capacity = capacity;
    list->len = count;
    tg_object_init(&list->object, &list_class);
    return list;
}

/* [*items]: a new list, which holds a reference on each item. NULL if an item is NULL. */
t_TensorList *t_list_new(Tensor *const *items, int64_t count) {
    if (!tg_check_array(items, count, 1, "tensors")) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!tg_check_held(items[i], (int)i + 1)) return NULL;
    t_TensorList *list = tg_list_of_nulls(count);
    for (int64_t i = 0; list && i < count; i++) list->items[i] = t_retain(items[i]);
    return list;
}

t_TensorList *t_as_list_(void *x) {
    const t_Object *object = x;
    return object && object->is_a == &tg_tensor_class ? t_list_new((Tensor *[]){x}, 1) : x;
}

/* Grows the capacity for `count` more items. */
static bool reserve_items(t_TensorList *list, int64_t count) {
    const int64_t wanted = list->len + count, capacity = wanted > 2 * list->capacity ? wanted : 2 * list->capacity;
    if (wanted <= list->capacity) return true;
    Tensor **larger = tg_alloc_raw((size_t)capacity * sizeof *larger);
    if (!larger) return false;
    memcpy(larger, list->items, (size_t)list->len * sizeof *larger);
    tg_free(list->items, (size_t)list->capacity * sizeof *larger);
    list->items = larger;
    list->capacity = capacity;
    return true;
}

/* list.append(x) */
bool t_list_append(t_TensorList *list, Tensor *x) {
    if (!list || list->object.is_a != &list_class) return tg_check_list(list, 1);
    if (!tg_check_held(x, 2) || !reserve_items(list, 1)) return false;
    list->items[list->len++] = t_retain(x);
    return true;
}

/* list.extend(other): appends the items of other, which may be the list itself. NULL items (of a list of gradients)
 * stay NULL. */
bool t_list_extend(t_TensorList *list, const t_TensorList *other) {
    if (!is_live_list(list, 1) || !is_live_list(other, 2) || !reserve_items(list, other->len)) return false;
    const int64_t count = other->len;
    for (int64_t i = 0; i < count; i++) list->items[list->len++] = t_retain(other->items[i]);
    return true;
}

/* a + b of two lists: a new list with the items of both. */
t_TensorList *t_list_concat(const t_TensorList *a, const t_TensorList *b) {
    if (!is_live_list(a, 1) || !is_live_list(b, 2)) return NULL;
    t_TensorList *list = tg_list_of_nulls(a->len + b->len);
    for (int64_t i = 0; list && i < a->len; i++) list->items[i] = t_retain(a->items[i]);
    for (int64_t i = 0; list && i < b->len; i++) list->items[a->len + i] = t_retain(b->items[i]);
    return list;
}

/* list[index], negative from the end. Error: out of range. */
Tensor *t_list_get(const t_TensorList *list, int64_t index) {
    if (!is_live_list(list, 1)) return NULL;
    int64_t at = index < 0 ? index + list->len : index;
    if (at < 0 || at >= list->len)
        return tg_fail("list index out of range: %lld in a list of %lld", (long long)index, (long long)list->len);
    return list->items[at] && !tg_check_held(list->items[at], 1) ? NULL : list->items[at];
}

/* list[index] = x, negative from the end. Error: out of range. */
bool t_list_set(t_TensorList *list, int64_t index, Tensor *x) {
    if (!is_live_list(list, 1) || !tg_check_held(x, 3)) return false;
    int64_t at = index < 0 ? index + list->len : index;
    if (at < 0 || at >= list->len)
        return tg_fail("list assignment index out of range: %lld in a list of %lld", (long long)index,
                       (long long)list->len);
    t_retain(x); /* first: it may be the item that it replaces */
    t_release(list->items[at]);
    list->items[at] = x;
    return true;
}

/* q, k, v = list */
bool t_list_unpack(const t_TensorList *list, Tensor **const *to, int64_t count) {
    if (!is_live_list(list, 1)) return false;
    if (list->len != count)
        return tg_fail("%s values to unpack (expected %lld, got %lld)", list->len > count ? "too many" : "not enough",
                       (long long)count, (long long)list->len);
    if (!tg_check_array(to, count, 2, "variables")) return false;
    for (int64_t i = 0; i < count; i++) {
        if (list->items[i] && !tg_check_any(list->items[i], 1)) return false;
        if (!to[i]) return tg_fail("variable %lld is NULL", (long long)i);
    }
    for (int64_t i = 0; i < count; i++) *to[i] = list->items[i];
    return true;
}
