/* tests/support/files/recorded_dict.h: the state dicts of golden/checkpoints.txt. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_RECORDED_DICT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_RECORDED_DICT_H

#include "core/ops/dict.h"
#include "tests/support/support.h"

const char *recorded_section(const char *key); /* fails the test if there is none */
t_TensorDict *recorded_dict(const char *key);  /* with PyTorch's values */
/* Notes names that are in one of the two only, and values that differ by more than the rounding of float64. */
void compare_with_recorded(const char *key, const t_TensorDict *dict);
/* A copy of the dict with another value under that name, or (NULL) without it. */
t_TensorDict *changed_dict(const t_TensorDict *dict, const char *name, Tensor *value);
/* The same names with the same bits and strings. */
bool same_dicts(const t_TensorDict *a, const t_TensorDict *b);

#endif
