/* core/python/argparse_internal.h: the parser's arguments, for parsing and the help text (internal). */
#ifndef TAPEGRAD_CORE_PYTHON_ARGPARSE_INTERNAL_H
#define TAPEGRAD_CORE_PYTHON_ARGPARSE_INTERNAL_H

#include "core/io/file.h"
#include "core/python/argparse.h"

typedef struct argparse_Argument {
    argparse_ArgumentOptions o;
    int flags;       /* number of names */
    bool positional, is_help, seen;
    argparse_Type type;
    void *variable;
    char *default_text; /* in Python's notation; malloc'ed */
} Argument;

static inline bool tg_argument_takes_value(const Argument *a) {
    return !a->is_help && a->type != argparse_bool;
}

bool tg_check_parser(const argparse_ArgumentParser *self); /* a live parser, argument 1 */
/* repr of a number, a text as it is, True, False or None */
char *tg_default_text(argparse_Type type, const void *variable);
void tg_write_choices(tg_Output *to, const Argument *a, const char *between, bool quoted); /* a,b or 'a', 'b' */
void tg_write_repr(tg_Output *to, const char *text);                                       /* repr(text) */
void tg_write_dest(tg_Output *to, const Argument *a, bool upper);                          /* batch_size, BATCH_SIZE */
const char *tg_prog(const argparse_ArgumentParser *parser);

#endif
