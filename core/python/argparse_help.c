/* core/python/argparse_help.c: the help text of argparse, in the layout of CPython 3.11's HelpFormatter. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/python/argparse_internal.h"

/* ---- textwrap.wrap ---- */

/* Code points in the first n bytes. */
static int64_t count(const char *text, size_t n) {
    int64_t points = 0;
    for (size_t i = 0; i < n; i++) points += ((unsigned char)text[i] & 0xC0) != 0x80;
    return points;
}

static size_t bytes_of(const char *text, int64_t points) {
    size_t n = 0;
    while (text[n] && count(text, n + 1) <= points) n++;
    return n;
}

static bool is_letter(char c) {
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool is_word(char c) {
    return c && (is_letter(c) || isdigit((unsigned char)c) || strchr("_!\"'&.,?", c));
}

/* May a line end after the hyphen at text[i]? Between two letters and a letter, or after x-y-; and before a letter,
 * -, letter. */
static bool breaks_after(const char *text, size_t i) {
    const bool before = (i >= 2 && is_letter(text[i - 1]) && is_letter(text[i - 2])) ||
                        (i >= 3 && is_word(text[i - 1]) && text[i - 2] == '-' && is_letter(text[i - 3]));
    const char *next = text + i + 1;
    return before && is_letter(*next) && (is_letter(next[1]) || (next[1] == '-' && is_letter(next[2])));
}

/* The length of the part of a word without a possible line break. */
static size_t piece_of(const char *text, size_t from) {
    size_t i = from;
    const size_t dashes = strspn(text + i, "-");
    if (i && dashes >= 2 && is_word(text[i - 1]) &&
        (is_letter(text[i + dashes]) || isdigit((unsigned char)text[i + dashes]))) return dashes;
    for (; text[i] && !isspace((unsigned char)text[i]); i++) {
        if (text[i] != '-') continue;
        const size_t run = strspn(text + i, "-");
        const char next = text[i + run];
        if (i > from && run >= 2 && is_word(text[i - 1]) &&
            (is_letter(next) || isdigit((unsigned char)next))) break;
        if (breaks_after(text, i)) return i + 1 - from;
    }
    return i - from;
}

/* The text with white space collapsed, in lines of that width; all but the first are indented. */
static void wrap(tg_Output *to, const char *text, int64_t width, int indent) {
    int64_t used = 0;
    size_t i = strspn(text, " \t\n\v\f\r");
    for (bool blank = false; text[i];) {
        const size_t white = strspn(text + i, " \t\n\v\f\r");
        i += white;
        blank = blank || white;
        size_t n = piece_of(text, i);
        while (n) {
            const int64_t length = count(text + i, n), left = width - used - (blank && used);
            if (length <= left) {
                if (blank && used) tg_output_text(to, " ");
                tg_output_write(to, text + i, n);
                used += length + (blank && used);
                blank = false;
                i += n;
                break;
            }
            if (length > width && left > 0) { /* a word longer than a line is split, after a hyphen if there is one */
                size_t cut = bytes_of(text + i, left);
                for (size_t at = cut; at-- > 1;)
                    if (text[i + at] == '-' && strspn(text + i, "-") < at) {
                        cut = at + 1;
                        break;
                    }
                if (blank && used) tg_output_text(to, " ");
                tg_output_write(to, text + i, cut);
                i += cut;
                n -= cut;
            }
            tg_output_print(to, "\n%*s", indent, "");
            used = 0;
            blank = false;
        }
    }
}

/* ---- the parts of an argument ---- */

static void write_metavar(tg_Output *to, const Argument *a) {
    if (a->o.metavar) tg_output_text(to, a->o.metavar);
    else if (a->o.choices[0]) {
        tg_output_text(to, "{");
        tg_write_choices(to, a, ",", false);
        tg_output_text(to, "}");
    } else tg_write_dest(to, a, !a->positional);
}

/* "-n EPOCHS, --epochs EPOCHS" */
static char *invocation(const Argument *a) {
    tg_Output to;
    tg_output_memory(&to);
    if (a->positional) write_metavar(&to, a);
    for (int i = 0; !a->positional && i < a->flags; i++) {
        tg_output_print(&to, "%s%s", i ? ", " : "", a->o.flags[i]);
        if (!tg_argument_takes_value(a)) continue;
        tg_output_text(&to, " ");
        write_metavar(&to, a);
    }
    return tg_output_take_text(&to, true);
}

/* Its help with %(default)s and the like filled in. */
static char *help_of(const argparse_ArgumentParser *parser, const Argument *a) {
    tg_Output to;
    tg_output_memory(&to);
    const char *at = a->o.help ? a->o.help : "";
    const bool adds_default = parser->shows_defaults && (!a->positional || a->o.nargs) && !a->is_help && *at &&
        !strstr(at, "%(default)");
    for (const char *percent; (percent = strchr(at, '%'));) {
        tg_output_write(&to, at, (size_t)(percent - at));
        const char *end = percent[1] == '(' ? strchr(percent, ')') : NULL;
        const size_t length = end ? (size_t)(end - percent) - 2 : 0;
        at = end && isalpha((unsigned char)end[1]) ? end + 2 : percent + 2;
        if (percent[1] == '%') tg_output_text(&to, "%");
        else if (length == 7 && memcmp(percent + 2, "default", 7) == 0) tg_output_text(&to, a->default_text);
        else if (length == 4 && memcmp(percent + 2, "prog", 4) == 0) tg_output_text(&to, tg_prog(parser));
        else if (length == 7 && memcmp(percent + 2, "choices", 7) == 0) tg_write_choices(&to, a, ", ", false);
        else if (length == 7 && memcmp(percent + 2, "metavar", 7) == 0) write_metavar(&to, a);
        else if (length == 4 && memcmp(percent + 2, "dest", 4) == 0) tg_write_dest(&to, a, false);
        else { /* a percent sign as it is, which Python refuses */
            tg_output_text(&to, "%");
            at = percent + 1;
        }
    }
    tg_output_text(&to, at);
    if (adds_default) tg_output_print(&to, " (default: %s)", a->default_text);
    return tg_output_take_text(&to, true);
}

/* ---- usage ---- */

static int64_t columns(void) {
    const char *given = getenv("COLUMNS");
    const long wanted = given ? strtol(given, NULL, 10) : 0;
    struct winsize window;
    if (wanted > 0) return wanted;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

/* The indivisible parts of the usage, each followed by a newline. */
static char *usage_parts(const argparse_ArgumentParser *parser, bool positional) {
    tg_Output to;
    tg_output_memory(&to);
    for (int64_t i = 0; i < parser->len; i++) {
        const Argument *a = &parser->arguments[i];
        if (a->positional != positional) continue;
        const bool bracket = positional ? a->o.nargs != NULL : !a->o.required;
        if (bracket) tg_output_text(&to, "[");
        if (!positional) tg_output_text(&to, a->o.flags[0]);
        if (!positional && tg_argument_takes_value(a)) tg_output_text(&to, bracket ? " " : "\n");
        if (positional || tg_argument_takes_value(a)) write_metavar(&to, a);
        tg_output_text(&to, bracket ? "]\n" : "\n");
    }
    return tg_output_take_text(&to, true);
}

typedef struct Lines {
    tg_Output *to;
    int64_t used, width;
    int indent;
    bool any; /* whether this line has a part already */
} Lines;

static void new_line(Lines *lines) {
    tg_output_print(lines->to, "\n%*s", lines->indent, "");
    lines->used = lines->indent - 1;
    lines->any = false;
}

static void put_part(Lines *lines, const char *part, size_t n) {
    const int64_t length = count(part, n);
    if (lines->any && lines->used + 1 + length > lines->width) new_line(lines);
    if (lines->any) tg_output_text(lines->to, " ");
    tg_output_write(lines->to, part, n);
    lines->used += length + 1;
    lines->any = true;
}

static void put_parts(Lines *lines, const char *parts) {
    for (size_t n; *parts; parts += n + 1) put_part(lines, parts, n = strcspn(parts, "\n"));
}

static void write_usage(tg_Output *to, const argparse_ArgumentParser *parser, int64_t width) {
    char *options = usage_parts(parser, false), *positionals = usage_parts(parser, true);
    const char *prog = tg_prog(parser);
    if (options && positionals) {
        enum { PREFIX = sizeof "usage: " - 1 };
        const int64_t named = PREFIX + count(prog, strlen(prog));
        /* with a blank before each */
        const int64_t parts = count(options, strlen(options)) + count(positionals, strlen(positionals));
        const bool is_short = 4 * named <= 3 * width, fits = named + parts <= width;
        Lines lines = {to, PREFIX - 1, width, is_short ? (int)named + 1 : PREFIX, false};
        if (fits) lines.width = INT64_MAX;
        tg_output_text(to, "usage: ");
        put_part(&lines, prog, strlen(prog));
        if (!fits && !is_short) new_line(&lines);
        put_parts(&lines, options);
        const bool apart = is_short ? *options != 0 : PREFIX - 1 + parts > width;
        if (!fits && apart && *positionals && lines.any) new_line(&lines);
        put_parts(&lines, positionals);
    } else to->failed = true;
    free(options);
    free(positionals);
    tg_output_text(to, "\n");
}

char *argparse_format_usage(argparse_ArgumentParser *parser) {
    if (!tg_check_parser(parser)) return NULL;
    tg_Output to;
    tg_output_memory(&to);
    write_usage(&to, parser, columns() - 2);
    return tg_output_take_text(&to, true);
}

/* ---- help ---- */

typedef struct Layout {
    int64_t width, help_width;
    int help_at; /* the column in which help begins */
} Layout;

static Layout layout_of(const argparse_ArgumentParser *parser) {
    const int64_t width = columns() - 2;
    int64_t longest = 0, most = width - 20 > 4 ? width - 20 : 4;
    for (int64_t i = 0; i < parser->len; i++) {
        char *text = invocation(&parser->arguments[i]);
        const int64_t length = text ? count(text, strlen(text)) + 2 : 0;
        if (length > longest) longest = length;
        free(text);
    }
    if (most > 24) most = 24;
    const int64_t help_at = longest + 2 < most ? longest + 2 : most;
    return (Layout){width, width - help_at > 11 ? width - help_at : 11, (int)help_at};
}

static void write_argument(tg_Output *to, const argparse_ArgumentParser *parser, const Argument *a, Layout layout) {
    char *header = invocation(a), *help = help_of(parser, a);
    const int64_t width = layout.help_at - 4, length = header ? count(header, strlen(header)) : 0;
    if (!header || !help) to->failed = true;
    else {
        tg_output_print(to, "  %s", header);
        if (help[strspn(help, " \t\n\v\f\r")]) {
            if (length <= width) tg_output_print(to, "%*s", (int)(width - length) + 2, "");
            else tg_output_print(to, "\n%*s", layout.help_at, "");
            wrap(to, help, layout.help_width, layout.help_at);
        }
        tg_output_text(to, "\n");
    }
    free(header);
    free(help);
}

static void write_section(tg_Output *to, const argparse_ArgumentParser *parser, const char *heading, bool positional,
                          Layout layout) {
    bool any = false;
    for (int64_t i = 0; i < parser->len; i++) {
        if (parser->arguments[i].positional != positional) continue;
        if (!any) tg_output_print(to, "\n%s:\n", heading);
        any = true;
        write_argument(to, parser, &parser->arguments[i], layout);
    }
}

/* A paragraph, with %(prog)s replaced by the program's name. */
static void write_paragraph(tg_Output *to, const argparse_ArgumentParser *parser, const char *text, int64_t width) {
    if (!text || !text[strspn(text, " \t\n\v\f\r")]) return;
    const Argument carrier = {.o.help = text, .positional = true, .default_text = (char *)""};
    char *filled = strstr(text, "%(prog)") ? help_of(parser, &carrier) : NULL;
    tg_output_text(to, "\n");
    wrap(to, filled ? filled : text, width > 11 ? width : 11, 0);
    tg_output_text(to, "\n");
    free(filled);
}

char *argparse_format_help(argparse_ArgumentParser *parser) {
    if (!tg_check_parser(parser)) return NULL;
    const int64_t failures = tg_thread.failures;
    const Layout layout = layout_of(parser);
    tg_Output to;
    tg_output_memory(&to);
    write_usage(&to, parser, layout.width);
    write_paragraph(&to, parser, parser->description, layout.width);
    write_section(&to, parser, "positional arguments", true, layout);
    write_section(&to, parser, "options", false, layout);
    write_paragraph(&to, parser, parser->epilog, layout.width);
    return tg_output_take_text(&to, !tg_failed_since(failures));
}

void argparse_print_help(argparse_ArgumentParser *parser) {
    char *text = argparse_format_help(parser);
    if (text) fputs(text, stdout);
    free(text);
}
