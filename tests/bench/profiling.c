/* tests/bench/profiling.c: what profiling costs: each line is run in turn without a profiler, as with
 * TAPEGRAD_PROFILE=1, and in with_profiler, in one process with one thread; the medians of the ratios of neighbouring
 * runs, and the ratios of the fastest runs, which say more on a machine that others use. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "core/profiler/profile_internal.h"

enum { MOST_ROUNDS = 2000 };

static double time_with_sums(const Case *line, void *state) {
    int64_t count;
    bool has_events;
    tg_Recording recording;
    tg_recorder_start_program(false, false);
    const double seconds = line->run(state);
    free(tg_recorder_stop_program(&count, &has_events, &recording));
    return seconds;
}

static double time_with_events(const Case *line, void *state, const tg_RecorderOptions *says, int64_t *events) {
    tg_Recording recording;
    tg_recorder_start(says);
    const double seconds = line->run(state);
    if (tg_recorder_stop(&recording)) *events = recording.count;
    tg_recording_free(&recording);
    return seconds;
}

bool report_profiling(const Case *line, double seconds) {
    enum { OFF, SUMS, EVENTS, ALL, WAYS };
    static double times[WAYS][MOST_ROUNDS], ratios[WAYS][MOST_ROUNDS];
    const tg_RecorderOptions nothing = {0}, everything = {.shapes = true, .flops = true, .memory = true};
    int64_t count = 0;
    t_set_num_threads(1);
    void *state = line->build(line);
    line->run(state);
    time_with_sums(line, state);
    int rounds = 0;
    for (double begin = seconds_now(); rounds < MOST_ROUNDS && (rounds < 5 || seconds_now() - begin < seconds);
         rounds++) {
        times[OFF][rounds] = line->run(state);
        times[SUMS][rounds] = time_with_sums(line, state);
        times[EVENTS][rounds] = time_with_events(line, state, &nothing, &count);
        times[ALL][rounds] = time_with_events(line, state, &everything, &count);
        for (int i = 0; i < WAYS; i++) ratios[i][rounds] = times[i][rounds] / times[OFF][rounds];
    }
    printf("{\"name\":\"%s\",\"rounds\":%d,\"off_ms\":%.5g,\"events\":%lld", line->name, rounds,
           1e3 * quantile(times[OFF], rounds, 0.5), (long long)count);
    static const char *const names[WAYS] = {NULL, "environment", "profiler", "with_shapes_memory_flops"};
    const double fastest = quantile(times[OFF], rounds, 0);
    for (int i = SUMS; i < WAYS; i++)
        printf(",\"%s\":%.4f,\"%s_fastest\":%.4f", names[i], quantile(ratios[i], rounds, 0.5), names[i],
               quantile(times[i], rounds, 0) / fastest);
    printf("}\n");
    fflush(stdout);
    return rounds > 0;
}
