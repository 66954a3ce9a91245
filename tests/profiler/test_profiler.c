/* tests/profiler/test_profiler.c: torch.profiler: what a program records by a clock that ticks at each reading, traces,
 * schedules. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/data/data.h"
#include "core/io/json.h"
#include "core/io/zlib/zlib.h"
#include "core/profiler/event_sums.h"
#include "core/profiler/profile_internal.h"
#include "core/profiler/profiler.h"
#include "core/python/python.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/profiler/ticking_clock.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

/* A call that fails with a text that has these words. */
#define fails_with(call, words)                                           \
    do {                                                                  \
        t_set_error_handler(ignore_error, NULL);                          \
        ck_assert(!(call));                                               \
        ck_assert_ptr_nonnull(t_error());                                 \
        ck_assert_msg(strstr(t_error(), words) != NULL, "%s", t_error()); \
        t_clear_error();                                                  \
        t_set_error_handler(NULL, NULL);                                  \
    } while (0)

static void ignore_error(const char *text, void *context) {
    (void)text;
    (void)context;
}

/* ---- what is recorded ---- */

/* "aten::mul(aten::t aten::mm) aten::add": the tree of the events of all kinds. */
static void print_tree(const profiler_profile *prof, char *to, size_t size) {
    const tg_Recording *r = &prof->recording;
    int open[64], n = 0;
    size_t at = 0;
    *to = '\0';
    for (int64_t i = 0; i < r->count && at < size; i++) {
        const int depth = r->events[i].depth;
        const bool is_child = n && open[n - 1] < depth;
        for (; n && open[n - 1] >= depth; n--)
            if (n > 1 && open[n - 2] >= depth) at += (size_t)snprintf(to + at, size - at, ")");
        at += (size_t)snprintf(to + at, size - at, "%s%s", is_child ? "(" : i ? " " : "", r->events[i].name);
        open[n++] = depth;
    }
    for (; n > 1; n--) at += (size_t)snprintf(to + at, size - at, ")");
}

#define expect_tree(prof, expected)            \
    do {                                       \
        char tree_[2048];                      \
        print_tree(prof, tree_, sizeof tree_); \
        ck_assert_str_eq(tree_, expected);     \
    } while (0)

START_TEST(a_call_in_an_argument_comes_before_its_call) {
    Tensor *x = t_tensor("[1., 2.]"), *y = t_tensor("[3., 4.]");
    profiler_profile *prof;
    with_profiler(prof) {
        t_add(t_mul(x, 2), t_exp(t_neg(y)));
        t_size(x, 0);
        t_numel(t_neg(x));
    }
    expect_tree(prof, "aten::mul aten::neg aten::exp aten::add aten::neg");
    /* each call reads the clock when it begins and when it ends; an argument's end is the call's begin */
    for (int64_t i = 0; i < prof->recording.count; i++) {
        const tg_Event *e = &prof->recording.events[i];
        ck_assert_int_eq(e->end - e->start, 1000);
        ck_assert_int_eq(e->children, 0);
        ck_assert_int_eq(e->depth, 0);
    }
    const char *file = __FILE__;
    ck_assert_str_eq(profiler_get(profiler_events(prof), 0)->file, file);
}
END_TEST

START_TEST(a_call_without_events_may_have_one_later) {
    static const t_Site step = {__FILE__, __LINE__, "step(x)"};
    Tensor *x = t_tensor("[1., 2.]");
    jmp_buf out;
    volatile int round = 0;
    profiler_profile *prof;
    with_profiler(prof) {
        for (round = 0; round < 6; round++) {
            if (setjmp(out)) continue;
            const t_Site *before = t_enter_(&step);
            for (int i = 0; i < 2; i++) t_numel(x); /* its own site: quiet in a quiet call */
            if (round == 2) {                       /* the call is left; so is that of its frame */
                t_leave_(before);
                before = t_enter_(&step);
                tg_thread.site = before;
                longjmp(out, 1);
            }
            const int depth = t_scope_open(); /* else t_neg were an argument */
            if (round >= 3) t_neg(x);
            t_scope_close(depth);
            t_leave_(before);
        }
        t_add(x, t_numel(x));
    }
    expect_tree(prof, "step(aten::neg) step(aten::neg) step(aten::neg) aten::add");
    const tg_Event *events = prof->recording.events;
    for (int i = 0; i < 6; i += 2) {
        ck_assert_str_eq(events[i].site->text, "step(x)");
        ck_assert_int_eq(events[i].children, 1000);
        ck_assert_int_ge(events[i].start, i ? events[i - 2].end : 0);
        ck_assert_int_le(events[i].start, events[i + 1].start);
    }
    ck_assert_int_eq(events[6].end - events[6].start, 1000);
}
END_TEST

/* Frames that an error handler leaves by longjmp are no parents of what comes after them. */
START_TEST(frames_that_are_left_end) {
    static const t_Site outer = {__FILE__, __LINE__, "outer(x)"}, inner = {__FILE__, __LINE__, "inner(x)"};
    Tensor *x = t_tensor("[1., 2.]");
    jmp_buf out;
    profiler_profile *prof;
    with_profiler(prof) {
        const t_Site *const before = tg_thread.site;
        if (setjmp(out) == 0) {
            for (int round = 0; round < 2; round++) {
                const int depth = t_scope_open(); /* else the ops were arguments */
                const t_Site *const first = t_enter_(&outer), *const second = t_enter_(&inner);
                const int depth_of_op = t_scope_open();
                t_neg(x);
                t_scope_close(depth_of_op);
                if (round == 1) {
                    t_scope_close(depth);
                    tg_thread.site = before;
                    longjmp(out, 1);
                }
                t_leave_(second);
                t_leave_(first);
                t_scope_close(depth);
            }
        }
        t_add(x, 1);
    }
    const tg_Event *last = &prof->recording.events[prof->recording.count - 1];
    ck_assert_str_eq(last->name, "aten::add");
    ck_assert_int_eq(last->depth, 0);
}
END_TEST

START_TEST(an_op_of_an_op_is_its_child) {
    Tensor *x = t_tensor("[1., 2.]");
    profiler_profile *prof;
    with_profiler(prof) {
        t_logsumexp(x, 0);
    }
    const profiler_EventList *events = (profiler_events)(prof);
    const profiler_FunctionEvent *outer = (profiler_get)(events, 0);
    ck_assert_str_eq(outer->key, "aten::logsumexp");
    ck_assert_int_gt((profiler_len)(events), 4);
    double children = 0;
    for (int64_t i = 1; i < (profiler_len)(events); i++) {
        ck_assert_int_eq((profiler_get)(events, i)->parent, 0);
        children += (profiler_get)(events, i)->cpu_time_total;
    }
    ck_assert_double_eq(outer->self_cpu_time_total, outer->cpu_time_total - children);
}
END_TEST

/* The tree of the forward of a module. */
#define expect_forward(module, input, target, expected)           \
    do {                                                          \
        profiler_profile *of_module_;                             \
        with_profiler(of_module_) nn_call(module, input, target); \
        expect_tree(of_module_, expected);                        \
    } while (0)

START_TEST(a_composite_in_a_module_is_a_parent) {
    Tensor *x = t_rand(4, 6), *y = t_rand(4, 6), *images = t_rand(2, 4, 8, 8);
    nn_MSELoss *mse = nn_MSELoss();
    nn_BCEWithLogitsLoss *bce = nn_BCEWithLogitsLoss();
    expect_forward(mse, x, y, "nn.Module: MSELoss(aten::mse_loss(aten::mean))");
    expect_forward(bce, x, y,
                   "nn.Module: BCEWithLogitsLoss(aten::binary_cross_entropy_with_logits(aten::log_sigmoid aten::rsub "
                   "aten::mul aten::sub aten::mean))");
    profiler_profile *prof;
    with_profiler(prof) {
        F_mse_loss(x, y);
        t_norm(x, 3);
        t_einsum("ij,kj->ik", x, y);
    }
    /* the same as in modules: a macro's call, and what it calls */
    expect_tree(prof, "aten::mse_loss(aten::mean) aten::norm(aten::abs aten::pow aten::pow) "
                      "aten::einsum(aten::permute aten::matmul(aten::mm))");
    /* the parent has the time of its children, but not as self time */
    profiler_EventList *events = profiler_events(prof);
    const profiler_FunctionEvent *loss = profiler_get(events, 0), *mean = profiler_get(events, 1);
    ck_assert_int_eq(mean->parent, 0);
    ck_assert_double_eq(loss->self_cpu_time_total, loss->cpu_time_total - mean->cpu_time_total);
    ck_assert(loss->start <= mean->start && mean->end <= loss->end);
    nn_Conv2d *conv = nn_Conv2d(4, 2, 3);
    with_profiler(prof) nn_call(conv, images);
    expect_tree(prof, "nn.Module: Conv2d(aten::conv2d(aten::convolution))");
    nn_LSTM *lstm = nn_LSTM(6, 3);
    with_profiler(prof) nn_LSTM_call(lstm, t_unsqueeze(x, 0));
    ck_assert_str_eq(profiler_get(profiler_events(prof), 1)->key, "aten::lstm");
}
END_TEST

/* An op that an error leaves is no parent of what comes after it. */
START_TEST(a_composite_that_fails_ends) {
    Tensor *x = t_rand(4, 6), *y = t_rand(4, 5);
    profiler_profile *prof;
    with_profiler(prof) {
        fails_with(F_mse_loss(x, y), "must match");
        t_neg(x);
    }
    const tg_Event *last = &prof->recording.events[prof->recording.count - 1];
    ck_assert_str_eq(last->name, "aten::neg");
    ck_assert_int_eq(last->depth, 0);
}
END_TEST

START_TEST(attention_has_the_flops_of_its_products) {
    Tensor *q = t_rand(2, 3, 5, 8, .requires_grad = true), *k = t_rand(2, 3, 7, 8), *v = t_rand(2, 3, 7, 8);
    profiler_profile *prof;
    with_profiler(prof, .with_flops = true) {
        t_backward(t_sum(F_scaled_dot_product_attention(q, k, v)));
    }
    double forward = 0, backward = 0;
    for_events(event, profiler_key_averages(prof)) {
        if (strcmp(event->key, "aten::scaled_dot_product_attention") == 0) forward = event->flops;
        if (strncmp(event->key, "ScaledDotProduct", 16) == 0) backward = event->flops;
    }
    ck_assert_double_eq(forward, 2.0 * 6 * 5 * 7 * (8 + 8)); /* as torch.utils.flop_counter */
    ck_assert_double_eq(backward, 2.0 * 6 * 5 * 7 * (3 * 8 + 2 * 8));
}
END_TEST

typedef struct Net {
    nn_Module base;
    nn_Linear *fc1, *fc2;
} Net;
static Tensor *net_call(Net *self, Tensor *x) {
    return nn_call(self->fc2, F_relu(nn_call(self->fc1, x)));
}
static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, fc1, nn_Linear(3, 4));
    nn_set(self, fc2, nn_Linear(4, 2));
    return self;
}

START_TEST(a_training_step_has_pytorchs_names) {
    Net *model = net();
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    Tensor *x = t_ones(5, 3);
    profiler_profile *prof;
    with_profiler(prof, .record_shapes = true) {
        with_record_function("forward") {
            x = t_sum(nn_call(model, x));
        }
        optim_zero_grad(optimizer);
        t_backward(x);
        optim_step(optimizer);
    }
#define RULE(name, inside, after) "autograd::engine::evaluate_function: " name "(" name inside after ")"
    expect_tree(
        prof,
        "forward(nn.Module: Net(nn.Module: Linear(aten::linear) aten::relu nn.Module: Linear(aten::linear)) "
        "aten::sum) optim_zero_grad(Optimizer.zero_grad#SGD.zero_grad) t_backward(" RULE(
            "SumBackward0", "(aten::view aten::expand)",
            "") " " RULE("AddmmBackward0", "(aten::t)",
                         " aten::sum aten::view") " " RULE("ReluBackward0", "",
                                                           "") " " RULE("AddmmBackward0", "(aten::t)",
                                                                        "") " torch::autograd::AccumulateGrad "
                                                                            "torch::autograd::AccumulateGrad "
                                                                            "torch::autograd::AccumulateGrad "
                                                                            "torch::autograd::AccumulateGrad) "
                                                                            "optim_step(Optimizer.step#SGD.step)");
    const profiler_EventList *rows =
        (profiler_key_averages)(prof, &(profiler_KeyAveragesOptions){.size = sizeof(profiler_KeyAveragesOptions),
                                                                     .group_by_module = true});
    const char *paths[] = {"(no module)", "model", "model.fc1", "model.fc2"};
    for (int64_t i = 0; i < (profiler_len)(rows); i++) {
        const profiler_FunctionEvent *row = (profiler_get)(rows, i);
        for (int k = 1; k < 4; k++)
            if (strcmp(row->key, paths[k]) == 0) {
                ck_assert_int_eq(row->count, 1);
                ck_assert_double_gt(row->forward_time, 0);
                ck_assert_double_gt(row->backward_time, 0); /* of the relu, and of the layers */
            }
    }
    ck_assert_int_eq((profiler_len)(rows), 4);
    bool found = false;
    for (int64_t i = 0; i < prof->recording.count; i++)
        if (prof->recording.events[i].shapes)
            found |= strcmp(prof->recording.events[i].shapes, "[[5, 3], [4, 3], [4]]") == 0;
    ck_assert(found);
}
END_TEST

START_TEST(sums_by_module_and_line_are_of_all_time) {
    Net *model = net();
    Tensor *x = t_ones(5, 3);
    profiler_profile *prof;
    with_profiler(prof) {
        t_backward(t_sum(nn_call(model, x)));
    }
    double all = 0, modules = 0, lines = 0;
    for (int64_t i = 0; i < prof->recording.count; i++) {
        const tg_Event *e = &prof->recording.events[i];
        all += (double)(e->end - e->start - e->children) / 1000;
    }
    profiler_EventList *rows = profiler_key_averages(prof, .group_by_module = true);
    for (int64_t i = 0; i < profiler_len(rows); i++) modules += profiler_get(rows, i)->self_cpu_time_total;
    rows = profiler_key_averages(prof, .group_by_line = true);
    for (int64_t i = 0; i < profiler_len(rows); i++) lines += profiler_get(rows, i)->self_cpu_time_total;
    ck_assert_double_eq(all, modules);
    ck_assert_double_eq(all, lines);
    fails_with(profiler_key_averages(prof, .group_by_module = true, .group_by_line = true), "exclude each other");
}
END_TEST

START_TEST(memory_and_flops_are_counted) {
    Tensor *a = t_ones(8, 16), *b = t_ones(16, 4);
    profiler_profile *prof;
    with_profiler(prof, .profile_memory = true, .with_flops = true) {
        t_matmul(a, b);
    }
    const profiler_FunctionEvent *e = profiler_get(profiler_key_averages(prof), 0);
    ck_assert_str_eq(e->key, "aten::matmul");
    ck_assert_int_eq(e->cpu_memory_usage, 8 * 4 * 4);
    e = profiler_get(profiler_key_averages(prof), 1);
    ck_assert_str_eq(e->key, "aten::mm");
    ck_assert_double_eq(e->flops, 2.0 * 8 * 4 * 16);
    ck_assert_double_gt(profiler_peak_flops(), 0);
    const char *text = profiler_table(profiler_key_averages(prof), .share_of_peak = true, .forward_backward = true);
    const char *const columns[] = {"Forward", "Backward", "# of Calls", "Total KFLOPs", "GFLOP/s", "% of peak"};
    expect_in_order(text, columns, 6);
}
END_TEST

/* torch.profiler's numbers, in the ops that compute: those of addmm and baddbmm are a product's and an addition's, a
 * fused feed-forward has those of its two linear layers. */
START_TEST(ops_have_pytorchs_flops) {
    Tensor *a = t_ones(2, 3), *b = t_ones(3, 4), *c = t_ones(2, 4), *batch = t_ones(5, 2, 3), *right = t_ones(5, 3, 4);
    nn_FeedForward *feed_forward = nn_FeedForward(3, 6);
    nn_eval(feed_forward);
    static const struct {
        const char *op;
        double flops;
    } expected[] = {{"aten::add", 6 + 8 + 40},   {"aten::mul", 6},
                    {"aten::mm", 48},            {"aten::bmm", 240 + 240},
                    {"aten::addmm", 0},          {"aten::baddbmm", 0},
                    {"aten::conv2d", 0},         {"aten::convolution", 27648 + 15552},
                    {"aten::neg", 0},            {"aten::feed_forward", 2 * 2 * 3 * 6 * 2}};
    profiler_profile *prof;
    with_profiler(prof, .with_flops = true, .record_shapes = true) {
        t_add(a, a);
        t_mul(a, a);
        t_neg(a);
        t_addmm(c, a, b);
        t_bmm(batch, right);
        t_baddbmm(t_ones(5, 2, 4), batch, right);
        F_conv2d(t_ones(2, 3, 8, 8), t_ones(4, 3, 3, 3), .padding = 1);
        F_conv2d(t_ones(2, 4, 8, 8), t_ones(6, 2, 3, 3), .groups = 2);
        with_no_grad() nn_call(feed_forward, a);
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double flops = -1;
        for_events(event, profiler_key_averages(prof)) {
            if (strcmp(event->key, expected[i].op) == 0) flops = event->flops;
        }
        if (flops != expected[i].flops) note("%s: %g instead of %g", expected[i].op, flops, expected[i].flops);
    }
    report_notes();
}
END_TEST

/* A dropout records before it computes, and is in no call of its own: its event ends with the computation. */
START_TEST(an_op_that_records_first_has_one_event) {
    nn_Dropout *dropout = nn_Dropout(0.5);
    Tensor *x = t_ones(1000, .requires_grad = true);
    profiler_profile *prof;
    with_profiler(prof) nn_call(dropout, x);
    int count = 0;
    for (int64_t i = 0; i < prof->recording.count; i++) {
        const tg_Event *e = &prof->recording.events[i];
        if (strcmp(e->name, "aten::dropout") != 0) continue;
        count++;
        ck_assert_int_gt(e->end, e->start);
        ck_assert_int_gt(e->depth, 0);
    }
    ck_assert_int_eq(count, 1);
}
END_TEST

/* The sums of the same events in several threads are one. */
START_TEST(sums_of_threads_are_merged) {
    static const char neg[] = "aten::neg", add[] = "aten::add";
    tg_EventSum first[] = {{.name = neg, .calls = 2, .own = 3, .shown_own = 4, .total = 5, .at_site = 6, .bytes = 7,
                            .own_bytes = 8, .flops = 9}},
                second[] = {{.name = add, .calls = 1},
                            {.name = neg, .calls = 20, .own = 30, .shown_own = 40, .total = 50, .at_site = 60,
                             .bytes = 70, .own_bytes = 80, .flops = 90},
                            {.name = neg, .calls = 1, .backward = true}};
    ThreadLog *logs = calloc(2, sizeof *logs);
    logs[0].sums = first, logs[0].sum_count = 1, logs[0].next = &logs[1];
    logs[1].sums = second, logs[1].sum_count = 3;
    int64_t count = 0;
    tg_EventSum *sums = tg_merge_sums(logs, &count);
    ck_assert_int_eq(count, 3);
    ck_assert(sums[0].name == neg && sums[0].calls == 22 && sums[0].own == 33 && sums[0].shown_own == 44);
    ck_assert(sums[0].total == 55 && sums[0].at_site == 66 && sums[0].bytes == 77 && sums[0].own_bytes == 88);
    ck_assert(sums[0].flops == 99 && sums[1].name == add && sums[1].calls == 1 && sums[2].backward);
    free(sums);
    free(logs);
}
END_TEST

/* ---- errors, handlers, schedules, threads ---- */

START_TEST(an_error_leaves_the_stack_whole) {
    Tensor *x = t_ones(2, 3), *y = t_ones(4, 5);
    profiler_profile *prof;
    with_profiler(prof) {
        t_set_error_handler(ignore_error, NULL);
        t_matmul(x, y);
        t_clear_error();
        t_set_error_handler(NULL, NULL);
        t_neg(x);
    }
    const tg_Event *last = &prof->recording.events[prof->recording.count - 1];
    ck_assert_str_eq(last->name, "aten::neg");
    ck_assert_int_eq(last->depth, 0);
    fails_with(profiler_table(profiler_key_averages(prof), .sort_by = "cuda"), "has no attribute 'cuda'");
    profiler_profile *other = profiler_profile();
    fails_with(profiler_events(other), "it has recorded nothing");
    fails_with(profiler_events((profiler_profile *)(void *)x), "argument 1 is no profile, or died with its scope");
    fails_with(profiler_step(other), "is not running");
    with_profiler(prof) {
        fails_with(profiler_start(other), "already enabled");
    }
    fails_with(profiler_profile(.schedule = profiler_schedule(.wait = 1)),
               "Invalid profiler schedule arguments. Got "
               "wait=1 (need >= 0), warmup=0 (need >= 0), active=0 (need > 0)");
}
END_TEST

static int ready;
static int64_t recorded[8];
static void trace_is_ready(profiler_profile *prof) {
    recorded[ready++] = prof->recording.count;
}

START_TEST(a_schedule_records_its_active_steps) {
    const profiler_Schedule s = profiler_schedule(.wait = 1, .warmup = 1, .active = 2, .repeat = 2, .skip_first = 1);
    const int expected[] = {0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0};
    for (int i = 0; i < 11; i++) ck_assert_int_eq((int)profiler_schedule_action(&s, i), expected[i]);
    Tensor *x = t_ones(3);
    profiler_profile *prof;
    ready = 0;
    with_profiler(prof, .schedule = s, .on_trace_ready = trace_is_ready) for_range (i, 0, 11) {
        t_neg(x);
        profiler_step(prof);
    }
    ck_assert_int_eq(ready, 2);
    ck_assert_int_eq(recorded[0], 4); /* two steps, each with an op */
    ck_assert_int_eq(recorded[1], 4);
    ck_assert_int_eq(profiler_step_num(prof), 11);
    ck_assert_str_eq(prof->recording.events[0].name, "ProfilerStep#7");
    ck_assert_str_eq(profiler_get(profiler_key_averages(prof), 0)->key, "ProfilerStep*");
    ck_assert_int_eq(profiler_get(profiler_key_averages(prof), 0)->count, 2);
}
END_TEST

static void *work(void *context) {
    (void)context;
    Tensor *x = t_ones(100);
    for_range (i, 0, 200) t_mul(x, 2);
    return NULL;
}

START_TEST(all_threads_are_recorded) {
    profiler_profile *prof;
    pthread_t threads[3];
    with_profiler(prof) {
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
        Tensor *x = t_ones(100), *y = t_ones(100);
        data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(x, y)), .batch_size = 10, .num_workers = 2);
        for_batch (b, loader) t_neg(b.x);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    }
    int64_t calls = 0, batches = 0;
    profiler_EventList *rows = profiler_key_averages(prof);
    for (int64_t i = 0; i < profiler_len(rows); i++) {
        const profiler_FunctionEvent *row = profiler_get(rows, i);
        if (strcmp(row->key, "aten::mul") == 0) calls = row->count;
        if (strstr(row->key, "_MultiProcessingDataLoaderIter")) batches = row->count;
    }
    ck_assert_int_eq(calls, 600);
    ck_assert_int_eq(batches, 11);
}
END_TEST

/* ---- memory ---- */

static void step(Net *model, optim_Optimizer *optimizer, Tensor *x) {
    with_scope () {
        Tensor *loss = t_mean(t_square(nn_call(model, x)));
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }
}

START_TEST(a_memory_timeline_names_what_holds_the_peak) {
    Net *model = net();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.1);
    Tensor *x = t_ones(1000, 3);
    profiler_profile *prof;
    with_profiler(prof, .profile_memory = true) {
        step(model, optimizer, x);
        step(model, optimizer, x);
    }
    const char *text = profiler_memory_peak(prof, -1);
    const char *const parts[] = {"Peak memory: ",
                                 "PARAMETER",
                                 "OPTIMIZER_STATE",
                                 "INPUT",
                                 "ACTIVATION",
                                 "GRADIENT",
                                 "Bytes  of peak  count  Category",
                                 "ACTIVATION       aten::relu",
                                 "[1000, 4]",
                                 "model ",
                                 "test_profiler.c:"};
    expect_in_order(text, parts, sizeof parts / sizeof *parts);
    ck_assert_ptr_nonnull(strstr(text, "torch::autograd::AccumulateGrad"));
    /* weights of 12 and 8, biases of 4 and 2 floats; their gradients; two moments of each */
    ck_assert_ptr_nonnull(strstr(text, "     104 B"));
    ck_assert_ptr_nonnull(strstr(text, "     208 B"));
    char path[] = "/tmp/test_profiler_XXXXXX.json";
    ck_assert_int_ge(mkstemps(path, 5), 0);
    ck_assert(profiler_export_memory_timeline(prof, path));
    size_t size;
    char *json = file_bytes(path, &size);
    ck_assert_int_eq(strncmp(json, "[[", 2), 0);
    ck_assert_ptr_nonnull(strstr(json, "], [[0, "));
    tg_Json parsed = tg_json_of(path, json, size, 0);
    tg_json_skip(&parsed);
    ck_assert(tg_json_end(&parsed));
    free(json);
    unlink(path);
    char svg[] = "/tmp/test_profiler_XXXXXX.svg";
    ck_assert_int_ge(mkstemps(svg, 4), 0);
    ck_assert(profiler_export_memory_timeline(prof, svg));
    char *picture = read_text(svg);
    ck_assert_ptr_nonnull(strstr(picture, "; most of it: "));
    ck_assert_ptr_nonnull(strstr(picture, "ACTIVATION"));
    ck_assert_ptr_nonnull(strstr(picture, "</svg>\n"));
    free(picture);
    unlink(svg);
    for (int64_t k = 0; k < prof->recording.memory_count; k++)
        if (prof->recording.memory[k].name) prof->recording.memory[k].name = "<a>&\xff";
    ck_assert(profiler_export_memory_timeline(prof, svg));
    picture = read_text(svg);
    ck_assert_ptr_nonnull(strstr(picture, "&lt;a>&amp;?"));
    free(picture);
    unlink(svg);
    const int64_t memory_count = prof->recording.memory_count; /* the same later, and with larger tensors */
    static const char *const memories[] = {" MB, ", " GB, "}, *const times[] = {"ms after the", "s after the"};
    for (int i = 0; i < 2; i++) {
        for (int64_t k = 0; k < memory_count; k++) {
            tg_MemoryEvent *e = &prof->recording.memory[k];
            e->bytes *= 1 << 8;
            e->time = prof->recording.start + (e->time - prof->recording.start) * 1000;
        }
        text = profiler_memory_peak(prof, 3);
        ck_assert_msg(strstr(text, memories[i]) && strstr(text, times[i]), "%s", text);
    }
    fails_with(profiler_export_memory_timeline(prof, "memory.html"), "memory.html: a memory timeline is written to");
    with_profiler(prof) t_neg(x);
    fails_with(profiler_memory_peak(prof, 10), "profile_memory=True required");
}
END_TEST

/* ---- files ---- */

/* So many from a forward to its backward. */
static void expect_arrows(const char *trace, int count) {
    int starts = 0, ends = 0;
    for (const char *at = trace; (at = strstr(at, "\"ph\": \"")); at += 7) {
        starts += at[7] == 's';
        ends += at[7] == 'f';
    }
    ck_assert_int_eq(starts, count);
    ck_assert_int_eq(ends, count);
}

START_TEST(a_trace_is_valid_json) {
    Net *model = net();
    Tensor *x = t_ones(5, 3);
    profiler_profile *prof;
    with_profiler(prof, .record_shapes = true, .with_stack = true) {
        with_record_function("a \"name\"\n\xff\\") t_backward(t_sum(nn_call(model, x)));
    }
    char path[] = "/tmp/test_profiler_XXXXXX";
    ck_assert_int_ge(mkstemp(path), 0);
    ck_assert(profiler_export_chrome_trace(prof, path));
    size_t size;
    char *text = file_bytes(path, &size);
    ck_assert_ptr_nonnull(strstr(text, "\"a \\\"name\\\"\\u000a\\ufffd\\\\\""));
    expect_arrows(text, 4); /* sum, linear, relu, linear */
    tg_Json json = tg_json_of(path, text, size, 0);
    tg_json_skip(&json);
    ck_assert(tg_json_end(&json));
    free(text);
    ck_assert(profiler_export_stacks(prof, path, "self_cpu_time_total"));
    text = read_text(path);
    ck_assert_ptr_nonnull(strstr(text, "nn_call(model,_x)"));
    free(text);
    fails_with(profiler_export_stacks(prof, path, "self_cuda_time_total"), "metric should be one of");
    fails_with(profiler_export_chrome_trace(prof, "/no/such/folder/trace.json"), "/no/such/folder/trace.json");
    unlink(path);
}
END_TEST

/* A rule that runs twice has two arrows; flops are arguments. */
START_TEST(a_trace_has_an_arrow_for_each_backward) {
    Tensor *x = t_ones(2, 3, .requires_grad = true), *w = t_ones(3, 4);
    profiler_profile *prof;
    with_profiler(prof, .with_flops = true) {
        Tensor *y = t_sum(t_matmul(x, w));
        t_backward(y, .retain_graph = true);
        t_backward(y);
        linalg_norm(x);
    }
    char path[] = "/tmp/test_profiler_XXXXXX";
    ck_assert_int_ge(mkstemp(path), 0);
    ck_assert(profiler_export_chrome_trace(prof, path));
    char *text = read_text(path);
    expect_arrows(text, 4); /* sum and mm, each twice */
    ck_assert_ptr_nonnull(strstr(text, "\"Flops\": 48"));
    ck_assert_ptr_nonnull(strstr(text, "\"aten::linalg_norm\""));
    free(text);
    unlink(path);
}
END_TEST

/* Each cycle of the schedule has a file. */
START_TEST(a_trace_handler_writes_a_file_for_each_trace) {
    char folder[] = "/tmp/test_profiler_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    const char *below = t_format("%s/a/b", folder);
    Tensor *x = t_ones(3);
    profiler_profile *prof;
    with_profiler(prof, .schedule = profiler_schedule(.active = 2, .repeat = 2),
                  .tensorboard_trace_handler = profiler_tensorboard_trace_handler(below, "worker"))
        for_range (i, 0, 4) {
        t_neg(x);
        profiler_step(prof);
    }
    int files = 0;
    os_Listing *names = os_listdir(below);
    for (int64_t i = 0; i < names->len; i++) {
        const char *path = t_format("%s/%s", below, names->items[i]);
        files += strncmp(names->items[i], "worker.", 7) == 0 && strstr(names->items[i], ".pt.trace.json") != NULL;
        char *text = read_text(path);
        ck_assert_ptr_nonnull(strstr(text, "ProfilerStep#"));
        free(text);
        unlink(path);
    }
    ck_assert_int_eq(files, 2);
    const char *packed = t_format("%s/trace.json.gz", below);
    ck_assert(profiler_export_chrome_trace(prof, packed));
    size_t size;
    char *bytes = file_bytes(packed, &size);
    tg_Compressed from = {.bytes = (const uint8_t *)bytes, .size = size, .name = packed};
    tg_Bytes text = {0};
    ck_assert(tg_gzip_unpack(&from, &text, 1 << 20));
    ck_assert_int_eq(memcmp(text.at, "{\n\"schemaVersion\"", 17), 0);
    tg_bytes_free(&text);
    free(bytes);
    const profiler_TensorboardTraceHandler bad = {.dir_name = t_format("%s/x", packed)};
    fails_with((profiler_export_tensorboard_trace)(prof, &bad), "cannot create the folder ");
    char long_name[1100];
    memset(long_name, 'a', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    const profiler_ProfileOptions long_names[] = {
        {.size = sizeof *long_names, .tensorboard_trace_handler = {.dir_name = long_name}},
        {.size = sizeof *long_names, .tensorboard_trace_handler = {.dir_name = "a", .worker_name = long_name}}};
    fails_with(profiler_profile_new(&long_names[0]), "dir_name is too long for the name of a file");
    fails_with(profiler_profile_new(&long_names[1]), "worker_name is too long for the name of a file");
    unlink(packed);
    rmdir(below);
    rmdir(t_format("%s/a", folder));
    rmdir(folder);
}
END_TEST

Suite *profiler_suite(void) {
    Suite *suite = suite_create("profiler");
    TCase *test = tcase_create("profiler");
    tcase_add_checked_fixture(test, use_ticking_clock, use_clock_before);
    tcase_add_test(test, a_call_in_an_argument_comes_before_its_call);
    tcase_add_test(test, a_call_without_events_may_have_one_later);
    tcase_add_test(test, frames_that_are_left_end);
    tcase_add_test(test, an_op_of_an_op_is_its_child);
    tcase_add_test(test, a_composite_in_a_module_is_a_parent);
    tcase_add_test(test, a_composite_that_fails_ends);
    tcase_add_test(test, attention_has_the_flops_of_its_products);
    tcase_add_test(test, a_training_step_has_pytorchs_names);
    tcase_add_test(test, sums_by_module_and_line_are_of_all_time);
    tcase_add_test(test, memory_and_flops_are_counted);
    tcase_add_test(test, ops_have_pytorchs_flops);
    tcase_add_test(test, an_op_that_records_first_has_one_event);
    tcase_add_test(test, sums_of_threads_are_merged);
    tcase_add_test(test, an_error_leaves_the_stack_whole);
    tcase_add_test(test, a_schedule_records_its_active_steps);
    tcase_add_test(test, all_threads_are_recorded);
    tcase_add_test(test, a_memory_timeline_names_what_holds_the_peak);
    tcase_add_test(test, a_trace_is_valid_json);
    tcase_add_test(test, a_trace_has_an_arrow_for_each_backward);
    tcase_add_test(test, a_trace_handler_writes_a_file_for_each_trace);
    suite_add_tcase(suite, test);
    return suite;
}
