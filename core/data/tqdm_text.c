/* core/data/tqdm_text.c: the texts of progress bars, which grow to any length. */
#include <string.h>

#include "core/data/tqdm_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/tensor.h"

bool tg_tqdm_reserve(tg_TqdmText *self, size_t more) {
    if (self->data && more < self->capacity - self->size) return true;
    const size_t needed = self->size + more + 1, larger = self->capacity + self->capacity / 2;
    const size_t capacity = needed > larger ? needed + 63 : larger;
    char *data = tg_alloc_raw(capacity);
    if (!data) return false;
    if (self->size) memcpy(data, self->data, self->size);
    data[self->size] = '\0';
    tg_free(self->data, self->capacity);
    self->data = data;
    self->capacity = capacity;
    return true;
}

bool tg_tqdm_put(tg_TqdmText *self, const char *text, size_t length) {
    if (!tg_tqdm_reserve(self, length)) return false;
    if (length) memcpy(self->data + self->size, text, length);
    self->data[self->size += length] = '\0';
    return true;
}

bool tg_tqdm_vprint(tg_TqdmText *self, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = tg_c_vsnprintf(NULL, 0, format, arguments);
    const bool ok = length >= 0 && tg_tqdm_reserve(self, (size_t)length);
    if (ok) {
        tg_c_vsnprintf(self->data + self->size, (size_t)length + 1, format, again);
        self->size += (size_t)length;
    }
    va_end(again);
    return ok;
}

bool tg_tqdm_print(tg_TqdmText *self, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const bool ok = tg_tqdm_vprint(self, format, arguments);
    va_end(arguments);
    return ok;
}

bool tg_tqdm_clear(tg_TqdmText *self) {
    self->size = 0;
    return tg_tqdm_put(self, "", 0);
}

void tg_tqdm_free(tg_TqdmText *self) {
    tg_free(self->data, self->capacity);
    *self = (tg_TqdmText){0};
}

void tg_tqdm_texts_free(tg_TqdmTexts *self) {
    tg_TqdmText *texts[] = {&self->line,  &self->left, &self->right,  &self->postfix, &self->format,
                            &self->field, &self->rate, &self->normal, &self->inverse};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) tg_tqdm_free(texts[i]);
}

void tg_tqdm_copies_free(tg_TqdmCopies *self) {
    tg_TqdmText *texts[] = {&self->desc, &self->postfix, &self->unit, &self->ascii, &self->colour, &self->bar_format};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) tg_tqdm_free(texts[i]);
}

bool tg_tqdm_copy(tg_TqdmCopies *self, tqdm_Options *options) {
    tg_TqdmCopies made = {0};
    tg_TqdmText *to[] = {&made.desc, &made.postfix, &made.unit, &made.ascii, &made.colour, &made.bar_format};
    const char **from[] = {&options->desc,  &options->postfix, &options->unit,
                           &options->ascii, &options->colour,  &options->bar_format};
    enum { TEXTS = sizeof to / sizeof *to };
    for (int i = 0; i < TEXTS; i++)
        if (*from[i] && !tg_tqdm_put(to[i], *from[i], strlen(*from[i]))) {
            tg_tqdm_copies_free(&made);
            return false;
        }
    for (int i = 0; i < TEXTS; i++) *from[i] = to[i]->data;
    tg_tqdm_copies_free(self);
    *self = made;
    return true;
}
