/* core/profiler/memory_timeline.c: what is in memory over time, and what holds the peak.
 *
 * The memory events of all threads are replayed in the order of time: a storage that is made becomes a block, which
 * ends when it is freed. What becomes known of it in between gives it a category: a tensor that the tape may need is an
 * activation, a gradient that arrives at a leaf is one, an input that is a parameter is one. A storage from before the
 * profile is known from its first use on, as in PyTorch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/profiler/profile_internal.h"

/* ---- blocks ---- */

typedef struct Block {
    int64_t bytes, begin, end; /* end: INT64_MAX if it is not freed */
    const char *name, *shape;
    const t_Site *site;
    const tg_ModulePath *module;
    uint8_t category;
    bool has_result; /* an op returned it */
} Block;

typedef struct Slot { /* of a table by storage; open addressing, and removed ones stay with block -1 */
    const void *storage;
    int64_t block;
} Slot;

typedef struct Timeline {
    Block *blocks;
    int64_t count;
    Slot *slots;
    size_t capacity; /* a power of two, more than twice the number of events */
    int64_t start, end;
} Timeline;

static Slot *slot_of(Timeline *t, const void *storage) {
    size_t at = ((size_t)storage >> 4) * 0x9e3779b97f4a7c15u >> 20 & (t->capacity - 1);
    while (t->slots[at].storage && t->slots[at].storage != storage) at = (at + 1) & (t->capacity - 1);
    return &t->slots[at];
}

static void add_block(Timeline *t, const tg_MemoryEvent *e, Slot *slot, int64_t begin) {
    t->blocks[t->count] = (Block){.bytes = e->bytes,
                                  .begin = begin,
                                  .end = INT64_MAX,
                                  .name = e->name,
                                  .site = e->site,
                                  .module = e->module,
                                  .category = e->category};
    *slot = (Slot){e->storage, t->count++};
}

static void replay(Timeline *t, const tg_MemoryEvent *e) {
    Slot *slot = slot_of(t, e->storage);
    Block *block = slot->storage && slot->block >= 0 ? &t->blocks[slot->block] : NULL;
    switch ((tg_MemoryAction)e->action) {
    case tg_memory_new: add_block(t, e, slot, e->time); break;
    case tg_memory_freed:
        if (!block) break; /* from before the profile, and not used in it */
        block->end = e->time;
        /* what a step of an optimizer frees itself is not its state */
        if (block->category == tg_memory_optimizer_state && e->category == tg_memory_optimizer_state &&
            block->begin > t->start)
            block->category = tg_memory_temporary;
        slot->block = -1;
        break;
    case tg_memory_result:
        if (!block) break;
        if (!block->has_result) {
            block->name = e->name;
            block->shape = e->shape;
            block->site = e->site;
            block->module = e->module;
        }
        block->has_result = true;
        if (e->category > block->category) block->category = e->category;
        break;
    case tg_memory_used:
        if (!block) {
            add_block(t, e, slot, t->start);
            block = &t->blocks[t->count - 1];
            block->name = NULL; /* that of the op that uses it */
            block->site = NULL;
            block->module = e->category == tg_memory_parameter ? e->module : NULL;
        }
        if (e->category == tg_memory_input && block->has_result) break;
        if (e->category > block->category) block->category = e->category;
        if (e->category == tg_memory_gradient) { /* made by a gradient rule, whose module and line it keeps */
            block->name = e->name;
            block->shape = e->shape;
        } else if (!block->shape) {
            block->shape = e->shape;
        }
        break;
    }
}

static void free_timeline(Timeline *t) {
    free(t->blocks);
    free(t->slots);
}

static bool build(Timeline *t, const profiler_profile *prof) {
    const tg_Recording *from = tg_recording_of(prof);
    *t = (Timeline){0};
    if (!from) return false;
    if (!prof->o.profile_memory) return tg_fail("profile_memory=True required for memory profiling.");
    t->start = from->start;
    t->end = from->end;
    for (t->capacity = 64; t->capacity < 3 * (size_t)from->memory_count;) t->capacity *= 2;
    t->blocks = malloc((size_t)(from->memory_count + 1) * sizeof *t->blocks);
    t->slots = calloc(t->capacity, sizeof *t->slots);
    if (!t->blocks || !t->slots) {
        free_timeline(t);
        return tg_fail("out of memory: the memory timeline");
    }
    for (int64_t i = 0; i < from->memory_count; i++) replay(t, &from->memory[i]);
    return true;
}

/* ---- changes over time ---- */

typedef struct Change {
    int64_t time, bytes, block;
} Change;

static int by_time(const void *left, const void *right) {
    const Change *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    const bool a_frees = a->bytes < 0, b_frees = b->bytes < 0; /* a storage's memory is freed before it is used again */
    if (a_frees != b_frees) return a_frees ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static Change *changes_of(const Timeline *t, int64_t *count) {
    Change *changes = malloc((size_t)(2 * t->count + 1) * sizeof *changes);
    if (!changes) return tg_fail("out of memory: the memory timeline");
    *count = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const Block *b = &t->blocks[i];
        changes[(*count)++] = (Change){b->begin, b->bytes, i};
        if (b->end != INT64_MAX) changes[(*count)++] = (Change){b->end, -b->bytes, i};
    }
    qsort(changes, (size_t)*count, sizeof *changes, by_time);
    return changes;
}

/* torch.profiler's order of categories, in its files and from the bottom of the picture; the last is unused. */
static const tg_MemoryCategory order[TG_MEMORY_CATEGORIES] = {
    tg_memory_parameter,  tg_memory_optimizer_state, tg_memory_input,           tg_memory_temporary,
    tg_memory_activation, tg_memory_gradient,        tg_memory_autograd_detail,
};
static const char *const category_names[TG_MEMORY_CATEGORIES] = {
    [tg_memory_parameter] = "PARAMETER",
    [tg_memory_optimizer_state] = "OPTIMIZER_STATE",
    [tg_memory_input] = "INPUT",
    [tg_memory_temporary] = "TEMPORARY",
    [tg_memory_activation] = "ACTIVATION",
    [tg_memory_gradient] = "GRADIENT",
    [tg_memory_autograd_detail] = "AUTOGRAD_DETAIL",
};
static const char *const colors[TG_MEMORY_CATEGORIES] = {
    [tg_memory_parameter] = "darkgreen",
    [tg_memory_optimizer_state] = "goldenrod",
    [tg_memory_input] = "black",
    [tg_memory_temporary] = "mediumpurple",
    [tg_memory_activation] = "red",
    [tg_memory_gradient] = "mediumblue",
    [tg_memory_autograd_detail] = "royalblue",
};

/* The time after which the most bytes are alive, and how many. */
static int64_t peak_of(const Change *changes, int64_t count, int64_t *bytes) {
    int64_t alive = 0, time = 0;
    *bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        alive += changes[i].bytes;
        const bool is_last = i + 1 == count || changes[i + 1].time != changes[i].time;
        if (is_last && alive > *bytes) {
            *bytes = alive;
            time = changes[i].time;
        }
    }
    return time;
}

/* ---- what holds the peak ---- */

static const char *memory_text(int64_t bytes, char to[32]) {
    if (bytes >= 1 << 30)
        snprintf(to, 32, "%.2f GB", (double)bytes / 1073741824.0);
    else if (bytes >= 1 << 20)
        snprintf(to, 32, "%.2f MB", (double)bytes / 1048576.0);
    else if (bytes >= 1 << 10)
        snprintf(to, 32, "%.2f KB", (double)bytes / 1024.0);
    else
        snprintf(to, 32, "%" PRId64 " B", bytes);
    return to;
}

static const char *time_text(int64_t nanoseconds, char to[32]) {
    const double us = (double)nanoseconds / 1000.0;
    if (us >= 1e6)
        snprintf(to, 32, "%.3fs", us / 1e6);
    else if (us >= 1e3)
        snprintf(to, 32, "%.3fms", us / 1e3);
    else
        snprintf(to, 32, "%.3fus", us);
    return to;
}

static bool same_origin(const Block *a, const Block *b) {
    return a->name == b->name && a->shape == b->shape && a->site == b->site && a->module == b->module &&
           a->category == b->category;
}

typedef struct Holder {
    const Block *block; /* one of those of the same origin */
    int64_t bytes, count;
} Holder;

static int by_bytes(const void *left, const void *right) {
    const Holder *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return a->block->begin < b->block->begin ? -1 : a->block->begin > b->block->begin;
}

/* The blocks that are alive after that time, those of the same origin together, the largest first. */
static Holder *holders_at(const Timeline *t, int64_t time, int64_t *count) {
    Holder *holders = malloc((size_t)(t->count + 1) * sizeof *holders);
    if (!holders) return tg_fail("out of memory: what holds the peak");
    *count = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const Block *b = &t->blocks[i];
        if (b->begin > time || b->end <= time || b->bytes == 0) continue;
        int64_t k = 0;
        while (k < *count && !same_origin(holders[k].block, b)) k++;
        if (k == *count) holders[(*count)++] = (Holder){b, 0, 0};
        holders[k].bytes += b->bytes;
        holders[k].count++;
    }
    qsort(holders, (size_t)*count, sizeof *holders, by_bytes);
    return holders;
}

static void print_holder(tg_Output *out, const Holder *h, int64_t peak) {
    char bytes[32], line[256] = "-";
    const Block *b = h->block;
    if (b->site) snprintf(line, sizeof line, "%s:%d", b->site->file, b->site->line);
    tg_output_print(out, "%12s  %6.2f%%  %5" PRId64 "  %-15s  %-36.36s  %-18.18s  %-28.28s  %s\n",
                    memory_text(h->bytes, bytes), 100.0 * (double)h->bytes / (double)peak, h->count,
                    category_names[b->category], b->name ? b->name : "(from before the profile)",
                    b->shape ? b->shape : "-", b->module ? b->module->path : "-", line);
}

static void print_peak(tg_Output *out, const Timeline *t, const Holder *holders, int64_t count, int64_t time,
                       int64_t peak, int64_t row_limit) {
    char bytes[32], at[32];
    int64_t sums[TG_MEMORY_CATEGORIES] = {0};
    for (int64_t i = 0; i < count; i++) sums[holders[i].block->category] += holders[i].bytes;
    tg_output_print(out, "Peak memory: %s, %s after the start\n", memory_text(peak, bytes),
                    time_text(time - t->start, at));
    for (int i = 0; i < TG_MEMORY_CATEGORIES; i++)
        if (sums[order[i]])
            tg_output_print(out, "%12s  %6.2f%%  %s\n", memory_text(sums[order[i]], bytes),
                            100.0 * (double)sums[order[i]] / (double)peak, category_names[order[i]]);
    tg_output_print(out, "\n%12s  %7s  %5s  %-15s  %-36s  %-18s  %-28s  %s\n", "Bytes", "of peak", "count", "Category",
                    "Operation", "Shape", "Module", "Line");
    for (int64_t i = 0; i < count && i != row_limit; i++) print_holder(out, &holders[i], peak);
    if (row_limit >= 0 && count > row_limit) tg_output_print(out, "%12s\n", "...");
}

const char *profiler_memory_peak(const profiler_profile *prof, int64_t row_limit) {
    Timeline t;
    tg_Output out;
    int64_t changes_count, count = 0, peak = 0;
    if (!build(&t, prof)) return NULL;
    Change *changes = changes_of(&t, &changes_count);
    const int64_t time = changes ? peak_of(changes, changes_count, &peak) : 0;
    Holder *holders = changes ? holders_at(&t, time, &count) : NULL;
    tg_output_memory(&out);
    if (holders) print_peak(&out, &t, holders, count, time, peak ? peak : 1, row_limit);
    char *text = tg_output_take_text(&out, holders != NULL);
    free(changes);
    free(holders);
    free_timeline(&t);
    return text ? tg_str_new(text) : NULL;
}

/* ---- files ---- */

/* torch.profiler's JSON: [times in microseconds, for each the bytes of each category], before which is a 0 and after
 * which a 0 for what has none. */
static void write_json(tg_Output *out, const Timeline *t, const Change *changes, int64_t count) {
    int64_t sums[TG_MEMORY_CATEGORIES] = {0};
    tg_output_text(out, "[[");
    for (int64_t i = 0, last = -1; i < count; i++) {
        const int64_t us = (changes[i].time - t->start) / 1000;
        if (us != last) tg_output_print(out, "%s%" PRId64, last < 0 ? "" : ", ", us);
        last = us;
    }
    tg_output_text(out, "], [");
    bool first = true;
    for (int64_t i = 0; i < count; i++) {
        sums[t->blocks[changes[i].block].category] += changes[i].bytes;
        if (i + 1 < count && (changes[i + 1].time - t->start) / 1000 == (changes[i].time - t->start) / 1000) continue;
        tg_output_text(out, first ? "[0" : ", [0");
        for (int k = 0; k < TG_MEMORY_CATEGORIES; k++) tg_output_print(out, ", %" PRId64, sums[order[k]]);
        tg_output_text(out, ", 0]");
        first = false;
    }
    tg_output_text(out, "]]");
}

enum { WIDTH = 900, HEIGHT = 420, LEFT = 80, TOP = 50, PLOT_WIDTH = 640, PLOT_HEIGHT = 310, COLUMNS = 640 };

typedef struct Picture {
    int64_t sums[COLUMNS][TG_MEMORY_CATEGORIES]; /* in each column the state with the most bytes */
    int64_t peak, peak_time, end;
} Picture;

static int64_t total_of(const int64_t sums[TG_MEMORY_CATEGORIES]) {
    int64_t total = 0;
    for (int i = 0; i < TG_MEMORY_CATEGORIES; i++) total += sums[i];
    return total;
}

static void fill_columns(Picture *p, const Timeline *t, const Change *changes, int64_t count) {
    int64_t sums[TG_MEMORY_CATEGORIES] = {0}, i = 0;
    const double span = t->end > t->start ? (double)(t->end - t->start) : 1;
    for (int column = 0; column < COLUMNS; column++) {
        const int64_t until = t->start + (int64_t)(span * (column + 1) / COLUMNS);
        memcpy(p->sums[column], sums, sizeof sums);
        for (; i < count && changes[i].time <= until; i++) {
            sums[t->blocks[changes[i].block].category] += changes[i].bytes;
            const bool is_last = i + 1 == count || changes[i + 1].time != changes[i].time;
            if (is_last && total_of(sums) > total_of(p->sums[column])) memcpy(p->sums[column], sums, sizeof sums);
        }
    }
}

static void print_xml(tg_Output *out, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            tg_output_text(out, "&lt;");
        else if (*text == '&')
            tg_output_text(out, "&amp;");
        else if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
            tg_output_text(out, "?");
        else
            tg_output_write(out, text, 1);
    }
}

/* The area of one category, above those before it in the order. */
static void print_area(tg_Output *out, const Picture *p, int which) {
    const double scale = (double)PLOT_HEIGHT / (double)(p->peak ? p->peak : 1);
    bool is_empty = true;
    for (int c = 0; c < COLUMNS; c++) is_empty = is_empty && p->sums[c][order[which]] == 0;
    if (is_empty) return;
    tg_output_print(out, "<path fill=\"%s\" fill-opacity=\"0.75\" d=\"M", colors[order[which]]);
    for (int step = 0; step < 2 * COLUMNS; step++) {
        const int c = step < COLUMNS ? step : 2 * COLUMNS - 1 - step;
        int64_t below = 0;
        for (int k = 0; k < which + (step < COLUMNS); k++) below += p->sums[c][order[k]];
        tg_output_print(out, "%s%.2f %.2f", step ? "L" : "", LEFT + (c + 0.5) * PLOT_WIDTH / COLUMNS,
                        TOP + PLOT_HEIGHT - (double)below * scale);
    }
    tg_output_text(out, "Z\"/>\n");
}

static void print_label(tg_Output *out, double x, double y, const char *anchor, const char *text) {
    tg_output_print(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", x, y, anchor);
    print_xml(out, text);
    tg_output_text(out, "</text>\n");
}

static void write_svg(tg_Output *out, const Picture *p, const Timeline *t, const Holder *largest) {
    char text[512], number[32], line[300] = "";
    tg_output_print(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                    "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
                    "fill=\"white\"/>\n",
                    WIDTH, HEIGHT, WIDTH, HEIGHT);
    for (int i = 0; i < TG_MEMORY_CATEGORIES; i++) print_area(out, p, i);
    tg_output_print(out, "<path fill=\"none\" stroke=\"black\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, TOP + PLOT_HEIGHT,
                    LEFT + PLOT_WIDTH);
    for (int i = 0; i <= 4; i++) {
        const double y = TOP + PLOT_HEIGHT - PLOT_HEIGHT * i / 4.0, x = LEFT + PLOT_WIDTH * i / 4.0;
        print_label(out, LEFT - 6, y + 4, "end", memory_text(p->peak * i / 4, number));
        print_label(out, x, TOP + PLOT_HEIGHT + 18, "middle", time_text((t->end - t->start) * i / 4, number));
    }
    for (int i = 0; i < TG_MEMORY_CATEGORIES; i++) {
        const double y = TOP + 20.0 * (TG_MEMORY_CATEGORIES - 1 - i);
        tg_output_print(out,
                        "<rect x=\"%d\" y=\"%.2f\" width=\"12\" height=\"12\" fill=\"%s\" "
                        "fill-opacity=\"0.75\"/>\n",
                        LEFT + PLOT_WIDTH + 16, y, colors[order[i]]);
        print_label(out, LEFT + PLOT_WIDTH + 34, y + 10, "start", category_names[order[i]]);
    }
    const double span = t->end > t->start ? (double)(t->end - t->start) : 1;
    const double x = LEFT + PLOT_WIDTH * (double)(p->peak_time - t->start) / span;
    tg_output_print(out, "<path stroke=\"black\" stroke-dasharray=\"3 3\" d=\"M%.2f %dV%d\"/>\n", x, TOP,
                    TOP + PLOT_HEIGHT);
    if (largest && largest->block->site)
        snprintf(line, sizeof line, ", %s:%d", largest->block->site->file, largest->block->site->line);
    snprintf(text, sizeof text, "peak %s", memory_text(p->peak, number));
    const size_t length = strlen(text);
    if (largest)
        snprintf(text + length, sizeof text - length, "; most of it: %s %s %s, %s%s",
                 memory_text(largest->bytes, number),
                 largest->block->name ? largest->block->name : category_names[largest->block->category],
                 largest->block->shape ? largest->block->shape : "",
                 largest->block->module ? largest->block->module->path : "no module", line);
    print_label(out, LEFT, TOP - 20, "start", text);
    tg_output_text(out, "</svg>\n");
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static bool write_timeline(const Timeline *t, const char *path) {
    tg_Output out;
    int64_t count, holder_count = 0;
    Change *changes = changes_of(t, &count);
    Picture *p = changes ? calloc(1, sizeof *p) : NULL;
    if (p) p->peak_time = peak_of(changes, count, &p->peak);
    Holder *holders = p ? holders_at(t, p->peak_time, &holder_count) : NULL;
    bool ok = holders && tg_output_open(&out, path);
    if (ok) {
        if (ends_with(path, ".json")) {
            write_json(&out, t, changes, count);
        } else {
            fill_columns(p, t, changes, count);
            write_svg(&out, p, t, holder_count ? holders : NULL);
        }
        ok = tg_output_commit(&out, true);
    }
    if (changes && !p) tg_fail("out of memory: the memory timeline");
    free(changes);
    free(holders);
    free(p);
    return ok;
}

bool profiler_export_memory_timeline(const profiler_profile *prof, const char *path) {
    Timeline t;
    if (!tg_check_given(path != NULL, 2, "a path")) return false;
    if (!ends_with(path, ".json") && !ends_with(path, ".svg"))
        return tg_fail("%s: a memory timeline is written to a name that ends in .json or .svg", path);
    if (!build(&t, prof)) return false;
    const bool ok = write_timeline(&t, path);
    free_timeline(&t);
    return ok;
}
