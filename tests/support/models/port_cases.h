/* tests/support/models/port_cases.h: replays the recorded cases of a tutorial's port, each in every way it was
 * recorded. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_PORT_CASES_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_PORT_CASES_H

#include "tests/support/models/replay.h"

typedef struct PortCase {
    const char *label;
    void *(*make)(void);
    Tensor *(*call)(void *self, Tensor *const *x); /* x: the inputs of the case, NULL where it has none */
} PortCase;

typedef struct Port {
    const char *golden;    /* the file */
    const PortCase *cases; /* ends with a NULL label */
    bool *fixed;           /* the port's variable for --fixed */
    Tensor *(*weights_of)(const nn_Module *module); /* the weights that an attention stored; NULL for other modules */
} Port;

/* The text of a case; the test fails if it was not recorded. */
const char *port_section(const Port *port, const char *key);
/* After the forward pass: compares y and, where they were recorded, the next random values and every attention's
 * weights, "w:" and the name of its module. */
void port_compare(const Port *port, const Run *run, Tensor *y);
/* Replays every case of the file whose label is among the cases: "32e" "32t" "64e" "64t", and with an F appended,
 * under --fixed. Returns the number of runs. */
int port_replay(const Port *port);

#endif
