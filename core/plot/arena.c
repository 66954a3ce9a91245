/* core/plot/arena.c: memory that goes all at once, and the texts in it. */
#include <string.h>

#include "core/plot/figure.h"

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t bytes; /* with this head */
} ArenaBlock;

void *tg_arena_alloc(Arena *arena, int64_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, size, &bytes) || __builtin_add_overflow(bytes, sizeof(ArenaBlock), &bytes))
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

/* The length of the character that text begins with; 0 where it is not UTF-8 or nothing that XML may hold. */
static int character(const unsigned char *text) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text[0] < 0x80) return text[0] >= 0x20 && text[0] != 0x7F ? 1 : text[0] == '\n' || text[0] == '\t';
    int length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    uint32_t code = text[0] & (0xFFu >> (length + 1));
    if (text[0] < 0xC2 || text[0] > 0xF4) return 0;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    bool allowed = code >= smallest[length] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF) &&
                   !(code >= 0x80 && code < 0xA0) && (code & 0xFFFE) != 0xFFFE;
    return allowed ? length : 0;
}

char *tg_arena_text(Arena *arena, const char *text) {
    static const char replacement[] = "\xEF\xBF\xBD";
    char *copy = tg_arena_alloc(arena, (int64_t)strlen(text) * 3 + 1, 1), *to = copy;
    while (copy && *text) {
        int length = character((const unsigned char *)text);
        memcpy(to, length ? text : replacement, length ? (size_t)length : 3);
        to += length ? length : 3;
        text += length ? length : 1;
    }
    return copy;
}
