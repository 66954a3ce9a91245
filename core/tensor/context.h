/* core/tensor/context.h: the one thread-local struct, and what every file of the library uses (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_CONTEXT_H
#define TAPEGRAD_CORE_TENSOR_CONTEXT_H

#include "core/tensor/error.h"
#include "core/memory/large_blocks.h"
#include "core/tensor/scope.h"

typedef struct Scope {
    struct Scope *outer;
    t_Object *newest;
    int depth;
    bool around_callback; /* the library opened it around a function of the user's, and still needs the scopes outside it */
    int64_t count; /* objects in it, for the hint about loops without a scope */
} Scope;

/* What a thread has of a file in bulk lies on the heap: a library that a host loads while it runs (dlopen, ctypes) may have
 * only a few hundred bytes of thread-locals. */
typedef enum Bulk { bulk_python_random, bulk_error, bulk_blocks, bulk_ring, bulk_shapes, bulk_sizes, BULKS } Bulk;

/* Everything that is "current" in one thread. A tensor belongs to one thread at a time, so nothing here is locked. */
typedef struct Context {
    Scope root, *scope;
    bool started, grad_enabled;

    const t_Site *site;      /* the user's call that is running */
    int64_t failures, told;  /* how many errors there have been, and how many of them a handler was told */
    bool error_pending;
    bool told_of_memory;     /* the handler was told that memory ran out, and the error was not cleared since */
    t_Site error_site;       /* .file NULL: the failing call did not come through a macro */
    const char *error_text;  /* "file:line: expression: sentence" */
    const char *error_sentence; /* points into error_text */
    char *long_error;           /* a block for texts that are longer than most */
    t_ErrorHandler handler;
    void *handler_context;

    struct Record *tape;     /* the newest record */
    int64_t records_made, records_alive;
    struct Record *dying;    /* records whose last reference is gone, waiting for the one loop that frees them */
    bool freeing;
    struct Backward *backward; /* the innermost one that runs */
    int64_t leaf_hooks;      /* how many there are */
    int64_t hooks_made;      /* since the thread began */
    struct Anomaly {         /* torch.autograd.detect_anomaly */
        bool on, check_nan, check_forward, check_inf;
        const char *first_op; /* that made a NaN since it was switched on */
        const t_Site *first_site;
    } anomaly;

    void *bulk[BULKS];
    struct t_Generator *generator;
    int64_t live_tensors, live_bytes;
} Context;

extern _Thread_local Context tg_thread;
Context *tg_start_thread(void);
/* The same, after making sure that it is started and will be drained at thread end. */
static inline Context *tg_context(void) {
    return tg_thread.started ? &tg_thread : tg_start_thread();
}

/* The thread's block of that name, zeroed when it is new; NULL where there is no memory, without an error. */
void *tg_bulk(Bulk which, size_t bytes);

/* Was there an error since `failures` was read that is still pending? A callback of the user's may have cleared its own. */
static inline bool tg_failed_since(int64_t failures) {
    return tg_thread.failures != failures && tg_thread.error_pending;
}

/* Sets the error, in place of a pending one, and returns NULL, which is written here so that the compiler knows it too: a bool made
 * from it is then no test. */
#define tg_fail(...) tg_null((t_fail)(__VA_ARGS__))

/* PyTorch's warnings.warn(text), on stderr with the user's line. *warned is a _Thread_local of the caller's, by which a
 * warning is given once; TAPEGRAD_WARNINGS=off gives none. Every warning of the library goes through here. */
void tg_warn(bool *warned, const char *format, ...) T_PRINTF(2, 3);
static inline void *tg_null(void *null) {
    (void)null;
    return NULL;
}

/* Copies the options that a caller knew over `to`, which holds the defaults; given may be NULL. Both structs begin with
 * uint32_t size, so a caller compiled against an older header keeps the defaults of newer fields. False with an error set
 * where the size is not set. */
bool tg_take_options(void *to, const void *given, size_t size);

/* Objects: init puts a new one (refs 1) into the current scope. */
void tg_object_init(t_Object *object, const t_Class *is_a);
void tg_object_dispose(t_Object *object); /* for destroy functions: leaves the scope and marks the object as dead */
void tg_object_free(t_Object *object, size_t bytes); /* its memory, after some delay: a late use still finds the mark */
void tg_object_drain(void);

void *tg_take(void *object);  /* out of its scope: the scope's reference becomes the caller's */
void *tg_share(void *object); /* into the current scope with one more reference, unless a scope has it */

/* A scope around a call of the user's function (a forward, a hook, a Dataset): t_scope_close refuses to close it or a scope outside it
 * from in there. tg_scope_close closes it. */
int tg_scope_open_around_callback(void);
void tg_scope_close(int depth);

/* tg_scope_close(depth), out of which the object (which may be NULL) is carried: how a function with a scope of its own ends. */
void *tg_close_keeping(int depth, void *object);

/* Hands a text that malloc gave to the current scope, which frees it; NULL, with the text freed, for NULL or on out of memory. */
const char *tg_str_of(char *text);
/* The depth of the current scope. *slot = x for a variable of the scope of that depth, or of one outside the current
 * scope: x goes to that scope if it would die before, and the x that an earlier call brought there goes to the current
 * scope, unless other slots have it. */
int tg_scope_depth(void);
void tg_carry(void *slot, void *x, int depth);

/* The caching allocator: 64-byte aligned blocks in size classes, kept for the thread that freed them. NULL with an
 * error set on out of memory. tg_alloc gives zeroed memory, tg_alloc_raw does not. */
void *tg_alloc(size_t bytes);
void *tg_alloc_raw(size_t bytes);
void tg_free(void *block, size_t bytes);
void tg_cache_drain(void);
/* From now on blocks are asked for to be held that long (large_blocks.h); what lasts comes from the system and not from the cache, lest
 * the next step miss the blocks that this one gave back. Returns what it was. */
tg_Stay tg_alloc_stay(tg_Stay stay);
/* For the tests: the nth request from now fails, and with forever so do all after it; n = 0 switches it off. */
void tg_alloc_fail(int64_t n, bool forever);
int64_t tg_alloc_requests(void);

#endif
