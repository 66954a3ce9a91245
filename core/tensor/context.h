/* core/tensor/context.h: the thread-local context, errors, warnings, objects and scopes, the allocator (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_CONTEXT_H
#define TAPEGRAD_CORE_TENSOR_CONTEXT_H

#include "core/memory/large_blocks.h"
#include "core/tensor/error.h"
#include "core/tensor/scope.h"

typedef struct Scope {
    struct Scope *outer;
    t_Object *newest;
    int depth;
    bool around_callback; /* opened by the library around a call of user code; user code may not close it */
    uint32_t loop; /* number of the innermost for_... loop that it belongs to or is in; 0: none */
    int64_t count; /* objects in it, for the hint about loops without a scope */
} Scope;

/* Larger per-thread buffers are on the heap, not thread-local: a library that is loaded with dlopen (by ctypes, for
 * example) may have only a few hundred bytes of thread-local storage. */
typedef enum ThreadBuffer {
    buffer_python_random, buffer_numpy_random, buffer_error, buffer_blocks, buffer_ring, buffer_shapes, buffer_sizes,
    buffer_teach, THREAD_BUFFERS
} ThreadBuffer;

/* A module that is being called (nn_call): an element of the thread's list of running calls, the innermost first. */
typedef struct tg_ModuleFrame {
    const struct tg_ModuleFrame *outer;
    const void *module;
    const t_Site *site; /* of the call */
    /* writes the module's path, "model.2", and with_class "model.2, Linear(4, 2)" */
    void (*print)(const struct tg_ModuleFrame *frame, bool with_class, char *to, size_t size);
    int64_t call; /* 1, 2, ... in the thread's order of calls */
} tg_ModuleFrame;

/* torch.autocast: a parameter, and its cast, made when the parameter's storage had this version. References. */
typedef struct tg_Cast {
    struct Tensor *x, *cast;
    int64_t version;
} tg_Cast;
typedef struct tg_Casts {
    int64_t count, capacity, last; /* last: the one that was found or added last */
    tg_Cast items[];
} tg_Casts;

/* The state of one thread. A tensor belongs to one thread at a time, so there are no locks. */
typedef struct Context {
    Scope root, *scope;
    bool started, grad_enabled;

    const t_Site *site;      /* call site of the macro that is running */
    int64_t failures, failures_reported; /* number of errors so far, and of those reported to the handler */
    bool error_pending;
    /* out of memory was reported to the handler, and the error was not cleared since */
    bool reported_out_of_memory;
    t_Site error_site;       /* .file NULL: the failing call did not come through a macro */
    const char *error_text;  /* "file:line: expression: sentence"; in a module "...: in model.2, Linear(4, 2): ..." */
    const char *error_sentence; /* points into error_text */
    char *long_error;           /* buffer for texts longer than the fixed one */
    t_ErrorHandler handler;
    void *handler_context;

    struct Record *tape;     /* the newest record */
    int64_t records_made, records_alive;
    /* records without references, linked by `older`, that tg_record_release will free */
    struct Record *dead_records;
    bool freeing;
    struct Backward *backward; /* the innermost running backward */
    int64_t leaf_hooks;      /* number of registered hooks of leaves */
    int64_t hooks_made;      /* number of hooks registered since the thread began */
    const tg_ModuleFrame *module_frame; /* of the innermost running call */
    int64_t module_calls;    /* number of module calls since the thread began */
    struct tg_ModuleHooks *module_hooks; /* of all modules; NULL before the first */
    struct SavedHooks *saved_hooks; /* torch.autograd.graph.saved_tensors_hooks in force; NULL: none */
    bool saved_hooks_off;    /* one of them runs */
    bool keeps_values;       /* t_set_tape_values */
    bool autocast_without_cache;
    bool teaching;           /* t_set_teach, or TAPEGRAD_TEACH=1 when the thread began */
    uint32_t loops;          /* number of for_... loops that have begun */
    int32_t optimizer_steps; /* counted in teaching mode: optim_step calls of the thread */
    bool stepping_ended;     /* the user left the stepping of TAPEGRAD_STEP */
    int64_t watcher;         /* number of this thread among those that called t_watch; 0: it did not */
    struct t_Object *dual_level; /* torch.autograd.forward_ad.dual_level, of core/func; NULL outside of one */
    t_DType autocast;        /* torch.autocast: what the functions on its list cast to; 0: off */
    int autocast_depth;      /* of blocks */
    tg_Casts *casts;         /* kept for their next use, until the end of the outermost block; NULL: none */
    struct Anomaly {         /* torch.autograd.detect_anomaly */
        bool on, check_nan, check_forward, check_inf;
        const char *first_op; /* the first op that produced a nan since anomaly mode was enabled */
        const t_Site *first_site;
    } anomaly;
    struct tg_Trace *trace;  /* a callback for each op (core/autograd/trace.h), or NULL */

    void *buffers[THREAD_BUFFERS];
    struct t_Generator *generator;
    int64_t live_tensors, live_bytes;
} Context;

extern _Thread_local Context tg_thread;
Context *tg_start_thread(void);
/* &tg_thread; at the thread's first call it is initialised, and registered to be freed at thread end. */
static inline Context *tg_context(void) {
    return tg_thread.started ? &tg_thread : tg_start_thread();
}

void tg_clear_casts(void); /* releases the thread's casts */
void tg_drop_cast(const Tensor *x); /* releases that of x, whose data is replaced */

/* Writes the path of the module that is being called, "model.layers.0", with_class with its class and sizes; "" outside
 * of modules. */
void tg_print_module(bool with_class, char *to, size_t size);

/* The thread's buffer of that name, zeroed when it is allocated; NULL without an error on out of memory. */
void *tg_thread_buffer(ThreadBuffer which, size_t bytes);

/* True if an error was set since `failures` was read and is still pending. (A user's callback may have cleared its
 * own.) */
static inline bool tg_failed_since(int64_t failures) {
    return tg_thread.failures != failures && tg_thread.error_pending;
}

/* Sets the error, replacing a pending one, and returns NULL. tg_null is inline so that the compiler sees the constant:
 * a conversion to bool then needs no test. */
#define tg_fail(...) tg_null((t_fail)(__VA_ARGS__))

/* The pending error, for a callback after which it shall be pending again, whatever errors the callback sets. Without
 * memory for its text, restore keeps the callback's error. */
typedef struct tg_SavedError {
    char *text;
    size_t sentence; /* where it begins in the text */
    t_Site site;
    int64_t failures, reported;
} tg_SavedError;
void tg_error_save(tg_SavedError *to);
void tg_error_restore(tg_SavedError *from);

/* warnings.warn(text): prints to stderr with the user's line, once: *warned is a _Thread_local flag of the caller.
 * TAPEGRAD_WARNINGS=off disables warnings. Every warning of the library is printed here. */
void tg_warn(bool *warned, const char *format, ...) T_PRINTF(2, 3);
/* The same warning may be given at many places: true for the first call with the thread's current call site, and false
 * from then on, as Python's warnings are given once per line. Sites beyond the first 256 are not warned about. */
enum { TG_WARNED_SITES = 256 };
typedef struct WarnedSites {
    int count;
    const t_Site *sites[TG_WARNED_SITES];
} WarnedSites;
bool tg_first_at_site(WarnedSites *warned);
static inline void *tg_null(void *null) {
    (void)null;
    return NULL;
}

/* Copies the caller's options over `to`, which holds the defaults; given may be NULL. Both structs begin with uint32_t
 * size, so a caller compiled against an older header keeps the defaults of newer fields. Error: size is not set. */
bool tg_take_options(void *to, const void *given, size_t size);

/* Objects: init puts a new one (refs 1) into the current scope. */
void tg_object_init(t_Object *object, const t_Class *is_a);
void tg_object_dispose(t_Object *object); /* for destroy functions: unlinks it from its scope and marks it as dead */
/* For an object of any class, or NULL: false with an error that begins with `name` if it is dead. */
bool tg_check_alive(const void *object, const char *name);
void tg_object_free(t_Object *object, size_t bytes); /* frees it with a delay, so that a use after free is detected */
void tg_object_drain(void);

void *tg_take_from_scope(void *object);  /* unlinks it from its scope: the scope's reference becomes the caller's */
/* adds it to the current scope with a new reference, unless a scope already owns it */
void *tg_add_to_scope(void *object);

/* A scope around a call of user code (a forward, a hook, a Dataset): t_scope_close of the user code fails for it and
 * for the scopes outside it. tg_scope_close closes it. */
int tg_scope_open_around_callback(void);
void tg_scope_close(int depth);

/* tg_scope_close(depth), but the object (which may be NULL) moves to the enclosing scope. Returns the object. */
void *tg_scope_return(int depth, void *object);
/* tg_scope_close(depth), but all objects move to the enclosing scope. */
void tg_scope_merge(int depth);

/* Zeroed memory that belongs to the current scope: for an array that is in use while a callback runs, which may leave
 * by longjmp. NULL on out of memory. */
void *tg_scope_alloc(size_t bytes);
/* Makes the current scope the owner of a malloc'ed text. NULL for NULL, and (with the text freed) on out of memory. */
const char *tg_str_new(char *text);
/* The depth of the current scope. */
int tg_scope_depth(void);
/* *slot = x for a variable that lives in the scope of that depth: x moves to that scope if it belongs to an inner one.
 * The previous value, if an earlier call moved it there and no other slot holds it, moves to the current scope. */
void tg_assign_in_scope(void *slot, void *x, int depth);

/* The caching allocator: 64-byte aligned blocks in size classes, cached by the thread that freed them. NULL with an
 * error set on out of memory. tg_alloc zeroes the memory, tg_alloc_raw does not. */
void *tg_alloc(size_t bytes);
void *tg_alloc_raw(size_t bytes);
/* memset(x, 0, bytes) as a call, for a struct that is made for every op: where the size is a constant, gcc writes `rep
 * stos`, which takes several times as long for some 200 bytes as libc's vector stores. */
void tg_zero_struct(void *x, size_t bytes);
void tg_free(void *block, size_t bytes);
void tg_cache_drain(void);
/* Sets the expected lifetime of the blocks that are requested from now on (large_blocks.h), and returns the previous
 * one. tg_permanent blocks come from the system and not from the cache, which stays full for the next step. */
tg_Lifetime tg_set_lifetime(tg_Lifetime lifetime);
/* For tests: the nth request from now fails, and with forever all later ones too; n = 0 disables this. */
void tg_alloc_fail(int64_t n, bool forever);
int64_t tg_alloc_requests(void);

#endif
