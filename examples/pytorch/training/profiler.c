/* examples/pytorch/training/profiler.c: the PyTorch Profiler recipe: what a model spends its time, its memory and its
 * floating-point operations in, a trace, a training step, and a schedule for long-running jobs.
 *
 * Difficulty: **     Read first: learning/blitz_neural_networks     Read next: training/checkpointing */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/profiler/profiler.h"
#include "nn/nn.h"
#include "optim/optim.h"

#define PATH "/tmp/tapegrad_profiler_recipe.json"
static const char *SHOWN[] = {"model_inference", "aten::linear", "aten::relu", "ProfilerStep*"};
static const char *TRAINING[] = {
    "autograd::engine::evaluate_function: AddmmBackward0",
    "AddmmBackward0",
    "ReluBackward0",
    "torch::autograd::AccumulateGrad",
    "Optimizer.zero_grad#SGD.zero_grad",
    "Optimizer.step#SGD.step",
};

static bool contains(const char *path, const char *word) {
    static char text[1 << 20]; /* the rest is 0 */
    FILE *file = fopen(path, "r");
    if (!fread(text, 1, sizeof text - 1, file)) t_fail("%s is empty", path);
    fclose(file);
    return strstr(text, word) != NULL;
}

static bool is_shown(const char *key) {
    for (int i = 0; i < 4; i++)
        if (strcmp(key, SHOWN[i]) == 0) return true;
    return false;
}

static const char *repr(bool value) {
    return value ? "True" : "False";
}

static void trace_handler(profiler_profile *prof) {
    printf("step %d\n", (int)profiler_step_num(prof));
    for_events (event, profiler_key_averages(prof))
        if (is_shown(event->key)) printf("%s %d\n", event->key, (int)event->count);
}

static nn_Sequential *network(void) {
    return nn_Sequential(nn_Linear(64, 256), nn_ReLU(), nn_Linear(256, 10));
}

static void execution_time(void) {
    nn_Sequential *model = network();
    Tensor *inputs = t_randn(32, 64);
    profiler_profile *prof;
    with_profiler(prof, .activities = profiler_ProfilerActivity_CPU, .record_shapes = true) {
        with_record_function("model_inference") {
            nn_call(model, inputs);
        }
    }
    const char *table = profiler_table(profiler_key_averages(prof), .sort_by = "cpu_time_total", .row_limit = 10);
    printf("%s\n", repr(strstr(table, "Self CPU time total")));
    for_events (event, profiler_key_averages(prof, .group_by_input_shape = true))
        if (is_shown(event->key))
            printf("%s %d %s\n", event->key, (int)event->count, event->input_shapes ? event->input_shapes : "[]");
}

static void memory_consumption(void) {
    nn_Sequential *model = network();
    Tensor *inputs = t_randn(32, 64);
    profiler_profile *prof;
    with_profiler(prof, .activities = profiler_ProfilerActivity_CPU, .profile_memory = true, .record_shapes = true) {
        nn_call(model, inputs);
    }
    const char *table =
        profiler_table(profiler_key_averages(prof), .sort_by = "self_cpu_memory_usage", .row_limit = 10);
    printf("%s\n", repr(strstr(table, "Self CPU Mem")));
    for_events (event, profiler_key_averages(prof))
        if (is_shown(event->key)) printf("%s %d\n", event->key, (int)event->cpu_memory_usage);
}

static void floating_point_operations(void) {
    Tensor *inputs = t_randn(32, 64);
    profiler_profile *prof;
    with_profiler(prof, .activities = profiler_ProfilerActivity_CPU, .with_flops = true) {
        t_mm(inputs, t_t(inputs));
    }
    for_events (event, profiler_key_averages(prof))
        if (strcmp(event->key, "aten::mm") == 0) printf("%s %d\n", event->key, (int)event->flops);
}

static void tracing(void) {
    nn_Sequential *model = network();
    Tensor *inputs = t_randn(32, 64);
    profiler_profile *prof;
    with_profiler(prof, .activities = profiler_ProfilerActivity_CPU) {
        nn_call(model, inputs);
    }
    profiler_export_chrome_trace(prof, PATH);
    printf("%s\n", repr(contains(PATH, "aten::relu")));
    remove(PATH);
}

static void training_step(void) {
    nn_Sequential *model = network();
    Tensor *inputs = t_randn(32, 64);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    profiler_profile *prof;
    with_profiler(prof, .activities = profiler_ProfilerActivity_CPU) {
        Tensor *loss = t_sum(nn_call(model, inputs));
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }
    profiler_EventList *averages = profiler_key_averages(prof);
    for (int key = 0; key < 6; key++)
        for_events (event, averages)
            if (strcmp(event->key, TRAINING[key]) == 0) printf("%s %d\n", event->key, (int)event->count);
}

static void long_running_jobs(void) {
    nn_Sequential *model = network();
    Tensor *inputs = t_randn(32, 64);
    profiler_Schedule my_schedule = profiler_schedule(.wait = 1, .warmup = 1, .active = 2, .repeat = 2);
    profiler_profile *prof;
    with_profiler(prof, .activities = profiler_ProfilerActivity_CPU, .schedule = my_schedule,
                  .on_trace_ready = trace_handler) {
        for_range (idx, 10) {
            nn_call(model, inputs);
            profiler_step(prof);
        }
    }
}

int main(void) {
    t_manual_seed(0);
    execution_time();
    memory_consumption();
    floating_point_operations();
    tracing();
    training_step();
    long_running_jobs();
    return 0;
}
