/* core/python/argparse.h: the common part of Python's argparse (public; part of core/python/python.h).
 *
 *     struct { int64_t epochs; double lr; const char *data; bool cuda; } args = {.epochs = 10, .lr = 0.1};
 *     argparse_ArgumentParser *parser = argparse_ArgumentParser(.description = "Trains a model.");
 *     argparse_add_argument(parser, &args.data, "data", .help = "a folder");
 *     argparse_add_argument(parser, &args.epochs, "-n", "--epochs", .help = "passes (default: %(default)s)");
 *     argparse_add_argument(parser, &args.lr, "--lr");
 *     argparse_add_argument(parser, &args.cuda, "--cuda");
 *     if (!argparse_parse_args(parser, argc, argv)) return parser->status;
 *
 * Values are stored in variables, whose types are type=: int and int64_t are int, float and double float, const char *
 * is str, and a bool is action="store_true" ("store_false" with .action). A variable's initial value is default=. The
 * command line is read, and help and errors are written, as by Python 3.11: abbreviations (--ep), --lr=0.1, -n3, -xv
 * for -x -v, -- before what is no option. Nothing ends the program: parse_args is false after --help (on stdout; status
 * 0) and after an error (on stderr; status 2). Not here: nargs but "?" of positionals, other actions, groups and
 * subparsers. */
#ifndef TAPEGRAD_CORE_PYTHON_ARGPARSE_H
#define TAPEGRAD_CORE_PYTHON_ARGPARSE_H

#include "core/tensor/scope.h"

T_BEGIN_DECLS

typedef struct argparse_ArgumentParser {
    t_Object object;
    const char *prog, *description, *epilog;
    bool shows_defaults;
    int status; /* what main returns when parse_args is false */
    struct argparse_Argument *arguments;
    int64_t len, capacity;
} argparse_ArgumentParser;

/* argparse.ArgumentParser(prog=None, description=None, epilog=None, add_help=True, formatter_class=...). prog: the name
 * of the program that argv[0] has. Texts are not copied. The parser belongs to the current scope. */
typedef struct argparse_ParserOptions {
    uint32_t size;
    const char *prog, *description, *epilog;
    bool add_help;
    const char *formatter_class; /* "ArgumentDefaultsHelpFormatter", or NULL */
} argparse_ParserOptions;
#define ARGPARSE_PARSER_DEFAULTS_ .add_help = true, .size = sizeof(argparse_ParserOptions)
T_API argparse_ArgumentParser *argparse_ArgumentParser_new(const argparse_ParserOptions *options);

typedef enum argparse_Type {
    argparse_int32, argparse_int64, argparse_float32, argparse_float64, argparse_str, argparse_bool
} argparse_Type;
enum { ARGPARSE_MOST_FLAGS = 4, ARGPARSE_MOST_CHOICES = 32 };
/* parser.add_argument("-n", "--epochs", help=None, metavar=None, choices=None, required=False, action=...,
 * nargs=None). In help %(default)s, %(prog)s, %(choices)s, %(metavar)s and %(dest)s are filled in. A name without a
 * dash is a positional's. Choices are texts, {"1", "2"} of numbers too; the first NULL ends them. Errors: what Python
 * refuses (a name that another argument has, names of both kinds), a bool without a dash. */
typedef struct argparse_ArgumentOptions {
    uint32_t size;
    const char *flags[ARGPARSE_MOST_FLAGS];
    const char *help, *metavar;
    const char *choices[ARGPARSE_MOST_CHOICES];
    bool required;
    const char *action; /* of a bool: "store_true" or "store_false" */
    const char *nargs;  /* "?" of a positional that may be left out */
} argparse_ArgumentOptions;
T_API bool argparse_add_argument(argparse_ArgumentParser *parser, void *variable, argparse_Type type,
                                 const argparse_ArgumentOptions *options);

/* args = parser.parse_args(argv[1:]) */
T_API bool argparse_parse_args(argparse_ArgumentParser *parser, int argc, char *const *argv);
/* parser.error(message): usage and message on stderr, status = 2; gives false, to be returned. */
T_API bool argparse_error(argparse_ArgumentParser *parser, const char *format, ...) T_PRINTF(2, 3);
/* parser.format_help(), parser.format_usage(): the caller frees the text with free(); NULL on error. Lines are as long
 * as COLUMNS says, or the terminal. */
T_API char *argparse_format_help(argparse_ArgumentParser *parser);
T_API char *argparse_format_usage(argparse_ArgumentParser *parser);
T_API void argparse_print_help(argparse_ArgumentParser *parser); /* parser.print_help() */

T_END_DECLS
#endif
