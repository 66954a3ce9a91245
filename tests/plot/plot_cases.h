/* tests/plot/plot_cases.h: the figures that test_plot_layout.c compares with matplotlib's, and what tests of SVG files need. */
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

const char *xml_mistake(const char *text); /* what is not well-formed in it; NULL where nothing is */
int count_of(const char *text, const char *what); /* how often it is there */
int read_numbers(const char *text, double *to, int room); /* with spaces between them; returns how many there are */

const char *saved_figure(void); /* the current figure's file, well-formed; good until the next call */

Tensor *wave(int64_t n, int64_t a, int64_t b); /* n numbers in [0, 1), the same in golden/plot_cases.py */
Tensor *grid_of(int64_t rows, int64_t columns);

#endif
