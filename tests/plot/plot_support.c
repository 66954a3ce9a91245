/* tests/plot/plot_support.c: reads recorded numbers and SVG files. */
#define _POSIX_C_SOURCE 200809L /* getpid */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/plot/pyplot.h"
#include "tests/plot/plot_cases.h"

int count_of(const char *text, const char *what) {
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + strlen(what), what)) count++;
    return count;
}

int read_numbers(const char *text, double *to, int capacity) {
    int count = 0;
    for (char *end; count < capacity; text = end) {
        double value = strtod(text, &end);
        if (end == text) break;
        to[count++] = value;
    }
    return count;
}

const char *saved_figure(void) {
    static char *text;
    char path[64]; /* suites that run at the same time have files of their own */
    snprintf(path, sizeof path, "build/test_plot_%ld.svg", (long)getpid());
    free(text);
    text = NULL;
    ck_assert_msg(plt_savefig(path, NULL), "%s", t_error());
    text = read_text(path);
    remove(path);
    if (xml_mistake(text)) ck_abort_msg("the file has %s", xml_mistake(text));
    return text;
}

/* ---- a reader of XML: elements nested, attributes quoted, entities known, UTF-8 valid ---- */

enum { DEEPEST = 20, NAME = 32 };

static const char *bad_character(const char **at) {
    const unsigned char *c = (const unsigned char *)*at;
    int length = *c < 0x80 ? 1 : *c >= 0xF0 ? 4 : *c >= 0xE0 ? 3 : 2;
    if (*c == '&') {
        static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
        for (int i = 0; i < 4; i++)
            if (strncmp(*at, entities[i], strlen(entities[i])) == 0) return *at += strlen(entities[i]), NULL;
        return "an unknown entity";
    }
    if (*c < 0x20 && *c != '\n' && *c != '\t') return "a control character";
    if (*c >= 0x80 && (*c < 0xC2 || *c > 0xF4)) return "a byte that is not UTF-8";
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80) return "a character of UTF-8 cut short";
    *at += length;
    return NULL;
}

static const char *read_name(const char **at, char name[NAME]) {
    size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-");
    if (length == 0 || length >= NAME) return "a tag or attribute without a name";
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length;
    return NULL;
}

/* Attributes up to the end of a tag; no two may have the same name. */
static const char *read_attributes(const char **at) {
    char names[NAME][NAME];
    const char *mistake = NULL;
    for (int count = 0; !mistake && **at == ' '; count++) {
        ++*at;
        if (count == NAME || (mistake = read_name(at, names[count]))) break;
        for (int i = 0; i < count; i++)
            if (strcmp(names[i], names[count]) == 0) return "an attribute twice";
        if (strncmp(*at, "=\"", 2) != 0) return "an attribute without a quoted value";
        for (*at += 2; !mistake && **at != '"';)
            mistake = **at == '<' || !**at ? "a value without an end" : bad_character(at);
        ++*at;
    }
    return mistake;
}

const char *xml_mistake(const char *text) {
    char open[DEEPEST][NAME], name[NAME];
    int depth = 0, roots = 0;
    const char *at = text, *head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", *mistake = NULL;
    if (strncmp(text, head, strlen(head)) != 0) return "no head";
    for (at += strlen(head); !mistake && *at;) {
        if (*at != '<') {
            if (depth == 0 && *at != '\n') return "text outside the root";
            mistake = *at == '>' ? "a > in a text" : bad_character(&at);
        } else if (at[1] == '/') {
            at += 2;
            if ((mistake = read_name(&at, name))) break;
            if (depth == 0 || strcmp(open[--depth], name) != 0 || *at++ != '>')
                return "an end tag that closes something else";
        } else {
            at++;
            if (depth == DEEPEST || (depth == 0 && roots++ > 0)) return "a second root";
            if ((mistake = read_name(&at, open[depth])) || (mistake = read_attributes(&at))) break;
            bool empty = strncmp(at, "/>", 2) == 0;
            if (!empty && *at != '>') return "a tag without an end";
            at += empty ? 2 : 1;
            depth += !empty;
        }
    }
    return mistake ? mistake : depth ? "an element that is not closed" : roots != 1 ? "no root" : NULL;
}
