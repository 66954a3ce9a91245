/* core/python/argparse.c: argparse's arguments, and parsing a command line (CPython 3.11's parse_args). */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/python/argparse_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/tensor.h"

/* ---- the parser ---- */

static void parser_destroy(void *object) {
    argparse_ArgumentParser *self = object;
    tg_object_dispose(&self->object);
    for (int64_t i = 0; i < self->len; i++) free(self->arguments[i].default_text);
    tg_free(self->arguments, (size_t)self->capacity * sizeof *self->arguments);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class parser_class = {"ArgumentParser", parser_destroy};

bool tg_check_parser(const argparse_ArgumentParser *self) {
    if (!tg_check_given(self != NULL, 1, "a parser")) return false;
    return self->object.is_a == &parser_class || tg_fail("argument 1 is not a live parser");
}

static Argument *new_argument(argparse_ArgumentParser *self) {
    if (self->len == self->capacity) {
        const int64_t capacity = self->capacity ? 2 * self->capacity : 8;
        Argument *larger = tg_alloc((size_t)capacity * sizeof *larger);
        if (!larger) return NULL;
        if (self->len) memcpy(larger, self->arguments, (size_t)self->len * sizeof *larger);
        tg_free(self->arguments, (size_t)self->capacity * sizeof *self->arguments);
        self->arguments = larger;
        self->capacity = capacity;
    }
    return &self->arguments[self->len];
}

argparse_ArgumentParser *argparse_ArgumentParser_new(const argparse_ParserOptions *options) {
    argparse_ParserOptions o = {ARGPARSE_PARSER_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.formatter_class && strcmp(o.formatter_class, "ArgumentDefaultsHelpFormatter") != 0)
        return tg_fail("formatter_class is '%s', but must be 'ArgumentDefaultsHelpFormatter' or NULL",
                       o.formatter_class);
    argparse_ArgumentParser *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->prog = o.prog;
    self->description = o.description;
    self->epilog = o.epilog;
    self->shows_defaults = o.formatter_class != NULL;
    Argument *help = o.add_help ? new_argument(self) : NULL;
    if (o.add_help && !help) {
        tg_free(self, sizeof *self);
        return NULL;
    }
    if (help) {
        *help = (Argument){.o = {.flags = {"-h", "--help"}, .help = "show this help message and exit"}, .flags = 2,
                           .is_help = true,
                           .type = argparse_bool};
        self->len = 1;
    }
    tg_object_init(&self->object, &parser_class);
    return self;
}

const char *tg_prog(const argparse_ArgumentParser *self) {
    return self->prog ? self->prog : "prog";
}

/* ---- texts ---- */

void tg_write_repr(tg_Output *to, const char *text) {
    const char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    tg_output_print(to, "%c", quote);
    for (const char *at = text; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c == '\\' || c == (unsigned char)quote) tg_output_print(to, "\\%c", c);
        else if (c == '\n' || c == '\t' || c == '\r') tg_output_text(to, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        else if (c < ' ' || c == 127) tg_output_print(to, "\\x%02x", c);
        else tg_output_write(to, at, 1);
    }
    tg_output_print(to, "%c", quote);
}

void tg_write_choices(tg_Output *to, const Argument *a, const char *between, bool quoted) {
    for (int i = 0; i < ARGPARSE_MOST_CHOICES && a->o.choices[i]; i++) {
        if (i) tg_output_text(to, between);
        if (quoted && a->type == argparse_str) tg_write_repr(to, a->o.choices[i]);
        else tg_output_text(to, a->o.choices[i]);
    }
}

/* The attribute's name: of the first long flag, else of the first. */
void tg_write_dest(tg_Output *to, const Argument *a, bool upper) {
    const char *name = a->o.flags[0];
    for (int i = a->flags; !a->positional && i-- > 0;)
        if (a->o.flags[i][1] == '-') name = a->o.flags[i];
    if (!a->positional) name += strspn(name, "-");
    for (; *name; name++) {
        const char c = *name == '-' && !a->positional ? '_' : *name;
        tg_output_print(to, "%c", upper ? toupper((unsigned char)c) : c);
    }
}

static char *copy_of(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : tg_fail("out of memory: %zu bytes were asked for", strlen(text) + 1);
}

static const char *float32_text(float x) {
    char text[64];
    tg_CLocale locale = tg_c_locale_begin();
    for (int digits = 1; digits < 10; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)x);
        if (strtof(text, NULL) == x || isnan(x)) break;
    }
    const double value = strtod(text, NULL);
    tg_c_locale_end(locale);
    return tg_number_text(value);
}

char *tg_default_text(argparse_Type type, const void *variable) {
    char out[32] = "";
    switch (type) {
    case argparse_int32: snprintf(out, sizeof out, "%d", *(const int *)variable); return copy_of(out);
    case argparse_int64: snprintf(out, sizeof out, "%" PRId64, *(const int64_t *)variable); return copy_of(out);
    case argparse_float32: return copy_of(float32_text(*(const float *)variable));
    case argparse_float64: return copy_of(tg_number_text(*(const double *)variable));
    case argparse_bool: return copy_of(*(const bool *)variable ? "True" : "False");
    default: break;
    }
    const char *text = *(const char *const *)variable;
    return copy_of(text ? text : "None");
}

/* The argument's name in errors: "-n/--epochs", or a positional's metavar or name. */
static void write_name(tg_Output *to, const Argument *a) {
    if (a->positional) tg_output_text(to, a->o.metavar ? a->o.metavar : a->o.flags[0]);
    for (int i = 0; !a->positional && i < a->flags; i++) tg_output_print(to, "%s%s", i ? "/" : "", a->o.flags[i]);
}

/* ---- add_argument ---- */

static Argument *find(const argparse_ArgumentParser *self, const char *flag, size_t length) {
    for (int64_t i = 0; i < self->len; i++)
        for (int k = 0; !self->arguments[i].positional && k < self->arguments[i].flags; k++) {
            const char *other = self->arguments[i].o.flags[k];
            if (strncmp(other, flag, length) == 0 && !other[length]) return &self->arguments[i];
        }
    return NULL;
}

static bool check_definition(const argparse_ArgumentParser *self, Argument *a) {
    while (a->flags < ARGPARSE_MOST_FLAGS && a->o.flags[a->flags]) a->flags++;
    if (!a->flags || !*a->o.flags[0]) return tg_fail("an argument has a name: \"data\" or \"--epochs\"");
    a->positional = a->o.flags[0][0] != '-';
    if (a->positional && a->flags > 1)
        return tg_fail("invalid option string '%s': must start with a character '-'", a->o.flags[0]);
    for (int i = 0; !a->positional && i < a->flags; i++) {
        const char *flag = a->o.flags[i];
        if (*flag != '-') return tg_fail("invalid option string '%s': must start with a character '-'", flag);
        if (!flag[strspn(flag, "-")]) return tg_fail("dest= is required for options like '%s'", flag);
        if (!find(self, flag, strlen(flag))) continue;
        char names[256] = "";
        for (int k = 0; k < a->flags; k++) {
            const size_t at = strlen(names);
            snprintf(names + at, sizeof names - at, "%s%s", k ? "/" : "", a->o.flags[k]);
        }
        return tg_fail("argument %s: conflicting option string: %s", names, flag);
    }
    if (a->positional && a->type == argparse_bool)
        return tg_fail("a bool is set by an option, \"--%s\"", a->o.flags[0]);
    if (a->positional && a->o.required) return tg_fail("'required' is an invalid argument for positionals");
    if (a->o.action &&
        (a->type != argparse_bool ||
         (strcmp(a->o.action, "store_true") != 0 && strcmp(a->o.action, "store_false") != 0)))
        return tg_fail("action is '%s', but must be 'store_true' or 'store_false', of a bool", a->o.action);
    if (a->o.nargs && (!a->positional || strcmp(a->o.nargs, "?") != 0))
        return tg_fail("nargs is '%s', but can only be '?', of a positional", a->o.nargs);
    return true;
}

bool argparse_add_argument(argparse_ArgumentParser *self, void *variable, argparse_Type type,
                           const argparse_ArgumentOptions *options) {
    Argument made = {.o = {.size = sizeof made.o}, .variable = variable, .type = type};
    if (!tg_check_parser(self) || !tg_check_given(variable != NULL, 2, "a variable") ||
        !tg_take_options(&made.o, options, sizeof made.o))
        return false;
    if (type < argparse_int32 || type > argparse_bool) return tg_fail("%d is not a type of an argument", (int)type);
    if (!check_definition(self, &made) || !(made.default_text = tg_default_text(type, variable))) return false;
    Argument *argument = new_argument(self);
    if (!argument) {
        free(made.default_text);
        return false;
    }
    *argument = made;
    self->len++;
    return true;
}

/* ---- errors in the command line ---- */

static bool tell_error(argparse_ArgumentParser *self, char *message) {
    char *usage = argparse_format_usage(self);
    self->status = 2;
    if (usage && message) fprintf(stderr, "%s%s: error: %s\n", usage, tg_prog(self), message);
    free(usage);
    free(message);
    return false;
}

bool argparse_error(argparse_ArgumentParser *self, const char *format, ...) {
    if (!tg_check_parser(self)) return false;
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return tell_error(self, copy_of(text));
}

/* "argument --lr: " and the error, which may quote a text. */
static bool argument_error(argparse_ArgumentParser *self, const Argument *a, const char *wrong, const char *quoted,
                           bool and_choices) {
    tg_Output to;
    tg_output_memory(&to);
    tg_output_text(&to, "argument ");
    write_name(&to, a);
    tg_output_print(&to, ": %s", wrong);
    if (quoted) tg_write_repr(&to, quoted);
    if (and_choices) {
        tg_output_text(&to, " (choose from ");
        tg_write_choices(&to, a, ", ", true);
        tg_output_text(&to, ")");
    }
    return tell_error(self, tg_output_take_text(&to, true));
}

/* ---- values ---- */

/* Without white space around it and underscores between digits, as int() and float() take them; false where it is too
 * long. */
static bool plain_number(const char *text, char *to, size_t capacity) {
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1])) n--;
    size_t at = strspn(text, " \t\n\v\f\r"), used = 0;
    for (; at < n; at++) {
        if (text[at] == '_' && used && isdigit((unsigned char)text[at - 1]) && isdigit((unsigned char)text[at + 1]))
            continue;
        if (used + 1 >= capacity) return false;
        to[used++] = text[at];
    }
    to[used] = '\0';
    return used > 0;
}

static bool read_integer(const char *text, int64_t least, int64_t most, int64_t *to) {
    char number[512], *end;
    if (!plain_number(text, number, sizeof number)) return false;
    errno = 0;
    const long long value = strtoll(number, &end, 10);
    *to = value;
    return !*end && end > number && !isspace((unsigned char)*number) && !errno && value >= least && value <= most;
}

static bool read_real(const char *text, double *to) {
    char number[512], *end;
    if (!plain_number(text, number, sizeof number) || strpbrk(number, "xX(")) return false;
    tg_CLocale locale = tg_c_locale_begin();
    *to = strtod(number, &end);
    tg_c_locale_end(locale);
    return !*end && end > number;
}

static bool is_choice(const Argument *a, const char *text) {
    bool found = !a->o.choices[0];
    for (int i = 0; !found && i < ARGPARSE_MOST_CHOICES && a->o.choices[i]; i++) {
        int64_t integer[2];
        double real[2];
        const char *choice = a->o.choices[i];
        if (a->type == argparse_str) found = strcmp(choice, text) == 0;
        else if (a->type <= argparse_int64)
            found = read_integer(choice, INT64_MIN, INT64_MAX, &integer[0]) &&
                read_integer(text, INT64_MIN, INT64_MAX, &integer[1]) && integer[0] == integer[1];
        else found = read_real(choice, &real[0]) && read_real(text, &real[1]) && real[0] == real[1];
    }
    return found;
}

static bool store(argparse_ArgumentParser *self, Argument *a, const char *text) {
    int64_t integer = 0;
    double real = 0;
    const bool is_integer = a->type <= argparse_int64, is_real = a->type == argparse_float32 ||
        a->type == argparse_float64;
    const bool narrow = a->type == argparse_int32;
    if (is_integer && !read_integer(text, narrow ? INT32_MIN : INT64_MIN, narrow ? INT32_MAX : INT64_MAX, &integer))
        return argument_error(self, a, "invalid int value: ", text, false);
    if (is_real && !read_real(text, &real)) return argument_error(self, a, "invalid float value: ", text, false);
    if (!is_choice(a, text)) {
        char number[32];
        snprintf(number, sizeof number, "invalid choice: %" PRId64, integer);
        if (is_integer) return argument_error(self, a, number, NULL, true);
        if (!is_real) return argument_error(self, a, "invalid choice: ", text, true);
        char choice[64];
        snprintf(choice, sizeof choice, "invalid choice: %s", tg_number_text(real));
        return argument_error(self, a, choice, NULL, true);
    }
    if (a->type == argparse_int32) *(int *)a->variable = (int)integer;
    if (a->type == argparse_int64) *(int64_t *)a->variable = integer;
    if (a->type == argparse_float32) *(float *)a->variable = (float)real;
    if (a->type == argparse_float64) *(double *)a->variable = real;
    if (a->type == argparse_str) *(const char **)a->variable = text;
    a->seen = true;
    return true;
}

/* ---- classification of command line arguments ---- */

typedef enum Sort { is_value, is_option, is_unknown, is_ambiguous } Sort;
typedef struct Word {
    Sort sort;
    Argument *argument;
    const char *flag;     /* the parser's spelling */
    const char *explicit; /* the value after = or after a short flag; NULL if there is none */
} Word;

/* -5, -0.5 or -.5 */
static bool is_negative_number(const char *text) {
    if (*text++ != '-') return false;
    const size_t digits = strspn(text, "0123456789");
    if (!text[digits]) return digits > 0;
    const char *fraction = text + digits + 1;
    return text[digits] == '.' && *fraction && !fraction[strspn(fraction, "0123456789")];
}

static bool has_negative_flags(const argparse_ArgumentParser *self) {
    for (int64_t i = 0; i < self->len; i++)
        for (int k = 0; !self->arguments[i].positional && k < self->arguments[i].flags; k++)
            if (is_negative_number(self->arguments[i].o.flags[k])) return true;
    return false;
}

/* The option that text abbreviates; is_ambiguous if there are several. `matches` (or NULL) lists the flags. */
static Word abbreviated(const argparse_ArgumentParser *self, const char *text, tg_Output *matches) {
    const bool is_long = text[1] == '-';
    const char *equals = is_long ? strchr(text, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    Word found = {.sort = is_unknown};
    int hits = 0;
    for (int64_t i = 0; i < self->len; i++)
        for (int k = 0; !self->arguments[i].positional && k < self->arguments[i].flags; k++) {
            const char *flag = self->arguments[i].o.flags[k];
            const bool is_short_flag = !is_long && flag[1] == text[1] && !flag[2];
            if (!is_short_flag && strncmp(flag, text, length) != 0) continue;
            if (matches) tg_output_print(matches, "%s%s", hits ? ", " : "", flag);
            if (hits++ == 0)
                found = (Word){is_option, &self->arguments[i], flag, is_short_flag ? text + 2 : equals
                               ? equals + 1 : NULL};
        }
    if (hits > 1) found.sort = is_ambiguous;
    return found;
}

static Word classify(const argparse_ArgumentParser *self, const char *text) {
    const Word value = {.sort = is_value};
    if (*text != '-' || !text[1]) return value;
    Argument *exact = find(self, text, strlen(text));
    if (exact) return (Word){is_option, exact, text, NULL};
    const char *equals = strchr(text, '=');
    exact = equals ? find(self, text, (size_t)(equals - text)) : NULL;
    if (exact) return (Word){is_option, exact, text, equals + 1};
    const Word word = abbreviated(self, text, NULL);
    if (word.sort != is_unknown) return word;
    if (is_negative_number(text) && !has_negative_flags(self)) return value;
    return strchr(text, ' ') ? value : word;
}

/* ---- parse_args ---- */

static bool tell_ambiguous(argparse_ArgumentParser *self, const char *text) {
    tg_Output to;
    tg_output_memory(&to);
    tg_output_print(&to, "ambiguous option: %s could match ", text);
    abbreviated(self, text, &to);
    return tell_error(self, tg_output_take_text(&to, true));
}

static void print_help(argparse_ArgumentParser *self) {
    argparse_print_help(self);
    self->status = t_error() ? 2 : 0;
}

static bool set_flag(argparse_ArgumentParser *self, Argument *a) {
    a->seen = true;
    if (a->is_help) print_help(self);
    else *(bool *)a->variable = !(a->o.action && strcmp(a->o.action, "store_false") == 0);
    return !a->is_help;
}

/* An option and its value, which is next where there is a next one that is no option. Flags may stand together:
 * -xvf. */
static bool take_option(argparse_ArgumentParser *self, Word word, const char *next, bool *took_next) {
    char flag[3] = {0};
    while (!tg_argument_takes_value(word.argument)) {
        if (!word.explicit) return set_flag(self, word.argument);
        const bool is_short = word.flag[1] != '-' && *word.explicit;
        Argument *other = NULL;
        if (is_short) {
            memcpy(flag, (char[]){'-', *word.explicit}, 2);
            other = find(self, flag, 2);
        }
        if (!other) return argument_error(self, word.argument, "ignored explicit argument ", word.explicit, false);
        if (!set_flag(self, word.argument)) return false;
        word = (Word){is_option, other, flag, word.explicit[1] ? word.explicit + 1 : NULL};
    }
    if (word.explicit) return store(self, word.argument, word.explicit);
    if (!next) return argument_error(self, word.argument, "expected one argument", NULL, false);
    *took_next = true;
    return store(self, word.argument, next);
}

static Argument *next_positional(argparse_ArgumentParser *self) {
    for (int64_t i = 0; i < self->len; i++)
        if (self->arguments[i].positional && !self->arguments[i].seen) return &self->arguments[i];
    return NULL;
}

static bool check_required(argparse_ArgumentParser *self) {
    tg_Output to;
    tg_output_memory(&to);
    bool missing = false;
    tg_output_text(&to, "the following arguments are required: ");
    for (int64_t i = 0; i < self->len; i++) {
        const Argument *a = &self->arguments[i];
        if (a->seen || (a->positional ? a->o.nargs != NULL : !a->o.required)) continue;
        if (missing) tg_output_text(&to, ", ");
        write_name(&to, a);
        missing = true;
    }
    char *message = tg_output_take_text(&to, true);
    if (missing) return tell_error(self, message);
    free(message);
    return true;
}

static bool parse(argparse_ArgumentParser *self, int argc, char *const *argv) {
    int end = argc; /* the position of -- */
    for (int i = 1; i < argc && end == argc; i++) {
        if (strcmp(argv[i], "--") == 0) end = i;
        else if (classify(self, argv[i]).sort == is_ambiguous) return tell_ambiguous(self, argv[i]);
    }
    tg_Output extras;
    tg_output_memory(&extras);
    bool ok = true, any = false;
    for (int i = 1; ok && i < argc; i++) {
        if (i == end) continue;
        const Word word = i < end ? classify(self, argv[i]) : (Word){.sort = is_value};
        if (word.sort == is_option) {
            const bool has_next = i + 1 < end && classify(self, argv[i + 1]).sort == is_value;
            bool took_next = false;
            ok = take_option(self, word, has_next ? argv[i + 1] : NULL, &took_next);
            i += took_next;
            continue;
        }
        Argument *a = word.sort == is_value ? next_positional(self) : NULL;
        if (a) ok = store(self, a, argv[i]);
        else {
            tg_output_print(&extras, "%s%s", any ? " " : "unrecognized arguments: ", argv[i]);
            any = true;
        }
    }
    ok = ok && check_required(self);
    char *message = tg_output_take_text(&extras, true);
    if (ok && any) return tell_error(self, message);
    free(message);
    return ok;
}

bool argparse_parse_args(argparse_ArgumentParser *self, int argc, char *const *argv) {
    if (!tg_check_parser(self) || !tg_check_array(argv, argc, 3, "words")) return false;
    for (int i = 1; i < argc; i++)
        if (!tg_check_given(argv[i] != NULL, 3, "words")) return false;
    const char *slash = argc && argv[0] ? strrchr(argv[0], '/') : NULL;
    if (!self->prog && argc && argv[0]) self->prog = slash ? slash + 1 : argv[0];
    for (int64_t i = 0; i < self->len; i++) self->arguments[i].seen = false;
    self->status = 2;
    const int64_t failures = tg_context()->failures;
    const bool ok = parse(self, argc, argv) && !tg_failed_since(failures);
    if (ok) self->status = 0;
    return ok;
}
