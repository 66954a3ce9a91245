/* tests/plot/plot_cases.h: the figures that test_plot_layout.c compares with matplotlib's, and helpers for tests of SVG
 * files. */
#ifndef TAPEGRAD_TESTS_PLOT_PLOT_CASES_H
#define TAPEGRAD_TESTS_PLOT_PLOT_CASES_H

#include "tests/support/output.h"
#include "tests/support/support.h"

typedef struct PlotCase {
    const char *name;
    void (*draw)(void);
} PlotCase;
extern const PlotCase line_cases[], image_cases[];
extern const int line_case_count, image_case_count;

const char *xml_mistake(const char *text); /* the first error in an XML text; NULL if it is well-formed */
int count_of(const char *text, const char *what); /* the number of occurrences */
int read_numbers(const char *text, double *to, int capacity); /* separated by spaces; returns their count */

const char *saved_figure(void); /* the current figure as SVG, well-formed; valid until the next call */

Tensor *wave(int64_t n, int64_t a, int64_t b); /* n values in [0, 1), the same in golden/plot_cases.py */
Tensor *grid_of(int64_t rows, int64_t columns);

#endif
