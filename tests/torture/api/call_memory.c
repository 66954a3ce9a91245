/* tests/torture/api/call_memory.c: the blocks of a call, and what is watched: its state before and after the call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"
#include "core/ops/creation/random_internal.h"
#include "nn/nn.h"

#if defined(__SANITIZE_ADDRESS__)
int __sanitizer_get_ownership(const volatile void *p);
size_t __sanitizer_get_allocated_size(const volatile void *p);
#endif

enum { MOST_BLOCKS = 4000, MOST_WATCHED = 300 };
static void *blocks[MOST_BLOCKS];
static int block_count;

void *block(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (p && !bytes) {
        free(p);
        p = malloc(1);
    }
    if (p && block_count < MOST_BLOCKS) blocks[block_count++] = p;
    return p;
}

typedef struct Watched {
    void *p;
    size_t bytes; /* 0: an object */
    bool is_const;
    uint64_t hash;
    char name[40];
} Watched;
static Watched watched[MOST_WATCHED];
static int depth_of_call;

void watch(void *p, size_t bytes, bool is_const, const char *name) {
    if (!p || making.producing || making.watched == MOST_WATCHED) return;
    watched[making.watched] = (Watched){.p = p, .bytes = bytes, .is_const = is_const};
    snprintf(watched[making.watched++].name, sizeof watched->name, "%s", name);
}

uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    uint64_t word[4], sum[4] = {h, h + 1, h + 2, h + 3};
    for (; count >= sizeof word; b += sizeof word, count -= sizeof word) { /* four at a time: it hashes much */
        memcpy(word, b, sizeof word);
        for (int i = 0; i < 4; i++) sum[i] = ((sum[i] ^ word[i]) * 0x9e3779b97f4a7c15u) ^ (sum[i] >> 29);
    }
    h = mix(sum[0] ^ sum[1] << 1, sum[2] ^ sum[3] << 2);
    for (; count >= 8; b += 8, count -= 8) {
        memcpy(word, b, 8);
        h = mix(h ^ word[0], 2);
    }
    while (count--) h = mix(h ^ *b++, 3);
    return h;
}

uint64_t hash_generator(uint64_t h, const t_Generator *generator) {
    return generator ? hash_bytes(h, &generator->engine, sizeof generator->engine) : h;
}

static bool is_class(const t_Object *o, const char *name) {
    return o && o->is_a && strcmp(o->is_a->name, name) == 0;
}

static uint64_t hash_object(uint64_t h, const void *p, int depth) {
    const t_Object *o = p;
    if (!o || !o->is_a || !o->is_a->destroy || depth > 4) return mix(h, (uint64_t)(uintptr_t)p);
    if (o->is_a == &tg_tensor_class) {
        const Tensor *x = p;
        h = hash_bytes(h, x->shape, sizeof *x->shape * (size_t)x->ndim);
        h = hash_bytes(h, x->strides, sizeof *x->strides * (size_t)x->ndim);
        const int64_t facts[] = {x->ndim,
                                 x->dtype,
                                 x->offset,
                                 x->requires_grad,
                                 x->is_parameter,
                                 (intptr_t)x->storage,
                                 x->storage->version,
                                 (intptr_t)x->grad,
                                 (intptr_t)x->hooks};
        h = hash_bytes(h, facts, sizeof facts);
        h = hash_bytes(h, x->storage->data, x->storage->bytes);
        return x->grad && x->grad != x ? hash_object(h, x->grad, depth + 1) : h;
    }
    if (is_class(o, "TensorList")) {
        const t_TensorList *list = p;
        h = mix(h, (uint64_t)list->len);
        for (int64_t i = 0; i < list->len; i++) h = hash_object(h, list->items[i], depth + 1);
        return h;
    }
    if (is_class(o, "Module")) {
        const nn_Module *m = p;
        const size_t type = offsetof(nn_Module, type), hooks = offsetof(nn_Module, hooks),
                     bytes = offsetof(nn_Module, bytes);
        h = hash_bytes(h, (const char *)p + type, hooks - type);
        h = hash_bytes(h, (const char *)p + bytes, m->bytes - bytes);
        for (const nn_Entry *e = m->first; e; e = e->next) h = hash_object(mix(h, e->kind), e->value, depth + 1);
        return h;
    }
#if defined(__SANITIZE_ADDRESS__)
    if (__sanitizer_get_ownership(p))
        return hash_bytes(h, (const char *)p + sizeof *o, __sanitizer_get_allocated_size(p) - sizeof *o);
#endif
    return h;
}

static uint64_t hash_watched(const Watched *w) {
    return w->bytes ? hash_bytes(7, w->p, w->bytes) : hash_object(7, w->p, 0);
}

void hash_arguments(void) {
    depth_of_call = t_scope_depth();
    for (int i = 0; i < making.watched; i++) watched[i].hash = hash_watched(&watched[i]);
}

void compare_arguments(bool refused, const Function *f) {
    if (t_scope_depth() < depth_of_call || (f->flags & f_changes)) return;
    for (int i = 0; i < making.watched; i++) {
        const Watched *w = &watched[i];
        if (!(refused || (w->is_const && !(f->flags & f_writes))) || hash_watched(w) == w->hash) continue;
        if (refused)
            found(find_changed, "a refused call has changed %s: %.300s", w->name, (t_error_message)());
        else
            found(find_changed_const, "%s, which is const, was changed", w->name);
    }
}

void free_blocks(void) {
    for (int i = 0; i < block_count; i++) free(blocks[i]);
    block_count = 0;
}
