/* tests/torture/api/torture.c: calls of every public function with arguments that succeed and hostile ones.
 *
 * A call is a function, a seed of its arguments that succeed, and a set of arguments that are hostile: all that it
 * passes follows from these numbers and from TORTURE_SEED, so that a call is repeated in a fresh process, with fewer
 * hostile arguments, and printed as C. The parent process only forks: each child makes some thousands of calls, and a
 * crash ends a child.
 *
 * After each call: an error that was told with a result, a result that is missing without an error, arguments or the
 * state of the thread that a refused call has changed, arguments behind a const pointer that any call has changed, and
 * tensors that are still alive when the scope of the call is closed. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/torture/api/torture.h"

#include "core/core.h"
#include "core/python/python.h"
#include "nn/nn.h"

Shared *shared;
static int chunk = 2000;
static uint64_t torture_seed = 1;

/* ---- findings ---- */

static const char *const finding_names[] = {"none",
                                            "crash",
                                            "hang",
                                            "leak",
                                            "changed by a refusal",
                                            "changed behind const",
                                            "error without refusal",
                                            "refusal without error",
                                            "state of the thread changed",
                                            "no text",
                                            "calls of the error handler"};

void found(FindingKind kind, const char *format, ...) {
    if (shared->finding.kind) return; /* the first one of the call */
    shared->finding.kind = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(shared->finding.text, sizeof shared->finding.text, format, arguments);
    va_end(arguments);
}

/* ---- one call ---- */

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double now(void) {
    return seconds_of(CLOCK_MONOTONIC);
}
static double processor_time(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t state_of_thread(bool draws) {
    uint64_t h = 1;
    const int64_t numbers[] = {t_is_grad_enabled(),
                               (int64_t)(t_get_default_dtype)(),
                               t_scope_depth(),
                               (int64_t)t_get_num_threads(),
                               tg_thread.autocast,
                               tg_thread.autocast_depth,
                               tg_thread.saved_hooks != NULL,
                               tg_thread.anomaly.on,
                               tg_thread.keeps_values,
                               tg_thread.backward != NULL,
                               tg_thread.dual_level != NULL,
                               tg_thread.leaf_hooks};
    h = hash_bytes(h, numbers, sizeof numbers);
    return draws ? h : hash_generator(h, tg_thread.generator);
}

static bool failed_value(const Function *f, const Value *r) {
    switch (f->result) {
    case k_tensor:
    case k_object:
    case k_pointer:
    case k_text:
    case k_other:
    case k_callback: return !r->p;
    case k_bool: return !r->b;
    default: return false;
    }
}

static int handled;

static void on_error(const char *text, void *context) {
    (void)text;
    (void)context;
    handled++;
}

/* Makes the arguments and calls; the outcome is 1 success, -1 refused. */
static int make_call(const Call *c) {
    const Function *f = &api_functions[c->function];
    Value values[MOST_PARAMS], result = {0};
    long double wide[MOST_PARAMS];
    arguments_begin(c);
    for (int i = 0; i < f->count; i++) get_argument(i, &values[i], &wide[i]);
    print_call(f, c->macro);
    prepared_before(f->name);
    t_clear_error();
    api_calls_of_callbacks = 0;
    const uint64_t thread_before = state_of_thread(f->flags & f_draws);
    hash_arguments();
    shared->phase = 1;
    handled = 0;
    api_was_plain = false;
    (c->macro ? f->call_macro : f->call)(values, &result, wide);
    shared->phase = 2;
    const char *message = (t_error_message)();
    if (c->macro && !api_was_plain && handled != (message != NULL))
        found(find_handler, "the macro has called the handler %d times, and the error is: %.300s", handled,
              message ? message : "none");
    const bool failed = failed_value(f, &result);
    if (message && !*message) found(find_text, "an empty error text");
    if (message && f->result != k_void && !(f->flags & f_partial)) {
        if ((f->result == k_tensor || f->result == k_object || f->result == k_pointer || f->result == k_text ||
             f->result == k_bool) &&
            !failed)
            found(find_error_with_result, "an error is told, and there is a result: %.300s", message);
        else if (f->result == k_int && result.i > 0)
            found(find_error_with_result, "an error is told, and the result is %lld: %.300s", (long long)result.i,
                  message);
    }
    if (!message && failed && !(f->flags & (f_answer | f_null)) && f->result != k_other)
        found(find_silent, "the result is %s, and no error is told", f->result == k_bool ? "false" : "NULL");
    compare_arguments(message != NULL, f);
    if (message && !(f->flags & f_global) && state_of_thread(f->flags & f_draws) != thread_before)
        found(find_state, "a refused call has changed the state of the thread: %.300s", message);
    snprintf(shared->last_message, sizeof shared->last_message, "%s", message ? message : "");
    if (f->flags & f_frees && result.p) free(result.p);
    t_clear_error();
    if (f->flags & f_fails) return message ? 1 : -1;
    return message || (failed && !(f->flags & (f_answer | f_null))) ? -1 : 1;
}

static void reset_thread(void) {
    (t_set_grad_enabled)(true);
    if ((t_get_default_dtype)() != t_float32) (t_set_default_dtype)(t_float32);
    if (t_get_num_threads() != 1) (t_set_num_threads)(1);
    (t_set_error_handler)(on_error, NULL);
    t_clear_error();
}

/* The call in a scope of its own, and what is left of it. */
int torture_call(const Call *c) {
    const Function *f = &api_functions[c->function];
    const double start = processor_time();
    shared->current = *c;
    shared->finding.kind = find_none;
    shared->phase = 0;
    struct itimerval limit = {.it_value = {.tv_sec = f->flags & f_large ? 60 : 5}}, off = {0};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(300);
    t_Mark mark;
    (t_mark)(&mark);
    const int64_t live = t_live_count(), bytes = t_live_bytes();
    const int depth = t_scope_open();
    int outcome = make_call(c);
    if (t_scope_depth() >= depth) t_scope_close(depth);
    arguments_end();
    (t_unwind)(&mark);
    reset_thread();
    if (t_live_count() != live && !(f->flags & f_keeps))
        found(find_leak, "%lld tensors (%lld bytes) are alive after the scope of the call",
              (long long)(t_live_count() - live), (long long)(t_live_bytes() - bytes));
    shared->phase = 0;
    setitimer(ITIMER_PROF, &off, NULL);
    alarm(0);
    if (outcome > 0)
        shared->succeeded[c->function]++;
    else
        shared->refused[c->function]++;
    shared->calls++;
    shared->seconds[c->function] += processor_time() - start;
    return outcome;
}

/* ---- the child processes ---- */

static char scratch[200];
static int parent; /* two runs use two folders */

static void on_alarm(int signal_number) {
    (void)signal_number;
    _exit(97);
}

/* Files by their readers' names, and a folder: what paths in texts may name. */
static void begin_child(void) {
    char folder[300];
    snprintf(folder, sizeof folder, "%s/%d", scratch, parent);
    char command[1200], log_name[300];
    snprintf(log_name, sizeof log_name, "%s/%d.log", scratch, parent);
    snprintf(command, sizeof command, "rm -rf %s; cp -r %s/files %s", folder, scratch, folder);
    if (system(command) || chdir(folder)) _exit(90);
    const int log = open(log_name, O_CREAT | O_TRUNC | O_WRONLY, 0644), null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(log, 2);
    close(log);
    close(null);
    signal(SIGPROF, on_alarm);
    signal(SIGALRM, on_alarm);
    /* A sanitizer has terabytes of address space from the beginning. */
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm && fscanf(statm, "%llu", &pages) == 1) {
        const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)1 << 30);
        setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
    }
    if (statm) fclose(statm);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 26, 1 << 26});
    signal(SIGXFSZ, SIG_IGN);
    (t_set_num_threads)(1);
    (t_manual_seed)(1);
    (t_set_error_handler)(on_error, NULL);
}

#if defined(__SANITIZE_ADDRESS__)
int __lsan_do_recoverable_leak_check(void);
#else
static int __lsan_do_recoverable_leak_check(void) {
    return 0;
}
#endif

/* Runs body in a child; how it ended: 0 well, else a kind of finding, whose text is in shared->finding. */
static FindingKind in_child(void (*body)(void *), void *context) {
    fflush(NULL);
    shared->finding.kind = find_none;
    const pid_t child = fork();
    if (child == 0) {
        begin_child();
        body(context);
        shared->phase = 3;
        fflush(NULL);
        if (shared->finding.kind == find_none && shared->leak_check && __lsan_do_recoverable_leak_check())
            found(find_leak, "the leak sanitizer found memory that nothing refers to");
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return shared->finding.kind;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 97) {
        shared->finding.kind = find_none;
        found(find_hang, "more than 5 s of processor time (of a large model 60 s), or 300 s%s",
              shared->phase == 0 ? ", while the arguments were made" : "");
        return find_hang;
    }
    shared->finding.kind = find_none;
    char log[300], line[500], text[800] = "";
    snprintf(log, sizeof log, "%s/%d.log", scratch, parent);
    FILE *report = fopen(log, "r");
    int frames = 0;
    while (report && fgets(line, sizeof line, report)) {
        char *at = strstr(line, "ERROR: AddressSanitizer"), *runtime = strstr(line, "runtime error"),
             *frame = strstr(line, " in ");
        if (!at && !runtime && !(frame && strstr(line, "    #") && frames < 6)) continue;
        if (!at && !runtime) {
            if (strstr(line, "/sanitizer") || strstr(line, "lib/gcc") || strstr(line, "<null>")) continue;
            frames++;
            at = frame;
        }
        line[strcspn(line, "\n")] = '\0';
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.160s;", runtime ? line : at);
    }
    if (report) fclose(report);
    found(find_crash, "%s %d%s: %s", WIFSIGNALED(status) ? "signal" : "exit code",
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
          shared->phase == 0   ? " while the arguments were made"
          : shared->phase == 3 ? " at the end"
                               : "",
          text);
    return find_crash;
}

/* ---- which calls ---- */

static int *callable, callable_count;
static int macro_share;

static int each; /* not 0: that many calls of each function, by the hash of its name */

Call call_at(uint64_t seed, uint64_t k) {
    uint64_t s = mix(seed, k);
    int i = 0;
    if (each) {
        i = callable[k / (uint64_t)each % (uint64_t)callable_count];
        s = mix(hash_bytes(seed, api_functions[i].name, strlen(api_functions[i].name)), k % (uint64_t)each);
    } else {
        do i = callable[draw(&s, (uint64_t)callable_count)];
        while (callable_count > 50 && api_functions[i].flags & f_slow && draw(&s, 500));
    }
    Call c = {.seed = s, .number = k, .function = i};
    const Function *f = &api_functions[c.function];
    c.base = shared->base[c.function] ? shared->base[c.function] : draw(&s, 1 << 20) + 1;
    const int n = f->count < 32 ? f->count : 32;
    const uint64_t kind = draw(&s, 10);
    const uint32_t all = n == 32 ? UINT32_MAX : (1u << n) - 1;
    if (n && kind < 6)
        c.hostile = 1u << draw(&s, (uint64_t)n);
    else if (n && kind < 8)
        c.hostile = (uint32_t)(mix(s, 5) & mix(s, 6)) & all;
    else if (n && kind < 9)
        c.hostile = all;
    c.macro = f->call_macro && draw(&s, 100) < (uint64_t)macro_share;
    return c;
}

/* ---- findings of a child, once for each function and kind ---- */

static Pending listed[2000];
static int listed_count;

static void add_pending(const Call *c) {
    for (int i = 0; i < listed_count; i++)
        if (listed[i].call.function == c->function && listed[i].finding.kind == shared->finding.kind) return;
    for (int i = 0; i < shared->pending_count; i++)
        if (shared->pending[i].call.function == c->function && shared->pending[i].finding.kind == shared->finding.kind)
            return;
    if (shared->pending_count < MOST_PENDING) shared->pending[shared->pending_count++] = (Pending){*c, shared->finding};
}

/* ---- the search for arguments that succeed ---- */

typedef struct Search {
    int first, last, tries;
} Search;

static void search(void *context) {
    const Search *range = context;
    for (int i = range->first; i < range->last; i++) {
        const int function = callable[i];
        if (shared->base[function]) continue;
        const int most = api_functions[function].flags & f_slow && range->tries > 20 ? 20 : range->tries;
        for (int j = shared->tried[function]; j < most; j++) {
            shared->tried[function] = j + 1;
            const Call c = {.function = function, .base = (uint64_t)j + 1, .seed = (uint64_t)j};
            if (torture_call(&c) > 0 || (shared->finding.kind && shared->finding.kind != find_leak)) {
                if (shared->finding.kind) {
                    add_pending(&c);
                    if (shared->finding.kind != find_changed_const) continue;
                }
                shared->base[function] = c.base;
                break;
            }
        }
    }
    shared->finding.kind = find_none;
}

/* ---- findings: once each, shrunk, printed ---- */

typedef struct Replay {
    Call call;
    int outcome;
} Replay;

static void replay(void *context) {
    Replay *r = context;
    r->outcome = torture_call(&r->call);
}

static void print_body(void *context) {
    Replay *r = context;
    print_to(shared->printed, sizeof shared->printed);
    torture_call(&r->call);
}

static void list_finding(Pending p) {
    for (int i = 0; i < listed_count; i++)
        if (listed[i].call.function == p.call.function && listed[i].finding.kind == p.finding.kind) return;
    if (listed_count == 2000) return;
    Replay r = {.call = p.call};
    const bool leak_check = shared->leak_check;
    shared->leak_check = p.finding.kind == find_leak;
    const FindingKind again = in_child(replay, &r);
    bool alone = again == p.finding.kind;
    if (alone) {
        p.finding = shared->finding;
        for (int i = 0; i < 32; i++)
            if (r.call.hostile >> i & 1) {
                Replay smaller = r;
                smaller.call.hostile &= ~(1u << i);
                if (in_child(replay, &smaller) == p.finding.kind) {
                    r = smaller;
                    p.finding = shared->finding;
                }
            }
        if (r.call.macro) {
            Replay plain = r;
            plain.call.macro = false;
            if (in_child(replay, &plain) == p.finding.kind) r = plain, p.finding = shared->finding;
        }
        p.call = r.call;
    }
    shared->leak_check = false;
    memset(shared->printed, 0, sizeof shared->printed);
    const Finding kept = p.finding;
    in_child(print_body, &r);
    shared->leak_check = leak_check;
    listed[listed_count++] = p;
    printf("\n==== %d: %s: %s\n/* %s */\n", listed_count, api_functions[p.call.function].name, finding_names[kept.kind],
           kept.text);
    if (!alone) printf("/* only after the calls before it: not repeated alone */\n");
    printf("/* --call %d:%llu:%llu:%u:%d */\n", p.call.function, (unsigned long long)p.call.base,
           (unsigned long long)p.call.seed, p.call.hostile, p.call.macro);
    printf("%s", shared->printed);
    fflush(stdout);
}

static void list_pending(void) {
    static Pending copies[MOST_PENDING];
    const int count = shared->pending_count;
    memcpy(copies, shared->pending, sizeof copies);
    shared->pending_count = 0;
    for (int i = 0; i < count; i++) list_finding(copies[i]);
}

/* ---- runs ---- */

typedef struct Range {
    uint64_t from, to;
} Range;

static void run_range(void *context) {
    const Range *range = context;
    for (uint64_t k = range->from; k < range->to; k++) {
        const Call c = call_at(torture_seed, k);
        torture_call(&c);
        if (shared->finding.kind) add_pending(&c);
    }
    shared->finding.kind = find_none;
}

static void find_leak_in(Range range) {
    shared->leak_check = true;
    while (range.to - range.from > 1) {
        Range half = {range.from, range.from + (range.to - range.from) / 2};
        const int pending = shared->pending_count;
        const FindingKind kind = in_child(run_range, &half);
        shared->pending_count = pending;
        if (kind == find_leak)
            range = half;
        else
            range.from = half.to;
    }
    const Call c = call_at(torture_seed, range.from);
    in_child(run_range, &range);
    if (shared->finding.kind == find_leak) add_pending(&c);
    shared->leak_check = false;
}

static void search_all(int tries) {
    for (int round = 1; round <= 3; round++) {
        const int most = round == 1 && tries > 60 ? 60 : round == 2 ? tries / 4 : tries;
        for (int from = 0; from < callable_count; from += 100) {
            Search range = {from, from + 100 < callable_count ? from + 100 : callable_count, most};
            for (;;) {
                const FindingKind kind = in_child(search, &range);
                if (!kind) break;
                add_pending(&shared->current);
                shared->tried[shared->current.function] += kind == find_hang ? 100 : 10;
            }
        }
        list_pending();
    }
}

static void report(double seconds) {
    int functions = 0, with_success = 0, refused = 0, excepted = 0, macros = 0;
    uint64_t successes = 0, refusals = 0;
    for (int i = 0; i < api_function_count; i++) {
        if (api_functions[i].exception) {
            excepted++;
            continue;
        }
        functions++;
        macros += api_functions[i].call_macro != NULL;
        with_success += shared->succeeded[i] > 0;
        refused += shared->refused[i] > 0;
        successes += shared->succeeded[i];
        refusals += shared->refused[i];
    }
    printf(
        "torture-api: seed %llu: %llu calls in %.0f s: %llu succeeded, %llu refused; of %d functions (%d not called, "
        "%d also by their macro) %d succeeded, %d refused a call; findings: %d\n",
        (unsigned long long)torture_seed, (unsigned long long)(successes + refusals), seconds,
        (unsigned long long)successes, (unsigned long long)refusals, functions, excepted, macros, with_success, refused,
        listed_count);
}

static void print_unreached(void) {
    for (int i = 0; i < api_function_count; i++)
        if (!api_functions[i].exception && !shared->succeeded[i]) {
            static Search one;
            one = (Search){0, 1, shared->tried[i] + 1};
            const int keep = callable[0];
            callable[0] = i;
            in_child(search, &one);
            callable[0] = keep;
            printf("never succeeded: %s: %s\n", api_functions[i].name, shared->last_message);
        }
}

static void print_slow(void) {
    for (int i = 0; i < api_function_count; i++)
        if (shared->seconds[i] > 0.5)
            printf("%7.2f s, %llu calls: %s\n", shared->seconds[i],
                   (unsigned long long)(shared->succeeded[i] + shared->refused[i]), api_functions[i].name);
}

static bool matches(const char *names, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ',') && (at[n] == ',' || at[n] == '\0')) return true;
    return false;
}

int main(int argc, char **argv) {
    uint64_t calls = 100000, from = 0;
    int tries = 4000;
    double seconds = 1e9;
    const char *only = NULL, *call = NULL;
    bool unreached = false, exceptions = false, slow = false;
    snprintf(scratch, sizeof scratch, "build/torture/api/scratch");
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--unreached"))
            unreached = true;
        else if (!strcmp(argv[i], "--slow"))
            slow = true;
        else if (!strcmp(argv[i], "--exceptions"))
            exceptions = true;
        else if (!strcmp(argv[i], "--seed"))
            torture_seed = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--calls"))
            calls = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--from"))
            from = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--chunk"))
            chunk = atoi(value), i++;
        else if (!strcmp(argv[i], "--tries"))
            tries = atoi(value), i++;
        else if (!strcmp(argv[i], "--macros"))
            macro_share = atoi(value), i++;
        else if (!strcmp(argv[i], "--seconds"))
            seconds = atof(value), i++;
        else if (!strcmp(argv[i], "--each"))
            each = atoi(value), i++;
        else if (!strcmp(argv[i], "--only"))
            only = value, i++;
        else if (!strcmp(argv[i], "--call"))
            call = value, i++;
        else if (!strcmp(argv[i], "--scratch"))
            snprintf(scratch, sizeof scratch, "%s", value), i++;
        else
            return fprintf(stderr, "torture: what is %s?\n", argv[i]), 2;
    }
    if (exceptions) {
        for (int i = 0; i < api_function_count; i++)
            if (api_functions[i].exception) printf("%s: %s\n", api_functions[i].name, api_functions[i].exception);
        return 0;
    }
    char path[4096];
    if (!realpath(scratch, path) || strlen(path) >= sizeof scratch)
        return fprintf(stderr, "torture: no %s\n", scratch), 2;
    strcpy(scratch, path);
    parent = (int)getpid();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || api_function_count > MOST_FUNCTIONS) return 2;
    callable = calloc((size_t)api_function_count + 1, sizeof *callable);
    for (int i = 0; i < api_function_count; i++)
        if (!api_functions[i].exception && !(each && api_functions[i].flags & f_large)) callable[callable_count++] = i;
    const double start = now();
    char files[300];
    snprintf(files, sizeof files, "%s/files", scratch);
    index_producers();
    index_files(files);
    search_all(tries);
    if (only) {
        callable_count = 0;
        for (int i = 0; i < api_function_count; i++)
            if (!api_functions[i].exception && matches(only, api_functions[i].name)) callable[callable_count++] = i;
        if (!callable_count) return fprintf(stderr, "torture: no function %s\n", only), 2;
    }
    if (call) {
        Call c = {0};
        unsigned long long base = 0, seed = 0;
        int macro = 0;
        if (sscanf(call, "%d:%llu:%llu:%u:%d", &c.function, &base, &seed, &c.hostile, &macro) != 5) return 2;
        c.base = base, c.seed = seed, c.macro = macro;
        listed_count = 0;
        Replay r = {.call = c};
        const FindingKind kind = in_child(replay, &r);
        if (kind)
            list_finding((Pending){c, shared->finding});
        else
            printf("no finding; %s\n", shared->last_message);
        return kind != find_none;
    }
    if (each) calls = (uint64_t)each * (uint64_t)callable_count;
    for (uint64_t k = from; k < from + calls && now() - start < seconds;) {
        const uint64_t end = k + (uint64_t)chunk < from + calls ? k + (uint64_t)chunk : from + calls;
        Range range = {k, end};
        while (range.from < range.to) {
            shared->leak_check = true;
            const FindingKind kind = in_child(run_range, &range);
            shared->leak_check = false;
            if (!kind) break;
            if (kind == find_leak) {
                find_leak_in(range);
                break;
            }
            add_pending(&shared->current);
            if (shared->phase == 3) break; /* at the end of the process */
            range.from = shared->current.number + 1;
        }
        list_pending();
        k = end;
    }
    if (unreached) print_unreached();
    if (slow) print_slow();
    report(now() - start);
    char command[600];
    snprintf(command, sizeof command, "rm -rf %s/%d %s/%d.log", scratch, parent, scratch, parent);
    return system(command) != 0 || listed_count > 0;
}
