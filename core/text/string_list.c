/* core/text/string_list.c: lists of strings, in blocks of memory of their own. */
#include <stdlib.h>

#include "core/tensor/tensor.h"
#include "core/text/string_list_internal.h"

typedef struct tg_StringBlock {
    struct tg_StringBlock *older;
    size_t used, capacity;
    char data[];
} Block;

static void strings_destroy(void *object) {
    t_StringList *self = object;
    tg_object_dispose(&self->object);
    for (Block *block = self->blocks, *older; block; block = older) {
        older = block->older;
        tg_free(block, sizeof *block + block->capacity);
    }
    tg_free(self->items, (size_t)self->capacity * sizeof *self->items);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class strings_class = {"StringList", strings_destroy};

bool tg_check_strings(const t_StringList *list, int position) {
    if (!list) return tg_check_given(false, position, "a list of strings");
    return list->object.is_a == &strings_class || tg_fail("argument %d is not a live list of strings", position);
}

/* The array of the strings, or a new one if it is full; NULL on out of memory. */
static const char **room_for_one(const t_StringList *self, int64_t *capacity) {
    *capacity = self->capacity;
    if (self->len < self->capacity) return self->items;
    *capacity = self->capacity ? 2 * self->capacity : 8;
    const char **items = tg_alloc_raw((size_t)*capacity * sizeof *items);
    if (items && self->len) memcpy(items, self->items, (size_t)self->len * sizeof *items);
    return items;
}

static char *new_string(t_StringList *self, size_t bytes) {
    enum { LARGEST = 1 << 20 };
    Block *block = self->blocks;
    if (!block || bytes > block->capacity - block->used) {
        size_t capacity = block ? 2 * block->capacity : 200;
        capacity = capacity > LARGEST ? (size_t)LARGEST : capacity;
        capacity = capacity > bytes ? capacity : bytes;
        block = tg_alloc_raw(sizeof *block + capacity);
        if (!block) return NULL;
        *block = (Block){self->blocks, 0, capacity};
        self->blocks = block;
    }
    block->used += bytes;
    return block->data + block->used - bytes;
}

bool tg_strings_append(t_StringList *self, const char *text, size_t length) {
    int64_t capacity;
    const char **items = room_for_one(self, &capacity);
    char *copy = items ? new_string(self, length + 1) : NULL;
    if (!copy) {
        if (items && items != self->items) tg_free(items, (size_t)capacity * sizeof *items);
        return false;
    }
    if (items != self->items) tg_free(self->items, (size_t)self->capacity * sizeof *items);
    self->items = items;
    self->capacity = capacity;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    self->items[self->len++] = copy;
    return true;
}

t_StringList *t_strings_new(const char *const *items, int64_t count) {
    if (!tg_check_array(items, count, 1, "strings")) return NULL;
    const int depth = t_scope_open();
    t_StringList *self = depth ? tg_alloc(sizeof *self) : NULL;
    if (self) tg_object_init(&self->object, &strings_class);
    bool ok = self != NULL;
    for (int64_t i = 0; ok && i < count; i++) ok = t_strings_append(self, items[i]);
    return tg_scope_return(depth, ok ? self : NULL);
}

bool t_strings_append(t_StringList *list, const char *text) {
    if (!tg_check_strings(list, 1) || !tg_check_given(text != NULL, 2, "a string")) return false;
    return tg_strings_append(list, text, strlen(text));
}

const char *t_strings_get(const t_StringList *list, int64_t index) {
    if (!tg_check_strings(list, 1)) return NULL;
    const int64_t at = index < 0 ? index + list->len : index;
    return at >= 0 && at < list->len ? list->items[at] : tg_fail("list index out of range");
}

const char *tg_string_of(const char *bytes, size_t length) {
    char *text = malloc(length + 1);
    if (!text) return tg_fail("out of memory: %zu bytes were asked for", length + 1);
    if (length) memcpy(text, bytes, length);
    text[length] = '\0';
    return tg_str_new(text);
}

const char *t_strings_join(const char *separator, const t_StringList *list) {
    if (!tg_check_given(separator != NULL, 1, "a separator") || !tg_check_strings(list, 2)) return NULL;
    tg_Buffer text = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < list->len; i++)
        ok = (i == 0 || tg_buffer_append(&text, separator, strlen(separator))) &&
             tg_buffer_append(&text, list->items[i], strlen(list->items[i]));
    const char *joined = ok ? tg_string_of(text.data, text.size) : NULL;
    tg_buffer_free(&text);
    return joined;
}
