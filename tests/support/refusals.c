/* tests/support/refusals.c: calls in which each allocation in turn fails. */
#include "tests/support/refusals.h"

#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/support.h"

/* Whether the attempt succeeds although its nth allocation fails, and with `forever` all later ones. */
static bool refuse(int n, bool forever, const char *what, Attempt *attempt, bool changes, void *with) {
    const int64_t live = t_live_count(), bytes = t_live_bytes(), records = tg_thread.records_alive;
    const int depth = t_scope_open();
    tg_alloc_fail(n, forever);
    const bool got_by = attempt(with), done = got_by && !t_error();
    tg_alloc_fail(0, false);
    t_scope_close(depth);
    if (got_by && !done) note("%s, allocation %d fails: the call succeeds with an error pending", what, n);
    const char *said = t_error() ? t_error() : "no error";
    if (!done && !strstr(said, "out of memory")) note("%s, allocation %d fails: %s", what, n, said);
    if (!t_is_grad_enabled()) note("%s, allocation %d fails: grad mode is off", what, n);
    t_clear_error();
    if (!(done && changes) && (t_live_count() != live || t_live_bytes() != bytes || tg_thread.records_alive != records))
        note("%s, allocation %d fails: %lld objects, %lld bytes, %lld records are left", what, n,
             (long long)(t_live_count() - live), (long long)(t_live_bytes() - bytes),
             (long long)(tg_thread.records_alive - records));
    return done;
}

void refuse_all(const char *what, Attempt *attempt, Attempt *unchanged, void *with) {
    enum { MOST = 5000 };
    const bool changes = unchanged != NULL;
    for (int n = 1; !noted(); n++) {
        if (refuse(n, true, what, attempt, changes, with) || refuse(n, false, what, attempt, changes, with)) return;
        const int depth = t_scope_open();
        if (unchanged && !unchanged(with)) note("%s, allocation %d fails: something has changed", what, n);
        t_scope_close(depth);
        if (n == MOST) note("%s never succeeds", what);
    }
}
