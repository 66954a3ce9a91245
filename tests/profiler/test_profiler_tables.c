/* tests/profiler/test_profiler_tables.c: torch.profiler's tables: PyTorch's of the same events
 * (tests/golden/profiler.py), and others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profiler/profile_internal.h"
#include "core/profiler/profiler.h"
#include "core/tensor/tensor.h"
#include "tests/profiler/ticking_clock.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

/* The next field of a line, up to a tab. */
static char *field(char **at) {
    char *text = *at, *end = strchr(text, '\t');
    *at = end ? end + 1 : text + strlen(text);
    if (end) *end = '\0';
    return text;
}

static const char *shared(const char *text) {
    const char *same = tg_profiler_text(text);
    ck_assert_ptr_nonnull(same);
    return same;
}

static void read_event(char *line, tg_Event *e) {
    field(&line);
    e->name = shared(field(&line));
    e->start = strtoll(field(&line), NULL, 10) * 1000;
    e->end = strtoll(field(&line), NULL, 10) * 1000;
    e->thread = (int32_t)strtol(field(&line), NULL, 10);
    e->depth = (int16_t)strtol(field(&line), NULL, 10);
    e->bytes = e->own_bytes = strtoll(field(&line), NULL, 10);
    e->flops = strtod(field(&line), NULL);
    e->shapes = shared(field(&line));
    if (strcmp(e->shapes, "[]") == 0) e->shapes = NULL;
    char *stack = field(&line);
    for (char *c = stack; *c; c++)
        if (*c == '|') *c = '\n';
    e->stack = *stack ? shared(stack) : NULL;
    e->kind = *field(&line) == '1' ? tg_event_annotation : tg_event_op;
}

/* What the recorder adds up while events end. */
static void add_to_parents(tg_Recording *r) {
    for (int64_t i = 0; i < r->count; i++)
        for (int64_t p = i - 1; p >= 0; p--) {
            tg_Event *parent = &r->events[p], *e = &r->events[i];
            if (parent->thread != e->thread || parent->depth != e->depth - 1) continue;
            parent->children += e->end - e->start;
            parent->shown_children = parent->children;
            parent->own_bytes -= e->bytes;
            break;
        }
}

static const char *table_of(profiler_profile *prof, const char *name) {
    const bool has_memory = strncmp(name, "cpu_", 4) == 0 || strncmp(name, "self", 4) == 0 || !strcmp(name, "count") ||
                            !strcmp(name, "stack") || !strcmp(name, "flops");
    prof->o.profile_memory = has_memory;
    prof->o.with_flops = !strcmp(name, "flops");
    if (!strcmp(name, "plain")) return profiler_table(profiler_key_averages(prof));
    if (!strcmp(name, "flops")) return profiler_table(profiler_key_averages(prof), .sort_by = "flops", .row_limit = -1);
    if (!strcmp(name, "shapes"))
        return profiler_table(profiler_key_averages(prof, .group_by_input_shape = true), .sort_by = "cpu_time_total");
    if (!strcmp(name, "narrow"))
        return profiler_table(profiler_key_averages(prof, .group_by_input_shape = true), .sort_by = "cpu_time_total",
                              .max_name_column_width = 20, .max_shapes_column_width = 30, .header = "a header");
    if (!strcmp(name, "stack"))
        return profiler_table(profiler_key_averages(prof, .group_by_stack_n = 2), .sort_by = "cpu_time_total",
                              .max_src_column_width = 40);
    if (!strcmp(name, "s") || !strcmp(name, "ms") || !strcmp(name, "us"))
        return profiler_table(profiler_key_averages(prof), .sort_by = "cpu_time_total", .time_unit = name);
    if (!strcmp(name, "events"))
        return profiler_table(profiler_events(prof), .top_level_events_only = true, .row_limit = 12,
                              .max_src_column_width = 30);
    if (!strcmp(name, "top_level"))
        return profiler_table(profiler_key_averages(prof), .sort_by = "cpu_time_total", .top_level_events_only = true);
    if (!strcmp(name, "total")) {
        const profiler_FunctionEvent *total = profiler_get(profiler_total_average(profiler_events(prof)), 0);
        return t_format("%.3f %.3f %lld", total->cpu_time_total, total->self_cpu_time_total, (long long)total->count);
    }
    return profiler_table(profiler_key_averages(prof), .sort_by = name, .row_limit = 5);
}

START_TEST(tables_are_those_of_pytorch) {
    char *golden = read_text("tests/golden/profiler.txt"), *at = golden;
    profiler_profile *prof = profiler_profile();
    prof->recording.events = calloc(256, sizeof(tg_Event));
    while (strncmp(at, "event\t", 6) == 0) {
        char *end = strchr(at, '\n');
        *end = '\0';
        read_event(at, &prof->recording.events[prof->recording.count++]);
        at = end + 1;
    }
    add_to_parents(&prof->recording);
    int tables = 0;
    for (; strncmp(at, "table\t", 6) == 0; tables++) {
        char *line = at, *end = strchr(at, '\n');
        *end = '\0';
        field(&line);
        const char *name = field(&line);
        int lines = atoi(field(&line));
        char *expected = at = end + 1;
        for (; lines > 0; lines--) at = strchr(at, '\n') + 1;
        at[-1] = '\0';
        const char *text = table_of(prof, name);
        ck_assert_msg(strcmp(text, expected) == 0, "table %s:\n%s\nnot\n%s", name, text, expected);
    }
    ck_assert_int_eq(tables, 17);
    free(golden);
}
END_TEST

START_TEST(texts_are_shared_however_many_there_are) {
    enum { TEXTS = 3000 };
    static const char *first[TEXTS];
    for (int i = 0; i < TEXTS; i++) first[i] = shared(t_format("a text %d", i));
    for (int i = 0; i < TEXTS; i++) {
        ck_assert_ptr_eq(shared(t_format("a text %d", i)), first[i]);
        ck_assert_str_eq(first[i], t_format("a text %d", i));
    }
}
END_TEST

/* The longest line of a text. */
static int longest_line(const char *text) {
    int longest = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if ((int)strcspn(line, "\n") > longest) longest = (int)strcspn(line, "\n");
    return longest;
}

START_TEST(a_compact_table_has_narrow_columns) {
    Tensor *a = t_randn(8, 16), *b = t_randn(16, 4);
    profiler_profile *prof;
    with_profiler(prof, .profile_memory = true, .with_flops = true) {
        with_record_function("a name of some length, more than what a compact table has") t_matmul(a, b);
    }
    const char *text = profiler_table(profiler_key_averages(prof), .compact = true, .max_name_column_width = 44);
    const char *const columns[] = {"Name  Self CPU %  Self CPU  CPU total  CPU time avg  Self CPU Mem  # of Calls",
                                   "a name of some length, more than what a c...", "aten::mm"};
    expect_in_order(text, columns, 3);
    ck_assert_ptr_null(strstr(text, "CPU total %"));
    ck_assert_int_le(longest_line(text), 140);
    text = profiler_table(profiler_key_averages(prof, .group_by_line = true), .compact = true, .share_of_peak = true,
                          .max_name_column_width = 24);
    const char *const of_lines[] = {"Self CPU  CPU total  Forward  Backward", "GFLOP/s  % of peak",
                                    "...profiler_tables.c:"};
    expect_in_order(text, of_lines, 3);
    ck_assert_ptr_null(strstr(text, "CPU time avg"));
    ck_assert_ptr_null(strstr(text, "FLOPs"));
    ck_assert_int_le(longest_line(text), 140);
}
END_TEST

/* Events that take no time have no share of it; a column narrower than "..." has the end of the text. */
START_TEST(a_table_of_nothing) {
    Tensor *x = t_ones(3);
    profiler_profile *prof;
    with_profiler(prof, .with_stack = true) t_neg(x);
    for (int64_t i = 0; i < prof->recording.count; i++) {
        tg_Event *e = &prof->recording.events[i];
        e->end = e->start;
        e->children = e->shown_children = 0;
    }
    ck_assert_ptr_nonnull(strstr(profiler_table(profiler_key_averages(prof)), "NaN"));
    const char *text = profiler_table(profiler_key_averages(prof, .group_by_stack_n = 1), .max_src_column_width = 3);
    ck_assert_ptr_null(strstr(text, "..."));
    ck_assert_ptr_nonnull(strstr(text, "x) "));
}
END_TEST

Suite *profiler_tables_suite(void) {
    Suite *suite = suite_create("profiler_tables");
    TCase *test = tcase_create("profiler_tables");
    tcase_add_checked_fixture(test, use_ticking_clock, use_clock_before);
    tcase_add_test(test, tables_are_those_of_pytorch);
    tcase_add_test(test, texts_are_shared_however_many_there_are);
    tcase_add_test(test, a_compact_table_has_narrow_columns);
    tcase_add_test(test, a_table_of_nothing);
    suite_add_tcase(suite, test);
    return suite;
}
