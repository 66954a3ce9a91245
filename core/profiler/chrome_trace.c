/* core/profiler/chrome_trace.c: traces in the Trace Event Format, which chrome://tracing and ui.perfetto.dev show
 * ("ph": "X" an event with its duration, "M" a name, "s" and "f" the ends of an arrow), and stacks for flame graphs
 * (Brendan Gregg's "a;b;c 42"). */
#include "core/profiler/chrome_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/io/file.h"
#include "core/io/utf8.h"
#include "core/io/zlib/zlib.h"
#include "core/profiler/profile_internal.h"

/* ---- JSON ---- */

/* A JSON string (RFC 8259), also of a text that is not UTF-8: a byte that is not part of it becomes U+FFFD. */
static void print_string(tg_Output *out, const char *text) {
    tg_output_text(out, "\"");
    for (const char *at = text; *at;) {
        const unsigned char c = (unsigned char)*at;
        const size_t length = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
        if (c == '"' || c == '\\')
            tg_output_print(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            tg_output_print(out, "\\u%04x", c);
        else if (strnlen(at, length) == length && tg_utf8_valid(at, length) == length)
            tg_output_write(out, at, length);
        else
            tg_output_text(out, "\\ufffd");
        at += c >= 0x80 && strnlen(at, length) == length && tg_utf8_valid(at, length) == length ? length : 1;
    }
    tg_output_text(out, "\"");
}

static double microseconds(int64_t nanoseconds) {
    return (double)nanoseconds / 1000.0;
}

/* torch.profiler's categories. */
static const char *category(uint8_t kind) {
    return kind == tg_event_op ? "cpu_op" : kind == tg_event_annotation ? "user_annotation" : "python_function";
}

static void print_arguments(tg_Output *out, const tg_Event *e) {
    const char *comma = "";
    tg_output_text(out, ", \"args\": {");
    if (e->sequence) {
        tg_output_print(out, "\"Sequence number\": %lld, \"Fwd thread id\": %lld",
                        (long long)((e->sequence & (((int64_t)1 << 40) - 1)) - 1),
                        e->backward ? (long long)(e->sequence >> 40) : 0LL);
        comma = ", ";
    }
    if (e->shapes) {
        tg_output_print(out, "%s\"Input Dims\": %s", comma, e->shapes); /* "[[2, 3], []]" is JSON */
        comma = ", ";
    }
    if (e->module) {
        tg_output_print(out, "%s\"Module Hierarchy\": ", comma);
        print_string(out, e->module->path);
        comma = ", ";
    }
    if (e->site) {
        tg_output_print(out, "%s\"Source Location\": ", comma);
        char line[32];
        snprintf(line, sizeof line, ":%d", e->site->line);
        const size_t length = strlen(e->site->file) + sizeof line;
        char *text = malloc(length);
        if (text)
            snprintf(text, length, "%s%s", e->site->file, line);
        else
            tg_fail("out of memory: the line of an event");
        out->failed = out->failed || !text;
        print_string(out, text ? text : "");
        free(text);
        comma = ", ";
    }
    if (e->flops > 0) {
        tg_output_print(out, "%s\"Flops\": %.0f", comma, e->flops);
        comma = ", ";
    }
    if (e->bytes) tg_output_print(out, "%s\"Bytes\": %lld", comma, (long long)e->bytes);
    tg_output_text(out, "}");
}

static void print_event(tg_Output *out, const tg_Recording *from, const tg_Event *e, int pid) {
    tg_output_print(out, "  {\"ph\": \"X\", \"cat\": \"%s\", \"name\": ", category(e->kind));
    print_string(out, e->name);
    tg_output_print(out, ", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f", pid, e->thread,
                    microseconds(e->start - from->start), microseconds(e->end - e->start));
    print_arguments(out, e);
    tg_output_text(out, "},\n");
}

static int by_sequence(const void *left, const void *right) {
    const tg_Event *a = *(const tg_Event *const *)left, *b = *(const tg_Event *const *)right;
    if (a->sequence != b->sequence) return a->sequence < b->sequence ? -1 : 1;
    if (a->backward != b->backward) return a->backward ? 1 : -1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* An arrow from each op to its gradient rule: "s" in the first, "f" in the second, with the same id. */
static bool print_arrows(tg_Output *out, const tg_Recording *from, int pid) {
    const tg_Event **ops = malloc((size_t)(from->count + 1) * sizeof *ops);
    int64_t count = 0, id = 0;
    if (!ops) return tg_fail("out of memory: the arrows of a trace");
    for (int64_t i = 0; i < from->count; i++)
        if (from->events[i].sequence) ops[count++] = &from->events[i];
    qsort(ops, (size_t)count, sizeof *ops, by_sequence);
    for (int64_t i = 0, last = 0; i < count; i++) {
        if (ops[i]->sequence != ops[last]->sequence) last = i;
        if (i == last || ops[last]->backward || !ops[i]->backward) continue;
        for (int end = 0; end < 2; end++) {
            const tg_Event *e = ops[end ? i : last];
            tg_output_print(out,
                            "  {\"ph\": \"%s\", \"id\": %lld, \"pid\": %d, \"tid\": %d, \"ts\": %.3f, "
                            "\"cat\": \"fwdbwd\", \"name\": \"fwdbwd\"%s},\n",
                            end ? "f" : "s", (long long)id, pid, e->thread, microseconds(e->start - from->start),
                            end ? ", \"bp\": \"e\"" : "");
        }
        id++;
    }
    free(ops);
    return true;
}

static void print_names(tg_Output *out, const tg_Recording *from, int pid) {
    int32_t last = 0;
    tg_output_print(out,
                    "  {\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"tid\": 0, \"ts\": 0.000, "
                    "\"args\": {\"name\": \"tapegrad\"}}",
                    pid);
    for (int64_t i = 0; i < from->count; i++)
        if (from->events[i].thread > last) last = from->events[i].thread;
    for (int32_t thread = 1; thread <= last; thread++)
        tg_output_print(out,
                        ",\n  {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %d, \"tid\": %d, \"ts\": 0.000, "
                        "\"args\": {\"name\": \"thread %d\"}}",
                        pid, thread, thread);
    tg_output_text(out, "\n");
}

static bool print_trace(tg_Output *to, const tg_Recording *from, const char *path) {
    const int pid = (int)getpid();
    tg_output_print(to, "{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [\n");
    for (int64_t i = 0; i < from->count; i++) print_event(to, from, &from->events[i], pid);
    const bool ok = print_arrows(to, from, pid);
    print_names(to, from, pid);
    tg_output_print(to, "],\n\"traceName\": ");
    print_string(to, path);
    tg_output_text(to, "\n}\n");
    return ok;
}

/* The trace in memory, compressed. */
static bool write_compressed(tg_Output *out, const tg_Recording *from, const char *path) {
    tg_Output text;
    tg_Bytes packed = {0};
    size_t size = 0;
    tg_output_memory(&text);
    const bool printed = print_trace(&text, from, path);
    void *bytes = tg_output_take(&text, printed, &size);
    const bool ok = bytes && tg_gzip_pack(bytes, size, TG_DEFLATE_DEFAULT, &packed) &&
                    tg_output_write(out, packed.at, packed.count);
    free(bytes);
    tg_bytes_free(&packed);
    return ok;
}

bool tg_write_chrome_trace(const tg_Recording *from, const char *path) {
    tg_Output out;
    const size_t length = strlen(path);
    const bool is_compressed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    if (!tg_output_open(&out, path)) return false;
    return tg_output_commit(&out, (is_compressed ? write_compressed : print_trace)(&out, from, path));
}

bool profiler_export_chrome_trace(const profiler_profile *prof, const char *path) {
    const tg_Recording *from = tg_recording_of(prof);
    return from && tg_check_given(path != NULL, 2, "a path") && tg_write_chrome_trace(from, path);
}

bool profiler_export_tensorboard_trace(const profiler_profile *prof, const profiler_TensorboardTraceHandler *handler) {
    char path[2048], host[256] = "localhost", worker[300];
    const tg_Recording *from = tg_recording_of(prof);
    if (!from || !tg_check_given(handler != NULL && handler->dir_name != NULL, 2, "a directory") ||
        !tg_make_folders(handler->dir_name))
        return false;
    if (gethostname(host, sizeof host) == 0) host[sizeof host - 1] = '\0';
    snprintf(worker, sizeof worker, "%s_%ld", host, (long)getpid());
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int length = snprintf(path, sizeof path, "%s/%s.%lld.pt.trace.json%s", handler->dir_name,
                                handler->worker_name ? handler->worker_name : worker,
                                (long long)now.tv_sec * 1000000000 + now.tv_nsec, handler->use_gzip ? ".gz" : "");
    if (length >= (int)sizeof path) return tg_fail("the path of a trace in %s is too long", handler->dir_name);
    return tg_write_chrome_trace(from, path);
}

/* ---- stacks ---- */

/* The lines of a stack from the outermost to the innermost, and the time in microseconds. */
static void print_folded(tg_Output *out, const char *stack, double time) {
    for (const char *end = stack + strlen(stack), *line; end >= stack; end = line - 1) {
        line = end;
        while (line > stack && line[-1] != '\n') line--;
        for (const char *c = line; c < end; c++) tg_output_write(out, strchr(" ;\t", *c) ? "_" : c, 1);
        tg_output_text(out, line > stack ? ";" : "");
        if (line == stack) break;
    }
    tg_output_print(out, " %lld\n", (long long)time);
}

bool profiler_export_stacks(const profiler_profile *prof, const char *path, const char *metric) {
    if (!tg_check_given(path != NULL, 2, "a path")) return false;
    if (metric && strcmp(metric, "self_cpu_time_total") != 0)
        return tg_fail("metric should be one of: ['self_cpu_time_total']");
    const int depth = t_scope_open();
    const profiler_EventList *events = depth ? profiler_events(prof) : NULL;
    tg_Output out;
    bool ok = events && tg_output_open(&out, path);
    if (ok) {
        for (int64_t i = 0; i < events->count; i++) {
            const profiler_FunctionEvent *e = &events->items[i];
            if (e->stack && *e->stack && (int64_t)e->self_cpu_time_total > 0)
                print_folded(&out, e->stack, e->self_cpu_time_total);
        }
        ok = tg_output_commit(&out, true);
    }
    t_scope_close(depth);
    return ok;
}
