/* core/tensor/scope.h: who owns what, and until when (public).
 *
 * Everything the library hands out (tensors, lists, modules, optimizers, loaders) is an object with a reference count.
 * A new object belongs to the current scope, which holds one reference and drops it when the scope closes; the tape,
 * a module or a list that needs the object longer holds a reference of its own. So user code frees nothing: it opens a
 * scope (one a training step: for_batch and for_range do it), and carries out of it what it wants to keep.
 * Without any scope of its own a program uses the thread's root scope, which closes when the thread ends. */
#ifndef TAPEGRAD_CORE_TENSOR_SCOPE_H
#define TAPEGRAD_CORE_TENSOR_SCOPE_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* The kind of an object: the first word of every live object points at one of these. */
typedef struct t_Class {
    const char *name;
    void (*destroy)(void *self); /* called when the last reference goes */
} t_Class;

/* The head of every object. User classes get it through nn_Module; no field is for the user to write. */
typedef struct t_Object {
    const t_Class *is_a;
    int32_t refs;
    int32_t depth;                  /* of the scope that owns it; 0 when none does */
    int32_t carried;                /* by how many loop slots: t_keep_as drops it when the last one lets go */
    struct t_Object *older, *newer; /* neighbours in that scope's list */
} t_Object;

/* Opens a scope inside the current one and returns its depth (1 is the root scope); 0 on out of memory. */
T_API int t_scope_open(void);
/* Closes the scope of that depth and every scope inside it; their objects lose one reference. 0 does nothing. Errors: a function that
 * the library calls (a forward, a hook, a Dataset) closes a scope that it did not open; nothing is closed then. */
T_API void t_scope_close(int depth);
T_API void t_scope_exit_(int depth); /* of the macros' blocks, which close what they opened and no more */

/* Moves x from the current scope to the one around it and returns x; does nothing to an object that belongs elsewhere. */
T_API void *t_keep_object(void *x);
/* *slot = x for a value that a loop carries (h = f(h)): keeps x in the scope around and drops what an earlier call had
 * put into *slot, unless another slot carries it too. An x that lives elsewhere already (a parameter, a tensor from before
 * the loop) is only assigned. Returns x. */
T_API void *t_keep_as_object(void *slot, void *x);
/* The depth of the current scope, 1 for the root scope: what names it to the functions below from within others. */
T_API int t_scope_depth(void);
/* The same out of any number of scopes at once, into that of the given depth; nothing moves that lives there or further out already.
 * Error: no scope of that depth is open; *slot is left as it is then. */
T_API void *t_keep_object_in(void *x, int depth);
T_API void *t_keep_as_object_in(void *slot, void *x, int depth);
/* Moves x to the thread's root scope: it lives until the thread ends. */
T_API void *t_keep_forever(void *x);

/* One more reference, one less: for callers (other languages, say) that hold objects outside any scope. */
T_API void *t_retain(void *x);
T_API void t_release(void *x);

/* A place to come back to when a host's error handler leaves by longjmp: scope, grad mode, call site, error. In C the macros of
 * with_for.h give and take it as a value: t_Mark mark = t_mark(); ... t_unwind(mark); NULL does nothing. */
typedef struct t_Mark {
    int depth;
    bool grad_enabled;
    const t_Site *site;
    int anomaly;
    void *backward; /* the innermost one that runs */
} t_Mark;
T_API void t_mark(t_Mark *mark);
/* Ends the backwards begun and closes the scopes opened since the mark, restores grad and anomaly mode and the call site, and
 * clears the error. */
T_API void t_unwind(const t_Mark *mark);

/* Tensors alive in this thread, and the bytes of the storages behind them. Views share a storage. */
T_API int64_t t_live_count(void);
T_API int64_t t_live_bytes(void);
/* Gives the memory that the thread's cache holds back to the system (torch.cuda.empty_cache's counterpart). */
T_API void t_empty_cache(void);

T_END_DECLS
#endif
