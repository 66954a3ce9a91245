/* tests/ops/table/op_table.h: one row for each public op, from which test_ops*.c generate their tests.
 *
 * A new op is one row here; what it is in PyTorch is known by its name, or by a line of golden/ops*.py.
 * golden/record.py reads the cases out of the op_table_*.c files (so keep to their form) and writes what PyTorch
 * gives for each of them.
 *
 * A case is a text of inputs (support.h has the kinds) and the op's other arguments as integers, in the order of
 * the function's parameters; T_NONE is Python's None. Rows and cases leave out what is zero. */
#ifndef TAPEGRAD_TESTS_OPS_TABLE_OP_TABLE_H
#define TAPEGRAD_TESTS_OPS_TABLE_OP_TABLE_H

#include "tests/support/support.h"

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
    RANDOM = 16,       /* values come from the generator: the same to the bit, but for sums of them */
    UNDEFINED = 32,    /* values are not initialised: only shape and dtype count */
    SUMS = 64,         /* sums or products: other layouts agree within tolerance, not to the bit */
    LAYOUT_BOUND = 128, /* fails, as PyTorch does, on layouts that only a copy could show */
    GRAPH = 256,        /* not one op but several */
    OWN_GRAD_FN = 512,  /* made of other ops than PyTorch's: so is grad_fn */
    REGULAR = 4096,     /* the first input is a matrix that must not be singular: its rows cannot be expanded ones */
    ONCE = 2048,        /* cannot be differentiated twice: a second backward is refused */
    ROUNDED = 4096,     /* to float16: no differences of values can be compared with the gradient */
    STORAGE_BOUND = 1024 /* shows memory: another layout of its input gives other values, in PyTorch too */
};

typedef struct OpRow {
    const char *name;
    OpCall *call;
    const OpCase *cases;
    const OpError *errors;
    unsigned flags;
    const char *positions; /* of the inputs among the parameters, where not "123..."; '?' for one that may be NULL */
    /* The cases have a first tensor of each rank from 0 to 5, and one with a size of 0. Where PyTorch's function
     * does not take them all: the ranks it takes, z for a size of 0, and why: "2z: a matrix". */
    const char *ranks;
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
    X(random) \
    X(indexing) \
    X(scatter) \
    X(advanced_indexing) \
    X(unary) \
    X(unary_math) \
    X(special) \
    X(elementwise) \
    X(resize) \
    X(histogram) \
    X(torch_special) \
    X(binary) \
    X(binary_math) \
    X(inplace) \
    X(inplace_unary) \
    X(inplace_binary) \
    X(activation) \
    X(reduction) \
    X(max_min) \
    X(sorting) \
    X(cumulative) \
    X(matmul) \
    X(algebra) \
    X(linalg) \
    X(functional) \
    X(attention) \
    X(loss) \
    X(convolution) \
    X(norms) \
    X(pooling) \
    X(volumes) \
    X(graph)
#define DECLARE_TABLE(name) extern const OpTable name##_table;
OP_TABLES(DECLARE_TABLE)

/* The n-th row of all tables, NULL after the last. */
const OpRow *op_row(int n, const OpTable **table);
int op_row_count(void);

/* "t_sum r(2,3) 1 0": the name of a case, from which its inputs are hashed; trailing zeros are left out. */
void case_key(const OpRow *row, const char *inputs, const int64_t *n, char *key, size_t capacity);
/* The case is run in float64, too, unless its inputs have a dtype of their own. */
bool case_has_two_dtypes(const char *inputs);

/* Functions of one, two and three tensors and nothing else. */
#define CALL1(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0])); }
#define CALL2(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->x[1])); }
#define CALL3(f) static t_TensorList *call_##f(const Call *c) { return list_of(t_##f(c->x[0], c->x[1], c->x[2])); }

/* One row for an op of one tensor and its in-place form, after CALL1_WITH_INPLACE(f): t_f and t_f_ have the same
 * cases. */
#define CALL1_WITH_INPLACE(f) CALL1(f) CALL1(f##_)
#define WITH_INPLACE(f, cases, errors, errors_inplace) \
    {"t_" #f, call_##f, cases, errors}, {"t_" #f "_", call_##f##_, cases, errors_inplace, INPLACE}

/* Cases that two and three tables share: shapes that broadcast, and what decides the dtype of a result: tensors of
 * other dtypes, 0-dim ones, which count less, and plain numbers, which count least. `kind` is the kind of the
 * integers. */
#define BROADCASTS(a, b)                                                                                      \
    {a "() " b "()"}, {a "(5) " b "(5)"}, {a "(2,3) " b "(2,3)"}, {a "(2,3) " b "(3)"}, {a "(3) " b "(2,3)"}, \
    {a "(2,1) " b "(1,3)"}, {a "(2,3,2) " b "()"}, {a "(2,1,3) " b "(4,1)"}, {a "(2,2,1,3) " b "(2,1)"},      \
    {a "(1,2,3,1,2) " b "(3,2,2)"}, {a "(0) " b "(1)"}, {a "(2,0,3) " b "(3)"}
#define FLOATING_MIXES(kind)                                                                                    \
    {"f(2) d(2)"}, {"d(2) f(2)"}, {"f(2) D()"}, {"D() f(2)"}, {"d() f()"}, {"f(1) d(2)"}, {"f(2) " kind "(2)"}, \
    {kind "(2) f(2)"}, {kind "(2) f()"}, {kind "(2) d()"}, {kind "() d(1)"}
#define INTEGER_MIXES(kind) {kind "(2) " kind "()"}, {"b(2) " kind "(2)"}, {"b(2) " kind "()"}, {"b() " kind "()"}
#define BOOL_MIXES(kind) {kind "(2) b(2)"}, {"b(2) f(2)"}, {"d(2) b()"}
#define NUMBER_MIXES(kind)                                                                                       \
    {"f(2) N"}, {"d(2) N"}, {"f() I"}, {kind "(2) N"}, {kind "() N"}, {"b(2) N"}, {"b(2) I"}, {kind "(7) I"}
#define NUMBER_FIRST(kind) {"N f(2)"}, {"I d(2)"}, {"N " kind "(2)"}, {"I " kind "(2)"}

/* Shapes that do not fit each other. */
#define MISFITS(kind)                                                                                              \
    {kind "(3) " kind "(4)", {0}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton " \
                                  "dimension 0"},                                                                  \
    {kind "(2,3) " kind "(3,3)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at "           \
                                      "non-singleton dimension 0"},                                                \
    {kind "(2,1,4) " kind "(3,5)", {0}, "The size of tensor a (4) must match the size of tensor b (5) at "         \
                                        "non-singleton dimension 2"},                                              \
    {kind "(0) " kind "(2)", {0}, "The size of tensor a (0) must match the size of tensor b (2) at non-singleton " \
                                  "dimension 0"}

#define TABLE(name, file, rows) const OpTable name = {file, rows, (int)(sizeof(rows) / sizeof *(rows))}

#endif
