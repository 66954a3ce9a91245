/* core/autograd/tape.h: the tape, one record for each differentiable op that ran (internal).
 *
 * A record holds the op, an edge to each input, the tensors that the gradient rule needs, and the call site. Records
 * are linked newest to oldest, in order of execution; backward walks that list once. Edges point at the record that
 * made an input (or at a leaf), never at the input itself, so that the tape keeps no data alive that no rule needs. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_TAPE_H
#define TAPEGRAD_CORE_AUTOGRAD_TAPE_H

#include "core/autograd/autograd.h"
#include "core/autograd/function.h"
#include "core/tensor/tensor.h"

typedef struct Record Record;

/* The constants of ops leave out what is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* The gradient rule: given dy, the gradient of the output, sets dx[i] for each input i for which tg_needs(r, i).
 * A dx[i] left NULL means zero. It may come broadcast over the input's shape or in another dtype: the tape sums it down
 * to the input's shape, so that a rule for add is dx[0] = dy, dx[1] = dy. A rule is written in ops, which makes it
 * differentiable itself (create_graph); where grad mode is off it may call a fused kernel instead. */
typedef void (*BackwardRule)(Record *r, Tensor *dy, Tensor **dx);

/* What ties an op's forward to its gradient: {"softmax", "SoftmaxBackward0", softmax_backward}, one static constant for each
 * op, beside both. It is what a user's own op has, too (function.h): a fourth entry, true, says that the rule is no
 * composition of differentiable ops, so that a second backward through it is refused. */
typedef t_Function Op;

/* Where a gradient goes, and what it must look like there. */
typedef struct Edge {
    Record *record; /* the record that made the input, or */
    Tensor *leaf;   /* the leaf itself; both NULL: this input needs no gradient */
    t_DType dtype;
    int ndim;
    int64_t shape[T_MAX_DIMS];
} Edge;

typedef struct Saved {
    Tensor *tensor;  /* NULL once it was freed, or where an optional tensor was not given */
    int64_t version; /* of its storage when it was saved */
    bool is_output;  /* an alias of the record's own output (the output itself would be a reference cycle) */
    bool is_lent;    /* whoever writes to it leaves a copy here */
} Saved;

struct Record {
    const Op *op;
    void *attributes; /* what else the rule needs: a struct of the op's own */
    int refs;
    int64_t number; /* 1, 2, 3, ... in the thread's order of execution */
    Record *older, *newer;
    const t_Site *site;
    Tensor *pending; /* the gradient of the output, as far as a running backward has gathered it */
    t_DType dtype;   /* of the output */
    int ndim;
    int64_t shape[T_MAX_DIMS];
    bool freed; /* its saved tensors were given back after a backward */
    bool needed, wanted; /* in a backward that was asked for some inputs only: on the way to one; its output is one */
    bool seen;           /* a mark of tg_reachable */
    t_Hook *hooks;       /* on the gradient of the output, in the order they were registered */
    Tensor *retainer;    /* the output, if it retains its grad: no reference */
    int inputs, saves;
    Edge *edges;
    Saved *saved;
    size_t bytes;     /* of this block, edges, saved and attributes included */
};

/* Records that `op` made y from the inputs, and returns y; returns y as it is where grad mode is off or no input
 * requires grad. saved lists the tensors that the rule needs (y itself is allowed, NULL too). On failure y is gone and
 * NULL comes back; a NULL y passes on. Lists are written INPUTS(a, b), SAVED(a, y), ATTRIBUTES(a_struct); NONE for none. */
Tensor *tg_record(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved, int saved_count,
                  const void *attributes, size_t attribute_bytes);
#define TG_LIST(...) (Tensor *[]){__VA_ARGS__}, (int)(sizeof((Tensor *[]){__VA_ARGS__}) / sizeof(Tensor *))
#define INPUTS(...) TG_LIST(__VA_ARGS__)
#define SAVED(...) TG_LIST(__VA_ARGS__)
#define ATTRIBUTES(value) &(value), sizeof(value)
#define NONE NULL, 0

/* PyTorch's record of this op saves another tensor than y's record (if it has one) saved as its i-th: so a user may write to ours,
 * which is on loan from now on. */
void tg_lend(Tensor *y, int i);
/* Before x is written to: each record that has it on loan gets a copy. False where there is no memory for that. */
bool tg_call_in(Tensor *x);

/* For rules: does input i need a gradient; the i-th saved tensor (NULL with PyTorch's error set where it was modified
 * in place since, or freed by an earlier backward). */
bool tg_needs(const Record *r, int i);
Tensor *tg_saved(Record *r, int i);
/* May the rule write over what it saved: nobody else holds it, and this backward is the last one? The record is then freed. */
bool tg_take_saved(Record *r, int i);
Tensor *tg_zeros_like_input(const Record *r, int i);
/* Room for input i's gradient. Memory that will stay, a leaf's, comes from elsewhere than what is soon given back (large_blocks.h). */
Tensor *tg_empty_gradient(const Record *r, int i, t_DType dtype);
/* The gradient of input i so far, for a rule that adds its own part to it in place and leaves dx[i] NULL. NULL where there is
 * nothing yet or where the parts must stay apart: somebody else sees the sum, each part is shown, or grad mode is on. So the
 * gradients of T slices of x cost as much as x, not T times as much. */
Tensor *tg_gathered(const Record *r, int i);

bool tg_will_record(Tensor **inputs, int count); /* grad mode is on and one of them requires grad */
/* tg_record's first half: gives an existing tensor y a record. False with y as it was on failure. */
bool tg_attach(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved, int saved_count,
               const void *attributes, size_t attribute_bytes);
void tg_record_retain(Record *r);
void tg_record_release(Record *r);
void tg_record_free_saved(Record *r);
/* x->record = r, of which the caller gives one reference; what x asked of its gradient (retain_grad) moves along. */
/* dx, made without a graph by the rule of r from dy, gets a record whose rule is an error: r's op is
 * once_differentiable. */
bool tg_attach_refusal(Record *r, Tensor *dy, Tensor *dx);

/* The records that the given ones were made from, themselves included, newest first; NULL with an error set where there is no
 * memory. The caller frees it: tg_free(list, tg_reachable_bytes(count)). */
Record **tg_reachable(Record *const *roots, int64_t root_count, int64_t *count);
size_t tg_reachable_bytes(int64_t count);

/* ---- showing (tape_listing.c) ---- */

void tg_print_site(const t_Site *site, char *to, size_t room); /* "train.c:31", "-" for NULL */
/* The user's expression on one line: white space folded, macro expansions and what is too long cut. */
void tg_print_expression(const char *text, FILE *to);

/* ---- in-place ops (inplace.c) ---- */

bool tg_check_inplace(Tensor *x); /* may x be written to? Before anything is computed */
bool tg_check_new_history(Tensor *x); /* the part of that about the tape: may x get another record? */
void tg_bump(Tensor *x);          /* the version, after every write */
/* Gives x, whose data are about to be overwritten by `value`'s (of the same shape), the history of `value`: a record of `op`
 * with the inputs x and value, or with a NULL op the value's very own (x.add_(y) is an add). */
bool tg_rebase(Tensor *x, Tensor *value, const Op *op);
/* x[...] = value of the same shape, just computed, with all of the above: what x.add_(y) does with x + y. Where value's record
 * needs the old x, it keeps a copy; where it needs its own output, that is the new x, which must not be written to again. */
Tensor *tg_write(Tensor *x, Tensor *value);
bool tg_check_cast(t_DType from, t_DType to); /* may an in-place op's result of dtype `from` be stored as `to`? */

/* anomaly.c: for tg_record, and for an op whose numbers come after its record; false with an error set. */
bool tg_check_forward(const Op *op, Tensor *y, Tensor *const *inputs, int count);

#endif
