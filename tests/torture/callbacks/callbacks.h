/* tests/torture/callbacks/callbacks.h: functions of the user's that misbehave while the library calls them.
 *
 * A cell of the matrix is a kind of callback (a module's forward, a tensor hook, a Dataset, ...) and a misdeed. A small
 * model trains two steps, its third step is disturbed by the misdeed, and it trains on: its numbers must be those of a
 * run that never had the callback, to the bit. A disturbed step that fails must have the expected message, reported
 * once, and must have changed nothing. */
#ifndef TAPEGRAD_TESTS_TORTURE_CALLBACKS_CALLBACKS_H
#define TAPEGRAD_TESTS_TORTURE_CALLBACKS_CALLBACKS_H

#include <setjmp.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef enum Misdeed {
    none,          /* the callback behaves */
    fails,         /* an op fails in it, by the macro: the handler is called in the callback; it returns NULL */
    fails_plain,   /* the same by the plain function */
    fails_returns, /* it sets an error and returns its normal value */
    returns_null,
    wrong_shape,
    wrong_dtype,
    empty,         /* a tensor without elements; an empty list or dict */
    dead,          /* an object whose scope was closed */
    other_class,   /* an optimizer, where a tensor, a list or a dict is expected */
    backward,      /* a backward of its own graph */
    same_graph,    /* a backward over the graph that is running, or that the given tensor has */
    trains,        /* another model */
    in_place,      /* changes what it was given */
    hooks,         /* registers hooks of many kinds everywhere, and removes itself */
    opens,         /* a scope that it does not close */
    closes,        /* all scopes, and ignores the error */
    closes_loud,   /* the same, with the error pending when it returns */
    modes,         /* leaves grad mode switched */
    jumps,         /* leaves by longjmp */
    handler_jumps, /* an op fails in it, whose error handler leaves by longjmp */
    MISDEEDS
} Misdeed;

/* What the callback returns. */
typedef enum Returns { a_tensor, a_list, a_dict, a_number, a_truth, nothing } Returns;

enum { STEPS = 5, DISTURBED = 2, ROWS = 6, IN = 4, CLASSES = 3 };

typedef struct World {
    nn_Sequential *model;
    optim_Optimizer *optimizer;
    Tensor *x[STEPS], *y[STEPS];
    int step;          /* the current one */
    Tensor *loss;      /* of the running step; NULL before it is computed */
    t_Hook *handle;    /* of the callback, which is removed after the step */
    t_Hook *extra[16]; /* registered by the misdeed `hooks` */
    int extras;
} World;

typedef struct Kind {
    const char *name;
    Returns returns;
    bool (*run)(World *w); /* the third step, with the callback; false: a call in it failed */
    /* What each misdeed ends in, {[misdeed] = "..."}: "=" the step has the undisturbed numbers; "~" it succeeds, with
     * other numbers; "-" the misdeed does not exist for this kind; "!..." the step fails with this text in its message;
     * "?..." the same, and the step has changed something before (said by the header). NULL: the misdeed's default,
     * which is "=" but for those in default_end of main.c. */
    const char *ends[MISDEEDS];
    bool no_jump;           /* it runs in another thread, or the header forbids longjmp */
    bool no_given;          /* it gets no tensor */
    bool unreported;        /* the handler is not called for its errors */
    int when;               /* the call that misbehaves, 1 if 0 */
    void (*undo)(World *w); /* after the step, also if it failed or was left; or NULL */
} Kind;

/* In a callback: `given` is a tensor that it was given (or NULL), `normal` what it returns when it behaves. */
void *act(Tensor *given, void *normal);
/* For callbacks that return no object: true if the callback is to return a wrong value, NaN, false or -1. */
bool acts_wrong(Tensor *given);

/* The error handler of the program, which records errors. */
void record_errors(void);

/* A module of the user's, whose forward is the callback. */
typedef struct Body {
    nn_Module base;
} Body;
Tensor *body_call(Body *self, Tensor *x);

/* backward and optimizer step; the loss may be NULL. */
bool step_of(World *w, Tensor *loss);
/* zero_grad, forward, backward, optimizer step, as every undisturbed step does. */
bool plain_step(World *w);
Tensor *forward(World *w);
/* The layers of the model. */
nn_Linear *layer(World *w, int i);

/* Messages that several kinds end in. */
#define AGAIN "!Trying to backward through the graph a second time"
#define NO_GRAD "!element 0 of tensors does not require grad" /* a step without grad mode, as in PyTorch */
#define WRITTEN "!one of the variables needed for gradient computation has been modified by an inplace operation"
#define NO_TENSOR "!returned what is no live tensor"
#define NO_RESULT "!the function returned NULL instead of a tensor or a list"
#define OTHER_DTYPE "!mat1 and mat2 must have the same dtype, but got Long and Flo"
/* What the result is multiplied by a matrix of so many rows for. */
#define NO_PRODUCT(rows)                                                                 \
    [wrong_shape] = "!addmm: mat1 and mat2 shapes cannot be multiplied (7x11 and " rows, \
    [empty] = "!addmm: mat1 and mat2 shapes cannot be multiplied (1x0 and " rows

extern World *world; /* that of the running cell */
extern const Kind module_kinds[], autograd_kinds[], optim_kinds[], data_kinds[], func_kinds[], other_kinds[];

#endif
