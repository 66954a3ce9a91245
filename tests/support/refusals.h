/* tests/support/refusals.h: calls in which each allocation in turn fails. */
#ifndef TAPEGRAD_TESTS_SUPPORT_REFUSALS_H
#define TAPEGRAD_TESTS_SUPPORT_REFUSALS_H

#include <stdbool.h>

/* True if it succeeded. */
typedef bool Attempt(void *with);

/* Lets the attempt's first allocation fail, with all later ones and alone, then its second, and so on until it
 * succeeds. Each time the error must be out of memory, as many objects must be alive as before, and unchanged(with)
 * must hold. unchanged is NULL for an attempt that changes nothing; it must leave no object alive when it succeeds
 * either. Notes each violation. */
void refuse_all(const char *what, Attempt *attempt, Attempt *unchanged, void *with);

#endif
