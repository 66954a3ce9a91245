/* examples/lessons/grader.c: runs each check in a process of its own and prints the points (grader.h). */
#include "grader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader_source.h"
#undef main

/* ---- in the process of a check ---- */

enum { PASSED = 40, FAILED }; /* exit codes that a student's exit() does not give */

static uint64_t random_state;
static char current_case[256];

/* splitmix64 (Steele, Lea, Flood 2014); the library's generator stays free for the student's function. */
static uint64_t random_bits(void) {
    uint64_t z = random_state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

double draw_uniform(double low, double high) {
    return low + (high - low) * ((double)(random_bits() >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */
}

int draw_integer(int low, int high) { return low + (int)(random_bits() % (uint64_t)(high - low + 1)); }

/* The normal distribution by Box and Muller (1958). */
Tensor *draw_tensor(int ndim, const int64_t *shape) {
    int64_t count = 1;
    for (int i = 0; i < ndim; i++) count *= shape[i];
    float *values = malloc((size_t)(count ? count : 1) * sizeof *values);
    if (!values) return NULL;
    for (int64_t i = 0; i < count; i++) {
        double radius = sqrt(-2 * log(draw_uniform(0, 1)));
        values[i] = (float)(radius * cos(2 * 3.14159265358979323846 * draw_uniform(0, 1)));
    }
    Tensor *x = (t_tensor_from_data)(values, t_float32, shape, ndim, NULL);
    free(values);
    return x;
}

void in_case(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(current_case, sizeof current_case, format, arguments);
    va_end(arguments);
}

/* Writes the reason, which the parent reads from stderr, and ends the check. */
static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (*current_case) fprintf(stderr, " (%s)", current_case);
    fflush(stderr);
    _exit(FAILED);
}

static void library_error(const char *text, void *context) {
    (void)context;
    fail("%s", text);
}

void expect_true(bool condition, const char *format, ...) {
    if (condition) return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fail("%s", message);
}

void expect_number(const char *what, double got, double expected) {
    if (!(fabs(got - expected) <= 1e-6 + 1e-6 * fabs(expected))) fail("%s is %.7g, expected %.7g", what, got, expected);
}

void expect_integer(const char *what, long long got, long long expected) {
    if (got != expected) fail("%s is %lld, expected %lld", what, got, expected);
}

void expect_text(const char *what, const char *got, const char *expected) {
    if (!got || strcmp(got, expected) != 0) fail("%s is \"%s\", expected \"%s\"", what, got ? got : "NULL", expected);
}

/* "(3, 4)" */
static const char *shape_text(Tensor *x, char text[128]) {
    int n = snprintf(text, 128, "(");
    for (int i = 0; i < t_dim(x); i++)
        n += snprintf(text + n, (size_t)(128 - n), i ? ", %lld" : "%lld", (long long)t_size(x, i));
    snprintf(text + n, (size_t)(128 - n), t_dim(x) == 1 ? ",)" : ")");
    return text;
}

/* "[1, 0]": the position of the i-th element */
static const char *index_text(Tensor *x, int64_t i, char text[128]) {
    int64_t index[T_MAX_DIMS];
    for (int d = (int)t_dim(x) - 1; d >= 0; d--) {
        index[d] = i % t_size(x, d);
        i /= t_size(x, d);
    }
    int n = snprintf(text, 128, t_dim(x) ? "[" : "");
    for (int d = 0; d < t_dim(x); d++)
        n += snprintf(text + n, (size_t)(128 - n), d ? ", %lld" : "%lld", (long long)index[d]);
    if (t_dim(x)) snprintf(text + n, (size_t)(128 - n), "]");
    return text;
}

void expect_close_within(const char *what, Tensor *got, Tensor *expected, double relative, double absolute) {
    char a[128], b[128];
    if (!got) fail("%s is NULL", what);
    bool same_shape = t_dim(got) == t_dim(expected);
    for (int d = 0; same_shape && d < t_dim(got); d++) same_shape = t_size(got, d) == t_size(expected, d);
    if (!same_shape) fail("%s has shape %s, expected %s", what, shape_text(got, a), shape_text(expected, b));
    with_no_grad() {
        Tensor *x = t_contiguous(t_double(t_detach(got))), *y = t_contiguous(t_double(t_detach(expected)));
        const double *g = t_data_ptr(x), *e = t_data_ptr(y);
        for (int64_t i = 0; i < t_numel(x); i++) {
            bool same = g[i] == e[i] || (isnan(g[i]) && isnan(e[i])) ||
                        (isfinite(e[i]) && fabs(g[i] - e[i]) <= absolute + relative * fabs(e[i]));
            if (!same) fail("%s%s is %.6g, expected %.6g", what, index_text(x, i, a), g[i], e[i]);
        }
    }
}

void expect_close(const char *what, Tensor *got, Tensor *expected) {
    expect_close_within(what, got, expected, 1e-4, 1e-5);
}

const char *captured_output(void (*run)(void)) {
    static char text[1 << 16];
    FILE *file = tmpfile();
    if (!file) return "";
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    run();
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void __attribute__((noreturn)) run_check(const Check *check, uint64_t seed) {
    random_state = seed;
    t_manual_seed((int64_t)(seed >> 1));
    t_set_num_threads(1);
    t_set_error_handler(library_error, NULL);
    check->run();
    fflush(stdout);
    _exit(PASSED);
}

/* ---- in the program's process ---- */

typedef struct Result {
    bool passed;
    char message[1024]; /* empty if passed */
} Result;

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads what the process writes to stderr until it closes it. False if it has not ended in time. */
static bool read_until_closed(int from, double seconds, char *text, size_t size) {
    size_t length = 0;
    double end = seconds_now() + seconds;
    for (;;) {
        double left = end - seconds_now();
        struct pollfd poll_for = {from, POLLIN, 0};
        if (left <= 0 || poll(&poll_for, 1, (int)(left * 1000) + 1) == 0) return text[length] = 0, false;
        char chunk[512];
        ssize_t n = read(from, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text[length] = 0, true;
        size_t kept = (size_t)n < size - 1 - length ? (size_t)n : size - 1 - length; /* the beginning is enough */
        memcpy(text + length, chunk, kept);
        length += kept;
    }
}

/* Ends all that is left of the check's processes and returns the exit status of the first. */
static int stop(pid_t child) {
    kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    return status;
}

/* The first line of a text that a stopped program wrote. */
static void first_line(char *text) { text[strcspn(text, "\n")] = 0; }

static void run_isolated(const Check *check, uint64_t seed, int seconds, Result *result) {
    int ends[2];
    fflush(NULL);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) {
        snprintf(result->message, sizeof result->message, "no process could be started: %s", strerror(errno));
        return;
    }
    if (child == 0) {
        setpgid(0, 0);
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(nowhere), close(ends[0]), close(ends[1]);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes of addresses */
        setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)4 << 30, (rlim_t)4 << 30});
#endif
        run_check(check, seed);
    }
    setpgid(child, child);
    close(ends[1]);
    char text[sizeof result->message - 128] = "";
    bool in_time = read_until_closed(ends[0], seconds, text, sizeof text);
    close(ends[0]);
    if (in_time) { /* stderr is closed; the process itself has a moment to end */
        for (int i = 0; i < 100; i++) {
            siginfo_t ended = {0};
            if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child) break;
            usleep(10000);
        }
    }
    int status = stop(child);
    char *message = result->message;
    size_t size = sizeof result->message;
    if (!in_time) snprintf(message, size, "still running after %d seconds", seconds);
    else if (WIFSIGNALED(status)) snprintf(message, size, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == PASSED) result->passed = true;
    else if (WEXITSTATUS(status) == FAILED) snprintf(message, size, "%s", text);
    else {
        first_line(text + strspn(text, "=\n"));
        snprintf(message, size, "the program ended itself with exit status %d%s%s", WEXITSTATUS(status),
                 *text ? ": " : "", text + strspn(text, "=\n"));
    }
}

/* limit: seconds instead of the check's own limit, or 0 */
static void grade_check(const Check *check, Source *source, const char *file, uint64_t seed, int limit,
                        Result *result) {
    const char *function = check->function ? check->function : check->name;
    int line = source_line(source, function);
    char used[64], reason[1024];
    int used_line;
    *result = (Result){false, ""};
    if (source_uses(source, function, check->forbidden, used, &used_line)) {
        snprintf(result->message, sizeof result->message,
                 "%s:%d: %s uses %s, which the exercise asks you to do without", file, used_line, function, used);
        return;
    }
    run_isolated(check, seed, limit ? limit : check->seconds ? check->seconds : 10, result);
    if (result->passed || strncmp(result->message, file, strlen(file)) == 0) return; /* the library named a line */
    snprintf(reason, sizeof reason, "%s", result->message);
    if (line) snprintf(result->message, sizeof result->message, "%s:%d: %s: %.800s", file, line, function, reason);
    else snprintf(result->message, sizeof result->message, "%s: no function %s found: %.800s", file, function, reason);
}

static void print_json_string(const char *s) {
    putchar('"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c == '\n') printf("\\n");
        else if (c < 0x20) printf("\\u%04x", c);
        else putchar(c);
    }
    putchar('"');
}

/* Gradescope's results.json: score, and an object for each test. */
static void print_json(const Lesson *lesson, const Result *results, int points, uint64_t seed) {
    printf("{\"score\": %d, \"output\": \"%s, seed %llu\", \"tests\": [", points, lesson->name,
           (unsigned long long)seed);
    for (int i = 0; i < lesson->count; i++) {
        const Check *check = &lesson->checks[i];
        printf("%s\n  {\"name\": ", i ? "," : "");
        print_json_string(check->name);
        printf(", \"score\": %d, \"max_score\": %d, \"status\": \"%s\", \"output\": ",
               results[i].passed ? check->points : 0, check->points, results[i].passed ? "passed" : "failed");
        print_json_string(results[i].message);
        printf("}");
    }
    printf("\n]}\n");
}

int main(int argc, char **argv) {
    const Lesson *lesson = &graded_lesson;
    unsigned long long seed = 1, limit = 0;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        unsigned long long *option = strcmp(argv[i], "--seed") == 0    ? &seed
                                     : strcmp(argv[i], "--limit") == 0 ? &limit
                                                                       : NULL;
        char *end = "";
        if (strcmp(argv[i], "--json") == 0) json = true;
        else if (option && i + 1 < argc) {
            *option = strtoull(argv[++i], &end, 10);
            if (*end || !*argv[i]) return fprintf(stderr, "%s takes an integer, not %s\n", argv[i - 1], argv[i]), 2;
        } else return fprintf(stderr, "usage: %s [--seed N] [--limit SECONDS] [--json]\n", argv[0]), 2;
    }
    const char *slash = strrchr(lesson->source, '/'), *file = slash ? slash + 1 : lesson->source;
    Source source;
    if (!source_read(&source, lesson->source)) return fprintf(stderr, "cannot read %s\n", lesson->source), 2;
    Result *results = calloc((size_t)lesson->count, sizeof *results);
    if (!results) return fprintf(stderr, "out of memory\n"), 2;
    int points = 0, all = 0;
    if (!json) printf("%s, seed %llu\n", lesson->name, seed);
    for (int i = 0; i < lesson->count; i++) {
        const Check *check = &lesson->checks[i];
        random_state = seed * 1000003 + (uint64_t)i;
        grade_check(check, &source, file, random_bits(), (int)limit, &results[i]);
        int got = results[i].passed ? check->points : 0;
        points += got, all += check->points;
        if (!json) printf("  %d/%d  %-24s %s\n", got, check->points, check->name, results[i].message);
        fflush(stdout);
    }
    if (json) print_json(lesson, results, points, seed);
    else printf("%d of %d points\n", points, all);
    free(results);
    source_free(&source);
    return 0;
}
