/* tests/plot_cases.h: the figures that test_plot.c compares with matplotlib's. */
#ifndef TAPEGRAD_TESTS_PLOT_CASES_H
#define TAPEGRAD_TESTS_PLOT_CASES_H

#include "tests/support.h"

typedef struct PlotCase {
    const char *name;
    void (*draw)(void);
} PlotCase;
extern const PlotCase plot_cases[];
extern const int plot_case_count;

Tensor *wave(int64_t n, int64_t a, int64_t b); /* n numbers in [0, 1), the same in golden/plots.py */
Tensor *grid_of(int64_t rows, int64_t columns);

#endif
