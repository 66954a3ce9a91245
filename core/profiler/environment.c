/* core/profiler/environment.c: TAPEGRAD_PROFILE=1 in the environment of any program: its tables at its end, on stderr;
 * TAPEGRAD_PROFILE=trace.json: also the trace of its events, for chrome://tracing or ui.perfetto.dev. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profiler/chrome_trace.h"
#include "core/profiler/profile_internal.h"

static const char *trace_path; /* NULL: no trace */
static int64_t began;

static void print_table(const char *title, const profiler_EventList *rows, const char *sort_by, int64_t row_limit) {
    const profiler_TableOptions o = {
        .size = sizeof o, PROFILER_TABLE_DEFAULTS_, .sort_by = sort_by, .header = title, .share_of_peak = true};
    profiler_TableOptions limited = o;
    limited.row_limit = row_limit;
    const char *text = rows ? profiler_table(rows, &limited) : NULL;
    if (text) fputs(text, stderr);
}

static void write_trace(bool has_events, tg_Recording *recording) {
    if (!has_events) {
        fprintf(stderr, "TAPEGRAD_PROFILE: no trace, since the program has a profile of its own\n");
        return;
    }
    if (recording->lost)
        fprintf(stderr, "TAPEGRAD_PROFILE: the trace lacks the last %lld events\n", (long long)recording->lost);
    if (tg_write_chrome_trace(recording, trace_path))
        fprintf(stderr, "TAPEGRAD_PROFILE: %s written\n", trace_path);
    else
        fprintf(stderr, "TAPEGRAD_PROFILE: %s\n", t_error_message() ? t_error_message() : "no trace");
    tg_recording_free(recording);
}

static void report(void) {
    int64_t count;
    bool has_events;
    tg_Recording recording = {0};
    const double seconds = (double)(tg_profiler_clock() - began) / 1e9;
    tg_EventSum *sums = tg_recorder_stop_program(&count, &has_events, &recording);
    fflush(stdout);
    if (count == 0) fprintf(stderr, "TAPEGRAD_PROFILE: the program ran no operation\n");
    const int depth = sums && count ? t_scope_open() : 0;
    if (depth) {
        char title[80];
        snprintf(title, sizeof title, "TAPEGRAD_PROFILE: by operation, of %.3fs", seconds);
        print_table(title, tg_sums_by_name(sums, count), "self_cpu_time_total", 20);
        print_table("TAPEGRAD_PROFILE: by module", tg_sums_by_module(sums, count), "cpu_time_total", 20);
        print_table("TAPEGRAD_PROFILE: by line", tg_sums_by_line(sums, count), "self_cpu_time_total", 20);
    }
    if (trace_path) write_trace(has_events, &recording);
    t_scope_close(depth);
    free(sums);
}

void tg_profile_program(void) {
    const char *word = getenv("TAPEGRAD_PROFILE");
    if (!word || !*word || strcmp(word, "0") == 0) return;
    if (strcmp(word, "1") != 0) trace_path = word;
    tg_recorder_start_program(trace_path != NULL);
    began = tg_profiler_clock();
    atexit(report);
}
