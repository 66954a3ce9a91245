/* core/io/json.c: the JSON pull parser, for untrusted files. */
#include "core/io/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/io/utf8.h"

enum { LEVELS = 127 }; /* of nested brackets, as in serde_json, safetensors' parser */

/* ---- errors ---- */

static bool fail_expecting(tg_Json *json, const char *expected) {
    const unsigned char next = (unsigned char)json->text[json->at];
    const uint64_t at = json->base + json->at;
    if (json->failed) return false;
    json->failed = true;
    if (json->at >= json->size)
        return tg_fail("%s: the %s ends at byte %" PRIu64 " where %s is expected", json->name, json->whole, at,
                       expected);
    if (next > ' ' && next < 0x7f)
        return tg_fail("%s: '%c' at byte %" PRIu64 ", where %s is expected", json->name, next, at, expected);
    return tg_fail("%s: 0x%02x at byte %" PRIu64 ", where %s is expected", json->name, next, at, expected);
}

tg_Json tg_json_of(const char *name, char *text, size_t size, uint64_t base) {
    tg_Json json = {.name = name, .whole = "header", .text = text, .size = size, .base = base};
    json.at = tg_utf8_valid(text, size);
    if (json.at < size) fail_expecting(&json, "a character of UTF-8");
    json.at = 0;
    return json;
}

/* ---- tokens ---- */

/* Skips white space and returns the next character; at the end the terminating zero. */
static char next(tg_Json *json) {
    char c;
    while ((c = json->text[json->at]) == ' ' || c == '\t' || c == '\n' || c == '\r') json->at++;
    return c;
}

static bool demand(tg_Json *json, char c, const char *expected) {
    if (json->failed || next(json) != c) return fail_expecting(json, expected);
    json->at++;
    return true;
}

bool tg_json_open(tg_Json *json, char bracket) {
    if (!json->failed && next(json) == bracket && json->level++ == LEVELS)
        return fail_expecting(json, "no bracket within so many others");
    return demand(json, bracket, bracket == '{' ? "'{'" : "'['");
}

bool tg_json_more(tg_Json *json, char bracket, bool *first) {
    const bool is_first = *first;
    *first = false;
    if (json->failed) return false;
    if (next(json) == bracket) {
        json->at++;
        json->level--;
        return false;
    }
    return is_first || demand(json, ',', bracket == '}' ? "',' or '}'" : "',' or ']'");
}

bool tg_json_end(tg_Json *json) {
    if (!json->failed) {
        next(json);
        char expected[40];
        snprintf(expected, sizeof expected, "the end of the %s", json->whole);
        if (json->at < json->size) fail_expecting(json, expected);
    }
    return !json->failed;
}

/* ---- strings ---- */

static uint32_t four_digits(tg_Json *json) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++, json->at++) {
        const char c = json->text[json->at];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' &&
            c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) {
            fail_expecting(json, "a hexadecimal digit");
            return 0;
        }
        value = value * 16 + (uint32_t)digit;
    }
    return value;
}

/* The character after a backslash. */
static char *take_escape(tg_Json *json, char *to) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char c = json->text[json->at];
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        json->at++;
        *to = meanings[letter - letters];
        return to + 1;
    }
    if (c != 'u') {
        fail_expecting(json, "one of \"\\/bfnrtu");
        return to;
    }
    json->at++;
    uint32_t code = four_digits(json);
    if (json->failed) return to;
    if (code == 0) {
        json->at -= strlen("\\u0000");
        fail_expecting(json, "anything but \\u0000, which no text of C holds,");
    }
    const bool is_high = code >= 0xd800 && code < 0xdc00, is_pair = is_high &&
        strncmp(json->text + json->at, "\\u", 2) == 0;
    if (is_pair) json->at += 2;
    const uint32_t low = is_pair ? four_digits(json) : 0;
    if (is_pair && low >= 0xdc00 && low < 0xe000) code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    if (code >= 0xd800 && code < 0xe000) fail_expecting(json, "the other half of a surrogate pair");
    return json->failed ? to : tg_utf8_write(to, code);
}

/* A decoded string is never longer than its source text, so it is decoded in place. */
char *tg_json_text(tg_Json *json) {
    if (!demand(json, '"', "'\"'")) return NULL;
    char *text = json->text + json->at, *to = text;
    while (!json->failed && json->text[json->at] != '"') {
        if ((unsigned char)json->text[json->at] < ' ') {
            fail_expecting(json, "'\"'");
        } else if (json->text[json->at] == '\\') {
            json->at++;
            to = take_escape(json, to);
        } else {
            *to++ = json->text[json->at++];
        }
    }
    if (json->failed) return NULL;
    json->at++;
    *to = '\0';
    return text;
}

char *tg_json_name(tg_Json *json) {
    char *name = tg_json_text(json);
    return name && demand(json, ':', "':'") ? name : NULL;
}

/* ---- other values ---- */

static bool is_digit(const tg_Json *json) {
    return json->text[json->at] >= '0' && json->text[json->at] <= '9';
}

uint64_t tg_json_uint64(tg_Json *json) {
    uint64_t value = 0;
    next(json);
    const size_t begin = json->at;
    if (json->failed || !is_digit(json)) {
        fail_expecting(json, "an integer that is not negative");
        return 0;
    }
    for (; is_digit(json) && !(json->at > begin && json->text[begin] == '0'); json->at++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(json->text[json->at] - '0'), &value)) {
            fail_expecting(json, "a number below 2^64");
            return 0;
        }
    if (json->text[json->at] && strchr(".eE0123456789", json->text[json->at])) fail_expecting(json, "an integer");
    return value;
}

static bool take_literal(tg_Json *json, const char *word) {
    const size_t length = strlen(word);
    next(json);
    if (json->failed || strncmp(json->text + json->at, word, length) != 0) return false;
    json->at += length;
    return true;
}

bool tg_json_is_null(tg_Json *json) {
    return take_literal(json, "null");
}

bool tg_json_bool(tg_Json *json) {
    const bool is_true = take_literal(json, "true");
    if (!is_true && !take_literal(json, "false")) fail_expecting(json, "true or false");
    return is_true;
}

static void skip_digits(tg_Json *json) {
    if (!is_digit(json)) fail_expecting(json, "a digit");
    while (is_digit(json)) json->at++;
}

static void skip_number(tg_Json *json) {
    if (json->text[json->at] == '-') json->at++;
    if (json->text[json->at] == '0') json->at++;
    else skip_digits(json);
    if (json->text[json->at] == '.') {
        json->at++;
        skip_digits(json);
    }
    if (json->text[json->at] == 'e' || json->text[json->at] == 'E') {
        json->at++;
        if (json->text[json->at] == '+' || json->text[json->at] == '-') json->at++;
        skip_digits(json);
    }
}

void tg_json_skip(tg_Json *json) {
    const char c = json->failed ? '\0' : next(json);
    if (c == '{' || c == '[') {
        const char bracket = c == '{' ? '}' : ']';
        tg_json_open(json, c);
        for (bool first = true; tg_json_more(json, bracket, &first);) {
            if (c == '{') tg_json_name(json);
            tg_json_skip(json);
        }
    } else if (c == '"') {
        tg_json_text(json);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        skip_number(json);
    } else if (!take_literal(json, "true") && !take_literal(json, "false") && !take_literal(json, "null")) {
        fail_expecting(json, "a value");
    }
}
