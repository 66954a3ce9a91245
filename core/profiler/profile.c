/* core/profiler/profile.c: torch.profiler.profile: its schedule, start, stop and step, and record_function. */
#include "core/profiler/profile_internal.h"

#include <stdio.h>
#include <string.h>

#include "core/tensor/size_arithmetic.h"

/* ---- the schedule ---- */

static bool check_schedule(const profiler_Schedule *s) {
    if (s->wait >= 0 && s->warmup >= 0 && s->repeat >= 0 && s->skip_first >= 0 && s->skip_first_wait >= 0 &&
        s->active > 0)
        return true;
    return tg_fail(
        "Invalid profiler schedule arguments. Got wait=%lld (need >= 0), warmup=%lld (need >= 0), active=%lld "
        "(need > 0), repeat=%lld (need >= 0), skip_first=%lld (need >= 0).",
        (long long)s->wait, (long long)s->warmup, (long long)s->active, (long long)s->repeat, (long long)s->skip_first);
}

profiler_ProfilerAction profiler_schedule_action(const profiler_Schedule *s, int64_t step) {
    if (!tg_check_given(s != NULL, 1, "a schedule") || !check_schedule(s)) return profiler_ProfilerAction_NONE;
    if (step < s->skip_first) return profiler_ProfilerAction_NONE;
    step -= s->skip_first;
    /* with skip_first_wait the first cycle has no wait */
    if (s->skip_first_wait) step = tg_size_add(step, s->wait);
    const int64_t steps = tg_size_add(tg_size_add(s->wait, s->warmup), s->active), at = step % steps;
    if (s->repeat > 0 && step / steps >= s->repeat) return profiler_ProfilerAction_NONE;
    if (at < s->wait) return profiler_ProfilerAction_NONE;
    if (at < tg_size_add(s->wait, s->warmup)) return profiler_ProfilerAction_WARMUP;
    return at < steps - 1 ? profiler_ProfilerAction_RECORD : profiler_ProfilerAction_RECORD_AND_SAVE;
}

/* Without a schedule all is recorded. */
static profiler_ProfilerAction action_at(const profiler_profile *prof, int64_t step) {
    return prof->o.schedule.active ? profiler_schedule_action(&prof->o.schedule, step) : profiler_ProfilerAction_RECORD;
}

static bool records(profiler_ProfilerAction action) {
    return action >= profiler_ProfilerAction_RECORD;
}

/* ---- the object ---- */

static void destroy(void *object) {
    profiler_profile *prof = object;
    if (prof->is_recording) tg_recorder_stop(&prof->recording);
    tg_recording_free(&prof->recording);
    tg_object_dispose(&prof->object);
    tg_object_free(&prof->object, sizeof *prof);
}
static const t_Class profile_class = {"profile", destroy};

bool tg_check_profile(const profiler_profile *prof, int position) {
    if (!tg_check_given(prof != NULL, position, "a profile")) return false;
    return prof->object.is_a == &profile_class ||
           tg_fail("argument %d is no profile, or died with its scope", position);
}

const tg_Recording *tg_recording_of(const profiler_profile *prof) {
    if (!tg_check_profile(prof, 1)) return NULL;
    return prof->recording.events ? &prof->recording : tg_fail("Profiler is not initialized: it has recorded nothing");
}

profiler_profile *profiler_profile_new(const profiler_ProfileOptions *options) {
    profiler_ProfileOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const profiler_Schedule none = {0}, *s = &o.schedule;
    const bool has_schedule = s->wait != none.wait || s->warmup || s->active || s->repeat || s->skip_first;
    if (has_schedule && !check_schedule(s)) return NULL;
    const char *const texts[] = {o.tensorboard_trace_handler.dir_name, o.tensorboard_trace_handler.worker_name};
    for (int i = 0; i < 2; i++)
        if (texts[i] && strlen(texts[i]) >= sizeof(((profiler_profile *)0)->texts[i]))
            return tg_fail("%s is too long for the name of a file", i ? "worker_name" : "dir_name");
    profiler_profile *prof = tg_alloc(sizeof *prof);
    if (!prof) return NULL;
    tg_object_init(&prof->object, &profile_class);
    prof->o = o;
    profiler_TensorboardTraceHandler *handler = &prof->o.tensorboard_trace_handler;
    for (int i = 0; i < 2; i++)
        if (texts[i]) strcpy(prof->texts[i], texts[i]);
    if (texts[0]) handler->dir_name = prof->texts[0];
    if (texts[1]) handler->worker_name = prof->texts[1];
    return prof;
}

/* ---- recording ---- */

static bool begin(profiler_profile *prof) {
    const tg_RecorderOptions says = {.shapes = prof->o.record_shapes,
                                     .stack = prof->o.with_stack,
                                     .flops = prof->o.with_flops,
                                     .memory = prof->o.profile_memory};
    tg_recording_free(&prof->recording);
    return prof->is_recording = tg_recorder_start(&says);
}

static bool end(profiler_profile *prof) {
    if (!prof->is_recording) return true;
    prof->is_recording = false;
    return tg_recorder_stop(&prof->recording);
}

/* With a schedule each step is an event, ProfilerStep#3. */
static void begin_step(profiler_profile *prof) {
    char name[40];
    if (!prof->o.schedule.active || !prof->is_recording) return;
    snprintf(name, sizeof name, "ProfilerStep#%lld", (long long)prof->step_num);
    prof->step = tg_profile_begin(tg_range_annotation, name);
}

static void end_step(profiler_profile *prof) {
    tg_profile_end(prof->step);
    prof->step = 0;
}

static void trace_ready(profiler_profile *prof) {
    if (prof->o.tensorboard_trace_handler.dir_name)
        profiler_export_tensorboard_trace(prof, &prof->o.tensorboard_trace_handler);
    const int depth = prof->o.on_trace_ready ? tg_scope_open_around_callback() : 0;
    if (depth) prof->o.on_trace_ready(prof);
    tg_scope_close(depth);
}

/* From the action of the last step to that of the next; `last`: there is none. */
static bool change_action(profiler_profile *prof, profiler_ProfilerAction next, bool is_last) {
    const int64_t failures = tg_thread.failures;
    const bool saves = records(prof->action) && (is_last || prof->action == profiler_ProfilerAction_RECORD_AND_SAVE);
    const bool stops = saves || (records(prof->action) && !records(next));
    prof->action = next;
    if (stops && !end(prof)) return false;
    if (saves) trace_ready(prof);
    return !tg_failed_since(failures) && (!records(next) || prof->is_recording || begin(prof));
}

bool profiler_start(profiler_profile *prof) {
    if (!tg_check_profile(prof, 1)) return false;
    if (prof->is_running) return tg_fail("the profile was started already");
    prof->action = profiler_ProfilerAction_NONE;
    if (!change_action(prof, action_at(prof, prof->step_num), false)) return false;
    prof->is_running = true;
    begin_step(prof);
    return true;
}

bool profiler_stop(profiler_profile *prof) {
    if (!tg_check_profile(prof, 1)) return false;
    if (!prof->is_running) return true;
    prof->is_running = false;
    end_step(prof);
    return change_action(prof, profiler_ProfilerAction_NONE, true);
}

bool profiler_step(profiler_profile *prof) {
    if (!tg_check_profile(prof, 1)) return false;
    if (!prof->is_running) return tg_fail("the profile is not running: profiler_start, or with_profiler");
    end_step(prof);
    prof->step_num++;
    if (!change_action(prof, action_at(prof, prof->step_num), false)) return false;
    begin_step(prof);
    return true;
}

int64_t profiler_step_num(const profiler_profile *prof) {
    return tg_check_profile(prof, 1) ? prof->step_num : -1;
}

int profiler_record_function_enter(const char *name) {
    return tg_check_given(name != NULL, 1, "a name") ? tg_profile_begin(tg_range_annotation, name) : 0;
}

void profiler_record_function_exit(int token) {
    tg_profile_end(token);
}
