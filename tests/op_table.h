/* tests/op_table.h: one row for each public op, from which test_ops*.c generate their tests.
 *
 * A new op is one row here and one line in golden/ops.py. golden/record.py reads the cases out of the op_table_*.c
 * files (so keep to their form) and writes what PyTorch gives for each of them.
 *
 * A case is a text of inputs (support.h has the kinds) and the op's other arguments as whole numbers, in the order of
 * the function's parameters; T_NONE is Python's None. Rows and cases leave out what is zero. */
#ifndef TAPEGRAD_TESTS_OP_TABLE_H
#define TAPEGRAD_TESTS_OP_TABLE_H

#include "tests/support.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { MAX_NUMBERS = 10 };

/* What an op's function gets. It returns the outputs, NULL on failure. */
typedef struct Call {
    Tensor **x;
    int count;
    const int64_t *n;
    t_DType real; /* the dtype of the run */
} Call;
typedef t_TensorList *OpCall(const Call *call);

typedef struct OpCase {
    const char *inputs; /* NULL ends the list */
    int64_t n[MAX_NUMBERS];
} OpCase;

typedef struct OpError {
    const char *inputs;
    int64_t n[MAX_NUMBERS];
    const char *message;
} OpError;

enum {
    VIEW = 1,          /* the outputs share the first input's storage */
    MAYBE_VIEW = 2,    /* they may */
    INPLACE = 4,       /* the first input is written to, and returned */
    NO_GRADIENT = 8,   /* the outputs never require grad */
    RANDOM = 16,       /* values come from the generator */
    UNDEFINED = 32,    /* values are not initialised: only shape and dtype count */
    SUMS = 64,         /* sums or products: other layouts agree within tolerance, not to the bit */
    LAYOUT_BOUND = 128, /* fails, as PyTorch does, on layouts that only a copy could show */
    GRAPH = 256,        /* not one op but several */
    OWN_GRAD_FN = 512,  /* made of other ops than PyTorch's: so is grad_fn */
    STORAGE_BOUND = 1024 /* shows memory: another layout of its input gives other values, in PyTorch too */
};

typedef struct OpRow {
    const char *name;
    OpCall *call;
    const OpCase *cases;
    const OpError *errors;
    unsigned flags;
    const char *positions; /* of the inputs among the parameters, where not "123..."; '?' for one that may be NULL */
} OpRow;

typedef struct OpTable {
    const char *golden; /* the file of recorded values */
    const OpRow *rows;
    int count;
} OpTable;
/* A new table is one line here. */
#define OP_TABLES(X) \
    X(creation) \
    X(view) \
    X(shape) \
    X(indexing) \
    X(unary) \
    X(binary) \
    X(inplace) \
    X(activation) \
    X(reduction) \
    X(extrema) \
    X(sorting) \
    X(scan) \
    X(product) \
    X(functional) \
    X(graph)
#define DECLARE_TABLE(name) extern const OpTable name##_table;
OP_TABLES(DECLARE_TABLE)

/* The n-th row of all tables, NULL behind the last. */
const OpRow *op_row(int n, const OpTable **table);
int op_row_count(void);

/* "t_sum r(2,3) 1 0": the name of a case, from which its inputs are hashed; trailing zeros are left out. */
void case_key(const OpRow *row, const char *inputs, const int64_t *n, char *key, size_t room);
/* The case is run in float64, too, unless its inputs have a dtype of their own. */
bool case_has_two_dtypes(const char *inputs);

/* Functions of one, two and three tensors and nothing else. */
#define CALL1(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0])); }
#define CALL2(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->x[1])); }
#define CALL3(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->x[1], c->x[2])); }

#define TABLE(name, file, rows) const OpTable name = {file, rows, (int)(sizeof(rows) / sizeof *(rows))}

#endif
