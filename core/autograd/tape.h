/* core/autograd/tape.h: the tape, one record for each differentiable op that ran (internal).
 *
 * A record holds the op, an edge to each input, the tensors that the gradient rule needs, and the call site. Records
 * are linked from the newest to the oldest, in order of execution; backward traverses that list once. Edges point to
 * the record of an input (or to a leaf), not to the input itself, so that the tape keeps no data alive that no rule
 * needs.
 *
 * This folder has the tape (tape.c, inplace.c, function.c), the backward over it (backward.c, its plan, hooks, the end
 * in accumulate_grad.c, preview.c; autograd.c has the public functions), and what looks at either: anomaly.c,
 * tape_listing.c, graphviz.c, backward_steps.c, gradcheck.c. It may include core/tensor and the public headers of
 * core/ops, in whose functions gradients are computed, but no kernels and nothing of nn. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_TAPE_H
#define TAPEGRAD_CORE_AUTOGRAD_TAPE_H

#include "core/autograd/autograd.h"
#include "core/autograd/function.h"
#include "core/tensor/profiler_hooks.h"
#include "core/tensor/tensor.h"

typedef struct Record Record;

/* The constants of ops omit fields that are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* The gradient rule: given dy, the gradient of the output, sets dx[i] for each input i for which tg_needs(r, i). A
 * dx[i] left NULL means zero. It may have a shape to which the input's shape broadcasts, or another dtype: the tape
 * sums it to the input's shape, so that the rule of add is dx[0] = dy, dx[1] = dy. A rule is written in ops, and so is
 * differentiable itself (create_graph); if grad mode is off it may call a fused kernel instead. */
typedef void (*BackwardRule)(Record *r, Tensor *dy, Tensor **dx);

/* An op's names and gradient rule: {"softmax", "SoftmaxBackward0", softmax_backward}, one static constant per op, next
 * to its forward and rule. The same struct as for a user's op (function.h): a fourth entry, once_differentiable, means
 * that the rule is not composed of differentiable ops, so that a second backward through it is an error. */
typedef t_Function Op;

/* An input of a record: the destination of its gradient, which must have this dtype and shape. */
typedef struct Edge {
    Record *record; /* the input's record, or */
    Tensor *leaf;   /* the leaf itself; both NULL: this input needs no gradient */
    t_DType dtype;
    int ndim;
    int64_t shape[T_MAX_DIMS];
} Edge;

/* A tensor that the rule needs (PyTorch's SavedVariable). */
typedef struct Saved {
    Tensor *tensor;  /* NULL after it was freed, or for an optional tensor that was not given */
    union {
        int64_t version;       /* of its storage when it was saved */
        struct Packed *packed; /* if is_packed */
    };
    bool is_output;  /* an alias of the record's own output (the output itself would be a reference cycle) */
    bool is_copy_on_write; /* replaced by a copy before its storage is written to */
    bool is_packed; /* tensor is what a pack hook returned (saved_hooks_internal.h) */
} Saved;

/* A tensor as an alias, and the version of its storage when it was recorded. */
typedef struct KeptValue {
    Tensor *tensor;
    int64_t version;
} KeptValue;

/* A running module call: the number of the call, and the length of its part of RecordDetails.path. */
typedef struct ModuleCall {
    int64_t call;
    int length;
} ModuleCall;

/* Kept for t_tape_html if t_set_tape_values is on. */
enum { TG_MAX_CALLS = 16 };
typedef struct RecordDetails {
    KeptValue output;
    char path[160]; /* of the module that ran the op: "model.0"; empty outside of modules */
    ModuleCall calls[TG_MAX_CALLS]; /* that the op ran in, innermost first */
    int call_count;
    KeptValue constants[]; /* one for each input; NULL if the input has a gradient */
} RecordDetails;

/* One op that ran: a node of the graph (PyTorch's Node, the grad_fn of the output). */
struct Record {
    const Op *op;
    void *attributes; /* other values that the rule needs: a struct of the op */
    int refs;
    bool freed; /* its saved tensors were freed by a backward */
    /* in a backward with `inputs`: one of them is reachable from here; the output is one of them */
    bool needed, captured;
    bool seen;      /* used by tg_reachable */
    int64_t number; /* 1, 2, 3, ... in the thread's order of execution */
    Record *older, *newer;
    const t_Site *site;
    Tensor *pending; /* the gradient of the output that a running backward has accumulated so far */
    t_DType dtype;   /* of the output */
    int ndim;
    int64_t shape[T_MAX_DIMS];
    const t_Site *freed_by; /* the call that freed its saved tensors; NULL if that call came through no macro */
    t_Hook *hooks;          /* on the gradient of the output, in the order of registration */
    Tensor *retainer;       /* the output, if it retains its grad; not a reference */
    int inputs, saves;
    Edge *edges;
    Saved *saved;
    RecordDetails *details; /* NULL unless t_set_tape_values was on */
    size_t bytes;     /* of this block, including edges, saved and attributes */
    /* core/profiler: the op's number, 0: it was not profiled; the module that it ran in */
    int64_t profiled;
    const void *profiled_module;
};

/* Records that `op` computed y from the inputs, and returns y; does nothing if grad mode is off or no input requires
 * grad. saved: the tensors that the rule needs (y itself is allowed, NULL too). On failure y is released and NULL is
 * returned; y NULL returns NULL. Lists are written INPUTS(a, b), SAVED(a, y), ATTRIBUTES(a_struct), or NONE. */
Tensor *tg_record(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved, int saved_count,
                  const void *attributes, size_t attribute_bytes);
#define TG_LIST(...) (Tensor *[]){__VA_ARGS__}, (int)(sizeof((Tensor *[]){__VA_ARGS__}) / sizeof(Tensor *))
#define INPUTS(...) TG_LIST(__VA_ARGS__)
#define SAVED(...) TG_LIST(__VA_ARGS__)
#define ATTRIBUTES(value) &(value), sizeof(value)
#define NONE NULL, 0

/* For an op that computes after it has recorded, to be called at its end; tg_record does it for the others. */
static inline void tg_profile_op(const Op *op, Tensor *y, Tensor *const *inputs, int count) {
    const tg_ProfilerHooks *hooks = y ? tg_profiler() : NULL;
    if (hooks) hooks->op(op, y, inputs, count);
}

/* Whether a pack hook of the user's is in force, which gets the values of saved tensors: then an op must compute before
 * it records. (The hooks of t_checkpoint do not look at them.) */
bool tg_pack_hooks_in_force(void);
/* Makes the i-th saved tensor of y's record (if it has one) copy-on-write: for ops whose record in PyTorch saves
 * another tensor, so that a PyTorch program may write to this one before backward. */
void tg_save_copy_on_write(Tensor *y, int i);
/* To be called before x is written to: each record that shares it copy-on-write gets a copy. False on out of memory. */
bool tg_materialize_copies(Tensor *x);

/* For rules: whether input i needs a gradient; the i-th saved tensor (NULL with PyTorch's error set if it was modified
 * in place since, or freed by an earlier backward). */
bool tg_needs(const Record *r, int i);
Tensor *tg_saved(Record *r, int i);
/* PyTorch's error for a saved tensor that was modified in place. */
Tensor *tg_fail_version(const Record *r, const Tensor *x, int64_t expected, bool is_output);
/* True if the rule may overwrite the saved tensor: nothing else holds it, and the graph is not retained. Marks the
 * record's saved tensors as freed. */
bool tg_can_overwrite_saved(Record *r, int i);
Tensor *tg_zeros_like_input(const Record *r, int i);
/* An uninitialised tensor for input i's gradient. A leaf's is allocated as tg_step_lived, others as tg_short_lived
 * (large_blocks.h). */
Tensor *tg_empty_gradient(const Record *r, int i, t_DType dtype);
/* The gradient of input i accumulated so far, for a rule that adds its own part in place and leaves dx[i] NULL; so the
 * gradients of T slices of x together cost one pass over x, not T. NULL if there is none yet, or if the part must be a
 * separate tensor: something else holds the sum, each part is shown (t_backward_next), or grad mode is on. */
Tensor *tg_accumulated_gradient(const Record *r, int i);

bool tg_will_record(Tensor **inputs, int count); /* grad mode is on and one of them requires grad */
/* Gives a tensor y a record, as tg_record does, without its conditions. False, with y unchanged, on failure. */
bool tg_attach_record(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved, int saved_count,
                      const void *attributes, size_t attribute_bytes);
void tg_record_retain(Record *r);
void tg_record_release(Record *r);
void tg_record_free_saved(Record *r);
/* Gives dx, which the rule of the once_differentiable op of r computed from dy without a graph, a record whose rule
 * fails. */
bool tg_attach_error_record(Record *r, Tensor *dy, Tensor *dx);

/* The records that are reachable from the roots, including these, newest first; NULL with an error set on out of
 * memory. The caller frees the array: tg_free(list, tg_reachable_bytes(count)). */
Record **tg_reachable(Record *const *roots, int64_t root_count, int64_t *count);
size_t tg_reachable_bytes(int64_t count);

/* ---- printing (tape_listing.c) ---- */

void tg_print_site(const t_Site *site, char *to, size_t size); /* "train.c:31", "-" for NULL; size: of `to` */
void tg_print_shape(const int64_t *shape, int ndim, char *to, size_t size); /* "(2,3)"; size: at least 200 */
enum { TG_NAME_SIZE = 80 };
/* The name of a tensor from t_watch, or NULL. */
const char *tg_watched_name(const Tensor *x);
bool tg_is_alias(const Tensor *x, const Tensor *y); /* the same data, shape and strides */
/* The name of a watched tensor of the thread that is an alias of x. False if there is none. */
bool tg_print_watched_alias(const Tensor *x, char to[TG_NAME_SIZE]);
/* A name for input i of r, if it is no record's output: of a leaf its name from t_watch, else the text of the argument
 * in the call that made r, if it is a variable or a number ("w" in "t_mul(w, x)"). False if there is none. */
bool tg_print_input_name(const Record *r, int i, char to[TG_NAME_SIZE]);
/* The user's expression on one line: white space collapsed; cut before macro expansions and after 72 characters. */
void tg_print_expression(const char *text, FILE *to);

/* ---- in-place ops (inplace.c) ---- */

bool tg_check_inplace(Tensor *x); /* whether x may be written to; called before anything is computed */
bool tg_check_new_history(Tensor *x); /* the tape's part of tg_check_inplace: whether x may get another record */
void tg_bump_version(Tensor *x); /* increments the version; called after every write */
void tg_overwrite(Tensor *x, Tensor *value); /* tg_copy_into, after all checks, and the version */
/* Gives x, whose data will be overwritten by `value`'s (of the same shape), the history of `value`: a record of
 * `op` with the inputs x and value, or for op NULL the value's own record (x.add_(y) is an add). */
bool tg_rebase_history(Tensor *x, Tensor *value, const Op *op);
/* x[...] = value, which was just computed in x's shape, including all of the above: for x.add_(y), value is x + y. If
 * value's record saved the old x, it gets a copy; if it saved its output, it gets the new x, which must not be written
 * to again. */
Tensor *tg_write_inplace(Tensor *x, Tensor *value);
/* whether an in-place op's result of dtype `from` may be stored as `to` */
bool tg_check_cast(t_DType from, t_DType to);
/* The rule of ops that overwrite x by a value: inputs x before the write, whose gradient is zero, and the value. */
void tg_copy_backward(Record *r, Tensor *dy, Tensor **dx);
extern const Op tg_copy_op; /* x.copy_(value) */

/* anomaly.c: checks an op's output; for tg_record, and for ops that compute after recording. False with an error
 * set. */
bool tg_check_forward(const Op *op, Tensor *y, Tensor *const *inputs, int count);

#endif
