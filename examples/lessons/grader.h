/* examples/lessons/grader.h: runs checks on a student's functions and prints the points.
 *
 * grade.c of a lesson includes the student's file, which it finds by the macro SUBMISSION, and lists its checks:
 *
 *     #include "grader.h"
 *     #include SUBMISSION
 *
 *     static void check_square_backward(void) {
 *         for (int i = 0; i < 3; i++) {
 *             Tensor *x = draw_normal(3, 4), *dy = draw_normal(3, 4);
 *             in_case("x of shape (3, 4)");
 *             expect_close("dx", square_backward(x, dy), t_mul(dy, t_mul(x, 2)));
 *         }
 *     }
 *     static const Check checks[] = {
 *         {"square_backward", 2, check_square_backward, .forbidden = "t_backward t_autograd_grad"},
 *     };
 *     GRADE("03 rules", checks)
 *
 * Each check runs in a process of its own with a time limit, so a crash or an endless loop costs only its own points.
 * An expectation that does not hold ends the check. The cases are drawn from the seed of the command line. */
#ifndef LESSONS_GRADER_H
#define LESSONS_GRADER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* the lists of checks leave out fields */

#include "core/core.h"
#include "core/data/data.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef struct Check {
    const char *name;
    int points;
    void (*run)(void);
    const char *function;  /* the student's function, whose line is printed; NULL: the one called `name` */
    const char *forbidden; /* names that the function must not use, itself or in its helpers: "t_backward t_softmax*" */
    int seconds;           /* time limit; 0: 10 seconds */
} Check;

/* ---- cases: drawn anew from the seed, which differs for each check ---- */

double draw_uniform(double low, double high);
int draw_integer(int low, int high); /* both included */
Tensor *draw_tensor(int ndim, const int64_t *shape); /* from the normal distribution */
#define draw_normal(...) \
    draw_tensor((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})

/* ---- expectations ---- */

/* Describes the case that follows, for the message of an expectation that fails. */
void in_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Same shape, and each |got - expected| <= 1e-5 + 1e-4 |expected|. The message has the first wrong element. */
void expect_close(const char *what, Tensor *got, Tensor *expected);
void expect_close_within(const char *what, Tensor *got, Tensor *expected, double relative, double absolute);
void expect_number(const char *what, double got, double expected); /* within 1e-6 + 1e-6 |expected| */
void expect_integer(const char *what, long long got, long long expected);
void expect_text(const char *what, const char *got, const char *expected);
/* A condition of the check's own; the message says what was expected and what was found. */
void expect_true(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the student's function writes to stdout while `captured_output` runs it; good until the next call. */
const char *captured_output(void (*run)(void));

/* ---- the program: grade [--seed N] [--limit SECONDS] [--json] ---- */

/* What grade.c defines and grader.c's main runs. */
typedef struct Lesson {
    const char *name;   /* "03 rules" */
    const char *source; /* path of the student's file */
    const Check *checks;
    int count;
} Lesson;
extern const Lesson graded_lesson;
#define GRADE(name, checks) const Lesson graded_lesson = {name, SUBMISSION, checks, sizeof(checks) / sizeof *(checks)};

/* The student's file keeps its main, under another name. */
#define main student_main

#endif
