/* core/profiler/profile.h: torch.profiler (public): what a program spends its time, its memory and its floating-point
 * operations in, by operation, by module, and by line.
 *
 *     profiler_profile *prof;
 *     with_profiler(prof, .record_shapes = true, .profile_memory = true) {
 *         train(model, loader);
 *     }
 *     puts(profiler_table(profiler_key_averages(prof), .sort_by = "cpu_time_total", .row_limit = 10));
 *     profiler_export_chrome_trace(prof, "trace.json");
 *
 * A program need not be changed: TAPEGRAD_PROFILE=1 prints its tables at its end, on stderr, TAPEGRAD_PROFILE=wide with
 * all columns;
 * TAPEGRAD_PROFILE=trace.json also writes a trace, TAPEGRAD_PROFILE=memory.svg what holds the peak of memory, with a
 * picture.
 *
 * Operations have PyTorch's names (aten::mul) and a backward its functions (MulBackward0, with what is around it in
 * "autograd::engine::evaluate_function: MulBackward0"). Events of an op that a call makes are its children: "self" time
 * is without them. A function that is composed of ops is their parent, whether a program or a module calls it:
 * aten::mse_loss has aten::mean. Differences: all threads that run during the profile are recorded; an op that the
 * library calls itself begins where the event before it ended; there are as many events as ops here, which are fewer
 * where a module is fused; functionals that PyTorch writes in Python (F.normalize) are events too;
 * torch::autograd::AccumulateGrad has no event around it. Times are of a monotonic clock, in microseconds. */
#ifndef TAPEGRAD_CORE_PROFILER_PROFILE_H
#define TAPEGRAD_CORE_PROFILER_PROFILE_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* torch.profiler.ProfilerActivity: there is the processor only. */
typedef enum profiler_ProfilerActivity { profiler_ProfilerActivity_CPU = 1 } profiler_ProfilerActivity;

/* torch.profiler.ProfilerAction */
typedef enum profiler_ProfilerAction {
    profiler_ProfilerAction_NONE,
    profiler_ProfilerAction_WARMUP,
    profiler_ProfilerAction_RECORD,
    profiler_ProfilerAction_RECORD_AND_SAVE
} profiler_ProfilerAction;

/* torch.profiler.schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0): which steps are
 * recorded. After skip_first steps, cycles of wait, warmup and active steps; repeat cycles, 0: for ever. active 0: no
 * schedule, all is recorded. */
typedef struct profiler_Schedule {
    int64_t wait, warmup, active, repeat, skip_first, skip_first_wait;
} profiler_Schedule;
/* schedule(step). Error (NONE): a number is negative, or active is 0. */
T_API profiler_ProfilerAction profiler_schedule_action(const profiler_Schedule *schedule, int64_t step);

/* torch.profiler.profile: an object of the scope. */
typedef struct profiler_profile profiler_profile;
typedef void profiler_TraceHandler(profiler_profile *prof);

/* torch.profiler.tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False): each trace that is ready is
 * written to dir_name/WORKER.NANOSECONDS.pt.trace.json, which TensorBoard's profiler page and chrome://tracing read.
 * worker_name NULL: the host and the process; use_gzip: with ".gz" at the end. */
typedef struct profiler_TensorboardTraceHandler {
    const char *dir_name, *worker_name;
    bool use_gzip;
} profiler_TensorboardTraceHandler;

/* profile(*, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
 * with_stack=False, with_flops=False, with_modules=False). Modules are always recorded. */
typedef struct profiler_ProfileOptions {
    uint32_t size;
    int activities;
    profiler_Schedule schedule;
    profiler_TraceHandler *on_trace_ready; /* called when a cycle of the schedule, or the profile, ends */
    bool record_shapes, profile_memory, with_stack, with_flops, with_modules;
    profiler_TensorboardTraceHandler tensorboard_trace_handler; /* in place of on_trace_ready; dir_name NULL: none */
} profiler_ProfileOptions;
T_API profiler_profile *profiler_profile_new(const profiler_ProfileOptions *options);
/* prof.start(), prof.stop(): false on an error, another profile records. */
T_API bool profiler_start(profiler_profile *prof);
T_API bool profiler_stop(profiler_profile *prof);
T_API bool profiler_step(profiler_profile *prof);              /* prof.step() */
T_API int64_t profiler_step_num(const profiler_profile *prof); /* prof.step_num */

/* with record_function(name): begin returns a token for end. */
T_API int profiler_record_function_enter(const char *name);
T_API void profiler_record_function_exit(int token);

/* ---- events ---- */

/* An event of prof.events(), and a row of prof.key_averages(). Times in microseconds, memory in bytes. Texts live as
 * long as the process. */
typedef struct profiler_FunctionEvent {
    const char *key; /* its name */
    double cpu_time_total, self_cpu_time_total;
    double forward_time, backward_time; /* self_cpu_time_total in the forward, and in gradient rules */
    int64_t cpu_memory_usage, self_cpu_memory_usage, count;
    double flops;
    const char *input_shapes; /* "[[2, 3], []]"; NULL without record_shapes */
    const char *stack;        /* lines, innermost first; NULL without with_stack */
    const char *module_path;  /* "model.0"; NULL outside of modules */
    const char *file;         /* of the call; NULL: it came through no macro */
    int line;
    /* of a single event */
    double start, end;
    int64_t thread, sequence_nr; /* sequence_nr: -1: none */
    int64_t parent; /* the index among profiler_events() of the event around it, of a sum that of its first; -1: none */
    bool is_user_annotation, is_backward;
} profiler_FunctionEvent;

/* An EventList: an object of the scope. */
typedef struct profiler_EventList profiler_EventList;
T_API int64_t profiler_len(const profiler_EventList *events);
T_API const profiler_FunctionEvent *profiler_get(const profiler_EventList *events, int64_t i);
T_API const profiler_FunctionEvent *profiler_items(const profiler_EventList *events); /* all, as an array */

T_API profiler_EventList *profiler_events(const profiler_profile *prof); /* prof.events() */
/* prof.key_averages(group_by_input_shape=False, group_by_stack_n=0): sums by name. group_by_module: by the path of the
 * module; a row's total has its submodules, and the backward of its ops. group_by_line: by the line of the call. */
typedef struct profiler_KeyAveragesOptions {
    uint32_t size;
    bool group_by_input_shape;
    int64_t group_by_stack_n;
    bool group_by_module, group_by_line;
} profiler_KeyAveragesOptions;
T_API profiler_EventList *profiler_key_averages(const profiler_profile *prof,
                                                const profiler_KeyAveragesOptions *options);
/* events.total_average(): the sum of all. NULL on error. */
T_API profiler_EventList *profiler_total_average(const profiler_EventList *events);

/* events.table(sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
 * max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None): PyTorch's table, a text of the
 * scope. sort_by: "cpu_time", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage",
 * "count", "flops", "forward_time", "backward_time"; NULL: as they are. Columns that PyTorch does not have:
 * share_of_peak adds GFLOP/s and their share of profiler_peak_flops(), forward_backward the self time in the forward
 * and in gradient rules, which sums by module and by line always have. compact leaves out "CPU total %", "CPU Mem",
 * "Total FLOPs" where there are GFLOP/s, and "CPU time avg" where there are directions, and makes columns as narrow as
 * their cells: some 130 characters. A module or line longer than max_name_column_width loses its beginning. */
typedef struct profiler_TableOptions {
    uint32_t size;
    const char *sort_by;
    int64_t row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width;
    const char *header;
    bool top_level_events_only;
    const char *time_unit; /* "s", "ms", "us"; NULL: by the value */
    bool share_of_peak, forward_backward, compact;
} profiler_TableOptions;
#define PROFILER_TABLE_DEFAULTS_ \
    .row_limit = 100, .max_src_column_width = 75, .max_name_column_width = 55, .max_shapes_column_width = 80
T_API const char *profiler_table(const profiler_EventList *events, const profiler_TableOptions *options);

/* prof.export_chrome_trace(path): a JSON file for chrome://tracing and ui.perfetto.dev: events with their shapes,
 * modules and lines, and an arrow from each op to its gradient rule. A path that ends in ".gz" is compressed. The file
 * is written whole or not at all. */
T_API bool profiler_export_chrome_trace(const profiler_profile *prof, const char *path);
/* What tensorboard_trace_handler does when a trace is ready. Errors: no directory; the system's. */
T_API bool profiler_export_tensorboard_trace(const profiler_profile *prof,
                                             const profiler_TensorboardTraceHandler *handler);
/* prof.export_stacks(path, metric="self_cpu_time_total"): of a profile with_stack, for flame graphs: a line
 * "outer;inner 42" for each event, in microseconds. metric NULL: the default. */
T_API bool profiler_export_stacks(const profiler_profile *prof, const char *path, const char *metric);

/* Of a profile with profile_memory. prof.export_memory_timeline(path): the bytes alive over time by category
 * (parameter, optimizer state, input, temporary, activation, gradient, autograd detail): a name that ends in .json has
 * torch.profiler's [times in microseconds, [bytes of each category]], one in .svg is the picture. */
T_API bool profiler_export_memory_timeline(const profiler_profile *prof, const char *path);
/* What holds the peak: a table of the storages that were alive then, those of the same operation together, with their
 * category, operation, shape, module and line; a text of the scope. row_limit -1: all. */
T_API const char *profiler_memory_peak(const profiler_profile *prof, int64_t row_limit);

/* The floating-point operations a second of this machine, measured: the fastest of 12 products of float32 matrices
 * of 512 x 512 with the number of threads that is set. Measured once for each number of threads. */
T_API double profiler_peak_flops(void);

T_END_DECLS
#endif
