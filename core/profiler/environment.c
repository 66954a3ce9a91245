/* core/profiler/environment.c: TAPEGRAD_PROFILE=1 in the environment of any program: its tables at its end, on stderr;
 * TAPEGRAD_PROFILE=wide: with all columns;
 * TAPEGRAD_PROFILE=trace.json: also the trace of its events, for chrome://tracing or ui.perfetto.dev;
 * TAPEGRAD_PROFILE=memory.svg: also what holds the peak of its memory, and the bytes over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profiler/chrome_trace.h"
#include "core/profiler/profile_internal.h"

static const char *trace_path, *memory_path; /* NULL: none */
static bool is_wide;
static int64_t began;

static void print_table(const char *title, const profiler_EventList *rows, const char *sort_by, int64_t row_limit) {
    profiler_TableOptions o = {.size = sizeof o, PROFILER_TABLE_DEFAULTS_, .sort_by = sort_by, .header = title};
    o.row_limit = row_limit;
    o.share_of_peak = true;
    o.forward_backward = is_wide;
    o.compact = !is_wide;
    if (o.compact) o.max_name_column_width = rows && rows->has_directions ? 36 : 44;
    const char *text = rows ? profiler_table(rows, &o) : NULL;
    if (text) fputs(text, stderr);
}

/* The timeline and the peak of a profile with these events, which it takes. */
static bool write_memory(tg_Recording *recording) {
    profiler_profile *prof = profiler_profile_new(NULL);
    if (!prof) return false;
    prof->o.profile_memory = true;
    prof->recording = *recording;
    *recording = (tg_Recording){0};
    const char *peak = profiler_memory_peak(prof, 20);
    if (peak) fputs(peak, stderr);
    return peak && profiler_export_memory_timeline(prof, memory_path);
}

static void write_file(bool has_events, tg_Recording *recording) {
    const char *path = memory_path ? memory_path : trace_path;
    if (!has_events) {
        fprintf(stderr, "TAPEGRAD_PROFILE: no %s, since the program has a profile of its own\n", path);
        return;
    }
    if (recording->lost)
        fprintf(stderr, "TAPEGRAD_PROFILE: %s lacks the last %lld events\n", path, (long long)recording->lost);
    if (memory_path ? write_memory(recording) : tg_write_chrome_trace(recording, trace_path))
        fprintf(stderr, "TAPEGRAD_PROFILE: %s written\n", path);
    else
        fprintf(stderr, "TAPEGRAD_PROFILE: %s\n", t_error_message() ? t_error_message() : "no file");
    tg_recording_free(recording);
}

/* The title says how much of the program's time the table explains. */
static void print_by_name(const tg_EventSum *sums, int64_t count, double seconds) {
    char title[120];
    double in_ops = 0;
    for (int64_t i = 0; i < count; i++) in_ops += tg_is_shown(sums[i].kind) ? (double)sums[i].shown_own / 1e9 : 0;
    snprintf(title, sizeof title, "TAPEGRAD_PROFILE: by operation, %.3fs in operations of %.3fs", in_ops, seconds);
    print_table(title, tg_sums_by_name(sums, count), "self_cpu_time_total", 20);
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
        print_by_name(sums, count, seconds);
        print_table("TAPEGRAD_PROFILE: by module", tg_sums_by_module(sums, count), "cpu_time_total", 20);
        print_table("TAPEGRAD_PROFILE: by line", tg_sums_by_line(sums, count), "self_cpu_time_total", 20);
    }
    if (trace_path || memory_path) write_file(has_events, &recording);
    t_scope_close(depth);
    free(sums);
}

void tg_profile_program(void) {
    const char *word = getenv("TAPEGRAD_PROFILE");
    if (!word || !*word || strcmp(word, "0") == 0) return;
    const size_t length = strlen(word);
    if (length > 4 && strcmp(word + length - 4, ".svg") == 0)
        memory_path = word;
    else if (strcmp(word, "wide") == 0)
        is_wide = true;
    else if (strcmp(word, "1") != 0)
        trace_path = word;
    tg_recorder_start_program(trace_path != NULL, memory_path != NULL);
    began = tg_profiler_clock();
    atexit(report);
}
