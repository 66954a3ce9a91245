/* core/plot/figure/arena.c: the arena allocator of a figure: memory that is freed all at once; strings in it. */
#include <string.h>

#include "core/plot/figure/figure.h"
#include "core/plot/text/utf8.h"

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t bytes; /* with this header */
} ArenaBlock;

void *tg_arena_alloc(Arena *arena, int64_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(ArenaBlock), &bytes))
        return tg_fail("out of memory: %lld times %zu bytes were asked for", (long long)count, size);
    ArenaBlock *block = tg_alloc(bytes);
    if (!block) return NULL;
    block->next = arena->blocks;
    block->bytes = bytes;
    arena->blocks = block;
    return block + 1;
}

void tg_arena_join(Arena *to, Arena *from) {
    ArenaBlock **end = &from->blocks;
    while (*end) end = &(*end)->next;
    *end = to->blocks;
    to->blocks = from->blocks;
    from->blocks = NULL;
}

void tg_arena_free(Arena *arena) {
    for (ArenaBlock *block; (block = arena->blocks);) {
        arena->blocks = block->next;
        tg_free(block, block->bytes);
    }
}

/* ---- texts ---- */

/* Whether the code point is allowed in XML and printable on a terminal. */
static bool is_allowed(uint32_t point) {
    bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    return point == '\n' || point == '\t' || (!control && (point & 0xFFFE) != 0xFFFE);
}

char *tg_arena_text(Arena *arena, const char *text) {
    static const char replacement[] = "\xEF\xBF\xBD";
    char *copy = tg_arena_alloc(arena, (int64_t)strlen(text) * 3 + 1, 1), *to = copy;
    while (copy && *text) {
        const char *from = text;
        uint32_t point = tg_utf8_next(&text);
        bool kept = point != 0xFFFD && is_allowed(point);
        size_t length = kept ? (size_t)(text - from) : strlen(replacement);
        memcpy(to, kept ? from : replacement, length);
        to += length;
    }
    return copy;
}
