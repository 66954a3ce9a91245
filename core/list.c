/* core/list.c: t_TensorList. */
#include "core/list.h"

#include <string.h>

#include "core/tensor.h"

static void list_destroy(void *object) {
    t_TensorList *list = object;
    tg_object_dispose(&list->object);
    for (int64_t i = 0; i < list->len; i++) t_release(list->items[i]);
    tg_free(list->items, (size_t)list->room * sizeof *list->items);
    tg_free(list, sizeof *list);
}

static const t_Class list_class = {"TensorList", list_destroy};

bool tg_check_list(const t_TensorList *list, int position) {
    if (!list) return t_error() ? false : tg_fail("argument %d is NULL where a list of tensors is expected", position) != NULL;
    if (list->object.is_a != &list_class) return tg_fail("argument %d is not a live list of tensors", position);
    for (int64_t i = 0; i < list->len; i++)
        if (!tg_check(list->items[i], position)) return false;
    return true;
}

/* [*items]: a list of its own, which holds a reference on each. NULL where an item is NULL. */
t_TensorList *t_list_new(Tensor *const *items, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!tg_check(items[i], (int)i + 1)) return NULL;
    t_TensorList *list = tg_alloc(sizeof *list);
    int64_t room = count > 4 ? count : 4;
    Tensor **copy = list ? tg_alloc((size_t)room * sizeof *copy) : NULL;
    if (!copy) {
        tg_free(list, sizeof *list);
        return NULL;
    }
    list->items = copy;
    list->room = room;
    tg_object_init(&list->object, &list_class);
    for (int64_t i = 0; i < count; i++) list->items[list->len++] = t_retain(items[i]);
    return list;
}

/* list.append(x) */
bool t_list_append(t_TensorList *list, Tensor *x) {
    if (!list || list->object.is_a != &list_class) return tg_check_list(list, 1);
    if (!tg_check(x, 2)) return false;
    if (list->len == list->room) {
        size_t bytes = (size_t)list->room * sizeof *list->items;
        Tensor **larger = tg_alloc_raw(2 * bytes);
        if (!larger) return false;
        memcpy(larger, list->items, bytes);
        tg_free(list->items, bytes);
        list->items = larger;
        list->room *= 2;
    }
    list->items[list->len++] = t_retain(x);
    return true;
}

/* list[index], negative from the end. Error: out of range. */
Tensor *t_list_get(const t_TensorList *list, int64_t index) {
    if (!tg_check_list(list, 1)) return NULL;
    int64_t at = index < 0 ? index + list->len : index;
    if (at < 0 || at >= list->len)
        return tg_fail("list index out of range: %lld in a list of %lld", (long long)index, (long long)list->len);
    return list->items[at];
}
