/* core/io/json.h: a pull parser for JSON (RFC 8259) (internal).
 *
 *     tg_json_open(json, '{');
 *     for (bool first = true; tg_json_more(json, '}', &first);) {
 *         char *name = tg_json_name(json);
 *         ... tg_json_text, tg_json_uint64, tg_json_skip ...
 *     }
 *     tg_json_end(json);
 *
 * There are no allocations: strings are decoded in place. The first syntax error sets the error and json->failed; after
 * that all functions return NULL, 0 or false, so that the caller need only check at the end. */
#ifndef TAPEGRAD_CORE_IO_JSON_H
#define TAPEGRAD_CORE_IO_JSON_H

#include "core/tensor/context.h"

typedef struct tg_Json {
    const char *name; /* the file's, for messages */
    const char *whole; /* what the text is of the file: "header"; may be set to "file" */
    char *text;       /* size bytes and a terminating zero */
    size_t size, at;
    uint64_t base;    /* offset of the text in the file, for messages */
    int level;        /* number of open brackets */
    bool failed;
} tg_Json;

tg_Json tg_json_of(const char *name, char *text, size_t size, uint64_t base); /* error: not UTF-8 */
bool tg_json_open(tg_Json *json, char bracket);              /* '{' or '[' */
/* true: another item; false: the closing bracket, or an error */
bool tg_json_more(tg_Json *json, char bracket, bool *first);
char *tg_json_name(tg_Json *json);                           /* a member's name and the colon; NULL on an error */
/* a string; NULL on an error, also if it contains \u0000 */
char *tg_json_text(tg_Json *json);
/* an integer from 0 to 2^64 - 1, without fraction and exponent */
uint64_t tg_json_uint64(tg_Json *json);
bool tg_json_is_null(tg_Json *json);                         /* if the next value is null, reads it */
bool tg_json_bool(tg_Json *json);                            /* true or false */
void tg_json_skip(tg_Json *json);                            /* any value; at most 127 nested brackets */
/* true if only white space follows and there was no error */
bool tg_json_end(tg_Json *json);

#endif
