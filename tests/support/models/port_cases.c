/* tests/support/models/port_cases.c: see port_cases.h. */
#include <stdio.h>
#include <string.h>

#include "tests/support/models/port_cases.h"

const char *port_section(const Port *port, const char *key) {
    const char *section = golden_case(golden_file(port->golden), key);
    ck_assert_msg(section != NULL, "%s was not recorded", key);
    return section;
}

static const PortCase *case_of(const Port *port, const char *key) {
    size_t length = strcspn(key, " ");
    for (const PortCase *which = port->cases; which->label; which++)
        if (strlen(which->label) == length && strncmp(which->label, key, length) == 0) return which;
    return NULL;
}

void port_compare(const Port *port, const Run *run, Tensor *y) {
    char name[160];
    Tensor *following = t_rand(2);
    run_compare(run, "y", y, VALUE);
    if (!run_has(run, "next")) return;
    run_compare(run, "next", following, EXACT);
    for_named (m, nn_named_modules(run->module)) {
        Tensor *weights = port->weights_of(m->module);
        snprintf(name, sizeof name, "w:%s", m->name);
        if (weights) run_compare(run, name, weights, VALUE);
        else if (run_has(run, name)) note("%s: %s has no weights", run->key, m->name);
    }
}

static void replay_run(const Port *port, const PortCase *which, Run run) {
    Inputs in = run_begin(&run, which->make(), strchr(run.key, ' ') + 1);
    Tensor *y = which->call(run.module, in.x);
    port_compare(port, &run, y);
    if (y && !run_has(&run, "values_only")) run_backward(&run, y, &in);
}

typedef struct Replay {
    const Port *port;
    int runs;
} Replay;

static void replay_case(const char *key, const char *section, void *context) {
    static const char *const names[] = {"32e", "32eF", "32t", "32tF", "64e", "64eF", "64t", "64tF"};
    Replay *replay = context;
    const PortCase *which = case_of(replay->port, key);
    for (int i = 0; which && i < 8; i++) {
        Run run = {.key = key, .section = section, .name = names[i]};
        if (!run_has(&run, "y")) continue;
        replay->runs++;
        *replay->port->fixed = names[i][3] == 'F';
        int64_t live = t_live_count();
        with_scope() replay_run(replay->port, which, run);
        run_end(&run, live);
    }
    *replay->port->fixed = false;
}

int port_replay(const Port *port) {
    Replay replay = {port, 0};
    each_case(port->golden, replay_case, &replay);
    return replay.runs;
}
