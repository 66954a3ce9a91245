/* core/tensor/str.c: strings that are owned by a scope. */
#include "core/tensor/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tensor/tensor.h"

typedef struct Str {
    t_Object object;
    char *data;
} Str;

static void str_destroy(void *object) {
    Str *str = object;
    tg_object_dispose(&str->object);
    free(str->data);
    tg_object_free(&str->object, sizeof *str);
}

static const t_Class str_class = {"str", str_destroy};

const char *tg_str_new(char *text) {
    Str *str = text ? tg_alloc(sizeof *str) : NULL;
    if (!str) {
        free(text);
        return NULL;
    }
    str->data = text;
    tg_object_init(&str->object, &str_class);
    return text;
}

const char *t_format(const char *format, ...) {
    if (!tg_check_given(format != NULL, 1, "a format")) return NULL;
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, values);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(values);
    if (length < 0) return tg_fail("the format \"%s\" cannot be printed", format);
    return text ? tg_str_new(text) : tg_fail("out of memory: a text of %d bytes", length + 1);
}
