/* core/tensor/scope.h: ownership of objects by scopes (public).
 *
 * Everything the library returns (tensors, lists, modules, optimizers, loaders) is an object with a reference count. A
 * new object belongs to the current scope, which holds one reference and releases it when the scope closes; the tape, a
 * module or a list that needs the object longer holds its own reference. So user code frees nothing: it opens a scope
 * (for_batch and for_range open one per iteration), and moves out of it what it wants to keep. A program without scopes
 * uses the thread's root scope, which closes when the thread ends. */
#ifndef TAPEGRAD_CORE_TENSOR_SCOPE_H
#define TAPEGRAD_CORE_TENSOR_SCOPE_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* The class of an object: the first field of every live object points to one. */
typedef struct t_Class {
    const char *name;
    void (*destroy)(void *self); /* called when the last reference is released */
} t_Class;

/* The header of every object. User classes get it through nn_Module. The fields are read-only. */
typedef struct t_Object {
    const t_Class *is_a;
    int32_t refs;
    int32_t depth;                  /* of the scope that owns it; 0 when none does */
    int32_t carried;                /* number of t_keep_as slots that hold it, while the loop runs */
    uint32_t carrier;               /* the loop; 0: a plain loop, or the variable is a struct of the library */
    struct t_Object *older, *newer; /* neighbours in that scope's list */
} t_Object;

/* Opens a scope inside the current one and returns its depth (1 is the root scope); 0 on out of memory. */
T_API int t_scope_open(void);
/* For the macros' loops: the scope of an iteration. *loop is 0 at first, and becomes the loop's number. */
T_API int t_scope_open_in_loop_(uint32_t *loop);
/* Closes the scope of that depth and every scope inside it; their objects lose one reference. 0 does nothing. Error:
 * user code called by the library (a forward, a hook, a Dataset) closes a scope that it did not open; nothing is closed
 * then. */
T_API void t_scope_close(int depth);
T_API void t_scope_exit_(int depth); /* for the macros' blocks, which close only what they opened */

/* Moves x from the current scope to the enclosing one and returns x; does nothing if x belongs to another scope. */
T_API void *t_keep_object(void *x);
/* *slot = x for a loop-carried value (h = f(h)): moves x to the enclosing scope and releases the value that an earlier
 * iteration put into *slot, unless another slot holds it too. What a loop leaves in *slot at its end belongs to that
 * scope, as any other object. An x that belongs to another scope already (a parameter, a tensor from before the loop)
 * is only assigned. Returns x. */
T_API void *t_keep_as_object(void *slot, void *x);
/* The depth of the current scope, 1 for the root scope; identifies it for the functions below. */
T_API int t_scope_depth(void);
/* The same, but to the scope of the given depth, from any scope inside it; an object that belongs to that scope or an
 * outer one does not move. Error: no scope of that depth is open; *slot is unchanged then. */
T_API void *t_keep_object_in(void *x, int depth);
T_API void *t_keep_as_object_in(void *slot, void *x, int depth);
/* Moves x to the thread's root scope, which owns it until the thread ends. */
T_API void *t_keep_forever(void *x);

/* Adds and releases a reference: for callers (for example bindings of other languages) that hold objects outside
 * scopes. */
T_API void *t_retain(void *x);
T_API void t_release(void *x);

/* The thread's state (scope, grad and anomaly mode, call site, running backward and module) that t_unwind restores
 * after an error handler left by longjmp. In C the macros of with_for.h use it as a value: t_Mark mark = t_mark(); ...
 * t_unwind(mark). NULL does nothing. */
typedef struct t_Mark {
    int depth;
    bool grad_enabled;
    const t_Site *site;
    int anomaly;
    void *backward; /* the innermost running backward */
    const void *module_frame; /* of the innermost running nn_call */
    void *dual_level;         /* of forward mode */
    void *saved_hooks;        /* those in force */
    int autocast; /* bits 0 to 7 the dtype, 8 whether there is no cache; above, the depth of blocks */
} t_Mark;
T_API void t_mark(t_Mark *mark);
/* Ends the backwards and closes the scopes that were begun since the mark, restores grad and anomaly mode and the call
 * site, and clears the error. */
T_API void t_unwind(const t_Mark *mark);

/* Number of live tensors of this thread, and bytes of their storages. Views share a storage. */
T_API int64_t t_live_count(void);
T_API int64_t t_live_bytes(void);
/* Returns the memory of the thread's cache to the system, like torch.cuda.empty_cache. */
T_API void t_empty_cache(void);

T_END_DECLS
#endif
