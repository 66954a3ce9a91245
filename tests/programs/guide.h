/* tests/programs/guide.h: shared by guide*.c: the includes of a ported tutorial, and a count of correct lines. */
#ifndef TAPEGRAD_TESTS_PROGRAMS_GUIDE_H
#define TAPEGRAD_TESTS_PROGRAMS_GUIDE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/plot/plot.h"
#include "examples/python.h"
#include "nn/nn.h"
#include "optim/optim.h"

static int checked;
#define SHAPE(x, text)                                              \
    (checked += strcmp(t_size_repr(x), "torch.Size(" text ")") == 0 \
                    ? 1                                             \
                    : (printf("%s:%d: %s\n", __FILE__, __LINE__, t_size_repr(x)), exit(1), 0))

/* The program's exit code: 0 if all lines were correct. */
static inline int all_checked(int expected) {
    printf("%d lines of the guide gave what they should\n", checked);
    return checked == expected ? 0 : 1;
}

#endif
