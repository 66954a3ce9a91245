/* core/data/progress.c: tqdm(loader), a progress bar for the next iteration over a loader; tqdm.c draws it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/data/data_internal.h"
#include "core/data/tqdm_internal.h"
#include "core/tensor/c_locale.h"

/* ---- begin, count, end ---- */

void tg_progress_begin(tg_Progress *p, int64_t first, int64_t total) {
    p->waiting = false;
    tqdm_Options o = p->options;
    if (o.total < 0) o.total = (double)total;
    o.initial += (double)first;
    o.postfix = p->postfix;
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

/* ---- public ---- */

static const char *keep(char *to, size_t size, const char *text) {
    snprintf(to, size, "%s", text ? text : "");
    return text ? to : NULL;
}

data_DataLoader *data_tqdm(data_DataLoader *loader, const tqdm_Options *options) {
    tqdm_Options o = tqdm_Defaults;
    if (!tg_check_loader(loader) || !tg_take_options(&o, options, sizeof o)) return NULL;
    tg_Progress *p = &loader->progress;
    o.desc = keep(p->desc, sizeof p->desc, o.desc);
    o.unit = keep(p->unit, sizeof p->unit, o.unit);
    o.ascii = keep(p->ascii, sizeof p->ascii, o.ascii);
    o.colour = keep(p->colour, sizeof p->colour, o.colour);
    keep(p->postfix, sizeof p->postfix, o.postfix);
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
    char *text = loader->progress.postfix;
    va_list arguments;
    va_start(arguments, format);
    tg_c_vsnprintf(text, sizeof loader->progress.postfix, format, arguments);
    va_end(arguments);
    if (loader->progress.bar) tg_tqdm_set_postfix(loader->progress.bar, text);
}

void data_set_postfix_str(data_DataLoader *loader, const char *text) {
    data_set_postfix(loader, "%s", text ? text : "");
}
