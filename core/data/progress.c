/* core/data/progress.c: tqdm(loader), a progress bar for the next iteration over a loader; tqdm.c draws it. */
#include <stdarg.h>

#include "core/data/data_internal.h"
#include "core/data/tqdm_internal.h"

/* ---- begin, count, end ---- */

void tg_progress_begin(tg_Progress *p, int64_t first, int64_t total) {
    p->waiting = false;
    tqdm_Options o = p->options;
    if (o.total < 0) o.total = (double)total;
    o.initial += (double)first;
    tqdm_tqdm *bar = tqdm_tqdm_new(&o);
    p->bar = bar ? tg_take_from_scope(bar) : NULL;
}

void tg_progress_count(tg_Progress *p) {
    if (p->bar) tqdm_step_(p->bar);
}

void tg_progress_end(tg_Progress *p) {
    if (!p->bar) return;
    (tqdm_close)(p->bar);
    t_release(p->bar);
    p->bar = NULL;
}

void tg_progress_free(tg_Progress *p) {
    tg_tqdm_copies_free(&p->copies);
}

/* ---- public ---- */

data_DataLoader *data_tqdm(data_DataLoader *loader, const tqdm_Options *options) {
    tqdm_Options o = tqdm_Defaults;
    if (!tg_check_loader(loader) || !tg_take_options(&o, options, sizeof o)) return NULL;
    tg_Progress *p = &loader->progress;
    if (!tg_tqdm_copy(&p->copies, &o)) return NULL;
    p->options = o;
    p->waiting = true;
    return loader;
}

tqdm_tqdm *data_bar(const data_DataLoader *loader) {
    if (!tg_check_loader(loader)) return NULL;
    return loader->progress.bar ? loader->progress.bar
                                : tg_fail("the loader shows no bar: iterate over data_tqdm(loader)");
}

void data_set_postfix(data_DataLoader *loader, const char *format, ...) {
    if (!tg_check_loader(loader) || !tg_check_given(format != NULL, 2, "a text")) return;
    tg_Progress *p = &loader->progress;
    tg_TqdmText text = {0};
    va_list arguments;
    va_start(arguments, format);
    const bool ok = tg_tqdm_vprint(&text, format, arguments);
    va_end(arguments);
    if (!ok || (p->bar && !tg_tqdm_set_postfix(p->bar, text.data))) {
        tg_tqdm_free(&text);
        return;
    }
    tg_tqdm_free(&p->copies.postfix);
    p->copies.postfix = text;
    p->options.postfix = text.data;
}

void data_set_postfix_str(data_DataLoader *loader, const char *text) {
    data_set_postfix(loader, "%s", text ? text : "");
}
