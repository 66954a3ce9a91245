/* tests/ops/op_run.h: running the cases of the op table, for test_ops.c and test_ops_*.c. */
#ifndef TAPEGRAD_TESTS_OPS_OP_RUN_H
#define TAPEGRAD_TESTS_OPS_OP_RUN_H

#include "tests/ops/table/op_table.h"

enum { KEY_SIZE = 160 };

/* What the op is called on: the leaves, with a copy of the first where the op writes to it. */
Inputs arguments(const OpRow *row, const Inputs *leaves);
/* Calls the op, with the seed set for the random ones. */
t_TensorList *run_op(const OpRow *row, const Inputs *x, const int64_t *n, t_DType real, uint64_t seed);

/* The k-th output's weights, the same in golden/record.py. */
Tensor *weights_of(Tensor *y, int64_t k, uint64_t seed, t_DType real);
/* backward of the sum of output times weight over all outputs that require grad. */
bool backward_weighted(t_TensorList *ys, uint64_t seed, t_DType real, bool create_graph);

bool same_storage(const Tensor *a, const Tensor *b);

/* The further tests of the suite. */
TCase *layout_tests(void);
TCase *gradient_tests(void);
TCase *rule_tests(void);
TCase *bad_call_tests(void);

#endif
