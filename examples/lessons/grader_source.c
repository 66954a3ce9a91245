/* examples/lessons/grader_source.c: finds functions in a C source, and the names that they use.
 *
 * This is no C parser. After comments and strings are blanked, a function definition is a name followed by (...) and {
 * outside of all braces, and a macro is a line #define NAME. What lies between its braces is its body. */
#include "grader_source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces comments, strings and character constants by spaces. Newlines stay, so that lines can be counted. */
static void blank_comments_and_strings(char *s) {
    while (*s) {
        if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n') *s++ = ' ';
        } else if (s[0] == '/' && s[1] == '*') {
            *s++ = ' ', *s++ = ' ';
            while (*s && !(s[0] == '*' && s[1] == '/')) s += *s == '\n' ? 1 : (*s = ' ', 1);
            if (*s) *s++ = ' ', *s++ = ' ';
        } else if (*s == '"' || *s == '\'') {
            char quote = *s;
            *s++ = ' ';
            while (*s && *s != quote && *s != '\n') {
                if (*s == '\\' && s[1]) *s++ = ' ';
                if (*s != '\n') *s = ' ';
                s++;
            }
            if (*s == quote) *s++ = ' ';
        } else {
            s++;
        }
    }
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of the bracket that begins at s, or the end of the text. */
static const char *after_bracket(const char *s, char open, char close) {
    int depth = 0;
    for (; *s; s++) {
        if (*s == open) depth++;
        if (*s == close && --depth == 0) return s + 1;
    }
    return s;
}

/* lesson.sh puts a line "#line 1 ..." before the student's file; it is not counted. */
static int line_at(const Source *source, const char *position) {
    int line = strncmp(source->text, "#line 1 ", 8) == 0 ? 0 : 1;
    for (const char *s = source->text; s < position; s++) line += *s == '\n';
    return line;
}

static void add_function(Source *source, const char *name, size_t length, const char *begin, const char *end) {
    Function *functions = realloc(source->functions, (size_t)(source->count + 1) * sizeof *functions);
    if (!functions) return;
    source->functions = functions;
    Function *f = &functions[source->count++];
    *f = (Function){.line = line_at(source, name), .begin = begin, .end = end};
    snprintf(f->name, sizeof f->name, "%.*s", (int)length, name);
}

/* #define NAME replacement, up to the end of the line that has no backslash. */
static const char *add_macro(Source *source, const char *s) {
    s += strspn(s, "# \t");
    bool is_define = strncmp(s, "define", 6) == 0;
    s += is_define ? 6 : 0;
    s += strspn(s, " \t");
    const char *name = s, *end = s;
    while (*end && !(*end == '\n' && end[-1] != '\\')) end++;
    while (in_name(*s)) s++;
    if (is_define) add_function(source, name, (size_t)(s - name), s, end);
    return end;
}

static void find_functions(Source *source) {
    const char *s = source->text;
    while (*s) {
        if (*s == '#') {
            s = add_macro(source, s);
        } else if (*s == '{') { /* an initialiser, a struct */
            s = after_bracket(s, '{', '}');
        } else if (in_name(*s)) {
            const char *name = s;
            while (in_name(*s)) s++;
            size_t length = (size_t)(s - name);
            const char *next = s + strspn(s, " \t\n");
            if (*next != '(') continue;
            next = after_bracket(next, '(', ')');
            next += strspn(next, " \t\n");
            if (*next != '{') continue;
            s = after_bracket(next, '{', '}');
            add_function(source, name, length, next, s);
        } else {
            s++;
        }
    }
}

bool source_read(Source *source, const char *path) {
    *source = (Source){NULL, NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t n; text && (n = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
        size += n;
        if (size + 1 < capacity) continue;
        char *larger = realloc(text, capacity *= 2);
        if (!larger) free(text);
        text = larger;
    }
    fclose(file);
    if (!text) return false;
    text[size] = 0;
    blank_comments_and_strings(text);
    source->text = text;
    find_functions(source);
    return true;
}

void source_free(Source *source) {
    free(source->text);
    free(source->functions);
    *source = (Source){NULL, NULL, 0};
}

static Function *find(const Source *source, const char *name, size_t length) {
    for (int i = 0; i < source->count; i++) {
        Function *f = &source->functions[i];
        if (strlen(f->name) == length && strncmp(f->name, name, length) == 0) return f;
    }
    return NULL;
}

int source_line(const Source *source, const char *function) {
    Function *f = find(source, function, strlen(function));
    return f ? f->line : 0;
}

/* Whether a name is in a list "t_backward t_softmax*", where the star stands for any end of a name. */
static bool in_list(const char *list, const char *name, size_t length) {
    for (const char *s = list; *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");
        bool prefix = n > 0 && s[n - 1] == '*';
        if (prefix ? length >= n - 1 && strncmp(s, name, n - 1) == 0 : n == length && strncmp(s, name, n) == 0)
            return true;
        s += n;
    }
    return false;
}

static bool body_uses(Source *source, Function *f, const char *forbidden, char name[64], int *line) {
    f->visited = true;
    for (const char *s = f->begin; s < f->end; s++) {
        if (!in_name(*s)) continue;
        const char *begin = s;
        while (s < f->end && in_name(*s)) s++;
        size_t length = (size_t)(s - begin);
        if (in_list(forbidden, begin, length)) {
            snprintf(name, 64, "%.*s", (int)length, begin);
            *line = line_at(source, begin);
            return true;
        }
        Function *used = find(source, begin, length);
        if (used && !used->visited && body_uses(source, used, forbidden, name, line)) return true;
    }
    return false;
}

bool source_uses(Source *source, const char *function, const char *forbidden, char name[64], int *line) {
    Function *f = find(source, function, strlen(function));
    if (!f || !forbidden) return false;
    for (int i = 0; i < source->count; i++) source->functions[i].visited = false;
    return body_uses(source, f, forbidden, name, line);
}
