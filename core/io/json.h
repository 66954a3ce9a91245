/* core/io/json.h: a JSON text (RFC 8259), read piece by piece (internal).
 *
 *     tg_json_open(json, '{');
 *     for (bool first = true; tg_json_more(json, '}', &first);) {
 *         char *name = tg_json_name(json);
 *         ... tg_json_text, tg_json_whole, tg_json_skip ...
 *     }
 *     tg_json_end(json);
 *
 * No memory is asked for: strings are decoded where they stand. The first mistake sets the error and json->failed; from there
 * on nothing is found any more, so that a reader need only ask at its end. */
#ifndef TAPEGRAD_CORE_IO_JSON_H
#define TAPEGRAD_CORE_IO_JSON_H

#include "core/tensor/context.h"

typedef struct tg_Json {
    const char *name; /* the file's, for messages */
    char *text;       /* size bytes, and a zero behind them */
    size_t size, at;
    uint64_t base;    /* where in the file the text begins, for messages */
    int level;        /* how many brackets are open */
    bool failed;
} tg_Json;

size_t tg_utf8_valid(const char *text, size_t size);         /* how many bytes from the first are UTF-8; a zero must stand behind them */
tg_Json tg_json_of(const char *name, char *text, size_t size, uint64_t base); /* error: the text is no UTF-8 */
bool tg_json_open(tg_Json *json, char bracket);              /* '{' or '[' */
bool tg_json_more(tg_Json *json, char bracket, bool *first); /* is there another item, or the bracket that closes? */
char *tg_json_name(tg_Json *json);                           /* of a member, with its colon; NULL on an error */
char *tg_json_text(tg_Json *json);                           /* NULL on an error, and where there is a zero in it */
uint64_t tg_json_whole(tg_Json *json);                       /* a number from 0 to 2^64 - 1, written as digits only */
bool tg_json_is_null(tg_Json *json);                         /* and goes on behind it */
void tg_json_skip(tg_Json *json);                            /* any value; of brackets 127 may be in one another */
bool tg_json_end(tg_Json *json);                             /* nothing but white space follows, and nothing has failed */

#endif
