/* core/pandas/io/tokenizer.c: fields and lines of a CSV text: quotes, escapes, comments, blank lines. */
#include "core/pandas/io/tokenizer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/pandas/io/encoding.h"
#include "core/tensor/tensor.h"

bool tg_tokenizer_fail(const tg_Tokenizer *t, const char *format, ...) {
    char sentence[200];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return tg_fail("%s: Error tokenizing data. C error: %s", t->text.name, sentence);
}

bool tg_is_long_sep(const char *sep) {
    return sep[1] && strcmp(sep, "\\s+") != 0;
}

bool tg_literal_sep(const char *sep, char literal[TG_LONGEST_SEP + 1]) {
    int length = 0;
    for (; *sep; sep++) {
        if (*sep == '\\' && sep[1] && strchr(".^$*+?{}[]()|\\/-:;,#", sep[1]))
            sep++;
        else if (strchr(".^$*+?{}[]()|\\", *sep))
            return false;
        if (*sep == '\n' || *sep == '\r' || length == TG_LONGEST_SEP) return false;
        literal[length++] = *sep;
    }
    literal[length] = '\0';
    return length > 0;
}

/* Copies the text with one byte, which it does not have, in place of a separator of several; lines lose white space
 * around them, as in pandas' Python engine. */
static bool replace_separators(tg_Tokenizer *t, const char *sep) {
    const size_t size = (size_t)(t->text.end - t->text.at), length = strlen(sep);
    t->sep = 0x1f;
    while (t->sep > 1 && (memchr(t->text.at, t->sep, size) || (t->sep >= '\t' && t->sep <= '\r'))) t->sep--;
    if (t->sep == 1 && memchr(t->text.at, 1, size))
        return tg_fail("%s: the text has all control characters, one of which would take the place of '%s'",
                       t->text.name, sep);
    t->block_size = size + 1;
    char *to = t->block = tg_alloc_raw(t->block_size);
    if (!to) return false;
    for (const char *at = t->text.at, *const end = t->text.end; at < end;) {
        const char *stop = at, *newline;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        newline = stop;
        tg_strip(&at, &stop);
        while (at < stop) {
            const bool is_sep = (size_t)(stop - at) >= length && memcmp(at, sep, length) == 0;
            *to++ = is_sep ? t->sep : *at;
            at += is_sep ? length : 1;
        }
        for (at = newline; at < end && (*at == '\n' || *at == '\r');) *to++ = *at++;
    }
    t->text.at = t->block;
    t->text.end = to;
    return true;
}

bool tg_tokenizer_open(tg_Tokenizer *t, const tg_Input *in, const pd_ReadCsvOptions *options) {
    char literal[TG_LONGEST_SEP + 1];
    *t = (tg_Tokenizer){.options = options, .line = 1};
    const bool is_space = strcmp(options->sep, "\\s+") == 0;
    t->sep = is_space ? '\0' : options->sep[0];
    if (!tg_text_open(&t->text, in)) return false;
    if (!tg_decode(&t->text, options->encoding)) return false;
    if (tg_is_long_sep(options->sep) && (!tg_literal_sep(options->sep, literal) || !replace_separators(t, literal)))
        return false;
    t->ends_field['\n'] = t->ends_field['\r'] = true;
    if (is_space) t->ends_field[' '] = t->ends_field['\t'] = true;
    const char marks[] = {t->sep, options->escapechar, options->comment};
    for (size_t i = 0; i < sizeof marks; i++)
        if (marks[i]) t->ends_field[(unsigned char)marks[i]] = true;
    return true;
}

void tg_tokenizer_close(tg_Tokenizer *t) {
    tg_free(t->scratch, t->scratch_size);
    t->scratch = NULL;
    tg_free(t->block, t->block_size);
    t->block = NULL;
    tg_text_close(&t->text);
}

/* Past the end of a line at text.at: \n, \r\n or \r. */
static void take_newline(tg_Tokenizer *t) {
    const char *at = t->text.at;
    t->text.at += *at == '\r' && at + 1 < t->text.end && at[1] == '\n' ? 2 : 1;
    t->line++;
}

void tg_tokenizer_skip_line(tg_Tokenizer *t) {
    while (t->text.at < t->text.end && *t->text.at != '\n' && *t->text.at != '\r') t->text.at++;
    if (t->text.at < t->text.end) take_newline(t);
}

static bool is_newline(const tg_Tokenizer *t, const char *at) {
    return at < t->text.end && (*at == '\n' || *at == '\r');
}

bool tg_tokenizer_next_line(tg_Tokenizer *t) {
    while (t->text.at < t->text.end) {
        const char *at = t->text.at;
        if (t->options->comment && *at == t->options->comment) {
            tg_tokenizer_skip_line(t);
            continue;
        }
        const bool skips_space = !t->sep || t->options->skipinitialspace;
        while (at < t->text.end && (*at == ' ' || *at == '\t') && *at != t->sep) at++;
        if (at == t->text.end) {
            if (t->options->skip_blank_lines) t->text.at = at;
            return !t->options->skip_blank_lines;
        }
        if (is_newline(t, at) && t->options->skip_blank_lines) {
            t->text.at = at;
            take_newline(t);
            continue;
        }
        if (skips_space) t->text.at = at;
        return true;
    }
    return false;
}

/* What follows a field whose text ends at text.at: a separator, a comment, the end of the line or of the text. */
static void end_field(tg_Tokenizer *t, tg_Field *field) {
    const char *end = t->text.end;
    field->ends_line = true;
    if (t->text.at < end && t->options->comment && *t->text.at == t->options->comment)
        while (t->text.at < end && !is_newline(t, t->text.at)) t->text.at++;
    if (t->text.at == end) return;
    if (is_newline(t, t->text.at)) {
        take_newline(t);
        return;
    }
    t->text.at++;  /* a separator */
    if (!t->sep) { /* white space at the end of a line is none */
        while (t->text.at < end && (*t->text.at == ' ' || *t->text.at == '\t')) t->text.at++;
        if (t->text.at == end) return;
        if (is_newline(t, t->text.at)) {
            take_newline(t);
            return;
        }
        if (t->options->comment && *t->text.at == t->options->comment) {
            tg_tokenizer_skip_line(t);
            return;
        }
    }
    field->ends_line = false;
}

static bool grow_scratch(tg_Tokenizer *t, size_t used) {
    const size_t size = t->scratch_size ? 2 * t->scratch_size : 256;
    char *larger = tg_alloc_raw(size);
    if (!larger) return false;
    if (used) memcpy(larger, t->scratch, used);
    tg_free(t->scratch, t->scratch_size);
    t->scratch = larger;
    t->scratch_size = size;
    return true;
}

/* A field with quotes or escapes, from text.at, copied without them. */
static bool copy_field(tg_Tokenizer *t, tg_Field *field) {
    const pd_ReadCsvOptions *o = t->options;
    const char *at = t->text.at, *const end = t->text.end;
    const int64_t first_line = t->line;
    size_t used = 0;
    bool in_quotes = o->quotechar && at < end && *at == o->quotechar;
    at += in_quotes;
    for (; at < end; at++) {
        if (used == t->scratch_size && !grow_scratch(t, used)) return false;
        char c = *at;
        if (o->escapechar && c == o->escapechar) {
            if (++at == end) break;
            c = *at;
        } else if (in_quotes && c == o->quotechar) {
            const bool is_double = o->doublequote && at + 1 < end && at[1] == o->quotechar;
            if (!is_double) {
                in_quotes = false;
                continue;
            }
            at++;
        } else if (!in_quotes && t->ends_field[(unsigned char)c]) {
            break;
        }
        t->line += c == '\n' && in_quotes;
        t->scratch[used++] = c;
    }
    if (in_quotes) return tg_tokenizer_fail(t, "EOF inside string starting at row %" PRId64, first_line - 1);
    if (!t->scratch && !grow_scratch(t, 0)) return false;
    t->text.at = at;
    *field = (tg_Field){.begin = t->scratch, .end = t->scratch + used};
    end_field(t, field);
    return true;
}

bool tg_tokenizer_field(tg_Tokenizer *t, tg_Field *field) {
    const pd_ReadCsvOptions *o = t->options;
    const char *at = t->text.at, *const end = t->text.end;
    if (o->skipinitialspace)
        while (at < end && *at == ' ') at++;
    t->text.at = at;
    if (at < end && o->quotechar && *at == o->quotechar) return copy_field(t, field);
    while (at < end && !t->ends_field[(unsigned char)*at]) at++;
    if (at < end && o->escapechar && *at == o->escapechar) return copy_field(t, field);
    *field = (tg_Field){.begin = t->text.at, .end = at};
    t->text.at = at;
    end_field(t, field);
    return true;
}

int64_t tg_tokenizer_count_fields(tg_Tokenizer *t) {
    const char *const at = t->text.at;
    const int64_t line = t->line;
    tg_Field field = {.ends_line = false};
    int64_t count = 0;
    while (!field.ends_line) {
        if (!tg_tokenizer_field(t, &field)) return -1;
        count++;
    }
    t->text.at = at;
    t->line = line;
    return count;
}
