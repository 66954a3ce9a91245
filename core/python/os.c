/* core/python/os.c: os.listdir. */
#include "core/python/os.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"

static void listing_destroy(void *object) {
    os_Listing *self = object;
    tg_object_dispose(&self->object);
    for (int64_t i = 0; i < self->len; i++) free(self->items[i]);
    free(self->items);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class listing_class = {"Listing", listing_destroy};

static bool append(os_Listing *self, const char *name) {
    if (self->len == self->capacity) {
        const int64_t capacity = self->capacity ? 2 * self->capacity : 16;
        char **items = realloc(self->items, (size_t)capacity * sizeof *items);
        if (!items) return tg_fail("out of memory: %zu bytes were asked for", (size_t)capacity * sizeof *items);
        self->items = items;
        self->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy) return tg_fail("out of memory: %zu bytes were asked for", strlen(name) + 1);
    self->items[self->len++] = copy;
    return true;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

os_Listing *os_listdir(const char *path) {
    if (!path) return t_error() ? NULL : tg_fail("argument 1 is NULL where a path is expected");
    DIR *folder = opendir(path);
    if (!folder) return tg_fail("[Errno %d] %s: '%s'", errno, strerror(errno), path);
    int depth = t_scope_open();
    os_Listing *self = depth ? tg_alloc(sizeof *self) : NULL;
    if (self) tg_object_init(&self->object, &listing_class);
    bool ok = self != NULL;
    errno = 0;
    for (const struct dirent *entry; ok && (entry = readdir(folder)); errno = 0)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) ok = append(self, entry->d_name);
    if (ok && errno) ok = tg_fail("[Errno %d] %s: '%s'", errno, strerror(errno), path);
    closedir(folder);
    if (ok && self->len) qsort(self->items, (size_t)self->len, sizeof *self->items, compare_names);
    return tg_scope_return(depth, ok ? self : NULL);
}
