/* tests/torture/api/c_text.c: the arguments and the call as C text, which repeats a finding. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

static char *printed;
static size_t printed_size, printed_length;

void print_to(char *text, size_t size) {
    printed = text;
    printed_size = size;
    printed_length = 0;
    printed[0] = '\0';
}

void say(const char *format, ...) {
    if (!printed) return;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(printed + printed_length, printed_size - printed_length, format, arguments);
    va_end(arguments);
    if (n > 0) printed_length += (size_t)n;
    if (printed_length >= printed_size) printed_length = printed_size - 1;
}

bool is_printing(void) {
    return printed != NULL;
}

void quote(const char *text, char *to) {
    size_t at = 0;
    to[at++] = '"';
    for (const char *c = text; *c; c++) {
        if (at > EXPRESSION - 40) {
            at += (size_t)sprintf(to + at, "\" /* ... %zu more bytes */ \"", strlen(c));
            break;
        }
        const unsigned char u = (unsigned char)*c;
        if (u < 32 || u > 126 || u == '"' || u == '\\')
            at += (size_t)sprintf(to + at, "\\%03o", u);
        else
            to[at++] = *c;
    }
    to[at++] = '"';
    to[at] = '\0';
}

void quote_integer(int64_t i, char *text) {
    if (i == INT64_MIN)
        strcpy(text, "INT64_MIN");
    else
        snprintf(text, EXPRESSION, "%lld", (long long)i);
}

void say_sizes(const int64_t *shape, int ndim) {
    say("(int64_t[]){");
    for (int i = 0; i < ndim; i++) say("%lld, ", (long long)shape[i]);
    say("%s}, %d", ndim ? "" : "0", ndim);
}

void fill_call(const char *text, char (*arguments)[EXPRESSION], char *to, size_t size) {
    size_t at = 0;
    for (const char *c = text; *c && at < size - 1; c++) {
        if (*c != '$') {
            to[at++] = *c;
            continue;
        }
        char *end;
        const long i = strtol(c + 1, &end, 10);
        at += (size_t)snprintf(to + at, size - at, "%s", arguments[i]);
        if (at >= size) at = size - 1;
        c = end - 1;
    }
    to[at] = '\0';
}
