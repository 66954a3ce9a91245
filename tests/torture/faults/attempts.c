/* tests/torture/faults/attempts.c: around each outermost call of a public function.
 *
 * Environment: TORTURE_KIND=alloc|io; TORTURE_VISITS: how many calls are attempted for each place in the tests that
 * calls a function; TORTURE_SEED: which modes and errors come first; TORTURE_LEFT_OUT: a file of calls that are not
 * attempted; TORTURE_REPORT: where the figures go. */
#define _GNU_SOURCE
#include "tests/torture/faults/attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/plot/figure/figure.h"
#include "core/tensor/context.h"
#include "core/tensor/generator.h"
#include "core/tensor/profiler_hooks.h"
#include "nn/nn.h"
#include "tests/support/files/file_support.h"
#include "tests/support/support.h"
#include "tests/torture/faults/world.h"

/* ---- what all processes of a run share ---- */

enum { FUNCTIONS = 4096, PLACES = 1 << 16, FINDINGS = 1 << 12 };
typedef struct Counts {
    _Atomic int64_t calls, attempted, failures, survived, most, cursor;
} Counts;
typedef struct Place {
    _Atomic uint64_t key;
    _Atomic int64_t visits;
} Place;
static struct Shared {
    Counts functions[FUNCTIONS];
    Place places[PLACES];
    _Atomic uint64_t known[FINDINGS];
    _Atomic int64_t findings, tests, with_temporaries;
} * shared;

static tt_Kind kind;
static int64_t visits_wanted = 3, seed, most_attempts = 200;
static FILE *report;
static char *left_out; /* the file's text */
static char test_name[100];
static bool test_left_out;

static _Thread_local int inside;            /* a public function of this thread runs */
static atomic_flag busy = ATOMIC_FLAG_INIT; /* of the thread whose call is attempted */
static bool suspended;                      /* the test makes calls fail itself */
static int tests_failed;

static int64_t number_of(const char *name, int64_t other) {
    const char *text = getenv(name);
    return text && *text ? strtoll(text, NULL, 10) : other;
}

/* Whether the file has a line "first: ...", or with a second word "first second: ...". */
static bool is_left_out(const char *first, const char *second) {
    char line[300];
    const int length = snprintf(line, sizeof line, "\n%s%s%s:", first, second ? " " : "", second ? second : "");
    return left_out && length < (int)sizeof line && strstr(left_out, line) != NULL;
}

/* ---- the frame of a run ---- */

static void read_left_out(void) {
    const char *path = getenv("TORTURE_LEFT_OUT");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) return;
    left_out = calloc(1, 1 << 16);
    left_out[0] = '\n';
    left_out[1 + fread(left_out + 1, 1, (1 << 16) - 2, file)] = '\0';
    fclose(file);
}

static Tensor *no_hook(nn_Module *module, t_TensorList *inputs, Tensor *output, void *context) {
    (void)module, (void)inputs, (void)context;
    return output;
}

/* Fills the queues in which dead objects wait for some time before they are freed, so that from then on a dead object
 * frees another one, and the number of blocks tells of leaks. */
static void fill_queues(void) {
    const int depth = t_scope_open();
    (void)tg_pyplot_state(); /* which a thread makes once, and keeps, as its list of hooks */
    t_hook_remove((nn_register_module_forward_hook)(no_hook, NULL, NULL));
    for (int i = 0; i < 600; i++) (void)t_generator();
    for (int i = 0; i < 600; i++) (void)t_number(i);
    t_scope_close(depth);
}

static void print_figures(void) {
    int64_t covered = 0, failures = 0, survived = 0, calls = 0, without = 0, never = 0;
    for (int i = 0; i < tt_function_count; i++) {
        const Counts *c = &shared->functions[i];
        calls += c->attempted;
        failures += c->failures;
        survived += c->survived;
        covered += c->failures + c->survived > 0;
        without += c->attempted > 0 && c->failures + c->survived == 0;
        never += c->calls == 0;
        if (report)
            fprintf(report, "%s %lld calls, %lld attempted, %lld failed, %lld survived, most %lld\n", tt_functions[i],
                    (long long)c->calls, (long long)c->attempted, (long long)c->failures, (long long)c->survived,
                    (long long)c->most);
    }
    const char *target = kind == tt_io ? "torture-io" : "torture-alloc";
    printf("%s: %d public functions: %lld with failing calls below them, %lld that make none, %lld not called\n",
           target, tt_function_count, (long long)covered, (long long)without, (long long)never);
    printf("%s: %lld tests, %d of them failed; %lld calls, %lld attempts failed (%lld left temporaries to the scope), "
           "%lld succeeded all the same; %lld findings\n",
           target, (long long)shared->tests, tests_failed, (long long)calls, (long long)failures,
           (long long)shared->with_temporaries, (long long)survived, (long long)shared->findings);
}

int __real_srunner_ntests_failed(SRunner *runner);
int __wrap_srunner_ntests_failed(SRunner *runner);
int __wrap_srunner_ntests_failed(SRunner *runner) {
    return tests_failed = __real_srunner_ntests_failed(runner);
}

int __real_run_suites(SRunner *runner);
int __wrap_run_suites(SRunner *runner);
int __wrap_run_suites(SRunner *runner) {
    const char *word = getenv("TORTURE_KIND"), *path = getenv("TORTURE_REPORT");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return EXIT_FAILURE;
    visits_wanted = number_of("TORTURE_VISITS", visits_wanted);
    most_attempts = number_of("TORTURE_ATTEMPTS", most_attempts);
    seed = number_of("TORTURE_SEED", 0);
    read_left_out();
    report = path ? fopen(path, "w") : NULL;
    fill_queues();
    kind = word && strcmp(word, "io") == 0 ? tt_io : tt_allocations;
    const int status = __real_run_suites(runner);
    print_figures();
    if (report) fclose(report);
    return shared->findings ? EXIT_FAILURE : status;
}

void __real_tcase_fn_start(const char *name, const char *file, int line);
void __wrap_tcase_fn_start(const char *name, const char *file, int line);
void __wrap_tcase_fn_start(const char *name, const char *file, int line) {
    snprintf(test_name, sizeof test_name, "%s", name);
    test_left_out = is_left_out(name, NULL);
    inside = 0;
    suspended = false;
    if (shared) shared->tests++;
    __real_tcase_fn_start(name, file, line);
}

/* Tests that make calls fail themselves, count the calls of the library, or jump out of a call. */
void __real_tg_alloc_fail(int64_t n, bool forever);
void __wrap_tg_alloc_fail(int64_t n, bool forever);
void __wrap_tg_alloc_fail(int64_t n, bool forever) {
    suspended = n != 0;
    __real_tg_alloc_fail(n, forever);
}

void __real_set_faults(Faults wanted);
void __wrap_set_faults(Faults wanted);
void __wrap_set_faults(Faults wanted) {
    suspended = true;
    __real_set_faults(wanted);
}

void __real_reset_file_calls(void);
void __wrap_reset_file_calls(void);
void __wrap_reset_file_calls(void) {
    suspended = false;
    __real_reset_file_calls();
}

static void end_attempts(void) {
    tt_faults_end();
    inside = 0;
    atomic_flag_clear(&busy);
}

void __real_t_unwind(const t_Mark *mark);
void __wrap_t_unwind(const t_Mark *mark);
void __wrap_t_unwind(const t_Mark *mark) {
    if (inside) end_attempts();
    __real_t_unwind(mark);
}

/* ---- findings ---- */

static uint64_t hash_text(uint64_t h, const char *text) {
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001B3u;
    return h;
}

static void finding(const tt_Frame *f, const char *format, const char *what) {
    static const char *const modes[] = {"once", "twice", "for ever", "short"};
    char text[1000];
    snprintf(text, sizeof text, format, what);
    const char *name = tt_functions[f->function];
    const uint64_t h = hash_text(hash_text(0xCBF29CE484222325u, name), text) | 1;
    for (int i = 0; i < FINDINGS; i++) {
        uint64_t none = 0;
        _Atomic uint64_t *slot = &shared->known[(h + (uint64_t)i) % FINDINGS];
        if (*slot == h) return;
        if (atomic_compare_exchange_strong(slot, &none, h)) break;
    }
    shared->findings++;
    fprintf(stderr, "FOUND %s, call %lld (%s) fails %s%s%s: %s [test %s]\n", name, (long long)f->n, tt_failed_call(),
            modes[f->mode], kind == tt_io ? " with " : "", kind == tt_io ? strerror(f->reason) : "", text, test_name);
}

/* ---- an attempt ---- */

static int told;
static bool leaving;
static t_ErrorHandler handler;
static void *handler_context;

static void count_told(const char *message, void *context) {
    (void)context;
    told++;
    if (!tt_failed() && !leaving && handler) handler(message, handler_context);
}

static bool is_due(int64_t visit) {
    return visit <= visits_wanted || (visits_wanted > 1 && (visit & (visit - 1)) == 0);
}

/* The number of the visit of this place, from 1. */
static int64_t visit(int function, const void *caller) {
    const uint64_t key = ((uint64_t)(uintptr_t)caller * 0x9E3779B97F4A7C15u ^ (uint64_t)function) | 1;
    for (int i = 0; i < 64; i++) {
        Place *place = &shared->places[(key >> 20 ^ (uint64_t)i) % PLACES];
        uint64_t none = 0;
        if (place->key != key && !atomic_compare_exchange_strong(&place->key, &none, key) && none != key) continue;
        return ++place->visits;
    }
    return INT64_MAX - 1;
}

static void choose_mode(tt_Frame *f, const Counts *c) {
    static const int reasons[] = {EIO, ENOSPC, EACCES, EMFILE, EINTR};
    const int64_t turn = c->attempted + seed;
    f->n = 1;
    f->reason = ENOMEM;
    if (kind == tt_allocations) {
        static const tt_Mode modes[] = {tt_forever, tt_twice, tt_once};
        f->mode = modes[turn % 3];
    } else {
        f->mode = turn % 7 == 5 ? tt_short : turn % 7 == 6 ? tt_forever : tt_once;
        f->reason = f->mode == tt_forever ? EIO : reasons[turn % 5];
    }
    if (f->mode == tt_once) f->n = c->cursor + 1;
}

bool tt_begin(tt_Frame *f, int function, const void *caller) {
    if (inside || !shared || kind == tt_none) return false;
    Counts *c = &shared->functions[function];
    inside = 1;
    c->calls++;
    *f = (tt_Frame){.function = function, .caller = caller};
    /* autocast keeps the casts of a call that failed, and a profile what it recorded of it */
    f->planned = !tg_thread.error_pending && tg_thread.started && !tg_thread.autocast && !tg_profiler() && !suspended &&
                 !test_left_out &&
                 !(kind == tt_io && c->attempted >= 60 && c->failures + c->survived == 0) &&
                 is_due(visit(function, caller)) && !is_left_out(tt_functions[function], NULL) &&
                 !(kind == tt_io && is_left_out("io", tt_functions[function])) &&
                 !is_left_out(test_name, tt_functions[function]) && !atomic_flag_test_and_set(&busy);
    if (!f->planned) return true;
    choose_mode(f, c);
    c->attempted++;
    return true;
}

void tt_path(tt_Frame *f, const char *path) {
    if (f->planned && f->path_count < TT_PATHS) f->paths[f->path_count++] = path;
}

/* A call by one of the macros of sugar.h, whose error handler is told at its end. */
static void enter(tt_Frame *f) {
    Context *thread = &tg_thread;
    f->failures = thread->failures;
    f->reported = thread->failures_reported;
    f->reported_out_of_memory = thread->reported_out_of_memory;
    f->entered = thread->site && !tg_profiler();
    told = 0;
    if (!f->entered) return;
    handler = thread->handler;
    handler_context = thread->handler_context;
    thread->handler = count_told;
    thread->handler_context = NULL;
    f->site = t_enter_(thread->site);
}

static void leave(tt_Frame *f) {
    Context *thread = &tg_thread;
    if (!f->entered) return;
    leaving = true;
    t_leave_(f->site);
    leaving = false;
    thread->handler = handler;
    thread->handler_context = handler_context;
}

void tt_arm(tt_Frame *f) {
    if (!f->planned) return;
    if (f->blocks == 0) {
        tt_world_look(f->paths, f->path_count);
        f->blocks = -1;
    }
    enter(f);
    f->blocks = tt_live_blocks();
    tt_faults_begin(kind, f->mode, f->n, f->reason);
}

/* Another error than the reason of the failure is right if the call gives it undisturbed, too: that is tried at last.
 */
static char other_error[1000];
static void check_text(const tt_Frame *f, const char *said) {
    if (kind == tt_allocations) {
        if (strstr(said, "out of memory") || strstr(said, strerror(ENOMEM)) || strstr(said, strerror(EAGAIN))) return;
        snprintf(other_error, sizeof other_error, "%s", said);
        return;
    }
    bool named = f->path_count == 0;
    for (int i = 0; i < f->path_count; i++) named = named || (f->paths[i] && strstr(said, f->paths[i]));
    if (!strstr(said, strerror(f->reason)))
        snprintf(other_error, sizeof other_error, "%s", said);
    else if (!named)
        finding(f, "the error does not name the file: %s", said);
}

/* The attempt has failed: everything must be as it was, but for the error, which is cleared. */
static void check_failure(tt_Frame *f, tt_Outcome outcome) {
    const char *said = t_error();
    if (!said) said = "";
    if (outcome == TT_GIVEN) finding(f, "succeeds with an error pending: %s", said);
    if (f->entered && told != 1)
        finding(f, told ? "the error is told more than once: %s" : "the error is not told: %s", said);
    check_text(f, said);
    t_clear_error();
    tg_thread.reported_out_of_memory = f->reported_out_of_memory;
    if (tt_world_release()) shared->with_temporaries++;
    const char *change = tt_world_change();
    if (change) finding(f, "%s", change);
    /* again, to tell a leak from a cache that was filled */
    if (tt_live_blocks() > f->blocks && !change) {
        enum { LEAK = 300 }; /* more than the queues of dead objects hold */
        if (++f->leaks < LEAK) return;
        finding(f, "%s is leaked at each attempt", "memory");
    }
    f->leaks = 0;
    if (other_error[0] || change)
        f->n = INT64_MAX / 2;
    else
        f->n += f->n < most_attempts ? 1 : f->n / 4;
}

/* Whether the failed call's error, which stands after the place of the call, begins as `said` does; a text in it may
 * have been left out without memory: "[...]". */
static bool is_same_error(const char *failed, const char *said) {
    for (size_t length = strlen(said) < 11 ? strlen(said) : 11; length > 0; length--) {
        char start[12];
        snprintf(start, sizeof start, "%.*s", (int)length, said);
        const char *at = strstr(failed, start);
        if (at && (length == 11 || !said[length] || !strncmp(at + length, "[...]", 5))) return true;
    }
    return false;
}

/* The last attempt: nothing failed, or the call succeeded although something did. */
static void finish(tt_Frame *f, Counts *c, tt_Outcome outcome) {
    const int64_t counted = tt_counted();
    if (counted > c->most) c->most = counted;
    if (tt_failed()) c->survived++;
    if (f->quiet && outcome == TT_GIVEN) finding(f, "%s is returned, and no error is told", "nothing");
    if (other_error[0]) {
        const char *said = tg_thread.error_pending ? t_error_message() : "";
        if (!is_same_error(other_error, said)) finding(f, "the error does not give the reason: %s", other_error);
        other_error[0] = '\0';
    }
    if (f->mode == tt_once) c->cursor = tt_failed() ? f->n : 0;
    if (f->entered && tg_thread.error_pending) {
        tg_thread.failures_reported = f->reported;
        tg_thread.reported_out_of_memory = f->reported_out_of_memory;
    }
}

bool tt_again(tt_Frame *f, tt_Outcome outcome) {
    if (!f->planned || !inside) {
        inside = 0;
        return false;
    }
    tt_faults_end();
    leave(f);
    Counts *c = &shared->functions[f->function];
    const bool failed = tt_failed() > 0, pending = tg_thread.error_pending;
    if (failed && pending) {
        c->failures++;
        check_failure(f, outcome);
        return true;
    }
    if (failed && outcome == TT_FAILED && !f->quiet) {
        f->quiet = true;
        c->survived++;
        f->n = INT64_MAX / 2;
        return true;
    }
    finish(f, c, outcome);
    end_attempts();
    return false;
}
