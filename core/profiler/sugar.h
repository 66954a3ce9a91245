/* core/profiler/sugar.h: the macros for torch.profiler (public; part of core/profiler/profiler.h). */
#ifndef TAPEGRAD_CORE_PROFILER_SUGAR_H
#define TAPEGRAD_CORE_PROFILER_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/profiler/profile.h"
#include "core/sugar/sugar.h"

/* profiler_profile *prof = profiler_profile(.record_shapes = true): profile(record_shapes=True) */
#define PROFILER_PROFILE_(text, ...) T_BEGIN_(text) \
    T_OPTIONS_(profiler_ProfileOptions, t__o, .size = sizeof(profiler_ProfileOptions), __VA_ARGS__) \
    T_END_(profiler_profile *, profiler_profile_new(&t__o))
#define profiler_profile(...) PROFILER_PROFILE_("profiler_profile(" #__VA_ARGS__ ")", __VA_ARGS__)

/* .schedule = profiler_schedule(.wait = 1, .warmup = 1, .active = 3, .repeat = 2) */
#define profiler_schedule(...) (__extension__({ T_OPTIONS_(profiler_Schedule, t__o, .wait = 0, __VA_ARGS__) t__o; }))

/* .tensorboard_trace_handler = profiler_tensorboard_trace_handler("log", .use_gzip = true) */
#define profiler_tensorboard_trace_handler(...) \
    (__extension__({ const char *t__d = T_HEAD_(__VA_ARGS__); \
        T_OPTIONS_(profiler_TensorboardTraceHandler, t__o, .dir_name = t__d, T_TAIL_(__VA_ARGS__)) t__o; }))

#define PROFILER_OF_PROFILE_(f, result, prof) T_BEGIN_(#f "(" #prof ")") profiler_profile *t__p = (prof); \
    T_END_(result, (f)(t__p))
#define profiler_start(prof) PROFILER_OF_PROFILE_(profiler_start, bool, prof)
#define profiler_stop(prof) PROFILER_OF_PROFILE_(profiler_stop, bool, prof)
#define profiler_step(prof) PROFILER_OF_PROFILE_(profiler_step, bool, prof)
#define profiler_step_num(prof) PROFILER_OF_PROFILE_(profiler_step_num, int64_t, prof)
#define profiler_events(prof) PROFILER_OF_PROFILE_(profiler_events, profiler_EventList *, prof)

typedef struct profiler_Guard_ {
    profiler_profile *prof;
    const t_Site *site;
    int token;
} profiler_Guard_;
static inline profiler_Guard_ profiler_guard_open_(profiler_profile *prof, const t_Site *site) {
    const t_Site *before = t_enter_(site);
    if (prof) (profiler_start)(prof);
    t_leave_(before);
    return (profiler_Guard_){prof, site, 0};
}
static inline void profiler_guard_close_(profiler_Guard_ *guard) {
    profiler_record_function_exit(guard->token);
    const t_Site *before = guard->prof ? t_enter_(guard->site) : NULL;
    if (!guard->prof) return;
    (profiler_stop)(guard->prof);
    t_leave_(before);
}
#define PROFILER_WITH_(n, guard) \
    switch (0) case 0: default: if (0) { T_GLUE_(t__done_, n): ; } else \
    for (profiler_Guard_ T_GLUE_(t__guard_, n) __attribute__((cleanup(profiler_guard_close_), unused)) = guard; ; \
         __extension__({ t_stray_break_(__FILE__, __LINE__); goto T_GLUE_(t__done_, n); })) \
    for (; ; __extension__({ goto T_GLUE_(t__done_, n); }))

/* profiler_profile *prof; with_profiler(prof, .record_shapes = true) { ... }: with profile(record_shapes=True) as
 * prof: ... */
#define with_profiler(...) PROFILER_WITH_(__COUNTER__, (__extension__({ \
    static const t_Site t__w = {__FILE__, __LINE__, "with_profiler(" #__VA_ARGS__ ")"}; \
    T_HEAD_(__VA_ARGS__) = PROFILER_PROFILE_("with_profiler(" #__VA_ARGS__ ")", T_TAIL_(__VA_ARGS__)); \
    profiler_guard_open_(T_HEAD_(__VA_ARGS__), &t__w); })))
T_WITH_PARENTHESES_(with_profiler)

/* with_record_function("forward") { ... }: with record_function("forward"): ... */
#define with_record_function(name) PROFILER_WITH_(__COUNTER__, (__extension__({ \
    static const t_Site t__w = {__FILE__, __LINE__, "with_record_function(" #name ")"}; \
    const char *t__n = (name); const t_Site *t__0 = t_enter_(&t__w); \
    int t__k = profiler_record_function_enter(t__n); t_leave_(t__0); \
    (profiler_Guard_){NULL, &t__w, t__k}; })))
T_WITH_PARENTHESES_(with_record_function)

/* profiler_key_averages(prof), profiler_key_averages(prof, .group_by_input_shape = true) */
#define profiler_key_averages(...) T_BEGIN_("profiler_key_averages(" #__VA_ARGS__ ")") \
    profiler_profile *t__p = T_HEAD_(__VA_ARGS__); T_OPTIONS_(profiler_KeyAveragesOptions, t__o, \
        .size = sizeof(profiler_KeyAveragesOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(profiler_EventList *, (profiler_key_averages)(t__p, &t__o))

#define PROFILER_OF_EVENTS_(f, result, events) T_BEGIN_(#f "(" #events ")") profiler_EventList *t__l = (events); \
    T_END_(result, (f)(t__l))
#define profiler_total_average(events) PROFILER_OF_EVENTS_(profiler_total_average, profiler_EventList *, events)
#define profiler_len(events) PROFILER_OF_EVENTS_(profiler_len, int64_t, events)
#define profiler_get(events, i) T_BEGIN_("profiler_get(" #events ", " #i ")") profiler_EventList *t__l = (events); \
    int64_t t__i = (i); T_END_(const profiler_FunctionEvent *, (profiler_get)(t__l, t__i))
/* for_events (event, events) { event->key, event->count }: for event in events */
#define for_events(event, events) PROFILER_FOR_EVENTS_(__COUNTER__, event, events)
#define PROFILER_FOR_EVENTS_(n, event, events) T_FOR_NAME_(#event) \
    for (const profiler_EventList *T_GLUE_(t__list_, n) = (events); T_GLUE_(t__list_, n); \
         T_GLUE_(t__list_, n) = NULL) \
    for (const profiler_FunctionEvent *event = (profiler_items)(T_GLUE_(t__list_, n)), \
             *T_GLUE_(t__end_, n) = event ? event + (profiler_len)(T_GLUE_(t__list_, n)) : event; \
         event < T_GLUE_(t__end_, n); event++)
/* puts(profiler_table(profiler_key_averages(prof), .sort_by = "cpu_time_total", .row_limit = 10)) */
#define profiler_table(...) T_BEGIN_("profiler_table(" #__VA_ARGS__ ")") \
    profiler_EventList *t__l = T_HEAD_(__VA_ARGS__); T_OPTIONS_(profiler_TableOptions, t__o, \
        .size = sizeof(profiler_TableOptions), PROFILER_TABLE_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(const char *, (profiler_table)(t__l, &t__o))

/* profiler_export_chrome_trace(prof, "trace.json"), profiler_export_stacks(prof, "s.txt", "self_cpu_time_total") */
#define profiler_export_chrome_trace(prof, path) \
    T_BEGIN_("profiler_export_chrome_trace(" #prof ", " #path ")") profiler_profile *t__p = (prof); \
    const char *t__f = (path); T_END_(bool, (profiler_export_chrome_trace)(t__p, t__f))
#define profiler_export_stacks(prof, path, metric) \
    T_BEGIN_("profiler_export_stacks(" #prof ", " #path ", " #metric ")") profiler_profile *t__p = (prof); \
    const char *t__f = (path), *t__m = (metric); T_END_(bool, (profiler_export_stacks)(t__p, t__f, t__m))

#define profiler_export_memory_timeline(prof, path) \
    T_BEGIN_("profiler_export_memory_timeline(" #prof ", " #path ")") profiler_profile *t__p = (prof); \
    const char *t__f = (path); T_END_(bool, (profiler_export_memory_timeline)(t__p, t__f))
/* puts(profiler_memory_peak(prof, 10)) */
#define profiler_memory_peak(prof, row_limit) T_BEGIN_("profiler_memory_peak(" #prof ", " #row_limit ")") \
    profiler_profile *t__p = (prof); int64_t t__n = (row_limit); \
    T_END_(const char *, (profiler_memory_peak)(t__p, t__n))

#endif
#endif
