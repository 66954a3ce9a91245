/* tests/pandas/recorded_tables.h: what pandas printed, from tests/golden/pandas.txt (record_pandas.py). */
#ifndef TAPEGRAD_TESTS_PANDAS_RECORDED_TABLES_H
#define TAPEGRAD_TESTS_PANDAS_RECORDED_TABLES_H

#include "core/pandas/pandas.h"

/* The printed table, below a frame its dtypes; for NULL "error: " and the message, which is cleared. Of the scope. */
const char *frame_text(const pd_DataFrame *df);
const char *series_text(const pd_Series *s);
/* Notes a difference from the recorded case "KIND NUMBER". */
void expect_recorded(const char *kind, int number, const char *got);

#endif
