/* tests/fuzz/table_parsers.h: the readers of tables of text, for parsers.c: what they read as a dict of one tensor. */
#ifndef TAPEGRAD_TESTS_FUZZ_TABLE_PARSERS_H
#define TAPEGRAD_TESTS_FUZZ_TABLE_PARSERS_H

#include "core/ops/dict.h"

t_TensorDict *fuzz_loadtxt(const uint8_t *data, size_t size);
t_TensorDict *fuzz_genfromtxt(const uint8_t *data, size_t size);
/* The numbers of a CSV file; aborts if the frame cannot be printed, described and written. */
t_TensorDict *fuzz_csv(const uint8_t *data, size_t size);
/* pandas' to_datetime; aborts if times cannot be printed, taken apart, and written and read (time_parsers.c). */
t_TensorDict *fuzz_datetime(const uint8_t *data, size_t size);

#endif
