/* tests/support/refusals.h: calls whose every request for memory is refused in turn. */
#ifndef TAPEGRAD_TESTS_SUPPORT_REFUSALS_H
#define TAPEGRAD_TESTS_SUPPORT_REFUSALS_H

#include <stdbool.h>

/* True where it got by. */
typedef bool Attempt(void *with);

/* Refuses the attempt's first request for memory, then its second, and so on until it gets by. Each time the error must say so, what
 * was alive must be as much as before, and unchanged(with) must hold; it is NULL for an attempt that changes nothing, which leaves
 * nothing behind when it gets by either. Notes what is not so. */
void refuse_all(const char *what, Attempt *attempt, Attempt *unchanged, void *with);

#endif
