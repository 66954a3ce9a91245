/* core/text/buffer.h: a growing block of memory (internal). */
#ifndef TAPEGRAD_CORE_TEXT_BUFFER_H
#define TAPEGRAD_CORE_TEXT_BUFFER_H

#include <string.h>

#include "core/tensor/context.h"

typedef struct tg_Buffer {
    char *data;
    size_t size, capacity; /* bytes */
} tg_Buffer;

static inline void tg_buffer_free(tg_Buffer *self) {
    tg_free(self->data, self->capacity);
    *self = (tg_Buffer){0};
}

/* Room for so many more bytes. Error: out of memory; then nothing has changed. */
static inline bool tg_buffer_reserve(tg_Buffer *self, size_t more) {
    if (more <= self->capacity - self->size) return true;
    size_t capacity = self->capacity + self->capacity / 2 > 64 ? self->capacity + self->capacity / 2 : 64;
    if (capacity < self->size + more) capacity = self->size + more;
    char *data = tg_alloc_raw(capacity);
    if (!data) return false;
    if (self->size) memcpy(data, self->data, self->size);
    tg_free(self->data, self->capacity);
    self->data = data;
    self->capacity = capacity;
    return true;
}

static inline bool tg_buffer_append(tg_Buffer *self, const void *from, size_t bytes) {
    if (!tg_buffer_reserve(self, bytes)) return false;
    if (bytes) memcpy(self->data + self->size, from, bytes);
    self->size += bytes;
    return true;
}

#endif
