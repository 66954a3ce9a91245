/* core/tensor/scope.c: reference-counted objects, and the scopes that own them. */
#include "core/tensor/context.h"

/* ---- objects ---- */

static const t_Class dead = {"an object that died with its scope", NULL};

static void link_into(Scope *scope, t_Object *object) {
    object->depth = scope->depth;
    object->newer = NULL;
    object->older = scope->newest;
    if (scope->newest) scope->newest->newer = object;
    scope->newest = object;
    scope->count++;
}

static Scope *scope_at(int depth) {
    Scope *scope = tg_context()->scope;
    while (scope->depth > depth) scope = scope->outer;
    return scope;
}

static void unlink_from_scope(t_Object *object) {
    if (object->depth == 0) return;
    Scope *scope = scope_at(object->depth);
    if (object->newer) object->newer->older = object->older;
    else scope->newest = object->older;
    if (object->older) object->older->newer = object->newer;
    scope->count--;
    object->depth = 0;
}

/* A loop without a scope: the hint is given once per thread, in teaching mode (core/autograd/teach.h) earlier. */
enum { HINT = 100000, TEACHING_HINT = 10000 };
static _Thread_local bool hinted;

static void hint(int64_t count) {
    bool warned = false;
    if (count < HINT && !tg_thread.teaching) return;
    hinted = true; /* also with warnings off, so that the rest is not evaluated for every tensor */
    tg_warn(&warned, "%lld objects live in the root scope. A loop without a scope keeps every tensor it makes; "
                     "for_range, for_batch or with_scope() open one.", (long long)count);
}

void tg_object_init(t_Object *object, const t_Class *is_a) {
    Scope *scope = tg_context()->scope;
    *object = (t_Object){.is_a = is_a, .refs = 1};
    link_into(scope, object);
    if (scope->depth == 1 && scope->count >= TEACHING_HINT && !hinted) hint(scope->count);
}

void tg_object_dispose(t_Object *object) {
    unlink_from_scope(object);
    object->is_a = &dead;
}

bool tg_check_alive(const void *object, const char *name) {
    return !object || ((const t_Object *)object)->is_a != &dead ||
           tg_fail("%s is an object that died with its scope: t_keep() carries it out", name);
}

/* The memory of dead objects goes through a ring buffer before it is freed, so that a use after free is detected.
 * (Tensors have their own queue, in tensor.c.) */
enum { RING = 256 };
typedef struct Ring {
    t_Object *object[RING];
    size_t bytes[RING];
    int at;
} Ring;

void tg_object_free(t_Object *object, size_t bytes) {
    Ring *ring = tg_thread_buffer(buffer_ring, sizeof *ring);
    if (!ring) {
        tg_free(object, bytes);
        return;
    }
    tg_free(ring->object[ring->at], ring->bytes[ring->at]);
    ring->object[ring->at] = object;
    ring->bytes[ring->at] = bytes;
    ring->at = (ring->at + 1) % RING;
}

void tg_object_drain(void) {
    Ring *ring = tg_thread.buffers[buffer_ring];
    for (int i = 0; ring && i < RING; i++) {
        tg_free(ring->object[i], ring->bytes[i]);
        ring->object[i] = NULL;
    }
}

void *tg_take_from_scope(void *object) {
    if (object) unlink_from_scope(object);
    return object;
}

void *tg_add_to_scope(void *object) {
    t_Object *x = object;
    if (x && x->depth == 0) {
        x->refs++;
        link_into(tg_context()->scope, x);
    }
    return x;
}

void *t_retain(void *x) {
    if (x) ((t_Object *)x)->refs++;
    return x;
}

/* A thread that only releases needs its context too: the blocks that it keeps for reuse are freed at its end. */
static void destroy(t_Object *object) {
    tg_context();
    object->is_a->destroy(object);
}

void t_release(void *x) {
    t_Object *object = x;
    if (object && --object->refs == 0) destroy(object);
}

/* ---- memory of a scope ---- */

typedef struct Block {
    t_Object object;
    size_t bytes;
    _Alignas(64) char memory[];
} Block;

static void block_destroy(void *object) {
    Block *block = object;
    tg_object_dispose(&block->object);
    tg_free(block, block->bytes);
}

static const t_Class block_class = {"Block", block_destroy};

void *tg_scope_alloc(size_t bytes) {
    if (bytes > SIZE_MAX - sizeof(Block)) return tg_fail("out of memory: %zu bytes were requested", bytes);
    Block *block = tg_alloc(sizeof *block + bytes);
    if (!block) return NULL;
    block->bytes = sizeof *block + bytes;
    tg_object_init(&block->object, &block_class);
    return block->memory;
}

/* ---- scopes ---- */

static inline int open_scope(bool around_callback) {
    Context *thread = tg_context();
    Scope *scope = tg_alloc(sizeof *scope);
    if (!scope) return 0;
    scope->outer = thread->scope;
    scope->depth = thread->scope->depth + 1;
    scope->loop = thread->scope->loop;
    scope->around_callback = around_callback;
    thread->scope = scope;
    return scope->depth;
}

int t_scope_open(void) {
    return open_scope(false);
}

int t_scope_open_in_loop_(uint32_t *loop) {
    const int depth = open_scope(false);
    if (!*loop) *loop = ++tg_thread.loops;
    if (depth) tg_thread.scope->loop = *loop;
    return depth;
}

int tg_scope_open_around_callback(void) {
    return open_scope(true);
}

static void empty(Scope *scope) {
    while (scope->newest) {
        t_Object *object = scope->newest;
        unlink_from_scope(object);
        object->carried = 0;
        t_release(object);
    }
}

void t_scope_close(int depth) {
    for (const Scope *scope = tg_context()->scope; depth > 0 && scope && scope->depth >= depth; scope = scope->outer)
        if (scope->around_callback) {
            tg_fail("the scope of depth %d cannot be closed here: the library opened it for this call and still uses "
                    "objects in it", depth);
            return;
        }
    tg_scope_close(depth);
}

void t_scope_exit_(int depth) {
    tg_scope_close(depth);
}

void tg_scope_close(int depth) {
    Context *thread = tg_context();
    while (depth > 0 && thread->scope->depth >= depth) {
        Scope *scope = thread->scope;
        empty(scope);
        if (scope == &thread->root) return;
        thread->scope = scope->outer;
        tg_free(scope, sizeof *scope);
    }
}

static void *move_to(t_Object *object, int depth) {
    if (object && object->depth > depth) {
        unlink_from_scope(object);
        link_into(scope_at(depth), object);
    }
    return object;
}

void *t_keep_object(void *x) {
    t_Object *object = x;
    int here = tg_context()->scope->depth;
    return object && object->depth == here && here > 1 ? move_to(object, here - 1) : object;
}

/* The object may be in a scope that the callback left open. */
void *tg_scope_return(int depth, void *object) {
    if (depth > 0) move_to(object, depth - 1);
    tg_scope_close(depth);
    return object;
}

void tg_scope_merge(int depth) {
    for (Scope *scope = tg_context()->scope; depth > 0 && scope->depth >= depth; scope = scope->outer)
        while (scope->newest) move_to(scope->newest, depth - 1);
    tg_scope_close(depth);
}

void *t_keep_forever(void *x) {
    return move_to(x, 1);
}

/* ---- loop-carried values ----
 *
 * A value that t_keep_as moved out of an iteration is released when its variable is assigned again, so a loop of any
 * length keeps one. carried counts the variables that hold it. They are the loop's: after its end the value may be in
 * any variable of the user, so nothing but its scope releases it (a second loop that begins with the result of a first
 * one must not). */

static bool is_running(uint32_t loop) {
    const Scope *scope = tg_context()->scope;
    while (scope && scope->loop != loop) scope = scope->outer;
    return loop == 0 || scope != NULL;
}

static bool is_carried(const t_Object *object) {
    return object->carried > 0 && is_running(object->carrier);
}

/* One more variable holds the object, a variable of this loop. */
static void carry(t_Object *object, uint32_t loop) {
    if (!is_carried(object)) object->carried = 0;
    if (object->carried == 0 || loop < object->carrier) object->carrier = loop;
    object->carried++;
}

/* True: no variable of a loop holds the object any more. */
static bool drop_carried(t_Object *object) {
    return object && object->is_a->destroy && is_carried(object) && --object->carried == 0;
}

static void release_carried(t_Object *object) {
    if (!drop_carried(object)) return;
    unlink_from_scope(object);
    t_release(object);
}

static bool check_slot(const void *slot) {
    if (slot) return true;
    return t_error() ? false : tg_fail("argument 1 is NULL where the address of a variable is expected") != NULL;
}

static void *assign_carried(t_Object **slot, t_Object *x) {
    t_Object *old = *slot;
    *slot = x;
    release_carried(old);
    return x;
}

void *t_keep_as_object(void *slot, void *x) {
    if (!check_slot(slot)) return NULL;
    t_Object **variable = slot, *object = x;
    int here = tg_context()->scope->depth;
    if (!object || *variable == object) return x;
    if (is_carried(object) || (object->depth == here && here > 1)) {
        t_keep_object(object);
        carry(object, tg_thread.scope->loop);
    }
    return assign_carried(variable, object);
}

/* ---- out of several scopes ---- */

int t_scope_depth(void) {
    return tg_context()->scope->depth;
}

static bool check_depth(int depth, int position) {
    const int here = t_scope_depth();
    if (depth >= 1 && depth <= here) return true;
    return tg_fail("argument %d is the depth %d, but the open scopes have depths from 1 to %d", position, depth, here);
}

void *t_keep_object_in(void *x, int depth) {
    return check_depth(depth, 2) ? move_to(x, depth) : NULL;
}

void *t_keep_as_object_in(void *slot, void *x, int depth) {
    if (!check_slot(slot) || !check_depth(depth, 3)) return NULL;
    t_Object **variable = slot, *object = x;
    if (!object) return x;
    const bool moves = object->depth > depth;
    move_to(object, depth);
    if (*variable == object) return x;
    if (is_carried(object) || moves) carry(object, scope_at(depth + 1)->loop);
    return assign_carried(variable, object);
}

int tg_scope_depth(void) {
    return tg_context()->scope->depth;
}

/* For a struct of the library (nn_HiddenState), which holds its value after the loop, too. */
void tg_assign_in_scope(void *slot, void *x, int depth) {
    t_Object **variable = slot, *old = *variable, *object = x;
    if (object == old) return;
    if (object && (object->depth > depth || (is_carried(object) && object->depth == depth))) {
        move_to(object, depth);
        carry(object, 0);
    }
    *variable = object;
    if (!drop_carried(old)) return;
    unlink_from_scope(old);
    link_into(tg_context()->scope, old);
}

int64_t t_live_count(void) {
    return tg_thread.live_tensors;
}

int64_t t_live_bytes(void) {
    return tg_thread.live_bytes;
}

void t_empty_cache(void) {
    tg_cache_drain();
}
